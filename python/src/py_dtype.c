/* nomen.dtype, nomen.device, and the words strided, contiguous_format, preserve_format, which are
 * accepted where PyTorch wants them and ask for nothing. */
#include "py.h"
#include "py_docs.gen.h"

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
    {"name", dtype_name, NULL, DOC_dtype_name, NULL},
    {"itemsize", dtype_itemsize, NULL, DOC_dtype_itemsize, NULL},
    {"is_floating_point", dtype_is, NULL, DOC_dtype_is_floating_point, "f"},
    {"is_complex", dtype_is, NULL, DOC_dtype_is_complex, "c"},
    {"is_signed", dtype_is, NULL, DOC_dtype_is_signed, "s"},
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
    {Py_tp_doc, DOC_dtype},         {Py_tp_repr, dtype_repr},       {Py_tp_getset, dtype_getset},
    {Py_tp_methods, dtype_methods}, {Py_tp_dealloc, plain_dealloc}, {0, NULL},
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
    {"get_default_dtype", get_default_dtype, METH_NOARGS, DOC_get_default_dtype},
    {"set_default_dtype", set_default_dtype, METH_O, DOC_set_default_dtype},
    {NULL, NULL, 0, NULL},
};

/* ---- devices --------------------------------------------------------------------------------- */

/* Devices can be named, as programs do before they ask whether one is there: those that PyTorch
 * knows, and those that have a backend. */
static const char *const device_types[] = {"cpu", "cuda", "mps", "xpu", "hip", "vulkan", "meta"};

enum { TYPE_BYTES = 24 };

typedef struct py_device {
    PyObject ob_base;
    char type[TYPE_BYTES];
    int index; /* -1: no index */
} py_device;

