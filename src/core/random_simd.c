/* The inner loops of the generator, on vectors: mt19937 by the block, bits to [0, 1), Box-Muller.
 * One body each, compiled for several ISAs; what is fused is fused in all of them, so that all give
 * the same bits. */
#include "core/draw.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The vectors never cross a function boundary that is not inlined, so their calling convention does
 * not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef uint32_t u32v __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i32v __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32v __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint64_t pair64v
    __attribute__((vector_size(32), aligned(4), may_alias)); /* two words as one number */
typedef double f64v __attribute__((vector_size(32), aligned(8), may_alias));

#define BODY static inline __attribute__((always_inline))

enum { LANES = 8, LANES64 = 4, GROUP = 16 };

/* ---- mt19937 --------------------------------------------------------------------------------- */

BODY u32v temper_words(u32v y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

/* Words i .. i + 7 of the next block; `far` is where word i + 397 lies. */
BODY void twist_words(uint32_t *state, uint32_t *ready, int i, int far) {
    u32v here = *(const u32v *)(state + i), next = *(const u32v *)(state + i + 1);
    u32v mixed = (here & 0x80000000U) | (next & 0x7fffffffU);
    u32v odd = (u32v)((i32v)(next << 31) >> 31) & 0x9908b0dfU;
    u32v word = *(const u32v *)(state + far) ^ (mixed >> 1) ^ odd;
    *(u32v *)(state + i) = word;
    *(u32v *)(ready + i) = temper_words(word);
}

BODY void refill_body(uint32_t *state, uint32_t *ready) {
    enum { WRAP = NOMEN__MT_WORDS - NOMEN__MT_SHIFT, WHOLE = WRAP / LANES * LANES };
    for (int i = 0; i < WHOLE; i += LANES) twist_words(state, ready, i, i + NOMEN__MT_SHIFT);
    /* The new words stand behind the old ones too: the next vector reads across the end, the last
     * one needs word 0. */
    memcpy(state + NOMEN__MT_WORDS, state, sizeof(u32v));
    twist_words(state, ready, WHOLE, WHOLE + NOMEN__MT_SHIFT);
    for (int i = WHOLE + LANES; i < NOMEN__MT_WORDS; i += LANES)
        twist_words(state, ready, i, i - WRAP);
}

static void temper(const uint32_t *state, uint32_t *ready) {
    for (int i = 0; i < NOMEN__MT_WORDS; i += LANES)
        *(u32v *)(ready + i) = temper_words(*(const u32v *)(state + i));
}

/* ---- bits to [0, 1) -------------------------------------------------------------------------- */

BODY void uniform_f32_body(const uint32_t *words, float *out, int64_t n) {
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        i32v low = (i32v)(*(const u32v *)(words + i) & 0xffffffU);
        *(f32v *)(out + i) = __builtin_convertvector(low, f32v) * 0x1p-24f;
    }
    for (; i < n; i++) out[i] = (float)(words[i] & 0xffffffU) * 0x1p-24f;
}

/* The first word of a pair is the upper half; 53 bits of the 64 count. Written into the fractions
 * of 2^84 and 2^52, the halves become doubles without a conversion. Pairs are read as 64-bit words,
 * upper half last in the number. */
BODY void uniform_f64_body(const uint32_t *words, double *out, int64_t n) {
    int64_t i = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; i + LANES64 <= n; i += LANES64) {
        pair64v pair = *(const pair64v *)(words + 2 * i);
        f64v upper = (f64v)((pair & 0x1fffffU) | 0x4530000000000000U) - 0x1p84;
        f64v lower = (f64v)((pair >> 32) | 0x4330000000000000U) - 0x1p52;
        *(f64v *)(out + i) = (upper + lower) * 0x1p-53;
    }
#endif
    for (; i < n; i++) {
        uint64_t bits = (uint64_t)(words[2 * i] & 0x1fffffU) << 32 | words[2 * i + 1];
        out[i] = (double)(int64_t)bits * 0x1p-53;
    }
}

