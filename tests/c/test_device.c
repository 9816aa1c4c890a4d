/* Devices from C: a training step on the mock device gives what it gives on the CPU, wrong uses are
 * refused with a reason, and backends that are broken are not believed. The memory of the mock
 * device cannot be touched from here, so whatever follows its addresses is killed. */
#include "core/devices.h"
#include "nomen/nomen.h"
#include "op/op.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int look_in_the_build(void **state) {
    (void)state;
    return setenv("NOMEN_BACKEND_PATH", NOMEN_BACKENDS_DIR ":" NOMEN_BACKENDS_DIR "/broken", 1);
}

static void expect_error(nomen_status code, const char *part) {
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    if (e->code != code || !strstr(e->message, part)) fail_msg("%d: %s", e->code, e->message);
    nomen_clear_error();
}

static nomen_tensor *numbers(const char *names, nomen_sizes size, double start, double step) {
    int64_t n = 1;
    for (int64_t i = 0; i < size.count; i++) n *= size.at[i];
    nomen_tensor *t = nomen_arange(NULL, nomen_num(0), nomen_num(n), .dtype = NOMEN_F32);
    t = nomen_add(nomen_mul(t, nomen_scalar(step)), nomen_scalar(start));
    t = nomen_reshape(t, size);
    assert_int_equal(nomen_set_names(t, names), NOMEN_OK);
    return t;
}

static nomen_tensor *on(const char *device, nomen_tensor *t) {
    return nomen_to(t, .device = device);
}

static void same_values(nomen_tensor *a, nomen_tensor *b) {
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(nomen_ndim(a), nomen_ndim(b));
    for (int d = 0; d < nomen_ndim(a); d++) {
        const char *x = nomen_name_of(a, d), *y = nomen_name_of(b, d);
        assert_true(x == y || (x && y && !strcmp(x, y)));
    }
    assert_true(nomen_allclose(nomen_detach(on("cpu", a)), nomen_detach(on("cpu", b)),
                               .rtol = nomen_num(1e-5), .atol = nomen_num(1e-6)));
}

static void there_and_back(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = numbers("N C", NOMEN_SIZES(2, 3), 1, 1);
        nomen_tensor *y = on("mock", x), *z = on("mock:1", y);
        assert_string_equal(nomen_device_of(x), "cpu");
        assert_string_equal(nomen_device_of(y), "mock:0");
        assert_string_equal(nomen_device_of(z), "mock:1");
        assert_string_equal(nomen_name_of(z, 1), "C");
        assert_ptr_equal(on("mock:0", y), y);
        same_values(on("cpu", z), x);
        same_values(on("cpu", nomen_transpose(z, "N", "C")), nomen_transpose(x, "N", "C"));
        assert_null(nomen_data(y));
        expect_error(NOMEN_ERROR_DEVICE, "on 'mock:0'");
        assert_true(nomen_item(nomen_select(nomen_select(y, "N", 1), "C", 2)) == 6);
    }
    assert_int_equal(nomen_device_count("mock"), 2);
    assert_int_equal(nomen_device_count("cuda"), 0);
    assert_int_equal(nomen_synchronize("mock"), NOMEN_OK);
    assert_int_equal(nomen_synchronize(NULL), NOMEN_OK);
}

/* Two steps of a small network: matrix products, relu, softmax, a mean, gradients, in place. */
static void train(const char *device, nomen_tensor *w, nomen_tensor *b, nomen_tensor **loss) {
    nomen_tensor *x = on(device, numbers("N in", NOMEN_SIZES(4, 3), -1, 0.25));
    for (int step = 0; step < 2; step++) {
        nomen_tensor *p = nomen_softmax(nomen_relu(nomen_add(nomen_matmul(x, w), b)), "out");
        *loss = nomen_neg(nomen_mean(nomen_log(p), .dim = "N out"));
        assert_int_equal(nomen_backward(*loss), NOMEN_OK);
        nomen_no_grad() {
            assert_non_null(nomen_sub_(w, nomen_mul(nomen_gradient(w), nomen_scalar(0.5))));
            assert_non_null(nomen_sub_(b, nomen_gradient(b), .alpha = nomen_num(0.5)));
        }
    }
}

