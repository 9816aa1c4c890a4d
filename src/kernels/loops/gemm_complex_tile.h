/* Include-template of gemm_complex_direct.h, once per length of vectors: a tile that is added up in
 * registers from operands in their places. Before: TILE(name), TV (a vector of parts), TW (its
 * lanes), and TILE(parts), TILE(put_parts) and TILE(add_product) as gemm_complex.h has them for a
 * whole vector; TILE, TV and TW are undefined after. */

/* `rows` rows and nv times TW columns of C, of which count exist; beside: of so many blocks of
 * summands, KC apart, since few sums wait for themselves. Rows of B are asked for ahead: they may
 * be a page apart, where the processor does not do so by itself (tried on AVX2 only). */
static inline __attribute__((always_inline)) void TILE(direct_tile)(const nomen__gemm_args *g,
                                                                    FN(corner) at, const int rows,
                                                                    const int nv, const int beside,
                                                                    int64_t count, bool onto) {
    const int64_t wide = TW * E;
    const char *a = at.a, *b = at.b;
    TV re[MR], im[MR];
#pragma GCC unroll 16
    for (int i = 0; i < rows * nv * beside; i++) re[i] = im[i] = (TV){0};
    for (int64_t p = beside > 1 ? KC : g->k; p > 0; p--, a += g->a_col, b += g->b_row)
#pragma GCC unroll 4
        for (int v = 0; v < nv * beside; v++) {
            const int64_t block = v / nv * KC;
            TV b_re, b_im;
            const char *in = b + v % nv * wide + block * g->b_row;
            if (VB == 32) __builtin_prefetch(in + DIRECT_AHEAD * g->b_row);
            TILE(parts)(in, count, &b_re, &b_im);
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                const int i = r * nv * beside + v;
                const T *one = &CAT(T, a, r * g->a_row + block * g->a_col);
                TILE(add_product)(re + i, im + i, &one->re, b_re, b_im);
            }
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
