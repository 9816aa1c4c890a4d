/* See checks.h. */
#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void broken(const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: this does not hold: %s; %s\n", file, line, what, nomen_error_text());
    abort();
}

/* ---- bytes ----------------------------------------------------------------------------------- */

unsigned feed_byte(feed *f) { return f->at < f->end ? *f->at++ : 0; }

unsigned feed_below(feed *f, unsigned n) { return n ? feed_byte(f) % n : 0; }

int64_t feed_word(feed *f) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word = word << 8 | feed_byte(f);
    return (int64_t)word;
}

static int64_t edge(feed *f) {
    static const int64_t edges[] = {INT64_MAX, INT64_MIN,    INT64_MAX - 1, INT64_MIN + 1,
                                    1LL << 62, -(1LL << 62), 1LL << 61,     1LL << 32,
                                    INT32_MAX, INT32_MIN,    1LL << 31,     -(1LL << 32),
                                    1LL << 40, UINT32_MAX,   -(1LL << 40),  0x5555555555555556};
    unsigned k = feed_below(f, 17);
    return k < NOMEN_COUNT(edges) ? edges[k] : feed_word(f);
}

int64_t feed_integer(feed *f) {
    unsigned b = feed_byte(f);
    return b >= 244 ? edge(f) : b >= 228 ? (int)feed_byte(f) - 128 : (int)(b % 11) - 4;
}

int64_t feed_size(feed *f) {
    unsigned b = feed_byte(f);
    return b >= 250 ? edge(f) : b >= 240 ? (int)feed_byte(f) : b >= 230 ? -1 : (int)(b % 5);
}

