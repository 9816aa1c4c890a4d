/* Include-template: two looks at a row of numbers as they lie, by which its first few are found
 * without making a key of each. Before: SFX, T, U (unsigned, as wide), VEC (of T), VEC_I (signed,
 * as wide), V_LESSER(a, b) and V_GREATER(a, b), the second one where the first is NaN, BITS_OF(m)
 * (of the masks of 32 lanes), LOWEST and HIGHEST (no number is beyond) and FLOATS (0 or 1). After:
 * scan_<SFX>; all of them are undefined. */

#define FN(what)            FN2(what, SFX)
#define FN2(what, sfx)      FN3(what, sfx)
#define FN3(what, sfx)      scan_##what##_##sfx
#define BETTER(own, before) (descending ? V_GREATER(own, before) : V_LESSER(own, before))

enum { FN(w) = VB / sizeof(T), FN(lanes) = SCAN_VECTORS * FN(w) };

static inline __attribute__((always_inline)) VEC FN(at)(const T *x) {
    VEC v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The last `left` numbers of a row, fewer than a vector has, and before them `worst`. */
static inline __attribute__((always_inline)) VEC FN(last)(const T *x, int64_t n, int64_t left,
                                                          T worst) {
    VEC_I own, chosen;
    memcpy(&own, x + n - FN(w), sizeof own);
    memcpy(&chosen, scan_last + left * (int64_t)sizeof *x, sizeof chosen);
    const VEC others = (VEC){0} + worst;
    return (VEC)((own & chosen) | ((VEC_I)others & ~chosen));
}

/* Keys in unsigned order. */
static inline __attribute__((always_inline)) void FN(put_keys)(U *to, VEC x,
                                                               const bool descending) {
    enum { BITS = 8 * sizeof(T) - 1 };
    typedef __typeof__((VEC_I){0}[0]) number;
    const number sign = (number)((U)1 << BITS);
    VEC_I key = (VEC_I)x ^ sign;
    if (FLOATS) {
        const VEC_I minus = (VEC_I)x >> BITS;
        key = ((((VEC_I)x & ~sign) ^ minus) - minus) ^ sign;
    }
    if (descending) key = ~key;
    memcpy(to, &key, sizeof key);
}

/* The keys of the best of so many groups of a row, at least a vector, at most n; each number is in
 * one of them. NaN is never the best; a group of nothing else has the worst of all. */
static inline __attribute__((always_inline)) void
FN(best)(U *to, const T *x, int64_t n, const int64_t groups, const bool descending) {
    enum { W = FN(w), LANES_OF = FN(lanes), VECTORS = SCAN_VECTORS };
    const int64_t sets = groups > LANES_OF ? groups / LANES_OF : 1, whole = n / LANES_OF * LANES_OF;
    const T worst = descending ? LOWEST : HIGHEST;
    for (int64_t s = 0; s < sets; s++, to += LANES_OF) {
        VEC best[VECTORS];
        int64_t i = s * LANES_OF;
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) best[v] = (VEC){0} + worst;
        for (; i < whole; i += sets * LANES_OF)
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) best[v] = BETTER(FN(at)(x + i + v * W), best[v]);
        if (s == sets - 1) {
            i = whole;
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS - 1; v++)
                if (i + W <= n) {
                    best[v] = BETTER(FN(at)(x + i), best[v]);
                    i += W;
                }
            if (i < n) best[VECTORS - 1] = BETTER(FN(last)(x, n, n - i, worst), best[VECTORS - 1]);
        }
        if (groups <= 2 * W) {
            best[0] = BETTER(best[2], best[0]);
            best[1] = BETTER(best[3], best[1]);
        }
        if (groups <= W) best[0] = BETTER(best[1], best[0]);
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            if (v * W < groups) FN(put_keys)(to + v * W, best[v], descending);
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare" /* of integers none is a NaN */

/* The best of n numbers, at least as many as all lanes, and whether any is NaN, which counts where
 * it descends. */
static inline __attribute__((always_inline)) T FN(best_one)(const T *x, int64_t n, bool *any,
                                                            const bool descending) {
    enum { W = FN(w), LANES_OF = FN(lanes), VECTORS = SCAN_VECTORS };
    const T worst = descending ? LOWEST : HIGHEST;
    const int64_t last = n - LANES_OF;
    VEC best[VECTORS];
    VEC_I nan[VECTORS];
    T each[W];
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; v++) {
        best[v] = (VEC){0} + worst;
        nan[v] = (VEC_I){0};
    }
    for (int64_t i = 0; i < n; i += LANES_OF) {
        i = i < last ? i : last; /* some once more */
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) {
            const VEC own = FN(at)(x + i + v * W);
            best[v] = BETTER(own, best[v]);
            if (FLOATS && descending) nan[v] |= own != own;
        }
    }
    *any = FLOATS && descending && v_any32((vi32)(nan[0] | nan[1] | nan[2] | nan[3]));
    best[0] = BETTER(BETTER(best[0], best[1]), BETTER(best[2], best[3]));
    memcpy(each, &best[0], sizeof each);
