/* Operations that Python knows in more forms than one argument list can say: rename(**map),
 * max(x, y), var(dim, unbiased), flatten, unflatten, split, to, arange, randint, random_. */
#include "py.h"

#include <math.h>

#define SPEC(name, flags) {name, NOMEN__TEXT, flags, 0}
enum { OPT = NOMEN__OPTIONAL, KW = NOMEN__OPTIONAL | NOMEN__KEYWORD };

static bool is_list(PyObject *o) { return PyTuple_Check(o) || PyList_Check(o); }

static bool given(const py_bound *b) { return b->value && b->value != Py_None; }

static bool fill(py_call *p, int i, const py_bound *b) {
    return !b->value || nomen__py_fill(p, i, b);
}

static bool no_self(py_call *p, const py_bound *self) {
    if (self->value) return true;
    PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional arguments: \"input\"",
                 p->name);
    return false;
}

/* ---- rename ---------------------------------------------------------------------------------- */

/* "N=batch C=*" of the keywords, in a str that the caller gives back. */
static PyObject *map_text(py_call *p, PyObject *const *values, PyObject *kwnames) {
    PyObject *text = PyUnicode_FromString("");
    for (Py_ssize_t k = 0; text && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *old = PyTuple_GET_ITEM(kwnames, k), *fresh = values[k];
        nomen__dimref ref;
        if (!PyUnicode_Check(fresh) && fresh != Py_None) {
            PyErr_Format(PyExc_TypeError, "expected None or string for Dimname but got %s",
                         Py_TYPE(fresh)->tp_name);
            Py_CLEAR(text);
            break;
        }
        /* What is no name at all is found here; the text could not hold it. */
        bool fine =
            nomen__py_dimref(p->state, old, &ref) && nomen__py_dimref(p->state, fresh, &ref);
        if (fine && ref.kind == NOMEN__DIM_ELLIPSIS) {
            fine = nomen_name_intern("...", 3, &ref.name);
            if (!fine) nomen__py_raise(p->state);
        }
        const char *name = fine ? nomen_name_text(ref.name) : NULL;
        PyObject *longer =
            fine ? PyUnicode_FromFormat("%U %U=%s", text, old, name ? name : "*") : NULL;
        Py_SETREF(text, longer);
    }
    return text;
}

static bool adapt_rename(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    if (!kwnames || !PyTuple_GET_SIZE(kwnames)) return nomen__py_parse(p, args, nargs, NULL);
    if (nargs > 1) {
        nomen__fail(NOMEN_ERROR_NAME,
                    "%s: This function takes either positional args or keyword args, but not "
                    "both. Use tensor.%s(*names) to name dims and tensor.%s(**rename_map) to "
                    "rename dims.",
                    p->name, p->name, p->name);
        nomen__py_raise(p->state);
        return false;
    }
    PyObject *text = map_text(p, args + nargs, kwnames);
    const char *utf8 = text ? PyUnicode_AsUTF8(text) : NULL;
    size_t size = utf8 ? strlen(utf8) + 1 : 0;
    char *copy = utf8 ? nomen__alloc(size) : NULL;
    if (copy) {
        memcpy(copy, utf8, size);
        p->blocks[p->blocks_count].at = copy;
        p->blocks[p->blocks_count++].bytes = size;
        p->c.arg[2].text = copy;
        p->c.given |= 1u << 2;
    } else if (utf8) {
        nomen__py_raise(p->state);
    }
    Py_XDECREF(text);
    py_bound self = {args[0], NULL, 0, 0};
    return copy && nomen__py_fill(p, 0, &self);
}

/* ---- max, min, var, std ---------------------------------------------------------------------- */

