/* Functions of whole rows along one dim (softmax), over all rows of a tensor. */
#include "op/launch.h"
#include "op/nest.h"
#include "op/rows.gen.h"

#include "nomen/memory.h"

/* WORTH: elements worth a chunk of their own; an exponential takes as long as several additions.
 * SIDE_BY_SIDE: rows that kernels take together; of rows that lie side by side in memory a chunk
 * has WIDE at least, as its border goes through a cache line of each element of a row, which two
 * processors would take from each other ([150, 200] took up to four times as long by two). BESIDE:
 * so few are better turned over, but for rows of more than TURNED bytes as they are computed with,
 * which kernels do not turn. FILLED: so many fill a vector; fewer are copied first, if a copy has
 * more beside each other, or if rows are longer than LONG. */
enum { SIDE_BY_SIDE = 128, WIDE = 256, BESIDE = 4, TURNED = 256, WORTH = NOMEN__GRAIN / 4 };
enum { FILLED = 16, LONG = 256 };

typedef struct rows_job {
    nomen__rows *run;
    nomen__rows_args row; /* of one line */
    nomen__nest lines;    /* lines of rows are repeated over these */
    int64_t grain;        /* rows of a chunk */
    size_t scratch_each;  /* by chunk */
} rows_job;

enum { IN, OUT, NO_SIDE };

/* Rows begin to end, counted along the lines. */
static void run_lines(void *context, int64_t begin, int64_t end) {
    const rows_job *job = context;
    char *const wide =
        job->row.wide ? (char *)job->row.wide + (size_t)(begin / job->grain) * job->scratch_each
                      : NULL;
    if (begin == 0 && end == job->row.rows) { /* most small calls: nothing to change in a copy */
        job->run(&job->row);
        return;
    }
    while (begin < end) {
        nomen__rows_args a = job->row;
        int64_t line = 0, first = begin; /* small rows take less time than a division */
        if (begin >= a.rows) {
            line = begin / a.rows;
            first = begin % a.rows;
        }
        int64_t left = a.rows - first;
        a.rows = left < end - begin ? left : end - begin;
        int64_t at[NOMEN__SIDES];
        nomen__nest_find(&job->lines, line, at);
        a.in += at[IN] + first * a.in_row;
        a.out += at[OUT] + first * a.out_row;
        a.wide = wide;
        job->run(&a);
        begin += a.rows;
    }
}

/* Scratch for each chunk, of which there are as many as threads. Where there is no room for it the
 * kernel does without. */
static nomen_status run_with_scratch(rows_job *job, int64_t rows) {
    enum { LINE = 64, BYTES = sizeof(float) }; /* that is what half types are computed with */
    const int64_t threads = nomen_get_num_threads();
    size_t capacity;
    job->grain = (rows + threads - 1) / threads;
    job->scratch_each = (size_t)(job->row.n * BYTES + LINE - 1) / LINE * LINE;
    const int64_t chunks = (rows + job->grain - 1) / job->grain;
    job->row.wide = nomen__buffer_new((size_t)chunks * job->scratch_each, &capacity);
    if (!job->row.wide) nomen__error_drop();
    const nomen_status s = nomen__parallel_asking(rows, job->grain, run_lines, job);
    if (job->row.wide) nomen__buffer_free(job->row.wide, capacity);
    return s;
}

static inline bool takes_scratch(const nomen__kernel *kernel, int64_t n) {
    return n > kernel->rows_scratch.least && n <= kernel->rows_scratch.most;
}

static nomen_status run_all(const nomen__kernel *kernel, nomen_tensor *out, const nomen_tensor *in,
                            int dim) {
    int64_t item = nomen__item(in->dtype), numel = out->numel;
    int64_t rows = 1;
    rows_job job;
    nomen__nest *const lines = &job.lines;
    if (numel == 0) return NOMEN_OK;
    job.run = kernel->rows;
    job.row = (nomen__rows_args){.out = out->data, .in = in->data, .n = 1, .rows = 1};
    lines->ndim = 0;
    if (in->ndim > 0) {
        job.row.n = in->size[dim];
        job.row.in_step = in->stride[dim] * item;
        job.row.out_step = out->stride[dim] * item;
    }
    for (int d = in->ndim - 1; d >= 0; d--) {
        if (d == dim || in->size[d] == 1) continue;
        int64_t *const step = lines->step[lines->ndim];
        step[IN] = in->stride[d] * item;
        step[OUT] = out->stride[d] * item;
        step[NO_SIDE] = 0;
        nomen__nest_add(lines, in->size[d]);
        rows *= in->size[d];
    }
    /* Kernels take many rows at once: those that lie side by side in memory make the lines, else
     * the longest dim. */
    int line = nomen__nest_longest(lines);
    const int64_t computed = item > (int64_t)sizeof(float) ? item : (int64_t)sizeof(float);
    const int64_t beside_least = job.row.n * computed > TURNED ? 2 : BESIDE;
    for (int d = 0; d < lines->ndim && job.row.in_step != item; d++)
        if (lines->size[d] >= beside_least && lines->step[d][IN] == item &&
            lines->step[d][OUT] == item)
            line = d;
    if (lines->ndim) {
        job.row.rows = nomen__nest_take(lines, line);
        job.row.in_row = lines->step[line][IN];
        job.row.out_row = lines->step[line][OUT];
    }
    if (takes_scratch(kernel, job.row.n) && job.row.in_step == item && job.row.out_step == item)
        return run_with_scratch(&job, rows);
    if (numel <= 2 * WORTH) return nomen__parallel_asking(rows, rows, run_lines, &job);
    int64_t grain = WORTH / job.row.n + 1;
    const bool beside = job.row.in_row < job.row.in_step && job.row.in_row > -job.row.in_step;
    const int64_t together = beside ? WIDE : SIDE_BY_SIDE;
    if (beside || grain >= together) grain = (grain + together - 1) / together * together;
    return nomen__parallel_asking(rows, grain, run_lines, &job);
}

