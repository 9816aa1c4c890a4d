/* Include-template: sorting and selecting by keys. Before: K (an unsigned key), WIDTH (its bits,
 * for names), E (a key with a position), MAKE(key, at), KEY(e), AT(e), BEFORE(a, b) (by key, then
 * by position: what is sorted by it is sorted stably), PACK_BETWEEN of pack.h. After: sort_, nth_,
 * find_, best_ and longest_ with WIDTH behind; everything defined before is as it was. */

/* Each element goes where as many are before it: no branch depends on the data, and comparisons are
 * done side by side. */
static void ORDER_NAME(place, WIDTH, e)(E *to, const E *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const E x = a[i];
        K before = 0;
        for (int64_t j = 0; j < n; j++) before += BEFORE(a[j], x);
        to[before] = x;
    }
}

/* Two sorted runs into one, without a branch on the comparison. */
static void ORDER_NAME(merge, WIDTH, e)(E *to, const E *a, int64_t n, const E *b, int64_t m) {
    const E *a_end = a + n, *b_end = b + m;
    while (a < a_end && b < b_end) {
        bool second = BEFORE(*b, *a);
        const E *from = second ? b : a;
        *to++ = *from;
        b += second;
        a += !second;
    }
    memcpy(to, a, sizeof *a * (size_t)(a_end - a));
    to += a_end - a;
    memcpy(to, b, sizeof *b * (size_t)(b_end - b));
}

static void ORDER_NAME(merges, WIDTH, e)(E *a, E *spare, int64_t n) {
    E *from = spare, *to = a;
    for (int64_t i = 0; i < n; i += RUN)
        ORDER_NAME(place, WIDTH, e)(from + i, a + i, n - i < RUN ? n - i : RUN);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t first = n - i < run ? n - i : run, second = n - i - first;
            ORDER_NAME(merge, WIDTH, e)
            (to + i, from + i, first, from + i + first, second < run ? second : run);
        }
        E *swap = from;
        from = to;
        to = swap;
    }
    if (from != a) memcpy(a, from, sizeof *a * (size_t)n);
}

#define ITEM      E
#define PART      e
#define KEY_OF(x) KEY(x)
#include "kernels/loops/order_radix.h"
#define ITEM      K
#define PART      k
#define KEY_OF(x) (x)
#include "kernels/loops/order_radix.h"

#if WIDTH == 32
static void sort_here(E *a, E *spare, int64_t n);
static void sort_spread(E *a, E *spare, int64_t n);
static void sort_rows_wide(void *v, E *a, int64_t pitch, int64_t rows, int64_t n);
#endif

/* Sorts a; the elements must be in the order of their positions, which equals keep. */
static void ORDER_NAME(sort, WIDTH, e)(E *a, E *spare, int64_t n) {
    if (n <= SOME) ORDER_NAME(merges, WIDTH, e)(a, spare, n);
#if WIDTH == 32
    else if (n <= WIDE)
        sort_here(a, spare, n);
    else if (WIDE)
        sort_spread(a, spare, n);
#else
    else if (n <= UINT32_MAX)
        sort_pairs(a, spare, n);
#endif
    else
        ORDER_NAME(radix, WIDTH, e)(a, spare, n);
}

/* The same, of a few hundred elements in any order. */
static void ORDER_NAME(sort_any, WIDTH, e)(E *a, E *spare, int64_t n) {
#if WIDTH == 32
    if (n > SOME && n <= WIDE) {
        sort_here(a, spare, n);
        return;
    }
#endif
    ORDER_NAME(merges, WIDTH, e)(a, spare, n);
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Keys of one vector: FEW are a whole number of them. */
typedef K ORDER_NAME(some, WIDTH, k) __attribute__((vector_size(VB)));
enum { ORDER_NAME(some, WIDTH, lanes) = VB / sizeof(K) };

/* Of each key in n: how many are not greater. By some vectors at a time: behind the last key there
 * are others, and room for what is said of them, up to a multiple of FEW. */
static APART void ORDER_NAME(ranks, WIDTH, k)(const K *keys, int64_t n,
                                              ORDER_NAME(some, WIDTH, k) * upto) {
    enum { W = ORDER_NAME(some, WIDTH, lanes), VECTORS = FEW / W < 4 ? FEW / W : 4 };
    typedef ORDER_NAME(some, WIDTH, k) some;
    for (int64_t i = 0; i < n; i += VECTORS * W) {
        some own[VECTORS], count[VECTORS];
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&own[v], keys + i + v * W, sizeof own[v]);
            count[v] = (some){0};
        }
        for (int64_t j = 0; j < n; j++)
            for (int v = 0; v < VECTORS; v++) count[v] -= (some)(keys[j] <= own[v]);
        for (int v = 0; v < VECTORS; v++) *upto++ = count[v];
    }
}