/* max(x, y) of two tensors is maximum; a tensor that can be a dim is one where the call says so. */
static bool adapt_extremum(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    const bool tensor = nargs > 1 && nomen__py_is_tensor(p->state, args[1]);
    bool two = tensor, dim = nargs > 2;
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *key = PyTuple_GET_ITEM(kwnames, k);
        two |= !PyUnicode_CompareWithASCIIString(key, "other");
        dim |= !PyUnicode_CompareWithASCIIString(key, "keepdim") ||
               (!PyUnicode_CompareWithASCIIString(key, "out") && is_list(args[nargs + k]));
    }
    if (dim && tensor) {
        const nomen_tensor *t = nomen__py_unwrap(args[1]);
        two = t->ndim || t->dtype == NOMEN_BOOL || !nomen_dtype_is_integral((nomen_dtype)t->dtype);
    }
    if (two) {
        const char *name = p->name;
        bool method = p->method;
        const nomen__op *op = nomen__op_find(p->name[1] == 'a' ? "maximum" : "minimum");
        nomen__py_begin(p, p->state, op);
        p->name = name;
        p->method = method;
    }
    return nomen__py_parse(p, args, nargs, kwnames);
}

/* var(unbiased), var(dim, unbiased, keepdim), var(dim, correction=, keepdim=). */
static bool adapt_variance(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec specs[] = {SPEC("self", 0), SPEC("dim", OPT), SPEC("unbiased", OPT),
                                           SPEC("keepdim", OPT), SPEC("correction", KW)};
    enum { SELF, DIM, UNBIASED, KEEPDIM, CORRECTION, COUNT };
    py_bound b[COUNT];
    if (!nomen__py_bind(p, specs, COUNT, args, nargs, kwnames, b)) return false;
    if (!no_self(p, &b[SELF])) return false;
    bool by_place = b[DIM].value && b[DIM].position;
    if (by_place && PyBool_Check(b[DIM].value) && !b[UNBIASED].value) {
        b[UNBIASED] = b[DIM];
        b[DIM].value = NULL;
    }
    if (given(&b[UNBIASED])) {
        if (!PyBool_Check(b[UNBIASED].value))
            return nomen__py_wrong(p, "unbiased", &b[UNBIASED], "bool");
        if (given(&b[CORRECTION])) {
            PyErr_Format(PyExc_TypeError, "%s() takes unbiased or correction, not both", p->name);
            return false;
        }
        p->c.numbers[3] = (nomen_number){NOMEN_NUMBER_INT, b[UNBIASED].value == Py_True, 0, 0};
        p->c.arg[3].number = &p->c.numbers[3];
        p->c.given |= 1u << 3;
    }
    return fill(p, 0, &b[SELF]) && fill(p, 1, &b[DIM]) && fill(p, 2, &b[KEEPDIM]) &&
           fill(p, 3, &b[CORRECTION]);
}

/* ---- flatten, unflatten, split --------------------------------------------------------------- */

/* flatten(), flatten(start, end, out_dim), flatten(dims, out_dim); all by keyword too. */
static bool adapt_flatten(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec specs[] = {SPEC("self", 0),      SPEC("start_dim", OPT),
                                           SPEC("end_dim", OPT), SPEC("third", OPT),
                                           SPEC("dims", KW),     SPEC("out_dim", KW)};
    enum { SELF, START, END, THIRD, DIMS, OUT, COUNT };
    py_bound b[COUNT];
    if (nargs == 1 && !kwnames) return nomen__py_parse(p, args, nargs, NULL);
    if (!nomen__py_bind(p, specs, COUNT, args, nargs, kwnames, b)) return false;
    if (!no_self(p, &b[SELF])) return false;
    py_bound *out = b[OUT].value ? &b[OUT] : &b[THIRD];
    if (b[START].value && is_list(b[START].value)) {
        b[DIMS] = b[START];
        b[START].value = NULL;
        if (b[END].value && !out->value) {
            *out = b[END];
            b[END].value = NULL;
        }
    }
    if (out->value == Py_None) { /* an unnamed dim was asked for: not the same as not asking */
        p->c.arg[2].name = 0;
        p->c.given |= 1u << 2;
    }
    return fill(p, 0, &b[SELF]) && fill(p, 1, &b[DIMS]) && fill(p, 2, out) &&
           fill(p, 3, &b[START]) && fill(p, 4, &b[END]);
}

