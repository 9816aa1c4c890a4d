/* Includes reduce_fold.h for float32, float16 and bfloat16; no include guard. Before: what
 * reduce_fold.h leaves alone, LANE (its C), BLOCK (its D), LOAD(F) -> LANE, and RESULT(A *, p), in
 * double, which is rounded once; perhaps WIDE_F32(const float *) -> vf64, LOAD of as many as it
 * holds, and LANES_NARROWED as in fold_halves.h. Takes LANE, BLOCK, LOAD, RESULT and WIDE_F32 away
 * again. */

#define SFX f32
#ifdef WIDE_F32
#define LV       vf64
#define VLOAD(x) WIDE_F32(x)
#endif
#define T          float
#define F          float
#define C          LANE
#define D          BLOCK
#define LD(x)      LOAD(x)
#define OUT        float
#define DONE(a, p) (float)RESULT(a, p)
#ifdef LANES_NARROWED
#define LANES_DONE FN(done_alone)
#endif
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef WIDE_F32

#include "kernels/loops/fold_halves.h"
