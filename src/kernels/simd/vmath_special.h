/* Vector mathematics of the special functions: erf, erfc, erfinv, digamma, lgamma, sinc. Those of
 * f32 compute in f64, mostly with shorter polynomials ("short": good for f32 only). */
#ifndef NOMEN_SRC_VMATH_SPECIAL_H
#define NOMEN_SRC_VMATH_SPECIAL_H

#include "kernels/simd/vmath_more.h"

/* ---- erf, erfc: x + x P(x^2) near 0; exp(-x^2) times what is nearly flat farther away -------- */

/* c[0] + x (c[1] + ...) = result + *low: the last sum without loss. */
static inline vf64 v_poly_sum(vf64 x, const double *c, int n, vf64 *low) {
    const vf64 rest = x * v_poly_f64(x, c + 1, n - 1), sum = c[0] + rest;
    *low = (c[0] - sum) + rest;
    return sum;
}
#define VMATH_POLY_SUM(x, table, low)                                                              \
    v_poly_sum(x, VMATH_##table, (int)(sizeof VMATH_##table / sizeof VMATH_##table[0]), low)

#if SIMD_TABLES
/* In pieces; beyond the last it is 1. */
VMATH_QUICK vf64 v_erf_f64(vf64 x) {
    static const double(*const table)[16] = VMATH_ERF_WIDE_PIECES;
    const vf64 a = v_min_f64(v_abs_f64(x), 5.95);
    const vu64 i = (vu64)v_fma_f64(a, v_set_f64(VMATH_ERF_EACH_F64), v_set_f64(VMATH_MAGIC_F64));
    const vf64 d = a - v_entry16_f64(table[0], i);
    const vf64 p = v_entry16_f64(table[1], i) + VMATH_PIECE(i, d, ERF_WIDE);
    return v_copysign_f64(v_either_f64(v_less_f64(a, v_set_f64(5.93)), p, v_min_f64(a, 1.0)), x);
}
#else
/* erfc(a), a >= 1/2. Like in the functions that follow, what no lane needs is left out. */
static inline vf64 v_erfc_far_f64(vf64 a) {
    vf64 k, p;
    a = v_at_most_f64(a, 28.0);
    /* a^2 = short^2 + d, the square exact */
    const vf64 upper = (vf64)((vu64)a & ~(uint64_t)0x7ffffff), d = (a - upper) * (a + upper);
    const vf64 r = v_exp_parts_f64(-upper * upper, -d, &k, &p);
    const vf64 one = 1.0 + r, rest = ((1.0 - one) + r) + p;
    const vf64 high = one + rest, low = (one - high) + rest;
    const vmask_f64 is_far = v_less_f64(v_set_f64(2), a);
    vf64 low_q, q = VMATH_POLY_SUM(a - 1.25, ERFC_F64, &low_q);
    if (v_some_f64(is_far)) {
        vf64 low_n;
        const vf64 n = VMATH_POLY_SUM(v_quotient_f64(a - 5.0, a + 5.0), ERFC_FAR_F64, &low_n);
        const vf64 twice = a + a, b = 1.0 + twice, low_b = (twice - b) + 1.0;
        const vf64 far = v_quotient_f64(n, b), low_far = (low_n - far * low_b) * v_inverse_short(b);
        q = v_either_f64(is_far, far, q);
        low_q = v_either_f64(is_far, low_far, low_q);
    }
    return v_scale_f64(q * high + (q * low + low_q * high), k);
}
/* Beyond 1 from erfc = exp(-a^2) g, g a polynomial of (a - 3) / (a + 3): it is so small beside 1
 * that its roundings do not count. */
VMATH_QUICK vf64 v_erf_f64(vf64 x) {
    const vf64 a = v_min_f64(v_abs_f64(x), 5.96), z = a * a;
    const vf64 near = v_fma_f64(a, VMATH_POLY(z, ERF_F64), a);
    const vf64 g = VMATH_POLY((a - 3.0) / (a + 3.0), ERF_FAR_F64);
    const vf64 far = 1.0 - v_exp_normal_f64(-z) * g;
    return v_copysign_f64(v_either_f64(v_less_f64(v_set_f64(1), a), far, near), x);
}
static inline vf64 v_erfc_f64(vf64 x) {
    const vf64 a = v_abs_f64(x), tail = x * VMATH_POLY(x * x, ERF_F64), sum = 1.0 - x;
    const vf64 near = sum + (((1.0 - sum) - x) - tail);
    const vmask_f64 is_far = v_less_f64(v_set_f64(0.5), a);
    if (!v_some_f64(is_far)) return near;
    const vf64 far = v_erfc_far_f64(a);
    return v_either_f64(is_far, v_either_f64(v_negative_f64(x), 2.0 - far, far), near);
}
#endif

/* erfc(a), a >= 0: w = 1 / (3 + a) times what is nearly flat as a function of w. */
static inline vf64 v_erfc_far_short(vf64 a) {
    a = v_min_f64(a, 11.0);
    const vf64 w = v_inverse_short(3.0 + a), q = w * VMATH_POLY(w, ERFC_SHORT_F64);
    return q * v_exp2_short(a * a * -VMATH_LOG2E);
}
static inline vf64 v_erf_short(vf64 x) {
    const vf64 a = v_abs_f64(x), near = v_fma_f64(a, VMATH_POLY(a * a, ERF_SHORT_F64), a);
    return v_copysign_f64(v_sel_f64(a < 1.0, near, 1.0 - v_erfc_far_short(a)), x);
}
static inline vf64 v_erfc_short(vf64 x) {
    const vf64 far = v_erfc_far_short(v_abs_f64(x));
    return v_either_f64(v_negative_f64(x), 2.0 - far, far);
}
static inline vf32 v_erf_wide_f32(vf32 x) {
    return v_narrow_f64(v_erf_short(v_low_f64(x)), v_erf_short(v_high_f64(x)));
}
#if SIMD_TABLES || SIMD_EIGHTS
static __attribute__((noinline, unused)) vf32 v_erf_tiny_f32(vf32 x) { return v_erf_wide_f32(x); }
VMATH_QUICK vf32 v_erf_f32(vf32 x) {
    /* below 2^-100 the correction of the slope would underflow */
    const vi32 tiny = (vi32)(((vu32)v_abs_f32(x) - 1u) < ((27u << 23) - 1u));
#if SIMD_TABLES
    const vf32 y = v_pieces_f32(x, VMATH_ERF_PIECES, 9, 0.125f, 3.99f, 1);
#else
    const vf32 y = v_pieces_f32(x, VMATH_ERF_FEW_PIECES, 12, 0.5f, 3.99f, 1);
#endif
    return __builtin_expect(v_any32(tiny), 0) ? v_sel_f32(tiny, v_erf_tiny_f32(x), y) : y;
}
#else
static inline vf32 v_erf_f32(vf32 x) { return v_erf_wide_f32(x); }
#endif
#if SIMD_TABLES
#define V          vf32
#define U          vu32
#define NAME(f)    f##_f32
#define NUMBER(c)  VMATH_##c##_F32
#define ENTRY      v_entry32_f32
#define POLY(x, t) VMATH_HORNER(x, t##_F32)
#define TOP        10.6f
#define FIRST      20
#define STEPS      32
#include "kernels/simd/vmath_erfc.h"

#define V          vf64
#define U          vu64
#define NAME(f)    f##_f64
#define NUMBER(c)  VMATH_##c##_F64
#define ENTRY      v_entry16_f64
#define POLY(x, t) VMATH_POLY(x, t##_F64)
#define TOP        27.6
#define FIRST      50
#define STEPS      16
#include "kernels/simd/vmath_erfc.h"
#else
static inline vf32 v_erfc_f32(vf32 x) {
    return v_narrow_f64(v_erfc_short(v_low_f64(x)), v_erfc_short(v_high_f64(x)));
}
#endif

/* ---- erfinv(x) = x P(w), w = - ln(1 - x^2), in the end sqrt(w) ------------------------------- */

/* Good to 2^-27, for f64 up to its ends. */
static inline vf64 v_erfinv_short(vf64 x) {
    const vf64 w = -VMATH_LN2 * v_log2_short((1.0 - x) * (1.0 + x));
    const vi64 far = w > 5.0;
    vf64 p = VMATH_POLY(w, ERFINV_NEAR_F64);
    if (v_any64(far)) {
        const vf64 s = v_sqrt_f64(w);
        p = v_sel_f64(far, VMATH_POLY(s, ERFINV_FAR_F64), p);
        p = v_sel_f64(s > 4.05, VMATH_POLY(s, ERFINV_END_F64), p);
    }
    return x * v_sel_f64(w == (double)INFINITY, w, p);
}
#if SIMD_TABLES || SIMD_EIGHTS
/* Of t = 1 - |x| a piece for each power of 2 below 1 / 4; |x| P(x^2) where it is above. near: t is
 * 2^-7 at least, whose pieces are the last eight. */
VMATH_QUICK vf32 v_erfinv_in_pieces(vf32 x, vf32 t, bool near) {
    static const float(*const table)[32] = VMATH_ERFINV_COLUMNS;
    enum { LOST = sizeof VMATH_ERFINV_COLUMNS / sizeof VMATH_ERFINV_COLUMNS[0] - 1 };
#if SIMD_EIGHTS
#define ENTRY(k) (near ? v_entry8_f32(table[k] + 24, i) : v_entry32_f32(table[k], i))
#else
    (void)near;
#define ENTRY(k) v_entry32_f32(table[k], i)
#endif
    const vf32 a = v_abs_f32(x), one = v_set_f32(1);
    const vu32 bits = (vu32)t, i = bits >> 23;
    const vf32 far = (vf32)((bits & 0x7fffff) | (vu32)one) - 1.5f;
    const vmask_f32 is_far = v_less_f32(v_set_f32(0.75f), a);
    const vf32 d = v_either_f32(is_far, far, a * a), scale = v_either_f32(is_far, one, a);
    vf32 p = ENTRY(LOST - 1);
    for (int k = LOST - 2; k >= 1; k--) p = v_fma_f32(p, d, ENTRY(k));
    p = v_fma_f32(p, d, ENTRY(LOST)) * scale;
    p = v_fma_f32(ENTRY(0), scale, p);
#undef ENTRY
    return v_copysign_f32(v_sel_f32(a <= 1.0f, p, v_set_f32(NAN)), x);
}
static __attribute__((noinline, unused)) vf32 v_erfinv_far_f32(vf32 x) {
    return v_erfinv_in_pieces(x, v_set_f32(1) - v_abs_f32(x), false);
}
#if SIMD_EIGHTS
VMATH_QUICK vf32 v_erfinv_quick_f32(vf32 x, vmask_f32 *unfit) {
    const vf32 t = v_set_f32(1) - v_abs_f32(x);
    *unfit = v_less_f32(t, v_set_f32(0x1p-7f));
    return v_erfinv_in_pieces(x, t, true);
}
#else
/* Up to 1 - 2^-8 in shorter pieces: a processor looks up as many numbers as it multiplies. */
VMATH_QUICK vf32 v_erfinv_quick_f32(vf32 x, vmask_f32 *unfit) {
    static const float(*const table)[32] = VMATH_ERFINV_PIECES;
    enum { LAST = sizeof VMATH_ERFINV_PIECES / sizeof VMATH_ERFINV_PIECES[0] - 1 };
    const vf32 a = v_abs_f32(x), t = v_set_f32(0x1.fffffep-1f) - a; /* a column has no 1 */
    const vu32 i = (vu32)t >> 21;
    const vf32 d = a - v_entry32_f32(table[0], i);
    vf32 p = v_entry32_f32(table[LAST], i);
    for (int k = LAST - 1; k >= 3; k--) p = v_fma_f32(p, d, v_entry32_f32(table[k], i));
    p = d * v_fma_f32(p, d, v_set_f32(VMATH_ERFINV_SLOPE_LOST_F32));
    p = v_fma_f32(v_entry32_f32(table[2], i), d, p) + v_entry32_f32(table[1], i);
    *unfit = v_less_f32(t, v_set_f32(0x1p-8f));
    return v_copysign_f32(p, x);
}
#endif
VMATH_QUICK_OR(vf32, vmask_f32, v_erfinv_f32, v_erfinv_quick_f32, v_erfinv_far_f32, v_either_f32,
               v_some_f32)
#else
VMATH_QUICK vf32 v_erfinv_f32(vf32 x) {
    const vf32 y = v_narrow_f64(v_erfinv_short(v_low_f64(x)), v_erfinv_short(v_high_f64(x)));
    return v_sel_f32(v_abs_f32(x) > 1.0f, v_set_f32(NAN), y); /* not some NaN or other */
}
#endif
#if SIMD_TABLES
/* x P(w) again, in pieces of u = 1 + w / 2.4, which ends below 16 because w does at 36.1. The
 * distance from the point of development is taken without the rounding of u. */
VMATH_QUICK vf64 v_erfinv_f64(vf64 x) {
    static const double(*const table)[16] = VMATH_ERFINV_WIDE_PIECES;
    const vf64 one = v_set_f64(1), scale = v_set_f64(-VMATH_ERFINV_SCALE);
    const vf64 ln = v_log_f64(v_fma_f64(-x, x, one)), u = v_fma_f64(ln, scale, one);
    const vu64 i = (vu64)u >> 50;
    const vf64 d = v_fma_f64(ln, scale, one - v_entry16_f64(table[0], i));
    const vf64 p = x * VMATH_PIECE(i, d, ERFINV_WIDE);
    const vf64 y = v_fma_f64(x, v_entry16_f64(table[1], i), p);
    return v_copysign_f64(v_either_f64(v_less_f64(u, v_set_f64(16)), y, u), x); /* -0 too */
}
VMATH_QUICK vf64 v_erfinv_quick_f64(vf64 x, vmask_f64 *unfit) {
    *unfit = v_less_f64(x, x); /* none */
    return v_erfinv_f64(x);
}
#else
/* One step of Halley's method; beyond 0.7 on erfc, whose value is small there. */
static __attribute__((noinline, unused)) vf64 v_erfinv_far_f64(vf64 x) {
    const vf64 a = v_abs_f64(x), y = v_erfinv_short(a), z = y * y;
    const vmask_f64 is_far = v_less_f64(v_set_f64(0.7), a);
    vf64 off = v_fma_f64(y, VMATH_POLY(z, ERF_F64), y) - a;
    if (v_some_f64(is_far)) off = v_either_f64(is_far, (1.0 - a) - v_erfc_far_f64(y), off);
    vf64 step = off * v_exp_f64(z) * (1 / VMATH_TWO_OVER_ROOT_PI);
    step = step * v_inverse_short(v_fma_f64(y, step, v_set_f64(1)));
    return v_copysign_f64(v_sel_f64(a < 1.0, y - step, y), x);
}
/* x (P(0) + w Q(w)) up to w = 5, which is 0.9966. */
VMATH_QUICK vf64 v_erfinv_quick_f64(vf64 x, vmask_f64 *unfit) {
    vf64 m, h;
    const vf64 s = (1.0 - x) * (1.0 + x), k = v_split_f64(s, &m), f = m - 1.0;
    const vf64 tail = v_ln_tail_f64(f, &h), part = f - (h - (tail + k * VMATH_LN2_F64_LOW));
    /* ln s = -w - less; P grows by a quarter of it */
    const vf64 whole = k * VMATH_LN2_F64_HIGH, w = -whole - part, less = (whole + w) + part;
    const vf64 first = v_fma_f64(less, v_set_f64(-0.24), v_set_f64(VMATH_ROOT_PI_HALF));
    *unfit = v_above_f64(v_set_f64(0.006738), s);
    return x * v_fma_f64(w, VMATH_POLY(w - 2.5, ERFINV_F64), first);
}
VMATH_QUICK_OR(vf64, vmask_f64, v_erfinv_f64, v_erfinv_quick_f64, v_erfinv_far_f64, v_either_f64,
               v_some_f64)
#endif

/* ---- digamma --------------------------------------------------------------------------------- */

/* Of x > 0. Below 6 by steps down to [1, 2), where the polynomial knows the root; above by ln. */
static inline vf64 v_digamma_positive(vf64 x) {
    const vf64 zero = (vf64){0}, one = v_set_f64(1);
    const vi64 below = x < 1.0, above = x >= 6.0;
    vf64 t = v_sel_f64(above, one, x), n = zero, d = one;
    for (int i = 0; i < 4; i++) { /* n / d gathers the sum of 1 / t */
        const vi64 down = t >= 2.0;
        t = v_sel_f64(down, t - 1.0, t);
        n = v_sel_f64(down, n * t + d, n);
        d = v_sel_f64(down, d * t, d);
    }
    const vf64 y = v_sel_f64(below, x, t - 1.0);
    const vf64 past = (y - VMATH_ROOT_F64_HIGH) - VMATH_ROOT_F64_LOW;
    const vf64 near = past * VMATH_POLY(y - 0.5, DIGAMMA_ROOT_F64);
    const vf64 inverse = 1.0 / v_sel_f64(above, x, d), v = inverse * inverse;
    const vf64 steps = v_sel_f64(below, -1.0 / x, n * inverse);
    const vf64 far = v_log_f64(x) - (0.5 * inverse - v * VMATH_POLY(v, DIGAMMA_F64));
    return v_sel_f64(above, far, near + steps);
}

/* pi x = result + *low. */
static inline vf64 v_times_pi(vf64 x, vf64 *low) {
    const vf64 upper = (vf64)((vu64)x & ~(uint64_t)0x7ffffff), part = upper * VMATH_PI_F64_HIGH;
    const vf64 rest = (x - upper) * VMATH_PI_F64_HIGH + x * VMATH_PI_F64_LOW, y = part + rest;
    *low = (part - y) + rest;
    return y;
}
/* sin(pi x) = result + *low; and cos. */
VMATH_QUICK vf64 v_sin_and_cos_pi(vf64 x, vf64 *low, vf64 *cosine) {
    const vf64 n = v_round_f64(x + x);
    vf64 c, rest;
    vmath_lost_f64 lost;
    const vf64 angle = v_times_pi(x - 0.5 * n, &rest);
    const vf64 s = v_sin_and_cos_f64(angle, rest, &c, &lost);
    const vf64 quarter = n - 4.0 * v_floor_f64(0.25 * n);
    const vi64 odd = (quarter == 1) | (quarter == 3), minus = quarter >= 2;
    const vf64 sine = v_sel_f64(odd, c, s), other = v_sel_f64(odd, s, c);
    const vf64 less = v_sel_f64(odd, lost.c, lost.s);
    *cosine = v_sel_f64((quarter == 1) | (quarter == 2), -other, other);
    *low = v_sel_f64(minus, -less, less);
    return v_sel_f64(minus, -sine, sine);
}

static inline vf64 v_digamma_f64(vf64 x) {
    const vi64 negative = x < 0;
    vf64 low, c, y = v_digamma_positive(v_sel_f64(negative, 1.0 - x, x));
    if (v_any64(negative)) {
        const vf64 s = v_sin_and_cos_pi(x, &low, &c);
        y = v_sel_f64(negative, y - VMATH_PI_WHOLE_F64 * c / s, y);
        y = v_sel_f64(negative & (v_floor_f64(x) == x), v_set_f64((double)NAN), y);
    }
    y = v_sel_f64((x == (double)INFINITY) | (x != x), x, y);
    return v_sel_f64(x == 0, v_copysign_f64(v_set_f64((double)INFINITY), -x), y);
}
static __attribute__((noinline, unused)) vf32 v_digamma_any_f32(vf32 x) {
    return v_narrow_f64(v_digamma_f64(v_low_f64(x)), v_digamma_f64(v_high_f64(x)));
}
#if SIMD_TABLES
/* Of z > 0, good enough for f32: in pieces from 1 to 16; below by one step, above by the series. */
static inline vf64 v_digamma_short(vf64 z) {
    const vf64 zero = (vf64){0}, one = v_set_f64(1);
    const vmask_f64 below = v_less_f64(z, one);
    const vf64 w = v_inverse_short(z), v = w * w, t = v_either_f64(below, z + one, z);
    const vf64 near = VMATH_SIXTEENTHS(t, t, DIGAMMA) - v_either_f64(below, w, zero);
    const vf64 series = v_fma_f64(v, v_fma_f64(v, v_set_f64(-1.0 / 252), v_set_f64(1.0 / 120)),
                                  v_set_f64(-1.0 / 12));
    const vf64 far = v_fma_f64(v, series, v_fma_f64(w, v_set_f64(-0.5), v_ln_short(z)));
    return v_either_f64(v_less_f64(z, v_set_f64(16)), near, far);
}
#else
/* Of z > 0, good enough for f32. From 1 to 2 by the polynomial that knows the root, below by one
 * step from there, n / d = 1 / z. From 6 on by the series, from 2 to 6 by four steps, whose sum n /
 * d with u = z (z + 3) is (2 z + 3) (1 / u + 1 / (u + 2)). All in one division. */
static inline vf64 v_digamma_short(vf64 z) {
    const vf64 zero = (vf64){0}, one = v_set_f64(1);
    const vmask_f64 below = v_less_f64(z, one), low = v_less_f64(z, v_set_f64(2));
    const vmask_f64 small = v_less_f64(z, v_set_f64(6));
    const vf64 t = v_either_f64(below, z + one, z), u = z * (z + 3.0), more = u + 2.0;
    const vf64 near =
        ((t - one) - VMATH_ROOT_F64_HIGH) * VMATH_POLY(t - 1.5, DIGAMMA_ROOT_SHORT_F64);
    const vf64 steps = v_fma_f64(z, v_set_f64(2), v_set_f64(3)) * (u + more);
    const vf64 n =
        v_either_f64(low, v_either_f64(below, one, zero), v_either_f64(small, steps, zero));
    const vf64 d = v_either_f64(below, z, v_either_f64(small, u * more, one));
    const vf64 far = v_either_f64(small, z + 4.0, z), inverse = one / (far * d);
    const vf64 w = inverse * d, v = w * w;
    vf64 series = v_fma_f64(v, v_set_f64(1.0 / 240), v_set_f64(-1.0 / 252));
    series = v_fma_f64(v, v_fma_f64(v, series, v_set_f64(1.0 / 120)), v_set_f64(-1.0 / 12));
    const vf64 ln = v_fma_f64(v_log2_plain(far), v_set_f64(VMATH_LN2), w * -0.5);
    return v_either_f64(low, near, v_fma_f64(v, series, ln)) - n * (inverse * far);
}
#endif
VMATH_QUICK vf32 v_digamma_quick_f32(vf32 x, vmask_f32 *unfit) {
    *unfit = v_beyond_f32(x - 0x1p-100f, 0x1.fffffep127f);
    return v_narrow_f64(v_digamma_short(v_low_f64(x)), v_digamma_short(v_high_f64(x)));
}
VMATH_QUICK_OR(vf32, vmask_f32, v_digamma_f32, v_digamma_quick_f32, v_digamma_any_f32, v_either_f32,
               v_some_f32)

/* ---- lgamma ---------------------------------------------------------------------------------- */

/* In pieces from 1 to 16, below by one step, above by Stirling's series. */
static inline vf64 v_lgamma_short(vf64 x) {
    const vf64 zero = (vf64){0}, one = v_set_f64(1);
    const vmask_f64 negative = v_less_f64(x, zero);
    const vf64 z = v_either_f64(negative, one - x, x), ln = v_ln_short(z);
    const vmask_f64 below = v_less_f64(z, one);
    const vf64 t = v_either_f64(below, z + one, z), w = v_inverse_short(z);
    const vf64 near = VMATH_SIXTEENTHS(t, t, LGAMMA) - v_either_f64(below, ln, zero);
    const vf64 tail = w * v_fma_f64(w * w, v_set_f64(-1.0 / 360), v_set_f64(1.0 / 12));
    const vf64 far = v_fma_f64(z - 0.5, ln, (tail + VMATH_LN_2PI_HALF) - z);
    vf64 y = v_either_f64(v_less_f64(z, v_set_f64(16)), near, far);
    if (v_some_f64(negative)) {
        vf64 low, c;
        const vf64 s = v_sin_and_cos_pi(x, &low, &c);
        y = v_either_f64(negative, (VMATH_LN_PI - v_log_f64(v_abs_f64(s))) - y, y);
    }
    return v_sel_f64(v_abs_f64(x) == (double)INFINITY, v_set_f64((double)INFINITY), y);
}
static inline vf32 v_lgamma_f32(vf32 x) {
    return v_narrow_f64(v_lgamma_short(v_low_f64(x)), v_lgamma_short(v_high_f64(x)));
}
/* Of z > 0. Below 0.75 by one step, from 16 on by Stirling's series. */
static inline vf64 v_lgamma_positive(vf64 z) {
    static const double(*const table)[16] = VMATH_LGAMMA_WIDE_PIECES;
    const vf64 zero = (vf64){0}, one = v_set_f64(1);
    const vmask_f64 below = v_less_f64(z, one), is_far = v_less_f64(v_set_f64(15.99), z);
    const vf64 t = v_min_f64(v_either_f64(below, z + one, z), 15.99);
    const vu64 i = (vu64)t >> 50;
    const vf64 step = v_either_f64(below, one, zero), d = z - (v_entry16_f64(table[0], i) - step);
    vf64 ln = zero;
    if (v_some_f64(below) || v_some_f64(is_far)) ln = v_log_f64(z);
    const vf64 p = (VMATH_PIECE(i, d, LGAMMA_WIDE) - v_either_f64(below, ln, zero)) +
                   v_entry16_f64(table[1], i);
    if (!v_some_f64(is_far)) return p;
    const vf64 w = one / z,
               far = v_fma_f64(w, VMATH_POLY(w * w, STIRLING_F64), v_set_f64(VMATH_LN_2PI_E_HALF));
    return v_either_f64(is_far, v_fma_f64(z - 0.5, ln - one, far), p);
}
/* Below 0 by reflection, ln(pi / |sin(pi x)|) less that of 1 - x; where the two cancel libm knows.
 */
static inline vf64 v_lgamma_f64(vf64 x) {
    const vf64 zero = (vf64){0}, one = v_set_f64(1), a = v_abs_f64(x);
    const vmask_f64 negative = v_less_f64(x, zero);
    vf64 y = v_lgamma_positive(v_either_f64(negative, one - x, x));
    if (v_some_f64(negative)) {
        vf64 low, c;
        const vf64 s = v_sin_and_cos_pi(x, &low, &c);
        /* pi x loses bits where x is small */
        const vmask_f64 small = v_less_f64(a, v_set_f64(0x1p-60));
        const vf64 ln = v_log_f64(v_either_f64(small, a, v_abs_f64(s)));
        const vf64 turned = (v_either_f64(small, zero, v_set_f64(VMATH_LN_PI)) - ln) - y;
        const vi64 cancels = (x < -2.0) & (v_abs_f64(turned) < y);
        y = v_either_f64(negative, turned, y);
        if (v_any64(cancels)) {
            int sign; /* lgamma itself writes a global */
            for (int i = 0; i < W64; i++)
                if (cancels[i]) y[i] = lgamma_r(x[i], &sign);
        }
    }
    /* from 2^52 on all numbers are whole: poles, where the difference would be inf - inf */
    y = v_sel_f64((x == (double)INFINITY) | (x == 0) | (x <= -0x1p52), v_set_f64((double)INFINITY),
                  y);
    return v_sel_f64(x != x, x, y);
}

/* ---- sinc = sin(pi x) / (pi x) --------------------------------------------------------------- */

VMATH_QUICK vf64 v_sinc_f64(vf64 x) {
    vf64 c, low_s, low_d;
    const vf64 a = v_abs_f64(x), z = a * a;
    const vf64 near = v_fma_f64(z, VMATH_POLY(z, SINC_F64), v_set_f64(1));
    const vf64 s = v_sin_and_cos_pi(v_at_most_f64(a, 0x1p53), &low_s, &c);
    const vf64 d = v_times_pi(a, &low_d), far = s / d;
    const vf64 y = v_sel_f64(a < 0.5, near, far + (low_s - far * low_d) / d);
    return v_sel_f64(a == (double)INFINITY, v_set_f64((double)NAN), y);
}
VMATH_QUICK vf32 v_sinc_f32(vf32 x) {
    return v_narrow_f64(v_sinc_f64(v_low_f64(x)), v_sinc_f64(v_high_f64(x)));
}

/* Its derivative, (cos(pi x) - sinc(x)) / x. Near 0, where that cancels, the series: the sum of
 * (-1)^k 2 k pi^(2 k) / (2 k + 1)! x^(2 k - 1), each term as a part of the one before it. */
VMATH_QUICK vf64 v_sinc_slope_f64(vf64 x) {
    enum { TERMS = 11 };
    const vf64 a = v_abs_f64(x), w = (M_PI * M_PI) * (x * x);
    vf64 low_s, low_d, c, near = v_set_f64(1);
#pragma GCC unroll 16
    for (int k = TERMS; k > 1; k--) near = 1 - w * near * (1.0 / (2 * (k - 1) * (2 * k + 1)));
    const vf64 s = v_sin_and_cos_pi(v_at_most_f64(a, 0x1p53), &low_s, &c);
    const vf64 far = (c - s / v_times_pi(a, &low_d)) / a;
    const vf64 slope =
        v_sel_f64(a < 0.5, near * x * (M_PI * M_PI / -3), v_sel_f64(x < 0, -far, far));
    return v_sel_f64(a == (double)INFINITY, v_set_f64((double)NAN), slope);
}
VMATH_QUICK vf32 v_sinc_slope_f32(vf32 x) {
    return v_narrow_f64(v_sinc_slope_f64(v_low_f64(x)), v_sinc_slope_f64(v_high_f64(x)));
}

/* ---- one name for f32 and f64 ---------------------------------------------------------------- */

#define v_erf(x)     SIMD_PICK(v_erf, x)(x)
#define v_erfc(x)    SIMD_PICK(v_erfc, x)(x)
#define v_erfinv(x)  SIMD_PICK(v_erfinv, x)(x)
#define v_digamma(x) SIMD_PICK(v_digamma, x)(x)
#define v_lgamma(x)  SIMD_PICK(v_lgamma, x)(x)
#define v_sinc(x)    SIMD_PICK(v_sinc, x)(x)

#endif
