/* Reductions: that every ISA has the same table and the same results as scalar, and that scalar
 * agrees with a naive reference in wide arithmetic, in every layout, cut into steps and merged in
 * every way. Row functions: test_kernels_rows.c. */
#include "reference.h"
#include "sample.h"

enum { SUM, PROD, MEAN, VAR, STD, MAX, MIN, LSE, ANY, ALL_OF, REDUCERS };
enum { B = 1, I = 2, F = 4, C = 8 };
static const struct {
    const char *name;
    int kinds;
} reducers[REDUCERS] = {
    [SUM] = {"sum", B | I | F | C}, [PROD] = {"prod", B | I | F | C},
    [MEAN] = {"mean", F | C},       [VAR] = {"var", F | C},
    [STD] = {"std", F | C},         [MAX] = {"max", B | I | F},
    [MIN] = {"min", B | I | F},     [LSE] = {"logsumexp", F | C},
    [ANY] = {"any", B | I | F | C}, [ALL_OF] = {"all", B | I | F | C},
};
static int kind_of(nomen_dtype d) {
    return d == NOMEN_BOOL ? B : is_complex(d) ? C : is_float(d) ? F : I;
}

static nomen_dtype out_dtype(int op, nomen_dtype d) {
    if (op == ANY || op == ALL_OF) return NOMEN_BOOL;
    if ((op == SUM || op == PROD) && kind_of(d) <= I) return NOMEN_I64;
    if ((op == VAR || op == STD) && is_complex(d)) return d == NOMEN_C64 ? NOMEN_F32 : NOMEN_F64;
    return d;
}

static void test_tables(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++)
        for (int op = 0; op < REDUCERS; op++)
            for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
                const nomen__kernel *k = find_kernel(i, reducers[op].name, d);
                bool want = (reducers[op].kinds & kind_of(d)) != 0;
                if (want != (k != NULL && k->reducer != NULL))
                    fail_msg("%s %s %s", all_isas[i].name, reducers[op].name, dtype_names[d]);
                if (k) {
                    assert_true(k->reducer->acc_bytes % 8 == 0);
                    assert_in_range(k->reducer->acc_bytes, 8, NOMEN__ACC_BYTES);
                    assert_in_range(k->reducer->acc_most, NOMEN__ACC_BLOCK, NOMEN__ACC_WIDE);
                }
            }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

enum { MIXED, NEAR_ONE, NANS, INFS, MINUS_INFS, TIES, ZEROS, OFFSET, PATTERNS };

static void fill_element(nomen_dtype d, char *p, int pattern) {
    double re = random_unit(), im = random_unit();
    uint64_t die = random_bits() >> 8;
    if (d == NOMEN_BOOL) {
        re = (double)(die & 1u);
    } else if (kind_of(d) == I) {
        if (pattern == TIES || pattern == ZEROS) {
            re = (double)(die % 3u);
        } else if (pattern != NEAR_ONE) {
            memcpy(p, &die, (size_t)dtype_size[d]);
            return;
        } else {
            re = (double)(die % 3u) - 1;
        }
    }
    if (kind_of(d) >= F) {
        if (pattern == NEAR_ONE) re = 1 + re / 64, im = im / 64;
        if (pattern == NANS && die % 13u == 0) re = NAN;
        if (pattern == INFS && die % 17u == 0) re = INFINITY;
        if (pattern == INFS && die % 61u == 1) im = -INFINITY;
        if (pattern == MINUS_INFS) re = die % 4u ? -INFINITY : re;
        if (pattern == TIES) re = die % 3u ? (double)(die % 4u) : -0.0;
        if (pattern == OFFSET) re += 100;
    }
    if (pattern == ZEROS && die % 50u) re = die & 1u ? 0.0 : kind_of(d) == F ? -0.0 : 0.0, im = 0;
    store_double(d, p, re, im);
}

