/* Large gradients piece by piece: a formula of several calls walks over memory once for each of
 * them, unless what it makes on the way stays in the cache. So it is asked for a part of the
 * gradient at a time, with the same part of everything it reads. */
#include "autograd/piecewise.h"
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"
#include "op/rows.gen.h"

#include <string.h>

/* PIECE: bytes of the part of one tensor, for each thread: several of them fit into a cache of
 * half a MiB. LEAST: bytes of a gradient that is worth it. RUN: bytes that a cut leaves side by
 * side. */
enum { PIECE = 131072, LEAST = 1 << 20, RUN = 1024 };

typedef struct work {
    nomen__backward *b; /* the whole */
    nomen__gradient *formula;
    int input;
    uint64_t across; /* dims along which nothing is cut */
    int64_t most;    /* elements of a piece */
} work;

static bool is_reduced(const nomen__backward *b) {
    return b->node->op->launch != nomen__launch_elementwise;
}

/* The dims that a reduction, a scan or a sort went along. */
static uint64_t along(const nomen__backward *b) {
    if (!is_reduced(b)) return 0;
    return b->node->mask | (b->node->dim >= 0 ? UINT64_C(1) << b->node->dim : 0);
}

/* Which dim of t is dim d of the input: results of reductions may lack those that were reduced,
 * operands those in front. -1: none, or it repeats one element. */
static int place_of(const nomen__backward *b, const nomen_tensor *t, bool reduced, int d) {
    uint64_t mask = along(b);
    int place = d - (b->ndim - t->ndim);
    if (reduced && t->ndim < b->ndim)
        place = mask >> d & 1 ? -1 : d - __builtin_popcountll(mask & ((UINT64_C(1) << d) - 1));
    return place < 0 || place >= t->ndim || t->size[place] == 1 ? -1 : place;
}

/* Has t, which may be missing, this length wherever it has the dim? */
static bool fits(const nomen__backward *b, const nomen_tensor *t, bool reduced, int d) {
    int place = t ? place_of(b, t, reduced, d) : -1;
    return place < 0 || t->size[place] == b->size[d];
}

static bool may_cut(const nomen__backward *b, int d) {
    bool reduced = is_reduced(b), whole = place_of(b, b->g, reduced, d) >= 0;
    if (b->size[d] < 2 || !(whole || along(b) >> d & 1)) return false;
    for (int i = 0; i < NOMEN__MAX_IN; i++)
        if (!fits(b, b->in[i], false, d)) return false;
    return fits(b, b->g, reduced, d) && fits(b, b->result, reduced, d) &&
           fits(b, b->second, reduced, d);
}

/* Elements from first to first + n of dim d; t itself where it has no such dim. */
static nomen_tensor *cut(const nomen__backward *b, nomen_tensor *t, bool reduced, int d,
                         int64_t first, int64_t n, bool *failed) {
    int place = t ? place_of(b, t, reduced, d) : -1;
    if (place < 0) return t;
    int64_t size[NOMEN_MAX_DIMS];
    memcpy(size, t->size, sizeof *size * (size_t)t->ndim);
    size[place] = n;
    int64_t bytes = first * t->stride[place] * nomen__item(t->dtype);
    nomen_tensor *v = nomen__scoped(
        nomen__tensor_view(t, (nomen_dtype)t->dtype, t->ndim, size, t->stride, bytes));
    *failed |= !v;
    return v;
}

/* Everything that the formula reads, cut alike. */
static bool cut_all(const nomen__backward *b, nomen__backward *to, int64_t *size, int d,
                    int64_t first, int64_t n) {
    bool reduced = is_reduced(b), failed = false;
    *to = *b;
    to->g = cut(b, b->g, reduced, d, first, n, &failed);
    for (int i = 0; i < NOMEN__MAX_IN; i++)
        to->in[i] = cut(b, b->in[i], false, d, first, n, &failed);
    to->result = cut(b, b->result, reduced, d, first, n, &failed);
    to->second = cut(b, b->second, reduced, d, first, n, &failed);
    memcpy(size, b->size, sizeof *size * (size_t)b->ndim);
    size[d] = n;
    to->size = size;
    to->part |= along(b) >> d & 1;
    return !failed;
}

/* What the formula says of one piece, to where it belongs. */
static nomen_status fill(const work *w, nomen__backward *b, nomen_tensor *out) {
    nomen_number none = {.kind = NOMEN_NUMBER_INT};
    nomen_tensor *r = w->formula(b, w->input);
    if (b->whole || (r && r->ndim < b->ndim)) { /* one number need not be written everywhere */
        w->b->whole = true;
        return NOMEN_ERROR_GRAD;
    }
    if (!r && b->zero) return nomen__fill_values(out, &none);
    r = r ? nomen__sum_to(r, b->ndim, b->size) : NULL;
    return r ? nomen__copy_values(out, r) : NOMEN_ERROR_GRAD;
}

