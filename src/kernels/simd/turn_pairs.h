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
    const vf64 a = __builtin_shufflevector(x[0], x[1], 0, 1, 2, 3, 8, 9, 10, 11);
    const vf64 b = __builtin_shufflevector(x[0], x[1], 4, 5, 6, 7, 12, 13, 14, 15);
    const vf64 c = __builtin_shufflevector(x[2], x[3], 0, 1, 2, 3, 8, 9, 10, 11);
    const vf64 d = __builtin_shufflevector(x[2], x[3], 4, 5, 6, 7, 12, 13, 14, 15);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5, 8, 9, 12, 13);
    x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7, 10, 11, 14, 15);
    x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5, 8, 9, 12, 13);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7, 10, 11, 14, 15);
#elif VB == 32
    const vf64 a = V_LOWER_F64(x[0], x[1]);
    x[1] = V_UPPER_F64(x[0], x[1]);
    x[0] = a;
#else
    (void)x; /* a square of one */
#endif
}

#endif
