/* Elements put to places, added there, multiplied, compared: every ISA against one after the other,
 * as many to one place as chance has it, in tables where places come again soon and late, or at
 * once. Elements taken from places, spread to rows, turned over, in reverse, dealt by turns.
 * Several lines at once. */
#include "reference.h"
#include "sample.h"

static const char *const kinds[] = {"put", "put_add", "put_mul", "put_max", "put_min"};
enum { PUT, ADD, MUL, MAX, MIN, KINDS };

static void make(nomen_dtype d, char *p, int64_t n) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
    for (int64_t i = 0; i < n; i++) {
        double x = 4 * random_unit();
        if (d <= NOMEN_I64) x = floor(d <= NOMEN_U8 ? fabs(x) : 20 * x);
        if (d == NOMEN_BOOL) x = x > 1;
        if (is_float(d) && random_bits() % 16 == 0) x = special[random_bits() % 4];
        store_double(d, p + i * dtype_size[d], x, is_complex(d) ? random_unit() : 0);
    }
}

/* To the nearest, of two that are as near to the even one. What is below in magnitude and what is
 * above are neighbours as integers. */
static void store_nearest(nomen_dtype d, char *p, float x) {
    uint16_t below, above;
    store_double(d, p, (double)x, 0);
    if (d == NOMEN_F32 || isnan(x) || isinf(x)) return;
    memcpy(&below, p, 2);
    above = (uint16_t)(below + 1);
    const long double low = load_wide(d, &below).re, high = load_wide(d, &above).re;
    if (isinf(low)) return;
    const long double under = fabsl((long double)x - low), over = fabsl(high - (long double)x);
    if (over < under || (over == under && below & 1)) memcpy(p, &above, 2);
}

/* As each kernel computes: float16, bfloat16 and float32 in float, integers with all that wraps. */
static void join(int kind, nomen_dtype d, char *own, const char *other) {
    const wide a = load_wide(d, own), b = load_wide(d, other);
    if (kind == PUT) {
        memcpy(own, other, (size_t)dtype_size[d]);
    } else if (kind >= MAX) {
        const bool better = kind == MAX ? b.re > a.re : b.re < a.re;
        if (!isnan(a.re) && (better || isnan(b.re))) memcpy(own, other, (size_t)dtype_size[d]);
    } else if (d == NOMEN_BOOL) {
        *own = kind == ADD ? *own | *other : *own & *other;
    } else if (d <= NOMEN_I64) {
        const uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
        store_int(own, (int64_t)(kind == ADD ? x + y : x * y), dtype_size[d]);
    } else if (is_complex(d)) {
        store_double(d, own, (double)(a.re + b.re), (double)(a.im + b.im));
    } else if (d == NOMEN_F64) {
        const double x = (double)a.re, y = (double)b.re;
        store_double(d, own, kind == ADD ? x + y : x * y, 0);
    } else {
        const float x = (float)a.re, y = (float)b.re;
        store_nearest(d, own, kind == ADD ? x + y : x * y);
    }
}

/* The same bits; of NaNs any. */
static bool is_same(nomen_dtype d, const char *got, const char *want) {
    if (is_float(d) && isnan(load_wide(d, want).re)) return isnan(load_wide(d, got).re);
    return memcmp(got, want, (size_t)dtype_size[d]) == 0;
}

/* Lines of n places each in a part of the table of their own; shared: the same places in each. */
typedef struct walk {
    int64_t size, n, lines, apart, near;
    bool shared;
    int64_t again; /* in the first half: one place so often behind each other, or less */
    int64_t gap;   /* behind each element of the table but 0: so many */
} walk;

static void draw_places(const walk *w, int64_t *at) {
    const int64_t n = w->n * (w->shared ? 1 : w->lines);
    for (int64_t i = 0; i < n; i++) {
        const bool stays = w->again && i % w->n && i < n / 2 && random_bits() % (uint64_t)w->again;
        at[i] = stays ? at[i - 1] : (int64_t)(random_bits() % (uint64_t)w->size);
    }
}

