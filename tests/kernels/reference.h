/* What the tests of reductions, row functions and matrix products share: the tables of every ISA
 * this machine runs, and elements of all dtypes as one wide number. The conversions of half types
 * here are arithmetic, on purpose not those of the kernels. No checks here. */
#ifndef NOMEN_TEST_REFERENCE_H
#define NOMEN_TEST_REFERENCE_H

#include "bytes.h"
#include "kernel_isas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static inline const nomen__kernel *find_kernel(int isa, const char *name, nomen_dtype dtype) {
    for (int t = 0; t < TABLES; t++)
        for (const nomen__kernel *k = all_isas[isa].table[t]; k->name; k++)
            if (k->dtype == dtype && strcmp(k->name, name) == 0) return k;
    return NULL;
}

/* ---- elements -------------------------------------------------------------------------------- */

static const char *const dtype_names[NOMEN_DTYPE_COUNT] = {
    "none", "bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"};
static const int dtype_size[NOMEN_DTYPE_COUNT] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
static inline bool is_complex(nomen_dtype d) { return d == NOMEN_C64 || d == NOMEN_C128; }
static inline bool is_float(nomen_dtype d) { return d >= NOMEN_F16 && d <= NOMEN_F64; }
/* Half a unit in the last place of 1. */
static inline long double epsilon_of(nomen_dtype d) {
    return d == NOMEN_F16                     ? 0x1p-11L
           : d == NOMEN_BF16                  ? 0x1p-8L
           : d == NOMEN_F32 || d == NOMEN_C64 ? 0x1p-24L
                                              : 0x1p-53L;
}
/* Below this, rounding errors no longer shrink with the value. */
static inline long double tiny_of(nomen_dtype d) {
    return d == NOMEN_F16 ? 0x1p-24L : d == NOMEN_F64 ? 0x1p-1070L : 0x1p-133L;
}

/* An element: the parts as long doubles, integers also exactly. */
typedef struct wide {
    long double re, im;
    int64_t whole;
} wide;

static inline double half_to_double(uint16_t h, int digits, int bias) {
    const int top = 15 - digits, exponent = (h >> digits) & ((1 << top) - 1),
              rest = h & ((1 << digits) - 1);
    double x;
    if (exponent == (1 << top) - 1)
        x = rest ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        x = ldexp(rest, 1 - bias - digits);
    else
        x = ldexp(rest + (1 << digits), exponent - bias - digits);
    return h & 0x8000 ? -x : x;
}

static inline wide load_wide(nomen_dtype d, const void *p) {
    wide w = {0, 0, 0};
    union {
        uint8_t u8;
        int8_t i8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        int64_t i64;
        float f[2];
        double d[2];
    } u;
    memset(&u, 0, sizeof u);
    memcpy(&u, p, (size_t)dtype_size[d]);
    switch (d) {
    case NOMEN_BOOL: w.whole = u.u8 != 0; break;
    case NOMEN_U8: w.whole = u.u8; break;
    case NOMEN_I8: w.whole = u.i8; break;
    case NOMEN_I16: w.whole = u.i16; break;
    case NOMEN_I32: w.whole = u.i32; break;
    case NOMEN_I64: w.whole = u.i64; break;
    case NOMEN_F16: w.re = half_to_double(u.u16, 10, 15); return w;
    case NOMEN_BF16: w.re = half_to_double(u.u16, 7, 127); return w;
    case NOMEN_F32: w.re = u.f[0]; return w;
    case NOMEN_F64: w.re = u.d[0]; return w;
    case NOMEN_C64: w.re = u.f[0], w.im = u.f[1]; return w;
    case NOMEN_C128: w.re = u.d[0], w.im = u.d[1]; return w;
    default: break;
    }
    w.re = (long double)w.whole;
    return w;
}

/* Half types: cut off, not rounded; the tests read back what they stored. */
static inline void store_double(nomen_dtype d, void *p, double re, double im) {
    const float f[2] = {(float)re, (float)im};
    const double parts[2] = {re, im};
    const int64_t i = is_float(d) || is_complex(d) ? 0 : (int64_t)re;
    uint32_t bits;
    uint16_t h;
    switch (d) {
    case NOMEN_BOOL: *(uint8_t *)p = i != 0; break;
    case NOMEN_F32: memcpy(p, f, 4); break;
    case NOMEN_F64: memcpy(p, parts, 8); break;
    case NOMEN_C64: memcpy(p, f, 8); break;
    case NOMEN_C128: memcpy(p, parts, 16); break;
    case NOMEN_BF16:
        memcpy(&bits, f, 4);
        h = (uint16_t)(bits >> 16);
        if (re != re) h = 0x7fc0;
        memcpy(p, &h, 2);
        break;
    case NOMEN_F16: {
        int e;
        const double a = fabs(re);
        if (re != re) {
            h = 0x7e00;
        } else if (a >= 65520) {
            h = 0x7c00;
        } else if (a < 0x1p-14) {
            h = (uint16_t)ldexp(a, 24);
        } else {
            const double m = frexp(a, &e);
            h = (uint16_t)(((e + 14) << 10) + (int)ldexp(m - 0.5, 11));
        }
        if (signbit(re)) h = (uint16_t)(h | 0x8000);
        memcpy(p, &h, 2);
        break;
    }
    default: store_int(p, i, dtype_size[d]); break;
    }
}

/* ---- random numbers -------------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252u;
static inline uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}
/* Uniform in [-1, 1). */
static inline double random_unit(void) { return (double)(int64_t)random_bits() * 0x1p-63; }

/* What becomes of a value that is too large for the dtype. Only float16 is that narrow in these
 * tests. */
static inline long double overflow_as(nomen_dtype d, long double x) {
    return d == NOMEN_F16 && fabsl(x) >= 65520 ? copysignl((long double)INFINITY, x) : x;
}

/* NaN to NaN, inf to the same inf, numbers up to the bound; a bound of NaN (from other parts) asks
 * for nothing. */
static inline bool close_to(long double got, long double want, long double bound) {
    if (want != want || got != got) return want != want && got != got;
    if (isinf(want) || isinf(got)) return got == want;
    return !(fabsl(got - want) > bound);
}

/* Guard bytes around a block that a kernel must leave alone. */
enum { GUARD = 64, GUARD_BYTE = 0xa5 };
static inline char *guarded_new(size_t bytes) {
    char *p = aligned_alloc(64, (bytes + 2 * GUARD + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, GUARD_BYTE, bytes + 2 * GUARD);
    return p + GUARD;
}
static inline bool guarded_intact(const char *p, size_t bytes) {
    for (int i = 0; i < GUARD; i++)
        if ((uint8_t)p[-1 - i] != GUARD_BYTE || (uint8_t)p[bytes + (size_t)i] != GUARD_BYTE)
            return false;
    return true;
}
/* Nobody has written there. cmocka's own assertion for each byte took most of some tests' time. */
static inline bool is_untouched(const char *p, size_t bytes) {
    return bytes == 0 || ((uint8_t)*p == GUARD_BYTE && memcmp(p, p + 1, bytes - 1) == 0);
}
static inline void guarded_free(char *p) { free(p - GUARD); }

#endif
