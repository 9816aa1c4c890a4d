/* Indexing by several tensors at once: masks become positions, indices of neighbouring dims one
 * index into these dims together, and the rest is take_dims and put_dims. Dims that are not
 * neighbours are brought to the front first, where the dims of the index then are too. */
#include "op/places.h"
#include "op/rows.gen.h"

#include <string.h>

typedef struct index_item {
    nomen_tensor *index; /* integers; owned */
    int first, count;    /* the dims of self that it is for */
    int64_t limit;       /* their elements together */
    bool mask;
} index_item;

typedef struct index_plan {
    nomen_tensor *self; /* with dims in order, owned */
    nomen_tensor *index;
    int first, count, items;
    bool moved;            /* self is another view than the call's */
    nomen__namelist names; /* of the result */
    index_item item[NOMEN_MAX_DIMS];
} index_plan;

static void plan_drop(index_plan *p) {
    for (int i = 0; i < p->items; i++) nomen__release(p->item[i].index);
    nomen__release(p->index);
    nomen__release(p->self);
}

/* ---- the items ------------------------------------------------------------------------------- */

static nomen_status mask_fits(const index_plan *p, const nomen_tensor *mask, int dim) {
    const nomen_tensor *t = p->self;
    for (int d = 0; d < mask->ndim; d++) {
        if (mask->size[d] == t->size[dim + d]) continue;
        NOMEN__TEXT(own, 200);
        NOMEN__TEXT(other, 200);
        nomen__text_sizes(&other, mask->size, mask->ndim);
        nomen__text_sizes(&own, t->size, t->ndim);
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "The shape of the mask %s at index %d does not match the shape of the "
                           "indexed tensor %s at index %d",
                           other.at, d, own.at, dim + d);
    }
    nomen__names own = nomen__names_of(t);
    nomen__names part = {mask->ndim, own.at ? own.at + dim : NULL};
    nomen__namelist unused;
    return nomen__unify(part, nomen__names_of(mask), "broadcast", &unused);
}

static nomen_status take_mask(index_plan *p, nomen_tensor *mask, int dim) {
    index_item *item = &p->item[p->items];
    nomen_status s = nomen__need_cpu("a mask", mask);
    if (!s) s = mask_fits(p, mask, dim);
    if (s) return s;
    *item = (index_item){nomen__mask_positions(mask), dim, mask->ndim, 1, true};
    if (!item->index) return NOMEN_ERROR_MEMORY;
    p->items++;
    for (int d = 0; d < mask->ndim; d++) item->limit *= p->self->size[dim + d];
    return NOMEN_OK;
}

/* The view that a call gives of it takes the place of what is indexed. */
static nomen_status look_at(index_plan *p, nomen__call *view) {
    nomen_status s = nomen__invoke(view);
    if (s) return s;
    nomen__release(p->self);
    p->self = view->out[0];
    p->moved = true;
    return NOMEN_OK;
}

/* A mask without dims takes all or nothing: of a new dim of size 1. */
static nomen_status new_dim(index_plan *p, int dim) {
    nomen__call v;
    nomen__dimref ref = {NOMEN__DIM_INDEX, 0, dim};
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_UNSQUEEZE]);
    v.arg[0].tensor = p->self;
    v.arg[1].dims = (nomen__dims){1, &ref};
    v.given = 3;
    return look_at(p, &v);
}

static nomen_status take_single_mask(index_plan *p, nomen_tensor *mask, int dim) {
    nomen_status s = new_dim(p, dim);
    if (s) return s;
    int64_t one = 1;
    nomen_tensor *row = nomen__reshaped(mask, 1, &one);
    s = row ? take_mask(p, row, dim) : NOMEN_ERROR_MEMORY;
    nomen__release(row);
    return s;
}

static nomen_status take_item(index_plan *p, nomen_tensor *index, int *dim) {
    int takes = !index ? 1 : index->dtype == NOMEN_BOOL ? index->ndim : 1;
    if (*dim + takes > p->self->ndim)
        return nomen__fail(NOMEN_ERROR_INDEX, "too many indices for tensor of dimension %d",
                           p->self->ndim);
    nomen_status s = NOMEN_OK;
    if (index && index->dtype == NOMEN_BOOL && !index->ndim) {
        s = take_single_mask(p, index, *dim);
        takes = 1;
    } else if (index && index->dtype == NOMEN_BOOL) {
        s = take_mask(p, index, *dim);
    } else if (index) {
        if (!nomen_dtype_is_integral((nomen_dtype)index->dtype))
            return nomen__fail(NOMEN_ERROR_INDEX,
                               "tensors used as indices must be long, int, byte or bool tensors, "
                               "or of another integer dtype, not %s",
                               nomen_dtype_name((nomen_dtype)index->dtype));
        p->item[p->items++] =
            (index_item){nomen__retain(index), *dim, 1, p->self->size[*dim], false};
    }
    *dim += takes;
    return s;
}

