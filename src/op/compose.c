/* Composite rows: operations made of others, which record themselves on the tape. */
#include "op/op.h"
#include "op/rows.gen.h"

nomen_status nomen__compose_contiguous(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    if (t->flags & NOMEN__CONTIGUOUS) {
        c->out[0] = nomen__retain(t);
        return NOMEN_OK;
    }
    nomen__call clone; /* which keeps a permuted layout unless told otherwise */
    nomen__call_begin(&clone, &nomen__ops[NOMEN__OP_CLONE]);
    clone.arg[0].tensor = t;
    clone.arg[1].text = "contiguous_format";
    clone.given = 3;
    nomen_status s = nomen__invoke(&clone);
    c->out[0] = clone.out[0];
    return s;
}

nomen_status nomen__compose_positive(nomen__call *c) {
    if (c->in[0]->dtype == NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "The `+` operator, on a bool tensor is not supported: convert first");
    c->out[0] = nomen__retain(c->in[0]);
    return NOMEN_OK;
}

nomen_status nomen__compose_to(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    nomen_dtype d = nomen__given(c, 1) ? c->arg[1].dtype : (nomen_dtype)t->dtype;
    bool copy = nomen__given(c, 2) && c->arg[2].flag;
    if (d == (nomen_dtype)t->dtype && !copy) {
        c->out[0] = nomen__retain(t);
        return NOMEN_OK;
    }
    nomen__call cast;
    nomen__call_begin(&cast, &nomen__ops[NOMEN__OP_CAST]);
    cast.arg[0].tensor = t;
    cast.arg[1].dtype = d;
    cast.given = 3;
    nomen_status s = nomen__invoke(&cast);
    c->out[0] = cast.out[0];
    return s;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static nomen_status piece_dim(const nomen__call *c, int arg, int *dim) {
    static const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    const nomen_tensor *t = c->in[0];
    if (t->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s expects at least a 1-dimensional tensor",
                           c->op->name);
    return nomen__dim_position(nomen__names_of(t),
                               nomen__given(c, arg) ? c->arg[arg].dims.at : &first, dim);
}

/* One view of a row with (self, dim, integer[, integer]). */
static nomen_tensor *piece(int op, nomen_tensor *t, int dim, int64_t a, int64_t b) {
    nomen__call v;
    nomen__dimref ref = {NOMEN__DIM_INDEX, 0, dim};
    nomen__call_begin(&v, &nomen__ops[op]);
    v.arg[0].tensor = t;
    v.arg[1].dims = (nomen__dims){1, &ref};
    v.arg[2].integer = a;
    v.arg[3].integer = b;
    v.given = op == NOMEN__OP_SELECT ? 7 : 15;
    return nomen__invoke(&v) ? NULL : v.out[0];
}

static nomen_status results_begin(nomen__call *c, int64_t count) {
    c->results = nomen__calloc((size_t)(count ? count : 1), sizeof *c->results);
    c->results_count = count;
    return c->results ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static nomen_status results_undo(nomen__call *c) {
    for (int64_t i = 0; i < c->results_count; i++) nomen__release(c->results[i]);
    nomen__free(c->results, sizeof *c->results * (size_t)(c->results_count ? c->results_count : 1));
    c->results = NULL;
    return NOMEN_ERROR_MEMORY;
}

static nomen_status cut(nomen__call *c, int dim, int64_t step, int64_t count) {
    nomen_tensor *t = c->in[0];
    int64_t size = t->size[dim];
    nomen_status s = results_begin(c, count);
    for (int64_t i = 0; !s && i < count; i++) {
        int64_t start = i * step, length = size - start < step ? size - start : step;
        c->results[i] = piece(NOMEN__OP_NARROW, t, dim, start, length);
        if (!c->results[i]) return results_undo(c);
    }
    return s;
}

nomen_status nomen__compose_split(nomen__call *c) {
    int dim = 0;
    nomen_status s = piece_dim(c, 2, &dim);
    if (s) return s;
    nomen_tensor *t = c->in[0];
    int64_t size = t->size[dim];
    if (!nomen__given(c, 3)) {
        if (!nomen__given(c, 1) || c->arg[1].number->kind != NOMEN_NUMBER_INT)
            return nomen__fail(NOMEN_ERROR_TYPE, "split() needs split_size, an integer, or sizes");
        int64_t step = c->arg[1].number->i;
        if (step < 0 || (step == 0 && size))
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "split expects split_size be non-negative, but got split_size=%lld",
                               (long long)step);
        return cut(c, dim, step ? step : 1, step && size ? (size - 1) / step + 1 : 1);
    }
    nomen_sizes sizes = c->arg[3].sizes;
    int64_t sum = 0;
    for (int64_t i = 0; i < sizes.count; i++) {
        if (sizes.at[i] < 0 || __builtin_add_overflow(sum, sizes.at[i], &sum))
            return nomen__fail(
                NOMEN_ERROR_SHAPE,
                "split_with_sizes expects split_sizes have only non-negative entries, but got %lld",
                (long long)sizes.at[i]);
    }
    if (sum != size)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "split_with_sizes expects split_sizes to sum exactly to %lld (input "
                           "tensor's size at dimension %d), "
                           "but the sum is %lld",
                           (long long)size, dim, (long long)sum);
    s = results_begin(c, sizes.count);
    int64_t start = 0;
    for (int64_t i = 0; !s && i < sizes.count; i++) {
        c->results[i] = piece(NOMEN__OP_NARROW, t, dim, start, sizes.at[i]);
        if (!c->results[i]) return results_undo(c);
        start += sizes.at[i];
    }
    return s;
}

