/* Order statistics along one dim (sort, topk, median): rows of a tensor, shared out to threads with
 * a piece of scratch for each. */
#include "op/launch.h"
#include "op/nest.h"
#include "op/passing.h"
#include "op/rows.gen.h"

#include "nomen/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 16 };       /* rows that lie side by side are fetched together */
enum { AT_A_TIME = 1 << 20 }; /* elements, before it is asked whether to go on */
/* of a row that threads share: at least so many elements each, and not more (they need scratch) */
enum { PIECE = 1 << 16, MOST_PIECES = 16 };

/* Elements of one chunk where there are few: each takes as long as ten of a sum. */
enum { ONE_CHUNK = NOMEN__GRAIN / 4 };

enum { IN, VALUES, INDICES };

typedef struct order_job {
    const nomen__order *order;
    nomen__order_args row; /* of one line: its rows lie at even distances */
    nomen__nest lines;     /* those are repeated over these */
    int64_t grain;         /* rows of a chunk */
    char *scratch;
    size_t scratch_each; /* by chunk */
} order_job;

/* `rows` rows from `begin` on, counted along the lines, up to the end of one. */
static nomen__order_args rows_of(const order_job *job, int64_t begin, int64_t rows) {
    nomen__order_args a = job->row;
    int64_t line = 0, first = begin;
    if (begin >= a.rows) { /* a few elements take less time than a division */
        line = begin / a.rows;
        first = begin % a.rows;
    }
    const int64_t left = a.rows - first;
    int64_t at[NOMEN__SIDES];
    nomen__nest_find(&job->lines, line, at);
    a.rows = left < rows ? left : rows;
    a.in += at[IN] + first * a.in_row;
    if (a.values) a.values += at[VALUES] + first * a.value_row;
    if (a.indices) a.indices += at[INDICES] + first * a.index_row;
    return a;
}

/* Rows begin to end, counted along the lines. */
static void run_lines(void *context, int64_t begin, int64_t end) {
    const order_job *job = context;
    char *scratch = job->scratch;
    if (begin) scratch += (size_t)(begin / job->grain) * job->scratch_each;
    /* at a time, so that who wants to end it need not wait */
    const int64_t most = (end - begin) * job->row.n <= AT_A_TIME
                             ? end - begin
                             : (AT_A_TIME / job->row.n / TOGETHER + 1) * TOGETHER;
    if (begin == 0 && end == job->row.rows && end <= most) { /* nothing to change in a copy */
        job->order->run(job->order, &job->row, scratch);
        return;
    }
    while (begin < end) {
        const nomen__order_args a = rows_of(job, begin, end - begin < most ? end - begin : most);
        job->order->run(job->order, &a, scratch);
        begin += a.rows;
        if (begin < end && nomen__is_stopped()) return;
    }
}

typedef struct shared_row {
    const order_job *job;
    nomen__order_args row;
    int phase;
    bool alone; /* one thread is to do it */
} shared_row;

static void run_piece(void *context, int64_t begin, int64_t end) {
    const shared_row *s = context;
    const nomen__order *order = s->job->order;
    (void)end;
    if (s->alone)
        order->run(order, &s->row, s->job->scratch);
    else
        order->piece(order, &s->row, s->job->scratch, s->phase, (int)begin);
}

/* All rows, one after another, each by several threads. */
static nomen_status run_shared(const order_job *job, int64_t rows) {
    for (int64_t r = 0; r < rows; r++) {
        shared_row s = {job, rows_of(job, r, 1), 0, false};
        for (; s.phase < NOMEN__ORDER_PHASES && !s.alone; s.phase++) {
            s.alone = !job->order->begin(job->order, &s.row, job->scratch, s.phase);
            nomen_status status =
                nomen__parallel_asking(s.alone ? 1 : s.row.pieces, 1, run_piece, &s);
            if (status) return status;
        }
    }
    return NOMEN_OK;
}

/* How many threads may share each of so few rows; 0: rows are shared out whole. */
static int pieces_of(const order_job *job, int64_t rows) {
    const int64_t threads = nomen_get_num_threads();
    if (rows >= threads) return 0;
    nomen__order_args one = job->row;
    one.rows = 1;
    if (!job->order->shares(job->order, &one)) return 0;
    const int64_t most = one.n / PIECE < MOST_PIECES ? one.n / PIECE : MOST_PIECES;
    return (int)(threads < most ? threads : most);
}

