/* The elements of two vectors by turns, by element size in bytes: those of the first halves (low),
 * and of the second (high). Wide vectors do so in each of their lanes of 16 bytes. */
#ifndef NOMEN_SRC_SIMD_INTERLEAVE_H
#define NOMEN_SRC_SIMD_INTERLEAVE_H

#include "kernels/simd/simd.h"

typedef uint8_t lane_u8 __attribute__((vector_size(16)));
typedef uint16_t lane_u16 __attribute__((vector_size(16)));
typedef uint32_t lane_u32 __attribute__((vector_size(16)));
typedef uint64_t lane_u64 __attribute__((vector_size(16)));

static inline lane_u8 low_1(lane_u8 a, lane_u8 b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline lane_u8 high_1(lane_u8 a, lane_u8 b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}
static inline lane_u8 low_2(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u16)a, (lane_u16)b, 0, 8, 1, 9, 2, 10, 3, 11);
}
static inline lane_u8 high_2(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u16)a, (lane_u16)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
static inline lane_u8 low_4(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u32)a, (lane_u32)b, 0, 4, 1, 5);
}
static inline lane_u8 high_4(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u32)a, (lane_u32)b, 2, 6, 3, 7);
}
static inline lane_u8 low_8(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u64)a, (lane_u64)b, 0, 2);
}
static inline lane_u8 high_8(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u64)a, (lane_u64)b, 1, 3);
}

static inline __attribute__((always_inline)) lane_u8 low_16(lane_u8 a, lane_u8 b, int64_t size) {
    return size == 1   ? low_1(a, b)
           : size == 2 ? low_2(a, b)
           : size == 4 ? low_4(a, b)
                       : low_8(a, b);
}
static inline __attribute__((always_inline)) lane_u8 high_16(lane_u8 a, lane_u8 b, int64_t size) {
    return size == 1   ? high_1(a, b)
           : size == 2 ? high_2(a, b)
           : size == 4 ? high_4(a, b)
                       : high_8(a, b);
}
/* 16 bytes from each of so many lines as fit into a vector. */
static inline lane_u8 lanes_16(const char *from, int64_t apart) {
    lane_u8 x;
    (void)apart;
    memcpy(&x, from, sizeof x);
    return x;
}

#if VB >= 32
static inline __attribute__((always_inline)) __m256i low_32(__m256i a, __m256i b, int64_t size) {
    return size == 1   ? _mm256_unpacklo_epi8(a, b)
           : size == 2 ? _mm256_unpacklo_epi16(a, b)
           : size == 4 ? _mm256_unpacklo_epi32(a, b)
                       : _mm256_unpacklo_epi64(a, b);
}
static inline __attribute__((always_inline)) __m256i high_32(__m256i a, __m256i b, int64_t size) {
    return size == 1   ? _mm256_unpackhi_epi8(a, b)
           : size == 2 ? _mm256_unpackhi_epi16(a, b)
           : size == 4 ? _mm256_unpackhi_epi32(a, b)
                       : _mm256_unpackhi_epi64(a, b);
}
static inline __m256i lanes_32(const char *from, int64_t apart) {
    const __m128i a = _mm_loadu_si128((const void *)from);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a),
                                   _mm_loadu_si128((const void *)(from + apart)), 1);
}
#endif

#if VB == 64
static inline __attribute__((always_inline)) __m512i low_64(__m512i a, __m512i b, int64_t size) {
    return size == 1   ? _mm512_unpacklo_epi8(a, b)
           : size == 2 ? _mm512_unpacklo_epi16(a, b)
           : size == 4 ? _mm512_unpacklo_epi32(a, b)
                       : _mm512_unpacklo_epi64(a, b);
}
static inline __attribute__((always_inline)) __m512i high_64(__m512i a, __m512i b, int64_t size) {
    return size == 1   ? _mm512_unpackhi_epi8(a, b)
           : size == 2 ? _mm512_unpackhi_epi16(a, b)
           : size == 4 ? _mm512_unpackhi_epi32(a, b)
                       : _mm512_unpackhi_epi64(a, b);
}
/* One by one: put together of two halves it takes a step more, which shows where lines come from
 * memory. */
static inline __m512i lanes_64(const char *from, int64_t apart) {
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)from));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + apart)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + 2 * apart)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + 3 * apart)), 3);
}
#endif

#endif
