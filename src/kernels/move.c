/* Kernels that move elements without looking at them: copy and where, once per element size.
 * Conversions: cast.c. */
#include "kernels/loops/loops.h"
#include "kernels/simd/interleave.h"

#if VB == 64
#include "kernels/loops/copied_rows.h"
#endif

/* 16 bytes, 8, or 4, their elements of `size` bytes last to first. */
static inline __attribute__((always_inline)) lane_u8 turned_lane(lane_u8 x, int64_t size) {
#if VB > 16 /* any order of bytes is one instruction */
    if (size == 1)
        return __builtin_shufflevector(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    if (size == 2)
        return (lane_u8)__builtin_shufflevector((lane_u16)x, (lane_u16)x, 7, 6, 5, 4, 3, 2, 1, 0);
#endif
    x = (lane_u8)__builtin_shufflevector((lane_u64)x, (lane_u64)x, 1, 0);
    if (size == 1)
        x = __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    else if (size == 2)
        x = (lane_u8)__builtin_shufflevector((lane_u16)x, (lane_u16)x, 3, 2, 1, 0, 7, 6, 5, 4);
    else if (size == 4)
        x = (lane_u8)__builtin_shufflevector((lane_u32)x, (lane_u32)x, 1, 0, 3, 2);
    return x;
}
static inline __attribute__((always_inline)) void reverse_16(char *to, const char *from,
                                                             int64_t size) {
    lane_u8 x;
    memcpy(&x, from, sizeof x);
    x = turned_lane(x, size);
    memcpy(to, &x, sizeof x);
}
static inline __attribute__((always_inline)) void reverse_8(char *to, const char *from,
                                                            int64_t size) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    word = ((lane_u64)turned_lane((lane_u8)(lane_u64){0, word}, size))[0];
    memcpy(to, &word, sizeof word);
}
static inline __attribute__((always_inline)) void reverse_4(char *to, const char *from,
                                                            int64_t size) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    word = size == 1 ? __builtin_bswap32(word) : word << 16 | word >> 16;
    memcpy(to, &word, sizeof word);
}

#define T  uint8_t
#define FN where_1
#include "kernels/loops/where.h"
#undef FN
#define FN reversed_1
#include "kernels/loops/reversed.h"
#undef FN
#undef T

#define T  loop_2
#define FN where_2
#include "kernels/loops/where.h"
#undef FN
#define FN reversed_2
#include "kernels/loops/reversed.h"
#undef FN
#undef T

#define T  loop_4
#define FN where_4
#include "kernels/loops/where.h"
#undef FN
#define FN reversed_4
#include "kernels/loops/reversed.h"
#undef FN
#undef T

#define T  loop_8
#define FN where_8
#include "kernels/loops/where.h"
#undef FN
#define FN reversed_8
#include "kernels/loops/reversed.h"
#undef FN
#undef T

/* As two words: these are chosen between without a branch. */
typedef struct pair_16 {
    uint64_t half[2];
} __attribute__((may_alias)) pair_16;
#define T  pair_16
#define FN where_16
#include "kernels/loops/where.h"
#undef FN
#undef T

/* By vectors: as two words an element takes twice the loads and stores, and compilers see no more
 * in it. */
static inline vu64 turned_16(vu64 x) {
#if VB == 64
    return __builtin_shufflevector(x, x, 6, 7, 4, 5, 2, 3, 0, 1);
#elif VB == 32
    return __builtin_shufflevector(x, x, 2, 3, 0, 1);
#else
    return x;
#endif
}
static void reversed_16(char *out, const char *first, int64_t n) {
    const char *from = first + 16 * n;
    vu64 x;
    for (; n >= VB / 16; n -= VB / 16, out += VB) {
        from -= VB;
        memcpy(&x, from, sizeof x);
        x = turned_16(x);
        memcpy(out, &x, sizeof x);
    }
    for (; n > 0; n--, out += 16) memcpy(out, from -= 16, 16);
}
static void reversed_16_all(char *const ptr[], const int64_t step[], int64_t n) {
    for (int64_t r = 0; r < step[2]; r++)
        reversed_16(ptr[0] + r * step[0], ptr[1] + r * step[1], n);
}

/* As bits: nothing that floats go through may change them. */
static inline void move_vector(char *o, const char *a) {
    vu32 x;
    memcpy(&x, a, sizeof x);
    memcpy(o, &x, sizeof x);
}

