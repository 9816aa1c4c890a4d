/* Memory and threads of the library as a whole. */
#ifndef NOMEN_MEMORY_H
#define NOMEN_MEMORY_H

#include "nomen/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nomen_memory_stats {
    int64_t bytes_live;    /* handed out to storages now */
    int64_t bytes_peak;    /* the most of that so far */
    int64_t bytes_cached;  /* kept for reuse */
    int64_t buffers_live;  /* storages alive */
    int64_t allocations;   /* requests so far */
    int64_t misses;        /* of them, those that went to the system */
    int64_t tensors_live;  /* tensor headers alive */
    int64_t metadata_live; /* bytes of headers, nodes and lists alive */
} nomen_memory_stats;

/* The figures as they are now.
 * Example:
 *     int64_t before = nomen_get_memory_stats().bytes_live;
 *     nomen_ones("N", NOMEN_SIZES(1000));
 *     nomen_get_memory_stats().bytes_live >= before + 4000 */
NOMEN_API nomen_memory_stats nomen_get_memory_stats(void);
/* Gives cached buffers back to the system.
 * Example:
 *     nomen_empty_cache(); */
NOMEN_API void nomen_empty_cache(void);
/* At most this many bytes are kept for reuse (default: a quarter of the machine's memory).
 * Example:
 *     nomen_set_cache_limit((size_t)1 << 30); */
NOMEN_API void nomen_set_cache_limit(size_t bytes);
/* At most this many bytes are handed out; 0: no limit. A request beyond it fails with
 * NOMEN_ERROR_MEMORY.
 * Example:
 *     nomen_set_memory_limit((size_t)nomen_get_memory_stats().bytes_live + 1000);
 *     nomen_ones("N", NOMEN_SIZES(1000000)) == NULL
 *     nomen_last_error()->code == NOMEN_ERROR_MEMORY
 *     nomen_set_memory_limit(0); */
NOMEN_API void nomen_set_memory_limit(size_t bytes);

/* Where memory comes from. alloc returns 64-byte aligned memory or NULL; free gets what alloc gave.
 * Call it before the first tensor is made, otherwise NOMEN_ERROR_STATE. */
typedef struct nomen_allocator {
    void *(*alloc)(void *payload, size_t bytes);
    void (*free)(void *payload, void *p, size_t bytes);
    void *payload;
} nomen_allocator;
/* Takes another source of memory.
 * Errors: NOMEN_ERROR_STATE when tensors were made before.
 * Example:
 *     nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_allocator mine = {0};
 *     nomen_set_allocator(&mine) == NOMEN_ERROR_STATE // too late */
NOMEN_API nomen_status nomen_set_allocator(const nomen_allocator *allocator);

/* How many threads large operations may use, 1 to 1024; results do not depend on it.
 * Errors: NOMEN_ERROR_VALUE for another number.
 * Example:
 *     nomen_set_num_threads(1) == NOMEN_OK && nomen_get_num_threads() == 1
 *     nomen_set_num_threads(0) == NOMEN_ERROR_VALUE */
NOMEN_API nomen_status nomen_set_num_threads(int n); /* 1 .. 1024 */
NOMEN_API int nomen_get_num_threads(void);

/* What long operations of this thread ask about five times a second, between pieces of their work:
 * true ends them with NOMEN_ERROR_INTERRUPTED. Fresh results then do not appear; what was to be
 * written in place or by .out keeps its sizes, dtype and names, but its elements may be old, new or
 * half made. The function is called in the thread that called the operation, never by workers; it
 * may look at a flag of a signal handler, or at a clock. NULL: nothing is asked (as at first).
 * Errors: NOMEN_ERROR_MEMORY where there is none for the state of a thread.
 * Example:
 *     nomen_set_interrupt(NULL, NULL) == NOMEN_OK */
NOMEN_API nomen_status nomen_set_interrupt(bool (*asked)(void *payload), void *payload);

#ifdef __cplusplus
}
#endif
#endif
