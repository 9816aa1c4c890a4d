/* Memory shared with others through Python's buffer protocol, in both directions. */
#include "py.h"

/* The letters of the struct module that are handed out; long is 8 bytes on every system that nomen
 * runs on. */
static const char *const formats[NOMEN_DTYPE_COUNT] = {
    [NOMEN_BOOL] = "?", [NOMEN_U8] = "B",   [NOMEN_I8] = "b",    [NOMEN_I16] = "h",
    [NOMEN_I32] = "i",  [NOMEN_I64] = "l",  [NOMEN_F16] = "e",   [NOMEN_F32] = "f",
    [NOMEN_F64] = "d",  [NOMEN_C64] = "Zf", [NOMEN_C128] = "Zd",
};

/* ---- in -------------------------------------------------------------------------------------- */

/* Letters say the kind, the itemsize says the width: 'l' has 8 bytes, but 4 behind '<'. */
static const struct {
    const char *letters;
    uint8_t itemsize, dtype;
} kinds[] = {
    {"?", 1, NOMEN_BOOL},    {"B", 1, NOMEN_U8},      {"b", 1, NOMEN_I8},
    {"hilqn", 2, NOMEN_I16}, {"hilqn", 4, NOMEN_I32}, {"hilqn", 8, NOMEN_I64},
    {"e", 2, NOMEN_F16},     {"f", 4, NOMEN_F32},     {"d", 8, NOMEN_F64},
    {"fF", 8, NOMEN_C64},    {"dD", 16, NOMEN_C128},
};

static nomen_dtype dtype_of(const char *format, Py_ssize_t itemsize) {
    if (!format) format = "B";
    bool foreign =
        *format == (PY_LITTLE_ENDIAN ? '>' : '<') || (PY_LITTLE_ENDIAN && *format == '!');
    if (*format && strchr("@=<>!", *format)) format++;
    bool complex = *format == 'Z';
    if (complex) format++;
    if (!format[0] || format[1] || (foreign && itemsize > 1)) return NOMEN_DTYPE_NONE;
    for (size_t i = 0; i < NOMEN_COUNT(kinds); i++)
        if (kinds[i].itemsize == itemsize && strchr(kinds[i].letters, *format) &&
            (complex || strchr("FD", *format)) == nomen_dtype_is_complex(kinds[i].dtype))
            return kinds[i].dtype;
    return NOMEN_DTYPE_NONE;
}

/* After the interpreter has ended nobody can be told, and the process is about to go. */
static void release_view(void *payload) {
    Py_buffer *view = payload;
    if (!Py_IsInitialized()) return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(view);
    PyGILState_Release(state);
    nomen__free(view, sizeof *view);
}

static nomen_tensor *on_view(Py_buffer *view, nomen_dtype dtype) {
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
    if (view->ndim > NOMEN_MAX_DIMS) return nomen__tensor_new(dtype, view->ndim);
    if (view->ndim && !view->shape) {
        nomen__fail(NOMEN_ERROR_VALUE, "the array does not tell its sizes");
        return NULL;
    }
    for (int i = 0; i < view->ndim; i++) {
        size[i] = view->shape[i];
        if (!view->strides) continue; /* ctypes has none: row-major */
        stride[i] = view->strides[i] / view->itemsize;
        if (size[i] > 1 && view->strides[i] % view->itemsize) {
            nomen__fail(NOMEN_ERROR_VALUE, "the strides of the array are not multiples of its "
                                           "itemsize: copy it first");
            return NULL;
        }
    }
    nomen_tensor *t = nomen__tensor_foreign(view->buf, dtype, view->ndim, size,
                                            view->strides ? stride : NULL, release_view, view);
    if (t) t->storage->readonly = view->readonly != 0;
    return t;
}

static Py_buffer *take_view(py_state *s, PyObject *o, int flags) {
    Py_buffer *view = nomen__alloc(sizeof *view);
    if (!view) {
        nomen__py_raise(s);
        return NULL;
    }
    if (PyObject_GetBuffer(o, view, flags) == 0) return view;
    nomen__free(view, sizeof *view);
    return NULL;
}

/* t is on the view, or NULL with the library's error unless one of Python's is set. */
static nomen_tensor *done(py_state *s, Py_buffer *view, nomen_tensor *t) {
    if (t) return t;
    nomen__py_raise(s);
    PyBuffer_Release(view);
    nomen__free(view, sizeof *view);
    return NULL;
}

nomen_tensor *nomen__py_from_buffer(py_state *s, PyObject *o) {
    Py_buffer *view = take_view(s, o, PyBUF_FULL_RO);
    if (!view) return NULL;
    nomen_dtype dtype = dtype_of(view->format, view->itemsize);
    if (dtype && !view->suboffsets) return done(s, view, on_view(view, dtype));
    PyErr_Format(PyExc_TypeError,
                 "can't convert an array of format '%s': the formats that nomen knows are "
                 "bool, uint8, int8 to int64, float16 to float64, complex64 and complex128, in "
                 "this machine's byte order",
                 view->format ? view->format : "B");
    return done(s, view, NULL);
}

nomen_tensor *nomen__py_from_bytes(py_state *s, PyObject *o) {
    Py_buffer *view = take_view(s, o, PyBUF_SIMPLE);
    if (!view) return NULL;
    int64_t bytes = view->len;
    nomen_tensor *t =
        nomen__tensor_foreign(view->buf, NOMEN_U8, 1, &bytes, NULL, release_view, view);
    if (t) t->storage->readonly = view->readonly != 0;
    return done(s, view, t);
}

