/* Words of the table: how new tensors are filled; with random numbers in draw.c. */
#include "op/launch.h"
#include "op/op.h"
#include "op/rows.gen.h"

#include <math.h>
#include <stdalign.h>

nomen_status nomen__launch_fill(nomen__call *c) {
    return nomen__fill_values(c->out[0], c->arg[nomen__arg_of(c->op, NOMEN__NUMBER)].number);
}

/* ---- arange ---------------------------------------------------------------------------------- */

typedef struct range {
    bool integers;
    int64_t start_i, step_i;
    double start, step;
    int64_t count;
} range;

static bool in_int64(double x) { return x >= -0x1p63 && x < 0x1p63; }

/* Integers of fractions go in whole steps from a whole start; as many as the fractions say, but in
 * int64 as many as whole numbers say. */
static nomen_status whole_range(range *r, double stop, bool wide) {
    if (!in_int64(r->start) || !in_int64(r->step) || !in_int64(stop))
        return nomen__fail(NOMEN_ERROR_DTYPE, "value cannot be converted to type int64 without "
                                              "overflow");
    r->integers = true;
    r->start_i = (int64_t)r->start;
    r->step_i = (int64_t)r->step;
    if (!wide) return NOMEN_OK;
    if (!r->step_i) return nomen__fail(NOMEN_ERROR_STATE, "step must be nonzero");
    double count = ceil((trunc(stop) - trunc(r->start)) / (double)r->step_i);
    r->count = count > 0 ? (int64_t)count : 0;
    return NOMEN_OK;
}

/* arange(end), arange(start, end), arange(start, end, step): the first of one is the end. */
static nomen_status read_range(const nomen__call *c, range *r) {
    static const nomen_number zero = {NOMEN_NUMBER_INT, 0, 0, 0}, one = {NOMEN_NUMBER_INT, 1, 0, 0};
    const nomen_number *start = nomen__given(c, 1) ? c->arg[1].number : &zero;
    const nomen_number *end = nomen__given(c, 2) ? c->arg[2].number : NULL;
    const nomen_number *step = nomen__given(c, 3) ? c->arg[3].number : &one;
    if (!end) {
        if (!nomen__given(c, 1))
            return nomen__fail(NOMEN_ERROR_TYPE, "arange() needs at least an end");
        end = start;
        start = &zero;
    }
    if (start->kind == NOMEN_NUMBER_COMPLEX || end->kind == NOMEN_NUMBER_COMPLEX ||
        step->kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE, "arange() takes real numbers only");
    r->start = nomen__real_of(start);
    r->step = nomen__real_of(step);
    double stop = nomen__real_of(end);
    if (!isfinite(r->start) || !isfinite(stop) || !isfinite(r->step))
        return nomen__fail(NOMEN_ERROR_STATE, "unsupported range: %g -> %g", r->start, stop);
    if (r->step == 0) return nomen__fail(NOMEN_ERROR_STATE, "step must be nonzero");
    r->integers = start->kind != NOMEN_NUMBER_FLOAT && end->kind != NOMEN_NUMBER_FLOAT &&
                  step->kind != NOMEN_NUMBER_FLOAT;
    /* Integers by themselves: neighbours beyond 2^53 are one double. */
    const bool below = r->integers ? end->i < start->i : stop < r->start;
    const bool above = r->integers ? end->i > start->i : stop > r->start;
    if (r->step > 0 ? below : above)
        return nomen__fail(NOMEN_ERROR_STATE,
                           "upper bound and larger bound inconsistent with step sign");
    double count = ceil((stop - r->start) / r->step);
    if (r->integers) {
        r->start_i = start->i;
        r->step_i = step->i;
        /* The way from start to end, which may be longer than an int64 can say. */
        const bool up = step->i > 0;
        const uint64_t from = (uint64_t)start->i, to = (uint64_t)end->i, by = (uint64_t)step->i;
        const uint64_t span = up ? to - from : from - to, length = up ? by : 0 - by;
        const uint64_t n = span / length + (span % length != 0);
        count = n > INT64_MAX / 16 ? 1e19 : (double)n;
        r->count = n > INT64_MAX / 16 ? 0 : (int64_t)n;
    }
    if (count > 5e17)
        return nomen__fail(NOMEN_ERROR_SHAPE, "arange() of %g elements is too large", count);
    if (r->integers) return NOMEN_OK;
    r->count = (int64_t)count;
    return nomen_dtype_is_integral(c->compute) ? whole_range(r, stop, c->compute == NOMEN_I64)
                                               : NOMEN_OK;
}

nomen_status nomen__shape_range(nomen__call *c) {
    range r = {0};
    nomen_status s = read_range(c, &r);
    c->ndim = 1;
    c->size[0] = s ? 0 : r.count;
    return s;
}

typedef struct range_job {
    const range *r;
    char *to;
    int64_t to_step;
    nomen__loop *ramp;
    nomen__loop *loop; /* NULL: the result has the dtype that is counted in, and no holes */
} range_job;

/* n numbers of one kind, from number `first` on. Integers are unsigned, as the way from one end to
 * the other may be longer than an int64. */
static void count_on(const range_job *job, int64_t first, int64_t n, char *at) {
    const range *r = job->r;
    double numbers[3] = {r->start, -(double)first, r->step};
    uint64_t by = (uint64_t)r->step_i,
             integers[2] = {(uint64_t)r->start_i + (uint64_t)first * by, by};
    char *given = r->integers ? (char *)integers : (char *)numbers;
    job->ramp((char *const[2]){at, given}, NULL, n);
}

enum { COUNTED = 512 };

static void range_chunk(void *context, int64_t begin, int64_t end) {
    const range_job *job = context;
    alignas(8) char block[COUNTED * 8];
    for (int64_t n; begin < end; begin += n) {
        n = end - begin < COUNTED ? end - begin : COUNTED;
        char *to = job->to + begin * job->to_step;
        char *at = job->loop ? block : to;
        count_on(job, begin, n, at);
        if (!job->loop) continue;
        char *const move[2] = {to, at};
        job->loop(move, (const int64_t[2]){job->to_step, 8}, n);
    }
}

nomen_status nomen__launch_range(nomen__call *c) {
    range r = {0};
    nomen_status s = read_range(c, &r);
    if (s) return s;
    const nomen_tensor *t = c->out[0]; /* on the CPU: others get what was made there */
    const nomen_dtype wide = r.integers ? NOMEN_I64 : NOMEN_F64, to = (nomen_dtype)t->dtype;
    range_job job = {&r, t->data, t->stride[0] * nomen__item(t->dtype),
                     nomen__kernel_find("ramp", wide)->loop, NULL};
    if (to != wide)
        job.loop = nomen__cast_loop(wide, to);
    else if (!(t->flags & NOMEN__CONTIGUOUS))
        job.loop = nomen__copy_loop(to);
    return nomen__parallel_asking(r.count, NOMEN__GRAIN, range_chunk, &job);
}
