/* The ISA-dependent part of simd.h for AVX2 and AVX-512: the handful of intrinsics. Included by
 * simd.h only. */
#ifndef NOMEN_SRC_SIMD_X86_H
#define NOMEN_SRC_SIMD_X86_H

#include <immintrin.h>

enum {
    SIMD_FLOOR = 9,
    SIMD_CEIL = 10,
    SIMD_TRUNC = 11,
    SIMD_EVEN = 8
}; /* rounding immediates, no exceptions */

/* Tokens of vfixupimm from the lowest class up: quiet and signaling NaN, 0, 1, -inf, inf, below and
 * above 0. 0: as it was, 2: a quiet NaN of x, 3: NaN, 4: -inf, 5: inf. */
enum { SIMD_LOG_TOKENS = 0x03530422 };

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2

static inline vf32 v_fma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)_mm256_fmadd_ps(a, b, c); }
static inline vf64 v_fma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)_mm256_fmadd_pd(a, b, c); }
static inline vf32 v_fma_less_f32(vf32 a, vf32 b, vf32 c) {
    return (vf32)_mm256_fnmadd_ps(a, b, c);
}
static inline vf64 v_fma_less_f64(vf64 a, vf64 b, vf64 c) {
    return (vf64)_mm256_fnmadd_pd(a, b, c);
}
static inline vf32 v_sqrt_f32(vf32 x) { return (vf32)_mm256_sqrt_ps(x); }
static inline vf64 v_sqrt_f64(vf64 x) { return (vf64)_mm256_sqrt_pd(x); }
static inline vf32 v_floor_f32(vf32 x) { return (vf32)_mm256_round_ps(x, SIMD_FLOOR); }
static inline vf64 v_floor_f64(vf64 x) { return (vf64)_mm256_round_pd(x, SIMD_FLOOR); }
static inline vf32 v_ceil_f32(vf32 x) { return (vf32)_mm256_round_ps(x, SIMD_CEIL); }
static inline vf64 v_ceil_f64(vf64 x) { return (vf64)_mm256_round_pd(x, SIMD_CEIL); }
static inline vf32 v_trunc_f32(vf32 x) { return (vf32)_mm256_round_ps(x, SIMD_TRUNC); }
static inline vf64 v_trunc_f64(vf64 x) { return (vf64)_mm256_round_pd(x, SIMD_TRUNC); }
static inline vf32 v_round_f32(vf32 x) { return (vf32)_mm256_round_ps(x, SIMD_EVEN); }
static inline vf64 v_round_f64(vf64 x) { return (vf64)_mm256_round_pd(x, SIMD_EVEN); }
/* Of two, these return the second one where one is NaN. */
static inline vf32 v_lesser_f32(vf32 a, vf32 b) {
    return (vf32)_mm256_min_ps((__m256)a, (__m256)b);
}
static inline vf64 v_lesser_f64(vf64 a, vf64 b) {
    return (vf64)_mm256_min_pd((__m256d)a, (__m256d)b);
}
static inline vf32 v_greater_f32(vf32 a, vf32 b) {
    return (vf32)_mm256_max_ps((__m256)a, (__m256)b);
}
static inline vf64 v_greater_f64(vf64 a, vf64 b) {
    return (vf64)_mm256_max_pd((__m256d)a, (__m256d)b);
}
static inline vi32 v_lesser_i32(vi32 a, vi32 b) {
    return (vi32)_mm256_min_epi32((__m256i)a, (__m256i)b);
}
static inline vi32 v_greater_i32(vi32 a, vi32 b) {
    return (vi32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}
static inline vi64 v_lesser_i64(vi64 a, vi64 b) {
    return (vi64)_mm256_blendv_epi8((__m256i)a, (__m256i)b, (__m256i)(a > b));
}
static inline vi64 v_greater_i64(vi64 a, vi64 b) {
    return (vi64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)(a > b));
}
static inline int v_any32(vi32 m) { return !_mm256_testz_si256((__m256i)m, (__m256i)m); }
static inline int v_any64(vi64 m) { return !_mm256_testz_si256((__m256i)m, (__m256i)m); }
static inline vf32 v_from_f16(vu16h h) { return (vf32)_mm256_cvtph_ps((__m128i)h); }
static inline vu16h v_to_f16(vf32 x) { return (vu16h)_mm256_cvtps_ph(x, 0); }
static inline vf32 v_dup_even_f32(vf32 x) { return (vf32)_mm256_moveldup_ps(x); }
static inline vf32 v_dup_odd_f32(vf32 x) { return (vf32)_mm256_movehdup_ps(x); }
static inline vf32 v_swap_f32(vf32 x) { return (vf32)_mm256_permute_ps(x, 0xb1); }
static inline vf64 v_dup_even_f64(vf64 x) { return (vf64)_mm256_movedup_pd(x); }
static inline vf64 v_dup_odd_f64(vf64 x) { return (vf64)_mm256_permute_pd(x, 0xf); }
static inline vf64 v_swap_f64(vf64 x) { return (vf64)_mm256_permute_pd(x, 0x5); }

