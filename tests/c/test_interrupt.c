/* nomen_set_interrupt: long operations end early, and say so; what they left is as promised. */
#include "core/core.h"
#include "nomen/exchange.h"
#include "nomen/nomen.h"
#include "sample.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static _Atomic int questions;
static pthread_t asker;
static bool other_thread;

static bool stop_at_once(void *payload) {
    other_thread |= !pthread_equal(asker, pthread_self());
    return ++*(_Atomic int *)payload > 0;
}

static bool go_on(void *payload) {
    ++*(_Atomic int *)payload;
    return false;
}

/* The first question comes with the first piece if the last one was long ago. */
static void wait_for_a_question(void) {
    struct timespec rest = {0, 230 * 1000 * 1000};
    nanosleep(&rest, NULL);
    questions = 0;
}

static nomen_tensor *numbers(int64_t n) { return nomen_ones("N", NOMEN_SIZES(n)); }

static nomen_tensor *elementwise(nomen_tensor *x) { return nomen_exp(x); }
static nomen_tensor *mixed(nomen_tensor *x) { return nomen_where(nomen_gt(x, x), x, x); }
static nomen_tensor *reduction(nomen_tensor *x) { return nomen_sum(x); }
static nomen_tensor *scan(nomen_tensor *x) { return nomen_cumsum(x, "N"); }
static nomen_tensor *rows(nomen_tensor *x) {
    return nomen_softmax(nomen_view(nomen_rename(x), NOMEN_SIZES(4000, 500)), "1");
}
static nomen_tensor *one_row(nomen_tensor *x) { return nomen_softmax(x, "N"); }
static nomen_tensor *one_row_apart(nomen_tensor *x) {
    x = nomen_view(nomen_rename(x), NOMEN_SIZES(nomen_numel(x) / 2, 2));
    return nomen_log_softmax(nomen_select(x, "1", 0), "0");
}
static nomen_tensor *long_columns(nomen_tensor *x) {
    return nomen_softmax(nomen_view(nomen_rename(x), NOMEN_SIZES(8000, 250)), "0");
}
static nomen_tensor *order(nomen_tensor *x) {
    return nomen_sort(nomen_view(nomen_rename(x), NOMEN_SIZES(4000, 500)), "1");
}
static nomen_tensor *one_long_row(nomen_tensor *x) { return nomen_argsort(x, "N"); }
/* x as a matrix, whose product with itself takes a while: of some columns only where processors are
 * emulated. */
static nomen_tensor *matrix(nomen_tensor *x, int64_t rows, int64_t columns) {
    x = nomen_view(nomen_rename(x), NOMEN_SIZES(rows, columns));
    nomen_number some = nomen_num(one_in() > 1 ? columns / 10 : columns);
    return nomen_slice(x, "1", nomen_num(0), some, nomen_num(1));
}
static nomen_tensor *product(nomen_tensor *x) {
    x = matrix(x, 1000, 2000);
    return nomen_matmul(x, nomen_transpose(x, "0", "1"));
}
static nomen_tensor *values_of_matrix(nomen_tensor *x) {
    return nomen_nuclear_norm(matrix(x, 200, 10000));
}
static nomen_tensor *dot(nomen_tensor *x) { return nomen_matmul(x, x); }
static nomen_tensor *distances(nomen_tensor *x) {
    x = matrix(x, 2000, 1000);
    return nomen_cdist(x, x);
}
static nomen_tensor *taken(nomen_tensor *x) {
    nomen_tensor *at = nomen_arange(NULL, .end = nomen_num(2000000), .dtype = NOMEN_I64);
    return nomen_index_select(x, "N", at);
}
static nomen_tensor *masked(nomen_tensor *x) { return nomen_masked_select(x, nomen_gt(x, x)); }
static nomen_tensor *filled(nomen_tensor *x) {
    return nomen_masked_fill(x, nomen_ne(x, x), nomen_scalar(3));
}

