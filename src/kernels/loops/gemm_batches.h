/* Part of gemm_real.h: many products of small matrices, one in each lane. The matrices of W batches
 * are turned over into panels (batch_panels.h), multiplied, and turned back: nothing is spent on
 * what is around a product, and no lane is left empty, however short rows and columns are.
 *
 * Limit: turning, some instructions per element, and a fused multiply-add for each W products. */

/* Sums of products of `rows` rows and `cols` columns, which are constants. */
static inline __attribute__((always_inline)) void
FN(batch_tile)(const C *a, const C *b, C *c, int64_t k, const FN(shape) * s_a,
               const FN(shape) * s_b, const FN(shape) * s_c, const int rows, const int cols) {
    V sum[4][2];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < cols; j++) sum[i][j] = (V){0};
    for (; k > 0; k--, a += s_a->col, b += s_b->row) {
        V y[2];
#pragma GCC unroll 2
        for (int j = 0; j < cols; j++) y[j] = *(const V *)(const void *)(b + j * s_b->col);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            const V x = *(const V *)(const void *)(a + i * s_a->row);
#pragma GCC unroll 2
            for (int j = 0; j < cols; j++) sum[i][j] = FMA(x, y[j], sum[i][j]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < cols; j++) *(V *)(void *)(c + i * s_c->row + j * s_c->col) = sum[i][j];
}

/* The products of a panel, as many as there are lanes. */
static APART void FN(batch_products)(const C *a, const C *b, C *c, const nomen__gemm_args *g,
                                     const FN(shape) * s_a, const FN(shape) * s_b,
                                     const FN(shape) * s_c) {
    for (int64_t i = 0, rows; i < g->m; i += rows) {
        rows = g->m - i >= 4 ? 4 : g->m - i >= 2 ? 2 : 1;
        for (int64_t j = 0, cols; j < g->n; j += cols) {
            const C *x = a + i * s_a->row, *y = b + j * s_b->col;
            C *to = c + i * s_c->row + j * s_c->col;
            cols = g->n - j >= 2 ? 2 : 1;
            switch (rows + cols) {
            case 6: FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 4, 2); break;
            case 5: FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 4, 1); break;
            case 4: FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 2, 2); break;
            case 3:
                if (rows == 2)
                    FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 2, 1);
                else
                    FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 1, 2);
                break;
            default: FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 1, 1);
            }
        }
    }
}

/* Elements of all three panels that stay in L1. */
enum { FN(batch_room) = BATCH_BYTES / VB };

/* What a row of B fills well enough is multiplied faster where it lies, and so is a row with a
 * column, if it is long. A vector with many empty lanes takes as long as a full one. */
static bool FN(wants_batches)(const nomen__gemm_args *g, int64_t count) {
    enum { BATCHES = 8, WIDE = E == 8 ? W - W / 4 : W / 2, DOT = 4 * W, FEW = 64 };
    const int64_t elements = g->m * g->k + g->k * g->n + g->m * g->n;
    const bool rows = g->b_col == E && g->c_col == E && g->n > WIDE;
    if (count < BATCHES || (count < W - W / 4 && elements > FEW)) return false;
    if (g->m > BATCH_SIDE || g->n > BATCH_SIDE || g->k < 1 || elements > FN(batch_room) || rows)
        return false;
    return g->m * g->n > 1 ? g->k <= KC : g->k <= DOT;
}

static void FN(run_batches)(const nomen__gemm_args *g, int64_t count, const int64_t step[3]) {
    C panels[FN(batch_room) * W] __attribute__((aligned(64)));
    const FN(shape) s_a = FN(shape_of)(g->m, g->k, g->a_row, g->a_col);
    const FN(shape) s_b = FN(shape_of)(g->k, g->n, g->b_row, g->b_col);
    const FN(shape) s_c = FN(shape_of)(g->m, g->n, g->c_row, g->c_col);
    C *const a = panels, *const b = a + g->m * g->k * W, *const c = b + g->k * g->n * W;
    for (int64_t i = 0; i < count; i += W) {
        const int64_t lanes = count - i < W ? count - i : W;
        if (i == 0 || step[0] != 0) FN(panel_in)(a, g->a + i * step[0], lanes, step[0], &s_a);
        if (i == 0 || step[1] != 0) FN(panel_in)(b, g->b + i * step[1], lanes, step[1], &s_b);
        FN(batch_products)(a, b, c, g, &s_a, &s_b, &s_c);
        FN(panel_out)(g->c + i * step[2], c, lanes, step[2], &s_c);
    }
}
