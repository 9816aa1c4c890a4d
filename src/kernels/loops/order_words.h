/* Part of order.c: elements of 64 bits, a key above its position, sorted by words of 32 bits: what
 * a key is above the least one, cut behind as many bits as there is room for, and below that the
 * number of the element. Of words a vector has twice as many, and AVX2 the lesser of two in one
 * instruction instead of three. Elements that differ only in what was cut off are put in order
 * afterwards; where that are many, whole elements go by the network.
 *
 * Limit: a step of the network for 16 elements takes a minimum, a maximum and what it loads and
 * stores; to make words and to fetch what they stand for takes as long as ten steps. */

/* Of the keys of n elements the least, and how far above it the greatest is. */
static inline uint32_t key_range(const uint64_t *a, int64_t n, uint32_t *low) {
    enum { W = level64_lanes };
    const uint64_t first = a[0] ^ SIGN;
    level64_k least = (level64_k)((some64_k){0} + first), most = least;
    int64_t i = 0, each[2][W];
    for (; i + W <= n; i += W) { /* what is below a key may be of another element */
        some64_k own;
        memcpy(&own, a + i, sizeof own);
        own ^= SIGN;
        least = (level64_k)v_lesser_i32((vi32)own, (vi32)least);
        most = (level64_k)v_greater_i32((vi32)own, (vi32)most);
    }
    memcpy(each[0], &least, sizeof least);
    memcpy(each[1], &most, sizeof most);
    int64_t lowest = each[0][0] >> 32, highest = each[1][0] >> 32;
    for (int l = 1; l < W; l++) {
        lowest = each[0][l] >> 32 < lowest ? each[0][l] >> 32 : lowest;
        highest = each[1][l] >> 32 > highest ? each[1][l] >> 32 : highest;
    }
    for (; i < n; i++) {
        const int64_t own = (int64_t)(a[i] ^ SIGN) >> 32;
        lowest = own < lowest ? own : lowest;
        highest = own > highest ? own : highest;
    }
    *low = (uint32_t)lowest ^ UINT32_C(1) << 31;
    return (uint32_t)(highest - lowest);
}

/* The words of n elements, and behind them what is greater, up to so many levels. */
static inline void words_of(level32_k *v, int64_t levels, const uint64_t *a, int64_t n,
                            uint32_t low, int lost, int places) {
    enum { W = level32_lanes, HALF = level64_lanes };
    const uint32_t sign = UINT32_C(1) << 31;
    int64_t i = 0;
    some32_k at;
    for (int l = 0; l < W; l++) at[l] = (uint32_t)l;
    for (; i + W <= n; i += W, at += W) {
        some64_k x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, a + i + HALF, sizeof y);
        const some32_k own = narrow_halves(x >> 32, y >> 32) - low;
        v[i / W] = (level32_k)((own >> lost << places | at) ^ sign);
    }
    int32_t *const words = (int32_t *)(void *)v;
    for (; i < n; i++)
        words[i] =
            (int32_t)((((uint32_t)(a[i] >> 32) - low) >> lost << places | (uint32_t)i) ^ sign);
    for (; i < levels * W; i++) words[i] = INT32_MAX;
}

/* What words in order stand for: each lane holds a run. */
static inline void words_fetch(uint64_t *to, const uint64_t *a, int64_t n, const level32_k *v,
                               int64_t levels, uint32_t mask) {
    enum { W = level32_lanes };
    for (int64_t i = 0; i < levels; i += W) {
        some32_k x[W];
#pragma GCC unroll 16
        for (int l = 0; l < W; l++) x[l] = (some32_k)v[i + l] & mask;
        v_turn_u32(x);
        for (int r = 0; r < W && r * levels + i < n; r++) {
            const int64_t at = r * levels + i, some = n - at < W ? n - at : W;
            uint32_t each[W];
            memcpy(each, &x[r], sizeof each);
            if (some == W)
#pragma GCC unroll 16
                for (int l = 0; l < W; l++) to[at + l] = a[each[l]];
            else
                for (int l = 0; l < some; l++) to[at + l] = a[each[l]];
        }
    }
}

/* Those from `from` to `end`, after those before; how many steps that takes. */
static int64_t words_insert(uint64_t *a, int64_t from, int64_t end) {
    int64_t steps = 0;
    for (int64_t i = from; i < end; i++) {
        const uint64_t own = a[i];
        int64_t to = i;
        for (; to > 0 && a[to - 1] > own; to--) a[to] = a[to - 1];
        a[to] = own;
        steps += i - to;
    }
    return steps;
}

/* Elements that are nearly in order. false: it takes too many steps. */
static inline bool words_settle(uint64_t *a, int64_t n) {
    enum { EACH = 2, AT_ONCE = 32 }; /* steps for each element; elements that are looked at */
    int64_t i = 1, left = EACH * n;
    for (; i + AT_ONCE <= n && left > 0; i += AT_ONCE) {
        uint64_t odd = 0;
        for (int64_t j = i; j < i + AT_ONCE; j++) odd |= a[j] < a[j - 1];
        if (odd) left -= words_insert(a, i, i + AT_ONCE);
    }
    return left > 0 && words_insert(a, i, n) < left;
}

/* One row of up to WIDE elements, which stays as it is. */
static APART bool sort_words(uint64_t *to, const uint64_t *a, int64_t n) {
    level32_k v[WIDE / level32_lanes];
    int64_t levels = 8;
    uint32_t low;
    while (levels * level32_lanes < n) levels *= 2;
    const uint32_t range = key_range(a, n, &low);
    const int places = n > 1 ? 64 - __builtin_clzll((uint64_t)n - 1) : 1, room = 32 - places,
              bits = 32 - __builtin_clz(range | 1), lost = bits > room ? bits - room : 0;
    words_of(v, levels, a, n, low, lost, places);
    across32_sort(v, levels);
    words_fetch(to, a, n, v, levels, (UINT32_C(1) << places) - 1);
    return words_settle(to, n);
}

/* The same, whatever the keys are. */
static void sort_some(uint64_t *to, uint64_t *a, int64_t n) {
    if (!sort_words(to, a, n)) sort_wide(to, a, n);
}

static void sort_here(uint64_t *a, uint64_t *spare, int64_t n) {
    memcpy(spare, a, sizeof *a * (size_t)n);
    sort_some(a, spare, n);
}
