/* Reductions, row functions and matrix products against the limits of one core: bytes read per
 * second from a buffer of the same size, and fused multiply-adds per second. After make build:
 *   cc -std=gnu11 -O3 -ffp-contract=off -fno-math-errno -march=native -mprefer-vector-width=512 \
 *     -DNOMEN_ISA=avx512 -Iinclude -Isrc -Ibuild/release/generated bench/bench_kernels.c \
 *     build/release/libnomen.a -lm -pthread && ./a.out */
#include "kernels/simd/simd.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const nomen__kernel NOMEN__TABLE(reduce_sum)[], NOMEN__TABLE(reduce_prod)[],
    NOMEN__TABLE(reduce_logic)[], NOMEN__TABLE(reduce_extremum)[], NOMEN__TABLE(reduce_moments)[],
    NOMEN__TABLE(reduce_logsumexp)[], NOMEN__TABLE(rows)[], NOMEN__TABLE(gemm)[];

enum { BYTES = 1 << 20, REPEATS = 15 };
static char *in, *other, *out;
static double read_limit, fma_limit; /* bytes and floating operations per nanosecond */

static const nomen__kernel *find(const nomen__kernel *k, const char *name, nomen_dtype dtype) {
    while (k->name && (k->dtype != dtype || strcmp(k->name, name) != 0)) k++;
    return k;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef void job(const void *what);
static double best_time(job *run, const void *what) {
    double best = 1e18;
    for (int i = 0; i < REPEATS; i++) {
        double t = now();
        run(what);
        t = now() - t;
        if (t < best) best = t;
    }
    return best;
}

static void read_all(const void *what) {
    vf32 a = ld_f32(in), b = a, c = a, d = a;
    (void)what;
    for (int64_t i = 0; i < BYTES; i += 4 * VB) {
        a += ld_f32(in + i), b += ld_f32(in + i + VB);
        c += ld_f32(in + i + 2 * VB), d += ld_f32(in + i + 3 * VB);
    }
    st_f32(out, (a + b) + (c + d));
}

static void multiply_add(const void *what) {
    vf32 x = ld_f32(in), s[12];
    (void)what;
    for (int i = 0; i < 12; i++) s[i] = x;
    for (int r = 0; r < 10000; r++)
#pragma GCC unroll 12
        for (int i = 0; i < 12; i++) s[i] = v_fma(x, s[i], x);
    for (int i = 0; i < 12; i++) st_f32(out + i * VB, s[i]);
}

typedef struct reduction {
    const nomen__reducer *r;
    int64_t n_acc, acc_step, n_red, red_step;
} reduction;

static void reduce(const void *what) {
    static char acc[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES] __attribute__((aligned(64)));
    const reduction *j = what;
    for (int64_t i = 0; i < j->n_acc; i += NOMEN__ACC_BLOCK) {
        int64_t n = j->n_acc - i < NOMEN__ACC_BLOCK ? j->n_acc - i : NOMEN__ACC_BLOCK;
        nomen__reduce_step s = {.in = in + i * j->acc_step,
                                .n_acc = n,
                                .acc_step = j->acc_step,
                                .n_red = j->n_red,
                                .red_step = j->red_step,
                                .index_step = 1};
        char *to[2] = {out, out + BYTES / 2};
        j->r->init(acc, n);
        j->r->step(acc, &s);
        j->r->finish(to, (const int64_t[2]){16, 8}, acc, n, &(nomen__reduce_param){j->n_red, 1});
    }
}

static void show_reduction(const nomen__kernel *table, const char *name, nomen_dtype dtype,
                           int64_t item) {
    static const int64_t shapes[][2] = {{1, 0}, {1024, 0}, {0, 8}, {0, 1024}}; /* rows, columns */
    const int64_t count = BYTES / item;
    printf("%-10s %d:", name, (int)dtype);
    for (int s = 0; s < 4; s++) {
        int64_t rows = shapes[s][0] ? shapes[s][0] : count / shapes[s][1], cols = count / rows;
        bool down = s == 3;
        reduction j = {find(table, name, dtype)->reducer, down ? cols : rows,
                       down ? item : cols * item, down ? rows : cols, down ? cols * item : item};
        double t = best_time(reduce, &j);
        printf("  [%lld, %lld] over %d %.3f ns (%.0f %%)", (long long)rows, (long long)cols, !down,
               t / (double)count, 100 * BYTES / t / read_limit);
    }
    printf("\n");
}

static void softmax(const void *what) {
    const nomen__kernel *k = what;
    nomen__rows_args a = {.out = out,
                          .in = in,
                          .n = 1024,
                          .in_step = 4,
                          .out_step = 4,
                          .rows = BYTES / 4096,
                          .in_row = 4096,
                          .out_row = 4096};
    k->rows(&a);
}

typedef struct product {
    const nomen__gemm *gemm;
    int64_t n, item;
    void *scratch;
} product;

static void multiply(const void *what) {
    const product *p = what;
    const int64_t e = p->item, row = p->n * e;
    nomen__gemm_args g = {p->n, p->n, p->n, in, other, out, row, e, row, e, row, e};
    p->gemm->run(&g, p->scratch);
}

static void show_product(nomen_dtype dtype, int64_t item, double operations, double limit) {
    static const int64_t sizes[] = {16, 64, 256, 512};
    printf("matmul     %d:", (int)dtype);
    for (int s = 0; s < 4; s++) {
        product p = {find(NOMEN__TABLE(gemm), "matmul", dtype)->gemm, sizes[s], item, NULL};
        p.scratch = aligned_alloc(64, p.gemm->scratch(p.n, p.n, p.n) / 64 * 64 + 64);
        if (!p.scratch || p.n * p.n * item > 2 * BYTES) break;
        double t = best_time(multiply, &p), n = (double)p.n;
        printf("  %lld: %.1f GFLOP/s (%.0f %%)", (long long)p.n, operations * n * n * n / t,
               100 * operations * n * n * n / t / limit);
        free(p.scratch);
    }
    printf("\n");
}

int main(void) {
    in = aligned_alloc(64, 2 * BYTES);
    other = aligned_alloc(64, 2 * BYTES);
    out = aligned_alloc(64, 2 * BYTES);
    if (!in || !other || !out) return 1;
    memset(out, 0, 2 * BYTES);
    memset(other, 0, 2 * BYTES);
    for (int i = 0; i < BYTES / 2; i++) ((float *)(void *)in)[i] = (float)(i * 37 % 1000) / 1000;
    read_limit = BYTES / best_time(read_all, NULL);
    fma_limit = 10000.0 * 12 * W32 * 2 / best_time(multiply_add, NULL);
    printf("read %.1f GB/s, float32 %.1f GFLOP/s\n", read_limit, fma_limit);
    show_reduction(NOMEN__TABLE(reduce_sum), "sum", NOMEN_F32, 4);
    show_reduction(NOMEN__TABLE(reduce_sum), "sum", NOMEN_F64, 8);
    show_reduction(NOMEN__TABLE(reduce_sum), "sum", NOMEN_F16, 2);
    show_reduction(NOMEN__TABLE(reduce_sum), "sum", NOMEN_BOOL, 1);
    show_reduction(NOMEN__TABLE(reduce_prod), "prod", NOMEN_F32, 4);
    show_reduction(NOMEN__TABLE(reduce_logic), "all", NOMEN_I32, 4);
    show_reduction(NOMEN__TABLE(reduce_extremum), "max", NOMEN_F32, 4);
    show_reduction(NOMEN__TABLE(reduce_moments), "var", NOMEN_F32, 4);
    show_reduction(NOMEN__TABLE(reduce_logsumexp), "logsumexp", NOMEN_F32, 4);
    double t = best_time(softmax, find(NOMEN__TABLE(rows), "softmax", NOMEN_F32));
    printf("softmax    %d:  rows of 1024 %.3f ns\n", NOMEN_F32, t / (BYTES / 4));
    show_product(NOMEN_F32, 4, 2, fma_limit);
    show_product(NOMEN_F16, 2, 2, fma_limit);
    show_product(NOMEN_F64, 8, 2, fma_limit / 2);
    show_product(NOMEN_C64, 8, 8, fma_limit);
    return 0;
}
