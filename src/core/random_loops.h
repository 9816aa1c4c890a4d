/* Template: the inner loops of the generator, on vectors: mt19937 by the block, bits to [0, 1) and
 * to whole numbers, Box-Muller. One text, compiled for several ISAs (random_plain.c,
 * random_avx2.c, random_avx512.c); what is fused is fused in all of them, so that all give the same
 * bits. Before:
 *   LANES         words in a vector, 8 or 16    TARGET  the attribute of functions
 *   FMA(a, b, c)  a * b + c rounded once        FMA64   the same of doubles
 *   ROOT(x)       square roots                  ROOT64  the same of doubles
 *   LOOPS         the name of the table
 *   FETCH8(t, i), FETCH16  doubles of tables of 8 and 16, by int64     BITS64(x)  signs of int64
 *   MULTIPLY(a, b)  the lower words of numbers of 64 bits, multiplied to such numbers
 *   LESSER(a, b)  the lesser of two words       IF_ODD(x, y)  y where x is odd, otherwise 0
 *   HALVES(x)     floats as float16, the NaN without sign and payload as that of float16
 *   LONGS(h), DOUBLES(h)  half a vector of int32 as int64 and double
 *   PACK(a, b)    two vectors of words below 2^16 as one, if there is an instruction for it
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

#ifdef ONE_BY_ONE
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

static inline f64v root_lanes64(f64v x) {
    f64v result;
    for (int i = 0; i < LANES64; i++) result[i] = sqrt(x[i]);
    return result;
}
#endif

/* ---- mt19937 --------------------------------------------------------------------------------- */

BODY u32v temper_words(u32v y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

/* A vector of words from i on; `far` is the place of the words 397 further. */
BODY void next_words(uint32_t *state, uint32_t *ready, int i, int far) {
    const u32v here = *(const u32v *)(state + i), next = *(const u32v *)(state + i + 1);
    const u32v mixed = (here & 0x80000000U) | (next & 0x7fffffffU);
    const u32v word = *(const u32v *)(state + far) ^ (mixed >> 1) ^ IF_ODD(next, 0x9908b0dfU);
    *(u32v *)(state + i) = word;
    if (ready) *(u32v *)(ready + i) = temper_words(word);
}

BODY void next_block(uint32_t *state, uint32_t *ready) {
    enum { WRAP = NOMEN__MT_WORDS - NOMEN__MT_SHIFT, WHOLE = WRAP / LANES * LANES };
    next_words(state, ready, 0, NOMEN__MT_SHIFT);
    /* The new words stand behind the old ones too: the vector at WHOLE reads across the end, the
     * last one needs word 0. */
    memcpy(state + NOMEN__MT_WORDS, state, sizeof(u32v));
    int i = LANES;
    for (; i <= WHOLE; i += LANES) next_words(state, ready, i, i + NOMEN__MT_SHIFT);
    for (; i < NOMEN__MT_WORDS; i += LANES) next_words(state, ready, i, i - WRAP);
}

TARGET static void refill(uint32_t *state, uint32_t *ready) { next_block(state, ready); }

TARGET static void step(uint32_t *state) { next_block(state, NULL); }

TARGET static void temper(const uint32_t *state, uint32_t *ready) {
    for (int i = 0; i < NOMEN__MT_WORDS; i += LANES)
        *(u32v *)(ready + i) = temper_words(*(const u32v *)(state + i));
}

#include "core/random_make.h"

#include "core/random_normal.h"

#include "core/random_libm.h"

const nomen__random_loops LOOPS = {
    .refill = refill,
    .step = step,
    .temper = temper,
    .make =
        {
            [NOMEN__MADE_UNIFORM] = {[NOMEN_F16] = uniform_f16,
                                     [NOMEN_BF16] = uniform_bf16,
                                     [NOMEN_F32] = uniform_f32,
                                     [NOMEN_F64] = uniform_f64},
            [NOMEN__MADE_BETWEEN] = {[NOMEN_F16] = between_f16,
                                     [NOMEN_BF16] = between_bf16,
                                     [NOMEN_F32] = between_f32,
                                     [NOMEN_F64] = between_f64},
            [NOMEN__MADE_BITS] = {[NOMEN_BOOL] = bits_bool,
                                  [NOMEN_U8] = bits_u8,
                                  [NOMEN_I8] = bits_i8,
                                  [NOMEN_I16] = bits_i16,
                                  [NOMEN_I32] = bits_i32,
                                  [NOMEN_I64] = bits_i64,
                                  [NOMEN_F64] = bits_f64},
            [NOMEN__MADE_REST] = {[NOMEN_BOOL] = rest_bool,
                                  [NOMEN_U8] = rest_8,
                                  [NOMEN_I8] = rest_8,
                                  [NOMEN_I16] = rest_i16,
                                  [NOMEN_I32] = rest_i32,
                                  [NOMEN_I64] = rest_i64,
                                  [NOMEN_F16] = rest_f16,
                                  [NOMEN_BF16] = rest_bf16,
                                  [NOMEN_F32] = rest_f32,
                                  [NOMEN_F64] = rest_f64},
            [NOMEN__MADE_FAR_REST] =
                {[NOMEN_I64] = far_i64, [NOMEN_F32] = far_f32, [NOMEN_F64] = far_f64},
        },
    .partners = partners,
    .normal_f32 = normal_f32,
    .normal_16 = normal_16,
    .normal_f64 = normal_f64,
    .pairs_f64 = pairs_f64,
    .stretch_f64 = stretch_f64,
    .log_f64 = log_f64,
    .exp_f64 = exp_f64,
    .sine_cosine_f64 = sine_cosine_f64,
};
