/* Memory that the system does not have (NOMEN_FAULTS): a thread that gets no state can let go of
 * what others made and is told why it cannot do more; where one request to the system fails the
 * caches are emptied and it is asked again; where all fail there is an error, and nothing is lost.
 * Nor is anything written. */
#include "core/core.h"
#include "nomen/exchange.h"
#include "nomen/nomen.h"
#include "op/op.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Not counted as a test of the row: nobody looks at values. */
nomen_tensor *__real_nomen__call_struct(const nomen__op *op, const void *args, bool inplace);

#ifdef NOMEN_FAULTS
enum { FAULTY = 1 };
#else
enum { FAULTY = 0 };
static void nomen__fail_threads(bool fail) { (void)fail; }
static int64_t nomen__fail_memory(int64_t nth, int64_t count) { return nth + count; }
static void nomen__fail_allocation(int64_t nth) { (void)nth; }
static int64_t nomen__allocation_count(void) { return 0; }
static void nomen__fail_system(int64_t nth, int error) { (void)nth, (void)error; }
static int64_t nomen__system_count(void) { return 0; }
#endif

/* ---- threads without a state ----------------------------------------------------------------- */

/* cmocka's assertions belong to the thread that runs the tests: the others keep the first line that
 * was wrong. */
#define EXPECT(condition) ((condition) || wrong ? (void)0 : (void)(wrong = __LINE__))
static int wrong;

enum { LENT = 6 };

typedef struct task {
    void (*run)(struct task *t);
    nomen_tensor *x, *lent[LENT];
    int released, sum;
} task;

static void *in_a_thread(void *context) {
    task *t = context;
    t->run(t);
    return NULL;
}

static void run_without_state(task *t) {
    pthread_t thread;
    wrong = 0;
    nomen__fail_threads(true);
    int failed = pthread_create(&thread, NULL, in_a_thread, t);
    if (!failed) pthread_join(thread, NULL);
    nomen__fail_threads(false);
    assert_int_equal(failed, 0);
    if (wrong) fail_msg("line %d", wrong);
}

static void errors_are_told(task *t) {
    (void)t;
    EXPECT(nomen__fail(NOMEN_ERROR_NAME, "x") == NOMEN_ERROR_NAME);
    EXPECT(nomen__hint(NOMEN_ERROR_NAME, "y") == NOMEN_ERROR_NAME);
    nomen__error_context("op", "operands");
    nomen__error_drop();
    EXPECT(nomen__error_pending());
    const nomen_error *e = nomen_last_error();
    EXPECT(e && e->code == NOMEN_ERROR_MEMORY && e->message[0]);
    EXPECT(strstr(nomen_error_text(), "memory"));
    nomen_clear_error();
    EXPECT(nomen_raise(NOMEN_ERROR_VALUE, "z") == NOMEN_ERROR_VALUE);
    EXPECT(nomen_last_error() != NULL);
}

static void count_release(void *payload) { ++*(int *)payload; }

static void nothing_is_made(task *t) {
    float data[2] = {1, 2};
    nomen_scope_mark mark = nomen_scope_open();
    EXPECT(mark.depth < 0);
    EXPECT(!nomen_zeros(NULL, NOMEN_SIZES(3)));
    EXPECT(!nomen_scalar(2));
    EXPECT(!nomen__scope_array(3));
    EXPECT(!nomen__alloc(8) && !nomen__calloc(2, 8));
    size_t capacity;
    EXPECT(!nomen__buffer_new(100, &capacity) && !nomen__buffer_new(100000, &capacity));
    EXPECT(!nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(2), count_release, &t->released));
    EXPECT(!nomen_load_npy("/nowhere"));
    EXPECT(nomen_save_npy(t->x, "/nowhere/at/all") != NOMEN_OK);
    EXPECT(!nomen_to_dlpack(t->x));
    EXPECT(!nomen_generator_new(3));
    EXPECT(nomen_set_interrupt(NULL, NULL) != NOMEN_OK);
    EXPECT(nomen_backward(t->x) != NOMEN_OK);
    EXPECT(nomen_set_requires_grad(t->x, true) != NOMEN_OK);
    EXPECT(!nomen_register_hook(t->x, NULL, NULL, NULL));
    EXPECT(!nomen_detach(t->x));
    EXPECT(nomen_set_names(t->x, "Q R S T") != NOMEN_OK);
    nomen_fuse_mark fuse = nomen_fuse_begin();
    EXPECT(!nomen_add(t->x, t->x));
    nomen_fuse_end(&fuse);
    nomen_scope_close(&mark);
}