/* [('H', 2), ('W', 3)] as two tuples. */
static bool unzip(PyObject *pairs, PyObject **names, PyObject **sizes) {
    Py_ssize_t count = PyTuple_GET_SIZE(pairs);
    *names = PyTuple_New(count);
    *sizes = PyTuple_New(count);
    if (!*names || !*sizes) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *pair = PySequence_Fast(PyTuple_GET_ITEM(pairs, i),
                                         "unflatten: sizes must be (name, size) pairs");
        if (!pair) return false;
        Py_ssize_t length = PySequence_Fast_GET_SIZE(pair);
        if (length == 2) {
            PyTuple_SET_ITEM(*names, i, Py_NewRef(PySequence_Fast_GET_ITEM(pair, 0)));
            PyTuple_SET_ITEM(*sizes, i, Py_NewRef(PySequence_Fast_GET_ITEM(pair, 1)));
        } else if (length > 2) {
            PyErr_SetString(PyExc_ValueError, "too many values to unpack (expected 2)");
        } else {
            PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected 2, got %zd)",
                         length);
        }
        Py_DECREF(pair);
        if (length != 2) return false;
    }
    return true;
}

/* The (name, size) pairs of the argument, a new tuple; NULL without an exception: it has none.
 */
static PyObject *pairs_of(PyObject *sizes) {
    if (PyODict_Check(sizes)) {
        PyObject *items = PyMapping_Items(sizes);
        PyObject *pairs = items ? PyList_AsTuple(items) : NULL;
        Py_XDECREF(items);
        return pairs;
    }
    bool listed = is_list(sizes) && PySequence_Fast_GET_SIZE(sizes) > 0;
    if (!listed || !is_list(PySequence_Fast_GET_ITEM(sizes, 0))) return NULL;
    return PySequence_Tuple(sizes);
}

static bool fill_pairs(py_call *p, PyObject *pairs, const py_bound *sizes) {
    PyObject *name_tuple = NULL, *size_tuple = NULL;
    bool done = unzip(pairs, &name_tuple, &size_tuple);
    for (Py_ssize_t i = 0; done && i < PyTuple_GET_SIZE(size_tuple); i++) {
        PyObject *size = PyTuple_GET_ITEM(size_tuple, i);
        if (PyIndex_Check(size) && !PyBool_Check(size)) continue;
        done = false;
        PyErr_Format(
            PyExc_TypeError,
            "unflatten(): argument 'sizes' (position %zd) must be tuple of ints, not tuple",
            sizes->position);
    }
    if (done) {
        py_bound names = {name_tuple, NULL, 0, 0}, plain = {size_tuple, NULL, 0, sizes->position};
        done = nomen__py_fill(p, 2, &plain) && nomen__py_fill(p, 3, &names);
    }
    Py_XDECREF(name_tuple);
    Py_XDECREF(size_tuple);
    return done;
}

static bool adapt_unflatten(py_call *p, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames) {
    py_bound b[PY_BOUND];
    /* a place and sizes, as most times */
    if (nargs == 3 && !kwnames && PyLong_CheckExact(args[1]) && is_list(args[2]) &&
        PySequence_Fast_GET_SIZE(args[2]) && PyLong_CheckExact(PySequence_Fast_ITEMS(args[2])[0]))
        return nomen__py_parse(p, args, nargs, NULL);
    if (!nomen__py_bind(p, p->c.op->args, p->c.op->nargs, args, nargs, kwnames, b)) return false;
    PyObject *sizes = b[2].value;
    if (!sizes || !b[1].value) return nomen__py_fill_all(p, b);
    int any = PyObject_IsTrue(sizes);
    if (any < 0) return false;
    if (!any) {
        nomen__fail(NOMEN_ERROR_SHAPE, "unflatten: sizes must be non-empty");
        nomen__py_raise(p->state);
        return false;
    }
    PyObject *pairs = pairs_of(sizes);
    if (!pairs && PyUnicode_Check(b[1].value) && !b[3].value) /* a named dim becomes named ones */
        return !PyErr_Occurred() && nomen__py_wrong(p, "dim", &b[1], "int");
    if (!pairs) return !PyErr_Occurred() && nomen__py_fill_all(p, b);
    bool done = fill(p, 0, &b[0]) && fill(p, 1, &b[1]) && fill_pairs(p, pairs, &b[2]);
    Py_DECREF(pairs);
    return done;
}