double feed_double(feed *f) {
    static const double some[] = {0,   1,     -1,     0.5,    2,    -0.0, INFINITY,      -INFINITY,
                                  NAN, 1e300, 1e-300, 5e-324, 3.75, 255,  -2147483648.5, 1e19};
    unsigned b = feed_byte(f);
    if (b < 240) return some[b % NOMEN_COUNT(some)];
    int64_t word = feed_word(f);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

nomen_number feed_number(feed *f) {
    switch (feed_below(f, 8)) {
    case 0: return (nomen_number){0};
    case 1: return nomen_number_bool(feed_byte(f) & 1);
    case 2:
    case 3: return nomen_number_float(feed_double(f));
    case 4: {
        double re = feed_double(f);
        return nomen_number_complex(re, feed_double(f));
    }
    default: return nomen_number_int(feed_integer(f));
    }
}

nomen_dtype feed_dtype(feed *f) {
    unsigned b = feed_byte(f);
    return b == 255 ? (nomen_dtype)77 : (nomen_dtype)(1 + b % (NOMEN_DTYPE_COUNT - 1));
}

const char *feed_line(feed *f, char *buffer, size_t size) {
    if (f->at < f->end && *f->at == 0xff) {
        f->at++;
        return NULL;
    }
    size_t used = 0;
    while (f->at < f->end && *f->at != '\n' && used + 1 < size) buffer[used++] = (char)*f->at++;
    if (f->at < f->end && *f->at == '\n') f->at++;
    buffer[used] = 0;
    return buffer;
}

const char *feed_dims(feed *f, char *buffer, size_t size) {
    static const char *const words[] = {"N",
                                        "C",
                                        "H",
                                        "W",
                                        "T",
                                        "*",
                                        "0",
                                        "1",
                                        "2",
                                        "3",
                                        "-1",
                                        "-2",
                                        "-3",
                                        "K",
                                        "D",
                                        "...",
                                        "64",
                                        "-64",
                                        "Nn",
                                        "",
                                        "99999999999999999999",
                                        "-9223372036854775808"};
    unsigned count = feed_below(f, 7);
    size_t used = 0;
    buffer[0] = 0;
    if (count == 6) return NULL;
    for (unsigned i = 0; i < count; i++) {
        unsigned b = feed_byte(f);
        const char *word = words[b < 220 ? b % 13 : b % NOMEN_COUNT(words)];
        int put = snprintf(buffer + used, size - used, i ? " %s" : "%s", word);
        if (put < 0 || (size_t)put >= size - used) break;
        used += (size_t)put;
    }
    return buffer;
}

/* Names for so many dims, without a doubled one; or none. */
static const char *some_names(feed *f, int ndim, char buffer[64]) {
    static const char letters[] = "NCHWTKD";
    unsigned first = feed_byte(f), gaps = feed_byte(f);
    if (first & 64 || ndim > 7) return NULL;
    size_t used = 0;
    for (int i = 0; i < ndim; i++) {
        if (i) buffer[used++] = ' ';
        buffer[used++] = gaps >> i & 1 ? '*' : letters[(first + (unsigned)i) % 7];
    }
    buffer[used] = 0;
    return buffer;
}

nomen_tensor *feed_tensor(feed *f) {
    char names[64];
    int64_t size[NOMEN_MAX_DIMS], numel = 1;
    unsigned kind = feed_byte(f);
    int ndim = kind >= 250 ? (int)(kind - 250) * 10 + 14 : (int)(kind % 6);
    for (int i = 0; i < ndim; i++) {
        size[i] = ndim > 6 ? 1 : feed_below(f, 6);
        if (numel * size[i] > 256) size[i] = 1;
        numel *= size[i];
    }
    nomen_sizes sizes = {ndim, size};
    nomen_tensor *t = nomen_empty(some_names(f, ndim, names), sizes, .dtype = NOMEN_F64);
    EXPECT(t);
    double value = feed_double(f), step = feed_double(f), *at = nomen_data(t);
    for (int64_t i = 0; i < numel; i++, value = value > 1e6 ? -value / 2 : value + step)
        at[i] = value;
    nomen_tensor *cast = nomen_cast(t, feed_dtype(f));
    if (cast) return cast;
    check_failure(); /* the dtype that is none */
    return t;
}

nomen_tensor *feed_positions(feed *f, int64_t limit) {
    int64_t size[3], numel = 1;
    int ndim = (int)feed_below(f, 4);
    for (int i = 0; i < ndim; i++) numel *= size[i] = feed_below(f, 4);
    nomen_tensor *t = nomen_zeros(NULL, ((nomen_sizes){ndim, size}), .dtype = NOMEN_I64);
    EXPECT(t);
    int64_t *at = nomen_data(t);
    for (int64_t i = 0; i < numel; i++) {
        unsigned b = feed_byte(f);
        int64_t within = limit > 0 ? (int64_t)(b % 128) % limit : 0;
        at[i] = b >= 252 ? feed_integer(f) : b & 128 ? within - limit : within;
    }
    return t;
}

/* ---- invariants ------------------------------------------------------------------------------ */

static void check_reach(const nomen_tensor *t) {
    const nomen__storage *s = t->storage;
    const int64_t item = nomen__item(t->dtype);
    int64_t low = t->data - s->data, high = low + item;
    for (int i = 0; i < t->ndim; i++) {
        int64_t reach = t->size[i] - 1, *end = t->stride[i] < 0 ? &low : &high;
        EXPECT(!__builtin_mul_overflow(reach, t->stride[i], &reach));
        EXPECT(!__builtin_mul_overflow(reach, item, &reach));
        EXPECT(!__builtin_add_overflow(*end, reach, end));
    }
    EXPECT(low >= 0 && (uint64_t)high <= s->bytes);
    EXPECT((uintptr_t)t->data % nomen__alignment((nomen_dtype)t->dtype) == 0);
}

static void check_alone(const nomen_tensor *t) {
    EXPECT(t && t->magic == NOMEN__LIVE && t->refs >= 1 && t->storage && t->storage->refs >= 1);
    EXPECT(t->dtype > 0 && t->dtype < NOMEN_DTYPE_COUNT && t->ndim <= NOMEN_MAX_DIMS);
    int64_t numel = 1, step = 1;
    bool contiguous = true;
    for (int i = t->ndim - 1; i >= 0; i--) {
        EXPECT(t->size[i] >= 0);
        EXPECT(!__builtin_mul_overflow(numel, t->size[i], &numel));
        if (t->size[i] != 1 && t->stride[i] != step) contiguous = false;
        if (t->size[i] > 1) step *= t->size[i];
    }
    EXPECT(numel == t->numel);
    EXPECT(!numel || contiguous == !!(t->flags & NOMEN__CONTIGUOUS));
    for (int i = 0; i < t->ndim; i++)
        for (int k = 0; k < i; k++)
            EXPECT(!nomen__name_at(t, i) || nomen__name_at(t, i) != nomen__name_at(t, k));
    if (numel) check_reach(t);
    if (t->base) EXPECT(!t->base->base); /* which may have got other memory since */
    if (nomen_requires_grad(t))
        EXPECT(nomen_dtype_is_floating((nomen_dtype)t->dtype) ||
               nomen_dtype_is_complex((nomen_dtype)t->dtype));
}

void check_tensor(const nomen_tensor *t) {
    check_alone(t);
    const nomen_tensor *g = nomen_gradient(t);
    if (!g) return;
    check_alone(g);
    EXPECT(g != t); /* its sizes may be older than those of t: out= and squeeze_ */
}

void check_failure(void) {
    const nomen_error *e = nomen_last_error();
    EXPECT(e && e->code != NOMEN_OK && e->message[0] && e->op && e->operands && e->hint);
    nomen_clear_error();
}

bool same_values(nomen_tensor *a, nomen_tensor *b) {
    if (a->dtype != b->dtype || !nomen__has_sizes(a, b->ndim, b->size)) return false;
    for (int i = 0; i < a->ndim; i++)
        if (nomen__name_at(a, i) != nomen__name_at(b, i)) return false;
    nomen_tensor *x = nomen_clone(a, .memory_format = "contiguous_format");
    nomen_tensor *y = nomen_clone(b, .memory_format = "contiguous_format");
    EXPECT(x && y);
    return !x->numel || memcmp(x->data, y->data, (size_t)(x->numel * nomen__item(x->dtype))) == 0;
}

balance balance_open(void) {
    nomen_memory_stats now = nomen_get_memory_stats();
    return (balance){now.tensors_live, now.buffers_live};
}

void balance_close(const balance *b) {
    nomen_memory_stats now = nomen_get_memory_stats();
    if (getenv("NOMEN_FUZZ_TELL")) return; /* the sanitizer says what leaks */
    EXPECT(now.tensors_live == b->tensors);
    EXPECT(now.buffers_live == b->buffers);
}
