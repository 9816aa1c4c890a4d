/* Python's arguments into a nomen__call, driven by the argument lists of the operation table. One
 * parser for all operations; nothing is allocated for ordinary calls. */
#include "py.h"

/* ---- messages -------------------------------------------------------------------------------- */

static const char *wanted_type(nomen__kind kind) {
    switch (kind) {
    case NOMEN__TENSOR: return "Tensor";
    case NOMEN__TENSORS: return "tuple of Tensors";
    case NOMEN__NUMBER: return "Number";
    case NOMEN__INT: return "int";
    case NOMEN__FLAG: return "bool";
    case NOMEN__DIM: return "int or name";
    case NOMEN__DIMS: return "tuple of ints or names";
    case NOMEN__NAMES: return "tuple of names";
    case NOMEN__NAME: return "name";
    case NOMEN__SIZES: return "tuple of ints";
    case NOMEN__DTYPE: return "nomen.dtype";
    case NOMEN__TEXT: return "str";
    case NOMEN__GENERATOR: return "Generator";
    }
    return "something else";
}

bool nomen__py_wrong(const py_call *p, const char *argument, const py_bound *bound,
                     const char *wanted) {
    const char *type = bound->value ? Py_TYPE(bound->value)->tp_name : "nothing";
    if (!p->method && !strcmp(argument, "self")) argument = "input";
    if (bound->position)
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be %s, not %s",
                     p->name, argument, bound->position, wanted, type);
    else
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not %s", p->name, argument,
                     wanted, type);
    return false;
}

/* Makes new tensors from nothing, or from a tensor as a model? */
static bool creates(const nomen__op *op) {
    size_t length = strlen(op->name);
    return nomen__arg_of(op, NOMEN__NAMES) >= 0
               ? nomen__arg_of(op, NOMEN__DTYPE) >= 0
               : length > 5 && !strcmp(op->name + length - 5, "_like");
}

static bool wrong(const py_call *p, int i, const py_bound *bound) {
    const nomen__argspec *spec = &p->c.op->args[i];
    if (spec->kind == NOMEN__NAMES && creates(p->c.op)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() received an invalid combination of arguments: argument 'names' must be "
                     "tuple of names, not %s",
                     p->name, Py_TYPE(bound->value)->tp_name);
        return false;
    }
    return nomen__py_wrong(p, spec->name, bound, wanted_type(spec->kind));
}

static bool wrong_item(const py_call *p, int i, PyObject *item, Py_ssize_t at) {
    const nomen__argspec *spec = &p->c.op->args[i];
    PyErr_Format(PyExc_TypeError,
                 "%s(): argument '%s' must be %s, but found element of type %s at pos %zd", p->name,
                 spec->name, wanted_type(spec->kind), Py_TYPE(item)->tp_name, at + 1);
    return false;
}

static bool too_many(const py_call *p, const char *argument, Py_ssize_t count, int most) {
    PyErr_Format(PyExc_ValueError, "%s(): argument '%s' has %zd items, but at most %d are possible",
                 p->name, argument, count, most);
    return false;
}

static bool library_failed(const py_call *p) {
    nomen__py_raise(p->state);
    return false;
}

/* Letters that the two words have in common, in order: the hint of "did you mean". */
static size_t likeness(const char *a, const char *b) {
    size_t common = 0;
    for (const char *from = b; *a; a++) {
        const char *found = strchr(from, *a);
        if (!found) continue;
        common++;
        from = found + 1;
    }
    return common;
}

static bool unexpected(const py_call *p, const nomen__argspec *specs, int n, PyObject *keyword) {
    const char *given = PyUnicode_AsUTF8(keyword), *best = NULL;
    if (!given) return false;
    size_t most = 0, length = strlen(given);
    for (int i = 0; i < n; i++) {
        size_t other = strlen(specs[i].name), longer = length > other ? length : other;
        size_t common = likeness(given, specs[i].name);
        if (common > most && 2 * common > longer) {
            most = common;
            best = specs[i].name;
        }
    }
    if (best)
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%s'; did you mean '%s'?", p->name,
                     given, best);
    else
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", p->name,
                     given);
    return false;
}

