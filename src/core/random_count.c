/* Distributions whose draws depend on one another or on what was drawn: permutations, counts of
 * events. Like random_fill.c they follow PyTorch 1.13 draw by draw. */
#include "core/draw.h"

#include <math.h>

enum { PIECE = 1 << 16 }; /* elements between two questions whether to go on */

/* Draws come AHEAD of the exchanges, so that memory far apart is on its way by then. */
nomen_status nomen__random_permutation(nomen_generator *g, int64_t *out, int64_t n) {
    enum { AHEAD = 64 };
    _Static_assert(PIECE % AHEAD == 0, "it is asked between two rounds");
    nomen_status status = NOMEN_OK;
    for (int64_t i = 0; i < n; i++) out[i] = i;
    g = nomen__generator_lock(g);
    for (int64_t i = 0, count; i < n - 1; i += count) {
        int64_t other[AHEAD];
        if (i && i % PIECE == 0 && (status = nomen__generator_ask(g)) != NOMEN_OK) break;
        count = n - 1 - i < AHEAD ? n - 1 - i : AHEAD;
        for (int64_t k = 0; k < count; k++) {
            const int64_t left = n - i - k;
            const uint32_t drawn = nomen__draw32(g);
            const int64_t ahead = left > UINT32_MAX ? drawn : drawn % (uint32_t)left;
            other[k] = i + k + ahead;
            __builtin_prefetch(out + other[k], 1);
        }
        for (int64_t k = 0; k < count; k++) {
            const int64_t kept = out[i + k];
            out[i + k] = out[other[k]];
            out[other[k]] = kept;
        }
    }
    nomen__generator_unlock(g);
    return status;
}

/* Few events: as long as the product of uniform numbers stays above e^-rate, one more. */
static double count_few(nomen_generator *g, double rate) {
    double product = 1, least = exp(-rate), count = 0;
    while ((product *= nomen__draw_double(g)) > least) count++;
    return count;
}

/* Many events: transformed rejection (Hoermann 1993, algorithm PTRS), which takes two uniform
 * numbers for most counts. */
static double count_many(nomen_generator *g, double rate) {
    double root = sqrt(rate), log_rate = log(rate);
    double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_sure = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = nomen__draw_double(g) - 0.5, v = nomen__draw_double(g);
        double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= v_sure) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        int sign;
        double height = log(v) + log(inverse_alpha) - log(a / (us * us) + b);
        if (height <= -rate + k * log_rate - lgamma_r(k + 1, &sign)) return k;
    }
}

nomen_status nomen__random_poisson(nomen_generator *g, double *values, int64_t n) {
    nomen_status status = NOMEN_OK;
    g = nomen__generator_lock(g);
    for (int64_t i = 0; i < n; i++) {
        if (i % PIECE == PIECE - 1 && (status = nomen__generator_ask(g)) != NOMEN_OK) break;
        if (values[i] != 0)
            values[i] = values[i] < 10 ? count_few(g, values[i]) : count_many(g, values[i]);
    }
    nomen__generator_unlock(g);
    return status;
}
