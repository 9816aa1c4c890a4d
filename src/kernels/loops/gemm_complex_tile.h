/* Include-template of gemm_complex_direct.h, once per length of vectors: a tile that is added up in
 * registers from operands in their places. Before: TILE(name), TV (a vector of parts), TW (its
 * lanes), and TILE(parts), TILE(put_parts) and TILE(add_product) as gemm_complex.h has them for a
 * whole vector; TILE, TV and TW are undefined after. */

/* `rows` rows and nv times TW columns of C, of which count exist; beside: of so many blocks of
 * summands, KC apart, since few sums wait for themselves. Rows are found as those of
 * real numbers (gemm_direct.h). */
static inline __attribute__((always_inline)) void TILE(direct_tile)(const nomen__gemm_args *g,
                                                                    FN(corner) at, const int rows,
                                                                    const int nv, const int beside,
                                                                    int64_t count, bool onto) {
    enum { LINE = 64 };
    const int64_t wide = TW * E, ahead = direct_ahead(g, E);
    const int groups = (rows + ROWS_EACH - 1) / ROWS_EACH;
    const char *row[ROWS_GROUPS], *b = at.b, *next = b + ahead;
    TV re[MR], im[MR];
    __asm__("" : "+r"(next));
    point_at_rows(row, at.a, g->a_row, groups);
#pragma GCC unroll 16
    for (int i = 0; i < rows * nv * beside; i++) re[i] = im[i] = (TV){0};
    for (int64_t p = beside > 1 ? KC : g->k; p > 0; p--, b += g->b_row, next += g->b_row) {
#pragma GCC unroll 4
        for (int v = 0; v < nv * beside; v++) {
            const int64_t block = v / nv * KC, in = v % nv * wide + block * g->b_row;
            TV b_re, b_im;
            if (ahead) __builtin_prefetch(next + in);
            if (ahead && wide > LINE) __builtin_prefetch(next + in + LINE);
            TILE(parts)(b + in, count, &b_re, &b_im);
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                const int i = r * nv * beside + v;
                const int64_t of = r % ROWS_EACH * g->a_row + block * g->a_col;
                const T *one = &CAT(T, row[r / ROWS_EACH], of);
                TILE(add_product)(re + i, im + i, &one->re, b_re, b_im);
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < groups; i++) row[i] += g->a_col;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows * nv * beside; i++) {
        const int r = i / (nv * beside), v = i % (nv * beside);
        TILE(put_parts)(at.c + r * g->c_row + v % nv * wide, count, re[i], im[i], onto || v >= nv);
    }
}

#undef TILE
#undef TV
#undef TW
