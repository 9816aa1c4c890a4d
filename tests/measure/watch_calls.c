/* A Python extension for tests: which callables of nomen are called, with which dtypes. It puts its
 * own function where a callable keeps its vectorcall, so that nomen knows nothing of it, and a call
 * costs the same when nobody watches. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PLAIN, OUT, FORMS };
enum { MOST = 4096, SLOTS = 2 * MOST, DTYPES = 12, NAMED = 31 };

typedef struct watched {
    PyObject *callable;
    vectorcallfunc original;
    uint32_t seen[FORMS]; /* a bit per dtype, and NAMED */
} watched;

/* One for the process, as the callables' functions are. */
static watched list[MOST];
static int count;
static int16_t slots[SLOTS]; /* by callable: a place in the list, from 1 */
static PyObject *tensor_type, *dtypes[DTYPES];

static watched *find(PyObject *callable) {
    for (size_t at = ((uintptr_t)callable >> 4) % SLOTS;; at = (at + 1) % SLOTS) {
        if (!slots[at]) return NULL;
        if (list[slots[at] - 1].callable == callable) return &list[slots[at] - 1];
    }
}

static vectorcallfunc *place_of(PyObject *callable) {
    Py_ssize_t offset = Py_TYPE(callable)->tp_vectorcall_offset;
    return (vectorcallfunc *)(void *)((char *)callable + offset);
}

/* The tensor itself, or the first one of a list or tuple; borrowed. */
static PyObject *tensor_in(PyObject *x) {
    if (PyObject_TypeCheck(x, (PyTypeObject *)tensor_type)) return x;
    if ((PyList_Check(x) || PyTuple_Check(x)) && PySequence_Fast_GET_SIZE(x)) {
        PyObject *first = PySequence_Fast_GET_ITEM(x, 0);
        if (PyObject_TypeCheck(first, (PyTypeObject *)tensor_type)) return first;
    }
    return NULL;
}

static uint32_t bits_of(PyObject *tensor) {
    uint32_t bits = 0;
    PyObject *dtype = PyObject_GetAttrString(tensor, "dtype");
    for (int i = 0; i < DTYPES; i++)
        if (dtype == dtypes[i]) bits |= 1u << i;
    Py_XDECREF(dtype);
    PyObject *names = PyObject_GetAttrString(tensor, "names");
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        if (PyTuple_GET_ITEM(names, i) != Py_None) bits |= 1u << NAMED;
    Py_XDECREF(names);
    PyErr_Clear();
    return bits;
}

/* A mask in front says little: the first operand that is not bool counts, if there is one. */
static bool only_bool(uint32_t bits) { return !(bits & ~(1u | 1u << NAMED)); }

static void look_at(PyObject *value, uint32_t *bits) {
    PyObject *tensor = tensor_in(value);
    uint32_t more = tensor ? bits_of(tensor) : 0;
    if (!*bits || !only_bool(more)) *bits = more | (*bits & 1u << NAMED);
}

static void note(watched *w, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                 PyObject *result) {
    uint32_t bits = 0;
    int form = PLAIN;
    for (Py_ssize_t i = 0; i < nargs && only_bool(bits); i++) look_at(args[i], &bits);
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyObject *value = args[nargs + i];
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "out") == 0)
            form = value == Py_None ? PLAIN : OUT;
        else if (only_bool(bits))
            look_at(value, &bits);
    }
    if (!bits) look_at(result, &bits);
    w->seen[form] |= bits;
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    watched *w = find(self);
    PyObject *result = w->original(self, args, nargsf, kwnames);
    if (result) note(w, args, PyVectorcall_NARGS(nargsf), kwnames, result);
    return result;
}

/* watch(Tensor, dtypes, callables) */
static PyObject *watch(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *type, *kinds, *callables;
    if (!PyArg_ParseTuple(args, "OO!O!", &type, &PyTuple_Type, &kinds, &PyTuple_Type, &callables))
        return NULL;
    if (count || PyTuple_GET_SIZE(kinds) != DTYPES || PyTuple_GET_SIZE(callables) > MOST) {
        PyErr_SetString(PyExc_ValueError, "once, with 12 dtypes and not too many callables");
        return NULL;
    }
    tensor_type = Py_NewRef(type);
    for (int i = 0; i < DTYPES; i++) dtypes[i] = Py_NewRef(PyTuple_GET_ITEM(kinds, i));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(callables); i++) {
        PyObject *callable = PyTuple_GET_ITEM(callables, i);
        if (!PyVectorcall_Function(callable) || find(callable)) {
            PyErr_Format(PyExc_TypeError, "%R cannot be watched", callable);
            return NULL;
        }
        list[count++] = (watched){Py_NewRef(callable), *place_of(callable), {0, 0}};
        size_t at = ((uintptr_t)callable >> 4) % SLOTS;
        while (slots[at]) at = (at + 1) % SLOTS;
        slots[at] = (int16_t)count;
        *place_of(callable) = call;
    }
    Py_RETURN_NONE;
}

/* take() -> [(place among the callables, out=, dtypes as bits, named)] since the last time. */
static PyObject *take(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *result = PyList_New(0);
    for (int i = 0; i < count && result; i++) {
        for (int form = 0; form < FORMS; form++) {
            uint32_t bits = list[i].seen[form];
            if (!bits) continue;
            list[i].seen[form] = 0;
            PyObject *item = Py_BuildValue("(iiIi)", i, form == OUT, bits & ~(1u << NAMED),
                                           (int)(bits >> NAMED));
            if (!item || PyList_Append(result, item)) Py_CLEAR(result);
            Py_XDECREF(item);
            if (!result) break;
        }
    }
    return result;
}

static PyMethodDef methods[] = {
    {"watch", watch, METH_VARARGS, NULL},
    {"take", take, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "watch_calls",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit_watch_calls(void) { return PyModule_Create(&definition); }