static bool missing(const py_call *p, const nomen__argspec *specs, int n, const py_bound *bound) {
    int count = 0;
    char list[256];
    nomen__text text = {list, sizeof list, 0};
    list[0] = 0;
    for (int i = 0; i < n; i++) {
        if (bound[i].value || bound[i].rest || (specs[i].flags & NOMEN__OPTIONAL) ||
            specs[i].kind == NOMEN__FLAG)
            continue;
        nomen__text_add(&text, "%s\"%s\"", count++ ? ", " : "",
                        strcmp(specs[i].name, "self") ? specs[i].name : "input");
    }
    PyErr_Format(PyExc_TypeError, "%s() missing %d required positional arguments: %s", p->name,
                 count, list);
    return false;
}

/* ---- which value belongs to which argument --------------------------------------------------- */

static bool is(PyObject *keyword, const char *name) {
    return !PyUnicode_CompareWithASCIIString(keyword, name);
}

static bool is_list(PyObject *o) { return PyTuple_Check(o) || PyList_Check(o); }

static bool bind_out(py_call *p, PyObject *value) {
    if (value == Py_None) return true;
    if (nomen__py_is_tensor(p->state, value)) {
        p->c.out[0] = nomen__py_unwrap(value);
        return true;
    }
    if (p->c.op->second && PyTuple_Check(value) && PyTuple_GET_SIZE(value) == 2) {
        for (int i = 0; i < 2; i++) {
            PyObject *item = PyTuple_GET_ITEM(value, i);
            if (!nomen__py_is_tensor(p->state, item)) goto refuse;
            p->c.out[i] = nomen__py_unwrap(item);
        }
        return true;
    }
refuse:
    PyErr_Format(PyExc_TypeError, "%s(): argument 'out' must be %s, not %s", p->name,
                 p->c.op->second ? "tuple of two Tensors" : "Tensor", Py_TYPE(value)->tp_name);
    return false;
}

/* Keywords that are not in the table. 1: done, 0: not one of them, -1: exception. */
static int bind_special(py_call *p, PyObject *keyword, PyObject *value) {
    const nomen__op *op = p->c.op;
    if ((op->forms & NOMEN__OUT) && is(keyword, "out")) return bind_out(p, value) ? 1 : -1;
    if (is(keyword, "memory_format")) {
        if (value == Py_None) return 1;
        int known = nomen__py_format(p->state, value, &p->c.format);
        if (!known)
            PyErr_Format(PyExc_TypeError,
                         "%s(): argument 'memory_format' must be nomen.memory_format, not %s",
                         p->name, Py_TYPE(value)->tp_name);
        return known > 0 ? 1 : -1;
    }
    if (!creates(op)) return 0;
    if (is(keyword, "device")) {
        int number = -1;
        if (!nomen__py_device(p->state, value, &number)) return -1;
        p->c.wanted = (int16_t)number;
        return 1;
    }
    if (is(keyword, "requires_grad")) {
        int yes = PyObject_IsTrue(value);
        p->requires_grad = yes > 0;
        return yes < 0 ? -1 : 1;
    }
    if (is(keyword, "pin_memory")) return nomen__py_unpinned(value) ? 1 : -1;
    if (is(keyword, "layout")) {
        if (value == Py_None || Py_IS_TYPE(value, p->state->word)) return 1;
        PyErr_SetString(PyExc_RuntimeError, "NYI: named tensors only support strided layout");
        return -1;
    }
    return 0;
}

