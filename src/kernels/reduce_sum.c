/* Sums and means. Products: reduce_prod.c; variances: reduce_moments.c.
 *
 * Idea: lanes of the input's own width within a block of 1024 elements of a row (128 rows of
 * columns), blocks joined in double, so that the rounding error depends on the block and not on the
 * length; float64 keeps what the sum of the blocks lost in a second double. Small integers add in
 * 16- or 32-bit lanes that a block cannot overflow, rows of bytes eight at a time (row_bytes.h).
 *
 * Limit: bytes read from a buffer of the same size. Share, as bench/bench_kernels.c prints it (its
 * first lines say how to build it), on a shared Zen 5 at 1 MiB: one long row all of it (float32),
 * 91 % (float64), columns 80 %; rows of 8, which are turned over first, 26 %. */
#include "kernels/loops/complex_wide.h"
#include "kernels/loops/row_bytes.h"
#include "kernels/loops/sum_lanes.h"

/* The sum over mean's count. For a power of two that is a product, which takes a tenth of the time:
 * short rows have as many quotients as a few additions take. */
static inline double mean_of(double sum, const nomen__reduce_param *p) {
    const double count = (double)p->count;
    return p->count & (p->count - 1) ? sum / count : sum * (1 / count);
}
/* The same rounded once. */
static inline float mean_f32(double sum, const nomen__reduce_param *p) {
    return (float)mean_of(sum, p);
}

/* Lanes of both parts of complex numbers. */
static inline c64 join_c64(c64 a, c64 b) { return (c64){a.re + b.re, a.im + b.im}; }
static inline c128 join_c128(c128 a, c128 b) { return (c128){a.re + b.re, a.im + b.im}; }
static inline vf64 join_wide(vf64 a, vf64 b) { return a + b; }
static inline vf32 join_narrow(vf32 a, vf32 b) { return a + b; }
static inline c128 total_c64(c128 a, c64 b) {
    return (c128){a.re + (double)b.re, a.im + (double)b.im};
}
static inline c128 csum_lanes(const c64 *x, int64_t n) { return sum_last(csum_vector(x, n), 2); }
static inline c128 sum_pairs(const c128 *x, int64_t n) {
    return sum_last(pairs_vector(x, PAIR, n), 2);
}
/* The same of n >= PAIRS_FEW numbers that do not lie behind each other. */
static APART c128 sum_apart(const char *x, int64_t step, int64_t n) {
    return sum_last(pairs_vector(x, step, n), 2);
}
typedef struct csum2 {
    sum2 re, im;
} csum2;
static inline void csum2_add(csum2 *s, c128 x) {
    sum2_add(&s->re, x.re);
    sum2_add(&s->im, x.im);
}
/* The sums of some rows, one in each lane of two double, to as many accumulators. */
static inline void csum2_take(csum2 *a, vf64 s) { sum_take_f64((sum2 *)(void *)a, s); }
static inline void csum2_take_narrow(csum2 *a, vf32 s) {
    csum2_take(a, v_low_f64(s));
    csum2_take(a + W64 / 2, v_high_f64(s));
}
/* The first n of as many complex64 as a vector holds. */
static inline vf32 narrow_get(const c64 *p, int64_t n) {
    return n < W32 / 2 ? ld_f32_n(p, 2 * n) : ld_f32(p);
}
/* Rows without gaps, as many at a time as a vector holds complex numbers: what is left of each is
 * turned over, and the last joins serve all of them. `wide`: complex128. How many rows. */
