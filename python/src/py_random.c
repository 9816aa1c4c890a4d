/* nomen.Generator and the seeds of the default one. */
#include "py.h"
#include "py_docs.gen.h"

#include "nomen/random.h"

typedef struct py_generator {
    PyObject ob_base;
    nomen_generator *g;
} py_generator;

struct nomen_generator *nomen__py_generator(PyObject *o) { return ((py_generator *)o)->g; }

/* Of negative seeds the 64 bits count, so that -1 is one too. */
static bool seed_of(PyObject *o, uint64_t *seed) {
    PyObject *index = PyNumber_Index(o);
    if (!index) return false;
    int overflow;
    *seed = (uint64_t)PyLong_AsLongLongAndOverflow(index, &overflow);
    if (overflow > 0) *seed = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_SetString(PyExc_RuntimeError, "Overflow when unpacking long: a seed has 64 bits");
        return false;
    }
    return true;
}

static PyObject *generator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"device", NULL};
    PyObject *device = Py_None;
    int number = 0;
    py_state *s = PyType_GetModuleState(type);
    if (!s || !PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", keywords, &device) ||
        !nomen__py_device(s, device, &number))
        return NULL;
    py_generator *self = (py_generator *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->g = nomen_generator_new(NOMEN_DEFAULT_SEED);
    if (self->g) return (PyObject *)self;
    Py_DECREF(self);
    return nomen__py_raise(s);
}

static void generator_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    nomen_generator_free(&((py_generator *)self)->g);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *generator_manual_seed(PyObject *self, PyObject *value) {
    uint64_t seed;
    if (!seed_of(value, &seed)) return NULL;
    nomen_generator_manual_seed(nomen__py_generator(self), seed);
    return Py_NewRef(self);
}

static PyObject *generator_seed(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(nomen_generator_seed(nomen__py_generator(self)));
}

static PyObject *generator_initial_seed(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(nomen_generator_initial_seed(nomen__py_generator(self)));
}

/* A state is a tensor of bytes, as in PyTorch: it can be cloned, stored and compared like others.
 */
static PyObject *state_of(py_state *s, nomen_generator *g) {
    int64_t size = (int64_t)nomen_generator_get_state(g, NULL, 0);
    nomen_tensor *t = nomen__tensor_empty(NOMEN_U8, 1, &size);
    if (!t) return nomen__py_raise(s);
    nomen_generator_get_state(g, t->data, (size_t)size);
    return nomen__py_wrap(s, t);
}

static bool set_state(py_state *s, nomen_generator *g, PyObject *state) {
    const nomen_tensor *t = nomen__py_is_tensor(s, state) ? nomen__py_unwrap(state) : NULL;
    if (!PyBytes_Check(state) && (!t || t->dtype != NOMEN_U8)) {
        PyErr_Format(PyExc_TypeError, "expected a tensor of uint8 or bytes, but got %s",
                     t ? nomen_dtype_name((nomen_dtype)t->dtype) : Py_TYPE(state)->tp_name);
        return false;
    }
    nomen_status status;
    if (t) {
        nomen_tensor *whole = nomen__copied(nomen__tensor_empty(NOMEN_U8, t->ndim, t->size), t);
        status = whole ? nomen_generator_set_state(g, whole->data, (size_t)whole->numel)
                       : NOMEN_ERROR_MEMORY;
        nomen__release(whole);
    } else {
        status =
            nomen_generator_set_state(g, PyBytes_AS_STRING(state), (size_t)PyBytes_GET_SIZE(state));
    }
    if (status) nomen__py_raise(s);
    return !status;
}

static PyObject *generator_get_state(PyObject *self, PyObject *unused) {
    (void)unused;
    py_state *s = PyType_GetModuleState(Py_TYPE(self));
    return s ? state_of(s, nomen__py_generator(self)) : NULL;
}

static PyObject *generator_set_state(PyObject *self, PyObject *state) {
    py_state *s = PyType_GetModuleState(Py_TYPE(self));
    return s && set_state(s, nomen__py_generator(self), state) ? Py_NewRef(self) : NULL;
}