nomen_status nomen__compose_chunk(nomen__call *c) {
    int dim = 0;
    nomen_status s = piece_dim(c, 2, &dim);
    if (s) return s;
    int64_t chunks = c->arg[1].integer, size = c->in[0]->size[dim];
    if (chunks < 1)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "chunk expects `chunks` to be greater than 0, got: %lld",
                           (long long)chunks);
    int64_t step = size ? (size - 1) / chunks + 1 : 0;
    if (step == 0) { /* an empty dim gives that many empty pieces */
        if (chunks > 1 << 20)
            return nomen__fail(NOMEN_ERROR_SHAPE, "%lld chunks of an empty dim are too many",
                               (long long)chunks);
        return cut(c, dim, 0, chunks);
    }
    return cut(c, dim, step, (size - 1) / step + 1);
}

nomen_status nomen__compose_unbind(nomen__call *c) {
    int dim = 0;
    nomen_status s = piece_dim(c, 1, &dim);
    if (s) return s;
    s = results_begin(c, c->in[0]->size[dim]);
    for (int64_t i = 0; !s && i < c->results_count; i++) {
        c->results[i] = piece(NOMEN__OP_SELECT, c->in[0], dim, i, 0);
        if (!c->results[i]) return results_undo(c);
    }
    return s;
}

/* ---- results --------------------------------------------------------------------------------- */

nomen_status nomen__compose_deliver(nomen__call *c, nomen_tensor *t, const nomen__namelist *names) {
    if (names && names->n == t->ndim) nomen__set_names(t, names->at);
    if (!c->inplace && !c->out[0]) {
        c->out[0] = t;
        return NOMEN_OK;
    }
    nomen__call copy;
    nomen__call_begin(&copy, &nomen__ops[c->inplace ? NOMEN__OP_COPY : NOMEN__OP_CLONE]);
    copy.inplace = c->inplace;
    copy.arg[0].tensor = c->inplace ? c->in[0] : t;
    copy.arg[1].tensor = t;
    copy.given = c->inplace ? 3 : 1;
    copy.out[0] = c->inplace ? NULL : c->out[0];
    nomen_status s = nomen__invoke(&copy);
    nomen__release(t);
    c->out[0] = s ? NULL : copy.out[0];
    return s;
}
