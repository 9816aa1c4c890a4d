/* The loop of where: picks by a bool among elements that are only moved; no include guard, included
 * by move.c once per element size. Wants FN and T. Shapes: contiguous, one of the two constant, the
 * mask constant, strided. */
#include "kernels/loops/twice.h"
#include "kernels/simd/pick.h"

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

/* One of two by their bits. */
static inline __attribute__((always_inline)) void LOOP_NAME2(FN, one)(T *o, uint8_t m, const T *x,
                                                                      const T *y) {
    enum { WORDS = sizeof(T) > 8 ? 2 : 1, BYTES = sizeof(T) / WORDS };
    uint64_t a[WORDS] = {0}, b[WORDS] = {0};
    for (int w = 0; w < WORDS; w++) {
        memcpy(&a[w], (const char *)x + w * BYTES, BYTES);
        memcpy(&b[w], (const char *)y + w * BYTES, BYTES);
        b[w] ^= (a[w] ^ b[w]) & (0 - (uint64_t)(m != 0));
    }
    for (int w = 0; w < WORDS; w++) memcpy((char *)o + w * BYTES, &b[w], BYTES);
}

/* What is left behind whole vectors of masks. The compiler makes a branch of each choice there, and
 * nothing tells which way it goes. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, rest)(T *o, const uint8_t *m, const T *x, const T *y, int64_t i, int64_t n,
                     const bool lone_x, const bool lone_y) {
#if VB == 64
    enum { LANES = PICK_LANES(sizeof(T)) };
    for (; i < n; i += LANES)
        simd_pick(o + i, m + i, x + (lone_x ? 0 : i), y + (lone_y ? 0 : i),
                  n - i < LANES ? n - i : LANES, sizeof(T), lone_x, lone_y);
#else
#if VB == 32
    enum { LANES = PICK_LANES(sizeof(T)) };
    /* The last ones with some of those before once more, unless the masks are gone by then. */
    if (n >= LANES && (sizeof(T) > 1 || (const void *)o != m))
        for (; i < n; i += LANES) {
            if (i > n - LANES) i = n - LANES;
            simd_pick(o + i, m + i, x + (lone_x ? 0 : i), y + (lone_y ? 0 : i), sizeof(T), lone_x,
                      lone_y);
        }
#endif
    for (; i < n; i++) LOOP_NAME2(FN, one)(o + i, m[i], x + (lone_x ? 0 : i), y + (lone_y ? 0 : i));
#endif
}

/* Of the two one may be alone. Whole vectors of masks first, unless two lanes are all that a vector
 * has, or elements are pairs: the compiler has no vectors for those. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, dense)(T *o, const char *m, const T *x, const T *y, int64_t n, const bool lone_x,
                      const bool lone_y) {
    const int64_t whole = sizeof(T) <= 8 && 2 * sizeof(T) < VB ? n - n % VB : 0;
    SIMD_IVDEP
    LOOP_TWICE
    for (int64_t i = 0; i < whole; i++) {
        const T a = x[lone_x ? 0 : i], b = y[lone_y ? 0 : i]; /* both are read */
        o[i] = m[i] ? a : b;
    }
    LOOP_NAME2(FN, rest)(o, (const uint8_t *)m, x, y, whole, n, lone_x, lone_y);
}

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t size = (int64_t)sizeof(T), so = step[0], sm = step[1], sx = step[2], sy = step[3];
    const char *m = ptr[1], *x = ptr[2], *y = ptr[3];
    char *o = ptr[0];
    const int contiguous = so == size && sm == 1;
    const T *cx = (const T *)x, *cy = (const T *)y;
    T *co = (T *)o;
    if (contiguous && sx == size && sy == size) {
        LOOP_NAME2(FN, dense)(co, m, cx, cy, n, false, false);
    } else if (contiguous && sx == size && sy == 0 && n > 0) {
        const T b = *cy;
        LOOP_NAME2(FN, dense)(co, m, cx, &b, n, false, true);
    } else if (contiguous && sx == 0 && sy == size && n > 0) {
        const T a = *cx;
        LOOP_NAME2(FN, dense)(co, m, &a, cy, n, true, false);
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
