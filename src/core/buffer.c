/* Data buffers: small ones from lists of the thread, filled from slabs; large ones from a cache of
 * the process, by size class; limits and statistics. What the system gives is asked for in alloc.c.
 */
#include "core/state.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGE_CLASSES = 39 * 8,  /* eight per power of two, 4 KiB to 2^51 */
    SMALL_KEPT = 128 * 1024, /* bytes of one small size that a thread keeps */
    REFILL = 4096, /* bytes of one small size that a thread fetches at once, at least one block */
    PENDING = 64 * 1024, /* bytes a thread hands out before the process hears of it */
};

/* At the start of each slab. */
typedef struct slab {
    struct slab *next;
    uint32_t carved; /* blocks cut so far */
    uint32_t idle;   /* scratch of the trimming: blocks found in the depot */
} slab;
enum { SLAB_HEAD = 64 };

typedef struct depot_class {
    void *head;
    int64_t count;
    slab *slabs; /* the first one is being cut up */
} depot_class;

typedef struct large_class {
    void *head;
    uint64_t tick; /* when it was last used: the longest unused goes first */
} large_class;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards depot, large, cached, ticks, trim_at */
static depot_class depot[NOMEN__SMALL_CLASSES];
static large_class large[LARGE_CLASSES];
static size_t cached; /* bytes in large */
static uint64_t ticks;
static size_t trim_at; /* bytes in the depot at which it is looked through for whole slabs */

static _Atomic size_t cache_limit;
_Atomic size_t nomen__memory_limit;
static _Atomic int64_t live, peak;

/* ---- size classes ---------------------------------------------------------------------------- */

size_t nomen__small_size(int class_index) {
    size_t i = (size_t)class_index;
    if (i < 16) return 64 * (i + 1);
    return i < 24 ? 1024 + 128 * (i - 15) : 2048 + 256 * (i - 23);
}

/* bytes above NOMEN__SMALL_MAX, below 2^50. */
static int large_class_of(size_t bytes, size_t *size) {
    int shift = 63 - __builtin_clzll((unsigned long long)(bytes - 1)) - 3;
    size_t units = ((bytes - 1) >> shift) + 1; /* 9 .. 16 */
    *size = units << shift;
    return (shift - 9) * 8 + (int)units - 9;
}

static size_t large_class_size(int class_index) {
    return (size_t)(class_index % 8 + 9) << (class_index / 8 + 9);
}

static void *link_of(void *block) {
    void *next;
    memcpy(&next, block, sizeof next);
    return next;
}

static void link_to(void *block, void *next) { memcpy(block, &next, sizeof next); }

/* ---- accounting ------------------------------------------------------------------------------ */

static void raise_peak(int64_t now) {
    int64_t seen = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > seen && !atomic_compare_exchange_weak_explicit(
                             &peak, &seen, now, memory_order_relaxed, memory_order_relaxed)) {}
}

/* Adds `by` and what the thread has put off to the process-wide sum, and returns that. */
static int64_t publish(nomen__thread *me, int64_t by) {
    if (me) {
        by += atomic_load_explicit(&me->counters.bytes, memory_order_relaxed);
        atomic_store_explicit(&me->counters.bytes, 0, memory_order_relaxed);
    }
    return atomic_fetch_add_explicit(&live, by, memory_order_relaxed) + by;
}

/* What lies ready in pairs is booked as handed out, but nobody has it. */
static NOMEN_NOINLINE void publish_all(nomen__thread *me) {
    raise_peak(publish(me, 0) - nomen__pairs_of(me).bytes);
}

static inline void put_off(nomen__thread *me, int64_t by) {
    int64_t pending = atomic_load_explicit(&me->counters.bytes, memory_order_relaxed) + by;
    atomic_store_explicit(&me->counters.bytes, pending, memory_order_relaxed);
    if (NOMEN_UNLIKELY(pending > PENDING || pending < -PENDING)) publish_all(me);
}

/* Books size bytes as handed out; false and an error if the memory limit forbids it. The sum is
 * raised before it is compared, so that two threads cannot both slip in under the limit. */
