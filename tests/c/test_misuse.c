/* Every function of the C interface that is no row, with NULL and with what nobody can mean: an
 * answer or an error that says why, and the next call works. The rows are in test_random_calls.c.
 */
#include "nomen/blas.h"
#include "nomen/exchange.h"
#include "nomen/inference.h"
#include "nomen/nomen.h"
#include "core/core.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **unused) {
    (void)unused;
    return setenv("NOMEN_BACKEND_PATH", NOMEN_BACKENDS_DIR, 1);
}

static int fresh(void **unused) {
    (void)unused;
    nomen_clear_error();
    return 0;
}

#define REFUSED(call, status) refused((call) == 0, status, #call)
#define DENIED(call)          refused((call) != NOMEN_OK, 0, #call)
#define FAILS(call, status)   refused((call) == (status), status, #call)

static void refused(bool failed, nomen_status status, const char *call) {
    const nomen_error *e = nomen_last_error();
    if (!failed || !e || (status && e->code != status) || !e->message[0])
        fail_msg("%s: %s", call, e ? e->message : "no error");
    nomen_clear_error();
}

/* ---- there is no tensor ---------------------------------------------------------------------- */

static int frees;
static void count_free(void *payload) { (void)payload, frees++; }

static nomen_status pass(void *payload, nomen_tensor *gradient, nomen_tensor **replacement) {
    (void)gradient;
    *replacement = payload;
    return NOMEN_OK;
}

static nomen_status after(void *payload, nomen_tensor *leaf) {
    (void)payload, (void)leaf;
    return NOMEN_OK;
}

static void null_is_refused(void **unused) {
    (void)unused;
    FAILS(nomen_set_requires_grad(NULL, true), NOMEN_ERROR_TYPE);
    FAILS(nomen_retain_grad(NULL), NOMEN_ERROR_TYPE);
    FAILS(nomen_set_gradient(NULL, NULL), NOMEN_ERROR_TYPE);
    FAILS(nomen_detach_(NULL), NOMEN_ERROR_TYPE);
    FAILS(nomen_share_memory(NULL), NOMEN_ERROR_TYPE);
    FAILS(nomen_set_names(NULL, "N"), NOMEN_ERROR_TYPE);
    REFUSED(nomen_detach(NULL), NOMEN_ERROR_TYPE);
    REFUSED(nomen_to_dlpack(NULL), NOMEN_ERROR_TYPE);
    REFUSED(nomen_to_dlpack_old(NULL), NOMEN_ERROR_TYPE);
    REFUSED(nomen_from_dlpack(NULL, NULL), NOMEN_ERROR_VALUE);
    REFUSED(nomen_from_dlpack_old(NULL, NULL), NOMEN_ERROR_VALUE);
    frees = 0;
    REFUSED(nomen_register_hook(NULL, pass, NULL, count_free), NOMEN_ERROR_TYPE);
    REFUSED(nomen_register_post_accumulate_grad_hook(NULL, after, NULL, count_free),
            NOMEN_ERROR_TYPE);
    assert_int_equal(frees, 2);
    nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(2));
    REFUSED(nomen_register_hook(x, NULL, NULL, NULL), NOMEN_ERROR_TYPE);
    REFUSED(nomen_register_post_accumulate_grad_hook(x, NULL, NULL, NULL), NOMEN_ERROR_TYPE);
    REFUSED(nomen_register_post_accumulate_grad_hook(x, after, NULL, NULL), NOMEN_ERROR_GRAD);
    REFUSED(nomen_register_hook(x, pass, NULL, count_free), NOMEN_ERROR_GRAD);
    assert_int_equal(frees, 3);
    assert_true(isnan(nomen_item(NULL)) && nomen_last_error());
    nomen_clear_error();
    assert_true(nomen_item_int(NULL) == 0 && nomen_last_error());
    nomen_free(&x);
    nomen_free(&x);
    nomen_free(NULL);
}

