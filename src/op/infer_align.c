/* Rules that take a list of wanted names: rename, refine_names, align_to, align_tensors; and those
 * that merge and split dims: flatten, unflatten. */
#include "op/infer_text.h"

static nomen_status one_ellipsis(nomen__dims want, const char *fn, int *ellipsis) {
    *ellipsis = -1;
    for (int i = 0; i < want.n; i++) {
        if (want.at[i].kind != NOMEN__DIM_ELLIPSIS) continue;
        if (*ellipsis >= 0)
            return nomen__fail(
                NOMEN_ERROR_NAME,
                "%s: More than one Ellipsis ('...') found in names (%s). This function "
                "supports up to one Ellipsis.",
                fn, nomen__text_dims_tuple(want).at);
        *ellipsis = i;
    }
    return NOMEN_OK;
}

/* The names of a list without its ellipsis, if it has one. */
static nomen_status explicit_names(nomen__names own, nomen__dims want, int ellipsis,
                                   nomen__namelist *names) {
    int n = 0;
    for (int i = 0; i < want.n; i++) {
        if (i == ellipsis) continue;
        if (n == NOMEN_MAX_DIMS) return nomen__fail_too_many(want.n - (ellipsis >= 0), own);
        nomen_status status = nomen__dimref_name(&want.at[i], &names->at[n++]);
        if (status) return status;
    }
    names->n = n;
    return NOMEN_OK;
}

/* The ellipsis of rename and refine_names stands for the own names at its place. With more names
 * than dims it stands for nothing, and the count of the names is the error that the caller reports.
 */
static nomen_status expand_in_place(nomen__names own, nomen__dims want, const char *fn,
                                    nomen__namelist *full) {
    int ellipsis;
    nomen_status status = one_ellipsis(want, fn, &ellipsis);
    if (!status) status = explicit_names(own, want, ellipsis, full);
    if (status || ellipsis < 0 || full->n >= own.n) return status;
    int gap = own.n - full->n;
    for (int i = own.n - 1; i >= ellipsis + gap; i--) full->at[i] = full->at[i - gap];
    for (int i = ellipsis; i < ellipsis + gap; i++) full->at[i] = nomen__names_at(own, i);
    full->n = own.n;
    return NOMEN_OK;
}

nomen_status nomen__names_rename(nomen__names own, nomen__dims want, const char *fn,
                                 nomen__namelist *result) {
    if (want.n < 0) {
        for (int i = 0; i < own.n; i++) result->at[i] = 0;
        result->n = own.n;
        return NOMEN_OK;
    }
    nomen_status status = expand_in_place(own, want, fn, result);
    return status ? status : nomen__names_validate(result->at, result->n, own.n);
}

nomen_status nomen__names_rename_map(nomen__names own, const nomen_name *old,
                                     const nomen_name *fresh, int count, const char *fn,
                                     nomen__namelist *result) {
    for (int i = 0; i < own.n; i++) result->at[i] = nomen__names_at(own, i);
    result->n = own.n;
    for (int k = 0; k < count; k++) {
        int position = old[k] ? nomen__names_find(own, old[k]) : -1;
        if (position < 0) {
            const char *from = old[k] ? nomen_name_text(old[k]) : "*";
            nomen_status failed = nomen__fail(
                NOMEN_ERROR_NAME,
                "%s: Tried to rename dim '%s' to dim %s in Tensor[%s] but dim '%s' does "
                "not exist",
                fn, from, fresh[k] ? nomen_name_text(fresh[k]) : "None", nomen__text_tuple(own).at,
                from);
            return old[k] ? nomen__hint_missing(failed, own, old[k]) : failed;
        }
        result->at[position] = fresh[k];
    }
    return nomen__names_validate(result->at, result->n, own.n);
}

