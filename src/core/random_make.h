/* Part of random_loops.h: what is made of words. A function for each kind and dtype, all of one
 * form, and the table of them. */

typedef uint16_t u16v __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
typedef uint8_t u8v
    __attribute__((vector_size(LANES == 16 ? LANES : 4 * LANES), aligned(1), may_alias));

/* Half of the lanes, for numbers of 64 bits. */
typedef int32_t i32h __attribute__((vector_size(4 * LANES64), aligned(4), may_alias));
typedef float f32h __attribute__((vector_size(4 * LANES64), aligned(4), may_alias));
typedef int64_t i64v __attribute__((vector_size(4 * LANES), aligned(8), may_alias));

#if LANES == 16
#define FIRST_HALF   0, 1, 2, 3, 4, 5, 6, 7
#define SECOND_HALF  8, 9, 10, 11, 12, 13, 14, 15
#define TURNED_PAIRS 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#define EVEN_WORDS   0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define IN_TURNS     0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31
#else
#define FIRST_HALF   0, 1, 2, 3
#define SECOND_HALF  4, 5, 6, 7
#define TURNED_PAIRS 1, 0, 3, 2, 5, 4, 7, 6
#define EVEN_WORDS   0, 2, 4, 6, 8, 10, 12, 14
#define IN_TURNS     0, 9, 2, 11, 4, 13, 6, 15
#endif

BODY u32v choose(i32v yes, u32v a, u32v b) { return (a & (u32v)yes) | (b & ~(u32v)yes); }

/* ---- numbers of few bytes -------------------------------------------------------------------- */

/* The lowest bytes; without an instruction for it together in each half first, as conversion in one
 * step becomes byte by byte. */
BODY void store_8(u32v w, char *out) {
#if LANES == 16
    *(u8v *)(void *)out = __builtin_convertvector(w, u8v);
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const u8v all = (u8v)w;
    const u32v bytes = (u32v)__builtin_shufflevector(all, all, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8,
                                                     12, 0, 4, 8, 12, 16, 20, 24, 28, 16, 20, 24,
                                                     28, 16, 20, 24, 28, 16, 20, 24, 28);
    const uint32_t both[2] = {bytes[0], bytes[LANES / 2]};
    memcpy(out, both, sizeof both);
#else
    for (int i = 0; i < LANES; i++) out[i] = (char)w[i];
#endif
}
/* Two vectors of numbers below 2^16. */
BODY void store_16(u32v first, u32v second, char *out) {
#ifdef PACK
    const u32v both = PACK(first, second);
    memcpy(out, &both, sizeof both);
#else
    *(u16v *)(void *)out = __builtin_convertvector(first, u16v);
    *(u16v *)(void *)(out + 2 * LANES) = __builtin_convertvector(second, u16v);
#endif
}
BODY void store_32(u32v w, char *out) { *(u32v *)(void *)out = w; }

/* Rounds to nearest even: the float's own addition rounds at the right bit once the number sits
 * beside a large one. */
BODY u32v round_f16(f32v value) {
    const u32v bits = (u32v)value, sign = bits >> 16 & 0x8000, magnitude = bits & INT32_MAX;
    const u32v beside = (u32v)((f32v)magnitude + 0.5f) - 0x3f000000;
    u32v found = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    found = choose(magnitude < 0x38800000, beside, found); /* below 2^-14: steps of 2^-24 */
    found =
        choose(magnitude >= 0x477ff000, (u32v){0} + 0x7c00, found); /* from 65520 on: infinity */
    return choose(magnitude > 0x7f800000, (u32v){0} + 0x7e00, found | sign);
}
/* There is one NaN of 16 bits, whatever it comes from. */
BODY f32v one_nan(f32v x) { return (f32v)choose(x != x, (u32v){0} + 0x7fc00000, (u32v)x); }
BODY void store_f16(f32v first, f32v second, char *out) {
    *(u16v *)(void *)out = HALVES(first);
    *(u16v *)(void *)(out + 2 * LANES) = HALVES(second);
}
/* Of what is no NaN; any. */
BODY u32v round_bf16(f32v value) {
    const u32v bits = (u32v)value;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
BODY u32v bf16_from(f32v value) {
    return choose(value != value, (u32v){0} + 0x7fc0, round_bf16(value));
}

/* ---- fractions of 1 -------------------------------------------------------------------------- */

BODY u32v some(const uint32_t *words) { return *(const u32v *)words; }
BODY f32v as_float(u32v whole) { return __builtin_convertvector((i32v)whole, f32v); }

/* The lowest digits of a word: exact. */
BODY f32v fractions(const uint32_t *words, int digits) {
    return as_float(some(words) & ((1U << digits) - 1)) * (1.0f / (float)(1 << digits));
}

/* The first word of a pair is the upper half; 53 bits of the 64 count. Written into the fractions
 * of 2^31 and 1/2, the halves become doubles without a conversion, and all sums are exact. */
BODY f64v fractions_64(const uint32_t *words) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const pair64v pair = *(const pair64v *)words;
    const f64v upper = (f64v)((pair & 0x1fffffU) | 0x41e0000000000000U);
    const f64v lower = (f64v)((pair >> 32) | 0x3fe0000000000000U);
    return (upper - (0x1p31 + 0x1p-1)) + lower;
#else
    f64v u;
    for (int i = 0; i < LANES64; i++)
        u[i] = (double)((int64_t)(words[2 * i] & 0x1fffffU) << 32 | words[2 * i + 1]) * 0x1p-53;
    return u;
#endif
}

