/* Part of random_loops.h: words as whole numbers of any dtype, and as floats of 16 bits. A function
 * for each dtype: what is inlined with the dtype as a constant has branches nobody takes. */

typedef uint16_t u16v __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
typedef uint8_t u8v
    __attribute__((vector_size(LANES == 16 ? LANES : 4 * LANES), aligned(1), may_alias));

BODY u32v choose(i32v yes, u32v a, u32v b) { return (a & (u32v)yes) | (b & ~(u32v)yes); }

/* ---- whole numbers --------------------------------------------------------------------------- */

/* word % (2^k + 1): since 2^k is -1 there, digits to that base are added and taken
 * away in turns. */
BODY u32v rest_of_power(u32v w, int k, int digits) {
    const uint32_t mask = (1U << k) - 1;
    const int32_t range = (1 << k) + 1;
    i32v rest = {0};
    for (int d = digits - 1; d >= 0; d--) rest = (i32v)(w >> d * k & mask) - rest;
    rest += (rest < 0) & range;
    rest += (rest < 0) & range;
    return (u32v)(rest - ((rest >= range) & range));
}

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
BODY void store_16(u32v w, char *out) { *(u16v *)(void *)out = __builtin_convertvector(w, u16v); }
BODY void store_32(u32v w, char *out) { *(u32v *)(void *)out = w; }
BODY u32v as_float(u32v whole) { return (u32v) __builtin_convertvector((i32v)whole, f32v); }

/* What random_ draws for a dtype from words of 32 bits: numbers up to the largest of an integer, or
 * up to which a float has all of them. */
BODY u32v some(const uint32_t *words) { return *(const u32v *)words; }
BODY void make_f16(const uint32_t *words, char *out) {
    const u32v r = rest_of_power(some(words), 11, 3);
    store_16((as_float(r) - 0x38000000) >> 13 & (u32v)(r != 0), out);
}
BODY void make_bf16(const uint32_t *words, char *out) {
    store_16(as_float(rest_of_power(some(words), 8, 4)) >> 16, out);
}
BODY void make_f32(const uint32_t *words, char *out) {
    store_32(as_float(rest_of_power(some(words), 24, 2)), out);
}

#define FUNCTION         whole_bool
#define MAKE(words, out) store_8(some(words) & 1, out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         whole_u8
#define MAKE(words, out) store_8(some(words) & UINT8_MAX, out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         whole_i8
#define MAKE(words, out) store_8(some(words) & INT8_MAX, out)
#define ITEM             1
#include "core/random_each.h"
#define FUNCTION         whole_i16
#define MAKE(words, out) store_16(some(words) & INT16_MAX, out)
#define ITEM             2
#include "core/random_each.h"
#define FUNCTION         whole_i32
#define MAKE(words, out) store_32(some(words) & INT32_MAX, out)
#define ITEM             4
#include "core/random_each.h"
#define FUNCTION         whole_f16
#define MAKE(words, out) make_f16(words, out)
#define ITEM             2
#include "core/random_each.h"
#define FUNCTION         whole_bf16
#define MAKE(words, out) make_bf16(words, out)
#define ITEM             2
#include "core/random_each.h"
#define FUNCTION         whole_f32
#define MAKE(words, out) make_f32(words, out)
#define ITEM             4
#include "core/random_each.h"

TARGET static void whole(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    switch (dtype) {
    case NOMEN_BOOL: whole_bool(words, out, n, NULL); break;
    case NOMEN_U8: whole_u8(words, out, n, NULL); break;
    case NOMEN_I8: whole_i8(words, out, n, NULL); break;
    case NOMEN_I16: whole_i16(words, out, n, NULL); break;
    case NOMEN_I32: whole_i32(words, out, n, NULL); break;
    case NOMEN_F16: whole_f16(words, out, n, NULL); break;
    case NOMEN_BF16: whole_bf16(words, out, n, NULL); break;
    default: whole_f32(words, out, n, NULL);
    }
}

/* Of pairs of words, upper half first: 63 bits, or what is left of all by 2^53 + 1, a digit to the
 * base 2^53 and 11 bits of the next. Doubles are put together from halves as above. */
