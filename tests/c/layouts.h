/* What the tests of the engine share: tensors in every kind of layout, and their elements one by
 * one by index, without any code of the engine. No checks of results here. */
#ifndef NOMEN_TEST_LAYOUTS_H
#define NOMEN_TEST_LAYOUTS_H

#include "../kernels/reference.h"
#include "core/core.h"
#include "nomen/memory.h"
#include "nomen/tensor.h"
#include "op/op.h"

static inline int64_t random_below(int64_t n) { return (int64_t)(random_bits() >> 8) % n; }

/* Small whole numbers, which every dtype holds and no sum of a test loses. */
static inline double small_value(nomen_dtype d) {
    int64_t v = random_below(d == NOMEN_BOOL ? 2 : 5);
    return (double)(nomen_dtype_is_signed(d) ? v - 2 : v);
}

enum layout { ROW_MAJOR = 0, PERMUTED = 1, BACKWARD = 2, SPREAD = 4, ANY_LAYOUT = 7 };

/* A tensor with a layout drawn among those allowed: dims in any order in memory, some of them
 * backwards, with holes. All bytes of the storage that are no elements are guard bytes. */
static inline nomen_tensor *layout_new(nomen_dtype d, int ndim, const int64_t *size, int allowed) {
    int order[NOMEN_MAX_DIMS];
    int64_t step = 1, low = 0, item = dtype_size[d];
    nomen_tensor *t = nomen__tensor_new(d, ndim);
    assert_non_null(t);
    for (int i = 0; i < ndim; i++) order[i] = ndim - 1 - i;
    for (int i = ndim - 1; i > 0 && allowed & PERMUTED; i--) {
        int j = (int)random_below(i + 1), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    for (int i = 0; i < ndim; i++) {
        int dim = order[i];
        t->size[dim] = size[dim];
        if (allowed & SPREAD && random_below(3) == 0) step *= 2;
        t->stride[dim] = step;
        step *= size[dim] ? size[dim] : 1;
        if (allowed & SPREAD && random_below(4) == 0) step += random_below(4);
        if (allowed & BACKWARD && size[dim] && random_below(3) == 0) {
            low += (size[dim] - 1) * t->stride[dim];
            t->stride[dim] = -t->stride[dim];
        }
    }
    t->storage = nomen__storage_new((size_t)((step + 8) * item));
    assert_non_null(t->storage);
    memset(t->storage->data, GUARD_BYTE, t->storage->bytes);
    t->data = t->storage->data + (low + 4) * item;
    nomen__tensor_finish(t);
    return t;
}

static inline char *element(const nomen_tensor *t, const int64_t *index) {
    char *p = t->data;
    for (int d = 0; d < t->ndim; d++) p += index[d] * t->stride[d] * dtype_size[t->dtype];
    return p;
}

/* The element that broadcasting shows at an index of `ndim` dims. */
static inline char *element_broadcast(const nomen_tensor *t, int ndim, const int64_t *index) {
    int64_t own[NOMEN_MAX_DIMS];
    for (int d = 0; d < t->ndim; d++) own[d] = t->size[d] == 1 ? 0 : index[d + ndim - t->ndim];
    return element(t, own);
}

/* The next index in row-major order; false after the last one. */
static inline bool next_index(int ndim, const int64_t *size, int64_t *index) {
    for (int d = ndim - 1; d >= 0; d--) {
        if (++index[d] < size[d]) return true;
        index[d] = 0;
    }
    return false;
}

/* The index of the first element; false if there is none. */
static inline bool first_index(const nomen_tensor *t, int64_t *index) {
    memset(index, 0, sizeof(int64_t) * NOMEN_MAX_DIMS);
    return t->numel > 0;
}

static inline void fill_small(nomen_tensor *t) {
    int64_t index[NOMEN_MAX_DIMS];
    for (bool more = first_index(t, index); more; more = next_index(t->ndim, t->size, index))
        store_double((nomen_dtype)t->dtype, element(t, index), small_value((nomen_dtype)t->dtype),
                     small_value((nomen_dtype)t->dtype));
}

static inline nomen_tensor *layout_small(nomen_dtype d, int ndim, const int64_t *size,
                                         int allowed) {
    nomen_tensor *t = layout_new(d, ndim, size, allowed);
    fill_small(t);
    return t;
}

/* How many bytes of t's storage are neither elements of t nor guard bytes any more. */
static inline int64_t damage(const nomen_tensor *t) {
    char *seen = calloc(1, t->storage->bytes);
    int64_t index[NOMEN_MAX_DIMS], bad = 0;
    assert_non_null(seen);
    for (bool more = first_index(t, index); more; more = next_index(t->ndim, t->size, index))
        memset(seen + (element(t, index) - t->storage->data), 1, (size_t)dtype_size[t->dtype]);
    for (size_t i = 0; i < t->storage->bytes; i++)
        bad += !seen[i] && (uint8_t)t->storage->data[i] != GUARD_BYTE;
    free(seen);
    return bad;
}

static const int thread_counts[] = {1, 2, 5};

#endif