static void every_row_says_no(task *t) {
    for (int i = 0; i < nomen__op_count; i++) {
        const nomen__op *op = &nomen__ops[i];
        _Alignas(16) char args[512] = {0};
        for (int k = 0; k < op->lead; k++) memcpy(args + op->args[k].offset, &t->x, sizeof t->x);
        nomen_tensor *r = op->list || op->truth ? NULL : __real_nomen__call_struct(op, args, false);
        EXPECT(!r || r == t->x); /* what gives its operand back needs no memory */
    }
}

static void add_up(void *context, int64_t begin, int64_t end) {
    __atomic_fetch_add((int *)context, (int)(end - begin), __ATOMIC_RELAXED);
}

static void the_rest_goes_on(task *t) {
    char text[64];
    EXPECT(nomen_keep(t->x) == t->x);
    EXPECT(nomen_numel(t->x) == 4 && nomen_item(t->x) != 4);
    (void)nomen_repr(t->x, text, sizeof text);
    nomen__parallel(1000, 10, add_up, &t->sum);
    EXPECT(t->sum == 1000);
    EXPECT(nomen__ask() == NOMEN_OK && !nomen__is_stopped());
    bool quiet = nomen__ask_nothing(true);
    (void)nomen__ask_nothing(quiet);
    void *payload = NULL;
    EXPECT(!nomen__interrupt_swap(NULL, NULL, payload));
    nomen__fail_allocation(3);
    nomen__fail_system(3, 1);
    EXPECT(nomen__allocation_count() == 0 && nomen__system_count() == 0);
    EXPECT(nomen_get_memory_stats().tensors_live >= 1);
    nomen_empty_cache();
    nomen_name id;
    (void)nomen_name_intern("before_there_is_a_state", 23, &id);
    EXPECT(!nomen__scoped(t->lent[0])); /* which lets go of it */
    for (int i = 1; i < LENT; i++) nomen_release(t->lent[i]);
    nomen_thread_end();
}

static void later_there_is_one(task *t) {
    EXPECT(!nomen_zeros(NULL, NOMEN_SIZES(3)));
    nomen__fail_threads(false);
    nomen_clear_error();
    nomen_scope() EXPECT(nomen_item(nomen_sum(nomen_ones_like(t->x))) == 4);
    EXPECT(nomen_last_error() == NULL);
    nomen_thread_end();
}

static void threads_without_a_state(void **unused) {
    (void)unused;
    if (!FAULTY) skip();
    void (*const tasks[])(task *) = {errors_are_told, nothing_is_made, every_row_says_no,
                                     the_rest_goes_on, later_there_is_one};
    for (size_t i = 0; i < NOMEN_COUNT(tasks); i++) {
        nomen_memory_stats before = nomen_get_memory_stats();
        nomen_scope() {
            int64_t many[9] = {1, 2, 1, 2, 1, 2, 1, 2, 1}, large[] = {100, 1000};
            task t = {.run = tasks[i], .x = nomen_ones("N C", NOMEN_SIZES(2, 2))};
            if (t.run == the_rest_goes_on) { /* the last references go there */
                t.lent[0] = nomen__tensor_empty(NOMEN_F32, 9, many);
                t.lent[1] = nomen__tensor_empty(NOMEN_F64, 2, large);
                t.lent[2] = nomen__tensor_empty(NOMEN_I8, 1, many);
                t.lent[3] = nomen__tensor_alias(t.lent[1]);
                t.lent[4] = nomen_retain(nomen_ones(NULL, NOMEN_SIZES(700)));
                nomen_tensor *w = nomen_ones(NULL, NOMEN_SIZES(2));
                nomen_set_requires_grad(w, true);
                t.lent[5] = nomen_retain(nomen_mul(w, w));
            }
            run_without_state(&t);
            if (t.run == nothing_is_made) assert_int_equal(t.released, 0);
        }
        nomen_memory_stats after = nomen_get_memory_stats();
        assert_int_equal(after.tensors_live, before.tensors_live);
        assert_int_equal(after.buffers_live, before.buffers_live);
        assert_int_equal(after.bytes_live, before.bytes_live);
    }
}

