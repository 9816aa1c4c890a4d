/* Vector mathematics beside vmath.h: expm1, exp2, logarithms, hyperbolic and circular functions and
 * their inverses. The text for both types is in vmath_twice.h. */
#ifndef NOMEN_SRC_VMATH_MORE_H
#define NOMEN_SRC_VMATH_MORE_H

#include "kernels/simd/vmath.h"

/* 2^k for an integer k in the range of normal numbers. */
static inline vf32 v_two_to_f32(vf32 k) {
    return (vf32)(((vu32)(k + VMATH_MAGIC_F32) - VMATH_BITS_F32 + 127u) << 23);
}
static inline vf64 v_two_to_f64(vf64 k) {
    return (vf64)(((vu64)(k + VMATH_MAGIC_F64) - VMATH_BITS_F64 + 1023u) << 52);
}

/* As v_ln_tail_f64. */
static inline vf32 v_ln_tail_f32(vf32 f, vf32 *h) {
    const vf32 z = f * f;
    *h = 0.5f * z;
    return f * z * VMATH_POLY(f, LOG_F32);
}
#define VMATH_POLY_OF(x, table) VMATH_POLY(x, table)

#define T                  float
#define V                  vf32
#define I                  vi32
#define U                  vu32
#define MASK               vmask_f32
#define NAME(f)            f##_f32
#define NUMBER(c)          VMATH_##c##_F32
#define VMATH_LN2_HIGH_F32 VMATH_LN2_F32_HIGH
#define VMATH_LN2_LOW_F32  VMATH_LN2_F32_LOW
#define POLY(x, table)     VMATH_POLY_OF(x, table##_F32)
#define LIBM(name)         name##f
#define TOP                89.0f
#define COSH_TOP           90.0f
#define BITS               24.0f
#define LARGE              0x1p13f
#include "kernels/simd/vmath_twice.h"

#define T                  double
#define V                  vf64
#define I                  vi64
#define U                  vu64
#define MASK               vmask_f64
#define NAME(f)            f##_f64
#define NUMBER(c)          VMATH_##c##_F64
#define VMATH_LN2_HIGH_F64 VMATH_LN2_F64_HIGH
#define VMATH_LN2_LOW_F64  VMATH_LN2_F64_LOW
#define POLY(x, table)     VMATH_POLY_OF(x, table##_F64)
#define LIBM(name)         name
#define TOP                710.0
#define COSH_TOP           711.0
#define BITS               53.0
#define LARGE              0x1p28
#include "kernels/simd/vmath_twice.h"

#include "kernels/simd/vmath_pow.h"

/* ---- exp2 ------------------------------------------------------------------------------------ */

static inline vf32 v_exp2_f32(vf32 x) {
    x = v_limit_f32(x, -151.0f, 129.0f);
    const vf32 k = (x + VMATH_MAGIC_F32) - VMATH_MAGIC_F32, r = x - k;
#if SIMD_FMA
    return v_scale_f32(v_fma_f32(r, VMATH_HORNER(r, EXP2M1_F32), v_set_f32(1)), k);
#else
    return v_scale_f32(v_exp_near_f32(r * (float)VMATH_LN2, v_set_f32(1)), k);
#endif
}
#if !SIMD_TABLES
VMATH_QUICK vf32 v_exp2_quick_f32(vf32 x, vmask_f32 *unfit) {
    const vf32 t = x + VMATH_MAGIC_F32, r = x - (t - VMATH_MAGIC_F32), one = v_set_f32(1);
    *unfit = (vi32)v_abs_f32(x) > (vi32)v_set_f32(125);
#if SIMD_FMA
    return v_raise_f32(v_fma_f32(r, VMATH_HORNER(r, EXP2M1_F32), one), t);
#else
    return v_raise_f32(v_exp_near_f32(r * (float)VMATH_LN2, one), t);
#endif
}
VMATH_QUICK vf64 v_exp2_quick_f64(vf64 x, vmask_f64 *unfit) {
    const vf64 t = x + VMATH_MAGIC_F64, r = (x - (t - VMATH_MAGIC_F64)) * VMATH_LN2;
    *unfit = v_above_f64(v_abs_f64(x), v_set_f64(1021));
    return v_raise_f64(1.0 + v_fma_f64(r * r, VMATH_POLY(r, EXP_F64), r), t);
}
#endif
static inline vf64 v_exp2_f64(vf64 x) {
    x = v_limit_f64(x, -1076.0, 1025.0);
    const vf64 k = (x + VMATH_MAGIC_F64) - VMATH_MAGIC_F64, r = (x - k) * VMATH_LN2;
    return v_scale_f64(1.0 + v_fma_f64(r * r, VMATH_POLY(r, EXP_F64), r), k);
}

