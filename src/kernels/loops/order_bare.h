/* Include-template: what is asked for of rows by their keys alone, a row in each lane of a vector.
 * Level i holds key i of every row; a network of comparisons sorts them all, and the positions are
 * looked for in the levels as they came. Before: what order_engine.h wants, LEVEL_KEYS (a vector of
 * signed numbers as wide as a key), V_GREATER and KEYS_IN_ORDER(a, b) of two, as order_network.h
 * wants IN_ORDER, V_TURN of a square of unsigned ones. After: level_, level_count_, bare_bytes_,
 * bare_levels_, bare_turned_, bare_sort_, most_often_ and bare_places_ with WIDTH behind. */

typedef LEVEL_KEYS ORDER_NAME(level, WIDTH, k);
enum { ORDER_NAME(level, WIDTH, lanes) = VB / sizeof(K) };

/* Levels that are sorted: eight at a time, the last ones perhaps larger than all keys. */
static inline int64_t ORDER_NAME(level_count, WIDTH, k)(int64_t n) { return (n + 7) & ~INT64_C(7); }

#define NETWORK        ORDER_NAME(bare_network, WIDTH, k)
#define V              LEVEL_KEYS
#define IN_ORDER(a, b) KEYS_IN_ORDER(a, b)
#include "kernels/loops/order_network.h"

/* n keys of a vector of rows, `pitch` apart and a vector more, as signed levels. */
static void ORDER_NAME(bare_turned, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, const K *keys,
                                              int64_t pitch, int64_t n) {
    const K sign = (K)1 << (WIDTH - 1);
#if WIDTH == 32 && VB == 64
    for (int64_t i = 0; i < n; i += QUADS) { /* of 4 x 4 in each 16 bytes, which costs least */
        quads_u32 x[QUADS];
#pragma GCC unroll 4
        for (int k = 0; k < QUADS; k++)
            x[k] = quads_load((const char *)(keys + k * pitch + i), 4 * pitch * (int64_t)sizeof(K));
        quads_turn(x);
#pragma GCC unroll 4
        for (int l = 0; l < QUADS; l++) v[i + l] = (ORDER_NAME(level, WIDTH, k))(x[l] ^ sign);
    }
#else
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    for (int64_t i = 0; i < n; i += W) {
        ORDER_NAME(some, WIDTH, k) x[W];
#pragma GCC unroll 16
        for (int64_t r = 0; r < W; r++) memcpy(&x[r], keys + r * pitch + i, sizeof x[r]);
        V_TURN(x);
#pragma GCC unroll 16
        for (int l = 0; l < W; l++) {
            x[l] ^= sign;
            memcpy(v + i + l, &x[l], sizeof x[l]);
        }
    }
#endif
}

/* The keys of rows that lie side by side, as signed levels; raw: room for all of them. */
static void ORDER_NAME(beside_levels, WIDTH,
                       k)(ORDER_NAME(level, WIDTH, k) * v, char *raw, const nomen__order_args *a,
                          int64_t row, int64_t rows, int item, order_keys *load, uint64_t flip) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const char *in = a->in + row * a->in_row;
    const int bytes = W * item;
    if (a->in_row != item || rows < W) {
        few_beside(raw, in, a, rows, W, item);
    } else if (bytes == VB) {
        for (int64_t i = 0; i < a->n; i++) {
            const char *from = in + i * a->in_step;
            __builtin_prefetch(from + 2 * VB); /* of the rows to come: each is a line elsewhere */
            memcpy(raw + i * VB, from, VB);
        }
    } else {
        for (int64_t i = 0; i < a->n; i++)
            memcpy(raw + i * bytes, in + i * a->in_step, (size_t)bytes);
    }
    load(v, raw, item, a->n * W, flip ^ (uint64_t)1 << (WIDTH - 1));
}

/* The keys of rows as signed levels, a vector of rows after the other, `room` levels apart; lanes
 * without a row hold keys once more. keys: room for them as they come, and a vector behind. */
static void ORDER_NAME(bare_levels, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, K *keys,
                                              int64_t room, const nomen__order_args *a, int64_t row,
                                              int64_t rows, int item, order_keys *load,
                                              uint64_t flip) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const char *in = a->in + row * a->in_row;
    const int64_t n = a->n, all = (rows + W - 1) / W * W;
    if (are_beside(a)) {
        for (int64_t r = 0; r < rows; r += W) ORDER_NAME(beside_levels, WIDTH, k)
        (v + r / W * room, (char *)keys, a, row + r, rows - r < W ? rows - r : W, item, load, flip);
        return;
    }
    const bool joined = a->in_row == n * a->in_step;
    for (int64_t r = 0; r < (joined ? 1 : rows); r++)
        load(keys + r * n, in + r * a->in_row, a->in_step, joined ? rows * n : n, flip);
    for (int64_t r = rows; r < all; r++) memcpy(keys + r * n, keys, sizeof *keys * (size_t)n);
    memset(keys + all * n, 0, sizeof *keys * W);
    for (int64_t r = 0; r < rows; r += W)
        ORDER_NAME(bare_turned, WIDTH, k)(v + r / W * room, keys + r * n, n, n);
}

