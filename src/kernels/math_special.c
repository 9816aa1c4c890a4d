/* Special functions of real numbers: erf and its kin, gamma and its derivatives, sinc, logit. */
#define LOOP_PAIRS
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_special.h"

#define OP      erf
#define EXPR(x) v_erf(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      erfc
#define EXPR(x) v_erfc(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      erfinv
#define EXPR(x) v_erfinv(x)
#if SIMD_EIGHTS || SIMD_TABLES
#define QUICK(x, unfit) SIMD_PICK(v_erfinv_quick, x)(x, unfit)
#endif
#define LOOP "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      lgamma
#define EXPR(x) v_lgamma(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      digamma
#define EXPR(x) v_digamma(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP      sinc
#define EXPR(x) v_sinc(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

/* For gradients alone. */
#define OP      sinc_slope
#define EXPR(x) SIMD_PICK(v_sinc_slope, x)(x)
#define LOOP    "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

#define OP              logit
#define EXPR(x)         v_logit(x)
#define QUICK(x, unfit) SIMD_PICK(v_logit_quick, x)(x, unfit)
#define LOOP            "kernels/loops/unary.h"
#include "kernels/loops/floats.h"

/* The number limited to [low, high] first. */
#define OP                 logit_limited
#define EXPR(x, low, high) v_logit(v_sel((x) < (low), low, v_sel((x) > (high), high, x)))
#define LOOP               "kernels/loops/ternary.h"
#include "kernels/loops/floats.h"

/* ---- polygamma --------------------------------------------------------------------------------
 * (-1)^(n+1) n! times the sum of (x + k)^-(n+1) over all k >= 0. */

/* B(2 k) / (2 k)!, with Bernoulli's numbers */
static const double MACLAURIN[] = {1.0 / 12,          -1.0 / 720,
                                   1.0 / 30240,       -1.0 / 1209600,
                                   1.0 / 47900160,    -691.0 / 1307674368000,
                                   1.0 / 74724249600, -3617.0 / 10670622842880000};

/* Powers up to here are products, which are as good and far cheaper. */
enum { SMALL_POWER = 9 };

static double negative_power(double x, double s) {
    if (!(s >= 1 && s <= SMALL_POWER) || s != floor(s)) return pow(x, -s);
    double product = x;
    for (int k = 1; k < (int)s; k++) product *= x;
    return 1 / product;
}

/* That sum for x > 0: some terms one by one, Euler and Maclaurin's formula for the others. */
static double power_sum(double s, double x) {
    double sum = 0, term = negative_power(x, s);
    for (; x < 10 + s && term > sum * 0x1p-60; term = negative_power(x, s)) {
        sum += term;
        x += 1;
    }
    if (x < 10 + s) return sum + term; /* the others are too small to count */
    double rest = x * term / (s - 1) + 0.5 * term, rise = s * term / x;
    for (int k = 0; k < 8; k++) {
        rest += MACLAURIN[k] * rise;
        rise *= (s + 2 * k + 1) * (s + 2 * k + 2) / (x * x);
    }
    return sum + rest;
}

/* Where the formula takes over from single terms, beyond s: for results in double and in float. */
enum { FAR_WIDE = 10, FAR_NARROW = 4 };

static inline vf64 v_power(vf64 x, int s) {
    vf64 product = x;
    for (int k = 1; k < s; k++) product *= x;
    return product;
}

/* The same for a small s, where no power of x is too large or too small. Divisions take longer than
 * all else: two terms have one, and the formula's powers of 1 / x have one. */
static inline vf64 v_power_sum(int s, vf64 x, int far) {
    const vf64 none = {0}, enough = v_set_f64(far + s);
    vf64 sum = none;
    for (vi64 near = x < enough; v_any64(near); near = x < enough) {
        const vf64 first = v_power(x, s), second = v_power(x + 1, s);
        sum += v_sel_f64(near, (first + second) / (first * second), none);
        x += v_sel_f64(near, v_set_f64(2), none);
    }
    const vf64 inverse = 1 / x, square = inverse * inverse, term = v_power(inverse, s);
    vf64 rest = x * term * (1.0 / (s - 1)) + 0.5 * term, rise = (double)s * term * inverse;
    for (int k = 0; k < 8; k++) {
        rest += MACLAURIN[k] * rise;
        rise *= (double)((s + 2 * k + 1) * (s + 2 * k + 2)) * square;
    }
    return sum + rest;
}