/* ---- atan ------------------------------------------------------------------------------------ */

/* From t = |x| or - 1 / |x|, whichever is smaller; the inverse with a second digit, which the slope
 * 1 / (1 + t^2) makes smaller, about as 1 - t^2 / 2 does. */
#if SIMD_FMA
static inline vf32 v_atan_f32(vf32 x) {
    const vf32 a = v_min_f32(v_abs_f32(x), 0x1p100f), one = v_set_f32(1), zero = (vf32){0};
    const vmask_f32 far = v_less_f32(one, a);
    const vf32 about = -v_about_inverse_f32(a), left = about * v_fma_f32(a, about, one);
    const vf32 head = v_either_f32(far, about, a), more = v_either_f32(far, left, zero);
    const vf32 t = head + more, lost = (head - t) + more, z = t * t;
    const vf32 whole = v_either_f32(far, v_set_f32(VMATH_PI_2_WHOLE_F32), zero), sum = whole + t;
    const vf32 low = v_either_f32(far, v_set_f32(VMATH_PI_2_REST_F32), zero);
    const vf32 rest = v_fma_f32(lost, v_fma_f32(z, v_set_f32(-0.5f), one), low);
    const vf32 tail = v_fma_f32(t * z, VMATH_HORNER(z, ATAN_F32), ((whole - sum) + t) + rest);
    return v_copysign_f32(sum + tail, x);
}
#else
static inline vf64 v_atan_short(vf64 x) {
    const vf64 a = v_abs_f64(x), zero = (vf64){0};
    const vmask_f64 far = v_less_f64(v_set_f64(1), a);
    const vf64 t = v_either_f64(far, -1.0 / a, a), z = t * t;
    const vf64 whole = v_either_f64(far, v_set_f64(VMATH_PI_2_WHOLE_F64), zero);
    return v_copysign_f64(whole + (t + t * z * VMATH_POLY(z, ATAN_SHORT_F64)), x);
}
static inline vf32 v_atan_f32(vf32 x) {
    return v_narrow_f64(v_atan_short(v_low_f64(x)), v_atan_short(v_high_f64(x)));
}
#endif
/* Of a quotient that is not negative: from it, (rise - run) / (rise + run) or -run / rise,
 * whichever is smallest. */
static inline vf64 v_atan_ratio_f64(vf64 rise, vf64 run) {
    const vf64 zero = (vf64){0};
    const vmask_f64 past = v_less_f64(0.66 * run, rise), far = v_less_f64(1.5 * run, rise);
    const vf64 t = v_quotient_f64(v_either_f64(far, -run, v_either_f64(past, rise - run, rise)),
                                  v_either_f64(far, rise, v_either_f64(past, rise + run, run)));
    const vf64 z = t * t, tail = t * z * VMATH_POLY(z, ATAN_F64);
    const vf64 base = v_either_f64(far, v_set_f64(VMATH_PI_2_WHOLE_F64),
                                   v_either_f64(past, v_set_f64(VMATH_PI_4_WHOLE_F64), zero));
    const vf64 low = v_either_f64(far, v_set_f64(VMATH_PI_2_REST_F64),
                                  v_either_f64(past, v_set_f64(VMATH_PI_4_REST_F64), zero));
    const vf64 sum = base + t;
    return sum + (((base - sum) + t) + (tail + low));
}
static inline vf64 v_atan_f64(vf64 x) {
    const vf64 a = v_min_f64(v_abs_f64(x), 0x1p100);
    return v_copysign_f64(v_atan_ratio_f64(a, v_set_f64(1)), x);
}

/* ---- logarithms of what is near 1, and of quotients ------------------------------------------ */

