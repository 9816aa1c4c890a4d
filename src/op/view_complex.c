/* Views of memory: parts of complex numbers, pairs of real ones, bytes as another dtype, any steps.
 */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

static bool is_complex(const nomen_tensor *t) {
    return nomen_dtype_is_complex((nomen_dtype)t->dtype);
}

/* The result, so many bytes behind where the operand begins, with the sizes of the call. */
static nomen_status show(nomen__call *c, int64_t bytes, const int64_t *stride) {
    c->is_view = true;
    c->out[0] = nomen__tensor_view(c->in[0], c->result[0], c->ndim, c->size, stride, bytes);
    return c->out[0] ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static void take_sizes(nomen__call *c) {
    c->ndim = c->in[0]->ndim;
    memcpy(c->size, c->in[0]->size, sizeof *c->size * (size_t)c->ndim);
}

static nomen_status part(nomen__call *c, bool imaginary) {
    nomen_tensor *t = c->in[0];
    int64_t item = nomen__item(c->result[0]), stride[NOMEN_MAX_DIMS];
    take_sizes(c);
    for (int d = 0; d < c->ndim; d++) stride[d] = t->stride[d] * (is_complex(t) ? 2 : 1);
    return show(c, imaginary && t->numel ? item : 0, stride);
}

static nomen_status only_complex(const nomen__call *c) {
    if (is_complex(c->in[0])) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_DTYPE,
                       "%s is not implemented for tensors with non-complex dtypes.", c->op->name);
}

/* A real tensor is its own real part. */
nomen_status nomen__shape_real(nomen__call *c) {
    if (is_complex(c->in[0])) return part(c, false);
    take_sizes(c);
    c->names.n = -1; /* it has them: others may be reading it */
    c->out[0] = nomen__retain(c->in[0]);
    return NOMEN_OK;
}

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
    return s || !c->named ? s : nomen__names_append(own, &c->names);
}

nomen_status nomen__shape_pairs(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    int64_t stride[NOMEN_MAX_DIMS];
    take_sizes(c);
    c->size[c->ndim++] = 2;
    for (int d = 0; d < t->ndim; d++) stride[d] = t->stride[d] * 2;
    stride[t->ndim] = 1;
    return show(c, 0, stride);
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
    int64_t stride[NOMEN_MAX_DIMS];
    take_sizes(c);
    c->ndim--;
    for (int d = 0; d < c->ndim; d++) stride[d] = t->stride[d] / 2;
    return show(c, 0, stride);
}

/* ---- bytes as another dtype ------------------------------------------------------------------ */

nomen_status nomen__dtype_view(nomen__call *c) {
    c->compute = (nomen_dtype)c->in[0]->dtype;
    c->writes = c->result[0] = c->arg[1].dtype;
    return NOMEN_OK;
}

typedef struct sides {
    int64_t from, to; /* bytes of an element */
    const char *from_name, *to_name;
} sides;

static nomen_status fail_sides(const sides *k, const char *what, const char *must, int64_t got) {
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "%s must be %s to view %s as %s (different element sizes), but got %lld",
                       what, must, k->from_name, k->to_name, (long long)got);
}

/* Elements become larger: whole ones must lie side by side, at places where there can be one. */
static nomen_status check_larger(const nomen_tensor *t, const sides *k) {
    int64_t ratio = k->to / k->from, offset = (t->data - t->storage->data) / k->from;
    int last = t->ndim - 1;
    NOMEN__TEXT(must, 40);
    nomen__text_add(&must, "divisible by %lld", (long long)ratio);
    if (t->size[last] % ratio) return fail_sides(k, "self.size(-1)", must.at, t->size[last]);
    if (t->numel && (offset % ratio || (uintptr_t)t->data % (size_t)k->to % (size_t)k->from))
        return fail_sides(k, "self.storage_offset()", must.at, offset);
    for (int d = 0; d < last; d++) {
        NOMEN__TEXT(what, 32);
        nomen__text_add(&what, "self.stride(%d)", d);
        if (t->size[d] > 1 && t->stride[d] % ratio)
            return fail_sides(k, what.at, must.at, t->stride[d]);
    }
    return NOMEN_OK;
}

nomen_status nomen__shape_view_dtype(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    sides k = {nomen__item(t->dtype), nomen__item((uint8_t)c->result[0]),
               nomen_dtype_name((nomen_dtype)t->dtype), nomen_dtype_name(c->result[0])};
    int last = t->ndim - 1;
    nomen_status s = NOMEN_OK;
    take_sizes(c);
    if (k.from != k.to) {
        if (last < 0)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "self.dim() cannot be 0 to view %s as %s (different element sizes)",
                               k.from_name, k.to_name);
        if (t->stride[last] != 1 && t->size[last] > 1)
            s = fail_sides(&k, "self.stride(-1)", "1", t->stride[last]);
        if (!s && k.to > k.from) s = check_larger(t, &k);
        if (s) return s;
        c->size[last] = c->size[last] * k.from / k.to;
    }
    int64_t stride[NOMEN_MAX_DIMS];
    for (int d = 0; d < c->ndim; d++) stride[d] = t->stride[d] * k.from / k.to;
    if (last >= 0 && k.from != k.to) stride[last] = 1;
    return show(c, 0, stride);
}

