/* nomen.Generator and the seeds of the default one. */
#include "py.h"

#include "nomen/random.h"

typedef struct py_generator {
    PyObject ob_base;
    nomen_generator *g;
} py_generator;

struct nomen_generator *nomen__py_generator(PyObject *o) { return ((py_generator *)o)->g; }

/* Any int: the low 64 bits count, so that -1 is a seed too. */
static bool seed_of(PyObject *o, uint64_t *seed) {
    PyObject *index = PyNumber_Index(o);
    if (!index) return false;
    *seed = PyLong_AsUnsignedLongLongMask(index);
    Py_DECREF(index);
    return !(*seed == UINT64_MAX && PyErr_Occurred());
}

static PyObject *generator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"device", NULL};
    PyObject *device = Py_None;
    py_state *s = PyType_GetModuleState(type);
    if (!s || !PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", keywords, &device) ||
        !nomen__py_device(s, device))
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

static PyObject *state_bytes(nomen_generator *g) {
    size_t size = nomen_generator_get_state(g, NULL, 0);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes) nomen_generator_get_state(g, PyBytes_AS_STRING(bytes), size);
    return bytes;
}

static PyObject *set_state(py_state *s, nomen_generator *g, PyObject *bytes) {
    if (!PyBytes_Check(bytes)) {
        PyErr_Format(PyExc_TypeError, "the state of a generator must be bytes, not %s",
                     Py_TYPE(bytes)->tp_name);
        return NULL;
    }
    if (nomen_generator_set_state(g, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)))
        return nomen__py_raise(s);
    Py_RETURN_NONE;
}

static PyObject *generator_get_state(PyObject *self, PyObject *unused) {
    (void)unused;
    return state_bytes(nomen__py_generator(self));
}

static PyObject *generator_set_state(PyObject *self, PyObject *bytes) {
    py_state *s = PyType_GetModuleState(Py_TYPE(self));
    return s ? set_state(s, nomen__py_generator(self), bytes) : NULL;
}

static PyMethodDef generator_methods[] = {
    {"manual_seed", generator_manual_seed, METH_O, "Starts over from a seed; returns itself."},
    {"seed", generator_seed, METH_NOARGS, "Starts over from a seed of the system's; returns it."},
    {"initial_seed", generator_initial_seed, METH_NOARGS, "The seed it last started from."},
    {"get_state", generator_get_state, METH_NOARGS, "What it takes to go on from here, as bytes."},
    {"set_state", generator_set_state, METH_O, "Goes on from such bytes."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot generator_slots[] = {
    {Py_tp_doc, "A source of random numbers: Generator().manual_seed(1)."},
    {Py_tp_new, generator_new},
    {Py_tp_dealloc, generator_dealloc},
    {Py_tp_methods, generator_methods},
    {0, NULL},
};

static PyType_Spec generator_spec = {
    .name = "nomen.Generator",
    .basicsize = sizeof(py_generator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = generator_slots,
};

int nomen__py_add_generator(PyObject *module, py_state *s) {
    s->generator = (PyTypeObject *)PyType_FromModuleAndSpec(module, &generator_spec, NULL);
    return s->generator ? PyModule_AddType(module, s->generator) : -1;
}

/* ---- the default generator ------------------------------------------------------------------- */

static PyObject *manual_seed(PyObject *module, PyObject *value) {
    (void)module;
    uint64_t seed;
    if (!seed_of(value, &seed)) return NULL;
    nomen_manual_seed(seed);
    Py_RETURN_NONE;
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
    (void)module;
    (void)unused;
    return state_bytes(NULL);
}

static PyObject *set_rng_state(PyObject *module, PyObject *bytes) {
    return set_state(PyModule_GetState(module), NULL, bytes);
}

PyMethodDef nomen__py_random_functions[] = {
    {"manual_seed", manual_seed, METH_O,
     "manual_seed($module, seed, /)\n--\n\nStarts the default generator over from a seed."},
    {"seed", seed, METH_NOARGS, "seed($module, /)\n--\n\nThe same with a seed of the system's."},
    {"initial_seed", initial_seed, METH_NOARGS,
     "initial_seed($module, /)\n--\n\nThe seed that the default generator last started from."},
    {"get_rng_state", get_rng_state, METH_NOARGS,
     "get_rng_state($module, /)\n--\n\nThe state of the default generator, as bytes."},
    {"set_rng_state", set_rng_state, METH_O,
     "set_rng_state($module, state, /)\n--\n\nGoes on from such bytes."},
    {NULL, NULL, 0, NULL},
};