static bool adapt_split(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec specs[] = {SPEC("self", 0), SPEC("split_size", OPT),
                                           SPEC("dim", OPT), SPEC("split_size_or_sections", KW),
                                           SPEC("sizes", KW)};
    enum { SELF, SIZE, DIM, EITHER, SIZES, COUNT };
    py_bound b[COUNT];
    if (!nomen__py_bind(p, specs, COUNT, args, nargs, kwnames, b)) return false;
    if (!no_self(p, &b[SELF])) return false;
    py_bound *either = b[SIZE].value ? &b[SIZE] : b[EITHER].value ? &b[EITHER] : &b[SIZES];
    if (!either->value) {
        PyErr_SetString(PyExc_TypeError,
                        "split() missing 1 required positional arguments: \"split_size\"");
        return false;
    }
    bool listed = is_list(either->value);
    if (!listed && !PyIndex_Check(either->value))
        return nomen__py_wrong(p, "split_size", either, "int or tuple of ints");
    return fill(p, 0, &b[SELF]) && fill(p, listed ? 3 : 1, either) && fill(p, 2, &b[DIM]);
}

/* ---- norm, where, nonzero, scatter ----------------------------------------------------------- */

/* The call goes on as one of another operation. */
static void become(py_call *p, const char *op) {
    const char *name = p->name;
    bool method = p->method;
    nomen__py_begin(p, p->state, nomen__op_find(op));
    p->name = name;
    p->method = method;
}

/* norm(p='fro') is p=2, and so is p=None; norm(p='nuc') is another operation. */
static bool adapt_norm(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    py_bound b[PY_BOUND];
    if (!nomen__py_bind(p, p->c.op->args, p->c.op->nargs, args, nargs, kwnames, b)) return false;
    enum { SELF, P, DIM, KEEPDIM, DTYPE };
    PyObject *value = b[P].value;
    if (value && PyUnicode_Check(value)) {
        if (!PyUnicode_CompareWithASCIIString(value, "nuc")) {
            nomen_tensor *out = p->c.out[0];
            become(p, "nuclear_norm");
            p->c.out[0] = out;
            return fill(p, 0, &b[SELF]) && fill(p, 1, &b[DIM]) && fill(p, 2, &b[KEEPDIM]) &&
                   fill(p, 3, &b[DTYPE]);
        }
        if (PyUnicode_CompareWithASCIIString(value, "fro")) {
            nomen__fail(NOMEN_ERROR_STATE,
                        "only valid string values are 'fro' and 'nuc', found %.20s",
                        PyUnicode_AsUTF8(value) ? PyUnicode_AsUTF8(value) : "?");
            nomen__py_raise(p->state);
            return false;
        }
        b[P].value = NULL;
    } else if (value == Py_None) {
        b[P].value = NULL;
    }
    return nomen__py_fill_all(p, b);
}

/* where(condition) alone says where it is true. */
static bool adapt_where(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    if (nargs == 1 && !kwnames && !p->method) become(p, "nonzero_tuple");
    return nomen__py_parse(p, args, nargs, kwnames);
}

static bool adapt_nonzero(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec specs[] = {SPEC("self", 0), SPEC("as_tuple", KW)};
    enum { SELF, AS_TUPLE, COUNT };
    py_bound b[COUNT];
    if (!nomen__py_bind(p, specs, COUNT, args, nargs, kwnames, b)) return false;
    if (!no_self(p, &b[SELF])) return false;
    if (given(&b[AS_TUPLE])) {
        if (!PyBool_Check(b[AS_TUPLE].value))
            return nomen__py_wrong(p, "as_tuple", &b[AS_TUPLE], "bool");
        if (b[AS_TUPLE].value == Py_True) become(p, "nonzero_tuple");
    }
    return fill(p, 0, &b[SELF]);
}

/* view(dtype) shows the bytes as elements of another dtype. */
static bool adapt_view(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    bool dtype = nargs == 2 && nomen__py_dtype(p->state, args[1]);
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
        dtype |= !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), "dtype");
    if (dtype) become(p, "view_dtype");
    return nomen__py_parse(p, args, nargs, kwnames);
}

