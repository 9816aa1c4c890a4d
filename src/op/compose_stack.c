/* Composite rows of a few calls each: hstack and its like, and trace. */
#include "op/op.h"
#include "op/rows.gen.h"

/* ---- joined after being made of at least so many dims ---------------------------------------- */

/* With a reference of its own. */
static nomen_tensor *piece(const nomen__call *c, nomen_tensor *t) {
    int front, back;
    nomen__pile_dims(c->op->id, t->ndim, &front, &back);
    nomen_tensor *r = nomen__retain(t);
    for (int i = 0; r && i < front + back; i++) {
        nomen_tensor *longer = nomen__unsqueezed(r, i < front ? 0 : -1);
        nomen__release(r);
        r = longer;
    }
    return r;
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
    const nomen__dimref dim = {NOMEN__DIM_INDEX, 0, joined(c->op->id, list.at[0]->ndim)};
    size_t bytes = sizeof *list.at * (size_t)list.count;
    nomen_tensor **parts = nomen__alloc(bytes), *r = NULL;
    if (!parts) return NOMEN_ERROR_MEMORY;
    int64_t made = 0;
    while (made < list.count && (parts[made] = piece(c, list.at[made]))) made++;
    if (made == list.count) {
        nomen__call cat;
        nomen__call_begin(&cat, &nomen__ops[NOMEN__OP_CAT]);
        cat.arg[0].list = (nomen_list){made, parts};
        cat.arg[1].dims = (nomen__dims){1, &dim};
        cat.given = 3;
        cat.out[0] = nomen__compose_target(c);
        r = nomen__invoke(&cat) ? NULL : cat.out[0];
    }
    while (made > 0) nomen__release(parts[--made]);
    nomen__free(parts, bytes);
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}

/* ---- others ---------------------------------------------------------------------------------- */

nomen_status nomen__compose_trace(nomen__call *c) {
    if (c->in[0]->ndim != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "trace: expected a matrix, but got dim %d",
                           c->in[0]->ndim);
    nomen_tensor *line = nomen__apply(NOMEN__OP_DIAGONAL, c->in[0], NULL);
    nomen_tensor *r = line ? nomen__apply(NOMEN__OP_SUM, line, NULL) : NULL;
    nomen__release(line);
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}
