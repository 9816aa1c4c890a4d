/* What an operation leaves on the tape: checks before it, a node with saved operands, the result
 * tied to it. */
#include "autograd/tape.h"
#include "op/rows.gen.h"

#include <string.h>

/* ---- operands -------------------------------------------------------------------------------- */

/* Tensor arguments by their place in the row, as formulas count them; those left out are NULL. The
 * call's own list cannot serve: it closes gaps, and holds copies where operands overlap. */
typedef struct operands {
    nomen_tensor *const *at;
    nomen_tensor *row[NOMEN__MAX_ARGS];
    int64_t count;
    bool list;
} operands;

static void operands_of(const nomen__call *c, operands *o) {
    o->count = 0;
    o->at = o->row;
    o->list = false;
    int given = 0;
    for (int i = 0; i < c->op->nargs; i++) {
        uint8_t kind = c->op->args[i].kind;
        if (kind == NOMEN__TENSORS) {
            o->at = c->arg[i].list.at;
            o->count = c->arg[i].list.count;
            o->list = true;
            return;
        }
        if (kind != NOMEN__TENSOR) continue;
        nomen_tensor *t = nomen__given(c, i) ? c->arg[i].tensor : NULL;
        /* A row that looks only at the names of an operand takes it off the call's list. */
        if (t && given++ >= c->nin) t = NULL;
        o->row[o->count++] = t;
    }
}

static bool takes_gradient(const nomen_tensor *t) {
    return t && (t->flags & NOMEN__REQUIRES) && nomen__differentiable(t->dtype);
}

static nomen__node *edge_to(nomen_tensor *t) {
    if (!takes_gradient(t)) return NULL;
    if (t->grad->kind == NOMEN__LEAF) {
        if (t->grad->ndim != t->ndim || t->grad->dtype != t->dtype ||
            t->grad->device != t->device ||
            memcmp(t->grad->size, t->size, sizeof *t->size * t->ndim) != 0)
            nomen__node_describe(t->grad, t);
    }
    nomen__node_rename(t->grad, t);
    return nomen__node_retain(t->grad);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* Views of other dtypes (real, view_as_complex) are no part of their base that the tape could put
 * something into. */
static nomen_status fail_other_dtype(void) {
    return nomen__hint(nomen__fail(NOMEN_ERROR_GRAD,
                                   "a view of another dtype (real, imag, view_as_real, "
                                   "view_as_complex) and its base cannot be changed in place "
                                   "where gradients are recorded."),
                       "change it with gradients off, make the view anew, or clone it");
}

nomen_status nomen__grad_refresh(nomen_tensor *t) {
    nomen_tensor *base = t->base;
    if (base && base->storage != t->storage) { /* it has got other memory: t is no view any more */
        t->base = NULL;
        nomen__release(base);
        return NOMEN_OK;
    }
    if (!base || !(base->flags & NOMEN__REQUIRES) || base->grad->kind == NOMEN__LEAF)
        return NOMEN_OK;
    if (t->grad && t->grad->root == base->grad) return NOMEN_OK;
    if (base->dtype != t->dtype) return fail_other_dtype();
    nomen__node_plan plan = {
        .nin = 1, .geometry_words = nomen__geometry_words(t, base), .ndim = t->ndim};
    int64_t *words;
    nomen__node *n = nomen__node_new(NOMEN__RESULT, &nomen__op_strided, &plan, &words);
    if (!n) return NOMEN_ERROR_MEMORY;
    nomen__geometry_make(&n->geometry, words, t, base);
    n->edge[0] = nomen__node_retain(base->grad);
    n->root = base->grad;
    nomen__node_number(n);
    nomen__node_describe(n, t);
    if (t->grad) n->retain = t->grad->retain;
    nomen__attach(t, n);
    return NOMEN_OK;
}

static nomen_status check_in_place(nomen_tensor *t) {
    if (t->flags & NOMEN__BLIND)
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_GRAD,
                        "A view was created in no_grad mode and is being modified inplace with "
                        "grad mode enabled: its base would not hear of the change."),
            "make the view with gradients on, change it with gradients off, or clone it");
    if (t->base && t->base->dtype != t->dtype) return fail_other_dtype();
    if ((t->flags & NOMEN__REQUIRES) && t->grad->kind == NOMEN__LEAF)
        return nomen__fail(NOMEN_ERROR_GRAD, "a leaf Variable that requires grad is being used in "
                                             "an in-place operation. Detach it, or turn "
                                             "gradients off around the operation.");
    if (t->base && (t->base->flags & NOMEN__REQUIRES) && t->base->grad->kind == NOMEN__LEAF)
        return nomen__fail(NOMEN_ERROR_GRAD, "a view of a leaf Variable that requires grad is "
                                             "being used in an in-place operation. Turn "
                                             "gradients off around the operation.");
    return NOMEN_OK;
}

