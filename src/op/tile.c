/* Tiles made dense: turned over, spread or repeated, by element size. When to do so is the
 * iterator's affair. */
#include "op/tile.h"

#include "op/op.h"

#include <string.h>

typedef uint16_t __attribute__((may_alias)) item_2;
typedef uint32_t __attribute__((may_alias)) item_4;
typedef uint64_t __attribute__((may_alias)) item_8;
typedef struct item_16 {
    uint64_t half[2];
} __attribute__((may_alias)) item_16;

/* Elements are read along the far dim, which is the one without holes in memory. */
static void gather_1(char *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++) to[r * n + i] = from[r * far];
}

static void gather_2(item_2 *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_2 *)(const void *)(from + r * far);
}

static void gather_4(item_4 *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_4 *)(const void *)(from + r * far);
}

static void gather_8(item_8 *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_8 *)(const void *)(from + r * far);
}

static void gather_16(item_16 *to, const char *from, int64_t near, int64_t far, int64_t n,
                      int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_16 *)(const void *)(from + r * far);
}

nomen__loop *nomen__mover(const char *kernel, int64_t bytes) {
    static const nomen_dtype moved[] = {NOMEN_U8, NOMEN_I16, NOMEN_I32, NOMEN_I64, NOMEN_C128};
    for (int k = 0; k < (int)NOMEN_COUNT(moved); k++) {
        if (nomen__item(moved[k]) != bytes) continue;
        const nomen__kernel *found = nomen__kernel_find(kernel, moved[k]);
        return found ? found->loop : NULL;
    }
    return NULL;
}

void nomen__turn_tile(char *to, int64_t to_row, const char *from, int64_t near, int64_t n,
                      int64_t rows, int64_t item) {
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    const int64_t fewest = nomen__turn_fewest(item);
    if (n < fewest || rows < fewest) /* row by row: stores that follow each other are one */
        nomen__copy_few(ptr, (const int64_t[2]){item, near}, (const int64_t[2]){to_row, item}, n,
                        rows, item);
    else
        nomen__mover("turn", item)(ptr, (const int64_t[3]){to_row, near, rows}, n);
}

void nomen__copy_lagging(char *to, const char *from, int64_t bytes) {
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    nomen__copy_loop(NOMEN_U8)(ptr, (const int64_t[2]){1, 1}, bytes);
}

void nomen__reverse_rows(char *to, int64_t to_row, const char *last, int64_t from_row, int64_t n,
                         int64_t rows, int64_t item) {
    char *const ptr[2] = {to, (char *)(uintptr_t)(last - (n - 1) * item)}; /* only read */
    nomen__mover("reverse", item)(ptr, (const int64_t[3]){to_row, from_row, rows}, n);
}

/* As many words as told, the last of which begins where it fits, so that none of them asks whether
 * it is the last. (Words of more than 16 bytes lie across lines of the cache, and take longer.) */
static inline __attribute__((always_inline)) void
copy_words(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
           int64_t bytes, const int64_t word, const int64_t words) {
    for (int64_t r = 0; r < rows; r++, to += to_row, from += from_row) {
#pragma GCC unroll 16
        for (int64_t k = 0; k < words - 1; k++)
            memcpy(to + word * k, from + word * k, (size_t)word);
        memcpy(to + bytes - word, from + bytes - word, (size_t)word);
    }
}

/* Rows without gaps, from the last to the first: each in a word that takes some bytes of the row
 * before it along, which the next one is written over. */
static inline __attribute__((always_inline)) void
reverse_over(char *to, const char *from, int64_t rows, int64_t bytes, const int64_t word) {
    memcpy(to, from, (size_t)bytes); /* behind it there is no row */
    for (int64_t r = 1; r < rows - 1; r++) memcpy(to + r * bytes, from - r * bytes, (size_t)word);
    memcpy(to + (rows - 1) * bytes, from - (rows - 1) * bytes, (size_t)bytes);
}

/* Apart, so that each loop begins where lines of instructions do. */
typedef void row_copy(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t bytes);
#define ROW_COPY(word, words)                                                                      \
    static __attribute__((noinline)) void copy_##word##_##words(                                   \
        char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,                \
        int64_t bytes) {                                                                           \
        copy_words(to, to_row, from, from_row, rows, bytes, word, words);                          \
    }
ROW_COPY(1, 1)
ROW_COPY(2, 1)
ROW_COPY(2, 2)
ROW_COPY(4, 1)
ROW_COPY(4, 2)
ROW_COPY(8, 1)
ROW_COPY(8, 2)
ROW_COPY(16, 1)
ROW_COPY(16, 2)
ROW_COPY(16, 3)
ROW_COPY(16, 4)
ROW_COPY(16, 5)
ROW_COPY(16, 6)
ROW_COPY(16, 7)
ROW_COPY(16, 8)
ROW_COPY(16, 9)
ROW_COPY(16, 10)
ROW_COPY(16, 11)
ROW_COPY(16, 12)
ROW_COPY(16, 13)
ROW_COPY(16, 14)
ROW_COPY(16, 15)
ROW_COPY(16, 16)

