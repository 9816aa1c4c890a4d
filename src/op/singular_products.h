/* Include-template: products of parts of matrices of T, and mirrors as such; part of
 * singular_mirrors.h and singular_complex.h. Before, besides theirs: FN(add)(j, a, FACTOR, b, n),
 * ONE and MINUS, factors. After: FN(multiply), FN(reflect). */

typedef struct FN(grid) {
    T *at;
    int64_t row, column; /* steps */
} FN(grid);

/* to[m, n] = a[m, k] b[k, n] */
static void FN(multiply)(const job *j, void *scratch, int64_t m, int64_t n, int64_t k, FN(grid) to,
                         FN(grid) a, FN(grid) b) {
    enum { E = sizeof(T) };
    const nomen__gemm_args g = {.m = m,
                                .n = n,
                                .k = k,
                                .a = (const char *)a.at,
                                .b = (const char *)b.at,
                                .c = (char *)to.at,
                                .a_row = a.row * E,
                                .a_col = a.column * E,
                                .b_row = b.row * E,
                                .b_col = b.column * E,
                                .c_row = to.row * E,
                                .c_col = to.column * E};
    j->gemm->run(&g, scratch);
}

/* Mirrors of `wide` columns, one after another as I - normals^T turn others; others: the conjugates
 * of the normals, of real ones themselves. */
typedef struct FN(mirrored) {
    T *normals, *others, *turn;
    int64_t row, wide, some; /* the step of the normals; those of `turn` are PANEL */
} FN(mirrored);

/* The mirrors for `count` rows; lower: columns in which the normals are those of I, or NULL. */
static void FN(reflect)(const job *j, const FN(mirrored) * s, FN(grid) rows, FN(grid) lower,
                        int64_t count, T *strip) {
    const int64_t some = s->some;
    T *products = strip, *turned = products + STRIP * PANEL, *change = turned + STRIP * PANEL;
    void *scratch = change + STRIP * ACROSS;
    FN(multiply)(j, scratch, count, some, s->wide, (FN(grid)){products, PANEL, 1}, rows,
                 (FN(grid)){s->normals, 1, s->row});
    for (int64_t r = 0; lower.at && r < count; r++)
        FN(add)(j, products + r * PANEL, ONE, lower.at + r * lower.row, some);
    FN(multiply)(j, scratch, count, some, some, (FN(grid)){turned, PANEL, 1},
                 (FN(grid)){products, PANEL, 1}, (FN(grid)){s->turn, PANEL, 1});
    for (int64_t r = 0; lower.at && r < count; r++)
        FN(add)(j, lower.at + r * lower.row, MINUS, turned + r * PANEL, some);
    for (int64_t c = 0; c < s->wide; c += ACROSS) {
        const int64_t columns = s->wide - c < ACROSS ? s->wide - c : ACROSS;
        FN(multiply)(j, scratch, count, columns, some, (FN(grid)){change, ACROSS, 1},
                     (FN(grid)){turned, PANEL, 1}, (FN(grid)){s->others + c, s->row, 1});
        for (int64_t r = 0; r < count; r++)
            FN(add)(j, rows.at + r * rows.row + c, MINUS, change + r * ACROSS, columns);
    }
}
