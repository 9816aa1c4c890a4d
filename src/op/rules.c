/* Words of the table: name rules and dtype rules of operations. Shapes are in shapes.c, views in
 * view.c. */
#include "nomen/inference.h"
#include "op/launch.h"
#include "op/rows.gen.h"

/* ---- dims ------------------------------------------------------------------------------------ */

nomen_status nomen__resolve_dims(nomen__call *c) {
    nomen__names own = nomen__names_of(c->in[0]);
    int i = nomen__arg_of(c->op, NOMEN__DIM);
    if (i >= 0 && nomen__given(c, i)) {
        nomen_status s = nomen__dim_position(own, c->arg[i].dims.at, &c->dim);
        if (s) return s;
        c->mask = own.n ? UINT64_C(1) << c->dim : 0;
        c->dims_count = own.n ? 1 : 0;
        c->dims[0] = c->dim;
        return NOMEN_OK;
    }
    i = nomen__arg_of(c->op, NOMEN__DIMS);
    if (i >= 0 && nomen__given(c, i) && c->arg[i].dims.n > 0) {
        nomen__dims dims = c->arg[i].dims;
        nomen_status s = nomen__dim_positions(own, dims, c->dims, &c->mask);
        c->dims_count = dims.n;
        if (own.n == 0) {
            c->mask = 0;
            c->dims_count = 0;
        }
        return s;
    }
    c->mask = own.n == 64 ? UINT64_MAX : (UINT64_C(1) << own.n) - 1;
    c->dims_count = -1;
    return NOMEN_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

nomen_status nomen__names_keep(nomen__call *c) {
    if (nomen__arg_of(c->op, NOMEN__DIM) >= 0) {
        nomen_status s = nomen__resolve_dims(c);
        if (s) return s;
    }
    return nomen__names_keep_of(c, c->in[0]);
}

/* The dim of a row that has one also when it is not given. */
static nomen_status resolve_or(nomen__call *c, int fallback) {
    if (nomen__given(c, nomen__arg_of(c->op, NOMEN__DIM))) return nomen__resolve_dims(c);
    int n = c->in[0]->ndim;
    c->dim = n && fallback < 0 ? n - 1 : 0;
    c->dims[0] = c->dim;
    c->mask = n ? UINT64_C(1) << c->dim : 0;
    c->dims_count = n ? 1 : 0;
    return NOMEN_OK;
}

nomen_status nomen__names_keep_last(nomen__call *c) {
    nomen_status s = resolve_or(c, -1);
    return s ? s : nomen__names_keep_of(c, c->in[0]);
}

nomen_status nomen__names_unify(nomen__call *c) {
    if (NOMEN_LIKELY(!c->named)) return NOMEN_OK;
    /* What has no dims, as numbers have none, has nothing to say. */
    nomen_tensor *with[NOMEN__MAX_IN];
    int n = 0;
    for (int i = 0; i < c->nin; i++)
        if (c->in[i]->ndim) with[n++] = c->in[i];
    if (n && nomen__all_named_alike(with, n)) return nomen__names_keep_of(c, with[0]);
    nomen__names operands[NOMEN__MAX_IN];
    for (int i = 0; i < n; i++) operands[i] = nomen__names_of(with[i]);
    return nomen__unify_all(operands, n, &c->names);
}

nomen_status nomen__names_keep_of(nomen__call *c, const nomen_tensor *t) {
    const bool already = c->inplace && t == c->arg[0].tensor; /* it is what is written to */
    c->names.n = t->flags & NOMEN__NAMED && !already ? t->ndim : -1;
    for (int i = 0; i < c->names.n; i++) c->names.at[i] = t->names[i];
    return NOMEN_OK;
}

/* The dims are resolved: what is left of the names. */
static nomen_status reduce_names(nomen__call *c) {
    int keepdim = nomen__arg_of(c->op, NOMEN__FLAG);
    bool keep = keepdim >= 0 && nomen__given(c, keepdim) && c->arg[keepdim].flag;
    /* an empty list is the full reduction too, but a max over dim=None with a position is not one
     * dim */
    if (c->op->nout > 1 && c->dims_count < 0) c->skip[1] = true;
    if (c->named) nomen__names_reduce(nomen__names_of(c->in[0]), c->mask, keep, &c->names);
    return NOMEN_OK;
}

nomen_status nomen__names_reduce_rule(nomen__call *c) {
    nomen_status s = nomen__resolve_dims(c);
    return s ? s : reduce_names(c);
}

nomen_status nomen__names_reduce_last(nomen__call *c) {
    nomen_status s = resolve_or(c, -1);
    return s ? s : reduce_names(c);
}

/* Both results are there with and without a dim. */
nomen_status nomen__names_reduce_both(nomen__call *c) {
    const bool skip = c->skip[1];
    nomen_status s = nomen__names_reduce_rule(c);
    c->skip[1] = skip;
    return s;
}

static _Atomic bool strict_contraction;

bool nomen_strict_contraction(void) { return strict_contraction; }

bool nomen_set_strict_contraction(bool strict) {
    return atomic_exchange(&strict_contraction, strict);
}

nomen_status nomen__names_contract(nomen__call *c) {
    if (!c->named) return NOMEN_OK;
    nomen__names a = nomen__names_of(c->in[0]), b = nomen__names_of(c->in[1]);
    nomen_status s = NOMEN_OK;
    if (NOMEN_UNLIKELY(strict_contraction)) s = nomen__names_contracted(a, b, c->op->name);
    return s ? s : nomen__names_matmul(a, b, &c->names);
}

/* A names argument as the list of a result. */
nomen_status nomen__names_listed(nomen__dims dims, nomen__namelist *result) {
    if (dims.n > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_NAME,
                           "Named tensors only support up to %d dims: %d names were given",
                           NOMEN_MAX_DIMS, dims.n);
    result->n = dims.n;
    for (int i = 0; i < dims.n; i++) {
        if (dims.at[i].kind == NOMEN__DIM_INDEX)
            return nomen__fail(NOMEN_ERROR_TYPE, "expected None or string for Dimname but got int");
        if (dims.at[i].kind == NOMEN__DIM_ELLIPSIS)
            return nomen__fail(NOMEN_ERROR_NAME,
                               "Invalid name: a valid identifier contains only digits, "
                               "alphabetical characters, and/or "
                               "underscore and starts with a non-digit. got: '...'.");
        result->at[i] = dims.at[i].kind == NOMEN__DIM_NAME ? dims.at[i].name : 0;
    }
    return NOMEN_OK;
}

static nomen_status names_of_new(nomen__call *c, int ndim) {
    int i = nomen__arg_of(c->op, NOMEN__NAMES);
    if (!nomen__given(c, i)) return NOMEN_OK;
    nomen_status s = nomen__names_listed(c->arg[i].dims, &c->names);
    return s ? s : nomen__names_validate(c->names.at, c->names.n, ndim);
}

nomen_status nomen__names_given(nomen__call *c) {
    int size = nomen__arg_of(c->op, NOMEN__SIZES);
    return names_of_new(c, size < 0                ? 1
                           : nomen__given(c, size) ? (int)c->arg[size].sizes.count
                                                   : 0);
}

nomen_status nomen__names_matrix(nomen__call *c) { return names_of_new(c, 2); }

/* ---- dtypes ---------------------------------------------------------------------------------- */

static nomen_dtype complex_of(nomen_dtype d) { return d == NOMEN_F64 ? NOMEN_C128 : NOMEN_C64; }

/* A strong dtype met by a weak one: only a higher kind of the weak one changes it. */
static nomen_dtype weaken(nomen_dtype strong, nomen_dtype weak) {
    if (!weak) return strong;
    if (!strong) return weak;
    if (nomen__dtype_kind(strong) == 3) return strong;
    if (nomen__dtype_kind(strong) == 2)
        return nomen__dtype_kind(weak) == 3 ? complex_of(strong) : strong;
    if (strong == NOMEN_BOOL || nomen__dtype_kind(weak) >= 2) return nomen_promote(strong, weak);
    return strong;
}

nomen_dtype nomen__common_dtype(nomen_tensor *const *in, int64_t count) {
    nomen_dtype dims = NOMEN_DTYPE_NONE, scalars = NOMEN_DTYPE_NONE, numbers = NOMEN_DTYPE_NONE;
    for (int64_t i = 0; i < count; i++) {
        const nomen_tensor *t = in[i];
        nomen_dtype d = (nomen_dtype)t->dtype, *slot = &dims;
        if (NOMEN_UNLIKELY(t->ndim == 0)) {
            slot = t->flags & NOMEN__WRAPPED ? &numbers : &scalars;
            /* a number stands for its kind, in the default width */
            if (slot == &numbers)
                d = nomen__dtype_kind(d) == 3   ? nomen__default_complex()
                    : nomen__dtype_kind(d) == 2 ? nomen__default_float()
                                                : d;
        }
        *slot = *slot == d || !*slot ? d : nomen_promote(*slot, d);
    }
    return weaken(weaken(dims, scalars), numbers);
}

static nomen_status all_of(nomen__call *c, nomen_dtype compute, nomen_dtype result) {
    c->compute = compute;
    c->writes = c->result[0] = result;
    return NOMEN_OK;
}

nomen_status nomen__dtype_promote(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    if (c->nin != 1 && !(c->nin == 2 && c->in[1]->dtype == d && c->in[0]->ndim && c->in[1]->ndim))
        d = nomen__common_dtype(c->in, c->in_count);
    else if (c->in[0]->flags & NOMEN__WRAPPED)
        d = nomen__common_dtype(c->in, 1);
    return all_of(c, d, d);
}

nomen_status nomen__dtype_float(nomen__call *c) {
    nomen_dtype d = nomen__common_dtype(c->in, c->in_count);
    if (nomen__dtype_kind(d) < 2) d = nomen__default_float();
    return all_of(c, d, d);
}

nomen_status nomen__dtype_compare(nomen__call *c) {
    return all_of(c, nomen__common_dtype(c->in, c->in_count), NOMEN_BOOL);
}

nomen_status nomen__dtype_same(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    all_of(c, d, d);
    c->result[1] = NOMEN_I64;
    return NOMEN_OK;
}

static nomen_dtype real_of(nomen_dtype d) {
    return d == NOMEN_C64 ? NOMEN_F32 : d == NOMEN_C128 ? NOMEN_F64 : d;
}

/* The square of a truth value is a number, as its power is. */
nomen_status nomen__dtype_square(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    if (d == NOMEN_BOOL) d = NOMEN_I64;
    return all_of(c, d, d);
}

nomen_status nomen__dtype_real(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    return all_of(c, d, real_of(d));
}

static nomen_dtype dtype_argument(const nomen__call *c) {
    int i = nomen__arg_of(c->op, NOMEN__DTYPE);
    return i >= 0 && nomen__given(c, i) ? c->arg[i].dtype : NOMEN_DTYPE_NONE;
}

nomen_status nomen__dtype_sum(nomen__call *c) {
    nomen_dtype asked = dtype_argument(c), d = asked ? asked : (nomen_dtype)c->in[0]->dtype;
    if (c->target[0] && !asked) d = (nomen_dtype)c->target[0]->dtype;
    if (d == NOMEN_BOOL && c->target[0]) asked = d;
    if (asked == NOMEN_BOOL || (nomen__dtype_kind(d) < 2 &&
                                asked)) { /* integer results narrower than int64 wrap from it */
        all_of(c, d, NOMEN_I64);
        c->result[0] = asked;
        return NOMEN_OK;
    }
    return all_of(c, d, nomen__dtype_kind(d) < 2 ? NOMEN_I64 : d);
}

nomen_status nomen__dtype_mean(nomen__call *c) {
    nomen_dtype asked = dtype_argument(c), d = asked ? asked : (nomen_dtype)c->in[0]->dtype;
    if (nomen__dtype_kind(d) < 2)
        return c->op->id == NOMEN__OP_NANMEAN
                   ? nomen__fail(
                         NOMEN_ERROR_DTYPE,
                         "nanmean(): expected input to have floating point or complex dtype "
                         "but got %s",
                         nomen_dtype_name(d))
                   : nomen__fail(
                         NOMEN_ERROR_DTYPE,
                         "mean(): could not infer output dtype. Input dtype must be either a "
                         "floating point or complex "
                         "dtype. Got: %s. Give dtype= or convert first",
                         nomen_dtype_name(d));
    /* Written to an out= of floats the mean is computed as exactly as either dtype has it; of
     * complex numbers a real one takes the real part, as for sums. */
    nomen_dtype to = c->target[0] ? (nomen_dtype)c->target[0]->dtype : NOMEN_DTYPE_NONE;
    if (!asked && to && nomen__dtype_kind(to) >= 2)
        d = nomen_promote(nomen_dtype_is_complex(to) ? d : real_of(d), to);
    return all_of(c, d, d);
}

nomen_status nomen__dtype_variance(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    if (nomen__dtype_kind(d) < 2)
        return nomen__hint(nomen__fail(NOMEN_ERROR_DTYPE,
                                       "%s only support floating point and complex dtypes",
                                       c->op->nout > 1 ? c->op->name : "std and var"),
                           "convert %s with to(dtype) first", nomen_dtype_name(d));
    int i = nomen__arg_of(c->op, NOMEN__NUMBER);
    c->reduce_correction = 1;
    if (nomen__given(c, i)) {
        const nomen_number *n = c->arg[i].number;
        if (n->kind == NOMEN_NUMBER_COMPLEX)
            return nomen__fail(NOMEN_ERROR_TYPE,
                               "argument 'correction' must be a real number, not complex");
        c->reduce_correction = nomen__real_of(n);
    }
    return all_of(c, d, real_of(d));
}

nomen_status nomen__dtype_index(nomen__call *c) {
    return all_of(c, (nomen_dtype)c->in[0]->dtype, NOMEN_I64);
}

nomen_status nomen__dtype_bool(nomen__call *c) {
    return all_of(c, (nomen_dtype)c->in[0]->dtype, NOMEN_BOOL);
}

/* any, all: uint8 has been a type of truth values before bool was there, and stays itself. */
nomen_status nomen__dtype_truth(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    bool itself = d == NOMEN_U8 && !(c->target[0] && c->target[0]->dtype == NOMEN_BOOL);
    return all_of(c, d, itself ? NOMEN_U8 : NOMEN_BOOL);
}

/* Running sums and products go on in the dtype of what they are written to. Numbers with fractions
 * that become integers do so in 64 bits, whatever comes after. */
nomen_status nomen__dtype_scan(nomen__call *c) {
    nomen_dtype own = (nomen_dtype)c->in[0]->dtype, asked = dtype_argument(c), d = asked;
    if (c->inplace && d && d != own)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "Bad in-place call: input tensor dtype %s and output tensor dtype %s "
                           "should match",
                           nomen_dtype_name(own), nomen_dtype_name(d));
    if (!d && c->inplace) d = own;
    if (!d && c->target[0]) d = (nomen_dtype)c->target[0]->dtype;
    if (!d) d = nomen__dtype_kind(own) < 2 ? NOMEN_I64 : own;
    nomen_dtype compute = nomen__dtype_kind(d) == 1 && nomen__dtype_kind(own) > 1 ? NOMEN_I64 : d;
    all_of(c, compute, compute);
    c->result[0] = d;
    return NOMEN_OK;
}