/* ---- making a node --------------------------------------------------------------------------- */

static void plan_arguments(const nomen__call *c, nomen__node_plan *plan) {
    for (int i = 0; i < c->op->nargs; i++)
        plan->nslots += nomen__kind_has_slot(c->op->args[i].kind);
}

static void copy_arguments(const nomen__call *c, nomen__node *n) {
    n->given = c->given;
    n->dim = c->dim;
    n->mask = c->mask;
    int k = 0;
    for (int i = 0; i < c->op->nargs; i++) {
        uint8_t kind = c->op->args[i].kind;
        if (!nomen__kind_has_slot(kind)) continue;
        nomen__slot *slot = &n->slot[k++];
        if (!nomen__given(c, i)) continue;
        if (kind == NOMEN__NUMBER)
            slot->number = *c->arg[i].number;
        else if (kind == NOMEN__INT)
            slot->integer = c->arg[i].integer;
        else if (kind == NOMEN__FLAG)
            slot->flag = c->arg[i].flag;
        else if (kind == NOMEN__DTYPE)
            slot->dtype = c->arg[i].dtype;
        else
            strncpy(slot->text, c->arg[i].text, sizeof slot->text - 1);
    }
}

/* Where each operand of a list begins along the dim that they are joined in. */
static void copy_offsets(nomen__node *n, const operands *o, int dim) {
    int64_t at = 0;
    for (int64_t i = 0; i < o->count; i++) {
        n->offset[i] = at;
        /* Tensors of one dim and size 0 join anything. */
        if (dim >= 0 && dim < o->at[i]->ndim) at += o->at[i]->size[dim];
    }
    n->offset[o->count] = at;
}

/* The value of an operand for later. In place, what lies in the target's memory is about to be
 * overwritten. */
static nomen_tensor *saved_value(const nomen__call *c, const nomen_tensor *t) {
    nomen_tensor *kept;
    if (c->inplace && t->storage == c->out[0]->storage) {
        kept = nomen__tensor_empty_on(t->device, (nomen_dtype)t->dtype, t->ndim, t->size);
        if (kept && nomen__copy_values(kept, t)) {
            nomen__release(kept);
            kept = NULL;
        }
    } else {
        kept = nomen__tensor_alias(t);
        if (kept) nomen__set_names(kept, NULL);
        if (kept) kept->flags |= t->flags & NOMEN__WRAPPED;
    }
    return kept;
}

static bool save_operands(nomen__node *n, const nomen__call *c, const operands *o,
                          const nomen_tensor *out) {
    uint32_t k = 0;
    for (int i = 0; i < NOMEN__MAX_IN; i++) {
        if (!(n->save >> i & 1)) continue;
        nomen_tensor *kept = saved_value(c, o->at[i]);
        if (!kept) return false;
        n->saved[k++] = (nomen__saved){
            kept, atomic_load_explicit(&kept->storage->version, memory_order_relaxed)};
    }
    if (n->save & NOMEN__SAVE_SECOND) {
        nomen_tensor *kept = nomen__tensor_alias(c->out[1]);
        if (!kept) return false;
        nomen__set_names(kept, NULL);
        n->saved[k++] = (nomen__saved){
            kept, atomic_load_explicit(&kept->storage->version, memory_order_relaxed)};
    }
    if (n->save & NOMEN__SAVE_RESULT) {
        /* Only a header: the commit points it at the result, and must not fail. */
        n->saved[k].tensor = nomen__tensor_new((nomen_dtype)out->dtype, out->ndim);
        return n->saved[k].tensor != NULL;
    }
    return true;
}

