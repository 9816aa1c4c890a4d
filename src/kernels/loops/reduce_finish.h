/* Include-template: writes results and ties init, step, merge and finish of a reducer together.
 * Before: OP, SFX, A, OUT (type written), DONE(const A *, const nomen__reduce_param *) -> OUT, and
 * CORE: the operation whose init, step and merge serve this one too. RESULTS(const A *, n,
 * MADE *) if vectors make the results of some accumulators (MADE: double unless told): DONE gets
 * one of those instead of an accumulator, and there is no second result; RESULTS_STAY if they are
 * what is written. NARROWED(const double *, OUT *, n) if DONE, and DONE_SECOND, give a double that
 * is rounded to a half type with others. Of two results OUT_SECOND and DONE_SECOND are the other
 * one's. NONEMPTY: nothing has no result. LANES_STAY and LANES_DONE as in reduce_columns.h, or
 * COLUMNS, which is `columns` of the reducer, or LANES_SUMMED, the type of the lanes of CORE, if
 * DONE makes results of them, too, as TOTAL(DID, lane), with no accumulators in memory. OF_ONE:
 * what one element gives (nomen__of_one). After: FN(reducer); OUT, DONE, OUT_SECOND, DONE_SECOND,
 * RESULTS_STAY, LANES_STAY, LANES_DONE, LANES_SUMMED and COLUMNS are undefined. */

#ifndef MADE
#define MADE         double
#define MADE_IS_MADE /* as in the next type */
#endif

#ifdef NARROWED
static inline void FN(put)(const double *wide, char *to, int64_t step, int64_t n) {
    OUT made[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    const bool dense = step == (int64_t)sizeof(OUT);
    NARROWED(wide, dense ? (OUT *)(void *)to : made, n);
    for (int64_t k = 0; !dense && k < n; k++) *(OUT *)(void *)(to + k * step) = made[k];
}
#endif

static void FN(finish)(char *const out[2], const int64_t out_step[2], const void *acc,
                       int64_t n_acc, const nomen__reduce_param *p) {
#ifdef RESULTS_STAY
    if (out[0] && out_step[0] == (int64_t)sizeof(MADE)) {
        RESULTS(acc, n_acc, (MADE *)(void *)out[0]);
        return;
    }
#endif
#ifdef RESULTS
    MADE a[NOMEN__ACC_WIDE] __attribute__((aligned(64)));
    RESULTS(acc, n_acc, a);
#else
    const A *a = acc;
#endif
    (void)p;
#ifdef NARROWED
    double wide[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    for (int64_t i = 0, n; i < n_acc; i += n) {
        n = n_acc - i < NOMEN__ACC_BLOCK ? n_acc - i : NOMEN__ACC_BLOCK;
        for (int64_t k = 0; out[0] && k < n; k++) wide[k] = DONE(&a[i + k], p);
        if (out[0]) FN(put)(wide, out[0] + i * out_step[0], out_step[0], n);
#ifdef DONE_SECOND
        for (int64_t k = 0; out[1] && k < n; k++) wide[k] = DONE_SECOND(&a[i + k], p);
        if (out[1]) FN(put)(wide, out[1] + i * out_step[1], out_step[1], n);
#endif
    }
#else
    if (out[0] && out_step[0] == (int64_t)sizeof(OUT)) { /* in vectors, where there are such */
        OUT *o = (OUT *)(void *)out[0];
        for (int64_t i = 0; i < n_acc; i++) o[i] = DONE(&a[i], p);
    } else if (out[0]) {
        for (int64_t i = 0; i < n_acc; i++)
            *(OUT *)(void *)(out[0] + i * out_step[0]) = DONE(&a[i], p);
    }
#ifdef DONE_SECOND
    for (int64_t i = 0; out[1] && i < n_acc; i++)
        *(OUT_SECOND *)(void *)(out[1] + i * out_step[1]) = DONE_SECOND(&a[i], p);
#endif
#endif
}

#ifdef LANES_SUMMED
static void FN(columns)(char *out, const nomen__reduce_step *s) {
    LANES_SUMMED lanes[NOMEN__ACC_WIDE] __attribute__((aligned(64)));
    const nomen__reduce_param p = {.count = s->n_red};
    OUT *const to = (OUT *)(void *)out;
    FN2(lanes_stored, CORE, SFX)(lanes, s->n_acc, s->in, s->red_step, s->n_red);
#ifdef NARROWED
    double wide[NOMEN__ACC_WIDE] __attribute__((aligned(64)));
    for (int64_t i = 0; i < s->n_acc; i++) {
        const MADE sum = TOTAL(DID, lanes[i]);
        wide[i] = DONE(&sum, &p);
    }
    NARROWED(wide, to, s->n_acc);
#else
    for (int64_t i = 0; i < s->n_acc; i++) {
        const MADE sum = TOTAL(DID, lanes[i]);
        to[i] = DONE(&sum, &p);
    }
#endif
}
#define COLUMNS FN(columns)
#endif

static const nomen__reducer FN(reducer) = {
    .acc_bytes = sizeof(A),
    .acc_most = FN2(most, CORE, SFX),
    .few = FN2(narrow, CORE, SFX),
#ifdef HEAVY
    .heavy = true,
#endif
#ifdef NONEMPTY
    .nonempty = true,
#endif
#ifdef DECIDED
    .hasty = true,
#endif
#if defined(NONEMPTY) || defined(DECIDED)
    .once = true,
#endif
#ifdef OF_ONE
    .of_one = OF_ONE,
#endif
    .init = FN2(init, CORE, SFX),
    .step = FN2(step, CORE, SFX),
    .merge = FN2(merge, CORE, SFX),
    .finish = FN(finish),
#if defined(LANES_STAY) || defined(LANES_DONE)
    .columns = FN(columns),
#elif defined(COLUMNS)
    .columns = COLUMNS,
#endif
};

#undef OUT
#undef DONE
#undef NARROWED
#undef RESULTS_STAY
#undef LANES_STAY
#undef LANES_DONE
#undef LANES_SUMMED
#undef COLUMNS
#undef OUT_SECOND
#undef DONE_SECOND
#ifdef MADE_IS_MADE
#undef MADE_IS_MADE
#undef MADE
#endif
