/* The random rows of the table, called from C: arguments, layouts, ISAs, errors, and that what
 * fails has drawn and written nothing. */
#include "core/draw.h"
#include "nomen/nomen.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double at(nomen_tensor *t, int64_t i) {
    nomen_tensor *flat = nomen_to(nomen_reshape(t, NOMEN_SIZES(-1)), NOMEN_F64);
    return nomen_item(nomen_select(flat, "0", i));
}

static double least(nomen_tensor *t) { return nomen_item(nomen_to(nomen_min(t), NOMEN_F64)); }

static double most(nomen_tensor *t) { return nomen_item(nomen_to(nomen_max(t), NOMEN_F64)); }

static void arguments(void **unused) {
    (void)unused;
    nomen_manual_seed(1);
    nomen_scope() {
        nomen_tensor *x = nomen_zeros("N C", NOMEN_SIZES(40, 25), NOMEN_I64);
        assert_ptr_equal(nomen_random_(x, nomen_num(6)), x); /* one number is the end */
        assert_true(least(x) == 0 && most(x) == 5);
        nomen_random_(x, nomen_num(-3), nomen_num(3));
        assert_true(least(x) == -3 && most(x) == 2);
        nomen_random_(x, .to = nomen_num(4));
        assert_true(least(x) == 0 && most(x) == 3);
        nomen_random_(x, nomen_num(100), nomen_num(INFINITY));
        assert_true(least(x) >= 100 && most(x) > 1e18);
        nomen_random_(x);
        assert_true(least(x) >= 0 && most(x) > 1e18);
        assert_string_equal(nomen_name_of(x, 1), "C");
        nomen_tensor *r = nomen_randint("N", .high = nomen_num(3), .size = NOMEN_SIZES(300));
        assert_true(least(r) == 0 && most(r) == 2 && nomen_dtype_of(r) == NOMEN_I64);
        r = nomen_randint(NULL, nomen_num(5), nomen_num(6), NOMEN_SIZES(3), NOMEN_U8);
        assert_true(least(r) == 5 && most(r) == 5 && nomen_dtype_of(r) == NOMEN_U8);
        r = nomen_randperm("t", 50);
        assert_true(least(r) == 0 && most(r) == 49);
        assert_true(nomen_item(nomen_to(nomen_sum(r), NOMEN_F64)) == 49 * 25);
        nomen_tensor *y = nomen_zeros(NULL, NOMEN_SIZES(1000));
        nomen_uniform_(y, nomen_num(2), nomen_num(3));
        assert_true(least(y) >= 2 && most(y) < 3);
        nomen_normal_(y, nomen_num(100), nomen_num(0));
        assert_true(least(y) == 100 && most(y) == 100);
        nomen_bernoulli_(y);
        assert_true(least(y) == 0 && most(y) == 1);
        r = nomen_normal(nomen_scalar(7), nomen_scalar(0), NOMEN_SIZES(2, 2), .names = "A B");
        assert_true(at(r, 3) == 7);
        assert_string_equal(nomen_name_of(r, 0), "A");
        assert_null(nomen_last_error());
    }
}

/* The same numbers in memory, whatever the strides; the rest of the memory is not touched. */
static void layouts(void **unused) {
    (void)unused;
    nomen_scope() {
        nomen_manual_seed(2);
        nomen_tensor *whole = nomen_uniform_(nomen_zeros(NULL, NOMEN_SIZES(24)));
        for (int gap = 1; gap <= 2; gap++) {
            nomen_manual_seed(2);
            nomen_tensor *base = nomen_zeros("A B", NOMEN_SIZES(4, 6 * gap));
            nomen_tensor *part =
                nomen_slice(base, "B", .start = nomen_num(0), .step = nomen_num(gap));
            nomen_tensor *turned = nomen_transpose(part, "A", "B");
            assert_ptr_equal(nomen_uniform_(turned), turned);
            for (int64_t i = 0; i < 24; i++) assert_true(at(part, i) == at(whole, i));
            if (gap == 2)
                assert_true(
                    most(nomen_slice(base, "B", .start = nomen_num(1), .step = nomen_num(2))) == 0);
        }
    }
}

typedef nomen_tensor *failing(nomen_tensor *x);

static nomen_tensor *bad_uniform(nomen_tensor *x) {
    return nomen_uniform_(x, nomen_num(2), nomen_num(1));
}
static nomen_tensor *bad_std(nomen_tensor *x) { return nomen_normal_(x, .std = nomen_num(-1)); }
static nomen_tensor *bad_range(nomen_tensor *x) {
    return nomen_random_(x, nomen_num(3), nomen_num(3));
}
static nomen_tensor *bad_end(nomen_tensor *x) { return nomen_random_(x, nomen_num(0.5)); }
static nomen_tensor *bad_p(nomen_tensor *x) {
    return nomen_bernoulli_(x, nomen_full(NULL, NOMEN_SIZES(4), nomen_num(2.0)));
}
static nomen_tensor *bad_shape(nomen_tensor *x) {
    return nomen_bernoulli_(x, nomen_ones(NULL, NOMEN_SIZES(5)));
}
static nomen_tensor *bad_weights(nomen_tensor *x) { return nomen_multinomial(x, 2); }
static nomen_tensor *bad_normal(nomen_tensor *x) {
    return nomen_normal(x, nomen_full(NULL, NOMEN_SIZES(4), nomen_num(-1.0)), .out = x);
}
static nomen_tensor *no_size(nomen_tensor *x) {
    (void)x;
    return nomen_normal(nomen_scalar(0), nomen_scalar(1));
}
static nomen_tensor *no_end(nomen_tensor *x) { return nomen_randint_like(x); }
static nomen_tensor *bad_dtype(nomen_tensor *x) { return nomen_rand_like(x, NOMEN_I32); }
static nomen_tensor *bad_rate(nomen_tensor *x) {
    return nomen_poisson(nomen_sub(x, nomen_scalar(1)));
}
static nomen_tensor *bad_chance(nomen_tensor *x) { return nomen_dropout(x, nomen_num(-0.5), true); }

