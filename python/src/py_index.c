/* x[...], x[...] = y, len, in, iteration: chains of views through the operations of the table, so
 * that names and gradients follow by themselves. Tensors among the indices come last, all at once,
 * to index and index_put. */
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
    INDEX_TENSOR,
    INDEX_WRONG
} index_kind;

enum { ITEMS = 2 * NOMEN_MAX_DIMS + 2 };

/* An index as it was read: what kind each item is, and the tensors among them. */
typedef struct index_list {
    int count, tensors, made_count;
    int takes; /* dims that the items take */
    int taken; /* those that tensors take */
    int rank;  /* the dims that come for them */
    index_kind kind[ITEMS];
    nomen_tensor *tensor[ITEMS]; /* by item, borrowed */
    PyObject *made[ITEMS];       /* tensors made of lists and bools */
    PyObject *dict;              /* what items and tensors are borrowed from, or NULL */
    /* for index and index_put, once the views are made: a gap for each dim without a tensor */
    int64_t gaps_and_tensors;
    nomen_tensor *at[ITEMS];
} index_list;

static void list_drop(index_list *list) {
    for (int i = 0; i < list->made_count; i++) Py_DECREF(list->made[i]);
    Py_XDECREF(list->dict);
}

static index_kind refuse(PyObject *item) {
    if (PyUnicode_Check(item))
        PyErr_Format(PyExc_TypeError,
                     "indices are integers, slices, None, ..., tensors and lists: for a dim given "
                     "by name write x[{'%U': index}]",
                     item);
    else
        PyErr_Format(
            PyExc_IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None, tensors, lists and dicts of "
            "dims are valid indices (got %s)",
            Py_TYPE(item)->tp_name);
    return INDEX_WRONG;
}

static index_kind add_tensor(index_list *list, int i, nomen_tensor *t) {
    int rank = t->dtype == NOMEN_BOOL ? 1 : t->ndim;
    list->tensor[i] = t;
    list->tensors++;
    list->taken += t->dtype == NOMEN_BOOL ? t->ndim : 1;
    if (rank > list->rank) list->rank = rank;
    return INDEX_TENSOR;
}

/* Takes over the object. */
static index_kind add_made(py_state *s, index_list *list, int i, PyObject *made) {
    if (!made) return INDEX_WRONG;
    list->made[list->made_count++] = made;
    if (!nomen__py_is_tensor(s, made)) return refuse(made);
    return add_tensor(list, i, nomen__py_unwrap(made));
}

static index_kind add_bool(py_state *s, index_list *list, int i, bool value) {
    nomen_tensor *t = nomen__wrap_number(&(nomen_number){NOMEN_NUMBER_BOOL, value, 0, 0});
    return add_made(s, list, i, nomen__py_wrap(s, t));
}

/* A list, a range, an array. What is empty has no dtype of its own: it is of integers. */
static index_kind add_sequence(py_state *s, index_list *list, int i, PyObject *item) {
    PyObject *plain = PyObject_CheckBuffer(item) ? Py_NewRef(item) : PySequence_List(item);
    PyObject *made = plain ? PyObject_CallMethod(s->module, "as_tensor", "O", plain) : NULL;
    bool empty = plain && !PyObject_CheckBuffer(item) && made && nomen__py_is_tensor(s, made) &&
                 nomen__py_unwrap(made)->numel == 0;
    Py_XDECREF(plain);
    if (empty) Py_SETREF(made, PyObject_CallMethod(made, "to", "O", s->dtypes[NOMEN_I64]));
    return add_made(s, list, i, made);
}

static index_kind kind_of(py_state *s, PyObject *item, index_list *list, int i) {
    if (PyLong_CheckExact(item)) return INDEX_INT;
    if (PySlice_Check(item)) return INDEX_SLICE;
    if (item == Py_None) return INDEX_NONE;
    if (item == Py_Ellipsis) return INDEX_ELLIPSIS;
    if (PyBool_Check(item)) return add_bool(s, list, i, item == Py_True);
    if (nomen__py_is_tensor(s, item)) {
        nomen_tensor *t = nomen__py_unwrap(item);
        if (!nomen_dtype_is_integral(t->dtype) && t->dtype != NOMEN_BOOL) {
            PyErr_Format(PyExc_IndexError,
                         "tensors used as indices must be long, int, byte or bool tensors, or of "
                         "another integer dtype, not %s",
                         nomen_dtype_name(t->dtype));
            return INDEX_WRONG;
        }
        return t->ndim || t->dtype == NOMEN_BOOL ? add_tensor(list, i, t) : INDEX_INT;
    }
    if (PyUnicode_Check(item) || PyBytes_Check(item)) return refuse(item);
    if (PyList_Check(item) || PyTuple_Check(item) || PyRange_Check(item) ||
        (PyObject_CheckBuffer(item) && PySequence_Check(item)))
        return add_sequence(s, list, i, item);
    const char *type = strrchr(Py_TYPE(item)->tp_name, '.');
    if (type && !strncmp(type + 1, "bool", 4)) { /* NumPy's */
        int yes = PyObject_IsTrue(item);
        return yes < 0 ? INDEX_WRONG : add_bool(s, list, i, yes);
    }
    return PyIndex_Check(item) ? INDEX_INT : refuse(item);
}

