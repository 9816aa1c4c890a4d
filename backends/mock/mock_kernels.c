/* The kernels of the mock device: one loop per form, and what it does to one element. They are
 * there to be right and to be few, not to be fast. */
#include "mock_number.h"

#include <math.h>
#include <string.h>

typedef void mock_apply(mock_number *r, const mock_number *in, nomen_dtype d);
typedef void mock_run(const mock_work *w);

struct mock_kernel {
    const char *name;
    mock_run *run;
    mock_apply *apply; /* of one element; of reductions: takes in[0] into r */
    double first;      /* what a reduction begins with */
    bool truth;        /* writes bool */
    bool inexact;      /* of floating and complex numbers only */
};

/* ---- elements -------------------------------------------------------------------------------- */

/* One way for whole numbers, which wrap, and one for all others. */
#define MOCK_BINARY(name, whole, other)                                                            \
    static void name(mock_number *r, const mock_number *in, nomen_dtype d) {                       \
        uint64_t a = (uint64_t)in[0].i, b = (uint64_t)in[1].i;                                     \
        *r = (mock_number){mock_whole(d) ? (int64_t)(whole) : 0, mock_whole(d) ? 0 : (other)};     \
    }

#define MOCK_UNARY(name, real, other)                                                              \
    static void name(mock_number *r, const mock_number *in, nomen_dtype d) {                       \
        double x = creal(in[0].c);                                                                 \
        r->c = mock_complex(d) ? (other) : mock_pair(real, 0);                                     \
    }

#define MOCK_COMPARE(name, op)                                                                     \
    static void name(mock_number *r, const mock_number *in, nomen_dtype d) {                       \
        r->i = mock_whole(d) ? in[0].i op in[1].i : creal(in[0].c) op creal(in[1].c);              \
    }

/* Without the rules of C for infinite numbers, as the kernels of the CPU. */
static double _Complex times(double _Complex x, double _Complex y) {
    return mock_pair(creal(x) * creal(y) - cimag(x) * cimag(y),
                     creal(x) * cimag(y) + cimag(x) * creal(y));
}

MOCK_BINARY(add, a + b, in[0].c + in[1].c)
MOCK_BINARY(sub, a - b, in[0].c - in[1].c)
MOCK_BINARY(mul, a *b,
            mock_complex(d) ? times(in[0].c, in[1].c)
                            : mock_pair(creal(in[0].c) * creal(in[1].c), 0))
MOCK_BINARY(add_scaled, a + b * (uint64_t)in[2].i, in[0].c + times(in[1].c, in[2].c))
MOCK_BINARY(sub_scaled, a - b * (uint64_t)in[2].i, in[0].c - times(in[1].c, in[2].c))
MOCK_BINARY(neg, b - b - a, -in[0].c)
MOCK_BINARY(divide, a - b,
            mock_complex(d) ? in[0].c / in[1].c : mock_pair(creal(in[0].c) / creal(in[1].c), 0))
MOCK_BINARY(maximum, in[0].i > in[1].i ? a : b,
            creal(in[0].c) > creal(in[1].c) || isnan(creal(in[0].c)) ? in[0].c : in[1].c)
MOCK_BINARY(minimum, in[0].i < in[1].i ? a : b,
            creal(in[0].c) < creal(in[1].c) || isnan(creal(in[0].c)) ? in[0].c : in[1].c)
MOCK_BINARY(both, a &&b, in[0].c != 0 && in[1].c != 0)
MOCK_BINARY(either, a || b, in[0].c != 0 || in[1].c != 0)
MOCK_UNARY(exponential, exp(x), cexp(in[0].c))
MOCK_UNARY(logarithm, log(x), clog(in[0].c))
MOCK_UNARY(root, sqrt(x), csqrt(in[0].c))
MOCK_UNARY(tangent, tanh(x), ctanh(in[0].c))
MOCK_UNARY(sigmoid, 1 / (1 + exp(-x)), 1 / (1 + cexp(-in[0].c)))
MOCK_UNARY(reciprocal, 1 / x, 1 / in[0].c)
MOCK_COMPARE(less, <)
MOCK_COMPARE(less_equal, <=)
MOCK_COMPARE(greater, >)
MOCK_COMPARE(greater_equal, >=)

static void equal(mock_number *r, const mock_number *in, nomen_dtype d) {
    r->i = mock_whole(d) ? in[0].i == in[1].i : in[0].c == in[1].c;
}

static void unequal(mock_number *r, const mock_number *in, nomen_dtype d) {
    equal(r, in, d);
    r->i = !r->i;
}

