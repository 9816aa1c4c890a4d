/* The generator against recorded draws of PyTorch (tests/golden/random.json), on every ISA that
 * this machine has; states, seeds and threads. */
#include "core/draw.h"
#include "nomen/memory.h"
#include "nomen/nomen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 1024 };

typedef struct golden {
    char kind[32], dtype[16], a[32], b[32], bits[32 * MOST];
    uint64_t seed;
    int skip, normals, n, ulp;
    int64_t after;
} golden;

/* One case per line, fields in the order in which they were written. */
static bool parse(const char *line, golden *c) {
    char seed[32], after[32];
    c->bits[0] = 0;
    int got = sscanf(
        line,
        "{\"kind\": \"%31[^\"]\", \"dtype\": \"%15[^\"]\", \"seed\": \"%31[^\"]\", \"skip\": %d, "
        "\"normals\": %d, \"n\": %d, \"a\": \"%31[^\"]\", \"b\": \"%31[^\"]\", \"ulp\": %d, "
        "\"after\": \"%31[^\"]\", \"bits\": \"%32767[0-9a-f]",
        c->kind, c->dtype, seed, &c->skip, &c->normals, &c->n, c->a, c->b, &c->ulp, after, c->bits);
    if (got < 10) return false;
    c->seed = strtoull(seed, NULL, 10);
    c->after = strtoll(after, NULL, 10);
    return c->n <= MOST && (got == 11 || c->n == 0);
}

static void draw(nomen_generator *g, const golden *c, nomen_dtype dtype, void *out) {
    static const char *const distributions[] = {"exponential", "cauchy", "log_normal", "geometric"};
    double a = strtod(c->a, NULL), b = strtod(c->b, NULL);
    if (!strcmp(c->kind, "uniform")) {
        nomen__random_uniform(g, dtype, out, c->n);
    } else if (!strcmp(c->kind, "between")) {
        nomen__random_uniform_between(g, dtype, out, c->n, a, b);
    } else if (!strcmp(c->kind, "normal")) {
        nomen__random_normal(g, dtype, out, c->n, a, b);
    } else if (!strcmp(c->kind, "singly")) {
        nomen__random_normal_singly(g, dtype, out, c->n, a, b);
    } else if (!strcmp(c->kind, "poisson")) {
        for (int i = 0; i < c->n; i++) ((double *)out)[i] = a;
        nomen__random_poisson(g, out, c->n);
    } else if (!strcmp(c->kind, "any")) {
        nomen__random_any(g, dtype, out, c->n);
    } else if (!strcmp(c->kind, "integers")) {
        nomen__random_integers(g, dtype, out, c->n, strtoll(c->a, NULL, 10),
                               strtoull(c->b, NULL, 10));
    } else if (!strcmp(c->kind, "bernoulli")) {
        nomen__random_bernoulli(g, dtype, out, c->n, a);
    } else if (!strcmp(c->kind, "permutation")) {
        nomen__random_permutation(g, out, c->n);
    } else {
        unsigned which = 0;
        while (which < NOMEN_COUNT(distributions) && strcmp(c->kind, distributions[which]) != 0)
            which++;
        assert_in_range(which, NOMEN__EXPONENTIAL, NOMEN__GEOMETRIC);
        nomen__random_distribution(g, (nomen__distribution)which, dtype, out, c->n, a, b);
    }
}

