/* Complex numbers as vectors of pairs of double, whichever type they have in memory: WIDE_NUMBERS
 * of them in each. */
#ifndef NOMEN_SRC_COMPLEX_WIDE_H
#define NOMEN_SRC_COMPLEX_WIDE_H

#include "kernels/loops/complex_number.h"
#include "kernels/loops/reduce.h"
#include "kernels/simd/parts.h"
#include "kernels/simd/turn_pairs.h"
#include "kernels/simd/vmath_pairs.h"

enum { WIDE_NUMBERS = W64 / 2 };

/* The first n of a vector of those of complex64, of which some are not there: zeros. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline vf64 wide_some(const void *p, int64_t n) {
    return (vf64)_mm512_cvtps_pd(_mm256_maskz_loadu_ps(simd_first8(2 * n), p));
}
static inline void wide_put_some(void *p, vf64 x, int64_t n) {
    _mm256_mask_storeu_ps(p, simd_first8(2 * n), _mm512_cvtpd_ps((__m512d)x));
}
#else
/* One, if any: a vector holds two at most. */
static inline vf64 wide_some(const c64 *p, int64_t n) {
    vf64 x = {0};
    if (n > 0) x[0] = (double)p->re, x[1] = (double)p->im;
    return x;
}
static inline void wide_put_some(c64 *p, vf64 x, int64_t n) {
    if (n > 0) *p = (c64){(float)x[0], (float)x[1]};
}
#endif

/* Of n numbers at p, of so many bytes (8 or 16, a constant), as many as fit. */
static inline __attribute__((always_inline)) vf64 wide_get(const void *p, const int bytes,
                                                           int64_t n) {
    if (n >= WIDE_NUMBERS) return bytes == 8 ? widen_f32(p) : ld_f64(p);
    return bytes == 8 ? wide_some(p, n) : ld_f64_n(p, 2 * n);
}
static inline __attribute__((always_inline)) void wide_put(void *p, const int bytes, vf64 x,
                                                           int64_t n) {
    if (n < WIDE_NUMBERS) {
        if (bytes == 8)
            wide_put_some(p, x, n);
        else
            st_f64_n(p, x, 2 * n);
    } else if (bytes == 8) {
        const vf32h narrow = __builtin_convertvector(x, vf32h);
        memcpy(p, &narrow, sizeof narrow);
    } else {
        st_f64(p, x);
    }
}

/* As many numbers as W64 with their parts apart, and what c_mul_f64 makes of them in half the
 * steps: others only move parts. */
static inline vc64 parts_times(vc64 x, vc64 y) {
    return (vc64){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
static inline __attribute__((always_inline)) vc64 parts_get(const char *p, const int bytes) {
    /* Widened as they are loaded: half of a vector that is there takes twice as long (Zen 3). */
    return vc_apart(wide_get(p, bytes, WIDE_NUMBERS),
                    wide_get(p + WIDE_NUMBERS * bytes, bytes, WIDE_NUMBERS));
}
static inline __attribute__((always_inline)) void parts_put(char *p, const int bytes, vc64 x) {
    wide_put(p, bytes, v_pairs_even(x.re, x.im), WIDE_NUMBERS);
    wide_put(p + WIDE_NUMBERS * bytes, bytes, v_pairs_odd(x.re, x.im), WIDE_NUMBERS);
}

/* One number. */
static inline __attribute__((always_inline)) pair pair_get(const void *p, const int bytes) {
    c64 narrow;
    pair x;
#if VB >= 32
    if (bytes == 8) return (pair)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(p)));
#endif
    if (bytes == 8) {
        memcpy(&narrow, p, sizeof narrow);
        return (pair){(double)narrow.re, (double)narrow.im};
    }
    memcpy(&x, p, sizeof x);
    return x;
}
static inline __attribute__((always_inline)) void pair_put(void *p, const int bytes, pair x) {
#if VB >= 32
    if (bytes == 8) {
        _mm_storel_epi64(p, _mm_castps_si128(_mm_cvtpd_ps((__m128d)x)));
        return;
    }
#endif
    const c64 narrow = {(float)x[0], (float)x[1]};
    if (bytes == 8)
        memcpy(p, &narrow, sizeof narrow);
    else
        memcpy(p, &x, sizeof x);
}
static inline pair pair_times(pair x, pair y) {
    const c128 z = c_times((c128){x[0], x[1]}, (c128){y[0], y[1]});
    return (pair){z.re, z.im};
}

/* The number 1, and the product of numbers that are alone or some in a vector. */
static inline vf64 wide_ones(void) { return v_splat_pair_f64((vf64){1, 0}); }
#define C_TIMES(a, b) _Generic((a), vf64: c_mul_f64, default: c_times)(a, b)

/* The first n numbers of x, the others of y. */
static inline vf64 wide_mix(vf64 x, vf64 y, int64_t n) {
    if (n >= WIDE_NUMBERS) return x;
    vf64 at;
    for (int i = 0; i < W64; i++) at[i] = i / 2;
    return v_sel_f64(at < (double)n, x, y);
}

#endif
