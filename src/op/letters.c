/* Reads the equation of einsum, and finds the names of its result. */
#include "op/letters.h"

#include "op/infer_text.h"

#include <string.h>

/* Upper case first: the order in which letters come out where the equation does not say. */
static int letter_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    return -1;
}

static char text_of(int label) {
    return (char)(label >= NOMEN__LETTERS ? '.' : label < 26 ? 'A' + label : 'a' + label - 26);
}

typedef struct reader {
    const char *equation, *at;
    char part[24]; /* "operand 0", "output": in errors */
} reader;

static nomen_status fail_invalid(const reader *r) {
    return nomen__fail(NOMEN_ERROR_STATE,
                       "einsum(): invalid subscript given at index %d in the equation string, "
                       "subscripts must be in [a-zA-Z]",
                       (int)(r->at - r->equation));
}

/* Letters up to a comma, an arrow or the end; *dots: how many letters stand before "...", -1: it
 * does not come. */
static nomen_status read_part(reader *r, nomen__term *t, int *dots) {
    t->n = 0;
    *dots = -1;
    for (; *r->at && *r->at != ',' && strncmp(r->at, "->", 2); r->at++) {
        if (*r->at == ' ') continue;
        if (*r->at == '.') {
            if (*dots >= 0)
                return nomen__fail(NOMEN_ERROR_STATE,
                                   "einsum(): found '.' for %s for which an ellipsis was already "
                                   "found",
                                   r->part);
            if (strncmp(r->at, "...", 3))
                return nomen__fail(NOMEN_ERROR_STATE,
                                   "einsum(): found '.' for %s that is not part of any ellipsis "
                                   "(...)",
                                   r->part);
            *dots = t->n;
            r->at += 2;
            continue;
        }
        int label = letter_of(*r->at);
        if (label < 0) return fail_invalid(r);
        if (t->n == NOMEN_MAX_DIMS)
            return nomen__fail(NOMEN_ERROR_STATE, "einsum(): more than %d subscripts for %s",
                               NOMEN_MAX_DIMS, r->part);
        t->label[t->n++] = (uint8_t)label;
    }
    return NOMEN_OK;
}

/* Puts the labels of count dims where the "..." stood. */
static void put_dots(nomen__term *t, int dots, int count) {
    memmove(t->label + dots + count, t->label + dots, (size_t)(t->n - dots));
    for (int i = 0; i < count; i++) t->label[dots + i] = (uint8_t)(NOMEN__LABELS - count + i);
    t->n += count;
}

static nomen_status fit_operand(nomen__term *t, int dots, int ndim, int k, int *most) {
    if (dots < 0 ? t->n != ndim : t->n > ndim)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "einsum(): the number of subscripts in the equation (%d) %s the number "
                           "of dimensions (%d) for operand %d%s",
                           t->n, dots < 0 ? "does not match" : "is more than", ndim, k,
                           dots < 0 ? " and no ellipsis was given" : "");
    if (dots < 0) return NOMEN_OK;
    int count = ndim - t->n;
    put_dots(t, dots, count);
    if (count > *most) *most = count;
    return NOMEN_OK;
}

/* What stands behind the arrow, or else: "...", and the letters that come once. */
static nomen_status read_output(reader *r, nomen__letters *l, int most) {
    int times[NOMEN__LABELS] = {0}, dots = 0;
    for (int k = 0; k < l->count; k++)
        for (int d = 0; d < l->term[k].n; d++) times[l->term[k].label[d]]++;
    nomen__term *out = &l->out;
    if (!strncmp(r->at, "->", 2)) {
        r->at += 2;
        nomen_status s = read_part(r, out, &dots);
        if (!s && *r->at) s = fail_invalid(r);
        if (s) return s;
    } else {
        out->n = 0;
        for (int label = 0; label < NOMEN__LETTERS; label++)
            if (times[label] == 1) out->label[out->n++] = (uint8_t)label;
    }
    for (int d = 0; d < out->n; d++) {
        int label = out->label[d];
        if (!times[label])
            return nomen__fail(NOMEN_ERROR_STATE,
                               "einsum(): output subscript %c does not appear in the equation for "
                               "any input operand",
                               text_of(label));
        for (int e = 0; e < d; e++)
            if (out->label[e] == label)
                return nomen__fail(NOMEN_ERROR_STATE,
                                   "einsum(): output subscript %c appears more than once in the "
                                   "output",
                                   text_of(label));
    }
    if (dots >= 0 && out->n + most > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE, "einsum(): the result has more than %d dims",
                           NOMEN_MAX_DIMS);
    if (dots >= 0) put_dots(out, dots, most);
    return NOMEN_OK;
}

nomen_status nomen__letters_read(const char *equation, const nomen__names *operands, int count,
                                 nomen__letters *l) {
    reader r = {equation, equation, "output"};
    int most = 0, dots;
    l->count = count;
    if (count < 1)
        return nomen__fail(NOMEN_ERROR_VALUE,
                           "einsum(): must specify the equation string and at least one operand");
    if (count > NOMEN__TERMS)
        return nomen__fail(NOMEN_ERROR_STATE, "einsum(): more than %d operands", NOMEN__TERMS);
    for (int k = 0; k < count; k++) {
        nomen__text part = {r.part, sizeof r.part, 0};
        nomen__text_add(&part, "operand %d", k);
        nomen_status s = read_part(&r, &l->term[k], &dots);
        if (!s && (*r.at == ',') != (k + 1 < count))
            s = nomen__fail(NOMEN_ERROR_STATE,
                            "einsum(): %s operands were provided than specified in the equation",
                            *r.at == ',' ? "fewer" : "more");
        if (!s) s = fit_operand(&l->term[k], dots, operands[k].n, k, &most);
        if (s) return s;
        r.at += *r.at == ',';
    }
    memcpy(r.part, "output", sizeof "output");
    return read_output(&r, l, most);
}

/* ---- names ----------------------------------------------------------------------------------- */

static nomen_status fail_names(int label, nomen_name x, nomen_name y, bool kept) {
    nomen_status failed = nomen__fail(
        NOMEN_ERROR_NAME,
        "einsum: %sdim '%s' and dim '%s' have the same subscript '%c' but do not "
        "match.",
        kept ? "" : "strict contraction: ", nomen_name_text(x), nomen_name_text(y), text_of(label));
    return nomen__hint(failed, "give both one name with rename, if they mean the same");
}

nomen_status nomen__letters_names(const nomen__letters *l, const nomen__names *operands,
                                  bool strict, nomen__namelist *result) {
    nomen_name name[NOMEN__LABELS] = {0};
    bool kept[NOMEN__LABELS] = {false};
    for (int d = 0; d < l->out.n; d++) kept[l->out.label[d]] = true;
    for (int k = 0; k < l->count; k++)
        for (int d = 0; d < l->term[k].n; d++) {
            int label = l->term[k].label[d];
            nomen_name x = nomen__names_at(operands[k], d), *y = &name[label];
            if (x && *y && x != *y && (kept[label] || strict))
                return fail_names(label, *y, x, kept[label]);
            if (!*y) *y = x;
        }
    result->n = l->out.n;
    for (int d = 0; d < l->out.n; d++) result->at[d] = name[l->out.label[d]];
    return nomen__names_distinct("einsum", result);
}
