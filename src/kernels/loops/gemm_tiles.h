/* Part of gemm.c: products by the tile registers of AMX (simd/tiles.h): of bfloat16, and, in parts
 * that are bfloat16 (gemm_parts.h), of float16 and float32, whose products have their accuracy and
 * other bits than those of gemm_real.h. Without tiles those of bfloat16 are sums of pairs
 * (gemm_pairs.h), where the processor has them and the matrices are not small.
 *
 * Idea: 32 x 32 sums in four tiles; each step multiplies 32 rows of A with 32 columns of B, 32
 * summands deep, in four instructions from four loads; of parts 16 from 10 and 24 from 14. Both
 * operands are packed as tiles want them. A strip of 32 columns of C waits in float32 while the
 * panels of A go by, a part of the panel of B in L1. Limit: one such instruction every 16 cycles,
 * 1024 operations a cycle; some machines slow tiles down after milliseconds. Share, one thread of a
 * Xeon that does 3.0 T operations a second so for long: strips of bfloat16 reach 70 %, of float32
 * 78 %; packing, looking at the numbers and delivering take a fifth to a quarter of a product. */
#include "kernels/simd/tiles.h"

#include <immintrin.h>

#include "kernels/loops/gemm_parts.h"

/* Rows of A as tiles read them: bytes to the next panel, from row to row, to the second tile of
 * a panel's step, and to the next step. */
typedef struct lines {
    const char *at;
    int64_t panel, row, second, step;
} lines;
static inline lines packed_lines(const char *at, int64_t k, int64_t parts) {
    return (lines){at, steps_of(k) * parts * STEP_BYTES, 64, TILE_BYTES, parts * STEP_BYTES};
}

#include "kernels/loops/gemm_pairs.h"

/* Rows of a block, and rows whose sums wait where what B is packed to is not all of its summands,
 * so that it is packed once for all of them; columns of B, more where summands are fewer. */
enum { TILED_ROWS = 256, SUMMED_ROWS = 1024, TILED_COLS = 1024 };

/* The way of one dtype. A strip: see strip_of_pairs. */
typedef struct tiled {
    int64_t parts;
    int64_t block_k, packed_k; /* summands of a block, and of what B is packed to */
    bool in_place;             /* rows of A may be read where they lie */
    pack_operand *rows, *columns;
    bool (*strip)(const nomen__gemm_args *g, const lines *a, const char *b, float *sums, bool first,
                  bool whole);
    void (*deliver)(const nomen__gemm_args *g, const float *sums, int64_t columns);
    void (*take)(const nomen__gemm_args *g, float *sums); /* NULL: sums do not wait in C */
} tiled;

/* ---- sums in tiles --------------------------------------------------------------------------- */

static inline void load_rows(const char *a, int64_t row, int64_t second) {
    TILE_LOAD(4, a, row);
    TILE_LOAD(5, a + second, row);
}
static inline void load_columns(const char *b) {
    TILE_LOAD(6, b, 64);
    TILE_LOAD(7, b + TILE_BYTES, 64);
}
static inline void add_products(void) {
    TILE_ADD_BF16(0, 4, 6);
    TILE_ADD_BF16(1, 4, 7);
    TILE_ADD_BF16(2, 5, 6);
    TILE_ADD_BF16(3, 5, 7);
}
/* One step of two panels: every pair of parts that counts, the largest products last, and so that
 * from one to the next but one side changes. */
