/* Accuracy of the transcendental kernels: the error of every ISA in ULP against long double,
 * bounded by the table that src/kernels/README.md documents, and special values as in C.
 * NOMEN_SHOW_ULP=1 prints that table as measured. */
#include "elementwise.h"
#include "sample.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static long double cubel(long double x) { return x * x * x; }
static long double inverse_squarel(long double x) { return 1 / (x * x); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

static long double logitl(long double x) {
    if (x == 0) return -(long double)INFINITY;
    return x >= 0.5L ? log1pl((2 * x - 1) / (1 - x)) : -log1pl((1 - 2 * x) / x);
}
/* Exact at whole and half numbers. */
static long double sincl(long double x) {
    static const long double pi = 3.14159265358979323846264338327950288L;
    const long double n = rintl(2 * x), r = pi * (x - n / 2);
    const int quarter = (int)fmodl(fmodl(n, 4) + 4, 4);
    const long double s = quarter % 2 ? cosl(r) : sinl(r);
    return x == 0 ? 1 : s == 0 ? 0 : (quarter > 1 ? -s : s) / (pi * x);
}
static long double erfinvl(long double x) {
    static const long double half_root_pi = 0.886226925452758013649083741670572591L;
    const long double a = fabsl(x), w = -log1pl(-a * a);
    if (!(a < 1)) return a == 1 ? x * (long double)INFINITY : (long double)NAN;
    long double y = w < 2 ? a * half_root_pi : sqrtl(w) - 0.25L;
    for (int i = 0; i < 50; i++) {
        const long double off = a < 0.7L ? erfl(y) - a : (1 - a) - erfcl(y);
        const long double step = off * half_root_pi * expl(y * y);
        y -= step / (1 + y * step);
    }
    return copysignl(y, x);
}
/* By steps up to 30 and the asymptotic series; the steps are summed from the small end. */
static long double digammal(long double x) {
    static const long double c[] = {1.0L / 12,   -1.0L / 120,     1.0L / 252,
                                    -1.0L / 240, 5.0L / 660,      -691.0L / 32760,
                                    1.0L / 12,   -3617.0L / 8160, 43867.0L / 14364};
    if (x == (long double)INFINITY) return x;
    if (x == 0) return -copysignl((long double)INFINITY, x);
    if (x < 0 && rintl(x) == x) return (long double)NAN;
    const int steps = x < 30 ? 30 - (int)x : 0;
    const long double top = x + steps;
    long double sum = 0, power = 1;
    for (int i = steps - 1; i >= 0; i--) sum += 1 / (x + i);
    long double tail = 1 / (2 * top);
    for (int i = 0; i < COUNT(c); i++) tail += c[i] * (power /= top * top);
    return logl(top) - tail - sum;
}

static const struct {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    double f32, f64; /* documented maximal error in ULP */
} functions[] = {
    {"exp", expl, NULL, 1.1, 1.1},
    {"log", logl, NULL, 0.9, 0.9},
    {"log2", log2l, NULL, 0.7, 0.9},
    {"sin", sinl, NULL, 0.9, 0.9},
    {"cos", cosl, NULL, 0.9, 0.9},
    {"tanh", tanhl, NULL, 1.4, 1.5},
    {"sigmoid", sigmoidl, NULL, 1.5, 1.5},
    {"rsqrt", rsqrtl, NULL, 1.5, 1.5},
    {"cube", cubel, NULL, 1.5, 1.5},
    {"pow", NULL, powl, 0.6, 1.0},
    {"expm1", expm1l, NULL, 1.3, 1.3},
    {"exp2", exp2l, NULL, 1.1, 1.1},
    {"log10", log10l, NULL, 0.7, 0.9},
    {"log1p", log1pl, NULL, 1.0, 0.9},
    {"tan", tanl, NULL, 1.6, 1.6},
    {"asin", asinl, NULL, 1.2, 1.3},
    {"acos", acosl, NULL, 1.2, 1.3},
    {"atan", atanl, NULL, 1.1, 1.1},
    {"sinh", sinhl, NULL, 1.0, 1.0},
    {"cosh", coshl, NULL, 1.0, 1.0},
    {"asinh", asinhl, NULL, 1.3, 1.3},
    {"acosh", acoshl, NULL, 1.9, 1.9},
    {"atanh", atanhl, NULL, 1.4, 1.3},
    {"erf", erfl, NULL, 0.8, 1.5},
    {"erfc", erfcl, NULL, 0.9, 2.3},
    {"erfinv", erfinvl, NULL, 1.1, 2.9},
    {"sinc", sincl, NULL, 0.6, 1.4},
    {"logit", logitl, NULL, 1.6, 1.6},
    {"lgamma", lgammal, NULL, 1.0, 4.0},
    {"digamma", digammal, NULL, 0.6, 4.0},
    {"inverse_square", inverse_squarel, NULL, 2.0, 2.0},
};

/* Near their zeros, of which there are many below 0, only the absolute error is small. */
static const char *const positive[] = {"lgamma", "digamma", NULL};

/* Error of got, of a type with so many mantissa bits and such a least exponent, in units of its
 * last place at want. */
static double ulps(long double want, double got, int bits, int least, double largest) {
    int e;
    if (bits == 53 && !long_double_is_wide()) return 0;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(got))
        return (got > 0) == (want > 0) && fabsl(want) >= (long double)largest ? 0
                                                                              : (double)INFINITY;
    if (isinf(want)) return (double)INFINITY;
    if (want == 0) return got == 0 ? 0 : (double)INFINITY;
    (void)frexpl(want, &e);
    e = e - 1 < least ? least : e - 1;
    return (double)fabsl(ldexpl((long double)got - want, bits - 1 - e));
}

