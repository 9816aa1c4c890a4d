/* A backend with one mistake, which BROKEN says: memory of the host, kernels that do nothing. */
#include "nomen/backend.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum mistake {
    noentry,
    version,
    small,
    large,
    refuses,
    silent,
    nofunction,
    nokernel,
    nodevice,
    nostream,
    nowhere_memory,
    askew_memory,
    last_memory,
    no_memory,
    bad_copy,
    bad_kernel,
    starved,
    mute,
    badstream,
    many
};

static const nomen_backend_host *host;
static char memory[4096] __attribute__((aligned(64)));

static int32_t count(void *s) {
    (void)s;
    return BROKEN == nodevice ? 0 : BROKEN == many ? 1000 : 1;
}

static nomen_status stream_new(void *s, int32_t device, void **stream) {
    (void)device;
    *stream = s;
    if (BROKEN == badstream) return host->fail(NOMEN_ERROR_DEVICE, "the fan does not turn");
    return BROKEN == nostream ? NOMEN_ERROR_DEVICE : NOMEN_OK;
}

static void stream_free(void *s, void *stream) {
    (void)s;
    (void)stream;
}

static nomen_status record(void *s, void *stream, void **event) {
    (void)stream;
    *event = s;
    return NOMEN_OK;
}

static nomen_status wait_for(void *s, void *stream, void *event) {
    (void)s;
    (void)stream;
    (void)event;
    return NOMEN_OK;
}

static nomen_status synchronize(void *s, void *stream) {
    (void)s;
    (void)stream;
    return NOMEN_OK;
}

static nomen_status take(void *s, void *stream, size_t bytes, void **at) {
    (void)s;
    (void)stream;
    (void)bytes;
    *at = BROKEN == nowhere_memory ? NULL : BROKEN == askew_memory ? memory + 4 : memory;
    if (BROKEN == last_memory) *at = (void *)(UINTPTR_MAX & ~(uintptr_t)63);
    return BROKEN == no_memory ? NOMEN_ERROR_MEMORY : NOMEN_OK;
}

static void give(void *s, void *stream, void *at, size_t bytes) {
    (void)s;
    (void)stream;
    (void)at;
    (void)bytes;
}

static nomen_status copy(void *s, void *stream, nomen_backend_way way, void *to, const void *from,
                         size_t bytes) {
    (void)s;
    (void)stream;
    (void)way;
    if (BROKEN == bad_copy) return host->fail(NOMEN_ERROR_DEVICE, "the cable is out");
    memcpy(to, from, bytes);
    return NOMEN_OK;
}

static nomen_status fails(void *s, const nomen_backend_call *call) {
    (void)s;
    (void)call;
    return NOMEN_ERROR_DEVICE;
}

static nomen_backend_kernel *find(void *s, const char *kernel, nomen_dtype compute) {
    (void)s;
    if (BROKEN == nokernel && !strcmp(kernel, "fill") && compute == NOMEN_F64) return NULL;
    bool there = !strcmp(kernel, "fill") || !strcmp(kernel, "add") || !strcmp(kernel, "copy");
    return there ? fails : NULL;
}

/* One that is not used is closed all the same. */
static void closes(void *s) { memset(s, 0, sizeof memory); }

NOMEN_BACKEND_EXPORT nomen_backend_open_function OPEN;

nomen_status OPEN(const nomen_backend_host *h, nomen_backend *b) {
    host = h;
    if (BROKEN == refuses) return h->fail(NOMEN_ERROR_DEVICE, "the driver is too old");
    if (BROKEN == silent) return NOMEN_ERROR_DEVICE;
    if (BROKEN == starved) return h->fail(NOMEN_ERROR_MEMORY, "no room for the tables");
    if (BROKEN == mute) return h->fail(NOMEN_OK, NULL);
    b->version = BROKEN == version ? 9 : NOMEN_BACKEND_VERSION;
    b->bytes = BROKEN == small ? 8 : BROKEN == large ? b->bytes + 8 : sizeof *b;
    b->name = "broken";
    b->state = memory;
    b->count = count;
    b->stream_new = stream_new;
    b->stream_free = stream_free;
    b->record = record;
    b->wait = wait_for;
    b->event_free = stream_free;
    b->synchronize = synchronize;
    b->alloc = take;
    b->free = give;
    b->copy = BROKEN == nofunction ? NULL : copy;
    b->find = find;
    if (BROKEN == nokernel) b->close = closes;
    return NOMEN_OK;
}
