/* Include-template: neighbouring rows of a matrix rotated one pair after another, some columns of
 * them. Before: T, SFX, V, W, LD, ST, ONE(T) -> V, ROTATED (numbers of a row at a time). After:
 * rotations of SFX; these are undefined.
 *
 * The row that two rotations share stays in registers: each row is read and written once. */

/* Row and next row become c * row + s * next and c * next - s * row, n times. */
static inline void LOOP_NAME2(rotated, SFX)(char *row, const double *factors, int64_t to_next,
                                            int64_t n) {
    enum { VECTORS = ROTATED / W, V_BYTES = sizeof(V) };
    V x[VECTORS];
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) x[v] = LD(row + v * V_BYTES);
    for (int64_t i = 0; i < n; i++, row += to_next) {
        const V c = ONE((T)factors[2 * i]), s = ONE((T)factors[2 * i + 1]);
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) {
            const V y = LD(row + to_next + v * V_BYTES);
            ST(row + v * V_BYTES, c * x[v] + s * y);
            x[v] = c * y - s * x[v];
        }
    }
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) ST(row + v * V_BYTES, x[v]);
}

/* Operands: the first row, and two double of each rotation, c and s. Steps: to the next row; the
 * bytes of a row, a multiple of those of ROTATED numbers. */
static void LOOP_NAME2(rotations, SFX)(char *const ptr[], const int64_t step[], int64_t n) {
    const double *factors = (const double *)(const void *)ptr[1];
    for (int64_t at = 0; at < step[1]; at += ROTATED * (int64_t)sizeof(T))
        LOOP_NAME2(rotated, SFX)(ptr[0] + at, factors, step[0], n);
}

#undef T
#undef SFX
#undef V
#undef W
#undef LD
#undef ST
#undef ONE
#undef ROTATED
