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

static bool FN(short_lines)(void *carry, const nomen__scan_args *a);
#define IN_LANES FN(short_lines)
#include "kernels/loops/scan_walk.h"
#undef IN_LANES

static bool FN(short_lines)(void *carry, const nomen__scan_args *a) {
    const int64_t n = a->n, lines = a->lines, bytes = (int64_t)sizeof(T);
    double *refs = carry, *sums = refs + lines, *lost = sums + lines;
    double y[SHORT_ALL + W64] __attribute__((aligned(64)));
    F buf[SHORT_ALL];
    if (!a->out || n < 2 || n > SHORT || lines > SHORT_ALL || n * lines > SHORT_ALL) return false;
    /* y is as the elements lie: line after line, or element after element of all lines */
    const bool across = a->in_row == bytes && a->in_step != bytes;
    const int64_t count = across ? lines : n, times = across ? n : lines,
                  in_next = across ? a->in_step : a->in_row,
                  in_each = across ? a->in_row : a->in_step,
                  out_next = across ? a->out_step : a->out_row,
                  out_each = across ? a->out_row : a->out_step;
    const bool joined = in_next == count * in_each, whole = out_next == count * out_each;
    for (int64_t k = 0; k < (joined ? 1 : times); k++) {
        const int64_t some = joined ? count * times : count;
        const F *x = FN(fetch)(a->in + k * in_next, in_each, some, buf);
        for (int64_t i = 0; i < some; i++) y[k * count + i] = (double)x[i];
    }
    if (!lse_short(refs, sums, lost, lines, y, n, across ? 1 : n, across ? lines : 1)) return false;
    for (int64_t k = 0; k < (whole ? 1 : times); k++)
        FN(put)(y + k * count, a->out + k * out_next, out_each, whole ? count * times : count);
    return true;
}

static const nomen__scanner FN(scanner) = {
    .carry_bytes = 24, .of_one = NOMEN__PLUS_ZERO, .begin = lse_begin, .run = FN(run)};

#undef D
#undef SFX
#undef T
#undef F
#undef FETCH
#undef WIDEN
#undef NARROW
#undef PUT
#undef DIRECT
