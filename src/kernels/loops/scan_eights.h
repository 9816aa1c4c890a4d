/* Running sums and products of numbers without gaps, in place, eight at a time: neighbours are
 * joined, then pairs, then fours, so that nothing waits for the element before it. The order of the
 * operations is the same in every ISA; where a vector holds all eight they are done side by side.
 */
#ifndef NOMEN_SRC_SCAN_EIGHTS_H
#define NOMEN_SRC_SCAN_EIGHTS_H

#include "kernels/simd/simd.h"

#if VB == 64

/* Lanes 8 to 15 of a shuffle are those of `none`, which changes nothing. */
#define EIGHTS_PAIRS(p, none) __builtin_shufflevector(p, none, 8, 0, 8, 2, 8, 4, 8, 6)
#define EIGHTS_FOURS(p, none) __builtin_shufflevector(p, none, 8, 8, 1, 1, 8, 8, 5, 5)
#define EIGHTS_HALF(p, none)  __builtin_shufflevector(p, none, 8, 8, 8, 8, 3, 3, 3, 3)
#define EIGHTS_LAST(p)        __builtin_shufflevector(p, p, 7, 7, 7, 7, 7, 7, 7, 7)

#endif

/* y[i] becomes before + (y[0] + ... + y[i]); n is a multiple of 8. Returns the sum of all. */
static inline double eights_sum_f64(double *y, int64_t n, double before) {
#if VB == 64
    const vf64 none = {0}, base = v_set_f64(before);
    vf64 run = {0};
    for (int64_t j = 0; j < n; j += 8) {
        vf64 p = ld_f64(y + j);
        p += EIGHTS_PAIRS(p, none);
        p += EIGHTS_FOURS(p, none);
        p += EIGHTS_HALF(p, none);
        st_f64(y + j, base + (run + p));
        run += EIGHTS_LAST(p);
    }
    return run[0];
#else
    double run = 0;
    for (int64_t j = 0; j < n; j += 8) {
        double p[8];
        memcpy(p, y + j, sizeof p);
        for (int l = 0; l < 8; l += 2) p[l + 1] += p[l];
        for (int l = 0; l < 8; l += 4) p[l + 2] += p[l + 1], p[l + 3] += p[l + 1];
        for (int l = 4; l < 8; l++) p[l] += p[3];
        for (int l = 0; l < 8; l++) y[j + l] = before + (run + p[l]);
        run += p[7];
    }
    return run;
#endif
}

static inline uint64_t eights_sum_u64(uint64_t *y, int64_t n, uint64_t before) {
    uint64_t run = 0;
#if VB == 64
    const vu64 none = {0};
    vu64 base = before - none;
    for (int64_t j = 0; j < n; j += 8) {
        vu64 p;
        memcpy(&p, y + j, sizeof p);
        p += EIGHTS_PAIRS(p, none);
        p += EIGHTS_FOURS(p, none);
        p += EIGHTS_HALF(p, none);
        const vu64 sum = base + p;
        memcpy(y + j, &sum, sizeof sum);
        base += EIGHTS_LAST(p);
    }
    run = base[0] - before;
#else
    for (int64_t j = 0; j < n; j++) y[j] = before + (run += y[j]);
#endif
    return run;
}

/* y[i] becomes before * y[0] * ... * y[i]: fours, one after the other, since more might overflow
 * where the whole does not. Returns the last. */
static inline double eights_prod_f64(double *y, int64_t n, double before) {
#if VB == 64
    const vf64 none = v_set_f64(1);
    vf64 run = v_set_f64(before);
    for (int64_t j = 0; j < n; j += 8) {
        vf64 p = ld_f64(y + j);
        p *= EIGHTS_PAIRS(p, none);
        p *= EIGHTS_FOURS(p, none);
        const vf64 first = EIGHTS_HALF(p, none);
        p *= run * first;
        st_f64(y + j, p);
        run = EIGHTS_LAST(p);
    }
    return run[0];
#else
    for (int64_t j = 0; j < n; j += 4) {
        const double a = y[j], b = a * y[j + 1], c = y[j + 2], d = c * y[j + 3];
        y[j] = before * a;
        y[j + 1] = before * b;
        y[j + 2] = before * (b * c);
        y[j + 3] = before *= b * d;
    }
    return before;
#endif
}

#endif
