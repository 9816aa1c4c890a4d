/* einsum's equation: which letter each dim of each operand has, and which the result keeps. */
#ifndef NOMEN_SRC_LETTERS_H
#define NOMEN_SRC_LETTERS_H

#include "op/op.h"

/* A-Z, a-z, then the dims of "...", counted from the right: the last one is LABELS - 1. */
enum {
    NOMEN__LETTERS = 52,
    NOMEN__LABELS = NOMEN__LETTERS + NOMEN_MAX_DIMS,
    NOMEN__TERMS = 64, /* operands of one equation */
};

typedef struct nomen__term {
    int n;
    uint8_t label[NOMEN_MAX_DIMS];
} nomen__term;

typedef struct nomen__letters {
    int count;
    nomen__term term[NOMEN__TERMS], out;
} nomen__letters;

/* operands: only how many dims each has is looked at. */
nomen_status nomen__letters_read(const char *equation, const nomen__names *operands, int count,
                                 nomen__letters *l);
/* Names of the result: unified over the dims with a letter; those of letters that do not come out
 * are compared only if strict. */
nomen_status nomen__letters_names(const nomen__letters *l, const nomen__names *operands,
                                  bool strict, nomen__namelist *result);

#endif