#pragma GCC unroll 8
    for (int w = W / 2; w; w /= 2)
        for (int l = 0; l < w; l++) {
            const bool better = descending ? each[l + w] > each[l] : each[l + w] < each[l];
            each[l] = better ? each[l + w] : each[l];
        }
    return each[0];
}

/* Which of 32 numbers are a certain one. */
static inline __attribute__((always_inline)) uint32_t FN(same)(const T *x, VEC found) {
    enum { W = FN(w), VECTORS = 32 / W };
#if PACK_FAST
    uint32_t bits = 0;
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; v++) bits |= PACK_SAME(FN(at)(x + v * W), found) << v * W;
    return bits;
#else
    VEC_I same[VECTORS];
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) same[v] = FN(at)(x + v * W) == found;
    return BITS_OF(same);
#endif
}

/* The position of the first of n numbers in order: of NaN where it descends, else of the best,
 * which no NaN is, if there is another. */
static inline __attribute__((always_inline)) int64_t FN(first)(const T *x, int64_t n,
                                                               const bool descending) {
    bool any;
    const T best = FN(best_one)(x, n, &any, descending);
    const VEC found = (VEC){0} + best;
    int64_t i = 0;
    for (; !any && i + 32 <= n; i += 32) {
        const uint32_t bits = FN(same)(x + i, found);
        if (bits) return i + __builtin_ctz(bits);
    }
    for (; i < n; i++)
        if (any ? x[i] != x[i] : x[i] == best) return i;
    return 0;
}

/* The best of each lane of tiles; the last tile may have fewer vectors, and there lanes without a
 * number, which have the worst of all. A NaN counts where it descends: a lane with one has a NaN,
 * and so may one with infinities of both signs. */
static inline __attribute__((always_inline)) void
FN(tiles)(T *to, const T *x, int64_t n, const int64_t tile, const bool descending) {
    enum { W = FN(w), VECTORS = SCAN_VECTORS };
    const T worst = descending ? LOWEST : HIGHEST;
    for (int64_t i = 0; i < n; i += tile * W, to += W) {
        VEC best[VECTORS], sum[VECTORS];
        const int64_t vectors = (n - i) / W < tile ? (n - i) / W : tile;
        int64_t j = 0;
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) {
            best[v] = (VEC){0} + worst;
            sum[v] = (VEC){0};
        }
        for (; j + VECTORS <= vectors; j += VECTORS)
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) {
                const VEC own = FN(at)(x + i + (j + v) * W);
                best[v] = BETTER(own, best[v]);
                if (FLOATS && descending) sum[v] += own;
            }
        for (; j < vectors; j++) {
            const VEC own = FN(at)(x + i + j * W);
            best[0] = BETTER(own, best[0]);
            if (FLOATS && descending) sum[0] += own;
        }
        if (j < tile && i + j * W < n) { /* each in its lane */
            VEC own = (VEC){0} + worst;
            memcpy(&own, x + i + j * W, sizeof *x * (size_t)(n - i - j * W));
            best[1] = BETTER(own, best[1]);
            if (FLOATS && descending) sum[1] += own;
        }
        best[0] = BETTER(BETTER(best[0], best[1]), BETTER(best[2], best[3]));
        if (FLOATS && descending) {
            const VEC all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
            const VEC_I odd = (VEC_I)(all != all);
            best[0] = (VEC)(((VEC_I)all & odd) | ((VEC_I)best[0] & ~odd));
        }
        memcpy(to, &best[0], sizeof best[0]);
    }
}

#pragma GCC diagnostic pop

static APART void FN(firsts)(void *places, const char *in, int64_t in_row, int64_t rows, int64_t n,
                             bool descending) {
    U *to = places;
    for (int64_t r = 0; r < rows; r++, in += in_row) {
        const T *x = (const T *)(const void *)in;
        to[r] = (U)(descending ? FN(first)(x, n, true) : FN(first)(x, n, false));
    }
}

/* Which of 32 numbers are beyond a bound: NaN never is. */
static inline __attribute__((always_inline)) uint32_t FN(beyond)(const T *x, VEC limit,
                                                                 const bool descending) {
    enum { W = FN(w), VECTORS = 32 / W };
#if PACK_FAST
    uint32_t bits = 0;
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; v++) {
        const VEC own = FN(at)(x + v * W);
        bits |= (descending ? PACK_LESS(own, limit) : PACK_LESS(limit, own)) << v * W;
    }
    return bits;
