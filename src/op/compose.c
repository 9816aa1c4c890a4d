/* Composite rows: operations made of others, which record themselves on the tape. */
#include "nomen/ops.gen.h"
#include "op/op.h"
#include "op/rows.gen.h"

/* nomen__invoke brings the result into the order that is asked for. */
nomen_status nomen__compose_contiguous(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    if (nomen__given(c, 1)) {
        nomen_status s = nomen__format_find(c->arg[1].text, &c->format);
        if (s) return s;
        if (c->format == NOMEN__ANY_ORDER && !(t->flags & NOMEN__CONTIGUOUS))
            return nomen__fail(NOMEN_ERROR_STATE,
                               "preserve memory format is unsupported by the contiguous operator");
    }
    if (c->format == NOMEN__ANY_ORDER) c->format = NOMEN__ROW_MAJOR;
    c->out[0] = nomen__retain(t);
    return NOMEN_OK;
}

nomen_status nomen__compose_positive(nomen__call *c) {
    if (c->in[0]->dtype == NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "The `+` operator, on a bool tensor is not supported: convert first");
    c->out[0] = nomen__retain(c->in[0]);
    return NOMEN_OK;
}

nomen_tensor *nomen__converted(nomen_tensor *t, nomen_dtype dtype) {
    nomen__call cast;
    nomen__call_begin(&cast, &nomen__ops[NOMEN__OP_CAST]);
    cast.arg[0].tensor = t;
    cast.arg[1].dtype = dtype;
    cast.given = 3;
    return nomen__invoke(&cast) ? NULL : cast.out[0];
}

/* The dtype changes where the tensor is, which may know more of it. */
static nomen_status to_device(nomen__call *c, nomen_tensor *t, nomen_dtype d) {
    nomen__call step;
    nomen_tensor *converted =
        d == (nomen_dtype)t->dtype ? nomen__retain(t) : nomen__converted(t, d);
    if (!converted) return NOMEN_ERROR_STATE;
    nomen__call_begin(&step, &nomen__ops[NOMEN__OP_TO_DEVICE]);
    step.arg[0].tensor = converted;
    step.arg[1].text = c->arg[3].text;
    step.given = 3;
    nomen_status s = nomen__invoke(&step);
    c->out[0] = step.out[0];
    nomen__release(converted);
    return s;
}

nomen_status nomen__compose_to(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    nomen_dtype d = nomen__given(c, 1) ? c->arg[1].dtype : (nomen_dtype)t->dtype;
    bool copy = nomen__given(c, 2) && c->arg[2].flag;
    uint8_t device = t->device;
    if (nomen__given(c, 3)) {
        nomen_status failed = nomen__device_find(c->arg[3].text, &device);
        if (failed) return failed;
    }
    if (device != t->device) return to_device(c, t, d);
    if (d == (nomen_dtype)t->dtype && !copy) {
        c->out[0] = nomen__retain(t);
        return NOMEN_OK;
    }
    c->out[0] = nomen__converted(t, d);
    return c->out[0] ? NOMEN_OK : NOMEN_ERROR_STATE;
}

/* ---- results --------------------------------------------------------------------------------- */

nomen_tensor *nomen__nameless(nomen_tensor *t) {
    return t && !nomen__is_named(t) ? t : nomen_rename(t);
}

nomen_tensor *nomen__compose_target(const nomen__call *c) {
    return c->inplace || !c->out[0] || (c->out[0]->flags & NOMEN__NAMED) ? NULL : c->out[0];
}

nomen_status nomen__compose_deliver(nomen__call *c, nomen_tensor *t, const nomen__namelist *names) {
    if (names && names->n == t->ndim) nomen__set_names(t, names->at);
    if (!c->inplace && (!c->out[0] || c->out[0] == t)) {
        c->out[0] = t;
        return NOMEN_OK;
    }
    c->result[0] = (nomen_dtype)t->dtype;
    if (c->inplace && nomen__check_cast(c, 0, c->in[0])) { /* copy_ casts everything */
        nomen__release(t);
        return NOMEN_ERROR_DTYPE;
    }
    nomen__call copy;
    nomen__call_begin(&copy, &nomen__ops[c->inplace ? NOMEN__OP_COPY : NOMEN__OP_CLONE]);
    copy.inplace = c->inplace;
    copy.arg[0].tensor = c->inplace ? c->in[0] : t;
    copy.arg[1].tensor = t;
    copy.given = c->inplace ? 3 : 1;
    copy.out[0] = c->inplace ? NULL : c->out[0];
    nomen_status s = nomen__invoke(&copy);
    nomen__release(t);
    c->out[0] = s ? NULL : copy.out[0];
    return s;
}
