/* resize_ and resize_as_: a tensor takes other sizes, and more memory where it needs it. What has
 * names keeps its sizes. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

/* Sizes come without a layout here, so resize_as_ has no other layout to preserve. */
static nomen_status check_format(const nomen__call *c, const nomen_tensor *t) {
    if (!nomen__given(c, 2)) return NOMEN_OK;
    const char *format = c->arg[2].text;
    bool as = c->op->id == NOMEN__OP_RESIZE_AS;
    if (nomen__is_named(t))
        return nomen__fail(NOMEN_ERROR_NAME, "Unsupported memory format for named tensor resize %s",
                           !strcmp(format, "contiguous_format") ? "Contiguous"
                           : !strcmp(format, "preserve_format") ? "Preserve"
                                                                : format);
    bool preserve = !strcmp(format, "preserve_format");
    if (!strcmp(format, "contiguous_format") || (as && preserve)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE, "Unsupported memory format%s",
                       preserve ? "Preserve" : format);
}

static nomen_status check_resize(const nomen_tensor *t, int ndim, const int64_t *size) {
    if (nomen__concerns_tape(t))
        return nomen__fail(NOMEN_ERROR_GRAD, "cannot resize variables that require grad");
    if (nomen__is_named(t))
        return nomen__names_check_resize(nomen__names_of(t), t->size, size, ndim);
    for (int d = 0; d < ndim; d++)
        if (size[d] < 0)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "Trying to create tensor with negative dimension %lld",
                               (long long)size[d]);
    return NOMEN_OK;
}

/* Is there room for that many elements behind t's first one? */
static bool has_room(const nomen_tensor *t, int64_t numel) {
    int64_t before = t->data - t->storage->data;
    return before >= 0 && (uint64_t)(before + numel * nomen__item(t->dtype)) <= t->storage->bytes;
}

/* A header of the new sizes on t's storage. */
static nomen_tensor *within_storage(const nomen_tensor *t, int ndim, const int64_t *size) {
    int64_t stride[NOMEN_MAX_DIMS];
    nomen__contiguous_strides(size, ndim, stride);
    return nomen__tensor_view(t, (nomen_dtype)t->dtype, ndim, size, stride, 0);
}

/* What was in memory comes first, in the order it lies there; the rest is zero. */
static nomen_tensor *in_new_storage(const nomen_tensor *t, int ndim, const int64_t *size) {
    nomen_tensor *r = nomen__need_cpu("resize_: a tensor that needs more memory", t)
                          ? NULL
                          : nomen__tensor_empty((nomen_dtype)t->dtype, ndim, size);
    if (!r) return NULL;
    size_t bytes = (size_t)(r->numel * nomen__item(t->dtype));
    int64_t before = t->data - t->storage->data;
    size_t kept = before < 0 ? 0 : t->storage->bytes - (size_t)before;
    if (t->numel == 0) kept = 0;
    if (kept > bytes) kept = bytes;
    if (kept) memcpy(r->data, t->data, kept);
    if (bytes > kept) memset(r->data + kept, 0, bytes - kept);
    return r;
}

static nomen_status resize(nomen_tensor *t, int ndim, const int64_t *size) {
    nomen_status s = check_resize(t, ndim, size);
    if (s || nomen__has_sizes(t, ndim, size)) return s;
    int64_t numel = nomen__checked_numel(size, ndim, (size_t)nomen__item(t->dtype));
    if (numel < 0) return NOMEN_ERROR_SHAPE;
    nomen_tensor *r =
        has_room(t, numel) ? within_storage(t, ndim, size) : in_new_storage(t, ndim, size);
    if (!r) return t->device ? NOMEN_ERROR_UNSUPPORTED : NOMEN_ERROR_MEMORY;
    s = nomen__tensor_become(t, r);
    nomen__release(r);
    return s;
}

nomen_status nomen__compose_resize(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    nomen_sizes sizes = c->arg[1].sizes;
    if (sizes.count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%lld dims are too many: a tensor has at most %d",
                           (long long)sizes.count, NOMEN_MAX_DIMS);
    nomen_status s = check_format(c, t);
    if (!s) s = resize(t, (int)sizes.count, sizes.at);
    c->out[0] = s ? NULL : nomen__retain(t);
    return s;
}

nomen_status nomen__compose_resize_as(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    const nomen_tensor *other = c->in[1];
    nomen_status s = check_format(c, t);
    if (!s && nomen__is_named(t)) {
        s = check_resize(t, other->ndim, other->size);
        if (!s) s = nomen__names_match_out(nomen__names_of(t), nomen__names_of(other));
    }
    if (!s) s = resize(t, other->ndim, other->size);
    if (!s && !nomen__is_named(t) && nomen__is_named(other)) nomen__set_names(t, other->names);
    c->out[0] = s ? NULL : nomen__retain(t);
    return s;
}