nomen_status nomen__dtype_count(nomen__call *c) {
    return all_of(c, (nomen_dtype)c->in[0]->dtype, NOMEN_I64);
}

/* The variance (real) and the mean. */
nomen_status nomen__dtype_moments(nomen__call *c) {
    nomen_status s = nomen__dtype_variance(c);
    c->result[1] = (nomen_dtype)c->in[0]->dtype;
    return s;
}

nomen_status nomen__dtype_extrema(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    all_of(c, d, d);
    c->result[1] = d;
    return NOMEN_OK;
}

/* Norms are real; dtype= converts first. */
nomen_status nomen__dtype_norm(nomen__call *c) {
    nomen_dtype asked = dtype_argument(c), d = asked ? asked : (nomen_dtype)c->arg[0].tensor->dtype;
    if (nomen__dtype_kind(d) < 2)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "norm(): input dtype should be either floating point or complex dtypes. "
                           "Got %s instead. Give dtype= or convert first",
                           nomen_dtype_name(d));
    bool powers = c->in[0] != c->arg[0].tensor; /* of choose_norm */
    nomen_dtype sum = powers ? (nomen_dtype)c->in[0]->dtype : d;
    all_of(c, sum, real_of(sum));
    c->result[0] = real_of(d);
    return NOMEN_OK;
}