/* Entry i % 8 of a table. */
static inline vf32 v_entry8_f32(const float *table, vu32 i) {
    return (vf32)_mm256_permutevar8x32_ps(ld_f32(table), (__m256i)i);
}
/* Entry i % 32, in seven steps. */
static inline vf32 v_entry32_f32(const float *table, vu32 i) {
    const __m256 upper = (__m256)(i << 27), half = (__m256)(i << 28);
    const __m256 low =
        _mm256_blendv_ps((__m256)v_entry8_f32(table, i), (__m256)v_entry8_f32(table + 8, i), half);
    const __m256 high = _mm256_blendv_ps((__m256)v_entry8_f32(table + 16, i),
                                         (__m256)v_entry8_f32(table + 24, i), half);
    return (vf32)_mm256_blendv_ps(low, high, upper);
}

/* gcc 12 puts these together from half vectors. */
static inline vf64 v_low_f64(vf32 x) {
    return (vf64)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x));
}
static inline vf64 v_high_f64(vf32 x) {
    return (vf64)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1));
}
static inline vf32 v_narrow_f64(vf64 low, vf64 high) {
    const __m256 half = _mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)low));
    return (vf32)_mm256_insertf128_ps(half, _mm256_cvtpd_ps((__m256d)high), 1);
}
static inline vf32 v_from_bf16(vu16h h) {
    return (vf32)_mm256_slli_epi32(_mm256_cvtepu16_epi32((__m128i)h), 16);
}
/* Nearest, ties to even; a NaN stays one (adding could carry its payload away). */
static inline vu16h v_to_bf16(vf32 x) {
    const __m256i bits = (__m256i)x, upper = _mm256_srli_epi32(bits, 16);
    const __m256i last = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
    const __m256i nan = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256i number = (__m256i)_mm256_cmp_ps(x, x, _CMP_ORD_Q);
    const __m256i r = _mm256_blendv_epi8(nan, rounded, number);
    const __m256i pairs = _mm256_packus_epi32(r, r);
    return (vu16h)_mm256_castsi256_si128(_mm256_permute4x64_epi64(pairs, 0x08));
}

