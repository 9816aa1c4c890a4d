/* Include-template: a complex matrix as it is taken in, and in mirrors from both sides until it is
 * bidiagonal, but for factors of size 1, of which singular values know nothing, and bases all.
 * Before: R (a part), SFX, PARTS_SFX (that of singular_mirrors.h for parts), EPSILON and LEAST as
 * there. After: FN(diagonals_of), FN(basis_of); these are undefined. */

#define FN(part)       FN2(part, SFX)
#define FN2(part, sfx) FN3(part, sfx)
#define FN3(part, sfx) part##_##sfx

typedef struct FN(number) {
    R re, im;
} FN(number);
#define T FN(number)

/* A matrix over a power of 2. */
typedef struct FN(taken) {
    const job *j;
    const T *from;
    T *to;
    double half, other; /* factors that make the power, one alone may be too small */
} FN(taken);

static void FN(take_rows)(void *context, int64_t begin, int64_t end) {
    const FN(taken) *s = context;
    const int64_t n = s->j->n, m = s->j->columns, row = s->j->tall ? 1 : m;
    const int64_t column = s->j->tall ? n : 1;
    for (int64_t r = begin; r < end; r++)
        for (int64_t i = 0; i < m; i++) {
            const T x = s->from[r * row + i * column];
            s->to[r * m + i] =
                (T){(R)((double)x.re * s->half * s->other), (R)((double)x.im * s->half * s->other)};
        }
}

/* a += factor * b */
static void FN(add)(const job *j, T *a, T factor, T *b, int64_t n) {
    enum { ITEM = sizeof(T) };
    char *const ptr[4] = {(char *)a, (char *)a, (char *)b, (char *)&factor};
    j->add(ptr, (const int64_t[4]){ITEM, ITEM, ITEM, 0}, n);
}

/* x becomes the normal of the mirror that turns it into its first axis, times a factor of size 1.
 * Returns the size of what the first element becomes; twice: as in singular_mirrors.h. */
static double FN(normal_of)(const job *j, T *x, int64_t n, double *twice) {
    const double re = (double)x[0].re, im = (double)x[0].im, size = sqrt(re * re + im * im);
    R rest = 0;
    if (n > 1)
        j->product((char *const[3]){(char *)&rest, (char *)(x + 1), (char *)(x + 1)}, NULL,
                   2 * (n - 1));
    *twice = 0;
    if (rest < LEAST) return size;
    const double length = sqrt(size * size + (double)rest);
    const double times = size > 0 ? 1 + length / size : 0;
    x[0] = size > 0 ? (T){(R)(re * times), (R)(im * times)} : (T){(R)length, 0};
    const double first = (double)x[0].re, second = (double)x[0].im;
    *twice = 2 / (first * first + second * second + (double)rest);
    return length;
}

static T FN(less)(double factor, T x) {
    return (T){(R)(-factor * (double)x.re), (R)(-factor * (double)x.im)};
}

static T FN(apart)(T a, T b) { return (T){a.re - b.re, b.im - a.im}; }

static int FN(put)(R *to, T factor) {
    to[0] = factor.re;
    to[1] = factor.im;
    return 2;
}

/* The matrix is D real E with diagonal D and E of numbers of size 1; those of D are kept in
 * r->left, and the last one of E behind them. */
static void FN(note)(const job *j, const room *r, int64_t k, bool beside, T before, double twice) {
    if (!r->normals) return;
    const double re = (double)before.re, im = (double)before.im, size = sqrt(re * re + im * im);
    const double part = (twice != 0 ? -1 : 1) / (size > 0 ? size : 1); /* mirrors turn over */
    const double x = size > 0 ? part * re : part, y = size > 0 ? part * im : 0;
    double *const last = r->left + 2 * j->n, *const left = r->left + 2 * k;
    if (k == 0 && !beside) left[0] = 1, left[1] = 0;
    const double *const known = beside ? last : left;
    double *const next = beside ? left + 2 : last;
    const double a = known[0], b = known[1];
    next[0] = x * a + y * b;
    next[1] = y * a - x * b;
}

static T FN(corner_of)(const room *r, int64_t k) {
    return (T){(R)r->left[2 * k], (R)-r->left[2 * k + 1]};
}

static T FN(grown)(T sum, T a, T b) {
    return (T){sum.re + a.re * b.re - a.im * b.im, sum.im + a.re * b.im + a.im * b.re};
}

static T FN(times)(double factor, T x) { return (T){(R)(factor * x.re), (R)(factor * x.im)}; }

static T FN(number_of)(double x) { return (T){(R)x, 0}; }

/* Conjugates, of which there is a copy. */
static T *FN(others_of)(T *to, T *from, int64_t step, int64_t rows, int64_t count) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < count; i++)
            to[r * step + i] = (T){from[r * step + i].re, -from[r * step + i].im};
    return to;
}

#define FACTOR T
#define ONE    ((T){1, 0})
#define MINUS  ((T){-1, 0})
#include "op/singular_products.h"
#include "op/singular_stages.h"

/* As in singular_mirrors.h. */
static bool FN(diagonals_of)(const job *j, int64_t at, const room *r, double *factor) {
    const int64_t count = j->n * j->columns;
    const T *from = (const T *)(const void *)j->in->data + at * count;
    int power;
    *factor = NAN;
    if (!FN2(power_of, PARTS_SFX)(j, (const R *)from, 2 * count, &power)) return true;
    *factor = ldexp(1, power);
    FN(taken) s = {.j = j, .from = from, .to = r->matrix};
    s.half = ldexp(1, -power / 2);
    s.other = ldexp(1, -(power - power / 2));
    nomen__parallel(j->n, PART / j->columns + 1, FN(take_rows), &s);
    if (r->normals) memset(r->normals, 0, sizeof(T) * (size_t)(j->n * j->n));
    return FN(bidiagonal)(j, r->matrix, r, r->more);
}

#include "op/singular_basis.h"

#undef FACTOR
#undef ONE
#undef MINUS

#undef R
#undef T
#undef SFX
#undef PARTS_SFX
#undef EPSILON
#undef LEAST
#undef FN
#undef FN2
#undef FN3
