/* Words of the table for distances: of all pairs of two lists of points (cdist), of all pairs in
 * one (pdist). What they are asked for was checked by compose_distance.c. */
#include "nomen/memory.h"
#include "op/launch.h"
#include "op/nest.h"
#include "op/rows.gen.h"

#include <string.h>

enum { SELF, OTHER, P, PAIRS };
enum { A, B, OUT };
enum { CHUNK_WORK = 1 << 19, LEAST_ROWS = 32, CHUNKS = 4 /* per thread */, WIDEST = 64 };
enum { FEW_OTHERS = 4 }; /* of points that are each a list of their own */
#define LONG_WORK 2e8    /* terms of a chunk that may take half a second */

static bool of_pairs(const nomen__call *c) { return nomen__given(c, PAIRS) && c->arg[PAIRS].flag; }

/* Half types are computed in float32 and rounded once. */
nomen_status nomen__dtype_distances(nomen__call *c) {
    nomen_status s = nomen__dtype_promote(c);
    if (c->compute == NOMEN_F16 || c->compute == NOMEN_BF16) c->compute = c->writes = NOMEN_F32;
    return s;
}

nomen_status nomen__shape_distances(nomen__call *c) {
    const nomen_tensor *a = c->in[SELF], *b = c->in[OTHER];
    if (a->ndim < 2 || b->ndim < 2)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "distances: each operand must have at least two dims, points and "
                           "coordinates");
    if (a->size[a->ndim - 1] != b->size[b->ndim - 1])
        return nomen__fail(NOMEN_ERROR_SHAPE, "distances: points of %lld and of %lld coordinates",
                           (long long)a->size[a->ndim - 1], (long long)b->size[b->ndim - 1]);
    int64_t m = a->size[a->ndim - 2];
    if (of_pairs(c)) {
        if (a->ndim != 2 || b->ndim != 2 || b->size[0] != m)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "distances: pairs are those of one list of points, with two dims");
        c->ndim = 1;
        if (__builtin_mul_overflow(m % 2 ? m : m - 1, m / 2, &c->size[0]))
            return nomen__fail(NOMEN_ERROR_SHAPE, "distances: there are too many pairs of %lld",
                               (long long)m);
        return NOMEN_OK;
    }
    nomen_status s = nomen__shape_batch(c);
    if (s) return s;
    c->size[c->ndim++] = m;
    c->size[c->ndim++] = b->size[b->ndim - 2];
    return NOMEN_OK;
}

typedef struct distances {
    const nomen__distance *kernel;
    nomen__distance_args whole; /* of one batch */
    nomen__nest batch;
    int64_t grain; /* points of a chunk */
    char *scratch;
    size_t scratch_each;       /* by chunk */
    const nomen_tensor *of[5]; /* of gradients, and bytes from batch to batch of these */
    int64_t step[5];
} distances;

/* Bytes from row to row and from column to column of matrices. */
static void steps_of(const nomen_tensor *t, int64_t *row, int64_t *col) {
    if (t->ndim < 2) return; /* of pairs, which are dense */
    *row = t->stride[t->ndim - 2] * nomen__item(t->dtype);
    *col = t->stride[t->ndim - 1] * nomen__item(t->dtype);
}

static void describe(distances *job, const nomen_tensor *a, const nomen_tensor *b,
                     const nomen_tensor *out) {
    int an = a->ndim, n = out->ndim;
    nomen__distance_args *w = &job->whole;
    w->a = a->data;
    w->b = b->data;
    w->out = out->data;
    w->m = a->size[an - 2];
    w->n = b->size[b->ndim - 2];
    w->k = a->size[an - 1];
    steps_of(a, &w->a_row, &w->a_col);
    steps_of(b, &w->b_row, &w->b_col);
    job->batch.ndim = 0;
    if (w->pairs) return;
    steps_of(out, &w->out_row, &w->out_col);
    for (int d = 0; d < n - 2; d++) {
        if (out->size[n - 3 - d] == 1) continue;
        int64_t *const step = job->batch.step[job->batch.ndim];
        step[A] = nomen__batch_step(a, d);
        step[B] = nomen__batch_step(b, d);
        step[OUT] = nomen__batch_step(out, d);
        nomen__nest_add(&job->batch, out->size[n - 3 - d]);
    }
}

/* Points begin to end, counted through the batches. */
static void run_points(void *context, int64_t begin, int64_t end) {
    const distances *job = context;
    char *scratch = job->scratch + (size_t)(begin / job->grain) * job->scratch_each;
    while (begin < end) {
        nomen__distance_args w = job->whole;
        const int64_t first = begin % w.m, left = w.m - first;
        int64_t at[NOMEN__SIDES];
        nomen__nest_find(&job->batch, begin / w.m, at);
        w.a += at[A] + first * w.a_row;
        w.b += at[B];
        w.out += at[OUT] + first * w.out_row;
        w.m = left < end - begin ? left : end - begin;
        w.first = first;
        job->kernel->run(&w, scratch);
        begin += w.m;
    }
}

