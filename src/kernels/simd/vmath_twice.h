/* Functions whose text is the same for f32 and f64; no include guard, included twice by
 * vmath_more.h. Wants T, V, I, U, MASK (number, vector, integers, bits, choices), NAME(f),
 * NUMBER(c) of vmath.gen.h, POLY(x, table), LIBM(f), and what depends on the exponent: TOP and
 * COSH_TOP (exp and cosh are inf there), BITS (of the mantissa), LARGE (its square + 1 is its
 * square). Takes them away. */

/* e^(x + more) = 2^*k (1 + r + *p), r returned, for x within the range of the type. */
static inline V NAME(v_exp_parts)(V x, V more, V *k, V *p) {
    const V t = v_fma(x, v_like(x, VMATH_LOG2E), v_like(x, NUMBER(MAGIC)));
    *k = t - NUMBER(MAGIC);
    const V high = v_fma(*k, v_like(x, -NUMBER(LN2_HIGH)), x);
    const V low = *k * NUMBER(LN2_LOW) - more, r = high - low;
    *p = v_fma(r * r, POLY(r, EXP), (high - r) - low);
    return r;
}

static inline V NAME(v_at_most)(V x, T top) { return v_sel(x > top, v_like(x, top), x); }
static inline V NAME(v_at_least)(V x, T low) { return v_sel(x < low, v_like(x, low), x); }

static inline V NAME(v_expm1)(V x) {
    V k, p;
    const V limited = NAME(v_at_most)(NAME(v_at_least)(x, -(T)2 * BITS), TOP);
    const V r = NAME(v_exp_parts)(limited, (V){0}, &k, &p);
    /* 2^k (r + p + (1 - 2^-k)), the larger two without loss */
    const V one = (T)1 - NAME(v_two_to)(-NAME(v_at_most)(k, BITS + 3));
    const V sum = one + r, y = sum + (((one - sum) + r) + p);
    return v_copysign(y * NAME(v_two_to)(k - (T)1) * (T)2, x);
}

/* ---- logarithms of sums ---------------------------------------------------------------------- */

/* ln(u + c) + k ln(2), u positive and normal, c much smaller. */
static inline V NAME(v_ln_pair)(V u, V c, V k) {
    V m, h;
    k = k + NAME(v_split)(u, &m);
    const V f = m - (T)1, tail = NAME(v_ln_tail)(f, &h);
    const V y = f - (h - (tail + (k * NUMBER(LN2_LOW) + c / u)));
    return v_fma(k, v_like(u, NUMBER(LN2_HIGH)), y);
}

/* ln(1 + high + low), or where big ln(2 x). */
static inline V NAME(v_ln_one_plus)(V high, V low, I big, V x) {
    const V u = (T)1 + high, back = u - (T)1;
    const V c = (((T)1 - (u - back)) + (high - back)) + low;
    return NAME(v_ln_pair)(v_sel(big, x, u), v_sel(big, (V){0}, c),
                           v_sel(big, v_like(x, 1), (V){0}));
}

static inline V NAME(v_log1p_any)(V x) {
    V y = NAME(v_ln_one_plus)(x, (V){0}, (I){0}, x);
    y = v_sel((x == (T)INFINITY) | (x != x), x, y);
    y = v_sel(x == (T)-1, v_like(x, INFINITY), y);
    return v_copysign(v_sel(x < (T)-1, v_like(x, NAN), y), x);
}

static inline V NAME(v_asinh)(V x) {
    const V a = v_abs(x), part = NAME(v_quotient)(a * a, (T)1 + v_sqrt((T)1 + a * a)),
            sum = a + part;
    const V y = NAME(v_ln_one_plus)(sum, (a - sum) + part, a > LARGE, a);
    return v_copysign(v_sel(a == (T)INFINITY, a, y), x);
}
static inline V NAME(v_acosh)(V x) {
    const V t = x - (T)1, root = v_sqrt(v_fma(t, t, t + t)), sum = root + t;
    V y = NAME(v_ln_one_plus)(sum, (root - sum) + t, x > LARGE, x);
    y = v_sel(x == (T)INFINITY, x, y);
    return v_sel(x < (T)1, v_like(x, NAN), y);
}
/* ln((1 + x) / (1 - x)) / 2 */
static inline V NAME(v_atanh_any)(V x) {
    const V a = v_abs(x), twice = a + a, part = NAME(v_quotient)(twice * a, (T)1 - a),
            sum = twice + part;
    const V back = sum - twice, low = (twice - (sum - back)) + (part - back);
    V y = (T)0.5 * NAME(v_ln_one_plus)(sum, low, (I){0}, a);
    y = v_sel(a == (T)1, v_like(x, INFINITY), y);
    return v_copysign(v_sel(a > (T)1, v_like(x, NAN), y), x);
}

