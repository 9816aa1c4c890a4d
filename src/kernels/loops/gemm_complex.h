/* Include-template: the matrix product of one complex dtype, on panels of real parts beside panels
 * of imaginary ones. Before: SFX, T (stored), C (its parts), V (vector of C), W (its lanes), LDV,
 * STV and LDV_N, STV_N (of so many lanes), RE_OF and IM_OF two vectors of pairs, FIRST_OF and
 * LAST_OF for the way back, EVEN_LANES (a mask), FMA(V, V, V), TURN (of as many vectors as one has
 * numbers), MR (rows of the tile; it is one vector wide), KC, MC, NC (block sizes). After:
 * FN(gemm); everything is undefined. */

#define NR                      W
#define E                       (int64_t)sizeof(T)
#define AT(type, base, offset)  (*(type *)(void *)((base) + (offset)))
#define CAT(type, base, offset) (*(const type *)(const void *)((base) + (offset)))

static inline V FN(splat)(C x) { return x - (V){0}; }

/* tile[2][MR][NR], real parts first, = packed a times packed b. */
static APART void FN(kernel)(int64_t k, const C *restrict a, const C *restrict b,
                             C *restrict tile) {
    V re[MR], im[MR];
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++) re[i] = im[i] = (V){0};
    for (int64_t p = 0; p < k; p++, a += 2 * MR, b += 2 * NR) {
        V b_re = *(const V *)(const void *)b, b_im = *(const V *)(const void *)(b + NR),
          minus = -b_im;
#pragma GCC unroll 16
        for (int i = 0; i < MR; i++) {
            V x = FN(splat)(a[i]), y = FN(splat)(a[MR + i]);
            re[i] = FMA(y, minus, FMA(x, b_re, re[i]));
            im[i] = FMA(y, b_re, FMA(x, b_im, im[i]));
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++) {
        *(V *)(void *)(tile + i * NR) = re[i];
        *(V *)(void *)(tile + (MR + i) * NR) = im[i];
    }
}

/* Panels of `width` lines of `length` elements: real parts, then imaginary parts, element after
 * element. */
static inline void FN(pack)(C *to, const char *in, int64_t lines, int64_t length, int64_t line_step,
                            int64_t step, const int64_t width) {
    for (int64_t i = 0; i < lines; i += width, to += 2 * width * length)
        for (int64_t p = 0; p < length; p++)
            for (int64_t r = 0; r < width; r++) {
                T x = {0, 0};
                if (i + r < lines) x = CAT(T, in, (i + r) * line_step + p * step);
                to[2 * width * p + r] = x.re;
                to[2 * width * p + width + r] = x.im;
            }
}

static void FN(block)(const C *a, const C *b, int64_t m, int64_t n, int64_t k, char *c, int64_t row,
                      int64_t col, bool first) {
    C tile[2 * MR * NR] __attribute__((aligned(64)));
    for (int64_t j = 0; j < n; j += NR)
        for (int64_t i = 0; i < m; i += MR) {
            FN(kernel)(k, a + 2 * i * k, b + 2 * j * k, tile);
            for (int64_t r = 0; r < MR && i + r < m; r++)
                for (int64_t s = 0; s < NR && j + s < n; s++) {
                    T *to = &AT(T, c, (i + r) * row + (j + s) * col);
                    C re = tile[r * NR + s], im = tile[(MR + r) * NR + s];
                    *to = first ? (T){re, im} : (T){to->re + re, to->im + im};
                }
        }
}

typedef struct FN(plan) {
    int64_t mc, kc, nc;
    size_t a, b;
} FN(plan);

static inline FN(plan) FN(plan_of)(int64_t m, int64_t n, int64_t k) {
    FN(plan) p = {(m + MR - 1) / MR * MR, k, (n + NR - 1) / NR * NR, 0, 0};
    if (p.mc > MC) p.mc = MC;
    if (p.kc > KC) p.kc = KC;
    if (p.nc > NC) p.nc = NC;
    p.a = ((size_t)(p.mc * p.kc) * sizeof(T) + 63) / 64 * 64;
    p.b = ((size_t)(p.kc * p.nc) * sizeof(T) + 63) / 64 * 64;
    return p;
}

static void FN(large)(const nomen__gemm_args *g, void *scratch) {
    FN(plan) plan = FN(plan_of)(g->m, g->n, g->k);
    C *a = scratch, *b = (C *)(void *)((char *)scratch + plan.a);
    for (int64_t j = 0; j < g->n; j += plan.nc) {
        int64_t n = g->n - j < plan.nc ? g->n - j : plan.nc;
        for (int64_t p = 0; p < g->k; p += plan.kc) {
            int64_t k = g->k - p < plan.kc ? g->k - p : plan.kc;
            FN(pack)(b, g->b + p * g->b_row + j * g->b_col, n, k, g->b_col, g->b_row, NR);
            for (int64_t i = 0; i < g->m; i += plan.mc) {
                int64_t m = g->m - i < plan.mc ? g->m - i : plan.mc;
                FN(pack)(a, g->a + i * g->a_row + p * g->a_col, m, k, g->a_row, g->a_col, MR);
                FN(block)(a, b, m, n, k, g->c + i * g->c_row + j * g->c_col, g->c_row, g->c_col,
                          p == 0);
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

static const nomen__gemm FN(gemm) = {.scratch = FN(scratch), .run = FN(run)};

#undef NR
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
