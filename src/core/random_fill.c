/* Distributions: which words of a generator become which numbers. Follows PyTorch 1.13 on the CPU
 * draw by draw, so that a seed means the same in both. */
#include "core/draw.h"
#include "core/random_half.h"

#include "nomen/memory.h"

#include <math.h>
#include <string.h>

/* PIECE: elements between two questions whether to go on; a multiple of the others. */
enum { CHUNK = 512, GROUP = 16, PIECE = 1 << 17 };
/* Of a chunk, in double: whole vectors of WHOLE numbers. */
enum { WHOLE = 8 };
typedef double room[CHUNK];

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
    if (dtype != NOMEN_C64 && dtype != NOMEN_C128) return dtype;
    *n *= 2;
    return dtype == NOMEN_C64 ? NOMEN_F32 : NOMEN_F64;
}

static void *advance(void *out, nomen_dtype dtype, int64_t n) {
    return (char *)out + n * nomen__item(dtype);
}

/* ---- pieces and legs ------------------------------------------------------------------------- */

typedef struct how how;
typedef void draw(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h);
typedef void become(nomen_dtype dtype, void *out, void *drawn, int64_t n, how *h);

/* What is drawn: each distribution reads what it has. Where numbers are drawn that become others,
 * `some` draws a chunk of them: where the others will be, or into a room. */
struct how {
    draw *some;
    become *become; /* NULL: nothing, they are drawn as they are to be */
    bool in_place;
    int words;  /* for one element; 0: nobody knows */
    int cost;   /* of one element, for which a word that is stepped over costs STEP */
    bool kept;  /* numbers come in pairs, the second of which waits in the generator */
    bool full;  /* computed by libm, for all digits of double */
    bool again; /* the last group is drawn anew after all others */
    double a, b;
    int64_t base;
    uint64_t range;
    bool wide;
    nomen__distribution which;
    nomen_dtype p_dtype;
    const char *p; /* probabilities of the elements to come */
};

/* A piece is drawn in legs on all threads, each by a generator of its own that has stepped over the
 * words of those before it. Stepping takes less than half of what drawing takes, and later legs,
 * which step over more, are shorter: so all are done at the same time. The numbers do not depend on
 * where legs end. */
enum { STEP = 5, MOST_LEGS = 64, LEAST_COST = 250000 };
typedef struct leg {
    nomen_generator g; /* where it ends */
    int64_t begin;
    _Atomic bool done;
} leg;

typedef struct piece {
    const nomen_generator *g;
    nomen_dtype dtype;
    void *out;
    int64_t n;
    const how *h;
    leg *legs;
    int count;
} piece;

/* From one place of a piece to another. */
static void step_over(nomen_generator *g, const how *h, int64_t n) {
    if (h->kept && g->has_next_normal && n > 0) {
        g->has_next_normal = false;
        n--;
    }
    const int64_t whole = h->kept ? n & ~INT64_C(1) : n;
    nomen__generator_skip(g, whole * h->words);
    if (n > whole) (void)draw_normal(g);
}

/* Up to a chunk, the `last` one or not: what numbers become needs no generator, which is unlocked
 * before, as unlocking waits for all stores before it. */
static inline __attribute__((always_inline)) void
draw_chunk(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h, const bool last) {
    room own;
    void *const drawn = h->become && !h->in_place ? own : out;
    h->some(g, dtype, drawn, n, h);
    if (last) nomen__generator_unlock(g);
    if (h->become) h->become(dtype, out, drawn, n, h);
}

/* n numbers; g moves on, and h to the probabilities behind. */
static NOMEN_NOINLINE void draw_some(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                     how *h) {
    const int64_t most = h->become ? CHUNK : n;
    for (int64_t part; n > 0; n -= part, out = advance(out, dtype, part)) {
        part = least(n, most);
        draw_chunk(g, dtype, out, part, h, false);
    }
}

/* Goes on where a leg before it ended, if one did: whoever draws all of them steps over nothing. */
static void run_legs(void *context, int64_t k, int64_t end) {
    const piece *p = context;
    for (; k < end; k++) {
        leg *const own = &p->legs[k];
        int64_t from = k;
        while (from > 0 && !atomic_load_explicit(&p->legs[from - 1].done, memory_order_acquire))
            from--;
        nomen__generator_copy(&own->g, from > 0 ? &p->legs[from - 1].g : p->g);
        step_over(&own->g, p->h, own->begin - p->legs[from].begin);
        how h = *p->h;
        if (h.p) h.p += (size_t)own->begin * nomen_dtype_size(h.p_dtype);
        const int64_t stop = k + 1 < p->count ? p->legs[k + 1].begin : p->n;
        draw_some(&own->g, p->dtype, advance(p->out, p->dtype, own->begin), stop - own->begin, &h);
        atomic_store_explicit(&own->done, true, memory_order_release);
    }
}

