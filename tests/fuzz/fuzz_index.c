/* Fuzzes indexing: chains of views, and everything that takes positions out of a tensor of
 * integers, on tensors that hold their own positions, so that each result says where it was taken
 * from. */
#include "checks.h"

#include <string.h>

typedef struct index_call {
    nomen_tensor *self;
    nomen_tensor *item[4]; /* NULL: the whole dim */
    int items;
    bool outside; /* an index is out of range */
} index_call;

static int64_t at_position(const nomen_tensor *t, const int64_t *position) {
    const char *at = t->data;
    for (int i = 0; i < t->ndim; i++) at += position[i] * t->stride[i] * 8;
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Steps to the next position; false behind the last one. */
static bool next(const nomen_tensor *t, int64_t *position) {
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (++position[i] < t->size[i]) return true;
        position[i] = 0;
    }
    return false;
}

static nomen_tensor *start(feed *f) {
    static const char *const names[] = {NULL, "N C H W", "N * H *", NULL};
    int64_t size[5], numel = 1;
    int ndim = (int)feed_below(f, 5);
    for (int i = 0; i < ndim; i++) numel *= size[i] = feed_below(f, 5);
    const char *given = ndim == 4 ? names[feed_below(f, 4)] : NULL;
    nomen_tensor *t = nomen_empty(given, ((nomen_sizes){ndim, size}), .dtype = NOMEN_I64);
    EXPECT(t);
    for (int64_t i = 0; i < numel; i++) ((int64_t *)nomen_data(t))[i] = i;
    return t;
}

/* What Python's slice takes: begin and count, in integers that hold everything. */
static int64_t slice_count(__int128 size, __int128 from, __int128 to, __int128 step,
                           __int128 *begin) {
    from = from < 0 ? from + size : from;
    to = to < 0 ? to + size : to;
    if (step > 0) {
        from = from < 0 ? 0 : from > size ? size : from;
        to = to < 0 ? 0 : to > size ? size : to;
        *begin = from;
        return to > from ? (int64_t)((to - from + step - 1) / step) : 0;
    }
    from = from < 0 ? -1 : from >= size ? size - 1 : from;
    to = to < 0 ? -1 : to >= size ? size - 1 : to;
    *begin = from;
    return to < from ? (int64_t)((from - to - step - 1) / -step) : 0;
}

static nomen_tensor *slice(feed *f, nomen_tensor *t) {
    int d = (int)feed_below(f, 6);
    const char dim[2] = {(char)('0' + d), 0};
    int64_t from = feed_integer(f), to = feed_integer(f), step = feed_integer(f);
    if (feed_byte(f) < 200) step = 1 + (step & 3);
    nomen_tensor *r =
        nomen_slice(t, dim, nomen_number_int(from), nomen_number_int(to), nomen_number_int(step));
    bool fits = d < t->ndim && step != 0;
    if (!r || !fits) {
        EXPECT(!r && !(fits && step > 0));
        return NULL;
    }
    __int128 begin;
    int64_t count = slice_count(t->size[d], from, to, step, &begin);
    EXPECT(r->size[d] == count);
    EXPECT(!r->numel || r->data == t->data + (int64_t)begin * t->stride[d] * 8);
    EXPECT(count < 2 || r->stride[d] == t->stride[d] * step);
    return r;
}

static nomen_tensor *view(feed *f, nomen_tensor *t) {
    char line[100], other[100];
    int64_t a = feed_integer(f), b = feed_integer(f);
    unsigned which = feed_below(f, 12);
    if (which == 0 || which > 9) return slice(f, t);
    const char *dim = feed_dims(f, line, sizeof line);
    switch (which) {
    case 1: return nomen_select(t, dim, a);
    case 2: return nomen_narrow(t, dim, a, b);
    case 3: return nomen_unfold(t, dim, a, b);
    case 4: return nomen_permute(t, dim);
    case 5: return nomen_diagonal(t, a, dim, feed_dims(f, other, sizeof other));
    case 6: return nomen_transpose(t, dim, feed_dims(f, other, sizeof other));
    case 7: return nomen_unsqueeze(t, dim);
    case 8: return nomen_expand(t, NOMEN_SIZES(a, b, t->ndim > 0 ? t->size[0] : 1));
    default: {
        int64_t size[3] = {feed_size(f), feed_size(f), feed_size(f)};
        int64_t stride[3] = {feed_integer(f), feed_integer(f), feed_integer(f)};
        int64_t n = feed_below(f, 4);
        return nomen_as_strided(t, ((nomen_sizes){n, size}), ((nomen_sizes){n, stride}),
                                .storage_offset = nomen_number_int(a));
    }
    }
}

