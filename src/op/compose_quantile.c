/* Composite rows: quantile and nanquantile. Rows are put in order, and read at ranks between two
 * elements. */
#include "nomen/ops.gen.h"
#include "op/infer_text.h"
#include "op/op.h"
#include "op/rows.gen.h"

#include <stdio.h>
#include <string.h>

enum { SELF, Q, DIM, KEEPDIM, INTERPOLATION };

/* A number is looked at before all else, the elements of a tensor last. */
static nomen_status check_number(const nomen_tensor *q) {
    if (!(q->flags & NOMEN__WRAPPED)) return NOMEN_OK;
    if (nomen_dtype_is_complex((nomen_dtype)q->dtype))
        return nomen__fail(NOMEN_ERROR_DTYPE, "quantile() q must be a real number");
    double value = nomen_item(q);
    if (value >= 0 && value <= 1) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE, "quantile() q must be in the range [0, 1] but got %g",
                       value);
}

static nomen_status check_elements(nomen_tensor *q) {
    nomen_tensor *fine =
        nomen_logical_and(nomen_ge(q, nomen_scalar(0)), nomen_le(q, nomen_scalar(1)));
    nomen_tensor *all = nomen_all(fine);
    if (!all) return NOMEN_ERROR_STATE;
    if (nomen_item_int(all)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE, "quantile() q values must be in the range [0, 1]");
}

static nomen_status check_word(const nomen__call *c) {
    static const char *const known[] = {"linear", "lower", "higher", "midpoint", "nearest"};
    if (!nomen__given(c, INTERPOLATION)) return NOMEN_OK;
    const char *word = c->arg[INTERPOLATION].text;
    for (size_t i = 0; i < NOMEN_COUNT(known); i++)
        if (!strcmp(known[i], word)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE,
                       "quantile() interpolation must be one of linear, lower, higher, midpoint or "
                       "nearest, but got %.40s",
                       word);
}

static nomen_status fail_empty(void) {
    return nomen__fail(NOMEN_ERROR_SHAPE, "quantile() input tensor must be non-empty");
}

static nomen_status check(const nomen__call *c) {
    const nomen_tensor *t = c->in[SELF], *q = c->in[Q];
    nomen_status s = check_number(q);
    if (!s) s = check_word(c);
    if (s) return s;
    if (!t->numel && !nomen__given(c, DIM)) return fail_empty();
    if (q->ndim > 1)
        return nomen__fail(NOMEN_ERROR_SHAPE, "quantile() q must be a scalar or 1D tensor");
    if (!(c->op->dtypes >> t->dtype & 1))
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_DTYPE,
                        "quantile() input tensor must be either float or double dtype"),
            "convert it with to(dtype)");
    if (!(q->flags & NOMEN__WRAPPED) && q->dtype != t->dtype)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "quantile() q tensor must be same dtype as the input tensor");
    return NOMEN_OK;
}

/* Of rows in order: how far each q is in them, counted in elements. A row with NaN is read where
 * it has one, or its NaN are not counted. */
static nomen_tensor *ranks_of(const nomen__call *c, nomen_tensor *sorted, nomen_tensor *q) {
    int64_t last = sorted->size[sorted->ndim - 1] - 1;
    if (c->op->id == NOMEN__OP_NANQUANTILE) {
        nomen_tensor *there = nomen_logical_not(nomen_isnan(sorted));
        nomen_tensor *n =
            nomen_sum(there, .dim = "-1", .keepdim = true, .dtype = nomen_dtype_of(q));
        return nomen_clamp_min(nomen_mul(q, nomen_sub(n, nomen_scalar(1))), nomen_scalar(0));
    }
    nomen_tensor *broken = nomen_isnan(nomen_narrow(sorted, "-1", last, 1));
    return nomen_masked_fill(nomen_mul(q, nomen_scalar((double)last)), broken,
                             nomen_scalar((double)last));
}

static nomen_tensor *at(nomen_tensor *sorted, nomen_tensor *rank) {
    return nomen_gather(sorted, "-1", nomen_to(rank, NOMEN_I64));
}

