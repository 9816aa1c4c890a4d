/* Vector mathematics of points in the plane: angles and distances from two coordinates. */
#ifndef NOMEN_SRC_VMATH_PLANE_H
#define NOMEN_SRC_VMATH_PLANE_H

#include "kernels/simd/vmath_more.h"

/* The atan of the quotient, and half a turn where x is negative. Infinities are 1 beside each
 * other, and zeros are divided by 1, so that no quotient is NaN that need not be. A quotient that
 * is too large or too small is right all the same: there atan is flat, or its argument. */
static __attribute__((noinline, unused)) vf64 v_atan2_else_f64(vf64 y, vf64 x, vi64 fit,
                                                               vf64 fine) {
    const vf64 one = v_set_f64(1), infinity = v_set_f64((double)INFINITY);
    const vi64 endless = (v_abs_f64(x) == infinity) & (v_abs_f64(y) == infinity);
    const vf64 over = v_sel_f64(endless, v_copysign_f64(one, y), y);
    const vf64 under = v_sel_f64(endless | ((x == 0) & (y == 0)), v_copysign_f64(one, x), x);
    const vf64 r = v_atan_f64(over / under);
    const vf64 turned = (r + v_copysign_f64(v_set_f64(2 * VMATH_PI_2_REST_F64), y)) +
                        v_copysign_f64(v_set_f64(2 * VMATH_PI_2_WHOLE_F64), y);
    return v_sel_f64(fit, fine, v_sel_f64((vi64)x < 0, turned, r));
}
static inline vf64 v_atan2_f64(vf64 y, vf64 x) {
    const vf64 rise = v_abs_f64(y), run = v_abs_f64(x);
    const vmask_f64 steep = v_less_f64(run, rise);
    const vf64 less = v_either_f64(steep, run, rise), more = v_either_f64(steep, rise, run);
    /* the quotient is 0 or normal, and so is what a first try at it lacks */
    const vi64 fit = (more > 0x1p-400) & (more < 0x1p400) & ((less > 0x1p-500) | (less == 0));
    const vf64 a = v_atan_ratio_f64(rise, run);
    const vf64 turned = (2 * VMATH_PI_2_REST_F64 - a) + 2 * VMATH_PI_2_WHOLE_F64;
    const vf64 r = v_copysign_f64(v_either_f64(v_negative_f64(x), turned, a), y);
    return __builtin_expect(v_any64(~fit), 0) ? v_atan2_else_f64(y, x, fit, r) : r;
}
/* Of numbers that were f32: the atan of the quotient of the smaller and the larger, away from the
 * nearest axis. In f64 such quotients neither overflow nor vanish; infinities become numbers so
 * large that what they leave of others does vanish in f32. */
static inline vf64 v_atan2_short(vf64 y, vf64 x) {
    const vf64 one = v_set_f64(1);
    const vf64 rise = v_min_f64(v_abs_f64(y), 0x1p400), run = v_min_f64(v_abs_f64(x), 0x1p400);
    const vmask_f64 steep = v_less_f64(run, rise);
    const vf64 less = v_either_f64(steep, run, rise), more = v_either_f64(steep, rise, run);
    const vf64 t = less * v_inverse_short(v_max_f64(more, 0x1p-400)), z = t * t;
    const vf64 a = t * v_fma_f64(z, VMATH_POLY(z, ATAN_SHORT_F64), one);
    const vf64 first = v_either_f64(steep, v_set_f64(VMATH_PI_2_WHOLE_F64) - a, a);
    const vf64 r = v_either_f64(v_negative_f64(x), v_set_f64(VMATH_PI_WHOLE_F64) - first, first);
    return v_copysign_f64(r, y);
}
static inline vf32 v_atan2_any_f32(vf32 y, vf32 x) {
    return v_narrow_f64(v_atan2_short(v_low_f64(y), v_low_f64(x)),
                        v_atan2_short(v_high_f64(y), v_high_f64(x)));
}
#if SIMD_FMA
static __attribute__((noinline, unused)) vf32 v_atan2_else_f32(vf32 y, vf32 x, vi32 fit, vf32 r) {
    return v_sel_f32(fit, r, v_atan2_any_f32(y, x));
}
/* As v_atan_f32, with t the quotient of the smaller and the larger: `left` is its second digit. An
 * axis is 0, a quarter or half a turn away, in two digits, and t leads to it or from it. */
