/* Matrix products: which names survive a contraction, how batch dims match, and that no name comes
 * out twice. */
#include "op/infer_text.h"

#include <string.h>

#define COLD __attribute__((cold, noinline))

static COLD nomen_status fail_expected(const char *op, nomen__names a, int i, nomen__names b,
                                       int j) {
    nomen_status failed =
        nomen__fail(NOMEN_ERROR_NAME,
                    "%s: Expected '%s' (index %d of %s) to match '%s' (index %d of %s) but they do "
                    "not match.",
                    op, nomen_name_text(a.at[i]), i, nomen__text_list(a).at,
                    nomen_name_text(b.at[j]), j, nomen__text_list(b).at);
    return nomen__hint(failed, "batch dims match by position from the right: bring them into one "
                               "order with align_to, or give them one name with rename");
}

static COLD nomen_status fail_elsewhere(const char *op, nomen__names named, int i,
                                        nomen__names other, int j) {
    const char *name = nomen_name_text(named.at[i]);
    nomen_status failed =
        nomen__fail(NOMEN_ERROR_NAME,
                    "%s: Cannot match '%s' (index %d of %s) with None (index %d of %s) because the "
                    "latter names already have '%s'. Are your tensors misaligned?",
                    op, name, i, nomen__text_list(named).at, j, nomen__text_list(other).at, name);
    return nomen__hint(failed, "move '%s' with align_to, or name the unnamed dim with refine_names",
                       name);
}

static int batch_count(nomen__names a) { return a.n > 2 ? a.n - 2 : 0; }

/* Unlike nomen__unify a dim that one side lacks is taken unchecked, while a name against an unnamed
 * dim is looked for in the whole other list, matrix dims included. */
static nomen_status unify_batch(nomen__names a, nomen__names b, const char *op,
                                nomen__namelist *result) {
    int na = batch_count(a), nb = batch_count(b), n = na > nb ? na : nb;
    result->n = n;
    for (int k = n; k >= 1; k--) { /* of several mistakes the leftmost is told */
        int i = na - k, j = nb - k;
        nomen_name x = i >= 0 ? nomen__names_at(a, i) : 0, y = j >= 0 ? nomen__names_at(b, j) : 0;
        result->at[n - k] = x ? x : y;
        if (i < 0 || j < 0 || x == y) continue;
        if (x && y) return fail_expected(op, a, i, b, j);
        if (x && nomen__names_find(b, x) >= 0) return fail_elsewhere(op, a, i, b, j);
        if (y && nomen__names_find(a, y) >= 0) return fail_elsewhere(op, b, j, a, i);
    }
    return NOMEN_OK;
}

nomen_status nomen__names_matmul(nomen__names a, nomen__names b, nomen__namelist *result) {
    if (!a.n || !b.n)
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "both arguments to matmul need to be at least 1D, but they are %dD and %dD", a.n, b.n);
    nomen_status status = unify_batch(a, b, "matmul", result);
    if (status) return status;
    if (a.n >= 2) result->at[result->n++] = nomen__names_at(a, a.n - 2);
    if (b.n >= 2) result->at[result->n++] = nomen__names_at(b, b.n - 1);
    int again;
    nomen__names whole = nomen__names_read(result);
    if (nomen__names_repeated(whole, &again) < 0) return NOMEN_OK;
    return nomen__fail(
        NOMEN_ERROR_NAME,
        "Matrix multiplying Tensor%s with Tensor%s would produce output tensor with "
        "duplicate names %s. Please rename the input tensors with `Tensor.rename` to "
        "prevent this.",
        nomen__text_list(a).at, nomen__text_list(b).at, nomen__text_list(whole).at);
}

nomen_status nomen__names_distinct(const char *op, const nomen__namelist *result) {
    int again;
    nomen__names whole = nomen__names_read(result);
    if (nomen__names_repeated(whole, &again) < 0) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_NAME,
                       "%s: would produce output tensor with duplicate names %s. Please rename the "
                       "input tensors with `Tensor.rename` to prevent this.",
                       op, nomen__text_list(whole).at);
}

nomen_status nomen__names_chain(const char *op, nomen__names a, int na, nomen__names b, int nb,
                                nomen__namelist *result) {
    if (na + nb > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s: the result has more than %d dims", op,
                           NOMEN_MAX_DIMS);
    result->n = 0;
    for (int d = 0; d < na; d++) result->at[result->n++] = nomen__names_at(a, d);
    for (int d = 0; d < nb; d++) result->at[result->n++] = nomen__names_at(b, d);
    return nomen__names_distinct(op, result);
}

nomen_status nomen__names_addr(nomen__names bias, nomen__names v1, nomen__names v2,
                               nomen__namelist *result) {
    nomen__namelist product;
    nomen_status status = nomen__names_chain("addr", v1, v1.n, v2, v2.n, &product);
    return status ? status : nomen__unify(nomen__names_read(&product), bias, "broadcast", result);
}