static nomen_tensor *uniform(nomen_tensor *x) {
    return nomen_rand("N", NOMEN_SIZES(nomen_numel(x)));
}
static nomen_tensor *normal(nomen_tensor *x) {
    return nomen_randn("N", NOMEN_SIZES(nomen_numel(x)), .dtype = NOMEN_F64);
}
static nomen_tensor *shuffled(nomen_tensor *x) { return nomen_randperm("N", nomen_numel(x)); }
static nomen_tensor *counted(nomen_tensor *x) { return nomen_poisson(x); }
static nomen_tensor *tossed(nomen_tensor *x) { return nomen_bernoulli(x); }
static nomen_tensor *left_out(nomen_tensor *x) {
    return nomen_dropout(x, nomen_num(0.5), .train = true);
}
static nomen_tensor *sampled(nomen_tensor *x) { return nomen_multinomial(x, 1000000); }
static nomen_tensor *sampled_again(nomen_tensor *x) {
    return nomen_multinomial(x, 1000000, .replacement = true);
}
static nomen_tensor *turned(nomen_tensor *x) {
    x = nomen_view(nomen_rename(x), NOMEN_SIZES(1000, 2000));
    return nomen_contiguous(nomen_transpose(x, "0", "1"));
}
static nomen_tensor *sum_of_casts(nomen_tensor *x) {
    return nomen_cumsum(nomen_view(nomen_rename(x), NOMEN_SIZES(2000, 1000)), "1",
                        .dtype = NOMEN_F64);
}
static nomen_tensor *half(nomen_tensor *x) {
    return nomen_tril(nomen_view(nomen_rename(x), NOMEN_SIZES(1000, 2000)));
}
static nomen_tensor *joined(nomen_tensor *x) {
    x = nomen_view(nomen_rename(x), NOMEN_SIZES(1000, 2000));
    return nomen_cat(NOMEN_LIST(x, x), "1");
}
static nomen_tensor *range(nomen_tensor *x) {
    return nomen_arange("N", .end = nomen_num((double)nomen_numel(x)));
}
static nomen_tensor *positions(nomen_tensor *x) { return nomen_nonzero(x); }

typedef nomen_tensor *make(nomen_tensor *x);
static make *const makes[] = {
    elementwise,     mixed,   reduction,     scan,      rows,          order,
    one_long_row,    product, dot,           distances, taken,         masked,
    filled,          uniform, normal,        shuffled,  counted,       tossed,
    left_out,        sampled, sampled_again, turned,    sum_of_casts,  half,
    joined,          range,   positions,     one_row,   one_row_apart, long_columns,
    values_of_matrix};

/* A chunk that takes so long that questions are due in the middle of it, and again after one. */
static void long_chunk(void *context, int64_t begin, int64_t end) {
    int *chunks = context;
    (void)begin, (void)end;
    ++*chunks;
    for (int i = 0; i < 2; i++) {
        const struct timespec rest = {0, 230 * 1000 * 1000};
        nanosleep(&rest, NULL);
        assert_true(nomen__is_stopped());
    }
}

static void nobody_is_asked_twice(void **s) {
    (void)s;
    asker = pthread_self();
    nomen_set_num_threads(1);
    for (int64_t grain = 1; grain <= 2; grain++) { /* two chunks, or one */
        int chunks = 0;
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        assert_int_equal(nomen__parallel_asking(2, grain, long_chunk, &chunks),
                         NOMEN_ERROR_INTERRUPTED);
        nomen_set_interrupt(NULL, NULL);
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INTERRUPTED);
        assert_int_equal(chunks, 1);
        assert_int_equal(questions, 1);
    }
}

static void results_do_not_appear(void **s) {
    (void)s;
    asker = pthread_self();
    for (int threads = 1; threads <= 3; threads += 2) {
        nomen_set_num_threads(threads);
        for (size_t i = 0; i < NOMEN_COUNT(makes); i++) nomen_scope() {
                nomen_tensor *x = nomen_rand("N", NOMEN_SIZES(2000000));
                nomen_memory_stats before = nomen_get_memory_stats();
                nomen_scope() {
                    nomen_tensor *y;
                    int attempts = 0;
                    do { /* workers may have done it all before the caller gets a piece */
                        wait_for_a_question();
                        nomen_set_interrupt(stop_at_once, &questions);
                        y = makes[i](x);
                        nomen_set_interrupt(NULL, NULL);
                    } while (y && threads > 1 && ++attempts < 10);
                    bool alone = threads == 1 && makes[i] == product;
                    if (alone && y) continue; /* in one piece where there is one thread */
                    if (y && threads > 1 && !questions) continue; /* all done by workers */
                    if (y)
                        fail_msg("case %d came to its end with %d threads, asked %d times", (int)i,
                                 threads, questions);
                    if (questions != 1)
                        fail_msg("case %d, asked %d times by %d threads", (int)i, questions,
                                 threads);
                    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INTERRUPTED);
                }
                nomen_memory_stats after = nomen_get_memory_stats();
                assert_int_equal(before.tensors_live, after.tensors_live);
                assert_int_equal(before.buffers_live, after.buffers_live);
                assert_non_null(makes[i](x)); /* and the next call works */
                assert_null(nomen_last_error());
            }
    }
    assert_false(other_thread);
}

