/* Matrix products of vectors, matrices and batches of matrices: how they are cut into blocks for
 * the kernel and the threads. The product of a block is the kernel's. */
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "op/launch.h"
#include "op/nest.h"
#include "op/passing.h"
#include "op/rows.gen.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

/* SERIAL_WORK: multiplications that one thread does without help; VECTOR_WORK: those of a chunk of
 * a product with a vector, which waits for memory. A product is cut into at most MOST_BLOCKS
 * blocks; its rows are cut between tiles, columns at multiples of COLS_STEP, which whole tiles of
 * most kernels fit into. */
enum { SERIAL_WORK = 1 << 18, MOST_BLOCKS = 32, COLS_STEP = 64 };
/* Multiplications of a chunk of small matrices, which take several times as long as those of large
 * ones. */
enum { BATCHES_WORK = SERIAL_WORK / 8 };
enum { SMALL_SIDE = 16, MOST_SCRATCH = 64, VECTOR_WORK = SERIAL_WORK / 8 };
/* Multiplications in the time that it takes to pack an element. */
#define PACKING 8.0
/* Multiplications of a block that may take half a second. */
#define LONG_WORK 4e9

typedef struct product {
    const nomen__gemm *gemm;
    nomen__gemm_args whole; /* of one batch */
    nomen__nest batch;
    int64_t batches;
    int64_t rows, cols;         /* of a block */
    int64_t row_blocks, blocks; /* per batch */
    char *scratch;
    size_t scratch_each;
    int scratches;
    _Atomic uint64_t taken; /* bit per scratch */
} product;

enum { A, B, C };

static void move(nomen__gemm_args *g, const int64_t by[NOMEN__SIDES], int64_t times) {
    g->a += times * by[A];
    g->b += times * by[B];
    g->c += times * by[C];
}

/* A scratch of one's own, the same for a thread as last time if it can be: it is in its cache.
 * There is one for each thread, so that the wait is for a thread count that was raised a moment
 * ago. */
static int take_scratch(product *p) {
    const int first = nomen__parallel_self() % p->scratches;
    for (;;) {
        uint64_t taken = atomic_load_explicit(&p->taken, memory_order_relaxed);
        for (int i = 0; i < p->scratches; i++) {
            const int at = first + i < p->scratches ? first + i : first + i - p->scratches;
            uint64_t bit = (uint64_t)1 << at;
            if (taken & bit) continue;
            if (atomic_fetch_or_explicit(&p->taken, bit, memory_order_acquire) & bit) continue;
            return at;
        }
        sched_yield();
    }
}

/* Moves the operands on to the next batch; after the last one, to the first. */
static void next_batch(const product *p, nomen__gemm_args *g, int64_t at[NOMEN_MAX_DIMS]) {
    for (int d = 0; d < p->batch.ndim; d++) {
        const int64_t back = ++at[d] < p->batch.size[d] ? 0 : p->batch.size[d];
        move(g, p->batch.step[d], 1 - back);
        if (!back) return;
        at[d] = 0;
    }
}

static void run_blocks(void *context, int64_t begin, int64_t end) {
    product *p = context;
    const int mine = take_scratch(p);
    char *scratch = p->scratch + (size_t)mine * p->scratch_each;
    nomen__gemm_args whole = p->whole;
    int64_t at[NOMEN_MAX_DIMS], batch = begin / p->blocks, block = begin % p->blocks;
    for (int d = 0; d < p->batch.ndim; d++) {
        at[d] = batch % p->batch.size[d];
        batch /= p->batch.size[d];
        move(&whole, p->batch.step[d], at[d]);
    }
    for (int64_t i = begin; i < end; i++) {
        if (p->blocks == 1) {
            p->gemm->run(&whole, scratch);
        } else {
            nomen__gemm_args g = whole;
            int64_t row = block % p->row_blocks * p->rows, col = block / p->row_blocks * p->cols;
            g.m = g.m - row < p->rows ? g.m - row : p->rows;
            g.n = g.n - col < p->cols ? g.n - col : p->cols;
            g.a += row * g.a_row;
            g.b += col * g.b_col;
            g.c += row * g.c_row + col * g.c_col;
            p->gemm->run(&g, scratch);
        }
        if (++block < p->blocks) continue;
        block = 0;
        next_batch(p, &whole, at);
    }
    atomic_fetch_and_explicit(&p->taken, ~((uint64_t)1 << mine), memory_order_release);
}

