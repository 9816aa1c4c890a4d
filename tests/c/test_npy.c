/* .npy files: what comes back, what is refused, what is left of the old file when writing fails.
 * NumPy's own files are in tests/python/test_npy_numpy.py. */
#include "core/core.h"
#include "io/npy.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/nomen-npy-XXXXXX", path[64], other[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/a.npy", folder);
    snprintf(other, sizeof other, "%s/b.npy", folder);
    return 0;
}

/* Fails if anything was left behind, half-written files above all. */
static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

static void put_file(const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static size_t get_file(char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, room, file);
    fclose(file);
    return length;
}

static size_t make_file(char *bytes, const char *header, size_t data) {
    size_t length = strlen(header);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (char)(length & 255);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, header, length);
    memset(bytes + 10 + length, 1, data);
    return 10 + length + data;
}

static void same_names(const nomen_tensor *a, const nomen_tensor *b) {
    for (int i = 0; i < a->ndim; i++) assert_int_equal(nomen__name_at(a, i), nomen__name_at(b, i));
}

static void every_dtype_comes_back(void **state) {
    (void)state;
    _Alignas(16) char data[16 * 24];
    for (int dtype = 1; dtype < NOMEN_DTYPE_COUNT; dtype++) {
        if (dtype == NOMEN_BF16) continue;
        for (size_t i = 0; i < sizeof data; i++)
            data[i] = dtype == NOMEN_BOOL ? i % 3 == 0 : (char)(i * 37 + 1);
        nomen_scope() {
            size_t item = nomen_dtype_size((nomen_dtype)dtype);
            nomen_tensor *t = nomen_from_data(data, (nomen_dtype)dtype, "N * features",
                                              NOMEN_SIZES(2, 3, 4), NULL, NULL);
            assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
            nomen_tensor *back = nomen_load_npy(path);
            assert_non_null(back);
            assert_int_equal(back->dtype, dtype);
            assert_int_equal(back->ndim, 3);
            assert_memory_equal(back->size, t->size, 3 * sizeof *t->size);
            assert_true(nomen_is_contiguous(back));
            assert_memory_equal(back->data, data, 24 * item);
            same_names(t, back);
            struct stat status;
            assert_int_equal(stat(path, &status), 0);
            assert_int_equal((size_t)status.st_size % 64, 24 * item % 64);
        }
    }
}

static void any_strides(void **state) {
    (void)state;
    enum { ROWS = 50, COLUMNS = 70 };
    static int32_t numbers[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) numbers[i] = i * 7919;
    nomen_scope() {
        nomen_tensor *t =
            nomen_from_data(numbers, NOMEN_I32, NULL, NOMEN_SIZES(COLUMNS, ROWS), NULL, NULL);
        t->stride[0] = 1;
        t->stride[1] = -COLUMNS;
        t->data += (ROWS - 1) * COLUMNS * sizeof *numbers;
        nomen__tensor_finish(t);
        assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
        nomen_tensor *back = nomen_load_npy(path);
        assert_non_null(back);
        assert_false(nomen_has_names(back));
        for (int c = 0; c < COLUMNS; c++)
            for (int r = 0; r < ROWS; r++)
                assert_int_equal(((int32_t *)(void *)back->data)[c * ROWS + r],
                                 numbers[(ROWS - 1 - r) * COLUMNS + c]);
        t->data = (char *)numbers;
    }
}

