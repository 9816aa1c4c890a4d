/* What AVX2 has no instructions for, and the compiler no way of its own: casts between int64 and
 * floating point, of f64 to the narrow integers, and to half types without a block of f32; no
 * include guard, included by cast.c. */

/* ---- to int64 -------------------------------------------------------------------------------- */

/* Below 2^51 the sum with 3 2^51 is exact, and has the integer in its low bits. */
static inline vi64 v_cast_i64(vf64 x) {
    const vi64 beyond = ~(v_abs_f64(x) < 0x1p51);
    vi64 r = (vi64)(v_trunc_f64(x) + 0x1.8p52) - 0x4338000000000000;
    if (__builtin_expect(v_any64(beyond), 0)) {
        for (int i = 0; i < W64; i++) r[i] = beyond[i] ? cast_int_f64(x[i]) : r[i];
    }
    return r;
}
static inline vf64 ld_wide(const void *p) { return (vf64)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline __m128i first_4(int64_t k) {
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)k), _mm_setr_epi32(0, 1, 2, 3));
}
static inline vf64 ld_wide_n(const void *p, int64_t k) {
    return (vf64)_mm256_cvtps_pd(_mm_maskload_ps(p, first_4(k)));
}
static inline void st_i64(void *p, vi64 v) { memcpy(p, &v, sizeof v); }
static inline void st_i64_n(void *p, vi64 v, int64_t k) { st_f64_n(p, (vf64)v, k); }

#define V        vf64
#define W        W64
#define SPLAT(v) v_like(v, (v)[0])

#define OT      int64_t
#define EXPR(x) v_cast_i64(x)
#define ST      st_i64
#define STN     st_i64_n
#define T       float
#define FN      cast_f32_i64
#define LD      ld_wide
#define LDN     ld_wide_n
#include "kernels/loops/unary.h"
#undef T
#undef FN
#undef LD
#undef LDN

#define T   double
#define LD  ld_f64
#define LDN ld_f64_n
#define FN  cast_f64_i64
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef EXPR
#undef ST
#undef STN

/* ---- f64 to the narrow integers -------------------------------------------------------------- */

