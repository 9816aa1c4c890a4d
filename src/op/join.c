/* cat and stack: several operands laid side by side in one result. */
#include "op/launch.h"
#include "op/rows.gen.h"
#include "op/tile.h"

#include <string.h>

/* The old allowance of PyTorch: tensors of shape (0,) are left out by cat, unless names are in
 * play. */
static bool is_left_out(const nomen__call *c, const nomen_tensor *t) {
    return !c->named && t->ndim == 1 && t->size[0] == 0;
}

/* The tensor that positions of dims refer to. */
static const nomen_tensor *model_of(const nomen__call *c) {
    for (int64_t i = 0; i < c->in_count; i++)
        if (c->in[i]->ndim != 1 || c->in[i]->size[0]) return c->in[i];
    return c->in[0];
}

static const nomen__dimref *join_dim(const nomen__call *c) {
    static const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    return nomen__given(c, 1) ? c->arg[1].dims.at : &first;
}

/* A dim's name is looked up before all else, a position once there is a tensor that has dims; names
 * that disagree come last. */
nomen_status nomen__names_join(nomen__call *c) {
    if (c->in_count == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "torch.cat(): expected a non-empty list of Tensors");
    bool by_name = join_dim(c)->kind != NOMEN__DIM_INDEX;
    nomen__names own = nomen__names_of(by_name ? c->in[0] : model_of(c));
    nomen_status s = by_name ? nomen__dim_position(own, join_dim(c), &c->dim) : NOMEN_OK;
    for (int64_t i = 0; !s && i < c->in_count; i++)
        if (c->in[i]->ndim == 0)
            s = nomen__fail(NOMEN_ERROR_SHAPE,
                            "zero-dimensional tensor (at position %lld) cannot be concatenated",
                            (long long)i);
    if (!s && !by_name) s = nomen__dim_position(own, join_dim(c), &c->dim);
    if (s || !c->named) return s;
    if (nomen__all_named_alike(c->in, c->in_count)) return nomen__names_keep_of(c, c->in[0]);
    nomen__names acc = nomen__names_of(c->in[0]);
    nomen__namelist list[2];
    for (int64_t i = 1; i < c->in_count; i++) {
        nomen__names pair[2] = {acc, nomen__names_of(c->in[i])};
        nomen__namelist *next = &list[i & 1];
        s = nomen__names_cat(pair, 2, next);
        if (s) return s;
        acc = (nomen__names){next->n, next->at};
    }
    c->names.n = acc.n;
    for (int i = 0; i < acc.n; i++) c->names.at[i] = nomen__names_at(acc, i);
    return NOMEN_OK;
}

nomen_status nomen__names_stack(nomen__call *c) {
    if (c->in_count == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "stack expects a non-empty TensorList");
    int ndim = c->in[0]->ndim;
    if (ndim == NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    nomen__names acc = nomen__names_of(c->in[0]);
    nomen_status s = nomen__dim_place(acc, join_dim(c), &c->dim);
    if (s) return s;
    nomen_name name = nomen__given(c, 2) ? c->arg[2].name : 0;
    if (!c->named && !name) return NOMEN_OK;
    nomen__namelist list[2];
    const bool alike = nomen__all_named_alike(c->in, c->in_count);
    for (int64_t i = 1; !alike && i < c->in_count && !s; i++) {
        nomen__namelist *next = &list[i & 1];
        if (c->in[i]->ndim != ndim) return nomen__shape_stack(c); /* which says so */
        s = nomen__unify(acc, nomen__names_of(c->in[i]), "broadcast", next);
        acc = (nomen__names){next->n, next->at};
    }
    return s ? s : nomen__names_insert(acc, c->dim, name, &c->names);
}

/* Images that all have their channels last in memory stay so. */
static bool has_channels_last(const nomen__call *c) {
    if (c->ndim != 4 && c->ndim != 5) return false;
    const uint8_t last = c->ndim == 4 ? NOMEN__CHANNELS_LAST : NOMEN__CHANNELS_LAST_3D;
    for (int64_t i = 0; i < c->in_count; i++) {
        const nomen_tensor *t = c->in[i];
        if (is_left_out(c, t)) continue;
        if (t->flags & NOMEN__CONTIGUOUS || !nomen__steps_in_format(t, last)) return false;
    }
    return true;
}

nomen_status nomen__shape_cat(nomen__call *c) {
    const nomen_tensor *model = model_of(c);
    c->ndim = model->ndim;
    memcpy(c->size, model->size, sizeof *c->size * (size_t)c->ndim);
    c->size[c->dim] = 0;
    for (int64_t i = 0; i < c->in_count; i++) {
        const nomen_tensor *t = c->in[i];
        if (is_left_out(c, t)) continue;
        if (t->ndim != c->ndim)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "Tensors must have same number of dimensions: got %d and %d",
                               c->ndim, t->ndim);
        for (int d = 0; d < c->ndim; d++)
            if (d != c->dim && t->size[d] != c->size[d])
                return nomen__fail(NOMEN_ERROR_SHAPE,
                                   "Sizes of tensors must match except in dimension %d. Expected "
                                   "size %lld but got size %lld for "
                                   "tensor number %lld in the list.",
                                   c->dim, (long long)model->size[d], (long long)t->size[d],
                                   (long long)i);
        if (__builtin_add_overflow(c->size[c->dim], t->size[c->dim], &c->size[c->dim]))
            return nomen__fail(NOMEN_ERROR_SHAPE, "the joined dim is too large");
    }
    if (has_channels_last(c)) c->layout = model;
    return NOMEN_OK;
}

