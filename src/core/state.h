/* What the files of the core share among themselves: the state of one thread, the system's memory,
 * the start and end of things. Other rooms see core.h only. */
#ifndef NOMEN_SRC_STATE_H
#define NOMEN_SRC_STATE_H

#include "core/core.h"
#include "nomen/memory.h"
#include "nomen/scope.h"

#include <string.h>

/* Where memory is watched every request goes to the system, so that it is seen: a block that is
 * kept for the next request would still count as written. */
#if defined(__SANITIZE_ADDRESS__) && !defined(NOMEN_NO_CACHE)
#define NOMEN_NO_CACHE 1
#elif defined(__has_feature) && !defined(NOMEN_NO_CACHE)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define NOMEN_NO_CACHE 1
#endif
#endif
#ifdef NOMEN_NO_CACHE
enum { NOMEN__CACHING = 0 };
#else
enum { NOMEN__CACHING = 1 };
#endif

#ifdef NOMEN_FAULTS
enum { NOMEN__FAULTY = 1 };
#else
enum { NOMEN__FAULTY = 0 };
#endif

enum {
    NOMEN__META_MAX = 512,
    NOMEN__META_CLASSES = 16,
    NOMEN__META_KEPT = 512, /* blocks of one size that a thread keeps */
    NOMEN__SMALL_MAX = 4096,
    NOMEN__SMALL_CLASSES = 32,
    NOMEN__PAIR_CLASSES = 17, /* of the small classes those that an inlined storage can have */
    NOMEN__PAIRS_KEPT = 32,   /* of one class */
};

/* Free blocks of one size, linked through their first word. Others read `count` for the statistics.
 */
typedef struct nomen__free_list {
    void *head;
    _Atomic uint32_t count;
} nomen__free_list;

static inline uint32_t nomen__list_count(const nomen__free_list *list) {
    return atomic_load_explicit(&list->count, memory_order_relaxed);
}

/* The head must not be NULL. */
static inline void nomen__list_pop(nomen__free_list *list) {
    memcpy(&list->head, list->head, sizeof list->head);
    atomic_store_explicit(&list->count, nomen__list_count(list) - 1, memory_order_relaxed);
}

/* Returns how many there are now. */
static inline uint32_t nomen__list_push(nomen__free_list *list, void *block) {
    memcpy(block, &list->head, sizeof list->head);
    list->head = block;
    uint32_t count = nomen__list_count(list) + 1;
    atomic_store_explicit(&list->count, count, memory_order_relaxed);
    return count;
}

/* Written by the owner only, read by whoever asks for statistics: relaxed loads and stores, no
 * locked instruction. A thread that frees what others made goes below zero; only the sums mean
 * something. */
typedef struct nomen__counters {
    _Atomic int64_t tensors, storages, metadata, allocations, misses;
    _Atomic int64_t bytes; /* handed out or taken back, not yet added to the process-wide sum */
} nomen__counters;

static inline void nomen__count(_Atomic int64_t *counter, int64_t by) {
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + by, memory_order_relaxed);
}

typedef struct nomen__scope nomen__scope;
struct nomen__scope {
    struct nomen__thread *thread;
    nomen__scope *outer,
        *inner; /* inner is kept after it is closed, with the capacity it has grown to */
    nomen_tensor **items;
    int64_t used, room;
    struct nomen__scope_block *blocks; /* arrays of nomen__scope_array */
    int64_t depth;                     /* 0: the root scope of the thread */
    int generation;                    /* tells this opening from earlier ones at the same depth */
};

enum {
    NOMEN__OP_BYTES = 64,
    NOMEN__MESSAGE_BYTES = 1024,
    NOMEN__OPERANDS_BYTES = 512,
    NOMEN__HINT_BYTES = 384
};

