/* Kernels of complex operands that are sums, products, quotients, tests and parts; functions:
 * complex_math.c, copies and where: move.c, casts: cast.c. Sums and products compute in their own
 * type, quotients in c128, so that complex64 rounds once and cannot overflow on the way. */
#include "kernels/loops/complex_number.h"
#include "kernels/simd/vmath_complex.h"
#include "kernels/simd/vmath_pairs.h"

/* From the end that is nearer, as for real numbers. */
static inline vf32 c_lerp_f32(vf32 x, vf32 y, vf32 w) {
    const vf32 one = v_splat_pair_f32((vf32){1, 0}), square = w * w;
    const vi32 near = square + v_swap_f32(square) < 0.25f;
    return v_sel_f32(near, x + c_mul_f32(w, y - x), y - c_mul_f32(y - x, one - w));
}
static inline vf64 c_lerp_f64(vf64 x, vf64 y, vf64 w) {
    const vf64 one = v_splat_pair_f64((vf64){1, 0}), square = w * w;
    const vi64 near = square + v_swap_f64(square) < 0.25;
    return v_sel_f64(near, x + c_mul_f64(w, y - x), y - c_mul_f64(y - x, one - w));
}

static inline vc64 c_apart_f32(vf32 x) { return vc_apart(v_low_f64(x), v_high_f64(x)); }
static inline vc64 c_apart_f64(vf64 x) { return (vc64){v_dup_even(x), v_dup_odd(x)}; }
static inline vf32 c_beside_f32(vc64 z) {
    return v_narrow_f64(v_pairs_even(z.re, z.im), v_pairs_odd(z.re, z.im));
}

/* Quotients in double, of complex64 with both parts in vectors of their own: divisions are what
 * takes time, and there are fewer. |y|^2 is neither lost nor infinite, so that there is one. With
 * the larger part of y positive (the real one of two as large), and the sign in the divisor, zeros
 * are those of Smith's quotient, to which is left what is not finite. Products of parts are exact:
 * a fused sum has the bits of any other. */
VMATH_QUICK vc64 c_over(vc64 x, vc64 y) {
    /* has the sign of the larger part: parts of 24 digits differ by more than the product adds */
    const vf64 more = v_fma_f64(y.re, v_set_f64(1 + 0x1p-26), y.im);
    const vf64 inverse = v_with_sign(1 / v_fma_f64(y.re, y.re, y.im * y.im), more);
    const vf64 re = v_with_sign(y.re, more), im = v_with_sign(y.im, more);
    return (vc64){v_fma_f64(x.re, re, x.im * im) * inverse,
                  v_fma_f64(x.im, re, -(x.re * im)) * inverse};
}
/* Vectors of parts, which registers hold: a struct would be stored for this call in every round. */
static __attribute__((noinline)) vf32 c_quotient_else(vf64 xre, vf64 xim, vf64 yre, vf64 yim) {
    const vc64 x = {xre, xim}, y = {yre, yim}, q = c_over(x, y);
    vf64 below;
    const vc64 n = vc_over(x, y, &below);
    const vi64 fit = v_abs_f64(q.re) + v_abs_f64(q.im) < (double)INFINITY;
    return c_beside_f32(
        (vc64){v_sel_f64(fit, q.re, n.re / below), v_sel_f64(fit, q.im, n.im / below)});
}
VMATH_QUICK vf32 c_quotient_apart(vc64 x, vc64 y) {
    const vf32 q = c_beside_f32(c_over(x, y)), none = q - q; /* a NaN of what is not finite */
    if (__builtin_expect(v_any32(none != none), 0)) return c_quotient_else(x.re, x.im, y.re, y.im);
    return q;
}
VMATH_QUICK vf32 c_quotient_f32(vf32 x, vf32 y) {
    return c_quotient_apart(c_apart_f32(x), c_apart_f32(y));
}
/* Of complex128 with the bits of c_div. */
VMATH_QUICK vf64 c_quotient_f64(vf64 x, vf64 y) {
    vf64 below;
    const vc64 n = vc_over(c_apart_f64(x), c_apart_f64(y), &below);
    return v_sel_f64(v_even_lanes_f64(), n.re, n.im) / below;
}