static void shapes(void **state) {
    (void)state;
    static const double one[1] = {2.5};
    int64_t many[NOMEN_MAX_DIMS];
    for (int i = 0; i < NOMEN_MAX_DIMS; i++) many[i] = 1;
    const nomen_sizes sizes[] = {
        {0}, NOMEN_SIZES(1), NOMEN_SIZES(0), NOMEN_SIZES(3, 0, 2), {NOMEN_MAX_DIMS, many}};
    for (size_t i = 0; i < NOMEN_COUNT(sizes); i++) {
        nomen_scope() {
            nomen_tensor *t =
                nomen_from_data((void *)(uintptr_t)one, NOMEN_F64, NULL, sizes[i], NULL, NULL);
            assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
            nomen_tensor *back = nomen_load_npy(path);
            assert_non_null(back);
            assert_int_equal(back->ndim, sizes[i].count);
            for (int k = 0; k < back->ndim; k++) assert_int_equal(back->size[k], sizes[i].at[k]);
            if (back->numel) assert_true(nomen_item(back) == 2.5);
        }
    }
}

static void expect_error(nomen_status code, const char *part) {
    const nomen_error *error = nomen_last_error();
    assert_non_null(error);
    if (!strstr(error->message, part)) fail_msg("'%s' does not say '%s'", error->message, part);
    assert_int_equal(error->code, code);
    nomen_clear_error();
}

static void headers_that_are_read(void **state) {
    (void)state;
    static const char *const headers[] = {
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{\"shape\":(2,3),\"descr\":\"=i4\",\"fortran_order\":False}",
        "  { 'fortran_order' : False , 'shape' : ( 2L , 3L , ) , 'descr' : '<i4' } # a comment\n",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), } # nomen names: * * \n",
    };
    char bytes[512];
    for (size_t i = 0; i < NOMEN_COUNT(headers); i++) {
        put_file(bytes, make_file(bytes, headers[i], 24 + i));
        nomen_scope() {
            nomen_tensor *t = nomen_load_npy(path);
            assert_non_null(t);
            assert_int_equal(nomen_item_int(nomen_from_data(t->data, NOMEN_I32, NULL,
                                                            (nomen_sizes){0}, NULL, NULL)),
                             0x01010101);
            assert_int_equal(nomen_size(t, "1"), 3);
            assert_false(nomen_has_names(t));
        }
    }
}

static void headers_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header, *part;
        nomen_status code;
    } bad[] = {
        {"", "not a dict", NOMEN_ERROR_VALUE},
        {"[]", "not a dict", NOMEN_ERROR_VALUE},
        {"{}", "wants", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'shape': (2,)}", "wants", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", "doubled",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "wrong",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': 0, 'shape': (2,)}", "True", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2)}", "tuple", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': 2}", "tuple", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (-2,)}", "size", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2 3)}", "tuple", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "size",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807,)}", "large",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "large",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (7,)}", "promises 28 bytes, but 24",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}", "'<u4'",
         NOMEN_ERROR_UNSUPPORTED},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "'|O'", NOMEN_ERROR_UNSUPPORTED},
        {"{'descr': '!i4', 'fortran_order': False, 'shape': (2,)}", "byte order",
         NOMEN_ERROR_VALUE},
        {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", "not a dtype", NOMEN_ERROR_VALUE},
        {"{'descr': [('x', '<i4')], 'fortran_order': False, 'shape': (2,)}", "records",
         NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} x", "more", NOMEN_ERROR_VALUE},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} # nomen names: A A", "",
         NOMEN_ERROR_NAME},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2)} # nomen names: A A", "A",
         NOMEN_ERROR_NAME},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} # nomen names: 1x", "1x",
         NOMEN_ERROR_NAME},
    };
    char bytes[512];
    for (size_t i = 0; i < NOMEN_COUNT(bad); i++) {
        put_file(bytes, make_file(bytes, bad[i].header, 24));
        assert_null(nomen_load_npy(path));
        expect_error(bad[i].code, bad[i].part);
    }
    put_file("\x93NUMPX\1\0\0\0", 10);
    assert_null(nomen_load_npy(path));
    expect_error(NOMEN_ERROR_VALUE, "begin");
    put_file("\x93NUMPY\4\0\0\0", 10);
    assert_null(nomen_load_npy(path));
    expect_error(NOMEN_ERROR_VALUE, "version");
    put_file("\x93NUMPY\2\0\xff\xff\xff\xff", 12);
    assert_null(nomen_load_npy(path));
    expect_error(NOMEN_ERROR_VALUE, "header is longer");
    assert_null(nomen_load_npy("/dev/zero"));
    expect_error(NOMEN_ERROR_VALUE, "regular");
    assert_null(nomen_load_npy(folder));
    expect_error(NOMEN_ERROR_VALUE, "regular");
    assert_null(nomen_load_npy("/nowhere/at/all.npy"));
    expect_error(NOMEN_ERROR_STATE, "No such file");
    assert_null(nomen_load_npy(NULL));
    expect_error(NOMEN_ERROR_VALUE, "NULL");
}