int nomen__py_keyword(const py_call *p, const nomen__argspec *specs, int n, PyObject *keyword) {
    const uintptr_t mixed = (uintptr_t)keyword / 16 + (uintptr_t)specs / sizeof *specs;
    py_keyword *known = &p->state->keywords[mixed % PY_KEYWORDS];
    if (NOMEN_LIKELY(known->text == keyword && known->specs == specs)) return known->place;
    const char *text = PyUnicode_AsUTF8(keyword);
    if (!text) return -1;
    for (int i = 0; i < n; i++)
        if (!strcmp(text, specs[i].name)) {
            Py_XSETREF(known->text, Py_NewRef(keyword));
            known->specs = specs;
            known->place = i;
            return i;
        }
    const char *alias = NULL;
    if (!strcmp(text, "axis"))
        alias = "dim";
    else if (!strcmp(text, "axis0") || !strcmp(text, "axis1"))
        alias = text[4] == '0' ? "dim0" : "dim1";
    else if (!strcmp(text, "keepdims"))
        alias = "keepdim";
    else if (!strcmp(text, "input") && !p->method)
        alias = "self";
    for (int i = 0; alias && i < n; i++)
        if (!strcmp(alias, specs[i].name)) return i;
    /* from_: what Python cannot say as a keyword */
    size_t length = strlen(text);
    for (int i = 0; length && text[length - 1] == '_' && i < n; i++)
        if (strlen(specs[i].name) == length - 1 && !strncmp(text, specs[i].name, length - 1) &&
            !strcmp(specs[i].name, "from"))
            return i;
    if (strcmp(text, "input")) { /* which is self, but not of a method */
        Py_XSETREF(known->text, Py_NewRef(keyword));
        known->specs = specs;
        known->place = -1;
    }
    return -1;
}

static bool bind_keywords(py_call *p, const nomen__argspec *specs, int n, PyObject *const *values,
                          PyObject *kwnames, py_bound *bound) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *keyword = PyTuple_GET_ITEM(kwnames, k);
        int i = nomen__py_keyword(p, specs, n, keyword);
        if (i < 0) {
            if (PyErr_Occurred()) return false;
            int special = bind_special(p, keyword, values[k]);
            if (special < 0) return false;
            if (!special) return unexpected(p, specs, n, keyword);
            continue;
        }
        if (bound[i].value || bound[i].rest) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", p->name,
                         specs[i].name);
            return false;
        }
        bound[i] = (py_bound){values[k], NULL, 0, 0};
    }
    return true;
}

static bool too_many_positional(const py_call *p, const nomen__argspec *specs, int n,
                                Py_ssize_t nargs) {
    int takes = -(int)p->method;
    for (int i = 0; i < n; i++) takes += !(specs[i].flags & NOMEN__KEYWORD);
    Py_ssize_t given = nargs - p->method;
    PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s but %zd %s given", p->name,
                 takes, takes == 1 ? "" : "s", given, given == 1 ? "was" : "were");
    return false;
}

/* Does the value begin a list that is spread over the rest of the positional arguments? A list of
 * names is never given as one list: rename(('N', 'C')) is refused. */
static bool spreads(const nomen__argspec *spec, PyObject *value) {
    if (!(spec->flags & NOMEN__VARIADIC)) return false;
    return spec->kind == NOMEN__NAMES ? !is_list(value) : !is_list(value) && value != Py_None;
}

bool nomen__py_bind(py_call *p, const nomen__argspec *specs, int n, PyObject *const *args,
                    Py_ssize_t nargs, PyObject *kwnames, py_bound *bound) {
    Py_ssize_t k = 0;
    for (int i = 0; i < n; i++) {
        bound[i].value = NULL;
        bound[i].rest = NULL;
        if (specs[i].flags & NOMEN__KEYWORD) continue;
        if (k == nargs) {
            if ((specs[i].flags & NOMEN__VARIADIC) && p->method && !kwnames)
                bound[i] = (py_bound){NULL, args + k, 0, k + 1};
            continue;
        }
        Py_ssize_t position = k + 1 - p->method;
        if (spreads(&specs[i], args[k])) {
            bound[i] = (py_bound){args[k], args + k, nargs - k, position};
            k = nargs;
        } else {
            bound[i].value = args[k++];
            bound[i].position = position;
        }
    }
    if (k < nargs) return too_many_positional(p, specs, n, nargs);
    return !kwnames || bind_keywords(p, specs, n, args + nargs, kwnames, bound);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool integer(PyObject *o, int64_t *value) {
    if (NOMEN_LIKELY(nomen__py_small_int(o, value))) return true;
    if (PyLong_CheckExact(o)) {
        int overflow;
        *value = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (!overflow) return true;
        *value = overflow > 0 ? INT64_MAX : INT64_MIN; /* out of any range it is used for */
        return true;
    }
    PyObject *index = PyNumber_Index(o);
    if (!index) return false;
    int overflow;
    *value = PyLong_AsLongLongAndOverflow(index, &overflow);
    if (overflow) *value = overflow > 0 ? INT64_MAX : INT64_MIN;
    Py_DECREF(index);
    return true;
}

/* An int, or something that says it is one; bool and float are none. */
static bool is_integer(PyObject *o) {
    return PyLong_CheckExact(o) || (PyIndex_Check(o) && !PyBool_Check(o));
}

static int number_of_long(PyObject *o, nomen_number *n) {
    int64_t small;
    if (NOMEN_LIKELY(nomen__py_small_int(o, &small))) {
        *n = (nomen_number){NOMEN_NUMBER_INT, small, 0, 0};
        return 1;
    }
    int overflow;
    int64_t value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) {
        PyErr_SetString(PyExc_RuntimeError, "Overflow when unpacking long: the number does not fit "
                                            "into int64");
        return -1;
    }
    *n = (nomen_number){NOMEN_NUMBER_INT, value, 0, 0};
    return 1;
}

