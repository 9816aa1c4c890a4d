/* Puts the slices of a tensor in order. Each becomes a row of bytes that compare as its elements
 * do: unsigned, the most significant byte first. */
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

typedef struct keys_job {
    const char *from;
    unsigned char *to;
    int64_t item;
    bool floating, sign;
    uint64_t infinity; /* the bits of it, above which only NaN are */
} keys_job;

/* All NaN are one number, the largest; the two zeros are one. */
static uint64_t key_of(const keys_job *job, uint64_t bits) {
    uint64_t top = UINT64_C(1) << (8 * job->item - 1);
    if (!job->floating) return job->sign ? bits ^ top : bits;
    uint64_t size = bits & (top - 1);
    if (size > job->infinity) return top | (top - 1);
    if (size == 0) return top;
    return bits & top ? top - size : top + size;
}

static void make_keys(void *context, int64_t begin, int64_t end) {
    const keys_job *job = context;
    for (int64_t i = begin; i < end; i++) {
        uint64_t bits = 0;
        memcpy(&bits, job->from + i * job->item, (size_t)job->item); /* little-endian machines */
        bits = key_of(job, bits);
        for (int64_t k = job->item - 1; k >= 0; k--, bits >>= 8)
            job->to[i * job->item + k] = (unsigned char)bits;
    }
}

static uint64_t infinity_of(nomen_dtype d) {
    return d == NOMEN_F16    ? 0x7c00
           : d == NOMEN_BF16 ? 0x7f80
           : d == NOMEN_F32  ? 0x7f800000
                             : UINT64_C(0x7ff0000000000000);
}

/* Merges runs until there is one; at and spare have room for n positions each. Returns where the
 * result is. */
static int64_t *merge_all(const unsigned char *keys, size_t bytes, int64_t n, int64_t *at,
                          int64_t *spare, nomen_status *s) {
    for (int64_t run = 1; run < n && !*s; run *= 2, *s = nomen__ask()) {
        for (int64_t from = 0; from < n; from += 2 * run) {
            int64_t middle = from + run < n ? from + run : n;
            int64_t end = from + 2 * run < n ? from + 2 * run : n, i = from, j = middle;
            for (int64_t k = from; k < end; k++) {
                bool left =
                    j == end || (i < middle && memcmp(keys + (size_t)at[i] * bytes,
                                                      keys + (size_t)at[j] * bytes, bytes) <= 0);
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
    int64_t n = t->size[0], spare[2] = {2, n};
    if (!n) return NOMEN_OK;
    nomen_tensor *values = nomen__tensor_empty(d, t->ndim, t->size);
    nomen_tensor *keys = nomen__tensor_empty(d, t->ndim, t->size);
    nomen_tensor *at = nomen__tensor_empty(NOMEN_I64, 2, spare), *out = NULL;
    if (values && keys && at) out = nomen__launch_output(c->out[0], NOMEN_I64, false);
    nomen_status s = NOMEN_OK;
    if (out) {
        keys_job job = {values->data,
                        (unsigned char *)keys->data,
                        nomen__item(t->dtype),
                        nomen_dtype_is_floating(d),
                        d >= NOMEN_I8 && d <= NOMEN_I64,
                        infinity_of(d)};
        int64_t *list = (int64_t *)(void *)at->data;
        if (t->numel) s = nomen__copy_values(values, t);
        if (!s && t->numel) s = nomen__parallel_asking(t->numel, NOMEN__GRAIN, make_keys, &job);
        for (int64_t i = 0; i < n; i++) list[i] = i;
        if (!s) list = merge_all(job.to, (size_t)(t->numel / n * job.item), n, list, list + n, &s);
        memcpy(out->data, list, sizeof *list * (size_t)n);
        s = nomen__launch_end(c->out[0], out, s);
    }
    nomen__release(values);
    nomen__release(keys);
    nomen__release(at);
    return out ? s : NOMEN_ERROR_MEMORY;
}
