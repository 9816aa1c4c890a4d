/* Part of gemm_real.h: the micro-kernel, and blocks of C from packed blocks of A and B. Tiles of
 * whole size go from registers into C, those at the edges by way of a copy. */

#if ROUNDS
static inline V FN(kept)(const char *c) { return *(const V *)(const void *)c; }
static inline void FN(keep)(char *c, V x) { *(V *)(void *)c = x; }
#else
static inline V FN(kept)(const char *c) { return LDV(&CAT(T, c, 0)); }
static inline void FN(keep)(char *c, V x) { STV(&AT(T, c, 0), x); }
#endif

/* rows rows and nv vectors of the product of two panels. They go to C, its rows `row` bytes apart,
 * or to `edge` as a tile by itself, of which c and row tell as well. first: the first block of k,
 * which C's former contents are no part of. ahead: of what comes next, a line of the cache for
 * every STEP elements; a tile by itself asks for nothing. */
enum { FN(line) = 64 };
static inline __attribute__((always_inline)) void
FN(tile)(int64_t k, const C *restrict a, const C *restrict b, char *c, int64_t row, bool first,
         C *edge, const char *ahead, const int rows, const int nv) {
    V acc[MR][NV];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) acc[i][v] = (V){0};
    const char *want = c;
    for (int64_t p = 0; p < k;) {
        /* What is needed next is asked for a little at a time: all at once it would keep the panels
         * waiting. */
        const int64_t stop = p + STEP < k ? p + STEP : k;
        if (p < rows * STEP) {
            for (int v = 0; v < nv; v++) __builtin_prefetch(want + v * W * (int64_t)sizeof(P), 1);
            want += row;
        }
        if (!edge) {
            __builtin_prefetch(ahead, 0, 2);
            ahead += FN(line);
        }
        for (; p < stop; p++, a += MR, b += NR) {
            V line[NV];
#pragma GCC unroll 8
            for (int v = 0; v < nv; v++) line[v] = *(const V *)(const void *)(b + v * W);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) {
                const V x = FN(splat)(a[i]);
#pragma GCC unroll 8
                for (int v = 0; v < nv; v++) acc[i][v] = FMA(x, line[v], acc[i][v]);
            }
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) {
            char *to = c + i * row + v * W * (int64_t)sizeof(P);
            if (edge)
                *(V *)(void *)(edge + i * NR + v * W) = acc[i][v];
            else
                FN(keep)(to, first ? acc[i][v] : FN(kept)(to) + acc[i][v]);
        }
}

static APART void FN(whole)(int64_t k, const C *a, const C *b, char *c, int64_t row, bool first,
                            const char *ahead) {
    if (first)
        FN(tile)(k, a, b, c, row, true, NULL, ahead, MR, NV);
    else
        FN(tile)(k, a, b, c, row, false, NULL, ahead, MR, NV);
}

/* A tile of which m rows and n columns exist, or one of a C whose elements lie apart. */
static APART void FN(edge)(int64_t k, const C *a, const C *b, int64_t m, int64_t n, C *tile) {
    enum { HALF = (MR + 1) / 2, ROW = NR * (int)sizeof(C) };
    char *c = (char *)tile;
    if (m > HALF && n > W)
        FN(tile)(k, a, b, c, ROW, true, tile, NULL, MR, NV);
    else if (m > HALF)
        FN(tile)(k, a, b, c, ROW, true, tile, NULL, MR, 1);
    else if (n > W)
        FN(tile)(k, a, b, c, ROW, true, tile, NULL, HALF, NV);
    else
        FN(tile)(k, a, b, c, ROW, true, tile, NULL, HALF, 1);
}

/* A tile into C. */
static inline void FN(put)(const C *tile, char *c, int64_t m, int64_t n, int64_t row, int64_t col,
                           bool first) {
    for (int64_t i = 0; i < m; i++, tile += NR, c += row) {
        int64_t j = 0;
        for (; col == (int64_t)sizeof(P) && j + W <= n; j += W) {
            const V sum = *(const V *)(const void *)(tile + j);
            char *to = c + j * col;
            FN(keep)(to, first ? sum : FN(kept)(to) + sum);
        }
        for (; j < n; j++) {
            P *to = &AT(P, c, j * col);
            *to = first ? P_OF(tile[j]) : P_ADD(*to, tile[j]);
        }
    }
}

/* A block of C from packed blocks of A and B. A panel of B stays in L1 while all those of A, which
 * stay in L2, go by; each tile asks for a part of the next panel of B. */
static void FN(block)(const nomen__gemm_args *g, const C *a, const C *b, char *c, int64_t row,
                      int64_t col, bool first) {
    C tile[MR * NR] __attribute__((aligned(64)));
    const int64_t panel = g->k * NR * (int64_t)sizeof(C),
                  asked = (g->k + STEP - 1) / STEP * FN(line);
    for (int64_t j = 0; j < g->n; j += NR, b += g->k * NR) {
        const int64_t n = g->n - j;
        const char *next = (const char *)b + (n > NR ? panel : 0);
        for (int64_t i = 0, ahead = 0; i < g->m; i += MR) {
            const int64_t m = g->m - i;
            char *to = c + i * row + j * col;
            if (m >= MR && n >= NR && col == (int64_t)sizeof(P)) {
                FN(whole)(g->k, a + i * g->k, b, to, row, first, next + ahead);
                ahead = ahead + 2 * asked <= panel ? ahead + asked : 0;
                continue;
            }
            FN(edge)(g->k, a + i * g->k, b, m, n, tile);
            FN(put)(tile, to, m < MR ? m : MR, n < NR ? n : NR, row, col, first);
        }
    }
}
