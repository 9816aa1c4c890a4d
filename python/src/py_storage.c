/* nomen.UntypedStorage: the memory behind tensors, as bytes. What is copied, pickled and passed to
 * other processes is a storage, so that views of one stay views of one. */
#include "py.h"
#include "py_docs.gen.h"

#include "nomen/exchange.h"
#include "nomen/tensor.h"

#include <structmember.h>

typedef struct py_storage {
    PyObject ob_base;
    nomen__storage *storage;
    py_state *state;
    PyObject *key; /* kept, since taking an entry out must not want memory */
} py_storage;

/* The same storage is the same object while that lives: pickle and copy tell by the object what
 * they have met before. state->storages maps addresses to objects, borrowed. */
static PyObject *wrap(py_state *s, nomen__storage *storage) {
    PyObject *key = PyLong_FromVoidPtr(storage);
    PyObject *known = key ? PyDict_GetItemWithError(s->storages, key) : NULL;
    if (!key || known || PyErr_Occurred()) {
        Py_XDECREF(key);
        return known ? Py_NewRef((PyObject *)PyLong_AsVoidPtr(known)) : NULL;
    }
    py_storage *self = PyObject_New(py_storage, s->storage);
    if (!self) {
        Py_DECREF(key);
        return NULL;
    }
    nomen__storage_retain(storage);
    self->storage = storage;
    self->state = s;
    self->key = key;
    PyObject *value = PyLong_FromVoidPtr(self);
    if (!value || PyDict_SetItem(s->storages, key, value)) Py_CLEAR(self);
    Py_XDECREF(value);
    return (PyObject *)self;
}

static PyObject *wrap_fresh(py_state *s, nomen__storage *storage) {
    if (!storage) return nomen__py_raise(s);
    PyObject *o = wrap(s, storage);
    nomen__storage_release(storage);
    return o;
}

static void storage_dealloc(PyObject *o) {
    py_storage *self = (py_storage *)o;
    PyTypeObject *type = Py_TYPE(o);
    PyObject *all = self->state->storages;
    PyObject *kind, *value, *traceback;
    PyErr_Fetch(&kind, &value, &traceback);
    PyObject *known = all ? PyDict_GetItemWithError(all, self->key) : NULL;
    /* not if it failed on the way into the dict */
    if (known && PyLong_AsVoidPtr(known) == o) PyDict_DelItem(all, self->key);
    PyErr_Restore(kind, value, traceback);
    Py_DECREF(self->key);
    nomen__storage_release(self->storage);
    type->tp_free(o);
    Py_DECREF(type);
}

static nomen__storage *storage_of(PyObject *o) { return ((py_storage *)o)->storage; }

static PyObject *storage_repr(PyObject *self) {
    return PyUnicode_FromFormat("nomen.UntypedStorage(device=cpu) of size %zu",
                                storage_of(self)->bytes);
}

static Py_ssize_t storage_length(PyObject *self) { return (Py_ssize_t)storage_of(self)->bytes; }

static PyObject *storage_nbytes(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromSize_t(storage_of(self)->bytes);
}

static PyObject *storage_data_ptr(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromVoidPtr(storage_of(self)->data);
}

static PyObject *storage_element_size(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    return PyLong_FromLong(1);
}

static PyObject *storage_is_shared(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(nomen__storage_file(storage_of(self)) >= 0);
}

static PyObject *storage_is_false(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    Py_RETURN_FALSE;
}

static PyObject *storage_file(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromLong(nomen__storage_file(storage_of(self)));
}

static PyObject *storage_readonly(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(storage_of(self)->readonly != 0);
}

static PyObject *storage_clone(PyObject *self, PyObject *unused) {
    (void)unused;
    nomen__storage *own = storage_of(self), *copy = nomen__storage_new(own->bytes);
    if (copy && own->bytes) memcpy(copy->data, own->data, own->bytes);
    return wrap_fresh(((py_storage *)self)->state, copy);
}