/* Is it at most as large as an int64? A shift counts modulo a size: the nearest one would be wrong.
 */
static bool held(PyObject *o) {
    nomen_number unused;
    PyObject *index = PyNumber_Index(o);
    bool fits = index && number_of_long(index, &unused) > 0;
    Py_XDECREF(index);
    return fits;
}

static int number_of_other(PyObject *o, nomen_number *n) {
    if (PyFloat_Check(o)) {
        *n = (nomen_number){NOMEN_NUMBER_FLOAT, 0, PyFloat_AS_DOUBLE(o), 0};
        return 1;
    }
    if (PyLong_Check(o)) return number_of_long(o, n);
    if (PyComplex_Check(o)) {
        Py_complex z = PyComplex_AsCComplex(o);
        *n = (nomen_number){NOMEN_NUMBER_COMPLEX, 0, z.real, z.imag};
        return 1;
    }
    /* Scalars of NumPy and the like; arrays have a length, and are no numbers. */
    PyTypeObject *type = Py_TYPE(o);
    if (!type->tp_as_number || (!type->tp_as_number->nb_float && !type->tp_as_number->nb_index) ||
        (type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
        (type->tp_as_mapping && type->tp_as_mapping->mp_length))
        return 0;
    PyObject *plain = PyObject_HasAttrString(o, "dtype") ? PyObject_CallMethod(o, "item", NULL)
                                                         : PyNumber_Float(o);
    if (!plain) return -1;
    int result = 0;
    if (PyFloat_Check(plain) || PyLong_Check(plain) || PyComplex_Check(plain))
        result = nomen__py_number(plain, n);
    Py_DECREF(plain);
    return result;
}

int nomen__py_number(PyObject *o, nomen_number *n) {
    if (PyFloat_CheckExact(o)) {
        *n = (nomen_number){NOMEN_NUMBER_FLOAT, 0, PyFloat_AS_DOUBLE(o), 0};
        return 1;
    }
    if (PyBool_Check(o)) {
        *n = (nomen_number){NOMEN_NUMBER_BOOL, o == Py_True, 0, 0};
        return 1;
    }
    if (PyLong_CheckExact(o)) return number_of_long(o, n);
    return number_of_other(o, n);
}

int nomen__py_operand(py_call *p, int i, PyObject *value) {
    const bool plain = PyFloat_CheckExact(value) || PyLong_CheckExact(value);
    if (!plain && nomen__py_is_tensor(p->state, value)) {
        nomen_tensor *t = nomen__py_unwrap(value);
        p->c.arg[i].tensor = t;
        p->c.given |= 1u << i;
        p->large |= t->numel > PY_LARGE;
        return 1;
    }
    nomen_number n;
    int is_number = nomen__py_number(value, &n);
    if (is_number <= 0) return is_number;
    nomen_tensor *t = nomen__wrap_number(&n);
    if (!t) {
        nomen__py_raise(p->state);
        return -1;
    }
    p->wrapped[p->wrapped_count++] = t;
    p->c.arg[i].tensor = t;
    p->c.given |= 1u << i;
    return 1;
}

bool nomen__py_dimref(py_state *s, PyObject *o, nomen__dimref *ref) {
    ref->name = 0;
    if (PyUnicode_Check(o)) {
        Py_ssize_t length;
        const char *text = PyUnicode_AsUTF8AndSize(o, &length);
        if (!text) {
            /* Not even text that can be encoded, so no name: the library says what names are. */
            PyErr_Clear();
            text = "\xef\xbf\xbd";
            length = 3;
        }
        ref->kind = NOMEN__DIM_NAME;
        if (length == 3 && !memcmp(text, "...", 3)) {
            ref->kind = NOMEN__DIM_ELLIPSIS;
        } else if (!nomen_name_intern(text, (size_t)length, &ref->name)) {
            nomen__py_raise(s);
            return false;
        } else if (!ref->name) {
            ref->kind = NOMEN__DIM_NONE;
        } else if (!nomen__py_name_known(s, o, ref->name)) {
            return false;
        }
        return true;
    }
    if (o == Py_None) {
        ref->kind = NOMEN__DIM_NONE;
        return true;
    }
    if (o == Py_Ellipsis) {
        ref->kind = NOMEN__DIM_ELLIPSIS;
        return true;
    }
    ref->kind = NOMEN__DIM_INDEX;
    return integer(o, &ref->index);
}

static bool is_dim(PyObject *o) { return PyUnicode_Check(o) || o == Py_None || is_integer(o); }

/* The items of a list or of a spread argument. A list is copied first: reading an item may run
 * __index__ of somebody's class, which may change the list, and so may other threads during the
 * call. NULL: an exception is set. */
static PyObject *const *items_of(py_call *p, const py_bound *bound, Py_ssize_t *count) {
    PyObject *items = bound->value;
    if (bound->rest) {
        *count = bound->count;
        return bound->rest;
    }
    if (PyList_Check(items)) {
        items = PyList_AsTuple(items);
        if (!items) return NULL;
        p->held[p->held_count++] = items;
    }
    *count = PyTuple_GET_SIZE(items);
    return &PyTuple_GET_ITEM(items, 0);
}

static nomen__dimref *take_dims(py_call *p, int i, Py_ssize_t count) {
    int left = NOMEN__POOL - p->c.dims_used;
    if (count > left) {
        too_many(p, p->c.op->args[i].name, count, left);
        return NULL;
    }
    nomen__dimref *at = p->c.dims_pool + p->c.dims_used;
    p->c.dims_used = (uint16_t)(p->c.dims_used + count);
    p->c.arg[i].dims = (nomen__dims){(int)count, at};
    p->c.given |= 1u << i;
    return at;
}

static bool fill_dim(py_call *p, int i, const py_bound *bound) {
    if (!is_dim(bound->value)) return wrong(p, i, bound);
    nomen__dimref *at = take_dims(p, i, 1);
    return at && nomen__py_dimref(p->state, bound->value, at);
}

static bool fill_dims(py_call *p, int i, const py_bound *bound) {
    if (!bound->rest && !is_list(bound->value)) return fill_dim(p, i, bound);
    Py_ssize_t count;
    PyObject *const *items = items_of(p, bound, &count);
    nomen__dimref *at = items ? take_dims(p, i, count) : NULL;
    if (!at) return false;
    p->c.listed |= 1u << i;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!is_dim(items[k]))
            return k || !bound->rest ? wrong_item(p, i, items[k], k) : wrong(p, i, bound);
        if (!nomen__py_dimref(p->state, items[k], &at[k])) return false;
    }
    return true;
}

