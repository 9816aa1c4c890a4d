/* Include-template: the logarithm of a sum of exponentials, in one pass: the sum belongs to the
 * largest element so far and is scaled when a larger one comes. Before: OP, CORE (the same), SFX,
 * T, F (float or double), V (vector of F), W (its lanes), LDV, LDV_N, V_EXP, for half types FETCH
 * and WIDEN. After: FN(init), FN(step), FN(merge), for lse_acc. */

/* The largest element, and the sum of exp(x - largest), or of exp(x) while that is infinite. */
#define A lse_acc

static inline V FN(shift)(V most) {
    return v_sel(v_abs(most) < v_like(most, __builtin_inf()), most, (V){0});
}

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    V none = v_like((V){0}, -__builtin_inf()), m = none, m2 = none, s = {0};
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W) {
        V a = LDV(x + j), b = LDV(x + j + W);
        m = v_sel(a > m, a, m);
        m2 = v_sel(b > m2, b, m2);
    }
    m = v_sel(m2 > m, m2, m);
    F most = (F)-__builtin_inf();
    for (int l = 0; l < W; l++) most = m[l] > most ? m[l] : most;
    for (int64_t k = j; k < n; k++) most = x[k] > most ? x[k] : most;
    lse_raise(acc, (double)most);
    V c = FN(shift)(v_like((V){0}, acc->most));
    for (j = 0; j + W <= n; j += W) s += V_EXP(LDV(x + j) - c);
    if (j < n) {
        V e = V_EXP(LDV_N(x + j, n - j) - c);
        for (int l = 0; l < n - j; l++) acc->sum += (double)e[l];
    }
    for (int l = 0; l < W; l++) acc->sum += (double)s[l];
}

/* W columns (k of them real), a few rows at a time so that the second look at them finds them in
 * L1. */
static inline void FN(few)(A *acc, const char *p, int64_t pitch, int64_t rows, int64_t k) {
    V none = v_like((V){0}, -__builtin_inf()), m = none, s = {0};
    for (int64_t l = 0; l < k; l++) m[l] = (F)acc[l].most;
    for (int64_t j = 0; j < rows; j++) {
        V x = k == W ? LDV(p + j * pitch) : LDV_N(p + j * pitch, k);
        m = v_sel(x > m, x, m);
    }
    V c = FN(shift)(m);
    for (int64_t j = 0; j < rows; j++) {
        V x = k == W ? LDV(p + j * pitch) : LDV_N(p + j * pitch, k);
        s += V_EXP(x - c);
    }
    for (int64_t l = 0; l < k; l++) {
        lse_raise(&acc[l], (double)m[l]);
        acc[l].sum += (double)s[l];
    }
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    enum { FEW = 32 };
    const char *p = (const char *)in;
    for (int64_t j = 0; j < rows; j += FEW)
        for (int64_t i = 0; i < n_acc; i += W)
            FN(few)(acc + i, p + j * pitch + i * (int64_t)sizeof(F), pitch,
                    rows - j < FEW ? rows - j : FEW, n_acc - i < W ? n_acc - i : W);
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
#undef V_EXP
#undef FETCH
#undef WIDEN
