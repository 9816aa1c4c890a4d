/* Running sums and products of lines of float, a line in each lane. Lines side by side in memory
 * are there already; of others, squares of eight lines and eight elements are turned over in
 * registers, both ways. Each line is joined element by element in double, as level by level
 * (scan_fold.h), so the bits are those of every other ISA. Nothing is shuffled across lanes to add
 * up a line, which is what limits lines one by one; what is before a line stays in registers. */
#ifndef NOMEN_SRC_SCAN_LANES_H
#define NOMEN_SRC_SCAN_LANES_H

#include "kernels/simd/simd.h"

#if VB == 64

enum { LANES = 8 };
#define LANES_INLINE static inline __attribute__((always_inline))

/* Eight rows of eight into eight columns of eight. */
LANES_INLINE void lanes_turn(__m256 x[LANES]) {
    __m256 a[LANES], b[LANES];
    for (int i = 0; i < LANES; i += 2) {
        a[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; k++) {
            const __m256d low = _mm256_castps_pd(a[i + k]), high = _mm256_castps_pd(a[i + k + 2]);
            b[i + 2 * k] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, high));
            b[i + 2 * k + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, high));
        }
    for (int i = 0; i < LANES / 2; i++) {
        x[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        x[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}

/* What the lines are, and what is before them: own, which goes on, and for sums base. */
typedef struct lanes {
    const char *in;
    char *out;
    int64_t in_row, out_row; /* bytes */
    int lines;               /* at most LANES */
} lanes;

/* Eight rows of x, joined to own and behind base; they become the results. */
LANES_INLINE vf64 lanes_join(__m256 x[LANES], vf64 own, vf64 base, bool sums, bool based) {
    lanes_turn(x);
    for (int k = 0; k < LANES; k++) {
        const vf64 one = (vf64)_mm512_cvtps_pd(x[k]);
        own = sums ? own + one : own * one;
        x[k] = _mm512_cvtpd_ps((__m512d)(based ? base + own : own));
    }
    lanes_turn(x);
    return own;
}

/* Eight elements of eight lines from j on. */
LANES_INLINE vf64 lanes_square(const lanes *l, int64_t j, vf64 own, vf64 base, bool sums,
                               bool based) {
    __m256 x[LANES];
    for (int i = 0; i < LANES; i++)
        x[i] = _mm256_loadu_ps((const float *)(const void *)(l->in + i * l->in_row + j * 4));
    own = lanes_join(x, own, base, sums, based);
    for (int i = 0; i < LANES; i++)
        _mm256_storeu_ps((float *)(void *)(l->out + i * l->out_row + j * 4), x[i]);
    return own;
}

/* n <= LANES elements of each line from j on; those that are not there change nothing. */
LANES_INLINE vf64 lanes_rest(const lanes *l, int64_t j, int64_t n, vf64 own, vf64 base, bool sums,
                             bool based) {
    const __mmask8 here = (__mmask8)((1u << n) - 1);
    __m256 x[LANES];
    for (int i = 0; i < LANES; i++) {
        const char *from = l->in + (i < l->lines ? i : 0) * l->in_row + j * 4;
        x[i] = _mm256_mask_loadu_ps(_mm256_set1_ps(!sums), here, from);
    }
    own = lanes_join(x, own, base, sums, based);
    for (int i = 0; i < LANES && i < l->lines; i++)
        _mm256_mask_storeu_ps(l->out + i * l->out_row + j * 4, here, x[i]);
    return own;
}

LANES_INLINE vf64 lanes_lines(const lanes *l, int64_t n, vf64 own, vf64 base, bool sums,
                              bool based) {
    int64_t j = 0;
    for (; l->lines == LANES && j + LANES <= n; j += LANES)
        own = lanes_square(l, j, own, base, sums, based);
    for (; j < n; j += LANES)
        own = lanes_rest(l, j, n - j < LANES ? n - j : LANES, own, base, sums, based);
    return own;
}

/* Lines one by one in memory; bases: NULL for products. */
LANES_INLINE void lanes_run(const nomen__scan_args *a, double *owns, const double *bases) {
    const bool sums = bases != NULL;
    for (int64_t r = 0; r < a->lines; r += LANES) {
        const int64_t left = a->lines - r;
        const int few = left < LANES ? (int)left : LANES;
        const lanes l = {a->in + r * a->in_row, a->out + r * a->out_row, a->in_row, a->out_row,
                         few};
        const __mmask8 here = (__mmask8)((1u << few) - 1);
        const vf64 own = (vf64)_mm512_maskz_loadu_pd(here, owns + r);
        vf64 base = {0}, after;
        if (sums) base = (vf64)_mm512_maskz_loadu_pd(here, bases + r);
        if (sums && v_any64(base != 0))
            after = lanes_lines(&l, a->n, own, base, sums, true);
        else /* nothing is added to anything but -0, which a sum is not */
            after = lanes_lines(&l, a->n, own, base, sums, false);
        _mm512_mask_storeu_pd(owns + r, here, (__m512d)after);
    }
}

/* Elements begin to end of `vectors` times eight lines side by side, the last of which has `here`.
 */
LANES_INLINE void lanes_down(const nomen__scan_args *a, int64_t r, int64_t begin, int64_t end,
                             int vectors, __mmask8 here, double *owns, const double *bases) {
    const bool sums = bases != NULL;
    vf64 own[4], base[4];
    const char *in = a->in + r * 4 + begin * a->in_step;
    char *out = a->out + r * 4 + begin * a->out_step;
    for (int v = 0; v < vectors; v++) {
        own[v] = (vf64)_mm512_maskz_loadu_pd(here, owns + r + 8 * v);
        base[v] = sums ? (vf64)_mm512_maskz_loadu_pd(here, bases + r + 8 * v) : own[v];
    }
    for (int64_t j = begin; j < end; j++, in += a->in_step, out += a->out_step)
        for (int v = 0; v < vectors; v++) {
            const vf64 one = (vf64)_mm512_cvtps_pd(_mm256_maskz_loadu_ps(here, in + 32 * v));
            own[v] = sums ? own[v] + one : own[v] * one;
            const vf64 all = sums ? base[v] + own[v] : own[v];
            _mm256_mask_storeu_ps(out + 32 * v, here, _mm512_cvtpd_ps((__m512d)all));
        }
    for (int v = 0; v < vectors; v++)
        _mm512_mask_storeu_pd(owns + r + 8 * v, here, (__m512d)own[v]);
}

/* Lines side by side in memory, some elements of all of them before the next ones. */
LANES_INLINE void lanes_levels(const nomen__scan_args *a, double *owns, const double *bases) {
    enum { LEVELS = 16, WIDE = 4 * LANES };
    for (int64_t begin = 0; begin < a->n; begin += LEVELS) {
        const int64_t end = a->n - begin < LEVELS ? a->n : begin + LEVELS;
        int64_t r = 0;
        for (; r + WIDE <= a->lines; r += WIDE) lanes_down(a, r, begin, end, 4, 0xff, owns, bases);
        for (; r < a->lines; r += LANES) {
            const int64_t left = a->lines - r;
            const __mmask8 here = (__mmask8)(left < LANES ? (1u << left) - 1 : 0xff);
            lanes_down(a, r, begin, end, 1, here, owns, bases);
        }
    }
}

#endif
#endif
