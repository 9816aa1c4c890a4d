/* Words of the table for rows with an index: names, dtypes, sizes, and the launches that take
 * elements from places and put them there. The index is always the second operand. */
#include "op/places.h"
#include "op/rows.gen.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* The dim is looked up in self; then self and what is gathered or scattered must match. */
nomen_status nomen__names_along(nomen__call *c) {
    nomen_status s = nomen__names_keep(c);
    if (s || !c->named) return s;
    nomen__names operands[NOMEN__MAX_IN];
    int n = 0;
    bool whole = c->op->id == NOMEN__OP_INDEX_ADD || c->op->id == NOMEN__OP_INDEX_COPY;
    for (int i = 0; i < c->nin; i++)
        if (!(whole && i == 1)) operands[n++] = nomen__names_of(c->in[i]);
    return nomen__unify_all(operands, n, &c->names);
}

nomen_status nomen__names_as_index(nomen__call *c) { return nomen__names_keep_of(c, c->in[1]); }

nomen_status nomen__names_self(nomen__call *c) { return nomen__names_keep_of(c, c->in[0]); }

static bool group_of(const nomen__call *c, int first_arg, int *first, int *count) {
    int64_t ndim = c->in[0]->ndim, a = c->arg[first_arg].integer, n = c->arg[first_arg + 1].integer;
    *first = (int)a;
    *count = (int)n;
    return a >= 0 && n >= 0 && a <= ndim && n <= ndim - a;
}

static nomen_status check_group(const nomen__call *c, int first_arg, int *first, int *count) {
    if (group_of(c, first_arg, first, count)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_INDEX, "%s: a tensor of %d dims has no %lld dims from dim %lld",
                       c->op->name, c->in[0]->ndim, (long long)c->arg[first_arg + 1].integer,
                       (long long)c->arg[first_arg].integer);
}

nomen_status nomen__names_take_dims(nomen__call *c) {
    int first, count;
    nomen_status s = check_group(c, 2, &first, &count);
    if (s || !c->named) return s;
    return nomen__names_index(nomen__names_of(c->in[0]), first, count, nomen__names_of(c->in[1]),
                              &c->names);
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

nomen_status nomen__dtype_indexed(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[1]->dtype;
    bool fill = c->op->id == NOMEN__OP_INDEX_FILL;
    if (!nomen_dtype_is_integral(d) || d == NOMEN_BOOL)
        return nomen__fail(fill ? NOMEN_ERROR_INDEX : NOMEN_ERROR_DTYPE,
                           "%s%s(): Expected dtype int64 for index, or another integer dtype, "
                           "but got %s",
                           c->op->name, fill ? "_" : "", nomen_dtype_name(d));
    return nomen__dtype_same(c);
}

nomen_status nomen__dtype_take(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[1]->dtype;
    if (!nomen_dtype_is_integral(d) || d == NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "%s(): Expected a long tensor for index, or one of another integer "
                           "dtype, but got %s",
                           c->op->id == NOMEN__OP_PUT ? "put_" : c->op->name, nomen_dtype_name(d));
    return nomen__dtype_same(c);
}

/* What is put there has the dtype of self, but numbers. */
nomen_status nomen__dtype_put(nomen__call *c) {
    nomen_dtype own = (nomen_dtype)c->in[0]->dtype, d = (nomen_dtype)c->in[2]->dtype;
    nomen_status s = c->op->id == NOMEN__OP_PUT ? nomen__dtype_take(c) : nomen__dtype_indexed(c);
    if (s) return s;
    if (c->in[2]->flags & NOMEN__WRAPPED) return nomen__check_fits(c->in[2], own);
    if (own == d) return NOMEN_OK;
    const char *own_name = nomen_dtype_name(own), *name = nomen_dtype_name(d);
    switch (c->op->id) {
    case NOMEN__OP_INDEX_ADD:
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "index_add_(): self (%s) and source (%s) must have the same scalar type",
                           own_name, name);
    case NOMEN__OP_INDEX_COPY:
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "index_copy_(): self and source expected to have the same dtype, but "
                           "got (self) %s and (source) %s",
                           own_name, name);
    case NOMEN__OP_PUT:
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "put_(): self and source expected to have the same dtype, but got "
                           "self.dtype = %s and source.dtype = %s",
                           own_name, name);
    case NOMEN__OP_PUT_DIMS:
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "Index put requires the source and destination dtypes match, got %s "
                           "for the destination and %s for the source.",
                           own_name, name);
    default:
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "scatter(): Expected self.dtype to be equal to src.dtype, but they are "
                           "%s and %s",
                           own_name, name);
    }
}