nomen_status nomen__dtype_float_arg(nomen__call *c) {
    nomen_dtype asked = dtype_argument(c), d = asked ? asked : (nomen_dtype)c->in[0]->dtype;
    return all_of(c, d, d);
}

nomen_status nomen__dtype_to(nomen__call *c) {
    nomen_dtype d = dtype_argument(c);
    return all_of(c, d, d);
}

nomen_status nomen__dtype_copy(nomen__call *c) { return nomen__dtype_same(c); }

nomen_status nomen__dtype_equal(nomen__call *c) {
    nomen_dtype a = (nomen_dtype)c->in[0]->dtype, b = (nomen_dtype)c->in[1]->dtype;
    if (a != b && c->in[0]->ndim == 1 && c->in[1]->ndim == 1)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "dot : expected both vectors to have same dtype, but found %s and %s: "
                           "convert one",
                           nomen_dtype_name(a), nomen_dtype_name(b));
    if (a != b)
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "expected m1 and m2 to have the same dtype, but got: %s != %s: convert one",
            nomen_dtype_name(a), nomen_dtype_name(b));
    return all_of(c, a, a);
}

/* Half types are computed with in float32, which their kernels read and write themselves; numbers
 * beside them, which would lose digits in the half type, need the kernel of float32. */
static nomen_status not_in_half(nomen__call *c, nomen_dtype d) {
    bool half = d == NOMEN_F16 || d == NOMEN_BF16;
    all_of(c, half ? NOMEN_F32 : d, half ? NOMEN_F32 : d);
    c->result[0] = d;
    return NOMEN_OK;
}

