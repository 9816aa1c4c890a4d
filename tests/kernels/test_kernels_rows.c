/* softmax and log_softmax of every ISA against a naive reference, in every layout, also in place.
 */
#include "reference.h"
#include "sample.h"

static const nomen_dtype floats[] = {NOMEN_F16, NOMEN_BF16, NOMEN_F32, NOMEN_F64};
enum { STRAIGHT, TURNED, SPREAD, REVERSED, LAYOUTS };
enum { PLAIN, LARGE, DEEP, WITH_NAN, WITH_INF, MINUS_INF, ALL_MINUS_INF, PATTERNS };

static void fill(nomen_dtype d, char *p, int pattern, int64_t i) {
    double x = 4 * random_unit();
    if (pattern == LARGE) x = 60000 * random_unit();
    /* exponentials down to the least subnormal number */
    if (pattern == DEEP) x = i % 3 ? -(d == NOMEN_F64 ? 760 : 106) * fabs(random_unit()) : 0;
    if (pattern == WITH_NAN && i % 7 == 3) x = NAN;
    if (pattern == WITH_NAN && i % 14 == 3) { /* all bits set: arithmetic on them shows */
        memset(&x, 0xff, sizeof x);
        x = copysign(x, 1);
    }
    if (pattern == WITH_INF && i % 9 == 2) x = INFINITY;
    if (pattern == MINUS_INF && i % 3 != 1) x = -INFINITY;
    if (pattern == ALL_MINUS_INF) x = -INFINITY;
    store_double(d, p, x, 0);
}

static void check(const char *name, nomen_dtype d, int64_t rows, int64_t n, int how, int pattern,
                  bool in_place) {
    if (!is_chosen()) return;
    const bool logs = name[0] == 'l';
    const int64_t e = dtype_size[d];
    int64_t step = how == TURNED     ? e * (rows + 1)
                   : how == SPREAD   ? 2 * e
                   : how == REVERSED ? -e
                                     : e;
    int64_t row = how == TURNED ? e : how == SPREAD ? e * (2 * n + 1) : e * n;
    const size_t bytes = (size_t)(e * (rows + 1) * (2 * n + 2));
    int64_t start = how == REVERSED ? e * (n > 0 ? n - 1 : 0) : 0;
    char *in = guarded_new(bytes), *out = guarded_new(bytes), *keep = malloc(bytes);
    assert_non_null(keep);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++)
            fill(d, in + start + r * row + i * step, pattern, r % 2 ? i : i + 1);
    memcpy(keep, in, bytes);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memcpy(in, keep, bytes);
        memset(out, GUARD_BYTE, bytes);
        char *to = in_place ? in : out;
        const nomen__kernel *kernel = find_kernel(isa, name, d);
        const bool room = n > kernel->rows_scratch.least && isa % 2 == in_place;
        const size_t need = room ? ((size_t)n * sizeof(float) + 63) / 64 * 64 : 0;
        char *scratch = guarded_new(need);
        nomen__rows_args a = {.out = to + start,
                              .in = in + start,
                              .n = n,
                              .in_step = step,
                              .out_step = step,
                              .rows = rows,
                              .in_row = row,
                              .out_row = row,
                              .wide = room ? scratch : NULL};
        kernel->rows(&a);
        assert_true(guarded_intact(scratch, need));
        guarded_free(scratch);
        assert_true(guarded_intact(in, bytes) && guarded_intact(out, bytes));
        for (int64_t r = 0; r < rows; r++) {
            long double top = -(long double)INFINITY, sum = 0;
            for (int64_t i = 0; i < n; i++) {
                long double x = load_wide(d, keep + start + r * row + i * step).re;
                if (x > top) top = x;
            }
            for (int64_t i = 0; i < n; i++)
                sum += expl(load_wide(d, keep + start + r * row + i * step).re - top);
            for (int64_t i = 0; i < n; i++) {
                long double x = load_wide(d, keep + start + r * row + i * step).re - top;
                long double want = logs ? x - logl(sum) : expl(x) / sum;
                long double got = load_wide(d, to + start + r * row + i * step).re;
                /* In f32 (f64): x - top is rounded, which exp turns into a relative error; then a
                 * few roundings. */
                long double eps = d == NOMEN_F64 ? 0x1p-53L : 0x1p-24L, own = epsilon_of(d);
                long double bound = logs
                                        ? (fabsl(x) + 4 + fabsl(want)) * 3 * eps + fabsl(want) * own
                                        : want * ((fabsl(x) + 40) * eps + own);
                if (!close_to(got, overflow_as(d, want), bound + 2 * tiny_of(d)))
                    fail_msg("%s %s %s: [%lld, %lld] of [%lld, %lld], layout %d, pattern %d, in "
                             "place %d: %.20Lg, "
                             "wanted %.20Lg",
                             all_isas[isa].name, name, dtype_names[d], (long long)r, (long long)i,
                             (long long)rows, (long long)n, how, pattern, in_place, got, want);
            }
        }
        /* What lies between the results must be as it was. */
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = 0; i < n; i++)
                memset(to + start + r * row + i * step, GUARD_BYTE, (size_t)e);
        if (in_place)
            for (int64_t r = 0; r < rows; r++)
                for (int64_t i = 0; i < n; i++)
                    memset(keep + start + r * row + i * step, GUARD_BYTE, (size_t)e);
        if (!in_place) {
            assert_true(is_untouched(out, bytes));
            assert_memory_equal(in, keep, bytes);
        } else {
            assert_memory_equal(in, keep, bytes);
            memcpy(keep, in, bytes);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t i = 0; i < n; i++)
                    fill(d, keep + start + r * row + i * step, pattern, r % 2 ? i : i + 1);
        }
    }
    guarded_free(in);
    guarded_free(out);
    free(keep);
}

static void check_all(int64_t rows, int64_t n, int pattern) {
    for (int k = 0; k < COUNT(floats); k++)
        for (int how = 0; how < LAYOUTS; how++) {
            bool in_place = random_bits() >> 60 & 1u;
            check("softmax", floats[k], rows, n, how, pattern, in_place);
            check("log_softmax", floats[k], rows, n, how, pattern, !in_place);
        }
}

static void test_sizes(void **state) {
    (void)state;
    static const int64_t rows[] = {1, 2, 9, 20, 67};
    for (int64_t n = 0; n <= 67; n++) check_all(rows[n % COUNT(rows)], n, PLAIN);
    check_all(300, 5, PLAIN);
    check_all(2, 900, PLAIN);
    check_all(5, 400, PLAIN);
    check_all(15, 300, PLAIN);
    check_all(20, 300, PLAIN);
    check_all(70, 300, PLAIN);
    check_all(40, 512, PLAIN);
    check_all(70, 1025, PLAIN);
    check_all(256, 20, PLAIN);
    check_all(3, 1000, PLAIN);
    for (int again = 0; again < 4; again++) check_all(2, 8190 + again * 9, PLAIN);
    for (int again = 0; again < 4; again++) check_all(1, 20000, PLAIN);
    check_all(0, 3, PLAIN);
}

static void test_special(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {3, 40}, {40, 6}, {40, 33}, {2, 1500}, {6, 200}};
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int k = 0; k < COUNT(shapes); k++) check_all(shapes[k][0], shapes[k][1], pattern);
}

static void test_table(void **state) {
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            assert_int_equal(find_kernel(isa, "softmax", d) != NULL, is_float(d));
            assert_int_equal(find_kernel(isa, "log_softmax", d) != NULL, is_float(d));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
