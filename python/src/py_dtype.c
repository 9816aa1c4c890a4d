/* nomen.dtype, nomen.device, and the words strided, contiguous_format, preserve_format, which are
 * accepted where PyTorch wants them and ask for nothing. */
#include "py.h"

#include "nomen/tensor.h"

#include <stdlib.h>

typedef struct py_dtype {
    PyObject ob_base;
    nomen_dtype dtype;
} py_dtype;

static PyObject *dtype_name(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(nomen_dtype_name(((py_dtype *)self)->dtype));
}

static PyObject *dtype_repr(PyObject *self) {
    return PyUnicode_FromFormat("nomen.%s", nomen_dtype_name(((py_dtype *)self)->dtype));
}

static PyObject *dtype_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return dtype_name(self, NULL);
}

static PyObject *dtype_itemsize(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromSize_t(nomen_dtype_size(((py_dtype *)self)->dtype));
}

static PyObject *dtype_is(PyObject *self, void *closure) {
    nomen_dtype d = ((py_dtype *)self)->dtype;
    const char *what = closure;
    bool yes = *what == 'f'   ? nomen_dtype_is_floating(d)
               : *what == 'c' ? nomen_dtype_is_complex(d)
                              : nomen_dtype_is_signed(d);
    return PyBool_FromLong(yes);
}