#else
    VEC_I beyond[VECTORS];
#pragma GCC unroll 16
    for (int v = 0; v < VECTORS; v++) {
        const VEC own = FN(at)(x + v * W);
        beyond[v] = descending ? own < limit : own > limit;
    }
    return BITS_OF(beyond);
#endif
}

/* The positions of all that may not be beyond a bound, until there are more than `most`: how many.
 * There is room for SCAN_MORE more than `most`. */
static inline __attribute__((always_inline)) int64_t FN(places)(uint32_t *to, const T *x, int64_t n,
                                                                T bound, int64_t count,
                                                                int64_t most,
                                                                const bool descending) {
    const VEC limit = (VEC){0} + bound;
    const int64_t sure = 2 + 96 * count / n; /* of 64: one and a half times as many as are wanted */
    int64_t found = 0, i = 0;
    for (; i + 64 <= n && found <= most; i += 64) {
        const uint64_t low = FN(beyond)(x + i, limit, descending),
                       high = FN(beyond)(x + i + 32, limit, descending);
        found += pack_bits(to + found, ~(high << 32 | low), i, sure);
    }
    if (found > most || i == n) return found;
    uint64_t beyond = 0;
    const int64_t left = n - i;
    if (left >= 32) beyond = FN(beyond)(x + i, limit, descending);
    if (left & 31) /* what comes before is shifted out */
        beyond |= (uint64_t)(FN(beyond)(x + n - 32, limit, descending) >> (32 - (left & 31)))
                  << (left & 32);
    return found + pack_bits(to + found, ~beyond & ((UINT64_C(1) << left) - 1), i, sure);
}

static APART void FN(best_of)(void *to, const char *row, int64_t n, int64_t groups,
                              bool descending) {
    const T *x = (const T *)(const void *)row;
    if (descending)
        FN(best)(to, x, n, groups, true);
    else
        FN(best)(to, x, n, groups, false);
}

static APART int64_t FN(places_of)(uint32_t *to, const char *row, int64_t n, const void *bound,
                                   int64_t count, int64_t most, bool descending) {
    const T *x = (const T *)(const void *)row;
    T limit;
    memcpy(&limit, bound, sizeof limit);
    return descending ? FN(places)(to, x, n, limit, count, most, true)
                      : FN(places)(to, x, n, limit, count, most, false);
}

/* The positions of all in some lanes of tiles that may not be beyond a bound, until there are more
 * than `most`: how many. */
static inline __attribute__((always_inline)) int64_t FN(members)(uint32_t *to, const T *x,
                                                                 int64_t n, int64_t tile,
                                                                 const uint32_t *of, int64_t count,
                                                                 T bound, int64_t most,
                                                                 const bool descending) {
    enum { W = FN(w) };
    int64_t found = 0;
    for (int64_t g = 0; g < count; g++) {
        const int64_t first = of[g] / W * tile * W + of[g] % W;
        const int64_t end = first + tile * W < n ? first + tile * W : n;
        for (int64_t i = first; i < end && found <= most; i += W) {
            to[found] = (uint32_t)i;
            found += descending ? !(x[i] < bound) : !(x[i] > bound);
        }
    }
    return found;
}

static APART void FN(tiles_of)(void *to, const char *row, int64_t n, int64_t tile,
                               bool descending) {
    const T *x = (const T *)(const void *)row;
    if (descending)
        FN(tiles)(to, x, n, tile, true);
    else
        FN(tiles)(to, x, n, tile, false);
}

static APART int64_t FN(members_of)(uint32_t *to, const char *row, int64_t n, int64_t tile,
                                    const uint32_t *of, int64_t count, const void *bound,
                                    int64_t most, bool descending) {
    const T *x = (const T *)(const void *)row;
    T limit;
    memcpy(&limit, bound, sizeof limit);
    return descending ? FN(members)(to, x, n, tile, of, count, limit, most, true)
                      : FN(members)(to, x, n, tile, of, count, limit, most, false);
}

static const order_scan FN(looks) = {FN(best_of), FN(places_of), FN(tiles_of), FN(members_of),
                                     FN(firsts)};

#undef FN
#undef FN2
#undef FN3
#undef BETTER
#undef SFX
#undef T
#undef U
#undef VEC
#undef VEC_I
#undef V_LESSER
#undef V_GREATER
#undef BITS_OF
#undef LOWEST
#undef HIGHEST
#undef FLOATS
