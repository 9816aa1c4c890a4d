/* Arithmetic of two and three real operands: sums, products, divisions, remainders, extrema, clamp,
 * where. Complex operands: complex.c. Powers: math.c. */
#include "kernels/loops/loops.h"
#include "kernels/simd/divide.h"

#define OP         add
#define EXPR(x, y) ((x) + (y))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         add
#define EXPR(x, y) ((x) + (y))
#define WRAP
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         sub
#define EXPR(x, y) ((x) - (y))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         sub
#define EXPR(x, y) ((x) - (y))
#define WRAP
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         mul
#define EXPR(x, y) ((x) * (y))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         mul
#define EXPR(x, y) ((x) * (y))
#define WRAP
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP            add_scaled
#define EXPR(x, y, z) ((x) + (z) * (y))
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP            add_scaled
#define EXPR(x, y, z) ((x) + (z) * (y))
#define WRAP
#define LOOP "kernels/loops/ternary.h"
#include "kernels/loops/ints.h"

#define OP            sub_scaled
#define EXPR(x, y, z) ((x) - (z) * (y))
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP            sub_scaled
#define EXPR(x, y, z) ((x) - (z) * (y))
#define WRAP
#define LOOP "kernels/loops/ternary.h"
#include "kernels/loops/ints.h"

#define OP         div
#define EXPR(x, y) ((x) / (y))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         div_trunc
#define EXPR(x, y) v_trunc((x) / (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         div_trunc
#define EXPR(x, y) int_div_trunc(x, y)
#define WIDE_EXPR  v_int_div_trunc
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         div_floor
#define EXPR(x, y) v_div_floor(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         div_floor
#define EXPR(x, y) int_div_floor(x, y)
#define WIDE_EXPR  v_int_div_floor
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         remainder
#define EXPR(x, y) v_remainder(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         remainder
#define EXPR(x, y) int_remainder(x, y)
#define WIDE_EXPR  v_int_remainder
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         fmod
#define EXPR(x, y) v_fmod(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         fmod
#define EXPR(x, y) int_fmod(x, y)
#define WIDE_EXPR  v_int_fmod
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         copysign
#define EXPR(x, y) v_copysign(x, y)
#define LOOP       "kernels/loops/binary.h"
#define HALVES_APART
#include "kernels/loops/floats.h"

#define OP         copysign
#define EXPR(x, y) (((x) & 0x7fffu) | ((y) & 0x8000u))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/halves.h"

/* From the end that is nearer: exact at weights of 0 and 1. x + (y - x) w is x - (y - x) (-0 - w),
 * to the last bit, so that only the end and a constant are chosen. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline vf32 v_near_lerp_f32(vf32 x, vf32 y, vf32 w) {
    const __mmask16 far =
        _mm512_cmp_ps_mask((__m512)v_abs_f32(w), _mm512_set1_ps(0.5f), _CMP_NLT_UQ);
    const __m512 one = _mm512_mask_blend_ps(far, _mm512_set1_ps(-0.0f), _mm512_set1_ps(1));
    return (vf32)_mm512_mask_blend_ps(far, (__m512)x, (__m512)y) - (y - x) * ((vf32)one - w);
}
static inline vf64 v_near_lerp_f64(vf64 x, vf64 y, vf64 w) {
    const __mmask8 far =
        _mm512_cmp_pd_mask((__m512d)v_abs_f64(w), _mm512_set1_pd(0.5), _CMP_NLT_UQ);
    const __m512d one = _mm512_mask_blend_pd(far, _mm512_set1_pd(-0.0), _mm512_set1_pd(1));
    return (vf64)_mm512_mask_blend_pd(far, (__m512d)x, (__m512d)y) - (y - x) * ((vf64)one - w);
}
#else
static inline vf32 v_near_lerp_f32(vf32 x, vf32 y, vf32 w) {
    const vi32 near = v_abs_f32(w) < 0.5f;
    const vf32 one = v_sel_f32(near, v_set_f32(-0.0f), v_set_f32(1));
    return v_sel_f32(near, x, y) - (y - x) * (one - w);
}
static inline vf64 v_near_lerp_f64(vf64 x, vf64 y, vf64 w) {
    const vi64 near = v_abs_f64(w) < 0.5;
    const vf64 one = v_sel_f64(near, v_set_f64(-0.0), v_set_f64(1));
    return v_sel_f64(near, x, y) - (y - x) * (one - w);
}
#endif
static inline vf32 v_lerp_f32(vf32 x, vf32 y, vf32 w) {
    return v_near_lerp_f32(v_once_f32(x), v_once_f32(y), v_once_f32(w));
}
static inline vf64 v_lerp_f64(vf64 x, vf64 y, vf64 w) {
    return v_near_lerp_f64(v_once_f64(x), v_once_f64(y), v_once_f64(w));
}

#define OP            lerp
#define EXPR(x, y, w) SIMD_PICK(v_lerp, x)(x, y, w)
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP               addcmul
#define EXPR(x, y, z, w) ((x) + (w) * (y) * (z))
#define LOOP             "kernels/loops/quaternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP               addcmul
#define EXPR(x, y, z, w) ((x) + (w) * (y) * (z))
#define WRAP
#define LOOP "kernels/loops/quaternary.h"
#include "kernels/loops/ints.h"

#define OP               addcdiv
#define EXPR(x, y, z, w) ((x) + (w) * (y) / (z))
#define LOOP             "kernels/loops/quaternary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

/* The first NaN wins; of equal numbers (0.0 and -0.0) the first. */
#define OP         maximum
#define EXPR(x, y) v_sel((y) != (y), y, v_greater(y, x))
#define LOOP       "kernels/loops/binary.h"
#define EXACT
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         maximum
#define EXPR(x, y) ((x) > (y) ? (x) : (y))
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         minimum
#define EXPR(x, y) v_sel((y) != (y), y, v_lesser(y, x))
#define LOOP       "kernels/loops/binary.h"
#define EXACT
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         minimum
#define EXPR(x, y) ((x) < (y) ? (x) : (y))
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

