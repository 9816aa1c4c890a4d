/* What the files of the Python module share. One py_state per interpreter holds everything that
 * changes; there are no globals. */
#ifndef NOMEN_PYTHON_PY_H
#define NOMEN_PYTHON_PY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "op/op.h"

/* Operations that the module itself calls. */
enum {
#define X(name) PY_OP_##name,
#include "py_ops.def"
#undef X
    PY_OP_COUNT
};

enum { PY_ERRORS = 16 };

/* A str that is known as a name, by its address; holds a reference of it, so that nothing else
 * comes to lie there: names that are read from files or put together are not those that are in the
 * text of a program, whatever they say. */
typedef struct py_known {
    PyObject *text;
    nomen_name name;
} py_known;
/* Where a keyword, by its address, stands in a list of arguments; holds a reference of it. */
typedef struct py_keyword {
    PyObject *text;
    const nomen__argspec *specs;
    int place;
} py_keyword;
enum { PY_KNOWN = 64, PY_KEYWORDS = 256, PY_SPARE = 64 };

typedef struct py_state {
    PyObject *module;
    PyTypeObject *tensor, *dtype, *device, *size, *function, *method, *generator, *node, *handle,
        *word, *storage;
    PyObject *dtypes[NOMEN_DTYPE_COUNT];
    PyObject *errors[PY_ERRORS];      /* exception class of status -i */
    PyObject *cpu;                    /* the device that there is */
    PyObject *strided;                /* the layout that there is */
    PyObject *no_device;              /* nomen.DeviceError */
    PyObject *pair_types;             /* by id of the operation: the type of a pair of results */
    PyObject *names;                  /* by id of the name: its str */
    PyObject *out_text;               /* "out" */
    PyObject *storages;               /* by address: the UntypedStorage that is alive */
    const nomen__op *op[PY_OP_COUNT]; /* NULL: the table has no such row */
    py_known known[PY_KNOWN];
    py_keyword keywords[PY_KEYWORDS];
    void *spare[PY_SPARE]; /* memory of Tensors that died, for the next ones */
    int spare_count;
} py_state;

static inline py_known *nomen__py_known_slot(py_state *s, PyObject *text) {
    return &s->known[(uintptr_t)text / 16 % PY_KNOWN];
}

/* A Tensor holds one reference of its header, and header->python points back while it lives: the
 * same header is the same object. */
typedef struct py_tensor {
    PyObject ob_base;
    nomen_tensor *t;
    py_state *state;
    PyObject *weak;
} py_tensor;

extern PyModuleDef nomen__py_module;

/* ---- errors (py_error.c) --------------------------------------------------------------------- */

/* Turns the library's error of this thread into a Python exception; always NULL. A Python exception
 * that is set already stays. */
PyObject *nomen__py_raise(py_state *s) NOMEN_COLD;
int nomen__py_add_errors(PyObject *module, py_state *s);

/* ---- tensors (py_tensor.c) ------------------------------------------------------------------- */

/* Takes over the caller's reference; NULL raises the library's error. */
PyObject *nomen__py_wrap(py_state *s, nomen_tensor *t);
/* The state, if o is a Tensor, else NULL without an exception. */
py_state *nomen__py_state_of(PyObject *o);
int nomen__py_add_tensor(PyObject *module, py_state *s);
/* A nomen.Size. */
PyObject *nomen__py_size(py_state *s, const int64_t *size, int n);

static inline bool nomen__py_is_tensor(const py_state *s, PyObject *o) {
    if (Py_IS_TYPE(o, s->tensor)) return true;
    /* Tensor is a type of the heap, so what comes of it is one, too: most others are not. */
    return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) &&
           PyType_IsSubtype(Py_TYPE(o), s->tensor);
}
static inline nomen_tensor *nomen__py_unwrap(PyObject *o) { return ((py_tensor *)o)->t; }

/* An int of Python of one digit, as most are; false: ask in another way. */
static inline bool nomen__py_small_int(PyObject *o, int64_t *value) {
    if (!PyLong_CheckExact(o)) return false;
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)o)) return false;
    *value = PyUnstable_Long_CompactValue((PyLongObject *)o);
#else
    Py_ssize_t digits = Py_SIZE(o);
    if (digits < -1 || digits > 1) return false;
    *value = digits ? digits * (int64_t)((PyLongObject *)o)->ob_digit[0] : 0;
#endif
    return true;
}

/* Getters, setters and methods of Tensor that other files bring along. */
extern PyMethodDef nomen__py_data_methods[], nomen__py_grad_methods[];
extern PyGetSetDef nomen__py_grad_getset[];
extern PyMethodDef nomen__py_data_functions[], nomen__py_grad_functions[];

