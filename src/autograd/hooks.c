/* Hooks: what users want to see of gradients on their way. */
#include "autograd/tape.h"
#include "nomen/scope.h"

#include <string.h>

static _Atomic uint64_t next_id = 1;

static void free_hook(nomen__hook *h) {
    if (h->free_payload) h->free_payload(h->payload);
    nomen__free(h, sizeof *h);
}

void nomen__hooks_free(nomen__hook *hooks) {
    while (hooks) {
        nomen__hook *next = hooks->next;
        free_hook(hooks);
        hooks = next;
    }
}

/* Hooks that were removed while hooks were running. */
static void sweep(nomen__node *n) {
    nomen__hook *gone = NULL;
    for (nomen__hook **link = &n->hooks; *link;) {
        nomen__hook *h = *link;
        if (h->before_fn || h->after_fn) {
            link = &h->next;
            continue;
        }
        *link = h->next;
        h->next = gone;
        gone = h;
    }
    nomen__hooks_free(gone);
}

/* ---- running --------------------------------------------------------------------------------- */

static nomen_status check_replacement(const nomen__node *n, const nomen_tensor *r) {
    if (r->ndim != n->ndim || memcmp(r->size, n->size, sizeof *r->size * r->ndim) != 0 ||
        r->dtype != n->dtype) {
        NOMEN__TEXT(what, 256);
        NOMEN__TEXT(want, 256);
        nomen__text_tensor(&what, r, true);
        nomen__text_sizes(&want, n->size, n->ndim);
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "a hook put %s in the place of a gradient with sizes %s, %s: keep sizes and dtype",
            what.at, want.at, nomen_dtype_name((nomen_dtype)n->dtype));
    }
    nomen__namelist names;
    nomen__names own = {n->ndim, n->named ? n->names : NULL};
    return nomen__is_named(r) ? nomen__unify(nomen__names_of(r), own, "broadcast", &names)
                              : NOMEN_OK;
}

static nomen_status run_one(nomen__node *n, nomen__hook *h, nomen_tensor **g) {
    nomen_tensor *seen = nomen__twin(*g), *instead = NULL;
    if (!seen) return NOMEN_ERROR_MEMORY;
    if (n->named) nomen__set_names(seen, n->names);
    nomen_scope_mark scope = nomen_scope_open();
    nomen_status s = h->before_fn(h->payload, seen, &instead);
    if (!s && instead && instead != seen) {
        s = check_replacement(n, instead);
        nomen_tensor *plain = s ? NULL : nomen__twin(instead);
        if (!s && !plain) s = NOMEN_ERROR_MEMORY;
        if (plain) {
            nomen__release(*g);
            *g = plain;
        }
    }
    nomen_scope_close(&scope);
    nomen__release(seen);
    return s;
}

/* A hook that is registered by one of them waits for the next time, or they might never end. */
nomen_status nomen__hooks_run(nomen__node *n, nomen_tensor **g) {
    nomen_status s = NOMEN_OK;
    uint64_t until = atomic_load_explicit(&next_id, memory_order_relaxed);
    nomen__node_retain(n);
    n->hooks_running++;
    for (nomen__hook *h = n->hooks; h && h->id < until && !s; h = h->next)
        if (h->before_fn) s = run_one(n, h, g);
    if (--n->hooks_running == 0) sweep(n);
    nomen__node_release(n);
    return s;
}

nomen_status nomen__hooks_run_after(nomen__node *leaf) {
    nomen_status s = NOMEN_OK;
    uint64_t until = atomic_load_explicit(&next_id, memory_order_relaxed);
    nomen__node_retain(leaf);
    leaf->hooks_running++;
    for (nomen__hook *h = leaf->hooks; h && h->id < until && !s; h = h->next) {
        if (!h->after_fn || !leaf->grad) continue;
        nomen_tensor *g = nomen__retain(leaf->grad);
        nomen_scope_mark scope = nomen_scope_open();
        s = h->after_fn(h->payload, g);
        nomen_scope_close(&scope);
        nomen__release(g);
    }
    if (--leaf->hooks_running == 0) sweep(leaf);
    nomen__node_release(leaf);
    return s;
}

/* ---- registering ----------------------------------------------------------------------------- */

static uint64_t add_hook(nomen_tensor *t, const nomen__hook *like) {
    nomen__hook *h = nomen__alloc(sizeof *h);
    if (!h) {
        if (like->free_payload) like->free_payload(like->payload);
        return 0;
    }
    *h = *like;
    h->next = NULL;
    h->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    nomen__hook **link = &t->grad->hooks;
    while (*link) link = &(*link)->next;
    *link = h;
    /* The names that the hook is to see: those of now. */
    nomen__node_rename(t->grad, t);
    return h->id;
}

static uint64_t refuse(nomen_status code, const char *message, const nomen__hook *like) {
    nomen__fail(code, "%s", message);
    if (like->free_payload) like->free_payload(like->payload);
    return 0;
}

uint64_t nomen_register_hook(nomen_tensor *t, nomen_hook *hook, void *payload,
                             void (*free_payload)(void *payload)) {
    nomen__hook h = {.before_fn = hook, .payload = payload, .free_payload = free_payload};
    if (!t || !hook)
        return refuse(NOMEN_ERROR_TYPE, "nomen_register_hook: the tensor or the hook is NULL", &h);
    if (nomen__grad_refresh(t)) {
        if (free_payload) free_payload(payload);
        return 0;
    }
    if (!(t->flags & NOMEN__REQUIRES))
        return refuse(NOMEN_ERROR_GRAD,
                      "cannot register a hook on a tensor that doesn't require gradient", &h);
    return add_hook(t, &h);
}

uint64_t nomen_register_post_accumulate_grad_hook(nomen_tensor *t, nomen_accumulate_hook *hook,
                                                  void *payload,
                                                  void (*free_payload)(void *payload)) {
    nomen__hook h = {
        .after = true, .after_fn = hook, .payload = payload, .free_payload = free_payload};
    if (!t || !hook)
        return refuse(NOMEN_ERROR_TYPE,
                      "nomen_register_post_accumulate_grad_hook: the tensor or the hook is NULL",
                      &h);
    if (!(t->flags & NOMEN__REQUIRES))
        return refuse(NOMEN_ERROR_GRAD,
                      "cannot register a hook on a tensor that doesn't require gradient", &h);
    if (t->grad->kind != NOMEN__LEAF)
        return refuse(NOMEN_ERROR_GRAD,
                      "post accumulate grad hooks cannot be registered on non-leaf tensors", &h);
    return add_hook(t, &h);
}

static nomen__hook **find_hook(nomen__node *n, uint64_t id) {
    for (nomen__hook **link = &n->hooks; *link; link = &(*link)->next)
        if ((*link)->id == id) return link;
    return NULL;
}

bool nomen_remove_hook(nomen_tensor *t, uint64_t handle) {
    /* Earlier values of a tensor that was changed in place lie behind its node, along the first
     * edge. */
    for (nomen__node *n = t ? t->grad : NULL; n; n = n->in_place ? n->edge[0] : NULL) {
        nomen__hook **link = find_hook(n, handle);
        if (!link) continue;
        nomen__hook *h = *link;
        if (n->hooks_running) {
            bool there = h->before_fn || h->after_fn;
            h->before_fn = NULL;
            h->after_fn = NULL;
            return there;
        }
        *link = h->next;
        free_hook(h);
        return true;
    }
    return false;
}

nomen_status nomen_raise(nomen_status code, const char *message) {
    return nomen__fail(code, "%s", message ? message : "");
}
