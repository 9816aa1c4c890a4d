/* Include-template: powers of complex numbers. Before: T, PART (f32 or f64), NARROW, FN and ROOT
 * (the loop of sqrt), maybe CUBES(o, a, n). Takes them away. */

static __attribute__((noinline)) void LOOP_NAME2(FN, run)(T *o, const T *a, const T *b, int64_t n) {
    for (int64_t i = 0; i < n; i += W64) {
        vi64 unfit;
        const vc64 x = LOOP_NAME2(vc_load, PART)(a + i), y = LOOP_NAME2(vc_load, PART)(b + i);
        vc64 r = vc_pow(x, y, NARROW, &unfit);
        if (__builtin_expect(v_any64(unfit), 0)) r = pow_else(x, y, NARROW, unfit, r);
        LOOP_NAME2(vc_store, PART)(o + i, r);
    }
}
static inline __attribute__((always_inline)) void LOOP_NAME2(FN, product)(T *o, const T *a,
                                                                          double power, int64_t n) {
    const vc64 y = {v_set_f64(power), (vf64){0}};
    for (int64_t i = 0; i < n; i += W64) {
        vi64 unfit;
        const vc64 x = LOOP_NAME2(vc_load, PART)(a + i);
        vc64 r = vc_pow_whole(x, power, &unfit);
        if (__builtin_expect(v_any64(unfit), 0)) r = pow_else(x, y, NARROW, unfit, r);
        LOOP_NAME2(vc_store, PART)(o + i, r);
    }
}
static __attribute__((noinline)) void LOOP_NAME2(FN, whole)(T *o, const T *a, double power,
                                                            int64_t n) {
    if (power == 3) /* the most frequent one by itself */
#ifdef CUBES
        CUBES(o, a, n);
#else
        LOOP_NAME2(FN, product)(o, a, 3, n);
#endif
    else
        LOOP_NAME2(FN, product)(o, a, power, n);
}

/* An exponent for all, as most often, is looked at once. */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const char *a = ptr[1], *b = ptr[2];
    char *o = ptr[0];
    T x[LOOP_BLOCK], y[LOOP_BLOCK], result[LOOP_BLOCK];
    const T *px = NULL, *py = NULL;
    bool whole = false;
    double power = 0;
    if (n > 0 && step[2] == 0) {
        const T one = *(const T *)(const void *)b;
        power = (double)one.re;
        if (one.im == 0 && power == 0.5) {
            ROOT(ptr, step, n);
            return;
        }
        whole = one.im == 0 && power == rint(power) && fabs(power) <= 8;
    }
    if (whole && step[0] == (int64_t)sizeof(T) && step[1] == (int64_t)sizeof(T)) {
        const int64_t k = n & ~(int64_t)(W64 - 1);
        LOOP_NAME2(FN, whole)((T *)(void *)o, (const T *)(const void *)a, power, k);
        n -= k, a += k * step[1], o += k * step[0];
    }
    for (int64_t k; n > 0; n -= k, a += k * step[1], b += k * step[2], o += k * step[0]) {
        k = n < LOOP_BLOCK ? n : LOOP_BLOCK;
        const int64_t padded = (k + W64 - 1) & ~(int64_t)(W64 - 1);
        if (step[1] || !px) px = loop_gather(x, a, step[1], k, sizeof(T), W64);
        if (!whole && (step[2] || !py)) py = loop_gather(y, b, step[2], k, sizeof(T), W64);
        for (int64_t j = k; j < padded; j++) { /* zeros would go to libm */
            if (px == x) x[j] = x[k - 1];
            if (py == y) y[j] = y[k - 1];
        }
        T *const r = loop_target(result, o, step[0], k, sizeof(T), W64);
        if (whole)
            LOOP_NAME2(FN, whole)(r, px, power, padded);
        else
            LOOP_NAME2(FN, run)(r, px, py, padded);
        loop_scatter(r, o, step[0], k, sizeof(T));
    }
}

#undef T
#undef PART
#undef NARROW
#undef FN
#undef ROOT
#undef CUBES
