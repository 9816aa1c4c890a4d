/* Template: what fuses multiplications with additions; most of it is Box-Muller in float on groups
 * of 16, bit for bit as PyTorch 1.13 does it. random_simd.c includes it once per ISA with
 *   NAME(x)  the name of x for this ISA        TARGET        the attribute of its functions
 *   FMA(a, b, c)  a * b + c rounded once       FMA64         the same of doubles
 *   ROOT(x)       square roots
 * Logarithm, sine and cosine are the polynomials of Moshier's Cephes library in the order and with
 * the fusions of PyTorch's build, since every rounding shows in what comes out. */

/* log u for normal u > 0: u = 2^e m with m in [sqrt(1/2), sqrt(2)). */
TARGET static inline f32v NAME(log_of)(f32v u) {
    u32v bits = (u32v)u;
    f32v m = (f32v)((bits & 0x807fffffU) | 0x3f000000U), zero = {0};
    i32v small = m < 0.707106781186547524f;
    f32v e = __builtin_convertvector((i32v)(bits >> 23) - 126 + small, f32v);
    f32v x = (m - 1.0f) + (f32v)((i32v)m & small), square = x * x;
    f32v y = zero + 7.0376836292e-2f;
    y = FMA(y, x, zero - 1.1514610310e-1f);
    y = FMA(y, x, zero + 1.1676998740e-1f);
    y = FMA(y, x, zero - 1.2420140846e-1f);
    y = FMA(y, x, zero + 1.4249322787e-1f);
    y = FMA(y, x, zero - 1.6668057665e-1f);
    y = FMA(y, x, zero + 2.0000714765e-1f);
    y = FMA(y, x, zero - 2.4999993993e-1f);
    y = FMA(y, x, zero + 3.3333331174e-1f);
    y = FMA(y * x, square, e * -2.12194440e-4f);
    y = FMA(-square, zero + 0.5f, y);
    return FMA(e, zero + 0.693359375f, x + y);
}

/* Sine and cosine for 0 <= x < 2 pi: x = j pi/4 + r with even j and |r| <= pi/4. */
TARGET static inline void NAME(sine_cosine)(f32v x, f32v *sine, f32v *cosine) {
    f32v zero = {0};
    i32v j = (__builtin_convertvector(x * 1.27323954473516f, i32v) + 1) & ~1;
    f32v k = __builtin_convertvector(j, f32v);
    f32v r = FMA(k, zero - 0.78515625f, x); /* pi/4 in three parts */
    r = FMA(k, zero - 2.4187564849853515625e-4f, r);
    r = FMA(k, zero - 3.77489497744594108e-8f, r);
    f32v z = r * r;
    f32v c = FMA(zero + 2.443315711809948e-5f, z, zero - 1.388731625493765e-3f);
    c = FMA(c, z, zero + 4.166664568298827e-2f);
    c = FMA(c * z, z, -(z * 0.5f)) + 1.0f;
    f32v s = FMA(zero - 1.9515295891e-4f, z, zero + 8.3321608736e-3f);
    s = FMA(s, z, zero - 1.6666654611e-1f);
    s = FMA(s * z, r, r);
    /* Odd quadrants swap the two; the sine is negative from half a turn on, the cosine from a
     * quarter to three quarters. */
    i32v swap = -((j >> 1) & 1), below = (j & 4) << 29, left = ~(j - 2) & 4;
    *sine = (f32v)((((i32v)c & swap) | ((i32v)s & ~swap)) ^ below);
    *cosine = (f32v)((((i32v)s & swap) | ((i32v)c & ~swap)) ^ (left << 29));
}

TARGET static void NAME(normal_f32)(float *at, int64_t groups, float mean, float std) {
    f32v zero = {0}, means = zero + mean, stds = zero + std;
    for (; groups > 0; groups--, at += GROUP) {
        f32v radius = ROOT(-2.0f * NAME(log_of)(1.0f - *(const f32v *)at)), sine, cosine;
        NAME(sine_cosine)((float)(2 * M_PI) * *(const f32v *)(at + LANES), &sine, &cosine);
        *(f32v *)at = FMA(radius * cosine, stds, means);
        *(f32v *)(at + LANES) = FMA(radius * sine, stds, means);
    }
}

/* Eight radii and eight angles are looked up, by words of which the lowest bits count. */
TARGET BODY void NAME(look_up_16)(const uint16_t *at, int mask, const nomen__normal_tables *t,
                                  f32v *x, f32v *y) {
    f32v radius, cosine, sine;
    look_up(&radius, t->radius, at, mask);
    look_up(&cosine, t->cosine, at + LANES, mask);
    look_up(&sine, t->sine, at + LANES, mask);
    *x = radius * cosine;
    *y = radius * sine;
}

/* Every step is rounded. */
TARGET BODY void NAME(stretch_bf16)(f32v x, float mean, float std, uint16_t *out) {
    round_to_bf16(&x);
    x *= std;
    round_to_bf16(&x);
    x += mean;
    store_bf16(&x, out);
}

/* The end is rounded. */
TARGET BODY void NAME(stretch_f16)(f32v x, float mean, float std, uint16_t *out) {
    const f32v zero = {0}, y = FMA(x, zero + std, zero + mean);
    store_f16(&y, out);
}

TARGET static void NAME(normal_16)(uint16_t *at, int64_t groups, nomen_dtype dtype,
                                   const nomen__normal_tables *t, float mean, float std) {
    f32v x, y;
    if (dtype == NOMEN_BF16)
        for (; groups > 0; groups--, at += GROUP) {
            NAME(look_up_16)(at, NOMEN__BF16_COUNT - 1, t, &x, &y);
            NAME(stretch_bf16)(x, mean, std, at);
            NAME(stretch_bf16)(y, mean, std, at + LANES);
        }
    else
        for (; groups > 0; groups--, at += GROUP) {
            NAME(look_up_16)(at, NOMEN__F16_COUNT - 1, t, &x, &y);
            NAME(stretch_f16)(x, mean, std, at);
            NAME(stretch_f16)(y, mean, std, at + LANES);
        }
}

TARGET static void NAME(scale_f32)(float *at, int64_t n, float width, float low) {
    const f32v zero = {0}, widths = zero + width, lows = zero + low;
    for (; n >= LANES; n -= LANES, at += LANES) *(f32v *)at = FMA(*(f32v *)at, widths, lows);
    for (; n > 0; n--, at++) *at = fmaf(*at, width, low);
}

TARGET static void NAME(scale_f64)(double *at, int64_t n, double width, double low) {
    const f64v zero = {0}, widths = zero + width, lows = zero + low;
    for (; n >= LANES64; n -= LANES64, at += LANES64)
        *(f64v *)at = FMA64(*(f64v *)at, widths, lows);
    for (; n > 0; n--, at++) *at = fma(*at, width, low);
}

#undef NAME
#undef TARGET
#undef FMA
#undef ROOT
#undef FMA64
