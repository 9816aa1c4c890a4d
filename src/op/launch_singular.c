/* The sum of the singular values of matrices, and the basis in which their rows are orthogonal.
 * Mirrors make a matrix bidiagonal (Golub, Kahan); quotients and differences with shifts (Fernando,
 * Parlett) find its values, no vectors are kept. For the basis those from the left are, and turned
 * by what makes it diagonal (bidiagonal.h).
 * Matrices of float32 and complex64 stay so in the mirrors, as in LAPACK: the rounding of the
 * values themselves moves a singular value as much. Of far more columns than rows a triangle is
 * made first; complex ones of such sizes become real ones of twice the size, which have each value
 * twice.
 *
 * Limit: what is left of the matrix is read and written once for each of its rows; of the triangle
 * before, products of matrices. */
#include "op/bidiagonal.h"
#include "op/launch.h"
#include "op/rows.gen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 300 };   /* per value; four are usual */
enum { PART = 1 << 16 }; /* numbers that a thread takes, whose sums or largest are kept apart */
enum { PARTS = 64 };     /* of the numbers of a matrix, to find the largest */
enum { ROTATED = 256 };  /* bytes of a row that are rotated at a time */
/* Matrices that may be worked on at the same time, at least and at most, and bytes of their work.
 */
enum { FEW_WORKS = 16, WORKS = 256, WORK_BYTES = 1 << 26 };
/* Of a triangle: rows whose mirrors are one, those that go one after another, rows that a thread
 * takes, columns of them at a time, and how large what is beside it should be at least and most. */
enum { PANEL = 64, FEW_ROWS = 8, STRIP = 128, ACROSS = 256, LEAST_SIDE = 256, CHUNK = 1 << 20 };

typedef struct job {
    const nomen_tensor *in; /* complex128, complex64, float64 or float32, contiguous */
    double *work, *out;
    char *basis;               /* NULL: the sum is wanted */
    int64_t n, m, columns;     /* rows; columns of what becomes bidiagonal, and before it; n is not
                                  more than the others. Of doubled matrices twice as many */
    int64_t chunk, strip;      /* columns that become a triangle at a time, 0: it is none; bytes of
                                  work of some rows then, and for the basis */
    int64_t grain, each, room; /* matrices that share work; numbers of it, and of those for the
                                  matrix itself */
    int64_t beside, normals;   /* numbers of what is beside it, and of the normals */
    bool complex, doubled;     /* complex numbers are worked on as such, or as real ones */
    bool single, tall;         /* tall: the rows of work are the columns of the matrix */
    nomen__loop *product, *add, *times, *mirror, *rotations;
    const nomen__reducer *most_of;
    const nomen__gemm *gemm;
} job;

/* What one matrix at a time needs; normals, strips and twices to left: NULL but for the basis, see
 * singular_stages.h, singular_basis.h and bidiagonal.h. */
typedef struct room {
    void *matrix, *more, *normals, *strips;
    double *diagonal, *beside, *twices, *factors, *left;
} room;

/* Rows that may be worked on at the same time: a panel, and the strips below. */
static int64_t strips_of(const job *j) { return (j->m - 1) / STRIP + 2; }

/* ---- bidiagonal ------------------------------------------------------------------------------ */

#define T       float
#define SFX     f32
#define COMPLEX false
#define EPSILON FLT_EPSILON
#define LEAST   (FLT_MIN / FLT_EPSILON)
#include "op/singular_mirrors.h"

#define T       double
#define SFX     f64
#define COMPLEX true
#define EPSILON DBL_EPSILON
#define LEAST   (DBL_MIN / DBL_EPSILON)
#include "op/singular_mirrors.h"

#define R         float
#define SFX       c64
#define PARTS_SFX f32
#define EPSILON   FLT_EPSILON
#define LEAST     (FLT_MIN / FLT_EPSILON)
#include "op/singular_complex.h"

