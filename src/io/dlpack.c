/* DLPack: tensors handed to other libraries of this process and taken from them, without a copy.
 * Capsules are in python/src/py_exchange.c. */
#include "op/op.h"

#include "nomen/exchange.h"

#include <string.h>

/* ---- dtypes ---------------------------------------------------------------------------------- */

static const struct {
    uint8_t code, bits;
} codes[NOMEN_DTYPE_COUNT] = {
    [NOMEN_BOOL] = {NOMEN_DL_BOOL, 8},    [NOMEN_U8] = {NOMEN_DL_UINT, 8},
    [NOMEN_I8] = {NOMEN_DL_INT, 8},       [NOMEN_I16] = {NOMEN_DL_INT, 16},
    [NOMEN_I32] = {NOMEN_DL_INT, 32},     [NOMEN_I64] = {NOMEN_DL_INT, 64},
    [NOMEN_F16] = {NOMEN_DL_FLOAT, 16},   [NOMEN_BF16] = {NOMEN_DL_BFLOAT, 16},
    [NOMEN_F32] = {NOMEN_DL_FLOAT, 32},   [NOMEN_F64] = {NOMEN_DL_FLOAT, 64},
    [NOMEN_C64] = {NOMEN_DL_COMPLEX, 64}, [NOMEN_C128] = {NOMEN_DL_COMPLEX, 128},
};

