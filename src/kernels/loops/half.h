/* Arrays and single numbers of f16 and bf16 to f32 and back, on the conversions of simd.h. */
#ifndef NOMEN_SRC_HALF_H
#define NOMEN_SRC_HALF_H

#include "kernels/simd/simd.h"

/* A number by itself: the same as a lane of a vector, in fewer steps. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline float from_f16(uint16_t x) { return _cvtsh_ss(x); }
static inline uint16_t to_f16(float x) { return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT); }
#elif NOMEN__ISA_ID != NOMEN__ISA_ID_scalar
static inline float from_f16(uint16_t x) { return v_from_f16((vu16h){x})[0]; }
static inline uint16_t to_f16(float x) { return v_to_f16((vf32){x})[0]; }
#else
static inline float from_f16(uint16_t x) {
    const uint32_t bits = (uint32_t)x << 16, rest = (bits & 0x7fffffffu) >> 3;
    uint32_t r = rest | (rest >= 0x7c00u << 13 ? 0x7f800000u : 0u);
    float f;
    memcpy(&f, &r, sizeof f);
    f *= 0x1p112f;
    memcpy(&r, &f, sizeof r);
    r |= bits & 0x80000000u;
    memcpy(&f, &r, sizeof f);
    return f;
}
static inline uint16_t to_f16(float x) {
    uint32_t bits, small;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t rest = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    const uint32_t normal = (rest + (0xfffu + (rest >> 13 & 1u)) - (112u << 23)) >> 13;
    if (rest - (113u << 23) < 0x47800000u - (113u << 23)) return (uint16_t)(normal | sign);
    if (rest > 113u << 23) return v_to_f16((vf32){x})[0];
    const float above = __builtin_fabsf(x) + 0.5f;
    memcpy(&small, &above, sizeof small);
    return (uint16_t)((small - 0x3f000000u) | sign);
}
#endif
static inline float from_bf16(uint16_t x) {
    const uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint16_t to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t rounded = (bits + (0x7fffu + (bits >> 16 & 1u))) >> 16;
    return (uint16_t)(x == x ? rounded : bits >> 16 | 0x40u);
}

/* A double on its way to a half type: to f32 with the last bit set if anything was lost (rounding
 * to odd), so that the rounding to the half type that follows is the only one. */
static inline float to_odd(double x) {
    float f = (float)x;
    if ((double)f == x || x != x || f - f != 0) return f;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (__builtin_fabs((double)f) > __builtin_fabs(x)) bits--;
    bits |= 1u;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The same for many: bits that f32 has no room for are gathered in the last one that it has. For
 * what is subnormal there it has fewer. */
static inline void odd_f32(const double *x, float *to, int64_t n) {
    const uint64_t beyond = (UINT64_C(1) << 29) - 1;
    uint32_t tiny = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        bits = (bits & ~beyond) | (((bits & beyond) + beyond) & ~beyond);
        double odd;
        memcpy(&odd, &bits, sizeof odd);
        to[i] = (float)odd;
    }
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, to + i, sizeof bits);
        tiny |= (bits << 1) - 1 < 0xffffffu; /* no zero, and no exponent */
    }
    /* In units of the last place of subnormal numbers; by masks, as gcc makes jumps of choices. */
    for (int64_t i = 0; tiny && i < n; i++) {
        double units = __builtin_fabs(x[i]) * 0x1p149;
        const uint64_t small = -(uint64_t)(units < 0x1p23);
        uint64_t wide, sign;
        uint32_t own;
        memcpy(&wide, &units, sizeof wide);
        wide &= small;
        memcpy(&units, &wide, sizeof units);
        memcpy(&sign, x + i, sizeof sign);
        memcpy(&own, to + i, sizeof own);
        const int32_t whole = (int32_t)units;
        const uint32_t lost = (double)whole != units;
        const uint32_t odd = ((uint32_t)(sign >> 32) & 0x80000000u) | (uint32_t)whole | lost;
        own = (odd & (uint32_t)small) | (own & ~(uint32_t)small);
        memcpy(to + i, &own, sizeof own);
    }
}

static inline void widen_f16(const uint16_t *x, float *to, int64_t n) {
    int64_t j = 0;
    for (; j + W32 <= n; j += W32) st_f32(to + j, ld_f16(x + j));
    if (j < n) st_f32_n(to + j, ld_f16_n(x + j, n - j), n - j);
}
static inline void widen_bf16(const uint16_t *x, float *to, int64_t n) {
    int64_t j = 0;
    for (; j + W32 <= n; j += W32) st_f32(to + j, ld_bf16(x + j));
    if (j < n) st_f32_n(to + j, ld_bf16_n(x + j, n - j), n - j);
}
static inline void narrow_f16(const float *x, uint16_t *to, int64_t n) {
    int64_t j = 0;
    for (; j + W32 <= n; j += W32) st_f16(to + j, ld_f32(x + j));
    if (j < n) st_f16_n(to + j, ld_f32_n(x + j, n - j), n - j);
}
static inline void narrow_bf16(const float *x, uint16_t *to, int64_t n) {
    int64_t j = 0;
    for (; j + W32 <= n; j += W32) st_bf16(to + j, ld_f32(x + j));
    if (j < n) st_bf16_n(to + j, ld_f32_n(x + j, n - j), n - j);
}

/* Doubles to half types, rounded once; `narrow` is one of the two above. */
enum { ODD_BLOCK = 256 };
static inline __attribute__((always_inline)) void
narrow_odd(const double *y, uint16_t *to, int64_t n,
           void (*narrow)(const float *, uint16_t *, int64_t)) {
    float f[ODD_BLOCK] __attribute__((aligned(64)));
    for (int64_t i = 0; i < n; i += ODD_BLOCK) {
        const int64_t some = n - i < ODD_BLOCK ? n - i : ODD_BLOCK;
        odd_f32(y + i, f, some);
        narrow(f, to + i, some);
    }
}
static inline void narrow_odd_f16(const double *y, uint16_t *to, int64_t n) {
    narrow_odd(y, to, n, narrow_f16);
}
static inline void narrow_odd_bf16(const double *y, uint16_t *to, int64_t n) {
    narrow_odd(y, to, n, narrow_bf16);
}

#endif
