/* Include-template: rows sorted side by side by their keys, a row in each lane, with positions. A
 * word as wide as a key holds the bits in which the keys of a row differ, as many as there is room
 * for, and below them the position: so a level is one vector, and words alone are sorted. Few keys
 * differ only in the bits that were left out; these are put in order afterwards. Before: what
 * order_engine.h and order_bare.h want, V_LESSER(a, b) of two levels. After: sort_lanes_, lanes_
 * and turn_lanes_ with WIDTH behind. */

/* What is sorted: words and, behind them, keys, a part of `room` levels for each vector of rows;
 * and words as rows, `pitch` apart. The lowest bits of a word, those of `mask`, are a position. */
typedef struct ORDER_NAME(lanes, WIDTH, s) {
    int64_t parts, levels, room, pitch;
    ORDER_NAME(level, WIDTH, k) * words, *keys;
    K *rows, *least, mask; /* of each lane's keys the least */
    int places;            /* how many bits that are */
} ORDER_NAME(lanes, WIDTH, s);

static inline ORDER_NAME(lanes, WIDTH, s)
    ORDER_NAME(lanes, WIDTH, k)(void *scratch, int64_t parts, int64_t levels) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    ORDER_NAME(lanes, WIDTH, s) l = {.parts = parts, .levels = levels};
    l.room = ORDER_NAME(level_count, WIDTH, k)(levels) + W;
    l.pitch = (levels + W - 1) / W * W;
    l.words = scratch;
    l.keys = l.words + parts * l.room;
    l.rows = (K *)(void *)(l.keys + parts * l.room);
    l.least = l.rows + (parts * l.pitch + 1) * W;
    l.places = levels > 1 ? 64 - __builtin_clzll((uint64_t)levels - 1) : 1;
    l.mask = ((K)1 << l.places) - 1;
    return l;
}

static inline size_t ORDER_NAME(lane_bytes, WIDTH, k)(int64_t parts, int64_t levels) {
    const ORDER_NAME(lanes, WIDTH, s) l = ORDER_NAME(lanes, WIDTH, k)(NULL, parts, levels);
    return (size_t)((parts * (2 * l.room + l.pitch) + 2) * VB);
}

/* Keys to words. The first counts[r] of row r are keys, the others, equal to one of these, come
 * behind; NULL: all are. Returns how many bits had no room, 0 if keys do not differ there. */
static APART int ORDER_NAME(put_words, WIDTH, k)(const ORDER_NAME(lanes, WIDTH, s) * l,
                                                 const int64_t *counts, int64_t rows) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    typedef ORDER_NAME(some, WIDTH, k) some;
    const ORDER_NAME(level, WIDTH, k) *keys = l->keys;
    ORDER_NAME(level, WIDTH, k) least = keys[0], most = keys[0];
    const int64_t all = l->parts * l->room;
    for (int64_t first = 0; first < all; first += l->room)
        for (int64_t i = first; i < first + l->levels; i++) {
            least = V_LESSER(keys[i], least);
            most = V_GREATER(keys[i], most);
        }
    const some low = (some)least, gap = (some)most - low;
    K range = 1, each[W];
    memcpy(l->least, &low, sizeof low);
    memcpy(each, &gap, sizeof each);
    for (int r = 0; r < W; r++) range = each[r] > range ? each[r] : range;
    const int bits = 64 - __builtin_clzll(range), up = WIDTH - bits;
    const K sign = (K)1 << (WIDTH - 1), above = ~l->mask;
    some lost = {0};
    for (int64_t first = 0; first < all; first += l->room) {
        some at = (some){0} + sign;
        for (int64_t i = first; i < first + l->levels; i++, at += 1) {
            const some own = ((some)keys[i] - low) << up;
            lost |= own;
            l->words[i] = (ORDER_NAME(level, WIDTH, k))((own & above) ^ at);
        }
    }
    typedef __typeof__(least[0]) number;
    const K last = (K)(((K)1 << (WIDTH - 1)) - 1) & above;
    for (int64_t r = 0; counts && r < rows; r++)
        for (int64_t i = counts[r]; i < l->levels; i++)
            l->words[r / W * l->room + i][r % W] = (number)(last | (K)i);
    lost &= l->mask;
    return v_any32((vi32)(lost != 0)) ? l->places - up : 0;
}

