/* Sums of a row of bytes: eight of them become one lane of 64 bits in a single instruction, where
 * there is one, and nothing is widened. For rows of VB bytes and more. */
#ifndef NOMEN_SRC_ROW_BYTES_H
#define NOMEN_SRC_ROW_BYTES_H

#include "kernels/simd/simd.h"

typedef uint8_t row_bytes __attribute__((vector_size(VB), aligned(1), may_alias));

/* In each lane of 64 bits the sum of its eight bytes. */
static inline vu64 sum_of_eights(row_bytes x) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    return (vu64)_mm512_sad_epu8((__m512i)x, _mm512_setzero_si512());
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
    return (vu64)_mm256_sad_epu8((__m256i)x, _mm256_setzero_si256());
#else
    const vu64 low = (vu64){0} + UINT64_C(0x00ff00ff00ff00ff);
    vu64 sum = ((vu64)x & low) + ((vu64)x >> 8 & low);
    sum += sum >> 32;
    return (sum + (sum >> 16)) & 0xffff;
#endif
}

/* What is added up: bytes, bytes with a sign (as numbers from 0 on: 128 more each), or how many are
 * not 0. */
enum { BYTES_PLAIN, BYTES_SIGNED, BYTES_TRUE };
static inline __attribute__((always_inline)) row_bytes row_bytes_of(const uint8_t *x,
                                                                    const int kind) {
    const row_bytes v = *(const row_bytes *)x;
    if (kind == BYTES_SIGNED) return v ^ 0x80;
    return kind == BYTES_TRUE ? (row_bytes)((row_bytes)(v != 0) & 1) : v;
}

/* Of n >= VB bytes; of the last vector the bytes that were in the one before it are left out. */
static inline __attribute__((always_inline)) int64_t sum_row_bytes(const void *row, int64_t n,
                                                                   const int kind) {
    const uint8_t *const x = row;
    vu64 s[4] = {{0}, {0}, {0}, {0}};
    int64_t j = 0;
    for (; j + 4 * VB <= n; j += 4 * VB)
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) s[k] += sum_of_eights(row_bytes_of(x + j + k * VB, kind));
    for (; j + VB <= n; j += VB) s[0] += sum_of_eights(row_bytes_of(x + j, kind));
    if (j < n) {
        row_bytes place;
        for (int i = 0; i < VB; i++) place[i] = (uint8_t)i;
        const row_bytes new = (row_bytes)(place >= (uint8_t)(VB - (n - j)));
        s[1] += sum_of_eights(row_bytes_of(x + n - VB, kind) & new);
    }
    s[0] += s[1] + (s[2] + s[3]);
    int64_t sum = kind == BYTES_SIGNED ? -128 * n : 0;
    for (int l = 0; l < W64; l++) sum += (int64_t)s[0][l];
    return sum;
}

/* FOLD_ROW of reduce_fold.h for bytes, if BYTE_ROWS says that these are added up. */
#define BYTES_ROW(x, n, kind) ((n) < VB ? FN(fold_few)(x, n) : sum_row_bytes(x, n, kind))

#endif
