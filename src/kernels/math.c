/* Transcendental functions of real numbers, roots, and powers of integers. Complex: complex.c. tan,
 * hyperbolic and inverse functions: math_trig.c; erf and gamma: math_special.c. */
#define LOOP_PAIRS
#include "kernels/loops/int_words.h"
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_plane.h"

#include <math.h>

#define OP      sqrt
#define EXPR(x) v_sqrt(x)
#if SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_sqrt_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      exp
#define EXPR(x) v_exp(x)
#if !SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_exp_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log
#define EXPR(x) v_log(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log2
#define EXPR(x) v_log2(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      expm1
#define EXPR(x) v_expm1(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      exp2
#define EXPR(x) v_exp2(x)
#if !SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_exp2_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log10
#define EXPR(x) v_log10(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      log1p
#define EXPR(x) v_log1p(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sin
#define EXPR(x) v_sin(x)
#if SIMD_FMA
#define QUICK(x, unfit) SIMD_PICK(v_sin_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      cos
#define EXPR(x) v_cos(x)
#if SIMD_FMA
#define QUICK(x, unfit) SIMD_PICK(v_cos_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      tanh
#define EXPR(x) v_tanh(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sigmoid
#define EXPR(x) v_sigmoid(x)
#if !SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_sigmoid_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP         pow
#define EXPR(x, y) v_pow(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

/* By squaring, wrapping, several at a time, until the longest exponent is used up. A negative one
 * gives what is left of 1 / x^-y: 1 and -1 stay, to an exponent of 0 or 1, everything else is 0. */
static inline vi64 v_int_pow(vi64 x, vi64 y) {
    const vi64 negative = y < 0, unit = (x == 1) | (x == -1);
    vu64 left = (vu64)(y & (~negative | 1)), square = (vu64)x;
    vu64 r = (vu64)(1 & ~(negative & ~unit));
    for (; v_any64((vi64)left); left >>= 1, square *= square) {
        const vu64 odd = -(left & 1);
        r = (r * square & odd) | (r & ~odd);
    }
    return (vi64)r;
}

/* The same of 32 bits, of which narrower results are the low ones. */
static inline vi32 v_int_pow_32(vi32 x, vi32 y) {
    const vi32 negative = y < 0, unit = (x == 1) | (x == -1);
    vu32 left = (vu32)(y & (~negative | 1)), square = (vu32)x;
    vu32 r = (vu32)(1 & ~(negative & ~unit));
    for (; v_any32((vi32)(left != 0)); left >>= 1, square *= square) {
        const vu32 odd = -(left & 1);
        r = (r * square & odd) | (r & ~odd);
    }
    return (vi32)r;
}

#define OP          pow
#define NARROW_EXPR v_int_pow_32
#define WIDE_EXPR   v_int_pow
#define LOOP        "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         atan2
#define EXPR(x, y) SIMD_PICK(v_atan2, x)(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         hypot
#define EXPR(x, y) SIMD_PICK(v_hypot, x)(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

/* The larger one and what the smaller adds to it. Equal ones apart: infinities have no distance. */
#define OP logaddexp
#define EXPR(x, y)                                                                                 \
    v_sel((x) == (y), (x) + v_like(x, M_LN2),                                                      \
          v_sel((x) > (y), x, y) + v_log1p(v_exp(-v_abs((x) - (y)))))
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP logaddexp2
#define EXPR(x, y)                                                                                 \
    v_sel((x) == (y), (x) + v_like(x, 1),                                                          \
          v_sel((x) > (y), x, y) + v_log1p(v_exp2(-v_abs((x) - (y)))) * v_like(x, M_LOG2E))
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

const nomen__kernel NOMEN__TABLE(math)[] = {
    ROWS_FLOATS("sqrt", sqrt),
    ROWS_FLOATS("exp", exp),
    ROWS_FLOATS("expm1", expm1),
    ROWS_FLOATS("exp2", exp2),
    ROWS_FLOATS("log", log),
    ROWS_FLOATS("log2", log2),
    ROWS_FLOATS("log10", log10),
    ROWS_FLOATS("log1p", log1p),
    ROWS_FLOATS("sin", sin),
    ROWS_FLOATS("cos", cos),
    ROWS_FLOATS("tanh", tanh),
    ROWS_FLOATS("sigmoid", sigmoid),
    ROWS_INTS("pow", pow),
    ROWS_FLOATS("pow", pow),
    ROWS_FLOATS("atan2", atan2),
    ROWS_FLOATS("hypot", hypot),
    ROWS_FLOATS("logaddexp", logaddexp),
    ROWS_FLOATS("logaddexp2", logaddexp2),
    {.name = NULL},
};