/* A question has an answer, and leaves no error. */
static void questions_about_nothing(void **unused) {
    (void)unused;
    char text[8];
    nomen_generator *none = NULL;
    assert_false(nomen_requires_grad(NULL) || nomen_retains_grad(NULL) || nomen_is_shared(NULL));
    assert_null(nomen_gradient(NULL));
    assert_null(nomen_grad_fn_name(NULL, text, sizeof text));
    assert_null(nomen_device_of(NULL));
    assert_int_equal(nomen_shared_file(NULL), -1);
    assert_int_equal(nomen_stride(NULL, "0"), 0);
    assert_null(nomen_keep(NULL));
    assert_null(nomen_retain(NULL));
    nomen_release(NULL);
    nomen_zero_grad(NULL);
    nomen_scope_close(NULL);
    nomen_grad_mode_close(NULL);
    nomen_fuse_end(NULL);
    nomen_generator_free(NULL);
    nomen_generator_free(&none);
    assert_false(nomen_remove_hook(NULL, 1));
    assert_int_equal(nomen_device_count(NULL), 0);
    assert_int_equal(nomen_device_count("cpu"), 1);
    assert_null(nomen_infer_rule("no_such_row"));
    assert_null(nomen_infer_rule_text("no_such_rule"));
    assert_null(nomen_name_text(0));
    assert_null(nomen_name_text(INT32_MAX));
    assert_int_equal(nomen_dtype_from_name("float13"), NOMEN_DTYPE_NONE);
    assert_null(nomen_last_error());
    assert_string_equal(nomen_error_text(), "");
}

/* As one that was freed: whoever asks is told so, and nothing is touched. */
static void freed_tensors(void **unused) {
    (void)unused;
    static nomen_tensor dead;
    nomen_tensor *variable = &dead;
    REFUSED(nomen_keep(&dead), NOMEN_ERROR_STATE);
    REFUSED(nomen_retain(&dead), NOMEN_ERROR_STATE);
    nomen_release(&dead);
    refused(true, NOMEN_ERROR_STATE, "nomen_release");
    nomen_free(&variable);
    refused(true, NOMEN_ERROR_STATE, "nomen_free");
    REFUSED(nomen_neg(&dead), NOMEN_ERROR_STATE);
    REFUSED(nomen_add(nomen_ones(NULL, NOMEN_SIZES(2)), &dead), NOMEN_ERROR_STATE);
    REFUSED(nomen_cat(NOMEN_LIST(nomen_ones(NULL, NOMEN_SIZES(2)), &dead)), NOMEN_ERROR_STATE);
    REFUSED(nomen_clamp(&dead, nomen_scalar(1), &dead), NOMEN_ERROR_STATE);
}

/* What a thread does with scopes in another order than it should. */
static void scopes_out_of_order(void **unused) {
    (void)unused;
    nomen_scope_mark outer = nomen_scope_open(), inner = nomen_scope_open(), copy = inner;
    nomen_tensor *kept = nomen_ones(NULL, NOMEN_SIZES(2));
    nomen_scope_close(&outer); /* and what is in it */
    nomen_scope_close(&inner);
    nomen_scope_close(&inner);
    nomen_scope_close(&copy);
    nomen_scope_mark never = {-1, 1}, far = {1000, 7};
    nomen_scope_close(&never);
    nomen_scope_close(&far);
    nomen_scope() {
        kept = nomen_ones(NULL, NOMEN_SIZES(2));
        kept = nomen_keep(nomen_keep(kept));
    }
    assert_int_equal(nomen_numel(kept), 2);
    nomen_tensor *held = nomen_retain(kept);
    nomen_free(&kept);
    assert_int_equal(nomen_numel(held), 2);
    kept = held;
    nomen_free(&held);
    assert_null(nomen__scope_array(-1));
    assert_null(nomen__scope_array(INT64_MAX));
    assert_null(nomen__scope_array(INT64_MAX / 8));
    nomen_clear_error();
}

/* ---- what nobody can mean -------------------------------------------------------------------- */

