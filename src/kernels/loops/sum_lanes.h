/* The sum of a row of float32, or of a half type, in 64 lanes of float32, which are joined in
 * double, in halves. The end of a row goes to the first lanes, by whole vectors and a part of one:
 * rows of hundreds are not many times longer than their end. The lanes and the order are the same
 * in every ISA. */
#ifndef NOMEN_SRC_SUM_LANES_H
#define NOMEN_SRC_SUM_LANES_H

#include "kernels/loops/reduce.h"

enum { SUM_LANES = 64, SUM_VECTORS = SUM_LANES / W32 };

/* What is added of some elements: all of them, or 0 in the place of NaN. */
static inline vf32 sum_all(vf32 x) { return x; }
static inline vf32 sum_numbers(vf32 x) { return (vf32)((vi32)x & (x == x)); }

/* Of n >= SUM_LANES elements of so many bytes, which are loaded as float32; with two parts those of
 * even and of odd places apart. */
static inline __attribute__((always_inline)) c128 sum_lanes_of(
    const char *x, int64_t n, const int parts, const int64_t size, vf32 (*const load)(const void *),
    vf32 (*const load_n)(const void *, int64_t), vf32 (*const taken)(vf32)) {
    vf32 s[SUM_VECTORS];
    vf64 d[2 * SUM_VECTORS];
    double last[W64] __attribute__((aligned(64)));
    int64_t j = 0;
#pragma GCC unroll 16
    for (int v = 0; v < SUM_VECTORS; v++) s[v] = (vf32){0};
    for (; j + SUM_LANES <= n; j += SUM_LANES)
#pragma GCC unroll 16
        for (int v = 0; v < SUM_VECTORS; v++) s[v] += taken(load(x + (j + v * W32) * size));
#pragma GCC unroll 16
    for (int v = 0; v < SUM_VECTORS; v++, j += W32)
        if (j + W32 <= n)
            s[v] += taken(load(x + j * size));
        else if (j < n)
            s[v] += taken(load_n(x + j * size, n - j));
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
    for (int half = W64 / 2; half >= parts; half /= 2)
        for (int l = 0; l < half; l++) last[l] += last[l + half];
    return (c128){last[0], last[1]};
}
static inline double sum_lanes(const float *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, 1, sizeof *x, ld_f32, ld_f32_n, sum_all).re;
}
static inline double sum_lanes_f16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, 1, sizeof *x, ld_f16, ld_f16_n, sum_all).re;
}
static inline double sum_lanes_bf16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, 1, sizeof *x, ld_bf16, ld_bf16_n, sum_all).re;
}

static inline double nansum_lanes(const float *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, 1, sizeof *x, ld_f32, ld_f32_n, sum_numbers).re;
}
static inline double nansum_lanes_f16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, 1, sizeof *x, ld_f16, ld_f16_n, sum_numbers).re;
}
static inline double nansum_lanes_bf16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, 1, sizeof *x, ld_bf16, ld_bf16_n, sum_numbers).re;
}

/* Of n >= SUM_PAIRS complex numbers in double: in so many lanes of two, the end as above. */
enum { SUM_PAIRS = 16 };
static inline c128 sum_pairs(const c128 *x, int64_t n) {
    enum { VECTORS = 2 * SUM_PAIRS / W64, EACH = W64 / 2 };
    vf64 s[VECTORS];
    c128 last[EACH];
    int64_t j = 0;
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) s[v] = (vf64){0};
    for (; j + SUM_PAIRS <= n; j += SUM_PAIRS)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) s[v] += ld_f64(x + j + v * EACH);
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++, j += EACH)
        if (j + EACH <= n)
            s[v] += ld_f64(x + j);
        else if (j < n)
            s[v] += ld_f64_n(x + j, 2 * (n - j));
#pragma GCC unroll 8
    for (int half = VECTORS / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] += s[i + half];
    st_f64(last, s[0]);
#pragma GCC unroll 4
    for (int half = EACH / 2; half; half /= 2)
        for (int l = 0; l < half; l++)
            last[l] = (c128){last[l].re + last[l + half].re, last[l].im + last[l + half].im};
    return last[0];
}

/* The sums of some rows, one in each lane, to as many accumulators. */
static inline void sum_take_f32(double *a, vf32 s) {
    st_f64(a, ld_f64(a) + (0.0 + v_low_f64(s)));
    st_f64(a + W64, ld_f64(a + W64) + (0.0 + v_high_f64(s)));
}
static inline void sum_take_f64(sum2 *a, vf64 s) {
    const vf64 x = ld_f64(a), y = ld_f64(a + W64 / 2);
    const vf64 hi = V_EVEN_F64(x, y), more = 0.0 + s, t = hi + more, back = t - hi;
    const vf64 lo = V_ODD_F64(x, y) + ((hi - (t - back)) + (more - back)); /* as sum2_add */
    st_f64(a, V_MIX_LOW_F64(t, lo));
    st_f64(a + W64 / 2, V_MIX_HIGH_F64(t, lo));
}

#endif
