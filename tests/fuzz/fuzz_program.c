/* Fuzzes programs: every row of the operation table, with any arguments, on a pool of small
 * tensors, beside gradients, names, in-place writes and out=. After each step every tensor of the
 * pool is whole, what failed has changed nothing, and what was changed shows in a version. */
#include "checks.h"

#include "op/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 6, STEPS = 12, LARGEST = 256, LINE = 100, LIST = 4, HASHED = 4096 };

typedef struct seen {
    const nomen_tensor *tensor;
    const nomen__storage *storage;
    uint32_t version;
    uint64_t hash;
} seen;

typedef struct program {
    feed f;
    nomen_tensor *pool[POOL];
    seen before[POOL];
} program;

/* Room for the texts and lists of one call. */
typedef struct arguments {
    _Alignas(16) char bytes[256];
    char text[NOMEN__MAX_ARGS][LINE];
    int64_t sizes[NOMEN__MAX_ARGS][NOMEN_MAX_DIMS + 2];
    nomen_tensor *list[NOMEN__MAX_ARGS][LIST];
    nomen_tensor *second;
} arguments;

static nomen_tensor *from_pool(program *p) { return p->pool[feed_below(&p->f, POOL)]; }

/* Small tensors stay, with a reference of the pool's own. */
static void keep(program *p, nomen_tensor *t) {
    check_tensor(t);
    if (t->numel > LARGEST || t->storage->bytes > HASHED) return;
    nomen_tensor **slot = &p->pool[feed_below(&p->f, POOL)];
    nomen_retain(t);
    nomen_release(*slot);
    *slot = t;
}

/* ---- what may not change --------------------------------------------------------------------- */

static uint64_t hash(const nomen_tensor *t) {
    const nomen__storage *s = t->storage;
    uint64_t h = 1469598103934665603u, word;
    for (size_t i = 0; i + 8 <= s->bytes; i += 8) {
        memcpy(&word, s->data + i, sizeof word);
        h = (h ^ word) * 1099511628211u;
    }
    for (size_t i = s->bytes & ~(size_t)7; i < s->bytes; i++)
        h = (h ^ (uint8_t)s->data[i]) * 1099511628211u;
    return h;
}

static void look(program *p) {
    for (int i = 0; i < POOL; i++) {
        const nomen_tensor *t = p->pool[i];
        p->before[i] = (seen){t, t->storage, t->storage->version, hash(t)};
    }
}

/* written: nothing but these may have changed; NULL: none. */
static void compare(program *p, bool failed, const nomen_tensor *written, const nomen_tensor *too) {
    for (int i = 0; i < POOL; i++) {
        const seen *s = &p->before[i];
        const nomen_tensor *t = p->pool[i];
        bool may = !failed && ((written && written->storage == t->storage) ||
                               (too && too->storage == t->storage));
        if (t != s->tensor) continue;
        check_tensor(t);
        if (t->storage != s->storage) { /* out= and resize_ may give it another one */
            EXPECT(may);
            continue;
        }
        bool changed = hash(t) != s->hash;
        EXPECT(!changed || may);
        EXPECT(!changed || t->storage->version != s->version);
    }
}

/* ---- calls of the table ---------------------------------------------------------------------- */

static void put(arguments *a, const nomen__argspec *spec, const void *value, size_t bytes) {
    EXPECT(spec->offset + bytes <= sizeof a->bytes);
    memcpy(a->bytes + spec->offset, value, bytes);
}

static const char *some_word(feed *f, char *line) {
    static const char *const words[] = {"floor",
                                        "trunc",
                                        "sum",
                                        "mean",
                                        "prod",
                                        "amax",
                                        "amin",
                                        "left",
                                        "right",
                                        "add",
                                        "multiply",
                                        "contiguous_format",
                                        "channels_last",
                                        "preserve_format",
                                        "cpu",
                                        "linear",
                                        "nearest",
                                        "ij,jk->ik",
                                        "ij->ji",
                                        "...i->i",
                                        "ii",
                                        "xy",
                                        "none",
                                        "none such"};
    unsigned b = feed_byte(f);
    return b == 255 ? NULL : b > 230 ? feed_line(f, line, LINE) : words[b % NOMEN_COUNT(words)];
}

static nomen_tensor *some_tensor(program *p, bool optional) {
    unsigned b = feed_byte(&p->f);
    if (b < (optional ? 100u : 5u)) return NULL;
    if (b > 225) return nomen_scalar_call(nomen_number_float(feed_double(&p->f)));
    if (b > 210) return feed_positions(&p->f, 4);
    return from_pool(p);
}

