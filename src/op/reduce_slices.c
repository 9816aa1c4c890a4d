/* Reductions over a dim of two to eight elements, as operations between its slices: of many small
 * groups of rows each takes the general way longer than what is done with it. Only where the bits
 * are those that it has: of extrema the later of equals; of sums and products but two elements,
 * which are computed in double and rounded once there, and the same rounded at once. */
#include "op/launch.h"
#include "op/passing.h"

#include <stdlib.h>
#include <string.h>

typedef struct slices {
    int64_t n, step; /* how many, and bytes from one to the next */
    nomen_tensor *view;
} slices;

/* A reduction, and what does the same between two slices: of two results both names. `plus`: a sum,
 * which begins with 0, or zeros would keep their signs. */
typedef struct between {
    const char *name, *pair[NOMEN__MAX_OUT];
    bool plus, two; /* two: only of two slices */
} between;

static const between *find(const char *name, int64_t n) {
    static const between all[] = {
        {"amax", {"maximum"}, false, false},
        {"amin", {"minimum"}, false, false},
        {"aminmax", {"minimum", "maximum"}, false, false},
        {"any", {"logical_or"}, false, false},
        {"all", {"logical_and"}, false, false},
        {"prod", {"mul"}, false, true},
        {"sum", {"add"}, true, true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0) return all[i].two && n > 2 ? NULL : &all[i];
    return NULL;
}

/* The dim that goes, if it is but one, of so few; -1: it is not. */
static int dim_of(const nomen_tensor *in, uint64_t mask) {
    enum { MOST = 8 };
    int found = -1;
    for (int d = 0; d < in->ndim; d++) {
        if (!(mask >> d & 1) || in->size[d] == 1) continue;
        if (found >= 0 || in->size[d] > MOST) return -1;
        found = d;
    }
    return found;
}

/* Are there groups of short rows of elements beside each other, many for each call that they take?
 * Windows that overlap by all but one element are such rows, too. */
static bool has_short_rows(const nomen_tensor *in, int dim) {
    enum { SHORT = 2048 /* bytes of a group */, MANY = 8 };
    const int64_t n = in->size[dim], apart = llabs(in->stride[dim]);
    int64_t inner = 1;
    for (int d = 0; d < in->ndim; d++)
        if (d != dim && llabs(in->stride[d]) <= apart) inner *= in->size[d];
    return inner > 1 && inner * n * nomen__item(in->dtype) <= SHORT &&
           in->numel >= MANY * (n - 1) * inner * n;
}

static nomen_status combine(const nomen__kernel *kernel, nomen_tensor *later, nomen_tensor *before,
                            nomen_tensor *out) {
    const nomen_dtype dtype = (nomen_dtype)out->dtype;
    nomen_tensor *in[2] = {later, before};
    nomen__iter it;
    nomen__iter_make(&it, kernel->loop, out, in, 2, out->ndim, out->size, dtype, dtype);
    if (!it.simple) nomen__iter_by_lines(&it, kernel->lines);
    return nomen__iter_run_asking(&it);
}

static nomen_status run(const nomen__kernel *kernel, const slices *s, bool plus,
                        nomen_tensor *out) {
    nomen_tensor next = *s->view, *before = s->view, number;
    double zero[2] = {0, 0}; /* all bits zero in every dtype */
    nomen_status status = NOMEN_OK;
    if (plus) {
        nomen__pass_number(&number, (nomen_dtype)out->dtype, zero);
        status = combine(kernel, &number, s->view, out);
        before = out;
    }
    for (int64_t j = 1; j < s->n && !status; j++, before = out) {
        next.data = s->view->data + j * s->step;
        status = combine(kernel, &next, before, out);
    }
    return status;
}

/* The slice that comes first, with the dims of a result, which may have kept the one that goes. */
static nomen_tensor *first_slice(nomen__layout *view, const nomen_tensor *in, uint64_t mask,
                                 const nomen_tensor *out) {
    nomen_tensor *first = nomen__lay_without(view, in, mask, out->ndim);
    for (int d = 0; out->ndim == in->ndim && d < in->ndim; d++)
        if (mask >> d & 1) first->size[d] = 1;
    nomen__tensor_finish(first);
    return first;
}

bool nomen__reduce_slices(const nomen__call *c, nomen_tensor *const *out, nomen_status *status) {
    const nomen_tensor *in = c->in[0];
    if (in->flags & NOMEN__AWAY) return false;
    const int dim = dim_of(in, c->mask);
    if (dim < 0 || !has_short_rows(in, dim)) return false;
    const between *b = find(c->kernel->name, in->size[dim]);
    if (!b || (!b->plus && in->dtype >= NOMEN_C64)) return false;
    const nomen__kernel *kernel[NOMEN__MAX_OUT] = {NULL};
    for (int k = 0; k < NOMEN__MAX_OUT; k++) {
        if (!out[k]) continue;
        kernel[k] = b->pair[k] ? nomen__kernel_find(b->pair[k], c->compute) : NULL;
        if (!kernel[k] || out[k]->dtype != in->dtype || in->dtype != (uint8_t)c->compute)
            return false;
        if (nomen__may_overlap(out[k], in)) return false; /* the first operation writes to it */
    }
    nomen__layout view;
    slices s = {.n = in->size[dim], .step = in->stride[dim] * nomen__item(in->dtype)};
    s.view = first_slice(&view, in, c->mask, out[0] ? out[0] : out[1]);
    *status = NOMEN_OK;
    for (int k = 0; k < NOMEN__MAX_OUT && !*status; k++)
        if (out[k]) *status = run(kernel[k], &s, b->plus, out[k]);
    return true;
}
