/* Fuzzes what comes from other libraries by DLPack: a struct of any rank, sizes, strides, offset,
 * dtype, flags, on a real buffer. What is taken must be within the address space; what lies in the
 * buffer is used. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

typedef struct owner {
    nomen_dl_managed managed;
    nomen_dl_managed_old old;
    int deleted;
} owner;

static void delete_managed(nomen_dl_managed *m) { ((owner *)m->context)->deleted++; }

static void delete_old(nomen_dl_managed_old *m) { ((owner *)m->context)->deleted++; }

static void fill(nomen_dl_tensor *x, feed *f, int64_t *shape, int64_t *stride, char *buffer) {
    static const uint8_t codes[] = {0, 1, 2, 2, 4, 5, 6, 3, 7, 255};
    static const uint8_t bits[] = {8, 16, 32, 64, 128, 1, 4, 0, 255};
    unsigned how = feed_byte(f), rank = feed_byte(f), step = 1;
    x->ndim = rank >= 252   ? (int32_t)feed_word(f)
              : rank >= 248 ? (int32_t)rank - 187
                            : (int32_t)(rank % 6);
    x->device.type = how >= 250 ? (int32_t)feed_byte(f) : NOMEN_DL_CPU;
    x->dtype.code = codes[feed_byte(f) % (how & 1 ? 7 : 10)];
    x->dtype.bits = bits[feed_byte(f) % (how & 1 ? 5 : 9)];
    x->dtype.lanes = how >= 240 ? (uint16_t)feed_byte(f) : 1;
    x->data = how % 32 == 31 ? NULL : buffer + (how & 2 ? 4 * feed_byte(f) : 0);
    x->byte_offset = how & 4 ? (uint64_t)feed_size(f) : 0;
    int known = x->ndim < 0 ? 0 : x->ndim > 70 ? 70 : x->ndim;
    for (int i = known - 1; i >= 0; i--) {
        shape[i] = feed_size(f);
        stride[i] = how & 8 ? feed_integer(f) : (int64_t)step;
        if (shape[i] > 0 && shape[i] < 100 && step < 10000) step *= (unsigned)shape[i];
    }
    x->shape = how % 64 == 63 ? NULL : shape;
    x->strides = how & 16 ? NULL : stride;
}

/* How far its elements reach from the first one, in bytes. */
static void reach(const nomen_tensor *t, __int128 *low, __int128 *high) {
    *low = 0;
    *high = nomen__item(t->dtype);
    for (int i = 0; i < t->ndim; i++) {
        __int128 far = (__int128)(t->size[i] - 1) * t->stride[i] * nomen__item(t->dtype);
        *(far < 0 ? low : high) += far;
    }
}

static void use(nomen_tensor *t, const char *buffer, bool readonly) {
    __int128 low, high, at = (__int128)(uintptr_t)t->data;
    reach(t, &low, &high);
    check_tensor(t);
    EXPECT(!t->numel || (at + low >= 0 && at + high <= (__int128)UINTPTR_MAX));
    if (t->numel && (t->data + low < buffer || t->data + high > buffer + ROOM || t->numel > ROOM))
        return; /* what nobody can check but the library that it comes from */
    char text[200];
    nomen_repr(t, text, sizeof text);
    nomen_tensor *copy = nomen_clone(t);
    EXPECT(copy);
    EXPECT(same_values(copy, t));
    bool wrote = nomen_zero_(t) != NULL;
    if (readonly) EXPECT(!wrote);
    if (!wrote) check_failure();
    nomen_dl_managed *again = nomen_to_dlpack(t);
    EXPECT(again);
    nomen_tensor *back = nomen_from_dlpack(again, NULL);
    EXPECT(back && nomen_numel(back) == t->numel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feed f = {data, data + size};
    int64_t shape[70], stride[70];
    char line[256], *buffer = aligned_alloc(64, ROOM);
    owner o = {.deleted = 0};
    EXPECT(buffer);
    memset(buffer, 1, ROOM);
    balance b = balance_open();
    nomen_dl_tensor x = {0};
    fill(&x, &f, shape, stride, buffer);
    unsigned form = feed_byte(&f);
    bool old = form & 1, readonly = !old && (form & 2), taken = false;
    const char *names = form & 4 ? feed_dims(&f, line, sizeof line) : NULL;
    o.managed = (nomen_dl_managed){.context = &o, .deleter = delete_managed, .tensor = x};
    o.managed.version.major = form >= 248 ? form - 248 : 1;
    o.managed.flags = readonly;
    o.old = (nomen_dl_managed_old){.tensor = x, .context = &o, .deleter = delete_old};
    nomen_set_memory_limit(1 << 24);
    nomen_scope() {
        nomen_tensor *t =
            old ? nomen_from_dlpack_old(&o.old, names) : nomen_from_dlpack(&o.managed, names);
        taken = t != NULL;
        EXPECT(o.deleted == 0);
        if (t)
            use(t, buffer, readonly);
        else
            check_failure();
    }
    EXPECT(o.deleted == taken);
    balance_close(&b);
    free(buffer);
    return 0;
}
