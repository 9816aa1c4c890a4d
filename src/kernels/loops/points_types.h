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

#define T       uint16_t
#define FN      LOOP_NAME2(OP, f16)
#define LD(x)   one_from_f16(x)
#define ST(x)   one_to_f16(x)
#define ROUNDED one_rounded_f16
#define LD_FOUR four_of_f16
#include "kernels/loops/points_fold.h"
#undef FN
#undef LD
#undef ST

#ifdef COMPLEX_EXPR /* sums and products, which are rounded, as extrema are not */
static inline bool LOOP_NAME2(OP, four_bf16)(uint16_t *base, const int64_t *at,
                                             const uint16_t *source) {
    if (!four_apart(at)) return false;
    const four_f32 own = four_at_bf16(base, at);
    const four_f32 other = (four_f32)(four_words(source) << 16);
    four_put_bf16(base, at, four_round_bf16(REAL_EXPR(own, other)));
    return true;
}
#define FOUR(base, at, source) LOOP_NAME2(OP, four_bf16)(base, at, source)
#endif
#define FN      LOOP_NAME2(OP, bf16)
#define LD(x)   one_from_bf16(x)
#define ST(x)   one_to_bf16(x)
#define ROUNDED one_rounded_bf16
#define LD_FOUR four_of_bf16
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
