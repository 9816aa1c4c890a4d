/* Include-template: the best of the elements of a row, sought in lanes. Before: OP, SFX, F,
 * BETTER(a, b). After: FN(search). */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare" /* of integers none is a NaN */

/* The best of n >= lanes numbers (of which none is a NaN; equal ones may be any of them), and
 * whether there is a NaN, which is then what comes out. */
static inline __attribute__((always_inline)) F FN(search)(const F *x, int64_t n, const int lanes,
                                                          bool *any) {
    F s[64] __attribute__((aligned(64))), nan[64] __attribute__((aligned(64)));
    for (int l = 0; l < lanes; l++) s[l] = x[l], nan[l] = 0;
    for (int64_t j = 0; j < n; j += lanes) {
        if (j + lanes > n) j = n - lanes; /* the last ones once more: no harm to an extremum */
        /* Kept apart, so that each lane is a maximum and a comparison. */
        for (int l = 0; l < lanes; l++) {
            const F y = x[j + l];
            nan[l] = y != y ? y : nan[l];
            s[l] = BETTER(y, s[l]) ? y : s[l];
        }
    }
    /* A sum with a NaN is one; all the others are zeros. */
#pragma GCC unroll 8
    for (int w = lanes / 2; w; w /= 2)
        for (int l = 0; l < w; l++) {
            nan[l] = (F)(nan[l] + nan[l + w]);
            s[l] = BETTER(s[l + w], s[l]) ? s[l + w] : s[l];
        }
    *any = nan[0] != nan[0];
    return *any ? nan[0] : s[0];
}

#pragma GCC diagnostic pop
