/* Circular and hyperbolic functions of real numbers and their inverses; sin, cos and tanh are in
 * math.c. Complex: complex.c. */
#define LOOP_PAIRS
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_more.h"

#define OP      tan
#define EXPR(x) v_tan(x)
#if SIMD_FMA
#define QUICK(x, unfit) SIMD_PICK(v_tan_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      asin
#define EXPR(x) v_asin(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      acos
#define EXPR(x) v_acos(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      atan
#define EXPR(x) v_atan(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sinh
#define EXPR(x) v_sinh(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      cosh
#define EXPR(x) v_cosh(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      asinh
#define EXPR(x) v_asinh(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      acosh
#define EXPR(x) v_acosh(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      atanh
#define EXPR(x) v_atanh(x)
#if SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_atanh_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

const nomen__kernel NOMEN__TABLE(math_trig)[] = {
    ROWS_FLOATS("tan", tan),     ROWS_FLOATS("asin", asin),
    ROWS_FLOATS("acos", acos),   ROWS_FLOATS("atan", atan),
    ROWS_FLOATS("sinh", sinh),   ROWS_FLOATS("cosh", cosh),
    ROWS_FLOATS("asinh", asinh), ROWS_FLOATS("acosh", acosh),
    ROWS_FLOATS("atanh", atanh), {.name = NULL},
};
