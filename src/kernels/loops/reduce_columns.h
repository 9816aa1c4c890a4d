/* Include-template: few rows of columns whose lanes become results at once, with no accumulators in
 * memory: these are wider than what small types have in lanes, and a row of them is written and
 * read again by init, step and finish. Before: as in reduce_fold.h, of which this is a part, and
 * either LANES_STAY: lanes are results; or LANES_DONE(const C *, OUT *, n), which makes results of
 * them: FN(done_alone) if accumulators of their own do. After: FN(columns). */

#if !defined(LANES_STAY) && !defined(NARROWED) && !defined(RESULTS)
static inline void FN(done_alone)(const C *s, OUT *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const D all = ALONE(s[i]);
        A own = A_ZERO;
        TAKE(&own, all);
        out[i] = DONE(&own, NULL);
    }
}
#endif

/* Lanes of elements as they are stored. */
static inline void FN(lanes_stored)(C *restrict s, int64_t n_acc, const char *in, int64_t pitch,
                                    int64_t rows) {
#ifdef VLOAD
    FN(lanes_of_cols)(s, n_acc, in, pitch, rows);
#elif !defined FETCH
    FN(lanes_fetched)(s, n_acc, (const F *)(const void *)in, pitch, rows);
#else /* in the order of FN(step_cols) */
    F wide[COL_ROWS * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    C more[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    for (int64_t i = 0; i < n_acc; i += NOMEN__ACC_BLOCK) {
        const int64_t n = n_acc - i < NOMEN__ACC_BLOCK ? n_acc - i : NOMEN__ACC_BLOCK;
        for (int64_t j = 0; j < rows; j += COL_ROWS) {
            const int64_t some = rows - j < COL_ROWS ? rows - j : COL_ROWS;
            for (int64_t k = 0; k < some; k++)
                WIDEN((const T *)(const void *)(in + (j + k) * pitch) + i,
                      wide + k * NOMEN__ACC_BLOCK, n);
            FN(lanes_fetched)
            (j ? more : s + i, n, wide, NOMEN__ACC_BLOCK * (int64_t)sizeof(F), some);
            for (int64_t k = 0; j && k < n; k++) s[i + k] = TOTAL(s[i + k], more[k]);
        }
    }
#endif
}

static void FN(columns)(char *out, const nomen__reduce_step *s) {
#ifdef LANES_STAY
#ifdef SMALL
    if (s->n_acc < FN(few_most)) {
        FN(init)(out, s->n_acc);
        FN(cols)((A *)(void *)out, s->n_acc, (const F *)(const void *)s->in, s->red_step, s->n_red,
                 0, 0);
        return;
    }
#endif
    FN(lanes_stored)((C *)(void *)out, s->n_acc, s->in, s->red_step, s->n_red);
#else
    C lanes[NOMEN__ACC_WIDE] __attribute__((aligned(64)));
    FN(lanes_stored)(lanes, s->n_acc, s->in, s->red_step, s->n_red);
    LANES_DONE(lanes, (OUT *)(void *)out, s->n_acc);
#endif
}
