/* Kernels on the bits of integers; of bools: and, or, xor. */
#include "kernels/loops/loops.h"
#include "kernels/simd/words.h"

#define OP         bitwise_and
#define EXPR(x, y) ((x) & (y))
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         bitwise_or
#define EXPR(x, y) ((x) | (y))
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         bitwise_xor
#define EXPR(x, y) ((x) ^ (y))
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

/* All bits are shifted out by a distance that is negative or not below their number. */
static inline uint32_t shift_left_32(uint32_t x, int32_t by, uint32_t bits) {
    return (uint32_t)by < bits ? x << ((uint32_t)by & 31) : 0;
}
/* Bytes by steps of known distances: vectors have no distances of their own for each, and to widen
 * them takes as long again. */
static inline uint8_t shift_left_8(uint8_t x, uint8_t by) {
    uint8_t r = x;
    r = (uint8_t)(by & 1 ? r << 1 : r);
    r = (uint8_t)(by & 2 ? r << 2 : r);
    r = (uint8_t)(by & 4 ? r << 4 : r);
    return (uint8_t)(by < 8 ? r : 0);
}
static inline uint8_t shift_right_u8(uint8_t x, uint8_t by) {
    uint8_t r = x;
    r = (uint8_t)(by & 1 ? r >> 1 : r);
    r = (uint8_t)(by & 2 ? r >> 2 : r);
    r = (uint8_t)(by & 4 ? r >> 4 : r);
    return (uint8_t)(by < 8 ? r : 0);
}
static inline int8_t shift_right_i8(int8_t x, uint8_t by) {
    int8_t r = x;
    by = by < 7 ? by : 7;
    r = (int8_t)(by & 1 ? r >> 1 : r);
    r = (int8_t)(by & 2 ? r >> 2 : r);
    return (int8_t)(by & 4 ? r >> 4 : r);
}
static inline uint64_t shift_left_64(uint64_t x, int64_t by, uint32_t bits) {
    return (uint64_t)by < bits ? x << ((uint64_t)by & 63) : 0;
}
/* To the right the sign is what is left; uint8 has none, and 8 bits are room for a distance of 8.
 */
static inline int32_t shift_right_32(int32_t x, int32_t by, uint32_t most) {
    return x >> ((uint32_t)by < most ? (uint32_t)by : most);
}
static inline int64_t shift_right_64(int64_t x, int64_t by, uint32_t most) {
    return x >> ((uint64_t)by < most ? (uint64_t)by : most);
}
#define BITS(x) ((uint32_t)sizeof(x) * 8)
#define SHIFT_LEFT(x, y)                                                                           \
    _Generic((x),                                                                                  \
        int64_t: shift_left_64((uint64_t)(x), (y), BITS(x)),                                       \
        uint8_t: shift_left_8((uint8_t)(x), (uint8_t)(y)),                                         \
        int8_t: shift_left_8((uint8_t)(x), (uint8_t)(y)),                                          \
        default: shift_left_32((uint32_t)(x), (int32_t)(y), BITS(x)))
#define SHIFT_RIGHT(x, y)                                                                          \
    _Generic((x),                                                                                  \
        int64_t: shift_right_64((x), (y), 63),                                                     \
        uint8_t: shift_right_u8((uint8_t)(x), (uint8_t)(y)),                                       \
        int8_t: shift_right_i8((int8_t)(x), (uint8_t)(y)),                                         \
        default: shift_right_32((int32_t)(x), (int32_t)(y), BITS(x) - 1))

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
/* Vectors shift by any distance as is wanted here; AVX2 has none to the right that keeps the sign,
 * but the bits of a negative number can be turned over before and after. */
static inline vi64 v_shift_left(vi64 x, vi64 by) {
#if VB == 64
    return (vi64)_mm512_sllv_epi64((__m512i)x, (__m512i)by);
#else
    return (vi64)_mm256_sllv_epi64((__m256i)x, (__m256i)by);
#endif
}
static inline vi64 v_shift_right(vi64 x, vi64 by) {
#if VB == 64
    return (vi64)_mm512_srav_epi64((__m512i)x, (__m512i)by);
#else
    const vi64 sign = x < 0;
    return (vi64)_mm256_srlv_epi64((__m256i)(x ^ sign), (__m256i)by) ^ sign;
#endif
}
#define SHIFT_VECTORS
#endif

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
/* Of 16 bits as those of 32: words with an even number, moved up where their sign counts, and those
 * with an odd one, whose right neighbour is left out of the result. A negative distance is a long
 * one. */
static inline vu16 v_shift_left_16(vu16 x, vu16 by) {
    const vu32 even = (vu32)by & 0xffff, odd = (vu32)by >> 16, upper = (vu32)x & 0xffff0000;
    return (vu16)_mm256_blend_epi16(_mm256_sllv_epi32((__m256i)x, (__m256i)even),
                                    _mm256_sllv_epi32((__m256i)upper, (__m256i)odd), 0xaa);
}
static inline vu16 v_shift_right_16(vu16 x, vu16 by) {
    const vu32 even = (vu32)by & 0xffff, odd = (vu32)by >> 16, lower = (vu32)x << 16;
    const vu32 low = (vu32)_mm256_srav_epi32((__m256i)lower, (__m256i)even) >> 16;
    return (vu16)_mm256_blend_epi16((__m256i)low, _mm256_srav_epi32((__m256i)x, (__m256i)odd),
                                    0xaa);
}
#endif

#ifdef SHIFT_VECTORS
#define WIDE_EXPR v_shift_left
#endif
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define WORD_EXPR v_shift_left_16
#endif
#define OP         bitwise_left_shift
#define EXPR(x, y) SHIFT_LEFT(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#ifdef SHIFT_VECTORS
#define WIDE_EXPR v_shift_right
#endif
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define WORD_EXPR v_shift_right_16
#endif
#define OP         bitwise_right_shift
#define EXPR(x, y) SHIFT_RIGHT(x, y)
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

const nomen__kernel NOMEN__TABLE(bits)[] = {
    ROW_BOOL("bitwise_and", bitwise_and),
    ROWS_INTS("bitwise_and", bitwise_and),
    ROW_BOOL("bitwise_or", bitwise_or),
    ROWS_INTS("bitwise_or", bitwise_or),
    ROW_BOOL("bitwise_xor", bitwise_xor),
    ROWS_INTS("bitwise_xor", bitwise_xor),
    ROWS_INTS("bitwise_left_shift", bitwise_left_shift),
    ROWS_INTS("bitwise_right_shift", bitwise_right_shift),
    {.name = NULL},
};
