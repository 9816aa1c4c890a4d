/* Views: each row's plan of dims and names. A plan is a map (op.h); header, shape and gradient
 * follow from it. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

void nomen__map_identity(const nomen_tensor *t, nomen__map *map) {
    map->ndim = map->input_ndim = t->ndim;
    for (int i = 0; i < t->ndim; i++) {
        map->source[i] = (int8_t)i;
        map->size[i] = t->size[i];
        map->step[i] = 1;
        map->start[i] = 0;
    }
}

nomen_tensor *nomen__map_apply(const nomen_tensor *t, const nomen__map *map) {
    if (nomen__make_ready(t)) return NULL;
    nomen_tensor *v = nomen__tensor_new((nomen_dtype)t->dtype, map->ndim);
    if (!v) return NULL;
    int64_t offset = 0, numel = 1;
    if (t->numel) /* without elements strides may be anything */
        for (int d = 0; d < map->input_ndim; d++) offset += map->start[d] * t->stride[d];
    bool contiguous = true; /* as nomen__tensor_finish has it */
    for (int k = map->ndim - 1; k >= 0; k--) {
        int64_t size = map->size[k], stride = 0;
        if (map->source[k] >= 0) /* a product that wraps leads nowhere, too */
            stride = nomen__stride_kept(
                (int64_t)((uint64_t)t->stride[map->source[k]] * (uint64_t)map->step[k]));
        v->size[k] = size;
        v->stride[k] = stride;
        contiguous &= (size == 1) | (stride == numel);
        numel *= size;
    }
    nomen__storage_retain(t->storage);
    v->storage = t->storage;
    v->data = t->numel ? t->data + offset * nomen__item(t->dtype) : t->data;
    nomen__same_place(v, t);
    v->numel = numel;
    if (contiguous | !numel) v->flags |= NOMEN__CONTIGUOUS;
    return v;
}

nomen_tensor *nomen__map_view(nomen_tensor *t, const nomen__map *map, const nomen_name *names) {
    nomen_tensor *v = nomen__map_apply(t, map);
    if (NOMEN_UNLIKELY(!v)) return NULL;
    if (names) nomen__set_names(v, names);
    nomen__finish_view(v, t);
    return v;
}

/* Strides under which the elements of t, in row-major order, have other sizes; false if there are
 * none. */
static bool view_strides(const nomen_tensor *t, int ndim, const int64_t *size, int64_t *stride) {
    if (t->numel == 0) {
        nomen__contiguous_strides(size, ndim, stride);
        return true;
    }
    int k = ndim - 1;
    int64_t base = t->ndim ? t->stride[t->ndim - 1] : 1;
    int64_t chunk = 1,
            block =
                1; /* elements of the run of dims at hand, and of the result dims laid over it */
    for (int d = t->ndim - 1; d >= 0; d--) {
        chunk *= t->size[d];
        if (d > 0 && (t->size[d - 1] == 1 || t->stride[d - 1] == chunk * base))
            continue; /* the run goes on */
        for (; k >= 0 && (block < chunk || size[k] == 1); k--) {
            stride[k] = block * base;
            block *= size[k];
        }
        if (block != chunk) return false;
        if (d > 0) base = t->stride[d - 1];
        chunk = block = 1;
    }
    for (; k >= 0; k--) stride[k] = 1;
    return true;
}

nomen_tensor *nomen__reshaped(nomen_tensor *t, int ndim, const int64_t *size) {
    int64_t stride[NOMEN_MAX_DIMS];
    if (!view_strides(t, ndim, size, stride)) {
        nomen_tensor *copy =
            nomen__tensor_empty_on(t->device, (nomen_dtype)t->dtype, t->ndim, t->size);
        if (!copy) return NULL;
        nomen_tensor *v = nomen__copy_values(copy, t) ? NULL : nomen__reshaped(copy, ndim, size);
        nomen__release(copy);
        return v;
    }
    if (nomen__make_ready(t)) return NULL;
    return nomen__tensor_view(t, (nomen_dtype)t->dtype, ndim, size, stride, 0);
}

/* ---- shape steps ----------------------------------------------------------------------------- */

