/* Values looked up in sorted rows, with every ISA, against a search from one end to the other: all
 * lengths up to some vectors of samples, longer ones, values that are equal, NaN, infinities and
 * the largest integers, strides. Rows that are not sorted give some place in them. */
#include "reference.h"
#include "sample.h"

enum { SORTED, EQUAL, SPECIAL, MIXED, PATTERNS };

static bool is_integer(nomen_dtype d) { return d > NOMEN_BOOL && d <= NOMEN_I64; }

static double value_of(nomen_dtype d, int pattern) {
    const double bottom = d == NOMEN_U8 || d == NOMEN_BOOL ? 0 : -100;
    const double x = d == NOMEN_BOOL ? (double)(random_bits() >> 63) : floor(100 * random_unit());
    if (pattern == EQUAL) return 1;
    if (pattern == SPECIAL && random_bits() % 4 == 0) {
        static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
        if (is_float(d)) return special[random_bits() % 4];
    }
    return x < bottom ? -x : x;
}

/* The largest integers, as far as double can hold them, are written as bits. */
static void put(nomen_dtype d, char *p, int pattern) {
    store_double(d, p, value_of(d, pattern), 0);
    if (pattern == SPECIAL && is_integer(d) && random_bits() % 4 == 0) {
        const uint64_t sign = (uint64_t)1 << (8 * dtype_size[d] - 1);
        uint64_t x = random_bits() % 2 || d == NOMEN_U8 ? sign - 1 : sign;
        memcpy(p, &x, (size_t)dtype_size[d]);
    }
}

/* NaN is larger than every number. */
static bool is_less(nomen_dtype d, const char *a, const char *b) {
    const long double x = load_wide(d, a).re, y = load_wide(d, b).re;
    return isnan(x) ? false : isnan(y) || x < y;
}
static nomen_dtype order_dtype;
static int by_value(const void *a, const void *b) {
    return (int)is_less(order_dtype, b, a) - (int)is_less(order_dtype, a, b);
}

static void check(nomen_dtype d, int64_t length, int64_t n, int pattern, int64_t apart) {
    if (!is_chosen()) return;
    const int64_t e = dtype_size[d];
    char *row = guarded_new((size_t)(length * e)), *spread = malloc((size_t)(length * e * 3 + 1)),
         *value = guarded_new((size_t)(n * e * 2)), *out = guarded_new((size_t)(n * 8));
    assert_non_null(spread);
    for (int64_t i = 0; i < length; i++) put(d, row + i * e, pattern);
    for (int64_t i = 0; i < 2 * n; i++) put(d, value + i * e, pattern);
    order_dtype = d;
    if (pattern != MIXED) qsort(row, (size_t)length, (size_t)e, by_value);
    for (int64_t i = 0; i < length; i++) memcpy(spread + i * e * apart, row + i * e, (size_t)e);
    for (int isa = 0; isa < ISAS; isa++)
        for (int right = 0; right < 2 && isa_runs(isa); right++) {
            const int64_t values = apart == 1 ? e : 2 * e;
            char *const ptr[] = {out, value, apart == 1 ? row : spread};
            const int64_t step[] = {8, values, e * apart, length, right};
            memset(out, GUARD_BYTE, (size_t)(n * 8));
            find_kernel(isa, "search", d)->loop(ptr, step, n);
            assert_true(guarded_intact(out, (size_t)(n * 8)));
            for (int64_t i = 0; i < n; i++) {
                const char *x = value + i * values;
                int64_t got, want = 0, end = length;
                memcpy(&got, out + i * 8, 8);
                assert_true(got >= 0 && got <= length);
                while (want < end) {
                    const int64_t middle = want + (end - want) / 2;
                    const char *other = row + middle * e;
                    if (right ? !is_less(d, x, other) : is_less(d, other, x))
                        want = middle + 1;
                    else
                        end = middle;
                }
                if (pattern != MIXED && got != want)
                    fail_msg("%s %s: value %lld of %lld in a row of %lld, pattern %d, right %d: "
                             "%lld, wanted %lld",
                             all_isas[isa].name, dtype_names[d], (long long)i, (long long)n,
                             (long long)length, pattern, right, (long long)got, (long long)want);
            }
        }
    guarded_free(row);
    guarded_free(value);
    guarded_free(out);
    free(spread);
}

static void check_all(int64_t length, int64_t n) {
    for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
        if (d > NOMEN_BOOL && !is_integer(d) && !is_float(d)) continue;
        for (int pattern = 0; pattern < PATTERNS; pattern++) check(d, length, n, pattern, 1);
        check(d, length, n, SPECIAL, 3);
    }
}

static void test_lengths(void **state) {
    (void)state;
    for (int64_t length = 0; length <= 300; length++) check_all(length, 15 + length % 9);
}

/* Where a level of samples begins, and where there are too many of them. */
static void test_long(void **state) {
    (void)state;
    static const int64_t around[] = {512, 2048, 4096, 16384, 32768, 61440, 65536};
    static const nomen_dtype kinds[] = {NOMEN_I32, NOMEN_I64, NOMEN_F32, NOMEN_F64};
    for (int k = 0; k < COUNT(around); k++)
        for (int j = 0; j < COUNT(kinds); j++) {
            check(kinds[j], around[k] - 1, 2500, SORTED, 1);
            check(kinds[j], around[k], 2500, SPECIAL, 1);
            check(kinds[j], around[k] + 17, 2500, MIXED, 1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
