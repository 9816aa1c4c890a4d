/* What the kernels of a device are called with (tests/backends/recorder.c notes it and computes
 * nothing), and copies to, from and between devices that fail halfway. */
#include "core/devices.h"
#include "nomen/nomen.h"
#include "op/op.h"
#include "recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static recorder *seen;

static int look_in_the_build(void **state) {
    (void)state;
    if (setenv("NOMEN_BACKEND_PATH", NOMEN_BACKENDS_DIR ":" NOMEN_BACKENDS_DIR "/broken", 1))
        return -1;
    nomen_tensor *t = nomen_ones(NULL, NOMEN_SIZES(1), .device = "recorder");
    if (!t) return -1;
    seen = nomen__device_at(t->device)->backend->state;
    nomen_free(&t);
    return 0;
}

static nomen_tensor *there(const char *names, nomen_sizes size, nomen_dtype dtype) {
    nomen_tensor *t = nomen_ones(names, size, .dtype = dtype, .device = "recorder");
    assert_non_null(t);
    return t;
}

static void expect_error(nomen_status code, const char *part) {
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    if (e->code != code || !strstr(e->message, part)) fail_msg("%d: %s", e->code, e->message);
    nomen_clear_error();
}

/* The last call was of that kernel, and the first one since. */
static void called(const char *operation, const char *kernel, nomen_backend_form form) {
    assert_int_equal(seen->calls, 1);
    seen->calls = 0;
    assert_string_equal(seen->operation, operation);
    assert_string_equal(seen->kernel, kernel);
    assert_int_equal(seen->form, form);
}

static void sizes(const recorded_operand *o, int32_t ndim, const int64_t *size,
                  const int64_t *stride) {
    assert_int_equal(o->ndim, ndim);
    for (int d = 0; d < ndim; d++) {
        assert_int_equal(o->size[d], size[d]);
        assert_int_equal(o->stride[d], stride[d]);
    }
}

#define LIKE(operand, ndim, size, stride)                                                          \
    sizes(operand, ndim, (const int64_t[])NOMEN__UNPACK size, (const int64_t[])NOMEN__UNPACK stride)
#define NOMEN__UNPACK(...) {__VA_ARGS__}

static const recorded_argument *argument(const char *name) {
    for (int i = 0; i < seen->arguments; i++)
        if (!strcmp(seen->argument[i].name, name)) return &seen->argument[i];
    fail_msg("there is no argument %s", name);
    return NULL;
}

/* Of two results each has its place, and one that nobody asked for is absent. */
static void reductions(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = there("N C", NOMEN_SIZES(2, 3), NOMEN_F32), *at = NULL;
        seen->calls = 0;
        assert_non_null(nomen_max(x, "C", .indices = &at));
        assert_int_equal(nomen_dtype_of(at), NOMEN_I64);
        called("max", "max", NOMEN_BACKEND_REDUCTION);
        assert_int_equal(seen->outputs, 2);
        assert_true(seen->output[0].there && seen->output[1].there);
        assert_int_equal(seen->output[0].dtype, NOMEN_F32);
        assert_int_equal(seen->output[1].dtype, NOMEN_I64);
        assert_int_equal(seen->dims, 2);
        LIKE(&seen->output[0], 2, (2, 1), (1, 0));
        LIKE(&seen->output[1], 2, (2, 1), (1, 0));
        assert_non_null(nomen_max(x, "C", .keepdim = true));
        called("max", "max", NOMEN_BACKEND_REDUCTION);
        assert_true(seen->output[0].there && !seen->output[1].there);
        assert_int_equal(seen->output[1].dtype, NOMEN_DTYPE_NONE);
        assert_non_null(nomen_argmax(x, "N"));
        called("argmax", "max", NOMEN_BACKEND_REDUCTION);
        assert_int_equal(seen->outputs, 2);
        assert_true(!seen->output[0].there && seen->output[1].there);
        assert_int_equal(seen->dims, 1);
        LIKE(&seen->output[1], 2, (1, 3), (0, 1));
        assert_non_null(nomen_var(x, .dim = "N", .correction = nomen_num(0)));
        called("var", "var", NOMEN_BACKEND_REDUCTION);
        assert_true(argument("correction")->re == 0);
        nomen_tensor *whole = nomen_sum(there("N C", NOMEN_SIZES(2, 3), NOMEN_I32), .dim = "N C");
        assert_int_equal(nomen_dtype_of(whole), NOMEN_I64);
        called("sum", "sum", NOMEN_BACKEND_REDUCTION);
        assert_int_equal(seen->output[0].dtype, NOMEN_I64);
        assert_int_equal(seen->dims, 3);
    }
}

