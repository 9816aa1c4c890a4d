/* Include-template: a matrix of T as it is taken in, and in mirrors from both sides until it is
 * bidiagonal. Before: T, SFX, COMPLEX (may the numbers be complex?), EPSILON, LEAST (what counts
 * as nothing beside 1, when squared). After: FN(diagonals_of), FN(basis_of); these are undefined.
 */

#define FN(part)       FN2(part, SFX)
#define FN2(part, sfx) FN3(part, sfx)
#define FN3(part, sfx) part##_##sfx

/* Of each part of a matrix the largest size. */
typedef struct FN(range) {
    const nomen__reducer *most_of;
    const T *from;
    int64_t some;
    T most[PARTS];
} FN(range);

static void FN(most_of)(void *context, int64_t begin, int64_t end) {
    _Alignas(64) char acc[NOMEN__ACC_BYTES];
    FN(range) *s = context;
    const nomen__reduce_step all = {.in = (const char *)(s->from + begin),
                                    .n_acc = 1,
                                    .n_red = end - begin,
                                    .red_step = sizeof(T),
                                    .index_step = 1};
    char *const out[2] = {(char *)&s->most[begin / s->some], NULL};
    s->most_of->init(acc, 1);
    s->most_of->step(acc, &all);
    s->most_of->finish(out, (const int64_t[2]){0}, acc, 1, &(nomen__reduce_param){end - begin, 0});
}

/* Above the sizes of `count` numbers 2 to which power? False if not all are finite. */
static bool FN(power_of)(const job *j, const T *from, int64_t count, int *power) {
    FN(range) s = {j->most_of, from, count / PARTS + 1, {0}};
    if (s.some < PART) s.some = PART;
    nomen__parallel(count, s.some, FN(most_of), &s);
    T most = 0;
    for (int64_t p = 0; p * s.some < count; p++) {
        if (!isfinite(s.most[p])) return false;
        most = s.most[p] > most ? s.most[p] : most;
    }
    (void)frexp((double)most, power);
    return true;
}

/* Some columns of a matrix, over a power of 2; complex numbers with their conjugates, as real ones:
 * the columns that these add come behind the others. */
typedef struct FN(columns) {
    const job *j;
    const T *from;
    T *to;
    int64_t first, count, to_row; /* complex ones count once */
    double half, other;           /* factors that make the power, one alone may be too small */
} FN(columns);

static void FN(take_rows)(void *context, int64_t begin, int64_t end) {
    const FN(columns) *s = context;
    const job *j = s->j;
    const bool complex = COMPLEX && j->doubled;
    const int64_t parts = complex ? 2 : 1, n = j->n / parts, m = j->columns / parts;
    const int64_t from_row = parts * (j->tall ? 1 : m), from_column = parts * (j->tall ? n : 1);
    const int64_t lines = j->tall ? s->count : end - begin, each = j->tall ? end - begin : s->count;
    const int64_t from_line = j->tall ? from_column : from_row;
    const int64_t from_step = j->tall ? from_row : from_column;
    const int64_t to_line = j->tall ? 1 : s->to_row, to_step = j->tall ? s->to_row : 1;
    T *const below = s->to + n * s->to_row;
    for (int64_t l = 0; l < lines; l++) {
        const T *x = s->from + begin * from_row + s->first * from_column + l * from_line;
        int64_t at = begin * s->to_row + l * to_line;
        for (int64_t i = 0; i < each; i++, x += from_step, at += to_step) {
            const T re = (T)((double)x[0] * s->half * s->other);
            s->to[at] = re;
            if (!complex) continue;
            const T im = (T)((double)x[1] * s->half * s->other);
            below[at + s->count] = re;
            below[at] = im;
            s->to[at + s->count] = -im;
        }
    }
}

/* `count` columns from `first` on, rows of `to` to_row apart. */
static void FN(take_columns)(const job *j, const T *from, int power, int64_t first, int64_t count,
                             T *to, int64_t to_row) {
    const int parts = COMPLEX && j->doubled ? 2 : 1;
    FN(columns) s = {.j = j, .from = from, .to = to, .to_row = to_row};
    s.first = first / parts;
    s.count = count / parts;
    s.half = ldexp(1, -power / 2);
    s.other = ldexp(1, -(power - power / 2));
    nomen__parallel(j->n / parts, PART / s.count + 1, FN(take_rows), &s);
}

