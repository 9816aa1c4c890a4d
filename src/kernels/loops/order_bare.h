/* Include-template: what is asked for of rows by their keys alone, a row in each lane of a vector.
 * Level i holds key i of every row; a network of comparisons sorts them all, and the positions are
 * looked for in the levels as they came. Before: what order_engine.h wants, LEVEL_KEYS (a vector of
 * signed numbers as wide as a key), V_LESSER and V_GREATER of two, V_TURN of a square of unsigned
 * ones. After: level_, level_count_,
 * bare_bytes_, bare_levels_, bare_network_, most_often_ and bare_places_ with WIDTH behind. */

typedef LEVEL_KEYS ORDER_NAME(level, WIDTH, k);
enum { ORDER_NAME(level, WIDTH, lanes) = VB / sizeof(K) };

/* Levels that are sorted: eight at a time, the last ones perhaps larger than all keys. */
static inline int64_t ORDER_NAME(level_count, WIDTH, k)(int64_t n) { return (n + 7) & ~INT64_C(7); }

/* Eight levels in registers, in 19 comparisons. */
static inline void ORDER_NAME(sort_eight, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v) {
    static const uint8_t pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                         {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                         {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
    ORDER_NAME(level, WIDTH, k) x[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) x[i] = v[i];
#pragma GCC unroll 19
    for (int k = 0; k < 19; k++) {
        const ORDER_NAME(level, WIDTH, k) a = x[pairs[k][0]], b = x[pairs[k][1]];
        x[pairs[k][0]] = V_LESSER(a, b);
        x[pairs[k][1]] = V_GREATER(a, b);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) v[i] = x[i];
}

/* Batcher's odd-even merge sort of n levels, n divisible by 8; those from n on would be larger than
 * all and stay. */
static APART void ORDER_NAME(bare_network, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, int64_t n) {
    for (int64_t i = 0; i < n; i += 8) ORDER_NAME(sort_eight, WIDTH, k)(v + i);
    for (int64_t sorted = 8; sorted < n; sorted *= 2)
        for (int64_t far = sorted; far > 0; far /= 2)
            for (int64_t block = 0; block + far < n; block += 2 * sorted)
                for (int64_t j = far & (sorted - 1); j + far < 2 * sorted; j += 2 * far) {
                    const int64_t begin = block + j, left = n - far - begin;
                    ORDER_NAME(level, WIDTH, k) *a = v + begin;
                    for (int64_t i = 0; i < (left < far ? left : far); i++) {
                        const ORDER_NAME(level, WIDTH, k) x = a[i], y = a[i + far];
                        a[i] = V_LESSER(x, y);
                        a[i + far] = V_GREATER(x, y);
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
    if (a->in_row < a->in_step && a->in_row > -a->in_step) {
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
    for (int64_t i = 0; i < a->n; i += W) {
        ORDER_NAME(some, WIDTH, k) x[W];
#pragma GCC unroll 16
        for (int64_t r = 0; r < W; r++) memcpy(&x[r], keys + r * a->n + i, sizeof x[r]);
        V_TURN(x);
#pragma GCC unroll 16
        for (int l = 0; l < W; l++) {
            x[l] ^= sign;
            memcpy(v + i + l, &x[l], sizeof x[l]);
        }
    }
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
