/* What all loops share: names of generated functions, block size, rows of kernel tables. */
#ifndef NOMEN_SRC_LOOPS_H
#define NOMEN_SRC_LOOPS_H

#include "kernels/simd/simd.h"

/* Strided operands are gathered into blocks of so many elements; a multiple of every lane count.
 * More would take longer from memory: the streams of several operands begin and end by turns. */
#define LOOP_BLOCK ((int64_t)(1024 / sizeof(T)))

/* p, if there is anything, so many bytes on. */
static inline char *moved(char *p, int64_t bytes) { return p ? p + bytes : NULL; }

/* Where integer arithmetic must wrap: to an unsigned number of at least 32 bits. Functions, because
 * gcc's -Wconversion looks through casts. */
static inline uint32_t loop_wrap32(int32_t x) { return (uint32_t)x; }
static inline uint64_t loop_wrap64(int64_t x) { return (uint64_t)x; }

/* A bool in memory: foreign one may hold other bytes than 0 and 1. */
#define LOOP_TRUTH(p) ((uint8_t)(*(const uint8_t *)(p) != 0))

/* Memory of any element type of the size, for elements that are only moved. One of 8 bytes may be a
 * complex number of two floats, which is aligned as they are. */
typedef uint8_t __attribute__((may_alias)) loop_1;
typedef uint16_t __attribute__((may_alias)) loop_2;
typedef uint32_t __attribute__((may_alias)) loop_4;
typedef uint64_t __attribute__((may_alias, aligned(4))) loop_8;
/* One load and one store: two of 8 bytes would keep a vector of both waiting. */
typedef uint64_t __attribute__((may_alias, vector_size(16), aligned(8))) loop_16;

/* Complex numbers in memory. */
typedef struct c64 {
    float re, im;
} c64;
typedef struct c128 {
    double re, im;
} c128;
static inline c128 c_widen(c64 x) { return (c128){(double)x.re, (double)x.im}; }
static inline c64 c_narrow(c128 x) { return (c64){(float)x.re, (float)x.im}; }

#define LOOP_NAME(op, dtype)  op##_##dtype
#define LOOP_NAME2(op, dtype) LOOP_NAME(op, dtype)

/* Strided elements into a block and back are not inlined: every kernel has this path. What they
 * leave alone gcc 12 must not know: see -fno-ipa-ra in CMakeLists.txt. */
#if defined(__GNUC__) && !defined(__clang__)
#define LOOP_APART static __attribute__((noipa, unused)) void
#else
#define LOOP_APART static __attribute__((noinline, unused)) void
#endif

#if VB >= 32
/* The even lanes of two vectors of 32 bytes. */
typedef uint16_t loop_32_2 __attribute__((vector_size(32)));
typedef uint32_t loop_32_4 __attribute__((vector_size(32)));
static inline loop_32_2 loop_even_2(loop_32_2 x, loop_32_2 y) {
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
static inline loop_32_4 loop_even_4(loop_32_4 x, loop_32_4 y) {
    /* within halves of registers first: one instruction each */
    const loop_32_4 z = __builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14);
    return __builtin_shufflevector(z, z, 0, 1, 4, 5, 2, 3, 6, 7);
}
typedef uint64_t loop_32_8 __attribute__((vector_size(32)));
static inline loop_32_8 loop_even_8(loop_32_8 x, loop_32_8 y) {
    const loop_32_8 z = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    return __builtin_shufflevector(z, z, 0, 2, 1, 3);
}
#endif