/* ---- dims in order --------------------------------------------------------------------------- */

/* The dims that are indexed to the front, in order; the first one of item i becomes known. */
static nomen_status bring_to_front(index_plan *p) {
    nomen__call v;
    int n = 0, at = 0;
    uint64_t indexed = 0;
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_PERMUTE]);
    for (int i = 0; i < p->items; i++) {
        index_item *item = &p->item[i];
        for (int d = item->first; d < item->first + item->count; d++) {
            indexed |= UINT64_C(1) << d;
            v.dims_pool[n++] = (nomen__dimref){NOMEN__DIM_INDEX, 0, d};
        }
        item->first = at;
        at += item->count;
    }
    for (int d = 0; d < p->self->ndim; d++)
        if (!(indexed >> d & 1)) v.dims_pool[n++] = (nomen__dimref){NOMEN__DIM_INDEX, 0, d};
    v.dims_used = (uint16_t)n;
    v.arg[0].tensor = p->self;
    v.arg[1].dims = (nomen__dims){n, v.dims_pool};
    v.given = 3;
    return look_at(p, &v);
}

static nomen_status order_dims(index_plan *p) {
    bool neighbours = true;
    for (int i = 0; i < p->items; i++) {
        p->count += p->item[i].count;
        neighbours &= !i || p->item[i].first == p->item[i - 1].first + p->item[i - 1].count;
    }
    nomen_status s = neighbours ? NOMEN_OK : bring_to_front(p);
    p->first = p->item[0].first;
    return s;
}

/* ---- one index of all ------------------------------------------------------------------------ */

static nomen_status joint_sizes(const index_plan *p, int *ndim, int64_t *size) {
    *ndim = 0;
    for (int i = 0; i < p->items; i++) {
        const nomen_tensor *t = p->item[i].index;
        if (nomen__broadcast(ndim, size, t->ndim, t->size)) continue;
        NOMEN__TEXT(shapes, 400);
        for (int k = 0; k < p->items; k++) {
            if (k) nomen__text_add(&shapes, ", ");
            nomen__text_sizes(&shapes, p->item[k].index->size, p->item[k].index->ndim);
        }
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "shape mismatch: indexing tensors could not be broadcast together with "
                           "shapes %s",
                           shapes.at);
    }
    return NOMEN_OK;
}

typedef struct join_job {
    const int64_t *from;
    int64_t *to, limit, factor;
    bool first; /* nothing stands in `to` yet */
    _Atomic bool wrong;
} join_job;

static void join_chunk(void *context, int64_t begin, int64_t end) {
    join_job *job = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t v = job->from[i], before = job->first ? 0 : job->to[i];
        if (v < 0) v += job->limit;
        if (NOMEN_UNLIKELY((uint64_t)v >= (uint64_t)job->limit))
            atomic_store_explicit(&job->wrong, true, memory_order_relaxed);
        else
            job->to[i] = before + v * job->factor;
    }
}

/* Adds what the item says, times factor, to the joint index. */
static nomen_status join_item(index_plan *p, const index_item *item, int64_t factor) {
    nomen_tensor *joint = p->index;
    nomen_status s = nomen__need_cpu("an index", item->index);
    if (s) return s;
    bool plain = item->index->dtype == NOMEN_I64 && (item->index->flags & NOMEN__CONTIGUOUS) &&
                 nomen__has_sizes(item->index, joint->ndim, joint->size);
    nomen_tensor *index =
        plain
            ? nomen__retain(item->index)
            : nomen__copied(nomen__tensor_empty(NOMEN_I64, joint->ndim, joint->size), item->index);
    if (!index) return NOMEN_ERROR_MEMORY;
    join_job job = {(const int64_t *)(const void *)index->data,
                    (int64_t *)(void *)joint->data,
                    item->limit,
                    factor,
                    item == &p->item[p->items - 1],
                    false};
    if (joint->numel) s = nomen__parallel_asking(joint->numel, NOMEN__GRAIN, join_chunk, &job);
    nomen__release(index);
    if (s) return s;
    if (!atomic_load_explicit(&job.wrong, memory_order_relaxed)) return NOMEN_OK;
    nomen__place_rule rule = {p->self, item->first, item->count, true, .words = NOMEN__RANGE_INDEX};
    nomen__release(nomen__places(item->index, &rule, NULL)); /* says which one */
    return NOMEN_ERROR_INDEX;
}

