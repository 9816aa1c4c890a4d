/* Small calls of the C interface, CALLS times each, for a program that counts instructions
 * (bench_count.py): it cuts its count at every call of nomen_set_num_threads. Prints the names. */
#include <nomen/nomen.h>

#include <stdio.h>
#include <string.h>

enum { CALLS = 1000, WARM = 20 };

typedef struct operands {
    nomen_tensor *x, *y, *line, *many;
} operands;

static nomen_tensor *add(const operands *o) { return nomen_add(o->x, o->y); }
static nomen_tensor *exponential(const operands *o) { return nomen_exp(o->x); }
static nomen_tensor *sum_all(const operands *o) { return nomen_sum(o->x); }
static nomen_tensor *sum_last(const operands *o) { return nomen_sum(o->x, .dim = "-1"); }
static nomen_tensor *sum_to(const operands *o) { return nomen_sum(o->x, .dim = "0"); }
static nomen_tensor *mean_last(const operands *o) { return nomen_mean(o->x, .dim = "-1"); }
static nomen_tensor *softmax_last(const operands *o) { return nomen_softmax(o->x, "-1"); }
static nomen_tensor *first_row(const operands *o) { return nomen_select(o->x, "0", 0); }
static nomen_tensor *unsqueezed(const operands *o) { return nomen_unsqueeze(o->x, "0"); }
static nomen_tensor *transposed(const operands *o) { return nomen_transpose(o->x, "0", "1"); }
static nomen_tensor *product(const operands *o) { return nomen_matmul(o->x, o->y); }
static nomen_tensor *plus_row(const operands *o) { return nomen_add(o->x, o->line); }
static nomen_tensor *add_many(const operands *o) { return nomen_add(o->many, o->many); }
static nomen_tensor *zeros(const operands *o) {
    (void)o;
    return nomen_zeros(NULL, NOMEN_SIZES(4, 4));
}

typedef struct example {
    const char *name;
    nomen_tensor *(*call)(const operands *);
} example;

static const example EXAMPLES[] = {
    {"add 4x4", add},
    {"add 4x4 and a row", plus_row},
    {"exp 4x4", exponential},
    {"sum 4x4", sum_all},
    {"sum 4x4 last", sum_last},
    {"sum 4x4 first", sum_to},
    {"mean 4x4 last", mean_last},
    {"softmax 4x4 last", softmax_last},
    {"select", first_row},
    {"unsqueeze", unsqueezed},
    {"transpose", transposed},
    {"matmul 4x4", product},
    {"zeros 4x4", zeros},
    {"add 1000", add_many},
};

static void repeat(const example *which, const operands *o, int times) {
    for (int i = 0; i < times; i++) {
        nomen_tensor *r = which->call(o);
        nomen_free(&r);
    }
}

static int run(const char *kind, const char *grid, const char *row, const char *many) {
    operands o = {nomen_ones(grid, NOMEN_SIZES(4, 4)), nomen_ones(grid, NOMEN_SIZES(4, 4)),
                  nomen_ones(row, NOMEN_SIZES(4)), nomen_ones(many, NOMEN_SIZES(1000))};
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
        /* `N C @ N C` is a product of dims that do not belong together. */
        repeat(&EXAMPLES[i], &o, WARM);
        nomen_set_num_threads(1);
        repeat(&EXAMPLES[i], &o, CALLS);
        nomen_set_num_threads(1);
        printf("%s%s\n", EXAMPLES[i].name, kind);
    }
    nomen_free(&o.x);
    nomen_free(&o.y);
    nomen_free(&o.line);
    nomen_free(&o.many);
    return nomen_last_error() != NULL;
}

int main(void) {
    nomen_set_num_threads(1);
    int failed = run("", NULL, NULL, NULL) || run(", named", "N C", "C", "N");
    if (failed) fprintf(stderr, "%s\n", nomen_error_text());
    return failed;
}