static void fill(program *p, arguments *a, const nomen__op *op, int i) {
    const nomen__argspec *spec = &op->args[i];
    feed *f = &p->f;
    bool optional = spec->flags & NOMEN__OPTIONAL, given = !optional || feed_byte(f) & 1;
    const char *text = NULL;
    switch ((nomen__kind)spec->kind) {
    case NOMEN__TENSOR: {
        nomen_tensor *t = some_tensor(p, optional);
        put(a, spec, &t, sizeof t);
        return;
    }
    case NOMEN__TENSORS: {
        nomen_list list = {feed_below(f, LIST + 1), a->list[i]};
        for (int64_t k = 0; k < list.count; k++) a->list[i][k] = some_tensor(p, optional);
        put(a, spec, &list, sizeof list);
        return;
    }
    case NOMEN__NUMBER: {
        nomen_number n = given ? feed_number(f) : (nomen_number){0};
        put(a, spec, &n, sizeof n);
        return;
    }
    case NOMEN__INT: {
        int64_t n = given ? feed_integer(f) : 0;
        put(a, spec, &n, sizeof n);
        return;
    }
    case NOMEN__FLAG: put(a, spec, &(bool){feed_byte(f) & 1}, sizeof(bool)); return;
    case NOMEN__SIZES: {
        unsigned n = feed_byte(f);
        nomen_sizes sizes = {n >= 254 ? n - 190 : n % 5, a->sizes[i]};
        for (int64_t k = 0; given && k < sizes.count; k++)
            a->sizes[i][k] = sizes.count > 5 ? 1 : feed_size(f);
        if (given) put(a, spec, &sizes, sizeof sizes);
        return;
    }
    case NOMEN__DTYPE: {
        nomen_dtype d = given ? feed_dtype(f) : NOMEN_DTYPE_NONE;
        put(a, spec, &d, sizeof d);
        return;
    }
    case NOMEN__GENERATOR: return;
    case NOMEN__TEXT: text = given ? some_word(f, a->text[i]) : NULL; break;
    default: text = given ? feed_dims(f, a->text[i], LINE) : NULL; break;
    }
    put(a, spec, &text, sizeof text);
}

/* NOMEN_FUZZ_TELL=1 fuzz_program INPUT: what the bytes mean. */
static bool telling(void) {
    static int wanted = -1;
    if (wanted < 0) wanted = getenv("NOMEN_FUZZ_TELL") != NULL;
    return wanted;
}

static void tell_step(const program *p, const char *kind, unsigned which, const nomen_tensor *t) {
    if (!telling()) return;
    fprintf(stderr, "%s %u of ", kind, which);
    for (int k = 0; k < POOL; k++)
        if (t == p->pool[k]) fprintf(stderr, "@%d", k);
    fprintf(stderr, "\n");
}

static void tell(const program *p, const nomen__op *op, const arguments *a, const char *form) {
    if (!telling()) return;
    fprintf(stderr, "%s%s(", op->name, form);
    for (int i = 0; i < op->nargs; i++) {
        NOMEN__TEXT(text, 300);
        const char *field = a->bytes + op->args[i].offset;
        nomen_tensor *t;
        const char *word;
        nomen_number n;
        int64_t integer = *field;
        nomen_sizes sizes;
        memcpy(&t, field, sizeof t);
        memcpy(&word, field, sizeof word);
        memcpy(&n, field, sizeof n);
        memcpy(&sizes, field, sizeof sizes);
        if (op->args[i].kind == NOMEN__INT) memcpy(&integer, field, sizeof integer);
        switch ((nomen__kind)op->args[i].kind) {
        case NOMEN__TENSOR:
            if (t) nomen__text_tensor(&text, t, true);
            for (int k = 0; k < POOL && t; k++)
                if (t == p->pool[k]) nomen__text_add(&text, "@%d", k);
            break;
        case NOMEN__NUMBER:
            nomen__text_add(&text, "%d:%lld %g", n.kind, (long long)n.i, n.re);
            break;
        case NOMEN__SIZES: nomen__text_sizes(&text, sizes.at, (int)sizes.count); break;
        case NOMEN__INT:
        case NOMEN__FLAG:
        case NOMEN__DTYPE: nomen__text_add(&text, "%lld", (long long)integer); break;
        case NOMEN__TENSORS:
        case NOMEN__GENERATOR: break;
        default: nomen__text_add(&text, "'%s'", word ? word : "NULL");
        }
        fprintf(stderr, "%s=%s, ", op->args[i].name, text.at);
    }
    fprintf(stderr, ")\n");
}