/* The last two dims of each operand and the batch dims before them, broadcast. */
static void describe(product *p, const nomen_tensor *a, const nomen_tensor *b, nomen_tensor *c) {
    int64_t item = nomen__item(c->dtype);
    nomen__gemm_args *g = &p->whole;
    int an = a->ndim, bn = b->ndim, batch = (an > bn ? an : bn) - 2, dim = c->ndim;
    *g = (nomen__gemm_args){.a = a->data, .b = b->data, .c = c->data, .m = 1, .n = 1};
    g->k = a->size[an - 1];
    g->a_col = a->stride[an - 1] * item;
    g->b_row = b->stride[bn > 1 ? bn - 2 : 0] * item;
    if (bn > 1) {
        g->n = b->size[bn - 1];
        g->b_col = b->stride[bn - 1] * item;
        g->c_col = c->stride[--dim] * item;
    }
    if (an > 1) {
        g->m = a->size[an - 2];
        g->a_row = a->stride[an - 2] * item;
        g->c_row = c->stride[--dim] * item;
    }
    p->batch.ndim = 0;
    for (int d = 0; d < batch; d++) {
        const int64_t size = c->size[batch - 1 - d];
        int64_t *const step = p->batch.step[p->batch.ndim];
        if (size == 1) continue;
        step[A] = nomen__batch_step(a, d);
        step[B] = nomen__batch_step(b, d);
        step[C] = c->stride[batch - 1 - d] * item;
        /* Batches of rows times one matrix are more rows. */
        if (p->batch.ndim > 0 || step[B] != 0 ||
            (g->m > 1 && (step[A] != g->m * g->a_row || step[C] != g->m * g->c_row))) {
            nomen__nest_add(&p->batch, size);
            continue;
        }
        if (g->m == 1) {
            g->a_row = step[A];
            g->c_row = step[C];
        }
        g->m *= size;
    }
    p->batches = nomen__nest_count(&p->batch);
}

static int64_t rounded_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

/* How long a block is when `whole` is cut into so many. The last one must not be so short that the
 * kernel would go another way about it, and come to other bits. */
static int64_t side(int64_t whole, int64_t count, int64_t step) {
    int64_t plain = (whole + count - 1) / count, even = rounded_up(plain, step);
    return (whole - 1) % even + 1 > SMALL_SIDE ? even : plain;
}

/* Blocks of C, about one per thread, the largest of which costs least: each packs its operands
 * anew. Where the cuts are does not show in the result: every element is the same sum in the same
 * order. */
static void cut(product *p, int64_t threads) {
    const nomen__gemm_args *g = &p->whole;
    p->rows = g->m;
    p->cols = g->n;
    double work = (double)g->m * (double)g->n * (double)g->k;
    if (work < SERIAL_WORK || p->batches >= threads) return;
    if (g->m == 1 || g->n == 1) { /* nothing is packed: memory alone counts */
        int64_t along = g->m * g->n, each = rounded_up(VECTOR_WORK / g->k + 1, COLS_STEP);
        /* One left over would be a row times a column, which has sums of its own. */
        while (each < along && (along - 1) % each + 1 <= SMALL_SIDE) each += COLS_STEP;
        *(g->n == 1 ? &p->rows : &p->cols) = each < along ? each : along;
        return;
    }
    int64_t count = (threads + p->batches - 1) / p->batches;
    double least = 0;
    if (count > MOST_BLOCKS) count = MOST_BLOCKS;
    const int64_t least_side = p->gemm->side;
    const int64_t most = g->n / least_side > 1 ? g->n / least_side : 1;
    for (int64_t d = 1; d <= count && (d == 1 || g->m / d >= least_side); d++) {
        const int64_t a = count / d < most ? count / d : most;
        const int64_t rows = side(g->m, d, p->gemm->rows), cols = side(g->n, a, COLS_STEP);
        const double cost = (double)rows * (double)cols + PACKING * (double)(rows + cols);
        if (least > 0 && cost >= least) continue;
        least = cost;
        p->rows = rows;
        p->cols = cols;
    }
}

