/* The name table and the rules of name lists, texts included. */
#include "clean_slate.h"
#include "core/core.h"
#include "nomen/scope.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BAD_NAME                                                                                   \
    "Invalid name: a valid identifier contains only digits, alphabetical characters, and/or "      \
    "underscore and starts with a non-digit. got: "

static nomen_name id(const char *text) {
    nomen_name n = 0;
    assert_true(nomen_name_intern(text, strlen(text), &n));
    return n;
}

static void check_error(nomen_status code, const char *message) {
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    assert_string_equal(e->message, message);
    assert_int_equal(e->code, code);
}

static void ids_are_stable(void **s) {
    (void)s;
    nomen_name n = id("N"), c = id("C");
    assert_int_not_equal(n, 0);
    assert_int_not_equal(n, c);
    assert_int_equal(id("N"), n);
    assert_string_equal(nomen_name_text(n), "N");
    assert_int_equal(id("*"), 0);
    assert_null(nomen_name_text(0));
    assert_null(nomen_name_text(UINT32_MAX));
    nomen_name part = 0;
    assert_true(nomen_name_intern("Nothing", 1, &part));
    assert_int_equal(part, n);
    char text[32];
    nomen_name first = id("grow_0");
    for (int i = 0; i < 5000; i++) { /* beyond several chunks and tables */
        snprintf(text, sizeof text, "grow_%d", i);
        assert_string_equal(nomen_name_text(id(text)), text);
    }
    assert_int_equal(id("grow_0"), first);
    assert_int_equal(id("N"), n);
}

static void what_is_a_name(void **s) {
    (void)s;
    const char *good[] = {"N", "_", "_1", "a9", "BATCH_5", "None", "if", "True"};
    for (size_t i = 0; i < NOMEN_COUNT(good); i++) assert_int_not_equal(id(good[i]), 0);
    char three_hundred[301];
    memset(three_hundred, 'q', 300);
    three_hundred[300] = 0;
    assert_string_equal(nomen_name_text(id(three_hundred)), three_hundred);
    const char *bad[] = {"", "9a", "a b", "a-b", "N.x", "\xc3\xa9", "...", "N ", "**"};
    for (size_t i = 0; i < NOMEN_COUNT(bad); i++) {
        char message[256];
        nomen_name n = 77;
        assert_false(nomen_name_intern(bad[i], strlen(bad[i]), &n));
        assert_int_equal(n, 77);
        snprintf(message, sizeof message, BAD_NAME "'%s'.", bad[i]);
        check_error(NOMEN_ERROR_NAME, message);
    }
    nomen_name n;
    assert_false(nomen_name_intern("a\0b", 3, &n));
    check_error(NOMEN_ERROR_NAME, BAD_NAME "'a\\x00b'.");
    assert_false(nomen_name_intern("a\nb", 3, &n));
    check_error(NOMEN_ERROR_NAME, BAD_NAME "'a\\x0ab'.");
    assert_false(nomen_name_intern(NULL, 0, &n));
    check_error(NOMEN_ERROR_NAME, BAD_NAME "''.");
}

static void lists_are_checked_in_order(void **s) {
    (void)s;
    nomen_name n = id("N"), many[65], list[] = {n, 0, n};
    memset(many, 0, sizeof many);
    assert_int_equal(nomen__check_names(list, 2, 2), NOMEN_OK);
    assert_int_equal(nomen__check_names(NULL, 2, 2), NOMEN_OK);
    assert_int_equal(nomen__check_names(many, 64, 64), NOMEN_OK);
    assert_int_equal(nomen__check_names(list, 3, 3), NOMEN_ERROR_NAME);
    check_error(NOMEN_ERROR_NAME,
                "Cannot construct a tensor with duplicate names. Got names: ['N', None, 'N'].");
    /* the count before the duplicates */
    assert_int_equal(nomen__check_names(list, 3, 2), NOMEN_ERROR_NAME);
    check_error(NOMEN_ERROR_NAME,
                "Number of names (3) and number of dimensions in tensor (2) do not match. "
                "Attempted to create a tensor with names ['N', None, 'N']");
    /* the rank before the count */
    assert_int_equal(nomen__check_names(list, 3, 65), NOMEN_ERROR_NAME);
    check_error(NOMEN_ERROR_NAME, "Named tensors only support up to 64 dims: Attempted to create a "
                                  "tensor with dim 65 with names ['N', None, 'N']");
}

static void splitting(void **s) {
    (void)s;
    nomen_name names[NOMEN_MAX_DIMS];
    int n = -1;
    assert_int_equal(nomen__names_split("  N\t* \nC ", names, &n), NOMEN_OK);
    assert_int_equal(n, 3);
    assert_int_equal(names[0], id("N"));
    assert_int_equal(names[1], 0);
    assert_int_equal(names[2], id("C"));
    assert_int_equal(nomen__names_split(" ", names, &n), NOMEN_OK);
    assert_int_equal(n, 0);
    assert_int_equal(nomen__names_split("N 2", names, &n), NOMEN_ERROR_NAME);
    check_error(NOMEN_ERROR_NAME, BAD_NAME "'2'.");
    char stars[2 * 65 + 1] = "";
    for (int i = 0; i < 64; i++) strcat(stars, "* ");
    assert_int_equal(nomen__names_split(stars, names, &n), NOMEN_OK);
    assert_int_equal(n, 64);
    strcat(stars, "*");
    assert_int_equal(nomen__names_split(stars, names, &n), NOMEN_ERROR_NAME);
    assert_non_null(strstr(nomen_error_text(), "more than 64 names"));
}