/* ---- bits to whole numbers ------------------------------------------------------------------- */

/* word % range + base, all steps exact in double: a quotient that is one too large leaves a rest
 * below 0. */
BODY f64v remainders_of(const uint32_t *words, double range, double base) {
    typedef uint32_t u32h __attribute__((vector_size(16), aligned(4), may_alias));
    const pair64v bits = __builtin_convertvector(*(const u32h *)words, pair64v);
    const f64v word = (f64v)(bits | 0x4330000000000000U) - 0x1p52;
    const f64v quotient = (word * (1 / range) + 0x1p52) - 0x1p52;
    const f64v rest = word - quotient * range, ranges = (f64v){0} + range;
    return (rest + (f64v)((pair64v)(rest < 0) & (pair64v)ranges)) + base;
}

BODY double remainder_of(uint32_t word, double range, double base) {
    return (double)(word % (uint64_t)range) + base;
}

BODY void remainders_f32_body(const uint32_t *words, float *out, int64_t n, double range,
                              double base) {
    typedef float f32h __attribute__((vector_size(16), aligned(4), may_alias));
    int64_t i = 0;
    for (; i + LANES64 <= n; i += LANES64)
        *(f32h *)(out + i) = __builtin_convertvector(remainders_of(words + i, range, base), f32h);
    for (; i < n; i++) out[i] = (float)remainder_of(words[i], range, base);
}

BODY void remainders_f64_body(const uint32_t *words, double *out, int64_t n, double range,
                              double base) {
    int64_t i = 0;
    for (; i + LANES64 <= n; i += LANES64)
        *(f64v *)(out + i) = remainders_of(words + i, range, base);
    for (; i < n; i++) out[i] = remainder_of(words[i], range, base);
}

#include "core/random_short.h"

/* ---- Box-Muller ------------------------------------------------------------------------------ */

static inline f32v fused_lanes(f32v a, f32v b, f32v c) {
    f32v result;
    for (int i = 0; i < LANES; i++) result[i] = fmaf(a[i], b[i], c[i]);
    return result;
}

static inline f64v fused_lanes64(f64v a, f64v b, f64v c) {
    f64v result;
    for (int i = 0; i < LANES64; i++) result[i] = fma(a[i], b[i], c[i]);
    return result;
}

static inline f32v root_lanes(f32v x) {
    f32v result;
    for (int i = 0; i < LANES; i++) result[i] = sqrtf(x[i]);
    return result;
}

#define NAME(x) x##_plain
#define TARGET
#define FMA(a, b, c)   fused_lanes(a, b, c)
#define FMA64(a, b, c) fused_lanes64(a, b, c)
#define ROOT(x)        root_lanes(x)
#include "core/random_normal.h"

/* ---- one set per ISA ------------------------------------------------------------------------- */

static void refill(uint32_t *state, uint32_t *ready) { refill_body(state, ready); }

/* In double PyTorch calls the functions of libm, and the last bits of those are nobody else's: with
 * a mean that a draw nearly cancels they become the first ones. */
static void normal_f64(double *at, int64_t groups, double mean, double std) {
    for (; groups > 0; groups--, at += GROUP) {
        for (int j = 0; j < GROUP / 2; j++) {
            const double radius = sqrt(-2.0 * log(1.0 - at[j]));
            const double theta = 2.0 * M_PI * at[j + GROUP / 2];
            at[j] = fma(radius * cos(theta), std, mean);
            at[j + GROUP / 2] = fma(radius * sin(theta), std, mean);
        }
    }
}

static void uniform_f32(const uint32_t *words, float *out, int64_t n) {
    uniform_f32_body(words, out, n);
}

static void uniform_f64(const uint32_t *words, double *out, int64_t n) {
    uniform_f64_body(words, out, n);
}

static void remainders_f32(const uint32_t *words, float *out, int64_t n, double range,
                           double base) {
    remainders_f32_body(words, out, n, range, base);
}

