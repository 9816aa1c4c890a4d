/* DLPack and shared memory from C: what is handed out, what is refused, when memory is given back.
 * Capsules and processes are in tests/python. */
#define _GNU_SOURCE
#include "clean_slate.h"
#include "core/core.h"
#include "nomen/exchange.h"
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_error(nomen_status code) {
    const nomen_error *error = nomen_last_error();
    assert_non_null(error);
    assert_int_equal(error->code, code);
    nomen_clear_error();
}

/* Sizes (2, 3), float32, 0 to 5, names N C. */
static nomen_tensor *sample(void) {
    nomen_tensor *t = nomen__tensor_empty(NOMEN_F32, 2, (int64_t[]){2, 3});
    for (int i = 0; i < 6; i++) ((float *)(void *)t->data)[i] = (float)i;
    nomen_set_names(t, "N C");
    return nomen__scoped(t);
}

static void out_and_back(void **s) {
    (void)s;
    nomen_tensor *t = sample();
    nomen_dl_managed *m = nomen_to_dlpack(t);
    assert_non_null(m);
    assert_ptr_equal(m->tensor.data, nomen_data(t));
    assert_int_equal(m->version.major, 1);
    assert_int_equal(m->flags, 0);
    assert_int_equal(m->tensor.ndim, 2);
    assert_int_equal(m->tensor.shape[1], 3);
    assert_int_equal(m->tensor.strides[0], 3);
    assert_int_equal(m->tensor.dtype.code, NOMEN_DL_FLOAT);
    assert_int_equal(m->tensor.dtype.bits, 32);
    nomen_free(&t); /* the memory lives on */
    nomen_tensor *twin = nomen_from_dlpack(m, "A *");
    assert_non_null(twin);
    assert_string_equal(nomen_name_of(twin, 0), "A");
    assert_null(nomen_name_of(twin, 1));
    assert_true(((float *)nomen_data(twin))[5] == 5.0f);
    nomen_dl_managed_old *old = nomen_to_dlpack_old(twin);
    nomen_free(&twin);
    twin = nomen_from_dlpack_old(old, NULL);
    assert_non_null(twin);
    assert_false(nomen_has_names(twin));
    assert_true(((float *)nomen_data(twin))[4] == 4.0f);
}

static void all_dtypes(void **s) {
    (void)s;
    for (int d = 1; d < NOMEN_DTYPE_COUNT; d++) {
        nomen_tensor *t = nomen__scoped(nomen__tensor_empty((nomen_dtype)d, 1, (int64_t[]){3}));
        nomen_dl_managed *m = nomen_to_dlpack(t);
        assert_int_equal(m->tensor.dtype.bits, 8 * nomen_dtype_size((nomen_dtype)d));
        nomen_tensor *twin = nomen_from_dlpack(m, NULL);
        assert_int_equal(nomen_dtype_of(twin), d);
    }
}

static int deleted;

static void on_delete(nomen_dl_managed *self) {
    (void)self;
    deleted++;
}

static void refused(void **s) {
    (void)s;
    float memory[6] = {0};
    int64_t shape[] = {2, 3};
    nomen_dl_managed good = {.deleter = on_delete};
    good.version.major = 1;
    good.tensor = (nomen_dl_tensor){.data = memory, .ndim = 2, .shape = shape};
    good.tensor.device.type = NOMEN_DL_CPU;
    good.tensor.dtype.code = NOMEN_DL_FLOAT;
    good.tensor.dtype.bits = 32;
    good.tensor.dtype.lanes = 1;
    deleted = 0;
    nomen_dl_managed m = good;
    m.version.major = 2;
    assert_null(nomen_from_dlpack(&m, NULL));
    expect_error(NOMEN_ERROR_VALUE);
    m = good;
    m.tensor.device.type = 2;
    assert_null(nomen_from_dlpack(&m, NULL));
    expect_error(NOMEN_ERROR_DEVICE);
    m = good;
    m.tensor.dtype.lanes = 4;
    assert_null(nomen_from_dlpack(&m, NULL));
    expect_error(NOMEN_ERROR_DTYPE);
    m = good;
    m.tensor.shape = NULL;
    assert_null(nomen_from_dlpack(&m, NULL));
    expect_error(NOMEN_ERROR_SHAPE);
    m = good;
    m.tensor.byte_offset = 3;
    assert_null(nomen_from_dlpack(&m, NULL));
    expect_error(NOMEN_ERROR_VALUE);
    assert_null(nomen_from_dlpack(&good, "N N"));
    expect_error(NOMEN_ERROR_NAME);
    assert_null(nomen_from_dlpack(&good, "N"));
    expect_error(NOMEN_ERROR_NAME);
    assert_null(nomen_from_dlpack(NULL, NULL));
    expect_error(NOMEN_ERROR_VALUE);
    assert_null(nomen_from_dlpack_old(NULL, NULL));
    expect_error(NOMEN_ERROR_VALUE);
    assert_null(nomen_to_dlpack(NULL));
    expect_error(NOMEN_ERROR_TYPE);
    assert_null(nomen_to_dlpack_old(NULL));
    expect_error(NOMEN_ERROR_TYPE);
    assert_int_equal(deleted, 0);
    nomen_tensor *t = nomen_from_dlpack(&good, "N C");
    assert_non_null(t);
    nomen_free(&t);
    assert_int_equal(deleted, 1);
}

