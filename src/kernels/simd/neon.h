/* The ISA-dependent part of simd.h for aarch64: the handful of intrinsics. Included by simd.h only.
 */
#ifndef NOMEN_SRC_SIMD_NEON_H
#define NOMEN_SRC_SIMD_NEON_H

#include <arm_neon.h>

static inline vf32 v_fma_f32(vf32 a, vf32 b, vf32 c) {
    return (vf32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
static inline vf64 v_fma_f64(vf64 a, vf64 b, vf64 c) {
    return (vf64)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
static inline vf32 v_fma_less_f32(vf32 a, vf32 b, vf32 c) {
    return (vf32)vfmsq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
static inline vf64 v_fma_less_f64(vf64 a, vf64 b, vf64 c) {
    return (vf64)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
static inline vf32 v_sqrt_f32(vf32 x) { return (vf32)vsqrtq_f32((float32x4_t)x); }
static inline vf64 v_sqrt_f64(vf64 x) { return (vf64)vsqrtq_f64((float64x2_t)x); }
static inline vf32 v_floor_f32(vf32 x) { return (vf32)vrndmq_f32((float32x4_t)x); }
static inline vf64 v_floor_f64(vf64 x) { return (vf64)vrndmq_f64((float64x2_t)x); }
static inline vf32 v_ceil_f32(vf32 x) { return (vf32)vrndpq_f32((float32x4_t)x); }
static inline vf64 v_ceil_f64(vf64 x) { return (vf64)vrndpq_f64((float64x2_t)x); }
static inline vf32 v_trunc_f32(vf32 x) { return (vf32)vrndq_f32((float32x4_t)x); }
static inline vf64 v_trunc_f64(vf64 x) { return (vf64)vrndq_f64((float64x2_t)x); }
static inline vf32 v_round_f32(vf32 x) { return (vf32)vrndnq_f32((float32x4_t)x); }
static inline vf64 v_round_f64(vf64 x) { return (vf64)vrndnq_f64((float64x2_t)x); }
static inline int v_any32(vi32 m) { return vmaxvq_u32((uint32x4_t)m) != 0; }
static inline int v_any64(vi64 m) { return vmaxvq_u32((uint32x4_t)m) != 0; }
static inline vf32 v_dup_even_f32(vf32 x) {
    return (vf32)vtrn1q_f32((float32x4_t)x, (float32x4_t)x);
}
static inline vf32 v_dup_odd_f32(vf32 x) {
    return (vf32)vtrn2q_f32((float32x4_t)x, (float32x4_t)x);
}
static inline vf32 v_swap_f32(vf32 x) { return (vf32)vrev64q_f32((float32x4_t)x); }
static inline vf64 v_dup_even_f64(vf64 x) {
    return (vf64)vtrn1q_f64((float64x2_t)x, (float64x2_t)x);
}
static inline vf64 v_dup_odd_f64(vf64 x) {
    return (vf64)vtrn2q_f64((float64x2_t)x, (float64x2_t)x);
}
static inline vf64 v_swap_f64(vf64 x) { return (vf64)vextq_f64((float64x2_t)x, (float64x2_t)x, 1); }
static inline vf32 v_from_f16(vu16h h) {
    return (vf32)vcvt_f32_f16(vreinterpret_f16_u16((uint16x4_t)h));
}
static inline vu16h v_to_f16(vf32 x) {
    return (vu16h)vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)x));
}

#endif
