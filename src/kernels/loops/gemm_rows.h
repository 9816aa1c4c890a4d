/* Part of gemm_real.h: rows of floating numbers, of unit step, times a column. The products of a
 * row are added up in lanes; of a vector of rows the lanes are turned over, so that the sums of all
 * rows come out of some additions, as vector. A row by itself has the same sums in the same order.
 *
 * Limit: the loads; of short rows turning over, four shuffles a row. */

enum { FN(beside) = VB == 64 ? 4 : 2 }; /* rows that share what is loaded of the column */

/* A column of k elements, as they are computed with, or as they are stored. Where rows end inside a
 * vector, their last vector reaches back: of it some lanes are kept. */
typedef struct FN(factor) {
    const char *x;
    V last, keep;
    int64_t k;
    bool reaches; /* a vector back from the end is still the row */
} FN(factor);

static inline __attribute__((always_inline)) V FN(factor_at)(const char *x, int64_t p,
                                                             const bool stored) {
    return stored ? LDV(&CAT(T, x, p * E)) : FN(own)(&CAT(C, x, p * (int64_t)sizeof(C)));
}

static inline __attribute__((always_inline)) FN(factor)
    FN(factor_of)(const char *x, int64_t k, bool longer, const bool stored) {
    static const unsigned char last_of[2 * VB] = {[VB... 2 * VB - 1] = 0xff};
    FN(factor) f = {.x = x, .k = k, .reaches = longer || k >= W};
    C last[W] = {0};
    const int64_t rest = k % W, first = f.reaches ? W - rest : 0;
    memcpy(&f.keep, last_of + (f.reaches ? rest : W - k) * (int64_t)sizeof(C), VB);
    if (!f.reaches) f.keep = (V) ~(vu32)f.keep; /* the first ones */
    if (k >= W) {
        f.last = (V)((vu32)FN(factor_at)(x, k - W, stored) & (vu32)f.keep);
    } else {
        for (int64_t i = 0; i < k; i++)
            last[first + i] = stored ? C_OF(CAT(T, x, i * E)) : CAT(C, x, i * (int64_t)sizeof(C));
        memcpy(&f.last, last, sizeof f.last);
    }
    return f;
}

/* Of `rows` rows, `row` bytes apart, the sums in lanes. */
static inline __attribute__((always_inline)) void FN(lanes)(V *out, const char *a, int64_t row,
                                                            const FN(factor) * f, const int rows,
                                                            const bool stored) {
    V s[FN(beside)][4];
    const int64_t k = f->k;
    int64_t p = 0;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int u = 0; u < 4; u++) s[r][u] = (V){0};
    for (; p + 4 * W <= k; p += 4 * W)
#pragma GCC unroll 4
        for (int u = 0; u < 4; u++) {
            const V y = FN(factor_at)(f->x, p + u * W, stored);
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++)
                s[r][u] = FMA(LDV(&CAT(T, a, r * row + (p + u * W) * E)), y, s[r][u]);
        }
    for (; p + W <= k; p += W) {
        const V y = FN(factor_at)(f->x, p, stored);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) s[r][0] = FMA(LDV(&CAT(T, a, r * row + p * E)), y, s[r][0]);
    }
    if (p < k)
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const char *in = a + r * row;
            const V x = f->reaches ? LDV(&CAT(T, in, (k - W) * E)) : LDV_N(&CAT(T, in, 0), k);
            s[r][1] = FMA((V)((vu32)x & (vu32)f->keep), f->last, s[r][1]);
        }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
        out[r] = s[r][0] + s[r][1];
        if (k >= 4 * W) out[r] += s[r][2] + s[r][3];
    }
}