static void remainders_f64(const uint32_t *words, double *out, int64_t n, double range,
                           double base) {
    remainders_f64_body(words, out, n, range, base);
}

static void whole(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    whole_body(words, out, n, dtype);
}

static void wide(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    wide_body(words, out, n, dtype);
}

static void uniform_16(const uint32_t *words, uint16_t *out, int64_t n, nomen_dtype dtype,
                       const float *scale) {
    uniform_16_body(words, out, n, dtype, scale);
}

static const nomen__random_loops plain = {refill,          temper,
                                          uniform_f32,     uniform_f64,
                                          uniform_16,      normal_f32_plain,
                                          normal_f64,      normal_16_plain,
                                          scale_f32_plain, scale_f64_plain,
                                          remainders_f32,  remainders_f64,
                                          whole,           wide};

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

AVX2 static void refill_avx2(uint32_t *state, uint32_t *ready) { refill_body(state, ready); }

AVX2 static void uniform_f32_avx2(const uint32_t *words, float *out, int64_t n) {
    uniform_f32_body(words, out, n);
}

AVX2 static void uniform_f64_avx2(const uint32_t *words, double *out, int64_t n) {
    uniform_f64_body(words, out, n);
}

AVX2 static void remainders_f32_avx2(const uint32_t *words, float *out, int64_t n, double range,
                                     double base) {
    remainders_f32_body(words, out, n, range, base);
}

AVX2 static void remainders_f64_avx2(const uint32_t *words, double *out, int64_t n, double range,
                                     double base) {
    remainders_f64_body(words, out, n, range, base);
}

AVX2 static void whole_avx2(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    whole_body(words, out, n, dtype);
}

AVX2 static void wide_avx2(const uint32_t *words, void *out, int64_t n, nomen_dtype dtype) {
    wide_body(words, out, n, dtype);
}

AVX2 static void uniform_16_avx2(const uint32_t *words, uint16_t *out, int64_t n, nomen_dtype dtype,
                                 const float *scale) {
    uniform_16_body(words, out, n, dtype, scale);
}

#define NAME(x)        x##_avx2
#define TARGET         __attribute__((target("avx2,fma")))
#define FMA(a, b, c)   ((f32v)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA64(a, b, c) ((f64v)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define ROOT(x)        ((f32v)_mm256_sqrt_ps((__m256)(x)))
#include "core/random_normal.h"

static const nomen__random_loops avx2 = {
    refill_avx2,     temper,          uniform_f32_avx2,    uniform_f64_avx2,
    uniform_16_avx2, normal_f32_avx2, normal_f64,          normal_16_avx2,
    scale_f32_avx2,  scale_f64_avx2,  remainders_f32_avx2, remainders_f64_avx2,
    whole_avx2,      wide_avx2};

#define AVX512 __attribute__((target("avx512f,avx512vl")))

AVX512 static void refill_avx512(uint32_t *state, uint32_t *ready) { refill_body(state, ready); }

AVX512 static void uniform_f32_avx512(const uint32_t *words, float *out, int64_t n) {
    uniform_f32_body(words, out, n);
}

AVX512 static void uniform_f64_avx512(const uint32_t *words, double *out, int64_t n) {
    uniform_f64_body(words, out, n);
}

static const nomen__random_loops avx512 = {
    refill_avx512,   temper,          uniform_f32_avx512,  uniform_f64_avx512,
    uniform_16_avx2, normal_f32_avx2, normal_f64,          normal_16_avx2,
    scale_f32_avx2,  scale_f64_avx2,  remainders_f32_avx2, remainders_f64_avx2,
    whole_avx2,      wide_avx2};
#endif

const nomen__random_loops *nomen__random_loops_of(nomen__isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case NOMEN__AMX:
    case NOMEN__AVX512_BF16:
    case NOMEN__AVX512: return &avx512;
    case NOMEN__AVX2: return &avx2;
#endif
    default: return &plain;
    }
}

const nomen__random_loops *nomen__random_loops_best(void) {
    return nomen__random_loops_of(nomen__cpu_isa());
}
