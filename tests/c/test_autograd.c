/* The tape as a whole: leaves, names, accumulation, in-place changes, views, hooks, modes,
 * lifetimes, errors. The formulas are checked in test_gradcheck.c. */
#include "core/core.h"
#include "nomen/grad.h"
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int64_t tensors_before, metadata_before;

static int start(void **state) {
    (void)state;
    nomen_clear_error();
    nomen_thread_end();
    nomen_memory_stats m = nomen_get_memory_stats();
    tensors_before = m.tensors_live;
    metadata_before = m.metadata_live;
    return 0;
}

/* Nothing may be left: no header, no node. */
static int finish(void **state) {
    (void)state;
    nomen_thread_end();
    nomen_memory_stats m = nomen_get_memory_stats();
    if (m.tensors_live == tensors_before && m.metadata_live == metadata_before &&
        nomen_grad_enabled())
        return 0;
    print_error("left: %lld tensors, %lld bytes of metadata\n",
                (long long)(m.tensors_live - tensors_before),
                (long long)(m.metadata_live - metadata_before));
    return -1;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static nomen_tensor *leaf(const char *names, nomen_sizes size, const double *values) {
    nomen_tensor *t = nomen_zeros(names, size, .dtype = NOMEN_F64);
    memcpy(nomen_data(t), values, sizeof(double) * (size_t)nomen_numel(t));
    assert_int_equal(nomen_set_requires_grad(t, true), NOMEN_OK);
    return t;
}

static nomen_tensor *leaf1(const char *names, double a, double b, double c) {
    return leaf(names, NOMEN_SIZES(3), (double[]){a, b, c});
}

static const double *values(nomen_tensor *t) {
    t = t ? nomen_contiguous(nomen_detach(t)) : NULL;
    if (!t) fail_msg("no tensor: %s", nomen_error_text());
    return nomen_data(t);
}

#define assert_values(t, ...)                                                                      \
    compare_values(t, sizeof(double[]){__VA_ARGS__} / sizeof(double), (double[]){__VA_ARGS__},     \
                   __LINE__)

static void compare_values(nomen_tensor *t, size_t n, const double *want, int line) {
    if (!t) fail_msg("line %d: no tensor: %s", line, nomen_error_text());
    assert_int_equal(nomen_numel(t), n);
    const double *have = values(t);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(have[i] - want[i]) <= 1e-12 * (1 + fabs(want[i]))))
            fail_msg("line %d, element %d: %.17g is not %.17g", line, (int)i, have[i], want[i]);
}

static void assert_error(nomen_status code, const char *text) {
    const nomen_error *e = nomen_last_error();
    if (!e) fail_msg("no error; wanted: %s", text);
    if (e->code != code || !strstr(e->message, text))
        fail_msg("%s: %s; wanted: %s", nomen_status_name(e->code), e->message, text);
    nomen_clear_error();
}

static nomen_tensor *times(nomen_tensor *t, double factor) {
    return nomen_mul(t, nomen_scalar(factor));
}

static nomen_tensor *sum_of_squares(nomen_tensor *t) { return nomen_sum(nomen_mul(t, t)); }

/* ---- leaves ---------------------------------------------------------------------------------- */

static void leaves(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3),
                 *i = nomen_ones(NULL, NOMEN_SIZES(2), .dtype = NOMEN_I64);
    assert_true(nomen_requires_grad(x) && nomen_is_leaf(x));
    assert_int_equal(nomen_set_requires_grad(i, true), NOMEN_ERROR_DTYPE);
    assert_error(NOMEN_ERROR_DTYPE,
                 "only Tensors of floating point and complex dtype can require gradients");
    nomen_tensor *y = times(x, 2);
    assert_true(nomen_requires_grad(y));
    assert_false(nomen_is_leaf(y));
    char name[32];
    assert_string_equal(nomen_grad_fn_name(y, name, sizeof name), "MulBackward0");
    assert_string_equal(nomen_grad_fn_name(nomen_log_softmax(y, "N"), name, sizeof name),
                        "LogSoftmaxBackward0");
    assert_null(nomen_grad_fn_name(x, name, sizeof name));
    assert_int_equal(nomen_set_requires_grad(y, false), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "you can only change requires_grad flags of leaf variables");
    assert_int_equal(nomen_set_requires_grad(y, true), NOMEN_OK);
    nomen_tensor *d = nomen_detach(y);
    assert_false(nomen_requires_grad(d));
    assert_true(nomen_is_leaf(d));
    assert_ptr_equal(nomen_data(d), nomen_data(y));
    assert_string_equal(nomen_name_of(d, 0), "N");
    assert_int_equal(nomen_set_requires_grad(x, false), NOMEN_OK);
    assert_false(nomen_requires_grad(times(x, 2)));
    assert_int_equal(nomen_detach_(y), NOMEN_OK);
    assert_true(nomen_is_leaf(y) && !nomen_requires_grad(y));
    nomen_tensor *v = nomen_narrow(y, "N", 0, 2);
    assert_int_equal(nomen_detach_(v), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "Can't detach views in-place. Use detach() instead.");
    assert_false(nomen_requires_grad(NULL));
    assert_false(nomen_is_leaf(NULL));
    assert_null(nomen_gradient(NULL));
    assert_false(nomen_requires_grad(nomen_gt(x, y)));
    nomen_tensor *w = leaf1("N", 1, 2, 3);
    assert_false(nomen_requires_grad(nomen_gt(w, y)));
    assert_false(nomen_requires_grad(nomen_cast(w, NOMEN_I64)));
}

