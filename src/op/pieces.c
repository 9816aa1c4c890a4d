/* Composite rows that cut a tensor into views along a dim. */
#include "op/passing.h"
#include "op/rows.gen.h"

static nomen_status piece_dim(const nomen__call *c, int arg, int *dim) {
    static const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    const nomen_tensor *t = c->in[0];
    if (t->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s expects at least a 1-dimensional tensor",
                           c->op->name);
    return nomen__dim_position(nomen__names_of(t),
                               nomen__given(c, arg) ? c->arg[arg].dims.at : &first, dim);
}

nomen_tensor *nomen__piece(int op, nomen_tensor *t, int dim, int64_t a, int64_t b) {
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

nomen_tensor *nomen__joined(nomen_list parts, int dim, nomen_tensor *out) {
    nomen__call cat;
    const nomen__dimref ref = {NOMEN__DIM_INDEX, 0, dim};
    nomen__call_begin(&cat, &nomen__ops[NOMEN__OP_CAT]);
    cat.arg[0].list = parts;
    cat.arg[1].dims = (nomen__dims){1, &ref};
    cat.given = 3;
    cat.out[0] = out;
    return nomen__invoke(&cat) ? NULL : cat.out[0];
}

nomen_tensor *nomen__unsqueezed(nomen_tensor *t, int dim) {
    nomen__call v;
    nomen__dimref ref = {NOMEN__DIM_INDEX, 0, dim};
    if (!t) return NULL;
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_UNSQUEEZE]);
    v.arg[0].tensor = t;
    v.arg[1].dims = (nomen__dims){1, &ref};
    v.given = 3;
    return nomen__invoke(&v) ? NULL : v.out[0];
}

nomen_tensor *nomen__bare(nomen_tensor *t) {
    return t && nomen__is_named(t) ? nomen__apply(NOMEN__OP_RENAME, t, NULL) : nomen__retain(t);
}

