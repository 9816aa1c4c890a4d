/* Permutations and counts of events: what they are by their definitions, number by number, and
 * where the generator stands behind them. */
#include "core/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const nomen__isa isas[] = {NOMEN__SCALAR, NOMEN__AVX2, NOMEN__AVX512};

/* The remainders by all that is left, for few numbers and for the most that have 32 bits. */
static void partners_of_words(void **unused) {
    (void)unused;
    enum { N = 160 };
    static const int64_t all[] = {2, 3, 17, 1000, 65536, 1000003, INT32_MAX - 1, INT32_MAX};
    uint32_t words[N + NOMEN__READY_PAD] = {0}, partner[N + 16], state = 99;
    for (size_t a = 0; a < NOMEN_COUNT(all); a++)
        for (int64_t first = 0; first < all[a] - 1; first += 1 + all[a] / 5)
            for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
                const int64_t n = all[a], left = n - 1 - first, count = left < N ? left : N;
                for (int i = 0; i < N; i++) {
                    state = state * 1664525 + 1013904223;
                    const uint32_t many = (uint32_t)(n - first - i);
                    words[i] = i % 4 == 0   ? state
                               : i % 4 == 1 ? UINT32_MAX - (state >> 24)
                               : i % 4 == 2
                                   ? many * (state >> 20) /* remainders of 0 and next to it */
                                   : many * (state >> 20) - 1;
                }
                nomen__random_loops_of(isas[k])->partners(words, first, n, partner, count);
                for (int64_t i = 0; i < count; i++)
                    assert_int_equal(partner[i], first + i + words[i] % (uint32_t)(n - first - i));
            }
}

/* In 32 bits and in 64; words of other lengths before, so that blocks end everywhere. */
static void permutations(void **unused) {
    (void)unused;
    static const int64_t lengths[] = {0,   1,   2,   3,   16,   17,    127,
                                      128, 129, 624, 625, 5000, 70001, 140000};
    nomen_generator *g[] = {nomen_generator_new(0), nomen_generator_new(0)};
    for (size_t k = 0; k < NOMEN_COUNT(lengths); k++)
        for (int before = 0; before < 3; before++) {
            const int64_t n = lengths[k];
            int64_t *out[2], after[2];
            for (int i = 0; i < 2; i++) {
                out[i] = malloc((size_t)(n + 1) * sizeof *out[i]);
                assert_non_null(out[i]);
                out[i][n] = 77;
                nomen_generator_manual_seed(g[i], k);
                for (int j = 0; j < before * 311; j++) (void)nomen__draw32(g[i]);
                assert_int_equal(i ? nomen__random_permutation_wide(g[i], out[i], n)
                                   : nomen__random_permutation(g[i], out[i], n),
                                 NOMEN_OK);
                assert_int_equal(out[i][n], 77);
                after[i] = nomen__draw32(g[i]);
            }
            assert_memory_equal(out[0], out[1], (size_t)(n + 1) * sizeof *out[0]);
            assert_int_equal(after[0], after[1]);
            for (int i = 0; i < 2; i++) free(out[i]);
        }
    for (int i = 0; i < 2; i++) nomen_generator_free(&g[i]);
}

static double count_one(nomen_generator *g, double rate) {
    if (rate == 0) return 0;
    if (rate < 10) {
        double product = 1, count = 0;
        while ((product *= nomen__draw_double(g)) > exp(-rate)) count++;
        return count;
    }
    const double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_sure = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = nomen__draw_double(g) - 0.5, v = nomen__draw_double(g);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= v_sure) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        int sign;
        if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <=
            -rate + k * log(rate) - lgamma_r(k + 1, &sign))
            return k;
    }
}

static void counts(void **unused) {
    (void)unused;
    static const double rates[] = {0, 0.3, 4, 9.999, 10, 33, 1e6, 1e-310, 7.5, 0.001};
    static const int lengths[] = {0, 1, 2, 7, 8, 9, 100, 255, 256, 257, 3000, 70000};
    enum { MOST = 70000 };
    double *const made = malloc((MOST + 1) * sizeof *made);
    assert_non_null(made);
    nomen_generator *g[] = {nomen_generator_new(0), nomen_generator_new(0)};
    for (size_t k = 0; k < NOMEN_COUNT(lengths); k++)
        for (int odd = 0; odd < 2; odd++) { /* then words of one number lie in two blocks */
            const int n = lengths[k];
            for (int i = 0; i < 2; i++) {
                nomen_generator_manual_seed(g[i], k);
                for (int j = 0; j < odd; j++) (void)nomen__draw32(g[i]);
            }
            for (int i = 0; i < n; i++) made[i] = rates[(size_t)(i + i / 7) % NOMEN_COUNT(rates)];
            made[n] = 77;
            assert_int_equal(nomen__random_poisson(g[0], made, n), NOMEN_OK);
            assert_true(made[n] == 77);
            for (int i = 0; i < n; i++)
                assert_true(made[i] ==
                            count_one(g[1], rates[(size_t)(i + i / 7) % NOMEN_COUNT(rates)]));
            assert_int_equal(nomen__draw32(g[0]), nomen__draw32(g[1]));
        }
    for (int i = 0; i < 2; i++) nomen_generator_free(&g[i]);
    free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_of_words),
        cmocka_unit_test(permutations),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
