/* Part of gemm_complex.h: many products of small matrices, one in each lane, as gemm_batches.h has
 * them: panels are those of the parts, whose dtype is PART, real and imaginary ones by turns. The
 * order of a sum is that of add_product. */

#define OF_PARTS(name) FN2(name, OP, PART)

/* Sums of products of `rows` rows and `cols` columns, which are constants. */
static inline __attribute__((always_inline)) void
FN(batch_tile)(const C *a, const C *b, C *c, int64_t k, const OF_PARTS(shape) * s_a,
               const OF_PARTS(shape) * s_b, const OF_PARTS(shape) * s_c, const int rows,
               const int cols) {
    V re[2][2], im[2][2];
#pragma GCC unroll 2
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < cols; j++) re[i][j] = im[i][j] = (V){0};
    for (; k > 0; k--, a += 2 * s_a->col, b += 2 * s_b->row)
#pragma GCC unroll 2
        for (int i = 0; i < rows; i++) {
            const C *const one = a + 2 * i * s_a->row;
            const V x = LDV(one), y = LDV(one + W);
#pragma GCC unroll 2
            for (int j = 0; j < cols; j++) {
                const C *const other = b + 2 * j * s_b->col;
                const V b_re = LDV(other), b_im = LDV(other + W);
                re[i][j] = v_fma_less(y, b_im, FMA(x, b_re, re[i][j]));
                im[i][j] = FMA(y, b_re, FMA(x, b_im, im[i][j]));
            }
        }
#pragma GCC unroll 2
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < cols; j++) {
            C *const to = c + 2 * (i * s_c->row + j * s_c->col);
            STV(to, re[i][j]);
            STV(to + W, im[i][j]);
        }
}

static APART void FN(batch_products)(const C *a, const C *b, C *c, const nomen__gemm_args *g,
                                     const OF_PARTS(shape) * s_a, const OF_PARTS(shape) * s_b,
                                     const OF_PARTS(shape) * s_c) {
    for (int64_t i = 0; i < g->m; i += 2)
        for (int64_t j = 0; j < g->n; j += 2) {
            const C *x = a + 2 * i * s_a->row, *y = b + 2 * j * s_b->col;
            C *to = c + 2 * (i * s_c->row + j * s_c->col);
            if (g->m - i > 1 && g->n - j > 1)
                FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 2, 2);
            else if (g->m - i > 1)
                FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 2, 1);
            else if (g->n - j > 1)
                FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 1, 2);
            else
                FN(batch_tile)(x, y, to, g->k, s_a, s_b, s_c, 1, 1);
        }
}

#define PARTS        2
#define PANELS(name) OF_PARTS(name)
#define BATCH_WIDE   (W / 4)
#define BATCH_DOT    (2 * W)
#define BATCH_FEW    32
#include "kernels/loops/gemm_batch_run.h"
#undef OF_PARTS
