/* Words of the gradient formulas: functions of one element whose gradient takes several calls. */
#include "autograd/formulas.h"
#include "nomen/grad.h"
#include "nomen/ops.gen.h"

#include <math.h>

static nomen_tensor *number(double x) { return nomen_scalar(x); }

/* The same values, of no interest to the tape. */
static nomen_tensor *constant(nomen_tensor *t) { return t ? nomen_detach(t) : NULL; }

nomen_tensor *nomen__g_tan(nomen__backward *b, nomen_tensor *g) {
    return nomen_mul(g, nomen__conj(nomen_add(nomen_square(b->result), number(1))));
}

/* Two roots, so that the square of a large number is never formed, and for the sake of complex
 * numbers. */
nomen_tensor *nomen__g_acosh(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *r;
    if (nomen__g_at_once("acosh_gradient", &r, 2, (nomen_tensor *[]){g, b->in[0]})) return r;
    nomen_tensor *x = b->in[0], *less = nomen_rsqrt(nomen_sub(x, number(1)));
    nomen_tensor *slope = nomen_mul(less, nomen_rsqrt(nomen_add(x, number(1))));
    return nomen_mul(g, nomen__conj(slope));
}

nomen_tensor *nomen__g_erf(nomen__backward *b, nomen_tensor *g, double sign) {
    nomen_tensor *bell = nomen_exp(nomen_neg(nomen_square(b->in[0])));
    return nomen__g_times(nomen_mul(g, bell), sign * M_2_SQRTPI);
}

/* (cos(pi x) - sinc(x)) / x, and near 0, where that cancels, the series of the derivative. */
nomen_tensor *nomen__g_sinc(nomen__backward *b, nomen_tensor *g) {
    enum { TERMS = 11 };
    nomen_tensor *x = b->in[0], *r;
    if (!x) return NULL; /* what failed has told so */
    if (nomen__g_at_once("sinc_slope", &r, 1, &x)) return nomen_mul(g, r);
    nomen_tensor *near = nomen_lt(nomen_abs(constant(x)), number(0.5));
    nomen_tensor *far = nomen_where(near, number(1), x), *z = nomen_square(x);
    nomen_tensor *slope = nomen_sub(nomen_cos(nomen__g_times(far, M_PI)), nomen_sinc(far));
    slope = nomen_div(slope, far);
    double factor[TERMS + 1], power = 1; /* (-1)^k 2 k pi^(2 k) / (2 k + 1)! */
    for (int k = 1; k <= TERMS; k++) {
        power *= -M_PI * M_PI / (2.0 * k * (2.0 * k + 1));
        factor[k] = 2.0 * k * power;
    }
    nomen_tensor *series = nomen__g_times(z, factor[TERMS]);
    for (int k = TERMS - 1; k > 1; k--) series = nomen_mul(z, nomen_add(series, number(factor[k])));
    series = nomen_mul(x, nomen_add(series, number(factor[1])));
    return nomen_mul(g, nomen__conj(nomen_where(near, series, slope)));
}

/* 1 / (x (1 - x)) within the bounds; beyond them the result is constant, or with no bounds given
 * there is none. */
nomen_tensor *nomen__g_logit(nomen__backward *b, nomen_tensor *g) {
    nomen_number eps = nomen__b_number(b, 1);
    double low = nomen__real_of(&eps);
    bool limited = eps.kind != NOMEN_ABSENT && low >= 0;
    if (!limited) low = 0;
    const nomen_dtype own = (nomen_dtype)g->dtype;
    nomen_tensor *in[] = {g, b->in[0], limited ? nomen_cast(number(low), own) : NULL,
                          limited ? nomen_cast(number(1 - low), own) : NULL};
    nomen_tensor *r;
    if (limited ? nomen__g_at_once("logit_limited_gradient", &r, 4, in)
                : nomen__g_at_once("logit_gradient", &r, 2, in))
        return r;
    nomen_tensor *x = b->in[0], *fixed = constant(x);
    nomen_tensor *inside =
        nomen_mul(nomen_ge(fixed, number(low)), nomen_le(fixed, number(1 - low)));
    x = nomen_where(inside, x, number(0.5));
    nomen_tensor *slope = nomen_mul(x, nomen_sub(number(1), x));
    nomen_tensor *other = number(limited ? 0 : (double)NAN);
    return nomen_where(inside, nomen_div(g, slope), other);
}

nomen_tensor *nomen__g_threshold(nomen__backward *b, nomen_tensor *g) {
    const nomen_number bound = nomen__b_number(b, 1);
    nomen_tensor *x = b->in[0], *r, *limit = number(nomen__real_of(&bound));
    nomen_tensor *own = nomen_cast(limit, (nomen_dtype)g->dtype);
    if (nomen__g_at_once("threshold_gradient", &r, 3, (nomen_tensor *[]){g, x, own})) return r;
    return nomen_where(nomen_le(constant(x), limit), number(0), g);
}

nomen_tensor *nomen__g_polygamma(nomen__backward *b, nomen_tensor *g) {
    const int64_t n = nomen__b_int(b, 1);
    /* the order counts as a double, in which the last two are one */
    return nomen_mul(g, nomen_polygamma(b->in[0], n < INT64_MAX ? n + 1 : n));
}
