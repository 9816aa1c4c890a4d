/* Words of the table: tensors filled with random numbers. PyTorch draws in the order of memory, and
 * so do we: a transposed tensor gets the numbers of the whole one, transposed. */
#include "op/draw_into.h"

#include "op/rows.gen.h"

#include <math.h>
#include <stdlib.h>

/* ---- the order of memory --------------------------------------------------------------------- */

/* Should dim a lie inside dim b? > 0: no, they change places. A step of 0 compares as equal with
 * every other, which is why this is no order and the sort below is the one that PyTorch has. */
static int compare_dims(const nomen_tensor *t, int a, int b) {
    int64_t x = llabs(t->stride[a]), y = llabs(t->stride[b]);
    if (x == 0 || y == 0) return 0;
    if (x != y) return x < y ? -1 : 1;
    return t->size[a] > t->size[b];
}

void nomen__memory_order(const nomen_tensor *t, int *dims) {
    for (int i = 0; i < t->ndim; i++) dims[i] = t->ndim - 1 - i;
    for (int i = 1; i < t->ndim; i++) {
        int at = i;
        for (int k = i - 1; k >= 0; k--) {
            int order = compare_dims(t, dims[k], dims[at]);
            if (order < 0) break;
            if (order == 0) continue;
            int moved = dims[k];
            dims[k] = dims[at];
            dims[at] = moved;
            at = k;
        }
    }
}

void nomen__strides_like(const nomen_tensor *model, const int64_t *size, int64_t *stride) {
    int order[NOMEN_MAX_DIMS];
    int64_t step = 1;
    nomen__memory_order(model, order);
    for (int k = 0; k < model->ndim; k++) {
        stride[order[k]] = step;
        step *= size[order[k]] > 1 ? size[order[k]] : 1;
    }
}

void nomen__lay_out_like(nomen_tensor *fresh, const nomen_tensor *model) {
    nomen__strides_like(model, fresh->size, fresh->stride);
    nomen__tensor_finish(fresh);
}

nomen_tensor *nomen__like_in_memory(const nomen_tensor *t) {
    nomen_tensor *fresh = nomen__tensor_empty((nomen_dtype)t->dtype, t->ndim, t->size);
    if (fresh) nomen__lay_out_like(fresh, t);
    return fresh;
}

nomen_tensor *nomen__in_order(const nomen_tensor *t, const int *dims) {
    nomen__map map;
    nomen__map_identity(t, &map);
    for (int k = 0; k < t->ndim; k++) {
        int d = dims[t->ndim - 1 - k];
        map.source[k] = (int8_t)d;
        map.size[k] = t->size[d];
    }
    return nomen__map_apply(t, &map);
}

/* ---- filling --------------------------------------------------------------------------------- */

static nomen_status fill(const nomen__drawing *d, nomen_dtype dtype, void *at, int64_t n,
                         bool whole) {
    switch (d->kind) {
    case NOMEN__DRAW_UNIFORM: return nomen__random_uniform(d->g, dtype, at, n);
    case NOMEN__DRAW_BETWEEN: return nomen__random_uniform_between(d->g, dtype, at, n, d->a, d->b);
    case NOMEN__DRAW_NORMAL:
        return whole && !d->singly ? nomen__random_normal(d->g, dtype, at, n, d->a, d->b)
                                   : nomen__random_normal_singly(d->g, dtype, at, n, d->a, d->b);
    case NOMEN__DRAW_INTEGERS: return nomen__random_integers(d->g, dtype, at, n, d->base, d->range);
    case NOMEN__DRAW_ANY: return nomen__random_any(d->g, dtype, at, n);
    case NOMEN__DRAW_BERNOULLI: return nomen__random_bernoulli(d->g, dtype, at, n, d->a);
    case NOMEN__DRAW_BERNOULLI_EACH:
        return nomen__random_bernoulli_each(d->g, dtype, at, n, (nomen_dtype)d->p->dtype,
                                            d->p->data);
    default:
        return nomen__random_distribution(d->g, (nomen__distribution)(d->kind - NOMEN__DRAW_OTHERS),
                                          dtype, at, n, d->a, d->b);
    }
}

