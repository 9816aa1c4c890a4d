/* Tiles made dense: turned over, spread or repeated, by element size. When to do so is the
 * iterator's affair. */
#include "op/tile.h"

#include "op/interleave.h"
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

/* ---- small squares ------------------------------------------------------------------------------
 * Elements of some rows of the source, in vectors of 16 bytes, become rows of the target by
 * rounds of pairing up. */

static inline __attribute__((always_inline)) void square_1(char *to, int64_t to_row,
                                                           const char *from, int64_t near) {
    octets r[8], t[4], u[4], v[4];
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) { /* by way of a word: a part of a vector would go to memory */
        uint64_t word;
        memcpy(&word, from + k * near, sizeof word);
        r[k] = (octets)(halves){word, 0};
    }
#pragma GCC unroll 8
    for (int k = 0; k < 4; k++) t[k] = low_1(r[k], r[k + 4]);
#pragma GCC unroll 8
    for (int k = 0; k < 2; k++) {
        u[k] = low_1(t[k], t[k + 2]);
        u[k + 2] = high_1(t[k], t[k + 2]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 2; k++) {
        v[2 * k] = low_1(u[2 * k], u[2 * k + 1]);
        v[2 * k + 1] = high_1(u[2 * k], u[2 * k + 1]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
        const uint64_t word = ((halves)v[k / 2])[k % 2];
        memcpy(to + k * to_row, &word, sizeof word);
    }
}

static inline __attribute__((always_inline)) void square_2(char *to, int64_t to_row,
                                                           const char *from, int64_t near) {
    octets r[8], t[8], u[8];
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) memcpy(&r[k], from + k * near, sizeof *r);
#pragma GCC unroll 8
    for (int k = 0; k < 4; k++) { /* t[k]: columns 0 to 3, t[k + 4]: 4 to 7 */
        t[k] = low_2(r[k], r[k + 4]);
        t[k + 4] = high_2(r[k], r[k + 4]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k += 4)
#pragma GCC unroll 8
        for (int l = 0; l < 2; l++) {
            u[k + l] = low_2(t[k + l], t[k + l + 2]);
            u[k + l + 2] = high_2(t[k + l], t[k + l + 2]);
        }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k += 2) {
        const octets low = low_2(u[k], u[k + 1]), high = high_2(u[k], u[k + 1]);
        memcpy(to + k * to_row, &low, sizeof low);
        memcpy(to + (k + 1) * to_row, &high, sizeof high);
    }
}

static inline __attribute__((always_inline)) void square_4(char *to, int64_t to_row,
                                                           const char *from, int64_t near) {
    octets r[4];
#pragma GCC unroll 8
    for (int k = 0; k < 4; k++) memcpy(&r[k], from + k * near, sizeof *r);
    const octets ac = low_4(r[0], r[2]), bd = low_4(r[1], r[3]);
    const octets ac2 = high_4(r[0], r[2]), bd2 = high_4(r[1], r[3]);
    const octets turned[4] = {low_4(ac, bd), high_4(ac, bd), low_4(ac2, bd2), high_4(ac2, bd2)};
#pragma GCC unroll 8
    for (int k = 0; k < 4; k++) memcpy(to + k * to_row, &turned[k], sizeof *turned);
}

static inline __attribute__((always_inline)) void square_8(char *to, int64_t to_row,
                                                           const char *from, int64_t near) {
    octets a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + near, sizeof b);
    const octets low = low_8(a, b), high = high_8(a, b);
    memcpy(to, &low, sizeof low);
    memcpy(to + to_row, &high, sizeof high);
}

static inline __attribute__((always_inline)) void square_16(char *to, int64_t to_row,
                                                            const char *from, int64_t near) {
    (void)to_row, (void)near;
    memcpy(to, from, 16);
}

/* Fewer than a square. */
static void move_few_rows(char *to, int64_t to_row, const char *from, int64_t near, int64_t n,
                          int64_t rows, int64_t item) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + r * to_row + i * item, from + i * near + r * item, (size_t)item);
}

