/* Include-template: whole rows, on order_engine.h and with its definitions. After: scratch_ and
 * run_ with WIDTH behind. */

/* Scratch of one run: for each row of a batch `each` elements and `keys` keys, and for all together
 * spares of as many elements, and of twice as many keys. */
typedef struct ORDER_NAME(plan, WIDTH, s) {
    int64_t batch, each, keys;
    /* topk: the best so far are kept while the row goes by, a few of them in order; else the row is
     * sorted */
    bool stream, few;
} ORDER_NAME(plan, WIDTH, s);

static ORDER_NAME(plan, WIDTH, s)
    ORDER_NAME(plan, WIDTH, e)(const nomen__order_args *a, order_what what) {
    ORDER_NAME(plan, WIDTH, s) p = {1, a->n, 0, false, false};
    if (what == TOPK && a->count <= FEW && a->count < a->n / 2) {
        p.stream = p.few = true;
        p.each = a->count;
    } else if (what == TOPK && a->n > 2 * BLOCK && a->count < a->n / 8) {
        p.stream = true;
        p.each = a->count + (a->count > BLOCK ? a->count : BLOCK) + BLOCK;
    }
    if (what == KTHVALUE || what == MEDIAN || what == NANMEDIAN) {
        p.each = 1;
        p.keys = a->n;
    }
    bool beside = a->in_row < a->in_step && a->in_row > -a->in_step;
    if (beside) {
        int64_t row = (int64_t)sizeof(E) * (p.each + p.keys + 1);
        p.batch = BESIDE_BYTES / row < 2        ? 2
                  : BESIDE_BYTES / row < BESIDE ? BESIDE_BYTES / row
                                                : BESIDE;
        if (p.batch > a->rows) p.batch = a->rows > 0 ? a->rows : 1;
    }
    return p;
}

static size_t ORDER_NAME(scratch, WIDTH, e)(const nomen__order_args *a, order_what what) {
    ORDER_NAME(plan, WIDTH, s) p = ORDER_NAME(plan, WIDTH, e)(a, what);
    int64_t elements = (p.batch + 1) * p.each, keys = (p.batch + 2) * p.keys;
    return (size_t)elements * sizeof(E) + (size_t)keys * sizeof(K);
}

/* Value and position of result j of each row in the batch. */
static void ORDER_NAME(deliver, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows,
                                          const E *made, int64_t each, int item) {
    for (int64_t j = 0; j < a->count; j++)
        for (int64_t r = 0; r < rows; r++) {
            int64_t at = AT(made[r * each + j]);
            const char *from = a->in + (row + r) * a->in_row + at * a->in_step;
            if (a->values) {
                char *to = a->values + (row + r) * a->value_row + j * a->value_step;
                if (item == 4)
                    memcpy(to, from, 4);
                else if (item == 8)
                    memcpy(to, from, 8);
                else if (item == 2)
                    memcpy(to, from, 2);
                else
                    *to = *from;
            }
            if (a->indices)
                memcpy(a->indices + (row + r) * a->index_row + j * a->index_step, &at, sizeof at);
        }
}

/* Which rank a selection wants, given the keys of the row; a median with a NaN is NaN, which has
 * the largest key. */
static int64_t ORDER_NAME(rank, WIDTH, k)(const nomen__order_args *a, order_what what,
                                          const order_type *t, const K *keys) {
    if (what == KTHVALUE) return a->k;
    if (!t->floating) return (a->n - 1) / 2;
    int64_t nans = ORDER_NAME(count, WIDTH, k)(keys, a->n, (K)(UINT64_MAX >> (64 - 8 * t->item)));
    if (what == MEDIAN) return nans ? a->n - 1 : (a->n - 1) / 2;
    return nans == a->n ? 0 : (a->n - nans - 1) / 2;
}

static void ORDER_NAME(run, WIDTH, e)(const nomen__order_args *a, void *scratch, order_what what,
                                      const order_type *t) {
    const ORDER_NAME(plan, WIDTH, s) p = ORDER_NAME(plan, WIDTH, e)(a, what);
    const int bits = 8 * t->item;
    const uint64_t flip = a->descending ? UINT64_MAX >> (64 - bits) : 0;
    order_keys *load = WIDTH == 32 ? t->keys32 : t->keys64;
    E *made = scratch, *spare = made + p.batch * p.each;
    K *keys = (K *)(void *)(spare + p.each), *spare_keys = keys + p.batch * p.keys;
    K block[BLOCK];
    ORDER_NAME(best, WIDTH, s) best[BESIDE];
    if (a->count == 0) return;
    for (int64_t row = 0; row < a->rows; row += p.batch) {
        const int64_t rows = a->rows - row < p.batch ? a->rows - row : p.batch;
        for (int64_t r = 0; r < rows; r++)
            best[r] = (ORDER_NAME(best, WIDTH, s)){made + r * p.each, 0, 0, false};
        for (int64_t i = 0; i < a->n; i += BLOCK) {
            const int64_t n = a->n - i < BLOCK ? a->n - i : BLOCK;
            for (int64_t r = 0; r < rows; r++) {
                K *to = p.keys ? keys + r * p.keys + i : block;
                load(to, a->in + (row + r) * a->in_row + i * a->in_step, a->in_step, n, flip);
                if (p.keys) continue;
                if (p.few) {
                    ORDER_NAME(insert, WIDTH, e)(&best[r], block, n, i, a->count);
                    continue;
                }
                if (p.stream && best[r].used > p.each - BLOCK)
                    ORDER_NAME(trim, WIDTH, e)(&best[r], spare, a->count);
                ORDER_NAME(take, WIDTH, e)(&best[r], block, n, i);
            }
        }
        for (int64_t r = 0; r < rows; r++) {
            E *mine = made + r * p.each;
            if (!p.keys && !p.few) ORDER_NAME(sort, WIDTH, e)(mine, spare, best[r].used);
            if (what == MODE) mine[0] = ORDER_NAME(longest, WIDTH, e)(mine, a->n);
            if (!p.keys) continue;
            const K *own = keys + r * p.keys;
            int64_t k = ORDER_NAME(rank, WIDTH, k)(a, what, t, own);
            K key = ORDER_NAME(nth, WIDTH, k)(own, spare_keys, spare_keys + p.keys, a->n, k, bits);
            mine[0] = MAKE(key, ORDER_NAME(find, WIDTH, k)(own, a->n, key));
        }
        ORDER_NAME(deliver, WIDTH, e)(a, row, rows, made, p.each, t->item);
    }
}
