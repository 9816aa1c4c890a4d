/* The loop of where: picks by a bool among elements that are only moved; no include guard, included
 * by move.c once per element size. Wants FN and T. Shapes: contiguous, one of the two constant,
 * strided. */

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t size = (int64_t)sizeof(T), so = step[0], sm = step[1], sx = step[2], sy = step[3];
    const char *m = ptr[1], *x = ptr[2], *y = ptr[3];
    char *o = ptr[0];
    const int contiguous = so == size && sm == 1;
    const T *cx = (const T *)x, *cy = (const T *)y;
    T *co = (T *)o;
    if (contiguous && sx == size && sy == size) {
        SIMD_IVDEP
        for (int64_t i = 0; i < n; i++) {
            const T a = cx[i], b = cy[i]; /* both are read, so that the choice needs no branch */
            co[i] = m[i] ? a : b;
        }
    } else if (contiguous && sx == size && sy == 0 && n > 0) {
        const T b = *cy;
        SIMD_IVDEP
        for (int64_t i = 0; i < n; i++) {
            const T a = cx[i];
            co[i] = m[i] ? a : b;
        }
    } else if (contiguous && sx == 0 && sy == size && n > 0) {
        const T a = *cx;
        SIMD_IVDEP
        for (int64_t i = 0; i < n; i++) {
            const T b = cy[i];
            co[i] = m[i] ? a : b;
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            *(T *)(o + i * so) = m[i * sm] ? *(const T *)(x + i * sx) : *(const T *)(y + i * sy);
        }
    }
}
