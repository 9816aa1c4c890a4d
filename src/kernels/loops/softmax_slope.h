/* Include-template: gradients of softmax and log_softmax, of rows of one dtype, from their results
 * y (in) and the gradients g of these (with): y (g - sum(g y)), or g - exp(y) sum(g). Before: as
 * for softmax.h. After: FN(rows); everything but OP and LOG is undefined.
 *
 * Idea: two looks at a row, of which the second finds it in the nearest cache. Sums are LANES
 * numbers on every processor, joined in halves: the same bits everywhere. */

#define LANES (64 / (int)sizeof(F))
#define PART  (LANES / W)

static inline void FN(turned)(V *x) {
    if (sizeof(F) == sizeof(float))
        v_turn_f32((vf32 *)(void *)x);
    else
        v_turn_f64((vf64 *)(void *)x);
}

/* PART vectors as one. */
static inline V FN(folded)(const V *s) {
    V t[PART];
    memcpy(t, s, sizeof t);
#pragma GCC unroll 8
    for (int w = PART / 2; w; w /= 2)
#pragma GCC unroll 8
        for (int v = 0; v < w; v++) t[v] += t[v + w];
    return t[0];
}

/* The lanes of x, which stands for the sum of a row, as one number; never -0. */
static inline F FN(joined)(V x) {
    F t[W] __attribute__((aligned(64)));
    memcpy(t, &x, sizeof t);
#pragma GCC unroll 16
    for (int w = W / 2; w; w /= 2)
#pragma GCC unroll 16
        for (int l = 0; l < w; l++) t[l] += t[l + w];
    return t[0] + 0;
}

/* The same of W rows at once. */
static inline void FN(join_all)(F *sum, V *x) {
    FN(turned)(x);
#pragma GCC unroll 16
    for (int w = W / 2; w; w /= 2)
#pragma GCC unroll 16
        for (int l = 0; l < w; l++) x[l] += x[l + w];
    x[0] += (V){0};
    memcpy(sum, x, sizeof *x);
}

static inline V FN(term)(V y, V g) { return LOG ? g : g * y; }
static inline V FN(slope)(V y, V g, V sum) { return LOG ? g - V_EXP(y) * sum : (g - sum) * y; }

/* Of n elements, at most SUM_BLOCK. */
static inline V FN(sum_few)(const T *y, const T *g, int64_t n) {
    V s[PART];
    int64_t j = 0;
#pragma GCC unroll 8
    for (int v = 0; v < PART; v++) s[v] = (V){0};
    for (; j + LANES <= n; j += LANES)
#pragma GCC unroll 8
        for (int v = 0; v < PART; v++) s[v] += FN(term)(LD(y + j + v * W), LD(g + j + v * W));
#pragma GCC unroll 8
    for (int v = 0; v < PART; v++) {
        const int64_t left = n - j - v * W;
        if (left >= W)
            s[v] += FN(term)(LD(y + j + v * W), LD(g + j + v * W));
        else if (left > 0)
            s[v] += FN(term)(LD_N(y + j + v * W, left), LD_N(g + j + v * W, left));
    }
    return FN(folded)(s);
}

static inline void FN(write)(T *out, const T *y, const T *g, int64_t n, F sum) {
    const V c = v_like((V){0}, sum);
    int64_t j = 0;
    for (; j + W <= n; j += W) ST(out + j, FN(slope)(LD(y + j), LD(g + j), c));
    if (j < n) ST_N(out + j, FN(slope)(LD_N(y + j, n - j), LD_N(g + j, n - j), c), n - j);
}

static APART void FN(straight)(const nomen__rows_args *a, int64_t row) {
    const T *y = (const T *)(const void *)(a->in + row * a->in_row),
            *g = (const T *)(const void *)(a->with + row * a->in_row);
    T *out = (T *)(void *)(a->out + row * a->out_row);
    const int64_t n = a->n;
    double sum = 0;
    for (int64_t j = 0; j < n; j += SUM_BLOCK)
        sum += (double)FN(joined)(FN(sum_few)(y + j, g + j, n - j < SUM_BLOCK ? n - j : SUM_BLOCK));
    FN(write)(out, y, g, n, (F)sum);
}

