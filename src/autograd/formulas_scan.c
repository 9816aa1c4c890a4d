/* Words of the gradient formulas of scans, norms, and reductions that pass over NaN. */
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/ops.gen.h"

#include <math.h>

static nomen_tensor *number(double x) { return nomen_scalar(x); }

static nomen_tensor *constant(nomen_tensor *t) { return t ? nomen_detach(t) : NULL; }

/* The operand in the dtype of the gradient: dtype= may have asked for another. */
static nomen_tensor *operand_as(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *x = b->in[0];
    return g->dtype == x->dtype ? x : nomen_cast(x, .dtype = (nomen_dtype)g->dtype);
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* How the scan went: along which dim, how far, and from which end. */
typedef struct course {
    char dim[NOMEN__DIM_TEXT];
    int64_t n;
    bool reverse;
} course;

static course course_of(nomen__backward *b, int reverse_arg) {
    course w = {.n = b->size[b->node->dim], .reverse = nomen__b_flag(b, reverse_arg)};
    nomen__one_dim(b->node->dim, w.dim);
    return w;
}

/* The first or last n elements on the way. */
static nomen_tensor *piece(nomen_tensor *t, const course *w, bool first, int64_t n) {
    return nomen_narrow(t, w->dim, first != w->reverse ? 0 : w->n - n, n);
}

static nomen_tensor *joined(nomen_tensor *first, nomen_tensor *last, const course *w) {
    return w->reverse ? nomen_cat(NOMEN_LIST(last, first), w->dim)
                      : nomen_cat(NOMEN_LIST(first, last), w->dim);
}

/* s[i] = b[i] + a[i] * s[i + 1] along the way, without division and with as many steps as n has
 * bits: after each, b has taken in twice as many of the elements behind it. The last a is not read.
 */
static nomen_tensor *from_behind(nomen_tensor *a, nomen_tensor *b, const course *w) {
    for (int64_t d = 1; d < w->n && a && b; d *= 2) {
        nomen_tensor *far = piece(b, w, false, w->n - d), *near = piece(a, w, true, w->n - d);
        nomen_tensor *rest = piece(b, w, false, d);
        nomen_tensor *reached = nomen_add(piece(b, w, true, w->n - d), nomen_mul(near, far));
        nomen_tensor *step = nomen_mul(near, piece(a, w, false, w->n - d));
        a = joined(step, nomen_zeros_like(piece(a, w, false, d)), w);
        b = joined(reached, rest, w);
    }
    return a ? b : NULL;
}

/* Each element's successor on the way; the last one has none and gets what is not read. */
static nomen_tensor *next(nomen_tensor *t, const course *w) {
    return joined(piece(t, w, false, w->n - 1), piece(t, w, false, 1), w);
}

/* Has each line one element at most? */
static bool are_alone(const nomen__backward *b, const nomen_tensor *g) {
    return b->ndim == 0 || g->numel == 0 || b->size[b->node->dim] == 1;
}

nomen_tensor *nomen__g_cumsum(nomen__backward *b, nomen_tensor *g) {
    if (are_alone(b, g)) return g;
    course w = course_of(b, 3);
    return nomen_cumsum(g, w.dim, .reverse = !w.reverse);
}

/* Without a zero, what g brings to each result, over the element. With zeros, the product of all
 * before it times what comes from behind: no division, and right in every derivative. */
nomen_tensor *nomen__g_cumprod(nomen__backward *b, nomen_tensor *g) {
    if (are_alone(b, g)) return b->part ? nomen__g_whole(b) : g;
    course w = course_of(b, 3);
    nomen_tensor *x = operand_as(b, g), *y = b->result;
    int zeros = nomen__g_any(nomen_eq(constant(x), number(0)));
    if (zeros < 0) return NULL;
    if (!zeros) {
        nomen_tensor *sum =
            nomen_cumsum(nomen_mul(g, nomen__conj(y)), w.dim, .reverse = !w.reverse);
        return nomen_div(sum, nomen__conj(x));
    }
    nomen_tensor *before =
        joined(nomen_ones_like(piece(y, &w, true, 1)), piece(y, &w, true, w.n - 1), &w);
    nomen_tensor *behind = from_behind(nomen__conj(next(x, &w)), g, &w);
    return nomen_mul(nomen__conj(before), behind);
}

/* g[i] * exp(x[j] - y[i]), summed over i from j on. Between neighbours exp(y[i] - y[i + 1]) is at
 * most 1, so nothing overflows. Where nothing but -inf has come there is nothing to share. */
nomen_tensor *nomen__g_logcumsumexp(nomen__backward *b, nomen_tensor *g) {
    if (b->ndim == 0 || g->numel == 0) return g;
    course w = course_of(b, 2);
    nomen_tensor *x = b->in[0], *y = b->result, *lowest = number(-(double)INFINITY);
    nomen_tensor *nothing = nomen_eq(constant(y), lowest), *none = nomen_eq(constant(x), lowest);
    x = nomen_where(none, number(0), x);
    y = nomen_where(nothing, number(0), y);
    nomen_tensor *share = nomen_exp(nomen_sub(x, nomen_where(none, number(0), y)));
    share = nomen_where(none, number(0), share);
    nomen_tensor *less = nomen_where(nothing, number(0), nomen_sub(y, next(y, &w)));
    return nomen_mul(nomen__conj(share), from_behind(nomen__conj(nomen_exp(less)), g, &w));
}

/* ---- reductions ------------------------------------------------------------------------------ */

static nomen_tensor *sum_again(nomen__backward *b, nomen_tensor *t) {
    char text[NOMEN__DIM_TEXT];
    if (!b->node->mask) return t;
    return nomen_sum(t, .dim = nomen__dim_text(b->node->mask, text), .keepdim = true);
}

/* g evenly to the chosen of each result. */
static nomen_tensor *shared(nomen__backward *b, nomen_tensor *g, nomen_tensor *chosen) {
    nomen_tensor *many = nomen_cast(chosen, .dtype = (nomen_dtype)g->dtype);
    nomen_tensor *each = nomen_div(nomen__g_unreduce(b, g), sum_again(b, many));
    return nomen_where(chosen, each, number(0));
}

nomen_tensor *nomen__g_shared_extremum(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *x = constant(b->in[0]), *best = nomen__g_unreduce(b, constant(b->result));
    nomen_tensor *both = nomen_mul(nomen_isnan(x), nomen_isnan(best));
    return shared(b, g, nomen_add(nomen_eq(x, best), both));
}

nomen_tensor *nomen__g_nansum(nomen__backward *b, nomen_tensor *g) {
    g = nomen__g_unreduce(b, g);
    return nomen_where(nomen_isnan(constant(b->in[0])), number(0), g);
}

nomen_tensor *nomen__g_nanmean(nomen__backward *b, nomen_tensor *g) {
    return shared(b, g, nomen_logical_not(nomen_isnan(constant(b->in[0]))));
}

/* x / |x|, 0 at 0, of real and complex numbers. */
static nomen_tensor *direction(nomen_tensor *x) { return nomen_sgn(x); }

/* Where the divisor is 0 the whole is 0. */
static nomen_tensor *over(nomen_tensor *t, nomen_tensor *divisor) {
    nomen_tensor *flat = nomen_eq(constant(divisor), number(0));
    nomen_tensor *safe = nomen_where(flat, number(1), divisor);
    nomen_tensor *r = nomen_div(t, safe);
    return nomen_where(flat, number(0), r);
}

double nomen__order_of_norm(const nomen__backward *b, int arg) {
    nomen_number n = nomen__b_number(b, arg);
    return n.kind == NOMEN_ABSENT ? 2 : nomen__real_of(&n);
}

/* The gradient of a p-norm over x, for p that is not infinite: norm and spread, the gradient of the
 * norm, broadcast to x. */
nomen_tensor *nomen__slope_of_norm(nomen_tensor *x, nomen_tensor *norm, nomen_tensor *spread,
                                   double p) {
    if (p == 0) return nomen_zeros_like(x);
    if (p == 1) return nomen_mul(direction(x), spread);
    if (!norm || !spread) return NULL; /* what failed has told so */
    nomen_tensor *r, *in[] = {spread, x, norm};
    const char *kernel = p == 2 ? "hypot_gradient" : "norm3_gradient";
    if ((p == 2 || p == 3) && nomen__g_at_once(kernel, &r, 3, in)) return r;
    if (p == 2) return over(nomen_mul(x, spread), norm);
    /* |x| ** (p - 1) / norm ** (p - 1), as one power of a number from 0 to 1 */
    nomen_tensor *size = nomen_abs(x);
    nomen_tensor *flat = nomen_eq(constant(size), number(0));
    nomen_tensor *safe = nomen_where(flat, number(1), size);
    nomen_tensor *part = nomen_pow(over(safe, norm), number(p - 1));
    nomen_tensor *slope = nomen_where(flat, number(0), part);
    return nomen_mul(direction(x), nomen_mul(slope, spread));
}

/* The slope of a nuclear norm changes with the matrix, in a way that nothing has kept. */
nomen_tensor *nomen__g_slope(nomen__backward *b, nomen_tensor *g) {
    if (!nomen__grad_enabled) return nomen_mul(g, nomen__conj(b->in[1]));
    nomen__fail(NOMEN_ERROR_STATE,
                "nuclear_norm: the gradient of a nuclear norm cannot be differentiated again "
                "(create_graph)");
    return NULL;
}

/* Which elements have the size of the largest one. */
nomen_tensor *nomen__largest_of(nomen_tensor *x, nomen_tensor *norm) {
    nomen_tensor *here = constant(nomen_abs(x)), *best = constant(norm);
    if (here && best && here->dtype != best->dtype)
        here = nomen_cast(here, .dtype = (nomen_dtype)best->dtype);
    return nomen_add(nomen_eq(here, best), nomen_mul(nomen_isnan(here), nomen_isnan(best)));
}

nomen_tensor *nomen__g_norm(nomen__backward *b, nomen_tensor *g) {
    double p = nomen__order_of_norm(b, 1);
    nomen_tensor *x = b->in[0], *norm = nomen__g_unreduce(b, b->result);
    if (isinf(p) && b->part) return nomen__g_whole(b);
    if (isinf(p)) return nomen_mul(direction(x), shared(b, g, nomen__largest_of(x, norm)));
    return nomen__slope_of_norm(x, norm, nomen__g_unreduce(b, g), p);
}