/* Does the view differ from its input in names at most? */
static bool changes_nothing(const nomen_tensor *t, const nomen__map *map) {
    if (map->ndim != t->ndim) return false;
    for (int k = 0; k < map->ndim; k++)
        if (map->source[k] != k || map->step[k] != 1 || map->start[k] || map->size[k] != t->size[k])
            return false;
    return true;
}

nomen_status nomen__shape_view(nomen__call *c) {
    c->is_view = true;
    c->ndim = c->map.ndim;
    for (int k = 0; k < c->ndim; k++) c->size[k] = c->map.size[k];
    bool same = (c->inplace || nomen__is_put_off(c->in[0])) && changes_nothing(c->in[0], &c->map);
    if (c->inplace && same) return NOMEN_OK;
    c->out[0] = same ? nomen__tensor_alias(c->in[0]) : nomen__map_apply(c->in[0], &c->map);
    if (c->out[0] && same) nomen__set_names(c->out[0], NULL);
    return c->out[0] ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

/* No elements can have any sizes, but their strides have to be numbers. */
static nomen_status check_empty(const nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (t->numel) return NOMEN_OK;
    size_t item = nomen_dtype_size((nomen_dtype)t->dtype);
    return nomen__checked_numel(c->size, c->ndim, item) < 0 ? NOMEN_ERROR_SHAPE : NOMEN_OK;
}

nomen_status nomen__shape_reshaped(nomen__call *c) {
    nomen_status s = check_empty(c);
    if (s) return s;
    c->out[0] = nomen__reshaped(c->in[0], c->ndim, c->size);
    if (!c->out[0]) return NOMEN_ERROR_MEMORY;
    c->is_view = c->out[0]->storage == c->in[0]->storage;
    return NOMEN_OK;
}

nomen_status nomen__shape_viewed(nomen__call *c) {
    int64_t stride[NOMEN_MAX_DIMS];
    if (c->in[0]->numel && !view_strides(c->in[0], c->ndim, c->size, stride))
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "view size is not compatible with input tensor's size and stride (at "
                           "least one dimension spans across two contiguous subspaces). Use "
                           ".reshape(...) instead.");
    return nomen__shape_reshaped(c);
}

/* ---- names only ------------------------------------------------------------------------------ */

/* "N=batch C=*": pairs of rename by keyword. */
static nomen_status rename_by_map(nomen__call *c, const char *text, const char *fn) {
    nomen_name old[NOMEN_MAX_DIMS], fresh[NOMEN_MAX_DIMS];
    int count = 0;
    for (const char *p = text; *p;) {
        while (*p == ' ') p++;
        if (!*p) break;
        size_t left = strcspn(p, " ="), right = 0;
        if (p[left] == '=') right = strcspn(p + left + 1, " ");
        if (!left || !right || count == NOMEN_MAX_DIMS)
            return nomen__fail(NOMEN_ERROR_VALUE,
                               "%s: cannot read '%.40s': write old=new pairs separated by blanks",
                               fn, p);
        if (!nomen_name_intern(p, left, &old[count]) ||
            !nomen_name_intern(p + left + 1, right, &fresh[count]))
            return NOMEN_ERROR_NAME;
        for (int k = 0; k < count; k++)
            if (old[k] == old[count])
                return nomen__fail(NOMEN_ERROR_NAME, "%s: '%s' has two new names", fn,
                                   nomen_name_text(old[k]));
        count++;
        p += left + 1 + right;
    }
    return nomen__names_rename_map(nomen__names_of(c->in[0]), old, fresh, count, fn, &c->names);
}

nomen_status nomen__view_rename(nomen__call *c) {
    const char *fn = c->inplace ? "rename_" : "rename";
    nomen__map_identity(c->in[0], &c->map);
    if (nomen__given(c, 2)) {
        if (nomen__given(c, 1))
            return nomen__fail(
                NOMEN_ERROR_NAME,
                "%s: This function takes either positional args or keyword args, but not both. Use "
                "tensor.%s(*names) to name dims and tensor.%s(**rename_map) to rename dims.",
                fn, fn, fn);
        return rename_by_map(c, c->arg[2].text, fn);
    }
    if (!nomen__given(c, 1)) { /* no list at all: no names */
        c->names.n = c->in[0]->ndim;
        memset(c->names.at, 0, sizeof *c->names.at * (size_t)c->names.n);
        return NOMEN_OK;
    }
    return nomen__names_rename(nomen__names_of(c->in[0]), c->arg[1].dims, fn, &c->names);
}

