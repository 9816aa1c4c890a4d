/* The product of a row of float32 in lanes of double, or of a row of complex numbers in 16 lanes of
 * two double, which are joined in halves. The end of a row goes to the first lanes. The lanes and
 * the order are the same in every ISA. */
#ifndef NOMEN_SRC_PROD_LANES_H
#define NOMEN_SRC_PROD_LANES_H

#include "kernels/loops/complex_wide.h"
#include "kernels/loops/wide_lanes.h"

/* Of n >= WIDE_LANES elements. */
static inline double prod_lanes(const float *x, int64_t n) {
    return wide_lanes(x, n, wide_times, wide_itself, wide_first_one);
}

/* Doubles to float16, rounded once, as narrow_odd_f16 has it, in registers: what is subnormal in
 * float32 needs no care, since all of it is 0 in float16. */
static inline vf64 prod_odd(vf64 x) {
    const vu64 beyond = (vu64){0} + ((UINT64_C(1) << 29) - 1), bits = (vu64)x;
    return (vf64)((bits & ~beyond) | (((bits & beyond) + beyond) & ~beyond));
}
static inline void odd_to_f16(const double *y, uint16_t *to, int64_t n) {
    int64_t i = 0;
    for (; i + W32 <= n; i += W32)
        st_f16(to + i, v_narrow_f64(prod_odd(ld_f64(y + i)), prod_odd(ld_f64(y + i + W64))));
    if (i < n) narrow_odd_f16(y + i, to + i, n - i);
}
static inline void odd_to_bf16(const double *y, uint16_t *to, int64_t n) {
    narrow_odd_bf16(y, to, n);
}

/* Rows of float32 of at least as many, without gaps, a vector of them at a time: what is left of
 * each is turned over, and the last joins serve all of them. How many rows. */
static inline int64_t prod_rows_f32(double *acc, const nomen__reduce_step *s) {
    int64_t r = 0;
    for (; r + W64 <= s->n_acc; r += W64) {
        vf64 x[W64];
        for (int i = 0; i < W64; i++)
            x[i] = wide_left((const float *)(const void *)(s->in + (r + i) * s->acc_step), s->n_red,
                             wide_times, wide_itself, wide_first_one);
        v_turn_f64(x);
#pragma GCC unroll 4
        for (int half = W64 / 2; half; half /= 2)
#pragma GCC unroll 4
            for (int i = 0; i < half; i++) x[i] *= x[i + half];
        st_f64(acc + r, ld_f64(acc + r) * x[0]);
    }
    return r;
}

/* The first k of as many numbers as a vector has, and ones. */
static inline vu64 prod_first(const int64_t *p, int64_t k) {
    static const uint64_t ones[2 * W64] = {[W64... 2 * W64 - 1] = 1};
    vu64 rest;
    memcpy(&rest, ones + W64 - k, sizeof rest);
    return (vu64)ld_f64_n(p, k) | rest;
}

/* The product, number by number, of groups of PROD_NUMBERS complex numbers of so many bytes: many
 * of them are worth taking parts apart. */
enum { PROD_NUMBERS = WIDE_LANES / 2, PROD_MANY = 4 };
static inline __attribute__((always_inline)) void prod_groups(const char *p, int64_t groups,
                                                              vf64 *s, const int bytes) {
    enum { VECTORS = PROD_NUMBERS / W64 };
    const int size = W64 * bytes;
    vc64 z[VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) z[v] = parts_get(p + v * size, bytes);
    while (--groups) {
        p += VECTORS * size;
#pragma GCC unroll 8
        for (int v = 0; v < VECTORS; v++) z[v] = parts_times(parts_get(p + v * size, bytes), z[v]);
    }
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) {
        s[2 * v] = v_pairs_even(z[v].re, z[v].im);
        s[2 * v + 1] = v_pairs_odd(z[v].re, z[v].im);
    }
}

/* Of n >= PROD_NUMBERS complex numbers of so many bytes, what is left when whole vectors have been
 * joined; many: of at least PROD_MANY groups. */
static inline __attribute__((always_inline)) vf64 prod_joined(const void *x, int64_t n,
                                                              const int bytes, const bool many) {
    const char *p = x;
    vf64 s[WIDE_VECTORS];
    if (many) {
        const int64_t groups = n / PROD_NUMBERS;
        prod_groups(p, groups, s, bytes);
        n -= groups * PROD_NUMBERS;
        p += groups * PROD_NUMBERS * bytes;
    } else {
#pragma GCC unroll 16
        for (int v = 0; v < WIDE_VECTORS; v++, p += WIDE_NUMBERS * bytes)
            s[v] = wide_get(p, bytes, WIDE_NUMBERS);
        for (n -= PROD_NUMBERS; n >= PROD_NUMBERS; n -= PROD_NUMBERS)
#pragma GCC unroll 16
            for (int v = 0; v < WIDE_VECTORS; v++, p += WIDE_NUMBERS * bytes)
                s[v] = c_mul_f64(wide_get(p, bytes, WIDE_NUMBERS), s[v]);
    }
#pragma GCC unroll 16
    for (int v = 0; v < WIDE_VECTORS; v++, n -= WIDE_NUMBERS, p += WIDE_NUMBERS * bytes) {
        if (n <= 0) break;
        /* not times 1: infinity would become NaN */
        s[v] = wide_mix(c_mul_f64(wide_get(p, bytes, n), s[v]), s[v], n);
    }
#pragma GCC unroll 8
    for (int half = WIDE_VECTORS / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] = c_mul_f64(s[i], s[i + half]);
    return s[0];
}
static APART vf64 prod_many_c64(const void *x, int64_t n) {
    return prod_joined(x, n, sizeof(c64), true);
}
static APART vf64 prod_many_c128(const void *x, int64_t n) {
    return prod_joined(x, n, sizeof(c128), true);
}
static inline __attribute__((always_inline)) vf64 prod_vector(const void *x, int64_t n,
                                                              const int bytes) {
    if (n < PROD_MANY * PROD_NUMBERS) return prod_joined(x, n, bytes, false);
    return bytes == sizeof(c64) ? prod_many_c64(x, n) : prod_many_c128(x, n);
}

/* The product of n >= PROD_NUMBERS. */
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