static inline __attribute__((always_inline)) void add_step(const lines *a, const char *at,
                                                           const char *b, const int parts) {
    enum { SECOND = STEP_BYTES, THIRD = 2 * STEP_BYTES };
    if (parts == 1) {
        load_rows(at, a->row, a->second), load_columns(b), add_products();
    } else if (parts == 2) {
        load_rows(at, 64, TILE_BYTES), load_columns(b + SECOND), add_products();
        load_rows(at + SECOND, 64, TILE_BYTES), add_products();
        load_columns(b), add_products();
        load_rows(at, 64, TILE_BYTES), add_products();
    } else {
        load_rows(at + THIRD, 64, TILE_BYTES), load_columns(b), add_products();
        load_rows(at + SECOND, 64, TILE_BYTES), add_products();
        load_columns(b + SECOND), add_products();
        load_rows(at, 64, TILE_BYTES), add_products();
        load_columns(b + THIRD), add_products();
        load_columns(b), add_products();
    }
}
/* Two panels, to sums of SIDE rows and columns. */
static inline __attribute__((always_inline)) void add_panels(const lines *a, const char *at,
                                                             const char *b, float *sums, int64_t k,
                                                             bool first, const int parts) {
    enum { ROW = SIDE * (int)sizeof(float) };
    const int64_t step = parts == 1 ? a->step : parts * STEP_BYTES;
    char *const c = (char *)sums, *const below = c + TILE_ROWS * ROW;
    if (first) {
        TILE_ZERO(0);
        TILE_ZERO(1);
        TILE_ZERO(2);
        TILE_ZERO(3);
    } else {
        TILE_LOAD(0, c, ROW);
        TILE_LOAD(1, c + 64, ROW);
        TILE_LOAD(2, below, ROW);
        TILE_LOAD(3, below + 64, ROW);
    }
#pragma GCC unroll 1
    for (; k > 0; k -= DEPTH, at += step, b += parts * STEP_BYTES) add_step(a, at, b, parts);
    TILE_STORE(0, c, ROW);
    TILE_STORE(1, c + 64, ROW);
    TILE_STORE(2, below, ROW);
    TILE_STORE(3, below + 64, ROW);
}
/* A strip; `near`: summands whose part of the panel of B stays in L1. (Nothing is asked for ahead:
 * it keeps the panels waiting.) */
static inline __attribute__((always_inline)) bool
strip_of_tiles(const nomen__gemm_args *g, const lines *rows, const char *b, float *sums, bool first,
               const int64_t near, const int parts) {
    const lines a = *rows; /* or it would be read again after every asm */
    for (int64_t p = 0; p < g->k; p += near) {
        const int64_t k = g->k - p < near ? g->k - p : near, step = p / DEPTH;
        for (int64_t i = 0; i < g->m; i += SIDE)
            add_panels(&a, a.at + i / SIDE * a.panel + step * a.step, b + step * parts * STEP_BYTES,
                       sums + i * SIDE, k, first && p == 0, parts);
    }
    return false;
}
static bool strip_of_1(const nomen__gemm_args *g, const lines *a, const char *b, float *sums,
                       bool first, bool whole) {
    (void)whole;
    return strip_of_tiles(g, a, b, sums, first, 256, 1);
}
static bool strip_of_2(const nomen__gemm_args *g, const lines *a, const char *b, float *sums,
                       bool first, bool whole) {
    (void)whole;
    return strip_of_tiles(g, a, b, sums, first, 128, 2);
}
static bool strip_of_3(const nomen__gemm_args *g, const lines *a, const char *b, float *sums,
                       bool first, bool whole) {
    (void)whole;
    return strip_of_tiles(g, a, b, sums, first, 128, 3);
}

/* A strip of C, float32, from and to where its sums are added up. Where rows of C lie beside each
 * other it is turned over here, not the product: the parts would meet in another order. */
static inline bool is_turned(const nomen__gemm_args *g) {
    return g->c_row == (int64_t)sizeof(float) && g->c_col != g->c_row;
}
static inline int64_t up_to_16(int64_t n) { return n < 16 ? n : 16; }

