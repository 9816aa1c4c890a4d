/* Includes LOOP for bool, as bytes that are 0 or 1; no include guard. Wants LOOP, OP and EXPR. The
 * loop is OP_b8. Takes LOOP, OP and EXPR away again. */

#define T     uint8_t
#define LD(p) LOOP_TRUTH(p)
#define FN    LOOP_NAME2(OP, b8)
#include "kernels/loops/single.h"

#undef LOOP
#undef OP
#undef EXPR