#if SIMD_TABLES
#define T          float
#define V          vf32
#define U          vu32
#define MASK       vmask_f32
#define NAME(f)    f##_f32
#define NUMBER(c)  VMATH_##c##_F32
#define TABLE(c)   VMATH_##c##_F32
#define CURVE(r)   v_poly_f32(r, VMATH_LN_F32, 5)
#define INDEX      19
#define INVERSE(x) v_about_inverse_f32(x)
#include "kernels/simd/vmath_ratio.h"

#define T          double
#define V          vf64
#define U          vu64
#define MASK       vmask_f64
#define NAME(f)    f##_f64
#define NUMBER(c)  VMATH_##c##_F64
#define TABLE(c)   VMATH_##c##_F64
#define CURVE(r)   v_poly_f64(r, VMATH_LN_CURVE_F64, 10)
#define INDEX      48
#define INVERSE(x) v_inverse_short(x)
#include "kernels/simd/vmath_ratio.h"
#else
/* ln(u + c), u + c = 1 + x without loss, as ln u + c / u. The quotient is at most half a unit in
 * the last place of 1, so that 1 / u need not be good to more than a few percent; but where u is 1,
 * it is all there is. */
VMATH_QUICK vf32 v_log1p_quick_f32(vf32 x, vmask_f32 *unfit) {
    const vf32 u = 1.0f + x, back = u - 1.0f, c = (1.0f - (u - back)) + (x - back);
    vf32 m;
    *unfit = (vi32)((vu32)u + 0x7f800000u) > (vi32)((vu32){0} + 0xf0ffffffu); /* u <= 0, > 2^100 */
    const vf32 k = v_split_f32(u, &m), f = m - 1.0f;
    const vf32 scale = (vf32)((vu32)m - (vu32)u + (vu32)v_set_f32(1)); /* 2^-k */
    const vf32 inverse = v_fma_f32(f, f * 0.87f - 1.0f, v_set_f32(1));
    const vf32 low = v_fma_f32(k, v_set_f32(VMATH_LN2_F32_LOW), c * scale * inverse);
    return v_copysign_f32(v_log_of_split_f32(k, m, low), x);
}
VMATH_QUICK_OR(vf32, vmask_f32, v_log1p_f32, v_log1p_quick_f32, v_log1p_any_f32, v_either_f32,
               v_some_f32)
static inline vf32 v_atanh_f32(vf32 x) { return v_atanh_any_f32(x); }
static inline vf64 v_log1p_f64(vf64 x) { return v_log1p_any_f64(x); }
static inline vf64 v_atanh_f64(vf64 x) { return v_atanh_any_f64(x); }
#endif

/* ---- tan ------------------------------------------------------------------------------------- */

#if SIMD_FMA
/* tan(r - past) = t or -1 / t, with what t lost; x = k pi/2 + r - past as in v_sine_rest. */
VMATH_QUICK vf32 v_tan_quick_f32(vf32 x, vmask_f32 *unfit) {
    vf32 past, z;
    const vf32 one = v_set_f32(1);
    const vf32 magic = v_set_f32(VMATH_MAGIC_F32 / 2); /* rounds to halves */
    const vf32 t = v_fma_f32(x, v_set_f32((float)VMATH_ONE_OVER_PI), magic), k = t - magic;
    const vf32 a = v_fma_f32(-k, v_set_f32(VMATH_TURN_HIGH_F32), x);
    const vf32 r = v_sine_rest_f32(a, k, &past, &z, unfit);
    const vf32 more = past * v_fma_f32(z, v_set_f32(-1.5f), -one);
    const vf32 low = v_fma_f32(r * z, VMATH_POLY(z, TAN_F32), more), y = r + low;
    const vf32 lost = (r - y) + low, about = v_about_inverse_f32(-y);
    const vf32 left = v_fma_f32(lost, about, v_fma_f32(y, about, one));
    return v_pick_odd_f32((vu32)t, y, v_fma_f32(left, about, about));
}
VMATH_QUICK vf64 v_tan_quick_f64(vf64 x, vmask_f64 *unfit) {
    vf64 past, z;
    const vf64 one = v_set_f64(1);
    const vf64 magic = v_set_f64(VMATH_MAGIC_F64 / 2); /* rounds to halves */
    const vf64 t = v_fma_f64(x, v_set_f64(VMATH_ONE_OVER_PI), magic), k = t - magic;
    const vf64 a = v_fma_f64(-k, v_set_f64(VMATH_TURN_HIGH_F64), x);
    const vf64 r = v_sine_rest_f64(a, k, &past, &z, unfit);
    const vf64 more = past * v_fma_f64(z, v_set_f64(-1.5), -one);
    const vf64 low = v_fma_f64(r * z, VMATH_POLY(z, TAN_F64), more), y = r + low;
    const vf64 lost = (r - y) + low, about = v_inverse_short(-y);
    const vf64 left = v_fma_f64(lost, about, v_fma_f64(y, about, one));
    return v_pick_odd_f64((vu64)t, y, v_fma_f64(left, about, about));
}
VMATH_QUICK_OR(vf32, vmask_f32, v_tan_f32, v_tan_quick_f32, v_tan_any_f32, v_either_f32, v_some_f32)
VMATH_QUICK_OR(vf64, vmask_f64, v_tan_f64, v_tan_quick_f64, v_tan_any_f64, v_either_f64, v_some_f64)
#else
static inline vf32 v_tan_f32(vf32 x) { return v_tan_any_f32(x); }
static inline vf64 v_tan_f64(vf64 x) { return v_tan_any_f64(x); }
#endif

