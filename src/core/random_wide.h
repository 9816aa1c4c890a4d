/* Include-template: distributions in double on vectors of LANES (4 or 8) numbers. random_wide.c
 * includes it once per ISA. The polynomials have the least maximal relative error (the exchange
 * algorithm, in 160 bits; 2^-55 and less), and are summed up by even and odd powers, which wait for
 * less. Before: NAME(x), the name of x for this ISA, LANES, TARGET, the
 * attributes of its functions, and ROOT(x), square roots of a vector of the type NAME(f64v). After:
 * NAME(shape) and NAME(pairs); the macros are undefined. */

#define u64v           NAME(u64v_)
#define i64v           NAME(i64v_)
#define f64v           NAME(f64v_)
#define choose         NAME(choose_)
#define log_of         NAME(log_of_)
#define sine_cosine    NAME(sine_cosine_)
#define tangent        NAME(tangent_)
#define exp_of         NAME(exp_of_)
#define ceil_of        NAME(ceil_of_)
#define exponential_of NAME(exponential_of_)
#define geometric_of   NAME(geometric_of_)
#define log_normal_of  NAME(log_normal_of_)
#define cauchy_of      NAME(cauchy_of_)
#define shape_all      NAME(shape_all_)
#define pairs_all      NAME(pairs_all_)
#define BODY           TARGET static inline __attribute__((always_inline))
#if LANES == 8
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS  1, 3, 5, 7, 9, 11, 13, 15
#define LOWS  0, 8, 1, 9, 2, 10, 3, 11
#define HIGHS 4, 12, 5, 13, 6, 14, 7, 15
#else
#define EVENS 0, 2, 4, 6
#define ODDS  1, 3, 5, 7
#define LOWS  0, 4, 1, 5
#define HIGHS 2, 6, 3, 7
#endif

typedef uint64_t u64v __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t i64v __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef double f64v __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

BODY f64v choose(i64v mask, f64v yes, f64v no) {
    return (f64v)(((i64v)yes & mask) | ((i64v)no & ~mask));
}

/* log u for normal u > 0: u = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 +
 * f) what 2 artanh s is beyond 2 s, arranged so that f enters without rounding. Of 0 minus
 * infinity. */
BODY f64v log_of(f64v u) {
    const uint64_t half_root = 0x3fe6a09e667f3bcd, one = UINT64_C(1024) << 52;
    i64v e = (i64v)(((u64v)u - half_root + one) >> 52) -
             1024; /* no arithmetic shift of 64 bits before AVX-512 */
    f64v f = (f64v)((i64v)u - (e << 52)) - 1.0;
    f64v k = (f64v)(e + 0x4338000000000000) - 0x1.8p52;
    f64v s = f / (2.0 + f), z = s * s, w = z * z, half_square = 0.5 * f * f;
    f64v even = w * (0x1.7462b9b8e8565p-3 + w * 0x1.2b5f0ba5d9cc9p-3);
    even = 0x1.5555555555558p-1 + w * (0x1.2492492e02b4fp-2 + even);
    f64v odd = w * (0x1.c71c62d1c2d7ep-3 + w * 0x1.39fdc7bf57edfp-3);
    f64v rest = z * (even + z * (0x1.999999999522ep-2 + odd));
    const double high = 0x1.62e42fefap-1,
                 low = 0x1.cf79abc9e3b3ap-40; /* of log 2: 36 bits, and what is left */
    f64v result = k * high + (f - (half_square - (s * (half_square + rest) + k * low)));
    f64v zero = {0};
    return choose(u == zero, zero - (double)INFINITY, result);
}

/* Sine and cosine for |x| <= 2 pi + a little: x = q pi/2 + r + tail, |r| <= pi/4; polynomials of r,
 * corrected for the tail. */
BODY void sine_cosine(f64v x, f64v *sine, f64v *cosine) {
    f64v shifted = x * M_2_PI + 0x1.8p52;
    i64v q = (i64v)shifted;
    f64v k = shifted - 0x1.8p52;
    /* pi/2 in three parts of 33, 33 and 53 bits */
    f64v near = x - k * 0x1.921fb544p+0, second = k * 0x1.0b4611a6p-34;
    f64v r = near - second, tail = (near - r) - second - k * 0x1.3198a2e037073p-69;
    f64v z = r * r;
    f64v w = z * z;
    f64v odd = z * (0x1.1111111110bb3p-7 + w * (0x1.71de379693ef9p-19 + w * 0x1.5e0b18edca40fp-33));
    odd += w * (-0x1.a01a019e83b97p-13 + w * -0x1.ae600b05aefc8p-26);
    odd = z * (-0x1.5555555555555p-3 + odd);
    f64v even =
        z * (-0x1.6c16c16c16967p-10 + w * (-0x1.27e4fa17db6bfp-22 + w * -0x1.907da03973b87p-37));
    even += w * (0x1.a01a019f4eb43p-16 + w * 0x1.1eeb68e76c7a8p-29);
    even = z * (0x1.5555555555555p-5 + even);
    f64v half_square = 0.5 * z, rest = 1.0 - half_square;
    f64v s = r + (r * odd + tail), c = rest + ((1.0 - rest - half_square) + (z * even - r * tail));
    i64v swap = -(q & 1);
    i64v sine_sign = (q & 2) << 62, cosine_sign = ((q + 1) & 2) << 62;
    *sine = (f64v)((((i64v)c & swap) | ((i64v)s & ~swap)) ^ sine_sign);
    *cosine = (f64v)((((i64v)s & swap) | ((i64v)c & ~swap)) ^ cosine_sign);
}