/* Squares of `side`, of which the last ones of a row or a column move some elements again. */
static inline __attribute__((always_inline)) void
move_squares(char *to, int64_t to_row, const char *from, int64_t near, int64_t n, int64_t rows,
             int64_t item, int64_t side, void square(char *, int64_t, const char *, int64_t)) {
    if (n < side || rows < side) {
        move_few_rows(to, to_row, from, near, n, rows, item);
        return;
    }
    for (int64_t i = 0; i < n; i += side) {
        i = i < n - side ? i : n - side;
        for (int64_t r = 0; r < rows; r += side) {
            r = r < rows - side ? r : rows - side;
            square(to + r * to_row + i * item, to_row, from + i * near + r * item, near);
        }
    }
}

/* Where far is one element. */
static void move(char *to, int64_t to_row, const char *from, int64_t near, int64_t n, int64_t rows,
                 int64_t item) {
    switch (item) {
    case 1: move_squares(to, to_row, from, near, n, rows, 1, 8, square_1); break;
    case 2: move_squares(to, to_row, from, near, n, rows, 2, 8, square_2); break;
    case 4: move_squares(to, to_row, from, near, n, rows, 4, 4, square_4); break;
    case 8: move_squares(to, to_row, from, near, n, rows, 8, 2, square_8); break;
    default: move_squares(to, to_row, from, near, n, rows, 16, 1, square_16); break;
    }
}

void nomen__copy_lagging(char *to, const char *from, int64_t bytes) {
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    nomen__copy_loop(NOMEN_U8)(ptr, (const int64_t[2]){1, 1}, bytes);
}

/* Words, the last of which begins where it fits: rows have at least as many bytes. */
static inline __attribute__((always_inline)) void copy_words(char *to, int64_t to_row,
                                                             const char *from, int64_t from_row,
                                                             int64_t rows, int64_t bytes,
                                                             int64_t word) {
    for (int64_t r = 0; r < rows; r++, to += to_row, from += from_row) {
        for (int64_t at = 0; at < bytes - word; at += word)
            memcpy(to + at, from + at, (size_t)word);
        memcpy(to + bytes - word, from + bytes - word, (size_t)word);
    }
}

void nomen__copy_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t bytes) {
    enum { FEW = 128 };
    if (bytes > FEW)
        for (int64_t r = 0; r < rows; r++)
            nomen__copy_block(to + r * to_row, from + r * from_row, bytes);
    else if (bytes >= 16)
        copy_words(to, to_row, from, from_row, rows, bytes, 16);
    else if (bytes >= 8)
        copy_words(to, to_row, from, from_row, rows, bytes, 8);
    else if (bytes >= 4)
        copy_words(to, to_row, from, from_row, rows, bytes, 4);
    else
        for (int64_t r = 0; r < rows; r++)
            for (int64_t at = 0; at < bytes; at++) to[r * to_row + at] = from[r * from_row + at];
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

void nomen__spread_rows(char *to, const char *from, int64_t far, int64_t n, int64_t rows,
                        int64_t item) {
    const nomen_dtype of_size = item == 1   ? NOMEN_U8
                                : item == 2 ? NOMEN_I16
                                : item == 4 ? NOMEN_I32
                                : item == 8 ? NOMEN_I64
                                            : NOMEN_C128;
    nomen__loop *const loop = nomen__kernel_find("spread", of_size)->loop;
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    loop(ptr, (const int64_t[2]){n * item, far}, rows);
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
        nomen__spread_rows(to, from, far, n, rows, item);
        return;
    } else if (far == 0) {
        repeat(to, from, near, n, rows, item);
        return;
    } else if (near == item) {
        nomen__copy_rows(to, n * item, from, far, rows, n * item);
        return;
    } else if (far == item) {
        move(to, n * item, from, near, n, rows, item);
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