/* Are the words of two levels alike above their positions in any lane? */
static inline bool ORDER_NAME(any_alike, WIDTH, k)(const ORDER_NAME(level, WIDTH, k) * words,
                                                   K mask) {
    typedef ORDER_NAME(some, WIDTH, k) some;
    return v_any32((vi32)((((some)words[1] ^ (some)words[0]) & ~mask) == 0));
}

/* The levels whose words are, above their positions, those before in any lane: how many. */
static APART int64_t ORDER_NAME(find_ties, WIDTH, k)(uint16_t *ties,
                                                     const ORDER_NAME(level, WIDTH, k) * words,
                                                     int64_t n, K mask) {
    int64_t found = 0;
    for (int64_t i = 1; i < n; i++) {
        ties[found] = (uint16_t)i;
        found += ORDER_NAME(any_alike, WIDTH, k)(words + i - 1, mask);
    }
    return found;
}

/* A row of n words, which are alike to the ones before at some of these levels, in the order of
 * their keys, signed numbers of so many bytes in a lane. false: that takes too many steps. */
static inline __attribute__((always_inline)) bool
ORDER_NAME(untie, WIDTH, k)(K *words, int64_t n, const uint16_t *ties, int64_t count,
                            const char *lane, const int bytes, K mask) {
    enum { FEW_STEPS = 4, SHARE = 16 };
    int64_t left = FEW_STEPS + n / SHARE;
    for (int64_t t = 0; t < count && ties[t] < n; t++) {
        int64_t i = ties[t];
        const K word = words[i];
        if ((word ^ words[i - 1]) & ~mask) continue; /* another row */
        const int64_t key = lane_key(lane, (int64_t)(word & mask), bytes);
        for (; i > 0 && !((word ^ words[i - 1]) & ~mask); i--) {
            if (lane_key(lane, (int64_t)(words[i - 1] & mask), bytes) <= key) break;
            words[i] = words[i - 1];
            left--;
        }
        words[i] = word;
        if (left < 0) return false;
    }
    return true;
}

/* Rows of n words in order become others: where a run that is alike above its positions begins, the
 * `lost` bits of the key that had no room, and the position: three times the bits of a position at
 * most, for which MOST leaves room. Of a row the first `count` have keys. */
static void ORDER_NAME(other_words, WIDTH, k)(K *words, int64_t n, int64_t count, const K *lane,
                                              K least, int places, int lost) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const K mask = ((K)1 << places) - 1, low = ((K)1 << lost) - 1;
    K before = ~words[0], begin = 0;
    for (int64_t i = 0; i < n; i++) {
        const K word = words[i], at = word & mask, key = lane[(int64_t)at * W] - least;
        if ((word ^ before) >> places) begin = (K)i;
        before = word;
        words[i] = (begin << lost | ((int64_t)at < count ? key & low : low)) << places | at;
    }
}

/* Some first levels of words as rows; `turned` bits are turned over. */
static APART void ORDER_NAME(turn_lanes, WIDTH, k)(K *to, int64_t pitch,
                                                   const ORDER_NAME(level, WIDTH, k) * words,
                                                   int64_t levels, K mask, K turned) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
#if WIDTH == 32 && VB == 64
    enum { A_FEW = 8 }; /* of more, whole vectors are stored */
    for (int64_t j = 0; levels <= A_FEW && j < levels; j += QUADS) {
        quads_u32 x[QUADS];
#pragma GCC unroll 4
        for (int k = 0; k < QUADS; k++) x[k] = ((quads_u32)words[j + k] & mask) ^ turned;
        quads_turn(x);
#pragma GCC unroll 4
        for (int k = 0; k < QUADS; k++)
            quads_store((char *)(to + k * pitch + j), 4 * pitch * (int64_t)sizeof *to, x[k]);
    }
    if (levels <= A_FEW) return;
