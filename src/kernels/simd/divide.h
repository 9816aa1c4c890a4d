/* Division and remainder that do not end at the quotient: floor, trunc and remainder of integers
 * (never trapping) and of floats (with the sign rule of Python and the corner cases of PyTorch). */
#ifndef NOMEN_SRC_SIMD_DIVIDE_H
#define NOMEN_SRC_SIMD_DIVIDE_H

#include "kernels/simd/simd.h"

#include <math.h>

/* ---- integers: x / 0 is 0, the least number / -1 wraps --------------------------------------- */

/* Quotients of 32-bit numbers are exact in double after truncation, those of 16-bit numbers in
 * float, where products of them are, too; such divisions vectorise, if no condition is a branch. */
static inline int32_t int_safe_32(int32_t y) { return y + (y == 0) + 2 * (y == -1); }
static inline int32_t int_div_trunc_32(int32_t x, int32_t y) {
    const int32_t q = (int32_t)((double)x / (double)int_safe_32(y)), minus = -(y == -1);
    return (int32_t)((uint32_t)(q ^ minus) - (uint32_t)minus) & -(y != 0);
}
static inline float int_safe_16(int32_t y) { return (float)(y + (y == 0)); }
static inline int32_t int_floor_16(float q) {
    const int32_t t = (int32_t)q;
    return t - (q < (float)t);
}
static inline int32_t int_div_trunc_16(int32_t x, int32_t y) {
    return (int32_t)((float)x / int_safe_16(y)) & -(y != 0);
}
static inline int32_t int_div_floor_16(int32_t x, int32_t y) {
    return int_floor_16((float)x / int_safe_16(y)) & -(y != 0);
}
static inline int32_t int_fmod_16(int32_t x, int32_t y) {
    const float safe = int_safe_16(y), q = (float)x / safe;
    return (int32_t)((float)x - (float)(int32_t)q * safe);
}
static inline int32_t int_remainder_16(int32_t x, int32_t y) {
    const float safe = int_safe_16(y), q = (float)x / safe;
    return (int32_t)((float)x - (float)int_floor_16(q) * safe);
}
/* Nothing of uint8 is negative. */
static inline int32_t int_div_trunc_u8(int32_t x, int32_t y) { return int_div_trunc_16(x, y); }
static inline int32_t int_div_floor_u8(int32_t x, int32_t y) { return int_div_trunc_16(x, y); }
static inline int32_t int_fmod_u8(int32_t x, int32_t y) { return int_fmod_16(x, y); }
static inline int32_t int_remainder_u8(int32_t x, int32_t y) { return int_fmod_16(x, y); }
static inline int64_t int_div_trunc_64(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return (int64_t)(0u - (uint64_t)x);
    return x / y;
}
/* Of divisors 0 and -1 nothing remains. */
static inline int32_t int_remainder_32(int32_t x, int32_t y) {
    const int32_t safe = int_safe_32(y), q = (int32_t)((double)x / (double)safe);
    const int32_t r = (int32_t)((uint32_t)x - (uint32_t)q * (uint32_t)safe);
    return r + (y & -((r != 0) & ((r ^ y) < 0)));
}
static inline int64_t int_remainder_64(int64_t x, int64_t y) {
    if (y == 0 || y == -1) return 0;
    int64_t r = x % y;
    return r != 0 && (r ^ y) < 0 ? r + y : r;
}
static inline int32_t int_fmod_32(int32_t x, int32_t y) {
    return (int32_t)((uint32_t)x - (uint32_t)int_div_trunc_32(x, y) * (uint32_t)y) & -(y != 0);
}
static inline int64_t int_fmod_64(int64_t x, int64_t y) { return y == 0 || y == -1 ? 0 : x % y; }
static inline int32_t int_div_floor_32(int32_t x, int32_t y) {
    int32_t q = int_div_trunc_32(x, y);
    int32_t r = (int32_t)((uint32_t)x - (uint32_t)q * (uint32_t)y);
    return q - ((y != 0) & (r != 0) & ((r ^ y) < 0));
}
static inline int64_t int_div_floor_64(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return (int64_t)(0u - (uint64_t)x);
    int64_t q = x / y, r = x % y;
    return r != 0 && (r ^ y) < 0 ? q - 1 : q;
}

