/* Vector mathematics: exp, log, log2, sin, cos, tanh, sigmoid on vf32 and vf64, pow on vf32, by
 * polynomials of our own (coefficients: vmath.gen.h). Special values as in C; maximal errors in
 * ULP stand in ../README.md and are held by tests/kernels. No FMA is relied upon for accuracy,
 * except where SIMD_FMA says so. */
#ifndef NOMEN_SRC_VMATH_H
#define NOMEN_SRC_VMATH_H

#include "kernels/simd/simd.h"
#include "kernels/simd/vmath.gen.h"

#include <math.h>

/* Adding it rounds to an integer and leaves that integer in the low bits. */
#define VMATH_MAGIC_F32 0x1.8p23f
#define VMATH_MAGIC_F64 0x1.8p52
#define VMATH_BITS_F32  0x4b400000u
#define VMATH_BITS_F64  0x4338000000000000u

/* Functions for QUICK (loops/unary.h): a call would put all registers into memory. */
#define VMATH_QUICK static inline __attribute__((always_inline, unused))

/* The function FN: its quick way, and for the lanes that this cannot serve the careful one. The
 * others stay as they are: no result depends on its neighbours. */
#define VMATH_QUICK_OR(V, MASK, FN, QUICK_FN, CAREFUL_FN, EITHER, SOME)                            \
    static inline V FN(V x) {                                                                      \
        MASK unfit;                                                                                \
        const V y = QUICK_FN(x, &unfit);                                                           \
        return __builtin_expect(SOME(unfit), 0) ? EITHER(unfit, CAREFUL_FN(x), y) : y;             \
    }

/* Even and odd powers in two chains: half the latency of Horner's rule. n is a constant; the loop
 * unrolls. */
static inline vf32 v_poly_f32(vf32 x, const float *c, int n) {
    const vf32 x2 = x * x;
    vf32 a = v_set_f32(c[n - 1]), b = v_set_f32(c[n - 2]);
    for (int k = n - 3; k >= 1; k -= 2) {
        a = v_fma_f32(a, x2, v_set_f32(c[k]));
        b = v_fma_f32(b, x2, v_set_f32(c[k - 1]));
    }
    if (n % 2 == 0) return v_fma_f32(a, x, b);
    return v_fma_f32(b, x, v_fma_f32(a, x2, v_set_f32(c[0])));
}
static inline vf64 v_poly_f64(vf64 x, const double *c, int n) {
    const vf64 x2 = x * x;
    vf64 a = v_set_f64(c[n - 1]), b = v_set_f64(c[n - 2]);
    for (int k = n - 3; k >= 1; k -= 2) {
        a = v_fma_f64(a, x2, v_set_f64(c[k]));
        b = v_fma_f64(b, x2, v_set_f64(c[k - 1]));
    }
    if (n % 2 == 0) return v_fma_f64(a, x, b);
    return v_fma_f64(b, x, v_fma_f64(a, x2, v_set_f64(c[0])));
}
#define VMATH_POLY(x, table)                                                                       \
    SIMD_PICK(v_poly, x)(x, VMATH_##table, (int)(sizeof VMATH_##table / sizeof VMATH_##table[0]))

/* By Horner's rule, for short ones in functions that have no x^2: one product less. */
static inline vf32 v_horner_f32(vf32 x, const float *c, int n) {
    vf32 a = v_set_f32(c[n - 1]);
    for (int k = n - 2; k >= 0; k--) a = v_fma_f32(a, x, v_set_f32(c[k]));
    return a;
}
#define VMATH_HORNER(x, table)                                                                     \
    v_horner_f32(x, VMATH_##table, (int)(sizeof VMATH_##table / sizeof VMATH_##table[0]))

#include "kernels/simd/vmath_pieces.h"
#include "kernels/simd/vmath_tables.h"

/* ---- exp: 2^k e^r, |r| <= ln(2)/2 ------------------------------------------------------------ */

/* k of e^x = 2^k e^r, r in *r, for x within the range of exp; *t is k + VMATH_MAGIC_F32. */
static inline vf32 v_exp_reduce_f32(vf32 x, vf32 *r, vf32 *t) {
    *t = v_fma_f32(x, v_set_f32((float)VMATH_LOG2E), v_set_f32(VMATH_MAGIC_F32));
    const vf32 k = *t - VMATH_MAGIC_F32;
    *r = v_fma_f32(k, v_set_f32(-VMATH_LN2_F32_LOW),
                   v_fma_f32(k, v_set_f32(-VMATH_LN2_F32_HIGH), x));
    return k;
}
/* e^r - 1 + more */
static inline vf32 v_exp_near_f32(vf32 r, vf32 more) {
#if SIMD_FMA
    return v_fma_f32(r, VMATH_HORNER(r, EXPM1_F32), more);
#else
    return (r * r * VMATH_POLY(r, EXP_F32) + r) + more;
#endif
}
static inline vf32 v_exp_f32(vf32 x) {
    vf32 r, t;
    const vf32 k = v_exp_reduce_f32(v_limit_f32(x, -104.0f, 89.0f), &r, &t);
    return v_scale_f32(v_exp_near_f32(r, v_set_f32(1)), k);
}
/* *low: what the rounding of the result lost (for those who go on computing), scaled likewise. */
static inline vf64 v_exp_split_f64(vf64 x, vf64 *low) {
    x = v_limit_f64(x, -746.0, 710.0);
    const vf64 t = v_fma_f64(x, v_set_f64(VMATH_LOG2E), v_set_f64(VMATH_MAGIC_F64));
    const vf64 k = t - VMATH_MAGIC_F64;
    const vf64 r = v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_LOW),
                             v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_HIGH), x));
    const vf64 tail = v_fma_f64(r * r, VMATH_POLY(r, EXP_F64), r), e = 1.0 + tail;
    *low = v_scale_f64((1.0 - e) + tail, k);
    return v_scale_f64(e, k);
}
#if SIMD_TABLES
/* To sixteenths of a power of 2: the last four bits are the entry of a table, the whole part is for
 * scalef. */
