/* Values that are put off: which operations leave a step, what a step knows of its operands, and
 * who asks for values. Running steps is in fuse_run.c. */
#include "op/fusing.h"
#include "core/forks.h"
#include "nomen/fuse.h"
#include "nomen/memory.h"
#include "op/launch.h"
#include "op/rows.gen.h"

#include <pthread.h>
#include <string.h>

_Thread_local uint16_t nomen__fusing __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nomen__fused *all; /* that are put off, the newest first */
static uint64_t takings;  /* of the lock: has anybody else had it meanwhile? */

static void take(void) {
    pthread_mutex_lock(&lock);
    takings++;
}

static void give(void) { pthread_mutex_unlock(&lock); }

/* ---- steps that go --------------------------------------------------------------------------- */

uint32_t nomen__fuse_mark(void) {
    static uint32_t last;
    return ++last;
}

static void count(int by) {
    atomic_fetch_add_explicit(&nomen__put_off.count, by, memory_order_relaxed);
}

static void unlink_step(nomen__fused *f) {
    if (f->next) f->next->previous = f->previous;
    if (f->previous)
        f->previous->next = f->next;
    else
        all = f->next;
    f->next = f->previous = NULL;
    count(-1);
}

/* With the lock held. The queue is `next`, which nobody else needs of the dead. */
static void drop(nomen__fused *f, nomen__fused **dead) {
    if (--f->refs) return;
    if (!f->made) unlink_step(f);
    f->next = *dead;
    *dead = f;
}

/* With the lock held: the steps behind the dead ones die with them. */
static void drop_all(nomen__fused **dead) {
    nomen__fused *done = NULL;
    while (*dead) {
        nomen__fused *f = *dead;
        *dead = f->next;
        for (int i = 0; i < f->nin; i++) {
            nomen__fused *step = f->in[i].step;
            f->in[i].step = NULL;
            if (step) drop(step, dead);
        }
        f->next = done;
        done = f;
    }
    *dead = done;
}

/* Without the lock: releasing memory may run the user's code. */
static void bury(nomen__fused *dead) {
    while (dead) {
        nomen__fused *f = dead;
        dead = f->next;
        for (int i = 0; i < f->nin; i++)
            if (f->in[i].storage) nomen__storage_release(f->in[i].storage);
        if (f->made && f->storage) nomen__storage_release(f->storage);
        if (f->header != f->few) nomen__free(f->header, f->room * sizeof *f->header);
        nomen__free(f, f->bytes);
    }
}

/* The storage is gone. */
static void forget(void *payload) {
    nomen__fused *dead = NULL;
    take();
    drop(payload, &dead);
    drop_all(&dead);
    give();
    bury(dead);
}

/* ---- headers --------------------------------------------------------------------------------- */

static nomen__fused *step_of(const nomen_tensor *t) { return t->storage->payload; }

static nomen_status more_room(nomen__fused *f) {
    nomen_tensor **more = nomen__alloc(2 * f->room * sizeof *more);
    if (!more) return NOMEN_ERROR_MEMORY;
    memcpy(more, f->header, f->headers * sizeof *more);
    if (f->header != f->few) nomen__free(f->header, f->room * sizeof *f->header);
    f->header = more;
    f->room *= 2;
    return NOMEN_OK;
}

/* Cannot fail for the first few: the tape's header of a result is the second. */
static nomen_status join(nomen_tensor *t) {
    take();
    nomen_status s = NOMEN_OK;
    if (t->storage->release != forget) { /* somebody was quicker */
        t->data = t->storage->data;
        t->flags &= (uint8_t)~NOMEN__AWAY;
    } else {
        nomen__fused *f = step_of(t);
        s = f->headers == f->room ? more_room(f) : NOMEN_OK;
        if (!s) f->header[f->headers++] = t;
    }
    give();
    return s;
}

static void leave(nomen_tensor *t) {
    take();
    if (t->storage->release == forget) {
        nomen__fused *f = step_of(t);
        for (uint32_t i = 0; i < f->headers; i++)
            if (f->header[i] == t) {
                f->header[i] = f->header[--f->headers];
                break;
            }
        if (!f->headers) f->storage = NULL; /* nobody else knows it */
    }
    give();
}

/* ---- asking for values ----------------------------------------------------------------------- */

/* With the lock held: the steps that are done go to *done, with a reference that was the storage's.
 */
static void collect_done(nomen__fused **done) {
    for (nomen__fused *at = all, *next; at; at = next) {
        next = at->next;
        if (!at->made) continue;
        unlink_step(at);
        at->next = *done;
        *done = at;
    }
}

