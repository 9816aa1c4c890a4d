/* Results of half types, rounded and stored: two vectors side by side, and sums of products of
 * bfloat16, one vector or the first elements of it. */
#ifndef NOMEN_SRC_TWO_H
#define NOMEN_SRC_TWO_H

#include "kernels/simd/simd.h"

static inline void st_f16_two(void *p, vf32 x, vf32 y) {
    st_f16(p, x);
    st_f16((char *)p + 2 * W32, y);
}

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
/* Nearest, ties to even, in the upper half of each lane. x is a sum of products of numbers of
 * bfloat16: if it is a NaN, the lower half of it is 0, as of theirs, and nothing is carried. */
static inline __m512i two_rounded_bf16(vf32 x) {
    const __m512i bits = (__m512i)x, below = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    return _mm512_mask_sub_epi32(below, odd, below, _mm512_set1_epi32(-1));
}
/* Upper halves of all lanes; the second half of the indices takes those of another vector. */
static inline __m512i two_upper_bf16(void) {
    const __m512i first = _mm512_set_epi32(
        0x1f001d, 0x1b0019, 0x170015, 0x130011, 0x0f000d, 0x0b0009, 0x070005, 0x030001, 0x1f001d,
        0x1b0019, 0x170015, 0x130011, 0x0f000d, 0x0b0009, 0x070005, 0x030001);
    return _mm512_mask_or_epi32(first, 0xff00, first, _mm512_set1_epi32(0x200020));
}
static inline void st_bf16_two(void *p, vf32 x, vf32 y) {
    _mm512_storeu_si512(
        p, _mm512_permutex2var_epi16(two_rounded_bf16(x), two_upper_bf16(), two_rounded_bf16(y)));
}
/* By a permutation: what narrows lanes is slow where it stores as well. */
static inline __m256i two_narrow_bf16(vf32 x) {
    return _mm512_castsi512_si256(_mm512_permutexvar_epi16(two_upper_bf16(), two_rounded_bf16(x)));
}
static inline void st_sum_bf16(void *p, vf32 x) {
    _mm256_storeu_si256((__m256i *)p, two_narrow_bf16(x));
}
static inline void st_sum_bf16_n(void *p, vf32 x, int64_t k) {
    _mm256_mask_storeu_epi16(p, (__mmask16)((1u << k) - 1), two_narrow_bf16(x));
}
#else
static inline void st_bf16_two(void *p, vf32 x, vf32 y) {
    st_bf16(p, x);
    st_bf16((char *)p + 2 * W32, y);
}
static inline void st_sum_bf16(void *p, vf32 x) { st_bf16(p, x); }
static inline void st_sum_bf16_n(void *p, vf32 x, int64_t k) { st_bf16_n(p, x, k); }
#endif

#endif