static void rows_scans_and_products(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = there("N C", NOMEN_SIZES(2, 3), NOMEN_F32);
        nomen_tensor *point = there(NULL, (nomen_sizes){0, NULL}, NOMEN_F32), *at = NULL;
        seen->calls = 0;
        assert_non_null(nomen_softmax(x, "C"));
        called("softmax", "softmax", NOMEN_BACKEND_ROWS);
        assert_int_equal(seen->dim, 1);
        assert_non_null(nomen_softmax(point, "0"));
        called("softmax", "softmax", NOMEN_BACKEND_ROWS);
        assert_int_equal(seen->dim, -1);
        assert_int_equal(seen->input[0].ndim, 0);
        assert_non_null(nomen_cumsum(x, "N", .reverse = true));
        called("cumsum", "cumsum", NOMEN_BACKEND_SCAN);
        assert_int_equal(seen->dim, 0);
        assert_int_equal(argument("reverse")->integer, 1);
        assert_non_null(nomen_cummax(x, "N", .indices = &at));
        called("cummax", "cummax", NOMEN_BACKEND_SCAN);
        assert_true(seen->outputs == 2 && seen->output[1].there);
        assert_int_equal(seen->output[1].dtype, NOMEN_I64);
        assert_non_null(nomen_cummax(x, "N"));
        called("cummax", "cummax", NOMEN_BACKEND_SCAN);
        assert_true(seen->outputs == 2 && !seen->output[1].there);
        assert_int_equal(seen->output[1].ndim, 0);
        assert_non_null(nomen_matmul(x, there("C K", NOMEN_SIZES(3, 4), NOMEN_F32)));
        called("matmul", "matmul", NOMEN_BACKEND_PRODUCT);
        LIKE(&seen->output[0], 2, (2, 4), (4, 1));
        LIKE(&seen->input[1], 2, (3, 4), (4, 1));
        nomen_tensor *square = there("N C", NOMEN_SIZES(3, 3), NOMEN_F32);
        assert_ptr_equal(nomen_matmul(square, nomen_rename(square, "C K"), .out = square), NULL);
        nomen_clear_error(); /* other names */
        seen->calls = 0;
        square = nomen_rename(square);
        assert_ptr_equal(nomen_matmul(square, square, .out = square), square);
        called("matmul", "matmul", NOMEN_BACKEND_PRODUCT);
    }
}

/* Numbers of every kind, words, whole numbers. */
static void arguments(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = there(NULL, NOMEN_SIZES(3), NOMEN_F32);
        nomen_tensor *z = there(NULL, NOMEN_SIZES(3), NOMEN_C64);
        seen->calls = 0;
        assert_non_null(nomen_add(x, x, .alpha = nomen_num(3)));
        called("add", "add_scaled", NOMEN_BACKEND_ELEMENTS);
        assert_true(argument("alpha")->re == 3 && argument("alpha")->integer == 3);
        assert_non_null(nomen_add(x, x, .alpha = nomen_num(2.5)));
        called("add", "add_scaled", NOMEN_BACKEND_ELEMENTS);
        assert_true(argument("alpha")->re == 2.5 && argument("alpha")->im == 0);
        assert_non_null(nomen_add(z, z, .alpha = (nomen_number){NOMEN_NUMBER_COMPLEX, 0, 2, -1}));
        called("add", "add_scaled", NOMEN_BACKEND_ELEMENTS);
        assert_true(argument("alpha")->re == 2 && argument("alpha")->im == -1);
        nomen_tensor *b = there(NULL, NOMEN_SIZES(3), NOMEN_BOOL);
        assert_non_null(nomen_add(b, b, .alpha = (nomen_number){NOMEN_NUMBER_BOOL, 1, 0, 0}));
        called("add", seen->kernel, NOMEN_BACKEND_ELEMENTS);
        assert_true(argument("alpha")->re == 1 && argument("alpha")->integer == 1);
        assert_non_null(nomen_div(x, x, .rounding_mode = "floor"));
        called("div", seen->kernel, NOMEN_BACKEND_ELEMENTS);
        assert_string_equal(argument("rounding_mode")->text, "floor");
        assert_non_null(nomen_polygamma(x, 2));
        called("polygamma", seen->kernel, NOMEN_BACKEND_ELEMENTS);
        assert_int_equal(argument("n")->integer, 2);
    }
}

