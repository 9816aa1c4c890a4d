/* All kernels of complex operands but copies, where (move.c) and casts (cast.c). Sums and products
 * compute in their own type; functions in c128, so that complex64 rounds once and cannot overflow
 * on the way. */
#include "kernels/loops/loops.h"

#include <complex.h>
#undef complex /* the table of this file is called complex, too */
#include <math.h>

static inline c128 c_widen(c64 x) { return (c128){(double)x.re, (double)x.im}; }
static inline c64 c_narrow(c128 x) { return (c64){(float)x.re, (float)x.im}; }
static inline double _Complex c_pack(c128 x) {
    double _Complex z;
    memcpy(&z, &x, sizeof z);
    return z;
}
static inline c128 c_unpack(double _Complex z) {
    c128 x;
    memcpy(&x, &z, sizeof x);
    return x;
}
#define C_PICK(f, x) _Generic((x), c64: f##_c64, c128: f##_c128)

/* ---- products: as vectors of interleaved parts --------------------------------------------------
 * Not as plain C: gcc 12 turns the interleaved difference and sum into fused operations,
 * -ffp-contract=off or not, and ISAs would disagree (GCC bug 106902). A changed sign and an
 * addition leave it nothing to fuse. */

static inline vf32 v_splat_pair_f32(vf32 v) {
    for (int i = 2; i < W32; i++) v[i] = v[i % 2];
    return v;
}
static inline vf64 v_splat_pair_f64(vf64 v) {
    for (int i = 2; i < W64; i++) v[i] = v[i % 2];
    return v;
}
static inline vf32 v_flip_even_f32(vf32 x) {
    return (vf32)((vu64)x ^ 0x80000000u);
} /* little endian */
static inline vf64 v_flip_even_f64(vf64 x) {
    vu64 sign = {0};
    for (int i = 0; i < W64; i += 2) sign[i] = (uint64_t)1 << 63;
    return (vf64)((vu64)x ^ sign);
}
static inline vf32 c_mul_f32(vf32 x, vf32 y) {
    return v_dup_even(x) * y + v_flip_even_f32(v_dup_odd(x) * v_swap(y));
}
static inline vf64 c_mul_f64(vf64 x, vf64 y) {
    return v_dup_even(x) * y + v_flip_even_f64(v_dup_odd(x) * v_swap(y));
}
#define v_splat_pair(v) SIMD_PICK(v_splat_pair, v)(v)
#define c_mul(x, y)     SIMD_PICK(c_mul, x)(x, y)

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

static inline c64 c_neg_c64(c64 x) { return (c64){-x.re, -x.im}; }
static inline c128 c_neg_c128(c128 x) { return (c128){-x.re, -x.im}; }
static inline c64 c_conj_c64(c64 x) { return (c64){x.re, -x.im}; }
static inline c128 c_conj_c128(c128 x) { return (c128){x.re, -x.im}; }

/* ---- functions ------------------------------------------------------------------------------- */

/* Two numbers as a vector of their own, with the same remedy as above. */
typedef double pair __attribute__((vector_size(16)));
typedef uint64_t pair_bits __attribute__((vector_size(16)));
static inline pair pair_flip_second(pair x) {
    return (pair)((pair_bits)x ^ (pair_bits){0, (uint64_t)1 << 63});
}

static inline pair pair_flip_first(pair x) {
    return (pair)((pair_bits)x ^ (pair_bits){(uint64_t)1 << 63, 0});
}
static inline c128 c_times(c128 x, c128 y) {
    const pair z = (pair){x.re, x.re} * (pair){y.re, y.im} +
                   pair_flip_first((pair){x.im, x.im} * (pair){y.im, y.re});
    return (c128){z[0], z[1]};
}

/* Smith's quotient: scaled by the larger part of y, so that |y|^2 is never formed. By zero: part by
 * part. */
static inline c128 c_div(c128 x, c128 y) {
    const pair n = {x.re, x.im}, swapped = {x.im, x.re};
    if (fabs(y.re) >= fabs(y.im)) {
        if (y.re == 0) return (c128){x.re / y.re, x.im / y.re};
        const double r = y.im / y.re;
        const pair q = (n + pair_flip_second(swapped * r)) / (y.re + y.im * r);
        return (c128){q[0], q[1]};
    }
    const double r = y.re / y.im;
    const pair q = (n * r + pair_flip_second(swapped)) / (y.im + y.re * r);
    return (c128){q[0], q[1]};
}
static inline c128 c_reciprocal(c128 x) { return c_div((c128){1, 0}, x); }
static inline double c_abs(c128 x) { return hypot(x.re, x.im); }
static inline c128 c_sgn(c128 x) {
    const double size = c_abs(x);
    return size == 0 ? (c128){0, 0} : (c128){x.re / size, x.im / size};
}
static inline c128 c_exp(c128 x) { return c_unpack(cexp(c_pack(x))); }
static inline c128 c_log(c128 x) { return c_unpack(clog(c_pack(x))); }
static inline c128 c_log2(c128 x) {
    const c128 y = c_log(x);
    return (c128){y.re * M_LOG2E, y.im * M_LOG2E};
}
static inline c128 c_sqrt(c128 x) { return c_unpack(csqrt(c_pack(x))); }
static inline c128 c_rsqrt(c128 x) { return c_reciprocal(c_sqrt(x)); }
static inline c128 c_sin(c128 x) { return c_unpack(csin(c_pack(x))); }
static inline c128 c_cos(c128 x) { return c_unpack(ccos(c_pack(x))); }
static inline c128 c_tanh(c128 x) { return c_unpack(ctanh(c_pack(x))); }
/* 1 / (1 + exp(-x)), with the exponential that cannot overflow. */
static inline c128 c_sigmoid(c128 x) {
    const c128 e = c_exp(x.re < 0 ? x : c_neg_c128(x)), d = {1 + e.re, e.im};
    return x.re < 0 ? c_div(e, d) : c_reciprocal(d);
}
static inline c128 c_pow(c128 x, c128 y) {
    if (y.re == 0 && y.im == 0) return (c128){1, 0};
    if (x.re == 0 && x.im == 0 && y.re > 0) return (c128){0, 0};
    return c_unpack(cpow(c_pack(x), c_pack(y)));
}

