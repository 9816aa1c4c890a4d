/* Part of distance.h: the distances of many pairs of two short lists of points, a pair of lists in
 * each lane. Points of W batches are turned over into panels (batch_panels.h), and their distances
 * back: no lane is left empty, however few points or coordinates there are.
 *
 * Limit: turning, some instructions per coordinate and distance, and two per coordinate of W pairs.
 */

#define T              C
#define E              ((int64_t)sizeof(C))
#define LDV(p)         LD(p)
#define LDV_N(p, n)    LDN(p, n)
#define STV(p, v)      ST(p, v)
#define STV_N(p, v, n) STN(p, v, n)
#define C_OF(x)        (x)
#define T_OF(x)        (x)
#include "kernels/loops/batch_panels.h"

enum { FN(batch_room) = BATCH_BYTES / VB };

static bool FN(wants_batches)(const nomen__distance_args *a, int64_t count) {
    enum { BATCHES = 8 };
    return count >= BATCHES && !a->pairs && a->m <= BATCH_POINTS && a->n <= BATCH_POINTS &&
           a->k <= COORDINATES && (a->m + a->n) * a->k + a->m * a->n <= FN(batch_room);
}

#if AGAIN
/* Distances i, j of those lanes whose sums are out of range, unless the points are the same. */
static APART V FN(lanes_again)(V s, const nomen__distance_args *a, const int64_t step[3], int64_t i,
                               int64_t j, int64_t lanes, V largest) {
    const vi32 odd = is_odd_f32(s) & (vi32)(largest != 0);
    if (!v_any(odd)) return s;
    for (int64_t l = 0; l < lanes; l++) {
        nomen__distance_args one = *a;
        if (!odd[l]) continue;
        one.a += l * step[0];
        one.b += l * step[1];
        s[l] = -(C)again_f32(&one, i, j);
    }
    return s;
}
#endif

/* `a` is where the first lane's points lie, x and y are the panels. */
static inline V FN(lane_sums)(const nomen__distance_args *a, const C *x, int64_t x_step, const C *y,
                              int64_t y_step, const vf64 power) {
    return a->p == 2        ? FN(lanes_2)(x, x_step, y, y_step, a->k, power)
           : a->p == 1      ? FN(lanes_1)(x, x_step, y, y_step, a->k, power)
           : a->p == 0      ? FN(lanes_count)(x, x_step, y, y_step, a->k, power)
           : a->p > DBL_MAX ? FN(lanes_most)(x, x_step, y, y_step, a->k, power)
                            : FN(lanes_power)(x, x_step, y, y_step, a->k, power);
}

static APART void FN(batch_distances)(const nomen__distance_args *a, const int64_t step[3],
                                      int64_t lanes, const C *x, const C *y, C *to,
                                      const FN(shape) * s_x, const FN(shape) * s_y,
                                      const FN(shape) * s_to) {
    const bool plain = a->p == 0 || a->p == 1 || a->p > DBL_MAX;
    const vf64 power = v_set_f64(a->p), root = v_set_f64(1 / a->p);
    for (int64_t i = 0; i < a->m; i++)
        for (int64_t j = 0; j < a->n; j++) {
            const C *const own = x + i * s_x->row, *const other = y + j * s_y->row;
            V s = FN(lane_sums)(a, own, s_x->col, other, s_y->col, power);
#if AGAIN
            if (!plain && v_any(is_odd_f32(s)))
                s = FN(lanes_again)(s, a, step, i, j, lanes,
                                    FN(lanes_most)(own, s_x->col, other, s_y->col, a->k, power));
#endif
            if (!plain) s = FN(rooted)(s, a->p, root);
            ST(to + i * s_to->row + j * s_to->col, s);
        }
    (void)step, (void)lanes;
}

static void FN(run_batches)(const nomen__distance_args *a, int64_t count, const int64_t step[3]) {
    C panels[FN(batch_room) * W] __attribute__((aligned(64)));
    const FN(shape) s_x = FN(shape_of)(a->m, a->k, a->a_row, a->a_col);
    const FN(shape) s_y = FN(shape_of)(a->n, a->k, a->b_row, a->b_col);
    const FN(shape) s_to = FN(shape_of)(a->m, a->n, a->out_row, a->out_col);
    C *const x = panels, *const y = x + a->m * a->k * W, *const to = y + a->n * a->k * W;
    nomen__distance_args some = *a;
    for (int64_t i = 0; i < count; i += W) {
        const int64_t lanes = count - i < W ? count - i : W;
        if (i == 0 || step[0] != 0) FN(panel_in)(x, some.a, lanes, step[0], &s_x, 1);
        if (i == 0 || step[1] != 0) FN(panel_in)(y, some.b, lanes, step[1], &s_y, 1);
        FN(batch_distances)(&some, step, lanes, x, y, to, &s_x, &s_y, &s_to);
        FN(panel_out)(some.out, to, lanes, step[2], &s_to, 1);
        some.a += W * step[0];
        some.b += W * step[1];
        some.out += W * step[2];
    }
}

/* ---- gradients: the words of distance_slope.h, in lanes -------------------------------------- */

/* What a pair's difference, or the sign of that, is to be multiplied with; 0 where that would be
 * infinite: in lanes that are `over`, differences are divided first, and later. */
static inline V FN(lane_factor)(const nomen__distance_args *a, V g, V distance, V *over) {
    *over = (V){0};
    if (a->p == 1) return g;
    const V met = v_sel((distance == 0), v_like(distance, 1), distance);
    if (a->p > DBL_MAX) return v_sel((distance == 0), (V){0}, g);
    const V most = FN(splat)((C)(sizeof(C) == 4 ? FLT_MAX : DBL_MAX)), q = g / met;
    *over = v_sel((v_abs(q) > most) & (v_abs(g) <= most), v_like(q, 1), (V){0});
    return v_sel((distance == 0) | (*over != 0), (V){0}, q);
}