static nomen_status join(index_plan *p) {
    int ndim;
    int64_t size[NOMEN_MAX_DIMS], factor = 1;
    nomen_status s = joint_sizes(p, &ndim, size);
    if (s) return s;
    if (p->items == 1) {
        p->index = nomen__retain(p->item[0].index);
        return NOMEN_OK;
    }
    p->index = nomen__tensor_empty(NOMEN_I64, ndim, size);
    if (!p->index) return NOMEN_ERROR_MEMORY;
    for (int i = p->items - 1; !s && i >= 0; i--) {
        s = join_item(p, &p->item[i], factor);
        factor *= p->item[i].limit;
    }
    return s;
}

/* ---- names ----------------------------------------------------------------------------------- */

static nomen_status name_result(index_plan *p) {
    nomen__names own = nomen__names_of(p->self);
    nomen__namelist joint[2];
    nomen__names index = {p->index->ndim, NULL};
    nomen_status s = NOMEN_OK;
    int masks = 0, k = 0;
    for (int i = 0; !s && i < p->items; i++) {
        masks += p->item[i].mask;
        nomen__names one = nomen__names_of(p->item[i].index);
        if (!one.at) continue;
        if (index.at) {
            s = nomen__unify(index, one, "broadcast", &joint[k]);
            index = (nomen__names){joint[k].n, joint[k].at};
            k ^= 1;
        } else {
            joint[k].n = p->index->ndim;
            memset(joint[k].at, 0, sizeof *joint[k].at * (size_t)joint[k].n);
            memcpy(joint[k].at + joint[k].n - one.n, one.at, sizeof *one.at * (size_t)one.n);
            index = (nomen__names){joint[k].n, joint[k].at};
            k ^= 1;
        }
    }
    p->names.n = -1;
    if (s || (!own.at && !index.at)) return s;
    s = nomen__names_index(own, p->first, p->count, index, &p->names);
    /* What a mask leaves of a dim is no longer that dim. */
    if (!s && masks && p->count == 1 && p->index->ndim == 1 && !index.at) p->names.at[p->first] = 0;
    return s;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static nomen_status make_plan(index_plan *p, nomen_tensor *self, nomen_list list) {
    p->self = nomen__retain(self); /* not all of it at once: it is large, and mostly unused */
    p->index = NULL;
    p->first = p->count = p->items = 0;
    p->moved = false;
    p->names.n = -1;
    nomen_status s = NOMEN_OK;
    int dim = 0, takes = 0;
    for (int64_t i = 0; i < list.count; i++) {
        const nomen_tensor *t = list.at[i];
        takes += t && t->dtype == NOMEN_BOOL ? t->ndim : 1;
        if (takes > self->ndim)
            return nomen__fail(NOMEN_ERROR_INDEX, "too many indices for tensor of dimension %d",
                               self->ndim);
    }
    for (int64_t i = 0; !s && i < list.count; i++) {
        if (p->items == NOMEN_MAX_DIMS)
            return nomen__fail(NOMEN_ERROR_INDEX, "more than %d indices", NOMEN_MAX_DIMS);
        s = take_item(p, list.at[i], &dim);
    }
    if (s || !p->items) return s;
    s = order_dims(p);
    if (!s) s = join(p);
    return s ? s : name_result(p);
}

static void set_group(nomen__call *v, const index_plan *p, int arg) {
    v->arg[0].tensor = p->self;
    v->arg[1].tensor = p->index;
    v->arg[arg].integer = p->first;
    v->arg[arg + 1].integer = p->count;
    v->given |= 3u | 3u << arg;
}

/* Names are the plan's: what take_dims would find in self and the joint index is not the same. */
static nomen_status take(nomen__call *c, index_plan *p) {
    nomen__call v;
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_TAKE_DIMS]);
    nomen_tensor *named = p->index;
    if (named->flags & NOMEN__NAMED) {
        p->index = nomen__tensor_alias(named);
        nomen__release(named);
        if (!p->index) return NOMEN_ERROR_MEMORY;
        nomen__set_names(p->index, NULL);
    }
    set_group(&v, p, 2);
    nomen_status s = nomen__invoke(&v);
    c->out[0] = s ? NULL : v.out[0];
    if (!s && p->names.n >= 0) nomen__set_names(c->out[0], p->names.at);
    return s;
}