/* A part of what is shared out. */
typedef struct part {
    nomen__task *task;
    void *context;
    int64_t begin;
} part;

static void run_part(void *context, int64_t begin, int64_t end) {
    const part *p = context;
    p->task(p->context, p->begin + begin, p->begin + end);
}

/* With the lock, which is given back for the question: who is asked may compute. *lost: somebody
 * has had it, so steps may not be what they were. */
static nomen_status ask(bool *lost) {
    const uint64_t before = takings;
    give();
    nomen_status s = nomen__ask();
    take();
    *lost = takings != before + 1;
    return s;
}

nomen_status nomen__fuse_share(int64_t n, int64_t grain, int64_t each, nomen__task *task,
                               void *context, bool *lost) {
    /* between questions: a moment's work, but some pieces for each thread */
    enum { ELEMENTS = 128 * NOMEN__GRAIN, EACH_THREAD = 4 };
    const int64_t pieces = EACH_THREAD * nomen_get_num_threads(), some = ELEMENTS / each / grain;
    const int64_t most = (some > pieces ? some : pieces) * grain;
    part p = {task, context, 0};
    for (; p.begin < n; p.begin += most) {
        if (p.begin && lost && nomen__ask_is_due()) {
            nomen_status s = ask(lost);
            if (s || *lost) return s;
        }
        nomen__parallel(n - p.begin < most ? n - p.begin : most, grain, run_part, &p);
        if (n - p.begin <= most) break; /* the next might overflow */
    }
    return NOMEN_OK;
}

static void run_chunk(void *context, int64_t begin, int64_t end) {
    nomen__fuse_compute(context, begin, end, NULL);
}

/* With the lock held: computes the step, and whatever on the way to it has a header, or nothing.
 * Nothing as well where *lost; NULL: nobody is asked, so that does not happen. */
static nomen_status run(nomen__fused *f, nomen__fused **done, bool *lost) {
    const nomen__op *op = f->op; /* when it was asked whether to go on f may be gone */
    nomen__fuse_program *p = nomen__fuse_program_new(f, NOMEN_DTYPE_NONE);
    if (!p) {
        nomen__error_context(op->name, "");
        return NOMEN_ERROR_MEMORY;
    }
    nomen_status s = nomen__fuse_share(f->numel, NOMEN__GRAIN, 1, run_chunk, p, lost);
    if (s)
        nomen__error_context(op->name, "");
    else if (!lost || !*lost)
        nomen__fuse_publish(p);
    nomen__fuse_program_free(p);
    collect_done(done);
    return s;
}

/* Without the lock. Steps that are done let go of what they have read; those that others read stay,
 * as the memory that they have become. */
static void settle(nomen__fused *done) {
    nomen__fused *dead = NULL;
    for (nomen__fused *f = done; f; f = f->next)
        for (int i = 0; i < f->nin; i++) {
            if (f->in[i].storage) nomen__storage_release(f->in[i].storage);
            f->in[i].storage = NULL;
        }
    if (!done) return;
    take();
    while (done) {
        nomen__fused *f = done;
        done = f->next;
        for (int i = 0; i < f->nin; i++) {
            nomen__fused *step = f->in[i].step;
            f->in[i].step = NULL;
            if (step) drop(step, &dead);
        }
        drop(f, &dead);
    }
    drop_all(&dead);
    give();
    bury(dead);
}

static nomen_status make(const nomen_tensor *t) {
    nomen__fused *done = NULL;
    nomen_status s = NOMEN_OK;
    bool lost = false;
    take();
    if (nomen__is_put_off(t)) s = run(step_of(t), &done, &lost);
    if (!s && lost && nomen__is_put_off(t)) s = run(step_of(t), &done, NULL);
    give();
    settle(done);
    return s;
}

static bool reads(const nomen__fused *f, const nomen__storage *s) {
    for (int i = 0; i < f->nin; i++) {
        const nomen__fuse_input *in = &f->in[i];
        if (in->storage == s || (in->step && in->step->made && in->step->storage == s)) return true;
    }
    return false;
}

/* With the lock held: all that somebody holds, of one owner or (NULL) of all. */
static nomen_status run_all(const void *owner, nomen__fused **done) {
    nomen_status s = NOMEN_OK;
    bool lost = false;
    for (nomen__fused *f = all; f && !s;) {
        if (!f->headers || (owner && f->owner != owner)) {
            f = f->next;
            continue;
        }
        s = run(f, done, lost ? NULL : &lost);
        f = all;
    }
    return s;
}

