/* Gradients: what Tensor says of them, backward, grad, hooks. no_grad and its kin are in
 * python/nomen/autograd.py. */
#include "py.h"
#include "py_docs.gen.h"

#include "nomen/grad.h"

static py_state *state(PyObject *self) { return ((py_tensor *)self)->state; }

bool nomen__py_require_grad(py_state *s, nomen_tensor *t) {
    if (!nomen_set_requires_grad(t, true)) return true;
    if (nomen_dtype_is_floating(t->dtype) || nomen_dtype_is_complex(t->dtype)) {
        nomen__py_raise(s);
        return false;
    }
    nomen_clear_error();
    PyErr_Format(PyExc_RuntimeError,
                 "Only Tensors of floating point and complex dtype can require gradients, not %s",
                 nomen_dtype_name(t->dtype));
    return false;
}

void nomen__py_grad_text(const nomen_tensor *t, char *text, size_t size) {
    char name[64];
    text[0] = 0;
    if (nomen_grad_fn_name(t, name, sizeof name))
        snprintf(text, size, "grad_fn=<%s>", name);
    else if (nomen_requires_grad(t))
        snprintf(text, size, "requires_grad=True");
}

/* A library tensor that others own, as an object; None for NULL. */
static PyObject *borrowed(py_state *s, nomen_tensor *t) {
    return t ? nomen__py_wrap(s, nomen__retain(t)) : Py_NewRef(Py_None);
}

/* ---- properties ------------------------------------------------------------------------------ */

static PyObject *get_requires_grad(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(nomen_requires_grad(nomen__py_unwrap(self)));
}

static int set_requires_grad(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    int yes = value ? PyObject_IsTrue(value) : -1;
    if (!value) PyErr_SetString(PyExc_TypeError, "requires_grad cannot be deleted");
    if (yes < 0) return -1;
    if (!nomen_set_requires_grad(nomen__py_unwrap(self), yes)) return 0;
    nomen__py_raise(state(self));
    return -1;
}

static PyObject *get_grad(PyObject *self, void *closure) {
    (void)closure;
    return borrowed(state(self), nomen_gradient(nomen__py_unwrap(self)));
}

static int set_grad(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    nomen_tensor *t = nomen__py_unwrap(self), *g = NULL;
    if (value && value != Py_None) {
        if (!nomen__py_is_tensor(state(self), value)) {
            PyErr_Format(PyExc_TypeError,
                         "assigned grad expected to be a Tensor or None but got grad of type %s",
                         Py_TYPE(value)->tp_name);
            return -1;
        }
        g = nomen__py_unwrap(value);
    }
    if (!nomen_set_gradient(t, g)) return 0;
    nomen__py_raise(state(self));
    return -1;
}

static PyObject *get_output_nr(PyObject *self, void *closure) {
    (void)self, (void)closure;
    return PyLong_FromLong(0);
}

static PyObject *get_is_leaf(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(nomen_is_leaf(nomen__py_unwrap(self)));
}

static PyObject *get_retains_grad(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(nomen_retains_grad(nomen__py_unwrap(self)));
}

/* The result of a detach, which belongs to the scope of the thread, as one of Python's own. */
static PyObject *detached(PyObject *self) {
    nomen_scope_mark mark = nomen_scope_open();
    nomen_tensor *t = nomen__retain(nomen_detach(nomen__py_unwrap(self)));
    nomen_scope_close(&mark);
    return nomen__py_wrap(state(self), t);
}

static PyObject *get_data(PyObject *self, void *closure) {
    (void)closure;
    return detached(self);
}

static int set_data(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    if (!value || !nomen__py_is_tensor(state(self), value)) {
        PyErr_SetString(PyExc_TypeError, "data must be a Tensor");
        return -1;
    }
    if (!nomen__tensor_become(nomen__py_unwrap(self), nomen__py_unwrap(value))) return 0;
    nomen__py_raise(state(self));
    return -1;
}

/* ---- grad_fn --------------------------------------------------------------------------------- */

typedef struct py_node {
    PyObject ob_base;
    char name[64];
} py_node;

