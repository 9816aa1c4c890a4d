/* Who owns what, and when it dies: scopes left in every way, keep, free, retain, threads, foreign
 * memory. */
#include "core/core.h"
#include "nomen/memory.h"
#include "nomen/scope.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int64_t alive(void) { return nomen_get_memory_stats().tensors_live; }

static int start(void **s) {
    nomen_clear_error();
    static int64_t before;
    before = alive();
    *s = &before;
    return 0;
}

/* Every test gives back what it made. */
static int finish(void **s) {
    nomen_thread_end();
    return alive() == *(int64_t *)*s ? 0 : -1;
}

static nomen_tensor *make(void) {
    int64_t size[] = {2, 3};
    return nomen__scoped(nomen__tensor_empty(NOMEN_F32, 2, size));
}

static int count_inside; /* seen in the block that a return leaves */

static int left_by_return(int64_t base) {
    nomen_scope() {
        make();
        make();
        count_inside = (int)(alive() - base);
        if (count_inside == 2) return 5;
    }
    return 6;
}

static void ways_out(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_scope() {
        make();
        assert_int_equal(alive(), base + 1);
    }
    assert_int_equal(alive(), base);
    nomen_scope() {
        make();
        break;
    }
    assert_int_equal(alive(), base);
    assert_int_equal(left_by_return(base), 5);
    assert_int_equal(alive(), base);
    int rounds = 0;
    for (int i = 0; i < 3; i++) {
        nomen_scope() {
            make();
            if (i == 1) goto out;
            rounds++;
        }
    }
out:
    assert_int_equal(rounds, 1);
    assert_int_equal(alive(), base);
    for (int i = 0; i < 3; i++) nomen_scope() {
            make();
            continue;
        }
    assert_int_equal(alive(), base);
}

static void nested_and_kept(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_tensor *out = NULL;
    nomen_scope() {
        nomen_tensor *middle = NULL;
        nomen_scope() {
            make();
            middle = nomen_keep(make());
            assert_int_equal(alive(), base + 2);
        }
        assert_int_equal(alive(), base + 1);
        assert_int_equal(nomen_ndim(middle), 2);
        out = nomen_keep(middle);
    }
    assert_int_equal(alive(), base + 1);
    assert_ptr_equal(nomen_keep(out), out); /* the root has no scope around it */
    nomen_scope() { assert_ptr_equal(nomen_keep(out), out); /* it outlives this scope as it is */ }
    assert_int_equal(alive(), base + 1);
    nomen_free(&out);
    assert_null(out);
    nomen_free(&out);
    nomen_free(NULL);
    assert_null(nomen_keep(NULL));
    assert_int_equal(alive(), base);
    assert_null(nomen_last_error());
}

static void freed_early(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_scope() {
        nomen_tensor *a = make(), *b = make(), *c = make();
        nomen_free(&a);
        nomen_free(&c);
        assert_int_equal(alive(), base + 1);
        assert_int_equal(nomen_numel(b), 6);
        nomen_tensor *d = make();
        nomen_free(&b);
        assert_int_equal(nomen_numel(d), 6);
    }
    assert_int_equal(alive(), base);
}

static void a_closed_mark_stays_closed(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_scope_mark outer = nomen_scope_open(), inner = nomen_scope_open();
    make();
    nomen_scope_close(&outer); /* the inner one goes with it */
    assert_int_equal(alive(), base);
    nomen_scope_close(&outer);
    nomen_scope_mark third = nomen_scope_open(), fourth = nomen_scope_open();
    nomen_tensor *t = make();
    nomen_scope_close(&inner); /* same depth as the fourth, but not the same scope */
    assert_int_equal(nomen_ndim(t), 2);
    assert_int_equal(alive(), base + 1);
    nomen_scope_close(&fourth);
    assert_int_equal(alive(), base);
    make();
    nomen_scope_close(&third);
    assert_int_equal(alive(), base);
    nomen_scope_close(NULL);
}

static void many_in_one_scope(void **s) {
    int64_t base = *(int64_t *)*s;
    for (int round = 0; round < 2; round++) nomen_scope() {
            for (int i = 0; i < 1000; i++) assert_non_null(make());
            assert_int_equal(alive(), base + 1000);
        }
    assert_int_equal(alive(), base);
}

