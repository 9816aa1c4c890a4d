/* Rules of operations that make dims which no operand had: reshape, flattening to a vector,
 * diagonal matrices, and pieces that get dims before they are joined. */
#include "op/infer_text.h"
#include "op/rows.gen.h"

#include <string.h>

nomen_status nomen__names_append(nomen__names own, nomen__namelist *result) {
    return nomen__names_insert(own, own.n, 0, result);
}

void nomen__names_flat(nomen__names own, nomen__namelist *result) {
    result->n = 1;
    result->at[0] = own.n == 1 ? nomen__names_at(own, 0) : 0;
}

/* Matching runs of sizes are walked from the left; a dim that stands alone on both sides stays
 * whole. Both have the same number of elements. */
void nomen__names_reshape(nomen__names own, const int64_t *from, int ndim, const int64_t *to,
                          bool empty, nomen__namelist *result) {
    result->n = ndim;
    memset(result->at, 0, sizeof *result->at * (size_t)ndim);
    if (empty) { /* products are all 0 and say nothing */
        bool same = own.n == ndim && !memcmp(from, to, sizeof *from * (size_t)ndim);
        for (int k = 0; same && k < ndim; k++) result->at[k] = nomen__names_at(own, k);
        return;
    }
    int d = 0, k = 0;
    while (d < own.n && k < ndim) {
        int64_t a = from[d], b = to[k];
        int d0 = d++, k0 = k++;
        while (a != b) {
            if (a < b)
                a *= from[d++];
            else
                b *= to[k++];
        }
        if (d == d0 + 1 && k == k0 + 1) result->at[k0] = nomen__names_at(own, d0);
    }
}

nomen_status nomen__names_diag(nomen__names own, nomen__namelist *result) {
    if (own.n != 1 && own.n != 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "diag(): Supports 1D or 2D tensors. Got %dD", own.n);
    result->n = own.n == 1 ? 2 : 1;
    result->at[0] = result->at[1] = 0;
    return NOMEN_OK;
}

nomen_status nomen__names_diag_embed(nomen__names own, const nomen__dimref *first,
                                     const nomen__dimref *second, int *i, int *j,
                                     nomen__namelist *result) {
    if (own.n == NOMEN_MAX_DIMS) return nomen__fail_too_many(own.n + 1, own);
    /* of a tensor without dims both are dim 0, or out of range */
    nomen_status status =
        nomen__dims_crossing((nomen__names){own.n + 1, NULL}, first, second, i, j);
    if (status) return status;
    result->n = own.n + 1;
    for (int d = 0, k = 0; d < result->n; d++)
        result->at[d] = d == *i || d == *j ? 0 : nomen__names_at(own, k++);
    return NOMEN_OK;
}

void nomen__pile_dims(int op, int ndim, int *front, int *back) {
    *back = op == NOMEN__OP_DSTACK ? ndim < 3 : op == NOMEN__OP_COLUMN_STACK && ndim < 2;
    int least = op == NOMEN__OP_HSTACK || op == NOMEN__OP_COLUMN_STACK ? 1 : 2;
    *front = ndim < least ? least - ndim : 0;
}
