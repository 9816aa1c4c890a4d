/* Part of order.c: more elements of 64 bits, a key above its position, than a network takes. They
 * are spread over parts by where their keys lie between the least and the greatest, and a network
 * sorts each part; where many keys lie close to each other a part is spread again, by what is left
 * of its range, of which each time takes 12 bits.
 *
 * Limit: an element goes to one of some hundred places, about 1.3 ns as for a digit of 8 bits, of
 * which a key of 32 bits has four; a network takes about as long for a part that L1 holds. */

/* A key is in one of so many bins, a part is one bin or more, of about so many elements. */
enum { SPREAD_BITS = 12, SPREAD_BINS = 1 << SPREAD_BITS, SPREAD_PART = 2048, SPREAD_PARTS = 512 };

/* Where parts of n elements, which bins are counted of, begin: how many there are. of: bin -> part.
 */
static int spread_parts(uint32_t start[SPREAD_PARTS + 1], uint16_t of[SPREAD_BINS],
                        const uint32_t bins[SPREAD_BINS], int64_t n) {
    const int64_t even = n / (SPREAD_PARTS / 2), size = even > SPREAD_PART ? even : SPREAD_PART;
    int64_t all = 0, here = 0;
    int part = 0;
    start[0] = 0;
    for (int b = 0; b < SPREAD_BINS; b++) {
        if (here && here + bins[b] > size && part < SPREAD_PARTS - 1) {
            start[++part] = (uint32_t)all;
            here = 0;
        }
        of[b] = (uint16_t)part;
        here += bins[b];
        all += bins[b];
    }
    start[++part] = (uint32_t)n;
    return part;
}

/* All elements to their parts; 0 parts: it has been stopped. */
static APART int spread_over(uint64_t *to, const uint64_t *a, int64_t n, uint32_t low, int shift,
                             uint32_t start[SPREAD_PARTS + 1]) {
    uint32_t bins[SPREAD_BINS] = {0}, next[SPREAD_PARTS];
    uint16_t of[SPREAD_BINS];
    for (int64_t i = 0; i < n; i++) bins[((uint32_t)(a[i] >> 32) - low) >> shift]++;
    const int parts = spread_parts(start, of, bins, n);
    memcpy(next, start, sizeof *next * (size_t)parts);
    for (int64_t i = 0, end; i < n; i = end) {
        if (i && nomen__kernel_stopped()) return 0;
        end = n - i < NOMEN__LONG_ROW ? n : i + NOMEN__LONG_ROW;
        for (int64_t j = i; j < end; j++)
            to[next[of[((uint32_t)(a[j] >> 32) - low) >> shift]]++] = a[j];
    }
    return parts;
}

static void sort_spread(uint64_t *a, uint64_t *spare, int64_t n) {
    uint32_t start[SPREAD_PARTS + 1];
    uint64_t least = a[0], most = a[0];
    for (int64_t i = 1; i < n; i++) {
        least = a[i] < least ? a[i] : least;
        most = a[i] > most ? a[i] : most;
    }
    const uint32_t low = (uint32_t)(least >> 32), range = (uint32_t)(most >> 32) - low;
    if (((least ^ most) >> 32) < 1 << 16) { /* two digits at most */
        radix32_e(a, spare, n);
        return;
    }
    const int bits = 32 - __builtin_clz(range);
    const int parts =
        spread_over(spare, a, n, low, bits > SPREAD_BITS ? bits - SPREAD_BITS : 0, start);
    for (int p = 0; p < parts; p++) {
        const int64_t first = start[p], some = (int64_t)start[p + 1] - first;
        if (some <= WIDE) {
            sort_wide(a + first, spare + first, some);
            continue;
        }
        memcpy(a + first, spare + first, sizeof *a * (size_t)some);
        sort_spread(a + first, spare + first, some);
    }
}
