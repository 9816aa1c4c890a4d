/* The sum of the singular values of matrices. Mirrors make a matrix bidiagonal (Golub, Kahan),
 * quotients and differences with shifts (Fernando, Parlett) find its values; no vectors are kept.
 * Complex matrices are real ones of twice the size, which have each value twice. Matrices of
 * float32 stay so in the mirrors, as in LAPACK: the rounding of the values themselves moves a
 * singular value as much.
 *
 * Limit: what is left of the matrix is read and written once for each of its rows. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 300 };   /* per value; four are usual */
enum { PART = 1 << 16 }; /* numbers of some rows that a thread takes, whose sums are kept apart */

typedef struct job {
    const nomen_tensor *in; /* complex128, float64 or float32, without holes */
    double *work, *out;
    int64_t n, m, each, room;   /* rows, not more than columns; numbers of work per matrix, and of
                                   those for the matrix itself */
    bool complex, single, tall; /* tall: the rows of work are the columns of the matrix */
    nomen__loop *product, *add, *mirror;
} job;

/* ---- bidiagonal ------------------------------------------------------------------------------ */

#define T       float
#define SFX     f32
#define COMPLEX false
#include "op/singular_mirrors.h"

#define T       double
#define SFX     f64
#define COMPLEX true
#include "op/singular_mirrors.h"

/* ---- diagonal -------------------------------------------------------------------------------- */

/* A bidiagonal matrix by its squares, q on the diagonal and e beside it, less a shift. A piece of
 * it ends where e has a sign: there is minus the shift of the piece that ends. */
typedef struct squares {
    double *q, *e, *next_q, *next_e;
    double least;     /* what is smaller beside the diagonal counts as nothing */
    double not_below; /* most likely no value is much smaller; 0 if that is not known */
} squares;

/* Quotients and differences: the same matrix less `shift` from first to last, in next_q and next_e.
 * Returns the last difference; *smallest: the smallest of the others. None is negative unless the
 * shift was larger than a value. */
static double shift_by(const squares *s, int64_t first, int64_t last, double shift,
                       double *smallest) {
    double d = s->q[first] - shift, least = d;
    for (int64_t i = first; i < last; i++) {
        const double q = d + s->e[i], quotient = s->q[i + 1] / q;
        least = d >= least ? least : d; /* NaN too */
        s->next_q[i] = q;
        s->next_e[i] = s->e[i] * quotient;
        d = d * quotient - shift;
    }
    s->next_q[last] = d;
    *smallest = least;
    return d;
}

/* Of three rows at least: nearly the smallest value, and most likely less: that of the last two,
 * less twice what the third is about to change of it; else a part of what is known. */
static double shift_of(const squares *s, int64_t first, int64_t last) {
    const double *q = s->q, *e = s->e;
    const double c = q[last] + e[last - 1], beside = q[last - 1] * e[last - 1];
    const double b = q[last - 1] + e[last - 2], half = (b - c) / 2;
    const double root = sqrt(half * half + beside);
    const double value = half > 0 ? c - beside / (half + root) : b - beside / (root - half);
    const double a = q[last - 2] + (last - 2 > first ? e[last - 3] : 0), gap = a - value;
    const double apart = (b - value) * (b - value) + beside;
    const double change = q[last - 2] * e[last - 2] * beside;
    if (gap > 0 && change < 0.1 * value * apart * gap) return value - 2 * change / (apart * gap);
    return fmin(s->not_below / 4, fmax(value, 0) / 2);
}

/* One round from first to last, of three at least; what was taken from all values. */
static double round_of(squares *s, int64_t first, int64_t last) {
    enum { TRIES = 3 };
    double shift = shift_of(s, first, last), smallest, d;
    for (int try = 0;; try++) {
        d = shift_by(s, first, last, shift, &smallest);
        if ((smallest >= 0 && d >= 0) || shift == 0) break;
        if (try == 0 && smallest >= 0 && shift + d > 0)
            shift += d * (1 + 4 * DBL_EPSILON); /* as Rutishauser saw, that is not too much */
        else
            shift = try < TRIES ? shift / 4 : 0;
    }
    const size_t bytes = sizeof(double) * (size_t)(last - first);
    memcpy(s->q + first, s->next_q + first, bytes + sizeof(double));
    memcpy(s->e + first, s->next_e + first, bytes);
    s->not_below = fmin(smallest, s->e[last - 1] > s->least ? d : smallest);
    return shift;
}

/* Is what is beside row k and the one before nothing, to values from `shift` on? */
static bool is_nothing(const squares *s, int64_t k, double shift) {
    const double e = s->e[k], little = DBL_EPSILON / 4 * shift;
    return !(e > s->least) || e <= DBL_EPSILON * DBL_EPSILON * (shift + s->q[k + 1]) ||
           (e <= little && s->q[k] * e <= little * little);
}

/* Values are found from the last one on, which should be the smallest. */
static void turn_over(double *x, int64_t first, int64_t last) {
    for (; first < last; first++, last--) {
        const double kept = x[first];
        x[first] = x[last];
        x[last] = kept;
    }
}

