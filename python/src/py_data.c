/* Numbers in and out: item, tolist, nomen.tensor from nested sequences, as_tensor, from_numpy.
 * Memory shared with other libraries is in py_buffer.c. */
#include "py.h"
#include "py_docs.gen.h"

#include "nomen/tensor.h"

/* ---- out ------------------------------------------------------------------------------------- */

static double bfloat16_value(const char *at) {
    uint16_t half;
    memcpy(&half, at, sizeof half);
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

PyObject *nomen__py_element(nomen_dtype dtype, const char *at) {
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f[2];
    double d[2];
    switch (dtype) {
    case NOMEN_BOOL: return PyBool_FromLong(*at != 0);
    case NOMEN_U8: return PyLong_FromLong((uint8_t)*at);
    case NOMEN_I8: return PyLong_FromLong((int8_t)*at);
    case NOMEN_I16: memcpy(&i16, at, sizeof i16); return PyLong_FromLong(i16);
    case NOMEN_I32: memcpy(&i32, at, sizeof i32); return PyLong_FromLong(i32);
    case NOMEN_I64: memcpy(&i64, at, sizeof i64); return PyLong_FromLongLong(i64);
    case NOMEN_F16: return PyFloat_FromDouble(PyFloat_Unpack2(at, PY_LITTLE_ENDIAN));
    case NOMEN_BF16: return PyFloat_FromDouble(bfloat16_value(at));
    case NOMEN_F32: memcpy(f, at, sizeof f[0]); return PyFloat_FromDouble((double)f[0]);
    case NOMEN_F64: memcpy(d, at, sizeof d[0]); return PyFloat_FromDouble(d[0]);
    case NOMEN_C64:
        memcpy(f, at, sizeof f);
        return PyComplex_FromDoubles((double)f[0], (double)f[1]);
    default: memcpy(d, at, sizeof d); return PyComplex_FromDoubles(d[0], d[1]);
    }
}

PyObject *nomen__py_item(PyObject *self, PyObject *unused) {
    (void)unused;
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (t->numel == 1) {
        char value[16];
        if (nomen__element(t, value)) return nomen__py_raise(((py_tensor *)self)->state);
        return nomen__py_element((nomen_dtype)t->dtype, value);
    }
    PyErr_SetString(PyExc_ValueError,
                    "only one element tensors can be converted to Python scalars");
    return NULL;
}

enum { ASK_EACH = (1 << 16) - 1 };

static PyObject *nested(const nomen_tensor *t, int dim, const char *at) {
    if (dim == t->ndim) return nomen__py_element((nomen_dtype)t->dtype, at);
    int64_t step = t->stride[dim] * (int64_t)nomen_dtype_size(t->dtype);
    PyObject *list = PyList_New((Py_ssize_t)t->size[dim]);
    for (int64_t i = 0; list && i < t->size[dim]; i++) {
        bool raised = (i & ASK_EACH) == ASK_EACH && PyErr_CheckSignals();
        PyObject *item = raised ? NULL : nested(t, dim + 1, at + i * step);
        if (!item) Py_CLEAR(list);
        if (list) PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

PyObject *nomen__py_tolist(PyObject *self, PyObject *unused) {
    (void)unused;
    nomen_tensor *t = nomen__on_host(nomen__py_unwrap(self));
    PyObject *list = t ? nested(t, 0, t->data) : nomen__py_raise(((py_tensor *)self)->state);
    nomen__release(t);
    return list;
}

/* ---- in: nested sequences -------------------------------------------------------------------- */

/* The first pass finds shape and kind, the second writes the numbers as the widest C type of the
 * kind, and the library casts them to the dtype. */
typedef struct reader {
    py_state *state;
    int ndim, kind; /* the highest nomen_number.kind seen, NOMEN_ABSENT: none */
    int64_t size[NOMEN_MAX_DIMS];
    nomen_dtype tensors; /* promoted dtype of the tensors among the numbers */
    char *at;
    nomen_dtype dtype; /* asked for, or inferred */
} reader;

static bool is_sequence(PyObject *o) {
    return PyList_Check(o) || PyTuple_Check(o) ||
           (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !PyDict_Check(o) &&
            Py_TYPE(o)->tp_as_sequence && Py_TYPE(o)->tp_as_sequence->sq_length &&
            Py_TYPE(o)->tp_as_sequence->sq_item);
}

static int number_in(reader *r, PyObject *o, nomen_number *n) {
    if (nomen__py_is_tensor(r->state, o)) {
        nomen_tensor *t = nomen__py_unwrap(o);
        if (t->numel != 1) {
            PyErr_SetString(PyExc_ValueError,
                            "only one element tensors can be converted to Python scalars");
            return -1;
        }
        *n = nomen_item_number(t);
        nomen_dtype d = (nomen_dtype)t->dtype;
        r->tensors = r->tensors ? nomen_promote(r->tensors, d) : d;
        return 1;
    }
    return nomen__py_number(o, n);
}

static bool scan_shape(reader *r, PyObject *data) {
    PyObject *o = Py_NewRef(data);
    r->ndim = 0;
    while (!nomen__py_is_tensor(r->state, o) && is_sequence(o)) {
        Py_ssize_t n = PySequence_Size(o);
        if (n < 0 || r->ndim == NOMEN_MAX_DIMS) {
            if (n >= 0)
                PyErr_Format(PyExc_ValueError, "too many dims: a tensor has at most %d",
                             NOMEN_MAX_DIMS);
            Py_DECREF(o);
            return false;
        }
        r->size[r->ndim++] = n;
        if (!n) break;
        Py_SETREF(o, PySequence_GetItem(o, 0));
        if (!o) return false;
    }
    Py_DECREF(o);
    return true;
}

typedef bool visitor(reader *r, PyObject *o);

static bool walk(reader *r, PyObject *o, int dim, visitor *visit) {
    if (dim == r->ndim) return visit(r, o);
    if (nomen__py_is_tensor(r->state, o) || !is_sequence(o)) {
        PyErr_Format(PyExc_TypeError, "not a sequence, but %s, at dim %d of the data",
                     Py_TYPE(o)->tp_name, dim);
        return false;
    }
    PyObject *items = PySequence_Fast(o, "not a sequence");
    if (!items) return false;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(items);
    bool fine = n == r->size[dim];
    if (!fine)
        PyErr_Format(PyExc_ValueError, "expected sequence of length %lld at dim %d (got %zd)",
                     (long long)r->size[dim], dim, n);
    for (Py_ssize_t i = 0; fine && i < n; i++) {
        fine = i < PySequence_Fast_GET_SIZE(items);
        if (!fine) break;
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        fine = walk(r, item, dim + 1, visit);
        Py_DECREF(item);
    }
    if (!fine && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the data changed while it was read");
    Py_DECREF(items);
    return fine;
}

static bool visit_kind(reader *r, PyObject *o) {
    nomen_number n;
    int is_number = number_in(r, o, &n);
    if (is_number > 0) {
        if ((int)n.kind > r->kind) r->kind = (int)n.kind;
        return true;
    }
    if (!is_number) {
        if (PyUnicode_Check(o))
            PyErr_Format(PyExc_TypeError, "new(): invalid data type 'str'");
        else if (is_sequence(o))
            PyErr_SetString(PyExc_ValueError, "the sequences of the data are nested unevenly");
        else
            PyErr_Format(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
    }
    return false;
}

/* Integers must fit; what is written as a float into an integer is cut, as by to(). */
static bool fits(const reader *r, int64_t value) {
    static const int64_t low[] = {[NOMEN_U8] = -UINT8_MAX,
                                  [NOMEN_I8] = INT8_MIN,
                                  [NOMEN_I16] = INT16_MIN,
                                  [NOMEN_I32] = INT32_MIN};
    static const int64_t high[] = {[NOMEN_U8] = UINT8_MAX,
                                   [NOMEN_I8] = INT8_MAX,
                                   [NOMEN_I16] = INT16_MAX,
                                   [NOMEN_I32] = INT32_MAX};
    if (r->dtype < NOMEN_U8 || r->dtype > NOMEN_I32) return true;
    if (value >= low[r->dtype] && value <= high[r->dtype]) return true;
    PyErr_Format(PyExc_RuntimeError, "value cannot be converted to type %s without overflow: %lld",
                 nomen_dtype_name(r->dtype), (long long)value);
    return false;
}

static bool visit_write(reader *r, PyObject *o) {
    nomen_number n;
    int is_number = number_in(r, o, &n);
    if (is_number < 0) return false;
    if (!is_number || (int)n.kind > r->kind) {
        PyErr_SetString(PyExc_RuntimeError, "the data changed while it was read");
        return false;
    }
    double parts[2] = {n.kind <= NOMEN_NUMBER_INT ? (double)n.i : n.re, n.im};
    switch (r->kind) {
    case NOMEN_NUMBER_BOOL: *r->at++ = n.i != 0; return true;
    case NOMEN_NUMBER_INT:
        if (!fits(r, n.i)) return false;
        memcpy(r->at, &n.i, sizeof n.i);
        r->at += sizeof n.i;
        return true;
    case NOMEN_NUMBER_FLOAT:
        memcpy(r->at, parts, sizeof parts[0]);
        r->at += sizeof parts[0];
        return true;
    default:
        if (n.kind != NOMEN_NUMBER_COMPLEX) parts[1] = 0;
        memcpy(r->at, parts, sizeof parts);
        r->at += sizeof parts;
        return true;
    }
}

static nomen_tensor *cast_to(py_state *s, nomen_tensor *t, nomen_dtype dtype) {
    if (!t || t->dtype == dtype) return t;
    nomen_tensor *result = nomen__tensor_empty(dtype, t->ndim, t->size);
    if (!result || nomen__copy_values(result, t)) {
        nomen__release(result);
        result = NULL;
        nomen__py_raise(s);
    }
    nomen__release(t);
    return result;
}

/* A flat list of floats that become floats of C, or of small ints that become int64, as most are,
 * or one of them; NULL, without an exception: it is something else. */
static nomen_tensor *from_flat_list(PyObject *data, nomen_dtype asked) {
    const bool list = PyList_CheckExact(data) || PyTuple_CheckExact(data);
    if (!list && !PyFloat_CheckExact(data) && !PyLong_CheckExact(data)) return NULL;
    const int64_t n = list ? PySequence_Fast_GET_SIZE(data) : 1;
    PyObject *const *items = list ? PySequence_Fast_ITEMS(data) : &data;
    if (!n) return NULL;
    const bool real = PyFloat_CheckExact(items[0]);
    const nomen_dtype dtype = asked ? asked : real ? nomen__default_float() : NOMEN_I64;
    if (real ? dtype != NOMEN_F32 && dtype != NOMEN_F64 : dtype != NOMEN_I64) return NULL;
    for (int64_t i = 0; i < n; i++)
        if (real ? !PyFloat_CheckExact(items[i]) : !PyLong_CheckExact(items[i])) return NULL;
    nomen_tensor *t = nomen__tensor_empty(dtype, list, &n);
    if (!t) nomen__error_drop(); /* the other way asks again, and tells */
    for (int64_t i = 0; t && i < n; i++) {
        char *at = t->data + i * nomen__item(dtype);
        int64_t whole = 0;
        double value = real ? PyFloat_AS_DOUBLE(items[i]) : 0;
        float narrow = (float)value;
        if (dtype == NOMEN_F32)
            memcpy(at, &narrow, sizeof narrow);
        else if (real)
            memcpy(at, &value, sizeof value);
        else if (nomen__py_small_int(items[i], &whole))
            memcpy(at, &whole, sizeof whole);
        else {
            nomen__release(t);
            return NULL;
        }
    }
    return t;
}

static nomen_tensor *from_sequence(py_state *s, PyObject *data, nomen_dtype asked) {
    static const nomen_dtype wide[] = {NOMEN_F64, NOMEN_BOOL, NOMEN_I64, NOMEN_F64, NOMEN_C128};
    const nomen_dtype number = nomen__default_float();
    const nomen_dtype usual[] = {number, NOMEN_BOOL, NOMEN_I64, number, nomen__default_complex()};
    reader r = {.state = s, .kind = NOMEN_ABSENT};
    if (!scan_shape(&r, data) || !walk(&r, data, 0, visit_kind)) return NULL;
    r.dtype = asked ? asked : usual[r.kind];
    if (!asked && r.tensors && (r.kind == NOMEN_ABSENT || usual[r.kind] != r.tensors) &&
        nomen_can_cast(wide[r.kind], r.tensors))
        r.dtype = r.tensors;
    if (nomen_dtype_is_complex(wide[r.kind]) && !nomen_dtype_is_complex(r.dtype)) {
        PyErr_Format(PyExc_TypeError, "complex numbers cannot become %s",
                     nomen_dtype_name(r.dtype));
        return NULL;
    }
    nomen_tensor *t = nomen__tensor_empty(wide[r.kind], r.ndim, r.size);
    if (!t) {
        nomen__py_raise(s);
        return NULL;
    }
    r.at = t->data;
    if (walk(&r, data, 0, visit_write)) return cast_to(s, t, r.dtype);
    nomen__release(t);
    return NULL;
}

/* ---- tensor, as_tensor, from_numpy ----------------------------------------------------------- */

static bool has_buffer(PyObject *o) {
    return PyObject_CheckBuffer(o) && !PyBytes_Check(o) && !PyByteArray_Check(o);
}

/* What has neither buffer nor sequence may know how to become an array. */
static PyObject *as_array(PyObject *o) {
    if (has_buffer(o) || is_sequence(o) || !PyObject_HasAttrString(o, "__array__"))
        return Py_NewRef(o);
    return PyObject_CallMethod(o, "__array__", NULL);
}

static nomen_tensor *copy_of(py_state *s, nomen_tensor *t, nomen_dtype dtype) {
    nomen_tensor *copy =
        nomen__tensor_empty_on(t->device, dtype ? dtype : (nomen_dtype)t->dtype, t->ndim, t->size);
    if (copy && nomen__copy_values(copy, t)) {
        nomen__release(copy);
        copy = NULL;
    }
    if (copy) {
        nomen__set_names(copy, t->flags & NOMEN__NAMED ? t->names : NULL);
    } else {
        nomen__py_raise(s);
    }
    return copy;
}

/* The data as a tensor of its own. */
static nomen_tensor *fresh(py_state *s, PyObject *data, nomen_dtype dtype) {
    if (nomen__py_is_tensor(s, data)) return copy_of(s, nomen__py_unwrap(data), dtype);
    nomen_tensor *t = from_flat_list(data, dtype);
    if (t) return t;
    PyObject *o = as_array(data);
    if (!o) return NULL;
    if (has_buffer(o)) { /* arrays, and NumPy's scalars, whose dtype counts */
        nomen_tensor *shared = nomen__py_from_buffer(s, o);
        t = shared ? copy_of(s, shared, dtype) : NULL;
        nomen__release(shared);
    } else {
        t = from_sequence(s, o, dtype);
    }
    Py_DECREF(o);
    return t;
}

typedef struct creation {
    nomen_dtype dtype;
    PyObject *names;           /* None: not given */
    int requires_grad, device; /* -1: not given */
} creation;

static bool common_arguments(py_state *s, creation *c, const char *fn, PyObject *dtype,
                             PyObject *device) {
    c->dtype = NOMEN_DTYPE_NONE;
    c->device = -1;
    if (dtype != Py_None) {
        c->dtype = nomen__py_dtype(s, dtype);
        if (!c->dtype) {
            PyErr_Format(PyExc_TypeError, "%s(): argument 'dtype' must be nomen.dtype, not %s", fn,
                         Py_TYPE(dtype)->tp_name);
            return false;
        }
    }
    return nomen__py_device(s, device, &c->device);
}

/* Names of a copy of a named tensor are its own: others are a mismatch. */
bool nomen__py_name(py_state *s, nomen_tensor *t, PyObject *names) {
    if (names == Py_None) return true;
    if (!PyTuple_Check(names) && !PyList_Check(names)) {
        PyErr_Format(PyExc_TypeError, "tensor(): argument 'names' must be tuple of names, not %s",
                     Py_TYPE(names)->tp_name);
        return false;
    }
    bool named = nomen__is_named(t);
    nomen_name own[NOMEN_MAX_DIMS];
    for (int i = 0; i < t->ndim; i++) own[i] = nomen__name_at(t, i);
    PyObject *o = nomen__py_wrap(s, nomen__retain(t));
    if (!o) return false;
    int failed = PyObject_SetAttrString(o, "names", names);
    if (!failed && named &&
        nomen__names_match_out((nomen__names){t->ndim, own}, nomen__names_of(t))) {
        nomen__py_raise(s);
        failed = -1;
    }
    Py_DECREF(o);
    return !failed;
}

static PyObject *make_tensor(PyObject *module, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"data",       "dtype", "device", "requires_grad",
                               "pin_memory", "names", NULL};
    py_state *s = PyModule_GetState(module);
    PyObject *data, *dtype = Py_None, *device = Py_None, *pin = Py_None;
    creation c = {NOMEN_DTYPE_NONE, Py_None, 0, -1};
    bool alone = PyTuple_GET_SIZE(args) == 1 && (!kwargs || !PyDict_GET_SIZE(kwargs));
    if (alone)
        data = PyTuple_GET_ITEM(args, 0);
    else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOpOO:tensor", keywords, &data, &dtype,
                                          &device, &c.requires_grad, &pin, &c.names))
        return NULL;
    if (!common_arguments(s, &c, "tensor", dtype, device) || !nomen__py_unpinned(pin)) return NULL;
    nomen_tensor *t = fresh(s, data, c.dtype);
    t = nomen__py_bring(s, t, c.device);
    if (!t) return NULL;
    if (!nomen__py_name(s, t, c.names) || (c.requires_grad && !nomen__py_require_grad(s, t))) {
        nomen__release(t);
        return NULL;
    }
    return nomen__py_wrap(s, t);
}

/* The object itself if it is such a tensor already; its memory if it has a buffer of that dtype. */
static PyObject *as_tensor(PyObject *module, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"data", "dtype", "device", NULL};
    py_state *s = PyModule_GetState(module);
    PyObject *data, *dtype = Py_None, *device = Py_None;
    creation c;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:as_tensor", keywords, &data, &dtype,
                                     &device) ||
        !common_arguments(s, &c, "as_tensor", dtype, device))
        return NULL;
    if (nomen__py_is_tensor(s, data)) {
        return PyObject_CallMethod(data, "to", "OO", device, dtype);
    }
    nomen_number n;
    if (has_buffer(data) && !nomen__py_number(data, &n)) {
        nomen_tensor *t = nomen__py_from_buffer(s, data);
        if (!t) return NULL;
        t = cast_to(s, t, c.dtype ? c.dtype : (nomen_dtype)t->dtype);
        t = nomen__py_bring(s, t, c.device);
        return t ? nomen__py_wrap(s, t) : NULL;
    }
    if (PyErr_Occurred()) return NULL;
    nomen_tensor *t = nomen__py_bring(s, fresh(s, data, c.dtype), c.device);
    return t ? nomen__py_wrap(s, t) : NULL;
}