static inline vf64 v_exp_f64(vf64 x) {
    x = v_limit_f64(x, -746.0, 710.0);
    const vf64 t = v_fma_f64(x, v_set_f64(VMATH_LOG2E), v_set_f64(VMATH_MAGIC_F64 / 16));
    const vf64 k = t - VMATH_MAGIC_F64 / 16;
    const vf64 r = v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_LOW),
                             v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_HIGH), x));
    const vf64 e = v_entry16_f64(VMATH_EXP2_SIXTEENTH_F64, (vu64)t);
    const vf64 tail = v_fma_f64(r * r, VMATH_POLY(r, EXP_SIXTEENTH_F64), r);
    return v_scale_f64(v_fma_f64(e, tail, e), k);
}
#else
static inline vf64 v_exp_f64(vf64 x) {
    vf64 low;
    return v_exp_split_f64(x, &low);
}
/* y 2^k by way of the exponent, where both are normal; t is k + VMATH_MAGIC. */
static inline vf32 v_raise_f32(vf32 y, vf32 t) { return (vf32)((vu32)y + ((vu32)t << 23)); }
static inline vf64 v_raise_f64(vf64 y, vf64 t) { return (vf64)((vu64)y + ((vu64)t << 52)); }

/* The same bits as above in fewer steps, where they are a normal number. */
static inline vf32 v_exp_normal_f32(vf32 x) {
    vf32 r, t;
    (void)v_exp_reduce_f32(x, &r, &t);
    return v_raise_f32(v_exp_near_f32(r, v_set_f32(1)), t);
}
static inline vf64 v_exp_normal_f64(vf64 x) {
    const vf64 t = v_fma_f64(x, v_set_f64(VMATH_LOG2E), v_set_f64(VMATH_MAGIC_F64));
    const vf64 k = t - VMATH_MAGIC_F64;
    const vf64 r = v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_LOW),
                             v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_HIGH), x));
    return v_raise_f64(1.0 + v_fma_f64(r * r, VMATH_POLY(r, EXP_F64), r), t);
}
VMATH_QUICK vf32 v_exp_quick_f32(vf32 x, vmask_f32 *unfit) {
    *unfit = (vi32)v_abs_f32(x) > (vi32)v_set_f32(87);
    return v_exp_normal_f32(x);
}
VMATH_QUICK vf64 v_exp_quick_f64(vf64 x, vmask_f64 *unfit) {
    *unfit = v_above_f64(v_abs_f64(x), v_set_f64(708));
    return v_exp_normal_f64(x);
}
#endif

/* e^x of no positive number: v_exp_f32 and v_exp_f64 in fewer steps. NaN stays NaN. */
#if SIMD_TABLES
VMATH_QUICK vf32 v_exp_down_f32(vf32 x) { return v_exp_f32(x); }
VMATH_QUICK vf64 v_exp_down_f64(vf64 x) { return v_exp_f64(x); }
VMATH_QUICK vf32 v_exp_part_f32(vf32 x) { return v_exp_f32(x); }
VMATH_QUICK vf64 v_exp_part_f64(vf64 x) { return v_exp_f64(x); }
#else
/* e^x 2^up for x from `least` on, where that is a normal number: up and the bias of exponents are
 * in the low bits of t, and these become the exponent of a factor. */
VMATH_QUICK vf32 v_exp_above_f32(vf32 x, float least, int up) {
    const float magic = VMATH_MAGIC_F32 + (float)(127 + up);
    const vf32 low = v_max_f32(x, least);
    const vf32 t = v_fma_f32(low, v_set_f32((float)VMATH_LOG2E), v_set_f32(magic)), k = t - magic;
    const vf32 r = v_fma_f32(k, v_set_f32(-VMATH_LN2_F32_LOW),
                             v_fma_f32(k, v_set_f32(-VMATH_LN2_F32_HIGH), low));
    return v_exp_near_f32(r, v_set_f32(1)) * (vf32)((vu32)t << 23);
}
VMATH_QUICK vf64 v_exp_above_f64(vf64 x, double least, int up) {
    const double magic = VMATH_MAGIC_F64 + (double)(1023 + up);
    const vf64 low = v_max_f64(x, least);
    const vf64 t = v_fma_f64(low, v_set_f64(VMATH_LOG2E), v_set_f64(magic)), k = t - magic;
    const vf64 r = v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_LOW),
                             v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_HIGH), low));
    return (1.0 + v_fma_f64(r * r, VMATH_POLY(r, EXP_F64), r)) * (vf64)((vu64)t << 52);
}
VMATH_QUICK vf32 v_exp_down_f32(vf32 x) { return v_exp_above_f32(x, -104, 64) * 0x1p-64f; }
VMATH_QUICK vf64 v_exp_down_f64(vf64 x) { return v_exp_above_f64(x, -746, 512) * 0x1p-512; }
/* For sums that contain a 1: what is below the least normal number, and so changes nothing there,
 * may be any number that small. */
