/* Part of random_simd.c: words as whole numbers of any dtype, and as floats of 16 bits. The bodies
 * are compiled for several ISAs. Eight numbers at a time; what is left over is made in a block of
 * its own. */

typedef uint16_t u16v __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint8_t u8v __attribute__((vector_size(32), may_alias));

/* ---- whole numbers --------------------------------------------------------------------------- */

/* word % (2^k + 1): since 2^k is -1 there, digits to that base are added and taken
 * away in turns. */
BODY u32v rest_of_power(u32v w, int k, int digits) {
    const uint32_t mask = (1U << k) - 1;
    const int32_t range = (1 << k) + 1;
    i32v rest = (i32v)(w & mask);
    for (int d = 1; d < digits; d++) {
        const i32v digit = (i32v)(w >> d * k & mask);
        rest = d % 2 ? rest - digit : rest + digit;
    }
    rest += (rest < 0) & range;
    rest += (rest < 0) & range;
    return (u32v)(rest - ((rest >= range) & range));
}

/* The lowest bytes, together in each half first: conversion in one step becomes byte by byte. */
BODY void store_8(u32v w, char *out) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
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
BODY void whole_eight(u32v w, nomen_dtype dtype, char *out) {
    u32v r;
    switch (dtype) {
    case NOMEN_BOOL: store_8(w & 1, out); break;
    case NOMEN_U8: store_8(w & UINT8_MAX, out); break;
    case NOMEN_I8: store_8(w & INT8_MAX, out); break;
    case NOMEN_I16: store_16(w & INT16_MAX, out); break;
    case NOMEN_I32: store_32(w & INT32_MAX, out); break;
    case NOMEN_F16:
        r = rest_of_power(w, 11, 3);
        store_16((as_float(r) - 0x38000000) >> 13 & (u32v)(r != 0), out);
        break;
    case NOMEN_BF16: store_16(as_float(rest_of_power(w, 8, 4)) >> 16, out); break;
    default: store_32(as_float(rest_of_power(w, 24, 2)), out);
    }
}

BODY void whole_of(const uint32_t *words, char *out, int64_t n, nomen_dtype dtype, int64_t item) {
    uint32_t rest[LANES] = {0};
    char made[LANES * sizeof(uint32_t)];
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        whole_eight(*(const u32v *)(words + i), dtype, out + i * item);
    if (i == n) return;
    memcpy(rest, words + i, (size_t)(n - i) * sizeof *rest);
    whole_eight(*(const u32v *)rest, dtype, made);
    memcpy(out + i * item, made, (size_t)((n - i) * item));
}

BODY void whole_body(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    switch (dtype) {
    case NOMEN_BOOL: whole_of(words, out, n, NOMEN_BOOL, 1); break;
    case NOMEN_U8: whole_of(words, out, n, NOMEN_U8, 1); break;
    case NOMEN_I8: whole_of(words, out, n, NOMEN_I8, 1); break;
    case NOMEN_I16: whole_of(words, out, n, NOMEN_I16, 2); break;
    case NOMEN_I32: whole_of(words, out, n, NOMEN_I32, 4); break;
    case NOMEN_F16: whole_of(words, out, n, NOMEN_F16, 2); break;
    case NOMEN_BF16: whole_of(words, out, n, NOMEN_BF16, 2); break;
    default: whole_of(words, out, n, NOMEN_F32, 4);
    }
}

/* Of pairs of words, upper half first: 63 bits, or what is left of all by 2^53 + 1, a digit to the
 * base 2^53 and 11 bits of the next. Doubles are put together from halves as above. */
BODY void wide_four(const uint32_t *words, nomen_dtype dtype, char *out) {
    pair64v x = *(const pair64v *)words;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = x << 32 | x >> 32;
#endif
    if (dtype == NOMEN_I64) {
        *(pair64v *)(void *)out = x & INT64_MAX;
        return;
    }
    pair64v rest = (x & ((UINT64_C(1) << 53) - 1)) - (x >> 53);
    rest += -(rest >> 63) & ((UINT64_C(1) << 53) + 1);
    const f64v upper = (f64v)(rest >> 32 | 0x4530000000000000U) - 0x1p84;
    const f64v lower = (f64v)((rest & UINT32_MAX) | 0x4330000000000000U) - 0x1p52;
    *(f64v *)(void *)out = upper + lower;
}

