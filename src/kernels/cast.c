/* Conversions between dtypes. Same dtype: move.c.
 * To an integer: truncate to int64, then keep the low bits; NaN and what int64 cannot hold become
 * INT64_MIN first, so that nothing is undefined. To bool: not zero. From complex: the imaginary
 * part is dropped. The half types go through f32. */
#include "kernels/loops/complex_number.h"
#include "kernels/loops/loops.h"

static inline int64_t cast_int_f32(float x) {
    return x >= -0x1p63f && x < 0x1p63f ? (int64_t)x : INT64_MIN;
}
static inline int64_t cast_int_f64(double x) {
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}
static inline int32_t cast_int_i32(int32_t x) { return x; }
static inline int64_t cast_int_i64(int64_t x) { return x; }
#define cast_int(x)                                                                                \
    _Generic((x),                                                                                  \
        float: cast_int_f32,                                                                       \
        double: cast_int_f64,                                                                      \
        int64_t: cast_int_i64,                                                                     \
        default: cast_int_i32)(x)

#define T   uint8_t
#define SRC b8
#define NO_b8
#define REAL(x) ((x) != 0)
/* By its bits: of a comparison the compiler makes a branch between two floating numbers. */
#define FLOATING(x) ((uint8_t)((x) | (uint8_t)-(x)) >> 7)
#define IMAG(x)     0
#define NONZERO(x)  ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_b8

#define T   uint8_t
#define SRC u8
#define NO_u8
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_u8

#define T   int8_t
#define SRC i8
#define NO_i8
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_i8

#define T   int16_t
#define SRC i16
#define NO_i16
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_i16

#define T   int32_t
#define SRC i32
#define NO_i32
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_i32

/* AVX2 has no conversions of int64, and gcc 12 makes no vectors of those to small integers: these
 * are in loops/casts_avx2.h. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define NO_f32
#define NO_f64
#define NO_c64
#endif
#define T   int64_t
#define SRC i64
#define NO_i64
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_i64
#undef NO_f32
#undef NO_f64
#undef NO_c64

#define NO_small
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define NO_i64
#endif
#define T   float
#define SRC f32
#define NO_f32
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_f32

#if NOMEN__ISA_ID != NOMEN__ISA_ID_avx2
#undef NO_small
#endif
#define T   double
#define SRC f64
#define NO_f64
#define REAL(x)    (x)
#define IMAG(x)    0
#define NONZERO(x) ((x) != 0)
#include "kernels/loops/casts.h"
#undef NO_f64

#define T   c64
#define SRC c64
#define NO_c64
#define REAL(x)    ((x).re)
#define IMAG(x)    ((x).im)
#define NONZERO(x) C_TRUE(x)
#include "kernels/loops/casts.h"
#undef NO_c64

#define T   c128
#define SRC c128
#define NO_c128
#define REAL(x)    ((x).re)
#define IMAG(x)    ((x).im)
#define NONZERO(x) C_TRUE(x)
#include "kernels/loops/casts.h"
#undef NO_c128
#undef NO_small
#undef NO_i64

/* ---- f32 to the narrow integers: as vectors, no ISA before AVX-512 truncates to int64 -------- */

static inline vi32 v_cast_i32(vf32 x) {
#if VB >= 32
#if VB == 64
    vi32 r = (vi32)_mm512_cvttps_epi32((__m512)x);
#else
    vi32 r = (vi32)_mm256_cvttps_epi32((__m256)x);
#endif
    const vi32 beyond = r == INT32_MIN; /* or that number itself */
#else
    const vi32 beyond = ~(v_abs_f32(x) < 0x1p31f);
    vi32 r = __builtin_convertvector(v_sel_f32(beyond, (vf32){0}, x), vi32);
#endif
    if (__builtin_expect(v_any32(beyond), 0)) {
        for (int i = 0; i < W32; i++) r[i] = beyond[i] ? (int32_t)cast_int_f32(x[i]) : r[i];
    }
    return r;
}
#if NOMEN__ISA_ID != NOMEN__ISA_ID_avx2
static inline vi8q v_low_bytes(vi32 v) { return __builtin_convertvector(v, vi8q); }
static inline vu16h v_low_words(vi32 v) { return __builtin_convertvector(v, vu16h); }
#else
/* gcc 12 takes twice as many steps. */
static inline vi8q v_low_bytes(vi32 v) {
    const __m256i low = _mm256_and_si256((__m256i)v, _mm256_set1_epi32(0xff));
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    const int64_t bytes = _mm_cvtsi128_si64(_mm_packus_epi16(words, words));
    vi8q b;
    memcpy(&b, &bytes, sizeof b);
    return b;
}
static inline vu16h v_low_words(vi32 v) {
    const __m256i low = _mm256_and_si256((__m256i)v, _mm256_set1_epi32(0xffff));
    return (vu16h)_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}
