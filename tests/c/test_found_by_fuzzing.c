/* What the fuzzing targets of tests/fuzz have found, one by one. */
#include "clean_slate.h"
#include "core/core.h"
#include "nomen/nomen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_error(nomen_status code, const char *part) {
    const nomen_error *error = nomen_last_error();
    assert_non_null(error);
    assert_int_equal(error->code, code);
    assert_non_null(strstr(error->message, part));
    nomen_clear_error();
}

#define HUGE_SIZE (INT64_C(1) << 40)

static void views_of_more_elements_than_can_be_counted(void **s) {
    (void)s;
    nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(1));
    assert_null(nomen_expand(x, NOMEN_SIZES(HUGE_SIZE, HUGE_SIZE)));
    expect_error(NOMEN_ERROR_SHAPE, "too large");
    assert_null(nomen_as_strided(x, NOMEN_SIZES(HUGE_SIZE, HUGE_SIZE), NOMEN_SIZES(0, 0)));
    expect_error(NOMEN_ERROR_SHAPE, "too large");
    assert_null(nomen_as_strided(x, NOMEN_SIZES(2), NOMEN_SIZES(INT64_MAX)));
    expect_error(NOMEN_ERROR_SHAPE, "overflow");
    nomen_tensor *wide = nomen_expand(x, NOMEN_SIZES(HUGE_SIZE));
    assert_int_equal(nomen_numel(wide), HUGE_SIZE);
    assert_null(nomen_unfold(wide, "0", HUGE_SIZE / 2, 1));
    expect_error(NOMEN_ERROR_SHAPE, "too large");
    /* empty, and never to be copied */
    assert_null(nomen_as_strided(x, NOMEN_SIZES(0, INT64_MAX, 2), NOMEN_SIZES(1, 1, 1)));
    expect_error(NOMEN_ERROR_SHAPE, "too large");
}

static void foreign_strides_that_reach_back_as_far_as_can_be(void **s) {
    (void)s;
    float data[4] = {0};
    int64_t size[] = {2}, stride[] = {INT64_MIN / 4};
    nomen_dl_managed_old m = {.tensor = {.data = data, .ndim = 1}};
    m.tensor.device.type = NOMEN_DL_CPU;
    m.tensor.dtype.code = NOMEN_DL_FLOAT;
    m.tensor.dtype.bits = 32;
    m.tensor.dtype.lanes = 1;
    m.tensor.shape = size;
    m.tensor.strides = stride;
    assert_null(nomen_from_dlpack_old(&m, NULL));
    expect_error(NOMEN_ERROR_VALUE, "address space");
    int64_t both[] = {2, 2}, ways[] = {-4, INT64_MAX / 4 - 1};
    m.tensor.ndim = 2;
    m.tensor.shape = both;
    m.tensor.strides = ways;
    assert_null(nomen_from_dlpack_old(&m, NULL)); /* more than a ptrdiff_t counts */
    expect_error(NOMEN_ERROR_VALUE, "address space");
}

static void a_probability_that_is_the_tensor_itself(void **s) {
    (void)s;
    for (nomen_dtype d = NOMEN_U8; d <= NOMEN_F64; d++) {
        nomen_tensor *one = nomen_ones(NULL, ((nomen_sizes){0, NULL}), .dtype = d);
        nomen_tensor *drawn = nomen_bernoulli(one, one);
        assert_non_null(drawn);
        assert_true(nomen_item(drawn) == 1);
    }
}

static void names_inferred_as_in_calls(void **s) {
    (void)s;
    char names[64];
    const char *operands[] = {"N C"};
    nomen_infer_args sum = {.op = "sum", .operands = operands, .count = 1, .dim = ""};
    assert_int_equal(nomen_infer(&sum, names, sizeof names), NOMEN_OK);
    assert_string_equal(names, ""); /* an empty list of dims is all dims */
    nomen_infer_args zeros = {.op = "zeros_", .names = "N"};
    assert_int_equal(nomen_infer(&zeros, names, sizeof names), NOMEN_ERROR_TYPE);
    expect_error(NOMEN_ERROR_TYPE, "no operand to write to");
}