static double polygamma_of(double x, double n) {
    const double s = n + 1, sign = fmod(n, 2) == 0 ? -1 : 1, whole = floor(x);
    if (x != x || x == -(double)INFINITY) return (double)NAN;
    if (x <= 0 && whole == x) return sign * (double)INFINITY;
    double sum;
    if (x > 0) {
        sum = x == (double)INFINITY ? 0 : power_sum(s, x);
    } else {
        /* The terms with x + k < 0 are, up to the sign, the beginning of such a sum again. The two
         * near 0 first: midway between integers they may cancel. */
        const double above = x - whole, below = (whole + 1) - x;
        sum = power_sum(s, above) + sign * power_sum(s, below);
        sum -= sign * power_sum(s, 1 - x);
    }
    return sign * tgamma(s) * sum;
}
/* The same below 0 too, up to the sign: the terms there are the beginning of such a sum themselves,
 * of which a few are added up, and for many two sums are subtracted. The two terms next to 0 come
 * first: midway between integers they cancel. No lane depends on what others are. */
static __attribute__((noinline)) vf64 v_power_sum_below(int s, vf64 x, int far) {
    enum { FEW = 16 };
    const vi64 below = x < 0;
    const vf64 whole = v_floor_f64(x), none = {0}, tame = v_set_f64(FEW);
    const vf64 above = v_sel_f64(below, x - whole, tame), under = (whole + 1) - x;
    const vf64 rest = v_power_sum(s, v_sel_f64(below, above + 1, x), far);
    const vi64 many = below & (-whole > FEW);
    const vf64 count = v_sel_f64(below & ~many, -whole, none);
    vf64 others = none;
    double k = 1;
    for (vi64 left = count > k; v_any64(left); left = count > ++k)
        others += v_sel_f64(left, 1 / v_power(under + k, s), none);
    if (v_any64(many)) {
        const vf64 from = v_power_sum(s, v_sel_f64(many, under + 1, tame), far);
        others = v_sel_f64(many, from - v_power_sum(s, v_sel_f64(many, 1 - x, tame), far), others);
    }
    const vf64 first = 1 / v_power(above, s), second = 1 / v_power(under, s);
    const vf64 all =
        s % 2 ? (first - second) + (rest - others) : (first + second) + (rest + others);
    return v_sel_f64(below, all, rest);
}

/* Of small orders and plain numbers. */
static inline vf64 v_polygamma_plain(vf64 x, int order, int far) {
    double factor = order % 2 == 0 ? -1 : 1;
    for (int k = 2; k <= order; k++) factor *= k;
    const int s = order + 1;
    return factor * (v_any64(x < 0) ? v_power_sum_below(s, x, far) : v_power_sum(s, x, far));
}
/* The lanes that are not done, one by one, but for those behind the last number, of which the order
 * is 0, too: there r is what that of 0 is. */
static __attribute__((noinline)) vf64 v_polygamma_rest(vf64 r, vf64 x, vf64 n, vi64 plain,
                                                       vi64 done, int far) {
    const vi64 left = ~(done | ((x == 0) & (n == 0)));
    if (!v_any64(left)) return r;
    for (int i = 0; i < W64; i++)
        if (left[i])
            r[i] = plain[i] ? v_polygamma_plain(v_set_f64(x[i]), (int)n[i], far)[0]
                            : polygamma_of(x[i], n[i]);
    return r;
}
/* The lanes with the order of the first one at once, if it is small. */
static inline vf64 v_polygamma_to(vf64 x, vf64 n, int far) {
    const vi64 plain = (n >= 1) & (n < SMALL_POWER) & (v_floor_f64(n) == n) & (x < 0x1p100) &
                       ((x > 0x1p-100) | ((x > -0x1p50) & (x < -0x1p-100) & (v_floor_f64(x) != x)));
    const vi64 done = plain & (n == n[0]);
    const vf64 tame = v_sel_f64(done, x, v_set_f64(16));
    vf64 r = v_set_f64(-(double)INFINITY);
    if (v_any64(done)) r = v_sel_f64(done, v_polygamma_plain(tame, (int)n[0], far), r);
    return v_any64(~done) ? v_polygamma_rest(r, x, n, plain, done, far) : r;
}
static inline vf64 v_polygamma_f64(vf64 x, vf64 n) { return v_polygamma_to(x, n, FAR_WIDE); }
static inline vf32 v_polygamma_f32(vf32 x, vf32 n) {
    return v_narrow_f64(v_polygamma_to(v_low_f64(x), v_low_f64(n), FAR_NARROW),
                        v_polygamma_to(v_high_f64(x), v_high_f64(n), FAR_NARROW));
}

#define OP         polygamma
#define EXPR(x, n) SIMD_PICK(v_polygamma, x)(x, n)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

const nomen__kernel NOMEN__TABLE(math_special)[] = {
    ROWS_FLOATS("erf", erf),
    ROWS_FLOATS("erfc", erfc),
    ROWS_FLOATS("erfinv", erfinv),
    ROWS_FLOATS("lgamma", lgamma),
    ROWS_FLOATS("digamma", digamma),
    ROWS_FLOATS("sinc", sinc),
    ROWS_FLOATS("sinc_slope", sinc_slope),
    ROWS_FLOATS("logit", logit),
    ROWS_FLOATS("logit_limited", logit_limited),
    ROWS_FLOATS("polygamma", polygamma),
    {.name = NULL},
};