nomen_status nomen__view_refine_names(nomen__call *c) {
    nomen__map_identity(c->in[0], &c->map);
    return nomen__names_refine(nomen__names_of(c->in[0]), c->arg[1].dims, &c->names);
}

/* ---- order of dims --------------------------------------------------------------------------- */

static nomen_status map_align(nomen__call *c, nomen__dims want) {
    const nomen_tensor *t = c->in[0];
    int source[NOMEN_MAX_DIMS];
    nomen_status s = nomen__names_align_to(nomen__names_of(t), want, &c->names, source);
    if (s) return s;
    nomen__map_identity(t, &c->map);
    c->map.ndim = c->names.n;
    for (int k = 0; k < c->names.n; k++) {
        c->map.source[k] = (int8_t)source[k];
        c->map.size[k] = source[k] < 0 ? 1 : t->size[source[k]];
        c->map.step[k] = 1;
    }
    return NOMEN_OK;
}

nomen_status nomen__view_align_to(nomen__call *c) { return map_align(c, c->arg[1].dims); }

nomen_status nomen__view_align_as(nomen__call *c) {
    const nomen_tensor *other = c->in[1];
    for (int i = 0; i < other->ndim; i++) {
        nomen_name name = nomen__name_at(other, i);
        c->dims_pool[i] = (nomen__dimref){name ? NOMEN__DIM_NAME : NOMEN__DIM_NONE, name, 0};
    }
    nomen_status s = map_align(c, (nomen__dims){other->ndim, c->dims_pool});
    c->nin = 1; /* only the names of other matter: no gradient goes there */
    c->in_count = 1;
    return s;
}

/* The result has the dims of in[0] in c->dims' order. */
void nomen__map_permute(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    c->map.ndim = c->map.input_ndim = t->ndim;
    for (int k = 0; k < t->ndim; k++) {
        c->map.source[k] = (int8_t)c->dims[k];
        c->map.size[k] = t->size[c->dims[k]];
        c->map.step[k] = 1;
        c->map.start[k] = 0;
    }
    if (c->named) nomen__names_permute(nomen__names_of(t), c->dims, &c->names);
}

nomen_status nomen__view_transpose(nomen__call *c) {
    nomen__names own = nomen__names_of(c->in[0]);
    int i = 0, j = 0;
    nomen_status s = nomen__dims_transposed(own, c->arg[1].dims.at, c->arg[2].dims.at, &i, &j);
    if (s) return s;
    for (int k = 0; k < own.n; k++) c->dims[k] = k;
    if (own.n) {
        c->dims[i] = j;
        c->dims[j] = i;
    }
    nomen__map_permute(c);
    return NOMEN_OK;
}

nomen_status nomen__view_permute(nomen__call *c) {
    nomen__names own = nomen__names_of(c->in[0]);
    nomen__dims want = c->arg[1].dims;
    nomen_status s = nomen__dim_order(own, want, c->dims);
    if (!s) nomen__map_permute(c);
    return s;
}

/* ---- dims that go ---------------------------------------------------------------------------- */

/* Drops dims of the mask from the map and the names. */
static void map_drop(nomen__call *c, uint64_t mask) {
    int k = 0;
    for (int d = 0; d < c->map.ndim; d++) {
        if (mask >> d & 1) continue;
        c->map.source[k] = c->map.source[d];
        c->map.size[k] = c->map.size[d];
        c->map.step[k++] = c->map.step[d];
    }
    c->map.ndim = k;
    if (c->named) nomen__names_reduce(nomen__names_of(c->in[0]), mask, false, &c->names);
}

static nomen_status one_dim(nomen__call *c, int arg, int otherwise, int *dim) {
    const nomen_tensor *t = c->in[0];
    if (!nomen__given(c, arg)) {
        nomen__dimref first = {NOMEN__DIM_INDEX, 0, otherwise};
        return nomen__dim_position(nomen__names_of(t), &first, dim);
    }
    return nomen__dim_position(nomen__names_of(t), c->arg[arg].dims.at, dim);
}

