/* Kernels of indexing: elements taken from places, put there, added there; masks packed and
 * unpacked; elements spread to rows. Which places these are was found and checked before. */
#include "kernels/loops/complex_number.h"
#include "kernels/loops/half.h"
#include "kernels/loops/loops.h"
#include "kernels/simd/pack.h"

#include <stdbool.h>

/* Lines that are written to are asked for so many elements before: stores alone wait for each other
 * where the table is larger than the cache. */
enum { AHEAD = 16 };
enum { LINES = NOMEN__POINTS_LINES };
/* Calls what does lines of n, which is its last argument. Some short ones are loops of a known
 * length: they take as long as what counts them. */
#define POINTS_BY_LENGTH(n, lines, ...)                                                            \
    (n) == 2   ? lines(__VA_ARGS__, 2)                                                             \
    : (n) == 3 ? lines(__VA_ARGS__, 3)                                                             \
    : (n) == 4 ? lines(__VA_ARGS__, 4)                                                             \
    : (n) == 8 ? lines(__VA_ARGS__, 8)                                                             \
               : lines(__VA_ARGS__, n)

#define T    uint8_t
#define SIZE 1
#include "kernels/loops/points.h"
#undef T
#undef SIZE

#define T    loop_2
#define SIZE 2
#include "kernels/loops/points.h"
#undef T
#undef SIZE

#define T    loop_4
#define SIZE 4
#include "kernels/loops/points.h"
#undef T
#undef SIZE

#define T    loop_8
#define SIZE 8
#include "kernels/loops/points.h"
#undef T
#undef SIZE

#define T    loop_16
#define SIZE 16
#include "kernels/loops/points.h"
#undef T
#undef SIZE

/* ptr: a uint64_t whose top bit says whether an index is not in [0, limit), indices, the limit. One
 * of two differences is negative then: nothing waits for a comparison. */
static void outside_i64(char *const ptr[], const int64_t step[], int64_t n) {
    const uint64_t *v = (const uint64_t *)(const void *)ptr[1];
    const uint64_t last = *(const uint64_t *)(const void *)ptr[2] - 1;
    uint64_t bits = 0;
    (void)step;
    for (int64_t i = 0; i < n; i++) bits |= v[i] | (last - v[i]);
    *(uint64_t *)(void *)ptr[0] = bits;
}

/* ---- four numbers of 16 bits at once: to round one costs more than to add it ----------------- */
typedef uint32_t four_u32 __attribute__((vector_size(16)));
typedef float four_f32 __attribute__((vector_size(16)));
typedef int64_t four_i64 __attribute__((vector_size(32)));

static inline four_u32 four_words(const uint16_t *x) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    return (four_u32)_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)x));
#else
    return (four_u32){x[0], x[1], x[2], x[3]};