/* A lone number of the CPU goes along, in the dtype of the kernel; rows are shown again. */
static void elements(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = there("N C", NOMEN_SIZES(2, 3), NOMEN_F32);
        nomen_tensor *number = nomen_squeeze(nomen_ones(NULL, NOMEN_SIZES(1), .dtype = NOMEN_I64));
        seen->calls = 0;
        assert_non_null(nomen_maximum(x, number));
        called("maximum", "maximum", NOMEN_BACKEND_ELEMENTS);
        assert_true(seen->input[1].number && seen->input[1].dtype == NOMEN_F32);
        LIKE(&seen->input[1], 2, (2, 3), (0, 0));
        assert_non_null(nomen_maximum(x, there("C", NOMEN_SIZES(3), NOMEN_F32)));
        called("maximum", "maximum", NOMEN_BACKEND_ELEMENTS);
        LIKE(&seen->input[1], 2, (2, 3), (0, 1));
        nomen_tensor *mask = there(NULL, NOMEN_SIZES(2, 1), NOMEN_BOOL);
        assert_non_null(nomen_where(mask, x, number));
        called("where", "where", NOMEN_BACKEND_ELEMENTS);
        assert_int_equal(seen->inputs, 3);
        assert_int_equal(seen->input[0].dtype, NOMEN_BOOL);
        LIKE(&seen->input[0], 2, (2, 3), (1, 0));
        nomen_tensor *none = there("N C", NOMEN_SIZES(0, 3), NOMEN_F32);
        assert_non_null(nomen_maximum(none, none));
        assert_int_equal(seen->calls, 0); /* there is nothing to do */
    }
}

/* ---- what fails ------------------------------------------------------------------------------ */

static void kernels_that_are_lost(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = there("N C", NOMEN_SIZES(2, 3), NOMEN_F32);
        nomen_tensor *row = there("C", NOMEN_SIZES(3), NOMEN_F32);
        seen->fail_find = 1;
        assert_null(nomen_zero_(x));
        expect_error(NOMEN_ERROR_DEVICE,
                     "the backend of 'recorder:0' has lost its kernel \"fill\"");
        assert_null(nomen_copy_(x, row));
        expect_error(NOMEN_ERROR_DEVICE,
                     "the backend of 'recorder:0' has lost its kernel \"copy\"");
        assert_null(nomen_exp(x));
        expect_error(NOMEN_ERROR_UNSUPPORTED, "\"exp\" not implemented on 'recorder:0'");
        seen->fail_find = 0;
        assert_non_null(nomen_exp(x));
    }
}

typedef nomen_tensor *program(nomen_tensor *here, nomen_tensor *away);

static nomen_tensor *to_another(nomen_tensor *here, nomen_tensor *away) {
    (void)here;
    return nomen_to(away, .device = "recorder:1");
}

static nomen_tensor *back_of_another_dtype(nomen_tensor *here, nomen_tensor *away) {
    return nomen_copy_(nomen_cast(here, NOMEN_F64), away);
}

static nomen_tensor *there_of_another_dtype(nomen_tensor *here, nomen_tensor *away) {
    return nomen_copy_(nomen_cast(away, NOMEN_F64), here);
}

static nomen_tensor *there_and_turned(nomen_tensor *here, nomen_tensor *away) {
    return nomen_copy_(nomen_transpose(away, "N", "C"), nomen_transpose(here, "N", "C"));
}

static nomen_tensor *another_dtype_there(nomen_tensor *here, nomen_tensor *away) {
    (void)away;
    return nomen_to(here, .dtype = NOMEN_F64, .device = "recorder");
}

