/* Gradients of views: by their map, and by the memory they show. The latter serves in-place
 * operations on a view, which are operations on the base. All of it can be differentiated again. */
#include "autograd/backward.h"
#include "autograd/formulas.h"
#include "autograd/tape.h"
#include "nomen/ops.gen.h"

#include <string.h>

/* ---- helpers --------------------------------------------------------------------------------- */

static bool recorded(const nomen_tensor *t) {
    return t && nomen__grad_enabled && (t->flags & NOMEN__REQUIRES);
}

static nomen__node *edge_to(const nomen_tensor *t) {
    return recorded(t) ? nomen__node_retain(t->grad) : NULL;
}

/* Of the dtype, and on the device, of like. */
static nomen_tensor *zeros(const nomen_tensor *like, int ndim, const int64_t *size) {
    nomen_dtype dtype = (nomen_dtype)like->dtype;
    const nomen_number zero = {.kind = NOMEN_NUMBER_INT};
    enum { NEAR = 1 << 16 }; /* bytes that one thread sets in no time */
    nomen_tensor *t = nomen__tensor_empty_on(like->device, dtype, ndim, size);
    const bool near = t && !t->device && t->numel * nomen__item(dtype) <= NEAR;
    /* All dtypes have zero bytes for zero. */
    if (near) memset(t->data, 0, (size_t)(t->numel * nomen__item(dtype)));
    if (!t || near || !nomen__fill_values(t, &zero)) return t;
    nomen__release(t);
    return NULL;
}

/* ---- maps ------------------------------------------------------------------------------------ */

uint32_t nomen__small_map_words(const nomen__map *map) {
    return (uint32_t)(3 * map->ndim + map->input_ndim);
}

void nomen__small_map_make(nomen__small_map *to, int64_t *words, const nomen__map *from) {
    int n = from->ndim;
    for (int k = 0; k < n; k++) {
        words[k] = from->size[k];
        words[n + k] = from->step[k];
        words[2 * n + k] = from->source[k];
    }
    memcpy(words + 3 * n, from->start, sizeof *words * (size_t)from->input_ndim);
    *to = (nomen__small_map){n, from->input_ndim, words, words + n, words + 3 * n, words + 2 * n};
}

static void map_widen(nomen__map *to, const nomen__small_map *from) {
    to->ndim = from->ndim;
    to->input_ndim = from->input_ndim;
    for (int k = 0; k < from->ndim; k++) {
        to->size[k] = from->size[k];
        to->step[k] = from->step[k];
        to->source[k] = (int8_t)from->source[k];
    }
    memcpy(to->start, from->start, sizeof *to->start * (size_t)from->input_ndim);
}

static nomen_tensor *map_view(nomen_tensor *t, const nomen__map *map);
static nomen_tensor *map_put(nomen_tensor *g, const nomen__map *map, const int64_t *input_size);

static nomen_tensor *grad_of_map_view(nomen__backward *b, int input) {
    (void)input;
    nomen__map map;
    map_widen(&map, &b->node->map);
    return map_put(b->g, &map, b->size);
}

static nomen_tensor *grad_of_map_put(nomen__backward *b, int input) {
    (void)input;
    nomen__map map;
    map_widen(&map, &b->node->map);
    return map_view(b->g, &map);
}

static const nomen__op op_map_view = {.name = "view", .grad = grad_of_map_view};
static const nomen__op op_map_put = {.name = "view_backward", .grad = grad_of_map_put};

/* Gives result (one reference) to the scope, tied to t by a node that keeps the map. */
static nomen_tensor *map_result(nomen_tensor *result, const nomen_tensor *t, const nomen__op *op,
                                const nomen__map *map) {
    if (!result || !recorded(t)) return nomen__scoped(result);
    nomen__node_plan plan = {
        .nin = 1, .map_words = nomen__small_map_words(map), .ndim = result->ndim};
    int64_t *words;
    nomen__node *n = nomen__node_new(NOMEN__RESULT, op, &plan, &words);
    if (!n) {
        nomen__release(result);
        return NULL;
    }
    nomen__small_map_make(&n->map, words, map);
    n->edge[0] = edge_to(t);
    nomen__node_number(n);
    nomen__node_describe(n, result);
    nomen__attach(result, n);
    return nomen__scoped(result);
}

static nomen_tensor *map_view(nomen_tensor *t, const nomen__map *map) {
    return t ? map_result(nomen__map_apply(t, map), t, &op_map_view, map) : NULL;
}

/* Is every input dim shown whole and in order, or of size 1 and left out? place[d]: the result dim
 * that shows d; no map shows an input dim in two, and steps lead forwards, so that as many elements
 * as there are begin at the first and are neighbours. */