#ifdef NOMEN_FAULTS
/* Each request for memory fails in turn: NULL, and nothing is released or lost. */
static void without_memory(void **s) {
    (void)s;
    nomen_tensor *t = sample();
    nomen_scope() sample(); /* scopes keep their room */
    int64_t live = nomen_get_memory_stats().metadata_live;
    for (int64_t n = 0;; n++) {
        nomen_scope() {
            nomen__fail_allocation(n);
            nomen_dl_managed *m = nomen_to_dlpack(t);
            nomen_tensor *twin = m ? nomen_from_dlpack(m, "N C") : NULL;
            nomen__fail_allocation(-1);
            if (m && !twin) m->deleter(m);
            if (twin) n = -2;
        }
        nomen_clear_error();
        assert_int_equal(nomen_get_memory_stats().metadata_live, live);
        if (n == -2) break;
    }
    for (int64_t n = 0;; n++) {
        nomen_tensor *x = sample();
        nomen__fail_allocation(n);
        nomen_status status = nomen_share_memory(x);
        nomen__fail_allocation(-1);
        assert_int_equal(nomen_is_shared(x), status == NOMEN_OK);
        assert_true(((float *)nomen_data(x))[5] == 5.0f);
        nomen_free(&x);
        nomen_clear_error();
        if (!status) break;
    }
}
#endif