/* What is written is called src if it is a tensor and value if it is a number. */
static bool adapt_scatter(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec specs[] = {SPEC("self", 0),  SPEC("dim", 0),     SPEC("index", 0),
                                           SPEC("src", OPT), SPEC("reduce", KW), SPEC("value", KW)};
    enum { SELF, DIM, INDEX, SRC, REDUCE, VALUE, COUNT };
    py_bound b[COUNT];
    if (nargs == REDUCE && !kwnames) return nomen__py_parse(p, args, nargs, NULL);
    if (!nomen__py_bind(p, specs, COUNT, args, nargs, kwnames, b)) return false;
    if (!b[SRC].value) b[SRC] = b[VALUE];
    return nomen__py_fill_all(p, b);
}

/* tensor_split, hsplit, vsplit, dsplit: a number of sections, or a list of indices; a 1-d tensor is
 * one too. */
static bool adapt_sections(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec with_dim[] = {SPEC("self", 0), SPEC("indices_or_sections", OPT),
                                              SPEC("dim", OPT), SPEC("sections", KW),
                                              SPEC("indices", KW)};
    static const nomen__argspec without[] = {SPEC("self", 0), SPEC("indices_or_sections", OPT),
                                             SPEC("sections", KW), SPEC("indices", KW)};
    bool dim = p->c.op->args[2].kind == NOMEN__DIM;
    int count = dim ? 5 : 4, sections = count - 2, list = p->c.op->nargs - 1;
    py_bound b[5];
    if (!nomen__py_bind(p, dim ? with_dim : without, count, args, nargs, kwnames, b)) return false;
    if (!no_self(p, &b[0])) return false;
    py_bound *either = b[1].value ? &b[1] : b[sections].value ? &b[sections] : &b[sections + 1];
    if (!given(either)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() missing 1 required positional arguments: \"indices_or_sections\"",
                     p->name);
        return false;
    }
    PyObject *made = NULL;
    if (nomen__py_is_tensor(p->state, either->value) && nomen__py_unwrap(either->value)->ndim) {
        made = PyObject_CallMethod(either->value, "tolist", NULL);
        if (!made) return false;
        either->value = made;
    }
    bool done = fill(p, 0, &b[0]) && fill(p, is_list(either->value) ? list : 1, either) &&
                (!dim || fill(p, 2, &b[2]));
    Py_XDECREF(made);
    return done;
}

/* ---- to, arange ------------------------------------------------------------------------------ */

static bool wrong_combination(const py_call *p, PyObject *value) {
    PyErr_Format(PyExc_TypeError,
                 "%s() received an invalid combination of arguments - got (%s), but expected one "
                 "of:\n * (nomen.dtype dtype, bool non_blocking, bool copy)\n * (nomen.device "
                 "device, nomen.dtype dtype, bool non_blocking, bool copy)\n * (Tensor other, bool "
                 "non_blocking, bool copy)",
                 p->name, Py_TYPE(value)->tp_name);
    return false;
}

static bool adapt_to(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    static const nomen__argspec specs[] = {
        SPEC("self", 0),  SPEC("1", OPT),          SPEC("2", OPT),     SPEC("3", OPT),
        SPEC("4", OPT),   SPEC("dtype", KW),       SPEC("device", KW), SPEC("other", KW),
        SPEC("copy", KW), SPEC("non_blocking", KW)};
    enum { SELF, FIRST, LAST = 4, DTYPE, DEVICE, OTHER, COPY, BLOCKING, COUNT };
    py_bound b[COUNT];
    py_state *s = p->state;
    if (nargs == 2 && !kwnames && Py_IS_TYPE(args[1], s->dtype)) /* to(dtype), most times */
        return nomen__py_parse(p, args, nargs, NULL);
    if (!nomen__py_bind(p, specs, COUNT, args, nargs, kwnames, b)) return false;
    int next = FIRST;
    PyObject *first = b[FIRST].value;
    if (first && nomen__py_is_tensor(s, first)) {
        b[OTHER] = b[next++];
    } else if (first && nomen__py_dtype(s, first)) {
        b[DTYPE] = b[next++];
    } else if (first) {
        if (!PyUnicode_Check(first) && first != Py_None && !Py_IS_TYPE(first, s->device) &&
            !PyLong_Check(first))
            return wrong_combination(p, first);
        b[DEVICE] = b[next++];
        if (b[next].value && (b[next].value == Py_None || nomen__py_dtype(s, b[next].value)))
            b[DTYPE] = b[next++];
    }
    if (next <= LAST && b[next].value) b[BLOCKING] = b[next++];
    if (next <= LAST && b[next].value) b[COPY] = b[next++];
    if (next <= LAST && b[next].value) return wrong_combination(p, b[next].value);
    for (int i = COPY; i <= BLOCKING; i++)
        if (b[i].value && !PyBool_Check(b[i].value)) return wrong_combination(p, b[i].value);
    int device = -1;
    if (b[DEVICE].value && !nomen__py_device(s, b[DEVICE].value, &device)) return false;
    if (given(&b[OTHER])) {
        if (!nomen__py_is_tensor(s, b[OTHER].value))
            return nomen__py_wrong(p, "other", &b[OTHER], "Tensor");
        p->c.arg[1].dtype = (nomen_dtype)nomen__py_unwrap(b[OTHER].value)->dtype;
        p->c.given |= 1u << 1;
        device = nomen__py_unwrap(b[OTHER].value)->device;
    }
    if (device >= 0) {
        p->c.arg[3].text = nomen__device_name((unsigned)device);
        p->c.given |= 1u << 3;
    }
    return fill(p, 0, &b[SELF]) && fill(p, 1, &b[DTYPE]) && fill(p, 2, &b[COPY]);
}

