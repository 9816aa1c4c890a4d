/* Squares of W16 x W16, W32 x W32 and W64 x W64 elements turned over in registers: afterwards x[i]
 * holds what were elements i of all. */
#ifndef NOMEN_SRC_SIMD_TURN_H
#define NOMEN_SRC_SIMD_TURN_H

#include "kernels/simd/words.h"

/* Of squares of 8 x 8 and 4 x 4 a vector has halves of its own, in which each step is one shuffle;
 * on every instruction set. */
typedef uint32_t turn_u32x8 __attribute__((vector_size(32)));
typedef uint64_t turn_u64x4 __attribute__((vector_size(32)));
#define TURN_LOW_PAIRS(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define TURN_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)

static inline __attribute__((always_inline)) void turn_8_u32(turn_u32x8 x[8]) {
    turn_u32x8 y[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) { /* rows i and i + 1: pairs of each column */
        y[i] = TURN_LOW_PAIRS(x[i], x[i + 1]);
        y[i + 1] = TURN_HIGH_PAIRS(x[i], x[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 4) /* pairs of rows: fours of a column */
        for (int k = 0; k < 2; k++) {
            const turn_u32x8 a = y[i + k], b = y[i + k + 2];
            x[i + 2 * k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            x[i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        y[i] = __builtin_shufflevector(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        y[i + 4] = __builtin_shufflevector(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) x[i] = y[i];
}

static inline __attribute__((always_inline)) void turn_4_u64(turn_u64x4 x[4]) {
    const turn_u64x4 a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const turn_u64x4 b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const turn_u64x4 c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const turn_u64x4 d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
static inline __attribute__((always_inline)) void v_turn_u32(vu32 x[W32]) { turn_8_u32(x); }
static inline __attribute__((always_inline)) void v_turn_u64(vu64 x[W64]) { turn_4_u64(x); }
#else
/* Two vectors shuffled like cards, lower and upper half of the pack. As often as halving W takes to
 * come to 1, vector i with vector i + W / 2, this turns a square over. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#define TURN_LOW_32(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TURN_HIGH_32(a, b)                                                                         \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TURN_LOW_64(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define TURN_HIGH_64(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define TURN_LOW_32(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define TURN_HIGH_32(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define TURN_LOW_64(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define TURN_HIGH_64(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

static inline __attribute__((always_inline)) void v_turn_u32(vu32 x[W32]) {
#pragma GCC unroll 4
    for (int round = 1; round < W32; round *= 2) {
        vu32 y[W32];
#pragma GCC unroll 8
        for (int i = 0; i < W32 / 2; i++) {
            y[2 * i] = TURN_LOW_32(x[i], x[i + W32 / 2]);
            y[2 * i + 1] = TURN_HIGH_32(x[i], x[i + W32 / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < W32; i++) x[i] = y[i];
    }
}

static inline __attribute__((always_inline)) void v_turn_u64(vu64 x[W64]) {
#pragma GCC unroll 3
    for (int round = 1; round < W64; round *= 2) {
        vu64 y[W64];
#pragma GCC unroll 4
        for (int i = 0; i < W64 / 2; i++) {
            y[2 * i] = TURN_LOW_64(x[i], x[i + W64 / 2]);
            y[2 * i + 1] = TURN_HIGH_64(x[i], x[i + W64 / 2]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < W64; i++) x[i] = y[i];
    }
}
#endif

/* Squares of 16-bit elements as two of pairs of theirs, whose halves are parted afterwards. */
#if VB == 64
#define TURN_FIRST_16(a, b)                                                                        \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32,   \
                            34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62)
#define TURN_SECOND_16(a, b)                                                                       \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33,   \
                            35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63)
#elif VB == 32
#define TURN_FIRST_16(a, b)                                                                        \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define TURN_SECOND_16(a, b)                                                                       \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#else
#define TURN_FIRST_16(a, b)  __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define TURN_SECOND_16(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#endif

static inline __attribute__((always_inline)) void v_turn_u16(vu16 x[W16]) {
    vu32 y[W32], z[W32];
#pragma GCC unroll 16
    for (int i = 0; i < W32; i++) {
        y[i] = (vu32)x[i];
        z[i] = (vu32)x[W32 + i];
    }
    v_turn_u32(y);
    v_turn_u32(z);
#pragma GCC unroll 16
    for (int i = 0; i < W32; i++) {
        x[2 * i] = TURN_FIRST_16((vu16)y[i], (vu16)z[i]);
        x[2 * i + 1] = TURN_SECOND_16((vu16)y[i], (vu16)z[i]);
    }
}

static inline __attribute__((always_inline)) void v_turn_f32(vf32 x[W32]) {
    vu32 y[W32];
#pragma GCC unroll 16
    for (int i = 0; i < W32; i++) y[i] = (vu32)x[i];
    v_turn_u32(y);
#pragma GCC unroll 16
    for (int i = 0; i < W32; i++) x[i] = (vf32)y[i];
}

static inline __attribute__((always_inline)) void v_turn_f64(vf64 x[W64]) {
    vu64 y[W64];
#pragma GCC unroll 8
    for (int i = 0; i < W64; i++) y[i] = (vu64)x[i];
    v_turn_u64(y);
#pragma GCC unroll 8
    for (int i = 0; i < W64; i++) x[i] = (vf64)y[i];
}

#endif
