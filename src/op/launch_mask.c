/* Words of the table for rows with a mask, and for the positions of what is not zero. */
#include "op/places.h"
#include "op/rows.gen.h"

#include <string.h>

enum { CHUNK = NOMEN__GRAIN / 2 }; /* elements of a mask */

/* ---- masks as they are worked with ----------------------------------------------------------- */

nomen_tensor *nomen__plain_mask(nomen_tensor *t, int ndim, const int64_t *size) {
    if (t->dtype == NOMEN_BOOL && (t->flags & NOMEN__CONTIGUOUS) && nomen__has_sizes(t, ndim, size))
        return nomen__retain(t);
    return nomen__copied(nomen__tensor_empty(NOMEN_BOOL, ndim, size), t);
}

/* How many of n bytes are not zero; foreign memory may hold other bytes than 0 and 1. A lane of sum
 * cannot overflow in 255 steps. */
static int64_t ones(const char *at, int64_t n) {
    typedef uint8_t bytes __attribute__((vector_size(16)));
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff), all = UINT64_C(0x0001000100010001);
    int64_t count = 0, i = 0;
    while (i + 16 <= n) {
        bytes sum = {0}, x;
        uint64_t half[2];
        for (int k = 0; k < 255 && i + 16 <= n; k++, i += 16) {
            memcpy(&x, at + i, sizeof x);
            sum -= (bytes)(x != 0);
        }
        memcpy(half, &sum, sizeof half);
        for (int k = 0; k < 2; k++)
            count += (int64_t)(((half[k] & even) + (half[k] >> 8 & even)) * all >> 48);
    }
    for (; i < n; i++) count += at[i] != 0;
    return count;
}

typedef struct count_job {
    const char *mask;
    int64_t *counts;
} count_job;

static void count_chunk(void *context, int64_t begin, int64_t end) {
    const count_job *job = context;
    job->counts[begin / CHUNK] = ones(job->mask + begin, end - begin);
}

nomen_tensor *nomen__mask_counts(const nomen_tensor *mask) {
    int64_t chunks = (mask->numel + CHUNK - 1) / CHUNK, entries = chunks + 1;
    nomen_tensor *t = nomen__tensor_empty(NOMEN_I64, 1, &entries);
    if (!t) return NULL;
    int64_t *at = (int64_t *)(void *)t->data, sum = 0;
    count_job job = {mask->data, at};
    if (mask->numel && nomen__parallel_asking(mask->numel, CHUNK, count_chunk, &job)) {
        nomen__release(t);
        return NULL;
    }
    for (int64_t i = 0; i < chunks; i++) {
        int64_t here = at[i];
        at[i] = sum;
        sum += here;
    }
    at[chunks] = sum;
    return t;
}

static const int64_t *values(const nomen_tensor *counts) {
    return (const int64_t *)(const void *)counts->data;
}

static int64_t total(const nomen_tensor *counts) { return values(counts)[counts->numel - 1]; }

/* ---- names, dtypes, sizes -------------------------------------------------------------------- */

nomen_status nomen__names_masked_fill_rule(nomen__call *c) {
    if (!c->named) return NOMEN_OK;
    return nomen__names_masked_fill(nomen__names_of(c->in[0]), nomen__names_of(c->in[1]),
                                    c->op->name, c->inplace, &c->names);
}

nomen_status nomen__names_masked_select_rule(nomen__call *c) {
    if (!c->named) return NOMEN_OK;
    return nomen__names_masked_select(nomen__names_of(c->in[0]), nomen__names_of(c->in[1]),
                                      &c->names);
}

nomen_status nomen__names_nothing(nomen__call *c) {
    (void)c;
    return NOMEN_OK;
}

static nomen_status check_mask(const nomen__call *c, const char *words) {
    if (c->in[1]->dtype == NOMEN_BOOL) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_DTYPE, "%s, but got mask with dtype %s", words,
                       nomen_dtype_name((nomen_dtype)c->in[1]->dtype));
}