nomen_status nomen__dtype_index_fill(nomen__call *c) {
    const nomen_tensor *value = c->in[2];
    nomen_status s = nomen__dtype_indexed(c);
    if (s) return s;
    if (value->ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "index_fill_ only supports a 0-dimensional value tensor, but got "
                           "tensor with %d dimension(s).",
                           value->ndim);
    if (nomen_dtype_is_complex((nomen_dtype)value->dtype) && !nomen_dtype_is_complex(c->compute))
        return nomen__fail(NOMEN_ERROR_DTYPE, "index_fill_(): Converting complex Scalar to "
                                              "non-complex type is not supported");
    return nomen__check_fits(value, c->compute);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void as_self(nomen__call *c) { (void)nomen__shape_same(c); }

static nomen_status check_vector(const nomen__call *c) {
    const nomen_tensor *index = c->in[1];
    if (index->ndim < 2) return NOMEN_OK;
    switch (c->op->id) {
    case NOMEN__OP_INDEX_FILL:
        return nomen__fail(NOMEN_ERROR_SHAPE, "Index has to be a vector/scalar, but it has %d dims",
                           index->ndim);
    case NOMEN__OP_INDEX_SELECT:
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "index_select(): Index is supposed to be a vector, but it has %d dims",
                           index->ndim);
    case NOMEN__OP_INDEX_COPY:
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "index_copy_(): Index should have dimension 1 or 0 (got %d)",
                           index->ndim);
    default:
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "%s_(): Index is supposed to be a vector, but got dim: %d", c->op->name,
                           index->ndim);
    }
}

nomen_status nomen__shape_index_select(nomen__call *c) {
    nomen_status s = check_vector(c);
    if (s) return s;
    as_self(c);
    c->like = NULL;
    if (c->ndim)
        c->size[c->dim] = c->in[1]->numel;
    else if (c->in[1]->numel != 1)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "index_select(): Index to scalar can have only 1 value, got %lld "
                           "value(s)",
                           (long long)c->in[1]->numel);
    return NOMEN_OK;
}

nomen_status nomen__shape_index_fill(nomen__call *c) {
    (void)nomen__shape_like(c);
    return check_vector(c);
}

nomen_status nomen__shape_take(nomen__call *c) {
    const nomen_tensor *index = c->in[1];
    c->ndim = index->ndim;
    for (int d = 0; d < c->ndim; d++) c->size[d] = index->size[d];
    if (c->in[0]->numel == 0 && index->numel)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "%s(): tried to take from an empty tensor, which has no places",
                           c->op->name);
    return NOMEN_OK;
}

nomen_status nomen__shape_put(nomen__call *c) {
    const nomen_tensor *index = c->in[1], *source = c->in[2];
    as_self(c);
    if (index->numel != source->numel)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "put_(): Expected source and index to have the same number of "
                           "elements, but got source.numel() = %lld, index.numel() = %lld",
                           (long long)source->numel, (long long)index->numel);
    if (c->in[0]->numel == 0 && index->numel)
        return nomen__fail(NOMEN_ERROR_INDEX, "put_(): Tried to put elements into an empty tensor");
    return NOMEN_OK;
}

