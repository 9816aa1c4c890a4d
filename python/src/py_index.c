/* x[...], x[...] = y, len, in, iteration: chains of views through the operations of the table, so
 * that names and gradients follow by themselves. */
#include "py.h"

/* ---- single steps ---------------------------------------------------------------------------- */

/* Each takes the tensor's reference and returns the next one, NULL with an exception. */
static nomen_tensor *finish(py_call *p, nomen_tensor *t) {
    nomen_status status = nomen__py_invoke(p);
    nomen__release(t);
    return status ? NULL : p->c.out[0];
}

static void set_dim(py_call *p, nomen_tensor *t, int dim) {
    p->c.dims_pool[0] = (nomen__dimref){NOMEN__DIM_INDEX, 0, dim};
    p->c.dims_used = 1;
    p->c.arg[0].tensor = t;
    p->c.arg[1].dims = (nomen__dims){1, p->c.dims_pool};
    p->c.given = 3;
}

/* An index out of range is told in words of its own: users of x[i] did not call select. */
static nomen_tensor *take_index(py_state *s, nomen_tensor *t, int dim, int64_t index) {
    int64_t size = t->size[dim];
    if (index < -size || index >= size) {
        const char *name = nomen_name_text(nomen__name_at(t, dim));
        if (name)
            PyErr_Format(PyExc_IndexError,
                         "index %lld is out of bounds for dimension '%s' with size %lld",
                         (long long)index, name, (long long)size);
        else
            PyErr_Format(PyExc_IndexError,
                         "index %lld is out of bounds for dimension %d with size %lld",
                         (long long)index, dim, (long long)size);
        nomen__release(t);
        return NULL;
    }
    py_call p;
    nomen__py_begin(&p, s, s->op[PY_OP_select]);
    set_dim(&p, t, dim);
    p.c.arg[2].integer = index;
    p.c.given |= 1u << 2;
    return finish(&p, t);
}

static nomen_tensor *take_slice(py_state *s, nomen_tensor *t, int dim, PyObject *slice) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0) {
        nomen__release(t);
        return NULL;
    }
    if (step < 1) {
        PyErr_SetString(PyExc_ValueError, "step must be greater than zero");
        nomen__release(t);
        return NULL;
    }
    Py_ssize_t length = PySlice_AdjustIndices((Py_ssize_t)t->size[dim], &start, &stop, step);
    if (!start && length == t->size[dim] && step == 1) return t;
    py_call p;
    nomen__py_begin(&p, s, s->op[PY_OP_slice]);
    set_dim(&p, t, dim);
    int64_t values[] = {start, stop, step};
    for (int i = 0; i < 3; i++) {
        p.c.numbers[2 + i] = (nomen_number){NOMEN_NUMBER_INT, values[i], 0, 0};
        p.c.arg[2 + i].number = &p.c.numbers[2 + i];
        p.c.given |= 1u << (2 + i);
    }
    return finish(&p, t);
}

static nomen_tensor *put_dim(py_state *s, nomen_tensor *t, int dim) {
    py_call p;
    nomen__py_begin(&p, s, s->op[PY_OP_unsqueeze]);
    set_dim(&p, t, dim);
    return finish(&p, t);
}

/* Another header on the same elements, for x[:] and x[...]: never x itself. */
static nomen_tensor *same_again(py_state *s, nomen_tensor *t) {
    py_call p;
    nomen__py_begin(&p, s, s->op[PY_OP_permute]);
    for (int i = 0; i < t->ndim; i++) p.c.dims_pool[i] = (nomen__dimref){NOMEN__DIM_INDEX, 0, i};
    p.c.arg[0].tensor = t;
    p.c.arg[1].dims = (nomen__dims){t->ndim, p.c.dims_pool};
    p.c.dims_used = t->ndim;
    p.c.given = 3;
    return finish(&p, t);
}

/* ---- what the index says --------------------------------------------------------------------- */

typedef enum index_kind {
    INDEX_INT,
    INDEX_SLICE,
    INDEX_NONE,
    INDEX_ELLIPSIS,
    INDEX_WRONG
} index_kind;

static index_kind refuse(PyObject *item) {
    if (PyUnicode_Check(item))
        PyErr_Format(PyExc_TypeError,
                     "indices are integers, slices, None and ...: for a dim given by name write "
                     "x[{'%U': index}]",
                     item);
    else
        PyErr_Format(PyExc_IndexError,
                     "indices are integers, slices, None, ... and dicts of dims, not %s",
                     Py_TYPE(item)->tp_name);
    return INDEX_WRONG;
}

static index_kind refuse_advanced(const char *what) {
    PyErr_Format(PyExc_NotImplementedError,
                 "indexing by %s is not implemented: use integers, slices, None, ..., or select, "
                 "narrow and where",
                 what);
    return INDEX_WRONG;
}