/* ---- log10: as log2 -------------------------------------------------------------------------- */

#if SIMD_TABLES
static inline vf32 v_log10_f32(vf32 x) {
    static const vmath_log t = {VMATH_LOG10_HIGH_F32,   VMATH_LOG10_LOW_F32,
                                VMATH_LOG10_2_F32_HIGH, VMATH_LOG10_2_F32_LOW,
                                VMATH_LOG10E_F32_HIGH,  VMATH_LOG10E_F32_LOW};
    return v_log_base(x, &t, VMATH_LOG10_F32, 5);
}
#elif SIMD_FMA
#define VMATH_BASE_10                                                                              \
    (&(const vmath_base){VMATH_LOG10_2_F32_HIGH, VMATH_LOG10_2_F32_LOW, VMATH_LOG10E_F32_HIGH,     \
                         VMATH_LOG10E_F32_LOW})
static inline vf32 v_log10_f32(vf32 x) {
    const vf32 y = v_log_in_base_f32(x, VMATH_BASE_10);
    const double scale = VMATH_LOG10_2_F64_HIGH + VMATH_LOG10_2_F64_LOW;
    return __builtin_expect(v_any32(v_odd_kind_f32(x)), 0) ? v_log_wide_f32(x, y, scale) : y;
}
#else
static inline vf32 v_log10_f32(vf32 x) {
    const double scale = VMATH_LOG10_2_F64_HIGH + VMATH_LOG10_2_F64_LOW;
    return v_narrow_f64(scale * v_log2_short(v_low_f64(x)), scale * v_log2_short(v_high_f64(x)));
}
#endif

/* ---- one name for f32 and f64 ---------------------------------------------------------------- */

#define v_pow(x, y) SIMD_PICK(v_pow, x)(x, y)
#define v_expm1(x)  SIMD_PICK(v_expm1, x)(x)
#define v_exp2(x)   SIMD_PICK(v_exp2, x)(x)
#define v_log1p(x)  SIMD_PICK(v_log1p, x)(x)
#define v_log10(x)  SIMD_PICK(v_log10, x)(x)
#define v_asinh(x)  SIMD_PICK(v_asinh, x)(x)
#define v_acosh(x)  SIMD_PICK(v_acosh, x)(x)
#define v_atanh(x)  SIMD_PICK(v_atanh, x)(x)
#define v_logit(x)  SIMD_PICK(v_logit, x)(x)
#define v_cosh(x)   SIMD_PICK(v_cosh, x)(x)
#define v_sinh(x)   SIMD_PICK(v_sinh, x)(x)
#define v_tan(x)    SIMD_PICK(v_tan, x)(x)
#define v_atan(x)   SIMD_PICK(v_atan, x)(x)
#define v_asin(x)   SIMD_PICK(v_asin, x)(x)
#define v_acos(x)   SIMD_PICK(v_acos, x)(x)

#endif
