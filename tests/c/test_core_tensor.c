/* Headers, items, numbers, storages. */
#include "clean_slate.h"
#include "core/core.h"
#include "nomen/scope.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void making(void **s) {
    (void)s;
    int64_t size[] = {2, 3, 4};
    nomen_tensor *t = nomen__scoped(nomen__tensor_empty(NOMEN_F64, 3, size));
    assert_int_equal(nomen_dtype_of(t), NOMEN_F64);
    assert_int_equal(nomen_ndim(t), 3);
    assert_int_equal(nomen_numel(t), 24);
    assert_memory_equal(nomen_shape(t), size, sizeof size);
    int64_t stride[] = {12, 4, 1};
    assert_memory_equal(nomen_strides(t), stride, sizeof stride);
    assert_true(nomen_is_contiguous(t));
    assert_int_equal((uintptr_t)nomen_data(t) % 64, 0);
    assert_int_equal(t->storage->bytes, 192);
    assert_null(nomen__tensor_new(NOMEN_F32, 65));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_SHAPE);
    assert_null(nomen__tensor_empty(NOMEN_DTYPE_NONE, 0, NULL));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_DTYPE);
    int64_t none[] = {0, 5};
    nomen_tensor *empty = nomen__scoped(nomen__tensor_empty(NOMEN_F32, 2, none));
    assert_int_equal(nomen_numel(empty), 0);
    assert_non_null(nomen_data(empty));
}

static void null_is_answered(void **s) {
    (void)s;
    assert_int_equal(nomen_dtype_of(NULL), NOMEN_DTYPE_NONE);
    assert_int_equal(nomen_ndim(NULL), 0);
    assert_int_equal(nomen_numel(NULL), 0);
    assert_null(nomen_shape(NULL));
    assert_null(nomen_strides(NULL));
    assert_int_equal(nomen_size(NULL, "N"), 0);
    assert_null(nomen_name_of(NULL, 0));
    assert_false(nomen_has_names(NULL));
    assert_false(nomen_is_contiguous(NULL));
    assert_null(nomen_data(NULL));
    nomen_touch(NULL);
    assert_null(nomen_last_error());
    assert_true(isnan(nomen_item(NULL)));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_TYPE);
    assert_int_equal(nomen_set_names(NULL, "N"), NOMEN_ERROR_TYPE);
}

static void contiguity(void **s) {
    (void)s;
    nomen_tensor *t = nomen__scoped(nomen__tensor_new(NOMEN_F32, 3));
    const struct {
        int64_t size[3], stride[3];
        bool contiguous;
    } cases[] = {
        {{2, 3, 4}, {12, 4, 1}, true}, {{2, 3, 4}, {1, 2, 6}, false},
        {{1, 3, 4}, {99, 4, 1}, true}, {{2, 1, 4}, {4, 0, 1}, true},
        {{2, 3, 4}, {0, 4, 1}, false}, {{2, 0, 4}, {7, 7, 7}, true},
        {{1, 1, 1}, {5, 6, 7}, true},  {{2, 3, 4}, {12, 4, -1}, false},
    };
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        memcpy(t->size, cases[i].size, sizeof cases[i].size);
        memcpy(t->stride, cases[i].stride, sizeof cases[i].stride);
        nomen__tensor_finish(t);
        assert_int_equal(nomen_is_contiguous(t), cases[i].contiguous);
        assert_int_equal(t->numel, t->size[0] * t->size[1] * t->size[2]);
    }
}

static void many_dims(void **s) {
    (void)s;
    int64_t size[64];
    nomen_name names[64], name = 0;
    for (int i = 0; i < 64; i++) {
        char text[3] = {'d', (char)('A' + i % 26), (char)('A' + i / 26)};
        nomen_name_intern(text, 3, &name);
        size[i] = i % 20 == 0 ? 2 : 1;
        names[i] = name;
    }
    nomen_tensor *t = nomen__scoped(nomen__tensor_empty(NOMEN_U8, 64, size));
    assert_int_equal(nomen__check_names(names, 64, 64), NOMEN_OK);
    nomen__set_names(t, names);
    assert_int_equal(nomen_numel(t), 16);
    nomen_tensor *twin = nomen__scoped(nomen__tensor_alias(t));
    assert_memory_equal(twin->size, t->size, sizeof size);
    assert_memory_equal(twin->names, names, sizeof names);
    assert_ptr_not_equal(twin->size, t->size);
    assert_string_equal(nomen_name_of(twin, 63), "dLC");
}

