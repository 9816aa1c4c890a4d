/* Scans of every ISA: against a plain loop in long double, in every layout, in pieces, in place;
 * and against the scalar build, bit for bit where no transcendental function is involved. */
#include "reference.h"
#include "sample.h"

/* BEHIND: no gaps between lines; BLOCK: none between levels; GROUPS: blocks of a few lines */
enum { PLAIN, LEVELS, SPREAD, REVERSED, BEHIND, BLOCK, GROUPS, LAYOUTS };

static bool is_best(const char *name) { return !strcmp(name, "cummax") || !strcmp(name, "cummin"); }

static bool is_exact(const char *name) { return strcmp(name, "logcumsumexp") != 0; }

/* What is left of a sum or product of integers in a dtype. */
static wide wrapped_as(nomen_dtype d, uint64_t sum) {
    int64_t left = d == NOMEN_U8    ? (uint8_t)sum
                   : d == NOMEN_I8  ? (int8_t)sum
                   : d == NOMEN_I16 ? (int16_t)sum
                   : d == NOMEN_I32 ? (int32_t)sum
                                    : (int64_t)sum;
    return (wide){(long double)left, 0, left};
}

/* What a plain loop makes of one line. */
static void expect(const char *name, nomen_dtype d, const char *in, int64_t step, int64_t n,
                   wide *want, int64_t *at) {
    const bool whole = !is_float(d) && !is_complex(d);
    wide sum = {0, 0, 0};
    uint64_t own = strcmp(name, "cumprod") == 0;
    int64_t best = 0;
    for (int64_t i = 0; i < n; i++) {
        wide x = load_wide(d, in + i * step);
        if (is_best(name)) {
            long double v = x.re, b = load_wide(d, in + best * step).re;
            if (v != v || (b == b && (name[4] == 'a' ? v >= b : v <= b))) best = i;
            sum = load_wide(d, in + best * step);
            at[i] = best;
        } else if (whole) {
            own = strcmp(name, "cumsum") ? own * (uint64_t)x.whole : own + (uint64_t)x.whole;
            sum = wrapped_as(d, own);
        } else if (!strcmp(name, "cumsum")) {
            sum = (wide){sum.re + x.re, sum.im + x.im, 0};
        } else if (!strcmp(name, "cumprod")) {
            if (i) x = (wide){sum.re * x.re - sum.im * x.im, sum.re * x.im + sum.im * x.re, 0};
            sum = x;
        } else {
            long double most = i && sum.re > x.re ? sum.re : x.re;
            long double before = i ? expl(sum.re - most) : 0, more = expl(x.re - most);
            long double re = before * cosl(sum.im) + more * cosl(x.im);
            long double im = before * sinl(sum.im) + more * sinl(x.im);
            sum = (wide){most + logl(hypotl(re, im)), atan2l(im, re), 0};
        }
        want[i] = sum;
    }
}

/* One run over all lines, cut into pieces of some length, with or without parts. */
static void run(const nomen__scanner *s, nomen__scan_args a, int64_t piece, bool parts) {
    _Alignas(64) static char carry[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES];
    const int64_t n = a.n;
    s->begin(carry, a.lines);
    for (int64_t done = 0; done < n; done += a.n) {
        a.n = n - done < piece ? n - done : piece;
        s->run(carry, &a);
        if (parts && s->join) s->join(carry, carry, a.lines);
        a.in += a.n * a.in_step;
        a.out += a.n * a.out_step;
        a.at += a.n * a.at_step;
        a.index0 += a.n * a.index_step;
    }
}

/* Of so many lines, how many are a group: two to seven. */
static int64_t group_of(int64_t lines) {
    for (int64_t few = 7; few > 1; few--)
        if (lines % few == 0) return few;
    return 0;
}

/* Bytes before line i. */
static int64_t line_at(int64_t i, int64_t n, int64_t few, int64_t row, int64_t e) {
    return few ? (i / few * n * few + i % few) * e : i * row;
}

