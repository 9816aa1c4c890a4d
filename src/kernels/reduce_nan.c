/* Sums and means of the elements that are not NaN. Of all elements: reduce_sum.c.
 *
 * Idea: as reduce_sum.c, with 0 in the place of NaN; means add up ones beside the elements that
 * count. A complex number counts if both parts are numbers. */
#define HEAVY
#include "kernels/loops/sum_lanes.h"

#define LANE_BYTES 256

/* Lanes of a sum and of how many there were. */
typedef struct tally {
    double sum, count;
} tally;
typedef struct tally_f32 {
    float sum, count;
} tally_f32;
typedef struct tally2 {
    sum2 sum;
    double count;
} tally2;
static inline tally_f32 tally_of_f32(float x) {
    return x == x ? (tally_f32){x, 1} : (tally_f32){0, 0};
}
static inline tally tally_of_f64(double x) { return x == x ? (tally){x, 1} : (tally){0, 0}; }
static inline tally_f32 tally_join_f32(tally_f32 a, tally_f32 b) {
    return (tally_f32){a.sum + b.sum, a.count + b.count};
}
static inline tally tally_join(tally a, tally b) {
    return (tally){a.sum + b.sum, a.count + b.count};
}
static inline tally tally_total_f32(tally a, tally_f32 b) {
    return (tally){a.sum + (double)b.sum, a.count + (double)b.count};
}
static inline void tally_take(tally2 *a, tally x) {
    sum2_add(&a->sum, x.sum);
    a->count += x.count;
}
static inline void tally_meet(tally2 *a, const tally2 *b) {
    sum2_add(&a->sum, b->sum.hi);
    a->sum.lo += b->sum.lo;
    a->count += b->count;
}
static inline double tally_mean(const tally2 *a) { return sum2_get(&a->sum) / a->count; }

/* The same of complex numbers; lanes want a size that is a power of two. */
typedef struct ctally {
    double re, im, count, unused;
} ctally;
typedef struct ctally2 {
    sum2 re, im;
    double count;
} ctally2;
static inline ctally ctally_of_c64(c64 x) {
    bool there = x.re == x.re && x.im == x.im;
    return there ? (ctally){(double)x.re, (double)x.im, 1, 0} : (ctally){0, 0, 0, 0};
}
static inline ctally ctally_of_c128(c128 x) {
    bool there = x.re == x.re && x.im == x.im;
    return there ? (ctally){x.re, x.im, 1, 0} : (ctally){0, 0, 0, 0};
}
static inline ctally ctally_join(ctally a, ctally b) {
    return (ctally){a.re + b.re, a.im + b.im, a.count + b.count, 0};
}
static inline void ctally_take(ctally2 *a, ctally x) {
    sum2_add(&a->re, x.re);
    sum2_add(&a->im, x.im);
    a->count += x.count;
}
static inline void ctally_meet(ctally2 *a, const ctally2 *b) {
    ctally_take(a, (ctally){b->re.hi, b->im.hi, b->count, 0});
    a->re.lo += b->re.lo;
    a->im.lo += b->im.lo;
}
static inline c128 ctally_sum(const ctally2 *a) {
    return (c128){sum2_get(&a->re), sum2_get(&a->im)};
}
static inline c128 ctally_mean(const ctally2 *a) {
    return (c128){sum2_get(&a->re) / a->count, sum2_get(&a->im) / a->count};
}

/* ---- sums ------------------------------------------------------------------------------------ */
#define OP          nansum
#define CORE        nansum
#define JOIN(a, b)  ((a) + (b))
#define TOTAL(a, b) ((a) + (double)(b))
#define ID          0
#define DID         0
#define NUMBER(x)   ((x) == (x) ? (x) : 0)

#include "kernels/loops/take_f64.h"
#define LANE           float
#define BLOCK          double
#define LOAD(x)        NUMBER(x)
#define VECTOR(v)      sum_numbers(v)
#define DIRECT         nansum_lanes
#define LANES_NARROWED narrow
#define RESULT(a, p)   *(a)
#include "kernels/loops/fold_halves.h"

#define SFX            f32
#define T              float
#define F              float
#define C              float
#define D              double
#define LD(x)          NUMBER(x)
#define LV             vf32
#define VLOAD(x)       sum_numbers(ld_f32(x))
#define FOLD_ROW(x, n) ((n) < SUM_LANES ? fold_few_nansum_f32(x, n) : nansum_lanes(x, n))
#define LANES_STAY
#define OUT        float
#define DONE(a, p) (float)*(a)
#include "kernels/loops/reduce_fold.h"
#undef FOLD_ROW

