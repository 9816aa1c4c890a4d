/* The walk back through the tape: nodes in order from the results to the leaves, formulas, sums of
 * gradients. Nothing is written into a leaf before everything that can fail is done. */
#include "autograd/backward.h"
#include "autograd/formulas.h"
#include "autograd/pending.h"
#include "autograd/piecewise.h"
#include "autograd/tape.h"
#include "core/forks.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"
#include "op/rows.gen.h"

#include <pthread.h>
#include <string.h>

typedef struct task {
    nomen__pending pending; /* gradients on their way, by node */
    nomen__heap heap;       /* nodes that have one, the latest first */
    nomen__pending
        needed; /* of a walk to chosen inputs: the nodes that lead there, the inputs marked */
    nomen__path roots;
    bool chosen, retain_graph, create_graph;
    bool keep; /* leaves add up what arrives; otherwise it stays in `needed` for the caller */
} task;

/* ---- formulas -------------------------------------------------------------------------------- */

bool nomen__b_given(const nomen__backward *b, int arg) { return b->node->given >> arg & 1; }

nomen_number nomen__b_number(const nomen__backward *b, int arg) {
    const nomen__slot *slot = nomen__node_slot(b->node, arg);
    return slot ? slot->number : (nomen_number){.kind = NOMEN_ABSENT};
}

int64_t nomen__b_int(const nomen__backward *b, int arg) {
    const nomen__slot *slot = nomen__node_slot(b->node, arg);
    return slot ? slot->integer : 0;
}

bool nomen__b_flag(const nomen__backward *b, int arg) {
    const nomen__slot *slot = nomen__node_slot(b->node, arg);
    return slot && slot->flag;
}

const char *nomen__b_text(const nomen__backward *b, int arg) {
    const nomen__slot *slot = nomen__node_slot(b->node, arg);
    return slot ? slot->text : NULL;
}

int nomen__b_dim(const nomen__backward *b) { return b->node->dim; }

uint64_t nomen__b_mask(const nomen__backward *b) { return b->node->mask; }

nomen_tensor *nomen__g_zero(nomen__backward *b) {
    b->zero = true;
    return NULL;
}

nomen_tensor *nomen__g_whole(nomen__backward *b) {
    b->whole = true;
    return NULL;
}

/* ---- saved tensors --------------------------------------------------------------------------- */

static nomen_status check_version(const nomen__node *n, const nomen__saved *s, int input) {
    uint32_t now = atomic_load_explicit(&s->tensor->storage->version, memory_order_relaxed);
    if (now == s->version) return NOMEN_OK;
    NOMEN__TEXT(what, 256);
    nomen__text_tensor(&what, s->tensor, true);
    char which[32] = "the result";
    nomen__text text = {which, sizeof which, 0};
    if (input >= 0) nomen__text_add(&text, "operand %d", input);
    return nomen__fail(
        NOMEN_ERROR_GRAD,
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation: %s, "
        "%s of %s, is at version %u; expected version %u instead. Clone it before it is changed.",
        what.at, which, n->op->name, (unsigned)now, (unsigned)s->version);
}

/* As the formula is to see it: connected to the graph when gradients are recorded. */
static nomen_tensor *unpack(const nomen__saved *s, nomen__node *source) {
    if (!nomen__grad_enabled || !source || !nomen__differentiable(s->tensor->dtype))
        return s->tensor;
    nomen_tensor *t = nomen__tensor_alias(s->tensor);
    if (t) nomen__attach(t, nomen__node_retain(source));
    return nomen__scoped(t);
}

static nomen_status unpack_all(nomen__backward *b, nomen__node *n) {
    uint32_t k = 0;
    for (int i = 0; i < NOMEN__MAX_IN; i++) {
        if (!(n->save >> i & 1)) continue;
        nomen_status s = check_version(n, &n->saved[k], i);
        if (s) return s;
        b->in[i] = unpack(&n->saved[k++], n->edge[i]);
        if (!b->in[i]) return NOMEN_ERROR_MEMORY;
    }
    if (n->save & NOMEN__SAVE_SECOND) {
        nomen_status s = check_version(n, &n->saved[k], -1);
        if (s) return s;
        b->second = n->saved[k++].tensor;
    }
    if (n->save & NOMEN__SAVE_RESULT) {
        nomen_status s = check_version(n, &n->saved[k], -1);
        if (s) return s;
        b->result = unpack(&n->saved[k], n);
        if (!b->result) return NOMEN_ERROR_MEMORY;
    }
    return NOMEN_OK;
}

