/* Four 4-byte elements of each of QUADS rows in one vector, and squares of four by four turned over
 * in all of them at once. */
#ifndef NOMEN_SRC_SIMD_QUADS_H
#define NOMEN_SRC_SIMD_QUADS_H

#include "kernels/simd/simd.h"

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
enum { QUADS = 4 };
typedef vu32 quads_u32;
typedef vu64 quads_u64;
#define QUADS_LOW(a, b)                                                                            \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define QUADS_HIGH(a, b)                                                                           \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define QUADS_FIRST(a, b)                                                                          \
    __builtin_shufflevector((quads_u64)(a), (quads_u64)(b), 0, 8, 2, 10, 4, 12, 6, 14)
#define QUADS_SECOND(a, b)                                                                         \
    __builtin_shufflevector((quads_u64)(a), (quads_u64)(b), 1, 9, 3, 11, 5, 13, 7, 15)
/* Rows `step` bytes apart. */
static inline quads_u32 quads_load(const char *p, int64_t step) {
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)p));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(p + step)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(p + 2 * step)), 2);
    return (quads_u32)_mm512_inserti32x4(x, _mm_loadu_si128((const void *)(p + 3 * step)), 3);
}
static inline void quads_store(char *p, int64_t step, quads_u32 x) {
    const __m512i v = (__m512i)x;
    _mm_storeu_si128((void *)p, _mm512_castsi512_si128(v));
    _mm_storeu_si128((void *)(p + step), _mm512_extracti32x4_epi32(v, 1));
    _mm_storeu_si128((void *)(p + 2 * step), _mm512_extracti32x4_epi32(v, 2));
    _mm_storeu_si128((void *)(p + 3 * step), _mm512_extracti32x4_epi32(v, 3));
}
#else
enum { QUADS = 1 };
typedef uint32_t quads_u32 __attribute__((vector_size(16)));
typedef uint64_t quads_u64 __attribute__((vector_size(16)));
#define QUADS_LOW(a, b)    __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define QUADS_HIGH(a, b)   __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define QUADS_FIRST(a, b)  __builtin_shufflevector((quads_u64)(a), (quads_u64)(b), 0, 2)
#define QUADS_SECOND(a, b) __builtin_shufflevector((quads_u64)(a), (quads_u64)(b), 1, 3)
static inline quads_u32 quads_load(const char *p, int64_t step) {
    quads_u32 x;
    (void)step;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline void quads_store(char *p, int64_t step, quads_u32 x) {
    (void)step;
    memcpy(p, &x, sizeof x);
}
#endif

/* Vector k has four elements of rows k, k + 4, ...; afterwards element k of rows 0, 1, 2, ..., and
 * back. */
static inline __attribute__((always_inline)) void quads_turn(quads_u32 x[4]) {
    const quads_u32 ab = QUADS_LOW(x[0], x[1]), cd = QUADS_LOW(x[2], x[3]);
    const quads_u32 AB = QUADS_HIGH(x[0], x[1]), CD = QUADS_HIGH(x[2], x[3]);
    x[0] = (quads_u32)QUADS_FIRST(ab, cd);
    x[1] = (quads_u32)QUADS_SECOND(ab, cd);
    x[2] = (quads_u32)QUADS_FIRST(AB, CD);
    x[3] = (quads_u32)QUADS_SECOND(AB, CD);
}

#endif
