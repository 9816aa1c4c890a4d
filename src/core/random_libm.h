/* Part of random_loops.h: logarithm, sine, cosine and exponential in double as libm gives them, to
 * the last bit, a vector at a time; and Box-Muller with them. A function is computed as a sum of
 * two doubles, which is wrong by some thousandths of a unit in the last place. glibc's is wrong by
 * less than the half of one and a margin: so it is the sum rounded, unless that lies within the
 * margin of the middle between two doubles. Those are left to libm: one in twenty. With another
 * libm than glibc, whose margins nobody has told, and without fused multiplications, all are. */

/* Numbers of one round: their bits say which are left to libm. */
enum { ROUND = 64 };

#if defined(ONE_BY_ONE) || !defined(__GLIBC__)

static void log_f64(const double *x, double *y, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = log(x[i]);
}

static void exp_f64(const double *x, double *y, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = exp(x[i]);
}

static void sine_cosine_f64(const double *x, double *sine, double *cosine, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        sine[i] = sin(x[i]);
        cosine[i] = cos(x[i]);
    }
}

#else
#include "core/random_libm.gen.h"

/* Margins in units of the last place. glibc promises 0.52 for log, 0.511 for exp and 0.518 for the
 * pieces of sin and cos; what is behind them is what our sums are wrong by at most, and some more
 * (in 2 10^7 numbers 2^-9.7, 2^-10.0 and 2^-7.6). */
#define LOG_MARGIN  (0.02 + 0x1.8p-10)
#define EXP_MARGIN  (0.011 + 0x1.8p-10)
#define SINE_MARGIN (0.02 + 0x1.8p-8)

/* high + low, high their sum rounded; *doubt: the lanes that libm may round otherwise. */
BODY f64v rounded(f64v high, f64v low, double margin, i64v *doubt) {
    const f64v unit = (f64v)((i64v)high & INT64_C(0x7ff0000000000000)),
               m = unit * (margin * 0x1p-52);
    const f64v up = high + (low + m), down = high + (low - m);
    *doubt |= up != down;
    return up;
}

/* a + b for |a| >= |b| or a = 0, and what it loses. */
BODY f64v add_exactly(f64v a, f64v b, f64v *lost) {
    const f64v sum = a + b;
    *lost = (a - sum) + b;
    return sum;
}

/* u = 2^n m; with a factor c for the sixteenth that m is of, ln u = n ln 2 - ln c + ln(1 + z) where
 * z = c m - 1, |z| < 1/30, and ln(1 + z) = z - z^2 / 2 + z^3 p. */
BODY f64v log_lanes(f64v u, i64v *doubt) {
    const f64v zero = {0};
    /* a shift of 64 bits that keeps the sign is none before AVX-512 */
    const pair64v from = (pair64v)u - LIBM_LOG_FROM + (UINT64_C(1024) << 52);
    const i64v e = (i64v)(from >> 52) - 1024, i = (i64v)(from >> 48 & 15);
    const f64v n = (f64v)(e + 0x4338000000000000) - 0x1.8p52;
    const f64v m = (f64v)((pair64v)u - ((pair64v)e << 52)), c = FETCH16(LIBM_LOG_FACTOR, i);
    const f64v cm = c * m, more = FMA64(c, m, -cm), z = cm - 1.0;
    const f64v square = 0.5 * z * z, square_low = FMA64(0.5 * z, z, -square);
    f64v p = zero + LIBM_LOG_REST[8];
#pragma GCC unroll 8
    for (int d = 7; d >= 0; d--) p = FMA64(p, z, zero + LIBM_LOG_REST[d]);
    const f64v whole = FMA64(n, zero + LIBM_LN2[0], FETCH16(LIBM_LOG_HIGH, i)); /* exact */
    /* neither of the two need be the larger */
    const f64v sum = whole + z, part = sum - whole, lost = (whole - (sum - part)) + (z - part);
    f64v lost_too, rest;
    const f64v high = add_exactly(sum, -square, &lost_too);
    f64v low = FMA64(n, zero + LIBM_LN2[1], FETCH16(LIBM_LOG_LOW, i)) - square_low;
    low = FMA64(z * z * z, p, FMA64(more, FMA64(z, z, 1.0 - z), low)) + (lost + lost_too);
    const f64v result = add_exactly(high, low, &rest);
    *doubt |= ~((u >= 0x1p-1022) & (u <= 0x1.fffffffffffffp1023));
    return rounded(result, rest, LOG_MARGIN, doubt);
}

