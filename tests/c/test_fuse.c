/* Values that are put off in C: scopes, who is computed and who is not, writes, failures for want
 * of memory. What is computed is compared in tests/python/test_fuse.py. */
#include "core/core.h"
#include "nomen/exchange.h"
#include "nomen/nomen.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 300, COLUMNS = 257, COUNT = ROWS * COLUMNS, BYTES = COUNT * (int)sizeof(float) };

static int64_t before;

static int start(void **state) {
    (void)state;
    nomen_clear_error();
    before = nomen_get_memory_stats().tensors_live;
    return 0;
}

static int finish(void **state) {
    (void)state;
    nomen_thread_end();
    return nomen_get_memory_stats().tensors_live == before ? 0 : -1;
}

static nomen_tensor *ramp(void) {
    nomen_tensor *t = nomen_arange(NULL, nomen_num(COUNT), .dtype = NOMEN_F32);
    t = nomen_div(nomen_reshape(t, NOMEN_SIZES(ROWS, COLUMNS)), nomen_scalar(1000.0));
    return nomen_rename(t, "N C");
}

static nomen_tensor *chain(nomen_tensor *x) {
    return nomen_sub(nomen_exp(nomen_neg(nomen_mul(x, x))), x);
}

/* Is every element of y what the chain makes of x? */
static void assert_chain(const nomen_tensor *y, const nomen_tensor *x) {
    nomen_scope() {
        nomen_tensor *expected = chain((nomen_tensor *)(uintptr_t)x);
        assert_int_equal(nomen_numel(y), COUNT);
        assert_memory_equal(nomen_data(y), nomen_data(expected), BYTES);
    }
}

static int64_t live(void) { return nomen_get_memory_stats().bytes_live; }

static void temporaries_die_without_memory(void **state) {
    (void)state;
    nomen_tensor *x = ramp(), *y = NULL;
    int64_t base = live();
    nomen_fuse() {
        y = nomen_keep(chain(x));
        assert_non_null(y);
        assert_true(live() - base < 10000);
        assert_string_equal(nomen_name_of(y, 1), "C");
        assert_true(nomen_is_contiguous(y));
    }
    assert_true(live() - base >= BYTES && live() - base < 2 * BYTES);
    assert_chain(y, x);
}

static int64_t leave_early(nomen_tensor *x, nomen_tensor **y, bool early) {
    nomen_fuse() {
        *y = nomen_keep(chain(x));
        if (early) return 1;
        break;
    }
    return 2;
}

static void blocks_are_left_in_any_way(void **state) {
    (void)state;
    nomen_tensor *x = ramp(), *y = NULL, *z = NULL;
    assert_int_equal(leave_early(x, &y, true), 1);
    assert_chain(y, x);
    assert_int_equal(leave_early(x, &y, false), 2);
    assert_chain(y, x);
    nomen_fuse_mark mark = nomen_fuse_begin();
    nomen_fuse() { z = nomen_keep(chain(x)); }
    z = nomen_keep(z);
    nomen_fuse_end(&mark);
    nomen_fuse_end(&mark); /* does nothing */
    nomen_fuse_end(NULL);
    assert_chain(z, x);
    int64_t base = live();
    assert_non_null(nomen_mul(x, x)); /* at once again */
    assert_true(live() - base >= BYTES);
}

static void operands_may_be_written_to(void **state) {
    (void)state;
    nomen_tensor *x = ramp(), *old = nomen_clone(x), *y = NULL;
    nomen_fuse() {
        y = nomen_keep(chain(x));
        nomen_zero_(x);
        *(float *)nomen_data(x) = 1;
    }
    assert_chain(y, old);
    nomen_fuse() {
        y = nomen_keep(chain(old));
        float *at = nomen_data(old); /* whoever asks may write */
        for (int i = 0; i < COUNT; i++) at[i] = 2;
    }
    assert_chain(y, ramp());
}

static void reductions_take_no_memory(void **state) {
    (void)state;
    nomen_tensor *x = ramp(), *sum = NULL, *rows = NULL;
    nomen_fuse() {
        int64_t base = live();
        sum = nomen_keep(nomen_sum(chain(x)));
        rows = nomen_keep(nomen_amax(chain(x), "C"));
        assert_true(live() - base < 50000);
    }
    nomen_scope() {
        assert_true(nomen_item(sum) == nomen_item(nomen_sum(chain(x))));
        nomen_tensor *expected = nomen_amax(chain(x), "C");
        assert_memory_equal(nomen_data(rows), nomen_data(expected), ROWS * sizeof(float));
    }
    nomen_fuse() { /* the second reduction finds that the chain is needed again */
        nomen_tensor *y = chain(x);
        double first = nomen_item(nomen_sum(y));
        int64_t base = live();
        assert_true(nomen_item(nomen_sum(y)) == first);
        assert_true(live() - base >= BYTES);
    }
}