static int storage_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    nomen__storage *s = storage_of(self);
    return PyBuffer_FillInfo(view, self, s->data, (Py_ssize_t)s->bytes, s->readonly != 0, flags);
}

static PyObject *storage_item(PyObject *self, Py_ssize_t i) {
    nomen__storage *s = storage_of(self);
    if (i >= 0 && (size_t)i < s->bytes) return PyLong_FromLong((uint8_t)s->data[i]);
    PyErr_Format(PyExc_IndexError, "index %zd out of range for storage of size %zu", i, s->bytes);
    return NULL;
}

static PyMethodDef storage_methods[] = {
    {"nbytes", storage_nbytes, METH_NOARGS, DOC_UntypedStorage_nbytes},
    {"size", storage_nbytes, METH_NOARGS, DOC_UntypedStorage_size},
    {"data_ptr", storage_data_ptr, METH_NOARGS, DOC_UntypedStorage_data_ptr},
    {"element_size", storage_element_size, METH_NOARGS, DOC_UntypedStorage_element_size},
    {"is_shared", storage_is_shared, METH_NOARGS, DOC_UntypedStorage_is_shared},
    {"is_pinned", storage_is_false, METH_NOARGS, DOC_UntypedStorage_is_pinned},
    {"clone", storage_clone, METH_NOARGS, DOC_UntypedStorage_clone},
    {"_file", storage_file, METH_NOARGS, "The descriptor of shared memory, or -1."},
    {"_readonly", storage_readonly, METH_NOARGS, "May it not be written?"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot storage_slots[] = {
    {Py_tp_doc, DOC_UntypedStorage},      {Py_tp_repr, storage_repr},
    {Py_tp_dealloc, storage_dealloc},     {Py_tp_methods, storage_methods},
    {Py_sq_length, storage_length},       {Py_sq_item, storage_item},
    {Py_bf_getbuffer, storage_getbuffer}, {0, NULL},
};

static PyType_Spec storage_spec = {
    .name = "nomen.UntypedStorage",
    .basicsize = sizeof(py_storage),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = storage_slots,
};

/* ---- functions ------------------------------------------------------------------------------- */

static PyObject *storage_new(PyObject *module, PyObject *value) {
    Py_ssize_t bytes = PyLong_AsSsize_t(value);
    if (bytes == -1 && PyErr_Occurred()) return NULL;
    if (bytes < 0) return PyErr_Format(PyExc_ValueError, "%zd bytes are no storage", bytes);
    return wrap_fresh(PyModule_GetState(module), nomen__storage_new((size_t)bytes));
}

/* On the memory of an object with the buffer protocol. */
static PyObject *storage_on(PyObject *module, PyObject *o) {
    py_state *s = PyModule_GetState(module);
    nomen_tensor *t = nomen__py_from_bytes(s, o);
    if (!t) return NULL;
    PyObject *result = wrap(s, t->storage);
    nomen__release(t);
    return result;
}

static PyObject *storage_from_file(PyObject *module, PyObject *value) {
    long file = PyLong_AsLong(value);
    if (file == -1 && PyErr_Occurred()) return NULL;
    if (file < 0 || file > INT_MAX)
        return PyErr_Format(PyExc_ValueError, "%ld is no descriptor", file);
    return wrap_fresh(PyModule_GetState(module), nomen__storage_from_file((int)file));
}

static int read_sizes(PyObject *tuple, int64_t *sizes) {
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < n && i < NOMEN_MAX_DIMS; i++) {
        sizes[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
        if (sizes[i] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}

/* _view_storage(storage, dtype, offset, size, stride): what pickles and copies are made of. */
static PyObject *view_storage(PyObject *module, PyObject *args) {
    py_state *s = PyModule_GetState(module);
    PyObject *storage, *dtype, *size, *stride;
    long long offset;
    int64_t sizes[NOMEN_MAX_DIMS], strides[NOMEN_MAX_DIMS];
    if (!PyArg_ParseTuple(args, "O!O!LO!O!:_view_storage", s->storage, &storage, s->dtype, &dtype,
                          &offset, &PyTuple_Type, &size, &PyTuple_Type, &stride) ||
        read_sizes(size, sizes) || read_sizes(stride, strides))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(size);
    if (n != PyTuple_GET_SIZE(stride) || n > NOMEN_MAX_DIMS)
        return PyErr_Format(PyExc_ValueError, "%zd sizes and %zd strides make no tensor", n,
                            PyTuple_GET_SIZE(stride));
    return nomen__py_wrap(s,
                          nomen__tensor_on_storage(storage_of(storage), nomen__py_dtype(s, dtype),
                                                   offset, (int)n, sizes, strides));
}

static PyObject *is_storage(PyObject *module, PyObject *o) {
    py_state *s = PyModule_GetState(module);
    return PyBool_FromLong(Py_IS_TYPE(o, s->storage));
}

PyMethodDef nomen__py_storage_functions[] = {
    {"_storage_new", storage_new, METH_O, "So many bytes, not filled."},
    {"_storage_on", storage_on, METH_O, "The memory of another object."},
    {"_storage_from_file", storage_from_file, METH_O, "Shared memory, by its descriptor."},
    {"_view_storage", view_storage, METH_VARARGS, "A tensor on a storage."},
    {"_is_untyped_storage", is_storage, METH_O, "Is it a nomen.UntypedStorage?"},
    {NULL, NULL, 0, NULL},
};

/* ---- methods of Tensor ----------------------------------------------------------------------- */

static PyObject *untyped_storage(PyObject *self, PyObject *unused) {
    (void)unused;
    py_state *s = ((py_tensor *)self)->state;
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (nomen__need_cpu("untyped_storage: the tensor", t) || nomen__before_write(t->storage))
        return nomen__py_raise(s);
    return wrap(s, t->storage);
}

static PyObject *storage_offset(PyObject *self, PyObject *unused) {
    (void)unused;
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (nomen__is_put_off(t)) return PyLong_FromLong(0);
    return PyLong_FromLongLong((t->data - t->storage->data) / nomen__item(t->dtype));
}

static PyObject *is_shared(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(nomen_is_shared(nomen__py_unwrap(self)));
}

static PyObject *share_memory(PyObject *self, PyObject *unused) {
    (void)unused;
    if (nomen_share_memory(nomen__py_unwrap(self)))
        return nomen__py_raise(((py_tensor *)self)->state);
    return Py_NewRef(self);
}

/* Is no other tensor, array or storage object on the same memory but this one and its base, which
 * nobody else holds? */
static PyObject *is_alone(PyObject *self, PyObject *unused) {
    (void)unused;
    const nomen_tensor *t = nomen__py_unwrap(self), *base = t->base;
    bool own_base = base && base->storage == t->storage && atomic_load(&base->refs) == 1;
    return PyBool_FromLong(atomic_load(&t->storage->refs) == (own_base ? 2 : 1));
}

PyMethodDef nomen__py_storage_methods[] = {
    {"untyped_storage", untyped_storage, METH_NOARGS, DOC_Tensor_untyped_storage},
    {"storage_offset", storage_offset, METH_NOARGS, DOC_Tensor_storage_offset},
    {"is_shared", is_shared, METH_NOARGS, DOC_Tensor_is_shared},
    {"_share_memory", share_memory, METH_NOARGS, "Moves the data into shared memory."},
    {"_is_alone", is_alone, METH_NOARGS, "Does nobody else use the memory?"},
    {NULL, NULL, 0, NULL},
};

int nomen__py_add_storage(PyObject *module, py_state *s) {
    s->storages = PyDict_New();
    s->storage = (PyTypeObject *)PyType_FromModuleAndSpec(module, &storage_spec, NULL);
    return s->storages && s->storage ? PyModule_AddType(module, s->storage) : -1;
}
