/* Include-template: the matrix product of one complex dtype, on panels of A as it is and of B with
 * real parts beside imaginary ones. Before: SFX, T (stored), C (its parts), V (vector of C), W (its
 * lanes), LDV, STV and LDV_N, STV_N (of so many lanes), RE_OF and IM_OF two vectors of pairs,
 * FIRST_OF and LAST_OF for the way back, EVEN_LANES (a mask), FMA(V, V, V), TURN (of as many
 * vectors as one has numbers), MR (rows of the tile; it is one vector wide), KC, MC, NC (block
 * sizes), PART (the SFX of C, for which gemm_real.h was included). After: FN(gemm); everything is
 * undefined. */

#define NR                      W
#define E                       (int64_t)sizeof(T)
#define AT(type, base, offset)  (*(type *)(void *)((base) + (offset)))
#define CAT(type, base, offset) (*(const type *)(const void *)((base) + (offset)))

static inline V FN(splat)(C x) { return x - (V){0}; }

/* Of so many numbers at p, the vectors of both parts: lanes in an order of their own, which
 * put_parts takes back. */
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

/* One number of A times numbers of B, onto their sums. What is taken away is an instruction of its
 * own: minus b_im would take one of 16 registers. */
static inline __attribute__((always_inline)) void FN(add_product)(V *re, V *im, const C *one,
                                                                  V b_re, V b_im) {
    const V x = FN(splat)(one[0]), y = FN(splat)(one[1]);
    *re = v_fma_less(y, b_im, FMA(x, b_re, *re));
    *im = FMA(y, b_re, FMA(x, b_im, *im));
}

/* rows rows of the product of two panels, into C or onto it. */
static inline __attribute__((always_inline)) void FN(tile)(int64_t k, const C *restrict a,
                                                           const C *restrict b, char *c,
                                                           int64_t row, bool onto, const int rows) {
    V re[MR], im[MR];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) re[i] = im[i] = (V){0};
    for (; k > 0; k--, a += 2 * MR, b += 2 * NR) {
        const V b_re = *(const V *)(const void *)b, b_im = *(const V *)(const void *)(b + NR);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) FN(add_product)(re + i, im + i, a + 2 * i, b_re, b_im);
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) FN(put_parts)(c + i * row, NR, re[i], im[i], onto);
}

static APART void FN(whole)(int64_t k, const C *a, const C *b, char *c, int64_t row, bool onto) {
    FN(tile)(k, a, b, c, row, onto, MR);
}
static APART void FN(half)(int64_t k, const C *a, const C *b, char *c, int64_t row) {
    FN(tile)(k, a, b, c, row, false, (MR + 1) / 2);
}

/* Numbers line after line of `in`, those that do not exist from the last one that does. */
static inline void FN(gather)(T *to, const char *in, int64_t lines, int64_t line, int width) {
    for (int64_t l = 0; l < width; l++) to[l] = CAT(T, in, (l < lines ? l : lines - 1) * line);
}

/* Panels of MR rows: the numbers p of all rows side by side, as they are: they are taken one by
 * one. Of rows that do not exist they hold anything. */
static APART void FN(pack_a)(T *to, const char *a, int64_t m, int64_t k, int64_t row, int64_t col) {
    enum { EACH = W / 2, LAST = MR - EACH };
    for (int64_t i = 0; i < m; i += MR, to += MR * k) {
        const char *in = a + i * row;
        const int64_t lines = m - i;
        int64_t p = 0;
        for (; row == E && lines >= MR && p < k; p++)
#pragma GCC unroll 8
            for (int l = 0; l < MR; l += EACH) {
                const int at = l < LAST ? l : LAST;
                STV(to + p * MR + at, LDV(in + p * col + at * E));
            }
        for (; col == E && p + EACH <= k; p += EACH)
#pragma GCC unroll 8
            for (int l = 0; l < MR; l += EACH) {
                const int at = l < LAST ? l : LAST;
                V x[EACH];
#pragma GCC unroll 8
                for (int r = 0; r < EACH; r++)
                    x[r] = LDV(in + (at + r < lines ? at + r : lines - 1) * row + p * E);
                TURN(x);
#pragma GCC unroll 8
                for (int s = 0; s < EACH; s++) STV(to + (p + s) * MR + at, x[s]);
            }
        for (; p < k; p++) FN(gather)(to + p * MR, in + p * col, lines, row, MR);
    }
}