/* Where memory or dtype is not what is drawn. */
static NOMEN_NOINLINE nomen_status draw_by_way_of(nomen_tensor *out, nomen_dtype dtype,
                                                  const nomen__drawing *d) {
    nomen__drawing drawing = *d;
    nomen_tensor *p = NULL, *ordered = NULL, *made = NULL;
    bool right = (nomen_dtype)out->dtype == dtype, whole = out->flags & NOMEN__CONTIGUOUS;
    int dims[NOMEN_MAX_DIMS];
    nomen__memory_order(out, dims);
    ordered = nomen__in_order(out, dims);
    nomen_status s = ordered ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    bool dense = !s && right && (ordered->flags & NOMEN__CONTIGUOUS);
    if (!s && !dense) {
        made = nomen__tensor_empty(dtype, ordered->ndim, ordered->size);
        if (!made) s = NOMEN_ERROR_MEMORY;
    }
    if (!s && d->p) {
        nomen_tensor *turned = nomen__in_order(d->p, dims);
        p = turned ? nomen__tensor_empty((nomen_dtype)turned->dtype, turned->ndim, turned->size)
                   : NULL;
        s = p ? nomen__copy_values(p, turned) : NOMEN_ERROR_MEMORY;
        nomen__release(turned);
        drawing.p = p;
    }
    if (!s) s = fill(&drawing, dtype, dense ? ordered->data : made->data, out->numel, whole);
    if (!s && made) s = nomen__copy_values(ordered, made);
    nomen__release(p);
    nomen__release(made);
    nomen__release(ordered);
    return s;
}

nomen_status nomen__draw_into(nomen_tensor *out, nomen_dtype dtype, const nomen__drawing *d) {
    const bool right = (nomen_dtype)out->dtype == dtype, whole = out->flags & NOMEN__CONTIGUOUS;
    return right && whole && (!d->p || d->p->flags & NOMEN__CONTIGUOUS)
               ? fill(d, dtype, out->data, out->numel, true)
               : draw_by_way_of(out, dtype, d);
}

/* By address: a copy would be read in wide loads while its fields are still being stored, which
 * waits for longer than a small draw takes otherwise. */
static nomen_status draw(const nomen__call *c, nomen__drawing *d) {
    d->g = nomen__generator_given(c);
    return nomen__draw_into(c->out[0], c->compute, d);
}

/* ---- arguments ------------------------------------------------------------------------------- */

nomen_generator *nomen__generator_given(const nomen__call *c) {
    int i = nomen__arg_of(c->op, NOMEN__GENERATOR);
    return i >= 0 && nomen__given(c, i) ? c->arg[i].generator : NULL;
}

nomen_status nomen__real_given(const nomen__call *c, int i, double absent, double *value) {
    *value = absent;
    if (!nomen__given(c, i)) return NOMEN_OK;
    const nomen_number *n = c->arg[i].number;
    if (n->kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s(): argument '%s' must be float, not complex",
                           c->op->name, c->op->args[i].name);
    *value = nomen__real_of(n);
    return NOMEN_OK;
}

static nomen_status integer_given(const nomen__call *c, int i, int64_t *value) {
    if (!nomen__given(c, i)) return NOMEN_OK;
    const nomen_number *n = c->arg[i].number;
    if (n->kind == NOMEN_NUMBER_FLOAT || n->kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s(): argument '%s' must be int, not %s", c->op->name,
                           c->op->args[i].name,
                           n->kind == NOMEN_NUMBER_FLOAT ? "float" : "complex");
    *value = n->i;
    return NOMEN_OK;
}

/* ---- what dtypes hold ------------------------------------------------------------------------ */

static int digits_of(nomen_dtype d) {
    return d == NOMEN_F16 ? 11 : d == NOMEN_BF16 ? 8 : d == NOMEN_F32 ? 24 : 53;
}