/* ---- ranges of random integers --------------------------------------------------------------- */

/* randint(high, size), randint(low, high, size); randint_like(self, high), (self, low, high). */
static bool adapt_randint(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    py_bound b[PY_BOUND];
    const nomen__op *op = p->c.op;
    if (!nomen__py_bind(p, op->args, op->nargs, args, nargs, kwnames, b)) return false;
    enum { LOW = 1, HIGH = 2, SIZE = 3 };
    if (b[HIGH].value && is_list(b[HIGH].value) && op->args[SIZE].kind == NOMEN__SIZES &&
        !b[SIZE].value) {
        b[SIZE] = b[HIGH];
        b[HIGH].value = NULL;
    }
    if (b[LOW].value && !b[HIGH].value) {
        b[HIGH] = b[LOW];
        b[LOW].value = NULL;
    }
    if (op->args[SIZE].kind == NOMEN__SIZES && !b[SIZE].value) {
        PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional arguments: \"size\"",
                     p->name);
        return false;
    }
    return nomen__py_fill_all(p, b);
}

/* random_(), random_(to), random_(from, to), and random_(from, None): up to the largest. */
static bool adapt_random(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    py_bound b[PY_BOUND];
    if (nargs == 1 && !kwnames) return nomen__py_parse(p, args, nargs, NULL);
    if (!nomen__py_bind(p, p->c.op->args, p->c.op->nargs, args, nargs, kwnames, b)) return false;
    enum { FROM = 1, TO = 2 };
    for (int i = FROM; i <= TO; i++)
        if (given(&b[i]) && !PyIndex_Check(b[i].value))
            return nomen__py_wrong(p, p->c.op->args[i].name, &b[i], "int");
    if (given(&b[FROM]) && b[TO].value == Py_None) {
        p->c.numbers[TO] = (nomen_number){NOMEN_NUMBER_FLOAT, 0, (double)INFINITY, 0};
        p->c.arg[TO].number = &p->c.numbers[TO];
        p->c.given |= 1u << TO;
    }
    return nomen__py_fill_all(p, b);
}

/* train has no default: to leave it out would silently do nothing. */
static bool adapt_dropout(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    py_bound b[PY_BOUND];
    if (!nomen__py_bind(p, p->c.op->args, p->c.op->nargs, args, nargs, kwnames, b)) return false;
    if (b[2].value) return nomen__py_fill_all(p, b);
    PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional arguments: \"train\"",
                 p->name);
    return false;
}

/* arange(end), arange(start, end), arange(start, end, step). */
static bool adapt_arange(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    py_bound b[PY_BOUND];
    if (!nomen__py_bind(p, p->c.op->args, p->c.op->nargs, args, nargs, kwnames, b)) return false;
    enum { START = 1, END = 2 };
    if (b[START].value && !b[END].value) {
        b[END] = b[START];
        b[START].value = NULL;
    }
    if (!b[END].value) {
        PyErr_SetString(PyExc_TypeError,
                        "arange() missing 1 required positional arguments: \"end\"");
        return false;
    }
    return nomen__py_fill_all(p, b);
}

