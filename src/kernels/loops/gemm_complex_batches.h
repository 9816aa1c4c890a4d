/* Part of gemm_complex.h: many products of small matrices, one in each lane, as gemm_batches.h has
 * them: panels are those of the parts, whose dtype is PART, real and imaginary ones by turns. The
 * order of a sum is that of add_product. */

#define OF_PARTS(name) FN2(name, OP, PART)

/* Matrices into a panel, where shapes count numbers. */
static void FN(batch_in)(C *to, const char *from, int64_t lanes, int64_t batch,
                         const OF_PARTS(shape) * s) {
    for (int64_t i = 0; i < s->outer; i++, to += 2 * s->inner * W, from += s->far) {
        if (s->near == E) {
            OF_PARTS(line_in)(to, from, lanes, batch, 2 * s->inner, sizeof(C));
            continue;
        }
        for (int64_t e = 0; e < s->inner; e++)
            OF_PARTS(line_in)(to + 2 * e * W, from + e * s->near, lanes, batch, 2, sizeof(C));
    }
}
static void FN(batch_out)(char *to, const C *from, int64_t lanes, int64_t batch,
                          const OF_PARTS(shape) * s) {
    for (int64_t i = 0; i < s->outer; i++, from += 2 * s->inner * W, to += s->far) {
        if (s->near == E) {
            OF_PARTS(line_out)(to, from, lanes, batch, 2 * s->inner, sizeof(C));
            continue;
        }
        for (int64_t e = 0; e < s->inner; e++)
            OF_PARTS(line_out)(to + e * s->near, from + 2 * e * W, lanes, batch, 2, sizeof(C));
    }
}

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

/* Numbers of all three panels that stay in L1. */
enum { FN(batch_room) = BATCH_BYTES / VB / 2 };

static bool FN(wants_batches)(const nomen__gemm_args *g, int64_t count) {
    enum { BATCHES = 8, WIDE = W / 4, DOT = 2 * W, FEW = 32 };
    const int64_t numbers = g->m * g->k + g->k * g->n + g->m * g->n;
    const bool rows = g->b_col == E && g->c_col == E && g->n > WIDE;
    if (count < BATCHES || (count < W - W / 4 && numbers > FEW)) return false;
    if (g->m > BATCH_SIDE || g->n > BATCH_SIDE || g->k < 1 || numbers > FN(batch_room) || rows)
        return false;
    return g->m * g->n > 1 ? g->k <= KC : g->k <= DOT;
}

static void FN(run_batches)(const nomen__gemm_args *g, int64_t count, const int64_t step[3]) {
    C panels[2 * FN(batch_room) * W] __attribute__((aligned(64)));
    const OF_PARTS(shape) s_a = OF_PARTS(shape_of)(g->m, g->k, g->a_row, g->a_col);
    const OF_PARTS(shape) s_b = OF_PARTS(shape_of)(g->k, g->n, g->b_row, g->b_col);
    const OF_PARTS(shape) s_c = OF_PARTS(shape_of)(g->m, g->n, g->c_row, g->c_col);
    C *const a = panels, *const b = a + 2 * g->m * g->k * W, *const c = b + 2 * g->k * g->n * W;
    for (int64_t i = 0; i < count; i += W) {
        const int64_t lanes = count - i < W ? count - i : W;
        if (i == 0 || step[0] != 0) FN(batch_in)(a, g->a + i * step[0], lanes, step[0], &s_a);
        if (i == 0 || step[1] != 0) FN(batch_in)(b, g->b + i * step[1], lanes, step[1], &s_b);
        FN(batch_products)(a, b, c, g, &s_a, &s_b, &s_c);
        FN(batch_out)(g->c + i * step[2], c, lanes, step[2], &s_c);
    }
}

static const nomen__gemm_batches FN(batches) = {FN(wants_batches), FN(run_batches)};

#undef OF_PARTS