static nomen_status before_write(const nomen__storage *s) {
    nomen__fused *done = NULL;
    bool any = false;
    take();
    for (nomen__fused *f = all; f && !any; f = f->next) any = reads(f, s);
    nomen_status status = any ? run_all(NULL, &done) : NOMEN_OK;
    give();
    settle(done);
    return status;
}

/* ---- reductions ------------------------------------------------------------------------------ */

bool (*nomen__held_once)(const void *python);

/* Is there one reference, of a scope, or of an object that a call alone holds? That may be wrong,
 * but not twice, and costs time then and nothing else. */
static bool is_fading(const nomen_tensor *t) {
    const nomen__fused *f = step_of(t);
    return f->headers == 1 && !f->read && !f->made &&
           atomic_load_explicit(&t->refs, memory_order_acquire) == 1 &&
           atomic_load_explicit(&t->storage->refs, memory_order_acquire) == 1 &&
           (!t->python || (nomen__held_once && nomen__held_once(t->python)));
}

nomen_status nomen__fuse_open(const nomen_tensor *t, nomen_dtype as, nomen__fuse_program **p) {
    *p = NULL;
    take();
    bool reads = nomen__is_put_off(t) && is_fading(t);
    if (reads) *p = nomen__fuse_program_new(step_of(t), as);
    if (*p) {
        step_of(t)->read = true;
        return NOMEN_OK; /* with the lock */
    }
    give();
    return reads ? NOMEN_ERROR_MEMORY : NOMEN_OK;
}

void nomen__fuse_close(nomen__fuse_program *p, bool complete) {
    nomen__fused *done = NULL;
    if (complete) nomen__fuse_publish(p);
    nomen__fuse_program_free(p);
    collect_done(&done);
    give();
    settle(done);
}

/* ---- which operations ------------------------------------------------------------------------ */

/* masked_fill is a `where` whose operands have another order. */
static bool is_fill(const nomen__call *c) { return c->op->launch == nomen__launch_masked_fill; }

static bool is_pointwise(const nomen__call *c) {
    return c->op->launch == nomen__launch_elementwise || is_fill(c);
}

/* In the order of the kernel's. */
static nomen_tensor *operand(const nomen__call *c, int i) {
    return c->in[is_fill(c) ? (i + 1) % 3 : i];
}

/* Dims of the result from the innermost in memory to the outermost, without those of size 1. */
static int order_of(const nomen__call *c, const int64_t *stride, int *order) {
    int n = 0;
    for (int d = c->ndim - 1; d >= 0; d--) {
        if (c->size[d] == 1) continue;
        int at = n++;
        for (; at > 0 && stride[order[at - 1]] > stride[d]; at--) order[at] = order[at - 1];
        order[at] = d;
    }
    return n;
}

/* How t lies under the result; false: in a way that the iterator reads better. */
static bool place_input(nomen__fuse_input *in, const nomen__call *c, const nomen_tensor *t,
                        const int *order, int dims) {
    int64_t item = nomen__item(t->dtype), near = 0, least = INT64_MAX;
    in->ndim = 0;
    for (int k = 0; k < dims; k++) {
        int own = order[k] - (c->ndim - t->ndim);
        int64_t size = c->size[order[k]];
        int64_t move = own < 0 || t->size[own] == 1 ? 0 : t->stride[own] * item;
        int64_t far = move < 0 ? -move : move;
        if (k == 0) near = far;
        if (far && far < least) least = far;
        int last = in->ndim - 1;
        if (last >= 0 && move == in->move[last] * in->size[last]) {
            in->size[last] *= size;
            continue;
        }
        if (in->ndim == NOMEN__FUSE_DIMS) return false;
        in->size[in->ndim] = size;
        in->move[in->ndim++] = move;
    }
    return near <= 64 || near == least;
}

static bool take_number(nomen__fuse_input *in, const nomen_tensor *t) {
    nomen__loop *cast = nomen__cast_loop((nomen_dtype)t->dtype, (nomen_dtype)in->as);
    if (cast)
        nomen__cast_one(cast, (nomen_dtype)in->as, in->number, (nomen_dtype)t->dtype, t->data);
    else
        memcpy(in->number, t->data, (size_t)nomen__item(t->dtype));
    return t->dtype == in->as || cast;
}

static bool same_place(const nomen__fused *f, const nomen__call *c, const int64_t *stride) {
    size_t bytes = sizeof *c->size * (size_t)c->ndim;
    return f->ndim == c->ndim && !memcmp(f->size, c->size, bytes) &&
           !memcmp(f->stride, stride, bytes);
}