/* The C library knows best how to copy large blocks (non-temporal stores, rep movsb). Blocks that
 * have just been in cache, rows of something larger mostly, take a seventh less in a plain loop,
 * and targets just behind their source in its page a twentieth. */
static inline void copy_run(char *o, const char *a, int64_t bytes) {
    enum { FEWEST = 8 * VB, MOST = 16384 };
    if (bytes < FEWEST || (bytes > MOST && !nomen__lags(o, a))) {
        memcpy(o, a, (size_t)bytes);
        return;
    }
    LOOP_TWICE
    for (int64_t i = 0; i + VB <= bytes; i += VB) move_vector(o + i, a + i);
    move_vector(o + bytes - VB, a + bytes - VB); /* some of them once more */
}

/* One element to many places. */
static inline void spread(char *o, const char *a, int64_t step, int64_t n, size_t size) {
    enum { BLOCK = 1024 };
    char block[BLOCK] __attribute__((aligned(16)));
    const int64_t most = n < BLOCK / (int64_t)size ? n : BLOCK / (int64_t)size;
    loop_take(block, a, 0, most, size);
    for (int64_t k; n > 0; n -= k, o += k * step) {
        k = n < most ? n : most;
        loop_give(block, o, step, k, size);
    }
}

/* Bytes that are all the same, above all zeros: the C library has instructions for these, which
 * write to L2 in two thirds of the time of a loop. */
static inline bool is_one_byte(const char *a, int64_t size) {
    return size == 1 || memcmp(a, a + 1, (size_t)size - 1) == 0;
}

/* From some places to others, four at a time: blocks would be stored and loaded once more. */
static inline __attribute__((always_inline)) void walk(char *o, int64_t out, const char *a,
                                                       int64_t in, int64_t n, int64_t size) {
    for (; n >= 4; n -= 4, a += 4 * in, o += 4 * out) {
        char four[4][16];
        for (int i = 0; i < 4; i++) memcpy(four[i], a + i * in, (size_t)size);
        for (int i = 0; i < 4; i++) memcpy(o + i * out, four[i], (size_t)size);
    }
    for (; n > 0; n--, a += in, o += out) memcpy(o, a, (size_t)size);
}

/* A vector of nothing but that element. */
static inline __attribute__((always_inline)) vu32 repeated(const char *a, int64_t size) {
    char x[VB];
    for (int i = 0; i < VB; i += (int)size) memcpy(x + i, a, (size_t)size);
    vu32 all;
    memcpy(&all, x, sizeof all);
    return all;
}

/* One element to many places side by side, the last of them once more. */
static inline __attribute__((always_inline)) void fill(char *o, const char *a, int64_t n,
                                                       int64_t size) {
    const int64_t bytes = n * size;
    if (bytes < VB) {
        for (int64_t i = 0; i < bytes; i += size) memcpy(o + i, a, (size_t)size);
        return;
    }
    const vu32 x = repeated(a, size);
    LOOP_TWICE
    for (int64_t i = 0; i + VB <= bytes; i += VB) memcpy(o + i, &x, sizeof x);
    memcpy(o + bytes - VB, &x, sizeof x);
}

static inline __attribute__((always_inline)) void
copy(char *const ptr[], const int64_t step[], int64_t n, int64_t size,
     void (*reversed)(char *, const char *, int64_t)) {
    if (step[0] == size && step[1] == size) {
        if (n > 0 && ptr[0] != ptr[1]) copy_run(ptr[0], ptr[1], n * size);
    } else if (step[0] == size && step[1] == -size && n > 0) {
        reversed(ptr[0], ptr[1] - (n - 1) * size, n);
    } else if (step[0] == size && step[1] == 0 && n > 0 && is_one_byte(ptr[1], size)) {
        memset(ptr[0], *ptr[1], (size_t)(n * size));
    } else if (step[0] == size && step[1]) {
        loop_take(ptr[0], ptr[1], step[1], n, (size_t)size);
    } else if (step[1] == size && step[0]) {
        loop_give(ptr[1], ptr[0], step[0], n, (size_t)size);
    } else if (step[1] == 0 && step[0] != size && n > 0) {
        spread(ptr[0], ptr[1], step[0], n, (size_t)size);
    } else if (step[1]) {
        walk(ptr[0], step[0], ptr[1], step[1], n, size);
    } else if (n > 0) {
        fill(ptr[0], ptr[1], n, size);
    }
}
static void copy_1(char *const ptr[], const int64_t step[], int64_t n) {
    copy(ptr, step, n, 1, reversed_1);
}
static void copy_2(char *const ptr[], const int64_t step[], int64_t n) {
    copy(ptr, step, n, 2, reversed_2);
}
static void copy_4(char *const ptr[], const int64_t step[], int64_t n) {
    copy(ptr, step, n, 4, reversed_4);
}
static void copy_8(char *const ptr[], const int64_t step[], int64_t n) {
    copy(ptr, step, n, 8, reversed_8);
}
static void copy_16(char *const ptr[], const int64_t step[], int64_t n) {
    copy(ptr, step, n, 16, reversed_16);
}