static void names_are_checked_at_once(void **state) {
    (void)state;
    nomen_tensor *x = ramp();
    nomen_fuse() {
        nomen_tensor *y = nomen_mul(x, x);
        assert_null(nomen_add(y, nomen_rename(ramp(), "C N")));
        assert_non_null(strstr(nomen_error_text(), "'C'"));
    }
}

static void *ask(void *tensor) {
    static double sum;
    sum = nomen_item(nomen_sum(tensor));
    nomen_thread_end();
    return &sum;
}

static void another_thread_may_ask(void **state) {
    (void)state;
    nomen_tensor *x = ramp();
    nomen_fuse() {
        nomen_tensor *y = chain(x);
        pthread_t thread;
        void *sum;
        assert_int_equal(pthread_create(&thread, NULL, ask, y), 0);
        assert_int_equal(pthread_join(thread, &sum), 0);
        assert_true(*(double *)sum == nomen_item(nomen_sum(y)));
        assert_chain(y, x);
    }
}

/* Without memory at the end values stay put off, and come when there is some again. */
static void memory_may_come_later(void **state) {
    (void)state;
    nomen_tensor *x = ramp(), *y = NULL;
    nomen_fuse_mark mark = nomen_fuse_begin();
    y = nomen_keep(chain(x));
    nomen_set_memory_limit((size_t)live() + 1000);
    assert_null(nomen_data(y));
    const nomen_error *e = nomen_last_error();
    assert_true(e && e->code == NOMEN_ERROR_MEMORY && !strcmp(e->op, "sub"));
    nomen_fuse_end(&mark);
    e = nomen_last_error();
    assert_true(e && e->code == NOMEN_ERROR_MEMORY && !strcmp(e->op, "sub"));
    nomen_set_memory_limit(0);
    assert_chain(y, x);
}

/* ---- who is asked whether to go on ----------------------------------------------------------- */

enum { LONG = 10000000, ENOUGH = 230 * 1000 * 1000 };

static nomen_tensor *long_line(void) { return nomen_rand("N", NOMEN_SIZES(LONG)); }

/* The first question comes at once if the last one was long ago. */
static void wait_for_a_question(void) {
    struct timespec rest = {0, ENOUGH};
    nanosleep(&rest, NULL);
}

static void assert_same(const nomen_tensor *y, const nomen_tensor *expected) {
    assert_non_null(y);
    assert_non_null(expected);
    assert_int_equal(nomen_numel(y), nomen_numel(expected));
    assert_memory_equal(nomen_data(y), nomen_data(expected),
                        (size_t)nomen_numel(y) * sizeof(float));
}

static bool stop(void *questions) {
    ++*(int *)questions;
    return true;
}

static void assert_interrupted(const int *questions) {
    const nomen_error *e = nomen_last_error();
    assert_int_equal(*questions, 1);
    assert_true(e && e->code == NOMEN_ERROR_INTERRUPTED);
}

static void a_run_that_is_ended_may_be_asked_again(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = long_line(), *expected = chain(x), *y = NULL;
        int questions = 0;
        int64_t base = live();
        nomen_fuse() {
            y = nomen_keep(chain(x));
            wait_for_a_question();
            nomen_set_interrupt(stop, &questions);
            assert_null(nomen_data(y));
            nomen_set_interrupt(NULL, NULL);
            assert_interrupted(&questions);
            assert_true(live() - base < 10000);
        }
        assert_null(nomen_last_error());
        assert_same(y, expected);
    }
}

static void a_reduction_that_is_ended_leaves_nothing(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = nomen_rename(long_line()), *sum = NULL;
        x = nomen_view(x, NOMEN_SIZES(1000, LONG / 1000));
        nomen_tensor *expected = nomen_sum(chain(x)), *rows = nomen_amax(chain(x), "1");
        for (int whole = 0; whole < 2; whole++) nomen_fuse() {
                int questions = 0;
                nomen_tensor *y = chain(x);
                wait_for_a_question();
                nomen_set_interrupt(stop, &questions);
                assert_null(whole ? nomen_sum(y) : nomen_amax(y, "1"));
                nomen_set_interrupt(NULL, NULL);
                assert_interrupted(&questions);
                sum = nomen_keep(whole ? nomen_sum(y) : nomen_amax(y, "1"));
                assert_same(sum, whole ? expected : rows);
            }
    }
}

