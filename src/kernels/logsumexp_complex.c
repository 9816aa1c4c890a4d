/* Logarithms of sums of exponentials of complex numbers, of everything and running. Of real ones:
 * reduce_logsumexp.c, scan_logsumexp.c.
 *
 * Idea: of everything, the sum belongs to the largest finite real part so far and is scaled when a
 * larger one comes: a block of elements is looked at for its largest first. A running one belongs
 * to a real part not far below the largest, so that most elements only add to it. Exponentials and
 * logarithms are vectors; what is added up is the same whichever elements share one.
 *
 * Limit: the exponential, sine and cosine of each element; of running sums the logarithm and the
 * angle of each, too. */
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

static inline void take_sum(sum_of_exp *a, sum_of_exp b) {
    lift(a, b.most);
    lift(&b, a->most);
    a->sum = (c128){a->sum.re + b.sum.re, a->sum.im + b.sum.im};
}

/* Lanes that are unfit, by a function of libm. */
static __attribute__((noinline)) vc64 lanes_else(vc64 z, vi64 unfit, vc64 y,
                                                 __typeof__(clog) *by_libm) {
    for (int i = 0; i < W64; i++) {
        if (!unfit[i]) continue;
        const c128 one = c_unpack(by_libm(c_pack((c128){z.re[i], z.im[i]})));
        y.re[i] = one.re;
        y.im[i] = one.im;
    }
    return y;
}
/* e^(z - shift) */
VMATH_QUICK vc64 exps_of(vc64 z, vf64 shift) {
    vi64 unfit;
    z.re -= shift;
    const vc64 e = vc_exp(z, false, &unfit);
    return __builtin_expect(v_any64(unfit), 0) ? lanes_else(z, unfit, e, cexp) : e;
}
/* log(sum) + shift. Exponentials of imaginary numbers are sums near 1, too near for vc_log: as
 * their parts are rounded, what the square is off by need not be known to the last bit. */
VMATH_QUICK vc64 logs_of(vc64 sum, vf64 shift, bool narrow) {
    vi64 unfit;
    const vc_square s = vc_squared(sum, false, &unfit);
    const vf64 ln = v_ln_one_plus_f64(s.high, s.low, ~s.near, 0.5 * s.sum);
    vc64 y = {0.5 * ln, vc_turn(sum.im, sum.re, narrow)};
    unfit = v_outside(s.sum, 0x1p-800, 0x1p800);
    unfit |= s.near & (v_abs_f64(s.high + s.low) < 0x1p-60);
    if (__builtin_expect(v_any64(unfit), 0)) y = lanes_else(sum, unfit, y, clog);
    y.re += shift;
    return y;
}
static inline vf64 top_of(vf64 top, vf64 x) {
    return v_sel_f64((x > top) & (x < (double)INFINITY), x, top);
}
static inline vf64 shifts_of(vf64 most) {
    return v_sel_f64(most > -(double)INFINITY, most, (vf64){0});
}

/* The first n of a vector of numbers; the others are like the last. */
static inline vc64 some_of(const c128 *x, int64_t n) {
    c128 few[W64];
    if (n >= W64) return vc_load_f64(x);
    for (int l = 0; l < W64; l++) few[l] = x[l < n ? l : n - 1];
    return vc_load_f64(few);
}
static inline void put_some(c128 *to, vc64 z, int64_t n) {
    c128 few[W64];
    if (n >= W64) {
        vc_store_f64(to, z);
        return;
    }
    vc_store_f64(few, z);
    for (int64_t l = 0; l < n; l++) to[l] = few[l];
}

/* ---- of everything --------------------------------------------------------------------------- */

static APART void logs_of_sums(const sum_of_exp *a, int64_t n, c128 *y, bool narrow) {
    for (int64_t i = 0; i < n; i += W64) {
        const int64_t here = n - i < W64 ? n - i : W64;
        c128 sums[W64], tops[W64];
        for (int l = 0; l < W64; l++) {
            const sum_of_exp *one = a + i + (l < here ? l : here - 1);
            sums[l] = one->sum;
            tops[l] = (c128){one->most, 0};
        }
        const vf64 shift = shifts_of(vc_load_f64(tops).re);
        put_some(y + i, logs_of(vc_load_f64(sums), shift, narrow), here);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* How far above its reference the real part of an element may lie, and how many elements are looked
 * at together. Carried on: the references of all lines (no imaginary part), then their sums. */
enum { FAR = 16, TOGETHER = 64 };

static void running_begin(void *carry, int64_t lines) {
    c128 *refs = carry, *sums = refs + lines;
    for (int64_t r = 0; r < lines; r++) refs[r] = (c128){-(double)INFINITY, 0};
    for (int64_t r = 0; r < lines; r++) sums[r] = (c128){0, 0};
}

static inline bool is_far(double ref, double x) { return x > ref + FAR && x < (double)INFINITY; }

static inline void follow(c128 *ref, c128 *sum, double x) {
    sum_of_exp a = {ref->re, *sum};
    if (!is_far(ref->re, x)) return;
    lift(&a, x);
    ref->re = a.most;
    *sum = a.sum;
}

/* y: elements, then results. */
static APART void running_block(c128 *ref, c128 *sum, c128 *y, int64_t n, bool narrow) {
    for (int64_t j = 0, end; j < n; j = end) {
        const int64_t most = n - j < TOGETHER ? n : j + TOGETHER;
        follow(ref, sum, y[j].re);
        for (end = j + 1; end < most && !is_far(ref->re, y[end].re);) end++;
        const vf64 shift = shifts_of(v_set_f64(ref->re));
        for (int64_t i = j; i < end; i += W64)
            put_some(y + i, exps_of(some_of(y + i, end - i), shift), end - i);
        c128 s = *sum;
        for (int64_t i = j; i < end; i++) y[i] = s = (c128){s.re + y[i].re, s.im + y[i].im};
        *sum = s;
        for (int64_t i = j; i < end; i += W64)
            put_some(y + i, logs_of(some_of(y + i, end - i), shift, narrow), end - i);
    }
}

/* The next element of each line. */
static APART void running_level(c128 *refs, c128 *sums, c128 *y, int64_t lines, bool narrow) {
    for (int64_t r = 0; r < lines; r += W64) {
        const int64_t here = lines - r;
        for (int64_t l = r; l < lines && l < r + W64; l++) follow(&refs[l], &sums[l], y[l].re);
        const vf64 shift = shifts_of(some_of(refs + r, here).re);
        const vc64 e = exps_of(some_of(y + r, here), shift), before = some_of(sums + r, here);
        const vc64 sum = {before.re + e.re, before.im + e.im};
        put_some(sums + r, sum, here);
        put_some(y + r, logs_of(sum, shift, narrow), here);
    }
}

#define SFX       c64
#define PART      f32
#define T         c64
#define IS_NARROW true
#define WIDE(x)   c_widen(x)
#define SLIM(x)   c_narrow(x)
#include "kernels/loops/complex_lse.h"

#define SFX       c128
#define PART      f64
#define T         c128
#define IS_NARROW false
#define WIDE(x)   (x)
#define SLIM(x)   (x)
#include "kernels/loops/complex_lse.h"

const nomen__kernel NOMEN__TABLE(logsumexp_complex)[] = {
    REDUCER_COMPLEXES("logsumexp", logsumexp),
    SCAN_ROW("logcumsumexp", NOMEN_C64, logcumsumexp, c64),
    SCAN_ROW("logcumsumexp", NOMEN_C128, logcumsumexp, c128),
    {.name = NULL},
};
