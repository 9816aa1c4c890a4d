/* Include-template: the matrix product of one dtype whose elements are single numbers.
 * Before: SFX, T (stored), C (computed), V (vector of C), C_OF(T), T_OF(C), FMA(V, V, V), ROUNDS
 * (1: C loses digits when stored, so sums of up to GEMM_SUMS rows of C wait in scratch, and
 * gemm_direct.h is left out), TURN (turns a square of vectors over: simd/turn.h), WHOLE (1: whole
 * numbers, which wrap, so that sums may be added up in any order). Vectors go to and from memory by
 * ld_SFX, st_SFX, and the first of their elements by ld_SFX_n, st_SFX_n; sums by STV and STV_N, if
 * they are defined. After: FN(gemm); everything is undefined. */

#define W                ((int)(sizeof(V) / sizeof(C)))
#define LDV(p)           LOOP_NAME2(ld, SFX)(p)
#define LDV_N(p, k)      FN2(ld, SFX, n)(p, k)
#define STV_TWO(p, v, w) FN2(st, SFX, two)(p, v, w)
#ifndef STV
#define STV(p, v)      LOOP_NAME2(st, SFX)(p, v)
#define STV_N(p, v, k) FN2(st, SFX, n)(p, v, k)
#endif
/* The tile of the micro-kernel, in rows and vectors; blocks: about so many rows, and summands and
 * columns. */
#define MR                      ROWS_REAL
#define NV                      VECS_REAL
#define NR                      (NV * W)
#define MC                      (MR * 16)
#define KC                      256
#define NC                      (NR * (ROUNDS ? 16 : 64))
#define AT(type, base, offset)  (*(type *)(void *)((base) + (offset)))
#define CAT(type, base, offset) (*(const type *)(const void *)((base) + (offset)))
#define E                       ((int64_t)sizeof(T))
#define SLIM_COLUMN             (VB == 64 && !WHOLE ? W / 4 : W - 1)
#define SAME                    (sizeof(T) == sizeof(C)) /* nothing is widened */
#define STEP                    (E < 4 ? 16 : 64 / E) /* elements to a line of the cache, about */
/* Numbers of 16 bits would become ints, which must not wrap. */
#if WHOLE
#define TIMES(a, b) (C)((uint64_t)(a) * (b))
#else
#define TIMES(a, b) ((a) * (b))
#endif
#if ROUNDS
#define P             C /* what blocks of C are kept in between the blocks of k */
#define P_ADD(old, x) ((old) + (x))
#define P_OF(x)       (x)
#else
#define P             T
#define P_ADD(old, x) T_OF(C_OF(old) + (x))
#define P_OF(x)       T_OF(x)
#endif

static inline V FN(splat)(C x) { return x - (V){0}; }

#include "kernels/loops/gemm_pack.h"
#include "kernels/loops/gemm_tile.h"

/* Bytes of scratch, multiples of 64: a block of A and what may be written beyond it, a block of B,
 * and where digits would be lost the sums of a block of C. Blocks are whole panels. */
typedef struct FN(plan) {
    int64_t rows, kc, nc, sums; /* of blocks of A and B, and rows of C that wait */
    size_t a, b, c;
} FN(plan);

static inline FN(plan) FN(plan_of)(int64_t m, int64_t n, int64_t k) {
    const int64_t blocks = (m + MC / 2) / MC, rows = blocks > 1 ? (m + blocks - 1) / blocks : m;
    FN(plan) p = {(rows + MR - 1) / MR * MR, k < KC ? k : KC, (n + NR - 1) / NR * NR, m, 0, 0, 0};
    if (p.nc > NC) p.nc = NC;
    p.a = ((size_t)(p.rows * p.kc) * sizeof(C) + VB + 63) / 64 * 64;
    p.b = ((size_t)(p.kc * p.nc) * sizeof(C) + 63) / 64 * 64;
#if ROUNDS
    if (p.sums > GEMM_SUMS) p.sums = GEMM_SUMS;
    p.c = ((size_t)(p.sums * p.nc) * sizeof(C) + 63) / 64 * 64;
#endif
    return p;
}