#endif
}
/* One number as a lane of a vector, from memory and back: by way of whole registers it takes up to
 * twice as many instructions. What comes of an operation is no signalling NaN. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
/* What its other lanes are does not matter, but gcc clears them unless it does not know. */
static inline four_f32 one_lane(float x) {
#ifdef __clang__
    return (four_f32)_mm_set_ss(x);
#else
    four_f32 one;
    __asm__("" : "=x"(one) : "0"(x));
    return one;
#endif
}
static inline float one_from_f16(uint16_t x) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_insert_epi16(_mm_setzero_si128(), (int16_t)x, 0)));
}
static inline uint16_t one_to_f16(float x) {
    return (uint16_t)_mm_extract_epi16(_mm_cvtps_ph((__m128)one_lane(x), 0), 0);
}
static inline float one_from_bf16(uint16_t x) {
    return _mm_cvtss_f32((__m128)_mm_insert_epi16(_mm_setzero_si128(), (int16_t)x, 1));
}
/* By a branch, and not by masks: it takes less time, and there are few that are not numbers. */
static inline uint16_t one_to_bf16(float x) {
    const four_u32 bits = (four_u32)one_lane(x);
    four_u32 rounded = (bits + 0x7fffu) + (bits >> 16 & 1u);
    if (__builtin_expect(x != x, 0)) rounded = bits; /* a quiet one, as it comes of an operation */
    return (uint16_t)_mm_extract_epi16((__m128i)rounded, 1);
}
/* To one that stays a float32. */
static inline float one_rounded_f16(float x) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtps_ph((__m128)one_lane(x), 0)));
}
static inline float one_rounded_bf16(float x) {
    four_u32 bits = (four_u32)one_lane(x);
    if (__builtin_expect(x != x, 0)) return x;
    bits = ((bits + 0x7fffu) + (bits >> 16 & 1u)) & 0xffff0000u;
    return _mm_cvtss_f32((__m128)bits);
}
#else
/* In a lane all the same: the next addition to a place waits for what came of the one before. */
static inline float one_from_f16(uint16_t x) { return v_from_f16((vu16h){x})[0]; }
static inline uint16_t one_to_f16(float x) { return to_f16(x); }
static inline float one_from_bf16(uint16_t x) { return from_bf16(x); }
static inline uint16_t one_to_bf16(float x) { return to_bf16(x); }
static inline float one_rounded_f16(float x) { return one_from_f16(one_to_f16(x)); }
static inline float one_rounded_bf16(float x) { return one_from_bf16(one_to_bf16(x)); }
#endif
/* As to_bf16 does it: the upper half of each lane. */
static inline four_u32 four_round_bf16(four_f32 x) {
    const four_u32 bits = (four_u32)x, rounded = bits + (0x7fffu + (bits >> 16 & 1u));
    const four_u32 quiet = bits | 0x400000u;
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    const __m128 not_number = _mm_cmpunord_ps((__m128)x, (__m128)x);
    return (four_u32)_mm_blendv_ps((__m128)rounded, (__m128)quiet, not_number);
#else
    const four_u32 number = (four_u32)(x == x);
    return (number & rounded) | (~number & quiet);
#endif
}
/* Four from places, and upper halves to places. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline four_f32 four_at_bf16(const uint16_t *base, const int64_t *at) {
    __m128i x = _mm_setzero_si128();
    x = _mm_insert_epi16(x, (int16_t)base[at[0]], 1);
    x = _mm_insert_epi16(x, (int16_t)base[at[1]], 3);
    x = _mm_insert_epi16(x, (int16_t)base[at[2]], 5);
    return (four_f32)_mm_insert_epi16(x, (int16_t)base[at[3]], 7);
}
static inline void four_put_bf16(uint16_t *base, const int64_t *at, four_u32 x) {
    base[at[0]] = (uint16_t)_mm_extract_epi16((__m128i)x, 1);
    base[at[1]] = (uint16_t)_mm_extract_epi16((__m128i)x, 3);
    base[at[2]] = (uint16_t)_mm_extract_epi16((__m128i)x, 5);
    base[at[3]] = (uint16_t)_mm_extract_epi16((__m128i)x, 7);
}
#else
static inline four_f32 four_at_bf16(const uint16_t *base, const int64_t *at) {
    const four_u32 x = {base[at[0]], base[at[1]], base[at[2]], base[at[3]]};
    return (four_f32)(x << 16);
}
static inline void four_put_bf16(uint16_t *base, const int64_t *at, four_u32 x) {
    for (int k = 0; k < 4; k++) base[at[k]] = (uint16_t)(x[k] >> 16);
}
#endif
/* Four float16 behind each other in a word. */
static inline four_f32 four_from_f16(uint64_t x) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    return (four_f32)_mm_cvtph_ps(_mm_cvtsi64_si128((int64_t)x));
#else
    return (four_f32)ld_f16(&x);
#endif
}
/* Four to be added one after the other. */
static inline void four_of_f16(float to[4], const uint16_t *from) {
    uint64_t words;
    memcpy(&words, from, sizeof words);
    const four_f32 x = four_from_f16(words);
    memcpy(to, &x, sizeof x);
}
static inline void four_of_bf16(float to[4], const uint16_t *from) {
    const four_u32 x = four_words(from) << 16;
    memcpy(to, &x, sizeof x);
}
/* No two of four are the same. */
static inline bool four_apart(const int64_t *at) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    four_i64 x;
    memcpy(&x, at, sizeof x);
    const four_i64 same = (x == __builtin_shufflevector(x, x, 1, 2, 3, 0)) |
                          (x == __builtin_shufflevector(x, x, 2, 3, 0, 1));
    return _mm256_testz_si256((__m256i)same, (__m256i)same);
#else
    const int64_t a = at[0], b = at[1], c = at[2], d = at[3];
    return !((a == b) | (a == c) | (a == d) | (b == c) | (b == d) | (c == d));
#endif
}

/* Do most of n >= RUNS_LEAST places stand in long runs of the same one, as in an index that is
 * sorted? Some of them tell. */
enum { RUNS_LEAST = 512, RUNS_PART = 1024 };
static inline bool has_runs(const int64_t *at, int64_t n) {
    enum { SAMPLES = 16, APART = 7 };
    const int64_t step = (n - APART) / SAMPLES;
    int same = 0;
    for (int i = 0; i < SAMPLES; i++, at += step) same += at[0] == at[APART];
    return 2 * same > SAMPLES;
}

