/* nomen_repr where the recorded texts (tests/python/test_repr_golden.py) do not reach: strides,
 * extras of the caller, short buffers, options out of range, locales, memory that runs out. */
#include "core/core.h"
#include "io/print.h"
#include "nomen/scope.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int close_scope(void **state) {
    nomen_scope_close(*state);
    free(*state);
    nomen_set_print_options(NULL);
    nomen_clear_error();
    return 0;
}

static int open_scope(void **state) {
    nomen_scope_mark *mark = malloc(sizeof *mark);
    *mark = nomen_scope_open();
    *state = mark;
    return 0;
}

static void expect(const nomen_tensor *t, const char *expected) {
    char text[8192];
    size_t length = nomen_repr(t, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void expect_extra(const nomen_tensor *t, nomen__repr_extra extra, const char *expected) {
    nomen__long_text text = {0};
    assert_int_equal(nomen__repr(t, &extra, &text), NOMEN_OK);
    assert_string_equal(text.at, expected);
    nomen__long_text_free(&text);
}

static nomen_tensor *of(const void *data, nomen_dtype dtype, const char *names, nomen_sizes size) {
    nomen_tensor *t = nomen_from_data((void *)(uintptr_t)data, dtype, names, size, NULL, NULL);
    assert_non_null(t);
    return t;
}

static void strides_of_any_sign(void **state) {
    (void)state;
    int64_t numbers[] = {0, 1, 2, 3, 4, 5};
    nomen_tensor *t = of(numbers, NOMEN_I64, "N C", NOMEN_SIZES(2, 3));
    expect(t, "tensor([[0, 1, 2],\n        [3, 4, 5]], names=('N', 'C'))");
    nomen_tensor *columns = of(numbers, NOMEN_I64, NULL, NOMEN_SIZES(3, 2));
    columns->stride[0] = 1;
    columns->stride[1] = 3;
    nomen__tensor_finish(columns);
    expect(columns, "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
    nomen_tensor *backward = of(numbers, NOMEN_I64, NULL, NOMEN_SIZES(2, 3));
    backward->data += 5 * sizeof *numbers;
    backward->stride[0] = -3;
    backward->stride[1] = -1;
    nomen__tensor_finish(backward);
    expect(backward, "tensor([[5, 4, 3],\n        [2, 1, 0]])");
    nomen_tensor *same = of(numbers, NOMEN_I64, NULL, NOMEN_SIZES(6));
    same->stride[0] = 0;
    nomen__tensor_finish(same);
    expect(same, "tensor([0, 0, 0, 0, 0, 0])");
    /* undone, so that the memory that each header answers for is its own */
    backward->data -= 5 * sizeof *numbers;
}

static void unaligned_to_nothing_but_bytes(void **state) {
    (void)state;
    static const uint8_t truths[] = {0, 1, 2, 255};
    expect(of(truths, NOMEN_BOOL, NULL, NOMEN_SIZES(4)), "tensor([False,  True,  True,  True])");
    static const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0x0001,
                                      0x7c00, 0xfc00, 0xfe00, 0x7bff};
    expect(of(halves, NOMEN_F16, NULL, NOMEN_SIZES(8)),
           "tensor([0.0000e+00, -0.0000e+00, 1.0000e+00, 5.9605e-08,        inf,       -inf,\n     "
           "          nan, 6.5504e+04], dtype=nomen.float16)");
}

static void extras(void **state) {
    (void)state;
    static const float zeros[8] = {0};
    nomen_tensor *t = of(zeros, NOMEN_F32, "N", NOMEN_SIZES(2));
    expect_extra(t, (nomen__repr_extra){.grad = "requires_grad=True"},
                 "tensor([0., 0.], requires_grad=True, names=('N',))");
    expect_extra(t, (nomen__repr_extra){.grad = "grad_fn=<AddBackward0>", .device = "mock"},
                 "tensor([0., 0.], device='mock', grad_fn=<AddBackward0>, names=('N',))");
    expect_extra(t, (nomen__repr_extra){.default_dtype = NOMEN_F64},
                 "tensor([0., 0.], dtype=nomen.float32, names=('N',))");
    nomen_tensor *wide = of(zeros, NOMEN_F64, NULL, NOMEN_SIZES(1));
    expect(wide, "tensor([0.], dtype=nomen.float64)");
    expect_extra(wide, (nomen__repr_extra){.default_dtype = NOMEN_F64}, "tensor([0.])");
    nomen_tensor *complex = of(zeros, NOMEN_C128, NULL, NOMEN_SIZES(1));
    expect_extra(complex, (nomen__repr_extra){.default_dtype = NOMEN_F64}, "tensor([0.+0.j])");
    nomen_tensor *square = of(zeros, NOMEN_F32, NULL, NOMEN_SIZES(2, 2));
    expect_extra(square, (nomen__repr_extra){.prefix = "MyTensor("},
                 "MyTensor([[0., 0.],\n          [0., 0.]])");
    char grad[80];
    snprintf(grad, sizeof grad, "grad_fn=<%.*s>", 60,
             "A_very_long_name_of_an_operation_that_somebody_wrote_in_Python_");
    char expected[256];
    snprintf(expected, sizeof expected, "tensor([0., 0.],\n       %s,\n       names=('N',))", grad);
    expect_extra(t, (nomen__repr_extra){.grad = grad}, expected);
}

static void all_dims(void **state) {
    (void)state;
    static const int64_t one = 7;
    int64_t sizes[NOMEN_MAX_DIMS];
    char names[NOMEN_MAX_DIMS * 16] = "", expected[4096] = "tensor(";
    for (int i = 0; i < NOMEN_MAX_DIMS; i++) {
        sizes[i] = 1;
        snprintf(names + strlen(names), 16, "d%d ", i);
        strcat(expected, "[");
    }
    strcat(expected, "7");
    for (int i = 0; i < NOMEN_MAX_DIMS; i++) strcat(expected, "]");
    strcat(expected, ",\n       names=(");
    for (int i = 0; i < NOMEN_MAX_DIMS; i++)
        snprintf(expected + strlen(expected), 20, "%s'd%d'", i ? ", " : "", i);
    strcat(expected, "))");
    expect(of(&one, NOMEN_I64, names, (nomen_sizes){NOMEN_MAX_DIMS, sizes}), expected);
    expect(of(&one, NOMEN_I64, NULL, (nomen_sizes){0}), "tensor(7)");
    memset(sizes, 0, sizeof sizes);
    char text[4096];
    assert_true(nomen_repr(of(&one, NOMEN_I64, NULL, (nomen_sizes){NOMEN_MAX_DIMS, sizes}), text,
                           sizeof text) > 190);
    assert_non_null(strstr(text, "tensor([],\n       size=(0, 0, 0,"));
    assert_non_null(strstr(text, "0, 0),\n       dtype=nomen.int64)"));
}

static void short_buffers(void **state) {
    (void)state;
    static const int64_t numbers[] = {1, 2};
    const char *whole = "tensor([1, 2])";
    nomen_tensor *t = of(numbers, NOMEN_I64, NULL, NOMEN_SIZES(2));
    for (size_t size = 0; size < 20; size++) {
        char buffer[24];
        memset(buffer, '#', sizeof buffer);
        assert_int_equal(nomen_repr(t, size ? buffer : NULL, size), strlen(whole));
        size_t part = size == 0 ? 0 : size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        assert_memory_equal(buffer, whole, part);
        if (size) assert_int_equal(buffer[part], 0);
        assert_int_equal(buffer[size ? part + 1 : 0], '#');
    }
    char buffer[4] = "###";
    assert_int_equal(nomen_repr(NULL, buffer, sizeof buffer), 0);
    assert_string_equal(buffer, "");
}

static void options_out_of_range(void **state) {
    (void)state;
    const nomen_print_options before = nomen_get_print_options();
    assert_int_equal(before.precision, 4);
    assert_int_equal(before.threshold, 1000);
    nomen_print_options bad[] = {before, before, before, before, before, before, before};
    bad[0].precision = -1;
    bad[1].precision = NOMEN_MAX_PRECISION + 1;
    bad[2].edgeitems = 0;
    bad[3].linewidth = 0;
    bad[4].sci_mode = 2;
    bad[5].sci_mode = -2;
    bad[6].threshold = -1;
    for (size_t i = 0; i < NOMEN_COUNT(bad); i++) {
        nomen_clear_error();
        assert_int_equal(nomen_set_print_options(&bad[i]), NOMEN_ERROR_VALUE);
        assert_non_null(nomen_last_error());
        nomen_print_options now = nomen_get_print_options();
        assert_memory_equal(&now, &before, sizeof now);
    }
}

/* The longest number that there is, as digits. */
static void widest_number(void **state) {
    (void)state;
    static const double most[] = {-1.7976931348623157e308, 0x1p-1074};
    char number[1024], expected[2048];
    nomen_print_options o = nomen_get_print_options();
    o.precision = NOMEN_MAX_PRECISION;
    o.sci_mode = 0;
    assert_int_equal(nomen_set_print_options(&o), NOMEN_OK);
    snprintf(number, sizeof number, "%.0f.", most[0]); /* a whole number */
    snprintf(expected, sizeof expected, "tensor(%s,\n       dtype=nomen.float64)", number);
    expect(of(most, NOMEN_F64, NULL, (nomen_sizes){0}), expected);
    o.threshold = INT64_MAX;
    o.linewidth = INT32_MAX;
    o.edgeitems = INT32_MAX;
    assert_int_equal(nomen_set_print_options(&o), NOMEN_OK);
    snprintf(number, sizeof number, "%.*f", o.precision, most[0]);
    /* the widths are those of the notation that fits the numbers: -1.79...e+308 */
    int width = o.precision + 8;
    snprintf(expected, sizeof expected, "tensor([%s, %*.*f], dtype=nomen.float64)", number, width,
             o.precision, most[1]);
    expect(of(most, NOMEN_F64, NULL, NOMEN_SIZES(2)), expected);
}

/* A locale with a decimal comma, if the machine has one. */
static void locales(void **state) {
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8",
                                         "ru_RU.UTF-8"};
    static const double numbers[] = {1.5, -0.25, 1e-9, INFINITY};
    const char *found = NULL;
    for (size_t i = 0; i < NOMEN_COUNT(commas) && !found; i++)
        found = setlocale(LC_NUMERIC, commas[i]);
    if (!found) skip();
    expect(of(numbers, NOMEN_F64, NULL, NOMEN_SIZES(2)),
           "tensor([ 1.5000, -0.2500], dtype=nomen.float64)");
    expect(of(numbers, NOMEN_F64, NULL, NOMEN_SIZES(4)),
           "tensor([ 1.5000e+00, -2.5000e-01,  1.0000e-09,         inf],\n       "
           "dtype=nomen.float64)");
    setlocale(LC_NUMERIC, "C");
}

#ifdef NOMEN_FAULTS
/* Every allocation fails in turn; in the end one run goes through and gives the whole text. */
static void no_memory(void **state) {
    (void)state;
    static int64_t numbers[600];
    for (int i = 0; i < 600; i++) numbers[i] = i * 12345;
    nomen_tensor *t = of(numbers, NOMEN_I64, "N C", NOMEN_SIZES(30, 20));
    static char text[16384];
    size_t whole = nomen_repr(t, text, sizeof text);
    int64_t failures = 0;
    for (;; failures++) {
        nomen_clear_error();
        nomen__fail_allocation(failures);
        size_t length = nomen_repr(t, text, sizeof text);
        nomen__fail_allocation(-1);
        if (length) {
            assert_int_equal(length, whole);
            break;
        }
        assert_string_equal(text, "");
        assert_non_null(nomen_last_error());
    }
    assert_in_range(failures, 3, 100);
}
#endif

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_scope, close_scope)
    const struct CMUnitTest tests[] = {
        TEST(strides_of_any_sign),
        TEST(unaligned_to_nothing_but_bytes),
        TEST(extras),
        TEST(all_dims),
        TEST(short_buffers),
        TEST(options_out_of_range),
        TEST(widest_number),
        TEST(locales),
#ifdef NOMEN_FAULTS
        TEST(no_memory),
#endif
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
