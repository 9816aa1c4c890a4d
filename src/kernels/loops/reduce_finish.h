/* Include-template: writes results and ties init, step, merge and finish of a reducer together.
 * Before: OP, SFX, A, OUT (type written), DONE(const A *, const nomen__reduce_param *) -> OUT, and
 * CORE: the operation whose init, step and merge serve this one too. After: FN(reducer); OUT and
 * DONE are undefined. */

static void FN(finish)(char *const out[2], const int64_t out_step[2], const void *acc,
                       int64_t n_acc, const nomen__reduce_param *p) {
    const A *a = acc;
    (void)p;
    if (!out[0]) return;
    for (int64_t i = 0; i < n_acc; i++) *(OUT *)(void *)(out[0] + i * out_step[0]) = DONE(&a[i], p);
}

static const nomen__reducer FN(reducer) = {
    .acc_bytes = sizeof(A),
    .init = FN2(init, CORE, SFX),
    .step = FN2(step, CORE, SFX),
    .merge = FN2(merge, CORE, SFX),
    .finish = FN(finish),
};

#undef OUT
#undef DONE
