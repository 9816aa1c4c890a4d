/* Transcendental functions of complex numbers, in double, so that complex64 rounds once and cannot
 * overflow on the way; numbers made of two real ones, and angles. By vectors where plain formulas
 * hold (simd/vmath_complex.h); else number by number, where what C has is C's, with the special
 * values of its Annex G. */
#include "kernels/loops/complex_number.h"
#include "kernels/simd/vmath_complex.h"
#include "kernels/simd/vmath_pairs.h"

static inline c128 c_exp(c128 x) { return c_unpack(cexp(c_pack(x))); }
static inline c128 c_log(c128 x) { return c_unpack(clog(c_pack(x))); }
static inline c128 c_sqrt(c128 x) { return c_unpack(csqrt(c_pack(x))); }
static inline c128 c_sin(c128 x) { return c_unpack(csin(c_pack(x))); }
static inline c128 c_cos(c128 x) { return c_unpack(ccos(c_pack(x))); }
static inline c128 c_tan(c128 x) { return c_unpack(ctan(c_pack(x))); }
static inline c128 c_asin(c128 x) { return c_unpack(casin(c_pack(x))); }
static inline c128 c_acos(c128 x) { return c_unpack(cacos(c_pack(x))); }
static inline c128 c_atan(c128 x) { return c_unpack(catan(c_pack(x))); }
static inline c128 c_sinh(c128 x) { return c_unpack(csinh(c_pack(x))); }
static inline c128 c_cosh(c128 x) { return c_unpack(ccosh(c_pack(x))); }
static inline c128 c_tanh(c128 x) { return c_unpack(ctanh(c_pack(x))); }
static inline c128 c_asinh(c128 x) { return c_unpack(casinh(c_pack(x))); }
static inline c128 c_acosh(c128 x) { return c_unpack(cacosh(c_pack(x))); }
static inline c128 c_atanh(c128 x) { return c_unpack(catanh(c_pack(x))); }

static inline c128 c_neg(c128 x) { return (c128){-x.re, -x.im}; }
static inline c128 c_log2(c128 x) {
    const c128 y = c_log(x);
    return (c128){y.re * M_LOG2E, y.im * M_LOG2E};
}
static inline c128 c_log10(c128 x) {
    const c128 y = c_log(x);
    return (c128){y.re * M_LOG10E, y.im * M_LOG10E};
}

/* The angle y ln 2 in two parts: for a large y the rounding of one would show in the result. */
static c128 c_exp2(c128 x) {
    const double low = 2.3190468138462996e-17; /* ln 2 less M_LN2 */
    if (!isfinite(x.re) || !isfinite(x.im) || x.im == 0)
        return x.im == 0 ? (c128){exp2(x.re), x.im} : c_exp((c128){x.re * M_LN2, x.im});
    const double angle = x.im * M_LN2, rest = fma(x.im, M_LN2, -angle) + x.im * low;
    const double c = cos(angle), s = sin(angle), half = exp2(x.re / 2);
    const double near = cos(rest), aside = sin(rest);
    /* fma in so many words: gcc 12 fuses a complex product by itself where there is FMA, and the
     * instruction sets would differ */
    const double re = fma(c, near, -(s * aside)), im = fma(s, near, c * aside);
    return (c128){half * re * half, half * im * half};
}

static c128 c_expm1(c128 x) {
    if (x.im == 0) return (c128){expm1(x.re), x.im};
    if (!isfinite(x.re) || !isfinite(x.im) || x.re > 700) {
        const c128 e = c_exp(x);
        return (c128){e.re - 1, e.im};
    }
    const double half = sin(x.im / 2);
    return (c128){expm1(x.re) * cos(x.im) - 2 * half * half, exp(x.re) * sin(x.im)};
}

/* Near 0 |1 + x|^2 - 1 is summed up without the 1. */
static c128 c_log1p(c128 x) {
    if (x.im == 0 && x.re > -1) return (c128){log1p(x.re), x.im};
    const c128 y = {1 + x.re, x.im};
    if (!(fabs(x.re) < 0.5 && fabs(x.im) < 0.5)) return c_log(y);
    return (c128){0.5 * log1p(fma(x.re, 2 + x.re, x.im * x.im)), atan2(y.im, y.re)};
}

static inline c128 c_rsqrt(c128 x) { return c_reciprocal(c_sqrt(x)); }

