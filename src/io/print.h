/* The text of a tensor for callers inside: the Python module adds what the tensor itself does not
 * know. */
#ifndef NOMEN_SRC_PRINT_H
#define NOMEN_SRC_PRINT_H

#include "core/core.h"
#include "nomen/io.h"

/* All may be 0 or NULL. */
typedef struct nomen__repr_extra {
    const char *prefix;        /* "tensor(" */
    nomen_dtype default_dtype; /* NOMEN_F32: the floating dtype that is not mentioned */
    const char *device;        /* "mock:0"; set by nomen__repr */
    const char *grad;          /* "requires_grad=True" or "grad_fn=<AddBackward0>" */
} nomen__repr_extra;

/* Text that grows. `failed` once there was no memory: it stays as it is then. */
typedef struct nomen__long_text {
    char *at; /* ends in NUL, NULL while empty */
    size_t used, capacity;
    bool failed;
} nomen__long_text;

/* Appends the text of t; NOMEN_ERROR_MEMORY on failure. Either way the caller frees it. */
nomen_status nomen__repr(const nomen_tensor *t, const nomen__repr_extra *extra,
                         nomen__long_text *text);
void nomen__long_text_free(nomen__long_text *text);

#endif
