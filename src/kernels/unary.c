/* Functions of one real number whose result is exact or rounded once or twice: signs, rounding,
 * roots, reciprocals. Transcendental functions: math.c. Complex: complex.c. Bool results:
 * compare.c. */
#include "kernels/loops/loops.h"

#define OP      neg
#define EXPR(x) (-(x))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      neg
#define EXPR(x) (0u - (x))
#define WRAP
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

#define OP      abs
#define EXPR(x) v_abs(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

static inline int32_t int_abs_32(int32_t x) { return x < 0 ? (int32_t)(0u - (uint32_t)x) : x; }
static inline int64_t int_abs_64(int64_t x) { return x < 0 ? (int64_t)(0u - (uint64_t)x) : x; }
static inline int32_t int_sign_32(int32_t x) { return (x > 0) - (x < 0); }
static inline int32_t int_sign_64(int64_t x) { return (x > 0) - (x < 0); }

#define OP      abs
#define EXPR(x) _Generic((x), int64_t: int_abs_64, default: int_abs_32)(x)
#define AND_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

/* 0 for NaN. */
#define OP      sign
#define EXPR(x) v_sel((x) > 0, v_like(x, 1), v_sel((x) < 0, v_like(x, -1), v_like(x, 0)))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sign
#define EXPR(x) _Generic((x), int64_t: int_sign_64, default: int_sign_32)(x)
#define AND_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

#define OP      relu
#define EXPR(x) v_sel((x) <= 0, v_like(x, 0), x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      relu
#define EXPR(x) ((x) > 0 ? (x) : 0)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

#define OP      square
#define EXPR(x) ((x) * (x))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      square
#define EXPR(x) ((x) * (x))
#define WRAP
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

#define OP      reciprocal
#define EXPR(x) (v_like(x, 1) / (x))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sqrt
#define EXPR(x) v_sqrt(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      rsqrt
#define EXPR(x) (v_like(x, 1) / v_sqrt(x))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      floor
#define EXPR(x) v_floor(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      ceil
#define EXPR(x) v_ceil(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      trunc
#define EXPR(x) v_trunc(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      round
#define EXPR(x) v_round(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

const nomen__kernel NOMEN__TABLE(unary)[] = {
    ROWS_INTS("neg", neg),
    ROWS_FLOATS("neg", neg),
    ROW_BOOL("abs", abs),
    ROWS_INTS("abs", abs),
    ROWS_FLOATS("abs", abs),
    ROW_BOOL("sign", sign),
    ROWS_INTS("sign", sign),
    ROWS_FLOATS("sign", sign),
    ROWS_INTS("relu", relu),
    ROWS_FLOATS("relu", relu),
    ROWS_INTS("square", square),
    ROWS_FLOATS("square", square),
    ROWS_FLOATS("reciprocal", reciprocal),
    ROWS_FLOATS("sqrt", sqrt),
    ROWS_FLOATS("rsqrt", rsqrt),
    ROWS_FLOATS("floor", floor),
    ROWS_FLOATS("ceil", ceil),
    ROWS_FLOATS("trunc", trunc),
    ROWS_FLOATS("round", round),
    {.name = NULL},
};
