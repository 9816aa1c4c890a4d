/* Arithmetic on one complex number in double, as complex.c and complex_math.c use it. */
#ifndef NOMEN_SRC_COMPLEX_NUMBER_H
#define NOMEN_SRC_COMPLEX_NUMBER_H

#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_pairs.h"

#include <complex.h>
#undef complex /* tables and operations are called so, too */
#undef I
#include <math.h>

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

/* Two numbers as a vector of their own: gcc 12 fuses the products of plain complex arithmetic,
 * -ffp-contract=off or not (GCC bug 106902); a changed sign and an addition leave it nothing to
 * fuse. */
typedef double pair __attribute__((vector_size(16)));
typedef uint64_t pair_bits __attribute__((vector_size(16)));
static inline pair pair_flip_first(pair x) {
    return (pair)((pair_bits)x ^ (pair_bits){(uint64_t)1 << 63, 0});
}
static inline pair pair_flip_second(pair x) {
    return (pair)((pair_bits)x ^ (pair_bits){0, (uint64_t)1 << 63});
}

/* Is any part other than 0? Without a branch; of two floats by the bits that are not signs, as what
 * a vector does not hold is looked at one by one. */
static inline uint8_t c_true_c64(c64 x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7fffffff7fffffff) != 0;
}
static inline uint8_t c_true_c128(c128 x) { return (x.re != 0) | (x.im != 0); }
#define C_TRUE(x) _Generic((x), c64: c_true_c64, c128: c_true_c128)(x)

static inline c128 c_times(c128 x, c128 y) {
    const pair z = (pair){x.re, x.re} * (pair){y.re, y.im} +
                   pair_flip_first((pair){x.im, x.im} * (pair){y.im, y.re});
    return (c128){z[0], z[1]};
}

/* The same, part by part, for products that wait for each other: there is no time to put the parts
 * beside each other and apart again. */
static inline c128 c_times_next(c128 x, c128 y) {
    double re = x.re * y.re, im = x.re * y.im;
    V_OPAQUE(re);
    V_OPAQUE(im);
    return (c128){re - x.im * y.im, im + x.im * y.re};
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
/* x^2 - p, where p is x^2 rounded. */
static inline double c_square_lost(double x, double p) {
#if SIMD_FMA
    return __builtin_fma(x, x, -p);
#else
    const double wide = x * 0x1.0000002p27, upper = wide - (wide - x), lower = x - upper;
    return ((upper * upper - p) + 2.0 * upper * lower) + lower * lower;
#endif
}
/* As v_hypot_f64 has it: the root, and one step for what it and the squares lost. */
static inline double c_abs(c128 x) {
    const double a = fabs(x.re), b = fabs(x.im), more = a < b ? b : a, less = a < b ? a : b;
    if (!(more > 0x1p-400 && more < 0x1p400 && less < 0x1p400)) return hypot(x.re, x.im);
    const double p = more * more, q = less * less, h = __builtin_sqrt(p + q), s = h * h;
    const double lost = c_square_lost(more, p) - c_square_lost(h, s);
    return h + (((p - s) + q) + (lost + c_square_lost(less, q))) * (0.5 / h);
}

#endif
