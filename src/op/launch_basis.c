/* The basis in which the rows of a matrix are orthogonal, by rotations of two rows at a time
 * (Jacobi, one-sided): in it the nuclear norm is a sum of lengths. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <math.h>

enum { SWEEPS = 60 };
static const double NEAR = 1e-15; /* the cosine of what counts as a right angle */

typedef struct job {
    double *rows, *basis;
    int64_t n, m; /* rows and their elements */
    int parts;    /* 1, of complex numbers 2 */
} job;

/* The sum of conj(a) * b; complex numbers are pairs. */
static void product(const double *a, const double *b, int64_t m, int parts, double *re,
                    double *im) {
    double x = 0, y = 0;
    if (parts == 1) {
        for (int64_t i = 0; i < m; i++) x += a[i] * b[i];
    } else {
        for (int64_t i = 0; i < 2 * m; i += 2) {
            x += a[i] * b[i] + a[i + 1] * b[i + 1];
            y += a[i] * b[i + 1] - a[i + 1] * b[i];
        }
    }
    *re = x;
    *im = y;
}

/* a becomes c a - conj(s) b, b becomes s a + c b. */
static void rotate(double *a, double *b, int64_t m, int parts, double c, double re, double im) {
    if (parts == 1) {
        for (int64_t i = 0; i < m; i++) {
            double x = a[i], y = b[i];
            a[i] = c * x - re * y;
            b[i] = re * x + c * y;
        }
        return;
    }
    for (int64_t i = 0; i < 2 * m; i += 2) {
        double x = a[i], xi = a[i + 1], y = b[i], yi = b[i + 1];
        a[i] = c * x - (re * y + im * yi);
        a[i + 1] = c * xi - (re * yi - im * y);
        b[i] = re * x - im * xi + c * y;
        b[i + 1] = re * xi + im * x + c * yi;
    }
}

/* Turns rows p and q until they are orthogonal; false if they are. */
static bool turn(const job *j, double *rows, double *basis, int64_t p, int64_t q) {
    double *a = rows + p * j->m * j->parts, *b = rows + q * j->m * j->parts;
    double aa, bb, re, im, none;
    product(a, a, j->m, j->parts, &aa, &none);
    product(b, b, j->m, j->parts, &bb, &none);
    product(a, b, j->m, j->parts, &re, &im);
    double size = hypot(re, im);
    if (!(size > NEAR * sqrt(aa) * sqrt(bb))) return false;
    double zeta = (bb - aa) / (2 * size);
    double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)), c = 1 / hypot(1, t);
    double s = c * t / size;
    rotate(a, b, j->m, j->parts, c, s * re, s * im);
    rotate(basis + p * j->n * j->parts, basis + q * j->n * j->parts, j->n, j->parts, c, s * re,
           s * im);
    return true;
}

/* The squares of what is scaled neither overflow nor matter where they underflow. */
static double scale_of(const double *x, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) return NAN;
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void one_matrix(const job *j, int64_t at) {
    int64_t size = j->n * j->m * j->parts, square = j->n * j->n * j->parts;
    double *rows = j->rows + at * size, *basis = j->basis + at * square;
    double scale = scale_of(rows, size);
    for (int64_t i = 0; i < square; i++) basis[i] = isnan(scale) ? NAN : 0;
    if (isnan(scale)) return;
    for (int64_t i = 0; i < j->n; i++) basis[(i * j->n + i) * j->parts] = 1;
    if (scale == 0) return;
    int power;
    (void)frexp(scale, &power);
    for (int64_t i = 0; i < size; i++) rows[i] = ldexp(rows[i], -power);
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int64_t p = 0; p + 1 < j->n; p++) {
            if (nomen__is_stopped()) return;
            for (int64_t q = p + 1; q < j->n; q++) turned |= turn(j, rows, basis, p, q);
        }
    }
}

static void matrices(void *context, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at++) one_matrix(context, at);
}

nomen_status nomen__shape_orthogonal_basis(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (t->ndim < 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "orthogonal_basis: matrices are wanted, not %d dims",
                           t->ndim);
    c->ndim = t->ndim;
    for (int d = 0; d < t->ndim; d++) c->size[d] = t->size[d];
    c->size[t->ndim - 1] = t->size[t->ndim - 2];
    return NOMEN_OK;
}

nomen_status nomen__launch_orthogonal_basis(nomen__call *c) {
    nomen_tensor *in = c->in[0], *out = c->out[0];
    int64_t n = in->size[in->ndim - 2], m = in->size[in->ndim - 1];
    bool complex = nomen_dtype_is_complex((nomen_dtype)in->dtype);
    nomen_dtype wide = complex ? NOMEN_C128 : NOMEN_F64;
    if (!out->numel) return NOMEN_OK;
    nomen_tensor *basis = nomen__launch_output(out, wide, false);
    nomen_tensor *rows = nomen__tensor_empty_on(in->device, wide, in->ndim, in->size);
    nomen_status s = basis && rows ? nomen__copy_values(rows, in) : NOMEN_ERROR_MEMORY;
    if (s) {
        nomen__release(basis);
        nomen__release(rows);
        return s;
    }
    job j = {(double *)rows->data, (double *)basis->data, n, m, complex ? 2 : 1};
    int64_t grain = NOMEN__GRAIN / (n * n * m + 1);
    s = nomen__parallel_asking(out->numel / (n * n), grain > 1 ? grain : 1, matrices, &j);
    nomen__release(rows);
    if (!s) return nomen__launch_deliver(out, basis);
    nomen__release(basis);
    return s;
}