static double largest_float(nomen_dtype d) {
    return d == NOMEN_F16                     ? 65504
           : d == NOMEN_BF16                  ? 0x1.fep127
           : d == NOMEN_F32 || d == NOMEN_C64 ? (double)0x1.fffffep127f
                                              : 0x1.fffffffffffffp1023;
}

static int64_t largest_integer(nomen_dtype d) {
    switch (d) {
    case NOMEN_BOOL: return 1;
    case NOMEN_U8: return UINT8_MAX;
    case NOMEN_I8: return INT8_MAX;
    case NOMEN_I16: return INT16_MAX;
    case NOMEN_I32: return INT32_MAX;
    default: return INT64_MAX;
    }
}

static bool holds(nomen_dtype d, int64_t value) {
    if (nomen_dtype_is_floating(d)) return fabs((double)value) <= largest_float(d);
    int64_t most = largest_integer(d);
    return value <= most && value >= (d <= NOMEN_U8 ? 0 : -most - 1);
}

static nomen_status out_of_bounds(const char *what, nomen_dtype d) {
    return nomen__fail(NOMEN_ERROR_STATE, "%s is out of bounds for %s: choose a wider dtype", what,
                       nomen_dtype_name(d));
}

/* ---- uniform, normal ------------------------------------------------------------------------- */

nomen_status nomen__launch_rand(nomen__call *c) {
    return draw(c, &(nomen__drawing){.kind = NOMEN__DRAW_UNIFORM});
}

nomen_status nomen__launch_randn(nomen__call *c) {
    return draw(c, &(nomen__drawing){.kind = NOMEN__DRAW_NORMAL, .b = 1});
}

nomen_status nomen__launch_uniform(nomen__call *c) {
    if (!nomen__given(c, 1) && !nomen__given(c, 2)) return nomen__launch_rand(c);
    nomen__drawing d = {.kind = NOMEN__DRAW_BETWEEN};
    nomen_status s = nomen__real_given(c, 1, 0, &d.a);
    if (!s) s = nomen__real_given(c, 2, 1, &d.b);
    if (s) return s;
    double most = largest_float(c->compute);
    if (!(fabs(d.a) <= most)) return out_of_bounds("from", c->compute);
    if (!(fabs(d.b) <= most)) return out_of_bounds("to", c->compute);
    if (d.a > d.b)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", d.a, d.b);
    if (d.b - d.a > most)
        return nomen__fail(NOMEN_ERROR_STATE,
                           "uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found "
                           "to=%g and from=%g which result in to-from to exceed the limit",
                           nomen_dtype_name(c->compute), d.b, d.a);
    if (d.a == 0 && d.b == 1) d.kind = NOMEN__DRAW_UNIFORM;
    return draw(c, &d);
}

nomen_status nomen__check_std(double std) {
    return std >= 0
               ? NOMEN_OK
               : nomen__fail(NOMEN_ERROR_STATE, "normal expects std >= 0.0, but found std %g", std);
}

nomen_status nomen__launch_normal_in_place(nomen__call *c) {
    nomen__drawing d = {.kind = NOMEN__DRAW_NORMAL};
    nomen_status s = nomen__real_given(c, 1, 0, &d.a);
    if (!s) s = nomen__real_given(c, 2, 1, &d.b);
    if (!s) s = nomen__check_std(d.b);
    return s ? s : draw(c, &d);
}

/* ---- integers -------------------------------------------------------------------------------- */

