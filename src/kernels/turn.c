/* Kernels that move elements to other places in small squares: rows and columns of a tile change
 * places (turn), and a few lines become one, element by element (weave). Once per element size. */
#include "kernels/loops/loops.h"
#include "kernels/simd/interleave.h"

/* How many lines of the cache, each of another of n rows, are read in parts, as they stay in L1
 * until all of them has been read; 0: a line is read in one go, as all that is written stays there,
 * too. Measured on a Xeon with 48 KB of L1: of elements of 8 bytes that come from beyond L2 whole
 * lines are better, of 16 bytes wherever not all rows stay. */
static inline int64_t lines_by_parts(int64_t n, int64_t row, int64_t written, int64_t size) {
    enum { LINE = 64, LINES = 384, ENOUGH = 64, FEW = 16, FEW_OF_16 = 12, SMALL = 1 << 13 };
    const int64_t power = row & -row, stay = LINES * LINE / (power < LINE ? LINE : power);
    const int64_t most = size < 8 ? n : size == 8 ? 2 * stay : stay;
    if (size < 4 || n <= (size == 16 ? FEW_OF_16 : FEW) || written <= SMALL || n > most) return 0;
    return n <= stay || stay >= ENOUGH ? stay : 0;
}

#define BYTES 16
#define VEC   lane_u8
#include "kernels/loops/turn_squares.h"
#if VB >= 32
#define BYTES 32
#define VEC   __m256i
#include "kernels/loops/turn_squares.h"
#endif
#if VB == 64
#define BYTES 64
#define VEC   __m512i
#include "kernels/loops/turn_squares.h"
#endif

/* 8 x 8 bytes, for tiles in which there is no square of 16 x 16. */
static inline __attribute__((always_inline)) void
turn_eights(char *to, int64_t to_row, const char *const from[], int64_t at) {
    lane_u8 r[8], t[4], u[4], v[4];
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) { /* by way of a word: a part of a vector would go to memory */
        uint64_t word;
        memcpy(&word, from[k] + at, sizeof word);
        r[k] = (lane_u8)(lane_u64){word, 0};
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) t[k] = lane_low_8(r[k], r[k + 4]);
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        u[k] = lane_low_8(t[k], t[k + 2]);
        u[k + 2] = lane_high_8(t[k], t[k + 2]);
    }
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        v[2 * k] = lane_low_8(u[2 * k], u[2 * k + 1]);
        v[2 * k + 1] = lane_high_8(u[2 * k], u[2 * k + 1]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
        const uint64_t word = ((lane_u64)v[k / 2])[k % 2];
        memcpy(to + k * to_row, &word, sizeof word);
    }
}

static void turn_bytes(char *to, int64_t to_row, const char *from, int64_t near, int64_t n,
                       int64_t rows) {
    for (int64_t i = 0; i < n; i += 8) {
        i = i < n - 8 ? i : n - 8;
        const char *line[8];
        for (int k = 0; k < 8; k++) line[k] = from + (i + k) * near;
        for (int64_t r = 0; r < rows; r += 8) {
            r = r < rows - 8 ? r : rows - 8;
            turn_eights(to + r * to_row + i, to_row, line, r);
        }
    }
}

/* to[r][i] = from[i][r]. ptr: to, from; step: bytes from row to row of either, and how many rows
 * `to` has, of n elements; of both at least nomen__turn_fewest. */
static inline __attribute__((always_inline)) void turn(char *const ptr[], const int64_t step[],
                                                       int64_t n, int64_t size) {
    const int64_t rows = step[2];
    if (size == 1 && (n < 16 || rows < 16)) {
        turn_bytes(ptr[0], step[0], ptr[1], step[1], n, rows);
#if VB == 64
    } else if (n >= 64 / size) {
        turn_squares_64(ptr[0], step[0], ptr[1], step[1], n, rows, size);
#endif
#if VB >= 32
    } else if (n >= 32 / size) {
        turn_squares_32(ptr[0], step[0], ptr[1], step[1], n, rows, size);
#endif
    } else {
        turn_squares_16(ptr[0], step[0], ptr[1], step[1], n, rows, size);
    }
}
static void turn_1(char *const ptr[], const int64_t step[], int64_t n) { turn(ptr, step, n, 1); }
static void turn_2(char *const ptr[], const int64_t step[], int64_t n) { turn(ptr, step, n, 2); }
static void turn_4(char *const ptr[], const int64_t step[], int64_t n) { turn(ptr, step, n, 4); }
static void turn_8(char *const ptr[], const int64_t step[], int64_t n) { turn(ptr, step, n, 8); }
static void turn_16(char *const ptr[], const int64_t step[], int64_t n) { turn(ptr, step, n, 16); }