/* Do rows follow each other without gaps, or lie side by side, in memory and where they go alike?
 * In a block of memory they do one or the other. */
static bool is_dense(const nomen_tensor *in, const nomen_tensor *out, int dim) {
    if (in->flags & out->flags & NOMEN__CONTIGUOUS) return true;
    if (in->stride[dim] == 1 && out->stride[dim] == 1) return true;
    for (int d = 0; d < in->ndim; d++) {
        const int64_t beside = in->size[d];
        if (d == dim || beside < BESIDE || in->stride[d] != 1 || out->stride[d] != 1) continue;
        return beside >= FILLED || (out->stride[dim] <= beside && in->size[dim] <= LONG);
    }
    return false;
}

/* A copy turns squares of elements in registers, and kernels may work in place. */
bool nomen__is_copied_first(const nomen_tensor *in, const nomen_tensor *out, int dim,
                            int64_t fetched) {
    if (in->ndim < 1 || is_dense(in, out, dim) || !is_dense(out, out, dim)) return false;
    return in->size[dim] > fetched || out->stride[dim] != 1;
}

/* Few elements of whole tensors whose rows follow each other or are columns of all there is: there
 * is nothing to find out. false: there is. */
static bool run_few(const nomen__kernel *kernel, nomen_tensor *out, const nomen_tensor *in,
                    int dim) {
    if (in->numel > 2 * WORTH || !in->numel || in->dtype != out->dtype || !in->ndim ||
        !(in->flags & out->flags & NOMEN__CONTIGUOUS))
        return false;
    const int64_t item = nomen__item(in->dtype), n = in->size[dim];
    const int64_t before = nomen__numel_of(in->size, dim),
                  behind = nomen__numel_of(in->size + dim + 1, in->ndim - dim - 1);
    if ((before > 1 && behind > 1) || (behind == 1 && takes_scratch(kernel, n))) return false;
    const int64_t step = behind * item, next = behind > 1 ? item : n * item;
    kernel->rows(&(nomen__rows_args){.out = out->data,
                                     .in = in->data,
                                     .n = n,
                                     .rows = before * behind,
                                     .in_step = step,
                                     .out_step = step,
                                     .in_row = next,
                                     .out_row = next});
    return true;
}

