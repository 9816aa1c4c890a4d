/* The pool: every chunk exactly once, whoever calls, however often, in a child of fork too. And the
 * ISA. */
#define _GNU_SOURCE
#include "can_fork.h"
#include "core/core.h"
#include "nomen/memory.h"
#include "nomen/scope.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 10007 };

typedef struct board {
    int64_t n, grain;
    _Atomic int hits[MOST];
    _Atomic int calls, wrong;
} board;

static void mark(void *context, int64_t begin, int64_t end) {
    board *b = context;
    int64_t expected = b->n - begin < b->grain ? b->n : begin + b->grain;
    if (begin % b->grain || end != expected) atomic_fetch_add(&b->wrong, 1);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add_explicit(&b->hits[i], 1, memory_order_relaxed);
    atomic_fetch_add(&b->calls, 1);
}

/* 0 if every element was marked once, by chunks of the right size. */
static int run_board(board *b, int64_t n, int64_t grain) {
    memset(b, 0, sizeof *b);
    b->n = n;
    b->grain = grain;
    nomen__parallel(n, grain, mark, b);
    int bad = atomic_load(&b->wrong) + (atomic_load(&b->calls) != (int)((n + grain - 1) / grain));
    for (int64_t i = 0; i < n; i++)
        bad += atomic_load_explicit(&b->hits[i], memory_order_relaxed) != 1;
    return bad;
}

static board boards[4];

static void every_chunk_once(void **s) {
    (void)s;
    const int threads[] = {1, 2, 3, 8, 2, 1, 4};
    for (size_t k = 0; k < NOMEN_COUNT(threads); k++) {
        assert_int_equal(nomen_set_num_threads(threads[k]), NOMEN_OK);
        assert_int_equal(nomen_get_num_threads(), threads[k]);
        assert_int_equal(run_board(&boards[0], MOST, 1), 0);
        assert_int_equal(run_board(&boards[0], MOST, 100), 0);
        assert_int_equal(run_board(&boards[0], MOST, MOST), 0);
        assert_int_equal(run_board(&boards[0], MOST, MOST - 1), 0);
        assert_int_equal(run_board(&boards[0], 1, 1), 0);
        assert_int_equal(run_board(&boards[0], 0, 5), 0);
    }
}

static void count_call(void *context, int64_t begin, int64_t end) {
    (void)begin;
    (void)end;
    atomic_fetch_add((_Atomic int *)context, 1);
}

static void odd_arguments(void **s) {
    (void)s;
    _Atomic int calls = 0;
    nomen__parallel(-3, 1, count_call, &calls);
    assert_int_equal(calls, 0);
    nomen__parallel(10, 0, count_call, &calls);
    assert_int_equal(calls, 1);
    nomen__parallel(INT64_MAX, INT64_MAX - 1, count_call, &calls);
    assert_int_equal(calls, 3);
    assert_int_equal(nomen_set_num_threads(0), NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_set_num_threads(1025), NOMEN_ERROR_VALUE);
    nomen_clear_error();
}

typedef struct nest {
    _Atomic int64_t sum;
    _Atomic int foreign; /* inner chunks that ran in another thread than their outer one */
} nest;

typedef struct inner_job {
    nest *all;
    pthread_t owner;
    int64_t last;
} inner_job;

static void inner(void *context, int64_t begin, int64_t end) {
    inner_job *job = context;
    if (!pthread_equal(job->owner, pthread_self()) || begin < job->last)
        atomic_fetch_add(&job->all->foreign, 1);
    job->last = end;
    atomic_fetch_add(&job->all->sum, end - begin);
}

static void outer(void *context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        inner_job job = {context, pthread_self(), 0};
        nomen__parallel(1000, 10, inner, &job);
    }
}

static void nested_calls_are_serial(void **s) {
    (void)s;
    nest all = {0, 0};
    nomen_set_num_threads(4);
    nomen__parallel(50, 1, outer, &all);
    assert_int_equal(all.sum, 50 * 1000);
    assert_int_equal(all.foreign, 0);
}

static void *calls_too(void *b) { return (void *)(intptr_t)run_board(b, MOST, 50); }

static void several_callers(void **s) {
    (void)s;
    nomen_set_num_threads(3);
    for (int round = 0; round < 10; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, calls_too, &boards[i]), 0);
        for (int i = 0; i < 4; i++) {
            void *bad;
            pthread_join(threads[i], &bad);
            assert_null(bad);
        }
    }
}

