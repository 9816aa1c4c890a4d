/* The vector layer: one vector type per element type, as wide as the ISA, on the GCC/Clang vector
 * extension. Operators (+ - * / & | ^ << >> and comparisons) work on vectors in C; this file adds
 * what C lacks. No mathematics (vmath.h) and no loops over arrays (loops/) here. */
#ifndef NOMEN_SRC_SIMD_H
#define NOMEN_SRC_SIMD_H

#include "kernels/kernel.h"

#include <stdint.h>
#include <string.h>

/* Which ISA this translation unit is built for: compare NOMEN__ISA_ID with NOMEN__ISA_ID_avx2 and
 * so on. */
#define NOMEN__ISA_ID_scalar  0
#define NOMEN__ISA_ID_avx2    1
#define NOMEN__ISA_ID_avx512  2
#define NOMEN__ISA_ID_neon    3
#define NOMEN__ISA_JOIN(isa)  NOMEN__ISA_ID_##isa
#define NOMEN__ISA_JOIN2(isa) NOMEN__ISA_JOIN(isa)
#define NOMEN__ISA_ID         NOMEN__ISA_JOIN2(NOMEN_ISA)

/* VB: bytes of a vector. W32, W64: lanes of 4 and of 8 bytes. All usable in #if. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#define VB 64
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define VB 32
#else
#define VB 16
#endif
#define W32 (VB / 4)
#define W64 (VB / 8)

/* Stores of a few elements stand in line where there is AVX: gcc 12 jumps to a function that has a
 * vector for an argument without clearing the upper halves of the others. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#define SIMD_BESIDE static inline __attribute__((always_inline))
#else
#define SIMD_BESIDE static inline
#endif

/* SIMD_FMA: v_fma rounds once. Without it v_fma is a multiplication and an addition. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_scalar
#define SIMD_FMA 0
#else
#define SIMD_FMA 1
#endif

/* SIMD_TABLES: small tables can be looked up lane by lane (v_entry16_*). */
#define SIMD_TABLES (NOMEN__ISA_ID == NOMEN__ISA_ID_avx512)
/* SIMD_EIGHTS: tables of eight float32 can (v_entry8_f32). */
#define SIMD_EIGHTS (NOMEN__ISA_ID == NOMEN__ISA_ID_avx2)

/* Before a loop whose output is either the same memory as an input, element by element, or apart
 * from it: lets the compiler vectorise without asking at run time (where "the same memory" would
 * fall back to one at a time). */
#if defined(__clang__)
#define SIMD_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIMD_IVDEP _Pragma("GCC ivdep")
#endif

/* Full vectors: W32 lanes of f32, i32, u32; W64 lanes of f64, i64, u64. A comparison gives vi32 or
 * vi64, 0 or -1. */
typedef float vf32 __attribute__((vector_size(VB)));
typedef int32_t vi32 __attribute__((vector_size(VB)));
typedef uint32_t vu32 __attribute__((vector_size(VB)));
typedef double vf64 __attribute__((vector_size(VB)));
typedef int64_t vi64 __attribute__((vector_size(VB)));
typedef uint64_t vu64 __attribute__((vector_size(VB)));
/* What W32 lanes look like when narrowed (f16 and bf16 in memory, bool results), and W64 lanes. */
typedef uint16_t vu16h __attribute__((vector_size(VB / 2)));
typedef int8_t vi8q __attribute__((vector_size(VB / 4)));
typedef int8_t vi8o __attribute__((vector_size(VB / 8)));
/* Half as many lanes: between f32 and f64. */
typedef float vf32h __attribute__((vector_size(VB / 2)));

/* ---- memory ------------------------------------------------------------------------------------
 * Any alignment; the _n forms touch only the first k lanes (k < lanes), the others read as 0. */