static void distances_of_what_is_no_list_of_points(void **s) {
    (void)s;
    nomen_tensor *row = nomen_ones(NULL, NOMEN_SIZES(3)),
                 *points = nomen_ones(NULL, NOMEN_SIZES(4, 3));
    assert_null(nomen_distances(row, row, .pairs = true));
    expect_error(NOMEN_ERROR_SHAPE, "two dims");
    assert_null(nomen_distances(points, row));
    expect_error(NOMEN_ERROR_SHAPE, "two dims");
    assert_null(nomen_distances(points, nomen_ones(NULL, NOMEN_SIZES(4, 2))));
    expect_error(NOMEN_ERROR_SHAPE, "coordinates");
    nomen_tensor *batches = nomen_ones(NULL, NOMEN_SIZES(4, 0, 5, 5));
    assert_null(nomen_distances(batches, batches, .pairs = true));
    expect_error(NOMEN_ERROR_SHAPE, "one list of points");
    assert_null(nomen_distances(points, nomen_ones(NULL, NOMEN_SIZES(2, 3)), .pairs = true));
    expect_error(NOMEN_ERROR_SHAPE, "one list of points");
    nomen_tensor *many =
        nomen_expand(nomen_ones(NULL, NOMEN_SIZES(1, 0)), NOMEN_SIZES(HUGE_SIZE, 0));
    assert_non_null(many);
    assert_null(nomen_distances(many, many, .pairs = true));
    expect_error(NOMEN_ERROR_SHAPE, "too many pairs");
}

static void a_kept_gradient_that_comes_from_its_own_tensor(void **s) {
    (void)s;
    int64_t before = nomen_get_memory_stats().tensors_live;
    nomen_scope() {
        nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(3));
        nomen_set_requires_grad(x, true);
        nomen_tensor *y = nomen_neg(x);
        assert_int_equal(nomen_backward(y, .gradient = y, .inputs = NOMEN_LIST(y)), NOMEN_OK);
        assert_false(nomen_requires_grad(nomen_gradient(y)));
        assert_string_equal(nomen_name_of(nomen_gradient(y), 0), "N");
    }
    assert_int_equal(nomen_get_memory_stats().tensors_live, before);
}

static void an_npy_file_of_no_elements_and_endless_sizes(void **s) {
    (void)s;
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': "
                                 "(0, 9223372036854775807, 3), }\n";
    char path[] = "/tmp/nomen-fuzzed-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header - 1, 0};
    assert_int_equal(write(file, start, sizeof start), sizeof start);
    assert_int_equal(write(file, header, sizeof header - 1), sizeof header - 1);
    close(file);
    nomen_tensor *t = nomen_load_npy(path);
    unlink(path);
    assert_null(t);
    expect_error(NOMEN_ERROR_VALUE, "larger than any memory");
}

static void more_dims_than_there_may_be_in_an_error(void **s) {
    (void)s;
    char operand[2 * NOMEN_MAX_DIMS], answer[600];
    for (int i = 0; i < NOMEN_MAX_DIMS; i++) memcpy(operand + 2 * i, "* ", 2);
    operand[sizeof operand - 1] = 0;
    const nomen_infer_args args = {
        .op = "unsqueeze", .operands = (const char *[]){operand}, .count = 1, .dim = "x"};
    assert_int_not_equal(nomen_infer(&args, answer, sizeof answer), NOMEN_OK);
    expect_error(NOMEN_ERROR_NAME, "Name 'x' not found in Tensor[None, None, ");
}

static void a_failure_after_out_has_got_room_for_more_dims(void **s) {
    (void)s;
    int64_t ones[NOMEN_MAX_DIMS];
    for (int i = 0; i < NOMEN_MAX_DIMS; i++) ones[i] = 1;
    nomen_tensor *x = nomen_ones(NULL, (nomen_sizes){NOMEN_MAX_DIMS, ones}, .dtype = NOMEN_U8),
                 *out = nomen_zeros(NULL, NOMEN_SIZES(3, 2));
    assert_null(
        nomen_bernoulli(x, nomen_full(NULL, (nomen_sizes){0, NULL}, nomen_num(-5)), .out = out));
    expect_error(NOMEN_ERROR_STATE, "expects p to be in [0, 1]");
    assert_int_equal(nomen_ndim(out), 2);
    assert_int_equal(nomen_size(out, "0"), 3);
    assert_int_equal(nomen_size(out, "1"), 2);
    assert_int_equal(nomen_strides(out)[0], 2);
    assert_non_null(nomen_add(x, x, .out = out));
    assert_int_equal(nomen_ndim(out), NOMEN_MAX_DIMS);
}

