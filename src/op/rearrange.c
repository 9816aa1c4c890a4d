/* Words of the table for rows that lay elements out otherwise: mirrored, cut to a triangle; and
 * composites that roll, repeat and spread. */
#include "op/launch.h"
#include "op/passing.h"
#include "op/rows.gen.h"
#include "op/tile.h"

#include <string.h>

/* ---- flip ------------------------------------------------------------------------------------ */

nomen_status nomen__names_flip(nomen__call *c) {
    nomen_status s =
        nomen__dim_positions(nomen__names_of(c->in[0]), c->arg[1].dims, c->dims, &c->mask);
    return s ? s : nomen__names_keep_of(c, c->in[0]);
}

static nomen_status flip_one(nomen__call *c, int dim, int least) {
    if (c->in[0]->ndim < least)
        return nomen__fail(NOMEN_ERROR_SHAPE, "Input must be >= %d-d.", least);
    c->mask = UINT64_C(1) << dim;
    return nomen__names_keep_of(c, c->in[0]);
}

nomen_status nomen__names_fliplr(nomen__call *c) { return flip_one(c, 1, 2); }

nomen_status nomen__names_flipud(nomen__call *c) { return flip_one(c, 0, 1); }

nomen_status nomen__launch_flip(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen__layout view;
    if (t->numel == 0) return NOMEN_OK;
    nomen_tensor *mirrored = nomen__lay_alike(&view, t);
    for (int d = 0; d < t->ndim; d++) {
        if (!(c->mask >> d & 1)) continue;
        mirrored->data += (t->size[d] - 1) * t->stride[d] * nomen__item(t->dtype);
        mirrored->stride[d] = -t->stride[d];
    }
    nomen__tensor_finish(mirrored);
    return nomen__copy_values(c->out[0], mirrored);
}

/* ---- tril, triu ------------------------------------------------------------------------------ */

nomen_status nomen__shape_matrix(nomen__call *c) {
    if (c->in[0]->ndim < 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s: input tensor must have at least 2 dimensions",
                           c->op->name);
    return nomen__shape_same(c);
}

typedef struct triangle_job {
    const nomen_tensor *t, *from; /* from: whose triangle it becomes; NULL: its own */
    int64_t diagonal;
    bool lower;
} triangle_job;

static int64_t within(int64_t x, int64_t size) { return x < 0 ? 0 : x > size ? size : x; }

/* Where row number `row` of all matrices begins. */
static char *row_of(const nomen_tensor *t, int64_t row) {
    int64_t at = 0;
    for (int d = t->ndim - 2; d > 0; d--) {
        at += row % t->size[d] * t->stride[d];
        row /= t->size[d];
    }
    return t->data + (at + row * t->stride[0]) * nomen__item(t->dtype);
}

/* Fewer than 64 bytes without a call, which would take longer; a loop of stores becomes one. */
static inline void clear(char *p, int64_t bytes) {
    static const char zero[32];
    if (bytes >= 64) {
        memset(p, 0, (size_t)bytes);
        return;
    }
    if (bytes & 32) p = (char *)memcpy(p, zero, 32) + 32;
    if (bytes & 16) p = (char *)memcpy(p, zero, 16) + 16;
    if (bytes & 8) p = (char *)memcpy(p, zero, 8) + 8;
    if (bytes & 4) p = (char *)memcpy(p, zero, 4) + 4;
    if (bytes & 2) p = (char *)memcpy(p, zero, 2) + 2;
    if (bytes & 1) *p = 0;
}

