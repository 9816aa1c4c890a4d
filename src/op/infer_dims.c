/* Dims as users write them: text to items, items to positions; and the rules that only move
 * positions about (reduce, permute, transpose, insert, expand). */
#include "op/infer_text.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define COLD __attribute__((cold, noinline))

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* A whole token of digits with an optional sign; saturates, since such an index is out of range
 * anyway. */
static bool parse_integer(const char *text, size_t length, int64_t *value) {
    size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0;
    if (i == length) return false;
    int64_t sum = 0;
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (sum < INT64_MAX / 10 - 1) sum = sum * 10 + (text[i] - '0');
    }
    *value = text[0] == '-' ? -sum : sum;
    return true;
}

nomen_status nomen__dims_parse(const char *text, nomen__dimref *items, int capacity, int *count) {
    int n = 0;
    for (const char *at = text;;) {
        while (is_blank(*at)) at++;
        if (!*at) break;
        size_t length = 0;
        while (at[length] && !is_blank(at[length])) length++;
        if (n == capacity)
            return nomen__fail(NOMEN_ERROR_NAME,
                               "too many dims in '%.200s': at most %d are allowed here", text,
                               capacity);
        nomen__dimref item = {NOMEN__DIM_NAME, 0, 0};
        if (length == 1 && *at == '*') {
            item.kind = NOMEN__DIM_NONE;
        } else if (length == 3 && !memcmp(at, "...", 3)) {
            item.kind = NOMEN__DIM_ELLIPSIS;
        } else if (parse_integer(at, length, &item.index)) {
            item.kind = NOMEN__DIM_INDEX;
        } else if (!nomen_name_intern(at, length, &item.name)) {
            return NOMEN_ERROR_NAME;
        }
        items[n++] = item;
        at += length;
    }
    *count = n;
    return NOMEN_OK;
}

const char *nomen__dims_text(const int *dims, int n, char text[NOMEN__DIM_TEXT]) {
    char *end = text;
    for (int i = 0; i < n; i++) {
        if (i) *end++ = ' ';
        if (dims[i] > 9) *end++ = (char)('0' + dims[i] / 10);
        *end++ = (char)('0' + dims[i] % 10);
    }
    *end = 0;
    return text;
}

const char *nomen__dim_text(uint64_t mask, char text[NOMEN__DIM_TEXT]) {
    int dims[NOMEN_MAX_DIMS], n = 0;
    for (; mask; mask &= mask - 1) dims[n++] = __builtin_ctzll(mask);
    return nomen__dims_text(dims, n, text);
}

const char *nomen__one_dim(int dim, char text[NOMEN__DIM_TEXT]) {
    return nomen__dims_text(&dim, 1, text);
}

/* Everything but a name that is there. */
static COLD nomen_status position_otherwise(nomen__names own, const nomen__dimref *ref,
                                            int *position) {
    if (ref->kind == NOMEN__DIM_INDEX) {
        int n = own.n ? own.n : 1;
        if (ref->index < -n || ref->index >= n)
            return nomen__hint(nomen__fail(NOMEN_ERROR_INDEX,
                                           "Dimension out of range (expected to be in range of "
                                           "[%d, %d], but got %" PRId64 ")",
                                           -n, n - 1, ref->index),
                               "the tensor has %d dim%s: %s", own.n, own.n == 1 ? "" : "s",
                               nomen__text_list(own).at);
        *position = (int)(ref->index < 0 ? ref->index + n : ref->index);
        return NOMEN_OK;
    }
    nomen_name name;
    nomen_status status = nomen__dimref_name(ref, &name);
    if (status) return status;
    if (!name)
        return nomen__fail(NOMEN_ERROR_NAME,
                           "Please look up dimensions by name, got: name = None.");
    status = nomen__fail(NOMEN_ERROR_NAME, "Name '%s' not found in Tensor%s.",
                         nomen_name_text(name), nomen__text_list(own).at);
    return nomen__hint_missing(status, own, name);
}

nomen_status nomen__dim_position(nomen__names own, const nomen__dimref *ref, int *position) {
    if (ref->kind == NOMEN__DIM_INDEX && ref->index >= 0 && ref->index < own.n) {
        *position = (int)ref->index;
        return NOMEN_OK;
    }
    if (ref->kind == NOMEN__DIM_NAME && ref->name && own.at)
        for (int i = 0; i < own.n; i++)
            if (own.at[i] == ref->name) {
                *position = i;
                return NOMEN_OK;
            }
    return position_otherwise(own, ref, position);
}

