/* The header of a .npy file as numbers. */
#ifndef NOMEN_SRC_NPY_H
#define NOMEN_SRC_NPY_H

#include "core/core.h"
#include "nomen/io.h"

typedef struct nomen__npy {
    nomen_dtype dtype;
    int ndim;
    int64_t size[NOMEN_MAX_DIMS];
    nomen_name names[NOMEN_MAX_DIMS]; /* all 0: none */
    bool swapped;                     /* the other byte order */
    bool column_major;
} nomen__npy;

/* Reads the text of a header: length characters and a NUL. Errors name the file `path`. */
nomen_status nomen__npy_header(const char *text, size_t length, const char *path, nomen__npy *npy);

#endif
