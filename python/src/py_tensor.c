/* nomen.Tensor: the object, what it tells of itself, its names; and nomen.Size. Operators are in
 * py_number.c, indices in py_index.c, elements in py_data.c, gradients in py_grad.c. */
#include "py.h"
#include "py_docs.gen.h"

#include "io/print.h"
#include "nomen/tensor.h"

#include <structmember.h>

/* ---- the object ------------------------------------------------------------------------------ */

static PyObject *wrap_as(py_state *s, PyTypeObject *type, nomen_tensor *t) {
    py_tensor *self = (py_tensor *)type->tp_alloc(type, 0);
    if (NOMEN_UNLIKELY(!self)) {
        nomen__release(t);
        return NULL;
    }
    self->t = t;
    self->state = s;
    self->weak = NULL;
    t->python = self;
    return (PyObject *)self;
}

/* An object of this type that died becomes one again: what PyObject_Init does, where Python keeps
 * no account of all objects. */
static inline void revive(PyObject *o, PyTypeObject *type) {
#if defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS) || defined(Py_GIL_DISABLED)
    (void)PyObject_Init(o, type);
#else
    Py_INCREF(type);
    Py_SET_REFCNT(o, 1);
#endif
}

PyObject *nomen__py_wrap(py_state *s, nomen_tensor *t) {
    if (NOMEN_UNLIKELY(!t)) return nomen__py_raise(s);
    if (t->python) {
        PyObject *known = Py_NewRef((PyObject *)t->python);
        nomen__release(t); /* the object has a reference of its own */
        return known;
    }
    py_tensor *self;
    if (NOMEN_LIKELY(s->spare_count > 0)) {
        self = s->spare[--s->spare_count];
        revive(&self->ob_base, s->tensor);
    } else {
        self = PyObject_New(py_tensor, s->tensor);
    }
    if (NOMEN_UNLIKELY(!self)) {
        nomen__release(t);
        return NULL;
    }
    self->t = t;
    self->state = s;
    self->weak = NULL;
    t->python = self;
    return (PyObject *)self;
}

static void tensor_dealloc(PyObject *o) {
    py_tensor *self = (py_tensor *)o;
    PyTypeObject *type = Py_TYPE(o);
    nomen_tensor *t = self->t;
    /* First: a callback of a weak reference may come upon the header again by another way. */
    if (NOMEN_LIKELY(t != NULL)) t->python = NULL;
    if (self->weak) PyObject_ClearWeakRefs(o);
    self->t = NULL;
    nomen__release(t);
    py_state *s = self->state; /* as old as the type: that holds the module */
    if (NOMEN_LIKELY(type == s->tensor && s->spare_count < PY_SPARE))
        s->spare[s->spare_count++] = self;
    else
        type->tp_free(o);
    Py_DECREF(type);
}

py_state *nomen__py_state_of(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    if (NOMEN_LIKELY(type->tp_dealloc == tensor_dealloc)) return ((py_tensor *)o)->state;
    /* Subclasses made in Python have a tp_dealloc of Python's; whatever is a Tensor has a base that
     * has ours. */
    for (PyTypeObject *base = type->tp_base; base; base = base->tp_base)
        if (base->tp_dealloc == tensor_dealloc) return ((py_tensor *)o)->state;
    return NULL;
}

/* Tensor(): nothing. Tensor(2, 3): these sizes, not filled. Tensor(x): x as it is, another header
 * on the same memory. Tensor([1, 2]): float32. */