static PyObject *get_grad_fn(PyObject *self, void *closure) {
    (void)closure;
    char name[64];
    if (!nomen_grad_fn_name(nomen__py_unwrap(self), name, sizeof name)) Py_RETURN_NONE;
    py_node *node = PyObject_New(py_node, state(self)->node);
    if (node) memcpy(node->name, name, sizeof name);
    return (PyObject *)node;
}

static PyObject *node_name(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyUnicode_FromString(((py_node *)self)->name);
}

static PyObject *node_repr(PyObject *self) {
    return PyUnicode_FromFormat("<%s>", ((py_node *)self)->name);
}

static void node_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, DOC_autograd_Node_name},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_doc, DOC_autograd_Node},
    {Py_tp_repr, node_repr},
    {Py_tp_methods, node_methods},
    {Py_tp_dealloc, node_dealloc},
    {0, NULL},
};

static PyType_Spec node_spec = {
    .name = "nomen.autograd.Node",
    .basicsize = sizeof(py_node),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = node_slots,
};

/* ---- hooks ----------------------------------------------------------------------------------- */

typedef struct hook_payload {
    py_state *state;
    PyObject *function;
    PyObject *leaf; /* weak reference to the tensor; NULL: hooks that get the gradient */
} hook_payload;

typedef struct py_handle {
    PyObject ob_base;
    py_state *state;
    nomen_tensor *t; /* one reference; NULL once removed */
    uint64_t id;
} py_handle;

/* The last reference of a tensor may go while this thread does not hold Python's lock. */
static void free_payload(void *payload) {
    hook_payload *hook = payload;
    if (Py_IsInitialized()) {
        PyGILState_STATE lock = PyGILState_Ensure();
        Py_DECREF(hook->function);
        Py_XDECREF(hook->leaf);
        PyGILState_Release(lock);
    }
    nomen__free(hook, sizeof *hook);
}

/* Takes over the argument. The Python exception is what the user gets to see; the library's error
 * ends the backward. */
static PyObject *call_hook(hook_payload *hook, PyObject *argument) {
    PyObject *result = argument ? PyObject_CallOneArg(hook->function, argument) : NULL;
    Py_XDECREF(argument);
    if (!result) nomen__fail(NOMEN_ERROR_GRAD, "a hook raised an exception");
    return result;
}

/* The name of a hook, as errors of it begin. */
static PyObject *hook_name(const hook_payload *hook) {
    PyObject *name = PyObject_GetAttrString(hook->function, "__name__");
    if (name) return name;
    PyErr_Clear();
    return PyUnicode_FromString("<unknown>");
}

/* Sizes and dtype stay; the library checks it too, but does not know what the hook is called. */
static bool may_replace(const hook_payload *hook, const nomen_tensor *was,
                        const nomen_tensor *now) {
    bool sizes =
        was->ndim == now->ndim && memcmp(was->size, now->size, sizeof *was->size * was->ndim) == 0;
    if (sizes && was->dtype == now->dtype) return true;
    PyObject *name = hook_name(hook);
    if (name && !sizes)
        PyErr_Format(PyExc_RuntimeError, "hook '%U' has changed the size of value", name);
    else if (name)
        PyErr_Format(PyExc_RuntimeError, "hook '%U' has changed the type of value (was %s got %s)",
                     name, nomen_dtype_name(was->dtype), nomen_dtype_name(now->dtype));
    Py_XDECREF(name);
    nomen__fail(NOMEN_ERROR_GRAD, "a hook returned a tensor that does not fit");
    return false;
}

static nomen_status run_hook(void *payload, nomen_tensor *gradient, nomen_tensor **replacement) {
    hook_payload *hook = payload;
    PyObject *result = call_hook(hook, borrowed(hook->state, gradient));
    if (!result) return NOMEN_ERROR_GRAD;
    nomen_status status = NOMEN_OK;
    if (nomen__py_is_tensor(hook->state, result)) {
        if (may_replace(hook, gradient, nomen__py_unwrap(result))) {
            *replacement = nomen__scoped(nomen__retain(nomen__py_unwrap(result)));
            if (!*replacement) status = NOMEN_ERROR_MEMORY;
        } else {
            status = NOMEN_ERROR_GRAD;
        }
    } else if (result != Py_None) {
        PyErr_Format(PyExc_TypeError, "expected Variable, but hook returned '%s': None or a Tensor",
                     Py_TYPE(result)->tp_name);
        status = nomen__fail(NOMEN_ERROR_GRAD, "a hook returned no tensor");
    }
    Py_DECREF(result);
    return status;
}

