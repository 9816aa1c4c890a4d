/* Include-template: a row of complex numbers in mirrors, as that of mirror.h. Before: T (a part),
 * SFX, PART (its own), V, W, LD, ST, LDN, STN, LANES (a power of 2 and a multiple of W). After:
 * mirror of SFX; these are undefined. */

/* All of x times a number, as parts of all lanes; the other one with the sign that it has there. */
typedef struct LOOP_NAME2(factor, SFX) {
    V re, im;
} LOOP_NAME2(factor, SFX);
static inline LOOP_NAME2(factor, SFX) LOOP_NAME2(factor_of, SFX)(T re, T im) {
    const V none = {0};
    return (LOOP_NAME2(factor, SFX)){re - none, -v_flip_odd(im - none)};
}
static inline V LOOP_NAME2(grown, SFX)(V x, LOOP_NAME2(factor, SFX) f, V y) {
    return x + (f.re * y + f.im * v_swap(y));
}

/* The factors are three: both parts of that of the second operand, and that of the normal. The row
 * times the conjugate of its first element is added to the sums. */
static void LOOP_NAME2(mirror, SFX)(char *const ptr[], const int64_t step[], int64_t n) {
    enum { VECTORS = LANES / W };
    T *row = (T *)(void *)ptr[0], *sums = (T *)(void *)ptr[3];
    const T *last = (const T *)(const void *)ptr[1], *normal = (const T *)(const void *)ptr[2],
            *factors = (const T *)(const void *)ptr[4];
    const LOOP_NAME2(factor, SFX) before = LOOP_NAME2(factor_of, SFX)(factors[0], factors[1]);
    V equal[VECTORS], unequal[VECTORS];
    T same[LANES] __attribute__((aligned(64))), other[LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    (void)step;
    n *= 2;
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) equal[v] = unequal[v] = (V){0};
    for (; i + LANES <= n; i += LANES)
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) {
            const int64_t k = i + v * W;
            const V x = LOOP_NAME2(grown, SFX)(LD(row + k), before, LD(last + k));
            const V y = LD(normal + k);
            ST(row + k, x);
            equal[v] += x * y;
            unequal[v] += x * v_swap(y);
        }
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++, i += W) {
        if (i >= n) break;
        const int64_t some = n - i < W ? n - i : W;
        const V x = LOOP_NAME2(grown, SFX)(LDN(row + i, some), before, LDN(last + i, some));
        const V y = LDN(normal + i, some);
        STN(row + i, x, some);
        equal[v] += x * y;
        unequal[v] += x * v_swap(y);
    }
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) {
        ST(same + v * W, equal[v]);
        ST(other + v * W, unequal[v]);
    }
    const T re = LOOP_NAME2(join, PART)(same, 1), im = -LOOP_NAME2(join, PART)(other, 2);
    const LOOP_NAME2(factor, SFX) far =
        LOOP_NAME2(factor_of, SFX)(factors[2] * re, factors[2] * im);
    const V first = LOOP_NAME2(grown, SFX)(LDN(row, 2), far, LDN(normal, 2));
    const LOOP_NAME2(factor, SFX) onto = LOOP_NAME2(factor_of, SFX)(first[0], -first[1]);
    for (i = 0; i + W <= n; i += W) {
        const V x = LOOP_NAME2(grown, SFX)(LD(row + i), far, LD(normal + i));
        ST(row + i, x);
        ST(sums + i, LOOP_NAME2(grown, SFX)(LD(sums + i), onto, x));
    }
    if (i < n) {
        const V x = LOOP_NAME2(grown, SFX)(LDN(row + i, n - i), far, LDN(normal + i, n - i));
        STN(row + i, x, n - i);
        STN(sums + i, LOOP_NAME2(grown, SFX)(LDN(sums + i, n - i), onto, x), n - i);
    }
}

#undef T
#undef SFX
#undef PART
#undef V
#undef W
#undef LD
#undef ST
#undef LDN
#undef STN
#undef LANES
