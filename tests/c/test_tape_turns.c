/* Turns of the tape that few programs take: hooks that remove and register each other, views whose
 * base has changed its values, leaves with gradients that nobody may add into, graphs that hold
 * graphs. What every program does is in test_autograd.c. */
#include "core/core.h"
#include "nomen/exchange.h"
#include "nomen/grad.h"
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int64_t tensors_before, metadata_before;

static int start(void **state) {
    (void)state;
    nomen_clear_error();
    nomen_thread_end();
    nomen_memory_stats m = nomen_get_memory_stats();
    tensors_before = m.tensors_live;
    metadata_before = m.metadata_live;
    return 0;
}

/* Nothing may be left: no header, no node. */
static int finish(void **state) {
    (void)state;
    nomen_thread_end();
    nomen_memory_stats m = nomen_get_memory_stats();
    if (m.tensors_live == tensors_before && m.metadata_live == metadata_before) return 0;
    print_error("left: %lld tensors, %lld bytes of metadata\n",
                (long long)(m.tensors_live - tensors_before),
                (long long)(m.metadata_live - metadata_before));
    return -1;
}

static nomen_tensor *leaf(double a, double b, double c) {
    nomen_tensor *t = nomen_zeros("N", NOMEN_SIZES(3), .dtype = NOMEN_F64);
    memcpy(nomen_data(t), (double[]){a, b, c}, 3 * sizeof(double));
    assert_int_equal(nomen_set_requires_grad(t, true), NOMEN_OK);
    return t;
}

static nomen_tensor *times(nomen_tensor *t, double factor) {
    return nomen_mul(t, nomen_scalar(factor));
}

static void values_are(nomen_tensor *t, double a, double b, double c) {
    assert_non_null(t);
    t = nomen_contiguous(nomen_detach(t));
    const double *have = nomen_data(t);
    assert_int_equal(nomen_numel(t), 3);
    if (have[0] != a || have[1] != b || have[2] != c)
        fail_msg("%g %g %g, not %g %g %g", have[0], have[1], have[2], a, b, c);
}

static void expect_error(nomen_status code, const char *text) {
    const nomen_error *e = nomen_last_error();
    assert_non_null(e);
    if (e->code != code || !strstr(e->message, text)) fail_msg("%d: %s", e->code, e->message);
    nomen_clear_error();
}

/* ---- hooks ----------------------------------------------------------------------------------- */

typedef struct caller {
    int calls, freed;
    nomen_tensor *of; /* whose hook `handle` is to be removed, twice */
    uint64_t handle;
    bool first, again;   /* what removing it said */
    struct caller *more; /* is registered in each call */
    nomen_status answer;
    nomen_tensor *instead;
} caller;

static void note_freed(void *payload) { ((caller *)payload)->freed++; }

static nomen_status on_leaf(void *payload, nomen_tensor *g);

static nomen_status on_gradient(void *payload, nomen_tensor *g, nomen_tensor **replacement) {
    caller *c = payload;
    (void)g;
    c->calls++;
    if (c->handle) {
        c->first = nomen_remove_hook(c->of, c->handle);
        c->again = nomen_remove_hook(c->of, c->handle);
    }
    if (c->more) (void)nomen_register_hook(c->of, on_gradient, c->more, note_freed);
    if (c->instead) *replacement = c->instead;
    return c->answer ? nomen_raise(c->answer, NULL) : NOMEN_OK;
}

static nomen_status on_leaf(void *payload, nomen_tensor *g) {
    caller *c = payload;
    (void)g;
    c->calls++;
    if (c->handle) {
        c->first = nomen_remove_hook(c->of, c->handle);
        c->again = nomen_remove_hook(c->of, c->handle);
    }
    if (c->more)
        (void)nomen_register_post_accumulate_grad_hook(c->of, on_leaf, c->more, note_freed);
    return c->answer ? nomen_raise(c->answer, "enough") : NOMEN_OK;
}

static nomen_status go_back(nomen_tensor *x) { return nomen_backward(nomen_sum(times(x, 2))); }

