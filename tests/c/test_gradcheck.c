/* Every gradient formula of the table against differences: first and second derivatives, real and
 * complex, in place, in place on a view. A row with a formula and no case in gradcases_*.c fails.
 */
#include "count_calls.h"
#include "gradcheck.h"
#include "nomen/memory.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const grad_cases *const families[] = {
    &gradcases_elementwise, &gradcases_reduce, &gradcases_product, &gradcases_random,
    &gradcases_select,      &gradcases_view,   &gradcases_compose,
};

/* ---- inputs ---------------------------------------------------------------------------------- */

static uint64_t seed;

static double uniform(double low, double high) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(seed >> 11) * 0x1p-53);
}

static bool is_complex(const nomen_tensor *t) { return nomen_dtype_is_complex(nomen_dtype_of(t)); }

/* "N=2 C=3" or "2 3" */
static nomen_tensor *make_input(const char *text, nomen_dtype dtype) {
    char names[64] = "";
    int64_t size[MOST_DIMS] = {0};
    int n = 0;
    bool named = strchr(text, '=') != NULL;
    for (const char *p = text; *p; p++) {
        if (p[0] == ' ' || p[0] == '=') continue;
        if (*p >= '0' && *p <= '9')
            size[n++] = *p - '0';
        else {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%c", used ? " " : "", *p);
        }
    }
    return nomen_zeros(named ? names : NULL, (nomen_sizes){n, size}, .dtype = dtype);
}

/* Parts of the elements in memory order: the real and, if there are any, the imaginary ones. */
static double *parts_of(const nomen_tensor *t, int64_t *count) {
    *count = nomen_numel(t) * (is_complex(t) ? 2 : 1);
    return nomen_data(t);
}

static void fill_input(nomen_tensor *t, const grad_case *k) {
    int64_t count;
    double *at = parts_of(t, &count);
    for (int64_t i = 0; i < count; i++) at[i] = uniform(k->low, k->high);
    int64_t step = is_complex(t) ? 2 : 1;
    int64_t zeros = k->flags & TWO_ZEROS ? 2 : k->flags & ONE_ZERO ? 1 : 0;
    for (int64_t i = 0; i < zeros * step && i < count; i++) at[i] = 0;
}

/* ---- calling --------------------------------------------------------------------------------- */

typedef enum form { PLAIN, IN_PLACE, ON_VIEW } form;

typedef struct setting {
    const grad_case *k;
    const nomen__op *op;
    form form;
    int nin;
    nomen_tensor *in[MOST_INPUTS];
} setting;

static nomen_tensor *call_row(const nomen__op *op, nomen_tensor *const *in, int nin,
                              bool in_place) {
    nomen__call c;
    nomen__call_begin(&c, op);
    for (int i = 0; i < nin; i++) c.arg[i].tensor = in[i];
    c.given = (1u << nin) - 1;
    c.inplace = in_place;
    c.skip[1] = true;
    return nomen__invoke(&c) ? NULL : nomen__scoped(c.out[0]);
}

static nomen_tensor *evaluate(const setting *s) {
    if (s->form == PLAIN && s->k->call) return s->k->call(s->in);
    if (s->form == PLAIN) return call_row(s->op, s->in, s->nin, false);
    nomen_tensor *operands[MOST_INPUTS];
    memcpy(operands, s->in, sizeof operands);
    if (s->form == IN_PLACE) {
        operands[0] = nomen_clone(s->in[0]);
        return call_row(s->op, operands, s->nin, true);
    }
    /* Into the second of three parts, each of which is half of what lies there. */
    nomen_tensor *base = nomen_stack(NOMEN_LIST(s->in[0], s->in[0], s->in[0]), "0");
    base = nomen_add(base, base);
    operands[0] = nomen_mul_(nomen_select(base, "0", 1), nomen_scalar(0.5));
    return call_row(s->op, operands, s->nin, true) ? base : NULL;
}

/* Weights of the elements of y, so that the sum of the products is one real number: the same for
 * every y of that size. */
static nomen_tensor *weights_for(const nomen_tensor *y) {
    nomen_tensor *w =
        nomen_zeros(NULL, (nomen_sizes){nomen_ndim(y), nomen_shape(y)}, .dtype = nomen_dtype_of(y));
    int64_t count;
    double *at = parts_of(w, &count);
    for (int64_t i = 0; i < count; i++) at[i] = 0.5 + 0.1 * (double)(i * 7 % 11) * (i % 2 ? -1 : 1);
    return w;
}