/* ---- a system without memory ----------------------------------------------------------------- */

/* Small and large buffers, metadata, names, lists. The sum, or -1. */
static double work(int turn) {
    char name[32];
    int64_t many[9] = {1, 2, 1, 2, 1, 2, 1, 2, 1};
    double sum = -1;
    snprintf(name, sizeof name, "turn_%d", turn);
    nomen_scope() {
        nomen_tensor *small = nomen_ones(name, NOMEN_SIZES(10));
        nomen_tensor *large = nomen_ones(NULL, NOMEN_SIZES(400, 500), .dtype = NOMEN_F64);
        nomen_tensor *huge = nomen_ones(NULL, NOMEN_SIZES(3000000));
        nomen_tensor *spilled = nomen_ones(NULL, ((nomen_sizes){9, many}));
        nomen_list parts = nomen_chunk(large, 2, "0");
        nomen_tensor *all = nomen_add(nomen_sum(small), nomen_sum(spilled));
        all = nomen_add(all, nomen_sum(nomen_narrow(huge, "0", 0, 7)));
        if (parts.count == 2)
            all = nomen_add(all, nomen_numel(parts.at[0]) == 100000 ? nomen_scalar(0) : NULL);
        if (all && parts.count == 2) sum = nomen_item(all);
    }
    return sum;
}

static void from_nothing(void) {
    nomen_thread_end();
    nomen_empty_cache();
    nomen_thread_end();
}

static void requests_to_the_system_fail(void **unused) {
    (void)unused;
    if (!FAULTY) skip();
    const double sum = work(0);
    assert_true(sum == 33);
    for (int all = 0; all < 2; all++) {
        int failures = 0;
        for (int64_t nth = 0;; nth++) {
            from_nothing();
            nomen_memory_stats before = nomen_get_memory_stats();
            nomen_clear_error();
            nomen__fail_memory(nth, all ? INT64_MAX / 2 : 1);
            double got = work(1 + all * 1000 + (int)nth);
            int64_t asked = nomen__fail_memory(0, 0);
            const nomen_error *e = nomen_last_error();
            if (got != sum) {
                assert_non_null(e);
                assert_int_equal(e->code, NOMEN_ERROR_MEMORY);
                failures++;
            }
            nomen_clear_error();
            nomen_memory_stats after = nomen_get_memory_stats();
            assert_int_equal(after.tensors_live, before.tensors_live);
            assert_int_equal(after.bytes_live, before.bytes_live);
            assert_true(work(0) == sum);
            if (asked <= nth) break;
            assert_true(nth < 500);
        }
        if (all) assert_true(failures >= 8); /* one by one most are asked again */
    }
}

/* ---- results that are made piece by piece ---------------------------------------------------- */

enum { ROWS = 2000, COLUMNS = 201 };

static int sorted_in_the_end(nomen_tensor *x) {
    nomen_tensor *out = nomen_full(NULL, NOMEN_SIZES(ROWS, COLUMNS), nomen_num(7.0)), *places;
    const float *at = nomen_data(out);
    int failures = 0;
    for (int64_t nth = 0;; nth++, failures++) {
        assert_true(nth < 100);
        nomen__fail_allocation(nth);
        nomen_tensor *r = nomen_sort(x, .dim = "0", .indices = &places, .out = out);
        nomen__fail_allocation(-1);
        if (r) break;
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
        nomen_clear_error();
        for (int64_t i = 0; i < ROWS * COLUMNS; i++) assert_true(at[i] == 7);
    }
    for (int64_t i = COLUMNS; i < ROWS * COLUMNS; i++) assert_true(at[i - COLUMNS] <= at[i]);
    nomen_free(&out);
    nomen_free(&places);
    return failures;
}

/* Columns are put in order some at a time: where there is no memory, in none of them. */
static void columns_in_order(void **unused) {
    (void)unused;
    if (!FAULTY) skip();
    nomen_tensor *x = nomen_rand(NULL, NOMEN_SIZES(ROWS, COLUMNS));
    assert_true(sorted_in_the_end(x) >= 5);
    nomen_free(&x);
}

