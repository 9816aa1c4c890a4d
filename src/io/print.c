/* Tensors as text, to the letter as PyTorch writes them. First all elements that will appear are
 * looked at, to find the notation and the width that they share; then they are written. */
#include "io/print.h"

#include "op/op.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The longest number: 309 digits before the point, NOMEN_MAX_PRECISION behind it, sign, point, "j".
 */
enum { NUMBER = 320 + NOMEN_MAX_PRECISION + 8 };

static const nomen_print_options defaults = {
    .precision = 4, .edgeitems = 3, .linewidth = 80, .sci_mode = -1, .threshold = 1000};
static pthread_mutex_t options_lock = PTHREAD_MUTEX_INITIALIZER;
static nomen_print_options options_now = {
    .precision = 4, .edgeitems = 3, .linewidth = 80, .sci_mode = -1, .threshold = 1000};

nomen_print_options nomen_get_print_options(void) {
    pthread_mutex_lock(&options_lock);
    nomen_print_options options = options_now;
    pthread_mutex_unlock(&options_lock);
    return options;
}

nomen_status nomen_set_print_options(const nomen_print_options *options) {
    const nomen_print_options *o = options ? options : &defaults;
    if (o->precision < 0 || o->precision > NOMEN_MAX_PRECISION)
        return nomen__fail(NOMEN_ERROR_VALUE, "precision is %d, but must be 0 to %d", o->precision,
                           NOMEN_MAX_PRECISION);
    if (o->edgeitems < 1)
        return nomen__fail(NOMEN_ERROR_VALUE, "edgeitems is %d, but must be at least 1",
                           o->edgeitems);
    if (o->linewidth < 1)
        return nomen__fail(NOMEN_ERROR_VALUE, "linewidth is %d, but must be at least 1",
                           o->linewidth);
    if (o->sci_mode < -1 || o->sci_mode > 1)
        return nomen__fail(NOMEN_ERROR_VALUE,
                           "sci_mode is %d, but must be 1 (always), 0 (never) or -1 (as needed)",
                           o->sci_mode);
    if (o->threshold < 0)
        return nomen__fail(NOMEN_ERROR_VALUE, "threshold is %" PRId64 ", but must be at least 0",
                           o->threshold);
    pthread_mutex_lock(&options_lock);
    options_now = *o;
    pthread_mutex_unlock(&options_lock);
    return NOMEN_OK;
}

/* ---- text that grows ------------------------------------------------------------------------- */

void nomen__long_text_free(nomen__long_text *text) {
    nomen__free(text->at, text->capacity);
    *text = (nomen__long_text){0};
}