/* W short rows, whose sums are joined together. */
static APART void FN(short_rows)(const nomen__rows_args *a, int64_t row) {
    const char *y = a->in + row * a->in_row, *g = a->with + row * a->in_row;
    char *out = a->out + row * a->out_row;
    F sum[W] __attribute__((aligned(64)));
    V x[W];
    for (int r = 0; r < W; r++)
        x[r] = FN(sum_few)((const T *)(const void *)(y + r * a->in_row),
                           (const T *)(const void *)(g + r * a->in_row), a->n);
    FN(join_all)(sum, x);
    for (int r = 0; r < W; r++)
        FN(write)((T *)(void *)(out + r * a->out_row), (const T *)(const void *)(y + r * a->in_row),
                  (const T *)(const void *)(g + r * a->in_row), a->n, sum[r]);
}

/* Of no more than a vector: there is no loop. */
static APART void FN(vectors)(const nomen__rows_args *a, int64_t row) {
    F sum[W] __attribute__((aligned(64)));
    V x[W], y[W], g[W];
    for (int r = 0; r < W; r++) {
        y[r] = LD_N((const T *)(const void *)(a->in + (row + r) * a->in_row), a->n);
        g[r] = LD_N((const T *)(const void *)(a->with + (row + r) * a->in_row), a->n);
        x[r] = FN(term)(y[r], g[r]);
    }
    FN(join_all)(sum, x);
    for (int r = 0; r < W; r++)
        ST_N((T *)(void *)(a->out + (row + r) * a->out_row),
             FN(slope)(y[r], g[r], v_like(y[r], sum[r])), a->n);
}

/* nv vectors of rows side by side, the last of them of k rows (0: whole). */
static inline __attribute__((always_inline)) void FN(strip)(const nomen__rows_args *a, int64_t at,
                                                            const int nv, int64_t k) {
    const char *y = a->in + at, *g = a->with + at;
    char *out = a->out + at;
    V s[SIDES], total[SIDES];
#pragma GCC unroll 4
    for (int v = 0; v < nv; v++) total[v] = s[v] = (V){0};
    for (int64_t j = 0; j < a->n; j++, y += a->in_step, g += a->in_step) {
#pragma GCC unroll 4
        for (int v = 0; v < nv; v++) {
            const T *p = (const T *)(const void *)y + v * W,
                    *q = (const T *)(const void *)g + v * W;
            s[v] += k ? FN(term)(LD_N(p, k), LD_N(q, k)) : FN(term)(LD(p), LD(q));
        }
        if (j % SIDE_BLOCK != SIDE_BLOCK - 1) continue;
#pragma GCC unroll 4
        for (int v = 0; v < nv; v++) {
            total[v] += s[v];
            s[v] = (V){0};
        }
    }
#pragma GCC unroll 4
    for (int v = 0; v < nv; v++) total[v] += s[v];
    y = a->in + at;
    g = a->with + at;
    for (int64_t j = 0; j < a->n; j++, y += a->in_step, g += a->in_step, out += a->out_step)
#pragma GCC unroll 4
        for (int v = 0; v < nv; v++) {
            const T *p = (const T *)(const void *)y + v * W,
                    *q = (const T *)(const void *)g + v * W;
            T *to = (T *)(void *)out + v * W;
            if (k)
                ST_N(to, FN(slope)(LD_N(p, k), LD_N(q, k), total[v]), k);
            else
                ST(to, FN(slope)(LD(p), LD(q), total[v]));
        }
}

static APART void FN(beside)(const nomen__rows_args *a) {
    const int64_t item = (int64_t)sizeof(T);
    int64_t r = 0;
    for (; r + SIDES * W <= a->rows; r += SIDES * W) FN(strip)(a, r * item, SIDES, 0);
    for (; r + W <= a->rows; r += W) FN(strip)(a, r * item, 1, 0);
    if (r < a->rows) FN(strip)(a, r * item, 1, a->rows - r);
}

static void FN(rows)(const nomen__rows_args *a) {
    int64_t r = 0;
    if (a->in_step != (int64_t)sizeof(T)) {
        FN(beside)(a);
        return;
    }
    if (a->n <= W)
        for (; r + W <= a->rows; r += W) FN(vectors)(a, r);
    else if (a->n <= SHORT)
        for (; r + W <= a->rows; r += W) FN(short_rows)(a, r);
    for (; r < a->rows; r++) FN(straight)(a, r);
}

#undef LANES
#undef PART
#undef SFX
#undef TILE_SFX
#undef T
#undef F
#undef V
#undef W
#undef LD
#undef LD_N
#undef ST
#undef ST_N
#undef V_EXP
#undef V_PART
#undef F_OF
#undef T_OF
#undef WHOLE