/* Pairs of lists begin to end, counted through the batches; those of the nearest dim are taken
 * many at once. */
static void run_batches(void *context, int64_t begin, int64_t end) {
    const distances *job = context;
    for (int64_t count; begin < end; begin += count) {
        nomen__distance_args w = job->whole;
        int64_t at[NOMEN__SIDES];
        count = nomen__nest_run(&job->batch, begin, end, at);
        w.a += at[A];
        w.b += at[B];
        w.out += at[OUT];
        job->kernel->run_batches(&w, count, job->batch.step[0]);
    }
}

/* Are there so many pairs of short lists, or of points and one short list, which then are pairs,
 * too, that lanes have one each? */
static bool are_batches(distances *job) {
    nomen__distance_args *w = &job->whole;
    nomen__nest *n = &job->batch;
    const int longest = nomen__nest_longest(n);
    if (n->ndim && job->kernel->wants_batches(w, n->size[longest])) {
        nomen__nest_move_first(n, longest);
        return true;
    }
    nomen__distance_args one = *w;
    one.m = 1;
    if (w->n > FEW_OTHERS || !job->kernel->wants_batches(&one, w->m)) return false;
    for (int d = n->ndim++; d > 0; d--) nomen__nest_copy(n, d, d - 1);
    n->size[0] = w->m;
    n->step[0][A] = w->a_row;
    n->step[0][B] = 0;
    n->step[0][OUT] = w->out_row;
    *w = one;
    return true;
}

/* Of so many lists, each of so many points, those of a chunk. */
static int64_t grain_of(const nomen__distance_args *w, int64_t lists, int64_t points) {
    const double each = (double)points * (double)w->n * (double)(w->k ? w->k : 1);
    const double work = (double)lists * each;
    int64_t parts = CHUNKS * (int64_t)nomen_get_num_threads();
    if (work < 2.0 * CHUNK_WORK || nomen_get_num_threads() == 1) parts = 1;
    /* who wants to end it does not wait for long */
    double least = work / LONG_WORK;
    if ((double)parts < least) parts = least < (double)lists ? (int64_t)least : lists;
    int64_t grain = (lists + parts - 1) / parts;
    return grain < LEAST_ROWS ? LEAST_ROWS : grain; /* each chunk turns the others over */
}

static nomen_status run(distances *job) {
    enum { ON_STACK = 16384 };
    _Alignas(64) char near[ON_STACK];
    const nomen__distance_args *w = &job->whole;
    if (are_batches(job)) {
        const int64_t count = nomen__nest_count(&job->batch);
        return nomen__parallel_asking(count, grain_of(w, count, w->m), run_batches, job);
    }
    const int64_t points = nomen__nest_count(&job->batch) * w->m;
    job->grain = grain_of(w, points, 1);
    size_t most = job->kernel->scratch(w->k);
    /* a panel has at most WIDEST points: fewer points do not fill what the kernel could use */
    size_t enough = (size_t)(w->n + WIDEST) * (size_t)(w->k ? w->k : 1) * sizeof(double);
    job->scratch_each = ((most < enough ? most : enough) + 63) / 64 * 64;
    size_t bytes = job->scratch_each * (size_t)((points + job->grain - 1) / job->grain);
    size_t capacity = 0;
    job->scratch = bytes <= ON_STACK ? near : nomen__buffer_new(bytes, &capacity);
    if (!job->scratch) return NOMEN_ERROR_MEMORY;
    nomen_status s = nomen__parallel_asking(points, job->grain, run_points, job);
    if (job->scratch != near) nomen__buffer_free(job->scratch, capacity);
    return s;
}

