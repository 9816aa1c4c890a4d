/* Include-template: a matrix of T becomes bidiagonal by mirrors from both sides, stage after stage;
 * part of singular_mirrors.h and singular_complex.h. Before, besides theirs: R (T, or a part of
 * it), FACTOR and ONE, FN(add)(j, a, FACTOR, b, n), FN(normal_of), FN(less)(double, T) and
 * FN(apart)(T, T) -> FACTOR, the conjugate of a difference, FN(put)(R *, FACTOR) -> how many
 * numbers it is, and FN(note)(j, r, k, beside, T before, twice): what is known of the factor of
 * size 1 of the k-th number of the diagonal, or the one beside it. After: FN(bidiagonal). */

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
    memset(sums, 0, sizeof(T) * (size_t)s->wide);
    for (int64_t r = begin; r < end; r++) {
        T *row = s->row + (r + 1) * m;
        R factors[3];
        factors[FN(put)(factors, FN(less)(s->other, s->last_column[r + 1]))] = (R)-s->twice;
        char *const ptr[5] = {(char *)row, (char *)(s->last_sums + 1), (char *)s->row, (char *)sums,
                              (char *)factors};
        s->j->mirror(ptr, NULL, s->wide);
        s->column[r] = row[0];
    }
}

/* Diagonal and what is beside it, beside[k] before diagonal[k + 1]. `at` shares its memory with
 * nobody; work: four vectors, and one for each part. Where there is room for normals, n x n of
 * zeros, those of the mirrors from the left go to its rows, and `twice` of normal_of to twices.
 * False: it was stopped. */
static bool FN(bidiagonal)(const job *j, T *at, const room *r, T *work) {
    const int64_t n = j->n, m = j->m;
    T *column[2] = {work, work + m + 1}, *sums[2] = {work + 2 * (m + 1), work + 3 * (m + 1)};
    FN(stage) s = {.j = j};
    memset(column[1], 0, sizeof(T) * (size_t)(m + 1));
    memset(sums[1], 0, sizeof(T) * (size_t)(m + 1));
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
            FN(add)(j, s.row, FN(less)(s.other, s.last_column[0]), s.last_sums + 1, s.wide);
        const T corner = s.row[0];
        r->diagonal[k] = FN(normal_of)(j, s.row, s.wide, &s.twice);
        FN(note)(j, r, k, false, corner, s.twice);
        r->beside[k] = 0;
        if (!left) return true;
        nomen__parallel(left, s.some, FN(mirror_rows), &s);
        for (int64_t p = 1; p < s.parts; p++) FN(add)(j, s.sums, ONE, s.sums + p * m, s.wide);
        if (s.parts > 1) memcpy(sums[k & 1], s.sums, sizeof(T) * (size_t)s.wide);
        const T first = s.column[0];
        r->beside[k] = FN(normal_of)(j, s.column, left, &s.other);
        FN(add)(j, sums[k & 1], FN(apart)(s.column[0], first), s.row + m, s.wide);
        if (!r->normals) continue;
        FN(note)(j, r, k, true, first, s.other);
        memcpy((T *)r->normals + k * (n + 1) + 1, s.column, sizeof(T) * (size_t)left);
        r->twices[k] = s.other;
    }
    return true;
}
