/* What kind of number an element is: NaN, infinite, finite, with a minus sign; and what to put in
 * the place of those that are not finite. */
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath.h"
#include "kernels/simd/vmath_pairs.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static inline double size_of(double x) { return __builtin_fabs(x); }
/* The sign bit as a mask. */
static inline vi32 v_minus_f32(vf32 x) { return (vi32)x < 0; }
static inline vi64 v_minus_f64(vf64 x) { return (vi64)x < 0; }

/* Integers and bools are finite: they are not looked at. */
static inline void answer_all(char *o, int64_t step, int64_t n, bool answer) {
    if (step == 1)
        memset(o, answer, (size_t)n);
    else
        for (; n > 0; n--, o += step) *o = answer;
}
static void never(char *const ptr[], const int64_t step[], int64_t n) {
    answer_all(ptr[0], step[0], n, false);
}
static void always(char *const ptr[], const int64_t step[], int64_t n) {
    answer_all(ptr[0], step[0], n, true);
}
static inline bool is_below(int64_t x) { return x < 0; }

#define OP      isnan
#define EXPR(x) ((x) != (x))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      isinf
#define EXPR(x) (v_abs(x) == v_like(x, INFINITY))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      isinf
#define EXPR(x) ((size_of((x).re) == (double)INFINITY) || (size_of((x).im) == (double)INFINITY))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      isfinite
#define EXPR(x) (v_abs(x) < v_like(x, INFINITY))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      isfinite
#define EXPR(x) ((size_of((x).re) < (double)INFINITY) && (size_of((x).im) < (double)INFINITY))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      isposinf
#define EXPR(x) ((x) == v_like(x, INFINITY))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      isneginf
#define EXPR(x) ((x) == v_like(x, -INFINITY))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      signbit
#define EXPR(x) SIMD_PICK(v_minus, x)(x)
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      signbit
#define EXPR(x) is_below(x)
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

/* x, or what stands for NaN, inf and -inf. With AVX-512 nothing is chosen where all are finite;
 * asking that takes narrower vectors twice as long as to choose. */
static inline vf32 v_instead_f32(vf32 x, vf32 nan, vf32 top, vf32 low) {
    if (VB == 64 && !v_some_f32(v_above_f32(v_abs_f32(x), v_set_f32(FLT_MAX)))) return x;
    const vf32 finite = v_sel_f32(x == INFINITY, top, v_sel_f32(x == -INFINITY, low, x));
    return v_sel_f32(x != x, nan, finite);
}
static inline vf64 v_instead_f64(vf64 x, vf64 nan, vf64 top, vf64 low) {
    if (VB == 64 && !v_some_f64(v_above_f64(v_abs_f64(x), v_set_f64(DBL_MAX)))) return x;
    const vi64 above = x == (double)INFINITY, below = x == -(double)INFINITY;
    const vf64 finite = v_sel_f64(above, top, v_sel_f64(below, low, x));
    return v_sel_f64(x != x, nan, finite);
}

#define OP                 nan_to_num
#define EXPR(x, nan, p, n) SIMD_PICK(v_instead, x)(x, nan, p, n)
#define LOOP               "kernels/loops/quaternary.h"
#include "kernels/loops/floats.h"

/* Each part by itself. What stands in for it is real. */
#define OP                 nan_to_num
#define EXPR(x, nan, p, n) SIMD_PICK(v_instead, x)(x, v_dup_even(nan), v_dup_even(p), v_dup_even(n))
#define LOOP               "kernels/loops/quaternary.h"
#include "kernels/loops/pairs.h"

#define ROWS_EXACT(text, op)                                                                       \
    ROW(text, NOMEN_BOOL, op), ROW(text, NOMEN_U8, op), ROW(text, NOMEN_I8, op),                   \
        ROW(text, NOMEN_I16, op), ROW(text, NOMEN_I32, op), ROW(text, NOMEN_I64, op)

const nomen__kernel NOMEN__TABLE(classify)[] = {
    ROWS_EXACT("isnan", never),
    ROWS_FLOATS("isnan", isnan),
    ROWS_EXACT("isinf", never),
    ROWS_FLOATS("isinf", isinf),
    ROWS_COMPLEXES("isinf", isinf),
    ROWS_EXACT("isfinite", always),
    ROWS_FLOATS("isfinite", isfinite),
    ROWS_COMPLEXES("isfinite", isfinite),
    ROWS_EXACT("isposinf", never),
    ROWS_FLOATS("isposinf", isposinf),
    ROWS_EXACT("isneginf", never),
    ROWS_FLOATS("isneginf", isneginf),
    ROW("signbit", NOMEN_BOOL, never),
    ROWS_INTS("signbit", signbit),
    ROWS_FLOATS("signbit", signbit),
    ROWS_FLOATS("nan_to_num", nan_to_num),
    ROWS_COMPLEXES("nan_to_num", nan_to_num),
    {.name = NULL},
};
