/* The callables made of the operation table: nomen.add, Tensor.add, Tensor.add_. Reading arguments
 * is in py_parse.c, their other spellings in py_overload.c. */
#include "py.h"

#include <structmember.h>

typedef struct py_callable {
    PyObject ob_base;
    vectorcallfunc vectorcall;
    py_state *state;
    const nomen__op *op;
    nomen__py_adapter *adapter;
    const char *name; /* "add", "add_" */
    PyObject *name_object;
    bool method, inplace;
    bool lone; /* its first argument, a tensor, is all that must be given */
} py_callable;

/* ---- running --------------------------------------------------------------------------------- */

void nomen__py_give_back(py_call *p) {
    for (int i = 0; i < p->wrapped_count; i++) nomen__release(p->wrapped[i]);
    for (int i = 0; i < p->blocks_count; i++) nomen__free(p->blocks[i].at, p->blocks[i].bytes);
    for (int i = 0; i < p->held_count; i++) Py_DECREF(p->held[i]);
    p->wrapped_count = p->blocks_count = p->held_count = 0;
}

/* Has this thread the interpreter, inside of such a call or outside of any (NULL)? */
static bool is_here(const py_away *a) { return !a || !a->state; }

/* Handlers run in the main thread only; to others nothing happens here. */
bool nomen__py_asked(void *payload) {
    py_away *away = payload;
    const bool here = is_here(away);
    if (!here) PyEval_RestoreThread(away->state);
    bool raised = !PyErr_Occurred() && PyErr_CheckSignals();
    if (!here) away->state = PyEval_SaveThread();
    return raised;
}

static void leave_now(void *payload) {
    py_away *away = payload;
    away->state = PyEval_SaveThread();
}

/* Views of large tensors and the like are done before others could have begun: the interpreter is
 * given away when work begins. A handler may call operations itself: what it finds is put back. */
void nomen__py_leave(py_away *a) {
    a->state = NULL;
    a->before = nomen__interrupt_swap(nomen__py_asked, leave_now, a);
}

void nomen__py_return(py_away *a) {
    if (a->state) PyEval_RestoreThread(a->state);
    const bool waits = a->before && is_here(a->before);
    nomen__interrupt_swap(nomen__py_asked, waits ? leave_now : NULL, a->before);
}

nomen_status nomen__py_invoke(py_call *p) {
    nomen_status status;
    if (NOMEN_UNLIKELY(p->large)) {
        py_away away;
        nomen__py_leave(&away);
        status = nomen__invoke(&p->c);
        nomen__py_return(&away);
    } else {
        status = nomen__invoke(&p->c);
    }
    nomen__py_give_back(p);
    if (NOMEN_UNLIKELY(status)) nomen__py_raise(p->state);
    return status;
}

static PyObject *list_of_results(py_call *p) {
    int64_t count = p->c.results_count;
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (int64_t i = 0; i < count; i++) {
        PyObject *item = tuple ? nomen__py_wrap(p->state, p->c.results[i]) : NULL;
        if (!item) {
            /* The wrap that failed gave its own reference back; without a tuple there was none. */
            for (int64_t k = tuple ? i + 1 : i; k < count; k++) nomen__release(p->c.results[k]);
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, item);
    }
    nomen__free(p->c.results, sizeof *p->c.results * (size_t)(count ? count : 1));
    return tuple;
}

/* Python's own functions look up in the type's dict that there are two, which takes a tenth of what
 * max of a small tensor does. From 3.14 on there is a field more, which they fill and ask for. */
#if PY_VERSION_HEX < 0x030E0000
static PyObject *new_pair(PyTypeObject *type) {
    return (PyObject *)PyObject_GC_NewVar(PyStructSequence, type, 2);
}

static void pair_dealloc(PyObject *pair) {
    PyTypeObject *type = Py_TYPE(pair);
    PyObject_GC_UnTrack(pair);
    Py_XDECREF(PyTuple_GET_ITEM(pair, 0));
    Py_XDECREF(PyTuple_GET_ITEM(pair, 1));
    PyObject_GC_Del(pair);
    Py_DECREF(type);
}
#define PAIR_DEALLOC(type) ((type)->tp_dealloc = pair_dealloc)
#else
static PyObject *new_pair(PyTypeObject *type) { return PyStructSequence_New(type); }
#define PAIR_DEALLOC(type) ((void)(type))
#endif

