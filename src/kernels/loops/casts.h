/* Casts of one source dtype to all others except the half types and itself; no include guard,
 * included by cast.c. Wants T, SRC (its short name), REAL(x), IMAG(x) (numbers) and NONZERO(x),
 * perhaps FLOATING(x) in place of REAL(x) where a floating number is made of it, and NO_<SRC> to
 * leave out the cast to itself; NO_<dtype> leaves out others that are made elsewhere, NO_small all
 * integers of up to 32 bits. Takes all but these away again. */

#ifndef FLOATING
#define FLOATING(x) REAL(x)
#endif

#define V             T
#define W             1
#define LD(p)         (*(const T *)(p))
#define CAST_NAME(to) LOOP_NAME2(LOOP_NAME2(cast, SRC), to)

#define ST(p, v) (*(OT *)(p) = (OT)(v))
#ifndef NO_b8
#define FN      CAST_NAME(b8)
#define OT      uint8_t
#define EXPR(x) NONZERO(x)
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#undef EXPR
#endif

#define EXPR(x) cast_int(REAL(x))
#if !defined(NO_u8) && !defined(NO_small)
#define FN CAST_NAME(u8)
#define OT uint8_t
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#if !defined(NO_i8) && !defined(NO_small)
#define FN CAST_NAME(i8)
#define OT int8_t
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#if !defined(NO_i16) && !defined(NO_small)
#define FN CAST_NAME(i16)
#define OT int16_t
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#if !defined(NO_i32) && !defined(NO_small)
#define FN CAST_NAME(i32)
#define OT int32_t
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#ifndef NO_i64
#define FN CAST_NAME(i64)
#define OT int64_t
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#undef EXPR

#define EXPR(x) FLOATING(x)
#ifndef NO_f32
#define FN CAST_NAME(f32)
#define OT float
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#ifndef NO_f64
#define FN CAST_NAME(f64)
#define OT double
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#endif
#undef EXPR
#undef ST

#define ST(p, v) (*(OT *)(p) = (v))
#ifndef NO_c64
#define FN      CAST_NAME(c64)
#define OT      c64
#define EXPR(x) ((c64){(float)FLOATING(x), (float)IMAG(x)})
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#undef EXPR
#endif
#ifndef NO_c128
#define FN      CAST_NAME(c128)
#define OT      c128
#define EXPR(x) ((c128){(double)FLOATING(x), (double)IMAG(x)})
#include "kernels/loops/unary.h"
#undef FN
#undef OT
#undef EXPR
#endif
#undef ST

#undef V
#undef W
#undef LD
#undef CAST_NAME
#undef T
#undef SRC
#undef REAL
#undef FLOATING
#undef IMAG
#undef NONZERO
