/* Where memory comes from: the system or the user's allocator, and the small blocks of metadata on
 * top of it. Data buffers and their caches are in buffer.c. The only file that calls malloc. */
#include "core/calls.h"
#include "core/state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HUGE_BYTES = 2 * 1024 * 1024, /* one huge page */
    PAGE_BYTES = 4096,
    PAGED_BYTES = 4 * PAGE_BYTES, /* from here on blocks begin with a page */
    MAP_BYTES =
        4 * 1024 *
        1024, /* from here on huge pages pay: a fresh page costs more than the write into it */
};

/* Set before anything is allocated, never after: read without a lock. */
static nomen_allocator hook;
static bool hooked;
static _Atomic bool started;

bool nomen__system_hooked(void) { return hooked; }

nomen_status nomen_set_allocator(const nomen_allocator *allocator) {
    if (atomic_load(&started))
        return nomen__fail(NOMEN_ERROR_STATE,
                           "the allocator cannot change once memory has been handed out: "
                           "call nomen_set_allocator before the first tensor is made");
    if (allocator && (!allocator->alloc || !allocator->free))
        return nomen__fail(NOMEN_ERROR_VALUE, "an allocator needs both alloc and free");
    hooked = allocator != NULL;
    hook = allocator ? *allocator : (nomen_allocator){0};
    return NOMEN_OK;
}

static void mark_started(void) {
    if (!atomic_load_explicit(&started, memory_order_relaxed)) atomic_store(&started, true);
}

/* ---- the system ------------------------------------------------------------------------------ */

#ifdef NOMEN_FAULTS
static _Atomic int64_t requests, lacking_from, lacking_to;
static _Atomic bool no_states;

static bool lacks_memory(void) {
    int64_t now = atomic_fetch_add(&requests, 1);
    return now >= atomic_load(&lacking_from) && now < atomic_load(&lacking_to);
}

int64_t nomen__fail_memory(int64_t nth, int64_t count) {
    atomic_store(&lacking_to, 0);
    atomic_store(&lacking_from, nth);
    int64_t before = atomic_exchange(&requests, 0);
    atomic_store(&lacking_to, nth + count);
    return before;
}

void nomen__fail_threads(bool fail) { atomic_store(&no_states, fail); }

static bool lacks_states(void) { return atomic_load(&no_states); }
#else
static bool lacks_memory(void) { return false; }

static bool lacks_states(void) { return false; }
#endif

static void *map_aligned(size_t bytes, size_t alignment) {
    size_t whole = bytes + alignment;
    if (lacks_memory()) return NULL;
    char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    size_t before = (alignment - ((uintptr_t)p & (alignment - 1))) & (alignment - 1);
    if (before) munmap(p, before);
    if (alignment > before) munmap(p + before + bytes, alignment - before);
    return p + before;
}