static bool index_value(PyObject *item, int64_t *value) {
    *value = PyNumber_AsSsize_t(item, PyExc_IndexError);
    return *value != -1 || !PyErr_Occurred();
}

/* ---- the views ------------------------------------------------------------------------------- */

static bool too_many(const nomen_tensor *t) {
    if (t->ndim)
        PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %d", t->ndim);
    else
        PyErr_SetString(PyExc_IndexError,
                        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to "
                        "convert a 0-dim tensor to a number");
    return false;
}

/* Every item is looked at before the first view is made. */
static bool read_items(py_state *s, const nomen_tensor *t, PyObject *const *items, Py_ssize_t n,
                       index_list *list) {
    int takes = 0, ellipses = 0;
    list->tensors = list->made_count = list->taken = list->rank = 0;
    if (n > ITEMS / 2) return too_many(t);
    list->count = (int)n;
    for (int i = 0; i < list->count; i++) {
        index_kind kind = list->kind[i] = kind_of(s, items[i], list, i);
        if (kind == INDEX_WRONG) return false;
        takes += kind == INDEX_INT || kind == INDEX_SLICE;
        ellipses += kind == INDEX_ELLIPSIS;
    }
    list->takes = takes + list->taken;
    if (ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return false;
    }
    return list->takes <= t->ndim || too_many(t);
}

static void skip_dims(index_list *list, int count) {
    for (int k = 0; list->tensors && k < count; k++) list->at[list->gaps_and_tensors++] = NULL;
}

/* Consumes t and gives a view of it. */
static nomen_tensor *by_items(py_state *s, nomen_tensor *t, PyObject *const *items, Py_ssize_t n,
                              index_list *list) {
    list->gaps_and_tensors = 0;
    if (!read_items(s, t, items, n, list)) {
        nomen__release(t);
        return NULL;
    }
    int dim = 0, left = t->ndim - list->takes;
    for (int i = 0; t && i < list->count; i++) {
        int64_t index;
        nomen_tensor *index_tensor = list->kind[i] == INDEX_TENSOR ? list->tensor[i] : NULL;
        int before = dim;
        switch (list->kind[i]) {
        case INDEX_INT:
            if (index_value(items[i], &index)) {
                t = take_index(s, t, dim, index);
            } else {
                nomen__release(t);
                t = NULL;
            }
            break;
        case INDEX_SLICE: t = take_slice(s, t, dim++, items[i]); break;
        case INDEX_NONE: t = put_dim(s, t, dim++); break;
        case INDEX_ELLIPSIS: dim += left; break;
        default:
            dim += index_tensor->dtype == NOMEN_BOOL ? index_tensor->ndim : 1;
            list->at[list->gaps_and_tensors++] = index_tensor;
            before = dim;
            break;
        }
        skip_dims(list, dim - before);
    }
    return t;
}

/* {'N': 0, 'C': slice(1, 3)}: all dims are looked up before the first goes. */
static bool dict_items(py_state *s, const nomen_tensor *t, PyObject *dict, PyObject **items,
                       PyObject *whole) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (int i = 0; i < t->ndim; i++) items[i] = whole;
    while (PyDict_Next(dict, &at, &key, &value)) {
        nomen__dimref ref;
        int position;
        if (!PyUnicode_Check(key) && !PyIndex_Check(key)) {
            refuse(key);
            return false;
        }
        if (value == Py_None || value == Py_Ellipsis || PyBool_Check(value)) {
            PyErr_SetString(PyExc_IndexError,
                            "in a dict of dims an index is an int, a slice, a tensor or a list");
            return false;
        }
        if (nomen__py_is_tensor(s, value) && nomen__py_unwrap(value)->dtype == NOMEN_BOOL &&
            nomen__py_unwrap(value)->ndim != 1) {
            PyErr_Format(PyExc_IndexError, "in a dict of dims a mask has one dim, not %d",
                         nomen__py_unwrap(value)->ndim);
            return false;
        }
        if (!nomen__py_dimref(s, key, &ref)) return false;
        if (nomen__dim_position(nomen__names_of(t), &ref, &position)) {
            nomen__py_raise(s);
            return false;
        }
        if (!t->ndim || items[position] != whole) {
            PyErr_Format(PyExc_IndexError,
                         t->ndim ? "dim %d is given twice" : "dim %d: the tensor has no dims",
                         position);
            return false;
        }
        items[position] = value;
    }
    return true;
}