/* A list is a list of names if its first item is one; the text for a later one that is none says
 * what names are. */
static bool fill_names(py_call *p, int i, const py_bound *bound) {
    if (!bound->rest && !is_list(bound->value)) return wrong(p, i, bound);
    if (!bound->rest && (p->c.op->args[i].flags & NOMEN__VARIADIC)) return wrong(p, i, bound);
    Py_ssize_t count;
    PyObject *const *items = items_of(p, bound, &count);
    nomen__dimref *at = items ? take_dims(p, i, count) : NULL;
    if (!at) return false;
    for (Py_ssize_t k = 0; k < count; k++) {
        bool glob = items[k] == Py_Ellipsis && bound->rest;
        if (!glob && !PyUnicode_Check(items[k]) && items[k] != Py_None) {
            if (!k) return wrong(p, i, bound);
            PyErr_Format(PyExc_TypeError, "expected None or string for Dimname but got %s",
                         Py_TYPE(items[k])->tp_name);
            return false;
        }
        if (!nomen__py_dimref(p->state, items[k], &at[k])) return false;
    }
    return true;
}

static int64_t *take_sizes(py_call *p, int i, Py_ssize_t count) {
    int64_t *at;
    if (count <= NOMEN_MAX_DIMS - p->sizes_used) {
        at = p->sizes_inline + p->sizes_used;
        p->sizes_used = (uint16_t)(p->sizes_used + count);
    } else {
        size_t bytes = (size_t)count * sizeof *at;
        at = nomen__alloc(bytes);
        if (!at) {
            nomen__py_raise(p->state);
            return NULL;
        }
        p->blocks[p->blocks_count].at = at;
        p->blocks[p->blocks_count++].bytes = bytes;
    }
    p->c.arg[i].sizes = (nomen_sizes){count, at};
    p->c.given |= 1u << i;
    return at;
}

