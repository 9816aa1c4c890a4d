/* Backends that start badly, and as many backends and devices as there can be: what was opened
 * before goes on. A program of its own, for what is open stays open. */
#include "core/devices.h"
#include "nomen/nomen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BROKEN NOMEN_BACKENDS_DIR "/broken"

static int look_in_the_build(void **state) {
    (void)state;
    return setenv("NOMEN_BACKEND_PATH", BROKEN, 1);
}

static void expect_error(nomen_status code, const char *part) {
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    if (e->code != code || !strstr(e->message, part)) fail_msg("%d: %s", e->code, e->message);
    nomen_clear_error();
}

static nomen_tensor *on(const char *device) {
    return nomen_to(nomen_ones(NULL, NOMEN_SIZES(30)), .device = device);
}

static void bad_starts(void **state) {
    (void)state;
    static const struct {
        const char *device, *part;
        nomen_status code;
    } wrong[] = {
        {"starved", "did not start: no room for the tables", NOMEN_ERROR_MEMORY},
        {"mute", "libnomen_backend_mute.so cannot be used: it did not start: ", NOMEN_ERROR_DEVICE},
        {"badstream", "the fan does not turn", NOMEN_ERROR_DEVICE},
        {"last_memory", "which cannot be", NOMEN_ERROR_DEVICE},
        {"bad_kernel:1", "there is no 'bad_kernel:1', the backend has 1 device",
         NOMEN_ERROR_DEVICE},
    };
    nomen_scope() {
        for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
            assert_null(on(wrong[i].device));
            expect_error(wrong[i].code, wrong[i].part);
        }
    }
    assert_int_equal(nomen_device_count("starved"), -1);
    expect_error(NOMEN_ERROR_MEMORY, "no room for the tables");
    assert_int_equal(nomen_device_count("bad_kernel"), 1);
}

/* Nobody looks for a file of such a name. */
static void names_that_are_no_types(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "_mock", "Mock",  "9mock", "mo~ck",
        "mo{ck", "mo/ck", "m`",    "a_name_that_is_longer_than_any_type_of_device_can_be"};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        assert_int_equal(nomen_device_count(wrong[i]), 0);
        assert_null(nomen_last_error());
        assert_null(on(wrong[i]));
        expect_error(NOMEN_ERROR_DEVICE, "there is no device");
    }
    static const char *const digits[] = {"mock:12345", "mock:1x", "mock:-1", "mock:1 ", "mock: 1"};
    for (size_t i = 0; i < NOMEN_COUNT(digits); i++) {
        assert_null(on(digits[i]));
        expect_error(NOMEN_ERROR_DEVICE, "Invalid device string");
    }
}

/* The folder's name alone would fit, the file's does not: it is passed over. */
static void folders_of_long_names(void **state) {
    (void)state;
    char path[8200];
    memset(path, 'x', 4090);
    snprintf(path + 4090, sizeof path - 4090, ":%s", BROKEN);
    assert_int_equal(setenv("NOMEN_BACKEND_PATH", path, 1), 0);
    assert_int_equal(nomen_device_count("recorder"), 2);
    path[4090] = 0;
    assert_int_equal(setenv("NOMEN_BACKEND_PATH", path, 1), 0);
    assert_int_equal(nomen_device_count("badstream"), 0);
    assert_int_equal(setenv("NOMEN_BACKEND_PATH", BROKEN, 1), 0);
}

static void more_elements_than_there_are(void **state) {
    (void)state;
    assert_null(nomen_empty(NULL, NOMEN_SIZES(INT64_MAX / 4, 8), .device = "recorder"));
    assert_non_null(nomen_last_error());
    nomen_clear_error();
}

/* The last number that a tensor's device can have is NOMEN__MOST_DEVICES - 1. */
static void devices_run_out(void **state) {
    (void)state;
    char name[20];
    int opened = 0;
    nomen_scope() {
        nomen_tensor *t = NULL;
        for (int i = 0; i < NOMEN__MOST_DEVICES; i++) {
            snprintf(name, sizeof name, "many:%d", i);
            nomen_tensor *next = on(name);
            if (!next) break;
            t = next;
            assert_string_equal(nomen_device_of(t), name);
            assert_true(t->device < NOMEN__MOST_DEVICES);
            opened++;
        }
        assert_in_range(opened, NOMEN__MOST_DEVICES / 2, NOMEN__MOST_DEVICES - 1);
        assert_int_equal(t->device, NOMEN__MOST_DEVICES - 1);
        expect_error(NOMEN_ERROR_DEVICE, "devices are in use already: no more are opened");
        assert_non_null(on("many:0"));
        assert_int_equal(nomen_device_count("many"), 1000);
    }
}

static void backends_run_out(void **state) {
    (void)state;
    enum { LINKS = 20 };
    char folder[] = "/tmp/nomen_backends_XXXXXX", path[100], name[20];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < LINKS; i++) {
        snprintf(path, sizeof path, "%s/libnomen_backend_link%d.so", folder, i);
        assert_int_equal(symlink(BROKEN "/libnomen_backend_bad_kernel.so", path), 0);
    }
    setenv("NOMEN_BACKEND_PATH", folder, 1);
    int opened = 0;
    for (int i = 0; i < LINKS; i++) {
        snprintf(name, sizeof name, "link%d", i);
        int count = nomen_device_count(name);
        assert_int_equal(count, i == opened ? (count < 0 ? -1 : 1) : -1);
        if (count < 0) expect_error(NOMEN_ERROR_DEVICE, "backends already: no more are opened");
        opened += count == 1;
    }
    assert_in_range(opened, 1, LINKS - 1);
    assert_int_equal(nomen_device_count("link0"), 1);
    assert_int_equal(nomen_device_count("many"), 0); /* its file is not there any more */
    for (int i = 0; i < LINKS; i++) {
        snprintf(path, sizeof path, "%s/libnomen_backend_link%d.so", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_starts),
        cmocka_unit_test(names_that_are_no_types),
        cmocka_unit_test(folders_of_long_names),
        cmocka_unit_test(more_elements_than_there_are),
        cmocka_unit_test(devices_run_out),
        cmocka_unit_test(backends_run_out),
    };
    return cmocka_run_group_tests_name("device_limits", tests, look_in_the_build, NULL);
}
