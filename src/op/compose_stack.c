/* Composite rows of a few calls each: hstack and its like, and trace. */
#include "nomen/ops.gen.h"
#include "op/op.h"
#include "op/rows.gen.h"

/* ---- joined after being made of at least so many dims ---------------------------------------- */

static nomen_tensor *piece(const nomen__call *c, nomen_tensor *t) {
    int front, back;
    nomen__pile_dims(c->op->id, t->ndim, &front, &back);
    while (t && front-- > 0) t = nomen_unsqueeze(t, "0");
    return t && back ? nomen_unsqueeze(t, "-1") : t;
}

/* Along which dim pieces are joined; ndim: of the first one. */
static int joined(int op, int ndim) {
    if (op == NOMEN__OP_DSTACK) return 2;
    return op == NOMEN__OP_COLUMN_STACK || (op == NOMEN__OP_HSTACK && ndim > 1);
}

nomen_status nomen__compose_pile(nomen__call *c) {
    nomen_list list = c->arg[0].list;
    if (!list.count)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s expects a non-empty TensorList", c->op->name);
    static const char *const dims[] = {"0", "1", "2"};
    const char *dim = dims[joined(c->op->id, list.at[0]->ndim)];
    size_t bytes = sizeof *list.at * (size_t)list.count;
    nomen_tensor **parts = nomen__alloc(bytes), *r = NULL;
    if (!parts) return NOMEN_ERROR_MEMORY;
    nomen_scope() {
        bool whole = true;
        for (int64_t i = 0; whole && i < list.count; i++) {
            parts[i] = piece(c, list.at[i]);
            whole = parts[i] != NULL;
        }
        if (whole)
            r = nomen_cat((nomen_list){list.count, parts}, dim, .out = nomen__compose_target(c));
        if (r) nomen__retain(r);
    }
    nomen__free(parts, bytes);
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}

/* ---- others ---------------------------------------------------------------------------------- */

nomen_status nomen__compose_trace(nomen__call *c) {
    nomen_tensor *r = NULL;
    if (c->in[0]->ndim != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "trace: expected a matrix, but got dim %d",
                           c->in[0]->ndim);
    nomen_scope() {
        r = nomen_sum(nomen_diagonal(c->in[0]));
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}