/* While hooks run, one that is removed is gone, the second time too, of whichever kind it is. */
static void removed_by_a_hook(void **state) {
    (void)state;
    caller first = {0}, victim = {0}, last = {0}, late = {0};
    nomen_scope() {
        nomen_tensor *x = leaf(1, 2, 3);
        first.of = last.of = x;
        assert_true(nomen_register_hook(x, on_gradient, &first, note_freed) != 0);
        first.handle = nomen_register_hook(x, on_gradient, &victim, note_freed);
        assert_int_equal(go_back(x), NOMEN_OK);
        assert_true(first.first && !first.again);
        assert_true(victim.calls == 0 && victim.freed == 1);
        /* one that waits for the sum, from one that sees what comes */
        first.handle = nomen_register_post_accumulate_grad_hook(x, on_leaf, &late, note_freed);
        assert_int_equal(go_back(x), NOMEN_OK);
        assert_true(first.first && !first.again);
        assert_true(late.calls == 0 && late.freed == 1);
        /* and among those that wait for the sum */
        first.handle = 0;
        assert_true(nomen_register_post_accumulate_grad_hook(x, on_leaf, &last, note_freed) != 0);
        last.handle = nomen_register_post_accumulate_grad_hook(x, on_leaf, &late, note_freed);
        assert_int_equal(go_back(x), NOMEN_OK);
        assert_true(last.first && !last.again);
        assert_true(late.calls == 0 && late.freed == 2);
        assert_true(first.calls == 3 && last.calls == 1);
    }
    nomen_thread_end();
    assert_true(first.freed == 1 && last.freed == 1);
}

/* They wait for the next time, or hooks that register hooks would never end. */
static void registered_by_a_hook(void **state) {
    (void)state;
    caller first = {0}, then = {0}, late = {0}, later = {0};
    nomen_scope() {
        nomen_tensor *x = leaf(1, 2, 3);
        first.of = late.of = x;
        first.more = &then;
        late.more = &later;
        assert_true(nomen_register_hook(x, on_gradient, &first, note_freed) != 0);
        assert_true(nomen_register_post_accumulate_grad_hook(x, on_leaf, &late, note_freed) != 0);
        assert_int_equal(go_back(x), NOMEN_OK);
        assert_true(first.calls == 1 && then.calls == 0 && late.calls == 1 && later.calls == 0);
        first.more = late.more = NULL;
        assert_int_equal(go_back(x), NOMEN_OK);
        assert_true(first.calls == 2 && then.calls == 1 && late.calls == 2 && later.calls == 1);
    }
    nomen_thread_end();
    assert_true(first.freed == 1 && then.freed == 1 && late.freed == 1 && later.freed == 1);
}

/* Those behind one that fails are not called. */
static void behind_one_that_fails(void **state) {
    (void)state;
    nomen_tensor *x = leaf(1, 2, 3);
    caller no = {.answer = NOMEN_ERROR_VALUE}, behind = {0}, end = {.answer = NOMEN_ERROR_STATE},
           behind_it = {0};
    uint64_t handle = nomen_register_hook(x, on_gradient, &no, NULL);
    assert_true(nomen_register_hook(x, on_gradient, &behind, NULL) != 0);
    assert_true(nomen_register_post_accumulate_grad_hook(x, on_leaf, &end, NULL) != 0);
    assert_true(nomen_register_post_accumulate_grad_hook(x, on_leaf, &behind_it, NULL) != 0);
    assert_int_equal(go_back(x), NOMEN_ERROR_VALUE);
    expect_error(NOMEN_ERROR_VALUE, "");
    assert_true(no.calls == 1 && behind.calls == 0 && end.calls == 0);
    assert_null(nomen_gradient(x));
    assert_true(nomen_remove_hook(x, handle));
    assert_int_equal(go_back(x), NOMEN_ERROR_STATE);
    expect_error(NOMEN_ERROR_STATE, "enough");
    assert_true(behind.calls == 1 && end.calls == 1 && behind_it.calls == 0);
    values_are(nomen_gradient(x), 2, 2, 2); /* it was there before they were asked */
}

