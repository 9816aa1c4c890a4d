/* Matrix products of nomen's own kernels and of OpenBLAS in turns, one after the other: the median
 * of each, in GFLOP/s, and what "openblas" / "own" are to each other. From the root of the project,
 * after `make build`:
 *     cc -std=gnu11 -O2 -Iinclude bench/bench_blas.c -o build/bench_blas build/release/libnomen.a \
 *         -lm -pthread && build/bench_blas [threads] */
#include <nomen/nomen.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 15 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double once(nomen_tensor *a, nomen_tensor *b, int calls) {
    double start = now();
    for (int i = 0; i < calls; i++) {
        nomen_tensor *c = nomen_matmul(a, b);
        nomen_free(&c);
    }
    return (now() - start) / calls;
}

static void compare(nomen_dtype dtype, int64_t n) {
    double took[2][TURNS],
        flops = (nomen_dtype_is_complex(dtype) ? 8.0 : 2.0) * (double)(n * n * n);
    static const char *const whose[] = {"own", "openblas"};
    nomen_scope() {
        nomen_tensor *a = nomen_cast(nomen_rand(NULL, NOMEN_SIZES(n, n)), .dtype = dtype);
        nomen_tensor *b = nomen_cast(nomen_rand(NULL, NOMEN_SIZES(n, n)), .dtype = dtype);
        int calls = 1 + (int)(2e7 / flops);
        for (int turn = -1; turn < TURNS; turn++)
            for (int w = 0; w < 2; w++) {
                nomen_set_blas(whose[w]);
                double t = once(a, b, calls);
                if (turn >= 0) took[w][turn] = t;
            }
    }
    for (int w = 0; w < 2; w++) qsort(took[w], TURNS, sizeof took[w][0], by_value);
    double own = took[0][TURNS / 2], other = took[1][TURNS / 2];
    printf("%-10s %5lld  own %6.1f  openblas %6.1f  (best %6.1f %6.1f)  openblas/own %.2f\n",
           nomen_dtype_name(dtype), (long long)n, 1e-9 * flops / own, 1e-9 * flops / other,
           1e-9 * flops / took[0][0], 1e-9 * flops / took[1][0], own / other);
}

int main(int count, char **word) {
    static const nomen_dtype dtypes[] = {NOMEN_F32, NOMEN_F64, NOMEN_C64, NOMEN_C128};
    static const int64_t sides[] = {16, 32, 64, 96, 128, 192, 256, 384, 512, 768};
    if (count > 1) nomen_set_num_threads(atoi(word[1]));
    if (nomen_set_blas("openblas")) {
        puts(nomen_error_text());
        return 1;
    }
    printf("%d threads\n", nomen_get_num_threads());
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) compare(dtypes[d], sides[i]);
    return nomen_last_error() != NULL;
}
