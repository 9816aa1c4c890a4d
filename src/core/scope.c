/* Scopes: which block of the user's code owns a tensor. Each thread has a stack of them; the root
 * is the thread. */
#include "core/state.h"

enum { FIRST_ROOM = 32 };

struct nomen__scope_block {
    struct nomen__scope_block *next;
    size_t bytes;
};

/* ---- a scope's list -------------------------------------------------------------------------- */

static NOMEN_NOINLINE bool scope_grow(nomen__scope *s) {
    int64_t room = s->room ? 2 * s->room : FIRST_ROOM;
    if (room > UINT32_MAX) {
        nomen__fail(NOMEN_ERROR_MEMORY,
                    "a scope holds at most %lld tensors: close it, or open one inside the loop",
                    (long long)s->room);
        return false;
    }
    nomen_tensor **items = nomen__alloc((size_t)room * sizeof *items);
    if (!items) return false;
    if (s->used) memcpy(items, s->items, (size_t)s->used * sizeof *items);
    nomen__free(s->items, (size_t)s->room * sizeof *items);
    s->items = items;
    s->room = room;
    return true;
}

static inline bool scope_reserve(nomen__scope *s) {
    return NOMEN_LIKELY(s->used < s->room) || scope_grow(s);
}

/* After scope_reserve. */
static void scope_add(nomen__scope *s, nomen_tensor *t) {
    t->scope = s;
    t->scope_slot = (uint32_t)s->used;
    s->items[s->used++] = t;
}

/* The last one moves into the gap: the order in which tensors die is nobody's business. */
static void scope_remove(nomen_tensor *t) {
    nomen__scope *s = t->scope;
    nomen_tensor *last = s->items[--s->used];
    s->items[t->scope_slot] = last;
    last->scope_slot = t->scope_slot;
    t->scope = NULL;
}

/* Item by item, for the release of foreign memory runs the user's code, which may make tensors
 * here. */
static void scope_empty(nomen__scope *s) {
    while (s->used) {
        nomen_tensor *t = s->items[--s->used];
        t->scope = NULL;
        nomen__release(t);
    }
    while (s->blocks) {
        struct nomen__scope_block *block = s->blocks;
        s->blocks = block->next;
        nomen__free(block, block->bytes);
    }
}

nomen_tensor *nomen__scoped(nomen_tensor *t) {
    if (NOMEN_UNLIKELY(!t)) return NULL;
    if (t->scope) {
        nomen__release(t);
        return t;
    }
    nomen__thread *me = nomen__thread_get();
    if (NOMEN_UNLIKELY(!me)) {
        nomen__fail(NOMEN_ERROR_MEMORY, "cannot allocate %zu bytes: free some tensors first",
                    sizeof *me);
    } else if (NOMEN_LIKELY(scope_reserve(me->current))) {
        scope_add(me->current, t);
        return t;
    }
    nomen__release(t);
    return NULL;
}

nomen_tensor **nomen__scope_array(int64_t count) {
    nomen__thread *me = nomen__thread_get();
    size_t bytes = sizeof(struct nomen__scope_block), items;
    if (count < 0 || __builtin_mul_overflow((size_t)count, sizeof(nomen_tensor *), &items) ||
        __builtin_add_overflow(bytes, items, &bytes) || !me) {
        nomen__fail(NOMEN_ERROR_MEMORY, "cannot allocate a list of %lld tensors", (long long)count);
        return NULL;
    }
    struct nomen__scope_block *block = nomen__calloc(1, bytes);
    if (!block) return NULL;
    *block = (struct nomen__scope_block){me->current->blocks, bytes};
    me->current->blocks = block;
    return (nomen_tensor **)(void *)(block + 1);
}

/* ---- opening and closing --------------------------------------------------------------------- */