/* Sizes, rank and dtype of a gradient are not the hook's to choose. */
static void replacements_that_do_not_fit(void **state) {
    (void)state;
    nomen_tensor *const wrong[] = {
        nomen_ones(NULL, NOMEN_SIZES(4), .dtype = NOMEN_F64),
        nomen_ones(NULL, NOMEN_SIZES(1, 3), .dtype = NOMEN_F64),
        nomen_ones(NULL, NOMEN_SIZES(3), .dtype = NOMEN_F32),
    };
    for (size_t i = 0; i < NOMEN_COUNT(wrong); i++) {
        nomen_tensor *x = leaf(1, 2, 3), *y = times(x, 2);
        caller c = {.instead = wrong[i]};
        assert_true(nomen_register_hook(y, on_gradient, &c, NULL) != 0);
        assert_int_equal(nomen_backward(nomen_sum(y)), NOMEN_ERROR_SHAPE);
        expect_error(NOMEN_ERROR_SHAPE, "keep sizes and dtype");
        assert_null(nomen_gradient(x));
        c.instead = nomen_detach(nomen_ones(NULL, NOMEN_SIZES(3), .dtype = NOMEN_F64));
        assert_int_equal(go_back(y), NOMEN_OK);
        values_are(nomen_gradient(x), 2, 2, 2);
    }
}

/* A leaf that got data of another rank: the hook sees gradients of the new one. */
static void hooks_of_leaves_with_other_data(void **state) {
    (void)state;
    nomen_tensor *x = leaf(1, 2, 3), *data = nomen_ones("A B", NOMEN_SIZES(2, 2));
    caller c = {0};
    assert_int_equal(nomen__tensor_become(x, nomen_cast(data, NOMEN_F64)), NOMEN_OK);
    assert_true(nomen_register_hook(x, on_gradient, &c, NULL) != 0);
    assert_int_equal(go_back(x), NOMEN_OK);
    assert_int_equal(c.calls, 1);
    nomen_tensor *g = nomen_gradient(x);
    assert_true(nomen_ndim(g) == 2 && nomen_numel(g) == 4);
    assert_string_equal(nomen_name_of(g, 1), "B");
    assert_true(nomen_item(nomen_sum(g)) == 8);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* The parts of complex numbers are no view that the tape could follow once the numbers have changed
 * in place: whoever asks for more than a look is told so. */
static void parts_of_what_has_changed(void **state) {
    (void)state;
    static const char text[] = "a view of another dtype";
    nomen_tensor *x = leaf(1, 2, 3), *y = nomen_complex(x, times(x, 2));
    nomen_tensor *part = nomen_view_as_real(y);
    caller c = {0};
    assert_true(nomen_requires_grad(part));
    assert_non_null(nomen_mul_(y, nomen_scalar(2)));
    assert_true(nomen_register_hook(part, on_gradient, &c, note_freed) == 0);
    expect_error(NOMEN_ERROR_GRAD, text);
    assert_int_equal(c.freed, 1);
    assert_true(nomen_register_hook(part, on_gradient, &c, NULL) == 0);
    expect_error(NOMEN_ERROR_GRAD, text);
    assert_int_equal(c.freed, 1);
    assert_int_equal(nomen_set_requires_grad(part, true), NOMEN_ERROR_GRAD);
    expect_error(NOMEN_ERROR_GRAD, text);
    assert_int_equal(nomen_retain_grad(part), NOMEN_ERROR_GRAD);
    expect_error(NOMEN_ERROR_GRAD, text);
    assert_int_equal(nomen_backward(part, .gradient = nomen_ones_like(nomen_detach(part))),
                     NOMEN_ERROR_GRAD);
    expect_error(NOMEN_ERROR_GRAD, text);
    assert_int_equal(nomen_grad(NOMEN_LIST(nomen_sum(x)), NOMEN_LIST(part)).count, 0);
    expect_error(NOMEN_ERROR_GRAD, text);
    assert_null(times(part, 2));
    expect_error(NOMEN_ERROR_GRAD, text);
    (void)nomen_requires_grad(part); /* a question leaves no error */
    (void)nomen_is_leaf(part);
    assert_null(nomen_last_error());
    nomen_no_grad() assert_non_null(times(part, 2));
}

/* A dim of size 1 may be walked with any step, left out, or made anew: its gradient is a view. */
static void views_of_one_element(void **state) {
    (void)state;
    nomen_tensor *x = leaf(1, 2, 3), *row = nomen_unsqueeze(x, "0");
    nomen_tensor *y = nomen_slice(row, .dim = "0", .step = nomen_num(2));
    if (nomen_backward(nomen_sum(nomen_mul(y, x)))) fail_msg("%s", nomen_error_text());
    values_are(nomen_gradient(x), 2, 4, 6);
    nomen_zero_grad(x);
    y = nomen_select(nomen_slice(row, .dim = "N", .start = nomen_num(0), .end = nomen_num(3)), "0",
                     -1);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(y, y))), NOMEN_OK);
    values_are(nomen_gradient(x), 2, 4, 6);
    nomen_zero_grad(x);
    y = nomen_slice(x, .dim = "N", .start = nomen_num(1), .end = nomen_num(3));
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(y, y))), NOMEN_OK);
    values_are(nomen_gradient(x), 0, 4, 6);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Gradients that cannot be added into in place are replaced by their sum. */
