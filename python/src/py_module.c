/* nomen._C: the module, its state, and the functions about threads, memory and printing. */
#include "py.h"
#include "py_docs.gen.h"

#include "nomen/io.h"
#include "nomen/memory.h"
#include "nomen/nomen.h"

#define TEXT(n)  #n
#define DIGIT(n) TEXT(n)
static const char version[] =
    DIGIT(NOMEN_VERSION_MAJOR) "." DIGIT(NOMEN_VERSION_MINOR) "." DIGIT(NOMEN_VERSION_PATCH);

static bool as_int(PyObject *value, int *result) {
    long n = PyLong_AsLong(value);
    if (n == -1 && PyErr_Occurred()) return false;
    *result = n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : (int)n;
    return true;
}

static PyObject *get_num_threads(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyLong_FromLong(nomen_get_num_threads());
}

static PyObject *get_blas(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(nomen_get_blas());
}

static PyObject *set_blas(PyObject *module, PyObject *value) {
    const char *which = PyUnicode_AsUTF8(value);
    if (!which) return NULL;
    if (nomen_set_blas(which)) return nomen__py_raise(PyModule_GetState(module));
    Py_RETURN_NONE;
}

static PyObject *set_strict_contraction(PyObject *module, PyObject *value) {
    (void)module;
    int yes = PyObject_IsTrue(value);
    return yes < 0 ? NULL : PyBool_FromLong(nomen_set_strict_contraction(yes));
}

static PyObject *is_strict_contraction(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyBool_FromLong(nomen_strict_contraction());
}

static PyObject *synchronize(PyObject *module, PyObject *args) {
    py_state *s = PyModule_GetState(module);
    PyObject *device = Py_None;
    int number = 0;
    if (!PyArg_ParseTuple(args, "|O:synchronize", &device) || !nomen__py_device(s, device, &number))
        return NULL;
    if (nomen_synchronize(nomen__device_name((unsigned)number))) return nomen__py_raise(s);
    Py_RETURN_NONE;
}

static PyObject *device_count(PyObject *module, PyObject *value) {
    const char *type = PyUnicode_AsUTF8(value);
    if (!type) return NULL;
    int count = nomen_device_count(type);
    return count < 0 ? nomen__py_raise(PyModule_GetState(module)) : PyLong_FromLong(count);
}

static PyObject *set_num_threads(PyObject *module, PyObject *value) {
    int n;
    if (!as_int(value, &n)) return NULL;
    if (nomen_set_num_threads(n)) return nomen__py_raise(PyModule_GetState(module));
    Py_RETURN_NONE;
}

static PyObject *memory_stats(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    nomen_memory_stats m = nomen_get_memory_stats();
    return Py_BuildValue("{sLsLsLsLsLsLsLsL}", "bytes_live", (long long)m.bytes_live, "bytes_peak",
                         (long long)m.bytes_peak, "bytes_cached", (long long)m.bytes_cached,
                         "buffers_live", (long long)m.buffers_live, "allocations",
                         (long long)m.allocations, "misses", (long long)m.misses, "tensors_live",
                         (long long)m.tensors_live, "metadata_live", (long long)m.metadata_live);
}

static PyObject *empty_cache(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    nomen_empty_cache();
    Py_RETURN_NONE;
}

static bool as_bytes(PyObject *value, size_t *bytes) {
    *bytes = PyLong_AsSize_t(value);
    return *bytes != SIZE_MAX || !PyErr_Occurred();
}

static PyObject *set_memory_limit(PyObject *module, PyObject *value) {
    (void)module;
    size_t bytes;
    if (!as_bytes(value, &bytes)) return NULL;
    nomen_set_memory_limit(bytes);
    Py_RETURN_NONE;
}

static PyObject *set_cache_limit(PyObject *module, PyObject *value) {
    (void)module;
    size_t bytes;
    if (!as_bytes(value, &bytes)) return NULL;
    nomen_set_cache_limit(bytes);
    Py_RETURN_NONE;
}

#ifdef NOMEN_FAULTS
static PyObject *fail_allocation(PyObject *module, PyObject *value) {
    (void)module;
    long long nth = PyLong_AsLongLong(value);
    if (nth == -1 && PyErr_Occurred()) return NULL;
    nomen__fail_allocation(nth);
    return PyLong_FromLongLong(nomen__allocation_count());
}
#endif

static bool option(PyObject *value, int *result) {
    return value == Py_None || as_int(value, result);
}

