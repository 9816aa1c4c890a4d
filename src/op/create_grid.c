/* Words of the table: linspace and eye, new tensors whose elements follow from their place. */
#include "op/op.h"
#include "op/rows.gen.h"

#include <math.h>

enum { START = 1, END, STEPS };

/* A bound, or its imaginary part; between integers it is one of them. */
static double bound(const nomen_number *n, nomen_dtype d, bool imaginary) {
    if (imaginary) return n->kind == NOMEN_NUMBER_COMPLEX ? n->im : 0;
    double x = n->kind >= NOMEN_NUMBER_FLOAT ? n->re : (double)n->i;
    if (nomen_dtype_is_integral(d)) x = trunc(x);
    return d == NOMEN_U8 && x < 0 ? x + 256 : x;
}

nomen_status nomen__shape_linspace(nomen__call *c) {
    c->ndim = 1;
    c->size[0] = c->arg[STEPS].integer;
    return NOMEN_OK;
}

/* From both ends, so that both are met exactly. */
static void grid(double *at, int64_t n, int64_t apart, double start, double end) {
    double step = n > 1 ? (end - start) / (double)(n - 1) : 0;
    for (int64_t i = 0; i < n; i++)
        at[i * apart] =
            i < n / 2 || n == 1 ? start + step * (double)i : end - step * (double)(n - 1 - i);
}

nomen_status nomen__launch_linspace(nomen__call *c) {
    nomen_tensor *out = c->out[0];
    bool complex = nomen_dtype_is_complex(c->compute);
    nomen_tensor *t = nomen__tensor_empty(complex ? NOMEN_C128 : NOMEN_F64, 1, c->size);
    if (!t) return NOMEN_ERROR_MEMORY;
    const nomen_number *start = c->arg[START].number, *end = c->arg[END].number;
    double *at = (double *)(void *)t->data;
    for (int k = 0; k <= complex; k++)
        grid(at + k, c->size[0], complex ? 2 : 1, bound(start, c->compute, k),
             bound(end, c->compute, k));
    nomen_status s = nomen__copy_values(out, t);
    nomen__release(t);
    return s;
}

/* ---- eye ------------------------------------------------------------------------------------- */

nomen_status nomen__shape_eye(nomen__call *c) {
    int64_t n = c->arg[1].integer, m = nomen__given(c, 2) ? c->arg[2].integer : n;
    if (n < 0 || m < 0)
        return nomen__fail(NOMEN_ERROR_STATE, "%c must be greater or equal to 0, got %lld",
                           n < 0 ? 'n' : 'm', (long long)(n < 0 ? n : m));
    c->ndim = 2;
    c->size[0] = n;
    c->size[1] = m;
    return NOMEN_OK;
}

nomen_status nomen__launch_eye(nomen__call *c) {
    static const nomen_number zero = {NOMEN_NUMBER_INT, 0, 0, 0}, one = {NOMEN_NUMBER_INT, 1, 0, 0};
    nomen_tensor *out = c->out[0];
    nomen_status s = nomen__fill_values(out, &zero);
    if (s || !out->numel) return s;
    nomen_tensor *line = nomen__tensor_new((nomen_dtype)out->dtype, 1);
    if (!line) return NOMEN_ERROR_MEMORY;
    line->size[0] = out->size[0] < out->size[1] ? out->size[0] : out->size[1];
    line->stride[0] = out->stride[0] + out->stride[1];
    nomen__storage_retain(out->storage);
    line->storage = out->storage;
    line->data = out->data;
    nomen__same_place(line, out);
    nomen__tensor_finish(line);
    s = nomen__fill_values(line, &one);
    nomen__release(line);
    return s;
}
