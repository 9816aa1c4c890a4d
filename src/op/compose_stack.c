/* Composite rows of a few calls each: hstack and its like, and trace. */
#include "op/passing.h"
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

/* A few pieces without names that pass; false: some are others. */
enum { FEW = 4 };
static bool pass_pieces(const nomen__call *c, nomen_list list, nomen_tensor views[FEW],
                        nomen_tensor *parts[FEW]) {
    if (list.count > FEW) return false;
    for (int64_t i = 0; i < list.count; i++) {
        const nomen_tensor *t = list.at[i];
        int front, back;
        nomen__pile_dims(c->op->id, t->ndim, &front, &back);
        if (!nomen__may_pass(t) || nomen__is_named(t) ||
            t->ndim + front + back > NOMEN__INLINE_DIMS)
            return false;
        nomen__pass_longer(&views[i], t, front, back);
        parts[i] = &views[i];
    }
    return true;
}

/* Does any piece get dims before it is joined? */
static bool any_longer(const nomen__call *c, nomen_list list) {
    bool longer = false;
    for (int64_t i = 0; !longer && i < list.count; i++) {
        int front, back;
        nomen__pile_dims(c->op->id, list.at[i]->ndim, &front, &back);
        longer = front + back > 0;
    }
    return longer;
}

static nomen_tensor *join(const nomen__call *c, nomen_list parts) {
    return nomen__joined(parts, joined(c->op->id, c->arg[0].list.at[0]->ndim),
                         nomen__compose_target(c));
}

nomen_status nomen__compose_pile(nomen__call *c) {
    nomen_list list = c->arg[0].list;
    if (!list.count)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s expects a non-empty TensorList", c->op->name);
    nomen_tensor views[FEW], *few[FEW], *r = NULL;
    if (!any_longer(c, list)) {
        r = join(c, list);
        return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
    }
    if (pass_pieces(c, list, views, few)) {
        r = join(c, (nomen_list){list.count, few});
        return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
    }
    size_t bytes = sizeof *list.at * (size_t)list.count;
    nomen_tensor **parts = nomen__alloc(bytes);
    if (!parts) return NOMEN_ERROR_MEMORY;
    int64_t made = 0;
    while (made < list.count && (parts[made] = piece(c, list.at[made]))) made++;
    if (made == list.count) r = join(c, (nomen_list){made, parts});
    while (made > 0) nomen__release(parts[--made]);
    nomen__free(parts, bytes);
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}

/* ---- others ---------------------------------------------------------------------------------- */

/* The sum of the diagonal, which passes. */
static nomen_tensor *sum_along(const nomen_tensor *t) {
    nomen_tensor line;
    nomen__pass(&line, t, 1);
    line.size[0] = t->size[0] < t->size[1] ? t->size[0] : t->size[1];
    line.stride[0] = t->stride[0] + t->stride[1];
    line.numel = line.size[0];
    if (line.numel < 2 || line.stride[0] == 1) line.flags |= NOMEN__CONTIGUOUS;
    return nomen__apply(NOMEN__OP_SUM, &line, NULL);
}

nomen_status nomen__compose_trace(nomen__call *c) {
    nomen_tensor *t = c->in[0], *r;
    if (t->ndim != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "trace: expected a matrix, but got dim %d", t->ndim);
    if (nomen__may_pass(t)) {
        r = sum_along(t);
    } else {
        nomen_tensor *line = nomen__apply(NOMEN__OP_DIAGONAL, t, NULL);
        r = line ? nomen__apply(NOMEN__OP_SUM, line, NULL) : NULL;
        nomen__release(line);
    }
    return r ? nomen__compose_deliver(c, r, NULL) : NOMEN_ERROR_STATE;
}
