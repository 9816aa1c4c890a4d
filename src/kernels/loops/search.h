/* Looks values up in a sorted row; no include guard. Wants FN, T, LD(x) and LESS(a, b). */

/* ptr: out (int64), values, row; step[3]: elements of the row; step[4]: 0 finds the first place
 * where the row is not less, 1 the first where it is larger. */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const char *value = ptr[1], *row = ptr[2];
    char *out = ptr[0];
    for (int64_t i = 0; i < n; i++, value += step[1], out += step[0]) {
        const T raw = *(const T *)(const void *)value;
        int64_t at = 0, left = step[3];
        while (left > 0) {
            int64_t half = (left + 1) / 2;
            const T probe = *(const T *)(const void *)(row + (at + half - 1) * step[2]);
            int before = step[4] ? !LESS(LD(raw), LD(probe)) : LESS(LD(probe), LD(raw));
            at += before ? half : 0;
            left = before ? left - half : half - 1;
        }
        *(int64_t *)(void *)out = at;
    }
}