static void failures(void **unused) {
    (void)unused;
    static failing *const calls[] = {bad_uniform, bad_std,     bad_range,  bad_end, bad_p,
                                     bad_shape,   bad_weights, bad_normal, no_size, no_end,
                                     bad_dtype,   bad_rate,    bad_chance};
    static unsigned char before[4096], after[4096];
    nomen_scope() {
        nomen_tensor *x = nomen_zeros("N", NOMEN_SIZES(4));
        nomen_generator_get_state(NULL, before, sizeof before);
        for (size_t i = 0; i < NOMEN_COUNT(calls); i++) {
            assert_null(calls[i](x));
            assert_non_null(nomen_last_error());
            nomen_clear_error();
            size_t bytes = nomen_generator_get_state(NULL, after, sizeof after);
            assert_memory_equal(before, after, bytes);
            assert_true(least(x) == 0 && most(x) == 0);
        }
    }
}

#ifdef NOMEN_FAULTS
/* Without memory nothing is drawn either: the numbers that follow are those that would have come.
 */
static void without_memory(void **unused) {
    (void)unused;
    int failed = 0;
    for (int which = 0; which < 5; which++) {
        for (int64_t nth = 0; nth < 200; nth++) {
            nomen_scope() {
                nomen_tensor *base = nomen_zeros(NULL, NOMEN_SIZES(6, 8));
                nomen_tensor *x =
                    nomen_slice(base, "1", .start = nomen_num(0), .step = nomen_num(2));
                nomen_tensor *p = nomen_full(NULL, NOMEN_SIZES(6, 4), nomen_num(0.5));
                nomen_manual_seed(3);
                nomen__fail_allocation(nth);
                nomen_tensor *r = which == 0   ? nomen_uniform_(x)
                                  : which == 1 ? nomen_bernoulli_(x, p)
                                  : which == 2 ? nomen_normal(p, p, .out = x)
                                  : which == 3 ? nomen_multinomial(p, 2)
                                               : nomen_dropout(p, nomen_num(0.5), true);
                nomen__fail_allocation(-1);
                if (r) {
                    nth = 200;
                } else {
                    failed++;
                    nomen_clear_error();
                    assert_true(most(base) == 0);
                }
            }
        }
    }
    assert_true(failed >= 5);
}
#endif

/* Complex numbers, long and short, drawn singly and by groups, on every ISA: test_random.c has the
 * values, here the rows agree with the functions. */
static void rows_are_the_functions(void **unused) {
    (void)unused;
    enum { N = 40 };
    static const nomen_dtype dtypes[] = {NOMEN_F16, NOMEN_BF16, NOMEN_F32,
                                         NOMEN_F64, NOMEN_C64,  NOMEN_C128};
    static _Alignas(16) unsigned char expected[16 * N];
    for (size_t d = 0; d < NOMEN_COUNT(dtypes); d++) nomen_scope() {
            nomen_generator *g = nomen_generator_new(9);
            size_t bytes = N * nomen_dtype_size(dtypes[d]);
            nomen_tensor *x = nomen_zeros(NULL, NOMEN_SIZES(N), dtypes[d]);
            nomen_manual_seed(9);
            nomen_normal_(x, nomen_num(2), nomen_num(3));
            nomen__random_normal(g, dtypes[d], expected, N, 2, 3);
            assert_memory_equal(x->data, expected, bytes);
            nomen_uniform_(x, .generator = g);
            nomen__random_uniform(NULL, dtypes[d], expected, N);
            assert_memory_equal(x->data, expected, bytes);
            nomen_tensor *wide = nomen_zeros(NULL, NOMEN_SIZES(N, 2), dtypes[d]);
            nomen_normal_(nomen_select(wide, "1", 0), .generator = g);
            nomen__random_normal_singly(NULL, dtypes[d], expected, N, 0, 1);
            nomen_tensor *drawn =
                nomen_clone(nomen_select(wide, "1", 0), .memory_format = "contiguous_format");
            assert_memory_equal(drawn->data, expected, bytes);
            nomen_generator_free(&g);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),      cmocka_unit_test(layouts),
        cmocka_unit_test(failures),       cmocka_unit_test(rows_are_the_functions),
#ifdef NOMEN_FAULTS
        cmocka_unit_test(without_memory),
#endif
    };
    return cmocka_run_group_tests_name("random rows", tests, NULL, NULL);
}