static PyGetSetDef dtype_getset[] = {
    {"name", dtype_name, NULL, "\"float32\" and so on.", NULL},
    {"itemsize", dtype_itemsize, NULL, "Bytes of one element.", NULL},
    {"is_floating_point", dtype_is, NULL, "Is it float16, bfloat16, float32 or float64?", "f"},
    {"is_complex", dtype_is, NULL, "Is it complex64 or complex128?", "c"},
    {"is_signed", dtype_is, NULL, "Can it hold negative numbers?", "s"},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static void plain_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot dtype_slots[] = {
    {Py_tp_doc, "The type of the elements of a tensor: nomen.float32 and so on."},
    {Py_tp_repr, dtype_repr},
    {Py_tp_getset, dtype_getset},
    {Py_tp_methods, dtype_methods},
    {Py_tp_dealloc, plain_dealloc},
    {0, NULL},
};

static PyType_Spec dtype_spec = {
    .name = "nomen.dtype",
    .basicsize = sizeof(py_dtype),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = dtype_slots,
};

nomen_dtype nomen__py_dtype(const py_state *s, PyObject *o) {
    if (Py_IS_TYPE(o, s->dtype)) return ((py_dtype *)o)->dtype;
    if (o == (PyObject *)&PyFloat_Type) return NOMEN_F64;
    if (o == (PyObject *)&PyLong_Type) return NOMEN_I64;
    if (o == (PyObject *)&PyBool_Type) return NOMEN_BOOL;
    if (o == (PyObject *)&PyComplex_Type) return NOMEN_C128;
    return NOMEN_DTYPE_NONE;
}

static int add_dtypes(PyObject *module, py_state *s) {
    static const struct {
        const char *name;
        nomen_dtype dtype;
    } aliases[] = {
        {"half", NOMEN_F16}, {"float", NOMEN_F32}, {"double", NOMEN_F64}, {"short", NOMEN_I16},
        {"int", NOMEN_I32},  {"long", NOMEN_I64},  {"cfloat", NOMEN_C64}, {"cdouble", NOMEN_C128},
    };
    for (int d = 1; d < NOMEN_DTYPE_COUNT; d++) {
        py_dtype *o = PyObject_New(py_dtype, s->dtype);
        if (!o) return -1;
        o->dtype = (nomen_dtype)d;
        s->dtypes[d] = (PyObject *)o;
        if (PyModule_AddObjectRef(module, nomen_dtype_name((nomen_dtype)d), (PyObject *)o))
            return -1;
    }
    for (size_t i = 0; i < NOMEN_COUNT(aliases); i++)
        if (PyModule_AddObjectRef(module, aliases[i].name, s->dtypes[aliases[i].dtype])) return -1;
    return 0;
}

static PyObject *get_default_dtype(PyObject *module, PyObject *unused) {
    (void)unused;
    py_state *s = PyModule_GetState(module);
    return Py_NewRef(s->dtypes[nomen_get_default_dtype()]);
}

static PyObject *set_default_dtype(PyObject *module, PyObject *value) {
    py_state *s = PyModule_GetState(module);
    nomen_dtype d = Py_IS_TYPE(value, s->dtype) ? ((py_dtype *)value)->dtype : NOMEN_DTYPE_NONE;
    if (!d)
        return PyErr_Format(PyExc_TypeError,
                            "invalid dtype object: only floating-point types are supported as the "
                            "default type");
    if (nomen_set_default_dtype(d)) return nomen__py_raise(s);
    Py_RETURN_NONE;
}

PyMethodDef nomen__py_dtype_functions[] = {
    {"get_default_dtype", get_default_dtype, METH_NOARGS,
     "get_default_dtype($module, /)\n--\n\nThe floating dtype of tensors that are made without "
     "one."},
    {"set_default_dtype", set_default_dtype, METH_O,
     "set_default_dtype($module, d, /)\n--\n\nSets it, for the whole process."},
    {NULL, NULL, 0, NULL},
};

/* ---- devices --------------------------------------------------------------------------------- */

/* Devices can be named, as programs do before they ask whether one is there; tensors live on the
 * first one only. */
static const char *const device_types[] = {"cpu", "cuda", "mps", "xpu", "hip", "vulkan", "meta"};

typedef struct py_device {
    PyObject ob_base;
    int type, index; /* -1: no index */
} py_device;

static PyObject *device_make(PyTypeObject *cls, int type, int index) {
    py_device *self = (py_device *)PyType_GenericAlloc(cls, 0);
    if (self) {
        self->type = type;
        self->index = index;
    }
    return (PyObject *)self;
}

static bool bad_text(PyObject *text) {
    PyErr_Format(PyExc_RuntimeError,
                 "Expected one of cpu, cuda, mps, xpu, hip, vulkan, meta device type at start of "
                 "device string: %U",
                 text);
    return false;
}

/* "cuda" or "cuda:1" */
static bool read_device(PyObject *text, int *type, int *index) {
    const char *at = PyUnicode_AsUTF8(text);
    if (!at) return false;
    size_t length = strcspn(at, ":");
    for (*type = 0; *type < (int)NOMEN_COUNT(device_types); ++*type)
        if (strlen(device_types[*type]) == length && !memcmp(at, device_types[*type], length))
            break;
    if (*type == (int)NOMEN_COUNT(device_types)) return bad_text(text);
    *index = -1;
    if (!at[length]) return true;
    const char *digits = at + length + 1;
    size_t count = strspn(digits, "0123456789");
    if (!count || digits[count] || count > 4 || (count > 1 && digits[0] == '0')) {
        PyErr_Format(PyExc_RuntimeError, "Invalid device string: '%U'", text);
        return false;
    }
    *index = (int)strtol(digits, NULL, 10);
    return true;
}

static PyObject *device_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"type", "index", NULL};
    PyObject *what, *number = Py_None;
    int type = 0, index = -1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", names, &what, &number))
        return NULL;
    py_state *s = PyType_GetModuleState(cls);
    if (!s) return NULL;
    if (Py_IS_TYPE(what, s->device)) {
        if (number == Py_None) return Py_NewRef(what);
        type = ((py_device *)what)->type;
    } else if (PyLong_Check(what) && !PyBool_Check(what) && number == Py_None) {
        number = what; /* a number alone is one of the accelerators */
        type = 1;
    } else if (!PyUnicode_Check(what)) {
        return PyErr_Format(PyExc_TypeError,
                            "device(): argument 'type' (position 1) must be str, not %s",
                            Py_TYPE(what)->tp_name);
    } else if (!read_device(what, &type, &index)) {
        return NULL;
    }
    if (number != Py_None) {
        if (index >= 0)
            return PyErr_Format(PyExc_RuntimeError,
                                "type (string) must not include an index because index was passed "
                                "explicitly: %U",
                                what);
        long value = PyLong_AsLong(number);
        if (value == -1 && PyErr_Occurred()) return NULL;
        if (value < 0 || value > INT8_MAX)
            return PyErr_Format(PyExc_RuntimeError, "Device index must be 0 to %d, got %ld",
                                INT8_MAX, value);
        index = (int)value;
    }
    return device_make(cls, type, index);
}

static PyObject *device_repr(PyObject *self) {
    const py_device *d = (py_device *)self;
    if (d->index < 0) return PyUnicode_FromFormat("device(type='%s')", device_types[d->type]);
    return PyUnicode_FromFormat("device(type='%s', index=%d)", device_types[d->type], d->index);
}

static PyObject *device_str(PyObject *self) {
    const py_device *d = (py_device *)self;
    if (d->index < 0) return PyUnicode_FromString(device_types[d->type]);
    return PyUnicode_FromFormat("%s:%d", device_types[d->type], d->index);
}

