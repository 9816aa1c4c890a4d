/* Include-template: a scan that joins elements by an associative operation (cumsum, cumprod). The
 * order of the operations is the same in every ISA. Before: OP, SFX, T, F, FETCH and WIDEN as in
 * fetch.h, D (of the results before they are stored, as in scan_walk.h; also NARROW or PUT and
 * DIRECT), LD(F) -> working type, JOIN of two and ID, the neutral one, A (carry), A_ZERO, TAKE(A *,
 * working type), GET(A base, A own) -> working type, MADE(working type) -> D if these differ, SUMS
 * or PRODUCTS if scan_eights.h has a function for it (COPIES: which wants D), CHAINS (may parts of
 * a line be joined by themselves?), MEET(A *, const A *) if so, and SEQUENTIAL for float: eight and
 * more lines without gaps are joined element by element, in lanes (scan_lanes.h) or turned over,
 * and sums of one in blocks of parts. After: FN(scanner); T, F, D, FETCH, WIDEN, LD, MADE, NARROW,
 * PUT, DIRECT and SEQUENTIAL are undefined.
 *
 * The carry of a line is two numbers: what all parts before this one came to, and what this part
 * has so far. */

#ifndef MADE
#define MADE(x) (x)
#endif

static inline A *FN(bases)(void *carry) { return carry; }
static inline A *FN(owns)(void *carry, int64_t lines) { return (A *)carry + lines; }

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    (void)at, (void)i0, (void)istep;
    A base = FN(bases)(carry)[line], own = FN(owns)(carry, lines)[line];
    int64_t j = 0;
#if defined(SEQUENTIAL) && defined(SUMS)
    D rest[SCAN_BLOCK] __attribute__((aligned(64)));
    for (; n - j >= LINE_BLOCK; j += LINE_BLOCK) {
        double before[LINE_PARTS];
        line_totals(x + j, before);
        for (int p = 0; p < LINE_PARTS; p++) {
            const double total = before[p];
            before[p] = GET(base, own);
            TAKE(&own, total);
        }
        if (y) line_block(x + j, y + j, before);
    }
    if (!y) y = rest; /* the carry alone is asked for */
#endif
#ifdef SUMS
    while (n - j >= 8) {
        const int64_t count = (n - j < SCAN_RUN ? n - j : SCAN_RUN) / 8 * 8;
        const __typeof__(GET(base, own)) before = GET(base, own);
#ifdef COPIES
        for (int64_t k = j; k < j + count; k++) y[k] = LD(x[k]);
        TAKE(&own, SUMS(y + j, y + j, count, before));
#else
        TAKE(&own, SUMS(x + j, y + j, count, before));
#endif
        j += count;
    }
#elif CHAINS
    /* Eight chains of additions are under way at once: each has to wait for itself only. */
    int64_t part = n / 8;
    if (part >= 8) {
        D s[8];
        for (int l = 0; l < 8; l++) s[l] = ID;
        for (int64_t k = 0; k < part; k++)
            for (int l = 0; l < 8; l++) y[l * part + k] = s[l] = JOIN(s[l], LD(x[l * part + k]));
        for (int l = 0; l < 8; l++) {
            const D before = GET(base, own);
            for (int64_t k = l * part; k < (l + 1) * part; k++) y[k] = JOIN(before, y[k]);
            TAKE(&own, s[l]);
        }
        j = 8 * part;
    }
#endif
#ifdef PRODUCTS
    j = n / 8 * 8;
    own = PRODUCTS(x, y, j, own);
#endif
    for (; j < n; j++) {
        TAKE(&own, LD(x[j]));
        y[j] = MADE(GET(base, own));
    }
    FN(owns)(carry, lines)[line] = own;
}

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    (void)at, (void)i;
    const A *base = FN(bases)(carry);
    A *own = FN(owns)(carry, lines);
    SIMD_IVDEP
    for (int64_t r = 0; r < lines; r++) {
        TAKE(&own[r], LD(x[r]));
        y[r] = MADE(GET(base[r], own[r]));
    }
}

#if defined(SEQUENTIAL) && LANES_HERE
#ifdef SUMS
#define BASES(carry) FN(bases)(carry)
#else
#define BASES(carry) NULL
#endif
#define IN_LANES FN(run_lanes)

/* False: the lines are few, or not without gaps. */
static APART bool FN(run_lanes)(void *carry, const nomen__scan_args *a) {
    enum { LEAST = 4 }; /* elements of a line that are worth turning over */
    if (a->lines < 8) return false;
    if (a->in_row == 4 && a->out_row == 4)
        lanes_levels(a, FN(owns)(carry, a->lines), BASES(carry));
    else if (a->in_step == 4 && a->out_step == 4 && a->n >= LEAST)
        lanes_run(a, FN(owns)(carry, a->lines), BASES(carry));
    else
        return false;
    return true;
}

#undef BASES
#endif

#if defined(SEQUENTIAL) && defined(SUMS)
#define SKIPS
#endif
#define FOLDS
#include "kernels/loops/scan_walk.h"

#undef IN_LANES
#undef SKIPS
#undef FOLDS

static void FN(begin)(void *carry, int64_t lines) {
    A *a = carry;
    for (int64_t r = 0; r < 2 * lines; r++) a[r] = A_ZERO;
}

#if CHAINS
static void FN(join)(void *carry, const void *part, int64_t lines) {
    A *base = FN(bases)(carry), *own = FN(owns)(carry, lines);
    const A *other = (const A *)part + lines;
    for (int64_t r = 0; r < lines; r++) {
        MEET(&base[r], &other[r]);
        own[r] = A_ZERO;
    }
}
#endif

static const nomen__scanner FN(scanner) = {
    .carry_bytes = 2 * sizeof(A),
    .begin = FN(begin),
    .run = FN(run),
#if CHAINS
    .join = FN(join),
#endif
};

#undef T
#undef F
#undef D
#undef LD
#undef MADE
#undef FETCH
#undef WIDEN
#undef NARROW
#undef PUT
#undef DIRECT
#undef SEQUENTIAL
