/* A loop over many lines of a few elements, for which it takes longer to call the loop than to
 * compute: rows of operands that are broadcast against each other. No include guard; included by
 * the loops over two to four inputs, for their W of more than 1. Wants what they want, INPUTS, and
 * LINES_EXPR(v), EXPR of the INPUTS vectors v. Each input of a line is dense, or one number, the
 * same throughout: branches cost next to nothing. The output is dense. */
static void LOOP_NAME2(FN, lines)(char *const ptr[], const int64_t step[], int64_t n,
                                  const int64_t down[], int64_t lines) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT);
    const int64_t rest = n & (W - 1), whole = n - rest;
    const char *line[INPUTS];
    bool moves[INPUTS], changes[INPUTS]; /* within a line; from one number to another */
    char *out = ptr[0];
    V v[INPUTS];
#pragma GCC unroll 4
    for (int k = 0; k < INPUTS; k++) {
        line[k] = ptr[k + 1];
        moves[k] = step[k + 1] != 0;
        changes[k] = !moves[k] && down[k + 1];
        LOOP_ONE(one, line[k]);
        v[k] = one;
    }
    for (int64_t r = 0; r < lines; r++, out += down[0]) {
        int64_t i = 0;
#pragma GCC unroll 4
        for (int k = 0; k < INPUTS; k++) {
            if (!changes[k]) continue;
            LOOP_ONE(one, line[k]);
            v[k] = one;
        }
        for (; i < whole; i += W) {
#pragma GCC unroll 4
            for (int k = 0; k < INPUTS; k++)
                if (moves[k]) v[k] = LD(line[k] + i * ti);
            ST(out + i * to, LINES_EXPR(v));
        }
        if (rest) {
#pragma GCC unroll 4
            for (int k = 0; k < INPUTS; k++)
                if (moves[k]) v[k] = LDN(line[k] + i * ti, rest);
            STN(out + i * to, LINES_EXPR(v), rest);
        }
#pragma GCC unroll 4
        for (int k = 0; k < INPUTS; k++) line[k] += down[k + 1];
    }
}
#undef INPUTS
#undef LINES_EXPR