static bool fill_sizes(py_call *p, int i, const py_bound *bound) {
    py_bound one = *bound;
    if (!bound->rest && !is_list(bound->value)) {
        if (!is_integer(bound->value)) return wrong(p, i, bound);
        one.rest = &bound->value;
        one.count = 1;
    }
    Py_ssize_t count;
    PyObject *const *items = items_of(p, &one, &count);
    int64_t *at = items ? take_sizes(p, i, count) : NULL;
    if (!at) return false;
    double numel = 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!is_integer(items[k]))
            return k || !bound->rest ? wrong_item(p, i, items[k], k) : wrong(p, i, bound);
        if (!integer(items[k], &at[k])) return false;
        if (NOMEN_UNLIKELY(at[k] == INT64_MAX || at[k] == INT64_MIN) && !held(items[k]))
            return false;
        numel *= (double)at[k];
    }
    p->large |= numel > PY_LARGE;
    return true;
}

static bool fill_tensor(py_call *p, int i, const py_bound *bound) {
    /* The first operand of most operations has to be a tensor, or there would be nothing to do. */
    bool number_may =
        i > 0 || (p->c.op->nargs > 1 && !p->method && p->c.op->args[1].kind == NOMEN__TENSOR);
    if (!number_may && !nomen__py_is_tensor(p->state, bound->value)) return wrong(p, i, bound);
    int done = nomen__py_operand(p, i, bound->value);
    return done > 0 || (done == 0 && wrong(p, i, bound));
}

static bool fill_tensors(py_call *p, int i, const py_bound *bound) {
    if (!bound->rest && !is_list(bound->value)) return wrong(p, i, bound);
    Py_ssize_t count;
    PyObject *const *items = items_of(p, bound, &count);
    nomen_tensor **at = p->list_inline;
    if (!items) return false;
    if (count > PY_LIST_INLINE) {
        size_t bytes = (size_t)count * sizeof *at;
        at = nomen__alloc(bytes);
        if (!at) return library_failed(p);
        p->blocks[p->blocks_count].at = at;
        p->blocks[p->blocks_count++].bytes = bytes;
    }
    bool gaps = p->c.op->args[i].flags & NOMEN__OPTIONAL;
    for (Py_ssize_t k = 0; k < count; k++) {
        at[k] = NULL;
        if (gaps && items[k] == Py_None) continue;
        if (!nomen__py_is_tensor(p->state, items[k])) return wrong_item(p, i, items[k], k);
        at[k] = nomen__py_unwrap(items[k]);
        p->large |= at[k]->numel > PY_LARGE;
    }
    p->c.arg[i].list = (nomen_list){count, at};
    p->c.given |= 1u << i;
    return true;
}

static bool fill_number(py_call *p, int i, const py_bound *bound) {
    nomen_number *n = &p->c.numbers[i];
    if (nomen__py_is_tensor(p->state, bound->value)) {
        nomen_tensor *t = nomen__py_unwrap(bound->value);
        if (t->ndim) return wrong(p, i, bound);
        *n = nomen_item_number(t);
    } else {
        int is_number = nomen__py_number(bound->value, n);
        if (is_number < 0) return false;
        if (!is_number) return wrong(p, i, bound);
    }
    nomen__py_counts(p, nomen__real_of(n));
    p->c.arg[i].number = n;
    p->c.given |= 1u << i;
    return true;
}