/* Fused in float32 and float64, in 16 bits each step rounded as a float. */
BODY f32v scaled_16(f32v u, const nomen__making *with) {
    return u * (float)with->width + (float)with->low;
}
BODY f32v scaled_32(f32v u, const nomen__making *with) {
    const f32v zero = {0};
    return FMA(u, zero + (float)with->width, zero + (float)with->low);
}
BODY f64v scaled_64(f64v u, const nomen__making *with) {
    const f64v zero = {0};
    return FMA64(u, zero + with->width, zero + with->low);
}

BODY void make_uniform_bf16(const uint32_t *words, char *out) {
    store_16((u32v)fractions(words, 8) >> 16, (u32v)fractions(words + LANES, 8) >> 16, out);
}
BODY void make_uniform_f16(const uint32_t *words, char *out) {
    store_f16(fractions(words, 11), fractions(words + LANES, 11), out);
}
BODY void make_between_bf16(const uint32_t *words, char *out, const nomen__making *with) {
    store_16(bf16_from(scaled_16(fractions(words, 8), with)),
             bf16_from(scaled_16(fractions(words + LANES, 8), with)), out);
}
BODY void make_between_f16(const uint32_t *words, char *out, const nomen__making *with) {
    store_f16(one_nan(scaled_16(fractions(words, 11), with)),
              one_nan(scaled_16(fractions(words + LANES, 11), with)), out);
}

#define FUNCTION         uniform_bf16
#define MAKE(words, out) make_uniform_bf16(words, out)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         uniform_f16
#define MAKE(words, out) make_uniform_f16(words, out)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         uniform_f32
#define MAKE(words, out) *(f32v *)(void *)(out) = fractions(words, 24)
#define ITEM             4
#include "core/random_each.h"
#define FUNCTION         uniform_f64
#define MAKE(words, out) *(f64v *)(void *)(out) = fractions_64(words)
#define ITEM             8
#define AT_ONCE          LANES64
#define EACH             2
#include "core/random_each.h"

#define FUNCTION         between_bf16
#define MAKE(words, out) make_between_bf16(words, out, &with)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         between_f16
#define MAKE(words, out) make_between_f16(words, out, &with)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         between_f32
#define MAKE(words, out) *(f32v *)(void *)(out) = scaled_32(fractions(words, 24), &with)
#define ITEM             4
#include "core/random_each.h"
#define FUNCTION         between_f64
#define MAKE(words, out) *(f64v *)(void *)(out) = scaled_64(fractions_64(words), &with)
#define ITEM             8
#define AT_ONCE          LANES64
#define EACH             2
#include "core/random_each.h"

/* ---- bits ------------------------------------------------------------------------------------ */

/* Of pairs of words, upper half first: 63 bits, or what is left of all by 2^53 + 1. That is a digit
 * to the base 2^53 less the 11 bits of the next, all of it exact in double: halves of the digit are
 * written into the fractions of 2^84 and 2^52 as above, the bits into that of 2^52. */
BODY pair64v numbers_64(const uint32_t *words) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const u32v x = some(words);
    return (pair64v)__builtin_shufflevector(x, x, TURNED_PAIRS);
#else
    return *(const pair64v *)words;
