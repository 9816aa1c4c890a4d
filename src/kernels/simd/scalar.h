/* The ISA-dependent part of simd.h in plain vector C: the whole of it for scalar, and the parts of
 * the other ISAs that have no better form there. Included by simd.h only. */
#ifndef NOMEN_SRC_SIMD_SCALAR_H
#define NOMEN_SRC_SIMD_SCALAR_H

/* Words of 16 bits times 65536 in lanes of 32, and lanes of less than 65536 as words. Of
 * conversions of vectors gcc makes twice as many steps where there are no instructions for them. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_scalar && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline vu32 v_words_above(vu16h h) {
    const vu16h none = {0};
    return (vu32)__builtin_shufflevector(none, h, 0, 4, 1, 5, 2, 6, 3, 7);
}
static inline vu16h v_words_below(vu32 x) {
    const vu32 pairs = (vu32)((vu64)x | (vu64)x >> 16);
    return (vu16h)__builtin_shufflevector(pairs, pairs, 0, 2);
}
#else
static inline vu32 v_words_above(vu16h h) { return __builtin_convertvector(h, vu32) << 16; }
static inline vu16h v_words_below(vu32 x) { return __builtin_convertvector(x, vu16h); }
#endif

/* The lesser or the greater of two. Loops over four lanes are one instruction, which compilers do
 * not see in comparisons of vectors; loops over two are left alone. */
#if NOMEN__ISA_ID != NOMEN__ISA_ID_avx512 && NOMEN__ISA_ID != NOMEN__ISA_ID_avx2
static inline vf32 v_lesser_f32(vf32 a, vf32 b) {
    vf32 r;
    for (int i = 0; i < W32; i++) r[i] = a[i] < b[i] ? a[i] : b[i];
    return r;
}
static inline vf32 v_greater_f32(vf32 a, vf32 b) {
    vf32 r;
    for (int i = 0; i < W32; i++) r[i] = a[i] > b[i] ? a[i] : b[i];
    return r;
}
static inline vf64 v_lesser_f64(vf64 a, vf64 b) { return v_sel_f64(a < b, a, b); }
static inline vf64 v_greater_f64(vf64 a, vf64 b) { return v_sel_f64(a > b, a, b); }
static inline vi32 v_lesser_i32(vi32 a, vi32 b) { return b ^ ((a ^ b) & (a < b)); }
static inline vi64 v_lesser_i64(vi64 a, vi64 b) { return b ^ ((a ^ b) & (a < b)); }
static inline vi32 v_greater_i32(vi32 a, vi32 b) { return b ^ ((a ^ b) & (a > b)); }
static inline vi64 v_greater_i64(vi64 a, vi64 b) { return b ^ ((a ^ b) & (a > b)); }
#endif

#if NOMEN__ISA_ID == NOMEN__ISA_ID_scalar

static inline vf32 v_fma_f32(vf32 a, vf32 b, vf32 c) { return a * b + c; }
static inline vf64 v_fma_f64(vf64 a, vf64 b, vf64 c) { return a * b + c; }
static inline vf32 v_fma_less_f32(vf32 a, vf32 b, vf32 c) { return c - a * b; }
static inline vf64 v_fma_less_f64(vf64 a, vf64 b, vf64 c) { return c - a * b; }

static inline vf32 v_sqrt_f32(vf32 x) {
    vf32 r = x;
    for (int i = 0; i < W32; i++) r[i] = __builtin_sqrtf(x[i]);
    return r;
}
static inline vf64 v_sqrt_f64(vf64 x) {
    vf64 r = x;
    for (int i = 0; i < W64; i++) r[i] = __builtin_sqrt(x[i]);
    return r;
}

static inline int v_any32(vi32 m) {
    vi64 t = (vi64)m;
    return (t[0] | t[1]) != 0;
}
static inline int v_any64(vi64 m) { return (m[0] | m[1]) != 0; }

/* Adding and subtracting 2^23 (2^52) leaves the nearest integer; from there on every number is an
 * integer. */
