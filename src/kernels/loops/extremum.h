/* Include-template: the best of the elements of a row, sought in lanes. Before: OP, SFX, F,
 * BETTER(a, b); VEC, a vector of F, and V_BETTER(a, b) of two, where compilers make no good ones;
 * SMALL of integers of 8 and 16 bits, of which V_BETTER and SFX are the names in simd/words.h; of
 * half types T and FETCH, too. After: FN(last_zero), FN(search_row), FN(search_halves) of half
 * types; VEC is undefined. */

/* Lanes that stay in registers beside as many for NaN. */
enum { FN(many) = EXTREMUM_LANES(F) };
#define BEST_OF_ALL LOOP_NAME2(LOOP_NAME2(V_BETTER, all), SFX)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare" /* of integers none is a NaN */

/* The best of n >= lanes numbers (of which none is a NaN; equal ones may be any of them), and
 * whether there is a NaN, which is then what comes out. */
static inline __attribute__((always_inline)) F FN(search)(const F *x, int64_t n, const int lanes,
                                                          bool *any) {
    F s[64] __attribute__((aligned(64))), nan[64] __attribute__((aligned(64)));
    const F *const last = x + n - lanes; /* some of them once more: no harm to an extremum */
    for (int l = 0; l < lanes; l++) s[l] = x[l], nan[l] = x[l] != x[l] ? x[l] : 0;
    /* Forwards to the end, as memory is fetched ahead. */
    while (x < last) {
        x = last - x > lanes ? x + lanes : last;
        /* Kept apart, so that each lane is a maximum and a comparison. */
        for (int l = 0; l < lanes; l++) {
            const F y = x[l];
            nan[l] = y != y ? y : nan[l];
            s[l] = BETTER(y, s[l]) ? y : s[l];
        }
    }
    /* A sum with a NaN is one; all the others are zeros. */
#pragma GCC unroll 8
    for (int w = lanes / 2; w; w /= 2)
        for (int l = 0; l < w; l++) {
            nan[l] = (F)(nan[l] + nan[l + w]);
            s[l] = BETTER(s[l + w], s[l]) ? s[l + w] : s[l];
        }
    *any = nan[0] != nan[0];
    return *any ? nan[0] : s[0];
}

#ifdef VEC
static inline VEC FN(at)(const F *x) {
    VEC v;
    memcpy(&v, x, sizeof v);
    return v;
}
#endif

#ifdef SMALL
/* The same of a vector of small integers or more: to join many lanes one by one would take longer
 * than rows of hundreds do. */
typedef LOOP_NAME2(all, SFX) FN(all);

static inline FN(all) FN(all_at)(const F *x) {
    FN(all) v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline F FN(search_small)(const F *x, int64_t n) {
    enum { W = VB / sizeof(F), VECTORS = 4, MANY = W * VECTORS, PARTS = VB / 16 };
    FN(all) s[VECTORS];
    const int64_t times = (n - 1) / MANY; /* besides the first; the last once more in part */
    if (times == 0) {
        s[0] = BEST_OF_ALL(FN(all_at)(x), FN(all_at)(x + n - W));
        for (int64_t j = W; j + W < n; j += W) s[0] = BEST_OF_ALL(FN(all_at)(x + j), s[0]);
    } else {
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) s[v] = FN(all_at)(x + v * W);
        for (int64_t i = 1; i <= times; i++) {
            const F *const y = x + (i < times ? i * MANY : n - MANY);
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) s[v] = BEST_OF_ALL(FN(all_at)(y + v * W), s[v]);
        }
        s[0] = BEST_OF_ALL(BEST_OF_ALL(s[0], s[1]), BEST_OF_ALL(s[2], s[3]));
    }
    LOOP_NAME2(some, SFX) part[PARTS];
    memcpy(part, &s[0], sizeof part);
#pragma GCC unroll 4
    for (int half = PARTS / 2; half; half /= 2)
        for (int k = 0; k < half; k++) part[k] = LOOP_NAME2(V_BETTER, SFX)(part[k], part[k + half]);
    /* The better the less, without a sign. */
    const F sign = (F)-1 < 0 ? (F)((F)1 << (8 * sizeof(F) - 1)) : 0;
    const F turn = (F)(sign ^ (BETTER(1, 0) ? (F)-1 : 0));
    return (F)((F)some_least((some_u8)(part[0] ^ turn), sizeof(F)) ^ turn);
}
#endif

