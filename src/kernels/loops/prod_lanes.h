/* The product of a row of float32 in 32 lanes of double, which are joined in halves. The end of a
 * row goes to the first lanes. The lanes and the order are the same in every ISA. */
#ifndef NOMEN_SRC_PROD_LANES_H
#define NOMEN_SRC_PROD_LANES_H

#include "kernels/loops/reduce.h"

enum { PROD_LANES = 32, PROD_VECTORS = PROD_LANES / W64 };

/* Of n >= PROD_LANES elements. */
static inline double prod_lanes(const float *x, int64_t n) {
    vf64 s[PROD_VECTORS];
    double last[W64] __attribute__((aligned(64)));
    int64_t j = PROD_LANES;
#pragma GCC unroll 16
    for (int v = 0; v < PROD_VECTORS; v++) s[v] = widen_f32(x + v * W64);
    for (; j + PROD_LANES <= n; j += PROD_LANES)
#pragma GCC unroll 16
        for (int v = 0; v < PROD_VECTORS; v++) s[v] *= widen_f32(x + j + v * W64);
#pragma GCC unroll 16
    for (int v = 0; v < PROD_VECTORS; v++, j += W64)
        if (j + W64 <= n) {
            s[v] *= widen_f32(x + j);
        } else if (j < n) {
            float few[W64] __attribute__((aligned(64)));
            for (int l = 0; l < W64; l++) few[l] = j + l < n ? x[j + l] : 1;
            s[v] *= widen_f32(few);
        }
#pragma GCC unroll 8
    for (int half = PROD_VECTORS / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] *= s[i + half];
    st_f64(last, s[0]);
#pragma GCC unroll 8
    for (int half = W64 / 2; half; half /= 2)
        for (int l = 0; l < half; l++) last[l] *= last[l + half];
    return last[0];
}

#endif
