/* Elements of 1 to 16 bytes, picked from two places by masks, bytes of which any but 0 is true: a
 * vector of PICK_LANES(size) elements, without a branch. x86 only (VB >= 32). */
#ifndef NOMEN_SRC_PICK_H
#define NOMEN_SRC_PICK_H

#include "kernels/simd/simd.h"

#define PICK_LANES(size) (VB / (size))

#if VB == 64
#define PICK(bits, type, some, chosen)                                                             \
    a = lone_x ? _mm512_set1_epi##bits(*(const type *)x) : _mm512_maskz_loadu_epi##bits(some, x);  \
    b = lone_y ? _mm512_set1_epi##bits(*(const type *)y) : _mm512_maskz_loadu_epi##bits(some, y);  \
    _mm512_mask_storeu_epi##bits(o, some, _mm512_mask_blend_epi##bits(chosen, b, a))
/* The first k > 0 of them; a lone element is taken for all. */
static inline __attribute__((always_inline)) void simd_pick(void *o, const uint8_t *m,
                                                            const void *x, const void *y, int64_t k,
                                                            const int size, const bool lone_x,
                                                            const bool lone_y) {
    const __mmask64 first = ~(uint64_t)0 >> (64 - k);
    const __m512i which = _mm512_maskz_loadu_epi8(first, m);
    const __mmask64 chosen = _mm512_test_epi8_mask(which, which);
    __m512i a, b;
    switch (size) {
    case 1: PICK(8, char, first, chosen); break;
    case 2: PICK(16, short, (__mmask32)first, (__mmask32)chosen); break;
    case 4: PICK(32, int, (__mmask16)first, (__mmask16)chosen); break;
    case 8: PICK(64, long long, (__mmask8)first, (__mmask8)chosen); break;
    default: {
        const __mmask8 some = simd_first8(2 * k);
        const __m128i each = _mm512_castsi512_si128(which),
                      both = _mm_unpacklo_epi8(each, each); /* halves of an element */
        a = lone_x ? _mm512_broadcast_i64x2(_mm_loadu_si128(x)) : _mm512_maskz_loadu_epi64(some, x);
        b = lone_y ? _mm512_broadcast_i64x2(_mm_loadu_si128(y)) : _mm512_maskz_loadu_epi64(some, y);
        _mm512_mask_storeu_epi64(
            o, some, _mm512_mask_blend_epi64((__mmask8)_mm_test_epi8_mask(both, both), b, a));
    }
    }
}
#undef PICK
#elif VB == 32
/* As many as that; a lone element is taken for all. */
static inline __attribute__((always_inline)) void simd_pick(void *o, const uint8_t *m,
                                                            const void *x, const void *y,
                                                            const int size, const bool lone_x,
                                                            const bool lone_y) {
    const __m256i none = _mm256_setzero_si256();
    __m256i a = none, b = none, other;
    if (!lone_x) a = _mm256_loadu_si256(x);
    if (!lone_y) b = _mm256_loadu_si256(y);
    switch (size) {
    case 1:
        if (lone_x) a = _mm256_set1_epi8(*(const char *)x);
        if (lone_y) b = _mm256_set1_epi8(*(const char *)y);
        other = _mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)m), none);
        break;
    case 2:
        if (lone_x) a = _mm256_set1_epi16(*(const short *)x);
        if (lone_y) b = _mm256_set1_epi16(*(const short *)y);
        other = _mm256_cmpeq_epi16(_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)m)), none);
        break;
    case 4:
        if (lone_x) a = _mm256_set1_epi32(*(const int *)x);
        if (lone_y) b = _mm256_set1_epi32(*(const int *)y);
        other = _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(_mm_loadu_si64(m)), none);
        break;
    case 8:
        if (lone_x) a = _mm256_set1_epi64x(*(const long long *)x);
        if (lone_y) b = _mm256_set1_epi64x(*(const long long *)y);
        other = _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(_mm_loadu_si32(m)), none);
        break;
    default: {
        const __m128i each = _mm_loadu_si16(m), both = _mm_unpacklo_epi8(each, each); /* halves */
        if (lone_x) a = _mm256_broadcastsi128_si256(_mm_loadu_si128(x));
        if (lone_y) b = _mm256_broadcastsi128_si256(_mm_loadu_si128(y));
        other = _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(both), none);
    }
    }
    _mm256_storeu_si256(o, _mm256_blendv_epi8(a, b, other));
}
#endif

#endif
