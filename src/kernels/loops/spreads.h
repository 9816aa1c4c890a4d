/* Includes reduce_spread.h, and reduce_finish.h for the four results of it: var, std, and both with
 * the mean. No include guard. Before: what reduce_spread.h wants but OP; TYPE, what variances are
 * written as, and ROUND(double) -> TYPE, or as it is and ROUNDED, the NARROWED of reduce_finish.h;
 * MEAN_TYPE and MEAN(const A *, p), the mean as that, or as it is if ROUNDED. After: but for CORE
 * these are undefined. */

#define OP spread
#include "kernels/loops/reduce_spread.h"
#undef OP

#define OP         var
#define OUT        TYPE
#define DONE(a, p) ROUND(variance((a)->spread, p))
#ifdef ROUNDED
#define NARROWED ROUNDED
#endif
#include "kernels/loops/reduce_finish.h"
#undef OP

#define OP         std
#define OUT        TYPE
#define DONE(a, p) ROUND(deviation((a)->spread, p))
#ifdef ROUNDED
#define NARROWED ROUNDED
#endif
#include "kernels/loops/reduce_finish.h"
#undef OP

#define OP                var_mean
#define OUT               TYPE
#define DONE(a, p)        ROUND(variance((a)->spread, p))
#define OUT_SECOND        MEAN_TYPE
#define DONE_SECOND(a, p) MEAN(a, p)
#ifdef ROUNDED
#define NARROWED ROUNDED
#endif
#include "kernels/loops/reduce_finish.h"
#undef OP

#define OP                std_mean
#define OUT               TYPE
#define DONE(a, p)        ROUND(deviation((a)->spread, p))
#define OUT_SECOND        MEAN_TYPE
#define DONE_SECOND(a, p) MEAN(a, p)
#ifdef ROUNDED
#define NARROWED ROUNDED
#endif
#include "kernels/loops/reduce_finish.h"
#undef OP

#undef A
#undef SFX
#undef TYPE
#undef ROUND
#undef ROUNDED
#undef MEAN_TYPE
#undef MEAN
