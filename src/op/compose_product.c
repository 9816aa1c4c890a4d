/* Composite rows of products: those that add one (addmm, addmv, baddbmm, addbmm, addr), outer and
 * inner. */
#include "nomen/inference.h"
#include "nomen/ops.gen.h"
#include "op/passing.h"
#include "op/rows.gen.h"

enum { SELF, LEFT, RIGHT, BETA, ALPHA };

static int row_of_product(const nomen__call *c) {
    switch (c->op->id) {
    case NOMEN__OP_ADDMV: return NOMEN__OP_MV;
    case NOMEN__OP_BADDBMM:
    case NOMEN__OP_ADDBMM: return NOMEN__OP_BMM;
    case NOMEN__OP_ADDR: return NOMEN__OP_OUTER;
    default: return NOMEN__OP_MM;
    }
}

static bool is_number(const nomen__call *c, int arg, double value) {
    if (!nomen__given(c, arg)) return value == 1;
    const nomen_number *n = c->arg[arg].number;
    return n->kind == NOMEN_NUMBER_COMPLEX ? n->re == value && n->im == 0
                                           : nomen__real_of(n) == value;
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

/* What t is multiplied by: of the dtype of t, or, where the result is of another kind, of that. */
static nomen_tensor *factor_of(const nomen__call *c, const nomen_tensor *t, int arg) {
    const nomen_dtype own = (nomen_dtype)t->dtype, d = nomen__common_dtype(c->in, BETA);
    nomen_number n = *c->arg[arg].number;
    if (nomen__dtype_kind(own) < nomen__dtype_kind(d)) {
        nomen_tensor *factor = nomen__tensor_empty(d, 0, NULL);
        if (factor) nomen__fill_values(factor, &n);
        return factor;
    }
    if (own == NOMEN_BOOL) n = (nomen_number){NOMEN_NUMBER_BOOL, !is_number(c, arg, 0), 0, 0};
    if (nomen_dtype_is_integral(own) && n.kind == NOMEN_NUMBER_FLOAT)
        n = (nomen_number){NOMEN_NUMBER_INT, (int64_t)n.re, 0, 0};
    return nomen__wrap_number(&n);
}

/* t times a number argument; consumes t. */
static nomen_tensor *scaled(const nomen__call *c, nomen_tensor *t, int arg) {
    if (!t || is_number(c, arg, 1)) return t;
    /* PyTorch does not look at what is multiplied by nothing, but in two of three products. */
    if (is_number(c, arg, 0) && (arg == BETA || c->op->id == NOMEN__OP_ADDMM)) return nothing_of(t);
    nomen_tensor *factor = factor_of(c, t, arg);
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
    bool batches = c->op->id == NOMEN__OP_ADDBMM && left->ndim == 3 && right->ndim == 3;
    if (batches && left->size[0] != right->size[0])
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "batch1 and batch2 must have same number of batches, got %lld and %lld",
                           (long long)left->size[0], (long long)right->size[0]);
    if (c->op->id != NOMEN__OP_ADDMM || (left->ndim == 2 && right->ndim == 2)) return NOMEN_OK;
    bool first = left->ndim != 2;
    return nomen__fail(NOMEN_ERROR_SHAPE, "%s must be a matrix, got %d-D tensor",
                       first ? "mat1" : "mat2", first ? left->ndim : right->ndim);
}

/* The numbers of addr belong to their dtype, as in PyTorch; those of the others are cast. */
static nomen_status check_number(const nomen__call *c, int arg, nomen_dtype d) {
    const int kind = (int)c->arg[arg].number->kind;
    const char *name = c->op->args[arg].name;
    if (c->op->id != NOMEN__OP_ADDR) return nomen__check_number(c->arg[arg].number, d);
    if (kind == NOMEN_NUMBER_BOOL && d != NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE, "Boolean %s only supported for Boolean results.",
                           name);
    if (kind >= NOMEN_NUMBER_FLOAT && (d == NOMEN_BOOL || nomen_dtype_is_integral(d)))
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "For integral input tensors, argument %s must not be a floating point "
                           "number.",
                           name);
    return d == NOMEN_BOOL ? NOMEN_OK : nomen__check_number(c->arg[arg].number, d);
}

