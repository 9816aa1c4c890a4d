/* Running sums and products of short lines of float and double, one behind the other in memory:
 * four elements of four lines at a time, in vectors of 32 bytes. AVX2's way; AVX-512 takes it where
 * its squares of eight would be empty in part, or are of double. Included by scan_lanes.h, after
 * what a line is. */
#ifndef NOMEN_SRC_SCAN_QUADS_H
#define NOMEN_SRC_SCAN_QUADS_H

enum { QUAD = 4, PAIRS = QUAD / 2 };
typedef double quad __attribute__((vector_size(32)));
typedef float quad_row __attribute__((vector_size(16)));

LANES_INLINE quad quad_all(double x) { return (quad){x, x, x, x}; }
LANES_INLINE quad quad_widen(quad_row x) { return (quad)_mm256_cvtps_pd((__m128)x); }
LANES_INLINE quad_row quad_narrow(quad x) { return (quad_row)_mm256_cvtpd_ps((__m256d)x); }
/* Four elements of 4 or 8 bytes as double, of which the first n are stored. */
LANES_INLINE quad quad_from(const char *p, int bytes) {
    quad x;
    quad_row narrow;
    if (bytes == 4) {
        memcpy(&narrow, p, sizeof narrow);
        return quad_widen(narrow);
    }
    memcpy(&x, p, sizeof x);
    return x;
}
/* By parts: some processors take twenty steps for a store with a mask. */
LANES_INLINE void quad_to(char *p, int bytes, int n, quad x) {
    if (bytes == 8) {
        memcpy(p, &x, (size_t)n * 8);
        return;
    }
    const quad_row narrow = quad_narrow(x);
    memcpy(p, &narrow, (size_t)n * 4);
}

#define LANE_NAME(name) quad_##name
#define LANE_COUNT      QUAD
#define LANE_VECTOR     quad
#include "kernels/loops/scan_apart.h"

#define PAIR_LOW(x, y)  ((quad)_mm256_unpacklo_pd((__m256d)(x), (__m256d)(y)))
#define PAIR_HIGH(x, y) ((quad)_mm256_unpackhi_pd((__m256d)(x), (__m256d)(y)))
/* Both halves from the lower, or the upper one. */
#define PAIR_FIRST(x)  ((quad)_mm256_permute2f128_pd((__m256d)(x), (__m256d)(x), 0x00))
#define PAIR_SECOND(x) ((quad)_mm256_permute2f128_pd((__m256d)(x), (__m256d)(x), 0x11))
/* The lower halves of both. */
#define PAIR_LOWER(x, y) ((quad)_mm256_permute2f128_pd((__m256d)(x), (__m256d)(y), 0x20))

/* Four elements of two lines are two vectors: elements 0 of both lines and elements 2, and those 1
 * and 3. That takes half the shuffles of turning four lines over, and a processor widens in one
 * step what it loads, in three what is in a register. Two pairs are worked on side by side, since
 * each step waits for the one before. Four elements of QUAD lines from j on, of which the first n
 * are there, and others may be read; own: what is before each pair, twice. */
LANES_INLINE void quad_pairs(const lanes *l, int64_t j, int n, const quad_before *b,
                             quad own[PAIRS], const quad base[PAIRS]) {
    const quad none = quad_all(b->sums ? 0 : 1);
    quad even[PAIRS], odd[PAIRS], before[PAIRS];
#pragma GCC unroll 2
    for (int p = 0; p < PAIRS; p++) {
        const char *in = l->in + 2 * p * l->in_row + j * l->in_bytes;
        const quad x = quad_from(in, l->in_bytes), y = quad_from(in + l->in_row, l->in_bytes);
        even[p] = PAIR_LOW(x, y);
        odd[p] = PAIR_HIGH(x, y);
    }
#pragma GCC unroll 2
    for (int p = 0; p < PAIRS; p++) odd[p] = LANES_JOIN(b->sums, even[p], odd[p]);
#pragma GCC unroll 2
    for (int p = 0; p < PAIRS; p++)
        before[p] = LANES_JOIN(b->sums, own[p], PAIR_LOWER(none, odd[p]));
#pragma GCC unroll 2
    for (int p = 0; p < PAIRS; p++) {
        even[p] = LANES_JOIN(b->sums, before[p], even[p]);
        odd[p] = LANES_JOIN(b->sums, before[p], odd[p]);
        const quad last = n % 2 ? even[p] : odd[p];
        own[p] = n > 2 ? PAIR_SECOND(last) : PAIR_FIRST(last);
    }
    if (!l->out) return;
#pragma GCC unroll 2
    for (int p = 0; p < PAIRS; p++) {
        char *out = l->out + 2 * p * l->out_row + j * l->out_bytes;
        if (b->based) even[p] += base[p], odd[p] += base[p];
        quad_to(out, l->out_bytes, n, PAIR_LOW(even[p], odd[p]));
        quad_to(out + l->out_row, l->out_bytes, n, PAIR_HIGH(even[p], odd[p]));
    }
}

