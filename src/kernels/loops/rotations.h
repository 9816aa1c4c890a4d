/* Include-template: neighbouring rows of a matrix rotated one pair after another, some columns of
 * them. Before: T, SFX, V, W, LD, ST, ONE(T) -> V. After: rotations of SFX; these are undefined.
 *
 * The row that two rotations share stays in registers: each row is read and written once. */

/* Operands: the first row, and two double of each rotation, c and s; the step of the first: to the
 * next row. Row and next row become c * row + s * next and c * next - s * row. */
static void LOOP_NAME2(rotations, SFX)(char *const ptr[], const int64_t step[], int64_t n) {
    enum { VECTORS = ROTATED_BYTES / (int)sizeof(T) / W };
    char *row = ptr[0];
    const double *factors = (const double *)(const void *)ptr[1];
    const int64_t to_next = step[0];
    V x[VECTORS];
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) x[v] = LD(row + v * (int)sizeof(V));
    for (int64_t i = 0; i < n; i++, row += to_next) {
        const V c = ONE((T)factors[2 * i]), s = ONE((T)factors[2 * i + 1]);
#pragma GCC unroll 16
        for (int v = 0; v < VECTORS; v++) {
            const V y = LD(row + to_next + v * (int)sizeof(V));
            ST(row + v * (int)sizeof(V), c * x[v] + s * y);
            x[v] = c * y - s * x[v];
        }
    }
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) ST(row + v * (int)sizeof(V), x[v]);
}

#undef T
#undef SFX
#undef V
#undef W
#undef LD
#undef ST
#undef ONE
