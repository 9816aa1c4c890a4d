/* Tiles made dense: turned over, spread or repeated, by element size. When to do so is the
 * iterator's affair. */
#include "op/tile.h"

#include "op/op.h"

#include <stdlib.h>
#include <string.h>

nomen__loop *nomen__mover(const char *kernel, int64_t bytes) {
    static const nomen_dtype moved[] = {NOMEN_U8, NOMEN_I16, NOMEN_I32, NOMEN_I64, NOMEN_C128};
    for (int k = 0; k < (int)NOMEN_COUNT(moved); k++) {
        if (nomen__item(moved[k]) != bytes) continue;
        const nomen__kernel *found = nomen__kernel_find(kernel, moved[k]);
        return found ? found->loop : NULL;
    }
    return NULL;
}

enum { LINE = 64, TAKEN = 16384 /* bytes that are made dense at a time */ };

/* Rows of a few elements, each of which has a line of its own in `from`. */
static bool are_woven(int64_t to_row, int64_t n, int64_t rows, int64_t item) {
    enum { LEAST = 16 /* rows that are worth it */, LARGEST = 8 /* bytes of an element */ };
    return n > 1 && n <= NOMEN__WOVEN && to_row == n * item && rows >= LEAST && item <= LARGEST;
}
static void weave_rows(char *to, char *from, int64_t near, int64_t n, int64_t rows, int64_t item) {
    char *ptr[NOMEN__WOVEN + 1] = {to};
    for (int64_t i = 0; i < n; i++) ptr[i + 1] = from + i * near;
    nomen__mover("weave", item)(ptr, &n, rows);
}

/* The same of lines whose elements lie `step` apart. */
static void weave_stepped(char *to, char *from, int64_t near, int64_t step, int64_t n, int64_t rows,
                          int64_t item) {
    _Alignas(64) char taken[TAKEN];
    nomen__loop *const copy = nomen__mover("copy", item);
    const int64_t most = TAKEN / item / n;
    for (int64_t r = 0, some; r < rows; r += some) {
        some = rows - r < most ? rows - r : most;
        for (int64_t i = 0; i < n; i++)
            copy((char *const[]){taken + i * some * item, from + i * near + r * step},
                 (const int64_t[]){item, step}, some);
        weave_rows(to + r * n * item, taken, some * item, n, some, item);
    }
}

void nomen__turn_tile(char *to, int64_t to_row, const char *from, int64_t near, int64_t n,
                      int64_t rows, int64_t item) {
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    const int64_t fewest = nomen__turn_fewest(item);
    if (n < NOMEN__WOVEN && n != fewest && are_woven(to_row, n, rows, item))
        weave_rows(to, ptr[1], near, n, rows, item);
    else if (n < fewest || rows < fewest) /* row by row: stores that follow each other are one */
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

/* Rows without gaps, from the last to the first: each in a word that takes some bytes of the row
 * before it along, which the next one is written over. */
static inline __attribute__((always_inline)) void
reverse_over(char *to, const char *from, int64_t rows, int64_t bytes, const int64_t word) {
    memcpy(to, from, (size_t)bytes); /* behind it there is no row */
    for (int64_t r = 1; r < rows - 1; r++) memcpy(to + r * bytes, from - r * bytes, (size_t)word);
    memcpy(to + (rows - 1) * bytes, from - (rows - 1) * bytes, (size_t)bytes);
}

/* As many words as told, the last of which begins where it fits, so that none of them asks whether
 * it is the last. */
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

/* Rows without gaps in reverse order. */
static void copy_reversed(char *to, const char *from, int64_t rows, int64_t bytes) {
    char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    if ((bytes & (bytes - 1)) == 0)                     /* elements */
        nomen__mover("copy", bytes)(ptr, (const int64_t[2]){bytes, -bytes}, rows);
    else if (bytes > 8)
        reverse_over(to, from, rows, bytes, 16);
    else if (bytes > 4)
        reverse_over(to, from, rows, bytes, 8);
    else
        reverse_over(to, from, rows, bytes, 4);
}

/* Many of more than a line of the cache are copied by a kernel, which has longer words: it takes as
 * long to find as some rows to copy. */
void nomen__copy_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t bytes) {
    enum { FEW = 256, MANY = 32, LONG = 2048 /* they may lag behind their source */ };
    static row_copy *const by_words[] = {copy_16_1,  copy_16_2,  copy_16_3,  copy_16_4,
                                         copy_16_5,  copy_16_6,  copy_16_7,  copy_16_8,
                                         copy_16_9,  copy_16_10, copy_16_11, copy_16_12,
                                         copy_16_13, copy_16_14, copy_16_15, copy_16_16};
    static row_copy *const by_word[][2] = {
        {copy_1_1}, {copy_2_1, copy_2_2}, {copy_4_1, copy_4_2}, {copy_8_1, copy_8_2}};
    const int word = (bytes >= 2) + (bytes >= 4) + (bytes >= 8);
    if (from_row == -bytes && to_row == bytes && bytes < 16) {
        copy_reversed(to, from, rows, bytes);
    } else if (rows >= MANY && bytes > LINE && bytes <= LONG && nomen__cpu_parts()) {
        char *const ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
        nomen__mover("rows", 1)(ptr, (const int64_t[3]){to_row, from_row, rows}, bytes);
    } else if (bytes > FEW) {
        for (int64_t r = 0; r < rows; r++)
            nomen__copy_block(to + r * to_row, from + r * from_row, bytes);
    } else if (bytes >= 16) {
        by_words[(bytes - 1) / 16](to, to_row, from, from_row, rows, bytes);
    } else {
        by_word[word][bytes > 1 << word](to, to_row, from, from_row, rows, bytes);
    }
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
    /* elements of a row that take no longer one by one than to be put together, and of a step that
     * shuffles make dense */
    enum { FEW = 4, NEAR = 4 };
    const few_rows f = {ptr[0], ptr[1], near[0], near[1], far[0], far[1], rows};
    const bool stepped = far[1] > item && far[1] <= NEAR * item && n > FEW && n < NOMEN__WOVEN;
    const bool weaves = far[1] == item || stepped;
    if (near[0] == item && weaves && are_woven(far[0], n, rows, item)) {
        if (far[1] == item)
            weave_rows(ptr[0], ptr[1], near[1], n, rows, item);
        else
            weave_stepped(ptr[0], ptr[1], near[1], far[1], n, rows, item);
        return;
    }
    switch (item) {
    case 1: move_few(f, n, 1); break;
    case 2: move_few(f, n, 2); break;
    case 4: move_few(f, n, 4); break;
    case 8: move_few(f, n, 8); break;
    default: move_few(f, n, 16); break;
    }
}