static void check(int kind, nomen_dtype d, const walk *w) {
    const int64_t e = dtype_size[d], size = w->size * (1 + w->gap), n = w->n, all = w->lines * size;
    const int64_t row = (3 * n + 1) * e, unit = (1 + w->gap) * e;
    char *table = guarded_new((size_t)(all * e)), *source = malloc((size_t)(w->lines * row));
    char *first = malloc((size_t)(all * e)), *want = malloc((size_t)(all * e));
    int64_t *at = malloc((size_t)(w->lines * n + 1) * 8);
    assert_true(source && first && want && at);
    make(d, first, all);
    make(d, source, w->lines * row / e);
    memcpy(want, first, (size_t)(all * e));
    draw_places(w, at);
    for (int64_t l = 0; l < w->lines; l++)
        for (int64_t i = 0; i < n; i++)
            join(kind, d, want + l * size * e + at[(w->shared ? 0 : l * n) + i] * unit,
                 source + l * row + i * w->apart * e);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memcpy(table, first, (size_t)(all * e));
        find_kernel(isa, kinds[kind], d)
            ->loop((char *const[]){table, (char *)at, source},
                   (const int64_t[NOMEN__POINTS_STEPS]){w->near, unit, w->apart * e, w->lines,
                                                        size * e, w->shared ? 0 : 8 * n, row},
                   n);
        assert_true(guarded_intact(table, (size_t)(all * e)));
        for (int64_t i = 0; i < all; i++)
            if (!is_same(d, table + i * e, want + i * e))
                fail_msg("%s %s %s: place %lld of %lld lines of %lld, of %lld elements %lld apart",
                         all_isas[isa].name, kinds[kind], dtype_names[d], (long long)i,
                         (long long)w->lines, (long long)size, (long long)n, (long long)w->apart);
    }
    guarded_free(table);
    free(source);
    free(first);
    free(want);
    free(at);
}

static void test_put(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 5, 23, 400}, longer[] = {255, 256, 259, 400};
    for (int kind = 0; kind < KINDS; kind++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            if (is_complex(d) && kind >= MUL) continue; /* products: test_kernels_elementwise.c */
            for (int64_t n = 0; n <= 70; n++)
                for (int64_t apart = 0; apart < 3; apart++) {
                    if (!is_chosen()) continue;
                    walk w = {sizes[(n + apart) % COUNT(sizes)],
                              n,
                              1 + n % 3,
                              apart,
                              n % 2,
                              n % 5 == 0,
                              0,
                              n % 3 / 2};
                    check(kind, d, &w);
                }
            for (int k = 0; k < (int)COUNT(longer); k++) /* where few meet, and where most do */
                for (int64_t size = 7; size < 3000; size *= 17) {
                    walk w = {size, longer[k], 2, 1, 0, false, 0, k % 2};
                    if (is_chosen()) check(kind, d, &w);
                }
            for (int64_t n = 60; n < 5000; n = 5 * n / 2) /* the same place again and again */
                for (int64_t again = 7; again < 3000; again *= 20) {
                    walk w = {300, n, 2, n % 4, 0, false, again, n % 2};
                    if (is_chosen()) check(kind, d, &w);
                }
        }
}

/* Elements of a table, `apart` from each other, to rows whose elements have gaps, or none. */
static void check_take(nomen_dtype d, const walk *w, int64_t gap) {
    const int64_t e = dtype_size[d], row = (w->n + 1) * gap * e, part = w->size * w->apart * e;
    char *table = malloc((size_t)(w->lines * part + e)), *out;
    int64_t *at = malloc((size_t)(w->lines * w->n + 1) * 8);
    out = guarded_new((size_t)(w->lines * row));
    assert_true(table && at);
    make(d, table, w->lines * part / e);
    draw_places(w, at);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memset(out, GUARD_BYTE, (size_t)(w->lines * row));
        find_kernel(isa, "take", d)
            ->loop((char *const[]){out, table, (char *)at},
                   (const int64_t[NOMEN__POINTS_STEPS]){gap * e, w->apart * e, 8, w->lines, row,
                                                        part, w->shared ? 0 : 8 * w->n},
                   w->n);
        for (int64_t l = 0; l < w->lines; l++)
            for (int64_t i = 0; i < w->n; i++) {
                const int64_t place = at[(w->shared ? 0 : l * w->n) + i] * w->apart * e;
                char *got = out + l * row + i * gap * e;
                assert_memory_equal(got, table + l * part + place, (size_t)e);
                memset(got, GUARD_BYTE, (size_t)e);
            }
        assert_true(is_untouched(out, (size_t)(w->lines * row))); /* nothing else was written */
        assert_true(guarded_intact(out, (size_t)(w->lines * row)));
    }
    guarded_free(out);
    free(table);
    free(at);
}

static void test_take(void **state) {
    (void)state;
    static const int64_t lines[] = {1, 2, 40, 200};
    for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
        for (int64_t n = 0; n <= 40; n++)
            for (int shared = 0; shared < 2; shared++)
                for (int64_t apart = 1; apart < 4; apart++) {
                    if (!is_chosen()) continue;
                    walk w = {1 + 3 * n, n, lines[(n + apart) % COUNT(lines)], apart, 0, shared,
                              0,         0};
                    check_take(d, &w, 1 + (n + apart) % 2);
                }
}