nomen_status nomen__names_refine(nomen__names own, nomen__dims want, nomen__namelist *result) {
    nomen_status status = expand_in_place(own, want, "refine_names", result);
    if (status) return status;
    nomen__names full = nomen__names_read(result);
    if (full.n != own.n)
        return nomen__fail(NOMEN_ERROR_NAME,
                           "refine_names: cannot coerce Tensor%s to Tensor%s because they have a "
                           "different number of dims (%d and %d respectively).",
                           nomen__text_list(own).at, nomen__text_list(full).at, own.n, full.n);
    status = nomen__names_validate(full.at, full.n, own.n);
    if (status) return status;
    for (int i = 0; i < own.n; i++) {
        nomen_name had = nomen__names_at(own, i), wants = full.at[i];
        if (!had || had == wants) continue;
        if (!wants)
            return nomen__hint(
                nomen__fail(NOMEN_ERROR_NAME,
                            "refine_names: cannot coerce Tensor%s to Tensor%s because '%s' is more "
                            "specific than None at index %d",
                            nomen__text_list(own).at, nomen__text_list(full).at,
                            nomen_name_text(had), i),
                "to keep a name repeat it or use '...'; rename(None) drops names");
        return nomen__hint(
            nomen__fail(
                NOMEN_ERROR_NAME,
                "refine_names: cannot coerce Tensor%s to Tensor%s because '%s' is different "
                "from '%s' at index %d",
                nomen__text_list(own).at, nomen__text_list(full).at, nomen_name_text(had),
                nomen_name_text(wants), i),
            "refine_names only names dims that have no name; rename changes names");
    }
    return NOMEN_OK;
}

/* Without an ellipsis every own dim must be named and wanted. */
static nomen_status align_exact(nomen__names own, const nomen__namelist *result, int *source) {
    nomen__names wanted = nomen__names_read(result);
    for (int i = 0; i < own.n; i++) {
        nomen_name name = nomen__names_at(own, i);
        if (!name)
            return nomen__hint(
                nomen__fail(NOMEN_ERROR_NAME,
                            "align_to: All input dims must be named. Found unnamed dim at index %d "
                            "of Tensor%s",
                            i, nomen__text_list(own).at),
                "name it with refine_names, or use '...' for the dims that stay as they are");
        if (nomen__names_find(wanted, name) < 0)
            return nomen__hint(
                nomen__fail(NOMEN_ERROR_NAME,
                            "align_to: Cannot find dim '%s' from Tensor%s in desired alignment %s.",
                            nomen_name_text(name), nomen__text_list(own).at,
                            nomen__text_list(wanted).at),
                "name every dim of the tensor, or put '...' where the others shall stand");
    }
    for (int k = 0; k < wanted.n; k++)
        source[k] = wanted.at[k] ? nomen__names_find(own, wanted.at[k]) : -1;
    return nomen__names_validate(wanted.at, wanted.n, wanted.n);
}

nomen_status nomen__names_align_to(nomen__names own, nomen__dims want, nomen__namelist *result,
                                   int *source) {
    nomen__namelist exact;
    int ellipsis;
    nomen_status status = one_ellipsis(want, "align_to", &ellipsis);
    if (status) return status;
    if (ellipsis < 0) {
        status = explicit_names(own, want, -1, result);
        return status ? status : align_exact(own, result, source);
    }
    status = explicit_names(own, want, ellipsis, &exact);
    if (status) return status;
    nomen__names named = nomen__names_read(&exact);
    if (nomen__names_find(named, 0) >= 0)
        return nomen__fail(
            NOMEN_ERROR_NAME,
            "align_to: the desired order of dimensions cannot contain a None name, got %s",
            nomen__text_list(named).at);
    int rest[NOMEN_MAX_DIMS], rest_n = 0;
    for (int i = 0; i < own.n; i++) {
        nomen_name name = nomen__names_at(own, i);
        if (!name || nomen__names_find(named, name) < 0) rest[rest_n++] = i;
    }
    if (named.n + rest_n > NOMEN_MAX_DIMS) return nomen__fail_too_many(named.n + rest_n, named);
    int n = 0;
    for (int k = 0; k <= named.n; k++) {
        if (k == ellipsis)
            for (int i = 0; i < rest_n; i++) {
                result->at[n] = nomen__names_at(own, rest[i]);
                source[n++] = rest[i];
            }
        if (k == named.n) break;
        result->at[n] = named.at[k];
        source[n++] = nomen__names_find(own, named.at[k]);
    }
    result->n = n;
    return nomen__names_validate(result->at, n, n);
}