/* As many differences as are as large as the largest one share a gradient. */
static inline V FN(lane_ties)(const C *x, int64_t x_step, const C *y, int64_t y_step, int64_t k,
                              V distance) {
    V many = {0};
    for (; k > 0; k--, x += x_step, y += y_step)
        many += v_sel(v_abs(LD(x) - LD(y)) == distance, v_like(distance, 1), (V){0});
    return v_sel((many > 1), many, v_like(many, 1));
}

/* What a pair says of one coordinate, in which it differs by d. */
static inline V FN(lane_pull)(V sum, V d, V factor, V distance, double p) {
    if (p == 1) return v_fma(factor, FN(sign)(d), sum);
    if (p <= DBL_MAX) return v_fma(factor, d, sum);
    const V sign = v_sel(v_abs(d) == distance, v_copysign(v_like(d, 1), d), (V){0});
    return v_fma(factor, sign, sum);
}

/* Panels of both lists, gradients, distances and results, and their shapes. */
typedef struct FN(lane_slopes) {
    C *x, *y, *g, *norm, *out;
    FN(shape) of_x, of_y, of_g, of_norm, of_out;
} FN(lane_slopes);

/* Of point i, after all others: the pairs that are over. */
static APART void FN(lanes_over)(const nomen__distance_args *a, const FN(lane_slopes) * s,
                                 int64_t i) {
    for (int64_t j = 0; j < a->n; j++) {
        const C *const x = s->x + i * s->of_x.row, *const y = s->y + j * s->of_y.row;
        const V g = LD(s->g + i * s->of_g.row + j * s->of_g.col);
        const V distance = LD(s->norm + i * s->of_norm.row + j * s->of_norm.col);
        V over;
        (void)FN(lane_factor)(a, g, distance, &over);
        for (int64_t c = 0; c < a->k; c++) {
            C *const to = s->out + i * s->of_out.row + c * s->of_out.col;
            const V d = LD(x + c * s->of_x.col) - LD(y + c * s->of_y.col), sum = LD(to);
            ST(to, v_sel((over != 0), sum + d / distance * g, sum));
        }
    }
}

static APART void FN(batch_slopes)(const nomen__distance_args *a, const FN(lane_slopes) * s) {
    for (int64_t i = 0; i < a->m; i++) {
        const C *const x = s->x + i * s->of_x.row;
        C *const out = s->out + i * s->of_out.row;
        bool odd = false;
        for (int64_t c = 0; c < a->k; c++) ST(out + c * s->of_out.col, (V){0});
        for (int64_t j = 0; j < a->n; j++) {
            const C *const y = s->y + j * s->of_y.row;
            const V g = LD(s->g + i * s->of_g.row + j * s->of_g.col);
            const V distance = LD(s->norm + i * s->of_norm.row + j * s->of_norm.col);
            V over, factor = FN(lane_factor)(a, g, distance, &over);
            odd |= FN(any)(over);
            if (a->p > DBL_MAX)
                factor /= FN(lane_ties)(x, s->of_x.col, y, s->of_y.col, a->k, distance);
            for (int64_t c = 0; c < a->k; c++) {
                C *const to = out + c * s->of_out.col;
                const V d = LD(x + c * s->of_x.col) - LD(y + c * s->of_y.col);
                ST(to, FN(lane_pull)(LD(to), d, factor, distance, a->p));
            }
        }
        if (odd) FN(lanes_over)(a, s, i);
    }
}

static bool FN(wants_slopes)(const nomen__distance_args *a, int64_t count) {
    const int64_t pairs = a->m * a->n, coordinates = 2 * a->m * a->k + a->n * a->k;
    return FN(wants_batches)(a, count) && coordinates + 2 * pairs <= FN(batch_room);
}

static void FN(slope_batches)(const nomen__distance_args *a, int64_t count, const int64_t step[5]) {
    C panels[FN(batch_room) * W] __attribute__((aligned(64)));
    const int64_t pairs = a->m * a->n * W, own = a->m * a->k * W;
    FN(lane_slopes)
    s = {.of_x = FN(shape_of)(a->m, a->k, a->a_row, a->a_col),
         .of_y = FN(shape_of)(a->n, a->k, a->b_row, a->b_col),
         .of_g = FN(shape_of)(a->m, a->n, a->g_row, a->g_col),
         .of_norm = FN(shape_of)(a->m, a->n, a->norm_row, a->norm_col),
         .of_out = FN(shape_of)(a->m, a->k, a->out_row, (int64_t)sizeof(C))};
    s.g = panels;
    s.norm = s.g + pairs;
    s.x = s.norm + pairs;
    s.out = s.x + own;
    s.y = s.out + own;
    for (int64_t i = 0; i < count; i += W) {
        const int64_t lanes = count - i < W ? count - i : W;
        FN(panel_in)(s.x, a->a + i * step[0], lanes, step[0], &s.of_x, 1);
        FN(panel_in)(s.y, a->b + i * step[1], lanes, step[1], &s.of_y, 1);
        FN(panel_in)(s.g, a->g + i * step[2], lanes, step[2], &s.of_g, 1);
        FN(panel_in)(s.norm, a->norm + i * step[3], lanes, step[3], &s.of_norm, 1);
        FN(batch_slopes)(a, &s);
        FN(panel_out)(a->out + i * step[4], s.out, lanes, step[4], &s.of_out, 1);
    }
}

#undef T
#undef E
#undef LDV
#undef LDV_N
#undef STV
#undef STV_N
#undef C_OF
#undef T_OF