typedef struct layout {
    int64_t n_acc, n_red, acc_step, red_step; /* in bytes */
    char *block, *first;
} layout;

enum { ROWS, COLUMNS, ROWS_PADDED, COLUMNS_PADDED, BACKWARDS, COLUMNS_BACK, LAYOUTS };

static layout new_layout(nomen_dtype d, int64_t n_acc, int64_t n_red, int how, int pattern) {
    const int64_t e = dtype_size[d];
    layout l = {n_acc, n_red, 0, 0, NULL, NULL};
    switch (how) {
    case ROWS: l.red_step = e, l.acc_step = e * n_red; break;
    case COLUMNS: l.acc_step = e, l.red_step = e * n_acc; break;
    case ROWS_PADDED: l.red_step = 3 * e, l.acc_step = e * (3 * n_red + 1); break;
    case COLUMNS_PADDED: l.acc_step = 2 * e, l.red_step = e * (2 * n_acc + 3); break;
    case BACKWARDS: l.red_step = -e, l.acc_step = -e * (n_red + 2); break;
    default: l.acc_step = e, l.red_step = -e * (n_acc + 1); break;
    }
    int64_t low = 0, high = 0;
    if (n_acc > 0 && n_red > 0) {
        low = (l.acc_step < 0 ? l.acc_step * (n_acc - 1) : 0) +
              (l.red_step < 0 ? l.red_step * (n_red - 1) : 0);
        high = (l.acc_step > 0 ? l.acc_step * (n_acc - 1) : 0) +
               (l.red_step > 0 ? l.red_step * (n_red - 1) : 0) + e;
    }
    l.block =
        malloc((size_t)(high - low) + 1); /* exact, so that the sanitizer sees any reading beyond */
    assert_non_null(l.block);
    l.first = l.block - low;
    for (int64_t i = 0; i < n_acc; i++)
        for (int64_t j = 0; j < n_red; j++)
            fill_element(d, l.first + i * l.acc_step + j * l.red_step, pattern);
    return l;
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct answer {
    wide value;
    int64_t at;
    long double bound;
} answer;

static answer reference(int op, nomen_dtype d, const layout *l, int64_t i, double correction) {
    answer a = {{0, 0, 0}, -1, 0};
    const long double n = (long double)l->n_red, eps = epsilon_of(d);
    long double magnitude = 0, m_re = 0, m_im = 0, spread = 0, top = -(long double)INFINITY;
    uint64_t whole = op == PROD || op == ALL_OF ? 1 : 0;
    wide v = {op == PROD ? 1 : 0, 0, 0};
    for (int64_t j = 0; j < l->n_red; j++) {
        wide x = load_wide(d, l->first + i * l->acc_step + j * l->red_step);
        bool truth = x.whole != 0 || x.re != 0 || x.im != 0;
        bool nan = x.re != x.re;
        if (op == ANY) whole |= truth;
        if (op == ALL_OF) whole &= truth;
        if (op == SUM) whole += (uint64_t)x.whole;
        if (op == PROD) whole *= (uint64_t)x.whole;
        if (op == PROD) {
            wide y = v;
            v.re = is_complex(d) ? y.re * x.re - y.im * x.im : y.re * x.re;
            v.im = is_complex(d) ? y.re * x.im + y.im * x.re : 0;
        } else {
            v.re += x.re;
            v.im += x.im;
        }
        magnitude += fabsl(x.re) + fabsl(x.im);
        if (op == MAX || op == MIN) {
            bool best = a.at < 0 || (nan && a.value.re == a.value.re) ||
                        (op == MAX ? x.re > a.value.re : x.re < a.value.re);
            if (best) a.value = x, a.at = j;
        }
        if (x.re > top) top = x.re;
    }
    if (op == MAX || op == MIN) return a;
    m_re = v.re / n, m_im = v.im / n;
    if (op == VAR || op == STD) {
        for (int64_t j = 0; j < l->n_red; j++) {
            wide x = load_wide(d, l->first + i * l->acc_step + j * l->red_step);
            spread += (x.re - m_re) * (x.re - m_re) + (x.im - m_im) * (x.im - m_im);
        }
        long double rest = n - (long double)correction;
        v.re = spread / (rest > 0 ? rest : 0), v.im = 0;
        if (op == STD) v.re = sqrtl(v.re);
        /* One rounding of the result, and of the sums in double: 1,024 elements of a block,
         * shifted. */
        a.bound = v.re * (2 * eps + 0x1p-41L);
    } else if (op == LSE && is_complex(d)) { /* angles below 1: nothing cancels */
        wide sum = {0, 0, 0};
        for (int64_t j = 0; j < l->n_red; j++) {
            wide x = load_wide(d, l->first + i * l->acc_step + j * l->red_step);
            sum.re += expl(x.re - top) * cosl(x.im);
            sum.im += expl(x.re - top) * sinl(x.im);
        }
        v.re = l->n_red ? top + logl(hypotl(sum.re, sum.im)) : -(long double)INFINITY;
        v.im = atan2l(sum.im, sum.re);
        a.bound = (fabsl(v.re) + fabsl(v.im) + 8) * (2 * eps + n * 0x1p-52L);
    } else if (op == LSE) {
        long double sum = 0;
        for (int64_t j = 0; j < l->n_red; j++) {
            wide x = load_wide(d, l->first + i * l->acc_step + j * l->red_step);
            sum += expl(x.re - (isinf(top) ? 0 : top));
        }
        v.re = sum != sum ? sum : isinf(top) ? top : top + logl(sum);
        a.bound =
            (2 * fabsl(v.re) + 64) * (d == NOMEN_F64 ? 0x1p-53L : 0x1p-24L) + 2 * fabsl(v.re) * eps;
    } else if (op == PROD) {
        a.bound = (hypotl(v.re, v.im)) * (2 * eps + n * 0x1p-51L);
    } else {
        /* Additions in a row within a block: 40 at most, whatever the length. */
        long double lanes = d == NOMEN_F64 || d == NOMEN_C128 ? 0x1p-53L : 0x1p-24L;
        a.bound = 40 * lanes * magnitude;
        if (op == MEAN) v.re /= n, v.im /= n, a.bound /= n;
        a.bound += 2 * eps * (fabsl(v.re) + fabsl(v.im));
    }
    a.bound += tiny_of(d);
    v.re = overflow_as(d, v.re);
    a.value = v;
    a.value.whole = (int64_t)whole;
    return a;
}

/* ---- one run --------------------------------------------------------------------------------- */

/* cuts: 0 one step; 1 three steps; 2 three partial results, merged; 3 the same by an uneven cut. */
static void run_reducer(const nomen__reducer *r, const layout *l, int cuts, double correction,
                        char *value, int64_t *at, int64_t value_step) {
    const size_t bytes = (size_t)l->n_acc * r->acc_bytes;
    const int64_t points[2][4] = {{0, l->n_red / 3, l->n_red - l->n_red / 3, l->n_red},
                                  {0, l->n_red > 0, l->n_red - (l->n_red > 1), l->n_red}};
    const int64_t *cut = points[cuts == 3];
    char *acc = guarded_new(bytes), *part = guarded_new(bytes);
    nomen__reduce_step s = {.in = l->first,
                            .n_acc = l->n_acc,
                            .acc_step = l->acc_step,
                            .n_red = l->n_red,
                            .red_step = l->red_step,
                            .index_step = 1};
    r->init(acc, l->n_acc);
    if (cuts == 0) {
        r->step(acc, &s);
    } else {
        for (int c = 0; c < 3; c++) {
            s.in = l->first + cut[c] * l->red_step;
            s.n_red = cut[c + 1] - cut[c];
            s.index0 = cut[c];
            if (cuts == 1) {
                r->step(acc, &s);
            } else {
                r->init(part, l->n_acc);
                r->step(part, &s);
                r->merge(acc, part, l->n_acc);
            }
        }
    }
    char *out[2] = {value, (char *)at};
    const int64_t out_step[2] = {value_step, 8};
    const nomen__reduce_param p = {l->n_red, correction};
    r->finish(out, out_step, acc, l->n_acc, &p);
    assert_true(guarded_intact(acc, bytes) && guarded_intact(part, bytes));
    guarded_free(acc);
    guarded_free(part);
}

/* The same bits, but for those of NaN. */
static bool same_part(long double a, long double b) {
    return a != a ? b != b : a == b && signbit(a) == signbit(b);
}
static bool same_parts(nomen_dtype d, const char *one, const char *other) {
    const wide a = load_wide(d, one), b = load_wide(d, other);
    return a.whole == b.whole && same_part(a.re, b.re) && same_part(a.im, b.im);
}

/* Even cuts: variances with correction 1, odd ones: 0; wants[] accordingly. */
static void check_layout(int op, nomen_dtype d, const layout *l, int how, int pattern, int cuts,
                         const answer *wants) {
    const double correction = cuts % 2 ? 0 : 1;
    const nomen_dtype od = out_dtype(op, d);
    const int64_t size = dtype_size[od], bytes = 2 * size * l->n_acc;
    char *value[2] = {guarded_new((size_t)bytes), guarded_new((size_t)bytes)};
    char *at[2] = {guarded_new((size_t)l->n_acc * 8), guarded_new((size_t)l->n_acc * 8)};
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        char *v = value[isa > 0];
        int64_t *pos = (int64_t *)(void *)at[isa > 0];
        run_reducer(find_kernel(isa, reducers[op].name, d)->reducer, l, cuts, correction, v, pos,
                    2 * size);
        assert_true(guarded_intact(v, (size_t)bytes) &&
                    guarded_intact((char *)pos, (size_t)l->n_acc * 8));
        for (int64_t i = 0; i < l->n_acc; i++) {
            const char *got_at = v + 2 * i * size;
            wide got = load_wide(od, got_at);
            answer want = wants[i];
            bool ok = kind_of(od) <= I ? got.whole == want.value.whole
                                       : close_to(got.re, want.value.re, want.bound) &&
                                             close_to(got.im, want.value.im, want.bound);
            /* An infinite part makes a complex product's parts inf or NaN, by the order of the
             * factors. */
            if (op == PROD && is_complex(d) &&
                !(fabsl(want.value.re) + fabsl(want.value.im) <= 1e30L))
                ok = !(fabsl(got.re) + fabsl(got.im) <= 1e30L);
            if (op == LSE) ok = ok || !long_double_is_wide();
            if (op == MAX || op == MIN) ok = ok && pos[i] == want.at;
            bool same = op == LSE || isa == 0 || same_parts(od, got_at, value[0] + 2 * i * size);
            if (!ok || !same)
                fail_msg("%s %s %s: %lld of %lld by %lld, layout %d, pattern %d, cuts %d: "
                         "%.20Lg%+.20Lgi (%lld), "
                         "wanted %.20Lg%+.20Lgi (%lld) within %.3Lg%s",
                         all_isas[isa].name, reducers[op].name, dtype_names[d], (long long)i,
                         (long long)l->n_acc, (long long)l->n_red, how, pattern, cuts, got.re,
                         got.im, (long long)pos[i], want.value.re, want.value.im,
                         (long long)want.at, want.bound, same ? "" : ", and as scalar");
        }
    }
    for (int k = 0; k < 2; k++) {
        guarded_free(value[k]);
        guarded_free(at[k]);
    }
}

