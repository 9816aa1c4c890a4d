/* Composite row: nuclear_norm, the sum of the singular values of matrices. Its gradient is the
 * matrix with all of them 1 (its polar factor): where one is asked for, the norm is the sum of the
 * products of both. */
#include "nomen/ops.gen.h"
#include "op/infer.h"
#include "op/op.h"
#include "op/rows.gen.h"

#include <float.h>

enum { SELF, DIM, KEEPDIM, DTYPE };

static nomen_status fail_dims(const nomen__call *c, int n, const int *at) {
    NOMEN__TEXT(list, 200);
    for (int i = 0; i < n; i++) nomen__text_add(&list, " %d", at ? at[i] : i);
    nomen_status s =
        nomen__fail(NOMEN_ERROR_SHAPE, "linalg.matrix_norm: dim must be a 2-tuple. Got%s", list.at);
    return nomen__given(c, DIM) ? s : nomen__hint(s, "say which dims are those of the matrices");
}

/* The two dims of the matrices. */
static nomen_status check_dims(const nomen__call *c, int *at, uint64_t *mask) {
    const nomen_tensor *t = c->in[SELF];
    if (!nomen__given(c, DIM)) {
        at[0] = 0;
        at[1] = 1;
        *mask = 3;
        return t->ndim == 2 ? NOMEN_OK : fail_dims(c, t->ndim, NULL);
    }
    nomen__dims dims = c->arg[DIM].dims;
    int positions[NOMEN_MAX_DIMS];
    for (int i = 0; i < dims.n && i < NOMEN_MAX_DIMS; i++) {
        nomen_status s = nomen__dim_position(nomen__names_of(t), &dims.at[i], &positions[i]);
        if (s) return s;
    }
    if (dims.n != 2)
        return fail_dims(c, dims.n < NOMEN_MAX_DIMS ? dims.n : NOMEN_MAX_DIMS, positions);
    at[0] = positions[0];
    at[1] = positions[1];
    *mask = (uint64_t)1 << at[0] | (uint64_t)1 << at[1];
    if (at[0] != at[1]) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "linalg.matrix_norm: dims must be different. Got (%d, %d)", at[0], at[1]);
}

static nomen_status check_dtypes(const nomen__call *c) {
    nomen_dtype own = (nomen_dtype)c->in[SELF]->dtype,
                d = nomen__given(c, DTYPE) ? c->arg[DTYPE].dtype : own;
    if (own < NOMEN_F16)
        return nomen__hint(nomen__fail(NOMEN_ERROR_DTYPE,
                                       "linalg.matrix_norm: Expected a floating point or complex "
                                       "tensor as input. Got %s",
                                       nomen_dtype_name(own)),
                           "convert it with to(dtype)");
    if (d < NOMEN_F16)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "linalg.matrix_norm: dtype should be floating point or complex, but got "
                           "%s",
                           nomen_dtype_name(d));
    return NOMEN_OK;
}

static nomen_dtype real_of(nomen_dtype d) {
    return d == NOMEN_C64 ? NOMEN_F32 : d == NOMEN_C128 ? NOMEN_F64 : d;
}

/* Batches of matrices, with not more rows than columns. */
static nomen_tensor *matrices(const nomen__call *c, const int *at) {
    nomen_tensor *t = nomen_rename(c->in[SELF]);
    nomen_dtype asked = nomen__given(c, DTYPE) ? c->arg[DTYPE].dtype : nomen_dtype_of(t);
    char from[NOMEN__DIM_TEXT];
    bool tall = t && t->size[at[0]] > t->size[at[1]];
    nomen__dims_text((int[]){at[tall], at[!tall]}, 2, from);
    if (asked != nomen_dtype_of(t)) t = nomen_cast(t, .dtype = asked);
    return nomen_movedim(t, from, "-2 -1");
}