/* Two lines whose elements go to `to` by turns. */
static inline __attribute__((always_inline)) void zip(char *to, const char *const line[], int64_t n,
                                                      int64_t size) {
    const char *const a = line[0], *const b = line[1];
    const int64_t bytes = n * size;
    int64_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        lane_u8 x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        const lane_u8 first = low_16(x, y, size), second = high_16(x, y, size);
        memcpy(to + 2 * i, &first, sizeof first);
        memcpy(to + 2 * i + 16, &second, sizeof second);
    }
    for (; i < bytes; i += size) {
        memcpy(to + 2 * i, a + i, (size_t)size);
        memcpy(to + 2 * i + size, b + i, (size_t)size);
    }
}

/* The same of three to eight lines, n elements of each, of whole squares. `list` has as many lines
 * as a vector has room for; where these are more than there are, a store writes what the next one
 * is written over. */
static inline __attribute__((always_inline)) void
weave_whole(char *to, const char *const list[], int64_t lines, int64_t n, int64_t size) {
    const int64_t row = lines * size;
    if (size == 1) {
        for (int64_t i = 0; i < n; i += 8) turn_eights(to + i * row, row, list, i);
#if VB == 64
    } else if (row > 32) {
        weave_64(to, row, list, n, size);
#endif
#if VB >= 32
    } else if (row > 16 && row <= 32) {
        weave_32(to, row, list, n, size);
#endif
    } else if (row <= 16) {
        weave_16(to, row, list, n, size);
    } else {
        const int64_t wide = VB / size;
        for (int64_t first = 0; first < lines; first += wide) {
            first = first < lines - wide ? first : lines - wide;
            LOOP_NAME2(weave, VB)(to + first * size, row, list + first, n, size);
        }
    }
}
static inline __attribute__((always_inline)) void
weave_some(char *to, char *const ptr[], int64_t lines, int64_t n, int64_t size) {
    enum { LONGEST = 64 };
    const int64_t row = lines * size, side = size == 1 ? 8 : 16 / size;
    const char *list[NOMEN__WOVEN];
    int64_t i = n - LONGEST / row;
    for (int64_t k = 0; k < NOMEN__WOVEN; k++) list[k] = ptr[k < lines ? k : lines - 1];
    i = i < 0 ? 0 : i / side * side;
    weave_whole(to, list, lines, i, size);
    for (; i < n; i++)
        for (int64_t k = 0; k < lines; k++)
            memcpy(to + i * row + k * size, ptr[k] + i * size, (size_t)size);
}

/* Elements of some lines without holes by turns. ptr: out, and the lines; step: how many these are,
 * 2 to NOMEN__WOVEN. */
static inline __attribute__((always_inline)) void weave(char *const ptr[], const int64_t step[],
                                                        int64_t n, int64_t size) {
    switch (step[0]) {
    case 2: zip(ptr[0], (const char *const *)(ptr + 1), n, size); break;
    case 3: weave_some(ptr[0], ptr + 1, 3, n, size); break;
    case 4: weave_some(ptr[0], ptr + 1, 4, n, size); break;
    case 5: weave_some(ptr[0], ptr + 1, 5, n, size); break;
    case 6: weave_some(ptr[0], ptr + 1, 6, n, size); break;
    case 7: weave_some(ptr[0], ptr + 1, 7, n, size); break;
    default: weave_some(ptr[0], ptr + 1, 8, n, size); break;
    }
}
static void weave_1(char *const ptr[], const int64_t step[], int64_t n) { weave(ptr, step, n, 1); }
static void weave_2(char *const ptr[], const int64_t step[], int64_t n) { weave(ptr, step, n, 2); }
static void weave_4(char *const ptr[], const int64_t step[], int64_t n) { weave(ptr, step, n, 4); }
static void weave_8(char *const ptr[], const int64_t step[], int64_t n) { weave(ptr, step, n, 8); }

/* Under the integers of their size (C128: 16 bytes), which stand for all dtypes of it. */
const nomen__kernel NOMEN__TABLE(turn)[] = {
    ROW("turn", NOMEN_U8, turn_1),    ROW("turn", NOMEN_I16, turn_2),
    ROW("turn", NOMEN_I32, turn_4),   ROW("turn", NOMEN_I64, turn_8),
    ROW("turn", NOMEN_C128, turn_16), ROW("weave", NOMEN_U8, weave_1),
    ROW("weave", NOMEN_I16, weave_2), ROW("weave", NOMEN_I32, weave_4),
    ROW("weave", NOMEN_I64, weave_8), {.name = NULL},
};
