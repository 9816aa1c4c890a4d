/* Choices by comparison without a detour over vectors of masks, tables of float64 that are looked
 * up lane by lane, and first guesses at inverses. Included by vmath.h only. */
#ifndef NOMEN_SRC_VMATH_TABLES_H
#define NOMEN_SRC_VMATH_TABLES_H

/* ---- choices --------------------------------------------------------------------------------- */

#if SIMD_TABLES
typedef __mmask16 vmask_f32;
typedef __mmask8 vmask_f64;
static inline vmask_f32 v_less_f32(vf32 a, vf32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline vmask_f64 v_less_f64(vf64 a, vf64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
/* a > b or one of them NaN */
static inline vmask_f32 v_above_f32(vf32 a, vf32 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_NLE_UQ);
}
static inline vmask_f64 v_above_f64(vf64 a, vf64 b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_NLE_UQ);
}
/* x < 0, x > top or NaN; -0 is none of them only where it is allowed not to be. */
static inline vmask_f32 v_beyond_f32(vf32 x, float top) {
    return _mm512_cmpgt_epu32_mask((__m512i)x, (__m512i)v_set_f32(top));
}
static inline vmask_f64 v_beyond_f64(vf64 x, double top) {
    return _mm512_cmpgt_epu64_mask((__m512i)x, (__m512i)v_set_f64(top));
}
static inline vf32 v_either_f32(vmask_f32 m, vf32 yes, vf32 no) {
    return (vf32)_mm512_mask_blend_ps(m, no, yes);
}
static inline vf64 v_either_f64(vmask_f64 m, vf64 yes, vf64 no) {
    return (vf64)_mm512_mask_blend_pd(m, no, yes);
}
static inline vmask_f32 v_negative_f32(vf32 x) { return _mm512_movepi32_mask((__m512i)x); }
static inline vmask_f64 v_negative_f64(vf64 x) { return _mm512_movepi64_mask((__m512i)x); }
static inline int v_some_f32(vmask_f32 m) { return m != 0; }
static inline int v_some_f64(vmask_f64 m) { return m != 0; }
#else
typedef vi32 vmask_f32;
typedef vi64 vmask_f64;
static inline vmask_f32 v_less_f32(vf32 a, vf32 b) { return a < b; }
static inline vmask_f64 v_less_f64(vf64 a, vf64 b) { return a < b; }
static inline vmask_f32 v_above_f32(vf32 a, vf32 b) { return ~(a <= b); }
static inline vmask_f64 v_above_f64(vf64 a, vf64 b) { return ~(a <= b); }
static inline vmask_f32 v_beyond_f32(vf32 x, float top) { return ~((x >= 0) & (x <= top)); }
static inline vmask_f64 v_beyond_f64(vf64 x, double top) { return ~((x >= 0) & (x <= top)); }
static inline vf32 v_either_f32(vmask_f32 m, vf32 yes, vf32 no) { return v_sel_f32(m, yes, no); }
static inline vf64 v_either_f64(vmask_f64 m, vf64 yes, vf64 no) { return v_sel_f64(m, yes, no); }
static inline vmask_f32 v_negative_f32(vf32 x) { return (vi32)x < 0; }
static inline vmask_f64 v_negative_f64(vf64 x) { return (vi64)x < 0; }
static inline int v_some_f32(vmask_f32 m) { return v_any32(m); }
static inline int v_some_f64(vmask_f64 m) { return v_any64(m); }
#endif

/* ---- half turns ------------------------------------------------------------------------------ */

#if SIMD_TABLES
/* *k is the whole number and a half next to x / pi; the sign of the result that of (-1)^(k + 1/2).
 * Rounded down to halves, and up from a whole number. */
static inline vu32 v_odd_turns_f32(vf32 x, vf32 *k) {
    const vf32 magic = v_set_f32(VMATH_MAGIC_F32 / 2 + 1), by = v_set_f32((float)VMATH_ONE_OVER_PI);
    const vu32 t = (vu32)_mm512_fmadd_round_ps(x, by, magic, SIMD_FLOOR) | 1u;
    *k = (vf32)t - magic;
    return t << 30;
}
static inline vu64 v_odd_turns_f64(vf64 x, vf64 *k) {
    const vf64 magic = v_set_f64(VMATH_MAGIC_F64 / 2 + 1), by = v_set_f64(VMATH_ONE_OVER_PI);
    const vu64 t = (vu64)_mm512_fmadd_round_pd(x, by, magic, SIMD_FLOOR) | 1u;
    *k = (vf64)t - magic;
    return t << 62;
}
#else
static inline vu32 v_odd_turns_f32(vf32 x, vf32 *k) {
    const vf32 half = v_set_f32(0.5f);
    const vf32 t = v_fma_f32(x, v_set_f32((float)VMATH_ONE_OVER_PI), half) + VMATH_MAGIC_F32;
    *k = (t - VMATH_MAGIC_F32) - half;
    return (vu32)t << 31;
}
static inline vu64 v_odd_turns_f64(vf64 x, vf64 *k) {
    const vf64 half = v_set_f64(0.5);
    const vf64 t = v_fma_f64(x, v_set_f64(VMATH_ONE_OVER_PI), half) + VMATH_MAGIC_F64;
    *k = (t - VMATH_MAGIC_F64) - half;
    return (vu64)t << 63;
}
#endif