static void registered_once(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_scope() {
        nomen_tensor *t = make();
        assert_ptr_equal(nomen__scoped(nomen__retain(t)), t);
        assert_int_equal(atomic_load(&t->refs), 1);
        assert_null(nomen__scoped(NULL));
        assert_int_equal(alive(), base + 1);
    }
    assert_int_equal(alive(), base);
}

static void retained_beyond_the_scope(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_tensor *t = NULL;
    nomen_scope() { t = nomen_retain(make()); }
    assert_int_equal(alive(), base + 1);
    assert_int_equal(nomen_numel(t), 6);
    nomen_scope() { assert_ptr_equal(nomen_keep(t), t); }
    nomen_release(t);
    assert_int_equal(alive(), base);
    nomen_release(NULL);
    assert_null(nomen_retain(NULL));
}

static void lists_live_with_the_scope(void **s) {
    (void)s;
    int64_t before = nomen_get_memory_stats().metadata_live;
    nomen_scope() {
        nomen_tensor **list = nomen__scope_array(3), **none = nomen__scope_array(0);
        assert_non_null(list);
        assert_non_null(none);
        for (int i = 0; i < 3; i++) {
            assert_null(list[i]);
            list[i] = make();
        }
    }
    nomen_scope() { assert_non_null(nomen__scope_array(1000)); }
    /* more bytes than a size_t holds: of the list, with its header, and fewer than none */
    const int64_t wrong[] = {INT64_MAX, (int64_t)(SIZE_MAX / sizeof(nomen_tensor *)), -1};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        assert_null(nomen__scope_array(wrong[i]));
        assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    }
    nomen_thread_end();
    assert_true(nomen_get_memory_stats().metadata_live <= before);
}

static void *makes_and_ends(void *handed_over) {
    nomen_scope_open(); /* left open on purpose */
    for (int i = 0; i < 10; i++) make();
    *(nomen_tensor **)handed_over = nomen_retain(make());
    return NULL;
}

static void thread_exit_frees(void **s) {
    int64_t base = *(int64_t *)*s;
    nomen_tensor *kept = NULL;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, makes_and_ends, &kept), 0);
    pthread_join(thread, NULL);
    assert_int_equal(alive(), base + 1);
    assert_int_equal(nomen_numel(kept), 6);
    nomen_release(kept);
    assert_int_equal(alive(), base);
}

/* What a thread leaves behind: things of the outermost scope, lists, scopes in scopes. */
static void *leaves_items(void *unused) {
    (void)unused;
    make();
    nomen_scope_open();
    return make();
}

static void *leaves_a_list(void *unused) {
    (void)unused;
    nomen_tensor **list = nomen__scope_array(5);
    nomen_scope_open();
    return list;
}

static void *leaves_scopes(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        nomen_scope_open();
        make();
        (void)nomen__scope_array(2);
    }
    return make();
}

static void thread_exit_frees_all(void **s) {
    int64_t base = *(int64_t *)*s, metadata = nomen_get_memory_stats().metadata_live;
    void *(*const ways[])(void *) = {leaves_items, leaves_a_list, leaves_scopes};
    for (size_t i = 0; i < NOMEN_COUNT(ways); i++) {
        pthread_t thread;
        void *made = NULL;
        assert_int_equal(pthread_create(&thread, NULL, ways[i], NULL), 0);
        pthread_join(thread, &made);
        assert_non_null(made);
        assert_int_equal(alive(), base);
        assert_true(nomen_get_memory_stats().metadata_live <= metadata);
    }
}

static void opens_a_scope(void *payload) {
    nomen_scope_open(); /* and leaves it open */
    *(nomen_tensor **)payload = make();
}

/* A scope is closed although what dies in it opens another one. */
static void scopes_of_the_dying(void **s) {
    int64_t base = *(int64_t *)*s;
    float data[1] = {3};
    nomen_tensor *made = NULL;
    nomen_scope_mark outer = nomen_scope_open(), inner = nomen_scope_open();
    assert_non_null(nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(1), opens_a_scope, &made));
    nomen_scope_close(&inner);
    assert_non_null(made);
    assert_int_equal(alive(), base); /* what was made in it went with it */
    nomen_tensor *t = make();
    assert_int_equal(alive(), base + 1);
    assert_int_equal(nomen_numel(t), 6);
    nomen_scope_close(&outer);
    assert_int_equal(alive(), base);
}