/* x = k ln 2 / 16 + r, |r| <= ln 2 / 32: e^x = 2^(k / 16) + 2^(k / 16) (r + r^2 / 2 + ...). */
BODY f64v exp_lanes(f64v x, i64v *doubt) {
    const f64v zero = {0};
    const i64v far = ~((x < 700.0) & (x > -700.0));
    x = (f64v)((i64v)x & ~far);
    const f64v shifted = FMA64(x, zero + 16 * M_LOG2E, zero + 0x1.8p52), k = shifted - 0x1.8p52;
    const i64v j = (i64v)((pair64v)shifted - 0x4338000000000000), i = j & 15;
    const f64v near = FMA64(k, zero - LIBM_EXP_STEP[0], x), off = k * LIBM_EXP_STEP[1];
    const f64v r = near - off, r_low = (near - r) - off;
    f64v p = zero + LIBM_EXP_REST[6];
#pragma GCC unroll 8
    for (int d = 5; d >= 0; d--) p = FMA64(p, r, zero + LIBM_EXP_REST[d]);
    p = FMA64(p, r, zero + 0.5); /* e^r = 1 + r + r^2 p */
    const f64v base = FETCH16(LIBM_EXP_HIGH, i), product = base * r;
    f64v lost, rest;
    const f64v high = add_exactly(base, product, &lost);
    const f64v base_low = FETCH16(LIBM_EXP_LOW, i);
    f64v low = FMA64(base, r, -product) + FMA64(base, r_low, FMA64(base_low, r, base_low));
    low = FMA64(base * r, r * p, low) + lost;
    const f64v result = add_exactly(high, low, &rest);
    *doubt |= far;
    /* times 2 as often as 16 is in k */
    const pair64v scale = (pair64v)(j - i) << 48;
    return (f64v)((pair64v)rounded(result, rest, EXP_MARGIN, doubt) + scale);
}

/* a (1 - half + c) + b (r + s) for pairs of doubles, a the larger one or b = +-1. */
BODY f64v turned_by(const f64v a[2], const f64v b[2], f64v r, f64v s, f64v half, f64v c,
                    i64v *doubt) {
    const f64v linear = b[0] * r, square = a[0] * half;
    f64v lost[2], rest;
    f64v high = add_exactly(add_exactly(a[0], linear, &lost[0]), -square, &lost[1]);
    f64v low = FMA64(b[0], r, -linear) - FMA64(a[0], half, -square);
    low = FMA64(b[1], r, low + FMA64(-a[1], half, a[1])) + (lost[0] + lost[1]);
    low = FMA64(a[0], c, FMA64(b[0], s, low));
    high = add_exactly(high, low, &rest);
    return rounded(high, rest, SINE_MARGIN, doubt);
}

/* 0 <= x <= 2 pi: x = j pi / 16 + r + tail, |r| <= pi / 32, by the sums of angles; the last three
 * bits of j say which sixteenth of half a turn it is, the ones before which quarter. */
BODY void sine_cosine_lanes(f64v x, f64v *sine, f64v *cosine, i64v doubt[2]) {
    const f64v zero = {0}, shifted = FMA64(x, zero + 16 * M_1_PI, zero + 0x1.8p52);
    const f64v k = shifted - 0x1.8p52;
    const i64v j = (i64v)((pair64v)shifted - 0x4338000000000000), i = j & 7;
    const i64v quarter = (i64v)((pair64v)j >> 3 & 3);
    const f64v near = FMA64(k, zero - LIBM_STEP[0], x), off = k * LIBM_STEP[1], r = near - off;
    const f64v tail = FMA64(k, zero - LIBM_STEP[2], (near - r) - off), z = r * r;
    f64v s = zero + LIBM_SINE_REST[4], c = zero + LIBM_COSINE_REST[4];
#pragma GCC unroll 4
    for (int d = 3; d >= 0; d--) {
        s = FMA64(s, z, zero + LIBM_SINE_REST[d]);
        c = FMA64(c, z, zero + LIBM_COSINE_REST[d]);
    }
    const f64v half = 0.5 * z, half_low = 0.5 * FMA64(r, r, -z);
    s = FMA64(r * z, s, FMA64(-tail, half, tail));   /* sin = r + s */
    c = FMA64(z * z, c, FMA64(-r, tail, -half_low)); /* cos = 1 - half + c */
    const f64v sines[2] = {FETCH8(LIBM_SINE_HIGH, i), FETCH8(LIBM_SINE_LOW, i)};
    const f64v cosines[2] = {FETCH8(LIBM_COSINE_HIGH, i), FETCH8(LIBM_COSINE_LOW, i)};
    i64v sine_doubt = {0}, cosine_doubt = {0};
    const f64v of_sine = turned_by(sines, cosines, r, s, half, c, &sine_doubt);
    const f64v of_cosine =
        turned_by(cosines, (f64v[2]){-sines[0], -sines[1]}, r, s, half, c, &cosine_doubt);
    const i64v swap = -(quarter & 1), own = ~swap;
    const i64v below = (i64v)((pair64v)(quarter & 2) << 62);
    const i64v left = (i64v)((pair64v)((quarter + 1) & 2) << 62);
    *sine = (f64v)((((i64v)of_cosine & swap) | ((i64v)of_sine & own)) ^ below);
    *cosine = (f64v)((((i64v)of_sine & swap) | ((i64v)of_cosine & own)) ^ left);
    doubt[0] = (cosine_doubt & swap) | (sine_doubt & own);
    doubt[1] = (sine_doubt & swap) | (cosine_doubt & own);
}

/* Up to ROUND numbers of which the bits say which to compute. */
TARGET static NOMEN_NOINLINE void leave_to(double (*f)(double), const double *x, double *y,
                                           uint64_t bits) {
    for (; bits; bits &= bits - 1) {
        const int i = __builtin_ctzll(bits);
        y[i] = f(x[i]);
    }
}