/* Rows begin to end, of all matrices: what is not of the triangle becomes zero. */
static void fill_rows(void *context, int64_t begin, int64_t end) {
    const triangle_job *job = context;
    const nomen_tensor *t = job->t, *source = job->from;
    const int n = t->ndim - 2;
    const int64_t columns = t->size[n + 1], item = nomen__item(t->dtype), step = t->stride[n + 1];
    /* Diagonals far outside leave all or nothing; sums of them must not overflow. */
    const int64_t k = job->diagonal < -t->size[n] ? -t->size[n]
                      : job->diagonal > columns   ? columns
                                                  : job->diagonal;
    char *first = NULL, *own = NULL;
    int64_t i = t->size[n]; /* the row within its matrix */
    for (int64_t row = begin; row < end; row++, i++) {
        if (i == t->size[n]) { /* another matrix */
            i = row % t->size[n];
            first = row_of(t, row);
            own = source ? row_of(source, row) : NULL;
        }
        const int64_t from = job->lower ? within(i + k + 1, columns) : 0,
                      to = job->lower ? columns : within(i + k, columns);
        /* Rows of zeros behind each other, to the last one of the matrix. */
        if (!job->lower && to == columns && step == 1 && t->stride[n] == columns) {
            const int64_t rows = t->size[n] - i < end - row ? t->size[n] - i : end - row;
            clear(first, rows * columns * item);
            row += rows - 1;
            i = t->size[n] - 1;
            continue;
        }
        /* Rows that stay as they are. */
        if (!own && from >= to) {
            const int64_t behind = job->lower || -k >= t->size[n] ? t->size[n] : 1 - k;
            row += behind - i - 1;
            first += (behind - i) * t->stride[n] * item;
            i = behind - 1;
            continue;
        }
        const int64_t kept = job->lower ? 0 : to * item;
        char *cell = first + from * step * item;
        if (own) nomen__copy_block(first + kept, own + kept, (columns - (to - from)) * item);
        if (step == 1)
            clear(cell, (to - from) * item);
        else
            for (int64_t j = from; j < to; j++, cell += step * item) clear(cell, item);
        first += t->stride[n] * item;
        if (own) own += source->stride[n] * item;
    }
}

/* t with rows and columns of its matrices exchanged. */
static const nomen_tensor *turn_over(nomen__layout *to, const nomen_tensor *t) {
    const int n = t->ndim - 2;
    nomen_tensor *v = nomen__lay_alike(to, t);
    v->size[n] = t->size[n + 1];
    v->size[n + 1] = t->size[n];
    v->stride[n] = t->stride[n + 1];
    v->stride[n + 1] = t->stride[n];
    nomen__tensor_finish(v);
    return v;
}

/* A part of the matrices: so many rows and columns from (row, column) on. */
static nomen_tensor *part_of(nomen__layout *to, const nomen_tensor *t, int64_t row, int64_t rows,
                             int64_t column, int64_t columns) {
    const int n = t->ndim - 2;
    nomen_tensor *v = nomen__lay_alike(to, t);
    v->size[n] = rows;
    v->size[n + 1] = columns;
    v->data += (row * t->stride[n] + column * t->stride[n + 1]) * nomen__item(t->dtype);
    nomen__tensor_finish(v);
    return v;
}

/* The rows and columns that have a part in the triangle; what else there is will be cleared. made,
 * all: the same as job->t and in, which may have been turned over. */
static nomen_status copy_box(const triangle_job *job, const nomen_tensor *in, nomen_tensor *made,
                             const nomen_tensor *all) {
    const nomen_tensor *t = job->t;
    const int n = t->ndim - 2;
    const int64_t rows = t->size[n], columns = t->size[n + 1];
    /* within where sums do not overflow */
    const int64_t k = job->diagonal < -rows     ? -rows
                      : job->diagonal > columns ? columns
                                                : job->diagonal;
    const int64_t row = job->lower ? within(-k, rows) : 0,
                  last_row = job->lower ? rows : within(columns - k, rows),
                  column = job->lower ? 0 : within(k, columns),
                  last = job->lower ? within(rows + k, columns) : columns;
    nomen__layout to, from;
    if (row >= last_row) return NOMEN_OK; /* nor are there columns */
    if (last_row - row == rows && last - column == columns) return nomen__copy_values(made, all);
    return nomen__copy_values(part_of(&to, t, row, last_row - row, column, last - column),
                              part_of(&from, in, row, last_row - row, column, last - column));
}

