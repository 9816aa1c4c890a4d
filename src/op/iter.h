/* What the plan of an iterator (iter_plan.c) and its run (iter.c) agree on. */
#ifndef NOMEN_SRC_ITER_H
#define NOMEN_SRC_ITER_H

#include "op/op.h"

#include <stdint.h>

/* LINE: bytes of a cache line. Tiles have BLOCK_BYTES at most, unless they are wide. One row
 * again and again takes AGAIN_BYTES of L1, through which the others stream. COPIED_ROW: elements of
 * a row that are copied one by one. */
enum { LINE = 64, BLOCK_BYTES = 16384, AGAIN_BYTES = 4096 };
enum { COPIED_ROW = 16 };
enum { OPERANDS = NOMEN__MAX_IN + 1 };

/* The dims of all operands, in the order in which they are walked, and the way to walk them. */
void nomen__iter_plan(nomen__iter *it, nomen_tensor *const *operand, int ndim, const int64_t *size);

#endif
