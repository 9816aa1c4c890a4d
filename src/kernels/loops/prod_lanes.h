/* The product of a row of float32 in 32 lanes of double (16 for short ones: joining the lanes takes
 * as long as a hundred elements), or of a row of complex numbers in 16 lanes of two double, which
 * are joined in halves. The end of a row goes to the first lanes. The lanes and the order are the
 * same in every ISA. */
#ifndef NOMEN_SRC_PROD_LANES_H
#define NOMEN_SRC_PROD_LANES_H

#include "kernels/loops/complex_wide.h"

enum { PROD_LANES = 32, PROD_FEW = 16, PROD_MANY = 128, PROD_VECTORS = PROD_LANES / W64 };

/* The first k lanes and, behind them, ones. */
static inline vf64 prod_few(const float *x, int64_t k) {
    static const int64_t ones[2 * W64] = {[W64... 2 * W64 - 1] = 0x3ff0000000000000};
    vi64 rest;
    memcpy(&rest, ones + W64 - k, sizeof rest);
    return (vf64)((vi64) __builtin_convertvector(v_low(ld_f32_n(x, k)), vf64) | rest);
}

/* Of n >= lanes elements. */
static inline __attribute__((always_inline)) double prod_lanes_of(const float *x, int64_t n,
                                                                  const int lanes) {
    const int vectors = lanes / W64;
    vf64 s[PROD_VECTORS];
    double last[W64] __attribute__((aligned(64)));
    int64_t j = lanes;
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) s[v] = widen_f32(x + v * W64);
    for (; j + lanes <= n; j += lanes)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) s[v] *= widen_f32(x + j + v * W64);
    if (j < n) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++, j += W64)
            if (j + W64 <= n)
                s[v] *= widen_f32(x + j);
            else if (j < n)
                s[v] *= prod_few(x + j, n - j);
    }
#pragma GCC unroll 8
    for (int half = vectors / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] *= s[i + half];
    st_f64(last, s[0]);
#pragma GCC unroll 8
    for (int half = W64 / 2; half; half /= 2)
        for (int l = 0; l < half; l++) last[l] *= last[l + half];
    return last[0];
}
static inline double prod_lanes(const float *x, int64_t n) {
    return n < PROD_MANY ? prod_lanes_of(x, n, PROD_FEW) : prod_lanes_of(x, n, PROD_LANES);
}

/* Of n >= PROD_NUMBERS complex numbers of so many bytes: what is left when whole vectors have been
 * joined, and the product. */
enum { PROD_NUMBERS = PROD_LANES / 2 };
static inline __attribute__((always_inline)) vf64 prod_vector(const void *x, int64_t n,
                                                              const int bytes) {
    const char *p = x;
    vf64 s[PROD_VECTORS];
#pragma GCC unroll 16
    for (int v = 0; v < PROD_VECTORS; v++, p += WIDE_NUMBERS * bytes)
        s[v] = wide_get(p, bytes, WIDE_NUMBERS);
    for (n -= PROD_NUMBERS; n >= PROD_NUMBERS; n -= PROD_NUMBERS)
#pragma GCC unroll 16
        for (int v = 0; v < PROD_VECTORS; v++, p += WIDE_NUMBERS * bytes)
            s[v] = c_mul_f64(wide_get(p, bytes, WIDE_NUMBERS), s[v]);
#pragma GCC unroll 16
    for (int v = 0; v < PROD_VECTORS; v++, n -= WIDE_NUMBERS, p += WIDE_NUMBERS * bytes) {
        if (n <= 0) break;
        /* not times 1: infinity would become NaN */
        s[v] = wide_mix(c_mul_f64(wide_get(p, bytes, n), s[v]), s[v], n);
    }
#pragma GCC unroll 8
    for (int half = PROD_VECTORS / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] = c_mul_f64(s[i], s[i + half]);
    return s[0];
}
static inline __attribute__((always_inline)) c128 prod_pairs(const void *x, int64_t n,
                                                             const int bytes) {
    c128 last[WIDE_NUMBERS];
    st_f64(last, prod_vector(x, n, bytes));
    for (int half = WIDE_NUMBERS / 2; half; half /= 2)
        for (int l = 0; l < half; l++) last[l] = c_times(last[l], last[l + half]);
    return last[0];
}

/* Rows without gaps, as many at a time as a vector holds complex numbers: what is left of each is
 * turned over, and the last joins serve all of them. How many rows. */
static inline __attribute__((always_inline)) int64_t prod_rows(c128 *acc,
                                                               const nomen__reduce_step *s,
                                                               const int bytes) {
    int64_t r = 0;
    for (; WIDE_NUMBERS > 1 && r + WIDE_NUMBERS <= s->n_acc; r += WIDE_NUMBERS) {
        vf64 x[WIDE_NUMBERS];
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++)
            x[i] = prod_vector(s->in + (r + i) * s->acc_step, s->n_red, bytes);
        v_turn_c128(x);
#pragma GCC unroll 2
        for (int half = WIDE_NUMBERS / 2; half; half /= 2)
#pragma GCC unroll 2
            for (int i = 0; i < half; i++) x[i] = c_mul_f64(x[i], x[i + half]);
        st_f64(acc + r, c_mul_f64(ld_f64(acc + r), x[0]));
    }
    return r;
}

#endif
