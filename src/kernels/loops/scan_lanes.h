/* Running sums and products of lines of float, a line in each lane. Lines side by side in memory
 * are there already; of others, squares of as many lines and elements are turned over in
 * registers, both ways. Each line is joined element by element in double, as level by level
 * (scan_fold.h), so the bits are those of every other ISA. Nothing is shuffled across lanes to add
 * up a line, which is what limits lines one by one; what is before a line stays in registers. */
#ifndef NOMEN_SRC_SCAN_LANES_H
#define NOMEN_SRC_SCAN_LANES_H

#include "kernels/simd/simd.h"

/* LANES_HERE: there are vectors of LANES float, and of as many double. */
#define LANES_HERE (NOMEN__ISA_ID == NOMEN__ISA_ID_avx512 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx2)
#if LANES_HERE

enum { LANES = W64 };
#define LANES_INLINE static inline __attribute__((always_inline))

/* ---- vectors: the first n lanes in memory, the others being `other`, or left alone ----------- */

#if VB == 64

typedef __m256 lanes_row;

LANES_INLINE lanes_row lanes_get(const char *p, int n, float other) {
    if (n == LANES) return _mm256_loadu_ps((const float *)(const void *)p);
    return _mm256_mask_loadu_ps(_mm256_set1_ps(other), (__mmask8)((1u << n) - 1), p);
}
LANES_INLINE void lanes_put(char *p, int n, lanes_row x) {
    if (n == LANES)
        _mm256_storeu_ps((float *)(void *)p, x);
    else
        _mm256_mask_storeu_ps(p, (__mmask8)((1u << n) - 1), x);
}
LANES_INLINE vf64 lanes_widen(lanes_row x) { return (vf64)_mm512_cvtps_pd(x); }
LANES_INLINE lanes_row lanes_narrow(vf64 x) { return _mm512_cvtpd_ps((__m512d)x); }

/* LANES rows of LANES into as many columns. */
LANES_INLINE void lanes_turn(lanes_row x[LANES]) {
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

#else

typedef __m128 lanes_row;

LANES_INLINE __m128i lanes_first(int n) {
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}
LANES_INLINE lanes_row lanes_get(const char *p, int n, float other) {
    const float *from = (const float *)(const void *)p;
    if (n == LANES) return _mm_loadu_ps(from);
    const __m128i here = lanes_first(n);
    return _mm_blendv_ps(_mm_set1_ps(other), _mm_maskload_ps(from, here), _mm_castsi128_ps(here));
}
/* In parts: some processors take twenty steps for a store with a mask. */
LANES_INLINE void lanes_put(char *p, int n, lanes_row x) {
    if (n == LANES) {
        _mm_storeu_ps((float *)(void *)p, x);
        return;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, x);
        x = _mm_movehl_ps(x, x);
        p += 8;
    }
    if (n & 1) _mm_store_ss((float *)(void *)p, x);
}
LANES_INLINE vf64 lanes_widen(lanes_row x) { return (vf64)_mm256_cvtps_pd(x); }
LANES_INLINE lanes_row lanes_narrow(vf64 x) { return _mm256_cvtpd_ps((__m256d)x); }
LANES_INLINE void lanes_turn(lanes_row x[LANES]) { _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]); }

#endif

LANES_INLINE vf64 lanes_get_f64(const double *p, int n) {
    return n == LANES ? ld_f64(p) : ld_f64_n(p, n);
}
LANES_INLINE void lanes_put_f64(double *p, int n, vf64 x) {
    if (n == LANES)
        st_f64(p, x);
    else
        st_f64_n(p, x, n);
}

/* ---- lines one by one in memory -------------------------------------------------------------- */

/* What the lines are: at most LANES. */
typedef struct lanes {
    const char *in;
    char *out;
    int64_t in_row, out_row; /* bytes */
    int lines;
} lanes;

/* n <= LANES elements of each line from j on, joined to own, which goes on, and for sums behind
 * base. Those that are not there change nothing. */
LANES_INLINE vf64 lanes_square(const lanes *l, int lines, int64_t j, int n, vf64 own, vf64 base,
                               bool sums, bool based) {
    lanes_row x[LANES];
    for (int i = 0; i < LANES; i++)
        x[i] = lanes_get(l->in + (i < lines ? i : 0) * l->in_row + j * 4, n, !sums);
    lanes_turn(x);
    for (int k = 0; k < LANES; k++) {
        const vf64 one = lanes_widen(x[k]);
        own = sums ? own + one : own * one;
        x[k] = lanes_narrow(based ? base + own : own);
    }
    if (!l->out) return own; /* the carry alone is asked for */
    lanes_turn(x);
    for (int i = 0; i < LANES && i < lines; i++)
        lanes_put(l->out + i * l->out_row + j * 4, n, x[i]);
    return own;
}