/* Four of 32 bits. */
static inline __m128i v_cast_i32_f64(vf64 x) {
    __m128i r = _mm256_cvttpd_epi32(x);
    const __m128i beyond = _mm_cmpeq_epi32(r, _mm_set1_epi32(INT32_MIN)); /* or that itself */
    if (__builtin_expect(!_mm_testz_si128(beyond, beyond), 0)) {
        int32_t each[W64];
        for (int i = 0; i < W64; i++) each[i] = (int32_t)cast_int_f64(x[i]);
        memcpy(&r, each, sizeof r);
    }
    return r;
}
static inline void st_4_i32(void *p, __m128i v) { _mm_storeu_si128(p, v); }
static inline void st_4_i32_n(void *p, __m128i v, int64_t k) {
    _mm_maskstore_epi32(p, first_4(k), v);
}
static inline __m128i low_4_words(__m128i v) {
    return _mm_shuffle_epi8(v, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0));
}
static inline __m128i low_4_bytes(__m128i v) {
    return _mm_shuffle_epi8(v, _mm_setr_epi8(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}
static inline void st_4_i16(void *p, __m128i v) { _mm_storeu_si64(p, low_4_words(v)); }
static inline void st_4_i16_n(void *p, __m128i v, int64_t k) {
    const __m128i words = low_4_words(v);
    simd_copy_few(p, &words, 2 * k);
}
static inline void st_4_i8(void *p, __m128i v) { _mm_storeu_si32(p, low_4_bytes(v)); }
static inline void st_4_i8_n(void *p, __m128i v, int64_t k) {
    const __m128i bytes = low_4_bytes(v);
    simd_copy_few(p, &bytes, k);
}

#define EXPR(x) v_cast_i32_f64(x)

#define OT  int32_t
#define FN  cast_f64_i32
#define ST  st_4_i32
#define STN st_4_i32_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef ST
#undef STN

#define OT  int16_t
#define FN  cast_f64_i16
#define ST  st_4_i16
#define STN st_4_i16_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef ST
#undef STN

#define OT  int8_t
#define FN  cast_f64_i8
#define ST  st_4_i8
#define STN st_4_i8_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef ST
#undef STN

#undef EXPR
#undef T
#undef LD
#undef LDN
#undef V
#undef SPLAT

static void cast_f64_u8(char *const ptr[], const int64_t step[], int64_t n) {
    cast_f64_i8(ptr, step, n);
}

/* ---- from int64 ------------------------------------------------------------------------------ */

/* Both halves become doubles by their place behind an exponent; the last sum alone rounds. */
static inline vf64 v_from_i64(vi64 x) {
    const __m256i low =
        _mm256_blend_epi32(_mm256_set1_epi64x(0x4330000000000000), (__m256i)x, 0x55);
    const vi64 high = (vi64)((vu64)x >> 32) ^ 0x4530000080000000;
    return ((vf64)high - (0x1p84 + 0x1p63 + 0x1p52)) + (vf64)low;
}
/* To f32 at once where f64 has room for all digits. */
static inline __m128 v_from_i64_f32(vi64 x) {
    const vf64 wide = v_from_i64(x);
    __m128 r = _mm256_cvtpd_ps(wide);
    if (__builtin_expect(v_any64(v_abs_f64(wide) > 0x1p53), 0)) {
        float each[W64];
        for (int i = 0; i < W64; i++) each[i] = (float)x[i];
        memcpy(&r, each, sizeof r);
    }
    return r;
}
static inline vi64 ld_i64(const void *p) { return (vi64)ld_f64(p); }
static inline vi64 ld_i64_n(const void *p, int64_t k) { return (vi64)ld_f64_n(p, k); }
static inline void st_4_f32(void *p, __m128 v) { _mm_storeu_ps(p, v); }
static inline void st_4_f32_n(void *p, __m128 v, int64_t k) { _mm_maskstore_ps(p, first_4(k), v); }

#define V        vi64
#define SPLAT(v) ((vi64){0} + (v)[0])
#define T        int64_t
#define LD       ld_i64
#define LDN      ld_i64_n

#define OT      double
#define FN      cast_i64_f64
#define EXPR(x) v_from_i64(x)
#define ST      st_f64
#define STN     st_f64_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef EXPR
#undef ST
#undef STN

#define OT      float
#define FN      cast_i64_f32
#define EXPR(x) v_from_i64_f32(x)
#define ST      st_4_f32
#define STN     st_4_f32_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef EXPR
#undef ST
#undef STN

#undef V
#undef SPLAT
#undef W
#undef T
#undef LD
#undef LDN

/* ---- to the half types ----------------------------------------------------------------------- */

static inline vf32 ld_u8_f32(const void *p) {
    return (vf32)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(p)));
}
static inline vf32 ld_i8_f32(const void *p) {
    return (vf32)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(p)));
}
static inline vf32 ld_i16_f32(const void *p) {
    return (vf32)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(p)));
}
static inline vf32 ld_i32_f32(const void *p) {
    return (vf32)_mm256_cvtepi32_ps(_mm256_loadu_si256(p));
}
static inline vf32 ld_f64_f32(const void *p) {
    return v_narrow_f64(ld_f64(p), ld_f64((const double *)p + W64));
}
static inline vf32 ld_u8_f32_n(const void *p, int64_t k) {
    __m128i few = _mm_setzero_si128();
    simd_copy_few(&few, p, k);
    return ld_u8_f32(&few);
}
static inline vf32 ld_i8_f32_n(const void *p, int64_t k) {
    __m128i few = _mm_setzero_si128();
    simd_copy_few(&few, p, k);
    return ld_i8_f32(&few);
}
static inline vf32 ld_i16_f32_n(const void *p, int64_t k) {
    __m128i few = _mm_setzero_si128();
    simd_copy_few(&few, p, 2 * k);
    return ld_i16_f32(&few);
}
static inline vf32 ld_i32_f32_n(const void *p, int64_t k) {
    return (vf32)_mm256_cvtepi32_ps(_mm256_maskload_epi32(p, simd_first8(k)));
}
static inline vf32 ld_f64_f32_n(const void *p, int64_t k) {
    if (k <= W64) return v_narrow_f64(ld_f64_n(p, k), (vf64){0});
    return v_narrow_f64(ld_f64(p), ld_f64_n((const double *)p + W64, k - W64));
}

/* No integer is NaN, for which half the steps of v_to_bf16 are. */
static inline vu16h v_number_bf16(vf32 x) {
    const vu32 bits = (vu32)x;
    return v_words_below((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static inline void st_number_bf16(void *p, vf32 x) { st_u16h(p, v_number_bf16(x)); }
static inline void st_number_bf16_n(void *p, vf32 x, int64_t k) {
    st_u16h_n(p, v_number_bf16(x), k);
}

#define V        vf32
#define W        W32
#define SPLAT(v) v_like(v, (v)[0])
#define EXPR(x)  (x)

#define T    uint8_t
#define SRC  u8
#define LD   ld_u8_f32
#define LDN  ld_u8_f32_n
#define STB  st_exact_bf16
#define STBN st_exact_bf16_n
#include "kernels/loops/casts_halves.h"

#define T    int8_t
#define SRC  i8
#define LD   ld_i8_f32
#define LDN  ld_i8_f32_n
#define STB  st_exact_bf16
#define STBN st_exact_bf16_n
#include "kernels/loops/casts_halves.h"

#define T    int16_t
#define SRC  i16
#define LD   ld_i16_f32
#define LDN  ld_i16_f32_n
#define STB  st_number_bf16
#define STBN st_number_bf16_n
#include "kernels/loops/casts_halves.h"

#define T    int32_t
#define SRC  i32
#define LD   ld_i32_f32
#define LDN  ld_i32_f32_n
#define STB  st_number_bf16
#define STBN st_number_bf16_n
#include "kernels/loops/casts_halves.h"

#define T    double
#define SRC  f64
#define LD   ld_f64_f32
#define LDN  ld_f64_f32_n
#define STB  st_bf16
#define STBN st_bf16_n
#include "kernels/loops/casts_halves.h"

#undef V
#undef W
#undef SPLAT
#undef EXPR