static PyObject *from_numpy(PyObject *module, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"array", "names", NULL};
    py_state *s = PyModule_GetState(module);
    PyObject *array, *names = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:from_numpy", keywords, &array, &names))
        return NULL;
    if (!PyObject_CheckBuffer(array)) {
        PyErr_Format(PyExc_TypeError, "expected np.ndarray (got %s)", Py_TYPE(array)->tp_name);
        return NULL;
    }
    nomen_tensor *t = nomen__py_from_buffer(s, array);
    if (t && !nomen__py_name(s, t, names)) {
        nomen__release(t);
        t = NULL;
    }
    return t ? nomen__py_wrap(s, t) : NULL;
}

/* Are these elements the same because they are the very same? NaN is not even equal to itself. */
static bool are_one(const nomen_tensor *x, const nomen_tensor *y) {
    bool same = x->data == y->data && x->dtype == y->dtype && x->dtype < NOMEN_F16;
    for (int i = 0; same && i < x->ndim; i++)
        same = x->stride[i] == y->stride[i] || x->size[i] == 1;
    return same;
}

/* Same sizes, same names (None is not 'N'), same values. */
static PyObject *equal(PyObject *module, PyObject *args) {
    py_state *s = PyModule_GetState(module);
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "O!O!:equal", s->tensor, &a, s->tensor, &b)) return NULL;
    const nomen_tensor *x = nomen__py_unwrap(a), *y = nomen__py_unwrap(b);
    bool same = x->ndim == y->ndim;
    for (int i = 0; same && i < x->ndim; i++)
        same = x->size[i] == y->size[i] && nomen__name_at(x, i) == nomen__name_at(y, i);
    if (!same || !x->numel || are_one(x, y)) return PyBool_FromLong(same);
    PyObject *equal_ones = nomen__py_richcompare(a, b, Py_EQ);
    PyObject *all = equal_ones ? PyObject_CallMethod(equal_ones, "all", NULL) : NULL;
    int yes = all ? PyObject_IsTrue(all) : -1;
    Py_XDECREF(all);
    Py_XDECREF(equal_ones);
    return yes < 0 ? NULL : PyBool_FromLong(yes);
}

