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

/* Is it a matrix of one row, or of one column, of so many elements? A vector is a row. */
static bool is_row(int ndim, const int64_t *size, int64_t n) {
    return (ndim == 1 || (ndim == 2 && size[0] == 1)) && size[ndim - 1] == n;
}
static bool is_column(int ndim, const int64_t *size, int64_t n) {
    return ndim == 2 && size[0] == n && size[1] == 1;
}

/* Where the operand is a row and the other factor a column, or the reverse (outer, addr), the
 * products that the engine would add up are those of a matrix and a vector. */
nomen_tensor *nomen__g_mul(nomen__backward *b, nomen_tensor *g, nomen_tensor *other) {
    bool row_wanted = false, column_wanted = false;
    if (g && other && g->ndim == 2 && g->dtype == other->dtype && g->size[0] > 1 &&
        g->size[1] > 1) {
        row_wanted =
            is_row(b->ndim, b->size, g->size[1]) && is_column(other->ndim, other->size, g->size[0]);
        column_wanted =
            is_column(b->ndim, b->size, g->size[0]) && is_row(other->ndim, other->size, g->size[1]);
    }
    if (!row_wanted && !column_wanted) return nomen_mul(g, nomen__conj(other));
    nomen_tensor *vector = nomen_flatten(nomen__conj(other));
    nomen_tensor *sums = nomen_mv(row_wanted ? nomen_transpose(g, "0", "1") : g, vector);
    return nomen_reshape(sums, (nomen_sizes){b->ndim, b->size});
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