/* ---- operators and indices (py_number.c, py_index.c) ----------------------------------------- */

extern PyType_Slot nomen__py_number_slots[], nomen__py_index_slots[];
PyObject *nomen__py_richcompare(PyObject *a, PyObject *b, int op);

/* ---- data (py_data.c, py_buffer.c) ----------------------------------------------------------- */

/* The element at an address, as a Python number. */
PyObject *nomen__py_element(nomen_dtype dtype, const char *at);
PyObject *nomen__py_item(PyObject *self, PyObject *unused);
PyObject *nomen__py_tolist(PyObject *self, PyObject *unused);
int nomen__py_getbuffer(PyObject *self, Py_buffer *view, int flags);
void nomen__py_releasebuffer(PyObject *self, Py_buffer *view);
/* A tensor on the memory of an object with the buffer protocol; *writable says what it allows. */
nomen_tensor *nomen__py_from_buffer(py_state *s, PyObject *o);
/* The same as bytes in one dim, whatever they stand for. */
nomen_tensor *nomen__py_from_bytes(py_state *s, PyObject *o);
PyObject *nomen__py_frombuffer(PyObject *module, PyObject *args, PyObject *kwargs);
/* Sets names as Python gives them; None: none are given. false: raised. */
bool nomen__py_name(py_state *s, nomen_tensor *t, PyObject *names);

/* ---- exchange (py_storage.c, py_exchange.c) -------------------------------------------------- */

extern PyMethodDef nomen__py_storage_functions[], nomen__py_storage_methods[];
extern PyMethodDef nomen__py_exchange_functions[], nomen__py_exchange_methods[];
int nomen__py_add_storage(PyObject *module, py_state *s);

/* ---- dtypes, devices, words (py_dtype.c) ----------------------------------------------------- */

/* nomen.dtype objects and Python's bool, int, float, complex; NOMEN_DTYPE_NONE if it is neither. */
nomen_dtype nomen__py_dtype(const py_state *s, PyObject *o);
/* "contiguous_format" of nomen.contiguous_format; NULL: not such a word. */
const char *nomen__py_word(const py_state *s, PyObject *o);
int nomen__py_format(py_state *s, PyObject *o, uint8_t *order); /* 0: no word, -1: raised */
/* The number of a device that is there: of "cpu", nomen.device("mock", 1); None leaves it as it is.
 * Raises otherwise. */
bool nomen__py_device(py_state *s, PyObject *o, int *number);
PyObject *nomen__py_device_of(py_state *s, const nomen_tensor *t);
/* t, or what becomes of it on that device (-1: stay); consumes t. */
nomen_tensor *nomen__py_bring(py_state *s, nomen_tensor *t, int number);
/* pin_memory=: is it a wish that can be met, one for ordinary memory? Raises otherwise. */
bool nomen__py_unpinned(PyObject *o);
int nomen__py_add_dtypes(PyObject *module, py_state *s);

/* ---- random generators (py_random.c) --------------------------------------------------------- */

struct nomen_generator *nomen__py_generator(PyObject *o);
int nomen__py_add_generator(PyObject *module, py_state *s);
extern PyMethodDef nomen__py_random_functions[], nomen__py_dtype_functions[];

/* ---- autograd (py_grad.c) -------------------------------------------------------------------- */

/* Sets requires_grad of a fresh result; false: raised. */
bool nomen__py_require_grad(py_state *s, nomen_tensor *t);
/* "requires_grad=True", "grad_fn=<AddBackward0>" or "" into text. */
void nomen__py_grad_text(const nomen_tensor *t, char *text, size_t size);
int nomen__py_add_grad(PyObject *module, py_state *s);

/* ---- calls (py_parse.c, py_call.c) ----------------------------------------------------------- */

enum { PY_LIST_INLINE = 8, PY_BLOCKS = 4, PY_LARGE = 32768 };

/* A float, or an int of one digit. */
static inline bool nomen__py_plain_number(PyObject *o, nomen_number *n) {
    int64_t small = 0;
    bool real = PyFloat_CheckExact(o);
    if (!real && !nomen__py_small_int(o, &small)) return false;
    *n = (nomen_number){real ? NOMEN_NUMBER_FLOAT : NOMEN_NUMBER_INT, small,
                        real ? PyFloat_AS_DOUBLE(o) : 0, 0};
    return true;
}

