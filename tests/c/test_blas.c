/* Matrix products by another library: a BLAS that is made for this test (tests/backends) says
 * what it was called with, so that every layout is seen to arrive; what it cannot do our kernel
 * does. OpenBLAS itself need not be there. */
#include "nomen/nomen.h"
#include "op/op.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIBRARY NOMEN_BACKENDS_DIR "/broken/libtest_blas.so"

static int *calls, *threads;

static int name_the_library(void **state) {
    (void)state;
    void *file = dlopen(LIBRARY, RTLD_NOW);
    if (!file) return -1;
    calls = dlsym(file, "blas_calls");
    threads = dlsym(file, "blas_threads");
    return setenv("NOMEN_BLAS_LIBRARY", LIBRARY, 1) || unsetenv("NOMEN_BLAS");
}

static void expect_error(nomen_status code, const char *part) {
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    assert_int_equal(e->code, code);
    assert_non_null(strstr(e->message, part));
    nomen_clear_error();
}

static nomen_tensor *numbers(nomen_dtype dtype, int64_t rows, int64_t cols) {
    nomen_tensor *t = nomen_arange(NULL, nomen_num(0), nomen_num(rows * cols));
    t = nomen_remainder(t, nomen_scalar(7)); /* products are whole: no sum is rounded */
    return nomen_reshape(nomen_cast(t, .dtype = dtype), NOMEN_SIZES(rows, cols));
}

static const nomen_dtype dtypes[] = {NOMEN_F32, NOMEN_F64, NOMEN_C64, NOMEN_C128};

/* Operands and results that lie, stand, have gaps, or go backwards. */
static nomen_tensor *laid(nomen_dtype dtype, int64_t rows, int64_t cols, int layout) {
    switch (layout) {
    case 0: return numbers(dtype, rows, cols);
    case 1: return nomen_transpose(numbers(dtype, cols, rows), "0", "1");
    case 2:
        return nomen_slice(numbers(dtype, rows, cols + 3), "1", nomen_num(1), nomen_num(cols + 1));
    case 3: return nomen_slice(numbers(dtype, rows, 2 * cols), "1", .step = nomen_num(2));
    default: return nomen_expand(numbers(dtype, 1, cols), NOMEN_SIZES(rows, cols));
    }
}

static void every_layout(void **state) {
    (void)state;
    assert_int_equal(nomen_set_blas("openblas"), NOMEN_OK);
    assert_string_equal(nomen_get_blas(), "openblas");
    assert_int_equal(*threads, 1);
    for (size_t d = 0; d < NOMEN_COUNT(dtypes); d++)
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                for (int c = 0; c < 4; c++) {
                    nomen_scope() {
                        nomen_tensor *x = laid(dtypes[d], 5, 4, a), *y = laid(dtypes[d], 4, 3, b);
                        nomen_tensor *out = laid(dtypes[d], 5, 3, c), *out2 = nomen_clone(out);
                        int before = *calls;
                        assert_int_equal(nomen_set_blas("openblas"), NOMEN_OK);
                        assert_non_null(nomen_matmul(x, y, .out = out));
                        bool fits = (a < 3) && (b < 3) && (c < 3);
                        assert_int_equal(*calls - before, fits);
                        assert_int_equal(nomen_set_blas("own"), NOMEN_OK);
                        assert_non_null(nomen_matmul(x, y, .out = out2));
                        assert_true(nomen_allclose(out, out2));
                    }
                }
}

/* Vectors, batches, sizes of 0 and 1, many threads. */
static void every_size(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{0, 3, 2},  {3, 0, 2},    {3, 2, 0},      {1, 1, 1},
                                       {1, 20, 9}, {20, 1, 9},   {9, 20, 1},     {17, 16, 16},
                                       {64, 3, 5}, {130, 40, 7}, {200, 150, 140}};
    for (size_t i = 0; i < NOMEN_COUNT(sizes); i++) nomen_scope() {
            nomen_tensor *x = numbers(NOMEN_F64, sizes[i][0], sizes[i][1]);
            nomen_tensor *y = numbers(NOMEN_F64, sizes[i][1], sizes[i][2]);
            nomen_tensor *batch = nomen_stack(NOMEN_LIST(x, nomen_neg(x)));
            assert_int_equal(nomen_set_blas("openblas"), NOMEN_OK);
            nomen_tensor *p = nomen_matmul(x, y), *q = nomen_matmul(batch, y);
            assert_int_equal(nomen_set_blas("own"), NOMEN_OK);
            assert_true(nomen_allclose(p, nomen_matmul(x, y)));
            assert_true(nomen_allclose(q, nomen_matmul(batch, y)));
        }
}

static void chosen_by_size(void **state) {
    (void)state;
    static const struct {
        nomen_dtype dtype;
        int64_t m, k, n;
        int calls;
    } cases[] = {
        {NOMEN_F32, 16, 16, 16, 1},  {NOMEN_F32, 15, 16, 16, 0},    {NOMEN_F32, 16, 16, 15, 0},
        {NOMEN_F32, 16, 15, 16, 0},  {NOMEN_F32, 127, 300, 127, 1}, {NOMEN_F32, 128, 20, 20, 0},
        {NOMEN_F32, 20, 20, 128, 0}, {NOMEN_C128, 47, 50, 50, 0},   {NOMEN_C128, 48, 50, 50, 1},
        {NOMEN_F16, 32, 32, 32, 0},  {NOMEN_I64, 32, 32, 32, 0},
    };
    assert_int_equal(nomen_set_blas("auto"), NOMEN_OK);
    assert_string_equal(nomen_get_blas(), "auto");
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) nomen_scope() {
            int before = *calls;
            assert_non_null(nomen_matmul(numbers(cases[i].dtype, cases[i].m, cases[i].k),
                                         numbers(cases[i].dtype, cases[i].k, cases[i].n)));
            assert_int_equal(*calls - before, cases[i].calls);
        }
    assert_int_equal(nomen_set_blas("own"), NOMEN_OK);
    assert_string_equal(nomen_get_blas(), "own");
}

static void wrong_words(void **state) {
    (void)state;
    assert_int_equal(nomen_set_blas("mkl"), NOMEN_ERROR_VALUE);
    expect_error(NOMEN_ERROR_VALUE, "'mkl' is none of 'own', 'openblas', 'auto'");
    assert_int_equal(nomen_set_blas(NULL), NOMEN_ERROR_VALUE);
    nomen_clear_error();
    assert_string_equal(nomen_get_blas(), "own");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout),
        cmocka_unit_test(every_size),
        cmocka_unit_test(chosen_by_size),
        cmocka_unit_test(wrong_words),
    };
    return cmocka_run_group_tests_name("blas", tests, name_the_library, NULL);
}
