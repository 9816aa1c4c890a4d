/* Tensors on memory that somebody else owns, and what is checked of it. Who that is (the user, a
 * buffer of Python, DLPack) is the caller's affair. */
#include "core/state.h"

size_t nomen__alignment(nomen_dtype dtype) {
    size_t item = nomen_dtype_size(dtype);
    return nomen_dtype_is_complex(dtype) ? item / 2 : item;
}

/* Bytes from the first element down to the lowest and up to the end of the highest one; false if
 * they do not fit. */
static bool reach(const nomen_tensor *t, int64_t item, int64_t *low, int64_t *high) {
    *low = 0;
    *high = item;
    for (int i = 0; i < t->ndim; i++) {
        int64_t way;
        if (__builtin_mul_overflow(t->size[i] - 1, t->stride[i], &way) ||
            __builtin_mul_overflow(way, item, &way) ||
            __builtin_add_overflow(*(way < 0 ? low : high), way, way < 0 ? low : high))
            return false;
    }
    return true;
}

/* Sizes must have been checked. The stride of a dim that is never walked may be anything: it is not
 * taken over. */
static void set_dims(nomen_tensor *t, const int64_t *size, const int64_t *stride) {
    int64_t contiguous[NOMEN_MAX_DIMS];
    nomen__contiguous_strides(size, t->ndim, contiguous);
    for (int i = 0; i < t->ndim; i++) {
        t->size[i] = size[i];
        t->stride[i] = stride && size[i] > 1 ? stride[i] : contiguous[i];
    }
    nomen__tensor_finish(t);
}

static nomen_status lay_out(nomen_tensor *t, char *data, const int64_t *size,
                            const int64_t *stride) {
    set_dims(t, size, stride);
    int64_t low = 0, high = 0;
    const uint64_t first = (uintptr_t)data; /* of 32 bits, where pointers are */
    if (t->numel &&
        (!reach(t, nomen__item(t->dtype), &low, &high) || -(uint64_t)low > first ||
         (uint64_t)high > UINTPTR_MAX - first || (uint64_t)high - (uint64_t)low > PTRDIFF_MAX))
        return nomen__fail(NOMEN_ERROR_VALUE,
                           "the strides lead out of the address space: the memory cannot be used");
    t->data = data;
    t->storage = nomen__storage_foreign(t->numel ? data + low : data, (size_t)high - (size_t)low,
                                        NULL, NULL);
    return t->storage ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

nomen_tensor *nomen__tensor_foreign(void *data, nomen_dtype dtype, int ndim, const int64_t *size,
                                    const int64_t *stride, void (*release)(void *payload),
                                    void *payload) {
    nomen_tensor *t = nomen__tensor_new(dtype, ndim);
    if (!t) return NULL;
    int64_t numel = nomen__checked_numel(size, ndim, nomen_dtype_size(dtype));
    size_t alignment = nomen__alignment(dtype);
    nomen_status failed = numel < 0 ? NOMEN_ERROR_SHAPE : NOMEN_OK;
    if (!failed && !data && numel)
        failed = nomen__fail(NOMEN_ERROR_VALUE, "data is NULL: there is no memory to use");
    if (!failed && numel && (uintptr_t)data % alignment)
        failed = nomen__fail(NOMEN_ERROR_VALUE,
                             "the address is not aligned: %s needs memory aligned to %zu bytes; "
                             "copy it first",
                             nomen_dtype_name(dtype), alignment);
    if (!failed) failed = lay_out(t, data, size, stride);
    if (failed) {
        nomen__tensor_free(t);
        return NULL;
    }
    /* From here on nothing fails: the memory is ours to give back. */
    t->storage->release = release;
    t->storage->payload = payload;
    return t;
}

nomen_tensor *nomen__tensor_on_storage(nomen__storage *s, nomen_dtype dtype, int64_t offset,
                                       int ndim, const int64_t *size, const int64_t *stride) {
    nomen_tensor *t = nomen__tensor_new(dtype, ndim);
    if (!t) return NULL;
    int64_t item = (int64_t)nomen_dtype_size(dtype), low = 0, high = 0, first;
    bool fits = nomen__checked_numel(size, ndim, (size_t)item) >= 0;
    if (fits) {
        set_dims(t, size, stride);
        fits = offset >= 0 && !__builtin_mul_overflow(offset, item, &first) &&
               (!t->numel || reach(t, item, &low, &high)) && first + low >= 0 &&
               !__builtin_add_overflow(first, high, &high) && high <= (int64_t)s->bytes &&
               (uintptr_t)s->data % nomen__alignment(dtype) == 0;
        if (!fits)
            nomen__fail(NOMEN_ERROR_VALUE,
                        "a tensor of these sizes and strides does not lie in the %zu bytes of the "
                        "storage",
                        s->bytes);
    }
    if (!fits) {
        nomen__tensor_free(t);
        return NULL;
    }
    nomen__storage_retain(s);
    t->storage = s;
    t->data = s->data + first;
    return t;
}

nomen_tensor *nomen_from_data(void *data, nomen_dtype dtype, const char *names, nomen_sizes size,
                              void (*release)(void *payload), void *payload) {
    nomen_name list[NOMEN_MAX_DIMS];
    int n = 0,
        ndim = size.count < 0 || size.count > NOMEN_MAX_DIMS ? NOMEN_MAX_DIMS + 1 : (int)size.count;
    if (!nomen_dtype_size(dtype)) {
        nomen__fail(NOMEN_ERROR_DTYPE, "nomen_from_data: %d is not a dtype", (int)dtype);
        return NULL;
    }
    if (names && (nomen__names_split(names, list, &n) || nomen__check_names(list, n, ndim)))
        return NULL;
    if (ndim > NOMEN_MAX_DIMS)
        return nomen__tensor_new(dtype, ndim); /* the error of too many dims */
    nomen_tensor *t = nomen__tensor_foreign(data, dtype, ndim, size.at, NULL, NULL, NULL);
    if (!t) return NULL;
    nomen__set_names(t, names ? list : NULL);
    t = nomen__scoped(t);
    if (t) {
        t->storage->release = release;
        t->storage->payload = payload;
    }
    return t;
}
