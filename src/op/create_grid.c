/* Words of the table: linspace and eye, new tensors whose elements follow from their place. */
#include "op/launch.h"
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

typedef struct grid_part {
    double start, end, step;
} grid_part;

typedef struct grid_job {
    grid_part part[2]; /* real and, if complex, imaginary */
    bool complex;
    int64_t n;
    char *to;
    int64_t to_step, item;     /* bytes from result to result, and of a part as it is put */
    nomen__loop *narrow, *put; /* narrow: NULL, or parts become float32 first */
    nomen__loop *ramp;
} grid_job;

/* m points from point first on; from both ends, so that both are met exactly. */
static void points(const grid_job *g, const grid_part *p, int64_t first, int m, double *at) {
    int64_t half = g->n == 1 ? 1 : g->n / 2, left = half - first;
    int fore = left < 0 ? 0 : left > m ? m : (int)left;
    double ahead[3] = {p->start, -(double)first, p->step};
    double back[3] = {p->end, (double)(g->n - 1 - first - fore), p->step};
    g->ramp((char *const[2]){(char *)at, (char *)ahead}, NULL, fore);
    g->ramp((char *const[2]){(char *)(at + fore), (char *)back}, NULL, m - fore);
}

enum { POINTS = 512 };

static void grid_chunk(void *context, int64_t begin, int64_t end) {
    const grid_job *g = context;
    const int64_t item = g->item;
    double block[2][POINTS];
    float narrow[2][POINTS];
    for (int m; begin < end; begin += m) {
        m = end - begin < POINTS ? (int)(end - begin) : POINTS;
        char *put[3] = {g->to + begin * g->to_step, (char *)block[0], (char *)block[1]};
        for (int k = 0; k <= g->complex; k++) {
            points(g, &g->part[k], begin, m, block[k]);
            if (!g->narrow) continue;
            put[k + 1] = (char *)narrow[k];
            g->narrow((char *const[2]){put[k + 1], (char *)block[k]},
                      (const int64_t[2]){item, (int64_t)sizeof(double)}, m);
        }
        g->put(put, (const int64_t[3]){g->to_step, item, item}, m);
    }
}

/* Block by block into the result. */
nomen_status nomen__launch_linspace(nomen__call *c) {
    nomen_tensor *out = c->out[0];
    const nomen_number *start = c->arg[START].number, *end = c->arg[END].number;
    const nomen_dtype to = (nomen_dtype)out->dtype;
    grid_job g = {.complex = nomen_dtype_is_complex(c->compute), .n = c->size[0]};
    for (int k = 0; k <= g.complex; k++) {
        grid_part *p = &g.part[k];
        p->start = bound(start, c->compute, k);
        p->end = bound(end, c->compute, k);
        p->step = g.n > 1 ? (p->end - p->start) / (double)(g.n - 1) : 0;
    }
    const nomen_dtype part = g.complex && to == NOMEN_C64 ? NOMEN_F32 : NOMEN_F64;
    g.to = out->data;
    g.to_step = out->stride[0] * nomen__item(out->dtype);
    g.item = nomen__item(part);
    g.narrow = nomen__cast_loop(NOMEN_F64, part);
    g.put = g.complex ? nomen__kernel_find("complex", part)->loop : nomen__move_loop(NOMEN_F64, to);
    g.ramp = nomen__kernel_find("ramp", NOMEN_F64)->loop;
    return nomen__parallel_asking(g.n, NOMEN__GRAIN, grid_chunk, &g);
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
    const int64_t size = out->size[0] < out->size[1] ? out->size[0] : out->size[1];
    const int64_t stride = out->stride[0] + out->stride[1];
    nomen_tensor *line = nomen__tensor_view(out, (nomen_dtype)out->dtype, 1, &size, &stride, 0);
    if (!line) return NOMEN_ERROR_MEMORY;
    s = nomen__fill_values(line, &one);
    nomen__release(line);
    return s;
}
