/* Include-template: a reducer that joins elements by an associative operation (sum, prod, any,
 * all). The lanes are the same in every ISA, so all ISAs add in the same order and their results
 * agree bit for bit. Before: OP, CORE (the same), SFX, T (stored type), F (fetched type), C (lane
 * type), D (type of a block's result), LD(F) -> C, JOIN(C, C) -> C, TOTAL(D, C or D) -> D, ID and
 * DID (the neutral C and D), A (accumulator), A_ZERO, TAKE(A *, D), MEET(A *, const A *), OUT and
 * DONE as in reduce_finish.h, for half types also FETCH and WIDEN; BETTER as in
 * reduce_most_types.h, of extrema only. After: FN(reducer); T, F, C, D,
 * LD, FETCH, WIDEN, OUT and DONE are undefined, the rest is left for a second finish. */

enum { FN(lanes) = LANE_BYTES / (int)sizeof(C) };
_Static_assert((FN(lanes) & (FN(lanes) - 1)) == 0, "lanes are joined in halves");
#define LANES (FN(lanes) > 64 ? 64 : FN(lanes) < 8 ? 8 : FN(lanes))

#ifdef BETTER
#define IS_NAN(y) ((y) != (y))
/* Of n >= 8 elements the one that is better than all, or a NaN if there is one: kept apart, so that
 * each lane is a maximum and a comparison. */
static inline __attribute__((always_inline)) D FN(best)(const F *x, int64_t n, const int lanes) {
    C s[64] __attribute__((aligned(64))), nan[64] __attribute__((aligned(64)));
    for (int l = 0; l < lanes; l++) s[l] = LD(x[l]), nan[l] = 0;
    for (int64_t j = 0; j < n; j += lanes) {
        if (j + lanes > n) j = n - lanes; /* the last ones once more: no harm to an extremum */
        for (int l = 0; l < lanes; l++) {
            C y = LD(x[j + l]);
            nan[l] = IS_NAN(y) ? y : nan[l];
            s[l] = BETTER(y, s[l]) ? y : s[l];
        }
    }
#pragma GCC unroll 8
    for (int w = lanes / 2; w; w /= 2)
        for (int l = 0; l < w; l++) {
            nan[l] = IS_NAN(nan[l + w]) ? nan[l + w] : nan[l];
            s[l] = BETTER(s[l + w], s[l]) ? s[l + w] : s[l];
        }
    return IS_NAN(nan[0]) ? nan[0] : s[0];
}
#undef IS_NAN
#endif

/* The result of eight lanes, joined in halves. */
static inline D FN(join_eight)(D *d) {
    for (int l = 0; l < 4; l++) d[l] = TOTAL(d[l], d[l + 4]);
    d[0] = TOTAL(d[0], d[2]);
    d[1] = TOTAL(d[1], d[3]);
    return TOTAL(d[0], d[1]);
}

/* Fewer elements than lanes: those behind the eighth stay untouched. */
static inline D FN(fold_few)(const F *x, int64_t n) {
    C s[8] __attribute__((aligned(64)));
    D d[8];
    int64_t j = 0;
    for (int l = 0; l < 8; l++) s[l] = ID;
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    for (int l = 0; j + l < n; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    for (int l = 0; l < 8; l++) d[l] = TOTAL(DID, s[l]);
    return FN(join_eight)(d);
}

/* Rows from beyond the caches: the processor looks ahead to the end of a page at most, and not far
 * enough where elements are widened. */
static inline D FN(fold_row)(const F *x, int64_t n) {
#ifdef BETTER
    if (n >= 8) return n < 64 ? FN(best)(x, n, 8) : FN(best)(x, n, 64);
#endif
    if (n < LANES) return FN(fold_few)(x, n);
    C s[LANES] __attribute__((aligned(64)));
    D d[8];
    int64_t j = 0;
    for (int l = 0; l < LANES; l++) s[l] = ID;
    for (; j + LANES <= n; j += LANES) {
#ifndef FETCH
        for (int line = 0; line < (int)(LANES * sizeof *x); line += LINE)
            __builtin_prefetch((const char *)(x + j) + PREFETCH + line);
#endif
        for (int l = 0; l < LANES; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    }
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    for (int l = 0; j + l < n; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    for (int l = 0; l < 8; l++) d[l] = DID;
    for (int64_t k = 0; k < LANES; k += 8)
        for (int l = 0; l < 8; l++) d[l] = TOTAL(d[l], s[k + l]);
    return FN(join_eight)(d);
}

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    TAKE(acc, FN(fold_row)(x, n));
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    C s[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    const char *p = (const char *)in;
    /* Rows of many lines lie pages apart, where the processor sees no stream. */
    const int64_t bytes = n_acc * (int64_t)sizeof *in, wide = bytes >= 8 * LINE ? bytes : 0;
    int64_t j = 0;
    for (int64_t i = 0; i < n_acc; i++) s[i] = ID;
    for (; j + 4 <= rows; j += 4) {
        const F *x0 = (const F *)(const void *)(p + j * pitch);
        const F *x1 = (const F *)(const void *)(p + (j + 1) * pitch);
        const F *x2 = (const F *)(const void *)(p + (j + 2) * pitch);
        const F *x3 = (const F *)(const void *)(p + (j + 3) * pitch);
        for (int64_t line = 0; line < wide; line += LINE)
            for (int64_t k = 4; k < 8; k++) __builtin_prefetch(p + (j + k) * pitch + line);
        /* Step by step: a JOIN that names its operands twice would repeat them. */
        for (int64_t i = 0; i < n_acc; i++) {
            const C first = JOIN(LD(x0[i]), LD(x1[i])), second = JOIN(LD(x2[i]), LD(x3[i]));
            const C four = JOIN(first, second);
            s[i] = JOIN(s[i], four);
        }
    }
    for (; j < rows; j++) {
        const F *x0 = (const F *)(const void *)(p + j * pitch);
        for (int64_t i = 0; i < n_acc; i++) s[i] = JOIN(s[i], LD(x0[i]));
    }
    for (int64_t i = 0; i < n_acc; i++) {
        const D all = TOTAL(DID, s[i]);
        TAKE(acc + i, all);
    }
}

#include "kernels/loops/reduce_walk.h"

static void FN(init)(void *acc, int64_t n_acc) {
    A *a = acc;
    for (int64_t i = 0; i < n_acc; i++) a[i] = A_ZERO;
}

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    for (int64_t i = 0; i < n_acc; i++) MEET(&a[i], &b[i]);
}

#include "kernels/loops/reduce_finish.h"
#undef LANES
#undef T
#undef F
#undef C
#undef D
#undef LD
#undef FETCH
#undef WIDEN
