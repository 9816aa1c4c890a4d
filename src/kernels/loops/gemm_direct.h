/* Part of gemm_real.h: products that read the operands where they lie and write C at once. The rows
 * of C are contiguous, and so are those of B, or B is copied; A may lie in any way. Rows and
 * columns that fill no tile are computed by a tile moved back over its neighbour: the same numbers
 * are written twice.
 *
 * Limit: the fused multiply-adds. Nothing is spent on panels, which is what counts up to sides of a
 * few hundred; beyond, rows of B that are far apart miss the caches. */

/* rows rows and nv vectors of C; or, if not whole, one vector of which count elements exist. */
static inline __attribute__((always_inline)) void FN(direct_tile)(const nomen__gemm_args *g,
                                                                  const int rows, const int nv,
                                                                  const bool whole, int64_t i,
                                                                  int64_t j, int64_t count) {
    const int64_t a_row = g->a_row, a_col = g->a_col, b_row = g->b_row, c_row = g->c_row;
    const char *a = g->a + i * a_row, *b = g->b + j * E;
    V acc[MR][NV];
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) acc[r][v] = (V){0};
    for (int64_t p = g->k; p > 0; p--, a += a_col, b += b_row) {
        V row[NV];
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++)
            row[v] = whole ? LDV(&CAT(T, b, v * W * E)) : LDV_N(&CAT(T, b, 0), count);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            V x = FN(splat)(C_OF(CAT(T, a, r * a_row)));
#pragma GCC unroll 8
            for (int v = 0; v < nv; v++) acc[r][v] = FMA(x, row[v], acc[r][v]);
        }
    }
    char *c = g->c + i * c_row + j * E;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) {
            if (whole)
                STV(&AT(T, c, r * c_row + v * W * E), acc[r][v]);
            else
                STV_N(&AT(T, c, r * c_row), acc[r][v], count);
        }
}

/* All columns of rows rows. */
static inline __attribute__((always_inline)) void FN(direct_rows)(const nomen__gemm_args *g,
                                                                  const int rows, int64_t i) {
    const int64_t n = g->n;
    int64_t j = 0;
    if (n < W) {
        FN(direct_tile)(g, rows, 1, false, i, 0, n);
        return;
    }
    for (; j + NR <= n; j += NR) FN(direct_tile)(g, rows, NV, true, i, j, W);
    if (n - j > NR - W && n >= NR)
        FN(direct_tile)(g, rows, NV, true, i, n - NR, W);
    else
        for (; j < n; j += W) FN(direct_tile)(g, rows, 1, true, i, j + W <= n ? j : n - W, W);
}

#if VB == 64
/* One vector of columns leaves registers for more rows: B is read once for all of a small block.
 * Rows are found by a pointer for each four of them, which the compiler is not to know for
 * multiples of one step: it would keep them in vectors. */
static inline __attribute__((always_inline)) void FN(direct_alone)(const nomen__gemm_args *g,
                                                                   const int rows, int64_t i) {
    enum { EACH = 4, MOST = GEMM_SMALL / EACH };
    const int64_t a_row = g->a_row, a_col = g->a_col, b_row = g->b_row;
    const char *a[MOST], *b = g->b;
    V acc[GEMM_SMALL];
#pragma GCC unroll 4
    for (int q = 0; q < MOST; q++) {
        a[q] = g->a + (i + EACH * q < g->m ? i + EACH * q : i) * a_row;
        __asm__("" : "+r"(a[q]));
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) acc[r] = (V){0};
    for (int64_t p = g->k; p > 0; p--, b += b_row) {
        const V line = LDV(&CAT(T, b, 0));
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            const V x = FN(splat)(C_OF(CAT(T, a[r / EACH], r % EACH * a_row)));
            acc[r] = FMA(x, line, acc[r]);
        }
#pragma GCC unroll 4
        for (int q = 0; q < MOST; q++) a[q] += a_col;
    }
    char *c = g->c + i * g->c_row;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++, c += g->c_row) STV(&AT(T, c, 0), acc[r]);
}

#define DIRECT_ALONE(rows)                                                                         \
    case (rows): FN(direct_alone)(g, rows, i); break

static void FN(direct_column)(const nomen__gemm_args *g) {
    const int64_t tiles = (g->m + GEMM_SMALL - 1) / GEMM_SMALL;
    const int64_t rows = tiles == 1 ? g->m : (g->m + tiles - 1) / tiles; /* divisions take long */
    for (int64_t t = 0; t < tiles; t++) {
        const int64_t i = (t + 1) * rows <= g->m ? t * rows : g->m - rows;
        switch (rows) {
            DIRECT_ALONE(8);
            DIRECT_ALONE(9);
            DIRECT_ALONE(10);
            DIRECT_ALONE(11);
            DIRECT_ALONE(12);
            DIRECT_ALONE(13);
            DIRECT_ALONE(14);
            DIRECT_ALONE(15);
            DIRECT_ALONE(16);
        }
    }
}
#undef DIRECT_ALONE
#endif

/* Tiles of more than half of MR rows, so that the rows of C come out almost even. */
#define DIRECT_CASE(fewer)                                                                         \
    case (fewer): FN(direct_rows)(g, (fewer) < MR / 2 ? MR - (fewer) : MR, i); break

static void FN(direct_tiles)(const nomen__gemm_args *g) {
#if VB == 64
    if (g->n == W) {
        FN(direct_column)(g);
        return;
    }
#endif
    const int64_t tiles = (g->m + MR - 1) / MR, rows = (g->m + tiles - 1) / tiles;
    for (int64_t t = 0; t < tiles; t++) {
        const int64_t i = (t + 1) * rows <= g->m ? t * rows : g->m - rows;
        switch (MR - rows) {
            DIRECT_CASE(0);
            DIRECT_CASE(1);
            DIRECT_CASE(2);
            DIRECT_CASE(3);
            DIRECT_CASE(4);
            DIRECT_CASE(5);
            DIRECT_CASE(6);
        }
    }
}
#undef DIRECT_CASE

/* Whether rows of C are best computed so. */
static inline bool FN(is_direct)(int64_t m, int64_t n, int64_t k) {
    return m > MR / 2 && n > GEMM_NARROW && k <= DIRECT_K && k * n * E < DIRECT_B;
}

static APART void FN(direct)(const nomen__gemm_args *g, T *scratch) {
    nomen__gemm_args rows;
    if (g->b_col == E) {
        FN(direct_tiles)(g);
        return;
    }
    rows = *g;
    for (int64_t p0 = 0; p0 < g->k; p0 += 8) /* 8 rows of the copy stay in L1 */
        for (int64_t j = 0; j < g->n; j++)
            for (int64_t p = p0; p < g->k && p < p0 + 8; p++)
                scratch[p * g->n + j] = CAT(T, g->b, p * g->b_row + j * g->b_col);
    rows.b = (const char *)scratch;
    rows.b_row = g->n * E;
    FN(direct_tiles)(&rows);
}