nomen_scope_mark nomen_scope_open(void) {
    /* Where there is no memory for a scope, the block runs in the scope around it, with the error
     * on record: its results are right, its temporaries die later. A mark of depth -1 closes
     * nothing. */
    nomen__thread *me = nomen__thread_get();
    if (!me) return (nomen_scope_mark){-1, 1};
    nomen__scope *s = me->current->inner;
    if (!s) {
        s = nomen__calloc(1, sizeof *s);
        if (!s) return (nomen_scope_mark){-1, 1};
        s->thread = me;
        s->outer = me->current;
        s->depth = me->current->depth + 1;
        me->current->inner = s;
    }
    me->generation = me->generation == INT32_MAX ? 1 : me->generation + 1;
    s->generation = me->generation;
    me->current = s;
    return (nomen_scope_mark){s->depth, s->generation};
}

void nomen_scope_close(nomen_scope_mark *mark) {
    if (!mark || !mark->live) return;
    int generation = mark->live;
    mark->live = 0;
    nomen__thread *me = nomen__thread_here;
    if (!me || mark->depth < 1 || mark->depth > me->current->depth) return;
    /* An outer mark may have closed this scope already, and another may have been opened at its
     * depth since. */
    nomen__scope *s = me->current;
    while (s->depth > mark->depth) s = s->outer;
    if (s->generation != generation) return;
    for (;;) {
        nomen__scope *top = me->current;
        scope_empty(top);
        if (top != me->current) continue; /* a release opened one and left it open */
        me->current = top->outer;
        if (top == s) return;
    }
}

void nomen__scope_drop(nomen__thread *t) {
    do {
        scope_empty(t->current);
        if (t->current->outer) t->current = t->current->outer;
    } while (t->current->outer || t->current->used || t->current->blocks);
    for (nomen__scope *s = t->root.inner, *next; s; s = next) {
        next = s->inner;
        nomen__free(s->items, (size_t)s->room * sizeof *s->items);
        nomen__free(s, sizeof *s);
    }
    nomen__free(t->root.items, (size_t)t->root.room * sizeof *t->root.items);
    t->root.inner = NULL;
    t->root.items = NULL;
    t->root.room = 0;
}

/* ---- what users say -------------------------------------------------------------------------- */

/* A header keeps its mark after death until the memory is used again: that catches most of what it
 * can. */
static bool alive(const nomen_tensor *t, const char *function) {
    if (NOMEN_LIKELY(t->magic == NOMEN__LIVE)) return true;
    nomen__fail(
        NOMEN_ERROR_STATE,
        "%s: the tensor is freed already (its scope is closed?): nomen_keep or nomen_retain "
        "it while it lives",
        function);
    return false;
}

nomen_tensor *nomen_keep(nomen_tensor *t) {
    if (!t || !alive(t, "nomen_keep")) return NULL;
    nomen__scope *s = t->scope;
    /* Owned by nobody, by a thread, or by a scope further out: it outlives the current scope
     * anyway. */
    if (!s || !s->outer || s->thread != nomen__thread_here || s != s->thread->current) return t;
    if (!scope_reserve(s->outer)) return NULL;
    scope_remove(t);
    scope_add(s->outer, t);
    return t;
}

void nomen_free(nomen_tensor **t) {
    nomen_tensor *x = t ? *t : NULL;
    if (!x || !alive(x, "nomen_free")) return;
    if (x->scope) {
        if (x->scope->thread != nomen__thread_here) {
            nomen__fail(NOMEN_ERROR_STATE,
                        "nomen_free: the tensor belongs to a scope of another thread: "
                        "nomen_retain it there and nomen_release it here");
            return;
        }
        scope_remove(x);
    }
    *t = NULL;
    nomen__release(x);
}

nomen_tensor *nomen_retain(nomen_tensor *t) {
    return t && alive(t, "nomen_retain") ? nomen__retain(t) : NULL;
}

void nomen_release(nomen_tensor *t) {
    if (t && alive(t, "nomen_release")) nomen__release(t);
}
