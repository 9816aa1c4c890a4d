/* Elements moved with the iterator: copies, in another dtype as well, and one number for all. */
#include "op/op.h"
#include "op/tile.h"

#include <stdalign.h>
#include <string.h>

/* What writes a number to all elements: a kernel of its own where all of them are in L2. */
static nomen__loop *fill_loop(const nomen_tensor *t) {
    enum { NEAR = 1 << 15, FAR = 1 << 20 };
    const int64_t item = nomen__item(t->dtype), bytes = t->numel * item;
    const bool near = t->flags & NOMEN__CONTIGUOUS && bytes > NEAR && bytes < FAR;
    return near ? nomen__mover("fill", item) : nomen__copy_loop((nomen_dtype)t->dtype);
}

/* Into all elements, where that is one short run: there is nothing to plan. */
static bool spread_number(nomen_tensor *t, char *number, nomen__loop *fill) {
    if (!(t->flags & NOMEN__CONTIGUOUS) || t->numel > NOMEN__ALONE) return false;
    fill((char *const[2]){t->data, number}, (const int64_t[2]){nomen__item(t->dtype), 0}, t->numel);
    return true;
}

/* A number for all elements is converted once. */
static NOMEN_NOINLINE nomen_status copy_one(nomen_tensor *dst, const nomen_tensor *src,
                                            nomen__loop *cast) {
    alignas(16) char value[16];
    const nomen_dtype to = (nomen_dtype)dst->dtype;
    nomen__cast_one(cast, to, value, (nomen_dtype)src->dtype, src->data);
    nomen__loop *const fill = fill_loop(dst);
    if (spread_number(dst, value, fill)) return NOMEN_OK;
    nomen_tensor one = {
        .dtype = (uint8_t)to, .numel = 1, .flags = NOMEN__CONTIGUOUS, .data = value};
    nomen_tensor *in = &one;
    nomen__iter it;
    nomen__iter_make(&it, fill, dst, &in, 1, dst->ndim, dst->size, to, to);
    return nomen__iter_run_asking(&it);
}

/* The same elements in the same places. */
static bool is_itself(const nomen_tensor *t, const nomen_tensor *other) {
    bool same = t->data == other->data && t->ndim == other->ndim && t->dtype == other->dtype;
    for (int d = 0; same && d < t->ndim; d++)
        same = t->size[d] == other->size[d] && t->stride[d] == other->stride[d];
    return same;
}

nomen_status nomen__copy_values(nomen_tensor *dst, const nomen_tensor *src) {
    if (NOMEN_UNLIKELY((dst->flags | src->flags) & NOMEN__AWAY)) return nomen__copy_away(dst, src);
    nomen_dtype from = (nomen_dtype)src->dtype, to = (nomen_dtype)dst->dtype;
    nomen__loop *loop = nomen__cast_loop(from, to);
    if (loop && src->numel == 1 && dst->numel) return copy_one(dst, src, loop);
    if (!loop) {
        if (dst->numel == src->numel && dst->flags & src->flags & NOMEN__CONTIGUOUS &&
            dst->numel <= NOMEN__ALONE) {
            if (dst->data != src->data && dst->numel)
                nomen__copy_block(dst->data, src->data, dst->numel * nomen__item(to));
            return NOMEN_OK;
        }
        if (is_itself(dst, src)) return NOMEN_OK;
        loop = nomen__copy_loop(to);
    }
    nomen__iter it;
    nomen_tensor *in = (nomen_tensor *)(uintptr_t)src; /* only read */
    nomen__iter_make_mixed(&it, loop, dst, &in, 1, dst->ndim, dst->size,
                           (const nomen_dtype[2]){to, from});
    return nomen__iter_run_asking(&it);
}

nomen_tensor *nomen__copied(nomen_tensor *copy, const nomen_tensor *src) {
    if (!copy || !copy->numel || !nomen__copy_values(copy, src)) return copy;
    nomen__release(copy);
    return NULL;
}

/* Of all dtypes these three hold every number, so that one cast is enough. */
static nomen_dtype widest(const nomen_number *n, void *value) {
    switch (n->kind) {
    case NOMEN_NUMBER_FLOAT: memcpy(value, &n->re, sizeof n->re); return NOMEN_F64;
    case NOMEN_NUMBER_COMPLEX:
        memcpy(value, (const double[2]){n->re, n->im}, 2 * sizeof(double));
        return NOMEN_C128;
    default: memcpy(value, &n->i, sizeof n->i); return NOMEN_I64;
    }
}

nomen_status nomen__fill_values(nomen_tensor *t, const nomen_number *n) {
    alignas(16) char wide[16], value[16];
    nomen_dtype to = (nomen_dtype)t->dtype, from = widest(n, wide);
    nomen__loop *cast = nomen__cast_loop(from, to);
    nomen_tensor one = {.dtype = (uint8_t)to, .numel = 1, .flags = NOMEN__CONTIGUOUS, .data = wide};
    nomen_tensor *in = &one;
    if (cast) {
        nomen__cast_one(cast, to, value, from, wide);
        one.data = value;
    }
    if (NOMEN_UNLIKELY(t->flags & NOMEN__AWAY)) {
        nomen_status s = nomen__make_ready(t);
        if (s || t->device) return s ? s : nomen__fill_away(t, one.data);
    }
    nomen__loop *const fill = fill_loop(t);
    if (spread_number(t, one.data, fill)) return NOMEN_OK;
    nomen__iter it;
    nomen__iter_make(&it, fill, t, &in, 1, t->ndim, t->size, to, to);
    nomen__iter_run(&it);
    return NOMEN_OK;
}