static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *module = PyType_GetModuleByDef(type, &nomen__py_module);
    py_state *s = module ? PyModule_GetState(module) : NULL;
    if (!s) return NULL;
    if (kwargs && PyDict_GET_SIZE(kwargs) && type == s->tensor) {
        PyErr_SetString(PyExc_TypeError, "Tensor() takes no keyword arguments: see nomen.tensor");
        return NULL;
    }
    PyObject *first = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    PyObject *made;
    if (first && nomen__py_is_tensor(s, first)) {
        nomen_tensor *twin = nomen__tensor_alias(nomen__py_unwrap(first));
        return twin ? wrap_as(s, type, twin) : nomen__py_raise(s);
    }
    if (first && !PyIndex_Check(first)) {
        made = PyObject_CallMethod(s->module, "tensor", "OO", first,
                                   s->dtypes[nomen__default_float()]);
    } else {
        PyObject *zero = PyTuple_GET_SIZE(args) ? NULL : Py_BuildValue("(i)", 0);
        PyObject *empty = PyObject_GetAttrString(s->module, "empty");
        made = empty ? PyObject_CallObject(empty, zero ? zero : args) : NULL;
        Py_XDECREF(empty);
        Py_XDECREF(zero);
    }
    if (!made || type == s->tensor) return made;
    nomen_tensor *twin = nomen__tensor_alias(nomen__py_unwrap(made));
    Py_DECREF(made);
    return twin ? wrap_as(s, type, twin) : nomen__py_raise(s);
}

static Py_hash_t tensor_hash(PyObject *self) {
    Py_hash_t h = (Py_hash_t)((uintptr_t)self >> 4);
    return h == -1 ? -2 : h;
}

static PyObject *tensor_repr(PyObject *self) {
    const nomen_tensor *t = nomen__py_unwrap(self);
    char grad[128];
    nomen__py_grad_text(t, grad, sizeof grad);
    nomen__repr_extra extra = {.grad = grad[0] ? grad : NULL};
    nomen__long_text text = {0};
    PyObject *result;
    if (nomen__repr(t, &extra, &text))
        result = nomen__py_raise(((py_tensor *)self)->state);
    else
        result = PyUnicode_DecodeUTF8(text.at, (Py_ssize_t)text.used, "replace");
    nomen__long_text_free(&text);
    return result;
}

/* A 0-d tensor is formatted as its number. */
static PyObject *tensor_format(PyObject *self, PyObject *spec) {
    if (!PyUnicode_Check(spec)) {
        PyErr_Format(PyExc_TypeError, "__format__() argument must be str, not %s",
                     Py_TYPE(spec)->tp_name);
        return NULL;
    }
    if (nomen__py_unwrap(self)->ndim) {
        if (!PyUnicode_GET_LENGTH(spec)) return PyObject_Str(self);
        PyErr_SetString(PyExc_TypeError, "unsupported format string passed to Tensor.__format__");
        return NULL;
    }
    PyObject *item = nomen__py_item(self, NULL);
    PyObject *text = item ? PyObject_Format(item, spec) : NULL;
    Py_XDECREF(item);
    return text;
}

/* ---- what it tells --------------------------------------------------------------------------- */