static int64_t bytes_of(const nomen_tensor *t, int64_t elements) {
    return t ? elements * nomen__item(t->dtype) : 0;
}

/* Bytes from one element of dim d of the input to the next, in side t, which may lack reduced dims.
 */
static int64_t step_of(const nomen_tensor *t, const nomen_tensor *in, int d, int dim) {
    if (!t) return 0;
    if (t->ndim == in->ndim) return bytes_of(t, t->stride[d]);
    return d == dim ? 0 : bytes_of(t, t->stride[d - (d > dim)]);
}

/* All dims but the one that is ordered. */
static void lay_out(nomen__nest *lines, const nomen_tensor *in, nomen_tensor *const out[2],
                    int dim) {
    for (int d = in->ndim - 1; d >= 0; d--) {
        if (d == dim || in->size[d] == 1) continue;
        int64_t *const step = lines->step[lines->ndim];
        step[IN] = step_of(in, in, d, dim);
        step[VALUES] = step_of(out[0], in, d, dim);
        step[INDICES] = step_of(out[1], in, d, dim);
        nomen__nest_add(lines, in->size[d]);
    }
}

/* The dim whose rows lie closest to each other. */
static int closest(const nomen__nest *lines) {
    int best = 0;
    for (int d = 1; d < lines->ndim; d++)
        if (llabs(lines->step[d][IN]) < llabs(lines->step[best][IN])) best = d;
    return best;
}

/* One of the dims makes the lines: the longest, or where rows lie across the closest. */
static void choose_lines(order_job *job, bool across) {
    nomen__nest *const lines = &job->lines;
    if (!lines->ndim) return;
    const int line = across ? closest(lines) : nomen__nest_longest(lines);
    job->row.rows = nomen__nest_take(lines, line);
    job->row.in_row = lines->step[line][IN];
    job->row.value_row = lines->step[line][VALUES];
    job->row.index_row = lines->step[line][INDICES];
}

/* Elements and rows follow each other, on all sides. */
static void close_up(nomen__order_args *row, int64_t item) {
    const int64_t position = nomen__item(NOMEN_I64);
    row->in_step = row->value_step = item;
    row->index_step = position;
    row->in_row = row->n * item;
    row->value_row = row->count * item;
    row->index_row = row->count * position;
}

/* The same of whole tensors along the last dim, where nothing is to be found out: a dim of size 1
 * may have any stride. false: they are not. */
static bool lay_out_last(order_job *job, const nomen_tensor *in, nomen_tensor *const out[2],
                         int dim) {
    unsigned whole = in->flags;
    for (int k = 0; k < 2; k++)
        if (out[k]) whole &= out[k]->flags;
    if (dim != in->ndim - 1 || !(whole & NOMEN__CONTIGUOUS)) return false;
    nomen__order_args *const row = &job->row;
    row->rows = nomen__numel_of(in->size, dim);
    close_up(row, nomen__item(in->dtype));
    return true;
}

/* Bytes, for as many rows as are run at once. */
static size_t scratch_of_chunk(order_job *job) {
    const int64_t rows = job->row.rows, most = job->row.pieces ? 1 : job->grain;
    if (rows > most) job->row.rows = most;
    const size_t bytes = job->order->scratch(job->order, &job->row);
    job->row.rows = rows;
    return (bytes + 63) / 64 * 64;
}

/* Line by line, if the kernel needs no scratch for one; false: it does. */
static bool run_small(const order_job *job, int64_t rows) {
    if (!job->order->small(job->order, &job->row)) return false;
    for (int64_t begin = job->row.rows; begin < rows; begin += job->row.rows) {
        const nomen__order_args a = rows_of(job, begin, job->row.rows);
        (void)job->order->small(job->order, &a); /* as many rows as before */
    }
    return true;
}

/* Bytes of scratch that so many rows take. */
static size_t plan_job(order_job *job, int64_t rows) {
    const int64_t threads = nomen_get_num_threads();
    job->grain = rows * job->row.n <= ONE_CHUNK ? rows : (rows + threads - 1) / threads;
    if (job->grain > TOGETHER) job->grain = (job->grain + TOGETHER - 1) / TOGETHER * TOGETHER;
    if (job->grain > rows) job->grain = rows;
    job->row.pieces = pieces_of(job, rows);
    if (job->row.pieces) job->grain = rows; /* one scratch for all of them */
    job->scratch_each = scratch_of_chunk(job);
    const int64_t chunks = job->grain == rows ? 1 : (rows + job->grain - 1) / job->grain;
    return job->scratch_each * (size_t)chunks;
}