#define OP                    put_add
#define REAL_EXPR(x, y)       ((x) + (y))
#define COMPLEX_EXPR(T, x, y) ((T){(x).re + (y).re, (x).im + (y).im})
#include "kernels/loops/points_types.h"

static inline c64 times_c64(c64 x, c64 y) { return c_narrow(c_times(c_widen(x), c_widen(y))); }

#define OP                    put_mul
#define REAL_EXPR(x, y)       ((x) * (y))
#define COMPLEX_EXPR(T, x, y) _Generic(x, c64: times_c64, c128: c_times)(x, y)
#include "kernels/loops/points_types.h"

/* The integers come as unsigned ones, see loop_wrap32. NaN wins. */
static inline int32_t larger_32(uint32_t x, uint32_t y) {
    return (int32_t)x > (int32_t)y ? (int32_t)x : (int32_t)y;
}
static inline int32_t smaller_32(uint32_t x, uint32_t y) {
    return (int32_t)x < (int32_t)y ? (int32_t)x : (int32_t)y;
}
static inline int64_t larger_64(uint64_t x, uint64_t y) {
    return (int64_t)x > (int64_t)y ? (int64_t)x : (int64_t)y;
}
static inline int64_t smaller_64(uint64_t x, uint64_t y) {
    return (int64_t)x < (int64_t)y ? (int64_t)x : (int64_t)y;
}
static inline float larger_f32(float x, float y) { return x > y || x != x ? x : y; }
static inline float smaller_f32(float x, float y) { return x < y || x != x ? x : y; }
static inline double larger_f64(double x, double y) { return x > y || x != x ? x : y; }
static inline double smaller_f64(double x, double y) { return x < y || x != x ? x : y; }

#define BY_TYPE(what, x, y)                                                                        \
    _Generic((x),                                                                                  \
        uint32_t: what##_32,                                                                       \
        uint64_t: what##_64,                                                                       \
        float: what##_f32,                                                                         \
        double: what##_f64)(x, y)

#define OP              put_max
#define REAL_EXPR(x, y) BY_TYPE(larger, x, y)
#include "kernels/loops/points_types.h"

#define OP              put_min
#define REAL_EXPR(x, y) BY_TYPE(smaller, x, y)
#include "kernels/loops/points_types.h"

#define FN         put_add_b8
#define T          uint8_t
#define LD(x)      ((x) != 0)
#define ST(x)      ((T)(x))
#define EXPR(x, y) ((x) | (y))
#include "kernels/loops/points_fold.h"
#undef FN
#undef EXPR

#define FN         put_mul_b8
#define EXPR(x, y) ((x) & (y))
#include "kernels/loops/points_fold.h"

#define ROWS_POINTS(enumerator, size)                                                              \
    ROW("take", enumerator, take_##size), ROW("put", enumerator, put_##size),                      \
        ROW("pack", enumerator, pack_##size), ROW("unpack", enumerator, unpack_##size),            \
        ROW("spread", enumerator, spread_##size)
#define ROWS_MOST(text, op, of_bool)                                                               \
    ROW(text, NOMEN_BOOL, of_bool), ROWS_INTS(text, op), ROWS_FLOATS(text, op)
#define ROWS_FOLD(text, op)                                                                        \
    ROW_BOOL(text, op), ROWS_INTS(text, op), ROWS_FLOATS(text, op), ROWS_COMPLEXES(text, op)

const nomen__kernel NOMEN__TABLE(points)[] = {
    ROW("outside", NOMEN_I64, outside_i64),
    ROWS_POINTS(NOMEN_BOOL, 1),
    ROWS_POINTS(NOMEN_U8, 1),
    ROWS_POINTS(NOMEN_I8, 1),
    ROWS_POINTS(NOMEN_I16, 2),
    ROWS_POINTS(NOMEN_I32, 4),
    ROWS_POINTS(NOMEN_I64, 8),
    ROWS_POINTS(NOMEN_F16, 2),
    ROWS_POINTS(NOMEN_BF16, 2),
    ROWS_POINTS(NOMEN_F32, 4),
    ROWS_POINTS(NOMEN_F64, 8),
    ROWS_POINTS(NOMEN_C64, 8),
    ROWS_POINTS(NOMEN_C128, 16),
    ROWS_FOLD("put_add", put_add),
    ROWS_FOLD("put_mul", put_mul),
    ROWS_MOST("put_max", put_max, put_add_b8),
    ROWS_MOST("put_min", put_min, put_mul_b8),
    {.name = NULL},
};