PyObject *nomen__py_size(py_state *s, const int64_t *size, int n) {
    PyObject *tuple = s->size->tp_alloc(s->size, n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *item = PyLong_FromLongLong(size[i]);
        if (!item) Py_CLEAR(tuple);
        if (tuple) PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *plain_tuple(const int64_t *values, int n) {
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *item = PyLong_FromLongLong(values[i]);
        if (!item) Py_CLEAR(tuple);
        if (tuple) PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *get_shape(PyObject *self, void *closure) {
    (void)closure;
    const nomen_tensor *t = nomen__py_unwrap(self);
    return nomen__py_size(((py_tensor *)self)->state, t->size, t->ndim);
}

static PyObject *get_dtype(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(((py_tensor *)self)->state->dtypes[nomen__py_unwrap(self)->dtype]);
}

static PyObject *get_device(PyObject *self, void *closure) {
    (void)closure;
    return nomen__py_device_of(((py_tensor *)self)->state, nomen__py_unwrap(self));
}

static PyObject *get_is_cuda(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(
        !strncmp(nomen__device_name(nomen__py_unwrap(self)->device), "cuda:", 5));
}

static PyObject *get_layout(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(((py_tensor *)self)->state->strided);
}

static PyObject *get_ndim(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(nomen__py_unwrap(self)->ndim);
}

static PyObject *get_itemsize(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromSize_t(nomen_dtype_size(nomen__py_unwrap(self)->dtype));
}

static PyObject *get_nbytes(PyObject *self, void *closure) {
    (void)closure;
    const nomen_tensor *t = nomen__py_unwrap(self);
    return PyLong_FromLongLong(t->numel * (int64_t)nomen_dtype_size(t->dtype));
}

static PyObject *get_version(PyObject *self, void *closure) {
    (void)closure;
    const nomen_tensor *t = nomen__py_unwrap(self);
    return PyLong_FromUnsignedLong(atomic_load(&t->storage->version));
}

static PyObject *is_false(PyObject *self, void *closure) {
    (void)self;
    (void)closure;
    Py_RETURN_FALSE;
}

/* size and stride of one dim, or of all. */
static PyObject *of_dim(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                        const char *name) {
    py_tensor *me = (py_tensor *)self;
    const nomen_tensor *t = me->t;
    const int64_t *values = name[1] == 'i' ? t->size : t->stride;
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    if (nargs + keywords > 1 ||
        (keywords && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "dim"))) {
        PyErr_Format(PyExc_TypeError, "%s() takes one argument, dim", name);
        return NULL;
    }
    if (!nargs && !keywords)
        return values == t->size ? nomen__py_size(me->state, values, t->ndim)
                                 : plain_tuple(values, t->ndim);
    if (!PyUnicode_Check(args[0]) && args[0] != Py_None && !PyIndex_Check(args[0])) {
        PyErr_Format(PyExc_TypeError,
                     "%s(): argument 'dim' (position 1) must be int or name, not %s", name,
                     Py_TYPE(args[0])->tp_name);
        return NULL;
    }
    nomen__dimref ref;
    int position;
    if (!nomen__py_dimref(me->state, args[0], &ref)) return NULL;
    if (nomen__dim_position(nomen__names_of(t), &ref, &position)) return nomen__py_raise(me->state);
    if (t->ndim) return PyLong_FromLongLong(values[position]);
    PyErr_SetString(PyExc_IndexError, "Dimension specified as 0 but tensor has no dimensions");
    return NULL;
}

static PyObject *tensor_size(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames) {
    return of_dim(self, args, nargs, kwnames, "size");
}

static PyObject *tensor_stride(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames) {
    return of_dim(self, args, nargs, kwnames, "stride");
}

static PyObject *tensor_dim(PyObject *self, PyObject *unused) {
    (void)unused;
    return get_ndim(self, NULL);
}

/* The view with its dims the other way round. */
static PyObject *get_turned(PyObject *self, void *closure) {
    (void)closure;
    py_call p;
    const nomen_tensor *t = nomen__py_unwrap(self);
    py_state *s = ((py_tensor *)self)->state;
    nomen__py_begin(&p, s, s->op[PY_OP_permute]);
    for (int i = 0; i < t->ndim; i++)
        p.c.dims_pool[i] = (nomen__dimref){NOMEN__DIM_INDEX, 0, t->ndim - 1 - i};
    p.c.arg[0].tensor = nomen__py_unwrap(self);
    p.c.arg[1].dims = (nomen__dims){t->ndim, p.c.dims_pool};
    p.c.dims_used = t->ndim;
    p.c.given = 3;
    p.c.listed = 2;
    return nomen__py_run(&p);
}

static PyObject *tensor_t(PyObject *self, PyObject *unused) {
    (void)unused;
    nomen_tensor *t = nomen__py_unwrap(self);
    if (t->ndim < 2) return Py_NewRef(self);
    if (t->ndim > 2)
        return PyErr_Format(PyExc_RuntimeError,
                            "t() expects a tensor with <= 2 dimensions, but self is %dD", t->ndim);
    py_call p;
    py_state *s = ((py_tensor *)self)->state;
    nomen__py_begin(&p, s, s->op[PY_OP_transpose]);
    p.c.arg[0].tensor = t;
    for (int i = 0; i < 2; i++) {
        p.c.dims_pool[i] = (nomen__dimref){NOMEN__DIM_INDEX, 0, i};
        p.c.arg[1 + i].dims = (nomen__dims){1, &p.c.dims_pool[i]};
    }
    p.c.dims_used = 2;
    p.c.given = 7;
    return nomen__py_run(&p);
}

static PyObject *tensor_numel(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromLongLong(nomen__py_unwrap(self)->numel);
}

static PyObject *tensor_element_size(PyObject *self, PyObject *unused) {
    (void)unused;
    return get_itemsize(self, NULL);
}

static PyObject *tensor_is_contiguous(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"memory_format", NULL};
    PyObject *format = Py_None;
    uint8_t order = NOMEN__ROW_MAJOR;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:is_contiguous", names, &format)) return NULL;
    if (format != Py_None) {
        int known = nomen__py_format(nomen__py_state_of(self), format, &order);
        if (known < 0) return NULL;
        if (!known)
            return PyErr_Format(PyExc_TypeError,
                                "is_contiguous(): argument 'memory_format' "
                                "must be nomen.memory_format, not %s",
                                Py_TYPE(format)->tp_name);
        if (order == NOMEN__ANY_ORDER) {
            PyErr_SetString(PyExc_RuntimeError, "preserve memory format is unsupported by the "
                                                "contiguous operator");
            return NULL;
        }
    }
    return PyBool_FromLong(nomen__lies_in_format(nomen__py_unwrap(self), order));
}

static PyObject *tensor_data_ptr(PyObject *self, PyObject *unused) {
    (void)unused;
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (t->device) return PyLong_FromVoidPtr(t->numel ? t->data : NULL);
    void *at = t->numel ? nomen_data(t) : NULL;
    if (t->numel && !at) return nomen__py_raise(((py_tensor *)self)->state);
    return PyLong_FromVoidPtr(at);
}

static PyObject *tensor_is_floating_point(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(nomen_dtype_is_floating(nomen__py_unwrap(self)->dtype));
}

static PyObject *tensor_is_complex(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(nomen_dtype_is_complex(nomen__py_unwrap(self)->dtype));
}

static PyObject *tensor_is_signed(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(nomen_dtype_is_signed(nomen__py_unwrap(self)->dtype));
}

static PyObject *tensor_get_device(PyObject *self, PyObject *unused) {
    (void)unused;
    const nomen_tensor *t = nomen__py_unwrap(self);
    return PyLong_FromLong(t->device ? nomen__device_at(t->device)->index : -1);
}

static PyObject *tensor_is_set_to(PyObject *self, PyObject *other) {
    py_state *s = ((py_tensor *)self)->state;
    if (!nomen__py_is_tensor(s, other)) {
        PyErr_Format(PyExc_TypeError, "is_set_to(): argument 'tensor' must be Tensor, not %s",
                     Py_TYPE(other)->tp_name);
        return NULL;
    }
    const nomen_tensor *a = nomen__py_unwrap(self), *b = nomen__py_unwrap(other);
    if (nomen__make_ready(a) || nomen__make_ready(b)) return nomen__py_raise(s);
    bool same = a->data == b->data && a->ndim == b->ndim && a->storage == b->storage;
    for (int i = 0; same && i < a->ndim; i++)
        same = a->size[i] == b->size[i] && a->stride[i] == b->stride[i];
    return PyBool_FromLong(same);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Each name is one str, kept in a list by its id: ids are small and never given anew. */
static PyObject *name_object(py_state *s, nomen_name name) {
    if (!name) return Py_NewRef(Py_None);
    Py_ssize_t known = PyList_GET_SIZE(s->names);
    if (NOMEN_LIKELY(name < known)) {
        PyObject *item = PyList_GET_ITEM(s->names, name);
        if (item != Py_None) return Py_NewRef(item);
    }
    for (; known <= name; known++)
        if (PyList_Append(s->names, Py_None)) return NULL;
    PyObject *text = PyUnicode_InternFromString(nomen_name_text(name));
    if (text && PyList_SetItem(s->names, name, Py_NewRef(text))) Py_CLEAR(text);
    return text;
}

/* A name that came from Python keeps a str from then on, so that reading it makes none; the one
 * that it came as is found again by its address. */
bool nomen__py_name_known(py_state *s, PyObject *o, nomen_name name) {
    PyObject *text = name_object(s, name);
    if (NOMEN_UNLIKELY(!text)) return false;
    Py_DECREF(text); /* the list has it */
    if (!name || !PyUnicode_CheckExact(o)) return true;
    py_known *known = nomen__py_known_slot(s, o);
    Py_XSETREF(known->text, Py_NewRef(o));
    known->name = name;
    return true;
}

static PyObject *get_names(PyObject *self, void *closure) {
    (void)closure;
    const nomen_tensor *t = nomen__py_unwrap(self);
    PyObject *tuple = PyTuple_New(t->ndim);
    for (int i = 0; tuple && i < t->ndim; i++) {
        PyObject *item = name_object(((py_tensor *)self)->state, nomen__name_at(t, i));
        if (!item) Py_CLEAR(tuple);
        if (tuple) PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* In place, without a node and without a new version; no "...". */
static int set_names(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    py_tensor *me = (py_tensor *)self;
    nomen_name list[NOMEN_MAX_DIMS];
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "names cannot be deleted: set them to None");
        return -1;
    }
    if (value == Py_None) {
        nomen__set_names(me->t, NULL);
        return 0;
    }
    bool listed = PyTuple_Check(value) || PyList_Check(value);
    Py_ssize_t n = listed ? PySequence_Fast_GET_SIZE(value) : 0;
    PyObject *first = n ? PySequence_Fast_GET_ITEM(value, 0) : Py_None;
    if (!listed || (first != Py_None && !PyUnicode_Check(first))) {
        PyErr_SetString(PyExc_RuntimeError, "names must either be None or a tuple of dim names");
        return -1;
    }
    nomen_status status = NOMEN_OK;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(value, i);
        nomen__dimref ref = {NOMEN__DIM_NONE, 0, 0};
        if (!PyUnicode_Check(item) && item != Py_None) {
            PyErr_Format(PyExc_TypeError, "expected None or string for Dimname but got %s",
                         Py_TYPE(item)->tp_name);
            return -1;
        }
        if (!nomen__py_dimref(me->state, item, &ref)) return -1;
        if (ref.kind == NOMEN__DIM_ELLIPSIS && !nomen_name_intern("...", 3, &ref.name)) goto failed;
        if (i < NOMEN_MAX_DIMS) list[i] = ref.name;
    }
    if (n > NOMEN_MAX_DIMS)
        status = nomen__fail(NOMEN_ERROR_NAME,
                             "Number of names (%zd) and number of dimensions in tensor (%d) do not "
                             "match: at most %d names are possible",
                             n, me->t->ndim, NOMEN_MAX_DIMS);
    else
        status = nomen__check_names(list, (int)n, me->t->ndim);
    if (!status) {
        nomen__set_names(me->t, list);
        return 0;
    }
failed:
    nomen__py_raise(me->state);
    return -1;
}

static PyObject *tensor_has_names(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(nomen_has_names(nomen__py_unwrap(self)));
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyGetSetDef tensor_getset[] = {
    {"shape", get_shape, NULL, DOC_Tensor_shape, NULL},
    {"T", get_turned, NULL, DOC_Tensor_T, NULL},
    {"names", get_names, set_names, DOC_Tensor_names, NULL},
    {"dtype", get_dtype, NULL, DOC_Tensor_dtype, NULL},
    {"device", get_device, NULL, DOC_Tensor_device, NULL},
    {"layout", get_layout, NULL, DOC_Tensor_layout, NULL},
    {"ndim", get_ndim, NULL, DOC_Tensor_ndim, NULL},
    {"itemsize", get_itemsize, NULL, DOC_Tensor_itemsize, NULL},
    {"nbytes", get_nbytes, NULL, DOC_Tensor_nbytes, NULL},
    {"_version", get_version, NULL, "Counts the writes into the memory.", NULL},
    {"is_cuda", get_is_cuda, NULL, DOC_Tensor_is_cuda, NULL},
    {"is_sparse", is_false, NULL, DOC_Tensor_is_sparse, NULL},
    {"is_sparse_csr", is_false, NULL, DOC_Tensor_is_sparse_csr, NULL},
    {"is_quantized", is_false, NULL, DOC_Tensor_is_quantized, NULL},
    {"is_meta", is_false, NULL, DOC_Tensor_is_meta, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* The casts are as CPython wants them: what a function takes stands in its flags. */
#define FASTCALL(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef tensor_methods[] = {
    {"size", FASTCALL(tensor_size), METH_FASTCALL | METH_KEYWORDS, DOC_Tensor_size},
    {"stride", FASTCALL(tensor_stride), METH_FASTCALL | METH_KEYWORDS, DOC_Tensor_stride},
    {"dim", tensor_dim, METH_NOARGS, DOC_Tensor_dim},
    {"ndimension", tensor_dim, METH_NOARGS, DOC_Tensor_ndimension},
    {"numel", tensor_numel, METH_NOARGS, DOC_Tensor_numel},
    {"t", tensor_t, METH_NOARGS, DOC_Tensor_t},
    {"nelement", tensor_numel, METH_NOARGS, DOC_Tensor_nelement},
    {"element_size", tensor_element_size, METH_NOARGS, DOC_Tensor_element_size},
    {"is_contiguous", FASTCALL(tensor_is_contiguous), METH_VARARGS | METH_KEYWORDS,
     DOC_Tensor_is_contiguous},
    {"data_ptr", tensor_data_ptr, METH_NOARGS, DOC_Tensor_data_ptr},
    {"is_floating_point", tensor_is_floating_point, METH_NOARGS, DOC_Tensor_is_floating_point},
    {"is_complex", tensor_is_complex, METH_NOARGS, DOC_Tensor_is_complex},
    {"is_signed", tensor_is_signed, METH_NOARGS, DOC_Tensor_is_signed},
    {"get_device", tensor_get_device, METH_NOARGS, DOC_Tensor_get_device},
    {"is_set_to", tensor_is_set_to, METH_O, DOC_Tensor_is_set_to},
    {"has_names", tensor_has_names, METH_NOARGS, DOC_Tensor_has_names},
    {"item", nomen__py_item, METH_NOARGS, DOC_Tensor_item},
    {"tolist", nomen__py_tolist, METH_NOARGS, DOC_Tensor_tolist},
    {"__format__", tensor_format, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef tensor_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_tensor, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_doc, DOC_Tensor},
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_hash, tensor_hash},
    {Py_tp_repr, tensor_repr},
    {Py_tp_members, tensor_members},
    {Py_tp_getset, tensor_getset},
    {Py_tp_methods, tensor_methods},
    {Py_bf_getbuffer, nomen__py_getbuffer},
    {Py_bf_releasebuffer, nomen__py_releasebuffer},
};

/* ---- nomen.Size ------------------------------------------------------------------------------ */

static PyObject *size_repr(PyObject *self) {
    PyObject *list = PySequence_List(self);
    PyObject *text = list ? PyUnicode_FromFormat("nomen.Size(%R)", list) : NULL;
    Py_XDECREF(list);
    return text;
}

static PyObject *size_numel(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *product = PyLong_FromLong(1);
    for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); i++)
        Py_SETREF(product, PyNumber_Multiply(product, PyTuple_GET_ITEM(self, i)));
    return product;
}

