/* The product of a row of float32 as a pair of floats per lane, which keeps some 46 digits: a
 * product, and what its rounding lost. To widen each element to double takes longer than to read
 * it. Lanes in which a product may lose more (it nears the end of the range, or is no number) show
 * in the least product of each, and are multiplied in double. The lanes and the order of the
 * operations are the same in every ISA. */
#ifndef NOMEN_SRC_PROD_PAIRS_H
#define NOMEN_SRC_PROD_PAIRS_H

#include "kernels/simd/simd.h"

/* PAIR_VECTORS are in registers together; PAIR_WORTH elements are worth it. */
enum { PAIR_LANES = 64, PAIR_ROUNDS = 32, PAIR_VECTORS = 4, PAIR_WORTH = 2048 };

/* The lesser of a and |b|, in one step where there is one; of NaN, a. */
static inline vf32 pair_least(vf32 a, vf32 b) {
#if VB == 64
    return (vf32)_mm512_range_ps((__m512)a, (__m512)b, 0xa);
#else
    return v_lesser_f32(v_abs_f32(b), a);
#endif
}

/* x y - p, exactly, for p = x y rounded. */
static inline vf32 pair_lost(vf32 x, vf32 y, vf32 p) {
#if SIMD_FMA
    return v_fma_f32(x, y, -p);
#else
    vf32 lost;
    for (int i = 0; i < W32; i++) lost[i] = (float)((double)x[i] * (double)y[i] - (double)p[i]);
    return lost;
#endif
}

/* The lanes of some vectors from x on, in rounds PAIR_LANES apart, become factors of s. */
static inline __attribute__((always_inline)) void pair_rounds(const float *x, int64_t rounds,
                                                              double *s) {
    vf32 high[PAIR_VECTORS], low[PAIR_VECTORS], least = v_set_f32(1);
    for (int v = 0; v < PAIR_VECTORS; v++) {
        high[v] = ld_f32(x + v * W32);
        low[v] = (vf32){0};
        least = pair_least(least, high[v]);
    }
    for (int64_t r = 1; r < rounds; r++)
        for (int v = 0; v < PAIR_VECTORS; v++) {
            const vf32 one = ld_f32(x + r * PAIR_LANES + v * W32), p = high[v] * one;
            low[v] = low[v] * one + pair_lost(high[v], one, p);
            high[v] = p;
            least = pair_least(least, p);
        }
    vi32 bad = least < 0x1p-90f;
    for (int v = 0; v < PAIR_VECTORS; v++) bad |= ~(v_abs_f32(high[v]) < 0x1p120f);
    if (__builtin_expect(v_any32(bad), 0)) {
        for (int64_t r = 0; r < rounds; r++)
            for (int l = 0; l < PAIR_VECTORS * W32; l++) s[l] *= (double)x[r * PAIR_LANES + l];
        return;
    }
    for (int v = 0; v < PAIR_VECTORS; v++) {
        double *const to = s + v * W32;
        st_f64(to, ld_f64(to) * (v_low_f64(high[v]) + v_low_f64(low[v])));
        st_f64(to + W64, ld_f64(to + W64) * (v_high_f64(high[v]) + v_high_f64(low[v])));
    }
}

/* Of n >= PAIR_LANES elements. */
static inline double pair_product(const float *x, int64_t n) {
    enum { AT_ONCE = PAIR_VECTORS * W32 };
    double s[PAIR_LANES] __attribute__((aligned(64))), rest = 1;
    int64_t j = 0;
    for (int l = 0; l < PAIR_LANES; l++) s[l] = 1;
    for (int64_t rounds; n - j >= PAIR_LANES; j += rounds * PAIR_LANES) {
        rounds = (n - j) / PAIR_LANES;
        if (rounds > PAIR_ROUNDS) rounds = PAIR_ROUNDS;
        for (int l = 0; l < PAIR_LANES; l += AT_ONCE) pair_rounds(x + j + l, rounds, s + l);
    }
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) s[l] *= (double)x[j + l];
    for (; j < n; j++) rest *= (double)x[j];
    for (int k = 8; k < PAIR_LANES; k += 8)
        for (int l = 0; l < 8; l++) s[l] *= s[k + l];
    for (int l = 0; l < 4; l++) s[l] *= s[l + 4];
    return s[0] * s[2] * (s[1] * s[3]) * rest;
}

#endif