nomen_status nomen__results_begin(nomen__call *c, int64_t count) {
    nomen_status s = nomen__headers_fit(count);
    if (s) return s;
    c->results = nomen__calloc((size_t)(count ? count : 1), sizeof *c->results);
    c->results_count = count;
    return c->results ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

nomen_status nomen__results_undo(nomen__call *c) {
    for (int64_t i = 0; i < c->results_count; i++) nomen__release(c->results[i]);
    nomen__free(c->results, sizeof *c->results * (size_t)(c->results_count ? c->results_count : 1));
    c->results = NULL;
    return NOMEN_ERROR_MEMORY;
}

/* Result i, a view from `start` on. Where nobody records anything or puts it off, one that is as
 * long as the result before it is the same header, further on. */
static bool put_piece(nomen__call *c, int64_t i, int op, int dim, int64_t start, int64_t length) {
    nomen_tensor *t = c->in[0], *before = i ? c->results[i - 1] : NULL, *v;
    const bool alike = before && (op == NOMEN__OP_SELECT || before->size[dim] == length);
    if (!alike || !t->numel || !nomen__may_pass(t)) {
        c->results[i] = nomen__piece(op, t, dim, start, length);
        return c->results[i] != NULL;
    }
    c->results[i] = v = nomen__tensor_alias(before);
    if (!v) return false;
    v->data = t->data + start * t->stride[dim] * nomen__item(t->dtype);
    nomen__finish_view(v, t);
    return true;
}

static nomen_status cut(nomen__call *c, int dim, int64_t step, int64_t count) {
    nomen_tensor *t = c->in[0];
    int64_t size = t->size[dim];
    nomen_status s = nomen__results_begin(c, count);
    for (int64_t i = 0; !s && i < count; i++) {
        int64_t start = i * step, length = size - start < step ? size - start : step;
        if (!put_piece(c, i, NOMEN__OP_NARROW, dim, start, length)) return nomen__results_undo(c);
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
        if (step == 0 && size)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "split_size can only be 0 if dimension size is 0, but got dimension "
                               "size of %lld",
                               (long long)size);
        if (step < 0)
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
    s = nomen__results_begin(c, sizes.count);
    int64_t start = 0;
    for (int64_t i = 0; !s && i < sizes.count; i++) {
        if (!put_piece(c, i, NOMEN__OP_NARROW, dim, start, sizes.at[i]))
            return nomen__results_undo(c);
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
    static const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    int dim = 0;
    nomen_status s = nomen__dim_of_some(nomen__names_of(c->in[0]),
                                        nomen__given(c, 1) ? c->arg[1].dims.at : &first, &dim);
    if (s) return s;
    s = nomen__results_begin(c, c->in[0]->size[dim]);
    for (int64_t i = 0; !s && i < c->results_count; i++) {
        if (!put_piece(c, i, NOMEN__OP_SELECT, dim, i, 1)) return nomen__results_undo(c);
    }
    return s;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* As many pieces as told, the first ones longer by one where it does not divide. */
static nomen_status cut_sections(nomen__call *c, int dim, int64_t sections) {
    nomen_tensor *t = c->in[0];
    int64_t size = t->size[dim], start = 0;
    if (sections < 1)
        return nomen__fail(NOMEN_ERROR_SHAPE, "number of sections must be larger than 0, got %lld",
                           (long long)sections);
    if (sections > size && sections > 1 << 20)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%lld sections of %lld elements are too many",
                           (long long)sections, (long long)size);
    nomen_status s = nomen__results_begin(c, sections);
    for (int64_t i = 0; !s && i < sections; i++) {
        int64_t length = size / sections + (i < size % sections);
        if (!put_piece(c, i, NOMEN__OP_NARROW, dim, start, length)) return nomen__results_undo(c);
        start += length;
    }
    return s;
}

static int64_t clipped(int64_t at, int64_t size) {
    if (at < 0) at = at < -size ? 0 : at + size;
    return at > size ? size : at;
}

/* One piece more than there are indices, each from one of them to the next. */
static nomen_status cut_at(nomen__call *c, int dim, nomen_sizes at) {
    nomen_tensor *t = c->in[0];
    int64_t start = 0;
    nomen_status s = nomen__results_begin(c, at.count + 1);
    for (int64_t i = 0; !s && i <= at.count; i++) {
        int64_t size = t->size[dim], end = i < at.count ? clipped(at.at[i], size) : size;
        if (!put_piece(c, i, NOMEN__OP_NARROW, dim, start, end > start ? end - start : 0))
            return nomen__results_undo(c);
        start = end;
    }
    return s;
}

static nomen_status read_sections(const nomen__call *c, int arg, int64_t *sections) {
    if (nomen__given(c, arg) && c->arg[arg].number->kind == NOMEN_NUMBER_INT) {
        *sections = c->arg[arg].number->i;
        return NOMEN_OK;
    }
    return nomen__fail(NOMEN_ERROR_TYPE, "%s() needs a number of sections or a list of indices",
                       c->op->name);
}

nomen_status nomen__compose_tensor_split(nomen__call *c) {
    int dim = 0;
    int64_t sections = 0;
    if (c->in[0]->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "tensor_split expected at least a 1-dimensional "
                                              "tensor, but got a tensor with 0 dims");
    nomen_status s = piece_dim(c, 2, &dim);
    if (s) return s;
    if (nomen__given(c, 3)) return cut_at(c, dim, c->arg[3].sizes);
    s = read_sections(c, 1, &sections);
    return s ? s : cut_sections(c, dim, sections);
}

/* hsplit, vsplit, dsplit: sections of equal size. */
static nomen_status cut_equally(nomen__call *c, int dim, int least) {
    const nomen_tensor *t = c->in[0];
    int64_t sections = 0;
    if (t->ndim < least)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "torch.%s requires a tensor with at least %d dimension, but got a "
                           "tensor with %d dimensions!",
                           c->op->name, least, t->ndim);
    if (nomen__given(c, 2)) return cut_at(c, dim, c->arg[2].sizes);
    nomen_status s = read_sections(c, 1, &sections);
    if (s) return s;
    if (sections < 1 || t->size[dim] % sections)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "torch.%s attempted to split along dimension %d, but the size of the "
                           "dimension %lld is not divisible by the split_size %lld!",
                           c->op->name, dim, (long long)t->size[dim], (long long)sections);
    return cut_sections(c, dim, sections);
}

nomen_status nomen__compose_hsplit(nomen__call *c) {
    return cut_equally(c, c->in[0]->ndim > 1 ? 1 : 0, 1);
}

nomen_status nomen__compose_vsplit(nomen__call *c) { return cut_equally(c, 0, 2); }

nomen_status nomen__compose_dsplit(nomen__call *c) { return cut_equally(c, 2, 3); }