#if ROUNDS
/* Sums of a block of C, to where they belong. */
static void FN(deliver)(const nomen__gemm_args *g, const C *c, int64_t nc) {
    for (int64_t r = 0; r < g->m; r++) {
        char *to = g->c + r * g->c_row;
        const V *from = (const V *)(const void *)(c + r * nc);
        int64_t s = 0;
        for (; g->c_col == E && s + 2 * W <= g->n; s += 2 * W, to += 2 * W * E, from += 2)
            STV_TWO(&AT(T, to, 0), from[0], from[1]);
        for (; s < g->n; s += W, to += W * g->c_col, from++) {
            const V v = *from;
            const int64_t w = g->n - s < W ? g->n - s : W;
            if (g->c_col == E && w == W)
                STV(&AT(T, to, 0), v);
            else if (g->c_col == E)
                STV_N(&AT(T, to, 0), v, w);
            else
                for (int64_t l = 0; l < w; l++) AT(T, to, l * g->c_col) = T_OF(v[l]);
        }
    }
}
#endif

/* Columns of C that one block of B reaches: A is packed once for all of them, B once for all rows
 * (of C that wait). */
static void FN(columns)(const nomen__gemm_args *g, const FN(plan) * plan, void *scratch) {
    C *a = scratch, *b = (C *)(void *)((char *)scratch + plan->a);
    for (int64_t p = 0; p < g->k; p += plan->kc) {
        nomen__gemm_args part = *g;
        part.k = g->k - p < plan->kc ? g->k - p : plan->kc;
        FN(pack_b)(b, g->b + p * g->b_row, part.k, g->n, g->b_row, g->b_col);
        for (int64_t i = 0; i < g->m; i += plan->rows) {
            part.m = g->m - i < plan->rows ? g->m - i : plan->rows;
            FN(pack_a)(a, g->a + i * g->a_row + p * g->a_col, part.m, part.k, g->a_row, g->a_col);
#if ROUNDS
            char *c = (char *)b + plan->b + (size_t)(i * plan->nc) * sizeof(C);
            FN(block)(&part, a, b, c, plan->nc * (int64_t)sizeof(C), sizeof(C), p == 0);
#else
            FN(block)(&part, a, b, g->c + i * g->c_row, g->c_row, g->c_col, p == 0);
#endif
        }
    }
#if ROUNDS
    FN(deliver)(g, (const C *)(const void *)((char *)b + plan->b), plan->nc);
#endif
}

static void FN(large)(const nomen__gemm_args *g, void *scratch) {
    const FN(plan) plan = FN(plan_of)(g->m, g->n, g->k);
    nomen__gemm_args part = *g;
    for (int64_t j = 0; j < g->n; j += plan.nc)
        for (int64_t i = 0; i < g->m; i += plan.sums) {
            part.m = g->m - i < plan.sums ? g->m - i : plan.sums;
            part.n = g->n - j < plan.nc ? g->n - j : plan.nc;
            part.a = g->a + i * g->a_row;
            part.b = g->b + j * g->b_col;
            part.c = g->c + i * g->c_row + j * g->c_col;
            FN(columns)(&part, &plan, scratch);
        }
}

/* Up to GEMM_SMALL elements as they are computed with, in whole vectors; 0 behind the last one. */
static inline __attribute__((always_inline)) void FN(take)(C *to, const char *in, int64_t n,
                                                           int64_t step) {
    for (int64_t p = 0; p < GEMM_SMALL && p < n; p += W) {
        const int64_t w = n - p;
        const char *at = in + p * step;
        V x = {0};
        if (step == E)
            x = w >= W ? LDV(&CAT(T, at, 0)) : LDV_N(&CAT(T, at, 0), w);
        else
            for (int64_t l = 0; l < W && l < w; l++) x[l] = C_OF(CAT(T, at, l * step));
        memcpy(to + p, &x, sizeof x);
    }
}