/* Factors and quotients: a lone number keeps its digits beside half types. */
static nomen_status keep_number(nomen__call *c) {
    nomen_dtype d = c->compute;
    if (NOMEN_LIKELY(d != NOMEN_F16 && d != NOMEN_BF16)) return NOMEN_OK;
    for (int i = 0; i < c->nin; i++)
        if (c->in[i]->ndim == 0 && !nomen__exact_in(c->in[i], d)) return not_in_half(c, d);
    return NOMEN_OK;
}

nomen_status nomen__dtype_product(nomen__call *c) {
    nomen_status s = nomen__dtype_promote(c);
    return s ? s : keep_number(c);
}

nomen_status nomen__dtype_weighted(nomen__call *c) {
    nomen_status s = nomen__dtype_float(c);
    return s ? s : keep_number(c);
}

/* Rounded quotients keep integers, true ones do not. choose_rounding has set the kernel. */
nomen_status nomen__dtype_quotient(nomen__call *c) {
    return c->kernel_name == c->op->kernel ? nomen__dtype_weighted(c) : nomen__dtype_product(c);
}

/* The factor, which is the last operand, takes the dtype of the others. */
nomen_status nomen__dtype_factored(nomen__call *c) {
    nomen_dtype d = nomen__common_dtype(c->in, c->in_count - 1);
    all_of(c, d, d);
    return keep_number(c);
}

