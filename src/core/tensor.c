/* Tensor headers: making, copying, freeing. Questions that users ask of tensors are in query.c,
 * names in names.c. */
#include "core/state.h"

enum { SPILL_BYTES = NOMEN_MAX_DIMS * (int)(2 * sizeof(int64_t) + sizeof(nomen_name)) };

void (*nomen__autograd_free)(struct nomen__autograd *);
nomen__put_off_hooks nomen__put_off;

/* Room for the largest rank, so that its size does not depend on what becomes of ndim. */
static bool spill(nomen_tensor *t) {
    char *block = nomen__alloc(SPILL_BYTES);
    if (!block) return false;
    t->size = (int64_t *)(void *)block;
    t->stride = t->size + NOMEN_MAX_DIMS;
    t->names = (nomen_name *)(void *)(t->stride + NOMEN_MAX_DIMS);
    t->flags |= NOMEN__SPILLED;
    return true;
}

static void use_inline_dims(nomen_tensor *t) {
    t->size = t->inline_size;
    t->stride = t->inline_stride;
    t->names = t->inline_names;
}

/* A header for at most NOMEN__INLINE_DIMS dims. */
static inline nomen_tensor *header_new(nomen_dtype dtype, int ndim) {
    nomen_tensor *t = nomen__alloc_here(nomen__thread_here, sizeof *t);
    if (NOMEN_UNLIKELY(!t)) return NULL;
    atomic_init(&t->refs, 1);
    t->dtype = (uint8_t)dtype;
    t->ndim = (uint8_t)ndim;
    t->flags = 0;
    t->device = 0;
    t->data = NULL;
    t->storage = NULL;
    t->numel = 0;
    t->grad = NULL;
    t->base = NULL;
    use_inline_dims(t);
    t->scope = NULL;
    t->scope_slot = 0;
    t->magic = NOMEN__LIVE;
    t->python = NULL;
    nomen__count(&nomen__thread_here->counters.tensors, 1);
    return t;
}

static NOMEN_NOINLINE nomen_tensor *header_new_spilled(nomen_dtype dtype, int ndim) {
    if (ndim < 0 || ndim > NOMEN_MAX_DIMS) {
        nomen__fail(NOMEN_ERROR_SHAPE, "a tensor has at most %d dims, not %d: flatten some of them",
                    NOMEN_MAX_DIMS, ndim);
        return NULL;
    }
    nomen_tensor *t = header_new(dtype, ndim);
    if (!t || spill(t)) return t;
    nomen__tensor_free(t);
    return NULL;
}

