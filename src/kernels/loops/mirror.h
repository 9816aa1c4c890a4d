/* Include-template: the product of two rows of real numbers, and a row in mirrors. Before: T, SFX,
 * LANES (a power of 2 above FEW). After: join, product and mirror of SFX; T, SFX and LANES are
 * undefined. */

/* The lanes joined in halves: all in one sum, or even ones less odd ones. */
static inline T LOOP_NAME2(join, SFX)(T *s, int least) {
#pragma GCC unroll 8
    for (int w = LANES / 2; w >= least; w /= 2)
        for (int l = 0; l < w; l++) s[l] += s[l + w];
    return least == 1 ? s[0] : s[0] - s[1];
}

static void LOOP_NAME2(product, SFX)(char *const ptr[], const int64_t step[], int64_t n) {
    const T *a = (const T *)(const void *)ptr[1], *b = (const T *)(const void *)ptr[2];
    T s[LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    (void)step;
    for (int l = 0; l < LANES; l++) s[l] = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += a[i + l] * b[i + l];
    for (; i + FEW <= n; i += FEW)
        for (int l = 0; l < FEW; l++) s[l] += a[i + l] * b[i + l];
    for (int l = 0; i + l < n; l++) s[l] += a[i + l] * b[i + l];
    *(T *)(void *)ptr[0] = LOOP_NAME2(join, SFX)(s, 1);
}

/* A row in two mirrors, in two looks. Operands: the row, what the last mirror from the left adds to
 * it, the normal of the next one from the right, sums, and factors: of the second operand, and of
 * the normal in units of its product with the row. Then the row times its first element is added
 * to the sums. */
static void LOOP_NAME2(mirror, SFX)(char *const ptr[], const int64_t step[], int64_t n) {
    T *row = (T *)(void *)ptr[0], *sums = (T *)(void *)ptr[3];
    const T *last = (const T *)(const void *)ptr[1], *normal = (const T *)(const void *)ptr[2],
            *factors = (const T *)(const void *)ptr[4], factor = factors[0];
    T s[LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    (void)step;
    for (int l = 0; l < LANES; l++) s[l] = 0;
    for (; i + LANES <= n; i += LANES) {
        SIMD_IVDEP
        for (int l = 0; l < LANES; l++) {
            const T x = row[i + l] + factor * last[i + l];
            row[i + l] = x;
            s[l] += x * normal[i + l];
        }
    }
    SIMD_IVDEP
    for (int64_t k = i; k < n; k++) row[k] += factor * last[k];
    for (; i + FEW <= n; i += FEW)
        for (int l = 0; l < FEW; l++) s[l] += row[i + l] * normal[i + l];
    for (int l = 0; i + l < n; l++) s[l] += row[i + l] * normal[i + l];
    const T far = factors[1] * LOOP_NAME2(join, SFX)(s, 1), first = row[0] + far * normal[0];
    SIMD_IVDEP
    for (i = 0; i < n; i++) {
        const T x = row[i] + far * normal[i];
        row[i] = x;
        sums[i] += first * x;
    }
}

#undef T
#undef SFX
#undef LANES