static bool is_permutation(const nomen__map *map, const int64_t *input_size, int *place) {
    for (int d = 0; d < map->input_ndim; d++) place[d] = -1;
    for (int k = 0; k < map->ndim; k++) {
        int d = map->source[k];
        if (d < 0) continue;
        if (map->size[k] != input_size[d]) return false;
        place[d] = k;
    }
    for (int d = 0; d < map->input_ndim; d++)
        if (place[d] < 0 && input_size[d] != 1) return false;
    return true;
}

static nomen_tensor *put_permuted(const nomen_tensor *g, const nomen__map *map,
                                  const int64_t *input_size, const int *place) {
    if (nomen__make_ready(g)) return NULL;
    int64_t stride[NOMEN_MAX_DIMS];
    for (int d = 0; d < map->input_ndim; d++) stride[d] = place[d] < 0 ? 1 : g->stride[place[d]];
    return nomen__tensor_view(g, (nomen_dtype)g->dtype, map->input_ndim, input_size, stride, 0);
}

/* Dims that repeat one element: sum first, then what is left is one to one. */
static nomen_tensor *sum_repeated(nomen_tensor *g, nomen__map *map) {
    for (int k = 0; k < map->ndim; k++)
        if (map->size[k] != 1 && (map->source[k] < 0 || map->step[k] == 0)) map->size[k] = 1;
    return nomen__sum_to(g, map->ndim, map->size);
}

/* The dim of which the map shows some neighbours, n of them, if it shows all others whole; -1:
 * there is none, or what lies side by side is so short that it is better filled with the rest. */
static int narrowed_dim(const nomen__map *map, const int64_t *input_size, int64_t *n) {
    enum { SHORT = 64 };
    int found = -1;
    for (int d = 0; d < map->input_ndim; d++) {
        int64_t size = 1, step = 1;
        for (int k = 0; k < map->ndim; k++)
            if (map->source[k] == d) size = map->size[k], step = map->step[k];
        if (size == input_size[d] && (step == 1 || size == 1)) continue;
        if (found >= 0 || (step != 1 && size != 1)) return -1;
        found = d;
        *n = size;
    }
    int64_t run = found < 0 ? 0 : *n;
    for (int d = found + 1; found >= 0 && d < map->input_ndim; d++) run *= input_size[d];
    return run >= SHORT ? found : -1;
}

static nomen_status fill_slab(const nomen_tensor *t, int d, int64_t first, int64_t n) {
    const nomen_number zero = {.kind = NOMEN_NUMBER_INT};
    int64_t size[NOMEN_MAX_DIMS];
    if (n == 0) return NOMEN_OK;
    memcpy(size, t->size, sizeof *size * (size_t)t->ndim);
    size[d] = n;
    const int64_t bytes = first * t->stride[d] * nomen__item((nomen_dtype)t->dtype);
    nomen_tensor *slab =
        nomen__tensor_view(t, (nomen_dtype)t->dtype, t->ndim, size, t->stride, bytes);
    const nomen_status s = slab ? nomen__fill_values(slab, &zero) : NOMEN_ERROR_MEMORY;
    nomen__release(slab);
    return s;
}

/* Zeros, but where the map looks, if that is a slab of many elements: what is there is written
 * next. */
static nomen_tensor *zeros_around(const nomen_tensor *like, const nomen__map *map,
                                  const int64_t *input_size) {
    enum { FEW = 1 << 14 };
    int64_t n = 0;
    const bool many = nomen__numel_of(input_size, map->input_ndim) >= FEW;
    const int d = many ? narrowed_dim(map, input_size, &n) : -1;
    if (d < 0) return zeros(like, map->input_ndim, input_size);
    nomen_tensor *t =
        nomen__tensor_empty_on(like->device, (nomen_dtype)like->dtype, map->input_ndim, input_size);
    const int64_t first = map->start[d], end = first + n;
    if (!t || (!fill_slab(t, d, 0, first) && !fill_slab(t, d, end, input_size[d] - end))) return t;
    nomen__release(t);
    return NULL;
}

static nomen_tensor *map_put(nomen_tensor *g, const nomen__map *full, const int64_t *input_size) {
    nomen__map map = *full;
    g = sum_repeated(g, &map);
    if (!g) return NULL;
    int place[NOMEN_MAX_DIMS];
    if (is_permutation(&map, input_size, place))
        return map_result(put_permuted(g, &map, input_size, place), g, &op_map_put, &map);
    nomen_tensor *t = zeros_around(g, &map, input_size);
    nomen_tensor *hole = t ? nomen__map_apply(t, &map) : NULL;
    if (!hole) {
        nomen__release(t);
        return NULL;
    }
    nomen_status s = nomen__copy_values(hole, g);
    nomen__release(hole);
    if (s) {
        nomen__release(t);
        return NULL;
    }
    return map_result(t, g, &op_map_put, &map);
}

