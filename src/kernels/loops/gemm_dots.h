/* Part of gemm_real.h: rows of whole numbers times a column. Their sums may be added up in any
 * order, so several rows share what is loaded of the column, and the last vector of a row reaches
 * back over elements that are multiplied by 0.
 *
 * Limit: one load and one multiplication for W elements of a row. */

/* The sum of all lanes. */
static inline C FN(total)(V v) {
    typedef C part __attribute__((vector_size(16)));
    typedef uint64_t pair __attribute__((vector_size(16)));
    part p[VB / 16], s = {0};
    memcpy(p, &v, sizeof v);
#pragma GCC unroll 4
    for (int i = 0; i < VB / 16; i++) s += p[i];
    s += (part)__builtin_shufflevector((pair)s, (pair)s, 1, 0);
#pragma GCC unroll 4
    for (int bits = 32; bits >= 8 * (int)sizeof(C); bits /= 2) s += (part)((pair)s >> bits);
    return s[0];
}

/* A column: elements as they are computed with, or, where x is NULL, as they are stored. */
typedef struct FN(factor) {
    const C *x;
    const T *stored;
    V last; /* the last W elements, 0 where whole vectors reach; all of them where k < W */
} FN(factor);

static inline FN(factor) FN(factor_of)(const C *x, const T *stored, int64_t k) {
    FN(factor) f = {x, stored, {0}};
    C last[W] = {0};
    const int64_t rest = k % W, first = k < W ? 0 : W - rest;
    for (int64_t i = 0; i < rest; i++)
        last[first + i] = x ? x[k - rest + i] : C_OF(stored[k - rest + i]);
    memcpy(&f.last, last, sizeof f.last);
    return f;
}

/* Sums of `rows` rows of k elements, `row` bytes apart, in lanes. */
static inline __attribute__((always_inline)) void FN(sums)(V s[4], const char *a, int64_t row,
                                                           const FN(factor) * f, int64_t k,
                                                           const int rows, const bool stored) {
    int64_t p = 0;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) s[r] = (V){0};
    for (; p + W <= k; p += W) {
        const V y = stored ? LDV(f->stored + p) : FN(own)(f->x + p);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) s[r] += LDV(&CAT(T, a, r * row + p * E)) * y;
    }
    if (p == k) return;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
        const T *in = &CAT(T, a, r * row);
        s[r] += (k < W ? LDV_N(in, k) : LDV(in + k - W)) * f->last;
    }
}

/* One row times a column as it is computed with, or stored; longer: more of it lies before a. */
static APART C FN(dot)(const T *a, const C *x, int64_t k, bool longer) {
    (void)longer;
    const FN(factor) f = FN(factor_of)(x, NULL, k);
    V s[4];
    FN(sums)(s, (const char *)a, 0, &f, k, 1, false);
    return FN(total)(s[0]);
}
static APART C FN(dot_stored)(const T *a, const T *b, int64_t k) {
    const FN(factor) f = FN(factor_of)(NULL, b, k);
    V s[4];
    FN(sums)(s, (const char *)a, 0, &f, k, 1, true);
    return FN(total)(s[0]);
}

static APART void FN(rows_column)(char *c, const char *a, const C *x, int64_t m, int64_t k,
                                  int64_t row, int64_t c_step) {
    const FN(factor) f = FN(factor_of)(x, NULL, k);
    int64_t i = 0;
    for (; i + 4 <= m; i += 4) {
        V s[4];
        FN(sums)(s, a + i * row, row, &f, k, 4, false);
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) AT(T, c, (i + r) * c_step) = T_OF(FN(total)(s[r]));
    }
    for (; i < m; i++) {
        V s[4];
        FN(sums)(s, a + i * row, row, &f, k, 1, false);
        AT(T, c, i * c_step) = T_OF(FN(total)(s[0]));
    }
}
