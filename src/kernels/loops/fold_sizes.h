/* Includes reduce_fold.h for dtypes whose sizes are double, those of which there is one of
 * SIZE_F64, SIZE_C64 and SIZE_C128 (x) -> double; no include guard. Before: what reduce_fold.h
 * leaves alone and RESULT(A *, p), in double; OF_VECTOR, if doubles are summed up, SIZE_F64 of a
 * vector. Takes these away again. */

#ifdef SIZE_F64
#define SFX   f64
#define T     double
#define F     double
#define C     double
#define D     double
#define LD(x) SIZE_F64(x)
#ifdef OF_VECTOR
#define TURNED            vf64
#define TAKE_LANES(a, s)  sum_take_f64(a, s)
#define MEET_ALL(a, b, n) sum2_meet(a, b, n)
#define LANES_TURNED
#endif
#define OUT        double
#define DONE(a, p) RESULT(a, p)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef OF_VECTOR
#endif

#ifdef SIZE_C64
#define SFX        c64
#define T          c64
#define F          c64
#define C          double
#define D          double
#define LD(x)      SIZE_C64(x)
#define OUT        float
#define DONE(a, p) (float)RESULT(a, p)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#endif

#ifdef SIZE_C128
#define SFX        c128
#define T          c128
#define F          c128
#define C          double
#define D          double
#define LD(x)      SIZE_C128(x)
#define OUT        double
#define DONE(a, p) RESULT(a, p)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#endif

#undef SIZE_F64
#undef SIZE_C64
#undef SIZE_C128
#undef RESULT