/* The strides that the result would have at once. */
static void strides_of(const nomen__call *c, int64_t *stride) {
    if (c->like || is_fill(c) || !nomen__result_strides(c, stride))
        nomen__contiguous_strides(c->size, c->ndim, stride);
}

/* Without operands. */
static nomen__fused *step_new(const nomen__call *c, const int64_t *stride) {
    size_t room = sizeof *stride * (size_t)c->ndim, bytes = sizeof(nomen__fused) + 2 * room;
    nomen__fused *f = nomen__alloc(bytes);
    if (!f) return NULL;
    memset(f, 0, sizeof *f);
    f->bytes = bytes;
    f->op = c->op;
    f->loop = c->kernel->loop;
    f->owner = &nomen__fusing;
    f->writes = (uint8_t)c->writes;
    f->dtype = (uint8_t)c->result[0];
    f->header = f->few;
    f->room = NOMEN_COUNT(f->few);
    f->ndim = c->ndim;
    f->size = (int64_t *)(void *)(f + 1);
    f->stride = f->size + c->ndim;
    memcpy(f->size, c->size, room);
    memcpy(f->stride, stride, room);
    f->numel = nomen__numel_of(c->size, c->ndim);
    return f;
}

/* With the lock held: how much runs when the step does, counted once. */
static uint32_t work_of(nomen__fused *f, uint32_t mark) {
    if (f->made || f->mark == mark) return 0;
    f->mark = mark;
    uint32_t sum = 1;
    for (int i = 0; i < f->nin; i++)
        sum += f->in[i].step ? work_of(f->in[i].step, mark) : f->in[i].storage != NULL;
    return sum;
}

/* With the lock held. false: this call is better done at once. */
static bool tie(nomen__fused *f, const nomen__call *c) {
    int order[NOMEN_MAX_DIMS], dims = order_of(c, f->stride, order);
    for (int i = 0; i < c->nin; i++) {
        nomen__fuse_input *in = &f->in[i];
        nomen_tensor *t = operand(c, i);
        in->as = (uint8_t)(i == 0 && c->kernel->first ? c->kernel->first : c->compute);
        in->dtype = t->dtype;
        if (nomen__is_put_off(t)) {
            if (!same_place(step_of(t), c, f->stride)) return false;
            in->step = step_of(t);
        } else {
            in->data = t->data;
            if (!(t->numel == 1 ? take_number(in, t) : place_input(in, c, t, order, dims)))
                return false;
        }
    }
    for (int i = 0; i < c->nin; i++) { /* nothing fails from here on */
        nomen__fuse_input *in = &f->in[i];
        if (in->step) in->step->refs++;
        if (in->step || operand(c, i)->numel == 1) continue;
        in->storage = operand(c, i)->storage;
        nomen__storage_retain(in->storage);
    }
    f->nin = c->nin;
    f->work = work_of(f, nomen__fuse_mark());
    return true;
}

static nomen_tensor *result_of(nomen__fused *f, const nomen__call *c) {
    int64_t numel = nomen__checked_numel(c->size, c->ndim, (size_t)nomen__item(f->dtype));
    nomen_tensor *t = numel < 0 ? NULL : nomen__tensor_new((nomen_dtype)f->dtype, c->ndim);
    if (!t) return NULL;
    size_t bytes = (size_t)(numel * nomen__item(f->dtype));
    t->storage = nomen__storage_foreign(NULL, bytes, forget, f);
    if (!t->storage) {
        nomen__release(t);
        return NULL;
    }
    memcpy(t->size, f->size, sizeof *f->size * (size_t)c->ndim);
    memcpy(t->stride, f->stride, sizeof *f->stride * (size_t)c->ndim);
    nomen__tensor_finish(t);
    t->flags |= NOMEN__AWAY;
    return t;
}

static bool may_fuse(const nomen__call *c) {
    if (!nomen__fusing || !is_pointwise(c) || c->inplace || c->target[0] || c->nout != 1 ||
        c->device || c->format || !c->kernel || !c->kernel->loop)
        return false;
    int64_t numel = 1;
    for (int d = 0; d < c->ndim; d++)
        if (__builtin_mul_overflow(numel, c->size[d], &numel)) return false;
    return numel > NOMEN__FUSE_LEAST;
}

/* Reductions read what is put off block by block, if they can; views that change nothing but names
 * are of it. */
static bool sees_to_it(const nomen__call *c) {
    return c->op->launch == nomen__launch_reduce || c->op->launch == nomen__launch_positions ||
           c->op->shape == nomen__shape_view;
}

