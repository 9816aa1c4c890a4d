/* Part of gemm_real.h: a few rows times columns that lie in one piece, as a small batch meets the
 * weights of a layer: C' = B' A'. A is copied, turned over, in whole vectors; numbers of B are read
 * where they lie, so that nothing of it is packed or turned over. Strips of columns stay near while
 * all rows go by, some at a time; their sums wait on the stack and are turned over in squares.
 *
 * An element is the sum of its blocks of KC summands, as in all other ways. Columns are gone
 * through whole, not block by block: memory is read faster so.
 *
 * Limit: the fused multiply-adds, where the rows of A fill their vectors. Measured at a batch of 16
 * times 1,024 x 1,024, from the third cache: 97 G operations a second of 109 with AVX2 (Zen 3), 113
 * of 118 with AVX-512 (Zen 4, where panels and sums side by side took twice as long). */

/* Rows that are computed at a time, in two vectors; columns of a strip, and of a tile. */
enum { FN(lines_rows) = 2 * W, FN(lines_strip) = 48, FN(lines_tile_rows) = 12 };

/* Whether rows are computed in halves of vectors. */
static inline bool FN(lines_are_half)(int64_t m) { return VB == 64 && m <= W / 2; }

static inline size_t FN(lines_scratch)(int64_t m, int64_t k) {
    return (size_t)(k * ((m + W - 1) / W)) * sizeof(V);
}

/* Whether rows are few and their copy stays in cache. Of four rows of float32 AVX-512 takes the
 * sums of products side by side in less time. */
static inline bool FN(has_lines)(int64_t m, int64_t k) {
    enum { LEAST = VB == 64 && E == 4 ? 5 : 4, MOST = 64, NEAR = 1 << 20 };
    return VB >= 32 && m >= LEAST && m <= MOST && FN(lines_scratch)(m, k) <= NEAR;
}
/* Of more rows to pack a small B costs less than rows that fill no vectors; AVX-512 has halves of
 * them, and needs longer columns for it. */
static inline bool FN(is_lines)(const nomen__gemm_args *g) {
    enum { SHORT = E == 8 ? 24 : 96, MANY = VB == 64 ? INT32_MAX : 12, FEW = 16, LARGE = 1 << 19 };
    const bool pays = VB == 64 || g->m <= FEW || g->k * g->n * E >= LARGE;
    const int64_t least = W > FN(lines_tile_rows) ? W : FN(lines_tile_rows);
    return pays && FN(has_lines)(g->m, g->k) && g->n >= least &&
           g->k >= (g->m > MANY ? GEMM_SMALL : SHORT) && g->b_row == E && g->b_col != E &&
           g->c_col == E;
}

/* Number p of all rows beside each other: a panel of one vector or two. */
static APART void FN(lines_copy)(C *to, const nomen__gemm_args *g) {
    if (FN(lines_are_half)(g->m))
        FN(panel)(to, g->a, g->m, g->k, g->a_row, g->a_col, W / 2);
    else if (g->m > W)
        FN(panel)(to, g->a, g->m, g->k, g->a_row, g->a_col, 2 * W);
    else
        FN(panel)(to, g->a, g->m, g->k, g->a_row, g->a_col, W);
}

#define LINES(name) FN(lines_##name)
#define LV          V
#define LFMA        FMA
#define LSPLAT      FN(splat)
#include "kernels/loops/gemm_lines_tile.h"

#if VB == 64
/* So few rows that half of a vector has room for them: it takes half the time where a whole one is
 * computed in two steps (Zen 4), and no more elsewhere. */
typedef C FN(lines_half) __attribute__((vector_size(32)));
static inline FN(lines_half) FN(halves_splat)(C x) { return x - (FN(lines_half)){0}; }
static inline FN(lines_half) FN(halves_fma)(FN(lines_half) x, FN(lines_half) y, FN(lines_half) z) {
    return sizeof(C) == 4 ? (FN(lines_half))_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z)
                          : (FN(lines_half))_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
}
#define LINES(name) FN(halves_##name)
#define LV          FN(lines_half)
#define LFMA        FN(halves_fma)
#define LSPLAT      FN(halves_splat)
#include "kernels/loops/gemm_lines_tile.h"
#endif

/* Sums of half vectors, one behind the other. */
static inline V FN(lines_half_at)(const V *sums, int64_t j) {
#if VB == 64
    return (V)_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)sums + j));
#else
    return sums[j];
#endif
}

/* Sums to the columns of C that they belong to, of which there are a vector and more. */
static void FN(lines_put)(const nomen__gemm_args *g, const V *sums, int wide) {
    const bool half = FN(lines_are_half)(g->m);
    for (int64_t j0 = 0; j0 < g->n; j0 += W) {
        const int64_t j = j0 + W <= g->n ? j0 : g->n - W;
        for (int v = 0; v < wide; v++) {
            const int64_t rows = g->m - v * W < W ? g->m - v * W : W;
            char *c = g->c + v * W * g->c_row + j * E;
            V x[W];
#pragma GCC unroll 8
            for (int i = 0; i < W; i++)
                x[i] = half ? FN(lines_half_at)(sums, j + i) : sums[(j + i) * wide + v];
            TURN(x);
            for (int64_t i = 0; i < rows; i++, c += g->c_row) STV(&AT(T, c, 0), x[i]);
        }
    }
}

/* Of so many rows that are left, how many are computed next. */
static inline int64_t FN(lines_next)(int64_t left) {
    if (left > W && FN(lines_are_half)(left - W)) return W; /* the others are half a vector */
    return left < FN(lines_rows) ? left : FN(lines_rows);
}

static APART void FN(run_lines)(const nomen__gemm_args *g, V *copy) {
    enum { STRIP = FN(lines_strip) };
    V sums[STRIP * 2];
    nomen__gemm_args strip = *g, part;
    for (int64_t i = 0; i < g->m; i += part.m) {
        part = *g;
        part.m = FN(lines_next)(g->m - i);
        part.a += i * g->a_row;
        FN(lines_copy)((C *)(void *)(copy + i / W * g->k), &part);
    }
    for (int64_t left = g->n; left > 0; left -= strip.n) {
        strip.n = left <= STRIP ? left : left < 2 * STRIP ? (left + 1) / 2 : STRIP;
        part = strip;
        for (int64_t i = 0; i < g->m; i += part.m, part.c += part.m * g->c_row) {
            part.m = FN(lines_next)(g->m - i);
            const int wide = part.m > W ? 2 : 1;
#if VB == 64
            if (FN(lines_are_half)(part.m))
                FN(halves_sums)((FN(lines_half) *)sums, (void *)(copy + i / W * g->k), &part, 1);
            else
#endif
                FN(lines_sums)(sums, copy + i / W * g->k, &part, wide);
            FN(lines_put)(&part, sums, wide);
        }
        strip.b += strip.n * g->b_col;
        strip.c += strip.n * E;
    }
}
