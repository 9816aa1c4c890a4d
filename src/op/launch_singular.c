/* The sum of the singular values of matrices. Reflections make a matrix bidiagonal (Golub, Kahan),
 * rotations take what is beside the diagonal away (Golub, Reinsch); no vectors are kept. Complex
 * matrices are real ones of twice the size, which have each value twice. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <float.h>
#include <math.h>

enum { ROUNDS = 60 }; /* per value; two or three are usual */

typedef struct job {
    const nomen_tensor *in; /* complex128 or float64, without holes */
    double *work, *out;
    int64_t n, m, each; /* rows, not more than columns; numbers of work per matrix */
    bool complex;
    nomen__loop *product, *add;
} job;

/* ---- bidiagonal ------------------------------------------------------------------------------ */

static double product(const job *j, double *a, double *b, int64_t n) {
    double sum;
    j->product((char *const[3]){(char *)&sum, (char *)a, (char *)b}, NULL, n);
    return sum;
}

/* a += factor * b */
static void add(const job *j, double *a, double factor, double *b, int64_t n) {
    char *const ptr[4] = {(char *)a, (char *)a, (char *)b, (char *)&factor};
    j->add(ptr, (const int64_t[4]){8, 8, 8, 0}, n);
}

/* x becomes the normal of the mirror that turns it into its first axis. Returns what the first
 * element becomes; twice: 2 / normal^2, 0 if there is nothing to do. */
static double mirror(const job *j, double *x, int64_t n, double *twice) {
    const double rest = n > 1 ? product(j, x + 1, x + 1, n - 1) : 0, first = x[0];
    *twice = 0;
    if (rest == 0) return first;
    const double length = sqrt(first * first + rest), becomes = first > 0 ? -length : length;
    x[0] = first - becomes;
    *twice = 2 / (x[0] * x[0] + rest);
    return becomes;
}

/* Diagonal and what is beside it, beside[0] being 0. `at` shares its memory with nobody; column,
 * sums: n and m numbers. */
static void bidiagonal(const job *j, double *at, double *diagonal, double *beside, double *column,
                       double *sums) {
    const int64_t n = j->n, m = j->m;
    beside[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        double *row = at + k * m + k, twice, other;
        const int64_t wide = m - k, left = n - k - 1;
        diagonal[k] = mirror(j, row, wide, &twice);
        for (int64_t r = 0; r < left; r++) {
            double *next = row + (r + 1) * m;
            if (twice != 0) add(j, next, -twice * product(j, next, row, wide), row, wide);
            column[r] = next[0];
        }
        if (!left) break;
        beside[k + 1] = mirror(j, column, left, &other);
        if (other == 0) continue;
        for (int64_t i = 1; i < wide; i++) sums[i] = 0;
        for (int64_t r = 0; r < left; r++)
            add(j, sums + 1, column[r], row + (r + 1) * m + 1, wide - 1);
        for (int64_t r = 0; r < left; r++)
            add(j, row + (r + 1) * m + 1, -other * column[r], sums + 1, wide - 1);
    }
}

/* ---- diagonal -------------------------------------------------------------------------------- */

typedef struct turn {
    double cosine, sine, length;
} turn;

/* The rotation that turns (x, y) into the first axis. Squares fit: matrices are scaled. */
static inline turn turn_of(double x, double y) {
    const double length = sqrt(x * x + y * y);
    if (length == 0) return (turn){1, 0, 0};
    return (turn){x / length, y / length, length};
}

/* A zero on the diagonal before `first`: what is beside it moves out, up to `last`. */
static void move_out(double *diagonal, double *beside, int64_t first, int64_t last, double small) {
    double cosine = 0, sine = 1;
    for (int64_t i = first; i <= last; i++) {
        const double moving = sine * beside[i];
        beside[i] *= cosine;
        if (fabs(moving) <= small) return;
        const turn t = turn_of(diagonal[i], moving);
        diagonal[i] = t.length;
        cosine = t.cosine;
        sine = -t.sine;
    }
}

/* The element that a rotation by the shift begins with: an eigenvalue of the last two by two of the
 * squares, as far as it is known. */
static double shifted(const double *diagonal, const double *beside, int64_t first, int64_t last) {
    const double x = diagonal[first], y = diagonal[last - 1], z = diagonal[last];
    const double g = beside[last - 1], h = beside[last];
    const double f = ((y - z) * (y + z) + (g - h) * (g + h)) / (2 * h * y);
    const double far = f + copysign(fabs(f) < 0x1p500 ? sqrt(f * f + 1) : fabs(f), f);
    return ((x - z) * (x + z) + h * (y / far - h)) / x;
}

