/* Part of gemm_complex.h: products that read the operands where they lie and write C at once. Tiles
 * have the sums of the packed ones in the same order, so the bits do not tell which way was taken;
 * products of rows and columns that lie in one piece are sums of their own.
 *
 * Limit: the fused multiply-adds; of rows and columns the loads. */

/* Where a tile begins in A, B and C: by itself, as a copy of all arguments would be waited for when
 * they were written just now. */
typedef struct FN(corner) {
    const char *a, *b;
    char *c;
} FN(corner);

#define TILE(name) FN(name)
#define TV         V
#define TW         NR
#include "kernels/loops/gemm_complex_tile.h"
#if VB == 64
#include "kernels/loops/gemm_complex_half.h"
#endif

/* The last columns, fewer than a vector has numbers. */
static inline __attribute__((always_inline)) void FN(direct_rest)(const nomen__gemm_args *g,
                                                                  FN(corner) at, const int rows,
                                                                  const int beside, int64_t count,
                                                                  bool onto) {
#if VB == 64
    if (count == NR / 2) {
        FN(halves_direct_tile)(g, at, rows, 1, beside, NR / 2, onto);
        return;
    }
    if (count < NR / 2) {
        FN(halves_direct_tile)(g, at, rows, 1, beside, count, onto);
        return;
    }
#endif
    FN(direct_tile)(g, at, rows, 1, beside, count, onto);
}

/* All columns of `rows` rows. One row alone waits for itself: several vectors of it are side by
 * side, or, of few columns, blocks of summands. */
enum { FN(side) = MR < 8 || MR % 4 == 0 ? 4 : 2 };
static inline __attribute__((always_inline)) void
FN(direct_rows)(const nomen__gemm_args *g, FN(corner) at, const int rows, bool onto) {
    const int nv = rows == 1 ? FN(side) : 1, beside = rows * FN(side) <= MR ? FN(side) : 1;
    int64_t n = g->n;
    if (beside > 1 && g->k > KC) {
        for (; n >= NR; n -= NR, at.b += NR * E, at.c += NR * E)
            FN(direct_tile)(g, at, rows, 1, beside, NR, onto);
        if (n > 0) FN(direct_rest)(g, at, rows, beside, n, onto);
        return;
    }
    for (; rows == 1 && n >= nv * NR; n -= nv * NR, at.b += nv * NR * E, at.c += nv * NR * E)
        FN(direct_tile)(g, at, rows, nv, 1, NR, onto);
    for (; n >= NR; n -= NR, at.b += NR * E, at.c += NR * E)
        FN(direct_tile)(g, at, rows, 1, 1, NR, onto);
    if (n > 0) FN(direct_rest)(g, at, rows, 1, n, onto);
}

#define DIRECT_CASE(count)                                                                         \
    case (count):                                                                                  \
        if ((count) <= MR) FN(direct_rows)(g, at, (count) <= MR ? (count) : 1, onto);              \
        break

/* Some summands of each element. Rows in tiles of almost even size. */
static APART void FN(direct_block)(const nomen__gemm_args *g, bool onto) {
    FN(corner) at = {g->a, g->b, g->c};
    int64_t m = g->m, tiles = m <= MR ? 1 : (m + MR - 1) / MR;
    for (; tiles > 0; tiles--) {
        const int64_t rows = tiles == 1 ? m : (m + tiles - 1) / tiles;
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
        m -= rows;
        at.a += rows * g->a_row;
        at.c += rows * g->c_row;
    }
}
#undef DIRECT_CASE

/* B row by row: of some columns at a time, which are read along, and fill lines of the copy. */
static APART void FN(copy_b)(T *copy, const nomen__gemm_args *g) {
    enum { SOME = 64 / E };
    for (int64_t j = 0; j < g->n; j += SOME) {
        const int64_t some = g->n - j < SOME ? g->n - j : SOME;
        const char *b = g->b + j * g->b_col;
        T *to = copy + j;
        for (int64_t p = 0; p < g->k; p++, b += g->b_row, to += g->n) {
            if (some == SOME)
#pragma GCC unroll 8
                for (int64_t l = 0; l < SOME; l++) to[l] = CAT(T, b, l * g->b_col);
            else
                for (int64_t l = 0; l < some; l++) to[l] = CAT(T, b, l * g->b_col);
        }
    }
}

