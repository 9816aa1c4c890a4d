/* Include-template: LANES rows sorted side by side by keys with positions. Level i holds element i
 * of every row, a lane for each. Before: what order_engine.h wants, LEVEL (int64 numbers of a
 * level), LEVEL_PART (a vector, or two, of which levels consist), PARTS_IN_ORDER(a, b) of two, as
 * order_network.h wants IN_ORDER, PUT_LANE(v, lane, key, at) and LANE(v, lane) -> E. After: levels_
 * and network_ with WIDTH behind. */

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

/* The keys of up to LANES rows, as levels. The other lanes are 0. */
static void ORDER_NAME(levels, WIDTH, e)(int64_t *v, const nomen__order_args *a, int64_t row,
                                         int64_t rows, order_keys *load, uint64_t flip) {
    K block[BLOCK];
    const char *in = a->in + row * a->in_row;
    if (rows < LANES) memset(v, 0, sizeof *v * LEVEL * (size_t)a->n);
    if (are_beside(a)) {
        for (int64_t i = 0; i < a->n; i++) {
            load(block, in + i * a->in_step, a->in_row, rows, flip);
            for (int64_t r = 0; r < rows; r++) PUT_LANE(v + i * LEVEL, r, block[r], i);
        }
        return;
    }
    const bool joined = a->in_row == a->n * a->in_step;
    const int64_t most = BLOCK / a->n;
    for (int64_t from = 0, count; from < rows; from += count) {
        count = rows - from < most ? rows - from : most;
        const int64_t loads = joined ? 1 : count;
        for (int64_t r = 0; r < loads; r++)
            load(block + r * a->n, in + (from + r) * a->in_row, a->in_step, count / loads * a->n,
                 flip);
        for (int64_t i = 0; i < a->n; i++)
            for (int64_t r = 0; r < count; r++)
                PUT_LANE(v + i * LEVEL, from + r, block[r * a->n + i], i);
    }
}
