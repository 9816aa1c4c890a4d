/* Launches: elementwise kernels, fills, and what all launches share. Reductions, row functions and
 * matrix products: launch_reduce.c, launch_rows.c, launch_matmul.c. */
#include "op/launch.h"
#include "op/passing.h"
#include "op/rows.gen.h"

#include <string.h>

/* For the kernels, which know nothing of threads. */
bool (*const nomen__kernel_stopped)(void) = nomen__is_stopped;
bool (*const nomen__kernel_tiles)(void) = nomen__cpu_tiles;
bool (*const nomen__kernel_pairs)(void) = nomen__cpu_pairs;

nomen_tensor *nomen__launch_converted(nomen_tensor *t, nomen_dtype dtype) {
    return nomen__copied(nomen__tensor_empty_on(t->device, dtype, t->ndim, t->size), t);
}

nomen_status nomen__launch_move(nomen_tensor *out, nomen_tensor *made, nomen_status s) {
    if (made && s == NOMEN_OK) s = nomen__copy_values(out, made);
    nomen__release(made);
    return s;
}

static void extent(const nomen_tensor *t, const char **low, const char **high) {
    int64_t down = 0, up = 0, item = nomen__item(t->dtype);
    for (int d = 0; d < t->ndim; d++) {
        int64_t reach = (t->size[d] - 1) * t->stride[d];
        *(reach < 0 ? &down : &up) += reach;
    }
    *low = t->data + down * item;
    *high = t->data + (up + 1) * item;
}

/* Memory of ours belongs to one storage; the user's may be behind several. */
static bool ours(const nomen__storage *s) { return s->capacity || s->inlined; }

bool nomen__may_overlap(const nomen_tensor *a, const nomen_tensor *b) {
    if (a->storage != b->storage && ours(a->storage) && ours(b->storage)) return false;
    if (a->numel == 0 || b->numel == 0) return false;
    if (!a->data || !b->data) return false; /* what is put off has no memory yet */
    const char *low_a, *high_a, *low_b, *high_b;
    extent(a, &low_a, &high_a);
    extent(b, &low_b, &high_b);
    return low_a < high_b && low_b < high_a;
}

/* where picks by a bool: its first operand is not of the dtype that it computes in. */
static nomen_status launch_mixed(nomen__call *c) {
    nomen_dtype dtypes[NOMEN__MAX_IN + 1] = {c->writes, c->kernel->first};
    for (int i = 1; i < c->nin; i++) dtypes[i + 1] = c->compute;
    nomen__iter it;
    nomen__iter_make_mixed(&it, c->kernel->loop, c->out[0], c->in, c->nin, c->out[0]->ndim,
                           c->out[0]->size, dtypes);
    if (!it.simple) nomen__iter_by_lines(&it, NULL);
    return nomen__iter_run_asking(&it);
}

/* A comparison whose result has the dtype of its operands, as in place, has a loop that writes it
 * for most of them. */
static nomen__loop *own_loop(const nomen__call *c) {
    const nomen__kernel *k = nomen__kernel_writing(c->kernel->name, c->compute, c->compute);
    return k ? k->loop : NULL;
}

/* Inputs of another dtype that are met again and again are converted once. Where there is no memory
 * for that they are converted as they come. How many there are, in `held`. */
static NOMEN_NOINLINE int convert_repeated(nomen__call *c, nomen_tensor *held[NOMEN__MAX_IN]) {
    enum { TIMES = 4 };
    int count = 0;
    for (int k = 0; k < c->nin; k++) {
        nomen_tensor *const t = c->in[k];
        held[k] = NULL;
        const bool other = t->dtype != (uint32_t)c->compute && t->numel > 1;
        if (!other || t->numel > c->out[0]->numel / TIMES) continue;
        nomen_tensor *const own = nomen__launch_converted(t, c->compute);
        if (!own) {
            nomen__error_drop();
            continue;
        }
        held[k] = t;
        c->in[k] = own;
        count++;
    }
    return count;
}

