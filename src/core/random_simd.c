/* The inner loops of the generator, on vectors: mt19937 by the block, bits to [0, 1), Box-Muller.
 * One body each, compiled for several ISAs; none of them uses fused multiply-add, so that all give
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
typedef uint64_t u64v __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t i64v __attribute__((vector_size(32), aligned(8), may_alias));
typedef double f64v __attribute__((vector_size(32), aligned(8), may_alias));
typedef double f64x8 __attribute__((vector_size(64), aligned(8), may_alias));

#define BODY static inline __attribute__((always_inline))

enum { LANES = 8, LANES64 = 4, GROUP = 16, BLOCK = 32 };

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

/* ---- Box-Muller ------------------------------------------------------------------------------ */

/* log u for normal u > 0: u = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 +
 * f) the series of 2 artanh s, arranged so that f enters without rounding. */
BODY f32v log_f32(f32v u) {
    const uint32_t half_root = 0x3f3504f3; /* sqrt(1/2) as float bits */
    i32v e = (i32v)((u32v)u - half_root) >> 23;
    f32v f = (f32v)((i32v)u - (e << 23)) - 1.0f;
    f32v k = __builtin_convertvector(e, f32v);
    f32v s = f / (2.0f + f), z = s * s, half_square = 0.5f * f * f;
    f32v rest = z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9 + z * (2.0f / 11)))));
    /* log 2 = 0x1.62ep-1 + the rest: the first has 12 bits, so k times it is exact */
    const float high = 0x1.62ep-1f, low = 0x1.0bfbe8p-15f;
    return k * high + (f - (half_square - (s * (half_square + rest) + k * low)));
}

/* Sine and cosine for 0 <= x < 2 pi + a little: x = q pi/2 + r + tail, |r| <= pi/4; Taylor's series
 * of r, corrected for the tail. */
BODY void sincos_f32(const f32v *x, f32v *sine, f32v *cosine) {
    f32v shifted = *x * (float)M_2_PI + 0x1.8p23f; /* rounds to the nearest integer */
    i32v q = (i32v)shifted;
    f32v k = shifted - 0x1.8p23f;
    /* pi/2 in three parts of 20, 20 and 24 bits: the products by k <= 4 are exact */
    f32v near = *x - k * 0x1.921fap+0f, second = k * 0x1.54442p-20f;
    f32v r = near - second, tail = (near - r) - second - k * 0x1.a308d3p-41f;
    f32v z = r * r;
    f32v odd = z * (-1.0f / 6 + z * (1.0f / 120 + z * (-1.0f / 5040 + z * (1.0f / 362880))));
    f32v even = z * (1.0f / 24 + z * (-1.0f / 720 + z * (1.0f / 40320 + z * (-1.0f / 3628800))));
    f32v half_square = 0.5f * z, rest = 1.0f - half_square;
    f32v s = r + (r * odd + tail), c = rest + ((1.0f - rest - half_square) + (z * even - r * tail));
    /* Odd quadrants swap the two; the sign of the sine turns in quadrants 2 and 3, of the cosine in
     * 1 and 2. */
    i32v swap = -(q & 1);
    i32v sine_sign = (q & 2) << 30, cosine_sign = ((q + 1) & 2) << 30;
    *sine = (f32v)((((i32v)c & swap) | ((i32v)s & ~swap)) ^ sine_sign);
    *cosine = (f32v)((((i32v)s & swap) | ((i32v)c & ~swap)) ^ cosine_sign);
}

/* First pass over some groups: the squares of the radii. The roots are taken in between, by an
 * instruction of each ISA. */
BODY void squares_f32(float *at, int64_t groups) {
    for (; groups > 0; groups--, at += GROUP)
        *(f32v *)at = -2.0f * log_f32(1.0f - *(const f32v *)at);
}

/* n std + mean with one rounding in effect: the product is exact in double. */
BODY f32v scale_f32(f32v n, float std, float mean) {
    if (mean == 0) return n * std;
    f64x8 wide = __builtin_convertvector(n, f64x8) * (double)std + (double)mean;
    return __builtin_convertvector(wide, f32v);
}