/* The sizes of rows: those of self with a group of dims replaced by those of the index. */
static nomen_status rows_shape(const nomen__call *c, int first, int count, int *ndim,
                               int64_t *size) {
    const nomen_tensor *t = c->in[0], *index = c->in[1];
    *ndim = t->ndim - count + index->ndim;
    if (*ndim > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    int k = 0;
    for (int d = 0; d < first; d++) size[k++] = t->size[d];
    for (int d = 0; d < index->ndim; d++) size[k++] = index->size[d];
    for (int d = first + count; d < t->ndim; d++) size[k++] = t->size[d];
    return NOMEN_OK;
}

nomen_status nomen__shape_take_dims(nomen__call *c) {
    int first, count;
    group_of(c, 2, &first, &count);
    return rows_shape(c, first, count, &c->ndim, c->size);
}

/* The dims of self stay in the order in which they lie in memory; those of the index are compared
 * with nothing, as if they had no stride. */
bool nomen__strides_of_taken(const nomen__call *c, int64_t *stride) {
    const nomen_tensor *t = c->in[0];
    int64_t own[NOMEN_MAX_DIMS];
    int first, count, k = 0;
    if (t->flags & NOMEN__CONTIGUOUS || !group_of(c, 2, &first, &count)) return false;
    for (int d = 0; d < first; d++) own[k++] = t->stride[d];
    for (int d = 0; d < c->in[1]->ndim; d++) own[k++] = 0;
    for (int d = first + count; d < t->ndim; d++) own[k++] = t->stride[d];
    const nomen_tensor model = {.ndim = (uint8_t)k, .stride = own, .size = (int64_t *)c->size};
    nomen__strides_like(&model, c->size, stride);
    return true;
}

nomen_status nomen__shape_put_dims(nomen__call *c) {
    int first, count, ndim;
    int64_t size[NOMEN_MAX_DIMS], joint[NOMEN_MAX_DIMS];
    const nomen_tensor *source = c->in[2];
    nomen_status s = check_group(c, 3, &first, &count);
    as_self(c);
    if (!s) s = rows_shape(c, first, count, &ndim, size);
    if (s) return s;
    int joint_ndim = ndim;
    memcpy(joint, size, sizeof *size * (size_t)ndim);
    bool fits = nomen__broadcast(&joint_ndim, joint, source->ndim, source->size) &&
                joint_ndim == ndim && !memcmp(joint, size, sizeof *size * (size_t)ndim);
    if (fits) return NOMEN_OK;
    NOMEN__TEXT(own, 200);
    NOMEN__TEXT(rows, 200);
    nomen__text_sizes(&own, source->size, source->ndim);
    nomen__text_sizes(&rows, size, ndim);
    return nomen__fail(
        NOMEN_ERROR_SHAPE,
        "shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape "
        "%s",
        own.at, rows.at);
}

static nomen_status check_count(const nomen__call *c, int64_t slices) {
    int64_t count = c->in[1]->numel;
    if (slices == count) return NOMEN_OK;
    return c->op->id == NOMEN__OP_INDEX_ADD
               ? nomen__fail(NOMEN_ERROR_SHAPE,
                             "index_add_(): Number of indices (%lld) should be equal to "
                             "source.size(dim): (%lld), for dim: %d",
                             (long long)count, (long long)slices, c->dim)
               : nomen__fail(NOMEN_ERROR_INDEX,
                             "index_copy_(): Number of indices (%lld) should be equal to "
                             "source.size(dim) (%lld)",
                             (long long)count, (long long)slices);
}

static nomen_status other_slices(const nomen__call *c) {
    const nomen_tensor *t = c->in[0], *source = c->in[2];
    NOMEN__TEXT(own, 200);
    NOMEN__TEXT(other, 200);
    nomen__text_sizes(&own, t->size, t->ndim);
    nomen__text_sizes(&other, source->size, source->ndim);
    if (c->op->id == NOMEN__OP_INDEX_ADD)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "source tensor shape must match self tensor shape, excluding the "
                           "specified dimension. Got self.shape = %s source.shape = %s",
                           own.at, other.at);
    if (source->ndim != t->ndim && source->ndim && t->ndim)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "index_copy_(): When source and destination are not scalars, their "
                           "dimensionality must match. Source dimensionality (%d), destination "
                           "dimensionality (%d)",
                           source->ndim, t->ndim);
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "index_copy_(): Source/destination tensor must have same slice shapes. "
                       "Destination shape: %s and source shape: %s.",
                       own.at, other.at);
}

/* index_add and index_copy: a slice of source for each index. The first looks at the number of
 * slices before it looks at the slices, the second after it. */
nomen_status nomen__shape_index_put(nomen__call *c) {
    const nomen_tensor *t = c->in[0], *index = c->in[1], *source = c->in[2];
    bool add = c->op->id == NOMEN__OP_INDEX_ADD;
    nomen_status s = check_vector(c);
    as_self(c);
    if (s) return s;
    if (add && c->dim && c->dim >= source->ndim)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "index_add_(): Indexing dim %d is out of bounds of the source tensor "
                           "with dim %d",
                           c->dim, source->ndim);
    int64_t slices = source->ndim ? c->dim < source->ndim ? source->size[c->dim] : -1 : 1;
    bool same = source->ndim == t->ndim || source->ndim == 0 ||
                (t->ndim == 0 && source->ndim == 1 && source->numel == 1);
    if (source->ndim == 0 && index->numel != 1)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "%s_(): When source is scalar, index should have one element (got %lld)",
                           c->op->name, (long long)index->numel);
    for (int d = 0; same && d < t->ndim && source->ndim; d++)
        same = d == c->dim || t->size[d] == source->size[d];
    if (add && (same || slices >= 0)) s = check_count(c, slices);
    if (source->ndim == 0 && t->ndim) same = t->numel == t->size[c->dim];
    if (!s && !same) s = other_slices(c);
    return s || add ? s : check_count(c, slices);
}

