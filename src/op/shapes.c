/* Words of the table: shape rules. Each sets c->ndim and c->size. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <float.h>
#include <string.h>

static void take_shape(nomen__call *c, const nomen_tensor *t) {
    c->ndim = t->ndim;
    for (int i = 0; i < t->ndim; i++) c->size[i] = t->size[i];
}

bool nomen__broadcast(int *ndim, int64_t *size, int ndim2, const int64_t *size2) {
    int n = *ndim, shift = ndim2 - n;
    if (shift > 0) {
        memmove(size + shift, size, sizeof *size * (size_t)n);
        for (int i = 0; i < shift; i++) size[i] = size2[i];
        *ndim = n = ndim2;
    }
    for (int i = 1; i <= ndim2 && i <= n; i++) {
        int64_t *a = &size[n - i], b = size2[ndim2 - i];
        if (*a == b) continue;
        if (*a == 1)
            *a = b;
        else if (b != 1)
            return false;
    }
    return true;
}

/* Where two shapes part, as PyTorch words it. */
static nomen_status broadcast_error(const nomen__call *c, int operand) {
    const nomen_tensor *t = c->in[operand];
    int ndim = c->ndim > t->ndim ? c->ndim : t->ndim, bad = 0;
    int64_t a = 0, b = 0;
    for (int i = 1; i <= c->ndim && i <= t->ndim; i++) {
        a = c->size[c->ndim - i];
        b = t->size[t->ndim - i];
        if (a != b && a != 1 && b != 1) {
            bad = ndim - i;
            break;
        }
    }
    return nomen__hint(
        nomen__fail(NOMEN_ERROR_SHAPE,
                    "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                    "non-singleton dimension %d",
                    (long long)a, (long long)b, bad),
        "sizes are matched from the right and must be equal or 1; unsqueeze or align_as adds dims "
        "of size 1");
}

nomen_status nomen__shape_broadcast(nomen__call *c) {
    take_shape(c, c->in[0]);
    c->like = c->in[0]->flags & NOMEN__CONTIGUOUS ? c->in[0] : NULL;
    for (int i = 1; i < c->nin; i++) {
        const nomen_tensor *t = c->in[i];
        if (t->ndim == 0 || nomen__has_sizes(t, c->ndim, c->size)) continue;
        c->like = NULL;
        int ndim = c->ndim;
        int64_t before[NOMEN_MAX_DIMS];
        memcpy(before, c->size, sizeof *before * (size_t)ndim);
        if (!nomen__broadcast(&c->ndim, c->size, t->ndim, t->size)) {
            c->ndim = ndim;
            memcpy(c->size, before, sizeof *before * (size_t)ndim);
            return broadcast_error(c, i);
        }
    }
    return NOMEN_OK;
}

nomen_status nomen__shape_same(nomen__call *c) {
    take_shape(c, c->in[0]);
    c->like = c->in[0]->flags & NOMEN__CONTIGUOUS ? c->in[0] : NULL;
    return NOMEN_OK;
}

/* A tensor like another has its layout, too. */
nomen_status nomen__shape_like(nomen__call *c) {
    c->layout = c->in[0];
    return nomen__shape_same(c);
}

static nomen_status nothing_to_reduce(const nomen__call *c) {
    bool position = c->op->launch == nomen__launch_positions;
    if (c->in[0]->numel == 0 && c->dims_count < 0 && c->op->id == NOMEN__OP_AMINMAX)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "aminmax(): cannot compute aminmax over an empty dimension as the "
                           "operation has no identity.");
    if (c->in[0]->numel == 0 && c->dims_count < 0)
        return nomen__fail(position ? NOMEN_ERROR_INDEX : NOMEN_ERROR_SHAPE,
                           "%s(): Expected reduction dim to be specified for input.numel() == 0.%s",
                           c->op->name,
                           position ? "" : " Specify the reduction dim with the 'dim' argument.");
    for (int i = 0; i < c->in[0]->ndim; i++)
        if ((c->mask >> i & 1) && c->in[0]->size[i] == 0)
            return nomen__fail(NOMEN_ERROR_INDEX,
                               "%s%s: Expected reduction dim %d to have non-zero size.",
                               c->op->name, c->op->id == NOMEN__OP_AMINMAX ? "" : "()", i);
    return NOMEN_OK;
}

