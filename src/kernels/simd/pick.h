/* Elements of 1 to 16 bytes, picked from two places by masks, bytes of which any but 0 is true: a
 * vector of PICK_LANES(size) elements, without a branch. x86 only (VB >= 32). */
#ifndef NOMEN_SRC_PICK_H
#define NOMEN_SRC_PICK_H

#include "kernels/simd/simd.h"

#if VB == 64
#define PICK_LANES(size) (64 / (size))
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
    case 1:
        a = lone_x ? _mm512_set1_epi8(*(const char *)x) : _mm512_maskz_loadu_epi8(first, x);
        b = lone_y ? _mm512_set1_epi8(*(const char *)y) : _mm512_maskz_loadu_epi8(first, y);
        _mm512_mask_storeu_epi8(o, first, _mm512_mask_blend_epi8(chosen, b, a));
        break;
    case 2: {
        const __mmask32 some = (__mmask32)first;
        a = lone_x ? _mm512_set1_epi16(*(const short *)x) : _mm512_maskz_loadu_epi16(some, x);
        b = lone_y ? _mm512_set1_epi16(*(const short *)y) : _mm512_maskz_loadu_epi16(some, y);
        _mm512_mask_storeu_epi16(o, some, _mm512_mask_blend_epi16((__mmask32)chosen, b, a));
        break;
    }
    case 4: {
        const __mmask16 some = (__mmask16)first;
        a = lone_x ? _mm512_set1_epi32(*(const int *)x) : _mm512_maskz_loadu_epi32(some, x);
        b = lone_y ? _mm512_set1_epi32(*(const int *)y) : _mm512_maskz_loadu_epi32(some, y);
        _mm512_mask_storeu_epi32(o, some, _mm512_mask_blend_epi32((__mmask16)chosen, b, a));
        break;
    }
    default: {
        const __mmask8 some = (__mmask8)first;
        a = lone_x ? _mm512_set1_epi64(*(const long long *)x) : _mm512_maskz_loadu_epi64(some, x);
        b = lone_y ? _mm512_set1_epi64(*(const long long *)y) : _mm512_maskz_loadu_epi64(some, y);
        _mm512_mask_storeu_epi64(o, some, _mm512_mask_blend_epi64((__mmask8)chosen, b, a));
    }
    }
}
/* The first k <= 4 elements of 16 bytes. */
static inline __attribute__((always_inline)) void simd_pick_16(void *o, const uint8_t *m,
                                                               const void *x, const void *y,
                                                               int64_t k, const bool lone_x,
                                                               const bool lone_y) {
    const __mmask8 some = simd_first8(2 * k);
    const __m128i each = _mm_maskz_loadu_epi8(simd_first8(k), m),
                  which = _mm_unpacklo_epi8(each, each); /* of both halves */
    const __mmask8 chosen = (__mmask8)_mm_test_epi8_mask(which, which);
    const __m512i a = lone_x ? _mm512_broadcast_i64x2(_mm_loadu_si128(x))
                             : _mm512_maskz_loadu_epi64(some, x),
                  b = lone_y ? _mm512_broadcast_i64x2(_mm_loadu_si128(y))
                             : _mm512_maskz_loadu_epi64(some, y);
    _mm512_mask_storeu_epi64(o, some, _mm512_mask_blend_epi64(chosen, b, a));
}
#elif VB == 32
#define PICK_LANES(size) (32 / (size))
/* As many as that. */
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
    default:
        if (lone_x) a = _mm256_set1_epi64x(*(const long long *)x);
        if (lone_y) b = _mm256_set1_epi64x(*(const long long *)y);
        other = _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(_mm_loadu_si32(m)), none);
    }
    _mm256_storeu_si256(o, _mm256_blendv_epi8(a, b, other));
}
/* Two elements of 16 bytes. */
static inline __attribute__((always_inline)) void simd_pick_16(void *o, const uint8_t *m,
                                                               const void *x, const void *y,
                                                               int64_t k, const bool lone_x,
                                                               const bool lone_y) {
    (void)k;
    const __m128i each = _mm_loadu_si16(m);
    const __m256i which = _mm256_cvtepu8_epi64(_mm_unpacklo_epi8(each, each)),
                  other = _mm256_cmpeq_epi64(which, _mm256_setzero_si256()),
                  a = lone_x ? _mm256_broadcastsi128_si256(_mm_loadu_si128(x))
                             : _mm256_loadu_si256(x),
                  b = lone_y ? _mm256_broadcastsi128_si256(_mm_loadu_si128(y))
                             : _mm256_loadu_si256(y);
    _mm256_storeu_si256(o, _mm256_blendv_epi8(a, b, other));
}
#endif

#endif
