/* Launches on devices: what a backend's kernel is called with. Casts and copies of operands are
 * kernels of the backend too. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <string.h>

enum { OPERANDS = NOMEN__MAX_IN + NOMEN__MAX_OUT };

/* One call of a kernel, with room for what it points to. */
typedef struct launch {
    const nomen__device *device;
    nomen_backend_call call;
    int used;
    nomen_backend_operand operand[OPERANDS];
    int64_t size[OPERANDS][NOMEN_MAX_DIMS], stride[OPERANDS][NOMEN_MAX_DIMS];
    const nomen_backend_operand *output[NOMEN__MAX_OUT], *input[NOMEN__MAX_IN];
    nomen_backend_argument argument[NOMEN__MAX_ARGS];
    const nomen_backend_argument *arguments[NOMEN__MAX_ARGS];
    _Alignas(16) char number[OPERANDS][16];
} launch;

static void begin(launch *l, unsigned device, const char *operation, const char *kernel,
                  nomen_backend_form form, nomen_dtype compute) {
    l->device = nomen__device_at(device);
    l->used = 0;
    l->call = (nomen_backend_call){.bytes = sizeof l->call,
                                   .operation = operation,
                                   .kernel = kernel,
                                   .form = form,
                                   .compute = compute,
                                   .output = l->output,
                                   .input = l->input,
                                   .argument = l->arguments,
                                   .dim = -1,
                                   .device = l->device->index,
                                   .stream = l->device->stream};
}

/* t's dims, behind as many leading ones as ndim has more; those of size 1 show their element again
 * where size says so. t NULL: absent. */
static const nomen_backend_operand *add(launch *l, const nomen_tensor *t, int ndim,
                                        const int64_t *size) {
    nomen_backend_operand *o = &l->operand[l->used];
    int64_t *stride = l->stride[l->used];
    int lead = t ? ndim - t->ndim : ndim;
    if (ndim) memcpy(l->size[l->used], size, sizeof *size * (size_t)ndim);
    for (int d = 0; d < ndim; d++)
        stride[d] = d < lead || (t->size[d - lead] == 1 && size[d] != 1) ? 0 : t->stride[d - lead];
    *o = (nomen_backend_operand){.bytes = sizeof *o,
                                 .data = t ? t->data : NULL,
                                 .dtype = t ? (nomen_dtype)t->dtype : NOMEN_DTYPE_NONE,
                                 .ndim = ndim,
                                 .size = l->size[l->used++],
                                 .stride = stride};
    return o;
}

/* A number on the host, as one element of dtype; value has room for one. */
static const nomen_backend_operand *add_number(launch *l, nomen_dtype dtype, const void *value,
                                               int ndim, const int64_t *size) {
    nomen_backend_operand *o = &l->operand[l->used];
    void *own = l->number[l->used];
    memcpy(own, value, (size_t)nomen__item(dtype));
    memset(l->stride[l->used], 0, sizeof l->stride[0][0] * (size_t)ndim);
    if (ndim) memcpy(l->size[l->used], size, sizeof *size * (size_t)ndim);
    *o = (nomen_backend_operand){.bytes = sizeof *o,
                                 .data = own,
                                 .dtype = dtype,
                                 .ndim = ndim,
                                 .size = l->size[l->used],
                                 .stride = l->stride[l->used],
                                 .number = 1};
    l->used++;
    return o;
}

