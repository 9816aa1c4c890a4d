/* The sum of a row of float32, or of a half type, in 64 lanes of float32, which are joined in
 * double, in halves. Joining them takes as long as hundreds of elements: short rows have 16 lanes,
 * none of which gets more elements than one of 64 does of a block. The end of a row goes to the
 * first lanes, by whole vectors and a part of one: rows of hundreds are not many times longer than
 * their end. The lanes and the order are the same in every ISA. */
#ifndef NOMEN_SRC_SUM_LANES_H
#define NOMEN_SRC_SUM_LANES_H

#include "kernels/loops/complex_number.h"
#include "kernels/loops/reduce.h"

enum { SUM_LANES = 64, SUM_FEW = 16, SUM_MANY = 256, SUM_VECTORS = SUM_LANES / W32 };

/* What is added of some elements: all of them, or 0 in the place of NaN. */
static inline vf32 sum_all(vf32 x) { return x; }
static inline vf32 sum_numbers(vf32 x) { return (vf32)((vi32)x & (x == x)); }

/* Of n elements of so many bytes, at least as many as lanes (SUM_LANES, or SUM_FEW), which are
 * loaded as float32: what is left when whole vectors have been joined. */
static inline __attribute__((always_inline)) vf64 sum_vector_of(
    const char *x, int64_t n, const int lanes, const int64_t size, vf32 (*const load)(const void *),
    vf32 (*const load_n)(const void *, int64_t), vf32 (*const taken)(vf32)) {
    const int vectors = lanes / W32;
    vf32 s[SUM_VECTORS];
    vf64 d[2 * SUM_VECTORS];
    int64_t j = 0;
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) s[v] = (vf32){0};
    for (; j + lanes <= n; j += lanes)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) s[v] += taken(load(x + (j + v * W32) * size));
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++, j += W32)
        if (j + W32 <= n)
            s[v] += taken(load(x + j * size));
        else if (j < n)
            s[v] += taken(load_n(x + j * size, n - j));
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
        d[2 * v] = v_low_f64(s[v]);
        d[2 * v + 1] = v_high_f64(s[v]);
    }
#pragma GCC unroll 8
    for (int half = vectors; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) d[i] += d[i + half];
    return d[0];
}
/* The sum of all lanes; with two parts those of even and of odd places apart. */
static inline __attribute__((always_inline)) c128 sum_last(vf64 x, const int parts) {
    double last[W64] __attribute__((aligned(64)));
    st_f64(last, x);
#pragma GCC unroll 8
    for (int half = W64 / 2; half >= parts; half /= 2)
        for (int l = 0; l < half; l++) last[l] += last[l + half];
    return (c128){last[0], last[1]};
}
static inline __attribute__((always_inline)) double
sum_lanes_of(const char *x, int64_t n, const int64_t size, vf32 (*const load)(const void *),
             vf32 (*const load_n)(const void *, int64_t), vf32 (*const taken)(vf32)) {
    return n < SUM_MANY ? sum_last(sum_vector_of(x, n, SUM_FEW, size, load, load_n, taken), 1).re
                        : sum_last(sum_vector_of(x, n, SUM_LANES, size, load, load_n, taken), 1).re;
}
static inline double sum_lanes(const float *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, sizeof *x, ld_f32, ld_f32_n, sum_all);
}
static inline double sum_lanes_f16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, sizeof *x, ld_f16, ld_f16_n, sum_all);
}
static inline double sum_lanes_bf16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, sizeof *x, ld_bf16, ld_bf16_n, sum_all);
}

static inline double nansum_lanes(const float *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, sizeof *x, ld_f32, ld_f32_n, sum_numbers);
}
static inline double nansum_lanes_f16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, sizeof *x, ld_f16, ld_f16_n, sum_numbers);
}
static inline double nansum_lanes_bf16(const uint16_t *x, int64_t n) {
    return sum_lanes_of((const char *)x, n, sizeof *x, ld_bf16, ld_bf16_n, sum_numbers);
}

/* Sums of complex numbers, what is left of them as above: of n >= SUM_FEW / 2 of complex64, and of
 * n >= PAIRS_FEW in double, in so many lanes of two numbers (or SUM_PAIRS), the end as above. */
