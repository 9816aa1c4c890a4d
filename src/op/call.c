/* The path that every operation walks: operands, choice of kernel, names, dtypes, shape, outputs,
 * tape, kernel. What a step does is a word of the row (rules.c, shapes.c, view.c, launch.c); the
 * order of the steps is here. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

nomen__tape_hooks nomen__tape;
_Thread_local bool nomen__grad_enabled = true;

/* ---- steps ----------------------------------------------------------------------------------- */

/* A missing operand is an earlier failure: keep its error. */
static nomen_status bad_operand(const nomen_tensor *t, int64_t i) {
    if (t)
        return nomen__fail(NOMEN_ERROR_STATE,
                           "operand %lld was freed before: keep it with nomen_keep or nomen_retain",
                           (long long)i);
    return nomen__error_pending()
               ? NOMEN_ERROR_STATE
               : nomen__fail(NOMEN_ERROR_TYPE, "operand %lld is NULL: it must be a tensor",
                             (long long)i);
}

/* Tensor arguments behind the leading ones: optional ones that were given, or a list, which is the
 * operands unless there are others before it. */
static void collect_more(nomen__call *c) {
    for (unsigned left = c->op->more; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (c->op->args[i].kind == NOMEN__TENSOR) {
            if (nomen__given(c, i)) c->in_inline[c->nin++] = c->arg[i].tensor;
        } else if (!c->nin) {
            c->in = (nomen_tensor **)(uintptr_t)c->arg[i].list.at;
            c->in_count = c->arg[i].list.count;
        }
    }
    if (c->in == c->in_inline) c->in_count = c->nin;
}

static unsigned flags_of(const nomen_tensor *t) {
    /* A view may not know yet what an in-place change made of its base. */
    return t->flags | (NOMEN_UNLIKELY(t->base != NULL) ? t->base->flags & NOMEN__REQUIRES : 0u);
}

/* A list behind other operands: what is in it counts too. */
static nomen_status look_at_list(const nomen__call *c, unsigned *flags) {
    for (int i = c->op->lead; i < c->op->nargs; i++) {
        if (c->op->args[i].kind != NOMEN__TENSORS || !nomen__given(c, i)) continue;
        nomen_list list = c->arg[i].list;
        bool gaps = c->op->args[i].flags & NOMEN__OPTIONAL;
        for (int64_t k = 0; k < list.count; k++) {
            const nomen_tensor *t = list.at[k];
            if (!t && gaps && !nomen__error_pending()) continue;
            if (!t || t->magic != NOMEN__LIVE) return bad_operand(t, k);
            *flags |= flags_of(t);
        }
    }
    return NOMEN_OK;
}

/* Collects the tensor arguments that were given. */
static inline nomen_status collect_operands(nomen__call *c) {
    const nomen__op *op = c->op;
    for (int i = 0; i < op->lead; i++) c->in_inline[i] = c->arg[i].tensor;
    c->nin = op->lead;
    c->in_count = op->lead;
    if (NOMEN_UNLIKELY(op->more)) collect_more(c);
    unsigned flags = 0;
    for (int64_t i = 0; i < c->in_count; i++) {
        const nomen_tensor *t = c->in[i];
        if (NOMEN_UNLIKELY(!t || t->magic != NOMEN__LIVE)) return bad_operand(t, i);
        flags |= flags_of(t);
    }
    if (NOMEN_UNLIKELY(op->first_of[NOMEN__TENSORS] && c->in == c->in_inline)) {
        nomen_status s = look_at_list(c, &flags);
        if (s) return s;
    }
    c->named = (flags & NOMEN__NAMED) != 0;
    bool heard = !c->inplace || !c->nin || !(c->in[0]->flags & NOMEN__UNHEARD);
    c->record =
        (flags & NOMEN__REQUIRES || !heard) && nomen__grad_enabled && (op->grad || c->inplace);
    if (NOMEN_UNLIKELY(flags & NOMEN__AWAY || c->wanted > 0)) return nomen__place_call(c);
    return NOMEN_OK;
}

/* Is every element of t at an address of its own? True for whatever factories and permutations
 * make. */
static bool has_overlap(const nomen_tensor *t) {
    if (t->numel == 0) return false; /* a NumPy array without elements may have steps of 0 */
    for (int i = 0; i < t->ndim; i++)
        if (t->size[i] > 1 && t->stride[i] == 0) return true;
    return false;
}

