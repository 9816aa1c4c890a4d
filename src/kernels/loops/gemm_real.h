/* Include-template: the matrix product of one dtype whose elements are single numbers.
 * Before: SFX, T (stored), C (computed), V (vector of C), W (its lanes), LDV(const T *) -> V and
 * STV(T *, V) of W elements, C_OF(T), T_OF(C), FMA(V, V, V), MR and NV (rows and vectors of the
 * micro-kernel's tile), KC, MC, NC (block sizes; MC a multiple of MR, NC of NR), ROUNDS (1: C loses
 * digits when stored, so blocks of C wait in scratch), DIRECT (1: gemm_direct.h as well), perhaps
 * TURN(C *to, to_row, const char *in, in_row) of squares of SIDE elements. After: FN(gemm);
 * everything is undefined. */

#define NR                      (NV * W)
#define AT(type, base, offset)  (*(type *)(void *)((base) + (offset)))
#define CAT(type, base, offset) (*(const type *)(const void *)((base) + (offset)))
#define E                       ((int64_t)sizeof(T))
#if ROUNDS
#define P             C /* what blocks of C are kept in between the blocks of k */
#define P_ADD(old, x) ((old) + (x))
#define P_OF(x)       (x)
#else
#define P             T
#define P_ADD(old, x) T_OF(C_OF(old) + (x))
#define P_OF(x)       T_OF(x)
#endif

/* Loads and stores of fewer than W elements, where simd.h has none. */
#ifndef LDV_N
static inline V FN(load_n)(const T *p, int64_t n) {
    T t[W];
    for (int l = 0; l < W; l++) t[l] = T_ZERO;
    memcpy(t, p, (size_t)n * sizeof(T));
    return LDV(t);
}
static inline void FN(store_n)(T *p, V v, int64_t n) {
    T t[W];
    STV(t, v);
    memcpy(p, t, (size_t)n * sizeof(T));
}
#define LDV_N FN(load_n)
#define STV_N FN(store_n)
#endif
static inline V FN(splat)(C x) { return x - (V){0}; }