nomen_tensor *nomen__map_adjoint(nomen_tensor *g, const nomen__small_map *map,
                                 const int64_t *input_size) {
    nomen__map wide;
    map_widen(&wide, map);
    return map_put(g, &wide, input_size);
}

nomen_status nomen__map_add(nomen_tensor *into, nomen_tensor *g, const nomen__small_map *map) {
    nomen__map wide;
    map_widen(&wide, map);
    g = sum_repeated(g, &wide);
    nomen_tensor *part = g ? nomen__map_apply(into, &wide) : NULL;
    if (!part) return NOMEN_ERROR_MEMORY;
    nomen__add_into(part, g);
    nomen__release(part);
    return NOMEN_OK;
}

bool nomen__map_shows_all(const nomen__small_map *map, const int64_t *input_size) {
    int place[NOMEN_MAX_DIMS];
    nomen__map wide;
    map_widen(&wide, map);
    return is_permutation(&wide, input_size, place);
}

/* ---- geometry -------------------------------------------------------------------------------- */

uint32_t nomen__geometry_words(const nomen_tensor *view, const nomen_tensor *base) {
    return 2 * (uint32_t)(view->ndim + base->ndim);
}

void nomen__geometry_make(nomen__geometry *g, int64_t *words, const nomen_tensor *view,
                          const nomen_tensor *base) {
    int n = view->ndim, m = base->ndim;
    memcpy(words, view->size, sizeof *words * (size_t)n);
    memcpy(words + n, view->stride, sizeof *words * (size_t)n);
    memcpy(words + 2 * n, base->size, sizeof *words * (size_t)m);
    memcpy(words + 2 * n + m, base->stride, sizeof *words * (size_t)m);
    int64_t item = nomen__item(base->dtype);
    *g = (nomen__geometry){
        n, m, (view->data - base->data) / item, words, words + n, words + 2 * n, words + 2 * n + m};
}

static void geometry_copy(nomen__geometry *to, int64_t *words, const nomen__geometry *from) {
    size_t n = (size_t)from->ndim, m = (size_t)from->base_ndim;
    memcpy(words, from->size, sizeof *words * 2 * (n + m));
    *to = *from;
    to->size = words;
    to->stride = words + n;
    to->base_size = words + 2 * n;
    to->base_stride = words + 2 * n + m;
}

