/* The short way of the commonest call: an elementwise row on one or two whole, contiguous tensors
 * of one dtype and one shape, with equal names or none. Each step of the pipeline (call.c) has a
 * foregone result there, so that only the conditions are checked; whenever one fails, the call
 * walks the pipeline. Nothing may be decided here that the pipeline would decide otherwise:
 * tests/c/test_quick.c compares the two over all rows. */
#include "op/op.h"

/* More elements are worth the pool's threads. */
enum { MOST = 65536 };

static inline bool unfit(const nomen_tensor *t) {
    return (t->flags & NOMEN__WRAPPED) || nomen__concerns_tape(t);
}

/* What the row writes for operands of dtype d, NONE if that is not foregone. */
static inline nomen_dtype result_of(const nomen__op *op, nomen_dtype d) {
    switch ((nomen__quick_kind)op->quick) {
    case NOMEN__QUICK_SAME: return d;
    case NOMEN__QUICK_BOOL: return NOMEN_BOOL;
    case NOMEN__QUICK_FLOAT: return d >= NOMEN_F16 ? d : NOMEN_DTYPE_NONE;
    case NOMEN__QUICK_REAL: return d < NOMEN_C64 ? d : NOMEN_DTYPE_NONE;
    default: return NOMEN_DTYPE_NONE;
    }
}

static inline bool alike(const nomen_tensor *a, const nomen_tensor *b) {
    if (a->ndim != b->ndim || a->dtype != b->dtype || b->magic != NOMEN__LIVE ||
        !(b->flags & NOMEN__CONTIGUOUS) || unfit(b) || (a->flags ^ b->flags) & NOMEN__NAMED)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->size[i] != b->size[i]) return false;
    if (a->flags & NOMEN__NAMED)
        for (int i = 0; i < a->ndim; i++)
            if (a->names[i] != b->names[i]) return false;
    return true;
}

nomen_tensor *nomen__quick(const nomen__op *op, const nomen_tensor *a, const nomen_tensor *b) {
    if (a->magic != NOMEN__LIVE || !(a->flags & NOMEN__CONTIGUOUS) || unfit(a) || a->numel > MOST ||
        a->numel == 0)
        return NULL;
    if (b && !alike(a, b)) return NULL;
    nomen_dtype d = (nomen_dtype)a->dtype, result = result_of(op, d);
    if (!result || !(op->dtypes >> d & 1)) return NULL;
    const nomen__kernel *kernel = nomen__op_kernel(op, op->kernel, d);
    if (!kernel) return NULL;
    nomen_tensor *out = nomen__tensor_like(a, result);
    if (!out) return NULL;
    if (a->flags & NOMEN__NAMED) {
        for (int i = 0; i < a->ndim; i++) out->names[i] = a->names[i];
        out->flags |= NOMEN__NAMED;
    }
    int64_t item = nomen__item(d);
    char *const ptr[3] = {out->data, a->data, b ? b->data : NULL};
    const int64_t step[3] = {nomen__item(result), item, item};
    kernel->loop(ptr, step, a->numel);
    return out;
}

bool nomen__quick_absent(const nomen__op *op, const char *args) {
    for (int i = op->lead; i < op->nargs; i++) {
        const char *field = args + op->args[i].offset;
        if (op->args[i].kind == NOMEN__NUMBER
                ? ((const nomen_number *)(const void *)field)->kind != NOMEN_ABSENT
                : *(const char *const *)(const void *)field != NULL)
            return false;
    }
    return !op->out_offset || !*(nomen_tensor *const *)(const void *)(args + op->out_offset);
}
