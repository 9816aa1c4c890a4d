/* Include-template: the largest or smallest element so far and where it stands; of equals the last,
 * and from the first NaN on the last NaN. Before: OP, SFX, T, F, FETCH, WIDEN as in fetch.h,
 * REACHES(a, b) (is a as good as b?), U (signed integer as wide as F), FLOATING, NARROW or PUT
 * and DIRECT as in scan_walk.h. After: FN(scanner); all of them but OP and REACHES are undefined.
 */

#define D           F
#define IS_NAN(x)   (FLOATING && (x) != (x))
#define TAKES(x, v) (IS_NAN(x) | REACHES(x, v)) /* nothing reaches NaN but NaN */

/* at < 0: nothing seen yet. */
static inline F *FN(values)(void *carry) { return carry; }
static inline int64_t *FN(places)(void *carry, int64_t lines) {
    return (int64_t *)(void *)((char *)carry + lines * 8);
}

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    enum { AHEAD = 16, DENSE = 64 };
    if (n == 0) return;
    int64_t place = FN(places)(carry, lines)[line], j = 0;
    F best = place < 0 ? x[0] : FN(values)(carry)[line];
    if (place < 0) place = i0;
    while (j < n) {
        U hit = n - j < AHEAD;
        if (!hit) {
#pragma GCC unroll 1 /* else it is taken apart before it could become a vector */
            for (int k = 0; k < AHEAD; k++) hit |= (U)TAKES(x[j + k], best);
        }
        if (!hit) { /* the common case in a long line: nothing reaches the best so far */
#pragma GCC unroll 1
            for (int k = 0; k < AHEAD; k++) y[j + k] = best;
#pragma GCC unroll 1
            for (int k = 0; k < AHEAD; k++) at[j + k] = place;
            j += AHEAD;
            continue;
        }
#if FLOATING
        for (; j < n && !TAKES(x[j], best); j++) {
            y[j] = best;
            at[j] = place;
        }
        for (; j < n && TAKES(x[j], best); j++) {
            y[j] = best = x[j];
            at[j] = place = i0 + j * istep;
        }
#else /* many are equal, in no order that a branch could foresee; to choose takes two steps */
        int64_t here = i0 + j * istep;
        for (const int64_t end = n - j < DENSE ? n : j + DENSE; j < end; j++, here += istep) {
            const F one = x[j];
            if (sizeof(F) < sizeof place) /* where gcc makes a branch of ?: */
                place ^= (place ^ here) & -(int64_t)TAKES(one, best);
            else
                place = TAKES(one, best) ? here : place;
            best = REACHES(one, best) ? one : best;
            y[j] = best;
            at[j] = place;
        }
#endif
    }
    FN(values)(carry)[line] = best;
    FN(places)(carry, lines)[line] = place;
}

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    F *best = FN(values)(carry);
    int64_t *place = FN(places)(carry, lines);
    SIMD_IVDEP
    for (int64_t r = 0; r < lines; r++) {
        bool take = (place[r] < 0) | TAKES(x[r], best[r]);
        y[r] = best[r] = take ? x[r] : best[r];
        at[r] = place[r] = take ? i : place[r];
    }
}

#define POSITIONS
#include "kernels/loops/scan_walk.h"
#undef POSITIONS

static void FN(begin)(void *carry, int64_t lines) {
    for (int64_t r = 0; r < lines; r++) {
        FN(values)(carry)[r] = 0;
        FN(places)(carry, lines)[r] = -1;
    }
}

static void FN(join)(void *carry, const void *part, int64_t lines) {
    const F *value = part;
    const int64_t *place = (const int64_t *)(const void *)((const char *)part + lines * 8);
    for (int64_t r = 0; r < lines; r++) {
        F *best = &FN(values)(carry)[r];
        int64_t *at = &FN(places)(carry, lines)[r];
        if (place[r] < 0 || (*at >= 0 && !TAKES(value[r], *best))) continue;
        *best = value[r];
        *at = place[r];
    }
}

static const nomen__scanner FN(scanner) = {
    .carry_bytes = 16, .begin = FN(begin), .run = FN(run), .join = FN(join)};

#undef D
#undef IS_NAN
#undef TAKES
#undef SFX
#undef T
#undef F
#undef U
#undef FETCH
#undef WIDEN
#undef NARROW
#undef PUT
#undef DIRECT
#undef FLOATING
