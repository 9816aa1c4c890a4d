/* What an operation was called with, for the errors: "self=Tensor[N=2, C=3], dim=['time']". */
#include "op/infer_text.h"
#include "op/op.h"

#include <inttypes.h>
#include <string.h>

static void add_number(nomen__text *t, const nomen_number *n) {
    switch (n->kind) {
    case NOMEN_NUMBER_BOOL: nomen__text_add(t, n->i ? "True" : "False"); break;
    case NOMEN_NUMBER_INT: nomen__text_add(t, "%" PRId64, n->i); break;
    case NOMEN_NUMBER_COMPLEX: nomen__text_add(t, "(%g%+gj)", n->re, n->im); break;
    default: nomen__text_add(t, "%g", n->re); break;
    }
}

static void add_tensor(nomen__text *t, const nomen_tensor *x, bool dtype) {
    if (!x) {
        nomen__text_add(t, "NULL");
    } else if (x->magic != NOMEN__LIVE) {
        nomen__text_add(t, "a freed tensor");
    } else if ((x->flags & NOMEN__WRAPPED) && x->ndim == 0) {
        nomen_number n = nomen_item_number(x);
        add_number(t, &n);
    } else {
        nomen__text_tensor(t, x, dtype);
    }
}

static void add_label(nomen__text *t, const char *name) {
    nomen__text_add(t, "%s%s", t->used ? ", " : "", name);
}

enum { SHOWN = 8 }; /* of a long list */

static void add_list(nomen__text *t, const char *name, nomen_list list, bool gaps, bool dtype) {
    for (int64_t k = 0; k < list.count && k < SHOWN; k++) {
        if (!list.at[k] && gaps) continue;
        add_label(t, name);
        nomen__text_add(t, "[%lld]=", (long long)k);
        add_tensor(t, list.at[k], dtype);
    }
}

static void add_sizes(nomen__text *t, nomen_sizes sizes) {
    int n = sizes.count < NOMEN_MAX_DIMS ? (int)sizes.count : NOMEN_MAX_DIMS;
    nomen__text_sizes(t, sizes.at, n);
}

/* One dim without the brackets of a list. */
static void add_dims(nomen__text *t, nomen__dims dims) {
    nomen__listtext list = nomen__text_dims(dims);
    int length = (int)strlen(list.at);
    if (dims.n == 1)
        nomen__text_add(t, "%.*s", length - 2, list.at + 1);
    else
        nomen__text_add(t, "%s", list.at);
}

static void add_argument(nomen__text *t, const nomen__call *c, int i, bool dtypes) {
    const nomen__arg *arg = &c->arg[i];
    const nomen__argspec *spec = &c->op->args[i];
    if (spec->kind == NOMEN__TENSORS) {
        add_list(t, spec->name, arg->list, (spec->flags & NOMEN__OPTIONAL) != 0, dtypes);
        return;
    }
    if (spec->kind == NOMEN__FLAG && !arg->flag) return; /* the default */
    add_label(t, spec->name);
    nomen__text_add(t, "=");
    switch ((nomen__kind)spec->kind) {
    case NOMEN__TENSOR: add_tensor(t, arg->tensor, dtypes); break;
    case NOMEN__NUMBER: add_number(t, arg->number); break;
    case NOMEN__INT: nomen__text_add(t, "%lld", (long long)arg->integer); break;
    case NOMEN__FLAG: nomen__text_add(t, "True"); break;
    case NOMEN__DIM:
    case NOMEN__DIMS: add_dims(t, arg->dims); break;
    case NOMEN__NAMES: nomen__text_add(t, "%s", nomen__text_dims(arg->dims).at); break;
    case NOMEN__NAME:
        nomen__text_add(t, arg->name ? "'%s'" : "None", nomen_name_text(arg->name));
        break;
    case NOMEN__SIZES: add_sizes(t, arg->sizes); break;
    case NOMEN__DTYPE: nomen__text_add(t, "%s", nomen_dtype_name(arg->dtype)); break;
    case NOMEN__TEXT: nomen__text_add(t, "'%.60s'", arg->text); break;
    case NOMEN__GENERATOR: nomen__text_add(t, "a generator"); break;
    case NOMEN__TENSORS: break;
    }
}

void nomen__call_describe(nomen__text *t, const nomen__call *c, bool dtypes) {
    for (int i = 0; i < c->op->nargs; i++)
        if (nomen__given(c, i)) add_argument(t, c, i, dtypes);
}
