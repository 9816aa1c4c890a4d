/* Element types: the whole promotion table against the rules it follows from. */
#include "nomen/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* PyTorch 1.13's promotion of two tensors with dims, row and column in the order of the enum
 * without NONE. */
static const char *const table[] = {
    "bool u8   i8   i16  i32  i64  f16  bf16 f32  f64  c64  c128",
    "u8   u8   i16  i16  i32  i64  f16  bf16 f32  f64  c64  c128",
    "i8   i16  i8   i16  i32  i64  f16  bf16 f32  f64  c64  c128",
    "i16  i16  i16  i16  i32  i64  f16  bf16 f32  f64  c64  c128",
    "i32  i32  i32  i32  i32  i64  f16  bf16 f32  f64  c64  c128",
    "i64  i64  i64  i64  i64  i64  f16  bf16 f32  f64  c64  c128",
    "f16  f16  f16  f16  f16  f16  f16  f32  f32  f64  c64  c128",
    "bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64  c64  c128",
    "f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128",
    "f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128",
    "c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
};

static const char *const shorts[NOMEN_DTYPE_COUNT] = {
    "none", "bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"};

static void promotion(void **s) {
    (void)s;
    for (int a = 1; a < NOMEN_DTYPE_COUNT; a++) {
        const char *at = table[a - 1];
        for (int b = 1; b < NOMEN_DTYPE_COUNT; b++) {
            nomen_dtype got = nomen_promote((nomen_dtype)a, (nomen_dtype)b);
            size_t n = strcspn(at, " ");
            if (strlen(shorts[got]) != n || strncmp(at, shorts[got], n) != 0)
                fail_msg("%s with %s gives %s", shorts[a], shorts[b], shorts[got]);
            at += n;
            at += strspn(at, " ");
        }
        assert_int_equal(*at, 0);
    }
}

static void outside_the_enum(void **s) {
    (void)s;
    assert_int_equal(nomen_promote(NOMEN_DTYPE_NONE, NOMEN_F32), NOMEN_DTYPE_NONE);
    assert_int_equal(nomen_promote(NOMEN_F32, (nomen_dtype)99), NOMEN_DTYPE_NONE);
    assert_int_equal(nomen_dtype_size((nomen_dtype)99), 0);
    assert_int_equal(nomen_dtype_size(NOMEN_DTYPE_NONE), 0);
    assert_string_equal(nomen_dtype_name((nomen_dtype)99), "?");
    assert_false(nomen_can_cast(NOMEN_DTYPE_NONE, NOMEN_F32));
    assert_false(nomen_can_cast(NOMEN_F32, NOMEN_DTYPE_NONE));
}

static void names_and_sizes(void **s) {
    (void)s;
#define X(tag, short_name, text, storage, kind, bytes)                                             \
    assert_string_equal(nomen_dtype_name(NOMEN_##tag), text);                                      \
    assert_int_equal(nomen_dtype_from_name(text), NOMEN_##tag);                                    \
    assert_int_equal(nomen_dtype_size(NOMEN_##tag), bytes);
#include "../../ops/dtypes.def"
#undef X
    assert_int_equal(nomen_dtype_from_name("float"), NOMEN_F32);
    assert_int_equal(nomen_dtype_from_name("double"), NOMEN_F64);
    assert_int_equal(nomen_dtype_from_name("half"), NOMEN_F16);
    assert_int_equal(nomen_dtype_from_name("long"), NOMEN_I64);
    assert_int_equal(nomen_dtype_from_name("byte"), NOMEN_U8);
    assert_int_equal(nomen_dtype_from_name("cdouble"), NOMEN_C128);
    assert_int_equal(nomen_dtype_from_name("flaot"), NOMEN_DTYPE_NONE);
    assert_int_equal(nomen_dtype_from_name("none"), NOMEN_DTYPE_NONE);
    assert_int_equal(nomen_dtype_from_name(NULL), NOMEN_DTYPE_NONE);
}

static void kinds(void **s) {
    (void)s;
    for (int d = 0; d < NOMEN_DTYPE_COUNT; d++) {
        nomen_dtype dtype = (nomen_dtype)d;
        assert_int_equal(nomen_dtype_is_floating(dtype), d >= NOMEN_F16 && d <= NOMEN_F64);
        assert_int_equal(nomen_dtype_is_complex(dtype), d >= NOMEN_C64);
        assert_int_equal(nomen_dtype_is_integral(dtype), d >= NOMEN_U8 && d <= NOMEN_I64);
        assert_int_equal(nomen_dtype_is_signed(dtype), d >= NOMEN_I8);
    }
    assert_true(nomen_can_cast(NOMEN_F64, NOMEN_F16));
    assert_true(nomen_can_cast(NOMEN_I64, NOMEN_U8));
    assert_true(nomen_can_cast(NOMEN_BOOL, NOMEN_C64));
    assert_false(nomen_can_cast(NOMEN_F16, NOMEN_I64));
    assert_false(nomen_can_cast(NOMEN_C64, NOMEN_F64));
    assert_false(nomen_can_cast(NOMEN_U8, NOMEN_BOOL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promotion),
        cmocka_unit_test(outside_the_enum),
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
