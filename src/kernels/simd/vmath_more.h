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

/* ---- tan ------------------------------------------------------------------------------------- */

#if SIMD_FMA
/* t = tan(r + rest) or -1 / t, with what t lost. */
static inline vf32 v_tan_f32(vf32 x) {
    vu32 quarter;
    vi32 unfit;
    vf32 rest;
    const vf32 r = v_reduce_quick_f32(v_abs_f32(x), &rest, &quarter, &unfit);
    if (__builtin_expect(v_any32(unfit), 0)) return v_tan_any_f32(x);
    const vf32 z = r * r, one = v_set_f32(1), more = rest * v_fma_f32(z, v_set_f32(1.5f), one);
    const vf32 low = v_fma_f32(r * z, VMATH_POLY(z, TAN_F32), more), t = r + low;
    const vf32 lost = (r - t) + low, about = v_about_inverse_f32(-t);
    const vf32 left = v_fma_f32(lost, about, v_fma_f32(t, about, one));
    const vf32 y = v_pick_odd_f32(quarter, t, v_fma_f32(left, about, about));
    return (vf32)((vi32)y ^ ((vi32)x & INT32_MIN));
}
#else
static inline vf32 v_tan_f32(vf32 x) { return v_tan_any_f32(x); }
#endif
static inline vf64 v_tan_f64(vf64 x) { return v_tan_any_f64(x); }

/* ---- log10: as log2 -------------------------------------------------------------------------- */

static inline vf64 v_log10_f64(vf64 x) {
    vf64 k, low;
    const vf64 high = v_ln_split(x, &k, &low), part = high * VMATH_LOG10E_F64_HIGH;
    const vf64 rest = (low * VMATH_LOG10E_F64_HIGH + (low + high) * VMATH_LOG10E_F64_LOW) +
                      k * VMATH_LOG10_2_F64_LOW;
    const vf64 whole = k * VMATH_LOG10_2_F64_HIGH, sum = whole + part;
    return v_log_special_f64(x, sum + (((whole - sum) + part) + rest));
}
#if SIMD_TABLES
static inline vf32 v_log10_f32(vf32 x) {
    static const vmath_log t = {VMATH_LOG10_HIGH_F32,   VMATH_LOG10_LOW_F32,
                                VMATH_LOG10_2_F32_HIGH, VMATH_LOG10_2_F32_LOW,
                                VMATH_LOG10E_F32_HIGH,  VMATH_LOG10E_F32_LOW};
    return v_log_base(x, &t, VMATH_LOG10_F32, 5);
}
#else
static inline vf32 v_log10_f32(vf32 x) {
    const double scale = VMATH_LOG10_2_F64_HIGH + VMATH_LOG10_2_F64_LOW;
    return v_narrow_f64(scale * v_log2_short(v_low_f64(x)), scale * v_log2_short(v_high_f64(x)));
}
#endif

/* ---- one name for f32 and f64 ---------------------------------------------------------------- */

#define v_expm1(x) SIMD_PICK(v_expm1, x)(x)
#define v_exp2(x)  SIMD_PICK(v_exp2, x)(x)
#define v_log1p(x) SIMD_PICK(v_log1p, x)(x)
#define v_log10(x) SIMD_PICK(v_log10, x)(x)
#define v_asinh(x) SIMD_PICK(v_asinh, x)(x)
#define v_acosh(x) SIMD_PICK(v_acosh, x)(x)
#define v_atanh(x) SIMD_PICK(v_atanh, x)(x)
#define v_logit(x) SIMD_PICK(v_logit, x)(x)
#define v_cosh(x)  SIMD_PICK(v_cosh, x)(x)
#define v_sinh(x)  SIMD_PICK(v_sinh, x)(x)
#define v_tan(x)   SIMD_PICK(v_tan, x)(x)
#define v_atan(x)  SIMD_PICK(v_atan, x)(x)
#define v_asin(x)  SIMD_PICK(v_asin, x)(x)
#define v_acos(x)  SIMD_PICK(v_acos, x)(x)

#endif
