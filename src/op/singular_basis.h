/* Include-template: the basis in which the rows of a matrix are orthogonal, from the mirrors that
 * have made it bidiagonal and the rotations that make that diagonal; part of singular_mirrors.h and
 * singular_complex.h. The mirrors of a panel are one, as in singular_triangle.h; rotations are
 * applied a batch at a time, to as many columns as stay in L2. Before, besides theirs: what
 * singular_products.h wants, FN(corner_of)(r, k) (with which the k-th row begins, of size 1),
 * FN(grown)(sum, a, b), FN(times)(double, T), FN(number_of)(double), and FN(others_of)(to, normals,
 * step, rows, columns) -> their conjugates, with the same step, perhaps in `to`. After:
 * FN(basis_of).
 *
 * Limit: products of matrices, 4/3 n^3 multiplications; and 4 for each of some n^2 rotations and n
 * columns. */

typedef struct FN(uniting) {
    const job *j;
    FN(mirrored) mirrors;
    FN(grid) rows; /* that they change */
    char *strips;
} FN(uniting);

static void FN(unite_rows)(void *context, int64_t begin, int64_t end) {
    const FN(uniting) *s = context;
    const FN(grid) rows = {s->rows.at + begin * s->rows.row, s->rows.row, 1};
    T *strip = (T *)(void *)(s->strips + begin / STRIP * s->j->strip);
    FN(reflect)(s->j, &s->mirrors, rows, (FN(grid)){0}, end - begin, strip);
}

/* turn of mirrors from the last to the first; gram: the products of their normals. */
static void FN(turn_of)(T *turn, const T *gram, const double *twices, int64_t some) {
    for (int64_t q = some - 1; q >= 0; q--) {
        for (int64_t p = 0; p < q; p++) turn[p * PANEL + q] = FN(number_of)(0);
        turn[q * (PANEL + 1)] = FN(number_of)(twices[q]);
        for (int64_t p = q + 1; p < some; p++) {
            T sum = FN(number_of)(0);
            for (int64_t r = q + 1; r <= p; r++)
                sum = FN(grown)(sum, turn[p * PANEL + r], gram[r * PANEL + q]);
            turn[p * PANEL + q] = FN(times)(-twices[q], sum);
        }
    }
}

/* to: all mirrors from the left, the last one first. False: it was stopped. */
static bool FN(unite)(const job *j, const room *r, T *to) {
    const int64_t n = j->n;
    T *turn = r->strips, *gram = turn + PANEL * PANEL, *others = gram + PANEL * PANEL;
    FN(uniting) s = {.j = j, .strips = (char *)(others + PANEL * (j->complex ? n : 0))};
    memset(to, 0, sizeof(T) * (size_t)(n * n));
    for (int64_t i = 0; i < n; i++) to[i * (n + 1)] = FN(corner_of)(r, i);
    for (int64_t first = (n - 2) / PANEL * PANEL; first >= 0 && n > 1; first -= PANEL) {
        const int64_t left = n - first - 1, corner = first * n + first + 1;
        const int64_t some = left < PANEL ? left : PANEL;
        T *const normals = (T *)r->normals + corner;
        if (nomen__is_stopped()) return false;
        s.mirrors = (FN(mirrored)){normals, NULL, turn, n, left, some};
        s.mirrors.others = FN(others_of)(others, normals, n, some, left);
        FN(multiply)(j, s.strips, some, some, left, (FN(grid)){gram, PANEL, 1},
                     (FN(grid)){s.mirrors.others, n, 1}, (FN(grid)){normals, 1, n});
        FN(turn_of)(turn, gram, r->twices + first, some);
        s.rows = (FN(grid)){to + corner + n, n, 1};
        nomen__parallel(left, STRIP, FN(unite_rows), &s);
    }
    return true;
}

typedef struct FN(rotating) {
    const job *j;
    const nomen__bidiagonal *b;
    T *to, *columns; /* columns: work, n rows of them for each task */
} FN(rotating);

enum { FN(WIDTH) = ROTATED / sizeof(T) };

static void FN(rotate_columns)(void *context, int64_t begin, int64_t end) {
    enum { WIDTH = FN(WIDTH) };
    const FN(rotating) *s = context;
    const int64_t n = s->j->n;
    const size_t bytes = sizeof(T) * (size_t)(end - begin);
    T *const columns = s->columns + begin * n;
    for (int64_t r = 0; r < n; r++) {
        memcpy(columns + r * WIDTH, s->to + r * n + begin, bytes);
        memset(columns + r * WIDTH + (end - begin), 0, ROTATED - bytes);
    }
    for (int k = 0; k < s->b->sweeps; k++) {
        const nomen__sweep *sweep = &s->b->sweep[k];
        char *const ptr[2] = {(char *)(columns + sweep->first * WIDTH), (char *)sweep->factors};
        s->j->rotations(ptr, (const int64_t[2]){sweep->step * ROTATED, ROTATED}, sweep->count);
    }
    for (int64_t r = 0; r < n; r++) memcpy(s->to + r * n + begin, columns + r * WIDTH, bytes);
}

/* The basis of the matrix number `at`, which is bidiagonal. False: it was stopped. */
static bool FN(basis_of)(const job *j, int64_t at, const room *r, bool finite) {
    const int64_t n = j->n;
    T *to = (T *)(void *)j->basis + at * n * n;
    if (!finite) {
        for (int64_t i = 0; i < n * n; i++) to[i] = FN(number_of)(NAN);
        return true;
    }
    if (!FN(unite)(j, r, to)) return false;
    nomen__bidiagonal b;
    nomen__bidiagonal_begin(&b, r->diagonal, r->beside, r->factors, n, EPSILON);
    FN(rotating) s = {j, &b, to, r->normals};
    while (nomen__bidiagonal_next(&b)) {
        if (nomen__is_stopped()) return false;
        nomen__parallel(n, FN(WIDTH), FN(rotate_columns), &s);
    }
    return true;
}