static nomen_dtype dtype_of(const nomen_dl_tensor *x) {
    for (int d = 1; d < NOMEN_DTYPE_COUNT; d++)
        if (x->dtype.lanes == 1 && codes[d].code == x->dtype.code && codes[d].bits == x->dtype.bits)
            return (nomen_dtype)d;
    nomen__fail(
        NOMEN_ERROR_DTYPE,
        "from_dlpack: nomen has no dtype for DLPack's (code %d, %d bits, %d lanes); convert "
        "it in the library that it comes from",
        x->dtype.code, x->dtype.bits, x->dtype.lanes);
    return NOMEN_DTYPE_NONE;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* What is handed out: both forms have room, the deleter knows which one it is. */
typedef struct export {
    union {
        nomen_dl_managed managed;
        nomen_dl_managed_old old;
    } as;
    nomen__storage *storage;
    size_t bytes; /* of this block */
    int64_t dims[];
}
export;

static void end(export *e) {
    nomen__storage_release(e->storage);
    nomen__free(e, e->bytes);
}

static void delete_managed(nomen_dl_managed *self) {
    if (self) end(self->context);
}

static void delete_old(nomen_dl_managed_old *self) {
    if (self) end(self->context);
}

static export *export_new(const nomen_tensor *t, nomen_dl_tensor *x) {
    if (!t || (t->flags & NOMEN__REQUIRES)) {
        if (t)
            nomen__fail(NOMEN_ERROR_GRAD,
                        "Can't export tensors that require gradient, use tensor.detach()");
        else
            nomen__fail(NOMEN_ERROR_TYPE, "to_dlpack: there is no tensor (NULL)");
        return NULL;
    }
    if (nomen__need_cpu("to_dlpack: the tensor", t) || nomen__before_write(t->storage)) return NULL;
    size_t bytes = sizeof(export) + 2 * (size_t)t->ndim * sizeof(int64_t);
    export *e = nomen__alloc(bytes);
    if (!e) return NULL;
    e->bytes = bytes;
    e->storage = t->storage;
    nomen__storage_retain(t->storage);
    *x = (nomen_dl_tensor){.data = t->numel ? t->data : NULL,
                           .ndim = t->ndim,
                           .shape = e->dims,
                           .strides = e->dims + t->ndim};
    x->device.type = NOMEN_DL_CPU;
    x->dtype.code = codes[t->dtype].code;
    x->dtype.bits = codes[t->dtype].bits;
    x->dtype.lanes = 1;
    for (int i = 0; i < t->ndim; i++) {
        x->shape[i] = t->size[i];
        x->strides[i] = t->stride[i];
    }
    return e;
}

nomen_dl_managed *nomen_to_dlpack(const nomen_tensor *t) {
    nomen_dl_tensor x;
    export *e = export_new(t, &x);
    if (!e) return NULL;
    nomen_dl_managed *m = &e->as.managed;
    *m = (nomen_dl_managed){.context = e, .deleter = delete_managed, .tensor = x};
    m->version.major = NOMEN_DL_MAJOR;
    m->version.minor = NOMEN_DL_MINOR;
    m->flags = t->storage->readonly ? NOMEN_DL_READ_ONLY : 0;
    return m;
}

nomen_dl_managed_old *nomen_to_dlpack_old(const nomen_tensor *t) {
    nomen_dl_tensor x;
    if (t && t->storage->readonly) {
        nomen__fail(NOMEN_ERROR_STATE,
                    "to_dlpack: the memory of the tensor is read-only, which this old form of "
                    "DLPack cannot say; use clone()");
        return NULL;
    }
    export *e = export_new(t, &x);
    if (!e) return NULL;
    e->as.old = (nomen_dl_managed_old){.tensor = x, .context = e, .deleter = delete_old};
    return &e->as.old;
}

/* ---- in -------------------------------------------------------------------------------------- */

static nomen_tensor *on_memory(const nomen_dl_tensor *x, const char *names,
                               void (*release)(void *payload), void *payload, bool readonly) {
    nomen_name list[NOMEN_MAX_DIMS];
    int n = 0;
    if (x->device.type != NOMEN_DL_CPU) {
        nomen__fail(NOMEN_ERROR_DEVICE,
                    "from_dlpack: the memory is on a device of DLPack's type %d, and nomen has the "
                    "CPU (1) only: move it there first",
                    (int)x->device.type);
        return NULL;
    }
    nomen_dtype dtype = dtype_of(x);
    if (!dtype) return NULL;
    if (x->ndim < 0 || x->ndim > NOMEN_MAX_DIMS || (x->ndim && !x->shape)) {
        nomen__fail(NOMEN_ERROR_SHAPE,
                    "from_dlpack: %d dims%s: nomen wants 0 to %d, and their sizes", (int)x->ndim,
                    x->ndim && !x->shape ? " without sizes" : "", NOMEN_MAX_DIMS);
        return NULL;
    }
    if (names && (nomen__names_split(names, list, &n) || nomen__check_names(list, n, x->ndim)))
        return NULL;
    uintptr_t at = (uintptr_t)x->data;
    if (x->data && __builtin_add_overflow(at, x->byte_offset, &at)) {
        nomen__fail(NOMEN_ERROR_VALUE, "from_dlpack: byte_offset leads out of the address space");
        return NULL;
    }
    /* as a number until it is known to lead somewhere */
    nomen_tensor *t =
        nomen__tensor_foreign((void *)at, dtype, x->ndim, x->shape, x->strides, NULL, NULL);
    if (!t) return NULL;
    t->storage->readonly = readonly;
    nomen__set_names(t, names ? list : NULL);
    t = nomen__scoped(t);
    if (t) {
        t->storage->release = release;
        t->storage->payload = payload;
    }
    return t;
}

static void release_managed(void *payload) {
    nomen_dl_managed *m = payload;
    if (m->deleter) m->deleter(m);
}

static void release_old(void *payload) {
    nomen_dl_managed_old *m = payload;
    if (m->deleter) m->deleter(m);
}

nomen_tensor *nomen_from_dlpack(nomen_dl_managed *m, const char *names) {
    if (!m || m->version.major != NOMEN_DL_MAJOR) {
        nomen__fail(NOMEN_ERROR_VALUE,
                    m ? "from_dlpack: DLPack's version is %u.%u, and nomen knows %d.x"
                      : "from_dlpack: there is nothing (NULL)",
                    m ? m->version.major : 0, m ? m->version.minor : 0, NOMEN_DL_MAJOR);
        return NULL;
    }
    return on_memory(&m->tensor, names, release_managed, m, m->flags & NOMEN_DL_READ_ONLY);
}

nomen_tensor *nomen_from_dlpack_old(nomen_dl_managed_old *m, const char *names) {
    if (!m) {
        nomen__fail(NOMEN_ERROR_VALUE, "from_dlpack: there is nothing (NULL)");
        return NULL;
    }
    return on_memory(&m->tensor, names, release_old, m, false);
}