nomen_status nomen__dtype_angle(nomen__call *c) {
    nomen_status s = nomen__dtype_float(c);
    return s ? s : all_of(c, c->compute, real_of(c->compute));
}

/* Two real numbers become a complex one of the next width that there is. */
nomen_status nomen__dtype_made_complex(nomen__call *c) {
    nomen_dtype d = nomen__common_dtype(c->in, c->in_count);
    if (nomen__dtype_kind(d) < 2 || d == NOMEN_F16 || d == NOMEN_BF16) d = NOMEN_F32;
    return all_of(c, d, complex_of(d));
}

nomen_status nomen__dtype_power(nomen__call *c) {
    nomen_tensor *exponent = c->in[1];
    nomen_status s = nomen__dtype_promote(c);
    if (!s && c->compute == NOMEN_BOOL) s = all_of(c, NOMEN_I64, NOMEN_I64);
    if (s || nomen__dtype_kind(c->compute) != 1 || !(exponent->flags & NOMEN__WRAPPED)) return s;
    if (nomen_item_int(exponent) < 0)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "Integers to negative integer powers are not allowed: convert to a floating dtype");
    return nomen__check_fits(exponent, c->compute);
}

nomen_status nomen__dtype_where(nomen__call *c) {
    if (c->in[0]->dtype != NOMEN_BOOL && c->in[0]->dtype != NOMEN_U8)
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
            nomen_dtype_name((nomen_dtype)c->in[0]->dtype));
    nomen_dtype d = nomen__common_dtype(c->in + 1, 2);
    nomen_status s = nomen__numbers_fit(c->in + 1, 2, d);
    return s ? s : all_of(c, d, d);
}

