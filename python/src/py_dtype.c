/* nomen.dtype, nomen.device, and the words strided, contiguous_format, preserve_format, which are
 * accepted where PyTorch wants them and ask for nothing. */
#include "py.h"

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
    if (o == (PyObject *)&PyFloat_Type) return NOMEN_F32;
    if (o == (PyObject *)&PyLong_Type) return NOMEN_I64;
    if (o == (PyObject *)&PyBool_Type) return NOMEN_BOOL;
    if (o == (PyObject *)&PyComplex_Type) return NOMEN_C64;
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

/* ---- devices --------------------------------------------------------------------------------- */

static PyObject *device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"type", "index", NULL};
    PyObject *text;
    int index = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|i:device", names, &text, &index)) return NULL;
    py_state *s = PyType_GetModuleState(type);
    if (!s || !nomen__py_device(s, text)) return NULL;
    return Py_NewRef(s->cpu);
}

static PyObject *device_repr(PyObject *self) {
    (void)self;
    return PyUnicode_FromString("device(type='cpu')");
}

static PyObject *device_str(PyObject *self) {
    (void)self;
    return PyUnicode_FromString("cpu");
}

static PyObject *device_type(PyObject *self, void *closure) {
    (void)closure;
    return device_str(self);
}

static PyObject *device_index(PyObject *self, void *closure) {
    (void)self;
    (void)closure;
    Py_RETURN_NONE;
}

static PyObject *device_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_BuildValue("O(s)", Py_TYPE(self), "cpu");
}

static PyGetSetDef device_getset[] = {
    {"type", device_type, NULL, "\"cpu\"", NULL},
    {"index", device_index, NULL, "None: there is one.", NULL},
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
    {Py_tp_getset, device_getset},
    {Py_tp_methods, device_methods},
    {Py_tp_dealloc, plain_dealloc},
    {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "nomen.device",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = device_slots,
};

bool nomen__py_device(py_state *s, PyObject *o) {
    if (o == Py_None || Py_IS_TYPE(o, s->device)) return true;
    if (!PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "device must be a nomen.device or a str, not %s",
                     Py_TYPE(o)->tp_name);
        return false;
    }
    if (!PyUnicode_CompareWithASCIIString(o, "cpu") ||
        !PyUnicode_CompareWithASCIIString(o, "cpu:0"))
        return true;
    PyErr_Format(PyExc_RuntimeError, "there is no device '%U': this build of nomen has 'cpu' only",
                 o);
    return false;
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
    s->cpu = PyType_GenericAlloc(s->device, 0);
    if (!s->cpu || PyModule_AddType(module, s->dtype) || PyModule_AddType(module, s->device))
        return -1;
    return add_dtypes(module, s) || add_words(module, s) ? -1 : 0;
}