/* The part of a buffer that frombuffer means; NULL: raised. */
static nomen_tensor *part_of(py_state *s, nomen_tensor *bytes, nomen_dtype dtype, Py_ssize_t count,
                             Py_ssize_t offset) {
    int64_t item = (int64_t)nomen_dtype_size(dtype), length = bytes->numel;
    if (!length || !count) {
        PyErr_Format(PyExc_ValueError, "both buffer length (%lld) and count (%zd) must not be 0",
                     (long long)length, count);
        return NULL;
    }
    if (offset < 0 || offset >= length) {
        PyErr_Format(PyExc_ValueError,
                     "offset (%zd bytes) must be non-negative and no greater than buffer length "
                     "(%lld bytes) minus 1",
                     offset, (long long)length);
        return NULL;
    }
    if (count < 0 && (length - offset) % item) {
        PyErr_Format(PyExc_ValueError,
                     "buffer length (%lld bytes) after offset (%zd bytes) must be a multiple of "
                     "element size (%lld)",
                     (long long)length, offset, (long long)item);
        return NULL;
    }
    int64_t n = count < 0 ? (length - offset) / item : count;
    if (n > (length - offset) / item) {
        PyErr_Format(PyExc_ValueError,
                     "requested buffer length (%zd * %lld bytes) after offset (%zd bytes) must not "
                     "be greater than actual buffer length (%lld bytes)",
                     count, (long long)item, offset, (long long)length);
        return NULL;
    }
    /* The view belongs to the storage of bytes: that is what the result holds. */
    nomen_tensor *t = nomen__tensor_new(dtype, 1);
    if (t && (uintptr_t)(bytes->data + offset) % nomen__alignment(dtype)) {
        nomen__release(t);
        t = NULL;
        nomen__fail(NOMEN_ERROR_VALUE,
                    "frombuffer: the address at offset %zd is not aligned to %zu bytes, as %s "
                    "needs: copy that part of the buffer first",
                    offset, nomen__alignment(dtype), nomen_dtype_name(dtype));
    }
    if (!t) {
        nomen__py_raise(s);
        return NULL;
    }
    nomen__storage_retain(bytes->storage);
    t->storage = bytes->storage;
    t->data = bytes->data + offset;
    t->size[0] = n;
    t->stride[0] = 1;
    nomen__tensor_finish(t);
    return t;
}

PyObject *nomen__py_frombuffer(PyObject *module, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"buffer",        "dtype", "count", "offset",
                               "requires_grad", "names", NULL};
    py_state *s = PyModule_GetState(module);
    PyObject *buffer, *dtype = NULL, *names = Py_None;
    Py_ssize_t count = -1, offset = 0;
    int requires_grad = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OnnpO:frombuffer", keywords, &buffer, &dtype,
                                     &count, &offset, &requires_grad, &names))
        return NULL;
    nomen_dtype d = dtype ? nomen__py_dtype(s, dtype) : NOMEN_DTYPE_NONE;
    if (!d)
        return PyErr_Format(PyExc_TypeError,
                            "frombuffer(): argument 'dtype' must be nomen.dtype, "
                            "not %s",
                            dtype ? Py_TYPE(dtype)->tp_name : "missing");
    if (!PyObject_CheckBuffer(buffer))
        return PyErr_Format(PyExc_ValueError, "object does not implement Python buffer protocol.");
    nomen_tensor *bytes = nomen__py_from_bytes(s, buffer);
    nomen_tensor *t = bytes ? part_of(s, bytes, d, count, offset) : NULL;
    nomen__release(bytes);
    if (!t) return NULL;
    if (!nomen__py_name(s, t, names) || (requires_grad && !nomen__py_require_grad(s, t))) {
        nomen__release(t);
        return NULL;
    }
    return nomen__py_wrap(s, t);
}

/* ---- out ------------------------------------------------------------------------------------- */

typedef struct py_export {
    nomen__storage *storage; /* the tensor may get another one while the view is out */
    Py_ssize_t shape[NOMEN_MAX_DIMS], strides[NOMEN_MAX_DIMS];
} py_export;

static bool column_major(const nomen_tensor *t) {
    int64_t step = 1;
    for (int i = 0; i < t->ndim && t->numel; i++) {
        if (t->size[i] != 1 && t->stride[i] != step) return false;
        step *= t->size[i];
    }
    return true;
}

/* Is the order of the elements one that the consumer can take? */
static bool as_asked(const nomen_tensor *t, int flags) {
    bool rows = t->flags & NOMEN__CONTIGUOUS;
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES ||
        (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS)
        return rows;
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) return column_major(t);
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS) return rows || column_major(t);
    return true;
}

int nomen__py_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    nomen_tensor *t = nomen__py_unwrap(self);
    const char *format = formats[t->dtype];
    view->obj = NULL;
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
    if (t->device) {
        PyErr_Format(PyExc_BufferError,
                     "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the "
                     "tensor to host memory first.",
                     nomen__device_name(t->device));
        return -1;
    }
    if (nomen__make_ready(t) || nomen__before_write(t->storage)) {
        nomen__py_raise(((py_tensor *)self)->state);
        return -1;
    }
    if (!as_asked(t, flags)) {
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