BODY void turn_f32(float *at, int64_t groups, float mean, float std) {
    for (; groups > 0; groups--, at += GROUP) {
        f32v radius = *(const f32v *)at, theta = *(const f32v *)(at + LANES) * (float)(2 * M_PI),
             sine, cosine;
        sincos_f32(&theta, &sine, &cosine);
        *(f32v *)at = scale_f32(radius * cosine, std, mean);
        *(f32v *)(at + LANES) = scale_f32(radius * sine, std, mean);
    }
}

/* The same in double; the series are longer. */
BODY f64v log_f64(f64v u) {
    const uint64_t half_root = 0x3fe6a09e667f3bcd, one = UINT64_C(1024) << 52;
    i64v e = (i64v)(((u64v)u - half_root + one) >> 52) -
             1024; /* no arithmetic shift of 64 bits before AVX-512 */
    f64v f = (f64v)((i64v)u - (e << 52)) - 1.0;
    f64v k = (f64v)(e + 0x4338000000000000) - 0x1.8p52;
    f64v s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    f64v rest = z * (2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21 + z * (2.0 / 23))));
    rest = z * (2.0 / 9 + z * (2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + rest))));
    rest = z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + rest)));
    const double high = 0x1.62e42fefap-1,
                 low = 0x1.cf79abc9e3b3ap-40; /* of log 2: 36 bits, and what is left */
    return k * high + (f - (half_square - (s * (half_square + rest) + k * low)));
}

BODY void sincos_f64(const f64v *x, f64v *sine, f64v *cosine) {
    f64v shifted = *x * M_2_PI + 0x1.8p52;
    i64v q = (i64v)shifted;
    f64v k = shifted - 0x1.8p52;
    /* pi/2 in three parts of 33, 33 and 53 bits */
    f64v near = *x - k * 0x1.921fb544p+0, second = k * 0x1.0b4611a6p-34;
    f64v r = near - second, tail = (near - r) - second - k * 0x1.3198a2e037073p-69;
    f64v z = r * r;
    f64v odd = z * (-1.0 / 1307674368000 + z * (1.0 / 355687428096000));
    odd = z *
          (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800 + odd))));
    odd = z * (-1.0 / 6 + z * (1.0 / 120 + odd));
    f64v even = z * (1.0 / 20922789888000 + z * (-1.0 / 6402373705728000));
    even = z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 + even)));
    even = z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + even)));
    f64v half_square = 0.5 * z, rest = 1.0 - half_square;
    f64v s = r + (r * odd + tail), c = rest + ((1.0 - rest - half_square) + (z * even - r * tail));
    i64v swap = -(q & 1);
    i64v sine_sign = (q & 2) << 62, cosine_sign = ((q + 1) & 2) << 62;
    *sine = (f64v)((((i64v)c & swap) | ((i64v)s & ~swap)) ^ sine_sign);
    *cosine = (f64v)((((i64v)s & swap) | ((i64v)c & ~swap)) ^ cosine_sign);
}

BODY void squares_f64(double *at, int64_t groups) {
    for (; groups > 0; groups--, at += GROUP)
        for (int j = 0; j < GROUP / 2; j += LANES64)
            *(f64v *)(at + j) = -2.0 * log_f64(1.0 - *(const f64v *)(at + j));
}

BODY void turn_f64(double *at, int64_t groups, double mean, double std) {
    for (; groups > 0; groups--, at += GROUP) {
        for (int j = 0; j < GROUP / 2; j += LANES64) {
            f64v radius = *(const f64v *)(at + j),
                 theta = *(const f64v *)(at + GROUP / 2 + j) * (2 * M_PI), sine, cosine;
            sincos_f64(&theta, &sine, &cosine);
            *(f64v *)(at + j) = radius * cosine * std + mean;
            *(f64v *)(at + GROUP / 2 + j) = radius * sine * std + mean;
        }
    }
}

/* ---- one set per ISA ------------------------------------------------------------------------- */

static void refill(uint32_t *state, uint32_t *ready) { refill_body(state, ready); }

static void uniform_f32(const uint32_t *words, float *out, int64_t n) {
    uniform_f32_body(words, out, n);
}

static void uniform_f64(const uint32_t *words, double *out, int64_t n) {
    uniform_f64_body(words, out, n);
}

