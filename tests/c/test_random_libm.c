/* Logarithms, exponentials, sines and cosines that are made a vector at a time, and normal numbers
 * of them: libm's to the last bit, on every ISA that this machine has. */
#include "core/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const nomen__isa isas[] = {NOMEN__SCALAR, NOMEN__AVX2, NOMEN__AVX512};

enum { N = 4096, ROUNDS = 64 };
static double x[N], made[2][N], expected[2][N];

static uint64_t state = 88172645463325252U;
static uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static void same(const double *found, const double *wanted, int n) {
    for (int i = 0; i < n; i++)
        if (isnan(wanted[i]))
            assert_true(isnan(found[i]));
        else
            assert_memory_equal(&found[i], &wanted[i], sizeof found[i]);
}

/* Which lie where: in all of [0, 1), near its ends, over all exponents, and what is no number. */
static double argument(int round, int i, double most) {
    static const double special[] = {0,         -0.0,      1,   -1,       INFINITY, -INFINITY, NAN,
                                     0x1p-1074, 0x1p-1022, 0.5, 0x1p1023, 700,      -700,      745};
    switch (round % 4) {
    case 0: return most * uniform();
    case 1: return most * (1 - uniform() * 0x1p-5);
    case 2: return ldexp(most * uniform(), -(int)(random_bits() % 60));
    default:
        return i < (int)NOMEN_COUNT(special) ? special[i] : ldexp(1 + uniform(), i % 2100 - 1060);
    }
}

static void logarithms(void **unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            x[i] = argument(round, i, 1);
            expected[0][i] = log(x[i]);
        }
        for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
            nomen__random_loops_of(isas[k])->log_f64(x, made[0], N);
            same(made[0], expected[0], N);
        }
    }
}

static void exponentials(void **unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            x[i] = argument(round, i, round % 8 < 4 ? 8 : 720) * (i % 2 ? 1 : -1);
            expected[0][i] = exp(x[i]);
        }
        for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
            nomen__random_loops_of(isas[k])->exp_f64(x, made[0], N);
            same(made[0], expected[0], N);
        }
    }
}

/* Angles of a turn, many of them next to a multiple of a sixty-fourth of it. */
static void sines_and_cosines(void **unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            x[i] = 2 * M_PI * argument(round % 3, i, 1);
            if (i % 8 == 7)
                x[i] = 2 * M_PI * ((double)(i / 8 % 65) / 64 * (1 - (double)(i % 5) * 0x1p-53));
            expected[0][i] = sin(x[i]);
            expected[1][i] = cos(x[i]);
        }
        for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
            nomen__random_loops_of(isas[k])->sine_cosine_f64(x, made[0], made[1], N);
            same(made[0], expected[0], N);
            same(made[1], expected[1], N);
        }
    }
}

/* Nothing behind the last number is read or written. */
static void lengths(void **unused) {
    (void)unused;
    for (int n = 0; n < 150; n++)
        for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
            const nomen__random_loops *loops = nomen__random_loops_of(isas[k]);
            for (int i = 0; i < n; i++) x[i] = uniform();
            x[n] = NAN;
            made[0][n] = made[1][n] = 77;
            loops->log_f64(x, made[0], n);
            loops->exp_f64(x, made[1], n);
            for (int i = 0; i < n; i++)
                assert_true(made[0][i] == log(x[i]) && made[1][i] == exp(x[i]));
            assert_true(made[0][n] == 77 && made[1][n] == 77);
            loops->sine_cosine_f64(x, made[0], made[1], n);
            for (int i = 0; i < n; i++)
                assert_true(made[0][i] == sin(x[i]) && made[1][i] == cos(x[i]));
            assert_true(made[0][n] == 77 && made[1][n] == 77);
            memcpy(made[0], x, (size_t)n * sizeof *x);
            loops->stretch_f64(made[0], n, -0.3, 7);
            for (int i = 0; i < n; i++) assert_true(made[0][i] == fma(x[i], 7, -0.3));
            assert_true(made[0][n] == 77);
        }
}

/* Box-Muller by groups of 8 radii and 8 angles, and by pairs, the angle first. */
static void normal_numbers(void **unused) {
    (void)unused;
    enum { GROUP = 16, HALF = GROUP / 2 };
    const double mean = 0.75, std = 1.3;
    for (int n = GROUP; n <= 40 * GROUP; n += GROUP) {
        for (int i = 0; i < n; i++) x[i] = i % 97 ? uniform() : 0;
        for (int i = 0; i < n; i++) {
            const int at = i / GROUP * GROUP + i % HALF;
            const double radius = sqrt(-2.0 * log(1.0 - x[at])), theta = 2.0 * M_PI * x[at + HALF];
            const double one = radius * (i % GROUP < HALF ? cos(theta) : sin(theta));
            expected[0][i] = fma(one, std, mean);
            const double length = sqrt(-2.0 * log(1.0 - x[i | 1])), angle = 2.0 * M_PI * x[i & ~1];
            expected[1][i] = length * (i % 2 ? sin(angle) : cos(angle));
        }
        for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
            for (int j = 0; j < 2; j++) memcpy(made[j], x, (size_t)n * sizeof *x);
            made[0][n] = made[1][n] = 77;
            nomen__random_loops_of(isas[k])->normal_f64(made[0], n / GROUP, mean, std);
            nomen__random_loops_of(isas[k])->pairs_f64(made[1], n / 2);
            same(made[0], expected[0], n);
            same(made[1], expected[1], n);
            assert_true(made[0][n] == 77 && made[1][n] == 77);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms),        cmocka_unit_test(exponentials),
        cmocka_unit_test(sines_and_cosines), cmocka_unit_test(lengths),
        cmocka_unit_test(normal_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
