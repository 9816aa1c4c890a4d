/* Includes reduce_fold.h for float16 and bfloat16; no include guard. Before: what reduce_fold.h
 * leaves alone, LANE (its C), BLOCK (its D), LOAD(float) -> LANE, and RESULT(A *, p), in double,
 * which is rounded once. Where lanes are float, VECTOR(vf32), LOAD of as many, and DIRECT, in which
 * DIRECT_f16 and DIRECT_bf16 are FOLD_DIRECT; BESIDE and BESIDE_RESULT(A *, p) if another operation
 * has the same accumulators; LANES_NARROWED, if what columns come to is the result: LANES_DONE is
 * LANES_NARROWED_f16 and LANES_NARROWED_bf16. Takes LANE and what follows away again. */

#define SFX       f16
#define T         uint16_t
#define F         float
#define C         LANE
#define D         BLOCK
#define LD(x)     LOAD(x)
#define FETCH(x)  from_f16(x)
#define WIDEN     widen_f16
#define WIDE_STEP FN2(step, OP, f32)
#ifdef DIRECT
#define LV          vf32
#define VLOAD(x)    VECTOR(ld_f16(x))
#define FOLD_DIRECT LOOP_NAME2(DIRECT, f16)
#endif
#define OUT uint16_t
#ifdef LANES_NARROWED
#define LANES_DONE LOOP_NAME2(LANES_NARROWED, f16)
#endif
#define NARROWED   narrow_odd_f16
#define DONE(a, p) RESULT(a, p)
#include "kernels/loops/reduce_fold.h"
#ifdef BESIDE
#undef OP
#define OP         BESIDE
#define OUT        uint16_t
#define NARROWED   narrow_odd_f16
#define DONE(a, p) BESIDE_RESULT(a, p)
#ifdef LANES_NARROWED
#define LANES_SUMMED LANE
#endif
#include "kernels/loops/reduce_finish.h"
#undef OP
#define OP CORE
#endif
#undef SFX

#define SFX       bf16
#define T         uint16_t
#define F         float
#define C         LANE
#define D         BLOCK
#define LD(x)     LOAD(x)
#define FETCH(x)  from_bf16(x)
#define WIDEN     widen_bf16
#define WIDE_STEP FN2(step, OP, f32)
#ifdef DIRECT
#define LV          vf32
#define VLOAD(x)    VECTOR(ld_bf16(x))
#define FOLD_DIRECT LOOP_NAME2(DIRECT, bf16)
#endif
#define OUT uint16_t
#ifdef LANES_NARROWED
#define LANES_DONE LOOP_NAME2(LANES_NARROWED, bf16)
#endif
#define NARROWED   narrow_odd_bf16
#define DONE(a, p) RESULT(a, p)
#include "kernels/loops/reduce_fold.h"
#ifdef BESIDE
#undef OP
#define OP         BESIDE
#define OUT        uint16_t
#define NARROWED   narrow_odd_bf16
#define DONE(a, p) BESIDE_RESULT(a, p)
#ifdef LANES_NARROWED
#define LANES_SUMMED LANE
#endif
#include "kernels/loops/reduce_finish.h"
#undef OP
#define OP CORE
#endif
#undef SFX

#undef LANE
#undef BLOCK
#undef LOAD
#undef RESULT
#undef VECTOR
#undef DIRECT
#undef LANES_NARROWED
#undef BESIDE
#undef BESIDE_RESULT