/* Some summands of a panel of NR columns: real parts, then imaginary parts, row after row. */
static inline void FN(panel)(C *to, const char *b, int64_t columns, int64_t k, int64_t row,
                             int64_t col) {
    enum { EACH = W / 2 };
    int64_t p = 0;
    V re, im;
    for (; col == E && p < k; p++, to += 2 * NR) {
        FN(parts)(b + p * row, columns, &re, &im);
        STV(to, re);
        STV(to + NR, im);
    }
    for (; row == E && p + EACH <= k; p += EACH) {
        V x[2][EACH];
#pragma GCC unroll 16
        for (int l = 0; l < NR; l++)
            x[l / EACH][l % EACH] = LDV(b + (l < columns ? l : columns - 1) * col + p * E);
        TURN(x[0]);
        TURN(x[1]);
#pragma GCC unroll 8
        for (int s = 0; s < EACH; s++, to += 2 * NR) {
            STV(to, RE_OF(x[0][s], x[1][s]));
            STV(to + NR, IM_OF(x[0][s], x[1][s]));
        }
    }
    for (; p < k; p++, to += 2 * NR) {
        T line[NR] __attribute__((aligned(64)));
        FN(gather)(line, b + p * row, columns, col, NR);
        FN(parts)((const char *)line, NR, &re, &im);
        STV(to, re);
        STV(to + NR, im);
    }
}

/* Rows are taken in several at a time, as they lie in memory. */
static APART void FN(pack_b)(C *to, const char *b, int64_t n, int64_t k, int64_t row, int64_t col) {
    const int64_t most = col == E ? PACK_ROWS : k;
    for (int64_t p = 0; p < k; p += most)
        for (int64_t j = 0; j < n; j += NR)
            FN(panel)(to + 2 * (j * k + p * NR), b + p * row + j * col, n - j,
                      k - p < most ? k - p : most, row, col);
}

/* A tile of which m rows and n columns exist, to where they belong. */
static void FN(put)(const T *tile, char *c, int64_t m, int64_t n, int64_t row, int64_t col,
                    bool onto) {
    for (int64_t i = 0; i < m; i++, tile += NR, c += row)
        for (int64_t j = 0; j < n; j++) {
            T *to = &AT(T, c, j * col);
            *to = onto ? (T){to->re + tile[j].re, to->im + tile[j].im} : tile[j];
        }
}

/* A block of C from packed blocks of A and B. A panel of B stays in L1 while all those of A, which
 * stay in L2, go by. */
static void FN(block)(const nomen__gemm_args *g, const C *a, const C *b, char *c, bool onto) {
    T tile[MR * NR] __attribute__((aligned(64)));
    const int64_t k = g->k, row = g->c_row, col = g->c_col;
    for (int64_t j = 0; j < g->n; j += NR)
        for (int64_t i = 0; i < g->m; i += MR) {
            const int64_t m = g->m - i, n = g->n - j;
            const C *rows = a + 2 * i * k, *columns = b + 2 * j * k;
            char *to = c + i * row + j * col;
            if (m >= MR && n >= NR && col == E) {
                FN(whole)(k, rows, columns, to, row, onto);
                continue;
            }
            if (m > (MR + 1) / 2)
                FN(whole)(k, rows, columns, (char *)tile, NR * E, false);
            else
                FN(half)(k, rows, columns, (char *)tile, NR * E);
            FN(put)(tile, to, m < MR ? m : MR, n < NR ? n : NR, row, col, onto);
        }
}

typedef struct FN(plan) {
    int64_t mc, kc, nc;
    size_t a, b;
} FN(plan);

static inline FN(plan) FN(plan_of)(int64_t m, int64_t n, int64_t k) {
    const int64_t blocks = (m + MC - 1) / MC, rows = blocks > 1 ? (m + blocks - 1) / blocks : m;
    FN(plan) p = {(rows + MR - 1) / MR * MR, k, (n + NR - 1) / NR * NR, 0, 0};
    if (p.kc > KC) p.kc = KC;
    if (p.nc > NC) p.nc = NC;
    p.a = ((size_t)(p.mc * p.kc) * sizeof(T) + 63) / 64 * 64;
    p.b = ((size_t)(p.kc * p.nc) * sizeof(T) + 63) / 64 * 64;
    return p;
}

