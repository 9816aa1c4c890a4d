/* memory_format=: the order in which the elements of a fresh result lie. Images may have their
 * channels last in memory while the dims keep their order. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

static const struct {
    const char *word;
    int ndim;       /* that it needs; 0: any */
    int8_t dims[5]; /* from the innermost */
} formats[] = {
    [NOMEN__ANY_ORDER] = {"preserve_format", 0, {0}},
    [NOMEN__ROW_MAJOR] = {"contiguous_format", 0, {0}},
    [NOMEN__CHANNELS_LAST] = {"channels_last", 4, {1, 3, 2, 0}},
    [NOMEN__CHANNELS_LAST_3D] = {"channels_last_3d", 5, {1, 4, 3, 2, 0}},
};

nomen_status nomen__format_find(const char *word, uint8_t *format) {
    for (size_t i = 0; i < NOMEN_COUNT(formats); i++) {
        if (strcmp(word, formats[i].word)) continue;
        *format = (uint8_t)i;
        return NOMEN_OK;
    }
    return nomen__fail(NOMEN_ERROR_TYPE,
                       "memory_format must be 'contiguous_format', 'preserve_format', "
                       "'channels_last' or 'channels_last_3d', not '%.40s'",
                       word);
}

nomen_status nomen__format_check(uint8_t format, int ndim) {
    if (!formats[format].ndim || formats[format].ndim == ndim) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_SHAPE, "required rank %d tensor to use %s format",
                       formats[format].ndim, formats[format].word);
}

bool nomen__lies_in_format(const nomen_tensor *t, uint8_t format) {
    if (format <= NOMEN__ROW_MAJOR) return t->flags & NOMEN__CONTIGUOUS;
    if (t->ndim != formats[format].ndim) return false;
    int64_t step = 1;
    for (int k = 0; k < t->ndim; k++) {
        int d = formats[format].dims[k];
        if (t->size[d] == 1) continue;
        if (t->stride[d] != step) return false;
        step *= t->size[d];
    }
    return true;
}

bool nomen__steps_in_format(const nomen_tensor *t, uint8_t format) {
    if (format <= NOMEN__ROW_MAJOR || t->ndim != formats[format].ndim) return false;
    int64_t least = 1;
    for (int k = 0; k < t->ndim; k++) {
        const int d = formats[format].dims[k];
        if (t->size[d] == 1) continue;
        if (t->stride[d] < least || (k == 0 && t->stride[d] != 1)) return false;
        least = t->stride[d] * t->size[d];
    }
    return true;
}

void nomen__lay_out_in_format(nomen_tensor *fresh, uint8_t format) {
    int64_t step = 1;
    for (int k = 0; k < fresh->ndim; k++) {
        int d = formats[format].dims[k];
        fresh->stride[d] = step;
        step *= fresh->size[d] > 1 ? fresh->size[d] : 1;
    }
    nomen__tensor_finish(fresh);
}

nomen_status nomen__reorder(nomen__call *c) {
    nomen_tensor *t = c->out[0];
    nomen_status s = nomen__format_check(c->format, t->ndim);
    if (!s && nomen__lies_in_format(t, c->format)) return NOMEN_OK;
    nomen__call clone;
    nomen__call_begin(&clone, &nomen__ops[NOMEN__OP_CLONE]);
    clone.arg[0].tensor = t;
    clone.arg[1].text = formats[c->format].word;
    clone.given = 3;
    if (!s) s = nomen__invoke(&clone);
    nomen__release(t);
    c->out[0] = s ? NULL : clone.out[0];
    return s;
}
