/* Composite rows: unique and unique_consecutive. Equal values stand beside each other, in order or
 * as they come; the first of each run is kept. */
#include "nomen/ops.gen.h"
#include "op/passing.h"
#include "op/rows.gen.h"

#include <string.h>

typedef struct wish {
    bool consecutive, inverse, counts, along; /* along a dim, else all elements */
    int dim;
} wish;

/* values [n, ...] in the order in which they stand beside each other, and where they were (NULL:
 * there). */
typedef struct series {
    nomen_tensor *values, *order;
    int64_t n;
} series;

/* The slices of t's first dim, each as one row of what it holds. */
static nomen_tensor *rows_of(nomen_tensor *t) {
    int64_t n = t->size[0], each = n ? t->numel / n : 0;
    return t->ndim == 1 ? t : nomen_reshape(t, NOMEN_SIZES(n, each));
}

static series in_order(nomen_tensor *t, const wish *w) {
    series s = {t, NULL, t ? t->size[0] : 0};
    if (w->consecutive || !t) return s;
    if (t->ndim > 1) {
        s.order = nomen_order_slices(t);
        s.values = nomen_index_select(t, "0", s.order);
    } else {
        nomen_tensor **positions = w->inverse || w->counts ? &s.order : NULL;
        s.values = nomen_sort(t, .dim = "0", .indices = positions);
    }
    return s;
}

/* Which of them differ from the one before; the first one does. */
static nomen_tensor *firsts(const series *s) {
    nomen_tensor *begin = nomen_ones(NULL, NOMEN_SIZES(s->n > 0), .dtype = NOMEN_BOOL);
    if (s->n < 2 || !s->values) return s->values ? begin : NULL;
    nomen_tensor *rows = rows_of(s->values);
    nomen_tensor *differ =
        nomen_ne(nomen_narrow(rows, "0", 1, s->n - 1), nomen_narrow(rows, "0", 0, s->n - 1));
    if (rows && rows->ndim > 1) differ = nomen_any(differ, "1");
    return nomen_cat(NOMEN_LIST(begin, differ));
}

/* For each element which value is its own. */
static nomen_tensor *inverse_of(const series *s, nomen_tensor *first) {
    nomen_tensor *group = nomen_sub(nomen_cumsum(first, "0"), nomen_scalar(1));
    if (!s->order) return group;
    return nomen_scatter(nomen_zeros_like(group), "0", s->order, group);
}

static nomen_tensor *counts_of(const series *s, nomen_tensor *first) {
    nomen_tensor *at = nomen_reshape(nomen_nonzero(first), NOMEN_SIZES(-1));
    nomen_tensor *end = nomen_full(NULL, NOMEN_SIZES(s->n > 0), nomen_num(s->n));
    return nomen_diff(nomen_cat(NOMEN_LIST(at, end)));
}

static nomen_tensor *named(nomen_tensor *t, const nomen_name *names) {
    if (!t) return NULL;
    if (names) nomen__set_names(t, names);
    return nomen__retain(t);
}

/* Fills c->results; what is NULL failed. */
static void deliver(nomen__call *c, const wish *w, nomen_tensor *const parts[3]) {
    nomen_tensor *self = c->in[0];
    const nomen_name *own = nomen__names_of(self).at, *line = own && w->along ? own + w->dim : NULL;
    int k = 0;
    c->results[k++] = named(parts[0], w->along ? own : NULL);
    if (w->inverse) c->results[k++] = named(parts[1], w->along ? line : own);
    if (w->counts) c->results[k++] = named(parts[2], line);
}

enum { SOME = 2048 };

/* Where slices of so many elements stand that differ from the one before: how many. */
static int64_t mark_firsts(uint8_t first[SOME], const nomen_tensor *values, int64_t each) {
    const nomen_dtype d = (nomen_dtype)values->dtype;
    const int64_t n = values->numel / each, item = nomen__item(d);
    uint8_t differ[SOME];
    int64_t count = 1;
    first[0] = 1;
    nomen__kernel_find("ne", d)->loop(
        (char *const[]){(char *)differ, values->data + each * item, values->data},
        (const int64_t[]){1, item, item}, (n - 1) * each);
    for (int64_t i = 1; i < n; i++) {
        first[i] = 0;
        for (int64_t k = 0; k < each; k++) first[i] |= differ[(i - 1) * each + k];
        count += first[i];
    }
    return count;
}

static void put_values(nomen_tensor *to, const nomen_tensor *values, int64_t each,
                       const uint8_t *first) {
    const int64_t bytes = each * nomen__item(values->dtype), n = values->numel / each;
    char *at = to->data;
    for (int64_t i = 0; i < n; i++) {
        if (!first[i]) continue;
        memcpy(at, values->data + i * bytes, (size_t)bytes);
        at += bytes;
    }
}

