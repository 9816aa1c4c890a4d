/* Memory and threads of the library as a whole. */
#ifndef NOMEN_MEMORY_H
#define NOMEN_MEMORY_H

#include "nomen/error.h"

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

/* The figures as they are now. */
NOMEN_API nomen_memory_stats nomen_get_memory_stats(void);
/* Gives cached buffers back to the system. */
NOMEN_API void nomen_empty_cache(void);
/* At most this many bytes are kept for reuse (default: a quarter of the machine's memory). */
NOMEN_API void nomen_set_cache_limit(size_t bytes);
/* At most this many bytes are handed out; 0: no limit. A request beyond it fails with
 * NOMEN_ERROR_MEMORY. */
NOMEN_API void nomen_set_memory_limit(size_t bytes);

/* Where memory comes from. alloc returns 64-byte aligned memory or NULL; free gets what alloc gave.
 * Call it before the first tensor is made, otherwise NOMEN_ERROR_STATE. */
typedef struct nomen_allocator {
    void *(*alloc)(void *payload, size_t bytes);
    void (*free)(void *payload, void *p, size_t bytes);
    void *payload;
} nomen_allocator;
NOMEN_API nomen_status nomen_set_allocator(const nomen_allocator *allocator);

NOMEN_API nomen_status nomen_set_num_threads(int n); /* 1 .. 1024 */
NOMEN_API int nomen_get_num_threads(void);

#ifdef __cplusplus
}
#endif
#endif
