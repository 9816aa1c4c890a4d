/* Part of gemm_real.h: blocks of the operands copied into panels, as numbers computed with. What
 * lies across is turned over in squares of vectors; elements in no order are taken one by one. */

static inline void FN(set)(C *to, V x) { memcpy(to, &x, sizeof x); }

/* Elements first.. of k, line after line; lines that do not exist are 0. */
static inline void FN(panel_rest)(C *to, const char *in, int64_t lines, int64_t first, int64_t k,
                                  int64_t line, int64_t step, int64_t width) {
    for (int64_t p0 = first; p0 < k; p0 += 8) /* eight a time stay in L1 where lines are long */
        for (int64_t l = 0; l < width; l++)
            for (int64_t p = p0; p < k && p < p0 + 8; p++)
                to[p * width + l] = l < lines ? C_OF(CAT(T, in, l * line + p * step)) : (C)0;
}

/* A panel: `width` lines of k elements, the elements p of all lines side by side. Of lines that do
 * not exist it holds anything. Where width is no multiple of W vectors overlap, and a panel
 * narrower than a vector is written beyond its end, by less than a vector. */
static inline __attribute__((always_inline)) void FN(panel)(C *to, const char *in, int64_t lines,
                                                            int64_t k, int64_t line, int64_t step,
                                                            const int width) {
    const int last = width > W ? width - W : 0;
    int64_t p = 0;
    if (line == E && lines >= width && lines >= W) {
        for (; p < k; p++, to += width, in += step)
#pragma GCC unroll 8
            for (int w = 0; w < width; w += W) {
                const int l = w < last ? w : last;
                __builtin_prefetch(in + (width + w) * E); /* of the panel to come */
                FN(set)(to + l, LDV(&CAT(T, in, l * E)));
            }
        return;
    }
    for (; line == E && p < k; p++, in += step) /* some lines do not exist */
        for (int w = 0; w < width; w += W) {
            const int l = w < last ? w : last;
            const int64_t there = lines - l;
            V x = {0};
            if (there > 0)
                x = there >= W ? LDV(&CAT(T, in, l * E)) : LDV_N(&CAT(T, in, l * E), there);
            FN(set)(to + p * width + l, x);
        }
    /* lines of the cache whole, one group after the other: those a page apart share sets, and
     * would be gone before their other half is wanted */
    enum { LINE = 64, SOME = LINE > W * (int)sizeof(T) ? LINE / (int)sizeof(T) : W };
    for (int64_t stop; step == E && p + W <= k; p = stop) {
        stop = p + SOME <= k ? p + SOME : p + W;
        for (int w = 0; w < width; w += W) {
            const int l = w < last ? w : last;
            for (int64_t q = p; q < stop; q += W) {
                V x[W];
#pragma GCC unroll 32
                for (int i = 0; i < W; i++) {
                    const int64_t mine = l + i < lines ? l + i : lines - 1;
                    __builtin_prefetch(in + (mine + width) * line + q * E);
                    x[i] = LDV(&CAT(T, in, mine * line + q * E));
                }
                TURN(x);
#pragma GCC unroll 32
                for (int s = 0; s < W; s++) FN(set)(to + (q + s) * width + l, x[s]);
            }
        }
    }
    FN(panel_rest)(to, in, lines, p, k, line, step, width);
}

static APART void FN(pack_a)(C *to, const char *a, int64_t m, int64_t k, int64_t row, int64_t col) {
    for (int64_t i = 0; i < m; i += MR) FN(panel)(to + i * k, a + i * row, m - i, k, row, col, MR);
}

/* Panels of NR columns. Rows are taken in several at a time, as they lie in memory. */
static APART void FN(pack_b)(C *to, const char *b, int64_t k, int64_t n, int64_t row, int64_t col) {
    const int64_t most = col == E ? PACK_ROWS : k;
    for (int64_t p = 0; p < k; p += most)
        for (int64_t j = 0; j < n; j += NR)
            FN(panel)(to + j * k + p * NR, b + p * row + j * col, n - j,
                      k - p < most ? k - p : most, col, row, NR);
}
