/* What the two tests of elementwise kernels share: the tables of every ISA this machine runs,
 * operands with all kinds of values in all kinds of layouts, and one run of one kernel. No checks
 * here. */
#ifndef NOMEN_TEST_ELEMENTWISE_H
#define NOMEN_TEST_ELEMENTWISE_H

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

static inline const nomen__kernel *find_kernel(const isa_tables *isa, const char *name,
                                               nomen_dtype dtype, nomen_dtype to) {
    for (int t = 0; t < TABLES; t++) {
        for (const nomen__kernel *k = isa->table[t]; k->name; k++) {
            if (k->dtype == dtype && k->to == to && strcmp(k->name, name) == 0) return k;
        }
    }
    return NULL;
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

static const char *const dtype_names[NOMEN_DTYPE_COUNT] = {
    "none", "bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"};
static const int dtype_size[NOMEN_DTYPE_COUNT] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};

static inline bool is_complex(nomen_dtype d) { return d == NOMEN_C64 || d == NOMEN_C128; }
static inline bool is_float(nomen_dtype d) { return d >= NOMEN_F16 && d <= NOMEN_F64; }

/* Independent of the kernels: by arithmetic on doubles, not by bits. */
static inline double half_to_double(uint16_t h, int mantissa_bits, int bias) {
    const int exponent = (h & 0x7fff) >> mantissa_bits, mantissa = h & ((1 << mantissa_bits) - 1);
    const int top = 0x7fff >> mantissa_bits;
    double v = mantissa == 0 ? (double)INFINITY : (double)NAN;
    if (exponent == 0)
        v = ldexp(mantissa, 1 - bias - mantissa_bits);
    else if (exponent < top)
        v = ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    return h & 0x8000 ? -v : v;
}
static inline double load_double(nomen_dtype d, const void *p) {
    uint16_t h;
    float f;
    double v;
    switch (d) {
    case NOMEN_BOOL: return *(const uint8_t *)p != 0;
    case NOMEN_U8: return *(const uint8_t *)p;
    case NOMEN_I8: return *(const int8_t *)p;
    case NOMEN_I16: return *(const int16_t *)p;
    case NOMEN_I32: return *(const int32_t *)p;
    case NOMEN_I64: return (double)*(const int64_t *)p;
    case NOMEN_F16: memcpy(&h, p, 2); return half_to_double(h, 10, 15);
    case NOMEN_BF16: memcpy(&h, p, 2); return half_to_double(h, 7, 127);
    case NOMEN_C64:
    case NOMEN_F32: memcpy(&f, p, 4); return (double)f;
    default: memcpy(&v, p, 8); return v;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15u;
static inline uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1du;
}
static inline double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static inline double random_double(void) {
    static const double special[] = {0.0,      -0.0,    1.0,     -1.0,   2.0,   -2.0,   0.5,
                                     -0.5,     1.5,     2.5,     -2.5,   3.0,   1e-310, 0x1p-24,
                                     0x1p-126, 65504.0, 65520.0, 1e5,    -1e6,  1e9,    3e9,
                                     -1e19,    9.3e18,  1e38,    -1e300, 255.0, -129.0};
    switch (random_bits() % 6) {
    case 0: return special[random_bits() % (sizeof special / sizeof special[0])];
    case 1:
        return random_bits() & 1 ? (double)INFINITY
                                 : (random_bits() & 1 ? -(double)INFINITY : (double)NAN);
    case 2: return (double)(int64_t)(random_bits() % 21) - 10;
    case 3: return ldexp(random_unit() - 0.5, (int)(random_bits() % 300) - 150);
    default: return (random_unit() - 0.5) * 20;
    }
}

static inline void random_element(nomen_dtype d, void *p) {
    static const int64_t edge[] = {0,         1,         -1,        2,         -2,        3,
                                   INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, INT16_MIN, INT16_MAX,
                                   INT8_MIN,  INT8_MAX,  7,         -7,        0,         0};
    const double v = random_double(), w = random_double();
    const float f = (float)v, g = (float)w;
    const uint64_t bits = random_bits();
    int64_t i = random_bits() & 1 ? edge[random_bits() % (sizeof edge / sizeof edge[0])]
                                  : (int64_t)bits >> (random_bits() % 60);
    switch (d) {
    case NOMEN_BOOL: *(uint8_t *)p = bits & 1; break;
    case NOMEN_F16:
    case NOMEN_BF16: {
        /* random patterns, and in half of the cases ones near 1 */
        uint16_t h =
            (uint16_t)(random_bits() & 1 ? bits
                                         : (d == NOMEN_F16 ? 0x3c00 : 0x3f80) ^ (bits & 0x83ff));
        memcpy(p, &h, 2);
        break;
    }
    case NOMEN_F32: memcpy(p, bits % 8 ? (const void *)&f : (const void *)&bits, 4); break;
    case NOMEN_F64: memcpy(p, bits % 8 ? (const void *)&v : (const void *)&bits, 8); break;
    case NOMEN_C64: memcpy(p, (float[]){f, g}, 8); break;
    case NOMEN_C128: memcpy(p, (double[]){v, w}, 16); break;
    default: memcpy(p, &i, (size_t)dtype_size[d]); break; /* little endian */
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static inline bool in_list(const char *name, const char *const *list) {
    for (; *list; list++) {
        if (strcmp(name, *list) == 0) return true;
    }
    return false;
}
static inline int arity(const char *name) {
    static const char *const four[] = {"addcmul", "addcdiv", "nan_to_num", "logit_limited_gradient",
                                       NULL};
    static const char *const three[] = {"add_scaled",
                                        "sub_scaled",
                                        "clamp",
                                        "where",
                                        "lerp",
                                        "logit_limited",
                                        "threshold",
                                        "threshold_gradient",
                                        "hypot_gradient",
                                        "norm3_gradient",
                                        "product_gradient",
                                        "over_product_gradient",
                                        "sum_product_gradient",
                                        "over_sum_gradient",
                                        NULL};
    static const char *const two[] = {"add",
                                      "sub",
                                      "mul",
                                      "div",
                                      "div_floor",
                                      "div_trunc",
                                      "remainder",
                                      "pow",
                                      "maximum",
                                      "minimum",
                                      "fmax",
                                      "fmin",
                                      "eq",
                                      "ne",
                                      "lt",
                                      "le",
                                      "gt",
                                      "ge",
                                      "logical_and",
                                      "logical_or",
                                      "logical_xor",
                                      "atan2",
                                      "hypot",
                                      "logaddexp",
                                      "logaddexp2",
                                      "fmod",
                                      "copysign",
                                      "complex",
                                      "polar",
                                      "bitwise_and",
                                      "bitwise_or",
                                      "bitwise_xor",
                                      "bitwise_left_shift",
                                      "bitwise_right_shift",
                                      "round_decimals",
                                      "round_tens",
                                      "polygamma",
                                      "relu_gradient",
                                      "tanh_gradient",
                                      "sigmoid_gradient",
                                      "logit_gradient",
                                      "acosh_gradient",
                                      NULL};
    if (in_list(name, four)) return 4;
    return in_list(name, three) ? 3 : in_list(name, two) ? 2 : 1;
}
static inline nomen_dtype in_dtype(const nomen__kernel *k, int input) {
    return input == 0 && strcmp(k->name, "where") == 0 ? NOMEN_BOOL : k->dtype;
}
static inline nomen_dtype out_dtype(const nomen__kernel *k) {
    static const char *const boolean[] = {
        "eq",          "ne",         "lt",          "le",          "gt",    "ge",
        "logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf",
        "isfinite",    "isposinf",   "isneginf",    "signbit",     NULL};
    static const char *const real[] = {"abs", "real", "imag", "angle", NULL};
    static const char *const made[] = {"complex", "polar", NULL};
    if (k->to != NOMEN_DTYPE_NONE) return k->to;
    if (in_list(k->name, boolean)) return NOMEN_BOOL;
    if (in_list(k->name, made)) return k->dtype == NOMEN_F32 ? NOMEN_C64 : NOMEN_C128;
    if (is_complex(k->dtype) && in_list(k->name, real))
        return k->dtype == NOMEN_C64 ? NOMEN_F32 : NOMEN_F64;
    return k->dtype;
}

/* ---- one run --------------------------------------------------------------------------------- */

enum layout {
    CONTIGUOUS,
    LAST_CONSTANT,
    FIRST_CONSTANT,
    REST_CONSTANT,
    ALL_CONSTANT,
    STRIDED,
    EVERY_SECOND,
    STRIDED_CONSTANT,
    BACKWARDS,
    MIXED,
    IN_PLACE,
    IN_PLACE_STRIDED,
    LAYOUTS
};

enum { OPERANDS = 5, MAX_N = 1000, GUARD = 64, ROOM = (MAX_N + 4) * 64 + 4 * GUARD };
typedef struct operands {
    char *memory[OPERANDS]; /* ROOM bytes each: output, inputs */
    char *ptr[OPERANDS];
    int64_t step[OPERANDS];
    int64_t n, room; /* room: bytes of memory in use for this n */
    int out_size;
} operands;

static inline void operands_new(operands *o) {
    for (int i = 0; i < OPERANDS; i++) {
        o->memory[i] = malloc(ROOM);
        assert_non_null(o->memory[i]);
    }
}
static inline void operands_free(operands *o) {
    for (int i = 0; i < OPERANDS; i++) free(o->memory[i]);
}

/* Steps and starts of the layout; the values of every input are drawn anew. Offsets by a guard and
 * one element keep data away from vector alignment. false: the layout makes no sense for this
 * kernel. */
static inline bool operands_set(operands *o, const nomen__kernel *k, enum layout layout,
                                int64_t n) {
    const int count = arity(k->name);
    o->n = n;
    o->room = (n + 4) * 64 + 4 * GUARD;
    o->out_size = dtype_size[out_dtype(k)];
    for (int i = 0; i <= count; i++) {
        const int size = i == 0 ? o->out_size : dtype_size[in_dtype(k, i - 1)];
        int64_t step = size;
        if (layout == STRIDED || layout == STRIDED_CONSTANT) step = size * (i % 3 + 2);
        if (layout == EVERY_SECOND && i > 0) step = size * 2;
        if (layout == BACKWARDS) step = -size * (i % 2 + 1);
        if (layout == MIXED && i > 0) step = size * (i % 2 ? 1 : -3);
        if (layout == IN_PLACE_STRIDED && i < 2) step = size * 3;
        if (i > 0 && (layout == ALL_CONSTANT || (layout == LAST_CONSTANT && i == count) ||
                      (layout == FIRST_CONSTANT && i == 1) || (layout == REST_CONSTANT && i > 1) ||
                      (layout == STRIDED_CONSTANT && i == count)))
            step = 0;
        o->step[i] = step;
        o->ptr[i] = o->memory[i] + (step < 0 ? o->room - GUARD - 2 * size : GUARD + size);
        memset(o->memory[i], 0xa5, (size_t)o->room);
        if (i == 0) continue;
        for (int64_t j = 0; j < (step == 0 ? 1 : n); j++)
            random_element(in_dtype(k, i - 1), o->ptr[i] + j * step);
    }
    if (layout == IN_PLACE || layout == IN_PLACE_STRIDED) {
        const int input = strcmp(k->name, "where") == 0 ? 2 : 1;
        if (dtype_size[in_dtype(k, input - 1)] != o->out_size) return false;
        o->step[input] = o->step[0];
        for (int64_t j = 0; j < n; j++) random_element(k->dtype, o->ptr[0] + j * o->step[0]);
        o->ptr[input] = o->ptr[0];
    }
    return true;
}

/* The bits of XINUSE for the upper halves of vectors (AVX, AVX-512), which say whether somebody
 * left something there; 0 where the processor does not tell, in the builds of the sanitizers, which
 * add code of their own to kernels, and where nothing is optimised, for gcc clears them then only
 * when it is asked to. */
static inline uint32_t upper_halves(void) {
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__clang__) && !defined(NOMEN_DEBUG)
    enum { LEAF = 0xd, TELLS = 1 << 2, AVX = 1 << 2, AVX512 = 1 << 6 };
    static int tells = -1;
    uint32_t a = LEAF, b, c = 1, d;
    if (tells < 0 && __builtin_cpu_supports("avx2")) {
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        tells = (a & TELLS) != 0;
    }
    if (tells <= 0) return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return a & (AVX | AVX512);
#else
    return 0;
#endif
}

/* Runs on a copy of the output's memory and gives that copy back. */
static inline void run_kernel(const nomen__kernel *k, operands *o, char *result) {
    char *ptr[OPERANDS] = {result + (o->ptr[0] - o->memory[0]), o->ptr[1], o->ptr[2], o->ptr[3],
                           o->ptr[4]};
    for (int i = 1; i <= arity(k->name); i++) {
        if (o->ptr[i] == o->ptr[0]) ptr[i] = ptr[0];
    }
    memcpy(result, o->memory[0], (size_t)o->room);
    k->loop(ptr, o->step, o->n);
}

#endif
