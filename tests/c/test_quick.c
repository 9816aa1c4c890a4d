/* The short way of small calls gives what the pipeline gives: every row that has one, every dtype,
 * names and none. */
#include "nomen/nomen.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The same call by the long way: an out= keeps it off the short one. */
static nomen_tensor *long_way(const nomen__op *op, nomen_tensor *a, nomen_tensor *b,
                              nomen_dtype result) {
    nomen__call c;
    nomen__call_begin(&c, op);
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    c.given = (1u << op->lead) - 1;
    nomen_tensor *out = nomen__tensor_empty(result, 0, NULL);
    c.out[0] = out;
    assert_int_equal(nomen__invoke(&c), NOMEN_OK);
    nomen__release(out);
    return c.out[0];
}

static nomen_tensor *numbers_from(double low, const char *names, nomen_sizes sizes, nomen_dtype d) {
    nomen_tensor *t = nomen_to(nomen_add(nomen_rand(names, sizes), nomen_scalar(low)), d);
    assert_non_null(t);
    return t;
}

static int compare(const nomen__op *op, nomen_tensor *a, nomen_tensor *b) {
    nomen_tensor *quick = nomen__quick(op, a, op->lead == 2 ? b : NULL);
    if (!quick) return 0;
    nomen_tensor *slow = long_way(op, a, b, (nomen_dtype)quick->dtype);
    assert_int_equal(quick->dtype, slow->dtype);
    assert_int_equal(quick->ndim, slow->ndim);
    assert_memory_equal(quick->data, slow->data,
                        (size_t)quick->numel * nomen_dtype_size((nomen_dtype)quick->dtype));
    assert_int_equal(nomen_has_names(quick), nomen_has_names(a));
    for (int i = 0; i < quick->ndim; i++) assert_int_equal(quick->size[i], slow->size[i]);
    for (int i = 0; i < quick->ndim; i++)
        assert_int_equal(nomen__name_at(quick, i), nomen__name_at(slow, i));
    nomen__release(slow);
    /* the dtype is the one that the pipeline chooses by itself: a view is never whole and
     * contiguous, so it walks */
    nomen_tensor *many = a->ndim ? a : nomen_expand(a, NOMEN_SIZES(5));
    nomen_tensor *view = many->ndim < 2
                             ? nomen_expand(nomen_narrow(many, "0", 0, 1), NOMEN_SIZES(5))
                             : nomen_transpose(nomen_clone(nomen_transpose(many, "0", "1"),
                                                           .memory_format = "contiguous_format"),
                                               "0", "1");
    assert_false(view->flags & NOMEN__CONTIGUOUS);
    nomen__call c;
    nomen__call_begin(&c, op);
    c.arg[0].tensor = view;
    c.arg[1].tensor = b;
    c.given = (1u << op->lead) - 1;
    assert_int_equal(nomen__invoke(&c), NOMEN_OK);
    assert_int_equal(c.out[0]->dtype, quick->dtype);
    nomen__release(c.out[0]);
    nomen__release(quick);
    return 1;
}

static int compare_row(const nomen__op *op, const char *names, nomen_dtype dtype) {
    nomen_sizes sizes = NOMEN_SIZES(3, 5);
    return compare(op, numbers_from(0.5, names, sizes, dtype),
                   numbers_from(1.5, names, sizes, dtype));
}

/* A tensor, and one with its last dims or a number for each of its rows, on either side. */
static int compare_pieces(const nomen__op *op, bool named, nomen_dtype dtype) {
    nomen_tensor *whole = numbers_from(0.5, named ? "T N C" : NULL, NOMEN_SIZES(4, 3, 5), dtype);
    nomen_tensor *pieces[] = {
        numbers_from(1.5, named ? "C" : NULL, NOMEN_SIZES(5), dtype),
        numbers_from(1.5, named ? "N C" : NULL, NOMEN_SIZES(3, 5), dtype),
        nomen_squeeze(numbers_from(1.5, NULL, NOMEN_SIZES(1), dtype)),
        numbers_from(1.5, named ? "T N C" : NULL, NOMEN_SIZES(4, 3, 1), dtype),
    };
    int compared = 0;
    for (int k = 0; k < 4; k++)
        compared += compare(op, whole, pieces[k]) + compare(op, pieces[k], whole);
    return compared;
}

