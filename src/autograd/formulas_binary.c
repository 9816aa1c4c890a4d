/* Words of the gradient formulas: functions of two and three tensors (ops/binary.toml). */
#include "autograd/formulas.h"
#include "nomen/grad.h"
#include "nomen/ops.gen.h"

/* Through the distance from the origin, whose square would overflow. At the origin: zero. */
nomen_tensor *nomen__g_atan2(nomen_tensor *g, nomen_tensor *y, nomen_tensor *x, int input) {
    nomen_tensor *r = nomen_hypot(x, y);
    nomen_tensor *origin = nomen_eq(nomen_detach(r), nomen_scalar(0));
    r = nomen_where(origin, nomen_ones_like(r), r);
    nomen_tensor *slope = nomen_div(nomen_div(input == 0 ? x : y, r), r);
    return nomen_mul(g, input == 0 ? slope : nomen_neg(slope));
}

nomen_tensor *nomen__g_hypot(nomen__backward *b, nomen_tensor *g, nomen_tensor *leg) {
    nomen_tensor *r = b->result, *origin = nomen_eq(nomen_detach(r), nomen_scalar(0));
    return nomen_mul(g, nomen_div(leg, nomen_where(origin, nomen_ones_like(r), r)));
}

nomen_tensor *nomen__g_copysign(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *x = nomen_detach(b->in[0]), *r = nomen_detach(b->result);
    return nomen_mul(g, nomen_mul(nomen_sgn(x), nomen_sgn(r)));
}

nomen_tensor *nomen__g_remainder(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y, char mode) {
    nomen_tensor *q = nomen_div(x, y, .rounding_mode = mode == 'f' ? "floor" : "trunc");
    return nomen_neg(nomen_mul(g, q));
}

nomen_tensor *nomen__g_lerp(nomen_tensor *g, nomen_tensor *weight, bool end) {
    return nomen_mul(g, nomen__conj(end ? weight : nomen_sub(nomen_scalar(1), weight)));
}

nomen_tensor *nomen__g_quotient(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y) {
    return nomen_neg(nomen_mul(g, nomen__conj(nomen_div(nomen_div(x, y), y))));
}