/* Rows of C are contiguous, and so are those of B, or B is copied. More rows than a tile has read
 * so many columns of B that these stay in cache. */
static void FN(direct)(const nomen__gemm_args *g, T *copy) {
    if (g->b_col == E && g->k <= KC && g->m <= MR) {
        FN(direct_block)(g, false);
        return;
    }
    nomen__gemm_args all = *g;
    if (g->b_col != E) {
        FN(copy_b)(copy, g);
        all.b = (const char *)copy;
        all.b_col = E;
        all.b_row = g->n * E;
    }
    const int64_t near = DIRECT_B / ((g->k < KC ? g->k : KC) * E) / NR * NR;
    const int64_t cols = g->m <= MR || g->n <= near ? g->n : near;
    const int64_t several = g->m * FN(side) <= MR && g->n < FN(side) * NR ? FN(side) * KC : KC;
    for (int64_t j = 0; j < g->n; j += cols) {
        nomen__gemm_args some = all;
        some.n = g->n - j < cols ? g->n - j : cols;
        some.b += j * E;
        some.c += j * E;
        for (int64_t left = g->k; left > 0; left -= some.k) {
            some.k = left >= several ? several : left < KC ? left : KC;
            FN(direct_block)(&some, left < g->k);
            some.a += some.k * g->a_col;
            some.b += some.k * some.b_row;
        }
    }
}

/* Whether B is copied where its rows have gaps: it stays in cache, or is read by few rows. */
static inline bool FN(is_near)(int64_t m, int64_t n, int64_t k) {
    const int64_t most = m < DIRECT_FEW ? DIRECT_B : DIRECT_B_COMPLEX;
    return ((k <= DIRECT_K || n <= GEMM_MEDIUM) && k * n * E < most) || m <= MR / 2;
}
/* In its place it is read once, or a part of few summands or columns after the other. */
static inline bool FN(fits)(const nomen__gemm_args *g) {
    const bool turned = g->b_col != E && g->m > MR / 2 && g->k * g->n * E >= DIRECT_B_COMPLEX;
    return (FN(is_near)(g->m, g->n, g->k) && !turned) ||
           (g->b_col == E && (g->m <= MR || g->k <= GEMM_THIN || g->n <= GEMM_MEDIUM));
}

/* ---- rows times columns ---------------------------------------------------------------------- */

/* Sums of products of equal parts, whose difference is the real part, and of unequal ones: so many
 * numbers whose sum is that of all. */
enum { FN(each) = W / 2 };
static inline __attribute__((always_inline)) V FN(joined)(const V equal[4], const V unequal[4]) {
    const V same = (equal[0] + equal[1]) + (equal[2] + equal[3]);
    const V other = (unequal[0] + unequal[1]) + (unequal[2] + unequal[3]);
    /* real parts in even lanes, imaginary ones in odd lanes */
    const V fore = v_sel(EVEN_LANES, same, other), back = v_sel(EVEN_LANES, other, same);
    return SIMD_PICK(v_less_more, fore)(fore, v_swap(back));
}

