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

/* Keys of a vector of rows, n apart and a vector more, as signed levels. */
static void ORDER_NAME(bare_turned, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, const K *keys,
                                              int64_t n) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const K sign = (K)1 << (WIDTH - 1);
    for (int64_t i = 0; i < n; i += W) {
        ORDER_NAME(some, WIDTH, k) x[W];
#pragma GCC unroll 16
        for (int64_t r = 0; r < W; r++) memcpy(&x[r], keys + r * n + i, sizeof x[r]);
        V_TURN(x);
#pragma GCC unroll 16
        for (int l = 0; l < W; l++) {
            x[l] ^= sign;
            memcpy(v + i + l, &x[l], sizeof x[l]);
        }
    }
}

/* The keys of up to a vector of rows, as signed levels; the other lanes are of no interest. keys:
 * room for them as they come, and a vector behind. */
static void ORDER_NAME(bare_levels, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, K *keys,
                                              const nomen__order_args *a, int64_t row, int64_t rows,
                                              order_keys *load, uint64_t flip) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const K sign = (K)1 << (WIDTH - 1);
    const char *in = a->in + row * a->in_row;
    if (are_beside(a)) {
        for (int64_t i = 0; i < a->n; i++) {
            K level[W] = {0};
            load(level, in + i * a->in_step, a->in_row, rows, flip);
            for (int l = 0; l < W; l++) level[l] ^= sign;
            memcpy(v + i, level, sizeof level);
        }
        return;
    }
    const bool joined = a->in_row == a->n * a->in_step;
    for (int64_t r = 0; r < (joined ? 1 : rows); r++)
        load(keys + r * a->n, in + r * a->in_row, a->in_step, joined ? rows * a->n : a->n, flip);
    memset(keys + rows * a->n, 0, sizeof *keys * (size_t)(W + (W - rows) * a->n));
    ORDER_NAME(bare_turned, WIDTH, k)(v, keys, a->n);
}

/* n levels are sorted; there is room for as many as level_count_ says. */
static void ORDER_NAME(bare_sort, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, int64_t n) {
    typedef __typeof__(v[0][0]) number;
    const int64_t count = ORDER_NAME(level_count, WIDTH, k)(n);
    for (int64_t i = n; i < count; i++)
        v[i] = (ORDER_NAME(level, WIDTH, k)){0} + (number)(((K)1 << (WIDTH - 1)) - 1);
    ORDER_NAME(bare_network, WIDTH, k)(v, count, 1);
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

/* Scratch: sorted levels, the same as they came, and keys. */
static size_t ORDER_NAME(bare_bytes, WIDTH, k)(int64_t n) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    return (size_t)(2 * (ORDER_NAME(level_count, WIDTH, k)(n) + W) * VB) +
           sizeof(K) * (size_t)(W * n + W);
}
