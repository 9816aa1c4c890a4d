/* Ordinary arguments, in one pass: exact types, small ints, names, each where the row has it. What
 * is anything else, wrong arguments too, is left to the parser of py_parse.c, which says what is
 * wrong. */
#include "py.h"

static inline bool take_dim(py_call *p, PyObject *o, nomen__dimref *at) {
    if (NOMEN_LIKELY(nomen__py_small_int(o, &at->index))) {
        at->kind = NOMEN__DIM_INDEX;
        return true;
    }
    if (!PyUnicode_CheckExact(o)) return false;
    const py_known *known = nomen__py_known_slot(p->state, o);
    if (NOMEN_LIKELY(known->text == o)) {
        at->kind = NOMEN__DIM_NAME;
        at->name = known->name;
        return true;
    }
    if (nomen__py_dimref(p->state, o, at)) return true;
    PyErr_Clear(); /* it will be told again */
    return false;
}

static inline bool take_dims(py_call *p, int i, PyObject *const *items, Py_ssize_t count) {
    nomen__call *c = &p->c;
    if (count > NOMEN__POOL - c->dims_used) return false;
    nomen__dimref *at = c->dims_pool + c->dims_used;
    for (Py_ssize_t k = 0; k < count; k++)
        if (!take_dim(p, items[k], &at[k])) return false;
    c->dims_used = (uint16_t)(c->dims_used + count);
    c->arg[i].dims = (nomen__dims){(int)count, at};
    return true;
}

static bool take_sizes(py_call *p, int i, PyObject *const *items, Py_ssize_t count) {
    if (count > NOMEN_MAX_DIMS - p->sizes_used) return false;
    int64_t *at = p->sizes_inline + p->sizes_used;
    double numel = 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!nomen__py_small_int(items[k], &at[k])) return false;
        numel *= (double)at[k];
    }
    p->large |= numel > PY_LARGE;
    p->sizes_used = (uint16_t)(p->sizes_used + count);
    p->c.arg[i].sizes = (nomen_sizes){count, at};
    return true;
}

static bool take_tensor(py_call *p, int i, PyObject *o) {
    if (NOMEN_UNLIKELY(!Py_IS_TYPE(o, p->state->tensor)))
        return i > 0 && (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) &&
               nomen__py_operand(p, i, o) > 0;
    nomen_tensor *t = nomen__py_unwrap(o);
    p->c.arg[i].tensor = t;
    p->large |= t->numel > PY_LARGE;
    return true;
}

static bool is_list(PyObject *o) { return PyTuple_CheckExact(o) || PyList_CheckExact(o); }

/* A list may change while other threads run, which they may if the tensors are large. */
static bool take_tensors(py_call *p, int i, PyObject *o) {
    if (!is_list(o)) return false;
    PyObject *const *items = PySequence_Fast_ITEMS(o);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(o);
    if (count > PY_LIST_INLINE) return false;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!Py_IS_TYPE(items[k], p->state->tensor)) return false;
        p->list_inline[k] = nomen__py_unwrap(items[k]);
        p->large |= p->list_inline[k]->numel > PY_LARGE;
    }
    p->c.arg[i].list = (nomen_list){count, p->list_inline};
    return !(PyList_CheckExact(o) && p->large);
}

/* Names of a result are text; an integer among them is a mistake. */
static bool are_text(PyObject *const *items, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; k++)
        if (!PyUnicode_CheckExact(items[k])) return false;
    return true;
}

static bool take_list(py_call *p, int i, PyObject *const *items, Py_ssize_t count) {
    switch (p->c.op->args[i].kind) {
    case NOMEN__SIZES: return take_sizes(p, i, items, count);
    case NOMEN__NAMES: return are_text(items, count) && take_dims(p, i, items, count);
    case NOMEN__DIMS: p->c.listed |= 1u << i; return take_dims(p, i, items, count);
    default: return false;
    }
}

static inline bool take_count(py_call *p, PyObject *o, int64_t *n) {
    if (!nomen__py_small_int(o, n)) return false;
    nomen__py_counts(p, (double)*n);
    return true;
}

static bool take_number(py_call *p, PyObject *o, nomen_number *n) {
    if (nomen__py_number(o, n) <= 0) return false;
    nomen__py_counts(p, nomen__real_of(n));
    return true;
}

static bool take_one(py_call *p, int i, PyObject *o) {
    const nomen__argspec *spec = &p->c.op->args[i];
    nomen__arg *arg = &p->c.arg[i];
    switch (spec->kind) {
    case NOMEN__TENSOR: return take_tensor(p, i, o);
    case NOMEN__TENSORS: return take_tensors(p, i, o);
    case NOMEN__DIM: return take_dims(p, i, &o, 1);
    case NOMEN__INT: return take_count(p, o, &arg->integer);
    case NOMEN__FLAG:
        if (!PyBool_Check(o)) return false;
        arg->flag = (o == Py_True) != ((spec->flags & NOMEN__OPPOSITE) != 0);
        return true;
    case NOMEN__NUMBER:
        if (!PyFloat_CheckExact(o) && !PyLong_CheckExact(o)) return false;
        arg->number = &p->c.numbers[i];
        return take_number(p, o, &p->c.numbers[i]);
    case NOMEN__DTYPE:
        if (!Py_IS_TYPE(o, p->state->dtype)) return false;
        arg->dtype = nomen__py_dtype(p->state, o);
        return arg->dtype != NOMEN_DTYPE_NONE;
    case NOMEN__DIMS:
    case NOMEN__SIZES:
    case NOMEN__NAMES:
        if (is_list(o) && !(spec->kind == NOMEN__NAMES && (spec->flags & NOMEN__VARIADIC)))
            /* Items of a list are read at once, by what calls nothing of Python's. */
            return take_list(p, i, PySequence_Fast_ITEMS(o), PySequence_Fast_GET_SIZE(o));
        return spec->kind == NOMEN__DIMS && take_dims(p, i, &o, 1);
    default: return false;
    }
}