static void aliases(void **s) {
    (void)s;
    int64_t size[] = {2, 2};
    nomen_tensor *t = nomen__scoped(nomen__tensor_empty(NOMEN_I32, 2, size));
    nomen_set_names(t, "N C");
    nomen_tensor *a = nomen__scoped(nomen__tensor_alias(t));
    assert_ptr_equal(nomen_data(a), nomen_data(t));
    assert_string_equal(nomen_name_of(a, 0), "N");
    nomen_set_names(a, "X Y");
    assert_string_equal(nomen_name_of(t, 0), "N"); /* names belong to the header */
    uint32_t before = atomic_load(&t->storage->version);
    nomen_touch(a);
    assert_int_equal(atomic_load(&t->storage->version), before + 1);
    nomen_tensor *number = nomen_scalar(3);
    assert_false(nomen__scoped(nomen__tensor_alias(number))->flags & NOMEN__WRAPPED);
}

static void becoming(void **s) {
    (void)s;
    int64_t small[] = {2, 2}, long_one[9] = {1, 1, 3, 1, 1, 1, 1, 1, 1};
    nomen_tensor *t = nomen__scoped(nomen__tensor_empty(NOMEN_I32, 2, small));
    nomen_tensor *from = nomen__scoped(nomen__tensor_empty(NOMEN_F64, 9, long_one));
    nomen_set_names(from, "a b c d e f g h i");
    nomen_retain(t);
    assert_int_equal(nomen__tensor_become(t, from), NOMEN_OK);
    assert_int_equal(atomic_load(&t->refs), 2);
    nomen_release(t);
    assert_int_equal(nomen_ndim(t), 9);
    assert_int_equal(nomen_size(t, "c"), 3);
    assert_int_equal(nomen_dtype_of(t), NOMEN_F64);
    assert_ptr_equal(nomen_data(t), nomen_data(from));
    nomen_tensor *plain = nomen__scoped(nomen__tensor_empty(NOMEN_U8, 2, small));
    assert_int_equal(nomen__tensor_become(t, plain), NOMEN_OK);
    assert_false(nomen_has_names(t));
    assert_int_equal(nomen_numel(t), 4);
    assert_int_equal(nomen__tensor_become(t, t), NOMEN_OK);
}

static double item_of(nomen_dtype dtype, const void *data) {
    nomen_tensor *t = nomen__scoped(nomen__tensor_empty(dtype, 0, NULL));
    memcpy(t->data, data, nomen_dtype_size(dtype));
    return nomen_item(t);
}

/* The bits of a half, against their meaning by IEEE 754. */
static void half_items(void **s) {
    (void)s;
    const struct {
        uint16_t bits;
        double value;
    } f16[] =
        {{0x3c00, 1},       {0xc000, -2},    {0x0001, 0x1p-24},        {0x03ff, 1023 * 0x1p-24},
         {0x0400, 0x1p-14}, {0x7bff, 65504}, {0x3555, 1365 * 0x1p-12}, {0x7c00, (double)INFINITY},
         {0x0000, 0}},
      bf16[] = {{0x3f80, 1}, {0xc040, -3}, {0x0001, 0x1p-133}, {0xff80, -(double)INFINITY}};
    for (size_t i = 0; i < NOMEN_COUNT(f16); i++)
        assert_true(item_of(NOMEN_F16, &f16[i].bits) == f16[i].value);
    for (size_t i = 0; i < NOMEN_COUNT(bf16); i++)
        assert_true(item_of(NOMEN_BF16, &bf16[i].bits) == bf16[i].value);
    uint16_t nan16 = 0x7e01, negative_zero = 0x8000;
    assert_true(isnan(item_of(NOMEN_F16, &nan16)));
    assert_true(signbit(item_of(NOMEN_F16, &negative_zero)));
}

