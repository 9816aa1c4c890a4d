/* Includes LOOP for float16, bfloat16, float32 and float64; no include guard. Wants LOOP, OP and
 * EXPR, where EXPR is on vectors (vf32 or vf64; half types compute in f32 and round once). Where a
 * vector is not full the first element stands in: a zero would take the way of rare numbers (as a
 * divisor, or a pole). With OUT_BOOL, EXPR gives a mask; with OUT_TRUTH too, which is written as
 * ones and zeros by st_truth_f32 and st_truth_f64. With EXACT, EXPR of numbers that a half
 * type has is one that it has. With HALVES_APART half types have a loop of their own, and none is
 * included for them. With BY_LINES there is another loop over many short lines (lines.h). Takes
 * LOOP, OP, EXPR, QUICK, OUT_BOOL, OUT_TRUTH, EXACT, HALVES_APART and BY_LINES away again. */

#define SPLAT(v) v_like(v, (v)[0])

#define V vf32
#define W W32
#ifdef OUT_BOOL
#define OT uint8_t
#else
#define OT T
#endif

#ifndef HALVES_APART
#define T      uint16_t
#define FN     LOOP_NAME2(OP, f16)
#define LD     ld_f16
#define LDN    ld_f16_again
#define LD1(p) v_from_f16((vu16h){0} + *(const uint16_t *)(const void *)(p))
#ifdef OUT_BOOL
#define ST  st_mask32
#define STN st_mask32_n
#else
#define ST  st_f16
#define STN st_f16_n
#endif
#include LOOP

#undef FN
#undef LD
#undef LDN
#undef LD1
#define FN     LOOP_NAME2(OP, bf16)
#define LD     ld_bf16
#define LDN    ld_bf16_again
#define LD1(p) v_from_bf16((vu16h){0} + *(const uint16_t *)(const void *)(p))
#ifndef OUT_BOOL
#undef ST
#undef STN
#ifdef EXACT
#define ST  st_exact_bf16
#define STN st_exact_bf16_n
#else
#define ST  st_bf16
#define STN st_bf16_n
#endif
#endif
#include LOOP

#undef T
#undef FN
#undef LD
#undef LDN
#undef LD1
#undef ST
#undef STN
#endif

#if !defined(OUT_BOOL) && !defined(OUT_TRUTH)
#define AS_IN_MEMORY
#endif
#define T      float
#define FN     LOOP_NAME2(OP, f32)
#define LD     ld_f32
#define LDN    ld_f32_again
#define LD1(p) v_set_f32(*(const float *)(const void *)(p))
#ifdef OUT_BOOL
#define ST  st_mask32
#define STN st_mask32_n
#elif defined(OUT_TRUTH)
#define ST  st_truth_f32
#define STN st_truth_f32_n
#else
#define ST  st_f32
#define STN st_f32_n
#endif
#include LOOP

#undef T
#undef V
#undef W
#undef FN
#undef LD
#undef LDN
#undef LD1
#undef ST
#undef STN
#define T      double
#define V      vf64
#define W      W64
#define FN     LOOP_NAME2(OP, f64)
#define LD     ld_f64
#define LDN    ld_f64_again
#define LD1(p) v_set_f64(*(const double *)(const void *)(p))
#ifdef OUT_BOOL
#define ST  st_mask64
#define STN st_mask64_n
#elif defined(OUT_TRUTH)
#define ST  st_truth_f64
#define STN st_truth_f64_n
#else
#define ST  st_f64
#define STN st_f64_n
#endif
#include LOOP

#undef T
#undef OT
#undef V
#undef W
#undef FN
#undef LD
#undef LDN
#undef LD1
#undef ST
#undef STN
#undef SPLAT
#undef LOOP
#undef OP
#undef EXPR
#undef QUICK
#undef OUT_BOOL
#undef OUT_TRUTH
#undef EXACT
#undef HALVES_APART
#undef BY_LINES
#undef AS_IN_MEMORY
