/* What src/io does, for Python: DLPack's capsules, by which tensors go to and come from other
 * libraries of this process without a copy; .npy files. */
#include "py.h"

#include "nomen/exchange.h"
#include "nomen/io.h"
#include "nomen/scope.h"

static const char fresh_name[] = "dltensor_versioned", used_name[] = "used_dltensor_versioned";
static const char old_name[] = "dltensor", old_used_name[] = "used_dltensor";

/* ---- out ------------------------------------------------------------------------------------- */

/* Whoever has taken the tensor has renamed the capsule and calls the deleter himself. */
static void capsule_end(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, fresh_name)) {
        nomen_dl_managed *m = PyCapsule_GetPointer(capsule, fresh_name);
        if (m->deleter) m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, old_name)) {
        nomen_dl_managed_old *m = PyCapsule_GetPointer(capsule, old_name);
        if (m->deleter) m->deleter(m);
    }
}

/* As BufferError, which the protocol asks for where a tensor cannot be given. */
static PyObject *refuse(void) {
    const nomen_error *error = nomen_last_error();
    if (error && error->code == NOMEN_ERROR_MEMORY) return PyErr_NoMemory();
    PyErr_SetString(PyExc_BufferError, error ? error->message : "the tensor cannot be exported");
    return NULL;
}

static PyObject *capsule_of(const nomen_tensor *t, bool versioned, bool copied) {
    if (!versioned) {
        nomen_dl_managed_old *m = nomen_to_dlpack_old(t);
        PyObject *capsule = m ? PyCapsule_New(m, old_name, capsule_end) : refuse();
        if (m && !capsule) m->deleter(m);
        return capsule;
    }
    nomen_dl_managed *m = nomen_to_dlpack(t);
    if (m && copied) m->flags |= NOMEN_DL_COPIED;
    PyObject *capsule = m ? PyCapsule_New(m, fresh_name, capsule_end) : refuse();
    if (m && !capsule) m->deleter(m);
    return capsule;
}

static bool is_cpu(PyObject *device) {
    int type, id;
    if (device == Py_None) return true;
    if (!PyTuple_Check(device)) {
        PyErr_SetString(PyExc_TypeError, "dl_device must be a tuple (type, id)");
        return false;
    }
    if (!PyArg_ParseTuple(device, "ii;dl_device must be a tuple (type, id)", &type, &id))
        return false;
    if (type == NOMEN_DL_CPU && id == 0) return true;
    PyErr_SetString(PyExc_BufferError, "the tensor can be exported to the CPU only, (1, 0)");
    return false;
}

static PyObject *to_capsule(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"stream", "max_version", "dl_device", "copy", NULL};
    py_state *s = ((py_tensor *)self)->state;
    PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", keywords, &stream,
                                     &max_version, &device, &copy) ||
        !is_cpu(device))
        return NULL;
    if (stream != Py_None) {
        PyErr_SetString(PyExc_BufferError, "stream should be None on cpu.");
        return NULL;
    }
    int major = 0, minor = 0, copies = copy == Py_None ? 0 : PyObject_IsTrue(copy);
    if (max_version != Py_None &&
        (!PyTuple_Check(max_version) ||
         !PyArg_ParseTuple(max_version, "ii;max_version must be a tuple (major, minor)", &major,
                           &minor))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "max_version must be a tuple (major, minor)");
        return NULL;
    }
    if (copies < 0) return NULL;
    nomen_tensor *t = nomen__py_unwrap(self);
    if (copies && !(t->flags & NOMEN__REQUIRES)) {
        t = nomen__copied(nomen__tensor_empty((nomen_dtype)t->dtype, t->ndim, t->size), t);
        if (!t) return nomen__py_raise(s);
    } else {
        nomen__retain(t);
    }
    PyObject *capsule = capsule_of(t, major >= NOMEN_DL_MAJOR, copies);
    nomen__release(t);
    return capsule;
}

static PyObject *dlpack_device(PyObject *self, PyObject *unused) {
    (void)unused;
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (!t->device) return Py_BuildValue("(ii)", NOMEN_DL_CPU, 0);
    return Py_BuildValue("(ii)", 12, nomen__device_at(t->device)->index); /* kDLExtDev */
}

PyMethodDef nomen__py_exchange_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))to_capsule, METH_VARARGS | METH_KEYWORDS,
     "The tensor as a capsule of DLPack, on the same memory. Names have no place in it."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "(1, 0): the CPU."},
    {NULL, NULL, 0, NULL},
};

/* ---- in -------------------------------------------------------------------------------------- */

/* Takes the tensor out of the capsule, which is marked as used when nothing can fail any more. */
static nomen_tensor *from_capsule(PyObject *capsule) {
    nomen_scope_mark mark = nomen_scope_open();
    nomen_tensor *t = NULL;
    const char *used = used_name;
    if (PyCapsule_IsValid(capsule, fresh_name)) {
        t = nomen_from_dlpack(PyCapsule_GetPointer(capsule, fresh_name), NULL);
    } else if (PyCapsule_IsValid(capsule, old_name)) {
        t = nomen_from_dlpack_old(PyCapsule_GetPointer(capsule, old_name), NULL);
        used = old_used_name;
    } else {
        nomen__fail(NOMEN_ERROR_STATE,
                    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be "
                    "consumed only once, so you might have already constructed a tensor from it "
                    "once.");
    }
    nomen__retain(t);
    nomen_scope_close(&mark);
    if (t) PyCapsule_SetName(capsule, used); /* fails for what is no capsule only */
    return t;
}

static PyObject *from_dlpack(PyObject *module, PyObject *capsule) {
    py_state *s = PyModule_GetState(module);
    return nomen__py_wrap(s, from_capsule(capsule));
}

/* ---- .npy files ------------------------------------------------------------------------------ */

static PyObject *save_npy(PyObject *module, PyObject *args) {
    py_state *s = PyModule_GetState(module);
    PyObject *tensor;
    const char *path; /* "y" refuses a NUL inside */
    if (!PyArg_ParseTuple(args, "O!y:_save_npy", s->tensor, &tensor, &path)) return NULL;
    if (nomen_save_npy(nomen__py_unwrap(tensor), path)) return nomen__py_raise(s);
    Py_RETURN_NONE;
}

static PyObject *load_npy(PyObject *module, PyObject *args) {
    const char *path;
    if (!PyArg_ParseTuple(args, "y:_load_npy", &path)) return NULL;
    nomen_scope_mark mark = nomen_scope_open();
    nomen_tensor *t = nomen__retain(nomen_load_npy(path));
    nomen_scope_close(&mark);
    return nomen__py_wrap(PyModule_GetState(module), t);
}

PyMethodDef nomen__py_exchange_functions[] = {
    {"_save_npy", save_npy, METH_VARARGS, "To the path as bytes."},
    {"_load_npy", load_npy, METH_VARARGS, "From the path as bytes."},
    {"_from_dlpack", from_dlpack, METH_O, "A tensor from a capsule."},
    {NULL, NULL, 0, NULL},
};