nomen_status nomen__shape_reduce(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    int keepdim = nomen__arg_of(c->op, NOMEN__FLAG);
    bool keep = keepdim >= 0 && nomen__given(c, keepdim) && c->arg[keepdim].flag;
    c->ndim = 0;
    for (int i = 0; i < t->ndim; i++) {
        if (!(c->mask >> i & 1))
            c->size[c->ndim++] = t->size[i];
        else if (keep)
            c->size[c->ndim++] = 1;
    }
    const nomen__reducer *reducer = c->kernel->reducer; /* NULL: an order statistic */
    return reducer && reducer->nonempty ? nothing_to_reduce(c) : NOMEN_OK;
}

/* Norms of nothing are 0, but for those that a smaller number can make larger. */
nomen_status nomen__shape_norm(nomen__call *c) {
    const nomen_number *n = nomen__given(c, 1) ? c->arg[1].number : NULL;
    double p = !n ? 2 : nomen__real_of(n);
    bool nothing = false;
    for (int i = 0; i < c->in[0]->ndim; i++)
        nothing |= (c->mask >> i & 1) && c->in[0]->size[i] == 0;
    if (nothing && (p < 0 || p > DBL_MAX))
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "linalg.vector_norm cannot compute the %g norm on an empty tensor "
                           "because the operation does not have an identity",
                           p);
    return nomen__shape_reduce(c);
}

nomen_status nomen__fail_expanded(const nomen_tensor *t, int dim, int64_t wanted, int ndim,
                                  const int64_t *size) {
    NOMEN__TEXT(own, 200);
    NOMEN__TEXT(target, 200);
    nomen__text_sizes(&own, t->size, t->ndim);
    nomen__text_sizes(&target, size, ndim);
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "The expanded size of the tensor (%lld) must match the existing size (%lld) "
                       "at non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
                       (long long)wanted, (long long)t->size[dim - ndim + t->ndim], dim, target.at,
                       own.at);
}

nomen_status nomen__expands(const nomen_tensor *t, int ndim, const int64_t *size) {
    int shift = ndim - t->ndim;
    if (shift < 0) {
        NOMEN__TEXT(own, 200);
        NOMEN__TEXT(target, 200);
        nomen__text_sizes(&own, t->size, t->ndim);
        nomen__text_sizes(&target, size, ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "expand(%s{%s}, size=%s): the number of sizes provided (%d) must be "
                           "greater or equal to the number of dimensions in the tensor (%d)",
                           nomen_dtype_name((nomen_dtype)t->dtype), own.at, target.at, ndim,
                           t->ndim);
    }
    for (int k = ndim - 1; k >= shift; k--)
        if (t->size[k - shift] != 1 && t->size[k - shift] != size[k])
            return nomen__fail_expanded(t, k, size[k], ndim, size);
    return NOMEN_OK;
}

nomen_status nomen__shape_given(nomen__call *c) {
    int i = nomen__arg_of(c->op, NOMEN__SIZES);
    nomen_sizes sizes = nomen__given(c, i) ? c->arg[i].sizes : (nomen_sizes){0, NULL};
    if (sizes.count > NOMEN_MAX_DIMS) {
        nomen_status named = nomen__names_given(c);
        return named ? named
                     : nomen__fail(NOMEN_ERROR_SHAPE,
                                   "%lld dims are too many: a tensor has at most %d",
                                   (long long)sizes.count, NOMEN_MAX_DIMS);
    }
    c->ndim = (int)sizes.count;
    for (int k = 0; k < c->ndim; k++) {
        c->size[k] = sizes.at[k];
        if (c->size[k] < 0) {
            NOMEN__TEXT(text, 256);
            nomen__text_sizes(&text, sizes.at, c->ndim);
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "Trying to create tensor with negative dimension %lld: %s",
                               (long long)c->size[k], text.at);
        }
    }
    return NOMEN_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

nomen_status nomen__shape_mm(nomen__call *c) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    if (a->ndim != 2) return nomen__fail(NOMEN_ERROR_SHAPE, "self must be a matrix");
    if (b->ndim != 2) return nomen__fail(NOMEN_ERROR_SHAPE, "mat2 must be a matrix");
    if (a->size[1] != b->size[0])
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_SHAPE,
                        "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                        (long long)a->size[0], (long long)a->size[1], (long long)b->size[0],
                        (long long)b->size[1]),
            "the columns of the first and the rows of the second must be equally many: transpose "
            "one of them?");
    c->ndim = 2;
    c->size[0] = a->size[0];
    c->size[1] = b->size[1];
    return NOMEN_OK;
}