/* The key with that rank: the least of which more are not greater. What lies behind the last is one
 * of the largest. */
static inline K ORDER_NAME(ranked, WIDTH, k)(const K *keys, int64_t n,
                                             const ORDER_NAME(some, WIDTH, k) * upto, K rank) {
    enum { W = ORDER_NAME(some, WIDTH, lanes) };
    ORDER_NAME(some, WIDTH, k) found = ~(ORDER_NAME(some, WIDTH, k)){0}, own;
    for (int64_t i = 0; i < n; i += W) {
        memcpy(&own, keys + i, sizeof own);
        own |= (ORDER_NAME(some, WIDTH, k))(*upto++ <= rank);
        found ^= (found ^ own) & (ORDER_NAME(some, WIDTH, k))(own < found);
    }
    K each[W], key;
    memcpy(each, &found, sizeof each);
    key = each[0];
    for (int l = 1; l < W; l++) key = each[l] < key ? each[l] : key;
    return key;
}

/* The key of rank k among n <= FEW, behind which there are the largest. */
static inline K ORDER_NAME(nth_of_filled, WIDTH, k)(const K few[FEW], int64_t n, int64_t k) {
    ORDER_NAME(some, WIDTH, k) upto[FEW / ORDER_NAME(some, WIDTH, lanes)];
    ORDER_NAME(ranks, WIDTH, k)(few, n, upto);
    return ORDER_NAME(ranked, WIDTH, k)(few, n, upto, (K)k);
}
static K ORDER_NAME(nth_of_few, WIDTH, k)(const K *keys, int64_t n, int64_t k) {
    K few[FEW];
    memset(few, 255, sizeof few);
    memcpy(few, keys, sizeof *few * (size_t)n);
    return ORDER_NAME(nth_of_filled, WIDTH, k)(few, n, k);
}

/* Of each of n <= FEW keys: how many are before it, which of equals those are whose positions are
 * less. Behind the keys there are others up to a whole vector. */
static inline void ORDER_NAME(count_before, WIDTH, k)(K before[FEW], const K *keys, int64_t n) {
    enum { W = ORDER_NAME(some, WIDTH, lanes) };
    typedef ORDER_NAME(some, WIDTH, k) some;
    some index, own, count;
    for (int l = 0; l < W; l++) index[l] = (K)l;
    for (int64_t i = 0; i < n; i += W, index += W) {
        memcpy(&own, keys + i, sizeof own);
        count = (some){0};
        for (int64_t j = 0; j < n; j++)
            count -= (some)(keys[j] < own) | ((some)(keys[j] == own) & (some)((K)j < index));
        memcpy(before + i, &count, sizeof count);
    }
}

/* n <= FEW elements in order: keys, behind which there are the largest, and positions, which
 * ascend. */
static void ORDER_NAME(place_few, WIDTH, e)(E to[FEW], const K few[FEW], const K *places,
                                            int64_t n) {
    K before[FEW];
    ORDER_NAME(count_before, WIDTH, k)(before, few, n);
    for (int64_t i = 0; i < n; i++) to[before[i]] = MAKE(few[i], (int64_t)places[i]);
}

/* The bucket of k by the bits from shift on, its bounds in *low and *high; *k becomes the rank in
 * it. The keys share all bits above. */
