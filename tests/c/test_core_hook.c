/* The user's allocator: everything comes from it and goes back to it. A program of its own, for it
 * must come first. */
#include "core/core.h"
#include "nomen/memory.h"
#include "nomen/scope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static int64_t asked, given_back, bytes_out;
static bool empty_handed;

static void *user_alloc(void *payload, size_t bytes) {
    void *p = NULL;
    if (empty_handed || posix_memalign(&p, 64, bytes ? bytes : 1)) return NULL;
    ++*(int64_t *)payload;
    bytes_out += (int64_t)bytes;
    return p;
}

static void user_free(void *payload, void *p, size_t bytes) {
    (void)payload;
    given_back++;
    bytes_out -= (int64_t)bytes;
    free(p);
}

static void everything_comes_from_the_user(void **s) {
    (void)s;
    nomen_allocator half = {user_alloc, NULL, NULL}, whole = {user_alloc, user_free, &asked};
    nomen_allocator other_half = {NULL, user_free, NULL};
    assert_int_equal(nomen_set_allocator(&half), NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_set_allocator(&other_half), NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_set_allocator(NULL), NOMEN_OK);
    assert_int_equal(nomen_set_allocator(&whole), NOMEN_OK);
    int64_t sizes[][1] = {{0}, {10}, {300}, {3000}, {3000000}};
    nomen_clear_error();
    nomen_scope() {
        for (size_t i = 0; i < NOMEN_COUNT(sizes); i++)
            for (int k = 0; k < 3; k++)
                assert_non_null(nomen__scoped(nomen__tensor_empty(NOMEN_F32, 1, sizes[i])));
    }
    assert_true(asked >= 2 * 15);
    empty_handed = true;
    nomen_empty_cache();
    assert_null(nomen__tensor_empty(NOMEN_F32, 1, sizes[4]));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    empty_handed = false;
    assert_int_equal(nomen_set_allocator(NULL), NOMEN_ERROR_STATE);
    nomen_thread_end();
    nomen_empty_cache();
    nomen_thread_end();
    assert_int_equal(asked, given_back);
    assert_int_equal(bytes_out, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_comes_from_the_user)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