static bool any_edge(const operands *o) {
    for (int64_t i = 0; i < o->count; i++)
        if (takes_gradient(o->at[i])) return true;
    return false;
}

/* By the formulas that will run, and only what was given. */
static uint32_t values_needed(const uint32_t *by_input, const operands *o, bool second) {
    uint32_t save = 0, there = NOMEN__SAVE_RESULT | (second ? NOMEN__SAVE_SECOND : 0);
    for (int i = 0; i < NOMEN__MAX_IN && i < o->count; i++) {
        if (takes_gradient(o->at[i])) save |= by_input[i];
        if (o->at[i]) there |= 1u << i;
    }
    save &= there;
    /* who has the positions that the values came from needs nothing else */
    return save & NOMEN__SAVE_SECOND ? NOMEN__SAVE_SECOND : save;
}

/* Of the first or of the second result. */
static nomen__node *node_of_call(nomen__call *c, const operands *o, int result) {
    const nomen__op *op = c->op;
    const nomen_tensor *out = c->out[result];
    nomen__node_plan plan = {.nin = (uint32_t)o->count, .ndim = out->ndim};
    const uint32_t *by_input = result ? op->save_second : op->save;
    uint32_t save = op->grad && !o->list ? values_needed(by_input, o, c->out[1]) : 0;
    plan.nsaved = (uint32_t)__builtin_popcount(save);
    plan_arguments(c, &plan);
    if (o->list) plan.noffsets = plan.nin + 1;
    bool mapped = op->shape == nomen__shape_view;
    if (mapped) plan.map_words = nomen__small_map_words(&c->map);
    int64_t *words;
    nomen__node *n = nomen__node_new(NOMEN__RESULT, op, &plan, &words);
    if (!n) return NULL;
    n->save = save;
    n->second = result == 1;
    n->in_place = c->inplace;
    if (mapped) nomen__small_map_make(&n->map, words, &c->map);
    copy_arguments(c, n);
    if (o->list) copy_offsets(n, o, c->dim);
    for (uint32_t i = 0; i < n->nin; i++) n->edge[i] = edge_to(o->at[i]);
    if (!save_operands(n, c, o, out)) {
        nomen__node_release(n);
        return NULL;
    }
    nomen__node_number(n);
    nomen__node_describe(n, out);
    return n;
}

/* The operation was on a view: its base becomes the result of a node that puts the new part into
 * the old whole, and the view a view of that. */
static nomen__node *node_of_slices(nomen__node *inner, nomen_tensor *view) {
    nomen_tensor *base = view->base;
    nomen__node_plan plan = {
        .nin = inner->nin, .geometry_words = nomen__geometry_words(view, base), .ndim = base->ndim};
    nomen__node_plan again = {.nin = 1, .geometry_words = plan.geometry_words, .ndim = view->ndim};
    int64_t *words;
    nomen__node *n = nomen__node_new(NOMEN__SLICES, &nomen__op_slices, &plan, &words);
    if (!n) return NULL;
    nomen__geometry_make(&n->geometry, words, view, base);
    n->in_place = true;
    n->edge[0] = edge_to(base);
    for (uint32_t i = 1; i < n->nin; i++) n->edge[i] = nomen__node_retain(inner->edge[i]);
    nomen__node_number(n);
    nomen__node_describe(n, base);
    n->view = nomen__node_new(NOMEN__RESULT, &nomen__op_strided, &again, &words);
    if (!n->view) {
        nomen__node_release(n);
        return NULL;
    }
    nomen__geometry_make(&n->view->geometry, words, view, base);
    n->view->in_place = true;
    return n;
}

/* ---- the pipeline's hooks -------------------------------------------------------------------- */