/* Old or new, each element of it; and who saved it hears of it. */
static void in_place(void **s) {
    (void)s;
    nomen_set_num_threads(1); /* others might do it all before it is asked */
    nomen_scope() {
        nomen_tensor *x = numbers(4000000), *y = nomen_ones("N", NOMEN_SIZES(4000000));
        nomen_set_requires_grad(x, true);
        nomen_tensor *saved = nomen_mul(x, y);
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        assert_null(nomen_mul_(y, nomen_scalar(3)));
        nomen_set_interrupt(NULL, NULL);
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INTERRUPTED);
        assert_int_equal(nomen_numel(y), 4000000);
        assert_string_equal(nomen_name_of(y, 0), "N");
        const float *at = nomen_data(y);
        int64_t done = 0;
        for (int64_t i = 0; i < 4000000; i++) {
            assert_true(at[i] == 1 || at[i] == 3);
            done += at[i] == 3;
        }
        assert_true(done > 0 && done < 4000000);
        assert_int_equal(nomen_backward(nomen_sum(saved)), NOMEN_ERROR_GRAD);
        nomen_clear_error();
        nomen_tensor *out = nomen_zeros("N", NOMEN_SIZES(4000000));
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        assert_null(nomen_exp(y, .out = out));
        nomen_set_interrupt(NULL, NULL);
        assert_string_equal(nomen_name_of(out, 0), "N");
        nomen_clear_error();
        assert_non_null(nomen_exp(y, .out = out));
    }
}

static void asked_now_and_then(void **s) {
    (void)s;
    nomen_scope() {
        nomen_tensor *x = numbers(3000000);
        wait_for_a_question();
        nomen_set_interrupt(go_on, &questions);
        for (int i = 0; i < 20; i++) nomen_scope() {
                nomen_tensor *y = nomen_add(x, x);
                assert_non_null(y);
            }
        assert_true(questions >= 1);
        questions = 0;
        for (int i = 0; i < 100; i++) nomen_scope() nomen_add(numbers(3), numbers(3));
        assert_int_equal(questions, 0); /* small calls ask nothing */
        nomen_set_interrupt(NULL, NULL);
    }
}

/* Rows of 64 bits that are sorted in parts. */
static void rows_in_parts(void **s) {
    (void)s;
    nomen_set_num_threads(1);
    nomen_scope() {
        nomen_tensor *x = nomen_rand("N", NOMEN_SIZES(1500000), .dtype = NOMEN_F64);
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        nomen_tensor *y = nomen_sort(x, "N");
        nomen_set_interrupt(NULL, NULL);
        assert_null(y);
        assert_int_equal(questions, 1);
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INTERRUPTED);
        y = nomen_sort(x, "N");
        nomen_number most = nomen_num(nomen_numel(x) - 1), one = nomen_num(1);
        nomen_tensor *before = nomen_slice(y, "N", nomen_num(0), most, one);
        nomen_tensor *after = nomen_slice(y, "N", one, nomen_num(nomen_numel(x)), one);
        assert_true(nomen_item(nomen_all(nomen_le(before, after))) == 1);
    }
}

/* The walk back ends too; a gradient that was there is as it was, and another walk works. */
static void backward(void **s) {
    (void)s;
    nomen_scope() {
        nomen_tensor *x = numbers(1000000);
        nomen_set_requires_grad(x, true);
        nomen_backward(nomen_sum(x));
        nomen_tensor *y = x;
        for (int i = 0; i < 5; i++) y = nomen_mul(y, x);
        nomen_tensor *loss = nomen_sum(y);
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        assert_int_not_equal(nomen_backward(loss), NOMEN_OK);
        nomen_set_interrupt(NULL, NULL);
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INTERRUPTED);
        assert_true(nomen_item(nomen_max(nomen_rename(nomen_gradient(x)))) == 1);
        assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, x))), NOMEN_OK);
        assert_true(nomen_item(nomen_max(nomen_rename(nomen_gradient(x)))) == 3);
    }
}

