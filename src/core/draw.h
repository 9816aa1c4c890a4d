/* Drawing numbers into memory, for the kernels and operations that need it. */
#ifndef NOMEN_SRC_DRAW_H
#define NOMEN_SRC_DRAW_H

#include "core/core.h"
#include "nomen/random.h"

#include <pthread.h>

/* Fill n elements of a contiguous `out`, drawing what PyTorch 1.13 draws on the CPU. All take the
 * generator's lock (NULL: the default generator). They fail only when they are interrupted; then
 * the generator stands behind what was drawn. A complex element is two draws of its real type.
 * Arguments are checked by the caller: low <= high, std >= 0, 0 <= p <= 1, dtypes as stated. */

/* Floating and complex dtypes: [0, 1), and [low, high). */
nomen_status nomen__random_uniform(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n);
nomen_status nomen__random_uniform_between(nomen_generator *g, nomen_dtype dtype, void *out,
                                           int64_t n, double low, double high);
/* Floating and complex dtypes; of complex numbers std is that of the whole, each part has std /
 * sqrt(2). */
nomen_status nomen__random_normal(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                  double mean, double std);
/* The same from single draws, however many: what is drawn for memory that is not contiguous. */
nomen_status nomen__random_normal_singly(nomen_generator *g, nomen_dtype dtype, void *out,
                                         int64_t n, double mean, double std);

/* All dtypes but complex: integers base, base + 1, ..., base + range - 1; range 0 means all of
 * int64. */
nomen_status nomen__random_integers(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                    int64_t base, uint64_t range);
/* All dtypes but complex: from 0 to the largest value (of floating dtypes the largest run of exact
 * integers). */
nomen_status nomen__random_any(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n);
/* All dtypes: 1 with probability p, otherwise 0. */
nomen_status nomen__random_bernoulli(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                     double p);
/* The same with a probability each: p is contiguous too, of a floating dtype. */
nomen_status nomen__random_bernoulli_each(nomen_generator *g, nomen_dtype dtype, void *out,
                                          int64_t n, nomen_dtype p_dtype, const void *p);

/* Floating dtypes. NOMEN__GEOMETRIC and others with one parameter ignore b. */
typedef enum nomen__distribution {
    NOMEN__EXPONENTIAL, /* a: rate */
    NOMEN__CAUCHY,      /* a: median, b: sigma */
    NOMEN__LOG_NORMAL,  /* a: mean, b: std of the logarithm */
    NOMEN__GEOMETRIC,   /* a: probability of success; integer dtypes too */
} nomen__distribution;
nomen_status nomen__random_distribution(nomen_generator *g, nomen__distribution which,
                                        nomen_dtype dtype, void *out, int64_t n, double a,
                                        double b);

/* Each of n rates (>= 0) becomes a count of events. */
nomen_status nomen__random_poisson(nomen_generator *g, double *values, int64_t n);

/* 0 .. n - 1 in random order. */
nomen_status nomen__random_permutation(nomen_generator *g, int64_t *out, int64_t n);

/* ---- between the files random*.c ------------------------------------------------------------- */

/* The pads let the vector loops run over the end of the block; what is in them does not count. */
enum { NOMEN__MT_WORDS = 624, NOMEN__MT_SHIFT = 397, NOMEN__MT_PAD = 16, NOMEN__READY_PAD = 64 };

struct nomen_generator {
    pthread_mutex_t lock;
    uint64_t seed;
    double next_normal; /* the second half of the last pair of single normal draws */
    bool has_next_normal;
    _Atomic bool started; /* false: state and ready are still to be made from the seed */
    int position;         /* words of `ready` handed out */
    uint32_t state[NOMEN__MT_WORDS + NOMEN__MT_PAD];
    uint32_t ready[NOMEN__MT_WORDS + NOMEN__READY_PAD]; /* the outputs: state after tempering */
};

/* The next word; a number in [0, 1) with 53 digits. g is locked. */
uint32_t nomen__draw32(nomen_generator *g);
double nomen__draw_double(nomen_generator *g);

/* Locks g (or the default generator), starts it if need be, and returns it. */
nomen_generator *nomen__generator_lock(nomen_generator *g);
void nomen__generator_unlock(nomen_generator *g);
/* Between pieces of a long draw: asks whether to go on. The lock is given back for that moment,
 * since the answer may come from somebody who draws, or waits for who does. */
nomen_status nomen__generator_ask(nomen_generator *g);
void nomen__generator_refill(nomen_generator *g); /* next block; position becomes 0 */

/* The place among the draws, of another generator that is started too; the next `words` words are
 * left out. */
void nomen__generator_copy(nomen_generator *to, const nomen_generator *from);
void nomen__generator_skip(nomen_generator *g, int64_t words);

/* random_count.c. What nomen__random_permutation does beyond 2^31 numbers. */
nomen_status nomen__random_permutation_wide(nomen_generator *g, int64_t *out, int64_t n);