static void starting_points(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *y = times(x, 2);
    assert_int_equal(nomen_backward(y), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "grad can be implicitly created only for scalar outputs");
    assert_int_equal(nomen_backward(nomen_detach(y)), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD,
                 "element 0 of tensors does not require grad and does not have a grad_fn");
    assert_int_equal(nomen_backward(NULL), NOMEN_ERROR_TYPE);
    assert_error(NOMEN_ERROR_TYPE, "NULL");
    nomen_tensor *g = nomen_ones(NULL, NOMEN_SIZES(2), .dtype = NOMEN_F64);
    assert_int_equal(nomen_backward(y, .gradient = g), NOMEN_ERROR_SHAPE);
    assert_error(NOMEN_ERROR_SHAPE, "Mismatch in shape");
    assert_null(nomen_gradient(x));
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_values(nomen_gradient(x), 2, 2, 2);
    assert_int_equal(nomen_backward(nomen_reshape(nomen_sum(y), NOMEN_SIZES(1, 1))), NOMEN_OK);
    assert_values(nomen_gradient(x), 4, 4, 4);
    /* of another dtype: converted */
    g = nomen_ones(NULL, NOMEN_SIZES(3));
    assert_int_equal(nomen_backward(times(x, 3), .gradient = g), NOMEN_OK);
    assert_values(nomen_gradient(x), 7, 7, 7);
    g = nomen_ones(NULL, NOMEN_SIZES(3), .dtype = NOMEN_C128);
    assert_int_equal(nomen_backward(times(x, 3), .gradient = g), NOMEN_ERROR_DTYPE);
    assert_error(NOMEN_ERROR_DTYPE, "a real output has a real gradient");
    /* a leaf is its own output */
    nomen_tensor *s = leaf(NULL, (nomen_sizes){0}, (double[]){5});
    assert_int_equal(nomen_backward(s), NOMEN_OK);
    assert_values(nomen_gradient(s), 1);
    /* an earlier error that nobody has looked at does not look like one of the backward */
    assert_null(nomen_add(x, NULL));
    assert_int_equal(nomen_backward(nomen_sum(times(x, 3))), NOMEN_OK);
    assert_values(nomen_gradient(x), 10, 10, 10);
    nomen_clear_error();
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names(void **state) {
    (void)state;
    nomen_tensor *x = leaf("N C", NOMEN_SIZES(2, 3), (double[]){1, 2, 3, 4, 5, 6});
    nomen_tensor *w = leaf1("C", 1, 2, 3);
    nomen_tensor *y = nomen_align_to(nomen_rename(nomen_mul(x, w), "batch ..."), "C batch");
    nomen_tensor *g = nomen_ones("C batch", NOMEN_SIZES(3, 2), .dtype = NOMEN_F64);
    assert_int_equal(nomen_backward(y, .gradient = g, .retain_graph = true), NOMEN_OK);
    assert_string_equal(nomen_name_of(nomen_gradient(x), 0), "N");
    assert_string_equal(nomen_name_of(nomen_gradient(x), 1), "C");
    assert_string_equal(nomen_name_of(nomen_gradient(w), 0), "C");
    assert_values(nomen_gradient(w), 5, 7, 9);
    /* names of a gradient are checked against those of the output */
    g = nomen_ones("C N", NOMEN_SIZES(3, 2), .dtype = NOMEN_F64);
    assert_int_equal(nomen_backward(y, .gradient = g, .retain_graph = true), NOMEN_ERROR_NAME);
    assert_error(NOMEN_ERROR_NAME,
                 "Error when attempting to broadcast dims ['C', 'N'] and dims ['C', 'batch']");
    assert_values(nomen_gradient(w), 5, 7, 9);
    /* a leaf that is renamed has a gradient that is */
    assert_int_equal(nomen_set_names(x, "rows cols"), NOMEN_OK);
    assert_string_equal(nomen_name_of(nomen_gradient(x), 1), "cols");
    assert_int_equal(nomen_set_names(x, NULL), NOMEN_OK);
    assert_false(nomen_has_names(nomen_gradient(x)));
    nomen_list l = nomen_grad(NOMEN_LIST(y), NOMEN_LIST(w, x), NOMEN_LIST(nomen_ones_like(y)));
    assert_int_equal(l.count, 2);
    assert_string_equal(nomen_name_of(l.at[0], 0), "C");
    assert_false(nomen_has_names(l.at[1]));
    /* gradients given by hand */
    nomen_tensor *bad = nomen_ones("D", NOMEN_SIZES(3), .dtype = NOMEN_F64);
    assert_int_not_equal(nomen_set_gradient(w, bad), NOMEN_OK);
    assert_error(NOMEN_ERROR_NAME, "['D']");
    nomen_tensor *good = nomen_ones(NULL, NOMEN_SIZES(3), .dtype = NOMEN_F64);
    assert_int_equal(nomen_set_gradient(w, good), NOMEN_OK);
    assert_ptr_equal(nomen_gradient(w), good);
    assert_string_equal(nomen_name_of(nomen_gradient(w), 0), "C");
    assert_int_equal(nomen_set_gradient(w, x), NOMEN_ERROR_SHAPE);
    assert_error(NOMEN_ERROR_SHAPE, "does not fit");
    assert_int_equal(nomen_set_gradient(w, w), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "can't assign Variable as its own grad");
    assert_int_equal(nomen_set_gradient(w, NULL), NOMEN_OK);
    assert_null(nomen_gradient(w));
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void accumulation(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3);
    assert_int_equal(nomen_backward(sum_of_squares(x)), NOMEN_OK);
    nomen_tensor *first = nomen_gradient(x);
    assert_values(first, 2, 4, 6);
    assert_int_equal(nomen_backward(sum_of_squares(x)), NOMEN_OK);
    assert_ptr_equal(nomen_gradient(x), first);
    assert_values(first, 4, 8, 12);
    assert_false(nomen_requires_grad(first));
    nomen_zero_grad(x);
    assert_null(nomen_gradient(x));
    /* one tensor reached in many ways: 2^40 paths, 40 nodes */
    nomen_tensor *y = x;
    for (int i = 0; i < 40; i++) y = nomen_add(y, y);
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_values(nomen_gradient(x), 0x1p40, 0x1p40, 0x1p40);
    nomen_zero_grad(x);
    /* gradients of two leaves that share memory on the way do not share it in the end */
    nomen_tensor *z = leaf1("N", 1, 1, 1);
    assert_int_equal(nomen_backward(nomen_sum(nomen_add(x, z))), NOMEN_OK);
    assert_ptr_not_equal(nomen_data(nomen_gradient(x)), nomen_data(nomen_gradient(z)));
    assert_int_equal(nomen_backward(nomen_sum(x)), NOMEN_OK);
    assert_values(nomen_gradient(x), 2, 2, 2);
    assert_values(nomen_gradient(z), 1, 1, 1);
    /* the caller's gradient is not the one that is kept */
    nomen_zero_grad(x);
    nomen_tensor *g = nomen_ones("N", NOMEN_SIZES(3), .dtype = NOMEN_F64);
    assert_int_equal(nomen_backward(x, .gradient = g), NOMEN_OK);
    assert_int_equal(nomen_backward(x, .gradient = g), NOMEN_OK);
    assert_values(nomen_gradient(x), 2, 2, 2);
    assert_values(g, 1, 1, 1);
    /* one of a shape of its own, which cannot be added to */
    nomen_zero_grad(x);
    g = nomen_expand(nomen_ones(NULL, NOMEN_SIZES(1), .dtype = NOMEN_F64), NOMEN_SIZES(3));
    assert_int_equal(nomen_set_gradient(x, g), NOMEN_OK);
    assert_int_equal(nomen_backward(sum_of_squares(x)), NOMEN_OK);
    assert_values(nomen_gradient(x), 3, 5, 7);
    assert_values(g, 1, 1, 1);
}

static void chosen_inputs(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *w = leaf1("N", 4, 5, 6), *u = leaf1("N", 0, 0, 0);
    nomen_tensor *y = nomen_mul(x, w), *loss = nomen_sum(nomen_mul(y, x));
    nomen_list l = nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(x, y, w, loss), .retain_graph = true);
    assert_int_equal(l.count, 4);
    assert_values(l.at[0], 8, 20, 36);
    assert_values(l.at[1], 1, 2, 3);
    assert_values(l.at[2], 1, 4, 9);
    assert_values(l.at[3], 1);
    assert_null(nomen_gradient(x));
    l = nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(x, u), .retain_graph = true);
    assert_int_equal(l.count, 0);
    assert_error(NOMEN_ERROR_GRAD,
                 "One of the differentiated Tensors appears to not have been used in the graph");
    l = nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(x, u), .retain_graph = true, .allow_unused = true);
    assert_int_equal(l.count, 2);
    assert_null(l.at[1]);
    l = nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(nomen_detach(x)), .retain_graph = true);
    assert_int_equal(l.count, 0);
    assert_error(NOMEN_ERROR_GRAD, "One of the differentiated Tensors does not require grad");
    assert_int_equal(nomen_backward(loss, .inputs = NOMEN_LIST(w), .retain_graph = true), NOMEN_OK);
    assert_null(nomen_gradient(x));
    assert_values(nomen_gradient(w), 1, 4, 9);
    /* an input that is no leaf keeps its own, and it adds up */
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(nomen_backward(loss, .inputs = NOMEN_LIST(y), .retain_graph = true),
                         NOMEN_OK);
        assert_values(nomen_gradient(y), i, 2 * i, 3 * i);
    }
    assert_null(nomen_gradient(x));
    /* several outputs, one with a gradient of its own */
    nomen_tensor *g = nomen_ones(NULL, NOMEN_SIZES(3), .dtype = NOMEN_F64);
    l = nomen_grad(NOMEN_LIST(loss, y), NOMEN_LIST(w), NOMEN_LIST(NULL, g));
    assert_values(l.at[0], 2, 6, 12);
    l = nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(w), NOMEN_LIST(g, g));
    assert_error(NOMEN_ERROR_GRAD, "1 tensors and 2 gradients");
    l = nomen_grad(NOMEN_LIST(loss), {0});
    assert_error(NOMEN_ERROR_VALUE, "non-empty inputs");
}