/* ---- elements and rows again and again ------------------------------------------------------- */

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

/* ---- blocks of any dims ---------------------------------------------------------------------- */

/* A dim of such a block: bytes from index to index of both sides. */
typedef struct block_dim {
    int64_t size, to, from;
} block_dim;

enum { CALLED = 16 }; /* elements for which a call pays */

/* Rows along dim a, one after the other along dim b. */
static void move_rows(char *to, const char *from, const block_dim *a, const block_dim *b,
                      int64_t item) {
    const int64_t near[2] = {a->to, a->from}, far[2] = {b->to, b->from};
    char *ptr[2] = {to, (char *)(uintptr_t)from}; /* only read */
    if (a->size < CALLED || (a->to != item && a->from != item)) {
        nomen__copy_few(ptr, near, far, a->size, b->size, item);
        return;
    }
    nomen__loop *const copy = nomen__mover("copy", item);
    for (int64_t r = 0; r < b->size; r++, ptr[0] += far[0], ptr[1] += far[1])
        copy(ptr, near, a->size);
}

/* Short rows with holes, on whose steps the next ones go on: some of them are taken without holes,
 * as one run, and turned over. */
static void turn_joined(char *to, const char *from, const block_dim *a, const block_dim *b,
                        int64_t item) {
    _Alignas(64) char taken[TAKEN];
    nomen__loop *const copy = nomen__mover("copy", item);
    const int64_t row = a->from / b->from, most = TAKEN / item / row;
    for (int64_t i = 0, n; i < a->size; i += n, to += n * a->to, from += n * a->from) {
        n = a->size - i < most ? a->size - i : most;
        char *const at = (char *)(uintptr_t)from; /* only read */
        copy((char *const[]){taken, at}, (const int64_t[]){item, b->from}, (n - 1) * row + b->size);
        if (b->size >= nomen__turn_fewest(item))
            nomen__turn_tile(to, b->to, taken, row * item, n, b->size, item);
        else
            for (int64_t r = 0; r < b->size; r++)
                copy((char *const[]){to + r * b->to, taken + r * item},
                     (const int64_t[]){item, row * item}, n);
    }
}

/* Neither side is without holes along b, which the input has near: rows along it are taken without
 * them, as many of them as leave room for some elements of each, and turned over. */
static void move_stepped(char *to, const char *from, const block_dim *a, const block_dim *b,
                         int64_t item) {
    enum { LONG = 4 * CALLED };
    _Alignas(64) char taken[TAKEN];
    const int64_t room = TAKEN / item, rows = a->size * LONG < room ? a->size : room / LONG,
                  most = room / rows;
    if (b->size < LONG) {
        if (a->size >= CALLED && b->from > item && a->from == b->size * b->from)
            turn_joined(to, from, a, b, item);
        else
            move_rows(to, from, b, a, item);
        return;
    }
    nomen__loop *const copy = nomen__mover("copy", item);
    for (int64_t i = 0, m; i < a->size; i += m, to += m * a->to, from += m * a->from) {
        m = a->size - i < rows ? a->size - i : rows;
        for (int64_t r = 0, n; r < b->size; r += n) {
            n = b->size - r < most ? b->size - r : most;
            const char *row = from + r * b->from;
            for (int64_t k = 0; k < m; k++, row += a->from) {
                char *const at = (char *)(uintptr_t)row; /* only read */
                copy((char *const[]){taken + k * n * item, at}, (const int64_t[]){item, b->from},
                     n);
            }
            nomen__turn_tile(to + r * b->to, b->to, taken, n * item, m, n, item);
        }
    }
}