static void same_as_the_pipeline(void **state) {
    (void)state;
    nomen_manual_seed(3);
    int rows = 0, compared = 0;
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (!op->quick) continue;
        rows++;
        for (int d = 1; d < NOMEN_DTYPE_COUNT; d++) nomen_scope() {
                compared += compare_row(op, NULL, (nomen_dtype)d);
                compared += compare_row(op, "N C", (nomen_dtype)d);
            }
    }
    assert_true(rows >= 25);
    assert_true(compared >= 10 * rows);
}

static void pieces_too(void **state) {
    (void)state;
    nomen_manual_seed(5);
    int rows = 0, compared = 0;
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (!op->quick || op->lead != 2) continue;
        rows++;
        for (int d = 1; d < NOMEN_DTYPE_COUNT; d++) nomen_scope() {
                compared += compare_pieces(op, false, (nomen_dtype)d);
                compared += compare_pieces(op, true, (nomen_dtype)d);
            }
    }
    assert_true(rows >= 10);
    assert_true(compared >= 20 * rows);
}

/* A tensor and a number, on either side, of every kind and dtype. */
static int compare_numbers(const nomen__op *op, nomen_dtype dtype) {
    nomen_tensor *x =
        nomen_to(nomen_add(nomen_rand("N C", NOMEN_SIZES(3, 5)), nomen_scalar(0.5)), dtype);
    nomen_tensor *numbers[] = {nomen_scalar(true), nomen_scalar(3), nomen_scalar(1.1)};
    int compared = 0;
    for (int k = 0; k < 6; k++) {
        nomen_tensor *a = k < 3 ? x : numbers[k - 3], *b = k < 3 ? numbers[k] : x;
        nomen_tensor *quick = nomen__quick(op, a, b);
        if (!quick) continue;
        nomen_tensor *slow = long_way(op, a, b, (nomen_dtype)quick->dtype);
        assert_int_equal(nomen__common_dtype((nomen_tensor *[]){a, b}, 2), dtype);
        assert_memory_equal(quick->data, slow->data,
                            (size_t)quick->numel * nomen_dtype_size((nomen_dtype)quick->dtype));
        for (int i = 0; i < 2; i++)
            assert_int_equal(nomen__name_at(quick, i), nomen__name_at(slow, i));
        nomen__release(quick);
        nomen__release(slow);
        compared++;
    }
    return compared;
}

static void numbers_too(void **state) {
    (void)state;
    nomen_manual_seed(4);
    int rows = 0, compared = 0;
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (!op->quick || op->lead != 2) continue;
        rows++;
        for (int d = 1; d < NOMEN_DTYPE_COUNT; d++)
            nomen_scope() compared += compare_numbers(op, (nomen_dtype)d);
    }
    assert_true(rows >= 10);
    assert_true(compared >= 20 * rows);
}

static uint32_t version_of(const nomen_tensor *t) { return t->storage->version; }

