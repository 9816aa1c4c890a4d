/* Part of gemm_tiles.h: lines of numbers as panels of bfloat16, which tiles and sums of pairs read.
 *
 * Idea: a float16 is the sum of two numbers of bfloat16 and a float32 of three: the first has its
 * leading eight bits, rounded, the next those of what is left, the last the rest, and nothing is
 * lost. So a product of float16 is four products of bfloat16, and one of float32 six: those of the
 * second and third parts with the third are below 2^-26 of the whole. The parts of one number go to
 * tiles of their own, next to each other. */

/* Rows or columns of a panel and summands of a step; bytes of one part of a panel's step. */
enum { SIDE = 2 * TILE_ROWS, DEPTH = 32, STEP_BYTES = 2 * TILE_BYTES };
enum { AHEAD = 4 }; /* steps that rows are asked for ahead */

/* By the number of parts: bfloat16 has one, float16 two, float32 three. */
static inline int64_t bytes_of(const int parts) { return parts == 3 ? 4 : 2; }
static inline int64_t steps_of(int64_t k) { return (k + DEPTH - 1) / DEPTH; }
static inline int64_t whole_steps(int64_t n) { return steps_of(n) * SIDE; }

#define WITHIN static inline __attribute__((always_inline))

WITHIN vf32 load_some(const char *p, __mmask16 some, const int parts) {
    return parts == 3 ? (vf32)_mm512_maskz_loadu_ps(some, p)
                      : (vf32)_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(some, p));
}
/* The part of x that is left is rounded to bfloat16, or, the last one, is bfloat16 by itself. */
WITHIN vf32 next_part(vf32 *x, const bool last) {
    const vf32 part = last ? *x : (vf32)(((vu32)*x + 0x8000) & 0xffff0000u);
    *x -= part;
    return part;
}
/* Parts of two vectors: x in the lower halves of words and y in the upper ones, or x first, as 32
 * numbers, and y behind it. */
WITHIN void put_parts(char *to, vf32 x, vf32 y, const bool behind, const int parts) {
    const vu16 upper = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                        33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
#pragma GCC unroll 3
    for (int q = 0; q < parts; q++, to += STEP_BYTES) {
        const vu32 a = (vu32)next_part(&x, q == parts - 1), b = (vu32)next_part(&y, q == parts - 1);
        const vu32 both =
            behind ? (vu32)_mm512_permutex2var_epi16((__m512i)a, (__m512i)upper, (__m512i)b)
                   : a >> 16 | b;
        memcpy(to, &both, sizeof both);
    }
}

/* 16 lines whose summands lie one behind the other: [line][pair of summands]. What does not exist
 * is not read: of nothing from a page that is not there takes 50 ns. */
WITHIN void put_lines(char *to, const char *in, int64_t lines, int64_t k, int64_t line,
                      const int parts) {
    const __mmask32 mask = (__mmask32)loop_first(k);
    const char *const first = in;
    for (int l = 0; l < TILE_ROWS; l++, in += line, to += 64) {
        const __mmask32 some = l < lines ? mask : 0;
        const char *const at = l < lines ? in : first;
        __builtin_prefetch(in + AHEAD * DEPTH * bytes_of(parts));
        if (parts == 1) {
            const __m512i x = _mm512_maskz_loadu_epi16(some, at);
            memcpy(to, &x, sizeof x);
        } else {
            const char *const half = at + (k > DEPTH / 2 ? DEPTH / 2 * bytes_of(parts) : 0);
            put_parts(to, load_some(at, (__mmask16)some, parts),
                      load_some(half, (__mmask16)(some >> 16), parts), true, parts);
        }
    }
}
/* 16 lines that lie beside each other: [pair of summands][line]. */
WITHIN void put_columns(char *to, const char *in, int64_t lines, int64_t k, int64_t step,
                        const int parts) {
    const __mmask16 there = (__mmask16)(lines < 16 ? (1u << lines) - 1 : 0xffff);
    const char *const own = in;
    for (int p = 0; p < TILE_ROWS; p++, in += 2 * step, to += 64) {
        const __mmask16 first = 2 * p < k ? there : 0, second = 2 * p + 1 < k ? there : 0;
        const char *const one = first ? in : own, *const other = second ? in + step : own;
        if (parts == 1) {
            const __m256i a = _mm256_maskz_loadu_epi16(first, one);
            const __m256i b = _mm256_maskz_loadu_epi16(second, other);
            const vu32 x = (vu32)_mm512_cvtepu16_epi32(a) | (vu32)_mm512_cvtepu16_epi32(b) << 16;
            memcpy(to, &x, sizeof x);
        } else {
            put_parts(to, load_some(one, first, parts), load_some(other, second, parts), false,
                      parts);
        }
    }
}
static void turn_tile(char *tile) {
    vu32 x[16];
    memcpy(x, tile, sizeof x);
    v_turn_u32(x);
    memcpy(tile, x, sizeof x);
}