/* Arguments where something happens, by kind: everyday, everything, near 1, near 0, near the ends
 * of exp, large. */
static double draw(int kind) {
    switch (kind) {
    case 0: return (random_unit() - 0.5) * 20;
    case 1:
        return ldexp(random_unit() + 0.5, (int)(random_bits() % 298) - 149) *
               (random_bits() & 1 ? 1 : -1);
    case 2: return 1 + (random_unit() - 0.5) * ldexp(1, -(int)(random_bits() % 20));
    case 7: return (random_unit() - 0.5) * 2;
    case 3: return (random_unit() - 0.5) * ldexp(1, -(int)(random_bits() % 30));
    case 4: return (random_unit() - 0.5) * 220;
    case 5: return (random_unit() - 0.5) * 200000;
    default: return (random_unit() - 0.5) * 1500;
    }
}

enum { KINDS = 8, CHUNK = 1000, CHUNKS = 40 };

/* There a relative error is more than the reference can tell; see test_digamma_root. */
static bool near_root(int f, double x) {
    return !strcmp(functions[f].name, "digamma") && fabs(x - 1.4616321) < 1e-3;
}

static double worst_error(const nomen__kernel *k, int f, double *at) {
    static double x64[2][CHUNK], r64[CHUNK];
    static float x32[2][CHUNK], r32[CHUNK];
    const bool single = k->dtype == NOMEN_F32;
    char *ptr[3] = {single ? (char *)r32 : (char *)r64, single ? (char *)x32[0] : (char *)x64[0],
                    single ? (char *)x32[1] : (char *)x64[1]};
    const int64_t size = dtype_size[k->dtype];
    double worst = 0;
    for (int c = 0; c < KINDS * CHUNKS; c += one_in()) {
        for (int j = 0; j < CHUNK; j++) {
            for (int i = 0; i < 2; i++) {
                x64[i][j] = draw(i == 0 ? c % KINDS : (c / KINDS) % 5);
                if (in_list(functions[f].name, positive)) x64[i][j] = fabs(x64[i][j]);
                x32[i][j] = (float)x64[i][j];
                if (near_root(f, x64[i][j])) x64[i][j] = 1;
            }
        }
        k->loop(ptr, (const int64_t[]){size, size, size}, CHUNK);
        for (int j = 0; j < CHUNK; j++) {
            const long double x = single ? (long double)x32[0][j] : (long double)x64[0][j];
            const long double y = single ? (long double)x32[1][j] : (long double)x64[1][j];
            const long double want =
                functions[f].one ? functions[f].one(x) : functions[f].two(x, y);
            const double e = single ? ulps(want, (double)r32[j], 24, -126, 0x1.fffffep127)
                                    : ulps(want, r64[j], 53, -1022, 0x1.fffffffffffffp1023);
            if (e > worst) {
                worst = e;
                *at = (double)x;
            }
        }
    }
    return worst;
}

