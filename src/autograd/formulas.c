/* Words of the gradient formulas: element by element, reductions, sizes. Products are in
 * formulas_product.c. */
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/device.h"
#include "nomen/ops.gen.h"
#include "op/iter.h"

#include <math.h>
#include <string.h>

/* ---- helpers --------------------------------------------------------------------------------- */

static nomen_tensor *zero(void) { return nomen_scalar(0); }

static nomen_tensor *one(void) { return nomen_scalar(1); }

static bool is_complex(const nomen_tensor *t) {
    return t && nomen_dtype_is_complex((nomen_dtype)t->dtype);
}

int nomen__g_any(nomen_tensor *t) { return nomen__truth(nomen__retain(nomen_any(t))); }

/* The same values, of no interest to the tape. */
static nomen_tensor *constant(nomen_tensor *t) { return t ? nomen_detach(t) : NULL; }

nomen_tensor *nomen__sum_to(nomen_tensor *t, int ndim, const int64_t *size) {
    if (!t) return NULL;
    int lead = t->ndim - ndim;
    uint64_t mask = 0;
    bool spread = false;
    for (int d = 0; d < t->ndim; d++) {
        if (d < lead || (size[d - lead] == 1 && t->size[d] != 1))
            mask |= UINT64_C(1) << d;
        else if (size[d - lead] != t->size[d])
            spread = true;
    }
    if (lead < 0 || spread) return nomen_expand(t, (nomen_sizes){ndim, size});
    char text[NOMEN__DIM_TEXT];
    if (mask) t = nomen_sum(t, .dim = nomen__dim_text(mask, text), .keepdim = true);
    return lead && t ? nomen_reshape(t, (nomen_sizes){ndim, size}) : t;
}

/* ---- small words ----------------------------------------------------------------------------- */

nomen_tensor *nomen__conj(nomen_tensor *t) { return is_complex(t) ? nomen_conjugate(t) : t; }

/* One number, which the engine spreads: gradients of sums do not fill memory either. */
nomen_tensor *nomen__zero_like(nomen_tensor *t) {
    return t ? nomen_zeros(NULL, (nomen_sizes){0}, .dtype = (nomen_dtype)t->dtype,
                           .device = nomen_device_of(t))
             : NULL;
}

nomen_tensor *nomen__g_times(nomen_tensor *t, double factor) {
    return nomen_mul(t, nomen_scalar(factor));
}

nomen_tensor *nomen__g_power(nomen_tensor *t, int power) {
    nomen_tensor *r = t;
    for (int i = 1; i < power; i++) r = nomen_mul(r, t);
    return r;
}

nomen_tensor *nomen__g_scale(nomen_tensor *g, nomen__backward *b, int arg) {
    nomen_number n = nomen__b_number(b, arg);
    if (n.kind == NOMEN_ABSENT) return g;
    n.im = -n.im;
    return nomen_mul(g, nomen_scalar_call(n));
}

/* ---- kernels of gradients (src/kernels/gradients.c) ------------------------------------------ */

/* What is not to be differentiated again, and is where kernels reach it. */
static bool by_kernel(const nomen_tensor *g, const nomen_tensor *y) {
    return !nomen__grad_enabled && !g->device && !y->device && g->dtype == y->dtype &&
           nomen__has_sizes(g, y->ndim, y->size);
}

bool nomen__g_at_once(const char *name, nomen_tensor **result, int count, nomen_tensor *const *in) {
    const nomen_tensor *g = in[0];
    const nomen_dtype dtype = (nomen_dtype)g->dtype;
    const nomen__kernel *kernel = nomen__kernel_find(name, dtype);
    *result = NULL;
    if (!by_kernel(g, g)) return false;
    for (int k = 1; k < count; k++)
        if (!in[k]) return true; /* what failed has told so */
    for (int k = 1; k < count; k++) {
        const bool is_number = k > 1 && !in[k]->ndim && in[k]->dtype == g->dtype;
        if (!is_number && !by_kernel(g, in[k])) return false;
    }
    /* in whole types the formula gives the same bits, unless it is a slope, and may be put off */
    const bool same = nomen_dtype_size(dtype) >= sizeof(float) && count > 1;
    if (!kernel || (nomen__fusing && same)) return false;
    for (int k = 0; k < count; k++)
        if (nomen__make_ready(in[k])) return true;
    nomen_tensor *out = nomen_empty_like(in[count > 1]);
    *result = out;
    if (!out) return true;
    nomen__iter it;
    nomen__iter_make(&it, kernel->loop, out, in, count, out->ndim, out->size, dtype, dtype);
    if (!it.simple) nomen__iter_by_lines(&it, kernel->lines);
    nomen__iter_run(&it);
    return true;
}