/* One step of a panel of SIDE lines (rows of A, columns of B), in tiles of [line][pair of summands]
 * or [pair of summands][line] (pairs), the lines `line` bytes apart and summands `step`. */
WITHIN void pack_step(char *to, const char *in, int64_t lines, int64_t k, int64_t line,
                      int64_t step, const bool pairs, const int parts) {
    const int64_t item = bytes_of(parts);
    char square[TILE_ROWS * DEPTH * 4];
    for (int64_t l = 0; l < SIDE && l < lines; l += TILE_ROWS, to += TILE_BYTES) {
        const char *at = in + l * line;
        const int64_t some = lines - l;
        if (step == item) {
            put_lines(to, at, some, k, line, parts);
        } else if (line == item) {
            put_columns(to, at, some, k, step, parts);
        } else { /* copied, for nobody can say how long it is from one to the next */
            for (int64_t i = 0; i < TILE_ROWS && i < some; i++)
                for (int64_t p = 0; p < DEPTH && p < k; p++)
                    memcpy(square + (i * DEPTH + p) * item, at + i * line + p * step, (size_t)item);
            put_lines(to, square, some, k, DEPTH * item, parts);
        }
        if ((line == item && step != item) != pairs)
            for (int q = 0; q < parts; q++) turn_tile(to + q * STEP_BYTES);
    }
}
/* Panels one behind the other, of all lines. What lies one behind the other is read so. */
WITHIN void pack_panels(char *to, const char *in, int64_t lines, int64_t k, int64_t line,
                        int64_t step, const bool pairs, const int parts) {
    const int64_t each = parts * STEP_BYTES, panel = steps_of(k) * each;
    if (step == bytes_of(parts)) {
        for (int64_t l = 0; l < lines; l += SIDE)
            for (int64_t p = 0; p < k; p += DEPTH, to += each)
                pack_step(to, in + l * line + p * step, lines - l, k - p, line, step, pairs, parts);
        return;
    }
    for (int64_t p = 0; p < k; p += DEPTH, to += each)
        for (int64_t l = 0; l < lines; l += SIDE)
            pack_step(to + l / SIDE * panel, in + l * line + p * step, lines - l, k - p, line, step,
                      pairs, parts);
}
/* The two operands: rows of A and columns of B. */
typedef void pack_operand(char *to, const char *in, int64_t lines, int64_t k, int64_t line,
                          int64_t step);
#define PACKING(parts)                                                                             \
    static APART void rows_of_##parts(char *to, const char *in, int64_t lines, int64_t k,          \
                                      int64_t line, int64_t step) {                                \
        pack_panels(to, in, lines, k, line, step, false, parts);                                   \
    }
#define PACKING_COLUMNS(parts)                                                                     \
    static APART void columns_of_##parts(char *to, const char *in, int64_t lines, int64_t k,       \
                                         int64_t line, int64_t step) {                             \
        pack_panels(to, in, lines, k, line, step, true, parts);                                    \
    }
PACKING(1)
PACKING(2)
PACKING(3)
PACKING_COLUMNS(1)
PACKING_COLUMNS(2)
PACKING_COLUMNS(3)
#undef PACKING
#undef PACKING_COLUMNS

/* Numbers of complex64 as two each: rows of A as they lie, and for each column of B two, which make
 * the real and the imaginary part of the same rows. Lines, summands and steps are of halves of
 * numbers. */