BODY pair64v four_pairs(const uint32_t *words) {
    const pair64v x = *(const pair64v *)words;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return x << 32 | x >> 32;
#else
    return x;
#endif
}
BODY void make_i64(const uint32_t *words, char *out) {
    *(pair64v *)(void *)out = four_pairs(words) & INT64_MAX;
}
BODY void make_f64(const uint32_t *words, char *out) {
    const pair64v x = four_pairs(words);
    pair64v rest = (x & ((UINT64_C(1) << 53) - 1)) - (x >> 53);
    rest += -(rest >> 63) & ((UINT64_C(1) << 53) + 1);
    const f64v upper = (f64v)(rest >> 32 | 0x4530000000000000U) - 0x1p84;
    const f64v lower = (f64v)((rest & UINT32_MAX) | 0x4330000000000000U) - 0x1p52;
    *(f64v *)(void *)out = upper + lower;
}

#define FUNCTION         whole_i64
#define MAKE(words, out) make_i64(words, out)
#define ITEM             8
#define AT_ONCE          LANES64
#define EACH             2
#include "core/random_each.h"
#define FUNCTION         whole_f64
#define MAKE(words, out) make_f64(words, out)
#define ITEM             8
#define AT_ONCE          LANES64
#define EACH             2
#include "core/random_each.h"

TARGET static void wide(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    if (dtype == NOMEN_I64)
        whole_i64(words, out, n, NULL);
    else
        whole_f64(words, out, n, NULL);
}

/* word % range + base. */
typedef struct remainder_of {
    uint32_t range;
    int64_t base;
} remainder_of;

/* By a quotient that is too small by one at most. */
BODY u32v rest_of(u32v word, uint32_t range) {
    const uint64_t inverse = range > 1 ? (UINT64_C(1) << 32) / range : UINT32_MAX;
    const pair64v upper = (pair64v){0} + (UINT64_MAX << 32), factor = (pair64v){0} + inverse;
    const pair64v even = MULTIPLY((pair64v)word, factor) >> 32;
    const pair64v odd = MULTIPLY((pair64v)word >> 32, factor) & upper;
    const u32v rest = word - (u32v)(even | odd) * range, less = rest - range;
    return choose(less < rest, less, rest);
}

/* Half of the words, one per number of 64 bits. */
BODY pair64v widened(u32v x, bool second) {
    typedef uint32_t u32h __attribute__((vector_size(4 * LANES64)));
#if LANES == 16
    const u32h half = second ? __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15)
                             : __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    const u32h half = second ? __builtin_shufflevector(x, x, 4, 5, 6, 7)
                             : __builtin_shufflevector(x, x, 0, 1, 2, 3);
#endif
    return __builtin_convertvector(half, pair64v);
}
BODY f64v as_doubles(pair64v x) { return (f64v)(x | 0x4330000000000000U) - 0x1p52; }

BODY void make_rest_i64(const uint32_t *words, char *out, const remainder_of *r) {
    const u32v rest = rest_of(some(words), r->range);
    for (int k = 0; k < 2; k++)
        *(pair64v *)(void *)(out + k * 4 * LANES) = widened(rest, k) + (uint64_t)r->base;
}
/* Of floats base and sum are exact in double. */
BODY void make_rest_f64(const uint32_t *words, char *out, const remainder_of *r) {
    const u32v rest = rest_of(some(words), r->range);
    for (int k = 0; k < 2; k++)
        *(f64v *)(void *)(out + k * 4 * LANES) = as_doubles(widened(rest, k)) + (double)r->base;
}
BODY void make_rest_f32(const uint32_t *words, char *out, const remainder_of *r) {
    typedef float f32h __attribute__((vector_size(4 * LANES64), aligned(4), may_alias));
    const u32v rest = rest_of(some(words), r->range);
    for (int k = 0; k < 2; k++)
        *(f32h *)(void *)(out + k * 4 * LANES64) =
            __builtin_convertvector(as_doubles(widened(rest, k)) + (double)r->base, f32h);
}

#define FUNCTION         rest_i64
#define MAKE(words, out) make_rest_i64(words, out, with)
#define ITEM             8
#include "core/random_each.h"
#define FUNCTION         rest_f64
#define MAKE(words, out) make_rest_f64(words, out, with)
#define ITEM             8
#include "core/random_each.h"
#define FUNCTION         rest_f32
#define MAKE(words, out) make_rest_f32(words, out, with)
#define ITEM             4
#include "core/random_each.h"