static void take_indices(feed *f, index_call *c) {
    int dim = 0;
    c->items = (int)feed_below(f, 5);
    for (int i = 0; i < c->items; i++, dim++) {
        int64_t size = dim < c->self->ndim ? c->self->size[dim] : 1;
        unsigned kind = feed_byte(f);
        c->item[i] = kind % 4 == 0 ? NULL : feed_positions(f, size);
        if (!c->item[i]) continue;
        const int64_t *at = nomen_data(c->item[i]);
        for (int64_t k = 0; k < c->item[i]->numel; k++)
            c->outside |= at[k] < -size || at[k] >= size;
        if (kind % 4 == 3) { /* as a mask of one dim: which positions are not 0 */
            nomen_tensor *mask = nomen_ne(c->item[i], nomen_scalar(0));
            if (mask && mask->ndim > 1) dim += mask->ndim - 1;
            c->item[i] = mask;
            c->outside = false;
        }
    }
}

/* One index alone: every element can be foretold. */
static void check_single(const index_call *c, const nomen_tensor *r) {
    int d = -1, count = 0;
    for (int i = 0; i < c->items; i++)
        if (c->item[i]) d = i, count++;
    if (count != 1 || c->item[d]->dtype != NOMEN_I64 || !r->numel) return;
    const nomen_tensor *index = c->item[d], *t = c->self;
    int64_t position[NOMEN_MAX_DIMS] = {0}, from[NOMEN_MAX_DIMS];
    EXPECT(!c->outside && r->ndim == t->ndim - 1 + index->ndim);
    do {
        for (int i = 0; i < d; i++) from[i] = position[i];
        from[d] = at_position(index, position + d);
        if (from[d] < 0) from[d] += t->size[d];
        for (int i = d + 1; i < t->ndim; i++) from[i] = position[i - 1 + index->ndim];
        EXPECT(at_position(r, position) == at_position(t, from));
    } while (next(r, position));
}

static nomen_tensor *take(feed *f, nomen_tensor *t, bool *wrote) {
    char line[100];
    index_call c = {.self = t};
    unsigned which = feed_below(f, 16);
    nomen_tensor *value = nomen_scalar(-1);
    if (which < 6) {
        take_indices(f, &c);
        nomen_list list = {c.items, c.item};
        *wrote = which >= 4;
        if (which >= 4) return nomen_index_put_(t, list, value, .accumulate = which == 5);
        nomen_tensor *r = nomen_index(t, list);
        if (r) check_single(&c, r);
        return r;
    }
    const char *dim = feed_dims(f, line, sizeof line);
    nomen_tensor *index = feed_positions(f, t->ndim ? t->size[t->ndim - 1] : 1);
    nomen_tensor *mask = nomen_gt(index, nomen_scalar(1)), *source = feed_tensor(f);
    if (!(source = nomen_cast(source, NOMEN_I64))) return NULL;
    *wrote = which >= 11;
    switch (which) {
    case 6: return nomen_index_select(t, dim, index);
    case 7: return nomen_gather(t, dim, index);
    case 8: return nomen_take(t, index);
    case 9: return nomen_take_along_dim(t, index, dim);
    case 10: return nomen_masked_select(t, mask);
    case 11: return nomen_scatter_(t, dim, index, source);
    case 12: return nomen_put_(t, index, source, feed_byte(f) & 1);
    case 13: return nomen_index_add_(t, dim, index, source);
    case 14: return nomen_masked_scatter_(t, mask, source);
    default: return nomen_index_copy_(t, dim, index, source);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feed f = {data, data + size};
    balance b = balance_open();
    nomen_set_memory_limit(1 << 20);
    nomen_scope() {
        nomen_tensor *t = start(&f);
        for (int step = 0; step < 8 && f.at < f.end; step++) {
            bool wrote = false;
            nomen_tensor *before = nomen_clone(t);
            EXPECT(before);
            nomen_tensor *r = feed_byte(&f) & 1 ? view(&f, t) : take(&f, t, &wrote);
            if (!r) {
                nomen_clear_error();
                EXPECT(same_values(before, t)); /* what fails writes nothing */
                continue;
            }
            check_tensor(r);
            if (!wrote) EXPECT(same_values(before, t));
            if (r->numel <= 512 && r->dtype == NOMEN_I64) t = r;
        }
    }
    nomen_clear_error();
    balance_close(&b);
    return 0;
}
