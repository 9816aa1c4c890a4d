/* The promises of docs/internals/threads.md: what several threads may do with the same tensors,
 * names, generators and settings. The thread sanitizer runs this, too. */
#include "can_fork.h"
#include "core/core.h"
#include "nomen/nomen.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 4 };

typedef void *entry(void *);

/* Each gets its number (from 0) and what they share; how many said that something was wrong. */
typedef struct worker {
    int number;
    void *shared;
} worker;

static int run_all(entry *run, void *shared) {
    pthread_t threads[THREADS];
    worker own[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        own[i] = (worker){i, shared};
        if (pthread_create(&threads[i], NULL, run, &own[i])) return -1;
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += result != NULL;
    }
    return wrong;
}

static void *wrong(bool yes) { return yes ? (void *)1 : NULL; }

static nomen_tensor *whole_numbers(int64_t rows, int64_t cols) {
    nomen_tensor *x = nomen_arange(NULL, .end = nomen_num((double)(rows * cols)));
    return nomen_view(x, NOMEN_SIZES(rows, cols));
}

/* ---- shared tensors that are read ------------------------------------------------------------ */

typedef struct readers {
    nomen_tensor *named, *leaf, *view;
    double sum, product;
} readers;

static double product_of(nomen_tensor *x) {
    return nomen_item(nomen_sum(nomen_matmul(x, nomen_transpose(x, "0", "1"))));
}

static void *reads(void *argument) {
    const readers *r = ((worker *)argument)->shared;
    bool bad = false;
    for (int round = 0; round < 20; round++) nomen_scope() {
            nomen_tensor *half = nomen_mul(r->view, nomen_scalar(0.5));
            bad |= nomen_item(nomen_sum(r->named, .dim = "N C")) != r->sum;
            bad |= nomen_item(nomen_sum(half)) != r->sum / 2;
            bad |= product_of(nomen_rename(r->named)) != r->product;
            nomen_tensor *g = nomen_sum(nomen_mul(r->leaf, r->named));
            bad |= nomen_item(g) != r->sum || !nomen_requires_grad(g);
            bad |= strcmp(nomen_name_of(nomen_select(r->named, "N", 3), 0), "C") != 0;
        }
    return wrong(bad || nomen_last_error());
}

static void shared_tensors_are_read(void **s) {
    (void)s;
    nomen_set_num_threads(3);
    nomen_scope() {
        readers r = {.named = nomen_rename(whole_numbers(300, 200), "N C")};
        r.leaf = nomen_ones("N C", NOMEN_SIZES(300, 200), .dtype = NOMEN_F64);
        nomen_set_requires_grad(r.leaf, true);
        r.named = nomen_cast(r.named, .dtype = NOMEN_F64);
        r.view = nomen_transpose(r.named, "N", "C");
        r.sum = nomen_item(nomen_sum(r.named));
        r.product = product_of(nomen_rename(r.named));
        assert_int_equal(run_all(reads, &r), 0);
    }
}

/* ---- last references ------------------------------------------------------------------------- */

enum { VIEWS = 400 };

typedef struct pile {
    nomen_tensor *view[THREADS][VIEWS];
} pile;

/* Everybody has views of the same memory; who lets go last frees it. */
static void *lets_go(void *argument) {
    const worker *me = argument;
    pile *p = me->shared;
    bool bad = false;
    unsigned dice = 7u + (unsigned)me->number;
    for (int left = VIEWS; left > 0; left--) {
        dice = dice * 1103515245u + 12345u;
        int k = (int)(dice >> 8) % left;
        nomen_tensor *t = p->view[me->number][k];
        p->view[me->number][k] = p->view[me->number][left - 1];
        bad |= nomen_numel(t) < 1;
        nomen_release(t);
    }
    return wrong(bad);
}

static void views_die_in_any_order(void **s) {
    (void)s;
    nomen_memory_stats before = {0};
    for (int round = 0; round < 20; round++) {
        if (round == 2) before = nomen_get_memory_stats(); /* scopes have grown to their size */
        static pile p;
        nomen_scope() {
            nomen_tensor *base = round % 2 ? nomen_ones(NULL, NOMEN_SIZES(20, 30))
                                           : nomen_rand("N C", NOMEN_SIZES(200, 300));
            for (int i = 0; i < VIEWS; i++)
                for (int k = 0; k < THREADS; k++) {
                    nomen_tensor *v = nomen_select(base, "0", i % 20);
                    p.view[k][i] = nomen_retain(i % 3 ? v : nomen_narrow(v, "0", 1, 5));
                }
        }
        assert_int_equal(run_all(lets_go, &p), 0);
    }
    nomen_memory_stats after = nomen_get_memory_stats();
    assert_int_equal(before.tensors_live, after.tensors_live);
    assert_int_equal(before.buffers_live, after.buffers_live);
    assert_int_equal(before.metadata_live, after.metadata_live);
}