static void add_up(void *context, int64_t begin, int64_t end) {
    int64_t *parts = context;
    parts[begin] = begin + end;
}

/* Memory written before the call is seen by the workers, and theirs after it: no atomics in the
 * task. */
static void many_tiny_jobs(void **s) {
    (void)s;
    nomen_set_num_threads(4);
    for (int64_t job = 0; job < 3000; job++) {
        int64_t parts[8], sum = 0;
        for (int i = 0; i < 8; i++) parts[i] = -1;
        nomen__parallel(8, 1, add_up, parts);
        for (int i = 0; i < 8; i++) sum += parts[i];
        assert_int_equal(sum, 64);
        if (job % 500 == 0) { /* long enough for the workers to fall asleep */
            struct timespec rest = {0, 3000000};
            nanosleep(&rest, NULL);
        }
    }
}

static void take_a_while(void *context, int64_t begin, int64_t end) {
    (void)end;
    struct timespec rest = {0, 2000000};
    nanosleep(&rest, NULL);
    ((pthread_t *)context)[begin] = pthread_self();
}

/* On a busy machine it may be long until a worker gets a processor. */
static void others_help(void **s) {
    (void)s;
    enum { TRIES = 200 };
    pthread_t who[16];
    nomen_set_num_threads(4);
    int others = 0;
    for (int try = 0; try < TRIES && !others; try++) {
        nomen__parallel(16, 1, take_a_while, who);
        for (int i = 0; i < 16; i++) others += !pthread_equal(who[i], pthread_self());
    }
    assert_true(others > 0);
}

/* The first chunk of the first slice lasts until all others are done: somebody else takes them.
 * (They last long enough for workers to be woken.) */
typedef struct waiting {
    _Atomic int64_t left;
    bool in_vain;
} waiting;

static void wait_for_the_rest(void *context, int64_t begin, int64_t end) {
    waiting *w = context;
    struct timespec rest = {0, 300000};
    if (begin) {
        nanosleep(&rest, NULL);
        atomic_fetch_sub(&w->left, end - begin);
        return;
    }
    for (int tries = 0; atomic_load(&w->left) && tries < 60000; tries++) nanosleep(&rest, NULL);
    w->in_vain = atomic_load(&w->left) > 0;
}

static void slices_are_finished_by_others(void **s) {
    (void)s;
    for (int threads = 2; threads <= 5; threads += 3) {
        nomen_set_num_threads(threads);
        for (int64_t chunks = 2; chunks < 40; chunks += 5) {
            waiting w = {chunks - 1, false};
            nomen__parallel(chunks, 1, wait_for_the_rest, &w);
            assert_false(w.in_vain);
        }
    }
}

/* More threads than there are slices. */
static void many_threads(void **s) {
    (void)s;
    nomen_set_num_threads(100);
    for (int64_t grain = 1; grain < MOST; grain += 97)
        assert_int_equal(run_board(&boards[0], MOST, grain), 0);
    nomen_set_num_threads(2);
    assert_int_equal(run_board(&boards[0], MOST, 10), 0);
}

static int child_result(int (*what)(void)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(what());
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

static int in_the_child(void) {
    int64_t size[] = {100};
    nomen_name name;
    nomen_tensor *t = nomen__tensor_empty(NOMEN_F32, 1, size);
    if (!t || !nomen_name_intern("born_in_child", 13, &name)) return 1;
    nomen__release(t);
    for (int i = 0; i < 20; i++)
        if (run_board(&boards[0], MOST, 10)) return 2;
    return 0;
}

static _Atomic bool stop;

static void *keeps_busy(void *unused) {
    (void)unused;
    while (!atomic_load(&stop))
        if (run_board(&boards[1], MOST, 100)) return &stop;
    return NULL;
}

static void fork_in_between(void **s) {
    (void)s;
    if (!FORKS) skip();
    nomen_set_num_threads(3);
    assert_int_equal(run_board(&boards[0], MOST, 10), 0);
    assert_int_equal(child_result(in_the_child), 0);
    /* while another thread has the pool */
    pthread_t thread;
    void *bad;
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, keeps_busy, NULL), 0);
    for (int i = 0; i < 5; i++) assert_int_equal(child_result(in_the_child), 0);
    atomic_store(&stop, true);
    pthread_join(thread, &bad);
    assert_null(bad);
    assert_int_equal(run_board(&boards[0], MOST, 10), 0);
}

static int isa_of_child(void) { return (int)nomen__cpu_isa(); }

