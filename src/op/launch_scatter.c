/* Words of the table for scatter_reduce: what comes to one place is added, multiplied, averaged, or
 * the largest or smallest of it stays. */
#include "nomen/ops.gen.h"
#include "op/places.h"
#include "op/rows.gen.h"

#include <math.h>
#include <string.h>

enum { SELF, INDEX, SOURCE, REDUCE = 4, EXCLUDE };

static bool excludes(const nomen__call *c) {
    return nomen__given(c, EXCLUDE) && c->arg[EXCLUDE].flag;
}

static bool is_mean(const nomen__call *c) { return !strcmp(c->arg[REDUCE].text, "mean"); }

nomen_status nomen__choose_scatter_reduce(nomen__call *c) {
    static const char *const known[] = {"sum", "prod", "mean", "amax", "amin"};
    const char *reduce = c->arg[REDUCE].text;
    nomen_dtype d = (nomen_dtype)c->in[SELF]->dtype;
    size_t i = 0;
    while (i < NOMEN_COUNT(known) && strcmp(reduce, known[i])) i++;
    if (i == NOMEN_COUNT(known))
        return nomen__fail(NOMEN_ERROR_STATE,
                           "reduce argument must be either sum, prod, mean, amax or amin, got "
                           "%.40s",
                           reduce);
    if ((reduce[0] == 'a' && nomen_dtype_is_complex(d)) || (d == NOMEN_BOOL && is_mean(c)))
        return nomen__fail(NOMEN_ERROR_DTYPE, "\"scatter_reduce\" not implemented for '%s': %s",
                           nomen_dtype_name(d), reduce);
    return NOMEN_OK;
}

/* What changes nothing that it is combined with. */
static nomen_number neutral(const nomen__call *c) {
    const char *reduce = c->arg[REDUCE].text;
    nomen_dtype d = c->compute;
    nomen_number n = {NOMEN_NUMBER_INT, reduce[0] == 'p', 0, 0};
    if (reduce[0] != 'a') return n;
    bool high = !strcmp(reduce, "amin");
    if (nomen_dtype_is_floating(d))
        return nomen_number_float((double)(high ? INFINITY : -INFINITY));
    int bits = (int)(8 * nomen_dtype_size(d));
    bool sign = d != NOMEN_BOOL && d != NOMEN_U8;
    int64_t top = d == NOMEN_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits + sign));
    n.i = high ? top : sign ? -top - 1 : 0;
    return n;
}

/* self with what does not count at the places where something comes. */
static nomen_tensor *cleared(const nomen__call *c) {
    const nomen_number n = neutral(c);
    nomen_tensor *r = NULL;
    char dim[16];
    nomen__text text = {dim, sizeof dim, 0};
    nomen__text_add(&text, "%d", c->dim);
    bool was = nomen__grad_enabled;
    nomen__grad_enabled = false;
    nomen_scope() {
        nomen_tensor *value = nomen_full(NULL, (nomen_sizes){0, NULL}, n, .dtype = c->compute);
        nomen_tensor *rows =
            nomen_expand(value, (nomen_sizes){c->in[INDEX]->ndim, c->in[INDEX]->size});
        r = nomen_scatter(nomen__nameless(c->in[SELF]), dim, nomen__nameless(c->in[INDEX]), rows);
        if (r) nomen__retain(r);
    }
    nomen__grad_enabled = was;
    return r;
}

/* How many numbers each mean is of, at least one. */
static nomen_tensor *counts(const nomen__call *c) {
    nomen_tensor *r = NULL;
    char dim[16];
    nomen__text text = {dim, sizeof dim, 0};
    nomen__text_add(&text, "%d", c->dim);
    nomen_sizes own = {c->ndim, c->size}, places = {c->in[INDEX]->ndim, c->in[INDEX]->size};
    const nomen_number first = nomen_num((int64_t)!excludes(c)), once = nomen_num((int64_t)1);
    const nomen_dtype counter = nomen__counter_of(c->compute, c->in[INDEX]->numel);
    nomen_scope() {
        nomen_tensor *n = nomen_full(NULL, own, first, .dtype = counter);
        nomen_tensor *one = nomen_full(NULL, (nomen_sizes){0, NULL}, once, .dtype = counter);
        one = nomen_expand(one, places);
        n = nomen_scatter_add_(n, dim, nomen__nameless(c->in[INDEX]), one);
        n = nomen_to(nomen_clamp_min_(n, nomen_scalar(1)), c->compute);
        if (n) r = nomen__retain(n);
    }
    return r;
}

static nomen__place_kind kind_of(const char *reduce) {
    if (!strcmp(reduce, "amax")) return NOMEN__PLACE_MAX;
    if (!strcmp(reduce, "amin")) return NOMEN__PLACE_MIN;
    return reduce[0] == 'p' ? NOMEN__PLACE_MUL : NOMEN__PLACE_ADD;
}

/* out is a header of ours: nobody sees names or a history in it. */
static nomen_status divide(nomen_tensor *out, nomen_tensor *by) {
    bool was = nomen__grad_enabled, whole = nomen_dtype_is_integral((nomen_dtype)out->dtype);
    nomen_status s = NOMEN_ERROR_STATE;
    nomen__grad_enabled = false;
    nomen_scope() {
        if (whole ? nomen_floor_divide_(out, by) : nomen_div_(out, by)) s = NOMEN_OK;
    }
    nomen__grad_enabled = was;
    return s;
}

nomen_status nomen__launch_scatter_reduce(nomen__call *c) {
    nomen_tensor *self = c->in[SELF], *out = c->out[0], *apart = out, *by = NULL, *first = NULL;
    bool mean = is_mean(c), fill = excludes(c) && c->in[INDEX]->numel;
    /* Means, and what is to be cleared first, are made beside what somebody sees already, which a
     * failure leaves alone. */
    const bool seen = c->inplace || c->target[0] || out->dtype != (uint8_t)c->compute;
    if (seen && (mean || fill)) apart = nomen__tensor_empty(c->compute, c->ndim, c->size);
    if (mean) by = counts(c);
    if (fill) first = cleared(c);
    nomen_status s = apart && (by || !mean) && (first || !fill) ? NOMEN_OK : NOMEN_ERROR_STATE;
    if (!s) {
        bool inplace = c->inplace;
        if (first) c->in[SELF] = first;
        c->inplace = inplace && apart == out;
        c->out[0] = apart;
        s = nomen__put_scattered(c, kind_of(c->arg[REDUCE].text), c->in[SOURCE]);
        c->out[0] = out;
        c->inplace = inplace;
        c->in[SELF] = self;
    }
    if (!s && mean) s = divide(apart, by);
    if (!s && apart != out) s = nomen__copy_values(out, apart);
    if (apart != out) nomen__release(apart);
    nomen__release(by);
    nomen__release(first);
    return s;
}
