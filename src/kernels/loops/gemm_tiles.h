/* Part of gemm.c: the product of bfloat16 by tiles (simd/tiles.h) or by sums of pairs, where the
 * processor has them and the matrices are not small; else that of gemm_real.h.
 *
 * Idea: 32 x 32 sums in four tiles; each step multiplies 32 rows of A with 32 columns of B, 32
 * summands deep, in four instructions from four loads. Both are packed as tiles want them, and a
 * panel of B stays in cache while those of A go by. Up to TILED_K summands the sums go to C at
 * once, else a block of them waits in float32. Limit: one such instruction every 16 cycles, 1024
 * operations a cycle. The machine at hand, a shared one, slows tiles down after some milliseconds,
 * to 1.15 T operations a second from L1; of these products of 512 reach 35 %.
 *
 * Without tiles the same panels are read by an instruction of AVX-512 that adds two products to
 * each of 16 sums: 8 rows of A, one pair of each a time, with 32 columns of B. Limit: two such
 * instructions a cycle, twice what float32 can do; a core of a Zen 5 at hand reaches 570 G
 * operations a second in sum_pairs, which is that, and spends 15 % of a product of 512 or 1,000
 * rows elsewhere: packing, and rounding results. */
#include "kernels/simd/tiles.h"

#include <immintrin.h>

/* Rows or columns of a panel and summands of a step; bytes of a panel's step; summands and rows of
 * a block, and rows whose sums wait where what B is packed to is not all of its summands, so that
 * it is packed once for all of them; columns and summands of B, more columns where summands are
 * fewer. */
enum {
    SIDE = 2 * TILE_ROWS,
    DEPTH = 32,
    STEP_BYTES = 2 * TILE_BYTES,
    TILED_K = 1024,
    TILED_ROWS = 256,
    SUMMED_ROWS = 1024,
    TILED_COLS = 1024,
    PACKED_K = 2048,
    AHEAD = 4,       /* steps that rows are asked for ahead */
    PAIRED_ROWS = 8, /* with two vectors of columns as many sums as the latency asks for */
    PAIRED_K = 256,  /* so long panels of A and B stay in L1 */
    FLAT_ROWS = 16,  /* the same with one vector of columns */
    FLAT_K = 64      /* up to so many summands few columns are no dot products */
};

static inline int64_t whole_steps(int64_t n) { return (n + SIDE - 1) / SIDE * SIDE; }

/* Lines (rows of A, columns of B) first.. and summands p.. as 16 x 16 pairs of summands:
 * [line][pair] or, true comes back, [pair][line]. What does not exist is 0. */
static inline bool load_square(vu32 x[16], const char *in, int64_t lines, int64_t k, int64_t line,
                               int64_t step) {
    if (step == 2) {
        const __mmask32 mask = (__mmask32)loop_first(k);
        for (int l = 0; l < 16; l++) {
            __builtin_prefetch(in + l * line + AHEAD * 64);
            x[l] = l < lines ? (vu32)_mm512_maskz_loadu_epi16(mask, in + l * line) : (vu32){0};
        }
        return false;
    }
    if (line == 2) {
        const int64_t there = lines < 0 ? 0 : lines < 16 ? lines : 16;
        const __mmask16 mask = (__mmask16)((1u << there) - 1);
        for (int p = 0; p < 16; p++) {
            const __m256i zero = _mm256_setzero_si256();
            const char *at = in + 2 * p * step;
            __builtin_prefetch(at + DEPTH * step); /* of the step to come */
            __builtin_prefetch(at + (DEPTH + 1) * step);
            const __m256i a = 2 * p < k ? _mm256_maskz_loadu_epi16(mask, at) : zero;
            const __m256i b = 2 * p + 1 < k ? _mm256_maskz_loadu_epi16(mask, at + step) : zero;
            x[p] = (vu32)_mm512_cvtepu16_epi32(a) | (vu32)_mm512_cvtepu16_epi32(b) << 16;
        }
        return true;
    }
    uint16_t square[16][32] = {{0}};
    for (int64_t l = 0; l < 16 && l < lines; l++)
        for (int64_t p = 0; p < 32 && p < k; p++)
            memcpy(&square[l][p], in + l * line + p * step, sizeof square[l][p]);
    for (int l = 0; l < 16; l++) memcpy(&x[l], square[l], sizeof x[l]);
    return false;
}

/* A panel of SIDE lines, step after step of DEPTH summands, in tiles of [line][pair] or
 * [pair][line] (pairs). */