/* Lanes from k on are neither read nor written, as with AVX-512. */
static inline __m256i simd_first8(int64_t k) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)k), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i simd_first4(int64_t k) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(k), _mm256_setr_epi64x(0, 1, 2, 3));
}
static inline vf32 ld_f32_n(const void *p, int64_t k) {
    return (vf32)_mm256_maskload_ps(p, simd_first8(k));
}
static inline vf64 ld_f64_n(const void *p, int64_t k) {
    return (vf64)_mm256_maskload_pd(p, simd_first4(k));
}
/* k > 0; the lanes behind have the first element. */
static inline vf32 ld_f32_again(const void *p, int64_t k) {
    const __m256i first = simd_first8(k);
    return (vf32)_mm256_blendv_ps(_mm256_broadcast_ss(p), _mm256_maskload_ps(p, first),
                                  _mm256_castsi256_ps(first));
}
static inline vf64 ld_f64_again(const void *p, int64_t k) {
    const __m256i first = simd_first4(k);
    return (vf64)_mm256_blendv_pd(_mm256_broadcast_sd(p), _mm256_maskload_pd(p, first),
                                  _mm256_castsi256_pd(first));
}
/* In parts: some processors (Zen) take forty steps for a store with a mask. */
SIMD_BESIDE void st_f32_n(void *p, vf32 v, int64_t k) {
    float *to = p;
    __m128 x = _mm256_castps256_ps128((__m256)v);
    if (k >= 8) {
        _mm256_storeu_ps(to, (__m256)v);
        return;
    }
    if (k & 4) {
        _mm_storeu_ps(to, x);
        x = _mm256_extractf128_ps((__m256)v, 1);
        to += 4;
    }
    if (k & 2) {
        _mm_storel_pi((__m64 *)(void *)to, x);
        x = _mm_movehl_ps(x, x);
        to += 2;
    }
    if (k & 1) _mm_store_ss(to, x);
}
SIMD_BESIDE void st_f64_n(void *p, vf64 v, int64_t k) {
    double *to = p;
    __m128d x = _mm256_castpd256_pd128((__m256d)v);
    if (k >= 4) {
        _mm256_storeu_pd(to, (__m256d)v);
        return;
    }
    if (k & 2) {
        _mm_storeu_pd(to, x);
        x = _mm256_extractf128_pd((__m256d)v, 1);
        to += 2;
    }
    if (k & 1) _mm_store_sd(to, x);
}
/* Fewer than 16 bytes, in pieces of fixed sizes of which two overlap: memcpy of a few bytes whose
 * number only the processor knows becomes a loop over bytes or a string instruction. */
SIMD_BESIDE void simd_copy_few(void *to, const void *from, int64_t bytes) {
    char *o = to;
    const char *x = from;
    if (bytes >= 8) {
        uint64_t first, last;
        memcpy(&first, x, 8);
        memcpy(&last, x + bytes - 8, 8);
        memcpy(o, &first, 8);
        memcpy(o + bytes - 8, &last, 8);
    } else if (bytes >= 4) {
        uint32_t first, last;
        memcpy(&first, x, 4);
        memcpy(&last, x + bytes - 4, 4);
        memcpy(o, &first, 4);
        memcpy(o + bytes - 4, &last, 4);
    } else if (bytes > 0) {
        const char first = x[0], middle = x[bytes / 2], last = x[bytes - 1];
        o[0] = first;
        o[bytes / 2] = middle;
        o[bytes - 1] = last;
    }
}
SIMD_BESIDE vu16h ld_u16h_n(const void *p, int64_t k) {
    vu16h v = {0};
    simd_copy_few(&v, p, k * 2);
    return v;
}
SIMD_BESIDE vu16h ld_u16h_again(const void *p, int64_t k) {
    vu16h v = (vu16h){0} + *(const uint16_t *)p;
    simd_copy_few(&v, p, k * 2);
    return v;
}
SIMD_BESIDE void st_u16h_n(void *p, vu16h v, int64_t k) { simd_copy_few(p, &v, k * 2); }
SIMD_BESIDE void st_i8q_n(void *p, vi8q v, int64_t k) { simd_copy_few(p, &v, k); }
static inline void st_i8o_n(void *p, vi8o v, int64_t k) {
    char *o = p;
    for (int i = 0; i < W64 - 1; i++)
        if (i < k) o[i] = v[i];
}