static bool same_geometry(const nomen_tensor *a, const nomen_tensor *b) {
    return a->data == b->data && a->dtype == b->dtype && a->ndim == b->ndim &&
           memcmp(a->size, b->size, sizeof *a->size * a->ndim) == 0 &&
           memcmp(a->stride, b->stride, sizeof *a->stride * a->ndim) == 0;
}

static NOMEN_NOINLINE nomen_status check_holes(const nomen__call *c, const nomen_tensor *target) {
    return has_overlap(target) && !(c->inplace && c->op->repeats)
               ? nomen__fail(
                     NOMEN_ERROR_STATE,
                     "unsupported operation: more than one element of the written-to tensor "
                     "refers to a single memory location. Please clone() the tensor before "
                     "performing the operation.")
               : NOMEN_OK;
}

static inline nomen_status check_overlap(const nomen__call *c, const nomen_tensor *target) {
    return NOMEN_LIKELY(target->flags & NOMEN__CONTIGUOUS) ? NOMEN_OK : check_holes(c, target);
}

/* Kernels read and write in any order: an operand that overlaps the target other than element on
 * element is copied first; a target that overlaps itself cannot be written at all. */
static NOMEN_NOINLINE nomen_status untangle_all(nomen__call *c, const nomen_tensor *target) {
    nomen_status s;
    for (int64_t i = 0; c->in != c->in_inline && i < c->in_count; i++) /* a list is the caller's */
        if (nomen__may_overlap(c->in[i], target))
            return nomen__fail(NOMEN_ERROR_STATE,
                               "unsupported operation: the input tensors cannot refer to any of "
                               "the output memory locations. Found overlap in input tensor %lld. "
                               "clone() it first.",
                               (long long)i);
    for (int i = 0; i < c->nin; i++) {
        nomen_tensor *t = c->in[i];
        if (t == target || !nomen__may_overlap(t, target) || same_geometry(t, target)) continue;
        if (c->temporaries == (int)NOMEN_COUNT(c->temporary))
            return nomen__fail(NOMEN_ERROR_STATE, "too many overlapping operands");
        nomen_tensor *copy = nomen__tensor_empty_on(t->device, t->dtype, t->ndim, t->size);
        if (!copy) return NOMEN_ERROR_MEMORY;
        if (t->flags & NOMEN__NAMED) nomen__set_names(copy, t->names);
        nomen__take_temporary(c, copy);
        s = nomen__copy_values(copy, t);
        if (s) return s;
        c->in[i] = copy;
    }
    return NOMEN_OK;
}

static inline nomen_status untangle(nomen__call *c, const nomen_tensor *target) {
    const nomen_status s = check_overlap(c, target);
    const bool alone = c->in_count == 1 && c->in[0] == target; /* it is the only operand */
    return NOMEN_LIKELY(s || alone) || target->numel == 0 ? s : untangle_all(c, target);
}

static nomen_status check_writable(const nomen_tensor *t) {
    return t->storage->readonly
               ? nomen__fail(NOMEN_ERROR_STATE,
                             "the memory of the written-to tensor is read-only: clone() it first")
               : NOMEN_OK;
}

nomen_status nomen__check_cast(const nomen__call *c, int i, const nomen_tensor *target) {
    if (nomen_can_cast(c->result[i], target->dtype)) return NOMEN_OK;
    nomen_status s =
        nomen__fail(NOMEN_ERROR_DTYPE, "result type %s can't be cast to the desired output type %s",
                    nomen_dtype_name(c->result[i]), nomen_dtype_name(target->dtype));
    return c->inplace ? nomen__hint(s, "%s(...) makes a result of its own dtype", c->op->name)
                      : nomen__hint(s, "give an out= of a dtype that holds the result");
}

static nomen__names computed_names(const nomen__call *c) {
    return (nomen__names){c->ndim, c->names.n > 0 ? c->names.at : NULL};
}

static NOMEN_NOINLINE nomen_status other_sizes(const nomen__call *c, const nomen_tensor *self) {
    NOMEN__TEXT(own, 256);
    NOMEN__TEXT(wanted, 256);
    nomen__text_sizes(&own, self->size, self->ndim);
    nomen__text_sizes(&wanted, c->size, c->ndim);
    return nomen__hint(
        nomen__fail(NOMEN_ERROR_SHAPE, "output with shape %s doesn't match the broadcast shape %s",
                    own.at, wanted.at),
        "in place a tensor keeps its sizes: %s(...) makes a larger result", c->op->name);
}