static void check(const char *name, nomen_dtype d, int64_t lines, int64_t n, int how, int64_t piece,
                  bool in_place) {
    if (!is_chosen()) return;
    const int64_t e = dtype_size[d];
    const int64_t few = how == GROUPS ? group_of(lines) : 0;
    int64_t step = how == LEVELS     ? e * (lines + 1)
                   : how == GROUPS   ? e * few
                   : how == BLOCK    ? e * lines
                   : how == SPREAD   ? 3 * e
                   : how == REVERSED ? -e
                                     : e;
    int64_t row = how == LEVELS || how == BLOCK || how == GROUPS ? e
                  : how == SPREAD                                ? e * 3 * (n + 1)
                  : how == BEHIND                                ? e * n
                                                                 : e * (n + 1);
    if (how == GROUPS && (!few || !find_kernel(0, name, d)->scanner->few)) return;
    const size_t bytes = (size_t)(how == GROUPS ? e * lines * n : e * 3 * (lines + 1) * (n + 2));
    int64_t start = how == REVERSED ? e * (n > 0 ? n - 1 : 0) : 0;
    char *in = guarded_new(bytes), *out = guarded_new(bytes), *keep = malloc(bytes);
    char *scalar = malloc(bytes), *made = malloc(bytes);
    const size_t places = sizeof(int64_t) * (size_t)(lines * n);
    int64_t *at = (void *)guarded_new(places), *at_want = malloc(sizeof *at * (size_t)(n + 1));
    wide *want = malloc(sizeof *want * (size_t)(n + 1));
    assert_true(keep && scalar && made && at && at_want && want);
    double spread = !strcmp(name, "cumprod") ? 0.1 : 1;
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < n; j++) {
            double x = spread * random_unit() + (spread < 1), y = spread * random_unit();
            if (is_best(name) && random_bits() >> 62 == 0) x = (double)(int)(4 * x) / 4;
            if (!is_float(d) && !is_complex(d)) x = (double)(int)(4 * x);
            store_double(d, in + start + line_at(i, n, few, row, e) + j * step, x, y);
        }
    memcpy(keep, in, bytes);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        memcpy(in, keep, bytes);
        memset(out, GUARD_BYTE, bytes);
        char *to = in_place ? in : out;
        const nomen__scanner *s = find_kernel(isa, name, d)->scanner;
        nomen__scan_args a = {.out = to + start,
                              .at = (char *)at,
                              .in = in + start,
                              .n = n,
                              .in_step = step,
                              .out_step = step,
                              .at_step = few            ? 8 * few
                                         : how == BLOCK ? 8 * lines
                                                        : 8,
                              .lines = few ? few : lines,
                              .in_row = row,
                              .out_row = row,
                              .at_row = few || how == BLOCK ? 8 : 8 * n,
                              .index_step = 1,
                              .groups = few ? lines / few : 0,
                              .in_group = few * n * e,
                              .out_group = few * n * e};
        run(s, a, few < lines && few ? n + 1 : piece, piece < n && !few);
        assert_true(guarded_intact((char *)at, places));
        assert_true(guarded_intact(in, bytes) && guarded_intact(out, bytes));
        if (s->whole && piece >= n) { /* without carries: the same bits */
            memcpy(made, to, bytes);
            memcpy(in, keep, bytes);
            memset(out, GUARD_BYTE, bytes);
            s->whole(&a);
            assert_true(guarded_intact(in, bytes) && guarded_intact(out, bytes));
            assert_memory_equal(made, to, bytes);
        }
        if (isa == 0) memcpy(scalar, to, bytes);
        if (is_exact(name)) assert_memory_equal(scalar, to, bytes);
        for (int64_t i = 0; i < lines; i++) {
            const int64_t line = line_at(i, n, few, row, e);
            expect(name, d, keep + start + line, step, n, want, at_want);
            for (int64_t j = 0; j < n; j++) {
                wide got = load_wide(d, to + start + line + j * step);
                const int64_t place = few            ? line / e + j * few
                                      : how == BLOCK ? i + j * lines
                                                     : i * n + j;
                if (is_best(name)) assert_int_equal(at[place], at_want[j]);
                /* roundings in double (float64: of every element), one into the dtype */
                long double terms = (long double)(j + 1),
                            eps = 0x1p-53L * terms * terms + epsilon_of(d);
                if (!is_float(d) && !is_complex(d)) eps = 0;
                long double bound =
                    (fabsl(want[j].re) + fabsl(want[j].im) + (eps != 0 ? 1 : 0)) * eps;
                if (!close_to(got.re, overflow_as(d, want[j].re), bound + 2 * tiny_of(d)) ||
                    !close_to(got.im, want[j].im, bound + 2 * tiny_of(d)))
                    fail_msg("%s %s %s: [%lld, %lld] of [%lld, %lld], layout %d, pieces of %lld, "
                             "in place %d: %.20Lg %+.20Lgi, wanted %.20Lg %+.20Lgi",
                             all_isas[isa].name, name, dtype_names[d], (long long)i, (long long)j,
                             (long long)lines, (long long)n, how, (long long)piece, in_place,
                             got.re, got.im, want[j].re, want[j].im);
            }
        }
        if (!in_place) assert_memory_equal(in, keep, bytes);
    }
    guarded_free(in);
    guarded_free(out);
    free(keep);
    free(scalar);
    free(made);
    guarded_free((char *)at);
    free(at_want);
    free(want);
}

static const char *const names[] = {"cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"};

static void check_all(int64_t lines, int64_t n) {
    for (int k = 0; k < COUNT(names); k++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            if (d == NOMEN_BOOL || !find_kernel(0, names[k], d)) continue;
            for (int how = 0; how < LAYOUTS; how++) {
                bool in_place = random_bits() >> 60 & 1u;
                int64_t piece = random_bits() >> 60 & 1u ? n + 1 : n / 3 + 1;
                check(names[k], d, lines, n, how, piece, in_place);
            }
        }
}

static void test_sizes(void **state) {
    (void)state;
    static const int64_t lines[] = {1, 2, 8, 9, 33};
    for (int64_t n = 0; n <= 70; n += n < 20 ? 1 : 7) check_all(lines[n % COUNT(lines)], n);
    for (int64_t n = 2; n <= 9; n++) check_all(21, n); /* five whole vectors and one line */
    check_all(1, 1500);
    check_all(1, 2056);
    check_all(256, 5);
    check_all(20, 130);
    check_all(25, 300);
    check_all(43, 39); /* squares and vectors that are not full */
    check_all(8, 24);
    for (int64_t few = 2; few < 8; few++) { /* of groups, shorter and longer than runs of sums */
        check_all(few, 300);
        check_all(few * 11, 9);
        check_all(few, 2);
    }
}

static void test_table(void **state) {
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            bool inexact = is_float(d) || is_complex(d);
            assert_int_equal(find_kernel(isa, "cumsum", d) != NULL, d != NOMEN_BOOL);
            assert_int_equal(find_kernel(isa, "cumprod", d) != NULL, d != NOMEN_BOOL);
            assert_int_equal(find_kernel(isa, "cummax", d) != NULL, !is_complex(d));
            assert_int_equal(find_kernel(isa, "cummin", d) != NULL, !is_complex(d));
            assert_int_equal(find_kernel(isa, "logcumsumexp", d) != NULL, inexact);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