/* gcc 12 has no short way of its own from 8 masks to 8 bytes. */
static inline vi8q v_bools32(vi32 m) {
    const __m128i low = _mm256_castsi256_si128((__m256i)m);
    const __m128i words = _mm_packs_epi32(low, _mm256_extracti128_si256((__m256i)m, 1));
    const int64_t bytes = _mm_cvtsi128_si64(_mm_packs_epi16(words, words)) & 0x0101010101010101;
    vi8q b;
    memcpy(&b, &bytes, sizeof b);
    return b;
}
static inline vi8o v_bools64(vi64 m) {
    const uint32_t bits = (uint32_t)_mm256_movemask_pd((__m256d)m);
    const uint32_t bytes = _pdep_u32(bits, 0x01010101);
    vi8o b;
    memcpy(&b, &bytes, sizeof b);
    return b;
}

#else

static inline vf32 v_fma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)_mm512_fmadd_ps(a, b, c); }
static inline vf64 v_fma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)_mm512_fmadd_pd(a, b, c); }
static inline vf32 v_fma_less_f32(vf32 a, vf32 b, vf32 c) {
    return (vf32)_mm512_fnmadd_ps(a, b, c);
}
static inline vf64 v_fma_less_f64(vf64 a, vf64 b, vf64 c) {
    return (vf64)_mm512_fnmadd_pd(a, b, c);
}
static inline vf32 v_sqrt_f32(vf32 x) { return (vf32)_mm512_sqrt_ps(x); }
static inline vf64 v_sqrt_f64(vf64 x) { return (vf64)_mm512_sqrt_pd(x); }
static inline vf32 v_floor_f32(vf32 x) { return (vf32)_mm512_roundscale_ps(x, SIMD_FLOOR); }
static inline vf64 v_floor_f64(vf64 x) { return (vf64)_mm512_roundscale_pd(x, SIMD_FLOOR); }
static inline vf32 v_ceil_f32(vf32 x) { return (vf32)_mm512_roundscale_ps(x, SIMD_CEIL); }
static inline vf64 v_ceil_f64(vf64 x) { return (vf64)_mm512_roundscale_pd(x, SIMD_CEIL); }
static inline vf32 v_trunc_f32(vf32 x) { return (vf32)_mm512_roundscale_ps(x, SIMD_TRUNC); }
static inline vf64 v_trunc_f64(vf64 x) { return (vf64)_mm512_roundscale_pd(x, SIMD_TRUNC); }
static inline vf32 v_round_f32(vf32 x) { return (vf32)_mm512_roundscale_ps(x, SIMD_EVEN); }
static inline vf64 v_round_f64(vf64 x) { return (vf64)_mm512_roundscale_pd(x, SIMD_EVEN); }
/* Of two, these return the second one where one is NaN. */
static inline vf32 v_lesser_f32(vf32 a, vf32 b) {
    return (vf32)_mm512_min_ps((__m512)a, (__m512)b);
}
static inline vf64 v_lesser_f64(vf64 a, vf64 b) {
    return (vf64)_mm512_min_pd((__m512d)a, (__m512d)b);
}
static inline vf32 v_greater_f32(vf32 a, vf32 b) {
    return (vf32)_mm512_max_ps((__m512)a, (__m512)b);
}
static inline vf64 v_greater_f64(vf64 a, vf64 b) {
    return (vf64)_mm512_max_pd((__m512d)a, (__m512d)b);
}
static inline vi32 v_lesser_i32(vi32 a, vi32 b) {
    return (vi32)_mm512_min_epi32((__m512i)a, (__m512i)b);
}
static inline vi32 v_greater_i32(vi32 a, vi32 b) {
    return (vi32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}
static inline vi64 v_lesser_i64(vi64 a, vi64 b) {
    return (vi64)_mm512_min_epi64((__m512i)a, (__m512i)b);
}
static inline vi64 v_greater_i64(vi64 a, vi64 b) {
    return (vi64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

/* What only AVX-512 has: exponents in floating point. y 2^k for whole k, rounded once. */
static inline vf32 v_scale_f32(vf32 y, vf32 k) { return (vf32)_mm512_scalef_ps(y, k); }
static inline vf64 v_scale_f64(vf64 y, vf64 k) { return (vf64)_mm512_scalef_pd(y, k); }
/* x = 2^result m, 3/4 <= m < 3/2. Of 0 and inf the result is -inf and inf; m is NaN below 0. */
static inline vf32 v_exponent_f32(vf32 x, vf32 *m) {
    *m = (vf32)_mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return (vf32)_mm512_getexp_ps(x) - (vf32)_mm512_getexp_ps(*m);
}
static inline vf64 v_exponent_f64(vf64 x, vf64 *m) {
    *m = (vf64)_mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return (vf64)_mm512_getexp_pd(x) - (vf64)_mm512_getexp_pd(*m);
}
/* The same with 1 <= m < 2. */
static inline vf32 v_exponent_of_f32(vf32 x) { return (vf32)_mm512_getexp_ps(x); }
static inline vf64 v_exponent_of_f64(vf64 x) { return (vf64)_mm512_getexp_pd(x); }
static inline vf32 v_exponent_low_f32(vf32 x, vf32 *m) {
    *m = (vf32)_mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
    return v_exponent_of_f32(x);
}
static inline vf64 v_exponent_low_f64(vf64 x, vf64 *m) {
    *m = (vf64)_mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
    return v_exponent_of_f64(x);
}
static inline vf32 v_split_f32(vf32 x, vf32 *m) { return v_exponent_f32(x, m); }
static inline vf64 v_split_f64(vf64 x, vf64 *m) { return v_exponent_f64(x, m); }
/* What a logarithm of x is, y where x is positive and finite: per class of x a token of four bits
 * (NaN, inf and -inf of x, y otherwise). */
static inline vf32 v_log_special_f32(vf32 x, vf32 y) {
    return (vf32)_mm512_fixupimm_ps(y, x, _mm512_set1_epi32(SIMD_LOG_TOKENS), 0);
}
static inline vf64 v_log_special_f64(vf64 x, vf64 y) {
    return (vf64)_mm512_fixupimm_pd(y, x, _mm512_set1_epi64(SIMD_LOG_TOKENS), 0);
}
/* 1 / x, good to 2^-14. */
static inline vf32 v_about_inverse_f32(vf32 x) { return (vf32)_mm512_rcp14_ps(x); }

/* Per lane: one of two numbers by the last bit of q; entry i % 16 or i % 32 of a table. */
static inline vf32 v_pick_odd_f32(vu32 q, vf32 even, vf32 odd) {
    const __mmask16 m = _mm512_test_epi32_mask((__m512i)q, _mm512_set1_epi32(1));
    return (vf32)_mm512_mask_blend_ps(m, even, odd);
}
static inline vf64 v_pick_odd_f64(vu64 q, vf64 even, vf64 odd) {
    const __mmask8 m = _mm512_test_epi64_mask((__m512i)q, _mm512_set1_epi64(1));
    return (vf64)_mm512_mask_blend_pd(m, even, odd);
}
static inline vf32 v_entry16_f32(const float *table, vu32 i) {
    return (vf32)_mm512_permutexvar_ps((__m512i)i, ld_f32(table));
}
static inline vf32 v_entry32_f32(const float *table, vu32 i) {
    return (vf32)_mm512_permutex2var_ps(ld_f32(table), (__m512i)i, ld_f32(table + 16));
}
/* gcc 12 puts these together from half vectors. */
static inline vf64 v_low_f64(vf32 x) {
    return (vf64)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x));
}
static inline vf64 v_high_f64(vf32 x) {
    return (vf64)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1));
}
static inline vf32 v_narrow_f64(vf64 low, vf64 high) {
    const __m512 half = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low));
    return (vf32)_mm512_insertf32x8(half, _mm512_cvtpd_ps((__m512d)high), 1);
}
static inline vf32 v_from_bf16(vu16h h) {
    return (vf32)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)h), 16);
}
/* Nearest, ties to even; a NaN stays one (adding could carry its payload away). */
static inline vu16h v_to_bf16(vf32 x) {
    const __m512i bits = (__m512i)x, nan = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __m512i last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
    const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
    const __m512i rounded = _mm512_mask_add_epi32(nan, number, bits, half);
    return (vu16h)_mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}