static void check_accuracy(nomen_dtype dtype) {
    const bool show = getenv("NOMEN_SHOW_ULP") != NULL;
    for (int f = 0; f < COUNT(functions); f++) {
        const double bound = dtype == NOMEN_F32 ? functions[f].f32 : functions[f].f64;
        for (int i = 0; i < ISAS; i++) {
            if (!isa_runs(i)) continue;
            double at = 0;
            const double e =
                worst_error(find_kernel(&all_isas[i], functions[f].name, dtype, 0), f, &at);
            if (show)
                print_message("%-8s %s %-7s %.3f at %a\n", functions[f].name, dtype_names[dtype],
                              all_isas[i].name, e, at);
            if (!(e <= bound))
                if (!show)
                    fail_msg("%s %s %s: %g ULP at %a, documented are %g", all_isas[i].name,
                             functions[f].name, dtype_names[dtype], e, at, bound);
        }
    }
}

static void test_accuracy_f32(void **state) {
    (void)state;
    check_accuracy(NOMEN_F32);
}
static void test_accuracy_f64(void **state) {
    (void)state;
    check_accuracy(NOMEN_F64);
}

/* What millions of arguments have shown, and a few thousand seldom do. Results just below a power
 * of two have the smallest units beside their size. */
static void test_worst_known(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double x;
    } worst[] = {{"erfinv", 0x1.fd8e564405ba5p-1},
                 {"erfinv", 0x1.fd8ea0a57013dp-1},
                 {"erfinv", 0x1.ad1c0db18190dp-1},
                 {"erfc", 0x1.053f5b1fab32p+1}};
    for (int k = 0; k < COUNT(worst) * ISAS; k++) {
        const int w = k / ISAS, i = k % ISAS;
        int f = 0;
        if (!isa_runs(i)) continue;
        while (strcmp(functions[f].name, worst[w].name)) f++;
        double x = worst[w].x, r;
        find_kernel(&all_isas[i], worst[w].name, NOMEN_F64, 0)
            ->loop((char *const[]){(char *)&r, (char *)&x}, (const int64_t[]){8, 8}, 1);
        const double e = ulps(functions[f].one(x), r, 53, -1022, 0x1.fffffffffffffp1023);
        if (!(e <= functions[f].f64))
            fail_msg("%s %s: %g ULP at %a, documented are %g", all_isas[i].name, worst[w].name, e,
                     x, functions[f].f64);
    }
}

/* Every so many of all 2^32 numbers; make ulp looks at all of them. */
static void test_sweep_f32(void **state) {
    (void)state;
    enum { STRIDE = 131071, COUNT_OF = 32768 };
    static float x[COUNT_OF], r[COUNT_OF];
    for (uint32_t i = 0; i < COUNT_OF; i++) {
        const uint32_t bits = i * STRIDE;
        memcpy(x + i, &bits, sizeof bits);
    }
    for (int f = 0; f < COUNT(functions); f++) {
        if (functions[f].two) continue;
        static long double want[COUNT_OF];
        const int n = in_list(functions[f].name, positive) ? COUNT_OF / 2 : COUNT_OF;
        const int step = one_in();
        for (int j = 0; j < n; j += step) want[j] = functions[f].one((long double)x[j]);
        for (int i = 0; i < ISAS; i++) {
            if (!isa_runs(i)) continue;
            char *ptr[2] = {(char *)r, (char *)x};
            find_kernel(&all_isas[i], functions[f].name, NOMEN_F32, 0)
                ->loop(ptr, (const int64_t[]){4, 4}, n);
            for (int j = 0; j < n; j += step)
                if (!(ulps(want[j], (double)r[j], 24, -126, 0x1.fffffep127) <= functions[f].f32))
                    fail_msg("%s %s f32(%a) = %a, wanted %La", all_isas[i].name, functions[f].name,
                             (double)x[j], (double)r[j], want[j]);
        }
    }
}

