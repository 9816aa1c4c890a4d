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

typedef struct grid_job {
    double start, end, step;
    int64_t n;
    char *to; /* where to, by which loop and step */
    int64_t to_step;
    nomen__loop *loop, *ramp;
} grid_job;

static grid_job grid_of(double start, double end, int64_t n) {
    double step = n > 1 ? (end - start) / (double)(n - 1) : 0;
    nomen__loop *ramp = nomen__kernel_find("ramp", NOMEN_F64)->loop;
    return (grid_job){.start = start, .end = end, .step = step, .n = n, .ramp = ramp};
}

/* m points from point first on; from both ends, so that both are met exactly. */
static void points(const grid_job *g, int64_t first, int m, double *at) {
    int64_t half = g->n == 1 ? 1 : g->n / 2, left = half - first;
    int fore = left < 0 ? 0 : left > m ? m : (int)left;
    double ahead[3] = {g->start, -(double)first, g->step};
    double back[3] = {g->end, (double)(g->n - 1 - first - fore), g->step};
    g->ramp((char *const[2]){(char *)at, (char *)ahead}, NULL, fore);
    g->ramp((char *const[2]){(char *)(at + fore), (char *)back}, NULL, m - fore);
}

enum { POINTS = 512 };

static void grid_chunk(void *context, int64_t begin, int64_t end) {
    const grid_job *g = context;
    double block[POINTS];
    for (int m; begin < end; begin += m) {
        m = end - begin < POINTS ? (int)(end - begin) : POINTS;
        points(g, begin, m, block);
        char *const move[2] = {g->to + begin * g->to_step, (char *)block};
        g->loop(move, (const int64_t[2]){g->to_step, (int64_t)sizeof *block}, m);
    }
}

/* Real numbers: block by block into the result. */
static nomen_status real_grid(nomen__call *c, double start, double end) {
    nomen_tensor *out = c->out[0];
    nomen_dtype to = (nomen_dtype)out->dtype;
    grid_job g = grid_of(start, end, c->size[0]);
    g.to = out->data;
    g.to_step = out->stride[0] * nomen__item(out->dtype);
    g.loop =
        to == NOMEN_F64 ? nomen__kernel_find("copy", to)->loop : nomen__cast_loop(NOMEN_F64, to);
    return nomen__parallel_asking(g.n, NOMEN__GRAIN, grid_chunk, &g);
}

nomen_status nomen__launch_linspace(nomen__call *c) {
    nomen_tensor *out = c->out[0];
    bool complex = nomen_dtype_is_complex(c->compute);
    const nomen_number *start = c->arg[START].number, *end = c->arg[END].number;
    if (!complex && !nomen_dtype_is_complex((nomen_dtype)out->dtype))
        return real_grid(c, bound(start, c->compute, false), bound(end, c->compute, false));
    nomen_tensor *t = nomen__tensor_empty(complex ? NOMEN_C128 : NOMEN_F64, 1, c->size);
    if (!t) return NOMEN_ERROR_MEMORY;
    double *at = (double *)(void *)t->data;
    for (int k = 0; k <= complex; k++) {
        grid_job g = grid_of(bound(start, c->compute, k), bound(end, c->compute, k), c->size[0]);
        double block[POINTS];
        for (int64_t i = 0, m; i < g.n; i += m) {
            m = g.n - i < POINTS ? g.n - i : POINTS;
            points(&g, i, (int)m, block);
            for (int64_t l = 0; l < m; l++) at[k + (i + l) * (complex ? 2 : 1)] = block[l];
        }
    }
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