static void names_of_a_tensor(void **s) {
    (void)s;
    float data[6] = {0};
    nomen_tensor *t = nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(2, 3), NULL, NULL);
    assert_false(nomen_has_names(t));
    assert_null(nomen_name_of(t, 0));
    assert_int_equal(nomen_set_names(t, "N C"), NOMEN_OK);
    assert_true(nomen_has_names(t));
    assert_string_equal(nomen_name_of(t, -1), "C");
    assert_null(nomen_name_of(t, 2));
    assert_int_equal(nomen_size(t, "C"), 3);
    assert_int_equal(nomen_size(t, " -2 "), 2);
    assert_int_equal(nomen_stride(t, "N"), 3);
    /* what fails changes nothing */
    assert_int_equal(nomen_set_names(t, "N N"), NOMEN_ERROR_NAME);
    assert_int_equal(nomen_set_names(t, "N"), NOMEN_ERROR_NAME);
    assert_string_equal(nomen_name_of(t, 1), "C");
    nomen_clear_error();
    assert_int_equal(nomen_size(t, "H"), -1);
    check_error(NOMEN_ERROR_NAME, "Name 'H' not found in Tensor['N', 'C'].");
    assert_int_equal(nomen_size(t, "*"), -1);
    check_error(NOMEN_ERROR_NAME, "Please look up dimensions by name, got: name = None.");
    assert_int_equal(nomen_size(t, "5"), -1);
    check_error(NOMEN_ERROR_INDEX,
                "Dimension out of range (expected to be in range of [-2, 1], but got 5)");
    assert_int_equal(nomen_size(t, "99999999999999999999"), -1);
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_INDEX);
    assert_int_equal(nomen_size(t, "9a"), -1);
    check_error(NOMEN_ERROR_NAME, BAD_NAME "'9a'.");
    assert_int_equal(nomen_set_names(t, "* C"), NOMEN_OK);
    assert_null(nomen_name_of(t, 0));
    assert_int_equal(nomen_set_names(t, "* *"), NOMEN_OK);
    assert_false(nomen_has_names(t));
    nomen_set_names(t, "N C");
    assert_int_equal(nomen_set_names(t, NULL), NOMEN_OK);
    assert_false(nomen_has_names(t));
    assert_int_equal(nomen_size(t, "N"), -1);
    check_error(NOMEN_ERROR_NAME, "Name 'N' not found in Tensor[None, None].");
    nomen_tensor *zero = nomen_scalar(1);
    assert_int_equal(nomen_set_names(zero, ""), NOMEN_OK);
    assert_int_equal(nomen_size(zero, "0"), -1);
    check_error(NOMEN_ERROR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
}

static void texts(void **s) {
    (void)s;
    int64_t size[] = {32, 64};
    nomen_name names[] = {id("N"), 0};
    nomen_tensor *t = nomen__tensor_empty(NOMEN_I64, 2, size);
    NOMEN__TEXT(a, 256);
    nomen__text_tensor(&a, t, false);
    nomen__set_names(t, names);
    nomen__text_add(&a, " ");
    nomen__text_tensor(&a, t, true);
    nomen__text_add(&a, " ");
    nomen__text_tensor(&a, NULL, true);
    nomen__text_add(&a, " ");
    nomen__text_sizes(&a, size, 2);
    nomen__text_sizes(&a, size, 0);
    nomen__text_names(&a, names, 2);
    nomen__text_names(&a, NULL, 1);
    assert_string_equal(a_buffer,
                        "Tensor[32, 64] Tensor[N=32, 64, int64] NULL [32, 64][]['N', None][None]");
    nomen__release(t);
}

enum { READERS = 4, WORDS = 2000 };

static void *interns(void *result) {
    nomen_name *ids = result;
    char text[32];
    for (int i = 0; i < WORDS; i++) {
        snprintf(text, sizeof text, "shared_%d", i);
        if (!nomen_name_intern(text, strlen(text), &ids[i])) ids[i] = 0;
    }
    return NULL;
}

static void threads_agree(void **s) {
    (void)s;
    static nomen_name ids[READERS][WORDS];
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, interns, ids[i]), 0);
    for (int i = 0; i < READERS; i++) pthread_join(threads[i], NULL);
    for (int w = 0; w < WORDS; w++) {
        char text[32];
        snprintf(text, sizeof text, "shared_%d", w);
        assert_string_equal(nomen_name_text(ids[0][w]), text);
        for (int i = 1; i < READERS; i++) assert_int_equal(ids[i][w], ids[0][w]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ids_are_stable, fresh),
        cmocka_unit_test_setup(what_is_a_name, fresh),
        cmocka_unit_test_setup(lists_are_checked_in_order, fresh),
        cmocka_unit_test_setup(splitting, fresh),
        cmocka_unit_test_setup(names_of_a_tensor, fresh),
        cmocka_unit_test_setup(texts, fresh),
        cmocka_unit_test_setup(threads_agree, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
