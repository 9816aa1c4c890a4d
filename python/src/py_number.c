/* Operators: + - * / // % ** @ and their kin, comparisons, bool(), int(), float(), complex(). */
#include "py.h"

/* The short ways of the library for tensors and numbers; NULL: not this time. */
static inline PyObject *quick(py_state *s, const nomen__op *op, PyObject *a, PyObject *b) {
    nomen_number n;
    nomen_tensor *t = NULL;
    if (NOMEN_LIKELY(Py_IS_TYPE(a, s->tensor) && Py_IS_TYPE(b, s->tensor)))
        t = nomen__quick(op, nomen__py_unwrap(a), nomen__py_unwrap(b));
    else if (Py_IS_TYPE(a, s->tensor) && nomen__py_plain_number(b, &n))
        t = nomen__quick_number(op, nomen__py_unwrap(a), &n, false);
    else if (Py_IS_TYPE(b, s->tensor) && nomen__py_plain_number(a, &n))
        t = nomen__quick_number(op, nomen__py_unwrap(b), &n, true);
    return NOMEN_LIKELY(t != NULL) ? nomen__py_wrap(s, t) : NULL;
}

static PyObject *quick_into(py_state *s, const nomen__op *op, PyObject *a, PyObject *b) {
    nomen_number n;
    bool done = false;
    if (!Py_IS_TYPE(a, s->tensor)) return NULL;
    if (Py_IS_TYPE(b, s->tensor))
        done = nomen__quick_into(op, nomen__py_unwrap(a), nomen__py_unwrap(b));
    else if (nomen__py_plain_number(b, &n))
        done = nomen__quick_number_into(op, nomen__py_unwrap(a), &n);
    return done ? Py_NewRef(a) : NULL;
}

/* An operand that is not a tensor and not a number leaves the operation to the other operand. */
static PyObject *binary(PyObject *a, PyObject *b, int index, bool inplace) {
    py_state *s = nomen__py_state_of(a);
    if (!s) s = nomen__py_state_of(b);
    if (NOMEN_UNLIKELY(!s)) Py_RETURN_NOTIMPLEMENTED;
    const nomen__op *op = s->op[index];
    if (NOMEN_UNLIKELY(!op)) Py_RETURN_NOTIMPLEMENTED;
    if (op->quick) {
        PyObject *result = inplace ? quick_into(s, op, a, b) : quick(s, op, a, b);
        if (NOMEN_LIKELY(result) || PyErr_Occurred()) return result;
    }
    py_call p;
    nomen__py_begin(&p, s, op);
    p.c.inplace = inplace;
    p.c.asked = true;
    int done = nomen__py_operand(&p, 0, a);
    if (NOMEN_LIKELY(done > 0)) done = nomen__py_operand(&p, 1, b);
    if (NOMEN_LIKELY(done > 0)) return nomen__py_run(&p);
    nomen__py_give_back(&p);
    if (done < 0) return NULL;
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *unary(PyObject *a, int index) {
    py_state *s = nomen__py_state_of(a);
    if (!s || !s->op[index]) Py_RETURN_NOTIMPLEMENTED;
    if (s->op[index]->quick) {
        nomen_tensor *t = nomen__quick(s->op[index], nomen__py_unwrap(a), NULL);
        if (NOMEN_LIKELY(t != NULL)) return nomen__py_wrap(s, t);
    }
    py_call p;
    nomen__py_begin(&p, s, s->op[index]);
    p.c.asked = true;
    return nomen__py_operand(&p, 0, a) > 0 ? nomen__py_run(&p) : NULL;
}

static PyObject *tensor_add(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_add, false); }
static PyObject *tensor_sub(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_sub, false); }
static PyObject *tensor_mul(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_mul, false); }
static PyObject *tensor_div(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_div, false); }
static PyObject *tensor_matmul(PyObject *a, PyObject *b) {
    return binary(a, b, PY_OP_matmul, false);
}
static PyObject *tensor_iadd(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_add, true); }
static PyObject *tensor_isub(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_sub, true); }
static PyObject *tensor_imul(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_mul, true); }
static PyObject *tensor_idiv(PyObject *a, PyObject *b) { return binary(a, b, PY_OP_div, true); }
static PyObject *tensor_neg(PyObject *a) { return unary(a, PY_OP_neg); }
static PyObject *tensor_abs(PyObject *a) { return unary(a, PY_OP_abs); }
static PyObject *tensor_pos(PyObject *a) { return Py_NewRef(a); }

#define FORM(name, row, inplace)                                                                   \
    static PyObject *tensor_##name(PyObject *a, PyObject *b) {                                     \
        return binary(a, b, PY_OP_##row, inplace);                                                 \
    }
#define OPERATOR(name, row) FORM(name, row, false) FORM(i##name, row, true)

OPERATOR(floordiv, floor_divide)
OPERATOR(mod, remainder)
OPERATOR(and, bitwise_and)
OPERATOR(or, bitwise_or)
OPERATOR(xor, bitwise_xor)
OPERATOR(lshift, bitwise_left_shift)
OPERATOR(rshift, bitwise_right_shift)

static PyObject *tensor_pow(PyObject *a, PyObject *b, PyObject *modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, PY_OP_pow, false);
}