/* No block takes so long that who wants to end the product waits for it. */
static void cut_long_blocks(product *p) {
    const nomen__gemm_args *g = &p->whole;
    for (;;) {
        double work = (double)p->rows * (double)p->cols * (double)g->k;
        bool down = p->rows >= p->cols;
        int64_t longer = down ? p->rows : p->cols;
        if (work <= LONG_WORK || longer < 4 * p->gemm->side) return;
        if (down)
            p->rows = side(g->m, (g->m + p->rows - 1) / p->rows * 2, p->gemm->rows);
        else
            p->cols = side(g->n, (g->n + p->cols - 1) / p->cols * 2, COLS_STEP);
        if ((down ? p->rows : p->cols) >= longer) return;
    }
}

/* Scratch for any block: those at the edges are of other sizes, and may want more. */
static size_t scratch_bytes(const product *p) {
    int64_t k = p->whole.k, last_row = (p->whole.m - 1) % p->rows + 1,
            last_col = (p->whole.n - 1) % p->cols + 1;
    size_t most = 0;
    for (int i = 0; i < 4; i++) {
        size_t bytes = p->gemm->scratch(i & 1 ? last_row : p->rows, i & 2 ? last_col : p->cols, k);
        if (bytes > most) most = bytes;
    }
    return (most + 63) / 64 * 64;
}

/* Batches begin to end; those of the nearest dim are multiplied many at once. */
static void run_batches(void *context, int64_t begin, int64_t end) {
    const product *p = context;
    for (int64_t count; begin < end; begin += count) {
        nomen__gemm_args g = p->whole;
        int64_t at[NOMEN__SIDES];
        count = nomen__nest_run(&p->batch, begin, end, at);
        move(&g, at, 1);
        p->gemm->batches->run(&g, count, p->batch.step[0]);
    }
}

static bool are_batches(product *p) {
    nomen__nest *const n = &p->batch;
    if (n->ndim == 0 || !p->gemm->batches) return false;
    const int longest = nomen__nest_longest(n);
    if (!p->gemm->batches->wants(&p->whole, n->size[longest])) return false;
    nomen__nest_move_first(n, longest);
    return true;
}

static nomen_status multiply_batches(product *p) {
    const double each = (double)p->whole.m * (double)p->whole.n * (double)p->whole.k;
    int64_t grain = p->batches;
    if (each * (double)p->batches >= 2.0 * BATCHES_WORK)
        grain = rounded_up((int64_t)(BATCHES_WORK / each) + 1, COLS_STEP);
    return nomen__parallel_asking(p->batches, grain, run_batches, p);
}

static nomen_status multiply(product *p) {
    enum { ON_STACK = 4096 };
    _Alignas(64) char near[ON_STACK];
    const nomen__gemm_args *g = &p->whole;
    if (are_batches(p)) return multiply_batches(p);
    if (p->batches == 1 && g->m <= SMALL_SIDE && g->n <= SMALL_SIDE && g->k <= SMALL_SIDE &&
        p->gemm->scratch(g->m, g->n, g->k) <= ON_STACK) { /* as it is: nothing to cut */
        p->gemm->run(g, near);
        return NOMEN_OK;
    }
    int64_t threads = nomen_get_num_threads();
    if (threads > 1)
        cut(p, threads);
    else
        p->rows = p->whole.m, p->cols = p->whole.n;
    cut_long_blocks(p);
    p->row_blocks = (p->whole.m + p->rows - 1) / p->rows;
    p->blocks = p->row_blocks * ((p->whole.n + p->cols - 1) / p->cols);
    int64_t count = p->batches * p->blocks;
    double each = (double)p->rows * (double)p->cols * (double)(p->whole.k ? p->whole.k : 1);
    const double least = p->whole.m == 1 || p->whole.n == 1 ? VECTOR_WORK : SERIAL_WORK / 2;
    int64_t grain = each >= least ? 1 : (int64_t)(least / each) + 1;
    if (each * (double)count < SERIAL_WORK) grain = count;
    int64_t chunks = (count - 1) / grain + 1, scratches = chunks < threads ? chunks : threads;
    p->scratches = scratches < MOST_SCRATCH ? (int)scratches : MOST_SCRATCH;
    p->scratch_each = scratch_bytes(p);
    atomic_init(&p->taken, 0);
    size_t bytes = p->scratch_each * (size_t)p->scratches, capacity = 0;
    p->scratch = bytes <= ON_STACK ? near : nomen__buffer_new(bytes, &capacity);
    if (!p->scratch) return NOMEN_ERROR_MEMORY;
    nomen_status s = nomen__parallel_asking(count, grain, run_blocks, p);
    if (p->scratch != near) nomen__buffer_free(p->scratch, capacity);
    return s;
}

