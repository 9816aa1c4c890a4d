/* Order statistics of every ISA against a naive reference: every dtype and layout, short keys and
 * wide ones, with ties, zeros of both signs, NaN and infinities. */
#include "reference.h"
#include "sample.h"

enum { STRAIGHT, TURNED, SPREAD, REVERSED, LAYOUTS };
enum { MIXED, TIES, SORTED, BACKWARDS, ALL_NAN, HALVES, ANY, CLOSE, PATTERNS };

static const char *const kernels[] = {"sort", "topk", "kthvalue", "median", "nanmedian", "mode"};

static void fill(nomen_dtype d, char *p, int pattern, int64_t i) {
    double x = 3e4 * random_unit();
    if (pattern == TIES) x = (double)(int64_t)(3 * random_unit());
    if (pattern == SORTED) x = (double)(i / 3);
    if (pattern == BACKWARDS) x = (double)-i;
    if (d == NOMEN_U8) x = fabs(x);
    if (dtype_size[d] == 1) x = fmod(x, 128);
    if (is_float(d) && pattern <= TIES) {
        uint64_t r = random_bits() % 64;
        if (r == 0) x = (double)NAN;
        if (r == 1) x = (double)INFINITY;
        if (r == 2) x = -(double)INFINITY;
        if (r < 8 && r > 2) x = r % 2 ? 0.0 : -0.0;
    }
    if (is_float(d) && pattern == ALL_NAN) x = (double)NAN;
    if (pattern == HALVES) { /* of 64 bits the upper ones are shared by many */
        const uint64_t r = random_bits();
        x = (double)(1 + r % 3) + (double)(r >> 44) * 0x1p-50;
    }
    if (pattern == ANY) x = ldexp(random_unit(), (int)(random_bits() % 40));
    const uint64_t group = (uint64_t)i * 7 % 64, low = random_bits() >> 44;
    if (pattern == CLOSE) /* groups that differ in their last bits alone */
        x = (double)(1 + group) +
            (dtype_size[d] == 8 ? (double)low * 0x1p-46 : (double)(low % 16) * 0x1p-17);
    if (d == NOMEN_I32 && pattern == CLOSE) x = (double)((group << 25) + low % 16);
    store_double(d, p, x, 0);
    if (d == NOMEN_I64 && pattern == CLOSE) {
        const uint64_t y = (group << 56) + low;
        memcpy(p, &y, sizeof y);
    }
    if (d == NOMEN_I64 && pattern == ANY) {
        const uint64_t r = random_bits();
        memcpy(p, &r, sizeof r);
    }
    if (d == NOMEN_I64 && pattern == HALVES) {
        const uint64_t r = random_bits();
        const int64_t y = (int64_t)((r % 3 << 61) + (r >> 33));
        memcpy(p, &y, sizeof y);
    }
    if (d == NOMEN_I64 && pattern == MIXED) { /* extremes, which no double holds */
        int64_t extremes[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, (int64_t)random_bits()};
        memcpy(p, &extremes[random_bits() % 4], 8);
    }
}

static bool is_nan(const wide *x) { return x->re != x->re; }
static bool same(const wide *a, const wide *b) {
    return (is_nan(a) && is_nan(b)) || (a->re == b->re && a->whole == b->whole);
}
static bool less(const wide *a, const wide *b) {
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return a->re < b->re || (a->re == b->re && a->whole < b->whole);
}

static const wide *compared;
static bool compared_descending;

static int compare(const void *p, const void *q) {
    const int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
    if (less(&compared[a], &compared[b])) return compared_descending ? 1 : -1;
    if (less(&compared[b], &compared[a])) return compared_descending ? -1 : 1;
    return a < b ? -1 : 1;
}

/* at becomes the stable order of x. */
static void order_of(const wide *x, int64_t *at, int64_t n, bool descending) {
    for (int64_t i = 0; i < n; i++) at[i] = i;
    compared = x;
    compared_descending = descending;
    qsort(at, (size_t)n, sizeof *at, compare);
}

static int64_t first_like(const wide *x, int64_t i) {
    int64_t j = 0;
    while (!same(&x[j], &x[i])) j++;
    return j;
}