/* out=: a tensor, or of rows with two results a pair of them. */
static bool take_out(py_call *p, PyObject *o) {
    PyTypeObject *tensor = p->state->tensor;
    if (p->c.out[0]) return false;
    if (p->c.op->second && PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) == 2) {
        PyObject *first = PyTuple_GET_ITEM(o, 0), *second = PyTuple_GET_ITEM(o, 1);
        if (!Py_IS_TYPE(first, tensor) || !Py_IS_TYPE(second, tensor)) return false;
        p->c.out[0] = nomen__py_unwrap(first);
        p->c.out[1] = nomen__py_unwrap(second);
        return true;
    }
    if (!Py_IS_TYPE(o, tensor)) return false;
    p->c.out[0] = nomen__py_unwrap(o);
    return true;
}

static bool take_keywords(py_call *p, PyObject *const *values, PyObject *kwnames) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++) {
        const nomen__op *op = p->c.op;
        PyObject *keyword = PyTuple_GET_ITEM(kwnames, k);
        if (keyword == p->state->out_text && op->forms & NOMEN__OUT) {
            if (!take_out(p, values[k])) return false;
            continue;
        }
        int i = nomen__py_keyword(p, op->args, op->nargs, keyword);
        if (i < 0 || nomen__given(&p->c, i) || !take_one(p, i, values[k])) return false;
        p->c.given |= 1u << i;
    }
    return true;
}

/* The commonest of all, in line: a dim, a tensor, a count. 0: something else, -1: none of the kind.
 */
static inline int take_usual(py_call *p, int i, PyObject *o) {
    nomen__call *c = &p->c;
    const nomen__kind kind = c->op->args[i].kind;
    if (kind == NOMEN__DIM || (kind == NOMEN__DIMS && !is_list(o))) {
        nomen__dimref *at = &c->dims_pool[c->dims_used];
        if (c->dims_used == NOMEN__POOL || !take_dim(p, o, at)) return -1;
        c->dims_used++;
        c->arg[i].dims = (nomen__dims){1, at};
        return 1;
    }
    if (kind == NOMEN__TENSOR && Py_IS_TYPE(o, p->state->tensor)) {
        c->arg[i].tensor = nomen__py_unwrap(o);
        p->large |= c->arg[i].tensor->numel > PY_LARGE;
        return 1;
    }
    if (kind == NOMEN__INT) return take_count(p, o, &c->arg[i].integer) ? 1 : -1;
    return 0;
}

static bool take_all(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    const nomen__op *op = p->c.op;
    nomen__call *c = &p->c;
    int i = 0;
    Py_ssize_t k = 0;
    if (NOMEN_LIKELY(op->lead && nargs && Py_IS_TYPE(args[0], p->state->tensor))) {
        c->arg[0].tensor = nomen__py_unwrap(args[0]);
        p->large = c->arg[0].tensor->numel > PY_LARGE;
        c->given = 1;
        i = 1;
        k = 1;
    }
    for (; k < nargs; i++) {
        if (i == op->nargs) return false;
        const unsigned flags = op->args[i].flags;
        if (!(flags & ~(unsigned)NOMEN__OPTIONAL)) {
            const int taken = take_usual(p, i, args[k]);
            if (taken < 0) return false;
            if (taken) {
                c->given |= 1u << i;
                k++;
                continue;
            }
        }
        if (flags & NOMEN__KEYWORD) continue;
        if ((flags & NOMEN__VARIADIC) && !is_list(args[k])) {
            if (!take_list(p, i, args + k, nargs - k)) return false;
            k = nargs;
        } else if (!take_one(p, i, args[k++])) {
            return false;
        }
        p->c.given |= 1u << i;
    }
    if (kwnames && !take_keywords(p, args + nargs, kwnames)) return false;
    for (; i < op->nargs; i++)
        if (op->args[i].flags & NOMEN__VARIADIC && !nomen__given(c, i))
            return false; /* no items? */
    return (p->c.given & op->required) == op->required;
}

bool nomen__py_plain(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    if (NOMEN_LIKELY(take_all(p, args, nargs, kwnames))) return true;
    if (NOMEN_UNLIKELY(PyErr_Occurred() != NULL)) PyErr_Clear();
    for (int i = 0; i < p->wrapped_count; i++) nomen__release(p->wrapped[i]);
    p->wrapped_count = 0;
    p->sizes_used = p->c.dims_used = 0;
    p->c.given = p->c.listed = 0;
    p->c.out[0] = p->c.out[1] = NULL;
    p->large = false;
    return false;
}
