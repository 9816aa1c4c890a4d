/* Complex numbers as vectors of real and imaginary parts by turns, for loops/pairs.h. */
#ifndef NOMEN_SRC_VMATH_PAIRS_H
#define NOMEN_SRC_VMATH_PAIRS_H

#include "kernels/simd/simd.h"

/* ---- products -----------------------------------------------------------------------------------
 * Not as plain C: gcc 12 turns the interleaved difference and sum into fused operations,
 * -ffp-contract=off or not, and ISAs would disagree (GCC bug 106902). A changed sign and an
 * addition leave it nothing to fuse. */

/* The number at p, and the first one of a vector, to all lanes: one instruction each. */
static inline vf64 v_pair_at_f64(const void *p) {
#if VB == 64
    return (vf64)_mm512_broadcast_f64x2(_mm_loadu_pd(p));
#elif VB == 32
    return (vf64)_mm256_broadcast_pd(p);
#else
    vf64 x;
    memcpy(&x, p, sizeof x);
    return x;
#endif
}
static inline vf32 v_pair_at_f32(const void *p) {
    double both;
    memcpy(&both, p, sizeof both);
    return (vf32)v_set_f64(both);
}
static inline vf64 v_splat_pair_f64(vf64 v) {
#if VB == 64
    return __builtin_shufflevector(v, v, 0, 1, 0, 1, 0, 1, 0, 1);
#elif VB == 32
    return __builtin_shufflevector(v, v, 0, 1, 0, 1);
#else
    return v;
#endif
}
static inline vf32 v_splat_pair_f32(vf32 v) { return (vf32)v_set_f64(((vf64)v)[0]); }
/* Masks of the even lanes. */
static inline vi32 v_even_lanes_f32(void) {
    vi32 m = {0};
    for (int i = 0; i < W32; i += 2) m[i] = -1;
    return m;
}
static inline vi64 v_even_lanes_f64(void) {
    vi64 m = {0};
    for (int i = 0; i < W64; i += 2) m[i] = -1;
    return m;
}
static inline vf32 v_flip_even_f32(vf32 x) {
    vu32 sign = {0};
    for (int i = 0; i < W32; i += 2) sign[i] = (uint32_t)1 << 31;
    return (vf32)((vu32)x ^ sign);
}
static inline vf64 v_flip_even_f64(vf64 x) {
    vu64 sign = {0};
    for (int i = 0; i < W64; i += 2) sign[i] = (uint64_t)1 << 63;
    return (vf64)((vu64)x ^ sign);
}
static inline vf32 v_flip_odd_f32(vf32 x) {
    vu32 sign = {0};
    for (int i = 1; i < W32; i += 2) sign[i] = (uint32_t)1 << 31;
    return (vf32)((vu32)x ^ sign);
}
static inline vf64 v_flip_odd_f64(vf64 x) {
    vu64 sign = {0};
    for (int i = 1; i < W64; i += 2) sign[i] = (uint64_t)1 << 63;
    return (vf64)((vu64)x ^ sign);
}
/* a, less b in even lanes and with b in odd ones. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
static inline vf32 v_less_more_f32(vf32 a, vf32 b) {
    return (vf32)_mm256_addsub_ps((__m256)a, (__m256)b);
}
static inline vf64 v_less_more_f64(vf64 a, vf64 b) {
    return (vf64)_mm256_addsub_pd((__m256d)a, (__m256d)b);
}
#else
static inline vf32 v_less_more_f32(vf32 a, vf32 b) { return a + v_flip_even_f32(b); }
static inline vf64 v_less_more_f64(vf64 a, vf64 b) { return a + v_flip_even_f64(b); }
#endif
/* Fastest where y waits for something and x comes from memory. */
static inline vf32 c_mul_f32(vf32 x, vf32 y) {
    return v_less_more_f32(v_dup_even(x) * y, v_dup_odd(x) * v_swap(y));
}
static inline vf64 c_mul_f64(vf64 x, vf64 y) {
    return v_less_more_f64(v_dup_even(x) * y, v_dup_odd(x) * v_swap(y));
}
#define v_splat_pair(v) SIMD_PICK(v_splat_pair, v)(v)
#define v_flip_odd(v)   SIMD_PICK(v_flip_odd, v)(v)
#define c_mul(x, y)     SIMD_PICK(c_mul, x)(x, y)

#endif