/* The golden numbers begin with their low bytes. */
enum { BIG_ENDIAN_HERE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* A number of `bytes` bytes as a place on the line of all floats of that size. */
static int64_t place(const unsigned char *at, size_t bytes) {
    uint64_t bits = 0, sign = UINT64_C(1) << (8 * bytes - 1);
    for (size_t k = 0; k < bytes; k++) bits = bits << 8 | at[BIG_ENDIAN_HERE ? k : bytes - 1 - k];
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static void compare(const golden *c, nomen_dtype dtype, const unsigned char *out) {
    bool complex = nomen_dtype_is_complex(dtype);
    size_t bytes = nomen_dtype_size(dtype) / (complex ? 2 : 1),
           count = (size_t)c->n * (complex ? 2 : 1);
    assert_int_equal(strlen(c->bits), 2 * bytes * count);
    for (size_t i = 0; i < count; i++) {
        unsigned char expected[8];
        for (size_t k = 0; k < bytes; k++) {
            unsigned byte;
            assert_int_equal(sscanf(c->bits + 2 * (i * bytes + k), "%2x", &byte), 1);
            expected[BIG_ENDIAN_HERE ? bytes - 1 - k : k] = (unsigned char)byte;
        }
        int64_t away = place(out + i * bytes, bytes) - place(expected, bytes);
        bool equal = memcmp(out + i * bytes, expected, bytes) == 0;
        if (!equal && (c->ulp == 0 || llabs(away) > c->ulp))
            fail_msg("%s of %d %s, seed %llu: element %zu is %lld places away", c->kind, c->n,
                     c->dtype, (unsigned long long)c->seed, i, (long long)away);
    }
}

/* Also after being moved to a fresh generator halfway, through its state. */
static void run_case(const golden *c) {
    _Alignas(16) static unsigned char out[16 * MOST], skipped[4 * MOST], state[4096];
    nomen_dtype dtype = nomen_dtype_from_name(c->dtype);
    assert_int_not_equal(dtype, NOMEN_DTYPE_NONE);
    nomen_generator *g = nomen_generator_new(c->seed), *h = nomen_generator_new(1);
    assert_non_null(g);
    assert_non_null(h);
    nomen__random_uniform(g, NOMEN_F32, skipped, c->skip);
    nomen__random_normal(g, NOMEN_F32, skipped, c->normals, 0, 1);
    size_t bytes = nomen_generator_get_state(g, state, sizeof state);
    assert_in_range(bytes, 1, sizeof state);
    assert_int_equal(nomen_generator_set_state(h, state, bytes), NOMEN_OK);
    assert_int_equal(nomen_generator_initial_seed(h), c->seed);
    nomen_generator *both[] = {g, h};
    for (int i = 0; i < 2; i++) {
        int64_t after;
        memset(out, 0xa5, sizeof out);
        draw(both[i], c, dtype, out);
        compare(c, dtype, out);
        size_t used = (size_t)c->n * nomen_dtype_size(dtype);
        if (used < sizeof out) assert_int_equal(out[used], 0xa5);
        nomen__random_integers(both[i], NOMEN_I64, &after, 1, 0, 0);
        assert_int_equal(after, c->after);
        nomen_generator_free(&both[i]);
        assert_null(both[i]);
    }
}

static void golden_draws(void **unused) {
    (void)unused;
    FILE *file = fopen(NOMEN_GOLDEN_DIR "/random.json", "r");
    assert_non_null(file);
    static char line[40 * MOST];
    static golden c;
    int cases = 0, others = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '{') {
            others++;
        } else {
            assert_true(parse(line, &c));
            run_case(&c);
            cases++;
        }
    }
    fclose(file);
    assert_int_equal(others, 2); /* the brackets of the array */
    assert_in_range(cases, 200, 1000);
}

/* What the loops make of the same words, of every kind and dtype. Lengths no vector divides. */
enum { DRAWN = 16 * 37 };
static unsigned char made[2][NOMEN__MADE_COUNT][NOMEN_DTYPE_COUNT][8 * DRAWN];
static uint16_t normal_made[2][2][DRAWN];

static int make_all(const nomen__random_loops *loops, const uint32_t *words, int which) {
    static const nomen_dtype half[] = {NOMEN_F16, NOMEN_BF16};
    static float numbers[2 << 11];
    static const nomen__normal_tables tables = {numbers, numbers + (1 << 11), numbers};
    const nomen__making with = {-70000, 140000, -77, 1000003, UINT32_MAX / 1000003};
    int count = 0;
    for (int j = 0; j < 2 << 11; j++) numbers[j] = (float)(j % 37) / 7 - 2;
    for (int kind = 0; kind < NOMEN__MADE_COUNT; kind++)
        for (nomen_dtype d = 0; d < NOMEN_DTYPE_COUNT; d++) {
            if (!loops->make[kind][d]) continue;
            unsigned char *const to = made[which][kind][d];
            const int whole = nomen_dtype_size(d) == 8 ? DRAWN / 2 : DRAWN;
            memset(to, 0xa5, sizeof made[which][kind][d]);
            loops->make[kind][d](words, to, whole - 3 - count % 2, &with);
            count++;
        }
    for (size_t j = 0; j < NOMEN_COUNT(half); j++) {
        loops->make[NOMEN__MADE_BITS][NOMEN_I16](words, normal_made[which][j], DRAWN, NULL);
        loops->normal_16(normal_made[which][j], DRAWN / 16, half[j], &tables, 0.7F, 1.3F);
    }
    return count;
}

/* All ISAs give the same bits as the plain code. */
static void isas_agree(void **unused) {
    (void)unused;
#if !defined(__x86_64__)
    skip(); /* the plain code is all there is */
#endif
    enum { N = DRAWN };
    static const nomen__isa isas[] = {NOMEN__AVX2, NOMEN__AVX512};
    const nomen__random_loops *plain = nomen__random_loops_of(NOMEN__SCALAR);
    static float f[2][N];
    static uint32_t state[2][NOMEN__MT_WORDS + NOMEN__MT_PAD],
        ready[2][NOMEN__MT_WORDS + NOMEN__READY_PAD];
    for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++) {
        const nomen__random_loops *other = nomen__random_loops_of(isas[k]);
        assert_ptr_not_equal(plain, other);
        const nomen__random_loops *both[] = {plain, other};
        for (int i = 0; i < 2; i++) {
            for (uint32_t j = 0; j < NOMEN__MT_WORDS; j++) state[i][j] = j * 2654435761U;
            for (int round = 0; round < 3; round++) both[i]->refill(state[i], ready[i]);
            both[i]->make[NOMEN__MADE_UNIFORM][NOMEN_F32](ready[i], f[i], N, NULL);
            both[i]->normal_f32(f[i], N / 32, 0, 1);
            both[i]->normal_f32(f[i] + N / 32 * 16, N / 32, 3, 0.5F);
            assert_int_equal(make_all(both[i], ready[i], i), 28);
        }
        assert_memory_equal(state[0], state[1], sizeof(uint32_t) * NOMEN__MT_WORDS);
        assert_memory_equal(ready[0], ready[1], sizeof ready[0]);
        assert_memory_equal(f[0], f[1], sizeof f[0]);
        assert_memory_equal(normal_made[0], normal_made[1], sizeof normal_made[0]);
        assert_memory_equal(made[0], made[1], sizeof made[0]);
    }
}

