/* Views that change the dtype: parts of complex numbers, pairs of real ones. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

static bool is_complex(const nomen_tensor *t) {
    return nomen_dtype_is_complex((nomen_dtype)t->dtype);
}

/* A header on the storage of the call's operand, without sizes and strides. */
static nomen_tensor *header(nomen__call *c, int64_t bytes) {
    nomen_tensor *t = c->in[0], *v = nomen__tensor_new(c->result[0], c->ndim);
    if (!v) return NULL;
    nomen__storage_retain(t->storage);
    v->storage = t->storage;
    v->data = t->numel ? t->data + bytes : t->data;
    nomen__same_place(v, t);
    memcpy(v->size, c->size, sizeof *v->size * (size_t)c->ndim);
    c->is_view = true;
    c->out[0] = v;
    return v;
}

static void take_sizes(nomen__call *c) {
    c->ndim = c->in[0]->ndim;
    memcpy(c->size, c->in[0]->size, sizeof *c->size * (size_t)c->ndim);
}

static nomen_status part(nomen__call *c, bool imaginary) {
    nomen_tensor *t = c->in[0];
    int64_t item = (int64_t)nomen_dtype_size(c->result[0]);
    take_sizes(c);
    nomen_tensor *v = header(c, imaginary ? item : 0);
    if (!v) return NOMEN_ERROR_MEMORY;
    for (int d = 0; d < c->ndim; d++) v->stride[d] = t->stride[d] * (is_complex(t) ? 2 : 1);
    nomen__tensor_finish(v);
    return NOMEN_OK;
}

static nomen_status only_complex(const nomen__call *c) {
    if (is_complex(c->in[0])) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_DTYPE,
                       "%s is not implemented for tensors with non-complex dtypes.", c->op->name);
}

nomen_status nomen__shape_real(nomen__call *c) { return part(c, false); }

nomen_status nomen__shape_imag(nomen__call *c) {
    nomen_status s = only_complex(c);
    return s ? s : part(c, true);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

nomen_status nomen__names_pairs(nomen__call *c) {
    nomen__names own = nomen__names_of(c->in[0]);
    nomen_status s =
        is_complex(c->in[0])
            ? NOMEN_OK
            : nomen__fail(NOMEN_ERROR_DTYPE, "view_as_real is only supported for complex tensors");
    if (!s && own.n == NOMEN_MAX_DIMS)
        s = nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    return s || !c->named ? s : nomen__names_insert(own, own.n, 0, &c->names);
}

nomen_status nomen__shape_pairs(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    take_sizes(c);
    c->size[c->ndim++] = 2;
    nomen_tensor *v = header(c, 0);
    if (!v) return NOMEN_ERROR_MEMORY;
    for (int d = 0; d < t->ndim; d++) v->stride[d] = t->stride[d] * 2;
    v->stride[t->ndim] = 1;
    nomen__tensor_finish(v);
    return NOMEN_OK;
}

static nomen_status check_pairs(const nomen_tensor *t) {
    if (t->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "Input tensor must have one or more dimensions");
    int last = t->ndim - 1;
    if (t->size[last] != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "Tensor must have a last dimension of size 2");
    if (t->stride[last] != 1)
        return nomen__fail(NOMEN_ERROR_SHAPE, "Tensor must have a last dimension with stride 1");
    bool even = (uintptr_t)t->data % (2 * nomen_dtype_size((nomen_dtype)t->dtype)) == 0;
    for (int d = 0; d < last; d++)
        if (t->size[d] > 1 && t->stride[d] % 2 != 0)
            return nomen__fail(
                NOMEN_ERROR_SHAPE,
                "Tensor must have a stride divisible by 2 for all but last dimension");
    if (!even && t->numel)
        return nomen__fail(NOMEN_ERROR_SHAPE, "Tensor must have a storage_offset divisible by 2");
    return NOMEN_OK;
}

nomen_status nomen__names_unpaired(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen_status s = nomen__dtype_pairs(c); /* what a pair is of comes before how it lies */
    if (!s) s = check_pairs(t);
    if (s || !c->named) return s;
    nomen__names_reduce(nomen__names_of(t), UINT64_C(1) << (t->ndim - 1), false, &c->names);
    return NOMEN_OK;
}

nomen_status nomen__dtype_pairs(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    if (d != NOMEN_F32 && d != NOMEN_F64)
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "view_as_complex is only supported for half, float and double tensors, but got a "
            "tensor of scalar type: %s",
            nomen_dtype_name(d));
    c->compute = d;
    c->writes = c->result[0] = d == NOMEN_F32 ? NOMEN_C64 : NOMEN_C128;
    return NOMEN_OK;
}

nomen_status nomen__shape_unpaired(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    take_sizes(c);
    c->ndim--;
    nomen_tensor *v = header(c, 0);
    if (!v) return NOMEN_ERROR_MEMORY;
    for (int d = 0; d < c->ndim; d++) v->stride[d] = t->stride[d] / 2;
    nomen__tensor_finish(v);
    return NOMEN_OK;
}

/* ---- composites ------------------------------------------------------------------------------ */

nomen_status nomen__compose_as_it_is(nomen__call *c) {
    c->out[0] = nomen__retain(c->in[0]);
    return NOMEN_OK;
}

nomen_status nomen__compose_isreal(nomen__call *c) {
    nomen_tensor *t = c->in[0], *bare = NULL, *zero = NULL;
    if (is_complex(t)) {
        const nomen_number nothing = {NOMEN_NUMBER_INT, 0, 0, 0};
        bare = nomen__apply(NOMEN__OP_IMAG, t, NULL);
        zero = bare ? nomen__wrap_number(&nothing) : NULL;
        if (zero) c->out[0] = nomen__apply(NOMEN__OP_EQ, bare, zero);
        nomen__release(zero);
        nomen__release(bare);
        return c->out[0] ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    }
    nomen__call like;
    nomen__call_begin(&like, &nomen__ops[NOMEN__OP_ONES_LIKE]);
    like.arg[0].tensor = t;
    int dtype = nomen__arg_of(like.op, NOMEN__DTYPE);
    like.arg[dtype].dtype = NOMEN_BOOL;
    like.given = 1u | 1u << dtype;
    nomen_status s = nomen__invoke(&like);
    c->out[0] = like.out[0];
    return s;
}