/* The position that a kernel with one result is to find; at: the ascending order of x. */
static int64_t wanted(const char *name, const wide *x, const int64_t *at, int64_t n, int64_t k) {
    int64_t nans = 0;
    for (int64_t i = 0; i < n; i++) nans += is_nan(&x[i]);
    if (name[0] == 'k') return first_like(x, at[k]);
    if (!strcmp(name, "median")) return first_like(x, at[nans ? n - 1 : (n - 1) / 2]);
    if (!strcmp(name, "nanmedian"))
        return first_like(x, at[nans == n ? n - 1 : (n - nans - 1) / 2]);
    int64_t most = 0, last = 0;
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && same(&x[at[i]], &x[at[j]]);) j++;
        if (j - i > most) {
            most = j - i;
            last = at[j - 1];
        }
    }
    return last;
}

typedef struct layout {
    int64_t step, row, start;
    size_t bytes;
} layout;

static layout layout_of(int how, int64_t e, int64_t rows, int64_t n) {
    layout l = {e, e * n, 0, (size_t)(e * (rows + 1) * (2 * n + 2))};
    if (how == TURNED) l.step = e * (rows + 1), l.row = e;
    if (how == SPREAD) l.step = 2 * e, l.row = e * (2 * n + 1);
    if (how == REVERSED) l.step = -e, l.start = e * (n - 1);
    return l;
}

enum { VALUES = 1, INDICES = 2 };

/* What a row's threads would do, in another order than they might; or all at once. */
static void run(const nomen__order *o, const nomen__order_args *a, char *scratch) {
    for (int phase = 0; a->pieces && phase < NOMEN__ORDER_PHASES; phase++) {
        if (!o->begin(o, a, scratch, phase)) {
            o->run(o, a, scratch);
            return;
        }
        for (int p = a->pieces - 1; p >= 0; p--) o->piece(o, a, scratch, phase, p);
    }
    if (!a->pieces) o->run(o, a, scratch);
}

/* One run against the expected positions (count per row), of the sides that are wanted. */
static void check_run(int isa, const char *name, nomen_dtype d, nomen__order_args a, layout out,
                      layout at, const int64_t *expected, int sides, bool small) {
    const nomen__order *o = find_kernel(isa, name, d)->order;
    char *values = guarded_new(out.bytes), *indices = guarded_new(at.bytes);
    a.values = sides & VALUES ? values + out.start : NULL;
    a.indices = sides & INDICES ? indices + at.start : NULL;
    const size_t need = o->scratch(o, &a);
    char *scratch = guarded_new(need);
    if (!a.pieces) { /* as many rows as there is scratch for, or fewer first */
        nomen__order_args fewer = a;
        fewer.rows = (int64_t)(random_bits() % (uint64_t)(a.rows + 1));
        if (fewer.rows) o->run(o, &fewer, scratch);
        assert_true(guarded_intact(scratch, need));
    }
    if (!small || !o->small(o, &a)) run(o, &a, scratch);
    assert_true(guarded_intact(values, out.bytes) && guarded_intact(indices, at.bytes));
    assert_true(guarded_intact(scratch, need));
    for (int64_t r = 0; r < a.rows; r++)
        for (int64_t j = 0; j < a.count; j++) {
            int64_t want = expected[r * a.count + j], got = want;
            char *value = values + out.start + r * out.row + j * out.step;
            char *index = indices + at.start + r * at.row + j * at.step;
            if (a.indices) memcpy(&got, index, sizeof got);
            if (got != want)
                fail_msg("%s %s %s: row %lld of %lld, result %lld of %lld among %lld, wide %d, "
                         "pieces %d: position %lld, wanted %lld",
                         all_isas[isa].name, name, dtype_names[d], (long long)r, (long long)a.rows,
                         (long long)j, (long long)a.count, (long long)a.n, a.wide, a.pieces,
                         (long long)got, (long long)want);
            if (a.values)
                assert_memory_equal(value, a.in + r * a.in_row + want * a.in_step,
                                    (size_t)dtype_size[d]);
            memset(value, GUARD_BYTE, (size_t)dtype_size[d]);
            memset(index, GUARD_BYTE, sizeof got);
        }
    /* what lies between the results is as it was */
    assert_true(is_untouched(values, out.bytes) && is_untouched(indices, at.bytes));
    guarded_free(values);
    guarded_free(indices);
    guarded_free(scratch);
}