/* NaN as a bound: one NaN of 16 bits on every ISA, wherever it comes from. */
static void bounds_without_number(void **unused) {
    (void)unused;
    static const nomen__isa isas[] = {NOMEN__SCALAR, NOMEN__AVX2, NOMEN__AVX512};
    const nomen__making with[] = {{-(double)NAN, 1, 0, 1, 0}, {-INFINITY, INFINITY, 0, 1, 0}};
    enum { N = 37 };
    uint32_t words[N + NOMEN__READY_PAD] = {0};
    uint16_t found[N];
    for (int i = 0; i < N; i++) words[i] = 0xffffffffU - (uint32_t)i * 3;
    for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++)
        for (size_t j = 0; j < NOMEN_COUNT(with); j++) {
            const nomen__random_loops *loops = nomen__random_loops_of(isas[k]);
            loops->make[NOMEN__MADE_BETWEEN][NOMEN_F16](words, found, N, &with[j]);
            for (int i = 0; i < N; i++) assert_int_equal(found[i], 0x7e00);
            loops->make[NOMEN__MADE_BETWEEN][NOMEN_BF16](words, found, N, &with[j]);
            for (int i = 0; i < N; i++) assert_int_equal(found[i], 0x7fc0);
        }
}

/* Remainders of 32-bit sums and of larger ones, as every dtype has them: what casts of the library
 * make of the sums, at the ends of int32 too. */
static void remainders_of_dtypes(void **unused) {
    (void)unused;
    static const struct {
        int64_t base;
        uint64_t range;
    } cases[] = {{0, 10},          {-5, 7},   {INT32_MIN, UINT32_MAX},     {INT32_MIN, 3},
                 {INT32_MAX, 1},   {-1, 2},   {INT32_MAX - 9, 10},         {INT32_MAX - 9, 11},
                 {-70000, 140001}, {2, 2049}, {INT64_C(-2147483649), 100}, {0, UINT32_MAX}};
    enum { N = 1301 };
    static int64_t sums[N];
    static uint32_t words[N];
    static unsigned char found[8 * N];
    nomen_generator *g = nomen_generator_new(5);
    for (size_t c = 0; c < NOMEN_COUNT(cases); c++)
        for (nomen_dtype d = NOMEN_BOOL; d <= NOMEN_F64; d++) {
            nomen_scope_mark mark = nomen_scope_open();
            nomen_generator_manual_seed(g, c);
            for (int i = 0; i < N; i++) words[i] = nomen__draw32(g);
            for (int i = 0; i < N; i++)
                sums[i] = (int64_t)(words[i] % cases[c].range) + cases[c].base;
            nomen_tensor *whole =
                nomen_from_data(sums, NOMEN_I64, NULL, NOMEN_SIZES(N), NULL, NULL);
            nomen_generator_manual_seed(g, c);
            nomen__random_integers(g, d, found, N, cases[c].base, cases[c].range);
            assert_memory_equal(found, nomen_data(nomen_to(whole, .dtype = d)),
                                N * nomen_dtype_size(d));
            nomen_scope_close(&mark);
        }
    nomen_generator_free(&g);
}