static PyObject *pair_of_results(py_call *p) {
    PyObject *first = nomen__py_wrap(p->state, p->c.out[0]);
    PyObject *second = nomen__py_wrap(p->state, p->c.out[1]), *pair = NULL;
    PyObject *type = PyTuple_GET_ITEM(p->state->pair_types, p->c.op->id);
    bool plain = !p->c.op->first;
    if (first && second && plain) pair = PyTuple_New(2);
    if (first && second && !plain) pair = new_pair((PyTypeObject *)type);
    if (!pair) {
        Py_XDECREF(first);
        Py_XDECREF(second);
        return NULL;
    }
    if (plain) {
        PyTuple_SET_ITEM(pair, 0, first);
        PyTuple_SET_ITEM(pair, 1, second);
        return pair;
    }
    PyStructSequence_SetItem(pair, 0, first);
    PyStructSequence_SetItem(pair, 1, second);
    return pair;
}

/* A list, a pair, a truth value, a tensor that is to have a gradient. */
static NOMEN_NOINLINE PyObject *other_results(py_call *p) {
    if (NOMEN_UNLIKELY(p->c.op->list)) {
        PyObject *all = list_of_results(p), *one = all;
        if (all && p->c.op->list == 2 && PyTuple_GET_SIZE(all) == 1) {
            one = Py_NewRef(PyTuple_GET_ITEM(all, 0));
            Py_DECREF(all);
        }
        return one;
    }
    if (NOMEN_UNLIKELY(p->c.op->truth)) {
        return PyBool_FromLong(nomen__truth(p->c.out[0]));
    }
    if (NOMEN_UNLIKELY(p->c.op->nout > 1 && p->c.out[1])) return pair_of_results(p);
    if (NOMEN_UNLIKELY(p->requires_grad) && !nomen__py_require_grad(p->state, p->c.out[0])) {
        nomen__release(p->c.out[0]);
        return NULL;
    }
    return nomen__py_wrap(p->state, p->c.out[0]);
}

PyObject *nomen__py_run(py_call *p) {
    if (NOMEN_UNLIKELY(p->large | p->wrapped_count | p->blocks_count | p->held_count)) {
        if (nomen__py_invoke(p)) return NULL;
    } else if (NOMEN_UNLIKELY(nomen__invoke(&p->c))) {
        return nomen__py_raise(p->state);
    }
    if (p->c.lent) return Py_NewRef((PyObject *)p->c.out[0]->python); /* whoever called has it */
    const nomen__op *op = p->c.op;
    if (NOMEN_UNLIKELY(op->list | op->truth | (op->nout > 1) | p->requires_grad))
        return other_results(p);
    return nomen__py_wrap(p->state, p->c.out[0]);
}

bool nomen__py_parse(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    if (NOMEN_LIKELY(nomen__py_plain(p, args, nargs, kwnames))) return true;
    py_bound bound[PY_BOUND];
    const nomen__op *op = p->c.op;
    return nomen__py_bind(p, op->args, op->nargs, args, nargs, kwnames, bound) &&
           nomen__py_fill_all(p, bound);
}

/* The short way of the library, for calls of nothing but one or two tensors, or a tensor and a
 * number; NULL: not this time. */
static PyObject *quick(const py_callable *f, PyObject *const *args) {
    py_state *s = f->state;
    const nomen__op *op = f->op;
    if (NOMEN_UNLIKELY(!Py_IS_TYPE(args[0], s->tensor))) return NULL;
    nomen_tensor *a = nomen__py_unwrap(args[0]), *b = NULL, *t;
    if (op->lead == 2) {
        nomen_number n;
        if (!Py_IS_TYPE(args[1], s->tensor)) {
            if (!nomen__py_plain_number(args[1], &n)) return NULL;
            if (f->inplace) return nomen__quick_number_into(op, a, &n) ? Py_NewRef(args[0]) : NULL;
            t = nomen__quick_number(op, a, &n, false);
            return t ? nomen__py_wrap(s, t) : NULL;
        }
        b = nomen__py_unwrap(args[1]);
    }
    if (f->inplace) return nomen__quick_into(op, a, b) ? Py_NewRef(args[0]) : NULL;
    t = nomen__quick(op, a, b);
    return NOMEN_LIKELY(t != NULL) ? nomen__py_wrap(s, t) : NULL;
}