nomen_status nomen__launch_triangle(nomen__call *c) {
    const nomen_tensor *in = c->in[0];
    nomen_tensor *out = c->out[0], *made = nomen__launch_output(out, c->compute, false);
    nomen_status s = NOMEN_OK;
    if (!made) return NOMEN_ERROR_MEMORY;
    if (made->numel) {
        const int last = made->ndim - 1;
        triangle_job job = {.t = made,
                            .diagonal = nomen__given(c, 1) ? c->arg[1].integer : 0,
                            .lower = c->op->id == NOMEN__OP_TRIL};
        nomen__layout sides[2];
        /* Of matrices whose columns lie as rows usually do it is the other triangle. */
        if (made->stride[last] != 1 && made->stride[last - 1] == 1) {
            const int64_t rows = made->size[last - 1], k = job.diagonal;
            job.diagonal = k < -rows ? rows : k > made->size[last] ? -made->size[last] : -k;
            job.lower = !job.lower;
            job.t = turn_over(&sides[0], made);
            in = turn_over(&sides[1], in);
        }
        const int64_t columns = job.t->size[last];
        /* Rows without holes: only what stays is read. */
        const bool rows = in->stride[last] == 1 && job.t->stride[last] == 1 &&
                          in->dtype == made->dtype && columns > NOMEN__SHORT_ROW;
        if (!c->inplace && rows)
            job.from = in;
        else if (!c->inplace)
            s = copy_box(&job, in, made, c->in[0]);
        if (!s)
            s = nomen__parallel_asking(made->numel / columns, NOMEN__GRAIN / columns + 1, fill_rows,
                                       &job);
    }
    return nomen__launch_end(out, made, s);
}

/* ---- calls of one operation ------------------------------------------------------------------ */

/* These consume t, and pass NULL through. */
static nomen_tensor *finish(nomen__call *v, nomen_tensor *t) {
    nomen_status s = t ? nomen__invoke(v) : NOMEN_ERROR_STATE;
    nomen__release(t);
    return s ? NULL : v->out[0];
}

static nomen_tensor *sized(int op, nomen_tensor *t, int64_t count, const int64_t *size) {
    nomen__call v;
    nomen__call_begin(&v, &nomen__ops[op]);
    v.arg[0].tensor = t;
    v.arg[1].sizes = (nomen_sizes){count, size};
    v.given = 3;
    return finish(&v, t);
}

static nomen_tensor *unnamed(nomen_tensor *t) {
    nomen__call v;
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_RENAME]);
    v.arg[0].tensor = t;
    v.given = 1;
    return finish(&v, t);
}

static nomen_tensor *selected(nomen_tensor *t, int dim, nomen_tensor *index) {
    nomen__call v;
    nomen__dimref ref = {NOMEN__DIM_INDEX, 0, dim};
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_INDEX_SELECT]);
    v.arg[0].tensor = t;
    v.arg[1].dims = (nomen__dims){1, &ref};
    v.arg[2].tensor = index;
    v.given = 7;
    return finish(&v, t);
}

static nomen_status give(nomen__call *c, nomen_tensor *t) {
    c->out[0] = t;
    return t ? NOMEN_OK : NOMEN_ERROR_STATE;
}

static void keep_names(nomen__call *c, nomen_tensor *t) {
    if (t && nomen__is_named(c->in[0])) nomen__set_names(t, c->in[0]->names);
}

/* ---- roll ------------------------------------------------------------------------------------ */