static nomen_list indices_of(const nomen__call *c) {
    return nomen__given(c, 1) ? c->arg[1].list : (nomen_list){0, NULL};
}

nomen_status nomen__compose_index(nomen__call *c) {
    index_plan p;
    nomen_status s = make_plan(&p, c->in[0], indices_of(c));
    if (!s && p.items)
        s = take(c, &p);
    else if (!s) {
        s = bring_to_front(&p); /* nothing is moved: the same again */
        c->out[0] = s ? NULL : nomen__retain(p.self);
    }
    plan_drop(&p);
    return s;
}

/* Into a mask one number goes as into masked_fill, whatever its dtype. */
static nomen_tensor *adapted(const index_plan *p, nomen_tensor *source) {
    bool masks = true;
    for (int i = 0; i < p->items; i++) masks &= p->item[i].mask;
    if (!masks || source->numel != 1 || source->dtype == p->self->dtype)
        return nomen__retain(source);
    if (nomen__check_fits(source, (nomen_dtype)p->self->dtype)) return NULL;
    return nomen__converted(source, (nomen_dtype)p->self->dtype);
}

static nomen_status put(nomen__call *c, index_plan *p, nomen_tensor *source) {
    nomen__call v;
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_PUT_DIMS]);
    set_group(&v, p, 3);
    v.inplace = true;
    v.arg[2].tensor = adapted(p, source);
    v.arg[5].flag = nomen__given(c, 3) && c->arg[3].flag;
    v.given |= 1u << 2 | 1u << 5;
    if (!v.arg[2].tensor) return NOMEN_ERROR_DTYPE;
    nomen_status s = nomen__invoke(&v);
    if (!s) nomen__release(v.out[0]);
    nomen__release(v.arg[2].tensor);
    return s;
}

/* The values must fit the names that the indexed part has. */
static nomen_status match_values(const index_plan *p, const nomen_tensor *source) {
    nomen__namelist unused;
    if (p->names.n < 0 || !(source->flags & NOMEN__NAMED)) return NOMEN_OK;
    return nomen__unify((nomen__names){p->names.n, p->names.at}, nomen__names_of(source),
                        "broadcast", &unused);
}

/* One mask of all elements, and one number to put there: masked_fill, which does not look for
 * positions first. */
static bool fills(const nomen__call *c, const nomen_tensor *target, const nomen_tensor *mask,
                  const nomen_tensor *source) {
    if (!mask || mask->dtype != NOMEN_BOOL || mask->ndim == 0 || mask->ndim != target->ndim)
        return false;
    const bool adds = nomen__given(c, 3) && c->arg[3].flag, away = target->device || mask->device;
    return !adds && !away && source->ndim == 0 && !nomen__may_overlap(target, mask) &&
           !nomen__may_overlap(target, source);
}

static nomen_status fill(nomen_tensor *target, nomen_tensor *mask, nomen_tensor *source) {
    const index_plan p = {.self = target};
    nomen_status s = mask_fits(&p, mask, 0);
    if (s) return s;
    nomen__call v;
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_MASKED_FILL]);
    v.inplace = true;
    v.arg[0].tensor = target;
    v.arg[1].tensor = mask;
    v.arg[2].tensor = source;
    v.given = 7;
    s = nomen__invoke(&v);
    if (!s) nomen__release(v.out[0]);
    return s;
}

static nomen_status put_all(nomen__call *c, nomen_tensor *target, nomen_tensor *source) {
    const nomen_list indices = indices_of(c);
    if (indices.count == 1 && fills(c, target, indices.at[0], source))
        return fill(target, indices.at[0], source);
    index_plan p;
    nomen_status s = make_plan(&p, target, indices);
    if (!s && !p.items)
        s = nomen__fail(NOMEN_ERROR_INDEX, "at least one of the indices must not be None");
    if (!s) s = match_values(&p, source);
    if (!s) s = put(c, &p, source);
    plan_drop(&p);
    return s;
}

nomen_status nomen__compose_index_put(nomen__call *c) {
    nomen_tensor *self = c->in[0], *target;
    target = c->inplace ? nomen__retain(self) : nomen__apply(NOMEN__OP_CLONE, self, NULL);
    if (!target) return NOMEN_ERROR_STATE;
    nomen_status s = put_all(c, target, c->in[1]);
    c->out[0] = s ? NULL : target;
    if (s) nomen__release(target);
    return s;
}

/* ---- others made of them --------------------------------------------------------------------- */