static void a_training_step(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *w[2], *b[2], *loss[2];
        for (int i = 0; i < 2; i++) {
            const char *device = i ? "mock" : "cpu";
            w[i] = nomen_clone(on(device, numbers("in out", NOMEN_SIZES(3, 2), -0.5, 0.3)));
            b[i] = nomen_clone(on(device, numbers("out", NOMEN_SIZES(2), 0.1, 0.1)));
            nomen_set_requires_grad(w[i], true);
            nomen_set_requires_grad(b[i], true);
            train(device, w[i], b[i], &loss[i]);
        }
        assert_string_equal(nomen_device_of(nomen_gradient(w[1])), "mock:0");
        same_values(loss[1], loss[0]);
        same_values(w[1], w[0]);
        same_values(nomen_gradient(w[1]), nomen_gradient(w[0]));
        same_values(nomen_gradient(b[1]), nomen_gradient(b[0]));
    }
    assert_null(nomen_last_error());
}

/* Gradients go back to where the operand was. */
static void gradients_cross(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = numbers("N", NOMEN_SIZES(3), 1, 1);
        nomen_tensor *s = nomen_squeeze(nomen_ones(NULL, NOMEN_SIZES(1)));
        nomen_set_requires_grad(x, true);
        s = nomen_detach(s);
        nomen_set_requires_grad(s, true);
        nomen_tensor *y = on("mock", x);
        assert_int_equal(nomen_backward(nomen_sum(nomen_mul(nomen_mul(y, y), s))), NOMEN_OK);
        assert_string_equal(nomen_device_of(nomen_gradient(x)), "cpu");
        assert_string_equal(nomen_device_of(nomen_gradient(s)), "cpu");
        same_values(nomen_gradient(x), nomen_mul(nomen_detach(x), nomen_scalar(2)));
        assert_true(nomen_item(nomen_gradient(s)) == 14);
    }
}

/* In place through a view, out=, and what is resized by it. */
static void writes(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = numbers("N C", NOMEN_SIZES(2, 3), 1, 1), *y = on("mock", x);
        nomen_tensor *out = nomen_zeros(NULL, NOMEN_SIZES(0), .device = "mock");
        assert_non_null(nomen_add_(nomen_select(y, "C", 1), nomen_scalar(10)));
        assert_non_null(nomen_add_(nomen_select(x, "C", 1), nomen_scalar(10)));
        same_values(y, x);
        assert_ptr_equal(nomen_mul(y, y, .out = out), out);
        same_values(out, nomen_mul(x, x));
        assert_non_null(nomen_copy_(y, numbers("C", NOMEN_SIZES(3), 5, 1))); /* from the CPU */
        assert_non_null(nomen_copy_(x, numbers("C", NOMEN_SIZES(3), 5, 1)));
        same_values(y, x);
        assert_null(nomen_mul(y, y, .out = x));
        expect_error(NOMEN_ERROR_DEVICE, "at least two devices, mock:0 and cpu!");
        assert_null(nomen_mul(x, x, .out = y));
        expect_error(NOMEN_ERROR_DEVICE, "at least two devices, cpu and mock:0!");
        assert_null(nomen_zeros("N C", NOMEN_SIZES(2, 3), .out = x, .device = "mock"));
        expect_error(NOMEN_ERROR_DEVICE, "at least two devices");
    }
}

static void what_is_refused(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = numbers("N", NOMEN_SIZES(3), 1, 1), *y = on("mock", x);
        assert_null(nomen_add(x, y));
        expect_error(NOMEN_ERROR_DEVICE, "Expected all tensors to be on the same device, but found "
                                         "at least two devices, mock:0 and cpu!");
        assert_null(nomen_add(y, on("mock:1", x)));
        expect_error(NOMEN_ERROR_DEVICE, "mock:0 and mock:1!");
        assert_null(nomen_cat(NOMEN_LIST(y, x)));
        expect_error(NOMEN_ERROR_DEVICE, "mock:0 and cpu!");
        assert_null(nomen_sin(y));
        expect_error(NOMEN_ERROR_UNSUPPORTED, "\"sin\" not implemented on 'mock:0' for 'float32'");
        assert_null(nomen_sort(y, .dim = "N"));
        expect_error(NOMEN_ERROR_UNSUPPORTED, "\"sort\" not implemented on 'mock:0'");
        assert_null(nomen_masked_select(y, nomen_gt(y, nomen_scalar(1))));
        expect_error(NOMEN_ERROR_UNSUPPORTED, "not implemented on 'mock:0'");
        assert_null(nomen_to_dlpack(y));
        expect_error(NOMEN_ERROR_UNSUPPORTED, "'mock:0'");
        static const struct {
            const char *device, *part;
        } wrong[] = {
            {"mock:2", "the backend has 2 devices"},    {"mock:x", "Invalid device string"},
            {"mock:", "Invalid device string"},         {":1", "Invalid device string"},
            {"mock:01", "Invalid device string"},       {"cpu:1", "CPU device index must be 0"},
            {"cuda", "not compiled with CUDA enabled"}, {"../mock", "there is no device"},
            {"nowhere:3", "libnomen_backend_nowhere"},  {"", "Invalid device string"},
        };
        for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
            assert_null(on(wrong[i].device, x));
            expect_error(NOMEN_ERROR_DEVICE, wrong[i].part);
        }
        assert_int_equal(nomen_synchronize("cuda"), NOMEN_ERROR_DEVICE);
        nomen_clear_error();
    }
}