/* The same comes to lie in out=, and in the first operand, as one write. */
static void compare_three_into(const nomen__op *op, const nomen_tensor *operands[3],
                               const nomen_tensor *made) {
    const size_t bytes = (size_t)made->numel * nomen_dtype_size((nomen_dtype)made->dtype);
    nomen_tensor *out = nomen_clone((nomen_tensor *)made);
    const uint32_t before = version_of(out);
    memset(out->data, 1, bytes);
    assert_ptr_equal(nomen__quick_three(op, operands, NULL, out), out);
    assert_int_equal(version_of(out), before + 1);
    assert_memory_equal(out->data, made->data, bytes);
    assert_null(nomen__quick_three(op, operands, NULL, nomen_narrow(out, "0", 0, 2)));
    assert_null(nomen__quick_three(op, operands, NULL, nomen_rename(out, "C N")));
    if (made->dtype != NOMEN_C128)
        assert_null(nomen__quick_three(op, operands, NULL, nomen_to(out, NOMEN_C128)));
    if (op->three == NOMEN__THREE_CONDITION || operands[0]->flags & NOMEN__WRAPPED) return;
    nomen_tensor *self = nomen_clone((nomen_tensor *)operands[0]);
    const nomen_tensor *same[3] = {self, operands[1], operands[2]};
    assert_ptr_equal(nomen__quick_three(op, same, NULL, self), self);
    assert_memory_equal(self->data, made->data, bytes);
}

/* Three operands, of which some may be numbers: bit i of `how`, of which kind `kind`; `few`: which
 * of them has the last dim only, -1: none. */
static int compare_three(const nomen__op *op, nomen_dtype d, bool named, int how, int kind,
                         int few) {
    nomen_tensor *numbers[] = {nomen_scalar(true), nomen_scalar(2), nomen_scalar(0.75),
                               nomen_scalar((double)INFINITY), nomen_scalar((double)NAN)};
    const nomen_tensor *operands[3];
    nomen__call c;
    nomen__call_begin(&c, op);
    for (int i = 0; i < 3; i++) {
        const bool condition = i == 0 && op->three == NOMEN__THREE_CONDITION;
        const char *names = !named ? NULL : i == few ? "C" : "N C";
        const nomen_sizes sizes = i == few ? NOMEN_SIZES(5) : NOMEN_SIZES(3, 5);
        nomen_tensor *t = numbers_from(0.25 + i, names, sizes, condition ? NOMEN_F32 : d);
        if (condition) t = nomen_gt(t, nomen_scalar(0.75));
        if (how >> i & 1) t = numbers[kind];
        operands[i] = c.arg[i].tensor = t;
    }
    nomen_tensor *quick = nomen__quick_three(op, operands, NULL, NULL);
    if (!quick || quick->ndim < 2) { /* the others are numbers */
        nomen__release(quick);
        return 0;
    }
    c.given = 7;
    assert_int_equal(nomen__invoke(&c), NOMEN_OK);
    assert_int_equal(quick->dtype, c.out[0]->dtype);
    assert_true(nomen__has_sizes(quick, c.out[0]->ndim, c.out[0]->size));
    assert_memory_equal(quick->data, c.out[0]->data,
                        (size_t)quick->numel * nomen_dtype_size((nomen_dtype)quick->dtype));
    for (int i = 0; i < quick->ndim; i++)
        assert_int_equal(nomen__name_at(quick, i), nomen__name_at(c.out[0], i));
    compare_three_into(op, operands, quick);
    nomen__release(c.out[0]);
    nomen__release(quick);
    return 1;
}