/* The same of n >= 8 numbers, in as many lanes as they fill: of zeros any. */
static inline F FN(search_lanes)(const F *x, int64_t n, bool *any) {
#ifdef SMALL
    *any = false;
    if (n >= VB / (int)sizeof(F)) return FN(search_small)(x, n);
#endif
    if (n < FN(many)) return FN(search)(x, n, 8, any);
#ifdef VEC /* compilers leave lanes in memory, or jump where one is a NaN */
    enum { W = VB / sizeof(F), VECTORS = FN(many) / W };
    const int64_t times = (n - 1) / FN(many); /* besides the first; the last once more in part */
    VEC s[VECTORS], nan[VECTORS];
    F each[W] __attribute__((aligned(64)));
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) {
        s[v] = FN(at)(x + v * W);
        nan[v] = v_nans(s[v], (VEC){0});
    }
    for (int64_t i = 1; i <= times; i++) {
        /* from i: no load waits for the address of the one before */
        const F *const y = x + (i < times ? i * FN(many) : n - FN(many));
#pragma GCC unroll 8
        for (int v = 0; v < VECTORS; v++) {
            const VEC one = FN(at)(y + v * W);
            nan[v] = v_nans(one, nan[v]);
            s[v] = V_BETTER(one, s[v]);
        }
    }
#pragma GCC unroll 8
    for (int half = VECTORS / 2; half; half /= 2)
#pragma GCC unroll 8
        for (int v = 0; v < half; v++) {
            s[v] = V_BETTER(s[v + half], s[v]);
            nan[v] = v_nans(nan[v + half], nan[v]);
        }
    *any = v_any32((vi32)(nan[0] != nan[0]));
    if (*any) {
        while (*x == *x) x++;
        return *x;
    }
    memcpy(each, &s[0], sizeof each);
#pragma GCC unroll 8
    for (int w = (int)W / 2; w; w /= 2)
        for (int l = 0; l < w; l++) each[l] = BETTER(each[l + w], each[l]) ? each[l + w] : each[l];
    return each[0];
#else
    return FN(search)(x, n, FN(many), any);
#endif
}
#undef VEC
#undef BEST_OF_ALL

/* Which zero is found depends on the lanes, and these on the instruction set: it is the last, as
 * where columns are joined. */
static inline F FN(last_zero)(const F *x, int64_t n, F found) {
    if (found == 0 && (F)0.5 != 0)
        for (x += n - 1, found = *x; found != 0;) found = *--x;
    return found;
}

static inline F FN(search_row)(const F *x, int64_t n, bool *any) {
    return FN(last_zero)(x, n, FN(search_lanes)(x, n, any));
}

#ifdef FETCH
/* The same of n >= 64 numbers as they are stored, or NaN. As integers they are in order when all
 * bits of negative ones but the first are turned over; what is greater than infinity is a NaN. */
static inline float FN(search_halves)(const T *x, int64_t n) {
    enum { HALVES = 64 };
    int16_t s[HALVES] __attribute__((aligned(64))), size[HALVES] __attribute__((aligned(64)));
    const T *const last = x + n - HALVES; /* some of them once more: no harm to an extremum */
    for (int l = 0; l < HALVES; l++) {
        s[l] = (int16_t)(x[l] ^ ((uint16_t)((int16_t)x[l] >> 15) >> 1));
        size[l] = (int16_t)(x[l] & 0x7fff);
    }
    while (x < last) {
        x = last - x > HALVES ? x + HALVES : last;
        for (int l = 0; l < HALVES; l++) {
            const int16_t y = (int16_t)(x[l] ^ ((uint16_t)((int16_t)x[l] >> 15) >> 1));
            const int16_t z = (int16_t)(x[l] & 0x7fff);
            s[l] = BETTER(y, s[l]) ? y : s[l];
            size[l] = z > size[l] ? z : size[l];
        }
    }
#pragma GCC unroll 8
    for (int w = HALVES / 2; w; w /= 2)
        for (int l = 0; l < w; l++) {
            s[l] = BETTER(s[l + w], s[l]) ? s[l + w] : s[l];
            size[l] = size[l + w] > size[l] ? size[l + w] : size[l];
        }
    const float largest = FETCH((T)size[0]);
    return largest != largest ? largest : FETCH((T)(s[0] ^ ((uint16_t)(s[0] >> 15) >> 1)));
}
#endif

#pragma GCC diagnostic pop