/* Whether row i of C, one of m without gaps, may be written in whole vectors, `wide` elements in
 * all: what runs over its end belongs to rows that are written after it. */
static inline bool FN(runs_over)(const nomen__gemm_args *g, int64_t m, int64_t i, int64_t wide) {
    return g->c_col == E && g->c_row == g->n * E && i * g->n + wide <= m * g->n;
}

/* Some rows of C, beside each other in registers, the first of `left`. a: rows of A, `pitch`
 * elements apart. */
static inline __attribute__((always_inline)) void FN(few_rows)(const nomen__gemm_args *g,
                                                               int64_t left, const C *a,
                                                               int64_t pitch, const V *b, int64_t i,
                                                               const int rows, const int nv) {
    V acc[4 * (GEMM_SMALL / W > 0 ? GEMM_SMALL / W : 1)];
#pragma GCC unroll 16
    for (int x = 0; x < rows * nv; x++) acc[x] = (V){0};
    for (int64_t p = 0; p < g->k; p++)
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const V x = FN(splat)(a[(i + r) * pitch + p]);
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++) acc[r * nv + v] = FMA(x, b[p * nv + v], acc[r * nv + v]);
        }
    if (rows > 1 && FN(runs_over)(g, left, i + rows - 1, nv * W)) {
        char *out = g->c + i * g->c_row;
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++, out += g->c_row)
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++)
                if (v == 0 || v * W < g->n) STV(&AT(T, out, v * W * E), acc[r * nv + v]);
        return;
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < nv; v++) {
            const V sum = acc[r * nv + v];
            int64_t w = g->n - v * W;
            char *out = g->c + (i + r) * g->c_row + v * W * g->c_col;
            if (w <= 0) break;
            if (g->c_col == E && w >= W)
                STV(&AT(T, out, 0), sum);
            else if (g->c_col == E)
                STV_N(&AT(T, out, 0), sum, w);
            else
                for (int64_t l = 0; l < W && l < w; l++) AT(T, out, l * g->c_col) = T_OF(sum[l]);
        }
}

/* Rows of A as they are computed with, up to GEMM_SMALL of as many elements at most: where they
 * lie, or copied to `own`; elements from one to the next. */
static inline __attribute__((always_inline)) const C *FN(taken)(const nomen__gemm_args *g, C *own,
                                                                int64_t *pitch) {
    if (SAME && g->a_col == E && g->a_row % E == 0) {
        *pitch = g->a_row / E;
        return &CAT(C, g->a, 0);
    }
    if (g->a_col == E && g->a_row == g->k * E) { /* as one */
        const int64_t all = g->m * g->k;
        int64_t i = 0;
        for (; i + W <= all; i += W) *(V *)(void *)(own + i) = LDV(&CAT(T, g->a, i * E));
        if (i < all) *(V *)(void *)(own + i) = LDV_N(&CAT(T, g->a, i * E), all - i);
        *pitch = g->k;
        return own;
    }
    for (int64_t i = 0; i < g->m; i++)
        FN(take)(own + i * GEMM_SMALL, g->a + i * g->a_row, g->k, g->a_col);
    *pitch = GEMM_SMALL;
    return own;
}

/* n, k <= GEMM_SMALL: B copied into whole vectors on the stack, and A unless it can be read where
 * it lies; if it has many rows, so many at a time. nv: vectors per row of B. */