static nomen_status make_operands(const nomen__call *c) {
    nomen_status s = NOMEN_OK;
    for (int64_t i = 0; i < c->in_count && !s; i++) s = nomen__make_ready(c->in[i]);
    for (int i = c->op->lead; i < c->op->nargs && !s; i++) {
        if (c->op->args[i].kind != NOMEN__TENSORS || !nomen__given(c, i)) continue;
        nomen_list list = c->arg[i].list;
        for (int64_t k = 0; k < list.count && !s; k++)
            if (list.at[k]) s = nomen__make_ready(list.at[k]);
    }
    for (int i = 0; c->op->primitive && i < c->nout && !s; i++)
        if (c->target[i]) s = nomen__make_ready(c->target[i]);
    return s;
}

nomen_status nomen__fuse_operands(const nomen__call *c) {
    /* a composite is made of calls that do as they like, unless it changes its operand itself */
    if (!c->op->primitive && !c->inplace) return NOMEN_OK;
    bool steps = is_pointwise(c) || sees_to_it(c);
    return nomen__fusing && steps && !c->inplace ? NOMEN_OK : make_operands(c);
}

/* Operands that do not lie under the result as they are become memory first, and all of them if the
 * run would become too long. */
static nomen_status make_some(const nomen__call *c, const int64_t *stride) {
    uint32_t work = 1 + NOMEN__MAX_IN, other = 0;
    take();
    for (int i = 0; i < c->nin; i++) {
        if (!nomen__is_put_off(c->in[i])) continue;
        work += step_of(c->in[i])->work;
        other |= !same_place(step_of(c->in[i]), c, stride) ? 1u << i : 0;
    }
    give();
    nomen_status s = NOMEN_OK;
    for (int i = 0; i < c->nin && !s; i++)
        if (work > NOMEN__FUSE_WORK || other >> i & 1) s = nomen__make_ready(c->in[i]);
    return s;
}

nomen_status nomen__fuse_call(nomen__call *c) {
    int64_t stride[NOMEN_MAX_DIMS];
    if (sees_to_it(c)) return NOMEN_OK;
    if (!may_fuse(c)) return make_operands(c);
    strides_of(c, stride);
    nomen_status s = make_some(c, stride);
    if (s) return s;
    nomen__fused *f = step_new(c, stride);
    nomen_tensor *t = f ? result_of(f, c) : NULL;
    if (!t) {
        if (f) nomen__free(f, f->bytes);
        return NOMEN_ERROR_MEMORY;
    }
    take();
    bool fits = tie(f, c);
    if (fits) {
        f->refs = 1;
        f->storage = t->storage;
        f->header[f->headers++] = t;
        f->next = all;
        if (all) all->previous = f;
        all = f;
        count(1);
    }
    give();
    if (fits) {
        c->out[0] = t;
        c->put_off = true;
        return NOMEN_OK;
    }
    t->flags &= (uint8_t)~NOMEN__AWAY;
    t->storage->release = NULL;
    nomen__release(t);
    nomen__free(f, f->bytes);
    return make_operands(c);
}

/* ---- what users say -------------------------------------------------------------------------- */

static void watch_forks(void) { nomen__watch_forks(take, give); }

void nomen__fuse_enter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!nomen__fusing++) pthread_once(&once, watch_forks);
}

nomen_status nomen__fuse_leave(bool early) {
    if (!nomen__fusing || --nomen__fusing || early) return NOMEN_OK;
    nomen__fused *done = NULL;
    take();
    nomen_status s = run_all(&nomen__fusing, &done);
    give();
    settle(done);
    return s;
}

bool nomen__fuse_left(void) {
    bool any = atomic_load_explicit(&nomen__put_off.count, memory_order_relaxed);
    if (any || !nomen__fusing) return !nomen__fusing;
    nomen__fusing--;
    return true;
}

nomen_fuse_mark nomen_fuse_begin(void) {
    nomen_fuse_mark mark = {nomen_scope_open(), 1};
    nomen__fuse_enter();
    return mark;
}

void nomen_fuse_end(nomen_fuse_mark *mark) {
    if (!mark || !mark->live) return;
    mark->live = 0;
    nomen_scope_close(&mark->scope);
    (void)nomen__fuse_leave(false);
}

__attribute__((constructor)) static void install(void) {
    nomen__put_off.make = make;
    nomen__put_off.join = join;
    nomen__put_off.leave = leave;
    nomen__put_off.before_write = before_write;
}
