/* Running sums and products of lines of complex numbers, a line in each lane of two double. Lines
 * side by side are loaded and stored as they lie, of lines one behind the other squares of lines
 * and elements are turned over in registers, on the way in, out, or both. Each element is joined to
 * all before it, and some vectors of lines are worked on side by side, since each step waits for
 * the one before. The order is that of one line by itself. */
#ifndef NOMEN_SRC_SCAN_PAIRS_H
#define NOMEN_SRC_SCAN_PAIRS_H

#include "kernels/loops/complex_wide.h"
#include "kernels/loops/scan.h"

/* Vectors of lines side by side: as many as leave registers for a square. */
enum { PAIRS_BESIDE = VB == 64 ? 2 : 4 };
/* Lines that are joined by turns, and elements from which on sums of a line go by fours: shorter
 * lines have the same bits wherever they lie. */
enum { PAIRS_TURNS = 4, PAIRS_CUT = 64 };

/* What is before `lines` lines: of this part, and of the parts before it (sums). */
typedef struct pairs_before {
    vf64 own, base;
} pairs_before;

/* How the lines lie, which is known to the compiler: bytes of an element, whether lines are side by
 * side, where they come from and where they go, and whether sums have something before them. */
typedef struct pairs_way {
    int bytes;
    bool in_beside, out_beside, sums, based;
} pairs_way;

/* Rows that a loop does not know from one turn to the next: as many as there are, none of their
 * addresses would stay in a register. */
#define PAIRS_OPAQUE(x) __asm__("" : "+r"(x))

#if VB == 64
/* The first n numbers of complex64 of a vector, as they are in memory. */
LANES_INLINE turn_u64x4 pairs_get_narrow(const char *p, int64_t n) {
    turn_u64x4 x;
    if (n < WIDE_NUMBERS) return (turn_u64x4)_mm256_maskz_loadu_ps(simd_first8(2 * n), p);
    memcpy(&x, p, sizeof x);
    return x;
}
LANES_INLINE void pairs_put_narrow(char *p, turn_u64x4 x, int64_t n) {
    if (n < WIDE_NUMBERS)
        _mm256_mask_storeu_ps(p, simd_first8(2 * n), (__m256)x);
    else
        memcpy(p, &x, sizeof x);
}
#endif

/* A square of lines and elements, of which n are there, and the way back; lines are `row` bytes
 * apart, those that are not there the first one again. complex64 is turned over while it is narrow,
 * in half as many steps. */
LANES_INLINE void pairs_take(vf64 *x, const char *in, int64_t row, int lines, int64_t n,
                             const int bytes) {
#if VB == 64
    turn_u64x4 y[WIDE_NUMBERS];
    if (bytes == 8) {
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++)
            y[i] = pairs_get_narrow(in + (i < lines ? i : 0) * row, n);
        turn_4_u64(y);
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++) x[i] = (vf64)_mm512_cvtps_pd((__m256)y[i]);
        return;
    }
#endif
#pragma GCC unroll 4
    for (int i = 0; i < WIDE_NUMBERS; i++)
        x[i] = wide_get(in + (i < lines ? i : 0) * row, bytes, n);
    v_turn_c128(x);
}
LANES_INLINE void pairs_give(vf64 *x, char *out, int64_t row, int lines, int64_t n,
                             const int bytes) {
#if VB == 64
    turn_u64x4 y[WIDE_NUMBERS];
    if (bytes == 8) {
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++) y[i] = (turn_u64x4)_mm512_cvtpd_ps((__m512d)x[i]);
        turn_4_u64(y);
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++, out += row)
            if (i < lines) pairs_put_narrow(out, y[i], n);
        return;
    }
#endif
    v_turn_c128(x);
#pragma GCC unroll 4
    for (int i = 0; i < WIDE_NUMBERS; i++, out += row)
        if (i < lines) wide_put(out, bytes, x[i], n);
}