#endif
static inline void st_i8(void *p, vi32 v) {
    const vi8q b = v_low_bytes(v);
    memcpy(p, &b, sizeof b);
}
static inline void st_i8_n(void *p, vi32 v, int64_t k) { st_i8q_n(p, v_low_bytes(v), k); }
static inline void st_i16(void *p, vi32 v) { st_u16h(p, v_low_words(v)); }
static inline void st_i16_n(void *p, vi32 v, int64_t k) { st_u16h_n(p, v_low_words(v), k); }
static inline void st_i32(void *p, vi32 v) { st_f32(p, (vf32)v); }
static inline void st_i32_n(void *p, vi32 v, int64_t k) { st_f32_n(p, (vf32)v, k); }

#define T        float
#define V        vf32
#define W        W32
#define LD       ld_f32
#define LDN      ld_f32_n
#define SPLAT(v) v_like(v, (v)[0])
#define EXPR(x)  v_cast_i32(x)

#define OT  int8_t
#define FN  cast_f32_i8
#define ST  st_i8
#define STN st_i8_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef ST
#undef STN

#define OT  int16_t
#define FN  cast_f32_i16
#define ST  st_i16
#define STN st_i16_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef ST
#undef STN

#define OT  int32_t
#define FN  cast_f32_i32
#define ST  st_i32
#define STN st_i32_n
#include "kernels/loops/unary.h"
#undef OT
#undef FN
#undef ST
#undef STN

#undef T
#undef V
#undef W
#undef LD
#undef LDN
#undef SPLAT
#undef EXPR

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#include "kernels/loops/casts_avx2.h"
#endif
#if VB >= 32
#include "kernels/loops/casts_from_halves.h"
#endif

/* The low eight bits do not know whether they are signed. */
static void cast_f32_u8(char *const ptr[], const int64_t step[], int64_t n) {
    cast_f32_i8(ptr, step, n);
}

/* ---- the half types -------------------------------------------------------------------------- */

#define SPLAT(v) v_like(v, (v)[0])
#define V        vf32
#define W        W32
#define EXPR(x)  (x)

#define T   float
#define OT  uint16_t
#define LD  ld_f32
#define LDN ld_f32_n
#define FN  cast_f32_f16
#define ST  st_f16
#define STN st_f16_n
#include "kernels/loops/unary.h"
#undef FN
#undef ST
#undef STN
#define FN  cast_f32_bf16
#define ST  st_bf16
#define STN st_bf16_n
#include "kernels/loops/unary.h"
#undef FN
#undef ST
#undef STN
#undef T
#undef OT
#undef LD
#undef LDN

#define T   uint16_t
#define OT  float
#define ST  st_f32
#define STN st_f32_n
#define FN  cast_f16_f32
#define LD  ld_f16
#define LDN ld_f16_n
#include "kernels/loops/unary.h"
#undef FN
#undef LD
#undef LDN
#define FN  cast_bf16_f32
#define LD  ld_bf16
#define LDN ld_bf16_n
#include "kernels/loops/unary.h"
#undef FN
#undef LD
#undef LDN

#undef SPLAT
#undef V
#undef W
#undef EXPR
#undef T
#undef OT
#undef ST
#undef STN

