/* What users ask of a tensor, numbers, and tensors made of a number. No operations. */
#include "core/devices.h"
#include "core/state.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>

/* ---- numbers --------------------------------------------------------------------------------- */

nomen_number nomen_number_int(int64_t value) {
    return (nomen_number){NOMEN_NUMBER_INT, value, 0, 0};
}

nomen_number nomen_number_bool(bool value) {
    return (nomen_number){NOMEN_NUMBER_BOOL, value, 0, 0};
}

nomen_number nomen_number_float(double value) {
    return (nomen_number){NOMEN_NUMBER_FLOAT, 0, value, 0};
}

nomen_number nomen_number_complex(double re, double im) {
    return (nomen_number){NOMEN_NUMBER_COMPLEX, 0, re, im};
}

nomen_tensor *nomen_scalar_call(nomen_number value) {
    static const nomen_dtype dtypes[] = {NOMEN_DTYPE_NONE, NOMEN_BOOL, NOMEN_I64, NOMEN_F64,
                                         NOMEN_C128};
    if ((unsigned)value.kind >= NOMEN_COUNT(dtypes) || value.kind == NOMEN_ABSENT) {
        nomen__fail(NOMEN_ERROR_VALUE, "a scalar wants a number, not an absent one");
        return NULL;
    }
    nomen_tensor *t = nomen__tensor_empty(dtypes[value.kind], 0, NULL);
    if (!t) return NULL;
    t->flags |= NOMEN__WRAPPED;
    double parts[2] = {value.re, value.im};
    switch (value.kind) {
    case NOMEN_NUMBER_BOOL: *t->data = value.i != 0; break;
    case NOMEN_NUMBER_INT: memcpy(t->data, &value.i, sizeof value.i); break;
    case NOMEN_NUMBER_FLOAT: memcpy(t->data, parts, sizeof parts[0]); break;
    case NOMEN_NUMBER_COMPLEX: memcpy(t->data, parts, sizeof parts); break;
    case NOMEN_ABSENT: break;
    }
    return nomen__scoped(t);
}

/* ---- questions ------------------------------------------------------------------------------- */

nomen_dtype nomen_dtype_of(const nomen_tensor *t) {
    return t ? (nomen_dtype)t->dtype : NOMEN_DTYPE_NONE;
}

int nomen_ndim(const nomen_tensor *t) { return t ? t->ndim : 0; }

int64_t nomen_numel(const nomen_tensor *t) { return t ? t->numel : 0; }

const int64_t *nomen_shape(const nomen_tensor *t) { return t ? t->size : NULL; }

const int64_t *nomen_strides(const nomen_tensor *t) { return t ? t->stride : NULL; }

bool nomen_has_names(const nomen_tensor *t) { return t && nomen__is_named(t); }

bool nomen_is_contiguous(const nomen_tensor *t) { return t && (t->flags & NOMEN__CONTIGUOUS); }

void *nomen_data(const nomen_tensor *t) {
    if (!t || (!t->device && (nomen__make_ready(t) || nomen__before_write(t->storage))))
        return NULL;
    if (!t->device) return t->data;
    nomen__fail(NOMEN_ERROR_DEVICE, "the elements are on '%s', where nobody here can read them",
                nomen__device_name(t->device));
    nomen__hint(NOMEN_ERROR_DEVICE, "nomen_to(t, .device = \"cpu\") brings them here");
    return NULL;
}

void nomen_touch(nomen_tensor *t) {
    if (t) nomen__written(t->storage);
}

const char *nomen_name_of(const nomen_tensor *t, int i) {
    if (!t) return NULL;
    if (i < 0) i += t->ndim;
    return i >= 0 && i < t->ndim ? nomen_name_text(nomen__name_at(t, i)) : NULL;
}

/* An integer as the whole of the text. */
static bool parse_index(const char *text, size_t length, int64_t *value) {
    size_t i = length && text[0] == '-';
    int64_t v = 0;
    if (i == length) return false;
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (v < INT32_MAX)
            v = 10 * v + (text[i] - '0'); /* more digits only have to stay out of range */
    }
    *value = text[0] == '-' ? -v : v;
    return true;
}

static int index_position(const nomen_tensor *t, int64_t index) {
    int ndim = t->ndim;
    if (ndim == 0) {
        nomen__fail(NOMEN_ERROR_INDEX, "Dimension specified as %lld but tensor has no dimensions",
                    (long long)index);
        return -1;
    }
    if (index < -ndim || index >= ndim) {
        nomen__fail(NOMEN_ERROR_INDEX,
                    "Dimension out of range (expected to be in range of [%d, %d], but got %lld)",
                    -ndim, ndim - 1, (long long)index);
        return -1;
    }
    return (int)(index < 0 ? index + ndim : index);
}

static int position(const nomen_tensor *t, const char *dim) {
    size_t length = dim ? strlen(dim) : 0;
    while (length && dim[0] == ' ') dim++, length--;
    while (length && dim[length - 1] == ' ') length--;
    int64_t index;
    if (length && parse_index(dim, length, &index)) return index_position(t, index);
    nomen_name name = 0;
    if (dim && !nomen_name_intern(dim, length, &name)) return -1;
    if (name == 0) {
        nomen__fail(NOMEN_ERROR_NAME, "Please look up dimensions by name, got: name = None.");
        return -1;
    }
    if (nomen__is_named(t))
        for (int i = 0; i < t->ndim; i++)
            if (t->names[i] == name) return i;
    NOMEN__TEXT(own, 768);
    nomen__text_names(&own, nomen__is_named(t) ? t->names : NULL, t->ndim);
    nomen__fail(NOMEN_ERROR_NAME, "Name '%.*s' not found in Tensor%s.", (int)length, dim,
                own_buffer);
    return -1;
}

