/* The containers of the backward walk. They know nothing of gradients. */
#include "autograd/pending.h"

#include <string.h>

/* ---- by node --------------------------------------------------------------------------------- */

static size_t home(const nomen__pending *p, const nomen__node *n) {
    uint64_t bits = (uint64_t)(uintptr_t)n * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(bits >> 32) & (p->room - 1);
}

nomen__entry *nomen__pending_find(const nomen__pending *p, const nomen__node *n) {
    if (!p->room) return NULL;
    for (size_t i = home(p, n);; i = (i + 1) & (p->room - 1)) {
        if (p->at[i].node == n) return &p->at[i];
        if (!p->at[i].node) return NULL;
    }
}

static nomen__entry *place(nomen__pending *p, const nomen__node *n) {
    size_t i = home(p, n);
    while (p->at[i].node) i = (i + 1) & (p->room - 1);
    return &p->at[i];
}

static bool grow(nomen__pending *p) {
    nomen__pending wider = {NULL, p->room ? 2 * p->room : 16, p->used};
    wider.at = nomen__calloc(wider.room, sizeof *wider.at);
    if (!wider.at) return false;
    for (size_t i = 0; i < p->room; i++)
        if (p->at[i].node) *place(&wider, p->at[i].node) = p->at[i];
    nomen__free(p->at, p->room * sizeof *p->at);
    *p = wider;
    return true;
}

nomen__entry *nomen__pending_add(nomen__pending *p, nomen__node *n) {
    if (2 * (p->used + 1) > p->room && !grow(p)) return NULL;
    p->used++;
    nomen__entry *e = place(p, n);
    *e = (nomen__entry){.node = n};
    return e;
}

nomen_tensor *nomen__pending_take(nomen__pending *p, const nomen__node *n) {
    nomen__entry *e = nomen__pending_find(p, n);
    nomen_tensor *grad = e->grad;
    /* Entries behind the gap that cannot be reached across it move up. */
    size_t gap = (size_t)(e - p->at), mask = p->room - 1;
    for (size_t i = (gap + 1) & mask; p->at[i].node; i = (i + 1) & mask) {
        if (((i - home(p, p->at[i].node)) & mask) < ((i - gap) & mask)) continue;
        p->at[gap] = p->at[i];
        gap = i;
    }
    p->at[gap] = (nomen__entry){.node = NULL};
    p->used--;
    return grad;
}

void nomen__pending_free(nomen__pending *p) {
    for (size_t i = 0; i < p->room; i++) {
        nomen__release(p->at[i].grad);
        nomen__release(p->at[i].result);
    }
    nomen__free(p->at, p->room * sizeof *p->at);
    *p = (nomen__pending){NULL, 0, 0};
}

/* ---- by age ---------------------------------------------------------------------------------- */

/* Doubles an array of items; NULL: no memory, nothing has changed. */
static void *widened(void *at, size_t *room, size_t used, size_t item) {
    size_t more = *room ? 2 * *room : 16;
    void *wider = nomen__calloc(more, item);
    if (!wider) return NULL;
    if (used) memcpy(wider, at, used * item);
    nomen__free(at, *room * item);
    *room = more;
    return wider;
}

bool nomen__heap_push(nomen__heap *h, nomen__node *n) {
    if (h->used == h->room) {
        void *wider = widened(h->at, &h->room, h->used, sizeof(nomen__node *));
        if (!wider) return false;
        h->at = wider;
    }
    size_t i = h->used++;
    for (; i > 0 && h->at[(i - 1) / 2]->seq < n->seq; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = n;
    return true;
}

nomen__node *nomen__heap_pop(nomen__heap *h) {
    if (!h->used) return NULL;
    nomen__node *top = h->at[0], *last = h->at[--h->used];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->used; i = child) {
        if (child + 1 < h->used && h->at[child + 1]->seq > h->at[child]->seq) child++;
        if (h->at[child]->seq <= last->seq) break;
        h->at[i] = h->at[child];
    }
    if (h->used) h->at[i] = last;
    return top;
}

void nomen__heap_free(nomen__heap *h) {
    nomen__free(h->at, h->room * sizeof(nomen__node *));
    *h = (nomen__heap){NULL, 0, 0};
}

/* ---- a path ---------------------------------------------------------------------------------- */

bool nomen__path_push(nomen__path *p, nomen__node *n) {
    if (p->used == p->room) {
        void *wider = widened(p->at, &p->room, p->used, sizeof *p->at);
        if (!wider) return false;
        p->at = wider;
    }
    p->at[p->used++] = (nomen__step_back){n, 0};
    return true;
}

void nomen__path_free(nomen__path *p) {
    nomen__free(p->at, p->room * sizeof *p->at);
    *p = (nomen__path){NULL, 0, 0};
}