nomen_status nomen__dim_of_some(nomen__names own, const nomen__dimref *ref, int *position) {
    nomen_status status = nomen__dim_position(own, ref, position);
    if (status || own.n) return status;
    return nomen__fail(NOMEN_ERROR_INDEX,
                       "Dimension specified as %" PRId64 " but tensor has no dimensions",
                       ref->index);
}

nomen_status nomen__dim_selected(nomen__names own, const nomen__dimref *ref, int *position) {
    if (!own.n && ref->kind == NOMEN__DIM_INDEX)
        return nomen__fail(NOMEN_ERROR_INDEX, "select() cannot be applied to a 0-dim tensor.");
    return nomen__dim_position(own, ref, position);
}

nomen_status nomen__dims_crossing(nomen__names own, const nomen__dimref *first,
                                  const nomen__dimref *second, int *i, int *j) {
    nomen_status status = nomen__dim_position(own, first, i);
    if (!status) status = nomen__dim_position(own, second, j);
    if (!status && *i == *j)
        status = nomen__fail(NOMEN_ERROR_SHAPE, "diagonal dimensions cannot be identical %d, %d",
                             *i, *j);
    return status;
}

static nomen_status moved(nomen__names own, nomen__dims dims, const char *which, int *at,
                          uint64_t *mask) {
    *mask = 0;
    for (int i = 0; i < dims.n; i++) {
        nomen_status status = nomen__dim_position(own, &dims.at[i], &at[i]);
        if (status) return status;
        if (*mask >> at[i] & 1)
            return nomen__fail(NOMEN_ERROR_SHAPE, "movedim: repeated dim in `%s` (dim %d)", which,
                               at[i]);
        *mask |= (uint64_t)1 << at[i];
    }
    return NOMEN_OK;
}

nomen_status nomen__dims_moved(nomen__names own, nomen__dims source, nomen__dims destination,
                               int *order) {
    int from[NOMEN_MAX_DIMS], to[NOMEN_MAX_DIMS];
    uint64_t sources, targets;
    if (source.n != destination.n)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "movedim: Invalid source or destination dims: source (%d dims) should "
                           "contain the same number of dims as destination (%d dims)",
                           source.n, destination.n);
    if (source.n > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "%d dims are too many", source.n);
    nomen_status status = moved(own, source, "source", from, &sources);
    if (!status) status = moved(own, destination, "destination", to, &targets);
    if (status) return status;
    for (int i = 0; i < source.n && own.n; i++) order[to[i]] = from[i];
    for (int k = 0, d = 0; k < own.n; k++) {
        if (targets >> k & 1) continue;
        while (sources >> d & 1) d++;
        order[k] = d++;
    }
    return NOMEN_OK;
}

nomen_status nomen__dim_positions(nomen__names own, nomen__dims dims, int *positions,
                                  uint64_t *mask) {
    uint64_t seen = 0;
    if (dims.n < 0) {
        for (int i = 0; i < own.n; i++) {
            positions[i] = i;
            seen |= (uint64_t)1 << i;
        }
        *mask = seen;
        return NOMEN_OK;
    }
    int repeated = -1;
    for (int i = 0; i < dims.n; i++) {
        int position;
        nomen_status status = nomen__dim_position(own, &dims.at[i], &position);
        if (status) return status;
        /* every item is looked up before a repetition is told, and nothing is stored once there is
         * one */
        if (repeated >= 0) continue;
        if (seen >> position & 1) {
            repeated = position;
            continue;
        }
        seen |= (uint64_t)1 << position;
        positions[i] = position;
    }
    if (repeated >= 0)
        return nomen__hint(nomen__fail(NOMEN_ERROR_NAME,
                                       "dim %d appears multiple times in the list of dims",
                                       repeated),
                           "the position, the negative position and the name of a dim all mean the "
                           "same dim: give each once");
    *mask = seen;
    return NOMEN_OK;
}

nomen_status nomen__dim_place(nomen__names own, const nomen__dimref *ref, int *position) {
    nomen__names room = {own.n + 1, NULL};
    return nomen__dim_position(ref->kind == NOMEN__DIM_INDEX ? room : own, ref, position);
}

nomen_status nomen__dim_order(nomen__names own, nomen__dims want, int *order) {
    uint64_t seen = 0;
    if (want.n != own.n)
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "permute(): number of dimensions in the tensor input does not match the length of the "
            "desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d",
            own.n, want.n);
    for (int i = 0; i < want.n; i++) {
        nomen_status status = nomen__dim_position(own, &want.at[i], &order[i]);
        if (status) return status;
        if (seen >> order[i] & 1)
            return nomen__hint(nomen__fail(NOMEN_ERROR_NAME,
                                           "permute(): duplicate dims are not allowed. dim %d is "
                                           "there twice",
                                           order[i]),
                               "the position, the negative position and the name of a dim all mean "
                               "the same dim: give each once");
        seen |= (uint64_t)1 << order[i];
    }
    return NOMEN_OK;
}

