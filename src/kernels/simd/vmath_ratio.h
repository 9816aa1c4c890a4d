/* Logarithms of what is near 1, and of quotients, where a vector can be a table; text for f32 and
 * f64, no include guard, included twice by vmath_more.h. Wants T, V, U, MASK, NAME(f), NUMBER(c)
 * and TABLE(c) of vmath.gen.h, CURVE(r), INDEX (shift to the leading bits of a mantissa),
 * INVERSE(x) (good to more than half the digits). Takes them away. */

/* f = 2^-k c, whose product with the normal q > 0 is near 1; *high + *low: its logarithm taken
 * away. */
VMATH_QUICK V NAME(v_about_one_over)(V q, V *high, V *low) {
    const V k = NAME(v_exponent_of)(q);
    const U i = (U)q >> INDEX;
    *high = v_fma(k, v_like(q, NUMBER(LN2_HIGH)), NAME(v_entry16)(TABLE(LN_HIGH), i));
    *low = v_fma(k, v_like(q, NUMBER(LN2_LOW)), NAME(v_entry16)(TABLE(LN_LOW), i));
    return NAME(v_scale)(NAME(v_entry16)(TABLE(LOG_INVERSE), i), -k);
}
/* ln(1 + r + a b) + high + low, r small, a b much smaller. */
VMATH_QUICK V NAME(v_ln_near)(V r, V a, V b, V high, V low) {
    const V sum = v_fma(a, b, r), more = v_fma(a, b, low);
    return high + (r + v_fma(sum * sum, CURVE(sum), more));
}
VMATH_QUICK V NAME(v_log1p)(V x) {
    V high, low;
    const V u = (T)1 + x, back = u - (T)1, lost = ((T)1 - (u - back)) + (x - back);
    const V f = NAME(v_about_one_over)(u, &high, &low);
    const V y = NAME(v_ln_near)(v_fma(u, f, v_like(x, -1)), lost, f, high, low);
    return v_copysign(NAME(v_log_special)(u, y), x);
}

/* Logarithms of quotients n / d: q tells f, and 1 + r = f n / d is found without the rounding of
 * the quotient, r = (f n - d) / d. */
static __attribute__((noinline, unused)) V NAME(v_logit_far)(V x) { return NAME(v_logit_any)(x); }
VMATH_QUICK V NAME(v_logit_quick)(V x, MASK *unfit) {
    V high, low;
    const V one = v_like(x, 1), other = one - x, t = NAME(v_lesser)(x, other);
    *unfit = NAME(v_above)(v_like(x, 0x1p-100), t);
    const V about = INVERSE(t), f = NAME(v_about_one_over)((one - t) * about, &high, &low);
    const V n = v_fma(-t, f + one, f), r = n * about;
    const V y = NAME(v_ln_near)(r, v_fma(-r, t, n), about, high, low);
    return v_copysign(y, x - (T)0.5);
}
VMATH_QUICK_OR(V, MASK, NAME(v_logit), NAME(v_logit_quick), NAME(v_logit_far), NAME(v_either),
               NAME(v_some))
static __attribute__((noinline, unused)) V NAME(v_atanh_far)(V x) { return NAME(v_atanh_any)(x); }
VMATH_QUICK V NAME(v_atanh_quick)(V x, MASK *unfit) {
    V high, low;
    const V a = v_abs(x), one = v_like(x, 1), d = one - a, low_d = (one - d) - a, u = one + a;
    *unfit = NAME(v_above)(v_like(x, 0x1p-60), d);
    const V about = INVERSE(d), f = NAME(v_about_one_over)(u * about, &high, &low);
    /* f - 1 is exact where u may not be, and the other way round */
    const V n = NAME(v_either)(NAME(v_less)(a, v_like(x, 0.5)), v_fma(a, f + one, f - one),
                               v_fma(u, f, -d));
    const V r = n * about;
    const V left = v_fma(-r, low_d, v_fma(-r, d, n));
    const V y = NAME(v_ln_near)(r, left, about, high, low);
    return v_copysign((T)0.5 * y, x);
}
VMATH_QUICK_OR(V, MASK, NAME(v_atanh), NAME(v_atanh_quick), NAME(v_atanh_far), NAME(v_either),
               NAME(v_some))

#undef T
#undef V
#undef U
#undef MASK
#undef NAME
#undef NUMBER
#undef TABLE
#undef CURVE
#undef INDEX
#undef INVERSE