static inline int v_any32(vi32 m) { return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0; }
static inline int v_any64(vi64 m) { return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0; }
static inline vf32 v_from_f16(vu16h h) { return (vf32)_mm512_cvtph_ps((__m256i)h); }
static inline vu16h v_to_f16(vf32 x) { return (vu16h)_mm512_cvtps_ph(x, 0); }
static inline vf32 v_dup_even_f32(vf32 x) { return (vf32)_mm512_moveldup_ps(x); }
static inline vf32 v_dup_odd_f32(vf32 x) { return (vf32)_mm512_movehdup_ps(x); }
static inline vf32 v_swap_f32(vf32 x) { return (vf32)_mm512_permute_ps(x, 0xb1); }
static inline vf64 v_dup_even_f64(vf64 x) { return (vf64)_mm512_movedup_pd(x); }
static inline vf64 v_dup_odd_f64(vf64 x) { return (vf64)_mm512_permute_pd(x, 0xff); }
static inline vf64 v_swap_f64(vf64 x) { return (vf64)_mm512_permute_pd(x, 0x55); }

/* Masked-out lanes are neither read nor written, so a partial access cannot fault beyond the array.
 */
static inline __mmask16 simd_first16(int64_t k) { return (__mmask16)((1u << k) - 1u); }
static inline __mmask8 simd_first8(int64_t k) { return (__mmask8)((1u << k) - 1u); }

