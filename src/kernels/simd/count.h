/* How many lanes of a vector are less than a number, or not greater; of NaN none is. Where an ISA
 * has masks of lanes (SIMD_COUNTS). */
#ifndef NOMEN_SRC_SIMD_COUNT_H
#define NOMEN_SRC_SIMD_COUNT_H

#include "kernels/simd/simd.h"

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#define SIMD_COUNTS 1

static inline int v_count_less_f32(vf32 v, float x) {
    return __builtin_popcount(_mm512_cmp_ps_mask(v, _mm512_set1_ps(x), _CMP_LT_OQ));
}
static inline int v_count_least_f32(vf32 v, float x) {
    return __builtin_popcount(_mm512_cmp_ps_mask(v, _mm512_set1_ps(x), _CMP_LE_OQ));
}
static inline int v_count_less_f64(vf64 v, double x) {
    return __builtin_popcount(_mm512_cmp_pd_mask(v, _mm512_set1_pd(x), _CMP_LT_OQ));
}
static inline int v_count_least_f64(vf64 v, double x) {
    return __builtin_popcount(_mm512_cmp_pd_mask(v, _mm512_set1_pd(x), _CMP_LE_OQ));
}
static inline int v_count_less_i32(vi32 v, int32_t x) {
    return __builtin_popcount(_mm512_cmplt_epi32_mask((__m512i)v, _mm512_set1_epi32(x)));
}
static inline int v_count_least_i32(vi32 v, int32_t x) {
    return __builtin_popcount(_mm512_cmple_epi32_mask((__m512i)v, _mm512_set1_epi32(x)));
}
static inline int v_count_less_i64(vi64 v, int64_t x) {
    return __builtin_popcount(_mm512_cmplt_epi64_mask((__m512i)v, _mm512_set1_epi64(x)));
}
static inline int v_count_least_i64(vi64 v, int64_t x) {
    return __builtin_popcount(_mm512_cmple_epi64_mask((__m512i)v, _mm512_set1_epi64(x)));
}

#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define SIMD_COUNTS 1

static inline int v_count_32(__m256 mask) {
    return __builtin_popcount((unsigned)_mm256_movemask_ps(mask));
}
static inline int v_count_64(__m256d mask) {
    return __builtin_popcount((unsigned)_mm256_movemask_pd(mask));
}
static inline int v_count_less_f32(vf32 v, float x) {
    return v_count_32(_mm256_cmp_ps(v, _mm256_set1_ps(x), _CMP_LT_OQ));
}
static inline int v_count_least_f32(vf32 v, float x) {
    return v_count_32(_mm256_cmp_ps(v, _mm256_set1_ps(x), _CMP_LE_OQ));
}
static inline int v_count_less_f64(vf64 v, double x) {
    return v_count_64(_mm256_cmp_pd(v, _mm256_set1_pd(x), _CMP_LT_OQ));
}
static inline int v_count_least_f64(vf64 v, double x) {
    return v_count_64(_mm256_cmp_pd(v, _mm256_set1_pd(x), _CMP_LE_OQ));
}
static inline int v_count_less_i32(vi32 v, int32_t x) {
    return v_count_32((__m256)_mm256_cmpgt_epi32(_mm256_set1_epi32(x), (__m256i)v));
}
static inline int v_count_least_i32(vi32 v, int32_t x) {
    return W32 - v_count_32((__m256)_mm256_cmpgt_epi32((__m256i)v, _mm256_set1_epi32(x)));
}
static inline int v_count_less_i64(vi64 v, int64_t x) {
    return v_count_64((__m256d)_mm256_cmpgt_epi64(_mm256_set1_epi64x(x), (__m256i)v));
}
static inline int v_count_least_i64(vi64 v, int64_t x) {
    return W64 - v_count_64((__m256d)_mm256_cmpgt_epi64((__m256i)v, _mm256_set1_epi64x(x)));
}

#else
#define SIMD_COUNTS 0
#endif

#endif