/* The target of an in-place form: names, then sizes, dtype, memory. */
static inline nomen_status check_in_place(nomen__call *c, nomen_tensor *self) {
    if (c->names.n >= 0 && (self->flags & NOMEN__NAMED)) {
        nomen_status s =
            nomen__names_match_out(nomen__names_of(self), (nomen__names){c->names.n, c->names.at});
        if (s) return s;
    }
    if (c->like != self && !nomen__has_sizes(self, c->ndim, c->size)) return other_sizes(c, self);
    nomen_status s = nomen__check_target(c, self);
    if (!s && c->result[0] != (nomen_dtype)self->dtype) s = nomen__check_cast(c, 0, self);
    if (!s) s = check_writable(self);
    if (!s) s = nomen__before_write(self->storage);
    return s ? s : untangle(c, self);
}

/* The target of an out= form. *fresh becomes a tensor to compute into when out has to be resized.
 */
static nomen_status check_out(nomen__call *c, int i, nomen_tensor *out, nomen_tensor **fresh) {
    if (c->record || (nomen__grad_enabled && (out->flags & NOMEN__REQUIRES)))
        return nomen__fail(NOMEN_ERROR_GRAD,
                           "%s(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the "
                           "arguments requires grad.",
                           c->op->name);
    nomen_status s = nomen__check_target(c, out);
    if (!s) s = nomen__make_ready(out);
    nomen__names names = nomen__names_of(out);
    if (!s && names.at) {
        s = nomen__names_check_resize(names, out->size, c->size, c->ndim);
        if (!s) s = nomen__names_match_out(names, computed_names(c));
    }
    if (!s) s = nomen__check_cast(c, i, out);
    if (s) return s;
    if (!nomen__has_sizes(out, c->ndim, c->size)) {
        s = nomen__tensor_reserve(out, c->ndim);
        if (!s) *fresh = nomen__tensor_empty_on(c->device, out->dtype, c->ndim, c->size);
        return *fresh ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    }
    s = check_writable(out);
    if (!s) s = nomen__before_write(out->storage);
    return s ? s : untangle(c, out);
}

/* A block of memory without holes: sorted by stride, each stride is the product of the smaller
 * dims' sizes. */
static bool is_dense(const nomen_tensor *t) {
    int64_t expected = 1;
    uint64_t done = 0;
    for (int n = 0; n < t->ndim; n++) {
        int next = -1;
        for (int d = 0; d < t->ndim; d++)
            if (!(done >> d & 1) && t->size[d] != 1 && t->stride[d] == expected) next = d;
        if (next < 0) break;
        done |= UINT64_C(1) << next;
        expected *= t->size[next];
    }
    return expected == t->numel && expected != 0;
}

/* Dims in the order of memory, but those of size 1; -1: they have none, as one is expanded. */
static int order_of(const nomen_tensor *t, int *order) {
    int all[NOMEN_MAX_DIMS], n = 0;
    for (int d = 0; d < t->ndim; d++)
        if (t->size[d] != 1 && t->stride[d] <= 0) return -1;
    nomen__memory_order(t, all);
    for (int k = 0; k < t->ndim; k++)
        if (t->size[all[k]] != 1) order[n++] = all[k];
    return n;
}

/* What it takes to turn an operand over: more if its elements have holes between them, and if it
 * has none at all the result may lie as it does. */
static int weight_of(const nomen_tensor *t, int nearest) {
    enum { HOLES = 4, ROWS = 2 };
    return t->stride[nearest] > 1 ? HOLES : ROWS + is_dense(t);
}

/* An operand in whose order most of those lie that have the result's sizes, of several the first;
 * NULL: row-major order is as good. All others have to be turned over. */
