/* A loop over many short lines of one input where EXPR is on single numbers and the compiler makes
 * the vectors (lines.h is for those that have vectors of their own); no include guard, included by
 * unary.h. Wants what that wants.
 *
 * Of a line that is no multiple of a vector the compiler takes the rest element by element, with
 * AVX-512 up to 63 of them. There each loop is over as many elements as a vector has, which it is
 * told: a longer line ends with a whole one, as in ends.h, and shorter ones are loaded and stored
 * by a mask, some at a time, as in lines.h. */
enum { LOOP_NAME2(FN, lanes) = VB / (sizeof(T) > sizeof(OT) ? sizeof(T) : sizeof(OT)) };

static inline __attribute__((always_inline)) void LOOP_NAME2(FN, some)(OT *to, const T *from,
                                                                       const int64_t count) {
    SIMD_IVDEP
    for (int64_t i = 0; i < count; i++) ST(to + i, EXPR(LD(from + i)));
}

#if VB == 64
/* As many as a vector has. By way of arrays that nothing else can be: where it is not told apart
 * from the output, the compiler would look at the input element by element. */
static inline __attribute__((always_inline)) void LOOP_NAME2(FN, vector)(OT *to, const T *from) {
    T x[LOOP_NAME2(FN, lanes)];
    OT y[LOOP_NAME2(FN, lanes)];
    memcpy(x, from, sizeof x);
    LOOP_NAME2(FN, some)(y, x, LOOP_NAME2(FN, lanes));
    memcpy(to, y, sizeof y);
}

/* Lines of more than a vector, which end with a whole one. */
static void LOOP_NAME2(FN, lines_over)(char *const ptr[], int64_t n, const int64_t down[],
                                       int64_t lines) {
    enum { LANES = LOOP_NAME2(FN, lanes) };
    const int64_t far = down[1], out_far = down[0];
    const char *a = ptr[1];
    char *o = ptr[0];
    for (; lines > 0; lines--, a += far, o += out_far) {
        const T *from = (const T *)a;
        OT *to = (OT *)o;
        T last[LANES]; /* in place the others are stored over what it begins with */
        memcpy(last, from + n - LANES, sizeof last);
        for (int64_t i = 0; i + LANES <= n; i += LANES) LOOP_NAME2(FN, vector)(to + i, from + i);
        LOOP_NAME2(FN, vector)(to + n - LANES, last);
    }
}

/* Dense lines that are less than a vector: how many of them. */
static int64_t LOOP_NAME2(FN, lines_short)(char *const ptr[], int64_t n, const int64_t down[],
                                           int64_t lines) {
    enum { SOME = 4, LANES = LOOP_NAME2(FN, lanes) };
    const uint64_t in = loop_first(n * (int64_t)sizeof(T)),
                   out = loop_first(n * (int64_t)sizeof(OT));
    const int64_t far = down[1], out_far = down[0];
    const char *a = ptr[1];
    char *o = ptr[0];
    T from[SOME * LANES];
    OT to[SOME * LANES + VB];
    int64_t r = 0;
    for (; r + SOME <= lines; r += SOME, a += SOME * far) {
        __m512i x[SOME];
#pragma GCC unroll 4
        for (int q = 0; q < SOME; q++) x[q] = _mm512_maskz_loadu_epi8(in, a + q * far);
#pragma GCC unroll 4
        for (int q = 0; r && q < SOME; q++, o += out_far)
            _mm512_mask_storeu_epi8(o, out, _mm512_loadu_si512(to + q * LANES));
#pragma GCC unroll 4
        for (int q = 0; q < SOME; q++) memcpy(from + q * LANES, &x[q], sizeof *from * LANES);
        LOOP_NAME2(FN, some)(to, from, SOME * LANES);
    }
#pragma GCC unroll 4
    for (int q = 0; r && q < SOME; q++, o += out_far)
        _mm512_mask_storeu_epi8(o, out, _mm512_loadu_si512(to + q * LANES));
    return r;
}
#endif

static void LOOP_NAME2(FN, lines)(char *const ptr[], const int64_t step[], int64_t n,
                                  const int64_t down[], int64_t lines) {
    const int64_t far = down[1], out_far = down[0];
    const char *a = ptr[1];
    char *o = ptr[0];
    if (step[1] == 0) {
        for (; lines > 0; lines--, a += far, o += out_far) {
            const V x = LD(a);
            OT *to = (OT *)o;
            SIMD_IVDEP
            for (int64_t i = 0; i < n; i++) ST(to + i, EXPR(x));
        }
        return;
    }
#if VB == 64
    if (n > LOOP_NAME2(FN, lanes) && n % LOOP_NAME2(FN, lanes)) {
        LOOP_NAME2(FN, lines_over)(ptr, n, down, lines);
        return;
    }
    if (n < LOOP_NAME2(FN, lanes)) {
        const int64_t done = LOOP_NAME2(FN, lines_short)(ptr, n, down, lines);
        lines -= done;
        a += done * far;
        o += done * out_far;
    }
#endif
    for (; lines > 0; lines--, a += far, o += out_far)
        LOOP_NAME2(FN, some)((OT *)o, (const T *)a, n);
}