static void gradients_that_are_not_added_into(void **state) {
    (void)state;
    nomen_tensor *x = leaf(1, 2, 3), *one = nomen_ones(NULL, NOMEN_SIZES(1), .dtype = NOMEN_F64);
    static double fixed[] = {1, 2, 3};
    /* the same number three times in memory */
    nomen_tensor *spread = nomen_expand(one, NOMEN_SIZES(3));
    assert_int_equal(nomen_set_gradient(x, spread), NOMEN_OK);
    assert_int_equal(go_back(x), NOMEN_OK);
    values_are(nomen_gradient(x), 3, 3, 3);
    values_are(spread, 1, 1, 1);
    /* memory that nobody may write to */
    nomen_tensor *constant = nomen_from_data(fixed, NOMEN_F64, NULL, NOMEN_SIZES(3), NULL, NULL);
    constant->storage->readonly = true;
    assert_int_equal(nomen_set_gradient(x, constant), NOMEN_OK);
    assert_int_equal(go_back(x), NOMEN_OK);
    values_are(nomen_gradient(x), 3, 4, 5);
    assert_true(fixed[0] == 1 && fixed[2] == 3);
    /* one with a history of its own */
    nomen_tensor *w = leaf(1, 1, 1), *known = times(w, 5);
    assert_int_equal(nomen_set_gradient(x, known), NOMEN_OK);
    assert_int_equal(go_back(x), NOMEN_OK);
    values_are(nomen_gradient(x), 7, 7, 7);
    values_are(known, 5, 5, 5);
    /* and any, where gradients are recorded */
    nomen_tensor *before = nomen_detach(nomen_zeros(NULL, NOMEN_SIZES(3), .dtype = NOMEN_F64));
    assert_int_equal(nomen_set_gradient(x, before), NOMEN_OK);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, x)), .create_graph = true), NOMEN_OK);
    assert_int_equal(nomen_backward(nomen_sum(nomen_mul(x, x)), .create_graph = true), NOMEN_OK);
    values_are(nomen_gradient(x), 4, 8, 12);
    values_are(before, 0, 0, 0);
    nomen_list second = nomen_grad(NOMEN_LIST(nomen_sum(nomen_gradient(x))), NOMEN_LIST(x));
    values_are(second.at[0], 4, 4, 4);
    nomen_zero_grad(x); /* its history leads to x itself */
}