static nomen_status run_planned(order_job *job, int64_t rows) {
    return job->row.pieces ? run_shared(job, rows)
                           : nomen__parallel_asking(rows, job->grain, run_lines, job);
}

/* `rows` rows, counted along the lines, on all threads. */
static nomen_status run_job(order_job *job, int64_t rows) {
    enum { ON_STACK = 4096, SMALL = 1024 };
    _Alignas(64) char near[ON_STACK];
    if (rows * job->row.n <= SMALL && run_small(job, rows)) return NOMEN_OK;
    if (rows == job->row.rows && rows * job->row.n <= SMALL) { /* one call of the kernel */
        job->grain = rows;
        job->scratch_each = scratch_of_chunk(job);
        if (job->scratch_each <= ON_STACK) {
            job->order->run(job->order, &job->row, near);
            return NOMEN_OK;
        }
    }
    size_t bytes = plan_job(job, rows), capacity = 0;
    job->scratch = bytes <= ON_STACK ? near : nomen__buffer_new(bytes, &capacity);
    if (!job->scratch) return NOMEN_ERROR_MEMORY;
    nomen_status s = run_planned(job, rows);
    if (job->scratch != near) nomen__buffer_free(job->scratch, capacity);
    return s;
}

/* ---- a few of one long row ------------------------------------------------------------------- */

/* How many parts of a row may be looked through at once for its first few; 0: it is not worth it.
 */
static int64_t parts_of(const nomen__call *c, const order_job *job, int64_t rows) {
    enum { WORTH = 64 }; /* elements of a part for each that is wanted */
    const int64_t n = job->row.n, threads = nomen_get_num_threads();
    if (c->op->id != NOMEN__OP_TOPK || rows != 1) return 0;
    int64_t parts = n / PIECE < threads ? n / PIECE : threads;
    if (parts < 2) return 0;
    return job->row.count <= n / parts / WORTH ? parts : 0;
}

/* The first of each part, one behind the other with what is left of the row, and then the first of
 * these, which are in the order of their positions: equal ones stay so. */
static nomen_status run_parts(const order_job *whole, int64_t parts, int64_t item) {
    const nomen__order_args *row = &whole->row;
    const int64_t each = row->n / parts, count = row->count, rest = row->n - each * parts;
    const int64_t found = parts * count + rest;
    size_t capacity;
    char *buffer = nomen__buffer_new((size_t)(found * (item + 8) + count * 8), &capacity);
    if (!buffer) return NOMEN_ERROR_MEMORY;
    int64_t *places = (int64_t *)(void *)buffer, *chosen = places + found;
    char *values = (char *)(chosen + count);
    order_job job = *whole;
    job.row.n = each;
    job.row.rows = parts;
    job.row.in_row = each * row->in_step;
    job.row.values = values;
    job.row.value_step = item;
    job.row.value_row = count * item;
    job.row.indices = (char *)places;
    job.row.index_step = 8;
    job.row.index_row = count * 8;
    nomen_status s = run_job(&job, parts);
    for (int64_t i = 0; i < parts * count; i++) places[i] += i / count * each;
    for (int64_t i = 0; i < rest; i++) {
        const int64_t at = each * parts + i, to = parts * count + i;
        places[to] = at;
        memcpy(values + to * item, row->in + at * row->in_step, (size_t)item);
    }
    job.row = *row;
    job.row.in = values;
    job.row.n = found;
    job.row.in_step = item;
    job.row.indices = (char *)chosen;
    job.row.index_step = 8;
    if (!s) s = run_job(&job, 1);
    for (int64_t i = 0; !s && row->indices && i < count; i++)
        memcpy(row->indices + i * row->index_step, places + chosen[i], 8);
    nomen__buffer_free(buffer, capacity);
    return s;
}

/* ---- rows across ----------------------------------------------------------------------------- */