nomen_status nomen__names_addbmm(nomen__names bias, nomen__names m1, nomen__names m2,
                                 nomen__namelist *result) {
    nomen__namelist batch, product;
    nomen_status status = nomen__names_matmul(m1, m2, &batch);
    if (status) return status;
    nomen__names_reduce(nomen__names_read(&batch), batch.n > 2, false, &product);
    return nomen__unify(nomen__names_read(&product), bias, "broadcast", result);
}

nomen_status nomen__names_addmm(nomen__names bias, nomen__names m1, nomen__names m2,
                                nomen__namelist *result) {
    nomen__namelist product;
    nomen_status status = nomen__names_matmul(m1, m2, &product);
    if (status) return status;
    return nomen__unify(nomen__names_read(&product), bias, "broadcast", result);
}

/* Where dim k of the result comes from: the list, and the index as the text prints it (matrix dims
 * always as -2). */
static int cdist_origin(nomen__names a, nomen__names b, int batch, int k, nomen__names *list) {
    *list = k == batch + 1 ? b : a;
    if (k >= batch) return -2;
    int i = batch_count(a) - batch + k, j = batch_count(b) - batch + k;
    if (i >= 0 && nomen__names_at(a, i)) return i;
    *list = b;
    return j;
}

static COLD nomen_status fail_cdist(nomen__names a, nomen__names b, nomen__names whole, int first,
                                    int second) {
    nomen__names from[2];
    int batch = whole.n - 2, i = cdist_origin(a, b, batch, first, &from[0]),
        j = cdist_origin(a, b, batch, second, &from[1]);
    const char *name = nomen_name_text(whole.at[first]);
    NOMEN__TEXT(items, 256);
    for (int k = 0; k < whole.n; k++) {
        const char *quote = whole.at[k] ? "'" : "";
        nomen__text_add(&items, "%s%s%s%s", k ? " " : "", quote,
                        whole.at[k] ? nomen_name_text(whole.at[k]) : "None", quote);
    }
    return nomen__fail(
        NOMEN_ERROR_NAME,
        "cdist: Attempted to propagate dims '%s' (index %d of %s) and '%s' (index %d of "
        "%s) to the output, but that would create a tensor with duplicate names [%s]. "
        "Please rename your inputs with Tensor.rename to prevent this.",
        name, i, nomen__text_list(from[0]).at, name, j, nomen__text_list(from[1]).at, items.at);
}

nomen_status nomen__names_cdist(nomen__names a, nomen__names b, nomen__namelist *result) {
    if (a.n < 2 || b.n < 2)
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "cdist: both operands need at least 2 dims, but Tensor%s has %d and Tensor%s "
            "has %d",
            nomen__text_list(a).at, a.n, nomen__text_list(b).at, b.n);
    nomen_status status = unify_batch(a, b, "cdist", result);
    if (status) return status;
    result->at[result->n++] = nomen__names_at(a, a.n - 2);
    result->at[result->n++] = nomen__names_at(b, b.n - 2);
    int again;
    nomen__names whole = nomen__names_read(result);
    int first = nomen__names_repeated(whole, &again);
    return first < 0 ? NOMEN_OK : fail_cdist(a, b, whole, first, again);
}

/* What is contracted: the last dim of a and the last but one of b, or its only one. */
nomen_status nomen__names_contracted(nomen__names a, nomen__names b, const char *op) {
    if (!a.at || !b.at || !a.n || !b.n) return NOMEN_OK;
    int j = b.n == 1 ? 0 : b.n - 2;
    nomen_name x = a.at[a.n - 1], y = b.at[j];
    if (!x || !y || x == y) return NOMEN_OK;
    nomen_status failed =
        nomen__fail(NOMEN_ERROR_NAME,
                    "%s: strict contraction: '%s' (index %d of %s) and '%s' (index %d of %s) would "
                    "be contracted but have different names.",
                    op, nomen_name_text(x), a.n - 1, nomen__text_list(a).at, nomen_name_text(y), j,
                    nomen__text_list(b).at);
    return nomen__hint(failed, "give both one name with rename, if they mean the same");
}

nomen_status nomen__names_inner(nomen__names a, nomen__names b, bool strict,
                                nomen__namelist *result) {
    bool contracts = a.n && b.n; /* else one of them is a factor */
    nomen__names last = {b.n ? 1 : 0, b.at ? b.at + b.n - 1 : NULL};
    nomen_status s = strict && contracts ? nomen__names_contracted(a, last, "inner") : NOMEN_OK;
    return s ? s : nomen__names_chain("inner", a, a.n - contracts, b, b.n - contracts, result);
}

/* Rows of a sorted sequence, and what is looked up in each. */
nomen_status nomen__names_search(nomen__names sequence, nomen__names values,
                                 nomen__namelist *result) {
    nomen__names_copy(values, result);
    if (sequence.n < 2 || sequence.n != values.n) return NOMEN_OK;
    nomen__namelist rows;
    nomen__names mine = {sequence.n - 1, sequence.at}, other = {values.n - 1, values.at};
    nomen_status s = nomen__unify(mine, other, "broadcast", &rows);
    if (s) return s;
    memcpy(result->at, rows.at, sizeof *rows.at * (size_t)rows.n);
    return nomen__names_distinct("searchsorted", result);
}