static void higher_derivatives(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *y = nomen_mul(nomen_mul(x, x), nomen_mul(x, x));
    nomen_tensor *g = nomen_sum(y);
    static const double want[4][3] = {{4, 32, 108}, {12, 48, 108}, {24, 48, 72}, {24, 24, 24}};
    for (int i = 0; i < 4; i++) {
        nomen_list l = nomen_grad(NOMEN_LIST(g), NOMEN_LIST(x), .create_graph = true);
        assert_int_equal(l.count, 1);
        assert_values(l.at[0], want[i][0], want[i][1], want[i][2]);
        assert_string_equal(nomen_name_of(l.at[0], 0), "N");
        g = nomen_sum(l.at[0]);
    }
    /* through the gradient of the leaf, which then is part of the graph */
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, nomen_mul(x, x))), .create_graph = true),
                     NOMEN_OK);
    nomen_tensor *first = nomen_retain(nomen_gradient(x));
    assert_true(nomen_requires_grad(first));
    nomen_zero_grad(x);
    assert_int_equal(nomen_backward(nomen_sum(first)), NOMEN_OK);
    assert_values(nomen_gradient(x), 6, 12, 18);
    assert_false(nomen_requires_grad(nomen_gradient(x)));
    nomen_release(first);
    nomen_zero_grad(x);
}

static void graphs_are_used_once(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *loss = sum_of_squares(x);
    assert_int_equal(nomen_backward(loss, .retain_graph = true), NOMEN_OK);
    assert_int_equal(nomen_backward(loss), NOMEN_OK);
    assert_int_equal(nomen_backward(loss), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "Trying to backward through the graph a second time");
    assert_values(nomen_gradient(x), 4, 8, 12);
    /* where nothing was saved, nothing was freed */
    loss = nomen_sum(nomen_add(x, x));
    for (int i = 0; i < 3; i++) assert_int_equal(nomen_backward(loss), NOMEN_OK);
}

static void other_dtypes(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *f = nomen_ones("N", NOMEN_SIZES(3), .dtype = NOMEN_F32);
    nomen_tensor *h = nomen_ones("N", NOMEN_SIZES(3), .dtype = NOMEN_BF16),
                 *i = nomen_arange("N", .end = nomen_num(3));
    assert_int_equal(nomen_set_requires_grad(f, true), NOMEN_OK);
    assert_int_equal(nomen_set_requires_grad(h, true), NOMEN_OK);
    nomen_tensor *y = nomen_mul(nomen_mul(nomen_mul(x, f), h), i);
    assert_int_equal(nomen_dtype_of(y), NOMEN_F64);
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_int_equal(nomen_dtype_of(nomen_gradient(f)), NOMEN_F32);
    assert_int_equal(nomen_dtype_of(nomen_gradient(h)), NOMEN_BF16);
    assert_values(nomen_gradient(x), 0, 1, 2);
    assert_values(nomen_cast(nomen_gradient(f), NOMEN_F64), 0, 2, 6);
    assert_values(nomen_cast(nomen_gradient(h), NOMEN_F64), 0, 2, 6);
    /* a real operand of a complex product has a real gradient */
    nomen_zero_grad(x);
    nomen_tensor *c =
        nomen_full(NULL, NOMEN_SIZES(3), nomen_number_complex(2, 3), .dtype = NOMEN_C128);
    nomen_tensor *g =
        nomen_full(NULL, NOMEN_SIZES(3), nomen_number_complex(0, 1), .dtype = NOMEN_C128);
    assert_int_equal(nomen_backward(nomen_mul(x, c), .gradient = g), NOMEN_OK);
    assert_int_equal(nomen_dtype_of(nomen_gradient(x)), NOMEN_F64);
    assert_values(nomen_gradient(x), 3, 3, 3);
}