nomen_status nomen__launch_distances(nomen__call *c) {
    nomen_status status = NOMEN_ERROR_MEMORY;
    if (c->out[0]->numel == 0) return NOMEN_OK;
    nomen_tensor *a = nomen__launch_input(c->in[SELF], c->compute), *b = NULL, *out = NULL;
    if (a) b = nomen__launch_input(c->in[OTHER], c->compute);
    if (b) out = nomen__launch_output(c->out[0], c->compute, false);
    if (out) {
        distances job;
        job.kernel = c->kernel->distance;
        job.whole = (nomen__distance_args){.p = 2, .pairs = of_pairs(c)};
        if (nomen__given(c, P)) job.whole.p = nomen__real_of(c->arg[P].number);
        describe(&job, a, b, out);
        status = run(&job);
    }
    status = nomen__launch_end(c->out[0], out, status);
    nomen__launch_done(c->in[SELF], a);
    nomen__launch_done(c->in[OTHER], b);
    return status;
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* What they are made of, and where they go. */
enum { X, Y, G, NORM, SLOPES, OF_SLOPES };

/* Where element number `index` of the batch dims begins. */
static char *batch_at(const nomen_tensor *t, int64_t index) {
    int64_t at = 0;
    for (int d = t->ndim - 3; d >= 0; index /= t->size[d], d--)
        at += index % t->size[d] * t->stride[d];
    return t->data + at * nomen__item(t->dtype);
}

/* Points begin to end, counted through the batches. */
static void run_slopes(void *context, int64_t begin, int64_t end) {
    const distances *job = context;
    const nomen_tensor *const *of = job->of;
    char *scratch = job->scratch + (size_t)(begin / job->grain) * job->scratch_each;
    while (begin < end) {
        nomen__distance_args w = job->whole;
        const int64_t batch = begin / w.m, first = begin % w.m, left = w.m - first;
        w.a = batch_at(of[X], batch) + first * w.a_row;
        w.b = batch_at(of[Y], batch);
        w.g = batch_at(of[G], batch) + first * w.g_row;
        w.norm = batch_at(of[NORM], batch) + first * w.norm_row;
        w.out = batch_at(of[SLOPES], batch) + first * w.out_row;
        w.m = left < end - begin ? left : end - begin;
        w.first = first;
        job->kernel->slope(&w, scratch);
        begin += w.m;
    }
}

/* Batches begin to end, many at once. */
static void run_slopes_of_batches(void *context, int64_t begin, int64_t end) {
    const distances *job = context;
    const int64_t *const step = job->step;
    nomen__distance_args w = job->whole;
    w.a = job->of[X]->data + begin * step[X];
    w.b = job->of[Y]->data + begin * step[Y];
    w.g = job->of[G]->data + begin * step[G];
    w.norm = job->of[NORM]->data + begin * step[NORM];
    w.out = job->of[SLOPES]->data + begin * step[SLOPES];
    job->kernel->slope_batches(&w, end - begin, step);
}

/* Are the batches of t one step apart, in bytes? */
static bool one_batch_step(const nomen_tensor *t, int64_t batches, int64_t *step) {
    int64_t count = 1;
    *step = 0;
    for (int d = t->ndim - 3; d >= 0; d--) {
        if (t->size[d] == 1) continue;
        if (count == 1) *step = t->stride[d];
        if (t->stride[d] != *step * count) return false;
        count *= t->size[d];
    }
    *step *= nomen__item(t->dtype);
    return count == batches || count == 1;
}

static nomen_status slopes(distances *job) {
    const nomen_tensor *out = job->of[SLOPES];
    const int64_t batches = nomen__numel_of(out->size, out->ndim - 2);
    bool steps = !job->whole.pairs && job->kernel->wants_slopes(&job->whole, batches);
    for (int k = 0; steps && k < OF_SLOPES; k++)
        steps = one_batch_step(job->of[k], batches, &job->step[k]);
    if (steps)
        return nomen__parallel_asking(batches, grain_of(&job->whole, batches, job->whole.m),
                                      run_slopes_of_batches, job);
    const int64_t points = nomen__numel_of(out->size, out->ndim - 1);
    job->grain = grain_of(&job->whole, points, 1);
    job->scratch_each = (job->kernel->slope_scratch(job->whole.k) + 63) / 64 * 64;
    size_t capacity = 0;
    const int64_t chunks = (points + job->grain - 1) / job->grain;
    job->scratch = nomen__buffer_new(job->scratch_each * (size_t)chunks, &capacity);
    if (!job->scratch) return NOMEN_ERROR_MEMORY;
    const nomen_status s = nomen__parallel_asking(points, job->grain, run_slopes, job);
    nomen__buffer_free(job->scratch, capacity);
    return s;
}

/* g and norm of one dim are those of the pairs of x, which is y too. */
nomen_tensor *nomen__distance_slopes(const nomen_tensor *x, const nomen_tensor *y,
                                     const nomen_tensor *g, const nomen_tensor *norm, double p) {
    nomen_tensor *out = nomen__tensor_empty_on(0, (nomen_dtype)x->dtype, x->ndim, x->size);
    if (!out || out->numel == 0) return out;
    const int n = x->ndim;
    distances job = {.kernel = nomen__kernel_find("distance", (nomen_dtype)x->dtype)->distance,
                     .of = {x, y, g, norm, out}};
    nomen__distance_args *w = &job.whole;
    *w = (nomen__distance_args){.m = x->size[n - 2],
                                .n = y->size[n - 2],
                                .k = x->size[n - 1],
                                .p = p,
                                .pairs = g->ndim < 2};
    steps_of(x, &w->a_row, &w->a_col);
    steps_of(y, &w->b_row, &w->b_col);
    steps_of(g, &w->g_row, &w->g_col);
    steps_of(norm, &w->norm_row, &w->norm_col);
    steps_of(out, &w->out_row, &w->out_col);
    if (w->n == 0)
        memset(out->data, 0, (size_t)(out->numel * nomen__item(out->dtype)));
    else if (slopes(&job)) {
        nomen__release(out);
        return NULL;
    }
    return out;
}