nomen_status nomen__view_select(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    int dim = 0;
    nomen_status s = nomen__dim_selected(nomen__names_of(t), c->arg[1].dims.at, &dim);
    if (s) return s;
    int64_t index = c->arg[2].integer, size = t->size[dim];
    if (index < -size || index >= size) {
        NOMEN__TEXT(sizes, 256);
        nomen__text_sizes(&sizes, t->size, t->ndim);
        const char *name = nomen_name_text(nomen__name_at(t, dim));
        if (name)
            return nomen__fail(
                NOMEN_ERROR_INDEX,
                "select(): index %lld out of range for tensor of size %s at dimension '%s'",
                (long long)index, sizes.at, name);
        return nomen__fail(
            NOMEN_ERROR_INDEX,
            "select(): index %lld out of range for tensor of size %s at dimension %d",
            (long long)index, sizes.at, dim);
    }
    nomen__map_identity(t, &c->map);
    c->map.start[dim] = index < 0 ? index + size : index;
    map_drop(c, UINT64_C(1) << dim);
    return NOMEN_OK;
}

nomen_status nomen__view_squeeze(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    uint64_t mask = 0, ones = 0;
    for (int i = 0; i < t->ndim; i++)
        if (t->size[i] == 1) ones |= UINT64_C(1) << i;
    if (nomen__given(c, 1)) {
        nomen_status s = nomen__dim_positions(nomen__names_of(t), c->arg[1].dims, c->dims, &mask);
        if (s) return s;
    } else {
        mask = UINT64_MAX;
    }
    nomen__map_identity(t, &c->map);
    map_drop(c, mask & ones);
    return NOMEN_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void keep_names(nomen__call *c) { (void)nomen__names_keep_of(c, c->in[0]); }

nomen_status nomen__view_narrow(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (t->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "narrow() cannot be applied to a 0-dim tensor.");
    int dim = 0;
    nomen_status s = one_dim(c, 1, 0, &dim);
    if (s) return s;
    int64_t start = c->arg[2].integer, length = c->arg[3].integer, size = t->size[dim];
    if (length < 0) return nomen__fail(NOMEN_ERROR_SHAPE, "narrow(): length must be non-negative.");
    if (start < -size || start > size)
        return nomen__fail(
            NOMEN_ERROR_INDEX,
            "start out of range (expected to be in range of [%lld, %lld], but got %lld)",
            (long long)-size, (long long)size, (long long)start);
    if (start < 0) start += size;
    if (length > size - start)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "start (%lld) + length (%lld) exceeds dimension size (%lld).",
                           (long long)start, (long long)length, (long long)size);
    nomen__map_identity(t, &c->map);
    c->map.start[dim] = start;
    c->map.size[dim] = length;
    keep_names(c);
    return NOMEN_OK;
}

static nomen_status integer_number(const nomen__call *c, int arg, int64_t otherwise,
                                   int64_t *value) {
    *value = otherwise;
    if (!nomen__given(c, arg)) return NOMEN_OK;
    const nomen_number *n = c->arg[arg].number;
    if (n->kind != NOMEN_NUMBER_INT)
        return nomen__fail(NOMEN_ERROR_TYPE, "argument '%s' must be an integer",
                           c->op->args[arg].name);
    *value = n->i;
    return NOMEN_OK;
}

nomen_status nomen__view_slice(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (t->ndim == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "slice() cannot be applied to a 0-dim tensor.");
    int dim = 0;
    int64_t start, end, step;
    nomen_status s = one_dim(c, 1, 0, &dim);
    if (!s) s = integer_number(c, 2, 0, &start);
    if (!s) s = integer_number(c, 3, INT64_MAX, &end);
    if (!s) s = integer_number(c, 4, 1, &step);
    if (s) return s;
    if (step < 1) return nomen__fail(NOMEN_ERROR_VALUE, "step must be greater than zero");
    int64_t size = t->size[dim];
    if (start < 0) start = start < -size ? 0 : start + size;
    if (end < 0) end = end < -size ? 0 : end + size;
    if (start > size) start = size;
    if (end > size) end = size;
    if (end < start) end = start;
    nomen__map_identity(t, &c->map);
    c->map.start[dim] = start;
    c->map.size[dim] = (end - start) / step + ((end - start) % step != 0);
    c->map.step[dim] = step < size ? step : size ? size : 1;
    keep_names(c);
    return NOMEN_OK;
}