/* These get the tensor whose grad is ready. An object that is gone has nobody who would ask. */
static nomen_status run_after(void *payload, nomen_tensor *gradient) {
    (void)gradient;
    hook_payload *hook = payload;
    PyObject *leaf = PyObject_CallNoArgs(hook->leaf);
    if (leaf == Py_None) {
        Py_DECREF(leaf);
        return NOMEN_OK;
    }
    PyObject *result = call_hook(hook, leaf);
    Py_XDECREF(result);
    return result ? NOMEN_OK : NOMEN_ERROR_GRAD;
}

static PyObject *register_either(PyObject *self, PyObject *function, bool after) {
    py_state *s = state(self);
    nomen_tensor *t = nomen__py_unwrap(self);
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "a hook must be callable, not %s",
                     Py_TYPE(function)->tp_name);
        return NULL;
    }
    if (!nomen_requires_grad(t)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "cannot register a hook on a tensor that doesn't require gradient");
        return NULL;
    }
    PyObject *leaf = after ? PyWeakref_NewRef(self, NULL) : NULL;
    if (after && !leaf) return NULL;
    hook_payload *hook = nomen__alloc(sizeof *hook);
    py_handle *handle = hook ? PyObject_New(py_handle, s->handle) : NULL;
    if (!handle) {
        if (!hook) nomen__py_raise(s);
        nomen__free(hook, sizeof *hook);
        Py_XDECREF(leaf);
        return NULL;
    }
    *hook = (hook_payload){s, Py_NewRef(function), leaf};
    handle->state = s;
    handle->t = nomen__retain(t);
    handle->id = after ? nomen_register_post_accumulate_grad_hook(t, run_after, hook, free_payload)
                       : nomen_register_hook(t, run_hook, hook, free_payload);
    if (handle->id) return (PyObject *)handle;
    Py_DECREF(handle);
    return nomen__py_raise(s);
}

static PyObject *register_hook(PyObject *self, PyObject *function) {
    return register_either(self, function, false);
}

static PyObject *register_after(PyObject *self, PyObject *function) {
    return register_either(self, function, true);
}

static PyObject *handle_remove(PyObject *self, PyObject *unused) {
    (void)unused;
    py_handle *handle = (py_handle *)self;
    nomen_tensor *t = handle->t;
    handle->t = NULL;
    if (t) nomen_remove_hook(t, handle->id);
    nomen__release(t);
    Py_RETURN_NONE;
}

static PyObject *handle_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *handle_exit(PyObject *self, PyObject *args) {
    (void)args;
    return handle_remove(self, NULL);
}

static void handle_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    nomen__release(((py_handle *)self)->t);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, DOC_autograd_RemovableHandle_remove},
    {"__enter__", handle_enter, METH_NOARGS, NULL},
    {"__exit__", handle_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_doc, DOC_autograd_RemovableHandle},
    {Py_tp_methods, handle_methods},
    {Py_tp_dealloc, handle_dealloc},
    {0, NULL},
};

static PyType_Spec handle_spec = {
    .name = "nomen.autograd.RemovableHandle",
    .basicsize = sizeof(py_handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = handle_slots,
};

/* ---- methods --------------------------------------------------------------------------------- */

static PyObject *requires_grad_(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"requires_grad", NULL};
    int yes = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:requires_grad_", keywords, &yes))
        return NULL;
    if (nomen_set_requires_grad(nomen__py_unwrap(self), yes)) return nomen__py_raise(state(self));
    return Py_NewRef(self);
}

static PyObject *detach(PyObject *self, PyObject *unused) {
    (void)unused;
    return detached(self);
}

static PyObject *detach_(PyObject *self, PyObject *unused) {
    (void)unused;
    if (nomen_detach_(nomen__py_unwrap(self))) return nomen__py_raise(state(self));
    return Py_NewRef(self);
}

