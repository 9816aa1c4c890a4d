/* Casts of both half types to one dtype by way of vectors of f32; no include guard, included by
 * casts_from_halves.h. Wants OT, DST (its short name), EXPR(x) of a vector of f32, ST and STN,
 * which store that. Takes all of these away again. */
#define T uint16_t

#define FN  LOOP_NAME2(cast_f16, DST)
#define LD  ld_f16
#define LDN ld_f16_n
#include "kernels/loops/unary.h"
#undef FN
#undef LD
#undef LDN

#define FN  LOOP_NAME2(cast_bf16, DST)
#define LD  ld_bf16
#define LDN ld_bf16_n
#include "kernels/loops/unary.h"
#undef FN
#undef LD
#undef LDN

#undef T
#undef OT
#undef DST
#undef EXPR
#undef ST
#undef STN
