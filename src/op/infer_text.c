/* Name lists in error texts, and the few questions about lists that several rules ask. No rules
 * here. */
#include "op/infer_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static nomen__text text_on(nomen__listtext *buffer) {
    buffer->at[0] = 0;
    return (nomen__text){buffer->at, sizeof buffer->at, 0};
}

static void add_name(nomen__text *t, nomen_name name) {
    if (name)
        nomen__text_add(t, "'%s'", nomen_name_text(name));
    else
        nomen__text_add(t, "None");
}

static void add_item(nomen__text *t, const nomen__dimref *item) {
    switch (item->kind) {
    case NOMEN__DIM_INDEX: nomen__text_add(t, "%" PRId64, item->index); break;
    case NOMEN__DIM_ELLIPSIS: nomen__text_add(t, "'...'"); break;
    case NOMEN__DIM_NAME: add_name(t, item->name); break;
    case NOMEN__DIM_NONE: add_name(t, 0); break;
    }
}

nomen__listtext nomen__text_list(nomen__names a) {
    nomen__listtext buffer;
    nomen__text t = text_on(&buffer);
    nomen__text_names(&t, a.at, a.n);
    return buffer;
}

nomen__listtext nomen__text_tuple(nomen__names a) {
    nomen__listtext buffer;
    nomen__text t = text_on(&buffer);
    nomen__text_add(&t, "(");
    for (int i = 0; i < a.n; i++) {
        if (i) nomen__text_add(&t, ", ");
        add_name(&t, nomen__names_at(a, i));
    }
    nomen__text_add(&t, a.n == 1 ? ",)" : ")");
    return buffer;
}

static nomen__listtext text_items(nomen__dims dims, const char *open, const char *close) {
    nomen__listtext buffer;
    nomen__text t = text_on(&buffer);
    nomen__text_add(&t, "%s", open);
    for (int i = 0; i < dims.n; i++) {
        if (i) nomen__text_add(&t, ", ");
        add_item(&t, &dims.at[i]);
    }
    nomen__text_add(&t, "%s", close);
    return buffer;
}

nomen__listtext nomen__text_dims(nomen__dims dims) { return text_items(dims, "[", "]"); }

nomen__listtext nomen__text_dims_tuple(nomen__dims dims) {
    return text_items(dims, "(", dims.n == 1 ? ",)" : ")");
}

nomen_status nomen__dimref_name(const nomen__dimref *item, nomen_name *name) {
    char digits[24];
    const char *text = "...";
    switch (item->kind) {
    case NOMEN__DIM_NAME: *name = item->name; return NOMEN_OK;
    case NOMEN__DIM_NONE: *name = 0; return NOMEN_OK;
    case NOMEN__DIM_INDEX:
        snprintf(digits, sizeof digits, "%" PRId64, item->index);
        text = digits;
        break;
    case NOMEN__DIM_ELLIPSIS: break;
    }
    /* interning records the text of the error: neither form is a valid name */
    nomen_name_intern(text, strlen(text), name);
    return NOMEN_ERROR_NAME;
}

nomen_status nomen__fail_too_many(int64_t ndim, nomen__names names) {
    return nomen__fail(
        NOMEN_ERROR_NAME,
        "Named tensors only support up to %d dims: Attempted to create a tensor with "
        "dim %" PRId64 " with names %s",
        NOMEN_MAX_DIMS, ndim, nomen__text_list(names).at);
}
