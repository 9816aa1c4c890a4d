/* Functions of one real number whose result is exact or rounded once or twice: signs, rounding,
 * reciprocals. Roots, transcendental functions: math.c. Complex: complex.c. Bool results:
 * compare.c, classify.c. */
#include "kernels/loops/loops.h"

#include <math.h>
#include <stdbool.h>

#define OP      neg
#define EXPR(x) (-(x))
#define HALVES_APART
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      neg
#define EXPR(x) ((x) ^ 0x8000u)
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/halves.h"

#define OP      neg
#define EXPR(x) (0u - (x))
#define WRAP
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

#define OP      abs
#define EXPR(x) v_abs(x)
#define HALVES_APART
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      abs
#define EXPR(x) ((x) & 0x7fffu)
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/halves.h"

/* The greater one of x and -x, in the width of x: gcc 12 would widen it, or take short lines one
 * number after the other. */
#define INT_ABS(bits)                                                                              \
    static inline int##bits##_t int_abs_##bits(int##bits##_t x) {                                  \
        const int##bits##_t other = (int##bits##_t)(0u - (uint##bits##_t)x);                       \
        return x > other ? x : other;                                                              \
    }
INT_ABS(8)
INT_ABS(16)
INT_ABS(32)
INT_ABS(64)
#undef INT_ABS
/* A maximum and a minimum, which vectors of bytes have, too. */
static inline int32_t int_sign_32(int32_t x) { return x < -1 ? -1 : x > 1 ? 1 : x; }
static inline int64_t int_sign_64(int64_t x) { return (int64_t)(x > 0) - (int64_t)(x < 0); }

#define OP abs
#define EXPR(x)                                                                                    \
    _Generic((x),                                                                                  \
        int8_t: int_abs_8,                                                                         \
        int16_t: int_abs_16,                                                                       \
        int64_t: int_abs_64,                                                                       \
        default: int_abs_32)(x)
#define AND_BOOL
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

/* 0 for NaN. */
#define OP      sign
#define EXPR(x) v_sel((x) > 0, v_like(x, 1), v_sel((x) < 0, v_like(x, -1), v_like(x, 0)))
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      sign
#define EXPR(x) _Generic((x), int64_t: int_sign_64, default: int_sign_32)(x)
#define AND_BOOL
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

#define OP      relu
#define EXPR(x) v_sel((x) <= 0, v_like(x, 0), x)
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      relu
#define EXPR(x) ((x) > 0 ? (x) : 0)
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

#define OP      square
#define EXPR(x) ((x) * (x))
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      square
#define EXPR(x) ((x) * (x))
#define WRAP
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

/* As x * x * x, which is what PyTorch has for x ** 3: two roundings, and one instruction more than
 * a square. */
#define OP      cube
#define EXPR(x) ((x) * (x) * (x))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      cube
#define EXPR(x) ((x) * (x) * (x))
#define WRAP
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

/* The square of the reciprocal: that of the number leaves the range where the result does not. */
#define OP      inverse_square
#define EXPR(x) ((v_like(x, 1) / (x)) * (v_like(x, 1) / (x)))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

/* The power of 0. */
#define OP      one
#define EXPR(x) v_like(x, 1)
#define EXACT
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      one
#define EXPR(x) ((x) ? 1 : 1)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/ints.h"

#define OP      reciprocal
#define EXPR(x) (v_like(x, 1) / (x))
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      rsqrt
#define EXPR(x) (v_like(x, 1) / v_sqrt(x))
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      floor
#define EXPR(x) v_floor(x)
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      ceil
#define EXPR(x) v_ceil(x)
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      trunc
#define EXPR(x) v_trunc(x)
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      round
#define EXPR(x) v_round(x)
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* To a number of decimals: scale is a power of ten. What leaves the range of the type on the way is
 * so large that it has no decimals. */
#define OP             round_decimals
#define ROUNDED(x, y)  (v_round((x) * (y)) / (y))
#define EXPR(x, scale) v_sel(v_abs((x) * (scale)) < v_like(x, INFINITY), ROUNDED(x, scale), x)
#define LOOP           "kernels/loops/binary.h"
#include "kernels/loops/floats.h"
#undef ROUNDED

/* To tens, hundreds and so on; 0 stays where the power is beyond the type. */
#define OP             round_tens
#define ROUNDED(x, y)  v_sel(v_round(x) == 0, (x) * v_like(x, 0), v_round(x) * (y))
#define EXPR(x, scale) v_sel(v_abs(x) < v_like(x, INFINITY), ROUNDED((x) / (scale), scale), x)
#define LOOP           "kernels/loops/binary.h"
#include "kernels/loops/floats.h"
#undef ROUNDED

/* Of integers, which the pipeline brings as int64. No scale: it would be beyond all of them. */
static inline int64_t int_round_tens(int64_t x, int64_t scale) {
    if (scale <= 0) return 0;
    const int64_t rest = x % scale, size = rest < 0 ? -rest : rest;
    const bool odd = (x / scale) % 2 != 0, away = size > scale / 2 || (size == scale / 2 && odd);
    const uint64_t whole = (uint64_t)x - (uint64_t)rest, step = away ? (uint64_t)scale : 0;
    return (int64_t)(rest < 0 ? whole - step : whole + step);
}

#define OP             round_tens
#define EXPR(x, scale) int_round_tens(x, scale)
#define LOOP           "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP      frac
#define EXPR(x) ((x) - v_trunc(x))
#define EXACT
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      deg2rad
#define EXPR(x) ((x) * v_like(x, M_PI / 180))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      rad2deg
#define EXPR(x) ((x) * v_like(x, 180 / M_PI))
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

/* Of bools it is logical_not (compare.c). */
#define OP      bitwise_not
#define EXPR(x) (~(x))
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

const nomen__kernel NOMEN__TABLE(unary)[] = {
    ROWS_INTS_LINES("neg", neg),
    ROWS_FLOATS_APART_LINES("neg", neg),
    ROW_LINES("abs", NOMEN_BOOL, abs_b8),
    ROWS_INTS_LINES("abs", abs),
    ROWS_FLOATS_APART_LINES("abs", abs),
    ROW_LINES("sign", NOMEN_BOOL, sign_b8),
    ROWS_INTS_LINES("sign", sign),
    ROWS_FLOATS_LINES("sign", sign),
    ROWS_INTS_LINES("relu", relu),
    ROWS_FLOATS_LINES("relu", relu),
    ROWS_INTS_LINES("square", square),
    ROWS_FLOATS_LINES("square", square),
    ROWS_INTS("cube", cube),
    ROWS_FLOATS("cube", cube),
    ROWS_FLOATS("inverse_square", inverse_square),
    ROWS_INTS("one", one),
    ROWS_FLOATS("one", one),
    ROWS_FLOATS_LINES("reciprocal", reciprocal),
    ROWS_FLOATS_LINES("rsqrt", rsqrt),
    ROWS_FLOATS_LINES("floor", floor),
    ROWS_FLOATS_LINES("ceil", ceil),
    ROWS_FLOATS_LINES("trunc", trunc),
    ROWS_FLOATS_LINES("round", round),
    ROWS_FLOATS("round_decimals", round_decimals),
    ROWS_FLOATS("round_tens", round_tens),
    ROWS_INTS("round_tens", round_tens),
    ROWS_FLOATS_LINES("frac", frac),
    ROWS_FLOATS("deg2rad", deg2rad),
    ROWS_FLOATS("rad2deg", rad2deg),
    ROWS_INTS_LINES("bitwise_not", bitwise_not),
    {.name = NULL},
};