/* The dim that lies farthest apart in memory, of those that may be cut; how much of it is in a
 * piece. -1: none, or what is left of rows would be too short. */
static int far_dim(const work *w, const nomen__backward *b, const nomen_tensor *out,
                   int64_t *each) {
    int best = -1;
    bool first = true; /* nothing lies farther apart */
    for (int d = 0; d < b->ndim; d++)
        if (!(w->across >> d & 1) && b->size[d] > 1 &&
            (best < 0 || out->stride[d] > out->stride[best]))
            best = d;
    if (best < 0 || out->numel <= w->most) return -1;
    *each = w->most / (out->numel / b->size[best]);
    if (*each < 1) *each = 1;
    for (int d = 0; d < b->ndim; d++)
        first &= b->size[d] == 1 || out->stride[d] <= out->stride[best];
    return first || *each * out->stride[best] * nomen__item(out->dtype) >= RUN ? best : -1;
}

static nomen_status fill_all(const work *w, nomen__backward *b, nomen_tensor *out) {
    int64_t each, all;
    int d = far_dim(w, b, out, &each);
    if (d < 0) return fill(w, b, out);
    all = b->size[d];
    nomen_status s = NOMEN_OK;
    for (int64_t first = 0; first < all && !s; first += each) {
        int64_t n = all - first < each ? all - first : each, size[NOMEN_MAX_DIMS];
        nomen_scope_mark scope = nomen_scope_open();
        nomen__backward piece;
        bool failed = scope.depth < 0 || !cut_all(b, &piece, size, d, first, n);
        nomen_tensor *part = failed ? NULL : cut(b, out, false, d, first, n, &failed);
        s = failed ? NOMEN_ERROR_MEMORY : fill_all(w, &piece, part);
        nomen_scope_close(&scope);
    }
    return s;
}

/* A tensor that has the sizes of the gradient: the gradient is laid out like it. */
static nomen_tensor *like(const nomen__backward *b) {
    nomen_tensor *may[NOMEN__MAX_IN + 2] = {b->result, b->g};
    memcpy(may + 2, b->in, sizeof b->in);
    for (size_t i = 0; i < NOMEN_COUNT(may); i++)
        if (may[i] && nomen__has_sizes(may[i], b->ndim, b->size)) return may[i];
    return NULL;
}

static bool on_cpu(const nomen_tensor *t) { return !t || !(t->flags & NOMEN__AWAY); }

static bool all_on_cpu(const nomen__backward *b) {
    for (int i = 0; i < NOMEN__MAX_IN; i++)
        if (!on_cpu(b->in[i])) return false;
    return on_cpu(b->g) && on_cpu(b->result) && on_cpu(b->second);
}

/* Sizes and strides of a tensor, but no elements that others see: one reference. */
static nomen_tensor *empty_like(nomen_tensor *t, nomen_dtype dtype) {
    nomen_scope_mark scope = nomen_scope_open();
    nomen_tensor *out = scope.depth < 0 ? NULL : nomen__retain(nomen_empty_like(t, .dtype = dtype));
    nomen_scope_close(&scope);
    return out;
}

nomen_status nomen__in_pieces(nomen__backward *b, nomen__gradient *of, int input, nomen_dtype dtype,
                              nomen_tensor **result) {
    const nomen__op *op = b->node->op;
    int64_t item = nomen__item(dtype), numel = nomen__numel_of(b->size, b->ndim), each;
    if (input >= NOMEN__MAX_IN || !(op->pieces >> input & 1) || numel * item < LEAST ||
        nomen__grad_enabled || nomen__fusing || !all_on_cpu(b))
        return NOMEN_OK;
    nomen_tensor *shape = like(b);
    if (!shape) return NOMEN_OK;
    work w = {b, of, input, op->pieces_kept ? along(b) : 0, 0};
    w.most = PIECE / item * nomen_get_num_threads();
    /* less is no work for several threads */
    if (nomen_get_num_threads() > 1 && w.most < 2 * NOMEN__ALONE) w.most = 2 * NOMEN__ALONE;
    for (int d = 0; d < b->ndim; d++)
        if (!may_cut(b, d)) w.across |= UINT64_C(1) << d;
    nomen_tensor *out = empty_like(shape, dtype);
    if (!out) return NOMEN_ERROR_MEMORY;
    bool cuts = far_dim(&w, b, out, &each) >= 0;
    nomen_status s = cuts ? fill_all(&w, b, out) : NOMEN_OK;
    if (cuts && !s) {
        *result = nomen__scoped(out);
        return *result ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    }
    nomen__release(out);
    return b->whole ? NOMEN_OK : s;
}