/* What the steps of find would make of so few elements; false: they are others. */
static bool find_few(nomen__call *c, const wish *w, const series *s, const char *dim) {
    nomen_tensor *values = s->values, *parts[3] = {NULL, NULL, NULL};
    const nomen_tensor *order = s->order, *self = c->in[0];
    uint8_t first[SOME];
    if (!values || !values->numel || values->numel > SOME || !nomen__may_pass(values)) return false;
    values = nomen_contiguous(values);
    if (!values) return true;
    int64_t size[NOMEN_MAX_DIMS];
    const int64_t each = values->numel / s->n, count = mark_firsts(first, values, each);
    const int64_t *at = order ? (const int64_t *)(const void *)order->data : NULL;
    size[0] = count;
    for (int d = 1; d < values->ndim; d++) size[d] = values->size[d];
    parts[0] = nomen__scoped(nomen__tensor_empty((nomen_dtype)values->dtype, values->ndim, size));
    if (w->inverse)
        parts[1] = nomen__scoped(w->along ? nomen__tensor_empty(NOMEN_I64, 1, &s->n)
                                          : nomen__tensor_empty(NOMEN_I64, self->ndim, self->size));
    if (w->counts) parts[2] = nomen__scoped(nomen__tensor_empty(NOMEN_I64, 1, &count));
    if (parts[0]) put_values(parts[0], values, each, first);
    int64_t *inverse = parts[1] ? (int64_t *)(void *)parts[1]->data : NULL;
    int64_t *counts = parts[2] ? (int64_t *)(void *)parts[2]->data : NULL;
    for (int64_t i = 0, group = -1; i < s->n; i++) {
        group += first[i];
        if (inverse) inverse[at ? at[i] : i] = group;
        if (counts) counts[group] = first[i] ? 1 : counts[group] + 1;
    }
    if (w->along && w->dim) parts[0] = nomen_movedim(parts[0], "0", dim);
    deliver(c, w, parts);
    return true;
}

static void find(nomen__call *c, const wish *w) {
    char text[NOMEN__DIM_TEXT];
    nomen_tensor *t = nomen__nameless(c->in[0]);
    nomen__one_dim(w->dim, text);
    if (!w->along)
        t = nomen_reshape(t, NOMEN_SIZES(-1));
    else if (w->dim)
        t = nomen_movedim(t, text, "0");
    series s = in_order(t, w);
    if (find_few(c, w, &s, text)) return;
    nomen_tensor *first = firsts(&s), *parts[3] = {NULL, NULL, NULL};
    if (w->along)
        parts[0] = nomen_movedim(
            nomen_index_select(s.values, "0", nomen_reshape(nomen_nonzero(first), NOMEN_SIZES(-1))),
            "0", text);
    else
        parts[0] = nomen_masked_select(s.values, first);
    if (w->inverse) parts[1] = inverse_of(&s, first);
    if (w->inverse && !w->along)
        parts[1] = nomen_reshape(parts[1], (nomen_sizes){c->in[0]->ndim, c->in[0]->size});
    if (w->counts) parts[2] = counts_of(&s, first);
    deliver(c, w, parts);
}

/* Of bools there are two values at most: how many are true says which, and how often. */
static void find_bools(nomen__call *c, const wish *w) {
    nomen_tensor *t = nomen__nameless(c->in[0]), *parts[3] = {NULL, NULL, NULL};
    nomen_tensor *number = nomen_count_nonzero(t);
    if (!number) return;
    const int64_t trues = nomen_item_int(number), falses = t->numel - trues;
    parts[0] = nomen_cat(NOMEN_LIST(nomen_zeros(NULL, NOMEN_SIZES(falses > 0), .dtype = NOMEN_BOOL),
                                    nomen_ones(NULL, NOMEN_SIZES(trues > 0), .dtype = NOMEN_BOOL)));
    if (w->inverse)
        parts[1] = falses ? nomen_to(t, NOMEN_I64) : nomen_zeros_like(t, .dtype = NOMEN_I64);
    if (w->counts)
        parts[2] =
            nomen_cat(NOMEN_LIST(nomen_full(NULL, NOMEN_SIZES(falses > 0), nomen_num(falses)),
                                 nomen_full(NULL, NOMEN_SIZES(trues > 0), nomen_num(trues))));
    deliver(c, w, parts);
}

static bool flag(const nomen__call *c, int arg) { return nomen__given(c, arg) && c->arg[arg].flag; }

nomen_status nomen__compose_unique(nomen__call *c) {
    const nomen_tensor *self = c->in[0];
    bool consecutive = c->op->id == NOMEN__OP_UNIQUE_CONSECUTIVE;
    int at = consecutive ? 1 : 2; /* return_inverse, return_counts, dim */
    wish w = {consecutive, flag(c, at), flag(c, at + 1), nomen__given(c, at + 2), 0};
    if (!consecutive && !(c->op->dtypes >> self->dtype & 1))
        return nomen__fail(NOMEN_ERROR_DTYPE, "\"unique\" not implemented for '%s': no order",
                           nomen_dtype_name((nomen_dtype)self->dtype));
    nomen_status s = NOMEN_OK;
    const nomen__dimref *dim = w.along ? c->arg[at + 2].dims.at : NULL;
    if (dim && !self->ndim && dim->kind == NOMEN__DIM_INDEX)
        s = nomen__fail(NOMEN_ERROR_INDEX,
                        "Dimension specified as %lld but tensor has no dimensions",
                        (long long)dim->index);
    else if (dim)
        s = nomen__dim_position(nomen__names_of(self), dim, &w.dim);
    if (!s && w.along && !self->numel && self->size[w.dim])
        s = nomen__fail(NOMEN_ERROR_SHAPE,
                        "There are 0 sized dimensions, and they aren't selected, so unique cannot "
                        "be applied");
    int64_t count = 1 + w.inverse + w.counts;
    if (!s) s = nomen__results_begin(c, count);
    if (s) return s;
    const bool bools = self->dtype == NOMEN_BOOL && !w.consecutive && !w.along;
    nomen_scope() {
        if (bools)
            find_bools(c, &w);
        else
            find(c, &w);
    }
    for (int64_t i = 0; i < count; i++)
        if (!c->results[i]) return nomen__results_undo(c);
    return NOMEN_OK;
}
