/* The logarithm of a running sum of exponentials. Of everything: reduce_logsumexp.c.
 *
 * Idea: the sum is kept in two doubles relative to an element not far below the largest so far. As
 * long as no element is much larger, a block is vector exponentials, additions and vector
 * logarithms; a much larger one (and the first, and infinities) takes a step by itself and becomes
 * the new reference. */
#include "kernels/loops/scan.h"
#include "kernels/simd/vmath.h"

#include <math.h>

/* How far above its reference an element may lie, and how many are looked at together. */
enum { FAR = 16, TOGETHER = 64 };

/* ref is -inf with sum 0 (nothing yet), inf (then inf it stays), or an element; NaN is in sum. lost
 * is what rounding took from sum. */
static void lse_begin(void *carry, int64_t lines) {
    double *ref = carry, *sum = ref + lines;
    for (int64_t r = 0; r < lines; r++) ref[r] = -(double)INFINITY;
    for (int64_t r = 0; r < 2 * lines; r++) sum[r] = 0;
}

static inline void lse_add(double *sum, double *lost, double x) {
    const double s = *sum, t = s + x, back = t - s;
    *lost += (s - (t - back)) + (x - back);
    *sum = t;
}

static double lse_step(double *ref, double *sum, double *lost, double x) {
    if (x != x) *sum = x;
    if (*sum != *sum) return *sum;
    if (x > *ref) {
        const double less = *sum != 0 && x - x == 0 ? exp(*ref - x) : 0;
        *sum = less != 0 ? *sum * less : 0;
        *lost *= less;
        lse_add(sum, lost, 1);
        *ref = x;
    } else if (x - *ref > -(double)INFINITY) { /* neither is infinite */
        lse_add(sum, lost, exp(x - *ref));
    }
    return *ref - *ref == 0 ? *ref + log(*sum + *lost) : *ref;
}

/* y: elements, then results. */
static void lse_vectors(double *y, int64_t n, double ref, double *sum, double *lost) {
    const vf64 shift = v_like((vf64){0}, ref);
    int64_t j = 0;
    for (; j + W64 <= n; j += W64) st_f64(y + j, v_exp_f64(ld_f64(y + j) - shift));
    if (j < n) st_f64_n(y + j, v_exp_f64(ld_f64_n(y + j, n - j) - shift), n - j);
    int64_t k = n / 8 * 8;
    lse_add(sum, lost, eights_sum(y, y, k, *sum + *lost));
    for (; k < n; k++) {
        lse_add(sum, lost, y[k]);
        y[k] = *sum + *lost;
    }
    for (j = 0; j + W64 <= n; j += W64) st_f64(y + j, shift + v_log_f64(ld_f64(y + j)));
    if (j < n) st_f64_n(y + j, shift + v_log_f64(ld_f64_n(y + j, n - j)), n - j);
}

static void lse_block(double *ref, double *sum, double *lost, double *y, int64_t n) {
    for (int64_t j = 0; j < n; j += TOGETHER) {
        int64_t count = n - j < TOGETHER ? n - j : TOGETHER, k = 0;
        if (!(*sum > 0)) {
            y[j] = lse_step(ref, sum, lost, y[j]);
            k = 1;
        }
        double most = *ref;
        for (int64_t i = j + k; i < j + count; i++) most = y[i] > most ? y[i] : most;
        if (most - *ref <= FAR) { /* and not inf - inf */
            lse_vectors(y + j + k, count - k, *ref, sum, lost);
            continue;
        }
        for (; k < count; k++) y[j + k] = lse_step(ref, sum, lost, y[j + k]);
    }
}

static void lse_level(double *ref, double *sum, double *lost, double *y, int64_t lines) {
    int64_t r = 0;
    for (; r + W64 <= lines; r += W64) {
        bool near = true;
        for (int l = 0; l < W64; l++)
            near &=
                (sum[r + l] > 0) & (ref[r + l] - ref[r + l] == 0) & !(y[r + l] - ref[r + l] > FAR);
        if (near) {
            const vf64 shift = ld_f64(ref + r), s = ld_f64(sum + r),
                       x = v_exp_f64(ld_f64(y + r) - shift), t = s + x, back = t - s;
            const vf64 away = ld_f64(lost + r) + ((s - (t - back)) + (x - back));
            st_f64(sum + r, t);
            st_f64(lost + r, away);
            st_f64(y + r, shift + v_log_f64(t + away));
            continue;
        }
        for (int l = 0; l < W64; l++)
            y[r + l] = lse_step(&ref[r + l], &sum[r + l], &lost[r + l], y[r + l]);
    }
    for (; r < lines; r++) y[r] = lse_step(&ref[r], &sum[r], &lost[r], y[r]);
}

/* Short lines that nothing stands before, all at once: element j of line r is y[r * row + j *
 * step], and becomes the result that lse_block would make. Behind the last there is room for a
 * vector. false: a line has to be gone through step by step, and nothing has been done. */
enum { SHORT = 8, SHORT_ALL = 64 };

static bool lse_short(double *ref, double *sum, double *lost, int64_t lines, double *y, int64_t n,
                      int64_t row, int64_t step) {
    double shift[SHORT_ALL + W64] __attribute__((aligned(64)));
    const int64_t all = lines * n;
    bool near = true;
    for (int64_t r = 0; r < lines; r++) {
        const double first = y[r * row];
        near &= (ref[r] == -(double)INFINITY) & (sum[r] == 0) & (first - first == 0);
        for (int64_t i = r * row, j = 0; j < n; j++, i += step) {
            near &= y[i] - first <= FAR;
            shift[i] = first;
        }
    }
    if (!near) return false;
    for (int l = 0; l < W64; l++) y[all + l] = shift[all + l] = 0;
    for (int64_t i = 0; i < all; i += W64)
        st_f64(y + i, v_exp_f64(ld_f64(y + i) - ld_f64(shift + i)));
    for (int64_t r = 0; r < lines; r++) {
        double s = 0, off = 0; /* in registers */
        for (int64_t i = r * row, j = 0; j < n; j++, i += step) {
            lse_add(&s, &off, y[i]);
            y[i] = s + off;
        }
        ref[r] = shift[r * row];
        sum[r] = s;
        lost[r] = off;
    }
    for (int64_t i = 0; i < all; i += W64)
        st_f64(y + i, ld_f64(shift + i) + v_log_f64(ld_f64(y + i)));
    return true;
}

#define OP logcumsumexp

#define SFX      f16
#define T        uint16_t
#define F        float
#define FETCH(x) from_f16(x)
#define WIDEN    widen_f16
#define NARROW   narrow_odd_f16
#include "kernels/loops/scan_lse.h"

#define SFX      bf16
#define T        uint16_t
#define F        float
#define FETCH(x) from_bf16(x)
#define WIDEN    widen_bf16
#define NARROW   narrow_odd_bf16
#include "kernels/loops/scan_lse.h"

#define SFX    f32
#define T      float
#define F      float
#define PUT(d) (float)(d)
#include "kernels/loops/scan_lse.h"

#define SFX    f64
#define T      double
#define F      double
#define PUT(d) (d)
#define DIRECT
#include "kernels/loops/scan_lse.h"

const nomen__kernel NOMEN__TABLE(scan_logsumexp)[] = {
    SCAN_FLOATS("logcumsumexp", logcumsumexp),
    {.name = NULL},
};