#endif
}
BODY void make_bits_i64(const uint32_t *words, char *out) {
    *(pair64v *)(void *)out = numbers_64(words) & INT64_MAX;
}
BODY void make_bits_f64(const uint32_t *words, char *out) {
    const f64v zero = {0};
    const pair64v x = numbers_64(words);
    const f64v upper = (f64v)((x >> 32 & 0x1fffffU) | 0x4530000000000000U);
    const f64v lower = (f64v)((x & UINT32_MAX) | 0x4330000000000000U);
    const f64v next = (f64v)((x >> 53) | 0x4330000000000000U);
    const f64v rest = (upper - 0x1p84) + (lower - next);
    const i64v below = rest < zero;
    *(f64v *)(void *)out =
        (rest + (f64v)(below & (i64v)(zero + 1))) + (f64v)(below & (i64v)(zero + 0x1p53));
}

#define FUNCTION         bits_bool
#define MAKE(words, out) store_8(some(words) & 1, out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         bits_u8
#define MAKE(words, out) store_8(some(words), out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         bits_i8
#define MAKE(words, out) store_8(some(words) & INT8_MAX, out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         bits_i16
#define MAKE(words, out) store_16(some(words) & INT16_MAX, some((words) + LANES) & INT16_MAX, out)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         bits_i32
#define MAKE(words, out) store_32(some(words) & INT32_MAX, out)
#define ITEM             4
#include "core/random_each.h"
#define FUNCTION         bits_i64
#define MAKE(words, out) make_bits_i64(words, out)
#define ITEM             8
#define AT_ONCE          LANES64
#define EACH             2
#include "core/random_each.h"
#define FUNCTION         bits_f64
#define MAKE(words, out) make_bits_f64(words, out)
#define ITEM             8
#define AT_ONCE          LANES64
#define EACH             2
#include "core/random_each.h"

/* ---- remainders ------------------------------------------------------------------------------ */

/* By a quotient that is too small by one at most. */
BODY u32v rest_of(const uint32_t *words, const nomen__making *with) {
    const u32v word = some(words);
    const pair64v factor = (pair64v){0} + with->inverse;
    const u32v even = (u32v)(MULTIPLY((pair64v)word, factor) >> 32);
    const u32v odd = (u32v)MULTIPLY((pair64v)word >> 32, factor);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const u32v quotient = __builtin_shufflevector(even, odd, IN_TURNS);
#else
    const u32v quotient = (u32v)((pair64v)even | ((pair64v)odd >> 32 << 32));
#endif
    const u32v rest = word - quotient * with->range;
    return LESSER(rest - with->range, rest);
}
/* Sums that are numbers of 32 bits. */
BODY u32v sum_of(const uint32_t *words, const nomen__making *with) {
    return rest_of(words, with) + (uint32_t)with->base;
}

BODY void make_rest_i64(const uint32_t *words, char *out, const nomen__making *with) {
    const i32v sum = (i32v)sum_of(words, with);
    const i32h first = __builtin_shufflevector(sum, sum, FIRST_HALF),
               second = __builtin_shufflevector(sum, sum, SECOND_HALF);
    *(i64v *)(void *)out = LONGS(first);
    *(i64v *)(void *)(out + 4 * LANES) = LONGS(second);
}
BODY void make_rest_f64(const uint32_t *words, char *out, const nomen__making *with) {
    const i32v sum = (i32v)sum_of(words, with);
    const i32h first = __builtin_shufflevector(sum, sum, FIRST_HALF),
               second = __builtin_shufflevector(sum, sum, SECOND_HALF);
    *(f64v *)(void *)out = DOUBLES(first);
    *(f64v *)(void *)(out + 4 * LANES) = DOUBLES(second);
}
BODY void make_rest_f16(const uint32_t *words, char *out, const nomen__making *with) {
    store_f16(as_float(sum_of(words, with)), as_float(sum_of(words + LANES, with)), out);
}
BODY void make_rest_bf16(const uint32_t *words, char *out, const nomen__making *with) {
    store_16(round_bf16(as_float(sum_of(words, with))),
             round_bf16(as_float(sum_of(words + LANES, with))), out);
}
BODY void make_rest_i16(const uint32_t *words, char *out, const nomen__making *with) {
    store_16(sum_of(words, with) & UINT16_MAX, sum_of(words + LANES, with) & UINT16_MAX, out);
}