/* Where the legs of n elements begin, on so many threads. */
static int plan_legs(leg *legs, int64_t n, const how *h, int threads) {
    const double keep = 1 - (double)h->words * STEP / h->cost;
    double all = 0, length = 1, at = 0;
    for (int k = 0; k < threads; k++, length *= keep) all += length;
    length = (double)n / all;
    int count = 0;
    for (; count < threads && at < (double)n; count++, at += length, length *= keep) {
        const int64_t begin = (int64_t)at / CHUNK * CHUNK;
        if (count > 0 && begin == legs[count - 1].begin) break;
        legs[count].begin = begin;
        atomic_init(&legs[count].done, false);
    }
    return count;
}

/* false: on this thread alone. */
static bool draw_in_legs(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    if (!h->words || n < 2 * CHUNK || n * (h->cost - STEP * h->words) < LEAST_COST) return false;
    const int all = nomen_get_num_threads(), threads = all < MOST_LEGS ? all : MOST_LEGS;
    if (threads == 1) return false;
    size_t capacity;
    leg *legs = nomen__buffer_new((size_t)threads * sizeof *legs, &capacity);
    if (!legs) {
        nomen__error_drop();
        return false;
    }
    piece p = {g, dtype, out, n, h, legs, plan_legs(legs, n, h, threads)};
    nomen__parallel(p.count, 1, run_legs, &p);
    nomen__generator_copy(g, &legs[p.count - 1].g);
    nomen__buffer_free(legs, capacity);
    if (h->p) h->p += (size_t)n * nomen_dtype_size(h->p_dtype);
    return true;
}

/* g is locked. What pieces draw one after the other is what all would draw at once. */
static NOMEN_NOINLINE nomen_status in_pieces(nomen_generator *g, nomen_dtype dtype, void *out,
                                             int64_t n, how *h) {
    for (;;) {
        int64_t part = least(n, PIECE);
        if (!draw_in_legs(g, dtype, out, part, h)) draw_some(g, dtype, out, part, h);
        n -= part;
        if (n <= 0) return NOMEN_OK;
        out = advance(out, dtype, part);
        nomen_status status = nomen__generator_ask(g);
        if (status) return status;
    }
}

static nomen_status draw_all(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    g = nomen__generator_lock(g);
    if (n <= CHUNK && !h->again) { /* no legs, nobody to ask */
        draw_chunk(g, dtype, out, n, h, true);
        return NOMEN_OK;
    }
    nomen_status status = in_pieces(g, dtype, out, n, h);
    if (!status && h->again) draw_some(g, dtype, advance(out, dtype, n - GROUP), GROUP, h);
    nomen__generator_unlock(g);
    return status;
}

/* ---- words to numbers ------------------------------------------------------------------------ */

/* The words that are there become numbers where they lie. */
static int words_each(nomen__made made, nomen_dtype dtype) {
    return nomen__item(dtype) == 8 && made < NOMEN__MADE_REST ? 2 : 1;
}

/* What the block has words for, and then block by block; perhaps a number between two, which takes
 * a word of each. */
static NOMEN_NOINLINE void fill_blocks(nomen_generator *g, nomen__make *make, int each, void *to,
                                       int64_t n, int64_t item, const nomen__making *with) {
    char *out = to;
    for (int64_t some; n > 0; n -= some, out += some * item) {
        some = least(n, (NOMEN__MT_WORDS - g->position) / each);
        if (some > 0) {
            make(g->ready + g->position, out, some, with);
            g->position += (int)some * each;
        } else if (g->position < NOMEN__MT_WORDS) {
            const uint32_t first = nomen__draw32(g);
            const uint32_t pair[2 + NOMEN__READY_PAD] = {first, nomen__draw32(g)};
            make(pair, out, some = 1, with);
        } else {
            nomen__generator_refill(g);
        }
    }
}

static void fill_made(nomen_generator *g, nomen__made made, nomen_dtype dtype, void *out, int64_t n,
                      const nomen__making *with) {
    nomen__make *const make = nomen__random_loops_best()->make[made][dtype];
    const int each = words_each(made, dtype);
    if (n * each > NOMEN__MT_WORDS - g->position) {
        fill_blocks(g, make, each, out, n, nomen__item(dtype), with);
        return;
    }
    const uint32_t *const words = g->ready + g->position;
    g->position += (int)n * each;
    make(words, out, n, with);
}

/* ---- uniform --------------------------------------------------------------------------------- */

static void fill_uniform(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)h;
    fill_made(g, NOMEN__MADE_UNIFORM, dtype, out, n, NULL);
}