/* Who is asked may compute with what is being computed, and change what it is computed from. */
typedef struct meddler {
    nomen_tensor *x, *y, *seen;
    int questions;
} meddler;

static bool meddle(void *payload) {
    meddler *m = payload;
    if (m->questions++) return false;
    if (m->y) m->seen = nomen_clone(m->y);
    if (m->x) nomen_zero_(m->x);
    return false;
}

static void who_is_asked_may_compute(void **state) {
    (void)state;
    for (int how = 0; how < 6; how++) nomen_scope() {
            nomen_tensor *x = long_line(), *expected = chain(x), *got = NULL;
            if (how >= 4) expected = nomen_sum(expected);
            nomen_fuse() {
                nomen_tensor *y = chain(x);
                meddler m = {how & 1 ? x : NULL, how & 2 ? y : NULL, NULL, 0};
                wait_for_a_question();
                nomen_set_interrupt(meddle, &m);
                got = nomen_keep(how >= 4 ? nomen_sum(y) : y);
                assert_non_null(nomen_data(got));
                nomen_set_interrupt(NULL, NULL);
                assert_true(m.questions > 0);
                if (m.seen) assert_same(m.seen, expected);
            }
            assert_same(got, expected);
            assert_null(nomen_last_error());
        }
}

/* ---- who reads values that cannot be computed ------------------------------------------------ */

typedef bool reader(nomen_tensor *y);

static bool as_memory(nomen_tensor *y) { return nomen_data(y) != NULL; }

static bool as_text(nomen_tensor *y) {
    char text[2000];
    nomen_repr(y, text, sizeof text);
    return !nomen__error_pending();
}

static bool as_an_export(nomen_tensor *y) {
    nomen_dl_managed *m = nomen_to_dlpack(y);
    if (m) m->deleter(m);
    return m != NULL;
}

static bool as_other_sizes(nomen_tensor *y) {
    return nomen_reshape(y, NOMEN_SIZES(COLUMNS, ROWS)) != NULL;
}

static bool as_another_order(nomen_tensor *y) {
    return nomen_contiguous(nomen_transpose(y, "N", "C")) != NULL;
}

static bool on_a_device(nomen_tensor *y) { return nomen_to(y, .device = "mock") != NULL; }

static bool as_a_file(nomen_tensor *y) {
    char path[] = "/tmp/nomen_fuse_XXXXXX";
    int file = mkstemp(path);
    nomen_status s = file < 0 ? NOMEN_ERROR_STATE : nomen_save_npy(y, path);
    if (file >= 0) close(file);
    remove(path);
    return s == NOMEN_OK;
}

static bool as_a_source(nomen_tensor *y) {
    static float data[COUNT];
    nomen_tensor *t =
        nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(ROWS, COLUMNS), NULL, NULL);
    return nomen_copy_(t, y) != NULL;
}

static bool as_a_target(nomen_tensor *y) {
    static float data[COUNT];
    nomen_tensor *t =
        nomen_from_data(data, NOMEN_F32, "N C", NOMEN_SIZES(ROWS, COLUMNS), NULL, NULL);
    return nomen_add(t, t, .out = y) != NULL;
}

static bool as_an_element(nomen_tensor *y) {
    return nomen_item_number(nomen_select(nomen_select(y, "N", 0), "C", 0)).kind != NOMEN_ABSENT;
}

static bool as_shared_memory(nomen_tensor *y) { return nomen_share_memory(y) == NOMEN_OK; }

static bool as_an_operand(nomen_tensor *y) {
    return nomen_index_add_(nomen_detach(y), "N",
                            nomen_zeros(NULL, NOMEN_SIZES(0), .dtype = NOMEN_I64),
                            nomen_zeros(NULL, NOMEN_SIZES(0, COLUMNS))) != NULL;
}

/* Whoever wants to see them has the error of the step that makes them, can ask again when there is
 * memory, and gets what the chain makes. */
