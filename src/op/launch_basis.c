/* The basis in which the rows of a matrix are orthogonal, for the gradient of the nuclear norm. By
 * rotations of two rows at a time (Jacobi, one-sided), and for real matrices of many rows by mirrors
 * (launch_singular.c): rotations of long rows take n^3 steps a sweep. */
#include "op/bidiagonal.h"
#include "op/launch.h"
#include "op/singular.h"
#include "op/rows.gen.h"

#include <math.h>

enum { SWEEPS = 60 };
static const double NEAR = 1e-15; /* the cosine of what counts as a right angle */
static const double FAR = 0x1p60; /* beside its square 1 is nothing */

typedef struct job {
    double *rows, *basis, *squares; /* squares: those of the lengths of the rows */
    int64_t n, m;                   /* rows and their elements */
    int parts;                      /* 1, of complex numbers 2 */
    nomen__loop *product, *rotate;
} job;

/* The sum of conj(a) * b over n elements: its real and its imaginary part. */
static void product(const job *j, double *a, double *b, int64_t n, double *sum) {
    j->product((char *const[3]){(char *)sum, (char *)a, (char *)b}, NULL, n);
}

static double square_of(const job *j, double *row, int64_t n) {
    double sum[2];
    product(j, row, row, n, sum);
    return sum[0];
}

/* What is left of a square after a subtraction may have lost its digits. */
enum { LOSES = 10 };

/* Turns rows p and q until they are orthogonal; false if they are. */
static bool turn(const job *j, double *rows, double *basis, double *squares, int64_t p, int64_t q) {
    double *a = rows + p * j->m * j->parts, *b = rows + q * j->m * j->parts;
    const double aa = squares[p], bb = squares[q];
    double ab[2] = {0, 0};
    product(j, a, b, j->m, ab);
    const double size = j->parts == 1 ? fabs(ab[0]) : hypot(ab[0], ab[1]);
    if (!(size > NEAR * sqrt(aa) * sqrt(bb))) return false;
    const double zeta = (bb - aa) / (2 * size), far = fabs(zeta);
    const double root = far < FAR ? sqrt(1 + zeta * zeta) : far; /* hypot is slow */
    const double t = copysign(1, zeta) / (far + root), c = 1 / sqrt(1 + t * t);
    const double s = c * t / size;
    double factors[3] = {c, s * ab[0], s * ab[1]};
    j->rotate((char *const[3]){(char *)a, (char *)b, (char *)factors}, NULL, j->m);
    a = basis + p * j->n * j->parts;
    b = basis + q * j->n * j->parts;
    j->rotate((char *const[3]){(char *)a, (char *)b, (char *)factors}, NULL, j->n);
    squares[p] = aa - t * size;
    squares[q] = bb + t * size;
    if (!(squares[p] * LOSES > aa)) squares[p] = square_of(j, rows + p * j->m * j->parts, j->m);
    if (!(squares[q] * LOSES > bb)) squares[q] = square_of(j, rows + q * j->m * j->parts, j->m);
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

/* What rounding did to the lengths of the vectors of the basis. */
static void normalize(const job *j, double *basis) {
    for (int64_t i = 0; i < j->n; i++, basis += j->n * j->parts) {
        double length = sqrt(square_of(j, basis, j->n));
        for (int64_t k = 0; k < j->n * j->parts; k++) basis[k] /= length;
    }
}

static void one_matrix(const job *j, int64_t at) {
    int64_t size = j->n * j->m * j->parts, square = j->n * j->n * j->parts;
    double *rows = j->rows + at * size, *basis = j->basis + at * square;
    double *squares = j->squares + at * j->n;
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
        for (int64_t p = 0; p < j->n; p++)
            squares[p] = square_of(j, rows + p * j->m * j->parts, j->m);
        for (int64_t p = 0; p + 1 < j->n; p++) {
            if (nomen__is_stopped()) return;
            for (int64_t q = p + 1; q < j->n; q++) turned |= turn(j, rows, basis, squares, p, q);
        }
    }
    normalize(j, basis);
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

static nomen_status basis_by_rotations(nomen_tensor *in, nomen_tensor *basis) {
    const int64_t n = in->size[in->ndim - 2], m = in->size[in->ndim - 1], count = in->numel / m;
    const bool complex = nomen_dtype_is_complex((nomen_dtype)in->dtype);
    const nomen_dtype wide = complex ? NOMEN_C128 : NOMEN_F64;
    nomen_tensor *rows = nomen__tensor_empty_on(in->device, wide, in->ndim, in->size);
    nomen_tensor *squares = nomen__tensor_empty(NOMEN_F64, 1, &count);
    nomen_status s = rows && squares ? nomen__copy_values(rows, in) : NOMEN_ERROR_MEMORY;
    if (!s) {
        job j = {(double *)(void *)rows->data,
                 (double *)(void *)basis->data,
                 (double *)(void *)squares->data,
                 n,
                 m,
                 complex ? 2 : 1,
                 nomen__kernel_find("rows_product", wide)->loop,
                 nomen__kernel_find("rows_rotate", wide)->loop};
        const int64_t grain = NOMEN__GRAIN / (n * n * m + 1);
        s = nomen__parallel_asking(count / n, grain > 1 ? grain : 1, matrices, &j);
    }
    nomen__release(squares);
    nomen__release(rows);
    return s;
}

nomen_status nomen__launch_orthogonal_basis(nomen__call *c) {
    nomen_tensor *in = c->in[0], *out = c->out[0];
    const nomen_dtype own = (nomen_dtype)in->dtype;
    if (!out->numel) return NOMEN_OK;
    const bool complex = nomen_dtype_is_complex(own);
    const bool mirrored = !complex && in->size[in->ndim - 2] >= NOMEN__MIRRORED_ROWS;
    const nomen_dtype wide = complex ? NOMEN_C128 : mirrored && own != NOMEN_F64 ? NOMEN_F32 : NOMEN_F64;
    nomen_tensor *basis = nomen__launch_output(out, wide, false);
    nomen_tensor *from = in->flags & NOMEN__CONTIGUOUS ? nomen__launch_input(in, mirrored ? wide : own)
                                                       : nomen__launch_converted(in, mirrored ? wide : own);
    nomen_status s = !basis || !from ? NOMEN_ERROR_MEMORY
                     : mirrored      ? nomen__basis_by_mirrors(from, basis)
                                     : basis_by_rotations(from, basis);
    nomen__launch_done(in, from);
    return nomen__launch_end(out, basis, s);
}