/* Consumes t. */
static nomen_tensor *rolled(nomen_tensor *t, int dim, int64_t shift) {
    int64_t size = t->ndim ? t->size[dim] : 1, split = size ? shift % size : 0;
    if (split < 0) split += size;
    if (split == 0) {
        nomen_tensor *copy = nomen__apply(NOMEN__OP_CLONE, t, NULL);
        nomen__release(t);
        return copy;
    }
    nomen_tensor *part[2] = {nomen__piece(NOMEN__OP_NARROW, t, dim, size - split, split), NULL},
                 *joined = NULL;
    if (part[0]) part[1] = nomen__piece(NOMEN__OP_NARROW, t, dim, 0, size - split);
    if (part[1]) joined = nomen__joined((nomen_list){2, part}, dim, NULL);
    nomen__release(part[0]);
    nomen__release(part[1]);
    nomen__release(t);
    return joined;
}

nomen_status nomen__compose_roll(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    nomen_sizes shifts = c->arg[1].sizes;
    nomen__dims dims = nomen__given(c, 2) ? c->arg[2].dims : (nomen__dims){0, NULL};
    int at[NOMEN_MAX_DIMS];
    if (shifts.count == 0) return nomen__fail(NOMEN_ERROR_SHAPE, "`shifts` required");
    if (dims.n <= 0 && shifts.count == 1) {
        const int64_t whole = -1;
        nomen_tensor *flat = sized(NOMEN__OP_RESHAPE, nomen__retain(t), 1, &whole);
        flat = flat ? rolled(flat, 0, shifts.at[0]) : NULL;
        flat = sized(NOMEN__OP_RESHAPE, flat, t->ndim, t->size);
        keep_names(c, flat);
        return give(c, flat);
    }
    if (dims.n != shifts.count || dims.n > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "shifts and dimensions must align. shifts: %lld, dims:%d",
                           (long long)shifts.count, dims.n < 0 ? 0 : dims.n);
    for (int i = 0; i < dims.n; i++) {
        nomen_status s = nomen__dim_of_some(nomen__names_of(t), &dims.at[i], &at[i]);
        if (s) return s;
    }
    nomen__retain(t);
    for (int i = 0; t && i < dims.n; i++) t = rolled(t, at[i], shifts.at[i]);
    return give(c, t);
}

/* ---- repeat, tile, repeat_interleave --------------------------------------------------------- */

static nomen_status check_repeats(nomen_sizes times, int lead, const nomen_tensor *t) {
    int64_t negative = 0, size[NOMEN_MAX_DIMS];
    for (int64_t k = 0; k < times.count; k++) {
        int64_t own = k < lead ? 1 : t->size[k - lead];
        if (__builtin_mul_overflow(own, times.at[k], &size[k]))
            return nomen__fail(NOMEN_ERROR_SHAPE, "the repeated tensor is too large");
        if (size[k] < 0 && !negative) negative = size[k];
    }
    if (!negative) return NOMEN_OK; /* less than no repeats of nothing are nothing */
    NOMEN__TEXT(text, 256);
    nomen__text_sizes(&text, size, (int)times.count);
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "Trying to create tensor with negative dimension %lld: %s",
                       (long long)negative, text.at);
}

/* What widened makes of a tensor that passes: one copy, from a view into a view. Nothing has none:
 * its sizes apart may be more than a stride can tell. */
static nomen_tensor *write_wide(const nomen_tensor *t, int k, const int64_t *apart,
                                const int64_t *wide, int n, const int64_t *size) {
    nomen_tensor from, to, *r = nomen__tensor_empty((nomen_dtype)t->dtype, n, size);
    if (!r || !r->numel) return r;
    nomen__pass(&from, t, k);
    nomen__pass(&to, r, k);
    for (int i = 0, d = 0; i < k; i++) {
        from.size[i] = to.size[i] = wide[i];
        from.stride[i] = 0;
        if (apart[i] == 1) continue; /* again and again */
        while (t->size[d] == 1) d++;
        from.stride[i] = t->stride[d++];
    }
    nomen__contiguous_strides(wide, k, to.stride);
    nomen__tensor_finish(&from);
    nomen__tensor_finish(&to);
    if (!nomen__copy_values(&to, &from)) return r;
    nomen__release(r);
    return NULL;
}

