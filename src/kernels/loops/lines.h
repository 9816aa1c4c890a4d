/* A loop over many lines of a few elements, for which it takes longer to call the loop than to
 * compute: rows of operands that are broadcast against each other. No include guard; included by
 * the loops over two to four inputs, for their W of more than 1. Wants what they want, INPUTS, and
 * LINES_EXPR(v), EXPR of the INPUTS vectors v. Each input of a line is dense, or one number, the
 * same throughout: branches cost next to nothing. The output is dense. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, lines_of)(char *const ptr[], const int64_t step[], int64_t n, const int64_t down[],
                         int64_t lines, const bool all_move) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT), out_down = down[0];
    const int64_t rest = n & (W - 1), whole = n - rest;
    const bool over = VB >= 32 && rest && n > W; /* the end, see ends.h */
    const char *line[INPUTS];
    bool moves[INPUTS], changes[INPUTS]; /* within a line; from one number to another */
    int64_t far[INPUTS];                 /* steps in memory are read again after each store */
    char *out = ptr[0];
    V v[INPUTS], last[INPUTS];
#pragma GCC unroll 4
    for (int k = 0; k < INPUTS; k++) {
        line[k] = ptr[k + 1];
        far[k] = down[k + 1];
        moves[k] = all_move || step[k + 1] != 0;
        changes[k] = !moves[k] && far[k];
        LOOP_ONE(one, line[k]);
        last[k] = v[k] = one;
    }
    for (int64_t r = 0; r < lines; r++, out += out_down) {
        int64_t i = 0;
#pragma GCC unroll 4
        for (int k = 0; k < INPUTS; k++) {
            if (!changes[k]) continue;
            LOOP_ONE(one, line[k]);
            last[k] = v[k] = one;
        }
        if (over) {
#pragma GCC unroll 4
            for (int k = 0; k < INPUTS; k++)
                if (moves[k]) last[k] = LD(line[k] + (n - W) * ti);
        }
        for (; i < whole; i += W) {
#pragma GCC unroll 4
            for (int k = 0; k < INPUTS; k++)
                if (moves[k]) v[k] = LD(line[k] + i * ti);
            ST(out + i * to, LINES_EXPR(v));
        }
        if (over) {
            ST(out + (n - W) * to, LINES_EXPR(last));
        } else if (rest) {
#pragma GCC unroll 4
            for (int k = 0; k < INPUTS; k++)
                if (moves[k]) v[k] = LDN(line[k] + i * ti, rest);
            STN(out + i * to, LINES_EXPR(v), rest);
        }
#pragma GCC unroll 4
        for (int k = 0; k < INPUTS; k++) line[k] += far[k];
    }
}

#if VB == 64
/* Dense lines that are less than a vector, some at a time: the next ones are loaded before these
 * are stored, since in place a load would wait for the store just before it (see ends.h). How many.
 */
static inline int64_t LOOP_NAME2(FN, lines_short)(char *const ptr[], int64_t n,
                                                  const int64_t down[], int64_t lines) {
    enum { SOME = 4 };
    int64_t r = 0, far[INPUTS + 1];
    char *at[INPUTS + 1];
    V v[SOME][INPUTS], next[SOME][INPUTS];
    for (int k = 0; k <= INPUTS; k++) at[k] = ptr[k], far[k] = down[k];
    for (; r + SOME <= lines; r += SOME) {
#pragma GCC unroll 4
        for (int q = 0; q < SOME; q++)
#pragma GCC unroll 4
            for (int k = 0; k < INPUTS; k++) next[q][k] = LDN(at[k + 1] + q * far[k + 1], n);
        if (r) {
#pragma GCC unroll 4
            for (int q = 0; q < SOME; q++) STN(at[0] + (q - SOME) * far[0], LINES_EXPR(v[q]), n);
        }
#pragma GCC unroll 4
        for (int k = 0; k <= INPUTS; k++) at[k] += SOME * far[k];
        memcpy(v, next, sizeof v);
    }
#pragma GCC unroll 4
    for (int q = 0; r && q < SOME; q++) STN(at[0] + (q - SOME) * far[0], LINES_EXPR(v[q]), n);
    return r;
}
#endif

static void LOOP_NAME2(FN, lines)(char *const ptr[], const int64_t step[], int64_t n,
                                  const int64_t down[], int64_t lines) {
    bool all_move = true;
#pragma GCC unroll 4
    for (int k = 0; k < INPUTS; k++) all_move &= step[k + 1] != 0;
#if VB == 64
    char *at[INPUTS + 1];
    if (all_move && n < W) {
        const int64_t done = LOOP_NAME2(FN, lines_short)(ptr, n, down, lines);
        for (int k = 0; k <= INPUTS; k++) at[k] = ptr[k] + done * down[k];
        lines -= done;
        ptr = at;
        if (lines == 0) return; /* behind the last one there may be nothing to look at */
    }
#endif
    if (all_move)
        LOOP_NAME2(FN, lines_of)(ptr, step, n, down, lines, true);
    else
        LOOP_NAME2(FN, lines_of)(ptr, step, n, down, lines, false);
}
#undef INPUTS
#undef LINES_EXPR
