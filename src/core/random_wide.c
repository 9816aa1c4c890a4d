/* Distributions in double on vectors, for results of fewer digits: what they are rounded to is what
 * libm's functions would give, but for one number in many millions. One body
 * (random_wide.h), compiled for several ISAs; nothing is fused, so that all give the same bits. */
#include "core/draw.h"

#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The vectors never cross a function boundary that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define NAME(x) x##_plain
#define LANES   4
#define TARGET
#define ROOT(x) roots(x)
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
static inline four roots(four x) {
    for (int k = 0; k < 4; k++) x[k] = sqrt(x[k]);
    return x;
}
#include "core/random_wide.h"

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define LANES   4
#define TARGET  __attribute__((target("avx2")))
#define ROOT(x) ((f64v)_mm256_sqrt_pd((__m256d)(x)))
#include "core/random_wide.h"

#define NAME(x) x##_avx512
#define LANES   8
#define TARGET  __attribute__((target("avx512f,avx512dq,avx512vl")))
#define ROOT(x) ((f64v)_mm512_sqrt_pd((__m512d)(x)))
#include "core/random_wide.h"
#endif

void nomen__random_shape(nomen__distribution which, double *u, int64_t n, double a, double b) {
#if defined(__x86_64__)
    if (nomen__cpu_isa() >= NOMEN__AVX512) {
        shape_avx512(which, u, n, a, b);
        return;
    }
    if (nomen__cpu_isa() >= NOMEN__AVX2) {
        shape_avx2(which, u, n, a, b);
        return;
    }
#endif
    shape_plain(which, u, n, a, b);
}

void nomen__random_pairs(double *u, int64_t pairs) {
#if defined(__x86_64__)
    if (nomen__cpu_isa() >= NOMEN__AVX512) {
        pairs_avx512(u, pairs);
        return;
    }
    if (nomen__cpu_isa() >= NOMEN__AVX2) {
        pairs_avx2(u, pairs);
        return;
    }
#endif
    pairs_plain(u, pairs);
}
