/* Words of the gradient formulas of distances between points (cdist, pdist). */
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"

#include <math.h>

/* FEW: differences that are at hand at once. */
enum { FIRST, SECOND, FEW = 1 << 16 };

/* Points, the distances of all pairs, and their gradients. */
typedef struct points {
    nomen_tensor *x, *y, *norm, *g;
    double p;
} points;

static nomen_tensor *turned(nomen_tensor *t) { return nomen_transpose(t, "-2", "-1"); }

/* Each list of points expanded to all batches. */
static nomen_tensor *in_batches(nomen_tensor *t, const nomen_tensor *pairs) {
    if (!t || !pairs) return NULL;
    int64_t size[NOMEN_MAX_DIMS];
    for (int d = 0; d < pairs->ndim - 2; d++) size[d] = pairs->size[d];
    for (int d = 1; d <= 2; d++) size[pairs->ndim - d] = t->size[t->ndim - d];
    return nomen_expand(t, (nomen_sizes){pairs->ndim, size});
}

/* ---- of operations --------------------------------------------------------------------------- */

/* The gradients of differences d of distances. */
static nomen_tensor *of_differences(nomen_tensor *d, nomen_tensor *norm, nomen_tensor *g,
                                    double p) {
    norm = nomen_unsqueeze(norm, "-1");
    g = nomen_unsqueeze(g, "-1");
    if (!isinf(p)) return nomen__slope_of_norm(d, norm, g, p);
    nomen_tensor *chosen = nomen__largest_of(d, norm);
    nomen_tensor *many =
        nomen_sum(nomen_cast(chosen, .dtype = nomen_dtype_of(g)), .dim = "-1", .keepdim = true);
    return nomen_mul(nomen_sgn(d), nomen_where(chosen, nomen_div(g, many), nomen_scalar(0)));
}

static nomen_tensor *of_all(const points *of, int which) {
    nomen_tensor *d = nomen_sub(nomen_unsqueeze(of->x, "-2"), nomen_unsqueeze(of->y, "-3"));
    nomen_tensor *s =
        nomen_sum(of_differences(d, of->norm, of->g, of->p), .dim = which == SECOND ? "-3" : "-2");
    return which == SECOND ? nomen_neg(s) : s;
}

/* Pairs of one list, so that the gradient can be differentiated again. */
static nomen_tensor *of_pairs(const points *of, int which) {
    nomen_tensor *pairs = nomen__pairs(of->x->size[0]), *places[2];
    for (int k = 0; k < 2; k++) places[k] = nomen_select(pairs, "1", k);
    nomen_tensor *d = nomen_sub(nomen_index_select(of->x, "0", places[0]),
                                nomen_index_select(of->y, "0", places[1]));
    nomen_tensor *s = of_differences(d, of->norm, of->g, of->p);
    s = nomen_index_add(nomen_zeros_like(of->x), "0", places[which], s);
    return which == SECOND ? nomen_neg(s) : s;
}

/* ---- few at a time --------------------------------------------------------------------------- */

/* The gradient of x only. One reference. */
static nomen_tensor *of_rows(const points *of) {
    const nomen_tensor *x = of->x;
    const int64_t rows = x->size[x->ndim - 2], each = x->numel / (rows ? rows : 1);
    int64_t step = FEW / (1 + each * of->y->size[of->y->ndim - 2]);
    if (step < 1) step = 1;
    nomen_tensor *out = nomen__tensor_empty_on(0, (nomen_dtype)x->dtype, x->ndim, x->size);
    nomen_status s = out ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    for (int64_t i = 0; i < rows && !s; i += step) {
        const int64_t n = rows - i < step ? rows - i : step;
        nomen_scope_mark scope = nomen_scope_open();
        points few = {nomen_narrow(of->x, "-2", i, n), of->y, nomen_narrow(of->norm, "-2", i, n),
                      nomen_narrow(of->g, "-2", i, n), of->p};
        nomen_tensor *part = of_all(&few, FIRST);
        nomen_tensor *to = part ? nomen_narrow(out, "-2", i, n) : NULL;
        s = to && scope.depth >= 0 ? nomen__copy_values(to, part) : NOMEN_ERROR_MEMORY;
        nomen_scope_close(&scope);
    }
    if (!s) return out;
    nomen__release(out);
    return NULL;
}