/* ln(x / (1 - x)) = +- ln(1 + |2 x - 1| / min(x, 1 - x)), which is small where the result is. */
static inline V NAME(v_logit_any)(V x) {
    const V d = x + x - (T)1, least = v_sel(x < (T)0.5, x, (T)1 - x), arg = v_abs(d) / least;
    const I tiny = x < (T)1 / (LARGE * LARGE);
    const V u = (T)1 + arg, back = u - (T)1;
    const V c = ((T)1 - (u - back)) + (arg - back);
    const V shift = v_like(x, BITS + 1), scaled = x * NAME(v_two_to)(shift);
    V y = NAME(v_ln_pair)(v_sel(tiny, scaled, u), v_sel(tiny, (V){0}, c),
                          v_sel(tiny, -shift, (V){0}));
    y = v_sel(tiny, y, v_copysign(y, d));
    y = v_sel((x == 0) | (x == (T)1), v_copysign(v_like(x, INFINITY), d), y);
    return v_sel((x >= 0) & (x <= (T)1), y, v_like(x, NAN));
}

#if !SIMD_TABLES
static __attribute__((noinline, unused)) V NAME(v_logit_far)(V x) { return NAME(v_logit_any)(x); }
/* The same where neither x nor 1 - x is tiny, 0 or below. */
VMATH_QUICK V NAME(v_logit_quick)(V x, MASK *unfit) {
    const V d = x + x - (T)1, least = v_lesser(x, (T)1 - x), arg = v_abs(d) / least;
    const V u = (T)1 + arg, back = u - (T)1;
    const V c = ((T)1 - (u - back)) + (arg - back);
    *unfit = NAME(v_above)(v_like(x, (T)1 / (LARGE * LARGE)), least);
    return v_copysign(NAME(v_ln_pair)(u, c, (V){0}), d);
}
VMATH_QUICK_OR(V, MASK, NAME(v_logit), NAME(v_logit_quick), NAME(v_logit_far), NAME(v_either),
               NAME(v_some))
#endif

/* ---- sinh, cosh: 2^k e with e = high + low, and its inverse ---------------------------------- */

static inline V NAME(v_cosh_parts)(V a, V *low, V *inverse, V *scale) {
    V k, p;
    const V r = NAME(v_exp_parts)(NAME(v_at_most)(a, COSH_TOP), (V){0}, &k, &p);
    const V one = (T)1 + r, rest = (((T)1 - one) + r) + p, high = one + rest;
    *low = (one - high) + rest;
    *inverse = NAME(v_two_to)((T)-2 * NAME(v_at_most)(k, BITS)) / high;
    *scale = NAME(v_two_to)(k - (T)2);
    return high;
}
static inline V NAME(v_cosh)(V x) {
    V low, inverse, scale;
    const V high = NAME(v_cosh_parts)(v_abs(x), &low, &inverse, &scale);
    return (high + (low + inverse)) * scale * (T)2;
}
static inline V NAME(v_sinh)(V x) {
    V low, inverse, scale;
    const V a = v_abs(x), z = a * a, high = NAME(v_cosh_parts)(a, &low, &inverse, &scale);
    const V far = (high + (low - inverse)) * scale * (T)2;
    return v_copysign(v_sel(a < (T)1, v_fma(a * z, POLY(z, SINH), a), far), x);
}

/* ---- circular functions ---------------------------------------------------------------------- */

/* What the rounding of sin and cos loses. */
typedef struct NAME(vmath_lost) {
    V s, c;
} NAME(vmath_lost);

