/* Matrix products of every ISA and dtype against a naive reference in wide arithmetic: sizes around
 * every block and tile, steps of any sign, NaN and inf, scratch no larger than announced. */
#include "reference.h"
#include "sample.h"

enum { ROW_MAJOR, A_TURNED, B_TURNED, C_TURNED, PADDED, BACKWARDS, CONSTANT_A, LAYOUTS };
enum { PLAIN, SPECIAL, PATTERNS };

typedef struct matrix {
    char *block, *first;
    size_t bytes;
    int64_t row, col;
} matrix;

/* turned: columns apart by more than rows. gap: elements left out between neighbours. */
static matrix new_matrix(int64_t e, int64_t rows, int64_t cols, bool turned, int64_t gap, bool back,
                         bool constant) {
    matrix x;
    int64_t inner = e * (1 + gap), outer = e * ((turned ? rows : cols) * (1 + gap) + gap);
    x.row = turned ? inner : outer;
    x.col = turned ? outer : inner;
    x.bytes = (size_t)(outer * (turned ? cols : rows) + e);
    x.block = guarded_new(x.bytes);
    x.first = x.block;
    if (back && rows > 0 && cols > 0) {
        x.first = x.block + (rows - 1) * x.row + (cols - 1) * x.col;
        x.row = -x.row, x.col = -x.col;
    }
    if (constant) x.row = 0;
    return x;
}

static void fill(nomen_dtype d, matrix *x, int64_t rows, int64_t cols, int pattern) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            char *p = x->first + i * x->row + j * x->col;
            if (is_float(d) || is_complex(d)) {
                double re = random_unit(), im = random_unit();
                uint64_t die = random_bits() >> 40;
                if (pattern == SPECIAL && die % 29u == 0) re = INFINITY;
                if (pattern == SPECIAL && die % 31u == 0) re = NAN;
                if (pattern == SPECIAL && die % 3u == 0) re = 0;
                store_double(d, p, re, im);
            } else {
                uint64_t bits = random_bits();
                memcpy(p, &bits, (size_t)dtype_size[d]);
            }
        }
}

typedef struct answer {
    wide value;
    long double bound;
} answer;

static answer reference(nomen_dtype d, const matrix *a, const matrix *b, int64_t i, int64_t j,
                        int64_t k) {
    /* A block of k adds at most this often in a row; blocks add their results. */
    const long double times = (long double)((k < 256 ? k : 256) + k / 256 + 4);
    const long double lanes = d == NOMEN_F64 || d == NOMEN_C128 ? 0x1p-53L : 0x1p-24L;
    const bool complex = is_complex(d);
    long double re = 0, im = 0, size = 0;
    uint64_t whole = 0;
    for (int64_t s = 0; s < k; s++) {
        wide x = load_wide(d, a->first + i * a->row + s * a->col);
        wide y = load_wide(d, b->first + s * b->row + j * b->col);
        re += x.re * y.re - (complex ? x.im * y.im : 0);
        if (complex) im += x.re * y.im + x.im * y.re;
        size += (fabsl(x.re) + fabsl(x.im)) * (fabsl(y.re) + fabsl(y.im));
        whole += (uint64_t)x.whole * (uint64_t)y.whole;
    }
    return (answer){{re, im, (int64_t)whole},
                    times * lanes * size + (fabsl(re) + fabsl(im)) * 2 * epsilon_of(d) +
                        tiny_of(d)};
}

static bool is_right(nomen_dtype d, const char *p, const answer *want) {
    if (!is_float(d) && !is_complex(d)) return is_int(p, want->value.whole, dtype_size[d]);
    wide got = load_wide(d, p);
    return close_to(got.re, want->value.re, want->bound) &&
           close_to(got.im, want->value.im, want->bound);
}

/* The ways that a dtype's products go: its own, and in parts, where this processor has tiles. */
enum { WAYS = 2 };
static int find_ways(int isa, nomen_dtype d, bool in_parts, const nomen__gemm *ways[WAYS]) {
    ways[0] = find_kernel(isa, "matmul", d)->gemm;
    if (!in_parts || !ways[0]->parts || !nomen__kernel_tiles()) return 1;
    ways[1] = ways[0]->parts->gemm;
    return 2;
}