/* value as a number of the dtype; what a cast to it and back makes. */
static int64_t rounded(nomen_dtype d, int64_t value) {
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int spare = 64 - __builtin_clzll(magnitude | 1) - digits_of(d);
    if (spare <= 0) return value;
    uint64_t unit = UINT64_C(1) << spare, rest = magnitude & (unit - 1);
    magnitude -= rest;
    if (rest > unit / 2 || (rest == unit / 2 && magnitude & unit)) magnitude += unit;
    /* what is no int64 becomes the smallest one, so that no bound moves on its account */
    if (magnitude > INT64_MAX) return INT64_MIN;
    return value < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* Between two numbers of the dtype that are neighbours of value. */
static int64_t spacing(nomen_dtype d, int64_t value) {
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int exponent = 63 - __builtin_clzll(magnitude | 1);
    int spare = exponent - digits_of(d) + 1;
    return spare > 0 ? INT64_C(1) << spare : 1;
}

/* Bounds that a floating dtype does not have move inwards, so that no draw is rounded out of the
 * range. */
static int64_t floating_from(nomen_dtype d, int64_t from) {
    int64_t next = rounded(d, from + 1);
    return next < from ? next + spacing(d, from + 1) : from;
}

static int64_t floating_to(nomen_dtype d, int64_t to) {
    int64_t last = rounded(d, to - 1);
    return last >= to ? last - spacing(d, to - 1) : to;
}

/* From `from` to the largest: of floating dtypes the end of the run of exact integers. */
static nomen_status draw_from(const nomen__call *c, int64_t from) {
    nomen__drawing d = {.kind = NOMEN__DRAW_INTEGERS, .base = from};
    if (from == INT64_MIN) { /* 64 bits as they are */
        if (c->compute != NOMEN_I64 &&
            (!nomen_dtype_is_floating(c->compute) || c->compute == NOMEN_F16))
            return nomen__fail(NOMEN_ERROR_STATE,
                               "random_full_64_bits_range_kernel_cpu handles only int64, double, "
                               "float and bfloat16, not %s",
                               nomen_dtype_name(c->compute));
        d.base = 0;
        return draw(c, &d);
    }
    int64_t most = largest_integer(c->compute);
    if (!holds(c->compute, from)) return out_of_bounds("from", c->compute);
    if (nomen_dtype_is_floating(c->compute)) {
        most = INT64_C(1) << digits_of(c->compute);
        d.base = from = floating_from(c->compute, from);
        if (from >= most)
            return nomen__fail(NOMEN_ERROR_STATE,
                               "random_ expects 'from' casted to dtype to be less than or equal to "
                               "'to_inc' casted to dtype, but got from=%lld > to_inc=%lld",
                               (long long)from, (long long)most);
    }
    d.range = (uint64_t)most - (uint64_t)from + 1;
    return draw(c, &d);
}

static nomen_status draw_between(const nomen__call *c, int64_t from, int64_t to) {
    if (from >= to)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
            (long long)from, (long long)to);
    if (nomen_dtype_is_floating(c->compute)) {
        from = floating_from(c->compute, from);
        to = floating_to(c->compute, to);
        if (from >= to)
            return nomen__fail(NOMEN_ERROR_STATE,
                               "random_ expects 'from' casted to dtype to be less than 'to' casted "
                               "to dtype, but got from=%lld >= to=%lld",
                               (long long)from, (long long)to);
    }
    if (!holds(c->compute, from)) return out_of_bounds("from", c->compute);
    if (!holds(c->compute, to - 1)) return out_of_bounds("to - 1", c->compute);
    return draw(c, &(nomen__drawing){.kind = NOMEN__DRAW_INTEGERS,
                                     .base = from,
                                     .range = (uint64_t)to - (uint64_t)from});
}

nomen_status nomen__launch_random(nomen__call *c) {
    bool has_from = nomen__given(c, 1), has_to = nomen__given(c, 2);
    if (!has_from && !has_to) return draw(c, &(nomen__drawing){.kind = NOMEN__DRAW_ANY});
    int64_t from = 0, to = 0;
    nomen_status s = integer_given(c, 1, &from);
    if (s) return s;
    if (has_to && c->arg[2].number->kind == NOMEN_NUMBER_FLOAT &&
        c->arg[2].number->re == (double)INFINITY)
        return draw_from(c, from);
    s = integer_given(c, 2, &to);
    if (!has_to) { /* one number alone is the end */
        to = from;
        from = 0;
    }
    return s ? s : draw_between(c, from, to);
}