static void operation(program *p) {
    feed *f = &p->f;
    arguments a = {.second = NULL};
    unsigned word = feed_byte(f) << 8;
    word |= feed_byte(f);
    const nomen__op *op = &nomen__ops[word % (unsigned)nomen__op_count];
    unsigned form = feed_byte(f);
    for (int i = 0; i < op->nargs; i++) fill(p, &a, op, i);
    nomen_tensor *out = op->out_offset && form % 4 == 1 ? from_pool(p) : NULL;
    nomen_tensor **second = &a.second;
    bool only = !(op->forms & (NOMEN__FUNCTION | NOMEN__METHOD)), failed = false;
    bool inplace = (op->forms & NOMEN__INPLACE) && (only || form % 4 >= 2);
    if (out) memcpy(a.bytes + op->out_offset, &out, sizeof out);
    if (op->second_offset && form & 16) {
        memcpy(a.bytes + op->second_offset, &second, sizeof second);
        if (form & 32) a.second = from_pool(p);
    }
    nomen_tensor *written = out, *too = a.second;
    tell(p, op, &a, inplace ? "_" : out ? ".out" : "");
    if (inplace) memcpy(&written, a.bytes + op->args[0].offset, sizeof written);
    if (op->truth) {
        nomen__call_struct_bool(op, a.bytes);
        failed = nomen__error_pending();
    } else if (op->list) {
        nomen_list list = nomen__call_struct_list(op, a.bytes);
        failed = nomen__error_pending();
        for (int64_t i = 0; i < list.count && !failed; i++) check_tensor(list.at[i]);
        if (list.count && !failed) keep(p, list.at[list.count - 1]);
    } else {
        nomen_tensor *t = nomen__call_struct(op, a.bytes, inplace);
        failed = !t;
        EXPECT(failed || !nomen__error_pending());
        if (t && inplace) EXPECT(t == written);
        if (t && out) EXPECT(t == out);
        compare(p, failed, written, too);
        if (t) keep(p, t);
        if (t && a.second && a.second != too) keep(p, a.second);
    }
    if (op->truth || op->list) compare(p, failed, NULL, NULL);
    if (failed) check_failure();
}

/* ---- everything else ------------------------------------------------------------------------- */

static void gradients(program *p) {
    feed *f = &p->f;
    nomen_tensor *t = from_pool(p), *other = from_pool(p);
    unsigned b = feed_byte(f);
    bool keep_graph = b & 64, create = b & 128;
    tell_step(p, "gradient", b % 6, t);
    switch (b % 6) {
    case 0:
        if (nomen_backward(t, .retain_graph = keep_graph)) break;
        return;
    case 1:
        if (nomen_backward(nomen_sum(t), .retain_graph = keep_graph)) break;
        return;
    case 2: {
        nomen_list g =
            nomen_grad(NOMEN_LIST(nomen_sum(t)), NOMEN_LIST(other), .retain_graph = keep_graph,
                       .create_graph = create, .allow_unused = b & 32);
        if (!g.count) break;
        if (g.at[0]) keep(p, g.at[0]);
        return;
    }
    case 3: {
        /* a copy: a tensor that is the gradient of its own gradient is never freed */
        nomen_tensor *g = nomen_detach(nomen_clone(other));
        if (!g || nomen_set_gradient(t, g)) break;
        return;
    }
    case 4: {
        nomen_tensor *g = nomen_gradient(t);
        if (g) keep(p, nomen_detach(g)); /* made of t, in place, it would never be freed either */
        return;
    }
    default:
        if (nomen_backward(t, .gradient = other, .inputs = NOMEN_LIST(from_pool(p)))) break;
        return;
    }
    check_failure();
}

static void tensors(program *p) {
    feed *f = &p->f;
    char line[LINE];
    nomen_tensor *t = from_pool(p);
    unsigned which = feed_below(f, 9);
    tell_step(p, "tensor", which, t);
    switch (which) {
    case 0: keep(p, feed_tensor(f)); break;
    case 1: nomen_set_requires_grad(t, feed_byte(f) & 3); break;
    case 2: nomen_set_names(t, feed_dims(f, line, sizeof line)); break;
    case 3: keep(p, nomen_detach(t)); break;
    case 4: nomen_detach_(t); break;
    case 5: nomen_retain_grad(t); break;
    case 6: nomen_zero_grad(t); break;
    case 7: nomen_set_grad_enabled(!nomen_grad_enabled()); break;
    default: nomen_repr(t, line, sizeof line); break;
    }
    if (nomen__error_pending()) check_failure();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    program p = {.f = {data, data + size}};
    balance b = balance_open();
    nomen_set_memory_limit(1 << 20);
    nomen_scope() {
        for (int i = 0; i < POOL; i++) {
            p.pool[i] = i < 3 ? nomen_retain(feed_tensor(&p.f)) : nomen_retain(p.pool[i - 3]);
            if (i < 3 && feed_byte(&p.f) & 1 && nomen_set_requires_grad(p.pool[i], true))
                nomen_clear_error();
        }
        for (int step = 0; step < STEPS && p.f.at < p.f.end; step++) {
            unsigned what = feed_byte(&p.f);
            nomen_scope() {
                look(&p);
                if (what < 200)
                    operation(&p);
                else if (what < 232)
                    gradients(&p);
                else
                    tensors(&p);
            }
            for (int i = 0; i < POOL; i++) check_tensor(p.pool[i]);
        }
        for (int i = 0; i < POOL; i++) nomen_release(p.pool[i]);
    }
    nomen_set_grad_enabled(true);
    balance_close(&b);
    return 0;
}