static APART void pack_tiles(char *to, const char *in, int64_t lines, int64_t k, int64_t line,
                             int64_t step, bool pairs) {
    for (int64_t p = 0; p < k; p += DEPTH)
        for (int64_t l = 0; l < SIDE; l += TILE_ROWS, to += TILE_BYTES) {
            vu32 x[16];
            if (l >= lines) continue; /* nobody reads what comes of it */
            if (load_square(x, in + l * line + p * step, lines - l, k - p, line, step) != pairs)
                v_turn_u32(x);
            for (int i = 0; i < 16; i++) memcpy(to + i * 64, &x[i], 64);
        }
}

/* Sums of two panels, of which m rows and n columns (at most SIDE) and k summands exist, to c, its
 * rows `row` bytes apart and with room for SIDE x SIDE. first: c's former contents are no part. */
typedef void add_panels(int64_t m, int64_t n, int64_t k, const char *a, const char *b, char *c,
                        int64_t row, bool first);

static void add_tiles(int64_t m, int64_t n, int64_t k, const char *a, const char *b, char *c,
                      int64_t row, bool first) {
    char *below = c + TILE_ROWS * row;
    (void)m, (void)n; /* what does not exist costs no more */
    if (first) {
        TILE_ZERO(0);
        TILE_ZERO(1);
        TILE_ZERO(2);
        TILE_ZERO(3);
    } else {
        TILE_LOAD(0, c, row);
        TILE_LOAD(1, c + 64, row);
        TILE_LOAD(2, below, row);
        TILE_LOAD(3, below + 64, row);
    }
    for (; k > 0; k -= DEPTH, a += STEP_BYTES, b += STEP_BYTES) {
        TILE_LOAD(4, a, 64);
        TILE_LOAD(6, b, 64);
        TILE_LOAD(7, b + TILE_BYTES, 64);
        TILE_LOAD(5, a + TILE_BYTES, 64);
        TILE_ADD_BF16(0, 4, 6);
        TILE_ADD_BF16(1, 4, 7);
        TILE_ADD_BF16(2, 5, 6);
        TILE_ADD_BF16(3, 5, 7);
    }
    TILE_STORE(0, c, row);
    TILE_STORE(1, c + 64, row);
    TILE_STORE(2, below, row);
    TILE_STORE(3, below + 64, row);
}

#define PAIRED static inline __attribute__((always_inline, target("avx512bf16"))) void
/* Where sums of pairs go when they are whole: the first `rows` rows, and so many columns, of C. */
typedef struct paired_out {
    char *c;
    int64_t c_row, rows;
    __mmask32 columns;
} paired_out;

/* The last sums of a row, rounded. (No sum is so small that the instruction would make 0 of it,
 * since sums of pairs are not.) */
PAIRED put_pairs(char *to, const __m512 *sum, __mmask32 columns, const int nv) {
    if (nv == 2)
        _mm512_mask_storeu_epi16(to, columns, (__m512i)_mm512_cvtne2ps_pbh(sum[1], sum[0]));
    else
        _mm256_mask_storeu_epi16(to, (__mmask16)columns, (__m256i)_mm512_cvtneps_pbh(sum[0]));
}

/* PAIRED_ROWS rows and nv vectors of the sums; to `out`, if there is one, rounded. */
PAIRED add_pairs_rows(int64_t k, const char *a, const char *b, char *c, int64_t row, bool first,
                      const paired_out *out, const int nv) {
    __m512 sum[PAIRED_ROWS][2];
#pragma GCC unroll 8
    for (int r = 0; r < PAIRED_ROWS; r++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++)
            sum[r][v] = first ? _mm512_setzero_ps() : _mm512_loadu_ps(c + r * row + v * 64);
    for (; k > 0; k -= DEPTH, a += STEP_BYTES - 64, b += TILE_BYTES)
        for (int64_t end = k < DEPTH ? k : DEPTH; end > 0; end -= 2, a += 4, b += 64) {
            __m512bh line[2];
#pragma GCC unroll 2
            for (int v = 0; v < nv; v++) line[v] = (__m512bh)_mm512_loadu_si512(b + v * TILE_BYTES);
#pragma GCC unroll 8
            for (int r = 0; r < PAIRED_ROWS; r++) {
                int pair;
                memcpy(&pair, a + r * 64, sizeof pair);
                const __m512bh x = (__m512bh)_mm512_set1_epi32(pair);
#pragma GCC unroll 2
                for (int v = 0; v < nv; v++) sum[r][v] = _mm512_dpbf16_ps(sum[r][v], x, line[v]);
            }
        }
    if (out) {
#pragma GCC unroll 8
        for (int r = 0; r < PAIRED_ROWS; r++)
            if (r < out->rows) put_pairs(out->c + r * out->c_row, sum[r], out->columns, nv);
        return;
    }
#pragma GCC unroll 8
    for (int r = 0; r < PAIRED_ROWS; r++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) _mm512_storeu_ps(c + r * row + v * 64, sum[r][v]);
}

