/* Every operation of the table from C, without Python: the median time of a call, as CSV.
 *
 *     make bench-c                    all, sizes 1, 16, 1000, 30000 and 1000000
 *     make bench-c BENCH="add sum"    these only
 *
 * Operands are found by trying: shapes and dtypes in an order of common sense, until a call is
 * taken. A row that takes none keeps its line, with the last error. */
#include "op/launch.h"
#include "op/op.h"
#include "op/rows.gen.h"
#include <nomen/nomen.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 15, MOST_BYTES = 512 };
static const double ROUND_NS = 2e6, CALL_NS = 2e9;
static const int64_t SIZES[] = {1, 16, 1000, 30000, 1000000};

typedef struct trial {
    const char *layout; /* "flat", "square", "batch" */
    nomen_dtype first, rest;
} trial;

/* Commonest first. */
static const trial TRIALS[] = {
    {"square", NOMEN_F32, NOMEN_F32}, {"flat", NOMEN_F32, NOMEN_F32},
    {"batch", NOMEN_F32, NOMEN_F32},  {"square", NOMEN_F32, NOMEN_I64},
    {"flat", NOMEN_F32, NOMEN_I64},   {"square", NOMEN_F32, NOMEN_BOOL},
    {"flat", NOMEN_BOOL, NOMEN_F32},  {"square", NOMEN_I64, NOMEN_I64},
    {"flat", NOMEN_I64, NOMEN_I64},   {"square", NOMEN_BOOL, NOMEN_BOOL},
    {"square", NOMEN_C64, NOMEN_C64}, {"square", NOMEN_C64, NOMEN_F32},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int64_t root(int64_t n, int power) {
    int64_t r = 1;
    for (;; r++) {
        int64_t p = 1;
        for (int i = 0; i < power; i++) p *= r + 1;
        if (p > n) return r;
    }
}

static nomen_sizes shape_of(const char *layout, int64_t n, int64_t *at) {
    int dims = *layout == 'f' ? 1 : *layout == 's' ? 2 : 3;
    for (int i = 0; i < dims; i++) at[i] = root(n, dims);
    at[dims - 1] = n / (dims == 1 ? 1 : dims == 2 ? at[0] : at[0] * at[1]);
    if (dims > 1 && n >= 4) at[dims - 1] = at[dims - 2]; /* square, so that products fit */
    return (nomen_sizes){dims, at};
}

static nomen_tensor *operand(const trial *t, int64_t n, bool first) {
    int64_t at[3];
    nomen_dtype d = first ? t->first : t->rest;
    nomen_sizes shape = shape_of(t->layout, n, at);
    if (d == NOMEN_I64) return nomen_zeros(NULL, shape, .dtype = d); /* an index, too */
    nomen_tensor *noise = nomen_rand(NULL, shape);
    if (d == NOMEN_F32) return noise;
    nomen_tensor *made = d == NOMEN_BOOL ? nomen_gt(noise, nomen_scalar(0.5)) : nomen_to(noise, d);
    nomen_free(&noise);
    return made;
}

/* The argument struct of a row, as the generated header declares it. */
typedef struct arguments {
    _Alignas(16) char bytes[MOST_BYTES];
    nomen_tensor *tensor[16], *list[2];
    int64_t size[3];
    int count;
    int64_t elements;
} arguments;

static void put(arguments *a, const nomen__argspec *spec, const void *value, size_t bytes) {
    memcpy(a->bytes + spec->offset, value, bytes);
}

static void fill_one(arguments *a, const nomen__argspec *spec, const trial *t, int64_t n) {
    const char *dim = "0", *word = "sum";
    int64_t one = 1;
    nomen_number half = nomen_num(0.5);
    switch ((nomen__kind)spec->kind) {
    case NOMEN__TENSOR:
        a->tensor[a->count] = operand(t, n, a->count == 0);
        put(a, spec, &a->tensor[a->count++], sizeof(nomen_tensor *));
        break;
    case NOMEN__TENSORS:
        for (int i = 0; i < 2; i++) a->list[i] = a->tensor[a->count++] = operand(t, n, i == 0);
        put(a, spec, &(nomen_list){2, a->list}, sizeof(nomen_list));
        break;
    case NOMEN__NUMBER: put(a, spec, &half, sizeof half); break;
    case NOMEN__INT: put(a, spec, &one, sizeof one); break;
    case NOMEN__DIM:
    case NOMEN__DIMS: put(a, spec, &dim, sizeof dim); break;
    case NOMEN__TEXT:
        if (!strcmp(spec->name, "equation")) word = "ij,jk->ik";
        put(a, spec, &word, sizeof word);
        break;
    case NOMEN__SIZES: {
        nomen_sizes shape = shape_of(t->layout, n, a->size);
        put(a, spec, &shape, sizeof shape);
        break;
    }
    default: break;
    }
}

static void fill(arguments *a, const nomen__op *op, const trial *t, int64_t n) {
    memset(a, 0, sizeof *a);
    for (int i = 0; i < op->nargs; i++)
        if (!(op->args[i].flags & NOMEN__OPTIONAL) || op->args[i].kind == NOMEN__SIZES)
            fill_one(a, &op->args[i], t, n);
    for (int i = 0; i < a->count; i++) a->elements += nomen_numel(a->tensor[i]);
}

static void empty(arguments *a) {
    for (int i = 0; i < a->count; i++) nomen_free(&a->tensor[i]);
}

/* One call; false if it failed. */
static bool call(const nomen__op *op, const arguments *a) {
    if (op->truth) {
        (void)nomen__call_struct_bool(op, a->bytes);
        return !nomen_last_error();
    }
    if (op->list) {
        bool made = false;
        nomen_scope() { made = nomen__call_struct_list(op, a->bytes).at != NULL; }
        return made;
    }
    if (!op->second) {
        nomen_tensor *r = nomen__call_struct(op, a->bytes, !(op->forms & NOMEN__FUNCTION));
        bool done = r != NULL;
        nomen_free(&r);
        return done;
    }
    arguments own = *a; /* with a place for the second result */
    nomen_tensor *second = NULL, **place = &second;
    memcpy(own.bytes + op->second_offset, &place, sizeof place);
    nomen_tensor *r = nomen__call_struct(op, own.bytes, false);
    bool done = r != NULL;
    nomen_free(&r);
    nomen_free(&second);
    return done;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_call(const nomen__op *op, const arguments *a) {
    double start = now(), took[ROUNDS];
    (void)call(op, a);
    double once = now() - start;
    if (once > CALL_NS) return once;
    int64_t calls = 1 + (int64_t)(ROUND_NS / (once + 50));
    for (int k = 0; k < ROUNDS; k++) {
        start = now();
        for (int64_t i = 0; i < calls; i++) (void)call(op, a);
        took[k] = (now() - start) / (double)calls;
    }
    qsort(took, ROUNDS, sizeof *took, by_size);
    return took[ROUNDS / 2];
}

static void measure(const nomen__op *op, int64_t n) {
    arguments a;
    char why[200] = "";
    for (size_t i = 0; i < sizeof TRIALS / sizeof *TRIALS; i++) {
        const trial *t = &TRIALS[i];
        fill(&a, op, t, n);
        nomen_clear_error();
        if (call(op, &a)) {
            double ns = median_call(op, &a);
            printf("%s,%lld,%s,%s,%.1f,%.4f,\n", op->name, (long long)n, t->layout,
                   nomen_dtype_name(t->first), ns, ns / (double)(a.elements ? a.elements : n));
            empty(&a);
            return;
        }
        const nomen_error *e = nomen_last_error();
        if (i == 0 && e)
            snprintf(why, sizeof why, "%.*s", (int)strcspn(e->message, "\n"), e->message);
        empty(&a);
    }
    for (char *p = why; *p; p++)
        if (*p == '"' || *p == ',') *p = ' ';
    printf("%s,%lld,,,,,%s\n", op->name, (long long)n, why);
}

static bool wanted(const nomen__op *op, int count, char **names) {
    if (op->bytes > MOST_BYTES || !strcmp(op->name, "cuda")) return false;
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], op->name)) return true;
    return count == 0;
}

int main(int argc, char **argv) {
    printf("operation,size,layout,dtype,ns,ns_per_element,note\n");
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (!wanted(op, argc - 1, argv + 1)) continue;
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) measure(op, SIZES[i]);
        fflush(stdout);
    }
    return 0;
}