static void scalars(void **unused) {
    (void)unused;
    REFUSED(nomen_scalar_call((nomen_number){NOMEN_ABSENT, 0, 0, 0}), NOMEN_ERROR_VALUE);
    nomen_number odd = {0, 1, 0, 0};
    memset(&odd.kind, 0x7f, sizeof odd.kind);
    REFUSED(nomen_scalar_call(odd), NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_item_int(nomen_scalar_call(nomen_number_complex(1, 1))), 0);
    refused(true, NOMEN_ERROR_DTYPE, "item_int of a complex number");
    assert_int_equal(nomen_item_int(nomen_scalar(1e300)), 0);
    refused(true, NOMEN_ERROR_VALUE, "item_int of a large number");
    assert_int_equal(nomen_item_int(nomen_scalar(true)), 1);
    nomen_tensor *pair = nomen_ones(NULL, NOMEN_SIZES(2));
    assert_int_equal(nomen_item_int(pair), 0);
    refused(true, NOMEN_ERROR_SHAPE, "item_int of two");
}

static void dims_in_text(void **unused) {
    (void)unused;
    nomen_tensor *x = nomen_ones("N *", NOMEN_SIZES(2, 3)), *point = nomen_scalar(1);
    assert_int_equal(nomen_size(x, " N "), 2);
    assert_int_equal(nomen_stride(x, "-2"), 3);
    assert_int_equal(nomen_size(x, " 1"), 3);
    assert_null(nomen_name_of(x, -3));
    assert_null(nomen_name_of(x, 2));
    assert_null(nomen_name_of(x, 1));
    const char *wrong[] = {"2", "-3", "C",   "",   "   ",
                           "*", "-",  "a b", "1x", "99999999999999999999"};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        assert_int_equal(nomen_size(x, wrong[i]), -1);
        assert_non_null(nomen_last_error());
        nomen_clear_error();
        assert_int_equal(nomen_stride(x, wrong[i]), -1);
        assert_non_null(nomen_last_error());
        nomen_clear_error();
    }
    assert_int_equal(nomen_size(x, NULL), -1);
    assert_int_equal(nomen_size(point, "0"), -1);
    nomen_clear_error();
    const char *names[] = {"N N", "9a", "N", "N C H", "N,C", "a-b *"};
    for (size_t i = 0; i < NOMEN_COUNT(names); i++)
        FAILS(nomen_set_names(x, names[i]), NOMEN_ERROR_NAME);
    assert_string_equal(nomen_name_of(x, 0), "N");
    assert_int_equal(nomen_set_names(x, "\tN\n C\r "), NOMEN_OK);
    assert_string_equal(nomen_name_of(x, 1), "C");
    nomen_name id = 0;
    assert_false(nomen_name_intern("", 0, &id) && id);
    nomen_clear_error();
    assert_false(nomen_name_intern("a\1b\177c", 5, &id));
    refused(true, NOMEN_ERROR_NAME, "a name with unprintable letters");
    char long_text[2000];
    memset(long_text, '-', sizeof long_text);
    assert_false(nomen_name_intern(long_text, sizeof long_text, &id));
    refused(true, NOMEN_ERROR_NAME, "a long name");
}

static void count_release(void *payload) { ++*(int *)payload; }

