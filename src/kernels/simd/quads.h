/* Four 4-byte elements of each of QUADS rows in one vector, and squares of four by four turned over
 * in all of them at once. */
#ifndef NOMEN_SRC_SIMD_QUADS_H
#define NOMEN_SRC_SIMD_QUADS_H

#include "kernels/simd/interleave.h"

#if VB == 64
enum { QUADS = 4 };
typedef vu32 quads_u32;
typedef __m512i quads_bits;
#define QUADS_CARDS cards_64
/* Rows `step` bytes apart. */
static inline quads_u32 quads_load(const char *p, int64_t step) {
    return (quads_u32)lanes_64(p, step);
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
typedef lane_u32 quads_u32;
typedef lane_u8 quads_bits;
#define QUADS_CARDS cards_16
static inline quads_u32 quads_load(const char *p, int64_t step) {
    return (quads_u32)lanes_16(p, step);
}
static inline void quads_store(char *p, int64_t step, quads_u32 x) {
    (void)step;
    memcpy(p, &x, sizeof x);
}
#endif

/* Vector k has four elements of rows k, k + 4, ...; afterwards element k of rows 0, 1, 2, ..., and
 * back. */
static inline __attribute__((always_inline)) void quads_turn(quads_u32 x[4]) {
    quads_bits y[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) y[k] = (quads_bits)x[k];
    QUADS_CARDS(y, 4, 4);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) x[k] = (quads_u32)y[k];
}

#endif
