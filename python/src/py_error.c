/* Errors of the library as Python exceptions. Texts of wrong arguments are in py_parse.c. */
#include "py.h"
#include "py_docs.gen.h"

static PyObject *class_of(py_state *s, nomen_status code) {
    int i = -(int)code;
    PyObject *found = i > 0 && i < PY_ERRORS ? s->errors[i] : NULL;
    return found ? found : PyExc_RuntimeError;
}

/* A note that cannot be added is left out: the exception is the more important thing. */
static void add_note(PyObject *exception, PyObject *note) {
    PyObject *done = note ? PyObject_CallMethod(exception, "add_note", "O", note) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(note);
}

/* "in add(self=Tensor[N=32, C=64], other=Tensor[C=3])" and "hint: ..." behind the message. */
static void add_notes(PyObject *exception, const char *op, const char *operands, const char *hint) {
    if (op[0])
        add_note(exception, operands[0] ? PyUnicode_FromFormat("in %s(%s)", op, operands)
                                        : PyUnicode_FromFormat("in %s", op));
    if (hint[0]) add_note(exception, PyUnicode_FromFormat("hint: %s", hint));
}

PyObject *nomen__py_raise(py_state *s) {
    const nomen_error *error = nomen_last_error();
    if (PyErr_Occurred())
        return NULL; /* a hook of the user's raised, and the library only says so */
    if (!error) {
        PyErr_SetString(PyExc_SystemError, "an operation failed without saying why");
        return NULL;
    }
    /* Making objects may run a destructor, which may fail and replace the error. */
    nomen_status code = error->code;
    char op[64], operands[512], hint[512];
    snprintf(op, sizeof op, "%s", error->op);
    snprintf(operands, sizeof operands, "%s", error->operands);
    snprintf(hint, sizeof hint, "%s", error->hint);
    PyObject *message =
        PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    PyObject *class = class_of(s, code);
    PyObject *exception = message ? PyObject_CallOneArg(class, message) : NULL;
    Py_XDECREF(message);
    if (!exception) return NULL;
    add_notes(exception, op, operands, hint);
    PyErr_SetObject(class, exception);
    Py_DECREF(exception);
    return NULL;
}

/* An exception of two kinds: what PyTorch raises, and what one would look for. */
static PyObject *add_class(PyObject *module, const char *name, const char *doc, PyObject *first,
                           PyObject *second) {
    PyObject *bases = PyTuple_Pack(2, first, second);
    PyObject *class = bases ? PyErr_NewExceptionWithDoc(name, doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    if (class && PyModule_AddObjectRef(module, strchr(name, '.') + 1, class)) Py_CLEAR(class);
    return class;
}

int nomen__py_add_errors(PyObject *module, py_state *s) {
    PyObject *memory = add_class(module, "nomen.OutOfMemoryError", DOC_OutOfMemoryError,
                                 PyExc_RuntimeError, PyExc_MemoryError);
    s->no_device = add_class(module, "nomen.DeviceError", DOC_DeviceError, PyExc_RuntimeError,
                             PyExc_AssertionError);
    if (!memory || !s->no_device) {
        Py_XDECREF(memory);
        return -1;
    }
    static const struct {
        int code;
        const char *name;
    } rows[] = {
#define X(name, value, exception, meaning) {-(value), exception},
#include "../../ops/errors.def"
#undef X
    };
    PyObject *builtins = PyEval_GetBuiltins();
    for (size_t i = 0; i < NOMEN_COUNT(rows); i++) {
        PyObject *class = strcmp(rows[i].name, "OutOfMemoryError")
                              ? PyDict_GetItemString(builtins, rows[i].name)
                              : memory;
        if (!class || rows[i].code >= PY_ERRORS) {
            PyErr_Format(PyExc_SystemError, "ops/errors.def: no exception %s", rows[i].name);
            Py_DECREF(memory);
            return -1;
        }
        s->errors[rows[i].code] = Py_NewRef(class);
    }
    Py_DECREF(memory);
    return 0;
}