static inline vf32 v_atan2_f32(vf32 y, vf32 x) {
    const vf32 rise = v_abs_f32(y), run = v_abs_f32(x), one = v_set_f32(1), zero = (vf32){0};
    const vmask_f32 steep = v_less_f32(run, rise), behind = v_negative_f32(x);
    const vf32 less = v_either_f32(steep, run, rise), more = v_either_f32(steep, rise, run);
    /* the quotient is 0 or normal, and so is what a first try at it lacks */
    const vi32 fit = (more > 0x1p-64f) & (more < 0x1p24f) & ((less > 0x1p-100f) | (less == 0));
    const vf32 about = v_about_inverse_f32(more), head = less * about;
    const vf32 left = about * v_fma_f32(-head, more, less);
    const vf32 t = head + left, lost = (head - t) + left, z = t * t;
    const vf32 way = v_copysign_f32(one, v_either_f32(steep, -x, x));
    const vf32 whole =
        v_either_f32(steep, v_set_f32(VMATH_PI_2_WHOLE_F32),
                     v_either_f32(behind, v_set_f32(2 * VMATH_PI_2_WHOLE_F32), zero));
    const vf32 low = v_either_f32(steep, v_set_f32(VMATH_PI_2_REST_F32),
                                  v_either_f32(behind, v_set_f32(2 * VMATH_PI_2_REST_F32), zero));
    const vf32 sum = v_fma_f32(way, t, whole);
    const vf32 rest =
        v_fma_f32(lost, v_fma_f32(z, v_set_f32(-0.5f), one), t * z * VMATH_HORNER(z, ATAN_F32));
    const vf32 tail = v_fma_f32(way, rest, v_fma_f32(way, t, whole - sum) + low);
    const vf32 r = v_copysign_f32(sum + tail, y);
    return __builtin_expect(v_any32(~fit), 0) ? v_atan2_else_f32(y, x, fit, r) : r;
}
#else
static inline vf32 v_atan2_f32(vf32 y, vf32 x) { return v_atan2_any_f32(y, x); }
#endif
/* Squares of f32 neither overflow nor vanish in f64. */
static inline vf32 v_hypot_f32(vf32 x, vf32 y) {
    const vf64 xl = v_low_f64(x), xh = v_high_f64(x), yl = v_low_f64(y), yh = v_high_f64(y);
    const vf32 r = v_narrow_f64(v_sqrt_f64(xl * xl + yl * yl), v_sqrt_f64(xh * xh + yh * yh));
    const vf32 infinity = v_set_f32((float)INFINITY);
    return v_sel_f32((v_abs_f32(x) == infinity) | (v_abs_f32(y) == infinity), infinity, r);
}
/* r, and in the lanes that do not fit that of libm. */
static __attribute__((noinline, unused)) vf64 v_hypot_else_f64(vf64 x, vf64 y, vi64 fit, vf64 r) {
    for (int i = 0; i < W64; i++)
        if (!fit[i]) r[i] = hypot(x[i], y[i]);
    return r;
}
/* x^2 - p, where p is x^2 rounded. */
static inline vf64 v_square_lost_f64(vf64 x, vf64 p) {
#if SIMD_FMA
    return v_fma_f64(x, x, -p);
#else
    const vf64 wide = x * 0x1.0000002p27, upper = wide - (wide - x), lower = x - upper;
    return ((upper * upper - p) + 2.0 * upper * lower) + lower * lower;
#endif
}
/* The root, and one step for what it and the squares lost: the same bits with and without fma. */
static inline vf64 v_hypot_f64(vf64 x, vf64 y) {
    const vf64 a = v_abs_f64(x), b = v_abs_f64(y);
    const vmask_f64 steep = v_less_f64(a, b);
    const vf64 more = v_either_f64(steep, b, a), less = v_either_f64(steep, a, b);
    /* no square over- or underflows, but for one that does not count */
    const vi64 fit = (more > 0x1p-400) & (more < 0x1p400) & (less < 0x1p400);
    const vf64 p = more * more, q = less * less, h = v_sqrt_f64(p + q), s = h * h;
    const vf64 lost = v_square_lost_f64(more, p) - v_square_lost_f64(h, s);
    const vf64 off = ((p - s) + q) + (lost + v_square_lost_f64(less, q));
    const vf64 r = h + off * (0.5 / h);
    return __builtin_expect(v_any64(~fit), 0) ? v_hypot_else_f64(x, y, fit, r) : r;
}

#endif