/* A fresh tensor with the base's sizes and strides, element for element what `from` is. */
static nomen_tensor *laid_out(const nomen_tensor *from, const nomen__geometry *g) {
    int64_t low = 0, high = 0;
    for (int d = 0; d < g->base_ndim; d++) {
        int64_t reach = (g->base_size[d] - 1) * g->base_stride[d];
        if (g->base_size[d] == 0) reach = 0;
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    int64_t count = high - low + 1, item = nomen__item(from->dtype);
    const nomen_dtype d = (nomen_dtype)from->dtype;
    nomen_tensor *memory = nomen__tensor_empty_on(from->device, d, 1, &count);
    if (!memory) return NULL;
    nomen_tensor *t =
        nomen__tensor_view(memory, d, g->base_ndim, g->base_size, g->base_stride, -low * item);
    nomen__release(memory);
    if (!t || !nomen__copy_values(t, from)) return t;
    nomen__release(t);
    return NULL;
}

/* The view of the geometry in a tensor that is laid out like the base. */
static nomen_tensor *shown(const nomen_tensor *t, const nomen__geometry *g) {
    const nomen_dtype d = (nomen_dtype)t->dtype;
    const int64_t bytes = t->numel ? g->offset * nomen__item(d) : 0;
    return nomen__tensor_view(t, d, g->ndim, g->size, g->stride, bytes);
}

static nomen_tensor *grad_of_strided(nomen__backward *b, int input);
static nomen_tensor *grad_of_put(nomen__backward *b, int input);
static nomen_tensor *grad_of_slices(nomen__backward *b, int input);

const nomen__op nomen__op_strided = {.name = "as_strided", .grad = grad_of_strided};
static const nomen__op op_put = {.name = "as_strided_scatter", .grad = grad_of_put};
const nomen__op nomen__op_slices = {.name = "CopySlices", .grad = grad_of_slices};

static nomen_tensor *geometry_result(nomen_tensor *result, const nomen_tensor *a,
                                     const nomen_tensor *b, const nomen__op *op,
                                     const nomen__geometry *g) {
    if (!result || (!recorded(a) && !recorded(b))) return nomen__scoped(result);
    nomen__node_plan plan = {
        .nin = 2, .geometry_words = 2 * (uint32_t)(g->ndim + g->base_ndim), .ndim = result->ndim};
    int64_t *words;
    nomen__node *n = nomen__node_new(NOMEN__RESULT, op, &plan, &words);
    if (!n) {
        nomen__release(result);
        return NULL;
    }
    geometry_copy(&n->geometry, words, g);
    n->edge[0] = edge_to(a);
    n->edge[1] = edge_to(b);
    nomen__node_number(n);
    nomen__node_describe(n, result);
    nomen__attach(result, n);
    return nomen__scoped(result);
}

/* Lies t as the base does? */
static bool lies_so(const nomen_tensor *t, const nomen__geometry *g) {
    if (nomen__is_put_off(t)) return false;
    for (int d = 0; d < t->ndim; d++)
        if (t->size[d] > 1 && t->stride[d] != g->base_stride[d]) return false;
    return true;
}

/* Do all elements that the geometry looks at belong to the base? */
static bool is_within(const nomen__geometry *g) {
    int64_t last = g->offset, end = 0;
    for (int d = 0; d < g->ndim; d++) {
        if (g->size[d] == 0) return true;
        if (g->stride[d] < 0) return false;
        last += (g->size[d] - 1) * g->stride[d];
    }
    for (int d = 0; d < g->base_ndim; d++) {
        if (g->base_stride[d] < 0) return false;
        end += (g->base_size[d] - 1) * g->base_stride[d];
    }
    return g->offset >= 0 && last <= end;
}

/* What t would show through the geometry. */
static nomen_tensor *strided(nomen_tensor *t, const nomen__geometry *g) {
    if (!t) return NULL;
    nomen_tensor *same = lies_so(t, g) && is_within(g) ? nomen__retain(t) : laid_out(t, g);
    nomen_tensor *v = same ? shown(same, g) : NULL;
    nomen__release(same);
    return geometry_result(v, t, NULL, &nomen__op_strided, g);
}

/* t with other values (NULL: zeros) where the geometry looks. */
static nomen_tensor *put(nomen_tensor *t, nomen_tensor *values, const nomen__geometry *g) {
    if (!t) return NULL;
    nomen_tensor *same = laid_out(t, g);
    nomen_tensor *hole = same ? shown(same, g) : NULL;
    if (!hole) {
        nomen__release(same);
        return NULL;
    }
    nomen_number zero = {.kind = NOMEN_NUMBER_INT};
    nomen_status s = values ? nomen__copy_values(hole, values) : nomen__fill_values(hole, &zero);
    nomen__release(hole);
    if (s) {
        nomen__release(same);
        return NULL;
    }
    return geometry_result(same, t, values, &op_put, g);
}

static nomen_tensor *grad_of_strided(nomen__backward *b, int input) {
    (void)input;
    const nomen__geometry *g = &b->node->geometry;
    nomen__geometry once = *g;
    int64_t size[NOMEN_MAX_DIMS];
    for (int d = 0; d < g->ndim; d++)
        size[d] = g->stride[d] == 0 && g->size[d] > 1 ? 1 : g->size[d];
    nomen_tensor *summed = nomen__sum_to(b->g, g->ndim, size);
    if (!summed) return NULL;
    int64_t words[4 * NOMEN_MAX_DIMS];
    geometry_copy(&once, words, g);
    memcpy(words, size, sizeof *size * (size_t)g->ndim);
    nomen_tensor *empty = nomen__scoped(zeros(summed, g->base_ndim, g->base_size));
    return put(empty, summed, &once);
}

static nomen_tensor *grad_of_put(nomen__backward *b, int input) {
    return input == 0 ? put(b->g, NULL, &b->node->geometry) : strided(b->g, &b->node->geometry);
}

/* The gradient of the base comes in. What the view was before the operation gets the operation's
 * gradient; the other operands get theirs from the part that the view shows. */
static nomen_tensor *grad_of_slices(nomen__backward *b, int input) {
    const nomen__node *n = b->node;
    nomen_tensor *part = strided(b->g, &n->geometry);
    if (!part) return NULL;
    bool failed = false;
    nomen_tensor *inner = nomen__node_gradient(n->inner, part, input, &failed);
    if (failed) return NULL;
    if (input > 0) return inner ? inner : nomen__g_zero(b);
    if (inner) inner = nomen__sum_to(inner, n->geometry.ndim, n->geometry.size);
    return inner || !nomen__error_pending() ? put(b->g, inner, &n->geometry) : NULL;
}