/* ---- in place -------------------------------------------------------------------------------- */

static void in_place_on_leaves(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *y = nomen_ones("N", NOMEN_SIZES(3), .dtype = NOMEN_F64);
    assert_null(nomen_add_(x, y));
    assert_error(NOMEN_ERROR_GRAD,
                 "a leaf Variable that requires grad is being used in an in-place operation.");
    assert_null(nomen_zero_(nomen_narrow(x, "N", 0, 2)));
    assert_error(
        NOMEN_ERROR_GRAD,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    assert_values(x, 1, 2, 3);
    nomen_no_grad() {
        assert_non_null(nomen_add_(x, y));
        assert_non_null(nomen_zero_(nomen_narrow(x, "N", 0, 1)));
    }
    assert_values(x, 0, 3, 4);
    assert_true(nomen_is_leaf(x));
    /* a leaf that does not require grad becomes a result */
    assert_non_null(nomen_mul_(y, x));
    assert_true(nomen_requires_grad(y));
    assert_false(nomen_is_leaf(y));
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_values(nomen_gradient(x), 1, 1, 1);
    /* out= is no way around */
    assert_null(nomen_add(x, x, .out = nomen_zeros(NULL, NOMEN_SIZES(3), .dtype = NOMEN_F64)));
    assert_error(NOMEN_ERROR_GRAD,
                 "functions with out=... arguments don't support automatic differentiation");
}

static void in_place_on_results(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *y = times(x, 2);
    assert_ptr_equal(nomen_mul_(y, x), y);
    assert_ptr_equal(nomen_exp_(y), y);
    assert_int_equal(nomen_backward(nomen_sum(nomen_log(y))), NOMEN_OK);
    assert_values(nomen_gradient(x), 4, 8, 12);
    nomen_zero_grad(x);
    /* a square in place: the operand's earlier value is kept for it */
    y = times(x, 1);
    assert_non_null(nomen_mul_(y, y));
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_values(nomen_gradient(x), 2, 4, 6);
    /* overlapping operands */
    nomen_zero_grad(x);
    y = times(x, 1);
    assert_non_null(nomen_mul_(nomen_narrow(y, "N", 0, 2), nomen_narrow(y, "N", 1, 2)));
    assert_values(y, 2, 6, 3);
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_values(nomen_gradient(x), 2, 4, 3);
    /* overwritten: nothing comes through */
    nomen_zero_grad(x);
    y = times(x, 1);
    assert_non_null(nomen_zero_(y));
    assert_int_equal(nomen_backward(nomen_sum(nomen_add(y, x))), NOMEN_OK);
    assert_values(nomen_gradient(x), 1, 1, 1);
}

static void changed_after_saving(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *y = times(x, 2), *loss = sum_of_squares(y);
    assert_non_null(nomen_add_(y, x));
    assert_int_equal(nomen_backward(loss), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "one of the variables needed for gradient computation has been "
                                   "modified by an inplace operation");
    assert_null(nomen_gradient(x));
    /* what only the other formula would have needed */
    y = times(x, 2);
    loss = nomen_sum(times(y, 3));
    assert_non_null(nomen_add_(y, x));
    assert_int_equal(nomen_backward(loss, .inputs = NOMEN_LIST(x)), NOMEN_OK);
    assert_values(nomen_gradient(x), 6, 6, 6);
    nomen_zero_grad(x);
    /* the result of exp */
    nomen_tensor *e = nomen_exp(x);
    loss = nomen_sum(e);
    assert_non_null(nomen_add_(e, x));
    assert_int_equal(nomen_backward(loss), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD,
                 "the result of exp, is at version 1; expected version 0 instead");
    /* through the pointer */
    y = times(x, 2);
    loss = sum_of_squares(y);
    ((double *)nomen_data(y))[0] = 0;
    nomen_touch(y);
    assert_int_equal(nomen_backward(loss), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "modified by an inplace operation");
    /* through a detached tensor, and through a view */
    y = times(x, 2);
    loss = sum_of_squares(y);
    assert_non_null(nomen_zero_(nomen_detach(y)));
    assert_int_equal(nomen_backward(loss), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "modified by an inplace operation");
    y = times(x, 2);
    loss = sum_of_squares(y);
    assert_non_null(nomen_zero_(nomen_narrow(y, "N", 0, 1)));
    assert_int_equal(nomen_backward(loss), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "modified by an inplace operation");
    /* what nobody saved may change */
    y = times(x, 2);
    loss = nomen_sum(nomen_add(y, x));
    assert_non_null(nomen_zero_(y));
    assert_int_equal(nomen_backward(loss), NOMEN_OK);
    assert_values(nomen_gradient(x), 3, 3, 3);
}

/* ---- views ----------------------------------------------------------------------------------- */

static void writing_into_views(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("C", 1, 2, 3);
    /* A buffer that does not require grad, filled piece by piece. */
    nomen_tensor *b = nomen_zeros("N C", NOMEN_SIZES(3, 3), .dtype = NOMEN_F64);
    for (int i = 0; i < 2; i++)
        assert_non_null(nomen_copy_(nomen_select(b, "N", i), times(x, i + 1)));
    assert_true(nomen_requires_grad(b));
    char name[32];
    assert_string_equal(nomen_grad_fn_name(b, name, sizeof name), "CopySlices");
    assert_values(b, 1, 2, 3, 2, 4, 6, 0, 0, 0);
    assert_int_equal(nomen_backward(sum_of_squares(b)), NOMEN_OK);
    assert_values(nomen_gradient(x), 10, 20, 30);
    assert_string_equal(nomen_name_of(nomen_gradient(x), 0), "C");
    nomen_zero_grad(x);
    /* A view made before the change of its base, by way of the base or of another view. */
    b = nomen_zeros("N C", NOMEN_SIZES(2, 3), .dtype = NOMEN_F64);
    nomen_tensor *v = nomen_select(b, "N", 0),
                 *u = nomen_narrow(nomen_transpose(b, "N", "C"), "C", 0, 2);
    assert_non_null(nomen_add_(b, x));
    assert_true(nomen_requires_grad(v) && nomen_requires_grad(u));
    assert_string_equal(nomen_grad_fn_name(v, name, sizeof name), "AsStridedBackward0");
    assert_non_null(nomen_mul_(v, v));
    assert_values(u, 1, 1, 4, 2);
    assert_int_equal(nomen_backward(nomen_sum(u)), NOMEN_OK);
    assert_values(nomen_gradient(x), 3, 5, 0);
    nomen_zero_grad(x);
    /* The same, but nobody asks the view before it is used: in the pipeline, and on the short way
     * of contiguous operands. */
    b = nomen_zeros("N C", NOMEN_SIZES(2, 3), .dtype = NOMEN_F64);
    v = nomen_select(b, "N", 1);
    u = nomen_select(b, "C", 0);
    assert_non_null(nomen_add_(b, x));
    nomen_tensor *loss = nomen_add(nomen_sum(nomen_mul(v, v)), nomen_sum(nomen_mul(u, u)));
    assert_int_equal(nomen_backward(loss), NOMEN_OK);
    assert_values(nomen_gradient(x), 6, 4, 6);
    nomen_zero_grad(x);
    /* A view of a view, of a result. */
    nomen_tensor *y = times(nomen_expand(x, NOMEN_SIZES(2, 3)), 1);
    nomen_tensor *w = nomen_slice(nomen_transpose(y, "0", "1"), "0", .step = nomen_num(2));
    assert_non_null(nomen_mul_(w, nomen_scalar(10)));
    assert_values(y, 10, 2, 30, 10, 2, 30);
    assert_int_equal(nomen_backward(nomen_sum(y), .retain_graph = true), NOMEN_OK);
    assert_values(nomen_gradient(x), 20, 2, 20);
    nomen_zero_grad(x);
    assert_int_equal(nomen_backward(nomen_sum(w)), NOMEN_OK);
    assert_values(nomen_gradient(x), 20, 0, 20);
}

static void views_keep_to_themselves(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("C", 1, 2, 3),
                 *b = nomen_zeros("C", NOMEN_SIZES(3), .dtype = NOMEN_F64);
    /* A view that is a leaf of its own. */
    nomen_tensor *v = nomen_narrow(b, "C", 0, 2);
    assert_int_equal(nomen_set_requires_grad(v, true), NOMEN_OK);
    assert_int_equal(nomen_backward(sum_of_squares(v)), NOMEN_OK);
    assert_values(nomen_gradient(v), 0, 0);
    assert_false(nomen_requires_grad(b));
    /* A base that becomes a leaf after the view was made. */
    nomen_tensor *c = nomen_zeros("C", NOMEN_SIZES(3), .dtype = NOMEN_F64),
                 *u = nomen_narrow(c, "C", 0, 2);
    assert_int_equal(nomen_set_requires_grad(c, true), NOMEN_OK);
    assert_false(nomen_requires_grad(u));
    /* A view made in no_grad is on its own: it cannot join the tape later. */
    nomen_tensor *d = nomen_zeros("C", NOMEN_SIZES(3), .dtype = NOMEN_F64), *w = NULL;
    nomen_no_grad() w = nomen_narrow(d, "C", 0, 3);
    assert_null(nomen_add_(w, x));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_GRAD);
    assert_false(nomen_requires_grad(d));
    nomen_no_grad() assert_non_null(nomen_add_(w, x));
    /* A view outlives its base's header. */
    nomen_tensor *e = times(x, 2), *t = nomen_narrow(e, "C", 1, 2);
    nomen_free(&e);
    assert_non_null(nomen_mul_(t, t));
    assert_int_equal(nomen_backward(nomen_sum(t)), NOMEN_OK);
    assert_values(nomen_gradient(x), 0, 16, 24);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

typedef struct watcher {
    int calls, freed, order;
    double seen[3];
    char name[8];
    nomen_tensor *instead;
    nomen_tensor *of; /* remove `handle` from it */
    uint64_t handle;
    nomen_status answer;
} watcher;

static int hooks_called;

static nomen_status watch(void *payload, nomen_tensor *g, nomen_tensor **replacement) {
    watcher *w = payload;
    w->calls++;
    w->order = ++hooks_called;
    assert_int_equal(nomen_numel(g), 3);
    memcpy(w->seen, values(g), sizeof w->seen);
    if (nomen_name_of(g, 0)) strncpy(w->name, nomen_name_of(g, 0), sizeof w->name - 1);
    if (w->instead) *replacement = w->instead;
    if (w->of) assert_true(nomen_remove_hook(w->of, w->handle));
    if (w->answer) return nomen_raise(w->answer, "the hook says no");
    return NOMEN_OK;
}

static nomen_status doubled(void *payload, nomen_tensor *g, nomen_tensor **replacement) {
    (void)payload;
    *replacement = times(g, 2);
    return *replacement ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static nomen_status after(void *payload, nomen_tensor *g) {
    watcher *w = payload;
    w->calls++;
    w->order = ++hooks_called;
    memcpy(w->seen, values(g), sizeof w->seen);
    if (w->answer) return nomen_raise(w->answer, "the hook says no");
    return NOMEN_OK;
}

static void note_freed(void *payload) { ((watcher *)payload)->freed++; }

static void hooks_see_gradients(void **state) {
    (void)state;
    hooks_called = 0;
    watcher on_y = {0}, on_x = {0}, later = {0}, at_end = {0};
    nomen_scope() {
        nomen_tensor *x = leaf1("N", 1, 2, 3), *y = nomen_rename(times(x, 2), "M");
        nomen_tensor *loss = nomen_sum(nomen_mul(y, y));
        assert_true(nomen_register_hook(y, watch, &on_y, note_freed) != 0);
        assert_true(nomen_register_hook(x, watch, &on_x, note_freed) != 0);
        assert_true(nomen_register_hook(x, doubled, NULL, NULL) != 0);
        assert_true(nomen_register_hook(x, watch, &later, note_freed) != 0);
        assert_true(nomen_register_post_accumulate_grad_hook(x, after, &at_end, note_freed) != 0);
        assert_int_equal(nomen_backward(loss), NOMEN_OK);
        /* both contributions of y in one call */
        assert_int_equal(on_y.calls, 1);
        assert_string_equal(on_y.name, "M");
        assert_true(on_y.seen[0] == 4 && on_y.seen[2] == 12);
        assert_string_equal(on_x.name, "N");
        assert_true(on_x.seen[0] == 8 && later.seen[0] == 16 && at_end.seen[0] == 16);
        assert_true(on_y.order < on_x.order && on_x.order < later.order &&
                    later.order < at_end.order);
        assert_values(nomen_gradient(x), 16, 32, 48);
        /* in grad(), where nothing is accumulated */
        nomen_list l = nomen_grad(NOMEN_LIST(sum_of_squares(x)), NOMEN_LIST(x));
        assert_values(l.at[0], 4, 8, 12);
        assert_int_equal(on_x.calls, 2);
        assert_int_equal(at_end.calls, 1);
        /* the sum, not what was added */
        assert_int_equal(nomen_backward(nomen_sum(x)), NOMEN_OK);
        assert_true(at_end.seen[0] == 18);
    }
    nomen_thread_end();
    assert_true(on_y.freed == 1 && on_x.freed == 1 && later.freed == 1 && at_end.freed == 1);
}

static void hooks_come_and_go(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3);
    watcher a = {0}, b = {0}, c = {0};
    uint64_t ha = nomen_register_hook(x, watch, &a, note_freed),
             hb = nomen_register_hook(x, watch, &b, note_freed);
    assert_true(nomen_remove_hook(x, ha));
    assert_false(nomen_remove_hook(x, ha));
    assert_int_equal(a.freed, 1);
    assert_int_equal(nomen_backward(sum_of_squares(x)), NOMEN_OK);
    assert_true(a.calls == 0 && b.calls == 1);
    /* from within a hook: itself, and one that comes later */
    b.of = x;
    b.handle = hb;
    assert_int_equal(nomen_backward(sum_of_squares(x)), NOMEN_OK);
    assert_true(b.calls == 2 && b.freed == 1);
    c.of = x;
    uint64_t hc = nomen_register_hook(x, watch, &c, note_freed);
    c.handle = nomen_register_hook(x, watch, &a, note_freed);
    assert_int_equal(nomen_backward(sum_of_squares(x)), NOMEN_OK);
    assert_true(c.calls == 1 && a.calls == 0 && a.freed == 2);
    assert_true(nomen_remove_hook(x, hc));
    /* refused: the payload is freed all the same */
    watcher d = {0};
    assert_true(nomen_register_hook(nomen_detach(x), watch, &d, note_freed) == 0);
    assert_error(NOMEN_ERROR_GRAD,
                 "cannot register a hook on a tensor that doesn't require gradient");
    assert_true(nomen_register_post_accumulate_grad_hook(times(x, 2), after, &d, note_freed) == 0);
    assert_error(NOMEN_ERROR_GRAD,
                 "post accumulate grad hooks cannot be registered on non-leaf tensors");
    assert_true(nomen_register_hook(NULL, watch, &d, note_freed) == 0);
    assert_error(NOMEN_ERROR_TYPE, "NULL");
    assert_int_equal(d.freed, 3);
    assert_false(nomen_remove_hook(NULL, 1));
    /* a hook stays with the value that it was put on */
    watcher e = {0};
    nomen_tensor *y = times(x, 1);
    uint64_t he = nomen_register_hook(y, watch, &e, note_freed);
    assert_non_null(nomen_mul_(y, nomen_scalar(5)));
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_true(e.seen[0] == 5);
    assert_true(nomen_remove_hook(y, he));
    assert_int_equal(e.freed, 1);
}

static void hooks_that_fail(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *w = leaf1("N", 1, 1, 1);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, w))), NOMEN_OK);
    /* nothing has changed after an error, wherever it came from */
    watcher no = {.answer = NOMEN_ERROR_VALUE};
    uint64_t h = nomen_register_hook(x, watch, &no, NULL);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, w))), NOMEN_ERROR_VALUE);
    assert_error(NOMEN_ERROR_VALUE, "the hook says no");
    assert_values(nomen_gradient(x), 1, 1, 1);
    assert_values(nomen_gradient(w), 1, 2, 3);
    assert_true(nomen_remove_hook(x, h));
    nomen_tensor *y = times(x, 2);
    assert_true(nomen_register_hook(y, watch, &no, NULL) != 0);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(y, w))), NOMEN_ERROR_VALUE);
    assert_error(NOMEN_ERROR_VALUE, "the hook says no");
    assert_values(nomen_gradient(w), 1, 2, 3);
    /* a replacement that does not fit */
    watcher wrong = {.instead = nomen_ones(NULL, NOMEN_SIZES(2), .dtype = NOMEN_F64)};
    y = times(x, 2);
    assert_true(nomen_register_hook(y, watch, &wrong, NULL) != 0);
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_ERROR_SHAPE);
    assert_error(
        NOMEN_ERROR_SHAPE,
        "a hook put Tensor[2, float64] in the place of a gradient with sizes [3], float64");
    watcher named = {.instead = nomen_ones("M", NOMEN_SIZES(3), .dtype = NOMEN_F64)};
    y = times(x, 2);
    assert_true(nomen_register_hook(y, watch, &named, NULL) != 0);
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_ERROR_NAME);
    assert_error(NOMEN_ERROR_NAME, "['M']");
    assert_values(nomen_gradient(x), 1, 1, 1);
    /* after the sum there is nothing to take back, but the error is told */
    watcher late = {.answer = NOMEN_ERROR_VALUE};
    assert_true(nomen_register_post_accumulate_grad_hook(x, after, &late, NULL) != 0);
    assert_int_equal(nomen_backward(nomen_sum(x)), NOMEN_ERROR_VALUE);
    assert_error(NOMEN_ERROR_VALUE, "the hook says no");
    assert_values(nomen_gradient(x), 2, 2, 2);
}