static bool fill_name(py_call *p, int i, const py_bound *bound) {
    nomen__dimref ref;
    if (!PyUnicode_Check(bound->value)) return wrong(p, i, bound);
    if (!nomen__py_dimref(p->state, bound->value, &ref)) return false;
    if (ref.kind == NOMEN__DIM_ELLIPSIS && !nomen_name_intern("...", 3, &ref.name))
        return library_failed(p);
    p->c.arg[i].name = ref.name;
    p->c.given |= 1u << i;
    return true;
}

/* NumPy's bool is not Python's. */
static int truth(PyObject *o) {
    if (PyBool_Check(o)) return o == Py_True;
    const char *name = strrchr(Py_TYPE(o)->tp_name, '.');
    name = name ? name + 1 : Py_TYPE(o)->tp_name;
    return strncmp(name, "bool", 4) ? -1 : PyObject_IsTrue(o);
}

/* The kinds that are one plain value. */
static bool fill_plain(py_call *p, int i, const py_bound *bound) {
    PyObject *value = bound->value;
    nomen__arg *arg = &p->c.arg[i];
    switch (p->c.op->args[i].kind) {
    case NOMEN__INT:
        if (!is_integer(value)) return wrong(p, i, bound);
        if (!integer(value, &arg->integer)) return false;
        nomen__py_counts(p, (double)arg->integer);
        break;
    case NOMEN__FLAG: {
        int yes = truth(value);
        if (yes < 0) return !PyErr_Occurred() && wrong(p, i, bound);
        arg->flag = yes != ((p->c.op->args[i].flags & NOMEN__OPPOSITE) != 0);
        break;
    }
    case NOMEN__DTYPE:
        arg->dtype = nomen__py_dtype(p->state, value);
        if (!arg->dtype) return wrong(p, i, bound);
        break;
    case NOMEN__TEXT:
        arg->text = nomen__py_word(p->state, value);
        if (arg->text) break;
        if (!PyUnicode_Check(value)) return wrong(p, i, bound);
        arg->text = PyUnicode_AsUTF8(value);
        if (!arg->text) return false;
        break;
    default: /* NOMEN__GENERATOR */
        if (!Py_IS_TYPE(value, p->state->generator)) return wrong(p, i, bound);
        arg->generator = nomen__py_generator(value);
        break;
    }
    p->c.given |= 1u << i;
    return true;
}

bool nomen__py_fill(py_call *p, int i, const py_bound *bound) {
    const nomen__argspec *spec = &p->c.op->args[i];
    nomen__kind kind = spec->kind;
    if (bound->value == Py_None && (spec->flags & NOMEN__OPTIONAL) &&
        !(spec->flags & NOMEN__NONE_IS_A_DIM) && !(bound->rest && bound->count > 1))
        return true;
    switch (kind) {
    case NOMEN__TENSOR: return fill_tensor(p, i, bound);
    case NOMEN__TENSORS: return fill_tensors(p, i, bound);
    case NOMEN__NUMBER: return fill_number(p, i, bound);
    case NOMEN__DIM: return fill_dim(p, i, bound);
    case NOMEN__DIMS: return fill_dims(p, i, bound);
    case NOMEN__NAMES: return fill_names(p, i, bound);
    case NOMEN__NAME: return fill_name(p, i, bound);
    case NOMEN__SIZES: return fill_sizes(p, i, bound);
    default: return fill_plain(p, i, bound);
    }
}

bool nomen__py_fill_all(py_call *p, const py_bound *bound) {
    const nomen__op *op = p->c.op;
    for (int i = 0; i < op->nargs; i++) {
        if (bound[i].value || bound[i].rest) {
            if (!nomen__py_fill(p, i, &bound[i])) return false;
        } else if (!(op->args[i].flags & NOMEN__OPTIONAL) && op->args[i].kind != NOMEN__FLAG) {
            return missing(p, op->args, op->nargs, bound);
        }
    }
    return true;
}