static inline __attribute__((always_inline)) int64_t csum_rows(csum2 *acc,
                                                               const nomen__reduce_step *s,
                                                               bool wide) {
    int64_t r = 0;
    for (; WIDE_NUMBERS > 1 && r + WIDE_NUMBERS <= s->n_acc; r += WIDE_NUMBERS) {
        vf64 x[WIDE_NUMBERS];
#pragma GCC unroll 4
        for (int i = 0; i < WIDE_NUMBERS; i++) {
            const void *row = s->in + (r + i) * s->acc_step;
            x[i] = wide ? pairs_vector(row, PAIR, s->n_red) : csum_vector(row, s->n_red);
        }
        v_turn_c128(x);
#pragma GCC unroll 2
        for (int half = WIDE_NUMBERS / 2; half; half /= 2)
#pragma GCC unroll 2
            for (int i = 0; i < half; i++) x[i] += x[i + half];
        csum2_take(acc + r, x[0]);
    }
    return r;
}
static APART int64_t rows_at_once_sum_c64(csum2 *acc, const nomen__reduce_step *s) {
    return csum_rows(acc, s, false);
}
/* Longer ones, one by one, are read as fast as memory allows. */
static APART int64_t rows_at_once_sum_c128(csum2 *acc, const nomen__reduce_step *s) {
    enum { MOST = 80 };
    return s->n_red <= MOST ? csum_rows(acc, s, true) : 0;
}
static inline void csum2_meet(csum2 *a, const csum2 *b, int64_t n) {
    sum2_meet((sum2 *)(void *)a, (const sum2 *)(const void *)b, 2 * n);
}
static inline void csum2_results(const csum2 *s, int64_t n, c128 *to) {
    sum2_results((const sum2 *)(const void *)s, 2 * n, (double *)(void *)to);
}
static inline c128 csum_mean(const c128 *s, const nomen__reduce_param *p) {
    return (c128){mean_of(s->re, p), mean_of(s->im, p)};
}

#define LANE_BYTES 256
#define OP         sum
#define CORE       sum

/* ---- integers: 64-bit sums that wrap --------------------------------------------------------- */
#define JOIN(a, b)  (C)((a) + (b))
#define TOTAL(a, b) ((a) + (D)(b))
#define ID          0
#define DID         0
#define A           uint64_t
#define A_ZERO      0
#define TAKE(a, x)  (*(a) += (uint64_t)(x))
#define MEET(a, b)  (*(a) += *(b))

#define OF_ONE        NOMEN__ITSELF
#define LANE8         int16_t
#define LANE16        int32_t
#define LANE32        int64_t
#define BLOCK         int64_t
#define FIRST64(p, k) (vu64) ld_f64_n(p, k)
#define JOIN64(a, b)  ((a) + (b))
#define BYTE_ROWS
#define HEAVY
#include "kernels/loops/fold_ints.h"
#undef HEAVY
#undef OF_ONE
#define OF_ONE NOMEN__PLUS_ZERO

/* ---- floating -------------------------------------------------------------------------------- */
#undef JOIN
#define JOIN(a, b) ((a) + (b))
#undef TOTAL
#define TOTAL(a, b) ((a) + (double)(b))
#include "kernels/loops/take_f64.h"

#define LANE                float
#define BLOCK               double
#define LOAD(x)             (x)
#define VECTOR(v)           (v)
#define DIRECT              sum_lanes
#define RESULT(a, p)        *(a)
#define LANES_NARROWED      narrow
#define BESIDE              mean
#define BESIDE_RESULT(a, p) mean_of(*(a), p)
#include "kernels/loops/fold_halves.h"

#define SFX      f32
#define T        float
#define F        float
#define C        float
#define D        double
#define LD(x)    (x)
#define LV       vf32
#define VLOAD(x) ld_f32(x)
#if VB < 64 /* a square of 16 takes four shuffles for a row */
#define TURNED           vf32
#define TAKE_LANES(a, s) sum_take_f32(a, s)
#endif
#define FOLD_ROW(x, n) ((n) < SUM_LANES ? fold_few_sum_f32(x, n) : sum_lanes(x, n))
#define LANES_STAY
#define OUT        float
#define DONE(a, p) (float)*(a)
#include "kernels/loops/reduce_fold.h"
#undef FOLD_ROW
#undef OP
#define OP           mean
#define OUT          float
#define LANES_SUMMED float
#define DONE(a, p)   mean_f32(*(a), p)
#include "kernels/loops/reduce_finish.h"
#undef OP
#define OP sum

#include "kernels/loops/take_sum2.h"

