/* Part of order_run.h: rows so few and short that their keys take a few vectors. A key goes where
 * as many are before it, so nothing is looked at twice, planned or kept apart. */

/* Up to so many keys; of rows that lie side by side, where several positions are asked for, so
 * many, and up to so long rows; up to so many rows behind each other. */
enum {
    ORDER_NAME(small, WIDTH, keys) = VB == 16 ? 16 : 64,
    ORDER_NAME(small, WIDTH, more) = WIDTH == 32 ? 1024
                                     : VB == 64  ? 256
                                                 : 64,
    ORDER_NAME(small, WIDTH, long) = VB == 64 ? 16 : 12,
    ORDER_NAME(small, WIDTH, rows) = 8
};

/* The positions of n <= FEW keys in their order; behind the keys there is a vector of others. */
static inline void ORDER_NAME(small, WIDTH, places)(K to[FEW], const K *keys, int64_t n) {
    K before[FEW] __attribute__((aligned(64)));
    ORDER_NAME(count_before, WIDTH, k)(before, keys, n);
    for (int64_t i = 0; i < n; i++) to[before[i]] = (K)i;
}

/* The same of a vector of rows that lie side by side, the first `count` of them. */
static void ORDER_NAME(small, WIDTH, levels)(ORDER_NAME(some, WIDTH, k) * to, const K *keys,
                                             int64_t pitch, int64_t n, int64_t count) {
    typedef ORDER_NAME(some, WIDTH, k) some;
    some level[ORDER_NAME(small, WIDTH, long)], before[ORDER_NAME(small, WIDTH, long)];
    for (int64_t i = 0; i < n; i++) {
        some own, sum = {0};
        memcpy(&own, keys + i * pitch, sizeof own);
        for (int64_t j = 0; j < i; j++) {
            const some less = (some)(own < level[j]); /* -1 where it goes before the other */
            sum += less + 1;
            before[j] -= less;
        }
        level[i] = own;
        before[i] = sum;
    }
    for (int64_t j = 0; j < count; j++) {
        some at = {0};
        for (int64_t i = 1; i < n; i++) at |= (some)(before[i] == (K)j) & (K)i;
        to[j] = at;
    }
}

/* The one position that is asked for, given all of them in the order of their keys: of equals the
 * first, and for a mode the last. Each stands `pitch` places behind the one before. */
static K ORDER_NAME(small, WIDTH, one)(const K *sorted, int64_t pitch, const K *keys,
                                       int64_t keys_pitch, const nomen__order_args *a,
                                       order_what what, const order_type *t) {
    const int64_t n = a->n;
    const K nan = (K)(UINT64_MAX >> (64 - 8 * t->item));
    K key[FEW];
    int64_t at = 0, nans = 0;
    for (int64_t i = 0; i < n; i++) key[i] = keys[(int64_t)sorted[i * pitch] * keys_pitch];
    if (what == MODE) {
        for (int64_t i = 1, from = 0, most = 0; i <= n; i++) {
            if (i < n && key[i] == key[from]) continue;
            if (i - from > most) {
                most = i - from;
                at = i - 1;
            }
            from = i;
        }
        return sorted[at * pitch];
    }
    while (t->floating && nans < n && key[n - 1 - nans] == nan) nans++;
    at = ORDER_NAME(rank, WIDTH, k)(a, what, nans);
    while (at > 0 && key[at - 1] == key[at]) at--;
    return sorted[at * pitch];
}

/* Rows behind each other. */
static void ORDER_NAME(small, WIDTH, behind)(const nomen__order_args *a, order_what what,
                                             const order_type *t, order_keys *load, uint64_t flip) {
    enum { KEYS = ORDER_NAME(small, WIDTH, keys) };
    const int64_t n = a->n, rows = a->rows, count = a->count;
    const bool joined = a->in_row == n * a->in_step, several = what == SORT || what == TOPK;
    K keys[KEYS + FEW] __attribute__((aligned(64))), places[KEYS], sorted[FEW];
    for (int64_t r = 0; r < (joined ? 1 : rows); r++)
        load(keys + r * n, a->in + r * a->in_row, a->in_step, joined ? n * rows : n, flip);
    for (int64_t r = 0; r < rows; r++) {
        const K *own = keys + r * n;
        ORDER_NAME(small, WIDTH, places)(sorted, own, n);
        if (!several) sorted[0] = ORDER_NAME(small, WIDTH, one)(sorted, 1, own, 1, a, what, t);
        for (int64_t j = 0; j < count; j++) places[r * count + j] = sorted[j];
    }
    ORDER_NAME(deliver, WIDTH, e)(a, 0, rows, places, count * (int64_t)sizeof(K), sizeof(K),
                                  t->item);
}

/* Rows that lie side by side, a vector of them at a time. */
static void ORDER_NAME(small, WIDTH, beside)(const nomen__order_args *a, order_what what,
                                             const order_type *t, order_keys *load, uint64_t flip) {
    enum { W = ORDER_NAME(some, WIDTH, lanes), LONG = ORDER_NAME(small, WIDTH, long) };
    const bool several = what == SORT || what == TOPK;
    const int64_t n = a->n;
    ORDER_NAME(some, WIDTH, k) sorted[LONG];
    K keys[LONG * W + W] __attribute__((aligned(64)));
    for (int64_t row = 0; row < a->rows; row += W) {
        const int64_t rows = a->rows - row < W ? a->rows - row : W;
        const bool joined = a->in_step == rows * t->item;
        const char *in = a->in + row * a->in_row;
        for (int64_t i = 0; i < (joined ? 1 : n); i++)
            load(keys + i * rows, in + i * a->in_step, a->in_row, joined ? n * rows : rows, flip);
        ORDER_NAME(small, WIDTH, levels)(sorted, keys, rows, n, several ? a->count : n);
        for (int64_t r = 0; r < rows && !several; r++) {
            K *own = (K *)(void *)sorted + r;
            *own = ORDER_NAME(small, WIDTH, one)(own, W, keys + r, rows, a, what, t);
        }
        ORDER_NAME(deliver, WIDTH, e)(a, row, rows, sorted, sizeof(K), sizeof *sorted, t->item);
    }
}

static bool ORDER_NAME(small, WIDTH, run)(const nomen__order_args *a, order_what what,
                                          const order_type *t) {
    enum {
        KEYS = ORDER_NAME(small, WIDTH, keys),
        MORE = ORDER_NAME(small, WIDTH, more),
        LONG = ORDER_NAME(small, WIDTH, long)
    };
    const bool beside = a->in_row == t->item && a->in_step != t->item && a->rows > 1;
    const int64_t most = beside && (what == SORT || what == TOPK) ? MORE : KEYS;
    if (a->n < 1 || a->rows < 1 || a->count < 1 || a->n > (beside ? LONG : FEW)) return false;
    if (a->rows > (beside ? most : ORDER_NAME(small, WIDTH, rows)) || a->n * a->rows > most)
        return false;
    const uint64_t flip = flip_of(a, t);
    order_keys *load = WIDTH == 32 ? t->keys32 : t->keys64;
    if (beside)
        ORDER_NAME(small, WIDTH, beside)(a, what, t, load, flip);
    else
        ORDER_NAME(small, WIDTH, behind)(a, what, t, load, flip);
    return true;
}