/* Of one element again and again values and positions are written, or neither. */
static void what_is_in_order(void **unused) {
    (void)unused;
    if (!FAULTY) skip();
    nomen_tensor *x = nomen_rand(NULL, NOMEN_SIZES(COLUMNS));
    nomen_tensor *rows = nomen_expand(x, NOMEN_SIZES(ROWS, COLUMNS));
    assert_true(sorted_in_the_end(rows) >= 2);
    nomen_free(&rows);
    nomen_free(&x);
}

/* The carries of long lines come before the copy that they are added up in. */
static void long_lines(void **unused) {
    (void)unused;
    enum { N = 300000 };
    if (!FAULTY) skip();
    const int threads = nomen_get_num_threads();
    nomen_set_num_threads(3);
    nomen_tensor *wide = nomen_zeros(NULL, NOMEN_SIZES(3, N, 2), .dtype = NOMEN_F16);
    nomen_tensor *x = nomen_select(wide, "2", 0);
    nomen_tensor *out = nomen_full(NULL, NOMEN_SIZES(3, N), nomen_num(7.0), .dtype = NOMEN_F16);
    const uint16_t *at = nomen_data(out);
    int failures = 0;
    for (int64_t nth = 0;; nth++, failures++) {
        assert_true(nth < 100);
        nomen__fail_allocation(nth);
        nomen_tensor *r = nomen_cumsum(x, "1", .out = out);
        nomen__fail_allocation(-1);
        if (r) break;
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
        nomen_clear_error();
        for (int64_t i = 0; i < 3 * N; i++) assert_true(at[i] == 0x4700);
    }
    assert_true(failures >= 1);
    for (int64_t i = 0; i < 3 * N; i++) assert_true(at[i] == 0);
    nomen_set_num_threads(threads);
    nomen_free(&out);
    nomen_free(&x);
    nomen_free(&wide);
}

/* Where there is no memory for large tiles, small ones do. */
static int added_in_parts(int64_t rows, int64_t columns) {
    nomen_tensor *x = nomen_rand(NULL, NOMEN_SIZES(columns, rows), .dtype = NOMEN_F64);
    nomen_tensor *y = nomen_rand(NULL, NOMEN_SIZES(rows, columns), .dtype = NOMEN_F64);
    nomen_tensor *turned = nomen_transpose(x, "0", "1");
    nomen_tensor *out = nomen_zeros(NULL, NOMEN_SIZES(rows, columns), .dtype = NOMEN_F64);
    const double *a = nomen_data(x), *b = nomen_data(y), *sum = nomen_data(out);
    int did_without = 0;
    for (int64_t nth = 0, asked = 1; nth < asked; nth++) {
        assert_non_null(nomen_zero_(out));
        nomen__fail_allocation(nth);
        const int64_t before = nomen__allocation_count();
        nomen_tensor *r = nomen_add(turned, y, .out = out);
        asked = nomen__allocation_count() - before;
        nomen__fail_allocation(-1);
        did_without += r && nth < asked;
        assert_true(r ? !nomen_last_error() : nomen_last_error()->code == NOMEN_ERROR_MEMORY);
        nomen_clear_error();
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                assert_true(sum[i * columns + j] == (r ? a[j * rows + i] + b[i * columns + j] : 0));
    }
    nomen_free(&out);
    nomen_free(&turned);
    nomen_free(&y);
    nomen_free(&x);
    return did_without;
}

static void tiles_without_room(void **unused) {
    (void)unused;
    if (!FAULTY) skip();
    const int threads = nomen_get_num_threads();
    nomen_set_num_threads(1);
    assert_true(added_in_parts(333, 301) >= 1);
    assert_true(added_in_parts(130, 1024) >= 1); /* rows that are cut */
    assert_true(added_in_parts(20, 9000) >= 1);
    assert_true(added_in_parts(60001, 12) >= 1); /* short ones */
    nomen_set_num_threads(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_without_a_state),
        cmocka_unit_test(requests_to_the_system_fail),
        cmocka_unit_test(columns_in_order),
        cmocka_unit_test(what_is_in_order),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(tiles_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
