/* The elements of two vectors of 16 bytes by turns, by element size in bytes: those of the first
 * halves (low), and of the second (high). For turning squares over (tile.c) and for operands that
 * are joined element by element (join.c). */
#ifndef NOMEN_OP_INTERLEAVE_H
#define NOMEN_OP_INTERLEAVE_H

#include <stdint.h>

typedef uint8_t octets __attribute__((vector_size(16)));
typedef uint16_t pairs __attribute__((vector_size(16)));
typedef uint32_t quads __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static inline octets low_1(octets a, octets b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline octets high_1(octets a, octets b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}
static inline octets low_2(octets a, octets b) {
    return (octets)__builtin_shufflevector((pairs)a, (pairs)b, 0, 8, 1, 9, 2, 10, 3, 11);
}
static inline octets high_2(octets a, octets b) {
    return (octets)__builtin_shufflevector((pairs)a, (pairs)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
static inline octets low_4(octets a, octets b) {
    return (octets)__builtin_shufflevector((quads)a, (quads)b, 0, 4, 1, 5);
}
static inline octets high_4(octets a, octets b) {
    return (octets)__builtin_shufflevector((quads)a, (quads)b, 2, 6, 3, 7);
}
static inline octets low_8(octets a, octets b) {
    return (octets)__builtin_shufflevector((halves)a, (halves)b, 0, 2);
}
static inline octets high_8(octets a, octets b) {
    return (octets)__builtin_shufflevector((halves)a, (halves)b, 1, 3);
}

#endif