static inline vf32 ld_f32_n(const void *p, int64_t k) {
    return (vf32)_mm512_maskz_loadu_ps(simd_first16(k), p);
}
static inline vf64 ld_f64_n(const void *p, int64_t k) {
    return (vf64)_mm512_maskz_loadu_pd(simd_first8(k), p);
}
static inline vu16h ld_u16h_n(const void *p, int64_t k) {
    return (vu16h)_mm256_maskz_loadu_epi16(simd_first16(k), p);
}
/* k > 0; the lanes behind have the first element. */
static inline vf32 ld_f32_again(const void *p, int64_t k) {
    const __m512 first = _mm512_set1_ps(*(const float *)p);
    return (vf32)_mm512_mask_loadu_ps(first, simd_first16(k), p);
}
static inline vf64 ld_f64_again(const void *p, int64_t k) {
    const __m512d first = _mm512_set1_pd(*(const double *)p);
    return (vf64)_mm512_mask_loadu_pd(first, simd_first8(k), p);
}
static inline vu16h ld_u16h_again(const void *p, int64_t k) {
    const __m256i first = _mm256_set1_epi16(*(const int16_t *)p);
    return (vu16h)_mm256_mask_loadu_epi16(first, simd_first16(k), p);
}
static inline void st_f32_n(void *p, vf32 v, int64_t k) {
    _mm512_mask_storeu_ps(p, simd_first16(k), v);
}
static inline void st_f64_n(void *p, vf64 v, int64_t k) {
    _mm512_mask_storeu_pd(p, simd_first8(k), v);
}
static inline void st_u16h_n(void *p, vu16h v, int64_t k) {
    _mm256_mask_storeu_epi16(p, simd_first16(k), (__m256i)v);
}
static inline void st_i8q_n(void *p, vi8q v, int64_t k) {
    _mm_mask_storeu_epi8(p, simd_first16(k), (__m128i)v);
}
static inline void st_i8o_n(void *p, vi8o v, int64_t k) {
    _mm_mask_storeu_epi8(p, simd_first8(k), _mm_set_epi64x(0, (int64_t)v));
}

#endif
#endif
