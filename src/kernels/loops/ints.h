/* Includes LOOP for uint8, int8, int16, int32 and int64, and with AND_BOOL for bool; no include
 * guard. Wants LOOP, OP and EXPR, where EXPR is on single numbers: plain loops over integers are
 * vectorised well by the compiler. With WRAP the numbers are unsigned and at least 32 bits wide, so
 * that arithmetic wraps; with OUT_BOOL results are bools; WIDE_EXPR is on vectors of int64, where
 * the compiler finds none, NARROW_EXPR, beside it, on vectors of int32 for all that is narrower,
 * WORD_EXPR on vectors of int16 (simd/words.h). With BY_LINES there is another loop over many short
 * lines. Takes LOOP, OP, EXPR, WRAP, AND_BOOL, OUT_BOOL, BY_LINES, NARROW_EXPR, WORD_EXPR and
 * WIDE_EXPR away again. */

#ifdef AND_BOOL
#define T     uint8_t
#define LD(p) LOOP_TRUTH(p)
#define FN    LOOP_NAME2(OP, b8)
#include "kernels/loops/single.h"
#endif

#define W        1
#define LD(p)    ((V) * (const T *)(p))
#define ST(p, v) (*(OT *)(p) = (OT)(v))
#ifdef OUT_BOOL
#define OT uint8_t
#else
#define OT T
#endif

#ifdef WRAP
#define V uint32_t
#undef LD
#define LD(p) loop_wrap32(*(const T *)(p))
#else
#define V T
#endif

#ifdef NARROW_EXPR
#undef V
#undef W
#undef LD
#undef ST
#define V            vi32
#define W            W32
#define LD(p)        LOOP_NAME2(words_get, NAME)(p, W32)
#define LDN(p, k)    LOOP_NAME2(words_get, NAME)(p, k)
#define ST(p, v)     LOOP_NAME2(words_put, NAME)(p, v, W32)
#define STN(p, v, k) LOOP_NAME2(words_put, NAME)(p, v, k)
#define SPLAT(v)     ((v)[0] - (vi32){0})
#undef EXPR
#define EXPR NARROW_EXPR
#endif

#define T    uint8_t
#define NAME u8
#define FN   LOOP_NAME2(OP, u8)
#include LOOP
#undef T
#undef NAME
#undef FN

#define T    int8_t
#define NAME i8
#define FN   LOOP_NAME2(OP, i8)
#include LOOP
#undef T
#undef NAME
#undef FN

#ifndef WORD_EXPR
#define T    int16_t
#define NAME i16
#define FN   LOOP_NAME2(OP, i16)
#include LOOP
#undef T
#undef NAME
#undef FN
#endif

#define T    int32_t
#define NAME i32
#define FN   LOOP_NAME2(OP, i32)
#include LOOP
#undef T
#undef NAME
#undef FN

#ifdef NARROW_EXPR
#undef LDN
#undef STN
#undef SPLAT
#undef NARROW_EXPR
#endif

#ifdef WRAP
#undef V
#undef LD
#define V     uint64_t
#define LD(p) loop_wrap64(*(const T *)(p))
#endif
#define T  int64_t
#define FN LOOP_NAME2(OP, i64)
#ifdef WIDE_EXPR
#undef V
#undef W
#undef LD
#undef ST
#undef EXPR
#define V            vi64
#define W            W64
#define LD(p)        ((vi64)ld_f64(p))
#define LDN(p, k)    ((vi64)ld_f64_n(p, k))
#define ST(p, v)     st_f64(p, (vf64)(v))
#define STN(p, v, k) st_f64_n(p, (vf64)(v), k)
#define SPLAT(v)     ((v)[0] - (vi64){0})
#define EXPR         WIDE_EXPR
#define AS_IN_MEMORY
#endif
#include LOOP
#undef AS_IN_MEMORY
#undef LDN
#undef STN
#undef SPLAT
#undef WIDE_EXPR
#undef T
#undef FN

#ifdef WORD_EXPR
#undef OT
#undef V
#undef W
#undef LD
#undef ST
#undef EXPR
#define T        int16_t
#define OT       T
#define FN       LOOP_NAME2(OP, i16)
#define V        vu16
#define W        W16
#define LD       ld_u16
#define LDN      ld_u16_n
#define ST       st_u16
#define STN      st_u16_n
#define SPLAT(v) ((v)[0] - (vu16){0})
#define EXPR     WORD_EXPR
#include LOOP
#undef LDN
#undef STN
#undef SPLAT
#undef WORD_EXPR
#undef T
#undef FN
#endif

#undef OT
#undef V
#undef W
#undef LD
#undef ST
#undef LOOP
#undef OP
#undef EXPR
#undef WRAP
#undef AND_BOOL
#undef OUT_BOOL
#undef BY_LINES