#endif
    for (int64_t j = 0; j < levels; j += W) {
        ORDER_NAME(some, WIDTH, k) x[W];
#pragma GCC unroll 16
        for (int i = 0; i < W; i++)
            x[i] = ((ORDER_NAME(some, WIDTH, k))words[j + i] & mask) ^ turned;
        V_TURN(x);
#pragma GCC unroll 16
        for (int r = 0; r < W; r++) memcpy(to + r * pitch + j, &x[r], sizeof x[r]);
    }
}

/* One part: levels of words, in order, become rows of positions. counts: NULL, or of each lane. */
static void ORDER_NAME(end_lanes, WIDTH, k)(const ORDER_NAME(lanes, WIDTH, s) * l, int64_t part,
                                            const int64_t *counts, int64_t rows, int64_t wanted,
                                            int lost) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    ORDER_NAME(level, WIDTH, k) *words = l->words + part * l->room;
    const K *keys = (const K *)(l->keys + part * l->room);
    K *to = l->rows + part * W * l->pitch;
    uint16_t ties[TIED_MOST];
    bool untied = true;
    const int64_t tied = lost ? ORDER_NAME(find_ties, WIDTH, k)(ties, words, wanted, l->mask) : 0;
    ORDER_NAME(turn_lanes, WIDTH, k)(to, l->pitch, words, wanted, tied ? ~(K)0 : l->mask, 0);
    for (int64_t r = 0; tied && r < rows && untied; r++) {
        const int64_t n = counts && counts[r] < wanted ? counts[r] : wanted;
        untied = ORDER_NAME(untie, WIDTH, k)(to + r * l->pitch, n, ties, tied,
                                             (const char *)(keys + r), sizeof *keys, l->mask);
    }
    if (tied && untied)
        for (int64_t j = 0; j < W * l->pitch; j++) to[j] &= l->mask;
    if (untied) return;
    for (int64_t r = 0; r < W; r++) ORDER_NAME(other_words, WIDTH, k)
    (to + r * l->pitch, wanted, counts && r < rows ? counts[r] : l->levels, keys + r, l->least[r],
     l->places, lost);
    ORDER_NAME(bare_turned, WIDTH, k)(words, to, l->pitch, wanted);
    ORDER_NAME(bare_sort, WIDTH, k)(words, wanted, wanted);
    ORDER_NAME(turn_lanes, WIDTH, k)(to, l->pitch, words, wanted, l->mask, 0);
}

#if WIDTH == 64
#include "kernels/loops/order_narrow.h"
#endif

/* Levels of keys become rows of the positions of the first ones, `wanted` of them, in order. true:
 * these have 32 bits, and rows are narrow_pitch apart. */
static bool ORDER_NAME(sort_lanes, WIDTH, k)(const ORDER_NAME(lanes, WIDTH, s) * l,
                                             const int64_t *counts, int64_t rows, int64_t wanted) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
#if WIDTH == 64
    const bool narrow = rows > W && l->levels >= NARROW_LEAST;
    if (narrow && sort_narrow(l, counts, rows, wanted)) return true;
#endif
    const int lost = ORDER_NAME(put_words, WIDTH, k)(l, counts, rows);
    const bool asks = lost && wanted < l->levels;
    for (int64_t part = 0; part * W < rows; part++) {
        ORDER_NAME(level, WIDTH, k) *words = l->words + part * l->room;
        const int64_t some = rows - part * W < W ? rows - part * W : W;
        int64_t sorted = wanted;
        ORDER_NAME(bare_sort, WIDTH, k)(words, l->levels, wanted + asks);
        if (asks && ORDER_NAME(any_alike, WIDTH, k)(words + wanted - 1, l->mask)) {
            ORDER_NAME(put_words, WIDTH, k)(l, counts, rows); /* of later parts the same again */
            sorted = l->levels;
            ORDER_NAME(bare_sort, WIDTH, k)(words, l->levels, sorted);
        }
        ORDER_NAME(end_lanes, WIDTH, k)
        (l, part, counts ? counts + part * W : NULL, some, sorted, lost);
    }
    return false;
}
