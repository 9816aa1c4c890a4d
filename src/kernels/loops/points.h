/* Moves between rows of elements and places anywhere; no include guard, included by points.c once
 * per element size. Wants T and SIZE. Places are counted in elements from a base. */

/* Places count `by` bytes, which the compiler knows where it is the size of an element. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(take_by, SIZE)(char *out, int64_t step, const char *base, int64_t by, const int64_t *at,
                          int64_t n) {
    int64_t i = 0;
    for (; step == (int64_t)sizeof(T) && i + 8 <= n; i += 8) {
        T x[8]; /* all loads first: stores might change what they read */
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) x[k] = *(const T *)(base + at[i + k] * by);
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) ((T *)out)[i + k] = x[k];
    }
    for (; i < n; i++) *(T *)(out + i * step) = *(const T *)(base + at[i] * by);
}

static inline __attribute__((always_inline)) void
LOOP_NAME2(take_lines_by, SIZE)(char *const ptr[], const int64_t step[], int64_t by, int64_t n) {
    const int64_t lines = step[LINES], each = step[0], to = step[LINES + 1], from = step[LINES + 2],
                  over = step[LINES + 3];
    char *out = ptr[0];
    const char *base = ptr[1], *at = ptr[2];
    for (int64_t i = 0; i < lines; i++, out += to, base += from, at += over)
        LOOP_NAME2(take_by, SIZE)(out, each, base, by, (const int64_t *)(const void *)at, n);
}

/* A few places, the same ones for many lines: place by place, of so many lines as stay in cache. */
static void LOOP_NAME2(take_columns, SIZE)(char *const ptr[], const int64_t step[], int64_t n) {
    enum { AT_ONCE = 64 };
    const int64_t lines = step[LINES], to = step[LINES + 1], from = step[LINES + 2];
    const int64_t *at = (const int64_t *)(const void *)ptr[2];
    for (int64_t begin = 0; begin < lines; begin += AT_ONCE) {
        const int64_t some = lines - begin < AT_ONCE ? lines - begin : AT_ONCE;
        for (int64_t k = 0; k < n; k++) {
            char *out = ptr[0] + begin * to + k * step[0];
            const char *base = ptr[1] + begin * from + at[k] * step[1];
            for (int64_t i = 0; i < some; i++) *(T *)(out + i * to) = *(const T *)(base + i * from);
        }
    }
}

/* ptr: out, base, places, which count steps of the base; step: see NOMEN__POINTS_LINES */
static void LOOP_NAME2(take, SIZE)(char *const ptr[], const int64_t step[], int64_t n) {
    if (step[LINES + 3] == 0 && n < 16 && n < step[LINES])
        LOOP_NAME2(take_columns, SIZE)(ptr, step, n);
    else if (step[1] == (int64_t)sizeof(T))
        POINTS_BY_LENGTH(n, LOOP_NAME2(take_lines_by, SIZE), ptr, step, sizeof(T));
    else
        LOOP_NAME2(take_lines_by, SIZE)(ptr, step, step[1], n);
}

static inline __attribute__((always_inline)) void
LOOP_NAME2(put_by, SIZE)(char *base, int64_t unit, const int64_t *at, const char *source,
                         int64_t by, bool near, int64_t n) {
    int64_t i = 0;
    for (; i + (near ? 0 : AHEAD) + 4 <= n; i += 4) { /* all loads first, as above */
        int64_t to[4];
        T x[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            if (!near) __builtin_prefetch(base + at[i + AHEAD + k] * unit, 1);
            to[k] = at[i + k];
            x[k] = *(const T *)(source + (i + k) * by);
        }
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) *(T *)(base + to[k] * unit) = x[k];
    }
    for (; i < n; i++) *(T *)(base + at[i] * unit) = *(const T *)(source + i * by);
}

static inline __attribute__((always_inline)) void
LOOP_NAME2(put_lines, SIZE)(char *const ptr[], const int64_t step[], int64_t unit, int64_t by,
                            bool near, int64_t n) {
    const int64_t lines = step[LINES], to = step[LINES + 1], over = step[LINES + 2],
                  from = step[LINES + 3];
    char *base = ptr[0];
    const char *at = ptr[1], *source = ptr[2];
    for (int64_t i = 0; i < lines; i++, base += to, at += over, source += from)
        LOOP_NAME2(put_by, SIZE)(base, unit, (const int64_t *)(const void *)at, source, by, near,
                                 n);
}

/* ptr: base, places, source; in order, so that of several to one place the last one stays. step[0]:
 * 0, or 1 if all places are in cache; step[1]: the bytes that a place counts. */
static void LOOP_NAME2(put, SIZE)(char *const ptr[], const int64_t step[], int64_t n) {
    enum { ITEM = sizeof(T) };
    const bool near = step[0], dense = step[1] == ITEM && step[2] == ITEM;
    if (near && dense)
        POINTS_BY_LENGTH(n, LOOP_NAME2(put_lines, SIZE), ptr, step, ITEM, ITEM, true);
    else if (near)
        LOOP_NAME2(put_lines, SIZE)(ptr, step, step[1], step[2], true, n);
    else
        LOOP_NAME2(put_lines, SIZE)(ptr, step, step[1], step[2], false, n);
}

/* ptr: out, source, mask, all rows of step[0] elements without gaps; n is how many there are in the
 * mask. Nothing is written behind them, where another thread may be at work. */