static inline __attribute__((always_inline)) void FN(few)(const nomen__gemm_args *g, const int nv,
                                                          const bool many) {
    enum { LINE = GEMM_SMALL < W ? W : GEMM_SMALL }; /* whole vectors */
    V b[GEMM_SMALL * (LINE / W)];
    C own[GEMM_SMALL * GEMM_SMALL + LINE] __attribute__((aligned(64)));
    int64_t pitch;
    for (int64_t p = 0; p < g->k; p++) {
        C row[LINE] __attribute__((aligned(64))) = {0};
        FN(take)(row, g->b + p * g->b_row, g->n, g->b_col);
        memcpy(b + p * nv, row, (size_t)nv * sizeof(V));
    }
    if (!many) {
        const C *const a = FN(taken)(g, own, &pitch);
        int64_t i = 0;
        for (; nv <= 2 && i + 4 <= g->m; i += 4) FN(few_rows)(g, g->m, a, pitch, b, i, 4, nv);
        for (; i < g->m; i++) FN(few_rows)(g, g->m, a, pitch, b, i, 1, nv);
        return;
    }
    nomen__gemm_args part = *g;
    for (int64_t left = g->m; left > 0; left -= GEMM_SMALL) {
        part.m = left < GEMM_SMALL ? left : GEMM_SMALL;
        const C *const a = FN(taken)(&part, own, &pitch);
        int64_t i = 0;
        for (; i + 4 <= part.m; i += 4) FN(few_rows)(&part, left, a, pitch, b, i, 4, nv);
        for (; i < part.m; i++) FN(few_rows)(&part, left, a, pitch, b, i, 1, nv);
        part.a += GEMM_SMALL * g->a_row;
        part.c += GEMM_SMALL * g->c_row;
    }
}
static void FN(small)(const nomen__gemm_args *g) {
    int64_t nv = (g->n + W - 1) / W;
    if (nv <= 1)
        FN(few)(g, 1, false);
    else if (nv == 2)
        FN(few)(g, GEMM_SMALL / W < 2 ? 1 : 2, false);
    else if (nv <= 4)
        FN(few)(g, GEMM_SMALL / W < 4 ? 1 : 4, false);
    else
        FN(few)(g, GEMM_SMALL / W < 8 ? 1 : 8, false);
}

/* Many rows of up to GEMM_SMALL elements times up to GEMM_NARROW columns: too little of each for
 * what vectors make of long ones. */
static APART void FN(slim)(const nomen__gemm_args *g) {
    if (g->n <= W)
        FN(few)(g, 1, true);
    else
        FN(few)(g, (GEMM_NARROW + W - 1) / W, true);
}
/* ... times one column, of up to SLIM_COLUMN elements, less than a vector. */
static APART void FN(slim_column)(const nomen__gemm_args *g) {
    enum { ROWS = 4 };
    C x[W];
    int64_t i = 0;
    for (int64_t p = 0; p < g->k; p++) x[p] = C_OF(CAT(T, g->b, p * g->b_row));
    for (; i + ROWS <= g->m; i += ROWS) {
        C sum[ROWS] = {0};
        for (int64_t p = 0; p < g->k; p++)
#pragma GCC unroll 4
            for (int r = 0; r < ROWS; r++)
                sum[r] = (C)(sum[r] + TIMES(C_OF(CAT(T, g->a, (i + r) * g->a_row + p * E)), x[p]));
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) AT(T, g->c, (i + r) * g->c_row) = T_OF(sum[r]);
    }
    for (; i < g->m; i++) {
        C sum = 0;
        for (int64_t p = 0; p < g->k; p++)
            sum = (C)(sum + TIMES(C_OF(CAT(T, g->a, i * g->a_row + p * E)), x[p]));
        AT(T, g->c, i * g->c_row) = T_OF(sum);
    }
}

static inline V FN(own)(const C *x) {
    V v;
    memcpy(&v, x, sizeof v);
    return v;
}

#if WHOLE
#include "kernels/loops/gemm_dots.h"
#else
#include "kernels/loops/gemm_rows.h"
#endif

/* A vector of elements, or the first ones of it that there are. */
static inline V FN(some)(const char *p, int64_t n) {
    return n >= W ? LDV(&CAT(T, p, 0)) : LDV_N(&CAT(T, p, 0), n);
}

/* One column or four, `col` bytes apart, times x, into sums: step by step as tiles do it, the last
 * rows, too, so that an element has the same bits wherever C is cut. ahead: there is as much behind
 * the last rows as a vector has more, and room for it in sum. */
