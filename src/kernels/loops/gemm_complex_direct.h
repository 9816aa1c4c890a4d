/* Part of gemm_complex.h: products that read the operands where they lie and write C at once. Tiles
 * have the sums of the packed ones in the same order, so the bits do not tell which way was taken;
 * products of rows and columns that lie in one piece are sums of their own.
 *
 * Limit: the fused multiply-adds; of rows and columns the loads. */

/* Of so many numbers at p, the vectors of both parts. */
static inline __attribute__((always_inline)) void FN(parts)(const char *p, int64_t count, V *re,
                                                            V *im) {
    V first, last;
    if (count >= NR) {
        first = LDV(p);
        last = LDV(p + sizeof(V));
    } else {
        first = count >= NR / 2 ? LDV(p) : LDV_N(p, 2 * count);
        last = count > NR / 2 ? LDV_N(p + sizeof(V), 2 * count - NR) : (V){0};
    }
    *re = RE_OF(first, last);
    *im = IM_OF(first, last);
}

/* The same into C, or onto it. */
static inline __attribute__((always_inline)) void FN(put_parts)(char *p, int64_t count, V re, V im,
                                                                bool onto) {
    if (onto) {
        V old_re, old_im;
        FN(parts)(p, count, &old_re, &old_im);
        re += old_re;
        im += old_im;
    }
    const V first = FIRST_OF(re, im), last = LAST_OF(re, im);
    if (count >= NR) {
        STV(p, first);
        STV(p + sizeof(V), last);
        return;
    }
    if (count >= NR / 2)
        STV(p, first);
    else
        STV_N(p, first, 2 * count);
    if (count > NR / 2) STV_N(p + sizeof(V), last, 2 * count - NR);
}

/* `rows` rows and nv times NR columns of C, of which count exist. */
static inline __attribute__((always_inline)) void
FN(direct_tile)(const nomen__gemm_args *g, const int rows, const int nv, int64_t count, bool onto) {
    const int64_t wide = NR * E;
    const char *a = g->a, *b = g->b;
    V re[MR], im[MR];
#pragma GCC unroll 16
    for (int i = 0; i < rows * nv; i++) re[i] = im[i] = (V){0};
    for (int64_t p = g->k; p > 0; p--, a += g->a_col, b += g->b_row)
#pragma GCC unroll 4
        for (int v = 0; v < nv; v++) {
            V b_re, b_im;
            FN(parts)(b + v * wide, count, &b_re, &b_im);
            const V minus = -b_im;
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                const int i = r * nv + v;
                const T one = CAT(T, a, r * g->a_row);
                const V x = FN(splat)(one.re), y = FN(splat)(one.im);
                re[i] = FMA(y, minus, FMA(x, b_re, re[i]));
                im[i] = FMA(y, b_re, FMA(x, b_im, im[i]));
            }
        }
#pragma GCC unroll 16
    for (int i = 0; i < rows * nv; i++)
        FN(put_parts)(g->c + i / nv * g->c_row + i % nv * wide, count, re[i], im[i], onto);
}

/* All columns of `rows` rows. One row alone waits for itself: several vectors of it are side by
 * side. */
static inline __attribute__((always_inline)) void FN(direct_rows)(nomen__gemm_args g,
                                                                  const int rows, bool onto) {
    enum { BESIDE = MR / 4 * 4 == MR ? 4 : 2 };
    const int nv = rows == 1 ? BESIDE : 1;
    for (; rows == 1 && g.n >= nv * NR; g.n -= nv * NR, g.b += nv * NR * E, g.c += nv * NR * E)
        FN(direct_tile)(&g, rows, nv, NR, onto);
    for (; g.n >= NR; g.n -= NR, g.b += NR * E, g.c += NR * E)
        FN(direct_tile)(&g, rows, 1, NR, onto);
    if (g.n > 0) FN(direct_tile)(&g, rows, 1, g.n, onto);
}

#define DIRECT_CASE(count)                                                                         \
    case (count):                                                                                  \
        if ((count) <= MR) FN(direct_rows)(g, (count) <= MR ? (count) : 1, onto);                  \
        break

/* Some summands of each element. Rows in tiles of almost even size. */
static APART void FN(direct_block)(nomen__gemm_args g, bool onto) {
    for (int64_t tiles = (g.m + MR - 1) / MR; tiles > 0; tiles--) {
        const int64_t rows = (g.m + tiles - 1) / tiles;
        switch (rows) {
            DIRECT_CASE(1);
            DIRECT_CASE(2);
            DIRECT_CASE(3);
            DIRECT_CASE(4);
            DIRECT_CASE(5);
            DIRECT_CASE(6);
            DIRECT_CASE(7);
            DIRECT_CASE(8);
            DIRECT_CASE(9);
            DIRECT_CASE(10);
            DIRECT_CASE(11);
            DIRECT_CASE(12);
        }
        g.m -= rows;
        g.a += rows * g.a_row;
        g.c += rows * g.c_row;
    }
}
#undef DIRECT_CASE

