/* Words of the gradient formulas of masks and indices. What was taken gets its gradient put back;
 * what was put somewhere takes its gradient from there. */
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/ops.gen.h"

static const char *dim_of(const nomen__backward *b, char text[NOMEN__DIM_TEXT]) {
    return nomen__one_dim(nomen__b_dim(b), text);
}

/* Zeros of the sizes of the operand asked for. */
static nomen_tensor *zeros_of(const nomen__backward *b) {
    return nomen_zeros(NULL, (nomen_sizes){b->ndim, b->size}, .dtype = nomen_dtype_of(b->g));
}

static nomen_tensor *zero(void) { return nomen_scalar(0); }

static nomen_tensor *as_operand(const nomen__backward *b, nomen_tensor *t) {
    if (!t || nomen__has_sizes(t, b->ndim, b->size)) return t;
    return nomen_reshape(t, (nomen_sizes){b->ndim, b->size});
}

/* ---- masks ----------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_masked_select(nomen__backward *b, nomen_tensor *g) {
    return nomen_masked_scatter(zeros_of(b), b->in[1], g);
}

/* The source may have more elements than the mask took. */
nomen_tensor *nomen__g_masked_scatter(nomen__backward *b, nomen_tensor *g) {
    nomen_tensor *taken = nomen_masked_select(g, b->in[1]), *all = taken;
    const int64_t numel = nomen__numel_of(b->size, b->ndim), used = nomen_numel(taken);
    if (taken && numel > used)
        all = nomen_cat(NOMEN_LIST(
            taken, nomen_zeros(NULL, NOMEN_SIZES(numel - used), .dtype = nomen_dtype_of(g))));
    return as_operand(b, all);
}

/* ---- slices of one dim ----------------------------------------------------------------------- */

nomen_tensor *nomen__g_index_select(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    return nomen_index_add_(zeros_of(b), dim_of(b, dim), b->in[1], g);
}

nomen_tensor *nomen__g_index_fill(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    return nomen_index_fill(g, dim_of(b, dim), b->in[1], zero());
}

/* An index that comes twice counts once. */
nomen_tensor *nomen__g_index_fill_value(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    nomen_tensor *filled = nomen_zeros_like(g, .dtype = NOMEN_BOOL);
    filled = nomen_index_fill_(filled, dim_of(b, dim), b->in[1],
                               nomen_scalar_call(nomen_number_bool(true)));
    return nomen_sum(nomen_where(filled, g, zero()));
}

nomen_tensor *nomen__g_index_add(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    nomen_tensor *taken = nomen_index_select(g, dim_of(b, dim), b->in[1]);
    return as_operand(b, b->node->op->nargs > 4 ? nomen__g_scale(taken, b, 4) : taken);
}

/* ---- gather and scatter ---------------------------------------------------------------------- */

nomen_tensor *nomen__g_gather(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    return nomen_scatter_add_(zeros_of(b), dim_of(b, dim), b->in[1], g);
}

static bool adds(const nomen__backward *b) {
    const char *reduce = nomen__b_text(b, 4);
    return reduce && reduce[0] == 'a';
}

nomen_tensor *nomen__g_scatter(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    return adds(b) ? g : nomen_scatter(g, dim_of(b, dim), b->in[1], zero());
}

/* Of a source that is larger than the index only the near corner was used. */
nomen_tensor *nomen__g_of_corner(nomen__backward *b, nomen_tensor *taken) {
    char dim[NOMEN__DIM_TEXT];
    if (!taken || nomen__has_sizes(taken, b->ndim, b->size)) return taken;
    if (taken->ndim != b->ndim) return b->ndim ? as_operand(b, taken) : nomen_sum(taken);
    nomen_tensor *whole = zeros_of(b), *corner = whole;
    for (int d = 0; d < b->ndim; d++)
        corner = nomen_narrow(corner, nomen__one_dim(d, dim), 0, taken->size[d]);
    return nomen_copy_(corner, taken) ? whole : NULL;
}

nomen_tensor *nomen__g_scatter_src(nomen__backward *b, nomen_tensor *g) {
    char dim[NOMEN__DIM_TEXT];
    return nomen__g_of_corner(b, nomen_gather(g, dim_of(b, dim), b->in[1]));
}