static nomen_status check_ranks(const nomen__call *c, const nomen_tensor *other,
                                const char *words) {
    int own = c->in[0]->ndim ? c->in[0]->ndim : 1, ndim = other->ndim ? other->ndim : 1;
    if (own == ndim) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_SHAPE, "%s, but they have %d and %d", words, other->ndim,
                       c->in[0]->ndim);
}

nomen_status nomen__shape_gather(nomen__call *c) {
    const nomen_tensor *t = c->in[0], *index = c->in[1];
    c->ndim = index->ndim;
    for (int d = 0; d < c->ndim; d++) c->size[d] = index->size[d];
    if (index->numel == 0) return NOMEN_OK;
    nomen_status s = check_ranks(c, index,
                                 "Index tensor must have the same number of dimensions as input "
                                 "tensor");
    for (int d = 0; !s && d < t->ndim && d < index->ndim; d++) {
        if (d == c->dim || index->size[d] <= t->size[d]) continue;
        NOMEN__TEXT(own, 200);
        NOMEN__TEXT(other, 200);
        nomen__text_sizes(&own, t->size, t->ndim);
        nomen__text_sizes(&other, index->size, index->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Size does not match at dimension %d expected index %s to be no larger "
                           "than self %s apart from dimension %d",
                           d, other.at, own.at, c->dim);
    }
    return s;
}

nomen_status nomen__shape_scatter(nomen__call *c) {
    const nomen_tensor *t = c->in[0], *index = c->in[1], *source = c->in[2];
    as_self(c);
    if (index->numel == 0) return NOMEN_OK;
    bool number = source->flags & NOMEN__WRAPPED;
    nomen_status s = check_ranks(
        c, index, "Index tensor must have the same number of dimensions as self tensor");
    if (!s && !number)
        s = check_ranks(c, source,
                        "Index tensor must have the same number of dimensions as src tensor");
    for (int d = 0; !s && d < (index->ndim ? index->ndim : 1); d++) { /* no dims: one of size 1 */
        int64_t own = t->ndim ? t->size[d] : 1, other = source->ndim ? source->size[d] : 1;
        int64_t wants = index->ndim ? index->size[d] : 1;
        bool fits = (d == c->dim || wants <= own) && (number || wants <= other);
        if (fits) continue;
        NOMEN__TEXT(mine, 160);
        NOMEN__TEXT(wanted, 160);
        NOMEN__TEXT(given, 160);
        nomen__text_sizes(&mine, t->size, t->ndim);
        nomen__text_sizes(&wanted, index->size, index->ndim);
        nomen__text_sizes(&given, source->size, source->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Expected index %s to be no larger than self %s apart from dimension "
                           "%d and to be no larger size than src %s",
                           wanted.at, mine.at, c->dim, given.at);
    }
    return s;
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* Takes over places; along as for nomen__place_run. */
static nomen_status take_rows(nomen__call *c, nomen_tensor *places, int64_t unit, int first,
                              int count, int index_ndim, const nomen__place_rule *along) {
    nomen_tensor *out = c->out[0], *made;
    int64_t step;
    if (!places) return nomen__error_pending() ? NOMEN_ERROR_INDEX : NOMEN_ERROR_MEMORY;
    /* The pipeline lets an operand be the target: fine element by element, but not here. */
    bool apart =
        !nomen__one_step(out, first, index_ndim, &step) ||
        (c->target[0] && (nomen__may_overlap(out, c->in[0]) || nomen__may_overlap(out, places)));
    made = nomen__launch_output(out, c->compute, apart);
    nomen_status s = made ? nomen__place_run(NOMEN__PLACE_TAKE, c->in[0], first, count, places,
                                             unit, made, index_ndim, along)
                          : NOMEN_ERROR_MEMORY;
    s = nomen__launch_end(out, made, s);
    nomen__release(places);
    return s;
}

/* The stride that dim d of self, which is not indexed, has in the result. */
static int64_t stride_in_result(const nomen__call *c, int first, int d) {
    const nomen_tensor *t = c->in[0], *out = c->out[0];
    return out->stride[d < first ? d : d - t->ndim + out->ndim];
}

/* The dim of self, but for those that are indexed, that is the nearest one of the result; -1: it is
 * none of them. */
static int nearest_of(const nomen__call *c, int first, int count) {
    const nomen_tensor *t = c->in[0];
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->size[d] == 1 || (d >= first && d < first + count)) continue;
        if (stride_in_result(c, first, d) == 1) return d;
    }
    return -1;
}

