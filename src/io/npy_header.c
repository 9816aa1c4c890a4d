/* The header of .npy files: a Python dict of three entries as text, read without trust. Files are
 * in npy.c. */
#include "io/npy.h"

#include <string.h>

typedef struct parser {
    const char *at, *end;
    const char *path;
} parser;

static nomen_status bad(const parser *p, const char *what) {
    return nomen__fail(NOMEN_ERROR_VALUE, "'%s' is not a usable .npy file: %s", p->path, what);
}

static void skip_spaces(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

/* Takes the character c, with spaces before it. */
static bool take(parser *p, char c) {
    skip_spaces(p);
    if (p->at >= p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool take_word(parser *p, const char *word) {
    size_t length = strlen(word);
    skip_spaces(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

/* A quoted text without escapes; *text points into the header. */
static bool take_string(parser *p, const char **text, size_t *length) {
    skip_spaces(p);
    if (p->at >= p->end || (*p->at != '\'' && *p->at != '"')) return false;
    char quote = *p->at++;
    *text = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\') p->at++;
    if (p->at >= p->end || *p->at != quote) return false;
    *length = (size_t)(p->at - *text);
    p->at++;
    return true;
}

/* A number of digits that fits; Python 2 wrote an L behind long ones. */
static bool take_number(parser *p, int64_t *value) {
    skip_spaces(p);
    const char *start = p->at;
    *value = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, *p->at - '0', value))
            return false;
    if (p->at == start) return false;
    if (p->at < p->end && *p->at == 'L') p->at++;
    return true;
}

static bool is_text(const char *text, size_t length, const char *expected) {
    return length == strlen(expected) && memcmp(text, expected, length) == 0;
}

static nomen_status parse_descr(parser *p, nomen__npy *npy) {
    static const char *const codes[NOMEN_DTYPE_COUNT] = {
        [NOMEN_BOOL] = "b1", [NOMEN_U8] = "u1",  [NOMEN_I8] = "i1",    [NOMEN_I16] = "i2",
        [NOMEN_I32] = "i4",  [NOMEN_I64] = "i8", [NOMEN_F16] = "f2",   [NOMEN_F32] = "f4",
        [NOMEN_F64] = "f8",  [NOMEN_C64] = "c8", [NOMEN_C128] = "c16",
    };
    const char *text;
    size_t length;
    if (take(p, '['))
        return bad(p,
                   "it holds records, and nomen holds plain numbers only; save one field of them");
    if (!take_string(p, &text, &length) || length < 2)
        return bad(p, "the 'descr' of its header is not a dtype");
    char order = text[0];
    if (!strchr("<>|=", order)) return bad(p, "the 'descr' of its header has no byte order");
    const char other = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';
    for (int dtype = 1; dtype < NOMEN_DTYPE_COUNT; dtype++) {
        if (!codes[dtype] || !is_text(text + 1, length - 1, codes[dtype])) continue;
        npy->dtype = (nomen_dtype)dtype;
        npy->swapped = order == other && nomen_dtype_size(npy->dtype) > 1;
        return NOMEN_OK;
    }
    return nomen__fail(
        NOMEN_ERROR_UNSUPPORTED,
        "'%s' holds elements of NumPy's dtype '%.*s', which nomen does not have; convert it with "
        "astype in NumPy, for example to int64 or float64",
        p->path, (int)(length < 32 ? length : 32), text);
}

static nomen_status parse_shape(parser *p, nomen__npy *npy) {
    if (!take(p, '(')) return bad(p, "the 'shape' of its header is not a tuple");
    for (npy->ndim = 0; !take(p, ')'); npy->ndim++) {
        if (npy->ndim == NOMEN_MAX_DIMS) return bad(p, "it has more than 64 dims");
        if (!take_number(p, &npy->size[npy->ndim]))
            return bad(p, "a size of its header is not a number that fits");
        skip_spaces(p);
        /* A comma after each but the last, and after an only one. */
        if (!take(p, ',') && (npy->ndim == 0 || p->at >= p->end || *p->at != ')'))
            return bad(p, "the 'shape' of its header is not a tuple");
    }
    return NOMEN_OK;
}

static nomen_status parse_order(parser *p, nomen__npy *npy) {
    if (take_word(p, "True"))
        npy->column_major = true;
    else if (!take_word(p, "False"))
        return bad(p, "the 'fortran_order' of its header is neither True nor False");
    return NOMEN_OK;
}

/* What nomen writes behind the dict; any other comment means nothing. */
static nomen_status parse_names(parser *p, nomen__npy *npy) {
    int count = 0;
    nomen_name names[NOMEN_MAX_DIMS];
    if (!take(p, '#') || !take_word(p, "nomen names:")) return NOMEN_OK;
    nomen_status status = nomen__names_split(p->at, names, &count);
    if (!status) status = nomen__check_names(names, count, npy->ndim);
    if (!status) memcpy(npy->names, names, (size_t)count * sizeof *names);
    return status;
}

nomen_status nomen__npy_header(const char *text, size_t length, const char *path, nomen__npy *npy) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    static nomen_status (*const parse[])(parser *, nomen__npy *) = {parse_descr, parse_order,
                                                                    parse_shape};
    parser p = {text, text + length, path};
    unsigned seen = 0;
    *npy = (nomen__npy){0};
    if (memchr(text, 0, length)) return bad(&p, "its header has a NUL");
    if (!take(&p, '{')) return bad(&p, "its header is not a dict");
    while (!take(&p, '}')) {
        const char *key;
        size_t key_length;
        unsigned k = 0;
        if (!take_string(&p, &key, &key_length) || !take(&p, ':'))
            return bad(&p, "its header is not a dict");
        while (k < NOMEN_COUNT(keys) && !is_text(key, key_length, keys[k])) k++;
        if (k == NOMEN_COUNT(keys) || seen & 1U << k)
            return bad(&p, "its header has a wrong or a doubled key");
        seen |= 1U << k;
        nomen_status status = parse[k](&p, npy);
        if (status) return status;
        skip_spaces(&p);
        if (!take(&p, ',') && (p.at >= p.end || *p.at != '}'))
            return bad(&p, "its header is not a dict");
    }
    if (seen != 7) return bad(&p, "its header wants 'descr', 'fortran_order' and 'shape'");
    skip_spaces(&p);
    if (p.at < p.end && *p.at != '#') return bad(&p, "there is more in its header than a dict");
    return parse_names(&p, npy);
}
