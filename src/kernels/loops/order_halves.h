/* Part of order.c: keys of 64 bits sorted by their halves, as elements of 32-bit keys with their
 * positions: half the bytes to move and half the digits where no two keys share the upper half,
 * and where all bits that vary are in one half, nothing else to do. Keys lie `step` numbers apart.
 */

/* Runs of a that are alike above their positions, sorted by the `low` bits below. */
static void sort_runs(uint64_t *a, uint64_t *spare, const uint64_t *keys, const int step, int64_t n,
                      int low) {
    const uint64_t below = (UINT64_C(1) << low) - 1;
    const int left = low > 32 ? low - 32 : 0;
    int64_t asked = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        const uint64_t half = a[i] >> 32;
        for (end = i + 1; end < n && a[end] >> 32 == half;) end++;
        if (end - i == 1) continue;
        for (int64_t j = i; j < end; j++) {
            const uint64_t at = a[j] & UINT32_MAX;
            a[j] = (keys[(int64_t)at * step] & below) >> left << 32 | at;
        }
        sort32_e(a + i, spare, end - i);
        if (left) sort_runs(a + i, spare, keys, step, end - i, left);
        if (end - asked <= NOMEN__LONG_ROW) continue;
        if (nomen__kernel_stopped()) return; /* a is some order of the positions */
        asked = end;
    }
}

/* The bits in which n keys differ. */
static inline uint64_t bits_that_vary(const uint64_t *keys, const int step, int64_t n) {
    uint64_t varying = 0;
    for (int64_t i = 0; i < n; i++) varying |= keys[i * step] ^ keys[0];
    return varying;
}

/* So many bits tell most of n keys apart: the more, the less evenly they may lie. */
static inline int bits_for(int64_t n) { return n <= 2048 ? 24 : 32; }

/* a: n < 2^32 elements, of which the lower halves become the positions of the keys in order. They
 * are sorted by the first `bits` of those that vary, then by what is left. If only lower halves
 * vary, the upper ones become these. */
static void sort_halves(uint64_t *a, uint64_t *spare, const uint64_t *keys, const int step,
                        int64_t n, uint64_t varying, int bits) {
    const int low = varying >> 32 ? 64 - __builtin_clzll(varying) - bits : 0;
    for (int64_t i = 0; i < n; i++) a[i] = keys[i * step] >> low << 32 | (uint64_t)i;
    sort32_e(a, spare, n);
    if (low) sort_runs(a, spare, keys, step, n, low);
}

/* The same for keys with their positions, which are put in order. spare: room for as many. */
static void sort_pairs(order_pair *a, order_pair *spare, int64_t n) {
    uint64_t *made = (uint64_t *)(void *)spare, *keys = made + n;
    const int step = (int)(sizeof *a / sizeof a->key);
    sort_halves(made, keys, &a->key, step, n, bits_that_vary(&a->key, step, n), bits_for(n));
    for (int64_t i = 0; i < n; i++) {
        const order_pair *from = a + (made[i] & UINT32_MAX);
        keys[i] = from->key;
        made[i] = (uint64_t)from->at;
    }
    for (int64_t i = 0; i < n; i++) a[i] = (order_pair){keys[i], (int64_t)made[i]};
}
