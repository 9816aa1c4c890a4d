/* Looks values up in a sorted row; no include guard. Wants FN, T, LD(x) and LESS(a, b). */

/* Several values at once: each step waits for memory, so they wait together. All halve the row in
 * the same way, whatever they find. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, group)(char *const ptr[], const int64_t step[], int64_t first, const int many) {
    const char *value = ptr[1] + first * step[1], *row = ptr[2];
    char *out = ptr[0] + first * step[0];
    T raw[8];
    int64_t at[8];
    for (int k = 0; k < many; k++) {
        raw[k] = *(const T *)(const void *)(value + k * step[1]);
        at[k] = 0;
    }
    for (int64_t left = step[3], half; left > 0; left -= half) {
        half = left > 1 ? left / 2 : 1;
        for (int k = 0; k < many; k++) {
            const T probe = *(const T *)(const void *)(row + (at[k] + half - 1) * step[2]);
            int before = step[4] ? !LESS(LD(raw[k]), LD(probe)) : LESS(LD(probe), LD(raw[k]));
            at[k] += half & -(int64_t)before;
        }
    }
    for (int k = 0; k < many; k++) *(int64_t *)(void *)(out + k * step[0]) = at[k];
}

/* ptr: out (int64), values, row; step[3]: elements of the row; step[4]: 0 finds the first place
 * where the row is not less, 1 the first where it is larger. */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) LOOP_NAME2(FN, group)(ptr, step, i, 8);
    for (; i < n; i++) LOOP_NAME2(FN, group)(ptr, step, i, 1);
}
