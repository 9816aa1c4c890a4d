/* Includes points_fold.h for every dtype but bool; no include guard. Wants OP, REAL_EXPR for real
 * numbers and COMPLEX_EXPR(T, x, y) for complex ones, if they are wanted; takes them away again. */

#define LD(x)      (x)
#define EXPR(x, y) REAL_EXPR(x, y)

#define T     uint8_t
#define FN    LOOP_NAME2(OP, u8)
#define ST(x) ((T)(x))
#undef LD
#define LD(x) ((uint32_t)(x))
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#undef LD
#define LD(x) loop_wrap32(x)
#define T     int8_t
#define FN    LOOP_NAME2(OP, i8)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#define T  int16_t
#define FN LOOP_NAME2(OP, i16)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#define T  int32_t
#define FN LOOP_NAME2(OP, i32)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#undef LD
#define LD(x) loop_wrap64(x)
#define T     int64_t
#define FN    LOOP_NAME2(OP, i64)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN
#undef LD
#undef ST

#define T     uint16_t
#define FN    LOOP_NAME2(OP, f16)
#define LD(x) from_f16(x)
#define ST(x) to_f16(x)
#include "kernels/loops/points_fold.h"
#undef FN
#undef LD
#undef ST

#define FN    LOOP_NAME2(OP, bf16)
#define LD(x) from_bf16(x)
#define ST(x) to_bf16(x)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN
#undef LD
#undef ST

#define LD(x) (x)
#define ST(x) (x)
#define T     float
#define FN    LOOP_NAME2(OP, f32)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#define T  double
#define FN LOOP_NAME2(OP, f64)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN
#undef EXPR

#ifdef COMPLEX_EXPR
#define EXPR(x, y) COMPLEX_EXPR(T, x, y)
#define T          c64
#define FN         LOOP_NAME2(OP, c64)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#define T  c128
#define FN LOOP_NAME2(OP, c128)
#include "kernels/loops/points_fold.h"
#undef T
#undef FN

#undef EXPR
#undef COMPLEX_EXPR
#endif
#undef LD
#undef ST
#undef OP
#undef REAL_EXPR
