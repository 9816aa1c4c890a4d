/* Squares of complex numbers, as many vectors as one has numbers, turned over in registers. */
#ifndef NOMEN_SRC_SIMD_TURN_PAIRS_H
#define NOMEN_SRC_SIMD_TURN_PAIRS_H

#include "kernels/simd/turn.h"

static inline __attribute__((always_inline)) void v_turn_c64(vf32 x[W64]) {
    vu64 y[W64];
#pragma GCC unroll 8
    for (int i = 0; i < W64; i++) y[i] = (vu64)x[i];
    v_turn_u64(y);
#pragma GCC unroll 8
    for (int i = 0; i < W64; i++) x[i] = (vf32)y[i];
}

static inline __attribute__((always_inline)) void v_turn_c128(vf64 x[W64 / 2]) {
#if VB == 64
#pragma GCC unroll 2
    for (int round = 0; round < 2; round++) {
        const vf64 a = x[0], b = x[1], c = x[2], d = x[3];
        x[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 2, 3, 10, 11);
        x[1] = __builtin_shufflevector(a, c, 4, 5, 12, 13, 6, 7, 14, 15);
        x[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 2, 3, 10, 11);
        x[3] = __builtin_shufflevector(b, d, 4, 5, 12, 13, 6, 7, 14, 15);
    }
#elif VB == 32
    const vf64 a = x[0], b = x[1];
    x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
    (void)x; /* one number */
#endif
}

#endif
