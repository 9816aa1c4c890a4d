/* Casts of one source dtype to both half types by way of vectors of f32; no include guard, included
 * by casts_avx2.h. Wants T, SRC (its short name), LD and LDN, which load f32, and STB and STBN,
 * which store bf16. Takes all of these away again. */
#define OT uint16_t

#define FN  LOOP_NAME2(LOOP_NAME2(cast, SRC), f16)
#define ST  st_f16
#define STN st_f16_n
#include "kernels/loops/unary.h"
#undef FN
#undef ST
#undef STN

#define FN  LOOP_NAME2(LOOP_NAME2(cast, SRC), bf16)
#define ST  STB
#define STN STBN
#include "kernels/loops/unary.h"
#undef FN
#undef ST
#undef STN

#undef OT
#undef T
#undef SRC
#undef LD
#undef LDN
#undef STB
#undef STBN
