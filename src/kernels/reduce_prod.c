/* Products. Sums: reduce_sum.c.
 *
 * Idea: integers multiply in 64 bits that wrap; every floating type below float64 multiplies in
 * double lanes, whose range takes up intermediate products that would overflow or vanish in the
 * type itself.
 *
 * Limit: bytes read from a buffer of the same size. Share (bench/bench_kernels.c) on a shared
 * Zen 5 at 1 MiB: float32 86 % in a long row, 64 % in columns, which are widened to double. */
#define HEAVY
#define OF_ONE NOMEN__ITSELF
#include "kernels/loops/prod_columns.h"
#include "kernels/loops/prod_lanes.h"
#include "kernels/loops/reduce.h"

#define LANE_BYTES 256
#define OP         prod
#define CORE       prod

/* ---- integers -------------------------------------------------------------------------------- */
#define JOIN(a, b)  ((a) * (b))
#define TOTAL(a, b) ((a) * (b))
#define ID          1
#define DID         1
#define A           uint64_t
#define A_ZERO      1
#define TAKE(a, x)  (*(a) *= (x))
#define MEET(a, b)  (*(a) *= *(b))

#define LANE8  uint64_t
#define LANE16 uint64_t
#define LANE32 uint64_t
#define BLOCK  uint64_t
#if VB > 16 /* else there is no better product than that of one number */
#define FIRST64(p, k) prod_first(p, k)
#define JOIN64(a, b)  ((a) * (b))
#endif
/* Compilers make jumps of a product with 0 or 1. */
#define BOOL_LANE       uint8_t
#define BOOL_JOIN(a, b) (C)((a) & (b))
#include "kernels/loops/fold_ints.h"

/* ---- floating -------------------------------------------------------------------------------- */
#undef A
#define A double

#define LANE           double
#define BLOCK          double
#define LOAD(x)        (double)(x)
#define WIDE_F32(x)    widen_f32(x)
#define RESULT(a, p)   (*(a))
#define LANES_NARROWED odd_to
#define ROWS_AT_ONCE   WIDE_LANES
static APART int64_t rows_at_once_prod_f32(double *acc, const nomen__reduce_step *s) {
    return prod_rows_f32(acc, s);
}
#define FOLD_ROW(x, n) ((n) < WIDE_LANES ? FN(fold_few)(x, n) : prod_lanes(x, n))
#include "kernels/loops/fold_floats.h"
#undef FOLD_ROW

#define SFX              f64
#define T                double
#define F                double
#define C                double
#define D                double
#define LD(x)            (x)
#define TURNED           vf64
#define TAKE_LANES(a, s) st_f64(a, ld_f64(a) * (s))
#define LANES_TURNED
#define LANES_STAY
#define OUT        double
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"

#undef OF_ONE
#define OF_ONE NOMEN__TIMES_ONE

/* ---- complex --------------------------------------------------------------------------------- */
#undef JOIN
#undef TOTAL
#undef ID
#undef DID
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#define JOIN(a, b)  C_TIMES(a, b)
#define TOTAL(a, b) c_times(a, b)
#define ID          ((c128){1, 0})
#define VID(v)      wide_ones()
#define DID         ((c128){1, 0})
#define ALONE(s)    (s) /* 1 times an infinite number is NaN, in one part or in both */
#define A           c128
#define A_ZERO      ((c128){1, 0})
#define TAKE(a, x)  (*(a) = c_times(*(a), x))
#define MEET(a, b)  (*(a) = c_times(*(a), *(b)))

#undef SFX
static APART int64_t rows_at_once_prod_c64(c128 *acc, const nomen__reduce_step *s) {
    return prod_rows(acc, s, sizeof(c64));
}
static APART int64_t rows_at_once_prod_c128(c128 *acc, const nomen__reduce_step *s) {
    return prod_rows(acc, s, sizeof(c128));
}

static void prod_columns_c64(char *out, const nomen__reduce_step *s) {
    prod_columns(out, s, sizeof(c64));
}
static void prod_columns_c128(char *out, const nomen__reduce_step *s) {
    prod_columns(out, s, sizeof(c128));
}

#define SFX              c64
#define ROWS_AT_ONCE     PROD_NUMBERS
#define T                c64
#define F                c64
#define C                c128
#define D                c128
#define LD(x)            c_widen(x)
#define LV               vf64
#define VLOAD(p)         wide_get(p, 8, WIDE_NUMBERS)
#define TURNED           vf64
#define TURNED_GET(p, n) wide_get(p, 8, n)
#define TURN_SQUARE      v_turn_c128
#define TAKE_LANES(a, s) st_f64(a, c_mul_f64(ld_f64(a), s))
#define FOLD_ROW(x, n)   ((n) < PROD_NUMBERS ? FN(fold_few)(x, n) : prod_pairs(x, n, sizeof *(x)))
#define COLUMNS          prod_columns_c64
#define OUT              c64
#define DONE(a, p)       c_narrow(*(a))
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX              c128
#define ROWS_AT_ONCE     PROD_NUMBERS
#define T                c128
#define F                c128
#define C                c128
#define D                c128
#define LD(x)            (x)
#define LV               vf64
#define VLOAD(p)         wide_get(p, 16, WIDE_NUMBERS)
#define TURNED           vf64
#define TURNED_GET(p, n) wide_get(p, 16, n)
#define TURN_SQUARE      v_turn_c128
#define TAKE_LANES(a, s) st_f64(a, c_mul_f64(ld_f64(a), s))
#define COLUMNS          prod_columns_c128
#define OUT              c128
#define DONE(a, p)       (*(a))
#include "kernels/loops/reduce_fold.h"
#undef FOLD_ROW

const nomen__kernel NOMEN__TABLE(reduce_prod)[] = {
    REDUCER_INTS("prod", prod),
    REDUCER_FLOATS("prod", prod),
    REDUCER_COMPLEXES("prod", prod),
    {.name = NULL},
};
