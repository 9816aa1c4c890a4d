/* What the library reads of its environment, each time in a process of its own: this program, asked
 * by SAY to say what it found. */
#include "nomen/blas.h"
#include "core/core.h"
#include "nomen/device.h"
#include "nomen/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME    "test_environment"
#define LIBRARY NOMEN_BACKENDS_DIR "/broken/libtest_blas.so"

static char program[4096];

static int say(void) {
    const char *blas = nomen_get_blas();
    int mock = nomen_device_count("mock"), there = (int)nomen_set_blas("openblas");
    printf("isa=%s threads=%d blas=%s mock=%d openblas=%d\n", nomen__isa_name(nomen__cpu_isa()),
           nomen_get_num_threads(), blas, mock, there);
    return 0;
}

static void ask_another(const char *environment, const char *path, char *answer, int size) {
    char line[12000];
    snprintf(line, sizeof line,
             "unset NOMEN_ISA NOMEN_NUM_THREADS NOMEN_BLAS NOMEN_BLAS_LIBRARY NOMEN_BACKEND_PATH; "
             "SAY=1 %s '%s'",
             environment, path);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    bool answered = fgets(answer, size, pipe) != NULL;
    while (fgetc(pipe) != EOF) {}
    if (pclose(pipe) != 0 || !answered) fail_msg("%.300s: no answer", environment);
}

/* A program of a processor that is emulated cannot be started by another one. */
static void needs_programs(void) {
    if (getenv("NOMEN_EMULATED")) skip();
}

static void ask(const char *environment, char *answer, int size) {
    ask_another(environment, program, answer, size);
}

static void what_is_said_is_done(void **unused) {
    (void)unused;
    needs_programs();
    static const struct {
        const char *environment, *answer;
    } cases[] = {
        {"NOMEN_NUM_THREADS=3", "threads=3 "},
        {"NOMEN_NUM_THREADS=99999", "threads=1024 "},
        {"NOMEN_NUM_THREADS=1", "threads=1 "},
        {"NOMEN_ISA=scalar", "isa=scalar "},
        {"NOMEN_BLAS=own", "blas=own "},
        {"", "blas=own "},
        {"NOMEN_BLAS=nonsense NOMEN_BLAS_LIBRARY=" LIBRARY, "blas=own "},
        {"NOMEN_BLAS=openblas NOMEN_BLAS_LIBRARY=" LIBRARY, "blas=openblas mock=0 openblas=0"},
        {"NOMEN_BLAS=auto NOMEN_BLAS_LIBRARY=" LIBRARY, "blas=auto "},
        {"NOMEN_BLAS=openblas NOMEN_BLAS_LIBRARY=/nowhere", "blas=own mock=0 openblas=-"},
        {"NOMEN_BLAS=auto NOMEN_BLAS_LIBRARY=libm.so.6", "blas=own mock=0 openblas=-"},
        {"NOMEN_BACKEND_PATH=" NOMEN_BACKENDS_DIR, "mock=2 "},
        {"NOMEN_BACKEND_PATH=:/nowhere::" NOMEN_BACKENDS_DIR ":", "mock=2 "},
        {"NOMEN_BACKEND_PATH=", "mock=0 "},
        {"NOMEN_BACKEND_PATH=/nowhere", "mock=0 "},
    };
    char answer[200];
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        ask(cases[i].environment, answer, sizeof answer);
        if (!strstr(answer, cases[i].answer)) fail_msg("%s: %s", cases[i].environment, answer);
    }
}

/* As if nothing had been said. */
static void nonsense_changes_nothing(void **unused) {
    (void)unused;
    needs_programs();
    char usual[200], answer[200], path[5200] = "NOMEN_BACKEND_PATH=";
    memset(path + strlen(path), 'x', 5000);
    const char *const nonsense[] = {"NOMEN_NUM_THREADS=-3", "NOMEN_NUM_THREADS=0",
                                    "NOMEN_NUM_THREADS=",   "NOMEN_NUM_THREADS=many",
                                    "NOMEN_ISA=",           "NOMEN_ISA=sse9",
                                    "NOMEN_BLAS=",          path};
    ask("", usual, sizeof usual);
    for (size_t i = 0; i < NOMEN_COUNT(nonsense); i++) {
        ask(nonsense[i], answer, sizeof answer);
        if (strcmp(answer, usual)) fail_msg("%.40s: %s", nonsense[i], answer);
    }
}

/* Backends lie beside the library, which is in this program: in the folder that it was started
 * from, if that is known. */
static void backends_beside_the_program(void **unused) {
    (void)unused;
    needs_programs();
    char folder[] = "/tmp/nomen_beside_XXXXXX", copy[100], backend[100], answer[200], path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(copy, sizeof copy, "%s/" NAME, folder);
    snprintf(backend, sizeof backend, "%s/libnomen_backend_mock.so", folder);
    assert_int_equal(symlink(program, copy), 0);
    ask_another("", copy, answer, sizeof answer);
    assert_non_null(strstr(answer, "mock=0 "));
    assert_int_equal(symlink(NOMEN_BACKENDS_DIR "/libnomen_backend_mock.so", backend), 0);
    ask_another("", copy, answer, sizeof answer);
    assert_non_null(strstr(answer, "mock=2 "));
    ask_another("NOMEN_BACKEND_PATH=/nowhere", copy, answer, sizeof answer);
    assert_non_null(strstr(answer, "mock=2 "));
    snprintf(path, sizeof path, "PATH='%s'", folder);
    ask_another(path, NAME, answer, sizeof answer);
    assert_non_null(strstr(answer, "isa="));
    unlink(backend);
    unlink(copy);
    rmdir(folder);
}

int main(void) {
    if (getenv("SAY")) return say();
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - sizeof NAME);
    if (length < 0) return 1;
    /* Its own name lies beside the one that all test programs have in common. */
    strcpy(strrchr(program, '/') + 1, NAME);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_is_done),
        cmocka_unit_test(nonsense_changes_nothing),
        cmocka_unit_test(backends_beside_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
