/* Include-template: the logarithm of a sum of exponentials of complex numbers, of everything and
 * running. Before: SFX, T (c64 or c128), WIDE(T) -> c128, SLIM(c128) -> T, and OP as the row's
 * reducer is called. After: reducer_logsumexp_SFX and scanner_logcumsumexp_SFX; SFX, T, WIDE and
 * SLIM are undefined. */

#define A    sum_of_exp
#define F    T
#define OP   logsumexp
#define CORE logsumexp

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    for (int64_t j = 0; j < n; j++) take_number(acc, WIDE(x[j]));
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    for (int64_t j = 0; j < rows; j++) {
        const F *x = (const F *)(const void *)((const char *)in + j * pitch);
        for (int64_t i = 0; i < n_acc; i++) take_number(acc + i, WIDE(x[i]));
    }
}

#include "kernels/loops/reduce_walk.h"

static void FN(init)(void *acc, int64_t n_acc) { nothing_yet(acc, n_acc); }

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    for (int64_t i = 0; i < n_acc; i++) take_sum(&a[i], b[i]);
}

#define OUT        T
#define DONE(a, p) SLIM(log_of_sum(a))
#include "kernels/loops/reduce_finish.h"

#undef OP
#undef CORE
#define OP logcumsumexp
#define D  c128

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    (void)lines, (void)at, (void)i0, (void)istep;
    A *acc = (A *)carry + line;
    for (int64_t j = 0; j < n; j++) {
        take_number(acc, WIDE(x[j]));
        y[j] = log_of_sum(acc);
    }
}

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    (void)at, (void)i;
    A *acc = carry;
    for (int64_t r = 0; r < lines; r++) {
        take_number(acc + r, WIDE(x[r]));
        y[r] = log_of_sum(acc + r);
    }
}

#define PUT(d) SLIM(d)
#include "kernels/loops/scan_walk.h"

static const nomen__scanner FN(scanner) = {
    .carry_bytes = sizeof(A), .begin = nothing_yet, .run = FN(run)};

#undef OP
#undef A
#undef F
#undef D
#undef PUT
#undef SFX
#undef T
#undef WIDE
#undef SLIM
