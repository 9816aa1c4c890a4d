/* Squares of W32 x W32 and W64 x W64 elements turned over in registers: afterwards x[i] holds what
 * were elements i of all. */
#ifndef NOMEN_SRC_SIMD_TURN_H
#define NOMEN_SRC_SIMD_TURN_H

#include "kernels/simd/simd.h"

/* Two vectors shuffled like cards, lower and upper half of the pack. As often as halving W takes to
 * come to 1, vector i with vector i + W / 2, this turns a square over. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#define TURN_LOW_32(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TURN_HIGH_32(a, b)                                                                         \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TURN_LOW_64(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define TURN_HIGH_64(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define TURN_LOW_32(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define TURN_HIGH_32(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
/* gcc 12 does not find these two steps by itself */
#define TURN_EVEN(a, b)    __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define TURN_ODD(a, b)     __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define TURN_LOW_64(a, b)  __builtin_shufflevector(TURN_EVEN(a, b), TURN_ODD(a, b), 0, 1, 4, 5)
#define TURN_HIGH_64(a, b) __builtin_shufflevector(TURN_EVEN(a, b), TURN_ODD(a, b), 2, 3, 6, 7)
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
