/* What gradient formulas see. The rows of the table (grad.gen.c) and formulas.c include this. */
#ifndef NOMEN_SRC_BACKWARD_H
#define NOMEN_SRC_BACKWARD_H

#include "op/op.h"

struct nomen__autograd;

/* Tensors here have no names, so formulas speak of dims by position. They are connected to the
 * graph when the gradients are to be differentiated again. */
typedef struct nomen__backward {
    nomen_tensor *g; /* gradient of the result */
    nomen_tensor
        *in[NOMEN__MAX_IN]; /* tensor arguments that the row saves, as they were; else NULL */
    nomen_tensor *result;   /* if the row saves it */
    nomen_tensor *second;   /* the second result, if the row saves it and there was one */
    const struct nomen__autograd *node; /* the other arguments: see the functions below */
    int ndim;                           /* of the input asked for */
    const int64_t *size;
    bool zero;  /* set with a result of NULL: the gradient is zero, nothing failed */
    bool part;  /* these are not all elements that a result was made of (piecewise.c) */
    bool whole; /* set with a result of NULL: all of them are needed at once */
} nomen__backward;

/* Arguments of the call by their place in the row. */
bool nomen__b_given(const nomen__backward *b, int arg);
nomen_number nomen__b_number(const nomen__backward *b, int arg); /* absent if not given */
int64_t nomen__b_int(const nomen__backward *b, int arg);
bool nomen__b_flag(const nomen__backward *b, int arg);
const char *nomen__b_text(const nomen__backward *b, int arg); /* NULL if not given */
int nomen__b_dim(const nomen__backward *b);                   /* the resolved dim, -1: none */
uint64_t nomen__b_mask(const nomen__backward *b);             /* the resolved dims as a set */

/* "return nomen__g_zero(b);": no gradient goes to this input. */
nomen_tensor *nomen__g_zero(nomen__backward *b);
/* "if (b->part) return nomen__g_whole(b);": all elements of a result are needed at once. */
nomen_tensor *nomen__g_whole(nomen__backward *b);

#endif
