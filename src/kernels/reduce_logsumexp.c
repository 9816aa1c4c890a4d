/* The logarithm of a sum of exponentials. Softmax: rows.c.
 *
 * Idea: each block looks for its largest element and then adds vector exponentials of the distances
 * from the largest so far, so the input is read from memory once.
 *
 * Limit: the vector exponential. bench/bench_kernels.c prints nanoseconds for an element. */
#define HEAVY
#include "kernels/loops/reduce.h"
#include "kernels/simd/vmath.h"

#include <math.h>

typedef struct lse_acc {
    double most, sum;
} lse_acc;

/* Makes room for an element of this size. An empty sum stays empty, NaN stays NaN. */
static inline void lse_raise(lse_acc *a, double most) {
    if (!(most > a->most)) return;
    if (a->sum != 0) a->sum *= exp(a->most - most);
    a->most = most;
}
/* The sums after that, some at a time. */
static inline vf64 lse_raised(vf64 sum, vf64 before, vf64 most) {
    const vi64 less = (most > before) & (sum != 0);
    if (!v_any64(less)) return sum;
    return v_sel(less, sum * v_exp_f64(before - most), sum);
}
/* Where the largest one is infinite it is the result, unless the sum is NaN. */
static inline vf64 lse_close(vf64 most, vf64 sum) {
    const vf64 all = v_sel(most - most == 0, most + v_log_f64(sum), most);
    return v_sel(sum == sum, all, sum);
}
static APART void lse_results(const lse_acc *a, int64_t n, double *to) {
    lse_acc last[W64] = {{0, 1}};
    for (int64_t i = 0; i < n; i += W64) {
        const int64_t here = n - i < W64 ? n - i : W64;
        const lse_acc *from = a + i;
        if (here < W64) from = memcpy(last, from, (size_t)here * sizeof *last);
        const vf64 x = ld_f64(from), y = ld_f64(from + W64 / 2);
        const vf64 all = lse_close(V_EVEN_F64(x, y), V_ODD_F64(x, y));
        if (here == W64)
            st_f64(to + i, all);
        else
            st_f64_n(to + i, all, here);
    }
}
#define RESULTS lse_results

/* Part i of a vector as doubles, and all parts as a vector. */
static inline vf64 lse_part_f32(vf32 x, int i) { return i ? v_high_f64(x) : v_low_f64(x); }
static inline vf64 lse_part_f64(vf64 x, int i) { return (void)i, x; }
static inline vf32 lse_near_f32(const vf64 *x) { return v_narrow_f64(x[0], x[1]); }
static inline vf64 lse_near_f64(const vf64 *x) { return x[0]; }

#define OP   logsumexp
#define CORE logsumexp

#define SFX         f16
#define T           uint16_t
#define F           float
#define V           vf32
#define W           W32
#define LDV(p)      ld_f32(p)
#define LDV_N(p, k) ld_f32_n(p, k)
#define V_PART      v_exp_part_f32
#define FETCH(x)    from_f16(x)
#define WIDEN       widen_f16
#define OUT         uint16_t
#define NARROWED    narrow_odd_f16
#define DONE(a, p)  *(a)
#include "kernels/loops/reduce_lse.h"

#define SFX         bf16
#define T           uint16_t
#define F           float
#define V           vf32
#define W           W32
#define LDV(p)      ld_f32(p)
#define LDV_N(p, k) ld_f32_n(p, k)
#define V_PART      v_exp_part_f32
#define FETCH(x)    from_bf16(x)
#define WIDEN       widen_bf16
#define OUT         uint16_t
#define NARROWED    narrow_odd_bf16
#define DONE(a, p)  *(a)
#include "kernels/loops/reduce_lse.h"

#define SFX         f32
#define T           float
#define F           float
#define V           vf32
#define W           W32
#define LDV(p)      ld_f32(p)
#define LDV_N(p, k) ld_f32_n(p, k)
#define V_PART      v_exp_part_f32
#define OUT         float
#define DONE(a, p)  (float)*(a)
#include "kernels/loops/reduce_lse.h"

#define SFX         f64
#define T           double
#define F           double
#define V           vf64
#define W           W64
#define LDV(p)      ld_f64(p)
#define LDV_N(p, k) ld_f64_n(p, k)
#define V_PART      v_exp_part_f64
#define OUT         double
#define DONE(a, p)  *(a)
#include "kernels/loops/reduce_lse.h"

const nomen__kernel NOMEN__TABLE(reduce_logsumexp)[] = {
    REDUCER_FLOATS("logsumexp", logsumexp),
    {.name = NULL},
};
