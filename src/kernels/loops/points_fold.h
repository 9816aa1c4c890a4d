/* Adds a row of elements to places anywhere, or multiplies; no include guard. Wants FN, T, LD(x),
 * ST(x) (from and to what is computed in) and EXPR(own, other). One after the other, in order: a
 * place may come again. */

/* ptr: base, places (in elements), source */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    T *base = (T *)(void *)ptr[0];
    const int64_t *at = (const int64_t *)(const void *)ptr[1];
    const char *source = ptr[2];
    for (int64_t i = 0; i < n; i++) {
        T *own = base + at[i];
        const T *other = (const T *)(const void *)(source + i * step[2]);
        *own = ST(EXPR(LD(*own), LD(*other)));
    }
}