/* Asked twice: the second answer is remembered. */
static int tiles_of_child(void) {
    return nomen__cpu_tiles() + 2 * nomen__cpu_tiles() + 4 * nomen__cpu_pairs();
}

/* Before anything asks in this process: the choice is made once. */
static void isa_can_be_lowered(void **s) {
    (void)s;
    setenv("NOMEN_ISA", "scalar", 1);
    assert_int_equal(child_result(isa_of_child), NOMEN__SCALAR);
    assert_int_equal(child_result(tiles_of_child), 0);
    setenv("NOMEN_ISA", "nonsense", 1);
    int best = child_result(isa_of_child);
    unsetenv("NOMEN_ISA");
    assert_int_equal(nomen__cpu_isa(), best);
    const bool tiles = nomen__cpu_tiles();
    assert_int_equal(nomen__cpu_tiles(), tiles);
    if (best != NOMEN__AMX) assert_false(tiles);
    if (tiles) assert_true(nomen__cpu_pairs());
    if (best < NOMEN__AVX512_BF16) assert_false(nomen__cpu_pairs());
    assert_string_equal(nomen__isa_name(NOMEN__AVX512), "avx512");
    assert_string_equal(nomen__isa_name((nomen__isa)99), "?");
}

/* ---- workers keep away from the processor of who called -------------------------------------- */

typedef struct places {
    pthread_t caller, worker;
    _Atomic int others, beside;
    int processor; /* the caller's */
    cpu_set_t may; /* where the worker may run when it sleeps again */
} places;

/* The caller's chunk lasts until a worker has had one. */
static void note_place(void *context, int64_t begin, int64_t end) {
    places *p = context;
    struct timespec rest = {0, 300000};
    (void)begin, (void)end;
    if (pthread_equal(p->caller, pthread_self())) {
        for (int tries = 0; !atomic_load(&p->others) && tries < 60000; tries++)
            nanosleep(&rest, NULL);
        return;
    }
    p->worker = pthread_self();
    atomic_fetch_add(&p->beside, sched_getcpu() == p->processor);
    atomic_fetch_add(&p->others, 1);
}

/* The caller on one processor, the worker asleep before. */
static void run_pinned(places *p, int processor) {
    struct timespec long_enough = {0, 50000000};
    cpu_set_t here;
    *p = (places){.caller = pthread_self(), .processor = processor};
    CPU_ZERO(&here);
    CPU_SET((size_t)processor, &here);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof here, &here), 0);
    nanosleep(&long_enough, NULL);
    nomen__parallel(2, 1, note_place, p);
    assert_in_range(p->others, 1, 2);
    nanosleep(&long_enough, NULL);
    assert_int_equal(pthread_getaffinity_np(p->worker, sizeof p->may, &p->may), 0);
}

static void workers_keep_away(void **s) {
    (void)s;
    cpu_set_t all;
    int allowed[2], found = 0, beside = 0;
    _Atomic int calls = 0;
    CPU_ZERO(&all); /* MemorySanitizer does not know that the next call fills it */
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET((size_t)i, &all)) allowed[found++] = i;
    if (found < 2) skip();
    nomen_set_num_threads(2);
    nomen__parallel(2, 1, count_call, &calls);
    for (int k = 0; k < 8; k++) {
        places p;
        run_pinned(&p, allowed[k % 2]);
        beside += p.beside > 0;
        assert_true(CPU_EQUAL(&p.may, &all));
    }
    assert_true(beside < 8); /* the system may move it back as soon as it runs */
    /* One that may run nowhere else stays: it is made by who may not. */
    nomen_set_num_threads(3);
    for (int k = 0; k < 2; k++) {
        cpu_set_t one;
        places p;
        run_pinned(&p, allowed[0]);
        CPU_ZERO(&one);
        CPU_SET((size_t)allowed[0], &one);
        assert_true(CPU_EQUAL(&p.may, &all) || (CPU_EQUAL(&p.may, &one) && p.beside));
    }
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof all, &all), 0);
    nomen_set_num_threads(2); /* without that one */
    nomen__parallel(2, 1, count_call, &calls);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isa_can_be_lowered), cmocka_unit_test(every_chunk_once),
        cmocka_unit_test(odd_arguments),      cmocka_unit_test(nested_calls_are_serial),
        cmocka_unit_test(several_callers),    cmocka_unit_test(many_tiny_jobs),
        cmocka_unit_test(others_help),        cmocka_unit_test(slices_are_finished_by_others),
        cmocka_unit_test(many_threads),       cmocka_unit_test(fork_in_between),
        cmocka_unit_test(workers_keep_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