/* ---- special values -------------------------------------------------------------------------- */

static const double special[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 2.0,
                                 -2.0,
                                 3.0,
                                 -3.0,
                                 0.5,
                                 -0.5,
                                 2.5,
                                 -2.5,
                                 1e-40,
                                 -1e-40,
                                 1e30,
                                 -1e30,
                                 88.0,
                                 -88.0,
                                 104.0,
                                 -103.0,
                                 710.0,
                                 -746.,
                                 65536.,
                                 1e5,
                                 123456789.0,
                                 -1e7,
                                 16777216.0,
                                 16777217.0,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 (double)NAN};

/* Special results (0, inf, NaN and their signs, but for the zeros of sinc) must be those of C; the
 * others lie within 2 ULP. */
static void check_special(const char *isa, const char *name, double x, double y, long double want,
                          double got, bool single) {
    if (!long_double_is_wide()) return;
    const double rounded = single ? (double)(float)want : (double)want;
    bool good = single ? ulps(want, got, 24, -126, 0x1.fffffep127) <= 2
                       : ulps(want, got, 53, -1022, 0x1.fffffffffffffp1023) <= 2;
    if (x < 0 && in_list(name, positive) && isfinite(rounded))
        good = fabs(got - rounded) <= (single ? 1e-6 : 1e-13);
    if ((rounded == 0 && strcmp(name, "sinc") != 0) || isinf(rounded))
        good = good && signbit(rounded) == signbit(got);
    if (!good)
        fail_msg("%s %s %s(%a, %a) = %a, wanted %a", isa, single ? "f32" : "f64", name, x, y, got,
                 rounded);
}

static void test_special_values(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        for (int f = 0; f < COUNT(functions); f++) {
            const nomen__kernel *k32 = find_kernel(&all_isas[i], functions[f].name, NOMEN_F32, 0);
            const nomen__kernel *k64 = find_kernel(&all_isas[i], functions[f].name, NOMEN_F64, 0);
            for (int a = 0; a < COUNT(special); a++) {
                for (int b = 0; b < (functions[f].two ? COUNT(special) : 1); b++) {
                    double x = special[a], y = special[b], r = 0;
                    float x32 = (float)x, y32 = (float)y, r32 = 0;
                    char *p64[3] = {(char *)&r, (char *)&x, (char *)&y};
                    char *p32[3] = {(char *)&r32, (char *)&x32, (char *)&y32};
                    k64->loop(p64, (const int64_t[]){8, 8, 8}, 1);
                    k32->loop(p32, (const int64_t[]){4, 4, 4}, 1);
                    const long double want = functions[f].one
                                                 ? functions[f].one((long double)x)
                                                 : functions[f].two((long double)x, (long double)y);
                    const long double want32 =
                        functions[f].one ? functions[f].one((long double)x32)
                                         : functions[f].two((long double)x32, (long double)y32);
                    check_special(all_isas[i].name, functions[f].name, x, y, want, r, false);
                    check_special(all_isas[i].name, functions[f].name, (double)x32, (double)y32,
                                  want32, (double)r32, true);
                }
            }
        }
    }
}