static inline vf32 v_round_f32(vf32 x) {
    vf32 magic = v_copysign_f32(v_set_f32(0x1p23f), x);
    vf32 r = v_copysign_f32((x + magic) - magic, x);
    return v_sel_f32(v_abs_f32(x) < 0x1p23f, r, x);
}
static inline vf64 v_round_f64(vf64 x) {
    vf64 magic = v_copysign_f64(v_set_f64(0x1p52), x);
    vf64 r = v_copysign_f64((x + magic) - magic, x);
    return v_sel_f64(v_abs_f64(x) < 0x1p52, r, x);
}
static inline vf32 v_floor_f32(vf32 x) {
    vf32 r = v_round_f32(x);
    return v_copysign_f32(r - v_sel_f32(r > x, v_set_f32(1), (vf32){0}), x);
}
static inline vf64 v_floor_f64(vf64 x) {
    vf64 r = v_round_f64(x);
    return v_copysign_f64(r - v_sel_f64(r > x, v_set_f64(1), (vf64){0}), x);
}
static inline vf32 v_ceil_f32(vf32 x) {
    vf32 r = v_round_f32(x);
    return v_copysign_f32(r + v_sel_f32(r < x, v_set_f32(1), (vf32){0}), x);
}
static inline vf64 v_ceil_f64(vf64 x) {
    vf64 r = v_round_f64(x);
    return v_copysign_f64(r + v_sel_f64(r < x, v_set_f64(1), (vf64){0}), x);
}
static inline vf32 v_trunc_f32(vf32 x) { return v_copysign_f32(v_floor_f32(v_abs_f32(x)), x); }
static inline vf64 v_trunc_f64(vf64 x) { return v_copysign_f64(v_floor_f64(v_abs_f64(x)), x); }

static inline vf32 v_dup_even_f32(vf32 x) { return (vf32){x[0], x[0], x[2], x[2]}; }
static inline vf32 v_dup_odd_f32(vf32 x) { return (vf32){x[1], x[1], x[3], x[3]}; }
static inline vf32 v_swap_f32(vf32 x) { return (vf32){x[1], x[0], x[3], x[2]}; }
static inline vf64 v_dup_even_f64(vf64 x) { return (vf64){x[0], x[0]}; }
static inline vf64 v_dup_odd_f64(vf64 x) { return (vf64){x[1], x[1]}; }
static inline vf64 v_swap_f64(vf64 x) { return (vf64){x[1], x[0]}; }

/* Shift the exponent and mantissa into place and multiply the exponent right: subnormals come out
 * normal. Infinities and NaN have their exponent before; the product makes a NaN a quiet one. */
static inline vf32 v_from_f16(vu16h h) {
    const vu32 bits = v_words_above(h);
    const vu32 rest = (bits & 0x7fffffffu) >> 3;
    const vu32 special = (vu32)((vi32)rest >= 0x7c00 << 13) & 0x7f800000u;
    return (vf32)((vu32)((vf32)(rest | special) * 0x1p112f) | (bits & 0x80000000u));
}
/* Nearest, ties to even. Normal results round by integer addition, and what is too large as 65536,
 * which becomes infinity; for subnormal ones an f32 addition does the rounding, because 0.5 has its
 * last bit where the smallest f16 has its own. */
static inline vu16h v_to_f16(vf32 x) {
    const vu32 bits = (vu32)x, rest = bits & 0x7fffffffu;
    const vu32 bound = (vu32)v_lesser_f32((vf32)rest, v_set_f32(0x1p16f));
    const vu32 normal = (bound + (0xfffu + ((rest >> 13) & 1u)) - (112u << 23)) >> 13;
    const vu32 small = (vu32)((vf32)rest + 0.5f) - 0x3f000000u;
    const vu32 is_small = (vu32)((vi32)rest < 113 << 23);
    const vu32 nan = (vu32)(x != x) & (0x200u | ((rest >> 13) & 0x3ffu));
    return v_words_below((is_small & small) | (~is_small & normal) | nan |
                         ((bits >> 16) & 0x8000u));
}

#endif