/* Every range, the least and largest words: what % says. */
static void remainders_of_words(void **unused) {
    (void)unused;
    static const uint32_t ranges[] = {1,          2,          3,          7,          100,
                                      65536,      65537,      0x7fffffff, 0x80000000, 0x80000001,
                                      0xaaaaaaab, 0xfffffffe, 0xffffffff};
    static const nomen__isa isas[] = {NOMEN__SCALAR, NOMEN__AVX2, NOMEN__AVX512};
    enum { N = 1021 };
    uint32_t words[N + NOMEN__READY_PAD] = {0}, state = 12345;
    int64_t whole[N];
    double wide[N];
    float narrow[N];
    uint32_t rests[N];
    for (size_t k = 0; k < NOMEN_COUNT(isas) && isas[k] <= nomen__cpu_isa(); k++)
        for (size_t r = 0; r < NOMEN_COUNT(ranges); r++) {
            const uint32_t range = ranges[r];
            for (int i = 0; i < N; i++) {
                state = state * 1664525 + 1013904223;
                words[i] = i % 3 == 0   ? state
                           : i % 3 == 1 ? range * (uint32_t)(i / 3) - (uint32_t)(i % 2)
                                        : UINT32_MAX - (uint32_t)(i / 3);
            }
            const nomen__random_loops *loops = nomen__random_loops_of(isas[k]);
            nomen__make *const *make = loops->make[NOMEN__MADE_FAR_REST];
            nomen__making with = {.range = range, .inverse = UINT32_MAX / range};
            with.base = INT64_MAX;
            make[NOMEN_I64](words, whole, N, &with);
            with.base = -5;
            make[NOMEN_F64](words, wide, N, &with);
            with.base = 3;
            make[NOMEN_F32](words, narrow, N, &with);
            with.base = 0;
            loops->make[NOMEN__MADE_REST][NOMEN_I32](words, rests, N, &with);
            for (int i = 0; i < N; i++) {
                const uint64_t rest = words[i] % range;
                assert_int_equal(rests[i], rest);
                assert_true((uint64_t)whole[i] == rest + (uint64_t)INT64_MAX);
                assert_true(wide[i] == (double)rest - 5);
                assert_true(narrow[i] == (float)((double)rest + 3));
            }
        }
}

/* What casts of the library make of the same numbers, for lengths that no vector divides. */
static void numbers_of_dtypes(void **unused) {
    (void)unused;
    enum { N = 77 };
    int64_t whole[N];
    double wide[N];
    uint8_t truths[N], bits[N];
    char found[16 * N];
    for (int i = 0; i < N; i++) {
        whole[i] = (int64_t)i * i * i - 40 * i;
        wide[i] = (double)whole[i] * 1.37e-3;
        truths[i] = i % 3 == 0;
        bits[i] = truths[i];
    }
    nomen_scope_mark mark = nomen_scope_open();
    nomen_tensor *as_whole = nomen_from_data(whole, NOMEN_I64, NULL, NOMEN_SIZES(N), NULL, NULL);
    nomen_tensor *as_wide = nomen_from_data(wide, NOMEN_F64, NULL, NOMEN_SIZES(N), NULL, NULL);
    nomen_tensor *as_truths = nomen_from_data(bits, NOMEN_BOOL, NULL, NOMEN_SIZES(N), NULL, NULL);
    for (nomen_dtype d = 0; d < NOMEN_DTYPE_COUNT; d++) {
        const size_t size = nomen_dtype_size(d) * N;
        nomen__store_integers(d, found, whole, N);
        assert_memory_equal(found, nomen_data(nomen_to(as_whole, .dtype = d)), size);
        nomen__store_truths(d, found, truths, N);
        assert_memory_equal(found, nomen_data(nomen_to(as_truths, .dtype = d)), size);
        if (nomen_dtype_is_complex(d)) continue;
        nomen__store_doubles(d, found, wide, N);
        if (d != NOMEN_BOOL) /* cut off before it is looked at */
            assert_memory_equal(found, nomen_data(nomen_to(as_wide, .dtype = d)), size);
    }
    nomen_scope_close(&mark);
}

/* Numbers beside their probabilities, and what is no probability, at every place. */
static void numbers_below(void **unused) {
    (void)unused;
    enum { N = 41 };
    static const uint16_t f16[] = {0, 0x3c00, 0x3800, 0x0001, 0x03ff},
                          bf16[] = {0, 0x3f80, 0x3f00, 0x0001, 0x3dcd};
    static const float as_f16[] = {0, 1, 0.5F, 0x1p-24F, 0x3ffp-24F},
                       as_bf16[] = {0, 1, 0.5F, 0x1p-133F, 0x1.9ap-4F};
    uint16_t p16[N], p_brain[N];
    float p32[N], u32[N];
    double p64[N], u64[N];
    uint8_t found[4][N];
    for (int i = 0; i < N; i++) {
        p16[i] = f16[i % 5], p_brain[i] = bf16[i % 5];
        u64[i] = u32[i] = (float)(i % 7) / 7;
        p64[i] = p32[i] = as_f16[i % 5];
    }
    nomen__draws_below(NOMEN_F16, u32, p16, found[0], N);
    nomen__draws_below(NOMEN_BF16, u32, p_brain, found[1], N);
    nomen__draws_below(NOMEN_F32, u32, p32, found[2], N);
    nomen__draws_below(NOMEN_F64, u64, p64, found[3], N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(found[0][i], u32[i] < as_f16[i % 5]);
        assert_int_equal(found[1][i], u32[i] < as_bf16[i % 5]);
        assert_int_equal(found[2][i], found[0][i]);
        assert_int_equal(found[3][i], found[0][i]);
    }
    nomen__doubles_below(u64, 0.5, found[0], N);
    for (int i = 0; i < N; i++) assert_int_equal(found[0][i], u64[i] < 0.5);
    assert_true(nomen__all_within(NOMEN_F16, p16, N, 1));
    assert_true(nomen__all_within(NOMEN_BF16, p_brain, N, 1));
    assert_true(nomen__all_within(NOMEN_F32, p32, N, 1));
    assert_true(nomen__all_within(NOMEN_F64, p64, N, 1));
    static const double others[] = {-0x1p-24, 1.5, NAN, -INFINITY, INFINITY};
    static const uint16_t others_16[] = {0x8001, 0x3e00, 0x7e00, 0xfc00, 0x7c00},
                          others_brain[] = {0x8001, 0x3fc0, 0x7fc0, 0xff80, 0x7f80};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 5; k++) {
            p16[i] = others_16[k], p_brain[i] = others_brain[k];
            p64[i] = others[k], p32[i] = (float)others[k];
            assert_false(nomen__all_within(NOMEN_F16, p16, N, 1));
            assert_false(nomen__all_within(NOMEN_BF16, p_brain, N, 1));
            assert_false(nomen__all_within(NOMEN_F32, p32, N, 1));
            assert_false(nomen__all_within(NOMEN_F64, p64, N, 1));
            assert_true(nomen__all_within(NOMEN_F64, p64, i, 1));
            p16[i] = p_brain[i] = 0, p64[i] = p32[i] = 0;
        }
}