VMATH_QUICK vf32 v_exp_part_f32(vf32 x) { return v_exp_above_f32(x, -87, 0); }
VMATH_QUICK vf64 v_exp_part_f64(vf64 x) { return v_exp_above_f64(x, -708, 0); }
#endif

/* ---- log: x = 2^e m, m near 1, f = m - 1 ----------------------------------------------------- */

#if SIMD_TABLES
/* 2^-k x c = 1 + r with a c from a table, which makes r so small that only few terms and the first
 * sums need care; the result is log(2^k / c) + log(1 + r) in the base whose numbers t has. */
typedef struct vmath_log {
    const float *high, *low;                /* of 1 / c, by the leading bits of m */
    float two_high, two_low, e_high, e_low; /* the logarithms of 2 and e */
} vmath_log;

static inline vf32 v_log_base(vf32 x, const vmath_log *t, const float *poly, int n) {
    vf32 m;
    const vf32 k = v_exponent_low_f32(x, &m);
    const vu32 i = (vu32)m >> 19;
    const vf32 r = v_fma_f32(m, v_entry16_f32(VMATH_LOG_INVERSE_F32, i), v_set_f32(-1));
    const vf32 whole = v_fma_f32(k, v_set_f32(t->two_high), v_entry16_f32(t->high, i)); /* exact */
    vf32 low = v_entry16_f32(t->low, i);
    if (t->two_low != 0) low = v_fma_f32(k, v_set_f32(t->two_low), low);
    if (t->e_high == 1) /* no product, nothing lost but by the last sum */
        return whole + (r + v_fma_f32(r * r, v_poly_f32(r, poly, n), low));
    const vf32 p = r * t->e_high, lost = v_fma_f32(r, v_set_f32(t->e_high), -p);
    low = v_fma_f32(r * r, v_poly_f32(r, poly, n), low + v_fma_f32(r, v_set_f32(t->e_low), lost));
    const vf32 sum = whole + p;
    return v_log_special_f32(x, sum + ((p - (sum - whole)) + low));
}
static inline vf32 v_log_f32(vf32 x) {
    static const vmath_log t = {
        VMATH_LN_HIGH_F32, VMATH_LN_LOW_F32, VMATH_LN2_F32_HIGH, VMATH_LN2_F32_LOW, 1.0f, 0.0f};
    return v_log_base(x, &t, VMATH_LN_F32, 5);
}
#else
/* Which lanes are not positive, normal and finite? The bits of those that are lie side by side. */
static inline vi32 v_odd_kind_f32(vf32 x) {
    return (vi32)((vu32)x + 0x7f800000u) > (vi32)((vu32){0} + 0xfeffffffu);
}
/* ln(2^k m) and a little more: low is k VMATH_LN2_F32_LOW and that. */
static inline vf32 v_log_of_split_f32(vf32 k, vf32 m, vf32 low) {
    const vf32 f = m - 1.0f, z = f * f;
    low = v_fma_f32(f * z, VMATH_POLY(f, LOG_F32), low);
    low = v_fma_f32(z, v_set_f32(-0.5f), low);
    return v_fma_f32(k, v_set_f32(VMATH_LN2_F32_HIGH), f + low);
}
static __attribute__((noinline, unused)) vf32 v_log_any_f32(vf32 x) {
    vf32 m;
    const vf32 k = v_exponent_f32(x, &m);
    return v_log_special_f32(x, v_log_of_split_f32(k, m, k * VMATH_LN2_F32_LOW));
}
static inline vf32 v_log_f32(vf32 x) {
    vf32 m;
    if (__builtin_expect(v_any32(v_odd_kind_f32(x)), 0)) return v_log_any_f32(x);
    const vf32 k = v_split_f32(x, &m);
    return v_log_of_split_f32(k, m, k * VMATH_LN2_F32_LOW);
}
#endif

/* ln(1 + f) = f - (*h - result), *h = f^2 / 2. With s = f / (2 + f) and 2 s + s R the series of ln
 * in s, the result is s (f^2/2 + R). */
static inline vf64 v_ln_tail_f64(vf64 f, vf64 *h) {
    const vf64 s = f / (2.0 + f), z = s * s;
    *h = 0.5 * f * f;
    return s * (*h + z * VMATH_POLY(z, ATANH_F64));
}

#if SIMD_TABLES
/* As vmath_log; the second number of e is that of its logarithm. */
typedef struct vmath_log_wide {
    const double *high, *low;
    double two_high, two_low, e, e_low;
} vmath_log_wide;

/* The first sum is exact. Where it is not 0, it is so much larger than what is added to it that
 * rounding that as well does little harm. Zeros, infinities and NaN need no choice: exponents of
 * zeros are - inf, and the mantissa of a negative number is NaN. */