static nomen_status run(launch *l, nomen_backend_kernel *kernel) {
    nomen_status s = kernel(l->device->backend->state, &l->call);
    if (!s || nomen__error_pending()) return s;
    return nomen__fail(s, "the kernel \"%s\" of '%s' failed and does not say why", l->call.kernel,
                       l->device->name);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The backend has these of every dtype, or it would not have been opened. */
static nomen_backend_kernel *kernel_of(const nomen_tensor *t, const char *name) {
    const nomen_backend *b = nomen__device_at(t->device)->backend;
    return b->find(b->state, name, (nomen_dtype)t->dtype);
}

static nomen_status lost(const nomen_tensor *t, const char *name) {
    return nomen__fail(NOMEN_ERROR_DEVICE, "the backend of '%s' has lost its kernel \"%s\"",
                       nomen__device_name(t->device), name);
}

nomen_status nomen__copy_away(nomen_tensor *dst, const nomen_tensor *src) {
    if (dst->numel == 0) return NOMEN_OK;
    if (nomen__is_put_off(dst) || nomen__is_put_off(src)) {
        nomen_status s = nomen__make_ready(dst);
        if (!s) s = nomen__make_ready(src);
        return s ? s : nomen__copy_values(dst, src);
    }
    if (dst->device != src->device) return nomen__copy_across(dst, src);
    if (dst->dtype == src->dtype && dst->flags & src->flags & NOMEN__CONTIGUOUS &&
        dst->numel == src->numel)
        return dst->data == src->data ? NOMEN_OK : nomen__move_bytes(dst, src);
    nomen_backend_kernel *kernel = kernel_of(dst, "copy");
    if (!kernel) return lost(dst, "copy");
    launch l;
    begin(&l, dst->device, "copy_", "copy", NOMEN_BACKEND_ELEMENTS, (nomen_dtype)dst->dtype);
    l.output[0] = add(&l, dst, dst->ndim, dst->size);
    l.input[0] = add(&l, src, dst->ndim, dst->size);
    l.call.outputs = l.call.inputs = 1;
    return run(&l, kernel);
}

nomen_status nomen__fill_away(nomen_tensor *t, const void *number) {
    if (t->numel == 0) return NOMEN_OK;
    nomen_backend_kernel *kernel = kernel_of(t, "fill");
    if (!kernel) return lost(t, "fill");
    launch l;
    begin(&l, t->device, "fill_", "fill", NOMEN_BACKEND_ELEMENTS, (nomen_dtype)t->dtype);
    l.output[0] = add(&l, t, t->ndim, t->size);
    l.input[0] = add_number(&l, (nomen_dtype)t->dtype, number, t->ndim, t->size);
    l.call.outputs = l.call.inputs = 1;
    return run(&l, kernel);
}

/* ---- calls ----------------------------------------------------------------------------------- */

nomen_status nomen__device_kernel_find(nomen__call *c) {
    nomen__step *launched = c->op->launch;
    c->device_kernel = NULL;
    if (nomen__launch_moves_only(launched) || launched == nomen__launch_to_device || c->op->creates)
        return NOMEN_OK;
    const nomen_backend *b = nomen__device_at(c->device)->backend;
    if (c->kernel_name) c->device_kernel = b->find(b->state, c->kernel_name, c->compute);
    if (c->device_kernel) return NOMEN_OK;
    return nomen__hint(nomen__fail(NOMEN_ERROR_UNSUPPORTED,
                                   "\"%s\" not implemented on '%s' for '%s'", c->op->name,
                                   nomen__device_name(c->device), nomen_dtype_name(c->compute)),
                       "x.cpu() brings a tensor to the CPU, where it is");
}

/* What was given beside tensors, dims and names. */
static void add_arguments(launch *l, const nomen__call *c) {
    for (int i = 0; i < c->op->nargs; i++) {
        nomen_backend_argument *a = &l->argument[l->call.arguments];
        *a = (nomen_backend_argument){.bytes = sizeof *a, .name = c->op->args[i].name};
        if (!nomen__given(c, i)) continue;
        switch (c->op->args[i].kind) {
        case NOMEN__NUMBER: {
            const nomen_number *n = c->arg[i].number;
            bool whole = n->kind == NOMEN_NUMBER_INT || n->kind == NOMEN_NUMBER_BOOL;
            a->integer = n->i;
            a->re = whole ? (double)n->i : n->re;
            a->im = whole ? 0 : n->im;
            break;
        }
        case NOMEN__INT: a->re = (double)(a->integer = c->arg[i].integer); break;
        case NOMEN__FLAG: a->re = (double)(a->integer = c->arg[i].flag); break;
        case NOMEN__TEXT:
            a->kind = NOMEN_BACKEND_TEXT;
            a->text = c->arg[i].text;
            break;
        default: continue;
        }
        l->arguments[l->call.arguments++] = a;
    }
}

/* An operand in the dtype of the kernel: itself, or a copy on its device that dies with the call.
 */
static nomen_tensor *converted(nomen__call *c, nomen_tensor *t, nomen_dtype dtype) {
    if ((nomen_dtype)t->dtype == dtype) return t;
    if (c->temporaries == (int)NOMEN_COUNT(c->temporary)) {
        nomen__fail(NOMEN_ERROR_STATE, "too many operands of other dtypes");
        return NULL;
    }
    nomen_tensor *copy = nomen__launch_input(t, dtype);
    if (copy) nomen__take_temporary(c, copy);
    return copy;
}

static nomen_status add_input(launch *l, nomen__call *c, nomen_tensor *t, nomen_dtype dtype,
                              int ndim, const int64_t *size) {
    const nomen_backend_operand *o = NULL;
    if (t->device) {
        nomen_tensor *in = converted(c, t, dtype);
        if (in) o = add(l, in, ndim, size);
    } else { /* a lone number on the CPU */
        _Alignas(16) char value[16];
        nomen__loop *cast = nomen__cast_loop((nomen_dtype)t->dtype, dtype);
        if (cast) nomen__cast_one(cast, dtype, value, (nomen_dtype)t->dtype, t->data);
        o = add_number(l, dtype, cast ? value : t->data, ndim, size);
    }
    l->input[l->call.inputs++] = o;
    return o ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

/* An output of a reduction over the dims of its input: of size 1 where it is reduced. */
static void spread_output(launch *l, const nomen_tensor *out, const nomen_tensor *in,
                          uint64_t mask) {
    bool kept = out && out->ndim == in->ndim;
    nomen_tensor absent = *in;
    nomen_backend_operand *o =
        (nomen_backend_operand *)(uintptr_t)add(l, &absent, in->ndim, in->size);
    int64_t *stride = l->stride[l->used - 1], *size = l->size[l->used - 1];
    o->data = out ? out->data : NULL;
    o->dtype = out ? (nomen_dtype)out->dtype : NOMEN_DTYPE_NONE;
    for (int d = 0, k = 0; d < in->ndim; d++) {
        bool reduced = mask >> d & 1;
        stride[d] = reduced || !out ? 0 : out->stride[kept ? d : k];
        if (reduced) size[d] = 1;
        k += !reduced;
    }
    l->output[l->call.outputs++] = o;
}

static nomen_dtype written(const nomen__call *c, int k) {
    return k && c->op->nout > 1 ? c->result[1] : c->writes;
}

static nomen_status reduce(launch *l, nomen__call *c, nomen_tensor *const *made, bool positions) {
    nomen_tensor *in = converted(c, c->in[0], c->compute);
    if (!in) return NOMEN_ERROR_MEMORY;
    if (positions) spread_output(l, NULL, in, c->mask);
    for (int k = 0; k < c->nout; k++) spread_output(l, made[k], in, c->mask);
    l->call.dims = c->mask;
    l->call.correction = c->reduce_correction;
    l->input[l->call.inputs++] = add(l, in, in->ndim, in->size);
    return run(l, c->device_kernel);
}

static nomen_status each_in_its_dims(launch *l, nomen__call *c, nomen_tensor *const *made) {
    nomen_status s = NOMEN_OK;
    for (int k = 0; k < c->nout; k++)
        l->output[l->call.outputs++] =
            made[k] ? add(l, made[k], made[k]->ndim, made[k]->size) : add(l, NULL, 0, NULL);
    for (int i = 0; !s && i < c->nin; i++)
        s = add_input(l, c, c->in[i], c->compute, c->in[i]->ndim, c->in[i]->size);
    l->call.dim = c->in[0]->ndim ? c->dim : -1;
    return s ? s : run(l, c->device_kernel);
}

static nomen_status elements(launch *l, nomen__call *c, nomen_tensor *out) {
    nomen_status s = NOMEN_OK;
    l->output[l->call.outputs++] = add(l, out, out->ndim, out->size);
    for (int i = 0; !s && i < c->nin; i++) {
        nomen_dtype dtype = i == 0 && c->kernel->first ? c->kernel->first : c->compute;
        s = add_input(l, c, c->in[i], dtype, out->ndim, out->size);
    }
    return s ? s : run(l, c->device_kernel);
}

static nomen_status run_form(launch *l, nomen__call *c, nomen_tensor *const *made) {
    nomen__step *step = c->op->launch;
    add_arguments(l, c);
    if (step == nomen__launch_elementwise) return elements(l, c, made[0]);
    if (l->call.form == NOMEN_BACKEND_REDUCTION)
        return reduce(l, c, made, step == nomen__launch_positions);
    return each_in_its_dims(l, c, made);
}

static nomen_backend_form form_of(const nomen__call *c) {
    nomen__step *step = c->op->launch;
    return step == nomen__launch_elementwise ? NOMEN_BACKEND_ELEMENTS
           : step == nomen__launch_matmul    ? NOMEN_BACKEND_PRODUCT
           : step == nomen__launch_rows      ? NOMEN_BACKEND_ROWS
           : step == nomen__launch_scan      ? NOMEN_BACKEND_SCAN
                                             : NOMEN_BACKEND_REDUCTION;
}

nomen_status nomen__launch_on_device(nomen__call *c) {
    if (!c->device_kernel) return c->op->launch(c);
    launch l;
    nomen_tensor *made[NOMEN__MAX_OUT] = {NULL, NULL};
    nomen_backend_form form = form_of(c);
    nomen_status s = NOMEN_OK;
    int64_t numel = 0;
    for (int k = 0; !s && k < c->nout; k++) {
        nomen_tensor *out = c->skip[k] ? NULL : c->out[k];
        if (!out) continue;
        bool apart = false;
        for (int i = 0; form == NOMEN_BACKEND_PRODUCT && i < c->nin; i++)
            apart |= nomen__may_overlap(out, c->in[i]);
        numel = out->numel;
        made[k] = nomen__launch_output(out, written(c, k), apart);
        s = made[k] ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    }
    begin(&l, c->device, c->op->name, c->kernel_name, form, c->compute);
    if (!s && numel) s = run_form(&l, c, made);
    for (int k = 0; k < c->nout; k++) {
        if (made[k]) s = nomen__launch_end(c->out[k], made[k], s);
    }
    return s;
}