/* t as k dims, some of them of size 1, which are expanded, written down, and joined to n again;
 * without names. */
static nomen_tensor *widened(nomen_tensor *t, int k, const int64_t *apart, const int64_t *wide,
                             int n, const int64_t *size) {
    if (k <= NOMEN__INLINE_DIMS && nomen__may_pass(t))
        return write_wide(t, k, apart, wide, n, size);
    nomen_tensor *r = unnamed(nomen__retain(t));
    r = sized(NOMEN__OP_RESHAPE, r, k, apart);
    r = sized(NOMEN__OP_EXPAND, r, k, wide);
    if (r) {
        nomen__call v;
        nomen__call_begin(&v, &nomen__ops[NOMEN__OP_CLONE]);
        v.arg[0].tensor = r;
        v.arg[1].text = "contiguous_format";
        v.given = 3;
        r = finish(&v, r);
    }
    return sized(NOMEN__OP_RESHAPE, r, n, size);
}

/* Each dim is laid out as one of its repeats and itself, expanded, and joined again. */
static nomen_tensor *repeated(nomen_tensor *t, int n, const int64_t *times) {
    int64_t apart[NOMEN_MAX_DIMS], wide[NOMEN_MAX_DIMS], size[NOMEN_MAX_DIMS];
    int lead = n - t->ndim, k = 0;
    for (int d = 0; d < n; d++) {
        int64_t own = d < lead ? 1 : t->size[d - lead];
        size[d] = own * times[d];
        if (times[d] != 1 && own != 1) { /* dims of size 1 are expanded as they are */
            if (k == NOMEN_MAX_DIMS) goto too_many;
            apart[k] = 1;
            wide[k++] = own ? times[d] : 1;
        }
        if (k == NOMEN_MAX_DIMS) goto too_many;
        apart[k] = own;
        wide[k++] = own == 1 ? times[d] : own;
    }
    return widened(t, k, apart, wide, n, size);
too_many:
    nomen__fail(NOMEN_ERROR_SHAPE, "too many dims are repeated at once: repeat some, then others");
    return NULL;
}