static void steps_of_one_element_that_no_stride_can_tell(void **s) {
    (void)s;
    nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(4, 2)), *none = nomen_ones("N", NOMEN_SIZES(0));
    nomen_tensor *one = nomen_slice(x, "N", .start = nomen_num(3), .step = nomen_num(INT64_MAX));
    assert_non_null(one);
    assert_int_equal(nomen_size(one, "N"), 1);
    assert_true(nomen_item(nomen_sum(one)) == 2);
    assert_non_null(nomen_slice(none, "N", .step = nomen_num(INT64_MAX)));
    nomen_tensor *wide =
        nomen_as_strided(none, NOMEN_SIZES(1, 0), NOMEN_SIZES(INT64_MAX, INT64_MAX));
    assert_non_null(nomen_diagonal(wide));
    assert_non_null(nomen_view_dtype(wide, NOMEN_I8));
}

static void a_source_of_nothing_for_an_index_without_dims(void **s) {
    (void)s;
    nomen_tensor *x = nomen_ones(NULL, (nomen_sizes){0, NULL}),
                 *index = nomen_zeros(NULL, (nomen_sizes){0, NULL}, .dtype = NOMEN_I64),
                 *nothing = nomen_ones(NULL, NOMEN_SIZES(0));
    assert_null(nomen_scatter_(x, "0", index, nothing));
    expect_error(NOMEN_ERROR_SHAPE, "to be no larger size than src [0]");
    assert_null(nomen_scatter_add(x, "0", index, nothing));
    expect_error(NOMEN_ERROR_SHAPE, "to be no larger size than src [0]");
    assert_null(nomen_scatter_reduce(x, "0", index, nothing, "prod"));
    expect_error(NOMEN_ERROR_SHAPE, "to be no larger size than src [0]");
    assert_true(nomen_item(x) == 1);
}

static void a_question_about_gradients_is_no_failure(void **s) {
    (void)s;
    nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2), .dtype = NOMEN_C64);
    nomen_set_requires_grad(w, true);
    nomen_tensor *z = nomen_mul(w, w), *parts = nomen_view_as_real(nomen_rename(z));
    assert_non_null(nomen_mul_(nomen_rename_(z, NULL), w));
    nomen_clear_error();
    (void)nomen_requires_grad(parts);
    assert_null(nomen_last_error());
}

static void lists_with_less_than_nothing(void **s) {
    (void)s;
    nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(2));
    const nomen_sizes less = {-1, NULL};
    assert_null(nomen_unflatten(x, "N", less, "A"));
    expect_error(NOMEN_ERROR_TYPE, "a list of -1 numbers");
    assert_null(nomen_expand(x, less));
    expect_error(NOMEN_ERROR_TYPE, "a list of -1 numbers");
}

static void nothing_in_sizes_whose_strides_are_no_numbers(void **s) {
    (void)s;
    nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(0, 3));
    assert_null(nomen_reshape(x, NOMEN_SIZES(0, 4, 4, INT64_MAX)));
    expect_error(NOMEN_ERROR_SHAPE, "[0, 4, 4, 9223372036854775807]");
    assert_null(nomen_view(x, NOMEN_SIZES(INT64_MAX, 0, INT64_MAX)));
    expect_error(NOMEN_ERROR_SHAPE, "too large");
    assert_null(nomen_unflatten(x, "0", NOMEN_SIZES(0, 4, INT64_MAX)));
    expect_error(NOMEN_ERROR_SHAPE, "too large");
    assert_non_null(nomen_view(x, NOMEN_SIZES(0, (int64_t)1 << 60)));
}

