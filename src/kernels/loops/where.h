/* The loop of where: picks by a bool among elements that are only moved; no include guard, included
 * by move.c once per element size. Wants FN and T. Shapes: contiguous, one of the two constant, the
 * mask constant, strided. */
#include "kernels/loops/twice.h"

/* A mask and elements at any steps, as blocks. */
static __attribute__((noinline)) void LOOP_NAME2(FN, strided)(char *const ptr[],
                                                              const int64_t step[], int64_t n) {
    uint8_t mask[LOOP_BLOCK];
    T x[LOOP_BLOCK], y[LOOP_BLOCK], result[LOOP_BLOCK];
    const uint8_t *m = NULL; /* what is one element is so in all blocks */
    const T *cx = NULL, *cy = NULL;
    for (int64_t i = 0; i < n; i += LOOP_BLOCK) {
        const int64_t k = n - i < LOOP_BLOCK ? n - i : LOOP_BLOCK;
        if (step[1] || !m) m = loop_gather(mask, ptr[1] + i * step[1], step[1], k, 1, 1);
        if (step[2] || !cx) cx = loop_gather(x, ptr[2] + i * step[2], step[2], k, sizeof(T), 1);
        if (step[3] || !cy) cy = loop_gather(y, ptr[3] + i * step[3], step[3], k, sizeof(T), 1);
        char *const o = ptr[0] + i * step[0];
        T *const r = loop_target(result, o, step[0], k, sizeof(T), 1);
        SIMD_IVDEP
        for (int64_t j = 0; j < k; j++) {
            const T a = cx[j], b = cy[j]; /* both are read, so that the choice needs no branch */
            r[j] = m[j] ? a : b;
        }
        loop_scatter(r, o, step[0], k, sizeof(T));
    }
}

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t size = (int64_t)sizeof(T), so = step[0], sm = step[1], sx = step[2], sy = step[3];
    const char *m = ptr[1], *x = ptr[2], *y = ptr[3];
    char *o = ptr[0];
    const int contiguous = so == size && sm == 1;
    const T *cx = (const T *)x, *cy = (const T *)y;
    T *co = (T *)o;
    if (contiguous && sx == size && sy == size) {
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) {
            const T a = cx[i], b = cy[i];
            co[i] = m[i] ? a : b;
        }
    } else if (contiguous && sx == size && sy == 0 && n > 0) {
        const T b = *cy;
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) {
            const T a = cx[i];
            co[i] = m[i] ? a : b;
        }
    } else if (contiguous && sx == 0 && sy == size && n > 0) {
        const T a = *cx;
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) {
            const T b = cy[i];
            co[i] = m[i] ? a : b;
        }
    } else if (so == size && sm == 0 && n > 0) { /* all from one of the two */
        const char *const from = *m ? x : y;
        const int64_t by = *m ? sx : sy;
        const T a = *(const T *)from;
        if (by == 0)
            for (int64_t i = 0; i < n; i++) co[i] = a;
        else if (from != o)
            loop_take(o, from, by, n, sizeof(T));
    } else {
        LOOP_NAME2(FN, strided)(ptr, step, n);
    }
}