nomen_tensor *nomen__tensor_new(nomen_dtype dtype, int ndim) {
    if (NOMEN_UNLIKELY((unsigned)ndim > NOMEN__INLINE_DIMS)) return header_new_spilled(dtype, ndim);
    return header_new(dtype, ndim);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A small tensor that dies alone with its storage is kept as it is, header and storage together:
 * the next one of its size class then costs one list, and most of its fields are right already. The
 * counters go on counting it as alive; whoever reads them takes the pairs off (global.c). */

static inline bool pair_keep(nomen_tensor *t) {
    nomen__storage *s = t->storage;
    nomen__thread *me = nomen__thread_here;
    if (!NOMEN__CACHING || !s || !s->inlined || !me || (t->flags & NOMEN__SPILLED) || t->grad ||
        t->base || atomic_load_explicit(&s->refs, memory_order_acquire) != 1)
        return false;
    nomen__free_list *list = &me->pairs[nomen__small_class(s->inlined)];
    if (nomen__list_count(list) >= NOMEN__PAIRS_KEPT) return false;
    t->magic = NOMEN__DEAD;
    nomen__list_push(list, t);
    return true;
}

/* NULL: none is ready. Sizes, strides and names are for the caller to set. */
static inline nomen_tensor *pair_take(nomen_dtype dtype, int ndim, size_t bytes) {
    nomen__thread *me = nomen__thread_here;
    if (!NOMEN__CACHING || !me || nomen__faults_wait(me) || bytes > NOMEN__INLINED ||
        ndim > NOMEN__INLINE_DIMS ||
        atomic_load_explicit(&nomen__memory_limit, memory_order_relaxed))
        return NULL;
    nomen__free_list *list = &me->pairs[nomen__small_class(NOMEN__STORAGE_HEAD + bytes)];
    nomen_tensor *t = list->head;
    if (!t) return NULL;
    nomen__list_pop(list);
    nomen__count(&me->counters.allocations, 1);
    nomen__storage *s = t->storage;
    atomic_store_explicit(&s->version, 0, memory_order_relaxed);
    s->bytes = bytes;
    atomic_store_explicit(&t->refs, 1, memory_order_relaxed);
    t->dtype = (uint8_t)dtype;
    t->ndim = (uint8_t)ndim;
    t->flags = NOMEN__CONTIGUOUS;
    t->device = 0;
    t->data = s->data;
    t->scope = NULL;
    t->magic = NOMEN__LIVE;
    t->python = NULL;
    return t;
}

nomen__pairs nomen__pairs_of(const nomen__thread *t) {
    nomen__pairs sum = {0, 0};
    for (int i = 0; i < NOMEN__PAIR_CLASSES; i++) {
        int64_t count = nomen__list_count(&t->pairs[i]);
        sum.count += count;
        sum.bytes += count * (int64_t)nomen__small_size(i);
    }
    return sum;
}

static void tensor_free(nomen_tensor *t);

void nomen__pairs_drop(nomen__thread *t) {
    for (int i = 0; i < NOMEN__PAIR_CLASSES; i++)
        for (nomen_tensor *dead; (dead = t->pairs[i].head);) {
            nomen__list_pop(&t->pairs[i]);
            dead->flags = 0; /* the list was written over them */
            tensor_free(dead);
        }
}

/* ---- the end --------------------------------------------------------------------------------- */

void nomen__tensor_free(nomen_tensor *t) {
    if (!NOMEN_LIKELY(pair_keep(t))) tensor_free(t);
}

static NOMEN_NOINLINE void tensor_free(nomen_tensor *t) {
    if (NOMEN_UNLIKELY(t->grad && nomen__autograd_free)) nomen__autograd_free(t->grad);
    if (NOMEN_UNLIKELY(t->base != NULL)) nomen__release(t->base);
    if (NOMEN_UNLIKELY(nomen__is_put_off(t))) nomen__put_off.leave(t);
    if (t->storage) nomen__storage_release(t->storage);
    if (NOMEN_UNLIKELY(t->flags & NOMEN__SPILLED)) nomen__free(t->size, SPILL_BYTES);
    t->magic = NOMEN__DEAD;
    nomen__thread *me = nomen__thread_get();
    nomen__count(&nomen__counters_of(me)->tensors, -1);
    nomen__free_here(me, t, sizeof *t);
}

int64_t nomen__checked_numel(const int64_t *size, int ndim, size_t item) {
    int64_t numel = 1,
            spread = 1; /* spread: empty dims count as 1, for the strides have to fit too */
    for (int i = 0; i < ndim; i++) {
        if (NOMEN_UNLIKELY(size[i] < 0)) {
            nomen__fail(NOMEN_ERROR_SHAPE,
                        "size %lld of dim %d is negative: sizes must be 0 or more",
                        (long long)size[i], i);
            return -1;
        }
        bool over = __builtin_mul_overflow(spread, size[i] ? size[i] : 1, &spread);
        if (NOMEN_UNLIKELY(over)) goto too_large;
        numel *= size[i];
    }
    int64_t bytes;
    if (NOMEN_LIKELY(!__builtin_mul_overflow(spread, (int64_t)item, &bytes))) return numel;
too_large:;
    NOMEN__TEXT(list, 512);
    nomen__text_sizes(&list, size, ndim);
    nomen__fail(
        NOMEN_ERROR_SHAPE,
        "a tensor of sizes %s with %zu-byte elements is too large for this machine's address space",
        list_buffer, item);
    return -1;
}

void nomen__contiguous_strides(const int64_t *size, int ndim, int64_t *stride) {
    int64_t step = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        stride[i] = step;
        step *= size[i] > 1 ? size[i] : 1;
    }
}