static void default_generator(void **unused) {
    (void)unused;
    float a[20], b[20], c[20];
    assert_int_equal(nomen_initial_seed(), NOMEN_DEFAULT_SEED);
    nomen__random_normal(NULL, NOMEN_F32, a, 5, 0, 1); /* leaves a kept number behind */
    nomen_manual_seed(NOMEN_DEFAULT_SEED);
    nomen__random_normal(NULL, NOMEN_F32, b, 5, 0, 1);
    assert_memory_equal(a, b, 5 * sizeof *a);
    nomen_manual_seed(UINT64_MAX);
    assert_int_equal(nomen_initial_seed(), UINT64_MAX);
    nomen__random_uniform(NULL, NOMEN_F32, a, 20);
    nomen_generator *g = nomen_generator_new(UINT64_MAX);
    nomen__random_uniform(g, NOMEN_F32, b, 20);
    assert_memory_equal(a, b, sizeof a);
    uint64_t first = nomen_generator_seed(g), second = nomen_generator_seed(g);
    assert_int_not_equal(first, second);
    assert_int_equal(nomen_generator_initial_seed(g), second);
    nomen__random_uniform(g, NOMEN_F32, a, 20);
    nomen_manual_seed(second);
    nomen__random_uniform(NULL, NOMEN_F32, c, 20);
    assert_memory_equal(a, c, sizeof a);
    nomen_generator_free(&g);
    nomen_generator_free(&g);
}

static void bad_states(void **unused) {
    (void)unused;
    nomen_generator *g = nomen_generator_new(3);
    unsigned char state[4096], again[4096];
    size_t bytes = nomen_generator_get_state(g, NULL, 0);
    assert_in_range(bytes, 2500, sizeof state);
    memset(state, 1, sizeof state);
    assert_int_equal(nomen_generator_get_state(g, state, bytes - 1), bytes);
    assert_int_equal(state[0], 1); /* too small: nothing is written */
    nomen_generator_get_state(g, state, sizeof state);
    for (size_t i = 0; i < bytes; i++) { /* no single byte can be wrong unnoticed */
        state[i] ^= 0x40;
        nomen_clear_error();
        assert_int_equal(nomen_generator_set_state(g, state, bytes), NOMEN_ERROR_VALUE);
        state[i] ^= 0x40;
    }
    nomen_clear_error();
    assert_int_equal(nomen_generator_set_state(g, state, bytes - 1), NOMEN_ERROR_VALUE);
    nomen_clear_error();
    assert_int_equal(nomen_generator_set_state(g, state, 5), NOMEN_ERROR_VALUE);
    nomen_clear_error();
    assert_int_equal(nomen_generator_set_state(g, NULL, 0), NOMEN_ERROR_VALUE);
    nomen_clear_error();
    nomen_generator_get_state(g, again, sizeof again);
    assert_memory_equal(state, again, bytes);
    nomen_generator_free(&g);
}

