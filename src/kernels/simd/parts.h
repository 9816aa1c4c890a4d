/* Complex numbers, real and imaginary parts in vectors of their own: side by side in memory, apart
 * in registers. */
#ifndef NOMEN_SRC_SIMD_PARTS_H
#define NOMEN_SRC_SIMD_PARTS_H

#include "kernels/simd/simd.h"

typedef struct vc64 {
    vf64 re, im;
} vc64;

/* The even, or odd, lanes of pairs of two vectors; from those, the two vectors again. In some order
 * that is the same for both parts and costs one instruction. */
static inline vf64 v_pairs_even(vf64 a, vf64 b) {
#if VB == 64
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
#elif VB == 32
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
#else
    return __builtin_shufflevector(a, b, 0, 2);
#endif
}
static inline vf64 v_pairs_odd(vf64 a, vf64 b) {
#if VB == 64
    return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
#elif VB == 32
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
#else
    return __builtin_shufflevector(a, b, 1, 3);
#endif
}
/* Out of that order. */
static inline vf64 v_pairs_sorted(vf64 x) {
#if VB == 64
    return __builtin_shufflevector(x, x, 0, 2, 4, 6, 1, 3, 5, 7);
#elif VB == 32
    return __builtin_shufflevector(x, x, 0, 2, 1, 3);
#else
    return x;
#endif
}
static inline vc64 vc_apart(vf64 a, vf64 b) {
    return (vc64){v_pairs_even(a, b), v_pairs_odd(a, b)};
}
static inline vc64 vc_load_f32(const void *p) {
#if VB == 32
    /* widened from memory, which saves two steps of three for the upper half */
    const char *const high = (const char *)p + VB / 2;
    return vc_apart((vf64)_mm256_cvtps_pd(_mm_loadu_ps(p)),
                    (vf64)_mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)high)));
#else
    const vf32 x = ld_f32(p);
    return vc_apart(v_low_f64(x), v_high_f64(x));
#endif
}
static inline vc64 vc_load_f64(const void *p) {
    return vc_apart(ld_f64(p), ld_f64((const char *)p + VB));
}
static inline void vc_store_f32(void *p, vc64 z) {
    st_f32(p, v_narrow_f64(v_pairs_even(z.re, z.im), v_pairs_odd(z.re, z.im)));
}
static inline void vc_store_f64(void *p, vc64 z) {
    st_f64(p, v_pairs_even(z.re, z.im));
    st_f64((char *)p + VB, v_pairs_odd(z.re, z.im));
}

#endif
