/* Rows whose arguments decide which kernel runs: alpha, rounding_mode, bounds. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

nomen_tensor *nomen__wrap_number(const nomen_number *n) {
    static const nomen_dtype dtypes[] = {
        [NOMEN_NUMBER_BOOL] = NOMEN_BOOL,
        [NOMEN_NUMBER_INT] = NOMEN_I64,
        [NOMEN_NUMBER_FLOAT] = NOMEN_F64,
        [NOMEN_NUMBER_COMPLEX] = NOMEN_C128,
    };
    nomen_tensor *t = nomen__tensor_empty(dtypes[n->kind], 0, NULL);
    if (!t) return NULL;
    double parts[2] = {n->re, n->im};
    uint8_t truth = n->i != 0;
    switch (n->kind) {
    case NOMEN_NUMBER_BOOL: memcpy(t->data, &truth, 1); break;
    case NOMEN_NUMBER_INT: memcpy(t->data, &n->i, 8); break;
    case NOMEN_NUMBER_FLOAT: memcpy(t->data, parts, 8); break;
    default: memcpy(t->data, parts, 16); break;
    }
    t->flags |= NOMEN__WRAPPED;
    return t;
}

static bool is_one(const nomen_number *n) {
    return n->kind == NOMEN_NUMBER_FLOAT     ? n->re == 1
           : n->kind == NOMEN_NUMBER_COMPLEX ? n->re == 1 && n->im == 0
                                             : n->i == 1;
}

/* add, sub: with an alpha other than 1 a kernel of three operands. */
nomen_status nomen__choose_scaled(nomen__call *c) {
    bool subtract = c->op->id == NOMEN__OP_SUB;
    if (NOMEN_UNLIKELY(subtract && c->in[0]->dtype == NOMEN_BOOL && c->in[1]->dtype == NOMEN_BOOL))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use "
            "the `^` or `logical_xor()` operator instead.");
    if (NOMEN_LIKELY(!nomen__given(c, 2)) || is_one(c->arg[2].number)) return NOMEN_OK;
    const nomen_number *alpha = c->arg[2].number;
    nomen_dtype d = nomen__common_dtype(c->in, 2);
    if (alpha->kind == NOMEN_NUMBER_BOOL && d != NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE, "Boolean alpha only supported for Boolean results.");
    if (alpha->kind == NOMEN_NUMBER_FLOAT && !nomen_dtype_is_floating(d) &&
        !nomen_dtype_is_complex(d))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "For integral input tensors, argument alpha must not be a floating point number.");
    if (alpha->kind == NOMEN_NUMBER_COMPLEX && !nomen_dtype_is_complex(d))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "For non-complex input tensors, argument alpha must not be a complex number.");
    nomen_tensor *t = nomen__wrap_number(alpha);
    if (!t) return NOMEN_ERROR_MEMORY;
    nomen__take_temporary(c, t);
    c->in[c->nin++] = t;
    c->in_count = c->nin;
    c->kernel_name = subtract ? "sub_scaled" : "add_scaled";
    return NOMEN_OK;
}

static bool has_zero(const nomen_tensor *t) {
    nomen_tensor *any = nomen__apply(NOMEN__OP_ALL, (nomen_tensor *)(uintptr_t)t, NULL);
    if (!any) return false;
    bool zero = *any->data == 0;
    nomen__release(any);
    return zero;
}

nomen_status nomen__choose_rounding(nomen__call *c) {
    if (!nomen__given(c, 2)) return NOMEN_OK;
    const char *mode = c->arg[2].text;
    if (strcmp(mode, "floor") != 0 && strcmp(mode, "trunc") != 0)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%.40s'",
            mode);
    c->kernel_name = *mode == 'f' ? "div_floor" : "div_trunc";
    nomen_dtype d = nomen__common_dtype(c->in, 2);
    if (!nomen_dtype_is_floating(d) && !nomen_dtype_is_complex(d) && has_zero(c->in[1]))
        return nomen__fail(NOMEN_ERROR_STATE,
                           "ZeroDivisionError: integer division by a zero element of other");
    return NOMEN_OK;
}

nomen_status nomen__choose_bounds(nomen__call *c) {
    bool low = nomen__given(c, 1), high = nomen__given(c, 2);
    if (!low && !high)
        return nomen__fail(NOMEN_ERROR_STATE,
                           "clamp: At least one of 'min' or 'max' must not be None");
    if (!high) c->kernel_name = "maximum";
    if (!low) c->kernel_name = "minimum";
    return NOMEN_OK;
}

nomen_status nomen__choose_fill(nomen__call *c) {
    if (c->in[1]->ndim == 0) return NOMEN_OK;
    return nomen__fail(
        NOMEN_ERROR_SHAPE,
        "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
        c->in[1]->ndim);
}

nomen_status nomen__choose_layout(nomen__call *c) {
    if (!nomen__given(c, 1)) return NOMEN_OK;
    const char *format = c->arg[1].text;
    c->row_major = strcmp(format, "contiguous_format") == 0;
    if (c->row_major || strcmp(format, "preserve_format") == 0) return NOMEN_OK;
    return nomen__fail(
        NOMEN_ERROR_STATE,
        "memory_format must be 'contiguous_format' or 'preserve_format', not '%.40s'", format);
}

/* The kernels of sgn and conj are for complex numbers; real ones have simpler ones of the same
 * meaning. */
nomen_status nomen__choose_sgn(nomen__call *c) {
    if (!nomen_dtype_is_complex((nomen_dtype)c->in[0]->dtype)) c->kernel_name = "sign";
    return NOMEN_OK;
}

nomen_status nomen__choose_conj(nomen__call *c) {
    if (!nomen_dtype_is_complex((nomen_dtype)c->in[0]->dtype)) c->kernel_name = "copy";
    return NOMEN_OK;
}