/* The same of three operands; into: NULL, or whose tensor is written to. */
static PyObject *quick_three(const py_callable *f, PyObject *const *args, PyObject *into) {
    py_state *s = f->state;
    const nomen_tensor *operands[3] = {NULL, NULL, NULL};
    nomen_number numbers[3];
    for (int i = 0; i < 3; i++)
        if (Py_IS_TYPE(args[i], s->tensor))
            operands[i] = nomen__py_unwrap(args[i]);
        else if (!nomen__py_plain_number(args[i], &numbers[i]))
            return NULL;
    nomen_tensor *t =
        nomen__quick_three(f->op, operands, numbers, into ? nomen__py_unwrap(into) : NULL);
    if (!t) return NULL;
    return into ? Py_NewRef(into) : nomen__py_wrap(s, t);
}

/* What out= gives, behind `nargs` operands and with nothing else; NULL: something else is there. */
static PyObject *only_out(const py_callable *f, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames) {
    const py_state *s = f->state;
    bool only = PyTuple_GET_SIZE(kwnames) == 1 && PyTuple_GET_ITEM(kwnames, 0) == s->out_text &&
                f->op->forms & NOMEN__OUT && !f->inplace && Py_IS_TYPE(args[nargs], s->tensor);
    return only ? args[nargs] : NULL;
}

/* The short way with out= and nothing else; false: not this time. */
static bool quick_out(const py_callable *f, PyObject *const *args, PyObject *kwnames) {
    const nomen__op *op = f->op;
    if (!only_out(f, args, op->lead, kwnames)) return false;
    for (int i = 0; i < op->lead; i++)
        if (!Py_IS_TYPE(args[i], f->state->tensor)) return false;
    return nomen__quick_out(op, nomen__py_unwrap(args[0]),
                            op->lead == 2 ? nomen__py_unwrap(args[1]) : NULL,
                            nomen__py_unwrap(args[op->lead]));
}

/* Of a tensor and nothing else: there is nothing to parse. */
static PyObject *call_lone(const py_callable *f, PyObject *self, bool asked) {
    py_call p;
    nomen_tensor *const t = nomen__py_unwrap(self);
    nomen__py_begin(&p, f->state, f->op);
    p.name = f->name;
    p.method = f->method;
    p.large = t->numel > PY_LARGE;
    p.c.asked = asked;
    p.c.inplace = p.c.lent = f->inplace;
    p.c.arg[0].tensor = t;
    p.c.given = 1;
    return nomen__py_run(&p);
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    py_callable *f = (py_callable *)self;
    py_call p;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    bool short_way = f->op->quick && !kwnames && nargs == f->op->lead && nargs <= 2;
    if (short_way) {
        PyObject *result = quick(f, args);
        if (NOMEN_LIKELY(result) || NOMEN_UNLIKELY(PyErr_Occurred() != NULL)) return result;
    }
    if (f->lone && nargs == 1 && !kwnames && Py_IS_TYPE(args[0], f->state->tensor))
        return call_lone(f, args[0], short_way);
    if (f->op->three && nargs == 3) {
        PyObject *first = f->inplace && Py_IS_TYPE(args[0], f->state->tensor) ? args[0] : NULL;
        PyObject *into = kwnames ? only_out(f, args, nargs, kwnames) : first;
        PyObject *result = !into == !(kwnames || f->inplace) ? quick_three(f, args, into) : NULL;
        if (result || NOMEN_UNLIKELY(PyErr_Occurred() != NULL)) return result;
    }
    if (kwnames && f->op->quick && nargs == f->op->lead && quick_out(f, args, kwnames))
        return Py_NewRef(args[nargs]);
    nomen__py_begin(&p, f->state, f->op);
    p.c.asked = short_way;
    p.name = f->name;
    p.method = f->method;
    p.c.inplace = f->inplace;
    p.c.lent = f->inplace && nargs;
    if (f->method && NOMEN_UNLIKELY(!nargs || !nomen__py_is_tensor(f->state, args[0]))) {
        PyErr_Format(PyExc_TypeError,
                     "descriptor '%s' for 'nomen.Tensor' objects doesn't apply to a '%s' object",
                     f->name, nargs ? Py_TYPE(args[0])->tp_name : "missing");
        return NULL;
    }
    if (NOMEN_UNLIKELY(f->inplace && nargs && !nomen__py_is_tensor(f->state, args[0]))) {
        /* a number would become a tensor that nobody sees again */
        PyErr_Format(PyExc_TypeError, "%s(): argument 'input' (position 1) must be Tensor, not %s",
                     f->name, Py_TYPE(args[0])->tp_name);
        return NULL;
    }
    bool ready = NOMEN_UNLIKELY(f->adapter != NULL) ? f->adapter(&p, args, nargs, kwnames)
                                                    : nomen__py_parse(&p, args, nargs, kwnames);
    if (NOMEN_UNLIKELY(!ready)) {
        nomen__py_give_back(&p);
        return NULL;
    }
    return nomen__py_run(&p);
}

