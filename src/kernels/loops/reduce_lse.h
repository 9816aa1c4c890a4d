/* Include-template: the logarithm of a sum of exponentials, in one pass: the sum belongs to the
 * largest element so far and is scaled when a larger one comes. Before: OP, CORE (the same), SFX,
 * T, F (float or double), V (vector of F), W (its lanes), LDV, LDV_N, V_PART, for half types FETCH
 * and WIDEN. After: FN(init), FN(step), FN(merge), for lse_acc. */

/* The largest element, and the sum of exp(x - largest), or of exp(x) while that is infinite. */
#define A lse_acc

#define E F
#include "kernels/loops/row_lanes.h"
#undef E

static inline V FN(shift)(V most) {
    return v_sel(v_abs(most) < v_like(most, __builtin_inf()), most, (V){0});
}

/* Of an element less the largest one, or, where that is infinite, of any. */
static inline V FN(part)(V x) { return V_PART(SIMD_PICK(v_min, x)(x, 0)); }

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    const V zero = {0};
    V s = zero;
    int64_t j = 0;
    lse_raise(acc, (double)FN(largest)(x, n));
    V c = FN(shift)(v_like((V){0}, acc->most));
    for (j = 0; j + W <= n; j += W) s += FN(part)(LDV(x + j) - c);
    if (j < n) s += FN(first)(FN(part)(LDV_N(x + j, n - j) - c), n - j, zero);
    acc->sum += FN(total)(s);
}

/* W columns (k of them real), a few rows at a time so that the second look at them finds them in
 * L1. There are W accumulators. */
static inline void FN(few)(A *acc, const char *p, int64_t pitch, int64_t rows, int64_t k) {
    enum { PARTS = W / W64 };
    vf64 most[PARTS], sum[PARTS];
    V s = {0};
#pragma GCC unroll 4
    for (int i = 0; i < PARTS; i++) {
        const vf64 x = ld_f64(acc + i * W64), y = ld_f64(acc + i * W64 + W64 / 2);
        most[i] = V_EVEN_F64(x, y);
        sum[i] = V_ODD_F64(x, y);
    }
    V m = SIMD_PICK(lse_near, s)(most);
    for (int64_t j = 0; j < rows; j++)
        m = v_greater(k == W ? LDV(p + j * pitch) : LDV_N(p + j * pitch, k), m);
    V c = FN(shift)(m);
    for (int64_t j = 0; j < rows; j++) {
        V x = k == W ? LDV(p + j * pitch) : LDV_N(p + j * pitch, k);
        s += FN(part)(x - c);
    }
#pragma GCC unroll 4
    for (int i = 0; i < PARTS; i++) {
        const vf64 now = SIMD_PICK(lse_part, m)(m, i);
        sum[i] = lse_raised(sum[i], most[i], now) + SIMD_PICK(lse_part, s)(s, i);
        st_f64(acc + i * W64, V_MIX_LOW_F64(now, sum[i]));
        st_f64(acc + i * W64 + W64 / 2, V_MIX_HIGH_F64(now, sum[i]));
    }
}

/* The last ones, of which there are fewer. */
static APART void FN(fewer)(A *acc, const char *p, int64_t pitch, int64_t rows, int64_t k) {
    A all[W] __attribute__((aligned(64)));
    for (int64_t l = 0; l < W; l++) all[l] = acc[l < k ? l : 0];
    FN(few)(all, p, pitch, rows, k);
    memcpy(acc, all, (size_t)k * sizeof *acc);
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    enum { FEW = 32 };
    const char *p = (const char *)in;
    for (int64_t j = 0; j < rows; j += FEW)
        for (int64_t i = 0; i < n_acc; i += W) {
            const char *from = p + j * pitch + i * (int64_t)sizeof(F);
            const int64_t here = rows - j < FEW ? rows - j : FEW;
            if (n_acc - i >= W)
                FN(few)(acc + i, from, pitch, here, W);
            else
                FN(fewer)(acc + i, from, pitch, here, n_acc - i);
        }
}

#include "kernels/loops/reduce_walk.h"

static void FN(init)(void *acc, int64_t n_acc) {
    A *a = acc;
    for (int64_t i = 0; i < n_acc; i++) a[i] = (A){-__builtin_inf(), 0};
}

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    for (int64_t i = 0; i < n_acc; i++) {
        A other = b[i];
        lse_raise(&a[i], other.most);
        lse_raise(&other, a[i].most);
        a[i].sum += other.sum;
    }
}

#include "kernels/loops/reduce_finish.h"

#undef A
#undef SFX
#undef T
#undef F
#undef V
#undef W
#undef LDV
#undef LDV_N
#undef V_PART
#undef FETCH
#undef WIDEN