/* A view with a reference for the caller, which may be the tensor itself; what tensors are to be
 * applied to it is in the list, which is to be dropped in any case. */
static nomen_tensor *view_of(PyObject *self, PyObject *key, index_list *list) {
    py_state *s = ((py_tensor *)self)->state;
    nomen_tensor *t = nomen__retain(nomen__py_unwrap(self));
    list->made_count = 0;
    list->dict = NULL;
    if (PyTuple_Check(key))
        return by_items(s, t, &PyTuple_GET_ITEM(key, 0), PyTuple_GET_SIZE(key), list);
    if (!PyDict_Check(key)) return by_items(s, t, &key, 1, list);
    PyObject *items[NOMEN_MAX_DIMS], *whole = PySlice_New(NULL, NULL, NULL);
    list->dict = PyDict_Copy(key); /* reading a key or an index may run code that changes it */
    if (whole && list->dict && dict_items(s, t, list->dict, items, whole)) {
        t = by_items(s, t, items, t->ndim, list);
    } else {
        nomen__release(t);
        t = NULL;
    }
    Py_XDECREF(whole);
    return t;
}

/* ---- plain indices --------------------------------------------------------------------------- */

/* Ints, slices of ints, None and ... of a tensor that nobody records are one view, made at once.
 * Whatever is unusual, wrong indices too, is left to the chain of views. */

static bool plain_bound(PyObject *o) { return o == Py_None || PyLong_CheckExact(o); }

static bool add_slice(nomen__map *map, PyObject *o, int dim, int64_t size) {
    const PySliceObject *slice = (PySliceObject *)o;
    Py_ssize_t start, stop, step;
    if (!plain_bound(slice->start) || !plain_bound(slice->stop) || !plain_bound(slice->step))
        return false; /* anybody's __index__ may run, and change the tensor */
    if (PySlice_Unpack(o, &start, &stop, &step) < 0) {
        PyErr_Clear();
        return false;
    }
    Py_ssize_t length = step < 1 ? 0 : PySlice_AdjustIndices((Py_ssize_t)size, &start, &stop, step);
    if (!length) return false;
    map->source[map->ndim] = (int8_t)dim;
    map->size[map->ndim] = length;
    map->step[map->ndim++] = step < size ? step : size; /* as slice() has it */
    map->start[dim] = start;
    return true;
}

static bool add_whole(nomen__map *map, const nomen_tensor *t, int dim) {
    map->source[map->ndim] = (int8_t)dim;
    map->size[map->ndim] = t->size[dim];
    map->step[map->ndim++] = 1;
    map->start[dim] = 0;
    return true;
}

static bool add_item(nomen__map *map, const nomen_tensor *t, PyObject *o, int *dim) {
    int64_t index;
    if (o == Py_None) {
        map->source[map->ndim] = -1;
        map->size[map->ndim] = 1;
        map->step[map->ndim++] = 0;
        return true;
    }
    if (*dim == t->ndim) return false;
    int64_t size = t->size[*dim];
    if (nomen__py_small_int(o, &index)) {
        if (index < -size || index >= size) return false;
        map->start[(*dim)++] = index < 0 ? index + size : index;
        return true;
    }
    return PySlice_Check(o) && add_slice(map, o, (*dim)++, size);
}

static bool map_items(nomen__map *map, const nomen_tensor *t, PyObject *const *items,
                      Py_ssize_t n) {
    int dim = 0, takes = 0, ellipses = 0;
    if (n + t->ndim > NOMEN_MAX_DIMS) return false;
    map->ndim = 0;
    map->input_ndim = t->ndim;
    for (Py_ssize_t i = 0; i < n; i++) {
        ellipses += items[i] == Py_Ellipsis;
        takes += items[i] != Py_Ellipsis && items[i] != Py_None;
    }
    if (ellipses > 1 || takes > t->ndim) return false;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (items[i] != Py_Ellipsis) {
            if (!add_item(map, t, items[i], &dim)) return false;
            continue;
        }
        for (int left = t->ndim - takes; left > 0; left--) add_whole(map, t, dim++);
    }
    while (dim < t->ndim) add_whole(map, t, dim++);
    return true;
}

/* NULL, without an exception: it is none. */
static nomen_tensor *plain_view(nomen_tensor *t, PyObject *key) {
    nomen__map map;
    nomen_name names[NOMEN_MAX_DIMS];
    const bool tuple = PyTuple_CheckExact(key);
    if (t->flags & NOMEN__AWAY || nomen__concerns_tape(t)) return NULL;
    if (!map_items(&map, t, tuple ? &PyTuple_GET_ITEM(key, 0) : &key,
                   tuple ? PyTuple_GET_SIZE(key) : 1))
        return NULL;
    const bool named = nomen__is_named(t);
    for (int k = 0; named && k < map.ndim; k++)
        names[k] = map.source[k] < 0 ? 0 : t->names[map.source[k]];
    nomen_tensor *view = nomen__map_view(t, &map, named ? names : NULL);
    if (NOMEN_UNLIKELY(!view)) nomen__error_drop(); /* the other way asks again, and tells */
    return view;
}