static inline __attribute__((always_inline)) vf64 csum_vector(const c64 *x, int64_t n) {
    const char *p = (const char *)x;
    if (n < SUM_MANY / 2)
        return sum_vector_of(p, 2 * n, SUM_FEW, sizeof(float), ld_f32, ld_f32_n, sum_all);
    return sum_vector_of(p, 2 * n, SUM_LANES, sizeof(float), ld_f32, ld_f32_n, sum_all);
}
enum { PAIRS_FEW = 8, SUM_PAIRS = 16, PAIRS_EACH = W64 / 2, PAIR = sizeof(c128) };

typedef double pair_two __attribute__((vector_size(32)));

/* As many numbers as a vector holds, or the first n of them, `step` bytes apart. */
static inline __attribute__((always_inline)) vf64 pairs_at(const char *x, const int64_t step) {
    if (step == PAIR || PAIRS_EACH == 1) return ld_f64(x);
    pair p[PAIRS_EACH];
#pragma GCC unroll 4
    for (int k = 0; k < PAIRS_EACH; k++) memcpy(&p[k], x + k * step, sizeof p[k]);
#if VB == 64
    const pair_two low = __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3),
                   high = __builtin_shufflevector(p[2], p[3], 0, 1, 2, 3);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#elif VB == 32
    return __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3);
#else
    return (vf64)p[0];
#endif
}
static inline __attribute__((always_inline)) vf64 pairs_some(const char *x, const int64_t step,
                                                             int64_t n) {
    if (step == PAIR || n == 1) return ld_f64_n(x, 2 * n);
    c128 each[PAIRS_EACH] = {{0, 0}};
    for (int64_t k = 0; k < n; k++) memcpy(&each[k], x + k * step, PAIR);
    return ld_f64(each);
}
static inline __attribute__((always_inline)) void
pairs_whole(vf64 *s, const char *x, const int64_t step, const int vectors) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) s[v] += pairs_at(x + v * PAIRS_EACH * step, step);
}
/* The last n numbers, fewer than so many vectors hold. */
static inline __attribute__((always_inline)) void
pairs_rest(vf64 *s, const char *x, const int64_t step, int64_t n, const int vectors) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++, x += PAIRS_EACH * step, n -= PAIRS_EACH) {
        if (n < PAIRS_EACH) {
            if (n > 0) s[v] += pairs_some(x, step, n);
            break;
        }
        s[v] += pairs_at(x, step);
    }
}
static inline __attribute__((always_inline)) vf64 pairs_vector_of(const char *x, const int64_t step,
                                                                  int64_t n, const int pairs) {
    const int vectors = pairs / PAIRS_EACH;
    vf64 s[SUM_PAIRS / PAIRS_EACH];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) s[v] = pairs_at(x + v * PAIRS_EACH * step, step);
    for (n -= pairs, x += pairs * step; n >= pairs; n -= pairs, x += pairs * step)
        pairs_whole(s, x, step, vectors);
    /* Half of the vectors are asked for one by one: each question takes as long as a sum does. */
    if (n >= pairs / 2) {
        pairs_whole(s, x, step, vectors / 2);
        pairs_rest(s + vectors / 2, x + pairs / 2 * step, step, n - pairs / 2, vectors / 2);
    } else {
        pairs_rest(s, x, step, n, vectors / 2);
    }
#pragma GCC unroll 8
    for (int half = vectors / 2; half; half /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < half; i++) s[i] += s[i + half];
    return s[0];
}
static inline __attribute__((always_inline)) vf64 pairs_vector(const void *x, const int64_t step,
                                                               int64_t n) {
    return n < SUM_PAIRS ? pairs_vector_of(x, step, n, PAIRS_FEW)
                         : pairs_vector_of(x, step, n, SUM_PAIRS);
}

/* The sums of some rows, one in each lane, to as many accumulators. */
static inline void sum_take_f32(double *a, vf32 s) {
    st_f64(a, ld_f64(a) + (0.0 + v_low_f64(s)));
    st_f64(a + W64, ld_f64(a + W64) + (0.0 + v_high_f64(s)));
}
static inline void sum_take_f64(sum2 *a, vf64 s) { sums2_to(a, sums2_add(sums2_at(a), 0.0 + s)); }
/* n of them to as many others, each as sum2_add adds it. */
static inline void sum2_meet(sum2 *a, const sum2 *b, int64_t n) {
    int64_t i = 0;
    for (; i + W64 <= n; i += W64) {
        const sums2 more = sums2_at(b + i);
        sums2 s = sums2_add(sums2_at(a + i), more.hi);
        s.lo += more.lo;
        sums2_to(a + i, s);
    }
    for (; i < n; i++) {
        sum2_add(&a[i], b[i].hi);
        a[i].lo += b[i].lo;
    }
}

#endif