/* A leaf that got data of another rank and still has its old gradient. */
static void old_gradients_of_other_sizes(void **state) {
    (void)state;
    nomen_tensor *x = leaf(1, 2, 3);
    assert_int_equal(go_back(x), NOMEN_OK);
    nomen_tensor *data = nomen_ones("A B", NOMEN_SIZES(2, 3), .dtype = NOMEN_F64);
    assert_int_equal(nomen__tensor_become(x, data), NOMEN_OK);
    values_are(nomen_gradient(x), 2, 2, 2); /* as it is: its names are not those of x now */
    assert_int_equal(go_back(x), NOMEN_OK);
    assert_int_equal(nomen_ndim(nomen_gradient(x)), 2);
    assert_true(nomen_item(nomen_sum(nomen_gradient(x))) == 24);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* What a node keeps for the user may have a history, which dies with it. */
static void graphs_in_graphs(void **state) {
    (void)state;
    nomen_scope() {
        nomen_tensor *x = leaf(1, 2, 3), *y = nomen_mul(x, x), *z = nomen_mul(y, y);
        assert_int_equal(nomen_retain_grad(y), NOMEN_OK);
        assert_int_equal(nomen_retain_grad(z), NOMEN_OK);
        assert_int_equal(nomen_backward(nomen_sum(z), .create_graph = true), NOMEN_OK);
        values_are(nomen_gradient(y), 2, 8, 18);
        values_are(nomen_gradient(x), 4, 32, 108);
        assert_true(nomen_requires_grad(nomen_gradient(y)));
        /* once more: what was kept is added to */
        assert_int_equal(nomen_backward(nomen_sum(z), .create_graph = true), NOMEN_OK);
        values_are(nomen_gradient(y), 4, 16, 36);
        nomen_zero_grad(x); /* these lead to where they lie */
        nomen_zero_grad(y);
        nomen_zero_grad(z);
    }
    nomen_scope() {
        nomen_tensor *x = leaf(1, 2, 3), *w = leaf(4, 5, 6), *y = times(x, 2);
        assert_int_equal(nomen_retain_grad(y), NOMEN_OK);
        assert_int_equal(nomen_backward(nomen_sum(nomen_mul(y, w)), .create_graph = true),
                         NOMEN_OK);
        values_are(nomen_gradient(y), 4, 5, 6);
        nomen_zero_grad(w);
    } /* y's node is buried with its gradient, and with the nodes behind that */
}

static nomen_status change(void *payload, nomen_tensor *g, nomen_tensor **replacement) {
    (void)g;
    (void)replacement;
    nomen_tensor *r = NULL;
    nomen_enable_grad() r = nomen_mul_(payload, nomen_scalar(2));
    return r ? NOMEN_OK : NOMEN_ERROR_STATE;
}

/* A hook may change an input of grad() in place: its new value was not used. */
static void inputs_that_change_on_the_way(void **state) {
    (void)state;
    for (int allowed = 0; allowed < 2; allowed++) {
        nomen_tensor *x = leaf(1, 2, 3), *y = nomen_mul(x, x), *z = times(y, 3);
        assert_true(nomen_register_hook(z, change, y, NULL) != 0);
        nomen_list l =
            nomen_grad(NOMEN_LIST(nomen_sum(z)), NOMEN_LIST(y, x), .allow_unused = allowed);
        if (allowed) {
            assert_int_equal(l.count, 2);
            assert_null(l.at[0]);
            values_are(l.at[1], 6, 12, 18);
        } else {
            assert_int_equal(l.count, 0);
            expect_error(NOMEN_ERROR_GRAD, "appears to not have been used");
        }
    }
}

static void names_of_functions(void **state) {
    (void)state;
    char text[40];
    nomen_tensor *x = leaf(1, 2, 3), *y = nomen_log_softmax(x, "N");
    assert_null(nomen_grad_fn_name(x, text, sizeof text));
    assert_null(nomen_grad_fn_name(y, text, 0));
    assert_string_equal(nomen_grad_fn_name(y, text, sizeof text), "LogSoftmaxBackward0");
    assert_string_equal(nomen_grad_fn_name(y, text, 6), "LogSo");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(removed_by_a_hook),
        TEST(registered_by_a_hook),
        TEST(behind_one_that_fails),
        TEST(replacements_that_do_not_fit),
        TEST(hooks_of_leaves_with_other_data),
        TEST(parts_of_what_has_changed),
        TEST(views_of_one_element),
        TEST(gradients_that_are_not_added_into),
        TEST(old_gradients_of_other_sizes),
        TEST(graphs_in_graphs),
        TEST(inputs_that_change_on_the_way),
        TEST(names_of_functions),
    };
    return cmocka_run_group_tests_name("tape_turns", tests, NULL, NULL);
}