/* polygamma(n, input) beside input.polygamma(n). */
static bool adapt_polygamma(py_call *p, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames) {
    py_bound b[PY_BOUND];
    if (nargs == 2 && !kwnames && nomen__py_is_tensor(p->state, args[0]))
        return nomen__py_parse(p, args, nargs, NULL);
    if (!nomen__py_bind(p, p->c.op->args, p->c.op->nargs, args, nargs, kwnames, b)) return false;
    if (b[0].value && b[1].value && nomen__py_is_tensor(p->state, b[1].value) &&
        !nomen__py_is_tensor(p->state, b[0].value)) {
        PyObject *n = b[0].value;
        b[0].value = b[1].value;
        b[1].value = n;
    }
    return nomen__py_fill_all(p, b);
}

/* ---- einsum ---------------------------------------------------------------------------------- */

/* einsum(x, [0, 1], y, [1, 2], [0, 2]) as an equation and a list of tensors; a new reference. */
static PyObject *equation_of(PyObject *const *args, Py_ssize_t nargs) {
    PyObject *module = PyImport_ImportModule("nomen._together"), *pair = NULL;
    PyObject *all = module ? PyTuple_New(nargs) : NULL;
    for (Py_ssize_t i = 0; all && i < nargs; i++) PyTuple_SET_ITEM(all, i, Py_NewRef(args[i]));
    if (all) pair = PyObject_CallMethod(module, "_equation", "(O)", all);
    Py_XDECREF(all);
    Py_XDECREF(module);
    return pair;
}

/* einsum(equation, x, y), einsum(equation, [x, y]), and with lists of dims instead of letters. */
static bool adapt_einsum(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    if (nargs && nomen__py_is_tensor(p->state, args[0])) {
        PyObject *pair = equation_of(args, nargs);
        if (!pair) return false;
        p->held[p->held_count++] = pair;
        return nomen__py_parse(p, &PyTuple_GET_ITEM(pair, 0), 2, NULL);
    }
    if (kwnames || nargs < 2 || is_list(args[1])) return nomen__py_parse(p, args, nargs, kwnames);
    py_bound equation = {args[0], NULL, 0, 1}, operands = {NULL, args + 1, nargs - 1, 2};
    return nomen__py_fill(p, 0, &equation) && nomen__py_fill(p, 1, &operands);
}

nomen__py_adapter *nomen__py_adapter_of(const char *op, bool *lone) {
    static const struct {
        const char *op;
        nomen__py_adapter *adapter;
        bool lone; /* of a tensor alone the row itself says what is meant */
    } table[] = {
        {"arange", adapt_arange, false},        {"dropout", adapt_dropout, false},
        {"einsum", adapt_einsum, false},        {"tensor_split", adapt_sections, false},
        {"hsplit", adapt_sections, false},      {"vsplit", adapt_sections, false},
        {"dsplit", adapt_sections, false},      {"flatten", adapt_flatten, true},
        {"max", adapt_extremum, true},          {"min", adapt_extremum, true},
        {"nonzero", adapt_nonzero, false},      {"norm", adapt_norm, false},
        {"polygamma", adapt_polygamma, false},  {"randint", adapt_randint, false},
        {"randint_like", adapt_randint, false}, {"random", adapt_random, true},
        {"rename", adapt_rename, false},        {"scatter", adapt_scatter, false},
        {"split", adapt_split, false},          {"std", adapt_variance, true},
        {"std_mean", adapt_variance, true},     {"to", adapt_to, false},
        {"unflatten", adapt_unflatten, false},  {"var", adapt_variance, true},
        {"var_mean", adapt_variance, true},     {"view", adapt_view, false},
        {"where", adapt_where, false},
    };
    for (size_t i = 0; i < NOMEN_COUNT(table); i++)
        if (!strcmp(table[i].op, op)) {
            *lone = table[i].lone;
            return table[i].adapter;
        }
    *lone = true;
    return NULL;
}