LANES_INLINE vf64 lanes_lines(const lanes *l, int64_t n, vf64 own, vf64 base, bool sums,
                              bool based) {
    int64_t j = 0;
    for (; l->lines == LANES && j + LANES <= n; j += LANES)
        own = lanes_square(l, LANES, j, LANES, own, base, sums, based);
    for (; j < n; j += LANES) {
        const int here = n - j < LANES ? (int)(n - j) : LANES;
        own = lanes_square(l, l->lines, j, here, own, base, sums, based);
    }
    return own;
}

/* bases: NULL for products. */
LANES_INLINE void lanes_run(const nomen__scan_args *a, double *owns, const double *bases) {
    const bool sums = bases != NULL;
    for (int64_t r = 0; r < a->lines; r += LANES) {
        const int64_t left = a->lines - r;
        const int few = left < LANES ? (int)left : LANES;
        const lanes l = {a->in + r * a->in_row, moved(a->out, r * a->out_row), a->in_row,
                         a->out_row, few};
        const vf64 own = lanes_get_f64(owns + r, few);
        vf64 base = {0}, after;
        if (sums) base = lanes_get_f64(bases + r, few);
        if (sums && v_any64(base != 0))
            after = lanes_lines(&l, a->n, own, base, sums, true);
        else /* nothing is added to anything but -0, which a sum is not */
            after = lanes_lines(&l, a->n, own, base, sums, false);
        lanes_put_f64(owns + r, few, after);
    }
}

/* ---- lines side by side in memory ------------------------------------------------------------ */

/* Elements begin to end of `vectors` times LANES lines, of the last of which n are there. */
LANES_INLINE void lanes_down(const nomen__scan_args *a, int64_t r, int64_t begin, int64_t end,
                             int vectors, int n, double *owns, const double *bases) {
    enum { ROW = sizeof(lanes_row) };
    const bool sums = bases != NULL;
    vf64 own[4], base[4];
    const char *in = a->in + r * 4 + begin * a->in_step;
    char *out = moved(a->out, r * 4 + begin * a->out_step);
    for (int v = 0; v < vectors; v++) {
        own[v] = lanes_get_f64(owns + r + LANES * v, n);
        base[v] = sums ? lanes_get_f64(bases + r + LANES * v, n) : own[v];
    }
    for (int64_t j = begin; j < end; j++, in += a->in_step, out = moved(out, a->out_step))
        for (int v = 0; v < vectors; v++) {
            const vf64 one = lanes_widen(lanes_get(in + ROW * v, n, 0));
            own[v] = sums ? own[v] + one : own[v] * one;
            if (!out) continue; /* the carry alone is asked for */
            lanes_put(out + ROW * v, n, lanes_narrow(sums ? base[v] + own[v] : own[v]));
        }
    for (int v = 0; v < vectors; v++) lanes_put_f64(owns + r + LANES * v, n, own[v]);
}

/* Some elements of all lines before the next ones. */
LANES_INLINE void lanes_levels(const nomen__scan_args *a, double *owns, const double *bases) {
    enum { LEVELS = 16, WIDE = 4 * LANES };
    for (int64_t begin = 0; begin < a->n; begin += LEVELS) {
        const int64_t end = a->n - begin < LEVELS ? a->n : begin + LEVELS;
        int64_t r = 0;
        for (; r + WIDE <= a->lines; r += WIDE) lanes_down(a, r, begin, end, 4, LANES, owns, bases);
        for (; r + LANES <= a->lines; r += LANES)
            lanes_down(a, r, begin, end, 1, LANES, owns, bases);
        if (r < a->lines) lanes_down(a, r, begin, end, 1, (int)(a->lines - r), owns, bases);
    }
}

#endif

/* ---- one line, in blocks of eight parts that are lines to the lanes -------------------------- */

enum { LINE_PARTS = 8, LINE_PART = 128, LINE_BLOCK = LINE_PARTS * LINE_PART };

/* What each part of a block comes to, eight sums at a time. */
static inline void line_totals(const float *x, double totals[LINE_PARTS]) {
    for (int p = 0; p < LINE_PARTS; p++, x += LINE_PART) {
        double t[8] = {0};
        for (int k = 0; k < LINE_PART; k += 8)
            for (int l = 0; l < 8; l++) t[l] += (double)x[k + l];
        for (int l = 0; l < 4; l++) t[l] += t[l + 4];
        totals[p] = (t[0] + t[2]) + (t[1] + t[3]);
    }
}

/* Running sums of each part, behind what is before it. */
static inline void line_block(const float *x, float *y, const double before[LINE_PARTS]) {
#if LANES_HERE
    enum { ROW = LINE_PART * sizeof(float) };
    for (int p = 0; p < LINE_PARTS; p += LANES) {
        const lanes l = {(const char *)(x + p * LINE_PART), (char *)(y + p * LINE_PART), ROW, ROW,
                         LANES};
        lanes_lines(&l, LINE_PART, (vf64){0}, ld_f64(before + p), true, true);
    }
#else
    double own[LINE_PARTS] = {0};
    for (int k = 0; k < LINE_PART; k++)
        for (int p = 0; p < LINE_PARTS; p++) {
            own[p] += (double)x[p * LINE_PART + k];
            y[p * LINE_PART + k] = (float)(before[p] + own[p]);
        }
#endif
}

#endif