nomen_status nomen__dtype_logit(nomen__call *c) {
    nomen_status s = nomen__dtype_float(c);
    return s || c->kernel_name == c->op->kernel ? s : not_in_half(c, c->compute);
}

nomen_status nomen__dtype_round(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    if (c->kernel_name == c->op->kernel) return all_of(c, d, d);
    if (nomen__dtype_kind(d) != 1) return not_in_half(c, d);
    all_of(c, NOMEN_I64, NOMEN_I64);
    c->result[0] = d;
    return NOMEN_OK;
}

/* The dtype of a new tensor: dtype=, that of out=, or else. The first two agree. */
static nomen_status new_dtype(nomen__call *c, nomen_dtype otherwise) {
    nomen_dtype asked = dtype_argument(c);
    nomen_dtype given = c->target[0] ? (nomen_dtype)c->target[0]->dtype : NOMEN_DTYPE_NONE;
    nomen_dtype d = asked ? asked : given ? given : otherwise;
    if (asked && given && asked != given)
        return nomen__fail(NOMEN_ERROR_DTYPE, "dtype %s does not match dtype of out parameter (%s)",
                           nomen_dtype_name(asked), nomen_dtype_name(given));
    return all_of(c, d, d);
}

nomen_status nomen__dtype_given(nomen__call *c) { return new_dtype(c, nomen__default_float()); }

nomen_status nomen__dtype_integers(nomen__call *c) { return new_dtype(c, NOMEN_I64); }

nomen_status nomen__dtype_like(nomen__call *c) {
    nomen_dtype asked = dtype_argument(c), d = asked ? asked : (nomen_dtype)c->in[0]->dtype;
    return all_of(c, d, d);
}

nomen_status nomen__dtype_fill_like(nomen__call *c) {
    nomen__dtype_like(c);
    return nomen__check_number(c->arg[nomen__arg_of(c->op, NOMEN__NUMBER)].number, c->compute);
}

static nomen_dtype dtype_of_number(const nomen_number *n) {
    return n->kind == NOMEN_NUMBER_BOOL      ? NOMEN_BOOL
           : n->kind == NOMEN_NUMBER_INT     ? NOMEN_I64
           : n->kind == NOMEN_NUMBER_COMPLEX ? nomen__default_complex()
                                             : nomen__default_float();
}

nomen_status nomen__dtype_fill(nomen__call *c) {
    const nomen_number *value = c->arg[nomen__arg_of(c->op, NOMEN__NUMBER)].number;
    nomen_status s = new_dtype(c, dtype_of_number(value));
    return s ? s : nomen__check_number(value, c->compute);
}

nomen_status nomen__dtype_range(nomen__call *c) {
    nomen_dtype d = NOMEN_I64;
    for (int i = 0; i < c->op->nargs; i++)
        if (c->op->args[i].kind == NOMEN__NUMBER && nomen__given(c, i) &&
            c->arg[i].number->kind >= NOMEN_NUMBER_FLOAT)
            d = nomen__default_float();
    return new_dtype(c, d);
}

