/* Vector mathematics of complex numbers, real and imaginary parts in vectors of float64. Every
 * function takes `narrow`, a constant: the numbers were complex64, so that their squares are exact
 * and neither overflow nor vanish, and what is lost in the last bits of the result does not matter.
 * Lanes of *unfit are for libm: infinities, NaN, zeros, what is very large or small, and of
 * complex128 what would lose more than a few units in the last place. */
#ifndef NOMEN_SRC_VMATH_COMPLEX_H
#define NOMEN_SRC_VMATH_COMPLEX_H

#include "kernels/simd/parts.h"
#include "kernels/simd/vmath_plane.h"

#include <stdbool.h>

/* ---- parts by themselves, and of float32 ----------------------------------------------------- */

/* Real results. */
static inline void vc_store_real_f32(void *p, vc64 z) {
    const vf64 x = v_pairs_sorted(z.re);
    const vf32h h = __builtin_convertvector(x, vf32h);
    memcpy(p, &h, sizeof h);
}
static inline void vc_store_real_f64(void *p, vc64 z) { st_f64(p, v_pairs_sorted(z.re)); }

/* The same of float32. */
#if VB == 64
#define VC_APART(a)                                                                                \
    a, a + 2, a + 16, a + 18, a + 4, a + 6, a + 20, a + 22, a + 8, a + 10, a + 24, a + 26, a + 12, \
        a + 14, a + 28, a + 30
#define VC_PAIRED(a)                                                                               \
    a, a + 16, a + 1, a + 17, a + 4, a + 20, a + 5, a + 21, a + 8, a + 24, a + 9, a + 25, a + 12,  \
        a + 28, a + 13, a + 29