/* Pairs of one list: each point with all later ones. One reference. */
static nomen_tensor *of_later(const points *of) {
    const nomen_tensor *x = of->x;
    nomen_tensor *out = nomen__tensor_empty_on(0, (nomen_dtype)x->dtype, 2, x->size);
    nomen_number none = {.kind = NOMEN_NUMBER_INT};
    nomen_status s = out ? nomen__fill_values(out, &none) : NOMEN_ERROR_MEMORY;
    int64_t at = 0, n = x->size[0];
    for (int64_t i = 0; i + 1 < n && !s; at += n - 1 - i, i++) {
        const int64_t rest = n - 1 - i;
        nomen_scope_mark scope = nomen_scope_open();
        nomen_tensor *d =
            nomen_sub(nomen_select(of->x, "0", i), nomen_narrow(of->x, "0", i + 1, rest));
        d = of_differences(d, nomen_narrow(of->norm, "0", at, rest),
                           nomen_narrow(of->g, "0", at, rest), of->p);
        nomen_tensor *own = nomen_add_(nomen_select(out, "0", i), nomen_sum(d, .dim = "0"));
        nomen_tensor *others = nomen_sub_(nomen_narrow(out, "0", i + 1, rest), d);
        if (!own || !others || scope.depth < 0) s = NOMEN_ERROR_MEMORY;
        nomen_scope_close(&scope);
    }
    if (!s) return out;
    nomen__release(out);
    return NULL;
}

static nomen_tensor *as(nomen_tensor *t, nomen_dtype dtype) {
    t = t && t->dtype != dtype ? nomen_cast(t, .dtype = dtype) : t;
    return t && !nomen__make_ready(t) ? t : NULL;
}

/* Of what is not differentiated again: no more than some differences are ever in memory. */
static nomen_tensor *at_once(const points *given, bool pairs, int which) {
    points of = *given;
    nomen_dtype dtype = nomen_dtype_of(given->g);
    const bool half =
        nomen_dtype_size(dtype) < 4; /* the largest difference is known once rounded */
    const bool by_kernel = of.p == 1 || of.p == 2 || (isinf(of.p) && !half);
    if (by_kernel && half) dtype = NOMEN_F32;
    if (pairs) {
        of.norm = nomen_contiguous(of.norm);
        of.g = nomen_contiguous(of.g);
    } else if (which == SECOND) {
        of = (points){of.y, of.x, turned(of.norm), turned(of.g), of.p};
    }
    of.norm = as(of.norm, dtype);
    of.g = as(of.g, dtype);
    of.x = as(pairs ? of.x : in_batches(of.x, of.g), dtype);
    of.y = as(pairs ? of.y : in_batches(of.y, of.g), dtype);
    if (!of.norm || !of.g || !of.x || !of.y) return NULL;
    return nomen__scoped(by_kernel ? nomen__distance_slopes(of.x, of.y, of.g, of.norm, of.p)
                         : pairs   ? of_later(&of)
                                   : of_rows(&of));
}

nomen_tensor *nomen__g_distances(nomen__backward *b, nomen_tensor *g, int which) {
    const points of = {b->in[0], b->in[1], b->result, g, nomen__order_of_norm(b, 2)};
    const bool pairs = nomen__b_flag(b, 3);
    const bool once = !nomen__grad_enabled && !g->device;
    if (once && pairs && which == SECOND) return nomen__g_zero(b); /* the other list is the same */
    if (of.p == 0) return nomen_zeros_like(b->in[which]); /* numbers of differences do not move */
    if (once) return at_once(&of, pairs, which);
    return pairs ? of_pairs(&of, which) : of_all(&of, which);
}