static void put_word(unsigned char *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static void refused_for(nomen_generator *g, const unsigned char *state, size_t bytes,
                        const char *why) {
    assert_int_equal(nomen_generator_set_state(g, state, bytes), NOMEN_ERROR_VALUE);
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    if (!strstr(e->message, why)) fail_msg("%s, not %s", e->message, why);
    nomen_clear_error();
}

/* States whose checksum is right, and what it is of is not: each field has its bounds, and what
 * lies on them is taken. */
static void states_out_of_bounds(void **unused) {
    (void)unused;
    enum { AT_POSITION = 12, AT_FLAG = 24, AT_NORMAL = 32, AT_WORDS = 40, WORDS = 624 };
    enum { AT_CHECKSUM = AT_WORDS + 4 * WORDS, BYTES = AT_CHECKSUM + 8 };
    const uint64_t nan = UINT64_C(0x7ff8000000000000), below = UINT64_C(0x404fffffffffffff),
                   limit = UINT64_C(0x4050000000000000), sign = UINT64_C(1) << 63;
    static const char range[] = "the kept normal number is out of range";
    const struct {
        int at, bytes;
        uint64_t value;
        const char *why; /* NULL: nothing is wrong */
    } cases[] = {
        {AT_POSITION, 4, WORDS, NULL},
        {AT_POSITION, 4, WORDS + 1, "the position is outside the block"},
        {AT_FLAG, 8, 1, NULL},
        {AT_FLAG, 8, 2, "the flag is neither 0 nor 1"},
        {AT_NORMAL, 8, below, NULL},
        {AT_NORMAL, 8, below | sign, NULL},
        {AT_NORMAL, 8, limit, range},
        {AT_NORMAL, 8, limit | sign, range},
        {AT_NORMAL, 8, nan, range},
        {AT_WORDS, 4, 1, "all words are zero"}, /* the top bit alone counts of the first one */
        {AT_WORDS, 4, UINT64_C(1) << 31, NULL},
        {AT_WORDS + 4 * (WORDS - 1), 4, 1, NULL},
    };
    static unsigned char right[BYTES], state[BYTES];
    nomen_generator *g = nomen_generator_new(3);
    assert_int_equal(nomen_generator_get_state(g, right, sizeof right), BYTES);
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        memcpy(state, right, BYTES);
        if (cases[i].at >= AT_WORDS) memset(state + AT_WORDS, 0, 4 * WORDS);
        put_word(state + cases[i].at, cases[i].value, cases[i].bytes);
        uint64_t sum = UINT64_C(14695981039346656037);
        for (int k = 0; k < AT_CHECKSUM; k++) sum = (sum ^ state[k]) * UINT64_C(1099511628211);
        put_word(state + AT_CHECKSUM, sum, 8);
        if (cases[i].why)
            refused_for(g, state, BYTES, cases[i].why);
        else
            assert_int_equal(nomen_generator_set_state(g, state, BYTES), NOMEN_OK);
    }
    nomen_generator_free(&g);
}

/* What PyTorch's states say of themselves must fit together. */
static void states_of_pytorch_out_of_bounds(void **unused) {
    (void)unused;
    enum { BYTES = 5056, AT_LEFT = 8, AT_STARTED = 12, AT_NEXT = 16, AT_WORDS = 24, WORDS = 624 };
    static const struct {
        uint64_t left, started, next;
        bool right;
    } cases[] = {
        {WORDS, 1, 1, true},      {1, 1, WORDS, true}, {1, 1, 0, true},
        {0, 1, WORDS + 1, false}, {2, 1, 0, false},    {WORDS + 1, 1, 0, false},
        {1, 0, 0, false},         {1, 2, 0, false},    {WORDS, 1, 2, false},
    };
    static unsigned char state[BYTES];
    nomen_generator *g = nomen_generator_new(3);
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        memset(state, 0, BYTES);
        put_word(state + AT_LEFT, cases[i].left, 4);
        put_word(state + AT_STARTED, cases[i].started, 4);
        put_word(state + AT_NEXT, cases[i].next, 8);
        put_word(state + AT_WORDS + 8 * 7, 5, 8);
        if (cases[i].right)
            assert_int_equal(nomen_generator_set_state(g, state, BYTES), NOMEN_OK);
        else
            refused_for(g, state, BYTES, "the size of PyTorch's, but not their form");
    }
    nomen_generator_free(&g);
}

/* A state as PyTorch lays it out: made here from one of ours, whose words stand at byte 40. */
static void states_of_pytorch(void **unused) {
    (void)unused;
    enum { BYTES = 5056, OUR_WORDS = 40, WORDS = 624 };
    static unsigned char ours[4096], theirs[BYTES];
    double x[9], y[9], kept;
    for (int skip = 0; skip < 700; skip += 233) {
        nomen_generator *g = nomen_generator_new(77), *h = nomen_generator_new(1);
        for (int i = 0; i < skip; i++) nomen__random_uniform(g, NOMEN_F32, x, 1);
        if (skip) nomen__random_normal(g, NOMEN_F64, x, 1, 0, 1);
        nomen_generator_get_state(g, ours, sizeof ours);
        unsigned position = ours[12] | (unsigned)ours[13] << 8;
        memset(theirs, 0, BYTES);
        put_word(theirs, 77, 8);
        put_word(theirs + 8, WORDS + 1 - position, 4);
        put_word(theirs + 12, 1, 4);
        put_word(theirs + 16, skip ? position : 0, 8);
        for (int i = 0; i < WORDS; i++) memcpy(theirs + 24 + 8 * i, ours + OUR_WORDS + 4 * i, 4);
        memcpy(&kept, ours + 32, sizeof kept);
        memcpy(theirs + 5024, &kept, sizeof kept);
        theirs[5040] = skip > 0;
        assert_int_equal(nomen_generator_set_state(h, theirs, BYTES), NOMEN_OK);
        assert_int_equal(nomen_generator_initial_seed(h), 77);
        nomen__random_normal(g, NOMEN_F64, x, 9, 0, 1);
        nomen__random_normal(h, NOMEN_F64, y, 9, 0, 1);
        assert_memory_equal(x, y, sizeof x);
        /* what is out of bounds in each field is refused */
        static const struct {
            int at;
            unsigned char value;
        } wrong[] = {{9, 9}, {12, 0}, {17, 9}, {28, 1}, {5031, 0x7f}, {5040, 2}};
        for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
            unsigned char before = theirs[wrong[i].at], flag = theirs[5040];
            theirs[5040] = 1;
            theirs[wrong[i].at] = wrong[i].value;
            nomen_clear_error();
            assert_int_equal(nomen_generator_set_state(h, theirs, BYTES), NOMEN_ERROR_VALUE);
            theirs[wrong[i].at] = before;
            theirs[5040] = flag;
        }
        nomen_clear_error();
        assert_int_equal(nomen_generator_set_state(h, theirs, BYTES), NOMEN_OK);
        nomen_generator_free(&g);
        nomen_generator_free(&h);
    }
}

