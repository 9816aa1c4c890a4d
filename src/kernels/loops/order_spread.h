/* Part of order.c: more elements of 64 bits, a key above its position, than a network takes. They
 * are spread over parts by where their keys lie between the least and the greatest, and a network
 * sorts each part; where many keys lie close to each other a part is spread again, by what is left
 * of its range, of which each time takes 12 bits.
 *
 * Limit: an element goes to one of some hundred places, about 1.3 ns as for a digit of 8 bits, of
 * which a key of 32 bits has four; a network takes about as long for a part that L1 holds. */

/* A key is in one of so many bins, a part is one bin or more, of about so many elements. */
enum {
    SPREAD_BITS = 12,
    SPREAD_BINS = 1 << SPREAD_BITS,
    SPREAD_PART = VB == 32 ? 1024 : 2048,
    SPREAD_PARTS = 512
};

/* The first and the second half of a row have counters of their own: those of one wait for
 * themselves where neighbours go to the same part. */
typedef uint32_t spread_bins[2][SPREAD_BINS];

static inline uint32_t spread_bin(uint64_t element, uint32_t low, int shift) {
    return ((uint32_t)(element >> 32) - low) >> shift;
}

static void spread_count(spread_bins bins, const uint64_t *a, int64_t n, uint32_t low, int shift) {
    const int64_t half = n / 2;
    for (int64_t i = 0; i < half; i++) {
        bins[0][spread_bin(a[i], low, shift)]++;
        bins[1][spread_bin(a[half + i], low, shift)]++;
    }
    if (2 * half < n) bins[1][spread_bin(a[n - 1], low, shift)]++;
}

/* Where parts of n elements begin, and where those of each half go next: how many parts there are.
 * of: bin -> part. */
static int spread_parts(uint32_t start[SPREAD_PARTS + 1], uint32_t next[2][SPREAD_PARTS],
                        uint16_t of[SPREAD_BINS], spread_bins bins, int64_t n) {
    const int64_t even = n / (SPREAD_PARTS / 2), size = even > SPREAD_PART ? even : SPREAD_PART;
    int64_t all = 0, here = 0, first = 0;
    int part = 0;
    start[0] = next[0][0] = 0;
    for (int b = 0; b < SPREAD_BINS; b++) {
        const int64_t some = (int64_t)bins[0][b] + bins[1][b];
        if (here && here + some > size && part < SPREAD_PARTS - 1) {
            next[1][part] = start[part] + (uint32_t)first;
            start[++part] = (uint32_t)all;
            next[0][part] = (uint32_t)all;
            here = first = 0;
        }
        of[b] = (uint16_t)part;
        first += bins[0][b];
        here += some;
        all += some;
    }
    next[1][part] = start[part] + (uint32_t)first;
    start[++part] = (uint32_t)n;
    return part;
}

/* All elements to their parts; 0 parts: it has been stopped. */
static APART int spread_over(uint64_t *restrict to, const uint64_t *restrict a, int64_t n,
                             uint32_t low, int shift, uint32_t start[SPREAD_PARTS + 1]) {
    spread_bins bins = {{0}};
    uint32_t next[2][SPREAD_PARTS];
    uint16_t of[SPREAD_BINS];
    spread_count(bins, a, n, low, shift);
    const int parts = spread_parts(start, next, of, bins, n);
    const int64_t half = n / 2;
    for (int64_t i = 0, end; i < half; i = end) {
        if (i && nomen__kernel_stopped()) return 0;
        end = half - i < NOMEN__LONG_ROW ? half : i + NOMEN__LONG_ROW;
        for (int64_t j = i; j < end; j++) {
            const uint64_t one = a[j], other = a[half + j];
            to[next[0][of[spread_bin(one, low, shift)]]++] = one;
            to[next[1][of[spread_bin(other, low, shift)]]++] = other;
        }
    }
    if (2 * half < n) to[next[1][of[spread_bin(a[n - 1], low, shift)]]] = a[n - 1];
    return parts;
}

static void sort_spread(uint64_t *a, uint64_t *spare, int64_t n) {
    uint32_t start[SPREAD_PARTS + 1];
    uint32_t low;
    const uint32_t range = key_range(a, n, &low);
    if ((low ^ (low + range)) < 1 << 16) { /* two digits at most */
        radix32_e(a, spare, n);
        return;
    }
    const int bits = 32 - __builtin_clz(range);
    const int parts =
        spread_over(spare, a, n, low, bits > SPREAD_BITS ? bits - SPREAD_BITS : 0, start);
    for (int p = 0; p < parts; p++) {
        const int64_t first = start[p], some = (int64_t)start[p + 1] - first;
        if (!some) continue; /* bins behind one that is a part by itself may be empty */
        if (some <= WIDE) {
            sort_some(a + first, spare + first, some);
            continue;
        }
        memcpy(a + first, spare + first, sizeof *a * (size_t)some);
        sort_spread(a + first, spare + first, some);
    }
}