static NOMEN_NOINLINE bool reserve(nomen__thread *me, size_t size, size_t asked) {
    int64_t now = publish(me, (int64_t)size);
    size_t limit = atomic_load_explicit(&nomen__memory_limit, memory_order_relaxed);
    if (NOMEN_UNLIKELY(limit != 0)) {
        int64_t all = now + nomen__thread_totals().bytes;
        if (all > 0 && (size_t)all > limit) {
            publish(me, -(int64_t)size);
            nomen__fail(NOMEN_ERROR_MEMORY,
                        "cannot allocate %zu bytes: %lld of the %zu bytes that "
                        "nomen_set_memory_limit allows are in use",
                        asked, (long long)all - (long long)size, limit);
            return false;
        }
    }
    raise_peak(now);
    return true;
}

static NOMEN_NOINLINE void *no_memory(nomen__thread *me, size_t size, size_t asked) {
    if (size) publish(me, -(int64_t)size);
    long long in_use = (long long)(atomic_load_explicit(&live, memory_order_relaxed) +
                                   nomen__thread_totals().bytes);
    nomen__fail(
        NOMEN_ERROR_MEMORY,
        "cannot allocate %zu bytes: free tensors or use smaller ones (%lld bytes are in use)",
        asked, in_use);
    return NULL;
}

static void count_request(nomen__thread *me, bool miss) {
    nomen__count(&me->counters.allocations, 1);
    if (miss) nomen__count(&me->counters.misses, 1);
}

/* ---- small blocks ---------------------------------------------------------------------------- */

/* With the lock held: a block of the class from a slab, NULL if there is none. */
static void *carve(int c) {
    size_t size = nomen__small_size(c);
    slab *s = depot[c].slabs;
    if (!s || SLAB_HEAD + (s->carved + 1) * size > NOMEN__SLAB_BYTES) {
        s = nomen__slab_new();
        if (!s) return NULL;
        *s = (slab){depot[c].slabs, 0, 0};
        depot[c].slabs = s;
    }
    return (char *)s + SLAB_HEAD + s->carved++ * size;
}

/* Fills the thread's list of a class from the depot or from fresh memory; returns one block more.
 */
static NOMEN_NOINLINE void *refill(nomen__thread *me, int c, bool *miss) {
    size_t size = nomen__small_size(c);
    nomen__free_list *list = &me->small[c];
    uint32_t want = size >= REFILL ? 1 : (uint32_t)(REFILL / size), got = 0;
    void *result = NULL;
    pthread_mutex_lock(&lock);
    while (got <= want && depot[c].head) {
        void *p = depot[c].head;
        depot[c].head = link_of(p);
        depot[c].count--;
        link_to(p, list->head);
        list->head = p;
        got++;
    }
    *miss = got == 0;
    while (got <= want && *miss && !nomen__system_hooked()) {
        void *p = carve(c);
        if (!p) break;
        link_to(p, list->head);
        list->head = p;
        got++;
    }
    pthread_mutex_unlock(&lock);
    if (*miss && nomen__system_hooked()) return nomen__system_new(size);
    if (got) {
        result = list->head;
        list->head = link_of(result);
        atomic_store_explicit(&list->count, got - 1, memory_order_relaxed);
    }
    return result;
}