static bool profile(PyObject *name, nomen_print_options *o) {
    if (name == Py_None) return true;
    nomen_set_print_options(NULL);
    *o = nomen_get_print_options();
    if (!PyUnicode_Check(name)) return true;
    if (!PyUnicode_CompareWithASCIIString(name, "short")) {
        o->precision = 2;
        o->edgeitems = 2;
    } else if (!PyUnicode_CompareWithASCIIString(name, "full")) {
        o->threshold = INT64_MAX;
    }
    return true;
}

/* inf is every threshold's end. */
static bool threshold_of(PyObject *value, int64_t *threshold) {
    if (value == Py_None) return true;
    if (PyFloat_Check(value) && PyFloat_AS_DOUBLE(value) > 9e18) {
        *threshold = INT64_MAX;
        return true;
    }
    *threshold = PyLong_AsLongLong(value);
    return *threshold != -1 || !PyErr_Occurred();
}

static PyObject *set_printoptions(PyObject *module, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"precision", "threshold", "edgeitems", "linewidth",
                               "profile",   "sci_mode",  NULL};
    PyObject *precision = Py_None, *threshold = Py_None, *edgeitems = Py_None;
    PyObject *linewidth = Py_None, *name = Py_None, *sci = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOOO:set_printoptions", keywords, &precision,
                                     &threshold, &edgeitems, &linewidth, &name, &sci))
        return NULL;
    nomen_print_options o = nomen_get_print_options();
    if (!profile(name, &o) || !option(precision, &o.precision) ||
        !threshold_of(threshold, &o.threshold) || !option(edgeitems, &o.edgeitems) ||
        !option(linewidth, &o.linewidth))
        return NULL;
    o.sci_mode = sci == Py_None ? -1 : PyObject_IsTrue(sci);
    if (sci != Py_None && o.sci_mode < 0) return NULL;
    if (nomen_set_print_options(&o)) return nomen__py_raise(PyModule_GetState(module));
    Py_RETURN_NONE;
}

/* The call that asks has a reference of its own. */
static bool held_once(const void *python) { return Py_REFCNT((PyObject *)(uintptr_t)python) == 1; }

static PyObject *fuse_begin(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    nomen__fuse_enter();
    Py_RETURN_NONE;
}

static PyObject *fuse_end(PyObject *module, PyObject *early) {
    nomen_status status = NOMEN_OK;
    if (!nomen__fuse_left()) {
        py_away away;
        nomen__py_leave(&away);
        status = nomen__fuse_leave(early == Py_True);
        nomen__py_return(&away);
    }
    if (status) return nomen__py_raise(PyModule_GetState(module));
    Py_RETURN_NONE;
}

static PyObject *show_config(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromFormat("nomen %s, %d operations\ncompiler: %s\ninstruction set: %s\n"
                                "threads: %d\n",
                                version, nomen__op_count, __VERSION__,
                                nomen__isa_name(nomen__cpu_isa()), nomen_get_num_threads());
}

#define KEYWORDS(f) ((PyCFunction)(void (*)(void))(f))

static PyMethodDef functions[] = {
    {"get_num_threads", get_num_threads, METH_NOARGS, DOC_get_num_threads},
    {"get_blas", get_blas, METH_NOARGS, DOC_get_blas},
    {"set_blas", set_blas, METH_O, DOC_set_blas},
    {"set_strict_contraction", set_strict_contraction, METH_O, DOC_set_strict_contraction},
    {"is_strict_contraction", is_strict_contraction, METH_NOARGS, DOC_is_strict_contraction},
    {"synchronize", synchronize, METH_VARARGS, DOC_synchronize},
    {"device_count", device_count, METH_O, DOC_device_count},
    {"set_num_threads", set_num_threads, METH_O, DOC_set_num_threads},
    {"memory_stats", memory_stats, METH_NOARGS, DOC_memory_stats},
    {"empty_cache", empty_cache, METH_NOARGS, DOC_empty_cache},
    {"set_memory_limit", set_memory_limit, METH_O, DOC_set_memory_limit},
    {"set_cache_limit", set_cache_limit, METH_O, DOC_set_cache_limit},
    {"set_printoptions", KEYWORDS(set_printoptions), METH_VARARGS | METH_KEYWORDS,
     DOC_set_printoptions},
    {"_fuse_begin", fuse_begin, METH_NOARGS, "Pointwise operations put their values off."},
    {"_fuse_end", fuse_end, METH_O, "The outermost end computes them, unless it comes early."},
#ifdef NOMEN_FAULTS
    {"_fail_allocation", fail_allocation, METH_O,
     "The n-th allocation from now fails; -1: none. The number of allocations so far."},
#endif
    {"_show_config", show_config, METH_NOARGS, "How this build was made, as text."},
    {NULL, NULL, 0, NULL},
};