/* sin and cos of r + rest, |r| up to pi/4. */
static inline V NAME(v_sin_and_cos)(V r, V rest, V *cosine, NAME(vmath_lost) * lost) {
    const V z = r * r, h = (T)0.5 * z, one_h = (T)1 - h;
    const V low_c = (((T)1 - one_h) - h) + v_fma(z * z, POLY(z, COS), -r * rest);
    const V low_s = v_fma(r * z, POLY(z, SIN), rest * one_h), s = r + low_s;
    *cosine = one_h + low_c;
    lost->s = (r - s) + low_s;
    lost->c = (one_h - *cosine) + low_c;
    return s;
}

static __attribute__((noinline, unused)) V NAME(v_tan_any)(V x) {
    const V a = v_abs(x);
    const I large = a > NUMBER(TRIG);
    U quarter;
    V rest, c;
    NAME(vmath_lost) lost;
    const V r = NAME(v_reduce)(v_sel(large, (V){0}, a), &rest, &quarter);
    const V s = NAME(v_sin_and_cos)(r, rest, &c, &lost);
    const I odd = (I)((quarter & 1u) != 0);
    const V n = v_sel(odd, -c, s), d = v_sel(odd, s, c), inverse = (T)1 / d;
    V y = n / d;
    y = y + (v_sel(odd, -lost.c, lost.s) - y * v_sel(odd, lost.s, lost.c)) * inverse;
    y = v_sel(x < 0, -y, v_sel(x == 0, x, y));
    if (__builtin_expect(v_any(large), 0)) {
        for (size_t i = 0; i < sizeof(V) / sizeof(T); i++) y[i] = large[i] ? LIBM(tan)(x[i]) : y[i];
    }
    return y;
}

/* Beyond 1/2: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)). *s + the result is asin(a) or the asin of
 * that root. */
static inline V NAME(v_asin_parts)(V a, MASK big, V *s) {
    V lost;
    const V half = v_like(a, 0.5), z = NAME(v_either)(big, v_fma(a, -half, half), a * a);
    const V root = NAME(v_root)(z, &lost);
    lost = NAME(v_either)(big, lost, (V){0});
    *s = NAME(v_either)(big, root, a);
    return v_fma((*s + lost) * z, POLY(z, ASIN), lost);
}
/* whole + low + times * (s + tail); times is a power of 2 */
static inline V NAME(v_asin_sum)(V whole, V low, V times, V s, V tail) {
    const V p = times * s, sum = whole + p;
    return sum + v_fma(times, tail, ((whole - sum) + p) + low);
}
static inline V NAME(v_asin)(V x) {
    V s;
    const V a = v_abs(x), zero = (V){0};
    const MASK big = NAME(v_less)(v_like(x, 0.5), a);
    const V tail = NAME(v_asin_parts)(a, big, &s);
    const V whole = NAME(v_either)(big, v_like(x, NUMBER(PI_2_WHOLE)), zero);
    const V low = NAME(v_either)(big, v_like(x, NUMBER(PI_2_REST)), zero);
    const V times = NAME(v_either)(big, v_like(x, -2), v_like(x, 1));
    return v_copysign(NAME(v_asin_sum)(whole, low, times, s, tail), x);
}
/* pi/2 - asin(x): of large arguments 2 asin(root), or pi less that. */
static inline V NAME(v_acos)(V x) {
    V s;
    const V a = v_abs(x), zero = (V){0}, half = v_like(x, 0.5);
    const V pi_2 = v_like(x, NUMBER(PI_2_WHOLE)), rest = v_like(x, NUMBER(PI_2_REST));
    const MASK big = NAME(v_less)(half, a);
    const V tail = NAME(v_asin_parts)(a, big, &s);
    const I sign = (I)x & (I)v_like(x, -0.0);
    const V whole = pi_2 - NAME(v_either)(big, (V)((I)pi_2 ^ sign), zero);
    const V low = rest - NAME(v_either)(big, (V)((I)rest ^ sign), zero);
    const V times = NAME(v_either)(big, v_like(x, 2), v_like(x, -1));
    return NAME(v_asin_sum)(whole, low, (V)((I)times ^ sign), s, tail);
}

#undef T
#undef MASK
#undef V
#undef I
#undef U
#undef NAME
#undef NUMBER
#undef POLY
#undef LIBM
#undef TOP
#undef COSH_TOP
#undef BITS
#undef LARGE