static int64_t ORDER_NAME(bucket, WIDTH, k)(const K *keys, int64_t n, int shift, int64_t *k, K *low,
                                            K *high) {
    K one[BUCKETS] = {0}, two[BUCKETS] = {0};
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) { /* two tables: equal neighbours do not wait for each other */
        one[keys[i] >> shift & (BUCKETS - 1)]++;
        two[keys[i + 1] >> shift & (BUCKETS - 1)]++;
    }
    if (i < n) one[keys[i] >> shift & (BUCKETS - 1)]++;
    int b = 0;
    for (; b < BUCKETS - 1; b++) {
        int64_t here = (int64_t)(one[b] + two[b]);
        if (*k < here) break;
        *k -= here;
    }
    K above = keys[0] & ~(((K)BUCKETS << shift) - 1);
    *low = above | (K)b << shift;
    *high = *low | (((K)1 << shift) - 1);
    return (int64_t)(one[b] + two[b]);
}

/* The key of rank k (from 0) among n, digit by digit: always linear. Two spares of n keys. */
static K ORDER_NAME(nth_by_digits, WIDTH, k)(const K *keys, K *spare, K *other, int64_t n,
                                             int64_t k, int bits) {
    K low = 0, high = 0, varying = 0;
    for (int64_t i = 0; i < n; i++) varying |= keys[i] ^ keys[0];
    if (!varying) return keys[0];
    bits = 64 - __builtin_clzll(varying); /* above, the keys share them all */
    int shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
    while (n > FEW) {
        int64_t less, left = ORDER_NAME(bucket, WIDTH, k)(keys, n, shift, &k, &low, &high);
        if (!shift) return low;
        shift = shift > BUCKET_BITS ? shift - BUCKET_BITS : 0;
        if (left == n) continue;
        n = PACK_BETWEEN(spare, keys, n, low, high, &less);
        keys = spare;
        spare = other;
        other = (K *)(uintptr_t)keys;
    }
    return ORDER_NAME(nth_of_few, WIDTH, k)(keys, n, k);
}

/* Two keys of a sample, so far from rank k that it is most likely between them. */
static void ORDER_NAME(around, WIDTH, k)(const K *keys, int64_t n, int64_t k, K *low, K *high) {
    K some[SAMPLE];
    ORDER_NAME(some, WIDTH, k) upto[SAMPLE / ORDER_NAME(some, WIDTH, lanes)];
    const int64_t count = n < SAMPLE * SAMPLE / 4 ? FEW : SAMPLE, step = n / count;
    const int64_t at = k / step < count ? k / step : count - 1;
    const int64_t off = count == SAMPLE ? 12 : 5; /* about two deviations */
    for (int64_t i = 0; i < count; i++) some[i] = keys[i * step];
    ORDER_NAME(ranks, WIDTH, k)(some, count, upto);
    if (at >= off) *low = ORDER_NAME(ranked, WIDTH, k)(some, count, upto, (K)(at - off));
    if (at + off < count) *high = ORDER_NAME(ranked, WIDTH, k)(some, count, upto, (K)(at + off));
}

/* The same, by samples: what lies outside of the two keys is left behind. Where a sample tells
 * nothing, digits do. The keys stay as they are. */
static K ORDER_NAME(nth, WIDTH, k)(const K *keys, K *spare, K *other, int64_t n, int64_t k,
                                   int bits) {
    const K all = (K)(bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << (bits & 63)) - 1);
    enum { TRIES = 8 };
    for (int i = 0; n > FEW; i++) {
        K low = 0, high = all;
        ORDER_NAME(around, WIDTH, k)(keys, n, k, &low, &high);
        int64_t less, left = PACK_BETWEEN(spare, keys, n, low, high, &less);
        if (k >= less && k < less + left) {
            k -= less;
            if (low == high) return low;
        } else if (k < less) {
            left = PACK_BETWEEN(spare, keys, n, 0, low - 1, &less);
        } else {
            k -= less + left;
            left = PACK_BETWEEN(spare, keys, n, high + 1, all, &less);
        }
        const bool helps = left < n && i < TRIES;
        if (left < n) { /* k is a rank among these */
            n = left;
            keys = spare;
            spare = other;
            other = (K *)(uintptr_t)keys;
        }
        if (!helps) return ORDER_NAME(nth_by_digits, WIDTH, k)(keys, spare, other, n, k, bits);
    }
    return ORDER_NAME(nth_of_few, WIDTH, k)(keys, n, k);
}

