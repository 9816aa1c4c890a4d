/* Include-template: a complex matrix as it is taken in, and in mirrors from both sides until it is
 * bidiagonal, but for factors of size 1, of which singular values know nothing. Before: R (a part),
 * SFX, PARTS_SFX (that of singular_mirrors.h for parts) and LEAST as there.
 * After: FN(diagonals_of); these are undefined. */

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

#define FACTOR T
#define ONE    ((T){1, 0})
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
    return FN(bidiagonal)(j, r->matrix, r, r->more);
}

#undef R
#undef T
#undef SFX
#undef PARTS_SFX
#undef LEAST
#undef FN
#undef FN2
#undef FN3
