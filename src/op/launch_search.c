/* Words of the table for searchsorted and bucketize: values looked up in sorted rows. */
#include "nomen/ops.gen.h"
#include "op/launch.h"
#include "op/rows.gen.h"

#include <string.h>

static bool buckets(const nomen__call *c) { return c->op->id == NOMEN__OP_BUCKETIZE; }

/* searchsorted(sequence, values), bucketize(values, boundaries) */
static nomen_tensor *sequence_of(const nomen__call *c) { return c->in[buckets(c)]; }
static nomen_tensor *values_of(const nomen__call *c) { return c->in[!buckets(c)]; }

static bool flag(const nomen__call *c, int arg) { return nomen__given(c, arg) && c->arg[arg].flag; }

/* ---- before all else ------------------------------------------------------------------------- */

/* Every place that it names must be one of a row. */
static nomen_status check_places(nomen_tensor *sorter) {
    int64_t least = 0, most = -1;
    nomen_scope() {
        nomen_tensor *high = NULL, *low = nomen_aminmax(nomen__nameless(sorter), .max = &high);
        if (low) {
            least = nomen_item_int(low);
            most = nomen_item_int(high);
        }
    }
    if (nomen__error_pending()) return NOMEN_ERROR_STATE;
    if (least >= 0 && most < (sorter->ndim ? sorter->size[sorter->ndim - 1] : 1)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE, "torch.searchsorted(): sorter index out of range");
}

/* The sequence in the order that the sorter says takes its place. */
static nomen_status sort_by(nomen__call *c, nomen_tensor *sorter) {
    nomen_tensor *t = c->in[0], *sorted = NULL;
    if (!nomen__has_sizes(sorter, t->ndim, t->size)) {
        NOMEN__TEXT(own, 160);
        NOMEN__TEXT(other, 160);
        nomen__text_sizes(&own, t->size, t->ndim);
        nomen__text_sizes(&other, sorter->size, sorter->ndim);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "torch.searchsorted(): boundary and sorter must have the same size, but "
                           "got boundary tensor %s and got sorter tensor %s",
                           own.at, other.at);
    }
    if (!nomen_dtype_is_integral((nomen_dtype)sorter->dtype))
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "torch.searchsorted(): sorter must be a tensor of long dtype but got "
                           "dtype %s",
                           nomen_dtype_name((nomen_dtype)sorter->dtype));
    nomen_status s = sorter->numel ? check_places(sorter) : NOMEN_OK;
    if (s) return s;
    bool was = nomen__grad_enabled;
    nomen__grad_enabled = false;
    nomen_scope() {
        sorted = nomen_take_along_dim(nomen__nameless(t), nomen__nameless(sorter), "-1");
        if (sorted) nomen__retain(sorted);
    }
    nomen__grad_enabled = was;
    if (!sorted) return NOMEN_ERROR_STATE;
    if (t->flags & NOMEN__NAMED) nomen__set_names(sorted, t->names);
    nomen__take_temporary(c, sorted);
    c->in[0] = sorted;
    return NOMEN_OK;
}

nomen_status nomen__choose_search(nomen__call *c) {
    enum { RIGHT = 3, SIDE, SORTER };
    if (nomen__given(c, SIDE)) {
        const char *side = c->arg[SIDE].text;
        if (strcmp(side, "left") && strcmp(side, "right"))
            return nomen__fail(NOMEN_ERROR_STATE,
                               "torch.searchsorted(): side can only be 'left' or 'right' but got "
                               "%.40s",
                               side);
        if (side[0] == 'l' && flag(c, RIGHT))
            return nomen__fail(NOMEN_ERROR_STATE,
                               "torch.searchsorted(): side and right can't be set to opposites, "
                               "got side of left while right was True");
    }
    return nomen__given(c, SORTER) ? sort_by(c, c->arg[SORTER].tensor) : NOMEN_OK;
}

static bool to_the_right(const nomen__call *c) {
    return flag(c, 3) || (!buckets(c) && nomen__given(c, 4) && c->arg[4].text[0] == 'r');
}

/* ---- names, dtypes, sizes -------------------------------------------------------------------- */