/* digamma around its root, from 40 digits. */
static void test_digamma_root(void **state) {
    (void)state;
    static const double at[][2] = {{0x1.762d86356be3fp+0, -0x1.aa2d9b3ce29e0p-54},
                                   {0x1.762d86356be40p+0, 0x1.1a5beef0723bbp-53},
                                   {0x1.762d86356b7e0p+0, -0x1.8aac22c3ff8c3p-42},
                                   {0x1.762d6238da3c2p+0, -0x1.16960c63014a6p-19},
                                   {0x1.7631f8a0902dep+0, 0x1.13653c532cb2ep-14},
                                   {0x1.760aa64c2f838p+0, -0x1.0e0b2aeae87d3p-11},
                                   {0x1.7645a1cac0831p+0, 0x1.753109ef12578p-12}};
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        const nomen__kernel *k = find_kernel(&all_isas[i], "digamma", NOMEN_F64, 0);
        for (int j = 0; j < COUNT(at); j++) {
            double x = at[j][0], r = 0;
            char *ptr[2] = {(char *)&r, (char *)&x};
            k->loop(ptr, (const int64_t[]){8, 8}, 1);
            assert_true(ulps((long double)at[j][1], r, 53, -1022, 1) <= 2);
        }
    }
}

/* A lane that needs libm must not disturb its neighbours. */
static void test_mixed_lanes(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        const nomen__kernel *k = find_kernel(&all_isas[i], "sin", NOMEN_F32, 0);
        float x[64], r[64];
        for (int j = 0; j < 64; j++) x[j] = j % 5 == 0 ? 1e20f : (float)j;
        char *ptr[2] = {(char *)r, (char *)x};
        k->loop(ptr, (const int64_t[]){4, 4}, 64);
        for (int j = 0; j < 64; j++)
            assert_true(ulps(sinl((long double)x[j]), (double)r[j], 24, -126, 2) <= 1.5);
    }
}

/* Where quick and careful ways meet, and beyond: multiples of pi / 4 and their neighbours, of all
 * sizes, in vectors of every kind. */
static void test_circular_ends(void **state) {
    (void)state;
    static const char *const circular[] = {"sin", "cos", "tan"};
    static long double (*const want[])(long double) = {sinl, cosl, tanl};
    enum { N = 4096 };
    static double x[N], r[N];
    static float x32[N], r32[N];
    for (int j = 0; j < N; j++) {
        const double near = ldexp(floor(random_unit() * 4096), j % 13) * 0x1.921fb54442d18p-1;
        x[j] = nextafter(near, random_bits() & 1 ? 1e30 : -1e30) * (j % 2 ? 1 : -1);
        x32[j] = (float)near;
        if (j % 64 == 63) x[j] = x32[j] = 0;
    }
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        for (int f = 0; f < COUNT(circular); f++) {
            const double bound = f == 2 ? 1.6 : 0.9;
            char *p64[2] = {(char *)r, (char *)x}, *p32[2] = {(char *)r32, (char *)x32};
            find_kernel(&all_isas[i], circular[f], NOMEN_F64, 0)
                ->loop(p64, (const int64_t[]){8, 8}, N);
            find_kernel(&all_isas[i], circular[f], NOMEN_F32, 0)
                ->loop(p32, (const int64_t[]){4, 4}, N);
            for (int j = 0; j < N; j++) {
                if (!(ulps(want[f]((long double)x[j]), r[j], 53, -1022, 0x1p1023) <= bound))
                    fail_msg("%s %s(%a) = %a", all_isas[i].name, circular[f], x[j], r[j]);
                if (!(ulps(want[f]((long double)x32[j]), (double)r32[j], 24, -126, 0x1p127) <=
                      bound))
                    fail_msg("%s %s(%af) = %a", all_isas[i].name, circular[f], (double)x32[j],
                             (double)r32[j]);
            }
        }
    }
}

/* ---- sqrt, which is rounded well ------------------------------------------------------------- */

/* An odd m with m^2 = j mod 2^n; j = 1 mod 8. The others are -m and these plus 2^(n - 1). */
static uint64_t root_modulo(int64_t j, int n) {
    uint64_t m = 1;
    for (int i = 3; i < n; i++)
        if (((m * m - (uint64_t)j) >> i) & 1) m ^= (uint64_t)1 << (i - 1);
    return m;
}

