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

#define PARTS        1
#define PANELS(name) FN(name)
#define BATCH_WIDE   (E == 8 ? W - W / 4 : W / 2)
#define BATCH_DOT    (4 * W)
#define BATCH_FEW    64
#include "kernels/loops/gemm_batch_run.h"