static inline __attribute__((always_inline)) void FN(add_columns)(C *sum, const char *q, const C *x,
                                                                  int64_t rows, int64_t col,
                                                                  const int count,
                                                                  const bool ahead) {
    V own[4];
#pragma GCC unroll 4
    for (int u = 0; u < count; u++) own[u] = FN(splat)(x[u]);
    for (int64_t r = 0; r < rows; r += W, q += W * E) {
        V s = FN(own)(sum + r);
#pragma GCC unroll 4
        for (int u = 0; u < count; u++) {
            const V a = ahead ? LDV(&CAT(T, q, u * col)) : FN(some)(q + u * col, rows - r);
            s = FMA(a, own[u], s);
        }
        memcpy(sum + r, &s, sizeof s);
    }
}

/* All k of them, by fours as long as there are as many. */
static inline void FN(add_all_columns)(C *sum, const char *a, const C *x, int64_t rows, int64_t k,
                                       int64_t col) {
    const int64_t over = -rows & (W - 1), last = (k - 1) * col;
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
        if (over == 0 || (p + 3) * col + over * E <= last)
            FN(add_columns)(sum, a + p * col, x + p, rows, col, 4, true);
        else
            FN(add_columns)(sum, a + p * col, x + p, rows, col, 4, false);
    }
    for (; p < k; p++) FN(add_columns)(sum, a + p * col, x + p, rows, col, 1, false);
}

/* C = A x, x contiguous and computed already. */
static APART void FN(vector)(char *c, const char *a, const C *x, int64_t m, int64_t k, int64_t row,
                             int64_t col, int64_t c_step) {
    if (col == E) {
        FN(rows_column)(c, a, x, m, k, row, c_step);
        return;
    }
    C sum[GEMM_STRIP] __attribute__((aligned(64)));
    for (int64_t i = 0; i < m; i += GEMM_STRIP) {
        int64_t rows = m - i < GEMM_STRIP ? m - i : GEMM_STRIP, p = 0;
        const int64_t room = rows + W < GEMM_STRIP ? rows + W : GEMM_STRIP;
        for (int64_t r = 0; r < room; r++) sum[r] = 0;
        if (row == E) {
            FN(add_all_columns)(sum, a + i * E, x, rows, k, col);
            p = k;
        }
        for (; p < k; p++)
            for (int64_t r = 0; r < rows; r++)
                sum[r] = (C)(sum[r] + TIMES(C_OF(CAT(T, a, (i + r) * row + p * col)), x[p]));
        int64_t r = 0;
        for (; c_step == E && r + W <= rows; r += W)
            STV(&AT(T, c, (i + r) * E), *(const V *)(const void *)(sum + r));
        for (; r < rows; r++) AT(T, c, (i + r) * c_step) = T_OF(sum[r]);
    }
}

/* Column j of B as it is computed with: in its place if it can be, else copied to x. */
static APART const C *FN(column)(const nomen__gemm_args *g, int64_t j, C *x) {
    const char *b = g->b + j * g->b_col;
    int64_t p = 0;
    if (SAME && g->b_row == E) return (const C *)(const void *)b;
    for (; g->b_row == E && p + W <= g->k; p += W) *(V *)(void *)(x + p) = LDV(&CAT(T, b, p * E));
    for (; p < g->k; p++) x[p] = C_OF(CAT(T, b, p * g->b_row));
    return x;
}

/* One row without gaps times one column, block by block: it is not copied whole. */
static APART void FN(row_column)(const nomen__gemm_args *g) {
#if WHOLE || ROUNDS
    if (g->b_row == E) {
        AT(T, g->c, 0) = T_OF(FN(dot_stored)(&CAT(T, g->a, 0), &CAT(T, g->b, 0), g->k));
        return;
    }
#endif
    C x[GEMM_DOT] __attribute__((aligned(64)));
    C total = 0;
    for (int64_t p = 0; p < g->k; p += GEMM_DOT) {
        nomen__gemm_args part = *g;
        part.b += p * g->b_row;
        part.k = g->k - p < GEMM_DOT ? g->k - p : GEMM_DOT;
        const C *const y = FN(column)(&part, 0, x);
        const C sum = FN(dot)(&CAT(T, g->a, p * E), y, part.k, p > 0);
        total = (C)(total + sum);
    }
    AT(T, g->c, 0) = T_OF(total);
}

