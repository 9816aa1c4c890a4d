/* Template: what is drawn as numbers of any dtype, and compared with probabilities. random_store.c
 * includes it once per ISA with
 *   NAME(x)  the name of x for this ISA        TARGET        the attribute of its functions
 * Loops of one element, which the compiler makes loops of vectors. */

#define FUNCTION NAME(floats_of_integers)
#define FROM     int64_t
#include "core/random_floats.h"
#define FUNCTION NAME(floats_of_doubles)
#define FROM     double
#include "core/random_floats.h"

TARGET static void NAME(integers)(nomen_dtype dtype, void *restrict out, const int64_t *restrict in,
                                  int64_t n) {
    uint8_t *const one = out;
    uint16_t *const two = out;
    uint32_t *const four = out;
    float *const f32 = out;
    double *const f64 = out;
    switch (dtype) {
    case NOMEN_BOOL:
        for (int64_t i = 0; i < n; i++) one[i] = in[i] != 0;
        break;
    case NOMEN_U8:
    case NOMEN_I8:
        for (int64_t i = 0; i < n; i++) one[i] = (uint8_t)in[i];
        break;
    case NOMEN_I16:
        for (int64_t i = 0; i < n; i++) two[i] = (uint16_t)in[i];
        break;
    case NOMEN_I32:
        for (int64_t i = 0; i < n; i++) four[i] = (uint32_t)in[i];
        break;
    case NOMEN_I64: memcpy(out, in, (size_t)n * sizeof *in); break;
    case NOMEN_C64:
        for (int64_t i = 0; i < n; i++) f32[2 * i] = (float)in[i], f32[2 * i + 1] = 0;
        break;
    case NOMEN_C128:
        for (int64_t i = 0; i < n; i++) f64[2 * i] = (double)in[i], f64[2 * i + 1] = 0;
        break;
    default: NAME(floats_of_integers)(dtype, out, in, n);
    }
}

/* 0 and 1 are all bits or none of the number 1. */
TARGET static void NAME(truths)(nomen_dtype dtype, void *restrict out, const uint8_t *restrict in,
                                int64_t n) {
    const bool whole = !nomen_dtype_is_floating(dtype) && !nomen_dtype_is_complex(dtype);
    const uint16_t one_16 = dtype == NOMEN_F16 ? 0x3c00 : dtype == NOMEN_BF16 ? 0x3f80 : 1;
    const uint32_t one_32 = whole ? 1 : 0x3f800000;
    const uint64_t one_64 = dtype == NOMEN_C64 ? 0x3f800000 : whole ? 1 : UINT64_C(0x3ff) << 52;
    uint16_t *const two = out;
    uint32_t *const four = out;
    uint64_t *const eight = out;
    switch (nomen_dtype_size(dtype)) {
    case 1: memcpy(out, in, (size_t)n); break;
    case 2:
        for (int64_t i = 0; i < n; i++) two[i] = (uint16_t)(-in[i] & one_16);
        break;
    case 4:
        for (int64_t i = 0; i < n; i++) four[i] = -(uint32_t)in[i] & one_32;
        break;
    case 8:
        for (int64_t i = 0; i < n; i++) eight[i] = -(uint64_t)in[i] & one_64;
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            eight[2 * i] = -(uint64_t)in[i] & one_64, eight[2 * i + 1] = 0;
    }
}

TARGET static void NAME(below)(const double *restrict u, double p, uint8_t *restrict truth,
                               int64_t n) {
    for (int64_t i = 0; i < n; i++) truth[i] = u[i] < p;
}

TARGET static void NAME(below_each)(nomen_dtype p_dtype, const void *restrict u,
                                    const void *restrict p, uint8_t *restrict truth, int64_t n) {
    const uint16_t *const halves = p;
    const float *const floats = p, *const short_u = u;
    const double *const doubles = p, *const long_u = u;
    switch (p_dtype) {
    case NOMEN_F16:
        for (int64_t i = 0; i < n; i++) truth[i] = short_u[i] < f16_to(halves[i]);
        break;
    case NOMEN_BF16:
        for (int64_t i = 0; i < n; i++) truth[i] = short_u[i] < bf16_to(halves[i]);
        break;
    case NOMEN_F32:
        for (int64_t i = 0; i < n; i++) truth[i] = short_u[i] < floats[i];
        break;
    default:
        for (int64_t i = 0; i < n; i++) truth[i] = long_u[i] < doubles[i];
    }
}

/* Both bounds are looked at: a choice between them would be a branch. */
TARGET static bool NAME(within)(nomen_dtype dtype, const void *x, int64_t n, double most) {
    const uint16_t *const halves = x;
    const float *const floats = x, limit = (float)most;
    const double *const doubles = x;
    int64_t beyond = 0;
    int32_t out = 0;
    switch (dtype) {
    case NOMEN_F16:
        for (int64_t i = 0; i < n; i++)
            out |= (int)!(f16_to(halves[i]) >= 0) | (int)!(f16_to(halves[i]) <= limit);
        break;
    case NOMEN_BF16:
        for (int64_t i = 0; i < n; i++)
            out |= (int)!(bf16_to(halves[i]) >= 0) | (int)!(bf16_to(halves[i]) <= limit);
        break;
    case NOMEN_F32:
        for (int64_t i = 0; i < n; i++) out |= (int)!(floats[i] >= 0) | (int)!(floats[i] <= limit);
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            beyond |= (int)!(doubles[i] >= 0) | (int)!(doubles[i] <= most);
    }
    return !out && !beyond;
}

#undef NAME
#undef TARGET