static inline vf64 v_log_base_f64(vf64 x, const vmath_log_wide *t, const double *curve) {
    vf64 m;
    const vf64 k = v_exponent_low_f64(x, &m);
    const vu64 i = (vu64)m >> 48;
    const vf64 r = v_fma_f64(m, v_entry16_f64(VMATH_LOG_INVERSE_F64, i), v_set_f64(-1));
    const vf64 whole = v_fma_f64(k, v_set_f64(t->two_high), v_entry16_f64(t->high, i));
    vf64 low = v_entry16_f64(t->low, i);
    if (t->two_low != 0) low = v_fma_f64(k, v_set_f64(t->two_low), low);
    if (t->e == 1) return whole + (r + v_fma_f64(r * r, v_poly_f64(r, curve, 10), low));
    low = v_fma_f64(r * r, v_poly_f64(r, curve, 10), v_fma_f64(r, v_set_f64(t->e_low), low));
    return whole + v_fma_f64(r, v_set_f64(t->e), low);
}
static inline vf64 v_log_f64(vf64 x) {
    static const vmath_log_wide t = {
        VMATH_LN_HIGH_F64, VMATH_LN_LOW_F64, VMATH_LN2_F64_HIGH, VMATH_LN2_F64_LOW, 1, 0};
    return v_log_base_f64(x, &t, VMATH_LN_CURVE_F64);
}
static inline vf64 v_log2_f64(vf64 x) {
    static const vmath_log_wide t = {VMATH_LOG2_HIGH_F64,   VMATH_LOG2_LOW_F64,  1, 0,
                                     VMATH_LOG2E_WHOLE_F64, VMATH_LOG2E_REST_F64};
    return v_log_base_f64(x, &t, VMATH_LOG2_CURVE_F64);
}
static inline vf64 v_log10_f64(vf64 x) {
    static const vmath_log_wide t = {VMATH_LOG10_HIGH_F64,   VMATH_LOG10_LOW_F64,
                                     VMATH_LOG10_2_F64_HIGH, VMATH_LOG10_2_F64_LOW,
                                     VMATH_LOG10E_WHOLE_F64, VMATH_LOG10E_REST_F64};
    return v_log_base_f64(x, &t, VMATH_LOG10_CURVE_F64);
}
#else
static inline vf64 v_log_of_split_f64(vf64 k, vf64 m) {
    vf64 h;
    const vf64 f = m - 1.0, tail = v_ln_tail_f64(f, &h);
    const vf64 y = f - (h - (tail + k * VMATH_LN2_F64_LOW));
    return v_fma_f64(k, v_set_f64(VMATH_LN2_F64_HIGH), y);
}
static inline vf64 v_log_f64(vf64 x) {
    vf64 m;
    const vf64 k = v_exponent_f64(x, &m);
    return v_log_special_f64(x, v_log_of_split_f64(k, m));
}
/* Of m = 1 + f: high + *low, high in so few bits that its product with a constant is exact. */
static inline vf64 v_ln_split(vf64 m, vf64 *low) {
    vf64 h;
    const vf64 f = m - 1.0, tail = v_ln_tail_f64(f, &h);
    const vf64 high = (vf64)((vu64)(f - h) & ~(uint64_t)UINT32_MAX);
    *low = ((f - high) - h) + tail;
    return high;
}
static inline vf64 v_log2_of_split_f64(vf64 k, vf64 m) {
    vf64 low;
    const vf64 high = v_ln_split(m, &low), part = high * VMATH_LOG2E_F64_HIGH;
    const vf64 rest = low * VMATH_LOG2E_F64_HIGH + (low + high) * VMATH_LOG2E_F64_LOW;
    const vf64 sum = k + part;
    return sum + (((k - sum) + part) + rest);
}
static inline vf64 v_log10_of_split_f64(vf64 k, vf64 m) {
    vf64 low;
    const vf64 high = v_ln_split(m, &low), part = high * VMATH_LOG10E_F64_HIGH;
    const vf64 rest = (low * VMATH_LOG10E_F64_HIGH + (low + high) * VMATH_LOG10E_F64_LOW) +
                      k * VMATH_LOG10_2_F64_LOW;
    const vf64 whole = k * VMATH_LOG10_2_F64_HIGH, sum = whole + part;
    return sum + (((whole - sum) + part) + rest);
}
static inline vf64 v_log2_f64(vf64 x) {
    vf64 m;
    const vf64 k = v_exponent_f64(x, &m);
    return v_log_special_f64(x, v_log2_of_split_f64(k, m));
}
static inline vf64 v_log10_f64(vf64 x) {
    vf64 m;
    const vf64 k = v_exponent_f64(x, &m);
    return v_log_special_f64(x, v_log10_of_split_f64(k, m));
}
#endif

/* Good to 2^-38: what f32 needs of a logarithm that is going to be multiplied. */
#if SIMD_TABLES
static inline vf64 v_log_short(vf64 x, const double *entry, const double *poly, int n, double two) {
    vf64 m;
    const vf64 k = v_exponent_low_f64(x, &m);
    const vu64 i = (vu64)m >> 48;
    const vf64 r = v_fma_f64(m, v_entry16_f64(VMATH_LOG_INVERSE_F64, i), v_set_f64(-1));
    const vf64 whole = v_fma_f64(k, v_set_f64(two), v_entry16_f64(entry, i));
    return v_fma_f64(r, v_poly_f64(r, poly, n), whole); /* special numbers as in v_log_base_f64 */
}
static inline vf64 v_log2_short(vf64 x) {
    return v_log_short(x, VMATH_LOG2_ENTRY_F64, VMATH_LOG2_TABLE_F64, 8, 1);
}
static inline vf64 v_log2_plain(vf64 x) { return v_log2_short(x); }
static inline vf64 v_ln_short(vf64 x) {
    return v_log_short(x, VMATH_LN_ENTRY_F64, VMATH_LN_TABLE_F64, 8, VMATH_LN2);
}
#else
/* Of positive, normal, finite numbers. */
static inline vf64 v_log2_plain(vf64 x) {
    vf64 m;
    const vf64 k = v_split_f64(x, &m), f = m - 1.0;
    return v_fma_f64(f, VMATH_POLY(f, LOG2_F64), k);
}
static inline vf64 v_log2_short(vf64 x) { return v_log_special_f64(x, v_log2_plain(x)); }
static inline vf64 v_ln_short(vf64 x) { return VMATH_LN2 * v_log2_short(x); }
#endif