/* The same of g, y and a number, which half types have, too, or it is for the formula. */
static bool with_number(const char *name, nomen_tensor *g, nomen_tensor *y, double c,
                        nomen_tensor **r) {
    if (nomen_dtype_size((nomen_dtype)g->dtype) < sizeof(float) && c != floor(c)) return false;
    nomen_tensor *number = nomen_cast(nomen_scalar(c), (nomen_dtype)g->dtype);
    return nomen__g_at_once(name, r, 3, (nomen_tensor *[]){g, y, number});
}

nomen_tensor *nomen__g_product(nomen_tensor *g, nomen_tensor *y, double c) {
    nomen_tensor *r;
    if (with_number("product_gradient", g, y, c, &r)) return r;
    return nomen_mul(g, nomen__conj(nomen__g_times(y, c)));
}

nomen_tensor *nomen__g_over_product(nomen_tensor *g, nomen_tensor *y, double c) {
    nomen_tensor *r;
    if (with_number("over_product_gradient", g, y, c, &r)) return r;
    return nomen_div(g, nomen__conj(nomen__g_times(y, c)));
}

nomen_tensor *nomen__g_sum_product(nomen_tensor *g, nomen_tensor *y, double c) {
    nomen_tensor *r;
    if (with_number("sum_product_gradient", g, y, c, &r)) return r;
    return nomen_mul(g, nomen__conj(nomen_add(y, nomen_scalar(c))));
}

nomen_tensor *nomen__g_over_sum(nomen_tensor *g, nomen_tensor *y, double c) {
    nomen_tensor *r;
    if (with_number("over_sum_gradient", g, y, c, &r)) return r;
    return nomen_div(g, nomen__conj(nomen_add(y, nomen_scalar(c))));
}