static void a_number_that_becomes_many(void **s) {
    (void)s;
    nomen_tensor *x = nomen_scalar(0.5), *y = nomen_ones(NULL, NOMEN_SIZES(3, 3));
    assert_non_null(nomen_resize_as_(x, y));
    assert_non_null(nomen_zero_(x));
    assert_non_null(nomen_bernoulli_(x, .p = x)); /* each element has its probability */
    assert_null(nomen_last_error());
    x = nomen_scalar(2.0);
    assert_non_null(nomen_add(y, y, .out = x));
    assert_int_equal(nomen_dtype_of(nomen_mul(x, nomen_ones(NULL, NOMEN_SIZES(1), NOMEN_F32))),
                     nomen_dtype_of(x));
}

static void the_element_before_the_first_of_all(void **s) {
    (void)s;
    assert_null(nomen_kthvalue(nomen_ones("N", NOMEN_SIZES(3)), INT64_MIN));
    expect_error(NOMEN_ERROR_SHAPE, "selected number k out of range");
}

static void more_views_than_the_limit_of_memory(void **s) {
    (void)s;
    nomen_tensor *x = nomen_zeros("N C", NOMEN_SIZES((int64_t)1 << 31, 0));
    nomen_set_memory_limit((size_t)1 << 20);
    assert_int_equal(nomen_unbind(x).count, 0);
    expect_error(NOMEN_ERROR_MEMORY, "2147483648 tensors are more than the 1048576 bytes");
    assert_int_equal(nomen_split(x, nomen_num(3), .dim = "N").count, 0);
    expect_error(NOMEN_ERROR_MEMORY, "nomen_set_memory_limit");
    assert_int_equal(nomen_split(x, nomen_num((int64_t)1 << 30), .dim = "N").count, 2);
    nomen_set_memory_limit(0);
}

static void no_repeats_beside_as_many_as_can_be(void **s) {
    (void)s;
    nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(1, 100));
    nomen_tensor *y = nomen_tile(x, NOMEN_SIZES(INT64_MAX / 4, 0));
    assert_non_null(y);
    assert_int_equal(nomen_size(y, "0"), INT64_MAX / 4);
    assert_int_equal(nomen_size(y, "1"), 0);
    y = nomen_repeat(x, NOMEN_SIZES(0, INT64_MAX / 2000, 3));
    assert_non_null(y);
    assert_int_equal(nomen_numel(y), 0);
    assert_int_equal(nomen_size(y, "2"), 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(views_of_more_elements_than_can_be_counted, fresh, end),
        cmocka_unit_test_setup_teardown(foreign_strides_that_reach_back_as_far_as_can_be, fresh,
                                        end),
        cmocka_unit_test_setup_teardown(a_probability_that_is_the_tensor_itself, fresh, end),
        cmocka_unit_test_setup_teardown(names_inferred_as_in_calls, fresh, end),
        cmocka_unit_test_setup_teardown(distances_of_what_is_no_list_of_points, fresh, end),
        cmocka_unit_test_setup_teardown(a_kept_gradient_that_comes_from_its_own_tensor, fresh, end),
        cmocka_unit_test_setup_teardown(an_npy_file_of_no_elements_and_endless_sizes, fresh, end),
        cmocka_unit_test_setup_teardown(more_dims_than_there_may_be_in_an_error, fresh, end),
        cmocka_unit_test_setup_teardown(a_failure_after_out_has_got_room_for_more_dims, fresh, end),
        cmocka_unit_test_setup_teardown(steps_of_one_element_that_no_stride_can_tell, fresh, end),
        cmocka_unit_test_setup_teardown(a_source_of_nothing_for_an_index_without_dims, fresh, end),
        cmocka_unit_test_setup_teardown(a_question_about_gradients_is_no_failure, fresh, end),
        cmocka_unit_test_setup_teardown(lists_with_less_than_nothing, fresh, end),
        cmocka_unit_test_setup_teardown(more_views_than_the_limit_of_memory, fresh, end),
        cmocka_unit_test_setup_teardown(the_element_before_the_first_of_all, fresh, end),
        cmocka_unit_test_setup_teardown(a_number_that_becomes_many, fresh, end),
        cmocka_unit_test_setup_teardown(no_repeats_beside_as_many_as_can_be, fresh, end),
        cmocka_unit_test_setup_teardown(nothing_in_sizes_whose_strides_are_no_numbers, fresh, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
