/* Words of the gradient formulas of results that are elements of the input (max, median, sort,
 * cummax): what was taken from a position brings its gradient there. */
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/ops.gen.h"

/* A result that lacks the dim (keepdim was not asked for) gets it back with size 1. */
static nomen_tensor *with_dim(const nomen__backward *b, nomen_tensor *t) {
    if (!t || t->ndim == b->ndim) return t;
    int64_t size[NOMEN_MAX_DIMS];
    for (int d = 0; d < b->ndim; d++) size[d] = d == b->node->dim ? 1 : b->size[d];
    return nomen_reshape(t, (nomen_sizes){b->ndim, size});
}

nomen_tensor *nomen__g_selected(nomen__backward *b, nomen_tensor *g, nomen_tensor *positions) {
    if (b->ndim == 0) return with_dim(b, g);
    char dim[NOMEN__DIM_TEXT];
    const nomen_sizes size = {b->ndim, b->size};
    /* as many as there are elements: all of them, zeros would be written over */
    nomen_tensor *none = g->numel == nomen__numel_of(b->size, b->ndim)
                             ? nomen_empty(NULL, size, .dtype = (nomen_dtype)g->dtype)
                             : nomen_zeros(NULL, size, .dtype = (nomen_dtype)g->dtype);
    return nomen_scatter_(none, nomen__one_dim(b->node->dim, dim), with_dim(b, positions),
                          with_dim(b, g));
}

nomen_tensor *nomen__g_running(nomen__backward *b, nomen_tensor *g, nomen_tensor *positions) {
    if (b->ndim == 0) return g;
    char dim[NOMEN__DIM_TEXT];
    /* sums of half types take a conversion, and a rounding, each */
    if (g->dtype == NOMEN_F16 || g->dtype == NOMEN_BF16) g = nomen_cast(g, NOMEN_F32);
    if (!g) return NULL;
    nomen_tensor *none =
        nomen_zeros(NULL, (nomen_sizes){b->ndim, b->size}, .dtype = (nomen_dtype)g->dtype);
    return nomen_scatter_add_(none, nomen__one_dim(b->node->dim, dim), positions, g);
}

nomen_tensor *nomen__g_chosen(nomen__backward *b, nomen_tensor *g, nomen_tensor *positions) {
    return positions ? nomen__g_selected(b, g, positions) : nomen__g_shared_extremum(b, g);
}
