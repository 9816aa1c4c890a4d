/* Looks values up in a sorted row; no include guard. Wants FN, T, LD(x) and LESS(a, b), and perhaps
 * V and what else search_tree.h wants, which is left alone where masks cannot be counted. After:
 * but for LD and LESS these are undefined. */

/* Several values at once: each step waits for memory, so they wait together. All halve the row in
 * the same way, whatever they find. right: the first place where the row is larger, else where it
 * is not less. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, group)(char *const ptr[], const int64_t step[], int64_t first, const int many,
                      const bool dense, const bool right) {
    const int64_t apart = dense ? (int64_t)sizeof(T) : step[2];
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
        const char *middle = row + (half - 1) * apart;
        for (int k = 0; k < many; k++) {
            const T probe = *(const T *)(const void *)(middle + at[k] * apart);
            const int before = right ? !LESS(LD(raw[k]), LD(probe)) : LESS(LD(probe), LD(raw[k]));
            at[k] += half & -(int64_t)before;
        }
    }
    for (int k = 0; k < many; k++) *(int64_t *)(void *)(out + k * step[0]) = at[k];
}

#if defined V && SIMD_COUNTS
#define TREE
#include "kernels/loops/search_tree.h"
#endif

/* ptr: out (int64), values, row; step[3]: elements of the row; step[4]: 0 finds the first place
 * where the row is not less, 1 the first where it is larger. */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
#ifdef TREE
    /* samples are worth while where there are some values for each */
    if (step[2] == (int64_t)sizeof(T) && n >= 16 && n >= step[3] / (4 * W) &&
        LOOP_NAME2(FN, tree)(ptr, step, n))
        return;
#endif
    int64_t i = 0, eights = step[2] == (int64_t)sizeof(T) ? n - n % 8 : 0;
    if (step[4])
        for (; i < eights; i += 8) LOOP_NAME2(FN, group)(ptr, step, i, 8, true, true);
    else
        for (; i < eights; i += 8) LOOP_NAME2(FN, group)(ptr, step, i, 8, true, false);
    for (; i < n; i++) LOOP_NAME2(FN, group)(ptr, step, i, 1, false, step[4] != 0);
}

#undef TREE
#undef V
#undef W
#undef PAD
#undef ODD
#undef LESS_COUNT
#undef LEAST_COUNT
#undef FN
#undef T
