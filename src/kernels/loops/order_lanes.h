/* Include-template: LANES rows sorted side by side by keys with positions. Level i holds element i
 * of every row, a lane for each. Before: what order_engine.h wants, LEVEL (int64 numbers of a
 * level), LEVEL_PART (a vector, or two, of which levels consist), PARTS_IN_ORDER(a, b) of two, as
 * order_network.h wants IN_ORDER, PUT_LANE(v, row, key, at) and LANE(v, row) -> E. After: levels_,
 * network_ and rows_ with WIDTH behind. */

#define NETWORK  ORDER_NAME(part_network, WIDTH, e)
#define V        LEVEL_PART
#define IN_ORDER PARTS_IN_ORDER
#include "kernels/loops/order_network.h"

/* n levels are sorted; there is room for a number divisible by 8. */
static void ORDER_NAME(network, WIDTH, e)(int64_t *v, int64_t n) {
    enum { PARTS = (int)(LEVEL * sizeof *v / sizeof(LEVEL_PART)) };
    const int64_t count = ORDER_NAME(level_count, WIDTH, k)(n);
    for (int64_t i = n * LEVEL; i < count * LEVEL; i++) v[i] = INT64_MAX;
    for (int part = 0; part < PARTS; part++)
        ORDER_NAME(part_network, WIDTH, e)((LEVEL_PART *)(void *)v + part, count, PARTS);
}

#if WIDTH == 32
/* Level i of the keys of LANES rows: as words, a position beside each key. */
static inline void ORDER_NAME(put_level, WIDTH, e)(int64_t *v, const lanes_u32 *keys, int64_t i) {
    const lanes_u32 at = (lanes_u32){0} + (K)i, signs = *keys ^ (K)1 << (WIDTH - 1);
    const lanes_u32 low = TURN_LOW_PAIRS(at, signs), high = TURN_HIGH_PAIRS(at, signs);
    memcpy(v, &low, sizeof low);
    memcpy(v + LANES / 2, &high, sizeof high);
}
#endif

/* The keys of LANES rows, n apart, as levels. Behind the last there are as many more as rows. */
static void ORDER_NAME(put_levels, WIDTH, e)(int64_t *v, const K *keys, int64_t n) {
#if WIDTH == 32
    for (int64_t i = 0; i < n; i += LANES) {
        lanes_u32 x[LANES];
#pragma GCC unroll 8
        for (int r = 0; r < LANES; r++) memcpy(&x[r], keys + r * n + i, sizeof x[r]);
        turn_8_u32(x);
#pragma GCC unroll 8
        for (int l = 0; l < LANES; l++)
            ORDER_NAME(put_level, WIDTH, e)(v + (i + l) * LEVEL, &x[l], i + l);
    }
#else
    for (int64_t i = 0; i < n; i++)
        for (int r = 0; r < LANES; r++) PUT_LANE(v + i * LEVEL, r, keys[r * n + i], i);
#endif
}

/* The keys of up to LANES rows, as levels: as many as level_count_ says. Those of other rows are 0.
 */
static void ORDER_NAME(levels, WIDTH, e)(int64_t *v, const nomen__order_args *a, int64_t row,
                                         int64_t rows, order_keys *load, uint64_t flip) {
    K keys[LANES * (MOST + 1)];
    const char *in = a->in + row * a->in_row;
    if (are_beside(a)) {
        memset(keys, 0, sizeof *keys * LANES);
        for (int64_t i = 0; i < a->n; i++) {
            load(keys, in + i * a->in_step, a->in_row, rows, flip);
#if WIDTH == 32
            lanes_u32 level;
            memcpy(&level, keys, sizeof level);
            ORDER_NAME(put_level, WIDTH, e)(v + i * LEVEL, &level, i);
#else
            for (int r = 0; r < LANES; r++) PUT_LANE(v + i * LEVEL, r, keys[r], i);
#endif
        }
        return;
    }
    const bool joined = a->in_row == a->n * a->in_step;
    for (int64_t r = 0; r < (joined ? 1 : rows); r++)
        load(keys + r * a->n, in + r * a->in_row, a->in_step, joined ? rows * a->n : a->n, flip);
    memset(keys + rows * a->n, 0, sizeof *keys * (size_t)((LANES - rows) * a->n + LANES));
    ORDER_NAME(put_levels, WIDTH, e)(v, keys, a->n);
}

/* The first `count` levels as rows, n apart. */
static void ORDER_NAME(rows, WIDTH, e)(E *to, const int64_t *v, int64_t rows, int64_t n,
                                       int64_t count) {
    int64_t j = 0;
#if WIDTH == 32
    enum { HALF = LANES / 2 };
    const half_u64 sign = (half_u64){0} + SIGN;
    for (; j + HALF <= n && j < count && rows == LANES; j += HALF)
        for (int half = 0; half < 2; half++) {
            half_u64 x[HALF];
#pragma GCC unroll 4
            for (int l = 0; l < HALF; l++)
                memcpy(&x[l], v + (j + l) * LEVEL + half * HALF, sizeof x[l]);
            turn_4_u64(x);
#pragma GCC unroll 4
            for (int r = 0; r < HALF; r++) {
                x[r] ^= sign;
                memcpy(to + ROW_OF_LANE(half * HALF + r) * n + j, &x[r], sizeof x[r]);
            }
        }
#endif
    for (; j < count; j++)
        for (int64_t r = 0; r < rows; r++) to[r * n + j] = LANE(v + j * LEVEL, r);
}

#if WIDTH == 32
/* Two sorted runs of as many into one: from both ends at once, so that neither is used up before
 * the middle and nothing is asked but which is less. */
static APART void merge_even(E *to, const E *a, int64_t n) {
    const E *b = a + n, *a_last = b - 1, *b_last = b + n - 1;
    E *last = to + 2 * n - 1;
    for (int64_t i = 0; i < n; i++) {
        const E x = *a, y = *b, z = *a_last, w = *b_last;
        const int64_t second = -(int64_t)(y < x), first = -(int64_t)(w < z); /* 0 or -1 */
        *to++ = x ^ ((x ^ y) & (E)second);
        b -= second;
        a += 1 + second;
        *last-- = w ^ ((w ^ z) & (E)first);
        a_last += first;
        b_last -= 1 + first;
    }
}

/* One row, as LANES rows side by side, which are merged two by two. Behind its last element there
 * are others, larger than all. */
static APART void sort_in_lanes(E *a, int64_t n) {
    int64_t v[(LANED + 8 * LANES) * LEVEL / LANES] __attribute__((aligned(64)));
    E runs[LANED + 8 * LANES], *from = runs, *to = (E *)(void *)v;
    const int64_t each = (n + LANES - 1) / LANES, all = each * LANES;
    memcpy(runs, a, sizeof *a * (size_t)n);
    memset(runs + n, 255, sizeof *a * (size_t)(all - n));
    for (int64_t i = 0; i < each; i++)
        for (int r = 0; r < LANES; r++)
            PUT_LANE(v + i * LEVEL, r, KEY(runs[r * each + i]), AT(runs[r * each + i]));
    network32_e(v, each);
    rows32_e(runs, v, LANES, each, each);
    for (int64_t run = each; run < all; run *= 2) {
        for (int64_t i = 0; i < all; i += 2 * run) merge_even(to + i, from + i, run);
        E *swap = from;
        from = to;
        to = swap;
    }
    memcpy(a, from, sizeof *a * (size_t)n);
}
#endif
