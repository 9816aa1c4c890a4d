/* Part of gemm_tiles.h: sums of pairs of products of bfloat16, for processors without tiles.
 *
 * Idea: the panels are those of tiles; an instruction of AVX-512 adds two products to each of 16
 * sums: 8 rows of A, one pair of each a time, with 32 columns of B. Limit: two such instructions a
 * cycle, twice what float32 can do; a core of a Zen 5 at hand reaches 570 G operations a second in
 * sum_pairs, which is that, and spends 15 % of a product of 512 or 1,000 rows elsewhere: packing,
 * and rounding results. */
enum {
    PAIRED_ROWS = 8, /* with two vectors of columns as many sums as the latency asks for */
    PAIRED_K = 256,  /* so long panels of A and B stay in L1 */
    FLAT_ROWS = 16,  /* the same with one vector of columns */
    FLAT_K = 64      /* up to so many summands few columns are no dot products */
};

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

/* Sums of two panels, of which m rows and n columns (at most SIDE) and k summands exist, to c, its
 * rows `row` bytes apart and with room for SIDE x SIDE, or, at the end, to C, if it is told of.
 * first: c's former contents are no part. */
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
/* A strip of C from packed panels of A and one of B: to C, if its sums are whole and its elements
 * lie one behind the other, else added to `sums` (or, first, put there). */
static bool strip_of_pairs(const nomen__gemm_args *g, const lines *a, const char *b, float *sums,
                           bool first, bool whole) {
    const bool out = whole && first && g->c_col == 2;
    const char *at = a->at;
    for (int64_t i = 0; i < g->m; i += SIDE, at += a->panel, sums += SIDE * SIDE) {
        const int64_t m = g->m - i < SIDE ? g->m - i : SIDE;
        const paired_out to = {g->c + i * g->c_row, g->c_row, m, (__mmask32)loop_first(g->n)};
        sum_pairs(m, g->n, g->k, at, b, (char *)sums, SIDE * (int64_t)sizeof(float), first,
                  out ? &to : NULL);
    }
    return out;
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
    columns_of_1(b, g->b, g->n, g->k, g->b_col, g->b_row);
    for (int64_t i = 0; i < g->m; i += FLAT_ROWS)
        flat_pairs_rows(g, b, i + FLAT_ROWS <= g->m ? i : g->m - FLAT_ROWS, FLAT_ROWS);
}
#undef PAIRED