typedef struct nomen__error_state {
    nomen_error public;
    bool fresh;    /* not looked at: the next failure must not replace it */
    bool reported; /* handed out by nomen_last_error */
    bool took;     /* the last failure was the one recorded, so its context may follow */
    char op[NOMEN__OP_BYTES], message[NOMEN__MESSAGE_BYTES], operands[NOMEN__OPERANDS_BYTES],
        hint[NOMEN__HINT_BYTES];
    char text[NOMEN__OP_BYTES + NOMEN__MESSAGE_BYTES + NOMEN__OPERANDS_BYTES + NOMEN__HINT_BYTES +
              16];
} nomen__error_state;

typedef struct nomen__thread nomen__thread;
struct nomen__thread {
    nomen__free_list meta[NOMEN__META_CLASSES], small[NOMEN__SMALL_CLASSES],
        pairs[NOMEN__PAIR_CLASSES];
    nomen__counters counters;
    nomen__scope root, *current;
    int generation;
    nomen__thread *next, *previous; /* in the list of all threads */
    int64_t fail_in, requests;      /* of NOMEN_FAULTS */
    int64_t call_fails_in, calls;   /* the same of calls of the system */
    int call_error;
    bool (*interrupt)(void *payload); /* nomen_set_interrupt */
    void (*begins)(void *payload);    /* what is to be done once, before work begins */
    void *interrupt_payload;          /* of both */
    int64_t asked_at;                 /* when it was last asked */
    bool quiet;   /* it is being called, or must not be, because a lock is held */
    bool stopped; /* a task that runs in this thread alone was told to stop */
    nomen__error_state error;
};

/* ---- threads (global.c) ---------------------------------------------------------------------- */

/* One pointer of static TLS: the cheapest access there is from a shared library. All thread-local
 * variables of the library share that small space, or a program cannot dlopen it: they must stay a
 * few bytes in sum, and whatever is larger belongs into the block. */
extern _Thread_local nomen__thread *nomen__thread_here __attribute__((tls_model("initial-exec")));

nomen__thread *nomen__thread_start(void);
/* NULL, without an error, if there is no memory for it. */
static inline nomen__thread *nomen__thread_get(void) {
    nomen__thread *me = nomen__thread_here;
    return NOMEN_LIKELY(me != NULL) ? me : nomen__thread_start();
}
/* Of threads for whose state there was no memory, which can still let go of what others made. */
extern nomen__counters nomen__orphans;
static inline nomen__counters *nomen__counters_of(nomen__thread *me) {
    return NOMEN_LIKELY(me != NULL) ? &me->counters : &nomen__orphans;
}
/* Sums of the counters of all threads, dead ones included. */
typedef struct nomen__totals {
    int64_t tensors, storages, metadata, allocations, misses, bytes, small_free;
} nomen__totals;
nomen__totals nomen__thread_totals(void);

/* ---- metadata, the short way (alloc.c) ------------------------------------------------------- */

/* 16 .. 128 by 16, .. 256 by 32, .. 512 by 64. */
static inline int nomen__meta_class(size_t bytes) {
    if (bytes <= 128) return bytes ? (int)((bytes - 1) >> 4) : 0;
    if (bytes <= 256) return 8 + (int)((bytes - 129) >> 5);
    return 12 + (int)((bytes - 257) >> 6);
}

/* Records the error and returns NULL. */
void *nomen__no_memory(size_t bytes);
/* true: this request is to fail (NOMEN_FAULTS). Counts requests. */
bool nomen__fault(nomen__thread *me);
/* true: a request is going to fail (NOMEN_FAULTS), so all are to be counted: no short ways. */
static inline bool nomen__faults_wait(const nomen__thread *me) {
    return NOMEN__FAULTY && me && me->fail_in >= 0;
}
void *nomen__alloc_slowly(nomen__thread *me, size_t bytes);
void nomen__free_slowly(nomen__thread *me, void *p, size_t bytes);

/* nomen__alloc and nomen__free for callers that know their thread (NULL: not yet) and a constant
 * size. */