static nomen_tensor *made_there(nomen_tensor *here, nomen_tensor *away) {
    (void)here, (void)away;
    return nomen_arange("N", nomen_num(5), .device = "recorder");
}

static nomen_tensor *on_the_way_back(nomen_tensor *here, nomen_tensor *away) {
    (void)away;
    nomen_tensor *x = nomen_detach(here);
    nomen_set_requires_grad(x, true);
    nomen_tensor *y = nomen_to(x, .device = "recorder");
    return y && !nomen_backward(y, .gradient = nomen_ones_like(y)) ? x : NULL;
}

static nomen_tensor *text_of(nomen_tensor *here, nomen_tensor *away) {
    char text[300];
    nomen_repr(away, text, sizeof text);
    return nomen__error_pending() ? NULL : here;
}

static nomen_tensor *one_element(nomen_tensor *here, nomen_tensor *away) {
    nomen_number n = nomen_item_number(nomen_select(nomen_select(away, "N", 0), "C", 0));
    return n.kind == NOMEN_ABSENT ? NULL : here;
}

static nomen_tensor *truth(nomen_tensor *here, nomen_tensor *away) {
    return nomen_allclose(away, away) || !nomen__error_pending() ? here : NULL;
}

static nomen_tensor *saved(nomen_tensor *here, nomen_tensor *away) {
    char path[] = "/tmp/nomen_device_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    nomen_status s = nomen_save_npy(away, path);
    remove(path);
    return s ? NULL : here;
}

static nomen_tensor *normal(nomen_tensor *here, nomen_tensor *away) {
    (void)here;
    return nomen_normal(away, away);
}

static nomen_tensor *turned_and_flat(nomen_tensor *here, nomen_tensor *away) {
    (void)away;
    return nomen_to(nomen_transpose(here, "N", "C"), .device = "recorder:1");
}

/* Each copy in turn is the last one: there is the backend's error, and nothing is lost. */
static void copies_that_fail(void **state) {
    (void)state;
    static const struct {
        const char *name;
        program *run;
        int copies;
    } programs[] = {
        {"to_another", to_another, 2},
        {"back_of_another_dtype", back_of_another_dtype, 1},
        {"there_of_another_dtype", there_of_another_dtype, 1},
        {"there_and_turned", there_and_turned, 1},
        {"another_dtype_there", another_dtype_there, 1},
        {"made_there", made_there, 1},
        {"on_the_way_back", on_the_way_back, 2},
        {"text_of", text_of, 1},
        {"one_element", one_element, 1},
        {"truth", truth, 1},
        {"saved", saved, 1},
        {"normal", normal, 3},
        {"turned_and_flat", turned_and_flat, 1},
    };
    nomen_tensor *here = NULL, *away = NULL;
    nomen_scope() {
        here = nomen_keep(nomen_ones("N C", NOMEN_SIZES(2, 3)));
        away = nomen_keep(nomen_to(here, .device = "recorder"));
    }
    for (size_t i = 0; i < NOMEN_COUNT(programs); i++) {
        int failures = 0;
        nomen_memory_stats before = nomen_get_memory_stats();
        for (bool done = false; !done; failures += !done) {
            nomen_scope() {
                seen->fail_copy = failures + 1;
                done = programs[i].run(here, away) != NULL;
                bool failed = !seen->fail_copy;
                seen->fail_copy = 0;
                if (done == failed)
                    fail_msg("%s: %d: %s", programs[i].name, failures, nomen_error_text());
                if (!done) expect_error(NOMEN_ERROR_DEVICE, "the cable is out");
                assert_null(nomen_last_error());
            }
            assert_int_equal(nomen_get_memory_stats().tensors_live, before.tensors_live);
            assert_int_equal(nomen_get_memory_stats().bytes_live, before.bytes_live);
        }
        if (failures != programs[i].copies) fail_msg("%s: %d copies", programs[i].name, failures);
    }
    nomen_free(&here);
    nomen_free(&away);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions),
        cmocka_unit_test(rows_scans_and_products),
        cmocka_unit_test(arguments),
        cmocka_unit_test(elements),
        cmocka_unit_test(kernels_that_are_lost),
        cmocka_unit_test(copies_that_fail),
    };
    return cmocka_run_group_tests_name("device_calls", tests, look_in_the_build, NULL);
}
