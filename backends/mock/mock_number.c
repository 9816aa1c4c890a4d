/* Elements of the mock device: the bytes of each dtype. */
#include "mock_number.h"

#include <math.h>
#include <string.h>

size_t mock_item(nomen_dtype dtype) {
    static const uint8_t bytes[NOMEN_DTYPE_COUNT] = {
        [NOMEN_BOOL] = 1, [NOMEN_U8] = 1,  [NOMEN_I8] = 1,  [NOMEN_I16] = 2,
        [NOMEN_I32] = 4,  [NOMEN_I64] = 8, [NOMEN_F16] = 2, [NOMEN_BF16] = 2,
        [NOMEN_F32] = 4,  [NOMEN_F64] = 8, [NOMEN_C64] = 8, [NOMEN_C128] = 16};
    return bytes[dtype];
}

/* A float of 16 bits with so many bits of fraction. */
static double from_half(uint16_t h, int fraction_bits) {
    int most = (1 << (15 - fraction_bits)) - 1, bias = most / 2;
    int exponent = h >> fraction_bits & most, fraction = h & ((1 << fraction_bits) - 1);
    double v;
    if (exponent == most)
        v = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent)
        v = ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
    else
        v = ldexp(fraction, 1 - bias - fraction_bits);
    return h & 0x8000 ? -v : v;
}

/* Rounded once, ties to even. */
static uint16_t to_half(double v, int fraction_bits) {
    int most = (1 << (15 - fraction_bits)) - 1, bias = most / 2, exponent;
    uint16_t sign = signbit(v) ? 0x8000 : 0, infinite = (uint16_t)(most << fraction_bits);
    if (isnan(v)) return (uint16_t)(sign | infinite | 1 << (fraction_bits - 1));
    v = fabs(v);
    if (isinf(v)) return sign | infinite;
    if (v == 0) return sign;
    frexp(v, &exponent);
    exponent--;
    if (exponent < 1 - bias) exponent = 1 - bias;
    /* in units of the last place; where it rounds up to the next power of two, the carry is right
     */
    int64_t units = (int64_t)nearbyint(ldexp(v, fraction_bits - exponent));
    if (exponent + bias >= most) return sign | infinite;
    int64_t bits = ((int64_t)(exponent + bias - 1) << fraction_bits) + units;
    return bits >= infinite ? sign | infinite : (uint16_t)(sign | bits);
}

enum { HALF = 10, BFLOAT = 7 };

mock_number mock_load(nomen_dtype dtype, const char *at) {
    mock_number n = {0, 0};
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    uint16_t h;
    int16_t i16;
    int32_t i32;
    switch (dtype) {
    case NOMEN_BOOL: n.i = *at != 0; break;
    case NOMEN_U8: n.i = (uint8_t)*at; break;
    case NOMEN_I8: n.i = (int8_t)*at; break;
    case NOMEN_I16:
        memcpy(&i16, at, 2);
        n.i = i16;
        break;
    case NOMEN_I32:
        memcpy(&i32, at, 4);
        n.i = i32;
        break;
    case NOMEN_I64: memcpy(&n.i, at, 8); break;
    case NOMEN_F16:
        memcpy(&h, at, 2);
        n.c = from_half(h, HALF);
        break;
    case NOMEN_BF16:
        memcpy(&h, at, 2);
        n.c = from_half(h, BFLOAT);
        break;
    case NOMEN_F32:
    case NOMEN_C64:
        memcpy(f, at, mock_item(dtype));
        n.c = mock_pair((double)f[0], (double)f[1]);
        break;
    default: memcpy(d, at, mock_item(dtype)); n.c = mock_pair(d[0], d[1]);
    }
    return n;
}

void mock_store(nomen_dtype dtype, char *at, mock_number n) {
    float f[2] = {(float)creal(n.c), (float)cimag(n.c)};
    double d[2] = {creal(n.c), cimag(n.c)};
    uint8_t truth = n.i != 0;
    uint16_t h;
    switch (dtype) {
    case NOMEN_BOOL: memcpy(at, &truth, 1); break;
    case NOMEN_U8:
    case NOMEN_I8:
    case NOMEN_I16:
    case NOMEN_I32:
    case NOMEN_I64: memcpy(at, &n.i, mock_item(dtype)); break; /* the low bytes come first */
    case NOMEN_F16:
        h = to_half(d[0], HALF);
        memcpy(at, &h, 2);
        break;
    case NOMEN_BF16:
        h = to_half(d[0], BFLOAT);
        memcpy(at, &h, 2);
        break;
    case NOMEN_F32:
    case NOMEN_C64: memcpy(at, f, mock_item(dtype)); break;
    default: memcpy(at, d, mock_item(dtype));
    }
}

static int64_t to_integer(double v) { return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN; }

mock_number mock_convert(mock_number n, nomen_dtype from, nomen_dtype to) {
    mock_number r = {0, 0};
    if (mock_whole(from)) {
        r.i = to == NOMEN_BOOL ? n.i != 0 : n.i;
        r.c = (double)n.i;
    } else {
        r.i = to == NOMEN_BOOL ? n.c != 0 : to_integer(creal(n.c));
        r.c = mock_complex(to) ? n.c : mock_pair(creal(n.c), 0);
    }
    return r;
}