nomen_status nomen__names_search_rule(nomen__call *c) {
    if (!c->named) return NOMEN_OK;
    return nomen__names_search(nomen__names_of(c->in[0]), nomen__names_of(c->in[1]), &c->names);
}

nomen_status nomen__dtype_search(nomen__call *c) {
    c->compute = nomen__common_dtype(c->in, 2);
    c->writes = NOMEN_I64;
    c->result[0] = flag(c, 2) ? NOMEN_I32 : NOMEN_I64;
    return NOMEN_OK;
}

static nomen_status fail_rows(const nomen_tensor *t, const nomen_tensor *values) {
    NOMEN__TEXT(own, 160);
    NOMEN__TEXT(other, 160);
    nomen__text_sizes(&own, t->size, t->ndim);
    nomen__text_sizes(&other, values->size, values->ndim);
    if (!values->ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "torch.searchsorted(): input value can be a scalar only when boundaries "
                           "tensor dimension is 1, but we got boundaries tensor dim(%d) and input "
                           "value's dim(0) numel(1)",
                           t->ndim);
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "torch.searchsorted(): boundaries tensor should be 1 dimension or the first "
                       "N-1 dimensions of boundaries tensor and input value tensor must match, but "
                       "we got boundaries tensor %s and input value tensor %s",
                       own.at, other.at);
}

nomen_status nomen__shape_search(nomen__call *c) {
    const nomen_tensor *t = sequence_of(c), *values = values_of(c);
    if (buckets(c) && t->ndim != 1)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "boundaries tensor must be 1 dimension, but got dim(%d)", t->ndim);
    bool fits = t->ndim == 1 || (t->ndim == values->ndim && t->ndim > 0);
    for (int d = 0; fits && t->ndim > 1 && d < t->ndim - 1; d++)
        fits = t->size[d] == values->size[d];
    if (!fits) return fail_rows(t, values);
    c->ndim = values->ndim;
    memcpy(c->size, values->size, sizeof *c->size * (size_t)c->ndim);
    return NOMEN_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct search_job {
    nomen__loop *loop;
    char *out, *values, *rows;
    int64_t item, length, each; /* of a row; values that are looked up in each */
    bool right;
} search_job;

static void search(void *context, int64_t begin, int64_t end) {
    const search_job *job = context;
    const int64_t step[] = {sizeof(int64_t), job->item, job->item, job->length, job->right};
    while (begin < end) {
        int64_t row = begin / job->each, stop = (row + 1) * job->each;
        if (stop > end) stop = end;
        char *const ptr[] = {job->out + begin * (int64_t)sizeof(int64_t),
                             job->values + begin * job->item,
                             job->rows + row * job->length * job->item};
        job->loop(ptr, step, stop - begin);
        begin = stop;
    }
}

/* t in row-major order without gaps. */
static nomen_tensor *plain(nomen_tensor *t, nomen_dtype dtype) {
    if (t->flags & NOMEN__CONTIGUOUS) return nomen__launch_input(t, dtype);
    return nomen__copied(nomen__tensor_empty(dtype, t->ndim, t->size), t);
}

nomen_status nomen__launch_search(nomen__call *c) {
    nomen_tensor *out = c->out[0], *made = NULL;
    nomen_status s = NOMEN_ERROR_MEMORY;
    if (!out->numel) return NOMEN_OK;
    nomen_tensor *rows = plain(sequence_of(c), c->compute),
                 *values = plain(values_of(c), c->compute);
    if (rows && values)
        made = nomen__launch_output(out, NOMEN_I64, !(out->flags & NOMEN__CONTIGUOUS));
    if (made) {
        int64_t length = rows->size[rows->ndim - 1];
        int64_t each = rows->ndim == 1 ? values->numel : values->size[values->ndim - 1];
        search_job job = {c->kernel->loop,
                          made->data,
                          values->data,
                          rows->data,
                          nomen__item((uint8_t)c->compute),
                          length,
                          each,
                          to_the_right(c)};
        s = nomen__parallel_asking(out->numel, 4096, search, &job);
    }
    s = nomen__launch_end(out, made, s);
    nomen__launch_done(sequence_of(c), rows);
    nomen__launch_done(values_of(c), values);
    return s;
}
