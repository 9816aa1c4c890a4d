/* On which device a call runs, and what is refused there; tensors that go from one to another. The
 * kernels of devices are called in launch_device.c. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

/* ---- where a call runs ----------------------------------------------------------------------- */

nomen_status nomen__on_two_devices(unsigned a, unsigned b) {
    return nomen__hint(
        nomen__fail(NOMEN_ERROR_DEVICE,
                    "Expected all tensors to be on the same device, but found at least two "
                    "devices, %s and %s!",
                    nomen__device_name(a), nomen__device_name(b)),
        "bring one of them over with to(device)");
}

/* A lone number on the CPU goes along with tensors anywhere. */
static bool goes_along(const nomen__call *c, const nomen_tensor *t) {
    return !t->device && t->ndim == 0 && c->op->launch == nomen__launch_elementwise;
}

static nomen_status check_operands(const nomen__call *c) {
    for (int64_t i = 0; i < c->in_count; i++)
        if (c->in[i]->device != c->device && !goes_along(c, c->in[i]))
            return nomen__on_two_devices(c->device, c->in[i]->device);
    return NOMEN_OK;
}

bool nomen__launch_moves_only(nomen__step *launch) {
    return launch == nomen__launch_nothing || launch == nomen__launch_copy ||
           launch == nomen__launch_cat || launch == nomen__launch_stack ||
           launch == nomen__launch_fill || launch == nomen__launch_zero ||
           launch == nomen__launch_one || launch == nomen__launch_flip;
}

/* Rows whose steps look at nothing but sizes, so that they can be walked without the elements. */
static bool can_run_away(const nomen__call *c) {
    nomen__step *launch = c->op->launch;
    return nomen__launch_moves_only(launch) || launch == nomen__launch_elementwise ||
           launch == nomen__launch_reduce || launch == nomen__launch_positions ||
           launch == nomen__launch_rows || launch == nomen__launch_scan ||
           launch == nomen__launch_matmul;
}

static nomen_status no_kernel(const nomen__call *c) {
    return nomen__hint(nomen__fail(NOMEN_ERROR_UNSUPPORTED, "\"%s\" not implemented on '%s'",
                                   c->op->name, nomen__device_name(c->device)),
                       "x.cpu() brings a tensor to the CPU, where it is");
}

/* Of the first operand that is on one. The table has no list behind other operands but in
 * composites, which are made of calls that look for themselves. */
static uint8_t device_of(const nomen__call *c) {
    for (int64_t i = 0; i < c->in_count; i++)
        if (c->in[i]->device) return c->in[i]->device;
    return 0;
}

nomen_status nomen__place_call(nomen__call *c) {
    nomen_status s = nomen__fuse_operands(c);
    if (s) return s;
    c->device = device_of(c);
    if (!c->op->primitive || (!c->device && c->wanted <= 0)) return NOMEN_OK;
    if (c->op->creates) { /* what is not filled is made on the CPU */
        for (int64_t i = 0; i < c->in_count; i++)
            if (c->in[i]->device != c->device && (c->in[i]->device || c->in[i]->ndim))
                return nomen__on_two_devices(c->device, c->in[i]->device);
        unsigned wanted = c->wanted < 0 ? c->device : (unsigned)c->wanted;
        bool here = nomen__launch_moves_only(c->op->launch) && !c->target[0];
        c->device = here ? (uint8_t)wanted : 0;
        c->wanted = (int16_t)wanted;
        return NOMEN_OK;
    }
    if (c->op->launch == nomen__launch_copy || c->op->launch == nomen__launch_to_device) {
        c->device = c->in[0]->device; /* these take from anywhere */
        return NOMEN_OK;
    }
    s = check_operands(c);
    if (s) return s;
    return can_run_away(c) ? NOMEN_OK : no_kernel(c);
}

nomen_status nomen__bring(nomen__call *c) {
    nomen_tensor *made = c->out[0];
    if (made->device == c->wanted) return NOMEN_OK;
    if (c->target[0]) { /* out= stays where it is */
        nomen_status s = nomen__on_two_devices((unsigned)c->wanted, made->device);
        nomen__release(made);
        c->out[0] = NULL;
        return s;
    }
    nomen_tensor *t = nomen__tensor_empty_on((unsigned)c->wanted, (nomen_dtype)made->dtype,
                                             made->ndim, made->size);
    nomen_status s = t ? nomen__copy_values(t, made) : NOMEN_ERROR_MEMORY;
    if (!s && (made->flags & NOMEN__NAMED)) nomen__set_names(t, made->names);
    nomen__release(made);
    if (s) nomen__release(t);
    c->out[0] = s ? NULL : t;
    return s;
}

/* ---- moving ---------------------------------------------------------------------------------- */

nomen_status nomen__choose_device(nomen__call *c) {
    return nomen__device_find(c->arg[1].text, &c->device);
}

nomen_status nomen__launch_to_device(nomen__call *c) {
    return nomen__copy_values(c->out[0], c->in[0]);
}

static bool is_whole(const nomen_tensor *t, nomen_dtype dtype) {
    return (t->flags & NOMEN__CONTIGUOUS) && (nomen_dtype)t->dtype == dtype;
}

/* Bytes go from device to device; dtype, strides and broadcasting are seen to before and after. */
nomen_status nomen__copy_across(nomen_tensor *dst, const nomen_tensor *src) {
    nomen_dtype dtype = (nomen_dtype)dst->dtype;
    nomen_tensor *whole = NULL, *made = NULL;
    nomen_status s = NOMEN_OK;
    if (!is_whole(src, dtype)) {
        whole = nomen__tensor_empty_on(src->device, dtype, src->ndim, src->size);
        s = whole ? nomen__copy_values(whole, src) : NOMEN_ERROR_MEMORY;
    }
    if (!s && !(is_whole(dst, dtype) && nomen__has_sizes(dst, src->ndim, src->size))) {
        made = nomen__tensor_empty_on(dst->device, dtype, src->ndim, src->size);
        s = made ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    }
    if (!s) s = nomen__move_bytes(made ? made : dst, whole ? whole : src);
    if (!s && made) s = nomen__copy_values(dst, made);
    nomen__release(whole);
    nomen__release(made);
    return s;
}

int nomen__truth(nomen_tensor *t) {
    char value[16];
    int truth = !t || nomen__element(t, value) ? -1 : value[0] != 0;
    nomen__release(t);
    return truth;
}

nomen_status nomen__operands_on_host(nomen__call *c) {
    for (int i = 0; i < c->nin; i++) {
        if (!c->in[i]->device) continue;
        nomen_tensor *here = nomen__on_host(c->in[i]);
        if (!here) return NOMEN_ERROR_MEMORY;
        nomen__take_temporary(c, here);
        c->in[i] = here;
    }
    return NOMEN_OK;
}

nomen_tensor *nomen__on_host(const nomen_tensor *t) {
    if (nomen__make_ready(t)) return NULL;
    if (!t->device) return nomen__retain((nomen_tensor *)(uintptr_t)t);
    nomen_tensor *copy = nomen__tensor_empty((nomen_dtype)t->dtype, t->ndim, t->size);
    if (!copy || nomen__copy_values(copy, t)) {
        nomen__release(copy);
        return NULL;
    }
    if (nomen__is_named(t)) nomen__set_names(copy, t->names);
    return copy;
}
