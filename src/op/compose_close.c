/* Composite rows: isclose and allclose. */
#include "nomen/ops.gen.h"
#include "op/op.h"
#include "op/rows.gen.h"

#include <math.h>

enum { SELF, OTHER, RTOL, ATOL, EQUAL_NAN };

static nomen_status tolerance(const nomen__call *c, int arg, const char *name, double usual,
                              double *value) {
    *value = usual;
    if (!nomen__given(c, arg)) return NOMEN_OK;
    const nomen_number *n = c->arg[arg].number;
    *value = nomen__real_of(n);
    if (n->kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s must be a real number, not complex", name);
    if (*value >= 0) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE, "%s must be greater than or equal to zero, but got %g",
                       name, *value);
}

static nomen_status check(const nomen__call *c, double *rtol, double *atol) {
    const nomen_tensor *x = c->in[SELF], *y = c->in[OTHER];
    if (x->dtype != y->dtype && !((x->flags | y->flags) & NOMEN__WRAPPED))
        return nomen__fail(NOMEN_ERROR_DTYPE, "%s did not match %s: convert one with to(dtype)",
                           nomen_dtype_name((nomen_dtype)x->dtype),
                           nomen_dtype_name((nomen_dtype)y->dtype));
    nomen_status s = tolerance(c, RTOL, "rtol", 1e-5, rtol);
    if (!s) s = tolerance(c, ATOL, "atol", 1e-8, atol);
    if (s || !c->named) return s;
    nomen__namelist names;
    return nomen__unify(nomen__names_of(x), nomen__names_of(y), "broadcast", &names);
}

/* Differences of integers are taken in floating point, where they do not wrap. */
static nomen_tensor *floating(nomen_tensor *t) {
    return t->dtype >= NOMEN_F16 ? t : nomen_cast(t, .dtype = NOMEN_F32);
}

static nomen_tensor *close(nomen_tensor *x, nomen_tensor *y, double rtol, double atol,
                           bool equal_nan) {
    nomen_tensor *r = nomen_eq(x, y);
    if (equal_nan && x->dtype >= NOMEN_F16)
        r = nomen_logical_or(r, nomen_logical_and(nomen_isnan(x), nomen_isnan(y)));
    if (rtol == 0 && atol == 0) return r;
    y = floating(y);
    nomen_tensor *allowed =
        nomen_add(nomen_abs(nomen_mul(y, nomen_scalar(rtol))), nomen_scalar(atol));
    nomen_tensor *actual = nomen_abs(nomen_sub(x, y));
    nomen_tensor *finite = nomen_lt(actual, nomen_scalar((double)INFINITY));
    return nomen_logical_or(r, nomen_logical_and(finite, nomen_le(actual, allowed)));
}

nomen_status nomen__compose_isclose(nomen__call *c) {
    double rtol, atol;
    nomen_status s = check(c, &rtol, &atol);
    if (s) return s;
    bool equal_nan = nomen__given(c, EQUAL_NAN) && c->arg[EQUAL_NAN].flag;
    bool recording = nomen__grad_enabled;
    nomen__grad_enabled = false; /* nothing here has a gradient */
    nomen_scope() {
        c->out[0] = close(c->in[SELF], c->in[OTHER], rtol, atol, equal_nan);
        if (c->out[0]) nomen__retain(c->out[0]);
    }
    nomen__grad_enabled = recording;
    return c->out[0] ? NOMEN_OK : NOMEN_ERROR_STATE;
}

nomen_status nomen__compose_allclose(nomen__call *c) {
    nomen_status s = nomen__compose_isclose(c);
    if (s) return s;
    nomen_tensor *each = c->out[0];
    c->out[0] = nomen__apply(NOMEN__OP_ALL, each, NULL);
    nomen__release(each);
    return c->out[0] ? NOMEN_OK : NOMEN_ERROR_STATE;
}