static PyObject *retain_grad(PyObject *self, PyObject *unused) {
    (void)unused;
    if (nomen_retain_grad(nomen__py_unwrap(self))) return nomen__py_raise(state(self));
    Py_RETURN_NONE;
}

/* ---- lists of tensors ------------------------------------------------------------------------ */

typedef struct tensors {
    nomen_list list;
    nomen_tensor **at;
    PyObject *held; /* hooks may change the list that was given */
} tensors;

static void tensors_free(tensors *x) {
    nomen__free(x->at, sizeof *x->at * (size_t)(x->list.count + 1));
    Py_XDECREF(x->held);
    *x = (tensors){{0, NULL}, NULL, NULL};
}

/* A tensor, or a sequence of them; None in it where `holes`. */
static bool tensors_of(py_state *s, PyObject *o, const char *what, bool holes, tensors *x) {
    PyObject *const *items = &o;
    Py_ssize_t count = 1;
    *x = (tensors){{0, NULL}, NULL, NULL};
    if (o == Py_None) return true;
    if (PyTuple_Check(o) || PyList_Check(o)) {
        x->held = PySequence_Tuple(o);
        if (!x->held) return false;
        items = &PyTuple_GET_ITEM(x->held, 0);
        count = PyTuple_GET_SIZE(x->held);
    }
    x->at = nomen__alloc(sizeof *x->at * (size_t)(count + 1));
    if (!x->at) {
        nomen__py_raise(s);
        tensors_free(x);
        return false;
    }
    x->list = (nomen_list){count, x->at};
    for (Py_ssize_t i = 0; i < count; i++) {
        bool is = nomen__py_is_tensor(s, items[i]);
        x->at[i] = is ? nomen__py_unwrap(items[i]) : NULL;
        if (is || (holes && items[i] == Py_None)) continue;
        PyErr_Format(PyExc_TypeError, "%s must be a Tensor or a tuple of Tensors, but holds %s",
                     what, Py_TYPE(items[i])->tp_name);
        tensors_free(x);
        return false;
    }
    return true;
}

static PyObject *backward(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"gradient", "retain_graph", "create_graph", "inputs", NULL};
    py_state *s = state(self);
    PyObject *gradient = Py_None, *retain = Py_None, *inputs = Py_None;
    int create = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOpO:backward", keywords, &gradient, &retain,
                                     &create, &inputs))
        return NULL;
    if (gradient != Py_None && !nomen__py_is_tensor(s, gradient)) {
        PyErr_Format(PyExc_TypeError, "gradients can be either Tensors or None, but got %s",
                     Py_TYPE(gradient)->tp_name);
        return NULL;
    }
    int keep = retain == Py_None ? create : PyObject_IsTrue(retain);
    tensors into;
    if (keep < 0 || !tensors_of(s, inputs, "inputs", false, &into)) return NULL;
    if (inputs != Py_None && !into.list.count) {
        tensors_free(&into);
        PyErr_SetString(PyExc_RuntimeError, "'inputs' argument to backward() cannot be empty.");
        return NULL;
    }
    struct nomen_backward_args a = {
        .loss = nomen__py_unwrap(self),
        .gradient = gradient == Py_None ? NULL : nomen__py_unwrap(gradient),
        .inputs = into.list,
        .retain_graph = keep,
        .create_graph = create,
    };
    nomen_status status = nomen_backward_call(&a);
    tensors_free(&into);
    if (status) return nomen__py_raise(s);
    Py_RETURN_NONE;
}

static PyObject *tuple_of(py_state *s, nomen_list list) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)list.count);
    for (int64_t i = 0; tuple && i < list.count; i++) {
        PyObject *item = borrowed(s, list.at[i]);
        if (!item) Py_CLEAR(tuple);
        if (tuple) PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, item);
    }
    return tuple;
}

