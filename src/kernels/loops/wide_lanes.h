/* What a row of float32 comes to in 32 lanes of double, which are joined in halves; a short one has
 * 16, as joining the lanes takes as long as a hundred elements. The end of a row goes to the first
 * lanes. The lanes and the order are the same in every ISA. */
#ifndef NOMEN_SRC_WIDE_LANES_H
#define NOMEN_SRC_WIDE_LANES_H

#include "kernels/loops/reduce.h"

enum { WIDE_LANES = 32, WIDE_FEW = 16, WIDE_MANY = 128, WIDE_VECTORS = WIDE_LANES / W64 };

/* The first k lanes and, behind them, zeros. */
static inline vf64 wide_first(const float *x, int64_t k) {
    return __builtin_convertvector(v_low(ld_f32_n(x, k)), vf64);
}
/* The same with ones. */
static inline vf64 wide_first_one(const float *x, int64_t k) {
    static const int64_t ones[2 * W64] = {[W64... 2 * W64 - 1] = 0x3ff0000000000000};
    vi64 rest;
    memcpy(&rest, ones + W64 - k, sizeof rest);
    return (vf64)((vi64)wide_first(x, k) | rest);
}

/* What is left in a vector when whole ones have been joined, of n >= lanes elements: join is
 * associative, of makes of elements what is joined, and of those of first(x, k) behind the k-th
 * what changes nothing. */
static inline __attribute__((always_inline)) vf64
wide_left_of(const float *x, int64_t n, const int lanes, vf64 (*const join)(vf64, vf64),
             vf64 (*const of)(vf64), vf64 (*const first)(const float *, int64_t)) {
    const int vectors = lanes / W64;
    vf64 s[WIDE_VECTORS];
    int64_t j = lanes;
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) s[v] = of(widen_f32(x + v * W64));
    for (; j + lanes <= n; j += lanes)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) s[v] = join(s[v], of(widen_f32(x + j + v * W64)));
    if (j < n) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++, j += W64)
            if (j + W64 <= n)
                s[v] = join(s[v], of(widen_f32(x + j)));
            else if (j < n)
                s[v] = join(s[v], of(first(x + j, n - j)));
    }
#pragma GCC unroll 8
    for (int half = vectors / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] = join(s[i], s[i + half]);
    return s[0];
}
/* Of n >= WIDE_LANES elements. */
static inline __attribute__((always_inline)) vf64
wide_left(const float *x, int64_t n, vf64 (*const join)(vf64, vf64), vf64 (*const of)(vf64),
          vf64 (*const first)(const float *, int64_t)) {
    return n < WIDE_MANY ? wide_left_of(x, n, WIDE_FEW, join, of, first)
                         : wide_left_of(x, n, WIDE_LANES, join, of, first);
}
static inline __attribute__((always_inline)) double
wide_lanes(const float *x, int64_t n, vf64 (*const join)(vf64, vf64), vf64 (*const of)(vf64),
           vf64 (*const first)(const float *, int64_t)) {
    double last[W64] __attribute__((aligned(64)));
    st_f64(last, wide_left(x, n, join, of, first));
#pragma GCC unroll 8
    for (int half = W64 / 2; half; half /= 2)
        for (int l = 0; l < half; l++) {
            const vf64 a = {last[l]}, b = {last[l + half]};
            last[l] = join(a, b)[0];
        }
    return last[0];
}

static inline vf64 wide_itself(vf64 x) { return x; }
static inline vf64 wide_plus(vf64 a, vf64 b) { return a + b; }
static inline vf64 wide_times(vf64 a, vf64 b) { return a * b; }

#endif