/* A tuple of some of the sizes, or of more, is a Size again. Takes the tuple over. */
static PyObject *size_of_tuple(PyTypeObject *type, PyObject *tuple) {
    if (!tuple || !PyTuple_CheckExact(tuple)) return tuple;
    PyObject *size = PyObject_CallOneArg((PyObject *)type, tuple);
    Py_DECREF(tuple);
    return size;
}

static PyObject *size_subscript(PyObject *self, PyObject *item) {
    return size_of_tuple(Py_TYPE(self), PyTuple_Type.tp_as_mapping->mp_subscript(self, item));
}

static PyObject *size_repeat(PyObject *self, Py_ssize_t n) {
    return size_of_tuple(Py_TYPE(self), PyTuple_Type.tp_as_sequence->sq_repeat(self, n));
}

/* In either order: the slot for numbers is asked before the one that joins tuples. */
static PyObject *size_add(PyObject *a, PyObject *b) {
    if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
    PyTypeObject *type = PyTuple_CheckExact(a) ? Py_TYPE(b) : Py_TYPE(a);
    PyObject *left = PySequence_List(a), *joined = NULL;
    PyObject *whole = left ? PySequence_InPlaceConcat(left, b) : NULL;
    if (whole) joined = size_of_tuple(type, PyList_AsTuple(whole));
    Py_XDECREF(whole);
    Py_XDECREF(left);
    return joined;
}