/* ---- names ----------------------------------------------------------------------------------- */

enum { COMMON = 1500 };

typedef struct ids {
    nomen_name common[THREADS][COMMON];
} ids;

static void *names_all(void *argument) {
    const worker *me = argument;
    ids *all = me->shared;
    bool bad = false;
    for (int i = 0; i < COMMON; i++) { /* each begins elsewhere */
        char text[40];
        int k = (i + me->number * COMMON / THREADS) % COMMON;
        int n = snprintf(text, sizeof text, "common_%d", k);
        bad |= !nomen_name_intern(text, (size_t)n, &all->common[me->number][k]);
        nomen_name own;
        n = snprintf(text, sizeof text, "own_%d_%d", me->number, i);
        bad |= !nomen_name_intern(text, (size_t)n, &own);
        bad |= strcmp(nomen_name_text(own), text) != 0;
    }
    return wrong(bad);
}

static void names_from_everywhere(void **s) {
    (void)s;
    static ids all;
    assert_int_equal(run_all(names_all, &all), 0);
    for (int i = 0; i < COMMON; i++) {
        char text[40];
        snprintf(text, sizeof text, "common_%d", i);
        assert_string_equal(nomen_name_text(all.common[0][i]), text);
        for (int k = 1; k < THREADS; k++) assert_int_equal(all.common[k][i], all.common[0][i]);
    }
}

/* ---- settings -------------------------------------------------------------------------------- */

static void *computes(void *argument) {
    const worker *me = argument;
    bool bad = false;
    for (int round = 0; round < 30; round++) nomen_scope() {
            if (me->number == 0)
                nomen_set_num_threads(1 + round % 5);
            else
                bad |= nomen_item(nomen_sum(nomen_ones(NULL, NOMEN_SIZES(300000)))) != 300000;
        }
    return wrong(bad);
}

static void the_pool_changes_its_size(void **s) {
    (void)s;
    assert_int_equal(run_all(computes, NULL), 0);
    nomen_set_num_threads(3);
}

/* Odd threads switch gradients off: theirs, and nobody else's; their errors are their own. */
static void *minds_its_own(void *argument) {
    const worker *me = argument;
    bool bad = !nomen_grad_enabled(), odd = me->number % 2;
    nomen_tensor *leaf = me->shared;
    if (odd) nomen_set_grad_enabled(false);
    for (int round = 0; round < 200; round++) nomen_scope() {
            bad |= nomen_requires_grad(nomen_mul(leaf, leaf)) == odd;
            if (odd) bad |= nomen_sum(leaf, .dim = "nowhere") != NULL;
            bad |= (nomen_last_error() != NULL) != odd;
        }
    return wrong(bad);
}

static void modes_and_errors_belong_to_threads(void **s) {
    (void)s;
    nomen_scope() {
        nomen_tensor *leaf = nomen_ones("N", NOMEN_SIZES(3));
        nomen_set_requires_grad(leaf, true);
        assert_int_equal(run_all(minds_its_own, leaf), 0);
    }
    assert_true(nomen_grad_enabled());
}

/* ---- gradients ------------------------------------------------------------------------------- */

static void *walks_back(void *argument) {
    nomen_tensor *leaf = ((worker *)argument)->shared;
    bool bad = false;
    for (int round = 0; round < 25; round++) nomen_scope() {
            nomen_tensor *y = nomen_mul(leaf, nomen_scalar(2));
            for (int i = 0; i < 4; i++) y = nomen_add(y, leaf);
            bad |= nomen_backward(nomen_sum(y)) != NOMEN_OK;
        }
    return wrong(bad);
}

static void walks_meet_in_leaves(void **s) {
    (void)s;
    nomen_scope() {
        nomen_tensor *leaf = nomen_ones("N", NOMEN_SIZES(1000));
        nomen_set_requires_grad(leaf, true);
        assert_int_equal(run_all(walks_back, leaf), 0);
        nomen_tensor *g = nomen_gradient(leaf);
        assert_true(nomen_item(nomen_min(nomen_rename(g))) == 6 * 25 * THREADS);
        assert_true(nomen_item(nomen_max(nomen_rename(g))) == 6 * 25 * THREADS);
    }
}

/* One graph, walked by all at once: allowed while it is kept. */
static void *walks_the_same(void *argument) {
    nomen_tensor *loss = ((worker *)argument)->shared;
    bool bad = false;
    for (int round = 0; round < 25; round++)
        bad |= nomen_backward(loss, .retain_graph = true) != NOMEN_OK;
    return wrong(bad);
}