enum { THREADS = 4, DRAWS = 5000 };

static void *draw_words(void *out) {
    for (int i = 0; i < DRAWS; i += 50)
        nomen__random_integers(NULL, NOMEN_I64, (int64_t *)out + i, 50, 0, UINT64_C(1) << 32);
    return NULL;
}

static int order(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Threads that share a generator get every number once between them. */
static void shared_by_threads(void **unused) {
    (void)unused;
    static int64_t parts[THREADS * DRAWS], whole[THREADS * DRAWS];
    pthread_t threads[THREADS];
    nomen_manual_seed(5);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_words, parts + i * DRAWS), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    nomen_manual_seed(5);
    nomen__random_integers(NULL, NOMEN_I64, whole, THREADS * DRAWS, 0, UINT64_C(1) << 32);
    qsort(parts, THREADS * DRAWS, sizeof *parts, order);
    qsort(whole, THREADS * DRAWS, sizeof *whole, order);
    assert_memory_equal(parts, whole, sizeof whole);
}

static void *draw_until(void *stop) {
    float out[64];
    while (!atomic_load((_Atomic bool *)stop)) nomen__random_uniform(NULL, NOMEN_F32, out, 64);
    return NULL;
}

/* A child draws although another thread held the generator at the moment of the fork. */
static void forks(void **unused) {
    (void)unused;
    _Atomic bool stop = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, draw_until, &stop), 0);
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            float out = 0;
            alarm(20);
            nomen__random_uniform(NULL, NOMEN_F32, &out, 1);
            _exit(out >= 0 && out < 1 ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

/* Many elements do the same as few: the numbers do not depend on the threads that compute them. */
static void large_normal(void **unused) {
    (void)unused;
    enum { N = 16 * 5000 + 3 };
    double *many = malloc(N * sizeof *many), *few = malloc(16 * sizeof *few);
    nomen_manual_seed(8);
    nomen__random_normal(NULL, NOMEN_F64, many, N, 0, 1);
    nomen_manual_seed(8);
    for (int i = 0; i + 16 <= N - 16; i += 16) {
        nomen__random_normal(NULL, NOMEN_F64, few, 16, 0, 1);
        assert_memory_equal(many + i, few, 16 * sizeof *few);
    }
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) sum += many[i], squares += many[i] * many[i];
    assert_true(sum / N > -0.015 && sum / N < 0.015); /* four standard errors */
    assert_true(squares / N > 0.98 && squares / N < 1.02);
    free(many);
    free(few);
}

/* Many numbers take shape on all threads, while others are drawn: not a bit differs, with half a
 * pair of normal numbers left over before or without. */
static void shapes_of_all_threads(void **unused) {
    (void)unused;
    enum { N = 70001 };
    static const int64_t sizes[] = {8191, 8192, 8193, 20000, 32768, N};
    static const nomen__distribution which[] = {NOMEN__CAUCHY, NOMEN__LOG_NORMAL, NOMEN__GEOMETRIC};
    float *alone = malloc(N * sizeof *alone), *together = malloc(N * sizeof *together);
    assert_true(alone && together);
    for (size_t k = 0; k < NOMEN_COUNT(sizes); k++)
        for (size_t w = 0; w < NOMEN_COUNT(which); w++)
            for (int left = 0; left < 2; left++)
                for (int threads = 1; threads <= 3; threads++) {
                    double one;
                    float *to = threads == 1 ? alone : together;
                    memset(to, 0, N * sizeof *to);
                    nomen_set_num_threads(threads);
                    nomen_manual_seed(5);
                    if (left) nomen__random_normal_singly(NULL, NOMEN_F64, &one, 1, 0, 1);
                    nomen__random_distribution(NULL, which[w], NOMEN_F32, to, sizes[k], 0.5, 2);
                    assert_memory_equal(to, alone, N * sizeof *to);
                }
    free(alone);
    free(together);
}

enum { LEGS_KINDS = 12 };