/* lanes_of is a function of one vector, known where this is called; f is libm's. */
BODY void all_of(f64v (*lanes_of)(f64v x, i64v *doubt), double (*f)(double), const double *x,
                 double *y, int64_t n) {
    for (int64_t part; n > 0; n -= part, x += part, y += part) {
        part = n < ROUND ? n : ROUND;
        uint64_t bits = 0;
        int i = 0;
        for (; i + LANES64 <= part; i += LANES64) {
            i64v doubt = {0};
            *(f64v *)(y + i) = lanes_of(*(const f64v *)(x + i), &doubt);
            bits |= (uint64_t)BITS64(doubt) << i;
        }
        for (; i < part; i++) bits |= (uint64_t)1 << i;
        leave_to(f, x, y, bits);
    }
}

TARGET static void log_f64(const double *x, double *y, int64_t n) {
    all_of(log_lanes, log, x, y, n);
}

TARGET static void exp_f64(const double *x, double *y, int64_t n) {
    all_of(exp_lanes, exp, x, y, n);
}

TARGET static void sine_cosine_f64(const double *x, double *sine, double *cosine, int64_t n) {
    for (int64_t part; n > 0; n -= part, x += part, sine += part, cosine += part) {
        part = n < ROUND ? n : ROUND;
        uint64_t bits[2] = {0, 0};
        int i = 0;
        for (; i + LANES64 <= part; i += LANES64) {
            i64v doubt[2];
            sine_cosine_lanes(*(const f64v *)(x + i), (f64v *)(sine + i), (f64v *)(cosine + i),
                              doubt);
            for (int k = 0; k < 2; k++) bits[k] |= (uint64_t)BITS64(doubt[k]) << i;
        }
        for (; i < part; i++)
            for (int k = 0; k < 2; k++) bits[k] |= (uint64_t)1 << i;
        leave_to(sin, x, sine, bits[0]);
        leave_to(cos, x, cosine, bits[1]);
    }
}
#endif

/* ---- what is made of them -------------------------------------------------------------------- */

/* x becomes a + b x. */
TARGET static void stretch_f64(double *x, int64_t n, double a, double b) {
    const f64v zero = {0};
    int64_t i = 0;
    for (; i + LANES64 <= n; i += LANES64)
        *(f64v *)(x + i) = FMA64(*(f64v *)(x + i), zero + b, zero + a);
    for (; i < n; i++) x[i] = fma(x[i], b, a);
}

/* Of n angles and numbers in (0, 1], what the second and first of pairs of normal numbers are. */
BODY void box_muller(const double *angle, const double *x, double *sine, double *cosine,
                     int64_t n) {
    double radius[ROUND];
    sine_cosine_f64(angle, sine, cosine, n);
    log_f64(x, radius, n);
    for (int64_t i = 0; i < n; i += LANES64) {
        const f64v root = ROOT64(-2.0 * *(f64v *)(radius + i));
        *(f64v *)(sine + i) *= root;
        *(f64v *)(cosine + i) *= root;
    }
}

TARGET static void normal_f64(double *at, int64_t groups, double mean, double std) {
    enum { HALF_GROUP = GROUP / 2 };
    double angle[ROUND], x[ROUND], sine[ROUND], cosine[ROUND];
    const f64v zero = {0}, means = zero + mean, stds = zero + std;
    for (int64_t some; groups > 0; groups -= some, at += some * GROUP) {
        some = groups < ROUND / HALF_GROUP ? groups : ROUND / HALF_GROUP;
        for (int64_t i = 0; i < some * HALF_GROUP; i += LANES64) {
            const double *const from = at + i / HALF_GROUP * GROUP + i % HALF_GROUP;
            *(f64v *)(x + i) = 1.0 - *(const f64v *)from;
            *(f64v *)(angle + i) = 2.0 * M_PI * *(const f64v *)(from + HALF_GROUP);
        }
        box_muller(angle, x, sine, cosine, some * HALF_GROUP);
        for (int64_t i = 0; i < some * HALF_GROUP; i += LANES64) {
            double *const to = at + i / HALF_GROUP * GROUP + i % HALF_GROUP;
            *(f64v *)to = FMA64(*(f64v *)(cosine + i), stds, means);
            *(f64v *)(to + HALF_GROUP) = FMA64(*(f64v *)(sine + i), stds, means);
        }
    }
}

TARGET static void pairs_f64(double *u, int64_t pairs) {
    double angle[ROUND], x[ROUND], sine[ROUND], cosine[ROUND];
    for (int64_t some; pairs > 0; pairs -= some, u += 2 * some) {
        some = pairs < ROUND ? pairs : ROUND;
        for (int64_t i = 0; i < some; i++) {
            angle[i] = 2.0 * M_PI * u[2 * i];
            x[i] = 1.0 - u[2 * i + 1];
        }
        box_muller(angle, x, sine, cosine, some);
        for (int64_t i = 0; i < some; i++) {
            u[2 * i] = cosine[i];
            u[2 * i + 1] = sine[i];
        }
    }
}
