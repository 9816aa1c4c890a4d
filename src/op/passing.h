/* Views that end with the call that they are handed to, on the stack: to make a header and let go
 * of it takes as long as a small call. Only for composites, and for calls that keep no operand and
 * give none back. */
#ifndef NOMEN_SRC_PASSING_H
#define NOMEN_SRC_PASSING_H

#include "op/op.h"

/* May a view of t be like that? Nobody records what is done to it, or puts it off, and its memory
 * is here. */
static inline bool nomen__may_pass(const nomen_tensor *t) {
    return !(t->flags & (NOMEN__AWAY | NOMEN__WRAPPED)) && !nomen__concerns_tape(t) &&
           t->ndim < NOMEN__INLINE_DIMS && !nomen__fusing;
}

/* A view of as many dims as are said, without names; the caller sets sizes and strides, and calls
 * nomen__tensor_finish. */
static inline void nomen__pass(nomen_tensor *view, const nomen_tensor *t, int ndim) {
    atomic_init(&view->refs, 1);
    view->dtype = t->dtype;
    view->ndim = (uint8_t)ndim;
    view->flags = view->device = 0;
    view->data = t->data;
    view->storage = t->storage;
    view->grad = NULL;
    view->base = NULL;
    view->size = view->inline_size;
    view->stride = view->inline_stride;
    view->names = view->inline_names;
    view->scope = NULL;
    view->magic = NOMEN__LIVE;
    view->python = NULL;
}

/* All dims of t, and `front` and `back` dims of size 1 around them. */
static inline void nomen__pass_longer(nomen_tensor *view, const nomen_tensor *t, int front,
                                      int back) {
    nomen__pass(view, t, t->ndim + front + back);
    for (int d = 0; d < view->ndim; d++) view->size[d] = view->stride[d] = 1;
    for (int d = 0; d < t->ndim; d++) {
        view->size[front + d] = t->size[d];
        view->stride[front + d] = t->stride[d];
    }
    nomen__tensor_finish(view);
}

/* The same with the names that t has. */
static inline void nomen__pass_named(nomen_tensor *view, const nomen_tensor *t) {
    if (!nomen__is_named(t)) return;
    for (int d = 0; d < t->ndim; d++) view->names[d] = t->names[d];
    view->flags |= NOMEN__NAMED;
}

/* The same inside a launch, where a view may have all the dims there can be, and lie elsewhere: it
 * goes no further than copies and fills. */
typedef struct nomen__layout {
    nomen_tensor t;
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
} nomen__layout;

/* The memory of t, with dims that the caller sets, and finishes. */
static inline nomen_tensor *nomen__lay_over(nomen__layout *view, const nomen_tensor *t, int ndim) {
    nomen__pass(&view->t, t, ndim);
    view->t.size = view->size;
    view->t.stride = view->stride;
    view->t.flags = t->flags & NOMEN__AWAY;
    view->t.device = t->device;
    return &view->t;
}

/* The dims that t has, for the caller to change. */
static inline nomen_tensor *nomen__lay_alike(nomen__layout *view, const nomen_tensor *t) {
    nomen_tensor *v = nomen__lay_over(view, t, t->ndim);
    for (int d = 0; d < t->ndim; d++) {
        v->size[d] = t->size[d];
        v->stride[d] = t->stride[d];
    }
    v->numel = t->numel;
    v->flags |= t->flags & NOMEN__CONTIGUOUS;
    return v;
}

/* t without the dims in mask, all of size 1, for results of ndim dims: they may have kept them. */
static inline nomen_tensor *nomen__lay_without(nomen__layout *view, const nomen_tensor *t,
                                               uint64_t mask, int ndim) {
    nomen_tensor *v = nomen__lay_over(view, t, ndim);
    for (int d = 0, at = 0; d < t->ndim; d++) {
        if (ndim < t->ndim && mask >> d & 1) continue;
        v->size[at] = t->size[d];
        v->stride[at++] = t->stride[d];
    }
    nomen__tensor_finish(v);
    return v;
}

#endif