static void take_f32(const nomen__gemm_args *g, float *sums) {
    vu32 x[16] = {0};
    if (is_turned(g)) {
        for (int64_t r = 0; r < g->m; r += 16)
            for (int64_t s = 0; s < g->n; s += 16) {
                const char *const c = g->c + r * g->c_row + s * g->c_col;
                for (int64_t i = 0; i < 16 && s + i < g->n; i++)
                    x[i] = (vu32)ld_f32_n((const void *)(c + i * g->c_col), up_to_16(g->m - r));
                v_turn_u32(x);
                for (int i = 0; i < 16; i++) st_f32(sums + (r + i) * SIDE + s, (vf32)x[i]);
            }
        return;
    }
    for (int64_t r = 0; r < g->m; r++, sums += SIDE) {
        const char *const c = g->c + r * g->c_row;
        if (g->c_col == (int64_t)sizeof(float))
            for (int64_t s = 0; s < g->n; s += 16)
                st_f32(sums + s, ld_f32_n((const float *)(const void *)c + s, up_to_16(g->n - s)));
        else
            for (int64_t s = 0; s < g->n; s++) memcpy(sums + s, c + s * g->c_col, sizeof *sums);
    }
}
static void put_f32(const nomen__gemm_args *g, const float *sums, int64_t columns) {
    if (is_turned(g)) {
        for (int64_t r = 0; r < g->m; r += 16)
            for (int64_t s = 0; s < g->n; s += 16) {
                vu32 x[16];
                char *const c = g->c + r * g->c_row + s * g->c_col;
                for (int i = 0; i < 16; i++) x[i] = (vu32)ld_f32(sums + (r + i) * columns + s);
                v_turn_u32(x);
                for (int64_t i = 0; i < 16 && s + i < g->n; i++)
                    st_f32_n((void *)(c + i * g->c_col), (vf32)x[i], up_to_16(g->m - r));
            }
        return;
    }
    for (int64_t r = 0; r < g->m; r++, sums += columns) {
        char *const c = g->c + r * g->c_row;
        if (g->c_col == (int64_t)sizeof(float))
            for (int64_t s = 0; s < g->n; s += 16)
                st_f32_n((float *)(void *)c + s, ld_f32(sums + s), up_to_16(g->n - s));
        else
            for (int64_t s = 0; s < g->n; s++) memcpy(c + s * g->c_col, sums + s, sizeof *sums);
    }
}

