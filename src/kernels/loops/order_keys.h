/* Include-template: numbers as unsigned keys of the same order. NaN is the largest of all, all NaN
 * are equal, and so are the two zeros. Before: SFX, T (the element), U (unsigned, as wide), K (of
 * the key, at least as wide), WIDTH (of K in bits, for the name), KIND (0: unsigned, 1: signed,
 * 2: floating with INF, 3: bool). After: keys<WIDTH>_<SFX>; all but K and WIDTH are undefined. */

static inline K ORDER_NAME(key, WIDTH, SFX)(U x) {
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
#if KIND == 0
    (void)sign;
    return x;
#elif KIND == 1
    return (U)(x ^ sign);
#elif KIND == 2
    const U size = (U)(x & (U)~sign);
    const U key = (U)(x & sign ? (U)~x : (U)(x | sign));
    return size > INF ? (U) ~(U)0 : size == 0 ? sign : key;
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

#undef SFX
#undef T
#undef U
#undef KIND
#undef INF