static void check_cuts(int op, nomen_dtype d, int64_t n_acc, int64_t n_red, int how, int pattern) {
    if (!is_chosen()) return;
    layout l = new_layout(d, n_acc, n_red, how, pattern);
    answer *wants = malloc((size_t)n_acc * sizeof(answer));
    assert_non_null(wants);
    for (int odd = 0; odd < 2; odd++) {
        if (odd == 0 || op == VAR || op == STD)
            for (int64_t i = 0; i < n_acc; i++) wants[i] = reference(op, d, &l, i, odd ? 0 : 1);
        for (int cuts = odd; cuts < 4; cuts += 2)
            check_layout(op, d, &l, how, pattern, cuts, wants);
    }
    free(wants);
    free(l.block);
}

/* In two of the six layouts: the callers' sizes and patterns bring them all round. */
static void check_shape(int op, nomen_dtype d, int64_t n_acc, int64_t n_red, int pattern) {
    static int turn = 0;
    if ((op == MAX || op == MIN || op == MEAN) && n_red == 0)
        return; /* checked before kernels run */
    for (int k = 0; k < 2; k++) check_cuts(op, d, n_acc, n_red, turn++ % LAYOUTS, pattern);
    turn += (int)(random_bits() % 3u);
}

static bool applies(int op, nomen_dtype d, int pattern) {
    if (!(reducers[op].kinds & kind_of(d))) return false;
    /* Products of many random numbers vanish; those of whole numbers do not care. */
    if (op == PROD && is_complex(d) && (pattern == INFS || pattern == ZEROS)) return true;
    if (op == PROD && kind_of(d) >= F) return pattern == NEAR_ONE || pattern == NANS;
    /* what is not finite stands in tests/python/test_complex.py */
    if (op == LSE && is_complex(d)) return pattern < NANS || pattern > MINUS_INFS;
    return true;
}