static void move_plane(char *to, const char *from, const block_dim *a, const block_dim *b,
                       int64_t item) {
    /* long rows of which there are too few for a square */
    const bool few = b->size < nomen__turn_fewest(item) && a->size >= CALLED;
    if (a->to == item && a->from == 0)
        nomen__spread_rows(to, b->to, from, b->from, a->size, b->size, item);
    else if (a->to == item && b->from == 0 && b->to == a->size * item)
        repeat(to, from, a->from, a->size, b->size, item);
    else if (a->to == item && a->from == item)
        nomen__copy_rows(to, b->to, from, b->from, b->size, a->size * item);
    else if (a->to == item && b->from == item && !few)
        nomen__turn_tile(to, b->to, from, a->from, a->size, b->size, item);
    else if (a->from == item && b->to == item && !few)
        nomen__turn_tile(to, a->to, from, b->from, b->size, a->size, item);
    else if (a->to == item && b->size > 1 && llabs(b->from) < llabs(a->from))
        move_stepped(to, from, a, b, item);
    else
        move_rows(to, from, a, b, item);
}

/* Dims that are there, those that go on in each other as one. */
static int merge_block(const nomen__block *b, block_dim *dim) {
    int n = 0;
    for (int d = 0; d < b->ndim; d++) {
        block_dim *last = &dim[n - 1];
        if (b->size[d] == 1) continue;
        if (n && b->to[d] == last->to * last->size && b->from[d] == last->from * last->size)
            last->size *= b->size[d];
        else
            dim[n++] = (block_dim){b->size[d], b->to[d], b->from[d]};
    }
    for (int d = n; d < 2; d++) dim[d] = (block_dim){1, 0, 0};
    return n < 2 ? 2 : n;
}

/* The planes of it that are moved at a time: of dim 0, in which one side has no holes, and of the
 * one whose elements are the nearest on the other; but where these are a few elements, of the
 * longest one, since each plane is a call. */
static void choose_plane(block_dim *dim, int n, int64_t item) {
    enum { SMALL = 32, LONGER = 4 };
    const bool gathers = dim[0].to == item;
    int far = 1, longest = 1;
    for (int d = 2; d < n; d++) {
        if (llabs(gathers ? dim[d].from : dim[d].to) < llabs(gathers ? dim[far].from : dim[far].to))
            far = d;
        if (dim[d].size > dim[longest].size) longest = d;
    }
    if (dim[0].size * dim[far].size <= SMALL && dim[longest].size > LONGER * dim[far].size)
        far = longest;
    const block_dim chosen = dim[far];
    dim[far] = dim[1];
    dim[1] = chosen;
}

/* Calls `move` of a block for each place of the dims from `first` on. */
typedef void block_move(char *to, const char *from, const block_dim *dim, int64_t item);
static void move_each_of(block_move *move, char *to, const char *from, const block_dim *dim,
                         int first, int n, int64_t item) {
    int64_t index[NOMEN_MAX_DIMS];
    for (int d = first; d < n; d++) index[d] = 0;
    for (int d = first;;) {
        move(to, from, dim, item);
        for (d = first; d < n; d++) {
            to += dim[d].to;
            from += dim[d].from;
            if (++index[d] < dim[d].size) break;
            index[d] = 0;
            to -= dim[d].size * dim[d].to;
            from -= dim[d].size * dim[d].from;
        }
        if (d == n) return;
    }
}

static void move_first_plane(char *to, const char *from, const block_dim *dim, int64_t item) {
    move_plane(to, from, &dim[0], &dim[1], item);
}

/* Rows of a few elements without holes, of two dims, each of which has a line of its own. */
static bool are_rows_of_two(const block_dim *dim, int n, int64_t item) {
    const int64_t row = dim[0].size * dim[1].size;
    return n > 2 && dim[0].to == item && dim[1].to == dim[0].size * item && dim[2].from == item &&
           are_woven(dim[2].to, row, dim[2].size, item);
}
static void weave_rows_of_two(char *to, const char *from, const block_dim *dim, int64_t item) {
    char *ptr[NOMEN__WOVEN + 1] = {to}, *const in = (char *)(uintptr_t)from; /* only read */
    const int64_t row = dim[0].size, lines = row * dim[1].size;
    for (int64_t i = 0; i < lines; i++)
        ptr[i + 1] = in + i % row * dim[0].from + i / row * dim[1].from;
    nomen__mover("weave", item)(ptr, &lines, dim[2].size);
}

void nomen__move_block(char *to, const char *from, const nomen__block *b, int64_t item) {
    block_dim dim[NOMEN_MAX_DIMS];
    const int n = merge_block(b, dim);
    if (are_rows_of_two(dim, n, item)) {
        move_each_of(weave_rows_of_two, to, from, dim, 3, n, item);
        return;
    }
    if (n > 2) choose_plane(dim, n, item);
    move_each_of(move_first_plane, to, from, dim, 2, n, item);
}