/* The operation on t and the tensors of the list. */
static void set_list(py_call *p, nomen_tensor *t, index_list *list) {
    p->c.arg[0].tensor = t;
    p->c.arg[1].list = (nomen_list){list->gaps_and_tensors, list->at};
    p->c.given |= 3;
    p->large |= t->numel > PY_LARGE;
}

static PyObject *tensor_subscript(PyObject *self, PyObject *key) {
    py_state *s = ((py_tensor *)self)->state;
    index_list list;
    nomen_tensor *t = plain_view(nomen__py_unwrap(self), key);
    if (NOMEN_LIKELY(t != NULL)) return nomen__py_wrap(s, t);
    t = view_of(self, key, &list);
    if (t && list.tensors) {
        py_call p;
        nomen__py_begin(&p, s, s->op[PY_OP_index]);
        set_list(&p, t, &list);
        t = finish(&p, t);
    } else if (t && t == nomen__py_unwrap(self)) {
        t = same_again(s, t);
    }
    list_drop(&list);
    return t ? nomen__py_wrap(s, t) : NULL;
}

/* Leading dims of size 1 that the target does not have are dropped from the value. */
static bool fill_value(py_call *p, int arg, PyObject *value, int ndim) {
    py_state *s = p->state;
    bool narrow = nomen__py_is_tensor(s, value) && nomen__py_unwrap(value)->ndim > ndim;
    if (!narrow) return nomen__py_operand(p, arg, value) > 0;
    nomen_tensor *t = nomen__retain(nomen__py_unwrap(value));
    while (t && t->ndim > ndim && t->size[0] == 1) t = take_index(s, t, 0, 0);
    if (!t) return false;
    p->wrapped[p->wrapped_count++] = t;
    p->c.arg[arg].tensor = t;
    p->c.given |= 1u << arg;
    p->large |= t->numel > PY_LARGE;
    return true;
}

static nomen_status put_value(py_state *s, nomen_tensor *t, index_list *list, PyObject *value) {
    py_call p;
    bool indexed = list->tensors > 0;
    int arg = indexed ? 2 : 1, ndim = indexed ? t->ndim - list->taken + list->rank : t->ndim;
    nomen__py_begin(&p, s, s->op[indexed ? PY_OP_index_put : PY_OP_copy]);
    p.name = indexed ? "index_put_" : "copy_";
    p.c.inplace = true;
    p.c.arg[0].tensor = t;
    p.c.given = 1;
    if (indexed) set_list(&p, t, list);
    if (!fill_value(&p, arg, value, ndim)) {
        nomen__py_give_back(&p);
        return NOMEN_ERROR_TYPE;
    }
    const nomen_tensor *from = p.c.arg[arg].tensor;
    if (!indexed && !nomen_has_names(t) && !nomen_has_names(from) &&
        nomen__expands(from, t->ndim, t->size)) {
        nomen__py_raise(s);
        nomen__py_give_back(&p);
        return NOMEN_ERROR_SHAPE;
    }
    nomen_status status = nomen__py_invoke(&p);
    if (!status) nomen__release(p.c.out[0]);
    return status;
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
    if (value == Py_None || PyUnicode_Check(value) || PyDict_Check(value)) {
        PyErr_Format(PyExc_TypeError, "can't assign a %s to a tensor of %s",
                     Py_TYPE(value)->tp_name,
                     nomen_dtype_name((nomen_dtype)nomen__py_unwrap(self)->dtype));
        return -1;
    }
    if (!is_number) { /* a list, an array: of what self is of */
        PyObject *plain = PyObject_CallMethod(s->module, "as_tensor", "O", value);
        if (!plain) return -1;
        made = PyObject_CallMethod(plain, "to", "O", s->dtypes[nomen__py_unwrap(self)->dtype]);
        Py_DECREF(plain);
        if (!made) return -1;
        value = made;
    }
    index_list list;
    nomen_tensor *own = nomen__py_unwrap(self), *t = NULL;
    /* what is recorded is recorded as a change of what the chain of views makes */
    if (!nomen__py_is_tensor(s, value) || !nomen__concerns_tape(nomen__py_unwrap(value)))
        t = plain_view(own, key);
    if (t) {
        list.tensors = list.made_count = 0;
        list.dict = NULL;
    } else {
        t = view_of(self, key, &list);
    }
    nomen_status status = t ? put_value(s, t, &list, value) : NOMEN_ERROR_INDEX;
    nomen__release(t);
    list_drop(&list);
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
