/* Streams of the mock device: queues of work that is done when somebody waits for it, and not
 * before. So a result that the host looks at too early is wrong every time and not now and then.
 * All that can be wrong with an operand is found when work is put into a queue. */
#include "mock.h"

#include <string.h>

enum { LONGEST = 2000 }; /* then a queue is worked off */

typedef struct event {
    mock_stream *stream;
    int refs;
    bool done;
} event;

typedef enum item_kind { RUN, WRITE, MOVE, FREE, RECORD, WAIT } item_kind;

typedef struct item item;
struct item {
    item *next;
    item_kind kind;
    size_t bytes; /* of the item and what lies behind it */
    char *to, *from;
    size_t count;
    event *event;
    mock_work work; /* RUN only: other items end before it */
};

struct mock_stream {
    mock_state *state;
    int32_t device;
    int length;
    item *first, *last;
};

static void lock(mock_state *s) { pthread_mutex_lock(&s->lock); }

static void unlock(mock_state *s) { pthread_mutex_unlock(&s->lock); }

/* ---- working off ----------------------------------------------------------------------------- */

static void let_go(mock_state *s, event *e) {
    if (--e->refs == 0) s->host->release(e, sizeof *e);
}

static void work_off(mock_stream *q, const event *until);

static void do_item(mock_stream *q, item *i) {
    switch (i->kind) {
    case RUN: mock_kernel_run(&i->work); break;
    case WRITE: memcpy(i->to, (char *)i + i->bytes - i->count, i->count); break;
    case MOVE: memmove(i->to, i->from, i->count); break;
    case FREE: mock_memory_free(q->state, i->to); break;
    case RECORD:
        i->event->done = true;
        let_go(q->state, i->event);
        break;
    case WAIT:
        if (!i->event->done) work_off(i->event->stream, i->event);
        let_go(q->state, i->event);
    }
}

/* Until the event has happened; NULL: to the end. */
static void work_off(mock_stream *q, const event *until) {
    while (q->first && !(until && until->done)) {
        item *i = q->first;
        q->first = i->next;
        if (!q->first) q->last = NULL;
        q->length--;
        do_item(q, i);
        q->state->host->release(i, i->bytes);
    }
}

/* ---- putting in ------------------------------------------------------------------------------ */

static item *item_new(mock_stream *q, item_kind kind, size_t bytes) {
    item *i = q->state->host->allocate(bytes);
    if (!i) return NULL;
    memset(i, 0, bytes < sizeof *i ? bytes : sizeof *i);
    i->kind = kind;
    i->bytes = bytes;
    return i;
}

static void put(mock_stream *q, item *i) {
    if (q->last)
        q->last->next = i;
    else
        q->first = i;
    q->last = i;
    if (++q->length > LONGEST) work_off(q, NULL);
}

enum { SMALL = offsetof(item, work) };

/* ---- streams and events ---------------------------------------------------------------------- */

nomen_status mock_stream_new(void *state, int32_t device, void **stream) {
    mock_state *s = state;
    if (device < 0 || device >= MOCK_DEVICES)
        return s->host->fail(NOMEN_ERROR_DEVICE, "mock: there is no such device");
    mock_stream *q = s->host->allocate(sizeof *q);
    if (!q) return NOMEN_ERROR_MEMORY;
    *q = (mock_stream){.state = s, .device = device};
    *stream = q;
    return NOMEN_OK;
}

void mock_stream_free(void *state, void *stream) {
    mock_state *s = state;
    lock(s);
    work_off(stream, NULL);
    unlock(s);
    s->host->release(stream, sizeof(mock_stream));
}

static nomen_status put_event(mock_stream *q, item_kind kind, event *e) {
    item *i = item_new(q, kind, SMALL);
    if (!i) return NOMEN_ERROR_MEMORY;
    i->event = e;
    e->refs++;
    put(q, i);
    return NOMEN_OK;
}

nomen_status mock_record(void *state, void *stream, void **result) {
    mock_state *s = state;
    event *e = s->host->allocate(sizeof *e);
    if (!e) return NOMEN_ERROR_MEMORY;
    *e = (event){stream, 1, false};
    lock(s);
    nomen_status failed = put_event(stream, RECORD, e);
    unlock(s);
    if (failed) s->host->release(e, sizeof *e);
    *result = failed ? NULL : e;
    return failed;
}

nomen_status mock_wait(void *state, void *stream, void *what) {
    mock_state *s = state;
    lock(s);
    nomen_status failed = put_event(stream, WAIT, what);
    unlock(s);
    return failed;
}

void mock_event_free(void *state, void *what) {
    mock_state *s = state;
    lock(s);
    let_go(s, what);
    unlock(s);
}

