/* The short way of the commonest calls: an elementwise row on one or two whole, contiguous tensors
 * of one dtype and one shape, with equal names or none, on such a tensor and a number, or on such a
 * tensor and one that has its last dims (a bias) or a number for each row; rows of three likewise.
 * Each step of the pipeline (call.c) has a foregone result there, so that only the conditions are
 * checked; whenever one fails, the call walks the pipeline. Nothing may be decided here that the
 * pipeline would decide otherwise: tests/c/test_quick.c compares the two over all rows. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <float.h>
#include <string.h>

/* Of pieces that are shorter there may be so many: the iterator has better ways for more. */
enum { FEWEST = 64, MANY = 16 };

static inline bool unfit(const nomen_tensor *t) {
    return (t->flags & (NOMEN__WRAPPED | NOMEN__AWAY)) || nomen__concerns_tape(t);
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

/* Are the last dims of a those of b, which has no more than a, and that dtype? */
static inline bool ends_like(const nomen_tensor *a, const nomen_tensor *b, uint8_t dtype) {
    const int more = a->ndim - b->ndim;
    if (b->dtype != dtype || b->magic != NOMEN__LIVE || !(b->flags & NOMEN__CONTIGUOUS) ||
        unfit(b) || (a->flags ^ b->flags) & NOMEN__NAMED)
        return false;
    for (int i = 0; i < b->ndim; i++)
        if (a->size[more + i] != b->size[i]) return false;
    if (a->flags & NOMEN__NAMED)
        for (int i = 0; i < b->ndim; i++)
            if (a->names[more + i] != b->names[i]) return false;
    return true;
}

/* Is t a number that yields to the dtype of model, as the promotion rules have it? */
static inline bool yields(const nomen_tensor *t, const nomen_tensor *model) {
    return t->magic == NOMEN__LIVE && t->ndim == 0 && !(t->flags & NOMEN__AWAY) &&
           !nomen__concerns_tape(t) &&
           nomen_can_cast((nomen_dtype)t->dtype, (nomen_dtype)model->dtype);
}

/* The number in the dtype that the kernel computes in; false where no cast is foregone. */
static bool number_as(const nomen_tensor *t, nomen_dtype d, char *value) {
    if (t->dtype == d) {
        memcpy(value, t->data, (size_t)nomen__item(d));
        return true;
    }
    nomen__loop *cast = nomen__cast_loop((nomen_dtype)t->dtype, d);
    if (!cast) return false;
    nomen__cast_one(cast, d, value, (nomen_dtype)t->dtype, t->data);
    return true;
}

/* May t be the operand whose dims, dtype and names the result has? More elements are worth the
 * pool's threads. */
static inline bool fits(const nomen__op *op, const nomen_tensor *t) {
    return t->magic == NOMEN__LIVE && (t->flags & NOMEN__CONTIGUOUS) && !unfit(t) &&
           t->numel <= nomen__alone_of(op, (nomen_dtype)t->dtype) && t->numel > 0;
}

/* The kernel for operands of dtype d, NULL if what it writes is not foregone. */
static inline const nomen__kernel *kernel_of(const nomen__op *op, nomen_dtype d) {
    return op->dtypes >> d & 1 && result_of(op, d) ? nomen__op_kernel(op, op->kernel, d) : NULL;
}

/* into: what is written to, which has the dims, dtype and names of the result; NULL: a new one. */
static inline nomen_tensor *result_like(const nomen_tensor *model, nomen_dtype dtype,
                                        nomen_tensor *into) {
    if (into) return into;
    nomen_tensor *out = nomen__tensor_like(model, dtype);
    if (NOMEN_UNLIKELY(!out)) {
        nomen__error_drop(); /* the long way asks again, and tells */
        return NULL;
    }
    if (model->flags & NOMEN__NAMED) {
        for (int i = 0; i < model->ndim; i++) out->names[i] = model->names[i];
        out->flags |= NOMEN__NAMED;
    }
    return out;
}

/* A result like model: a and b are the data of the operands, with their steps. */
static inline nomen_tensor *run(const nomen__op *op, const nomen__kernel *kernel,
                                const nomen_tensor *model, nomen_tensor *into, char *a,
                                int64_t a_step, char *b, int64_t b_step) {
    nomen_dtype result = result_of(op, (nomen_dtype)model->dtype);
    nomen_tensor *out = result_like(model, result, into);
    if (NOMEN_UNLIKELY(!out)) return NULL;
    char *const ptr[3] = {out->data, a, b};
    const int64_t step[3] = {nomen__item(result), a_step, b_step};
    kernel->loop(ptr, step, model->numel);
    return out;
}

bool nomen__exact_in(const nomen_tensor *t, nomen_dtype d) {
    nomen__loop *cast = nomen__cast_loop((nomen_dtype)t->dtype, d);
    nomen__loop *back = nomen__cast_loop(d, (nomen_dtype)t->dtype);
    if (t->dtype == d || !cast || !back) return t->dtype == d;
    _Alignas(16) char value[16], again[16];
    nomen__cast_one(cast, d, value, (nomen_dtype)t->dtype, t->data);
    nomen__cast_one(back, (nomen_dtype)t->dtype, again, d, value);
    return !memcmp(again, t->data, (size_t)nomen__item(t->dtype));
}

static bool fits_as_bound(const nomen_tensor *t, nomen_dtype d) {
    double x = 0;
    if (t->dtype == NOMEN_F64) memcpy(&x, t->data, sizeof x);
    bool known = t->dtype == NOMEN_F64 || t->dtype == NOMEN_I64 || t->dtype == NOMEN_BOOL;
    return known &&
           (d == NOMEN_F64 || (d == NOMEN_F32 && x - x == 0 && x < FLT_MAX && x > -FLT_MAX));
}

static NOMEN_NOINLINE nomen_tensor *with_number(const nomen__op *op, const nomen_tensor *a,
                                                const nomen_tensor *b, nomen_tensor *into) {
    bool second = b->flags & NOMEN__WRAPPED;
    const nomen_tensor *model = second ? a : b, *number = second ? b : a;
    _Alignas(16) char value[16];
    if (!fits(op, model) || !yields(number, model)) return NULL;
    const nomen__kernel *kernel = kernel_of(op, (nomen_dtype)model->dtype);
    /* bounds must fit into the dtype: a finite number that does is no infinity in it */
    if (op->choose == nomen__choose_bound && !fits_as_bound(number, (nomen_dtype)model->dtype))
        return NULL;
    bool half = model->dtype == NOMEN_F16 || model->dtype == NOMEN_BF16;
    if (half && !nomen__exact_in(number, (nomen_dtype)model->dtype)) return NULL;
    const char *simpler = second && op->by_number ? op->by_number(number) : NULL;
    if (kernel && simpler) kernel = nomen__kernel_find(simpler, (nomen_dtype)model->dtype);
    if (!kernel || !number_as(number, (nomen_dtype)model->dtype, value)) return NULL;
    int64_t item = nomen__item(model->dtype);
    return second ? run(op, kernel, model, into, a->data, item, value, 0)
                  : run(op, kernel, model, into, value, 0, b->data, item);
}

/* The tensor with fewer dims is met again and again by the other. */
static NOMEN_NOINLINE nomen_tensor *by_pieces(const nomen__op *op, const nomen_tensor *a,
                                              const nomen_tensor *b, nomen_tensor *into) {
    const bool second = a->ndim > b->ndim;
    const nomen_tensor *model = second ? a : b, *piece = second ? b : a;
    if (model->ndim == piece->ndim || !fits(op, model) || !ends_like(model, piece, model->dtype))
        return NULL;
    const nomen__kernel *kernel = kernel_of(op, (nomen_dtype)model->dtype);
    const int64_t item = nomen__item(model->dtype), n = piece->numel;
    if (!kernel || (n > 1 && n < FEWEST && model->numel > MANY * n)) return NULL;
    if (n == 1)
        return run(op, kernel, model, into, a->data, second ? item : 0, b->data, second ? 0 : item);
    nomen_dtype result = result_of(op, (nomen_dtype)model->dtype);
    nomen_tensor *out = result_like(model, result, into);
    if (NOMEN_UNLIKELY(!out)) return NULL;
    const int64_t step[3] = {nomen__item(result), item, item};
    for (int64_t i = 0; i < model->numel; i += n) {
        char *const ptr[3] = {out->data + i * step[0], a->data + (second ? i * item : 0),
                              b->data + (second ? 0 : i * item)};
        kernel->loop(ptr, step, n);
    }
    return out;
}

/* Is b like a, but with one element in the last dim, and a with several? */
static bool is_column(const nomen_tensor *a, const nomen_tensor *b) {
    const int last = a->ndim - 1;
    if (last < 0 || b->size[last] != 1 || a->size[last] < 2 || b->dtype != a->dtype ||
        b->magic != NOMEN__LIVE || !(b->flags & NOMEN__CONTIGUOUS) || unfit(b) ||
        (a->flags ^ b->flags) & NOMEN__NAMED)
        return false;
    for (int i = 0; i < last; i++)
        if (a->size[i] != b->size[i]) return false;
    if (a->flags & NOMEN__NAMED)
        for (int i = 0; i <= last; i++)
            if (a->names[i] != b->names[i]) return false;
    return true;
}

/* A number of its own for each row (x - x.mean(1, keepdim=True)). */
static NOMEN_NOINLINE nomen_tensor *by_rows(const nomen__op *op, const nomen_tensor *a,
                                            const nomen_tensor *b, nomen_tensor *into) {
    const bool second = is_column(a, b);
    const nomen_tensor *model = second ? a : b, *column = second ? b : a;
    if (!fits(op, model) || (!second && (into || !is_column(b, a)))) return NULL;
    const nomen__kernel *kernel = kernel_of(op, (nomen_dtype)model->dtype);
    const int64_t item = nomen__item(model->dtype), n = model->size[model->ndim - 1];
    if (!kernel || (n < FEWEST && column->numel > MANY)) return NULL;
    nomen_dtype result = result_of(op, (nomen_dtype)model->dtype);
    nomen_tensor *out = result_like(model, result, into);
    if (NOMEN_UNLIKELY(!out)) return NULL;
    const int64_t a_step = second ? item : 0, b_step = second ? 0 : item;
    const int64_t step[3] = {nomen__item(result), a_step, b_step};
    for (int64_t i = 0; i < column->numel; i++) {
        char *const ptr[3] = {out->data + i * n * step[0], a->data + i * (second ? n : 1) * item,
                              b->data + i * (second ? 1 : n) * item};
        kernel->loop(ptr, step, n);
    }
    return out;
}

static inline nomen_tensor *quick(const nomen__op *op, const nomen_tensor *a, const nomen_tensor *b,
                                  nomen_tensor *into) {
    if (b && (a->flags | b->flags) & NOMEN__WRAPPED) return with_number(op, a, b, into);
    if (b && a->ndim != b->ndim) return by_pieces(op, a, b, into);
    if (b && !ends_like(a, b, a->dtype)) return by_rows(op, a, b, into);
    if (!fits(op, a)) return NULL;
    const nomen__kernel *kernel = kernel_of(op, (nomen_dtype)a->dtype);
    int64_t item = nomen__item(a->dtype);
    return kernel ? run(op, kernel, a, into, a->data, item, b ? b->data : NULL, item) : NULL;
}

nomen_tensor *nomen__quick(const nomen__op *op, const nomen_tensor *a, const nomen_tensor *b) {
    return quick(op, a, b, NULL);
}

static inline void pass_number(nomen_tensor *t, const nomen_number *n, void *value) {
    nomen__pass_number(t, nomen__number_to(n, value), value);
}

nomen_tensor *nomen__quick_number(const nomen__op *op, const nomen_tensor *t, const nomen_number *n,
                                  bool number_first) {
    _Alignas(16) char value[16];
    nomen_tensor number;
    pass_number(&number, n, value);
    return number_first ? with_number(op, &number, t, NULL) : with_number(op, t, &number, NULL);
}

/* Is out, which was given, as a result like model would be, and may it be written to? */
static bool is_as(const nomen_tensor *out, const nomen_tensor *model, nomen_dtype dtype) {
    if (out->magic != NOMEN__LIVE || out->dtype != (uint8_t)dtype ||
        !(out->flags & NOMEN__CONTIGUOUS) || unfit(out) || out->flags & NOMEN__UNHEARD ||
        out->storage->readonly || !nomen__has_sizes(out, model->ndim, model->size) ||
        (out->flags ^ model->flags) & NOMEN__NAMED ||
        atomic_load_explicit(&nomen__put_off.count, memory_order_relaxed))
        return false;
    if (out->flags & NOMEN__NAMED)
        for (int i = 0; i < out->ndim; i++)
            if (out->names[i] != model->names[i]) return false;
    return true;
}

/* May out be written to while t is read, if it is no tensor of another place? */
static inline bool apart(const nomen_tensor *out, const nomen_tensor *t) {
    const nomen__storage *s = out->storage, *other = t->storage;
    return t->data == out->data
               ? t->ndim == out->ndim && t->dtype == out->dtype
               : s != other && (s->capacity || s->inlined) && (other->capacity || other->inlined);
}

/* Infinite bounds are the same in all floating dtypes, and NaN. */
static bool fits_as_limit(const nomen_tensor *t, nomen_dtype d) {
    double x = 0;
    if (t->dtype == NOMEN_F64) memcpy(&x, t->data, sizeof x);
    return fits_as_bound(t, d) || (d == NOMEN_F32 && x - x != 0);
}

/* The operand that is no number; its dtype is that of the result. */
static const nomen_tensor *model_of(const nomen__op *op, const nomen_tensor *const operands[3]) {
    for (int i = op->three == NOMEN__THREE_CONDITION; i < 3; i++)
        if (operands[i] && !(operands[i]->flags & NOMEN__WRAPPED)) return operands[i];
    return NULL;
}

nomen_tensor *nomen__quick_three(const nomen__op *op, const nomen_tensor *const operands[3],
                                 const nomen_number numbers[3], nomen_tensor *into) {
    static const nomen_number one = {NOMEN_NUMBER_INT, 1, 0, 0};
    _Alignas(16) char given[16], value[4][16];
    const nomen_tensor *model = model_of(op, operands);
    if (!model || !fits(op, model) || (into && !is_as(into, model, model->dtype))) return NULL;
    const nomen_dtype d = (nomen_dtype)model->dtype;
    const int64_t item = nomen__item(d);
    char *ptr[5] = {NULL, NULL, NULL, NULL, value[3]};
    int64_t step[5] = {item, item, item, item, 0}, next[5] = {item, 0, 0, 0, 0};
    int64_t piece = model->numel; /* elements of the operands with fewer dims */
    for (int i = 0; i < 3; i++) {
        const bool condition = i == 0 && op->three == NOMEN__THREE_CONDITION;
        const nomen_tensor *t = operands[i];
        if (t && !(t->flags & NOMEN__WRAPPED)) {
            const uint8_t own = condition ? NOMEN_BOOL : (uint8_t)d;
            const bool whole = t->numel == model->numel;
            if (t->ndim > model->ndim || !t->ndim != !model->ndim || !ends_like(model, t, own) ||
                (into && !apart(into, t)) || (!whole && piece != model->numel && piece != t->numel))
                return NULL;
            if (!whole) piece = t->numel;
            ptr[i + 1] = t->data;
            step[i + 1] = nomen__item(own);
            next[i + 1] = whole ? step[i + 1] : 0;
            continue;
        }
        nomen_tensor made;
        if (!t) {
            pass_number(&made, &numbers[i], given);
            t = &made;
        }
        if (condition || op->choose == nomen__choose_factor || !yields(t, model) ||
            !fits_as_limit(t, d) || !number_as(t, d, value[i]))
            return NULL;
        ptr[i + 1] = value[i];
        step[i + 1] = 0;
    }
    if (op->choose == nomen__choose_factor) {
        nomen_tensor factor;
        pass_number(&factor, &one, given);
        if (!number_as(&factor, d, value[3])) return NULL;
    }
    if (piece < FEWEST && model->numel > MANY * piece) return NULL;
    const nomen__kernel *kernel = op->dtypes >> d & 1 ? nomen__op_kernel(op, op->kernel, d) : NULL;
    nomen_tensor *out = kernel ? result_like(model, d, into) : NULL;
    if (!out) return NULL;
    ptr[0] = out->data;
    for (int64_t i = 0; i < model->numel; i += piece) {
        kernel->loop(ptr, step, piece);
        for (int k = 0; k < 4; k++) ptr[k] += piece * next[k];
    }
    if (into) nomen__written(into->storage);
    return out;
}

/* May self be written to, element by element as b is read? */
static inline bool may_be_written(const nomen_tensor *self, const nomen_tensor *b) {
    if (self->flags & (NOMEN__UNHEARD | NOMEN__WRAPPED) || self->storage->readonly ||
        atomic_load_explicit(&nomen__put_off.count, memory_order_relaxed))
        return false;
    if (!b || b->flags & NOMEN__WRAPPED || (b->data == self->data && b->ndim == self->ndim))
        return true;
    const nomen__storage *s = self->storage, *other = b->storage;
    return s != other && (s->capacity || s->inlined) && (other->capacity || other->inlined);
}

bool nomen__quick_into(const nomen__op *op, nomen_tensor *self, const nomen_tensor *b) {
    if (self->magic != NOMEN__LIVE || (b && (b->magic != NOMEN__LIVE || b->ndim > self->ndim)) ||
        result_of(op, (nomen_dtype)self->dtype) != (nomen_dtype)self->dtype ||
        !may_be_written(self, b) || !quick(op, self, b, self))
        return false;
    nomen__written(self->storage);
    return true;
}

bool nomen__quick_out(const nomen__op *op, const nomen_tensor *a, const nomen_tensor *b,
                      nomen_tensor *out) {
    if (a->magic != NOMEN__LIVE || (b && b->magic != NOMEN__LIVE)) return false;
    const nomen_tensor *model = b && (a->flags & NOMEN__WRAPPED || b->ndim > a->ndim) ? b : a;
    if (!is_as(out, model, result_of(op, (nomen_dtype)model->dtype))) return false;
    if (!(a->flags & NOMEN__WRAPPED) && !apart(out, a)) return false;
    if (b && !(b->flags & NOMEN__WRAPPED) && !apart(out, b)) return false;
    if (!quick(op, a, b, out)) return false;
    nomen__written(out->storage);
    return true;
}

bool nomen__quick_number_into(const nomen__op *op, nomen_tensor *self, const nomen_number *n) {
    _Alignas(16) char value[16];
    nomen_tensor number;
    pass_number(&number, n, value);
    return nomen__quick_into(op, self, &number);
}

bool nomen__quick_absent(const nomen__op *op, const char *args, nomen_tensor **out) {
    if (NOMEN_LIKELY(nomen__nothing_behind(op, args))) return true;
    /* out alone, or something else that the short way does not know? */
    for (int i = op->lead; i < op->nargs; i++) {
        const char *field = args + op->args[i].offset;
        switch (op->args[i].kind) {
        case NOMEN__NUMBER:
            if (((const nomen_number *)(const void *)field)->kind != NOMEN_ABSENT) return false;
            break;
        case NOMEN__INT:
            if (*(const int64_t *)(const void *)field) return false;
            break;
        default:
            if (*(const char *const *)(const void *)field) return false;
        }
    }
    if (op->out_offset) memcpy(out, args + op->out_offset, sizeof *out);
    return true;
}