static void FN(large)(const nomen__gemm_args *g, void *scratch) {
    const FN(plan) plan = FN(plan_of)(g->m, g->n, g->k);
    T *a = scratch;
    C *b = (C *)(void *)((char *)scratch + plan.a);
    nomen__gemm_args part = *g;
    for (int64_t j = 0; j < g->n; j += plan.nc) {
        part.n = g->n - j < plan.nc ? g->n - j : plan.nc;
        for (int64_t p = 0; p < g->k; p += plan.kc) {
            part.k = g->k - p < plan.kc ? g->k - p : plan.kc;
            FN(pack_b)(b, g->b + p * g->b_row + j * g->b_col, part.n, part.k, g->b_row, g->b_col);
            for (int64_t i = 0; i < g->m; i += plan.mc) {
                part.m = g->m - i < plan.mc ? g->m - i : plan.mc;
                FN(pack_a)(a, g->a + i * g->a_row + p * g->a_col, part.m, part.k, g->a_row,
                           g->a_col);
                FN(block)(&part, &a->re, b, g->c + i * g->c_row + j * g->c_col, p > 0);
            }
        }
    }
}

/* Straight from memory: products with a vector that lies in no order. */
static void FN(plain)(const nomen__gemm_args *g) {
    enum { LANES = 4 };
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const char *a = g->a + i * g->a_row, *b = g->b + j * g->b_col;
            C re[LANES] = {0}, im[LANES] = {0};
            for (int64_t p = 0; p < g->k; p += LANES)
                for (int64_t l = 0; l < LANES && p + l < g->k; l++) {
                    T x = CAT(T, a, (p + l) * g->a_col), y = CAT(T, b, (p + l) * g->b_row);
                    re[l] += x.re * y.re - x.im * y.im;
                    im[l] += x.re * y.im + x.im * y.re;
                }
            AT(T, g->c, i * g->c_row + j * g->c_col) =
                (T){(re[0] + re[1]) + (re[2] + re[3]), (im[0] + im[1]) + (im[2] + im[3])};
        }
}

#include "kernels/loops/gemm_complex_direct.h"

/* Which way is taken depends on the steps as well, and C may be turned over: enough for each. */
static size_t FN(scratch_of)(int64_t m, int64_t n, int64_t k) {
    const FN(plan) p = FN(plan_of)(m, n, k);
    const size_t copy = (size_t)(k * n * E), packed = p.a + p.b;
    return FN(is_near)(m, n, k) && copy > packed ? copy : packed;
}
static size_t FN(scratch)(int64_t m, int64_t n, int64_t k) {
    if (k <= 0) return 0;
    if (m <= 1 || n <= 1) return (size_t)(k * E);
    const size_t one = FN(scratch_of)(m, n, k), other = FN(scratch_of)(n, m, k);
    const size_t column = (size_t)(k * E), most = one > other ? one : other;
    return most > column ? most : column;
}

/* By steps alone, and by sides that no cut makes small: bits do not depend on cuts. */
static void FN(run)(const nomen__gemm_args *g, void *scratch) {
    const nomen__gemm_args turned = turned_product(g);
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0) {
        FN(plain)(g);
    } else if (g->m == 1 && g->a_col == E && g->b_row == E) { /* many rows times a column */
        FN(rows_columns)(&turned, scratch);
    } else if (FN(has_few)(g)) {
        FN(rows_columns)(g, scratch);
    } else if ((g->m > 1 || g->a_col == E) && FN(has_few)(&turned)) {
        FN(rows_columns)(&turned, scratch);
    } else if (g->m == 1 || g->n == 1) {
        if (g->n == 1 && g->a_col != E && turned.b_col == E && turned.c_col == E) g = &turned;
        if (g->b_col == E && g->c_col == E)
            FN(direct)(g, scratch);
        else
            FN(plain)(g);
    } else {
        if (g->c_col != E && turned.c_col == E) g = &turned;
        if (g->c_col == E && FN(fits)(g))
            FN(direct)(g, scratch);
        else
            FN(large)(g, scratch);
    }
}

#include "kernels/loops/gemm_complex_batches.h"

static const nomen__gemm FN(gemm) = {
    .scratch = FN(scratch), .run = FN(run), .rows = MR, .side = GEMM_SIDE, .batches = &FN(batches)};

#undef NR
#undef PART
#undef E
#undef AT
#undef CAT
#undef SFX
#undef T
#undef C
#undef V
#undef W
#undef LDV
#undef STV
#undef LDV_N
#undef STV_N
#undef RE_OF
#undef IM_OF
#undef FIRST_OF
#undef LAST_OF
#undef EVEN_LANES
#undef FMA
#undef TURN
#undef MR
#undef KC
#undef MC
#undef NC
