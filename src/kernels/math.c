/* Transcendental functions of real numbers, roots, and powers of integers. Complex: complex.c. tan,
 * hyperbolic and inverse functions: math_trig.c; erf and gamma: math_special.c. */
#define LOOP_PAIRS
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_more.h"

#include <math.h>

#define OP      sqrt
#define EXPR(x) v_sqrt(x)
#if SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_sqrt_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      exp
#define EXPR(x) v_exp(x)
#if !SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_exp_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log
#define EXPR(x) v_log(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log2
#define EXPR(x) v_log2(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      expm1
#define EXPR(x) v_expm1(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      exp2
#define EXPR(x) v_exp2(x)
#if !SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_exp2_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log10
#define EXPR(x) v_log10(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log1p
#define EXPR(x) v_log1p(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sin
#define EXPR(x) v_sin(x)
#if SIMD_FMA
#define QUICK(x, unfit) SIMD_PICK(v_sin_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      cos
#define EXPR(x) v_cos(x)
#if SIMD_FMA
#define QUICK(x, unfit) SIMD_PICK(v_cos_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      tanh
#define EXPR(x) v_tanh(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sigmoid
#define EXPR(x) v_sigmoid(x)
#if !SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_sigmoid_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP         pow
#define EXPR(x, y) v_pow(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

/* By squaring, wrapping. A negative exponent gives what is left of 1 / x^-y: 1 and -1 stay,
 * everything else is 0. */
static inline uint64_t int_pow(uint64_t x, uint64_t y) {
    uint64_t r = 1;
    for (; y != 0; y >>= 1, x *= x) r = y & 1 ? r * x : r;
    return r;
}
static inline int64_t int_pow_signed(int64_t x, int64_t y) {
    if (y >= 0) return (int64_t)int_pow((uint64_t)x, (uint64_t)y);
    if (x == 1 || x == -1) return y & 1 ? x : 1;
    return 0;
}

/* Several at a time, until the longest exponent is used up. Of negative ones it is 1 and -1 that
 * are left, to an exponent of 0 or 1. */
static inline vi64 v_int_pow(vi64 x, vi64 y) {
    const vi64 negative = y < 0, unit = (x == 1) | (x == -1);
    vu64 left = (vu64)(y & (~negative | 1)), square = (vu64)x;
    vu64 r = (vu64)(1 & ~(negative & ~unit));
    for (; v_any64((vi64)left); left >>= 1, square *= square) {
        const vu64 odd = -(left & 1);
        r = (r * square & odd) | (r & ~odd);
    }
    return (vi64)r;
}

#define OP         pow
#define EXPR(x, y) int_pow_signed(x, y)
#define WIDE_EXPR  v_int_pow
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

/* The atan of the quotient, and half a turn where x is negative. Infinities are 1 beside each
 * other, and zeros are divided by 1, so that no quotient is NaN that need not be. A quotient that
 * is too large or too small is right all the same: there atan is flat, or its argument. */
static __attribute__((noinline)) vf64 v_atan2_else_f64(vf64 y, vf64 x, vi64 fit, vf64 fine) {
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
static __attribute__((noinline)) vf32 v_atan2_else_f32(vf32 y, vf32 x, vi32 fit, vf32 r) {
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
static __attribute__((noinline)) vf64 v_hypot_else_f64(vf64 x, vf64 y, vi64 fit, vf64 r) {
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

#define OP         atan2
#define EXPR(x, y) SIMD_PICK(v_atan2, x)(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         hypot
#define EXPR(x, y) SIMD_PICK(v_hypot, x)(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

/* The larger one and what the smaller adds to it. Equal ones apart: infinities have no distance. */
#define OP logaddexp
#define EXPR(x, y)                                                                                 \
    v_sel((x) == (y), (x) + v_like(x, M_LN2),                                                      \
          v_sel((x) > (y), x, y) + v_log1p(v_exp(-v_abs((x) - (y)))))
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP logaddexp2
#define EXPR(x, y)                                                                                 \
    v_sel((x) == (y), (x) + v_like(x, 1),                                                          \
          v_sel((x) > (y), x, y) + v_log1p(v_exp2(-v_abs((x) - (y)))) * v_like(x, M_LOG2E))
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

const nomen__kernel NOMEN__TABLE(math)[] = {
    ROWS_FLOATS("sqrt", sqrt),
    ROWS_FLOATS("exp", exp),
    ROWS_FLOATS("expm1", expm1),
    ROWS_FLOATS("exp2", exp2),
    ROWS_FLOATS("log", log),
    ROWS_FLOATS("log2", log2),
    ROWS_FLOATS("log10", log10),
    ROWS_FLOATS("log1p", log1p),
    ROWS_FLOATS("sin", sin),
    ROWS_FLOATS("cos", cos),
    ROWS_FLOATS("tanh", tanh),
    ROWS_FLOATS("sigmoid", sigmoid),
    ROWS_INTS("pow", pow),
    ROWS_FLOATS("pow", pow),
    ROWS_FLOATS("atan2", atan2),
    ROWS_FLOATS("hypot", hypot),
    ROWS_FLOATS("logaddexp", logaddexp),
    ROWS_FLOATS("logaddexp2", logaddexp2),
    {.name = NULL},
};