static inline void *nomen__alloc_here(nomen__thread *me, size_t bytes) {
    if (NOMEN__FAULTY && me && nomen__fault(me)) return nomen__no_memory(bytes);
    if (NOMEN__CACHING && NOMEN_LIKELY(me && bytes <= NOMEN__META_MAX)) {
        nomen__free_list *list = &me->meta[nomen__meta_class(bytes)];
        void *p = list->head;
        if (NOMEN_LIKELY(p != NULL)) {
            nomen__list_pop(list);
            nomen__count(&me->counters.metadata, (int64_t)bytes);
            return p;
        }
    }
    return nomen__alloc_slowly(me, bytes);
}

static inline void nomen__free_here(nomen__thread *me, void *p, size_t bytes) {
    if (NOMEN__CACHING && NOMEN_LIKELY(me && bytes <= NOMEN__META_MAX)) {
        nomen__free_list *list = &me->meta[nomen__meta_class(bytes)];
        if (NOMEN_LIKELY(nomen__list_count(list) < NOMEN__META_KEPT)) {
            nomen__count(&me->counters.metadata, -(int64_t)bytes);
            nomen__list_push(list, p);
            return;
        }
    }
    nomen__free_slowly(me, p, bytes);
}

typedef enum nomen__fork { NOMEN__FORK_BEFORE, NOMEN__FORK_PARENT, NOMEN__FORK_CHILD } nomen__fork;

/* ---- the system's memory (alloc.c) ----------------------------------------------------------- */

/* Straight from the system or the user's allocator; 64-byte aligned; no error recorded. */
void *nomen__system_new(size_t bytes);
void nomen__system_free(void *p, size_t bytes);
/* Blocks of NOMEN__SLAB_BYTES aligned to their size. */
enum { NOMEN__SLAB_BYTES = 256 * 1024 };
void *nomen__slab_new(void);
void nomen__slab_free(void *p);
/* Is a user's allocator in place? Then small buffers are asked for one by one: it promises no
 * alignment for slabs. */
bool nomen__system_hooked(void);
/* For what lives as long as the process (the name table). Not in the statistics. Error recorded on
 * failure. */
void *nomen__alloc_forever(size_t bytes);
nomen__thread *nomen__thread_block_new(void); /* zeroed */
void nomen__thread_block_free(nomen__thread *t);
/* Gives the metadata free lists of a thread back to the system. */
void nomen__alloc_drop(nomen__thread *t);

/* ---- buffers (buffer.c) ---------------------------------------------------------------------- */

static inline int nomen__small_class(size_t bytes) {
    if (NOMEN_LIKELY(bytes <= 1024)) return bytes ? (int)((bytes - 1) >> 6) : 0;
    return bytes <= 2048 ? 16 + (int)((bytes - 1025) >> 7) : 24 + (int)((bytes - 2049) >> 8);
}
size_t nomen__small_size(int class_index);
extern _Atomic size_t nomen__memory_limit; /* 0: none */
/* Gives the small free lists of a thread to the depot. */
void nomen__buffer_drop(nomen__thread *t);
void nomen__buffer_start(void); /* default limits */
void nomen__buffer_fork(nomen__fork phase);

/* ---- storages (storage.c) -------------------------------------------------------------------- */

enum {
    NOMEN__STORAGE_HEAD = 64, /* room of the header in an inlined block, so that the data behind it
                                 is 64-byte aligned */
    NOMEN__INLINED = 1024,    /* up to this many bytes of data share a block with the header: one
                                 allocation, not two */
};

/* ---- pairs (tensor.c) ------------------------------------------------------------------------ */

/* What lies ready in the pairs of a thread. */
typedef struct nomen__pairs {
    int64_t count, bytes;
} nomen__pairs;
nomen__pairs nomen__pairs_of(const nomen__thread *t);
/* Takes them apart and gives the pieces back. */
void nomen__pairs_drop(nomen__thread *t);

/* ---- others ---------------------------------------------------------------------------------- */

void nomen__scope_drop(
    nomen__thread *t); /* closes all scopes, the root too, and frees their memory */
void nomen__names_fork(nomen__fork phase);
void nomen__parallel_fork(nomen__fork phase);
void nomen__parallel_stop(void); /* ends the workers, unless a job is running */

#endif