static void check_way(nomen_dtype d, const char *isa, const nomen__gemm *g, const matrix *a,
                      const matrix *b, const matrix *c, const int64_t size[3],
                      const answer *wants) {
    const int64_t m = size[0], n = size[1], k = size[2];
    const size_t bytes = g->scratch(m, n, k);
    char *scratch = guarded_new(bytes);
    memset(c->block, GUARD_BYTE, c->bytes);
    nomen__gemm_args args = {m,      n,      k,      a->first, b->first, c->first,
                             a->row, a->col, b->row, b->col,   c->row,   c->col};
    g->run(&args, scratch);
    assert_true(guarded_intact(scratch, bytes) && guarded_intact(c->block, c->bytes));
    assert_true(guarded_intact(a->block, a->bytes) && guarded_intact(b->block, b->bytes));
    guarded_free(scratch);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            char *p = c->first + i * c->row + j * c->col;
            const answer *want = &wants[i * n + j];
            wide got = load_wide(d, p);
            if (!is_right(d, p, want))
                fail_msg("%s %s [%lld, %lld, %lld] at [%lld, %lld]: %.20Lg%+.20Lgi, wanted "
                         "%.20Lg%+.20Lgi",
                         isa, dtype_names[d], (long long)m, (long long)n, (long long)k,
                         (long long)i, (long long)j, got.re, got.im, want->value.re,
                         want->value.im);
            memset(p, GUARD_BYTE, (size_t)dtype_size[d]);
        }
    assert_true(is_untouched(c->block, c->bytes)); /* between the elements of C */
}

static void check(nomen_dtype d, int64_t m, int64_t n, int64_t k, int how, int pattern) {
    if (!is_chosen()) return;
    const int64_t e = dtype_size[d], gap = how == PADDED ? 2 : 0;
    matrix a = new_matrix(e, m, k, how == A_TURNED, gap, how == BACKWARDS, how == CONSTANT_A);
    matrix b = new_matrix(e, k, n, how == B_TURNED, gap, how == BACKWARDS, false);
    matrix c = new_matrix(e, m, n, how == C_TURNED, gap, how == BACKWARDS, false);
    answer *wants = malloc((size_t)(m * n) * sizeof(answer) + 1);
    assert_non_null(wants);
    fill(d, &a, m, k, pattern);
    fill(d, &b, k, n, pattern);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) wants[i * n + j] = reference(d, &a, &b, i, j, k);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        const nomen__gemm *ways[WAYS];
        const int count = find_ways(isa, d, pattern == PLAIN && k > 0, ways);
        for (int w = 0; w < count; w++)
            check_way(d, all_isas[isa].name, ways[w], &a, &b, &c, (int64_t[]){m, n, k}, wants);
    }
    free(wants);
    guarded_free(a.block);
    guarded_free(b.block);
    guarded_free(c.block);
}

static void check_all(int64_t m, int64_t n, int64_t k, int pattern) {
    static int turn = 0;
    for (nomen_dtype d = NOMEN_U8; d < NOMEN_DTYPE_COUNT; d++)
        for (int s = 0; s < 2; s++) check(d, m, n, k, turn++ % LAYOUTS, pattern);
}

static void test_table(void **state) {
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++)
            assert_int_equal(find_kernel(isa, "matmul", d) != NULL, d != NOMEN_BOOL);
}

static void test_small(void **state) {
    (void)state;
    for (int64_t m = 0; m <= 9; m++)
        for (int64_t n = 0; n <= 9; n++)
            for (int64_t k = 0; k <= 5; k++) check_all(m, n, k, PLAIN);
    for (int64_t s = 10; s <= 20; s++) check_all(s, 26 - s, s, PLAIN);
}

static void test_tiles(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 7, 17, 33, 67, 130};
    for (int i = 0; i < COUNT(sizes); i++)
        for (int j = 0; j < COUNT(sizes); j++)
            for (int s = 0; s < COUNT(sizes); s++)
                if (sizes[i] * sizes[j] * sizes[s] < 200000)
                    check_all(sizes[i], sizes[j], sizes[s], PLAIN);
}

