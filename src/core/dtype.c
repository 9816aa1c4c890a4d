/* Element types: their sizes and names, and which one results when two meet. Conversion of values
 * is not here. */
#include "core/core.h"

#include "nomen/tensor.h"

#include <string.h>

typedef enum kind { KIND_NONE, KIND_BOOL, KIND_INT, KIND_FLOAT, KIND_COMPLEX } kind;

typedef struct row {
    const char *name;
    uint8_t bytes, kind;
} row;

static const row rows[NOMEN_DTYPE_COUNT] = {
    [NOMEN_DTYPE_NONE] = {"none", 0, KIND_NONE},
#define X(tag, short_name, text, storage, kind_name, size)                                         \
    [NOMEN_##tag] = {text, size, KIND_##kind_name},
#include "../../ops/dtypes.def"
#undef X
};

const uint8_t nomen__item_bytes[NOMEN_DTYPE_COUNT] = {
#define X(tag, short_name, text, storage, kind_name, size) [NOMEN_##tag] = size,
#include "../../ops/dtypes.def"
#undef X
};

_Atomic uint8_t nomen__default_dtype = NOMEN_F32;

static const struct {
    const char *name;
    nomen_dtype dtype;
} aliases[] = {
    {"float", NOMEN_F32},  {"double", NOMEN_F64},   {"half", NOMEN_F16}, {"long", NOMEN_I64},
    {"int", NOMEN_I32},    {"short", NOMEN_I16},    {"char", NOMEN_I8},  {"byte", NOMEN_U8},
    {"cfloat", NOMEN_C64}, {"cdouble", NOMEN_C128},
};

static bool known(nomen_dtype dtype) { return (unsigned)dtype < NOMEN_DTYPE_COUNT; }

static kind kind_of(nomen_dtype dtype) { return known(dtype) ? (kind)rows[dtype].kind : KIND_NONE; }

size_t nomen_dtype_size(nomen_dtype dtype) { return known(dtype) ? rows[dtype].bytes : 0; }

const char *nomen_dtype_name(nomen_dtype dtype) { return known(dtype) ? rows[dtype].name : "?"; }

nomen_dtype nomen_dtype_from_name(const char *name) {
    if (!name) return NOMEN_DTYPE_NONE;
    for (int d = 1; d < NOMEN_DTYPE_COUNT; d++)
        if (!strcmp(rows[d].name, name)) return (nomen_dtype)d;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (!strcmp(aliases[i].name, name)) return aliases[i].dtype;
    return NOMEN_DTYPE_NONE;
}

bool nomen_dtype_is_floating(nomen_dtype dtype) { return kind_of(dtype) == KIND_FLOAT; }

bool nomen_dtype_is_complex(nomen_dtype dtype) { return kind_of(dtype) == KIND_COMPLEX; }

bool nomen_dtype_is_integral(nomen_dtype dtype) { return kind_of(dtype) == KIND_INT; }

bool nomen_dtype_is_signed(nomen_dtype dtype) {
    return kind_of(dtype) >= KIND_INT && dtype != NOMEN_U8;
}

nomen_dtype nomen_promote(nomen_dtype a, nomen_dtype b) {
    kind ka = kind_of(a), kb = kind_of(b);
    if (ka == KIND_NONE || kb == KIND_NONE) return NOMEN_DTYPE_NONE;
    if (a == b) return a;
    if (ka != kb) {
        nomen_dtype high = ka > kb ? a : b, low = ka > kb ? b : a;
        /* The one pair of kinds where the lower one can ask for more than the higher one holds. */
        return high == NOMEN_C64 && low == NOMEN_F64 ? NOMEN_C128 : high;
    }
    nomen_dtype most = a > b ? a : b, least = a > b ? b : a;
    if (least == NOMEN_U8 && most == NOMEN_I8) return NOMEN_I16;    /* neither holds the other */
    if (least == NOMEN_F16 && most == NOMEN_BF16) return NOMEN_F32; /* likewise */
    return most;
}

bool nomen_can_cast(nomen_dtype from, nomen_dtype to) {
    kind kf = kind_of(from), kt = kind_of(to);
    return kf != KIND_NONE && kt != KIND_NONE && kf <= kt;
}

nomen_dtype nomen_get_default_dtype(void) { return nomen__default_float(); }

nomen_status nomen_set_default_dtype(nomen_dtype dtype) {
    if (!nomen_dtype_is_floating(dtype))
        return nomen__fail(NOMEN_ERROR_TYPE,
                           "only floating-point types are supported as the default type");
    atomic_store(&nomen__default_dtype, (uint8_t)dtype);
    return NOMEN_OK;
}