void nomen__copy_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t bytes) {
    enum { FEW = 256 };
    static row_copy *const by_words[] = {copy_16_1,  copy_16_2,  copy_16_3,  copy_16_4,
                                         copy_16_5,  copy_16_6,  copy_16_7,  copy_16_8,
                                         copy_16_9,  copy_16_10, copy_16_11, copy_16_12,
                                         copy_16_13, copy_16_14, copy_16_15, copy_16_16};
    static row_copy *const by_word[][2] = {
        {copy_1_1}, {copy_2_1, copy_2_2}, {copy_4_1, copy_4_2}, {copy_8_1, copy_8_2}};
    const int word = (bytes >= 2) + (bytes >= 4) + (bytes >= 8);
    if (from_row == -bytes && to_row == bytes && bytes == 1 << word) { /* elements in reverse */
        char *const ptr[2] = {to, (char *)(uintptr_t)from};            /* only read */
        nomen__mover("copy", bytes)(ptr, (const int64_t[2]){to_row, from_row}, rows);
    } else if (from_row == -bytes && to_row == bytes && bytes < 16) {
        if (bytes > 8)
            reverse_over(to, from, rows, bytes, 16);
        else if (bytes > 4)
            reverse_over(to, from, rows, bytes, 8);
        else
            reverse_over(to, from, rows, bytes, 4);
    } else if (bytes > FEW)
        for (int64_t r = 0; r < rows; r++)
            nomen__copy_block(to + r * to_row, from + r * from_row, bytes);
    else if (bytes >= 16)
        by_words[(bytes - 1) / 16](to, to_row, from, from_row, rows, bytes);
    else
        by_word[word][bytes > 1 << word](to, to_row, from, from_row, rows, bytes);
}

/* ---- rows of a few elements with holes ------------------------------------------------------- */

typedef struct few_rows {
    char *to;
    const char *from;
    int64_t to_near, from_near, to_far, from_far, rows;
} few_rows;

/* n and item are known to the compiler, but for long rows. */
static inline __attribute__((always_inline)) void
move_row(char *to, const char *from, const few_rows *f, int64_t n, int64_t item) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * f->to_near, from + i * f->from_near, (size_t)item);
}

static inline __attribute__((always_inline)) void move_each(few_rows f, int64_t n, int64_t item) {
    for (int64_t r = 0; r < f.rows; r++, f.to += f.to_far, f.from += f.from_far)
        move_row(f.to, f.from, &f, n, item);
}

static inline __attribute__((always_inline)) void move_few(few_rows f, int64_t n, int64_t item) {
    switch (n) {
    case 2: move_each(f, 2, item); break;
    case 3: move_each(f, 3, item); break;
    case 4: move_each(f, 4, item); break;
    case 8: move_each(f, 8, item); break;
    default: move_each(f, n, item); break;
    }
}

void nomen__copy_few(char *const ptr[2], const int64_t near[2], const int64_t far[2], int64_t n,
                     int64_t rows, int64_t item) {
    const few_rows f = {ptr[0], ptr[1], near[0], near[1], far[0], far[1], rows};
    switch (item) {
    case 1: move_few(f, n, 1); break;
    case 2: move_few(f, n, 2); break;
    case 4: move_few(f, n, 4); break;
    case 8: move_few(f, n, 8); break;
    default: move_few(f, n, 16); break;
    }
}

/* ---- elements and rows again and again ----------------------------------------------------------
 */

void nomen__spread_rows(char *to, int64_t to_row, const char *from, int64_t far, int64_t n,
                        int64_t rows, int64_t item) {
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    nomen__mover("spread", item)(ptr, (const int64_t[3]){n * item, far, to_row}, rows);
}

/* What is there is written again behind it, until it is enough. */
static void repeat(char *to, const char *from, int64_t near, int64_t n, int64_t rows,
                   int64_t item) {
    const int64_t whole = n * rows * item;
    int64_t done = n * item;
    nomen__copy_rows(to, item, from, near, near == item ? 1 : n, near == item ? done : item);
    for (; done < whole; done *= 2)
        memcpy(to + done, to, (size_t)(done < whole - done ? done : whole - done));
}

void nomen__tile_gather(char *to, const char *from, int64_t near, int64_t far, int64_t n,
                        int64_t rows, int64_t item) {
    void *out = to; /* a buffer aligned for every element */
    if (near == 0) {
        nomen__spread_rows(to, n * item, from, far, n, rows, item);
        return;
    } else if (far == 0) {
        repeat(to, from, near, n, rows, item);
        return;
    } else if (near == item) {
        nomen__copy_rows(to, n * item, from, far, rows, n * item);
        return;
    } else if (far == item) {
        nomen__turn_tile(to, n * item, from, near, n, rows, item);
        return;
    }
    switch (item) {
    case 1: gather_1(to, from, near, far, n, rows); break;
    case 2: gather_2(out, from, near, far, n, rows); break;
    case 4: gather_4(out, from, near, far, n, rows); break;
    case 8: gather_8(out, from, near, far, n, rows); break;
    default: gather_16(out, from, near, far, n, rows); break;
    }
}