TARGET static void remainders(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype,
                              uint32_t range, int64_t base) {
    const remainder_of r = {range, base};
    switch (dtype) {
    case NOMEN_F32: rest_f32(words, out, n, &r); break;
    case NOMEN_F64: rest_f64(words, out, n, &r); break;
    default: rest_i64(words, out, n, &r);
    }
}

/* ---- floats of 16 bits ----------------------------------------------------------------------- */

/* Rounds to nearest even: the float's own addition rounds at the right bit once the number sits
 * beside a large one. */
BODY u32v f16_from(f32v value) {
    const u32v bits = (u32v)value, sign = bits >> 16 & 0x8000, magnitude = bits & INT32_MAX;
    const u32v beside = (u32v)((f32v)magnitude + 0.5f) - 0x3f000000;
    u32v found = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    found = choose(magnitude < 0x38800000, beside, found); /* below 2^-14: steps of 2^-24 */
    found =
        choose(magnitude >= 0x477ff000, (u32v){0} + 0x7c00, found); /* from 65520 on: infinity */
    return choose(magnitude > 0x7f800000, (u32v){0} + 0x7e00, found | sign);
}
BODY u32v bf16_from(f32v value) {
    const u32v bits = (u32v)value, found = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return choose((bits & INT32_MAX) > 0x7f800000, (u32v){0} + 0x7fc0, found);
}
/* Numbers of a table, named one by one, go into the vector without a way through memory. */
BODY f32v look_up(const float *table, const uint16_t *at, int mask) {
    return (f32v){
        table[at[0] & mask],  table[at[1] & mask],  table[at[2] & mask],  table[at[3] & mask],
        table[at[4] & mask],  table[at[5] & mask],  table[at[6] & mask],  table[at[7] & mask],
#if LANES == 16
        table[at[8] & mask],  table[at[9] & mask],  table[at[10] & mask], table[at[11] & mask],
        table[at[12] & mask], table[at[13] & mask], table[at[14] & mask], table[at[15] & mask],
#endif
    };
}

BODY f32v round_to_bf16(f32v value) { return (f32v)(bf16_from(value) << 16); }

/* 11 bits of a word for float16, 8 for bfloat16: as fractions of 1, exact in both. Times scale[1],
 * plus scale[0], each rounded as a float. */
BODY f32v fractions(const uint32_t *words, int digits) {
    const u32v count = some(words) & ((1U << digits) - 1);
    return __builtin_convertvector((i32v)count, f32v) * (1.0f / (float)(1 << digits));
}
BODY void make_uniform_bf16(const uint32_t *words, char *out) {
    store_16((u32v)fractions(words, 8) >> 16, out);
}
BODY void make_uniform_f16(const uint32_t *words, char *out) {
    const f32v u = fractions(words, 11);
    store_16(((u32v)u - 0x38000000) >> 13 & (u32v)(u != 0), out);
}
BODY void make_between_bf16(const uint32_t *words, char *out, const float *scale) {
    store_16(bf16_from(fractions(words, 8) * scale[1] + scale[0]), out);
}
BODY void make_between_f16(const uint32_t *words, char *out, const float *scale) {
    store_16(f16_from(fractions(words, 11) * scale[1] + scale[0]), out);
}

#define FUNCTION         uniform_bf16
#define MAKE(words, out) make_uniform_bf16(words, out)
#define ITEM             2
#include "core/random_each.h"
#define FUNCTION         uniform_f16
#define MAKE(words, out) make_uniform_f16(words, out)
#define ITEM             2
#include "core/random_each.h"
#define FUNCTION         between_bf16
#define MAKE(words, out) make_between_bf16(words, out, with)
#define ITEM             2
#include "core/random_each.h"
#define FUNCTION         between_f16
#define MAKE(words, out) make_between_f16(words, out, with)
#define ITEM             2
#include "core/random_each.h"

TARGET static void uniform_16(const uint32_t *words, uint16_t *out, int64_t n, nomen_dtype dtype,
                              const float *scale) {
    char *at = (char *)out;
    if (dtype == NOMEN_BF16 && scale)
        between_bf16(words, at, n, scale);
    else if (dtype == NOMEN_BF16)
        uniform_bf16(words, at, n, NULL);
    else if (scale)
        between_f16(words, at, n, scale);
    else
        uniform_f16(words, at, n, NULL);
}