/* Behind n levels, the last ones of eight are larger than all. */
static inline void ORDER_NAME(bare_fill, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, int64_t n) {
    typedef __typeof__(v[0][0]) number;
    for (int64_t i = n; i < ORDER_NAME(level_count, WIDTH, k)(n); i++)
        v[i] = (ORDER_NAME(level, WIDTH, k)){0} + (number)(((K)1 << (WIDTH - 1)) - 1);
}

/* Of n levels, the first `half` of which are in order, and the others, at most as many, what has
 * rank k in each lane: however many of the first k + 1 are taken from the one half, the greatest of
 * them is not less, and once it is that. */
static ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(of_halves, WIDTH, k)(const ORDER_NAME(level, WIDTH, k) * v, int64_t n, int64_t half,
                                    int64_t k) {
    typedef ORDER_NAME(level, WIDTH, k) level;
    const int64_t more = n - half, least = k + 1 > more ? k + 1 - more : 0;
    const int64_t most = k + 1 < half ? k + 1 : half;
    const level *const other = v + half + k;
    level found = least ? V_GREATER(v[least - 1], other[-least]) : *other;
    if (least == k + 1) return v[k];
    for (int64_t i = least + 1; i <= most && i <= k; i++) {
        const level own = V_GREATER(v[i - 1], other[-i]);
        found = V_LESSER(own, found);
    }
    return most == k + 1 ? V_LESSER(v[k], found) : found;
}

/* n levels are sorted, or the first `wanted` of them; there is room for as many as level_count_
 * says. */
static void ORDER_NAME(bare_sort, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, int64_t n,
                                            int64_t wanted) {
    enum { LEAST = 4 }; /* of so few a network of eight would compare others with each other */
    const int64_t count = ORDER_NAME(level_count, WIDTH, k)(n);
    int64_t block = 8;
    for (int64_t i = 1; n <= LEAST && i < n; i++)
        for (int64_t j = i; j > 0; j--) KEYS_IN_ORDER(v[j - 1], v[j]);
    if (n <= LEAST) return;
    ORDER_NAME(bare_fill, WIDTH, k)(v, n);
    while (block < wanted) block *= 2;
    if (2 * block <= count)
        ORDER_NAME(first_of_bare_network, WIDTH, k)(v, count, block);
    else
        ORDER_NAME(bare_network, WIDTH, k)(v, count);
}

/* In each lane of n sorted levels, what stands most often, the smallest if there are several. */
static ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(most_often, WIDTH, k)(const ORDER_NAME(level, WIDTH, k) * v, int64_t n) {
    ORDER_NAME(level, WIDTH, k) best = v[0], length = {0}, most = {0};
    for (int64_t i = 1; i < n; i++) {
        length = (length + 1) & (v[i] == v[i - 1]);
        const ORDER_NAME(level, WIDTH, k) longer = length > most;
        most = V_GREATER(most, length);
        best ^= (best ^ v[i]) & longer;
    }
    return best;
}

/* The first position of a key in each of n levels, or the last one. */
static ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(bare_places, WIDTH, k)(const ORDER_NAME(level, WIDTH, k) * v, int64_t n,
                                      ORDER_NAME(level, WIDTH, k) key, bool last) {
    typedef __typeof__(key[0]) number;
    ORDER_NAME(level, WIDTH, k) at = {0};
    if (last)
        for (int64_t i = 0; i < n; i++) at = V_GREATER(at, (v[i] == key) & (number)i);
    else
        for (int64_t i = 0; i < n; i++) at = V_GREATER(at, (v[i] == key) & (number)(n - i));
    return last ? at : (number)n - at;
}

/* Vectors of rows that are taken together, where rows are so short that each call counts. */
static inline int64_t ORDER_NAME(bare_parts, WIDTH, k)(int64_t n) {
    enum { SHORT = 8 };
    return n <= SHORT ? BARE_PARTS : WIDTH == 64 ? 2 : 1; /* of 64 bits two become one */
}

/* Scratch: sorted levels, of 64 bits also what is left of them as they came, the same of all parts,
 * and keys. */
static size_t ORDER_NAME(bare_bytes, WIDTH, k)(int64_t n) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const int64_t parts = ORDER_NAME(bare_parts, WIDTH, k)(n);
    return (size_t)(((WIDTH == 64 ? 2 : 1) + parts) * (ORDER_NAME(level_count, WIDTH, k)(n) + W) *
                    VB) +
           sizeof(K) * (size_t)(parts * W * n + W);
}