/* ---- any steps ------------------------------------------------------------------------------- */

static nomen_status fail_bounds(const nomen__call *c, int64_t offset, int64_t end, int64_t bytes) {
    int64_t item = nomen__item(c->in[0]->dtype), wanted;
    if (__builtin_add_overflow(offset, end, &wanted) ||
        __builtin_mul_overflow(wanted, item, &wanted))
        wanted = INT64_MAX;
    nomen_sizes size = c->arg[1].sizes, stride = c->arg[2].sizes;
    NOMEN__TEXT(sizes, 120);
    NOMEN__TEXT(steps, 120);
    nomen__text_sizes(&sizes, size.at, (int)size.count);
    nomen__text_sizes(&steps, stride.at, (int)stride.count);
    return nomen__fail(
        NOMEN_ERROR_SHAPE,
        "setStorage: sizes %s, strides %s, storage offset %lld, and itemsize %d "
        "requiring a storage size of %lld are out of bounds for storage of size %lld",
        sizes.at, steps.at, (long long)offset, (int)item, (long long)wanted, (long long)bytes);
}

/* Sizes and steps by themselves; *end: one more than the last element from the first. */
static nomen_status check_steps(const nomen__call *c, int64_t *end) {
    nomen_sizes size = c->arg[1].sizes, stride = c->arg[2].sizes;
    bool overflow = false, empty = false;
    int64_t reach = 0, step;
    if (size.count != stride.count)
        return nomen__fail(NOMEN_ERROR_SHAPE, "mismatch in length of strides and shape");
    if (size.count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "as_strided: more than %d dims", NOMEN_MAX_DIMS);
    for (int64_t d = 0; d < size.count; d++) {
        if (stride.at[d] < 0)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "as_strided: Negative strides are not supported at the moment, got "
                               "a stride of %lld",
                               (long long)stride.at[d]);
        if (size.at[d] < 0)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "as_strided: Trying to create tensor with negative dimension %lld",
                               (long long)size.at[d]);
        empty |= size.at[d] == 0;
        overflow |= __builtin_mul_overflow(size.at[d] - 1, stride.at[d], &step) ||
                    __builtin_add_overflow(reach, step, &reach);
    }
    if ((overflow || reach == INT64_MAX) && !empty)
        return nomen__fail(NOMEN_ERROR_SHAPE, "as_strided: Storage size calculation overflowed");
    *end = empty ? 0 : reach + 1;
    /* steps of 0 make more elements than there is memory */
    size_t item = (size_t)nomen__item(c->in[0]->dtype);
    return nomen__checked_numel(size.at, (int)size.count, item) < 0 ? NOMEN_ERROR_SHAPE : NOMEN_OK;
}

nomen_status nomen__shape_as_strided(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    int64_t item = nomen__item(t->dtype), own = t->data - t->storage->data, offset = own / item;
    int64_t bytes = (int64_t)t->storage->bytes, end = 0;
    if (nomen__given(c, 3)) {
        const nomen_number *n = c->arg[3].number;
        if (n->kind != NOMEN_NUMBER_INT)
            return nomen__fail(NOMEN_ERROR_TYPE, "as_strided: the storage_offset must be int");
        offset = n->i;
    }
    if (offset < 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "Tensor: invalid storage offset %lld",
                           (long long)offset);
    nomen_status s = check_steps(c, &end);
    if (s) return s;
    int64_t room = bytes / item;
    if (end && (offset >= room || end > room - offset)) return fail_bounds(c, offset, end, bytes);
    c->ndim = (int)c->arg[1].sizes.count;
    for (int d = 0; d < c->ndim; d++) c->size[d] = c->arg[1].sizes.at[d];
    int64_t stride[NOMEN_MAX_DIMS];
    for (int d = 0; d < c->ndim; d++) stride[d] = nomen__stride_kept(c->arg[2].sizes.at[d]);
    const int64_t begin = t->storage->data - t->data;
    return show(c, end ? begin + offset * item : begin, stride);
}

/* ---- composites ------------------------------------------------------------------------------ */

nomen_status nomen__compose_as_it_is(nomen__call *c) {
    c->out[0] = nomen__retain(c->in[0]);
    return NOMEN_OK;
}

nomen_status nomen__compose_conj(nomen__call *c) {
    if (!is_complex(c->in[0]) && !c->inplace && !c->out[0]) return nomen__compose_as_it_is(c);
    nomen__call step;
    nomen__call_begin(&step, &nomen__ops[NOMEN__OP_CONJUGATE]);
    step.inplace = c->inplace;
    step.arg[0].tensor = c->in[0];
    step.given = 1;
    step.out[0] = c->inplace ? NULL : c->out[0];
    nomen_status s = nomen__invoke(&step);
    c->out[0] = step.out[0];
    return s;
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
