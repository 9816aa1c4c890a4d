/* The sum of a row of float32 in 64 lanes of float32, which are joined in double, in halves. The
 * end of a row goes to the first lanes, by whole vectors and a part of one: rows of hundreds are
 * not many times longer than their end. The lanes and the order are the same in every ISA. */
#ifndef NOMEN_SRC_SUM_LANES_H
#define NOMEN_SRC_SUM_LANES_H

#include "kernels/simd/simd.h"

enum { SUM_LANES = 64, SUM_VECTORS = SUM_LANES / W32 };

/* Of n >= SUM_LANES elements. */
static inline double sum_lanes(const float *x, int64_t n) {
    vf32 s[SUM_VECTORS];
    vf64 d[2 * SUM_VECTORS];
    double last[W64] __attribute__((aligned(64)));
    int64_t j = 0;
#pragma GCC unroll 16
    for (int v = 0; v < SUM_VECTORS; v++) s[v] = (vf32){0};
    for (; j + SUM_LANES <= n; j += SUM_LANES)
#pragma GCC unroll 16
        for (int v = 0; v < SUM_VECTORS; v++) s[v] += ld_f32(x + j + v * W32);
#pragma GCC unroll 16
    for (int v = 0; v < SUM_VECTORS; v++, j += W32)
        if (j + W32 <= n)
            s[v] += ld_f32(x + j);
        else if (j < n)
            s[v] += ld_f32_n(x + j, n - j);
#pragma GCC unroll 16
    for (int v = 0; v < SUM_VECTORS; v++) {
        d[2 * v] = v_low_f64(s[v]);
        d[2 * v + 1] = v_high_f64(s[v]);
    }
#pragma GCC unroll 8
    for (int half = SUM_VECTORS; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) d[i] += d[i + half];
    st_f64(last, d[0]);
#pragma GCC unroll 8
    for (int half = W64 / 2; half; half /= 2)
        for (int l = 0; l < half; l++) last[l] += last[l + half];
    return last[0];
}

#endif
