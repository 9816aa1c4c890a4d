/* Include-template, a part of singular_mirrors.h: a matrix with far more columns than rows becomes
 * a triangle with the same singular values, of as many columns as rows. Mirrors from the right make
 * it so. Columns come some at a time: beside the triangle of those before, which is what they
 * become part of. The mirrors of a panel of rows are one to the rows below it, I - V^T turn V, as
 * in LAPACK (Schreiber, Van Loan), so that nearly all of the work is products of matrices.
 * Afterwards: FN(triangle_of).
 *
 * Normals have 1 where the triangle has its diagonal, which is not kept, and the rest, V, in place
 * of the row. The number of rows is a multiple of FEW_ROWS: so few sizes of products appear that
 * plan_triangle can ask for each what it needs. */

typedef struct FN(triangle) {
    const job *j;
    T *lower, *rows;              /* the triangle, what is beside it */
    T *turn, *next_turn, *strips; /* of the panel, of the next one; work */
    int64_t first, some;          /* the rows of the panel */
} FN(triangle);

/* `some` mirrors from `first` on, for `count` rows from `row` on. strip: the work of some rows. */
static void FN(apply)(const FN(triangle) * s, int64_t first, int64_t some, int64_t row,
                      int64_t count, T *strip) {
    const int64_t n = s->j->m, wide = s->j->chunk;
    T *turn = s->turn + (first - s->first) * (PANEL + 1);
    T *const normals = s->rows + first * wide;
    const FN(mirrored) mirrors = {normals, normals, turn, wide, wide, some};
    FN(reflect)(s->j, &mirrors, (FN(grid)){s->rows + row * wide, wide, 1},
                (FN(grid)){s->lower + row * n + first, n, 1}, count, strip);
}

/* What is beside the diagonal becomes nothing: x becomes the rest of the normal, *lower what it is
 * then. Returns 2 / normal^2, 0 if there is nothing to do. */
static double FN(rest_of_normal)(const job *j, T *lower, T *x) {
    const double rest = FN(product)(j, x, x, j->chunk), first = (double)*lower;
    if (rest < LEAST) return 0;
    const double length = sqrt(first * first + rest), becomes = first > 0 ? -length : length;
    FN(scale)(j, x, 1 / (first - becomes), j->chunk);
    *lower = (T)becomes;
    return 2 / (1 + FN(product)(j, x, x, j->chunk));
}

/* The mirrors of a few rows, one after another. */
static void FN(few_mirrors)(const FN(triangle) * s, int64_t first, int64_t some) {
    const job *j = s->j;
    const int64_t n = j->m, wide = j->chunk;
    T *turn = s->turn + (first - s->first) * (PANEL + 1);
    for (int64_t i = 0; i < some; i++) {
        T *lower = s->lower + (first + i) * (n + 1), *x = s->rows + (first + i) * wide;
        const double twice = FN(rest_of_normal)(j, lower, x);
        for (int64_t r = 1; r < some - i; r++) {
            const double product = (double)lower[r * n] + FN(product)(j, x + r * wide, x, wide);
            lower[r * n] -= (T)(twice * product);
            FN(add)(j, x + r * wide, -twice * product, x, wide);
        }
        double products[FEW_ROWS];
        for (int64_t q = 0; q < i; q++) products[q] = FN(product)(j, x - (i - q) * wide, x, wide);
        for (int64_t q = 0; q < i; q++) {
            double sum = 0;
            for (int64_t p = q; p < i; p++) sum += (double)turn[q * PANEL + p] * products[p];
            turn[q * PANEL + i] = (T)(-twice * sum);
        }
        turn[i * (PANEL + 1)] = (T)twice;
    }
}