BODY void wide_of(const uint32_t *words, char *out, int64_t n, nomen_dtype dtype) {
    uint32_t rest[2 * LANES64] = {0};
    char made[LANES64 * sizeof(uint64_t)];
    int64_t i = 0;
    for (; i + LANES64 <= n; i += LANES64) wide_four(words + 2 * i, dtype, out + 8 * i);
    if (i == n) return;
    memcpy(rest, words + 2 * i, (size_t)(n - i) * 8);
    wide_four(rest, dtype, made);
    memcpy(out + 8 * i, made, (size_t)(n - i) * 8);
}

BODY void wide_body(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    if (dtype == NOMEN_I64)
        wide_of(words, out, n, NOMEN_I64);
    else
        wide_of(words, out, n, NOMEN_F64);
}

/* ---- floats of 16 bits ----------------------------------------------------------------------- */

BODY u32v choose(i32v yes, u32v a, u32v b) { return (a & (u32v)yes) | (b & ~(u32v)yes); }

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
/* What functions that are compiled for an ISA call gets vectors by address: in registers it would
 * be another calling convention. All of it is inlined. Numbers of a table, named one by one, go
 * into the vector without a way through memory. */
BODY void look_up(f32v *found, const float *table, const uint16_t *at, int mask) {
    *found =
        (f32v){table[at[0] & mask], table[at[1] & mask], table[at[2] & mask], table[at[3] & mask],
               table[at[4] & mask], table[at[5] & mask], table[at[6] & mask], table[at[7] & mask]};
}

BODY void round_to_bf16(f32v *value) { *value = (f32v)(bf16_from(*value) << 16); }

BODY void store_rounded(const f32v *value, bool brain, uint16_t *out) {
    store_16(brain ? bf16_from(*value) : f16_from(*value), (char *)out);
}

/* 11 bits of a word for float16, 8 for bfloat16: as fractions of 1, exact in both. Times width,
 * plus low, each rounded as a float. */
BODY u32v uniform_eight(u32v w, bool brain, bool scaled, float low, float width) {
    const int digits = brain ? 8 : 11;
    const u32v count = w & ((1U << digits) - 1);
    f32v u = __builtin_convertvector((i32v)count, f32v) * (1.0f / (float)(1 << digits));
    if (scaled) u = u * width + low;
    if (!scaled && brain) return (u32v)u >> 16;
    if (!scaled) return ((u32v)u - 0x38000000) >> 13 & (u32v)(count != 0);
    return brain ? bf16_from(u) : f16_from(u);
}

BODY void uniform_16_of(const uint32_t *words, uint16_t *out, int64_t n, bool brain, bool scaled,
                        float low, float width) {
    uint32_t rest[LANES] = {0};
    char made[LANES * sizeof(uint16_t)];
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store_16(uniform_eight(*(const u32v *)(words + i), brain, scaled, low, width),
                 (char *)(out + i));
    if (i == n) return;
    memcpy(rest, words + i, (size_t)(n - i) * sizeof *rest);
    store_16(uniform_eight(*(const u32v *)rest, brain, scaled, low, width), made);
    memcpy(out + i, made, (size_t)(n - i) * sizeof *out);
}

BODY void uniform_16_body(const uint32_t *words, uint16_t *out, int64_t n, nomen_dtype dtype,
                          const float *scale) {
    const float low = scale ? scale[0] : 0, width = scale ? scale[1] : 1;
    if (dtype == NOMEN_BF16 && scale)
        uniform_16_of(words, out, n, true, true, low, width);
    else if (dtype == NOMEN_BF16)
        uniform_16_of(words, out, n, true, false, low, width);
    else if (scale)
        uniform_16_of(words, out, n, false, true, low, width);
    else
        uniform_16_of(words, out, n, false, false, low, width);
}
