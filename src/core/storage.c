/* Storages: the reference-counted memory behind tensors, ours or somebody else's. Knows nothing of
 * dims or dtypes. */
#include "core/state.h"

_Static_assert(sizeof(nomen__storage) <= NOMEN__STORAGE_HEAD,
               "the header of a storage must fit before inlined data");

static void set_up(nomen__storage *s, char *data, size_t bytes, size_t capacity, uint32_t inlined) {
    atomic_init(&s->refs, 1);
    atomic_init(&s->version, 0);
    s->data = data;
    s->bytes = bytes;
    s->capacity = capacity;
    s->release = NULL;
    s->payload = NULL;
    s->inlined = inlined;
    s->readonly = 0;
    nomen__count(&nomen__thread_here->counters.storages, 1);
}

nomen__storage *nomen__storage_new(size_t bytes) {
    size_t capacity;
    if (NOMEN_LIKELY(bytes <= NOMEN__INLINED)) {
        nomen__storage *s = nomen__buffer_new(NOMEN__STORAGE_HEAD + bytes, &capacity);
        if (NOMEN_LIKELY(s != NULL))
            set_up(s, (char *)s + NOMEN__STORAGE_HEAD, bytes, capacity - NOMEN__STORAGE_HEAD,
                   (uint32_t)capacity);
        return s;
    }
    nomen__storage *s = nomen__alloc(sizeof *s);
    if (!s) return NULL;
    char *data = nomen__buffer_new(bytes, &capacity);
    if (!data) {
        nomen__free(s, sizeof *s);
        return NULL;
    }
    set_up(s, data, bytes, capacity, 0);
    return s;
}

nomen__storage *nomen__storage_foreign(void *data, size_t bytes, void (*release)(void *payload),
                                       void *payload) {
    nomen__storage *s = nomen__alloc(sizeof *s);
    if (!s) return NULL;
    set_up(s, data, bytes, 0, 0);
    s->release = release;
    s->payload = payload;
    return s;
}

void nomen__storage_free(nomen__storage *s) {
    nomen__count(&nomen__counters_of(nomen__thread_get())->storages, -1);
    if (s->inlined) {
        nomen__buffer_free(s, s->inlined);
        return;
    }
    void (*release)(void *) = s->release;
    void *payload = s->payload;
    if (s->capacity) nomen__buffer_free(s->data, s->capacity);
    nomen__free(s, sizeof *s);
    /* Last: it is the owner's code and may do anything, make tensors for one. */
    if (release) release(payload);
}