/* 2^t, good to 2^-35, for |t| up to 1000. */
static inline vf64 v_exp2_short(vf64 t) {
    t = v_limit_f64(t, -1000.0, 1000.0);
#if SIMD_TABLES
    /* to eighths: the last three bits are the entry of a table, the whole part is for scalef */
    const vf64 rounded = t + VMATH_MAGIC_F64 / 8, k = rounded - VMATH_MAGIC_F64 / 8, r = t - k;
    const vf64 e = v_entry8_f64(VMATH_EXP2_ENTRY_F64, (vu64)rounded);
    return v_scale_f64(v_fma_f64(e * r, VMATH_POLY(r, EXP2_EIGHTH_F64), e), k);
#else
    const vf64 rounded = t + VMATH_MAGIC_F64, r = t - (rounded - VMATH_MAGIC_F64);
    const vf64 e = v_fma_f64(r, VMATH_POLY(r, EXP2_F64), v_set_f64(1));
    return e * (vf64)(((vu64)rounded - VMATH_BITS_F64 + 1023u) << 52);
#endif
}

#if SIMD_TABLES
static inline vf32 v_log2_f32(vf32 x) {
    static const vmath_log t = {VMATH_LOG2_HIGH_F32,  VMATH_LOG2_LOW_F32, 1.0f, 0.0f,
                                VMATH_LOG2E_F32_HIGH, VMATH_LOG2E_F32_LOW};
    return v_log_base(x, &t, VMATH_LOG2_F32, 5);
}
#elif SIMD_FMA
/* The logarithms of 2 and e in a base, each in two numbers; the first ones of 2 times k are exact.
 */
typedef struct vmath_base {
    float two_high, two_low, e_high, e_low;
} vmath_base;

/* 2/3 <= m < 4/3, which leaves less of the logarithm than v_split_f32. ln m = s + tail, the sum of
 * f and - f^2 / 2 without loss; so are the product of s and the last sum. */
static inline vf32 v_log_in_base_f32(vf32 x, const vmath_base *b) {
    vf32 m;
    const vf32 k = v_split_from_f32(x, 0x3f2aaaabu, &m), f = m - 1.0f, z = f * f, h = 0.5f * z,
               s = f - h;
    const vf32 lost = v_fma_f32(v_fma_f32(f, f, -z), v_set_f32(-0.5f), (f - s) - h);
    const vf32 tail = v_fma_f32(f * z, VMATH_POLY(f, LOG_THIRD_F32), lost);
    const vf32 p = s * b->e_high, whole = k * b->two_high, sum = whole + p;
    vf32 low = v_fma_f32(s, v_set_f32(b->e_high), -p);
    low = v_fma_f32(s, v_set_f32(b->e_low), low);
    if (b->two_low != 0) low = v_fma_f32(k, v_set_f32(b->two_low), low);
    low = v_fma_f32(tail, v_set_f32(b->e_high), low);
    return sum + (((whole - sum) + p) + low);
}
#define VMATH_BASE_2 (&(const vmath_base){1.0f, 0.0f, VMATH_LOG2E_F32_HIGH, VMATH_LOG2E_F32_LOW})
/* Lanes that are not plain go through f64; the others must not see it. */
static __attribute__((noinline, unused)) vf32 v_log_wide_f32(vf32 x, vf32 y, double scale) {
    const vf64 low = scale * v_log2_short(v_low_f64(x)), high = scale * v_log2_short(v_high_f64(x));
    return v_sel_f32(v_odd_kind_f32(x), v_narrow_f64(low, high), y);
}
static inline vf32 v_log2_f32(vf32 x) {
    const vf32 y = v_log_in_base_f32(x, VMATH_BASE_2);
    return __builtin_expect(v_any32(v_odd_kind_f32(x)), 0) ? v_log_wide_f32(x, y, 1) : y;
}
#else
static inline vf32 v_log2_f32(vf32 x) {
    return v_narrow_f64(v_log2_short(v_low_f64(x)), v_log2_short(v_high_f64(x)));
}
#endif

/* ---- sin, cos: x = k pi/2 + r; huge arguments lane by lane in libm --------------------------- */

#define VMATH_TRIG_F32 65536.0f
#define VMATH_TRIG_F64 1e6