/* Where both have gaps, elements are multiplied where they lie: to copy them takes longer. */
static APART void FN(dot_of_gaps)(const nomen__gemm_args *g) {
    enum { SUMS = 8 };
    C total = 0;
    for (int64_t first = 0; first < g->k; first += GEMM_DOT) {
        const int64_t n = g->k - first < GEMM_DOT ? g->k - first : GEMM_DOT;
        const char *a = g->a + first * g->a_col, *b = g->b + first * g->b_row;
        C sum[SUMS] = {0};
        int64_t p = 0;
        for (; p + SUMS <= n; p += SUMS, a += SUMS * g->a_col, b += SUMS * g->b_row)
#pragma GCC unroll 8
            for (int i = 0; i < SUMS; i++)
                sum[i] =
                    (C)(sum[i] + C_OF(CAT(T, a, i * g->a_col)) * C_OF(CAT(T, b, i * g->b_row)));
        for (; p < n; p++, a += g->a_col, b += g->b_row)
            sum[0] = (C)(sum[0] + C_OF(CAT(T, a, 0)) * C_OF(CAT(T, b, 0)));
#pragma GCC unroll 4
        for (int half = SUMS / 2; half; half /= 2)
#pragma GCC unroll 4
            for (int i = 0; i < half; i++) sum[i] = (C)(sum[i] + sum[i + half]);
        total = (C)(total + sum[0]);
    }
    AT(T, g->c, 0) = T_OF(total);
}

/* The same, whichever of both has gaps. */
static void FN(dot_product)(const nomen__gemm_args *g) {
    nomen__gemm_args turned;
    if (g->a_col != E && g->b_row != E) {
        FN(dot_of_gaps)(g);
        return;
    }
    if (g->a_col != E && g->b_row == E) {
        turned = turned_product(g);
        g = &turned;
    }
#if !WHOLE
    if (SAME && g->a_col == E && g->b_row == E) {
        FN(rows_column)(g->c, g->a, &CAT(C, g->b, 0), 1, g->k, 0, 0);
        return;
    }
#endif
    FN(row_column)(g);
}

/* Few columns: a strip of A that stays in cache is multiplied with one after another. */
static void FN(narrow)(const nomen__gemm_args *g, C *copy) {
    const int64_t rows = (GEMM_CACHE / (g->k * E) / 64 + 1) * 64;
    const C *x = copy;
    for (int64_t i = 0; i < g->m; i += rows)
        for (int64_t j = 0; j < g->n; j++) {
            if (i == 0 || g->n > 1) x = FN(column)(g, j, copy);
            FN(vector)(g->c + i * g->c_row + j * g->c_col, g->a + i * g->a_row, x,
                       g->m - i < rows ? g->m - i : rows, g->k, g->a_row, g->a_col, g->c_row);
        }
}

#if !ROUNDS
/* A few rows times a few long columns without gaps: a tile would be mostly empty, and to pack them
 * would take longer than the sums. So many summands at a time that the rows stay in L2. */
static APART void FN(few_dots)(const nomen__gemm_args *g) {
    enum { BLOCK = 4096 / E };
    C copy[BLOCK] __attribute__((aligned(64)));
    T part[GEMM_SMALL];
    for (int64_t first = 0; first < g->k; first += BLOCK) {
        nomen__gemm_args some = *g;
        some.a += first * E;
        some.b += first * E;
        some.k = g->k - first < BLOCK ? g->k - first : BLOCK;
        for (int64_t j = 0; j < g->n; j++) {
            const C *const x = FN(column)(&some, j, copy);
            char *c = g->c + j * g->c_col;
            FN(vector)((char *)part, some.a, x, g->m, some.k, g->a_row, E, E);
            for (int64_t i = 0; i < g->m; i++, c += g->c_row)
                AT(T, c, 0) = (T)(first ? AT(T, c, 0) + part[i] : part[i]);
        }
    }
}
static inline bool FN(is_few_dots)(const nomen__gemm_args *g) {
    return g->m <= GEMM_SMALL && g->n <= GEMM_SMALL && g->m > 1 && g->n > 1 && g->a_col == E &&
           g->b_row == E && g->k > DIRECT_K;
}
#endif

