/* Elements of one size last to first; no include guard. Wants FN and T; from: the first one in
 * memory, which becomes the last. */

static void FN(char *out, const char *first, int64_t n) {
    const T *from = (const T *)first;
    T *to = (T *)out;
    SIMD_IVDEP
    for (int64_t i = 0; i < n; i++) to[i] = from[n - 1 - i];
}