/* Of x >= 0: r + *rest. The integer k comes back in *quarter, in its low bits at least. */
static inline vf32 v_reduce_f32(vf32 x, vf32 *rest, vu32 *quarter) {
#if SIMD_FMA
    const vf32 t = v_fma_f32(x, v_set_f32((float)VMATH_TWO_OVER_PI), v_set_f32(VMATH_MAGIC_F32));
    const vf32 k = VMATH_MAGIC_F32 - t; /* - k */
    *quarter = (vu32)t;
    const vf32 a = v_fma_f32(k, v_set_f32(VMATH_HALF_PI_F32_0), x); /* exact */
    /* a + k * part without loss: product and sum each with what they lose (any order of magnitude)
     */
    const vf32 u = k * VMATH_HALF_PI_F32_1, v = v_fma_f32(k, v_set_f32(VMATH_HALF_PI_F32_1), -u);
    const vf32 b = a + u, c = b - a, lost = (a - (b - c)) + (u - c);
    const vf32 low = v_fma_f32(k, v_set_f32(VMATH_HALF_PI_F32_2), lost + v);
    const vf32 r = b + low;
    *rest = (b - r) + low;
    return r;
#else
    vf64 r[2] = {v_low_f64(x), v_high_f64(x)}, k[2];
    for (int i = 0; i < 2; i++) {
        k[i] = (r[i] * VMATH_TWO_OVER_PI + VMATH_MAGIC_F64) - VMATH_MAGIC_F64;
        r[i] = (r[i] - k[i] * VMATH_HALF_PI_F64_0) - k[i] * VMATH_HALF_PI_F64_REST;
    }
    *quarter = (vu32)(v_narrow_f64(k[0], k[1]) + VMATH_MAGIC_F32);
    const vf32 high = v_narrow_f64(r[0], r[1]);
    *rest = v_narrow_f64(r[0] - v_low_f64(high), r[1] - v_high_f64(high));
    return high;
#endif
}

/* sin of r + rest + quarter * pi/2. */
static inline vf32 v_quarter_f32(vf32 r, vf32 rest, vu32 quarter) {
    const vf32 z = r * r, one_h = v_fma_f32(z, v_set_f32(-0.5f), v_set_f32(1));
    /* what the rounding of 1 - z / 2 lost */
    const vf32 lost = v_fma_f32(z, v_set_f32(-0.5f), 1.0f - one_h);
    const vf32 low_s = v_fma_f32(r * z, VMATH_POLY(z, SIN_F32), rest * one_h);
    const vf32 low_c = v_fma_f32(z * z, VMATH_POLY(z, COS_F32), v_fma_f32(-r, rest, lost));
    const vf32 y = v_pick_odd_f32(quarter, r, one_h) + v_pick_odd_f32(quarter, low_s, low_c);
    return (vf32)((vu32)y ^ ((quarter & 2u) << 30));
}
/* For all numbers. Large ones lane by lane. */
static __attribute__((noinline, unused)) vf32 v_sin_any_f32(vf32 x) {
    const vf32 a = v_abs_f32(x);
    const vi32 large = a > VMATH_TRIG_F32;
    vu32 quarter;
    vf32 rest;
    const vf32 r = v_reduce_f32(v_sel_f32(large, (vf32){0}, a), &rest, &quarter);
    vf32 y = (vf32)((vi32)v_quarter_f32(r, rest, quarter) ^ ((vi32)x & INT32_MIN));
    if (__builtin_expect(v_any32(large), 0)) {
        for (int i = 0; i < W32; i++) y[i] = large[i] ? sinf(x[i]) : y[i];
    }
    return y;
}
static __attribute__((noinline, unused)) vf32 v_cos_any_f32(vf32 x) {
    const vf32 a = v_abs_f32(x);
    const vi32 large = a > VMATH_TRIG_F32;
    vu32 quarter;
    vf32 rest;
    const vf32 r = v_reduce_f32(v_sel_f32(large, (vf32){0}, a), &rest, &quarter);
    vf32 y = v_quarter_f32(r, rest, quarter + 1u);
    if (__builtin_expect(v_any32(large), 0)) {
        for (int i = 0; i < W32; i++) y[i] = large[i] ? cosf(x[i]) : y[i];
    }
    return y;
}

/* r + *rest, with the products k * part exact in the first two steps. */
static inline vf64 v_reduce_f64(vf64 x, vf64 *rest, vu64 *quarter) {
    const vf64 t = v_fma_f64(x, v_set_f64(VMATH_TWO_OVER_PI), v_set_f64(VMATH_MAGIC_F64));
    const vf64 k = t - VMATH_MAGIC_F64;
    *quarter = (vu64)t;
    const vf64 a = x - k * VMATH_HALF_PI_F64_0, w = k * VMATH_HALF_PI_F64_1;
    const vf64 b = a - w, low = ((a - b) - w) - k * VMATH_HALF_PI_F64_2;
    const vf64 r = b + low;
    *rest = (b - r) + low;
    return r;
}
/* As v_quarter_f32. */
static inline vf64 v_quarter_f64(vf64 r, vf64 rest, vu64 quarter) {
    const vf64 z = r * r, one_h = v_fma_f64(z, v_set_f64(-0.5), v_set_f64(1));
    const vf64 lost = v_fma_f64(z, v_set_f64(-0.5), 1.0 - one_h);
    const vf64 low_s = v_fma_f64(r * z, VMATH_POLY(z, SIN_F64), rest * one_h);
    const vf64 low_c = v_fma_f64(z * z, VMATH_POLY(z, COS_F64), v_fma_f64(-r, rest, lost));
    const vf64 y = v_pick_odd_f64(quarter, r, one_h) + v_pick_odd_f64(quarter, low_s, low_c);
    return (vf64)((vu64)y ^ ((quarter & 2u) << 62));
}
/* For all numbers. Large ones lane by lane. */
static __attribute__((noinline, unused)) vf64 v_sin_any_f64(vf64 x) {
    const vf64 a = v_abs_f64(x);
    const vi64 large = a > VMATH_TRIG_F64;
    vu64 quarter;
    vf64 rest;
    const vf64 r = v_reduce_f64(v_sel_f64(large, (vf64){0}, a), &rest, &quarter);
    vf64 y = (vf64)((vi64)v_quarter_f64(r, rest, quarter) ^ ((vi64)x & INT64_MIN));
    if (__builtin_expect(v_any64(large), 0)) {
        for (int i = 0; i < W64; i++) y[i] = large[i] ? sin(x[i]) : y[i];
    }
    return y;
}
static __attribute__((noinline, unused)) vf64 v_cos_any_f64(vf64 x) {
    const vf64 a = v_abs_f64(x);
    const vi64 large = a > VMATH_TRIG_F64;
    vu64 quarter;
    vf64 rest;
    const vf64 r = v_reduce_f64(v_sel_f64(large, (vf64){0}, a), &rest, &quarter);
    vf64 y = v_quarter_f64(r, rest, quarter + 1u);
    if (__builtin_expect(v_any64(large), 0)) {
        for (int i = 0; i < W64; i++) y[i] = large[i] ? cos(x[i]) : y[i];
    }
    return y;
}