/* tile[MR][NR] = packed a (k columns of MR) times packed b (k rows of NR). */
static APART void FN(kernel)(int64_t k, const C *restrict a, const C *restrict b,
                             C *restrict tile) {
    V acc[MR][NV];
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 8
        for (int v = 0; v < NV; v++) acc[i][v] = (V){0};
    for (int64_t p = 0; p < k; p++, a += MR, b += NR) {
        V row[NV];
#pragma GCC unroll 8
        for (int v = 0; v < NV; v++) row[v] = *(const V *)(const void *)(b + v * W);
#pragma GCC unroll 16
        for (int i = 0; i < MR; i++) {
            V x = FN(splat)(a[i]);
#pragma GCC unroll 8
            for (int v = 0; v < NV; v++) acc[i][v] = FMA(x, row[v], acc[i][v]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 8
        for (int v = 0; v < NV; v++) *(V *)(void *)(tile + i * NR + v * W) = acc[i][v];
}

/* Panels of MR rows, column after column; missing rows are 0. */
static APART void FN(pack_a)(C *to, const char *a, int64_t m, int64_t k, int64_t row, int64_t col) {
    for (int64_t i = 0; i < m; i += MR, to += MR * k) {
        const char *in = a + i * row;
        if (i + MR <= m) {
            int64_t p = 0;
#ifdef TURN
            for (; col == E && p + SIDE <= k; p += SIDE) {
#pragma GCC unroll 16
                for (int r = 0; r + SIDE <= MR; r += SIDE)
                    TURN(to + p * MR + r, MR, in + r * row + p * E, row);
                for (int r = MR / SIDE * SIDE; r < MR; r++)
                    for (int s = 0; s < SIDE; s++)
                        to[(p + s) * MR + r] = C_OF(CAT(T, in, r * row + (p + s) * E));
            }
#endif
            for (; p < k; p++)
#pragma GCC unroll 16
                for (int r = 0; r < MR; r++) to[p * MR + r] = C_OF(CAT(T, in, r * row + p * col));
        } else {
            for (int64_t p = 0; p < k; p++)
                for (int64_t r = 0; r < MR; r++)
                    to[p * MR + r] = i + r < m ? C_OF(CAT(T, in, r * row + p * col)) : (C)0;
        }
    }
}

/* Panels of NR columns, row after row; missing columns are 0. */
static APART void FN(pack_b)(C *to, const char *b, int64_t k, int64_t n, int64_t row, int64_t col) {
    for (int64_t j = 0; j < n; j += NR, to += NR * k) {
        const char *in = b + j * col;
        int64_t width = n - j < NR ? n - j : NR;
        if (col == E && width == NR) {
            for (int64_t p = 0; p < k; p++)
                for (int v = 0; v < NV; v++)
                    *(V *)(void *)(to + p * NR + v * W) = LDV(&CAT(T, in, p * row + v * W * E));
#ifdef TURN
        } else if (row == E && width == NR) {
            int64_t p = 0;
            for (; p + SIDE <= k; p += SIDE)
                for (int64_t c = 0; c < NR; c += SIDE)
                    TURN(to + p * NR + c, NR, in + c * col + p * E, col);
            for (; p < k; p++)
                for (int64_t c = 0; c < NR; c++) to[p * NR + c] = C_OF(CAT(T, in, c * col + p * E));
#endif
        } else {
            for (int64_t p = 0; p < k; p++)
                for (int64_t c = width; c < NR; c++) to[p * NR + c] = 0;
            for (int64_t p0 = 0; p0 < k;
                 p0 += 8) /* 8 rows a time: their panel lines stay in L1 when col is long */
                for (int64_t c = 0; c < width; c++)
                    for (int64_t p = p0; p < k && p < p0 + 8; p++)
                        to[p * NR + c] = C_OF(CAT(T, in, p * row + c * col));
        }
    }
}

/* A tile into C; first: the first block of k, which C's former contents are no part of. */
static inline void FN(put)(const C *tile, char *c, int64_t m, int64_t n, int64_t row, int64_t col,
                           bool first) {
    for (int64_t i = 0; i < m; i++, tile += NR, c += row) {
        if (col == (int64_t)sizeof(P)) {
            P *to = (P *)(void *)c;
            if (first)
                for (int64_t j = 0; j < n; j++) to[j] = P_OF(tile[j]);
            else
                for (int64_t j = 0; j < n; j++) to[j] = P_ADD(to[j], tile[j]);
        } else {
            for (int64_t j = 0; j < n; j++) {
                P *to = &AT(P, c, j * col);
                *to = first ? P_OF(tile[j]) : P_ADD(*to, tile[j]);
            }
        }
    }
}

/* One block of C from a packed block of A and one of B. */
static void FN(block)(const C *a, const C *b, int64_t m, int64_t n, int64_t k, char *c, int64_t row,
                      int64_t col, bool first) {
    C tile[MR * NR] __attribute__((aligned(64)));
    for (int64_t i = 0; i < m; i += MR)
        for (int64_t j = 0; j < n; j += NR) {
            /* rows of C lie far apart: they are asked for while the tile is computed */
            for (int64_t r = i; r < i + MR && r < m; r++)
                for (int64_t s = 0; s < NR * (int64_t)sizeof(P); s += 64)
                    __builtin_prefetch(c + r * row + j * col + s, 1);
            FN(kernel)(k, a + i * k, b + j * k, tile);
            FN(put)(tile, c + i * row + j * col, m - i < MR ? m - i : MR, n - j < NR ? n - j : NR,
                    row, col, first);
        }
}

typedef struct FN(plan) {
    int64_t mc, kc, nc; /* a block of each, rounded up to whole panels */
    size_t a, b, c;     /* bytes of scratch for it, multiples of 64 */
} FN(plan);

static inline FN(plan) FN(plan_of)(int64_t m, int64_t n, int64_t k) {
    FN(plan) p = {(m + MR - 1) / MR * MR, k, (n + NR - 1) / NR * NR, 0, 0, 0};
    if (p.mc > MC) p.mc = MC;
    if (p.kc > KC) p.kc = KC;
    if (p.nc > NC) p.nc = NC;
    p.a = ((size_t)(p.mc * p.kc) * sizeof(C) + 63) / 64 * 64;
    p.b = ((size_t)(p.kc * p.nc) * sizeof(C) + 63) / 64 * 64;
    p.c = ROUNDS ? ((size_t)(p.mc * p.nc) * sizeof(C) + 63) / 64 * 64 : 0;
    return p;
}

#if ROUNDS
static void FN(large)(const nomen__gemm_args *g, void *scratch) {
    FN(plan) plan = FN(plan_of)(g->m, g->n, g->k);
    C *a = scratch, *b = (C *)(void *)((char *)scratch + plan.a),
      *c = (C *)(void *)((char *)b + plan.b);
    for (int64_t j = 0; j < g->n; j += plan.nc)
        for (int64_t i = 0; i < g->m; i += plan.mc) {
            int64_t n = g->n - j < plan.nc ? g->n - j : plan.nc,
                    m = g->m - i < plan.mc ? g->m - i : plan.mc;
            for (int64_t p = 0; p < g->k; p += plan.kc) {
                int64_t k = g->k - p < plan.kc ? g->k - p : plan.kc;
                /* B stays packed from the block of rows before if all of k fits. */
                if (i == 0 || g->k > plan.kc)
                    FN(pack_b)(b, g->b + p * g->b_row + j * g->b_col, k, n, g->b_row, g->b_col);
                FN(pack_a)(a, g->a + i * g->a_row + p * g->a_col, m, k, g->a_row, g->a_col);
                FN(block)(a, b, m, n, k, (char *)c, plan.nc * (int64_t)sizeof(C), sizeof(C),
                          p == 0);
            }
            for (int64_t r = 0; r < m; r++)
                for (int64_t s = 0; s < n; s += W) {
                    V v = *(const V *)(const void *)(c + r * plan.nc + s);
                    char *to = g->c + (i + r) * g->c_row + (j + s) * g->c_col;
                    int64_t w = n - s < W ? n - s : W;
                    if (g->c_col == E && w == W)
                        STV(&AT(T, to, 0), v);
                    else
                        for (int64_t l = 0; l < w; l++) AT(T, to, l * g->c_col) = T_OF(v[l]);
                }
        }
}
#else
static void FN(large)(const nomen__gemm_args *g, void *scratch) {
    FN(plan) plan = FN(plan_of)(g->m, g->n, g->k);
    C *a = scratch, *b = (C *)(void *)((char *)scratch + plan.a);
    for (int64_t j = 0; j < g->n; j += plan.nc) {
        int64_t n = g->n - j < plan.nc ? g->n - j : plan.nc;
        for (int64_t p = 0; p < g->k; p += plan.kc) {
            int64_t k = g->k - p < plan.kc ? g->k - p : plan.kc;
            FN(pack_b)(b, g->b + p * g->b_row + j * g->b_col, k, n, g->b_row, g->b_col);
            for (int64_t i = 0; i < g->m; i += plan.mc) {
                int64_t m = g->m - i < plan.mc ? g->m - i : plan.mc;
                FN(pack_a)(a, g->a + i * g->a_row + p * g->a_col, m, k, g->a_row, g->a_col);
                FN(block)(a, b, m, n, k, g->c + i * g->c_row + j * g->c_col, g->c_row, g->c_col,
                          p == 0);
            }
        }
    }
}
#endif

/* m, n, k <= GEMM_SMALL: B copied into whole vectors on the stack, A read where it lies. nv:
 * vectors per row of B. */
static inline __attribute__((always_inline)) void FN(few)(const nomen__gemm_args *g, const int nv) {
    V b[GEMM_SMALL * (GEMM_SMALL / W > 0 ? GEMM_SMALL / W : 1)];
    for (int64_t p = 0; p < g->k; p++)
        for (int v = 0; v < nv; v++) {
            int64_t w = g->n - v * W;
            const char *in = g->b + p * g->b_row + v * W * g->b_col;
            V x = {0};
            if (w > 0 && g->b_col == E)
                x = w >= W ? LDV(&CAT(T, in, 0)) : LDV_N(&CAT(T, in, 0), w);
            else
                for (int64_t l = 0; l < W && l < w; l++) x[l] = C_OF(CAT(T, in, l * g->b_col));
            b[p * nv + v] = x;
        }
    for (int64_t i = 0; i < g->m; i++) {
        V acc[GEMM_SMALL / W > 0 ? GEMM_SMALL / W : 1];
        for (int v = 0; v < nv; v++) acc[v] = (V){0};
        for (int64_t p = 0; p < g->k; p++) {
            V x = FN(splat)(C_OF(CAT(T, g->a, i * g->a_row + p * g->a_col)));
            for (int v = 0; v < nv; v++) acc[v] = FMA(x, b[p * nv + v], acc[v]);
        }
        for (int v = 0; v < nv; v++) {
            int64_t w = g->n - v * W;
            char *out = g->c + i * g->c_row + v * W * g->c_col;
            if (w <= 0) break;
            if (g->c_col == E && w >= W)
                STV(&AT(T, out, 0), acc[v]);
            else if (g->c_col == E)
                STV_N(&AT(T, out, 0), acc[v], w);
            else
                for (int64_t l = 0; l < W && l < w; l++) AT(T, out, l * g->c_col) = T_OF(acc[v][l]);
        }
    }
}
static void FN(small)(const nomen__gemm_args *g) {
    int64_t nv = (g->n + W - 1) / W;
    if (nv <= 1)
        FN(few)(g, 1);
    else if (nv == 2)
        FN(few)(g, GEMM_SMALL / W < 2 ? 1 : 2);
    else if (nv <= 4)
        FN(few)(g, GEMM_SMALL / W < 4 ? 1 : 4);
    else
        FN(few)(g, GEMM_SMALL / W < 8 ? 1 : 8);
}

static inline V FN(own)(const C *x) {
    V v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The sum of products of a row of unit step with x. */
static inline C FN(dot)(const T *a, const C *x, int64_t k) {
    C total = 0;
    for (int64_t p0 = 0; p0 < k; p0 += GEMM_DOT) {
        int64_t p = p0, end = k - p0 < GEMM_DOT ? k : p0 + GEMM_DOT;
        V s[4] = {{0}, {0}, {0}, {0}};
        for (; p + 4 * W <= end; p += 4 * W)
#pragma GCC unroll 4
            for (int u = 0; u < 4; u++)
                s[u] = FMA(LDV(a + p + u * W), FN(own)(x + p + u * W), s[u]);
        for (; p + W <= end; p += W) s[0] = FMA(LDV(a + p), FN(own)(x + p), s[0]);
        s[0] = (s[0] + s[1]) + (s[2] + s[3]);
        C part = 0;
        for (; p < end; p++) part += C_OF(a[p]) * x[p];
        for (int l = 0; l < W; l++) part += s[0][l];
        total += part;
    }
    return total;
}

/* C = A x, x contiguous and computed already. */
static APART void FN(vector)(char *c, const char *a, const C *x, int64_t m, int64_t k, int64_t row,
                             int64_t col, int64_t c_step) {
    if (col == E) {
        for (int64_t i = 0; i < m; i++)
            AT(T, c, i * c_step) = T_OF(FN(dot)(&CAT(T, a, i * row), x, k));
        return;
    }
    C sum[GEMM_STRIP] __attribute__((aligned(64)));
    for (int64_t i = 0; i < m; i += GEMM_STRIP) {
        int64_t rows = m - i < GEMM_STRIP ? m - i : GEMM_STRIP, p = 0;
        for (int64_t r = 0; r < GEMM_STRIP; r++) sum[r] = 0;
        for (; row == E && p + 4 <= k; p += 4) {
            const T *q = &CAT(T, a, i * row + p * col), *q1 = &CAT(T, a, i * row + (p + 1) * col);
            const T *q2 = &CAT(T, a, i * row + (p + 2) * col),
                    *q3 = &CAT(T, a, i * row + (p + 3) * col);
            V x0 = FN(splat)(x[p]), x1 = FN(splat)(x[p + 1]), x2 = FN(splat)(x[p + 2]),
              x3 = FN(splat)(x[p + 3]);
            int64_t r = 0;
            for (; r + W <= rows; r += W) {
                V s = FMA(LDV(q + r), x0,
                          FMA(LDV(q1 + r), x1, FMA(LDV(q2 + r), x2, LDV(q3 + r) * x3)));
                *(V *)(void *)(sum + r) += s;
            }
            for (; r < rows; r++)
                sum[r] += C_OF(q[r]) * x[p] + C_OF(q1[r]) * x[p + 1] +
                          (C_OF(q2[r]) * x[p + 2] + C_OF(q3[r]) * x[p + 3]);
        }
        for (; p < k; p++)
            for (int64_t r = 0; r < rows; r++)
                sum[r] += C_OF(CAT(T, a, (i + r) * row + p * col)) * x[p];
        for (int64_t r = 0; r < rows; r++) AT(T, c, (i + r) * c_step) = T_OF(sum[r]);
    }
}

/* Column j of B as it is computed with: in its place if it can be, else copied to x. */
static APART const C *FN(column)(const nomen__gemm_args *g, int64_t j, C *x) {
    const char *b = g->b + j * g->b_col;
    int64_t p = 0;
#if DIRECT
    if (g->b_row == E) return (const C *)(const void *)b;
#endif
    for (; g->b_row == E && p + W <= g->k; p += W) *(V *)(void *)(x + p) = LDV(&CAT(T, b, p * E));
    for (; p < g->k; p++) x[p] = C_OF(CAT(T, b, p * g->b_row));
    return x;
}

#if !DIRECT
/* One row times one column, block by block: neither is copied whole. */
static void FN(row_column)(const nomen__gemm_args *g) {
    C x[GEMM_DOT] __attribute__((aligned(64)));
    C total = 0;
    for (int64_t p = 0; p < g->k; p += GEMM_DOT) {
        nomen__gemm_args part = *g;
        part.b += p * g->b_row;
        part.k = g->k - p < GEMM_DOT ? g->k - p : GEMM_DOT;
        total += FN(dot)(&CAT(T, g->a, p * E), FN(column)(&part, 0, x), part.k);
    }
    AT(T, g->c, 0) = T_OF(total);
}
#endif

/* Few columns: a strip of A that stays in cache is multiplied with one after another. */
static void FN(narrow)(const nomen__gemm_args *g, C *copy) {
    int64_t rows = GEMM_CACHE / (g->k * E) + 1;
    const C *x = copy;
    for (int64_t i = 0; i < g->m; i += rows)
        for (int64_t j = 0; j < g->n; j++) {
            if (i == 0 || g->n > 1) x = FN(column)(g, j, copy);
            FN(vector)(g->c + i * g->c_row + j * g->c_col, g->a + i * g->a_row, x,
                       g->m - i < rows ? g->m - i : rows, g->k, g->a_row, g->a_col, g->c_row);
        }
}

#if DIRECT
#include "kernels/loops/gemm_direct.h"
#endif

static inline bool FN(is_small)(int64_t m, int64_t n, int64_t k) {
    return m <= GEMM_SMALL && n <= GEMM_SMALL && k <= GEMM_SMALL;
}

/* Which way is taken depends on the steps as well: enough for each. */
static size_t FN(scratch)(int64_t m, int64_t n, int64_t k) {
    if (k <= 0 || m <= 0 || n <= 0) return 0;
    if (m == 1 || n == 1) return (size_t)k * sizeof(C);
    if (FN(is_small)(m, n, k)) return 0;
    size_t copy = 0;
#if DIRECT
    if (FN(is_direct)(m, n, k)) copy = (size_t)(k * n) * sizeof(C);
#endif
    FN(plan) p = FN(plan_of)(m, n, k);
    size_t other = m <= GEMM_NARROW || n <= GEMM_NARROW ? (size_t)k * sizeof(C) : p.a + p.b + p.c;
    return copy > other ? copy : other;
}

static void FN(run)(const nomen__gemm_args *g, void *scratch) {
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0) {
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++) AT(T, g->c, i * g->c_row + j * g->c_col) = T_ZERO;
#if DIRECT
    } else if (g->c_col == E && FN(is_direct)(g->m, g->n, g->k) &&
               (g->b_col == E || !FN(is_small)(g->m, g->n, g->k))) {
        FN(direct)(g, scratch);
#endif
    } else if (g->m != 1 && g->n != 1 && FN(is_small)(g->m, g->n, g->k)) {
        FN(small)(g);
#if !DIRECT
    } else if (g->m == 1 && g->n == 1 && g->a_col == E) {
        FN(row_column)(g);
#endif
    } else if (g->n <= GEMM_NARROW && (g->n <= g->m || g->m > GEMM_NARROW)) {
        FN(narrow)(g, scratch);
    } else if (g->m <= GEMM_NARROW) {
        const nomen__gemm_args turned = {g->n,     g->m,     g->k,     g->b,
                                         g->a,     g->c,     g->b_col, g->b_row,
                                         g->a_col, g->a_row, g->c_col, g->c_row};
        FN(narrow)(&turned, scratch);
    } else {
        FN(large)(g, scratch);
    }
}

static const nomen__gemm FN(gemm) = {.scratch = FN(scratch), .run = FN(run)};

#undef NR
#undef AT
#undef CAT
#undef E
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
#undef C_OF
#undef T_OF
#undef T_ZERO
#undef FMA
#undef MR
#undef NV
#undef KC
#undef MC
#undef NC
#undef ROUNDS
#undef DIRECT
#undef TURN
#undef SIDE