void nomen__tensor_finish(nomen_tensor *t) {
    int64_t numel = 1;
    bool contiguous = true;
    /* The stride of a dim of size 1 is never walked, and nothing at all is walked in an empty
     * tensor. */
    for (int i = t->ndim - 1; i >= 0; i--) {
        contiguous &= (t->size[i] == 1) | (t->stride[i] == numel);
        numel *= t->size[i];
    }
    contiguous |= !numel;
    t->numel = numel;
    t->flags = (uint8_t)(contiguous ? t->flags | NOMEN__CONTIGUOUS : t->flags & ~NOMEN__CONTIGUOUS);
}

/* A fresh contiguous header with its storage; sizes and strides are for the caller to set. */
static inline __attribute__((always_inline)) nomen_tensor *fresh_new(nomen_dtype dtype, int ndim,
                                                                     int64_t numel) {
#if PTRDIFF_MAX < INT64_MAX
    if (numel * nomen__item(dtype) > PTRDIFF_MAX) {
        nomen__fail(NOMEN_ERROR_MEMORY, "cannot allocate %lld bytes: the address space holds fewer",
                    (long long)(numel * nomen__item(dtype)));
        return NULL;
    }
#endif
    size_t bytes = (size_t)(numel * nomen__item(dtype));
    nomen_tensor *t = pair_take(dtype, ndim, bytes);
    if (NOMEN_UNLIKELY(!t)) {
        t = nomen__tensor_new(dtype, ndim);
        if (NOMEN_UNLIKELY(!t)) return NULL;
        t->flags |= NOMEN__CONTIGUOUS;
        t->storage = nomen__storage_new(bytes);
        if (NOMEN_UNLIKELY(!t->storage)) {
            nomen__tensor_free(t);
            return NULL;
        }
        t->data = t->storage->data;
    }
    t->numel = numel;
    return t;
}

static NOMEN_NOINLINE nomen_tensor *empty_checked(nomen_dtype dtype, int ndim,
                                                  const int64_t *size) {
    size_t item = nomen_dtype_size(dtype);
    if (NOMEN_UNLIKELY(item == 0)) {
        nomen__fail(NOMEN_ERROR_DTYPE, "%d is not a dtype", (int)dtype);
        return NULL;
    }
    if (NOMEN_UNLIKELY(ndim < 0 || ndim > NOMEN_MAX_DIMS))
        return nomen__tensor_new(dtype, ndim); /* says what is wrong */
    int64_t numel = nomen__checked_numel(size, ndim, item);
    if (NOMEN_UNLIKELY(numel < 0)) return NULL;
    nomen_tensor *t = fresh_new(dtype, ndim, numel);
    if (NOMEN_UNLIKELY(!t)) return NULL;
    for (int i = 0; i < ndim; i++) t->size[i] = size[i];
    nomen__contiguous_strides(size, ndim, t->stride);
    return t;
}

nomen_tensor *nomen__tensor_empty(nomen_dtype dtype, int ndim, const int64_t *size) {
    /* Few dims of small sizes cannot go wrong: their product is looked at once, at the end. */
    enum { FEW = 4, SMALL = 32767 };
    if (NOMEN_UNLIKELY((unsigned)dtype - 1u >= NOMEN_DTYPE_COUNT - 1u || (unsigned)ndim > FEW))
        return empty_checked(dtype, ndim, size);
    uint64_t step[FEW], numel = 1, largest = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        step[i] = numel;
        numel *= (uint64_t)size[i];
        largest |= (uint64_t)size[i];
    }
    if (NOMEN_UNLIKELY(largest > SMALL || !numel)) return empty_checked(dtype, ndim, size);
    nomen_tensor *t = fresh_new(dtype, ndim, (int64_t)numel);
    if (NOMEN_UNLIKELY(!t)) return NULL;
    for (int i = 0; i < ndim; i++) {
        t->size[i] = size[i];
        t->stride[i] = (int64_t)step[i];
    }
    return t;
}

