/* Composite rows beside the reductions: dist, diff. */
#include "op/op.h"
#include "op/rows.gen.h"

nomen_status nomen__compose_dist(nomen__call *c) {
    nomen_tensor *difference = nomen__apply(NOMEN__OP_SUB, c->in[0], c->in[1]);
    if (!difference) return NOMEN_ERROR_STATE;
    nomen__call norm;
    nomen__call_begin(&norm, &nomen__ops[NOMEN__OP_NORM]);
    norm.arg[0].tensor = difference;
    norm.given = 1;
    if (nomen__given(c, 2)) {
        norm.arg[1].number = c->arg[2].number;
        norm.given = 3;
    }
    nomen_status s = nomen__invoke(&norm);
    nomen__release(difference);
    c->out[0] = s ? NULL : norm.out[0];
    return s;
}

/* ---- diff ------------------------------------------------------------------------------------ */

/* self with what comes before and after it. */
static nomen_tensor *extended(nomen__call *c, int dim) {
    nomen_tensor *parts[3];
    int64_t count = 0;
    if (nomen__given(c, 3)) parts[count++] = c->arg[3].tensor;
    parts[count++] = c->arg[0].tensor;
    if (nomen__given(c, 4)) parts[count++] = c->arg[4].tensor;
    if (count == 1) return nomen__retain(parts[0]);
    return nomen__joined((nomen_list){count, parts}, dim, NULL);
}

static nomen_tensor *differences(nomen_tensor *t, int dim, nomen_tensor *out) {
    int64_t rest = t->size[dim] ? t->size[dim] - 1 : 0;
    int op = t->dtype == NOMEN_BOOL ? NOMEN__OP_NE : NOMEN__OP_SUB;
    nomen_tensor *later = nomen__piece(NOMEN__OP_NARROW, t, dim, t->size[dim] - rest, rest);
    nomen_tensor *before = later ? nomen__piece(NOMEN__OP_NARROW, t, dim, 0, rest) : NULL;
    nomen_tensor *r = before ? nomen__apply_to(op, later, before, out) : NULL;
    nomen__release(later);
    nomen__release(before);
    return r;
}

/* What comes before or after self has its dims, and its sizes but along the dim. */
static nomen_status check_extension(const nomen__call *c, int arg, int dim) {
    if (!nomen__given(c, arg)) return NOMEN_OK;
    const nomen_tensor *self = c->arg[0].tensor, *other = c->arg[arg].tensor;
    if (other->ndim != self->ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "diff expects prepend or append to be the same dimension as input");
    for (int d = 0; d < self->ndim; d++)
        if (d != dim && other->size[d] != self->size[d])
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "diff expects the shape of tensor to prepend or append to match "
                               "that of input except along the differencing dimension; "
                               "input.size(%d) = %lld, but got tensor.size(%d) = %lld",
                               d, (long long)self->size[d], d, (long long)other->size[d]);
    return NOMEN_OK;
}

nomen_status nomen__compose_diff(nomen__call *c) {
    static const nomen__dimref last = {NOMEN__DIM_INDEX, 0, -1};
    const nomen_tensor *self = c->arg[0].tensor;
    int64_t n = 1;
    if (nomen__given(c, 1)) {
        if (c->arg[1].number->kind != NOMEN_NUMBER_INT)
            return nomen__fail(NOMEN_ERROR_TYPE, "diff(): argument 'n' must be int");
        n = c->arg[1].number->i;
    }
    if (self->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "diff expects input to be at least one-dimensional");
    if (n < 0)
        return nomen__fail(NOMEN_ERROR_STATE, "order must be non-negative but got %lld",
                           (long long)n);
    int dim = 0;
    nomen_status s = nomen__dim_position(nomen__names_of(self),
                                         nomen__given(c, 2) ? c->arg[2].dims.at : &last, &dim);
    if (!s) s = check_extension(c, 3, dim);
    if (!s) s = check_extension(c, 4, dim);
    if (s) return s;
    nomen_tensor *t = n ? extended(c, dim) : nomen__apply(NOMEN__OP_CLONE, c->arg[0].tensor, NULL);
    for (int64_t k = 0; t && k < n; k++) {
        bool empty = t->size[dim] == 0;
        nomen_tensor *next = differences(t, dim, k == n - 1 ? nomen__compose_target(c) : NULL);
        nomen__release(t);
        t = next;
        if (empty) break;
    }
    return t ? nomen__compose_deliver(c, t, NULL) : NOMEN_ERROR_STATE;
}