static nomen_status begin_formulas(nomen__backward *b, nomen__node *n, nomen_tensor *g) {
    memset(b, 0, sizeof *b);
    b->g = g;
    b->node = n;
    if (n->used)
        return nomen__fail(NOMEN_ERROR_GRAD,
                           "Trying to backward through the graph a second time: the values that %s "
                           "saved were freed by the "
                           "first time. Say retain_graph=True there to keep them.",
                           n->op->name);
    return unpack_all(b, n);
}

static nomen_tensor *formula(nomen__backward *b, const nomen__node *n, int input, bool *failed) {
    const nomen__node *to = n->edge[input]; /* nobody asks for what leads nowhere */
    b->zero = b->part = b->whole = false;
    b->ndim = to->ndim;
    b->size = to->size;
    nomen__gradient *of = n->second ? n->op->grad_second : n->op->grad;
    if (!of) return NULL;
    nomen_tensor *r = NULL;
    *failed = !n->second && nomen__in_pieces(b, of, input, (nomen_dtype)to->dtype, &r);
    if (r || *failed) return r;
    b->whole = false;
    r = of(b, input);
    *failed = !r && !b->zero && nomen__error_pending();
    return r;
}

nomen_tensor *nomen__node_gradient(nomen__node *n, nomen_tensor *g, int input, bool *failed) {
    nomen__backward b;
    *failed = begin_formulas(&b, n, g) != NOMEN_OK;
    return *failed ? NULL : formula(&b, n, input, failed);
}