/* 1 / (1 + exp(-x)), with the exponential that cannot overflow. Near the imaginary axis 1 and the
 * exponential may cancel, and (1 + tanh(x / 2)) / 2 cannot. */
static inline c128 c_sigmoid(c128 x) {
    if (fabs(x.re) < 0.5) {
        const c128 t = c_tanh((c128){0.5 * x.re, 0.5 * x.im});
        return (c128){0.5 + 0.5 * t.re, 0.5 * t.im};
    }
    const c128 e = c_exp(x.re < 0 ? x : c_neg(x)), d = {1 + e.re, e.im};
    return x.re < 0 ? c_div(e, d) : c_reciprocal(d);
}

/* sin(pi x) / (pi x). The real part is brought to between -1 and 1 before it is multiplied by pi;
 * what would overflow before the division is multiplied in two halves. */
static c128 c_sinc(c128 x) {
    if (x.re == 0 && x.im == 0) return (c128){1, 0};
    const double t = fabs(x.re) < 2 ? x.re : fmod(x.re, 2), y = M_PI * x.im;
    const double s = t == rint(t) ? copysign(0, x.re) : sin(M_PI * t), c = cos(M_PI * t);
    const c128 z = {M_PI * x.re, y};
    if (!(fabs(y) > 700)) return c_div((c128){s * cosh(y), c * sinh(y)}, z);
    const double half = exp(fabs(y) / 2);
    const c128 q = c_div((c128){s * half / 2, copysign(c * half / 2, c * y)}, z);
    return (c128){q.re * half, q.im * half};
}

/* Small whole powers by multiplication, which is exact where the result is. */
static bool c_pow_whole(c128 x, double power, c128 *result) {
    if (power != rint(power) || fabs(power) > 8) return false;
    c128 r = {1, 0};
    bool some = false;
    for (int n = (int)fabs(power); n > 0; n >>= 1) {
        if (n & 1) r = some ? c_times(r, x) : x, some = true;
        if (n > 1) x = c_times(x, x);
    }
    if (!isfinite(r.re) || !isfinite(r.im) || (r.re == 0 && r.im == 0)) return false;
    *result = power < 0 ? c_reciprocal(r) : r;
    return true;
}

static c128 c_pow(c128 x, c128 y) {
    c128 r;
    if (y.re == 0 && y.im == 0) return (c128){1, 0};
    if (y.im == 0 && y.re == 0.5) return c_sqrt(x);
    if (x.re == 0 && x.im == 0 && y.re > 0) return (c128){0, 0};
    if (y.im == 0 && c_pow_whole(x, y.re, &r)) return r;
    return c_unpack(cpow(c_pack(x), c_pack(y)));
}

/* ---- loops ----------------------------------------------------------------------------------- */

#define OP                      angle
#define LANES(z, narrow, unfit) vc_angle(z, narrow, unfit)
#define EXPR(x)                 atan2((x).im, (x).re)
#define OUT_REAL
#include "kernels/loops/complex_lanes.h"

#define OP                      exp
#define LANES(z, narrow, unfit) vc_exp(z, narrow, unfit)
#define EXPR(x)                 c_exp(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      exp2
#define LANES(z, narrow, unfit) vc_exp2(z, narrow, unfit)
#define EXPR(x)                 c_exp2(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      expm1
#define LANES(z, narrow, unfit) vc_expm1(z, narrow, unfit)
#define EXPR(x)                 c_expm1(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      log
#define LANES(z, narrow, unfit) vc_log(z, narrow, unfit)
#define EXPR(x)                 c_log(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      log2
#define LANES(z, narrow, unfit) vc_log2(z, narrow, unfit)
#define EXPR(x)                 c_log2(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      log10
#define LANES(z, narrow, unfit) vc_log10(z, narrow, unfit)
#define EXPR(x)                 c_log10(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      log1p
#define LANES(z, narrow, unfit) vc_log1p(z, narrow, unfit)
#define EXPR(x)                 c_log1p(x)
#define LIBM_WIDE
#include "kernels/loops/complex_lanes.h"

#define OP                      sqrt
#define LANES(z, narrow, unfit) vc_sqrt(z, narrow, unfit)
#define EXPR(x)                 c_sqrt(x)
#include "kernels/loops/complex_lanes.h"