/* One row of a column's length. */
static inline __attribute__((always_inline)) C FN(row_sum)(const char *a, const FN(factor) * f,
                                                           const bool stored) {
    C lane[W];
    V s;
    FN(lanes)(&s, a, 0, f, 1, stored);
    memcpy(lane, &s, sizeof lane);
#pragma GCC unroll 4
    for (int half = W / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

/* One row; longer: more of it lies before a. */
static inline __attribute__((always_inline)) C FN(blocks_sum)(const T *a, const char *x, int64_t k,
                                                              bool longer, const bool stored) {
    const int64_t e = stored ? E : (int64_t)sizeof(C);
    C total = 0;
    for (int64_t p = 0; p < k; p += GEMM_DOT) {
        const int64_t some = k - p < GEMM_DOT ? k - p : GEMM_DOT;
        const FN(factor) f = FN(factor_of)(x + p * e, some, longer || p > 0, stored);
        total += FN(row_sum)((const char *)(a + p), &f, stored);
    }
    return total;
}
static APART C FN(dot)(const T *a, const C *x, int64_t k, bool longer) {
    return FN(blocks_sum)(a, (const char *)x, k, longer, false);
}
#if ROUNDS
/* Both as they are stored: a copy of x, widened, would take longer than the sum. */
static APART C FN(dot_stored)(const T *a, const T *x, int64_t k) {
    return FN(blocks_sum)(a, (const char *)x, k, false, true);
}
#endif

/* The sums of the lanes of each of W rows. */
static inline __attribute__((always_inline)) V FN(turned_sums)(V s[W]) {
    TURN(s);
#pragma GCC unroll 4
    for (int half = W / 2; half; half /= 2)
#pragma GCC unroll 8
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

/* W of them to where they belong. */
static inline void FN(put_sums)(char *c, V sum, int64_t step) {
    if (step == E)
        STV(&AT(T, c, 0), sum);
    else
        for (int64_t l = 0; l < W; l++) AT(T, c, l * step) = T_OF(sum[l]);
}

/* W rows: their sums of one block, in tiles of rows. */
static inline V FN(row_sums)(const char *a, int64_t row, const FN(factor) * f) {
    V s[W];
    for (int r = 0; r < W; r += FN(beside))
        FN(lanes)(s + r, a + r * row, row, f, FN(beside), false);
    return FN(turned_sums)(s);
}

/* The same where so many vectors are whole, few enough to be known: nothing but loads and sums. Of
 * rows shorter than a vector one is loaded where there is enough behind them. */
static inline __attribute__((always_inline)) V FN(short_sums)(const char *a, int64_t row,
                                                              const FN(factor) * f, const int whole,
                                                              const bool ahead) {
    const int64_t k = f->k;
    V s[W], y[3];
#pragma GCC unroll 4
    for (int u = 0; u < whole; u++) y[u] = FN(factor_at)(f->x, u * W, false);
#pragma GCC unroll 16
    for (int r = 0; r < W; r++, a += row) {
        s[r] = (V){0};
#pragma GCC unroll 4
        for (int u = 0; u < whole; u++) s[r] = FMA(LDV(&CAT(T, a, u * W * E)), y[u], s[r]);
        if (k == whole * W) continue;
        const V x = whole   ? LDV(&CAT(T, a, (k - W) * E))
                    : ahead ? LDV(&CAT(T, a, 0))
                            : LDV_N(&CAT(T, a, 0), k);
        s[r] += FMA((V)((vu32)x & (vu32)f->keep), f->last, (V){0});
    }
    return FN(turned_sums)(s);
}

static inline __attribute__((always_inline)) int64_t FN(short_rows)(char *c, const char *a,
                                                                    const FN(factor) * f, int64_t m,
                                                                    int64_t row, int64_t c_step,
                                                                    const int whole) {
    const int64_t end = (m - 1) * row + f->k * E, reach = (W - 1) * row + W * E;
    int64_t i = 0;
    for (; whole == 0 && row > 0 && i * row + reach <= end; i += W) {
        const V sum = (V){0} + FN(short_sums)(a + i * row, row, f, whole, true);
        FN(put_sums)(c + i * c_step, sum, c_step);
    }
    for (; i + W <= m; i += W) {
        const V sum = (V){0} + FN(short_sums)(a + i * row, row, f, whole, false);
        FN(put_sums)(c + i * c_step, sum, c_step);
    }
    return i;
}

static APART void FN(rows_column)(char *c, const char *a, const C *x, int64_t m, int64_t k,
                                  int64_t row, int64_t c_step) {
    if (m <= GEMM_SMALL &&
        k < W) { /* so few by themselves are no part of many that were shared out */
        for (int64_t i = 0; i < m; i++) {
            C sum = 0;
            for (int64_t p = 0; p < k; p++) sum += C_OF(CAT(T, a, i * row + p * E)) * x[p];
            AT(T, c, i * c_step) = T_OF(sum);
        }
        return;
    }
    const FN(factor) whole =
        FN(factor_of)((const char *)x, k < GEMM_DOT ? k : GEMM_DOT, false, false);
    int64_t i = 0;
    switch (k / W) {
    case 0: i = FN(short_rows)(c, a, &whole, m, row, c_step, 0); break;
    case 1: i = FN(short_rows)(c, a, &whole, m, row, c_step, 1); break;
    case 2: i = FN(short_rows)(c, a, &whole, m, row, c_step, 2); break;
    case 3: i = FN(short_rows)(c, a, &whole, m, row, c_step, 3); break;
    }
    for (; i + W <= m; i += W) {
        const char *in = a + i * row;
        V sum = (V){0} + FN(row_sums)(in, row, &whole);
        for (int64_t p = GEMM_DOT; p < k; p += GEMM_DOT) {
            const int64_t some = k - p < GEMM_DOT ? k - p : GEMM_DOT;
            const FN(factor) f = FN(factor_of)((const char *)(x + p), some, true, false);
            sum += FN(row_sums)(in + p * E, row, &f);
        }
        FN(put_sums)(c + i * c_step, sum, c_step);
    }
    for (; k <= GEMM_DOT && i < m; i++)
        AT(T, c, i * c_step) = T_OF((C)0 + FN(row_sum)(a + i * row, &whole, false));
    for (; i < m; i++) AT(T, c, i * c_step) = T_OF(FN(dot)(&CAT(T, a, i * row), x, k, false));
}
