/* Many rows of more than 64 bytes as they are, with AVX-512 (others: copy_rows in op/tile.c): words
 * of which the last begins where it fits, so that none of them asks whether it is the last.
 * Included once, by move.c.
 *
 * Limit: the loads and stores of words. Words of 16 bytes seldom lie across two lines of the cache;
 * words of 32 take two thirds of the time all the same (rows of 136 bytes 1.0 ns for 1.4 on Zen 5;
 * on Zen 3 up to half as long again). Words of 64 are as fast, but a kernel that reads what has
 * just been copied waits for their stores; they are for longer rows, of 265 bytes 2.2 ns for 3.7 by
 * calls of the C library. */
#ifndef NOMEN_SRC_LOOPS_COPIED_ROWS_H
#define NOMEN_SRC_LOOPS_COPIED_ROWS_H

#include "kernels/loops/loops.h"

typedef struct row_copy {
    char *to;
    const char *from;
    int64_t to_row, from_row, rows, bytes;
} row_copy;

static inline __attribute__((always_inline)) void copy_words(row_copy c, const int64_t word,
                                                             const int64_t words) {
    for (int64_t r = 0; r < c.rows; r++, c.to += c.to_row, c.from += c.from_row) {
#pragma GCC unroll 16
        for (int64_t k = 0; k < words - 1; k++)
            memcpy(c.to + word * k, c.from + word * k, (size_t)word);
        memcpy(c.to + c.bytes - word, c.from + c.bytes - word, (size_t)word);
    }
}

/* Apart, so that each loop begins where lines of instructions do. */
#define COPIED_ROWS(word, words)                                                                   \
    static __attribute__((noinline)) void copy_##word##_##words(const row_copy *c) {               \
        copy_words(*c, word, words);                                                               \
    }
COPIED_ROWS(32, 3)
COPIED_ROWS(32, 4)
COPIED_ROWS(32, 5)
COPIED_ROWS(32, 6)
COPIED_ROWS(32, 7)
COPIED_ROWS(32, 8)
static __attribute__((noinline)) void copy_lines(row_copy c) {
    enum { LINE = 64 };
    const int64_t last = c.bytes - LINE;
    for (int64_t r = 0; r < c.rows; r++, c.to += c.to_row, c.from += c.from_row) {
        for (int64_t at = 0; at < last; at += LINE) memcpy(c.to + at, c.from + at, LINE);
        memcpy(c.to + last, c.from + last, LINE);
    }
}
#undef COPIED_ROWS

/* By the C library, which knows best how to copy long ones. */
static __attribute__((noinline)) void copy_long(const row_copy *c) {
    for (int64_t r = 0; r < c->rows; r++)
        memcpy(c->to + r * c->to_row, c->from + r * c->from_row, (size_t)c->bytes);
}

/* ptr: to, from; steps: bytes from row to row of both, rows; n: bytes of a row. */
static void copied_rows(char *const ptr[], const int64_t step[], int64_t n) {
    enum { FEW = 256, LONG = 512 };
    const row_copy c = {ptr[0], ptr[1], step[0], step[1], step[2], n};
    static void (*const by_words[])(const row_copy *) = {copy_32_3, copy_32_4, copy_32_5,
                                                         copy_32_6, copy_32_7, copy_32_8};
    if (n > LONG)
        copy_long(&c);
    else if (n > FEW)
        copy_lines(c);
    else
        by_words[(n - 1) / 32 - 2](&c);
}

#endif