/* Sizes and dtype of the tensor that the gradient belongs to, no names. */
static nomen_tensor *conform(nomen_tensor *r, const nomen__node *to) {
    if (r->ndim != to->ndim || memcmp(r->size, to->size, sizeof *r->size * r->ndim) != 0)
        r = nomen__sum_to(r, to->ndim, to->size);
    if (r && r->dtype != to->dtype) r = nomen_cast(r, .dtype = (nomen_dtype)to->dtype);
    if (r && NOMEN_UNLIKELY(r->device != to->device))
        r = nomen_to_device(r, nomen__device_name(to->device));
    if (r && nomen__is_named(r)) r = nomen__scoped(nomen__twin(r));
    return r;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* May we write into it? A device adds into nothing: its kernels may fail. */
static bool ours(const nomen_tensor *t) {
    if (atomic_load_explicit(&t->refs, memory_order_acquire) != 1 || t->grad || t->base)
        return false;
    const nomen__storage *s = t->storage;
    return atomic_load_explicit(&s->refs, memory_order_acquire) == 1 && !s->readonly &&
           (!s->release || nomen__is_put_off(t));
}

static bool contiguous(const nomen_tensor *t) { return t->flags & NOMEN__CONTIGUOUS; }

void nomen__add_into(nomen_tensor *a, nomen_tensor *b) {
    const nomen__op *add = &nomen__ops[NOMEN__OP_ADD];
    const nomen__kernel *kernel = nomen__op_kernel(add, add->kernel, (nomen_dtype)a->dtype);
    nomen_tensor *in[] = {a, b};
    nomen__iter it;
    nomen__iter_make(&it, kernel->loop, a, in, 2, a->ndim, a->size, (nomen_dtype)a->dtype,
                     (nomen_dtype)a->dtype);
    nomen__iter_run(&it);
    nomen__written(a->storage);
}

/* One reference, outside all scopes. */
static nomen_tensor *sum_of(nomen_tensor *a, nomen_tensor *b) {
    nomen__call c;
    nomen__call_begin(&c, &nomen__ops[NOMEN__OP_ADD]);
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    c.given = 3;
    return nomen__invoke(&c) ? NULL : c.out[0];
}

/* Takes the reference of g. */
static nomen_status deliver(task *t, nomen__node *to, nomen_tensor *g) {
    nomen__entry *e = nomen__pending_find(&t->pending, to);
    if (!e) {
        if (to->kind != NOMEN__LEAF && !nomen__heap_push(&t->heap, to)) goto failed;
        e = nomen__pending_add(&t->pending, to);
        if (!e) goto failed;
        e->grad = g;
        return NOMEN_OK;
    }
    bool at_once = !nomen__grad_enabled && !nomen__is_put_off(g) && !nomen__is_put_off(e->grad);
    if (at_once && ours(e->grad) && contiguous(e->grad)) {
        nomen__add_into(e->grad, g);
    } else if (at_once && ours(g) && contiguous(g)) {
        nomen__add_into(g, e->grad);
        nomen_tensor *old = e->grad;
        e->grad = g;
        g = old;
    } else {
        nomen_tensor *sum = sum_of(e->grad, g);
        if (!sum) goto failed;
        nomen__release(e->grad);
        e->grad = sum;
    }
    nomen__release(g);
    return NOMEN_OK;
failed:
    nomen__release(g);
    return NOMEN_ERROR_MEMORY;
}

/* ---- one node -------------------------------------------------------------------------------- */

/* Two walks may add to one gradient at the same time. Nothing of the user's runs under it, and
 * nothing is freed. */
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static void lock_adding(void) { pthread_mutex_lock(&adding); }

static void unlock_adding(void) { pthread_mutex_unlock(&adding); }

__attribute__((constructor)) static void watch_forks(void) {
    nomen__watch_forks(lock_adding, unlock_adding);
}

/* The gradient that n holds, with a reference: another walk may be about to put a new one in its
 * place. */
static nomen_tensor *held_gradient(const nomen__node *n) {
    lock_adding();
    nomen_tensor *held = nomen__retain(n->grad);
    unlock_adding();
    return held;
}

/* Adds it up over several walks, as those of leaves are. */
static nomen_tensor *sum_to_keep(const nomen__node *n, nomen_tensor *g) {
    nomen_tensor *before = n->grad ? nomen__twin(n->grad) : NULL;
    if (n->grad && !before) return NULL;
    /* Without history, unless that is asked for: g may be the caller's and come from n itself. */
    nomen_tensor *kept = before                ? sum_of(before, g)
                         : nomen__grad_enabled ? nomen__twin(g)
                                               : nomen__tensor_alias(g);
    nomen__release(before);
    if (kept) nomen__set_names(kept, n->named ? n->names : NULL);
    return kept;
}

static nomen_status keep_gradient(nomen__node *n, nomen_tensor *g) {
    nomen_tensor *held = held_gradient(n);
    nomen_status s = nomen__make_ready(g); /* not under the lock, see make_leaf_ready */
    if (held && !s) s = nomen__make_ready(held);
    nomen__release(held);
    if (s) return s;
    const bool quiet = nomen__ask_nothing(true);
    lock_adding();
    nomen_tensor *kept = sum_to_keep(n, g), *old = kept ? n->grad : NULL;
    if (kept) n->grad = kept;
    unlock_adding();
    nomen__ask_nothing(quiet);
    nomen__release(old);
    return kept ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static bool is_needed(const task *t, const nomen__node *n) {
    if (!n) return false;
    /* find_needed has seen all that can be reached */
    return !t->chosen || nomen__pending_find(&t->needed, n)->needed;
}

/* The gradients of the inputs, one reference each, outside of the scope that the formulas work in.
 */
static nomen_status run_formulas(task *t, nomen__node *n, nomen_tensor *g, nomen_tensor **result) {
    nomen_scope_mark scope = nomen_scope_open();
    nomen__backward b;
    nomen_status s = scope.depth < 0 ? NOMEN_ERROR_MEMORY : begin_formulas(&b, n, g);
    for (uint32_t i = 0; i < n->nin && !s; i++) {
        if (!is_needed(t, n->edge[i])) continue;
        bool failed = false;
        nomen_tensor *r = formula(&b, n, (int)i, &failed);
        if (r) {
            r = conform(r, n->edge[i]);
            failed = !r;
        }
        if (failed)
            s = NOMEN_ERROR_GRAD;
        else
            result[i] = nomen__retain(r);
    }
    nomen_scope_close(&scope);
    return s;
}

/* The gradient that is on its way to what n is a view of, if the view's can be added to a part of
 * it: so many views of one tensor cost what their elements cost. NULL: the formula makes one. */
static nomen_tensor *sum_around(task *t, const nomen__node *n, const nomen_tensor *g) {
    if (n->op->shape != nomen__shape_view || nomen__grad_enabled || n->used) return NULL;
    nomen__node *to = n->edge[0];
    nomen__entry *e = is_needed(t, to) ? nomen__pending_find(&t->pending, to) : NULL;
    if (!e || !ours(e->grad) || !contiguous(e->grad) || e->grad->device || g->device ||
        nomen__is_put_off(e->grad) || nomen__is_put_off(g) || g->dtype != e->grad->dtype ||
        nomen__map_shows_all(&n->map, to->size))
        return NULL;
    return e->grad;
}

static nomen_status add_around(const task *t, nomen__node *n, nomen_tensor *sum, nomen_tensor *g) {
    nomen_scope_mark scope = nomen_scope_open();
    nomen_status s = scope.depth < 0 ? NOMEN_ERROR_MEMORY : nomen__map_add(sum, g, &n->map);
    nomen_scope_close(&scope);
    nomen__release(g);
    if (!s && !t->retain_graph) nomen__node_drop_saved(n);
    return s;
}

static nomen_status pass_on(task *t, nomen__node *n, nomen_tensor *g) {
    nomen_tensor *sum = sum_around(t, n, g);
    if (sum) return add_around(t, n, sum, g);
    nomen_tensor *few[8] = {NULL}, **result = few;
    if (n->nin > NOMEN_COUNT(few)) result = nomen__calloc(n->nin, sizeof *result);
    if (!result) {
        nomen__release(g);
        return NOMEN_ERROR_MEMORY;
    }
    nomen_status s = run_formulas(t, n, g, result);
    /* From here on nobody but those who got it holds the gradient. */
    nomen__release(g);
    for (uint32_t i = 0; i < n->nin; i++) {
        if (!result[i]) continue;
        if (s)
            nomen__release(result[i]);
        else
            s = deliver(t, n->edge[i], result[i]);
    }
    if (result != few) nomen__free(result, n->nin * sizeof *result);
    if (!s && !t->retain_graph) nomen__node_drop_saved(n);
    return s;
}

/* Takes the reference of g. */
static nomen_status visit(task *t, nomen__node *n, nomen_tensor *g) {
    nomen_status s = n->hooks ? nomen__hooks_run(n, &g) : NOMEN_OK;
    nomen__entry *chosen = t->chosen ? nomen__pending_find(&t->needed, n) : NULL;
    bool wanted = n->retain || (chosen && chosen->target);
    if (!s && wanted && t->keep) s = keep_gradient(n, g);
    if (!s && chosen) {
        if (chosen->target) chosen->grad = nomen__retain(g);
        if (!chosen->passes) {
            nomen__release(g);
            return s;
        }
    }
    if (s) {
        nomen__release(g);
        return s;
    }
    return pass_on(t, n, g);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static bool can_add_into(const nomen_tensor *sum, const nomen_tensor *g) {
    if (sum->device || sum->dtype != g->dtype || sum->ndim != g->ndim || sum->storage->readonly ||
        sum->grad)
        return false;
    for (int d = 0; d < g->ndim; d++)
        if (sum->size[d] != g->size[d] || (sum->stride[d] == 0 && sum->size[d] > 1)) return false;
    return true;
}

/* e->grad becomes what the leaf is to hold, or what is to be added to it (then e->adds). */
static nomen_status prepare_leaf(nomen__entry *e) {
    nomen__node *leaf = e->node;
    nomen_tensor *g = e->grad, *fresh;
    e->adds = false;
    if (leaf->grad) {
        e->adds = !nomen__grad_enabled && can_add_into(leaf->grad, g);
        if (e->adds) return NOMEN_OK;
        nomen_tensor *before = nomen__twin(leaf->grad);
        if (!before) return NOMEN_ERROR_MEMORY;
        fresh = sum_of(before, g);
        nomen__release(before);
    } else if (ours(g) && contiguous(g)) {
        fresh = nomen__retain(g);
    } else if (nomen__grad_enabled) {
        fresh = nomen__twin(g);
    } else {
        fresh = nomen__tensor_empty_on(g->device, (nomen_dtype)g->dtype, g->ndim, g->size);
        if (fresh && nomen__copy_values(fresh, g)) {
            nomen__release(fresh);
            fresh = NULL;
        }
    }
    if (!fresh) return NOMEN_ERROR_MEMORY;
    if (leaf->named) nomen__set_names(fresh, leaf->names);
    e->result = fresh;
    return NOMEN_OK;
}

static void commit_leaf(nomen__entry *e) {
    nomen__node *leaf = e->node;
    if (e->adds) {
        nomen__add_into(leaf->grad, e->grad);
        return;
    }
    nomen_tensor *old = leaf->grad;
    leaf->grad = e->result;
    e->result = old; /* released when the lock is open */
}

/* Of what is left when the walk is over: leaves. */
static bool wanted(const task *t, const nomen__entry *e) { return is_needed(t, e->node); }

/* Values that are put off are computed before the lock is taken: what is let go of then may run the
 * user's code. */
static nomen_status make_leaf_ready(const nomen__entry *e) {
    const nomen_tensor *g = e->grad;
    nomen_tensor *sum = held_gradient(e->node);
    if (!sum && ours(g) && contiguous(g)) return NOMEN_OK;
    nomen_status s = nomen__make_ready(g);
    if (sum && !s) s = nomen__make_ready(sum);
    if (sum && !s && !sum->device) s = nomen__before_write(sum->storage);
    nomen__release(sum);
    return s;
}

static nomen_status finish_leaves(task *t) {
    nomen_status s = NOMEN_OK;
    nomen__pending *p = &t->pending;
    for (size_t i = 0; i < p->room && !s; i++) {
        nomen__entry *e = &p->at[i];
        if (!e->node || !wanted(t, e)) continue;
        if (e->node->hooks) s = nomen__hooks_run(e->node, &e->grad);
        if (!s) s = make_leaf_ready(e);
        if (s || !t->chosen) continue;
        if (!t->keep) nomen__pending_find(&t->needed, e->node)->grad = nomen__retain(e->grad);
    }
    if (s || !t->keep) return s;
    bool quiet = nomen__ask_nothing(true);
    lock_adding();
    for (size_t i = 0; i < p->room && !s; i++)
        if (p->at[i].node && wanted(t, &p->at[i])) s = prepare_leaf(&p->at[i]);
    for (size_t i = 0; i < p->room && !s; i++)
        if (p->at[i].node && wanted(t, &p->at[i])) commit_leaf(&p->at[i]);
    unlock_adding();
    nomen__ask_nothing(quiet);
    for (size_t i = 0; i < p->room; i++) {
        nomen_tensor *old = p->at[i].result;
        p->at[i].result = NULL;
        nomen__release(old);
    }
    for (size_t i = 0; i < p->room && !s; i++)
        if (p->at[i].node && wanted(t, &p->at[i]) && p->at[i].node->hooks)
            s = nomen__hooks_run_after(p->at[i].node);
    return s;
}

/* ---- the walk -------------------------------------------------------------------------------- */

enum { ASK_EACH = 64 };

static nomen_status walk(task *t) {
    for (unsigned visits = 1;; visits++) {
        nomen__node *n = nomen__heap_pop(&t->heap);
        if (!n) return finish_leaves(t);
        nomen_status s = visit(t, n, nomen__pending_take(&t->pending, n));
        if (!s && visits % ASK_EACH == 0) s = nomen__ask();
        if (s) return s;
    }
}

/* ---- where it leads -------------------------------------------------------------------------- */

static nomen__entry *mark(task *t, nomen__node *n) {
    nomen__entry *e = nomen__pending_find(&t->needed, n);
    return e ? e : nomen__pending_add(&t->needed, n);
}

/* Marks the nodes from which an input can be reached; children before parents, on a stack of our
 * own. */
static nomen_status find_needed(task *t, nomen__node *root, nomen__path *path) {
    if (nomen__pending_find(&t->needed, root) && nomen__pending_find(&t->needed, root)->seen)
        return NOMEN_OK;
    nomen__entry *e = mark(t, root);
    if (!e) return NOMEN_ERROR_MEMORY;
    e->seen = true;
    if (!nomen__path_push(path, root)) return NOMEN_ERROR_MEMORY;
    while (path->used) {
        nomen__step_back *top = &path->at[path->used - 1];
        nomen__node *n = top->node;
        if (top->next < n->nin) {
            nomen__node *child = n->edge[top->next++];
            if (!child) continue;
            e = mark(t, child);
            if (!e) return NOMEN_ERROR_MEMORY;
            if (e->seen) continue;
            e->seen = true;
            if (!nomen__path_push(path, child)) return NOMEN_ERROR_MEMORY;
            continue;
        }
        bool passes = false;
        for (uint32_t i = 0; i < n->nin && !passes; i++) passes = is_needed(t, n->edge[i]);
        e = nomen__pending_find(&t->needed, n);
        e->passes = passes;
        e->needed = passes || e->target;
        path->used--;
    }
    return NOMEN_OK;
}

static nomen_status choose_inputs(task *t, nomen_list inputs) {
    t->chosen = true;
    for (int64_t i = 0; i < inputs.count; i++) {
        nomen_tensor *x = inputs.at[i];
        if (!x)
            return nomen__fail(NOMEN_ERROR_TYPE, "input %lld is NULL: it must be a tensor",
                               (long long)i);
        nomen_status s = nomen__grad_refresh(x);
        if (s) return s;
        if (!(x->flags & NOMEN__REQUIRES))
            return nomen__fail(
                NOMEN_ERROR_GRAD,
                "One of the differentiated Tensors does not require grad: input %lld",
                (long long)i);
        nomen__entry *e = mark(t, x->grad);
        if (!e) return NOMEN_ERROR_MEMORY;
        e->target = e->needed = true;
    }
    return NOMEN_OK;
}

/* ---- where it starts ------------------------------------------------------------------------- */

static nomen_status implicit_gradient(const nomen_tensor *loss, nomen_tensor **result) {
    if (loss->numel != 1) {
        NOMEN__TEXT(what, 256);
        nomen__text_tensor(&what, loss, false);
        return nomen__fail(
            NOMEN_ERROR_GRAD,
            "grad can be implicitly created only for scalar outputs, not for %s: pass a gradient",
            what.at);
    }
    nomen_tensor *one =
        nomen__tensor_empty_on(loss->device, (nomen_dtype)loss->dtype, loss->ndim, loss->size);
    nomen_number number = {.kind = NOMEN_NUMBER_INT, .i = 1};
    nomen_status s = one ? nomen__fill_values(one, &number) : NOMEN_ERROR_MEMORY;
    if (s) nomen__release(one);
    *result = s ? NULL : one;
    return s;
}

/* The caller's gradient must be one of that tensor: sizes, names if it has any, and a real one for
 * a real tensor. */
static nomen_status given_gradient(const nomen_tensor *loss, nomen_tensor *g, int64_t index,
                                   nomen_tensor **result) {
    if (g->ndim != loss->ndim || memcmp(g->size, loss->size, sizeof *g->size * g->ndim) != 0) {
        NOMEN__TEXT(mine, 256);
        NOMEN__TEXT(want, 256);
        nomen__text_sizes(&mine, g->size, g->ndim);
        nomen__text_sizes(&want, loss->size, loss->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Mismatch in shape: grad_output[%lld] has a shape of %s and "
                           "output[%lld] has a shape of "
                           "%s.",
                           (long long)index, mine.at, (long long)index, want.at);
    }
    nomen__namelist names;
    nomen_status s = nomen__is_named(g) ? nomen__unify(nomen__names_of(g), nomen__names_of(loss),
                                                       "broadcast", &names)
                                        : NOMEN_OK;
    if (s) return s;
    if (nomen_dtype_is_complex((nomen_dtype)g->dtype) &&
        !nomen_dtype_is_complex((nomen_dtype)loss->dtype))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "the gradient is %s and the output %s: a real output has a real gradient",
            nomen_dtype_name((nomen_dtype)g->dtype), nomen_dtype_name((nomen_dtype)loss->dtype));
    if (g->device != loss->device) return nomen__on_two_devices(loss->device, g->device);
    nomen_scope_mark scope = nomen_scope_open();
    nomen_tensor *r = nomen__scoped(nomen__twin(g));
    if (r && r->dtype != loss->dtype) r = nomen_cast(r, .dtype = (nomen_dtype)loss->dtype);
    *result = nomen__retain(r);
    nomen_scope_close(&scope);
    return r ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static nomen_status start_at(task *t, nomen_tensor *loss, nomen_tensor *gradient, int64_t index) {
    if (!loss)
        return nomen__error_pending()
                   ? NOMEN_ERROR_GRAD
                   : nomen__fail(NOMEN_ERROR_TYPE, "output %lld is NULL: it must be a tensor",
                                 (long long)index);
    nomen_status s = nomen__grad_refresh(loss);
    if (s) return s;
    if (!(loss->flags & NOMEN__REQUIRES))
        return nomen__fail(
            NOMEN_ERROR_GRAD,
            "element %lld of tensors does not require grad and does not have a grad_fn",
            (long long)index);
    /* Hooks may let go of the outputs: the walk holds its own ends of the graph. */
    if (!nomen__path_push(&t->roots, loss->grad)) return NOMEN_ERROR_MEMORY;
    nomen__node_retain(loss->grad);
    nomen_tensor *g = NULL;
    s = gradient ? given_gradient(loss, gradient, index, &g) : implicit_gradient(loss, &g);
    return s ? s : deliver(t, loss->grad, g);
}

static void task_end(task *t) {
    nomen__pending_free(&t->pending);
    nomen__pending_free(&t->needed);
    nomen__heap_free(&t->heap);
    for (size_t i = 0; i < t->roots.used; i++) nomen__node_release(t->roots.at[i].node);
    nomen__path_free(&t->roots);
}

static nomen_status run_task(task *t, nomen_list outputs, nomen_list gradients, nomen_list inputs) {
    if (gradients.count && gradients.count != outputs.count)
        return nomen__fail(NOMEN_ERROR_GRAD,
                           "got %lld tensors and %lld gradients: give one for each, or none",
                           (long long)outputs.count, (long long)gradients.count);
    if (!outputs.count)
        return nomen__fail(NOMEN_ERROR_GRAD,
                           "One of the differentiated Tensors appears to not have been used in the "
                           "graph: there are no outputs");
    nomen_status s = inputs.count ? choose_inputs(t, inputs) : NOMEN_OK;
    for (int64_t i = 0; i < outputs.count && !s; i++)
        s = start_at(t, outputs.at[i], gradients.count ? gradients.at[i] : NULL, i);
    nomen__path path = {0};
    for (size_t i = 0; i < t->roots.used && !s && t->chosen; i++)
        s = find_needed(t, t->roots.at[i].node, &path);
    nomen__path_free(&path);
    bool before = nomen__grad_enabled;
    nomen__grad_enabled = t->create_graph;
    if (!s) s = walk(t);
    nomen__grad_enabled = before;
    return s;
}

nomen_status nomen_backward_call(const struct nomen_backward_args *args) {
    if (!args->loss && !nomen__error_pending())
        return nomen__fail(NOMEN_ERROR_TYPE, "nomen_backward: loss is NULL");
    task t = {.retain_graph = args->retain_graph || args->create_graph,
              .create_graph = args->create_graph,
              .keep = true};
    nomen_tensor *const loss[] = {args->loss}, *const gradient[] = {args->gradient};
    nomen_status s = run_task(&t, (nomen_list){1, loss}, (nomen_list){1, gradient}, args->inputs);
    task_end(&t);
    if (s) nomen__error_context("backward", "");
    return s;
}

static nomen_tensor *gradient_of(const task *t, const nomen_tensor *x) {
    nomen__entry *e = nomen__pending_find(&t->needed, x->grad);
    if (!e || !e->grad) return NULL;
    nomen_tensor *g = nomen__twin(e->grad);
    if (g && nomen__is_named(x)) nomen__set_names(g, x->names);
    return nomen__scoped(g);
}

static nomen_status collect(const task *t, const struct nomen_grad_args *args, nomen_tensor **at) {
    for (int64_t i = 0; i < args->inputs.count; i++) {
        const nomen_tensor *x = args->inputs.at[i];
        nomen__entry *e = nomen__pending_find(&t->needed, x->grad);
        if ((!e || !e->grad) && !args->allow_unused)
            return nomen__fail(NOMEN_ERROR_GRAD,
                               "One of the differentiated Tensors appears to not have been used in "
                               "the graph: input %lld. Set "
                               "allow_unused=True if this is the desired behavior.",
                               (long long)i);
        at[i] = gradient_of(t, x);
        if (!at[i] && e && e->grad) return NOMEN_ERROR_MEMORY;
    }
    return NOMEN_OK;
}

nomen_list nomen_grad_call(const struct nomen_grad_args *args) {
    nomen_list none = {0, NULL};
    task t = {.retain_graph = args->retain_graph || args->create_graph,
              .create_graph = args->create_graph};
    nomen_tensor **at = NULL;
    nomen_status s = args->inputs.count
                         ? NOMEN_OK
                         : nomen__fail(NOMEN_ERROR_VALUE, "grad requires non-empty inputs.");
    if (!s) s = run_task(&t, args->outputs, args->grad_outputs, args->inputs);
    if (!s) {
        at = nomen__scope_array(args->inputs.count);
        s = at ? collect(&t, args, at) : NOMEN_ERROR_MEMORY;
    }
    task_end(&t);
    if (s) nomen__error_context("grad", "");
    return s ? none : (nomen_list){args->inputs.count, at};
}
