/* Vectors of W16 whole numbers of 16 bits, and of as many bytes that become such numbers and back;
 * extrema of small integers, of 16 bytes of them and of whole vectors. */
#ifndef NOMEN_SRC_SIMD_WORDS_H
#define NOMEN_SRC_SIMD_WORDS_H

#include "kernels/simd/simd.h"

#define W16 (VB / 2)
typedef uint16_t vu16 __attribute__((vector_size(VB)));
typedef uint8_t vu8h __attribute__((vector_size(VB / 2)));

/* gcc 12 puts both directions together from halves. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline vu16 v_from_u8(vu8h x) { return (vu16)_mm512_cvtepu8_epi16((__m256i)x); }
static inline vu8h v_to_u8(vu16 x) { return (vu8h)_mm512_cvtepi16_epi8((__m512i)x); }
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
static inline vu16 v_from_u8(vu8h x) { return (vu16)_mm256_cvtepu8_epi16((__m128i)x); }
static inline vu8h v_to_u8(vu16 x) {
    const __m256i low = (__m256i)(x & 0xff);
    return (vu8h)_mm_packus_epi16(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}
#else
static inline vu16 v_from_u8(vu8h x) { return __builtin_convertvector(x, vu16); }
static inline vu8h v_to_u8(vu16 x) { return __builtin_convertvector(x, vu8h); }
#endif

/* 16 bytes of small integers, and the greater and the lesser of each two. */
typedef uint8_t some_u8 __attribute__((vector_size(16)));
typedef int8_t some_i8 __attribute__((vector_size(16)));
typedef int16_t some_i16 __attribute__((vector_size(16)));
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define SOME_OF(word, suffix, a, b) _mm_##word##_ep##suffix((__m128i)(a), (__m128i)(b))
static inline some_u8 v_greater_u8(some_u8 a, some_u8 b) { return (some_u8)SOME_OF(max, u8, a, b); }
static inline some_u8 v_lesser_u8(some_u8 a, some_u8 b) { return (some_u8)SOME_OF(min, u8, a, b); }
static inline some_i8 v_greater_i8(some_i8 a, some_i8 b) { return (some_i8)SOME_OF(max, i8, a, b); }
static inline some_i8 v_lesser_i8(some_i8 a, some_i8 b) { return (some_i8)SOME_OF(min, i8, a, b); }
static inline some_i16 v_greater_i16(some_i16 a, some_i16 b) {
    return (some_i16)SOME_OF(max, i16, a, b);
}
static inline some_i16 v_lesser_i16(some_i16 a, some_i16 b) {
    return (some_i16)SOME_OF(min, i16, a, b);
}
#undef SOME_OF
#else
#define SOME_OF(type, first, a, b) (type)(((a) & (type)(first)) | ((b) & ~(type)(first)))
static inline some_u8 v_greater_u8(some_u8 a, some_u8 b) { return SOME_OF(some_u8, a > b, a, b); }
static inline some_u8 v_lesser_u8(some_u8 a, some_u8 b) { return SOME_OF(some_u8, a < b, a, b); }
static inline some_i8 v_greater_i8(some_i8 a, some_i8 b) { return SOME_OF(some_i8, a > b, a, b); }
static inline some_i8 v_lesser_i8(some_i8 a, some_i8 b) { return SOME_OF(some_i8, a < b, a, b); }
static inline some_i16 v_greater_i16(some_i16 a, some_i16 b) {
    return SOME_OF(some_i16, a > b, a, b);
}
static inline some_i16 v_lesser_i16(some_i16 a, some_i16 b) {
    return SOME_OF(some_i16, a < b, a, b);
}
#undef SOME_OF
#endif

