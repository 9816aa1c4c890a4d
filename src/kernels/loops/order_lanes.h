/* Include-template: LANES rows sorted side by side, without a branch that depends on data. Level i
 * holds element i of every row, a lane for each: a network of comparisons sorts them all. Before:
 * what order_engine.h wants, LEVEL (int64 numbers of a level), EXCHANGE(a, b) of two levels,
 * PUT_LANE(v, lane, key, at) and LANE(v, lane) -> E. After: levels_ and network_ with WIDTH behind.
 */

/* The first eight levels of a block, which stay in registers. */
static inline void ORDER_NAME(eight, WIDTH, e)(int64_t *v) {
    static const uint8_t pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                         {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                         {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
    for (int k = 0; k < 19; k++) EXCHANGE(v + pairs[k][0] * LEVEL, v + pairs[k][1] * LEVEL);
}

/* Batcher's odd-even merge sort of n levels; those from n on would be larger than all and stay. */
static APART void ORDER_NAME(network, WIDTH, e)(int64_t *v, int64_t n) {
    int64_t sorted = 1;
    if (n % 8 == 0) {
        for (int64_t i = 0; i < n; i += 8) ORDER_NAME(eight, WIDTH, e)(v + i * LEVEL);
        sorted = 8;
    }
    for (; sorted < n; sorted *= 2)
        for (int64_t far = sorted; far > 0; far /= 2)
            for (int64_t block = 0; block + far < n; block += 2 * sorted)
                for (int64_t j = far & (sorted - 1); j + far < 2 * sorted; j += 2 * far) {
                    const int64_t begin = block + j, left = n - far - begin;
                    int64_t *a = v + begin * LEVEL;
                    for (int64_t i = 0; i < (left < far ? left : far); i++)
                        EXCHANGE(a + i * LEVEL, a + (i + far) * LEVEL);
                }
}

/* The keys of up to LANES rows, as levels. The other lanes are 0. */
static void ORDER_NAME(levels, WIDTH, e)(int64_t *v, const nomen__order_args *a, int64_t row,
                                         int64_t rows, order_keys *load, uint64_t flip) {
    K block[BLOCK];
    const char *in = a->in + row * a->in_row;
    if (rows < LANES) memset(v, 0, sizeof *v * LEVEL * (size_t)a->n);
    if (a->in_row < a->in_step && a->in_row > -a->in_step) {
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