nomen_status nomen__shape_stack(nomen__call *c) {
    const nomen_tensor *model = c->in[0];
    for (int64_t i = 1; i < c->in_count; i++) {
        const nomen_tensor *t = c->in[i];
        if (nomen__has_sizes(t, model->ndim, model->size)) continue;
        NOMEN__TEXT(first, 200);
        NOMEN__TEXT(other, 200);
        nomen__text_sizes(&first, model->size, model->ndim);
        nomen__text_sizes(&other, t->size, t->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "stack expects each tensor to be equal size, but got %s at entry 0 and "
                           "%s at entry %lld",
                           first.at, other.at, (long long)i);
    }
    c->ndim = model->ndim + 1;
    for (int k = 0; k < c->ndim; k++)
        c->size[k] = k == c->dim ? c->in_count : model->size[k < c->dim ? k : k - 1];
    return NOMEN_OK;
}

/* A header on the stack that looks at a part of the result: [start, start + length) of c->dim.
 * Stands in for a view so that nothing is allocated, and nothing can fail, once writing has begun.
 */
static void part_of(const nomen_tensor *out, int dim, int64_t start, int64_t length,
                    nomen_tensor *part, int64_t *size) {
    *part = *out;
    memcpy(size, out->size, sizeof *size * out->ndim);
    size[dim] = length;
    part->size = size;
    part->data = out->data + start * out->stride[dim] * nomen__item(out->dtype);
    nomen__tensor_finish(part);
}

/* ---- all without holes -------------------------------------------------------------------------
 * The result is written from its beginning to its end: a block of each operand in turn. */

/* Bytes, but for JOINED and FEW_OPERANDS, operands, FEW, elements, and FEW_ROUNDS. Blocks of up to
 * SHORT_BLOCK bytes are joined in pieces of PIECE, unless the result is LARGE, so that it goes to
 * memory, where one stream of stores is faster than some. */
enum {
    JOINED = 64,
    BLOCK_BYTES = 64,
    FEW = 2 * NOMEN__GRAIN,
    FEW_ROUNDS = 16,
    FEW_OPERANDS = 5,
    NEAR = 65536,
    SHORT_ROW = 1024,
    SHORT_BLOCK = 96,
    PIECE = 32768,
    LARGE = 1 << 22
};

typedef struct join_job {
    int64_t count, row; /* bytes of one round of blocks */
    char *from[JOINED]; /* only read */
    int64_t bytes[JOINED];
    char *to;
    nomen__loop *copy; /* of blocks that are elements, all of one size */
} join_job;

/* The elements of a few operands by turns. */
static void join_woven(void *context, int64_t begin, int64_t end) {
    const join_job *job = context;
    const int64_t item = job->bytes[0];
    char *ptr[NOMEN__WOVEN + 1] = {job->to + begin * job->row};
    for (int64_t k = 0; k < job->count; k++) ptr[k + 1] = job->from[k] + begin * item;
    nomen__mover("weave", item)(ptr, &job->count, end - begin);
}

/* Elements of each operand in turn: a piece of the result stays in cache until it has them all. */
static void join_elements(void *context, int64_t begin, int64_t end) {
    const join_job *job = context;
    for (int64_t n; begin < end; begin += n) {
        n = NEAR / job->row + 1 < end - begin ? NEAR / job->row + 1 : end - begin;
        for (int64_t i = 0; i < job->count; i++) {
            const int64_t bytes = job->bytes[i];
            char *to = job->to + begin * job->row + i * bytes;
            char *from = job->from[i] + begin * bytes;
            job->copy((char *const[]){to, from}, (const int64_t[]){job->row, bytes}, n);
        }
    }
}

static void join_rounds(void *context, int64_t begin, int64_t end) {
    const join_job *job = context;
    char *to = job->to + begin * job->row;
    for (; begin < end; begin++)
        for (int64_t i = 0; i < job->count; to += job->bytes[i++])
            nomen__copy_block(to, job->from[i] + begin * job->bytes[i], job->bytes[i]);
}

/* A few rounds of short blocks: those of one operand after those of another. */
static void join_short(void *context, int64_t begin, int64_t end) {
    const join_job *job = context;
    char *to = job->to + begin * job->row;
    for (int64_t i = 0; i < job->count; to += job->bytes[i++])
        nomen__copy_rows(to, job->row, job->from[i] + begin * job->bytes[i], job->bytes[i],
                         end - begin, job->bytes[i]);
}