#if VB == 64
/* What a lane of a shuffle is counted in, for elements of each size. */
typedef uint16_t loop_place_1, loop_place_2;
typedef uint32_t loop_place_4;
typedef uint64_t loop_place_8;
typedef uint16_t loop_places_1 __attribute__((vector_size(64)));
typedef loop_places_1 loop_places_2;
typedef uint32_t loop_places_4 __attribute__((vector_size(64)));
typedef uint64_t loop_places_8 __attribute__((vector_size(64)));
static const loop_places_2 loop_count_2 = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                           11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                           22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const loop_places_4 loop_count_4 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const loop_places_8 loop_count_8 = {0, 1, 2, 3, 4, 5, 6, 7};
#define loop_count_1 loop_count_2
/* The even elements of a vector: nothing else is written. */
static inline void loop_put_seconds_1(char *to, __m512i x) {
    _mm512_mask_storeu_epi8(to, 0x5555555555555555, x);
}
static inline void loop_put_seconds_2(char *to, __m512i x) {
    _mm512_mask_storeu_epi16(to, 0x55555555, x);
}
static inline void loop_put_seconds_4(char *to, __m512i x) {
    _mm512_mask_storeu_epi32(to, 0x5555, x);
}
static inline void loop_put_seconds_8(char *to, __m512i x) {
    _mm512_mask_storeu_epi64(to, 0x55, x);
}
/* A mask of the first so many lanes, 64 at most. */
static inline uint64_t loop_first(int64_t lanes) {
    return lanes < 64 ? ((uint64_t)1 << lanes) - 1 : ~(uint64_t)0;
}
#endif

#define SIZE 1
#define T    loop_1
#include "kernels/loops/strided.h"
#define SIZE 2
#define T    loop_2
#include "kernels/loops/strided.h"
#define SIZE 4
#define T    loop_4
#include "kernels/loops/strided.h"
#define SIZE 8
#define T    loop_8
#include "kernels/loops/strided.h"
#define SIZE 16
#define T    loop_16
#include "kernels/loops/strided.h"

/* Bytes of a block: the compiler's own copies end byte by byte. */
#define LOOP_COPY(count)                                                                           \
    memcpy(to, from, count), memcpy(to + bytes - (count), from + bytes - (count), count)
LOOP_APART loop_copy(char *to, const char *from, int64_t bytes) {
    for (; bytes >= 64; bytes -= 32, to += 32, from += 32) memcpy(to, from, 32);
    if (bytes >= 32)
        LOOP_COPY(32);
    else if (bytes >= 16)
        LOOP_COPY(16);
    else if (bytes >= 8)
        LOOP_COPY(8);
    else if (bytes >= 4)
        LOOP_COPY(4);
    else
        for (int64_t i = 0; i < bytes; i++) to[i] = from[i];
}
#undef LOOP_COPY

/* By element size, which is a constant where they are called. */
static inline void loop_take(void *to, const char *from, int64_t step, int64_t n, size_t size) {
    if (step == (int64_t)size)
        loop_copy(to, from, n * (int64_t)size);
    else if (size == 1)
        loop_gather_1(to, from, step, n);
    else if (size == 2)
        loop_gather_2(to, from, step, n);
    else if (size == 4)
        loop_gather_4(to, from, step, n);
    else if (size == 8)
        loop_gather_8(to, from, step, n);
    else
        loop_gather_16(to, from, step, n);
}
static inline void loop_give(const void *from, char *to, int64_t step, int64_t n, size_t size) {
    if (step == (int64_t)size)
        loop_copy(to, from, n * (int64_t)size);
    else if (size == 1)
        loop_scatter_1(from, to, step, n);
    else if (size == 2)
        loop_scatter_2(from, to, step, n);
    else if (size == 4)
        loop_scatter_4(from, to, step, n);
    else if (size == 8)
        loop_scatter_8(from, to, step, n);
    else
        loop_scatter_16(from, to, step, n);
}

/* How many of n elements the next block takes. What is dense need not be copied into one, or from
 * it, where vectors are whole: the rest has a block of its own, if that is worth another. */
static inline int64_t loop_part(int64_t n, int64_t most, int64_t lanes) {
    enum { WORTH = 4 }; /* vectors */
    return n >= most ? most : n >= WORTH * lanes ? n & -lanes : n;
}

/* n elements as whole vectors of so many lanes: where they are if they lie so, else in the block,
 * filled up with zeros. */
