/* A loop over one input of complex numbers as vectors of real and of imaginary parts; no include
 * guard, included for complex64 and complex128 by itself. Wants OP, LANES(z, narrow, unfit) as the
 * functions of simd/vmath_complex.h, and EXPR(x) on one c128 for the lanes that are unfit.
 * OUT_REAL: the results are real; EXPR gives a number. LIBM_WIDE: all lanes of complex128 are
 * unfit, and none is computed. Takes OP, LANES, EXPR, OUT_REAL and LIBM_WIDE away. */

/* The lanes that are unfit, one by one. */
static __attribute__((noinline)) vc64 LOOP_NAME2(OP, lanes_else)(vc64 z, vi64 unfit, vc64 y) {
    for (int i = 0; i < W64; i++) {
        if (!unfit[i]) continue;
        const c128 x = {z.re[i], z.im[i]};
#ifdef OUT_REAL
        y.re[i] = EXPR(x);
#else
        const c128 r = EXPR(x);
        y.re[i] = r.re;
        y.im[i] = r.im;
#endif
    }
    return y;
}

#define T      c64
#define PART   f32
#define REAL   float
#define NARROW true
#define ALONE  false
#define FN     LOOP_NAME2(OP, c64)
#include "kernels/loops/complex_lanes_loop.h"
#define T      c128
#define PART   f64
#define REAL   double
#define NARROW false
#ifdef LIBM_WIDE
#define ALONE true
#else
#define ALONE false
#endif
#define FN LOOP_NAME2(OP, c128)
#include "kernels/loops/complex_lanes_loop.h"

#undef OP
#undef LANES
#undef EXPR
#undef OUT_REAL
#undef LIBM_WIDE