nomen_status nomen__random_uniform(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n) {
    dtype = real_parts(dtype, &n);
    const int words = words_each(NOMEN__MADE_UNIFORM, dtype);
    return draw_all(g, dtype, out, n,
                    &(how){.some = fill_uniform, .words = words, .cost = 10 * words});
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
    const int words = words_each(NOMEN__MADE_BETWEEN, dtype);
    return draw_all(g, dtype, out, n,
                    &(how){fill_between, .words = words, .cost = 10 * words, .a = low, .b = high});
}

/* ---- normal ---------------------------------------------------------------------------------- */

/* n single draws, most of them pairs of uniform numbers made at once: in full precision, or of what
 * is rounded to fewer digits. */
static void draw_normals(nomen_generator *g, double *out, int64_t n, bool full) {
    const int64_t first = n > 0 && g->has_next_normal;
    const int64_t paired = (n - first) / GROUP * GROUP;
    if (first) out[0] = draw_normal(g);
    fill_uniform(g, NOMEN_F64, out + first, paired, NULL);
    void (*const pairs)(double *, int64_t) =
        full ? nomen__random_loops_best()->pairs_f64 : nomen__random_pairs;
    pairs(out + first, paired / 2);
    for (int64_t i = first + paired; i < n; i++) out[i] = draw_normal(g);
}

static void fill_normals(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)dtype;
    draw_normals(g, out, n, h->full);
}

static void stretch_normals(nomen_dtype dtype, void *out, void *drawn, int64_t n, how *h) {
    double *const values = drawn;
    nomen__random_loops_best()->stretch_f64(values, n, h->a, h->b);
    nomen__store_doubles(dtype, out, values, n);
}

static nomen_status draw_singly(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                double mean, double std) {
    how h = {fill_normals, stretch_normals, .words = 2, .kept = true, .a = mean, .b = std};
    h.full = dtype == NOMEN_F64;
    h.cost = h.full ? 250 : 150;
    return draw_all(g, dtype, out, n, &h);
}

nomen_status nomen__random_normal_singly(nomen_generator *g, nomen_dtype dtype, void *out,
                                         int64_t n, double mean, double std) {
    if (nomen_dtype_is_complex(dtype)) std /= M_SQRT2;
    dtype = real_parts(dtype, &n);
    return draw_singly(g, dtype, out, n, mean, std);
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

/* Uniform numbers (for floats of 16 bits a word each) become normal ones, group by group, while
 * they are in the cache; what is no whole group stays uniform. */
static void fill_for_groups(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)h;
    if (dtype == NOMEN_F16 || dtype == NOMEN_BF16)
        fill_made(g, NOMEN__MADE_BITS, NOMEN_I16, out, n, NULL);
    else
        fill_made(g, NOMEN__MADE_UNIFORM, dtype, out, n, NULL);
}

static void make_groups(nomen_dtype dtype, void *out, void *drawn, int64_t n, how *h) {
    const nomen__random_loops *loops = nomen__random_loops_best();
    (void)drawn;
    if (dtype == NOMEN_F32)
        loops->normal_f32(out, n / GROUP, (float)h->a, (float)h->b);
    else if (dtype == NOMEN_F64)
        loops->normal_f64(out, n / GROUP, h->a, h->b);
    else
        normal_groups_16(loops, dtype, out, n / GROUP, h->a, h->b);
}

nomen_status nomen__random_normal(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                  double mean, double std) {
    if (nomen_dtype_is_complex(dtype)) std /= M_SQRT2;
    dtype = real_parts(dtype, &n);
    if (n < GROUP) return draw_singly(g, dtype, out, n, mean, std);
    how h = {fill_for_groups, make_groups, .in_place = true, .words = 1, .cost = 35};
    h.a = mean;
    h.b = std;
    if (dtype == NOMEN_F64) h.words = 2, h.cost = 250;
    h.again = n % GROUP != 0;
    return draw_all(g, dtype, out, n, &h);
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
    how h = {fill_remainders, .words = 1, .cost = 14, .base = base, .range = range};
    h.wide = has_wide && range > UINT32_MAX;
    if (h.wide || range == 0) h.words = 2, h.cost = 80;
    if (range == 0) h.some = fill_words;
    return draw_all(g, dtype, out, n, &h);
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
    const int words = words_each(NOMEN__MADE_BITS, dtype);
    return draw_all(g, dtype, out, n, &(how){fill_any, .words = words, .cost = 11 * words});
}

/* ---- the rest: one double or pair of words each ---------------------------------------------- */