#undef SFX
#define SFX               f64
#define T                 double
#define F                 double
#define C                 double
#define D                 double
#define LD(x)             (x)
#define LV                vf64
#define VLOAD(x)          ld_f64(x)
#define FOLD_DIRECT(x, n) fold_row_sum_f64(x, n)
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
#undef OP
#define OP           mean
#define OUT          double
#define LANES_SUMMED double
#define DONE(a, p)   mean_of(*(a), p)
#include "kernels/loops/reduce_finish.h"
#undef RESULTS
#undef OP
#define OP sum

/* ---- complex --------------------------------------------------------------------------------- */
#undef JOIN
#undef TOTAL
#undef ID
#undef DID
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#define JOIN(a, b)  _Generic((a), vf32: join_narrow, c64: join_c64)(a, b)
#define TOTAL(a, b) _Generic((b), c64: total_c64, c128: join_c128)(a, b)
#define ID          ((c64){0, 0})
#define VID(v)      ((v){0})
#define DID         ((c128){0, 0})
#define A           csum2
#define A_ZERO      ((csum2){{0, 0}, {0, 0}})
#define TAKE(a, x)  csum2_add(a, x)

#undef SFX
#define SFX               c64
#define T                 c64
#define F                 c64
#define C                 c64
#define D                 c128
#define LD(x)             (x)
#define LV                vf32
#define VLOAD(x)          ld_f32(x)
#define TURNED            vf32
#define TURNED_GET(p, n)  narrow_get(p, n)
#define TURN_SQUARE       v_turn_c64
#define TAKE_LANES(a, s)  csum2_take_narrow(a, s)
#define MEET_ALL(a, b, n) csum2_meet(a, b, n)
#define FOLD_ROW(x, n)    ((n) < SUM_FEW / 2 ? FN(fold_few)(x, n) : csum_lanes(x, n))
#define ROWS_AT_ONCE      (SUM_FEW / 2)
#define MADE              c128
#define RESULTS           csum2_results
#define LANES_STAY
#define OUT        c64
#define DONE(a, p) c_narrow(*(a))
#include "kernels/loops/reduce_fold.h"
#undef FOLD_ROW
#undef OP
#define OP           mean
#define OUT          c64
#define LANES_SUMMED c64
#define DONE(a, p)   c_narrow(csum_mean(a, p))
#include "kernels/loops/reduce_finish.h"
#undef OP
#define OP sum

#undef JOIN
#undef TOTAL
#undef ID
#define JOIN(a, b)  _Generic((a), vf64: join_wide, c128: join_c128)(a, b)
#define TOTAL(a, b) join_c128(a, b)
#define ID          ((c128){0, 0})

#undef SFX
#define SFX                    c128
#define T                      c128
#define F                      c128
#define C                      c128
#define D                      c128
#define LD(x)                  (x)
#define LV                     vf64
#define VLOAD(x)               ld_f64(x)
#define TURNED                 vf64
#define TURNED_GET(p, n)       wide_get(p, 16, n)
#define TURN_SQUARE            v_turn_c128
#define TAKE_LANES(a, s)       csum2_take(a, s)
#define MEET_ALL(a, b, n)      csum2_meet(a, b, n)
#define FOLD_ROW(x, n)         ((n) < PAIRS_FEW ? FN(fold_few)(x, n) : sum_pairs(x, n))
#define FOLD_APART(x, step, n) sum_apart(x, step, n)
#define APART_LEAST            PAIRS_FEW
#define ROWS_AT_ONCE           PAIRS_FEW
#define RESULTS_STAY
#define LANES_STAY
#define OUT        c128
#define DONE(a, p) *(a)
#include "kernels/loops/reduce_fold.h"
#undef FOLD_ROW
#undef OP
#define OP           mean
#define OUT          c128
#define LANES_SUMMED c128
#define DONE(a, p)   csum_mean(a, p)
#include "kernels/loops/reduce_finish.h"
#undef RESULTS
#undef MADE

const nomen__kernel NOMEN__TABLE(reduce_sum)[] = {
    REDUCER_INTS("sum", sum),     REDUCER_FLOATS("sum", sum),      REDUCER_COMPLEXES("sum", sum),
    REDUCER_FLOATS("mean", mean), REDUCER_COMPLEXES("mean", mean), {.name = NULL},
};
