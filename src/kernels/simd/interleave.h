/* The elements of two vectors by turns: those of the first halves (low), and of the second (high),
 * by their bits, or by `size`, their bytes. Wide vectors do so in each of their lanes of 16 bytes.
 */
#ifndef NOMEN_SRC_SIMD_INTERLEAVE_H
#define NOMEN_SRC_SIMD_INTERLEAVE_H

#include "kernels/simd/simd.h"

typedef uint8_t lane_u8 __attribute__((vector_size(16)));
typedef uint16_t lane_u16 __attribute__((vector_size(16)));
typedef uint32_t lane_u32 __attribute__((vector_size(16)));
typedef uint64_t lane_u64 __attribute__((vector_size(16)));

static inline lane_u8 lane_low_8(lane_u8 a, lane_u8 b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline lane_u8 lane_high_8(lane_u8 a, lane_u8 b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}
static inline lane_u8 lane_low_16(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u16)a, (lane_u16)b, 0, 8, 1, 9, 2, 10, 3, 11);
}
static inline lane_u8 lane_high_16(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u16)a, (lane_u16)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
static inline lane_u8 lane_low_32(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u32)a, (lane_u32)b, 0, 4, 1, 5);
}
static inline lane_u8 lane_high_32(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u32)a, (lane_u32)b, 2, 6, 3, 7);
}
static inline lane_u8 lane_low_64(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u64)a, (lane_u64)b, 0, 2);
}
static inline lane_u8 lane_high_64(lane_u8 a, lane_u8 b) {
    return (lane_u8)__builtin_shufflevector((lane_u64)a, (lane_u64)b, 1, 3);
}

/* The one of four functions of this name that is for elements of `size` bytes. */
#define LANE_BY_SIZE(name, a, b, size)                                                             \
    ((size) == 1   ? name##8(a, b)                                                                 \
     : (size) == 2 ? name##16(a, b)                                                                \
     : (size) == 4 ? name##32(a, b)                                                                \
                   : name##64(a, b))

static inline __attribute__((always_inline)) lane_u8 low_16(lane_u8 a, lane_u8 b, int64_t size) {
    return LANE_BY_SIZE(lane_low_, a, b, size);
}
static inline __attribute__((always_inline)) lane_u8 high_16(lane_u8 a, lane_u8 b, int64_t size) {
    return LANE_BY_SIZE(lane_high_, a, b, size);
}
/* 16 bytes from each of so many lines as fit into a vector: as far apart as told, or of every so
 * many-th of those of a list. */
static inline lane_u8 lanes_16(const char *from, int64_t apart) {
    lane_u8 x;
    (void)apart;
    memcpy(&x, from, sizeof x);
    return x;
}
static inline lane_u8 lanes_of_16(const char *const line[], int64_t every, int64_t at) {
    (void)every;
    return lanes_16(line[0] + at, 0);
}

#define FN   cards_16
#define VEC  lane_u8
#define LOW  low_16
#define HIGH high_16
#include "kernels/simd/cards.h"

#if VB >= 32
static inline __attribute__((always_inline)) __m256i low_32(__m256i a, __m256i b, int64_t size) {
    return LANE_BY_SIZE(_mm256_unpacklo_epi, a, b, size);
}
static inline __attribute__((always_inline)) __m256i high_32(__m256i a, __m256i b, int64_t size) {
    return LANE_BY_SIZE(_mm256_unpackhi_epi, a, b, size);
}
static inline __m256i lanes_32(const char *from, int64_t apart) {
    const __m128i a = _mm_loadu_si128((const void *)from);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a),
                                   _mm_loadu_si128((const void *)(from + apart)), 1);
}
static inline __m256i lanes_of_32(const char *const line[], int64_t every, int64_t at) {
    const char *const from = line[0] + at;
    return lanes_32(from, line[every] + at - from);
}

#define FN   cards_32
#define VEC  __m256i
#define LOW  low_32
#define HIGH high_32
#include "kernels/simd/cards.h"
#endif

#if VB == 64
static inline __attribute__((always_inline)) __m512i low_64(__m512i a, __m512i b, int64_t size) {
    return LANE_BY_SIZE(_mm512_unpacklo_epi, a, b, size);
}
static inline __attribute__((always_inline)) __m512i high_64(__m512i a, __m512i b, int64_t size) {
    return LANE_BY_SIZE(_mm512_unpackhi_epi, a, b, size);
}
/* One by one: put together of two halves it takes a step more, which shows where lines come from
 * memory. */
static inline __m512i lanes_64(const char *from, int64_t apart) {
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)from));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + apart)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + 2 * apart)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + 3 * apart)), 3);
}
static inline __m512i lanes_of_64(const char *const line[], int64_t every, int64_t at) {
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(line[0] + at)));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(line[every] + at)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(line[2 * every] + at)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(line[3 * every] + at)), 3);
}

#define FN   cards_64
#define VEC  __m512i
#define LOW  low_64
#define HIGH high_64
#include "kernels/simd/cards.h"
#endif

#endif