static void draw_kind(int kind, void *out, int64_t n, const float *p) {
    switch (kind) {
    case 0: nomen__random_uniform(NULL, NOMEN_F32, out, n); break;
    case 1: nomen__random_uniform_between(NULL, NOMEN_F64, out, n, -1, 3); break;
    case 2: nomen__random_normal(NULL, NOMEN_F32, out, n, 1, 2); break;
    case 3: nomen__random_normal(NULL, NOMEN_F64, out, n, 1, 2); break;
    case 4: nomen__random_normal(NULL, NOMEN_BF16, out, n, 0, 1); break;
    case 5: nomen__random_normal_singly(NULL, NOMEN_F32, out, n, 0, 1); break;
    case 6: nomen__random_normal_singly(NULL, NOMEN_F64, out, n, 0, 1); break;
    case 7: nomen__random_integers(NULL, NOMEN_I64, out, n, -3, 1000); break;
    case 8: nomen__random_integers(NULL, NOMEN_I64, out, n, 0, UINT64_C(1) << 40); break;
    case 9: nomen__random_any(NULL, NOMEN_F64, out, n); break;
    case 10: nomen__random_bernoulli(NULL, NOMEN_U8, out, n, 0.3); break;
    default: nomen__random_bernoulli_each(NULL, NOMEN_U8, out, n, NOMEN_F32, p);
    }
}

/* Numbers and the state behind them do not depend on the number of threads: from an odd place, with
 * and without a kept number, of one piece and of several. */
static void legs_are_one_draw(void **unused) {
    (void)unused;
    enum { N = 300001, STATE = 4096 };
    static const int64_t sizes[] = {30000, 131072 + 5000, N};
    const int before = nomen_get_num_threads();
    char *alone = calloc(N, 8), *together = calloc(N, 8);
    float *p = malloc(N * sizeof *p);
    static unsigned char state[2][STATE];
    assert_true(alone && together && p);
    for (int i = 0; i < N; i++) p[i] = (float)(i % 101) / 101;
    for (int kind = 0; kind < LEGS_KINDS; kind++)
        for (size_t k = 0; k < NOMEN_COUNT(sizes); k++)
            for (int left = 0; left < 2; left++)
                for (int threads = 1; threads <= 7; threads += 1 + threads / 3) {
                    double some[3];
                    char *to = threads == 1 ? alone : together;
                    memset(to, 0, 8 * N);
                    nomen_set_num_threads(threads);
                    nomen_manual_seed(7);
                    nomen__random_uniform(NULL, NOMEN_F32, some, 3);
                    if (left) nomen__random_normal_singly(NULL, NOMEN_F64, some, 1, 0, 1);
                    draw_kind(kind, to, sizes[k], p);
                    nomen_generator_get_state(NULL, state[threads > 1], STATE);
                    assert_memory_equal(to, alone, 8 * N);
                    assert_memory_equal(state[threads > 1], state[0], STATE);
                }
    nomen_set_num_threads(before);
    free(alone);
    free(together);
    free(p);
}

static void each_its_probability(void **unused) {
    (void)unused;
    const float p[] = {0, 1, 0.25F, 0, 1};
    const double wide[] = {0, 1, 0.25, 0, 1};
    const uint16_t half[] = {0, 0x3c00, 0x3400, 0, 0x3c00},
                   brain[] = {0, 0x3f80, 0x3e80, 0, 0x3f80};
    const void *const at[] = {p, wide, half, brain};
    const nomen_dtype dtypes[] = {NOMEN_F32, NOMEN_F64, NOMEN_F16, NOMEN_BF16};
    for (size_t k = 0; k < NOMEN_COUNT(dtypes); k++) {
        int ones = 0;
        for (int round = 0; round < 2000; round++) {
            float out[5];
            nomen__random_bernoulli_each(NULL, NOMEN_F32, out, 5, dtypes[k], at[k]);
            assert_true(out[0] == 0 && out[1] == 1 && out[3] == 0 && out[4] == 1);
            ones += out[2] == 1;
        }
        assert_in_range(ones, 400, 600);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_generator), /* first: it looks at the seed that nobody set */
        cmocka_unit_test(golden_draws),
        cmocka_unit_test(isas_agree),
        cmocka_unit_test(remainders_of_words),
        cmocka_unit_test(bounds_without_number),
        cmocka_unit_test(remainders_of_dtypes),
        cmocka_unit_test(numbers_of_dtypes),
        cmocka_unit_test(numbers_below),
        cmocka_unit_test(bad_states),
        cmocka_unit_test(states_of_pytorch),
        cmocka_unit_test(states_out_of_bounds),
        cmocka_unit_test(states_of_pytorch_out_of_bounds),
        cmocka_unit_test(shared_by_threads),
        cmocka_unit_test(forks),
        cmocka_unit_test(large_normal),
        cmocka_unit_test(legs_are_one_draw),
        cmocka_unit_test(each_its_probability),
        cmocka_unit_test(shapes_of_all_threads),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