/* Elements from dim d on outwards that go on in each other, in self and in the result. */
static int64_t joined_from(const nomen__call *c, int first, int count, int d) {
    const nomen_tensor *t = c->in[0];
    int64_t run = t->size[d];
    for (int k = d - 1; k >= 0 && (k < first || k >= first + count); k--) {
        if (t->size[k] == 1) continue;
        if (t->stride[k] != run * t->stride[d] || stride_in_result(c, first, k) != run) break;
        run *= t->size[k];
    }
    return run;
}

/* Slices that lie across would be taken element by element, each from another line of memory: to
 * make the table dense takes less time, if enough of it is wanted. */
static bool are_across(const nomen__call *c, int first, int count) {
    enum { LEAST = 2048, WORD = 4 };
    const nomen_tensor *t = c->in[0];
    const int64_t item = nomen__item(t->dtype);
    const int64_t share = item < WORD ? 2 : 1; /* a word is more of a line */
    const int d = nearest_of(c, first, count);
    int64_t limit = 1;
    for (int k = first; k < first + count; k++) limit *= t->size[k];
    if (d < 0 || t->stride[d] == 1 || c->out[0]->numel < LEAST) return false;
    if (limit > share * c->in[1]->numel) return false;
    if (nomen__are_few_slices(c->in[1]->numel, c->out[0]->numel, item)) return false;
    return c->in[1]->numel > 2 * limit ||
           !nomen__is_stepped_run(joined_from(c, first, count, d), t->stride[d], item);
}

/* The dims that repeat what slices along one dim have, which is taken once then; not where it is
 * whole rows. */
static uint64_t repeats_of(const nomen__call *c, int first, int count) {
    enum { LEAST = 1024 };
    const nomen_tensor *in = c->in[0], *out = c->out[0];
    const int last = in->ndim - 1;
    if (count != 1 || out->ndim != in->ndim || out->numel < LEAST) return 0;
    return first == last || !in->stride[last]
               ? nomen__repeats(in, nomen__along(first), NOMEN__TWICE)
               : 0;
}

/* The rule without its table. */
static nomen_status take_slices(nomen__call *c, int first, int count, int index_ndim,
                                nomen__place_rule rule) {
    const uint64_t repeated = repeats_of(c, first, count);
    if (NOMEN_UNLIKELY(repeated)) return nomen__launch_once(c, nomen__along(first), repeated);
    nomen_tensor *in = c->in[0];
    if (are_across(c, first, count))
        c->in[0] = nomen__dense_like(in, (nomen_dtype)in->dtype, in->ndim, in->size, c->out[0]);
    nomen_tensor *table = c->in[0];
    nomen_status s = NOMEN_ERROR_MEMORY;
    if (table) {
        rule.table = table;
        rule.first = first;
        rule.count = count;
        int64_t unit;
        nomen_tensor *places = nomen__places(c->in[1], &rule, &unit);
        s = take_rows(c, places, unit, first, count, index_ndim, NULL);
    }
    c->in[0] = in;
    nomen__launch_done(in, table);
    return s;
}

nomen_status nomen__launch_take_dims(nomen__call *c) {
    int first, count;
    group_of(c, 2, &first, &count);
    return take_slices(c, first, count, c->in[1]->ndim,
                       (nomen__place_rule){.negative = true, .words = NOMEN__RANGE_INDEX});
}

/* The dims that one dim is: none of a 0-d tensor. */
static int one_dim(const nomen__call *c) { return c->in[0]->ndim ? 1 : 0; }

/* Is what the call writes to a new tensor that nobody has seen? */
static bool is_unseen(const nomen__call *c) { return !c->target[0] && !c->inplace; }

static nomen_status take_along(nomen__call *c, nomen__range_words words) {
    nomen__place_rule rule = {c->in[0], c->dim, one_dim(c), false, words, .late = is_unseen(c)};
    return take_rows(c, nomen__index_along(c->in[1], &rule), 1, 0, c->in[0]->ndim, c->in[1]->ndim,
                     &rule);
}

nomen_status nomen__launch_gather(nomen__call *c) { return take_along(c, NOMEN__RANGE_RUNTIME); }

/* Of one dim it is gather, which looks at the indices on the way. */
nomen_status nomen__launch_index_select(nomen__call *c) {
    if (c->in[0]->ndim == 1 && c->in[1]->ndim == 1) return take_along(c, NOMEN__RANGE_SELF);
    return take_slices(c, c->dim, one_dim(c), one_dim(c),
                       (nomen__place_rule){.words = NOMEN__RANGE_SELF});
}

/* Where a flat index lies in a table with gaps takes divisions: more than to make the table dense,
 * if there are as many of them as it has elements. */
