/* Part of order_run.h: rows so few and short that their keys take a few vectors. A key goes where
 * as many are before it, so nothing is looked at twice, planned or kept apart. */

/* Up to so many keys in all: of more rows are worked on side by side. */
enum { ORDER_NAME(small, WIDTH, keys) = 64 };

/* The positions of n <= FEW keys in their order; behind the keys there is a vector of others. */
static inline void ORDER_NAME(small, WIDTH, places)(K to[FEW], const K *keys, int64_t n) {
    K before[FEW] __attribute__((aligned(64)));
    ORDER_NAME(count_before, WIDTH, k)(before, keys, n);
    for (int64_t i = 0; i < n; i++) to[before[i]] = (K)i;
}

/* The one position that is asked for, given all of them in the order of their keys. Of equals the
 * first, and for a mode the last. */
static K ORDER_NAME(small, WIDTH, one)(const K *sorted, const K *keys, const nomen__order_args *a,
                                       order_what what, const order_type *t) {
    const int64_t n = a->n;
    const K nan = (K)(UINT64_MAX >> (64 - 8 * t->item));
    int64_t at = 0, nans = 0;
    if (what == MODE) {
        for (int64_t i = 1, from = 0, most = 0; i <= n; i++) {
            if (i < n && keys[sorted[i]] == keys[sorted[from]]) continue;
            if (i - from > most) {
                most = i - from;
                at = i - 1;
            }
            from = i;
        }
        return sorted[at];
    }
    while (t->floating && nans < n && keys[sorted[n - 1 - nans]] == nan) nans++;
    at = ORDER_NAME(rank, WIDTH, k)(a, what, nans);
    while (at > 0 && keys[sorted[at - 1]] == keys[sorted[at]]) at--;
    return sorted[at];
}

static bool ORDER_NAME(small, WIDTH, run)(const nomen__order_args *a, order_what what,
                                          const order_type *t) {
    enum { KEYS = ORDER_NAME(small, WIDTH, keys) };
    const int64_t n = a->n, rows = a->rows, count = a->count;
    if (n > FEW || rows > KEYS || n * rows > KEYS || n < 1 || rows < 1) return false;
    const uint64_t flip = a->descending ? UINT64_MAX >> (64 - 8 * t->item) : 0;
    order_keys *load = WIDTH == 32 ? t->keys32 : t->keys64;
    const bool joined = a->in_row == n * a->in_step, several = what == SORT || what == TOPK;
    K keys[KEYS + FEW] __attribute__((aligned(64))), places[KEYS], sorted[FEW];
    for (int64_t r = 0; r < (joined ? 1 : rows); r++)
        load(keys + r * n, a->in + r * a->in_row, a->in_step, joined ? n * rows : n, flip);
    for (int64_t r = 0; r < rows; r++) {
        const K *own = keys + r * n;
        ORDER_NAME(small, WIDTH, places)(sorted, own, n);
        if (!several) sorted[0] = ORDER_NAME(small, WIDTH, one)(sorted, own, a, what, t);
        for (int64_t j = 0; j < count; j++) places[r * count + j] = sorted[j];
    }
    if (count)
        ORDER_NAME(deliver, WIDTH, e)(a, 0, rows, places, count * (int64_t)sizeof(K), sizeof(K),
                                      t->item);
    return true;
}