static inline const void *loop_gather(void *block, const char *from, int64_t step, int64_t n,
                                      size_t size, int64_t lanes) {
    const int64_t rest = -n & (lanes - 1);
    if (step == (int64_t)size && rest == 0) return from;
    /* a whole vector, of which elements are written again: the compiler's own fill of a few of them
     * goes byte by byte */
    if (rest) memset((char *)block + (n + rest - lanes) * (int64_t)size, 0, (size_t)lanes * size);
    loop_take(block, from, step, n, size);
    return block;
}
/* Where n elements can be stored as whole vectors; from a block they are scattered then. */
static inline void *loop_target(void *block, char *to, int64_t step, int64_t n, size_t size,
                                int64_t lanes) {
    return step == (int64_t)size && (n & (lanes - 1)) == 0 ? to : block;
}
static inline void loop_scatter(const void *block, char *to, int64_t step, int64_t n, size_t size) {
    if (block != to) loop_give(block, to, step, n, size);
}

#define ROW(text, enumerator, function) {.name = text, .dtype = enumerator, .loop = function}
#define ROW_BOOL(text, op)              ROW(text, NOMEN_BOOL, op##_b8)
#define ROWS_INTS(text, op)                                                                        \
    ROW(text, NOMEN_U8, op##_u8), ROW(text, NOMEN_I8, op##_i8), ROW(text, NOMEN_I16, op##_i16),    \
        ROW(text, NOMEN_I32, op##_i32), ROW(text, NOMEN_I64, op##_i64)
/* Of half types that have a loop of their own, the same for both. */
#define ROWS_FLOATS_APART(text, op)                                                                \
    ROW(text, NOMEN_F16, op##_half), ROW(text, NOMEN_BF16, op##_half),                             \
        ROW(text, NOMEN_F32, op##_f32), ROW(text, NOMEN_F64, op##_f64)
#define ROWS_FLOATS(text, op)                                                                      \
    ROW(text, NOMEN_F16, op##_f16), ROW(text, NOMEN_BF16, op##_bf16),                              \
        ROW(text, NOMEN_F32, op##_f32), ROW(text, NOMEN_F64, op##_f64)
/* Of an operation with BY_LINES. */
#if W32 > 1
#define ROW_LINES(text, enumerator, function)                                                      \
    {.name = text, .dtype = enumerator, .loop = function, .lines = function##_lines}
#else
#define ROW_LINES ROW
#endif
#define ROWS_FLOATS_LINES(text, op)                                                                \
    ROW_LINES(text, NOMEN_F16, op##_f16), ROW_LINES(text, NOMEN_BF16, op##_bf16),                  \
        ROW_LINES(text, NOMEN_F32, op##_f32), ROW_LINES(text, NOMEN_F64, op##_f64)
#define ROWS_FLOATS_APART_LINES(text, op)                                                          \
    ROW_LINES(text, NOMEN_F16, op##_half), ROW_LINES(text, NOMEN_BF16, op##_half),                 \
        ROW_LINES(text, NOMEN_F32, op##_f32), ROW_LINES(text, NOMEN_F64, op##_f64)
#define ROWS_INTS_LINES(text, op)                                                                  \
    ROW_LINES(text, NOMEN_U8, op##_u8), ROW_LINES(text, NOMEN_I8, op##_i8),                        \
        ROW_LINES(text, NOMEN_I16, op##_i16), ROW_LINES(text, NOMEN_I32, op##_i32),                \
        ROW_LINES(text, NOMEN_I64, op##_i64)
#define ROWS_COMPLEXES_LINES(text, op)                                                             \
    ROW_LINES(text, NOMEN_C64, op##_c64), ROW_LINES(text, NOMEN_C128, op##_c128)
#define ROWS_COMPLEXES(text, op) ROW(text, NOMEN_C64, op##_c64), ROW(text, NOMEN_C128, op##_c128)

#endif