nomen_status nomen__launch_rows(nomen__call *c) {
    const uint64_t along = nomen__along(c->dim),
                   repeated = nomen__repeats(c->in[0], along, NOMEN__OFTEN);
    if (NOMEN_UNLIKELY(repeated)) return nomen__launch_once(c, along, repeated);
    if (c->in[0]->dtype == (uint8_t)c->compute && run_few(c->kernel, c->out[0], c->in[0], c->dim))
        return NOMEN_OK;
    nomen_tensor *in = nomen__launch_input(c->in[0], c->compute);
    if (!in) return NOMEN_ERROR_MEMORY;
    nomen_tensor *out = nomen__launch_output(c->out[0], c->compute, false);
    nomen_status s = out ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    const nomen_tensor *from = in;
    if (s == NOMEN_OK && nomen__is_copied_first(in, out, c->dim, NOMEN__SHORT_ROW)) {
        s = nomen__copy_values(out, in);
        from = out;
    }
    if (s == NOMEN_OK) s = run_all(c->kernel, out, from, c->dim);
    s = nomen__launch_end(c->out[0], out, s);
    nomen__launch_done(c->in[0], in);
    return s;
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* LANES: of rows side by side those that a chunk has at least, and a multiple of it. */
enum { LANES = 64 };

typedef struct slopes_job {
    nomen__rows *run;
    nomen__rows_args row;
    int64_t block; /* bytes from one block of rows side by side to the next; 0: rows are dense */
    int64_t pieces, lanes; /* of a block; of a piece */
} slopes_job;

static void run_slopes(void *context, int64_t begin, int64_t end) {
    const slopes_job *job = context;
    for (; begin < end; begin = job->block ? begin + 1 : end) {
        nomen__rows_args a = job->row;
        int64_t at = begin * a.in_row;
        a.rows = end - begin;
        if (job->block) {
            const int64_t first = begin % job->pieces * job->lanes;
            at = begin / job->pieces * job->block + first * a.in_row;
            a.rows = job->row.rows - first < job->lanes ? job->row.rows - first : job->lanes;
        }
        a.in += at;
        a.with += at;
        a.out += at;
        job->run(&a);
    }
}

/* Rows of half types side by side, of which some fill no vector, are loaded one by one at each step
 * (but with AVX-512): they are turned over first, unless there are many of them. */
static bool are_turned(const nomen_tensor *y, int64_t n, int64_t behind) {
    enum { MANY = 64, VECTOR = 8, SHORT = 8 };
    return nomen__item(y->dtype) == 2 && behind > 1 && behind < MANY && behind % VECTOR &&
           n >= SHORT && !nomen__cpu_parts();
}

/* t, which is contiguous, as three dims of which the last two have changed places. */
static nomen_tensor *turned(const nomen_tensor *t, int64_t before, int64_t n, int64_t behind) {
    return nomen__tensor_view(t, (nomen_dtype)t->dtype, 3, (int64_t[]){before, behind, n},
                              (int64_t[]){n * behind, 1, behind}, 0);
}

static nomen_tensor *slopes_turned(const char *kernel, const nomen_tensor *y, const nomen_tensor *g,
                                   int64_t before, int64_t n, int64_t behind) {
    const nomen_dtype dtype = (nomen_dtype)y->dtype;
    nomen_tensor *across[2] = {turned(y, before, n, behind), turned(g, before, n, behind)}, *own[2];
    for (int k = 0; k < 2; k++)
        own[k] = across[k] ? nomen__launch_converted(across[k], dtype) : NULL;
    nomen_tensor *made = own[0] && own[1] ? nomen__rows_slopes(kernel, own[0], own[1], 2) : NULL;
    nomen_tensor *back = made ? turned(made, before, behind, n) : NULL;
    nomen_tensor *out = back ? nomen__tensor_empty(dtype, y->ndim, y->size) : NULL;
    nomen_tensor *rows = out ? nomen__reshaped(out, 3, (int64_t[]){before, n, behind}) : NULL;
    const bool failed = !rows || nomen__copy_values(rows, back);
    for (int k = 0; k < 2; k++) {
        nomen__release(across[k]);
        nomen__release(own[k]);
    }
    nomen__release(made);
    nomen__release(back);
    nomen__release(rows);
    if (failed) nomen__release(out);
    return failed ? NULL : out;
}

nomen_tensor *nomen__rows_slopes(const char *kernel, const nomen_tensor *y, const nomen_tensor *g,
                                 int dim) {
    const nomen__kernel *k = nomen__kernel_find(kernel, (nomen_dtype)y->dtype);
    const int64_t item = nomen__item(y->dtype), n = y->ndim ? y->size[dim] : 1;
    const int64_t behind = nomen__numel_of(y->size + dim + 1, y->ndim - dim - 1);
    const int64_t before = y->numel ? y->numel / n / behind : 0;
    if (before && are_turned(y, n, behind)) return slopes_turned(kernel, y, g, before, n, behind);
    nomen_tensor *out = nomen__tensor_empty_on(0, (nomen_dtype)y->dtype, y->ndim, y->size);
    if (!out || !out->numel) return out;
    slopes_job job = {.run = k->rows, .pieces = 1, .lanes = behind};
    job.row = (nomen__rows_args){.out = out->data, .in = y->data, .with = g->data, .n = n};
    job.row.in_step = job.row.out_step = behind * item;
    job.row.in_row = job.row.out_row = behind > 1 ? item : n * item;
    job.row.rows = behind;
    int64_t units = before, each = n * behind;
    if (behind > 1) {
        job.block = n * behind * item;
        if (each > WORTH && behind > LANES) {
            const int64_t most = WORTH / n / LANES * LANES;
            job.lanes = most < LANES ? LANES : most < behind ? most : behind;
        }
        job.pieces = (behind + job.lanes - 1) / job.lanes;
        units = before * job.pieces;
        each = n * job.lanes;
    }
    const int64_t grain = y->numel <= 2 * WORTH ? units : WORTH / each + 1;
    if (!nomen__parallel_asking(units, grain, run_slopes, &job)) return out;
    nomen__release(out);
    return NULL;
}
