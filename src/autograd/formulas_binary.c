/* Words of the gradient formulas: functions of two and three tensors (ops/binary.toml),
 * parts and angles of complex numbers (ops/complex.toml). */
#include "autograd/formulas.h"
#include "nomen/grad.h"
#include "nomen/ops.gen.h"

/* Through the distance from the origin, whose square would overflow. At the origin: zero. */
nomen_tensor *nomen__g_atan2(nomen_tensor *g, nomen_tensor *y, nomen_tensor *x, int input) {
    nomen_tensor *r = nomen_hypot(x, y);
    nomen_tensor *origin = nomen_eq(nomen_detach(r), nomen_scalar(0));
    r = nomen_where(origin, nomen_scalar(1), r);
    nomen_tensor *slope = nomen_div(nomen_div(input == 0 ? x : y, r), r);
    return nomen_mul(g, input == 0 ? slope : nomen_neg(slope));
}

nomen_tensor *nomen__g_hypot(nomen__backward *b, nomen_tensor *g, nomen_tensor *leg) {
    nomen_tensor *r = b->result, *at_once;
    if (nomen__g_at_once("hypot_gradient", &at_once, 3, (nomen_tensor *[]){g, leg, r}))
        return at_once;
    nomen_tensor *origin = nomen_eq(nomen_detach(r), nomen_scalar(0));
    return nomen_mul(g, nomen_div(leg, nomen_where(origin, nomen_scalar(1), r)));
}

nomen_tensor *nomen__g_logaddexp2(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y) {
    nomen_tensor *apart = nomen_mul(nomen_sub(x, y), nomen_scalar(0x1.62e42fefa39efp-1));
    return nomen_mul(g, nomen_sigmoid(apart)); /* 2 ** x of 2 ** x + 2 ** y */
}

nomen_tensor *nomen__g_copysign(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *x = nomen_detach(b->in[0]), *r = nomen_detach(b->result);
    return nomen_mul(g, nomen_mul(nomen_sgn(x), nomen_sgn(r)));
}

nomen_tensor *nomen__g_remainder(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y, char mode) {
    nomen_tensor *q = nomen_div(x, y, .rounding_mode = mode == 'f' ? "floor" : "trunc");
    return nomen_neg(nomen_mul(g, q));
}

/* A lone weight may be a number, which has the precision of float32 when a number is taken from it.
 */
nomen_tensor *nomen__g_lerp(nomen_tensor *g, nomen_tensor *weight, bool end) {
    if (weight && weight->ndim == 0) weight = nomen_cast(weight, (nomen_dtype)g->dtype);
    return nomen_mul(g, nomen__conj(end ? weight : nomen_sub(nomen_scalar(1), weight)));
}

nomen_tensor *nomen__g_quotient(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y) {
    return nomen_neg(nomen_mul(g, nomen__conj(nomen_div(nomen_div(x, y), y))));
}

/* ---- complex numbers ------------------------------------------------------------------------- */

static nomen_tensor *unit(void) { return nomen_scalar_call(nomen_number_complex(0, 1)); }

nomen_tensor *nomen__g_imag(nomen_tensor *g) { return nomen_mul(g, unit()); }

/* Real numbers do not turn. Otherwise g i z / |z|^2, and nothing at the origin. */
nomen_tensor *nomen__g_angle(nomen_tensor *g, nomen_tensor *z) {
    if (!nomen_dtype_is_complex((nomen_dtype)z->dtype)) return nomen__zero_like(g);
    nomen_tensor *origin = nomen_eq(nomen_detach(z), nomen_scalar(0));
    nomen_tensor *size = nomen_abs(nomen_where(origin, nomen_scalar(1), z));
    return nomen_mul(nomen_mul(g, unit()), nomen_div(nomen_div(z, size), size));
}

/* By the size along the direction of the number, by the angle across it. */
nomen_tensor *nomen__g_polar(nomen__backward *b, nomen_tensor *g, int input) {
    if (input == 1) return nomen_real(nomen_mul(nomen_conj(g), nomen_mul(unit(), b->result)));
    nomen_tensor *angle = b->in[1];
    return nomen_real(nomen_mul(nomen_conj(g), nomen_polar(nomen_ones_like(angle), angle)));
}