/* Takes count blocks off a list of the thread and puts them into the depot. */
static void spill(nomen__free_list *list, int c, uint32_t count) {
    if (!count) return;
    void *first = list->head, *last = first;
    for (uint32_t i = 1; i < count; i++) last = link_of(last);
    list->head = link_of(last);
    atomic_fetch_sub_explicit(&list->count, count, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    link_to(last, depot[c].head);
    depot[c].head = first;
    depot[c].count += count;
    pthread_mutex_unlock(&lock);
}

static slab *slab_of(void *block) {
    return (slab *)((uintptr_t)block & ~(uintptr_t)(NOMEN__SLAB_BYTES - 1));
}

/* With the lock held: takes slabs of which no block is in use out of the depot, for the caller to
 * give back. */
static slab *idle_slabs(int c) {
    depot_class *d = &depot[c];
    slab *found = NULL, *s, **link;
    for (s = d->slabs; s; s = s->next) s->idle = 0;
    for (void *p = d->head; p; p = link_of(p)) slab_of(p)->idle++;
    void *kept = NULL;
    int64_t count = 0;
    for (void *p = d->head, *next; p; p = next) {
        next = link_of(p);
        if (slab_of(p)->idle == slab_of(p)->carved) continue;
        link_to(p, kept);
        kept = p;
        count++;
    }
    d->head = kept;
    d->count = count;
    for (link = &d->slabs; (s = *link);) {
        if (s->idle == s->carved) {
            *link = s->next;
            s->next = found;
            found = s;
        } else {
            link = &s->next;
        }
    }
    return found;
}

/* With the lock held. */
static size_t depot_bytes(void) {
    size_t sum = 0;
    for (int c = 0; c < NOMEN__SMALL_CLASSES; c++)
        sum += (size_t)depot[c].count * nomen__small_size(c);
    return sum;
}

static void trim_depot(void) {
    for (int c = 0; c < NOMEN__SMALL_CLASSES; c++) {
        void *blocks = NULL;
        slab *slabs = NULL;
        pthread_mutex_lock(&lock);
        if (nomen__system_hooked()) {
            blocks = depot[c].head;
            depot[c].head = NULL;
            depot[c].count = 0;
        } else {
            slabs = idle_slabs(c);
        }
        pthread_mutex_unlock(&lock);
        for (void *next; blocks; blocks = next) {
            next = link_of(blocks);
            nomen__system_free(blocks, nomen__small_size(c));
        }
        for (slab *next; slabs; slabs = next) {
            next = slabs->next;
            nomen__slab_free(slabs);
        }
    }
    pthread_mutex_lock(&lock);
    /* What is left belongs to slabs in use: look again when as much has come in once more. */
    size_t limit = atomic_load(&cache_limit), left = depot_bytes();
    trim_at = limit > 2 * left ? limit : 2 * left + NOMEN__SLAB_BYTES;
    pthread_mutex_unlock(&lock);
}

static NOMEN_NOINLINE void small_overflow(nomen__thread *me, int c) {
    nomen__free_list *list = &me->small[c];
    spill(list, c, list->count / 2);
    pthread_mutex_lock(&lock);
    bool full = depot_bytes() > trim_at;
    pthread_mutex_unlock(&lock);
    if (full) trim_depot();
}

void nomen__buffer_drop(nomen__thread *t) {
    for (int c = 0; c < NOMEN__SMALL_CLASSES; c++) spill(&t->small[c], c, t->small[c].count);
    publish(t, 0);
}

static NOMEN_NOINLINE void *small_new_slowly(nomen__thread *me, size_t bytes, size_t *capacity) {
    int c = nomen__small_class(bytes);
    size_t size = nomen__small_size(c);
    if (atomic_load_explicit(&nomen__memory_limit, memory_order_relaxed)) {
        if (!reserve(me, size, bytes)) return NULL;
    } else {
        put_off(me, (int64_t)size);
    }
    bool miss = false;
    void *p = me->small[c].head;
    if (p)
        nomen__list_pop(&me->small[c]);
    else
        p = refill(me, c, &miss);
    if (!p) {
        nomen_empty_cache();
        p = refill(me, c, &miss);
    }
    if (!p) return no_memory(me, size, bytes);
    count_request(me, miss);
    *capacity = size;
    return p;
}

static inline void *small_new(nomen__thread *me, size_t bytes, size_t *capacity) {
    int c = nomen__small_class(bytes);
    nomen__free_list *list = &me->small[c];
    void *p = list->head;
    if (NOMEN_UNLIKELY(!p || atomic_load_explicit(&nomen__memory_limit, memory_order_relaxed)))
        return small_new_slowly(me, bytes, capacity);
    size_t size = nomen__small_size(c);
    nomen__list_pop(list);
    *capacity = size;
    nomen__count(&me->counters.allocations, 1);
    put_off(me, (int64_t)size);
    return p;
}

static inline void small_free(nomen__thread *me, void *p, size_t capacity) {
    int c = nomen__small_class(capacity);
    uint32_t count = nomen__list_push(&me->small[c], p);
    put_off(me, -(int64_t)capacity);
    if (NOMEN_UNLIKELY(count * capacity > SMALL_KEPT)) small_overflow(me, c);
}

/* ---- large buffers --------------------------------------------------------------------------- */

/* With the lock held: takes buffers out of the cache, the longest unused classes first, until at
 * most `most` bytes are left. Returns them as a list that large_give_back understands. */
typedef struct evicted {
    void *head[LARGE_CLASSES];
} evicted;

static void evict(size_t most, evicted *out) {
    memset(out, 0, sizeof *out);
    while (cached > most) {
        int oldest = -1;
        for (int c = 0; c < LARGE_CLASSES; c++)
            if (large[c].head && (oldest < 0 || large[c].tick < large[oldest].tick)) oldest = c;
        if (oldest < 0) return;
        while (large[oldest].head && cached > most) {
            void *p = large[oldest].head;
            large[oldest].head = link_of(p);
            link_to(p, out->head[oldest]);
            out->head[oldest] = p;
            cached -= large_class_size(oldest);
        }
    }
}

static void large_give_back(const evicted *out) {
    for (int c = 0; c < LARGE_CLASSES; c++)
        for (void *p = out->head[c], *next; p; p = next) {
            next = link_of(p);
            nomen__system_free(p, large_class_size(c));
        }
}

static NOMEN_NOINLINE void shrink_cache(size_t most) {
    evicted out;
    pthread_mutex_lock(&lock);
    evict(most, &out);
    pthread_mutex_unlock(&lock);
    large_give_back(&out);
}

static NOMEN_NOINLINE void *large_new(nomen__thread *me, size_t bytes, size_t *capacity) {
    if (bytes > NOMEN__MOST_BYTES) return no_memory(me, 0, bytes);
    size_t size;
    int c = large_class_of(bytes, &size);
    if (!reserve(me, size, bytes)) return NULL;
    pthread_mutex_lock(&lock);
    void *p = large[c].head;
    large[c].tick = ++ticks;
    if (p) {
        large[c].head = link_of(p);
        cached -= size;
    }
    pthread_mutex_unlock(&lock);
    bool miss = p == NULL;
    if (miss) p = nomen__system_new(size);
    if (!p) {
        nomen_empty_cache();
        p = nomen__system_new(size);
    }
    if (!p) return no_memory(me, size, bytes);
    count_request(me, miss);
    *capacity = size;
    return p;
}

static NOMEN_NOINLINE void large_free(nomen__thread *me, void *p, size_t capacity) {
    size_t size, limit = atomic_load_explicit(&cache_limit, memory_order_relaxed);
    int c = large_class_of(capacity, &size);
    publish(me, -(int64_t)capacity);
    if (size > limit) {
        nomen__system_free(p, size);
        return;
    }
    pthread_mutex_lock(&lock);
    link_to(p, large[c].head);
    large[c].head = p;
    large[c].tick = ++ticks;
    cached += size;
    bool full = cached > limit;
    pthread_mutex_unlock(&lock);
    if (NOMEN_UNLIKELY(full)) shrink_cache(limit);
}

/* ---- the two doors --------------------------------------------------------------------------- */

/* No caches: the exact size, so that a sanitizer finds the first byte too many. */
static void *exact_new(nomen__thread *me, size_t bytes, size_t *capacity) {
    if (bytes > NOMEN__MOST_BYTES) return no_memory(me, 0, bytes);
    if (!reserve(me, bytes, bytes)) return NULL;
    void *p = nomen__system_new(bytes);
    if (!p) return no_memory(me, bytes, bytes);
    count_request(me, true);
    *capacity = bytes;
    return p;
}

/* The first request of a thread, faults, large sizes, no caches. */
static NOMEN_NOINLINE void *new_slowly(size_t bytes, size_t *capacity) {
    nomen__thread *me = nomen__thread_get();
    if (!me || nomen__fault(me)) return no_memory(me, 0, bytes);
    if (!NOMEN__CACHING) return exact_new(me, bytes, capacity);
    return bytes <= NOMEN__SMALL_MAX ? small_new(me, bytes, capacity)
                                     : large_new(me, bytes, capacity);
}

static NOMEN_NOINLINE void free_slowly(void *p, size_t capacity) {
    nomen__thread *me = nomen__thread_get();
    if (!NOMEN__CACHING) {
        publish(me, -(int64_t)capacity);
        nomen__system_free(p, capacity);
    } else if (capacity > NOMEN__SMALL_MAX) {
        large_free(me, p, capacity);
    } else if (me) {
        small_free(me, p, capacity);
    } else { /* no memory for a state of this thread: straight to the depot */
        int c = nomen__small_class(capacity);
        publish(NULL, -(int64_t)capacity);
        pthread_mutex_lock(&lock);
        link_to(p, depot[c].head);
        depot[c].head = p;
        depot[c].count++;
        pthread_mutex_unlock(&lock);
    }
}

void *nomen__buffer_new(size_t bytes, size_t *capacity) {
    nomen__thread *me = nomen__thread_here;
    if (NOMEN__CACHING && NOMEN_LIKELY(me && bytes <= NOMEN__SMALL_MAX) && !nomen__faults_wait(me))
        return small_new(me, bytes, capacity);
    return new_slowly(bytes, capacity);
}

void nomen__buffer_free(void *p, size_t capacity) {
    nomen__thread *me = nomen__thread_here;
    if (NOMEN__CACHING && NOMEN_LIKELY(p && me && capacity <= NOMEN__SMALL_MAX))
        small_free(me, p, capacity);
    else if (p)
        free_slowly(p, capacity);
}

/* ---- limits and statistics ------------------------------------------------------------------- */

void nomen__buffer_start(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 32;
    trim_at = (size_t)(memory / 4 < NOMEN__MOST_BYTES ? memory / 4 : NOMEN__MOST_BYTES);
    atomic_store(&cache_limit, trim_at);
}

void nomen__buffer_fork(nomen__fork phase) {
    if (phase == NOMEN__FORK_BEFORE)
        pthread_mutex_lock(&lock);
    else
        pthread_mutex_unlock(&lock);
}

void nomen_empty_cache(void) {
    nomen__thread *me = nomen__thread_get();
    if (me) {
        nomen__pairs_drop(me);
        nomen__buffer_drop(me);
        nomen__alloc_drop(me);
    }
    trim_depot();
    shrink_cache(0);
}

void nomen_set_cache_limit(size_t bytes) {
    nomen__thread_get(); /* the defaults first, or they would overwrite this */
    atomic_store(&cache_limit, bytes);
    pthread_mutex_lock(&lock);
    trim_at = bytes;
    pthread_mutex_unlock(&lock);
    shrink_cache(bytes);
}

nomen_status nomen__headers_fit(int64_t count) {
    const size_t limit = atomic_load_explicit(&nomen__memory_limit, memory_order_relaxed);
    if (!limit || (uint64_t)count <= limit / sizeof(nomen_tensor)) return NOMEN_OK;
    return nomen__fail(
        NOMEN_ERROR_MEMORY,
        "%lld tensors are more than the %zu bytes that nomen_set_memory_limit allows "
        "have room for",
        (long long)count, limit);
}

void nomen_set_memory_limit(size_t bytes) { atomic_store(&nomen__memory_limit, bytes); }

nomen_memory_stats nomen_get_memory_stats(void) {
    nomen__thread_get();
    nomen__totals t = nomen__thread_totals();
    int64_t now = atomic_load_explicit(&live, memory_order_relaxed) + t.bytes;
    raise_peak(now);
    pthread_mutex_lock(&lock);
    int64_t kept = (int64_t)(cached + depot_bytes());
    pthread_mutex_unlock(&lock);
    return (nomen_memory_stats){
        .bytes_live = now,
        .bytes_peak = atomic_load_explicit(&peak, memory_order_relaxed),
        .bytes_cached = kept + t.small_free,
        .buffers_live = t.storages,
        .allocations = t.allocations,
        .misses = t.misses,
        .tensors_live = t.tensors,
        .metadata_live = t.metadata,
    };
}
