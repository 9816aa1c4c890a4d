/* Includes LOOP for complex64 and complex128; no include guard. Wants LOOP, OP and EXPR, where EXPR
 * is on c64 or c128; with WIDE always on c128, rounded once at the end. OUT_BOOL: EXPR gives 0 or
 * 1; OUT_REAL: EXPR gives a number. Takes LOOP, OP, EXPR, WIDE, OUT_BOOL and OUT_REAL away again.
 */

#define W 1

#define T  c64
#define FN LOOP_NAME2(OP, c64)
#ifdef WIDE
#define V     c128
#define LD(p) c_widen(*(const T *)(p))
#else
#define V     T
#define LD(p) (*(const T *)(p))
#endif
#ifdef OUT_BOOL
#define OT       uint8_t
#define ST(p, v) (*(OT *)(p) = (OT)(v))
#elif defined(OUT_REAL)
#define OT       float
#define ST(p, v) (*(OT *)(p) = (OT)(v))
#else
#define OT c64
#ifdef WIDE
#define ST(p, v) (*(OT *)(p) = c_narrow(v))
#else
#define ST(p, v) (*(OT *)(p) = (v))
#endif
#endif
#include LOOP

#undef T
#undef FN
#undef V
#undef LD
#define T     c128
#define FN    LOOP_NAME2(OP, c128)
#define V     T
#define LD(p) (*(const T *)(p))
#ifndef OUT_BOOL
#undef OT
#undef ST
#ifdef OUT_REAL
#define OT double
#else
#define OT c128
#endif
#define ST(p, v) (*(OT *)(p) = (v))
#endif
#include LOOP

#undef T
#undef OT
#undef V
#undef W
#undef FN
#undef LD
#undef ST
#undef LOOP
#undef OP
#undef EXPR
#undef WIDE
#undef OUT_BOOL
#undef OUT_REAL