/* n <= WIDE_NUMBERS elements of `lines` lines; `in` and `to` are where the first one is. */
LANES_INLINE vf64 pairs_square(const nomen__scan_args *a, const char *in, uintptr_t to, int lines,
                               int64_t n, pairs_before b, const pairs_way w) {
    const int bytes = w.bytes;
    int64_t in_row = a->in_row;
    vf64 x[WIDE_NUMBERS];
    if (w.in_beside) {
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++)
            x[i] = i < n ? wide_get(in + i * a->in_step, bytes, lines) : (vf64){0};
    } else {
        PAIRS_OPAQUE(in_row);
        pairs_take(x, in, in_row, lines, n, bytes);
    }
#pragma GCC unroll 4
    for (int k = 0; k < WIDE_NUMBERS; k++) {
        if (k >= n) break;
        b.own = w.sums ? b.own + x[k] : c_mul_f64(b.own, x[k]);
        x[k] = w.based ? b.base + b.own : b.own;
    }
    if (!a->out) return b.own; /* the carry alone is asked for */
    char *out = (char *)to;
    int64_t apart = w.out_beside ? a->out_step : a->out_row;
    if (!w.out_beside) {
        PAIRS_OPAQUE(apart);
        pairs_give(x, out, apart, lines, n, bytes);
        return b.own;
    }
#pragma GCC unroll 4
    for (int i = 0; i < WIDE_NUMBERS; i++, out += apart)
        if (i < n) wide_put(out, bytes, x[i], lines);
    return b.own;
}

/* `vectors` vectors of lines from line r on, in each of them `lines`. */
LANES_INLINE void pairs_group(const nomen__scan_args *a, int64_t r, const int vectors, int lines,
                              c128 *owns, const c128 *bases, const pairs_way w) {
    enum { EACH = WIDE_NUMBERS };
    const char *in = a->in + r * a->in_row;
    uintptr_t to = (uintptr_t)a->out + (uintptr_t)(r * a->out_row); /* nowhere, if out is NULL */
    const uintptr_t next = (uintptr_t)(EACH * a->out_row);
    pairs_before b[PAIRS_BESIDE];
    int64_t left = a->n;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        const int64_t at = r + v * EACH;
        b[v].own = owns ? wide_get(owns + at, 16, lines) : w.sums ? (vf64){0} : wide_ones();
        b[v].base = w.based ? wide_get(bases + at, 16, lines) : (vf64){0};
    }
    for (; left >= EACH; left -= EACH) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            b[v].own = pairs_square(a, in + v * EACH * a->in_row, to + (uintptr_t)v * next, lines,
                                    EACH, b[v], w);
        in += EACH * a->in_step;
        to += (uintptr_t)(EACH * a->out_step);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        if (left)
            b[v].own = pairs_square(a, in + v * EACH * a->in_row, to + (uintptr_t)v * next, lines,
                                    left, b[v], w);
        if (owns) wide_put(owns + r + v * EACH, 16, b[v].own, lines);
    }
}

/* Lines number by number, some of them by turns, since each step waits for the one before;
 * wherever their elements lie. */
LANES_INLINE void pairs_by_turns(const nomen__scan_args *a, int64_t r, const int64_t lines,
                                 c128 *owns, const c128 *bases, const pairs_way w) {
    const char *in = a->in + r * a->in_row;
    char *out = moved(a->out, r * a->out_row);
    pair own[PAIRS_TURNS], base[PAIRS_TURNS];
#pragma GCC unroll 8
    for (int64_t l = 0; l < lines; l++) {
        own[l] = owns ? pair_get(owns + r + l, 16) : (pair){w.sums ? 0 : 1, 0};
        base[l] = w.based ? pair_get(bases + r + l, 16) : (pair){0, 0};
    }
    for (int64_t j = 0; j < a->n; j++, in += a->in_step)
#pragma GCC unroll 8
        for (int64_t l = 0; l < lines; l++) {
            const pair x = pair_get(in + l * a->in_row, w.bytes);
            own[l] = w.sums ? own[l] + x : pair_times(own[l], x);
            if (!out) continue;
            pair_put(out + j * a->out_step + l * a->out_row, w.bytes,
                     w.based ? base[l] + own[l] : own[l]);
        }
    for (int64_t l = 0; owns && l < lines; l++) pair_put(owns + r + l, 16, own[l]);
}