static void foreign_memory(void **unused) {
    (void)unused;
    _Alignas(16) char data[64] = {0};
    int released = 0;
    int64_t many[65] = {0};
    nomen_sizes two = NOMEN_SIZES(2);
    REFUSED(nomen_from_data(NULL, NOMEN_F32, NULL, two, count_release, &released),
            NOMEN_ERROR_VALUE);
    REFUSED(nomen_from_data(data + 1, NOMEN_F32, NULL, two, count_release, &released),
            NOMEN_ERROR_VALUE);
    REFUSED(nomen_from_data(data, 99, NULL, two, count_release, &released), NOMEN_ERROR_DTYPE);
    REFUSED(nomen_from_data(data, NOMEN_F32, "N C", two, count_release, &released),
            NOMEN_ERROR_NAME);
    REFUSED(nomen_from_data(data, NOMEN_F32, "9", two, count_release, &released), NOMEN_ERROR_NAME);
    REFUSED(nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(-1), count_release, &released),
            NOMEN_ERROR_SHAPE);
    REFUSED(nomen_from_data(data, NOMEN_F32, NULL, ((nomen_sizes){65, many}), NULL, NULL),
            NOMEN_ERROR_SHAPE);
    REFUSED(nomen_from_data(data, NOMEN_F32, NULL, ((nomen_sizes){-1, many}), NULL, NULL),
            NOMEN_ERROR_SHAPE);
    REFUSED(nomen_from_data(data, NOMEN_F32, NULL, NOMEN_SIZES(INT64_MAX, 4), NULL, NULL),
            NOMEN_ERROR_SHAPE);
    assert_int_equal(released, 0);
    nomen_scope()
        assert_non_null(nomen_from_data(data, NOMEN_F32, "N", two, count_release, &released));
    assert_int_equal(released, 1);
    const nomen_sizes wrong[] = {{-1, many}, {65, many}};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++)
        REFUSED(nomen_from_shared_file(0, NOMEN_F32, NULL, wrong[i]), NOMEN_ERROR_SHAPE);
    assert_null(nomen_from_shared_file(-1, NOMEN_F32, NULL, two));
    assert_null(nomen_from_shared_file(0, NOMEN_F32, "N C", two));
    assert_null(nomen_from_shared_file(0, 99, NULL, two));
    nomen_clear_error();
}

/* A storage may be shorter than what is asked of it, whatever wraps around on the way. */
static void parts_of_a_storage(void **unused) {
    (void)unused;
    nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(10));
    const struct {
        int64_t size[2], stride[2], offset;
    } wrong[] = {{{2, 6}, {6, 1}, 0},
                 {{2, 5}, {5, 1}, 1},
                 {{2, 2}, {1, 1}, -1},
                 {{2, 2}, {INT64_MAX, 1}, 0},
                 {{2, 2}, {INT64_MAX / 8, 1}, 0},
                 {{3, 2}, {INT64_MAX / 2, 1}, 0},
                 {{2, 2}, {-1, 1}, 0},
                 {{2, 2}, {1, 1}, INT64_MAX},
                 {{2, 2}, {1, 1}, INT64_MAX / 4},
                 {{2, 2}, {INT64_MIN, 1}, 0},
                 {{5, 5}, {INT64_MAX / 20, INT64_MAX / 20}, 0},
                 {{2, 2}, {1, 1}, INT64_MAX / 4 - 1}};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++)
        if (nomen__tensor_on_storage(x->storage, NOMEN_F32, wrong[i].offset, 2, wrong[i].size,
                                     wrong[i].stride))
            fail_msg("%zu", i);
    nomen_clear_error();
    int64_t size[] = {3, 0}, stride[] = {-2, 7};
    nomen_tensor *t = nomen__tensor_on_storage(x->storage, NOMEN_F32, 8, 1, size, stride);
    assert_non_null(nomen__scoped(t));
    t = nomen__tensor_on_storage(x->storage, NOMEN_F32, 10, 2, size, stride);
    assert_non_null(nomen__scoped(t)); /* nothing is in it */
    assert_null(nomen__tensor_on_storage(x->storage, NOMEN_F32, 0, 65, size, stride));
    nomen_clear_error();
}

