/* Large gradients piece by piece (piecewise.c). */
#ifndef NOMEN_SRC_PIECEWISE_H
#define NOMEN_SRC_PIECEWISE_H

#include "autograd/backward.h"
#include "autograd/formulas.h"
#include "autograd/tape.h"

/* The gradient of one input, in a dtype, made by its formula piece by piece. *result stays as it is
 * where the formula is better asked once. */
nomen_status nomen__in_pieces(nomen__backward *b, nomen__gradient *of, int input, nomen_dtype dtype,
                              nomen_tensor **result);

#endif
