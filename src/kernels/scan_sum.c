/* Running sums. Running products: scan_prod.c; sums of everything: reduce_sum.c.
 *
 * Idea: as for sums, everything below float64 is added in double, and float64 keeps what the sum of
 * the blocks lost in a second double. Elements of a line are added up eight at a time (see
 * loops/scan_eights.h), so that no addition waits for the one before; complex ones four at a time
 * (loops/scan_pairs.h). Lines side by side are added level by level, lines of float also where they
 * lie one behind the other (loops/scan_lanes.h). */
#include "kernels/loops/scan_pairs.h"

static inline c128 join_c128(c128 a, c128 b) { return (c128){a.re + b.re, a.im + b.im}; }

#define OP         cumsum
#define CHAINS     1
#define JOIN(a, b) ((a) + (b))
#define ID         0
#define A_ZERO     0
#define TAKE(a, x) (*(a) += (x))
#define MEET(a, b) (*(a) += *(b))
#define GET(b, a)  ((b) + (a))

#define OF_ONE       NOMEN__ITSELF
#define SUMS         eights_sum_u64
#define EIGHTS(b, a) ((b) + (a))
#include "kernels/loops/scan_integers.h"

#if LANES_HERE
#define LEVELS_RUN(a, owns, bases) lanes_levels(a, owns, bases, true)
#endif

#undef OF_ONE
#undef SUMS
#define OF_ONE                    NOMEN__PLUS_ZERO
#define SUMS                      eights_sum
#define SFX                       f16
#define A                         double
#define T                         uint16_t
#define F                         float
#define D                         double
#define FETCH(x)                  from_f16(x)
#define WIDEN                     widen_f16
#define LD(x)                     (double)(x)
#define NARROW                    narrow_odd_f16
#define LANES_RUN(a, owns, bases) lanes_run(a, owns, bases, true)
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
#define LANES_RUN(a, owns, bases) lanes_run(a, owns, bases, true)
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
#define LANES_RUN(a, owns, bases) lanes_run(a, owns, bases, true)
#include "kernels/loops/scan_fold.h"

#undef SFX
#undef GET
#define GET(b, a) get_sum2(b, a)
#include "kernels/loops/take_sum2.h"
#undef LEVELS_RUN
#define LEVELS_RUN(a, owns, bases) lanes_levels_sum2(a, owns, bases)

#define IN_RUNS
#define SFX    f64
#define T      double
#define F      double
#define D      double
#define LD(x)  (x)
#define PUT(d) (d)
#define DIRECT
#define LANES_RUN(a, owns, bases) lanes_run_sum2(a, owns, bases)
#include "kernels/loops/scan_fold.h"

#undef SFX
#undef LEVELS_RUN
#undef EIGHTS
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#undef GET
#undef SUMS
#undef JOIN
#undef ID
#define JOIN(a, b)                       join_c128(a, b)
#define ID                               ((c128){0, 0})
#define LINES_RUN(a, bytes, owns, bases) pairs_run(a, bytes, owns, bases, true)
#define A                                c128
#define A_ZERO                           ((c128){0, 0})
#define TAKE(a, x)                       (*(a) = join_c128(*(a), x))
#define MEET(a, b)                       (*(a) = join_c128(*(a), *(b)))
#define GET(b, a)                        join_c128(b, a)

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

const nomen__kernel NOMEN__TABLE(scan_sum)[] = {
    SCAN_INTEGERS("cumsum", cumsum),
    SCAN_FLOATS("cumsum", cumsum),
    SCAN_ROW("cumsum", NOMEN_C64, cumsum, c64),
    SCAN_ROW("cumsum", NOMEN_C128, cumsum, c128),
    {.name = NULL},
};
