/* Distributions whose draws depend on one another or on what was drawn: permutations, counts of
 * events. Like random_fill.c they follow PyTorch 1.13 draw by draw. */
#include "core/draw.h"

#include <math.h>

enum { PIECE = 1 << 16 }; /* elements between two questions whether to go on */

/* ---- permutations ---------------------------------------------------------------------------- */

/* Draws come AHEAD of the exchanges, so that memory far apart is on its way by then. */
enum { AHEAD = 128 };
_Static_assert(PIECE % AHEAD == 0, "it is asked between two rounds");

nomen_status nomen__random_permutation_wide(nomen_generator *g, int64_t *out, int64_t n) {
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

/* Of 32 bits, in half of the memory: they lie in the second half of out, and are widened at last.
 */
typedef uint32_t __attribute__((may_alias)) number;

/* What the block has words for, up to AHEAD numbers from `first` on; how many. */
static int64_t draw_partners(nomen_generator *g, const number *at, int64_t first, int64_t n,
                             uint32_t *partner) {
    if (g->position >= NOMEN__MT_WORDS) nomen__generator_refill(g);
    int64_t count = NOMEN__MT_WORDS - g->position;
    if (count > AHEAD) count = AHEAD;
    if (count > n - 1 - first) count = n - 1 - first;
    nomen__random_loops_best()->partners(g->ready + g->position, first, n, partner, count);
    g->position += (int)count;
    for (int64_t k = 0; k < count; k++) __builtin_prefetch(at + partner[k], 1);
    return count;
}

nomen_status nomen__random_permutation(nomen_generator *g, int64_t *out, int64_t n) {
    if (n > INT32_MAX) return nomen__random_permutation_wide(g, out, n);
    number *const at = (number *)out + n;
    nomen_status status = NOMEN_OK;
    for (int64_t i = 0; i < n; i++) at[i] = (number)i;
    g = nomen__generator_lock(g);
    uint32_t partner[2][AHEAD];
    int64_t count = n > 1 ? draw_partners(g, at, 0, n, partner[0]) : 0, asked = PIECE;
    for (int64_t i = 0, turn = 0, more; i < n - 1; i += count, count = more, turn ^= 1) {
        const uint32_t *const with = partner[turn];
        if (i >= asked) {
            if ((status = nomen__generator_ask(g)) != NOMEN_OK) break;
            asked = i + PIECE;
        }
        more = i + count < n - 1 ? draw_partners(g, at, i + count, n, partner[turn ^ 1]) : 0;
        for (int64_t k = 0; k < count; k++) {
            const number kept = at[i + k];
            at[i + k] = at[with[k]];
            at[with[k]] = kept;
        }
    }
    nomen__generator_unlock(g);
    for (int64_t i = 0; i < n; i++) out[i] = at[i];
    return status;
}

/* ---- counts of events ------------------------------------------------------------------------ */

/* Uniform numbers in double, made some at a time. Those that nobody takes are put back: their words
 * stay in the block of the generator. */
enum { MADE = 64 };
typedef struct uniforms {
    nomen_generator *g;
    int at, count, most; /* most: how many to make at a time */
    double made[MADE];
} uniforms;

static void put_back(uniforms *u) {
    u->g->position += 2 * u->at;
    u->at = u->count = 0;
}

/* Of which both words are in the block; of words in two blocks one. */
static NOMEN_NOINLINE double make_more(uniforms *u) {
    nomen_generator *const g = u->g;
    put_back(u);
    if (g->position >= NOMEN__MT_WORDS) nomen__generator_refill(g);
    int count = (NOMEN__MT_WORDS - g->position) / 2;
    if (count == 0) return nomen__draw_double(g);
    if (count > u->most) count = u->most;
    nomen__random_loops_best()->make[NOMEN__MADE_UNIFORM][NOMEN_F64](g->ready + g->position,
                                                                     u->made, count, NULL);
    u->count = count;
    u->at = 1;
    return u->made[0];
}

static inline double next_uniform(uniforms *u) {
    return u->at < u->count ? u->made[u->at++] : make_more(u);
}

/* Few events: as long as the product of uniform numbers stays above e^-rate, one more. */
static inline double count_few(uniforms *u, double least) {
    double product = next_uniform(u);
    int64_t count = 0;
    for (; product > least; product *= next_uniform(u)) count++;
    return (double)count;
}

/* Many events: transformed rejection (Hoermann 1993, algorithm PTRS), which takes two uniform
 * numbers for most counts. */
static double count_many(uniforms *g, double rate) {
    const double root = sqrt(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double v_sure = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = next_uniform(g) - 0.5, v = next_uniform(g);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= v_sure) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        const double height = log(v) + log(inverse_alpha) - log(a / (us * us) + b);
        int sign;
        if (height <= -rate + k * log(rate) - lgamma_r(k + 1, &sign)) return k;
    }
}

/* Of few rates at a time, e^-rate first. */
nomen_status nomen__random_poisson(nomen_generator *g, double *values, int64_t n) {
    enum { SOME = 256 };
    const nomen__random_loops *const loops = nomen__random_loops_best();
    double minus[SOME], least[SOME];
    _Static_assert(PIECE % SOME == 0, "it is asked between two rounds");
    nomen_status status = NOMEN_OK;
    g = nomen__generator_lock(g);
    uniforms u;
    u.g = g;
    u.at = u.count = 0;
    u.most = n < MADE / 8 ? (int)n * 8 : MADE;
    for (int64_t i = 0, some; i < n; i += some, values += some) {
        if (i && i % PIECE == 0) {
            put_back(&u);
            if ((status = nomen__generator_ask(g)) != NOMEN_OK) break;
        }
        some = n - i < SOME ? n - i : SOME;
        for (int64_t k = 0; k < some; k++) minus[k] = -values[k];
        loops->exp_f64(minus, least, some);
        for (int64_t k = 0; k < some; k++)
            if (values[k] != 0)
                values[k] = values[k] < 10 ? count_few(&u, least[k]) : count_many(&u, values[k]);
    }
    put_back(&u);
    nomen__generator_unlock(g);
    return status;
}