static index_kind kind_of(py_state *s, PyObject *item) {
    if (PyLong_CheckExact(item)) return INDEX_INT;
    if (PySlice_Check(item)) return INDEX_SLICE;
    if (item == Py_None) return INDEX_NONE;
    if (item == Py_Ellipsis) return INDEX_ELLIPSIS;
    if (PyBool_Check(item)) return refuse_advanced("bool");
    if (nomen__py_is_tensor(s, item)) {
        const nomen_tensor *t = nomen__py_unwrap(item);
        if (t->dtype == NOMEN_BOOL) return refuse_advanced("a mask");
        if (!nomen_dtype_is_integral(t->dtype)) {
            PyErr_SetString(PyExc_IndexError, "tensors used as indices must be integer tensors");
            return INDEX_WRONG;
        }
        return t->ndim ? refuse_advanced("a tensor of indices") : INDEX_INT;
    }
    if (PyList_Check(item) || (PyObject_CheckBuffer(item) && PySequence_Check(item)))
        return refuse_advanced("a list or an array");
    return PyIndex_Check(item) ? INDEX_INT : refuse(item);
}

static bool index_value(PyObject *item, int64_t *value) {
    *value = PyNumber_AsSsize_t(item, PyExc_IndexError);
    return *value != -1 || !PyErr_Occurred();
}

/* One item at dim; *dim moves on to the next. */
static nomen_tensor *step(py_state *s, nomen_tensor *t, PyObject *item, index_kind kind, int *dim) {
    int64_t index;
    nomen_tensor *next = NULL;
    switch (kind) {
    case INDEX_INT:
        if (index_value(item, &index)) return take_index(s, t, *dim, index);
        break;
    case INDEX_SLICE: return take_slice(s, t, (*dim)++, item);
    case INDEX_NONE: return put_dim(s, t, (*dim)++);
    default: break;
    }
    nomen__release(t);
    return next;
}

static nomen_tensor *by_items(py_state *s, nomen_tensor *t, PyObject *const *items, Py_ssize_t n) {
    int takes = 0, ellipses = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        index_kind kind = kind_of(s, items[i]);
        if (kind == INDEX_WRONG) goto failed;
        takes += kind == INDEX_INT || kind == INDEX_SLICE;
        ellipses += kind == INDEX_ELLIPSIS;
    }
    if (ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        goto failed;
    }
    if (takes > t->ndim) {
        if (t->ndim)
            PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %d", t->ndim);
        else
            PyErr_SetString(PyExc_IndexError,
                            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to "
                            "convert a 0-dim tensor to a number");
        goto failed;
    }
    int dim = 0, left = t->ndim - takes;
    for (Py_ssize_t i = 0; t && i < n; i++) {
        index_kind kind = kind_of(s, items[i]);
        if (kind == INDEX_ELLIPSIS)
            dim += left;
        else
            t = step(s, t, items[i], kind, &dim);
    }
    return t;
failed:
    nomen__release(t);
    return NULL;
}

/* {'N': 0, 'C': slice(1, 3)}: all dims are looked up before the first goes. */
static nomen_tensor *by_dict(py_state *s, nomen_tensor *t, PyObject *dict) {
    PyObject *items[NOMEN_MAX_DIMS];
    PyObject *whole = PySlice_New(NULL, NULL, NULL), *key, *value;
    Py_ssize_t at = 0;
    if (!whole) goto failed;
    for (int i = 0; i < t->ndim; i++) items[i] = whole;
    while (PyDict_Next(dict, &at, &key, &value)) {
        nomen__dimref ref;
        int position;
        if (!PyUnicode_Check(key) && !PyIndex_Check(key)) {
            refuse(key);
            goto failed;
        }
        index_kind kind = kind_of(s, value);
        if (kind == INDEX_WRONG) goto failed;
        if (kind == INDEX_NONE || kind == INDEX_ELLIPSIS) {
            PyErr_SetString(PyExc_IndexError, "in a dict of dims an index is an int or a slice");
            goto failed;
        }
        if (!nomen__py_dimref(s, key, &ref)) goto failed;
        if (nomen__dim_position(nomen__names_of(t), &ref, &position)) {
            nomen__py_raise(s);
            goto failed;
        }
        if (!t->ndim || items[position] != whole) {
            PyErr_Format(PyExc_IndexError,
                         t->ndim ? "dim %d is given twice" : "dim %d: the tensor has no dims",
                         position);
            goto failed;
        }
        items[position] = value;
    }
    t = by_items(s, t, items, t->ndim);
    Py_DECREF(whole);
    return t;
failed:
    Py_XDECREF(whole);
    nomen__release(t);
    return NULL;
}