static void put_back(nomen__call *c, nomen_tensor *const held[NOMEN__MAX_IN]) {
    for (int k = 0; k < c->nin; k++) {
        if (!held[k]) continue;
        nomen__release(c->in[k]);
        c->in[k] = held[k];
    }
}

static nomen_status launch_as_is(nomen__call *c) {
    const bool own = c->writes == NOMEN_BOOL && c->out[0]->dtype == (uint32_t)c->compute &&
                     c->compute != NOMEN_BOOL;
    nomen__loop *const writes_own = NOMEN_UNLIKELY(own) ? own_loop(c) : NULL;
    nomen__iter it;
    nomen__iter_make(&it, writes_own ? writes_own : c->kernel->loop, c->out[0], c->in, c->nin,
                     c->out[0]->ndim, c->out[0]->size, c->compute,
                     writes_own ? c->compute : c->writes);
    const uint32_t alone = nomen__alone_of(c->op, c->compute);
    if (NOMEN_UNLIKELY(alone != NOMEN__ALONE)) nomen__iter_alone(&it, alone);
    if (!it.simple) nomen__iter_by_lines(&it, writes_own ? NULL : c->kernel->lines);
    return nomen__iter_run_asking(&it);
}

nomen_status nomen__launch_elementwise(nomen__call *c) {
    if (NOMEN_UNLIKELY(c->kernel->first)) return launch_mixed(c);
    nomen_tensor *held[NOMEN__MAX_IN];
    bool mixed = false; /* a lone input is met once */
    for (int k = 0; c->nin > 1 && k < c->nin; k++) mixed |= c->in[k]->dtype != (uint32_t)c->compute;
    if (NOMEN_LIKELY(!mixed) || !convert_repeated(c, held)) return launch_as_is(c);
    const nomen_status s = launch_as_is(c);
    put_back(c, held);
    return s;
}

nomen_status nomen__launch_ones(const nomen__call *c, nomen__of_one of_one, nomen_tensor *in,
                                nomen_tensor *const out[2], bool places) {
    static const char *const names[] = {[NOMEN__TRUTH] = "ne",
                                        [NOMEN__PLUS_ZERO] = "add",
                                        [NOMEN__SIZE] = "abs",
                                        [NOMEN__TIMES_ONE] = "mul"};
    const nomen_number first = {NOMEN_NUMBER_INT, 0, 0, 0};
    nomen_status s = NOMEN_OK;
    const bool truth = of_one == NOMEN__TRUTH && c->writes != NOMEN_BOOL;
    if (of_one > NOMEN__TRUTH || truth) {
        const bool times = of_one == NOMEN__TIMES_ONE, narrow = c->compute == NOMEN_C64;
        float one[2] = {(float)times, 0};
        double second[2] = {times, 0}; /* zero is all bits zero in every dtype */
        nomen_tensor number;
        nomen__pass_number(&number, c->compute, narrow ? (void *)one : (void *)second);
        nomen__iter it;
        nomen__iter_make(&it, nomen__kernel_find(names[of_one], c->compute)->loop, out[0],
                         (nomen_tensor *[]){in, &number}, of_one == NOMEN__SIZE ? 1 : 2, in->ndim,
                         in->size, c->compute, truth ? NOMEN_BOOL : c->writes);
        s = nomen__iter_run_asking(&it);
    } else if (out[0]) {
        s = nomen__copy_values(out[0], in);
    }
    if (s || !out[1]) return s;
    return places ? nomen__fill_values(out[1], &first) : nomen__copy_values(out[1], in);
}

/* The dims along which t is the same again and again (expand), but for those in `besides`. */
static uint64_t expanded_dims(const nomen_tensor *t, uint64_t besides) {
    uint64_t dims = 0;
    for (int d = 0; d < t->ndim; d++)
        if (t->stride[d] == 0 && t->size[d] > 1) dims |= UINT64_C(1) << d;
    return dims & ~besides;
}