/* ---- backends that are wrong ----------------------------------------------------------------- */

/* tests/backends/broken.c, each in its own way. */
static void broken_backends(void **state) {
    (void)state;
    static const struct {
        const char *device, *part;
    } wrong[] = {
        {"empty", "cannot be used: "},
        {"noentry", "does not export nomen_backend_open"},
        {"version", "it is of version 9, and this library of version 1"},
        {"small", "it says that it filled 8 bytes"},
        {"large", "it says that it filled"},
        {"refuses", "it did not start: the driver is too old"},
        {"silent", "it does not say why"},
        {"nofunction", "it has no function 'copy'"},
        {"nokernel", "it has no kernel \"fill\" for float64"},
        {"nodevice", "the backend has 0 devices"},
        {"nostream", "cannot be used"},
        {"nowhere_memory", "which cannot be"},
        {"askew_memory", "which cannot be"},
        {"no_memory", "cannot allocate"},
        {"bad_copy", "the cable is out"},
    };
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        nomen_scope() {
            nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(3));
            nomen_memory_stats before = nomen_get_memory_stats();
            for (int again = 0; again < 2; again++) {
                assert_null(on(wrong[i].device, x));
                const nomen_error *e = nomen_last_error();
                assert_non_null(e);
                if (!strstr(e->message, wrong[i].part)) fail_msg("%s", e->message);
                nomen_clear_error();
            }
            assert_int_equal(nomen_get_memory_stats().tensors_live, before.tensors_live);
        }
    }
}

/* It starts, and then a kernel fails. */
static void a_kernel_that_fails(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = on("bad_kernel", nomen_ones("N", NOMEN_SIZES(3)));
        assert_non_null(x);
        assert_null(nomen_add(x, x));
        expect_error(NOMEN_ERROR_DEVICE, "the kernel \"add\" of 'bad_kernel:0' failed");
        assert_null(nomen_zero_(x));
        expect_error(NOMEN_ERROR_DEVICE, "the kernel \"fill\"");
        assert_null(nomen_cast(x, NOMEN_F64));
        expect_error(NOMEN_ERROR_DEVICE, "the kernel \"copy\"");
        assert_null(nomen_exp(x));
        expect_error(NOMEN_ERROR_UNSUPPORTED, "\"exp\" not implemented on 'bad_kernel:0'");
    }
}

/* ---- streams --------------------------------------------------------------------------------- */

static nomen_status quiet(nomen_status status, const char *text) {
    (void)text;
    return status;
}

/* What a stream does after wait comes after what stood before record in the other one: from the
 * side of the library, which uses one stream per device so far. */