/* Cubes are products in the type of the numbers, as squares are; not those that are 0 or not
 * finite, which are for libm: *unfit has a lane of such a pair. */
static inline vf32 cube(vf32 x, vi32 *unfit) {
    const vf32 y = c_mul_f32(c_mul_f32(x, x), x);
    const vf32 a = v_abs_f32(y), both = a + v_swap_f32(a);
    *unfit = ~((both > 0) & (both < (float)INFINITY));
    return y;
}
static bool cube_alone(c128 x, c128 *result) {
    const c64 z = c_narrow(x);
    const vf32 in = {z.re, z.im, 1, 1};
    vi32 unfit;
    const vf32 y = cube(in, &unfit);
    *result = (c128){(double)y[0], (double)y[1]};
    return !unfit[0];
}
static __attribute__((noinline)) vc64 pow_else(vc64 x, vc64 y, bool narrow, vi64 unfit, vc64 r) {
    for (int i = 0; i < W64; i++) {
        if (!unfit[i]) continue;
        const c128 base = {x.re[i], x.im[i]}, power = {y.re[i], y.im[i]};
        const bool is_cube = narrow && power.re == 3 && power.im == 0;
        c128 one;
        if (!is_cube || !cube_alone(base, &one)) one = c_pow(base, power);
        r.re[i] = one.re;
        r.im[i] = one.im;
    }
    return r;
}
static __attribute__((noinline)) void cubes_else(c64 *o, const c64 *a) {
    const vc64 three = {v_set_f64(3), (vf64){0}};
    vc_store_f32(o, pow_else(vc_load_f32(a), three, true, ~(vi64){0}, (vc64){0}));
}
/* The same products of twice as many numbers, with their parts apart. */
static inline bool cubes_apart(c64 *o, const c64 *a) {
    const vf32 x = ld_f32(a), y = ld_f32(a + W64), re = v_parts_even(x, y), im = v_parts_odd(x, y);
    const vf32 re2 = re * re - im * im, im2 = re * im + im * re;
    const vf32 re3 = re2 * re - im2 * im, im3 = re2 * im + im2 * re;
    const vf32 both = v_abs_f32(re3) + v_abs_f32(im3);
    if (__builtin_expect(v_any32(~((both > 0) & (both < (float)INFINITY))), 0)) return false;
    st_f32(o, v_parts_first(re3, im3));
    st_f32(o + W64, v_parts_last(re3, im3));
    return true;
}
static __attribute__((noinline)) void cubes_c64(c64 *o, const c64 *a, int64_t n) {
    int64_t i = 0;
    while (i < n) {
        if (n - i >= 2 * W64 && cubes_apart(o + i, a + i)) {
            i += 2 * W64;
            continue;
        }
        vi32 unfit;
        const vf32 y = cube(ld_f32(a + i), &unfit);
        if (__builtin_expect(v_any32(unfit), 0))
            cubes_else(o + i, a + i);
        else
            st_f32(o + i, y);
        i += W64;
    }
}

#define T      c64
#define PART   f32
#define NARROW true
#define FN     pow_c64
#define ROOT   sqrt_c64
#define CUBES  cubes_c64
#include "kernels/loops/complex_pow.h"

#define T      c128
#define PART   f64
#define NARROW false
#define FN     pow_c128
#define ROOT   sqrt_c128
#include "kernels/loops/complex_pow.h"

#define OP                      rsqrt
#define LANES(z, narrow, unfit) vc_rsqrt(z, narrow, unfit)
#define EXPR(x)                 c_rsqrt(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      sin
#define LANES(z, narrow, unfit) vc_sin(z, narrow, unfit)
#define EXPR(x)                 c_sin(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      cos
#define LANES(z, narrow, unfit) vc_cos(z, narrow, unfit)
#define EXPR(x)                 c_cos(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      tan
#define LANES(z, narrow, unfit) vc_tan(z, narrow, unfit)
#define EXPR(x)                 c_tan(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      asin
#define LANES(z, narrow, unfit) vc_asin(z, narrow, unfit)
#define EXPR(x)                 c_asin(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      acos
#define LANES(z, narrow, unfit) vc_acos(z, narrow, unfit)
#define EXPR(x)                 c_acos(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      atan
#define LANES(z, narrow, unfit) vc_atan(z, narrow, unfit)
#define EXPR(x)                 c_atan(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      sinh
#define LANES(z, narrow, unfit) vc_sinh(z, narrow, unfit)
#define EXPR(x)                 c_sinh(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      cosh
#define LANES(z, narrow, unfit) vc_cosh(z, narrow, unfit)
#define EXPR(x)                 c_cosh(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      tanh
#define LANES(z, narrow, unfit) vc_tanh(z, narrow, unfit)
#define EXPR(x)                 c_tanh(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      asinh
#define LANES(z, narrow, unfit) vc_asinh(z, narrow, unfit)
#define EXPR(x)                 c_asinh(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      acosh
#define LANES(z, narrow, unfit) vc_acosh(z, narrow, unfit)
#define EXPR(x)                 c_acosh(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      atanh
#define LANES(z, narrow, unfit) vc_atanh(z, narrow, unfit)
#define EXPR(x)                 c_atanh(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      sigmoid
#define LANES(z, narrow, unfit) vc_sigmoid(z, narrow, unfit)
#define EXPR(x)                 c_sigmoid(x)
#include "kernels/loops/complex_lanes.h"