nomen_status nomen__names_align_tensors(nomen__names own, nomen__names target, int *source) {
    int k = 1; /* from the right of target */
    for (int j = 0; j < target.n; j++) source[j] = -1;
    for (int i = 1; i <= own.n; i++, k++) {
        nomen_name name = nomen__names_at(own, own.n - i);
        while (k <= target.n && nomen__names_at(target, target.n - k) != name) k++;
        if (k > target.n)
            return nomen__fail(
                NOMEN_ERROR_NAME,
                "Could not align Tensor%s to `names` %s because %s is not a subsequence "
                "of `names`.",
                nomen__text_list(own).at, nomen__text_list(target).at, nomen__text_list(own).at);
        if (!name && i != k)
            return nomen__fail(
                NOMEN_ERROR_NAME,
                "Aligning Tensor%s to `names` %s would change the absolute position from "
                "the right of an unnamed dimension. Please name unnamed dimensions to "
                "avoid ambiguity.",
                nomen__text_list(own).at, nomen__text_list(target).at);
        source[target.n - k] = own.n - i;
    }
    return NOMEN_OK;
}

/* Own names with dims first..last replaced by count fresh ones. */
static nomen_status splice(nomen__names own, int first, int last, const nomen_name *fresh,
                           int count, nomen__namelist *result) {
    int total = own.n - (last - first + 1) + count, n = 0;
    if (total > NOMEN_MAX_DIMS) return nomen__fail_too_many(total, own);
    for (int i = 0; i < first; i++) result->at[n++] = nomen__names_at(own, i);
    for (int i = 0; i < count; i++) result->at[n++] = fresh[i];
    for (int i = last + 1; i < own.n; i++) result->at[n++] = nomen__names_at(own, i);
    result->n = n;
    return nomen__names_validate(result->at, n, n);
}

nomen_status nomen__names_flatten_list(nomen__names own, nomen__dims dims, nomen_name out,
                                       int *first, int *last, nomen__namelist *result) {
    if (dims.n <= 0)
        return nomen__fail(NOMEN_ERROR_NAME,
                           "flatten(tensor, dims, out_dim): dims cannot be empty");
    bool consecutive = true;
    for (int i = 0; i < dims.n; i++) {
        int position;
        nomen_status status = nomen__dim_position(own, &dims.at[i], &position);
        if (status) return status;
        if (!i) *first = position;
        consecutive = consecutive && position == *first + i;
    }
    if (!consecutive)
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_NAME,
                        "flatten(tensor, dims, out_dim): dims %s must be consecutive in Tensor%s",
                        nomen__text_dims(dims).at, nomen__text_list(own).at),
            "bring them side by side with align_to first");
    *last = own.n ? *first + dims.n - 1 : -1;
    return splice(own, *first, *last, &out, 1, result);
}

nomen_status nomen__names_flatten_range(nomen__names own, const nomen__dimref *start,
                                        const nomen__dimref *end, nomen_name out, int *first,
                                        int *last, nomen__namelist *result) {
    nomen_status status = nomen__dim_position(own, start, first);
    if (!status) status = nomen__dim_position(own, end, last);
    if (status) return status;
    if (*first > *last)
        return nomen__fail(NOMEN_ERROR_NAME,
                           "flatten() has invalid args: start_dim cannot come after end_dim");
    if (!own.n) *last = -1;
    return splice(own, *first, *last, &out, 1, result);
}

nomen_status nomen__names_unflatten(nomen__names own, int position, const nomen_name *fresh,
                                    int count, nomen__namelist *result) {
    if (count <= 0) return nomen__fail(NOMEN_ERROR_SHAPE, "unflatten: sizes must be non-empty");
    return splice(own, position, position, fresh, count, result);
}