/* ---- tables ---------------------------------------------------------------------------------- */

/* Entry i % 8 or i % 16 of a table. */
#if SIMD_TABLES
static inline vf64 v_entry8_f64(const double *table, vu64 i) {
    return (vf64)_mm512_permutexvar_pd((__m512i)i, ld_f64(table));
}
#endif
static inline vf64 v_entry16_f64(const double *table, vu64 i) {
#if SIMD_TABLES
    return (vf64)_mm512_permutex2var_pd(ld_f64(table), (__m512i)i, ld_f64(table + 8));
#else
    vf64 r = (vf64){0};
    for (int lane = 0; lane < W64; lane++) r[lane] = table[i[lane] & 15u];
    return r;
#endif
}

/* A function on [1, 16) in pieces (VMATH_..._PIECES): the place and the piece of t are told by the
 * exponent and the first two bits of the mantissa. rows: of the table but for the last, which has
 * what the value lost. */
static inline vf64 v_sixteenths_f64(vf64 t, vf64 bits, const double (*table)[16], int rows) {
    const vu64 i = (vu64)bits >> 50;
    const vf64 d = t - v_entry16_f64(table[0], i);
    vf64 p = v_entry16_f64(table[rows - 1], i);
    for (int k = rows - 2; k >= 1; k--) p = v_fma_f64(p, d, v_entry16_f64(table[k], i));
    return p;
}
/* The value of piece i of a table of 16 at distance d from its point, but for row 1, which it is to
 * be added to. rows: points, coefficients, what the first of them lost. */