/* The same of rows; y has no gaps. */
static bool rows_at_once(const char *name, nomen__backward *b, nomen_tensor *g,
                         nomen_tensor **result) {
    nomen_tensor *y = b->result;
    if (!by_kernel(g, y) || is_complex(y) || !(y->flags & NOMEN__CONTIGUOUS)) return false;
    *result = NULL;
    g = nomen_contiguous(g);
    if (!g || nomen__make_ready(g) || nomen__make_ready(y)) return true;
    *result = nomen__scoped(nomen__rows_slopes(name, y, g, b->node->dim));
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_view(nomen__backward *b, nomen_tensor *g) {
    return nomen__map_adjoint(g, &b->node->map, b->size);
}

nomen_tensor *nomen__g_reshape(nomen__backward *b, nomen_tensor *g, int input) {
    (void)input;
    return nomen_reshape(g, (nomen_sizes){b->ndim, b->size});
}

nomen_tensor *nomen__g_cat(nomen__backward *b, nomen_tensor *g, int input) {
    char text[NOMEN__DIM_TEXT];
    int64_t start = b->node->offset[input], length = b->node->offset[input + 1] - start;
    if (b->ndim != g->ndim)
        return nomen_zeros(NULL, (nomen_sizes){b->ndim, b->size}, .dtype = (nomen_dtype)g->dtype);
    return nomen_narrow(g, nomen__one_dim(b->node->dim, text), start, length);
}

nomen_tensor *nomen__g_stack(nomen__backward *b, nomen_tensor *g, int input) {
    char text[NOMEN__DIM_TEXT];
    return nomen_select(g, nomen__one_dim(b->node->dim, text), input);
}

/* t with the reduced dims as dims of size 1. */
static nomen_tensor *with_dims(nomen__backward *b, nomen_tensor *t) {
    if (!t || t->ndim == b->ndim) return t;
    int64_t size[NOMEN_MAX_DIMS];
    for (int d = 0; d < b->ndim; d++) size[d] = b->node->mask >> d & 1 ? 1 : b->size[d];
    return nomen_reshape(t, (nomen_sizes){b->ndim, size});
}

nomen_tensor *nomen__g_unreduce(nomen__backward *b, nomen_tensor *t) {
    return nomen_expand(with_dims(b, t), (nomen_sizes){b->ndim, b->size});
}

static int64_t reduced_count(const nomen__backward *b) {
    int64_t count = 1;
    for (int d = 0; d < b->ndim; d++)
        if (b->node->mask >> d & 1) count *= b->size[d];
    return count;
}

/* ---- pointwise ------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_abs(nomen__backward *b, nomen_tensor *g) {
    return nomen_mul(g, nomen_sgn(b->in[0]));
}

/* Real: flat wherever it is smooth. Complex: what is left of g across the direction of z, over |z|.
 */
nomen_tensor *nomen__g_sgn(nomen__backward *b, nomen_tensor *g) {
    if (!is_complex(b->in[0])) return nomen__zero_like(g);
    nomen_tensor *z = b->in[0], *flat = nomen_eq(constant(z), zero());
    nomen_tensor *size = nomen_where(flat, one(), nomen_abs(z)), *unit = nomen_div(z, size);
    nomen_tensor *along = nomen_mul(g, nomen_conj(unit));
    nomen_tensor *across = nomen__g_times(nomen_sub(along, nomen_conj(along)), 0.5);
    return nomen_where(flat, zero(), nomen_div(nomen_mul(unit, across), size));
}

nomen_tensor *nomen__g_relu(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *r;
    if (nomen__g_at_once("relu_gradient", &r, 2, (nomen_tensor *[]){g, b->result})) return r;
    return nomen_where(nomen_le(constant(b->result), zero()), zero(), g);
}

nomen_tensor *nomen__g_tanh(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *r;
    if (nomen__g_at_once("tanh_gradient", &r, 2, (nomen_tensor *[]){g, b->result})) return r;
    return nomen_mul(g, nomen__conj(nomen_sub(one(), nomen_mul(b->result, b->result))));
}

nomen_tensor *nomen__g_sigmoid(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *r;
    if (nomen__g_at_once("sigmoid_gradient", &r, 2, (nomen_tensor *[]){g, b->result})) return r;
    return nomen_mul(g, nomen__conj(nomen_mul(nomen_sub(one(), b->result), b->result)));
}

/* Rounded quotients are flat. */
static bool is_rounded(nomen__backward *b) { return nomen__b_given(b, 2); }

nomen_tensor *nomen__g_div_self(nomen__backward *b, nomen_tensor *g) {
    return is_rounded(b) ? nomen__zero_like(g) : nomen_div(g, nomen__conj(b->in[1]));
}

nomen_tensor *nomen__g_div_other(nomen__backward *b, nomen_tensor *g) {
    if (is_rounded(b)) return nomen__zero_like(g);
    nomen_tensor *slope = nomen_div(nomen_div(b->in[0], b->in[1]), b->in[1]);
    return nomen_neg(nomen_mul(g, nomen__conj(slope)));
}

/* An exponent of 0 makes a constant, at a base of 0 too. */
nomen_tensor *nomen__g_pow_self(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *e = b->in[1];
    if (e->flags & NOMEN__WRAPPED && !is_complex(e)) { /* simple powers have kernels of their own */
        const double p = nomen_item(e);
        if (p == 0) return nomen__zero_like(g);
        nomen_tensor *slope = nomen_pow(b->in[0], nomen_scalar(p - 1));
        return nomen_mul(g, nomen__conj(nomen__g_times(slope, p)));
    }
    nomen_tensor *flat = nomen_eq(constant(e), zero());
    nomen_tensor *less = nomen_where(flat, zero(), nomen_sub(e, one()));
    return nomen_mul(g, nomen__conj(nomen_mul(e, nomen_pow(b->in[0], less))));
}

/* 0 to a power of 0 or more does not move with the power. */
nomen_tensor *nomen__g_pow_exponent(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *x = b->in[0], *e = constant(b->in[1]);
    if (x->flags & NOMEN__WRAPPED && !is_complex(x)) {
        const double base = nomen_item(x);
        if (base != 0) return nomen__g_product(g, b->result, log(base));
    }
    nomen_tensor *at_zero = nomen_eq(constant(x), zero());
    nomen_tensor *below = is_complex(e) ? nomen_logical_not(at_zero) : nomen_lt(e, zero());
    nomen_tensor *flat = nomen_mul(at_zero, nomen_logical_not(below));
    nomen_tensor *log = nomen_log(nomen_where(flat, one(), x));
    return nomen_mul(g, nomen__conj(nomen_mul(b->result, log)));
}

nomen_tensor *nomen__g_clamp(nomen__backward *b, nomen_tensor *g, int input) {
    nomen_tensor *x = constant(b->in[0]), *low = constant(b->in[1]), *high = constant(b->in[2]);
    bool has_low = b->in[1], has_high = b->in[2]; /* low and high are NULL without memory, too */
    nomen_tensor *none = nomen__zero_like(g);
    if (input == 0) {
        if (has_low) g = nomen_where(nomen_ge(x, low), g, none);
        return has_high ? nomen_where(nomen_le(x, high), g, none) : g;
    }
    /* Where the bounds cross, the upper one is the result. */
    if (input == 1) {
        if (has_high) g = nomen_where(nomen_lt(low, high), g, none);
        return nomen_where(nomen_lt(x, low), g, none);
    }
    nomen_tensor *inside = nomen_where(nomen_gt(x, high), g, none);
    return has_low ? nomen_where(nomen_lt(high, low), g, inside) : inside;
}

nomen_tensor *nomen__g_larger(nomen__backward *b, nomen_tensor *g, nomen_tensor *x,
                              nomen_tensor *y) {
    (void)b;
    x = constant(x);
    y = constant(y);
    nomen_tensor *larger = nomen_where(nomen_lt(x, y), zero(), g);
    return nomen_where(nomen_eq(x, y), nomen__g_times(g, 0.5), larger);
}

/* fmax and fmin take the first input where it wins, or where the other is not a number. */
nomen_tensor *nomen__g_taken(nomen__backward *b, nomen_tensor *g, nomen_tensor *wins, int input) {
    nomen_tensor *first = nomen_logical_or(wins, nomen_isnan(constant(b->in[1])));
    nomen_tensor *none = nomen__zero_like(g);
    return input == 0 ? nomen_where(first, g, none) : nomen_where(first, none, g);
}

/* ---- reductions ------------------------------------------------------------------------------ */

nomen_tensor *nomen__g_mean(nomen__backward *b, nomen_tensor *g) {
    return nomen__g_unreduce(b, nomen_div(g, nomen_scalar((double)reduced_count(b))));
}

/* The product of all other elements along the last dim, for each element: products of pairs up a
 * tree, and down again those of everything outside the pair. No division, so zeros do no harm, also
 * not to the next derivative. */
static nomen_tensor *product_of_others(nomen_tensor *x) {
    enum { LEVELS = 64 };
    nomen_tensor *even[LEVELS], *odd[LEVELS];
    int levels = 0;
    int64_t n = x->size[x->ndim - 1];
    nomen_tensor *t = x;
    int64_t size[NOMEN_MAX_DIMS];
    memcpy(size, x->size, sizeof *size * x->ndim);
    int last = x->ndim - 1;
    while (t && t->size[last] > 1) {
        if (t->size[last] % 2) {
            size[last] = 1;
            nomen_tensor *fill =
                nomen_ones(NULL, (nomen_sizes){t->ndim, size}, .dtype = (nomen_dtype)t->dtype);
            t = nomen_cat(NOMEN_LIST(t, fill), "-1");
        }
        even[levels] = nomen_slice(t, "-1", .step = nomen_num(2));
        odd[levels] = nomen_slice(t, "-1", .start = nomen_num(1), .step = nomen_num(2));
        t = nomen_mul(even[levels], odd[levels]);
        levels++;
    }
    nomen_tensor *outside = t ? nomen_ones_like(t) : NULL;
    while (levels-- > 0 && outside) {
        outside = nomen_narrow(outside, "-1", 0, even[levels]->size[last]);
        nomen_tensor *left = nomen_mul(outside, odd[levels]),
                     *right = nomen_mul(outside, even[levels]);
        nomen_tensor *both = nomen_stack(NOMEN_LIST(left, right), "-1");
        size[last] = 2 * even[levels]->size[last];
        outside = nomen_reshape(both, (nomen_sizes){x->ndim, size});
    }
    return outside ? nomen_narrow(outside, "-1", 0, n) : NULL;
}

/* The same over the reduced dims, wherever they are. */
static nomen_tensor *product_of_others_over(nomen__backward *b, nomen_tensor *x) {
    int order[NOMEN_MAX_DIMS], back[NOMEN_MAX_DIMS], n = 0;
    for (int d = 0; d < b->ndim; d++)
        if (!(b->node->mask >> d & 1)) order[n++] = d;
    int kept = n;
    for (int d = 0; d < b->ndim; d++)
        if (b->node->mask >> d & 1) order[n++] = d;
    char there[NOMEN__DIM_TEXT], again[NOMEN__DIM_TEXT];
    int64_t joined[NOMEN_MAX_DIMS], apart[NOMEN_MAX_DIMS];
    for (int k = 0; k < n; k++) {
        back[order[k]] = k;
        apart[k] = b->size[order[k]];
        if (k < kept) joined[k] = apart[k];
    }
    joined[kept] = reduced_count(b);
    nomen_tensor *rows = n ? nomen_permute(x, nomen__dims_text(order, n, there)) : x;
    rows = nomen_reshape(rows, (nomen_sizes){kept + 1, joined});
    nomen_tensor *others = rows ? product_of_others(rows) : NULL;
    others = nomen_reshape(others, (nomen_sizes){n, apart});
    return n ? nomen_permute(others, nomen__dims_text(back, n, again)) : others;
}

nomen_tensor *nomen__g_prod(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *x = b->in[0];
    if (x->numel == 0) return nomen_zeros_like(x);
    if (g->dtype != x->dtype) x = nomen_cast(x, .dtype = (nomen_dtype)g->dtype);
    int zeros = nomen__g_any(nomen_eq(constant(x), zero()));
    if (zeros < 0) return NULL;
    nomen_tensor *slope =
        zeros ? product_of_others_over(b, x) : nomen_div(nomen__g_unreduce(b, b->result), x);
    return nomen_mul(nomen__g_unreduce(b, g), nomen__conj(slope));
}

nomen_tensor *nomen__g_var(nomen__backward *b, nomen_tensor *g) {
    nomen_number n = nomen__b_number(b, 3);
    double correction = n.kind == NOMEN_ABSENT         ? 1
                        : n.kind == NOMEN_NUMBER_FLOAT ? n.re
                                                       : (double)n.i;
    double divisor = (double)reduced_count(b) - correction;
    char text[NOMEN__DIM_TEXT];
    nomen_tensor *x = b->in[0];
    nomen_tensor *mean =
        b->node->mask ? nomen_mean(x, .dim = nomen__dim_text(b->node->mask, text), .keepdim = true)
                      : x;
    nomen_tensor *scaled = nomen_mul(g, nomen_scalar(2 / (divisor > 0 ? divisor : 0)));
    return nomen_mul(nomen__g_unreduce(b, scaled), nomen_sub(x, mean));
}

nomen_tensor *nomen__g_std(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *flat = nomen_eq(constant(b->result), zero());
    nomen_tensor *twice = nomen__g_times(nomen_where(flat, one(), b->result), 2);
    return nomen__g_var(b, nomen_where(flat, zero(), nomen_div(g, twice)));
}

nomen_tensor *nomen__g_logsumexp(nomen__backward *b, nomen_tensor *g) {
    /* Where all is -inf (or something is inf), the difference would be nan. */
    nomen_tensor *total = nomen__g_unreduce(b, b->result), *x = b->in[0];
    nomen_tensor *same = nomen_eq(constant(x), constant(total));
    nomen_tensor *part = nomen_where(same, zero(), nomen_sub(x, total));
    nomen_tensor *lowest = nomen_eq(constant(x), nomen_scalar(-(double)INFINITY));
    nomen_tensor *share = nomen_where(lowest, zero(), nomen_exp(part));
    return nomen_mul(nomen__g_unreduce(b, g), nomen__conj(share));
}

nomen_tensor *nomen__g_softmax(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *r;
    if (b->ndim == 0) return nomen__zero_like(g);
    if (rows_at_once("softmax_gradient", b, g, &r)) return r;
    char text[NOMEN__DIM_TEXT];
    nomen_tensor *part = nomen_mul(g, b->result);
    nomen_tensor *sum = nomen_sum(part, .dim = nomen__one_dim(b->node->dim, text), .keepdim = true);
    return nomen_sub(part, nomen_mul(b->result, sum));
}

nomen_tensor *nomen__g_log_softmax(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *r;
    if (b->ndim == 0) return nomen__zero_like(g);
    if (rows_at_once("log_softmax_gradient", b, g, &r)) return r;
    char text[NOMEN__DIM_TEXT];
    nomen_tensor *sum = nomen_sum(g, .dim = nomen__one_dim(b->node->dim, text), .keepdim = true);
    return nomen_sub(g, nomen_mul(nomen_exp(b->result), sum));
}
