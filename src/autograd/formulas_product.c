/* Gradients of matrix products, for every pair of ranks that matmul takes. */
#include "autograd/formulas.h"
#include "nomen/ops.gen.h"

static nomen_tensor *column(nomen_tensor *t) { return nomen_unsqueeze(t, "-1"); }

static nomen_tensor *row(nomen_tensor *t) { return nomen_unsqueeze(t, "-2"); }

static nomen_tensor *adjoint(nomen_tensor *t) {
    return nomen_transpose(nomen__conj(t), "-2", "-1");
}

/* All leading dims as one: [..., m, k] to [m', k]. */
static nomen_tensor *folded(nomen_tensor *t) {
    if (!t || t->ndim == 2) return t;
    const int64_t k = t->size[t->ndim - 1], rows = nomen__numel_of(t->size, t->ndim - 1);
    return nomen_reshape(t, NOMEN_SIZES(rows, k));
}

/* result[..., m, n] = a[..., m, k] b[..., k, n]; vectors lack m or n. What comes back may have
 * batch dims too many: they are summed by the engine. */
nomen_tensor *nomen__g_matmul_left(nomen__backward *b, nomen_tensor *g, nomen_tensor *other) {
    if (b->ndim == 1 && other->ndim == 1) return nomen_mul(g, nomen__conj(other));
    if (b->ndim == 1) return nomen_squeeze(nomen_matmul(nomen__conj(other), column(g)), "-1");
    if (other->ndim == 1) return nomen_mul(column(g), nomen__conj(other));
    return nomen_matmul(g, adjoint(other));
}

nomen_tensor *nomen__g_matmul_right(nomen__backward *b, nomen_tensor *g, nomen_tensor *other) {
    if (b->ndim == 1 && other->ndim == 1) return nomen_mul(g, nomen__conj(other));
    if (b->ndim == 1) return nomen_squeeze(nomen_matmul(adjoint(other), column(g)), "-1");
    if (other->ndim == 1) return nomen_mul(column(nomen__conj(other)), row(g));
    if (b->ndim == 2) return nomen_matmul(adjoint(folded(other)), folded(g));
    return nomen_matmul(adjoint(other), g);
}