#define R         double
#define SFX       c128
#define PARTS_SFX f64
#define EPSILON   DBL_EPSILON
#define LEAST     (DBL_MIN / DBL_EPSILON)
#include "op/singular_complex.h"

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

/* Where the next line of the cache begins. */
static double *lines_at(double *at) { return (double *)(((uintptr_t)at + 63) / 64 * 64); }

static room room_at(const job *j, int64_t k) {
    double *at = j->work + k * j->each;
    room r = {.matrix = at, .diagonal = at + j->room};
    r.beside = r.diagonal + j->n;
    r.more = r.beside + j->n;
    if (!j->basis) return r;
    r.twices = r.diagonal + j->beside;
    r.factors = r.twices + j->n;
    r.left = r.factors + NOMEN__SWEEPS * 2 * j->n;
    r.normals = lines_at(r.left + (j->complex ? 2 * (j->n + 1) : 0));
    r.strips = lines_at((double *)r.normals + j->normals);
    return r;
}

static void matrices(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const room r = room_at(j, begin / j->grain);
    for (int64_t at = begin; at < end && !nomen__is_stopped(); at++) {
        double scale;
        const bool whole = j->complex  ? (j->single ? diagonals_of_c64(j, at, &r, &scale)
                                                    : diagonals_of_c128(j, at, &r, &scale))
                           : j->single ? diagonals_of_f32(j, at, &r, &scale)
                                       : diagonals_of_f64(j, at, &r, &scale);
        if (j->basis) {
            const bool finite = !isnan(scale);
            if (!whole || !(j->complex  ? (j->single ? basis_of_c64(j, at, &r, finite)
                                                     : basis_of_c128(j, at, &r, finite))
                            : j->single ? basis_of_f32(j, at, &r, finite)
                                        : basis_of_f64(j, at, &r, finite)))
                return;
            continue;
        }
        j->out[at] = scale;
        if (!whole) return;
        if (isnan(scale)) continue;
        const double sum = sum_of_values(r.diagonal, r.beside, r.more, j->n);
        j->out[at] = scale * (j->doubled ? sum / 2 : sum);
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

/* Bytes of a number. */
static int64_t item_of(const job *j) {
    return (int64_t)(j->single ? sizeof(float) : sizeof(double)) * (1 + j->complex);
}

/* Is a triangle made first? */
static bool is_long(int64_t n, int64_t columns) {
    return n >= FEW_ROWS && columns >= n + n / 2 && columns >= CHUNK / 16 / n;
}

/* *most: at least what products need for `some` mirrors of `wide` columns and r rows. */
static void ask_scratch(const job *j, int64_t r, int64_t some, int64_t wide, size_t *most) {
    const int64_t sizes[][2] = {
        {some, wide}, {some, some}, {some, r}, {ACROSS, some}, {wide % ACROSS, some}};
    for (int i = 0; i < 5; i++) {
        const size_t bytes = j->gemm->scratch(r, sizes[i][0], sizes[i][1]);
        *most = bytes > *most ? bytes : *most;
    }
}

static int64_t strip_of(const job *j, size_t scratch) {
    const size_t strip = (size_t)item_of(j) * STRIP * (PANEL + PANEL + ACROSS) + scratch;
    return (int64_t)((strip + 63) / 64 * 64);
}

/* How many columns at a time become one. */
static void plan_triangle(job *j) {
    const int64_t padded = (j->n + FEW_ROWS - 1) / FEW_ROWS * FEW_ROWS;
    j->m = j->columns;
    j->chunk = 0;
    if (j->complex || !is_long(j->n, j->columns)) return;
    const int64_t most = CHUNK / padded > LEAST_SIDE ? CHUNK / padded : LEAST_SIDE;
    const int64_t chunks = (j->columns - 1) / most + 1;
    j->m = padded;
    j->chunk = ((j->columns - 1) / chunks / 16 + 1) * 16;
    size_t scratch = 0;
    for (int64_t r = FEW_ROWS; r <= STRIP && r <= padded; r += FEW_ROWS)
        for (int64_t some = FEW_ROWS; some <= PANEL; some += FEW_ROWS)
            ask_scratch(j, r, some, j->chunk, &scratch);
    j->strip = strip_of(j, scratch);
}

/* Numbers behind those that the sum needs. */
static int64_t plan_basis(job *j) {
    const int64_t item = item_of(j), n = j->n, across = ROTATED / item;
    size_t scratch = 0;
    for (int64_t left = n - 1; left > 0; left -= PANEL) {
        const int64_t some = left < PANEL ? left : PANEL;
        const int64_t rows[] = {some, left < STRIP ? left : STRIP, left % STRIP};
        for (int i = 0; i < 3; i++) ask_scratch(j, rows[i], some, left, &scratch);
    }
    const int64_t strip = strip_of(j, scratch), lines = 64 / (int64_t)sizeof(double);
    j->strip = strip > j->strip ? strip : j->strip;
    j->normals = (n * ((n - 1) / across + 1) * ROTATED) / (int64_t)sizeof(double);
    const int64_t panels = (2 * PANEL + (j->complex ? n : 0)) * PANEL * item;
    const int64_t strips = panels + ((n - 1) / STRIP + 1) * j->strip;
    return n + NOMEN__SWEEPS * 2 * n + 2 * (n + 1) + lines + j->normals + lines +
           strips / (int64_t)sizeof(double);
}

/* How much work a matrix needs; its sizes are known to fit. */
static void plan_work(job *j) {
    const int64_t basis = j->basis ? plan_basis(j) : 0;
    const int64_t item = item_of(j), n = j->n, m = j->m;
    const int64_t numbers = j->chunk ? m * m : n * m, parts = n * m / PART + 2;
    const int64_t mirrors = (4 * (m + 1) + (parts < n ? parts : n) * m) * item;
    const int64_t triangle =
        j->chunk ? 64 + strips_of(j) * j->strip + (2 * PANEL * PANEL + m * j->chunk) * item : 0;
    const int64_t beside = mirrors > triangle ? mirrors : triangle;
    j->room = (numbers * item + 7) / 8;
    j->beside = 2 * n + (beside + 7) / 8;
    j->each = j->room + j->beside + basis;
}

static nomen_status work_on(job *j, int64_t count) {
    const nomen_dtype real = j->single ? NOMEN_F32 : NOMEN_F64;
    const nomen_dtype own = !j->complex ? real : j->single ? NOMEN_C64 : NOMEN_C128;
    j->product = nomen__kernel_find("rows_product", real)->loop;
    j->add = nomen__kernel_find("add_scaled", own)->loop;
    j->times = nomen__kernel_find("mul", real)->loop;
    j->mirror = nomen__kernel_find("row_mirror", own)->loop;
    j->rotations = nomen__kernel_find("rows_rotations", real)->loop;
    j->most_of = nomen__kernel_find("norm_max", real)->reducer;
    j->gemm = nomen__kernel_find("matmul", own)->gemm;
    plan_triangle(j);
    plan_work(j);
    j->grain = NOMEN__GRAIN / (j->n * j->n * j->columns + 1) + 1;
    int64_t works = WORK_BYTES / (j->each * (int64_t)sizeof(double));
    works = works < FEW_WORKS ? FEW_WORKS : works < WORKS ? works : WORKS;
    if (j->grain < (count - 1) / works + 1) j->grain = (count - 1) / works + 1;
    const int64_t all = ((count - 1) / j->grain + 1) * j->each;
    nomen_tensor *work = nomen__tensor_empty(NOMEN_F64, 1, &all);
    if (!work) return NOMEN_ERROR_MEMORY;
    j->work = (double *)(void *)work->data;
    nomen_status s = nomen__parallel_asking(count, j->grain, matrices, j);
    nomen__release(work);
    return s;
}

/* Are the columns of the matrices one after another, as rows are of a contiguous tensor? */
static bool is_turned(const nomen_tensor *t) {
    int64_t expected = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        const int at = d == t->ndim - 1 ? d - 1 : d == t->ndim - 2 ? d + 1 : d;
        if (t->size[at] != 1 && t->stride[at] != expected) return false;
        expected *= t->size[at];
    }
    return true;
}

static nomen_dtype wide_of(bool complex, bool single) {
    if (complex) return single ? NOMEN_C64 : NOMEN_C128;
    return single ? NOMEN_F32 : NOMEN_F64;
}

nomen_status nomen__launch_singular_sum(nomen__call *c) {
    nomen_tensor *t = c->in[0], *out = c->out[0];
    const int64_t n = t->size[t->ndim - 2], m = t->size[t->ndim - 1], count = out->numel;
    if (!count) return NOMEN_OK;
    if (!n || !m) return nomen__fill_values(out, &(nomen_number){NOMEN_NUMBER_INT, 0, 0, 0});
    const bool complex = nomen_dtype_is_complex((nomen_dtype)t->dtype);
    const int64_t rows = n < m ? n : m, columns = n < m ? m : n;
    const bool doubled = complex && is_long(2 * rows, 2 * columns);
    const bool single = !doubled && t->dtype != NOMEN_F64 && t->dtype != NOMEN_C128;
    const nomen_dtype wide = wide_of(complex, single);
    const bool turned = t->dtype == wide && is_turned(t);
    nomen_tensor *in = turned || (t->flags & NOMEN__CONTIGUOUS) ? nomen__launch_input(t, wide)
                                                                : nomen__launch_converted(t, wide);
    nomen_tensor *sums = nomen__tensor_empty_on(out->device, NOMEN_F64, out->ndim, out->size);
    job j = {.in = in, .single = single, .tall = (n > m) != turned};
    j.complex = complex && !doubled;
    j.doubled = doubled;
    j.n = rows * (doubled ? 2 : 1);
    j.columns = columns * (doubled ? 2 : 1);
    if (sums) j.out = (double *)(void *)sums->data;
    nomen_status s = in && sums ? work_on(&j, count) : NOMEN_ERROR_MEMORY;
    if (!s) s = nomen__copy_values(out, sums);
    nomen__launch_done(t, in);
    nomen__release(sums);
    return s;
}

nomen_status nomen__shape_orthogonal_basis(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (t->ndim < 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "orthogonal_basis: matrices are wanted, not %d dims",
                           t->ndim);
    if (t->size[t->ndim - 2] > t->size[t->ndim - 1])
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "orthogonal_basis: more rows than columns are never orthogonal");
    c->ndim = t->ndim;
    for (int d = 0; d < t->ndim; d++) c->size[d] = t->size[d];
    c->size[t->ndim - 1] = t->size[t->ndim - 2];
    return NOMEN_OK;
}

nomen_status nomen__launch_orthogonal_basis(nomen__call *c) {
    nomen_tensor *t = c->in[0], *out = c->out[0];
    const bool complex = nomen_dtype_is_complex((nomen_dtype)t->dtype);
    const bool single = t->dtype != NOMEN_F64 && t->dtype != NOMEN_C128;
    const nomen_dtype wide = wide_of(complex, single);
    if (!out->numel) return NOMEN_OK;
    nomen_tensor *basis = nomen__launch_output(out, wide, false);
    nomen_tensor *in = t->flags & NOMEN__CONTIGUOUS ? nomen__launch_input(t, wide)
                                                    : nomen__launch_converted(t, wide);
    job j = {.in = in, .single = single, .complex = complex};
    j.n = t->size[t->ndim - 2];
    j.columns = t->size[t->ndim - 1];
    if (basis) j.basis = basis->data;
    nomen_status s = in && basis ? work_on(&j, out->numel / (j.n * j.n)) : NOMEN_ERROR_MEMORY;
    nomen__launch_done(t, in);
    return nomen__launch_end(out, basis, s);
}