/* ---- loops ----------------------------------------------------------------------------------- */

#define OP         add
#define EXPR(x, y) ((x) + (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/pairs.h"

#define OP         sub
#define EXPR(x, y) ((x) - (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/pairs.h"

#define OP         mul
#define EXPR(x, y) c_mul(x, y)
#define LOOP       "kernels/loops/binary.h"
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
#include "kernels/loops/pairs.h"

#define OP               addcmul
#define EXPR(x, y, z, w) ((x) + c_mul(c_mul(w, y), z))
#define LOOP             "kernels/loops/quaternary.h"
#include "kernels/loops/pairs.h"

static inline c128 c_addcdiv(c128 x, c128 y, c128 z, c128 w) {
    const c128 q = c_div(c_times(w, y), z);
    return (c128){x.re + q.re, x.im + q.im};
}

#define OP               addcdiv
#define EXPR(x, y, z, w) c_addcdiv(x, y, z, w)
#define WIDE
#define LOOP "kernels/loops/quaternary.h"
#include "kernels/loops/complexes.h"

#define OP         div
#define EXPR(x, y) c_div(x, y)
#define WIDE
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

#define OP         pow
#define EXPR(x, y) c_pow(x, y)
#define WIDE
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/complexes.h"

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

#define C_TRUE(x) (((x).re != 0) | ((x).im != 0))

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
#define EXPR(x) C_PICK(c_neg, x)(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      conj
#define EXPR(x) C_PICK(c_conj, x)(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

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

#define OP      abs
#define EXPR(x) c_abs(x)
#define WIDE
#define OUT_REAL
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      sgn
#define EXPR(x) c_sgn(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      reciprocal
#define EXPR(x) c_reciprocal(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      exp
#define EXPR(x) c_exp(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      log
#define EXPR(x) c_log(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      log2
#define EXPR(x) c_log2(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      sqrt
#define EXPR(x) c_sqrt(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      rsqrt
#define EXPR(x) c_rsqrt(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      sin
#define EXPR(x) c_sin(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      cos
#define EXPR(x) c_cos(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      tanh
#define EXPR(x) c_tanh(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

#define OP      sigmoid
#define EXPR(x) c_sigmoid(x)
#define WIDE
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/complexes.h"

const nomen__kernel NOMEN__TABLE(complex)[] = {
    ROWS_COMPLEXES("add", add),
    ROWS_COMPLEXES("sub", sub),
    ROWS_COMPLEXES("mul", mul),
    ROWS_COMPLEXES("add_scaled", add_scaled),
    ROWS_COMPLEXES("sub_scaled", sub_scaled),
    ROWS_COMPLEXES("lerp", lerp),
    ROWS_COMPLEXES("addcmul", addcmul),
    ROWS_COMPLEXES("addcdiv", addcdiv),
    ROWS_COMPLEXES("div", div),
    ROWS_COMPLEXES("pow", pow),
    ROWS_COMPLEXES("eq", eq),
    ROWS_COMPLEXES("ne", ne),
    ROWS_COMPLEXES("logical_and", logical_and),
    ROWS_COMPLEXES("logical_or", logical_or),
    ROWS_COMPLEXES("logical_xor", logical_xor),
    ROWS_COMPLEXES("logical_not", logical_not),
    ROWS_COMPLEXES("isnan", isnan),
    ROWS_COMPLEXES("neg", neg),
    ROWS_COMPLEXES("conj", conj),
    ROWS_COMPLEXES("square", square),
    ROWS_COMPLEXES("real", real),
    ROWS_COMPLEXES("imag", imag),
    ROWS_COMPLEXES("abs", abs),
    ROWS_COMPLEXES("sgn", sgn),
    ROWS_COMPLEXES("reciprocal", reciprocal),
    ROWS_COMPLEXES("exp", exp),
    ROWS_COMPLEXES("log", log),
    ROWS_COMPLEXES("log2", log2),
    ROWS_COMPLEXES("sqrt", sqrt),
    ROWS_COMPLEXES("rsqrt", rsqrt),
    ROWS_COMPLEXES("sin", sin),
    ROWS_COMPLEXES("cos", cos),
    ROWS_COMPLEXES("tanh", tanh),
    ROWS_COMPLEXES("sigmoid", sigmoid),
    {.name = NULL},
};