static nomen_status inner_backward(void *payload, nomen_tensor *g, nomen_tensor **replacement) {
    (void)replacement;
    (void)g;
    nomen_enable_grad() return nomen_backward(sum_of_squares(payload));
    return NOMEN_ERROR_STATE;
}

static void backward_in_a_hook(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *w = leaf1("N", 4, 5, 6), *y = times(x, 3);
    assert_true(nomen_register_hook(y, inner_backward, w, NULL) != 0);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(y, w))), NOMEN_OK);
    assert_values(nomen_gradient(w), 3 + 8, 6 + 10, 9 + 12);
    assert_values(nomen_gradient(x), 12, 15, 18);
}

static void retained_gradients(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *y = times(x, 2), *z = times(x, 2);
    assert_int_equal(nomen_retain_grad(y), NOMEN_OK);
    assert_int_equal(nomen_retain_grad(x), NOMEN_OK);
    assert_true(nomen_retains_grad(y));
    assert_false(nomen_retains_grad(x));
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(y, z))), NOMEN_OK);
    assert_values(nomen_gradient(y), 2, 4, 6);
    assert_string_equal(nomen_name_of(nomen_gradient(y), 0), "N");
    assert_null(nomen_gradient(z));
    /* after a change in place: of the new value */
    y = times(x, 2);
    assert_int_equal(nomen_retain_grad(y), NOMEN_OK);
    assert_non_null(nomen_mul_(y, nomen_scalar(7)));
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    assert_values(nomen_gradient(y), 1, 1, 1);
    assert_int_equal(nomen_retain_grad(nomen_detach(x)), NOMEN_ERROR_GRAD);
    assert_error(NOMEN_ERROR_GRAD, "can't retain_grad on Tensor that has requires_grad=False");
}

