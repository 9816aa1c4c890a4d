/* Norms: the sum of absolute values, the root of the sum of squares, the largest and the smallest
 * absolute value, and for any other p the root of a sum of powers that were made before. The
 * 0-norm: reduce_count.c.
 *
 * Idea: as reduce_sum.c; squares and absolute values of floating types below float64 are made and
 * added in double, which takes up squares that the type itself has no room for. */
#define HEAVY
#define OF_ONE NOMEN__SIZE
#include "kernels/loops/sum_lanes.h"
#include "kernels/loops/wide_lanes.h"

#include <math.h>

/* An infinite part beside NaN makes the number infinite. */
static inline double square_c128(c128 x) {
    double s = x.re * x.re + x.im * x.im, inf = __builtin_inf();
    return __builtin_fabs(x.re) == inf || __builtin_fabs(x.im) == inf ? inf : s;
}
static inline double square_c64(c64 x) { return square_c128((c128){(double)x.re, (double)x.im}); }
static inline double size_c64(c64 x) { return __builtin_sqrt(square_c64(x)); }
static inline double size_c128(c128 x) { return c_abs(x); }
/* Of elements of a row that are widened, and of some of a vector. */
static inline vf64 wide_size(vf64 x) { return v_abs_f64(x); }
static inline vf64 wide_square(vf64 x) { return x * x; }
/* NaN wins. */
static inline double larger(double a, double b) { return a > b || a != a ? a : b; }
static inline double smaller(double a, double b) { return a < b || a != a ? a : b; }
static inline float larger_f32(float a, float b) { return a > b || a != a ? a : b; }
static inline float smaller_f32(float a, float b) { return a < b || a != a ? a : b; }

#define LANE_BYTES  256
#define JOIN(a, b)  ((a) + (b))
#define TOTAL(a, b) ((a) + (double)(b))
#define ID          0
#define DID         0

/* ---- norm_1 ---------------------------------------------------------------------------------- */
#define OP   norm_1
#define CORE norm_1

#include "kernels/loops/take_f64.h"
#define LANE         double
#define BLOCK        double
#define LOAD(x)      __builtin_fabs((double)(x))
#define WIDE_F32(x)  wide_size(widen_f32(x))
#define RESULT(a, p) (*(a))
#define FOLD_ROW(x, n)                                                                             \
    ((n) < WIDE_LANES ? FN(fold_few)(x, n) : wide_lanes(x, n, wide_plus, wide_size, wide_first))
#include "kernels/loops/fold_floats.h"
#undef FOLD_ROW

#define SIZE_C64(x)  size_c64(x)
#define RESULT(a, p) (*(a))
#include "kernels/loops/fold_sizes.h"

#include "kernels/loops/take_sum2.h"
#define SIZE_F64(x)  __builtin_fabs(x)
#define OF_VECTOR(v) wide_size(v)
#define SIZE_C128(x) size_c128(x)
#define RESULT(a, p) sum2_get(a)
#include "kernels/loops/fold_sizes.h"

/* ---- norm_2 ---------------------------------------------------------------------------------- */
#undef OP
#undef CORE
#define OP   norm_2
#define CORE norm_2

#include "kernels/loops/take_f64.h"
#define LANE         double
#define BLOCK        double
#define LOAD(x)      ((double)(x) * (double)(x))
#define WIDE_F32(x)  wide_square(widen_f32(x))
#define RESULT(a, p) __builtin_sqrt(*(a))
#define FOLD_ROW(x, n)                                                                             \
    ((n) < WIDE_LANES ? FN(fold_few)(x, n) : wide_lanes(x, n, wide_plus, wide_square, wide_first))
#include "kernels/loops/fold_floats.h"
#undef FOLD_ROW

#define SIZE_C64(x)  square_c64(x)
#define RESULT(a, p) __builtin_sqrt(*(a))
#include "kernels/loops/fold_sizes.h"