/* Are rows that lie across copied first? */
static bool is_turned(const order_job *job, const nomen_tensor *in) {
    enum {
        /* yes: rows of so many elements, a power of two apart, of so many bytes from first to last:
         * they are in each other's way in the second cache */
        LONG = 256,
        CLASH = 1 << 20,
        /* yes: so many elements of so many bytes at most, as what is fetched together is but a part
         * of a line; not for one result of short rows */
        SOME = 80,
        NARROW = 2,
        /* yes: fewer rows side by side, which leave batches of the kernel empty */
        BESIDE = 2 * TOGETHER,
        /* but one group of these: of rows of up to so many elements that have one result each, or
         * of so many elements in all, which are in order before a copy has begun */
        SHORT = 1024,
        QUICK = 512,
        /* yes: fewer rows side by side, whose last batch is not full; where each has one result, if
         * it lacks more than one of so many rows */
        MANY = 512,
        LACKS = 4,
    };
    const nomen__order_args *row = &job->row;
    if (!job->lines.ndim || row->in_step == nomen__item(in->dtype) || in->numel / row->n < TOGETHER)
        return false;
    const int64_t beside = job->lines.size[closest(&job->lines)], rest = beside % TOGETHER;
    if (row->n >= LONG && row->n * (row->in_step & -row->in_step) >= CLASH) {
        nomen__order_args across = *row;
        across.in_row = nomen__item(in->dtype);
        across.rows = beside;
        if (!job->order->sides(job->order, &across)) return true;
    }
    const bool one = row->count == 1 && row->n <= SHORT;
    if (!one && row->n >= SOME && nomen__item(in->dtype) <= NARROW) return true;
    if (beside < BESIDE) return job->lines.ndim > 1 || !(one || in->numel <= QUICK);
    return rest && beside < MANY && (!one || LACKS * (TOGETHER - rest) > beside);
}

/* Some of the outermost dim of a side with the dims of the job and `along` elements of a row, as
 * rows that follow each other. */
static nomen_tensor *side_of(nomen__layout *view, const nomen__nest *lines, const nomen_tensor *t,
                             int side, int64_t begin, int64_t some, int64_t along,
                             int64_t along_step) {
    const int64_t item = nomen__item(t->dtype);
    const int last = lines->ndim - 1;
    nomen_tensor *v = nomen__lay_over(view, t, lines->ndim + 1);
    for (int d = 0; d <= last; d++) {
        v->size[last - d] = d == last ? some : lines->size[d];
        v->stride[last - d] = lines->step[d][side] / item;
    }
    v->size[lines->ndim] = along;
    v->stride[lines->ndim] = along_step / item;
    v->data += begin * lines->step[last][side];
    nomen__tensor_finish(v);
    return v;
}

/* Room for some of the rows, each in one piece and all of them one line, for their results, and if
 * they are not all for what it takes to sort them: it is there before anything is written. Plans of
 * `some` of the outermost dim and of the last ones are made once, whatever becomes of the number of
 * threads meanwhile. */
typedef struct turned {
    nomen_tensor *in, *out[2];
    order_job line, last;
    int64_t some;
    char *scratch;
    size_t capacity;
} turned;

static order_job line_of(const order_job *job, const turned *room, int64_t some) {
    order_job line = {.order = job->order, .row = job->row};
    line.row.in = room->in->data;
    line.row.values = room->out[0] ? room->out[0]->data : NULL;
    line.row.indices = room->out[1] ? room->out[1]->data : NULL;
    line.row.rows = some * (room->in->numel / room->in->size[0] / job->row.n);
    close_up(&line.row, nomen__item(room->in->dtype));
    return line;
}

/* So many of the outermost dim. */
static nomen_tensor *first_of(nomen__layout *view, const nomen_tensor *t, int64_t some) {
    nomen_tensor *v = nomen__lay_alike(view, t);
    v->size[0] = some;
    nomen__tensor_finish(v);
    return v;
}

static nomen_status turn_some(const order_job *job, const nomen_tensor *in,
                              nomen_tensor *const out[2], int64_t begin, int64_t some,
                              turned *room) {
    nomen__layout dense, apart;
    const nomen__order_args *row = &job->row;
    const int64_t steps[2] = {row->value_step, row->index_step};
    nomen_status s =
        nomen__copy_values(first_of(&dense, room->in, some),
                           side_of(&apart, &job->lines, in, IN, begin, some, row->n, row->in_step));
    order_job *const line = some == room->some ? &room->line : &room->last;
    if (!s && room->scratch) {
        line->scratch = room->scratch;
        s = run_planned(line, line->row.rows);
    } else if (!s) {
        s = run_job(line, line->row.rows);
    }
    for (int k = 0; k < 2; k++)
        if (!s && out[k])
            s = nomen__copy_values(
                side_of(&apart, &job->lines, out[k], VALUES + k, begin, some, row->count, steps[k]),
                first_of(&dense, room->out[k], some));
    return s;
}