#if SIMD_FMA
#define T              float
#define V              vf32
#define U              vu32
#define MASK           vmask_f32
#define NAME(f)        f##_f32
#define NUMBER(c)      VMATH_##c##_F32
#define POLY(x, table) v_poly_f32(x, VMATH_##table##_F32, 5)
#define NEAR           0x1p-15
#define TOP            31
#include "kernels/simd/vmath_sine.h"

#define T              double
#define V              vf64
#define U              vu64
#define MASK           vmask_f64
#define NAME(f)        f##_f64
#define NUMBER(c)      VMATH_##c##_F64
#define POLY(x, table) v_poly_f64(x, VMATH_##table##_F64, 8)
#define NEAR           0x1p-20
#define TOP            63
#include "kernels/simd/vmath_sine.h"
#else
static inline vf32 v_sin_f32(vf32 x) { return v_sin_any_f32(x); }
static inline vf32 v_cos_f32(vf32 x) { return v_cos_any_f32(x); }
static inline vf64 v_sin_f64(vf64 x) { return v_sin_any_f64(x); }
static inline vf64 v_cos_f64(vf64 x) { return v_cos_any_f64(x); }
#endif

/* ---- tanh, sigmoid --------------------------------------------------------------------------- */

#if SIMD_TABLES
static inline vf32 v_tanh_f32(vf32 x) {
    return v_pieces_f32(x, VMATH_TANH_PIECES, 8, 0.125f, 9.03f, 0);
}
#else
static inline vf32 v_tanh_f32(vf32 x) {
    const vf32 a = v_abs_f32(x), z = a * a;
    const vf32 near = v_fma_f32(a * z, VMATH_POLY(z, TANH_F32), a);
    const vf32 far = 1.0f - 2.0f / (v_exp_f32(a + a) + 1.0f);
    return v_copysign_f32(v_sel_f32(a < 0.625f, near, far), x);
}
#endif
static inline vf64 v_tanh_f64(vf64 x) {
    const vf64 a = v_abs_f64(x), z = a * a;
    const vf64 near = v_fma_f64(a * z, VMATH_POLY(z, TANH_F64), a);
    const vf64 far = 1.0 - 2.0 / (v_exp_f64(a + a) + 1.0);
    return v_copysign_f64(v_sel_f64(a < 0.625, near, far), x);
}

/* With e = exp(-|x|), which cannot overflow: p = 1 / (1 + e), and below 0 e p, where e comes as its
 * two factors; what is left of 1 - (1 + e) p comes back in the last step. But for AVX-512 2^k is
 * put together from bits: down to the bound it is normal, and below that the result is e. */
