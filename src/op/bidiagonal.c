/* The implicit QR algorithm for a bidiagonal matrix: sweeps of rotations from both sides (Golub,
 * Kahan, Reinsch; without a shift: Demmel, Kahan), from the end with the larger numbers to the
 * other one, until what is beside the diagonal is nothing.
 *
 * Limit: two square roots per row of a sweep, one after the other; some two sweeps per value. */
#include "op/bidiagonal.h"

#include <float.h>
#include <math.h>

enum { ROUNDS = 60 }; /* per value; two are usual */

typedef struct rotation {
    double c, s;
} rotation;

/* Turns (f, g) into (*length, 0). */
static rotation rotation_of(double f, double g, double *length) {
    const double size = sqrt(f * f + g * g);
    *length = size > 0 ? size : f;
    return size > 0 ? (rotation){f / size, g / size} : (rotation){1, 0};
}

/* A part of the matrix, upside down if step is -1: then what rotated columns rotates rows. */
typedef struct part {
    double *d, *e, *factors;
    int64_t count, step; /* rotations */
} part;

static void keep(const part *p, int64_t i, rotation columns, rotation rows) {
    const rotation r = p->step > 0 ? columns : rows;
    p->factors[2 * i] = r.c;
    p->factors[2 * i + 1] = r.s;
}

static void sweep_with_shift(const part *p, double shift) {
    double *d = p->d, *e = p->e;
    const double first = d[0];
    double f = (fabs(first) - shift) * (copysign(1, first) + shift / first), g = e[0], length;
    for (int64_t i = 0; i < p->count; i++, d += p->step, e += p->step) {
        double *const below = d + p->step;
        const rotation a = rotation_of(f, g, &length);
        if (i) e[-p->step] = length;
        f = a.c * *d + a.s * *e;
        *e = a.c * *e - a.s * *d;
        g = a.s * *below;
        *below *= a.c;
        const rotation b = rotation_of(f, g, d);
        f = b.c * *e + b.s * *below;
        *below = b.c * *below - b.s * *e;
        if (i + 1 < p->count) {
            g = b.s * e[p->step];
            e[p->step] *= b.c;
        }
        keep(p, i, a, b);
    }
    e[-p->step] = f;
}

/* Without a shift small values keep their digits, and a zero on the diagonal ends the part. */
static void sweep_without_shift(const part *p) {
    double *d = p->d, *e = p->e, length;
    rotation a = {1, 0}, b = {1, 0};
    for (int64_t i = 0; i < p->count; i++, d += p->step, e += p->step) {
        a = rotation_of(*d * a.c, *e, &length);
        if (i) e[-p->step] = b.s * length;
        b = rotation_of(b.c * length, d[p->step] * a.s, d);
        keep(p, i, a, b);
    }
    const double left = *d * a.c;
    *d = left * b.c;
    e[-p->step] = left * b.s;
}

/* The smaller singular value of two rows: with the larger one it has sum and difference in closed
 * form. */
static double shift_of(double f, double g, double h) {
    const double sum = hypot(fabs(f) + fabs(h), g), difference = hypot(fabs(f) - fabs(h), g);
    return sum > 0 ? 2 * fabs(f) * fabs(h) / (sum + difference) : 0;
}

/* One sweep over the rows from first to last. */
static void sweep(nomen__bidiagonal *b, int64_t first, int64_t last) {
    const double *d = b->diagonal, *e = b->beside;
    const bool down = fabs(d[first]) >= fabs(d[last]);
    const int64_t begin = down ? first : last, end = down ? last : first;
    nomen__sweep *s = &b->sweep[b->sweeps];
    s->factors = b->sweeps ? s[-1].factors + 2 * s[-1].count : b->factors;
    *s = (nomen__sweep){begin, last - first, down ? 1 : -1, s->factors};
    b->sweeps++;
    const part p = {b->diagonal + begin, b->beside + (down ? first : last - 1), s->factors,
                    s->count, s->step};
    double shift = shift_of(d[end - s->step], e[down ? last - 1 : first], d[end]);
    for (int64_t i = first; i <= last; i++)
        if (!(fabs(d[i]) > b->least)) shift = 0;
    const double share = shift / fabs(d[begin]);
    if (share * share > b->epsilon)
        sweep_with_shift(&p, shift);
    else
        sweep_without_shift(&p);
}

static bool is_nothing(nomen__bidiagonal *b, int64_t k) {
    const double *d = b->diagonal;
    const double size = fabs(b->beside[k]);
    if (size > b->least && size > b->epsilon * (fabs(d[k]) + fabs(d[k + 1]))) return false;
    b->beside[k] = 0;
    return true;
}

void nomen__bidiagonal_begin(nomen__bidiagonal *b, double *diagonal, double *beside,
                             double *factors, int64_t n, double epsilon) {
    double most = 0;
    for (int64_t k = 0; k < n; k++) most = fmax(most, fmax(fabs(diagonal[k]), fabs(beside[k])));
    *b = (nomen__bidiagonal){.diagonal = diagonal, .beside = beside, .factors = factors};
    b->epsilon = epsilon;
    b->least = fmax(epsilon / 4 * most, DBL_MIN);
    b->last = n - 1;
    b->rounds = ROUNDS * n;
}

bool nomen__bidiagonal_next(nomen__bidiagonal *b) {
    b->sweeps = 0;
    while (b->last > 0 && b->rounds > 0 && b->sweeps < NOMEN__SWEEPS) {
        if (is_nothing(b, b->last - 1)) {
            b->last--;
            continue;
        }
        int64_t first = b->last - 1;
        while (first > 0 && !is_nothing(b, first - 1)) first--;
        b->rounds--;
        sweep(b, first, b->last);
    }
    return b->sweeps > 0;
}