/* Rows of C are contiguous, and so are those of B, or B is copied. */
static void FN(direct)(const nomen__gemm_args *g, T *copy) {
    nomen__gemm_args some = *g;
    if (g->b_col != E) {
        for (int64_t p = 0; p < g->k; p++)
            for (int64_t j = 0; j < g->n; j++)
                copy[p * g->n + j] = CAT(T, g->b, p * g->b_row + j * g->b_col);
        some.b = (const char *)copy;
        some.b_col = E;
        some.b_row = g->n * E;
    }
    for (int64_t p = 0; p < g->k; p += KC) {
        some.k = g->k - p < KC ? g->k - p : KC;
        FN(direct_block)(some, p > 0);
        some.a += some.k * g->a_col;
        some.b += some.k * some.b_row;
    }
}

/* Whether nothing is to be packed: B stays in cache, or is read once. */
static inline bool FN(fits)(int64_t m, int64_t n, int64_t k) {
    return (k <= DIRECT_K && k * n * E < DIRECT_B) || m <= MR / 2;
}

/* ---- rows times columns ---------------------------------------------------------------------- */

/* The sum of n products: of equal parts, whose difference is the real part, and of unequal ones. */
static APART T FN(dot_block)(const T *a, const T *b, int64_t n) {
    enum { BESIDE = 4, EACH = W / 2 };
    V equal[BESIDE], unequal[BESIDE];
    T last[EACH] __attribute__((aligned(64)));
#pragma GCC unroll 4
    for (int v = 0; v < BESIDE; v++) equal[v] = unequal[v] = (V){0};
    for (; n >= BESIDE * EACH; n -= BESIDE * EACH, a += BESIDE * EACH, b += BESIDE * EACH)
#pragma GCC unroll 4
        for (int v = 0; v < BESIDE; v++) {
            V x = LDV(a + v * EACH), y = LDV(b + v * EACH);
            C_OPAQUE(x); /* or each is loaded twice, and loads are the limit */
            C_OPAQUE(y);
            equal[v] = FMA(x, y, equal[v]);
            unequal[v] = FMA(x, v_swap(y), unequal[v]);
        }
#pragma GCC unroll 4
    for (int v = 0; v < BESIDE; v++, n -= EACH, a += EACH, b += EACH) {
        if (n <= 0) break;
        const V x = n < EACH ? LDV_N(a, 2 * n) : LDV(a), y = n < EACH ? LDV_N(b, 2 * n) : LDV(b);
        equal[v] = FMA(x, y, equal[v]);
        unequal[v] = FMA(x, v_swap(y), unequal[v]);
    }
    const V same = (equal[0] + equal[1]) + (equal[2] + equal[3]);
    const V other = (unequal[0] + unequal[1]) + (unequal[2] + unequal[3]);
    /* real parts in even lanes, imaginary ones in odd lanes */
    const V fore = v_sel(EVEN_LANES, same, other), back = v_sel(EVEN_LANES, other, same);
    STV(last, SIMD_PICK(v_less_more, fore)(fore, v_swap(back)));
#pragma GCC unroll 4
    for (int half = EACH / 2; half; half /= 2)
        for (int l = 0; l < half; l++)
            last[l] = (T){last[l].re + last[l + half].re, last[l].im + last[l + half].im};
    return last[0];
}

/* Blocks in double: errors grow within a block only. */
static inline T FN(dot)(const T *a, const T *b, int64_t n) {
    c128 all = {0, 0};
    if (n <= GEMM_DOT) return FN(dot_block)(a, b, n);
    for (int64_t p = 0; p < n; p += GEMM_DOT) {
        const T some = FN(dot_block)(a + p, b + p, n - p < GEMM_DOT ? n - p : GEMM_DOT);
        all = (c128){all.re + (double)some.re, all.im + (double)some.im};
    }
    return (T){(C)all.re, (C)all.im};
}

/* Rows of A are contiguous; columns of B, few of them, are, or are copied. */
static APART void FN(rows_columns)(const nomen__gemm_args *g, T *copy) {
    for (int64_t j = 0; j < g->n; j++) {
        const char *b = g->b + j * g->b_col;
        if (g->b_row != E) {
            for (int64_t p = 0; p < g->k; p++) copy[p] = CAT(T, b, p * g->b_row);
            b = (const char *)copy;
        }
        for (int64_t i = 0; i < g->m; i++)
            AT(T, g->c, i * g->c_row + j * g->c_col) = FN(dot)(
                (const T *)(const void *)(g->a + i * g->a_row), (const T *)(const void *)b, g->k);
    }
}

/* Few columns. Of one column neither is copied: whether it is by itself, or was cut off, must not
 * show. */
static inline bool FN(has_few)(const nomen__gemm_args *g) {
    if (g->a_col != E) return false;
    if (g->m == 1 || g->n == 1) return g->b_row == E;
    return g->n <= GEMM_NARROW && g->k > GEMM_SMALL;
}