static nomen_status check_numbers(const nomen__call *c) {
    if (!nomen__given(c, BETA) && !nomen__given(c, ALPHA)) return NOMEN_OK;
    nomen_dtype d = nomen__common_dtype(c->in, BETA);
    nomen_status s = NOMEN_OK;
    for (int i = BETA; !s && i <= ALPHA; i++)
        if (nomen__given(c, i)) s = check_number(c, i, d);
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
    bool in_place = c->inplace && c->op->id != NOMEN__OP_ADDBMM && c->op->id != NOMEN__OP_BADDBMM;
    nomen_status s = in_place ? NOMEN_OK : nomen__expands(self, product->ndim, product->size);
    if (s) return s;
    if (c->op->id == NOMEN__OP_ADDR && self->ndim != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "2D tensor expected, got %dD tensor for input",
                           self->ndim);
    NOMEN__TEXT(own, 128);
    nomen__text_sizes(&own, self->size, self->ndim);
    if (c->op->id == NOMEN__OP_ADDR)
        return nomen__fail(NOMEN_ERROR_SHAPE, "size mismatch, input: %s, v1: [%lld], v2: [%lld]",
                           own.at, (long long)left->numel, (long long)c->in[RIGHT]->numel);
    NOMEN__TEXT(wanted, 128);
    nomen__text_sizes(&wanted, product->size, product->ndim);
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "Bad in-place call: input tensor size %s and output tensor size %s should "
                       "match",
                       own.at, wanted.at);
}

static nomen_status check_vectors(const nomen__call *c, int first) {
    for (int i = first; i < first + 2; i++)
        if (c->in[i]->ndim != 1)
            return nomen__fail(NOMEN_ERROR_SHAPE, "%s: Expected 1-D argument %s, but got %d-D",
                               c->op->name, c->op->args[i].name, c->in[i]->ndim);
    return NOMEN_OK;
}

/* Of the product that self is added to. */
static nomen_status product_sizes(const nomen__call *c, nomen__call *product) {
    const nomen_tensor *left = c->in[LEFT], *right = c->in[RIGHT];
    nomen__call_begin(product, &nomen__ops[row_of_product(c)]);
    if (c->op->id == NOMEN__OP_ADDR) {
        nomen_status s = check_vectors(c, LEFT);
        product->ndim = 2;
        product->size[0] = left->numel;
        product->size[1] = right->numel;
        return s;
    }
    product->in_inline[0] = c->in[LEFT];
    product->in_inline[1] = c->in[RIGHT];
    nomen_status s = product->op->shape(product);
    if (s || c->op->id != NOMEN__OP_ADDBMM) return s;
    product->ndim = 2;
    product->size[0] = left->size[1];
    product->size[1] = right->size[2];
    return NOMEN_OK;
}

static nomen_status product_names(const nomen__call *c, nomen__namelist *names) {
    nomen__names self = nomen__names_of(c->in[SELF]), left = nomen__names_of(c->in[LEFT]),
                 right = nomen__names_of(c->in[RIGHT]);
    nomen_status s = NOMEN_OK;
    if (nomen_strict_contraction() && c->op->id != NOMEN__OP_ADDR)
        s = nomen__names_contracted(left, right, c->op->name);
    if (s) return s;
    switch (c->op->id) {
    case NOMEN__OP_ADDR: return nomen__names_addr(self, left, right, names);
    case NOMEN__OP_ADDBMM: return nomen__names_addbmm(self, left, right, names);
    default: return nomen__names_addmm(self, left, right, names);
    }
}

/* Is there nothing left to find out about the product but its elements? Names, which the sum gets
 * in the end, it can do without. */
static bool is_known(const nomen__call *c, const nomen__call *product) {
    const nomen_tensor *left = c->in[LEFT], *right = c->in[RIGHT];
    return product->op->primitive && c->op->id != NOMEN__OP_ADDBMM && left->dtype == right->dtype &&
           product->op->dtypes >> left->dtype & 1 && nomen__may_pass(left) &&
           nomen__may_pass(right);
}