/* The tangent for |x| <= pi/2: x = q pi/2 + r with q of -1, 0 or 1, so that no step of it loses
 * anything, and nine levels of the continued fraction r / (1 - r^2 / (3 - r^2 / (5 - ...))), as one
 * fraction; upside down where q is odd. */
BODY f64v tangent(f64v x) {
    f64v shifted = x * M_2_PI + 0x1.8p52;
    f64v k = shifted - 0x1.8p52;
    f64v r = (x - k * M_PI_2) - k * 0x1.1a62633145c07p-54, z = r * r, w = z * z;
    f64v over = r * ((34459425 + w * (135135 + w)) - z * (4729725 + w * 990));
    f64v under = (34459425 + w * (945945 + w * 45)) - z * (16216200 + w * 13860);
    i64v swap = -((i64v)shifted & 1);
    return choose(swap, -under, over) / choose(swap, over, under);
}

/* e^x = 2^k e^r with |r| <= log(2) / 2 and a polynomial of r. What is larger or smaller than any
 * float becomes a number that is, too. */
BODY f64v exp_of(f64v x) {
    f64v zero = {0};
    x = choose(x > zero + 700, zero + 700, choose(x < zero - 700, zero - 700, x));
    f64v shifted = x * M_LOG2E + 0x1.8p52;
    f64v k = shifted - 0x1.8p52;
    f64v r = x - k * 0x1.62e42fefap-1 - k * 0x1.cf79abc9e3b3ap-40, w = r * r;
    f64v even = w * (0x1.a019c9a4e538ep-16 + w * 0x1.288041b41e9ecp-22);
    even = w * (0x1.5555555554cb6p-5 + w * (0x1.6c16c17390144p-10 + even));
    f64v odd = w * (0x1.71de0372faf80p-19 + w * 0x1.af4df573d6fc7p-26);
    odd = 0x1.5555555555556p-3 + w * (0x1.11111111104fap-7 + w * (0x1.a01a01aad6abfp-13 + odd));
    f64v sum = 1.0 + (r + w * ((0.5 + even) + r * odd));
    return sum * (f64v)((((i64v)shifted - 0x4338000000000000) + 1023) << 52);
}

/* The next whole number. */
BODY f64v ceil_of(f64v x) {
    f64v zero = {0}, near = (x + 0x1p52) - 0x1p52;
    f64v whole = near + choose(near < x, zero + 1, zero);
    return choose(x < zero + 0x1p51, whole, x); /* infinity too */
}

BODY f64v exponential_of(f64v u, double a, double b) {
    (void)b;
    return -1.0 / a * log_of(1.0 - u);
}
BODY f64v geometric_of(f64v u, double a, double b) {
    (void)b;
    return ceil_of(log_of(u) / a);
}
BODY f64v log_normal_of(f64v u, double a, double b) { return exp_of(u * b + a); }
BODY f64v cauchy_of(f64v u, double a, double b) { return b * tangent(M_PI * (u - 0.5)) + a; }

/* shape_of is one of these, known where this is called, so that its text stands in the loop. */
BODY void shape_all(f64v (*shape_of)(f64v u, double a, double b), double *u, int64_t n, double a,
                    double b) {
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) *(f64v *)(u + i) = shape_of(*(f64v *)(u + i), a, b);
    if (i == n) return;
    f64v rest = {0};
    /* Unrolled, the lanes stay in a register: a vector read behind stores of its parts waits. */
#pragma GCC unroll 8
    for (int k = 0; k < LANES; k++)
        if (k < n - i) rest[k] = u[i + k];
    rest = shape_of(rest, a, b);
#pragma GCC unroll 8
    for (int k = 0; k < LANES; k++)
        if (k < n - i) u[i + k] = rest[k];
}

/* Pairs of (angle, radius) in [0, 1) become pairs of normal numbers, LANES of them at a time. */
BODY void pairs_all(double *u, int64_t pairs) {
    for (; pairs > 0; pairs -= LANES, u += 2 * LANES) {
        f64v first = *(f64v *)u, second = *(f64v *)(u + LANES), sine, cosine;
        f64v angle = __builtin_shufflevector(first, second, EVENS);
        f64v square = -2.0 * log_of(1.0 - __builtin_shufflevector(first, second, ODDS));
        sine_cosine(2.0 * M_PI * angle, &sine, &cosine);
        const f64v radius = ROOT(square);
        sine *= radius;
        cosine *= radius;
        *(f64v *)u = __builtin_shufflevector(cosine, sine, LOWS);
        *(f64v *)(u + LANES) = __builtin_shufflevector(cosine, sine, HIGHS);
    }
}

TARGET static void NAME(shape)(nomen__distribution which, double *u, int64_t n, double a,
                               double b) {
    switch (which) { /* each with a loop of its own */
    case NOMEN__EXPONENTIAL: shape_all(exponential_of, u, n, a, b); break;
    case NOMEN__GEOMETRIC: shape_all(geometric_of, u, n, a, b); break;
    case NOMEN__LOG_NORMAL: shape_all(log_normal_of, u, n, a, b); break;
    default: shape_all(cauchy_of, u, n, a, b);
    }
}

TARGET static void NAME(pairs)(double *u, int64_t pairs) { pairs_all(u, pairs); }

#undef u64v
#undef i64v
#undef f64v
#undef choose
#undef log_of
#undef sine_cosine
#undef tangent
#undef exp_of
#undef ceil_of
#undef exponential_of
#undef geometric_of
#undef log_normal_of
#undef cauchy_of
#undef shape_all
#undef pairs_all
#undef BODY
#undef EVENS
#undef ODDS
#undef LOWS
#undef HIGHS
#undef NAME
#undef LANES
#undef TARGET
#undef ROOT
