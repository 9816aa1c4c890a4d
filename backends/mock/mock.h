/* The parts of the mock backend: a device that is memory of the host, which the host cannot touch.
 */
#ifndef NOMEN_MOCK_H
#define NOMEN_MOCK_H

#include "nomen/backend.h"

#include <pthread.h>
#include <stdbool.h>

enum { MOCK_DEVICES = 2, MOCK_DIMS = 64, MOCK_OUT = 2, MOCK_IN = 4 };

typedef struct mock_stream mock_stream;
typedef struct mock_block mock_block;

typedef struct mock_state {
    const nomen_backend_host *host;
    pthread_mutex_t lock;  /* for all that follows, and for all streams */
    char *device, *memory; /* the addresses handed out, and the memory behind them */
    size_t used;
    mock_block *blocks;
    void *free_lists[64]; /* by power of two, linked through the memory itself */
} mock_state;

/* ---- memory (mock_memory.c); the caller has the lock ----------------------------------------- */

nomen_status mock_memory_open(mock_state *s);
void mock_memory_close(mock_state *s);
nomen_status mock_memory_new(mock_state *s, int32_t device, size_t bytes, void **at);
/* No new work may use the block from now on, and from mock_memory_free on it is gone. */
nomen_status mock_memory_retire(mock_state *s, void *at, size_t bytes);
void mock_memory_free(mock_state *s, void *at);
/* Where the bytes at a device's address are; NULL, and an error, unless they lie in one block of
 * that device that is in use. */
char *mock_memory_at(mock_state *s, int32_t device, const void *at, size_t bytes);

/* ---- kernels (mock_kernels.c) ---------------------------------------------------------------- */

typedef struct mock_operand {
    char *at;     /* NULL: absent */
    char own[16]; /* of a number */
    nomen_dtype dtype;
    int32_t ndim;
    bool number;
    int64_t size[MOCK_DIMS], stride[MOCK_DIMS];
} mock_operand;

typedef struct mock_work mock_work;
typedef struct mock_kernel mock_kernel;
struct mock_work {
    const mock_kernel *kernel;
    nomen_dtype compute;
    int32_t outputs, inputs, dim;
    uint64_t dims;
    mock_operand out[MOCK_OUT], in[MOCK_IN];
};

/* NULL: there is none of that name for that dtype. */
const mock_kernel *mock_kernel_find(const char *name, nomen_dtype compute);
void mock_kernel_run(const mock_work *w);
size_t mock_item(nomen_dtype dtype);

/* ---- streams (mock_stream.c) ----------------------------------------------------------------- */

nomen_status mock_stream_new(void *state, int32_t device, void **stream);
void mock_stream_free(void *state, void *stream);
nomen_status mock_record(void *state, void *stream, void **event);
nomen_status mock_wait(void *state, void *stream, void *event);
void mock_event_free(void *state, void *event);
nomen_status mock_synchronize(void *state, void *stream);
nomen_status mock_alloc(void *state, void *stream, size_t bytes, void **at);
void mock_free(void *state, void *stream, void *at, size_t bytes);
nomen_status mock_copy(void *state, void *stream, nomen_backend_way way, void *to, const void *from,
                       size_t bytes);
nomen_status mock_launch(void *state, const nomen_backend_call *call);

#endif