/* ---- modes ----------------------------------------------------------------------------------- */

static bool left_in_the_middle(nomen_tensor *x) {
    nomen_no_grad() return nomen_requires_grad(times(x, 2));
    return true;
}

static void modes(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3);
    nomen_no_grad() {
        assert_false(nomen_grad_enabled());
        assert_false(nomen_requires_grad(times(x, 2)));
        nomen_enable_grad() assert_true(nomen_requires_grad(times(x, 2)));
        assert_false(nomen_grad_enabled());
        assert_true(nomen_requires_grad(x));
    }
    assert_true(nomen_grad_enabled());
    assert_false(left_in_the_middle(x));
    assert_true(nomen_grad_enabled());
    for (int i = 0; i < 3; i++) nomen_no_grad() {
            if (i == 1) goto out;
            continue;
        }
out:
    assert_true(nomen_grad_enabled());
    nomen_no_grad() break;
    assert_true(nomen_grad_enabled());
    assert_true(nomen_set_grad_enabled(false));
    assert_false(nomen_set_grad_enabled(true));
    /* a backward works in no_grad, and leaves the mode alone */
    nomen_tensor *loss = sum_of_squares(x);
    nomen_no_grad() {
        assert_int_equal(nomen_backward(loss, .create_graph = true), NOMEN_OK);
        assert_false(nomen_grad_enabled());
    }
    assert_true(nomen_requires_grad(nomen_gradient(x)));
    nomen_zero_grad(x); /* the gradient's graph leads to x: a cycle */
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static void scopes_and_graphs(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3), *loss = NULL;
    nomen_scope() {
        nomen_scope() {
            nomen_tensor *w = leaf1("N", 4, 5, 6); /* dies before the graph that leads to it */
            loss = nomen_keep(nomen_keep(nomen_sum(nomen_mul(nomen_exp(nomen_log(x)), w))));
        }
        assert_int_equal(nomen_backward(loss), NOMEN_OK);
    }
    assert_values(nomen_gradient(x), 4, 5, 6);
    /* without a backward at all */
    nomen_scope() {
        nomen_tensor *y = x;
        for (int i = 0; i < 100; i++) y = nomen_mul(nomen_exp(y), x);
    }
    int64_t alive = nomen_get_memory_stats().tensors_live;
    nomen_scope() assert_int_equal(nomen_backward(sum_of_squares(nomen_exp(x))), NOMEN_OK);
    assert_int_equal(nomen_get_memory_stats().tensors_live, alive);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LONG = 100000, SMALL_STACK = 1024 * 1024 };