/* ---- dims that come -------------------------------------------------------------------------- */

nomen_status nomen__view_unsqueeze(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    int position = 0;
    if (t->ndim == NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    nomen_status s = nomen__dim_place(nomen__names_of(t), c->arg[1].dims.at, &position);
    if (s) return s;
    nomen_name name = nomen__given(c, 2) ? c->arg[2].name : 0;
    if (c->named || name) s = nomen__names_insert(nomen__names_of(t), position, name, &c->names);
    if (s) return s;
    nomen__map *map = &c->map;
    nomen__map_identity(t, map);
    for (int k = t->ndim; k > position; k--) {
        map->source[k] = map->source[k - 1];
        map->size[k] = map->size[k - 1];
        map->step[k] = 1;
    }
    map->source[position] = -1;
    map->size[position] = map->step[position] = 1;
    map->ndim = t->ndim + 1;
    return NOMEN_OK;
}

nomen_status nomen__view_expand(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen_sizes want = c->arg[1].sizes;
    if (want.count < t->ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "expand(): the number of sizes provided (%lld) must be greater or equal "
                           "to the number of dimensions "
                           "in the tensor (%d)",
                           (long long)want.count, t->ndim);
    if (want.count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    nomen__map *map = &c->map;
    nomen__map_identity(t, map);
    int n = map->ndim = (int)want.count, shift = n - t->ndim;
    for (int k = 0; k < n; k++) {
        int d = k - shift;
        int64_t size = want.at[k], own = d < 0 ? 1 : t->size[d];
        if (size == -1 && d >= 0) size = own;
        if (size < 0 && own == 1)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "The expanded size of the tensor (%lld) isn't allowed in %s "
                               "dimension %d",
                               (long long)size, d < 0 ? "a leading, non-existing" : "the", k);
        if (d >= 0 && own != size && own != 1) return nomen__fail_expanded(t, k, size, n, want.at);
        map->source[k] = (int8_t)(d < 0 ? -1 : d);
        map->size[k] = size;
        map->step[k] = own == size ? 1 : 0;
    }
    /* nothing is allocated that would find it out */
    if (nomen__checked_numel(map->size, n, (size_t)nomen__item(t->dtype)) < 0)
        return NOMEN_ERROR_SHAPE;
    return c->named ? nomen__names_expand(nomen__names_of(t), n, &c->names) : NOMEN_OK;
}

/* ---- other sizes ----------------------------------------------------------------------------- */

static nomen_status replace_dims(nomen__call *c, int first, int last, int count,
                                 const int64_t *size) {
    const nomen_tensor *t = c->in[0];
    c->ndim = 0;
    if (t->ndim - (last - first + 1) + count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    for (int d = 0; d < first; d++) c->size[c->ndim++] = t->size[d];
    for (int k = 0; k < count; k++) c->size[c->ndim++] = size[k];
    for (int d = last + 1; d < t->ndim; d++) c->size[c->ndim++] = t->size[d];
    return NOMEN_OK;
}

nomen_status nomen__view_flatten(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen__names own = nomen__names_of(t);
    nomen_name out = nomen__given(c, 2) ? c->arg[2].name : 0;
    int first = 0, last = -1;
    nomen_status s;
    if (nomen__given(c, 1)) {
        if (nomen__given(c, 3) || nomen__given(c, 4))
            return nomen__fail(NOMEN_ERROR_TYPE,
                               "flatten takes a list of dims or start_dim and end_dim, not both");
        s = nomen__names_flatten_list(own, c->arg[1].dims, out, &first, &last, &c->names);
    } else {
        nomen__dimref start = {NOMEN__DIM_INDEX, 0, 0}, end = {NOMEN__DIM_INDEX, 0, -1};
        s = nomen__names_flatten_range(own, nomen__given(c, 3) ? c->arg[3].dims.at : &start,
                                       nomen__given(c, 4) ? c->arg[4].dims.at : &end, out, &first,
                                       &last, &c->names);
    }
    if (s) return s;
    if (first == last && !nomen__given(c, 2)) keep_names(c); /* nothing merged, nothing renamed */
    int64_t size = 1;
    for (int d = first; d <= last; d++) size *= t->size[d];
    return replace_dims(c, first, last, 1, &size);
}

/* Fills in a size of -1. total: the elements the sizes must multiply up to. */
static nomen_status infer_size(int64_t *size, int count, int64_t total, bool *fits) {
    int unknown = -1;
    int64_t product = 1;
    *fits = true;
    for (int k = 0; k < count; k++) {
        if (size[k] == -1 && unknown >= 0)
            return nomen__fail(NOMEN_ERROR_SHAPE, "only one dimension can be inferred");
        if (size[k] == -1)
            unknown = k;
        else if (size[k] < 0)
            return nomen__fail(NOMEN_ERROR_SHAPE, "invalid shape dimension %lld",
                               (long long)size[k]);
        else if (__builtin_mul_overflow(product, size[k], &product))
            *fits = false;
    }
    if (!*fits) return NOMEN_OK;
    if (unknown < 0)
        *fits = product == total;
    else if (product == 0) {
        if (total == 0)
            return nomen__fail(NOMEN_ERROR_SHAPE, "cannot reshape tensor of 0 elements because the "
                                                  "unspecified dimension size -1 can be any value "
                                                  "and is ambiguous");
        *fits = false;
    } else {
        *fits = total % product == 0;
        size[unknown] = total / product;
    }
    return NOMEN_OK;
}

nomen_status nomen__view_unflatten(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen__names own = nomen__names_of(t);
    int dim = 0;
    nomen_status s = nomen__dim_of_some(own, c->arg[1].dims.at, &dim);
    if (s) return s;
    nomen_sizes sizes = c->arg[2].sizes;
    if (sizes.count == 0)
        return nomen__fail(NOMEN_ERROR_SHAPE, "unflatten: sizes must be non-empty");
    if (sizes.count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    if (own.at && !nomen__given(c, 3))
        return nomen__fail(
            NOMEN_ERROR_NAME,
            "unflatten: input is a named tensor but no names were given for unflattened sizes");
    int count = (int)sizes.count;
    bool fits;
    memcpy(c->sizes_pool, sizes.at, sizeof *sizes.at * (size_t)count);
    s = infer_size(c->sizes_pool, count, t->size[dim], &fits);
    if (s) return s;
    if (!fits) {
        NOMEN__TEXT(want, 256);
        NOMEN__TEXT(names, 256);
        nomen__text_sizes(&want, sizes.at, count);
        if (!own.at)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "unflatten: Provided sizes %s don't multiply up to the size of dim "
                               "%d (%lld) in the input tensor",
                               want.at, dim, (long long)t->size[dim]);
        nomen__text_names(&names, own.at, own.n);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "unflatten: Provided sizes %s don't multiply up to the size of dim %d "
                           "('%s': %lld) in Tensor%s",
                           want.at, dim, own.at[dim] ? nomen_name_text(own.at[dim]) : "None",
                           (long long)t->size[dim], names.at);
    }
    if (nomen__given(c, 3)) {
        nomen__namelist fresh;
        s = nomen__names_listed(c->arg[3].dims, &fresh);
        if (s) return s;
        if (fresh.n != count)
            return nomen__fail(NOMEN_ERROR_NAME, "unflatten: %d names were given for %d sizes",
                               fresh.n, count);
        s = nomen__names_unflatten(own, dim, fresh.at, count, &c->names);
        if (s) return s;
    }
    return replace_dims(c, dim, dim, count, c->sizes_pool);
}

nomen_status nomen__view_reshape(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen_sizes sizes = c->arg[1].sizes;
    if (sizes.count > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "the result has more than %d dims", NOMEN_MAX_DIMS);
    c->ndim = (int)sizes.count;
    if (c->ndim) memcpy(c->size, sizes.at, sizeof *c->size * (size_t)c->ndim);
    bool fits;
    nomen_status s = infer_size(c->size, c->ndim, t->numel, &fits);
    if (s) return s;
    if (!fits) {
        NOMEN__TEXT(want, 256);
        nomen__text_sizes(&want, sizes.at, c->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE, "shape '%s' is invalid for input of size %lld",
                           want.at, (long long)t->numel);
    }
    if (c->named)
        nomen__names_reshape(nomen__names_of(t), t->size, c->ndim, c->size, !t->numel, &c->names);
    return NOMEN_OK;
}
