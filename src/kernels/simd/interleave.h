/* The elements of two vectors by turns, by element size in bytes: those of the first halves (low),
 * and of the second (high). Wide vectors do so in each of their lanes of 16 bytes. */
#ifndef NOMEN_SRC_SIMD_INTERLEAVE_H
#define NOMEN_SRC_SIMD_INTERLEAVE_H

#include "kernels/simd/simd.h"

typedef uint8_t octets __attribute__((vector_size(16)));
typedef uint16_t pairs __attribute__((vector_size(16)));
typedef uint32_t quads __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static inline octets low_1(octets a, octets b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline octets high_1(octets a, octets b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}
static inline octets low_2(octets a, octets b) {
    return (octets)__builtin_shufflevector((pairs)a, (pairs)b, 0, 8, 1, 9, 2, 10, 3, 11);
}
static inline octets high_2(octets a, octets b) {
    return (octets)__builtin_shufflevector((pairs)a, (pairs)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
static inline octets low_4(octets a, octets b) {
    return (octets)__builtin_shufflevector((quads)a, (quads)b, 0, 4, 1, 5);
}
static inline octets high_4(octets a, octets b) {
    return (octets)__builtin_shufflevector((quads)a, (quads)b, 2, 6, 3, 7);
}
static inline octets low_8(octets a, octets b) {
    return (octets)__builtin_shufflevector((halves)a, (halves)b, 0, 2);
}
static inline octets high_8(octets a, octets b) {
    return (octets)__builtin_shufflevector((halves)a, (halves)b, 1, 3);
}

static inline __attribute__((always_inline)) octets low_16(octets a, octets b, int64_t size) {
    return size == 1   ? low_1(a, b)
           : size == 2 ? low_2(a, b)
           : size == 4 ? low_4(a, b)
                       : low_8(a, b);
}
static inline __attribute__((always_inline)) octets high_16(octets a, octets b, int64_t size) {
    return size == 1   ? high_1(a, b)
           : size == 2 ? high_2(a, b)
           : size == 4 ? high_4(a, b)
                       : high_8(a, b);
}
/* 16 bytes from each of so many lines as fit into a vector. */
static inline octets lanes_16(const char *from, int64_t apart) {
    octets x;
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
static inline __m512i lanes_64(const char *from, int64_t apart) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(lanes_32(from, apart)),
                              lanes_32(from + 2 * apart, apart), 1);
}
#endif

#endif
