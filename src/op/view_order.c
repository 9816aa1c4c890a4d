/* Views: dims that move, diagonals, windows. The others are in view.c. */
#include "op/op.h"
#include "op/rows.gen.h"

/* ---- movedim --------------------------------------------------------------------------------- */

nomen_status nomen__view_movedim(nomen__call *c) {
    nomen__names own = nomen__names_of(c->in[0]);
    nomen_status s = nomen__dims_moved(own, c->arg[1].dims, c->arg[2].dims, c->dims);
    if (!s) nomen__map_permute(c);
    return s;
}

/* ---- diagonal -------------------------------------------------------------------------------- */

static nomen_status pair_of_dims(const nomen__call *c, int arg, int *a, int *b) {
    const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0}, second = {NOMEN__DIM_INDEX, 0, 1};
    return nomen__dims_crossing(nomen__names_of(c->in[0]),
                                nomen__given(c, arg) ? c->arg[arg].dims.at : &first,
                                nomen__given(c, arg + 1) ? c->arg[arg + 1].dims.at : &second, a, b);
}

/* The dims of the call: dim is the first one, mask has both. */
nomen_status nomen__view_diagonal(nomen__call *c) {
    int a = 0, b = 0;
    nomen__namelist rest;
    nomen__names own = nomen__names_of(c->in[0]);
    nomen_status s = pair_of_dims(c, 2, &a, &b);
    if (s) return s;
    c->dim = a;
    c->mask = UINT64_C(1) << a | UINT64_C(1) << b;
    nomen_name name = nomen__given(c, 4) ? c->arg[4].name : 0;
    if (!c->named && !name) return NOMEN_OK;
    nomen__names_reduce(own, c->mask, false, &rest);
    return nomen__names_insert((nomen__names){rest.n, rest.at}, rest.n, name, &c->names);
}

/* The result, from element `offset` on, with the sizes of the call. */
static nomen_status show(nomen__call *c, int64_t offset, const int64_t *stride) {
    const nomen_tensor *t = c->in[0];
    const int64_t bytes = offset * nomen__item(t->dtype);
    c->is_view = true;
    c->out[0] = nomen__tensor_view(t, (nomen_dtype)t->dtype, c->ndim, c->size, stride, bytes);
    return c->out[0] ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

nomen_status nomen__shape_diagonal(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    int64_t stride[NOMEN_MAX_DIMS], offset = nomen__given(c, 1) ? c->arg[1].integer : 0;
    int a = c->dim, b = __builtin_ctzll(c->mask & ~(UINT64_C(1) << a));
    int64_t rows = t->size[a], columns = t->size[b], length = 0, start = 0;
    if (offset >= 0 && offset < columns) {
        length = columns - offset < rows ? columns - offset : rows;
        start = offset * t->stride[b];
    } else if (offset < 0 && offset > -rows) {
        length = rows + offset < columns ? rows + offset : columns;
        start = -offset * t->stride[a];
    }
    c->ndim = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (c->mask >> d & 1) continue;
        c->size[c->ndim] = t->size[d];
        stride[c->ndim++] = t->stride[d];
    }
    c->size[c->ndim] = length;
    stride[c->ndim++] = t->stride[a] + t->stride[b];
    return show(c, length ? start : 0, stride);
}

/* ---- unfold ---------------------------------------------------------------------------------- */

nomen_status nomen__view_unfold(nomen__call *c) {
    nomen__names own = nomen__names_of(c->in[0]);
    nomen_status s = nomen__dim_position(own, c->arg[1].dims.at, &c->dim);
    if (s) return s;
    if (own.n == NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    return c->named ? nomen__names_append(own, &c->names) : NOMEN_OK;
}

nomen_status nomen__shape_unfold(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    int64_t stride[NOMEN_MAX_DIMS], size = c->arg[2].integer, step = c->arg[3].integer;
    int64_t length = t->ndim ? t->size[c->dim] : 1, own = t->ndim ? t->stride[c->dim] : 1;
    if (size < 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "size is %lld but must be >= 0", (long long)size);
    if (size > length)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "maximum size for tensor at dimension %d is %lld but size is %lld",
                           c->dim, (long long)length, (long long)size);
    if (step <= 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "step is %lld but must be > 0", (long long)step);
    c->ndim = t->ndim + 1;
    for (int d = 0; d < t->ndim; d++) {
        c->size[d] = t->size[d];
        stride[d] = t->stride[d];
    }
    if (t->ndim) {
        c->size[c->dim] = (length - size) / step + 1;
        stride[c->dim] = step < length ? own * step : own;
    }
    c->size[t->ndim] = size;
    stride[t->ndim] = own;
    /* windows overlap: there may be more elements than anybody can count */
    if (nomen__checked_numel(c->size, c->ndim, (size_t)nomen__item(t->dtype)) < 0)
        return NOMEN_ERROR_SHAPE;
    return show(c, 0, stride);
}