nomen_status nomen__launch_take(nomen__call *c) {
    nomen_tensor *in = c->in[0], *index = c->in[1];
    int64_t step;
    if (index->numel >= in->numel && !nomen__one_step(in, 0, in->ndim, &step))
        c->in[0] = nomen__launch_converted(in, (nomen_dtype)in->dtype);
    nomen_tensor *table = c->in[0];
    nomen_status s = NOMEN_ERROR_MEMORY;
    if (table) {
        nomen__place_rule rule = {table, 0, table->ndim, true, .words = NOMEN__RANGE_FLAT};
        int64_t unit;
        nomen_tensor *places = nomen__places(index, &rule, &unit);
        s = take_rows(c, places, unit, 0, table->ndim, index->ndim, NULL);
    }
    c->in[0] = in;
    nomen__launch_done(in, table);
    return s;
}

/* ---- putting --------------------------------------------------------------------------------- */

/* t, or a copy of it where writing to out would change it; takes over t. */
static nomen_tensor *away_from(const nomen_tensor *out, nomen_tensor *t) {
    if (!nomen__may_overlap(t, out)) return t;
    nomen_tensor *copy =
        nomen__copied(nomen__tensor_empty((nomen_dtype)t->dtype, t->ndim, t->size), t);
    nomen__release(t);
    return copy;
}

nomen_status nomen__put_rows(nomen__call *c, nomen__place_kind kind, nomen_tensor *places,
                             nomen_tensor *rows, int first, int count, int index_ndim,
                             const nomen__place_rule *along) {
    nomen_tensor *made = NULL;
    if (rows) rows = away_from(c->out[0], rows);
    if (places) places = away_from(c->out[0], places);
    if (places && rows) made = nomen__launch_output(c->out[0], c->compute, false);
    nomen_status s = places && rows ? NOMEN_ERROR_MEMORY : NOMEN_ERROR_INDEX;
    if (made) {
        s = !c->inplace && made->numel ? nomen__copy_values(made, c->in[0]) : NOMEN_OK;
        if (!s) s = nomen__place_run(kind, made, first, count, places, 1, rows, index_ndim, along);
    }
    s = nomen__launch_end(c->out[0], made, s);
    nomen__release(places);
    nomen__release(rows);
    return s;
}

/* Distances are those of the tensor that is written: self, or a fresh one of its sizes. What they
 * are checked against is the same. Names are told as self has them: a fresh result has none yet. */
static nomen_tensor *written(const nomen__call *c, nomen_tensor *stand_in) {
    const nomen_tensor *out = c->out[0], *self = c->in[0];
    int64_t *own = stand_in->stride;
    *stand_in = *out;
    if (out->dtype != (uint8_t)c->compute) { /* nomen__launch_output makes a contiguous one */
        stand_in->stride = own;
        nomen__contiguous_strides(out->size, out->ndim, own);
    }
    stand_in->names = self->names;
    stand_in->flags = (uint8_t)((out->flags & ~NOMEN__NAMED) | (self->flags & NOMEN__NAMED));
    return stand_in;
}

nomen_status nomen__launch_put_dims(nomen__call *c) {
    int first, count, ndim;
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
    nomen_tensor header = {.stride = stride};
    group_of(c, 3, &first, &count);
    (void)rows_shape(c, first, count, &ndim, size);
    bool add = nomen__given(c, 5) && c->arg[5].flag;
    nomen__place_rule rule = {written(c, &header), first, count, true, .words = NOMEN__RANGE_INDEX};
    int index_ndim = c->in[1]->ndim;
    nomen_tensor *places = nomen__places(c->in[1], &rule, NULL);
    nomen_tensor *rows =
        places ? nomen__place_rows(c->in[2], c->compute, ndim, size, first, index_ndim, &rule)
               : NULL;
    return nomen__put_rows(c, add ? NOMEN__PLACE_ADD : NOMEN__PLACE_PUT, places, rows, first, count,
                           index_ndim, NULL);
}

nomen_status nomen__launch_put(nomen__call *c) {
    int64_t stride[NOMEN_MAX_DIMS];
    nomen_tensor header = {.stride = stride};
    bool add = nomen__given(c, 3) && c->arg[3].flag;
    nomen__place_rule rule = {written(c, &header), 0, c->in[0]->ndim, true,
                              .words = NOMEN__RANGE_FLAT};
    nomen_tensor *places = nomen__places(c->in[1], &rule, NULL), *rows = NULL;
    if (places) { /* element by element in row-major order, whatever the sizes are */
        nomen_tensor *source = nomen__launch_input(c->in[2], c->compute);
        if (source) rows = nomen__reshaped(source, 1, &source->numel);
        nomen__launch_done(c->in[2], source);
    }
    return nomen__put_rows(c, add ? NOMEN__PLACE_ADD : NOMEN__PLACE_PUT, places, rows, 0,
                           c->in[0]->ndim, 1, NULL);
}