static void three_operands(void **state) {
    (void)state;
    nomen_manual_seed(7);
    int rows = 0, compared = 0, pieces = 0;
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (!op->three) continue;
        rows++;
        for (int d = 1; d < NOMEN_DTYPE_COUNT; d++)
            for (int how = 0; how < 8; how++) nomen_scope() {
                    for (int kind = 0; kind < 5; kind++)
                        compared += compare_three(op, (nomen_dtype)d, false, how, kind, -1) +
                                    compare_three(op, (nomen_dtype)d, true, how, kind, -1);
                    for (int few = 0; few < 3; few++)
                        pieces += compare_three(op, (nomen_dtype)d, false, how, 0, few) +
                                  compare_three(op, (nomen_dtype)d, true, how, 0, few);
                }
    }
    assert_true(rows >= 5);
    assert_true(compared >= 40 * rows);
    assert_true(pieces >= 40 * rows);
    const nomen__op *lerp = nomen__op_find("lerp"), *where = nomen__op_find("where");
    nomen_scope() {
        nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 2)),
                     *y = nomen_ones("C", NOMEN_SIZES(2));
        nomen_tensor *bare = nomen_rename(x), *truth = nomen_gt(x, nomen_scalar(0));
        const nomen_number half[3] = {nomen_num(0.5), nomen_num(0.5), nomen_num(0.5)};
        assert_null(nomen__quick_three(lerp, (const nomen_tensor *[]){y, x, x}, NULL, NULL));
        assert_null(nomen__quick_three(lerp, (const nomen_tensor *[]){x, bare, x}, NULL, NULL));
        assert_null(
            nomen__quick_three(lerp, (const nomen_tensor *[]){NULL, NULL, NULL}, half, NULL));
        assert_null(nomen__quick_three(where, (const nomen_tensor *[]){x, x, x}, NULL, NULL));
        assert_null(nomen__quick_three(where, (const nomen_tensor *[]){NULL, x, x}, half, NULL));
        assert_null(
            nomen__quick_three(where, (const nomen_tensor *[]){truth, NULL, NULL}, half, NULL));
        nomen_tensor *made =
            nomen__quick_three(where, (const nomen_tensor *[]){truth, x, NULL}, half, NULL);
        assert_non_null(made);
        nomen__release(made);
        nomen_tensor *row = nomen_ones(NULL, NOMEN_SIZES(8)), *low = nomen_narrow(row, "0", 0, 4),
                     *high = nomen_narrow(row, "0", 2, 4);
        assert_null(nomen__quick_three(lerp, (const nomen_tensor *[]){low, low, NULL}, half, high));
        nomen_set_requires_grad(x, true);
        assert_null(
            nomen__quick_three(where, (const nomen_tensor *[]){truth, x, NULL}, half, NULL));
        assert_null(nomen_last_error());
    }
}

/* In place the same comes to lie in self, as one write. number: in the place of b, or NULL. */
static int compare_into(const nomen__op *op, nomen_tensor *a, nomen_tensor *b,
                        const nomen_number *number) {
    nomen_tensor *made =
        number ? nomen__quick_number(op, a, number, false) : nomen__quick(op, a, b);
    nomen_tensor *self = nomen_clone(a);
    uint32_t before = version_of(self);
    bool done =
        number ? nomen__quick_number_into(op, self, number) : nomen__quick_into(op, self, b);
    assert_int_equal(done, made && made->dtype == self->dtype && made->ndim == self->ndim);
    assert_int_equal(version_of(self), before + done);
    const nomen_tensor *wanted = done ? made : a;
    assert_memory_equal(self->data, wanted->data,
                        (size_t)a->numel * nomen_dtype_size((nomen_dtype)a->dtype));
    for (int i = 0; i < a->ndim; i++)
        assert_int_equal(nomen__name_at(self, i), nomen__name_at(a, i));
    if (!number && made) { /* and into out=, where it is as the result is */
        nomen_tensor *out = nomen_clone(made), *wide = nomen_to(made, NOMEN_C128);
        before = version_of(out);
        memset(out->data, 1, (size_t)out->numel * nomen_dtype_size((nomen_dtype)out->dtype));
        assert_true(nomen__quick_out(op, a, b, out));
        assert_int_equal(version_of(out), before + 1);
        assert_memory_equal(out->data, made->data,
                            (size_t)made->numel * nomen_dtype_size((nomen_dtype)made->dtype));
        if (made->dtype != NOMEN_C128) assert_false(nomen__quick_out(op, a, b, wide));
        assert_false(nomen__quick_out(op, a, b, nomen_rename(out, "C N")));
        assert_false(nomen__quick_out(op, a, b, nomen_rename(out, NULL)));
        assert_false(nomen__quick_out(op, a, b, nomen_narrow(out, "0", 0, 2)));
    }
    nomen__release(made);
    return done;
}