/* ---- the two types --------------------------------------------------------------------------- */

static PyObject *callable_repr(PyObject *self) {
    py_callable *f = (py_callable *)self;
    return f->method ? PyUnicode_FromFormat("<method '%s' of 'nomen.Tensor' objects>", f->name)
                     : PyUnicode_FromFormat("<built-in function %s>", f->name);
}

/* As one would write the call, and the text of the row. */
static PyObject *callable_doc(PyObject *self, void *closure) {
    (void)closure;
    py_callable *f = (py_callable *)self;
    const char *text = f->op->signature + 1;
    if (!f->method) return PyUnicode_FromFormat("%s(%s\n\n%s", f->name, text, f->op->doc);
    if (!strncmp(text, "self", 4)) text += text[4] == ',' ? 6 : 4;
    return PyUnicode_FromFormat("Tensor.%s(%s\n\n%s", f->name, text, f->op->doc);
}

/* "(self, other, *, alpha=None)" with the marks that inspect.signature wants. */
static PyObject *callable_signature(PyObject *self, void *closure) {
    (void)closure;
    py_callable *f = (py_callable *)self;
    const char *text = f->op->signature;
    bool self_first = !strncmp(text, "(self", 5);
    return PyUnicode_FromFormat("%s%s", f->method && self_first ? "($" : "(", text + 1);
}

static PyObject *callable_qualname(PyObject *self, void *closure) {
    (void)closure;
    py_callable *f = (py_callable *)self;
    return f->method ? PyUnicode_FromFormat("Tensor.%s", f->name) : Py_NewRef(f->name_object);
}

static PyObject *callable_module(PyObject *self, void *closure) {
    (void)self;
    (void)closure;
    return PyUnicode_FromString("nomen");
}

static PyObject *callable_objclass(PyObject *self, void *closure) {
    (void)closure;
    return Py_NewRef(((py_callable *)self)->state->tensor);
}

static PyObject *callable_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return callable_qualname(self, NULL);
}

