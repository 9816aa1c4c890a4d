/* Include-template: which products of a batch have a lane each, and how they are run. Before:
 * FN(batch_products) of gemm_batches.h or gemm_complex_batches.h, PARTS (numbers of an element: 2
 * of complex ones), PANELS(name) for what batch_panels.h has for those, and beyond how many columns
 * a row of B fills its vectors well enough (BATCH_WIDE), of how many summands a row with a column
 * is faster where it lies (BATCH_DOT), and how many elements are worth a vector with empty lanes
 * (BATCH_FEW). After: FN(batches); all of them but FN(batch_products) are undefined. */

/* Elements of all three panels that stay in L1. */
enum { FN(batch_room) = BATCH_BYTES / VB / PARTS };

/* What a row of B fills well enough is multiplied faster where it lies, and so is a row with a
 * column, if it is long. A vector with many empty lanes takes as long as a full one. */
static bool FN(wants_batches)(const nomen__gemm_args *g, int64_t count) {
    enum { BATCHES = 8, WIDE = BATCH_WIDE, DOT = BATCH_DOT, FEW = BATCH_FEW };
    const int64_t elements = g->m * g->k + g->k * g->n + g->m * g->n;
    const bool rows = g->b_col == E && g->c_col == E && g->n > WIDE;
    if (count < BATCHES || (count < W - W / 4 && elements > FEW)) return false;
    if (g->m > BATCH_SIDE || g->n > BATCH_SIDE || g->k < 1 || elements > FN(batch_room) || rows)
        return false;
    return g->m * g->n > 1 ? g->k <= KC : g->k <= DOT;
}

static void FN(run_batches)(const nomen__gemm_args *g, int64_t count, const int64_t step[3]) {
    C panels[PARTS * FN(batch_room) * W] __attribute__((aligned(64)));
    const PANELS(shape) s_a = PANELS(shape_of)(g->m, g->k, g->a_row, g->a_col);
    const PANELS(shape) s_b = PANELS(shape_of)(g->k, g->n, g->b_row, g->b_col);
    const PANELS(shape) s_c = PANELS(shape_of)(g->m, g->n, g->c_row, g->c_col);
    C *const a = panels, *const b = a + PARTS * g->m * g->k * W,
             *const c = b + PARTS * g->k * g->n * W;
    for (int64_t i = 0; i < count; i += W) {
        const int64_t lanes = count - i < W ? count - i : W;
        const char *from = g->a + i * step[0], *other = g->b + i * step[1];
        if (i == 0 || step[0] != 0) PANELS(panel_in)(a, from, lanes, step[0], &s_a, PARTS);
        if (i == 0 || step[1] != 0) PANELS(panel_in)(b, other, lanes, step[1], &s_b, PARTS);
        FN(batch_products)(a, b, c, g, &s_a, &s_b, &s_c);
        PANELS(panel_out)(g->c + i * step[2], c, lanes, step[2], &s_c, PARTS);
    }
}

static const nomen__gemm_batches FN(batches) = {FN(wants_batches), FN(run_batches)};

#undef PARTS
#undef PANELS
#undef BATCH_WIDE
#undef BATCH_DOT
#undef BATCH_FEW