VMATH_QUICK vf32 c_inverse_f32(vf32 x) { return c_quotient_f32(v_splat_pair_f32((vf32){1, 0}), x); }
VMATH_QUICK vf64 c_inverse_f64(vf64 x) { return c_quotient_f64(v_splat_pair_f64((vf64){1, 0}), x); }
/* The same where all is finite: a zero has the sign of the other part. */
VMATH_QUICK vf32 c_inverse_quick_f32(vf32 x, vmask_f32 *unfit) {
    const vc64 z = c_apart_f32(x);
    const vf64 inverse = 1 / (z.re * z.re + z.im * z.im);
    const vf32 r = c_beside_f32((vc64){z.re * inverse, -z.im * inverse}), zero = {0};
    *unfit = (vmask_f32)~v_less_f32(v_abs_f32(r), v_set_f32(INFINITY));
    return v_sel_f32(x == 0, v_copysign_f32(zero, v_swap(x)), r);
}
VMATH_QUICK vf64 c_inverse_quick_f64(vf64 x, vmask_f64 *unfit) {
    *unfit = v_less_f64(x, x); /* none */
    return c_inverse_f64(x);
}
/* What is added may cancel, so the quotient has all digits of double. */
VMATH_QUICK vf32 c_addcdiv_f32(vf32 a, vf32 y, vf32 z, vf32 w) {
    vf64 below;
    const vc64 x = c_apart_f32(a), product = vc_times(c_apart_f32(w), c_apart_f32(y));
    const vc64 n = vc_over(product, c_apart_f32(z), &below);
    return c_beside_f32((vc64){x.re + n.re / below, x.im + n.im / below});
}
VMATH_QUICK vf64 c_addcdiv_f64(vf64 x, vf64 y, vf64 z, vf64 w) {
    return x + c_quotient_f64(c_mul_f64(w, y), z);
}

/* ---- functions ------------------------------------------------------------------------------- */

static inline c128 c_sgn(c128 x) {
    const double size = c_abs(x);
    return size == 0 ? (c128){0, 0} : (c128){x.re / size, x.im / size};
}

/* ---- loops ----------------------------------------------------------------------------------- */

#define OP         add
#define EXPR(x, y) ((x) + (y))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP         sub
#define EXPR(x, y) ((x) - (y))
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP         mul
#define EXPR(x, y) c_mul(x, y)
#define LOOP       "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP            add_scaled
#define EXPR(x, y, z) ((x) + c_mul(z, y))
#define LOOP          "kernels/loops/ternary.h"
#include "kernels/loops/pairs.h"

#define OP            sub_scaled
#define EXPR(x, y, z) ((x) - c_mul(z, y))
#define LOOP          "kernels/loops/ternary.h"
#include "kernels/loops/pairs.h"

#define OP            lerp
#define EXPR(x, y, w) SIMD_PICK(c_lerp, x)(x, y, w)
#define LOOP          "kernels/loops/ternary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP               addcmul
#define EXPR(x, y, z, w) ((x) + c_mul(c_mul(w, y), z))
#define LOOP             "kernels/loops/quaternary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP               addcdiv
#define EXPR(x, y, z, w) SIMD_PICK(c_addcdiv, x)(x, y, z, w)
#define LOOP             "kernels/loops/quaternary.h"
#include "kernels/loops/pairs.h"

/* complex64 comes from memory with its parts in vectors of their own. */
static inline vc64 vc_load_f32_n(const void *p, int64_t n) {
    return c_apart_f32(ld_f32_n(p, 2 * n));
}
static inline vc64 vc_splat(vc64 z) { return (vc64){v_set_f64(z.re[0]), v_set_f64(z.im[0])}; }
#define OP         div
#define EXPR(x, y) _Generic((x), vc64: c_quotient_apart, vf64: c_quotient_f64)(x, y)
#define APART
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/pairs.h"

