/* Floats of 16 bits, one by one: choices and masks and no branches, for loops that become vectors.
 */
#ifndef NOMEN_SRC_RANDOM_HALF_H
#define NOMEN_SRC_RANDOM_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t bf16_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t found = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    return value != value ? 0x7fc0 : found;
}

static inline float bf16_to(uint16_t value) {
    uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Rounds to nearest even: the float's own addition rounds at the right bit once the number sits
 * beside a large one. */
static inline uint16_t f16_of(float value) {
    const float beside = fabsf(value) + 0.5f;
    uint32_t bits, small;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&small, &beside, sizeof small);
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t found = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    const uint32_t below = -(uint32_t)(magnitude < 0x38800000); /* 2^-14: steps of 2^-24 */
    found = ((small - 0x3f000000) & below) | (found & ~below);
    found = magnitude >= 0x477ff000 ? 0x7c00 : found; /* from 65520 on: infinity */
    found |= sign;
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7e00 : found);
}

static inline float f16_to(uint16_t value) {
    const uint32_t magnitude = value & 0x7fff;
    uint32_t bits = (magnitude << 13) + 0x38000000;
    bits += magnitude >= 0x7c00 ? 0x38000000 : 0;
    const float tiny = (float)(int32_t)magnitude * 0x1p-24f;
    uint32_t small;
    memcpy(&small, &tiny, sizeof small);
    const uint32_t below = -(uint32_t)(magnitude < 0x400);
    bits = (small & below) | (bits & ~below);
    bits |= (uint32_t)(value & 0x8000) << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

#endif
