/* Part of gemm_real.h: a few rows times columns that lie in one piece, as a small batch meets the
 * weights of a layer: C' = B' A'. A is copied, turned over, in whole vectors; numbers of B are read
 * where they lie, so that nothing of it is packed or turned over. Strips of columns stay near while
 * all rows go by, some at a time; their sums wait on the stack and are turned over in squares.
 *
 * An element is the sum of its blocks of KC summands, as in all other ways. Columns are gone
 * through whole, not block by block: memory is read faster so.
 *
 * Limit: the fused multiply-adds, where the rows of A fill their vectors. Measured with AVX2: a
 * batch of 16 at 1,024 x 1,024 does 97 G operations a second of 109, from the third cache. */

/* Rows that are computed at a time, in two vectors; columns of a strip, and of a tile. */
enum { FN(lines_rows) = 2 * W, FN(lines_strip) = 48, FN(lines_tile_rows) = 12 };

static inline size_t FN(lines_scratch)(int64_t m, int64_t k) {
    return (size_t)(k * ((m + W - 1) / W)) * sizeof(V);
}

/* Whether rows are few and their copy stays in cache. */
static inline bool FN(has_lines)(int64_t m, int64_t k) {
    enum { LEAST = 4, MOST = 64, NEAR = 1 << 20 };
    return VB == 32 && m >= LEAST && m <= MOST && FN(lines_scratch)(m, k) <= NEAR;
}
/* Of more rows to pack a small B costs less than rows that fill no vectors. */
static inline bool FN(is_lines)(const nomen__gemm_args *g) {
    enum { SHORT = E == 8 ? 24 : 96, MANY = 12, FEW = 16, LARGE = 1 << 19 };
    const bool pays = g->m <= FEW || g->k * g->n * E >= LARGE;
    return pays && FN(has_lines)(g->m, g->k) && g->n >= FN(lines_tile_rows) &&
           g->k >= (g->m > MANY ? GEMM_SMALL : SHORT) && g->b_row == E && g->b_col != E &&
           g->c_col == E;
}

/* Number p of all rows beside each other: a panel of one vector or two. */
static APART void FN(lines_copy)(C *to, const nomen__gemm_args *g) {
    if (g->m > W)
        FN(panel)(to, g->a, g->m, g->k, g->a_row, g->a_col, 2 * W);
    else
        FN(panel)(to, g->a, g->m, g->k, g->a_row, g->a_col, W);
}

/* Sums of `rows` columns of B, `col` bytes apart, with all rows of A. Columns are found by a
 * pointer for each three of them. */
static inline __attribute__((always_inline)) void FN(lines_tile)(V *sums, const V *a, const char *b,
                                                                 int64_t k, int64_t col,
                                                                 const int rows, const int wide) {
    enum { EACH = 3, MOST = FN(lines_tile_rows) / EACH };
    const char *at[MOST];
#pragma GCC unroll 4
    for (int q = 0; q * EACH < rows; q++) at[q] = b + q * EACH * col;
    for (int64_t first = 0; first < k; first += KC) {
        V acc[FN(lines_tile_rows)];
#pragma GCC unroll 16
        for (int x = 0; x < rows * wide; x++) acc[x] = (V){0};
        for (int64_t p = k - first < KC ? k - first : KC; p > 0; p--, a += wide) {
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                const V x = FN(splat)(CAT(T, at[r / EACH], r % EACH * col));
#pragma GCC unroll 4
                for (int v = 0; v < wide; v++) acc[r * wide + v] = FMA(x, a[v], acc[r * wide + v]);
            }
#pragma GCC unroll 4
            for (int q = 0; q * EACH < rows; q++) at[q] += E;
        }
#pragma GCC unroll 16
        for (int x = 0; x < rows * wide; x++) sums[x] = first ? sums[x] + acc[x] : acc[x];
    }
}

/* All tiles of n columns; the last one moved back. */
static inline __attribute__((always_inline)) void
FN(lines_tiles)(V *sums, const V *a, const nomen__gemm_args *g, const int rows, const int wide) {
    for (int64_t j = 0; j < g->n; j += rows) {
        const int64_t at = j + rows <= g->n ? j : g->n - rows;
        FN(lines_tile)(sums + at * wide, a, g->b + at * g->b_col, g->k, g->b_col, rows, wide);
    }
}

static void FN(lines_sums)(V *sums, const V *a, const nomen__gemm_args *g, int wide) {
    if (wide == 1 && share_sets(g->b_col, 4096, 128))
        FN(lines_tiles)(sums, a, g, 6, 1);
    else if (wide == 1)
        FN(lines_tiles)(sums, a, g, 12, 1);
    else
        FN(lines_tiles)(sums, a, g, 6, 2);
}

/* Sums to the columns of C that they belong to, of which there are a vector and more. */
static void FN(lines_put)(const nomen__gemm_args *g, const V *sums, int wide) {
    for (int64_t j0 = 0; j0 < g->n; j0 += W) {
        const int64_t j = j0 + W <= g->n ? j0 : g->n - W;
        for (int v = 0; v < wide; v++) {
            const int64_t rows = g->m - v * W < W ? g->m - v * W : W;
            char *c = g->c + v * W * g->c_row + j * E;
            V x[W];
#pragma GCC unroll 8
            for (int i = 0; i < W; i++) x[i] = sums[(j + i) * wide + v];
            TURN(x);
            for (int64_t i = 0; i < rows; i++, c += g->c_row) STV(&AT(T, c, 0), x[i]);
        }
    }
}

static APART void FN(run_lines)(const nomen__gemm_args *g, V *copy) {
    enum { STRIP = FN(lines_strip), ROWS = FN(lines_rows) };
    V sums[STRIP * 2];
    nomen__gemm_args strip = *g, part;
    for (int64_t i = 0; i < g->m; i += ROWS) {
        part = *g;
        part.m = g->m - i < ROWS ? g->m - i : ROWS;
        part.a += i * g->a_row;
        FN(lines_copy)((C *)(void *)(copy + i / W * g->k), &part);
    }
    for (int64_t left = g->n; left > 0; left -= strip.n) {
        strip.n = left <= STRIP ? left : left < 2 * STRIP ? (left + 1) / 2 : STRIP;
        part = strip;
        for (int64_t i = 0; i < g->m; i += ROWS, part.c += ROWS * g->c_row) {
            part.m = g->m - i < ROWS ? g->m - i : ROWS;
            const int wide = part.m > W ? 2 : 1;
            FN(lines_sums)(sums, copy + i / W * g->k, &part, wide);
            FN(lines_put)(&part, sums, wide);
        }
        strip.b += strip.n * g->b_col;
        strip.c += strip.n * E;
    }
}
