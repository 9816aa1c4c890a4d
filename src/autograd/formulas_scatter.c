/* Words of the gradient formulas of scatter_reduce, and of views with any steps. */
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/ops.gen.h"

#include <string.h>

enum { SELF, INDEX, SRC, REDUCE = 4, EXCLUDE };

typedef struct view {
    nomen__backward *b;
    char dim[NOMEN__DIM_TEXT];
    char what; /* 's'um, 'p'rod, 'm'ean, or 'a' for the largest and the smallest */
    bool exclude;
    nomen_tensor *self, *index, *src; /* src of the sizes of the index */
} view;

static nomen_tensor *zero(void) { return nomen_scalar((int64_t)0); }
static nomen_tensor *one(void) { return nomen_scalar((int64_t)1); }

/* What was used of src: its near corner, or its one number everywhere. */
static nomen_tensor *used(nomen_tensor *src, const nomen_tensor *index) {
    if (!src || nomen__has_sizes(src, index->ndim, index->size)) return src;
    if (src->ndim != index->ndim || src->flags & NOMEN__WRAPPED)
        return nomen_expand(nomen_reshape(src, NOMEN_SIZES(1)),
                            (nomen_sizes){index->ndim, index->size});
    for (int d = 0; src && d < index->ndim; d++) {
        char dim[NOMEN__DIM_TEXT];
        src = nomen_narrow(src, nomen__one_dim(d, dim), 0, index->size[d]);
    }
    return src;
}

static view view_of(nomen__backward *b) {
    const char *reduce = nomen__b_text(b, REDUCE);
    view v = {.b = b, .what = reduce[0], .exclude = nomen__b_flag(b, EXCLUDE)};
    int dim = nomen__b_dim(b);
    nomen__one_dim(dim < 0 ? 0 : dim, v.dim);
    v.self = b->in[SELF];
    v.index = b->in[INDEX];
    v.src = nomen_to(used(b->in[SRC], v.index), nomen_dtype_of(v.self)); /* of a number too */
    return v;
}

static nomen_tensor *gather(const view *v, nomen_tensor *t) {
    return nomen_gather(t, v->dim, v->index);
}

/* t without what lies at places that something came to. */
static nomen_tensor *elsewhere(const view *v, nomen_tensor *t) {
    return nomen_scatter(t, v->dim, v->index, zero());
}

static nomen_dtype counter_of(const view *v) {
    return nomen__counter_of(nomen_dtype_of(v->self), v->index ? v->index->numel : 0);
}

/* How often something came to each place; what self has there counts if asked for. */
static nomen_tensor *count(const view *v, nomen_tensor *own, nomen_tensor *come) {
    const nomen_dtype d = counter_of(v);
    own = v->exclude ? nomen_zeros_like(own, .dtype = d) : nomen_to(own, d);
    return nomen_scatter_add_(own, v->dim, v->index, nomen_to(come, d));
}

static nomen_tensor *mean_share(const view *v, nomen_tensor *g) {
    const nomen_dtype d = counter_of(v);
    nomen_tensor *own = nomen_ones_like(v->self, .dtype = d);
    nomen_tensor *come = nomen_ones(NULL, (nomen_sizes){0, NULL}, .dtype = d);
    come = nomen_expand(come, (nomen_sizes){v->index->ndim, v->index->size});
    return nomen_div(g, nomen_clamp_min(count(v, own, come), one()));
}

/* Evenly among all that are equal to the result. */
static nomen_tensor *extremum_share(const view *v, nomen_tensor *g) {
    nomen_tensor *result = v->b->result;
    nomen_tensor *n = count(v, nomen_eq(v->self, result), nomen_eq(v->src, gather(v, result)));
    return nomen_div(g, nomen_clamp_min(n, one()));
}

/* Factors that are not zero, the product of those that came to each place, and how many there were
 * that are zero: no division by zero then. */
typedef struct factors {
    nomen_tensor *self, *src, *product, *zeros, *own_zero, *src_zero;
} factors;

static factors factors_of(const view *v) {
    factors f;
    f.own_zero = nomen_eq(v->self, zero());
    f.src_zero = nomen_eq(v->src, zero());
    f.self = nomen_where(f.own_zero, one(), v->self);
    f.src = nomen_where(f.src_zero, one(), v->src);
    f.product =
        nomen_scatter_reduce(f.self, v->dim, v->index, f.src, "prod", .exclude_self = v->exclude);
    f.zeros = count(v, f.own_zero, f.src_zero);
    return f;
}

/* The product of all factors but one; zeros: how many of them are 0. */
static nomen_tensor *others(nomen_tensor *product, nomen_tensor *own, nomen_tensor *zeros) {
    return nomen__conj(nomen_where(nomen_eq(zeros, zero()), nomen_div(product, own), zero()));
}

nomen_tensor *nomen__g_reduced(nomen__backward *b, nomen_tensor *g) {
    view v = view_of(b);
    if (v.exclude) return elsewhere(&v, g);
    switch (v.what) {
    case 's': return g;
    case 'm': return mean_share(&v, g);
    case 'p': {
        factors f = factors_of(&v);
        nomen_tensor *zeros = nomen_sub(f.zeros, nomen_to(f.own_zero, counter_of(&v)));
        return nomen_mul(g, others(f.product, f.self, zeros));
    }
    default: return nomen_where(nomen_eq(v.self, b->result), extremum_share(&v, g), zero());
    }
}