/* ---- positions ------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_take(nomen__backward *b, nomen_tensor *g) {
    return nomen_put_(zeros_of(b), b->in[1], g, .accumulate = true);
}

nomen_tensor *nomen__g_put(nomen__backward *b, nomen_tensor *g) {
    if (nomen__b_flag(b, 3)) return g;
    return nomen_put(g, b->in[1], nomen_zeros_like(b->in[1], .dtype = nomen_dtype_of(g)));
}

nomen_tensor *nomen__g_put_source(nomen__backward *b, nomen_tensor *g) {
    return as_operand(b, nomen_take(g, b->in[1]));
}

nomen_tensor *nomen__g_take_dims(nomen__backward *b, nomen_tensor *g) {
    return nomen_put_dims_(zeros_of(b), b->in[1], g, nomen__b_int(b, 2), nomen__b_int(b, 3),
                           .accumulate = true);
}

nomen_tensor *nomen__g_put_dims(nomen__backward *b, nomen_tensor *g) {
    if (nomen__b_flag(b, 5)) return g;
    nomen_tensor *rest = nomen_clone(g);
    return nomen_put_dims_(rest, b->in[1], zero(), nomen__b_int(b, 3), nomen__b_int(b, 4));
}

nomen_tensor *nomen__g_put_dims_source(nomen__backward *b, nomen_tensor *g) {
    return nomen_take_dims(g, b->in[1], nomen__b_int(b, 3), nomen__b_int(b, 4));
}

/* ---- moves ----------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_flip(nomen__backward *b, nomen_tensor *g) {
    char dims[NOMEN__DIM_TEXT];
    return nomen_flip(g, nomen__dim_text(nomen__b_mask(b), dims));
}

nomen_tensor *nomen__g_diagonal(nomen__backward *b, nomen_tensor *g) {
    char first[NOMEN__DIM_TEXT], second[NOMEN__DIM_TEXT];
    int dim = nomen__b_dim(b);
    uint64_t other = nomen__b_mask(b) & ~(UINT64_C(1) << dim);
    nomen__one_dim(__builtin_ctzll(other), second);
    nomen_tensor *whole = zeros_of(b);
    nomen_tensor *line =
        nomen_diagonal(whole, nomen__b_int(b, 1), nomen__one_dim(dim, first), second);
    return nomen_copy_(line, g) ? whole : NULL;
}

/* The first places of all windows at once, then the second ones, and so on; or one window after the
 * other, where these are fewer. */
static nomen_tensor *folded(nomen_tensor *whole, nomen_tensor *g, int dim, int64_t size,
                            int64_t step, int64_t count) {
    char at[NOMEN__DIM_TEXT];
    nomen__one_dim(dim, at);
    for (int64_t k = 0; k < size && size <= count; k++) {
        nomen_tensor *to =
            nomen_slice(whole, at, .start = nomen_num(k),
                        .end = nomen_num(k + (count - 1) * step + 1), .step = nomen_num(step));
        if (!nomen_add_(to, nomen_select(g, "-1", k))) return NULL;
    }
    for (int64_t k = 0; k < count && count < size; k++) {
        nomen_tensor *window = nomen_movedim(nomen_select(g, at, k), "-1", at);
        if (!nomen_add_(nomen_narrow(whole, at, k * step, size), window)) return NULL;
    }
    return whole;
}

/* Windows overlap: each element gets the sum of what its places in them got. */
nomen_tensor *nomen__g_unfold(nomen__backward *b, nomen_tensor *g) {
    enum { MANY = 64 };
    char last[NOMEN__DIM_TEXT];
    int dim = nomen__b_dim(b);
    int64_t size = nomen__b_int(b, 2), step = nomen__b_int(b, 3);
    int64_t count = b->ndim ? nomen_shape(g)[dim] : 1;
    if (b->ndim && count && !nomen__grad_enabled && (size <= MANY || count <= MANY))
        return folded(zeros_of(b), g, dim, size, step, count);
    nomen_tensor *starts = nomen_arange(NULL, nomen_num((int64_t)0), nomen_num(count));
    nomen_tensor *within = nomen_arange(NULL, nomen_num((int64_t)0), nomen_num(size));
    nomen_tensor *places =
        nomen_mul(nomen_reshape(starts, NOMEN_SIZES(count, 1)), nomen_scalar(step));
    places = nomen_add(places, within);
    if (!b->ndim) return nomen_sum(g);
    nomen_tensor *windows = nomen_movedim(g, "-1", nomen__one_dim(dim + 1, last));
    return nomen_put_dims_(zeros_of(b), places, windows, dim, 1, .accumulate = true);
}
