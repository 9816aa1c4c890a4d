/* Include-template: numbers as unsigned keys of the same order. NaN is the largest of all, all NaN
 * are equal, and so are the two zeros. Before: SFX, T (the element), U (unsigned, as wide), K (of
 * the key, at least as wide), WIDTH (of K in bits, for the name), KIND (0: unsigned, 1: signed,
 * 2: floating with INF, 3: bool). After: keys<WIDTH>_<SFX>, bare<WIDTH>_<SFX>, and of floating ones
 * odd<WIDTH>_<SFX>; all but K and WIDTH are undefined. */

static inline K ORDER_NAME(key, WIDTH, SFX)(U x) {
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
#if KIND == 0
    (void)sign;
    return x;
#elif KIND == 1
    return (U)(x ^ sign);
#elif KIND == 2
    const U size = (U)(x & (U)~sign), minus = (U)(0 - (x >> (8 * sizeof(U) - 1)));
    const U key = (U)((U)((U)(size ^ minus) - minus) ^ sign); /* size or -size: of zeros the same */
    return size > INF ? (U) ~(U)0 : key;
#else
    (void)sign;
    return x != 0;
#endif
}

/* Keys of n elements, each turned over by flip: ~0 (in the bits of the element) for descending
 * order. */
static void ORDER_NAME(keys, WIDTH, SFX)(void *keys, const char *in, int64_t step, int64_t n,
                                         uint64_t flip) {
    K *to = keys;
    if (step == (int64_t)sizeof(T)) {
        const T *from = (const T *)(const void *)in;
        for (int64_t i = 0; i < n; i++) {
            U x;
            memcpy(&x, from + i, sizeof x);
            to[i] = ORDER_NAME(key, WIDTH, SFX)(x) ^ (K)flip;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        U x;
        memcpy(&x, in + i * step, sizeof x);
        to[i] = ORDER_NAME(key, WIDTH, SFX)(x) ^ (K)flip;
    }
}

/* The numbers that n keys were made of. */
static void ORDER_NAME(bare, WIDTH, SFX)(char *to, int64_t to_step, const void *keys,
                                         int64_t keys_step, int64_t n, uint64_t flip) {
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    const K *from = keys;
    for (int64_t i = 0; i < n; i++) {
        const U key = (U)(from[i * keys_step] ^ (K)flip);
#if KIND == 1
        const U x = (U)(key ^ sign);
#elif KIND == 2
        const U x = (U)(key & sign ? key ^ sign : (U)(0 - key));
#else
        const U x = key;
        (void)sign;
#endif
        memcpy(to + i * to_step, &x, sizeof x);
    }
}

#if KIND == 2
/* Of sorted numbers the zeros and the NaN, whose keys do not say all of them, as they came. */
static void ORDER_NAME(odd, WIDTH, SFX)(char *to, int64_t to_step, const void *keys, int64_t n,
                                        uint64_t flip, const char *in, int64_t in_step) {
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    const K zero = (K)sign ^ (K)flip, nan = (K)(U) ~(U)0 ^ (K)flip, most = (K) ~(K)0;
    int64_t at[2] = {ORDER_NAME(below, WIDTH, k)(keys, n, zero),
                     ORDER_NAME(below, WIDTH, k)(keys, n, nan)};
    const int64_t end[2] = {ORDER_NAME(below, WIDTH, k)(keys, n, zero + 1),
                            nan == most ? n : ORDER_NAME(below, WIDTH, k)(keys, n, nan + 1)};
    if (at[0] == end[0] && at[1] == end[1]) return;
    for (int64_t i = 0; i < n; i++) {
        U x;
        memcpy(&x, in + i * in_step, sizeof x);
        const U size = (U)(x & (U)~sign);
        const bool is_nan = size > INF;
        if (size != 0 && !is_nan) continue;
        /* never beyond, should somebody write to the row meanwhile */
        if (at[is_nan] < end[is_nan]) memcpy(to + at[is_nan]++ * to_step, &x, sizeof x);
    }
}
#endif

#undef SFX
#undef T
#undef U
#undef KIND
#undef INF
