/* Adds a row of elements to places anywhere, or multiplies; no include guard. Wants FN, T, LD(x),
 * ST(x) (from and to what is computed in) and EXPR(own, other). One after the other, in order: a
 * place may come again. Perhaps FOUR(T *base, const int64_t *at, const T *source), which does four
 * at once and is false where two of them are to one place, as is usual in lines of a few places, so
 * these do without; taken away again. */

static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, by)(T *base, const int64_t *at, const char *source, int64_t by, int64_t n) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        int64_t to[4];
        T x[4]; /* what the places do not change */
#ifdef FOUR
        if (by == (int64_t)sizeof(T) && n != SHORT_LINE &&
            FOUR(base, at + i, (const T *)(const void *)(source + i * by)))
            continue;
#endif
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            to[k] = at[i + k];
            x[k] = *(const T *)(const void *)(source + (i + k) * by);
        }
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            T *own = base + to[k];
            *own = ST(EXPR(LD(*own), LD(x[k])));
        }
    }
    for (; i < n; i++) {
        T *own = base + at[i];
        const T *other = (const T *)(const void *)(source + i * by);
        *own = ST(EXPR(LD(*own), LD(*other)));
    }
}

static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, lines)(char *const ptr[], const int64_t step[], int64_t by, int64_t n) {
    const int64_t lines = step[LINES], to = step[LINES + 1], over = step[LINES + 2],
                  from = step[LINES + 3];
    char *base = ptr[0];
    const char *at = ptr[1], *source = ptr[2];
    for (int64_t i = 0; i < lines; i++, base += to, at += over, source += from)
        LOOP_NAME2(FN, by)((T *)(void *)base, (const int64_t *)(const void *)at, source, by, n);
}

/* ptr: base, places (in elements), source; step: see NOMEN__POINTS_LINES */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    if (step[2] == (int64_t)sizeof(T) && n == SHORT_LINE)
        LOOP_NAME2(FN, lines)(ptr, step, sizeof(T), SHORT_LINE);
    else if (step[2] == (int64_t)sizeof(T))
        LOOP_NAME2(FN, lines)(ptr, step, sizeof(T), n);
    else
        LOOP_NAME2(FN, lines)(ptr, step, step[2], n);
}
#undef FOUR
