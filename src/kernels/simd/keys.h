/* Eight 32-bit keys in a vector of 32 bytes, on AVX2 and AVX-512: the first bits of a key are an
 * element of 8 or 16 bits, the others where it stands; or all bits an element of 32. */
#ifndef NOMEN_SRC_SIMD_KEYS_H
#define NOMEN_SRC_SIMD_KEYS_H

#include "kernels/simd/simd.h"

#define SIMD_KEYS (NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512)

#if SIMD_KEYS
typedef int32_t keys8 __attribute__((vector_size(32)));

static inline keys8 keys8_of(int32_t x) { return x - (keys8){0}; }
static inline keys8 keys8_greater(keys8 a, keys8 b) {
    return (keys8)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline keys8 keys8_lesser(keys8 a, keys8 b) {
    return (keys8)_mm256_min_epi32((__m256i)a, (__m256i)b);
}
/* a where its key x is greater than the other key, else b. */
static inline keys8 keys8_pick(keys8 x, keys8 y, keys8 a, keys8 b) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    const __mmask8 greater = _mm256_cmpgt_epi32_mask((__m256i)x, (__m256i)y);
    return (keys8)_mm256_mask_blend_epi32(greater, (__m256i)b, (__m256i)a);
#else
    const __m256i greater = _mm256_cmpgt_epi32((__m256i)x, (__m256i)y);
    return (keys8)_mm256_blendv_epi8((__m256i)b, (__m256i)a, greater);
#endif
}

/* Steps by which each lane learns of all before it: of one, of two, of four; and of all. */
static inline keys8 keys8_one(keys8 x) {
    return __builtin_shufflevector(x, x, 0, 0, 2, 2, 4, 4, 6, 6);
}
static inline keys8 keys8_two(keys8 x) {
    return __builtin_shufflevector(x, x, 0, 1, 1, 1, 4, 5, 5, 5);
}
static inline keys8 keys8_four(keys8 x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 3, 3, 3, 3);
}
static inline keys8 keys8_last(keys8 x) {
    return __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
}

/* Eight elements as the first bits of keys, and back. */
static inline keys8 keys8_from_1(const void *p) {
    return (keys8)_mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(p)), 24);
}
static inline keys8 keys8_from_4(const void *p) { return (keys8)_mm256_loadu_si256(p); }
static inline void keys8_to_4(void *p, keys8 x) { _mm256_storeu_si256(p, (__m256i)x); }
static inline keys8 keys8_from_2(const void *p) {
    return (keys8)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16);
}
/* Of half types as whole numbers: both zeros are 0, and NaN, which is beyond the size of infinity,
 * is the greatest of all; `down`: of negated ones. The sign is the last bit. */
static inline keys8 keys8_from_half(const void *p, int32_t infinity, bool down) {
    const keys8 x = keys8_from_2(p), sign = x >> 31, size = x & INT32_MAX;
    const keys8 whole = down ? sign - (size ^ sign) : (size ^ sign) - sign;
    const keys8 last = keys8_of(infinity | infinity >> 1);
    return keys8_pick(size, keys8_of(infinity), last, whole) | (sign & 1);
}
static inline keys8 keys8_as_half(keys8 key) {
    const keys8 size = (keys8)_mm256_abs_epi32((__m256i)(key & -65536));
    return size | (key & 1) << 31;
}
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline void keys8_to_2(void *p, keys8 x) {
    _mm_storeu_si128(p, _mm256_cvtepi32_epi16(_mm256_srli_epi32((__m256i)x, 16)));
}
static inline void keys8_to_1(void *p, keys8 x) {
    _mm_storel_epi64(p, _mm256_cvtepi32_epi8(_mm256_srli_epi32((__m256i)x, 24)));
}
/* Their places, as they are stored: `first` and what the keys say. */
static inline void keys8_places(int64_t *at, keys8 place, int64_t first) {
    const __m512i from = _mm512_set1_epi64(first), x = _mm512_cvtepi32_epi64((__m256i)place);
    _mm512_storeu_si512(at, _mm512_add_epi64(x, from));
}
#else
static inline void keys8_to_2(void *p, keys8 x) {
    const __m256i high = _mm256_srai_epi32((__m256i)x, 16);
    const __m128i low = _mm256_castsi256_si128(high), rest = _mm256_extracti128_si256(high, 1);
    _mm_storeu_si128(p, _mm_packs_epi32(low, rest));
}
static inline void keys8_to_1(void *p, keys8 x) {
    const __m256i high = _mm256_srai_epi32((__m256i)x, 24);
    const __m128i low = _mm256_castsi256_si128(high), rest = _mm256_extracti128_si256(high, 1);
    const __m128i words = _mm_packs_epi32(low, rest);
    _mm_storel_epi64(p, _mm_packs_epi16(words, words));
}

static inline void keys8_places(int64_t *at, keys8 place, int64_t first) {
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128((__m256i)place));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256((__m256i)place, 1));
    const __m256i from = _mm256_set1_epi64x(first);
    _mm256_storeu_si256((void *)at, _mm256_add_epi64(low, from));
    _mm256_storeu_si256((void *)(at + 4), _mm256_add_epi64(high, from));
}
#endif
#endif

#endif
