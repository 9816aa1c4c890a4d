/* Rows of functions of one element whose arguments decide which kernel runs. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <float.h>
#include <math.h>

static nomen_status add_float(nomen__call *c, double x, nomen_dtype d) {
    const nomen_number n = {NOMEN_NUMBER_FLOAT, 0, x, 0};
    return nomen__add_number(c, &n, d);
}

/* An argument that must be a real number, or else. */
static nomen_status real_argument(const nomen__call *c, int arg, double otherwise, double *x) {
    *x = otherwise;
    if (!nomen__given(c, arg)) return NOMEN_OK;
    const nomen_number *n = c->arg[arg].number;
    if (n->kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s: argument '%s' must be a real number, not complex",
                           c->op->name, c->op->args[arg].name);
    *x = nomen__real_of(n);
    return NOMEN_OK;
}

static bool is_exact(nomen_dtype d) {
    return !nomen_dtype_is_floating(d) && !nomen_dtype_is_complex(d);
}

/* Integers have no decimals, but they have tens. */
nomen_status nomen__choose_decimals(nomen__call *c) {
    int64_t decimals = nomen__given(c, 1) ? c->arg[1].integer : 0;
    const nomen_dtype own = (nomen_dtype)c->in[0]->dtype;
    bool exact = is_exact(own);
    if (decimals == 0 || (exact && decimals > 0)) return NOMEN_OK;
    c->kernel_name = decimals > 0 ? "round_decimals" : "round_tens";
    if (!exact) return add_float(c, pow(10, fabs((double)decimals)), own);
    nomen_number scale = {NOMEN_NUMBER_INT, decimals < -18 ? 0 : 1, 0, 0};
    for (int64_t d = decimals; d < 0 && scale.i; d++) scale.i *= 10;
    return nomen__add_number(c, &scale, NOMEN_I64);
}

nomen_status nomen__choose_logit(nomen__call *c) {
    double eps;
    nomen_status s = real_argument(c, 1, 0, &eps);
    if (s || !nomen__given(c, 1) || eps < 0) return s; /* a negative one is none */
    c->kernel_name = "logit_limited";
    const nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    s = add_float(c, eps, d);
    return s ? s : add_float(c, 1 - eps, d);
}

nomen_status nomen__choose_nan_to_num(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    double nan, above, below,
        top = d == NOMEN_F16                      ? 65504
              : d == NOMEN_BF16                   ? 0x1.fep127
              : d == NOMEN_F64 || d == NOMEN_C128 ? DBL_MAX
                                                  : (double)FLT_MAX;
    nomen_status s = real_argument(c, 1, 0, &nan);
    if (!s) s = real_argument(c, 2, top, &above);
    if (!s) s = real_argument(c, 3, -top, &below);
    if (s) return s;
    if (is_exact(d)) {
        c->kernel_name = "copy";
        return NOMEN_OK;
    }
    s = add_float(c, nan, d);
    if (!s) s = add_float(c, above, d);
    return s ? s : add_float(c, below, d);
}

/* Both numbers are of self's dtype, as in PyTorch. */
nomen_status nomen__choose_threshold(nomen__call *c) {
    const nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    if (nomen_dtype_is_complex(d))
        return nomen__fail(NOMEN_ERROR_DTYPE, "\"threshold\" not implemented for '%s'",
                           nomen_dtype_name(d));
    nomen_status s = nomen__check_number(c->arg[1].number, d);
    if (!s) s = nomen__check_number(c->arg[2].number, d);
    if (!s) s = nomen__add_number(c, c->arg[1].number, d);
    return s ? s : nomen__add_number(c, c->arg[2].number, d);
}

nomen_status nomen__choose_polygamma(nomen__call *c) {
    int64_t n = c->arg[1].integer;
    if (n < 0)
        return nomen__fail(NOMEN_ERROR_STATE, "polygamma(n, x) does not support negative n.");
    if (n > 0) return add_float(c, (double)n, (nomen_dtype)c->in[0]->dtype);
    c->kernel_name = "digamma";
    return NOMEN_OK;
}