void nomen__names_copy(nomen__names own, nomen__namelist *result) {
    for (int i = 0; i < own.n; i++) result->at[i] = nomen__names_at(own, i);
    result->n = own.n;
}

void nomen__names_reduce(nomen__names own, uint64_t mask, bool keepdim, nomen__namelist *result) {
    int n = 0;
    for (int i = 0; i < own.n; i++)
        if (keepdim || !(mask >> i & 1)) result->at[n++] = nomen__names_at(own, i);
    result->n = n;
}

void nomen__names_permute(nomen__names own, const int *order, nomen__namelist *result) {
    for (int i = 0; i < own.n; i++) result->at[i] = nomen__names_at(own, order[i]);
    result->n = own.n;
}

nomen_status nomen__dims_transposed(nomen__names own, const nomen__dimref *first,
                                    const nomen__dimref *second, int *i, int *j) {
    /* the second dim is looked up first: the error texts of existing programs depend on it */
    nomen_status status = nomen__dim_position(own, second, j);
    return status ? status : nomen__dim_position(own, first, i);
}

nomen_status nomen__names_transpose(nomen__names own, const nomen__dimref *first,
                                    const nomen__dimref *second, int *i, int *j,
                                    nomen__namelist *result) {
    nomen_status status = nomen__dims_transposed(own, first, second, i, j);
    if (status) return status;
    result->n = own.n;
    for (int k = 0; k < own.n; k++)
        result->at[k] = nomen__names_at(own, k == *i ? *j : k == *j ? *i : k);
    return NOMEN_OK;
}

nomen_status nomen__names_insert(nomen__names own, int position, nomen_name name,
                                 nomen__namelist *result) {
    if (own.n >= NOMEN_MAX_DIMS) return nomen__fail_too_many(own.n + 1, own);
    for (int i = 0; i < position; i++) result->at[i] = nomen__names_at(own, i);
    result->at[position] = name;
    for (int i = position; i < own.n; i++) result->at[i + 1] = nomen__names_at(own, i);
    result->n = own.n + 1;
    return nomen__names_validate(result->at, result->n, result->n);
}

nomen_status nomen__names_expand(nomen__names own, int ndim, nomen__namelist *result) {
    if (ndim < own.n)
        return nomen__fail(
            NOMEN_ERROR_SHAPE,
            "expand(): the number of sizes provided (%d) must be greater or equal to the "
            "number of dimensions in the tensor (%d)",
            ndim, own.n);
    if (ndim > NOMEN_MAX_DIMS) return nomen__fail_too_many(ndim, own);
    int lead = ndim - own.n;
    for (int i = 0; i < lead; i++) result->at[i] = 0;
    for (int i = 0; i < own.n; i++) result->at[lead + i] = nomen__names_at(own, i);
    result->n = ndim;
    return NOMEN_OK;
}

nomen_status nomen__names_repeat(nomen__names own, int64_t count, nomen__namelist *result) {
    if (count < own.n)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor: %" PRId64 " for %d dims",
                           count, own.n);
    return nomen__names_expand(own, count > INT_MAX ? INT_MAX : (int)count, result);
}

nomen_status nomen__names_validate(const nomen_name *names, int count, int ndim) {
    return nomen__check_names(names, count, ndim);
}

nomen_status nomen__names_index(nomen__names own, int first, int count, nomen__names index,
                                nomen__namelist *result) {
    bool named = false;
    for (int i = 0; i < index.n; i++) named |= nomen__names_at(index, i) != 0;
    bool same_dim = count == 1 && index.n == 1 && !named;
    result->n = 0;
    if (own.n - count + index.n > NOMEN_MAX_DIMS)
        return nomen__fail_too_many(own.n - count + index.n, own);
    for (int d = 0; d < first; d++) result->at[result->n++] = nomen__names_at(own, d);
    for (int i = 0; i < index.n; i++)
        result->at[result->n++] =
            same_dim ? nomen__names_at(own, first) : nomen__names_at(index, i);
    for (int d = first + count; d < own.n; d++) result->at[result->n++] = nomen__names_at(own, d);
    return nomen__names_validate(result->at, result->n, result->n);
}