/* ---- one summand ----------------------------------------------------------------------------- */

/* A column times a number, or numbers times numbers: element by element. */
static bool is_pointwise(const product *p) {
    return p->whole.k == 1 && (p->whole.m == 1 || p->whole.n == 1);
}

/* Operands of one dim are one number here; the result has dims for both sides of the others. */
static nomen_status multiply_elements(nomen_tensor *a, nomen_tensor *b, const nomen_tensor *out) {
    const nomen__kernel *mul = nomen__kernel_find("mul", (nomen_dtype)out->dtype);
    const int lacks = a->ndim == 1 || b->ndim == 1, n = out->ndim + lacks;
    const int made = !lacks ? n : b->ndim == 1 ? n - 1 : n - 2;
    nomen__layout view;
    nomen_tensor *whole = nomen__lay_over(&view, out, n);
    for (int d = 0, from = 0; d < n; d++) {
        whole->size[d] = d == made ? 1 : out->size[from];
        whole->stride[d] = d == made ? 1 : out->stride[from];
        from += d != made;
    }
    nomen__tensor_finish(whole);
    nomen__iter it;
    nomen__iter_make(&it, mul->loop, whole, (nomen_tensor *[]){a, b}, 2, n, whole->size, mul->dtype,
                     mul->dtype);
    if (!it.simple) nomen__iter_by_lines(&it, mul->lines);
    return nomen__iter_run_asking(&it);
}

/* ---- one long dot product -------------------------------------------------------------------- */

enum { DOT_PART = 1 << 16, MOST_PARTS = 64 };

typedef struct parts {
    const nomen__gemm *gemm;
    nomen__gemm_args whole;
    int64_t part, item;
    char *sums, *scratch;
    size_t scratch_each;
} parts;

static void run_parts(void *context, int64_t begin, int64_t end) {
    const parts *p = context;
    for (int64_t i = begin; i < end; i++) {
        nomen__gemm_args g = p->whole;
        g.a += i * p->part * g.a_col;
        g.b += i * p->part * g.b_row;
        g.k = g.k - i * p->part < p->part ? g.k - i * p->part : p->part;
        g.c = p->sums + i * p->item;
        p->gemm->run(&g, p->scratch + (size_t)i * p->scratch_each);
    }
}

/* Are there parts that threads can share, whose sums lose nothing where they are kept? */
static bool is_long_dot(const product *p, nomen_dtype d) {
    const nomen__gemm_args *g = &p->whole;
    bool keeps =
        d == NOMEN_F32 || d == NOMEN_F64 || d == NOMEN_C64 || d == NOMEN_C128 || d == NOMEN_I64;
    return g->m == 1 && g->n == 1 && p->batches == 1 && g->k >= 2 * DOT_PART && keeps;
}