static PyObject *device_type(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(device_types[((py_device *)self)->type]);
}

static PyObject *device_index(PyObject *self, void *closure) {
    (void)closure;
    int index = ((py_device *)self)->index;
    return index < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(index);
}

static PyObject *device_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_BuildValue("O(N)", Py_TYPE(self), device_str(self));
}

static Py_hash_t device_hash(PyObject *self) {
    const py_device *d = (py_device *)self;
    return 1000 * (d->type + 1) + d->index;
}

static PyObject *device_compare(PyObject *a, PyObject *b, int op) {
    if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    const py_device *x = (py_device *)a, *y = (py_device *)b;
    return PyBool_FromLong((x->type == y->type && x->index == y->index) == (op == Py_EQ));
}

static PyGetSetDef device_getset[] = {
    {"type", device_type, NULL, "\"cpu\" and so on.", NULL},
    {"index", device_index, NULL, "Which one of that type, or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef device_methods[] = {
    {"__reduce__", device_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, "Where a tensor lives: device('cpu')."},
    {Py_tp_new, device_new},
    {Py_tp_repr, device_repr},
    {Py_tp_str, device_str},
    {Py_tp_hash, device_hash},
    {Py_tp_richcompare, device_compare},
    {Py_tp_getset, device_getset},
    {Py_tp_methods, device_methods},
    {Py_tp_dealloc, plain_dealloc},
    {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "nomen.device",
    .basicsize = sizeof(py_device),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = device_slots,
};

bool nomen__py_device(py_state *s, PyObject *o) {
    int type = 1, index;
    if (o == Py_None) return true;
    if (Py_IS_TYPE(o, s->device)) {
        type = ((py_device *)o)->type;
    } else if (PyUnicode_Check(o)) {
        if (!read_device(o, &type, &index)) return false;
    } else if (!PyLong_Check(o) || PyBool_Check(o)) {
        PyErr_Format(PyExc_TypeError, "device must be a nomen.device or a str, not %s",
                     Py_TYPE(o)->tp_name);
        return false;
    }
    if (!type) return true;
    PyErr_Format(s->no_device,
                 "nomen not compiled with %s enabled: there is no device '%S', the "
                 "only one is 'cpu'",
                 type == 1 ? "CUDA" : device_types[type], o);
    return false;
}

bool nomen__py_unpinned(PyObject *o) {
    int yes = PyObject_IsTrue(o);
    if (yes > 0)
        PyErr_SetString(PyExc_RuntimeError, "Pinned memory requires CUDA: the only device of this "
                                            "build of nomen is 'cpu'");
    return !yes;
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct py_word {
    PyObject ob_base;
    const char *text;
} py_word;

static PyObject *word_repr(PyObject *self) {
    return PyUnicode_FromFormat("nomen.%s", ((py_word *)self)->text);
}

const char *nomen__py_word(const py_state *s, PyObject *o) {
    return Py_IS_TYPE(o, s->word) ? ((py_word *)o)->text : NULL;
}

static PyType_Slot word_slots[] = {
    {Py_tp_repr, word_repr},
    {Py_tp_dealloc, plain_dealloc},
    {0, NULL},
};

static PyType_Spec word_spec = {
    .name = "nomen._C.word",
    .basicsize = sizeof(py_word),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = word_slots,
};

static int add_words(PyObject *module, py_state *s) {
    static const char *const words[] = {"strided", "contiguous_format", "preserve_format"};
    for (size_t i = 0; i < NOMEN_COUNT(words); i++) {
        py_word *o = PyObject_New(py_word, s->word);
        if (!o) return -1;
        o->text = words[i];
        int failed = PyModule_AddObjectRef(module, words[i], (PyObject *)o);
        Py_DECREF(o);
        if (failed) return -1;
    }
    return 0;
}

static PyTypeObject *new_type(PyObject *module, PyType_Spec *spec) {
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
}

int nomen__py_add_dtypes(PyObject *module, py_state *s) {
    s->dtype = new_type(module, &dtype_spec);
    s->device = new_type(module, &device_spec);
    s->word = new_type(module, &word_spec);
    if (!s->dtype || !s->device || !s->word) return -1;
    s->cpu = device_make(s->device, 0, -1);
    if (!s->cpu || PyModule_AddType(module, s->dtype) || PyModule_AddType(module, s->device))
        return -1;
    return add_dtypes(module, s) || add_words(module, s) ? -1 : 0;
}