static const nomen_tensor *model_of(const nomen__call *c) {
    int order[NOMEN__MAX_IN][NOMEN_MAX_DIMS], n[NOMEN__MAX_IN], best = -1, most = 0;
    for (int k = 0; k < c->nin; k++) {
        const nomen_tensor *t = c->in[k];
        const bool whole = nomen__has_sizes(t, c->ndim, c->size);
        if (whole && t->flags & NOMEN__CONTIGUOUS) return NULL;
        n[k] = whole ? order_of(t, order[k]) : -1;
    }
    for (int k = 0; k < c->nin; k++) {
        int votes = 0;
        for (int j = 0; n[k] > 0 && j < c->nin; j++)
            if (n[j] == n[k] && !memcmp(order[j], order[k], sizeof **order * (size_t)n[k]))
                votes += weight_of(c->in[j], order[j][0]);
        if (votes <= most) continue;
        most = votes;
        best = k;
    }
    return best < 0 ? NULL : c->in[best];
}

bool nomen__result_strides(const nomen__call *c, int64_t *stride) {
    if (c->op->launch == nomen__launch_take_dims) return nomen__strides_of_taken(c, stride);
    const nomen_tensor *model = model_of(c);
    if (!model) return false;
    if (is_dense(model))
        memcpy(stride, model->stride, sizeof *stride * (size_t)c->ndim);
    else
        nomen__strides_like(model, c->size, stride);
    return true;
}

/* A fresh result; when operands with the result's sizes are permuted, the result is permuted
 * likewise, so that the kernel walks both in memory order. */
