/* What the memory of this machine gives: a[i] = b[i] + s * c[i] over three arrays that fit no
 * cache, by one thread and by all of them, in GB/s of bytes asked for; and the same of a sum over
 * one array, which only reads; and of a sum over NEAR elements again and again, which the caches
 * hold. One line of JSON. cc -O3 -march=native -pthread bench/bench_triad.c -o triad && ./triad
 * THREADS ELEMENTS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, MOST = 256, NEAR = 1000000, AGAIN = 200 };

typedef struct part {
    float *a;
    const float *b, *c;
    long n, times;
    unsigned sum;
} part;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *triad(void *given) {
    const part *p = given;
    for (long i = 0; i < p->n; i++) p->a[i] = p->b[i] + 3.0F * p->c[i];
    return NULL;
}

/* The bits as integers, whose sum may be made in any order. */
static void *reading(void *given) {
    part *p = given;
    const unsigned *bits = (const unsigned *)(const void *)p->b;
    for (long k = 0; k < p->times; k++) {
        unsigned sum = 0;
        for (long i = 0; i < p->n; i++) sum += bits[i];
        p->sum += sum;
        __asm__ volatile("" ::: "memory"); /* what was read is not known any more */
    }
    return NULL;
}

/* The best of the rounds: the limit is what the machine can do, not what it did beside others. */
static double best(float *const arrays[3], long n, long times, int threads, void *(*work)(void *),
                   int streams) {
    part parts[MOST];
    pthread_t workers[MOST];
    double least = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < threads; i++) {
            long from = n * i / threads, to = n * (i + 1) / threads;
            parts[i] =
                (part){arrays[0] + from, arrays[1] + from, arrays[2] + from, to - from, times, 0};
            if (pthread_create(&workers[i], NULL, work, &parts[i])) return 0;
        }
        for (int i = 0; i < threads; i++) pthread_join(workers[i], NULL);
        double took = now() - start;
        if (took < least) least = took;
    }
    return (double)streams * (double)n * (double)times * sizeof(float) / least * 1e-9;
}

int main(int count, char **words) {
    int threads = count > 1 ? atoi(words[1]) : 1;
    long n = count > 2 ? atol(words[2]) : 30000000;
    float *arrays[3];
    if (threads < 1 || threads > MOST || n < 1) return 2;
    for (int k = 0; k < 3; k++) {
        arrays[k] = malloc((size_t)n * sizeof(float));
        if (!arrays[k]) return 1;
        for (long i = 0; i < n; i++) arrays[k][i] = (float)(i % 7);
    }
    printf("{\"one\": %.1f, \"all\": %.1f, \"read_one\": %.1f, \"read_all\": %.1f, \"near\": %.1f, "
           "\"elements\": %ld}\n",
           best(arrays, n, 1, 1, triad, 3), best(arrays, n, 1, threads, triad, 3),
           best(arrays, n, 1, 1, reading, 1), best(arrays, n, 1, threads, reading, 1),
           n < NEAR ? 0 : best(arrays, NEAR, AGAIN, threads, reading, 1), n);
    return arrays[0][n - 1] < -1.0F;
}