/* The first position of a key that is there. */
static int64_t ORDER_NAME(find, WIDTH, k)(const K *keys, int64_t n, K key) {
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        K hit = 0;
        for (int l = 0; l < 64; l++) hit |= keys[i + l] == key;
        if (hit) break;
    }
    while (i < n - 1 && keys[i] != key) i++;
    return i;
}

static int64_t ORDER_NAME(count, WIDTH, k)(const K *keys, int64_t n, K key) {
    K count = 0; /* as wide as a key: lanes of the same number */
    for (int64_t i = 0; i < n; i++) count += keys[i] == key;
    return (int64_t)count;
}

/* The k smallest so far of a row that comes block by block. */
typedef struct ORDER_NAME(best, WIDTH, s) {
    E *at;
    int64_t used;
    K below; /* of no interest: keys from here on, if full */
    bool full;
} ORDER_NAME(best, WIDTH, s);

static void ORDER_NAME(trim, WIDTH, e)(ORDER_NAME(best, WIDTH, s) * b, E *spare, int64_t k) {
    ORDER_NAME(sort, WIDTH, e)(b->at, spare, b->used);
    if (b->used < k) return;
    b->used = k;
    b->below = KEY(b->at[k - 1]);
    b->full = true;
}

/* At most BLOCK keys, of positions from first on; there is room for as many. */
static void ORDER_NAME(take, WIDTH, e)(ORDER_NAME(best, WIDTH, s) * b, const K *keys, int64_t n,
                                       int64_t first) {
    int64_t used = b->used;
    if (!b->full) { /* a row that is sorted whole never is */
        for (int64_t i = 0; i < n; i++) b->at[used + i] = MAKE(keys[i], first + i);
        b->used = used + n;
        return;
    }
    const K below = b->below;
    for (int64_t i = 0; i < n; i += 64) {
        const int64_t end = n - i < 64 ? n : i + 64;
        K hit = 0;
        for (int64_t j = i; j < end; j++) hit |= keys[j] < below;
        if (!hit) continue;
        for (int64_t j = i; j < end; j++) {
            b->at[used] = MAKE(keys[j], first + j);
            used += keys[j] < below;
        }
    }
    b->used = used;
}

/* The same for a few best, which are kept in order: there is nothing to trim. */
static void ORDER_NAME(insert, WIDTH, e)(ORDER_NAME(best, WIDTH, s) * b, const K *keys, int64_t n,
                                         int64_t first, int64_t k) {
    for (int64_t i = 0; i < n; i += 64) {
        const int64_t end = n - i < 64 ? n : i + 64;
        K hit = !b->full;
        for (int64_t j = i; j < end; j++) hit |= keys[j] < b->below;
        for (int64_t j = i; hit && j < end; j++) {
            if (b->full && keys[j] >= b->below) continue;
            const E x = MAKE(keys[j], first + j);
            int64_t to = b->full ? k - 1 : b->used++;
            for (; to > 0 && KEY(x) < KEY(b->at[to - 1]); to--) b->at[to] = b->at[to - 1];
            b->at[to] = x;
            b->full = b->used == k;
            b->below = KEY(b->at[b->used - 1]);
        }
    }
}

/* The last element of the longest run of equal keys, of the smallest key if there are several. */
static E ORDER_NAME(longest, WIDTH, e)(const E *a, int64_t n) {
    int64_t most = 0, from = 0;
    E last = a[0];
    for (int64_t i = 1; i <= n; i++) {
        if (i < n && KEY(a[i]) == KEY(a[from])) continue;
        if (i - from > most) {
            most = i - from;
            last = a[i - 1];
        }
        from = i;
    }
    return last;
}