static nomen_tensor *product_of(const nomen__call *c, nomen__call *sized) {
    if (is_known(c, sized)) return nomen__run_sized(sized);
    nomen_tensor *p = nomen__apply(row_of_product(c), c->in[LEFT], c->in[RIGHT]), *sum = NULL;
    if (c->op->id != NOMEN__OP_ADDBMM || !p) return p;
    nomen_scope() {
        sum = nomen_sum(p, .dim = "0", .dtype = nomen_dtype_of(p));
        if (sum) nomen__retain(sum);
    }
    nomen__release(p);
    return sum;
}

/* Sizes and names of the result; self must broadcast to the product, never the other way round. */
static nomen_status check(nomen__call *c, nomen__namelist *names, nomen__call *product) {
    const nomen_tensor *self = c->in[SELF];
    nomen_status s = check_ranks(c);
    if (s) return s;
    s = product_sizes(c, product);
    if (s) return s;
    const bool same = nomen__has_sizes(self, product->ndim, product->size);
    if (!same && (c->inplace || !broadcasts_to(self, product))) return no_fit(c, product);
    names->n = 0; /* no names make none */
    return c->named || nomen_strict_contraction() ? product_names(c, names) : NOMEN_OK;
}

/* May the sum take the place of the product, which nobody else knows? */
static bool sums_up(const nomen_tensor *product, const nomen_tensor *bias) {
    return !nomen__is_named(product) && !nomen__is_named(bias) && !nomen__concerns_tape(product) &&
           !nomen__concerns_tape(bias) && bias->dtype == product->dtype;
}

/* Is it addr with nothing to multiply by? Then no product need be made before the sum. */
static bool adds_outer(const nomen__call *c) {
    const nomen_tensor *self = c->in[SELF], *left = c->in[LEFT], *right = c->in[RIGHT],
                       *out = nomen__compose_target(c);
    return c->op->id == NOMEN__OP_ADDR && is_number(c, BETA, 1) && is_number(c, ALPHA, 1) &&
           self->dtype == left->dtype && self->dtype == right->dtype && self->dtype != NOMEN_BOOL &&
           !(out && (nomen__may_overlap(out, left) || nomen__may_overlap(out, right)));
}

static nomen_tensor *add_product(const nomen__call *c, nomen_tensor *self, nomen_tensor *row,
                                 nomen_tensor *column) {
    nomen__call sum;
    nomen__call_begin(&sum, &nomen__ops[NOMEN__OP_ADDCMUL]);
    sum.arg[0].tensor = self;
    sum.arg[1].tensor = row;
    sum.arg[2].tensor = column;
    sum.given = 7;
    sum.out[0] = nomen__compose_target(c);
    return nomen__invoke(&sum) ? NULL : sum.out[0];
}

static nomen_tensor *sum_with_outer(const nomen__call *c) {
    if (!c->named && nomen__may_pass(c->in[LEFT])) {
        nomen_tensor passing;
        nomen__pass_longer(&passing, c->in[LEFT], 0, 1);
        return add_product(c, c->in[SELF], c->in[RIGHT], &passing);
    }
    nomen_tensor *self = nomen__bare(c->in[SELF]), *row = nomen__bare(c->in[RIGHT]), *r = NULL;
    nomen_tensor *line = nomen__bare(c->in[LEFT]), *column = nomen__unsqueezed(line, 1);
    if (self && row && column) r = add_product(c, self, row, column);
    nomen__release(column);
    nomen__release(line);
    nomen__release(row);
    nomen__release(self);
    return r;
}

