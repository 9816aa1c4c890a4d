/* The largest error of float32 functions of one argument over all 2^32 inputs, or every STRIDE-th,
 * per instruction set, in units in the last place of the true result: a line for each function
 * that is named. Without arguments: the instruction sets of this machine, and the functions.
 *   build/release/bench_ulp 64 erf      make ulp (bench_ulp.py) asks for all, and writes a page
 *
 * The worst is looked for with our own float64 kernel of the widest instruction set: libm would
 * take hours. That kernel is held against libm in every CHECKED-th block, and the line says how far
 * it was off; the error that is printed is the one to libm. */
#define _GNU_SOURCE
#include "../tests/kernels/kernel_isas.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__gnu_linux__)
#define VECTORS __attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3")))
#else
#define VECTORS
#endif
enum { BLOCK = 4096, CHECKED = 64, MOST_THREADS = 64 };

/* A NULL reference: the C library has no such function, and the scalar kernel of float64, which
 * tests compare with long double, stands for it. Positive: near the zeros below 0 the absolute
 * error is what is small. */
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

typedef struct tally {
    worst isa[ISAS];
    worst wide;      /* of the float64 kernel, where libm was asked */
    uint64_t inputs; /* how many there were */
} tally;

static uint64_t stride = 1;
static const function *now;                     /* the one being measured */
static nomen__loop *loops[ISAS], *wide, *plain; /* its kernels, and those of float64 */
static _Atomic uint64_t next_block;
static tally found[MOST_THREADS];

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

/* Whether error_of could say more than `limit` of any. Without branches, so that vectors compute
 * it. */
VECTORS
static bool any_beyond(const float *got, const double *want, int n, double limit) {
    const double infinite = 0x1p128;
    int beyond = 0;
    for (int i = 0; i < n; i++) {
        const double g = (double)got[i], w = want[i];
        const double gc = g > infinite ? infinite : g < -infinite ? -infinite : g;
        const double wc = w > infinite ? infinite : w < -infinite ? -infinite : w;
        /* 2 to the exponent of w, which is at least that of the smallest normal number. */
        union {
            double value;
            uint64_t bits;
        } power = {fabs(wc) > 0x1p-126 ? fabs(wc) : 0x1p-126};
        power.bits &= UINT64_C(0x7ff0000000000000);
        const int fits = fabs(gc - wc) * 0x1p23 <= limit * power.value;
        const int none = (g != g) & (w != w);
        const int zero = (w == 0) & (g != 0);
        beyond |= (1 - (fits | none)) | zero;
    }
    return beyond;
}

static void note(worst *w, const float *x, const float *y, const double *want, int n) {
    if (!any_beyond(y, want, n, w->error)) return;
    for (int i = 0; i < n; i++) {
        const double error = error_of(y[i], want[i]);
        if (error > w->error) *w = (worst){error, x[i]};
    }
}

static void call(nomen__loop *loop, void *out, const void *in, int64_t size, int n) {
    loop((char *[]){out, (char *)in}, (const int64_t[]){size, size}, n);
}

/* What is true at these numbers, as far as double goes. */
static void ask(double *truth, const double *in, int n) {
    if (!now->reference) {
        call(plain, truth, in, 8, n);
        return;
    }
    for (int i = 0; i < n; i++) truth[i] = now->reference(in[i]);
}

/* How far the float64 kernel is off, in units of float32. */
static void check(worst *w, const float *x, const double *in, const double *want, int n) {
    static _Thread_local double truth[BLOCK];
    ask(truth, in, n);
    for (int i = 0; i < n; i++) {
        double error = truth[i] == want[i] || (isnan(truth[i]) && isnan(want[i])) ? 0 : INFINITY;
        if (isfinite(truth[i]) && isfinite(want[i]) && error > 0) {
            int e;
            (void)frexp(truth[i], &e);
            error = ldexp(fabs(truth[i] - want[i]), 24 - (e < -125 ? -125 : e));
        }
        if (error > w->error) *w = (worst){error, x[i]};
    }
}

static void *measure(void *argument) {
    tally *t = argument;
    static _Thread_local float x[BLOCK], y[BLOCK];
    static _Thread_local double in[BLOCK], want[BLOCK];
    const uint64_t end = now->positive ? UINT64_C(1) << 31 : UINT64_C(1) << 32;
    for (;;) {
        const uint64_t block = atomic_fetch_add(&next_block, 1);
        uint64_t bits = block * BLOCK * stride;
        if (bits >= end) return NULL;
        int n = 0;
        for (; n < BLOCK && bits < end; n++, bits += stride) {
            const uint32_t word = (uint32_t)bits;
            memcpy(x + n, &word, sizeof word);
            in[n] = (double)x[n];
        }
        t->inputs += (uint64_t)n;
        call(wide, want, in, 8, n);
        if (block % CHECKED == 0) check(&t->wide, x, in, want, n);
        for (int isa = 0; isa < ISAS; isa++) {
            if (!loops[isa]) continue;
            call(loops[isa], y, x, 4, n);
            note(&t->isa[isa], x, y, want, n);
        }
    }
}

/* The error there to what libm says. */
static double true_error(int isa, float at) {
    double in = (double)at, truth;
    float got;
    ask(&truth, &in, 1);
    call(loops[isa], &got, &at, 4, 1);
    return error_of(got, truth);
}

static void keep_worse(worst *w, const worst *other) {
    if (other->error > w->error) *w = *other;
}

static void run(const function *f, int threads) {
    pthread_t ids[MOST_THREADS];
    now = f;
    plain = wide = find(0, f->name, NOMEN_F64);
    atomic_store(&next_block, 0);
    memset(found, 0, sizeof found);
    for (int i = 0; i < ISAS; i++) {
        loops[i] = isa_runs(i) ? find(i, f->name, NOMEN_F32) : NULL;
        if (loops[i] && find(i, f->name, NOMEN_F64)) wide = find(i, f->name, NOMEN_F64);
    }
    int begun = 0;
    while (begun < threads - 1 && !pthread_create(&ids[begun], NULL, measure, &found[begun]))
        begun++;
    measure(&found[begun]);
    for (int t = 0; t < begun; t++) pthread_join(ids[t], NULL);
    tally all = {0};
    for (int t = 0; t <= begun; t++) {
        all.inputs += found[t].inputs;
        keep_worse(&all.wide, &found[t].wide);
        for (int i = 0; i < ISAS; i++) keep_worse(&all.isa[i], &found[t].isa[i]);
    }
    printf("| `%s` |", f->name);
    for (int i = 0; i < ISAS; i++) {
        if (!loops[i]) continue;
        if (all.isa[i].error > 0)
            printf(" %.3f at %a |", true_error(i, all.isa[i].at), (double)all.isa[i].at);
        else
            printf(" 0 |");
    }
    printf(" %.1e |\nfigure: inputs of float32 functions: %llu\n", all.wide.error,
           (unsigned long long)all.inputs);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        for (int i = 0; i < ISAS; i++)
            if (isa_runs(i)) printf("%s ", all_isas[i].name);
        printf("\n");
        for (int f = 0; f < FUNCTIONS; f++) printf("%s ", functions[f].name);
        printf("\n");
        return 0;
    }
    stride = strtoull(argv[1], NULL, 10);
    if (stride == 0) stride = 1;
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    for (int i = 2; i < argc; i++)
        for (int f = 0; f < FUNCTIONS; f++)
            if (strcmp(argv[i], functions[f].name) == 0) run(&functions[f], (int)threads);
    return 0;
}