/* Doubles do not begin where only floats may. */
static void parts_that_are_askew(void **unused) {
    (void)unused;
    static _Alignas(8) float data[5] = {0, 1, 2, 3, 4};
    nomen_tensor *x = nomen_from_data(data + 1, NOMEN_F32, NULL, NOMEN_SIZES(4), NULL, NULL);
    assert_non_null(x);
    const int64_t size[] = {2}, stride[] = {1};
    assert_null(nomen__tensor_on_storage(x->storage, NOMEN_F64, 0, 1, size, stride));
    refused(true, NOMEN_ERROR_VALUE, "nomen__tensor_on_storage");
    nomen_tensor *t = nomen__tensor_on_storage(x->storage, NOMEN_I32, 2, 1, size, stride);
    assert_non_null(nomen__scoped(t));
    assert_ptr_equal(nomen_data(t), data + 3);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A gap in the indices takes a whole dim, unless it is what an earlier failure has left. */
static void gaps_in_indices(void **unused) {
    (void)unused;
    static nomen_tensor dead;
    nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 3));
    nomen_tensor *one = nomen_zeros(NULL, NOMEN_SIZES(1), .dtype = NOMEN_I64);
    nomen_tensor *r = nomen_index(x, NOMEN_LIST(NULL, one));
    assert_true(r && nomen_shape(r)[0] == 2 && nomen_shape(r)[1] == 1);
    REFUSED(nomen_index(x, NOMEN_LIST(one, &dead)), NOMEN_ERROR_STATE);
    REFUSED(nomen_index(x, NOMEN_LIST(nomen_sum(x, .dim = "T"), one)), NOMEN_ERROR_NAME);
    REFUSED(nomen_index_put(x, NOMEN_LIST(nomen_sum(x, .dim = "T"), one), x), NOMEN_ERROR_NAME);
    assert_true(nomen_item(nomen_sum(x)) == 6);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void pairs_of_names(void **unused) {
    (void)unused;
    static const struct {
        const char *map, *first, *second; /* first NULL: it is refused */
    } cases[] = {
        {"N=A", "A", "C"},       {" N=A  C=B ", "A", "B"}, {"N=C C=N", "C", "N"},
        {"", "N", "C"},          {"   ", "N", "C"},        {"N=", NULL, NULL},
        {"=A", NULL, NULL},      {"N A", NULL, NULL},      {"N=A =", NULL, NULL},
        {"1N=A", NULL, NULL},    {"N=1A", NULL, NULL},     {"T=A", NULL, NULL},
        {"N=A N=B", NULL, NULL},
    };
    nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 3));
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        nomen_tensor *r = nomen_rename(x, .map = cases[i].map);
        if (!cases[i].first) {
            refused(!r, 0, cases[i].map);
            continue;
        }
        if (!r) fail_msg("'%s': %s", cases[i].map, nomen_error_text());
        assert_string_equal(nomen_name_of(r, 0), cases[i].first);
        assert_string_equal(nomen_name_of(r, 1), cases[i].second);
    }
    char many[65 * 8] = "", pair[16];
    for (int i = 0; i <= 64; i++) {
        snprintf(pair, sizeof pair, "N%d=A ", i);
        strcat(many, pair);
    }
    REFUSED(nomen_rename(x, .map = many), NOMEN_ERROR_VALUE);
}

static void dims_that_are_no_text(void **unused) {
    (void)unused;
    nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 3));
    static const char *const wrong[] = {
        "", "-", "- 1", "1x", "--1", "x1", "9", "-3", "99999999999999999999"};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        refused(nomen_size(x, wrong[i]) == -1, 0, wrong[i]);
        refused(nomen_stride(x, wrong[i]) == -1, 0, wrong[i]);
    }
    assert_int_equal(nomen_size(x, "-1"), 3);
    assert_int_equal(nomen_stride(x, "-2"), 3);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void errors_of_others(void **unused) {
    (void)unused;
    FAILS(nomen_raise(NOMEN_ERROR_STATE, "mine"), NOMEN_ERROR_STATE);
    assert_int_equal(nomen_raise(NOMEN_ERROR_STATE, NULL), NOMEN_ERROR_STATE);
    nomen_clear_error();
    nomen__fail(NOMEN_ERROR_VALUE, "add: is said already");
    nomen__error_context("add", "x=1");
    nomen__error_context("mul", "y=1"); /* the first one has it */
    nomen__hint(NOMEN_ERROR_VALUE, "first");
    nomen__hint(NOMEN_ERROR_VALUE, "second");
    assert_string_equal(nomen_error_text(), "add: is said already (x=1); hint: first");
    nomen_clear_error();
    nomen__fail(NOMEN_ERROR_VALUE, "first");
    nomen__fail(NOMEN_ERROR_TYPE, "second");
    nomen__error_context("mul", "z");
    nomen__error_drop(); /* the first error is another's */
    assert_true(nomen__error_pending());
    assert_string_equal(nomen_error_text(), "first");
    nomen_clear_error();
    nomen__fail(NOMEN_ERROR_VALUE, "%0*d", 5000, 7);
    nomen__error_context(NULL, NULL);
    size_t length = strlen(nomen_error_text());
    assert_true(length < 1100 && !strcmp(nomen_error_text() + length - 3, "..."));
    nomen__error_drop();
    nomen_clear_error();
    char none[1];
    nomen__text t = {none, 0, 0};
    nomen__text_add(&t, "%d", 5);
    assert_int_equal(t.used, 0);
    char few[4];
    t = (nomen__text){few, sizeof few, 0};
    nomen__text_add(&t, "%s", "abcdef");
    nomen__text_add(&t, "%s", "g");
    assert_int_equal(strlen(few), 3);
    for (int code = 3; code > -40; code--) assert_non_null(nomen_status_name((nomen_status)code));
}