static void roots_f32(float *at, int64_t groups) {
    for (; groups > 0; groups--, at += GROUP)
        for (int j = 0; j < GROUP / 2; j++) at[j] = sqrtf(at[j]);
}

static void roots_f64(double *at, int64_t groups) {
    for (; groups > 0; groups--, at += GROUP)
        for (int j = 0; j < GROUP / 2; j++) at[j] = sqrt(at[j]);
}

static void normal_f32(float *at, int64_t groups, float mean, float std) {
    for (int64_t some; groups > 0; groups -= some, at += some * GROUP) {
        some = groups < BLOCK ? groups : BLOCK;
        squares_f32(at, some);
        roots_f32(at, some);
        turn_f32(at, some, mean, std);
    }
}

static void normal_f64(double *at, int64_t groups, double mean, double std) {
    for (int64_t some; groups > 0; groups -= some, at += some * GROUP) {
        some = groups < BLOCK ? groups : BLOCK;
        squares_f64(at, some);
        roots_f64(at, some);
        turn_f64(at, some, mean, std);
    }
}

static const nomen__random_loops plain = {refill,      temper,     uniform_f32,
                                          uniform_f64, normal_f32, normal_f64};

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

AVX2 static void refill_avx2(uint32_t *state, uint32_t *ready) { refill_body(state, ready); }

AVX2 static void uniform_f32_avx2(const uint32_t *words, float *out, int64_t n) {
    uniform_f32_body(words, out, n);
}

AVX2 static void uniform_f64_avx2(const uint32_t *words, double *out, int64_t n) {
    uniform_f64_body(words, out, n);
}

AVX2 static void roots_f32_avx2(float *at, int64_t groups) {
    for (; groups > 0; groups--, at += GROUP)
        _mm256_storeu_ps(at, _mm256_sqrt_ps(_mm256_loadu_ps(at)));
}

AVX2 static void roots_f64_avx2(double *at, int64_t groups) {
    for (; groups > 0; groups--, at += GROUP)
        for (int j = 0; j < GROUP / 2; j += LANES64)
            _mm256_storeu_pd(at + j, _mm256_sqrt_pd(_mm256_loadu_pd(at + j)));
}

AVX2 static void normal_f32_avx2(float *at, int64_t groups, float mean, float std) {
    for (int64_t some; groups > 0; groups -= some, at += some * GROUP) {
        some = groups < BLOCK ? groups : BLOCK;
        squares_f32(at, some);
        roots_f32_avx2(at, some);
        turn_f32(at, some, mean, std);
    }
}

AVX2 static void normal_f64_avx2(double *at, int64_t groups, double mean, double std) {
    for (int64_t some; groups > 0; groups -= some, at += some * GROUP) {
        some = groups < BLOCK ? groups : BLOCK;
        squares_f64(at, some);
        roots_f64_avx2(at, some);
        turn_f64(at, some, mean, std);
    }
}

static const nomen__random_loops avx2 = {refill_avx2,      temper,          uniform_f32_avx2,
                                         uniform_f64_avx2, normal_f32_avx2, normal_f64_avx2};

/* Only what has no multiplication followed by an addition: AVX-512 brings fused ones along, and
 * with them other bits. */
#define AVX512 __attribute__((target("avx512f,avx512vl")))

AVX512 static void refill_avx512(uint32_t *state, uint32_t *ready) { refill_body(state, ready); }

AVX512 static void uniform_f32_avx512(const uint32_t *words, float *out, int64_t n) {
    uniform_f32_body(words, out, n);
}

AVX512 static void uniform_f64_avx512(const uint32_t *words, double *out, int64_t n) {
    uniform_f64_body(words, out, n);
}

static const nomen__random_loops avx512 = {refill_avx512,      temper,          uniform_f32_avx512,
                                           uniform_f64_avx512, normal_f32_avx2, normal_f64_avx2};
#endif

const nomen__random_loops *nomen__random_loops_of(nomen__isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case NOMEN__AVX512: return &avx512;
    case NOMEN__AVX2: return &avx2;
#endif
    default: return &plain;
    }
}

const nomen__random_loops *nomen__random_loops_best(void) {
    return nomen__random_loops_of(nomen__cpu_isa());
}