#if SIMD_TABLES
#define VMATH_SIGMOID_LEAST_F32 -104.0f
#define VMATH_SIGMOID_LEAST_F64 -746.0
static inline vf32 v_two_to_least_f32(vf32 k) { return v_scale_f32(v_set_f32(1), k); }
static inline vf64 v_two_to_least_f64(vf64 k) { return v_scale_f64(v_set_f64(1), k); }
#else
#define VMATH_SIGMOID_LEAST_F32 -87.0f
#define VMATH_SIGMOID_LEAST_F64 -708.0
static inline vf32 v_two_to_least_f32(vf32 k) {
    return (vf32)(((vu32)(k + VMATH_MAGIC_F32) - VMATH_BITS_F32 + 127u) << 23);
}
static inline vf64 v_two_to_least_f64(vf64 k) {
    return (vf64)(((vu64)(k + VMATH_MAGIC_F64) - VMATH_BITS_F64 + 1023u) << 52);
}
#endif
VMATH_QUICK vf32 v_sigmoid_quick_f32(vf32 x, vmask_f32 *unfit) {
    vf32 r, shifted;
    const vf32 one = v_set_f32(1);
    const vf32 low = v_max_f32((vf32)((vu32)x | 0x80000000u), VMATH_SIGMOID_LEAST_F32);
    const vf32 scale = v_two_to_least_f32(v_exp_reduce_f32(low, &r, &shifted));
    const vf32 near = v_exp_near_f32(r, (vf32){0});
    const vf32 e = v_fma_f32(scale, near, scale), about = v_about_inverse_f32(one + e);
    const vmask_f32 negative = v_less_f32(x, (vf32){0});
    const vf32 t = about * v_either_f32(negative, scale, one);
    const vf32 more = v_either_f32(negative, near, (vf32){0});
#if SIMD_FMA
    const vf32 left = v_fma_f32(-about, e, one - about);
#else
    const vf32 left = ((one - about) - about * scale) - about * scale * near;
#endif
    *unfit = v_less_f32(x, v_set_f32(VMATH_SIGMOID_LEAST_F32));
    return v_fma_f32(t, v_fma_f32(left, one + more, more), t);
}
VMATH_QUICK vf64 v_sigmoid_quick_f64(vf64 x, vmask_f64 *unfit) {
    const vf64 one = v_set_f64(1), low = v_max_f64(-v_abs_f64(x), VMATH_SIGMOID_LEAST_F64);
    const vf64 shifted = v_fma_f64(low, v_set_f64(VMATH_LOG2E), v_set_f64(VMATH_MAGIC_F64));
    const vf64 k = shifted - VMATH_MAGIC_F64, scale = v_two_to_least_f64(k);
    const vf64 r = v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_LOW),
                             v_fma_f64(k, v_set_f64(-VMATH_LN2_F64_HIGH), low));
    const vf64 near = v_fma_f64(r * r, VMATH_POLY(r, EXP_F64), r);
    const vf64 e = v_fma_f64(scale, near, scale), about = v_inverse_short(one + e);
    const vmask_f64 negative = v_less_f64(x, (vf64){0});
    const vf64 t = about * v_either_f64(negative, scale, one);
    const vf64 more = v_either_f64(negative, near, (vf64){0});
#if SIMD_FMA
    const vf64 left = v_fma_f64(-about, e, one - about);
#else
    const vf64 left = ((one - about) - about * scale) - about * scale * near;
#endif
    *unfit = v_less_f64(x, v_set_f64(VMATH_SIGMOID_LEAST_F64));
    return v_fma_f64(t, v_fma_f64(left, one + more, more), t);
}
#if SIMD_TABLES
static inline vf32 v_sigmoid_f32(vf32 x) {
    vmask_f32 none;
    return v_sigmoid_quick_f32(x, &none);
}
static inline vf64 v_sigmoid_f64(vf64 x) {
    vmask_f64 none;
    return v_sigmoid_quick_f64(x, &none);
}
#else
VMATH_QUICK_OR(vf32, vmask_f32, v_sigmoid_f32, v_sigmoid_quick_f32, v_exp_f32, v_either_f32,
               v_some_f32)
VMATH_QUICK_OR(vf64, vmask_f64, v_sigmoid_f64, v_sigmoid_quick_f64, v_exp_f64, v_either_f64,
               v_some_f64)
#endif

/* ---- pow ------------------------------------------------------------------------------------- */

/* 2^(y log2|x|) in f64 with the sign and the exceptions of C's pow. Of numbers that were f32. */
static inline vf64 v_pow_short(vf64 x, vf64 y) {
    const vf64 size = v_abs_f64(x), half = 0.5 * y;
    vf64 r = v_exp2_short(y * v_log2_short(size));
    const vi64 whole = v_round_f64(y) == y, odd = whole & (v_round_f64(half) != half);
    r = (vf64)((vi64)r ^ (odd & (vi64)x & INT64_MIN));
    r = v_sel_f64((x < 0) & (size < (double)INFINITY) & ~whole, v_set_f64((double)NAN), r);
    const vi64 one = (y == 0) | (x == 1) | ((size == 1) & (v_abs_f64(y) == (double)INFINITY));
    return v_sel_f64(one, v_set_f64(1), r);
}
static __attribute__((noinline, unused)) vf32 v_pow_any_f32(vf32 x, vf32 y) {
    return v_narrow_f64(v_pow_short(v_low_f64(x), v_low_f64(y)),
                        v_pow_short(v_high_f64(x), v_high_f64(y)));
}
/* Without the exceptions, where all lanes are finite and all bases positive. */
static inline vf32 v_pow_f32(vf32 x, vf32 y) {
    const vu32 infinity = (vu32)v_set_f32((float)INFINITY);
    const vi32 unfit = (vi32)(((vu32)x - 1u >= infinity - 1u) | ((vu32)v_abs_f32(y) >= infinity));
    if (__builtin_expect(v_any32(unfit), 0)) return v_pow_any_f32(x, y);
    return v_narrow_f64(v_exp2_short(v_low_f64(y) * v_log2_plain(v_low_f64(x))),
                        v_exp2_short(v_high_f64(y) * v_log2_plain(v_high_f64(x))));
}
/* ---- one name for f32 and f64 ---------------------------------------------------------------- */

#define v_exp(x)     SIMD_PICK(v_exp, x)(x)
#define v_log(x)     SIMD_PICK(v_log, x)(x)
#define v_log2(x)    SIMD_PICK(v_log2, x)(x)
#define v_sin(x)     SIMD_PICK(v_sin, x)(x)
#define v_cos(x)     SIMD_PICK(v_cos, x)(x)
#define v_tanh(x)    SIMD_PICK(v_tanh, x)(x)
#define v_sigmoid(x) SIMD_PICK(v_sigmoid, x)(x)

#endif