/* Products of one line: nothing but the product that the next one waits for, by halves. */
LANES_INLINE void pairs_product(const nomen__scan_args *a, int64_t r, c128 *owns, const int bytes) {
    const char *in = a->in + r * a->in_row;
    char *out = moved(a->out, r * a->out_row);
    c128 own = owns ? owns[r] : (c128){1, 0};
    for (int64_t j = 0; j < a->n; j++, in += a->in_step) {
        const pair x = pair_get(in, bytes);
        own = c_times_next(own, (c128){x[0], x[1]});
        if (out) pair_put(out + j * a->out_step, bytes, (pair){own.re, own.im});
    }
    if (owns) owns[r] = own;
}
LANES_INLINE void pairs_numbers(const nomen__scan_args *a, c128 *owns, const c128 *bases,
                                const pairs_way w) {
    int64_t r = 0;
    for (; r + PAIRS_TURNS <= a->lines; r += PAIRS_TURNS)
        pairs_by_turns(a, r, PAIRS_TURNS, owns, bases, w);
    if (r + 2 <= a->lines) {
        pairs_by_turns(a, r, 2, owns, bases, w);
        r += 2;
    }
    if (r < a->lines && w.sums)
        pairs_by_turns(a, r, 1, owns, bases, w);
    else if (r < a->lines)
        pairs_product(a, r, owns, w.bytes);
}

LANES_INLINE void pairs_each(const nomen__scan_args *a, c128 *owns, const c128 *bases,
                             const pairs_way w) {
    enum { BESIDE = PAIRS_BESIDE * WIDE_NUMBERS };
    int64_t r = 0;
    for (; r + BESIDE <= a->lines; r += BESIDE)
        pairs_group(a, r, PAIRS_BESIDE, WIDE_NUMBERS, owns, bases, w);
    for (; r + WIDE_NUMBERS <= a->lines; r += WIDE_NUMBERS)
        pairs_group(a, r, 1, WIDE_NUMBERS, owns, bases, w);
    if (r < a->lines && WIDE_NUMBERS == 2)
        pairs_by_turns(a, r, 1, owns, bases, w); /* a part of a vector takes ten times as long */
    else if (r < a->lines)
        pairs_group(a, r, 1, (int)(a->lines - r), owns, bases, w);
}

/* Sums of n elements of one line, four of which are added up by themselves, so that but one
 * addition of four waits for the ones before. `own`: of this part before them; what it is with
 * them. */
LANES_INLINE pair pairs_line(const char *in, const int64_t in_step, char *out,
                             const int64_t out_step, int64_t n, const int bytes, pair own,
                             pair base) {
    enum { EACH = 4 };
    const pair before = base + own;
    pair all = {0, 0};
    int64_t fours = n < PAIRS_CUT ? 0 : n / EACH;
    n -= fours * EACH;
    for (; fours > 0; fours--, in += EACH * in_step) {
        pair x[EACH];
#pragma GCC unroll 4
        for (int64_t l = 0; l < EACH; l++) x[l] = pair_get(in + l * in_step, bytes);
        x[1] += x[0];
        x[3] = x[1] + (x[2] + x[3]);
        x[2] += x[1];
#pragma GCC unroll 4
        for (int64_t l = 0; l < EACH; l++) x[l] += all;
        all = x[EACH - 1];
        if (!out) continue;
#pragma GCC unroll 4
        for (int64_t l = 0; l < EACH; l++, out += out_step) pair_put(out, bytes, before + x[l]);
    }
    own += all;
    for (; n > 0; n--, in += in_step) {
        own += pair_get(in, bytes);
        if (!out) continue;
        pair_put(out, bytes, base + own);
        out += out_step;
    }
    return own;
}
LANES_INLINE void pairs_lines(const nomen__scan_args *a, const int bytes, c128 *owns,
                              const c128 *bases) {
    for (int64_t r = 0; r < a->lines; r++) {
        const char *in = a->in + r * a->in_row;
        char *out = moved(a->out, r * a->out_row);
        pair own = {0, 0}, base = {0, 0};
        if (owns) own = pair_get(owns + r, sizeof own);
        if (owns) base = pair_get(bases + r, sizeof base);
        for (int64_t j = 0; j < a->n; j += SCAN_BLOCK) {
            const int64_t n = a->n - j < SCAN_BLOCK ? a->n - j : SCAN_BLOCK;
            own = pairs_line(in + j * a->in_step, a->in_step, moved(out, j * a->out_step),
                             a->out_step, n, bytes, own, base);
        }
        if (owns) pair_put(owns + r, sizeof own, own);
    }
}