/* Sums of two panels as add_tiles has them; to C at the end, if it is told of. */
static __attribute__((target("avx512bf16"))) void sum_pairs(int64_t m, int64_t n, int64_t k,
                                                            const char *a, const char *b, char *c,
                                                            int64_t row, bool first,
                                                            const paired_out *whole) {
    for (int64_t p = 0; p < k; p += PAIRED_K, first = false) {
        const int64_t part = k - p < PAIRED_K ? k - p : PAIRED_K;
        const char *one = a + p / DEPTH * STEP_BYTES, *other = b + p / DEPTH * STEP_BYTES;
        for (int64_t i = 0; i < m; i += PAIRED_ROWS) {
            char *const at = c + i * row;
            const bool last = whole && p + part == k;
            paired_out out = {0};
            if (last) {
                out = *whole;
                out.c += i * out.c_row;
                out.rows -= i;
            }
            if (n > TILE_ROWS)
                add_pairs_rows(part, one + i * 64, other, at, row, first, last ? &out : NULL, 2);
            else
                add_pairs_rows(part, one + i * 64, other, at, row, first, last ? &out : NULL, 1);
        }
    }
}
static void add_pairs(int64_t m, int64_t n, int64_t k, const char *a, const char *b, char *c,
                      int64_t row, bool first) {
    sum_pairs(m, n, k, a, b, c, row, first, NULL);
}

/* Rows first.. of C, `rows` of them, of up to TILE_ROWS columns: those of A are read where they
 * lie, B is packed. */
PAIRED flat_pairs_rows(const nomen__gemm_args *g, const char *b, int64_t first, const int rows) {
    enum { EACH = 4 };
    const int64_t row = g->a_row;
    const char *in[FLAT_ROWS / EACH];
    __m512 sum[FLAT_ROWS];
#pragma GCC unroll 4
    for (int q = 0; q < rows / EACH; q++) { /* pointers, or all rows would want one */
        in[q] = g->a + (first + q * EACH) * row;
        __asm__("" : "+r"(in[q]));
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) sum[r] = _mm512_setzero_ps();
    for (int64_t k = g->k; k > 0; k -= DEPTH, b += TILE_BYTES) {
        int64_t left = k < DEPTH ? k : DEPTH;
        for (; left > 1; left -= 2, b += 64) {
            const __m512bh other = (__m512bh)_mm512_loadu_si512(b);
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                int pair;
                memcpy(&pair, in[r / EACH] + r % EACH * row, sizeof pair);
                sum[r] = _mm512_dpbf16_ps(sum[r], (__m512bh)_mm512_set1_epi32(pair), other);
            }
#pragma GCC unroll 4
            for (int q = 0; q < rows / EACH; q++) in[q] += 4;
        }
        if (left == 0) continue;
        const __m512bh other = (__m512bh)_mm512_loadu_si512(b);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            uint16_t last;
            memcpy(&last, in[r / EACH] + r % EACH * row, sizeof last);
            sum[r] = _mm512_dpbf16_ps(sum[r], (__m512bh)_mm512_set1_epi32(last), other);
        }
    }
    char *c = g->c + first * g->c_row;
    if (runs_over_matmul_bf16(g, g->m, first + rows - 1, TILE_ROWS)) {
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++, c += g->c_row) st_sum_bf16(c, (vf32)sum[r]);
    } else if (g->c_col == 2) {
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++, c += g->c_row) st_sum_bf16_n(c, (vf32)sum[r], g->n);
    } else {
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++, c += g->c_row)
            put_apart_matmul_bf16(c, (vf32)sum[r], g->n, g->c_col);
    }
}

/* Products with up to TILE_ROWS columns: only B is packed. The last rows are computed again with
 * some before them. */
static __attribute__((target("avx512bf16"))) void flat_by_pairs(const nomen__gemm_args *g,
                                                                char *b) {
    pack_tiles(b, g->b, g->n, g->k, g->b_col, g->b_row, true);
    for (int64_t i = 0; i < g->m; i += FLAT_ROWS)
        flat_pairs_rows(g, b, i + FLAT_ROWS <= g->m ? i : g->m - FLAT_ROWS, FLAT_ROWS);
}
#undef PAIRED

