/* Running sums and products of lines of complex numbers without gaps, a line in each lane of two
 * double: squares of lines and elements are turned over in registers. Each element is joined to all
 * before it, and some vectors of lines are worked on side by side, since each step waits for the
 * one before. The order is that of one line by itself. */
#ifndef NOMEN_SRC_SCAN_PAIRS_H
#define NOMEN_SRC_SCAN_PAIRS_H

#include "kernels/loops/complex_wide.h"
#include "kernels/loops/scan.h"

/* Vectors of lines side by side: as many as leave registers for a square. */
enum { PAIRS_BESIDE = VB == 64 ? 2 : 4 };

/* What is before `lines` lines: of this part, and of the parts before it (sums). */
typedef struct pairs_before {
    vf64 own, base;
} pairs_before;

/* n <= WIDE_NUMBERS elements from j on of `lines` lines. */
LANES_INLINE vf64 pairs_square(const nomen__scan_args *a, int64_t r, int64_t j, int lines,
                               int64_t n, pairs_before b, const bool sums) {
    const int bytes = (int)a->in_step;
    const char *in = a->in + r * a->in_row + j * bytes;
    vf64 x[WIDE_NUMBERS];
#pragma GCC unroll 4
    for (int i = 0; i < WIDE_NUMBERS; i++)
        x[i] = wide_get(in + (i < lines ? i : 0) * a->in_row, bytes, n);
    wide_turn(x);
#pragma GCC unroll 4
    for (int k = 0; k < WIDE_NUMBERS; k++) {
        if (k >= n) break;
        b.own = sums ? b.own + x[k] : c_mul_f64(b.own, x[k]);
        x[k] = sums ? b.base + b.own : b.own;
    }
    if (!a->out) return b.own; /* the carry alone is asked for */
    char *out = a->out + r * a->out_row + j * bytes;
    wide_turn(x);
#pragma GCC unroll 4
    for (int i = 0; i < WIDE_NUMBERS; i++, out += a->out_row)
        if (i < lines) wide_put(out, bytes, x[i], n);
    return b.own;
}

/* `vectors` vectors of lines from line r on, in each of them `lines`. */
LANES_INLINE void pairs_group(const nomen__scan_args *a, int64_t r, const int vectors, int lines,
                              c128 *owns, const c128 *bases, const bool sums) {
    pairs_before b[PAIRS_BESIDE];
    int64_t j = 0;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        const int64_t at = r + v * WIDE_NUMBERS;
        b[v].own = owns ? wide_get(owns + at, 16, lines) : sums ? (vf64){0} : wide_ones();
        b[v].base = owns && sums ? wide_get(bases + at, 16, lines) : (vf64){0};
    }
    for (; j + WIDE_NUMBERS <= a->n; j += WIDE_NUMBERS)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            b[v].own = pairs_square(a, r + v * WIDE_NUMBERS, j, lines, WIDE_NUMBERS, b[v], sums);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        const int64_t at = r + v * WIDE_NUMBERS;
        if (j < a->n) b[v].own = pairs_square(a, at, j, lines, a->n - j, b[v], sums);
        if (owns) wide_put(owns + at, 16, b[v].own, lines);
    }
}

/* No owns: nothing is before the lines, and nobody asks for what they come to. */
LANES_INLINE void pairs_run(const nomen__scan_args *a, c128 *owns, const c128 *bases,
                            const bool sums) {
    enum { BESIDE = PAIRS_BESIDE * WIDE_NUMBERS };
    int64_t r = 0;
    for (; r + BESIDE <= a->lines; r += BESIDE)
        pairs_group(a, r, PAIRS_BESIDE, WIDE_NUMBERS, owns, bases, sums);
    for (; r + WIDE_NUMBERS <= a->lines; r += WIDE_NUMBERS)
        pairs_group(a, r, 1, WIDE_NUMBERS, owns, bases, sums);
    if (r < a->lines) pairs_group(a, r, 1, (int)(a->lines - r), owns, bases, sums);
}

#endif
