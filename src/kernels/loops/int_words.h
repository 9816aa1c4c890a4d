/* Narrow integers as words of 32 bits, as many as a vector holds: the first n in memory, the others
 * 0, and back. For NARROW_EXPR (ints.h). */
#ifndef NOMEN_SRC_INT_WORDS_H
#define NOMEN_SRC_INT_WORDS_H

#include "kernels/simd/simd.h"

typedef uint8_t words_u8 __attribute__((vector_size(W32)));
typedef int8_t words_i8 __attribute__((vector_size(W32)));
typedef int16_t words_i16 __attribute__((vector_size(2 * W32)));
typedef int32_t words_i32 __attribute__((vector_size(4 * W32)));

#define WORDS_GET(T)                                                                               \
    static inline vi32 words_get_##T(const void *p, int64_t n) {                                   \
        words_##T x = {0};                                                                         \
        memcpy(&x, p, (size_t)n * (sizeof x / W32));                                               \
        return __builtin_convertvector(x, vi32);                                                   \
    }
#define WORDS_PUT(T)                                                                               \
    static inline void words_put_##T(void *p, vi32 x, int64_t n) {                                 \
        const words_##T y = __builtin_convertvector(x, words_##T);                                 \
        memcpy(p, &y, (size_t)n * (sizeof y / W32));                                               \
    }
WORDS_GET(u8)
WORDS_GET(i8)
WORDS_GET(i16)
WORDS_GET(i32)
WORDS_PUT(u8)
WORDS_PUT(i8)
WORDS_PUT(i16)
WORDS_PUT(i32)

#endif