static void test_short(void **state) {
    (void)state;
    static const int64_t accs[] = {1, 3, 9, 33};
    for (int op = 0; op < REDUCERS; op++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
            for (int64_t n = 0; n <= 67; n++) {
                int pattern = (int)(random_bits() % PATTERNS);
                if (op == PROD && kind_of(d) >= F) pattern = NEAR_ONE;
                if (applies(op, d, pattern)) check_shape(op, d, accs[n % COUNT(accs)], n, pattern);
            }
}

static void test_patterns(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 200}, {5, 131}, {17, 40},
                                        {70, 12}, {256, 5}, {40, 300}};
    for (int op = 0; op < REDUCERS; op++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
            for (int pattern = 0; pattern < PATTERNS; pattern++)
                for (int k = 0; k < COUNT(shapes); k++)
                    if (applies(op, d, pattern))
                        check_shape(op, d, shapes[k][0], shapes[k][1], pattern);
}

static void test_long(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1000}, {1, 2049}, {16, 1000}, {1, 100000}};
    for (int op = 0; op < REDUCERS; op++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
            for (int k = 0; k < COUNT(shapes); k++) {
                int pattern = op == PROD ? NEAR_ONE : op == ALL_OF ? TIES : k % 2 ? OFFSET : MIXED;
                if (op == PROD && k == 3) continue; /* out of every range */
                if (!(reducers[op].kinds & kind_of(d))) continue;
                check_cuts(op, d, shapes[k][0], shapes[k][1], k % 2 ? ROWS : COLUMNS, pattern);
            }
}