static bool computes_itself(void *payload) {
    nomen_scope() {
        nomen_tensor *x = nomen_sum(numbers(500000));
        if (!x || nomen_item(x) != 500000) *(_Atomic int *)payload += 1000;
    }
    ++*(_Atomic int *)payload;
    return false;
}

static void the_question_may_compute(void **s) {
    (void)s;
    nomen_set_num_threads(1); /* others might leave nothing to do for the one who asks */
    nomen_scope() {
        nomen_tensor *x = numbers(2000000);
        wait_for_a_question();
        nomen_set_interrupt(computes_itself, &questions);
        assert_true(nomen_item(nomen_sum(nomen_add(x, x))) == 4000000);
        nomen_set_interrupt(NULL, NULL);
        assert_in_range(questions, 1, 999);
    }
}

static bool draws_itself(void *payload) {
    nomen_scope() {
        if (!nomen_rand("N", NOMEN_SIZES(10))) *(_Atomic int *)payload += 1000;
    }
    ++*(_Atomic int *)payload;
    return false;
}

/* The lock of the generator is not held while the question is asked; and without one the numbers
 * are those that one piece would give. */
static void the_question_may_draw(void **s) {
    (void)s;
    nomen_scope() {
        wait_for_a_question();
        nomen_set_interrupt(draws_itself, &questions);
        assert_non_null(nomen_rand("N", NOMEN_SIZES(2000000)));
        assert_non_null(nomen_randperm("N", 2000000));
        nomen_set_interrupt(NULL, NULL);
        assert_in_range(questions, 1, 999);
        nomen_manual_seed(5);
        nomen_tensor *whole = nomen_rand("N", NOMEN_SIZES(300000)), *last = NULL;
        nomen_manual_seed(5);
        for (int i = 0; i < 300; i++) last = nomen_rand("N", NOMEN_SIZES(1000));
        const float *a = nomen_data(whole), *b = nomen_data(last);
        assert_memory_equal(a + 299000, b, 1000 * sizeof *a);
    }
}

/* An interrupted draw has used what it drew: the generator goes on behind it. */
static void a_draw_that_was_ended(void **s) {
    (void)s;
    nomen_scope() {
        nomen_manual_seed(6);
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        assert_null(nomen_rand("N", NOMEN_SIZES(2000000)));
        nomen_set_interrupt(NULL, NULL);
        float next = (float)nomen_item(nomen_rand(NULL, NOMEN_SIZES(1)));
        nomen_manual_seed(6);
        const float *all = nomen_data(nomen_rand("N", NOMEN_SIZES(200000)));
        bool found = false;
        for (int i = 1; i < 200000; i++) found |= all[i] == next;
        assert_true(found && next != all[0]);
    }
}

/* The old file stays, nothing lies beside it, and a file that was read in part is no tensor. */
static void files(void **s) {
    (void)s;
    char folder[] = "/tmp/nomen_interrupt_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
    nomen_scope() {
        nomen_tensor *small = numbers(10), *large = numbers(10000000);
        assert_int_equal(nomen_save_npy(small, path), NOMEN_OK);
        nomen_tensor *holes =
            nomen_slice(large, "N", nomen_num(0), nomen_num(10000000), nomen_num(2));
        nomen_tensor *wrong[] = {large, holes};
        for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
            wait_for_a_question();
            nomen_set_interrupt(stop_at_once, &questions);
            assert_int_equal(nomen_save_npy(wrong[i], path), NOMEN_ERROR_INTERRUPTED);
            nomen_set_interrupt(NULL, NULL);
            assert_int_equal(nomen_numel(nomen_load_npy(path)), 10);
        }
        assert_int_equal(nomen_save_npy(large, path), NOMEN_OK);
        wait_for_a_question();
        nomen_set_interrupt(stop_at_once, &questions);
        assert_null(nomen_load_npy(path));
        nomen_set_interrupt(NULL, NULL);
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INTERRUPTED);
        assert_int_equal(nomen_numel(nomen_load_npy(path)), 10000000);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_asked_twice),
        cmocka_unit_test(results_do_not_appear),
        cmocka_unit_test(in_place),
        cmocka_unit_test(asked_now_and_then),
        cmocka_unit_test(rows_in_parts),
        cmocka_unit_test(backward),
        cmocka_unit_test(the_question_may_compute),
        cmocka_unit_test(the_question_may_draw),
        cmocka_unit_test(a_draw_that_was_ended),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