/* ---- structs --------------------------------------------------------------------------------- */

static void no_struct(void **unused) {
    (void)unused;
    for (int i = 0; i < nomen__op_count; i++) {
        const nomen__op *op = &nomen__ops[i];
        if (op->list) {
            assert_int_equal(nomen__call_struct_list(op, NULL).count, 0);
        } else if (op->truth) {
            assert_false(nomen__call_struct_bool(op, NULL));
        } else {
            assert_null(nomen__call_struct(op, NULL, false));
        }
        refused(true, NOMEN_ERROR_TYPE, op->name);
    }
}

static void backward_of_nothing(void **unused) {
    (void)unused;
    nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(2)), *y = nomen_ones("N", NOMEN_SIZES(2));
    nomen_set_requires_grad(x, true);
    nomen_tensor *loss = nomen_sum(nomen_mul(x, x)), *z = nomen_clone(y);
    nomen_set_requires_grad(z, true);
    nomen_list none = {0, NULL}, gap = NOMEN_LIST(NULL);
    assert_true(nomen_backward(NULL) != NOMEN_OK);
    nomen_clear_error();
    assert_true(nomen_backward(loss, .inputs = gap) != NOMEN_OK);
    nomen_clear_error();
    FAILS(nomen_backward(y, .gradient = y), NOMEN_ERROR_GRAD);
    FAILS(nomen_backward(loss, .gradient = y), NOMEN_ERROR_SHAPE);
    FAILS(nomen_backward(nomen_mul(x, x)), NOMEN_ERROR_GRAD);
    assert_int_equal(nomen_grad(none, none).count, 0);
    nomen_clear_error();
    assert_int_equal(nomen_grad(NOMEN_LIST(loss), gap).count, 0);
    nomen_clear_error();
    assert_int_equal(nomen_grad(gap, NOMEN_LIST(x)).count, 0);
    nomen_clear_error();
    assert_int_equal(nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(y)).count, 0);
    nomen_clear_error();
    assert_int_equal(nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(x), NOMEN_LIST(y)).count, 0);
    nomen_clear_error();
    assert_int_equal(nomen_grad(NOMEN_LIST(loss, loss), NOMEN_LIST(x), NOMEN_LIST(NULL)).count, 0);
    nomen_clear_error();
    nomen_list got = nomen_grad(NOMEN_LIST(loss), NOMEN_LIST(x, z), NOMEN_LIST(NULL),
                                .allow_unused = true, .retain_graph = true);
    assert_true(got.count == 2 && got.at[0] && !got.at[1]);
    FAILS(nomen_set_gradient(x, nomen_ones(NULL, NOMEN_SIZES(3))), NOMEN_ERROR_SHAPE);
    FAILS(nomen_set_gradient(x, nomen_ones("C", NOMEN_SIZES(2))), NOMEN_ERROR_NAME);
    FAILS(nomen_set_gradient(x, nomen_ones(NULL, NOMEN_SIZES(2), .dtype = NOMEN_F64)),
          NOMEN_ERROR_SHAPE);
    DENIED(nomen_set_requires_grad(nomen_ones(NULL, NOMEN_SIZES(2), .dtype = NOMEN_I64), true));
    DENIED(nomen_set_requires_grad(loss, false));
    DENIED(nomen_retain_grad(y));
    assert_int_equal(nomen_retain_grad(x), NOMEN_OK);
    assert_int_equal(nomen_retain_grad(loss), NOMEN_OK);
    assert_true(nomen_retains_grad(loss) && !nomen_retains_grad(x) && !nomen_retains_grad(y));
    assert_int_equal(nomen_detach_(x), NOMEN_OK);
    assert_int_equal(nomen_detach_(loss), NOMEN_OK);
    DENIED(nomen_detach_(nomen_select(nomen_mul(y, y), "N", 0)));
}