/* Cut anywhere, and with any byte of the header changed to some others: a tensor or an error, never
 * anything else. */
static void torn_and_changed_files(void **state) {
    (void)state;
    char bytes[512], changed[512];
    size_t length = make_file(
        bytes, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), } # nomen names: A B",
        24);
    for (size_t cut = 0; cut < length; cut++) {
        put_file(bytes, cut);
        assert_null(nomen_load_npy(path));
        expect_error(NOMEN_ERROR_VALUE, "npy");
    }
    int good = 0, refused = 0;
    for (size_t at = 0; at < length - 24; at++) {
        for (unsigned k = 0; k < 24; k++) {
            memcpy(changed, bytes, length);
            changed[at] = k < 20 ? "(){}[]'\"#,:\0\n 0129-L\\"[k] : (char)(bytes[at] + (int)k - 22);
            put_file(changed, length);
            nomen_scope() {
                nomen_tensor *t = nomen_load_npy(path);
                if (t) {
                    good++;
                    assert_true(t->numel <= 24);
                } else {
                    refused++;
                    assert_non_null(nomen_last_error());
                }
                nomen_clear_error();
            }
        }
    }
    assert_in_range(good, 20, refused);
}

static void what_cannot_be_held(void **state) {
    (void)state;
    static uint16_t half[2];
    nomen_scope() {
        nomen_tensor *t = nomen_from_data(half, NOMEN_BF16, NULL, NOMEN_SIZES(2), NULL, NULL);
        assert_int_equal(nomen_save_npy(t, other), NOMEN_ERROR_UNSUPPORTED);
        expect_error(NOMEN_ERROR_UNSUPPORTED, "bfloat16");
        static char name[12000];
        memset(name, 'x', sizeof name - 1);
        t = nomen_from_data(half, NOMEN_F16, name, NOMEN_SIZES(2), NULL, NULL);
        assert_int_equal(nomen_save_npy(t, other), NOMEN_ERROR_UNSUPPORTED);
        expect_error(NOMEN_ERROR_UNSUPPORTED, "too long");
        name[9000] = 0;
        t = nomen_from_data(half, NOMEN_F16, name, NOMEN_SIZES(2), NULL, NULL);
        assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
        nomen_tensor *back = nomen_load_npy(path);
        assert_non_null(back);
        same_names(t, back);
        assert_int_equal(nomen_save_npy(NULL, other), NOMEN_ERROR_VALUE);
        expect_error(NOMEN_ERROR_VALUE, "tensor");
        assert_int_equal(nomen_save_npy(t, NULL), NOMEN_ERROR_VALUE);
        expect_error(NOMEN_ERROR_VALUE, "path");
    }
    assert_int_equal(access(other, F_OK), -1);
}