int64_t nomen_size(const nomen_tensor *t, const char *dim) {
    if (!t) return 0;
    int i = position(t, dim);
    return i < 0 ? -1 : t->size[i];
}

/* -1 is also the stride of a reversed dim: whoever has such views asks for the error too. */
int64_t nomen_stride(const nomen_tensor *t, const char *dim) {
    if (!t) return 0;
    int i = position(t, dim);
    return i < 0 ? -1 : t->stride[i];
}

/* ---- items ----------------------------------------------------------------------------------- */

static double from_half(uint16_t h) {
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v;
    if (exponent == 31)
        v = fraction ? (double)NAN : (double)INFINITY;
    else
        v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h & 0x8000 ? -v : v;
}

static double from_bfloat(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static nomen_number read_integer(nomen_dtype dtype, const char *at) {
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (dtype) {
    case NOMEN_BOOL: return nomen_number_bool(*at != 0);
    case NOMEN_U8: return nomen_number_int((uint8_t)*at);
    case NOMEN_I8: return nomen_number_int((int8_t)*at);
    case NOMEN_I16: memcpy(&i16, at, sizeof i16); return nomen_number_int(i16);
    case NOMEN_I32: memcpy(&i32, at, sizeof i32); return nomen_number_int(i32);
    default: memcpy(&i64, at, sizeof i64); return nomen_number_int(i64);
    }
}

static nomen_number read_number(nomen_dtype dtype, const char *at) {
    uint16_t half;
    float f[2];
    double d[2];
    switch (dtype) {
    case NOMEN_F16: memcpy(&half, at, sizeof half); return nomen_number_float(from_half(half));
    case NOMEN_BF16: memcpy(&half, at, sizeof half); return nomen_number_float(from_bfloat(half));
    case NOMEN_F32: memcpy(f, at, sizeof f[0]); return nomen_number_float((double)f[0]);
    case NOMEN_F64: memcpy(d, at, sizeof d[0]); return nomen_number_float(d[0]);
    case NOMEN_C64:
        memcpy(f, at, sizeof f);
        return nomen_number_complex((double)f[0], (double)f[1]);
    case NOMEN_C128: memcpy(d, at, sizeof d); return nomen_number_complex(d[0], d[1]);
    default: return read_integer(dtype, at);
    }
}

nomen_number nomen_item_number(const nomen_tensor *t) {
    nomen_number none = {NOMEN_ABSENT, 0, 0, 0};
    if (!t) {
        nomen__fail(NOMEN_ERROR_TYPE, "the item of NULL: there is no tensor");
        return none;
    }
    if (t->numel != 1) {
        nomen__fail(NOMEN_ERROR_SHAPE, "a Tensor with %lld elements cannot be converted to Scalar",
                    (long long)t->numel);
        return none;
    }
    char value[16];
    return nomen__element(t, value) ? none : read_number((nomen_dtype)t->dtype, value);
}

static bool refuse_complex(nomen_number n, const nomen_tensor *t) {
    if (n.kind != NOMEN_NUMBER_COMPLEX) return false;
    nomen__fail(NOMEN_ERROR_DTYPE,
                "a %s value cannot be converted to a real number: use nomen_item_number",
                nomen_dtype_name((nomen_dtype)t->dtype));
    return true;
}

double nomen_item(const nomen_tensor *t) {
    nomen_number n = nomen_item_number(t);
    if (n.kind == NOMEN_ABSENT || refuse_complex(n, t)) return (double)NAN;
    return n.kind == NOMEN_NUMBER_FLOAT ? n.re : (double)n.i;
}

int64_t nomen_item_int(const nomen_tensor *t) {
    nomen_number n = nomen_item_number(t);
    if (n.kind == NOMEN_ABSENT || refuse_complex(n, t)) return 0;
    if (n.kind != NOMEN_NUMBER_FLOAT) return n.i;
    /* 2^63 is the first double beyond int64; -2^63 is in it. */
    if (!(n.re >= -0x1p63 && n.re < 0x1p63)) {
        nomen__fail(NOMEN_ERROR_VALUE, "the value %g does not fit into an integer of 64 bits",
                    n.re);
        return 0;
    }
    return (int64_t)n.re;
}

/* ---- names ----------------------------------------------------------------------------------- */

nomen_status nomen_set_names(nomen_tensor *t, const char *names) {
    nomen_name list[NOMEN_MAX_DIMS];
    int n = 0;
    if (!t) return nomen__fail(NOMEN_ERROR_TYPE, "nomen_set_names: there is no tensor (NULL)");
    if (names) {
        nomen_status status = nomen__names_split(names, list, &n);
        if (status) return status;
        status = nomen__check_names(list, n, t->ndim);
        if (status) return status;
    }
    nomen__set_names(t, names ? list : NULL);
    return NOMEN_OK;
}
