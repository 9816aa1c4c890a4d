/* What is drawn becomes numbers of any dtype. One body (random_store.h), compiled for several ISAs;
 * CMakeLists.txt asks the compiler for vectors here. */
#include "core/draw.h"
#include "core/random_half.h"

#define NAME(x) x##_plain
#define TARGET
#include "core/random_store.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define NAME(x) x##_avx2
#define TARGET  __attribute__((target("avx2,f16c")))
typedef float floats_8 __attribute__((vector_size(32)));
typedef int32_t words_8 __attribute__((vector_size(32)));
/* As f16_of: there is one NaN. */
TARGET static inline __attribute__((always_inline)) void halves_8(uint16_t *out, floats_8 x) {
    const words_8 none = (words_8)(x != x), one = (words_8){0} + 0x7fc00000;
    x = (floats_8)((none & one) | (~none & (words_8)x));
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
}
#define HALVES halves_8
#include "core/random_store.h"
#undef HALVES
#define HAS_AVX2 (nomen__cpu_isa() >= NOMEN__AVX2)
#define BEST(x)  (HAS_AVX2 ? x##_avx2 : x##_plain)
#else
#define BEST(x) x##_plain
#endif

void nomen__store_integers(nomen_dtype dtype, void *out, const int64_t *in, int64_t n) {
    BEST(integers)(dtype, out, in, n);
}

void nomen__store_truths(nomen_dtype dtype, void *out, const uint8_t *in, int64_t n) {
    BEST(truths)(dtype, out, in, n);
}

static int64_t saturated(double value) {
    return value >= 0x1p63   ? INT64_MAX
           : value < -0x1p63 ? INT64_MIN
           : value != value  ? 0
                             : (int64_t)value;
}

void nomen__store_doubles(nomen_dtype dtype, void *out, const double *in, int64_t n) {
    enum { SOME = 64 };
    int64_t integers[SOME];
    if (nomen_dtype_is_floating(dtype)) {
        BEST(floats_of_doubles)(dtype, out, in, n);
        return;
    }
    for (int64_t part; n > 0; n -= part, in += part) {
        part = n < SOME ? n : SOME;
        for (int64_t i = 0; i < part; i++) integers[i] = saturated(in[i]);
        nomen__store_integers(dtype, out, integers, part);
        out = (char *)out + (size_t)part * nomen_dtype_size(dtype);
    }
}

void nomen__doubles_below(const double *u, double p, uint8_t *truth, int64_t n) {
    BEST(below)(u, p, truth, n);
}

void nomen__draws_below(nomen_dtype p_dtype, const void *u, const void *p, uint8_t *truth,
                        int64_t n) {
    BEST(below_each)(p_dtype, u, p, truth, n);
}

bool nomen__all_within(nomen_dtype dtype, const void *x, int64_t n, double most) {
    return BEST(within)(dtype, x, n, most);
}