/* Own names at the right, as expand gives them. */
static nomen_status repeat(nomen__call *c, nomen_sizes times) {
    nomen_tensor *t = c->in[0];
    nomen__namelist names;
    if (times.count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    int n = (int)times.count;
    nomen_status s = nomen__names_repeat(nomen__names_of(t), n, &names);
    if (!s) s = check_repeats(times, n - t->ndim, t);
    if (s) return s;
    nomen_tensor *r = repeated(t, n, times.at);
    if (r && nomen__is_named(t)) nomen__set_names(r, names.at);
    return give(c, r);
}

nomen_status nomen__compose_repeat(nomen__call *c) { return repeat(c, c->arg[1].sizes); }

nomen_status nomen__compose_tile(nomen__call *c) {
    nomen_sizes times = c->arg[1].sizes;
    int64_t all[NOMEN_MAX_DIMS];
    int64_t missing = c->in[0]->ndim - times.count;
    if (missing <= 0) return repeat(c, times);
    for (int d = 0; d < c->in[0]->ndim; d++) all[d] = d < missing ? 1 : times.at[d - missing];
    return repeat(c, (nomen_sizes){c->in[0]->ndim, all});
}

/* Each position as often as repeats says: an index. repeats is int64, contiguous, not negative. */
static nomen_tensor *spread_positions(const nomen_tensor *repeats, int64_t size, int64_t total) {
    nomen_tensor *index = nomen__tensor_empty(NOMEN_I64, 1, &total);
    if (!index) return NULL;
    const int64_t *times = (const int64_t *)(const void *)repeats->data;
    int64_t *at = (int64_t *)(void *)index->data;
    for (int64_t i = 0; i < size; i++) {
        int64_t n = times[repeats->numel == 1 ? 0 : i];
        for (int64_t k = 0; k < n; k++) *at++ = i;
    }
    return index;
}

static nomen_status total_of(const nomen_tensor *repeats, int64_t size, int64_t *total) {
    const int64_t *times = (const int64_t *)(const void *)repeats->data;
    const bool alike = repeats->numel == 1; /* then one look is enough */
    *total = 0;
    for (int64_t i = 0; i < (alike ? size != 0 : size); i++) {
        int64_t n = times[i];
        if (n < 0)
            return nomen__fail(NOMEN_ERROR_SHAPE, repeats->ndim ? "repeats can not be negative"
                                                                : "Repeats must be non-negative");
        if (alike ? __builtin_mul_overflow(size, n, total)
                  : __builtin_add_overflow(*total, n, total))
            return nomen__fail(NOMEN_ERROR_SHAPE, "the repeated tensor is too large");
    }
    return NOMEN_OK;
}

/* The slices of t along dim, each so often. */
static nomen_tensor *each_repeated(nomen_tensor *t, int dim, int64_t times) {
    int64_t apart[NOMEN_MAX_DIMS], wide[NOMEN_MAX_DIMS], size[NOMEN_MAX_DIMS];
    for (int d = 0, k = 0; d < t->ndim; d++) {
        size[d] = d == dim ? t->size[d] * times : t->size[d];
        apart[k] = wide[k] = t->size[d];
        k++;
        if (d != dim) continue;
        apart[k] = 1;
        wide[k++] = times;
    }
    nomen_tensor *r = widened(t, t->ndim + 1, apart, wide, t->ndim, size);
    if (r && nomen__is_named(t)) nomen__set_names(r, t->names);
    return r;
}

/* The slices of t along dim, each as often as repeats says; consumes t. */
static nomen_tensor *interleaved(nomen__call *c, nomen_tensor *t, int dim, nomen_tensor *repeats) {
    int64_t size = t && t->ndim ? t->size[dim] : 1, total = 0;
    nomen_tensor *plain = NULL, *index = NULL;
    nomen_status s = t ? NOMEN_OK : NOMEN_ERROR_STATE;
    if (!s && !nomen_dtype_is_integral((nomen_dtype)repeats->dtype))
        s = nomen__fail(repeats->flags & NOMEN__WRAPPED ? NOMEN_ERROR_TYPE : NOMEN_ERROR_DTYPE,
                        "repeats has to be Long or Int tensor, not %s",
                        nomen_dtype_name((nomen_dtype)repeats->dtype));
    if (!s && repeats->ndim > 1)
        s = nomen__fail(NOMEN_ERROR_SHAPE, "repeats must be 0-dim or 1-dim tensor");
    if (!s && repeats->numel != size && repeats->numel != 1)
        s = nomen__fail(NOMEN_ERROR_SHAPE,
                        "repeats must have the same size as input along dim, but got "
                        "repeats.size(0) = %lld and input.size(%d) = %lld",
                        (long long)repeats->numel, dim, (long long)size);
    if (!s) s = nomen__need_cpu("repeats", repeats);
    /* a copy, as somebody may write to it; but for a number, which nobody else sees */
    if (!s && repeats->flags & NOMEN__WRAPPED && repeats->dtype == NOMEN_I64)
        plain = nomen__retain(repeats);
    else if (!s)
        plain =
            nomen__copied(nomen__tensor_empty(NOMEN_I64, repeats->ndim, repeats->size), repeats);
    if (plain && total_of(plain, size, &total)) s = NOMEN_ERROR_SHAPE;
    if (!s && nomen__given(c, 3) && c->arg[3].integer != total)
        s = nomen__fail(NOMEN_ERROR_SHAPE,
                        "allocated size does not match required size: "
                        "output_size is %lld, the repeats add up to %lld",
                        (long long)c->arg[3].integer, (long long)total);
    const bool alike =
        plain && plain->numel == 1 && t->ndim && t->ndim < NOMEN_MAX_DIMS && t->numel && total;
    if (!s && plain && !alike) index = spread_positions(plain, size, total);
    nomen_tensor *r = index         ? selected(nomen__retain(t), dim, index)
                      : !s && alike ? each_repeated(t, dim, total / size)
                                    : NULL;
    nomen__release(index);
    nomen__release(plain);
    nomen__release(t);
    return r;
}

nomen_status nomen__compose_repeat_interleave(nomen__call *c) {
    nomen_tensor *t = nomen__retain(c->in[0]);
    int dim = 0;
    nomen_status s;
    if (!nomen__given(c, 1)) { /* self is the repeats, of positions */
        if (t->ndim != 1)
            s = nomen__fail(NOMEN_ERROR_SHAPE, "repeat_interleave only accept 1D vector as repeat");
        else
            s = NOMEN_OK;
        nomen_tensor *count = NULL;
        if (!s) {
            nomen_number end = {NOMEN_NUMBER_INT, t->numel, 0, 0};
            nomen__call v;
            nomen__call_begin(&v, &nomen__ops[NOMEN__OP_ARANGE]);
            v.arg[1].number = &end;
            v.given = 2;
            count = nomen__invoke(&v) ? NULL : v.out[0];
        }
        nomen_tensor *r = count ? interleaved(c, count, 0, t) : NULL;
        nomen__release(t);
        return s ? s : give(c, r);
    }
    if (nomen__given(c, 2)) {
        s = nomen__dim_of_some(nomen__names_of(t), c->arg[2].dims.at, &dim);
        if (s) {
            nomen__release(t);
            return s;
        }
    } else {
        nomen__release(t);
        t = nomen__apply(NOMEN__OP_FLATTEN, c->in[0], NULL);
    }
    return give(c, interleaved(c, t, dim, c->arg[1].tensor));
}

/* ---- diag, narrow_copy ----------------------------------------------------------------------- */

static nomen_tensor *diagonal_of(nomen_tensor *t, int64_t offset, int dim1, int dim2) {
    nomen__call v;
    nomen__dimref first = {NOMEN__DIM_INDEX, 0, dim1}, second = {NOMEN__DIM_INDEX, 0, dim2};
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_DIAGONAL]);
    v.arg[0].tensor = t;
    v.arg[1].integer = offset;
    v.arg[2].dims = (nomen__dims){1, &first};
    v.arg[3].dims = (nomen__dims){1, &second};
    v.given = 15;
    return nomen__invoke(&v) ? NULL : v.out[0];
}