/* A call being filled from Python's arguments, and what must be given back after it. */
typedef struct py_call {
    py_state *state;
    const char *name; /* in messages: "add", "add_" */
    /* from here to wrapped: zero at the start */
    bool method; /* positions in messages do not count self */
    bool large;  /* other threads may run meanwhile */
    bool requires_grad;
    uint8_t wrapped_count, blocks_count, held_count;
    uint16_t sizes_used;
    nomen_tensor *wrapped[NOMEN__MAX_ARGS];
    struct {
        void *at;
        size_t bytes;
    } blocks[PY_BLOCKS];
    PyObject *held[NOMEN__MAX_ARGS]; /* what lists held when they were given */
    nomen_tensor *list_inline[PY_LIST_INLINE];
    int64_t sizes_inline[NOMEN_MAX_DIMS];
    nomen__call c;
} py_call;

static inline void nomen__py_begin(py_call *p, py_state *s, const nomen__op *op) {
    p->state = s;
    p->name = op->name;
    const size_t from = offsetof(py_call, method), to = offsetof(py_call, wrapped);
    memset((char *)p + from, 0, to - from);
    nomen__call_begin(&p->c, op);
}
/* What Python gave for one argument: a value, or the rest of the positional ones spread out. */
typedef struct py_bound {
    PyObject *value;       /* NULL: not given */
    PyObject *const *rest; /* count items; then value is the first of them or NULL */
    Py_ssize_t count;
    Py_ssize_t position; /* from 1, 0: by keyword */
} py_bound;
enum { PY_BOUND = 10 };

/* Sorts a vectorcall's arguments by the names of specs; out= and what factories accept besides is
 * looked after here. false: an exception is set. */
bool nomen__py_bind(py_call *p, const nomen__argspec *specs, int n, PyObject *const *args,
                    Py_ssize_t nargs, PyObject *kwnames, py_bound *bound);
/* Puts a value into the argument i of the row; bound->value is not NULL unless it is spread. */
bool nomen__py_fill(py_call *p, int i, const py_bound *bound);
/* Those of the row that were bound; the others must be optional. */
bool nomen__py_fill_all(py_call *p, const py_bound *bound);
/* The place of a keyword in the list, -1: it has none, or an exception is set. */
int nomen__py_keyword(const py_call *p, const nomen__argspec *specs, int n, PyObject *keyword);
/* Both steps in one for arguments of the plain kinds (py_plain.c); false: something is unusual, and
 * nothing has happened. */
bool nomen__py_plain(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* Both steps, by the row's own argument list. */
bool nomen__py_parse(py_call *p, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* TypeError "add(): argument 'other' (position 1) must be Tensor, not str"; always false. */
bool nomen__py_wrong(const py_call *p, const char *argument, const py_bound *bound,
                     const char *wanted);
/* What is not a Tensor and not a number is refused without an exception: 0; -1: exception. */
int nomen__py_operand(py_call *p, int i, PyObject *value);
/* 1: a number; 0: none, no exception; -1: exception. Tensors are no numbers here. */
int nomen__py_number(PyObject *o, nomen_number *n);
bool nomen__py_name_known(py_state *s, PyObject *o, nomen_name name);
bool nomen__py_dimref(py_state *s, PyObject *o, nomen__dimref *ref);
/* Rows without operands say by numbers how much there is to do: arange, linspace, randperm. */
static inline void nomen__py_counts(py_call *p, double number) {
    p->large |= !p->c.op->lead && number > PY_LARGE;
}
/* Around what may take long: gives the interpreter away, as soon as there is work, and takes it
 * back. In between, the library asks nomen__py_asked whether to go on. */
typedef struct py_away {
    PyThreadState *state; /* NULL: it was not given away */
    void *before;
} py_away;
void nomen__py_leave(py_away *a);
void nomen__py_return(py_away *a);
/* For nomen_set_interrupt: has a signal arrived, whose handler raised an exception? */
bool nomen__py_asked(void *payload);
/* Runs it and gives back what parsing took; on failure an exception is set. */
nomen_status nomen__py_invoke(py_call *p);
void nomen__py_give_back(py_call *p);
/* Runs it and makes Python objects of the results. */
PyObject *nomen__py_run(py_call *p);
int nomen__py_add_callables(PyObject *module, py_state *s);

/* ---- forms that the table does not describe (py_overload.c) ---------------------------------- */

/* Fills the row's arguments from a vectorcall in its own way. */
typedef bool nomen__py_adapter(py_call *p, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames);
/* NULL: the row's own argument list says it all. *lone: it does so of a tensor alone. */
nomen__py_adapter *nomen__py_adapter_of(const char *op, bool *lone);

#endif