/* random_wide.c. Uniform numbers (normal ones for LOG_NORMAL) become those of a distribution, for
 * results of fewer digits than double's; a and b as above, but for GEOMETRIC a is log(1 - p). Pairs
 * of uniform numbers become normal ones; their number is one of eights. */
void nomen__random_shape(nomen__distribution which, double *u, int64_t n, double a, double b);
void nomen__random_pairs(double *u, int64_t pairs);

/* random_store.c. Numbers as those of another dtype: 0 and 1 of any; doubles, of any but complex
 * ones, whole ones cut off. */
void nomen__store_integers(nomen_dtype dtype, void *out, const int64_t *in, int64_t n);
void nomen__store_truths(nomen_dtype dtype, void *out, const uint8_t *in, int64_t n);
void nomen__store_doubles(nomen_dtype dtype, void *out, const double *in, int64_t n);
/* Which u are below p; below probabilities each, u in double if these are, otherwise in float. */
void nomen__doubles_below(const double *u, double p, uint8_t *truth, int64_t n);
void nomen__draws_below(nomen_dtype p_dtype, const void *u, const void *p, uint8_t *truth,
                        int64_t n);
/* Are all n numbers of a floating dtype from 0 to `most`, and none a NaN? */
bool nomen__all_within(nomen_dtype dtype, const void *x, int64_t n, double most);

/* Radii, cosines and sines of all uniform numbers of a float of 16 bits. */
enum { NOMEN__BF16_COUNT = 1 << 8, NOMEN__F16_COUNT = 1 << 11 };
typedef struct nomen__normal_tables {
    const float *radius, *cosine, *sine;
} nomen__normal_tables;

/* What is made of words. */
typedef enum nomen__made {
    NOMEN__MADE_UNIFORM, /* floats in [0, 1) */
    NOMEN__MADE_BETWEEN, /* the same, times width, plus low; both are numbers of the dtype */
    NOMEN__MADE_BITS, /* integers: as many bits as are not negative, float64: word % (2^53 + 1) */
    NOMEN__MADE_REST, /* word % range + base of all dtypes but complex; sums within int32 */
    NOMEN__MADE_FAR_REST, /* any sums as int64; as float32 and float64 sums that double holds */
    NOMEN__MADE_COUNT,
} nomen__made;
typedef struct nomen__making {
    double low, width;
    int64_t base;
    uint32_t range, inverse; /* of REST: > 0, and (2^32 - 1) / range */
} nomen__making;
/* n numbers; those of 64 bits (but remainders) take two words each, all others one. Behind the
 * words there are NOMEN__READY_PAD others, which may be read. */
typedef void nomen__make(const uint32_t *words, void *out, int64_t n, const nomen__making *with);

/* The inner loops, one set per ISA; all give the same bits. */
typedef struct nomen__random_loops {
    void (*refill)(uint32_t *state, uint32_t *ready); /* next 624 words, and their tempered form */
    void (*step)(uint32_t *state);                    /* the same without their tempered form */
    void (*temper)(const uint32_t *state, uint32_t *ready);
    nomen__make *make[NOMEN__MADE_COUNT][NOMEN_DTYPE_COUNT]; /* NULL: there is no such number */
    /* first + i + word % (n - first - i) for the i-th word, n at most 2^31; both are read and
     * written up to a whole vector of at most 16 */
    void (*partners)(const uint32_t *words, int64_t first, int64_t n, uint32_t *partner,
                     int64_t count);
    /* Box-Muller in place on groups of 16: 8 radii then 8 angles. */
    void (*normal_f32)(float *at, int64_t groups, float mean, float std);
    /* the same of words of 16 bits, which are uniform numbers of the dtype by their lowest ones */
    void (*normal_16)(uint16_t *at, int64_t groups, nomen_dtype dtype,
                      const nomen__normal_tables *tables, float mean, float std);
    void (*normal_f64)(double *at, int64_t groups, double mean, double std);
    /* pairs (angle, radius) of uniform numbers become normal ones; their number is one of eights */
    void (*pairs_f64)(double *u, int64_t pairs);
    void (*stretch_f64)(double *x, int64_t n, double a, double b); /* x becomes a + b x */
    /* to the last bit libm's; y is other memory than x */
    void (*log_f64)(const double *x, double *y, int64_t n);
    void (*exp_f64)(const double *x, double *y, int64_t n);
    void (*sine_cosine_f64)(const double *x, double *sine, double *cosine,
                            int64_t n); /* of a turn */
} nomen__random_loops;
extern const nomen__random_loops nomen__random_plain, nomen__random_avx2, nomen__random_avx512;
const nomen__random_loops *nomen__random_loops_of(nomen__isa isa);
const nomen__random_loops *nomen__random_loops_best(void); /* of nomen__cpu_isa() */

#endif