/* The same of complex64, whose columns are two each. */
static void take_c64(const nomen__gemm_args *g, float *sums) {
    if (g->c_col == (int64_t)sizeof(float)) {
        take_f32(g, sums);
        return;
    }
    for (int64_t r = 0; r < g->m; r++, sums += SIDE)
        for (int64_t s = 0; s < g->n; s += 2)
            memcpy(sums + s, g->c + r * g->c_row + s * g->c_col, 8);
}
static void put_c64(const nomen__gemm_args *g, const float *sums, int64_t columns) {
    if (g->c_col == (int64_t)sizeof(float)) {
        put_f32(g, sums, columns);
        return;
    }
    for (int64_t r = 0; r < g->m; r++, sums += columns)
        for (int64_t s = 0; s < g->n; s += 2)
            memcpy(g->c + r * g->c_row + s * g->c_col, sums + s, 8);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Of blocks; in bytes of scratch: packed A and B, and the sums of a strip, or all that wait. */
typedef struct tiled_plan {
    int64_t rows, cols, k;
    bool wait;
    size_t a, b, c;
} tiled_plan;

static tiled_plan plan_tiles(const tiled *t, int64_t m, int64_t n, int64_t k) {
    tiled_plan p = {.rows = whole_steps(m), .cols = whole_steps(n), .k = whole_steps(k)};
    const int64_t rows = p.k > t->packed_k ? SUMMED_ROWS : TILED_ROWS;
    p.wait = k > t->block_k && !t->take;
    if (!t->take && p.rows > rows) p.rows = rows;
    if (p.k > t->packed_k) p.k = t->packed_k;
    const int64_t most = TILED_COLS * t->packed_k / p.k / SIDE * SIDE;
    if (p.cols > most) p.cols = most;
    const int64_t block = p.rows < TILED_ROWS ? p.rows : TILED_ROWS;
    p.a = (size_t)(block * (p.k < t->block_k ? p.k : t->block_k) * t->parts) * 2;
    p.b = (size_t)(p.cols * p.k * t->parts) * 2;
    p.c = (size_t)(p.wait ? p.rows * p.cols : block * SIDE) * sizeof(float);
    return p;
}

/* TILED_ROWS rows from what B was packed to. Sums that are whole go to C strip by strip, by way of
 * `sums`; those that wait stay there, in strips of so many rows. */
static void block_of_tiles(const nomen__gemm_args *g, const tiled *t, char *a, const char *b,
                           float *sums, int64_t waiting, bool first) {
    const int64_t step = t->parts * STEP_BYTES, b_panel = steps_of(g->k) * step;
    for (int64_t p = 0; p < g->k; p += t->block_k, first = false) {
        nomen__gemm_args part = *g;
        part.k = g->k - p < t->block_k ? g->k - p : t->block_k;
        part.a += p * g->a_col;
        const bool in_place =
            t->in_place && g->a_col == 2 && part.k % DEPTH == 0 && !share_sets(g->a_row, 2048, 64);
        const int64_t there = in_place ? g->m / SIDE * SIDE : 0, row = g->a_row;
        const lines own = {part.a, SIDE * row, row, TILE_ROWS * row, DEPTH * 2};
        const lines packed = packed_lines(a, part.k, t->parts);
        if (there < g->m) t->rows(a, part.a + there * row, g->m - there, part.k, row, g->a_col);
        for (int64_t j = 0; j < g->n; j += SIDE) {
            const char *const other = b + j / SIDE * b_panel + p / DEPTH * step;
            float *const strip = sums + j * waiting;
            bool out = false;
            part.n = g->n - j < SIDE ? g->n - j : SIDE;
            part.c = g->c + j * g->c_col;
            if (t->take && !first) t->take(&part, strip);
            part.m = there;
            if (there) t->strip(&part, &own, other, strip, first, !waiting);
            part.m = g->m - there;
            if (part.m)
                out = t->strip(&part, &packed, other, strip + there * SIDE, first, !waiting);
            part.m = g->m;
            if (!waiting && !out) t->deliver(&part, strip, SIDE);
        }
    }
}

static void large_by_tiles(const nomen__gemm_args *g, const tiled *t, void *scratch) {
    const tiled_plan plan = plan_tiles(t, g->m, g->n, g->k);
    char *a = scratch, *b = a + plan.a;
    float *const sums = (float *)(void *)(b + plan.b);
    for (int64_t j = 0; j < g->n; j += plan.cols)
        for (int64_t i = 0; i < g->m; i += plan.rows) {
            nomen__gemm_args part = *g, rows;
            part.m = g->m - i < plan.rows ? g->m - i : plan.rows;
            part.n = g->n - j < plan.cols ? g->n - j : plan.cols;
            part.c = g->c + i * g->c_row + j * g->c_col;
            for (int64_t p = 0; p < g->k; p += plan.k) {
                part.k = g->k - p < plan.k ? g->k - p : plan.k;
                part.a = g->a + i * g->a_row + p * g->a_col;
                if (i == 0 || g->k > plan.k)
                    t->columns(b, g->b + p * g->b_row + j * g->b_col, part.n, part.k, g->b_col,
                               g->b_row);
                rows = part;
                for (int64_t r = 0; r < part.m; r += TILED_ROWS) {
                    rows.m = part.m - r < TILED_ROWS ? part.m - r : TILED_ROWS;
                    rows.a = part.a + r * g->a_row;
                    rows.c = part.c + r * g->c_row;
                    block_of_tiles(&rows, t, a, b, plan.wait ? sums + r * SIDE : sums,
                                   plan.wait ? plan.rows : 0, p == 0);
                }
            }
            for (int64_t s = 0; plan.wait && s < part.n; s += SIDE) {
                rows = part;
                rows.n = part.n - s < SIDE ? part.n - s : SIDE;
                rows.c = part.c + s * g->c_col;
                t->deliver(&rows, sums + s * plan.rows, SIDE);
            }
        }
}

static void run_on_tiles(const nomen__gemm_args *g, const tiled *t, void *scratch) {
    tiles_begin();
    large_by_tiles(g, t, scratch);
    tiles_end();
}

static size_t scratch_of_plan(const tiled *t, int64_t m, int64_t n, int64_t k) {
    const tiled_plan p = plan_tiles(t, m, n, k);
    return p.a + p.b + p.c;
}

/* ---- float16, float32, complex64 ------------------------------------------------------------- */

static const tiled tiled_f16 = {.parts = 2,
                                .block_k = 512,
                                .packed_k = 1024,
                                .rows = rows_of_2,
                                .columns = columns_of_2,
                                .strip = strip_of_2,
                                .deliver = deliver_matmul_f16};
static const tiled tiled_f32 = {.parts = 3,
                                .block_k = 512,
                                .packed_k = 512,
                                .rows = rows_of_3,
                                .columns = columns_of_3,
                                .strip = strip_of_3,
                                .deliver = put_f32,
                                .take = take_f32};

static const tiled tiled_c64 = {.parts = 3,
                                .block_k = 512,
                                .packed_k = 512,
                                .rows = rows_of_complex,
                                .columns = columns_of_complex,
                                .strip = strip_of_3,
                                .deliver = put_c64,
                                .take = take_c64};

static size_t scratch_in_parts_f16(int64_t m, int64_t n, int64_t k) {
    return scratch_of_plan(&tiled_f16, m, n, k);
}
static size_t scratch_in_parts_f32(int64_t m, int64_t n, int64_t k) {
    return scratch_of_plan(&tiled_f32, m, n, k);
}
static void run_in_parts_f16(const nomen__gemm_args *g, void *scratch) {
    run_on_tiles(g, &tiled_f16, scratch);
}
static void run_in_parts_f32(const nomen__gemm_args *g, void *scratch) {
    run_on_tiles(g, &tiled_f32, scratch);
}
/* Of complex numbers: twice as many columns and summands, half as far from each other. */
static size_t scratch_in_parts_c64(int64_t m, int64_t n, int64_t k) {
    return scratch_of_plan(&tiled_c64, m, 2 * n, 2 * k);
}
static void run_in_parts_c64(const nomen__gemm_args *g, void *scratch) {
    const nomen__gemm_args halves = {g->m,         2 * g->n,     2 * g->k, g->a,
                                     g->b,         g->c,         g->a_row, g->a_col / 2,
                                     g->b_row / 2, g->b_col / 2, g->c_row, g->c_col / 2};
    run_on_tiles(&halves, &tiled_c64, scratch);
}
/* What takes less time so than by gemm_real.h: operands are looked at and packed in parts first,
 * and panels are as long where less of them exists. halves: columns for one of B. */
static bool pays_in_parts(int64_t m, int64_t n, int64_t k, int64_t fewest, int64_t halves) {
    return m >= fewest && n >= fewest && k >= fewest &&
           (double)whole_steps(m) * (double)whole_steps(halves * n) <=
               1.25 * (double)m * (double)(halves * n) &&
           nomen__kernel_tiles();
}
static bool wants_parts_f16(int64_t m, int64_t n, int64_t k) {
    return pays_in_parts(m, n, k, 96, 1);
}
static bool wants_parts_f32(int64_t m, int64_t n, int64_t k) {
    return pays_in_parts(m, n, k, 192, 1);
}
static bool wants_parts_c64(int64_t m, int64_t n, int64_t k) {
    return pays_in_parts(m, n, k, 96, 2);
}
static const nomen__gemm in_parts_f16 = {
    .scratch = scratch_in_parts_f16, .run = run_in_parts_f16, .rows = SIDE, .side = GEMM_SIDE};
static const nomen__gemm in_parts_f32 = {
    .scratch = scratch_in_parts_f32, .run = run_in_parts_f32, .rows = SIDE, .side = GEMM_SIDE};
static const nomen__gemm in_parts_c64 = {
    .scratch = scratch_in_parts_c64, .run = run_in_parts_c64, .rows = SIDE, .side = GEMM_SIDE};
static const nomen__gemm_parts parts_f16 = {
    .gemm = &in_parts_f16, .wants = wants_parts_f16, .widen = span_f16, .fits = fits_f16};
static const nomen__gemm_parts parts_f32 = {
    .gemm = &in_parts_f32, .wants = wants_parts_f32, .widen = span_f32, .fits = fits_f32};

static const nomen__gemm_parts parts_c64 = {
    .gemm = &in_parts_c64, .wants = wants_parts_c64, .widen = span_c64, .fits = fits_f32};
static const nomen__gemm gemm_or_parts_f16 = {.scratch = scratch_matmul_f16,
                                              .run = run_matmul_f16,
                                              .rows = ROWS_REAL,
                                              .side = GEMM_SIDE,
                                              .parts = &parts_f16,
                                              .batches = &batches_matmul_f16};
static const nomen__gemm gemm_or_parts_f32 = {.scratch = scratch_matmul_f32,
                                              .run = run_matmul_f32,
                                              .rows = ROWS_REAL,
                                              .side = GEMM_SIDE,
                                              .parts = &parts_f32,
                                              .batches = &batches_matmul_f32};

static const nomen__gemm gemm_or_parts_c64 = {.scratch = scratch_matmul_c64,
                                              .run = run_matmul_c64,
                                              .rows = ROWS_COMPLEX,
                                              .side = GEMM_SIDE,
                                              .parts = &parts_c64,
                                              .batches = &batches_matmul_c64};

/* ---- bfloat16 -------------------------------------------------------------------------------- */

/* Sums, rounded: none is so small that the instruction would make 0 of it. */
static __attribute__((target("avx512bf16"))) void put_bf16(const nomen__gemm_args *g,
                                                           const float *sums, int64_t columns) {
    if (g->c_col != 2) {
        deliver_matmul_bf16(g, sums, columns);
        return;
    }
    const __mmask32 all = (__mmask32)loop_first(g->n);
    for (int64_t r = 0; r < g->m; r++, sums += columns) {
        const __m512 pair[2] = {_mm512_load_ps(sums), _mm512_load_ps(sums + 16)};
        put_pairs(g->c + r * g->c_row, pair, all, 2);
    }
}

static const tiled tiled_bf16 = {.parts = 1,
                                 .block_k = 1024,
                                 .packed_k = 2048,
                                 .in_place = true,
                                 .rows = rows_of_1,
                                 .columns = columns_of_1,
                                 .strip = strip_of_1,
                                 .deliver = put_bf16};
static const tiled paired_bf16 = {.parts = 1,
                                  .block_k = 1024,
                                  .packed_k = 2048,
                                  .rows = rows_of_1,
                                  .columns = columns_of_1,
                                  .strip = strip_of_pairs,
                                  .deliver = put_bf16};

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
    return m < LINE ? m >= FEWEST && k < LONG : k >= (m > GEMM_SMALL ? 2 : 16);
}
static inline bool may_be_pairs(int64_t m, int64_t n, int64_t k) {
    return m >= 4 && n >= 4 && k > 0;
}
static inline bool wants_flat(int64_t m, int64_t n, int64_t k) {
    return m > GEMM_SMALL && n > 1 && n <= TILE_ROWS && k >= DEPTH / 4 && (n > 3 || k <= FLAT_K);
}