/* A bool is the bits of 1 or none. */
#define W        1
#define V        T
#define T        uint8_t
#define OT       uint16_t
#define LD(p)    (*(const T *)(p))
#define ST(p, v) (*(OT *)(p) = (OT)(v))
#define FN       cast_b8_f16
#define EXPR(x)  ((x) != 0 ? 0x3c00 : 0)
#include "kernels/loops/unary.h"
#undef FN
#undef EXPR
#define FN      cast_b8_bf16
#define EXPR(x) ((x) != 0 ? 0x3f80 : 0)
#include "kernels/loops/unary.h"
#undef FN
#undef EXPR
#undef W
#undef V
#undef T
#undef OT
#undef LD
#undef ST

/* Two casts through a block of what is between them, f32 or f64; only blocks of a strided output
 * need the second one's strided shape. Lines of much are asked for some blocks ahead: between two
 * of them a processor waits for what comes from memory. */
static inline void cast_via(nomen__loop *first, nomen__loop *second, int64_t item,
                            char *const ptr[], const int64_t step[], int64_t n) {
    enum { BLOCK = 256, AHEAD = 8192, LINE = 64, MUCH = 16384 };
    double block[BLOCK];
    const bool asks = n >= MUCH && step[1] > 0 && step[1] <= LINE;
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t k = n - i < BLOCK ? n - i : BLOCK;
        if (asks)
            for (int64_t at = 0; at < BLOCK * step[1]; at += LINE)
                __builtin_prefetch(ptr[1] + i * step[1] + AHEAD + at);
        char *in[2] = {(char *)block, ptr[1] + i * step[1]};
        char *out[2] = {ptr[0] + i * step[0], (char *)block};
        first(in, (const int64_t[]){item, step[1]}, k);
        second(out, (const int64_t[]){step[0], item}, k);
    }
}

#define VIA_TYPE(from, to, between, item)                                                          \
    static void cast_##from##_##to(char *const ptr[], const int64_t step[], int64_t n) {           \
        cast_via(cast_##from##_##between, cast_##between##_##to, item, ptr, step, n);              \
    }
#define VIA(from, to)   VIA_TYPE(from, to, f32, sizeof(float))
#define TO_HALVES(from) VIA(from, f16) VIA(from, bf16)
#define FROM_HALVES(to) VIA(f16, to) VIA(bf16, to)

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
#define FROM_COMPLEX(to) VIA(c64, to) VIA_TYPE(c128, to, f64, sizeof(double))
FROM_COMPLEX(u8)
FROM_COMPLEX(i8)
FROM_COMPLEX(i16)
FROM_COMPLEX(i32)
FROM_COMPLEX(i64)
VIA(i64, c64)
#else
TO_HALVES(u8)
TO_HALVES(i8)
TO_HALVES(i16)
TO_HALVES(i32)
TO_HALVES(f64)
#endif
#if VB < 32
FROM_HALVES(u8)
FROM_HALVES(i8)
FROM_HALVES(i16)
FROM_HALVES(i32)
FROM_HALVES(f64)
#endif
TO_HALVES(i64)
TO_HALVES(c64)
TO_HALVES(c128)
FROM_HALVES(b8)
FROM_HALVES(i64)
FROM_HALVES(c64)
FROM_HALVES(c128)
VIA(f16, bf16)
VIA(bf16, f16)

