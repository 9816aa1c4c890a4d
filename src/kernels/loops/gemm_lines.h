/* Part of gemm_real.h: a few rows times columns that lie in one piece, as a small batch meets the
 * weights of a layer: C' = B' A'. A is copied, turned over, in whole vectors; numbers of B are read
 * where they lie, each once, so that nothing of it is packed or turned over. Sums of a strip of
 * columns wait on the stack and are turned over in squares.
 *
 * An element is the sum of its blocks of KC summands, as in all other ways. Columns are gone
 * through whole, not block by block: memory is read faster so.
 *
 * Limit: the fused multiply-adds, where the rows of A fill their vectors. Measured with AVX2: a
 * batch of 8 at 1,024 x 1,024 does 71 G operations a second of 109, from the third cache. */

enum { FN(lines_rows) = 16, FN(lines_strip) = 48, FN(lines_tile_rows) = 12 };

/* Vectors that a number of each row of A fills. */
static inline int FN(lines_wide)(int64_t m) { return (int)((m + W - 1) / W); }

static inline size_t FN(lines_scratch)(int64_t m, int64_t k) {
    return (size_t)(k * FN(lines_wide)(m)) * sizeof(V);
}

static inline bool FN(is_lines)(const nomen__gemm_args *g) {
    enum { FEW = 3, SHORT = E == 8 ? 24 : 96, NEAR = 1 << 18 /* bytes: the copy stays in cache */ };
    const bool many = g->m > 12 && g->k >= GEMM_SMALL; /* of short columns, too */
    return VB == 32 && g->m > FEW && g->m <= FN(lines_rows) && g->n >= FN(lines_tile_rows) &&
           (g->k >= SHORT || many) && g->b_row == E && g->b_col != E && g->c_col == E &&
           FN(lines_scratch)(g->m, g->k) <= NEAR;
}

/* Number p of all rows, and zeros where there are no more rows. */
static APART void FN(lines_copy)(V *to, const nomen__gemm_args *g, const int wide) {
    for (int v = 0; v < wide; v++) {
        const int64_t rows = g->m - v * W < W ? g->m - v * W : W;
        const char *a = g->a + v * W * g->a_row;
        if (g->a_row == E) {
            for (int64_t p = 0; p < g->k; p++, a += g->a_col)
                to[p * wide + v] = rows == W ? LDV(&CAT(T, a, 0)) : LDV_N(&CAT(T, a, 0), rows);
            continue;
        }
        for (int64_t p = 0; p < g->k; p += W) {
            const int64_t some = g->k - p < W ? g->k - p : W;
            V x[W];
            for (int64_t i = 0; i < W; i++) {
                const char *in = a + i * g->a_row + p * g->a_col;
                if (i >= rows)
                    x[i] = (V){0};
                else if (g->a_col == E)
                    x[i] = some == W ? LDV(&CAT(T, in, 0)) : LDV_N(&CAT(T, in, 0), some);
                else
                    for (int64_t l = 0; l < W; l++)
                        x[i][l] = l < some ? CAT(T, in, l * g->a_col) : 0;
            }
            TURN(x);
            for (int64_t i = 0; i < some; i++) to[(p + i) * wide + v] = x[i];
        }
    }
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
    enum { SETS = 4096, NEAR = 128 };
    const bool meet = (g->b_col + NEAR) % SETS < 2 * NEAR; /* in the same sets of the cache */
    if (wide == 1 && meet)
        FN(lines_tiles)(sums, a, g, 6, 1);
    else if (wide == 1)
        FN(lines_tiles)(sums, a, g, 12, 1);
    else if (wide == 2)
        FN(lines_tiles)(sums, a, g, 6, 2);
    else if (wide == 3)
        FN(lines_tiles)(sums, a, g, 3, 3);
    else
        FN(lines_tiles)(sums, a, g, 3, 4);
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
    enum { STRIP = FN(lines_strip) };
    V sums[STRIP * FN(lines_rows) / W];
    const int wide = FN(lines_wide)(g->m);
    nomen__gemm_args part = *g;
    FN(lines_copy)(copy, g, wide);
    for (int64_t left = g->n; left > 0; left -= part.n) {
        part.n = left <= STRIP ? left : left < 2 * STRIP ? (left + 1) / 2 : STRIP;
        FN(lines_sums)(sums, copy, &part, wide);
        FN(lines_put)(&part, sums, wide);
        part.b += part.n * g->b_col;
        part.c += part.n * E;
    }
}
