/* Include-template: count, mean and sum of squared distances from the mean, of real or complex
 * numbers. Before: OP, CORE (the same), SFX, T, F (fetched element), R (real number of which F has
 * PARTS), PARTS (1 or 2), TWO_PASS (1: the block's mean is the shift; 0: its first element, when R
 * has fewer digits than the double sums), for half types FETCH and WIDEN. After: FN(init),
 * FN(step), FN(merge) and FN(moments), for A. */

typedef struct FN(moments) {
    double n, mean[PARTS], spread;
} FN(moments);
#define A FN2(moments, CORE, SFX)
enum { FN(lanes) = 32 };
#define LANES FN(lanes)

/* The shift must be a number: distances from infinity say nothing about the mean. */
static inline double FN(settled)(double shift) { return shift - shift == 0 ? shift : 0; }

/* Joins two groups of numbers into the first (Chan, Golub, LeVeque). share: b's part of all. */
static inline void FN(meet)(A *a, const A *b, double share) {
    if (a->n == 0) {
        *a = *b;
        return;
    }
    double distance = 0;
    for (int k = 0; k < PARTS; k++) {
        double d = b->mean[k] - a->mean[k];
        double way = d - d == 0 ? d * share : b->mean[k] * share - a->mean[k] * share;
        a->mean[k] += a->mean[k] - a->mean[k] == 0 ? way : b->mean[k];
        distance += d * d;
    }
    a->spread += b->spread + distance * (a->n * share);
    a->n += b->n;
}

/* From sums of distances and squared distances from a shift. Rounding may leave a tiny negative
 * spread. */
static inline void FN(conclude)(A *a, double n, const double *shift, const double *sum,
                                double squares) {
    a->n = n;
    for (int k = 0; k < PARTS; k++) {
        double d = sum[k] / n;
        a->mean[k] = shift[k] + d;
        /* squares too large for a double stay infinite; only an infinite element makes NaN */
        if (squares - squares == 0 || sum[k] - sum[k] != 0) squares -= sum[k] * d;
    }
    a->spread = squares < 0 ? 0 : squares;
}

/* NaN of finite numbers means that distances overflowed: the spread is too large for a double. */
static APART void FN(overflowed)(A *a, const R *x, int64_t n, int64_t pitch) {
    double mean[PARTS] = {0};
    for (int64_t j = 0; j < n; j++, x = (const R *)(const void *)((const char *)x + pitch))
        for (int k = 0; k < PARTS; k++) {
            double each = (double)x[k];
            if (each - each != 0) return;
            mean[k] += each / (double)n;
        }
    for (int k = 0; k < PARTS; k++) a->mean[k] = mean[k];
    a->spread = (double)__builtin_inff();
}

/* Numbers j to n of the two sums, in two lanes: what whole vectors leave over. */
static inline void FN(leftover)(const R *x, int64_t j, int64_t n, const double *c, double *s,
                                double *q) {
    for (; j < n; j += 2)
        for (int l = 0; l < 2 && j + l < n; l++) {
            double d = (double)x[j + l] - c[l];
            s[l] += d;
            q[l] += d * d;
        }
}

/* Sums of x - shift and of its square over n elements; sum[] by parts. */
static inline double FN(distances)(const R *x, int64_t n, const double *shift, double *sum) {
    double s[LANES], q[LANES], c[LANES], squares = 0;
    int64_t j = 0;
    n *= PARTS;
    const int lanes = n < LANES ? 2 : LANES;
    for (int l = 0; l < lanes; l++) s[l] = q[l] = 0, c[l] = shift[l % PARTS];
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++) {
            double d = (double)x[j + l] - c[l];
            s[l] += d;
            q[l] += d * d;
        }
    FN(leftover)(x, j, n, c, s, q);
    for (int w = lanes / 2; w >= PARTS; w /= 2)
        for (int l = 0; l < w; l++) s[l] += s[l + w], q[l] += q[l + w];
    for (int k = 0; k < PARTS; k++) sum[k] = s[k], squares += q[k];
    return squares;
}

static APART void FN(row)(A *acc, const F *row, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    const R *x = (const R *)(const void *)row;
    double shift[PARTS], sum[PARTS];
    for (int k = 0; k < PARTS; k++) shift[k] = TWO_PASS ? 0 : FN(settled)((double)x[k]);
    if (TWO_PASS) {
        FN(distances)(x, n, shift, sum);
        for (int k = 0; k < PARTS; k++) {
            double mean = sum[k] / (double)n;
            /* a sum may overflow where the numbers do not */
            shift[k] = mean - mean == 0 ? mean : FN(settled)((double)x[k]);
        }
    }
    A block;
    double squares = FN(distances)(x, n, shift, sum);
    FN(conclude)(&block, (double)n, shift, sum, squares);
    if (TWO_PASS && block.spread != block.spread)
        FN(overflowed)(&block, x, n, (int64_t)sizeof *row);
    FN(meet)(acc, &block, block.n / (acc->n + block.n));
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    double s[NOMEN__ACC_BLOCK * PARTS] __attribute__((aligned(64)));
    double q[NOMEN__ACC_BLOCK * PARTS] __attribute__((aligned(64)));
    const char *p = (const char *)in;
    double c[NOMEN__ACC_BLOCK * PARTS] __attribute__((aligned(64)));
    const R *first = (const R *)(const void *)p;
    int64_t width = n_acc * PARTS, j = 0;
    for (int64_t i = 0; i < width; i++) s[i] = q[i] = 0, c[i] = FN(settled)((double)first[i]);
    for (; j + 4 <= rows; j += 4) {
        const R *x0 = (const R *)(const void *)(p + j * pitch);
        const R *x1 = (const R *)(const void *)(p + (j + 1) * pitch);
        const R *x2 = (const R *)(const void *)(p + (j + 2) * pitch);
        const R *x3 = (const R *)(const void *)(p + (j + 3) * pitch);
        for (int64_t i = 0; i < width; i++) {
            double d0 = (double)x0[i] - c[i], d1 = (double)x1[i] - c[i], d2 = (double)x2[i] - c[i],
                   d3 = (double)x3[i] - c[i];
            s[i] += (d0 + d1) + (d2 + d3);
            q[i] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3);
        }
    }
    for (; j < rows; j++) {
        const R *x0 = (const R *)(const void *)(p + j * pitch);
        for (int64_t i = 0; i < width; i++) {
            double d0 = (double)x0[i] - c[i];
            s[i] += d0;
            q[i] += d0 * d0;
        }
    }
    double n = (double)rows, before = -1, share = 1;
    for (int64_t i = 0; i < n_acc; i++) {
        double shift[PARTS], squares = 0;
        for (int k = 0; k < PARTS; k++) shift[k] = c[i * PARTS + k], squares += q[i * PARTS + k];
        A block;
        FN(conclude)(&block, n, shift, s + i * PARTS, squares);
        if (TWO_PASS && block.spread != block.spread)
            FN(overflowed)(&block, first + i * PARTS, rows, pitch);
        if (acc[i].n != before) before = acc[i].n, share = n / (before + n);
        FN(meet)(&acc[i], &block, share);
    }
}

#include "kernels/loops/reduce_walk.h"

static void FN(init)(void *acc, int64_t n_acc) { memset(acc, 0, (size_t)n_acc * sizeof(A)); }

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    for (int64_t i = 0; i < n_acc; i++)
        if (b[i].n > 0) FN(meet)(&a[i], &b[i], b[i].n / (a[i].n + b[i].n));
}

#undef LANES
#undef T
#undef F
#undef R
#undef PARTS
#undef TWO_PASS
#undef FETCH
#undef WIDEN