static void test_blocks(void **state) {
    (void)state;
    check_all(30, 40, 600, PLAIN);
    check_all(500, 20, 30, PLAIN);
    check_all(20, 2100, 17, PLAIN);
    check_all(3600, 17, 20, PLAIN);
    check_all(20, 530, 300, PLAIN);
}

static void test_vectors(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 3, 8, 63, 64, 65, 200, 1100};
    for (int i = 0; i < COUNT(sizes); i++)
        for (int s = 0; s < COUNT(sizes); s++)
            for (int t = 0; t < 3; t++) {
                if (sizes[i] * sizes[s] > 100000) continue;
                check_all(1, sizes[i], sizes[s], PLAIN);
                check_all(sizes[i], 1, sizes[s], PLAIN);
            }
    check_all(1, 1, 100000, PLAIN);
}

/* Few columns and summands of many rows, and few summands of half types. */
static void test_slim(void **state) {
    (void)state;
    static const int64_t thin[][3] = {{70, 70, 3},   {200, 100, 8}, {17, 300, 20}, {100, 999, 3},
                                      {900, 70, 32}, {66, 65, 33},  {15, 300, 5},  {29, 301, 32},
                                      {7, 1500, 5},  {9, 2100, 4},  {30, 9, 1},    {70, 16, 17},
                                      {41, 5, 33},   {19, 2, 64},   {17, 3, 80},   {90, 4, 700},
                                      {16, 40, 600}, {28, 70, 300}, {40, 600, 4}};
    for (int64_t k = 1; k <= 17; k++)
        for (int64_t n = 1; n <= 7; n++) check_all(17 + 5 * n + k, n, k, PLAIN);
    for (int64_t m = 2; m <= 4; m++) check_all(m, 700, m, PLAIN);
    /* rows of C that meet in the cache, columns that are left of four vectors, turned ones of B */
    static const int64_t few[][3] = {{29, 512, 2},  {20, 1024, 1}, {3, 513, 300}, {2, 50, 600},
                                     {1, 33, 1100}, {9, 70, 40},   {11, 37, 19},  {70, 9, 20}};
    for (nomen_dtype d = NOMEN_U8; d <= NOMEN_F64; d++)
        for (int s = 0; s < COUNT(few); s++)
            for (int how = 0; how < LAYOUTS; how++)
                check(d, few[s][0], few[s][1], few[s][2], how, PLAIN);
    for (nomen_dtype d = NOMEN_F16; d <= NOMEN_BF16; d++)
        for (int how = 0; how < LAYOUTS; how++)
            for (int s = 0; s < COUNT(thin); s++)
                check(d, thin[s][0], thin[s][1], thin[s][2], how, s == 1 ? SPECIAL : PLAIN);
}

/* Half types: every layout, and more rows, columns and summands than a block holds. */
static void test_halves(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{17, 17, 16}, {33, 50, 70}, {32, 64, 31}};
    static const int64_t large[][3] = {{20, 17, 4200},  {300, 20, 40},   {18, 550, 40},
                                       {40, 20, 1100},  {300, 18, 2100}, {1060, 17, 2080},
                                       {18, 1060, 2100}};
    for (int how = 0; how < LAYOUTS; how++)
        for (int s = 0; s < COUNT(sizes); s++)
            check(NOMEN_BF16, sizes[s][0], sizes[s][1], sizes[s][2], how, s ? PLAIN : SPECIAL);
    for (int s = 0; s < COUNT(large); s++) {
        check(NOMEN_BF16, large[s][0], large[s][1], large[s][2], s % LAYOUTS, PLAIN);
        check(NOMEN_F16, large[s][0], large[s][1], large[s][2], s % LAYOUTS, PLAIN);
        check(NOMEN_F32, large[s][0], large[s][1], large[s][2], s % LAYOUTS, PLAIN);
    }
}

