/* A backend that has every kernel, and whose kernels compute nothing: they note what they were
 * called with. Its memory is the host's, so that copies can be looked at. */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

static recorder state;
static const nomen_backend_host *host;

static int32_t count(void *s) {
    (void)s;
    return 2;
}

static nomen_status stream_new(void *s, int32_t device, void **stream) {
    (void)device;
    *stream = s;
    return NOMEN_OK;
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
    *at = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (*at) memset(*at, 0, bytes);
    return *at ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static void give(void *s, void *stream, void *at, size_t bytes) {
    (void)s;
    (void)stream;
    (void)bytes;
    free(at);
}

static nomen_status copy(void *s, void *stream, nomen_backend_way way, void *to, const void *from,
                         size_t bytes) {
    (void)s;
    (void)stream;
    (void)way;
    if (state.fail_copy && !--state.fail_copy)
        return host->fail(NOMEN_ERROR_DEVICE, "the cable is out");
    memcpy(to, from, bytes);
    return NOMEN_OK;
}

static void note_operand(recorded_operand *to, const nomen_backend_operand *from) {
    *to = (recorded_operand){from->data != NULL, from->dtype, from->ndim, from->number, {0}, {0}};
    for (int d = 0; d < from->ndim && d < RECORDED_DIMS; d++) {
        to->size[d] = from->size[d];
        to->stride[d] = from->stride[d];
    }
}

static void note_text(char to[32], const char *from) {
    size_t n = from ? strlen(from) : 0;
    n = n < 31 ? n : 31;
    if (n) memcpy(to, from, n);
    to[n] = 0;
}

static nomen_status run(void *s, const nomen_backend_call *call) {
    recorder *r = s;
    if (!strcmp(call->kernel, "copy") || !strcmp(call->kernel, "fill")) return NOMEN_OK;
    r->calls++;
    note_text(r->operation, call->operation);
    note_text(r->kernel, call->kernel);
    r->form = call->form;
    r->outputs = call->outputs;
    r->inputs = call->inputs;
    r->arguments = call->arguments;
    r->dim = call->dim;
    r->dims = call->dims;
    for (int i = 0; i < call->outputs && i < RECORDED_OPERANDS; i++)
        note_operand(&r->output[i], call->output[i]);
    for (int i = 0; i < call->inputs && i < RECORDED_OPERANDS; i++)
        note_operand(&r->input[i], call->input[i]);
    for (int i = 0; i < call->arguments && i < RECORDED_ARGUMENTS; i++) {
        const nomen_backend_argument *a = call->argument[i];
        recorded_argument *to = &r->argument[i];
        *to = (recorded_argument){.re = a->re, .im = a->im, .integer = a->integer};
        note_text(to->name, a->name);
        note_text(to->text, a->kind == NOMEN_BACKEND_TEXT ? a->text : NULL);
    }
    return NOMEN_OK;
}

static nomen_backend_kernel *find(void *s, const char *kernel, nomen_dtype compute) {
    const recorder *r = s;
    (void)kernel;
    (void)compute;
    return r->fail_find ? NULL : run;
}

NOMEN_BACKEND_EXPORT nomen_backend_open_function nomen_backend_open;

nomen_status nomen_backend_open(const nomen_backend_host *h, nomen_backend *b) {
    host = h;
    *b = (nomen_backend){.bytes = sizeof *b,
                         .version = NOMEN_BACKEND_VERSION,
                         .name = "recorder",
                         .state = &state,
                         .count = count,
                         .stream_new = stream_new,
                         .stream_free = stream_free,
                         .record = record,
                         .wait = wait_for,
                         .event_free = stream_free,
                         .synchronize = synchronize,
                         .alloc = take,
                         .free = give,
                         .copy = copy,
                         .find = find};
    return NOMEN_OK;
}
