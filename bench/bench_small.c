/* Cost of one small operation from C, result allocated and freed: the best of many batches, in ns.
 * From the root of the project, after `make build`:
 *     cc -std=gnu11 -O2 -Iinclude bench/bench_small.c -o build/bench_small build/release/libnomen.a
 * \ -lm -pthread && build/bench_small */
#include <nomen/nomen.h>

#include <stdio.h>
#include <time.h>

enum { CALLS = 1000, BATCHES = 500 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double cost(const char *names) {
    nomen_tensor *a = nomen_ones(names, NOMEN_SIZES(4, 4)),
                 *b = nomen_ones(names, NOMEN_SIZES(4, 4));
    double best = 1e18;
    for (int k = 0; k < BATCHES; k++) {
        double start = now();
        for (int i = 0; i < CALLS; i++) {
            nomen_tensor *r = nomen_add(a, b);
            nomen_free(&r);
        }
        double took = (now() - start) / CALLS;
        if (took < best) best = took;
    }
    nomen_free(&a);
    nomen_free(&b);
    return best;
}

static void machine(void) {
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (line[0] == 'm' && line[6] == 'n') { /* "model name" */
            fputs(line, stdout);
            break;
        }
    if (f) fclose(f);
}

int main(void) {
    machine();
    double plain = cost(NULL), named = cost("N C");
    printf("add of two 4x4 float32: %.1f ns, with names %.1f ns, names add %.1f ns\n", plain, named,
           named - plain);
    return nomen_last_error() != NULL;
}