static void in_place_too(void **state) {
    (void)state;
    nomen_manual_seed(6);
    int rows = 0, compared = 0;
    const nomen_number numbers[] = {nomen_num(true), nomen_num(3), nomen_num(1.1)};
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (!op->quick || !(op->forms & NOMEN__INPLACE)) continue;
        rows++;
        for (int d = 1; d < NOMEN_DTYPE_COUNT; d++) nomen_scope() {
                nomen_sizes sizes = NOMEN_SIZES(3, 5);
                nomen_tensor *a = numbers_from(0.5, "N C", sizes, (nomen_dtype)d);
                nomen_tensor *b = numbers_from(1.5, "N C", sizes, (nomen_dtype)d);
                nomen_tensor *row = numbers_from(1.5, "C", NOMEN_SIZES(5), (nomen_dtype)d);
                compared += compare_into(op, a, op->lead == 2 ? b : NULL, NULL);
                if (op->lead < 2) continue;
                compared += compare_into(op, a, a, NULL) + compare_into(op, a, row, NULL);
                for (int k = 0; k < 3; k++) compared += compare_into(op, a, NULL, &numbers[k]);
            }
    }
    assert_true(rows >= 20);
    assert_true(compared >= 10 * rows);
}

static void not_in_place_for_others(void **state) {
    (void)state;
    const nomen__op *add = nomen__op_find("add");
    const nomen_number half = nomen_num(0.5);
    nomen_scope() {
        nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(4, 4)),
                     *y = nomen_ones(NULL, NOMEN_SIZES(4, 4));
        assert_false(nomen__quick_into(add, nomen_narrow(x, "0", 0, 3),
                                       nomen_narrow(x, "0", 1, 3)));      /* reads what it wrote */
        assert_false(nomen__quick_into(add, nomen_select(x, "0", 0), y)); /* grows */
        assert_false(nomen__quick_into(add, nomen_transpose(x, "0", "1"), y)); /* strides */
        assert_false(nomen__quick_number_into(add, nomen_to(x, NOMEN_I64), &half));
        assert_false(nomen__quick_into(nomen__op_find("lt"), x, y)); /* another dtype */
        nomen_tensor *w = nomen_ones(NULL, NOMEN_SIZES(4, 4));
        assert_int_equal(nomen_set_requires_grad(w, true), NOMEN_OK);
        assert_false(nomen__quick_into(add, w, y)); /* the tape has to say no */
        assert_false(nomen__quick_into(add, x, w)); /* or to record */
        nomen_tensor *unheard = NULL;
        nomen_no_grad() unheard = nomen_keep(nomen_select(w, "0", 0));
        assert_false(nomen__quick_into(add, unheard, nomen_select(y, "0", 0)));
        assert_false(nomen__quick_number_into(add, unheard, &half));
        assert_false(nomen__quick_out(add, nomen_narrow(x, "0", 0, 3), nomen_narrow(y, "0", 0, 3),
                                      nomen_narrow(x, "0", 1, 3)));
        assert_false(nomen__quick_out(add, x, y, w));
        assert_false(
            nomen__quick_out(add, nomen_select(x, "0", 0), nomen_select(y, "0", 0), unheard));
        assert_null(nomen_last_error());
    }
}