static void same(mock_number *r, const mock_number *in, nomen_dtype d) {
    (void)d;
    *r = in[0];
}

static void positive_part(mock_number *r, const mock_number *in, nomen_dtype d) {
    *r = in[0];
    if (mock_whole(d) ? in[0].i < 0 : creal(in[0].c) <= 0) *r = (mock_number){0, 0};
}

static void choose(mock_number *r, const mock_number *in, nomen_dtype d) {
    (void)d;
    *r = in[0].i ? in[1] : in[2];
}

static const char *address(const mock_operand *o, const int64_t *index) {
    if (o->number) return o->own;
    int64_t at = 0;
    for (int d = 0; d < o->ndim; d++) at += index[d] * o->stride[d];
    return o->at + at * (int64_t)mock_item(o->dtype);
}

/* The next index in row-major order; false at the end. */
static bool next(int64_t *index, const mock_operand *o) {
    for (int d = o->ndim - 1; d >= 0; d--) {
        if (++index[d] < o->size[d]) return true;
        index[d] = 0;
    }
    return false;
}

static void put(const mock_operand *o, const int64_t *index, mock_number n) {
    mock_store(o->dtype, (char *)(uintptr_t)address(o, index), n);
}

static void run_elements(const mock_work *w) {
    int64_t index[MOCK_DIMS] = {0};
    const mock_operand *out = &w->out[0];
    if (!out->at) return; /* nothing in it */
    do {
        mock_number in[MOCK_IN], r = {0, 0};
        for (int k = 0; k < w->inputs; k++)
            in[k] = mock_load(w->in[k].dtype, address(&w->in[k], index));
        if (w->inputs < 2) in[1] = (mock_number){0, 0};
        w->kernel->apply(&r, in, w->compute);
        if (w->kernel->apply == same) r = mock_convert(r, w->in[0].dtype, out->dtype);
        if (w->kernel->truth && !mock_whole(w->compute) && creal(r.c) != 0) r.i = 1;
        put(out, index, r);
    } while (next(index, out));
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Outputs that an input element falls into have its index; out of all elements of one output the
 * first one begins it. Sums in 16 bits would lose their ends: each result is made in one go. */
static void run_reduction(const mock_work *w) {
    const mock_operand *in = &w->in[0];
    const mock_operand *out = w->out[0].at ? &w->out[0] : &w->out[1];
    mock_operand kept = *in, reduced = *in;
    int64_t count = 1, place[MOCK_DIMS] = {0};
    for (int d = 0; d < in->ndim; d++) {
        bool gone = w->dims >> d & 1;
        if (gone) count *= in->size[d];
        *(gone ? &kept.size[d] : &reduced.size[d]) = 1;
    }
    if (!out->at) return;
    do {
        mock_number r = {(int64_t)w->kernel->first, w->kernel->first};
        int64_t index[MOCK_DIMS] = {0};
        if (count) do {
                int64_t both_at[MOCK_DIMS];
                for (int d = 0; d < in->ndim; d++) both_at[d] = index[d] + place[d];
                mock_number pair[2] = {r, mock_load(in->dtype, address(in, both_at))};
                w->kernel->apply(&r, pair, w->compute);
                if (w->kernel->truth && !mock_whole(w->compute)) r.c = r.i = creal(r.c) != 0;
            } while (next(index, &reduced));
        if (!strcmp(w->kernel->name, "mean")) r.c /= (double)count;
        put(out, place, mock_convert(r, w->kernel->truth ? NOMEN_BOOL : w->compute, out->dtype));
    } while (next(place, &kept));
}

/* ---- rows and products ----------------------------------------------------------------------- */

static void run_softmax(const mock_work *w) {
    const mock_operand *in = &w->in[0], *out = &w->out[0];
    bool logarithmic = !strcmp(w->kernel->name, "log_softmax");
    mock_operand rows = *out;
    int64_t n = w->dim < 0 ? 1 : in->size[w->dim], index[MOCK_DIMS] = {0}, none = 0;
    int64_t *along = w->dim < 0 ? &none : &index[w->dim];
    if (!out->at) return;
    if (w->dim >= 0) rows.size[w->dim] = 1;
    do {
        double largest = -(double)INFINITY, sum = 0;
        for (*along = 0; *along < n; ++*along)
            largest = fmax(largest, creal(mock_load(in->dtype, address(in, index)).c));
        for (*along = 0; *along < n; ++*along)
            sum += exp(creal(mock_load(in->dtype, address(in, index)).c) - largest);
        for (*along = 0; *along < n; ++*along) {
            double x = creal(mock_load(in->dtype, address(in, index)).c) - largest;
            put(out, index, (mock_number){0, logarithmic ? x - log(sum) : exp(x) / sum});
        }
        *along = 0;
    } while (next(index, &rows));
}

/* Index i of the rows and j of the columns, behind the batch dims that an operand shares with the
 * output, as address() wants it. */
static const char *entry(const mock_operand *o, const int64_t *batch, int batches, int64_t i,
                         int64_t j) {
    int64_t index[MOCK_DIMS];
    int own = o->ndim > 2 ? o->ndim - 2 : 0;
    for (int d = 0; d < own; d++) {
        int at = batches - own + d;
        index[d] = o->size[d] == 1 ? 0 : batch[at];
    }
    if (o->ndim == 1) index[0] = i + j; /* one of them is 0 */
    if (o->ndim > 1) {
        index[own] = i;
        index[own + 1] = j;
    }
    return address(o, index);
}

static void run_matmul(const mock_work *w) {
    const mock_operand *a = &w->in[0], *b = &w->in[1], *out = &w->out[0];
    int64_t index[MOCK_DIMS] = {0}, k = a->size[a->ndim - 1];
    int rows = a->ndim > 1, cols = b->ndim > 1, batches = out->ndim - rows - cols;
    if (!out->at) return;
    do {
        int64_t i = rows ? index[batches] : 0, j = cols ? index[batches + rows] : 0;
        mock_number sum = {0, 0};
        for (int64_t l = 0; l < k; l++) {
            mock_number pair[2] = {mock_load(a->dtype, entry(a, index, batches, i, l)),
                                   mock_load(b->dtype, entry(b, index, batches, l, j))};
            mock_number both_of[2] = {sum, {0, 0}};
            mul(&both_of[1], pair, w->compute);
            add(&sum, both_of, w->compute);
        }
        put(out, index, sum);
    } while (next(index, out));
}

/* ---- the table ------------------------------------------------------------------------------- */

#define ELEMENTS .run = run_elements
#define REDUCES  .run = run_reduction

static const mock_kernel kernels[] = {
    {"copy", ELEMENTS, .apply = same},
    {"fill", ELEMENTS, .apply = same},
    {"add", ELEMENTS, .apply = add},
    {"sub", ELEMENTS, .apply = sub},
    {"mul", ELEMENTS, .apply = mul},
    {"add_scaled", ELEMENTS, .apply = add_scaled},
    {"sub_scaled", ELEMENTS, .apply = sub_scaled},
    {"neg", ELEMENTS, .apply = neg},
    {"div", ELEMENTS, .apply = divide, .inexact = true},
    {"maximum", ELEMENTS, .apply = maximum},
    {"minimum", ELEMENTS, .apply = minimum},
    {"exp", ELEMENTS, .apply = exponential, .inexact = true},
    {"log", ELEMENTS, .apply = logarithm, .inexact = true},
    {"sqrt", ELEMENTS, .apply = root, .inexact = true},
    {"tanh", ELEMENTS, .apply = tangent, .inexact = true},
    {"sigmoid", ELEMENTS, .apply = sigmoid, .inexact = true},
    {"reciprocal", ELEMENTS, .apply = reciprocal, .inexact = true},
    {"relu", ELEMENTS, .apply = positive_part},
    {"where", ELEMENTS, .apply = choose},
    {"eq", ELEMENTS, .apply = equal},
    {"ne", ELEMENTS, .apply = unequal},
    {"lt", ELEMENTS, .apply = less},
    {"le", ELEMENTS, .apply = less_equal},
    {"gt", ELEMENTS, .apply = greater},
    {"ge", ELEMENTS, .apply = greater_equal},
    {"sum", REDUCES, .apply = add},
    {"mean", REDUCES, .apply = add, .inexact = true},
    {"prod", REDUCES, .apply = mul, .first = 1},
    {"all", REDUCES, .apply = both, .first = 1, .truth = true},
    {"any", REDUCES, .apply = either, .truth = true},
    {"softmax", .run = run_softmax, .inexact = true},
    {"log_softmax", .run = run_softmax, .inexact = true},
    {"matmul", .run = run_matmul},
};

const mock_kernel *mock_kernel_find(const char *name, nomen_dtype compute) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const mock_kernel *k = &kernels[i];
        if (strcmp(k->name, name) != 0) continue;
        if (k->inexact && mock_whole(compute)) return NULL;
        return k->run == run_softmax && mock_complex(compute) ? NULL : k;
    }
    return NULL;
}

void mock_kernel_run(const mock_work *w) { w->kernel->run(w); }