static void failed_writing_keeps_the_old_file(void **state) {
    (void)state;
    static int64_t numbers[4096];
    char before[512], after[512];
    size_t length =
        make_file(before, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    put_file(before, length);
    nomen_scope() {
        nomen_tensor *t = nomen_from_data(numbers, NOMEN_I64, NULL, NOMEN_SIZES(4096), NULL, NULL);
        struct rlimit old, low;
        getrlimit(RLIMIT_FSIZE, &old);
        low = old;
        low.rlim_cur = 5000;
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        nomen_status status = nomen_save_npy(t, path);
        setrlimit(RLIMIT_FSIZE, &old);
        signal(SIGXFSZ, SIG_DFL);
        assert_int_equal(status, NOMEN_ERROR_STATE);
        expect_error(NOMEN_ERROR_STATE, "too large");
        assert_int_equal(get_file(after, sizeof after), length);
        assert_memory_equal(before, after, length);
        assert_int_equal(nomen_save_npy(t, "/dev/full"), NOMEN_ERROR_STATE);
        expect_error(NOMEN_ERROR_STATE, "regular");
        assert_int_equal(nomen_save_npy(t, folder), NOMEN_ERROR_STATE);
        expect_error(NOMEN_ERROR_STATE, "regular");
    }
}

/* A link stays a link, and permissions stay what they were. */
static void the_file_behind_a_link(void **state) {
    (void)state;
    static int64_t one = 1;
    put_file("x", 1);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, other), 0);
    nomen_scope() {
        nomen_tensor *t = nomen_from_data(&one, NOMEN_I64, NULL, NOMEN_SIZES(1), NULL, NULL);
        assert_int_equal(nomen_save_npy(t, other), NOMEN_OK);
        nomen_tensor *back = nomen_load_npy(path);
        assert_non_null(back);
        assert_int_equal(nomen_item_int(back), 1);
    }
    struct stat status;
    assert_int_equal(lstat(other, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

#ifdef NOMEN_FAULTS
/* Every allocation of loading fails in turn. */
static void no_memory(void **state) {
    (void)state;
    static const char header[] = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }";
    char bytes[512];
    put_file(bytes, make_file(bytes, header, 24));
    int64_t failures = 0;
    for (nomen_tensor *t = NULL; !t; failures++) {
        nomen_scope() {
            nomen__fail_allocation(failures);
            t = nomen_load_npy(path);
            nomen__fail_allocation(-1);
            if (!t) expect_error(NOMEN_ERROR_MEMORY, "");
        }
    }
    assert_in_range(failures, 2, 50);
}
#endif

/* Headers that end in the middle of something, without the blanks that files have behind them. */
static void headers_that_end_early(void **state) {
    (void)state;
    static const struct {
        const char *text, *part; /* NULL: it is a header */
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }", NULL},
        {"{'descr': '>i1', 'fortran_order': False, 'shape': (2,), }", NULL},
        {"{'descr': '>b1', 'fortran_order': False, 'shape': ()}", NULL},
        {"{'descr", "not a dict"},
        {"{'desc\\r': '<f4'", "not a dict"},
        {"{'descr': '<f4", "not a dtype"},
        {"{'descr': '<f4'", "not a dict"},
        {"{'shape': (12", "not a tuple"},
        {"{'shape': (12, 1", "not a tuple"},
        {"{'shape': (12L", "not a tuple"},
        {"{'shape': (12 13)", "not a tuple"},
        {"{'shape': (12)", "not a tuple"},
        {"{'shape': (", "not a number"},
        {"{'shape': (a", "not a number"},
        {"{'shape': (/", "not a number"},
        {"{'shape': (99999999999999999999,)", "not a number"},
        {"{'shape': (9223372036854775808,)", "not a number"},
        {"{'descr': '<abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz'",
         "'<abcdefghijklmnopq"},
    };
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        nomen__npy npy;
        nomen_clear_error();
        nomen_status s = nomen__npy_header(cases[i].text, strlen(cases[i].text), "a.npy", &npy);
        const nomen_error *e = nomen_last_error();
        if ((s == NOMEN_OK) != !cases[i].part || (e && !strstr(e->message, cases[i].part)))
            fail_msg("%s: %s", cases[i].text, e ? e->message : "no error");
        /* bytes have no order */
        if (!s && nomen_dtype_size(npy.dtype) == 1) assert_false(npy.swapped);
    }
    nomen_clear_error();
    put_file("\x93NUMPY\2\0\1", 10);
    assert_null(nomen_load_npy(path));
    assert_non_null(strstr(nomen_error_text(), "it is too short"));
    nomen_clear_error();
}

