/* Random numbers with AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES          8
#define TARGET         __attribute__((target("avx2,fma,f16c")))
#define FMA(a, b, c)   ((f32v)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA64(a, b, c) ((f64v)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define ROOT(x)        ((f32v)_mm256_sqrt_ps((__m256)(x)))
#define ROOT64(x)      ((f64v)_mm256_sqrt_pd((__m256d)(x)))
#define FETCH8(t, i)   ((f64v)_mm256_i64gather_pd(t, (__m256i)(i), 8))
#define FETCH16(t, i)  FETCH8(t, i)
#define BITS64(x)      (uint32_t)_mm256_movemask_pd((__m256d)(x))
#define MULTIPLY(a, b) ((pair64v)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define LESSER(a, b)   ((u32v)_mm256_min_epu32((__m256i)(a), (__m256i)(b)))
#define IF_ODD(x, y)   ((u32v)_mm256_sign_epi32(_mm256_set1_epi32((int)(y)), (__m256i)((x) & 1)))
#define HALVES(x)      ((u16v)_mm256_cvtps_ph((__m256)(x), _MM_FROUND_TO_NEAREST_INT))
#define PACK(a, b)                                                                                 \
    ((u32v)_mm256_permute4x64_epi64(_mm256_packus_epi32((__m256i)(a), (__m256i)(b)), 0xd8))
#define LONGS(h)   ((i64v)_mm256_cvtepi32_epi64((__m128i)(h)))
#define DOUBLES(h) ((f64v)_mm256_cvtepi32_pd((__m128i)(h)))
#define LOOPS      nomen__random_avx2
#include "core/random_loops.h"
#else
typedef int nomen__random_no_avx2; /* a file without anything is none */
#endif