/* Parts depend on the length only; their sums are added up as the sum of a tensor is. */
static nomen_status dot_in_parts(const product *p, nomen_dtype d) {
    _Alignas(64) char sums[MOST_PARTS * 16], acc[NOMEN__ACC_BYTES];
    const nomen__gemm_args *g = &p->whole;
    const nomen__reducer *sum = nomen__kernel_find("sum", d)->reducer;
    parts job = {p->gemm, *g, DOT_PART, nomen__item(d), sums, NULL, 0};
    if ((g->k - 1) / job.part >= MOST_PARTS)
        job.part = rounded_up((g->k + MOST_PARTS - 1) / MOST_PARTS, COLS_STEP);
    int64_t count = (g->k - 1) / job.part + 1;
    job.scratch_each = (p->gemm->scratch(1, 1, job.part) + 63) / 64 * 64;
    size_t capacity = 0;
    job.scratch = nomen__buffer_new(job.scratch_each * (size_t)count, &capacity);
    if (!job.scratch) return NOMEN_ERROR_MEMORY;
    nomen_status s = nomen__parallel_asking(count, 1, run_parts, &job);
    nomen__buffer_free(job.scratch, capacity);
    if (s) return s;
    const nomen__reduce_step all = {
        .in = sums, .n_acc = 1, .n_red = count, .red_step = job.item, .index_step = 1};
    sum->init(acc, 1);
    sum->step(acc, &all);
    sum->finish((char *const[NOMEN__MAX_OUT]){g->c, NULL}, (const int64_t[NOMEN__MAX_OUT]){0, 0},
                acc, 1, &(nomen__reduce_param){count, 0});
    return NOMEN_OK;
}

/* ---- in parts -------------------------------------------------------------------------------- */

/* Lines of a tensor, the nearest dim first, cut into pieces that threads look at. */
typedef struct look {
    const nomen__gemm_parts *way;
    const char *data;
    int64_t n, step, pieces;
    nomen__nest lines;
    _Atomic uint32_t least, most;
} look;

enum { LOOK_PIECE = 1 << 15 };

static void look_at(void *context, int64_t begin, int64_t end) {
    look *l = context;
    uint32_t span[2] = NOMEN__NO_SPAN;
    for (int64_t i = begin; i < end; i++) {
        int64_t at[NOMEN__SIDES];
        const int64_t first = i % l->pieces * LOOK_PIECE, left = l->n - first;
        nomen__nest_find(&l->lines, i / l->pieces, at);
        l->way->widen(span, l->data + at[A] + first * l->step,
                      left < LOOK_PIECE ? left : LOOK_PIECE, l->step);
    }
    uint32_t least = atomic_load_explicit(&l->least, memory_order_relaxed),
             most = atomic_load_explicit(&l->most, memory_order_relaxed);
    while (span[0] < least && !atomic_compare_exchange_weak(&l->least, &least, span[0])) continue;
    while (span[1] > most && !atomic_compare_exchange_weak(&l->most, &most, span[1])) continue;
}

static void find_span(const nomen__gemm_parts *way, const nomen_tensor *x, uint32_t span[2]) {
    look l = {.way = way, .data = x->data, .n = 1, .pieces = 1};
    int order[NOMEN_MAX_DIMS];
    nomen__nest_order(x, order);
    for (int i = 0; i < x->ndim; i++) {
        const int64_t size = x->size[order[i]],
                      step = x->stride[order[i]] * nomen__item((nomen_dtype)x->dtype);
        if (size == 1 || step == 0) continue;
        if (step < 0) l.data += (size - 1) * step;
        l.lines.step[l.lines.ndim][A] = llabs(step);
        nomen__nest_add(&l.lines, size);
    }
    if (l.lines.ndim) {
        l.step = l.lines.step[0][A];
        l.n = nomen__nest_take(&l.lines, 0);
        l.pieces = (l.n - 1) / LOOK_PIECE + 1;
    }
    atomic_init(&l.least, (uint32_t)UINT32_MAX);
    atomic_init(&l.most, 0u);
    nomen__parallel(nomen__nest_count(&l.lines) * l.pieces, l.n < LOOK_PIECE ? LOOK_PIECE / l.n : 1,
                    look_at, &l);
    span[0] = atomic_load(&l.least);
    span[1] = atomic_load(&l.most);
}

/* Sizes and numbers of the whole product tell, so that threads and layouts do not show in it. */
static bool goes_in_parts(const nomen__gemm_parts *way, const nomen_tensor *a,
                          const nomen_tensor *b, const nomen_tensor *out) {
    const bool one = b->ndim <= 2; /* all rows meet the same matrix */
    if (a->ndim < 2 || b->ndim < 2) return false;
    const int64_t k = a->size[a->ndim - 1], n = b->size[b->ndim - 1];
    uint32_t of_a[2], of_b[2];
    if (!way->wants(one ? out->numel / n : a->size[a->ndim - 2], n, k)) return false;
    find_span(way, a, of_a);
    find_span(way, b, of_b);
    return way->fits(of_a, of_b, k);
}