static void shared_with_a_child(void **s) {
    (void)s;
    nomen_tensor *t = sample();
    assert_false(nomen_is_shared(t));
    assert_int_equal(nomen_shared_file(t), -1);
    assert_int_equal(nomen_share_memory(t), NOMEN_OK);
    assert_true(nomen_is_shared(t));
    float *data = nomen_data(t);
    assert_true(data[5] == 5.0f);
    assert_string_equal(nomen_name_of(t, 1), "C");
    pid_t child = fork();
    if (!child) {
        data[5] = 7;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(data[5] == 7.0f);
}

static void by_descriptor(void **s) {
    (void)s;
    nomen_tensor *t = sample();
    assert_int_equal(nomen_share_memory(t), NOMEN_OK);
    int file = nomen_shared_file(t);
    nomen_tensor *twin = nomen_from_shared_file(file, NOMEN_F32, "N C", NOMEN_SIZES(2, 3));
    assert_non_null(twin);
    assert_ptr_not_equal(nomen_data(twin), nomen_data(t));
    ((float *)nomen_data(twin))[0] = 9;
    assert_true(((float *)nomen_data(t))[0] == 9.0f);
    assert_null(nomen_from_shared_file(file, NOMEN_F32, NULL, NOMEN_SIZES(2, 4)));
    expect_error(NOMEN_ERROR_VALUE);
    assert_null(nomen_from_shared_file(file, NOMEN_F32, NULL, NOMEN_SIZES(-1)));
    expect_error(NOMEN_ERROR_SHAPE);
    assert_null(nomen_from_shared_file(file, NOMEN_F32, "N", NOMEN_SIZES(2, 3)));
    expect_error(NOMEN_ERROR_NAME);
    assert_null(nomen_from_shared_file(file, NOMEN_DTYPE_NONE, NULL, NOMEN_SIZES(2)));
    expect_error(NOMEN_ERROR_DTYPE);
    assert_null(nomen_from_shared_file(0, NOMEN_F32, NULL, NOMEN_SIZES(1)));
    expect_error(NOMEN_ERROR_VALUE);
    nomen_free(&t); /* the other one keeps the memory */
    assert_true(((float *)nomen_data(twin))[0] == 9.0f);
    assert_int_equal(nomen_share_memory(NULL), NOMEN_ERROR_TYPE);
    expect_error(NOMEN_ERROR_TYPE);
    assert_false(nomen_is_shared(NULL));
}

/* A second header on the memory would go on looking at the old one. */
static void not_behind_the_back_of_others(void **s) {
    (void)s;
    nomen_tensor *t = sample();
    nomen_tensor *alias = nomen__scoped(nomen__tensor_alias(t));
    assert_int_equal(nomen_share_memory(t), NOMEN_ERROR_STATE);
    expect_error(NOMEN_ERROR_STATE);
    assert_ptr_equal(nomen_data(t), nomen_data(alias));
    nomen_free(&alias);
    assert_int_equal(nomen_share_memory(t), NOMEN_OK);
}

/* A view whose base has got other memory is alone on its own. */
static void without_its_base(void **s) {
    (void)s;
    nomen_tensor *base = sample(), *view = nomen_select(base, "N", 1);
    assert_int_equal(nomen__tensor_become(base, sample()), NOMEN_OK);
    assert_int_equal(nomen_share_memory(view), NOMEN_OK);
    assert_true(nomen_is_shared(view) && !nomen_is_shared(base));
    assert_true(((float *)nomen_data(view))[2] == 5.0f);
    assert_true(((float *)nomen_data(base))[5] == 5.0f);
}

/* Files that others could cut off under us, and none at all. */
static void other_descriptors(void **s) {
    (void)s;
    int plain = memfd_create("plain", MFD_CLOEXEC),
        open_ended = memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(plain >= 0 && open_ended >= 0);
    assert_int_equal(ftruncate(open_ended, 64), 0);
    assert_int_equal(fcntl(open_ended, F_ADD_SEALS, F_SEAL_GROW), 0);
    const int wrong[] = {plain, open_ended, -1};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        assert_null(nomen_from_shared_file(wrong[i], NOMEN_F32, NULL, NOMEN_SIZES(1)));
        expect_error(NOMEN_ERROR_VALUE);
    }
    assert_null(nomen_from_shared_file(open_ended, NOMEN_F32, "N 9", NOMEN_SIZES(1, 1)));
    expect_error(NOMEN_ERROR_NAME);
    assert_int_equal(fcntl(open_ended, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    nomen_tensor *t = nomen_from_shared_file(open_ended, NOMEN_F32, NULL, NOMEN_SIZES(16));
    assert_non_null(t);
    assert_true(((float *)nomen_data(t))[15] == 0);
#ifdef NOMEN_FAULTS
    nomen__fail_system(0, EIO); /* nobody can say how large it is */
    assert_null(nomen_from_shared_file(open_ended, NOMEN_F32, NULL, NOMEN_SIZES(16)));
    nomen__fail_system(-1, 0);
    expect_error(NOMEN_ERROR_VALUE);
#endif
    close(plain);
    close(open_ended);
    if (SIZE_MAX <= INT64_MAX) return; /* no file is too large for a size there */
    assert_null(nomen__storage_shared((size_t)INT64_MAX + 1));
    assert_non_null(nomen_last_error());
    nomen_clear_error();
}

#ifdef NOMEN_FAULTS
/* Want of memory is told as such, whichever of its two names the system gives it. */
static void no_shared_memory(void **s) {
    (void)s;
    const int errors[] = {ENOSPC, ENOMEM, EPERM};
    for (size_t i = 0; i < NOMEN_COUNT(errors); i++) {
        nomen_tensor *t = sample();
        nomen__fail_system(1, errors[i]); /* the second call asks for the memory */
        assert_int_not_equal(nomen_share_memory(t), NOMEN_OK);
        nomen__fail_system(-1, 0);
        expect_error(errors[i] == EPERM ? NOMEN_ERROR_STATE : NOMEN_ERROR_MEMORY);
        assert_false(nomen_is_shared(t));
        nomen_tensor *none = nomen_zeros(NULL, NOMEN_SIZES(0));
        nomen__fail_system(1, errors[i]); /* of no bytes: it is the seal that fails */
        assert_int_not_equal(nomen_share_memory(none), NOMEN_OK);
        nomen__fail_system(-1, 0);
        expect_error(NOMEN_ERROR_STATE);
    }
}

/* An import that finds no room in the scope has not taken the capsule. */
static void imports_without_room(void **s) {
    (void)s;
    enum { MANY = 400, REQUESTS = 6 };
    int failures = 0;
    nomen_scope() {
        for (int i = 0; i < MANY; i++)
            for (int nth = 0; nth < REQUESTS; nth++) {
                nomen_dl_managed *m = nomen_to_dlpack(sample());
                assert_non_null(m);
                nomen__fail_allocation(nth);
                nomen_tensor *t = nomen_from_dlpack(m, NULL);
                nomen__fail_allocation(-1);
                if (t) break;
                failures++;
                expect_error(NOMEN_ERROR_MEMORY);
                m->deleter(m);
            }
    }
    assert_true(failures > MANY);
}
#endif

static int ends;

static void count_end(nomen_dl_managed *self) { ends += self != NULL; }

/* Whoever exports memory that nobody has to give back leaves the deleter out. */
static void without_a_deleter(void **s) {
    (void)s;
    static float memory[2] = {1, 2};
    int64_t shape[] = {2};
    nomen_dl_managed m = {.version = {1, 0}};
    m.tensor = (nomen_dl_tensor){.data = memory, .ndim = 1, .shape = shape};
    m.tensor.device.type = NOMEN_DL_CPU;
    m.tensor.dtype.code = NOMEN_DL_FLOAT;
    m.tensor.dtype.bits = 32;
    m.tensor.dtype.lanes = 1;
    nomen_scope() {
        nomen_tensor *t = nomen_from_dlpack(&m, "N");
        assert_true(t && nomen_item(nomen_select(t, "N", 1)) == 2);
    }
    m.deleter = count_end;
    ends = 0;
    nomen_scope() assert_non_null(nomen_from_dlpack(&m, "N"));
    assert_int_equal(ends, 1);
    /* ours take NULL, as free does */
    nomen_tensor *x = sample();
    nomen_dl_managed *ours = nomen_to_dlpack(x);
    nomen_dl_managed_old *old = nomen_to_dlpack_old(x);
    assert_true(ours && old);
    void (*deleter)(nomen_dl_managed *) = ours->deleter;
    void (*old_deleter)(nomen_dl_managed_old *) = old->deleter;
    deleter(NULL);
    old_deleter(NULL);
    deleter(ours);
    old_deleter(old);
}

static void default_dtype(void **s) {
    (void)s;
    assert_int_equal(nomen_get_default_dtype(), NOMEN_F32);
    assert_int_equal(nomen_set_default_dtype(NOMEN_I32), NOMEN_ERROR_TYPE);
    expect_error(NOMEN_ERROR_TYPE);
    assert_int_equal(nomen_set_default_dtype(NOMEN_DTYPE_NONE), NOMEN_ERROR_TYPE);
    expect_error(NOMEN_ERROR_TYPE);
    assert_int_equal(nomen_set_default_dtype(NOMEN_F64), NOMEN_OK);
    assert_int_equal(nomen_get_default_dtype(), NOMEN_F64);
    assert_int_equal(nomen_set_default_dtype(NOMEN_F32), NOMEN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(out_and_back, fresh, end),
        cmocka_unit_test_setup_teardown(all_dtypes, fresh, end),
        cmocka_unit_test_setup_teardown(refused, fresh, end),
#ifdef NOMEN_FAULTS
        cmocka_unit_test_setup_teardown(without_memory, fresh, end),
#endif
        cmocka_unit_test_setup_teardown(shared_with_a_child, fresh, end),
        cmocka_unit_test_setup_teardown(by_descriptor, fresh, end),
        cmocka_unit_test_setup_teardown(not_behind_the_back_of_others, fresh, end),
        cmocka_unit_test_setup_teardown(without_its_base, fresh, end),
        cmocka_unit_test_setup_teardown(other_descriptors, fresh, end),
#ifdef NOMEN_FAULTS
        cmocka_unit_test_setup_teardown(no_shared_memory, fresh, end),
        cmocka_unit_test_setup_teardown(imports_without_room, fresh, end),
#endif
        cmocka_unit_test_setup_teardown(without_a_deleter, fresh, end),
        cmocka_unit_test_setup_teardown(default_dtype, fresh, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