static void streams_in_order(void **state) {
    (void)state;
    nomen_tensor *start = nomen_ones(NULL, NOMEN_SIZES(1), .device = "mock");
    assert_non_null(start);
    const nomen_backend *b = nomen__device_at(start->device)->backend;
    void *s = b->state, *first, *second, *event, *at;
    assert_int_equal(b->stream_new(s, 0, &first), NOMEN_OK);
    assert_int_equal(b->stream_new(s, 0, &second), NOMEN_OK);
    assert_int_equal(b->alloc(s, first, sizeof(int), &at), NOMEN_OK);
    int value = 1, seen = 0;
    assert_int_equal(b->copy(s, first, NOMEN_BACKEND_TO_DEVICE, at, &value, sizeof value),
                     NOMEN_OK);
    value = 2;
    assert_int_equal(b->copy(s, second, NOMEN_BACKEND_TO_DEVICE, at, &value, sizeof value),
                     NOMEN_OK);
    assert_int_equal(b->synchronize(s, second), NOMEN_OK);
    assert_int_equal(b->copy(s, first, NOMEN_BACKEND_FROM_DEVICE, &seen, at, sizeof seen),
                     NOMEN_OK);
    assert_int_equal(seen, 1); /* nothing held the first one back */
    value = 3;
    assert_int_equal(b->copy(s, first, NOMEN_BACKEND_TO_DEVICE, at, &value, sizeof value),
                     NOMEN_OK);
    assert_int_equal(b->record(s, first, &event), NOMEN_OK);
    assert_int_equal(b->wait(s, second, event), NOMEN_OK);
    b->event_free(s, event);
    value = 4;
    assert_int_equal(b->copy(s, second, NOMEN_BACKEND_TO_DEVICE, at, &value, sizeof value),
                     NOMEN_OK);
    assert_int_equal(b->copy(s, second, NOMEN_BACKEND_FROM_DEVICE, &seen, at, sizeof seen),
                     NOMEN_OK);
    assert_int_equal(seen, 4);
    assert_int_equal(b->synchronize(s, first), NOMEN_OK);
    assert_int_equal(b->copy(s, first, NOMEN_BACKEND_FROM_DEVICE, &seen, at, sizeof seen),
                     NOMEN_OK);
    assert_int_equal(seen, 4);
    b->free(s, second, at, sizeof(int));
    assert_int_not_equal(b->copy(s, second, NOMEN_BACKEND_TO_DEVICE, at, &value, sizeof value),
                         NOMEN_OK);
    expect_error(NOMEN_ERROR_DEVICE, "does not lie in the device's memory");
    b->stream_free(s, first);
    b->stream_free(s, second);
    nomen_free(&start);
}

/* A library of another version is refused by the backend. */
static void a_library_of_another_version(void **state) {
    (void)state;
    void *file = dlopen(NOMEN_BACKENDS_DIR "/libnomen_backend_mock.so", RTLD_NOW);
    assert_non_null(file);
    nomen_backend_open_function *entry;
    void *symbol = dlsym(file, NOMEN_BACKEND_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    nomen_backend_host host = {.bytes = sizeof host, .version = 7, .fail = quiet};
    nomen_backend backend = {.bytes = sizeof backend};
    assert_int_equal(entry(&host, &backend), NOMEN_ERROR_DEVICE);
    host.version = NOMEN_BACKEND_VERSION;
    backend.bytes = 40; /* a library that knows less */
    assert_int_equal(entry(&host, &backend), NOMEN_ERROR_DEVICE);
    dlclose(file);
}

#ifdef NOMEN_FAULTS
/* Every request for memory fails in turn, those of the backend too. */
static void every_request_fails_once(void **state) {
    (void)state;
    nomen_tensor *warm = nomen_ones("N C", NOMEN_SIZES(2, 2), .device = "mock");
    nomen_memory_stats before = nomen_get_memory_stats();
    int64_t failures = 0;
    for (bool done = false; !done; failures++) {
        nomen_scope() {
            nomen__fail_allocation(failures);
            nomen_tensor *x = on("mock", nomen_ones("N C", NOMEN_SIZES(2, 2)));
            nomen_tensor *w =
                nomen_full("C K", NOMEN_SIZES(2, 2), nomen_num(2.0), .device = "mock");
            if (w) nomen_set_requires_grad(w, true);
            nomen_tensor *y = nomen_relu(nomen_matmul(nomen_transpose(x, "N", "C"), w));
            y = nomen_sum(nomen_cat(NOMEN_LIST(y, nomen_mul(y, nomen_scalar(2)))));
            done = y && !nomen_backward(y) && nomen_item(y) == 48;
            nomen__fail_allocation(-1);
            if (!done) expect_error(NOMEN_ERROR_MEMORY, "");
        }
        assert_int_equal(nomen_synchronize("mock"), NOMEN_OK);
        assert_int_equal(nomen_get_memory_stats().tensors_live, before.tensors_live);
    }
    assert_in_range(failures, 40, 2000);
    nomen_free(&warm);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(a_training_step),
        cmocka_unit_test(gradients_cross),
        cmocka_unit_test(writes),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(broken_backends),
        cmocka_unit_test(a_kernel_that_fails),
        cmocka_unit_test(streams_in_order),
        cmocka_unit_test(a_library_of_another_version),
#ifdef NOMEN_FAULTS
        cmocka_unit_test(every_request_fails_once),
#endif
    };
    return cmocka_run_group_tests_name("device", tests, look_in_the_build, NULL);
}
