/* Part of random_loops.h: what fuses multiplications with additions; most of it is Box-Muller in
 * float on groups of 16, bit for bit as PyTorch 1.13 does it. Logarithm, sine and cosine are the
 * polynomials of Moshier's Cephes library in the order and with the fusions of PyTorch's build,
 * since every rounding shows in what comes out. */

/* log u for normal u > 0: u = 2^e m with m in [sqrt(1/2), sqrt(2)). */
BODY f32v log_of(f32v u) {
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
BODY void sine_cosine(f32v x, f32v *sine, f32v *cosine) {
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

/* A vector is half of one group or of two: 8 radii each, and 8 angles. */
enum { HALF = GROUP / 2, AT_A_TIME = LANES / HALF };

#if LANES == 16 /* `second`: where the other group is, which may be the same one */
typedef float f32half __attribute__((vector_size(4 * HALF), aligned(4), may_alias));
BODY f32v load_half(const float *at, int second) {
    const f32half a = *(const f32half *)at, b = *(const f32half *)(at + second);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
BODY void store_half(float *at, int second, f32v x) {
    *(f32half *)at = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
    *(f32half *)(at + second) = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}
#else
BODY f32v load_half(const float *at, int second) {
    (void)second;
    return *(const f32v *)at;
}
BODY void store_half(float *at, int second, f32v x) {
    (void)second;
    *(f32v *)at = x;
}
#endif

BODY void normal_group(float *at, int second, float mean, float std) {
    const f32v zero = {0}, means = zero + mean, stds = zero + std;
    f32v radius = ROOT(-2.0f * log_of(1.0f - load_half(at, second))), sine, cosine;
    sine_cosine((float)(2 * M_PI) * load_half(at + HALF, second), &sine, &cosine);
    store_half(at, second, FMA(radius * cosine, stds, means));
    store_half(at + HALF, second, FMA(radius * sine, stds, means));
}

TARGET static void normal_f32(float *at, int64_t groups, float mean, float std) {
    for (; groups >= AT_A_TIME; groups -= AT_A_TIME, at += AT_A_TIME * GROUP)
        normal_group(at, GROUP, mean, std);
    if (groups > 0) normal_group(at, 0, mean, std);
}

/* The same of 16-bit floats: radii and angles are looked up, by words of which the lowest bits
 * count. */
BODY f32v look_up(const float *table, const uint16_t *at, int mask) {
    /* Named one by one they go into the vector without a way through memory. */
    return (f32v){
        table[at[0] & mask],         table[at[1] & mask],         table[at[2] & mask],
        table[at[3] & mask],         table[at[4] & mask],         table[at[5] & mask],
        table[at[6] & mask],         table[at[7] & mask],
#if LANES == 16
        table[at[GROUP] & mask],     table[at[GROUP + 1] & mask], table[at[GROUP + 2] & mask],
        table[at[GROUP + 3] & mask], table[at[GROUP + 4] & mask], table[at[GROUP + 5] & mask],
        table[at[GROUP + 6] & mask], table[at[GROUP + 7] & mask],
#endif
    };
}

/* Every step is rounded. */
BODY f32v round_to_bf16(f32v value) { return (f32v)(bf16_from(value) << 16); }
BODY u32v stretch_bf16(f32v x, float mean, float std) {
    return bf16_from(round_to_bf16(round_to_bf16(x) * std) + mean);
}
/* The end is rounded. */
BODY f32v stretch_f16(f32v x, float mean, float std) {
    const f32v zero = {0};
    return one_nan(FMA(x, zero + std, zero + mean));
}

BODY void normal_group_16(uint16_t *at, nomen_dtype dtype, const nomen__normal_tables *t,
                          float mean, float std) {
    const bool brain = dtype == NOMEN_BF16;
    const int mask = (brain ? NOMEN__BF16_COUNT : NOMEN__F16_COUNT) - 1;
    const f32v radius = look_up(t->radius, at, mask);
    const f32v x = radius * look_up(t->cosine, at + HALF, mask);
    const f32v y = radius * look_up(t->sine, at + HALF, mask);
    uint16_t made[2 * LANES];
    char *const to = (char *)(AT_A_TIME > 1 ? made : at);
    if (brain)
        store_16(stretch_bf16(x, mean, std), stretch_bf16(y, mean, std), to);
    else
        store_f16(stretch_f16(x, mean, std), stretch_f16(y, mean, std), to);
    for (int k = 0; k < 2 * AT_A_TIME && AT_A_TIME > 1; k++) /* radii of all groups come first */
        memcpy(at + k % AT_A_TIME * GROUP + k / AT_A_TIME * HALF, made + k * HALF,
               sizeof(uint16_t[HALF]));
}

/* With the dtype as a constant nothing is decided in the loop. */
BODY void normal_groups_of(uint16_t *at, int64_t groups, nomen_dtype dtype,
                           const nomen__normal_tables *t, float mean, float std) {
    for (; groups >= AT_A_TIME; groups -= AT_A_TIME, at += AT_A_TIME * GROUP)
        normal_group_16(at, dtype, t, mean, std);
    if (groups > 0) {
        uint16_t two[AT_A_TIME * GROUP] = {0};
        memcpy(two, at, sizeof(uint16_t[GROUP]));
        normal_group_16(two, dtype, t, mean, std);
        memcpy(at, two, sizeof(uint16_t[GROUP]));
    }
}

TARGET static void normal_16(uint16_t *at, int64_t groups, nomen_dtype dtype,
                             const nomen__normal_tables *t, float mean, float std) {
    if (dtype == NOMEN_BF16)
        normal_groups_of(at, groups, NOMEN_BF16, t, mean, std);
    else
        normal_groups_of(at, groups, NOMEN_F16, t, mean, std);
}