static void readers_without_memory(void **state) {
    (void)state;
    static reader *const readers[] = {
        as_memory, as_text,     as_an_export, as_other_sizes, as_another_order, on_a_device,
        as_a_file, as_a_source, as_a_target,  as_an_element,  as_shared_memory, as_an_operand,
    };
    assert_int_equal(setenv("NOMEN_BACKEND_PATH", NOMEN_BACKENDS_DIR, 1), 0);
    nomen_tensor *warm = nomen_ones(NULL, NOMEN_SIZES(COUNT), .device = "mock");
    assert_non_null(warm);
    for (size_t i = 0; i < NOMEN_COUNT(readers); i++) nomen_scope() {
            nomen_tensor *x = ramp(), *y = NULL;
            nomen_fuse_mark mark = nomen_fuse_begin();
            y = nomen_keep(chain(x));
            nomen_set_memory_limit((size_t)live() + 5000);
            bool read = readers[i](y);
            const nomen_error *e = nomen_last_error();
            nomen_status code = e ? e->code : NOMEN_OK;
            nomen_set_memory_limit(0);
            if (read || code != NOMEN_ERROR_MEMORY)
                fail_msg("reader %d: %d, %s", (int)i, (int)code, nomen_error_text());
            nomen_clear_error();
            assert_chain(y, x);
            nomen_fuse_end(&mark);
            if (!readers[i](y)) fail_msg("reader %d: %s", (int)i, nomen_error_text());
            nomen_free(&y);
        }
}

/* More names for one value than it has room for at first: all see it when it is made, and those
 * that are gone are not asked. */
static void many_names_of_one_value(void **state) {
    (void)state;
    enum { NAMES = 40 };
    nomen_tensor *x = ramp(), *twin[NAMES];
    nomen_fuse() {
        nomen_tensor *y = chain(x);
        for (int i = 0; i < NAMES; i++) {
            twin[i] = nomen_retain(nomen_detach(y));
            assert_non_null(twin[i]);
        }
        for (int i = 0; i < NAMES; i += 3) {
            nomen_release(twin[i]);
            twin[i] = NULL;
        }
    }
    for (int i = 0; i < NAMES; i++)
        if (twin[i]) assert_chain(twin[i], x);
    for (int i = 0; i < NAMES; i++) nomen_release(twin[i]);
}

#ifdef NOMEN_FAULTS

static bool one_step(nomen_tensor *x, nomen_tensor *w, nomen_tensor **y) {
    bool done = false;
    nomen_fuse() {
        nomen_tensor *h = chain(nomen_mul(x, w)), *t = nomen_add(h, nomen_rename(x, "N C"));
        if (nomen_backward(nomen_add(nomen_sum(h), nomen_mean(nomen_mul(t, h))))) break;
        nomen_tensor *kept = nomen_retain(nomen_mul(nomen_detach(h), nomen_detach(t)));
        done = kept != NULL;
        *y = kept;
    }
    return done && !nomen_last_error();
}

static void every_allocation_fails_in_turn(void **state) {
    (void)state;
    nomen_tensor *x = ramp(), *w = nomen_full("C", NOMEN_SIZES(COLUMNS), nomen_num(0.5)), *y = NULL;
    nomen_set_requires_grad(w, true);
    assert_true(one_step(x, w, &y));
    nomen_tensor *expected = nomen_clone(y), *gradient = nomen_clone(nomen_gradient(w));
    nomen_release(y);
    nomen_zero_grad(w);
    nomen_memory_stats clean = nomen_get_memory_stats();
    int64_t failures = 0;
    for (int64_t nth = 0;; nth++) {
        y = NULL;
        nomen__fail_allocation(nth);
        bool done = one_step(x, w, &y);
        nomen__fail_allocation(-1);
        nomen_clear_error();
        if (y) assert_memory_equal(nomen_data(y), nomen_data(expected), BYTES);
        nomen_release(y);
        if (done) break;
        failures++;
        nomen_zero_grad(w);
        nomen_memory_stats now = nomen_get_memory_stats();
        assert_int_equal(now.tensors_live, clean.tensors_live);
        assert_int_equal(now.buffers_live, clean.buffers_live);
    }
    assert_true(failures > 50);
    assert_memory_equal(nomen_data(nomen_gradient(w)), nomen_data(gradient),
                        COLUMNS * sizeof(float));
}

#endif

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(temporaries_die_without_memory), TEST(blocks_are_left_in_any_way),
        TEST(operands_may_be_written_to),     TEST(reductions_take_no_memory),
        TEST(names_are_checked_at_once),      TEST(another_thread_may_ask),
        TEST(memory_may_come_later),          TEST(a_run_that_is_ended_may_be_asked_again),
        TEST(who_is_asked_may_compute),       TEST(a_reduction_that_is_ended_leaves_nothing),
        TEST(readers_without_memory),         TEST(many_names_of_one_value),
#ifdef NOMEN_FAULTS
        TEST(every_allocation_fails_in_turn),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