nomen_status nomen__compose_nonzero_tuple(nomen__call *c) {
    nomen_tensor *t = nomen__retain(c->in[0]), *at = NULL;
    if (!t->ndim) { /* as if it had one dim */
        nomen__release(t);
        t = nomen__reshaped(c->in[0], 1, (const int64_t[]){1});
        if (!t) return NOMEN_ERROR_MEMORY;
    }
    at = nomen__apply(NOMEN__OP_NONZERO, t, NULL);
    nomen__release(t);
    if (!at) return NOMEN_ERROR_STATE;
    nomen__call rows;
    nomen__dimref one = {NOMEN__DIM_INDEX, 0, 1};
    nomen__call_begin(&rows, &nomen__ops[NOMEN__OP_UNBIND]);
    rows.arg[0].tensor = at;
    rows.arg[1].dims = (nomen__dims){1, &one};
    rows.given = 3;
    nomen_status s = nomen__invoke(&rows);
    nomen__release(at);
    c->results = s ? NULL : rows.results;
    c->results_count = s ? 0 : rows.results_count;
    return s;
}

/* One call of an operation with (tensor, sizes). */
static nomen_tensor *with_sizes(int op, nomen_tensor *t, int64_t count, const int64_t *size) {
    nomen__call v;
    nomen__call_begin(&v, &nomen__ops[op]);
    v.arg[0].tensor = t;
    v.arg[1].sizes = (nomen_sizes){count, size};
    v.given = 3;
    return nomen__invoke(&v) ? NULL : v.out[0];
}

static nomen_status gather(nomen__call *c, nomen_tensor *t, nomen_tensor *index, int dim) {
    nomen__call v;
    nomen__dimref ref = {NOMEN__DIM_INDEX, 0, dim};
    nomen__call_begin(&v, &nomen__ops[NOMEN__OP_GATHER]);
    v.arg[0].tensor = t;
    v.arg[1].dims = (nomen__dims){1, &ref};
    v.arg[2].tensor = index;
    v.given = 7;
    v.out[0] = c->out[0];
    nomen_status s = nomen__invoke(&v);
    c->out[0] = s ? NULL : v.out[0];
    return s;
}

/* The sizes to which both are broadcast: the dim stays what it is in each of them. */
static nomen_status along_sizes(const nomen__call *c, int dim, int64_t *own, int64_t *other) {
    const nomen_tensor *t = c->in[0], *index = c->in[1];
    for (int d = 0; d < t->ndim; d++) {
        int64_t a = t->size[d], b = index->size[d];
        own[d] = other[d] = a == 1 ? b : a;
        if (d == dim) {
            own[d] = a;
            other[d] = b;
        } else if (a != b && a != 1 && b != 1) {
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "The size of tensor a (%lld) must match the size of tensor b (%lld) "
                               "at non-singleton dimension %d",
                               (long long)a, (long long)b, d);
        }
    }
    return NOMEN_OK;
}

nomen_status nomen__compose_take_along_dim(nomen__call *c) {
    nomen_tensor *t = c->in[0], *index = c->in[1], *wide, *where;
    int dim = 0;
    nomen_status s = NOMEN_OK;
    nomen_dtype d = (nomen_dtype)index->dtype;
    if (!nomen_dtype_is_integral(d) || d == NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "torch.take_along_dim(): dtype of indices should be Long or another "
                           "integer dtype but got %s",
                           nomen_dtype_name(d));
    if (!nomen__given(c, 2)) {
        wide = nomen__apply(NOMEN__OP_FLATTEN, t, NULL);
        where = wide ? nomen__apply(NOMEN__OP_FLATTEN, index, NULL) : NULL;
    } else {
        int64_t own[NOMEN_MAX_DIMS], other[NOMEN_MAX_DIMS];
        if (t->ndim != index->ndim)
            return nomen__fail(NOMEN_ERROR_SHAPE,
                               "torch.take_along_dim(): input and indices should have the same "
                               "number of dimensions, but got %d dimensions for input, and %d "
                               "dimensions for indices",
                               t->ndim, index->ndim);
        s = nomen__dim_position(nomen__names_of(t), c->arg[2].dims.at, &dim);
        if (!s) s = along_sizes(c, dim, own, other);
        if (s) return s;
        wide = with_sizes(NOMEN__OP_EXPAND, t, t->ndim, own);
        where = wide ? with_sizes(NOMEN__OP_EXPAND, index, t->ndim, other) : NULL;
    }
    s = where ? gather(c, wide, where, dim) : NOMEN_ERROR_STATE;
    nomen__release(wide);
    nomen__release(where);
    return s;
}
