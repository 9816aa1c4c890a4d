/* Two vectors of results of half types, rounded and stored side by side. */
#ifndef NOMEN_SRC_TWO_H
#define NOMEN_SRC_TWO_H

#include "kernels/simd/simd.h"

static inline void st_f16_two(void *p, vf32 x, vf32 y) {
    st_f16(p, x);
    st_f16((char *)p + 2 * W32, y);
}

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
/* Nearest, ties to even, in the upper half of each lane. A NaN stays one: that of a sum has the bit
 * that says so, and what is below is cut off. */
static inline __m512i two_rounded_bf16(vf32 x) {
    const __m512i bits = (__m512i)x;
    const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
    const __mmask16 odd = _mm512_mask_test_epi32_mask(number, bits, _mm512_set1_epi32(0x10000));
    const __m512i below = _mm512_mask_add_epi32(bits, number, bits, _mm512_set1_epi32(0x7fff));
    return _mm512_mask_sub_epi32(below, odd, below, _mm512_set1_epi32(-1));
}
/* Upper halves of all lanes. */
static inline void st_bf16_two(void *p, vf32 x, vf32 y) {
    const __m512i first = _mm512_set_epi32(
        0x1f001d, 0x1b0019, 0x170015, 0x130011, 0x0f000d, 0x0b0009, 0x070005, 0x030001, 0x1f001d,
        0x1b0019, 0x170015, 0x130011, 0x0f000d, 0x0b0009, 0x070005, 0x030001);
    const __m512i upper = _mm512_mask_or_epi32(first, 0xff00, first, _mm512_set1_epi32(0x200020));
    _mm512_storeu_si512(p,
                        _mm512_permutex2var_epi16(two_rounded_bf16(x), upper, two_rounded_bf16(y)));
}
#else
static inline void st_bf16_two(void *p, vf32 x, vf32 y) {
    st_bf16(p, x);
    st_bf16((char *)p + 2 * W32, y);
}
#endif

#endif