/* Numbers whose roots are nearest to the middle m / 2 between two numbers: x 2^n = m^2 - j. */
static int hard_roots(double *x, int room) {
    int found = 0;
    for (int64_t j = -1999; j < 2000; j += 8) {
        for (int n = 54; n <= 55; n++) {
            for (int minus = 0; minus < 2; minus++) {
                const uint64_t half = (uint64_t)1 << (n - 1), root = root_modulo(j, n);
                const uint64_t m = ((minus ? -root : root) & (half - 1)) | (uint64_t)1 << 53;
                const unsigned __int128 square = (unsigned __int128)m * m - (unsigned __int128)j;
                const uint64_t bits = (uint64_t)(square >> n);
                if (square != (unsigned __int128)bits << n || bits >> 52 != 1) continue;
                if (found < room) x[found++] = ldexp((double)bits, n - 108 + 2 * (int)(j % 100));
            }
        }
    }
    return found;
}
static void test_root(void **state) {
    (void)state;
    enum { N = 2048, STEP = 1 << 16 };
    static double x[N], r[N];
    static float x32[STEP], r32[STEP];
    const int n = hard_roots(x, N);
    assert_true(n > 600 && n < N);
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        char *p64[2] = {(char *)r, (char *)x}, *p32[2] = {(char *)r32, (char *)x32};
        find_kernel(&all_isas[i], "sqrt", NOMEN_F64, 0)->loop(p64, (const int64_t[]){8, 8}, n);
        for (int j = 0; j < n; j++)
            if (r[j] != sqrt(x[j])) fail_msg("%s sqrt(%a) = %a", all_isas[i].name, x[j], r[j]);
        /* of float32 all mantissas, and the exponents that are odd and even */
        const nomen__kernel *k = find_kernel(&all_isas[i], "sqrt", NOMEN_F32, 0);
        for (uint32_t from = 0x3f800000; from < 0x40800000; from += STEP * (uint32_t)one_in()) {
            for (uint32_t j = 0; j < STEP; j++) {
                const uint32_t bits = from + j;
                memcpy(x32 + j, &bits, sizeof bits);
            }
            k->loop(p32, (const int64_t[]){4, 4}, STEP);
            for (int j = 0; j < STEP; j++)
                if (r32[j] != sqrtf(x32[j]))
                    fail_msg("%s sqrt(%a) = %a", all_isas[i].name, (double)x32[j], (double)r32[j]);
        }
    }
}

/* ---- the half types: the f32 result rounded once more ---------------------------------------- */

static void test_half_accuracy(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        for (int f = 0; f < COUNT(functions); f++) {
            const nomen__kernel *k = find_kernel(&all_isas[i], functions[f].name, NOMEN_F16, 0);
            if (functions[f].two) continue;
            const bool half = in_list(functions[f].name, positive);
            for (uint32_t h = 0; h < (half ? 32768 : 65536); h++) {
                uint16_t in = (uint16_t)h, out = 0;
                char *ptr[2] = {(char *)&out, (char *)&in};
                k->loop(ptr, (const int64_t[]){2, 2}, 1);
                const long double want = functions[f].one((long double)load_double(NOMEN_F16, &in));
                const double got = load_double(NOMEN_F16, &out);
                if (!(ulps(want, got, 11, -14, 65504) <= 0.51))
                    fail_msg("%s %s f16(%a) = %a, wanted %La", all_isas[i].name, functions[f].name,
                             load_double(NOMEN_F16, &in), got, want);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy_f32),   cmocka_unit_test(test_accuracy_f64),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_mixed_lanes),
        cmocka_unit_test(test_half_accuracy),  cmocka_unit_test(test_digamma_root),
        cmocka_unit_test(test_sweep_f32),      cmocka_unit_test(test_circular_ends),
        cmocka_unit_test(test_root),           cmocka_unit_test(test_worst_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
