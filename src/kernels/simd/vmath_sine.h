/* sin and cos of most numbers by one polynomial; text for f32 and f64, no include guard, included
 * twice by vmath.h where SIMD_FMA. Wants T, V, U, MASK, NAME(f), NUMBER(c) of vmath.gen.h, POLY(x,
 * table), NEAR (of the number of half turns: nearer than that to a multiple of pi is too near), TOP
 * (shift of the last bit to the sign). Takes them away. */

/* sin(r - past), its sign changed by that of sign, |r| up to pi/2: sin(r) = r (1 + third z + z q),
 * z = r^2, the first sum without loss. third makes q small, so that its rounding does not count. A
 * zero keeps its sign. */
VMATH_QUICK V NAME(v_sine_turned)(V r, V past, V z, U sign) {
    const V one = v_like(r, 1), third = v_like(r, VMATH_SIN_THIRD);
    const V sum = v_fma(z, third, one), low_z = v_fma(r, r, -z); /* falls by 0.145 for it */
    const V lost = v_fma(low_z, v_like(r, -0.145), v_fma(z, third, one - sum));
    const V curve = v_fma(z, POLY(z, SIN_TURN), lost);
    /* cos(r), the slope; a twentieth more or less does not matter */
    const V slope = v_fma(z, v_like(r, -0.405), one);
    const V y = v_fma(r, sum, v_fma(-past, slope, r * curve));
    return (V)((U)y ^ (sign & (U)v_like(r, -0.0)));
}

/* r - *past = x - k pi, from a, the difference from k times the first part of pi. Good unless
 * *unfit says that a lane of a is not much larger than the second part, or k is large. */
VMATH_QUICK V NAME(v_sine_rest)(V a, V k, V *past, V *z, MASK *unfit) {
    const V low = v_like(a, NUMBER(TURN_LOW)), r = v_fma(-k, low, a), least = k * (T)NEAR;
    *past = v_fma(k, low, r - a);
    *z = r * r;
    *unfit = NAME(v_beyond)(v_fma(-least, least, *z), 4);
    return r;
}
VMATH_QUICK V NAME(v_sin_quick)(V x, MASK *unfit) {
    V past, z;
    const V t = v_fma(x, v_like(x, VMATH_ONE_OVER_PI), v_like(x, NUMBER(MAGIC)));
    const V k = t - NUMBER(MAGIC), a = v_fma(-k, v_like(x, NUMBER(TURN_HIGH)), x); /* exact */
    const V r = NAME(v_sine_rest)(a, k, &past, &z, unfit);
    return NAME(v_sine_turned)(r, past, z, (U)t << TOP);
}
/* k is a whole number and a half; the difference loses something of a small x. */
VMATH_QUICK V NAME(v_cos_quick)(V x, MASK *unfit) {
    V past, z, k;
    const V high = v_like(x, NUMBER(TURN_HIGH));
    const U sign = NAME(v_odd_turns)(x, &k);
    const V a = v_fma(-k, high, x);
    const V r = NAME(v_sine_rest)(a, k, &past, &z, unfit);
    return NAME(v_sine_turned)(r, past + (v_fma(k, high, a) - x), z, sign);
}
/* What is not served above goes the careful way. */
VMATH_QUICK_OR(V, MASK, NAME(v_sin), NAME(v_sin_quick), NAME(v_sin_any), NAME(v_either),
               NAME(v_some))
VMATH_QUICK_OR(V, MASK, NAME(v_cos), NAME(v_cos_quick), NAME(v_cos_any), NAME(v_either),
               NAME(v_some))

#undef T
#undef V
#undef U
#undef MASK
#undef NAME
#undef NUMBER
#undef POLY
#undef NEAR
#undef TOP
