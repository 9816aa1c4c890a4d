/* Memory shared with others through Python's buffer protocol, in both directions. */
#include "py.h"

/* struct's letters; long is 8 bytes on every system that nomen runs on. */
static const struct {
    const char *format;
    nomen_dtype dtype;
} formats[] = {
    {"?", NOMEN_BOOL}, {"B", NOMEN_U8},  {"b", NOMEN_I8},   {"h", NOMEN_I16},
    {"i", NOMEN_I32},  {"l", NOMEN_I64}, {"q", NOMEN_I64},  {"e", NOMEN_F16},
    {"f", NOMEN_F32},  {"d", NOMEN_F64}, {"Zf", NOMEN_C64}, {"Zd", NOMEN_C128},
};

/* ---- in -------------------------------------------------------------------------------------- */

static nomen_dtype dtype_of(const char *format) {
    if (!format) return NOMEN_U8;
    bool little = PY_LITTLE_ENDIAN;
    if (*format == '@' || *format == '=' || *format == (little ? '<' : '>')) format++;
    for (size_t i = 0; i < NOMEN_COUNT(formats); i++)
        if (!strcmp(formats[i].format, format)) return formats[i].dtype;
    return NOMEN_DTYPE_NONE;
}

static void release_view(void *payload) {
    Py_buffer *view = payload;
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(view);
    PyGILState_Release(state);
    nomen__free(view, sizeof *view);
}

/* Sizes, strides and the reach of the elements around the first one. */
static bool lay_out(nomen_tensor *t, const Py_buffer *view, int64_t *low, int64_t *high) {
    int64_t item = view->itemsize;
    *low = 0;
    *high = item;
    for (int i = 0; i < t->ndim; i++) {
        t->size[i] = view->shape[i];
        if (view->strides[i] % item && t->size[i] > 1) return false;
        t->stride[i] = t->size[i] > 1 ? view->strides[i] / item : 1;
        int64_t reach = t->size[i] > 0 ? (t->size[i] - 1) * t->stride[i] * item : 0;
        *(reach < 0 ? low : high) += reach;
    }
    nomen__tensor_finish(t);
    return true;
}

static nomen_tensor *on_view(Py_buffer *view, nomen_dtype dtype) {
    nomen_tensor *t = nomen__tensor_new(dtype, view->ndim);
    if (!t) return NULL;
    int64_t low, high;
    if (!lay_out(t, view, &low, &high)) {
        nomen__fail(NOMEN_ERROR_VALUE,
                    "the strides of the array are not multiples of its itemsize: "
                    "copy it first");
        nomen__release(t);
        return NULL;
    }
    size_t alignment = (size_t)view->itemsize / (nomen_dtype_is_complex(dtype) ? 2 : 1);
    if ((uintptr_t)view->buf % alignment) {
        nomen__fail(NOMEN_ERROR_VALUE, "the array is not aligned to its elements: copy it first");
        nomen__release(t);
        return NULL;
    }
    char *data = view->buf;
    t->storage = nomen__storage_foreign(t->numel ? data + low : data,
                                        t->numel ? (size_t)(high - low) : 0, NULL, view);
    if (!t->storage) {
        nomen__release(t);
        return NULL;
    }
    t->data = data;
    t->storage->readonly = view->readonly != 0;
    t->storage->release = release_view;
    return t;
}

nomen_tensor *nomen__py_from_buffer(py_state *s, PyObject *o) {
    Py_buffer *view = nomen__alloc(sizeof *view);
    if (!view) {
        nomen__py_raise(s);
        return NULL;
    }
    if (PyObject_GetBuffer(o, view, PyBUF_FULL_RO) < 0) {
        nomen__free(view, sizeof *view);
        return NULL;
    }
    nomen_dtype dtype = dtype_of(view->format);
    nomen_tensor *t = NULL;
    if (!dtype || nomen_dtype_size(dtype) != (size_t)view->itemsize || view->suboffsets) {
        PyErr_Format(PyExc_TypeError,
                     "can't convert an array of format '%s': the formats that nomen knows are "
                     "bool, uint8, int8 to int64, float16 to float64, complex64 and complex128, in "
                     "this machine's byte order",
                     view->format ? view->format : "B");
    } else {
        t = on_view(view, dtype);
        if (!t) nomen__py_raise(s);
    }
    if (!t) {
        PyBuffer_Release(view);
        nomen__free(view, sizeof *view);
    }
    return t;
}

/* ---- out ------------------------------------------------------------------------------------- */

typedef struct py_export {
    nomen__storage *storage; /* the tensor may get another one while the view is out */
    Py_ssize_t shape[NOMEN_MAX_DIMS], strides[NOMEN_MAX_DIMS];
} py_export;

int nomen__py_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    nomen_tensor *t = nomen__py_unwrap(self);
    const char *format = NULL;
    view->obj = NULL;
    for (size_t i = 0; i < NOMEN_COUNT(formats) && !format; i++)
        if (formats[i].dtype == t->dtype) format = formats[i].format;
    if (!format) {
        PyErr_Format(PyExc_TypeError, "Got unsupported ScalarType %s: convert it with float()",
                     nomen_dtype_name((nomen_dtype)t->dtype));
        return -1;
    }
    if (t->flags & NOMEN__REQUIRES) {
        PyErr_SetString(PyExc_RuntimeError, "Can't call numpy() on Tensor that requires grad. Use "
                                            "tensor.detach().numpy() instead.");
        return -1;
    }
    bool contiguous = t->flags & NOMEN__CONTIGUOUS;
    if (!contiguous && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous");
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) && t->storage->readonly) {
        PyErr_SetString(PyExc_BufferError, "the memory of the tensor is read-only");
        return -1;
    }
    py_export *e = nomen__alloc(sizeof *e);
    if (!e) {
        nomen__py_raise(((py_tensor *)self)->state);
        return -1;
    }
    nomen__storage_retain(t->storage);
    e->storage = t->storage;
    int64_t item = (int64_t)nomen_dtype_size(t->dtype);
    for (int i = 0; i < t->ndim; i++) {
        e->shape[i] = (Py_ssize_t)t->size[i];
        e->strides[i] = (Py_ssize_t)(t->stride[i] * item);
    }
    *view = (Py_buffer){
        .buf = t->data,
        .len = (Py_ssize_t)(t->numel * item),
        .itemsize = (Py_ssize_t)item,
        .readonly = t->storage->readonly != 0,
        .ndim = t->ndim,
        .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL,
        .shape = flags & PyBUF_ND ? e->shape : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : NULL,
        .internal = e,
        .obj = Py_NewRef(self),
    };
    return 0;
}

void nomen__py_releasebuffer(PyObject *self, Py_buffer *view) {
    (void)self;
    py_export *e = view->internal;
    nomen__storage_release(e->storage);
    nomen__free(e, sizeof *e);
}
