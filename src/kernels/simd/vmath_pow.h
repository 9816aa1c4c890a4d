/* pow of float64: e^(y ln|x|) with the logarithm in two parts, so that what y multiplies is not its
 * error. Included by vmath_more.h only. */
#ifndef NOMEN_SRC_VMATH_POW_H
#define NOMEN_SRC_VMATH_POW_H

static __attribute__((noinline, unused)) vf64 v_pow_any_f64(vf64 x, vf64 y) {
    vf64 r = x;
    for (int i = 0; i < W64; i++) r[i] = pow(x[i], y[i]);
    return r;
}

#if SIMD_FMA
enum { VMATH_LN256_FIRST = 170 };

/* Entries of a table in memory. */
static inline vf64 v_fetch_f64(const double *table, vu64 i) {
#if SIMD_TABLES
    return (vf64)_mm512_i64gather_pd((__m512i)i, table, 8);
#else
    vf64 r = (vf64){0};
    for (int lane = 0; lane < W64; lane++) r[lane] = table[i[lane]];
    return r;
#endif
}

/* ln(x) = result + *low, good to 2^-68, of normal x > 0. c, the multiple of 2^-8 next to 1 / m,
 * whose logarithm a table knows, leaves ln(1 + r) = r - r^2 / 2 + r^3 Q(r), r up to 3/1000. */
static inline vf64 v_ln_two_f64(vf64 x, vf64 *low) {
    vf64 m;
    const vf64 k = v_split_f64(x, &m), sum = v_about_inverse_f64(m) + VMATH_MAGIC_F64 / 256;
    const vf64 c = sum - VMATH_MAGIC_F64 / 256;
    const vu64 i = ((vu64)sum & 511u) - VMATH_LN256_FIRST;
    /* m c - 1, the product in two exact parts */
    const vf64 upper = (vf64)((vu64)m & ~(uint64_t)0x3ffffff), lower = m - upper;
    const vf64 first = v_fma_f64(upper, c, v_set_f64(-1)), second = lower * c, r = first + second;
    const vf64 lost = (first - r) + second, half = 0.5 * r, q = half * r, s = r - q;
    const vf64 whole =
        v_fma_f64(k, v_set_f64(VMATH_LN2_F64_HIGH), v_fetch_f64(VMATH_LN256_HIGH, i));
    const vf64 part = v_fma_f64(k, v_set_f64(VMATH_LN2_F64_LOW), v_fetch_f64(VMATH_LN256_LOW, i));
    const vf64 high = whole + s, curve = v_fma_f64(q * r, VMATH_POLY(r, LN256_F64), part);
    const vf64 more = ((r - s) - q) - v_fma_f64(half, r, -q) + v_fma_f64(-lost, r, lost);
    *low = ((whole - high) + s) + (more + curve);
    return high;
}
VMATH_QUICK vf64 v_pow_f64(vf64 x, vf64 y) {
    vf64 low, k, p;
    const vf64 size = v_abs_f64(x), high = v_ln_two_f64(size, &low), t = y * high;
    const vi64 fit = (size >= 0x1p-1022) & (size < (double)INFINITY) & (v_abs_f64(t) < 700.0);
    const vf64 r = v_exp_parts_f64(t, v_fma_f64(y, low, v_fma_f64(y, high, -t)), &k, &p);
    const vf64 e = 1.0 + r;
    vf64 result = v_scale_f64(e + (((1.0 - e) + r) + p), k);
    if (v_any64(x < 0)) {
        const vf64 half = 0.5 * y;
        const vi64 whole = v_round_f64(y) == y, odd = whole & (v_round_f64(half) != half);
        result = (vf64)((vi64)result ^ (odd & (vi64)x & INT64_MIN));
        result = v_sel_f64((x < 0) & ~whole, v_set_f64((double)NAN), result);
    }
    if (__builtin_expect(v_any64(~fit), 0)) return v_sel_f64(fit, result, v_pow_any_f64(x, y));
    return result;
}
#else
static inline vf64 v_pow_f64(vf64 x, vf64 y) { return v_pow_any_f64(x, y); }
#endif

#endif