/* One round: a rotation from either side after another, down the diagonal. */
static void chase(double *diagonal, double *beside, int64_t first, int64_t last) {
    double f = shifted(diagonal, beside, first, last), x = diagonal[first];
    double cosine = 1, sine = 1;
    for (int64_t i = first; i < last; i++) {
        double g = cosine * beside[i + 1], h = sine * beside[i + 1], y = diagonal[i + 1];
        turn t = turn_of(f, h);
        if (i > first) beside[i] = t.length;
        f = x * t.cosine + g * t.sine;
        g = g * t.cosine - x * t.sine;
        h = y * t.sine;
        y *= t.cosine;
        t = turn_of(f, h);
        diagonal[i] = t.length;
        cosine = t.cosine;
        sine = t.sine;
        f = cosine * g + sine * y;
        x = cosine * y - sine * g;
    }
    beside[first] = 0;
    beside[last] = f;
    diagonal[last] = x;
}

static double sum_of_values(double *diagonal, double *beside, int64_t n) {
    double most = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(diagonal[i]) + fabs(beside[i]));
    const double small = most * (DBL_EPSILON / 2);
    for (int64_t last = n - 1; last >= 0; last--) {
        for (int round = 0; round < ROUNDS; round++) {
            int64_t first = last;
            while (fabs(beside[first]) > small && fabs(diagonal[first - 1]) > small) first--;
            if (fabs(beside[first]) > small) move_out(diagonal, beside, first, last, small);
            if (first == last) break;
            chase(diagonal, beside, first, last);
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) sum += fabs(diagonal[i]);
    return sum;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Scaled by a power of 2, and complex ones with their conjugates, as real numbers; what the scale
 * was, NaN if not all are finite. */
static double take_in(const job *j, int64_t at, double *to) {
    const int parts = j->complex ? 2 : 1;
    const int64_t n = j->n / parts, m = j->m / parts, count = n * m * parts;
    const double *from = (const double *)(const void *)j->in->data + at * count;
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(from[i])) return NAN;
        most = fmax(most, fabs(from[i]));
    }
    int power;
    (void)frexp(most, &power);
    for (int64_t i = 0; i < n * m; i++) {
        const int64_t r = i / m, c = i % m;
        const double re = ldexp(from[i * parts], -power);
        to[r * j->m + c] = re;
        if (!j->complex) continue;
        const double im = ldexp(from[i * 2 + 1], -power);
        to[(r + n) * j->m + c + m] = re;
        to[(r + n) * j->m + c] = im;
        to[r * j->m + c + m] = -im;
    }
    return ldexp(1, power);
}

static void matrices(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    for (int64_t at = begin; at < end && !nomen__is_stopped(); at++) {
        double *work = j->work + at * j->each, *diagonal = work + j->n * j->m;
        double *beside = diagonal + j->n, *column = beside + j->n, *sums = column + j->n;
        const double scale = take_in(j, at, work);
        j->out[at] = scale;
        if (isnan(scale)) continue;
        bidiagonal(j, work, diagonal, beside, column, sums);
        const double sum = sum_of_values(diagonal, beside, j->n);
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
    nomen_dtype wide = complex ? NOMEN_C128 : NOMEN_F64;
    job j = {.n = complex ? 2 * n : n, .m = complex ? 2 * m : m, .complex = complex};
    j.each = j.n * j.m + 3 * j.n + j.m;
    int64_t all = count * j.each;
    turned = nomen__tensor_empty_on(in->device, wide, in->ndim, in->size);
    work = nomen__tensor_empty(NOMEN_F64, 1, &all);
    nomen_tensor *sums = nomen__tensor_empty_on(out->device, NOMEN_F64, out->ndim, out->size);
    nomen_status s = turned && work && sums ? nomen__copy_values(turned, in) : NOMEN_ERROR_MEMORY;
    if (!s) {
        j.in = turned;
        j.work = (double *)(void *)work->data;
        j.out = (double *)(void *)sums->data;
        j.product = nomen__kernel_find("rows_product", NOMEN_F64)->loop;
        j.add = nomen__kernel_find("add_scaled", NOMEN_F64)->loop;
        int64_t grain = NOMEN__GRAIN / (n * n * m + 1);
        s = nomen__parallel_asking(count, grain > 1 ? grain : 1, matrices, &j);
    }
    if (!s) s = nomen__copy_values(out, sums);
    nomen__release(turned);
    nomen__release(work);
    nomen__release(sums);
    return s;
}