static double FN(product)(const job *j, T *a, T *b, int64_t n) {
    T sum;
    j->product((char *const[3]){(char *)&sum, (char *)a, (char *)b}, NULL, n);
    return (double)sum;
}

/* a += factor * b */
static void FN(add)(const job *j, T *a, double factor, T *b, int64_t n) {
    enum { ITEM = sizeof(T) };
    T times = (T)factor;
    char *const ptr[4] = {(char *)a, (char *)a, (char *)b, (char *)&times};
    j->add(ptr, (const int64_t[4]){ITEM, ITEM, ITEM, 0}, n);
}

/* a *= factor */
static void FN(scale)(const job *j, T *a, double factor, int64_t n) {
    enum { ITEM = sizeof(T) };
    T times = (T)factor;
    char *const ptr[3] = {(char *)a, (char *)a, (char *)&times};
    j->times(ptr, (const int64_t[3]){ITEM, ITEM, 0}, n);
}

/* x becomes the normal of the mirror that turns it into its first axis. Returns what the first
 * element becomes; twice: 2 / normal^2, 0 if there is nothing to do: what is so small beside the
 * largest number of the matrix, which is about 1, is nothing. */
static double FN(normal_of)(const job *j, T *x, int64_t n, double *twice) {
    const double rest = n > 1 ? FN(product)(j, x + 1, x + 1, n - 1) : 0, first = (double)x[0];
    *twice = 0;
    if (rest < LEAST) return first;
    const double length = sqrt(first * first + rest), becomes = first > 0 ? -length : length;
    x[0] = (T)(first - becomes);
    *twice = 2 / ((double)x[0] * (double)x[0] + rest);
    return becomes;
}

#define R      T
#define FACTOR double
#define ONE    1
#define MINUS  -1
#include "op/singular_products.h"
#include "op/singular_triangle.h"

static double FN(less)(double factor, T x) { return -factor * (double)x; }

static double FN(apart)(T a, T b) { return (double)(a - b); }

static int FN(put)(T *to, double factor) {
    *to = (T)factor;
    return 1;
}

/* Numbers have their own signs. */
static void FN(note)(const job *j, const room *r, int64_t k, bool beside, T before, double twice) {
    (void)j, (void)r, (void)k, (void)beside, (void)before, (void)twice;
}

static T FN(corner_of)(const room *r, int64_t k) {
    (void)r, (void)k;
    return 1;
}

static T FN(grown)(T sum, T a, T b) { return sum + a * b; }

static T FN(times)(double factor, T x) { return (T)(factor * (double)x); }

static T FN(number_of)(double x) { return (T)x; }

static T *FN(others_of)(T *to, T *from, int64_t step, int64_t rows, int64_t count) {
    (void)to, (void)step, (void)rows, (void)count;
    return from;
}

#include "op/singular_stages.h"

/* The matrix number `at` as a bidiagonal one with the same singular values, but for a factor.
 * False: it was stopped. Matrices whose numbers are not all finite: the factor is NaN. */
static bool FN(diagonals_of)(const job *j, int64_t at, const room *r, double *factor) {
    const int64_t count = j->n * j->columns / (COMPLEX && j->doubled ? 2 : 1);
    const T *from = (const T *)(const void *)j->in->data + at * count;
    T *matrix = r->matrix, *work = r->more;
    int power;
    *factor = NAN;
    if (!FN(power_of)(j, from, count, &power)) return true;
    *factor = ldexp(1, power);
    if (!j->chunk)
        FN(take_columns)(j, from, power, 0, j->columns, matrix, j->m);
    else if (!FN(triangle_of)(j, from, power, matrix, work))
        return false;
    if (r->normals) memset(r->normals, 0, sizeof(T) * (size_t)(j->n * j->n));
    return FN(bidiagonal)(j, matrix, r, work);
}

#include "op/singular_basis.h"

#undef R
#undef FACTOR
#undef ONE
#undef MINUS

#undef T
#undef SFX
#undef COMPLEX
#undef EPSILON
#undef LEAST
#undef FN
#undef FN2
#undef FN3