/* The sum of the one or two values at the end of the piece that ends at *last, which becomes the
 * end of what is left. */
static double values_of_end(squares *s, int64_t *last) {
    double shift = -s->e[*last];
    for (int round = 0;; round++) {
        int64_t first = *last;
        while (first > 0 && round < ROUNDS && !is_nothing(s, first - 1, shift)) first--;
        if (first > 0 && !signbit(s->e[first - 1])) s->e[first - 1] = -shift;
        if (first == *last) return sqrt(shift + s->q[(*last)--]);
        if (first + 1 == *last) {
            const double a = s->q[first], b = s->q[*last], beside = s->e[first];
            const double part = a - b + beside;
            const double large = (a + b + beside + sqrt(part * part + 4 * b * beside)) / 2;
            *last -= 2;
            s->not_below = 0;
            return sqrt(shift + large) + sqrt(shift + (large > 0 ? a / large * b : 0));
        }
        if (round == 0 && s->q[first] < s->q[*last]) {
            turn_over(s->q, first, *last);
            turn_over(s->e, first, *last - 1);
            s->not_below = 0;
        }
        shift += round_of(s, first, *last);
    }
}

static double sum_of_values(double *diagonal, double *beside, double *work, int64_t n) {
    double most = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(diagonal[i]) + fabs(beside[i]));
    const double least = most * (DBL_EPSILON / 2);
    squares s = {diagonal, beside, work, work + n, least * least, 0};
    for (int64_t i = 0; i < n; i++) diagonal[i] *= diagonal[i], beside[i] *= beside[i];
    beside[n - 1] = -0.0;
    for (int64_t last = n - 1; last >= 0;) sum += values_of_end(&s, &last);
    return sum;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void matrices(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    for (int64_t at = begin; at < end && !nomen__is_stopped(); at++) {
        double *matrix = j->work + at * j->each, *diagonal = matrix + j->room;
        double *beside = diagonal + j->n, *work = beside + j->n;
        float *short_matrix = (float *)(void *)matrix, *short_work = (float *)(void *)work;
        const double scale =
            j->single ? take_in_f32(j, at, short_matrix) : take_in_f64(j, at, matrix);
        j->out[at] = scale;
        if (isnan(scale)) continue;
        if (!(j->single ? bidiagonal_f32(j, short_matrix, diagonal, beside, short_work)
                        : bidiagonal_f64(j, matrix, diagonal, beside, work)))
            return;
        const double sum = sum_of_values(diagonal, beside, work, j->n);
        j->out[at] = scale * (j->complex ? sum / 2 : sum);
    }
}

nomen_status nomen__shape_singular_sum(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (t->ndim < 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "singular_sum: matrices are wanted, not %d dims",
                           t->ndim);
    c->ndim = t->ndim - 2;
    for (int d = 0; d < c->ndim; d++) c->size[d] = t->size[d];
    return NOMEN_OK;
}

nomen_status nomen__launch_singular_sum(nomen__call *c) {
    nomen_tensor *in = c->in[0], *out = c->out[0], *turned = NULL, *work = NULL;
    int64_t n = in->size[in->ndim - 2], m = in->size[in->ndim - 1], count = out->numel;
    if (!count) return NOMEN_OK;
    if (!n || !m) return nomen__fill_values(out, &(nomen_number){NOMEN_NUMBER_INT, 0, 0, 0});
    bool complex = nomen_dtype_is_complex((nomen_dtype)in->dtype);
    const bool single = !complex && in->dtype != NOMEN_F64;
    const nomen_dtype real = single ? NOMEN_F32 : NOMEN_F64, wide = complex ? NOMEN_C128 : real;
    job j = {.n = n < m ? n : m, .m = n < m ? m : n, .complex = complex, .tall = n > m};
    j.single = single;
    if (complex) j.n *= 2, j.m *= 2;
    j.room = single ? (j.n * j.m + 1) / 2 : j.n * j.m;
    j.each = j.room + 2 * j.n + 4 * (j.m + 1) + (j.n * j.m / PART + 2) * j.m;
    int64_t all = count * j.each;
    turned = nomen__tensor_empty_on(in->device, wide, in->ndim, in->size);
    work = nomen__tensor_empty(NOMEN_F64, 1, &all);
    nomen_tensor *sums = nomen__tensor_empty_on(out->device, NOMEN_F64, out->ndim, out->size);
    nomen_status s = turned && work && sums ? nomen__copy_values(turned, in) : NOMEN_ERROR_MEMORY;
    if (!s) {
        j.in = turned;
        j.work = (double *)(void *)work->data;
        j.out = (double *)(void *)sums->data;
        j.product = nomen__kernel_find("rows_product", real)->loop;
        j.add = nomen__kernel_find("add_scaled", real)->loop;
        j.mirror = nomen__kernel_find("row_mirror", real)->loop;
        int64_t grain = NOMEN__GRAIN / (n * n * m + 1);
        s = nomen__parallel_asking(count, grain > 1 ? grain : 1, matrices, &j);
    }
    if (!s) s = nomen__copy_values(out, sums);
    nomen__release(turned);
    nomen__release(work);
    nomen__release(sums);
    return s;
}