nomen_status nomen__shape_bmm(nomen__call *c) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    if (a->ndim != 3) return nomen__fail(NOMEN_ERROR_SHAPE, "batch1 must be a 3D tensor");
    if (b->ndim != 3) return nomen__fail(NOMEN_ERROR_SHAPE, "batch2 must be a 3D tensor");
    if (a->size[0] != b->size[0] || a->size[2] != b->size[1])
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Expected size for first two dimensions of batch2 tensor to be: [%lld, "
                           "%lld] but got: [%lld, %lld].",
                           (long long)a->size[0], (long long)a->size[2], (long long)b->size[0],
                           (long long)b->size[1]);
    c->ndim = 3;
    c->size[0] = a->size[0];
    c->size[1] = a->size[1];
    c->size[2] = b->size[2];
    return NOMEN_OK;
}

nomen_status nomen__shape_mv(nomen__call *c) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    if (a->ndim != 2 || b->ndim != 1)
        return nomen__fail(NOMEN_ERROR_SHAPE, "vector + matrix @ vector expected, got 1, %d, %d",
                           a->ndim, b->ndim);
    if (a->size[1] != b->size[0])
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
                           (long long)a->size[0], (long long)a->size[0], (long long)a->size[1],
                           (long long)b->size[0]);
    c->ndim = 1;
    c->size[0] = a->size[0];
    return NOMEN_OK;
}

nomen_status nomen__shape_dot(nomen__call *c) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    if (a->ndim != 1 || b->ndim != 1)
        return nomen__fail(NOMEN_ERROR_SHAPE, "1D tensors expected, but got %dD and %dD tensors",
                           a->ndim, b->ndim);
    if (a->size[0] != b->size[0])
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "inconsistent tensor size, expected tensor [%lld] and src [%lld] to "
                           "have the same number of "
                           "elements, but got %lld and %lld elements respectively",
                           (long long)a->size[0], (long long)b->size[0], (long long)a->size[0],
                           (long long)b->size[0]);
    c->ndim = 0;
    return NOMEN_OK;
}

/* The dims of both operands but the last two of each, broadcast. */
nomen_status nomen__shape_batch(nomen__call *c) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    c->ndim = a->ndim > 2 ? a->ndim - 2 : 0;
    for (int i = 0; i < c->ndim; i++) c->size[i] = a->size[i];
    int batch = c->ndim, other = b->ndim > 2 ? b->ndim - 2 : 0;
    if (!nomen__broadcast(&c->ndim, c->size, other, b->size)) {
        for (int i = 1; i <= batch && i <= other; i++) {
            int64_t x = a->size[batch - i], y = b->size[other - i];
            if (x != y && x != 1 && y != 1)
                return nomen__fail(NOMEN_ERROR_SHAPE,
                                   "The size of tensor a (%lld) must match the size of tensor b "
                                   "(%lld) at non-singleton "
                                   "dimension %d",
                                   (long long)x, (long long)y, (batch > other ? batch : other) - i);
        }
    }
    return NOMEN_OK;
}

nomen_status nomen__shape_matmul(nomen__call *c) {
    const nomen_tensor *a = c->in[0], *b = c->in[1];
    if (a->ndim == 0 || b->ndim == 0)
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "both arguments to matmul need to be at least 1D, but they are %dD and %dD", a->ndim,
            b->ndim);
    if (a->ndim == 1 && b->ndim == 1) return nomen__shape_dot(c);
    if (a->ndim == 2 && b->ndim == 1) return nomen__shape_mv(c);
    if (a->ndim == 2 && b->ndim == 2) return nomen__shape_mm(c);
    int64_t inner = a->size[a->ndim - 1], outer = b->ndim == 1 ? b->size[0] : b->size[b->ndim - 2];
    if (inner != outer) {
        NOMEN__TEXT(left, 200);
        NOMEN__TEXT(right, 200);
        nomen__text_sizes(&left, a->size, a->ndim);
        nomen__text_sizes(&right, b->size, b->ndim);
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_SHAPE,
                        "mat1 and mat2 shapes cannot be multiplied: the inner sizes %lld and "
                        "%lld of %s and %s differ",
                        (long long)inner, (long long)outer, left.at, right.at),
            "the last size of the first and the last but one of the second must be equal: "
            "transpose one of them?");
    }
    nomen_status s = nomen__shape_batch(c);
    if (s) return s;
    if (c->ndim + 2 > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    if (a->ndim > 1) c->size[c->ndim++] = a->size[a->ndim - 2];
    if (b->ndim > 1) c->size[c->ndim++] = b->size[b->ndim - 1];
    return NOMEN_OK;
}