/* linspace(start, end, ...): complex if one of them is. */
nomen_status nomen__dtype_linspace(nomen__call *c) {
    bool complex = c->arg[1].number->kind == NOMEN_NUMBER_COMPLEX ||
                   c->arg[2].number->kind == NOMEN_NUMBER_COMPLEX;
    nomen_dtype usual = complex ? nomen__default_complex() : nomen__default_float();
    nomen_status s = new_dtype(c, usual);
    int64_t steps = c->arg[3].integer;
    if (!s && steps < 0) s = nomen__fail(NOMEN_ERROR_STATE, "number of steps must be non-negative");
    /* a bound that no element has may be any number */
    for (int i = 1; !s && !complex && i <= 2 && i <= steps; i++)
        s = nomen__check_number(c->arg[i].number, c->compute);
    if (s || !complex || nomen_dtype_is_complex(c->compute)) return s;
    return nomen__fail(NOMEN_ERROR_DTYPE,
                       "linspace(): inferred dtype %s can't be safely cast to passed dtype %s",
                       nomen_dtype_name(usual), nomen_dtype_name(c->compute));
}

/* ---- numbers that are written ---------------------------------------------------------------- */

static double largest(nomen_dtype d) {
    return d == NOMEN_F16                     ? 65504
           : d == NOMEN_BF16                  ? 0x1.fep127
           : d == NOMEN_F32 || d == NOMEN_C64 ? 0x1.fffffep127
                                              : 0x1.fffffffffffffp1023;
}

static bool float_fits(double x, nomen_dtype d) {
    static const double top[] = {[NOMEN_U8] = 0x1p8,
                                 [NOMEN_I8] = 0x1p7,
                                 [NOMEN_I16] = 0x1p15,
                                 [NOMEN_I32] = 0x1p31,
                                 [NOMEN_I64] = 0x1p63};
    if (nomen__dtype_kind(d) != 1)
        return x != x || x - x != 0 || (x <= largest(d) && x >= -largest(d));
    double low = d == NOMEN_U8 ? 0 : -top[d];
    return x >= low && (d == NOMEN_I64 ? x < top[d] : x <= top[d] - 1);
}

/* Negative numbers wrap into uint8 as they do in C, but not more than once around. */
static bool int_fits(int64_t x, nomen_dtype d) {
    if (nomen__dtype_kind(d) != 1) return float_fits((double)x, d);
    int bits = 8 * (int)nomen_dtype_size(d) - (d != NOMEN_U8);
    if (d == NOMEN_I64) return true;
    int64_t top = (INT64_C(1) << bits) - 1;
    return x <= top && x >= (d == NOMEN_U8 ? -top : -top - 1);
}

nomen_status nomen__check_number(const nomen_number *number, nomen_dtype dtype) {
    const nomen_number n = *number;
    bool fits = dtype == NOMEN_BOOL;
    switch (n.kind) {
    case NOMEN_NUMBER_INT: fits |= int_fits(n.i, dtype); break;
    case NOMEN_NUMBER_FLOAT: fits |= float_fits(n.re, dtype); break;
    case NOMEN_NUMBER_COMPLEX:
        fits |= float_fits(n.re, dtype) &&
                (nomen__dtype_kind(dtype) == 3 ? float_fits(n.im, dtype) : n.im == 0);
        break;
    default: fits = true; break;
    }
    if (fits) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_DTYPE, "value cannot be converted to type %s without overflow",
                       nomen_dtype_name(dtype));
}

/* Whatever the number is: float32 and what has its exponents are wider than all integers. */
static bool all_fit(nomen_dtype from, nomen_dtype to) {
    return from == to || from == NOMEN_BOOL || to == NOMEN_BOOL ||
           (nomen_dtype_is_integral(from) && to >= NOMEN_F16 && to != NOMEN_F16);
}

nomen_status nomen__check_fits(const nomen_tensor *value, nomen_dtype dtype) {
    if (all_fit((nomen_dtype)value->dtype, dtype)) return NOMEN_OK;
    const nomen_number n = nomen_item_number(value);
    return nomen__check_number(&n, dtype);
}

nomen_status nomen__numbers_fit(nomen_tensor *const *in, int64_t count, nomen_dtype dtype) {
    nomen_status s = NOMEN_OK;
    for (int64_t i = 0; !s && i < count; i++)
        if (in[i]->flags & NOMEN__WRAPPED) s = nomen__check_fits(in[i], dtype);
    return s;
}
