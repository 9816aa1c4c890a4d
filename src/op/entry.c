/* The C front end: argument structs of the generated header become calls. The Python one is in
 * python/src. */
#include "op/op.h"

#include <string.h>

nomen_status nomen__take_dims(nomen__call *c, int i, const char *text) {
    nomen__dimref *at = c->dims_pool + c->dims_used;
    int count = 0;
    nomen_status s = nomen__dims_parse(text, at, NOMEN__POOL - c->dims_used, &count);
    if (s) return s;
    c->dims_used = (uint16_t)(c->dims_used + count);
    c->arg[i].dims = (nomen__dims){count, at};
    c->given |= 1u << i;
    if (c->op->args[i].kind != NOMEN__DIMS) {
        if (c->op->args[i].kind == NOMEN__DIM && count != 1)
            return nomen__fail(NOMEN_ERROR_TYPE, "argument '%s' must be one dim, not '%s'",
                               c->op->args[i].name, text);
    } else {
        c->listed |= 1u << i;
    }
    return NOMEN_OK;
}

static nomen_status take_name(nomen__call *c, int i, const char *text) {
    c->arg[i].name = 0;
    c->given |= 1u << i;
    return nomen_name_intern(text, strlen(text), &c->arg[i].name) ? NOMEN_OK : NOMEN_ERROR_NAME;
}

static nomen_status take_argument(nomen__call *c, int i, const char *field) {
    const nomen__argspec *spec = &c->op->args[i];
    bool given = true;
    switch ((nomen__kind)spec->kind) {
    case NOMEN__TENSOR:
        memcpy(&c->arg[i].tensor, field, sizeof c->arg[i].tensor);
        if (!c->arg[i].tensor && (spec->flags & NOMEN__OPTIONAL)) {
            /* absent, or the result of something that failed? An unread error says the latter */
            if (nomen__error_pending()) return NOMEN_ERROR_STATE;
            given = false;
        }
        break;
    case NOMEN__TENSORS: memcpy(&c->arg[i].list, field, sizeof c->arg[i].list); break;
    case NOMEN__NUMBER: /* stays where it is: the struct outlives the call */
        c->arg[i].number = (const nomen_number *)(const void *)field;
        given = c->arg[i].number->kind != NOMEN_ABSENT;
        break;
    case NOMEN__INT:
        memcpy(&c->arg[i].integer, field, sizeof c->arg[i].integer);
        given = c->arg[i].integer != 0 || !(spec->flags & NOMEN__OPTIONAL);
        break;
    case NOMEN__FLAG:
        memcpy(&c->arg[i].flag, field, sizeof c->arg[i].flag);
        given = c->arg[i].flag;
        break;
    case NOMEN__SIZES:
        memcpy(&c->arg[i].sizes, field, sizeof c->arg[i].sizes);
        given = c->arg[i].sizes.count > 0 || !(spec->flags & NOMEN__OPTIONAL);
        if (c->arg[i].sizes.count < 0)
            return nomen__fail(NOMEN_ERROR_TYPE, "argument '%s' is a list of %lld numbers",
                               spec->name, (long long)c->arg[i].sizes.count);
        break;
    case NOMEN__DTYPE:
        memcpy(&c->arg[i].dtype, field, sizeof c->arg[i].dtype);
        given = c->arg[i].dtype != NOMEN_DTYPE_NONE;
        if (given && nomen_dtype_size(c->arg[i].dtype) == 0)
            return nomen__fail(NOMEN_ERROR_TYPE, "argument '%s' is not a dtype", spec->name);
        break;
    case NOMEN__GENERATOR:
        memcpy(&c->arg[i].generator, field, sizeof c->arg[i].generator);
        given = c->arg[i].generator != NULL;
        break;
    case NOMEN__DIM:
    case NOMEN__DIMS:
    case NOMEN__NAMES:
    case NOMEN__NAME:
    case NOMEN__TEXT: {
        const char *text;
        memcpy(&text, field, sizeof text);
        if (!text) {
            given = false;
            break;
        }
        if (spec->kind == NOMEN__TEXT)
            c->arg[i].text = text;
        else
            return spec->kind == NOMEN__NAME ? take_name(c, i, text) : nomen__take_dims(c, i, text);
        break;
    }
    }
    if (given)
        c->given |= 1u << i;
    else if (!(spec->flags & NOMEN__OPTIONAL) && spec->kind != NOMEN__FLAG)
        return nomen__fail(NOMEN_ERROR_TYPE, "argument '%s' is missing", spec->name);
    return NOMEN_OK;
}

static nomen_status take_device(nomen__call *c, const char *field) {
    const char *text;
    uint8_t number;
    memcpy(&text, field, sizeof text);
    if (!text) return NOMEN_OK;
    nomen_status s = nomen__device_find(text, &number);
    if (!s) c->wanted = number;
    return s;
}

