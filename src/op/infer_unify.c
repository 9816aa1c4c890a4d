/* Rules that match lists from the right: unify and its fold, cat, masked operations, out= and
 * in-place results. Matrix products match batch dims by a rule of their own, in infer_contract.c.
 */
#include "op/infer_text.h"

#include <string.h>

#define COLD __attribute__((cold, noinline))

static COLD nomen_status fail_position(nomen__names a, nomen__names b, nomen_name x, nomen_name y,
                                       const char *action) {
    nomen_status failed =
        nomen__fail(NOMEN_ERROR_NAME,
                    "Error when attempting to %s dims %s and dims %s: dim '%s' and dim '%s' are at "
                    "the same position from the right but do not match.",
                    action, nomen__text_list(a).at, nomen__text_list(b).at, nomen_name_text(x),
                    nomen_name_text(y));
    return nomen__hint_disagree(failed, a, b);
}

static COLD nomen_status fail_misaligned(nomen__names own, nomen__names other, nomen_name name,
                                         const char *action) {
    nomen_status failed = nomen__fail(
        NOMEN_ERROR_NAME,
        "Misaligned dims when attempting to %s dims %s and dims %s: dim '%s' appears "
        "in a different position from the right across both lists.",
        action, nomen__text_list(own).at, nomen__text_list(other).at, nomen_name_text(name));
    return nomen__hint_disagree(failed, own, other);
}

/* Both have names, and the lists differ. */
static __attribute__((noinline)) nomen_status unify_named(nomen__names a, nomen__names b,
                                                          const char *action,
                                                          nomen__namelist *result) {
    int n = a.n > b.n ? a.n : b.n, both = a.n + b.n - n;
    result->n = n;
    for (int k = 1; k <= both; k++) {
        nomen_name x = a.at[a.n - k], y = b.at[b.n - k];
        result->at[n - k] = x ? x : y;
        if (NOMEN_LIKELY(x == y)) continue;
        if (x && y) return fail_position(a, b, x, y, action);
        if (x && nomen__names_find(b, x) >= 0) return fail_misaligned(a, b, x, action);
        if (y && nomen__names_find(a, y) >= 0) return fail_misaligned(b, a, y, action);
    }
    nomen__names longer = a.n == n ? a : b, shorter = a.n == n ? b : a;
    for (int i = n - both - 1; i >= 0; i--) {
        result->at[i] = longer.at[i];
        if (longer.at[i] && nomen__names_find(shorter, longer.at[i]) >= 0)
            return fail_misaligned(longer, shorter, longer.at[i], action);
    }
    return NOMEN_OK;
}

nomen_status nomen__unify(nomen__names a, nomen__names b, const char *action,
                          nomen__namelist *result) {
    if (a.at && b.at) {
        int same = 0;
        for (; a.n == b.n && same < a.n && a.at[same] == b.at[same]; same++)
            result->at[same] = a.at[same];
        if (same < a.n || a.n != b.n) return unify_named(a, b, action, result);
        result->n = a.n;
        return NOMEN_OK;
    }
    /* one side has no names, so nothing can disagree: the other's names stand at the right */
    nomen__names named = a.at ? a : b;
    int n = a.n > b.n ? a.n : b.n, lead = named.at ? n - named.n : n;
    for (int i = 0; i < lead; i++) result->at[i] = 0;
    for (int i = lead; i < n; i++) result->at[i] = named.at[i - lead];
    result->n = n;
    return NOMEN_OK;
}

/* The fold alternates between two lists, because unify may not write over what it reads. */
static nomen_status fold(const nomen__names *operands, int count, const char *action,
                         nomen__namelist *result) {
    nomen__namelist other, *from = &other, *to = result;
    nomen__names sum = count ? operands[0] : (nomen__names){0, NULL};
    for (int i = 1; i < count; i++) {
        nomen_status status = nomen__unify(sum, operands[i], action, to);
        if (status) return status;
        sum = nomen__names_read(to);
        nomen__namelist *swap = from;
        from = to;
        to = swap;
    }
    if (sum.at == result->at) return NOMEN_OK;
    result->n = sum.n;
    for (int i = 0; i < sum.n; i++) result->at[i] = nomen__names_at(sum, i);
    return NOMEN_OK;
}

nomen_status nomen__unify_all(const nomen__names *operands, int count, nomen__namelist *result) {
    if (count == 2) return nomen__unify(operands[0], operands[1], "broadcast", result);
    return fold(operands, count, "broadcast", result);
}

nomen_status nomen__names_cat(const nomen__names *operands, int count, nomen__namelist *result) {
    if (count <= 0) return nomen__fail(NOMEN_ERROR_SHAPE, "expected a non-empty list of Tensors");
    for (int i = 0; i < count; i++)
        if (!operands[i].n)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "zero-dimensional tensor (at position %d) cannot be concatenated",
                               i);
    /* Ranks are compared as the fold goes, so that a disagreement of names further left is told
     * first. */
    for (int i = 1; i < count; i++) {
        if (operands[i].n == operands[0].n) continue;
        nomen_status status = fold(operands, i, "cat", result);
        if (status) return status;
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Tensors must have same number of dimensions: got %d and %d",
                           operands[0].n, operands[i].n);
    }
    return fold(operands, count, "cat", result);
}

nomen_status nomen__names_masked_fill(nomen__names self, nomen__names mask, const char *op,
                                      bool inplace, nomen__namelist *result) {
    if (mask.n > self.n && (nomen__names_any(self) || nomen__names_any(mask)))
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "%s%s: attempted to broadcast Tensor%s to Tensor%s but the number of dims (%d) "
            "must be less than or equal to the number of dims in the tensor (%d)",
            op, inplace ? "_" : "", nomen__text_list(mask).at, nomen__text_list(self).at, mask.n,
            self.n);
    return nomen__unify(self, mask, "broadcast", result);
}

nomen_status nomen__names_masked_select(nomen__names self, nomen__names mask,
                                        nomen__namelist *result) {
    nomen_status status = nomen__unify(self, mask, "broadcast", result);
    if (status) return status;
    result->n = 1;
    result->at[0] = 0;
    return NOMEN_OK;
}

nomen_status nomen__names_match_out(nomen__names out, nomen__names computed) {
    if (!out.at) return NOMEN_OK;
    bool same = out.n == computed.n && computed.at;
    for (int i = 0; same && i < out.n; i++) same = out.at[i] == computed.at[i];
    if (same || !nomen__names_any(out)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_NAME,
                       "Name mismatch: specified out tensor with names %s are not the same as the "
                       "computed output names %s. Please rename the out tensor's dims with "
                       "`Tensor.rename`.",
                       nomen__text_list(out).at, nomen__text_list(computed).at);
}

nomen_status nomen__names_check_resize(nomen__names out, const int64_t *from, const int64_t *to,
                                       int to_n) {
    if (!nomen__names_any(out)) return NOMEN_OK;
    bool same = out.n == to_n;
    for (int i = 0; same && i < to_n; i++) same = from[i] == to[i];
    if (same) return NOMEN_OK;
    NOMEN__TEXT(had, 256);
    NOMEN__TEXT(wants, 256);
    nomen__text_sizes(&had, from, out.n);
    nomen__text_sizes(&wants, to, to_n);
    return nomen__fail(
        NOMEN_ERROR_SHAPE,
        "Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor%s "
        "with size %s to %s). This may be caused by passing a named tensor as an `out=` "
        "argument; please ensure that the sizes are the same. ",
        nomen__text_list(out).at, had.at, wants.at);
}
