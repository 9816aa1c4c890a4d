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
        if (i == 0 || step[0] != 0) FN(panel_in)(x, some.a, lanes, step[0], &s_x);
        if (i == 0 || step[1] != 0) FN(panel_in)(y, some.b, lanes, step[1], &s_y);
        FN(batch_distances)(&some, step, lanes, x, y, to, &s_x, &s_y, &s_to);
        FN(panel_out)(some.out, to, lanes, step[2], &s_to);
        some.a += W * step[0];
        some.b += W * step[1];
        some.out += W * step[2];
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