/* Short blocks of many rounds: likewise, while a piece of the result stays in cache. */
static void join_pieces(void *context, int64_t begin, int64_t end) {
    const join_job *job = context;
    const int64_t most = PIECE / job->row + 1;
    for (int64_t n; begin < end; begin += n) {
        n = most < end - begin ? most : end - begin;
        join_short(context, begin, begin + n);
    }
}

/* false: something is not as it would have to be, or is faster as copies of whole operands. */
static bool join_blocks(const nomen__call *c, nomen_status *s) {
    const nomen_tensor *out = c->out[0];
    const bool few = out->numel <= FEW;
    join_job job;
    if (!out->numel) return true; /* there may be 2 ** 31 rounds of nothing */
    int64_t longest = 0;
    job.count = job.row = 0;
    job.to = out->data;
    job.copy = NULL;
    if (c->in_count > JOINED || !(out->flags & NOMEN__CONTIGUOUS) || out->flags & NOMEN__AWAY)
        return false;
    const int64_t rounds = nomen__numel_of(out->size, c->dim), item = nomen__item(out->dtype);
    const int64_t inner = item * nomen__numel_of(out->size + c->dim + 1, out->ndim - c->dim - 1);
    if (rounds < 2 && !few) return false;
    for (int64_t i = 0; i < c->in_count; i++) {
        const nomen_tensor *t = c->in[i];
        const bool left_out = c->op->id != NOMEN__OP_STACK && is_left_out(c, t);
        if (left_out || t->numel == 0) continue;
        if (t->dtype != out->dtype || !(t->flags & NOMEN__CONTIGUOUS) || t->flags & NOMEN__AWAY)
            return false;
        const int64_t bytes = c->op->id == NOMEN__OP_STACK ? inner : t->size[c->dim] * inner;
        if (bytes < BLOCK_BYTES && (!few || rounds > FEW_ROUNDS)) {
            if (!job.count) job.copy = nomen__mover("copy", bytes);
            if (!job.copy || (job.count && bytes != job.bytes[0])) return false;
        } else if (job.copy) {
            return false;
        }
        job.from[job.count] = t->data;
        job.bytes[job.count++] = bytes;
        job.row += bytes;
        if (bytes > longest) longest = bytes;
    }
    const int64_t grain = NOMEN__GRAIN * item / (job.row + 1) + 1;
    const bool near = job.count <= FEW_OPERANDS && out->numel * item <= LARGE;
    nomen__task *join = few && job.row <= SHORT_ROW      ? join_short
                        : near && longest <= SHORT_BLOCK ? join_pieces
                                                         : join_rounds;
    if (job.copy && job.count > 1 && job.count <= NOMEN__WOVEN && job.bytes[0] < 16)
        join = join_woven;
    else if (job.copy && job.count == 1)
        return false; /* a copy */
    else if (job.copy)
        join = join_elements;
    if (few)
        join(&job, 0, rounds);
    else
        *s = nomen__parallel_asking(rounds, grain, join, &job);
    return true;
}

nomen_status nomen__launch_cat(nomen__call *c) {
    nomen_status joined = NOMEN_OK;
    if (join_blocks(c, &joined)) return joined;
    int64_t at = 0, size[NOMEN_MAX_DIMS];
    for (int64_t i = 0; i < c->in_count; i++) {
        const nomen_tensor *t = c->in[i];
        if (is_left_out(c, t)) continue;
        int64_t length = t->size[c->dim];
        nomen_tensor part;
        part_of(c->out[0], c->dim, at, length, &part, size);
        nomen_status s = part.numel ? nomen__copy_values(&part, t) : NOMEN_OK;
        if (s) return s;
        at += length;
    }
    return NOMEN_OK;
}

nomen_status nomen__launch_stack(nomen__call *c) {
    nomen_status joined = NOMEN_OK;
    if (join_blocks(c, &joined)) return joined;
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
    nomen_tensor *out = c->out[0];
    for (int64_t i = 0; i < c->in_count; i++) {
        nomen_tensor part;
        part_of(out, c->dim, i, 1, &part, size);
        /* without the stacked dim */
        part.stride = stride;
        for (int k = 0; k < out->ndim; k++) stride[k] = out->stride[k];
        for (int k = c->dim; k + 1 < out->ndim; k++) {
            size[k] = size[k + 1];
            stride[k] = stride[k + 1];
        }
        part.ndim--;
        nomen__tensor_finish(&part);
        nomen_status s = part.numel ? nomen__copy_values(&part, c->in[i]) : NOMEN_OK;
        if (s) return s;
    }
    return NOMEN_OK;
}

nomen_status nomen__launch_copy(nomen__call *c) {
    if (!c->out[0]->numel) return NOMEN_OK;
    if (c->out[0]->flags & NOMEN__CONTIGUOUS) return nomen__copy_values(c->out[0], c->in[1]);
    nomen_tensor *part = nomen__folded(c->out[0], -1);
    nomen_status s = part ? nomen__copy_values(part, c->in[1]) : NOMEN_ERROR_MEMORY;
    nomen__release(part);
    return s;
}
