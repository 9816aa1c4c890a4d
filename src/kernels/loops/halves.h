/* Includes LOOP for the bits of float16 and bfloat16, which have their sign in the same place:
 * words of 16 bits, so nothing is widened; no include guard. Wants LOOP, OP and EXPR, where EXPR is
 * on single words. The loop is OP_half. Takes LOOP, OP and EXPR away again. */

#define T        uint16_t
#define OT       uint16_t
#define V        uint16_t
#define W        1
#define LD(p)    (*(const uint16_t *)(p))
#define ST(p, v) (*(uint16_t *)(p) = (uint16_t)(v))
#define FN       LOOP_NAME2(OP, half)
#include LOOP

#undef T
#undef OT
#undef V
#undef W
#undef LD
#undef ST
#undef FN
#undef LOOP
#undef OP
#undef EXPR