/* In the dtype that the basis is found in: few rows take as long in a wide one. */
static nomen_tensor *widened(nomen_tensor *t) {
    enum { FEW = 16 };
    nomen_dtype d = nomen_dtype_of(t);
    const bool few = t && t->size[t->ndim - 2] < FEW;
    if (nomen_dtype_is_complex(d))
        d = few ? NOMEN_C128 : d;
    else if (d != NOMEN_F64)
        d = few ? NOMEN_F64 : NOMEN_F32;
    return nomen_contiguous(nomen_cast(t, .dtype = d));
}

/* The largest element of each matrix: squares of what is divided by it fit. */
static nomen_tensor *sizes_of(nomen_tensor *t) {
    nomen_tensor *size = nomen_amax(nomen_abs(t), .dim = "-2 -1", .keepdim = true);
    return nomen_add(size, nomen_eq(size, nomen_scalar(0)));
}

/* In the right basis rows are orthogonal, and only their lengths have to become 1. What is nothing
 * beside the longest, by the measure with which NumPy and PyTorch count ranks, becomes nothing: of
 * all slopes of a norm that has an edge there the smallest. */
static nomen_tensor *polar_factor(nomen_tensor *t) {
    t = nomen_div(t, sizes_of(t));
    if (!t) return NULL;
    const nomen_dtype d = nomen_dtype_of(t);
    const double epsilon = d == NOMEN_F64 || d == NOMEN_C128 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double part = epsilon * (double)t->size[t->ndim - 1];
    nomen_tensor *basis = nomen__scoped(nomen__apply(NOMEN__OP_ORTHOGONAL_BASIS, t, NULL));
    nomen_tensor *rows = nomen_matmul(basis, t);
    nomen_tensor *length = nomen_norm(rows, .dim = "-1", .keepdim = true);
    nomen_tensor *most = nomen_amax(length, .dim = "-2", .keepdim = true);
    nomen_tensor *none = nomen_le(length, nomen_mul(most, nomen_scalar(part)));
    rows = nomen_mul(rows, nomen_where(none, nomen_scalar(0), nomen_reciprocal(length)));
    return nomen_matmul(nomen_conj(nomen_movedim(basis, "-2", "-1")), rows);
}

static nomen_tensor *sum_of_values(nomen_tensor *t) {
    return nomen__scoped(nomen__apply(NOMEN__OP_SINGULAR_SUM, t, NULL));
}

/* The same in a way that has a gradient, and takes some times as long. */
static nomen_tensor *sum_with_gradient(nomen_tensor *t) {
    if (t && t->numel) {
        const bool recording = nomen__grad_enabled;
        nomen__grad_enabled = false;
        nomen_tensor *slope = nomen_conj(polar_factor(t));
        nomen__grad_enabled = recording;
        t = slope ? nomen__scoped(nomen__apply(NOMEN__OP_TIMES_SLOPE, t, slope)) : NULL;
    }
    nomen_tensor *r = nomen_sum(t, .dim = "-2 -1");
    return nomen_dtype_is_complex(nomen_dtype_of(r)) ? nomen_real(r) : r;
}

nomen_status nomen__compose_nuclear_norm(nomen__call *c) {
    nomen__namelist names;
    nomen_tensor *r = NULL;
    int at[2];
    uint64_t mask = 0;
    nomen_status s = check_dims(c, at, &mask);
    if (!s) s = check_dtypes(c);
    if (s) return s;
    bool keep = nomen__given(c, KEEPDIM) && c->arg[KEEPDIM].flag;
    nomen__names_reduce(nomen__names_of(c->in[SELF]), mask, keep, &names);
    nomen_scope() {
        nomen_tensor *t = matrices(c, at);
        r = t && !nomen__concerns_tape(t) ? sum_of_values(t) : sum_with_gradient(widened(t));
        int low = at[0] < at[1] ? at[0] : at[1], high = at[0] + at[1] - low;
        char dim[NOMEN__DIM_TEXT];
        if (keep) r = nomen_unsqueeze(r, nomen__one_dim(low, dim));
        if (keep) r = nomen_unsqueeze(r, nomen__one_dim(high, dim));
        nomen_dtype d = nomen__given(c, DTYPE) ? c->arg[DTYPE].dtype : nomen_dtype_of(c->in[SELF]);
        r = nomen_cast(r, .dtype = real_of(d));
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
}