/* Complex ones: every layout of what is read where it lies, in tiles and in rows times columns. */
static void test_complex(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {
        {5, 6, 40},   {40, 4, 300},  {3, 50, 300}, {1, 90, 300},  {90, 1, 300},  {13, 9, 270},
        {16, 16, 16}, {25, 35, 8},   {1, 2, 9000}, {12, 37, 17},  {2, 200, 600}, {14, 18, 257},
        {40, 1, 3},   {39, 1, 8},    {33, 1, 30},  {50, 5, 17},   {8, 40, 300},  {12, 9, 1100},
        {20, 70, 5},  {16, 17, 600}, {2, 5, 1100}, {30, 17, 300}, {3, 20, 1100}};
    for (nomen_dtype d = NOMEN_C64; d <= NOMEN_C128; d++)
        for (int how = 0; how < LAYOUTS; how++)
            for (int s = 0; s < COUNT(sizes); s++)
                for (int pattern = 0; pattern < PATTERNS; pattern++)
                    check(d, sizes[s][0], sizes[s][1], sizes[s][2], how, pattern);
}

/* Rows from m0 and columns from n0 on by themselves are the same bits. */
static void check_cut(nomen_dtype d, int64_t m, int64_t n, int64_t k, int how, int64_t m0,
                      int64_t n0) {
    if (!is_chosen()) return;
    const int64_t e = dtype_size[d];
    matrix a = new_matrix(e, m, k, how == A_TURNED, 0, false, false);
    matrix b = new_matrix(e, k, n, how == B_TURNED, 0, false, false);
    matrix c = new_matrix(e, m, n, how == C_TURNED, 0, false, false);
    char *whole = malloc(c.bytes);
    assert_non_null(whole);
    fill(d, &a, m, k, PLAIN);
    fill(d, &b, k, n, PLAIN);
    memset(c.block, 0, c.bytes);
    for (int isa = 0; isa < ISAS; isa++) {
        if (!isa_runs(isa)) continue;
        const nomen__gemm *ways[WAYS];
        const int count = find_ways(isa, d, true, ways);
        for (int w = 0; w < count; w++) {
            const nomen__gemm *g = ways[w];
            nomen__gemm_args args = {m,     n,     k,     a.first, b.first, c.first,
                                     a.row, a.col, b.row, b.col,   c.row,   c.col};
            void *scratch = malloc(g->scratch(m, n, k) + g->scratch(m - m0, n - n0, k) + 64);
            void *aligned = (char *)scratch + (64 - (uintptr_t)scratch % 64) % 64;
            assert_non_null(scratch);
            g->run(&args, aligned);
            memcpy(whole, c.block, c.bytes);
            args.m -= m0, args.a += m0 * a.row, args.c += m0 * c.row;
            args.n -= n0, args.b += n0 * b.col, args.c += n0 * c.col;
            for (int64_t i = m0; i < m; i++)
                for (int64_t j = n0; j < n; j++)
                    memset(c.first + i * c.row + j * c.col, 1, (size_t)e);
            g->run(&args, aligned);
            if (memcmp(whole, c.block, c.bytes))
                fail_msg("%s %s [%lld, %lld, %lld] from [%lld, %lld] on, layout %d, way %d",
                         all_isas[isa].name, dtype_names[d], (long long)m, (long long)n,
                         (long long)k, (long long)m0, (long long)n0, how, w);
            free(scratch);
        }
    }
    free(whole);
    guarded_free(a.block);
    guarded_free(b.block);
    guarded_free(c.block);
}

static void test_cuts(void **state) {
    (void)state;
    for (nomen_dtype d = NOMEN_F16; d <= NOMEN_F64; d++)
        for (int how = ROW_MAJOR; how <= C_TURNED; how++) {
            for (int64_t k = 1; k <= 17; k++)
                for (int64_t n = 1; n <= 6; n++) check_cut(d, 90, n, k, how, 14 * n - 13, 0);
            check_cut(d, 3, 700, 3, how, 0, 64);
            check_cut(d, 200, 120, 20, how, 98, 64);
        }
    for (nomen_dtype d = NOMEN_C64; d <= NOMEN_C128; d++)
        for (int how = ROW_MAJOR; how <= C_TURNED; how++) {
            for (int64_t k = 5; k < 700; k = 3 * k + 2) {
                check_cut(d, 1, 65, k, how, 0, 64);
                check_cut(d, 65, 1, k, how, 64, 0);
                check_cut(d, 4, 90, k, how, 0, 64);
                check_cut(d, 90, 4, k, how, 70, 0);
                check_cut(d, 90, 85, k, how, 70, 64);
                check_cut(d, 200, 30, k, how, 14, 0);
            }
        }
}