static PyObject *generator_clone_state(PyObject *self, PyObject *unused) {
    (void)unused;
    py_state *s = PyType_GetModuleState(Py_TYPE(self));
    PyObject *state = s ? state_of(s, nomen__py_generator(self)) : NULL;
    PyObject *clone = state ? PyObject_CallNoArgs((PyObject *)Py_TYPE(self)) : NULL;
    if (clone && !set_state(s, nomen__py_generator(clone), state)) Py_CLEAR(clone);
    Py_XDECREF(state);
    return clone;
}

static PyObject *generator_device(PyObject *self, void *unused) {
    (void)unused;
    py_state *s = PyType_GetModuleState(Py_TYPE(self));
    return s ? Py_NewRef(s->cpu) : NULL;
}

static PyGetSetDef generator_getset[] = {
    {"device", generator_device, NULL, DOC_Generator_device, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef generator_methods[] = {
    {"manual_seed", generator_manual_seed, METH_O, DOC_Generator_manual_seed},
    {"seed", generator_seed, METH_NOARGS, DOC_Generator_seed},
    {"initial_seed", generator_initial_seed, METH_NOARGS, DOC_Generator_initial_seed},
    {"get_state", generator_get_state, METH_NOARGS, DOC_Generator_get_state},
    {"set_state", generator_set_state, METH_O, DOC_Generator_set_state},
    {"clone_state", generator_clone_state, METH_NOARGS, DOC_Generator_clone_state},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot generator_slots[] = {
    {Py_tp_doc, DOC_Generator},         {Py_tp_new, generator_new},
    {Py_tp_dealloc, generator_dealloc}, {Py_tp_methods, generator_methods},
    {Py_tp_getset, generator_getset},   {0, NULL},
};

static PyType_Spec generator_spec = {
    .name = "nomen.Generator",
    .basicsize = sizeof(py_generator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = generator_slots,
};

int nomen__py_add_generator(PyObject *module, py_state *s) {
    s->generator = (PyTypeObject *)PyType_FromModuleAndSpec(module, &generator_spec, NULL);
    if (!s->generator || PyModule_AddType(module, s->generator)) return -1;
    /* The default one of the process: without a generator of its own it passes NULL on. */
    PyObject *process = s->generator->tp_alloc(s->generator, 0);
    int failed = process ? PyModule_AddObjectRef(module, "default_generator", process) : -1;
    Py_XDECREF(process);
    return failed;
}

/* ---- the default generator ------------------------------------------------------------------- */

static PyObject *manual_seed(PyObject *module, PyObject *value) {
    uint64_t seed;
    PyObject *whole = PyNumber_Long(value);
    bool fine = whole && seed_of(whole, &seed);
    Py_XDECREF(whole);
    if (!fine) return NULL;
    nomen_manual_seed(seed);
    return PyObject_GetAttrString(module, "default_generator");
}

static PyObject *seed(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyLong_FromUnsignedLongLong(nomen_seed());
}

static PyObject *initial_seed(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyLong_FromUnsignedLongLong(nomen_initial_seed());
}

static PyObject *get_rng_state(PyObject *module, PyObject *unused) {
    (void)unused;
    return state_of(PyModule_GetState(module), NULL);
}

static PyObject *set_rng_state(PyObject *module, PyObject *state) {
    if (!set_state(PyModule_GetState(module), NULL, state)) return NULL;
    Py_RETURN_NONE;
}

PyMethodDef nomen__py_random_functions[] = {
    {"manual_seed", manual_seed, METH_O, DOC_manual_seed},
    {"seed", seed, METH_NOARGS, DOC_seed},
    {"initial_seed", initial_seed, METH_NOARGS, DOC_initial_seed},
    {"get_rng_state", get_rng_state, METH_NOARGS, DOC_get_rng_state},
    {"set_rng_state", set_rng_state, METH_O, DOC_set_rng_state},
    {NULL, NULL, 0, NULL},
};
