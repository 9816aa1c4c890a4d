/* Template: the inner loops of the generator, on vectors: mt19937 by the block, bits to [0, 1) and
 * to whole numbers, Box-Muller. One text, compiled for several ISAs (random_plain.c,
 * random_avx2.c, random_avx512.c); what is fused is fused in all of them, so that all give the same
 * bits. Before:
 *   LANES         words in a vector, 8 or 16    TARGET  the attribute of functions
 *   FMA(a, b, c)  a * b + c rounded once        FMA64   the same of doubles
 *   ROOT(x)       square roots                  LOOPS   the name of the table
 *   MULTIPLY(a, b)  the lower words of numbers of 64 bits, multiplied to such numbers
 * Long chains of steps keep a processor waiting: vectors of 16 are twice as many numbers on their
 * way, even where it takes them in two halves. */
#include "core/draw.h"

#include <math.h>
#include <string.h>

/* The vectors never cross a function boundary that is not inlined, so their calling convention does
 * not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef uint32_t u32v __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t i32v __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef float f32v __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint64_t pair64v
    __attribute__((vector_size(4 * LANES), aligned(4), may_alias)); /* two words as one number */
typedef double f64v __attribute__((vector_size(4 * LANES), aligned(8), may_alias));

#define BODY TARGET static inline __attribute__((always_inline))

enum { LANES64 = LANES / 2, GROUP = 16 };

/* ---- mt19937 --------------------------------------------------------------------------------- */

BODY u32v temper_words(u32v y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

TARGET static void refill(uint32_t *state, uint32_t *ready) {
    enum { WRAP = NOMEN__MT_WORDS - NOMEN__MT_SHIFT, WHOLE = WRAP / LANES * LANES };
    for (int i = 0; i < NOMEN__MT_WORDS; i += LANES) {
        const u32v here = *(const u32v *)(state + i), next = *(const u32v *)(state + i + 1);
        const u32v mixed = (here & 0x80000000U) | (next & 0x7fffffffU);
        const int far = i <= WHOLE ? i + NOMEN__MT_SHIFT : i - WRAP;
        const u32v word = *(const u32v *)(state + far) ^ (mixed >> 1) ^ (-(next & 1) & 0x9908b0dfU);
        *(u32v *)(state + i) = word;
        *(u32v *)(ready + i) = temper_words(word);
        /* The new words stand behind the old ones too: the vector at WHOLE reads across the end,
         * the last one needs word 0. */
        if (i == 0) memcpy(state + NOMEN__MT_WORDS, state, sizeof(u32v));
    }
}

TARGET static void temper(const uint32_t *state, uint32_t *ready) {
    for (int i = 0; i < NOMEN__MT_WORDS; i += LANES)
        *(u32v *)(ready + i) = temper_words(*(const u32v *)(state + i));
}

/* ---- bits to [0, 1) -------------------------------------------------------------------------- */

TARGET static void uniform_f32(const uint32_t *words, float *out, int64_t n) {
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
TARGET static void uniform_f64(const uint32_t *words, double *out, int64_t n) {
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

#include "core/random_short.h"

#include "core/random_normal.h"

const nomen__random_loops LOOPS = {
    .refill = refill,
    .temper = temper,
    .uniform_f32 = uniform_f32,
    .uniform_f64 = uniform_f64,
    .uniform_16 = uniform_16,
    .normal_f32 = normal_f32,
    .normal_16 = normal_16,
    .scale_f32 = scale_f32,
    .scale_f64 = scale_f64,
    .remainders = remainders,
    .whole = whole,
    .wide = wide,
};