/* n elements, `apart` from each other or all the same one, to rows of many each, with a gap after
 * each, where nothing is written. */
static void check_spread(nomen_dtype d, int64_t many, int64_t n, int64_t apart, int64_t gap) {
    const int64_t e = dtype_size[d], row = many * e, whole = row + gap * e;
    char *from = malloc((size_t)(n * apart * e + e)), *out = guarded_new((size_t)(n * whole));
    assert_non_null(from);
    make(d, from, n * apart + 1);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memset(out, GUARD_BYTE, (size_t)(n * whole));
        find_kernel(isa, "spread", d)
            ->loop((char *const[]){out, from}, (const int64_t[]){row, apart * e, whole}, n);
        for (int64_t r = 0; r < n; r++) {
            const char *to = out + r * whole;
            for (int64_t i = 0; i < many; i++)
                assert_memory_equal(to + i * e, from + r * apart * e, (size_t)e);
            assert_true(is_untouched(to + row, (size_t)(whole - row)));
        }
        assert_true(guarded_intact(out, (size_t)(n * whole)));
    }
    guarded_free(out);
    free(from);
}

static void test_spread(void **state) {
    (void)state;
    for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
        for (int64_t many = 1; many <= 70; many++)
            for (int64_t n = 0; n <= 20; n += 1 + n / 5) {
                check_spread(d, many, n, (many + n) % 3, 0);
                check_spread(d, many, n, (many + n) % 3, 1 + n % 3);
            }
}

static const nomen_dtype sizes[] = {NOMEN_U8, NOMEN_I16, NOMEN_I32, NOMEN_I64, NOMEN_C128};

/* to[r][i] = from[i][r], with rows of either further apart than they are long; what lies between
 * them stays, and memory behind the last element is not touched. */
static void check_turn(nomen_dtype d, int64_t n, int64_t rows, int64_t gap) {
    const int64_t e = dtype_size[d], near = (rows + gap) * e, to_row = (n + gap) * e;
    const size_t read = (size_t)((n - 1) * near + rows * e);
    const size_t written = (size_t)((rows - 1) * to_row + n * e);
    char *from = guarded_new(read), *out = guarded_new(written);
    for (size_t i = 0; i < read; i++) from[i] = (char)random_bits();
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memset(out, GUARD_BYTE, written);
        find_kernel(isa, "turn", d)
            ->loop((char *const[]){out, from}, (const int64_t[]){to_row, near, rows}, n);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t i = 0; i < n; i++)
                assert_memory_equal(out + r * to_row + i * e, from + i * near + r * e, (size_t)e);
            if (r < rows - 1)
                assert_true(is_untouched(out + r * to_row + n * e, (size_t)(to_row - n * e)));
        }
        assert_true(guarded_intact(out, written));
    }
    guarded_free(out);
    guarded_free(from);
}

static void test_turn(void **state) {
    (void)state;
    for (int k = 0; k < (int)COUNT(sizes); k++)
        for (int64_t fewest = nomen__turn_fewest(dtype_size[sizes[k]]), n = fewest; n <= 140;
             n += 1 + n / 40)
            for (int64_t rows = fewest; rows <= 70; rows += 1 + rows / 20)
                check_turn(sizes[k], n, rows, (n + rows) % 4);
}

/* out[r][i] = from[r][n - 1 - i], with rows further apart than they are long, of `from` in either
 * direction; what lies between those of `out` stays, and memory behind the last is not touched. */
static void check_reverse(nomen_dtype d, int64_t n, int64_t rows, int64_t gap, bool upwards) {
    const int64_t e = dtype_size[d], row = (n + gap) * e;
    const size_t room = (size_t)((rows - 1) * row + n * e);
    char *from = guarded_new(room), *out = guarded_new(room);
    char *const first = upwards ? from : from + (rows - 1) * row;
    const int64_t down = upwards ? row : -row;
    for (size_t i = 0; i < room; i++) from[i] = (char)random_bits();
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memset(out, GUARD_BYTE, room);
        find_kernel(isa, "reverse", d)
            ->loop((char *const[]){out, first}, (const int64_t[]){row, down, rows}, n);
        for (int64_t r = 0; r < rows; r++) {
            char *const to = out + r * row;
            for (int64_t i = 0; i < n; i++)
                assert_memory_equal(to + i * e, first + r * down + (n - 1 - i) * e, (size_t)e);
            if (r < rows - 1) assert_true(is_untouched(to + n * e, (size_t)(row - n * e)));
        }
        assert_true(guarded_intact(out, room));
    }
    guarded_free(out);
    guarded_free(from);
}