nomen_tensor *nomen__tensor_like(const nomen_tensor *model, nomen_dtype dtype) {
    nomen_tensor *t = fresh_new(dtype, model->ndim, model->numel);
    if (NOMEN_UNLIKELY(!t)) return NULL;
    for (int i = 0; i < model->ndim; i++) {
        t->size[i] = model->size[i];
        t->stride[i] = model->stride[i];
    }
    return t;
}

static void copy_dims(nomen_tensor *to, const nomen_tensor *from) {
    for (int i = 0; i < from->ndim; i++) {
        to->size[i] = from->size[i];
        to->stride[i] = from->stride[i];
    }
    if (from->flags & NOMEN__NAMED)
        for (int i = 0; i < from->ndim; i++) to->names[i] = from->names[i];
}

enum { COPIED_FLAGS = NOMEN__NAMED | NOMEN__CONTIGUOUS | NOMEN__AWAY };

nomen_tensor *nomen__tensor_alias(const nomen_tensor *t) {
    nomen_tensor *twin = nomen__tensor_new((nomen_dtype)t->dtype, t->ndim);
    if (!twin) return NULL;
    copy_dims(twin, t);
    twin->flags |= t->flags & COPIED_FLAGS;
    twin->device = t->device;
    twin->data = t->data;
    twin->numel = t->numel;
    twin->storage = t->storage;
    nomen__storage_retain(twin->storage);
    if (NOMEN_LIKELY(!nomen__is_put_off(twin)) || !nomen__put_off.join(twin)) return twin;
    twin->flags &= (uint8_t)~NOMEN__AWAY; /* nobody knows it */
    nomen__release(twin);
    return NULL;
}

nomen_tensor *nomen__tensor_view(const nomen_tensor *t, nomen_dtype dtype, int ndim,
                                 const int64_t *size, const int64_t *stride, int64_t bytes) {
    nomen_tensor *v = nomen__tensor_new(dtype, ndim);
    if (!v) return NULL;
    for (int i = 0; i < ndim; i++) {
        v->size[i] = size[i];
        v->stride[i] = stride[i];
    }
    nomen__storage_retain(t->storage);
    v->storage = t->storage;
    v->data = t->data + bytes;
    nomen__same_place(v, t);
    nomen__tensor_finish(v);
    return v;
}

/* Whoever asked may fail later: the dims move with the room. */
nomen_status nomen__tensor_reserve(nomen_tensor *t, int ndim) {
    if (ndim <= NOMEN__INLINE_DIMS || (t->flags & NOMEN__SPILLED)) return NOMEN_OK;
    if (!spill(t)) return NOMEN_ERROR_MEMORY;
    memcpy(t->size, t->inline_size, sizeof t->inline_size);
    memcpy(t->stride, t->inline_stride, sizeof t->inline_stride);
    memcpy(t->names, t->inline_names, sizeof t->inline_names);
    return NOMEN_OK;
}

nomen_status nomen__tensor_become(nomen_tensor *t, const nomen_tensor *from) {
    if (t == from) return NOMEN_OK;
    if (nomen__tensor_reserve(t, from->ndim) || nomen__make_ready(t) || nomen__make_ready(from))
        return NOMEN_ERROR_MEMORY;
    nomen__storage *old = t->storage;
    nomen__storage_retain(from->storage);
    t->storage = from->storage;
    t->data = from->data;
    t->dtype = from->dtype;
    t->ndim = from->ndim;
    t->device = from->device;
    t->numel = from->numel;
    copy_dims(t, from);
    int goes = COPIED_FLAGS | (t->ndim ? NOMEN__WRAPPED : 0); /* a number has no dims */
    t->flags = (uint8_t)((t->flags & ~goes) | (from->flags & COPIED_FLAGS));
    nomen_tensor *base = t->base;
    t->base = NULL; /* other data: no view of it any more */
    nomen__release(base);
    nomen__storage_release(old);
    return NOMEN_OK;
}
