/* The error of a thread: what sticks, what is replaced, what is cut. */
#include "clean_slate.h"
#include "core/core.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void first_error_is_kept(void **s) {
    (void)s;
    assert_null(nomen_last_error());
    assert_int_equal(nomen__fail(NOMEN_ERROR_SHAPE, "first %d", 1), NOMEN_ERROR_SHAPE);
    assert_int_equal(nomen__fail(NOMEN_ERROR_NAME, "second"), NOMEN_ERROR_NAME);
    assert_true(nomen__error_pending());
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    assert_int_equal(e->code, NOMEN_ERROR_SHAPE);
    assert_string_equal(e->message, "first 1");
    assert_string_equal(e->op, "");
    assert_string_equal(e->operands, "");
    assert_false(nomen__error_pending());
}

static void a_look_makes_room(void **s) {
    (void)s;
    nomen__fail(NOMEN_ERROR_SHAPE, "first");
    assert_non_null(nomen_last_error());
    assert_null(nomen_last_error());
    assert_string_equal(nomen_error_text(), "first");
    nomen__fail(NOMEN_ERROR_NAME, "second");
    assert_string_equal(nomen_error_text(), "second");
    /* The text is a look too, but does not take the error away. */
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_NAME);
    nomen__fail(NOMEN_ERROR_INDEX, "third");
    assert_string_equal(nomen_last_error()->message, "third");
}

static void context_goes_to_its_own_error(void **s) {
    (void)s;
    nomen__fail(NOMEN_ERROR_NAME, "bad name");
    nomen__fail(NOMEN_ERROR_SHAPE, "dropped");
    nomen__error_context("add", "self=Tensor[2]");
    assert_string_equal(nomen_error_text(), "bad name");
    nomen_clear_error();
    nomen__fail(NOMEN_ERROR_SHAPE, "sizes differ");
    nomen__error_context("add", "self=Tensor[2]");
    nomen__error_context("outer", "x=Tensor[3]");
    assert_string_equal(nomen_error_text(), "add: sizes differ (self=Tensor[2])");
    const nomen_error *e = nomen_last_error();
    assert_string_equal(e->op, "add");
    assert_string_equal(e->operands, "self=Tensor[2]");
}

static void nothing_without_error(void **s) {
    (void)s;
    assert_string_equal(nomen_error_text(), "");
    nomen__error_context("add", "x");
    assert_null(nomen_last_error());
    assert_string_equal(nomen_error_text(), "");
}

static void long_texts_are_cut(void **s) {
    (void)s;
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    nomen__fail(NOMEN_ERROR_VALUE, "%s", text);
    nomen__error_context(text, text);
    const nomen_error *e = nomen_last_error();
    assert_int_equal(strlen(e->message), 1023);
    assert_string_equal(e->message + 1020, "...");
    assert_int_equal(strlen(e->operands), 511);
    assert_string_equal(e->operands + 508, "...");
    NOMEN__TEXT(t, 8);
    nomen__text_add(&t, "1234567");
    assert_string_equal(t_buffer, "1234567");
    nomen__text_add(&t, "8");
    assert_string_equal(t_buffer, "1234567");
    nomen__text_add(&t, "9");
    assert_int_equal(strlen(t_buffer), 7);
    /* where there is hardly any room, there are fewer dots */
    static const char *const dots[] = {"", ".", "..", "...", "1..."};
    for (size_t room = 1; room <= NOMEN_COUNT(dots); room++) {
        char few[8] = "";
        nomen__text small = {few, room, 0};
        nomen__text_add(&small, "1234567");
        assert_string_equal(few, dots[room - 1]);
    }
}

/* A message that begins with the name of its operation does not get it once more; one that only
 * begins with the same letters does. */
static void operations_are_named_once(void **s) {
    (void)s;
    static const char *const texts[][2] = {
        {"sum: no", "sum: no"},   {"sum(): no", "sum(): no"},
        {"sum_: no", "sum_: no"}, {"summary: no", "sum: summary: no"},
        {"sum", "sum"},           {"no", "sum: no"},
    };
    for (size_t i = 0; i < NOMEN_COUNT(texts); i++) {
        nomen_clear_error();
        nomen__fail(NOMEN_ERROR_VALUE, "%s", texts[i][0]);
        nomen__error_context("sum", "");
        assert_string_equal(nomen_error_text(), texts[i][1]);
    }
    /* an operation without operands keeps its name, operands without an operation theirs */
    nomen_clear_error();
    nomen__fail(NOMEN_ERROR_VALUE, "no");
    nomen__error_context(NULL, "self=Tensor[2]");
    nomen__error_context("sum", "x=Tensor[3]");
    assert_string_equal(nomen_error_text(), "no (self=Tensor[2])");
    nomen_clear_error();
    nomen__fail(NOMEN_ERROR_VALUE, "no");
    nomen__error_context("sum", NULL);
    nomen__error_context("outer", "x=Tensor[3]");
    assert_string_equal(nomen_error_text(), "sum: no");
}

static void a_hint_stands_beside_the_message(void **s) {
    (void)s;
    assert_int_equal(nomen__hint(nomen__fail(NOMEN_ERROR_NAME, "no '%s'", "N"), "say '%s'", "n"),
                     NOMEN_ERROR_NAME);
    nomen__hint(NOMEN_ERROR_NAME, "a second one");
    nomen__error_context("sum", "self=Tensor[n=2]");
    assert_string_equal(nomen_error_text(), "sum: no 'N' (self=Tensor[n=2]); hint: say 'n'");
    nomen__hint(NOMEN_ERROR_NAME, "too late");
    assert_string_equal(nomen_last_error()->hint, "say 'n'");
    /* The next error begins without; one that is dropped leaves the first one's hint alone. */
    nomen__fail(NOMEN_ERROR_SHAPE, "first");
    nomen__hint(nomen__fail(NOMEN_ERROR_SHAPE, "second"), "of the second");
    assert_string_equal(nomen_error_text(), "first");
}

static void *other_thread(void *seen) {
    *(bool *)seen = nomen__error_pending();
    nomen__fail(NOMEN_ERROR_STATE, "of the other thread");
    return NULL;
}

static void threads_have_their_own(void **s) {
    (void)s;
    bool seen = true;
    pthread_t thread;
    nomen__fail(NOMEN_ERROR_SHAPE, "mine");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &seen), 0);
    pthread_join(thread, NULL);
    assert_false(seen);
    assert_string_equal(nomen_error_text(), "mine");
}

static void status_names(void **s) {
    (void)s;
    assert_string_equal(nomen_status_name(NOMEN_OK), "NOMEN_OK");
#define X(name, value, exception, meaning)                                                         \
    assert_string_equal(nomen_status_name((nomen_status)(value)), "NOMEN_ERROR_" #name);
#include "../../ops/errors.def"
#undef X
    assert_string_equal(nomen_status_name((nomen_status)-99), "?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(first_error_is_kept, fresh),
        cmocka_unit_test_setup(a_look_makes_room, fresh),
        cmocka_unit_test_setup(context_goes_to_its_own_error, fresh),
        cmocka_unit_test_setup(nothing_without_error, fresh),
        cmocka_unit_test_setup(long_texts_are_cut, fresh),
        cmocka_unit_test_setup(operations_are_named_once, fresh),
        cmocka_unit_test_setup(a_hint_stands_beside_the_message, fresh),
        cmocka_unit_test_setup(threads_have_their_own, fresh),
        cmocka_unit_test(status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