#define OP         eq
#define EXPR(x, y) (((x).re == (y).re) & ((x).im == (y).im))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

#define OP         ne
#define EXPR(x, y) (((x).re != (y).re) | ((x).im != (y).im))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

#define OP         logical_and
#define EXPR(x, y) (C_TRUE(x) & C_TRUE(y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

#define OP         logical_or
#define EXPR(x, y) (C_TRUE(x) | C_TRUE(y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

#define OP         logical_xor
#define EXPR(x, y) (C_TRUE(x) ^ C_TRUE(y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

#define OP      logical_not
#define EXPR(x) (!C_TRUE(x))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      isnan
#define EXPR(x) (((x).re != (x).re) | ((x).im != (x).im))
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      neg
#define EXPR(x) (-(x))
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP      conj
#define EXPR(x) v_flip_odd(x)
#define LOOP    "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/pairs.h"

#define OP      square
#define EXPR(x) c_mul(x, x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/pairs.h"

#define OP      real
#define EXPR(x) ((x).re)
#define OUT_REAL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      imag
#define EXPR(x) ((x).im)
#define OUT_REAL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP                      abs
#define LANES(z, narrow, unfit) vc_abs(z, narrow, unfit)
#define EXPR(x)                 c_abs(x)
#define OUT_REAL
#include "kernels/loops/complex_lanes.h"

#define OP                      sgn
#define LANES(z, narrow, unfit) vc_sgn(z, narrow, unfit)
#define EXPR(x)                 c_sgn(x)
#include "kernels/loops/complex_lanes.h"

#define OP              reciprocal
#define EXPR(x)         SIMD_PICK(c_inverse, x)(x)
#define QUICK(x, unfit) SIMD_PICK(c_inverse_quick, x)(x, unfit)
#define LOOP_PAIRS
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/pairs.h"
#undef QUICK
#undef LOOP_PAIRS

/* Loops over several inputs have one over lines where a vector holds more than one number. */
#if VB > 16
#define ROWS_SEVERAL ROWS_COMPLEXES_LINES
#else
#define ROWS_SEVERAL(text, op)                                                                     \
    ROW_LINES(text, NOMEN_C64, op##_c64), ROW(text, NOMEN_C128, op##_c128)
#endif

const nomen__kernel NOMEN__TABLE(complex)[] = {
    ROWS_SEVERAL("add", add),
    ROWS_SEVERAL("sub", sub),
    ROWS_SEVERAL("mul", mul),
    ROWS_COMPLEXES("add_scaled", add_scaled),
    ROWS_COMPLEXES("sub_scaled", sub_scaled),
    ROWS_SEVERAL("lerp", lerp),
    ROWS_SEVERAL("addcmul", addcmul),
    ROWS_COMPLEXES("addcdiv", addcdiv),
    ROWS_COMPLEXES("div", div),
    ROWS_COMPLEXES("eq", eq),
    ROWS_COMPLEXES("ne", ne),
    ROWS_COMPLEXES("logical_and", logical_and),
    ROWS_COMPLEXES("logical_or", logical_or),
    ROWS_COMPLEXES("logical_xor", logical_xor),
    ROWS_COMPLEXES("logical_not", logical_not),
    ROWS_COMPLEXES("isnan", isnan),
    ROWS_COMPLEXES_LINES("neg", neg),
    ROWS_COMPLEXES_LINES("conj", conj),
    ROWS_COMPLEXES("square", square),
    ROWS_COMPLEXES("real", real),
    ROWS_COMPLEXES("imag", imag),
    ROWS_COMPLEXES("abs", abs),
    ROWS_COMPLEXES("sgn", sgn),
    ROWS_COMPLEXES("reciprocal", reciprocal),
    {.name = NULL},
};