/* The sum over all elements of Re(conj(w) y). */
static double weighted(const nomen_tensor *y) {
    nomen_tensor *w = weights_for(y);
    nomen_tensor *plain = nomen_clone(nomen_detach((nomen_tensor *)(uintptr_t)y));
    plain = nomen_copy_(nomen_zeros_like(w), nomen_set_names(plain, NULL) ? NULL : plain);
    int64_t count;
    double *a = parts_of(w, &count), *b = parts_of(plain, &count), sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static nomen_list gradients(const setting *s, bool create_graph) {
    nomen_tensor *y = evaluate(s);
    if (!y) return (nomen_list){0, NULL};
    nomen_tensor *w = weights_for(y);
    return nomen_grad(NOMEN_LIST(y), (nomen_list){s->nin, s->in}, NOMEN_LIST(w),
                      .create_graph = create_graph, .allow_unused = true);
}

/* What is differentiated: the value, or the weighted sum of its gradients. */
static double value(const setting *s, bool second) {
    double sum = 0;
    nomen_scope() {
        if (!second) {
            nomen_no_grad() sum = weighted(evaluate(s));
        } else {
            nomen_list g = gradients(s, false);
            for (int i = 0; i < s->nin && g.count; i++)
                if (g.at[i]) sum += weighted(g.at[i]);
        }
    }
    return sum;
}

static nomen_list slopes(const setting *s, bool second) {
    if (!second) return gradients(s, false);
    nomen_list g = gradients(s, true);
    nomen_tensor *roots[MOST_INPUTS], *weights[MOST_INPUTS];
    int64_t n = 0;
    for (int i = 0; i < s->nin && g.count; i++) {
        if (!g.at[i] || !nomen_requires_grad(g.at[i])) continue;
        roots[n] = g.at[i];
        weights[n++] = weights_for(g.at[i]);
    }
    /* Nothing depends on the inputs any more: the second derivative is zero. */
    if (!n) return (nomen_list){0, NULL};
    return nomen_grad((nomen_list){n, roots}, (nomen_list){s->nin, s->in}, (nomen_list){n, weights},
                      .allow_unused = true);
}

/* The first deviation is printed. */
static bool agrees(const setting *s, bool second) {
    nomen_list g = slopes(s, second);
    if (nomen_last_error()) {
        print_error("%s (form %d): %s\n", s->k->op, (int)s->form, nomen_error_text());
        nomen_clear_error();
        return false;
    }
    for (int i = 0; i < s->nin; i++) {
        nomen_tensor *x = s->in[i], *slope = g.count ? g.at[i] : NULL;
        int64_t count, count_slope = 0;
        double *at = parts_of(x, &count), *analytic = NULL;
        if (slope) {
            assert_int_equal(nomen_dtype_of(slope), nomen_dtype_of(x));
            assert_int_equal(nomen_ndim(slope), nomen_ndim(x));
            for (int d = 0; d < nomen_ndim(x); d++) {
                const char *a = nomen_name_of(x, d), *b = nomen_name_of(slope, d);
                assert_true(a == b);
                assert_int_equal(nomen_shape(x)[d], nomen_shape(slope)[d]);
            }
            slope = nomen_contiguous(slope);
            analytic = parts_of(slope, &count_slope);
            assert_int_equal(count, count_slope);
        }
        for (int64_t e = 0; e < count; e++) {
            const double h = 1e-5, was = at[e];
            at[e] = was + h;
            double above = value(s, second);
            at[e] = was - h;
            double below = value(s, second);
            at[e] = was;
            double numeric = (above - below) / (2 * h), mine = analytic ? analytic[e] : 0;
            if (fabs(mine - numeric) <= 2e-6 * (1 + fabs(numeric))) continue;
            print_error("%s (form %d, %s, derivative %d), input %d part %d: formula %.10g, "
                        "difference %.10g\n",
                        s->k->op, (int)s->form, nomen_dtype_name(nomen_dtype_of(x)), second ? 2 : 1,
                        i, (int)e, mine, numeric);
            return false;
        }
    }
    return true;
}

static bool check_case(const char *file, const grad_case *k, nomen_dtype dtype, form how) {
    setting s = {.k = k, .op = nomen__op_find(k->op), .form = how};
    seed = 7;
    bool right = true;
    nomen_scope() {
        for (int i = 0; i < MOST_INPUTS && k->inputs[i]; i++) {
            nomen_tensor *x = make_input(k->inputs[i], dtype);
            assert_non_null(x);
            fill_input(x, k);
            assert_int_equal(nomen_set_requires_grad(x, true), NOMEN_OK);
            s.in[s.nin++] = x;
        }
        right = agrees(&s, false);
        if (right) nomen__count_gradient(file, k->op, dtype, false);
        if (right && !(k->flags & NO_SECOND)) {
            right = agrees(&s, true);
            if (right) nomen__count_gradient(file, k->op, dtype, true);
        }
    }
    return right;
}

/* In place the result has the dtype and sizes of self: not where self is broadcast, or abs is real.
 */
static bool has_in_place(const grad_case *k, nomen_dtype dtype) {
    const nomen__op *op = nomen__op_find(k->op);
    if (!(op->forms & NOMEN__INPLACE) || k->call) return false;
    if (dtype == NOMEN_C128 && !strcmp(k->op, "abs")) return false;
    for (int i = 1; i < MOST_INPUTS && k->inputs[i]; i++)
        if (strlen(k->inputs[i]) > strlen(k->inputs[0])) return false;
    return strcmp(k->inputs[0], "C=3") != 0;
}

static int64_t before;

static int start(void **state) {
    (void)state;
    nomen_clear_error();
    before = nomen_get_memory_stats().tensors_live;
    return 0;
}

static int finish(void **state) {
    (void)state;
    nomen_thread_end();
    return nomen_get_memory_stats().tensors_live == before ? 0 : -1;
}

static bool has_case(const nomen__op *op) {
    for (size_t f = 0; f < NOMEN_COUNT(families); f++)
        for (size_t k = 0; k < families[f]->count; k++)
            if (nomen__op_find(families[f]->at[k].op) == op) return true;
    return false;
}

/* Rows of one or two tensors and nothing that must be given beside them make do without a case of
 * their own: they are checked on numbers between 0.2 and 0.9. */
static bool plain_case(const nomen__op *op, grad_case *k) {
    if (!op->grad || !op->quick || has_case(op)) return false;
    *k = (grad_case){op->name, NULL, {"N=2 C=3", op->lead == 2 ? "N=2 C=3" : NULL}, 0.2, 0.9, 0};
    return true;
}

static void plain(void **state) {
    (void)state;
    const nomen_dtype dtypes[] = {NOMEN_F64, NOMEN_C128};
    int wrong = 0;
    for (int i = 0; i < nomen__op_count; i++) {
        const nomen__op *op = &nomen__ops[i];
        grad_case k;
        for (size_t d = 0; d < NOMEN_COUNT(dtypes); d++)
            if (plain_case(op, &k) && op->dtypes >> dtypes[d] & 1)
                wrong += !check_case("test_gradcheck.c", &k, dtypes[d], PLAIN);
    }
    assert_int_equal(wrong, 0);
}

/* ---- the cases of a family ------------------------------------------------------------------- */

static bool suits(const grad_case *k, nomen_dtype dtype, form how) {
    const nomen__op *op = nomen__op_find(k->op);
    if (how != PLAIN) return has_in_place(k, dtype);
    if (dtype != NOMEN_C128) return true;
    return !(k->flags & REAL_ONLY) &&
           !(op->primitive && op->kernel && !(op->dtypes >> NOMEN_C128 & 1));
}

static int checked[ON_VIEW + 1][NOMEN_DTYPE_COUNT];

static void check_family(void **state, nomen_dtype dtype, form how) {
    const grad_cases *family = *state;
    int wrong = 0;
    for (size_t i = 0; i < family->count; i++) {
        if (!suits(&family->at[i], dtype, how)) continue;
        wrong += !check_case(family->file, &family->at[i], dtype, how);
        checked[how][dtype]++;
    }
    assert_int_equal(wrong, 0);
}

static void real(void **state) { check_family(state, NOMEN_F64, PLAIN); }
static void complex(void **state) { check_family(state, NOMEN_C128, PLAIN); }
static void in_place(void **state) { check_family(state, NOMEN_F64, IN_PLACE); }
static void on_a_view(void **state) { check_family(state, NOMEN_F64, ON_VIEW); }

static void every_formula_has_a_case(void **state) {
    (void)state;
    for (int i = 0; i < nomen__op_count; i++) {
        grad_case k;
        if (nomen__ops[i].grad && !has_case(&nomen__ops[i]) && !plain_case(&nomen__ops[i], &k))
            fail_msg("%s has a gradient formula and no case", nomen__ops[i].name);
    }
    for (size_t f = 0; f < NOMEN_COUNT(families); f++)
        for (size_t k = 0; k < families[f]->count; k++)
            assert_non_null(nomen__op_find(families[f]->at[k].op));
}

/* After the others: that what suits a form is not next to nothing. */
static void enough_was_checked(void **state) {
    (void)state;
    assert_true(checked[PLAIN][NOMEN_C128] > 100);
    assert_true(checked[IN_PLACE][NOMEN_F64] > 15);
    assert_true(checked[ON_VIEW][NOMEN_F64] > 15);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void) {
    static const struct {
        const char *name;
        CMUnitTestFunction run;
    } kinds[] = {{"real", real},
                 {"complex", complex},
                 {"in_place", in_place},
                 {"in_place_on_a_view", on_a_view}};
    const struct CMUnitTest alone[] = {TEST(every_formula_has_a_case), TEST(plain)};
    const struct CMUnitTest last[] = {TEST(enough_was_checked)};
    int failed = cmocka_run_group_tests_name("gradcheck", alone, NULL, NULL);
    for (size_t f = 0; f < NOMEN_COUNT(families); f++) {
        char names[NOMEN_COUNT(kinds)][64];
        struct CMUnitTest tests[NOMEN_COUNT(kinds)];
        for (size_t i = 0; i < NOMEN_COUNT(kinds); i++) {
            snprintf(names[i], sizeof names[i], "%s_%s", families[f]->family, kinds[i].name);
            tests[i] = (struct CMUnitTest){names[i], kinds[i].run, start, finish,
                                           (void *)(uintptr_t)families[f]};
        }
        failed += cmocka_run_group_tests_name(families[f]->family, tests, NULL, NULL);
    }
    return failed + cmocka_run_group_tests_name("gradcheck_end", last, NULL, NULL);
}