static void LOOP_NAME2(pack, SIZE)(char *const ptr[], const int64_t step[], int64_t n) {
    T *out = (T *)ptr[0];
    const T *x = (const T *)ptr[1];
    const char *mask = ptr[2];
    int64_t i = 0, k = 0;
#if PACK_SOME(SIZE)
    for (; i + PACK_AT_ONCE(SIZE) <= step[0] && k < n; i += PACK_AT_ONCE(SIZE)) {
        const pack_chosen chosen = pack_mask(mask + i, PACK_AT_ONCE(SIZE));
        k += LOOP_NAME2(pack_some, SIZE)(out + k, n - k, x + i, chosen);
    }
#endif
    for (; k < n && i < step[0]; i++) {
        out[k] = x[i];
        k += mask[i] != 0;
    }
}

/* ptr: out, mask, source: likewise, the other way */
static void LOOP_NAME2(unpack, SIZE)(char *const ptr[], const int64_t step[], int64_t n) {
    T *out = (T *)ptr[0];
    const char *mask = ptr[1];
    const T *x = (const T *)ptr[2];
    int64_t i = 0, k = 0;
#if UNPACK_SOME(SIZE)
    for (; i + PACK_AT_ONCE(SIZE) <= step[0] && k < n; i += PACK_AT_ONCE(SIZE)) {
        const pack_chosen chosen = pack_mask(mask + i, PACK_AT_ONCE(SIZE));
        k += LOOP_NAME2(unpack_some, SIZE)(out + i, x + k, n - k, chosen);
    }
#endif
    for (; k < n && i < step[0]; i++) {
        const T own = out[i], other = x[k];
#if SIZE <= 8 /* no branch: masks cannot be foreseen */
        out[i] = (T)(own ^ ((own ^ other) & (T) - (T)(mask[i] != 0)));
#else
        out[i] = mask[i] ? other : own;
#endif
        k += mask[i] != 0;
    }
}

/* As many copies of an element as a vector holds. */
static inline vu64 LOOP_NAME2(spread_all, SIZE)(const char *from) {
#if SIZE == 16 /* by shuffles: four stores and a load would wait for each other */
    typedef uint64_t two __attribute__((vector_size(16)));
    two x;
    memcpy(&x, from, sizeof x);
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512 /* gcc 12 goes by way of memory */
    return (vu64)_mm512_broadcast_i64x2((__m128i)x);
#elif VB == 32
    return __builtin_shufflevector(x, x, 0, 1, 0, 1);
#else
    return (vu64)x;
#endif
#else
    typedef T lanes __attribute__((vector_size(VB)));
    return (vu64)((lanes){0} + *(const T *)from);
#endif
}

/* Rows of so many bytes, in vectors of which the last reaches into the next row, but for the end.
 * `each`: how many vectors, where that is known, 0 else. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(spread_by, SIZE)(char *to, const char *from, int64_t step, int64_t row, int64_t n,
                            const int64_t width, const int64_t each) {
    const int64_t beyond = (row + width - 1) / width * width - row;
    const int64_t safe = n - (beyond + row - 1) / row; /* rows with as much room behind them */
    int64_t r = 0;
    for (; r < safe; r++, to += row, from += step) {
        const vu64 v = LOOP_NAME2(spread_all, SIZE)(from);
        int64_t at = 0;
        if (each)
#pragma GCC unroll 8
            for (; at < each * width; at += width) memcpy(to + at, &v, (size_t)width);
        else
            do memcpy(to + at, &v, (size_t)width);
            while ((at += width) < row);
    }
    for (; r < n; r++, to += row, from += step)
        for (int64_t at = 0; at < row; at += SIZE) memcpy(to + at, from, SIZE);
}

/* Rows with something between them, which stays: the last vector of a row reaches back. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(spread_apart, SIZE)(char *to, int64_t to_row, const char *from, int64_t step,
                               int64_t row, int64_t n, const int64_t width) {
    for (int64_t r = 0; r < n; r++, to += to_row, from += step) {
        const vu64 v = LOOP_NAME2(spread_all, SIZE)(from);
        for (int64_t at = 0; at < row - width; at += width) memcpy(to + at, &v, (size_t)width);
        memcpy(to + row - width, &v, (size_t)width);
    }
}

/* ptr: rows, elements; step: bytes of a row, from one element to the next, from row to row. Each of
 * n rows is one element again and again. */
static void LOOP_NAME2(spread, SIZE)(char *const ptr[], const int64_t step[], int64_t n) {
    if (step[2] != step[0]) {
        if (step[0] >= VB)
            LOOP_NAME2(spread_apart, SIZE)(ptr[0], step[2], ptr[1], step[1], step[0], n, VB);
        else if (step[0] >= 16)
            LOOP_NAME2(spread_apart, SIZE)(ptr[0], step[2], ptr[1], step[1], step[0], n, 16);
        else
            LOOP_NAME2(spread_apart, SIZE)(ptr[0], step[2], ptr[1], step[1], step[0], n, SIZE);
        return;
    }
    char *const to = ptr[0];
    if (step[0] <= 16) { /* longer vectors would write the same lines many times */
        LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, 16, 1);
        return;
    }
    switch ((step[0] + VB - 1) / VB) { /* a loop takes as long as the stores of a short row */
    case 1: LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, VB, 1); break;
    case 2: LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, VB, 2); break;
    case 3: LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, VB, 3); break;
    case 4: LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, VB, 4); break;
    case 8: LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, VB, 8); break;
    default: LOOP_NAME2(spread_by, SIZE)(to, ptr[1], step[1], step[0], n, VB, 0); break;
    }
}