/* Into a room: behind the numbers there are others up to a whole vector, which nobody asks for. */
static void fill_doubles(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)dtype;
    if (2 * n > NOMEN__MT_WORDS - g->position) {
        double *const numbers = out;
        fill_uniform(g, NOMEN_F64, numbers, n, h);
        for (int64_t i = n; i % WHOLE; i++) numbers[i] = 0.5;
        return;
    }
    _Static_assert(2 * (WHOLE - 1) <= NOMEN__READY_PAD && CHUNK % WHOLE == 0, "there is room");
    nomen__random_loops_best()->make[NOMEN__MADE_UNIFORM][NOMEN_F64](
        g->ready + g->position, out, (n + WHOLE - 1) / WHOLE * WHOLE, NULL);
    g->position += (int)(2 * n);
}

static void compare(nomen_dtype dtype, void *out, void *drawn, int64_t n, how *h) {
    uint8_t truths[CHUNK];
    nomen__doubles_below(drawn, h->a, truths, n);
    nomen__store_truths(dtype, out, truths, n);
}

nomen_status nomen__random_bernoulli(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n,
                                     double p) {
    return draw_all(g, dtype, out, n,
                    &(how){fill_doubles, compare, .words = 2, .cost = 30, .a = p});
}

/* Probabilities of double take a double each, all others a float. */
static void fill_for_each(nomen_generator *g, nomen_dtype dtype, void *out, int64_t n, how *h) {
    (void)dtype;
    fill_uniform(g, h->p_dtype == NOMEN_F64 ? NOMEN_F64 : NOMEN_F32, out, n, h);
}

static void compare_each(nomen_dtype dtype, void *out, void *drawn, int64_t n, how *h) {
    uint8_t truths[CHUNK];
    nomen__draws_below(h->p_dtype, drawn, h->p, truths, n);
    nomen__store_truths(dtype, out, truths, n);
    h->p += (size_t)n * nomen_dtype_size(h->p_dtype);
}

nomen_status nomen__random_bernoulli_each(nomen_generator *g, nomen_dtype dtype, void *out,
                                          int64_t n, nomen_dtype p_dtype, const void *p) {
    how h = {fill_for_each, compare_each, .words = 1, .cost = 20, .p_dtype = p_dtype, .p = p};
    if (p_dtype == NOMEN_F64) h.words = 2, h.cost = 30;
    return draw_all(g, dtype, out, n, &h);
}

/* Up to a chunk, as libm does it. */
static void shape_values(nomen__distribution which, double *u, int64_t n, double a, double b) {
    const nomen__random_loops *const loops = nomen__random_loops_best();
    room x;
    switch (which) {
    case NOMEN__EXPONENTIAL:
        memcpy(x, u, (size_t)n * sizeof *x);
        loops->stretch_f64(x, n, 1.0, -1.0);
        loops->log_f64(x, u, n);
        loops->stretch_f64(u, n, -0.0, -1.0 / a); /* and a zero keeps its sign */
        break;
    case NOMEN__CAUCHY:
        for (int64_t i = 0; i < n; i++) u[i] = fma(b, tan(M_PI * (u[i] - 0.5)), a);
        break;
    case NOMEN__GEOMETRIC:
        memcpy(x, u, (size_t)n * sizeof *x);
        loops->log_f64(x, u, n);
        for (int64_t i = 0; i < n; i++) u[i] = ceil(u[i] / a);
        break;
    case NOMEN__LOG_NORMAL:
        memcpy(x, u, (size_t)n * sizeof *x);
        loops->stretch_f64(x, n, a, b);
        loops->exp_f64(x, u, n);
        break;
    }
}

static void shape_drawn(nomen_dtype dtype, void *out, void *drawn, int64_t n, how *h) {
    if (h->full)
        shape_values(h->which, drawn, n, h->a, h->b);
    else /* single draws are stored one by one, and a vector of them would be waited for */
        nomen__random_shape(h->which, drawn, h->kept ? n : (n + WHOLE - 1) / WHOLE * WHOLE, h->a,
                            h->b);
    nomen__store_doubles(dtype, out, drawn, n);
}

nomen_status nomen__random_distribution(nomen_generator *g, nomen__distribution which,
                                        nomen_dtype dtype, void *out, int64_t n, double a,
                                        double b) {
    if (which == NOMEN__GEOMETRIC) a = log(1.0 - a);
    const bool pairs = which == NOMEN__LOG_NORMAL;
    how h = {fill_doubles, shape_drawn, .words = 2, .kept = pairs, .a = a, .b = b, .which = which};
    h.full = dtype == NOMEN_F64 || !isfinite(a) || !isfinite(b);
    if (pairs) h.some = fill_normals;
    h.cost = pairs ? 200 : 100;
    if (dtype == NOMEN_F64) h.cost = which == NOMEN__CAUCHY ? 1000 : pairs ? 400 : 150;
    return draw_all(g, dtype, out, n, &h);
}