#define FUNCTION         rest_bool
#define MAKE(words, out) store_8((u32v)(sum_of(words, &with) != 0) & 1, out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         rest_8
#define MAKE(words, out) store_8(sum_of(words, &with), out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         rest_i16
#define MAKE(words, out) make_rest_i16(words, out, &with)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         rest_i32
#define MAKE(words, out) store_32(sum_of(words, &with), out)
#define ITEM             4
#include "core/random_each.h"
#define FUNCTION         rest_i64
#define MAKE(words, out) make_rest_i64(words, out, &with)
#define ITEM             8
#include "core/random_each.h"
#define FUNCTION         rest_f16
#define MAKE(words, out) make_rest_f16(words, out, &with)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         rest_bf16
#define MAKE(words, out) make_rest_bf16(words, out, &with)
#define ITEM             2
#define AT_ONCE          (2 * LANES)
#include "core/random_each.h"
#define FUNCTION         rest_f32
#define MAKE(words, out) *(f32v *)(void *)(out) = as_float(sum_of(words, &with))
#define ITEM             4
#include "core/random_each.h"
#define FUNCTION         rest_f64
#define MAKE(words, out) make_rest_f64(words, out, &with)
#define ITEM             8
#include "core/random_each.h"

/* Sums beyond 32 bits, in int64; of floats base and sum are exact in double. */
BODY pair64v widened(u32v x, bool second) {
    const i32v all = (i32v)x;
    return (pair64v)LONGS(second ? __builtin_shufflevector(all, all, SECOND_HALF)
                                 : __builtin_shufflevector(all, all, FIRST_HALF)) &
           UINT32_MAX;
}
BODY f64v as_doubles(pair64v x) { return (f64v)(x | 0x4330000000000000U) - 0x1p52; }

BODY void make_far_i64(const uint32_t *words, char *out, const nomen__making *with) {
    const u32v rest = rest_of(words, with);
    for (int k = 0; k < 2; k++)
        *(pair64v *)(void *)(out + k * 4 * LANES) = widened(rest, k) + (uint64_t)with->base;
}
BODY void make_far_f64(const uint32_t *words, char *out, const nomen__making *with) {
    const u32v rest = rest_of(words, with);
    for (int k = 0; k < 2; k++)
        *(f64v *)(void *)(out + k * 4 * LANES) = as_doubles(widened(rest, k)) + (double)with->base;
}
BODY void make_far_f32(const uint32_t *words, char *out, const nomen__making *with) {
    const u32v rest = rest_of(words, with);
    for (int k = 0; k < 2; k++)
        *(f32h *)(void *)(out + k * 4 * LANES64) =
            __builtin_convertvector(as_doubles(widened(rest, k)) + (double)with->base, f32h);
}

#define FUNCTION         far_i64
#define MAKE(words, out) make_far_i64(words, out, &with)
#define ITEM             8
#include "core/random_each.h"
#define FUNCTION         far_f64
#define MAKE(words, out) make_far_f64(words, out, &with)
#define ITEM             8
#include "core/random_each.h"
#define FUNCTION         far_f32
#define MAKE(words, out) make_far_f32(words, out, &with)
#define ITEM             4
#include "core/random_each.h"

/* Whom each of the numbers from `first` on is exchanged with, of n that are permuted: itself or one
 * behind it. In double, as numbers below 2^32 have exact quotients there but for what is cut off.
 */
BODY f64v partner_of(f64v word, f64v place, double n) {
    const f64v left = n - place, near = (word / left + 0x1p52) - 0x1p52, rest = word - near * left;
    return place + rest + (f64v)((i64v)left & (i64v)(rest < 0));
}

TARGET static void partners(const uint32_t *words, int64_t first, int64_t n, uint32_t *partner,
                            int64_t count) {
    static const double order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    f64v place[2];
    for (int k = 0; k < 2; k++) place[k] = *(const f64v *)(order + k * LANES64) + (double)first;
    for (int64_t i = 0; i < count; i += LANES) {
        const u32v w = *(const u32v *)(words + i);
        f64v made[2];
        for (int k = 0; k < 2; k++) {
            made[k] = partner_of(as_doubles(widened(w, k)), place[k], (double)n) + 0x1p52;
            place[k] += LANES;
        }
        *(u32v *)(partner + i) = __builtin_shufflevector((u32v)made[0], (u32v)made[1], EVEN_WORDS);
    }
}
