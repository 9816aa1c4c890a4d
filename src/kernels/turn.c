/* Kernels that move elements to other places in small squares: rows and columns of a tile change
 * places (turn), and two rows become one, element by element (zip). Once per element size. */
#include "kernels/loops/loops.h"
#include "kernels/simd/interleave.h"

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
static inline __attribute__((always_inline)) void turn_eights(char *to, int64_t to_row,
                                                              const char *from, int64_t near) {
    lane_u8 r[8], t[4], u[4], v[4];
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) { /* by way of a word: a part of a vector would go to memory */
        uint64_t word;
        memcpy(&word, from + k * near, sizeof word);
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
        for (int64_t r = 0; r < rows; r += 8) {
            r = r < rows - 8 ? r : rows - 8;
            turn_eights(to + r * to_row + i, to_row, from + i * near + r, near);
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

/* ptr: out, and two rows without holes whose elements go there by turns. */
static inline __attribute__((always_inline)) void zip(char *const ptr[], int64_t n, int64_t size) {
    char *to = ptr[0];
    const char *const a = ptr[1], *const b = ptr[2];
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
static void zip_1(char *const ptr[], const int64_t step[], int64_t n) {
    (void)step;
    zip(ptr, n, 1);
}
static void zip_2(char *const ptr[], const int64_t step[], int64_t n) {
    (void)step;
    zip(ptr, n, 2);
}
static void zip_4(char *const ptr[], const int64_t step[], int64_t n) {
    (void)step;
    zip(ptr, n, 4);
}
static void zip_8(char *const ptr[], const int64_t step[], int64_t n) {
    (void)step;
    zip(ptr, n, 8);
}

/* Under the integers of their size (C128: 16 bytes), which stand for all dtypes of it. */
const nomen__kernel NOMEN__TABLE(turn)[] = {
    ROW("turn", NOMEN_U8, turn_1),    ROW("turn", NOMEN_I16, turn_2),
    ROW("turn", NOMEN_I32, turn_4),   ROW("turn", NOMEN_I64, turn_8),
    ROW("turn", NOMEN_C128, turn_16), ROW("zip", NOMEN_U8, zip_1),
    ROW("zip", NOMEN_I16, zip_2),     ROW("zip", NOMEN_I32, zip_4),
    ROW("zip", NOMEN_I64, zip_8),     {.name = NULL},
};