static PyObject *method_get(PyObject *self, PyObject *object, PyObject *type) {
    (void)type;
    return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

/* Like functions built into Python, these do not bind. That they have __get__ tells inspect and
 * help that they are routines. */
static PyObject *function_get(PyObject *self, PyObject *object, PyObject *type) {
    (void)object;
    (void)type;
    return Py_NewRef(self);
}

static int callable_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void callable_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((py_callable *)self)->name_object);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef callable_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(py_callable, vectorcall), READONLY, NULL},
    {"__name__", T_OBJECT, offsetof(py_callable, name_object), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef callable_getset[] = {
    {"__doc__", callable_doc, NULL, NULL, NULL},
    {"__text_signature__", callable_signature, NULL, NULL, NULL},
    {"__qualname__", callable_qualname, NULL, NULL, NULL},
    {"__module__", callable_module, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef method_getset[] = {
    {"__doc__", callable_doc, NULL, NULL, NULL},
    {"__text_signature__", callable_signature, NULL, NULL, NULL},
    {"__qualname__", callable_qualname, NULL, NULL, NULL},
    {"__module__", callable_module, NULL, NULL, NULL},
    {"__objclass__", callable_objclass, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef function_methods[] = {
    {"__reduce__", callable_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot function_slots[] = {
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, function_get},
    {Py_tp_repr, callable_repr},
    {Py_tp_members, callable_members},
    {Py_tp_getset, callable_getset},
    {Py_tp_methods, function_methods},
    {Py_tp_traverse, callable_traverse},
    {Py_tp_dealloc, callable_dealloc},
    {0, NULL},
};

static PyType_Slot method_slots[] = {
    {Py_tp_call, PyVectorcall_Call},   {Py_tp_descr_get, method_get},
    {Py_tp_repr, callable_repr},       {Py_tp_members, callable_members},
    {Py_tp_getset, method_getset},     {Py_tp_traverse, callable_traverse},
    {Py_tp_dealloc, callable_dealloc}, {0, NULL},
};

enum {
    CALLABLE_FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                     Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE
};

static PyType_Spec function_spec = {
    .name = "nomen._C.function",
    .basicsize = sizeof(py_callable),
    .flags = CALLABLE_FLAGS,
    .slots = function_slots,
};

static PyType_Spec method_spec = {
    .name = "nomen._C.method",
    .basicsize = sizeof(py_callable),
    .flags = CALLABLE_FLAGS | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .slots = method_slots,
};

/* ---- from the table -------------------------------------------------------------------------- */

static int add_callable(py_state *s, PyObject *owner, const nomen__op *op, const char *called,
                        enum nomen__form form) {
    bool method = owner == (PyObject *)s->tensor, inplace = form == NOMEN__INPLACE;
    PyTypeObject *type = method ? s->method : s->function;
    bool suffix = inplace && called[strlen(called) - 1] != '_';
    PyObject *name = PyUnicode_FromFormat(suffix ? "%s_" : "%s", called);
    if (!name) return -1;
    py_callable *f = (py_callable *)type->tp_alloc(type, 0);
    if (!f) {
        Py_DECREF(name);
        return -1;
    }
    f->vectorcall = call;
    f->state = s;
    f->op = op;
    f->adapter = nomen__py_adapter_of(op->name, &f->lone);
    f->name_object = name;
    f->name = PyUnicode_AsUTF8(name);
    f->method = method;
    f->inplace = inplace;
    f->lone &= op->lead && op->required == 1;
    for (int i = 0; i < op->nargs; i++) f->lone &= !(op->args[i].flags & NOMEN__VARIADIC);
    int failed = f->name ? PyObject_SetAttr(owner, name, (PyObject *)f) : -1;
    Py_DECREF(f);
    return failed;
}

/* The forms that the row asks for, under its own or a second name. What works in place is a method
 * and a function. */
static int add_forms(PyObject *module, py_state *s, const nomen__op *op, const char *called) {
    for (int form = NOMEN__FUNCTION; form <= NOMEN__INPLACE; form *= 2) {
        PyObject *owner = form == NOMEN__FUNCTION ? module : (PyObject *)s->tensor;
        if ((op->forms & form) && add_callable(s, owner, op, called, (enum nomen__form)form))
            return -1;
    }
    if (op->forms & NOMEN__INPLACE) return add_callable(s, module, op, called, NOMEN__INPLACE);
    return 0;
}

/* nomen.return_types.max and its like. */
static int add_pair(py_state *s, PyObject *pairs, const nomen__op *op) {
    char name[96];
    PyStructSequence_Field fields[] = {{op->first, NULL}, {op->second, NULL}, {NULL, NULL}};
    snprintf(name, sizeof name, "nomen.return_types.%s", op->name);
    PyStructSequence_Desc desc = {name, NULL, fields, 2};
    PyTypeObject *type = PyStructSequence_NewType(&desc);
    if (!type) return -1;
    PAIR_DEALLOC(type);
    PyTuple_SET_ITEM(s->pair_types, op->id, (PyObject *)type);
    return PyDict_SetItemString(pairs, op->name, (PyObject *)type);
}

int nomen__py_add_callables(PyObject *module, py_state *s) {
    s->function = (PyTypeObject *)PyType_FromModuleAndSpec(module, &function_spec, NULL);
    s->method = (PyTypeObject *)PyType_FromModuleAndSpec(module, &method_spec, NULL);
    s->pair_types = PyTuple_New(nomen__op_count);
    if (!s->function || !s->method || !s->pair_types) return -1;
    PyObject *pairs = PyDict_New();
    if (!pairs || PyModule_AddObjectRef(module, "_return_types", pairs)) {
        Py_XDECREF(pairs);
        return -1;
    }
    Py_DECREF(pairs); /* the module has it */
    for (const nomen__op *op = nomen__ops; op->name; op++) {
        if (op->nargs > PY_BOUND) {
            PyErr_Format(PyExc_SystemError, "%s has too many arguments", op->name);
            return -1;
        }
        if (op->first && add_pair(s, pairs, op)) return -1;
        if (add_forms(module, s, op, op->name)) return -1;
    }
    for (int i = 0; i < nomen__alias_count; i++) {
        const nomen__alias *alias = &nomen__aliases[i];
        if (add_forms(module, s, &nomen__ops[alias->op], alias->name)) return -1;
    }
    return 0;
}
