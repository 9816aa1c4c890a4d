/* Include-template: a matrix of T as it is taken in, and in mirrors from both sides until it is
 * bidiagonal. Before: T, SFX, COMPLEX (may the numbers be complex?). After: FN(take_in) and
 * FN(bidiagonal); T, SFX and COMPLEX are undefined. */

#define FN(part)       FN2(part, SFX)
#define FN2(part, sfx) FN3(part, sfx)
#define FN3(part, sfx) part##_##sfx

/* Scaled by a power of 2, and complex ones with their conjugates, as real numbers; what the scale
 * was, NaN if not all are finite. */
static double FN(take_in)(const job *j, int64_t at, T *to) {
    const int parts = COMPLEX && j->complex ? 2 : 1;
    const int64_t n = j->n / parts, m = j->m / parts, count = n * m * parts;
    const T *from = (const T *)(const void *)j->in->data + at * count;
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(from[i])) return NAN;
        most = fmax(most, fabs((double)from[i]));
    }
    int power;
    (void)frexp(most, &power);
    const double half = ldexp(1, -power / 2), other = ldexp(1, -(power - power / 2));
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < m; c++) {
            const T *x = from + parts * (j->tall ? c * n + r : r * m + c);
            const T re = (T)((double)x[0] * half * other);
            to[r * j->m + c] = re;
            if (!COMPLEX || !j->complex) continue;
            const T im = (T)((double)x[1] * half * other);
            to[(r + n) * j->m + c + m] = re;
            to[(r + n) * j->m + c] = im;
            to[r * j->m + c + m] = -im;
        }
    return ldexp(1, power);
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

/* x becomes the normal of the mirror that turns it into its first axis. Returns what the first
 * element becomes; twice: 2 / normal^2, 0 if there is nothing to do. */
static double FN(normal_of)(const job *j, T *x, int64_t n, double *twice) {
    const double rest = n > 1 ? FN(product)(j, x + 1, x + 1, n - 1) : 0, first = (double)x[0];
    *twice = 0;
    if (rest == 0) return first;
    const double length = sqrt(first * first + rest), becomes = first > 0 ? -length : length;
    x[0] = (T)(first - becomes);
    *twice = 2 / ((double)x[0] * (double)x[0] + rest);
    return becomes;
}

/* The rows below the k-th in one step: the mirror from the left of the step before, which waited
 * (other, column, sums), this one's from the right (twice, and the k-th row as its normal), and
 * what the next mirror from the left needs: the first column, and its products with all. */
typedef struct FN(stage) {
    const job *j;
    T *row, *last_column, *last_sums, *column, *sums;
    double other, twice;
    int64_t wide, some, parts; /* columns; rows of a part */
} FN(stage);

static void FN(mirror_rows)(void *context, int64_t begin, int64_t end) {
    const FN(stage) *s = context;
    const int64_t m = s->j->m;
    T *sums = s->sums + begin / s->some * m;
    for (int64_t i = 0; i < s->wide; i++) sums[i] = 0;
    for (int64_t r = begin; r < end; r++) {
        T *row = s->row + (r + 1) * m;
        const T factors[2] = {(T)(-s->other * (double)s->last_column[r + 1]), (T)-s->twice};
        char *const ptr[5] = {(char *)row, (char *)(s->last_sums + 1), (char *)s->row, (char *)sums,
                              (char *)(uintptr_t)factors};
        s->j->mirror(ptr, NULL, s->wide);
        s->column[r] = row[0];
    }
}

/* Diagonal and what is beside it, beside[k] before diagonal[k + 1]. `at` shares its memory with
 * nobody; work: four vectors, and one for each part. False: it was stopped. */
static bool FN(bidiagonal)(const job *j, T *at, double *diagonal, double *beside, T *work) {
    const int64_t n = j->n, m = j->m;
    T *column[2] = {work, work + m + 1}, *sums[2] = {work + 2 * (m + 1), work + 3 * (m + 1)};
    FN(stage) s = {.j = j};
    for (int64_t i = 0; i <= m; i++) column[1][i] = sums[1][i] = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t left = n - k - 1;
        if (nomen__is_stopped()) return false;
        s.row = at + k * m + k;
        s.wide = m - k;
        s.column = column[k & 1];
        s.last_column = column[!(k & 1)];
        s.last_sums = sums[!(k & 1)];
        s.some = PART / s.wide + 1;
        s.parts = (left - 1) / s.some + 1;
        s.sums = s.parts > 1 ? work + 4 * (m + 1) : sums[k & 1];
        if (s.other != 0)
            FN(add)(j, s.row, -s.other * (double)s.last_column[0], s.last_sums + 1, s.wide);
        diagonal[k] = FN(normal_of)(j, s.row, s.wide, &s.twice);
        beside[k] = 0;
        if (!left) return true;
        nomen__parallel(left, s.some, FN(mirror_rows), &s);
        for (int64_t p = 1; p < s.parts; p++) FN(add)(j, s.sums, 1, s.sums + p * m, s.wide);
        if (s.parts > 1) memcpy(sums[k & 1], s.sums, sizeof(T) * (size_t)s.wide);
        const T first = s.column[0];
        beside[k] = FN(normal_of)(j, s.column, left, &s.other);
        FN(add)(j, sums[k & 1], (double)(s.column[0] - first), s.row + m, s.wide);
    }
    return true;
}

#undef T
#undef SFX
#undef COMPLEX
#undef FN
#undef FN2
#undef FN3
