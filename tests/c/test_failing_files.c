/* Every call of the system that files, shared memory and the pool make fails once (NOMEN_FAULTS):
 * a clean error, the old file as it was, nothing beside it, nothing lost, and the next call works.
 * Calls that are interrupted or do less than asked are begun again. */
#include "core/core.h"
#include "nomen/exchange.h"
#include "nomen/nomen.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/nomen_failing_XXXXXX", path[64];

#ifdef NOMEN_FAULTS
enum { FAULTY = 1 };
#else
enum { FAULTY = 0 };
static void nomen__fail_system(int64_t nth, int error) { (void)nth, (void)error; }
static int64_t nomen__system_count(void) { return 0; }
#endif

static const int errors[] = {EIO, ENOSPC, EINTR, 0};

static int entries_of(const char *which) {
    DIR *d = opendir(which);
    int n = 0;
    if (!d) return -1;
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

/* Scopes keep the room that they have grown to: what they have is compared from the second round
 * on.
 */
static bool settled;

typedef struct trace {
    int files, descriptors;
    int64_t tensors, buffers, metadata;
} trace;

static trace trace_now(void) {
    nomen_memory_stats m = nomen_get_memory_stats();
    return (trace){entries_of(folder), entries_of("/proc/self/fd"), m.tensors_live, m.buffers_live,
                   m.metadata_live};
}

static nomen_tensor *sample(int which) {
    nomen_tensor *x = nomen_arange(NULL, .end = nomen_num(600), .dtype = NOMEN_F32);
    x = nomen_view(x, NOMEN_SIZES(20, 30));
    return nomen_rename(which ? nomen_transpose(x, "0", "1") : x, "N C");
}

static bool same(nomen_tensor *a, nomen_tensor *b) {
    return a && b && nomen_item(nomen_all(nomen_eq(a, b))) != 0 &&
           !strcmp(nomen_name_of(a, 0), nomen_name_of(b, 0));
}

/* Each act: true if it came to its end, and all is as it should be. */
typedef bool act(int which);

static bool save(int which) { return nomen_save_npy(sample(which), path) == NOMEN_OK; }

static bool load(int which) {
    nomen_tensor *t = nomen_load_npy(path);
    if (t) assert_true(same(t, sample(which)));
    return t != NULL;
}

static bool share(int which) {
    nomen_tensor *t = nomen_add(sample(which), sample(which));
    nomen_status failed = nomen_share_memory(t);
    assert_true(same(t, nomen_add(sample(which), sample(which))));
    assert_int_equal(nomen_is_shared(t), !failed);
    if (failed) return false;
    nomen_tensor *twin =
        nomen_from_shared_file(nomen_shared_file(t), NOMEN_F32, NULL, NOMEN_SIZES(600));
    return twin != NULL;
}

/* Runs what must work whatever failed before it. */
static void check_file(int which) { nomen_scope() assert_true(load(which)); }

/* Fails every call of the act in turn; returns how many there were. after: which sample the file
 * must hold when the act failed, -1: there is no file. */
static int64_t fail_each(act *run, int which, int before, int error) {
    for (int64_t nth = 0;; nth++) {
        unlink(path);
        if (before >= 0) nomen_scope() {
                assert_true(save(before));
                chmod(path, 0640);
            }
        trace start = trace_now();
        int64_t calls = nomen__system_count();
        bool done = false;
        nomen_scope() {
            nomen__fail_system(nth, error);
            done = run(which);
            calls = nomen__system_count() - calls;
            nomen__fail_system(-1, 0);
        }
        bool reached = calls > nth;
        if (!done) {
            assert_true(reached && error && error != EINTR);
            const nomen_error *e = nomen_last_error();
            assert_non_null(e);
            assert_non_null(strstr(e->message, run == share ? "shared memory" : path));
        }
        nomen_clear_error();
        struct stat status;
        bool there = stat(path, &status) == 0;
        assert_int_equal(there, before >= 0 || (run == save && done));
        if (before >= 0) assert_int_equal(status.st_mode & 0777, 0640);
        trace end = trace_now();
        start.files += there && before < 0;
        if (!settled) start.metadata = end.metadata;
        assert_memory_equal(&start, &end, sizeof end);
        if (there) check_file(run == save && done ? which : before);
        nomen_scope() if (run != load || there) assert_true(run(run == load ? before : which));
        if (!reached) return nth;
    }
}

static void files(void **s) {
    (void)s;
    if (!FAULTY) skip();
    for (size_t i = 0; i < NOMEN_COUNT(errors); i++)
        for (int which = 0; which < 2; which++) {
            settled = i > 0;
            assert_true(fail_each(save, which, -1, errors[i]) >= 5);
            assert_true(fail_each(save, which, !which, errors[i]) >= 6);
            assert_true(fail_each(load, which, which, errors[i]) >= 4);
        }
}

static void shared_memory(void **s) {
    (void)s;
    if (!FAULTY) skip();
    for (size_t i = 0; i < NOMEN_COUNT(errors); i++)
        for (int which = 0; which < 2; which++) {
            settled = i > 0;
            if (errors[i] == EINTR) continue; /* below */
            assert_true(fail_each(share, which, -1, errors[i]) >= 6);
        }
}

/* A signal ends the filling of shared memory: that is begun again. */
static void interrupted_while_sharing(void **s) {
    (void)s;
    if (!FAULTY) skip();
    nomen_scope() {
        int64_t calls = nomen__system_count();
        assert_true(share(0));
        calls = nomen__system_count() - calls;
        int works = 0;
        for (int64_t nth = 0; nth < calls; nth++) {
            nomen__fail_system(nth, EINTR);
            works += share(0);
            nomen__fail_system(-1, 0);
            nomen_clear_error();
        }
        assert_true(works >= 1); /* fallocate; the others do not wait, so nothing interrupts them */
    }
}

typedef struct board {
    _Atomic int64_t sum;
} board;

static void add_up(void *context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) atomic_fetch_add(&((board *)context)->sum, i);
}

static void fewer_threads(void **s) {
    (void)s;
    if (!FAULTY) skip();
    for (int64_t nth = 0; nth < 5; nth++) {
        assert_int_equal(nomen_set_num_threads(1), NOMEN_OK);
        nomen_set_num_threads(5); /* four workers are made, with the first job */
        board b = {0};
        nomen__fail_system(nth, EAGAIN);
        nomen__parallel(1000, 3, add_up, &b);
        nomen__fail_system(-1, 0);
        assert_int_equal(b.sum, 1000 * 999 / 2);
        b.sum = 0;
        nomen__parallel(1000, 3, add_up, &b);
        assert_int_equal(b.sum, 1000 * 999 / 2);
        nomen_set_num_threads(2 + (int)nth);
        b.sum = 0;
        nomen__parallel(1000, 3, add_up, &b);
        assert_int_equal(b.sum, 1000 * 999 / 2);
        nomen_scope() {
            nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(300000));
            assert_true(nomen_item(nomen_sum(x)) == 300000);
        }
        assert_int_equal(nomen_last_error() == NULL, 1);
    }
}

static int begin(void **s) {
    (void)s;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file.npy", folder);
    return 0;
}

static int end(void **s) {
    (void)s;
    unlink(path);
    return rmdir(folder); /* empty: nothing was left beside the file */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(interrupted_while_sharing),
        cmocka_unit_test(fewer_threads),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