static PyObject *grad(PyObject *module, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"outputs",      "inputs",      "grad_outputs", "retain_graph",
                               "create_graph", "only_inputs", "allow_unused", NULL};
    py_state *s = PyModule_GetState(module);
    PyObject *outputs, *inputs, *grads = Py_None, *retain = Py_None;
    int create = 0, only = 1, unused = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OOppp:grad", keywords, &outputs, &inputs,
                                     &grads, &retain, &create, &only, &unused))
        return NULL;
    int keep = retain == Py_None ? create : PyObject_IsTrue(retain);
    if (keep < 0) return NULL;
    tensors out = {{0, NULL}, NULL, NULL}, in = out, g = out;
    PyObject *result = NULL;
    if (tensors_of(s, outputs, "outputs", false, &out) &&
        tensors_of(s, inputs, "inputs", false, &in) &&
        tensors_of(s, grads, "grad_outputs", true, &g)) {
        struct nomen_grad_args a = {
            .outputs = out.list,
            .inputs = in.list,
            .grad_outputs = g.list,
            .retain_graph = keep,
            .create_graph = create,
            .allow_unused = unused,
        };
        nomen_scope_mark mark = nomen_scope_open();
        nomen_list list = nomen_grad_call(&a);
        result = list.count == in.list.count && list.count ? tuple_of(s, list) : nomen__py_raise(s);
        nomen_scope_close(&mark);
    }
    tensors_free(&out);
    tensors_free(&in);
    tensors_free(&g);
    return result;
}

static PyObject *is_grad_enabled(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyBool_FromLong(nomen_grad_enabled());
}

static PyObject *set_grad_mode(PyObject *module, PyObject *value) {
    (void)module;
    int yes = PyObject_IsTrue(value);
    return yes < 0 ? NULL : PyBool_FromLong(nomen_set_grad_enabled(yes));
}

#define KEYWORDS(f) ((PyCFunction)(void (*)(void))(f))

PyMethodDef nomen__py_grad_functions[] = {
    {"grad", KEYWORDS(grad), METH_VARARGS | METH_KEYWORDS, DOC_grad},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, DOC_is_grad_enabled},
    {"_set_grad_enabled", set_grad_mode, METH_O, "Returns what it was."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef nomen__py_grad_methods[] = {
    {"requires_grad_", KEYWORDS(requires_grad_), METH_VARARGS | METH_KEYWORDS,
     DOC_Tensor_requires_grad_},
    {"detach", detach, METH_NOARGS, DOC_Tensor_detach},
    {"detach_", detach_, METH_NOARGS, DOC_Tensor_detach_},
    {"retain_grad", retain_grad, METH_NOARGS, DOC_Tensor_retain_grad},
    {"backward", KEYWORDS(backward), METH_VARARGS | METH_KEYWORDS, DOC_Tensor_backward},
    {"register_hook", register_hook, METH_O, DOC_Tensor_register_hook},
    {"register_post_accumulate_grad_hook", register_after, METH_O,
     DOC_Tensor_register_post_accumulate_grad_hook},
    {NULL, NULL, 0, NULL},
};

PyGetSetDef nomen__py_grad_getset[] = {
    {"requires_grad", get_requires_grad, set_requires_grad, DOC_Tensor_requires_grad, NULL},
    {"grad", get_grad, set_grad, DOC_Tensor_grad, NULL},
    {"grad_fn", get_grad_fn, NULL, DOC_Tensor_grad_fn, NULL},
    {"output_nr", get_output_nr, NULL, DOC_Tensor_output_nr, NULL},
    {"is_leaf", get_is_leaf, NULL, DOC_Tensor_is_leaf, NULL},
    {"retains_grad", get_retains_grad, NULL, DOC_Tensor_retains_grad, NULL},
    {"data", get_data, set_data, DOC_Tensor_data, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int nomen__py_add_grad(PyObject *module, py_state *s) {
    s->node = (PyTypeObject *)PyType_FromModuleAndSpec(module, &node_spec, NULL);
    s->handle = (PyTypeObject *)PyType_FromModuleAndSpec(module, &handle_spec, NULL);
    if (!s->node || !s->handle || PyModule_AddObjectRef(module, "_Node", (PyObject *)s->node))
        return -1;
    return PyModule_AddObjectRef(module, "_RemovableHandle", (PyObject *)s->handle);
}