/* ---- whole numbers --------------------------------------------------------------------------- */

/* The largest magnitude in x; infinite where there is no memory to find it out. */
static nomen_status find_largest(nomen_tensor *x, double *most) {
    nomen_status s = NOMEN_OK;
    *most = (double)INFINITY;
    nomen_scope() {
        nomen_tensor *high = NULL, *low = nomen_aminmax(nomen__nameless(x), .max = &high);
        if (low)
            *most = fmax(-(double)nomen_item_int(low), (double)nomen_item_int(high));
        else
            s = nomen__error_code();
    }
    if (s != NOMEN_ERROR_MEMORY) return s;
    nomen__error_drop();
    return NOMEN_OK;
}

/* What a product of whole numbers is computed in. Of whole numbers so small that a floating dtype
 * holds every sum of their products exactly, in whatever order, it is that dtype: the same numbers,
 * and vectors have no good product of 32 or 64 bits. Only where the work is much more than looking
 * and converting, of the results, too. */
static nomen_status choose_dtype(const nomen__call *c, nomen_dtype *dtype) {
    enum { LEAST_WORK = 1 << 18, TIMES = 64, LEAST_BYTES = 4, LEAST_SUMMANDS = 3 };
    nomen_tensor *a = c->in[0], *b = c->in[1];
    const double k = (double)a->size[a->ndim - 1], work = (double)c->out[0]->numel * k;
    double most_a, most_b;
    *dtype = c->compute;
    if (nomen__item(c->compute) < LEAST_BYTES || work < LEAST_WORK || k < LEAST_SUMMANDS ||
        work < (double)TIMES * ((double)a->numel + (double)b->numel))
        return NOMEN_OK;
    nomen_status s = find_largest(a, &most_a);
    if (!s) s = find_largest(b, &most_b);
    if (s) return s;
    const double most = most_a * most_b * k, held = ldexp(1, 8 * (int)nomen__item(c->compute) - 1);
    if (most < held && most <= 0x1p53) *dtype = most <= 0x1p24 ? NOMEN_F32 : NOMEN_F64;
    return NOMEN_OK;
}

static inline nomen_status launch_in(nomen__call *c, nomen_dtype dtype, const nomen__gemm *gemm) {
    nomen_status status = NOMEN_ERROR_MEMORY;
    nomen_tensor *a = nomen__launch_input(c->in[0], dtype), *b = NULL, *out = NULL;
    if (a) b = nomen__launch_input(c->in[1], dtype);
    if (b) {
        bool apart = nomen__may_overlap(c->out[0], a) || nomen__may_overlap(c->out[0], b);
        out = nomen__launch_output(c->out[0], dtype, apart);
    }
    if (out) {
        product p; /* describe and multiply fill in what they use of it */
        describe(&p, a, b, out);
        p.gemm = nomen__gemm_for(gemm, dtype, p.whole.m, p.whole.n, p.whole.k);
        if (p.gemm->parts && goes_in_parts(p.gemm->parts, a, b, out)) p.gemm = p.gemm->parts->gemm;
        status = is_pointwise(&p)         ? multiply_elements(a, b, out)
                 : is_long_dot(&p, dtype) ? dot_in_parts(&p, dtype)
                                          : multiply(&p);
    }
    status = nomen__launch_end(c->out[0], out, status);
    nomen__launch_done(c->in[0], a);
    nomen__launch_done(c->in[1], b);
    return status;
}

nomen_status nomen__launch_matmul(nomen__call *c) {
    if (c->out[0]->numel == 0) return NOMEN_OK;
    if (c->compute >= NOMEN_F16) return launch_in(c, c->compute, c->kernel->gemm);
    nomen_dtype dtype;
    nomen_status s = choose_dtype(c, &dtype);
    if (s) return s;
    if (dtype != c->compute) {
        s = launch_in(c, dtype, nomen__kernel_find("matmul", dtype)->gemm);
        if (s != NOMEN_ERROR_MEMORY) return s;
        nomen__error_drop(); /* the whole numbers want no copies */
    }
    return launch_in(c, c->compute, c->kernel->gemm);
}