static size_t scratch_of_tiles(int64_t m, int64_t n, int64_t k) {
    const size_t plain = gemm_matmul_bf16.scratch(m, n, k);
    size_t other = 0;
    if (may_be_pairs(m, n, k)) {
        const size_t one = scratch_of_plan(&tiled_bf16, m, n, k),
                     turned = scratch_of_plan(&tiled_bf16, n, m, k);
        other = one > turned ? one : turned;
    } else if (wants_flat(m, n, k)) {
        other = (size_t)whole_steps(k) * SIDE * 2;
    }
    return plain > other ? plain : other;
}

static void run_by_tiles(const nomen__gemm_args *g, void *scratch) {
    const bool tiles = wants_tiles(g->m, g->n, g->k) && nomen__kernel_tiles();
    const bool pairs = !tiles && nomen__kernel_pairs();
    if (pairs && g->a_col == 2 && wants_flat(g->m, g->n, g->k)) {
        flat_by_pairs(g, scratch);
        return;
    }
    nomen__gemm_args turned;
    if ((tiles || pairs) && g->c_col != 2 && g->c_row == 2) {
        turned = turned_product(g);
        g = &turned;
    }
    if (tiles) {
        run_on_tiles(g, &tiled_bf16, scratch);
    } else if (pairs && wants_pairs(g)) {
        large_by_tiles(g, &paired_bf16, scratch);
    } else {
        gemm_matmul_bf16.run(g, scratch);
    }
}

static const nomen__gemm gemm_by_tiles = {.scratch = scratch_of_tiles,
                                          .run = run_by_tiles,
                                          .rows = TILE_ROWS,
                                          .side = GEMM_SIDE,
                                          .batches = &batches_matmul_bf16};
