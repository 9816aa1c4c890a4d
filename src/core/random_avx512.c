/* Random numbers with AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES          16
#define TARGET         __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define FMA(a, b, c)   ((f32v)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMA64(a, b, c) ((f64v)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define ROOT(x)        ((f32v)_mm512_sqrt_ps((__m512)(x)))
#define ROOT64(x)      ((f64v)_mm512_sqrt_pd((__m512d)(x)))
#define FETCH8(t, i)   ((f64v)_mm512_permutexvar_pd((__m512i)(i), _mm512_loadu_pd(t)))
#define FETCH16(t, i)                                                                              \
    ((f64v)_mm512_permutex2var_pd(_mm512_loadu_pd(t), (__m512i)(i), _mm512_loadu_pd((t) + 8)))
#define BITS64(x)      _mm512_movepi64_mask((__m512i)(x))
#define MULTIPLY(a, b) ((pair64v)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define LESSER(a, b)   ((u32v)_mm512_min_epu32((__m512i)(a), (__m512i)(b)))
#define IF_ODD(x, y)   (-((x) & 1) & (y))
/* With a mask: without optimisation gcc's form that has none is a macro which warns. */
#define HALVES(x)  ((u16v)_mm512_maskz_cvtps_ph(0xffff, (__m512)(x), _MM_FROUND_TO_NEAREST_INT))
#define LONGS(h)   ((i64v)_mm512_cvtepi32_epi64((__m256i)(h)))
#define DOUBLES(h) ((f64v)_mm512_cvtepi32_pd((__m256i)(h)))
#define LOOPS      nomen__random_avx512
#include "core/random_loops.h"
#else
typedef int nomen__random_no_avx512; /* a file without anything is none */
#endif