static size_t page_round(size_t bytes) {
    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

void *nomen__system_new(size_t bytes) {
    mark_started();
    if (bytes > NOMEN__MOST_BYTES) return NULL;
    if (hooked) return hook.alloc(hook.payload, bytes);
    if (NOMEN__CACHING && bytes >= MAP_BYTES) {
        void *mapped = map_aligned(page_round(bytes), HUGE_BYTES);
#ifdef MADV_HUGEPAGE
        if (mapped)
            madvise(mapped, page_round(bytes),
                    MADV_HUGEPAGE); /* a wish: its failure changes nothing */
#endif
        return mapped;
    }
    /* Where results lie a little further on than operands, counted from the start of a page, loads
     * wait for stores that they do not depend on: up to half as long again (Zen 4, AVX-512). What
     * begins with a page lies behind nothing. */
    void *p = NULL;
    const size_t align = bytes >= PAGED_BYTES ? PAGE_BYTES : 64;
    if (lacks_memory()) return NULL;
    return posix_memalign(&p, align, bytes ? bytes : 1) == 0 ? p : NULL;
}

void nomen__system_free(void *p, size_t bytes) {
    if (hooked)
        hook.free(hook.payload, p, bytes);
    else if (NOMEN__CACHING && bytes >= MAP_BYTES)
        munmap(p, page_round(bytes));
    else
        free(p);
}

void *nomen__slab_new(void) {
    mark_started();
    return map_aligned(NOMEN__SLAB_BYTES, NOMEN__SLAB_BYTES);
}

void nomen__slab_free(void *p) { munmap(p, NOMEN__SLAB_BYTES); }

/* Thread blocks exist before the user's allocator is set, so they never come from it. */
nomen__thread *nomen__thread_block_new(void) {
    return lacks_states() ? NULL : calloc(1, sizeof(nomen__thread));
}

void nomen__thread_block_free(nomen__thread *t) { free(t); }

/* ---- faults ---------------------------------------------------------------------------------- */

#ifdef NOMEN_FAULTS
bool nomen__fault(nomen__thread *me) {
    me->requests++;
    if (me->fail_in < 0) return false;
    return me->fail_in-- == 0;
}

void nomen__fail_allocation(int64_t nth) {
    nomen__thread *me = nomen__thread_get();
    if (me) me->fail_in = nth < 0 ? -1 : nth;
}

int64_t nomen__allocation_count(void) {
    nomen__thread *me = nomen__thread_get();
    return me ? me->requests : 0;
}

int nomen__system_fault(void) {
    nomen__thread *me = nomen__thread_get();
    if (!me) return 0;
    me->calls++;
    if (me->call_fails_in < 0 || me->call_fails_in-- > 0) return 0;
    errno = me->call_error;
    return me->call_error ? -1 : 1;
}

void nomen__fail_system(int64_t nth, int error) {
    nomen__thread *me = nomen__thread_get();
    if (!me) return;
    me->call_fails_in = nth < 0 ? -1 : nth;
    me->call_error = error;
}

int64_t nomen__system_count(void) {
    nomen__thread *me = nomen__thread_get();
    return me ? me->calls : 0;
}
#else
bool nomen__fault(nomen__thread *me) {
    (void)me;
    return false;
}
#endif

/* ---- metadata -------------------------------------------------------------------------------- */

static size_t meta_size(int class_index) {
    size_t i = (size_t)class_index;
    if (i < 8) return 16 * (i + 1);
    if (i < 12) return 128 + 32 * (i - 7);
    return 256 + 64 * (i - 11);
}

static void *raw_new(size_t bytes) {
    mark_started();
    if (bytes > NOMEN__MOST_BYTES) return NULL;
    if (hooked) return hook.alloc(hook.payload, bytes);
    return lacks_memory() ? NULL : malloc(bytes);
}

static void raw_free(void *p, size_t bytes) {
    if (hooked)
        hook.free(hook.payload, p, bytes);
    else
        free(p);
}

/* What to ask the system for: a whole block of the class where blocks are kept, the exact size
 * where a sanitizer watches the ends. */
static size_t raw_size(size_t bytes) {
    if (NOMEN__CACHING && bytes <= NOMEN__META_MAX) return meta_size(nomen__meta_class(bytes));
    return bytes ? bytes : 1;
}

void *nomen__no_memory(size_t bytes) {
    nomen__fail(NOMEN_ERROR_MEMORY, "cannot allocate %zu bytes: free some tensors first", bytes);
    return NULL;
}

void *nomen__alloc_slowly(nomen__thread *me, size_t bytes) {
    if (!me) { /* the first request of this thread */
        me = nomen__thread_get();
        return me ? nomen__alloc_here(me, bytes) : nomen__no_memory(bytes);
    }
    void *p = raw_new(raw_size(bytes));
    if (!p) {
        nomen_empty_cache();
        p = raw_new(raw_size(bytes));
    }
    if (!p) return nomen__no_memory(bytes);
    nomen__count(&me->counters.metadata, (int64_t)bytes);
    return p;
}

void *nomen__alloc(size_t bytes) { return nomen__alloc_here(nomen__thread_here, bytes); }

void *nomen__calloc(size_t count, size_t bytes) {
    size_t whole;
    if (__builtin_mul_overflow(count, bytes, &whole)) {
        nomen__fail(NOMEN_ERROR_MEMORY, "cannot allocate %zu times %zu bytes", count, bytes);
        return NULL;
    }
    void *p = nomen__alloc(whole);
    if (p) memset(p, 0, whole);
    return p;
}

void nomen__free_slowly(nomen__thread *me, void *p, size_t bytes) {
    if (!me) me = nomen__thread_get();
    nomen__count(&nomen__counters_of(me)->metadata, -(int64_t)bytes);
    raw_free(p, raw_size(bytes));
}

void nomen__free(void *p, size_t bytes) {
    if (NOMEN_LIKELY(p != NULL)) nomen__free_here(nomen__thread_here, p, bytes);
}

void nomen__alloc_drop(nomen__thread *t) {
    for (int i = 0; i < NOMEN__META_CLASSES; i++) {
        nomen__free_list *list = &t->meta[i];
        void *p = list->head;
        list->head = NULL;
        atomic_store_explicit(&list->count, 0, memory_order_relaxed);
        while (p) {
            void *next;
            memcpy(&next, p, sizeof next);
            raw_free(p, meta_size(i));
            p = next;
        }
    }
}

void *nomen__alloc_forever(size_t bytes) {
    nomen__thread *me = NOMEN__FAULTY ? nomen__thread_get() : NULL;
    if (me && nomen__fault(me)) return nomen__no_memory(bytes);
    void *p = lacks_memory() ? NULL : malloc(bytes);
    return p ? p : nomen__no_memory(bytes);
}