#define INT_BY_SIZE(what, x)                                                                       \
    _Generic((x), int64_t: what##_64, int32_t: what##_32, uint8_t: what##_u8, default: what##_16)
#define int_div_trunc(x, y) INT_BY_SIZE(int_div_trunc, x)(x, y)
#define int_div_floor(x, y) INT_BY_SIZE(int_div_floor, x)(x, y)
#define int_remainder(x, y) INT_BY_SIZE(int_remainder, x)(x, y)
#define int_fmod(x, y)      INT_BY_SIZE(int_fmod, x)(x, y)

/* Vectors of int64 whose numbers are below 2^50 in size (others: one by one). The quotient in
 * double, rounded to the nearest integer, leaves a remainder of at most 3/4 of the divisor, and
 * every number on the way is exact. Adding INT_SHIFT to a double puts an integer into its low bits.
 */
#define INT_SHIFT 0x1.8p52
static inline vf64 v_double_of(vi64 x) {
    const vf64 shift = v_set_f64(INT_SHIFT);
    return (vf64)(x + (vi64)shift) - shift;
}
static inline vi64 v_int_of(vf64 x) {
    const vf64 shift = v_set_f64(INT_SHIFT);
    return (vi64)(x + shift) - (vi64)shift;
}
static inline bool v_is_short(vi64 x, vi64 y) {
    const vu64 half = (vu64)(vi64){0} + ((uint64_t)1 << 50);
    return !v_any64((vi64)((((vu64)x + half) | ((vu64)y + half)) >> 51));
}

typedef struct v_divided {
    vf64 x, y, q, r; /* x == q y + r, q the nearest */
    vi64 defined;    /* y != 0; where it is, y is 1 */
} v_divided;

static inline v_divided v_divide(vi64 x, vi64 y) {
    const vf64 shift = v_set_f64(INT_SHIFT);
    v_divided d = {.defined = y != 0};
    d.x = v_double_of(x);
    d.y = v_double_of(y - (y == 0));
    d.q = d.x / d.y + shift - shift;
    d.r = d.x - d.q * d.y;
    return d;
}
/* Where the remainder is on the other side of 0 than floor division, or truncation, wants it. */
static inline vi64 v_off_floor(v_divided d) { return (d.r != 0) & ((d.r < 0) ^ (d.y < 0)); }
static inline vi64 v_off_trunc(v_divided d) { return (d.r != 0) & ((d.r < 0) ^ (d.x < 0)); }

static inline vi64 v_int_div_floor(vi64 x, vi64 y) {
    if (__builtin_expect(v_is_short(x, y), 1)) {
        const v_divided d = v_divide(x, y);
        return (v_int_of(d.q) + v_off_floor(d)) & d.defined;
    }
    for (int i = 0; i < W64; i++) x[i] = int_div_floor_64(x[i], y[i]);
    return x;
}
static inline vi64 v_int_div_trunc(vi64 x, vi64 y) {
    if (__builtin_expect(v_is_short(x, y), 1)) {
        const v_divided d = v_divide(x, y);
        const vi64 negative = (d.x < 0) ^ (d.y < 0); /* one up there, else one down */
        return (v_int_of(d.q) + (v_off_trunc(d) & (-1 - 2 * negative))) & d.defined;
    }
    for (int i = 0; i < W64; i++) x[i] = int_div_trunc_64(x[i], y[i]);
    return x;
}
static inline vi64 v_int_remainder(vi64 x, vi64 y) {
    if (__builtin_expect(v_is_short(x, y), 1)) {
        const v_divided d = v_divide(x, y);
        return (v_int_of(d.r) + (v_off_floor(d) & y)) & d.defined;
    }
    for (int i = 0; i < W64; i++) x[i] = int_remainder_64(x[i], y[i]);
    return x;
}
static inline vi64 v_int_fmod(vi64 x, vi64 y) {
    if (__builtin_expect(v_is_short(x, y), 1)) {
        const v_divided d = v_divide(x, y);
        const vi64 opposite = (d.x < 0) ^ (d.y < 0);
        return (v_int_of(d.r) + (v_off_trunc(d) & ((y ^ opposite) - opposite))) & d.defined;
    }
    for (int i = 0; i < W64; i++) x[i] = int_fmod_64(x[i], y[i]);
    return x;
}
#undef INT_SHIFT

/* ---- floats ---------------------------------------------------------------------------------- */

/* The remainder of truncated division is always a number of the type, so it is enough that every
 * step is exact: the product q y is where q fits beside y in 53 bits (f32) or where fma forms it
 * (f64). The quotient may be rounded up to the next integer, which the last step takes back. *good:
 * the lanes where that holds. */
static inline vf64 v_fmod_fast(vf64 x, vf64 y, double limit, vi64 *good) {
    const vf64 q = v_trunc_f64(x / y), size = v_abs_f64(y);
    *good = (v_abs_f64(q) < limit) & (size < (double)INFINITY);
    vf64 r = v_fma_f64(-q, y, x);
    r = v_sel_f64((r != 0) & ((r < 0) ^ (x < 0)), r + v_copysign_f64(size, x), r);
    return v_copysign_f64(r, x);
}
static inline vf32 v_fmod_f32(vf32 x, vf32 y) {
    vi64 good[2];
    const vf64 low = v_fmod_fast(v_low_f64(x), v_low_f64(y), 0x1p29, &good[0]);
    const vf64 high = v_fmod_fast(v_high_f64(x), v_high_f64(y), 0x1p29, &good[1]);
    vf32 r = v_narrow_f64(low, high);
    if (__builtin_expect(v_any64(~(good[0] & good[1])), 0)) {
        for (int i = 0; i < W32; i++) r[i] = fmodf(x[i], y[i]);
    }
    return r;
}
static inline vf64 v_fmod_f64(vf64 x, vf64 y) {
#if SIMD_FMA
    vi64 good;
    vf64 r = v_fmod_fast(x, y, 0x1p52, &good);
    if (__builtin_expect(!v_any64(~good), 1)) return r;
#else
    vf64 r = x;
#endif
    for (int i = 0; i < W64; i++) r[i] = fmod(x[i], y[i]);
    return r;
}

static inline vf32 v_remainder_f32(vf32 x, vf32 y) {
    vf32 r = v_fmod_f32(x, y);
    vi32 other_side = (r != 0) & ((y < 0) ^ (r < 0));
    return v_sel_f32(other_side, r + y, r);
}
static inline vf64 v_remainder_f64(vf64 x, vf64 y) {
    vf64 r = v_fmod_f64(x, y);
    vi64 other_side = (r != 0) & ((y < 0) ^ (r < 0));
    return v_sel_f64(other_side, r + y, r);
}

/* (x - remainder) / y is an integer up to rounding; the nearest one is the answer. */
static inline vf32 v_div_floor_f32(vf32 x, vf32 y) {
    vf32 q = x / y, r = v_fmod_f32(x, y), one = v_set_f32(1);
    vf32 t = (x - r) / y;
    vi32 other_side = (r != 0) & ((y < 0) ^ (r < 0));
    t = v_sel_f32(other_side, t - one, t);
    vf32 f = v_floor_f32(t);
    f = v_sel_f32(t - f > 0.5f, f + one, f);
    f = v_sel_f32(t == 0, v_copysign_f32((vf32){0}, q), f);
    return v_sel_f32(y == 0, q, f);
}
static inline vf64 v_div_floor_f64(vf64 x, vf64 y) {
    vf64 q = x / y, r = v_fmod_f64(x, y), one = v_set_f64(1);
    vf64 t = (x - r) / y;
    vi64 other_side = (r != 0) & ((y < 0) ^ (r < 0));
    t = v_sel_f64(other_side, t - one, t);
    vf64 f = v_floor_f64(t);
    f = v_sel_f64(t - f > 0.5, f + one, f);
    f = v_sel_f64(t == 0, v_copysign_f64((vf64){0}, q), f);
    return v_sel_f64(y == 0, q, f);
}

#define v_fmod(x, y)      SIMD_PICK(v_fmod, x)(x, y)
#define v_remainder(x, y) SIMD_PICK(v_remainder, x)(x, y)
#define v_div_floor(x, y) SIMD_PICK(v_div_floor, x)(x, y)

#endif