#else
enum { LONG = 1000000, SMALL_STACK = 64 * 1024 };
#endif

static void build_chain(bool walk, bool tail_first) {
    nomen_tensor *x = leaf(NULL, (nomen_sizes){0}, (double[]){1}), *y = times(x, 1), *head = y;
    nomen_retain(head);
    for (int i = 1; i < LONG; i++) {
        nomen_tensor *next = i % 2 ? nomen_neg(y) : nomen_mul(y, y);
        nomen_retain(next);
        if (y != head) nomen_release(y);
        nomen_free(&y);
        y = next;
    }
    if (walk) {
        assert_int_equal(nomen_backward(y), NOMEN_OK);
        assert_true(nomen_gradient(x) != NULL);
    }
    nomen_tensor *first = tail_first ? head : y, *last = tail_first ? y : head;
    nomen_release(first);
    nomen_release(last);
}

static void *chains(void *unused) {
    (void)unused;
    nomen_scope() build_chain(true, true);
    nomen_scope() build_chain(true, false);
    nomen_scope() build_chain(false, true);
    nomen_scope() build_chain(false, false);
    nomen_thread_end();
    return NULL;
}

static void long_chains(void **state) {
    (void)state;
    pthread_attr_t small;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&small), 0);
    const long least = sysconf(_SC_THREAD_STACK_MIN),
               size = least > SMALL_STACK ? least : SMALL_STACK;
    assert_int_equal(pthread_attr_setstacksize(&small, (size_t)size), 0);
    assert_int_equal(pthread_create(&thread, &small, chains, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&small);
}

static void wide_nodes(void **state) {
    (void)state;
    enum { WIDE = 5000 };
    nomen_tensor *x = leaf1("N", 1, 2, 3), **parts = nomen__scope_array(WIDE);
    for (int i = 0; i < WIDE; i++) parts[i] = i % 2 ? x : times(x, i);
    nomen_tensor *y = nomen_cat((nomen_list){WIDE, parts}, "N");
    assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_OK);
    double want = WIDE / 2;
    for (int i = 0; i < WIDE; i += 2) want += i;
    assert_values(nomen_gradient(x), want, want, want);
}

/* A random graph in which every node is used by many later ones: any node that is walked before its
 * gradient is complete shows. Each node is a sum of two others; what x gets is counted beside. */
