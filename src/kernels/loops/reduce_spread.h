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
/* A vector of doubles from as many R. */
#define TO_F64(p) _Generic((p), const float *: widen_f32, const double *: ld_f64)(p)

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

/* Sums of the distances of whole rounds of lanes from shift[], in lanes s, and of their squares, in
 * lanes q, which may be NULL where nobody asks for squares. As many vectors at a time as registers
 * hold: the numbers are in L1. Most of the sums are fused with a multiplication by one: the same
 * bits, and not all of the work for those units of the processor that add. */
static inline __attribute__((always_inline)) int64_t FN(rounds)(const R *x, int64_t n,
                                                                const double *shift, double *s,
                                                                double *q) {
    enum { TAKEN = LANES / W64 < 4 ? LANES / W64 : 4 };
    const vf64 one = v_set_f64(1);
    double period[W64];
    int64_t end = n - n % LANES;
    for (int l = 0; l < W64; l++) period[l] = shift[l % PARTS];
    const vf64 c = ld_f64(period);
    for (int first = 0; first < LANES; first += TAKEN * W64) {
        vf64 sums[TAKEN], squares[TAKEN];
        for (int v = 0; v < TAKEN; v++) sums[v] = squares[v] = (vf64){0};
        for (int64_t j = first; j < end; j += LANES)
#pragma GCC unroll 4
            for (int v = 0; v < TAKEN; v++) {
                const vf64 d = TO_F64(x + j + v * W64) - c;
                sums[v] = v % 2 && q ? v_fma(d, one, sums[v]) : sums[v] + d;
                if (q) squares[v] = v_fma(d * d, one, squares[v]);
            }
        for (int v = 0; v < TAKEN; v++) {
            st_f64(s + first + v * W64, sums[v]);
            if (q) st_f64(q + first + v * W64, squares[v]);
        }
    }
    return end;
}

/* Sums of x - shift and of its square over n elements; sum[] by parts. */
static inline __attribute__((always_inline)) double
FN(sums)(const R *x, int64_t n, const double *shift, double *sum, bool squared) {
    double s[LANES] __attribute__((aligned(64))), q[LANES] __attribute__((aligned(64)));
    double squares = 0;
    int64_t j = 0;
    n *= PARTS;
    if (n >= LANES)
        j = FN(rounds)(x, n, shift, s, squared ? q : NULL);
    else
        s[0] = s[1] = q[0] = q[1] = 0;
    /* What whole rounds leave over goes to two lanes. */
    for (; j < n; j += 2)
        for (int l = 0; l < 2 && j + l < n; l++) {
            const double d = (double)x[j + l] - shift[l % PARTS];
            s[l] += d;
            if (squared) q[l] += d * d;
        }
    if (n >= LANES)
#pragma GCC unroll 8
        for (int w = LANES / 2; w >= 2; w /= 2)
            for (int l = 0; l < w; l++) {
                s[l] += s[l + w];
                if (squared) q[l] += q[l + w];
            }
    if (PARTS == 1) {
        s[0] += s[1];
        if (squared) q[0] += q[1];
    }
    for (int k = 0; k < PARTS; k++) {
        sum[k] = s[k];
        if (squared) squares += q[k];
    }
    return squares;
}

static APART double FN(distances)(const R *x, int64_t n, const double *shift, double *sum) {
    return FN(sums)(x, n, shift, sum, true);
}

static APART void FN(row)(A *acc, const F *row, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    const R *x = (const R *)(const void *)row;
    double shift[PARTS], sum[PARTS];
    for (int k = 0; k < PARTS; k++) shift[k] = TWO_PASS ? 0 : FN(settled)((double)x[k]);
    if (TWO_PASS) {
        FN(sums)(x, n, shift, sum, false);
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
#undef TO_F64
#undef T
#undef F
#undef R
#undef PARTS
#undef TWO_PASS
#undef FETCH
#undef WIDEN