static nomen_tensor *fresh_result(const nomen__call *c, int i) {
    /* the usual case, without the checks of sizes that were checked when the operand was made */
    if (c->like && !c->device && !c->format)
        return nomen__item(c->result[i]) <= nomen__item(c->like->dtype)
                   ? nomen__tensor_like(c->like, c->result[i])
                   : nomen__tensor_empty(c->result[i], c->ndim, c->size);
    const bool follows = /* the order of an operand in memory */
        c->op->launch == nomen__launch_elementwise || c->op->launch == nomen__launch_flip ||
        c->op->launch == nomen__launch_take_dims;
    if (NOMEN_LIKELY(!c->device && !c->format && !follows &&
                     (!c->layout || c->layout->flags & NOMEN__CONTIGUOUS)))
        return nomen__tensor_empty(c->result[i], c->ndim, c->size);
    nomen_tensor *out = nomen__tensor_empty_on(c->device, c->result[i], c->ndim, c->size);
    if (out && c->format > NOMEN__ROW_MAJOR) nomen__lay_out_in_format(out, c->format);
    if (!out || c->format) return out;
    if (c->layout && !(c->layout->flags & NOMEN__CONTIGUOUS)) nomen__lay_out_like(out, c->layout);
    if (c->ndim < 2 || c->layout || !follows) return out;
    if (nomen__result_strides(c, out->stride)) nomen__tensor_finish(out);
    return out;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* A result of the tape that turns into another view of itself while nothing is recorded would have
 * a history of another shape. Leaves have none. */
static nomen_status check_history(const nomen_tensor *self, const nomen__call *c) {
    if (c->record || !nomen__tape.has_history || !nomen__tape.has_history(self)) return NOMEN_OK;
    return nomen__hint(nomen__fail(NOMEN_ERROR_GRAD,
                                   "%s_: a tensor with a history cannot change its dims in no_grad "
                                   "mode",
                                   c->op->name),
                       "detach it first, or use %s", c->op->name);
}

static nomen_status prepare_outputs(nomen__call *c) {
    for (int i = 0; i < c->nout; i++) {
        nomen_tensor *out;
        if (c->skip[i]) {
            c->out[i] = NULL;
            continue;
        }
        if (c->inplace && c->out[i]) { /* self is to become this view of itself */
            nomen_status s = check_history(c->arg[0].tensor, c);
            if (!s) s = nomen__tensor_reserve(c->arg[0].tensor, c->ndim);
            if (s) return s;
            c->target[i] = c->arg[0].tensor;
            out = c->fresh[i] = c->out[i];
        } else if (c->inplace && i == 0) {
            nomen_status s = c->is_view ? NOMEN_OK : check_in_place(c, c->arg[0].tensor);
            if (s) return s;
            out = nomen__retain(c->arg[0].tensor);
        } else if (c->target[i]) {
            nomen_status s = check_out(c, i, c->target[i], &c->fresh[i]);
            if (s) return s;
            out = c->fresh[i] ? c->fresh[i] : nomen__retain(c->target[i]);
        } else if (c->out[i]) { /* a view, made by the shape step */
            out = c->out[i];
        } else {
            if (NOMEN_UNLIKELY(c->format) && nomen__format_check(c->format, c->ndim))
                return NOMEN_ERROR_SHAPE;
            out = fresh_result(c, i);
            if (!out) return NOMEN_ERROR_MEMORY;
        }
        c->out[i] = out;
    }
    return NOMEN_OK;
}

/* There is room already. A view of itself stays a view of its base. */
static void become(nomen_tensor *t, nomen_tensor *from, bool is_view) {
    nomen_tensor *base = is_view && t->base ? nomen__retain(t->base) : NULL;
    (void)nomen__tensor_become(t, from);
    t->base = base;
}

/* After the kernel: nothing here can fail. */
static void finish_outputs(nomen__call *c) {
    for (int i = 0; i < c->nout; i++) {
        nomen_tensor *out = c->out[i];
        if (!out) continue;
        if (c->fresh[i]) {
            become(c->target[i], out, c->is_view);
            nomen__release(out);
            c->out[i] = out = nomen__retain(c->target[i]);
        }
        if ((c->target[i] || c->inplace) && !c->is_view) nomen__written(out->storage);
        if (c->names.n >= 0 && c->names.n == out->ndim) nomen__set_names(out, c->names.at);
        if (c->is_view && !c->inplace) nomen__finish_view(out, c->in[0]);
    }
}

/* What PyTorch asks before it looks at anything else. */
static nomen_status check_refused(const nomen__call *c) {
    bool truth = c->in_count > 0, complex = false;
    for (int64_t i = 0; i < c->in_count; i++) {
        truth &= c->in[i]->dtype == NOMEN_BOOL;
        complex |= nomen_dtype_is_complex((nomen_dtype)c->in[i]->dtype);
    }
    const char *words = complex ? c->op->refuse_complex : truth ? c->op->refuse_bool : NULL;
    return words ? nomen__hint(nomen__fail(NOMEN_ERROR_DTYPE, "%s", words),
                               "convert with to(dtype) first")
                 : NOMEN_OK;
}

/* Nobody's loop is sought before it is known that there is something to write to. */
static nomen_status no_kernel(nomen__call *c) {
    nomen_status s = NOMEN_OK;
    if (c->op->launch == nomen__launch_elementwise) {
        const nomen_tensor *target = c->inplace ? c->arg[0].tensor : c->target[0];
        if (!c->op->shape_first) s = c->op->shape(c);
        if (!s && target) s = nomen__check_cast(c, 0, target);
    }
    return s ? s
             : nomen__fail(NOMEN_ERROR_DTYPE,
                           "\"%s\" not implemented for '%s': convert with to(dtype) first",
                           c->op->name, nomen_dtype_name(c->compute));
}

static nomen_status find_own_kernel(nomen__call *c) {
    bool fits = c->op->dtypes >> c->compute & 1;
    if (c->op->by_number && c->in[1]->flags & NOMEN__WRAPPED) {
        const char *simpler = c->op->by_number(c->in[1]);
        if (simpler && nomen__kernel_find(simpler, c->compute)) c->kernel_name = simpler;
    }
    if (!c->kernel_name && fits) return NOMEN_OK;
    if (NOMEN_LIKELY(c->kernel_name && fits)) {
        c->kernel = c->kernel_name == c->op->kernel
                        ? nomen__op_kernel(c->op, c->kernel_name, c->compute)
                        : nomen__kernel_find(c->kernel_name, c->compute);
        if (NOMEN_LIKELY(c->kernel != NULL)) return NOMEN_OK;
    }
    return no_kernel(c);
}

static NOMEN_NOINLINE nomen_status find_any_kernel(nomen__call *c) {
    nomen_status s = find_own_kernel(c);
    return NOMEN_UNLIKELY(c->device) && !s ? nomen__device_kernel_find(c) : s;
}

static inline nomen_status find_kernel(nomen__call *c) {
    const nomen__op *op = c->op;
    /* the row's own, if it has one, which was found before */
    if (NOMEN_LIKELY(c->kernel_name == op->kernel && !op->by_number && !c->device) &&
        op->dtypes >> c->compute & 1) {
        if (!op->kernel) return NOMEN_OK;
        c->kernel = nomen__op_kernel_known(op, c->compute);
        if (NOMEN_LIKELY(c->kernel != NULL)) return NOMEN_OK;
    }
    return find_any_kernel(c);
}

static inline nomen_status check_first(const nomen__call *c) {
    const nomen__op *op = c->op;
    nomen_status s = op->refuse_bool || op->refuse_complex ? check_refused(c) : NOMEN_OK;
    if (s || op->launch != nomen__launch_elementwise) return s;
    const nomen_tensor *target = c->inplace ? c->arg[0].tensor : c->target[0];
    return target ? check_overlap(c, target) : NOMEN_OK;
}

static inline __attribute__((always_inline)) nomen_status infer(nomen__call *c) {
    const nomen__op *op = c->op;
    nomen_status s = check_first(c);
    if (!s && op->choose) s = op->choose(c);
    if (!s && op->shape_first) s = op->shape(c);
    if (!s) s = op->names(c);
    if (!s) s = op->dtype(c);
    if (!s) s = find_kernel(c);
    if (!s && !op->shape_first) s = op->shape(c);
    return s;
}

static inline nomen_status launch(nomen__call *c) {
    nomen__work_begins();
    if (NOMEN_UNLIKELY(c->device)) return nomen__launch_on_device(c);
    if (NOMEN_LIKELY(!nomen__fusing)) return c->op->launch(c);
    uint16_t fusing = nomen__fusing; /* what a launch makes on the way it follows itself */
    nomen__fusing = 0;
    nomen_status s = c->op->launch(c);
    nomen__fusing = fusing;
    return s;
}

/* Nobody records, nothing is written to, no device, order of dims or fusing: most calls. */
static inline bool is_plain(const nomen__call *c) {
    return !(c->inplace | c->record | c->format | c->device | (c->wanted >= 0)) && !c->out[0] &&
           !c->out[1] && !nomen__fusing;
}

/* The two steps of a view that is nothing but one. */
static nomen_status walk_view(nomen__call *c) {
    const nomen__op *op = c->op;
    nomen_status s = op->names(c);
    if (NOMEN_UNLIKELY(s)) return s;
    nomen_tensor *out;
    if (NOMEN_LIKELY(op->shape == nomen__shape_view)) { /* what that does, without the sizes */
        out = c->out[0] = nomen__map_apply(c->in[0], &c->map);
        c->is_view = true;
        if (NOMEN_UNLIKELY(!out)) return NOMEN_ERROR_MEMORY;
    } else {
        c->compute = c->writes = c->result[0] = (nomen_dtype)c->in[0]->dtype;
        s = op->shape(c);
        out = c->out[0];
        if (NOMEN_UNLIKELY(s)) return s;
    }
    if (c->names.n >= 0 && c->names.n == out->ndim) nomen__set_names(out, c->names.at);
    if (c->is_view) nomen__finish_view(out, c->in[0]);
    return NOMEN_OK;
}

/* The same steps as walk, for a plain call. */
static nomen_status walk_plainly(nomen__call *c) {
    nomen_status s = infer(c);
    for (int i = 0; !s && i < c->nout; i++) {
        if (c->skip[i] || c->out[i]) continue;
        if (NOMEN_UNLIKELY(c->format)) s = nomen__format_check(c->format, c->ndim);
        if (!s && !(c->out[i] = fresh_result(c, i))) s = NOMEN_ERROR_MEMORY;
    }
    nomen__step *run = c->op->launch; /* choosing may have changed the row */
    if (!s && run != nomen__launch_nothing) {
        nomen__work_begins();
        s = run(c);
    }
    for (int i = 0; i < c->nout; i++) {
        nomen_tensor *out = c->out[i];
        if (NOMEN_UNLIKELY(s)) {
            nomen__release(out);
            c->out[i] = NULL;
        } else if (out) {
            if (c->names.n >= 0 && c->names.n == out->ndim) nomen__set_names(out, c->names.at);
            if (c->is_view) nomen__finish_view(out, c->in[0]);
        }
    }
    for (int i = 0; i < c->temporaries; i++) nomen__release(c->temporary[i]);
    return s;
}

/* Who saved a tensor that was written to in part must hear of it. */
static void spoil_targets(nomen__call *c) {
    for (int i = 0; i < c->nout; i++)
        if (c->out[i] && (c->target[i] || (c->inplace && i == 0)) && !c->fresh[i] && !c->is_view)
            nomen__written(c->out[i]->storage);
}

/* What is left of walk where a tensor is written to that nobody records, put off or on a device:
 * the same steps, without what they ask then. */
static inline nomen_status write_plainly(nomen__call *c) {
    nomen_tensor *const self = c->arg[0].tensor;
    nomen_status s = check_in_place(c, self);
    if (NOMEN_LIKELY(!s)) {
        c->out[0] = self;
        nomen__work_begins();
        s = c->op->launch(c);
        if (NOMEN_LIKELY(!s)) {
            nomen__written(self->storage);
            /* names that it has have been found to be these */
            if (c->names.n == self->ndim && !nomen__is_named(self))
                nomen__set_names(self, c->names.at);
            if (!c->lent) nomen__retain(self);
        } else {
            if (NOMEN_UNLIKELY(nomen__error_code() == NOMEN_ERROR_INTERRUPTED)) spoil_targets(c);
            c->out[0] = NULL;
        }
    }
    for (int i = 0; i < c->temporaries; i++) nomen__release(c->temporary[i]);
    return s;
}

static NOMEN_NOINLINE nomen_status walk(nomen__call *c) {
    c->out[0] = c->out[1] = NULL; /* they are targets */
    /* a second result that nobody asked for, but a formula will */
    if (c->record && (c->op->save[0] & NOMEN__SAVE_SECOND)) c->skip[1] = false;
    nomen_status s = infer(c);
    if (c->out[0] && c->out[0] == c->in[0]) c->record = false; /* the operand itself: no step */
    if (!s && NOMEN_UNLIKELY(nomen__fusing) && !c->device) s = nomen__fuse_call(c);
    if (NOMEN_LIKELY(!s && c->inplace && c->nout == 1) &&
        !(c->record | c->is_view | c->put_off | c->device) && !c->out[0] && !nomen__fusing)
        return write_plainly(c);
    if (!s) s = prepare_outputs(c);
    if (!s && NOMEN_UNLIKELY(c->record) && nomen__tape.prepare) {
        bool only_names = c->is_view && c->inplace && !c->fresh[0];
        if (!only_names) s = nomen__tape.prepare(c);
    }
    if (!s && c->op->launch != nomen__launch_nothing && !c->put_off) s = launch(c);
    if (!s) {
        finish_outputs(c);
        if (NOMEN_UNLIKELY(c->node != NULL)) nomen__tape.commit(c);
        if (c->lent) nomen__release(c->out[0]);
    } else {
        if (c->node) nomen__tape.discard(c);
        /* Who failed on its account may have given back another status. */
        if (NOMEN_UNLIKELY(nomen__error_code() == NOMEN_ERROR_INTERRUPTED)) spoil_targets(c);
        for (int i = 0; i < NOMEN__MAX_OUT; i++) {
            nomen__release(c->out[i]);
            c->out[i] = NULL;
        }
    }
    for (int i = 0; i < c->temporaries; i++) nomen__release(c->temporary[i]);
    return s;
}

/* The short way of quick.c, if it was not asked for yet. */
static inline bool try_quick(nomen__call *c) {
    const nomen__op *op = c->op;
    if (c->asked || c->given != (1u << op->lead) - 1 || c->inplace || c->out[0]) return false;
    if (!c->arg[0].tensor || !c->arg[op->lead - 1].tensor) return false;
    c->out[0] = nomen__quick(op, c->arg[0].tensor, op->lead == 2 ? c->arg[1].tensor : NULL);
    return c->out[0] != NULL;
}

static NOMEN_NOINLINE nomen_status describe_failed(const nomen__call *c, nomen_status s) {
    NOMEN__TEXT(operands, 480);
    nomen__call_describe(&operands, c, s == NOMEN_ERROR_DTYPE);
    NOMEN__TEXT(name, 80);
    nomen__text_add(&name, c->inplace ? "%s_" : "%s", c->op->name);
    nomen__error_context(name.at, operands.at);
    return s;
}

static NOMEN_NOINLINE nomen_status invoke_any(nomen__call *c) {
    const nomen__op *op = c->op;
    if (NOMEN_LIKELY(op->primitive)) memcpy(c->target, c->out, sizeof c->target);
    nomen_status s = collect_operands(c);
    if (NOMEN_UNLIKELY(s)) {
        c->out[0] = c->out[1] = NULL;
    } else if (NOMEN_LIKELY(op->primitive)) {
        s = is_plain(c) ? walk_plainly(c) : walk(c);
        if (NOMEN_UNLIKELY(c->wanted >= 0) && !s) s = nomen__bring(c);
    } else {
        s = check_first(c);
        if (!s) s = op->compose(c);
        if (!s && NOMEN_UNLIKELY(c->format) && c->out[0]) s = nomen__reorder(c);
        if (!s && c->lent) nomen__release(c->out[0]);
    }
    return NOMEN_UNLIKELY(s) ? describe_failed(c, s) : NOMEN_OK;
}

/* Collects the tensors, where there is no list of them, on no device and nothing of the tape's;
 * false: there is more to it. */
static inline bool collect_plainly(nomen__call *c) {
    const nomen__op *op = c->op;
    unsigned flags = 0;
    int n = op->lead;
    if (NOMEN_UNLIKELY(!op->primitive || op->first_of[NOMEN__TENSORS])) return false;
    for (int i = 0; i < n; i++) {
        nomen_tensor *t = c->in_inline[i] = c->arg[i].tensor;
        if (NOMEN_UNLIKELY(!t || t->magic != NOMEN__LIVE)) return false;
        flags |= flags_of(t);
    }
    for (unsigned left = op->more & c->given; left; left &= left - 1) {
        nomen_tensor *t = c->in_inline[n++] = c->arg[__builtin_ctz(left)].tensor;
        if (NOMEN_UNLIKELY(!t || t->magic != NOMEN__LIVE)) return false;
        flags |= flags_of(t);
    }
    c->nin = (uint8_t)n;
    c->in_count = n;
    c->named = (flags & NOMEN__NAMED) != 0;
    return !(flags & (NOMEN__REQUIRES | NOMEN__AWAY | NOMEN__UNHEARD)) && c->wanted < 0;
}

nomen_tensor *nomen__run_sized(nomen__call *c) {
    c->nin = c->op->lead;
    c->in_count = c->nin;
    nomen_status s = c->op->dtype(c);
    if (!s) s = find_kernel(c);
    if (!s && !(c->out[0] = fresh_result(c, 0))) s = NOMEN_ERROR_MEMORY;
    nomen__work_begins();
    if (!s) s = c->op->launch(c);
    if (NOMEN_LIKELY(!s)) return c->out[0];
    nomen__release(c->out[0]);
    return NULL;
}

nomen_status nomen__invoke(nomen__call *c) {
    if (c->op->quick && try_quick(c)) return NOMEN_OK;
    if (NOMEN_UNLIKELY(!collect_plainly(c))) return invoke_any(c);
    nomen_status s;
    if (NOMEN_LIKELY(is_plain(c))) {
        s = c->op->view ? walk_view(c) : walk_plainly(c);
    } else {
        memcpy(c->target, c->out, sizeof c->target);
        s = walk(c);
    }
    return NOMEN_UNLIKELY(s) ? describe_failed(c, s) : NOMEN_OK;
}

/* ---- help for front ends and composites ------------------------------------------------------ */

void nomen__take_temporary(nomen__call *c, nomen_tensor *t) { c->temporary[c->temporaries++] = t; }

const nomen__op *nomen__op_find(const char *name) {
    int low = 0, high = nomen__op_count;
    while (low < high) {
        int mid = (low + high) / 2, order = strcmp(name, nomen__ops[mid].name);
        if (order == 0) return &nomen__ops[mid];
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    for (int i = 0; i < nomen__alias_count; i++)
        if (!strcmp(name, nomen__aliases[i].name)) return &nomen__ops[nomen__aliases[i].op];
    return NULL;
}

nomen_tensor *nomen__apply(int op, nomen_tensor *a, nomen_tensor *b) {
    return nomen__apply_to(op, a, b, NULL);
}

nomen_tensor *nomen__apply_to(int id, nomen_tensor *a, nomen_tensor *b, nomen_tensor *out) {
    const nomen__op *op = &nomen__ops[id];
    if (op->quick && a && op->lead == (b ? 2 : 1)) {
        nomen_tensor *t = !out                              ? nomen__quick(op, a, b)
                          : nomen__quick_out(op, a, b, out) ? nomen__retain(out)
                                                            : NULL;
        if (t) return t;
    }
    nomen__call c;
    nomen__call_begin(&c, op);
    c.arg[0].tensor = a;
    c.given = 1;
    if (b) {
        c.arg[1].tensor = b;
        c.given = 3;
    }
    c.out[0] = out;
    return nomen__invoke(&c) ? NULL : c.out[0];
}