nomen_status nomen__compose_addmm(nomen__call *c) {
    nomen__namelist names;
    nomen__call sized; /* the product */
    nomen_status s = check(c, &names, &sized);
    if (!s) s = check_numbers(c);
    if (s) return s;
    if (c->inplace && c->named) {
        nomen__names own = nomen__names_of(c->in[SELF]);
        if (own.at) s = nomen__names_match_out(own, (nomen__names){names.n, names.at});
        if (s) return s;
    }
    const bool at_once = adds_outer(c);
    nomen_tensor *value = at_once ? sum_with_outer(c) : scaled(c, product_of(c, &sized), ALPHA);
    if (!at_once && value && (!is_number(c, BETA, 0) || nomen__concerns_tape(c->in[SELF]))) {
        nomen_tensor *added = value, *bias = scaled(c, nomen__retain(c->in[SELF]), BETA);
        nomen_tensor *target = nomen__compose_target(c), passing, *bare = bias;
        if (bias && nomen__is_named(bias) && !nomen__is_named(added) && nomen__may_pass(bias)) {
            nomen__pass_longer(&passing, bias, 0, 0);
            bare = &passing;
        }
        if (!target && bias && sums_up(added, bare)) target = added;
        value = bias ? nomen__apply_to(NOMEN__OP_ADD, added, bare, target) : NULL;
        nomen__release(bias);
        nomen__release(added);
    }
    return value ? nomen__compose_deliver(c, value, &names) : NOMEN_ERROR_STATE;
}

/* ---- outer, inner ---------------------------------------------------------------------------- */

nomen_status nomen__compose_outer(nomen__call *c) {
    nomen_tensor *a = c->in[0], *b = c->in[1], *r = NULL;
    nomen__namelist names;
    nomen_status s = check_vectors(c, 0);
    if (!s) s = nomen__names_chain("outer", nomen__names_of(a), 1, nomen__names_of(b), 1, &names);
    if (s) return s;
    if (nomen__may_pass(a) && nomen__may_pass(b)) {
        nomen_tensor passing, other;
        nomen__pass_longer(&passing, a, 0, 1);
        nomen__pass_longer(&other, b, 0, 0);
        r = nomen__apply_to(NOMEN__OP_MUL, &passing, &other, nomen__compose_target(c));
        return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
    }
    nomen_tensor *line = nomen__bare(a), *row = nomen__bare(b);
    nomen_tensor *column = nomen__unsqueezed(line, 1);
    if (column && row) r = nomen__apply_to(NOMEN__OP_MUL, column, row, nomen__compose_target(c));
    nomen__release(column);
    nomen__release(line);
    nomen__release(row);
    return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
}

/* Rows of a with rows of b, all with all. NULL makes NULL, as in every function of the library. */
static nomen_tensor *all_rows(nomen_tensor *a, nomen_tensor *b) {
    if (!a || !b) return NULL;
    int64_t k = a->size[a->ndim - 1], size[NOMEN_MAX_DIMS];
    int n = a->ndim - 1, m = b->ndim - 1;
    for (int d = 0; d < n; d++) size[d] = a->size[d];
    for (int d = 0; d < m; d++) size[n + d] = b->size[d];
    const int64_t rows = nomen__numel_of(a->size, n), columns = nomen__numel_of(b->size, m);
    nomen_tensor *left = nomen_reshape(a, NOMEN_SIZES(rows, k)),
                 *right = nomen_reshape(b, NOMEN_SIZES(columns, k));
    nomen_tensor *r = nomen_mm(left, nomen_transpose(right, "0", "1"));
    return nomen_reshape(r, (nomen_sizes){n + m, size});
}

nomen_status nomen__compose_inner(nomen__call *c) {
    nomen_tensor *a = c->in[0], *b = c->in[1], *r = NULL;
    nomen__namelist names;
    bool factor = !a->ndim || !b->ndim;
    if (!factor && a->size[a->ndim - 1] != b->size[b->ndim - 1]) {
        NOMEN__TEXT(first, 160);
        NOMEN__TEXT(second, 160);
        nomen__text_sizes(&first, a->size, a->ndim);
        nomen__text_sizes(&second, b->size, b->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "inner() the last dimension must match on both input tensors but got "
                           "shapes %s and %s",
                           first.at, second.at);
    }
    nomen_status s = nomen__names_inner(nomen__names_of(a), nomen__names_of(b),
                                        nomen_strict_contraction(), &names);
    if (s) return s;
    nomen_scope() {
        a = nomen__nameless(a);
        b = nomen__nameless(b);
        r = factor ? nomen_mul(a, b) : all_rows(a, b);
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
}