#if NOMEN__ISA_ID != NOMEN__ISA_ID_avx512 && NOMEN__ISA_ID != NOMEN__ISA_ID_avx2
/* The low and the high half of the lanes, as f64; and back, rounding once. */
static inline vf64 v_low_f64(vf32 x) { return __builtin_convertvector(v_low(x), vf64); }
static inline vf64 v_high_f64(vf32 x) { return __builtin_convertvector(v_high(x), vf64); }
static inline vf32 v_narrow_f64(vf64 low, vf64 high) {
    const vf32h first = __builtin_convertvector(low, vf32h);
    const vf32h second = __builtin_convertvector(high, vf32h);
    return __builtin_shufflevector(first, second, 0, 1, 2, 3);
}
/* bf16: the upper half of an f32. */
static inline vf32 v_from_bf16(vu16h h) { return (vf32)v_words_above(h); }
/* Nearest, ties to even; a NaN stays one (adding the rounding could carry its payload away). */
static inline vu16h v_to_bf16(vf32 x) {
    vu32 bits = (vu32)x;
    vu32 rounded = (bits + (0x7fffu + ((bits >> 16) & 1u))) >> 16;
    vu32 nan = (bits >> 16) | 0x40u;
    vu32 is_nan = (vu32)(x != x);
    return v_words_below((is_nan & nan) | (~is_nan & rounded));
}
#endif

/* Masks to bools. Where vectors are short each lane keeps the bit that is its byte's, and these are
 * joined. */
#if VB == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline vi8q v_bools32(vi32 m) {
    vu32 bits = (vu32)m & (vu32){1u, 1u << 8, 1u << 16, 1u << 24};
    bits |= __builtin_shufflevector(bits, bits, 2, 3, 2, 3);
    bits |= __builtin_shufflevector(bits, bits, 1, 1, 1, 1);
    vi8q b;
    memcpy(&b, &bits, sizeof b);
    return b;
}
static inline vi8o v_bools64(vi64 m) {
    const vu64 bits = (vu64)m & (vu64){1u, 1u << 8};
    const uint16_t both = (uint16_t)(bits[0] | bits[1]);
    vi8o b;
    memcpy(&b, &both, sizeof b);
    return b;
}
#elif NOMEN__ISA_ID != NOMEN__ISA_ID_avx2
static inline vi8q v_bools32(vi32 m) { return __builtin_convertvector(m, vi8q) & 1; }
static inline vi8o v_bools64(vi64 m) { return __builtin_convertvector(m, vi8o) & 1; }
#endif

/* Partial loads and stores by way of a copy; AVX2 and AVX-512 have masks instead (x86.h). */
#if NOMEN__ISA_ID != NOMEN__ISA_ID_avx512 && NOMEN__ISA_ID != NOMEN__ISA_ID_avx2
static inline vf32 ld_f32_n(const void *p, int64_t k) {
    vf32 v = {0};
    memcpy(&v, p, (size_t)k * 4);
    return v;
}
static inline vf64 ld_f64_n(const void *p, int64_t k) {
    vf64 v = {0};
    memcpy(&v, p, (size_t)k * 8);
    return v;
}
static inline vu16h ld_u16h_n(const void *p, int64_t k) {
    vu16h v = {0};
    memcpy(&v, p, (size_t)k * 2);
    return v;
}
/* k > 0; the lanes behind have the first element. */
static inline vf32 ld_f32_again(const void *p, int64_t k) {
    vf32 v = v_set_f32(*(const float *)p);
    memcpy(&v, p, (size_t)k * 4);
    return v;
}
static inline vf64 ld_f64_again(const void *p, int64_t k) {
    vf64 v = v_set_f64(*(const double *)p);
    memcpy(&v, p, (size_t)k * 8);
    return v;
}
static inline vu16h ld_u16h_again(const void *p, int64_t k) {
    vu16h v = (vu16h){0} + *(const uint16_t *)p;
    memcpy(&v, p, (size_t)k * 2);
    return v;
}
static inline void st_f32_n(void *p, vf32 v, int64_t k) { memcpy(p, &v, (size_t)k * 4); }
static inline void st_f64_n(void *p, vf64 v, int64_t k) { memcpy(p, &v, (size_t)k * 8); }
static inline void st_u16h_n(void *p, vu16h v, int64_t k) { memcpy(p, &v, (size_t)k * 2); }
static inline void st_i8q_n(void *p, vi8q v, int64_t k) { memcpy(p, &v, (size_t)k); }
static inline void st_i8o_n(void *p, vi8o v, int64_t k) { memcpy(p, &v, (size_t)k); }
#endif

