/* The largest error of every float32 function of one argument over all 2^32 inputs, per instruction
 * set, in units in the last place of what double makes of the same number. Prints a page:
 *   make ulp                 all inputs: two hours; docs/accuracy.gen.md
 *   make ulp ULP=64          every 64th of them
 *   build/release/bench_ulp 64 erf   one function */
#define _GNU_SOURCE
#include "../tests/kernels/kernel_isas.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 4096, MOST_THREADS = 64 };

/* A NULL reference: the scalar kernel of float64, which tests compare with long double. Positive:
 * near the zeros below 0 the absolute error is what is small. */
typedef struct function {
    const char *name;
    double (*reference)(double);
    bool positive;
} function;

static const function functions[] = {
    {"exp", exp, false},     {"exp2", exp2, false},    {"expm1", expm1, false},
    {"log", log, false},     {"log2", log2, false},    {"log10", log10, false},
    {"log1p", log1p, false}, {"sin", sin, false},      {"cos", cos, false},
    {"tan", tan, false},     {"asin", asin, false},    {"acos", acos, false},
    {"atan", atan, false},   {"sinh", sinh, false},    {"cosh", cosh, false},
    {"tanh", tanh, false},   {"asinh", asinh, false},  {"acosh", acosh, false},
    {"atanh", atanh, false}, {"sigmoid", NULL, false}, {"logit", NULL, false},
    {"erf", erf, false},     {"erfc", erfc, false},    {"erfinv", NULL, false},
    {"sinc", NULL, false},   {"lgamma", lgamma, true}, {"digamma", NULL, true},
    {"sqrt", sqrt, false},   {"rsqrt", NULL, false},   {"reciprocal", NULL, false},
};
enum { FUNCTIONS = (int)(sizeof functions / sizeof functions[0]) };

typedef struct worst {
    double error;
    float at;
} worst;

static uint64_t stride = 1;
static const function *now;             /* the one being measured */
static nomen__loop *loops[ISAS], *wide; /* its kernels, and that of float64 */
static _Atomic uint64_t next_block;
static worst found[MOST_THREADS][ISAS];

static nomen__loop *find(int isa, const char *name, nomen_dtype dtype) {
    for (int t = 0; t < TABLES; t++)
        for (const nomen__kernel *k = all_isas[isa].table[t]; k->name; k++)
            if (k->dtype == dtype && !strcmp(k->name, name)) return k->loop;
    return NULL;
}

/* Where one of the two is no number or both are infinite: no error, or an endless one. */
static double error_of(float got, double want) {
    const double largest = 0x1.fffffep127;
    int e;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(got)) return (got > 0) == (want > 0) && fabs(want) >= largest ? 0 : (double)INFINITY;
    if (isinf(want) || want == 0) return (double)got == want ? 0 : (double)INFINITY;
    (void)frexp(want, &e);
    e = e - 1 < -126 ? -126 : e - 1;
    return ldexp(fabs((double)got - want), 23 - e);
}

static void *measure(void *argument) {
    worst *w = argument;
    static _Thread_local float x[BLOCK], y[BLOCK];
    static _Thread_local double in[BLOCK], want[BLOCK];
    const uint64_t end = now->positive ? UINT64_C(1) << 31 : UINT64_C(1) << 32;
    for (;;) {
        uint64_t bits = atomic_fetch_add(&next_block, 1) * BLOCK * stride;
        if (bits >= end) return NULL;
        int n = 0;
        for (; n < BLOCK && bits < end; n++, bits += stride) {
            const uint32_t word = (uint32_t)bits;
            memcpy(x + n, &word, sizeof word);
            in[n] = (double)x[n];
        }
        if (now->reference)
            for (int i = 0; i < n; i++) want[i] = now->reference(in[i]);
        else
            wide((char *[]){(char *)want, (char *)in}, (const int64_t[]){8, 8}, n);
        for (int isa = 0; isa < ISAS; isa++) {
            if (!loops[isa]) continue;
            loops[isa]((char *[]){(char *)y, (char *)x}, (const int64_t[]){4, 4}, n);
            for (int i = 0; i < n; i++) {
                const double error = error_of(y[i], want[i]);
                if (error > w[isa].error) w[isa] = (worst){error, x[i]};
            }
        }
    }
}

static void run(const function *f, int threads) {
    pthread_t ids[MOST_THREADS];
    now = f;
    wide = find(0, f->name, NOMEN_F64);
    atomic_store(&next_block, 0);
    memset(found, 0, sizeof found);
    for (int i = 0; i < ISAS; i++) loops[i] = isa_runs(i) ? find(i, f->name, NOMEN_F32) : NULL;
    int begun = 0;
    while (begun < threads - 1 && !pthread_create(&ids[begun], NULL, measure, found[begun]))
        begun++;
    measure(found[begun]);
    for (int t = 0; t < begun; t++) pthread_join(ids[t], NULL);
    printf("| `%s` |", f->name);
    for (int i = 0; i < ISAS; i++) {
        worst w = {0, 0};
        for (int t = 0; t <= begun; t++)
            if (found[t][i].error > w.error) w = found[t][i];
        if (loops[i]) printf(" %.3f at %a |", w.error, (double)w.at);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc > 1) stride = strtoull(argv[1], NULL, 10);
    if (stride == 0) stride = 1;
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    printf(
        "# Accuracy of float32\n\nThe largest error of each function, in units in the last place, "
        "over ");
    if (stride == 1)
        printf("all 2^32 numbers");
    else
        printf("every %lluth of the 2^32 numbers", (unsigned long long)stride);
    printf(
        " (lgamma and digamma: those\nabove 0), and where it is met. 0.5 is the best there can be. "
        "`make ulp` measures it and writes this page.\n\n| function |");
    for (int i = 0; i < ISAS; i++)
        if (isa_runs(i)) printf(" %s |", all_isas[i].name);
    printf("\n|---|");
    for (int i = 0; i < ISAS; i++)
        if (isa_runs(i)) printf("---|");
    printf("\n");
    for (int f = 0; f < FUNCTIONS; f++) {
        bool wanted = argc <= 2;
        for (int i = 2; i < argc; i++) wanted |= !strcmp(argv[i], functions[f].name);
        if (wanted) run(&functions[f], (int)threads);
    }
    return 0;
}