static void items(void **s) {
    (void)s;
    uint8_t yes = 1, u8 = 200;
    int8_t i8 = -100;
    int16_t i16 = -30000;
    int32_t i32 = -2000000000;
    int64_t i64 = INT64_MIN;
    float f32 = 0.1f;
    double f64 = 0.1;
    assert_true(item_of(NOMEN_BOOL, &yes) == 1);
    assert_true(item_of(NOMEN_U8, &u8) == 200);
    assert_true(item_of(NOMEN_I8, &i8) == -100);
    assert_true(item_of(NOMEN_I16, &i16) == -30000);
    assert_true(item_of(NOMEN_I32, &i32) == -2000000000);
    assert_true(item_of(NOMEN_I64, &i64) == -0x1p63);
    assert_true(item_of(NOMEN_F32, &f32) == (double)0.1f);
    assert_true(item_of(NOMEN_F64, &f64) == 0.1);
    assert_int_equal(nomen_item_int(nomen_scalar(INT64_MAX)), INT64_MAX);
    assert_int_equal(nomen_item_int(nomen_scalar(-2.9)), -2);
    assert_null(nomen_last_error());
    assert_int_equal(nomen_item_int(nomen_scalar((double)NAN)), 0);
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_item_int(nomen_scalar(0x1p63)), 0);
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_item_int(nomen_scalar(-0x1p63)), INT64_MIN);
    assert_null(nomen_last_error());
    int64_t two[] = {1, 2};
    nomen_tensor *pair = nomen__scoped(nomen__tensor_empty(NOMEN_F32, 2, two));
    assert_true(isnan(nomen_item(pair)));
    assert_string_equal(nomen_last_error()->message,
                        "a Tensor with 2 elements cannot be converted to Scalar");
}

static void numbers(void **s) {
    (void)s;
    assert_int_equal(nomen_dtype_of(nomen_scalar((bool)1)), NOMEN_BOOL);
    assert_int_equal(nomen_dtype_of(nomen_scalar(7)), NOMEN_I64);
    assert_int_equal(nomen_dtype_of(nomen_scalar(7.5f)), NOMEN_F64);
    nomen_tensor *c = nomen_scalar_call(nomen_number_complex(1, -2));
    assert_int_equal(nomen_dtype_of(c), NOMEN_C128);
    assert_true(c->flags & NOMEN__WRAPPED);
    assert_int_equal(nomen_ndim(c), 0);
    nomen_number n = nomen_item_number(c);
    assert_int_equal(n.kind, NOMEN_NUMBER_COMPLEX);
    assert_true(n.re == 1 && n.im == -2);
    assert_true(isnan(nomen_item(c)));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_DTYPE);
    assert_int_equal(nomen_item_number(nomen_scalar((bool)1)).kind, NOMEN_NUMBER_BOOL);
    assert_int_equal(nomen_item_number(nomen_scalar(3)).i, 3);
    assert_null(nomen_scalar_call((nomen_number){0}));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_VALUE);
}

static int freed_grads;

static void on_grad_free(struct nomen__autograd *g) { freed_grads += g != NULL; }

static void autograd_hook(void **s) {
    (void)s;
    void (*before)(struct nomen__autograd *) = nomen__autograd_free;
    nomen__autograd_free = on_grad_free;
    nomen_tensor *t = nomen__tensor_empty(NOMEN_F32, 0, NULL);
    t->grad = (struct nomen__autograd *)(void *)&freed_grads;
    nomen_tensor *a = nomen__tensor_alias(t);
    assert_null(a->grad);
    nomen__release(a);
    assert_int_equal(freed_grads, 0);
    nomen__release(t);
    assert_int_equal(freed_grads, 1);
    nomen__autograd_free = before;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(making, fresh),     cmocka_unit_test_setup(null_is_answered, fresh),
        cmocka_unit_test_setup(contiguity, fresh), cmocka_unit_test_setup(many_dims, fresh),
        cmocka_unit_test_setup(aliases, fresh),    cmocka_unit_test_setup(becoming, fresh),
        cmocka_unit_test_setup(half_items, fresh), cmocka_unit_test_setup(items, fresh),
        cmocka_unit_test_setup(numbers, fresh),    cmocka_unit_test_setup(autograd_hook, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