nomen_status mock_synchronize(void *state, void *stream) {
    mock_state *s = state;
    lock(s);
    work_off(stream, NULL);
    unlock(s);
    return NOMEN_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

nomen_status mock_alloc(void *state, void *stream, size_t bytes, void **at) {
    mock_state *s = state;
    mock_stream *q = stream;
    lock(s);
    nomen_status failed = mock_memory_new(s, q->device, bytes, at);
    unlock(s);
    return failed;
}

void mock_free(void *state, void *stream, void *at, size_t bytes) {
    mock_state *s = state;
    mock_stream *q = stream;
    lock(s);
    if (!mock_memory_retire(s, at, bytes)) {
        item *i = item_new(q, FREE, SMALL);
        if (i) {
            i->to = at;
            put(q, i);
        } else { /* no room for a note: then now, in order all the same */
            work_off(q, NULL);
            mock_memory_free(s, at);
        }
    }
    unlock(s);
}

static nomen_status copy(mock_stream *q, nomen_backend_way way, void *to, const void *from,
                         size_t bytes) {
    mock_state *s = q->state;
    char *target = to, *source = (char *)(uintptr_t)from;
    if (way != NOMEN_BACKEND_FROM_DEVICE) target = mock_memory_at(s, q->device, to, bytes);
    if (way != NOMEN_BACKEND_TO_DEVICE) source = mock_memory_at(s, q->device, from, bytes);
    if (!target || !source) return NOMEN_ERROR_DEVICE;
    if (way == NOMEN_BACKEND_FROM_DEVICE) {
        work_off(q, NULL);
        memcpy(target, source, bytes);
        return NOMEN_OK;
    }
    bool within = way == NOMEN_BACKEND_WITHIN;
    item *i = item_new(q, within ? MOVE : WRITE, within ? SMALL : SMALL + bytes);
    if (!i) return NOMEN_ERROR_MEMORY;
    i->to = target;
    i->from = within ? source : NULL;
    i->count = bytes;
    if (!within) memcpy((char *)i + SMALL, source, bytes);
    put(q, i);
    return NOMEN_OK;
}

nomen_status mock_copy(void *state, void *stream, nomen_backend_way way, void *to, const void *from,
                       size_t bytes) {
    mock_state *s = state;
    lock(s);
    nomen_status failed = copy(stream, way, to, from, bytes);
    unlock(s);
    return failed;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Takes over what the library says of an operand, and checks that all of it is memory in use. */
static nomen_status take(mock_stream *q, mock_operand *o, const nomen_backend_operand *from) {
    int64_t low = 0, high = 0, numel = 1, item_bytes = (int64_t)mock_item(from->dtype);
    o->dtype = from->dtype;
    o->ndim = from->ndim;
    for (int d = 0; d < from->ndim; d++) {
        o->size[d] = from->size[d];
        o->stride[d] = from->stride[d];
        int64_t reach = (o->size[d] - 1) * o->stride[d];
        *(reach < 0 ? &low : &high) += reach;
        numel *= o->size[d];
    }
    if (!from->data || !numel) return NOMEN_OK;
    if (from->number) {
        memcpy(o->own, from->data, (size_t)item_bytes);
        o->number = true;
        return NOMEN_OK;
    }
    char *lowest = (char *)from->data + low * item_bytes;
    char *memory =
        mock_memory_at(q->state, q->device, lowest, (size_t)((high - low + 1) * item_bytes));
    if (!memory) return NOMEN_ERROR_DEVICE;
    o->at = memory - low * item_bytes;
    return NOMEN_OK;
}

static nomen_status launch(mock_stream *q, const nomen_backend_call *call) {
    mock_state *s = q->state;
    item *i = item_new(q, RUN, sizeof *i);
    if (!i) return NOMEN_ERROR_MEMORY;
    mock_work *w = &i->work;
    w->kernel = mock_kernel_find(call->kernel, call->compute);
    w->compute = call->compute;
    w->outputs = call->outputs;
    w->inputs = call->inputs;
    w->dim = call->dim;
    w->dims = call->dims;
    nomen_status failed = NOMEN_OK;
    if (!w->kernel || call->outputs > MOCK_OUT || call->inputs > MOCK_IN)
        failed = s->host->fail(NOMEN_ERROR_DEVICE, "mock: it has no such kernel");
    for (int k = 0; !failed && k < w->outputs; k++) failed = take(q, &w->out[k], call->output[k]);
    for (int k = 0; !failed && k < w->inputs; k++) failed = take(q, &w->in[k], call->input[k]);
    if (failed)
        s->host->release(i, sizeof *i);
    else
        put(q, i);
    return failed;
}

nomen_status mock_launch(void *state, const nomen_backend_call *call) {
    mock_state *s = state;
    lock(s);
    nomen_status failed = launch(call->stream, call);
    unlock(s);
    return failed;
}