#undef SFX
#include "kernels/loops/take_sum2.h"
#define SFX               f64
#define T                 double
#define F                 double
#define C                 double
#define D                 double
#define LD(x)             NUMBER(x)
#define OF_VECTOR(v)      (vf64)((vu64)(v) & (vu64)((v) == (v)))
#define LV                vf64
#define VLOAD(x)          OF_VECTOR(ld_f64(x))
#define FOLD_DIRECT(x, n) fold_row_nansum_f64(x, n)
#define TURNED            vf64
#define TAKE_LANES(a, s)  sum_take_f64(a, s)
#define MEET_ALL(a, b, n) sum2_meet(a, b, n)
#define LANES_TURNED
#define RESULTS sum2_results
#define RESULTS_STAY
#define LANES_STAY
#define OUT        double
#define DONE(a, p) *(a)
#include "kernels/loops/reduce_fold.h"
#undef RESULTS
#undef SFX
#undef OF_VECTOR

/* ---- means, and complex sums ----------------------------------------------------------------- */
#undef OP
#undef CORE
#undef JOIN
#undef TOTAL
#undef ID
#undef DID
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#define OP          nanmean
#define CORE        nanmean
#define JOIN(a, b)  tally_join_f32(a, b)
#define TOTAL(a, b) _Generic((b), tally_f32: tally_total_f32, tally: tally_join)(a, b)
#define ID          ((C){0, 0})
#define DID         ((tally){0, 0})
#define A           tally2
#define A_ZERO      ((tally2){{0, 0}, 0})
#define TAKE(a, x)  tally_take(a, x)
#define MEET(a, b)  tally_meet(a, b)

/* Elements of a block that are numbers; that many ones are exact in 32 bits. */
static inline double numbers_f32(const float *x, int64_t n) {
    int32_t count = 0;
    for (int64_t i = 0; i < n; i++) count += x[i] == x[i];
    return count;
}
static inline double numbers_f64(const double *x, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += x[i] == x[i];
    return (double)count;
}

/* A row is walked twice while it is in cache: structs are no vectors. */
#define FOLD_ROW(x, n) ((tally){fold_row_nansum_f32(x, n), numbers_f32(x, n)})

#define LANE         tally_f32
#define BLOCK        tally
#define LOAD(x)      tally_of_f32(x)
#define RESULT(a, p) tally_mean(a)
#include "kernels/loops/fold_floats.h"

#undef JOIN
#define JOIN(a, b) tally_join(a, b)
#define SFX        f64
#define T          double
#define F          double
#define C          tally
#define D          tally
#define LD(x)      tally_of_f64(x)
#define OUT        double
#define DONE(a, p) tally_mean(a)
#undef FOLD_ROW
#define FOLD_ROW(x, n) ((tally){fold_row_nansum_f64(x, n), numbers_f64(x, n)})
#include "kernels/loops/reduce_fold.h"
#undef FOLD_ROW

#undef JOIN
#undef TOTAL
#undef ID
#undef DID
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#define JOIN(a, b)  ctally_join(a, b)
#define TOTAL(a, b) ctally_join(a, b)
#define ID          ((ctally){0, 0, 0, 0})
#define DID         ((ctally){0, 0, 0, 0})
#define A           ctally2
#define A_ZERO      ((ctally2){{0, 0}, {0, 0}, 0})
#define TAKE(a, x)  ctally_take(a, x)
#define MEET(a, b)  ctally_meet(a, b)

#undef SFX
#define SFX        c64
#define T          c64
#define F          c64
#define C          ctally
#define D          ctally
#define LD(x)      ctally_of_c64(x)
#define OUT        c64
#define DONE(a, p) c_narrow(ctally_mean(a))
#include "kernels/loops/reduce_fold.h"
#undef OP
#define OP         nansum
#define OUT        c64
#define DONE(a, p) c_narrow(ctally_sum(a))
#undef CORE
#define CORE nanmean
#include "kernels/loops/reduce_finish.h"
#undef OP
#define OP nanmean

#undef SFX
#define SFX        c128
#define T          c128
#define F          c128
#define C          ctally
#define D          ctally
#define LD(x)      ctally_of_c128(x)
#define OUT        c128
#define DONE(a, p) ctally_mean(a)
#include "kernels/loops/reduce_fold.h"
#undef OP
#define OP         nansum
#define OUT        c128
#define DONE(a, p) ctally_sum(a)
#undef CORE
#define CORE nanmean
#include "kernels/loops/reduce_finish.h"
#undef OP
#define OP nanmean

const nomen__kernel NOMEN__TABLE(reduce_nan)[] = {
    REDUCER_FLOATS("nansum", nansum),
    REDUCER_COMPLEXES("nansum", nansum),
    REDUCER_FLOATS("nanmean", nanmean),
    REDUCER_COMPLEXES("nanmean", nanmean),
    {.name = NULL},
};