/* Few columns of small integers, which fill parts of vectors, and rows of eight and 16 turned over.
 */
static void test_few(void **state) {
    (void)state;
    static const int64_t columns[] = {4, 7, 8, 12, 16, 25, 31, 32, 40, 63, 64, 127, 128};
    static const int64_t rows[][2] = {{8, 8}, {16, 8}, {37, 8}, {40, 16}, {130, 9}};
    for (int op = 0; op < REDUCERS; op++)
        for (nomen_dtype d = NOMEN_BOOL; d <= NOMEN_I32; d++) {
            if (!(reducers[op].kinds & kind_of(d))) continue;
            for (int k = 0; k < COUNT(columns); k++)
                check_cuts(op, d, columns[k], 9 + k, COLUMNS, k % 2 ? TIES : MIXED);
            for (int k = 0; k < COUNT(rows); k++)
                check_cuts(op, d, rows[k][0], rows[k][1], ROWS, k % 2 ? TIES : MIXED);
        }
}

/* Columns of complex numbers beside those that fill a vector, and rows beside those that are turned
 * over: an infinite number or a zero comes to the same there as in a vector. */
static void test_products_beside_vectors(void **state) {
    (void)state;
    for (nomen_dtype d = NOMEN_C64; d <= NOMEN_C128; d++)
        for (int64_t n_acc = 1; n_acc <= 18; n_acc++)
            for (int how = 0; how < LAYOUTS; how++)
                for (int64_t n_red = 1; n_red <= 16; n_red++)
                    check_cuts(PROD, d, n_acc, n_red, how, n_red % 2 ? INFS : ZEROS);
}