#include "kernels/loops/take_sum2.h"
#define SIZE_F64(x)  ((x) * (x))
#define OF_VECTOR(v) wide_square(v)
#define SIZE_C128(x) square_c128(x)
#define RESULT(a, p) __builtin_sqrt(sum2_get(a))
#include "kernels/loops/fold_sizes.h"

/* ---- any other: of powers -------------------------------------------------------------------- */
#undef OP
#undef CORE
#undef OF_ONE /* the element is a power */
#define OP   norm_root
#define CORE norm_root

#define SIZE_F64(x)  (x)
#define OF_VECTOR(v) (v)
#define RESULT(a, p) pow(sum2_get(a), 1 / (p)->correction)
#include "kernels/loops/fold_sizes.h"

#define SFX        f32
#define T          float
#define F          float
#define C          double
#define D          double
#define LD(x)      (double)(x)
#define OUT        float
#define DONE(a, p) (float)pow(sum2_get(a), 1 / (p)->correction)
#include "kernels/loops/reduce_fold.h"
#undef SFX

#define OF_ONE NOMEN__SIZE

/* ---- largest, smallest ----------------------------------------------------------------------- */
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#undef ID
#undef DID
#undef JOIN
#undef TOTAL
#define A double
#define NONEMPTY

#undef OP
#undef CORE
#define OP          norm_max
#define CORE        norm_max
#define ID          0
#define DID         0
#define A_ZERO      0
#define TOTAL(a, b) larger(a, (double)(b))
#define TAKE(a, x)  (*(a) = larger(*(a), x))
#define MEET(a, b)  (*(a) = larger(*(a), *(b)))

#define JOIN(a, b)   larger_f32(a, b)
#define LANE         float
#define BLOCK        double
#define LOAD(x)      __builtin_fabsf(x)
#define RESULT(a, p) (*(a))
#include "kernels/loops/fold_floats.h"

#undef JOIN
#define JOIN(a, b)   larger(a, b)
#define SIZE_F64(x)  __builtin_fabs(x)
#define SIZE_C64(x)  size_c64(x)
#define SIZE_C128(x) size_c128(x)
#define RESULT(a, p) (*(a))
#include "kernels/loops/fold_sizes.h"

#undef ID
#undef DID
#undef A_ZERO
#undef TOTAL
#undef TAKE
#undef MEET
#undef JOIN
#undef OP
#undef CORE
#define OP          norm_min
#define CORE        norm_min
#define ID          (C) __builtin_inf()
#define DID         __builtin_inf()
#define A_ZERO      __builtin_inf()
#define TOTAL(a, b) smaller(a, (double)(b))
#define TAKE(a, x)  (*(a) = smaller(*(a), x))
#define MEET(a, b)  (*(a) = smaller(*(a), *(b)))

#define JOIN(a, b)   smaller_f32(a, b)
#define LANE         float
#define BLOCK        double
#define LOAD(x)      __builtin_fabsf(x)
#define RESULT(a, p) (*(a))
#include "kernels/loops/fold_floats.h"

#undef JOIN
#define JOIN(a, b)   smaller(a, b)
#define SIZE_F64(x)  __builtin_fabs(x)
#define SIZE_C64(x)  size_c64(x)
#define SIZE_C128(x) size_c128(x)
#define RESULT(a, p) (*(a))
#include "kernels/loops/fold_sizes.h"

const nomen__kernel NOMEN__TABLE(reduce_norm)[] = {
    REDUCER_FLOATS("norm_1", norm_1),
    REDUCER_COMPLEXES("norm_1", norm_1),
    REDUCER_FLOATS("norm_2", norm_2),
    REDUCER_COMPLEXES("norm_2", norm_2),
    REDUCER_FLOATS("norm_max", norm_max),
    REDUCER_COMPLEXES("norm_max", norm_max),
    REDUCER_FLOATS("norm_min", norm_min),
    REDUCER_COMPLEXES("norm_min", norm_min),
    REDUCER_ROW("norm_root", NOMEN_F32, norm_root, f32),
    REDUCER_ROW("norm_root", NOMEN_F64, norm_root, f64),
    {.name = NULL},
};
