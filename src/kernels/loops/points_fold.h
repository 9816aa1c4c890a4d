/* Adds a row of elements to places anywhere, or multiplies; no include guard. Wants FN, T, LD(x),
 * ST(x) (from and to what is computed in) and EXPR(own, other). One after the other, in order: a
 * place may come again. Perhaps LD_FOUR(to, source), which is LD of four elements at once, and
 * FOUR(T *base, const int64_t *at, const T *source), which does four at once and is false where two
 * of them are to one place, as is usual in lines of a few places: those do without, and so does a
 * line in which it has often been false. ROUNDED(x) if there is a better way to LD(ST(x)). All
 * three are taken away again. */

#ifndef ROUNDED
#define ROUNDED(x) LD(ST(x))
#endif

static inline __attribute__((always_inline)) void LOOP_NAME2(FN, one)(T *own, const T *other) {
    *own = ST(EXPR(LD(*own), LD(*other)));
}

#ifdef FOUR
/* Of a long line as many as go four at once; says how many. By itself: beside the loop of single
 * ones its registers do not suffice. */
static __attribute__((noinline)) int64_t LOOP_NAME2(FN, fours)(T *base, const int64_t *at,
                                                               const T *source, int64_t n) {
    enum { WORSE = 2, TOO_BAD = 16 }; /* of three, one may be false */
    int64_t i = 0;
    for (int bad = 0; i + 4 <= n && bad < TOO_BAD; i += 4) {
        if (FOUR(base, at + i, source + i)) {
            bad -= bad > 0;
            continue;
        }
        bad += WORSE;
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) LOOP_NAME2(FN, one)(base + at[i + k], source + i + k);
    }
    return i;
}
#endif

/* Elements of which many go to the place that the one before went to: what is there stays in a
 * register, where each would wait until the one before is stored. */
static __attribute__((noinline)) void LOOP_NAME2(FN, runs)(char *base, int64_t unit,
                                                           const int64_t *at, const char *source,
                                                           int64_t by, int64_t n) {
    for (int64_t i = 0; i < n;) {
        const int64_t place = at[i];
        T *const to = (T *)(void *)(base + place * unit);
        __typeof__(LD(*to)) own = LD(*to);
        do {
            own = ROUNDED(EXPR(own, LD(*(const T *)(const void *)(source + i * by))));
            i++;
        } while (i < n && at[i] == place);
        *to = ST(own);
    }
}

static inline __attribute__((always_inline)) void LOOP_NAME2(FN, singles)(char *base, int64_t unit,
                                                                          const int64_t *at,
                                                                          const char *source,
                                                                          int64_t by, int64_t n) {
    int64_t i = 0;
#ifdef FOUR
    enum { LONG = 256 };
    if (unit == (int64_t)sizeof(T) && by == (int64_t)sizeof(T) && n >= LONG)
        i = LOOP_NAME2(FN, fours)((T *)(void *)base, at, (const T *)(const void *)source, n);
#endif
    for (; i + 4 <= n; i += 4) {
        const char *const four = source + i * by;
        int64_t to[4];
        __typeof__(LD(*(T *)(void *)base)) x[4]; /* what the places do not change */
#ifdef LD_FOUR
        if (by == (int64_t)sizeof(T))
            LD_FOUR(x, (const T *)(const void *)four);
        else
#endif
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) x[k] = LD(*(const T *)(const void *)(four + k * by));
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) to[k] = at[i + k];
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            T *own = (T *)(void *)(base + to[k] * unit);
            *own = ST(EXPR(LD(*own), x[k]));
        }
    }
    for (; i < n; i++)
        LOOP_NAME2(FN, one)((T *)(void *)(base + at[i] * unit),
                            (const T *)(const void *)(source + i * by));
}

static inline __attribute__((always_inline)) void LOOP_NAME2(FN, by)(char *base, int64_t unit,
                                                                     const int64_t *at,
                                                                     const char *source, int64_t by,
                                                                     int64_t n) {
    while (n >= RUNS_LEAST) { /* part by part: the index may be in order at its end only */
        const int64_t some = n < 2 * RUNS_PART ? n : RUNS_PART;
        if (has_runs(at, some))
            LOOP_NAME2(FN, runs)(base, unit, at, source, by, some);
        else
            LOOP_NAME2(FN, singles)(base, unit, at, source, by, some);
        at += some;
        source += some * by;
        n -= some;
    }
    LOOP_NAME2(FN, singles)(base, unit, at, source, by, n);
}

static inline __attribute__((always_inline)) void LOOP_NAME2(FN, lines)(char *const ptr[],
                                                                        const int64_t step[],
                                                                        int64_t unit, int64_t by,
                                                                        int64_t n) {
    const int64_t lines = step[LINES], to = step[LINES + 1], over = step[LINES + 2],
                  from = step[LINES + 3];
    char *base = ptr[0];
    const char *at = ptr[1], *source = ptr[2];
    for (int64_t i = 0; i < lines; i++, base += to, at += over, source += from)
        LOOP_NAME2(FN, by)(base, unit, (const int64_t *)(const void *)at, source, by, n);
}

/* ptr: base, places, source; step[1]: the bytes that a place counts; see NOMEN__POINTS_LINES */
static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    enum { ITEM = sizeof(T) };
    if (step[1] == ITEM && step[2] == ITEM)
        POINTS_BY_LENGTH(n, LOOP_NAME2(FN, lines), ptr, step, ITEM, ITEM);
    else
        LOOP_NAME2(FN, lines)(ptr, step, step[1], step[2], n);
}
#undef FOUR
#undef LD_FOUR
#undef ROUNDED