/* A number wins over NaN. Of whole numbers these are maximum and minimum. */
#define OP         fmax
#define EXPR(x, y) v_sel((x) != (x), y, v_greater(y, x))
#define LOOP       "kernels/loops/binary.h"
#define EXACT
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         fmin
#define EXPR(x, y) v_sel((x) != (x), y, v_lesser(y, x))
#define LOOP       "kernels/loops/binary.h"
#define EXACT
#define BY_LINES
#include "kernels/loops/floats.h"

/* NaN stays, and bounds that are NaN give NaN: as what is added, which is found out once where they
 * are constant, and else is -0. */
static inline vf32 v_clamp_f32(vf32 x, vf32 low, vf32 high) {
    const vf32 nan = v_sel_f32(low != low, low, v_sel_f32(high != high, high, v_set_f32(-0.0f)));
    return v_lesser_f32(high, v_greater_f32(low, x)) + nan;
}
static inline vf64 v_clamp_f64(vf64 x, vf64 low, vf64 high) {
    const vf64 nan = v_sel_f64(low != low, low, v_sel_f64(high != high, high, v_set_f64(-0.0)));
    return v_lesser_f64(high, v_greater_f64(low, x)) + nan;
}

#define OP            clamp
#define EXPR(x, y, z) SIMD_PICK(v_clamp, x)(x, y, z)
#define LOOP          "kernels/loops/ternary.h"
#define EXACT
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP            clamp
#define EXPR(x, y, z) (((x) > (y) ? (x) : (y)) < (z) ? ((x) > (y) ? (x) : (y)) : (z))
#define AND_BOOL
#define LOOP "kernels/loops/ternary.h"
#include "kernels/loops/ints.h"

/* Not >, so that NaN stays. */
#define OP            threshold
#define EXPR(x, y, z) v_sel((x) <= (y), z, x)
#define LOOP          "kernels/loops/ternary.h"
#define EXACT
#include "kernels/loops/floats.h"

#define OP            threshold
#define EXPR(x, y, z) ((x) <= (y) ? (z) : (x))
#define AND_BOOL
#define LOOP "kernels/loops/ternary.h"
#include "kernels/loops/ints.h"

/* ---- bool: or, and --------------------------------------------------------------------------- */

#define OP         add
#define EXPR(x, y) ((x) | (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/bools.h"

#define OP         mul
#define EXPR(x, y) ((x) & (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/bools.h"

#define OP            add_scaled
#define EXPR(x, y, z) ((x) | ((y) & (z)))
#define LOOP          "kernels/loops/ternary.h"
#include "kernels/loops/bools.h"

const nomen__kernel NOMEN__TABLE(arith)[] = {
    ROW_BOOL("add", add),
    ROWS_INTS("add", add),
    ROWS_FLOATS_LINES("add", add),
    ROWS_INTS("sub", sub),
    ROWS_FLOATS_LINES("sub", sub),
    ROW_BOOL("mul", mul),
    ROWS_INTS("mul", mul),
    ROWS_FLOATS_LINES("mul", mul),
    ROW_BOOL("add_scaled", add_scaled),
    ROWS_INTS("add_scaled", add_scaled),
    ROWS_FLOATS_LINES("add_scaled", add_scaled),
    ROWS_INTS("sub_scaled", sub_scaled),
    ROWS_FLOATS_LINES("sub_scaled", sub_scaled),
    ROWS_FLOATS_LINES("div", div),
    ROWS_INTS("div_trunc", div_trunc),
    ROWS_FLOATS("div_trunc", div_trunc),
    ROWS_INTS("div_floor", div_floor),
    ROWS_FLOATS("div_floor", div_floor),
    ROWS_INTS("remainder", remainder),
    ROWS_FLOATS("remainder", remainder),
    ROWS_INTS("fmod", fmod),
    ROWS_FLOATS("fmod", fmod),
    ROWS_FLOATS_APART("copysign", copysign),
    ROWS_FLOATS_LINES("lerp", lerp),
    ROWS_INTS("addcmul", addcmul),
    ROWS_FLOATS_LINES("addcmul", addcmul),
    ROWS_FLOATS_LINES("addcdiv", addcdiv),
    ROW_BOOL("maximum", maximum),
    ROWS_INTS("maximum", maximum),
    ROWS_FLOATS_LINES("maximum", maximum),
    ROW_BOOL("minimum", minimum),
    ROWS_INTS("minimum", minimum),
    ROWS_FLOATS_LINES("minimum", minimum),
    ROW_BOOL("fmax", maximum),
    ROWS_INTS("fmax", maximum),
    ROWS_FLOATS_LINES("fmax", fmax),
    ROW_BOOL("fmin", minimum),
    ROWS_INTS("fmin", minimum),
    ROWS_FLOATS_LINES("fmin", fmin),
    ROW_BOOL("clamp", clamp),
    ROWS_INTS("clamp", clamp),
    ROWS_FLOATS_LINES("clamp", clamp),
    ROW_BOOL("threshold", threshold),
    ROWS_INTS("threshold", threshold),
    ROWS_FLOATS("threshold", threshold),
    {.name = NULL},
};