nomen_status nomen__dtype_masked_fill(nomen__call *c) {
    const nomen_tensor *value = c->in[2];
    nomen_dtype own = (nomen_dtype)c->in[0]->dtype;
    nomen_status s = check_mask(c, "masked_fill_ only supports boolean masks");
    if (s) return s;
    if (value->ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "masked_fill_ only supports a 0-dimensional value tensor, but got "
                           "tensor with %d dimension(s).",
                           value->ndim);
    s = nomen__check_fits(value, own);
    return s ? s : nomen__dtype_same(c);
}

nomen_status nomen__dtype_masked_select(nomen__call *c) {
    nomen_status s = check_mask(c, "masked_select: expected BoolTensor for mask");
    return s ? s : nomen__dtype_same(c);
}

nomen_status nomen__dtype_masked_scatter(nomen__call *c) {
    nomen_status s = check_mask(c, "masked_scatter_ only supports boolean masks");
    if (!s && c->in[0]->dtype != c->in[2]->dtype)
        s = nomen__fail(NOMEN_ERROR_DTYPE,
                        "masked_scatter: expected self and source to have same dtypes but got %s "
                        "and %s",
                        nomen_dtype_name((nomen_dtype)c->in[0]->dtype),
                        nomen_dtype_name((nomen_dtype)c->in[2]->dtype));
    return s ? s : nomen__dtype_same(c);
}

nomen_status nomen__dtype_positions(nomen__call *c) {
    c->compute = c->writes = c->result[0] = NOMEN_I64;
    return NOMEN_OK;
}

/* Self and mask broadcast together, whatever comes behind them. */
nomen_status nomen__shape_masked_fill(nomen__call *c) {
    uint8_t operands = c->nin;
    c->nin = 2;
    nomen_status s = nomen__shape_broadcast(c);
    c->nin = operands;
    return s;
}

/* The mask and its counts stay with the call: they are the size of the result. */
static nomen_status count_mask(nomen__call *c, nomen_tensor *t, int ndim, const int64_t *size,
                               int64_t *count) {
    nomen_tensor *mask = nomen__plain_mask(t, ndim, size);
    if (!mask) return NOMEN_ERROR_MEMORY;
    nomen__take_temporary(c, mask);
    nomen_tensor *counts = nomen__mask_counts(mask);
    if (!counts) return NOMEN_ERROR_MEMORY;
    nomen__take_temporary(c, counts);
    *count = total(counts);
    return NOMEN_OK;
}

enum { MASK, COUNTS }; /* among the call's temporaries */

nomen_status nomen__shape_masked_select(nomen__call *c) {
    int64_t count = 0;
    nomen_status s = nomen__shape_masked_fill(c);
    if (!s) s = count_mask(c, c->in[1], c->ndim, c->size, &count);
    c->like = NULL;
    c->ndim = 1;
    c->size[0] = count;
    return s;
}

nomen_status nomen__shape_masked_scatter(nomen__call *c) {
    int64_t count = 0;
    nomen_status s = nomen__shape_masked_fill(c);
    if (!s) s = count_mask(c, c->in[1], c->ndim, c->size, &count);
    if (!s && count > c->in[2]->numel)
        s = nomen__fail(NOMEN_ERROR_SHAPE,
                        "Number of elements of source < number of ones in mask: %lld < %lld",
                        (long long)c->in[2]->numel, (long long)count);
    return s;
}

