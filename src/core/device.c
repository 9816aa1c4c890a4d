/* Devices: the table of those that are in use, and tensors on them. How a backend is found and
 * checked is in backend.c. */
#include "core/backends.h"
#include "core/forks.h"
#include "core/state.h"
#include "nomen/device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BACKENDS = 16 };

typedef struct opened {
    char type[NOMEN__TYPE_BYTES];
    nomen_backend backend;
} opened;

/* Entries are written once, with the lock held, before their number is handed out: reading takes no
 * lock. */
static opened backends[MOST_BACKENDS];
static nomen__device devices[NOMEN__MOST_DEVICES] = {{.name = "cpu"}};
static int backend_count, device_count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void) { pthread_mutex_lock(&lock); }

static void give(void) { pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void watch_forks(void) { nomen__watch_forks(take, give); }

/* ---- the table ------------------------------------------------------------------------------- */

const nomen__device *nomen__device_at(unsigned number) { return &devices[number]; }

const char *nomen__device_name(unsigned number) { return devices[number].name; }

const char *nomen_device_of(const nomen_tensor *t) {
    return t ? nomen__device_name(t->device) : NULL;
}

/* With the lock held. */
static nomen_status backend_of(const char *type, size_t length, nomen_backend **b) {
    for (int i = 0; i < backend_count; i++)
        if (strlen(backends[i].type) == length && !memcmp(backends[i].type, type, length)) {
            *b = &backends[i].backend;
            return NOMEN_OK;
        }
    if (backend_count == MOST_BACKENDS)
        return nomen__fail(NOMEN_ERROR_DEVICE, "there are %d backends already: no more are opened",
                           MOST_BACKENDS);
    opened *next = &backends[backend_count];
    nomen_status s = nomen__backend_open(type, length, &next->backend);
    if (s) return s;
    memcpy(next->type, type, length);
    next->type[length] = 0;
    backend_count++;
    *b = &next->backend;
    return NOMEN_OK;
}

static nomen_status no_such(const char *text, int32_t count) {
    return nomen__fail(NOMEN_ERROR_DEVICE,
                       "invalid device ordinal: there is no '%s', the backend has %d device%s",
                       text, (int)count, count == 1 ? "" : "s");
}

/* With the lock held. */
static nomen_status device_of(const char *text, size_t length, int32_t index, uint8_t *number) {
    nomen_backend *b = NULL;
    nomen_status s = backend_of(text, length, &b);
    if (s) return s;
    for (int i = 1; i < device_count; i++)
        if (devices[i].backend == b && devices[i].index == index) {
            *number = (uint8_t)i;
            return NOMEN_OK;
        }
    int32_t count = b->count(b->state);
    if (index >= count) return no_such(text, count);
    if (device_count == NOMEN__MOST_DEVICES)
        return nomen__fail(NOMEN_ERROR_DEVICE, "%d devices are in use already: no more are opened",
                           NOMEN__MOST_DEVICES);
    nomen__device *d = &devices[device_count];
    s = b->stream_new(b->state, index, &d->stream);
    if (s) return nomen__error_pending() ? s : nomen__fail(s, "%s cannot be used", text);
    d->backend = b;
    d->index = index;
    snprintf(d->name, sizeof d->name, "%.*s:%d", (int)length, text, (int)index);
    *number = (uint8_t)device_count++;
    return NOMEN_OK;
}

/* The digits behind the colon; -1 if they are none. */
static int32_t index_in(const char *digits) {
    size_t n = strspn(digits, "0123456789");
    if (!n || digits[n] || n > 4 || (n > 1 && *digits == '0')) return -1;
    int32_t index = 0;
    for (size_t i = 0; i < n; i++) index = 10 * index + (digits[i] - '0');
    return index;
}

nomen_status nomen__device_find(const char *text, uint8_t *number) {
    *number = 0;
    if (!text || !strcmp(text, "cpu")) return NOMEN_OK;
    size_t length = strcspn(text, ":");
    int32_t index = text[length] ? index_in(text + length + 1) : 0;
    if (index < 0 || !length)
        return nomen__fail(NOMEN_ERROR_DEVICE, "Invalid device string: '%.80s'", text);
    if (length == 3 && !memcmp(text, "cpu", 3))
        return index ? nomen__fail(NOMEN_ERROR_DEVICE, "CPU device index must be 0, got %d",
                                   (int)index)
                     : NOMEN_OK;
    nomen__thread_get();
    take();
    nomen_status s = device_of(text, length, index, number);
    give();
    return s;
}

int nomen_device_count(const char *type) {
    if (!type || !strcmp(type, "cpu")) return type ? 1 : 0;
    if (!nomen__backend_exists(type, strlen(type))) return 0;
    nomen_backend *b = NULL;
    nomen__thread_get();
    take();
    nomen_status s = backend_of(type, strlen(type), &b);
    int count = s ? -1 : (int)b->count(b->state);
    give();
    return count;
}

nomen_status nomen_synchronize(const char *device) {
    uint8_t number;
    nomen_status s = nomen__device_find(device, &number);
    if (s || !number) return s;
    const nomen__device *d = &devices[number];
    return d->backend->synchronize(d->backend->state, d->stream);
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct block {
    const nomen__device *device;
    void *at;
    size_t bytes;
} block;

static void release_block(void *payload) {
    block *b = payload;
    const nomen_backend *backend = b->device->backend;
    bool pending = nomen__error_pending();
    backend->free(backend->state, b->device->stream, b->at, b->bytes);
    if (!pending) nomen__error_drop(); /* it had no memory for a note, say, and did without */
    nomen__free(b, sizeof *b);
}

/* A backend may be wrong: whatever it says, there must be memory. */
static nomen_status memory_of(const nomen__device *d, size_t bytes, void **at) {
    nomen_status s = d->backend->alloc(d->backend->state, d->stream, bytes, at);
    if (s)
        return nomen__error_pending() ? s
                                      : nomen__fail(NOMEN_ERROR_MEMORY,
                                                    "%s cannot allocate %zu bytes: free some "
                                                    "tensors first",
                                                    d->name, bytes);
    if (*at && (uintptr_t)*at % 64 == 0 && (uintptr_t)*at <= UINTPTR_MAX - bytes) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_DEVICE,
                       "the backend of %s handed out the address %p for %zu bytes, which cannot be",
                       d->name, *at, bytes);
}

static nomen__storage *storage_on(const nomen__device *d, size_t bytes) {
    block *b = nomen__alloc(sizeof *b);
    if (!b) return NULL;
    *b = (block){d, NULL, bytes ? bytes : 1};
    nomen__storage *s = nomen__storage_foreign(NULL, bytes, NULL, NULL);
    if (!s || memory_of(d, b->bytes, &b->at)) {
        if (s) nomen__storage_release(s);
        nomen__free(b, sizeof *b);
        return NULL;
    }
    s->data = b->at;
    s->release = release_block;
    s->payload = b;
    return s;
}

nomen_tensor *nomen__tensor_empty_on(unsigned device, nomen_dtype dtype, int ndim,
                                     const int64_t *size) {
    if (NOMEN_LIKELY(!device)) return nomen__tensor_empty(dtype, ndim, size);
    int64_t numel = nomen__checked_numel(size, ndim, nomen_dtype_size(dtype));
    nomen_tensor *t = numel < 0 ? NULL : nomen__tensor_new(dtype, ndim);
    if (!t) return NULL;
    t->storage = storage_on(&devices[device], (size_t)(numel * nomen__item(dtype)));
    if (!t->storage) {
        nomen__tensor_free(t);
        return NULL;
    }
    t->data = t->storage->data;
    t->device = (uint8_t)device;
    t->flags |= NOMEN__AWAY;
    for (int i = 0; i < ndim; i++) t->size[i] = size[i];
    nomen__contiguous_strides(size, ndim, t->stride);
    nomen__tensor_finish(t);
    return t;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static nomen_status copy(const nomen__device *d, nomen_backend_way way, void *to, const void *from,
                         size_t bytes) {
    return d->backend->copy(d->backend->state, d->stream, way, to, from, bytes);
}

nomen_status nomen__move_bytes(nomen_tensor *to, const nomen_tensor *from) {
    size_t bytes = (size_t)(to->numel * nomen__item(to->dtype));
    if (to->device == from->device)
        return copy(&devices[to->device], NOMEN_BACKEND_WITHIN, to->data, from->data, bytes);
    if (!from->device)
        return copy(&devices[to->device], NOMEN_BACKEND_TO_DEVICE, to->data, from->data, bytes);
    if (!to->device)
        return copy(&devices[from->device], NOMEN_BACKEND_FROM_DEVICE, to->data, from->data, bytes);
    size_t capacity; /* two devices know nothing of each other */
    char *between = nomen__buffer_new(bytes, &capacity);
    if (!between) return NOMEN_ERROR_MEMORY;
    nomen_status s =
        copy(&devices[from->device], NOMEN_BACKEND_FROM_DEVICE, between, from->data, bytes);
    if (!s) s = copy(&devices[to->device], NOMEN_BACKEND_TO_DEVICE, to->data, between, bytes);
    nomen__buffer_free(between, capacity);
    return s;
}

nomen_status nomen__need_cpu(const char *what, const nomen_tensor *t) {
    if (NOMEN_LIKELY(!t->device)) return nomen__make_ready(t);
    return nomen__hint(nomen__fail(NOMEN_ERROR_UNSUPPORTED, "%s cannot be on '%s'", what,
                                   nomen__device_name(t->device)),
                       "x.cpu() brings a tensor to the CPU");
}

nomen_status nomen__element(const nomen_tensor *t, void *value) {
    size_t item = (size_t)nomen__item(t->dtype);
    if (t->device)
        return copy(&devices[t->device], NOMEN_BACKEND_FROM_DEVICE, value, t->data, item);
    nomen_status s = nomen__make_ready(t);
    if (!s) memcpy(value, t->data, item);
    return s;
}