#define OP                      sinc
#define LANES(z, narrow, unfit) vc_sinc(z, narrow, unfit)
#define EXPR(x)                 c_sinc(x)
#define LIBM_WIDE
#include "kernels/loops/complex_lanes.h"

/* ---- of real numbers ------------------------------------------------------------------------- */

static inline vf32 v_angle_f32(vf32 x) {
    return v_sel_f32(x != x, x, v_sel_f32(x < 0, v_set_f32((float)M_PI), (vf32){0}));
}
static inline vf64 v_angle_f64(vf64 x) {
    return v_sel_f64(x != x, x, v_sel_f64(x < 0, v_set_f64(M_PI), (vf64){0}));
}

#define OP      angle
#define EXPR(x) SIMD_PICK(v_angle, x)(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define FN polar_f32
#define T  float
#define OT c64
#include "kernels/loops/polar.h"
#undef FN

#define FN polar_f64
#define T  double
#define OT c128
#include "kernels/loops/polar.h"
#undef FN

#define W        1
#define LD(p)    (*(const T *)(p))
#define ST(p, v) (*(OT *)(p) = (v))

#define T          float
#define V          float
#define OT         c64
#define FN         complex_f32
#define EXPR(x, y) ((c64){x, y})
#include "kernels/loops/binary.h"
#undef FN
#undef EXPR
#undef T
#undef V
#undef OT

#define T          double
#define V          double
#define OT         c128
#define FN         complex_f64
#define EXPR(x, y) ((c128){x, y})
#include "kernels/loops/binary.h"

const nomen__kernel NOMEN__TABLE(complex_math)[] = {
    ROWS_COMPLEXES("pow", pow),
    ROWS_COMPLEXES("angle", angle),
    ROWS_FLOATS("angle", angle),
    ROW("complex", NOMEN_F32, complex_f32),
    ROW("complex", NOMEN_F64, complex_f64),
    ROW("polar", NOMEN_F32, polar_f32),
    ROW("polar", NOMEN_F64, polar_f64),
    ROWS_COMPLEXES("exp", exp),
    ROWS_COMPLEXES("exp2", exp2),
    ROWS_COMPLEXES("expm1", expm1),
    ROWS_COMPLEXES("log", log),
    ROWS_COMPLEXES("log2", log2),
    ROWS_COMPLEXES("log10", log10),
    ROWS_COMPLEXES("log1p", log1p),
    ROWS_COMPLEXES("sqrt", sqrt),
    ROWS_COMPLEXES("rsqrt", rsqrt),
    ROWS_COMPLEXES("sin", sin),
    ROWS_COMPLEXES("cos", cos),
    ROWS_COMPLEXES("tan", tan),
    ROWS_COMPLEXES("asin", asin),
    ROWS_COMPLEXES("acos", acos),
    ROWS_COMPLEXES("atan", atan),
    ROWS_COMPLEXES("sinh", sinh),
    ROWS_COMPLEXES("cosh", cosh),
    ROWS_COMPLEXES("tanh", tanh),
    ROWS_COMPLEXES("asinh", asinh),
    ROWS_COMPLEXES("acosh", acosh),
    ROWS_COMPLEXES("atanh", atanh),
    ROWS_COMPLEXES("sigmoid", sigmoid),
    ROWS_COMPLEXES("sinc", sinc),
    {.name = NULL},
};