static PyObject *tensor_ipow(PyObject *a, PyObject *b, PyObject *modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, PY_OP_pow, true);
}

static PyObject *tensor_invert(PyObject *a) {
    py_state *s = nomen__py_state_of(a);
    bool truth = s && nomen__py_unwrap(a)->dtype == NOMEN_BOOL;
    if (truth || (s && s->op[PY_OP_bitwise_not]))
        return unary(a, truth ? PY_OP_logical_not : PY_OP_bitwise_not);
    PyErr_SetString(PyExc_TypeError, "bad operand type for unary ~: not bool");
    return NULL;
}

PyObject *nomen__py_richcompare(PyObject *a, PyObject *b, int op) {
    static const int index[] = {[Py_LT] = PY_OP_lt, [Py_LE] = PY_OP_le, [Py_EQ] = PY_OP_eq,
                                [Py_NE] = PY_OP_ne, [Py_GT] = PY_OP_gt, [Py_GE] = PY_OP_ge};
    return binary(a, b, index[op], false);
}

/* ---- one element as a Python number ---------------------------------------------------------- */

static bool one(PyObject *self, nomen_number *n) {
    nomen_tensor *t = nomen__py_unwrap(self);
    if (t->numel != 1) {
        PyErr_SetString(PyExc_ValueError,
                        "only one element tensors can be converted to Python scalars");
        return false;
    }
    *n = nomen_item_number(t);
    return true;
}

static int tensor_bool(PyObject *self) {
    nomen_tensor *t = nomen__py_unwrap(self);
    if (t->numel != 1) {
        PyErr_Format(PyExc_RuntimeError, "Boolean value of Tensor with %s is ambiguous",
                     t->numel ? "more than one value" : "no values");
        return -1;
    }
    nomen_number n = nomen_item_number(t);
    return n.kind <= NOMEN_NUMBER_INT ? n.i != 0 : n.re != 0 || n.im != 0;
}

static bool no_complex(const nomen_number *n, const char *type) {
    if (n->kind != NOMEN_NUMBER_COMPLEX || n->im == 0) return true;
    PyErr_Format(PyExc_RuntimeError,
                 "value cannot be converted to type %s without overflow: it is complex", type);
    return false;
}

static PyObject *tensor_float(PyObject *self) {
    nomen_number n;
    if (!one(self, &n) || !no_complex(&n, "double")) return NULL;
    return PyFloat_FromDouble(n.kind <= NOMEN_NUMBER_INT ? (double)n.i : n.re);
}

static PyObject *tensor_int(PyObject *self) {
    nomen_number n;
    if (!one(self, &n) || !no_complex(&n, "int64_t")) return NULL;
    return n.kind <= NOMEN_NUMBER_INT ? PyLong_FromLongLong(n.i) : PyLong_FromDouble(n.re);
}

static PyObject *tensor_index(PyObject *self) {
    nomen_tensor *t = nomen__py_unwrap(self);
    if (t->numel != 1 || !(nomen_dtype_is_integral(t->dtype) || t->dtype == NOMEN_BOOL)) {
        PyErr_SetString(PyExc_TypeError,
                        "only integer tensors of a single element can be converted to an index");
        return NULL;
    }
    return PyLong_FromLongLong(nomen_item_number(t).i);
}

PyType_Slot nomen__py_number_slots[] = {
    {Py_nb_add, tensor_add},
    {Py_nb_subtract, tensor_sub},
    {Py_nb_multiply, tensor_mul},
    {Py_nb_true_divide, tensor_div},
    {Py_nb_floor_divide, tensor_floordiv},
    {Py_nb_remainder, tensor_mod},
    {Py_nb_power, tensor_pow},
    {Py_nb_matrix_multiply, tensor_matmul},
    {Py_nb_inplace_add, tensor_iadd},
    {Py_nb_inplace_subtract, tensor_isub},
    {Py_nb_inplace_multiply, tensor_imul},
    {Py_nb_inplace_true_divide, tensor_idiv},
    {Py_nb_inplace_floor_divide, tensor_ifloordiv},
    {Py_nb_inplace_power, tensor_ipow},
    {Py_nb_inplace_remainder, tensor_imod},
    {Py_nb_and, tensor_and},
    {Py_nb_inplace_and, tensor_iand},
    {Py_nb_or, tensor_or},
    {Py_nb_inplace_or, tensor_ior},
    {Py_nb_xor, tensor_xor},
    {Py_nb_inplace_xor, tensor_ixor},
    {Py_nb_lshift, tensor_lshift},
    {Py_nb_inplace_lshift, tensor_ilshift},
    {Py_nb_rshift, tensor_rshift},
    {Py_nb_inplace_rshift, tensor_irshift},
    {Py_nb_invert, tensor_invert},
    {Py_nb_negative, tensor_neg},
    {Py_nb_positive, tensor_pos},
    {Py_nb_absolute, tensor_abs},
    {Py_nb_bool, tensor_bool},
    {Py_nb_int, tensor_int},
    {Py_nb_float, tensor_float},
    {Py_nb_index, tensor_index},
    {Py_tp_richcompare, nomen__py_richcompare},
    {0, NULL},
};