/* Rows for the places of a vector along c->dim. */
static nomen_status put_along(nomen__call *c, nomen__place_kind kind, nomen__range_words words,
                              bool negative, nomen_tensor *source) {
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
    nomen_tensor header = {.stride = stride};
    int count = one_dim(c);
    nomen__place_rule rule = {written(c, &header), c->dim, count, negative, .words = words};
    for (int d = 0; d < c->ndim; d++) size[d] = d == c->dim ? c->in[1]->numel : c->size[d];
    nomen_tensor *places = nomen__places(c->in[1], &rule, NULL), *rows = NULL;
    if (places && source) {
        /* A 0-d source is a slice of one element, a 0-d self takes one. */
        nomen_tensor *flat =
            source->ndim > c->ndim ? nomen__reshaped(source, 0, NULL) : nomen__retain(source);
        if (flat) rows = nomen__place_rows(flat, c->compute, c->ndim, size, c->dim, count, &rule);
        nomen__release(flat);
    }
    return nomen__put_rows(c, kind, places, rows, c->dim, count, count, NULL);
}

/* Where the places are next to each other, all elements are gone over with a mask, which takes less
 * time than from one place to the next, unless these are few. */
static bool is_masked(const nomen__call *c, const nomen_tensor *t) {
    enum { WORD = 4, FEW = 8 }; /* one place of so many words is few */
    if (t->ndim < 2 || t->stride[c->dim] != 1 || t->dtype != (uint8_t)c->compute) return false;
    const int64_t n = t->size[c->dim];
    return n > 1 && t->numel > n && c->in[1]->numel * WORD * FEW > n * nomen__item(t->dtype);
}

/* The places as a mask of t. */
static nomen_tensor *mask_of(const nomen__call *c, nomen_tensor *t) {
    const nomen__place_rule rule = {t, c->dim, 1, true, .words = NOMEN__RANGE_INDEX};
    int64_t stride[NOMEN_MAX_DIMS] = {0};
    nomen_tensor *places = nomen__places(c->in[1], &rule, NULL);
    nomen_tensor *line = places ? nomen__tensor_empty(NOMEN_BOOL, 1, t->size + c->dim) : NULL;
    nomen_tensor *mask = NULL;
    if (line) {
        const int64_t *at = (const int64_t *)(const void *)places->data;
        memset(line->data, 0, (size_t)line->numel);
        for (int64_t i = 0; i < places->numel; i++) ((bool *)line->data)[at[i]] = true;
        stride[c->dim] = 1;
        mask = nomen__tensor_view(line, NOMEN_BOOL, t->ndim, t->size, stride, 0);
    }
    nomen__release(line);
    nomen__release(places);
    return mask;
}

static nomen_status fill_masked(nomen__call *c, nomen_tensor *t) {
    const nomen__kernel *where = nomen__kernel_find("where", c->compute);
    const nomen_dtype dtypes[] = {c->compute, NOMEN_BOOL, c->compute, c->compute};
    nomen_tensor *mask = mask_of(c, t), *number = away_from(t, nomen__retain(c->in[2]));
    nomen_status s = mask || !nomen__error_pending() ? NOMEN_ERROR_MEMORY : NOMEN_ERROR_INDEX;
    if (mask && number) {
        nomen__iter it;
        nomen__iter_make_mixed(&it, where->loop, t,
                               (nomen_tensor *[]){mask, number, c->inplace ? t : c->in[0]}, 3,
                               t->ndim, t->size, dtypes);
        s = nomen__iter_run_asking(&it);
    }
    nomen__release(mask);
    nomen__release(number);
    return s;
}

nomen_status nomen__launch_index_fill(nomen__call *c) {
    nomen_tensor *whole = c->out[0], *t = c->inplace ? nomen__folded(whole, c->dim) : whole;
    if (!t) return NOMEN_ERROR_MEMORY;
    c->out[0] = t;
    memcpy(c->size, t->size, sizeof *c->size * (size_t)t->ndim);
    nomen_status s = is_masked(c, t)
                         ? fill_masked(c, t)
                         : put_along(c, NOMEN__PLACE_PUT, NOMEN__RANGE_INDEX, true, c->in[2]);
    c->out[0] = whole;
    if (c->inplace) nomen__release(t);
    return s;
}