static int64_t length_with(int64_t size, int64_t offset) {
    int64_t far = offset == INT64_MIN ? INT64_MAX : offset < 0 ? -offset : offset, length;
    return __builtin_add_overflow(size, far, &length) ? INT64_MAX : length;
}

/* Zeros but for a diagonal in the two dims given, which has the last dim of t. */
static nomen_tensor *embedded(nomen_tensor *t, int64_t offset, int dim1, int dim2) {
    int64_t size[NOMEN_MAX_DIMS], length = length_with(t->size[t->ndim - 1], offset);
    int ndim = t->ndim + 1;
    for (int d = 0, k = 0; d < ndim; d++) size[d] = d == dim1 || d == dim2 ? length : t->size[k++];
    nomen_tensor *r = nomen__tensor_empty((nomen_dtype)t->dtype, ndim, size);
    if (!r) return NULL;
    nomen__fill_values(r, &(nomen_number){NOMEN_NUMBER_INT, 0, 0, 0});
    nomen_tensor *line = diagonal_of(r, offset, dim1, dim2), *plain = nomen__bare(t);
    nomen_status s = NOMEN_ERROR_STATE;
    if (line && plain) {
        nomen__call v;
        nomen__call_begin(&v, &nomen__ops[NOMEN__OP_COPY]);
        v.inplace = true;
        v.arg[0].tensor = line;
        v.arg[1].tensor = plain;
        v.given = 3;
        s = nomen__invoke(&v);
        if (!s) nomen__release(v.out[0]);
    }
    nomen__release(line);
    nomen__release(plain);
    if (!s) return r;
    nomen__release(r);
    return NULL;
}