/* The same of whole vectors. */
typedef uint8_t all_u8 __attribute__((vector_size(VB)));
typedef int8_t all_i8 __attribute__((vector_size(VB)));
typedef int16_t all_i16 __attribute__((vector_size(VB)));
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#define ALL_OF(word, suffix, a, b) _mm512_##word##_ep##suffix((__m512i)(a), (__m512i)(b))
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define ALL_OF(word, suffix, a, b) _mm256_##word##_ep##suffix((__m256i)(a), (__m256i)(b))
#endif
#ifdef ALL_OF
static inline all_u8 v_greater_all_u8(all_u8 a, all_u8 b) { return (all_u8)ALL_OF(max, u8, a, b); }
static inline all_u8 v_lesser_all_u8(all_u8 a, all_u8 b) { return (all_u8)ALL_OF(min, u8, a, b); }
static inline all_i8 v_greater_all_i8(all_i8 a, all_i8 b) { return (all_i8)ALL_OF(max, i8, a, b); }
static inline all_i8 v_lesser_all_i8(all_i8 a, all_i8 b) { return (all_i8)ALL_OF(min, i8, a, b); }
static inline all_i16 v_greater_all_i16(all_i16 a, all_i16 b) {
    return (all_i16)ALL_OF(max, i16, a, b);
}
static inline all_i16 v_lesser_all_i16(all_i16 a, all_i16 b) {
    return (all_i16)ALL_OF(min, i16, a, b);
}
#undef ALL_OF
#else /* which have 16 bytes */
#define v_greater_all_u8  v_greater_u8
#define v_lesser_all_u8   v_lesser_u8
#define v_greater_all_i8  v_greater_i8
#define v_lesser_all_i8   v_lesser_i8
#define v_greater_all_i16 v_greater_i16
#define v_lesser_all_i16  v_lesser_i16
#endif

/* The least of 16 bytes of numbers without a sign, of one byte each or of two. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
static inline unsigned some_least(some_u8 x, const int size) {
    __m128i words = (__m128i)x;
    if (size == 1) words = _mm_min_epu8(words, _mm_srli_epi16(words, 8));
    return (unsigned)_mm_extract_epi16(_mm_minpos_epu16(words), 0);
}
#else
static inline unsigned some_least(some_u8 x, const int size) {
    uint16_t words[8];
    uint8_t bytes[16];
    memcpy(size == 1 ? (void *)bytes : words, &x, sizeof x);
    unsigned least = UINT16_MAX;
    for (int l = 0; l < 16 / size; l++) {
        const unsigned own = size == 1 ? bytes[l] : words[l];
        least = own < least ? own : least;
    }
    return least;
}
#endif

/* Any alignment; the _n forms touch only the first k lanes (k < W16), the others read as 0. */
static inline vu16 ld_u16(const void *p) {
    vu16 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline vu16 ld_u8(const void *p) {
    vu8h v;
    memcpy(&v, p, sizeof v);
    return v_from_u8(v);
}
static inline void st_u16(void *p, vu16 v) { memcpy(p, &v, sizeof v); }
static inline void st_u8(void *p, vu16 v) {
    const vu8h narrow = v_to_u8(v);
    memcpy(p, &narrow, sizeof narrow);
}
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
static inline __mmask32 simd_first32(int64_t k) { return ((__mmask32)1 << k) - 1; }
static inline vu16 ld_u16_n(const void *p, int64_t k) {
    return (vu16)_mm512_maskz_loadu_epi16(simd_first32(k), p);
}
static inline vu16 ld_u8_n(const void *p, int64_t k) {
    return v_from_u8((vu8h)_mm256_maskz_loadu_epi8(simd_first32(k), p));
}
static inline void st_u16_n(void *p, vu16 v, int64_t k) {
    _mm512_mask_storeu_epi16(p, simd_first32(k), (__m512i)v);
}
static inline void st_u8_n(void *p, vu16 v, int64_t k) {
    _mm512_mask_cvtepi16_storeu_epi8(p, simd_first32(k), (__m512i)v);
}
#else
/* k < W16: so much the compiler has to be told, or it warns of numbers below 0. */
static inline vu16 ld_u16_n(const void *p, int64_t k) {
    vu16 v = {0};
    memcpy(&v, p, (size_t)k % W16 * 2);
    return v;
}
static inline vu16 ld_u8_n(const void *p, int64_t k) {
    vu8h v = {0};
    memcpy(&v, p, (size_t)k % W16);
    return v_from_u8(v);
}
static inline void st_u16_n(void *p, vu16 v, int64_t k) { memcpy(p, &v, (size_t)k % W16 * 2); }
static inline void st_u8_n(void *p, vu16 v, int64_t k) {
    const vu8h narrow = v_to_u8(v);
    memcpy(p, &narrow, (size_t)k % W16);
}
#endif

#endif