static void one_graph_for_all(void **s) {
    (void)s;
    nomen_scope() {
        nomen_tensor *leaf = nomen_ones("N", NOMEN_SIZES(100));
        nomen_set_requires_grad(leaf, true);
        nomen_tensor *middle = nomen_mul(leaf, nomen_scalar(3));
        assert_int_equal(nomen_retain_grad(middle), NOMEN_OK);
        nomen_tensor *loss =
            nomen_sum(nomen_mul(nomen_exp(nomen_mul(leaf, nomen_scalar(0))), middle));
        assert_int_equal(run_all(walks_the_same, loss), 0);
        nomen_tensor *kept = nomen_rename(nomen_gradient(middle));
        assert_true(nomen_item(nomen_min(kept)) == 25 * THREADS);
        assert_true(nomen_item(nomen_max(kept)) == 25 * THREADS);
        assert_true(nomen_item(nomen_min(nomen_rename(nomen_gradient(leaf)))) == 3 * 25 * THREADS);
    }
}

/* ---- generators ------------------------------------------------------------------------------ */

enum { DRAWS = 50, EACH = 640 };

typedef struct lottery {
    nomen_generator *g;
    float drawn[THREADS][DRAWS * EACH];
} lottery;

static void *draws(void *argument) {
    const worker *me = argument;
    lottery *l = me->shared;
    for (int i = 0; i < DRAWS; i++) nomen_scope() {
            nomen_tensor *t = nomen_rand(NULL, NOMEN_SIZES(EACH), .generator = l->g);
            if (!t) return wrong(true);
            memcpy(l->drawn[me->number] + i * EACH, nomen_data(t), EACH * sizeof(float));
        }
    return NULL;
}

static int by_size(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Nobody gets the numbers of another: together they are what one thread would have drawn. */
static void a_shared_generator(void **s) {
    (void)s;
    static lottery l;
    static float alone[THREADS * DRAWS * EACH];
    l.g = nomen_generator_new(5);
    assert_int_equal(run_all(draws, &l), 0);
    nomen_generator_manual_seed(l.g, 5);
    for (int i = 0; i < THREADS * DRAWS; i++) nomen_scope() {
            nomen_tensor *t = nomen_rand(NULL, NOMEN_SIZES(EACH), .generator = l.g);
            memcpy(alone + i * EACH, nomen_data(t), EACH * sizeof(float));
        }
    qsort(alone, NOMEN_COUNT(alone), sizeof *alone, by_size);
    qsort(l.drawn, NOMEN_COUNT(alone), sizeof *alone, by_size);
    assert_memory_equal(alone, l.drawn, sizeof alone);
    nomen_generator_free(&l.g);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static int in_the_child(void) {
    nomen_set_num_threads(4);
    for (int i = 0; i < 5; i++) nomen_scope() {
            nomen_tensor *x = nomen_ones("born_here", NOMEN_SIZES(300000));
            nomen_set_requires_grad(x, true);
            if (nomen_item(nomen_sum(x)) != 300000) return 1;
            if (nomen_backward(nomen_sum(nomen_mul(x, nomen_rand(NULL, NOMEN_SIZES(300000))))))
                return 2;
            if (!nomen_gradient(x) || nomen_last_error()) return 3;
        }
    return 0;
}

static _Atomic bool going;

static void *keeps_going(void *argument) {
    const worker *me = argument;
    bool bad = false;
    if (me->number == 0) { /* forks while the others are at it */
        for (int i = 0; i < 12; i++) {
            pid_t child = fork();
            if (child == 0) {
                alarm(60);
                _exit(in_the_child());
            }
            int status = -1;
            bad |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
        }
        atomic_store(&going, false);
        return wrong(bad);
    }
    for (int i = 0; atomic_load(&going); i++) nomen_scope() {
            char name[40];
            snprintf(name, sizeof name, "fork_%d_%d", me->number, i % 1000);
            nomen_tensor *x = nomen_ones(name, NOMEN_SIZES(200000));
            bad |= nomen_item(nomen_sum(x)) != 200000;
        }
    return wrong(bad);
}

static void forks_while_others_compute(void **s) {
    (void)s;
    if (!forks_amid_threads()) skip();
    atomic_store(&going, true);
    nomen_set_num_threads(3);
    assert_int_equal(run_all(keeps_going, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_tensors_are_read),
        cmocka_unit_test(views_die_in_any_order),
        cmocka_unit_test(names_from_everywhere),
        cmocka_unit_test(the_pool_changes_its_size),
        cmocka_unit_test(modes_and_errors_belong_to_threads),
        cmocka_unit_test(walks_meet_in_leaves),
        cmocka_unit_test(one_graph_for_all),
        cmocka_unit_test(a_shared_generator),
        cmocka_unit_test(forks_while_others_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
