/* Include-template: the logarithm of a running sum of exponentials of real numbers. Before: OP,
 * SFX, T, F, FETCH and WIDEN as in fetch.h, NARROW or PUT and DIRECT as in scan_walk.h. After:
 * FN(scanner); all of them but OP are undefined. */

#define D double

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    (void)at, (void)i0, (void)istep;
    double *refs = carry, *sums = refs + lines, *lost = sums + lines;
    for (int64_t i = 0; i < n; i++) y[i] = (double)x[i];
    lse_block(&refs[line], &sums[line], &lost[line], y, n);
}

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    (void)at, (void)i;
    double *refs = carry, *sums = refs + lines, *lost = sums + lines;
    for (int64_t r = 0; r < lines; r++) y[r] = (double)x[r];
    lse_level(refs, sums, lost, y, lines);
}

#include "kernels/loops/scan_walk.h"

static const nomen__scanner FN(scanner) = {.carry_bytes = 24, .begin = lse_begin, .run = FN(run)};

#undef D
#undef SFX
#undef T
#undef F
#undef FETCH
#undef WIDEN
#undef NARROW
#undef PUT
#undef DIRECT