static PyObject *device_make(PyTypeObject *cls, const char *type, int index) {
    py_device *self = (py_device *)PyType_GenericAlloc(cls, 0);
    if (self) {
        snprintf(self->type, sizeof self->type, "%s", type);
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

static bool is_type(const char *at, size_t length) {
    for (size_t i = 0; i < NOMEN_COUNT(device_types); i++)
        if (strlen(device_types[i]) == length && !memcmp(at, device_types[i], length)) return true;
    return length < TYPE_BYTES && nomen__backend_exists(at, length);
}

/* "cuda" or "cuda:1" */
static bool read_device(PyObject *text, char type[TYPE_BYTES], int *index) {
    const char *at = PyUnicode_AsUTF8(text);
    if (!at) return false;
    size_t length = strcspn(at, ":");
    if (!is_type(at, length)) return bad_text(text);
    memcpy(type, at, length);
    type[length] = 0;
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
    char type[TYPE_BYTES] = "cpu";
    int index = -1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", names, &what, &number))
        return NULL;
    py_state *s = PyType_GetModuleState(cls);
    if (!s) return NULL;
    if (Py_IS_TYPE(what, s->device)) {
        if (number == Py_None) return Py_NewRef(what);
        memcpy(type, ((py_device *)what)->type, sizeof type);
    } else if (PyLong_Check(what) && !PyBool_Check(what) && number == Py_None) {
        number = what; /* a number alone is one of the accelerators */
        memcpy(type, "cuda", sizeof "cuda");
    } else if (!PyUnicode_Check(what)) {
        return PyErr_Format(PyExc_TypeError,
                            "device(): argument 'type' (position 1) must be str, not %s",
                            Py_TYPE(what)->tp_name);
    } else if (!read_device(what, type, &index)) {
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
    if (d->index < 0) return PyUnicode_FromFormat("device(type='%s')", d->type);
    return PyUnicode_FromFormat("device(type='%s', index=%d)", d->type, d->index);
}

static PyObject *device_str(PyObject *self) {
    const py_device *d = (py_device *)self;
    if (d->index < 0) return PyUnicode_FromString(d->type);
    return PyUnicode_FromFormat("%s:%d", d->type, d->index);
}

static PyObject *device_type(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(((py_device *)self)->type);
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
    Py_hash_t hash = d->index + 1;
    for (const char *c = d->type; *c; c++) hash = 31 * hash + *c;
    return hash == -1 ? -2 : hash;
}

static PyObject *device_compare(PyObject *a, PyObject *b, int op) {
    if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    const py_device *x = (py_device *)a, *y = (py_device *)b;
    return PyBool_FromLong((!strcmp(x->type, y->type) && x->index == y->index) == (op == Py_EQ));
}

static PyGetSetDef device_getset[] = {
    {"type", device_type, NULL, DOC_device_type, NULL},
    {"index", device_index, NULL, DOC_device_index, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef device_methods[] = {
    {"__reduce__", device_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, DOC_device},        {Py_tp_new, device_new},
    {Py_tp_repr, device_repr},      {Py_tp_str, device_str},
    {Py_tp_hash, device_hash},      {Py_tp_richcompare, device_compare},
    {Py_tp_getset, device_getset},  {Py_tp_methods, device_methods},
    {Py_tp_dealloc, plain_dealloc}, {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "nomen.device",
    .basicsize = sizeof(py_device),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = device_slots,
};

PyObject *nomen__py_device_of(py_state *s, const nomen_tensor *t) {
    if (!t->device) return Py_NewRef(s->cpu);
    const nomen__device *d = nomen__device_at(t->device);
    char type[TYPE_BYTES];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(d->name, ":"), d->name);
    return device_make(s->device, type, d->index);
}

bool nomen__py_device(py_state *s, PyObject *o, int *number) {
    char type[TYPE_BYTES] = "cuda", text[TYPE_BYTES + 16];
    int index = -1;
    if (o == Py_None) return true;
    if (o == s->cpu || (PyUnicode_Check(o) && !PyUnicode_CompareWithASCIIString(o, "cpu"))) {
        *number = 0;
        return true;
    }
    if (Py_IS_TYPE(o, s->device)) {
        memcpy(type, ((py_device *)o)->type, sizeof type);
        index = ((py_device *)o)->index;
    } else if (PyUnicode_Check(o)) {
        if (!read_device(o, type, &index)) return false;
    } else if (PyLong_Check(o) && !PyBool_Check(o)) {
        long value = PyLong_AsLong(o);
        if (value == -1 && PyErr_Occurred()) return false;
        if (value < 0 || value > INT8_MAX) {
            PyErr_Format(PyExc_RuntimeError, "Device index must be 0 to %d, got %ld", INT8_MAX,
                         value);
            return false;
        }
        index = (int)value;
    } else {
        PyErr_Format(PyExc_TypeError, "device must be a nomen.device or a str, not %s",
                     Py_TYPE(o)->tp_name);
        return false;
    }
    if (index < 0 || !strcmp(type, "cpu")) /* there is one CPU, whatever it is called */
        snprintf(text, sizeof text, "%s", type);
    else
        snprintf(text, sizeof text, "%s:%d", type, index);
    uint8_t found;
    nomen_status failed = nomen__device_find(text, &found);
    *number = found;
    if (!failed) return true;
    if (failed == NOMEN_ERROR_MEMORY)
        nomen__py_raise(s);
    else
        PyErr_SetString(s->no_device, nomen_last_error()->message);
    return false;
}

nomen_tensor *nomen__py_bring(py_state *s, nomen_tensor *t, int number) {
    if (!t || number < 0 || number == t->device) return t;
    nomen__call c;
    nomen__call_begin(&c, nomen__op_find("to_device"));
    c.arg[0].tensor = t;
    c.arg[1].text = nomen__device_name((unsigned)number);
    c.given = 3;
    nomen_status failed = nomen__invoke(&c);
    nomen__release(t);
    if (failed) nomen__py_raise(s);
    return failed ? NULL : c.out[0];
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

int nomen__py_format(py_state *s, PyObject *o, uint8_t *order) {
    if (!Py_IS_TYPE(o, s->word)) return 0;
    if (!nomen__format_find(((py_word *)o)->text, order)) return 1;
    nomen__py_raise(s);
    return -1;
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
    static const char *const words[] = {"strided", "contiguous_format", "preserve_format",
                                        "channels_last", "channels_last_3d"};
    for (size_t i = 0; i < NOMEN_COUNT(words); i++) {
        py_word *o = PyObject_New(py_word, s->word);
        if (!o) return -1;
        o->text = words[i];
        int failed = PyModule_AddObjectRef(module, words[i], (PyObject *)o);
        if (i == 0) s->strided = Py_NewRef(o);
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
    s->cpu = device_make(s->device, "cpu", -1);
    if (!s->cpu || PyModule_AddType(module, s->dtype) || PyModule_AddType(module, s->device))
        return -1;
    return add_dtypes(module, s) || add_words(module, s) ? -1 : 0;
}
