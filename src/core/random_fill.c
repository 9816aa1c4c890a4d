/* Distributions: which words of a generator become which numbers. Follows PyTorch 1.13 on the CPU
 * draw by draw, so that a seed means the same in both. */
#include "core/draw.h"
#include "core/random_half.h"

#include "nomen/memory.h"

#include <math.h>
#include <string.h>

/* PIECE: elements between two questions whether to go on; a multiple of the others. */
enum { CHUNK = 512, GROUP = 16, PARALLEL_GROUPS = 2048, PARALLEL_SHAPES = 4096, PIECE = 1 << 17 };
/* Numbers that are drawn while others take shape, and parts in which they do. */
enum { SHAPED = 4096, SHAPE_PARTS = 3 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- words ----------------------------------------------------------------------------------- */

uint32_t nomen__draw32(nomen_generator *g) {
    if (g->position >= NOMEN__MT_WORDS) nomen__generator_refill(g);
    return g->ready[g->position++];
}

static uint64_t draw64(nomen_generator *g) {
    uint64_t upper = nomen__draw32(g);
    return upper << 32 | nomen__draw32(g);
}

double nomen__draw_double(nomen_generator *g) {
    return (double)(int64_t)(draw64(g) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* One number of a normal distribution with deviation 1; they come in pairs, the second is kept. */
static double draw_normal(nomen_generator *g) {
    if (g->has_next_normal) {
        g->has_next_normal = false;
        return g->next_normal;
    }
    double angle = nomen__draw_double(g), u = nomen__draw_double(g);
    double radius = sqrt(-2.0 * log(1.0 - u)), theta = 2.0 * M_PI * angle;
    g->next_normal = radius * sin(theta);
    g->has_next_normal = true;
    return radius * cos(theta);
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

static float round_bf16(float value) { return bf16_to(bf16_of(value)); }

static float round_f16(float value) { return f16_to(f16_of(value)); }

static float round_f32(float value) { return value; }

/* The real dtype that a floating or complex one consists of; n becomes the number of reals. */
static nomen_dtype real_parts(nomen_dtype dtype, int64_t *n) {
    if (!nomen_dtype_is_complex(dtype)) return dtype;
    *n *= 2;
    return dtype == NOMEN_C64 ? NOMEN_F32 : NOMEN_F64;
}

static void *advance(void *out, nomen_dtype dtype, int64_t n) {
    return (char *)out + (size_t)n * nomen_dtype_size(dtype);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* What is drawn: each distribution reads what it has. */
typedef struct how {
    double a, b;
    int64_t base;
    uint64_t range;
    bool wide;
    nomen__distribution which;
    nomen_dtype p_dtype;
    const char *p; /* probabilities of the elements to come */
} how;

typedef void draw(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h);

/* g is locked. What pieces draw one after the other is what all would draw at once. */
static nomen_status in_pieces(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                              draw *some, how *h) {
    for (;;) {
        int64_t part = least(n, PIECE);
        some(g, dtype, out, part, h);
        n -= part;
        if (n <= 0) return NOMEN_OK;
        out = advance(out, dtype, part);
        nomen_status status = nomen__generator_ask(g);
        if (status) return status;
    }
}

static nomen_status draw_all(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                             draw *some, how *h) {
    g = nomen__generator_lock(g);
    nomen_status status = in_pieces(g, dtype, out, n, some, h);
    nomen__generator_unlock(g);
    return status;
}

/* ---- words to numbers ------------------------------------------------------------------------ */

/* The words that are there become numbers where they lie. */
static void fill_made(nomen_generator *g, nomen__made made, nomen_dtype dtype, void *out, int64_t n,
                      const nomen__making *with) {
    nomen__make *const make = nomen__random_loops_best()->make[made][dtype];
    const int each = nomen_dtype_size(dtype) == 8 && made < NOMEN__MADE_REST ? 2 : 1;
    for (int64_t some; n > 0; n -= some, out = advance(out, dtype, some)) {
        some = least(n, (NOMEN__MT_WORDS - g->position) / each);
        if (some > 0) {
            make(g->ready + g->position, out, some, with);
            g->position += (int)some * each;
        } else if (each > 1 && g->position < NOMEN__MT_WORDS) { /* a pair across two blocks */
            const uint32_t first = nomen__draw32(g), pair[] = {first, nomen__draw32(g)};
            make(pair, out, some = 1, with);
        } else {
            nomen__generator_refill(g);
        }
    }
}

/* ---- uniform --------------------------------------------------------------------------------- */

static void fill_uniform(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)h;
    fill_made(g, NOMEN__MADE_UNIFORM, dtype, out, n, NULL);
}

nomen_status nomen__random_uniform(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n) {
    dtype = real_parts(dtype, &n);
    return draw_all(g, dtype, out, n, fill_uniform, NULL);
}

/* Bounds and width are numbers of the dtype. */
static void fill_between(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    nomen__making with = {.low = h->a, .width = h->b - h->a};
    if (dtype != NOMEN_F64) {
        float (*const rounded)(float) = dtype == NOMEN_F16    ? round_f16
                                        : dtype == NOMEN_BF16 ? round_bf16
                                                              : round_f32;
        const float low = rounded((float)h->a), high = rounded((float)h->b);
        with = (nomen__making){.low = low, .width = rounded(high - low)};
    }
    fill_made(g, NOMEN__MADE_BETWEEN, dtype, out, n, &with);
}

nomen_status nomen__random_uniform_between(nomen_generator *g, nomen_dtype dtype, void *out,
                                           int64_t n, double low, double high) {
    dtype = real_parts(dtype, &n);
    return draw_all(g, dtype, out, n, fill_between, &(how){.a = low, .b = high});
}

/* ---- normal ---------------------------------------------------------------------------------- */

/* n single draws; in full precision, or of what is rounded to fewer digits: then most are left as
 * pairs of uniform numbers, `*pairs` of them from out[returned] on. */
static int64_t draw_pairs(nomen_generator *g, double *out, int64_t n, bool full, int64_t *pairs) {
    const int64_t first = n > 0 && g->has_next_normal;
    if (first) out[0] = draw_normal(g);
    *pairs = full ? 0 : (n - first) / GROUP * (GROUP / 2);
    fill_uniform(g, NOMEN_F64, out + first, 2 * *pairs, NULL);
    for (int64_t i = first + 2 * *pairs; i < n; i++) out[i] = draw_normal(g);
    return first;
}

static void draw_normals(nomen_generator *g, double *out, int64_t n, bool full) {
    int64_t pairs, first = draw_pairs(g, out, n, full, &pairs);
    nomen__random_pairs(out + first, pairs);
}

static void fill_normal_singly(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                               how *h) {
    double values[CHUNK];
    for (int64_t part; n > 0; n -= part, out = advance(out, dtype, part)) {
        part = least(n, CHUNK);
        draw_normals(g, values, part, dtype == NOMEN_F64);
        for (int64_t i = 0; i < part; i++) values[i] = fma(values[i], h->b, h->a);
        nomen__store_doubles(dtype, out, values, part);
    }
}

nomen_status nomen__random_normal_singly(nomen_generator *g, nomen_dtype dtype, void *out,
                                         int64_t n, double mean, double std) {
    if (nomen_dtype_is_complex(dtype)) std /= M_SQRT2;
    dtype = real_parts(dtype, &n);
    return draw_all(g, dtype, out, n, fill_normal_singly, &(how){.a = mean, .b = std});
}

/* Box-Muller for 16-bit floats. There are few uniform numbers (2^8 in bfloat16, 2^11 in float16),
 * so the functions of each of them are computed once. bfloat16 rounds after every step, float16 the
 * radius, the angle and the end. */
static float bf16_radius[NOMEN__BF16_COUNT], bf16_cosine[NOMEN__BF16_COUNT],
    bf16_sine[NOMEN__BF16_COUNT];
static float f16_radius[NOMEN__F16_COUNT], f16_cosine[NOMEN__F16_COUNT], f16_sine[NOMEN__F16_COUNT];
static pthread_once_t bf16_once = PTHREAD_ONCE_INIT, f16_once = PTHREAD_ONCE_INIT;

static void make_bf16_tables(void) {
    for (int k = 0; k < NOMEN__BF16_COUNT; k++) {
        float u = round_bf16(1 - (float)k / NOMEN__BF16_COUNT);
        float theta = round_bf16((float)(2 * M_PI * k / NOMEN__BF16_COUNT));
        bf16_radius[k] = round_bf16(sqrtf(round_bf16(-2 * round_bf16(logf(u)))));
        bf16_cosine[k] = round_bf16(cosf(theta));
        bf16_sine[k] = round_bf16(sinf(theta));
    }
}

static void make_f16_tables(void) {
    for (int k = 0; k < NOMEN__F16_COUNT; k++) {
        float u = round_f16(1 - (float)k / NOMEN__F16_COUNT);
        float theta = round_f16((float)(2 * M_PI * k / NOMEN__F16_COUNT));
        f16_radius[k] = round_f16(sqrtf(-2 * logf(u)));
        f16_cosine[k] = cosf(theta);
        f16_sine[k] = sinf(theta);
    }
}

static void normal_groups_16(const nomen__random_loops *loops, nomen_dtype dtype, uint16_t *at,
                             int64_t groups, double mean, double std) {
    static const nomen__normal_tables bf16 = {bf16_radius, bf16_cosine, bf16_sine},
                                      f16 = {f16_radius, f16_cosine, f16_sine};
    const bool brain = dtype == NOMEN_BF16;
    float (*const rounded)(float) = brain ? round_bf16 : round_f16;
    pthread_once(brain ? &bf16_once : &f16_once, brain ? make_bf16_tables : make_f16_tables);
    loops->normal_16(at, groups, dtype, brain ? &bf16 : &f16, rounded((float)mean),
                     rounded((float)std));
}

/* What groups are made of: uniform numbers, for floats of 16 bits a word each. */
static void fill_for_groups(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)h;
    if (dtype == NOMEN_F16 || dtype == NOMEN_BF16)
        fill_made(g, NOMEN__MADE_BITS, NOMEN_I16, out, n, NULL);
    else
        fill_made(g, NOMEN__MADE_UNIFORM, dtype, out, n, NULL);
}

typedef struct normal_task {
    const nomen__random_loops *loops;
    nomen_dtype dtype;
    char *out;
    double mean, std;
} normal_task;

/* In double PyTorch calls the functions of libm, and the last bits of those are nobody else's: with
 * a mean that a draw nearly cancels they become the first ones. */
static void normal_f64(double *at, int64_t groups, double mean, double std) {
    for (; groups > 0; groups--, at += GROUP) {
        for (int j = 0; j < GROUP / 2; j++) {
            const double radius = sqrt(-2.0 * log(1.0 - at[j]));
            const double theta = 2.0 * M_PI * at[j + GROUP / 2];
            at[j] = fma(radius * cos(theta), std, mean);
            at[j + GROUP / 2] = fma(radius * sin(theta), std, mean);
        }
    }
}

/* Turns uniform numbers into normal ones, group by group. */
static void normal_groups(void *context, int64_t begin, int64_t end) {
    const normal_task *t = context;
    char *at = advance(t->out, t->dtype, begin * GROUP);
    if (t->dtype == NOMEN_F32) {
        t->loops->normal_f32((float *)(void *)at, end - begin, (float)t->mean, (float)t->std);
    } else if (t->dtype == NOMEN_F64) {
        normal_f64((double *)(void *)at, end - begin, t->mean, t->std);
    } else {
        normal_groups_16(t->loops, t->dtype, (uint16_t *)(void *)at, end - begin, t->mean, t->std);
    }
}

nomen_status nomen__random_normal(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                  double mean, double std) {
    if (nomen_dtype_is_complex(dtype)) std /= M_SQRT2;
    dtype = real_parts(dtype, &n);
    if (n < GROUP)
        return draw_all(g, dtype, out, n, fill_normal_singly, &(how){.a = mean, .b = std});
    g = nomen__generator_lock(g);
    /* When groups do not fit exactly, the last 16 elements are drawn anew after all others. Their
     * numbers wait here, so that the lock is not held while the groups are computed. */
    double last[GROUP];
    nomen_status status = in_pieces(g, dtype, out, n, fill_for_groups, NULL);
    if (!status && n % GROUP != 0) fill_for_groups(g, dtype, last, GROUP, NULL);
    nomen__generator_unlock(g);
    if (status) return status;
    normal_task task = {nomen__random_loops_best(), dtype, out, mean, std};
    const int64_t grain = dtype == NOMEN_F64 ? PARALLEL_GROUPS / 16 : PARALLEL_GROUPS;
    status = nomen__parallel_asking(n / GROUP, grain, normal_groups, &task);
    if (status || n % GROUP == 0) return status;
    task.out = advance(out, dtype, n - GROUP);
    memcpy(task.out, last, GROUP * nomen_dtype_size(dtype));
    normal_groups(&task, 0, 1);
    return NOMEN_OK;
}

/* ---- integers -------------------------------------------------------------------------------- */

/* word % range for 64-bit words and ranges beyond 2^32, by an estimate of the quotient that is
 * never too large and at most one too small. */
static uint64_t remainder64(uint64_t word, uint64_t range, double inverse) {
    const uint64_t quotient = (uint64_t)(int64_t)((double)(int64_t)(word >> 11) * 2048 * inverse);
    const uint64_t rest = word - quotient * range;
    return rest >= range ? rest - range : rest;
}

/* The kind of remainders by ranges below 2^32 that the dtype has: of sums within 32 bits all, of
 * larger ones some. Where a double holds all steps, floats can. */
static nomen__made kind_of_rest(nomen_dtype dtype, int64_t base, uint64_t range) {
    const int64_t most = INT64_C(1) << 51;
    if (base >= INT32_MIN && base <= INT32_MAX && base + (int64_t)range - 1 <= INT32_MAX)
        return NOMEN__MADE_REST;
    if (dtype == NOMEN_F32 || dtype == NOMEN_F64)
        return base <= most && base >= -most ? NOMEN__MADE_FAR_REST : NOMEN__MADE_COUNT;
    return dtype == NOMEN_I64 ? NOMEN__MADE_FAR_REST : NOMEN__MADE_COUNT;
}

static nomen__making rest_with(uint64_t range, int64_t base) {
    return (nomen__making){
        .base = base, .range = (uint32_t)range, .inverse = UINT32_MAX / (uint32_t)range};
}

/* range > 0; wide: 64-bit words, otherwise 32-bit ones. */
static void fill_remainders(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    int64_t values[CHUNK], base = h->base;
    uint64_t range = h->range;
    const bool wide = h->wide, narrow = !wide && range <= UINT32_MAX;
    const nomen__made kind = narrow ? kind_of_rest(dtype, base, range) : NOMEN__MADE_COUNT;
    if (kind != NOMEN__MADE_COUNT) {
        const nomen__making with = rest_with(range, base);
        fill_made(g, kind, dtype, out, n, &with);
        return;
    }
    const double inverse = (1 - 0x1p-50) / (double)range;
    for (int64_t part; n > 0; n -= part, out = advance(out, dtype, part)) {
        part = least(n, CHUNK);
        if (narrow) {
            const nomen__making with = rest_with(range, base);
            fill_made(g, NOMEN__MADE_FAR_REST, NOMEN_I64, values, part, &with);
        } else if (wide) {
            for (int64_t i = 0; i < part; i++)
                values[i] = (int64_t)(remainder64(draw64(g), range, inverse) + (uint64_t)base);
        } else {
            for (int64_t i = 0; i < part; i++)
                values[i] = (int64_t)(nomen__draw32(g) % range + (uint64_t)base);
        }
        nomen__store_integers(dtype, out, values, part);
    }
}

/* All 64 bits as they are. */
static void fill_words(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    int64_t values[CHUNK];
    (void)h;
    for (int64_t part; n > 0; n -= part, out = advance(out, dtype, part)) {
        part = least(n, CHUNK);
        for (int64_t i = 0; i < part; i++) values[i] = (int64_t)draw64(g);
        nomen__store_integers(dtype, out, values, part);
    }
}

nomen_status nomen__random_integers(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                    int64_t base, uint64_t range) {
    bool has_wide =
        dtype == NOMEN_I64 || dtype == NOMEN_F64 || dtype == NOMEN_F32 || dtype == NOMEN_BF16;
    how h = {.base = base, .range = range, .wide = has_wide && range > UINT32_MAX};
    return draw_all(g, dtype, out, n, range > 0 ? fill_remainders : fill_words, &h);
}

/* Bits of integers and of float64; of other floats, which have all numbers up to 2^digits, the
 * remainders by one more. */
static void fill_any(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    const int digits = dtype == NOMEN_F32 ? 24 : dtype == NOMEN_F16 ? 11 : 8;
    const bool rests = nomen_dtype_is_floating(dtype) && dtype != NOMEN_F64;
    const nomen__making with = rest_with((UINT64_C(1) << digits) + 1, 0);
    (void)h;
    fill_made(g, rests ? NOMEN__MADE_REST : NOMEN__MADE_BITS, dtype, out, n, &with);
}

nomen_status nomen__random_any(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n) {
    return draw_all(g, dtype, out, n, fill_any, NULL);
}

/* ---- the rest: one double or pair of words each ---------------------------------------------- */

static void fill_bernoulli(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    double u[CHUNK], p = h->a;
    uint8_t truths[CHUNK];
    for (int64_t part; n > 0; n -= part, out = advance(out, dtype, part)) {
        part = least(n, CHUNK);
        fill_uniform(g, NOMEN_F64, u, part, NULL);
        nomen__doubles_below(u, p, truths, part);
        nomen__store_truths(dtype, out, truths, part);
    }
}

nomen_status nomen__random_bernoulli(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                     double p) {
    return draw_all(g, dtype, out, n, fill_bernoulli, &(how){.a = p});
}

/* Probabilities of double take a double each, all others a float. */
static void fill_bernoulli_each(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                how *h) {
    union {
        double f64[CHUNK];
        float f32[CHUNK];
    } u;
    uint8_t truths[CHUNK];
    for (int64_t part; n > 0; n -= part, out = advance(out, dtype, part)) {
        part = least(n, CHUNK);
        fill_uniform(g, h->p_dtype == NOMEN_F64 ? NOMEN_F64 : NOMEN_F32, &u, part, NULL);
        nomen__draws_below(h->p_dtype, &u, h->p, truths, part);
        nomen__store_truths(dtype, out, truths, part);
        h->p += (size_t)part * nomen_dtype_size(h->p_dtype);
    }
}

nomen_status nomen__random_bernoulli_each(nomen_generator *g, nomen_dtype dtype, void *out,
                                          int64_t n, nomen_dtype p_dtype, const void *p) {
    return draw_all(g, dtype, out, n, fill_bernoulli_each, &(how){.p_dtype = p_dtype, .p = p});
}

static void shape_values(nomen__distribution which, double *u, int64_t n, double a, double b) {
    switch (which) {
    case NOMEN__EXPONENTIAL:
        for (int64_t i = 0; i < n; i++) u[i] = -1.0 / a * log(1.0 - u[i]);
        break;
    case NOMEN__CAUCHY:
        for (int64_t i = 0; i < n; i++) u[i] = fma(b, tan(M_PI * (u[i] - 0.5)), a);
        break;
    case NOMEN__GEOMETRIC:
        for (int64_t i = 0; i < n; i++) u[i] = ceil(log(u[i]) / a);
        break;
    case NOMEN__LOG_NORMAL:
        for (int64_t i = 0; i < n; i++) u[i] = exp(fma(u[i], b, a));
        break;
    }
}

typedef struct shape_task {
    nomen__distribution which;
    double *u, a, b;
} shape_task;

static void shape_part(void *context, int64_t begin, int64_t end) {
    const shape_task *t = context;
    shape_values(t->which, t->u + begin, end - begin, t->a, t->b);
}

/* Numbers of at most n draws, on their way: pairs of uniform numbers first, then what is to take
 * shape. */
typedef struct block {
    double *u;
    int64_t n, first, pairs;
} block;

static void draw_block(nomen_generator *g, block *b, const how *h, bool full) {
    b->first = b->pairs = 0;
    if (h->which == NOMEN__LOG_NORMAL)
        b->first = draw_pairs(g, b->u, b->n, full, &b->pairs);
    else
        fill_uniform(g, NOMEN_F64, b->u, b->n, NULL);
}

/* Numbers from to `to` take shape and are stored. from - first is a multiple of GROUP, or from is
 * 0; so is to - first, or to is n. */
static void shape_block(const block *b, int64_t from, int64_t to, const how *h, bool full,
                        nomen_dtype dtype, void *out) {
    const int64_t paired = b->first + 2 * b->pairs;
    for (int64_t part; from < to; from += part) {
        part = least(to - from, from < b->first ? b->first - from : CHUNK);
        double *u = b->u + from;
        if (from >= b->first && from < paired)
            nomen__random_pairs(u, least(part, paired - from) / 2);
        if (full)
            shape_values(h->which, u, part, h->a, h->b);
        else
            nomen__random_shape(h->which, u, part, h->a, h->b);
        nomen__store_doubles(dtype, advance(out, dtype, from), u, part);
    }
}

/* One block is drawn while the one before it takes shape, in parts. */
typedef struct relay {
    nomen_generator *g;
    const how *h;
    bool full;
    nomen_dtype dtype;
    void *out; /* of the block that takes shape */
    block drawn, shaped;
} relay;

static void run_relay(void *context, int64_t begin, int64_t end) {
    relay *r = context;
    const block *b = &r->shaped;
    const int64_t each = (b->n - b->first) / SHAPE_PARTS / GROUP * GROUP;
    for (; begin < end; begin++) {
        if (begin == 0) {
            draw_block(r->g, &r->drawn, r->h, r->full);
            continue;
        }
        const int64_t from = begin == 1 ? 0 : b->first + (begin - 1) * each;
        const int64_t to = begin == SHAPE_PARTS ? b->n : b->first + begin * each;
        shape_block(b, from, to, r->h, r->full, r->dtype, r->out);
    }
}

/* On all threads; false: there is no memory for that. */
static bool fill_in_relay(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, const how *h,
                          bool full) {
    size_t capacity;
    double *u = nomen__buffer_new(2 * SHAPED * sizeof *u, &capacity);
    if (!u) {
        nomen__error_drop();
        return false;
    }
    relay r = {.g = g, .h = h, .full = full, .dtype = dtype, .out = out};
    r.drawn.u = u;
    r.shaped.u = u + SHAPED;
    do {
        r.drawn.n = least(n, SHAPED);
        n -= r.drawn.n;
        nomen__parallel(1 + SHAPE_PARTS, 1, run_relay, &r);
        r.out = advance(r.out, dtype, r.shaped.n);
        const block drawn = r.drawn;
        r.drawn = r.shaped;
        r.shaped = drawn;
    } while (r.shaped.n > 0);
    nomen__buffer_free(u, capacity);
    return true;
}

/* In double the words are drawn first, and become numbers on all threads. */
static void fill_distribution(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    const bool full = dtype == NOMEN_F64 || !isfinite(h->a) || !isfinite(h->b);
    double values[CHUNK];
    if (dtype == NOMEN_F64) {
        draw_block(g, &(block){.u = out, .n = n}, h, full);
        return;
    }
    if (n >= 2 * SHAPED && nomen_get_num_threads() > 1 && fill_in_relay(g, dtype, out, n, h, full))
        return;
    for (block b = {.u = values}; n > 0; n -= b.n, out = advance(out, dtype, b.n)) {
        b.n = least(n, CHUNK);
        draw_block(g, &b, h, full);
        shape_block(&b, 0, b.n, h, full, dtype, out);
    }
}

nomen_status nomen__random_distribution(nomen_generator *g, nomen__distribution which,
                                        nomen_dtype dtype, void *out, int64_t n, double a,
                                        double b) {
    if (which == NOMEN__GEOMETRIC) a = log(1.0 - a);
    how h = {.a = a, .b = b, .which = which};
    nomen_status status = draw_all(g, dtype, out, n, fill_distribution, &h);
    if (status || dtype != NOMEN_F64) return status;
    shape_task task = {which, out, a, b};
    return nomen__parallel_asking(n, PARALLEL_SHAPES, shape_part, &task);
}
