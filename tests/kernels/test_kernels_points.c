/* Elements put to places, added there, multiplied, compared: every ISA against one after the other,
 * as many to one place as chance has it, in tables where places come again soon and late. */
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

static void check(int kind, nomen_dtype d, int64_t size, int64_t n, int64_t apart, int64_t near) {
    const int64_t e = dtype_size[d];
    char *table = guarded_new((size_t)(size * e)), *source = malloc((size_t)(3 * n * e + e));
    char *first = malloc((size_t)(size * e)), *want = malloc((size_t)(size * e));
    int64_t *at = malloc((size_t)(n + 1) * 8);
    assert_true(source && first && want && at);
    make(d, first, size);
    make(d, source, 3 * n + 1);
    memcpy(want, first, (size_t)(size * e));
    for (int64_t i = 0; i < n; i++) at[i] = (int64_t)(random_bits() % (uint64_t)size);
    for (int64_t i = 0; i < n; i++) join(kind, d, want + at[i] * e, source + i * apart * e);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memcpy(table, first, (size_t)(size * e));
        find_kernel(isa, kinds[kind], d)
            ->loop((char *const[]){table, (char *)at, source},
                   (const int64_t[]){near, 8, apart * e}, n);
        assert_true(guarded_intact(table, (size_t)(size * e)));
        for (int64_t i = 0; i < size; i++)
            if (!is_same(d, table + i * e, want + i * e))
                fail_msg("%s %s %s: place %lld of %lld, of %lld elements %lld apart",
                         all_isas[isa].name, kinds[kind], dtype_names[d], (long long)i,
                         (long long)size, (long long)n, (long long)apart);
    }
    guarded_free(table);
    free(source);
    free(first);
    free(want);
    free(at);
}

static void test_put(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 5, 23, 400};
    for (int kind = 0; kind < KINDS; kind++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            if (is_complex(d) && kind >= MUL) continue; /* products: test_kernels_elementwise.c */
            for (int64_t n = 0; n <= 70; n++)
                for (int64_t apart = 0; apart < 3; apart++) {
                    if (!is_chosen()) continue;
                    check(kind, d, sizes[(n + apart) % COUNT(sizes)], n, apart, n % 2);
                }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