static nomen_tensor *reduced_src(const view *v, nomen_tensor *g) {
    switch (v->what) {
    case 's': return gather(v, g);
    case 'm': return gather(v, mean_share(v, g));
    case 'p': {
        factors f = factors_of(v);
        nomen_tensor *zeros = nomen_sub(gather(v, f.zeros), nomen_to(f.src_zero, counter_of(v)));
        return nomen_mul(gather(v, g), others(gather(v, f.product), f.src, zeros));
    }
    default: {
        nomen_tensor *best = nomen_eq(v->src, gather(v, v->b->result));
        return nomen_where(best, gather(v, extremum_share(v, g)), zero());
    }
    }
}

nomen_tensor *nomen__g_reduced_src(nomen__backward *b, nomen_tensor *g) {
    view v = view_of(b);
    return nomen__g_of_corner(b, reduced_src(&v, g));
}

/* ---- any steps ------------------------------------------------------------------------------- */

/* Where the elements of t lie in its memory, counted in elements. */
static nomen_tensor *positions(const nomen_tensor *t) {
    int64_t size[NOMEN_MAX_DIMS], offset = (t->data - t->storage->data) / nomen__item(t->dtype);
    nomen_tensor *at = nomen_full(NULL, (nomen_sizes){0, NULL}, nomen_num(offset));
    for (int d = 0; d < t->ndim; d++) {
        for (int e = 0; e < t->ndim; e++) size[e] = e == d ? t->size[d] : 1;
        nomen_tensor *steps = nomen_arange(NULL, nomen_num((int64_t)0), nomen_num(t->size[d]));
        steps = nomen_mul(steps, nomen_scalar(t->stride[d]));
        at = nomen_add(at, nomen_reshape(steps, (nomen_sizes){t->ndim, size}));
    }
    return nomen_expand(at, (nomen_sizes){t->ndim, t->size});
}

/* Is every element of t another one? Dims from the nearest on, each beyond all before it. */
static bool is_apart(const nomen_tensor *t) {
    int64_t reach = 0;
    uint64_t done = 0;
    for (int k = 0; k < t->ndim; k++) {
        int next = -1;
        for (int d = 0; d < t->ndim; d++)
            if (!(done >> d & 1) && (next < 0 || t->stride[d] < t->stride[next])) next = d;
        done |= UINT64_C(1) << next;
        if (t->size[next] == 1) continue;
        if (t->stride[next] <= reach) return false;
        reach += (t->size[next] - 1) * t->stride[next];
    }
    return true;
}

/* Of a view within a tensor that has no holes: zeros around it. false: it is another one. */
static bool around(const nomen_tensor *self, const nomen_tensor *result, nomen_tensor *g,
                   nomen_tensor **r) {
    const int64_t item = nomen__item(self->dtype), offset = result->data - self->data;
    int64_t end = offset / item + 1;
    for (int d = 0; d < result->ndim; d++) end += (result->size[d] - 1) * result->stride[d];
    if (nomen__grad_enabled || g->device || !result->numel || !(self->flags & NOMEN__CONTIGUOUS) ||
        offset < 0 || end > self->numel || !is_apart(result))
        return false;
    nomen_tensor *whole =
        nomen_zeros(NULL, (nomen_sizes){self->ndim, self->size}, .dtype = nomen_dtype_of(g));
    nomen_tensor *part = whole ? nomen__scoped(nomen__tensor_view(
                                     whole, (nomen_dtype)whole->dtype, result->ndim, result->size,
                                     result->stride, offset / item * nomen__item(whole->dtype)))
                               : NULL;
    *r = part && !nomen__copy_values(part, g) ? whole : NULL;
    return true;
}

/* Elements of the memory get the sum of what the view's get; of those that self shows more than
 * once each gets its part. */
nomen_tensor *nomen__g_as_strided(nomen__backward *b, nomen_tensor *g) {
    const nomen_tensor *self = b->in[SELF], *result = b->result;
    nomen_tensor *simple;
    if (around(self, result, g, &simple)) return simple;
    int64_t room = (int64_t)self->storage->bytes / nomen__item(self->dtype);
    nomen_sizes all = {1, &room};
    nomen_tensor *memory = nomen_zeros(NULL, all, .dtype = nomen_dtype_of(g));
    memory = nomen_put(memory, positions(result), g, .accumulate = true);
    nomen_tensor *own = positions(self);
    bool again = false;
    for (int d = 0; d < self->ndim; d++) again |= self->size[d] > 1 && self->stride[d] == 0;
    if (again) {
        nomen_tensor *times = nomen_zeros(NULL, all, .dtype = NOMEN_I64);
        times = nomen_put(times, own, nomen_ones_like(own), .accumulate = true);
        memory = nomen_div(memory, nomen_clamp_min(times, one()));
    }
    return nomen_take(memory, own);
}