/* The sum of n products. */
static APART T FN(dot_block)(const T *a, const T *b, int64_t n) {
    enum { BESIDE = 4, EACH = FN(each) };
    V equal[BESIDE], unequal[BESIDE];
    T last[EACH] __attribute__((aligned(64)));
#pragma GCC unroll 4
    for (int v = 0; v < BESIDE; v++) equal[v] = unequal[v] = (V){0};
    for (; n >= BESIDE * EACH; n -= BESIDE * EACH, a += BESIDE * EACH, b += BESIDE * EACH)
#pragma GCC unroll 4
        for (int v = 0; v < BESIDE; v++) {
            V x = LDV(a + v * EACH), y = LDV(b + v * EACH);
            V_OPAQUE(x); /* or each is loaded twice, and loads are the limit */
            V_OPAQUE(y);
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
    STV(last, FN(joined)(equal, unequal));
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

/* Rows of up to four vectors, nv of them, the last one in part: as many rows at a time as a vector
 * has numbers, whose sums come out of additions of vectors. How many rows that are. */
static inline __attribute__((always_inline)) int64_t FN(short_rows)(const nomen__gemm_args *g,
                                                                    const T *b, char *c,
                                                                    const int nv, const bool part) {
    enum { EACH = FN(each) };
    const int64_t last = 2 * (g->k - (nv - 1) * EACH);
    const char *a = g->a;
    V y[4], z[4];
    int64_t i = 0;
#pragma GCC unroll 4
    for (int v = 0; v < nv; v++) {
        y[v] = part && v == nv - 1 ? LDV_N(b + v * EACH, last) : LDV(b + v * EACH);
        z[v] = v_swap(y[v]);
    }
    for (; i + EACH <= g->m; i += EACH) {
        V s[EACH];
#pragma GCC unroll 8
        for (int r = 0; r < EACH; r++, a += g->a_row) {
            V equal[4] = {{0}}, unequal[4] = {{0}};
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++) {
                const char *in = a + v * EACH * E;
                const V x = part && v == nv - 1 ? LDV_N(in, last) : LDV(in);
                equal[v] = FMA(x, y[v], equal[v]);
                unequal[v] = FMA(x, z[v], unequal[v]);
            }
            s[r] = FN(joined)(equal, unequal);
        }
        TURN(s);
#pragma GCC unroll 4
        for (int half = EACH / 2; half; half /= 2)
#pragma GCC unroll 4
            for (int l = 0; l < half; l++) s[l] += s[l + half];
        if (g->c_row == E) {
            STV(c + i * E, s[0]);
        } else {
            T one[EACH];
            memcpy(one, &s[0], sizeof one);
            for (int r = 0; r < EACH; r++) AT(T, c, (i + r) * g->c_row) = one[r];
        }
    }
    return i;
}

#define SHORT_CASE(nv)                                                                             \
    case 2 * (nv): return FN(short_rows)(g, b, c, nv, false);                                      \
    case 2 * (nv) - 1: return FN(short_rows)(g, b, c, nv, true)

static int64_t FN(some_rows)(const nomen__gemm_args *g, const T *b, char *c) {
    enum { EACH = FN(each) };
    if (g->k > 4 * EACH || g->m < EACH) return 0;
    switch ((g->k + EACH - 1) / EACH * 2 - (g->k % EACH != 0)) {
        SHORT_CASE(1);
        SHORT_CASE(2);
        SHORT_CASE(3);
        SHORT_CASE(4);
    }
    return 0;
}
#undef SHORT_CASE

/* Rows of A are contiguous; columns of B, few of them, are, or are copied. */
static APART void FN(rows_columns)(const nomen__gemm_args *g, T *copy) {
    for (int64_t j = 0; j < g->n; j++) {
        const T *b = &CAT(T, g->b, j * g->b_col);
        char *c = g->c + j * g->c_col;
        if (g->b_row != E) {
            for (int64_t p = 0; p < g->k; p++) copy[p] = CAT(T, g->b, j * g->b_col + p * g->b_row);
            b = copy;
        }
        for (int64_t i = FN(some_rows)(g, b, c); i < g->m; i++)
            AT(T, c, i * g->c_row) = FN(dot)(&CAT(T, g->a, i * g->a_row), b, g->k);
    }
}

/* Length of rows up to which tiles take less time than a sum of products for each element of n
 * columns, measured for each width of vectors. */
static inline int64_t FN(short_of)(int64_t n) {
#if VB == 32
    static const int64_t most[GEMM_NARROW + 1] = {0, 0, 24, 64, 80, 200, 500};
    return most[n] * (E / 8);
#else
    const int64_t some = E == 8 ? (n < 4 ? 0 : 3 * VB / 4) : VB / 2;
    const int64_t most = n < (E == 8 ? 5 : 3) ? some : 3 * VB / 2;
    return most > GEMM_SMALL ? most : GEMM_SMALL;
#endif
}

/* Few columns, or one row times columns that lie in one piece. Of one row times one column neither
 * is copied: it may be what was cut off from rows or from columns. */
static inline bool FN(has_few)(const nomen__gemm_args *g) {
    if (g->a_col != E) return false;
    const bool copied = g->b_row != E; /* which takes longer than few rows */
    if (g->m == 1) return !copied;
    if (g->n == 1) return true;
    return g->n <= GEMM_NARROW && g->k > FN(short_of)(g->n) && !(copied && g->m * FN(side) <= MR);
}
