/* Include-template of gemm_lines.h, once per length of vectors: sums of columns of B with all rows
 * of A. Before: LINES(name), LV (a vector of rows), LFMA, LSPLAT (of one number of B); all but FN
 * are undefined after. */

/* Sums of `rows` columns of B, `col` bytes apart, with all rows of A. Columns are found by a
 * pointer for each three of them. */
static inline __attribute__((always_inline)) void LINES(tile)(LV *sums, const LV *a, const char *b,
                                                              int64_t k, int64_t col,
                                                              const int rows, const int wide) {
    enum { EACH = 3, MOST = FN(lines_tile_rows) / EACH };
    const char *at[MOST];
#pragma GCC unroll 4
    for (int q = 0; q * EACH < rows; q++) at[q] = b + q * EACH * col;
    for (int64_t first = 0; first < k; first += KC) {
        LV acc[FN(lines_tile_rows)];
#pragma GCC unroll 16
        for (int x = 0; x < rows * wide; x++) acc[x] = (LV){0};
        for (int64_t p = k - first < KC ? k - first : KC; p > 0; p--, a += wide) {
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                const LV x = LSPLAT(CAT(T, at[r / EACH], r % EACH * col));
#pragma GCC unroll 4
                for (int v = 0; v < wide; v++) acc[r * wide + v] = LFMA(x, a[v], acc[r * wide + v]);
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
LINES(tiles)(LV *sums, const LV *a, const nomen__gemm_args *g, const int rows, const int wide) {
    for (int64_t j = 0; j < g->n; j += rows) {
        const int64_t at = j + rows <= g->n ? j : g->n - rows;
        LINES(tile)(sums + at * wide, a, g->b + at * g->b_col, g->k, g->b_col, rows, wide);
    }
}

/* Of so many vectors of rows. */
static void LINES(sums)(LV *sums, const LV *a, const nomen__gemm_args *g, int wide) {
    if (wide == 1 && share_sets(g->b_col, 4096, 128))
        LINES(tiles)(sums, a, g, 6, 1);
    else if (wide == 1)
        LINES(tiles)(sums, a, g, 12, 1);
    else
        LINES(tiles)(sums, a, g, 6, 2);
}

#undef LINES
#undef LV
#undef LFMA
#undef LSPLAT