static APART void rows_of_complex(char *to, const char *in, int64_t lines, int64_t k, int64_t line,
                                  int64_t step) {
    char square[TILE_ROWS * DEPTH * 4];
    if (step == 4) {
        rows_of_3(to, in, lines, k, line, step);
        return;
    }
    const int64_t each = 3 * STEP_BYTES, panel = steps_of(k) * each;
    for (int64_t p = 0; p < k; p += DEPTH, to += each)
        for (int64_t l = 0; l < lines; l += TILE_ROWS) {
            const char *const at = in + l * line + p * step;
            for (int64_t i = 0; i < TILE_ROWS && l + i < lines; i++)
                for (int64_t q = 0; q < DEPTH && p + q < k; q += 2)
                    memcpy(square + (i * DEPTH + q) * 4, at + i * line + q * step, 8);
            put_lines(to + l / SIDE * panel + l % SIDE / TILE_ROWS * TILE_BYTES, square, lines - l,
                      k - p, DEPTH * 4, 3);
        }
}
static APART void columns_of_complex(char *to, const char *in, int64_t lines, int64_t k,
                                     int64_t line, int64_t step) {
    const vu32 minus = {1u << 31, 0, 1u << 31, 0, 1u << 31, 0, 1u << 31, 0,
                        1u << 31, 0, 1u << 31, 0, 1u << 31, 0, 1u << 31, 0};
    char square[TILE_ROWS * 64];
    const int64_t each = 3 * STEP_BYTES, panel = steps_of(k) * each;
    for (int64_t p = 0; p < k; p += DEPTH, to += each)
        for (int64_t l = 0; l < lines; l += TILE_ROWS) {
            char *const tile = to + l / SIDE * panel + l % SIDE / TILE_ROWS * TILE_BYTES;
            const char *at = in + l * line + p * step;
            const __mmask16 there = (__mmask16)loop_first(lines - l);
            int64_t next = 2 * step;
            if (line != 4) {
                for (int64_t q = 0; q < DEPTH && p + q < k; q += 2)
                    for (int64_t i = 0; i < TILE_ROWS && l + i < lines; i += 2)
                        memcpy(square + q * 32 + i * 4, at + i * line + q * step, 8);
                at = square, next = 64;
            }
            const char *const own = at;
            for (int64_t q = 0; q < DEPTH; q += 2, at += next) {
                const bool exists = p + q < k;
                const vf32 x = load_some(exists ? at : own, exists ? there : 0, 3);
                put_parts(tile + q * 32, x, (vf32)((vu32)v_swap_f32(x) ^ minus), false, 3);
            }
        }
}
#undef WITHIN

/* ---- which float32 and float16 may be split -------------------------------------------------- */

/* The least magnitude but 0, less one (0 has none), and the largest, as bits. */
static void widen_span(uint32_t span[2], const char *x, int64_t n, int64_t step, const int parts) {
    const int64_t item = bytes_of(parts);
    const uint32_t size = parts == 3 ? 0x7fffffff : 0x7fff;
    vu32 least = (vu32){0} + span[0], most = (vu32){0} + span[1];
    int64_t i = 0;
    for (; step == item && i + W32 <= n; i += W32) {
        const char *const p = x + i * item;
        const vu32 v =
            parts == 3 ? (vu32)_mm512_loadu_si512(p) & size
                       : (vu32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p)) & size;
        least = (vu32)_mm512_min_epu32((__m512i)least, (__m512i)(v - 1));
        most = (vu32)_mm512_max_epu32((__m512i)most, (__m512i)v);
    }
    span[0] = _mm512_reduce_min_epu32((__m512i)least);
    span[1] = _mm512_reduce_max_epu32((__m512i)most);
    for (; i < n; i++) {
        uint32_t bits = 0;
        memcpy(&bits, x + i * step, (size_t)item);
        bits &= size;
        if (bits - 1 < span[0]) span[0] = bits - 1;
        if (bits > span[1]) span[1] = bits;
    }
}
static void span_f32(uint32_t span[2], const char *x, int64_t n, int64_t step) {
    widen_span(span, x, n, step, 3);
}
static void span_c64(uint32_t span[2], const char *x, int64_t n, int64_t step) {
    if (step == 8) {
        span_f32(span, x, 2 * n, 4);
        return;
    }
    span_f32(span, x, n, step);
    span_f32(span, x + 4, n, step);
}
static void span_f16(uint32_t span[2], const char *x, int64_t n, int64_t step) {
    widen_span(span, x, n, step, 2);
}

/* Finite numbers, neither so large that a sum or a rounded part could overflow nor so small that a
 * part or a product of two could fall below the least normal number, which counts as 0. */
static bool fits_f32(const uint32_t a[2], const uint32_t b[2], int64_t k) {
    float bound[4];
    const uint32_t bits[4] = {a[0] + 1, b[0] + 1, a[1], b[1]};
    memcpy(bound, bits, sizeof bound);
    const double least_a = a[0] + 1 ? (double)bound[0] : 1,
                 least_b = b[0] + 1 ? (double)bound[1] : 1;
    const double most_a = (double)bound[2], most_b = (double)bound[3];
    return least_a >= 0x1p-100 && least_b >= 0x1p-100 && least_a * least_b >= 0x1p-100 &&
           most_a <= 0x1p126 && most_b <= 0x1p126 && most_a * most_b * (double)k <= 0x1p126;
}
static bool fits_f16(const uint32_t a[2], const uint32_t b[2], int64_t k) {
    (void)k;
    return a[1] < 0x7c00 && b[1] < 0x7c00;
}