/* One number in L2: a loop of vectors that are lines of the cache takes four fifths of the time
 * that the C library's instructions take there (Zen 5), where vectors are shorter half as long
 * again. */
#if VB == 64
#define FILL(size)                                                                                 \
    static void fill_##size(char *const ptr[], const int64_t step[], int64_t n) {                  \
        (void)step;                                                                                \
        fill(ptr[0], ptr[1], n, size);                                                             \
    }
FILL(1)
FILL(2)
FILL(4)
FILL(8)
FILL(16)
#undef FILL
#else
#define fill_1  copy_1
#define fill_2  copy_2
#define fill_4  copy_4
#define fill_8  copy_8
#define fill_16 copy_16
#endif

#define ROW_CAST(enumerator, function)                                                             \
    {.name = "cast", .dtype = enumerator, .to = enumerator, .loop = function}
#define ROW_WHERE(enumerator, function)                                                            \
    {.name = "where", .dtype = enumerator, .first = NOMEN_BOOL, .loop = function}
/* Integers are whole already. */
#define ROWS_WHOLE(enumerator, size)                                                               \
    ROW("floor", enumerator, copy_##size), ROW("ceil", enumerator, copy_##size),                   \
        ROW("trunc", enumerator, copy_##size), ROW("round", enumerator, copy_##size)
#define ROWS_MOVE(enumerator, size)                                                                \
    ROW("copy", enumerator, copy_##size), ROW_WHERE(enumerator, where_##size),                     \
        ROW_CAST(enumerator, copy_##size)

const nomen__kernel NOMEN__TABLE(move)[] = {
    ROWS_MOVE(NOMEN_BOOL, 1),
    ROWS_MOVE(NOMEN_U8, 1),
    ROWS_MOVE(NOMEN_I8, 1),
    ROWS_MOVE(NOMEN_I16, 2),
    ROWS_MOVE(NOMEN_I32, 4),
    ROWS_MOVE(NOMEN_I64, 8),
    ROWS_MOVE(NOMEN_F16, 2),
    ROWS_MOVE(NOMEN_BF16, 2),
    ROWS_MOVE(NOMEN_F32, 4),
    ROWS_MOVE(NOMEN_F64, 8),
    ROWS_MOVE(NOMEN_C64, 8),
    ROWS_MOVE(NOMEN_C128, 16),
    ROWS_WHOLE(NOMEN_U8, 1),
    ROWS_WHOLE(NOMEN_I8, 1),
    ROWS_WHOLE(NOMEN_I16, 2),
    ROWS_WHOLE(NOMEN_I32, 4),
    ROWS_WHOLE(NOMEN_I64, 8),
    /* under the integers of their size, as in turn.c */
    ROW("reverse", NOMEN_U8, reversed_1_all),
    ROW("reverse", NOMEN_I16, reversed_2_all),
    ROW("reverse", NOMEN_I32, reversed_4_all),
    ROW("reverse", NOMEN_I64, reversed_8_all),
    ROW("reverse", NOMEN_C128, reversed_16_all),
#if VB == 64
    ROW("rows", NOMEN_U8, copied_rows),
#endif
    ROW("fill", NOMEN_U8, fill_1),
    ROW("fill", NOMEN_I16, fill_2),
    ROW("fill", NOMEN_I32, fill_4),
    ROW("fill", NOMEN_I64, fill_8),
    ROW("fill", NOMEN_C128, fill_16),
    {.name = NULL},
};