#define ROW_CAST(from, enumerator_from, to_, enumerator_to)                                        \
    {.name = "cast", .dtype = enumerator_from, .to = enumerator_to, .loop = cast_##from##_##to_}
#define TO_b8(s, S)   ROW_CAST(s, S, b8, NOMEN_BOOL)
#define TO_INTS(s, S) TO_SMALL(s, S), ROW_CAST(s, S, i64, NOMEN_I64)
#define TO_SMALL(s, S)                                                                             \
    TO_BYTES(s, S), ROW_CAST(s, S, i16, NOMEN_I16), ROW_CAST(s, S, i32, NOMEN_I32)
#define TO_BYTES(s, S)     ROW_CAST(s, S, u8, NOMEN_U8), ROW_CAST(s, S, i8, NOMEN_I8)
#define TO_f16(s, S)       ROW_CAST(s, S, f16, NOMEN_F16)
#define TO_bf16(s, S)      ROW_CAST(s, S, bf16, NOMEN_BF16)
#define TO_f32(s, S)       ROW_CAST(s, S, f32, NOMEN_F32)
#define TO_f64(s, S)       ROW_CAST(s, S, f64, NOMEN_F64)
#define TO_FLOATS(s, S)    TO_f16(s, S), TO_bf16(s, S), TO_f32(s, S), TO_f64(s, S)
#define TO_c64(s, S)       ROW_CAST(s, S, c64, NOMEN_C64)
#define TO_c128(s, S)      ROW_CAST(s, S, c128, NOMEN_C128)
#define TO_COMPLEXES(s, S) TO_c64(s, S), TO_c128(s, S)
#define TO_INEXACT(s, S)   TO_FLOATS(s, S), TO_COMPLEXES(s, S)

const nomen__kernel NOMEN__TABLE(cast)[] = {
    TO_INTS(b8, NOMEN_BOOL),
    TO_INEXACT(b8, NOMEN_BOOL),
    TO_b8(u8, NOMEN_U8),
    ROW_CAST(u8, NOMEN_U8, i8, NOMEN_I8),
    ROW_CAST(u8, NOMEN_U8, i16, NOMEN_I16),
    ROW_CAST(u8, NOMEN_U8, i32, NOMEN_I32),
    ROW_CAST(u8, NOMEN_U8, i64, NOMEN_I64),
    TO_INEXACT(u8, NOMEN_U8),
    TO_b8(i8, NOMEN_I8),
    ROW_CAST(i8, NOMEN_I8, u8, NOMEN_U8),
    ROW_CAST(i8, NOMEN_I8, i16, NOMEN_I16),
    ROW_CAST(i8, NOMEN_I8, i32, NOMEN_I32),
    ROW_CAST(i8, NOMEN_I8, i64, NOMEN_I64),
    TO_INEXACT(i8, NOMEN_I8),
    TO_b8(i16, NOMEN_I16),
    TO_BYTES(i16, NOMEN_I16),
    ROW_CAST(i16, NOMEN_I16, i32, NOMEN_I32),
    ROW_CAST(i16, NOMEN_I16, i64, NOMEN_I64),
    TO_INEXACT(i16, NOMEN_I16),
    TO_b8(i32, NOMEN_I32),
    TO_BYTES(i32, NOMEN_I32),
    ROW_CAST(i32, NOMEN_I32, i16, NOMEN_I16),
    ROW_CAST(i32, NOMEN_I32, i64, NOMEN_I64),
    TO_INEXACT(i32, NOMEN_I32),
    TO_b8(i64, NOMEN_I64),
    TO_SMALL(i64, NOMEN_I64),
    TO_INEXACT(i64, NOMEN_I64),
    TO_b8(f16, NOMEN_F16),
    TO_INTS(f16, NOMEN_F16),
    TO_bf16(f16, NOMEN_F16),
    TO_f32(f16, NOMEN_F16),
    TO_f64(f16, NOMEN_F16),
    TO_COMPLEXES(f16, NOMEN_F16),
    TO_b8(bf16, NOMEN_BF16),
    TO_INTS(bf16, NOMEN_BF16),
    TO_f16(bf16, NOMEN_BF16),
    TO_f32(bf16, NOMEN_BF16),
    TO_f64(bf16, NOMEN_BF16),
    TO_COMPLEXES(bf16, NOMEN_BF16),
    TO_b8(f32, NOMEN_F32),
    TO_INTS(f32, NOMEN_F32),
    TO_f16(f32, NOMEN_F32),
    TO_bf16(f32, NOMEN_F32),
    TO_f64(f32, NOMEN_F32),
    TO_COMPLEXES(f32, NOMEN_F32),
    TO_b8(f64, NOMEN_F64),
    TO_INTS(f64, NOMEN_F64),
    TO_f16(f64, NOMEN_F64),
    TO_bf16(f64, NOMEN_F64),
    TO_f32(f64, NOMEN_F64),
    TO_COMPLEXES(f64, NOMEN_F64),
    TO_b8(c64, NOMEN_C64),
    TO_INTS(c64, NOMEN_C64),
    TO_FLOATS(c64, NOMEN_C64),
    TO_c128(c64, NOMEN_C64),
    TO_b8(c128, NOMEN_C128),
    TO_INTS(c128, NOMEN_C128),
    TO_FLOATS(c128, NOMEN_C128),
    TO_c64(c128, NOMEN_C128),
    {.name = NULL},
};