nomen_status nomen__compose_diag(nomen__call *c) {
    nomen_tensor *t = c->in[0], *r;
    int64_t offset = nomen__given(c, 1) ? c->arg[1].integer : 0;
    nomen__namelist none;
    nomen_status s = nomen__names_diag(nomen__names_of(t), &none);
    if (s) return s;
    if (t->ndim == 1) {
        r = embedded(t, offset, 0, 1);
    } else {
        nomen_tensor *line = diagonal_of(t, offset, 0, 1);
        r = line ? nomen__apply(NOMEN__OP_CLONE, line, NULL) : NULL;
        nomen__release(line);
    }
    return r ? nomen__compose_deliver(c, r, &none) : NOMEN_ERROR_STATE;
}

nomen_status nomen__compose_diag_embed(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    static const nomen__dimref last[2] = {{NOMEN__DIM_INDEX, 0, -2}, {NOMEN__DIM_INDEX, 0, -1}};
    nomen__namelist names;
    int dim1 = 0, dim2 = 0;
    nomen_status s = nomen__names_diag_embed(
        nomen__names_of(t), nomen__given(c, 2) ? c->arg[2].dims.at : &last[0],
        nomen__given(c, 3) ? c->arg[3].dims.at : &last[1], &dim1, &dim2, &names);
    if (s) return s;
    int64_t offset = nomen__given(c, 1) ? c->arg[1].integer : 0;
    nomen_tensor *r = embedded(t, offset, dim1, dim2);
    if (r && nomen__is_named(t)) nomen__set_names(r, names.at);
    return give(c, r);
}

/* The part, if it passes and there is nothing to say against it. */
static bool pass_part(const nomen__call *c, nomen_tensor *part) {
    const nomen_tensor *t = c->in[0];
    const nomen__dimref *dim = c->arg[1].dims.at;
    const int64_t start = c->arg[2].integer, length = c->arg[3].integer, d = dim->index;
    if (!nomen__may_pass(t) || dim->kind != NOMEN__DIM_INDEX || d < 0 || d >= t->ndim ||
        start < 0 || length < 0 || start > t->size[d] || length > t->size[d] - start)
        return false;
    nomen__pass_longer(part, t, 0, 0);
    part->size[d] = length;
    part->data += start * t->stride[d] * nomen__item(t->dtype);
    nomen__tensor_finish(part);
    nomen__pass_named(part, t);
    return true;
}

nomen_status nomen__compose_narrow_copy(nomen__call *c) {
    nomen__call v;
    nomen__namelist none = {.n = -1};
    nomen_tensor passing;
    if (pass_part(c, &passing)) {
        nomen_tensor *made =
            nomen__apply_to(NOMEN__OP_CLONE, &passing, NULL, nomen__compose_target(c));
        return made ? nomen__compose_deliver(c, made, &none) : NOMEN_ERROR_STATE;
    }
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_NARROW]);
    memcpy(v.arg, c->arg, sizeof *v.arg * 4);
    v.given = 15;
    nomen_tensor *part = nomen__invoke(&v) ? NULL : v.out[0];
    nomen_tensor *copy =
        part ? nomen__apply_to(NOMEN__OP_CLONE, part, NULL, nomen__compose_target(c)) : NULL;
    nomen__release(part);
    return copy ? nomen__compose_deliver(c, copy, &none) : NOMEN_ERROR_STATE;
}