/* Exponents, for which AVX-512 has instructions (x86.h). */
#if NOMEN__ISA_ID != NOMEN__ISA_ID_avx512

/* y 2^k for whole k, |k| < 250 (2000), in two factors, so that subnormal results round once. */
static inline vf32 v_scale_f32(vf32 y, vf32 k) {
    const vi32 n = __builtin_convertvector(k, vi32), half = n >> 1;
    const vf32 first = (vf32)(((vu32)half + 127u) << 23);
    return y * first * (vf32)(((vu32)n - (vu32)half + 127u) << 23);
}
/* + 2048 and - 1024 around the halving: a logical shift, which every ISA has for 64 bits. */
static inline vf64 v_scale_f64(vf64 y, vf64 k) {
    const vu64 n = (vu64)(k + 0x1.8p52) - 0x4338000000000000u, half = ((n + 2048u) >> 1) - 1024u;
    const vf64 first = (vf64)((half + 1023u) << 52);
    return y * first * (vf64)((n - half + 1023u) << 52);
}

/* x = 2^result m, least <= m < 2 least, for x positive, normal and finite; least by its bits. */
static inline vf32 v_split_from_f32(vf32 x, uint32_t least, vf32 *m) {
    const vi32 e = (vi32)((vu32)x - least) >> 23;
    *m = (vf32)((vu32)x - ((vu32)e << 23));
    return __builtin_convertvector(e, vf32);
}
/* The same with sqrt(1/2) <= m < sqrt(2); then for subnormal x too. */
static inline vf32 v_split_f32(vf32 x, vf32 *m) { return v_split_from_f32(x, 0x3f3504f3u, m); }
static inline vf64 v_split_f64(vf64 x, vf64 *m) {
    const vu64 bits = (vu64)x, least = (vu64){0} + 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    const vu64 biased = (bits - least + ((uint64_t)1023 << 52)) >> 52;
    *m = (vf64)(bits - ((biased - 1023u) << 52));
    return (vf64)(biased | (vu64)v_set_f64(0x1p52)) - (0x1p52 + 1023);
}
static inline vf32 v_exponent_f32(vf32 x, vf32 *m) {
    const vi32 small = x < 0x1p-126f;
    const vf32 k = v_split_f32(v_sel_f32(small, x * 0x1p23f, x), m);
    return k - v_sel_f32(small, v_set_f32(23), (vf32){0});
}
static inline vf64 v_exponent_f64(vf64 x, vf64 *m) {
    const vi64 small = x < 0x1p-1022;
    const vf64 k = v_split_f64(v_sel_f64(small, x * 0x1p52, x), m);
    return k - v_sel_f64(small, v_set_f64(52), (vf64){0});
}

/* What a logarithm of x is, y where x is positive and finite. */
static inline vf32 v_log_special_f32(vf32 x, vf32 y) {
    y = v_sel_f32((x == __builtin_inff()) | (x != x), x, y);
    y = v_sel_f32(x == 0, v_set_f32(-__builtin_inff()), y);
    return v_sel_f32(x < 0, v_set_f32(__builtin_nanf("")), y);
}
static inline vf64 v_log_special_f64(vf64 x, vf64 y) {
    y = v_sel_f64((x == __builtin_inf()) | (x != x), x, y);
    y = v_sel_f64(x == 0, v_set_f64(-__builtin_inf()), y);
    return v_sel_f64(x < 0, v_set_f64(__builtin_nan("")), y);
}

/* 1 / x, good to 2^-14. */
static inline vf32 v_about_inverse_f32(vf32 x) { return 1.0f / x; }

/* Per lane one of two numbers, by the last bit of q. */
static inline vf32 v_pick_odd_f32(vu32 q, vf32 even, vf32 odd) {
    return v_sel_f32(-(vi32)(q & 1u), odd, even);
}
static inline vf64 v_pick_odd_f64(vu64 q, vf64 even, vf64 odd) {
    return v_sel_f64(-(vi64)(q & 1u), odd, even);
}

#endif

#endif
