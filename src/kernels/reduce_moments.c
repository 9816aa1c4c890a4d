/* Variances and standard deviations, with and without the mean.
 *
 * Idea: a block's sums of distances and squared distances from a number near its mean, in double
 * lanes; blocks are joined by counts, means and spreads. For float32 and the half types any element
 * of the block is near enough: the squares grow by at most the block's length, and double has more
 * spare digits than that. float64 takes the block's mean, which costs a second pass over a block
 * that is in L1 by then.
 *
 * Limit: bytes read from a buffer of the same size. Share (bench/bench_kernels.c) on a shared
 * Zen 5 at 1 MiB: float32 about 45 % in a long row, 32 % in columns: double lanes. */
#define HEAVY
#include "kernels/loops/reduce.h"

/* What is divided by nothing becomes inf or NaN, as the division has it; of nothing all is NaN. */
static inline double variance(double spread, const nomen__reduce_param *p) {
    double rest = p->count ? (double)p->count - p->correction : 0;
    return spread / (rest > 0 ? rest : 0);
}
static inline double deviation(double spread, const nomen__reduce_param *p) {
    return __builtin_sqrt(variance(spread, p));
}

/* The mean of nothing is NaN. */
static inline double average(double mean, const nomen__reduce_param *p) {
    return p->count ? mean : (double)__builtin_nanf("");
}
static inline c64 average_c64(const double *mean, const nomen__reduce_param *p) {
    return (c64){(float)average(mean[0], p), (float)average(mean[1], p)};
}
static inline c128 average_c128(const double *mean, const nomen__reduce_param *p) {
    return (c128){average(mean[0], p), average(mean[1], p)};
}

#define CORE spread

#define SFX        f16
#define T          uint16_t
#define F          float
#define R          float
#define PARTS      1
#define TWO_PASS   0
#define FETCH(x)   from_f16(x)
#define WIDEN      widen_f16
#define TYPE       uint16_t
#define ROUND(x)   (x)
#define ROUNDED    narrow_odd_f16
#define MEAN_TYPE  uint16_t
#define MEAN(a, p) average((a)->mean[0], p)
#include "kernels/loops/spreads.h"

#define SFX        bf16
#define T          uint16_t
#define F          float
#define R          float
#define PARTS      1
#define TWO_PASS   0
#define FETCH(x)   from_bf16(x)
#define WIDEN      widen_bf16
#define TYPE       uint16_t
#define ROUND(x)   (x)
#define ROUNDED    narrow_odd_bf16
#define MEAN_TYPE  uint16_t
#define MEAN(a, p) average((a)->mean[0], p)
#include "kernels/loops/spreads.h"

#define SFX        f32
#define T          float
#define F          float
#define R          float
#define PARTS      1
#define TWO_PASS   0
#define TYPE       float
#define ROUND(x)   (float)(x)
#define MEAN_TYPE  float
#define MEAN(a, p) (float)average((a)->mean[0], p)
#include "kernels/loops/spreads.h"

#define SFX        f64
#define T          double
#define F          double
#define R          double
#define PARTS      1
#define TWO_PASS   1
#define TYPE       double
#define ROUND(x)   (x)
#define MEAN_TYPE  double
#define MEAN(a, p) average((a)->mean[0], p)
#include "kernels/loops/spreads.h"

#define SFX        c64
#define T          c64
#define F          c64
#define R          float
#define PARTS      2
#define TWO_PASS   0
#define TYPE       float
#define ROUND(x)   (float)(x)
#define MEAN_TYPE  c64
#define MEAN(a, p) average_c64((a)->mean, p)
#include "kernels/loops/spreads.h"

#define SFX        c128
#define T          c128
#define F          c128
#define R          double
#define PARTS      2
#define TWO_PASS   1
#define TYPE       double
#define ROUND(x)   (x)
#define MEAN_TYPE  c128
#define MEAN(a, p) average_c128((a)->mean, p)
#include "kernels/loops/spreads.h"

const nomen__kernel NOMEN__TABLE(reduce_moments)[] = {
    REDUCER_FLOATS("var", var),
    REDUCER_COMPLEXES("var", var),
    REDUCER_FLOATS("std", std),
    REDUCER_COMPLEXES("std", std),
    REDUCER_FLOATS("var_mean", var_mean),
    REDUCER_COMPLEXES("var_mean", var_mean),
    REDUCER_FLOATS("std_mean", std_mean),
    REDUCER_COMPLEXES("std_mean", std_mean),
    {.name = NULL},
};
