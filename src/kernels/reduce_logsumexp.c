/* The logarithm of a sum of exponentials. Softmax: rows.c.
 *
 * Idea: each block looks for its largest element and then adds vector exponentials of the distances
 * from the largest so far, so the input is read from memory once.
 *
 * Limit: the vector exponential. bench/bench_kernels.c prints nanoseconds for an element. */
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
static inline double lse_get(const lse_acc *a) {
    if (a->sum != a->sum) return a->sum;
    return a->most - a->most == 0 ? a->most + log(a->sum) : a->most;
}

#define OP   logsumexp
#define CORE logsumexp

#define SFX         f16
#define T           uint16_t
#define F           float
#define V           vf32
#define W           W32
#define LDV(p)      ld_f32(p)
#define LDV_N(p, k) ld_f32_n(p, k)
#define V_EXP       v_exp_f32
#define FETCH(x)    from_f16(x)
#define WIDEN       widen_f16
#define OUT         uint16_t
#define DONE(a, p)  to_f16(to_odd(lse_get(a)))
#include "kernels/loops/reduce_lse.h"

#define SFX         bf16
#define T           uint16_t
#define F           float
#define V           vf32
#define W           W32
#define LDV(p)      ld_f32(p)
#define LDV_N(p, k) ld_f32_n(p, k)
#define V_EXP       v_exp_f32
#define FETCH(x)    from_bf16(x)
#define WIDEN       widen_bf16
#define OUT         uint16_t
#define DONE(a, p)  to_bf16(to_odd(lse_get(a)))
#include "kernels/loops/reduce_lse.h"

#define SFX         f32
#define T           float
#define F           float
#define V           vf32
#define W           W32
#define LDV(p)      ld_f32(p)
#define LDV_N(p, k) ld_f32_n(p, k)
#define V_EXP       v_exp_f32
#define OUT         float
#define DONE(a, p)  (float)lse_get(a)
#include "kernels/loops/reduce_lse.h"

#define SFX         f64
#define T           double
#define F           double
#define V           vf64
#define W           W64
#define LDV(p)      ld_f64(p)
#define LDV_N(p, k) ld_f64_n(p, k)
#define V_EXP       v_exp_f64
#define OUT         double
#define DONE(a, p)  lse_get(a)
#include "kernels/loops/reduce_lse.h"

const nomen__kernel NOMEN__TABLE(reduce_logsumexp)[] = {
    REDUCER_FLOATS("logsumexp", logsumexp),
    {.name = NULL},
};
