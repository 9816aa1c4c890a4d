/* Include-template: the logarithm of a sum of exponentials of complex numbers, of everything and
 * running. Before: SFX, T (c64 or c128), PART (the SFX of its parts), IS_NARROW (T is c64),
 * WIDE(T) -> c128 and SLIM(c128) -> T. After: reducer_logsumexp_SFX and scanner_logcumsumexp_SFX;
 * SFX, T, PART, IS_NARROW, WIDE and SLIM are undefined. */

#define A    sum_of_exp
#define F    T
#define OP   logsumexp
#define CORE logsumexp

/* The first n of a vector of numbers; the others are like the last. */
static inline vc64 FN(some)(const T *x, int64_t n) {
    T few[W64];
    if (n >= W64) return LOOP_NAME2(vc_load, PART)(x);
    for (int l = 0; l < W64; l++) few[l] = x[l < n ? l : n - 1];
    return LOOP_NAME2(vc_load, PART)(few);
}

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    enum { LANES_EACH = 8, VECTORS = LANES_EACH / W64 };
    vf64 top = v_set_f64(acc->most);
    vc64 s[VECTORS];
    c128 sums[LANES_EACH];
    (void)i0, (void)istep;
    for (int64_t j = 0; j < n; j += W64) top = top_of(top, FN(some)(x + j, n - j).re);
    double most = acc->most;
    for (int l = 0; l < W64; l++) most = top[l] > most ? top[l] : most;
    lift(acc, most);
    const vf64 shift = v_set_f64(shift_of(acc));
    for (int v = 0; v < VECTORS; v++) s[v] = (vc64){{0}, {0}};
    for (int64_t j = 0; j < n; j += LANES_EACH)
        for (int v = 0; v < VECTORS; v++) {
            const int64_t left = n - j - v * W64;
            c128 there[W64];
            if (left <= 0) break;
            vc64 e = exps_of(FN(some)(x + j + v * W64, left), shift);
            if (left < W64) {
                for (int l = 0; l < W64; l++) there[l] = (c128){l < left, 0};
                const vi64 none = vc_load_f64(there).re == 0;
                e = (vc64){v_sel_f64(none, (vf64){0}, e.re), v_sel_f64(none, (vf64){0}, e.im)};
            }
            s[v] = (vc64){s[v].re + e.re, s[v].im + e.im};
        }
    for (int v = 0; v < VECTORS; v++) vc_store_f64(sums + v * W64, s[v]);
    for (int half = LANES_EACH / 2; half; half /= 2)
        for (int l = 0; l < half; l++)
            sums[l] = (c128){sums[l].re + sums[l + half].re, sums[l].im + sums[l + half].im};
    acc->sum = (c128){acc->sum.re + sums[0].re, acc->sum.im + sums[0].im};
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    for (int64_t i = 0; i < n_acc; i += W64) {
        const char *from = (const char *)(in + i);
        const int64_t here = n_acc - i < W64 ? n_acc - i : W64;
        c128 tops[W64], shifts[W64], sums[W64];
        for (int l = 0; l < W64; l++) tops[l] = (c128){l < here ? acc[i + l].most : 0, 0};
        vc64 top = vc_load_f64(tops);
        for (int64_t j = 0; j < rows; j++)
            top.re = top_of(top.re, FN(some)((const F *)(const void *)(from + j * pitch), here).re);
        vc_store_f64(tops, top);
        for (int l = 0; l < W64; l++) {
            A *const a = acc + i + (l < here ? l : here - 1);
            if (l < here) lift(a, tops[l].re);
            shifts[l] = (c128){shift_of(a), 0};
            sums[l] = a->sum;
        }
        const vf64 shift = vc_load_f64(shifts).re;
        vc64 sum = vc_load_f64(sums);
        for (int64_t j = 0; j < rows; j++) {
            const F *x = (const F *)(const void *)(from + j * pitch);
            const vc64 e = exps_of(FN(some)(x, here), shift);
            sum = (vc64){sum.re + e.re, sum.im + e.im};
        }
        vc_store_f64(sums, sum);
        for (int l = 0; l < here; l++) acc[i + l].sum = sums[l];
    }
}

#include "kernels/loops/reduce_walk.h"

static void FN(init)(void *acc, int64_t n_acc) { nothing_yet(acc, n_acc); }

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    for (int64_t i = 0; i < n_acc; i++) take_sum(&a[i], b[i]);
}

#define OUT                T
#define MADE               c128
#define RESULTS(acc, n, y) logs_of_sums(acc, n, y, IS_NARROW)
#define DONE(a, p)         SLIM(*(a))
#include "kernels/loops/reduce_finish.h"
#undef RESULTS
#undef MADE

#undef OP
#undef CORE
#define OP logcumsumexp
#define D  c128

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    (void)at, (void)i0, (void)istep;
    c128 *refs = carry, *sums = refs + lines;
    for (int64_t j = 0; j < n; j++) y[j] = WIDE(x[j]);
    running_block(refs + line, sums + line, y, n, IS_NARROW);
}

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    (void)at, (void)i;
    c128 *refs = carry, *sums = refs + lines;
    for (int64_t r = 0; r < lines; r++) y[r] = WIDE(x[r]);
    running_level(refs, sums, y, lines, IS_NARROW);
}

#define PUT(d) SLIM(d)
#include "kernels/loops/scan_walk.h"

static const nomen__scanner FN(scanner) = {
    .carry_bytes = 2 * sizeof(c128), .begin = running_begin, .run = FN(run)};

#undef OP
#undef A
#undef F
#undef D
#undef PUT
#undef SFX
#undef T
#undef PART
#undef IS_NARROW
#undef WIDE
#undef SLIM