nomen_tensor *nomen__folded(nomen_tensor *t, int keep) {
    const uint64_t dims = expanded_dims(t, keep < 0 ? 0 : UINT64_C(1) << keep);
    if (!dims) return nomen__retain(t);
    nomen__map map;
    nomen__map_identity(t, &map);
    for (int d = 0; d < t->ndim; d++)
        if (dims >> d & 1) map.size[d] = 1;
    return nomen__map_apply(t, &map);
}

uint64_t nomen__repeated_dims(const nomen_tensor *in, uint64_t along, int64_t times) {
    enum { WORTH = 512 }; /* elements that need not be worked on, for another call and a copy */
    const uint64_t repeated = expanded_dims(in, along);
    int64_t left = in->numel;
    for (int d = 0; d < in->ndim; d++)
        if (repeated >> d & 1) left /= in->size[d];
    return in->numel - left < WORTH || in->numel < times * left ? 0 : repeated;
}

/* t with one of each of those dims of the input; it may lack the dims in `along`. */
static nomen_tensor *one_of_each(nomen__layout *view, const nomen_tensor *t, const nomen_tensor *in,
                                 uint64_t along, uint64_t repeated) {
    nomen_tensor *const v = nomen__lay_alike(view, t);
    for (int d = 0, at = 0; d < in->ndim; d++) {
        if (t->ndim < in->ndim && along >> d & 1) continue;
        if (repeated >> d & 1) v->size[at] = 1;
        at++;
    }
    nomen__tensor_finish(v);
    return v;
}

/* All that t has along dims of size 1 is also what it has there along those of wide. */
static nomen_tensor *as_wide_as(nomen__layout *view, const nomen_tensor *t,
                                const nomen_tensor *wide) {
    nomen_tensor *const v = nomen__lay_alike(view, t);
    for (int d = 0; d < v->ndim; d++) {
        if (v->size[d] == wide->size[d]) continue;
        v->size[d] = wide->size[d];
        v->stride[d] = 0;
    }
    nomen__tensor_finish(v);
    return v;
}

nomen_status nomen__launch_once(nomen__call *c, uint64_t along, uint64_t repeated) {
    nomen__layout view;
    nomen_tensor *const in = c->in[0], *out[NOMEN__MAX_OUT] = {NULL};
    nomen_status s = NOMEN_OK;
    for (int k = 0; k < c->nout; k++) {
        if (c->skip[k] || !c->out[k]) continue;
        out[k] = c->out[k];
        const nomen_tensor *const some = one_of_each(&view, out[k], in, along, repeated);
        c->out[k] = nomen__tensor_empty((nomen_dtype)some->dtype, some->ndim, some->size);
        if (!c->out[k]) s = NOMEN_ERROR_MEMORY;
    }
    c->in[0] = one_of_each(&view, in, in, along, repeated);
    if (!s) s = c->op->launch(c);
    c->in[0] = in;
    for (int k = 0; k < c->nout; k++) {
        if (!out[k]) continue;
        nomen_tensor *const made = c->out[k];
        c->out[k] = out[k];
        if (!s) s = nomen__copy_values(out[k], as_wide_as(&view, made, out[k]));
        nomen__release(made);
    }
    return s;
}

/* Zero is all bits zero in every dtype. */
nomen_status nomen__launch_zero(nomen__call *c) {
    nomen_tensor *t = c->out[0];
    const nomen_number zero = {NOMEN_NUMBER_INT, 0, 0, 0};
    size_t bytes = (size_t)(t->numel * nomen__item(t->dtype));
    if (t->flags & NOMEN__CONTIGUOUS && bytes <= NOMEN__GRAIN && !t->device) {
        if (bytes) memset(t->data, 0, bytes);
        return NOMEN_OK;
    }
    nomen_tensor *part = nomen__folded(t, -1);
    nomen_status s = part ? nomen__fill_values(part, &zero) : NOMEN_ERROR_MEMORY;
    nomen__release(part);
    return s;
}

nomen_status nomen__launch_one(nomen__call *c) {
    const nomen_number one = {NOMEN_NUMBER_INT, 1, 0, 0};
    return nomen__fill_values(c->out[0], &one);
}

nomen_status nomen__launch_nothing(nomen__call *c) {
    (void)c;
    return NOMEN_OK;
}
