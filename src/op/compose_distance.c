/* Composite rows: cdist, all distances between two lists of points, and pdist, those within one.
 * Real points have a kernel (launch_distance.c), complex ones are told apart by operations. dist,
 * of two tensors, is in compose_reduce.c. */
#include "nomen/ops.gen.h"
#include "op/passing.h"
#include "op/rows.gen.h"

#include <string.h>

static nomen_status check_points(const nomen_tensor *t, const char *name) {
    if (t->ndim < 2)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "cdist only supports at least 2D tensors, %s got: %dD", name, t->ndim);
    if (t->dtype < NOMEN_F16)
        return nomen__hint(nomen__fail(NOMEN_ERROR_DTYPE,
                                       "cdist only supports floating-point dtypes, %s got: %s",
                                       name, nomen_dtype_name((nomen_dtype)t->dtype)),
                           "convert it with to(dtype)");
    return NOMEN_OK;
}

/* PyTorch lets one choose whether a product may be used, which loses digits: here it never is. */
static nomen_status check_mode(const nomen__call *c) {
    static const char *const known[] = {"use_mm_for_euclid_dist_if_necessary",
                                        "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"};
    if (!nomen__given(c, 3)) return NOMEN_OK;
    for (size_t i = 0; i < NOMEN_COUNT(known); i++)
        if (!strcmp(c->arg[3].text, known[i])) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_VALUE, "%.60s is not a valid value for compute_mode",
                       c->arg[3].text);
}

static nomen_status check_p(const nomen__call *c, int arg) {
    if (!nomen__given(c, arg)) return NOMEN_OK;
    const nomen_number *p = c->arg[arg].number;
    double value = p->kind <= NOMEN_NUMBER_INT ? (double)p->i : p->re;
    return value >= 0 ? NOMEN_OK
                      : nomen__fail(NOMEN_ERROR_STATE, "%s only supports non-negative p values",
                                    c->op->name);
}

static nomen_status check(const nomen__call *c, nomen__namelist *names) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    nomen_status s = check_points(a, "X1");
    if (!s) s = check_points(b, "X2");
    if (!s) s = check_mode(c);
    if (s) return s;
    if (a->size[a->ndim - 1] != b->size[b->ndim - 1])
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
                           (long long)a->size[a->ndim - 1], (long long)b->size[b->ndim - 1]);
    s = check_p(c, 2);
    if (s) return s;
    return nomen__names_cdist(nomen__names_of(a), nomen__names_of(b), names);
}

static nomen_number p_of(const nomen__call *c, int arg) {
    return nomen__given(c, arg) ? *c->arg[arg].number : (nomen_number){0};
}

static bool is_complex(const nomen_tensor *t) {
    return t && nomen_dtype_is_complex((nomen_dtype)t->dtype);
}

/* The norms of differences along the last dim; p: the argument that says which. */
static nomen_tensor *lengths(const nomen__call *c, int arg, nomen_tensor *d) {
    nomen_number p = p_of(c, arg);
    bool counts = nomen__given(c, arg) && (p.kind == NOMEN_NUMBER_FLOAT ? p.re == 0 : p.i == 0);
    bool none = d && d->size[d->ndim - 1] == 0; /* points without coordinates meet */
    /* the number of coordinates that differ is NaN where one of them is */
    return counts || none
               ? nomen_sum(nomen_clamp_max(nomen_ceil(nomen_abs(d)), nomen_scalar(1)), .dim = "-1")
               : nomen_norm(d, .p = p, .dim = "-1");
}

/* Those of real points, which pass: without names; arg: the one that says p. */
static nomen_tensor *distances(const nomen__call *c, const nomen_tensor *a, const nomen_tensor *b,
                               int arg, bool pairs) {
    nomen_tensor passing[2];
    nomen__call call;
    nomen__pass_longer(&passing[0], a, 0, 0);
    nomen__pass_longer(&passing[1], b, 0, 0);
    nomen__call_begin(&call, &nomen__ops[NOMEN__OP_DISTANCES]);
    call.arg[0].tensor = &passing[0];
    call.arg[1].tensor = &passing[1];
    call.given = nomen__given(c, arg) ? 15 : 11;
    if (nomen__given(c, arg)) call.arg[2].number = c->arg[arg].number;
    call.arg[3].flag = pairs;
    return nomen__invoke(&call) ? NULL : call.out[0];
}

/* Are they points that pass? */
static bool are_passing(const nomen_tensor *a, const nomen_tensor *b) {
    return !is_complex(a) && !is_complex(b) && nomen__may_pass(a) && nomen__may_pass(b);
}

nomen_status nomen__compose_cdist(nomen__call *c) {
    nomen__namelist names;
    nomen_status s = check(c, &names);
    nomen_tensor *r = NULL;
    if (s) return s;
    if (are_passing(c->in[0], c->in[1])) {
        r = distances(c, c->in[0], c->in[1], 2, false);
        return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
    }
    nomen_scope() {
        /* the names are known already: inside, dims are matched by position */
        nomen_tensor *a = nomen__nameless(c->in[0]), *b = nomen__nameless(c->in[1]);
        if (is_complex(a) || is_complex(b))
            r = lengths(c, 2, nomen_sub(nomen_unsqueeze(a, "-2"), nomen_unsqueeze(b, "-3")));
        else
            r = nomen_distances(a, b, .p = p_of(c, 2));
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
}

nomen_tensor *nomen__pairs(int64_t n) {
    nomen_tensor *all = nomen_ones(NULL, NOMEN_SIZES(n, n), .dtype = NOMEN_BOOL);
    return nomen_nonzero(nomen_triu(all, .diagonal = 1));
}

nomen_status nomen__compose_pdist(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen_tensor *r = NULL;
    if (t->ndim != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "pdist only supports 2D tensors, got: %dD", t->ndim);
    if (t->dtype < NOMEN_F16)
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_DTYPE, "pdist only supports floating-point dtypes"),
            "convert it with to(dtype)");
    nomen_status s = check_p(c, 1);
    if (s) return s;
    if (are_passing(t, t)) {
        r = distances(c, t, t, 1, true);
        return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
    }
    nomen_scope() {
        nomen_tensor *points = nomen__nameless(c->in[0]);
        if (is_complex(points)) {
            nomen_tensor *pairs = nomen__pairs(t->size[0]);
            nomen_tensor *a = nomen_index_select(points, "0", nomen_select(pairs, "1", 0)),
                         *b = nomen_index_select(points, "0", nomen_select(pairs, "1", 1));
            r = lengths(c, 1, nomen_sub(a, b));
        } else {
            r = nomen_distances(points, points, .p = p_of(c, 1), .pairs = true);
        }
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}