static void check(const char *name, nomen_dtype d, int64_t rows, int64_t n, int64_t k, int how,
                  int pattern) {
    if (!is_chosen()) return;
    const int64_t e = dtype_size[d];
    const bool all = name[0] == 's', some = name[0] == 't';
    const bool descending = (all || some) && random_bits() >> 60 & 1;
    const int64_t count = all ? n : some ? k : 1;
    layout from = layout_of(how, e, rows, n), out = layout_of(how, e, rows, count),
           at = layout_of(how, 8, rows, count);
    char *in = malloc(from.bytes), *keep = malloc(from.bytes);
    wide *x = malloc(sizeof *x * (size_t)(n + 1));
    int64_t *sorted = malloc(8 * (size_t)(n + 1)),
            *expected = malloc(8 * (size_t)(rows * count + 1));
    assert_true(in && keep && x && sorted && expected);
    memset(in, 0, from.bytes);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t i = 0; i < n; i++) {
            char *p = in + from.start + r * from.row + i * from.step;
            fill(d, p, pattern, i + r);
            x[i] = load_wide(d, p);
        }
        order_of(x, sorted, n, descending);
        if (all || some)
            memcpy(expected + r * count, sorted, 8 * (size_t)count);
        else
            expected[r] = wanted(name, x, sorted, n, k - 1);
    }
    memcpy(keep, in, from.bytes);
    nomen__order_args a = {.in = in + from.start,
                           .n = n,
                           .rows = rows,
                           .count = count,
                           .k = k - 1,
                           .in_step = from.step,
                           .value_step = out.step,
                           .index_step = at.step,
                           .in_row = from.row,
                           .value_row = out.row,
                           .index_row = at.row,
                           .descending = descending};
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        const nomen__order *o = find_kernel(isa, name, d)->order;
        for (int w = 0; w < 3; w++) {
            a.wide = w == 1;
            a.pieces = w == 2 ? 1 + (int)(random_bits() % 7) : 0;
            if (a.pieces && !o->shares(o, &a)) continue;
            check_run(isa, name, d, a, out, at, expected, VALUES | INDICES, false);
            check_run(isa, name, d, a, out, at, expected, VALUES, false);
            check_run(isa, name, d, a, out, at, expected, INDICES, false);
            check_run(isa, name, d, a, out, at, expected, VALUES | INDICES, true);
        }
    }
    assert_memory_equal(in, keep, from.bytes);
    free(in);
    free(keep);
    free(x);
    free(sorted);
    free(expected);
}

static void check_all(int64_t rows, int64_t n, int64_t k, int pattern) {
    for (int i = 0; i < COUNT(kernels); i++)
        for (nomen_dtype d = NOMEN_BOOL; d <= NOMEN_F64; d++)
            if (dtype_size[d] >= 4 || pattern != CLOSE)
                check(kernels[i], d, rows, n, k, (int)(random_bits() % LAYOUTS), pattern);
}

static void test_sizes(void **state) {
    (void)state;
    static const int64_t rows[] = {1, 2, 3, 20, 35};
    for (int64_t n = 1; n <= 40; n++)
        check_all(rows[n % COUNT(rows)], n, 1 + (int64_t)(random_bits() % (uint64_t)n),
                  (int)(n % PATTERNS));
}

/* Past every threshold: rows side by side, merging, samples, digits, the bounds and the stream of
 * topk. */
static void test_large(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {
        {2, 255, 100},   {1, 257, 257},  {3, 700, 1},     {17, 1030, 40},  {1, 1500, 3},
        {1, 2100, 700},  {20, 61, 17},   {11, 64, 30},    {5, 200, 50},    {13, 256, 129},
        {9, 131, 60},    {10, 600, 250}, {2, 4500, 9},    {1, 9000, 4200}, {9, 1024, 7},
        {5, 4096, 2000}, {17, 72, 50},   {19, 512, 5},    {3, 700, 40},    {2, 3001, 150},
        {12, 96, 6},     {1, 70000, 30}, {1, 8192, 5000}, {10, 640, 240},  {18, 900, 500}};
    for (int k = 0; k < COUNT(shapes); k++)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            check_all(shapes[k][0], shapes[k][1], shapes[k][2], pattern);
}

/* Rows that are sorted in parts: those of 64 bits, and all if several threads share them. */
static void test_parts(void **state) {
    (void)state;
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (nomen_dtype d = NOMEN_BOOL; d <= NOMEN_F64; d++)
            if (dtype_size[d] == 8 || pattern == MIXED || pattern == ALL_NAN) {
                check("sort", d, 1, 131072 + pattern, 1, (int)(random_bits() % LAYOUTS), pattern);
                if (dtype_size[d] >= 4 && (pattern == MIXED || pattern == CLOSE))
                    check("topk", d, 1, 131072 + pattern, 30000, (int)(random_bits() % LAYOUTS),
                          pattern);
            }
}

static void test_table(void **state) {
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
            for (int i = 0; i < COUNT(kernels); i++)
                assert_int_equal(find_kernel(isa, kernels[i], d) != NULL, !is_complex(d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