static void find_operations(py_state *s) {
    static const char *const names[] = {
#define X(name) #name,
#include "py_ops.def"
#undef X
    };
    for (int i = 0; i < PY_OP_COUNT; i++) s->op[i] = nomen__op_find(names[i]);
}

static int exec(PyObject *module) {
    py_state *s = PyModule_GetState(module);
    s->module = module; /* the types hold the module: it outlives every object that asks for it */
    find_operations(s);
    nomen__held_once = held_once;
    if (nomen_set_interrupt(nomen__py_asked, NULL)) {
        nomen__py_raise(s);
        return -1;
    }
    PyMethodDef *const lists[] = {functions,
                                  nomen__py_data_functions,
                                  nomen__py_grad_functions,
                                  nomen__py_random_functions,
                                  nomen__py_storage_functions,
                                  nomen__py_exchange_functions,
                                  nomen__py_dtype_functions};
    for (size_t i = 0; i < NOMEN_COUNT(lists); i++)
        if (PyModule_AddFunctions(module, lists[i])) return -1;
    if (nomen__py_add_errors(module, s) || nomen__py_add_dtypes(module, s) ||
        nomen__py_add_generator(module, s) || nomen__py_add_storage(module, s) ||
        nomen__py_add_grad(module, s) || nomen__py_add_tensor(module, s) ||
        nomen__py_add_callables(module, s))
        return -1;
    return PyModule_AddStringConstant(module, "__version__", version);
}

/* All references of the state, for traverse and clear alike. */
static int each(py_state *s, visitproc visit, void *arg) {
    PyTypeObject **types[] = {&s->tensor,   &s->dtype,  &s->device,    &s->size,
                              &s->function, &s->method, &s->generator, &s->node,
                              &s->handle,   &s->word,   &s->storage};
    for (size_t i = 0; i < NOMEN_COUNT(types); i++) {
        if (visit)
            Py_VISIT(*types[i]);
        else
            Py_CLEAR(*types[i]);
    }
    for (int i = 0; i < NOMEN_DTYPE_COUNT; i++) {
        if (visit)
            Py_VISIT(s->dtypes[i]);
        else
            Py_CLEAR(s->dtypes[i]);
    }
    for (int i = 0; i < PY_ERRORS; i++) {
        if (visit)
            Py_VISIT(s->errors[i]);
        else
            Py_CLEAR(s->errors[i]);
    }
    if (visit) {
        Py_VISIT(s->out_text);
        Py_VISIT(s->names);
        Py_VISIT(s->cpu);
        Py_VISIT(s->strided);
        Py_VISIT(s->no_device);
        Py_VISIT(s->pair_types);
        Py_VISIT(s->storages);
    } else {
        Py_CLEAR(s->out_text);
        Py_CLEAR(s->names);
        Py_CLEAR(s->cpu);
        Py_CLEAR(s->strided);
        Py_CLEAR(s->no_device);
        Py_CLEAR(s->pair_types);
        Py_CLEAR(s->storages);
    }
    return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
    return each(PyModule_GetState(module), visit, arg);
}

static int clear(PyObject *module) {
    py_state *s = PyModule_GetState(module);
    for (int i = 0; i < PY_KNOWN; i++) Py_CLEAR(s->known[i].text);
    for (int i = 0; i < PY_KEYWORDS; i++) Py_CLEAR(s->keywords[i].text);
    int result = each(s, NULL, NULL); /* without its type no Tensor that dies is kept */
    while (s->spare_count) PyObject_Free(s->spare[--s->spare_count]);
    return result;
}

static void free_module(void *module) { clear(module); }

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec},
    {0, NULL},
};

PyModuleDef nomen__py_module = {
    PyModuleDef_HEAD_INIT,      .m_name = "nomen._C",  .m_doc = "The compiled part of nomen.",
    .m_size = sizeof(py_state), .m_slots = slots,      .m_traverse = traverse,
    .m_clear = clear,           .m_free = free_module,
};

PyMODINIT_FUNC PyInit__C(void) { return PyModuleDef_Init(&nomen__py_module); }
