/* Nodes of the tape: one block each, counted, freed without recursion. What is in them is decided
 * in tape.c. */
#include "autograd/tape.h"

#include <string.h>

/* Static TLS is scarce (see core/state.h): these three are all that the autograd room takes of it.
 */
static _Thread_local nomen__node *dead __attribute__((tls_model("initial-exec")));
static _Thread_local bool burying __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t clock_now __attribute__((tls_model("initial-exec")));

/* ---- birth ----------------------------------------------------------------------------------- */

static size_t take(size_t *at, size_t count, size_t item) {
    size_t here = (*at + 7) & ~(size_t)7;
    *at = here + count * item;
    return here;
}

nomen__node *nomen__node_new(nomen__node_kind kind, const nomen__op *op,
                             const nomen__node_plan *plan, int64_t **words) {
    size_t room = (size_t)plan->ndim, bytes = sizeof(nomen__node);
    size_t edge = take(&bytes, plan->nin, sizeof(nomen__node *));
    size_t saved = take(&bytes, plan->nsaved, sizeof(nomen__saved));
    size_t slot = take(&bytes, plan->nslots, sizeof(nomen__slot));
    size_t offset = take(&bytes, plan->noffsets, sizeof(int64_t));
    size_t more = take(&bytes, (size_t)plan->map_words + plan->geometry_words, sizeof(int64_t));
    size_t size = take(&bytes, room, sizeof(int64_t));
    size_t names = take(&bytes, room, sizeof(nomen_name));
    char *block = nomen__alloc(bytes);
    if (!block) return NULL;
    memset(block, 0, bytes);
    nomen__node *n = (nomen__node *)(void *)block;
    atomic_init(&n->refs, 1);
    n->kind = (uint8_t)kind;
    n->op = op;
    n->bytes = bytes;
    n->dim = -1;
    n->nin = plan->nin;
    n->nsaved = plan->nsaved;
    n->edge = (nomen__node **)(void *)(block + edge);
    n->saved = (nomen__saved *)(void *)(block + saved);
    n->slot = (nomen__slot *)(void *)(block + slot);
    if (plan->noffsets) n->offset = (int64_t *)(void *)(block + offset);
    if (words) *words = (int64_t *)(void *)(block + more);
    n->size = (int64_t *)(void *)(block + size);
    n->names = (nomen_name *)(void *)(block + names);
    return n;
}

/* A clock that is never behind what it has seen: no lock, and still every node comes after those it
 * leads to, whatever thread made them. */
void nomen__node_number(nomen__node *n) {
    uint64_t now = clock_now;
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->edge[i] && n->edge[i]->seq > now) now = n->edge[i]->seq;
    n->seq = clock_now = now + 1;
}

void nomen__node_rename(nomen__node *n, const nomen_tensor *t) {
    if (t->ndim != n->ndim) return;
    bool named = nomen__is_named(t);
    if (named && memcmp(n->names, t->names, sizeof *n->names * n->ndim) != 0)
        memcpy(n->names, t->names, sizeof *n->names * n->ndim);
    if (n->named != named) n->named = named;
}

void nomen__node_describe(nomen__node *n, const nomen_tensor *t) {
    n->ndim = t->ndim;
    n->dtype = t->dtype;
    n->device = t->device;
    memcpy(n->size, t->size, sizeof *n->size * t->ndim);
    nomen__node_rename(n, t);
}

/* ---- death ----------------------------------------------------------------------------------- */

void nomen__node_drop_saved(nomen__node *n) {
    for (uint32_t i = 0; i < n->nsaved; i++) {
        nomen_tensor *t = n->saved[i].tensor;
        /* Numbers cost nothing to keep, and x * 2 can be walked again. */
        if (!t || (t->flags & NOMEN__WRAPPED)) continue;
        n->saved[i].tensor = NULL;
        n->used = true;
        nomen__release(t);
    }
    if (n->inner) nomen__node_drop_saved(n->inner);
}

static bool last_reference(nomen__node *n) {
    return atomic_load_explicit(&n->refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&n->refs, 1, memory_order_acq_rel) == 1;
}

static void mark_dead(nomen__node *n) {
    if (!n || !last_reference(n)) return;
    n->next = dead;
    dead = n;
}

static void bury(nomen__node *n) {
    for (uint32_t i = 0; i < n->nin; i++) mark_dead(n->edge[i]);
    mark_dead(n->inner);
    mark_dead(n->view);
    for (uint32_t i = 0; i < n->nsaved; i++) nomen__release(n->saved[i].tensor);
    nomen__release(n->grad);
    nomen__hooks_free(n->hooks);
    nomen__free(n, n->bytes);
}

/* Whatever dies while the dead are buried (tensors kept by nodes, by hooks) joins the queue: the
 * stack stays flat however long the chain. */
void nomen__node_release(nomen__node *n) {
    mark_dead(n);
    if (burying) return;
    burying = true;
    while (dead) {
        nomen__node *first = dead;
        dead = first->next;
        bury(first);
    }
    burying = false;
}

__attribute__((constructor)) static void start(void) { nomen__autograd_free = nomen__node_release; }

/* ---- arguments ------------------------------------------------------------------------------- */

bool nomen__kind_has_slot(uint8_t kind) {
    return kind == NOMEN__NUMBER || kind == NOMEN__INT || kind == NOMEN__FLAG ||
           kind == NOMEN__DTYPE || kind == NOMEN__TEXT;
}

const nomen__slot *nomen__node_slot(const nomen__node *n, int arg) {
    if (!(n->given >> arg & 1) || !nomen__kind_has_slot(n->op->args[arg].kind)) return NULL;
    int slot = 0;
    for (int i = 0; i < arg; i++) slot += nomen__kind_has_slot(n->op->args[i].kind);
    return &n->slot[slot];
}

/* ---- tensors and their nodes ----------------------------------------------------------------- */

void nomen__attach(nomen_tensor *t, nomen__node *n) {
    nomen__node *old = t->grad;
    t->grad = n;
    bool
        requires
    = n && (n->kind != NOMEN__LEAF || n->wanted);
    t->flags = (uint8_t)(requires ? t->flags | NOMEN__REQUIRES : t->flags & ~NOMEN__REQUIRES);
    if (old) nomen__node_release(old);
}

nomen__node *nomen__leaf_of(nomen_tensor *t) {
    if (t->grad) return t->grad;
    /* A leaf may get other data of any rank. */
    nomen__node_plan plan = {.ndim = NOMEN_MAX_DIMS};
    nomen__node *n = nomen__node_new(NOMEN__LEAF, NULL, &plan, NULL);
    if (!n) return NULL;
    nomen__node_describe(n, t);
    if (t->base) n->root = t->base->grad;
    t->grad = n;
    return n;
}

nomen_tensor *nomen__twin(const nomen_tensor *t) {
    nomen_tensor *twin = nomen__tensor_alias(t);
    if (!twin) return NULL;
    nomen__set_names(twin, NULL);
    if (t->flags & NOMEN__REQUIRES) nomen__attach(twin, nomen__node_retain(t->grad));
    return twin;
}