nomen_status nomen__shape_nonzero(nomen__call *c) {
    int64_t count = 0;
    nomen_tensor *t = c->in[0];
    nomen_status s = count_mask(c, t, t->ndim, t->size, &count);
    c->ndim = 2;
    c->size[0] = count;
    c->size[1] = t->ndim;
    return s;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The mask of a folded tensor: an element that lies in several places is meant if one of them is.
 */
static nomen_tensor *folded_mask(nomen_tensor *mask, const nomen_tensor *whole,
                                 const nomen_tensor *part) {
    nomen__dimref dims[NOMEN_MAX_DIMS];
    int n = 0, before = whole->ndim - mask->ndim;
    for (int d = 0; d < mask->ndim; d++)
        if (part->size[d + before] != whole->size[d + before])
            dims[n++] = (nomen__dimref){NOMEN__DIM_INDEX, 0, d};
    if (!n) return nomen__retain(mask);
    nomen__call any;
    nomen__call_begin(&any, &nomen__ops[NOMEN__OP_ANY]);
    any.arg[0].tensor = mask;
    any.arg[1].dims = (nomen__dims){n, dims};
    any.arg[2].flag = true;
    any.given = 7;
    return nomen__invoke(&any) ? NULL : any.out[0];
}

nomen_status nomen__launch_masked_fill(nomen__call *c) {
    nomen_tensor *whole = c->out[0], *t = c->inplace ? nomen__folded(whole, -1) : whole;
    nomen_tensor *mask = t && t != whole ? folded_mask(c->in[1], whole, t) : c->in[1];
    nomen_tensor *in[] = {mask, c->in[2], c->inplace ? t : c->in[0]};
    const nomen_dtype dtypes[] = {c->writes, NOMEN_BOOL, c->compute, c->compute};
    nomen__iter it;
    nomen_status status = NOMEN_ERROR_MEMORY;
    if (t && mask) {
        nomen__iter_make_mixed(&it, c->kernel->loop, t, in, 3, t->ndim, t->size, dtypes);
        status = nomen__iter_run_asking(&it);
    }
    if (c->inplace) nomen__release(t);
    if (mask != c->in[1]) nomen__release(mask);
    return status;
}

typedef struct mask_job {
    nomen__loop *loop;
    const char *mask;
    const int64_t *counts;
    char *whole, *packed;
    int64_t item;
} mask_job;

static int64_t chunk_count(const int64_t *counts, int64_t begin) {
    return counts[begin / CHUNK + 1] - counts[begin / CHUNK];
}

static void pack_chunk(void *context, int64_t begin, int64_t end) {
    const mask_job *job = context;
    char *const ptr[] = {job->packed + job->counts[begin / CHUNK] * job->item,
                         job->whole + begin * job->item, (char *)(uintptr_t)(job->mask + begin)};
    job->loop(ptr, (const int64_t[]){end - begin}, chunk_count(job->counts, begin));
}

static void unpack_chunk(void *context, int64_t begin, int64_t end) {
    const mask_job *job = context;
    char *const ptr[] = {job->whole + begin * job->item, (char *)(uintptr_t)(job->mask + begin),
                         job->packed + job->counts[begin / CHUNK] * job->item};
    job->loop(ptr, (const int64_t[]){end - begin}, chunk_count(job->counts, begin));
}

static mask_job job_of(const nomen__call *c, const nomen_tensor *whole, const nomen_tensor *packed,
                       nomen__loop *loop) {
    const nomen_tensor *mask = c->temporary[MASK];
    return (mask_job){loop,        mask->data,   values(c->temporary[COUNTS]),
                      whole->data, packed->data, nomen__item(whole->dtype)};
}

/* t in row-major order without gaps, broadcast. */
static nomen_tensor *plain(nomen_tensor *t, int ndim, const int64_t *size) {
    if ((t->flags & NOMEN__CONTIGUOUS) && nomen__has_sizes(t, ndim, size)) return nomen__retain(t);
    return nomen__copied(nomen__tensor_empty((nomen_dtype)t->dtype, ndim, size), t);
}

static bool is_plain(const nomen_tensor *t) { return t->flags & NOMEN__CONTIGUOUS; }

nomen_status nomen__launch_masked_select(nomen__call *c) {
    const nomen_tensor *mask = c->temporary[MASK];
    nomen_tensor *out = c->out[0], *whole = plain(c->in[0], mask->ndim, mask->size);
    if (!whole) return NOMEN_ERROR_MEMORY;
    bool shared = nomen__may_overlap(out, mask) || nomen__may_overlap(out, whole);
    bool apart = !is_plain(out) || (c->target[0] && shared);
    nomen_tensor *made = nomen__launch_output(out, c->compute, apart);
    nomen_status s = made ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    if (made) {
        mask_job job = job_of(c, whole, made, c->kernel->loop);
        if (made->numel) s = nomen__parallel_asking(mask->numel, CHUNK, pack_chunk, &job);
    }
    s = nomen__launch_end(out, made, s);
    nomen__release(whole);
    return s;
}

nomen_status nomen__launch_masked_scatter(nomen__call *c) {
    const nomen_tensor *mask = c->temporary[MASK];
    nomen_tensor *out = c->out[0], *source = plain(c->in[2], c->in[2]->ndim, c->in[2]->size);
    if (!source) return NOMEN_ERROR_MEMORY;
    bool shared = nomen__may_overlap(out, mask) || nomen__may_overlap(out, source);
    bool apart = !is_plain(out) || (c->inplace && shared);
    nomen_tensor *made = nomen__launch_output(out, c->compute, apart);
    nomen_status s = made ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    if (made) {
        mask_job job = job_of(c, made, source, c->kernel->loop);
        if (made->numel && (made != out || !c->inplace)) s = nomen__copy_values(made, c->in[0]);
        if (!s && made->numel) s = nomen__parallel_asking(mask->numel, CHUNK, unpack_chunk, &job);
    }
    s = nomen__launch_end(out, made, s);
    nomen__release(source);
    return s;
}

/* ---- positions ------------------------------------------------------------------------------- */

typedef struct position_job {
    const char *mask;
    const int64_t *counts, *size;
    int64_t *out;
    int ndim;
    nomen__loop *pack; /* of 32 bits */
} position_job;

static nomen__loop *position_loop(void) { return nomen__kernel_find("pack", NOMEN_I32)->loop; }

enum { WINDOW = 256 }; /* elements of a mask whose positions are found at a time */

/* Which of n bytes are not zero, and how many; from: the numbers from 0 on. */
static int find_in(const position_job *job, const char *mask, int n, const uint32_t *from,
                   uint32_t *at) {
    const int64_t count = ones(mask, n);
    char *const ptr[] = {(char *)at, (char *)(uintptr_t)from, (char *)(uintptr_t)mask};
    if (count) job->pack(ptr, (const int64_t[]){n}, count);
    return (int)count;
}

/* The coordinates of elements of one row, whose others are those of `before`. */
static int64_t *write_coordinates(int64_t *out, int ndim, const int64_t *before, int64_t first,
                                  const uint32_t *at, int n) {
    if (ndim == 1) {
        for (int k = 0; k < n; k++) out[k] = first + at[k];
    } else if (ndim == 2) {
        for (int k = 0; k < n; k++) {
            out[2 * k] = before[0];
            out[2 * k + 1] = first + at[k];
        }
    } else {
        for (int k = 0; k < n; k++) {
            for (int d = 0; d < ndim - 1; d++) out[k * ndim + d] = before[d];
            out[k * ndim + ndim - 1] = first + at[k];
        }
    }
    return out + (int64_t)n * ndim;
}

/* Short rows are looked at many at a time. What goes from one dim to the next is a quotient: of
 * less than 2 * WINDOW by less than WINDOW a product by `inverse`, of longer dims 0 or 1. */
enum { SHORT_ROW = 32, INVERSE_BITS = 24 };

static inline __attribute__((always_inline)) int64_t *
write_carried(int64_t *out, const int ndim, const int64_t *before, const int64_t *size,
              const int64_t *inverse, const uint32_t *at, int n) {
    for (int k = 0; k < n; k++, out += ndim) {
        int64_t here = before[ndim - 1] + at[k];
#pragma GCC unroll 4
        for (int d = ndim - 1; d > 0; d--) {
            const int64_t carry = inverse[d] ? here * inverse[d] >> INVERSE_BITS : here >= size[d];
            out[d] = here - carry * size[d];
            here = before[d - 1] + carry;
        }
        out[0] = here;
    }
    return out;
}

static int64_t *write_short_rows(int64_t *out, const position_job *job, const int64_t *before,
                                 const int64_t *inverse, const uint32_t *at, int n) {
    switch (job->ndim) {
    case 2: return write_carried(out, 2, before, job->size, inverse, at, n);
    case 3: return write_carried(out, 3, before, job->size, inverse, at, n);
    case 4: return write_carried(out, 4, before, job->size, inverse, at, n);
    default: return write_carried(out, job->ndim, before, job->size, inverse, at, n);
    }
}

/* Goes so many elements on. */
static void step_coordinates(int64_t *coordinate, const int64_t *size, int last, int64_t n) {
    coordinate[last] += n;
    for (int d = last; d > 0 && coordinate[d] >= size[d]; d--) {
        coordinate[d - 1] += coordinate[d] / size[d];
        coordinate[d] %= size[d];
    }
}

static void find_coordinates(void *context, int64_t begin, int64_t end) {
    const position_job *job = context;
    int64_t *out = job->out + job->counts[begin / CHUNK] * job->ndim;
    int64_t coordinate[NOMEN_MAX_DIMS], inverse[NOMEN_MAX_DIMS], rest = begin;
    const int last = job->ndim - 1;
    const bool is_short = last > 0 && job->size[last] < SHORT_ROW;
    uint32_t at[WINDOW], from[WINDOW];
    const int64_t most = end - begin < WINDOW ? end - begin : WINDOW;
    for (int64_t i = 0; i < most; i++) from[i] = (uint32_t)i;
    for (int d = last; d >= 0; d--) {
        const int64_t size = job->size[d];
        coordinate[d] = rest % size;
        rest /= size;
        inverse[d] = size < WINDOW ? (1 << INVERSE_BITS) / size + 1 : 0;
    }
    while (begin < end) {
        int64_t n = is_short ? most : job->size[last] - coordinate[last];
        if (n > end - begin) n = end - begin;
        if (n > most) n = most;
        int found = find_in(job, job->mask + begin, (int)n, from, at);
        if (is_short)
            out = write_short_rows(out, job, coordinate, inverse, at, found);
        else
            out = write_coordinates(out, job->ndim, coordinate, coordinate[last], at, found);
        begin += n;
        step_coordinates(coordinate, job->size, last, n);
    }
}

nomen_tensor *nomen__mask_positions(nomen_tensor *t) {
    nomen_tensor *mask = nomen__plain_mask(t, t->ndim, t->size), *positions = NULL;
    nomen_tensor *counts = mask ? nomen__mask_counts(mask) : NULL;
    int64_t count = counts ? total(counts) : 0;
    if (counts) positions = nomen__tensor_empty(NOMEN_I64, 1, &count);
    if (positions && count) {
        position_job job = {
            mask->data, values(counts), &mask->numel, (int64_t *)(void *)positions->data,
            1,          position_loop()};
        if (nomen__parallel_asking(mask->numel, CHUNK, find_coordinates, &job)) {
            nomen__release(positions);
            positions = NULL;
        }
    }
    nomen__release(mask);
    nomen__release(counts);
    return positions;
}

nomen_status nomen__launch_nonzero(nomen__call *c) {
    const nomen_tensor *mask = c->temporary[MASK], *t = c->in[0];
    nomen_tensor *out = c->out[0];
    if (out->numel == 0) return NOMEN_OK;
    bool apart = !is_plain(out) || (c->target[0] && nomen__may_overlap(out, mask));
    nomen_tensor *made = nomen__launch_output(out, NOMEN_I64, apart);
    if (!made) return NOMEN_ERROR_MEMORY;
    position_job job = {mask->data, values(c->temporary[COUNTS]),
                        t->size,    (int64_t *)(void *)made->data,
                        t->ndim,    position_loop()};
    nomen_status s =
        t->ndim ? nomen__parallel_asking(mask->numel, CHUNK, find_coordinates, &job) : NOMEN_OK;
    s = nomen__launch_end(out, made, s);
    return s;
}