static void *frees_what_is_not_its_own(void *t) {
    nomen_tensor *x = t;
    nomen_free(&x);
    return nomen_last_error() && x ? t : NULL;
}

static void free_belongs_to_the_owner(void **s) {
    (void)s;
    nomen_tensor *t = make();
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, frees_what_is_not_its_own, t), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, t);
    assert_int_equal(nomen_numel(t), 6);
}

static int releases;

static void on_release(void *payload) {
    releases += *(int *)payload;
    make(); /* user code may use the library, even while a scope is closing */
}

static void foreign_memory(void **s) {
    (void)s;
    float data[6] = {1, 2, 3, 4, 5, 6};
    int one = 1;
    releases = 0;
    nomen_scope() {
        nomen_tensor *t =
            nomen_from_data(data, NOMEN_F32, "N C", NOMEN_SIZES(2, 3), on_release, &one);
        assert_ptr_equal(nomen_data(t), data);
        nomen_tensor *view = nomen__scoped(nomen__tensor_alias(t));
        nomen_free(&t);
        assert_int_equal(releases, 0);
        assert_string_equal(nomen_name_of(view, 1), "C");
    }
    assert_int_equal(releases, 1);
    /* What fails does not release. */
    assert_null(nomen_from_data(data, NOMEN_F32, "N N", NOMEN_SIZES(2, 3), on_release, &one));
    assert_null(nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(-2, 3), on_release, &one));
    assert_null(
        nomen_from_data((char *)data + 1, NOMEN_F32, NULL, NOMEN_SIZES(1), on_release, &one));
    assert_null(nomen_from_data(NULL, NOMEN_F32, NULL, NOMEN_SIZES(1), on_release, &one));
    assert_null(nomen_from_data(data, NOMEN_DTYPE_NONE, NULL, NOMEN_SIZES(1), on_release, &one));
    assert_int_equal(releases, 1);
    nomen_tensor *empty = nomen_from_data(NULL, NOMEN_F32, NULL, NOMEN_SIZES(0), NULL, NULL);
    assert_non_null(empty);
    assert_int_equal(nomen_numel(empty), 0);
}

#ifdef NOMEN_FAULTS

/* Where the scope has no room for one more, memory of the user stays the user's. */
static void foreign_memory_without_room(void **s) {
    (void)s;
    enum { MANY = 400, REQUESTS = 6 };
    float data[1] = {7};
    int one = 1, failures = 0;
    releases = 0;
    nomen_memory_stats before = nomen_get_memory_stats();
    nomen_scope() {
        for (int i = 0; i < MANY; i++)
            for (int nth = 0; nth < REQUESTS; nth++) {
                nomen__fail_allocation(nth);
                nomen_tensor *t =
                    nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(1), on_release, &one);
                nomen__fail_allocation(-1);
                assert_int_equal(releases, 0);
                if (t) break;
                failures++;
                assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
            }
    }
    assert_true(failures > MANY);
    assert_int_equal(releases, MANY);
    assert_int_equal(nomen_get_memory_stats().tensors_live, before.tensors_live);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ways_out, start, finish),
        cmocka_unit_test_setup_teardown(nested_and_kept, start, finish),
        cmocka_unit_test_setup_teardown(freed_early, start, finish),
        cmocka_unit_test_setup_teardown(a_closed_mark_stays_closed, start, finish),
        cmocka_unit_test_setup_teardown(many_in_one_scope, start, finish),
        cmocka_unit_test_setup_teardown(registered_once, start, finish),
        cmocka_unit_test_setup_teardown(retained_beyond_the_scope, start, finish),
        cmocka_unit_test_setup_teardown(lists_live_with_the_scope, start, finish),
        cmocka_unit_test_setup_teardown(thread_exit_frees, start, finish),
        cmocka_unit_test_setup_teardown(thread_exit_frees_all, start, finish),
        cmocka_unit_test_setup_teardown(scopes_of_the_dying, start, finish),
        cmocka_unit_test_setup_teardown(free_belongs_to_the_owner, start, finish),
        cmocka_unit_test_setup_teardown(foreign_memory, start, finish),
#ifdef NOMEN_FAULTS
        cmocka_unit_test_setup_teardown(foreign_memory_without_room, start, finish),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