/* As many accumulators as a reducer takes at a time, and some fewer, in every layout. */
static void test_most(void **state) {
    (void)state;
    for (int op = 0; op < REDUCERS; op++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            const nomen__kernel *k = find_kernel(0, reducers[op].name, d);
            for (int how = 0; k && how < LAYOUTS; how++) {
                const int64_t most = k->reducer->acc_most;
                check_cuts(op, d, most, 2 + how, how, op == PROD ? NEAR_ONE : MIXED);
                check_cuts(op, d, most - 77, 6, how, op == PROD ? NEAR_ONE : TIES);
            }
            if (k) check_cuts(op, d, k->reducer->acc_most, 133, COLUMNS, NEAR_ONE);
        }
}

/* Steps in any order, and positions that run backwards: the smallest position of equals must win.
 */
static void test_positions(void **state) {
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        for (nomen_dtype d = NOMEN_BOOL; d <= NOMEN_F64 && isa_runs(isa); d++)
            for (int op = MAX; op <= MIN; op++)
                for (int how = ROWS; how <= COLUMNS; how++) {
                    const nomen__reducer *r = find_kernel(isa, reducers[op].name, d)->reducer;
                    layout l = new_layout(d, 20, 90, how, how == ROWS ? TIES : NANS);
                    char acc[20 * NOMEN__ACC_BYTES] __attribute__((aligned(64)));
                    int64_t at[20];
                    /* The last third first, and each third from its end. */
                    r->init(acc, 20);
                    for (int c = 2; c >= 0; c--) {
                        nomen__reduce_step s = {.in = l.first + (30 * c + 29) * l.red_step,
                                                .n_acc = 20,
                                                .acc_step = l.acc_step,
                                                .n_red = 30,
                                                .red_step = -l.red_step,
                                                .index0 = 30 * c + 29,
                                                .index_step = -1};
                        r->step(acc, &s);
                    }
                    char *out[2] = {NULL, (char *)at};
                    r->finish(out, (const int64_t[2]){0, 8}, acc, 20,
                              &(nomen__reduce_param){90, 0});
                    for (int i = 0; i < 20; i++)
                        assert_int_equal(at[i], reference(op, d, &l, i, 0).at);
                    free(l.block);
                }
}

/* The error of a sum must not grow with its length: a million tenths in float32. */
static void test_accuracy(void **state) {
    (void)state;
    enum { N = 1 << 20 };
    float *x = malloc(N * sizeof(float)), sum = 0;
    assert_non_null(x);
    for (int i = 0; i < N; i++) x[i] = 0.1f;
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        layout l = {1, N, 4, 4, NULL, (char *)x};
        run_reducer(find_kernel(isa, "sum", NOMEN_F32)->reducer, &l, 0, 0, (char *)&sum, NULL, 4);
        assert_true(fabs((double)sum - N * (double)0.1f) <= 0x1p-24 * 4 * N * 0.1);
    }
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_products_beside_vectors),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
