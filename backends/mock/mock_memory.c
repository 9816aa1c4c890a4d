/* The memory of the mock device. Addresses that are handed out lie in pages that nobody may touch;
 * the bytes are elsewhere, at a constant distance. Whoever follows an address of the device on the
 * host is killed on the spot, and that is what this backend is for. */
#define _GNU_SOURCE
#include "mock.h"

#include <string.h>
#include <sys/mman.h>

enum { LEAST_SHIFT = 6, POISON = 0xa5 };
/* 16 GiB of addresses, where there are so many. */
#define ARENA_BYTES ((SIZE_MAX >> (SIZE_MAX > UINT32_MAX ? 30 : 4)) + 1)

struct mock_block {
    mock_block *next;
    char *at;
    size_t bytes;
    int32_t device;
    bool retired;
};

static char *reserve(int protection) {
    void *at =
        mmap(NULL, ARENA_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

nomen_status mock_memory_open(mock_state *s) {
    s->device = reserve(PROT_NONE);
    s->memory = reserve(PROT_READ | PROT_WRITE);
    if (s->device && s->memory) return NOMEN_OK;
    mock_memory_close(s);
    return s->host->fail(NOMEN_ERROR_MEMORY, "mock: there is no room for its addresses");
}

void mock_memory_close(mock_state *s) {
    if (s->device) munmap(s->device, ARENA_BYTES);
    if (s->memory) munmap(s->memory, ARENA_BYTES);
    s->device = s->memory = NULL;
}

static int shift_of(size_t bytes) {
    int shift = LEAST_SHIFT;
    while (((size_t)1 << shift) < bytes) shift++;
    return shift;
}

nomen_status mock_memory_new(mock_state *s, int32_t device, size_t bytes, void **at) {
    if (bytes > ARENA_BYTES / 2)
        return s->host->fail(NOMEN_ERROR_MEMORY, "mock: the device has no memory of that size");
    int shift = shift_of(bytes);
    size_t whole = (size_t)1 << shift;
    if (!s->free_lists[shift] && s->used + whole > ARENA_BYTES)
        return s->host->fail(NOMEN_ERROR_MEMORY, "mock: the memory of the device is used up");
    mock_block *b = s->host->allocate(sizeof *b);
    if (!b) return NOMEN_ERROR_MEMORY;
    char *memory = s->free_lists[shift];
    if (memory) {
        memcpy(&s->free_lists[shift], memory, sizeof s->free_lists[shift]);
    } else {
        memory = s->memory + s->used;
        s->used += whole;
    }
    *b = (mock_block){s->blocks, s->device + (memory - s->memory), bytes, device, false};
    s->blocks = b;
    *at = b->at;
    return NOMEN_OK;
}

nomen_status mock_memory_retire(mock_state *s, void *at, size_t bytes) {
    for (mock_block *b = s->blocks; b; b = b->next)
        if (b->at == at && b->bytes == bytes && !b->retired) {
            b->retired = true;
            return NOMEN_OK;
        }
    return s->host->fail(NOMEN_ERROR_DEVICE, "mock: what is given back is not a block in use");
}

void mock_memory_free(mock_state *s, void *at) {
    for (mock_block **link = &s->blocks; *link; link = &(*link)->next) {
        mock_block *b = *link;
        if (b->at != at) continue;
        int shift = shift_of(b->bytes);
        char *memory = s->memory + (b->at - s->device);
        memset(memory, POISON, b->bytes);
        memcpy(memory, &s->free_lists[shift], sizeof s->free_lists[shift]);
        s->free_lists[shift] = memory;
        *link = b->next;
        s->host->release(b, sizeof *b);
        return;
    }
}

char *mock_memory_at(mock_state *s, int32_t device, const void *at, size_t bytes) {
    uintptr_t first = (uintptr_t)at;
    for (const mock_block *b = s->blocks; b; b = b->next) {
        uintptr_t begin = (uintptr_t)b->at;
        if (first < begin || first - begin > b->bytes || b->bytes - (first - begin) < bytes)
            continue;
        if (b->retired || b->device != device) continue;
        return s->memory + (b->at - s->device) + (first - begin);
    }
    s->host->fail(NOMEN_ERROR_DEVICE, "mock: an operand does not lie in the device's memory");
    return NULL;
}