/* A view with a reference for the caller; may be the tensor itself. */
static nomen_tensor *view_of(PyObject *self, PyObject *key) {
    py_state *s = ((py_tensor *)self)->state;
    nomen_tensor *t = nomen__retain(nomen__py_unwrap(self));
    if (PyTuple_Check(key)) return by_items(s, t, &PyTuple_GET_ITEM(key, 0), PyTuple_GET_SIZE(key));
    if (PyDict_Check(key)) return by_dict(s, t, key);
    return by_items(s, t, &key, 1);
}

static PyObject *tensor_subscript(PyObject *self, PyObject *key) {
    py_state *s = ((py_tensor *)self)->state;
    nomen_tensor *t = view_of(self, key);
    if (t && t == nomen__py_unwrap(self)) t = same_again(s, t);
    return t ? nomen__py_wrap(s, t) : NULL;
}

/* Leading dims of size 1 that the target does not have are dropped from the value. */
static bool fill_value(py_call *p, PyObject *value, int ndim) {
    py_state *s = p->state;
    bool narrow = nomen__py_is_tensor(s, value) && nomen__py_unwrap(value)->ndim > ndim;
    if (!narrow) return nomen__py_operand(p, 1, value) > 0;
    nomen_tensor *t = nomen__retain(nomen__py_unwrap(value));
    while (t && t->ndim > ndim && t->size[0] == 1) t = take_index(s, t, 0, 0);
    if (!t) return false;
    p->wrapped[p->wrapped_count++] = t;
    p->c.arg[1].tensor = t;
    p->c.given |= 1u << 1;
    p->large |= t->numel > PY_LARGE;
    return true;
}

static int tensor_ass_subscript(PyObject *self, PyObject *key, PyObject *value) {
    py_state *s = ((py_tensor *)self)->state;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
        return -1;
    }
    PyObject *made = NULL;
    nomen_number n;
    int is_number = nomen__py_is_tensor(s, value) ? 1 : nomen__py_number(value, &n);
    if (is_number < 0) return -1;
    if (!is_number) { /* a list, an array */
        made = PyObject_CallMethod(s->module, "as_tensor", "O", value);
        if (!made) return -1;
        value = made;
    }
    nomen_tensor *t = view_of(self, key);
    if (!t) {
        Py_XDECREF(made);
        return -1;
    }
    py_call p;
    nomen__py_begin(&p, s, s->op[PY_OP_copy]);
    p.name = "copy_";
    p.c.inplace = true;
    p.c.arg[0].tensor = t;
    p.c.given = 1;
    nomen_status status = fill_value(&p, value, t->ndim) ? nomen__py_invoke(&p) : NOMEN_ERROR_TYPE;
    if (!status) nomen__release(p.c.out[0]);
    nomen__release(t);
    Py_XDECREF(made);
    return status ? -1 : 0;
}

/* ---- as a sequence --------------------------------------------------------------------------- */

static Py_ssize_t tensor_length(PyObject *self) {
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (t->ndim) return (Py_ssize_t)t->size[0];
    PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
    return -1;
}

/* Rows are made all at once, as unbind does: then in-place changes of the loop do not matter. */
static PyObject *tensor_iter(PyObject *self) {
    const nomen_tensor *t = nomen__py_unwrap(self);
    if (!t->ndim) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d tensor");
        return NULL;
    }
    PyObject *rows = PyObject_CallMethod(self, "unbind", "i", 0);
    PyObject *iterator = rows ? PyObject_GetIter(rows) : NULL;
    Py_XDECREF(rows);
    return iterator;
}

static int tensor_contains(PyObject *self, PyObject *value) {
    py_state *s = ((py_tensor *)self)->state;
    nomen_number n;
    int fits = nomen__py_is_tensor(s, value) ? 1 : nomen__py_number(value, &n);
    if (fits < 0) return -1;
    if (!fits) {
        PyErr_Format(PyExc_RuntimeError,
                     "Tensor.__contains__ only supports Tensor or scalar, but you passed in a %s.",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    PyObject *equal = nomen__py_richcompare(self, value, Py_EQ);
    PyObject *any = equal ? PyObject_CallMethod(equal, "any", NULL) : NULL;
    int found = any ? PyObject_IsTrue(any) : -1;
    Py_XDECREF(any);
    Py_XDECREF(equal);
    return found;
}

PyType_Slot nomen__py_index_slots[] = {
    {Py_mp_subscript, tensor_subscript}, {Py_mp_ass_subscript, tensor_ass_subscript},
    {Py_mp_length, tensor_length},       {Py_sq_contains, tensor_contains},
    {Py_tp_iter, tensor_iter},           {0, NULL},
};
