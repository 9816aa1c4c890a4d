/* Include-template of distance.h: the sums of one kind of norm over a tile of points, along the
 * coordinates of two, or of two in each lane. Before: what distance.h has, KIND, TERM(acc, d) -> V,
 * JOIN(double, double) for blocks of coordinates; TERM may use `power`. UNITE(V, V) if vectors are
 * joined without rounding, so that lanes of one are left. After: FN(tile_KIND), FN(along_KIND),
 * FN(lanes_KIND); these four are undefined. */

#define NAMED2(part, kind) FN(part##_##kind)
#define NAMED(part, kind)  NAMED2(part, kind)

/* Of n coordinates, from x[0..MR) on, with the points of the first nv vectors of b; nv is a
 * constant. */
static inline __attribute__((always_inline)) void
NAMED(vectors, KIND)(const char *const *x, int64_t step, int64_t n, const C *b, C *sum,
                     const vf64 power, const int nv) {
    V acc[MR][NV];
#pragma GCC unroll 8
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) acc[i][v] = (V){0};
    for (int64_t at = 0; n > 0; n--, at += step, b += NR) {
        V y[NV];
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) y[v] = LD(b + v * W);
#pragma GCC unroll 8
        for (int i = 0; i < MR; i++) {
            const V own = FN(splat)(*(const C *)(const void *)(x[i] + at));
#pragma GCC unroll 8
            for (int v = 0; v < nv; v++) {
                const V d = own - y[v];
                acc[i][v] = TERM(acc[i][v], d);
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 8
        for (int v = 0; v < nv; v++) ST(sum + i * NR + v * W, acc[i][v]);
    (void)power;
}
static APART void NAMED(block, KIND)(const char *const *x, int64_t step, int64_t n, const C *b,
                                     C *sum, const vf64 power, bool narrow) {
    if (narrow)
        NAMED(vectors, KIND)(x, step, n, b, sum, power, 1);
    else
        NAMED(vectors, KIND)(x, step, n, b, sum, power, NV);
}

/* `sum` is MR rows of NR, of which a narrow tile fills the first W. */
static void NAMED(tile, KIND)(const nomen__distance_args *a, const char *const *row, const C *b,
                              C *sum, bool narrow) {
    const vf64 power = v_set_f64(a->p);
    double total[MR * NR];
    if (a->k <= COORDINATES) {
        NAMED(block, KIND)(row, a->a_col, a->k, b, sum, power, narrow);
        return;
    }
    if (narrow) memset(sum, 0, MR * NR * sizeof(C));
    for (int e = 0; e < MR * NR; e++) total[e] = 0;
    for (int64_t first = 0; first < a->k; first += COORDINATES) {
        const char *x[MR];
        for (int i = 0; i < MR; i++) x[i] = row[i] + first * a->a_col;
        int64_t left = a->k - first;
        NAMED(block, KIND)(x, a->a_col, left < COORDINATES ? left : COORDINATES, b + first * NR,
                           sum, power, narrow);
        for (int e = 0; e < MR * NR; e++) total[e] = JOIN(total[e], (double)sum[e]);
    }
    for (int e = 0; e < MR * NR; e++) sum[e] = (C)total[e];
}

/* Of two points whose coordinates lie side by side. Lanes are blocks of their own. */
static APART C NAMED(along, KIND)(const C *x, const C *y, int64_t k, double p) {
    enum { BLOCK = COORDINATES * W };
    const vf64 power = v_set_f64(p);
    double total = 0;
    for (int64_t n; k > 0; k -= n, x += n, y += n) {
        C lanes[4 * W] __attribute__((aligned(64)));
        double joined[W];
        V acc[4] = {{0}};
        int64_t c = 0;
        n = k < BLOCK ? k : BLOCK;
        for (; c + 4 * W <= n; c += 4 * W)
#pragma GCC unroll 4
            for (int v = 0; v < 4; v++) {
                const V d = LD(x + c + v * W) - LD(y + c + v * W);
                acc[v] = TERM(acc[v], d);
            }
        for (; c < n; c += W) {
            const V d = n - c < W ? LDN(x + c, n - c) - LDN(y + c, n - c) : LD(x + c) - LD(y + c);
            acc[0] = TERM(acc[0], d);
        }
#ifdef UNITE
        ST(lanes, UNITE(UNITE(acc[0], acc[1]), UNITE(acc[2], acc[3])));
        for (int e = 0; e < W; e++) joined[e] = (double)lanes[e];
#else
        for (int v = 0; v < 4; v++) ST(lanes + v * W, acc[v]);
        for (int e = 0; e < W; e++) { /* in halves: one after the other they would wait */
            const double one = (double)lanes[e], other = (double)lanes[2 * W + e];
            const double two = JOIN(one, (double)lanes[W + e]);
            joined[e] = JOIN(two, JOIN(other, (double)lanes[3 * W + e]));
        }
#endif
        for (int half = W / 2; half; half /= 2)
            for (int e = 0; e < half; e++) joined[e] = JOIN(joined[e], joined[e + half]);
        total = JOIN(total, joined[0]);
    }
    (void)power;
    return (C)total;
}

/* Of two points in panels, `step` elements from coordinate to coordinate. */
static inline V NAMED(lanes, KIND)(const C *x, int64_t x_step, const C *y, int64_t y_step,
                                   int64_t k, const vf64 power) {
    V acc = {0};
    for (; k > 0; k--, x += x_step, y += y_step) {
        const V d = LD(x) - LD(y);
        acc = TERM(acc, d);
    }
    (void)power;
    return acc;
}

#undef NAMED
#undef NAMED2
#undef KIND
#undef TERM
#undef JOIN
#undef UNITE
