/* Include-template: the lanes of a vector as one number, for functions of whole rows. Before: FN, F
 * (float or double), V (vector of F), W (its lanes). After: FN(top), FN(total), FN(first). */

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