static PyObject *method_equal(PyObject *self, PyObject *other) {
    PyObject *module = ((py_tensor *)self)->state->module;
    return PyObject_CallMethod(module, "equal", "OO", self, other);
}

static PyObject *is_tensor(PyObject *module, PyObject *o) {
    return PyBool_FromLong(nomen__py_is_tensor(PyModule_GetState(module), o));
}

#define KEYWORDS(f) ((PyCFunction)(void (*)(void))(f))

PyMethodDef nomen__py_data_functions[] = {
    {"tensor", KEYWORDS(make_tensor), METH_VARARGS | METH_KEYWORDS, DOC_tensor},
    {"as_tensor", KEYWORDS(as_tensor), METH_VARARGS | METH_KEYWORDS, DOC_as_tensor},
    {"from_numpy", KEYWORDS(from_numpy), METH_VARARGS | METH_KEYWORDS, DOC_from_numpy},
    {"frombuffer", KEYWORDS(nomen__py_frombuffer), METH_VARARGS | METH_KEYWORDS, DOC_frombuffer},
    {"equal", equal, METH_VARARGS, DOC_equal},
    {"is_tensor", is_tensor, METH_O, DOC_is_tensor},
    {NULL, NULL, 0, NULL},
};

static PyObject *to_complex(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *item = nomen__py_item(self, NULL);
    if (!item) return NULL;
    Py_complex z = PyComplex_AsCComplex(item);
    Py_DECREF(item);
    return z.real == -1.0 && PyErr_Occurred() ? NULL : PyComplex_FromCComplex(z);
}

PyMethodDef nomen__py_data_methods[] = {
    {"__complex__", to_complex, METH_NOARGS, NULL},
    {"equal", method_equal, METH_O, DOC_Tensor_equal},
    {NULL, NULL, 0, NULL},
};