static inline vf32 ld_f32(const void *p) {
    vf32 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline vf64 ld_f64(const void *p) {
    vf64 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline vu16h ld_u16h(const void *p) {
    vu16h v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void st_f32(void *p, vf32 v) { memcpy(p, &v, sizeof v); }
static inline void st_f64(void *p, vf64 v) { memcpy(p, &v, sizeof v); }
static inline void st_u16h(void *p, vu16h v) { memcpy(p, &v, sizeof v); }

/* ---- lanes ----------------------------------------------------------------------------------- */

static inline vf32 v_set_f32(float x) { return x - (vf32){0}; } /* minus zero: keeps -0.0 and NaN */
static inline vf64 v_set_f64(double x) { return x - (vf64){0}; }
static inline vf32 v_sel_f32(vi32 m, vf32 a, vf32 b) {
    return (vf32)((m & (vi32)a) | (~m & (vi32)b));
}
/* Without instructions that choose, by lanes of 32 bits: for those of 64 gcc 12 knows masks to be
 * conditions, and takes one after the other. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_scalar
typedef vi32 v_mask64;
#else
typedef vi64 v_mask64;
#endif
static inline vf64 v_sel_f64(vi64 m, vf64 a, vf64 b) {
    return (vf64)(((v_mask64)m & (v_mask64)a) | (~(v_mask64)m & (v_mask64)b));
}
static inline vf32 v_abs_f32(vf32 x) { return (vf32)((vi32)x & INT32_MAX); }
static inline vf64 v_abs_f64(vf64 x) { return (vf64)((vi64)x & INT64_MAX); }
static inline vf32 v_copysign_f32(vf32 x, vf32 sign) {
    return (vf32)(((vi32)x & INT32_MAX) | ((vi32)sign & INT32_MIN));
}
static inline vf64 v_copysign_f64(vf64 x, vf64 sign) {
    return (vf64)(((vi64)x & INT64_MAX) | ((vi64)sign & INT64_MIN));
}

/* The low and the high half of the lanes. */
static inline vf32h v_low(vf32 x) {
    vf32h h;
    memcpy(&h, &x, sizeof h);
    return h;
}
static inline vf32h v_high(vf32 x) {
    vf32h h;
    memcpy(&h, (const char *)&x + sizeof h, sizeof h);
    return h;
}

/* ---- what differs from ISA to ISA ---------------------------------------------------------------
 * v_fma_*, v_fma_less_* (c - a b), v_sqrt_*, v_floor_*, v_ceil_*, v_trunc_*, v_round_* (half to
 * even), v_any32, v_any64 (of a mask), v_dup_even_*, v_dup_odd_*, v_swap_* (of neighbours: real and
 * imaginary parts), v_lesser_* and v_greater_* (a if it is less, or greater, than b, else b),
 * v_about_inverse_f32, v_scale_*, v_split_*, v_exponent_*, v_log_special_*,
 * v_pick_odd_*, v_from_f16, v_to_f16,
 * v_from_bf16, v_to_bf16, v_low_f64 and v_high_f64 (half of the lanes as f64) and v_narrow_f64
 * back, v_bools32, v_bools64 (masks to bytes 0 and 1), and the partial loads and stores ld_f32_n ..
 * st_u16h_n, and of bytes st_i8q_n and st_i8o_n. */
#include "kernels/simd/scalar.h"
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#include "kernels/simd/x86.h"
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_neon
#include "kernels/simd/neon.h"
#endif

static inline void st_mask32(void *p, vi32 m) {
    const vi8q b = v_bools32(m);
    memcpy(p, &b, sizeof b);
}
static inline void st_mask64(void *p, vi64 m) {
    const vi8o b = v_bools64(m);
    memcpy(p, &b, sizeof b);
}
SIMD_BESIDE void st_mask32_n(void *p, vi32 m, int64_t k) { st_i8q_n(p, v_bools32(m), k); }
static inline void st_mask64_n(void *p, vi64 m, int64_t k) { st_i8o_n(p, v_bools64(m), k); }
static inline vf32 ld_f16(const void *p) { return v_from_f16(ld_u16h(p)); }
static inline vf32 ld_bf16(const void *p) { return v_from_bf16(ld_u16h(p)); }
static inline void st_f16(void *p, vf32 v) { st_u16h(p, v_to_f16(v)); }
static inline void st_bf16(void *p, vf32 v) { st_u16h(p, v_to_bf16(v)); }
SIMD_BESIDE vf32 ld_f16_n(const void *p, int64_t k) { return v_from_f16(ld_u16h_n(p, k)); }
SIMD_BESIDE vf32 ld_bf16_n(const void *p, int64_t k) { return v_from_bf16(ld_u16h_n(p, k)); }
SIMD_BESIDE vf32 ld_f16_again(const void *p, int64_t k) { return v_from_f16(ld_u16h_again(p, k)); }
SIMD_BESIDE vf32 ld_bf16_again(const void *p, int64_t k) {
    return v_from_bf16(ld_u16h_again(p, k));
}
SIMD_BESIDE void st_f16_n(void *p, vf32 v, int64_t k) { st_u16h_n(p, v_to_f16(v), k); }
SIMD_BESIDE void st_bf16_n(void *p, vf32 v, int64_t k) { st_u16h_n(p, v_to_bf16(v), k); }
/* Of numbers that bf16 has: nothing is rounded, which takes most of the steps of v_to_bf16. */
static inline vu16h v_cut_bf16(vf32 x) { return v_words_below((vu32)x >> 16); }
static inline void st_exact_bf16(void *p, vf32 v) { st_u16h(p, v_cut_bf16(v)); }
SIMD_BESIDE void st_exact_bf16_n(void *p, vf32 v, int64_t k) { st_u16h_n(p, v_cut_bf16(v), k); }

/* At most top, at least low, within [low, high]; NaN stays. */
static inline vf32 v_min_f32(vf32 x, float top) { return v_lesser_f32(v_set_f32(top), x); }
static inline vf64 v_min_f64(vf64 x, double top) { return v_lesser_f64(v_set_f64(top), x); }
static inline vf32 v_max_f32(vf32 x, float low) { return v_greater_f32(v_set_f32(low), x); }
static inline vf64 v_max_f64(vf64 x, double low) { return v_greater_f64(v_set_f64(low), x); }
static inline vf32 v_limit_f32(vf32 x, float low, float high) {
    return v_min_f32(v_max_f32(x, low), high);
}
static inline vf64 v_limit_f64(vf64 x, double low, double high) {
    return v_min_f64(v_max_f64(x, low), high);
}

/* marks, but NaN where x is one: begun with zeros, it says which lanes have met a NaN. No integer
 * is one. */
static inline vi64 v_nans_i64(vi64 x, vi64 marks) { return (void)x, marks; }
#if VB == 64
static inline vf32 v_nans_f32(vf32 x, vf32 marks) {
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q);
    return (vf32)_mm512_mask_mov_ps((__m512)marks, nan, (__m512)x);
}
static inline vf64 v_nans_f64(vf64 x, vf64 marks) {
    const __mmask8 nan = _mm512_cmp_pd_mask((__m512d)x, (__m512d)x, _CMP_UNORD_Q);
    return (vf64)_mm512_mask_mov_pd((__m512d)marks, nan, (__m512d)x);
}
#else
static inline vf32 v_nans_f32(vf32 x, vf32 marks) { return (vf32)((vi32)marks | (x != x)); }
static inline vf64 v_nans_f64(vf64 x, vf64 marks) { return (vf64)((vi64)marks | (x != x)); }
#endif

/* Two vectors of pairs as one of their first numbers and one of their second ones, and back. Those
 * of AVX2 are two steps of one instruction each: compilers make one of them, which takes more. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define V_LOWER_F64(a, b)    ((vf64)_mm256_permute2f128_pd((__m256d)(a), (__m256d)(b), 0x20))
#define V_UPPER_F64(a, b)    ((vf64)_mm256_permute2f128_pd((__m256d)(a), (__m256d)(b), 0x31))
#define V_FIRST_F64(a, b)    ((vf64)_mm256_unpacklo_pd((__m256d)(a), (__m256d)(b)))
#define V_SECOND_F64(a, b)   ((vf64)_mm256_unpackhi_pd((__m256d)(a), (__m256d)(b)))
#define V_EVEN_F64(a, b)     V_FIRST_F64(V_LOWER_F64(a, b), V_UPPER_F64(a, b))
#define V_ODD_F64(a, b)      V_SECOND_F64(V_LOWER_F64(a, b), V_UPPER_F64(a, b))
#define V_MIX_LOW_F64(h, l)  V_LOWER_F64(V_FIRST_F64(h, l), V_SECOND_F64(h, l))
#define V_MIX_HIGH_F64(h, l) V_UPPER_F64(V_FIRST_F64(h, l), V_SECOND_F64(h, l))
#elif VB == 64
#define V_EVEN_F64(a, b)     __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define V_ODD_F64(a, b)      __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define V_MIX_LOW_F64(h, l)  __builtin_shufflevector(h, l, 0, 8, 1, 9, 2, 10, 3, 11)
#define V_MIX_HIGH_F64(h, l) __builtin_shufflevector(h, l, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define V_EVEN_F64(a, b)     __builtin_shufflevector(a, b, 0, 2)
#define V_ODD_F64(a, b)      __builtin_shufflevector(a, b, 1, 3)
#define V_MIX_LOW_F64(h, l)  V_EVEN_F64(h, l)
#define V_MIX_HIGH_F64(h, l) V_ODD_F64(h, l)
#endif

/* ---- one name for f32 and f64 ---------------------------------------------------------------- */

/* What the compiler cannot look into it neither fuses nor loads twice: of an operand that is used
 * twice it would make two operands in memory, and loads are the limit of many loops. */
#if defined(__x86_64__)
#define V_OPAQUE(x) __asm__("" : "+v"(x))
#elif defined(__aarch64__)
#define V_OPAQUE(x) __asm__("" : "+w"(x))
#else
#define V_OPAQUE(x) __asm__("" : "+m"(x))
#endif
static inline vf32 v_once_f32(vf32 x) {
    V_OPAQUE(x);
    return x;
}
static inline vf64 v_once_f64(vf64 x) {
    V_OPAQUE(x);
    return x;
}

#define SIMD_PICK(f, x)      _Generic((x), vf32: f##_f32, vf64: f##_f64)
#define v_sel(m, a, b)       SIMD_PICK(v_sel, a)(m, a, b)
#define v_abs(x)             SIMD_PICK(v_abs, x)(x)
#define v_copysign(x, sign)  SIMD_PICK(v_copysign, x)(x, sign)
#define v_fma(a, b, c)       SIMD_PICK(v_fma, a)(a, b, c)
#define v_fma_less(a, b, c)  SIMD_PICK(v_fma_less, a)(a, b, c)
#define v_sqrt(x)            SIMD_PICK(v_sqrt, x)(x)
#define v_floor(x)           SIMD_PICK(v_floor, x)(x)
#define v_ceil(x)            SIMD_PICK(v_ceil, x)(x)
#define v_trunc(x)           SIMD_PICK(v_trunc, x)(x)
#define v_round(x)           SIMD_PICK(v_round, x)(x)
#define v_any(m)             _Generic((m), vi32: v_any32, vi64: v_any64)(m)
#define v_dup_even(x)        SIMD_PICK(v_dup_even, x)(x)
#define v_dup_odd(x)         SIMD_PICK(v_dup_odd, x)(x)
#define v_swap(x)            SIMD_PICK(v_swap, x)(x)
#define v_min(x, top)        SIMD_PICK(v_min, x)(x, top)
#define v_max(x, low)        SIMD_PICK(v_max, x)(x, low)
#define SIMD_PICK_64(f, x)   _Generic((x), vf32: f##_f32, vf64: f##_f64, vi64: f##_i64)
#define v_nans(x, marks)     SIMD_PICK_64(v_nans, x)(x, marks)
#define v_lesser(a, b)       SIMD_PICK_64(v_lesser, a)(a, b)
#define v_greater(a, b)      SIMD_PICK_64(v_greater, a)(a, b)
#define v_limit(x, low, top) SIMD_PICK(v_limit, x)(x, low, top)
#define v_scale(x, k)        SIMD_PICK(v_scale, x)(x, k)
/* The number c in every lane of a vector like x. */
#define v_like(x, c) _Generic((x), vf32: v_set_f32((float)(c)), vf64: v_set_f64((double)(c)))

#endif