LANES_INLINE quad quad_lines(const lanes *l, int64_t n, quad_before b) {
    int64_t j = 0;
    if (l->lines < QUAD) {
        for (; j < n; j += 4) b.own = quad_apart(l, l->lines, j, n - j < 4 ? (int)(n - j) : 4, &b);
        return b.own;
    }
    if (n >= 4 || l->beyond) {
        quad own[PAIRS] = {PAIR_FIRST(b.own), PAIR_SECOND(b.own)};
        const quad base[PAIRS] = {PAIR_FIRST(b.base), PAIR_SECOND(b.base)};
        for (; j + 4 <= n; j += 4) quad_pairs(l, j, 4, &b, own, base);
        const int64_t rest = l->beyond ? n - j : 0;
        if (rest == 3) quad_pairs(l, j, 3, &b, own, base);
        if (rest == 2) quad_pairs(l, j, 2, &b, own, base);
        if (rest == 1) quad_pairs(l, j, 1, &b, own, base);
        b.own = PAIR_LOWER(own[0], own[1]);
        j += rest;
    }
    if (n - j == 3) return quad_apart(l, QUAD, j, 3, &b);
    if (n - j == 2) return quad_apart(l, QUAD, j, 2, &b);
    if (n - j == 1) return quad_apart(l, QUAD, j, 1, &b);
    return b.own;
}

/* Whole lines of n elements without gaps, but for the last of them; n is known to the compiler. Of
 * fewer than four elements four are stored: those behind a line are what the next one writes. How
 * many lines. */
LANES_INLINE int64_t quad_behind(const nomen__scan_args *a, const int n, const bool sums) {
    const quad_before b = {.own = quad_all(sums ? 0 : 1), .sums = sums};
    lanes l = lanes_at(a, 0, 0, QUAD);
    int64_t r = 0;
    if (n < 4 && a->in == a->out) return 0;
    l.in_row = n * l.in_bytes;
    l.out_row = n * l.out_bytes;
    l.beyond = true;
    for (; r + QUAD < a->lines; r += QUAD) {
        quad_lines(&l, n < 4 ? 4 : n, b);
        l.in += QUAD * l.in_row;
        l.out += QUAD * l.out_row;
    }
    return r;
}
LANES_INLINE int64_t quad_packed(const nomen__scan_args *a, const bool sums) {
    if (a->in_row != a->n * a->in_step || a->out_row != a->n * a->out_step) return 0;
    switch (a->n) {
    case 2: return quad_behind(a, 2, sums);
    case 3: return quad_behind(a, 3, sums);
    case 4: return quad_behind(a, 4, sums);
    case 5: return quad_behind(a, 5, sums);
    case 6: return quad_behind(a, 6, sums);
    case 7: return quad_behind(a, 7, sums);
    case 8: return quad_behind(a, 8, sums);
    default: return 0;
    }
}

/* Whole lines before which there is nothing, and of whose end nobody asks. */
LANES_INLINE void quad_group(const nomen__scan_args *a, int64_t r, int few, const bool sums) {
    const lanes l = lanes_at(a, r, 0, few);
    quad_lines(&l, a->n, (quad_before){.own = quad_all(sums ? 0 : 1), .sums = sums});
}
LANES_INLINE void quad_run(const nomen__scan_args *a, const bool sums) {
    int64_t r = quad_packed(a, sums);
    for (; r + QUAD <= a->lines; r += QUAD) quad_group(a, r, QUAD, sums);
    if (r < a->lines) quad_group(a, r, (int)(a->lines - r), sums);
}

#endif