nomen_status nomen__launch_index_copy(nomen__call *c) {
    return put_along(c, NOMEN__PLACE_PUT, NOMEN__RANGE_COPY, false, c->in[2]);
}

/* source times alpha, of no interest to the tape. */
static nomen_tensor *scaled(nomen_tensor *source, const nomen_number *alpha) {
    nomen_tensor *factor = nomen__wrap_number(alpha);
    bool was = nomen__grad_enabled;
    nomen__grad_enabled = false;
    nomen_tensor *t = factor ? nomen__apply(NOMEN__OP_MUL, source, factor) : NULL;
    nomen__grad_enabled = was;
    nomen__release(factor);
    return t;
}

nomen_status nomen__launch_index_add(nomen__call *c) {
    nomen_tensor *source = nomen__retain(c->in[2]);
    if (nomen__given(c, 4) && !nomen__is_one(c->arg[4].number)) {
        nomen__release(source);
        source = scaled(c->in[2], c->arg[4].number);
        if (!source) return NOMEN_ERROR_MEMORY;
    }
    nomen_status s = put_along(c, NOMEN__PLACE_ADD, NOMEN__RANGE_RUNTIME, false, source);
    nomen__release(source);
    return s;
}

/* What is written to the places of an index: source, or its near corner where it is larger, or one
 * number. */
static nomen_tensor *scatter_rows(const nomen__call *c, nomen_tensor *source) {
    enum { LONG_RUN = 96 };
    const nomen_tensor *index = c->in[1];
    int64_t size[NOMEN_MAX_DIMS];
    nomen_tensor corner = *source;
    if (!(source->flags & NOMEN__WRAPPED) && source->ndim == index->ndim) {
        memcpy(size, index->size, sizeof *size * (size_t)index->ndim);
        corner.size = size;
        nomen__tensor_finish(&corner);
    }
    if (source->ndim > index->ndim) corner.ndim = 0;
    /* Long runs of neighbours, or of one element, are walked as they lie; else in one step. Along
     * another dim than the last one each run makes its own places, which takes longer to begin. */
    int first = 0, last = index->ndim - 1;
    const int64_t run = c->dim == last ? NOMEN__PLACE_RUN : LONG_RUN;
    if (last >= 0 && corner.ndim == index->ndim && index->size[last] >= run &&
        (uint64_t)corner.stride[last] <= 1)
        first = last;
    return nomen__place_rows(&corner, c->compute, index->ndim, index->size, first,
                             index->ndim - first, NULL);
}

nomen_status nomen__put_scattered(nomen__call *c, nomen__place_kind kind, nomen_tensor *source) {
    int64_t stride[NOMEN_MAX_DIMS];
    nomen_tensor header = {.stride = stride};
    nomen__place_rule rule = {written(c, &header), c->dim, one_dim(c), false, NOMEN__RANGE_RUNTIME,
                              .late = is_unseen(c)};
    nomen_tensor *places = nomen__index_along(c->in[1], &rule), *rows = NULL;
    if (places) rows = scatter_rows(c, source);
    return nomen__put_rows(c, kind, places, rows, 0, c->in[0]->ndim, c->in[1]->ndim, &rule);
}

nomen_status nomen__launch_scatter(nomen__call *c) {
    return nomen__put_scattered(c, nomen__given(c, 4) ? NOMEN__PLACE_ADD : NOMEN__PLACE_PUT,
                                c->in[2]);
}

nomen_status nomen__launch_scatter_add(nomen__call *c) {
    return nomen__put_scattered(c, NOMEN__PLACE_ADD, c->in[2]);
}

nomen_status nomen__choose_index_add(nomen__call *c) {
    /* True is 1 here, as in PyTorch, whose add refuses it */
    if (!nomen__given(c, 4) || c->arg[4].number->kind == NOMEN_NUMBER_BOOL) return NOMEN_OK;
    return nomen__check_alpha(c->arg[4].number, (nomen_dtype)c->in[0]->dtype);
}

nomen_status nomen__choose_scatter(nomen__call *c) {
    if (!nomen__given(c, 4)) return NOMEN_OK;
    const char *reduce = c->arg[4].text;
    if (!strcmp(reduce, "add")) return NOMEN_OK;
    if (!strcmp(reduce, "multiply")) { /* which has a gradient that needs the result */
        c->op = &nomen__ops[NOMEN__OP_SCATTER_REDUCE];
        c->arg[4].text = "prod";
        return NOMEN_OK;
    }
    return nomen__fail(NOMEN_ERROR_STATE,
                       "reduce argument must be either add or multiply., not '%.40s'", reduce);
}