#elif VB == 32
#define VC_APART(a)  a, a + 2, a + 8, a + 10, a + 4, a + 6, a + 12, a + 14
#define VC_PAIRED(a) a, a + 8, a + 1, a + 9, a + 4, a + 12, a + 5, a + 13
#else
#define VC_APART(a)  a, a + 2, a + 4, a + 6
#define VC_PAIRED(a) a, a + 4, a + 1, a + 5
#endif
static inline vf32 v_parts_even(vf32 x, vf32 y) {
    return __builtin_shufflevector(x, y, VC_APART(0));
}
static inline vf32 v_parts_odd(vf32 x, vf32 y) {
    return __builtin_shufflevector(x, y, VC_APART(1));
}
static inline vf32 v_parts_first(vf32 x, vf32 y) {
    return __builtin_shufflevector(x, y, VC_PAIRED(0));
}
static inline vf32 v_parts_last(vf32 x, vf32 y) {
    return __builtin_shufflevector(x, y, VC_PAIRED(2));
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static inline vi64 v_outside(vf64 x, double low, double high) { return ~((x > low) & (x < high)); }
static inline vf64 v_with_sign(vf64 x, vf64 sign) {
    return (vf64)((vi64)x ^ ((vi64)sign & INT64_MIN));
}

/* The numerators of x / y and their denominator: Smith's quotient, as c_div of
 * loops/complex_number.h has it. */
static inline vc64 vc_over(vc64 x, vc64 y, vf64 *below) {
    const vi64 real = v_abs_f64(y.re) >= v_abs_f64(y.im);
    const vf64 more = v_sel_f64(real, y.re, y.im), less = v_sel_f64(real, y.im, y.re);
    const vf64 s = v_sel_f64(real, x.re, x.im), t = v_sel_f64(real, x.im, x.re);
    const vf64 r = less / more, part = s * r;
    const vi64 none = real & (y.re == 0);
    *below = v_sel_f64(none, more, more + less * r);
    return (vc64){v_sel_f64(none, s, s + t * r),
                  v_sel_f64(none, t, v_sel_f64(real, t - part, part - t))};
}

/* |z|; of complex64 unfit where it is not finite. */
VMATH_QUICK vf64 vc_size(vc64 z, bool narrow, vi64 *unfit) {
    *unfit = (vi64){0};
    if (!narrow) return v_hypot_f64(z.re, z.im);
    const vf64 square = z.re * z.re + z.im * z.im;
    *unfit = ~(square < (double)INFINITY);
    return v_sqrt_f64(square);
}
VMATH_QUICK vf64 vc_turn(vf64 im, vf64 re, bool narrow) {
    return narrow ? v_atan2_short(im, re) : v_atan2_f64(im, re);
}

/* sin and cos of x + more, |more| much smaller; unfit beyond what can be brought to the first
 * quarter. */
VMATH_QUICK vf64 v_sin_cos_more(vf64 x, const vf64 *more, vf64 *cosine, vi64 *unfit) {
    const vf64 a = v_abs_f64(x);
    vmath_lost_f64 lost;
    vu64 quarter;
    vf64 rest, c;
    vf64 r = v_reduce_f64(a, &rest, &quarter);
    if (more) {
        const vf64 low = rest + v_with_sign(*more, x), sum = r + low;
        rest = (r - sum) + low;
        r = sum;
    }
    const vf64 s = v_sin_and_cos_f64(r, rest, &c, &lost);
    const vi64 odd = -(vi64)(quarter & 1u);
    *unfit = ~(a <= VMATH_TRIG_F64);
    *cosine = (vf64)((vu64)v_sel_f64(odd, s, c) ^ (((quarter + 1u) & 2u) << 62));
    const vf64 sine = (vf64)((vu64)v_sel_f64(odd, c, s) ^ ((quarter & 2u) << 62));
    return v_with_sign(sine, x);
}
VMATH_QUICK vf64 v_sin_cos(vf64 x, vf64 *cosine, vi64 *unfit) {
    return v_sin_cos_more(x, NULL, cosine, unfit);
}
/* sinh and cosh; unfit where their squares would overflow. */
VMATH_QUICK vf64 v_sinh_cosh(vf64 x, vf64 *cosh_x, vi64 *unfit) {
    vf64 low, inverse, scale;
    const vf64 a = v_abs_f64(x), z = a * a, high = v_cosh_parts_f64(a, &low, &inverse, &scale);
    const vf64 far = (high + (low - inverse)) * scale * 2.0;
    *cosh_x = (high + (low + inverse)) * scale * 2.0;
    *unfit = ~(a < 300);
    return v_copysign_f64(v_sel_f64(a < 1, v_fma_f64(a * z, VMATH_POLY(z, SINH_F64), a), far), x);
}

VMATH_QUICK vi64 vc_all_if(bool all) { return (vi64){0} - (int64_t)all; }

VMATH_QUICK vc64 vc_angle(vc64 z, bool narrow, vi64 *unfit) {
    *unfit = (vi64){0};
    return (vc64){vc_turn(z.im, z.re, narrow), z.im};
}
VMATH_QUICK vc64 vc_abs(vc64 z, bool narrow, vi64 *unfit) {
    return (vc64){vc_size(z, narrow, unfit), z.im};
}
/* Of complex64 times one over the size: rounded once more, in double. */
VMATH_QUICK vc64 vc_sgn(vc64 z, bool narrow, vi64 *unfit) {
    const vf64 size = vc_size(z, narrow, unfit), zero = (vf64){0};
    const vi64 none = size == 0;
    if (narrow) {
        const vf64 inverse = v_sel_f64(none, zero, 1.0 / size);
        return (vc64){z.re * inverse, z.im * inverse};
    }
    return (vc64){v_sel_f64(none, zero, z.re / size), v_sel_f64(none, zero, z.im / size)};
}

/* ---- exponentials ---------------------------------------------------------------------------- */

VMATH_QUICK vc64 vc_exp(vc64 z, bool narrow, vi64 *unfit) {
    vf64 c;
    (void)narrow;
    const vf64 s = v_sin_cos(z.im, &c, unfit), e = v_exp_f64(z.re);
    *unfit |= v_outside(z.re, -700, 700);
    return (vc64){e * c, e * s};
}
/* The angle im ln 2 in two parts. Without fma the second is 0: then only where that does. */
VMATH_QUICK vc64 vc_exp2(vc64 z, bool narrow, vi64 *unfit) {
    vf64 c;
    const vf64 ln2 = v_set_f64(M_LN2), angle = z.im * ln2;
    const vf64 rest = v_fma_f64(z.im, ln2, -angle) + z.im * 2.3190468138462996e-17;
    const vf64 s = v_sin_cos_more(angle, &rest, &c, unfit), e = v_exp2_f64(z.re);
    if (!SIMD_FMA && !narrow) *unfit |= ~(v_abs_f64(z.im) < 4);
    *unfit |= v_outside(z.re, -1000, 1000);
    return (vc64){e * c, e * s};
}
/* e^re cos(im) - 1 = (e^re - 1) cos(im) - (1 - cos(im)) */
VMATH_QUICK vc64 vc_expm1(vc64 z, bool narrow, vi64 *unfit) {
    vf64 c;
    (void)narrow;
    const vf64 s = v_sin_cos(z.im, &c, unfit);
    const vf64 fall = v_sel_f64(c > 0, s * s / (1.0 + c), 1.0 - c);
    *unfit |= v_outside(z.re, -700, 700);
    return (vc64){v_expm1_f64(z.re) * c - fall, v_exp_f64(z.re) * s};
}
/* e^(z/2) / (2 cosh(z/2)): nothing cancels near the zeros of 1 + e^z. */
VMATH_QUICK vc64 vc_sigmoid(vc64 z, bool narrow, vi64 *unfit) {
    vf64 c, ch;
    vi64 wide;
    (void)narrow;
    const vf64 half = 0.5 * z.re;
    const vf64 s = v_sin_cos(0.5 * z.im, &c, unfit), sh = v_sinh_cosh(half, &ch, &wide);
    const vf64 square = c * c, inverse = 0.5 / (sh * sh + square);
    *unfit |= wide;
    return (vc64){(v_exp_f64(half) * sh + square) * inverse, s * c * inverse};
}

/* ---- circular and hyperbolic functions ------------------------------------------------------- */

/* i z and -i z: what is circular is hyperbolic of the number turned. */
static inline vc64 vc_turned(vc64 z) { return (vc64){-z.im, z.re}; }
static inline vc64 vc_turned_back(vc64 z) { return (vc64){z.im, -z.re}; }

/* What all of them are made of: sine and cosine of im, the hyperbolic ones of re. */
typedef struct vc_waves {
    vf64 s, c, sh, ch;
} vc_waves;
VMATH_QUICK vc_waves vc_waves_of(vc64 z, vi64 *unfit) {
    vc_waves w;
    vi64 wide;
    w.s = v_sin_cos(z.im, &w.c, unfit);
    w.sh = v_sinh_cosh(z.re, &w.ch, &wide);
    *unfit |= wide;
    return w;
}
VMATH_QUICK vc64 vc_sinh(vc64 z, bool narrow, vi64 *unfit) {
    const vc_waves w = vc_waves_of(z, unfit);
    (void)narrow;
    return (vc64){w.sh * w.c, w.ch * w.s};
}
VMATH_QUICK vc64 vc_cosh(vc64 z, bool narrow, vi64 *unfit) {
    const vc_waves w = vc_waves_of(z, unfit);
    (void)narrow;
    return (vc64){w.ch * w.c, w.sh * w.s};
}
VMATH_QUICK vc64 vc_tanh(vc64 z, bool narrow, vi64 *unfit) {
    const vc_waves w = vc_waves_of(z, unfit);
    const vf64 inverse = 1.0 / (w.sh * w.sh + w.c * w.c);
    (void)narrow;
    return (vc64){w.sh * w.ch * inverse, w.s * w.c * inverse};
}
VMATH_QUICK vc64 vc_sin(vc64 z, bool narrow, vi64 *unfit) {
    return vc_turned_back(vc_sinh(vc_turned(z), narrow, unfit));
}
VMATH_QUICK vc64 vc_cos(vc64 z, bool narrow, vi64 *unfit) {
    return vc_cosh(vc_turned(z), narrow, unfit);
}
VMATH_QUICK vc64 vc_tan(vc64 z, bool narrow, vi64 *unfit) {
    return vc_turned_back(vc_tanh(vc_turned(z), narrow, unfit));
}
/* sin(pi z) / (pi z), the real part less the nearest whole number, which gives the sign. */
VMATH_QUICK vc64 vc_sinc(vc64 z, bool narrow, vi64 *unfit) {
    vf64 c, ch;
    vi64 wide;
    const vf64 n = v_round_f64(z.re), r = z.re - n, x = M_PI * z.re, y = M_PI * z.im;
    const vf64 s = v_sin_cos(M_PI * r, &c, unfit), sh = v_sinh_cosh(y, &ch, &wide);
    const vf64 square = x * x + y * y;
    const vf64 inverse = (vf64)((vu64)(1.0 / square) ^ ((vu64)(n + VMATH_MAGIC_F64) << 63));
    const vf64 re = s * ch, im = c * sh;
    *unfit |= wide | (r == 0) | v_outside(square, 0x1p-400, 0x1p40) | vc_all_if(!narrow);
    return (vc64){(re * x + im * y) * inverse, (im * x - re * y) * inverse};
}

/* ---- logarithms ------------------------------------------------------------------------------ */

/* |z|^2 = sum, and where it is near 1 also 1 + high + low. */
typedef struct vc_square {
    vf64 sum, high, low;
    vi64 near;
} vc_square;

VMATH_QUICK vc_square vc_squared(vc64 z, bool narrow, vi64 *unfit) {
    const vf64 a = v_abs_f64(z.re), b = v_abs_f64(z.im), one = v_set_f64(1), zero = (vf64){0};
    const vf64 more = v_sel_f64(a > b, a, b), less = v_sel_f64(a > b, b, a);
    const vf64 p = more * more, q = less * less, sum = p + q;
    const vi64 near = (sum > 0.5) & (sum < 2);
    if (narrow) {
        *unfit = v_outside(sum, 0, (double)INFINITY);
        return (vc_square){sum, (more - one) * (more + one) + q, zero, near};
    }
    const vf64 t = p - one, high = t + q, back = high - t;
    const vf64 lost = v_square_lost_f64(more, p) + v_square_lost_f64(less, q);
    const vf64 low = ((t - (high - back)) + (q - back)) + ((p - (t + one)) + lost);
    *unfit = v_outside(more, 0x1p-400, 0x1p400) | (near & (v_abs_f64(high) < 0x1p-40));
    return (vc_square){sum, high, low, near};
}
VMATH_QUICK vc64 vc_log(vc64 z, bool narrow, vi64 *unfit) {
    const vc_square s = vc_squared(z, narrow, unfit);
    const vf64 ln = v_ln_one_plus_f64(s.high, s.low, ~s.near, 0.5 * s.sum);
    return (vc64){0.5 * ln, vc_turn(z.im, z.re, narrow)};
}
VMATH_QUICK vc64 vc_log2(vc64 z, bool narrow, vi64 *unfit) {
    const vc64 y = vc_log(z, narrow, unfit);
    return (vc64){y.re * M_LOG2E, y.im * M_LOG2E};
}
VMATH_QUICK vc64 vc_log10(vc64 z, bool narrow, vi64 *unfit) {
    const vc64 y = vc_log(z, narrow, unfit);
    return (vc64){y.re * M_LOG10E, y.im * M_LOG10E};
}
/* Near 0 |1 + z|^2 - 1 is summed up without the 1. */
VMATH_QUICK vc64 vc_log1p(vc64 z, bool narrow, vi64 *unfit) {
    const vc64 y = {1.0 + z.re, z.im};
    const vc_square s = vc_squared(y, narrow, unfit);
    const vi64 small = (v_abs_f64(z.re) < 0.5) & (v_abs_f64(z.im) < 0.5);
    const vi64 near = narrow ? s.near : small;
    const vf64 high = v_sel_f64(near, v_fma_f64(z.re, 2.0 + z.re, z.im * z.im), s.high);
    const vf64 low = v_sel_f64(near, (vf64){0}, s.low);
    const vf64 ln = v_ln_one_plus_f64(high, low, ~(s.near | near), 0.5 * s.sum);
    *unfit = (*unfit & ~small) | (z.im == 0) | vc_all_if(!narrow);
    return (vc64){0.5 * ln, vc_turn(y.im, y.re, narrow)};
}

/* ---- roots and powers ------------------------------------------------------------------------ */

/* The larger part from a sum, the other from their product, which is im / 2. */
VMATH_QUICK vc64 vc_sqrt(vc64 z, bool narrow, vi64 *unfit) {
    const vf64 size = vc_size(z, narrow, unfit), run = v_abs_f64(z.re);
    const vf64 a = v_sqrt_f64(0.5 * (size + run)), b = 0.5 * v_abs_f64(z.im) / a;
    const vi64 left = (vi64)z.re < 0;
    *unfit |= v_outside(size, 0x1p-400, 0x1p400);
    return (vc64){v_sel_f64(left, b, a), v_copysign_f64(v_sel_f64(left, a, b), z.im)};
}
/* Smith's quotient, as c_reciprocal, bit for bit; not of 0. */
static inline vc64 vc_reciprocal(vc64 z) {
    const vf64 one = v_set_f64(1), zero = (vf64){0};
    const vi64 flat = v_abs_f64(z.re) >= v_abs_f64(z.im);
    const vf64 more = v_sel_f64(flat, z.re, z.im), less = v_sel_f64(flat, z.im, z.re);
    const vf64 r = less / more, below = more + less * r;
    return (vc64){v_sel_f64(flat, one, zero + r) / below, v_sel_f64(flat, zero - r, -one) / below};
}
VMATH_QUICK vc64 vc_rsqrt(vc64 z, bool narrow, vi64 *unfit) {
    return vc_reciprocal(vc_sqrt(z, narrow, unfit));
}
/* e^(w ln z); the root where w is 1/2. For libm are exponents whose powers are products, and angles
 * that lose digits. */
VMATH_QUICK vc64 vc_pow(vc64 z, vc64 w, bool narrow, vi64 *unfit) {
    vi64 wide;
    const vc64 ln = vc_log(z, narrow, unfit);
    const vc64 t = {w.re * ln.re - w.im * ln.im, w.re * ln.im + w.im * ln.re};
    const vi64 plain = w.im == 0, half = plain & (w.re == 0.5);
    vc64 r = vc_exp(t, narrow, &wide);
    *unfit |= wide | ~(v_abs_f64(t.im) < 1000);
    *unfit |= plain & (v_abs_f64(w.re) <= 8) & (v_round_f64(w.re) == w.re);
    if (__builtin_expect(v_any64(half), 0)) {
        const vc64 root = vc_sqrt(z, narrow, &wide);
        r = (vc64){v_sel_f64(half, root.re, r.re), v_sel_f64(half, root.im, r.im)};
        *unfit = (half & wide) | (~half & *unfit);
    }
    return r;
}
static inline vc64 vc_times(vc64 x, vc64 y) {
    return (vc64){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
/* A small whole power by multiplication, as c_pow_whole. */
VMATH_QUICK vc64 vc_pow_whole(vc64 x, double power, vi64 *unfit) {
    vc64 r = {v_set_f64(1), (vf64){0}};
    bool some = false;
    for (int n = (int)fabs(power); n > 0; n >>= 1) {
        if (n & 1) r = some ? vc_times(r, x) : x, some = true;
        if (n > 1) x = vc_times(x, x);
    }
    const vf64 square = r.re * r.re + r.im * r.im;
    *unfit = v_outside(square, 0x1p-900, 0x1p900);
    return power < 0 ? vc_reciprocal(r) : r;
}

/* ---- inverse circular and hyperbolic functions ----------------------------------------------- */

/* What the functions that are z near 0 would halve on the way until digits are lost. */
VMATH_QUICK vi64 vc_tiny(vc64 z) { return ~(v_abs_f64(z.re) + v_abs_f64(z.im) > 0x1p-900); }

/* ln(1 + 4 |re| / ((1 - |re|)^2 + im^2)) / 4 and the angle of 1 - |z|^2 and 2 im, halved */
VMATH_QUICK vc64 vc_atanh(vc64 z, bool narrow, vi64 *unfit) {
    const vf64 a = v_abs_f64(z.re), b = z.im * z.im, rest = 1.0 - a, below = rest * rest + b;
    const vf64 ln = v_ln_one_plus_f64(4.0 * a / below, (vf64){0}, (vi64){0}, a);
    const vf64 turn = vc_turn(2.0 * z.im, rest * (1.0 + a) - b, narrow);
    *unfit = v_outside(below, 0x1p-900, 0x1p900) | vc_tiny(z);
    return (vc64){v_copysign_f64(0.25 * ln, z.re), 0.5 * turn};
}
VMATH_QUICK vc64 vc_atan(vc64 z, bool narrow, vi64 *unfit) {
    return vc_turned_back(vc_atanh(vc_turned(z), narrow, unfit));
}

/* Kahan's formulas, of the roots of two of 1 - z, 1 + z and z - 1: none of their sums cancels where
 * that would count. */
VMATH_QUICK vc64 vc_asin(vc64 z, bool narrow, vi64 *unfit) {
    vi64 other;
    const vc64 a = vc_sqrt((vc64){1.0 - z.re, -z.im}, narrow, unfit);
    const vc64 b = vc_sqrt((vc64){1.0 + z.re, z.im}, narrow, &other);
    *unfit |= other | vc_tiny(z);
    return (vc64){vc_turn(z.re, a.re * b.re - a.im * b.im, narrow),
                  v_asinh_f64(a.re * b.im - a.im * b.re)};
}
VMATH_QUICK vc64 vc_acos(vc64 z, bool narrow, vi64 *unfit) {
    vi64 other;
    const vc64 a = vc_sqrt((vc64){1.0 - z.re, -z.im}, narrow, unfit);
    const vc64 b = vc_sqrt((vc64){1.0 + z.re, z.im}, narrow, &other);
    *unfit |= other;
    return (vc64){2.0 * vc_turn(a.re, b.re, narrow), v_asinh_f64(b.re * a.im - b.im * a.re)};
}
VMATH_QUICK vc64 vc_acosh(vc64 z, bool narrow, vi64 *unfit) {
    vi64 other;
    const vc64 a = vc_sqrt((vc64){z.re - 1.0, z.im}, narrow, unfit);
    const vc64 b = vc_sqrt((vc64){z.re + 1.0, z.im}, narrow, &other);
    *unfit |= other;
    return (vc64){v_asinh_f64(a.re * b.re + a.im * b.im), 2.0 * vc_turn(a.im, b.re, narrow)};
}
VMATH_QUICK vc64 vc_asinh(vc64 z, bool narrow, vi64 *unfit) {
    return vc_turned_back(vc_asin(vc_turned(z), narrow, unfit));
}

#endif