VMATH_QUICK vf64 v_piece_f64(vu64 i, vf64 d, const double (*table)[16], int rows) {
    const vf64 square = d * d; /* two chains: half as long to wait for */
    vf64 p = v_entry16_f64(table[rows - 2], i), q = v_entry16_f64(table[rows - 3], i);
    for (int k = rows - 4; k >= 3; k -= 2) p = v_fma_f64(p, square, v_entry16_f64(table[k], i));
    for (int k = rows - 5; k >= 3; k -= 2) q = v_fma_f64(q, square, v_entry16_f64(table[k], i));
    p = rows % 2 ? v_fma_f64(q, d, p) : v_fma_f64(p, d, q);
    p = v_fma_f64(p, square, v_entry16_f64(table[rows - 1], i));
    return v_fma_f64(v_entry16_f64(table[2], i), d, p);
}
#define VMATH_PIECE(i, d, table)                                                                   \
    v_piece_f64(i, d, VMATH_##table##_PIECES,                                                      \
                (int)(sizeof VMATH_##table##_PIECES / sizeof VMATH_##table##_PIECES[0]))
#define VMATH_SIXTEENTHS(t, bits, table)                                                           \
    v_sixteenths_f64(t, bits, VMATH_##table##_PIECES,                                              \
                     (int)(sizeof VMATH_##table##_PIECES / sizeof VMATH_##table##_PIECES[0]) - 1)

/* ---- inverses and roots ---------------------------------------------------------------------- */

/* 1 / x, good to 2^-14. */
static inline vf64 v_about_inverse_f64(vf64 x) {
#if SIMD_TABLES
    return (vf64)_mm512_rcp14_pd(x);
#else
    return 1.0 / x;
#endif
}
/* 1 / x, good to 2^-40, for normal x whose inverse is normal. */
static inline vf64 v_inverse_short(vf64 x) {
#if SIMD_TABLES
    const vf64 about = (vf64)_mm512_rcp14_pd(x), e = v_fma_f64(-x, about, v_set_f64(1));
    return v_fma_f64(about, v_fma_f64(e, e, e), about);
#else
    return 1.0 / x;
#endif
}

/* n / d, almost always rounded well, where d and 1 / d are normal. */
static inline vf32 v_quotient_f32(vf32 n, vf32 d) {
#if SIMD_TABLES
    const vf32 about = v_about_inverse_f32(d), e = v_fma_f32(-d, about, v_set_f32(1));
    const vf32 inverse = v_fma_f32(about, e, about), q = n * inverse;
    return v_fma_f32(v_fma_f32(-q, d, n), inverse, q);
#else
    return n / d;
#endif
}
static inline vf64 v_quotient_f64(vf64 n, vf64 d) {
#if SIMD_TABLES
    const vf64 inverse = v_inverse_short(d), q = n * inverse;
    return v_fma_f64(v_fma_f64(-q, d, n), inverse, q);
#else
    return n / d;
#endif
}

/* The root of z >= 0, and what its rounding lost where that is cheaply known. */
static inline vf32 v_root_f32(vf32 z, vf32 *lost) {
#if SIMD_TABLES
    const vf32 about = (vf32)_mm512_rsqrt14_ps(z + 0x1p-100f), s = z * about; /* 0: no inf */
    *lost = v_fma_f32(-s, s, z) * (about * 0.5f);
    return s;
#else
    *lost = (vf32){0};
    return v_sqrt_f32(z);
#endif
}
static inline vf64 v_root_f64(vf64 z, vf64 *lost) {
#if SIMD_TABLES
    const vf64 about = (vf64)_mm512_rsqrt14_pd(z + 0x1p-200), half = v_set_f64(0.5);
    vf64 s = z * about, h = about * 0.5, e = v_fma_f64(-s, h, half);
    s = v_fma_f64(s, e, s);
    h = v_fma_f64(h, e, h);
    *lost = v_fma_f64(-s, s, z) * h;
    return s;
#else
    *lost = (vf64){0};
    return v_sqrt_f64(z);
#endif
}

#if SIMD_TABLES
/* sqrt as the processor has it, to the last bit, in a third of the time: from its 14 digits, a last
 * step whose residue x - s^2 is exact. Where the roots nearest to the middle between two numbers
 * are right (test_kernels_math.c has them all), so are the others. Unfit: what is not positive and
 * normal by far. */
VMATH_QUICK vf32 v_sqrt_quick_f32(vf32 x, vmask_f32 *unfit) {
    const __m512i low = (__m512i)v_set_f32(0x1p-60f), span = _mm512_set1_epi32(120 << 23);
    *unfit = _mm512_cmpgt_epu32_mask(_mm512_sub_epi32((__m512i)x, low), span);
    const vf32 about = (vf32)_mm512_rsqrt14_ps(x), half = v_set_f32(0.5f);
    vf32 s = x * about, h = about * half, e = v_fma_f32(-s, h, half);
    s = v_fma_f32(s, e, s);
    h = v_fma_f32(h, e, h);
    return v_fma_f32(v_fma_f32(-s, s, x), h, s);
}
VMATH_QUICK vf64 v_sqrt_quick_f64(vf64 x, vmask_f64 *unfit) {
    const __m512i low = (__m512i)v_set_f64(0x1p-900), span = _mm512_set1_epi64((int64_t)1800 << 52);
    *unfit = _mm512_cmpgt_epu64_mask(_mm512_sub_epi64((__m512i)x, low), span);
    const vf64 about = (vf64)_mm512_rsqrt14_pd(x), half = v_set_f64(0.5);
    vf64 s = x * about, h = about * half, e = v_fma_f64(-s, h, half);
    s = v_fma_f64(s, e, s);
    h = v_fma_f64(h, e, h);
    e = v_fma_f64(-s, h, half);
    s = v_fma_f64(s, e, s);
    h = v_fma_f64(h, e, h);
    return v_fma_f64(v_fma_f64(-s, s, x), h, s);
}
/* Where hardly any number is unfit. */
VMATH_QUICK vf32 v_sqrt_likely_f32(vf32 x) {
    vmask_f32 unfit;
    const vf32 quick = v_sqrt_quick_f32(x, &unfit);
    return __builtin_expect(v_some_f32(unfit), 0) ? v_sqrt_f32(x) : quick;
}
VMATH_QUICK vf64 v_sqrt_likely_f64(vf64 x) {
    vmask_f64 unfit;
    const vf64 quick = v_sqrt_quick_f64(x, &unfit);
    return __builtin_expect(v_some_f64(unfit), 0) ? v_sqrt_f64(x) : quick;
}
#else
VMATH_QUICK vf32 v_sqrt_likely_f32(vf32 x) { return v_sqrt_f32(x); }
VMATH_QUICK vf64 v_sqrt_likely_f64(vf64 x) { return v_sqrt_f64(x); }
#endif

#endif