/* Whole numbers: every layout, rows that end inside a vector of any length, and columns that lie
 * apart, which are copied block by block. */
static void test_whole(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{17, 33, 65}, {32, 64, 31}, {15, 31, 16}, {300, 20, 40},
                                       {60, 5, 9},   {90, 3, 16},  {70, 200, 6}, {40, 1, 7}};
    static const int64_t lengths[] = {1, 7, 15, 16, 17, 31, 32, 33, 127, 200, 4200};
    for (nomen_dtype d = NOMEN_U8; d <= NOMEN_I64; d++)
        for (int how = 0; how < LAYOUTS; how++) {
            for (int s = 0; s < COUNT(sizes); s++)
                check(d, sizes[s][0], sizes[s][1], sizes[s][2], how, PLAIN);
            for (int s = 0; s < COUNT(lengths); s++) {
                check(d, 1, 1, lengths[s], how, PLAIN);
                check(d, 7, 1, lengths[s], how, PLAIN);
                check(d, 5, 9, lengths[s], how, PLAIN);
            }
        }
}

/* Few rows of floats: times columns that lie in one piece, some of them a page apart, and times
 * rows that are read twice; and what is packed from fewer elements on because of how it lies. */
static void test_few_rows(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {
        {4, 12, 96},    {8, 13, 100},  {16, 49, 24},   {9, 100, 257},  {12, 97, 600},
        {16, 50, 300},  {5, 60, 1024}, {7, 30, 520},   {13, 20, 16},   {16, 12, 1024},
        {6, 110, 97},   {4, 2000, 25}, {8, 70, 500},   {12, 130, 260}, {30, 20, 130},
        {60, 300, 120}, {30, 400, 70}, {37, 510, 260}, {17, 50, 300},  {24, 40, 120},
        {33, 48, 100},  {52, 60, 97},  {8, 16, 257},   {64, 31, 513},  {11, 15, 200}};
    for (nomen_dtype d = NOMEN_F32; d <= NOMEN_F64; d++)
        for (int how = 0; how < LAYOUTS; how++) {
            for (int s = 0; s < COUNT(sizes); s++)
                check(d, sizes[s][0], sizes[s][1], sizes[s][2], how, PLAIN);
            check(d, 10, 33, 40, how, SPECIAL);
            check(d, 10, 33, 300, how, SPECIAL);
            for (int64_t m = 4; m <= 16; m += 3) check_cut(d, m, 200, 600, how, 0, 64);
            for (int64_t m = 18; m <= 64; m += 11) check_cut(d, m, 200, 300, how, 0, 64);
            check_cut(d, 64, 90, 300, how, 32, 0);
        }
}

/* No product may be left out because a factor is 0: 0 * inf is NaN. */
static void test_special(void **state) {
    (void)state;
    static const nomen_dtype floats[] = {NOMEN_F16, NOMEN_BF16, NOMEN_F32, NOMEN_F64};
    for (int d = 0; d < COUNT(floats); d++)
        for (int how = 0; how < LAYOUTS; how++) {
            check(floats[d], 5, 6, 7, how, SPECIAL);
            check(floats[d], 30, 35, 20, how, SPECIAL);
            check(floats[d], 40, 1, 9, how, SPECIAL);
            check(floats[d], 1, 40, 9, how, SPECIAL);
        }
}

/* ---- products in parts ----------------------------------------------------------------------- */

/* Root of the mean square of errors, relative to the sums of magnitudes. */
static double error_of(const nomen__gemm *g, const float *a, const float *b, int64_t n) {
    float *c = malloc((size_t)(n * n) * sizeof *c);
    void *scratch = aligned_alloc(64, g->scratch(n, n, n) + 64);
    const int64_t row = n * (int64_t)sizeof *c, col = sizeof *c;
    assert_true(c && scratch);
    g->run(&(nomen__gemm_args){n, n, n, (const char *)a, (const char *)b, (char *)c, row, col, row,
                               col, row, col},
           scratch);
    double squares = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < n; k++) {
                const double x = (double)a[i * n + k] * (double)b[k * n + j];
                sum += x, size += fabs(x);
            }
            const double error = ((double)c[i * n + j] - sum) / size;
            squares += error * error;
        }
    free(c);
    free(scratch);
    return sqrt(squares / (double)(n * n));
}