nomen_status nomen__launch_randint(nomen__call *c) {
    int64_t low = 0, high = 0;
    if (!nomen__given(c, 2))
        return nomen__fail(NOMEN_ERROR_TYPE,
                           "%s() missing 1 required positional arguments: "
                           "\"high\"",
                           c->op->name);
    nomen_status s = integer_given(c, 1, &low);
    if (!s) s = integer_given(c, 2, &high);
    return s ? s : draw_between(c, low, high);
}

nomen_status nomen__shape_randperm(nomen__call *c) {
    int64_t n = c->arg[1].integer;
    if (n < 0)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Trying to create tensor with negative dimension %lld: [%lld]",
                           (long long)n, (long long)n);
    if (nomen_dtype_is_floating(c->compute) && c->compute != NOMEN_BF16 &&
        n > (INT64_C(1) << digits_of(c->compute)) + 1)
        return nomen__fail(NOMEN_ERROR_STATE, "n cannot be greater than %lld for %s type.",
                           (long long)(INT64_C(1) << digits_of(c->compute)) + 1,
                           nomen_dtype_name(c->compute));
    if (!holds(c->compute, n))
        return nomen__fail(NOMEN_ERROR_STATE,
                           "value cannot be converted to type %s without overflow: n is %lld",
                           nomen_dtype_name(c->compute), (long long)n);
    c->ndim = 1;
    c->size[0] = n;
    return NOMEN_OK;
}

nomen_status nomen__launch_randperm(nomen__call *c) {
    nomen_tensor *out = c->out[0];
    bool direct = out->dtype == NOMEN_I64 && (out->flags & NOMEN__CONTIGUOUS);
    nomen_tensor *t = direct ? nomen__retain(out) : nomen__tensor_empty(NOMEN_I64, 1, c->size);
    if (!t) return NOMEN_ERROR_MEMORY;
    nomen_status s =
        nomen__random_permutation(nomen__generator_given(c), (int64_t *)(void *)t->data, t->numel);
    if (!s && !direct) s = nomen__copy_values(out, t);
    nomen__release(t);
    return s;
}

/* ---- other distributions --------------------------------------------------------------------- */

static nomen_status draw_other(const nomen__call *c, nomen__distribution which, double a,
                               double b) {
    return draw(c, &(nomen__drawing){.kind = NOMEN__DRAW_OTHERS + (int)which, .a = a, .b = b});
}

nomen_status nomen__launch_cauchy(nomen__call *c) {
    double median, sigma;
    nomen_status s = nomen__real_given(c, 1, 0, &median);
    if (!s) s = nomen__real_given(c, 2, 1, &sigma);
    return s ? s : draw_other(c, NOMEN__CAUCHY, median, sigma);
}

nomen_status nomen__launch_exponential(nomen__call *c) {
    double rate;
    nomen_status s = nomen__real_given(c, 1, 1, &rate);
    if (!s && !(rate >= 0))
        s = nomen__fail(NOMEN_ERROR_STATE,
                        "exponential_ expects lambda >= 0.0, but found lambda=%g", rate);
    return s ? s : draw_other(c, NOMEN__EXPONENTIAL, rate, 0);
}

nomen_status nomen__launch_log_normal(nomen__call *c) {
    double mean, std;
    nomen_status s = nomen__real_given(c, 1, 1, &mean);
    if (!s) s = nomen__real_given(c, 2, 2, &std);
    if (!s && !(std > 0))
        s = nomen__fail(NOMEN_ERROR_STATE, "log_normal_ expects std > 0.0, but found std=%g", std);
    return s ? s : draw_other(c, NOMEN__LOG_NORMAL, mean, std);
}

nomen_status nomen__launch_geometric(nomen__call *c) {
    double p;
    nomen_status s = nomen__real_given(c, 1, 0, &p);
    if (!s && !(p > 0 && p < 1))
        s = nomen__fail(NOMEN_ERROR_STATE, "geometric_ expects p to be in (0, 1), but got p=%g", p);
    return s ? s : draw_other(c, NOMEN__GEOMETRIC, p, 0);
}
