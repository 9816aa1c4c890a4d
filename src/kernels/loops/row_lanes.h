/* Include-template: the lanes of a vector as one number, for functions of whole rows. Before: FN, F
 * (float or double), V (vector of F), W (its lanes), E (elements in memory), LDV and LDV_N (of
 * these; the first n). After: FN(top), FN(total), FN(first), FN(largest). */

/* The lanes joined in halves: few steps that wait for each other. */
static inline F FN(top)(V m) {
    F t[W] __attribute__((aligned(64)));
    memcpy(t, &m, sizeof m);
#pragma GCC unroll 8
    for (int w = W / 2; w; w /= 2)
        for (int l = 0; l < w; l++) t[l] = t[l + w] > t[l] ? t[l + w] : t[l];
    return t[0];
}
static inline double FN(total)(V s) {
    F f[W] __attribute__((aligned(64)));
    double t[W64] __attribute__((aligned(64)));
    memcpy(f, &s, sizeof s);
    const vf64 whole = W == W64 ? WIDENED(f) : WIDENED(f) + WIDENED(f + W64);
    memcpy(t, &whole, sizeof whole);
#pragma GCC unroll 3
    for (int w = W64 / 2; w; w /= 2)
        for (int l = 0; l < w; l++) t[l] += t[l + w];
    return t[0];
}

/* The first k lanes of x, and `other` in those behind. */
static inline V FN(first)(V x, int64_t k, V other) {
    V lane;
    for (int l = 0; l < W; l++) lane[l] = (F)l;
    return v_sel(lane < v_like(x, (F)k), x, other);
}

/* The largest of n elements in a row. Two vectors of them: one alone would wait for itself. */
static inline F FN(largest)(const E *x, int64_t n) {
    const V none = v_like((V){0}, -__builtin_inf());
    V m = none, m2 = none;
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W) {
        m = v_greater(LDV(x + j), m);
        m2 = v_greater(LDV(x + j + W), m2);
    }
    if (j + W <= n) {
        m = v_greater(LDV(x + j), m);
        j += W;
    }
    if (j < n) m2 = v_greater(FN(first)(LDV_N(x + j, n - j), n - j, none), m2);
    return FN(top)(v_greater(m2, m));
}