static nomen_tensor *read_at(const nomen__call *c, nomen_tensor *sorted, nomen_tensor *rank) {
    const char *how = nomen__given(c, INTERPOLATION) ? c->arg[INTERPOLATION].text : "linear";
    if (!strcmp(how, "lower")) return at(sorted, nomen_floor(rank));
    if (!strcmp(how, "higher")) return at(sorted, nomen_ceil(rank));
    if (!strcmp(how, "nearest")) return at(sorted, nomen_round(rank));
    nomen_tensor *below = nomen_floor(rank);
    nomen_tensor *weight = how[0] == 'l' ? nomen_sub(rank, below) : nomen_scalar(0.5);
    return nomen_lerp(at(sorted, below), at(sorted, nomen_ceil(rank)), weight);
}

/* t in rows along its last dim; q in the dtype that ranks are computed in. */
static nomen_tensor *quantiles(const nomen__call *c, nomen_tensor *t, nomen_tensor *q) {
    int64_t m = q->ndim ? q->size[0] : 1;
    nomen_tensor *sorted = nomen_sort(t, .dim = "-1");
    nomen_tensor *rank = sorted ? ranks_of(c, sorted, nomen_reshape(q, NOMEN_SIZES(m))) : NULL;
    int64_t size[NOMEN_MAX_DIMS];
    if (!rank) return NULL;
    memcpy(size, t->size, sizeof *size * (size_t)t->ndim);
    size[t->ndim - 1] = m;
    return read_at(c, sorted, nomen_expand(rank, (nomen_sizes){t->ndim, size}));
}

/* The dim of the quantiles in front if q has one, else gone; keepdim puts one of size 1 where the
 * dim was, or all were. */
static nomen_tensor *arranged(const nomen__call *c, nomen_tensor *t, bool vector, int dim) {
    const nomen_tensor *self = c->in[SELF];
    char place[NOMEN__DIM_TEXT];
    if (!t) return NULL;
    t = vector ? nomen_movedim(t, "-1", "0") : nomen_squeeze(t, "-1");
    if (!nomen__given(c, KEEPDIM) || !c->arg[KEEPDIM].flag) return t;
    for (int d = 0; dim < 0 && d < self->ndim; d++) t = nomen_unsqueeze(t, "-1");
    return dim < 0 ? t : nomen_unsqueeze(t, nomen__one_dim(dim + vector, place));
}

static nomen_status names_of(const nomen__call *c, int dim, nomen__namelist *names) {
    nomen__names own = nomen__names_of(c->in[SELF]), q = nomen__names_of(c->in[Q]);
    nomen__namelist rest;
    uint64_t mask = dim >= 0 ? UINT64_C(1) << dim : ~UINT64_C(0);
    if (!own.n) mask = 0;
    nomen__names_reduce(own, mask, nomen__given(c, KEEPDIM) && c->arg[KEEPDIM].flag, &rest);
    return nomen__names_chain(c->op->name, q, q.n, nomen__names_read(&rest), rest.n, names);
}

nomen_status nomen__compose_quantile(nomen__call *c) {
    nomen_tensor *self = c->in[SELF], *r = NULL;
    nomen__namelist names;
    int dim = -1;
    nomen_status s = check(c);
    if (!s && nomen__given(c, DIM))
        s = nomen__dim_position(nomen__names_of(self), c->arg[DIM].dims.at, &dim);
    if (!s) s = names_of(c, dim, &names);
    if (!s && !(dim >= 0 && self->ndim ? self->size[dim] : self->numel)) s = fail_empty();
    if (s) return s;
    nomen_scope() {
        nomen_dtype own = nomen_dtype_of(self), d = own < NOMEN_F32 ? NOMEN_F32 : own;
        char place[NOMEN__DIM_TEXT];
        nomen_tensor *t = nomen_to(nomen_rename(self), d),
                     *q = nomen_cast(nomen_rename(c->in[Q]), d);
        bool whole = dim < 0 || !self->ndim;
        t = whole ? nomen_reshape(t, NOMEN_SIZES(-1))
                  : nomen_movedim(t, nomen__one_dim(dim, place), "-1");
        s = q ? check_elements(q) : NOMEN_ERROR_STATE;
        if (!s && t) {
            r = arranged(c, quantiles(c, t, q), q->ndim > 0, self->ndim ? dim : -1);
            if (own != d) r = nomen_to(r, own);
        }
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, &names) : s ? s : NOMEN_ERROR_STATE;
}
