/* Composite rows that add a product of matrices: addmm, addmv, baddbmm. */
#include "op/op.h"
#include "op/rows.gen.h"

enum { SELF, LEFT, RIGHT, BETA, ALPHA };

static int product_of(const nomen__call *c) {
    return c->op->id == NOMEN__OP_ADDMV     ? NOMEN__OP_MV
           : c->op->id == NOMEN__OP_BADDBMM ? NOMEN__OP_BMM
                                            : NOMEN__OP_MM;
}

static bool is_number(const nomen__call *c, int arg, double value) {
    if (!nomen__given(c, arg)) return value == 1;
    const nomen_number *n = c->arg[arg].number;
    return n->kind == NOMEN_NUMBER_COMPLEX
               ? n->re == value && n->im == 0
               : (n->kind == NOMEN_NUMBER_FLOAT ? n->re : (double)n->i) == value;
}

/* Zeros, whatever t holds; gradients through them are zeros too. Consumes t. */
static nomen_tensor *nothing_of(nomen_tensor *t) {
    nomen_tensor *copy = nomen__apply(NOMEN__OP_CLONE, t, NULL), *zeros = NULL;
    nomen__call zero;
    nomen__call_begin(&zero, &nomen__ops[NOMEN__OP_ZERO]);
    zero.arg[0].tensor = copy;
    zero.given = 1;
    zero.inplace = true;
    if (copy && !nomen__invoke(&zero)) zeros = zero.out[0];
    nomen__release(copy);
    nomen__release(t);
    return zeros;
}

/* t times a number argument, which takes the dtype of t; consumes t. */
static nomen_tensor *scaled(const nomen__call *c, nomen_tensor *t, int arg) {
    if (!t || is_number(c, arg, 1)) return t;
    /* PyTorch does not look at what is multiplied by nothing, but in two of three products. */
    if (is_number(c, arg, 0) && (arg == BETA || c->op->id == NOMEN__OP_ADDMM)) return nothing_of(t);
    nomen_number n = *c->arg[arg].number;
    if (nomen_dtype_is_integral((nomen_dtype)t->dtype) && n.kind == NOMEN_NUMBER_FLOAT)
        n = (nomen_number){NOMEN_NUMBER_INT, (int64_t)n.re, 0, 0};
    nomen_tensor *factor = nomen__wrap_number(&n);
    nomen_tensor *r = factor ? nomen__apply(NOMEN__OP_MUL, t, factor) : NULL;
    nomen__release(factor);
    nomen__release(t);
    return r;
}

static nomen_status check_ranks(const nomen__call *c) {
    const nomen_tensor *left = c->in[LEFT], *right = c->in[RIGHT];
    if (c->op->id == NOMEN__OP_ADDMV &&
        (left->ndim != 2 || right->ndim != 1 || c->in[SELF]->ndim > 1))
        return nomen__fail(NOMEN_ERROR_SHAPE, "vector + matrix @ vector expected, got %d, %d, %d",
                           c->in[SELF]->ndim, left->ndim, right->ndim);
    if (c->op->id != NOMEN__OP_ADDMM || (left->ndim == 2 && right->ndim == 2)) return NOMEN_OK;
    bool first = left->ndim != 2;
    return nomen__fail(NOMEN_ERROR_SHAPE, "%s must be a matrix, got %d-D tensor",
                       first ? "mat1" : "mat2", first ? left->ndim : right->ndim);
}

static nomen_status check_numbers(const nomen__call *c) {
    nomen_dtype d = nomen__common_dtype(c->in, BETA);
    nomen_status s = NOMEN_OK;
    for (int i = BETA; !s && i <= ALPHA; i++)
        if (nomen__given(c, i)) s = nomen__check_number(c->arg[i].number, d);
    return s;
}

static bool broadcasts_to(const nomen_tensor *t, const nomen__call *product) {
    int ndim = product->ndim;
    int64_t size[NOMEN_MAX_DIMS];
    for (int d = 0; d < ndim; d++) size[d] = product->size[d];
    bool fits = nomen__broadcast(&ndim, size, t->ndim, t->size) && ndim == product->ndim;
    for (int d = 0; fits && d < ndim; d++) fits = size[d] == product->size[d];
    return fits;
}

/* self does not fit the product, which has these sizes. */
static nomen_status no_fit(const nomen__call *c, const nomen__call *product) {
    const nomen_tensor *self = c->in[SELF], *left = c->in[LEFT];
    if (c->op->id == NOMEN__OP_ADDMV && !broadcasts_to(self, product))
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
                           (long long)self->numel, (long long)left->size[0],
                           (long long)left->size[1], (long long)c->in[RIGHT]->numel);
    NOMEN__TEXT(own, 128);
    NOMEN__TEXT(wanted, 128);
    nomen__text_sizes(&own, self->size, self->ndim);
    nomen__text_sizes(&wanted, product->size, product->ndim);
    return c->inplace
               ? nomen__fail(NOMEN_ERROR_SHAPE,
                             "Bad in-place call: input tensor size %s and output tensor size %s "
                             "should match",
                             own.at, wanted.at)
               : nomen__fail(NOMEN_ERROR_SHAPE,
                             "The expanded size of the tensor must match the existing size of "
                             "self. Target sizes: %s.  Tensor sizes: %s",
                             wanted.at, own.at);
}

/* Sizes and names of the result; self must broadcast to the product, never the other way round. */
static nomen_status check(nomen__call *c, nomen__namelist *names) {
    nomen_tensor *self = c->in[SELF];
    nomen__call product;
    nomen_status s = check_ranks(c);
    if (s) return s;
    nomen__call_begin(&product, &nomen__ops[product_of(c)]);
    product.in_inline[0] = c->in[LEFT];
    product.in_inline[1] = c->in[RIGHT];
    s = product.op->shape(&product);
    if (s) return s;
    bool fits = c->inplace ? nomen__has_sizes(self, product.ndim, product.size)
                           : broadcasts_to(self, &product);
    if (!fits) return no_fit(c, &product);
    return nomen__names_addmm(nomen__names_of(self), nomen__names_of(c->in[LEFT]),
                              nomen__names_of(c->in[RIGHT]), names);
}

nomen_status nomen__compose_addmm(nomen__call *c) {
    nomen__namelist names;
    nomen_status s = check(c, &names);
    if (!s) s = check_numbers(c);
    if (s) return s;
    if (c->inplace && c->named) {
        nomen__names own = nomen__names_of(c->in[SELF]);
        if (own.at) s = nomen__names_match_out(own, (nomen__names){names.n, names.at});
        if (s) return s;
    }
    nomen_tensor *value = scaled(c, nomen__apply(product_of(c), c->in[LEFT], c->in[RIGHT]), ALPHA);
    if (value && (!is_number(c, BETA, 0) || nomen__concerns_tape(c->in[SELF]))) {
        nomen_tensor *product = value, *bias = scaled(c, nomen__retain(c->in[SELF]), BETA);
        value = bias ? nomen__apply(NOMEN__OP_ADD, product, bias) : NULL;
        nomen__release(bias);
        nomen__release(product);
    }
    return value ? nomen__compose_deliver(c, value, &names) : NOMEN_ERROR_STATE;
}
