/* Logarithms of sums of exponentials of complex numbers, of everything and running. Of real ones:
 * reduce_logsumexp.c, scan_logsumexp.c.
 *
 * Idea: the sum belongs to the largest finite real part so far and is scaled when a larger one
 * comes. Sums of everything look at a block of elements for its largest first, and take vectors of
 * exponentials; what is added up is the same whichever elements share a vector. Running ones take
 * one exponential of libm for an element.
 *
 * Limit: the exponential, sine and cosine of each element. */
#include "kernels/loops/complex_number.h"
#include "kernels/loops/scan.h"
#include "kernels/simd/vmath_complex.h"

/* The largest finite real part, and the sum of exp(x - most). */
typedef struct sum_of_exp {
    double most;
    c128 sum;
} sum_of_exp;

static void nothing_yet(void *acc, int64_t n) {
    sum_of_exp *a = acc;
    for (int64_t i = 0; i < n; i++) a[i] = (sum_of_exp){-(double)INFINITY, {0, 0}};
}

static inline double scaled(double part, double factor) {
    return part - part == 0 ? part * factor : part; /* infinite stays, whatever it is scaled by */
}

static inline void lift(sum_of_exp *a, double most) {
    if (!(most > a->most)) return;
    if (a->most > -(double)INFINITY) {
        const double factor = exp(a->most - most);
        a->sum = (c128){scaled(a->sum.re, factor), scaled(a->sum.im, factor)};
    }
    a->most = most;
}

static inline double shift_of(const sum_of_exp *a) {
    return a->most > -(double)INFINITY ? a->most : 0;
}

static inline void take_number(sum_of_exp *a, c128 x) {
    if (x.re < (double)INFINITY) lift(a, x.re);
    const c128 e = c_unpack(cexp(c_pack((c128){x.re - shift_of(a), x.im})));
    a->sum = (c128){a->sum.re + e.re, a->sum.im + e.im};
}

static inline void take_sum(sum_of_exp *a, sum_of_exp b) {
    lift(a, b.most);
    lift(&b, a->most);
    a->sum = (c128){a->sum.re + b.sum.re, a->sum.im + b.sum.im};
}

static inline c128 log_of_sum(const sum_of_exp *a) {
    const c128 z = c_unpack(clog(c_pack(a->sum)));
    return (c128){z.re + shift_of(a), z.im};
}

/* Lanes that are unfit, from libm. */
static __attribute__((noinline)) vc64 exps_else(vc64 z, vi64 unfit, vc64 e) {
    for (int i = 0; i < W64; i++) {
        if (!unfit[i]) continue;
        const c128 one = c_unpack(cexp(c_pack((c128){z.re[i], z.im[i]})));
        e.re[i] = one.re;
        e.im[i] = one.im;
    }
    return e;
}
/* e^(z - shift) */
VMATH_QUICK vc64 exps_of(vc64 z, vf64 shift) {
    vi64 unfit;
    z.re -= shift;
    const vc64 e = vc_exp(z, false, &unfit);
    return __builtin_expect(v_any64(unfit), 0) ? exps_else(z, unfit, e) : e;
}
static inline vf64 top_of(vf64 top, vf64 x) {
    return v_sel_f64((x > top) & (x < (double)INFINITY), x, top);
}

#define SFX     c64
#define PART    f32
#define T       c64
#define WIDE(x) c_widen(x)
#define SLIM(x) c_narrow(x)
#include "kernels/loops/complex_lse.h"

#define SFX     c128
#define PART    f64
#define T       c128
#define WIDE(x) (x)
#define SLIM(x) (x)
#include "kernels/loops/complex_lse.h"

const nomen__kernel NOMEN__TABLE(logsumexp_complex)[] = {
    REDUCER_COMPLEXES("logsumexp", logsumexp),
    SCAN_ROW("logcumsumexp", NOMEN_C64, logcumsumexp, c64),
    SCAN_ROW("logcumsumexp", NOMEN_C128, logcumsumexp, c128),
    {.name = NULL},
};
