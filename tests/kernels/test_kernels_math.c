/* Accuracy of the transcendental kernels: the error of every ISA in ULP against long double,
 * bounded by the table that src/kernels/README.md documents, and special values as in C.
 * NOMEN_SHOW_ULP=1 prints that table as measured. */
#include "elementwise.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

static const struct {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    double f32, f64; /* documented maximal error in ULP */
} functions[] = {
    {"exp", expl, NULL, 1.1, 1.1},         {"log", logl, NULL, 0.9, 0.9},
    {"log2", log2l, NULL, 0.6, 1.0},       {"sin", sinl, NULL, 0.9, 0.9},
    {"cos", cosl, NULL, 0.9, 0.9},         {"tanh", tanhl, NULL, 1.4, 1.4},
    {"sigmoid", sigmoidl, NULL, 1.5, 1.5}, {"rsqrt", rsqrtl, NULL, 1.5, 1.5},
    {"pow", NULL, powl, 0.6, 1.0},
};

/* Error of got, of a type with so many mantissa bits and such a least exponent, in units of its
 * last place at want. */
static double ulps(long double want, double got, int bits, int least, double largest) {
    int e;
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
    case 3: return (random_unit() - 0.5) * ldexp(1, -(int)(random_bits() % 30));
    case 4: return (random_unit() - 0.5) * 220;
    case 5: return (random_unit() - 0.5) * 200000;
    default: return (random_unit() - 0.5) * 1500;
    }
}

enum { KINDS = 7, CHUNK = 1000, CHUNKS = 40 };

static double worst_error(const nomen__kernel *k, int f, double *at) {
    static double x64[2][CHUNK], r64[CHUNK];
    static float x32[2][CHUNK], r32[CHUNK];
    const bool single = k->dtype == NOMEN_F32;
    char *ptr[3] = {single ? (char *)r32 : (char *)r64, single ? (char *)x32[0] : (char *)x64[0],
                    single ? (char *)x32[1] : (char *)x64[1]};
    const int64_t size = dtype_size[k->dtype];
    double worst = 0;
    for (int c = 0; c < KINDS * CHUNKS; c++) {
        for (int j = 0; j < CHUNK; j++) {
            for (int i = 0; i < 2; i++) {
                x64[i][j] = draw(i == 0 ? c % KINDS : (c / KINDS) % 5);
                x32[i][j] = (float)x64[i][j];
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

/* Special results (0, inf, NaN and their signs) must be those of C; the others lie within 2 ULP. */
static void check_special(const char *isa, const char *name, double x, double y, long double want,
                          double got, bool single) {
    const double rounded = single ? (double)(float)want : (double)want;
    bool good = single ? ulps(want, got, 24, -126, 0x1.fffffep127) <= 2
                       : ulps(want, got, 53, -1022, 0x1.fffffffffffffp1023) <= 2;
    if (rounded == 0 || isinf(rounded)) good = good && signbit(rounded) == signbit(got);
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

/* ---- the half types: the f32 result rounded once more ---------------------------------------- */

static void test_half_accuracy(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        for (int f = 0; f < COUNT(functions); f++) {
            const nomen__kernel *k = find_kernel(&all_isas[i], functions[f].name, NOMEN_F16, 0);
            if (functions[f].two) continue;
            for (uint32_t h = 0; h < 65536; h++) {
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
        cmocka_unit_test(test_half_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