#include "kernels/loops/gemm_direct.h"

#if !ROUNDS && !WHOLE
#include "kernels/loops/gemm_lines.h"

/* A few rows times short columns: strips of B are turned over once for all of the rows. Of fewer
 * than four rows, or longer columns, sums of products side by side take less time. */
enum { FN(strips_rows) = 4, FN(strips_k) = 128 };
static APART void FN(run_strips)(const nomen__gemm_args *g) {
    T b[GEMM_STRIP * GEMM_SMALL];
    const int64_t room = g->k <= GEMM_SMALL ? GEMM_STRIP : GEMM_STRIP * GEMM_SMALL / g->k,
                  strip = room / GEMM_SMALL * GEMM_SMALL;
    for (int64_t j = 0; j < g->n; j += strip) {
        nomen__gemm_args part = *g;
        part.n = g->n - j < strip ? g->n - j : strip;
        part.b = g->b + j * g->b_col;
        part.c = g->c + j * E;
        FN(direct)(&part, b);
    }
}
#endif

static inline bool FN(is_small)(int64_t m, int64_t n, int64_t k) {
    return m <= GEMM_SMALL && n <= GEMM_SMALL && k <= GEMM_SMALL;
}

/* Which way is taken depends on the steps as well: enough for each. */
static size_t FN(scratch_of)(int64_t m, int64_t n, int64_t k) {
    size_t copy = 0, other = (size_t)k * sizeof(C);
#if ROUNDS
    if (FN(is_near)(m, n, k))
        copy = (size_t)(FN(strip)(m, n) * FN(pitch)(k) + (k + FN(strip)(m, n)) * FN(pitch)(n)) *
               sizeof(C);
    if (FN(is_thin)(m, n, k) || FN(has_flat_rows)(m, n)) {
        const size_t rows = FN(direct_scratch)(m, k);
        if (rows > copy) copy = rows;
    }
#else
    if (FN(is_near)(m, n, k)) copy = (size_t)(k * n) * sizeof(C);
#endif
#if !ROUNDS && !WHOLE
    if (FN(has_lines)(m, k) && FN(lines_scratch)(m, k) > copy) copy = FN(lines_scratch)(m, k);
#endif
    if (m > GEMM_NARROW && n > GEMM_NARROW) {
        const FN(plan) p = FN(plan_of)(m, n, k);
        other = p.a + p.b + p.c;
    }
    return copy > other ? copy : other;
}
static size_t FN(scratch)(int64_t m, int64_t n, int64_t k) {
    if (k <= 0 || m <= 0 || n <= 0) return 0;
    if (m != 1 && n != 1 && FN(is_small)(m, n, k)) return 0;
    const size_t one = FN(scratch_of)(m, n, k), other = FN(scratch_of)(n, m, k); /* C turned */
    return one > other ? one : other;
}

static void FN(run)(const nomen__gemm_args *g, void *scratch);

/* Small matrices B, of which many rows of A read all, are copied where their rows have gaps. */
static inline bool FN(is_copied)(const nomen__gemm_args *g) {
    return g->b_col != E && g->n > 1 && g->m >= GEMM_MEDIUM && g->k > 0 &&
           g->k * g->n <= GEMM_COPIED;
}
static APART void FN(run_copied)(const nomen__gemm_args *g, void *scratch) {
    T b[GEMM_COPIED];
    nomen__gemm_args rows = *g;
    for (int64_t p = 0; p < g->k; p++)
        for (int64_t j = 0; j < g->n; j++)
            b[p * g->n + j] = CAT(T, g->b, p * g->b_row + j * g->b_col);
    rows.b = (const char *)b;
    rows.b_row = g->n * E;
    rows.b_col = E;
    FN(run)(&rows, scratch);
}