static void tangled_graphs(void **state) {
    (void)state;
    enum { NODES = 400, GRAPHS = 20 };
    uint64_t seed = 1;
    for (int round = 0; round < GRAPHS; round++) nomen_scope() {
            nomen_tensor *x = leaf(NULL, (nomen_sizes){0}, (double[]){1}), *node[NODES] = {x};
            double ways[NODES] = {1};
            for (int i = 1; i < NODES; i++) {
                int from[2];
                for (int k = 0; k < 2; k++) {
                    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                    int span = i < 30 ? i : 30;
                    from[k] = i - 1 - (int)((seed >> 33) % (uint64_t)span);
                }
                ways[i] = (ways[from[0]] + ways[from[1]]) / 2;
                node[i] = times(nomen_add(node[from[0]], node[from[1]]), 0.5);
            }
            double want = 0;
            for (int i = NODES - 25; i < NODES; i++) want += ways[i];
            nomen_tensor *last = nomen_stack((nomen_list){25, node + NODES - 25}, "0");
            assert_int_equal(nomen_backward(nomen_sum(last)), NOMEN_OK);
            assert_values(nomen_gradient(x), want);
        }
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

static void *accumulate(void *payload) {
    nomen_tensor *x = payload;
    for (int i = 0; i < ROUNDS; i++) nomen_scope() {
            if (nomen_backward(sum_of_squares(nomen_exp(x)))) return x;
        }
    nomen_thread_end();
    return NULL;
}

static void threads_share_a_leaf(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 0, 0, 0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, accumulate, x), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_values(nomen_gradient(x), 2 * THREADS * ROUNDS, 2 * THREADS * ROUNDS,
                  2 * THREADS * ROUNDS);
}

static void *go_on(void *payload) {
    nomen_tensor *a = payload, *b = times(a, 3), *c = nomen_add(times(a, 5), b);
    void *failed = nomen_backward(nomen_sum(nomen_add(c, nomen_add(a, b)))) ? payload : NULL;
    nomen_thread_end();
    return failed;
}

/* A graph that one thread begins, late in its life, and a young one ends. */
static void threads_share_a_graph(void **state) {
    (void)state;
    nomen_tensor *x = leaf1("N", 1, 2, 3);
    for (int i = 0; i < 100; i++) times(x, 2);
    nomen_tensor *a = nomen_exp(x); /* which can be walked once only */
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_create(&thread, NULL, go_on, a), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_values(nomen_gradient(x), 12 * exp(1), 12 * exp(2), 12 * exp(3));
}

/* ---- no memory ------------------------------------------------------------------------------- */

#ifdef NOMEN_FAULTS

/* Everything that allocates: saved operands, results, views changed in place, hooks, retained
 * gradients, both kinds of sums, second derivatives. */
static nomen_status one_step(nomen_tensor *x, nomen_tensor *w) {
    nomen_tensor *h = nomen_exp(nomen_matmul(x, w));
    nomen_tensor *b = nomen_zeros("A", NOMEN_SIZES(3), .dtype = NOMEN_F64);
    nomen_tensor *v = nomen_mul_(nomen_copy_(nomen_narrow(b, "A", 0, 2), h), h);
    nomen_tensor *y =
        nomen_cat(NOMEN_LIST(b, nomen_max(nomen_softmax(h, "A"), "A", .keepdim = true), v), "A");
    if (!y) return NOMEN_ERROR_MEMORY;
    nomen_status s = nomen_retain_grad(h);
    if (!s && !nomen_register_hook(h, doubled, NULL, NULL)) s = NOMEN_ERROR_MEMORY;
    nomen_list g = {0};
    if (!s) g = nomen_grad(NOMEN_LIST(nomen_prod(y)), NOMEN_LIST(x, w), .create_graph = true);
    if (!s && g.count)
        s = nomen_backward(nomen_add(nomen_sum(nomen_mul(g.at[0], g.at[0])), nomen_var(g.at[1])));
    return s ? s : g.count ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static void every_allocation_fails_in_turn(void **state) {
    (void)state;
    nomen_tensor *x = leaf("N", NOMEN_SIZES(2), (double[]){0.5, 0.25});
    nomen_tensor *w = leaf("N A", NOMEN_SIZES(2, 2), (double[]){1, 2, 3, 4});
    nomen_scope() assert_int_equal(one_step(x, w), NOMEN_OK);
    double gx[2], gw[4];
    memcpy(gx, values(nomen_gradient(x)), sizeof gx);
    memcpy(gw, values(nomen_gradient(w)), sizeof gw);
    nomen_zero_grad(w); /* one leaf adds up, the other starts afresh */
    nomen_memory_stats clean = nomen_get_memory_stats();
    int64_t failures = 0;
    for (int64_t nth = 0;; nth++) {
        nomen_status s = NOMEN_OK;
        nomen__fail_allocation(nth);
        nomen_scope() s = one_step(x, w);
        nomen__fail_allocation(-1);
        if (!s && !nomen_last_error()) break;
        const nomen_error *e = nomen_last_error();
        assert_true(e != NULL || s == NOMEN_OK);
        failures++;
        nomen_clear_error();
        if (!s) { /* a failure that did no harm */
            nomen_zero_grad(w);
            memcpy(nomen_data(nomen_gradient(x)), gx, sizeof gx);
        }
        nomen_scope() assert_values(nomen_gradient(x), gx[0], gx[1]);
        assert_null(nomen_gradient(w));
        nomen_memory_stats now = nomen_get_memory_stats();
        assert_int_equal(now.tensors_live, clean.tensors_live);
        assert_int_equal(now.buffers_live, clean.buffers_live);
    }
    assert_true(failures > 50);
    assert_values(nomen_gradient(x), 2 * gx[0], 2 * gx[1]);
    assert_values(nomen_gradient(w), gw[0], gw[1], gw[2], gw[3]);
}

#endif

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(leaves),
        TEST(starting_points),
        TEST(names),
        TEST(accumulation),
        TEST(chosen_inputs),
        TEST(higher_derivatives),
        TEST(graphs_are_used_once),
        TEST(other_dtypes),
        TEST(in_place_on_leaves),
        TEST(in_place_on_results),
        TEST(changed_after_saving),
        TEST(writing_into_views),
        TEST(views_keep_to_themselves),
        TEST(hooks_see_gradients),
        TEST(hooks_come_and_go),
        TEST(hooks_that_fail),
        TEST(backward_in_a_hook),
        TEST(retained_gradients),
        TEST(modes),
        TEST(scopes_and_graphs),
        TEST(long_chains),
        TEST(wide_nodes),
        TEST(tangled_graphs),
        TEST(threads_share_a_leaf),
        TEST(threads_share_a_graph),
#ifdef NOMEN_FAULTS
        TEST(every_allocation_fails_in_turn),
#endif
    };
    return cmocka_run_group_tests_name("autograd", tests, NULL, NULL);
}