/* The mirrors of `some` rows of the panel, and `turn` for all of them together. */
static void FN(mirrors)(const FN(triangle) * s, int64_t first, int64_t some) {
    if (some <= FEW_ROWS) {
        FN(few_mirrors)(s, first, some);
        return;
    }
    const job *j = s->j;
    const int64_t wide = j->chunk;
    int64_t half = FEW_ROWS;
    while (2 * half < some) half *= 2;
    const int64_t left = some - half;
    FN(mirrors)(s, first, half);
    FN(apply)(s, first, half, first + half, left, s->strips);
    FN(mirrors)(s, first + half, left);
    T *turn = s->turn + (first - s->first) * (PANEL + 1), *beside = turn + half;
    T *products = s->strips, *turned = products + STRIP * PANEL;
    void *scratch = turned + STRIP * (PANEL + ACROSS);
    const FN(grid) one = {s->rows + first * wide, wide, 1};
    const FN(grid) other = {one.at + half * wide, 1, wide};
    const FN(grid) a = {products, PANEL, 1}, b = {turned, PANEL, 1};
    FN(multiply)(j, scratch, half, left, wide, a, one, other);
    FN(multiply)(j, scratch, half, left, half, b, (FN(grid)){turn, PANEL, 1}, a);
    FN(multiply)(j, scratch, half, left, left, a, b, (FN(grid)){beside + half * PANEL, PANEL, 1});
    for (int64_t r = 0; r < half; r++)
        for (int64_t c = 0; c < left; c++) beside[r * PANEL + c] = -products[r * PANEL + c];
}

/* The mirrors of a panel for some rows below it: the first are those of the next panel, whose own
 * mirrors are made then, by one thread, while others still work on the rows below. */
static void FN(rows_below)(void *context, int64_t begin, int64_t end) {
    const FN(triangle) *s = context;
    const int64_t below = s->first + s->some, left = s->j->m - below;
    T *strip = s->strips + begin * (s->j->strip / (int64_t)sizeof(T));
    FN(triangle) next = {s->j, s->lower, s->rows, s->next_turn, NULL, strip, below, 0};
    next.some = left < PANEL ? left : PANEL;
    (void)end;
    if (begin) {
        const int64_t row = below + next.some + (begin - 1) * STRIP, rows = s->j->m - row;
        FN(apply)(s, s->first, s->some, row, rows < STRIP ? rows : STRIP, strip);
    } else {
        FN(apply)(s, s->first, s->some, below, next.some, strip);
        FN(mirrors)(&next, below, next.some);
    }
}

/* The triangle takes in the columns beside it, which become nothing. False: it was stopped. */
static bool FN(take_in)(FN(triangle) * s) {
    const int64_t n = s->j->m;
    s->first = 0;
    s->some = n < PANEL ? n : PANEL;
    FN(mirrors)(s, 0, s->some);
    while (s->first + s->some < n) {
        const int64_t left = n - s->first - s->some;
        if (nomen__is_stopped()) return false;
        nomen__parallel(left <= PANEL ? 1 : (left - PANEL - 1) / STRIP + 2, 1, FN(rows_below), s);
        T *turn = s->turn;
        s->turn = s->next_turn;
        s->next_turn = turn;
        s->first += s->some;
        s->some = left < PANEL ? left : PANEL;
    }
    return true;
}

/* lower becomes the triangle, j->m rows of as many; work: as much as plan_work says. False: it was
 * stopped. */
static bool FN(triangle_of)(const job *j, const T *from, int power, T *lower, T *work) {
    const int64_t n = j->m, wide = j->chunk;
    FN(triangle) s = {.j = j, .lower = lower};
    s.turn = (T *)(((uintptr_t)work + 63) / 64 * 64);
    s.next_turn = s.turn + PANEL * PANEL;
    s.strips = s.next_turn + PANEL * PANEL;
    s.rows = s.strips + strips_of(j) * (j->strip / (int64_t)sizeof(T));
    memset(lower, 0, sizeof(T) * (size_t)(n * n));
    memset(s.rows, 0, sizeof(T) * (size_t)(n * wide));
    memset(s.turn, 0, sizeof(T) * 2 * PANEL * PANEL);
    for (int64_t c = 0; c < j->columns; c += wide) {
        const int64_t count = j->columns - c < wide ? j->columns - c : wide;
        if (count < wide) memset(s.rows, 0, sizeof(T) * (size_t)(n * wide));
        FN(take_columns)(j, from, power, c, count, s.rows, wide);
        if (!FN(take_in)(&s)) return false;
    }
    return true;
}