static PyMethodDef size_methods[] = {
    {"numel", size_numel, METH_NOARGS, DOC_Size_numel},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot size_slots[] = {
    {Py_tp_doc, DOC_Size},
    {Py_tp_repr, size_repr},
    {Py_tp_methods, size_methods},
    {Py_mp_subscript, size_subscript},
    {Py_sq_repeat, size_repeat},
    {Py_nb_add, size_add},
    {0, NULL},
};

static PyType_Spec size_spec = {
    .name = "nomen.Size",
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = size_slots,
};

/* The slots of all files in one list. */
static PyTypeObject *make_tensor_type(PyObject *module) {
    PyType_Slot slots[96];
    size_t used = 0;
    const PyType_Slot *parts[] = {nomen__py_number_slots, nomen__py_index_slots};
    for (size_t i = 0; i < NOMEN_COUNT(tensor_slots); i++) slots[used++] = tensor_slots[i];
    for (size_t k = 0; k < NOMEN_COUNT(parts); k++)
        for (const PyType_Slot *at = parts[k]; at->slot && used < NOMEN_COUNT(slots) - 1; at++)
            slots[used++] = *at;
    slots[used] = (PyType_Slot){0, NULL};
    PyType_Spec spec = {
        .name = "nomen.Tensor",
        .basicsize = sizeof(py_tensor),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}

static int add_methods(PyTypeObject *type, PyMethodDef *methods, PyGetSetDef *getset) {
    for (PyMethodDef *m = methods; m && m->ml_name; m++) {
        PyObject *method = PyDescr_NewMethod(type, m);
        if (!method || PyObject_SetAttrString((PyObject *)type, m->ml_name, method)) return -1;
        Py_DECREF(method);
    }
    for (PyGetSetDef *g = getset; g && g->name; g++) {
        PyObject *property = PyDescr_NewGetSet(type, g);
        if (!property || PyObject_SetAttrString((PyObject *)type, g->name, property)) return -1;
        Py_DECREF(property);
    }
    return 0;
}

int nomen__py_add_tensor(PyObject *module, py_state *s) {
    s->out_text = PyUnicode_InternFromString("out");
    if (!s->out_text) return -1;
    s->names = PyList_New(0);
    if (!s->names) return -1;
    s->tensor = make_tensor_type(module);
    PyObject *bases = PyTuple_Pack(1, &PyTuple_Type);
    s->size = bases ? (PyTypeObject *)PyType_FromModuleAndSpec(module, &size_spec, bases) : NULL;
    Py_XDECREF(bases);
    if (!s->tensor || !s->size || PyModule_AddType(module, s->tensor) ||
        PyModule_AddType(module, s->size))
        return -1;
    return add_methods(s->tensor, nomen__py_data_methods, NULL) ||
                   add_methods(s->tensor, nomen__py_storage_methods, NULL) ||
                   add_methods(s->tensor, nomen__py_exchange_methods, NULL) ||
                   add_methods(s->tensor, nomen__py_grad_methods, nomen__py_grad_getset)
               ? -1
               : 0;
}