/* Names of files that others write at the same time are passed over, as long as there are some. */
static void files_beside_it(void **state) {
    (void)state;
    enum { NAMES = 100 };
    char beside[NAMES][100];
    nomen_scope() {
        nomen_tensor *t = nomen_ones(NULL, NOMEN_SIZES(3));
        unlink(path);
        for (int i = 0; i < NAMES; i++) {
            snprintf(beside[i], sizeof beside[i], "%s.%ld-%d.tmp", path, (long)getpid(), i);
            int file = open(beside[i], O_WRONLY | O_CREAT, 0666);
            assert_true(file >= 0);
            close(file);
            if (i == NAMES / 2) assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
        }
        unlink(path);
        assert_int_not_equal(nomen_save_npy(t, path), NOMEN_OK);
        assert_non_null(strstr(nomen_error_text(), "cannot be written"));
        nomen_clear_error();
        assert_int_equal(access(path, F_OK), -1);
        for (int i = 0; i < NAMES; i++) assert_int_equal(unlink(beside[i]), 0);
        assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
    }
}

/* Elements that lie apart are gathered in pieces: when one cannot be written, there is an error and
 * the old file. */
static void pieces_that_cannot_be_written(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *t = nomen_arange(NULL, nomen_num(90000), .dtype = NOMEN_F64);
        t = nomen_transpose(nomen_reshape(t, NOMEN_SIZES(300, 300)), "0", "1");
        assert_int_equal(nomen_save_npy(t, path), NOMEN_OK);
        nomen_tensor *back = nomen_load_npy(path);
        assert_true(nomen_allclose(back, t));
#ifdef NOMEN_FAULTS
        int failures = 0;
        for (int64_t nth = 0;; nth++, failures++) {
            nomen_clear_error();
            nomen__fail_system(nth, ENOSPC);
            nomen_status s = nomen_save_npy(nomen_neg(t), path);
            nomen__fail_system(-1, 0);
            if (!s) break;
            assert_non_null(strstr(nomen_error_text(), "cannot be"));
            assert_true(nomen_allclose(nomen_load_npy(path), t));
        }
        assert_true(failures >= 10);
        assert_true(nomen_allclose(nomen_load_npy(path), nomen_neg(t)));
        /* a name that is too long, on a system that says no more than that it is not there */
        static char name[5000];
        memset(name, 'n', sizeof name - 1);
        nomen_clear_error();
        int64_t calls = nomen__system_count();
        nomen__fail_system(0, ENOENT);
        assert_int_not_equal(nomen_save_npy(t, name), NOMEN_OK);
        nomen__fail_system(-1, 0);
        assert_int_equal(nomen__system_count() - calls, 1); /* nothing is made under half of it */
        assert_non_null(strstr(nomen_error_text(), "'nnnn"));
        nomen_clear_error();
#endif
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dtype_comes_back),
        cmocka_unit_test(any_strides),
        cmocka_unit_test(shapes),
        cmocka_unit_test(headers_that_are_read),
        cmocka_unit_test(headers_that_are_refused),
        cmocka_unit_test(torn_and_changed_files),
        cmocka_unit_test(what_cannot_be_held),
        cmocka_unit_test(failed_writing_keeps_the_old_file),
        cmocka_unit_test(the_file_behind_a_link),
        cmocka_unit_test(headers_that_end_early),
        cmocka_unit_test(files_beside_it),
        cmocka_unit_test(pieces_that_cannot_be_written),
#ifdef NOMEN_FAULTS
        cmocka_unit_test(no_memory),
#endif
    };
    return cmocka_run_group_tests_name("npy", tests, make_folder, remove_folder);
}
