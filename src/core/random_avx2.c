/* Random numbers with AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES          8
#define TARGET         __attribute__((target("avx2,fma")))
#define FMA(a, b, c)   ((f32v)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA64(a, b, c) ((f64v)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define ROOT(x)        ((f32v)_mm256_sqrt_ps((__m256)(x)))
#define MULTIPLY(a, b) ((pair64v)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define LOOPS          nomen__random_avx2
#include "core/random_loops.h"
#else
typedef int nomen__random_no_avx2; /* a file without anything is none */
#endif