static bool make_room(nomen__long_text *text, size_t more) {
    if (text->failed) return false;
    if (more < text->capacity - text->used) return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity - text->used <= more) {
        if (capacity > SIZE_MAX / 2) {
            nomen__fail(NOMEN_ERROR_MEMORY, "the text of the tensor is too long for the memory");
            text->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *at = nomen__alloc(capacity);
    if (!at) {
        text->failed = true;
        return false;
    }
    if (text->used) memcpy(at, text->at, text->used);
    at[text->used] = 0;
    nomen__free(text->at, text->capacity);
    text->at = at;
    text->capacity = capacity;
    return true;
}

static void add(nomen__long_text *text, const char *from, size_t length) {
    if (!make_room(text, length)) return;
    memcpy(text->at + text->used, from, length);
    text->used += length;
    text->at[text->used] = 0;
}

static void add_text(nomen__long_text *text, const char *from) { add(text, from, strlen(from)); }

static void repeat(nomen__long_text *text, char c, int64_t times) {
    if (times <= 0 || !make_room(text, (size_t)times)) return;
    memset(text->at + text->used, c, (size_t)times);
    text->used += (size_t)times;
    text->at[text->used] = 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

typedef enum kind { BOOLEAN, INTEGER, FLOATING, COMPLEX } kind;

static kind kind_of(nomen_dtype dtype) {
    return nomen_dtype_is_complex(dtype)    ? COMPLEX
           : nomen_dtype_is_floating(dtype) ? FLOATING
           : dtype == NOMEN_BOOL            ? BOOLEAN
                                            : INTEGER;
}

/* Every byte but 0 is true. */
static int64_t integer_at(const char *at, nomen_dtype dtype) {
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (dtype) {
    case NOMEN_BOOL: return *at != 0;
    case NOMEN_U8: return *(const uint8_t *)at;
    case NOMEN_I8: return *(const int8_t *)at;
    case NOMEN_I16: memcpy(&i16, at, sizeof i16); return i16;
    case NOMEN_I32: memcpy(&i32, at, sizeof i32); return i32;
    default: memcpy(&i64, at, sizeof i64); return i64;
    }
}

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* part 1 is the imaginary one */
static double real_at(const char *at, nomen_dtype dtype, int part) {
    uint16_t bits16;
    uint32_t bits32;
    float f;
    double d;
    switch (dtype) {
    case NOMEN_F16: memcpy(&bits16, at, sizeof bits16); return half_value(bits16);
    case NOMEN_BF16:
        memcpy(&bits16, at, sizeof bits16);
        bits32 = (uint32_t)bits16 << 16;
        memcpy(&f, &bits32, sizeof f);
        return (double)f;
    case NOMEN_F32:
    case NOMEN_C64: memcpy(&f, at + (size_t)part * sizeof f, sizeof f); return (double)f;
    default: memcpy(&d, at + (size_t)part * sizeof d, sizeof d); return d;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* What the elements (or their real or imaginary parts) have in common. */
typedef struct format {
    double least, most; /* among the magnitudes that are neither 0 nor inf nor nan */
    int64_t count;      /* of those */
    int width;
    bool whole, sci; /* all are whole numbers; scientific notation */
} format;

/* The point is a point in every locale. Returns the length. */
static int write_real(char *out, double value, int precision, bool sci) {
    if (isnan(value)) return (int)strlen(memcpy(out, "nan", 4));
    int length = snprintf(out, NUMBER, sci ? "%.*e" : "%.*f", precision, value);
    if (precision == 0 || isinf(value)) return length;
    int digits = out[0] == '-';
    while (out[digits] >= '0' && out[digits] <= '9') digits++;
    int after = digits + 1;
    while (out[after] < '0' || out[after] > '9') after++;
    out[digits] = '.';
    memmove(out + digits + 1, out + after, (size_t)(length - after) + 1);
    return length - (after - digits - 1);
}

/* An element of a floating tensor as it will stand, without the spaces before it. */
static int write_element(char *out, double value, const format *f, int precision) {
    if (f->sci) return write_real(out, value, precision, true);
    if (!f->whole) return write_real(out, value, precision, false);
    int length = write_real(out, value, 0, false);
    if (isfinite(value)) memcpy(out + length++, ".", 2);
    return length;
}

static void take_in(format *f, double value) {
    double magnitude = fabs(value);
    if (!isfinite(value) || value == 0) return;
    if (!f->count || magnitude < f->least) f->least = magnitude;
    if (!f->count || magnitude > f->most) f->most = magnitude;
    f->count++;
    if (value != ceil(value)) f->whole = false;
}

static void choose_notation(format *f) {
    if (!f->count) return;
    f->sci = f->most / f->least > 1000.0 || f->most > 1.0e8 || (!f->whole && f->least < 1.0e-4);
}

static void widen(format *f, int length) {
    if (length > f->width) f->width = length;
}

static void widen_real(format *f, double value, int precision) {
    char number[NUMBER];
    if (isfinite(value) && value != 0) widen(f, write_element(number, value, f, precision));
}

/* ---- walking over what will be shown --------------------------------------------------------- */

typedef struct printer {
    const nomen_tensor *t;
    nomen_print_options options;
    nomen__long_text *text;
    kind kind;
    bool summarise;
    bool measure_width; /* the second look at the elements, after the notation was chosen */
    format part[2];
} printer;

/* How many at each end of the dim are shown, 0: all. */
static int64_t edge(const printer *p, int dim) {
    int64_t items = p->options.edgeitems;
    return p->summarise && p->t->size[dim] > 2 * items ? items : 0;
}

static void look(printer *p, const char *at) {
    nomen_dtype dtype = (nomen_dtype)p->t->dtype;
    char number[NUMBER];
    if (p->kind == BOOLEAN) {
        widen(&p->part[0], *at ? 4 : 5);
        return;
    }
    if (p->kind == INTEGER) {
        widen(&p->part[0], snprintf(number, sizeof number, "%" PRId64, integer_at(at, dtype)));
        return;
    }
    for (int part = 0; part <= (p->kind == COMPLEX); part++) {
        double value = real_at(at, dtype, part);
        if (p->measure_width)
            widen_real(&p->part[part], value, p->options.precision);
        else
            take_in(&p->part[part], value);
    }
}

static void look_at_all(printer *p, const char *at, int dim) {
    const nomen_tensor *t = p->t;
    if (dim == t->ndim) {
        look(p, at);
        return;
    }
    int64_t ends = edge(p, dim), size = t->size[dim];
    int64_t step = t->stride[dim] * nomen__item(t->dtype);
    for (int64_t i = 0; i < size; i++) {
        if (ends && i == ends) i = size - ends;
        look_at_all(p, at + i * step, dim + 1);
    }
}

static void measure(printer *p) {
    for (int part = 0; part < 2; part++) p->part[part] = (format){.width = 1, .whole = true};
    look_at_all(p, p->t->data, 0);
    if (p->kind < FLOATING) return;
    for (int part = 0; part < 2; part++) choose_notation(&p->part[part]);
    p->measure_width = true;
    look_at_all(p, p->t->data, 0);
    /* A notation that was asked for comes after the widths, which belong to the one that fits the
     * numbers. */
    for (int part = 0; part < 2; part++)
        if (p->part[part].count && p->options.sci_mode >= 0)
            p->part[part].sci = p->options.sci_mode == 1;
}

static void write_padded(printer *p, const char *number, int length, int width) {
    repeat(p->text, ' ', width - length);
    add(p->text, number, (size_t)length);
}

static void write_one(printer *p, const char *at) {
    nomen_dtype dtype = (nomen_dtype)p->t->dtype;
    char number[NUMBER];
    const format *f = p->part;
    int precision = p->options.precision;
    if (p->kind == BOOLEAN) {
        write_padded(p, *at ? "True" : "False", *at ? 4 : 5, f->width);
    } else if (p->kind == INTEGER) {
        int length = snprintf(number, sizeof number, "%" PRId64, integer_at(at, dtype));
        write_padded(p, number, length, f->width);
    } else {
        int length = write_element(number, real_at(at, dtype, 0), f, precision);
        write_padded(p, number, length, f->width);
    }
    if (p->kind != COMPLEX) return;
    int length = write_element(number, real_at(at, dtype, 1), f + 1, precision);
    if (number[0] != '-') add_text(p->text, "+");
    add(p->text, number, (size_t)length);
    add_text(p->text, "j");
}

/* The innermost dim: as many elements on a line as fit, at least one. */
static void write_row(printer *p, const char *at, int64_t indent) {
    const nomen_tensor *t = p->t;
    int dim = t->ndim - 1;
    int64_t ends = edge(p, dim), size = t->size[dim];
    int64_t step = t->stride[dim] * nomen__item(t->dtype);
    int64_t length = p->part[0].width + 2 + (p->kind == COMPLEX ? p->part[1].width + 1 : 0);
    int64_t per_line = (p->options.linewidth - indent) / length, on_line = 0;
    if (p->options.linewidth < indent + length) per_line = 1;
    add_text(p->text, "[");
    for (int64_t i = 0, shown = 0; i < size; i++, shown++) {
        bool gap = ends && shown == ends;
        if (on_line == per_line) {
            add_text(p->text, ",\n");
            repeat(p->text, ' ', indent + 1);
            on_line = 0;
        } else if (shown) {
            add_text(p->text, ", ");
        }
        on_line++;
        if (gap) {
            add_text(p->text, " ...");
            i = size - ends - 1;
        } else {
            write_one(p, at + i * step);
        }
    }
    add_text(p->text, "]");
}

static void write_all(printer *p, const char *at, int dim, int64_t indent) {
    const nomen_tensor *t = p->t;
    if (t->ndim == 0) {
        write_one(p, at);
        return;
    }
    if (dim == t->ndim - 1) {
        write_row(p, at, indent);
        return;
    }
    int64_t ends = edge(p, dim), size = t->size[dim];
    int64_t step = t->stride[dim] * nomen__item(t->dtype);
    add_text(p->text, "[");
    for (int64_t i = 0, shown = 0; i < size && !p->text->failed; i++, shown++) {
        if (shown) {
            add_text(p->text, ",");
            repeat(p->text, '\n', t->ndim - dim - 1);
            repeat(p->text, ' ', indent + 1);
        }
        if (ends && shown == ends) {
            add_text(p->text, "...");
            i = size - ends - 1;
        } else {
            write_all(p, at + i * step, dim + 1, indent + 1);
        }
    }
    add_text(p->text, "]");
}

/* ---- what stands behind the elements --------------------------------------------------------- */

typedef struct line {
    nomen__long_text *text;
    int64_t length, width, indent;
} line;

/* A suffix that does not fit on the line moves to a new one. */
static void add_suffix(line *l, const char *suffix) {
    int64_t length = (int64_t)strlen(suffix);
    if (l->length + length + 2 > l->width) {
        add_text(l->text, ",\n");
        repeat(l->text, ' ', l->indent);
        l->length = l->indent + length;
    } else {
        add_text(l->text, ", ");
        l->length += length + 2;
    }
    add_text(l->text, suffix);
}

/* Of a tensor that has not one dim. */
static void add_size(line *l, const nomen_tensor *t) {
    char suffix[NOMEN_MAX_DIMS * 22 + 16];
    size_t used = (size_t)snprintf(suffix, sizeof suffix, "size=(");
    for (int i = 0; i < t->ndim; i++)
        used += (size_t)snprintf(suffix + used, sizeof suffix - used, "%s%" PRId64, i ? ", " : "",
                                 t->size[i]);
    snprintf(suffix + used, sizeof suffix - used, ")");
    add_suffix(l, suffix);
}

static void add_dtype(line *l, nomen_dtype dtype) {
    char suffix[128];
    snprintf(suffix, sizeof suffix, "dtype=nomen.%s", nomen_dtype_name(dtype));
    add_suffix(l, suffix);
}

/* Names are of any length, so they are put together in a text of their own. */
static void add_names(line *l, const nomen_tensor *t) {
    nomen__long_text suffix = {0};
    add_text(&suffix, "names=(");
    for (int i = 0; i < t->ndim; i++) {
        const char *name = nomen_name_text(nomen__name_at(t, i));
        if (i) add_text(&suffix, ", ");
        if (name) add_text(&suffix, "'");
        add_text(&suffix, name ? name : "None");
        if (name) add_text(&suffix, "'");
    }
    add_text(&suffix, t->ndim == 1 ? ",)" : ")");
    if (suffix.failed)
        l->text->failed = true;
    else
        add_suffix(l, suffix.at);
    nomen__long_text_free(&suffix);
}

static void add_suffixes(line *l, const nomen_tensor *t, const nomen__repr_extra *extra) {
    nomen_dtype dtype = (nomen_dtype)t->dtype;
    nomen_dtype floating = extra->default_dtype ? extra->default_dtype : nomen__default_float();
    nomen_dtype complex = floating == NOMEN_F64 ? NOMEN_C128 : NOMEN_C64;
    if (extra->device) {
        char text[64];
        snprintf(text, sizeof text, "device='%s'", extra->device);
        add_suffix(l, text);
    }
    if (t->numel == 0) {
        /* No elements tell the shape and the kind, so both are said unless they are the usual ones.
         */
        if (t->ndim != 1) add_size(l, t);
        if (dtype != floating) add_dtype(l, dtype);
    } else if (dtype != floating && dtype != complex && dtype != NOMEN_I64 && dtype != NOMEN_BOOL) {
        add_dtype(l, dtype);
    }
    if (extra->grad) add_suffix(l, extra->grad);
    if (nomen__is_named(t)) add_names(l, t);
}

static nomen_status represent(const nomen_tensor *t, const nomen__repr_extra *extra,
                              nomen__long_text *text) {
    const char *prefix = extra->prefix ? extra->prefix : "tensor(";
    printer p = {.t = t, .options = nomen_get_print_options(), .text = text};
    p.kind = kind_of((nomen_dtype)t->dtype);
    p.summarise = t->numel > p.options.threshold;
    size_t start = text->used;
    add_text(text, prefix);
    if (t->numel == 0) {
        add_text(text, "[]");
    } else if (!text->failed) {
        measure(&p);
        write_all(&p, t->data, 0, (int64_t)strlen(prefix));
    }
    if (text->failed) return NOMEN_ERROR_MEMORY;
    /* PyTorch counts one column too many on a last line of several, two on an only one; so its
     * breaks are ours. */
    size_t last = text->used;
    while (last > start && text->at[last - 1] != '\n') last--;
    line l = {text, (int64_t)(text->used - last) + 2, p.options.linewidth, (int64_t)strlen(prefix)};
    add_suffixes(&l, t, extra);
    add_text(text, ")");
    return text->failed ? NOMEN_ERROR_MEMORY : NOMEN_OK;
}

/* The elements are read on the CPU; the text says where they were. */
nomen_status nomen__repr(const nomen_tensor *t, const nomen__repr_extra *extra,
                         nomen__long_text *text) {
    nomen__repr_extra all = extra ? *extra : (nomen__repr_extra){0};
    if (nomen__make_ready(t)) return NOMEN_ERROR_MEMORY;
    if (!t->device) return represent(t, &all, text);
    all.device = nomen__device_name(t->device);
    nomen_tensor *here = nomen__on_host(t);
    nomen_status s = here ? represent(here, &all, text) : NOMEN_ERROR_DEVICE;
    nomen__release(here);
    return s;
}

size_t nomen_repr(const nomen_tensor *t, char *buffer, size_t size) {
    nomen__long_text text = {0};
    if (size) buffer[0] = 0;
    if (!t) return 0;
    nomen_status status = nomen__repr(t, NULL, &text);
    size_t length = status == NOMEN_OK ? text.used : 0;
    if (length && size) {
        size_t part = length < size ? length : size - 1;
        memcpy(buffer, text.at, part);
        buffer[part] = 0;
    }
    nomen__long_text_free(&text);
    return length;
}