/* A second result with a gradient of its own: a node beside that of the first. */
static nomen_status prepare_second(nomen__call *c, const operands *o) {
    if (!c->op->grad_second || !c->out[1]) return NOMEN_OK;
    c->second_node = node_of_call(c, o, 1);
    return c->second_node ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static nomen_status prepare(nomen__call *c) {
    if (!c->out[0] || !nomen__differentiable(c->out[0]->dtype)) return NOMEN_OK;
    operands o;
    operands_of(c, &o);
    for (int64_t i = 0; i < o.count; i++) {
        nomen_status s = o.at[i] && o.at[i]->base ? nomen__grad_refresh(o.at[i]) : NOMEN_OK;
        if (s) return s;
    }
    if (c->inplace) {
        nomen_status s = check_in_place(c->is_view ? c->arg[0].tensor : c->out[0]);
        if (s) return s;
    }
    if (!any_edge(&o)) return NOMEN_OK;
    nomen__node *n = node_of_call(c, &o, 0);
    if (!n) return NOMEN_ERROR_MEMORY;
    if (c->inplace && c->out[0]->base) {
        nomen__node *outer = node_of_slices(n, c->out[0]);
        if (!outer) {
            nomen__node_release(n);
            return NOMEN_ERROR_MEMORY;
        }
        outer->inner = n;
        n = outer;
    }
    c->node = n;
    return prepare_second(c, &o);
}

static void save_result(nomen__node *n, const nomen_tensor *result) {
    if (!(n->save & NOMEN__SAVE_RESULT)) return;
    nomen__saved *s = &n->saved[n->nsaved - 1];
    nomen_tensor *t = s->tensor;
    nomen__storage_retain(result->storage);
    t->storage = result->storage;
    t->data = result->data;
    nomen__same_place(t, result);
    memcpy(t->size, result->size, sizeof *t->size * result->ndim);
    memcpy(t->stride, result->stride, sizeof *t->stride * result->ndim);
    nomen__tensor_finish(t);
    if (nomen__is_put_off(t)) (void)nomen__put_off.join(t); /* there is room for this one */
    s->version = atomic_load_explicit(&result->storage->version, memory_order_relaxed);
}

/* A tensor changes in place: its gradient is kept from now on for the new value. */
static void replace(nomen_tensor *t, nomen__node *n) {
    if (t->grad && t->grad->retain) {
        t->grad->retain = false;
        n->retain = true;
    }
    nomen__attach(t, n);
}

static void commit_slices(nomen__node *n, nomen_tensor *view) {
    nomen__node *again = n->view;
    n->view = NULL;
    save_result(n->inner, view);
    nomen__node_describe(n->inner, view);
    again->edge[0] = nomen__node_retain(n);
    again->root = n;
    nomen__node_number(again);
    nomen__node_describe(again, view);
    replace(view->base, n);
    replace(view, again);
}

static void commit(nomen__call *c) {
    nomen__node *n = c->node;
    nomen_tensor *out = c->out[0];
    c->node = NULL;
    if (n->kind == NOMEN__SLICES) {
        commit_slices(n, out);
        return;
    }
    save_result(n, out);
    nomen__node_rename(n, out);
    if (c->is_view) n->root = (c->in[0]->base ? c->in[0]->base : c->in[0])->grad;
    if (c->inplace)
        replace(out, n);
    else
        nomen__attach(out, n);
    if (c->second_node) {
        save_result(c->second_node, c->out[1]);
        nomen__node_rename(c->second_node, c->out[1]);
        nomen__attach(c->out[1], c->second_node);
    }
}

static void discard(nomen__call *c) {
    nomen__node_release(c->node);
    nomen__node_release(c->second_node);
    c->node = c->second_node = NULL;
}

static bool has_history(const nomen_tensor *t) {
    return (t->flags & NOMEN__REQUIRES) && t->grad && t->grad->kind != NOMEN__LEAF;
}

__attribute__((constructor)) static void install(void) {
    nomen__tape = (nomen__tape_hooks){prepare, commit, discard, has_history};
}