/* No less accurate than the dtype's own way, whatever the magnitudes that it is let do: where a few
 * products outweigh the others both ways lose the same, but for what chance does. */
static void test_parts_are_accurate(void **state) {
    (void)state;
    enum { SIZE = 300 };
    static float a[SIZE * SIZE], b[SIZE * SIZE];
    if (!nomen__kernel_tiles()) skip();
    for (int isa = 0; isa < ISAS; isa++) {
        const nomen__gemm *ways[WAYS];
        if (!isa_runs(isa) || find_ways(isa, NOMEN_F32, true, ways) < 2) continue;
        for (int kind = 0; kind < 4; kind++) {
            const int range = (const int[]){0, 20, 49, 62}[kind], up = kind == 3 ? 12 : 0;
            for (int i = 0; i < SIZE * SIZE; i++) {
                const int down = range ? (int)(random_bits() >> 40) % range : 0;
                a[i] = (float)ldexp(1 + random_unit() / 3, up - down);
                b[i] = (float)ldexp(random_unit() < 0 ? -1 - random_unit() / 3 : 1.3,
                                    kind == 3 ? 40 - down / 2 : -down);
            }
            const double plain = error_of(ways[0], a, b, SIZE),
                         parts = error_of(ways[1], a, b, SIZE);
            if (!(parts <= 1.02 * plain))
                fail_msg("%s, kind %d: %g in parts, %g else", all_isas[isa].name, kind, parts,
                         plain);
        }
    }
}

/* What float32 holds exactly is exact. */
static void test_parts_are_exact(void **state) {
    (void)state;
    enum { SIZE = 70 };
    static float a[SIZE * SIZE], b[SIZE * SIZE];
    if (!nomen__kernel_tiles()) skip();
    for (int isa = 0; isa < ISAS; isa++) {
        const nomen__gemm *ways[WAYS];
        if (!isa_runs(isa) || find_ways(isa, NOMEN_F32, true, ways) < 2) continue;
        for (int bits = 1; bits <= 17; bits++) {
            for (int i = 0; i < SIZE * SIZE; i++) {
                a[i] = (float)(random_bits() >> (64 - bits));
                b[i] = (float)(random_bits() >> (64 - (18 - bits)));
            }
            assert_true(error_of(ways[1], a, b, SIZE) == 0);
        }
    }
}

static bool fits(const nomen__gemm_parts *way, double x, double y, int64_t k) {
    uint32_t a[2] = NOMEN__NO_SPAN, b[2] = NOMEN__NO_SPAN;
    const float ones[40] = {1, -1, 1, 0, 0, -1}, some[2] = {(float)x, 0}, other[2] = {0, (float)-y};
    way->widen(a, (const char *)ones, 40, 4);
    way->widen(a, (const char *)some, 2, 4);
    way->widen(b, (const char *)other, 2, 4);
    return way->fits(a, b, k);
}

static void test_parts_look(void **state) {
    (void)state;
    for (int isa = 0; isa < ISAS; isa++) {
        const nomen__gemm *ways[WAYS];
        if (!isa_runs(isa) || find_ways(isa, NOMEN_F32, true, ways) < 2) continue;
        const nomen__gemm_parts *way = ways[0]->parts;
        assert_true(fits(way, 1, 1, 100) && fits(way, 0, 0, 100) && fits(way, 0x1p60, 0x1p59, 64));
        assert_true(fits(way, 0x1p-50, 0x1p-50, 100) && fits(way, 0x1p-100, 1, 100));
        assert_false(fits(way, 0x1p-101, 1, 100) || fits(way, 1, 0x1p-101, 100));
        assert_false(fits(way, 0x1p-60, 0x1p-60, 100) || fits(way, 0x1p60, 0x1p60, 100));
        assert_false(fits(way, 0x1p127, 1, 1) || fits(way, 0x1p-149, 1, 1));
        assert_false(fits(way, INFINITY, 1, 100) || fits(way, 1, INFINITY, 100));
        assert_false(fits(way, NAN, 1, 100) || fits(way, 1, NAN, 100));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_slim),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_parts_are_accurate),
        cmocka_unit_test(test_parts_are_exact),
        cmocka_unit_test(test_parts_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
