/* Puts the slices of a tensor in order: that of their first elements that differ. Elements become
 * keys, unsigned numbers that compare as they do; equal bytes need none. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <string.h>

nomen_status nomen__shape_order_slices(nomen__call *c) {
    if (!c->in[0]->ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE, "order_slices: a tensor without dims has no slices");
    c->ndim = 1;
    c->size[0] = c->in[0]->size[0];
    return NOMEN_OK;
}

typedef struct slices {
    const char *data;
    int64_t each, item; /* elements of a slice, bytes of one */
    bool floating, sign;
    uint64_t infinity; /* the bits of it, above which only NaN are */
} slices;

/* All NaN are one number, the largest; the two zeros are one. */
static uint64_t key_of(const slices *s, uint64_t bits) {
    uint64_t top = UINT64_C(1) << (8 * s->item - 1);
    if (!s->floating) return s->sign ? bits ^ top : bits;
    uint64_t size = bits & (top - 1);
    if (size > s->infinity) return top | (top - 1);
    if (size == 0) return top;
    return bits & top ? top - size : top + size;
}

static uint64_t bits_at(const char *p, int64_t item) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (item) {
    case 1: return memcpy(&one, p, 1), one;
    case 2: return memcpy(&two, p, 2), two;
    case 4: return memcpy(&four, p, 4), four;
    default: return memcpy(&eight, p, 8), eight;
    }
}

/* Does slice i stand behind slice j? */
static bool is_behind(const slices *s, int64_t i, int64_t j) {
    enum { BYTES = 64 };
    const int64_t bytes = s->each * s->item;
    const char *a = s->data + i * bytes, *b = s->data + j * bytes;
    for (int64_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < BYTES ? bytes - at : BYTES;
        if (n == BYTES ? !memcmp(a + at, b + at, BYTES) : !memcmp(a + at, b + at, (size_t)n))
            continue;
        for (int64_t k = at; k < at + n; k += s->item) {
            const uint64_t x = key_of(s, bits_at(a + k, s->item)),
                           y = key_of(s, bits_at(b + k, s->item));
            if (x != y) return x > y;
        }
    }
    return false;
}

static uint64_t infinity_of(nomen_dtype d) {
    return d == NOMEN_F16    ? 0x7c00
           : d == NOMEN_BF16 ? 0x7f80
           : d == NOMEN_F32  ? 0x7f800000
                             : UINT64_C(0x7ff0000000000000);
}

/* Merges runs until there is one; at and spare have room for n positions each. Returns where the
 * result is. */
static int64_t *merge_all(const slices *own, int64_t n, int64_t *at, int64_t *spare,
                          nomen_status *s) {
    for (int64_t run = 1; run < n && !*s; run *= 2, *s = nomen__ask()) {
        for (int64_t from = 0; from < n; from += 2 * run) {
            int64_t middle = from + run < n ? from + run : n;
            int64_t end = from + 2 * run < n ? from + 2 * run : n, i = from, j = middle;
            for (int64_t k = from; k < end; k++) {
                bool left = j == end || (i < middle && !is_behind(own, at[i], at[j]));
                spare[k] = left ? at[i++] : at[j++];
            }
        }
        int64_t *other = at;
        at = spare;
        spare = other;
    }
    return at;
}

nomen_status nomen__launch_order_slices(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen_dtype d = (nomen_dtype)t->dtype;
    const bool whole = t->flags & NOMEN__CONTIGUOUS;
    int64_t n = t->size[0], spare[2] = {2, n};
    if (!n) return NOMEN_OK;
    nomen_tensor *values = whole ? NULL : nomen__tensor_empty(d, t->ndim, t->size);
    nomen_tensor *at = nomen__tensor_empty(NOMEN_I64, 2, spare), *out = NULL;
    if ((whole || values) && at) out = nomen__launch_output(c->out[0], NOMEN_I64, false);
    nomen_status s = NOMEN_OK;
    if (out) {
        const slices own = {values ? values->data : t->data, t->numel / n,
                            nomen__item(t->dtype),           nomen_dtype_is_floating(d),
                            d >= NOMEN_I8 && d <= NOMEN_I64, infinity_of(d)};
        int64_t *list = (int64_t *)(void *)at->data;
        if (values && t->numel) s = nomen__copy_values(values, t);
        for (int64_t i = 0; i < n; i++) list[i] = i;
        if (!s) list = merge_all(&own, n, list, list + n, &s);
        memcpy(out->data, list, sizeof *list * (size_t)n);
        s = nomen__launch_end(c->out[0], out, s);
    }
    nomen__release(values);
    nomen__release(at);
    return out ? s : NOMEN_ERROR_MEMORY;
}
