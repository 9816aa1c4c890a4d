/* Gradients of elements that formulas would take several calls for, of functions that networks are
 * made of. They are those of the formulas (src/autograd), which serve where a gradient is to be
 * differentiated again. Those of whole rows: rows.c.
 *
 * Limit: g and the result are read once, the gradient is written once. */
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_pairs.h"

static inline vf32 v_one_pair_f32(void) { return v_splat_pair_f32((vf32){1, 0}); }
static inline vf64 v_one_pair_f64(void) { return v_splat_pair_f64((vf64){1, 0}); }

/* y is the result, x the operand, g the gradient of the result. */
#define OP         relu_gradient
#define EXPR(g, y) v_sel((y) <= 0, v_like(y, 0), g)
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         tanh_gradient
#define EXPR(g, y) ((g) * (v_like(y, 1) - (y) * (y)))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         tanh_gradient
#define EXPR(g, y) c_mul(g, v_flip_odd(SIMD_PICK(v_one_pair, y)() - c_mul(y, y)))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/pairs.h"

#define OP         sigmoid_gradient
#define EXPR(g, y) ((g) * ((v_like(y, 1) - (y)) * (y)))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         sigmoid_gradient
#define EXPR(g, y) c_mul(g, v_flip_odd(c_mul(SIMD_PICK(v_one_pair, y)() - (y), y)))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/pairs.h"

/* Of roots, powers, exponentials and logarithms: c is a number. */
#define OP            product_gradient
#define EXPR(g, y, c) ((g) * ((y) * (c)))
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP            over_product_gradient
#define EXPR(g, y, c) ((g) / ((y) * (c)))
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP            sum_product_gradient
#define EXPR(g, y, c) ((g) * ((y) + (c)))
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP            over_sum_gradient
#define EXPR(g, y, c) ((g) / ((y) + (c)))
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP                threshold_gradient
#define EXPR(g, x, bound) v_sel((x) <= (bound), v_like(x, 0), g)
#define LOOP              "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* The length is 0 where both legs are. */
#define OP              hypot_gradient
#define EXPR(g, leg, r) ((g) * ((leg) / v_sel((r) == 0, v_like(r, 1), r)))
#define LOOP            "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* NaN beyond 0 and 1, which have a slope that is infinite. */
#define OP logit_gradient
#define EXPR(g, x)                                                                                 \
    v_sel(((x) >= 0) & ((x) <= 1), (g) / ((x) * (v_like(x, 1) - (x))), v_like(x, __builtin_nan("")))
#define LOOP "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* 0 beyond the bounds, where the result is constant. */
#define OP logit_limited_gradient
#define EXPR(g, x, low, high)                                                                      \
    v_sel(((x) >= (low)) & ((x) <= (high)), (g) / ((x) * (v_like(x, 1) - (x))), v_like(x, 0))
#define LOOP "kernels/loops/quaternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* Of a norm of order 3 over x, n is the norm: x / |x| and the square of a number from 0 to 1. */
#define v_norm_share(x, n) ((x) / v_sel((n) == 0, v_like(x, 1), n))
#define OP                 norm3_gradient
#define EXPR(g, x, n)      ((g) * (v_norm_share(x, n) * v_abs(v_norm_share(x, n))))
#define LOOP               "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* Two roots, so that the square of a large number is never formed. */
#define v_rsqrt_of(x) (v_like(x, 1) / v_sqrt(x))
#define OP            acosh_gradient
#define EXPR(g, x)    ((g) * (v_rsqrt_of((x) - v_like(x, 1)) * v_rsqrt_of((x) + v_like(x, 1))))
#define LOOP          "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

const nomen__kernel NOMEN__TABLE(gradients)[] = {
    ROWS_FLOATS_LINES("relu_gradient", relu_gradient),
    ROWS_FLOATS_LINES("tanh_gradient", tanh_gradient),
    ROWS_COMPLEXES("tanh_gradient", tanh_gradient),
    ROWS_FLOATS_LINES("sigmoid_gradient", sigmoid_gradient),
    ROWS_COMPLEXES("sigmoid_gradient", sigmoid_gradient),
    ROWS_FLOATS_LINES("product_gradient", product_gradient),
    ROWS_FLOATS_LINES("over_product_gradient", over_product_gradient),
    ROWS_FLOATS_LINES("sum_product_gradient", sum_product_gradient),
    ROWS_FLOATS_LINES("over_sum_gradient", over_sum_gradient),
    ROWS_FLOATS_LINES("threshold_gradient", threshold_gradient),
    ROWS_FLOATS_LINES("hypot_gradient", hypot_gradient),
    ROWS_FLOATS_LINES("logit_gradient", logit_gradient),
    ROWS_FLOATS_LINES("logit_limited_gradient", logit_limited_gradient),
    ROWS_FLOATS_LINES("norm3_gradient", norm3_gradient),
    ROWS_FLOATS("acosh_gradient", acosh_gradient),
    {.name = NULL},
};