static void hooks(void **unused) {
    (void)unused;
    nomen_scope() {
        nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(2));
        nomen_set_requires_grad(x, true);
        uint64_t one = nomen_register_hook(x, pass, NULL, NULL);
        uint64_t two = nomen_register_post_accumulate_grad_hook(x, after, NULL, NULL);
        uint64_t none = nomen_register_hook(x, pass, x, NULL);
        assert_true(one && two && none);
        assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, x))), NOMEN_OK);
        assert_true(nomen_remove_hook(x, two) && nomen_remove_hook(x, one));
        assert_false(nomen_remove_hook(x, one) || nomen_remove_hook(x, 99999));
        assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, x))), NOMEN_OK);
    }
}

/* ---- settings -------------------------------------------------------------------------------- */

static void settings(void **unused) {
    (void)unused;
    FAILS(nomen_set_num_threads(0), NOMEN_ERROR_VALUE);
    FAILS(nomen_set_num_threads(1025), NOMEN_ERROR_VALUE);
    FAILS(nomen_set_default_dtype(NOMEN_I64), NOMEN_ERROR_TYPE);
    FAILS(nomen_set_default_dtype(99), NOMEN_ERROR_TYPE);
    assert_true(nomen_set_blas("no such blas") != NOMEN_OK);
    nomen_clear_error();
    assert_true(nomen_set_blas(NULL) != NOMEN_OK || nomen_get_blas());
    nomen_clear_error();
    assert_true(nomen_synchronize("nowhere") != NOMEN_OK);
    nomen_clear_error();
    const char *devices[] = {"",
                             ":",
                             "mock:",
                             "mock:x",
                             "mock:1x",
                             "mock:00",
                             "Mock",
                             "mock:9",
                             "1mock",
                             "mo-ck",
                             "cpu:1",
                             "mock:99999",
                             "mock ",
                             "_mock",
                             "cuda",
                             "cuda:1",
                             "cpux",
                             "cud",
                             "a_type_with_a_name_that_is_much_too_long_to_be_one:0"};
    nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(2));
    for (size_t i = 0; i < NOMEN_COUNT(devices); i++) {
        assert_null(nomen_to(x, .device = devices[i]));
        refused(true, NOMEN_ERROR_DEVICE, devices[i]);
        assert_true(nomen_device_count(devices[i]) <= 2);
        nomen_clear_error();
    }
    assert_non_null(nomen_to(x, .device = "cpu:0"));
    nomen_print_options o = nomen_get_print_options();
    const nomen_print_options wrong[] = {
        {-1, 3, 80, -1, 1000}, {101, 3, 80, -1, 1000}, {4, 0, 80, -1, 1000}, {4, 3, 0, -1, 1000},
        {4, 3, 80, -2, 1000},  {4, 3, 80, 2, 1000},    {4, 3, 80, -1, -1}};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++)
        FAILS(nomen_set_print_options(&wrong[i]), NOMEN_ERROR_VALUE);
    assert_int_equal(nomen_get_print_options().precision, o.precision);
}