static void FN(run)(const nomen__gemm_args *g, void *scratch) {
    nomen__gemm_args turned;
    if (g->m <= 0 || g->n <= 0) return;
    const bool few_columns = g->n <= GEMM_NARROW, few_rows = g->m <= GEMM_NARROW;
    const bool small = g->m != 1 && g->n != 1 && FN(is_small)(g->m, g->n, g->k);
    if (!few_columns && !few_rows && g->c_col != E && g->c_row == E) {
        turned = turned_product(g);
        g = &turned;
    }
    if (g->k <= 0) {
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++) AT(T, g->c, i * g->c_row + j * g->c_col) = 0;
        return;
    }
    if (g->m == 1 && g->n == 1) {
        FN(dot_product)(g);
        return;
    }
#if !ROUNDS && !WHOLE
    if (FN(is_lines)(g)) {
        FN(run_lines)(g, scratch);
        return;
    }
#endif
    if (FN(is_copied)(g)) {
        FN(run_copied)(g, scratch);
        return;
    }
#if ROUNDS
    if (!small && g->b_col == E && g->c_col == E && FN(is_thin)(g->m, g->n, g->k)) {
        FN(direct)(g, scratch);
#else
    if (FN(is_few_dots)(g)) {
        FN(few_dots)(g);
    } else if (FN(is_direct)(g) && (g->b_col == E || (!few_rows && !small))) {
        FN(direct)(g, scratch);
#endif
    } else if (small) {
        FN(small)(g);
    } else if (FN(is_flat)(g)) {
        FN(direct)(g, scratch);
    } else if (!WHOLE && g->n == 1 && g->k == 1 && g->m > GEMM_SMALL && g->a_row == E &&
               g->c_row == E) {
        turned = turned_product(g);
        FN(direct)(&turned, scratch);
    } else if (few_columns && g->m != 1 && g->a_col == E &&
               g->k <= (g->n == 1 ? SLIM_COLUMN : GEMM_SMALL)) {
        if (g->n == 1)
            FN(slim_column)(g);
        else
            FN(slim)(g);
    } else if (!WHOLE && few_columns && g->m > 1 && g->a_row == E) {
        turned = turned_product(g);
        FN(direct)(&turned, scratch);
    } else if (few_columns && (g->n <= g->m || !few_rows)) {
        FN(narrow)(g, scratch);
#if !ROUNDS && !WHOLE
    } else if (few_rows && g->m > 1 && g->b_row == E && g->c_col == E && g->n > GEMM_SMALL &&
               g->k <= (g->m >= FN(strips_rows) ? FN(strips_k) : GEMM_SMALL)) {
        FN(run_strips)(g);
#endif
    } else if (few_rows) {
        turned = turned_product(g);
        FN(narrow)(&turned, scratch);
#if ROUNDS
    } else if (FN(is_near)(g->m, g->n, g->k)) {
        FN(medium)(g, scratch);
#endif
    } else {
        FN(large)(g, scratch);
    }
}

#include "kernels/loops/batch_panels.h"
#include "kernels/loops/gemm_batches.h"
static const nomen__gemm FN(gemm) = {
    .scratch = FN(scratch), .run = FN(run), .rows = MR, .side = GEMM_SIDE, .batches = &FN(batches)};

#undef NR
#undef AT
#undef CAT
#undef E
#undef SAME
#undef SLIM_COLUMN
#undef STEP
#undef P
#undef P_ADD
#undef P_OF
#undef SFX
#undef T
#undef C
#undef V
#undef W
#undef LDV
#undef STV
#undef LDV_N
#undef STV_N
#undef STV_TWO
#undef C_OF
#undef T_OF
#undef FMA
#undef MR
#undef NV
#undef KC
#undef MC
#undef NC
#undef ROUNDS
#undef TURN
#undef WHOLE
#undef TIMES