/* Of blocks; in bytes of scratch: packed A and B, sums. */
typedef struct tiled_plan {
    int64_t rows, cols, k;
    size_t a, b, c;
} tiled_plan;

static inline tiled_plan plan_tiles(int64_t m, int64_t n, int64_t k) {
    tiled_plan p = {.rows = whole_steps(m), .cols = whole_steps(n), .k = whole_steps(k)};
    const int64_t rows = p.k > PACKED_K ? SUMMED_ROWS : TILED_ROWS;
    if (p.rows > rows) p.rows = rows;
    if (p.k > PACKED_K) p.k = PACKED_K;
    const int64_t most = TILED_COLS * PACKED_K / p.k / SIDE * SIDE;
    if (p.cols > most) p.cols = most;
    p.a =
        (size_t)((p.rows < TILED_ROWS ? p.rows : TILED_ROWS) * (p.k < TILED_K ? p.k : TILED_K)) * 2;
    p.b = (size_t)(p.cols * p.k) * 2;
    p.c = k > TILED_K ? (size_t)(p.rows * p.cols) * sizeof(float) : 0;
    return p;
}

/* The sums of a block from what B was packed to. Where they are whole at once they go to C by way
 * of `near`, else they stay in c, float32. */
static void block_of_tiles(const nomen__gemm_args *g, add_panels *add, char *a, const char *b,
                           char *c, int64_t row, bool first) {
    float near[SIDE * SIDE] __attribute__((aligned(64)));
    const int64_t b_panel = whole_steps(g->k) * SIDE * 2;
    for (int64_t p = 0; p < g->k; p += TILED_K) {
        const int64_t k = g->k - p < TILED_K ? g->k - p : TILED_K, steps = (k + DEPTH - 1) / DEPTH;
        for (int64_t i = 0; i < g->m; i += SIDE)
            pack_tiles(a + i * steps * DEPTH * 2, g->a + i * g->a_row + p * g->a_col, g->m - i, k,
                       g->a_row, g->a_col, false);
        for (int64_t j = 0; j < g->n; j += SIDE)
            for (int64_t i = 0; i < g->m; i += SIDE) {
                const int64_t m = g->m - i < SIDE ? g->m - i : SIDE;
                const int64_t n = g->n - j < SIDE ? g->n - j : SIDE;
                const char *mine = a + i * steps * DEPTH * 2;
                const char *other = b + j / SIDE * b_panel + p * SIDE * 2;
                if (c) {
                    add(m, n, k, mine, other, c + i * row + j * (int64_t)sizeof(float), row,
                        first && p == 0);
                    continue;
                }
                nomen__gemm_args part = *g;
                part.m = m;
                part.n = n;
                part.c = g->c + i * g->c_row + j * g->c_col;
                if (add == add_pairs && g->c_col == 2) {
                    const paired_out out = {part.c, g->c_row, m, (__mmask32)loop_first(n)};
                    sum_pairs(m, n, k, mine, other, (char *)near, SIDE * (int64_t)sizeof(float),
                              true, &out);
                    continue;
                }
                /* Into L2: on their way to L1 they would keep the panels waiting. The lines where
                 * rows end: those where they begin have been written with the columns before. */
                for (int64_t r = 0; r < m; r++)
                    __builtin_prefetch(part.c + r * g->c_row + (n - 1) * g->c_col, 0, 2);
                add(m, n, k, mine, other, (char *)near, SIDE * (int64_t)sizeof(float), true);
                deliver_matmul_bf16(&part, near, SIDE);
            }
    }
}

/* The same of up to SUMMED_ROWS rows, if there is a c for them. */
static void summed_tiles(const nomen__gemm_args *g, add_panels *add, char *a, const char *b,
                         char *c, int64_t row, bool first) {
    for (int64_t i = 0; i < g->m; i += TILED_ROWS) {
        nomen__gemm_args part = *g;
        part.m = g->m - i < TILED_ROWS ? g->m - i : TILED_ROWS;
        part.a = g->a + i * g->a_row;
        part.c = g->c + i * g->c_row;
        block_of_tiles(&part, add, a, b, c ? c + i * row : NULL, row, first);
    }
}

