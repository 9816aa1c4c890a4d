/* Includes LOOP for the bits of float16 and bfloat16, which have their sign in the same place:
 * words of 16 bits, so nothing is widened; no include guard. Wants LOOP, OP and EXPR, where EXPR is
 * on single words. The loop is OP_half. Takes LOOP, OP, EXPR and BY_LINES away again. */

#define T     uint16_t
#define LD(p) (*(const T *)(p))
#define FN    LOOP_NAME2(OP, half)
#include "kernels/loops/single.h"

#undef LOOP
#undef OP
#undef EXPR
#undef BY_LINES