static void states_of_generators(void **unused) {
    (void)unused;
    unsigned char state[20000];
    nomen_generator *g = nomen_generator_new(3);
    size_t size = nomen_generator_get_state(g, NULL, 0);
    assert_true(size > 0 && size <= sizeof state);
    assert_int_equal(nomen_generator_get_state(g, state, 3), size);
    assert_int_equal(nomen_generator_get_state(g, state, sizeof state), size);
    for (size_t i = 0; i < size; i += 1 + i / 40) {
        state[i] ^= 0x55;
        assert_int_equal(nomen_generator_set_state(g, state, size), NOMEN_ERROR_VALUE);
        nomen_clear_error();
        state[i] ^= 0x55;
    }
    assert_int_equal(nomen_generator_set_state(g, state, size - 1), NOMEN_ERROR_VALUE);
    nomen_clear_error();
    assert_int_equal(nomen_generator_set_state(g, NULL, size), NOMEN_ERROR_VALUE);
    nomen_clear_error();
    assert_int_equal(nomen_generator_set_state(g, state, size), NOMEN_OK);
    nomen_generator_free(&g);
    assert_null(g);
}

static void names_inferred_of_nothing(void **unused) {
    (void)unused;
    char result[64];
    const char *operands[] = {"N C", "N C"}, *many[99] = {"N"};
    nomen_infer_args args = {.op = "add", .operands = operands, .count = 2};
    assert_int_equal(nomen_infer(&args, result, sizeof result), NOMEN_OK);
    assert_true(nomen_infer(NULL, result, sizeof result) != NOMEN_OK);
    assert_true(nomen_infer(&args, result, 2) != NOMEN_OK);
    const nomen_infer_args wrong[] = {
        {.op = NULL, .operands = operands, .count = 2},
        {.op = "nothing", .operands = operands, .count = 2},
        {.op = "add", .operands = operands, .count = -1},
        {.op = "add", .operands = operands, .count = 0},
        {.op = "add", .operands = NULL, .count = 2},
        {.op = "stack", .operands = many, .count = 99},
        {.op = "sum", .operands = operands, .count = 1, .dim = "Q"},
        {.op = "sum", .operands = operands, .count = 1, .dim = "5"},
        {.op = "add", .operands = operands, .count = 2, .out = "9"},
        {.op = "rename", .operands = operands, .count = 1, .names = "A A"},
        {.op = "unsqueeze", .operands = operands, .count = 1, .dim = "9"},
        {.op = "flatten", .operands = operands, .count = 1, .dim = "N", .out_dim = "9"},
        {.op = "einsum", .operands = operands, .count = 2, .equation = "->->"}};
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        if (nomen_infer(&wrong[i], result, sizeof result) == NOMEN_OK) fail_msg("%zu", i);
        nomen_clear_error();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(null_is_refused, fresh),
        cmocka_unit_test_setup(questions_about_nothing, fresh),
        cmocka_unit_test_setup(freed_tensors, fresh),
        cmocka_unit_test_setup(scopes_out_of_order, fresh),
        cmocka_unit_test_setup(scalars, fresh),
        cmocka_unit_test_setup(dims_in_text, fresh),
        cmocka_unit_test_setup(foreign_memory, fresh),
        cmocka_unit_test_setup(parts_of_a_storage, fresh),
        cmocka_unit_test_setup(parts_that_are_askew, fresh),
        cmocka_unit_test_setup(gaps_in_indices, fresh),
        cmocka_unit_test_setup(pairs_of_names, fresh),
        cmocka_unit_test_setup(dims_that_are_no_text, fresh),
        cmocka_unit_test_setup(errors_of_others, fresh),
        cmocka_unit_test_setup(no_struct, fresh),
        cmocka_unit_test_setup(backward_of_nothing, fresh),
        cmocka_unit_test_setup(hooks, fresh),
        cmocka_unit_test_setup(settings, fresh),
        cmocka_unit_test_setup(states_of_generators, fresh),
        cmocka_unit_test_setup(names_inferred_of_nothing, fresh),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
