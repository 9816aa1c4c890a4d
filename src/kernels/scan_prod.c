/* Running products. Running sums: scan_sum.c; products of everything: reduce_prod.c.
 *
 * Idea: floating types below float64 multiply in double. A line is multiplied from its beginning to
 * its end, because products of parts may overflow where the whole does not; only integers, which
 * wrap, are cut. (Four numbers of those types cannot overflow a double, nor some of float64 that
 * are near 1.) Lines side by side are multiplied level by level. */
#include "kernels/loops/scan_pairs.h"

#define OP         cumprod
#define ID         1
#define A_ZERO     1
#define JOIN(a, b) ((a) * (b))
#define TAKE(a, x) (*(a) *= (x))
#define MEET(a, b) (*(a) *= *(b))
#define GET(b, a)  ((b) * (a))

#define OF_ONE       NOMEN__ITSELF
#define CHAINS       1
#define EIGHTS(b, a) GET(b, a)
#define NUMBERS      /* a product of 64 bits takes a vector up to five times as long as a number */
#if VB == 64         /* which has an instruction for it */
#define SUMS eights_prod_u64
#endif
#include "kernels/loops/scan_integers.h"

#undef CHAINS
#undef NUMBERS
#undef SUMS
#undef GET
#define CHAINS    0
#define PRODUCTS  eights_prod
#define A         double
#define GET(b, a) ((void)(b), (a))
#if LANES_HERE
#define LEVELS_RUN(a, owns, bases) lanes_levels(a, owns, bases, false)
#endif

#define SFX                       f16
#define T                         uint16_t
#define F                         float
#define D                         double
#define FETCH(x)                  from_f16(x)
#define WIDEN                     widen_f16
#define LD(x)                     (double)(x)
#define NARROW                    narrow_odd_f16
#define LANES_RUN(a, owns, bases) lanes_run(a, owns, bases, false)
#include "kernels/loops/scan_fold.h"

#undef SFX
#define SFX                       bf16
#define T                         uint16_t
#define F                         float
#define D                         double
#define FETCH(x)                  from_bf16(x)
#define WIDEN                     widen_bf16
#define LD(x)                     (double)(x)
#define NARROW                    narrow_odd_bf16
#define LANES_RUN(a, owns, bases) lanes_run(a, owns, bases, false)
#include "kernels/loops/scan_fold.h"

#undef SFX
#define SFX     f32
#define T       float
#define F       float
#define D       float
#define LD(x)   (double)(x)
#define MADE(x) (float)(x)
#define PUT(d)  (d)
#define DIRECT
#define SEQUENTIAL
#define LANES_RUN(a, owns, bases) lanes_run(a, owns, bases, false)
#include "kernels/loops/scan_fold.h"

#undef SFX
#undef PRODUCTS
#define PRODUCTS eights_prod_f64

#define SFX    f64
#define T      double
#define F      double
#define D      double
#define LD(x)  (x)
#define PUT(d) (d)
#define DIRECT
#define LANES_RUN(a, owns, bases) lanes_run_prod(a, owns)
#include "kernels/loops/scan_fold.h"

#undef SFX
#undef PRODUCTS
#undef LEVELS_RUN
#undef EIGHTS
#undef A
#undef A_ZERO
#undef TAKE
#undef OF_ONE
#define OF_ONE                           NOMEN__TIMES_ONE
#define LINES_RUN(a, bytes, owns, bases) pairs_run(a, bytes, owns, bases, false)
#define A                                c128
#define A_ZERO                           ((c128){1, 0})
#define TAKE(a, x)                       (*(a) = c_times_next(*(a), x))

#define SFX    c64
#define T      c64
#define F      c64
#define D      c128
#define LD(x)  c_widen(x)
#define PUT(d) c_narrow(d)
#include "kernels/loops/scan_fold.h"

#undef SFX
#define SFX    c128
#define T      c128
#define F      c128
#define D      c128
#define LD(x)  (x)
#define PUT(d) (d)
#include "kernels/loops/scan_fold.h"

const nomen__kernel NOMEN__TABLE(scan_prod)[] = {
    SCAN_INTEGERS("cumprod", cumprod),
    SCAN_FLOATS("cumprod", cumprod),
    SCAN_ROW("cumprod", NOMEN_C64, cumprod, c64),
    SCAN_ROW("cumprod", NOMEN_C128, cumprod, c128),
    {.name = NULL},
};