static void large_by_tiles(const nomen__gemm_args *g, add_panels *add, void *scratch) {
    const tiled_plan plan = plan_tiles(g->m, g->n, g->k);
    char *a = scratch, *b = a + plan.a, *c = plan.c ? b + plan.b : NULL;
    for (int64_t j = 0; j < g->n; j += plan.cols)
        for (int64_t i = 0; i < g->m; i += plan.rows) {
            nomen__gemm_args part = *g;
            part.m = g->m - i < plan.rows ? g->m - i : plan.rows;
            part.n = g->n - j < plan.cols ? g->n - j : plan.cols;
            part.c = g->c + i * g->c_row + j * g->c_col;
            for (int64_t p = 0; p < g->k; p += plan.k) {
                part.k = g->k - p < plan.k ? g->k - p : plan.k;
                part.a = g->a + i * g->a_row + p * g->a_col;
                part.b = g->b + p * g->b_row + j * g->b_col;
                for (int64_t s = 0; (i == 0 || g->k > plan.k) && s < part.n; s += SIDE)
                    pack_tiles(b + s * whole_steps(part.k) * 2, part.b + s * g->b_col, part.n - s,
                               part.k, g->b_col, g->b_row, true);
                summed_tiles(&part, add, a, b, c, plan.cols * (int64_t)sizeof(float), p == 0);
            }
            if (c) deliver_matmul_bf16(&part, (const float *)(const void *)c, plan.cols);
        }
}

/* All are the same for each block that a product may be cut into. */
static inline bool wants_tiles(int64_t m, int64_t n, int64_t k) {
    return m > GEMM_SMALL && n > GEMM_SMALL && k >= DEPTH / 2;
}
/* Sums of pairs, where the way of float32 takes longer: to widen B, whose columns lie one behind
 * the other, it turns every element over, where pairs turn every second one. A few rows are little
 * more than that, unless they have many summands. */
static inline bool wants_pairs(const nomen__gemm_args *g) {
    enum { FEWEST = 4, LINE = 8, LONG = 128 };
    const int64_t m = g->m, n = g->n, k = g->k;
    if (k <= 0 || is_small_matmul_bf16(m, n, k)) return false;
    if (g->b_row != 2) return m > GEMM_SMALL && n >= LINE && k >= (n > GEMM_SMALL ? 8 : 16);
    if (n <= GEMM_SMALL) return m >= FEWEST && n >= LINE && k >= 16;
    return m < LINE ? m >= FEWEST && k < LONG : k >= (m > GEMM_SMALL ? 4 : 16);
}
static inline bool may_be_pairs(int64_t m, int64_t n, int64_t k) {
    return m >= 4 && n >= 4 && k > 0;
}
static inline bool wants_flat(int64_t m, int64_t n, int64_t k) {
    return m > GEMM_SMALL && n > 1 && n <= TILE_ROWS && k >= DEPTH / 4 && (n > 3 || k <= FLAT_K);
}

static size_t scratch_of_tiles(int64_t m, int64_t n, int64_t k) {
    const size_t plain = gemm_matmul_bf16.scratch(m, n, k);
    size_t tiled = 0;
    if (may_be_pairs(m, n, k)) {
        const tiled_plan p = plan_tiles(m, n, k), q = plan_tiles(n, m, k); /* C turned */
        const size_t one = p.a + p.b + p.c, other = q.a + q.b + q.c;
        tiled = one > other ? one : other;
    } else if (wants_flat(m, n, k)) {
        tiled = (size_t)whole_steps(k) * SIDE * 2;
    }
    return plain > tiled ? plain : tiled;
}

static void run_by_tiles(const nomen__gemm_args *g, void *scratch) {
    const bool tiles = wants_tiles(g->m, g->n, g->k) && nomen__kernel_tiles();
    const bool pairs = !tiles && nomen__kernel_pairs();
    nomen__gemm_args turned;
    if (pairs && g->a_col == 2 && wants_flat(g->m, g->n, g->k)) {
        flat_by_pairs(g, scratch);
        return;
    }
    if ((tiles || pairs) && g->c_col != 2 && g->c_row == 2) {
        turned = turned_product(g);
        g = &turned;
    }
    if (tiles) {
        tiles_begin();
        large_by_tiles(g, add_tiles, scratch);
        tiles_end();
    } else if (pairs && wants_pairs(g)) {
        large_by_tiles(g, add_pairs, scratch);
    } else {
        gemm_matmul_bf16.run(g, scratch);
    }
}

static const nomen__gemm gemm_by_tiles = {
    .scratch = scratch_of_tiles, .run = run_by_tiles, .rows = TILE_ROWS, .side = GEMM_SIDE};
