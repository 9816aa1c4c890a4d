/* What all loops share: names of generated functions, block size, rows of kernel tables. */
#ifndef NOMEN_SRC_LOOPS_H
#define NOMEN_SRC_LOOPS_H

#include "kernels/simd/simd.h"

/* Strided operands are gathered into blocks of this many elements; a multiple of every lane count.
 */
#define LOOP_BLOCK 256

/* p, if there is anything, so many bytes on. */
static inline char *moved(char *p, int64_t bytes) { return p ? p + bytes : NULL; }

/* Where integer arithmetic must wrap: to an unsigned number of at least 32 bits. Functions, because
 * gcc's -Wconversion looks through casts. */
static inline uint32_t loop_wrap32(int32_t x) { return (uint32_t)x; }
static inline uint64_t loop_wrap64(int64_t x) { return (uint64_t)x; }

/* Memory of any element type of the size, for elements that are only moved. One of 8 bytes may be a
 * complex number of two floats, which is aligned as they are. */
typedef uint16_t __attribute__((may_alias)) loop_2;
typedef uint32_t __attribute__((may_alias)) loop_4;
typedef uint64_t __attribute__((may_alias, aligned(4))) loop_8;
typedef struct loop_16 {
    uint64_t half[2];
} __attribute__((may_alias)) loop_16;

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

/* Strided elements into a block and back. Not inlined: every kernel has this path and none is fast
 * on it anyway. What they leave alone gcc 12 must not know: see -fno-ipa-ra in CMakeLists.txt. */
#if defined(__GNUC__) && !defined(__clang__)
#define LOOP_APART static __attribute__((noipa, unused)) void
#else
#define LOOP_APART static __attribute__((noinline, unused)) void
#endif

/* Vectorised, these loops put vectors together lane by lane and are slower for it. */
#define LOOP_ONE_BY_ONE __asm__ volatile("")

/* Blocks are filled up with zeros to whole vectors of any kind. */
#define LOOP_PAD 16

LOOP_APART loop_gather_2(loop_2 *block, const char *from, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        block[i] = *(const loop_2 *)(from + i * step);
        LOOP_ONE_BY_ONE;
    }
    for (int64_t i = n; i % LOOP_PAD != 0; i++) block[i] = 0;
}
LOOP_APART loop_gather_4(loop_4 *block, const char *from, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        block[i] = *(const loop_4 *)(from + i * step);
        LOOP_ONE_BY_ONE;
    }
    for (int64_t i = n; i % LOOP_PAD != 0; i++) block[i] = 0;
}
LOOP_APART loop_gather_8(loop_8 *block, const char *from, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        block[i] = *(const loop_8 *)(from + i * step);
        LOOP_ONE_BY_ONE;
    }
    for (int64_t i = n; i % LOOP_PAD != 0; i++) block[i] = 0;
}
LOOP_APART loop_gather_16(loop_16 *block, const char *from, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        block[i] = *(const loop_16 *)(from + i * step);
        LOOP_ONE_BY_ONE;
    }
    for (int64_t i = n; i % LOOP_PAD != 0; i++) block[i] = (loop_16){{0, 0}};
}
LOOP_APART loop_scatter_1(const uint8_t *block, char *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        *(uint8_t *)(to + i * step) = block[i];
        LOOP_ONE_BY_ONE;
    }
}
LOOP_APART loop_scatter_2(const loop_2 *block, char *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        *(loop_2 *)(to + i * step) = block[i];
        LOOP_ONE_BY_ONE;
    }
}
LOOP_APART loop_scatter_4(const loop_4 *block, char *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        *(loop_4 *)(to + i * step) = block[i];
        LOOP_ONE_BY_ONE;
    }
}
LOOP_APART loop_scatter_8(const loop_8 *block, char *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        *(loop_8 *)(to + i * step) = block[i];
        LOOP_ONE_BY_ONE;
    }
}
LOOP_APART loop_scatter_16(const loop_16 *block, char *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        *(loop_16 *)(to + i * step) = block[i];
        LOOP_ONE_BY_ONE;
    }
}

/* By element size, which is a constant where they are called. A whole block that is contiguous
 * already stays where it is (less than a whole one has no zeros behind it). */
static inline const void *loop_gather(void *block, const char *from, int64_t step, int64_t n,
                                      size_t size) {
    if (step == (int64_t)size && n == LOOP_BLOCK) return from;
    if (size == 2)
        loop_gather_2(block, from, step, n);
    else if (size == 4)
        loop_gather_4(block, from, step, n);
    else if (size == 8)
        loop_gather_8(block, from, step, n);
    else
        loop_gather_16(block, from, step, n);
    return block;
}
static inline void loop_scatter(const void *block, char *to, int64_t step, int64_t n, size_t size) {
    if (step == (int64_t)size)
        memcpy(to, block, (size_t)n * size);
    else if (size == 1)
        loop_scatter_1(block, to, step, n);
    else if (size == 2)
        loop_scatter_2(block, to, step, n);
    else if (size == 4)
        loop_scatter_4(block, to, step, n);
    else if (size == 8)
        loop_scatter_8(block, to, step, n);
    else
        loop_scatter_16(block, to, step, n);
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
#define ROWS_COMPLEXES(text, op) ROW(text, NOMEN_C64, op##_c64), ROW(text, NOMEN_C128, op##_c128)

#endif
