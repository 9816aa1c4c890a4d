/* Includes LOOP once, on single elements that are computed with in the type that they have; no
 * include guard. Wants LOOP, EXPR, FN, T and LD. Takes FN, T and LD away again. */

#define OT       T
#define V        T
#define W        1
#define ST(p, v) (*(OT *)(p) = (OT)(v))
#include LOOP

#undef T
#undef OT
#undef V
#undef W
#undef LD
#undef ST
#undef FN