static void not_for_others(void **state) {
    (void)state;
    const nomen__op *add = nomen__op_find("add");
    nomen_scope() {
        nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 2)),
                     *y = nomen_ones(NULL, NOMEN_SIZES(2, 2));
        assert_null(nomen__quick(add, x, y)); /* names to unify */
        assert_null(
            nomen__quick(add, x, nomen_ones("C N", NOMEN_SIZES(2, 2))));     /* names that clash */
        assert_null(nomen__quick(add, y, nomen_ones(NULL, NOMEN_SIZES(1)))); /* to broadcast */
        assert_null(nomen__quick(add, y, nomen_ones(NULL, NOMEN_SIZES(3)))); /* does not fit */
        assert_null(nomen__quick(add, x, nomen_ones("N", NOMEN_SIZES(2))));  /* another dim */
        assert_null(nomen__quick(add, x, nomen_ones(NULL, NOMEN_SIZES(2)))); /* names to unify */
        assert_null(nomen__quick(add, nomen_ones(NULL, NOMEN_SIZES(2, 0)),
                                 nomen_ones(NULL, NOMEN_SIZES(0)))); /* nothing to do */
        assert_null(nomen__quick(add, y, nomen_to(y, NOMEN_F64)));   /* to promote */
        assert_null(nomen__quick(add, y, nomen_transpose(nomen_clone(y), "0", "1"))); /* strides */
        assert_null(nomen__quick(add, nomen_scalar(1), nomen_scalar(2)));          /* weak dtypes */
        assert_null(nomen__quick(add, nomen_to(y, NOMEN_I64), nomen_scalar(2.5))); /* likewise */
        assert_null(nomen__quick(nomen__op_find("exp"), nomen_to(y, NOMEN_I64),
                                 NULL)); /* becomes floating */
        nomen_tensor *w = nomen_ones(NULL, NOMEN_SIZES(2, 2));
        assert_int_equal(nomen_set_requires_grad(w, true), NOMEN_OK);
        assert_null(nomen__quick(add, w, y)); /* the tape wants to know */
        assert_null(nomen_last_error());
    }
}

/* The smallest that can be given in a field of that kind. */
static void give(char *field, nomen__kind kind) {
    const nomen_number number = {.kind = NOMEN_NUMBER_BOOL};
    const nomen_list list = {.count = 1};
    const nomen_sizes sizes = {.count = 1};
    const nomen_dtype dtype = NOMEN_BOOL;
    const bool flag = true;
    const int64_t integer = INT64_MIN;
    const char *text = "";
    switch (kind) {
    case NOMEN__TENSORS: memcpy(field, &list, sizeof list); break;
    case NOMEN__NUMBER: memcpy(field, &number, sizeof number); break;
    case NOMEN__INT: memcpy(field, &integer, sizeof integer); break;
    case NOMEN__FLAG: memcpy(field, &flag, sizeof flag); break;
    case NOMEN__SIZES: memcpy(field, &sizes, sizeof sizes); break;
    case NOMEN__DTYPE: memcpy(field, &dtype, sizeof dtype); break;
    default: memcpy(field, &text, sizeof text);
    }
}

/* Compilers leave in the gaps of a struct what they like: it is nothing that was given. */
static void gaps_are_not_arguments(void **s) {
    (void)s;
    static char args[1024];
    for (int i = 0; i < nomen__op_count; i++) {
        const nomen__op *op = &nomen__ops[i];
        const char *fields = op->given;
        assert_in_range(op->bytes, 1, sizeof args);
        for (int k = op->lead; k <= op->nargs; k++) {
            for (size_t at = 0; at < op->bytes; at++) args[at] = (char)~fields[at];
            if (k == op->nargs) break;
            assert_true(nomen__nothing_behind(op, args));
            give(args + op->args[k].offset, (nomen__kind)op->args[k].kind);
            assert_false(nomen__nothing_behind(op, args));
        }
        const uint16_t more[] = {op->out_offset, op->device_offset, op->second_offset};
        for (int k = 0; k < 3; k++)
            if (more[k]) {
                give(args + more[k], NOMEN__TEXT);
                assert_false(nomen__nothing_behind(op, args));
                for (size_t at = 0; at < op->bytes; at++) args[at] = (char)~fields[at];
            }
        assert_true(nomen__nothing_behind(op, args));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_the_pipeline), cmocka_unit_test(numbers_too),
        cmocka_unit_test(pieces_too),           cmocka_unit_test(three_operands),
        cmocka_unit_test(in_place_too),         cmocka_unit_test(not_in_place_for_others),
        cmocka_unit_test(not_for_others),       cmocka_unit_test(gaps_are_not_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