/* The commonest dim of all: one digit. */
static inline bool take_digit(nomen__call *c, int i, const char *field) {
    const char *text;
    memcpy(&text, field, sizeof text);
    if (!text || text[0] < '0' || text[0] > '9' || text[1] || c->dims_used == NOMEN__POOL)
        return false;
    nomen__dimref *at = &c->dims_pool[c->dims_used++];
    at->kind = NOMEN__DIM_INDEX;
    at->index = text[0] - '0';
    c->arg[i].dims = (nomen__dims){1, at};
    c->given |= 1u << i;
    return true;
}

static nomen_status take_struct(nomen__call *c, const nomen__op *op, const void *args,
                                bool inplace) {
    nomen__call_begin(c, op);
    c->inplace = inplace;
    nomen_status s = NOMEN_OK;
    if (!args) s = nomen__fail(NOMEN_ERROR_TYPE, "the argument struct is NULL");
    int i = 0;
    if (NOMEN_LIKELY(!s)) {
        for (; i < op->lead; i++) /* they come first in the struct */
            memcpy(&c->arg[i].tensor, (const char *)args + (size_t)i * sizeof c->arg[i].tensor,
                   sizeof c->arg[i].tensor);
        c->given = (1u << i) - 1;
        if (op->spare && nomen__nothing_behind(op, args)) return NOMEN_OK;
    }
    for (; !s && i < op->nargs; i++) {
        const char *field = (const char *)args + op->args[i].offset;
        if (op->args[i].kind != NOMEN__DIM || !take_digit(c, i, field))
            s = take_argument(c, i, field);
    }
    if (!s && op->out_offset)
        memcpy(&c->out[0], (const char *)args + op->out_offset, sizeof c->out[0]);
    if (!s && op->device_offset) s = take_device(c, (const char *)args + op->device_offset);
    if (s) nomen__error_context(op->name, "");
    return s;
}

/* The short way, where the row and the arguments allow it. */
static nomen_tensor *try_quick(const nomen__op *op, const void *args, bool inplace) {
    const nomen_tensor *a, *b = NULL; /* the leading tensors come first in the struct */
    nomen_tensor *out = NULL;
    memcpy(&a, args, sizeof a);
    if (op->lead == 2) memcpy(&b, (const char *)args + sizeof a, sizeof b);
    if (!a || (op->lead == 2 && !b) || !nomen__quick_absent(op, args, &out)) return NULL;
    if (NOMEN_UNLIKELY(out)) return !inplace && nomen__quick_out(op, a, b, out) ? out : NULL;
    if (NOMEN_LIKELY(!inplace)) return nomen__scoped(nomen__quick(op, a, b));
    nomen_tensor *self = (nomen_tensor *)(uintptr_t)a; /* the caller's, to be written to */
    return nomen__quick_into(op, self, b) ? self : NULL;
}

nomen_tensor *nomen__call_struct(const nomen__op *op, const void *args, bool inplace) {
    if (op->quick && args) {
        nomen_tensor *t = try_quick(op, args, inplace);
        if (NOMEN_LIKELY(t)) return t;
    }
    nomen__call c;
    if (take_struct(&c, op, args, inplace)) return NULL;
    c.asked = true;
    nomen_tensor **second = NULL;
    if (op->second_offset) memcpy(&second, (const char *)args + op->second_offset, sizeof second);
    c.skip[1] = op->nout > 1 && !second;
    nomen_tensor *borrowed = c.out[0] ? c.out[0] : inplace ? c.arg[0].tensor : NULL;
    if (nomen__invoke(&c)) return NULL;
    if (second)
        *second = nomen__scoped(c.out[1]);
    else
        nomen__release(c.out[1]);
    if (borrowed) { /* the caller's own tensor comes back as it was lent */
        nomen__release(c.out[0]);
        return borrowed;
    }
    return nomen__scoped(c.out[0]);
}

nomen_list nomen__call_struct_list(const nomen__op *op, const void *args) {
    nomen__call c;
    nomen_list none = {0, NULL};
    if (take_struct(&c, op, args, false) || nomen__invoke(&c)) return none;
    nomen_tensor **at = nomen__scope_array(c.results_count);
    bool failed = !at;
    for (int64_t i = 0; i < c.results_count; i++) {
        nomen_tensor *t = nomen__scoped(c.results[i]);
        failed |= !t;
        if (at) at[i] = t;
    }
    int64_t count = c.results_count;
    nomen__free(c.results, sizeof *c.results * (size_t)(count ? count : 1));
    return failed ? none : (nomen_list){count, at};
}

bool nomen__call_struct_bool(const nomen__op *op, const void *args) {
    nomen__call c;
    if (take_struct(&c, op, args, false) || nomen__invoke(&c)) return false;
    return nomen__truth(c.out[0]) > 0;
}