static void test_reverse(void **state) {
    (void)state;
    for (int k = 0; k < (int)COUNT(sizes); k++)
        for (int64_t n = 1; n <= 150; n++)
            for (int64_t rows = 1; rows <= 3; rows++)
                check_reverse(sizes[k], n, rows, n % 4, rows % 2 == 0);
}

/* Rows as they are, with gaps between them on both sides; what lies in the gaps stays, and nothing
 * beyond the last row is read or written. */
static void check_rows(int64_t n, int64_t rows, int64_t gap) {
    const int64_t to_row = n + gap, from_row = n + 3 * gap;
    const size_t room = (size_t)((rows - 1) * to_row + n);
    char *from = guarded_new((size_t)((rows - 1) * from_row + n)), *out = guarded_new(room);
    for (int64_t i = 0; i < (rows - 1) * from_row + n; i++) from[i] = (char)random_bits();
    for (int isa = 0; isa < ISAS; isa++) {
        const nomen__kernel *k = isa_runs(isa) ? find_kernel(isa, "rows", NOMEN_U8) : NULL;
        if (!k) continue; /* AVX-512 alone has it */
        memset(out, GUARD_BYTE, room);
        k->loop((char *const[]){out, from}, (const int64_t[]){to_row, from_row, rows}, n);
        for (int64_t r = 0; r < rows; r++) {
            assert_memory_equal(out + r * to_row, from + r * from_row, (size_t)n);
            if (r < rows - 1) assert_true(is_untouched(out + r * to_row + n, (size_t)gap));
        }
        assert_true(guarded_intact(out, room));
    }
    guarded_free(from);
    guarded_free(out);
}

static void test_rows(void **state) {
    (void)state;
    for (int64_t n = 65; n <= 600; n++)
        for (int64_t rows = 1; rows <= 5; rows += 2) check_rows(n, rows, (n + rows) % 7);
}

static void test_fill(void **state) {
    (void)state;
    for (int k = 0; k < (int)COUNT(sizes); k++)
        for (int64_t n = 1; n <= 300; n += 1 + n / 20) {
            const int64_t e = dtype_size[sizes[k]];
            char number[16], *out = guarded_new((size_t)(n * e));
            for (int64_t i = 0; i < e; i++) number[i] = (char)random_bits();
            for (int isa = 0; isa < ISAS; isa++) {
                if (!isa_runs(isa)) continue;
                memset(out, GUARD_BYTE, (size_t)(n * e));
                find_kernel(isa, "fill", sizes[k])
                    ->loop((char *const[]){out, number}, (const int64_t[]){e, 0}, n);
                for (int64_t i = 0; i < n; i++) assert_memory_equal(out + i * e, number, (size_t)e);
                assert_true(guarded_intact(out, (size_t)(n * e)));
            }
            guarded_free(out);
        }
}

static void test_weave(void **state) {
    (void)state;
    enum { MOST = 8 };
    for (int k = 0; k < (int)COUNT(sizes) - 1; k++)
        for (int64_t lines = 2; lines <= MOST; lines++)
            for (int64_t n = 0; n <= 100; n++) {
                const int64_t e = dtype_size[sizes[k]];
                char *ptr[MOST + 1];
                ptr[0] = guarded_new((size_t)(lines * n * e));
                for (int64_t l = 1; l <= lines; l++) {
                    ptr[l] = guarded_new((size_t)(n * e));
                    for (int64_t i = 0; i < n * e; i++) ptr[l][i] = (char)random_bits();
                }
                for (int isa = 0; isa < ISAS; isa++) {
                    if (!isa_runs(isa)) continue;
                    memset(ptr[0], GUARD_BYTE, (size_t)(lines * n * e));
                    find_kernel(isa, "weave", sizes[k])->loop(ptr, &lines, n);
                    for (int64_t i = 0; i < n * lines; i++)
                        assert_memory_equal(ptr[0] + i * e, ptr[1 + i % lines] + i / lines * e,
                                            (size_t)e);
                    assert_true(guarded_intact(ptr[0], (size_t)(lines * n * e)));
                }
                for (int64_t l = 0; l <= lines; l++) guarded_free(ptr[l]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),  cmocka_unit_test(test_take),    cmocka_unit_test(test_spread),
        cmocka_unit_test(test_turn), cmocka_unit_test(test_reverse), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_fill), cmocka_unit_test(test_weave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