/* Lines that may lie anyhow. */
LANES_INLINE void pairs_apart(const nomen__scan_args *a, const int bytes, c128 *owns,
                              const c128 *bases, const bool sums) {
    if (sums && a->n >= PAIRS_CUT)
        pairs_lines(a, bytes, owns, bases);
    else if (sums && owns)
        pairs_numbers(a, owns, bases, (pairs_way){bytes, false, false, true, true});
    else
        pairs_numbers(a, owns, NULL, (pairs_way){bytes, false, false, sums, false});
}

/* Groups of a few lines. Sums of each line are those of one by itself. */
LANES_INLINE void pairs_groups(const nomen__scan_args *a, const int bytes, const bool sums) {
    const pairs_way beside = {bytes, true, true, sums, false};
    const bool vectors = a->in_row == bytes && a->out_row == bytes &&
                         !(sums && (a->lines < WIDE_NUMBERS || a->n >= PAIRS_CUT));
    nomen__scan_args one = *a;
    for (int64_t g = 0; g < a->groups; g++) {
        if (vectors)
            pairs_each(&one, NULL, NULL, beside);
        else
            pairs_apart(&one, bytes, NULL, NULL, sums);
        one.in += a->in_group;
        one.out += a->out_group;
    }
}

/* Of elements of so many bytes. No owns: nothing is before the lines, and nobody asks for what they
 * come to. False: the lines are few, or do not lie so. */
LANES_INLINE bool pairs_run(const nomen__scan_args *a, const int bytes, c128 *owns,
                            const c128 *bases, const bool sums) {
    enum { FEWEST = 8, MANY = 64, FLAT = 8, SHORT = 32 };
    const bool in_beside = a->in_row == bytes, out_beside = a->out_row == bytes;
    const bool beside = in_beside && out_beside;
    nomen__scan_args sizes = *a; /* known to the compiler */
    if (a->groups) {
        pairs_groups(a, bytes, sums);
        return true;
    }
    const bool apart = (!in_beside && a->in_step != bytes) || (!out_beside && a->out_step != bytes);
    if (sums && a->in_step == bytes && a->out_step == bytes && a->lines < FEWEST) {
        sizes.in_step = sizes.out_step = bytes;
        pairs_apart(&sizes, bytes, owns, bases, true);
        return true;
    }
    if (apart && (sums || a->n <= SHORT || a->lines < FEWEST)) {
        pairs_apart(a, bytes, owns, bases, sums);
        return true;
    }
    if (apart || a->lines < (in_beside || out_beside ? 2 : FEWEST)) return false;
    if (beside && sums && a->lines > MANY && a->n > FLAT) return false; /* level by level */
    const pairs_way before = {bytes, false, false, sums, sums};
    pairs_way w = {bytes, false, false, sums, false};
    if (!owns && !beside && a->n < WIDE_NUMBERS) { /* parts of vectors take longer */
        pairs_numbers(&sizes, NULL, NULL, w);
        return true;
    }
    if (!in_beside && !out_beside) {
        sizes.in_step = sizes.out_step = bytes;
        if (!owns && sums && a->n < FLAT && a->n > WIDE_NUMBERS)
            pairs_numbers(&sizes, NULL, NULL, w);
        else if (!owns)
            pairs_each(&sizes, NULL, NULL, w);
        else
            pairs_each(&sizes, owns, bases, before);
        return true;
    }
    if (!owns) return false; /* a carry takes no time then */
    w = before;
    if (beside) {
        w.in_beside = w.out_beside = true;
        sizes.in_row = sizes.out_row = bytes;
        pairs_each(&sizes, owns, bases, w);
    } else if (in_beside) {
        w.in_beside = true;
        sizes.in_row = sizes.out_step = bytes;
        pairs_each(&sizes, owns, bases, w);
    } else {
        w.out_beside = true;
        sizes.in_step = sizes.out_row = bytes;
        pairs_each(&sizes, owns, bases, w);
    }
    return true;
}

#endif
