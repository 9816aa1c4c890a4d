/* As many elements as a vector has room for, at any step in memory: into a register and back, with
 * no block between. For loops whose output has holes (else blocks are gathered sooner, see
 * strided.h): a store for each element is their limit, and a block would be two more of each.
 * Of V, which holds elements of T as they are in memory: LOOP_FAR(p, step, more), a vector of what
 * lies at p, behind which there is more or not; LOOP_FAR_IN(one, p, step, more), the same of an
 * operand that may be dense, or `one` number; LOOP_FAR_OUT(p, step, v), to where it goes. */
#ifndef NOMEN_SRC_LOOPS_FAR_H
#define NOMEN_SRC_LOOPS_FAR_H

#include "kernels/loops/loops.h"

#define AT(T, i)   (*(const T *)(from + (i) * step))
#define FAR2(T, i) AT(T, i), AT(T, (i) + 1)
#define FAR4(T, i) FAR2(T, i), FAR2(T, (i) + 2)
#define FAR8(T, i) FAR4(T, i), FAR4(T, (i) + 4)

#if VB == 64
/* Four at a time: compilers have no registers for as many distances as there are elements, and keep
 * them in vectors. */
typedef loop_4 loop_far_quad __attribute__((vector_size(16)));
static inline __attribute__((always_inline)) vu64 loop_far_4(const char *from, int64_t step) {
    loop_far_quad x[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++, from += 4 * step) {
        __asm__("" : "+r"(from));
        x[k] = (loop_far_quad){FAR4(loop_4, 0)};
    }
    const __m256i low = _mm256_set_m128i((__m128i)x[1], (__m128i)x[0]);
    const __m256i high = _mm256_set_m128i((__m128i)x[3], (__m128i)x[2]);
    return (vu64)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
static inline __attribute__((always_inline)) void loop_far_out_4(char *to, int64_t step, vu64 v) {
    loop_far_quad x[4];
    memcpy(x, &v, sizeof x);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++, to += 4 * step) {
        __asm__("" : "+r"(to));
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) *(loop_4 *)(to + i * step) = x[k][i];
    }
}
#else
static inline __attribute__((always_inline)) vu64 loop_far_4(const char *from, int64_t step) {
#if VB == 32
    return (vu64)(vu32){FAR8(loop_4, 0)};
#else
    return (vu64)(vu32){FAR4(loop_4, 0)};
#endif
}
static inline __attribute__((always_inline)) void loop_far_out_4(char *to, int64_t step, vu64 v) {
    const vu32 x = (vu32)v;
#pragma GCC unroll 8
    for (int i = 0; i < W32; i++) *(loop_4 *)(to + i * step) = x[i];
}
#endif

static inline __attribute__((always_inline)) vu64 loop_far_8(const char *from, int64_t step) {
#if VB == 64
    return (vu64){FAR8(loop_8, 0)};
#elif VB == 32
    return (vu64){FAR4(loop_8, 0)};
#else
    return (vu64){FAR2(loop_8, 0)};
#endif
}

static inline __attribute__((always_inline)) vu64 loop_far_16(const char *from, int64_t step) {
#if VB == 16
    return (vu64)AT(loop_16, 0);
#else
    const loop_32_8 x = __builtin_shufflevector(AT(loop_16, 0), AT(loop_16, 1), 0, 1, 2, 3);
#if VB == 32
    return (vu64)x;
#else
    const loop_32_8 y = __builtin_shufflevector(AT(loop_16, 2), AT(loop_16, 3), 0, 1, 2, 3);
    return (vu64)__builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
#endif
}
#undef AT
#undef FAR2
#undef FAR4
#undef FAR8

static inline __attribute__((always_inline)) void loop_far_out_8(char *to, int64_t step, vu64 v) {
    const vf64 x = (vf64)v; /* one instruction stores the upper one of two numbers */
    typedef double __attribute__((may_alias, aligned(4))) number;
#pragma GCC unroll 8
    for (int i = 0; i < W64; i++) *(number *)(to + i * step) = x[i];
}

static inline __attribute__((always_inline)) void loop_far_out_16(char *to, int64_t step, vu64 v) {
#pragma GCC unroll 4
    for (int i = 0; i < W64 / 2; i++)
        *(loop_16 *)(to + i * step) = (loop_16){v[2 * i], v[2 * i + 1]};
}

static inline __attribute__((always_inline)) vu64 loop_far(const char *from, int64_t step,
                                                           bool more, size_t size) {
#if VB == 32
    if (size == 4 && step == 8 && more) { /* what lies behind the last one is there, too */
        loop_32_4 x, y;
        memcpy(&x, from, sizeof x);
        memcpy(&y, from + 32, sizeof y);
        return (vu64)loop_even_4(x, y);
    }
#elif VB == 64
    if (step == 2 * (int64_t)size && more && size < 16) {
        const __m512i x = _mm512_loadu_si512(from), y = _mm512_loadu_si512(from + 64);
        return size == 4 ? (vu64)_mm512_permutex2var_epi32(x, (__m512i)(loop_count_4 * 2), y)
                         : (vu64)_mm512_permutex2var_epi64(x, (__m512i)(loop_count_8 * 2), y);
    }
#else
    (void)more;
#endif
    return size == 4   ? loop_far_4(from, step)
           : size == 8 ? loop_far_8(from, step)
                       : loop_far_16(from, step);
}

static inline __attribute__((always_inline)) void loop_far_out(char *to, int64_t step, vu64 v,
                                                               size_t size) {
#if VB == 64
    if (step == 2 * (int64_t)size && size < 16) {
        size == 4 ? loop_spread_4(to, (__m512i)v) : loop_spread_8(to, (__m512i)v);
        return;
    }
#endif
    if (size == 4)
        loop_far_out_4(to, step, v);
    else if (size == 8)
        loop_far_out_8(to, step, v);
    else
        loop_far_out_16(to, step, v);
}

#define LOOP_FAR(p, step, more) ((V)loop_far(p, step, more, sizeof(T)))
#define LOOP_FAR_IN(one, p, step, more)                                                            \
    ((step) == (int64_t)sizeof(T) ? LD(p) : (step) == 0 ? (one) : LOOP_FAR(p, step, more))
#define LOOP_FAR_OUT(p, step, v) loop_far_out(p, step, (vu64)(v), sizeof(T))

#endif