static nomen_status make_room(turned *room, const order_job *job, const nomen_tensor *in,
                              nomen_tensor *const out[2], int64_t some) {
    const nomen__nest *const lines = &job->lines;
    const int64_t all = lines->size[lines->ndim - 1], rest = all % some;
    nomen__layout view;
    const nomen_tensor *v = side_of(&view, lines, in, IN, 0, some, job->row.n, job->row.in_step);
    room->out[0] = room->out[1] = NULL;
    room->scratch = NULL;
    room->some = some;
    room->in = nomen__tensor_empty((nomen_dtype)in->dtype, v->ndim, v->size);
    if (!room->in) return NOMEN_ERROR_MEMORY;
    view.size[lines->ndim] = job->row.count;
    for (int k = 0; k < 2; k++) {
        if (!out[k]) continue;
        room->out[k] = nomen__tensor_empty((nomen_dtype)out[k]->dtype, v->ndim, v->size);
        if (!room->out[k]) return NOMEN_ERROR_MEMORY;
    }
    room->line = line_of(job, room, some);
    if (some == all) return NOMEN_OK;
    room->last = line_of(job, room, rest ? rest : some);
    const size_t bytes = plan_job(&room->line, room->line.row.rows),
                 few = plan_job(&room->last, room->last.row.rows);
    room->scratch = nomen__buffer_new(bytes > few ? bytes : few, &room->capacity);
    return room->scratch ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

/* All of them, as much at a time as caches hold, so that it takes little memory. */
static nomen_status order_turned(const order_job *job, const nomen_tensor *in,
                                 nomen_tensor *const out[2]) {
    enum { AT_ONCE = 1 << 17 }; /* elements */
    const int64_t all = job->lines.size[job->lines.ndim - 1], each = in->numel / all;
    const int64_t fit = each < AT_ONCE ? AT_ONCE / each : 1, some = fit < all ? fit : all;
    turned room;
    nomen_status s = make_room(&room, job, in, out, some);
    for (int64_t begin = 0; begin < all && !s; begin += some)
        s = turn_some(job, in, out, begin, all - begin < some ? all - begin : some, &room);
    nomen__release(room.in);
    for (int k = 0; k < 2; k++) nomen__release(room.out[k]);
    if (room.scratch) nomen__buffer_free(room.scratch, room.capacity);
    return s;
}

/* Results have the dims of `in`, with `count` elements in dim, or lack that dim. dim < 0: all of
 * the input, which is contiguous, is one row. */
static nomen_status order(const nomen__call *c, const nomen_tensor *in, nomen_tensor *const out[2],
                          int dim) {
    const int64_t item = nomen__item(in->dtype);
    bool whole = dim < 0 || in->ndim == 0;
    order_job job;
    job.order = c->kernel->order;
    job.lines.ndim = 0;
    job.row = (nomen__order_args){
        .in = in->data,
        .values = out[0] ? out[0]->data : NULL,
        .indices = out[1] ? out[1]->data : NULL,
        .n = whole ? in->numel : in->size[dim],
        .rows = 1,
        .count = c->order.count,
        .k = c->order.k,
        .in_step = whole ? item : in->stride[dim] * item,
        .descending = c->order.descending,
    };
    if (!whole && !lay_out_last(&job, in, out, dim)) {
        const nomen_tensor *shaped = out[0] ? out[0] : out[1];
        if (shaped->ndim == in->ndim) {
            job.row.value_step = step_of(out[0], in, dim, dim);
            job.row.index_step = step_of(out[1], in, dim, dim);
        }
        lay_out(&job.lines, in, out, dim);
        if (is_turned(&job, in)) return order_turned(&job, in, out);
        choose_lines(&job, job.row.in_step != item);
    }
    const int64_t rows = job.row.rows * nomen__nest_count(&job.lines);
    const int64_t parts = parts_of(c, &job, rows);
    return parts ? run_parts(&job, parts, item) : run_job(&job, rows);
}

/* The input as the kernel wants it: in its dtype, and in one piece if it is one row. */
static nomen_tensor *input_of(const nomen__call *c, bool whole) {
    nomen_tensor *t = c->in[0];
    if (!whole || (t->flags & NOMEN__CONTIGUOUS)) return nomen__launch_input(t, c->compute);
    return nomen__copied(nomen__tensor_empty(c->compute, t->ndim, t->size), t);
}

/* Rows of one element again and again (expand) are sorted as they are. */
static bool is_in_order(const nomen_tensor *in, int dim) {
    return dim >= 0 && in->ndim > 0 && in->size[dim] > 1 && in->stride[dim] == 0;
}

/* Are the results the elements themselves? */
static bool is_copied(const nomen_tensor *in, int dim) {
    return is_in_order(in, dim) || nomen__are_ones(in, dim);
}

/* Is there one result for each row? */
static bool has_one_result(const nomen__call *c) {
    return c->op->id != NOMEN__OP_SORT && c->op->id != NOMEN__OP_ARGSORT &&
           c->op->id != NOMEN__OP_TOPK;
}

/* As many of each row as the results have. */
static nomen_status order_as_is(const nomen_tensor *in, nomen_tensor *const out[2], int dim) {
    nomen_tensor *places = out[1] ? nomen__tensor_empty(NOMEN_I64, 1, &out[1]->size[dim]) : NULL;
    if (out[1] && !places) return NOMEN_ERROR_MEMORY;
    nomen__layout some;
    nomen_tensor *first = nomen__lay_alike(&some, in);
    if (out[0]) first->size[dim] = out[0]->size[dim];
    nomen__tensor_finish(first);
    nomen_status s = out[0] ? nomen__copy_values(out[0], first) : NOMEN_OK;
    if (!places) return s;
    int64_t first_and_step[2] = {0, 1};
    nomen__kernel_find("ramp", NOMEN_I64)
        ->loop((char *const[2]){places->data, (char *)first_and_step},
               (const int64_t[2]){sizeof(int64_t), 0}, places->numel);
    nomen__layout view;
    nomen_tensor *everywhere = nomen__lay_over(&view, places, out[1]->ndim);
    for (int d = 0; d < everywhere->ndim; d++) { /* repeated along all other dims */
        everywhere->size[d] = out[1]->size[d];
        everywhere->stride[d] = d == dim;
    }
    nomen__tensor_finish(everywhere);
    if (!s) s = nomen__copy_values(out[1], everywhere);
    nomen__release(places);
    return s;
}

/* Rows of one element, or of the same again and again: the first position, or a mode's last one. */
static nomen_status order_ones(const nomen__call *c, const nomen_tensor *in,
                               nomen_tensor *const out[2], int dim) {
    nomen__layout view;
    nomen_tensor *ones =
        nomen__lay_without(&view, in, UINT64_C(1) << dim, (out[0] ? out[0] : out[1])->ndim);
    const nomen_number last = {NOMEN_NUMBER_INT, in->size[dim] - 1, 0, 0};
    nomen_status s = nomen__launch_ones(c, NOMEN__ITSELF, ones, out, true);
    return !s && out[1] && c->op->id == NOMEN__OP_MODE ? nomen__fill_values(out[1], &last) : s;
}

/* values or indices may be NULL: not wanted. */
static nomen_status launch(nomen__call *c, nomen_tensor *values, nomen_tensor *indices) {
    nomen_tensor *wanted[2] = {values, indices}, *made[2] = {NULL, NULL};
    const nomen_tensor *shaped = values ? values : indices;
    if (!shaped || shaped->numel == 0) return NOMEN_OK;
    int dim = c->dims_count < 0 ? -1 : c->dim;
    const uint64_t along = nomen__along(dim),
                   repeated = nomen__repeats(c->in[0], along, NOMEN__OFTEN);
    if (NOMEN_UNLIKELY(repeated) && !is_copied(c->in[0], dim))
        return nomen__launch_once(c, along, repeated);
    nomen_tensor *in = input_of(c, dim < 0);
    bool ready = in != NULL;
    for (int k = 0; ready && k < 2; k++) {
        if (!wanted[k]) continue;
        const bool fresh = !c->target[k] && !c->inplace;
        const bool apart = !fresh && nomen__may_overlap(wanted[k], in);
        made[k] = nomen__launch_output(wanted[k], k ? NOMEN_I64 : c->compute, apart);
        ready = made[k] != NULL;
    }
    nomen_status status = ready ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    if (ready && in->numel == 0) /* the median of nothing */
        nomen__fill_values(made[0], &(nomen_number){NOMEN_NUMBER_FLOAT, 0, (double)NAN, 0});
    else if (ready && NOMEN_UNLIKELY(is_copied(in, dim)))
        status = nomen__are_ones(in, dim) || has_one_result(c) ? order_ones(c, in, made, dim)
                                                               : order_as_is(in, made, dim);
    else if (ready)
        status = order(c, in, made, dim);
    for (int k = 0; k < 2; k++)
        if (made[k]) status = nomen__launch_end(wanted[k], made[k], status);
    nomen__launch_done(c->in[0], in);
    return status;
}

nomen_status nomen__launch_order(nomen__call *c) {
    return launch(c, c->skip[0] ? NULL : c->out[0],
                  c->op->nout > 1 && !c->skip[1] ? c->out[1] : NULL);
}

nomen_status nomen__launch_argsort(nomen__call *c) { return launch(c, NULL, c->out[0]); }

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The first flag of a row, which all of these have, says which end comes first. */
static bool first_flag(const nomen__call *c) {
    const int i = nomen__arg_of(c->op, NOMEN__FLAG);
    return nomen__given(c, i) && c->arg[i].flag;
}

static int64_t row_length(const nomen__call *c) {
    return c->dim < 0 || c->in[0]->ndim == 0 ? 1 : c->in[0]->size[c->dim];
}

nomen_status nomen__shape_sort(nomen__call *c) {
    c->order = (nomen__order_call){row_length(c), 0, first_flag(c)};
    return nomen__shape_same(c);
}

nomen_status nomen__compose_msort(nomen__call *c) {
    nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    nomen__call sort;
    nomen__call_begin(&sort, &nomen__ops[NOMEN__OP_SORT]);
    sort.arg[0].tensor = c->in[0];
    sort.arg[1].dims = (nomen__dims){1, &first};
    sort.given = 3;
    sort.out[0] = c->out[0];
    sort.skip[1] = true;
    c->out[0] = NULL;
    nomen_status s = nomen__invoke(&sort);
    if (s) return s;
    c->out[0] = sort.out[0];
    nomen__release(sort.out[1]);
    return NOMEN_OK;
}

nomen_status nomen__shape_topk(nomen__call *c) {
    int64_t n = row_length(c), k = c->arg[nomen__arg_of(c->op, NOMEN__INT)].integer;
    if (k < 0 || k > n)
        return nomen__hint(nomen__fail(NOMEN_ERROR_SHAPE, "selected index k out of range"),
                           "k is %lld, and the dim has %lld elements", (long long)k, (long long)n);
    nomen__shape_same(c);
    c->like = NULL;
    if (c->ndim)
        c->size[c->dim] = k;
    else
        k = 1; /* of a tensor without dims there is one element to take, whatever k says */
    bool smallest = first_flag(c); /* its opposite, since it is true by default */
    c->order = (nomen__order_call){k, 0, !smallest};
    return NOMEN_OK;
}

static nomen_status reduced(nomen__call *c, int64_t k) {
    c->order = (nomen__order_call){1, k, false};
    if (c->dims_count == 1 && row_length(c) == 0)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "%s(): Expected reduction dim %d to have non-zero size.",
                           c->op->id == NOMEN__OP_NANMEDIAN ? "median" : c->op->name, c->dim);
    if (c->dims_count < 0 && c->in[0]->numel == 0 && !nomen_dtype_is_floating(c->compute))
        return nomen__fail(NOMEN_ERROR_VALUE,
                           "%s(): nothing has no median, and %s has no NaN to say so", c->op->name,
                           nomen_dtype_name(c->compute));
    return nomen__shape_reduce(c);
}

nomen_status nomen__shape_kthvalue(nomen__call *c) {
    int64_t n = row_length(c), k = c->arg[nomen__arg_of(c->op, NOMEN__INT)].integer;
    nomen_status s = reduced(c, k < 1 ? 0 : k - 1);
    if (!s && (k < 1 || k > n))
        s = nomen__hint(nomen__fail(NOMEN_ERROR_SHAPE,
                                    "kthvalue(): selected number k out of range for dimension %d",
                                    c->dim),
                        "k is %lld; it counts from 1, and the dim has %lld elements", (long long)k,
                        (long long)n);
    return s;
}

nomen_status nomen__shape_order(nomen__call *c) { return reduced(c, 0); }
