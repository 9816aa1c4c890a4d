/* Include-template: whole rows, on order_engine.h, order_lanes.h and order_bare.h and with their
 * definitions, and PACK_PLACES of pack.h. After: scratch_ and run_ with WIDTH behind. */

/* Scratch of one run: `levels` numbers of lanes, and for each row of a batch `each` elements and
 * `keys` keys, and for all together spares of as many elements, and of twice as many keys. */
typedef struct ORDER_NAME(plan, WIDTH, s) {
    int64_t batch, each, keys, levels;
    bool lanes, bare_lanes; /* rows are sorted side by side, with positions or without */
    /* topk: the best so far are kept while the row goes by, a few of them in order; or the last of
     * them is looked for; else the row is sorted */
    bool stream, few, chosen;
    bool ranked; /* ... by sorting the keys of a vector of rows */
    bool bare;   /* keys are sorted without their positions */
    bool halves; /* keys are sorted by one half after the other */
    bool wide;   /* elements of some rows are sorted side by side */
} ORDER_NAME(plan, WIDTH, s);

/* Few of a row: a bound is found for them before they are looked for (as order_few.h does where
 * there are not too many equal ones). */
static inline bool ORDER_NAME(is_bounded, WIDTH, k)(const nomen__order_args *a) {
    enum { SHARE = 16 };
    return a->count * SHARE <= a->n;
}

static void ORDER_NAME(plan_topk, WIDTH, e)(ORDER_NAME(plan, WIDTH, s) * p,
                                            const nomen__order_args *a) {
    /* To keep the best so far is worth it where few of very many stay: it reads faster than a
     * choice does, which packs keys, but moves or sorts what it keeps again and again. */
    enum { QUICK = VB == 64, FEW_OF = QUICK ? 256 : 64, SOME_OF = QUICK ? 1600 : 150 };
    enum { SHORT_ENOUGH = 1 << 16, SOME_MORE = 75, W = ORDER_NAME(level, WIDTH, lanes) };
    const bool stays = a->n <= SHORT_ENOUGH;
    if (!stays && a->count < a->n / FEW_OF && a->count <= FEW) {
        p->stream = p->few = true;
        p->each = a->count;
    } else if (!stays && a->count + SOME_MORE < a->n / SOME_OF) {
        p->stream = true;
        p->each = a->count + (a->count > BLOCK ? a->count : BLOCK) + BLOCK;
    } else if (a->count <= a->n / 2) {
        p->chosen = true;
        p->each = a->count;
        p->keys = a->n;
        const bool bounded = ORDER_NAME(is_bounded, WIDTH, k)(a);
        if (a->rows >= LEAST_ROWS(K) && a->count <= MOST(K)) {
            p->batch = LANES;
            p->levels = (int64_t)ORDER_NAME(lane_bytes, WIDTH, k)(1, a->count) / 8;
        }
        if (a->rows >= LEAST_ROWS(K) && a->n <= MOST_RANKED(K) / (VB == 64 ? 2 : 1) && !bounded) {
            const int64_t levels = (ORDER_NAME(level_count, WIDTH, k)(a->n) + W) * (VB / 8);
            p->ranked = true;
            if (p->batch < W) p->batch = W;
            if (p->levels < levels) p->levels = levels;
        }
    }
}

/* A few are found faster than short rows are sorted. */
static inline bool ORDER_NAME(few_are, WIDTH, k)(const nomen__order_args *a) {
    const int share = a->n <= (WIDTH == 64 ? 192 : 256) ? 16
                      : a->n <= 256                     ? 6
                      : WIDTH == 64                     ? 4
                                                        : 6;
    return a->n > SHORTEST && a->count * share <= a->n;
}

/* Short rows are sorted some vectors at a time. */
static inline int64_t ORDER_NAME(lane_parts, WIDTH, k)(const nomen__order_args *a) {
    enum { W = ORDER_NAME(level, WIDTH, lanes), TOGETHER = 64 };
    const int64_t vectors = (a->rows + W - 1) / W, parts = a->n <= TOGETHER ? TOGETHER / a->n : 1;
    const int64_t most = WIDTH == 64 ? (parts + 1) / 2 * 2 : parts; /* which go by twos */
    return vectors < most ? vectors : most;
}

/* Are there rows enough to sort a vector of them at a time? That takes as long for one as for all,
 * and longer for each element the more there are: rows of more than `each` elements for each of
 * them are sooner sorted, or looked through, one by one. */
static inline int64_t ORDER_NAME(enough, WIDTH, k)(const nomen__order_args *a, order_what what) {
    const bool wide = WIDTH == 64;
    const int64_t each = what == SORT || what == TOPK ? (wide ? 300 : 100)
                         : what == MODE               ? (wide ? 400 : 180)
                                                      : (wide ? 64 : 96);
    const int64_t rows = (a->n + each - 1) / each;
    return rows > LEAST_ROWS(K) ? rows : LEAST_ROWS(K);
}
static inline bool ORDER_NAME(are_enough, WIDTH, k)(const nomen__order_args *a, order_what what) {
    return a->rows >= ORDER_NAME(enough, WIDTH, k)(a, what);
}

static ORDER_NAME(plan, WIDTH, s)
    ORDER_NAME(plan, WIDTH, e)(const nomen__order_args *a, order_what what) {
    ORDER_NAME(plan, WIDTH, s) p = {.batch = 1, .each = a->n};
    const bool selects = what == KTHVALUE || what == MEDIAN || what == NANMEDIAN;
    const bool few = what == TOPK && ORDER_NAME(few_are, WIDTH, k)(a);
    const bool bare = what == SORT && !a->indices;
    if ((selects || what == MODE || (WIDTH == 32 && bare && a->n >= LEAST_BARE)) &&
        a->n <= (selects        ? MOST_RANKED(K)
                 : what == SORT ? MOST_BARE
                                : MOST_COUNTED(K)) &&
        ORDER_NAME(are_enough, WIDTH, k)(a, what)) {
        p.bare_lanes = true;
        p.each = 0;
        p.levels = (int64_t)ORDER_NAME(bare_bytes, WIDTH, k)(a->n) / 8;
        return p;
    }
    if ((what == SORT || what == TOPK) && a->n <= MOST(K) && !few &&
        ORDER_NAME(are_enough, WIDTH, k)(a, what)) {
        p.lanes = true;
        p.each = 0;
        const int64_t parts = ORDER_NAME(lane_parts, WIDTH, k)(a);
        p.levels = (int64_t)ORDER_NAME(lane_bytes, WIDTH, k)(parts, a->n) / 8;
        p.keys = parts * ORDER_NAME(level, WIDTH, lanes) * (a->n + 1);
        return p;
    }
    if (what == TOPK) ORDER_NAME(plan_topk, WIDTH, e)(&p, a);
    p.bare = bare && a->n > SOME && (WIDTH == 64 || a->n > WIDE);
    p.halves = WIDTH == 64 && what == SORT && !p.bare && has_short_places(a);
    if (p.bare || p.halves) {
        p.each = 0;
        p.keys = a->n;
    }
    if (selects) {
        p.each = 1;
        p.keys = a->n;
    }
    p.wide = WIDTH == 32 && p.each == a->n && !p.keys && a->n > SOME && a->n <= WIDE &&
             a->rows >= LANES / 2 && has_short_places(a);
    if (p.wide) {
        p.batch = LANES;
        p.levels = ORDER_NAME(level_count, WIDTH, k)(a->n) * LANES;
        return p;
    }
    const bool beside = are_beside(a);
    if (beside || p.batch > 1) {
        int64_t row = (int64_t)sizeof(E) * (p.each + p.keys + 1),
                most_rows = beside || p.batch > LANES ? BESIDE : LANES;
        p.batch = BESIDE_BYTES / row < 2           ? 2
                  : BESIDE_BYTES / row < most_rows ? BESIDE_BYTES / row
                                                   : most_rows;
        if (p.batch > a->rows) p.batch = a->rows > 0 ? a->rows : 1;
    }
    return p;
}

static size_t ORDER_NAME(planned_bytes, WIDTH, e)(const nomen__order_args *a, order_what what) {
    ORDER_NAME(plan, WIDTH, s) p = ORDER_NAME(plan, WIDTH, e)(a, what);
    const int64_t lanes = p.ranked ? ORDER_NAME(level, WIDTH, lanes) : 1;
    const int64_t rows = (p.batch + lanes - 1) / lanes * lanes; /* what is turned over */
    int64_t elements = (p.batch + 1) * p.each, keys = (rows + 2) * p.keys;
    return (size_t)elements * sizeof(E) + (size_t)keys * sizeof(K) + (size_t)p.levels * 8;
}

/* For a->rows rows, and fewer at a time: these may be too few to fill vectors, and go another way,
 * which takes the more the more there are. */
static size_t ORDER_NAME(scratch_planned, WIDTH, e)(const nomen__order_args *a, order_what what) {
    const size_t all = ORDER_NAME(planned_bytes, WIDTH, e)(a, what);
    nomen__order_args fewer = *a;
    fewer.rows = ORDER_NAME(enough, WIDTH, k)(a, what) - 1;
    if (a->rows <= fewer.rows) return all;
    const size_t some = ORDER_NAME(planned_bytes, WIDTH, e)(&fewer, what);
    return some > all ? some : all;
}

/* Where an element has its position, as wide as a key. */
static inline const char *ORDER_NAME(place_of, WIDTH, e)(const E *made) {
    const bool behind = WIDTH == 64 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
    return (const char *)made + (behind ? sizeof(K) : 0);
}

/* Elements of `in` by positions. plain: everything else is of unit step. */
static inline __attribute__((always_inline)) void
ORDER_NAME(fetch, WIDTH, e)(char *to, const char *in, const char *at, const order_grid *g,
                            const int item, const bool plain) {
    enum { AT_ONCE = 8 }; /* the ends of loops of fewer turns are foreseen */
    const int64_t to_step = plain ? item : g->to[1], from = plain ? 0 : g->in[1],
                  at_step = g->at[1], in_step = plain ? item : g->in_step;
    for (int64_t i = 0; i < g->n[0]; i++, to += g->to[0], in += g->in[0], at += g->at[0]) {
        int64_t j = 0;
        for (; plain && j + AT_ONCE <= g->n[1]; j += AT_ONCE)
#pragma GCC unroll 8
            for (int64_t l = j; l < j + AT_ONCE; l++) {
                K place;
                memcpy(&place, at + l * at_step, sizeof place);
                memcpy(to + l * to_step, in + (int64_t)place * in_step, (size_t)item);
            }
        for (; j < g->n[1]; j++) {
            K place;
            memcpy(&place, at + j * at_step, sizeof place);
            memcpy(to + j * to_step, in + (int64_t)place * in_step + j * from, (size_t)item);
        }
    }
}

static void ORDER_NAME(values, WIDTH, e)(char *to, const char *in, const char *at,
                                         const order_grid *g, int item) {
    const bool plain = g->to[1] == item && g->in_step == item && g->in[1] == 0;
    switch (plain ? item : -item) {
    case 1: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 1, true); break;
    case 2: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 2, true); break;
    case 4: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 4, true); break;
    case 8: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 8, true); break;
    case -1: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 1, false); break;
    case -2: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 2, false); break;
    case -4: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 4, false); break;
    default: ORDER_NAME(fetch, WIDTH, e)(to, in, at, g, 8, false);
    }
}

static inline __attribute__((always_inline)) void
ORDER_NAME(put_places, WIDTH, e)(char *to, const char *at, const order_grid *g,
                                 const int64_t to_step, const int64_t at_step) {
    for (int64_t i = 0; i < g->n[0]; i++, to += g->to[0], at += g->at[0])
        for (int64_t j = 0; j < g->n[1]; j++) {
            K place;
            memcpy(&place, at + j * at_step, sizeof place);
            const int64_t wide = (int64_t)place;
            memcpy(to + j * to_step, &wide, sizeof wide);
        }
}

static void ORDER_NAME(places, WIDTH, e)(char *to, const char *at, const order_grid *g) {
    enum { BYTES = sizeof(int64_t), PLACE = sizeof(K), ELEMENT = sizeof(E) };
    if (g->to[1] == BYTES && g->at[1] == PLACE)
        ORDER_NAME(put_places, WIDTH, e)(to, at, g, BYTES, PLACE);
    else if (g->to[1] == BYTES && g->at[1] == ELEMENT)
        ORDER_NAME(put_places, WIDTH, e)(to, at, g, BYTES, ELEMENT);
    else
        ORDER_NAME(put_places, WIDTH, e)(to, at, g, g->to[1], g->at[1]);
}

/* A few values and positions of each row, where everything lies side by side: a position is loaded
 * once for both. */
static inline __attribute__((always_inline)) void
ORDER_NAME(both, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows, const char *at,
                           int64_t each_row, const int item) {
    const int64_t count = a->count, in_row = a->in_row, value_row = a->value_row,
                  index_row = a->index_row;
    const char *in = a->in + row * in_row;
    char *values = a->values + row * value_row, *indices = a->indices + row * index_row;
    for (; rows > 0;
         rows--, at += each_row, in += in_row, values += value_row, indices += index_row)
        for (int64_t j = 0; j < count; j++) {
            K place;
            memcpy(&place, at + j * (int64_t)sizeof place, sizeof place);
            const int64_t wide = (int64_t)place;
            memcpy(values + j * item, in + wide * item, (size_t)item);
            memcpy(indices + j * (int64_t)sizeof wide, &wide, sizeof wide);
        }
}

static bool ORDER_NAME(deliver_few, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows,
                                              const char *at, int64_t each_row, int64_t at_step,
                                              int item) {
    enum { FEWER = 8, PLACE = sizeof(K), INDEX = sizeof(int64_t) }; /* more go by eights */
    if (!a->values || !a->indices || a->count >= FEWER || at_step != PLACE || a->in_step != item ||
        a->value_step != item || a->index_step != INDEX || a->value_row < item)
        return false;
    switch (item) {
    case 1: ORDER_NAME(both, WIDTH, e)(a, row, rows, at, each_row, 1); break;
    case 2: ORDER_NAME(both, WIDTH, e)(a, row, rows, at, each_row, 2); break;
    case 4: ORDER_NAME(both, WIDTH, e)(a, row, rows, at, each_row, 4); break;
    default: ORDER_NAME(both, WIDTH, e)(a, row, rows, at, each_row, 8); break;
    }
    return true;
}

/* Values and positions of a batch: row by row, or result by result where rows lie side by side. The
 * positions of a row are at_step bytes apart, and each_row bytes behind those of the one before. */
static void ORDER_NAME(deliver, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows,
                                          const void *places, int64_t each_row, int64_t at_step,
                                          int item) {
    enum { FEWER = 4 };
    const char *at = places;
    if (ORDER_NAME(deliver_few, WIDTH, e)(a, row, rows, at, each_row, at_step, item)) return;
    const bool beside = a->values ? a->value_row < a->value_step : a->index_row < a->index_step;
    const bool turned = beside || a->count < FEWER; /* rows are what is inside */
    order_grid g =
        turned ? (order_grid){{a->count, rows}, {0, 0}, {0, a->in_row}, {at_step, each_row}, 0}
               : (order_grid){{rows, a->count}, {0, 0}, {a->in_row, 0}, {each_row, at_step}, 0};
    g.in_step = a->in_step;
    g.to[turned] = a->value_row;
    g.to[!turned] = a->value_step;
    if (a->values)
        ORDER_NAME(values, WIDTH, e)(a->values + row * a->value_row, a->in + row * a->in_row, at,
                                     &g, item);
    g.to[turned] = a->index_row;
    g.to[!turned] = a->index_step;
    if (a->indices) ORDER_NAME(places, WIDTH, e)(a->indices + row * a->index_row, at, &g);
}

/* The same of elements, in pieces, between which the rest may be left out. */
static void ORDER_NAME(deliver_all, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows,
                                              const E *made, int64_t each, int item) {
    nomen__order_args piece = *a;
    for (int64_t from = 0; from < a->count; from += NOMEN__LONG_ROW) {
        if (a->count > NOMEN__LONG_ROW && nomen__kernel_stopped()) return;
        piece.count = a->count - from < NOMEN__LONG_ROW ? a->count - from : NOMEN__LONG_ROW;
        ORDER_NAME(deliver, WIDTH, e)(&piece, row, rows,
                                      ORDER_NAME(place_of, WIDTH, e)(made + from),
                                      each * (int64_t)sizeof *made, sizeof *made, item);
        if (piece.values) piece.values += NOMEN__LONG_ROW * a->value_step;
        if (piece.indices) piece.indices += NOMEN__LONG_ROW * a->index_step;
    }
}

/* Which rank a selection wants, given how many NaN there are: they have the largest key, and a
 * median with one is NaN. */
static int64_t ORDER_NAME(rank, WIDTH, k)(const nomen__order_args *a, order_what what,
                                          int64_t nans) {
    if (what == KTHVALUE) return a->k;
    if (what == MEDIAN) return nans ? a->n - 1 : (a->n - 1) / 2;
    return nans == a->n ? 0 : (a->n - nans - 1) / 2;
}

/* Of sorted levels, what has the rank that a selection wants, which NaN of a lane change. */
static ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(of_rank, WIDTH, k)(const ORDER_NAME(level, WIDTH, k) * v, const nomen__order_args *a,
                                  order_what what, const order_type *t) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const K nan = (K)(UINT64_MAX >> (64 - 8 * t->item)) ^ (K)1 << (WIDTH - 1);
    ORDER_NAME(level, WIDTH, k) found = v[ORDER_NAME(rank, WIDTH, k)(a, what, 0)];
    K last[W], key[W];
    memcpy(last, &v[a->n - 1], sizeof last);
    memcpy(key, &found, sizeof key);
    for (int r = 0; t->floating && r < W; r++) {
        int64_t nans = 0;
        if (last[r] != nan) continue;
        while (nans < a->n && (K)v[a->n - 1 - nans][r] == nan) nans++;
        key[r] = (K)v[ORDER_NAME(rank, WIDTH, k)(a, what, nans)][r];
    }
    memcpy(&found, key, sizeof found);
    return found;
}

/* The same of levels in any order: the last merge of all is left out, unless NaN change the rank.
 */
static ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(select_rank, WIDTH, k)(ORDER_NAME(level, WIDTH, k) * v, const nomen__order_args *a,
                                      order_what what, const order_type *t) {
    typedef __typeof__(v[0][0]) number;
    const K nan = (K)(UINT64_MAX >> (64 - 8 * t->item)) ^ (K)1 << (WIDTH - 1);
    const int64_t n = a->n, count = ORDER_NAME(level_count, WIDTH, k)(n);
    int64_t half = 8;
    while (2 * half < n) half *= 2;
    if (n > half) {
        ORDER_NAME(bare_fill, WIDTH, k)(v, n);
        ORDER_NAME(runs_of_bare_network, WIDTH, k)(v, count, half);
        const bool any = t->floating &&
                         v_any32((vi32)((v[half - 1] == (number)nan) | (v[n - 1] == (number)nan)));
        if (!any)
            return ORDER_NAME(of_halves, WIDTH, k)(v, n, half,
                                                   ORDER_NAME(rank, WIDTH, k)(a, what, 0));
    }
    ORDER_NAME(bare_sort, WIDTH, k)(v, n, n);
    return ORDER_NAME(of_rank, WIDTH, k)(v, a, what, t);
}

/* How many rows come next, some vectors of them. Of rows side by side those of the last vector
 * begin before `row`: whole vectors are loaded where they lie. */
static inline int64_t ORDER_NAME(next_lanes, WIDTH, k)(const nomen__order_args *a, int64_t *row,
                                                       int64_t parts) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const int64_t left = a->rows - *row, rows = left < parts * W ? left : parts * W;
    if (!are_beside(a) || a->rows < W || rows % W == 0) return rows;
    if (rows > W) return rows / W * W;
    *row = a->rows - W;
    return W;
}

/* The values of a batch of rows from its sorted keys, which lie so many from row to row and from
 * one to the next. */
static void ORDER_NAME(values_of, WIDTH, k)(const nomen__order_args *a, int64_t row, int64_t rows,
                                            const K *keys, int64_t keys_row, int64_t keys_step,
                                            const order_type *t, uint64_t flip) {
    order_bare *bare = WIDTH == 32 ? t->bare32 : t->bare64;
    char *to = a->values + row * a->value_row;
    for (int64_t from = 0, n; from < a->n; from += n) {
        if (a->n > NOMEN__LONG_ROW && nomen__kernel_stopped()) return;
        n = a->n - from < NOMEN__LONG_ROW ? a->n - from : NOMEN__LONG_ROW;
        if (a->value_row >= a->value_step || rows == 1)
            for (int64_t r = 0; r < rows; r++)
                bare(to + r * a->value_row + from * a->value_step, a->value_step,
                     keys + r * keys_row + from * keys_step, keys_step, n, flip);
        else
            for (int64_t j = from; j < from + n; j++)
                bare(to + j * a->value_step, a->value_row, keys + j * keys_step, keys_row, rows,
                     flip);
    }
}

/* Those of which keys do not say all, from the rows; keys of a row lie behind each other. */
static void ORDER_NAME(odd_values, WIDTH, k)(const nomen__order_args *a, int64_t row, int64_t rows,
                                             const K *keys, int64_t keys_row, const order_type *t,
                                             uint64_t flip) {
    order_odd *odd = WIDTH == 32 ? t->odd32 : t->odd64;
    char *to = a->values + row * a->value_row;
    for (int64_t r = 0; odd && r < rows && !(a->n > NOMEN__LONG_ROW && nomen__kernel_stopped());
         r++)
        odd(to + r * a->value_row, a->value_step, keys + r * keys_row, a->n, flip,
            a->in + (row + r) * a->in_row, a->in_step);
}

/* All of them, of rows that lie behind each other. */
static void ORDER_NAME(numbers, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows,
                                          const K *keys, const order_type *t, uint64_t flip) {
    ORDER_NAME(values_of, WIDTH, k)(a, row, rows, keys, a->n, 1, t, flip);
    ORDER_NAME(odd_values, WIDTH, k)(a, row, rows, keys, a->n, t, flip);
}

/* The key of zeros, or of NaN: of these a key does not say all. */
static inline K ORDER_NAME(odd_key, WIDTH, k)(const order_type *t, bool nan, uint64_t flip) {
    const int bits = 8 * t->item;
    return (K)(nan ? UINT64_MAX >> (64 - bits) : UINT64_C(1) << (bits - 1)) ^ (K)flip;
}

/* The values of a vector of rows from sorted levels. spare: room for as many keys. */
static void ORDER_NAME(put_levels, WIDTH, k)(const nomen__order_args *a, int64_t row, int64_t rows,
                                             const ORDER_NAME(level, WIDTH, k) * v, K *spare,
                                             const order_type *t, uint64_t flip) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    typedef ORDER_NAME(level, WIDTH, k) level;
    const K sign = (K)1 << (WIDTH - 1);
    const int64_t pitch = (a->n + W - 1) / W * W;
    const level zero = (level){0} +
                       (__typeof__(v[0][0]))(ORDER_NAME(odd_key, WIDTH, k)(t, false, flip) ^ sign),
                nan = (level){0} +
                      (__typeof__(v[0][0]))(ORDER_NAME(odd_key, WIDTH, k)(t, true, flip) ^ sign);
    const bool beside = a->value_row < a->value_step;
    level any = {0};
    for (int64_t i = 0; t->floating && i < a->n; i++) any |= (v[i] == zero) | (v[i] == nan);
    const bool odd = v_any32((vi32)any);
    if (odd || !beside) ORDER_NAME(turn_lanes, WIDTH, k)(spare, pitch, v, a->n, ~(K)0, sign);
    if (beside)
        ORDER_NAME(values_of, WIDTH, k)(a, row, rows, (const K *)v, 1, W, t, flip ^ sign);
    else
        ORDER_NAME(values_of, WIDTH, k)(a, row, rows, spare, pitch, 1, t, flip);
    if (odd) ORDER_NAME(odd_values, WIDTH, k)(a, row, rows, spare, pitch, t, flip);
}

/* One element of each row by bare keys, or all of them in order. */
static void ORDER_NAME(run_bare, WIDTH, e)(const nomen__order_args *a, void *scratch,
                                           order_what what, const order_type *t, order_keys *load,
                                           uint64_t flip) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    typedef ORDER_NAME(level, WIDTH, k) level;
    const int64_t n = a->n, parts = ORDER_NAME(bare_parts, WIDTH, k)(n);
    const int64_t room = ORDER_NAME(level_count, WIDTH, k)(n) + W;
    level *const v = scratch, *const came = v + (WIDTH == 64 ? 2 : 1) * room;
    K *const keys = (K *)(void *)(came + parts * room);
    for (int64_t row = 0, rows; row < a->rows; row += rows) {
        level at[BARE_PARTS];
        rows = ORDER_NAME(next_lanes, WIDTH, k)(a, &row, parts);
        ORDER_NAME(bare_levels, WIDTH, k)(came, keys, room, a, row, rows, t->item, load, flip);
        for (int64_t r = 0; r < rows; r += W) {
            level *const own = came + r / W * room;
            level found;
            if (what == SORT) {
                ORDER_NAME(bare_sort, WIDTH, k)(own, n, n);
                ORDER_NAME(put_levels, WIDTH, k)
                (a, row + r, rows - r < W ? rows - r : W, own, (K *)v, t, flip);
                continue;
            }
#if WIDTH == 64
            if (n >= NARROW_LEAST && r + W < rows &&
                bare_narrow((K *)(void *)&at[r / W], (level32_k *)v, own, own + room, a, what, t)) {
                r += W;
                continue;
            }
#endif
            memcpy(v, own, sizeof *v * (size_t)n);
            if (what == MODE) {
                ORDER_NAME(bare_sort, WIDTH, k)(v, n, n);
                found = ORDER_NAME(most_often, WIDTH, k)(v, n);
            } else {
                found = ORDER_NAME(select_rank, WIDTH, k)(v, a, what, t);
            }
            at[r / W] = ORDER_NAME(bare_places, WIDTH, k)(own, n, found, what == MODE);
        }
        if (what != SORT)
            ORDER_NAME(deliver, WIDTH, e)(a, row, rows, at, sizeof(K), sizeof(K), t->item);
    }
}

static void ORDER_NAME(run_lanes, WIDTH, e)(const nomen__order_args *a, void *scratch,
                                            const order_type *t, order_keys *load, uint64_t flip) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const int64_t parts = ORDER_NAME(lane_parts, WIDTH, k)(a);
    K *keys = (K *)(void *)((char *)scratch + ORDER_NAME(lane_bytes, WIDTH, k)(parts, a->n));
    for (int64_t row = 0, rows; row < a->rows; row += rows) {
        rows = ORDER_NAME(next_lanes, WIDTH, k)(a, &row, parts);
        const ORDER_NAME(lanes, WIDTH, s) l =
            ORDER_NAME(lanes, WIDTH, k)(scratch, (rows + W - 1) / W, a->n);
        ORDER_NAME(bare_levels, WIDTH, k)
        (l.keys, keys, l.room, a, row, rows, t->item, load, flip);
        const bool narrow = ORDER_NAME(sort_lanes, WIDTH, k)(&l, NULL, rows, a->count);
#if WIDTH == 64
        if (narrow) {
            const int64_t pitch = narrow_pitch(&l) * (int64_t)sizeof(uint32_t);
            deliver32_e(a, row, rows, l.rows, pitch, sizeof(uint32_t), t->item);
            continue;
        }
#else
        (void)narrow;
#endif
        ORDER_NAME(deliver, WIDTH, e)(a, row, rows, l.rows, l.pitch * (int64_t)sizeof(K), sizeof(K),
                                      t->item);
    }
}

/* The least key of each of so many groups: those whose positions leave the same remainder. */
static inline __attribute__((always_inline)) void
ORDER_NAME(least_of_groups, WIDTH, k)(K *least, const K *keys, int64_t n, const int64_t groups) {
    int64_t i = groups;
    for (int64_t l = 0; l < groups; l++) least[l] = keys[l];
    for (; i + groups <= n; i += groups)
        for (int64_t l = 0; l < groups; l++)
            least[l] = keys[i + l] < least[l] ? keys[i + l] : least[l];
    for (int64_t l = 0; l < n - i; l++) least[l] = keys[i + l] < least[l] ? keys[i + l] : least[l];
}

/* Of FEW groups, which stay in registers. */
static APART void ORDER_NAME(least_of_few, WIDTH, k)(K to[FEW], const K *keys, int64_t n) {
    K least[FEW] __attribute__((aligned(64)));
    const int64_t whole = n / FEW * FEW;
    ORDER_NAME(least_of_groups, WIDTH, k)(least, keys, whole, FEW);
    for (int l = 0; l < FEW; l++) to[l] = least[l];
    for (int64_t l = 0; l < n - whole; l++)
        to[l] = keys[whole + l] < to[l] ? keys[whole + l] : to[l];
}

/* A key that is not less than the count-th smallest, nor much greater as a rule, where these are
 * few: the count-th of the least of groups. Two spares of n keys. */
static K ORDER_NAME(bound, WIDTH, k)(const K *keys, K *spare, K *other, int64_t n, int64_t count,
                                     int bits) {
    K few[FEW];
    if (count * 4 <= FEW) {
        ORDER_NAME(least_of_few, WIDTH, k)(few, keys, n);
        return ORDER_NAME(nth_of_filled, WIDTH, k)(few, FEW, count - 1);
    }
    int64_t groups = 2 * FEW;
    while (groups < 4 * count) groups *= 2; /* at most n / 2 */
    ORDER_NAME(least_of_groups, WIDTH, k)(spare, keys, n, groups);
    return ORDER_NAME(nth, WIDTH, k)(spare, spare + n / 2, other, groups, count - 1, bits);
}

/* The a->count smallest of a row, in order (true) or in the order of their positions; of those that
 * are equal to the last the first ones. known: the last, or NULL. */
static bool ORDER_NAME(choose, WIDTH, e)(E *to, K *keys, K *spare, K *other,
                                         const nomen__order_args *a, int bits, const K *known) {
    const int64_t n = a->n, count = a->count;
    const bool bounded = ORDER_NAME(is_bounded, WIDTH, k)(a);
    if (bounded && count == 1) {
        K least = keys[0];
        for (int64_t i = 1; i < n; i++) least = keys[i] < least ? keys[i] : least;
        *to = MAKE(least, ORDER_NAME(find, WIDTH, k)(keys, n, least));
        return true;
    }
    K last = known     ? *known
             : bounded ? ORDER_NAME(bound, WIDTH, k)(keys, spare, other, n, count, bits)
                       : ORDER_NAME(nth, WIDTH, k)(keys, spare, other, n, count - 1, bits);
    int64_t found = PACK_PLACES(spare, keys, n, last);
    if (bounded && found <= FEW) {
        E few[FEW];
        K own[FEW];
        memset(own, 255, sizeof own);
        for (int64_t i = 0; i < found; i++) own[i] = keys[spare[i]];
        ORDER_NAME(place_few, WIDTH, e)(few, own, spare, found);
        for (int64_t i = 0; i < count; i++) to[i] = few[i];
        return true;
    }
    if (bounded && found <= n / 3) {
        for (int64_t i = 0; i < found; i++) other[i] = keys[spare[i]];
        last = ORDER_NAME(nth, WIDTH, k)(other, other + found, other + 2 * found, found, count - 1,
                                         bits);
    } else if (bounded) { /* many are equal, or lie badly */
        last = ORDER_NAME(nth, WIDTH, k)(keys, spare, other, n, count - 1, bits);
        found = PACK_PLACES(spare, keys, n, last);
    }
    if (found == count) { /* none is left out */
        for (int64_t i = 0; i < count; i++) to[i] = MAKE(keys[spare[i]], (int64_t)spare[i]);
        return false;
    }
    int64_t same = count, used = 0;
    for (int64_t i = 0; i < found; i++) same -= keys[spare[i]] < last;
    for (int64_t i = 0; used < count; i++) {
        const K key = keys[spare[i]];
        to[used] = MAKE(key, (int64_t)spare[i]);
        used += (key < last) | ((key == last) & (same > 0));
        same -= key == last;
    }
    return false;
}

/* The key of rank count - 1 of each row of n, or, if that will do, one that is not before it.
 * Behind the keys there is room for a vector of rows. */
static void ORDER_NAME(last_keys, WIDTH, k)(K *last, ORDER_NAME(level, WIDTH, k) * v, const K *keys,
                                            int64_t rows, int64_t n, int64_t count, bool will_do) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    int64_t row = 0;
#if WIDTH == 64
    for (; will_do && row + W < rows; row += 2 * W)
        last_narrow(last + row, v, keys + row * n, rows - row < 2 * W ? rows - row : 2 * W, n,
                    count);
#else
    (void)will_do;
#endif
    for (; row < rows; row += W) {
        ORDER_NAME(bare_turned, WIDTH, k)(v, keys + row * n, n, n);
        ORDER_NAME(bare_sort, WIDTH, k)(v, n, count);
        for (int64_t r = 0; r < W && row + r < rows; r++)
            last[row + r] = (K)v[count - 1][r] ^ (K)1 << (WIDTH - 1);
    }
}

/* A batch of rows that are chosen, in order. */
static void ORDER_NAME(sort_chosen, WIDTH, e)(E *made, E *spare, void *v, int64_t rows, int64_t n) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    typedef __typeof__(((ORDER_NAME(level, WIDTH, k)){0})[0]) number;
    const K sign = (K)1 << (WIDTH - 1);
    for (int64_t first = 0; first < rows; first += W) {
        const int64_t some = rows - first < W ? rows - first : W;
        E *mine = made + first * n;
        if (n <= MOST(K) && some >= LEAST_ROWS(K) && v) {
            const ORDER_NAME(lanes, WIDTH, s) l = ORDER_NAME(lanes, WIDTH, k)(v, 1, n);
            for (int64_t r = 0; r < W; r++)
                for (int64_t j = 0; j < n; j++)
                    l.keys[j][r] = (number)(KEY(mine[(r < some ? r : 0) * n + j]) ^ sign);
            ORDER_NAME(sort_lanes, WIDTH, k)(&l, NULL, some, n);
            for (int64_t r = 0; r < some; r++) {
                memcpy(spare, mine + r * n, sizeof *spare * (size_t)n);
                for (int64_t j = 0; j < n; j++) mine[r * n + j] = spare[l.rows[r * l.pitch + j]];
            }
            continue;
        }
        for (int64_t r = 0; r < some; r++) ORDER_NAME(sort, WIDTH, e)(mine + r * n, spare, n);
    }
}

/* The rows of a batch go by, block by block: to keys, or to the elements of `best`. */
static void ORDER_NAME(read, WIDTH, e)(const nomen__order_args *a, int64_t row, int64_t rows,
                                       const ORDER_NAME(plan, WIDTH, s) * p,
                                       ORDER_NAME(best, WIDTH, s) * best, E *spare, K *keys,
                                       order_keys *load, uint64_t flip) {
    K block[BLOCK];
    for (int64_t i = 0; i < a->n; i += BLOCK) {
        const int64_t n = a->n - i < BLOCK ? a->n - i : BLOCK;
        for (int64_t r = 0; r < rows; r++) {
            K *to = p->keys ? keys + r * p->keys + i : block;
            load(to, a->in + (row + r) * a->in_row + i * a->in_step, a->in_step, n, flip);
            if (p->keys) continue;
            if (p->few) {
                ORDER_NAME(insert, WIDTH, e)(&best[r], block, n, i, a->count);
                continue;
            }
            if (p->stream && best[r].used > p->each - BLOCK)
                ORDER_NAME(trim, WIDTH, e)(&best[r], spare, a->count);
            ORDER_NAME(take, WIDTH, e)(&best[r], block, n, i);
        }
    }
}

/* Where the zeros of n sorted keys begin, or the NaN, and how many there are: of these a key does
 * not say all. */
static int64_t ORDER_NAME(odd_ones, WIDTH, k)(const K *keys, int64_t n, bool nan,
                                              const order_type *t, uint64_t flip, int64_t *count) {
    const K key = ORDER_NAME(odd_key, WIDTH, k)(t, nan, flip);
    const int64_t first = ORDER_NAME(below, WIDTH, k)(keys, n, key);
    for (*count = 0; first + *count < n && keys[first + *count] == key;) ++*count;
    return first;
}

/* What has been made of one row: where it is long values come from the keys, which lie in order.
 * own: room for as many keys. */
static void ORDER_NAME(deliver_row, WIDTH, e)(const nomen__order_args *a, int64_t row,
                                              const E *made, K *own, const order_type *t,
                                              uint64_t flip) {
    order_bare *bare = WIDTH == 32 ? t->bare32 : t->bare64;
    nomen__order_args rest = *a;
    if (a->values && a->count >= KEYED) {
        char *values = a->values + row * a->value_row;
        for (int64_t i = 0, end; i < a->count; i = end) {
            if (a->count > NOMEN__LONG_ROW && nomen__kernel_stopped()) return;
            end = a->count - i < NOMEN__LONG_ROW ? a->count : i + NOMEN__LONG_ROW;
            for (int64_t j = i; j < end; j++) own[j] = KEY(made[j]);
            bare(values + i * a->value_step, a->value_step, own + i, 1, end - i, flip);
        }
        for (int nan = 0; t->floating && nan < 2; nan++) {
            int64_t count,
                first = ORDER_NAME(odd_ones, WIDTH, k)(own, a->count, nan, t, flip, &count);
            const order_grid g = order_line(count, a->value_step, a->in_step, sizeof *made);
            ORDER_NAME(values, WIDTH, e)(values + first * a->value_step, a->in + row * a->in_row,
                                         ORDER_NAME(place_of, WIDTH, e)(made + first), &g, t->item);
        }
        rest.values = NULL;
    }
    if (rest.values || rest.indices)
        ORDER_NAME(deliver_all, WIDTH, e)(&rest, row, 1, made, a->count, t->item);
}

#if WIDTH == 64
#include "kernels/loops/order_parts.h"
#endif

static void ORDER_NAME(run_planned, WIDTH, e)(const nomen__order_args *a, void *scratch,
                                              order_what what, const order_type *t) {
    const ORDER_NAME(plan, WIDTH, s) p = ORDER_NAME(plan, WIDTH, e)(a, what);
    const int bits = 8 * t->item;
    const K nan = (K)(UINT64_MAX >> (64 - bits));
    const uint64_t flip = a->descending ? UINT64_MAX >> (64 - bits) : 0;
    order_keys *load = WIDTH == 32 ? t->keys32 : t->keys64;
    int64_t *v = scratch;
    E *made = (E *)(void *)(v + p.levels), *spare = made + p.batch * p.each;
    K *keys = (K *)(void *)(spare + p.each), *spare_keys = keys + p.batch * p.keys;
    ORDER_NAME(best, WIDTH, s) best[BESIDE];
    if (a->count == 0) return;
    if (p.lanes) {
        ORDER_NAME(run_lanes, WIDTH, e)(a, scratch, t, load, flip);
        return;
    }
    if (p.bare_lanes) {
        ORDER_NAME(run_bare, WIDTH, e)(a, scratch, what, t, load, flip);
        return;
    }
    for (int64_t row = 0; row < a->rows; row += p.batch) {
        const int64_t rows = a->rows - row < p.batch ? a->rows - row : p.batch;
        for (int64_t r = 0; r < rows; r++)
            best[r] = (ORDER_NAME(best, WIDTH, s)){made + r * p.each, 0, 0, false};
        ORDER_NAME(read, WIDTH, e)(a, row, rows, &p, best, spare, keys, load, flip);
#if WIDTH == 64
        if (p.halves || (p.bare && rows == 1 && has_short_places(a))) {
            sort_by_halves(a, row, rows, keys, spare_keys, t, flip);
            continue;
        }
#endif
        if (p.bare) {
            for (int64_t r = 0; r < rows; r++)
                ORDER_NAME(radix, WIDTH, k)(keys + r * a->n, spare_keys, a->n);
            ORDER_NAME(numbers, WIDTH, e)(a, row, rows, keys, t, flip);
            continue;
        }
#if WIDTH == 32
        if (p.wide) sort_rows_wide(scratch, made, p.each, rows, a->n);
#endif
        bool ordered = true; /* all rows of the batch that are chosen */
        K last[BESIDE];
        if (p.ranked)
            ORDER_NAME(last_keys, WIDTH, k)(last, scratch, keys, rows, a->n, a->count, false);
        for (int64_t r = 0; r < rows; r++) {
            E *mine = made + r * p.each;
            K *own = keys + r * p.keys;
            K *other = spare_keys + p.keys;
            if (p.chosen) {
                ordered &= ORDER_NAME(choose, WIDTH, e)(mine, own, spare_keys, other, a, bits,
                                                        p.ranked ? &last[r] : NULL);
            } else if (p.keys) {
                int64_t nans = t->floating ? ORDER_NAME(count, WIDTH, k)(own, a->n, nan) : 0;
                int64_t k = ORDER_NAME(rank, WIDTH, k)(a, what, nans);
                K key = ORDER_NAME(nth, WIDTH, k)(own, spare_keys, other, a->n, k, bits);
                mine[0] = MAKE(key, ORDER_NAME(find, WIDTH, k)(own, a->n, key));
            } else {
                if (p.wide || p.few)
                    ;
                else if (has_short_places(a))
                    ORDER_NAME(sort, WIDTH, e)(mine, spare, best[r].used);
                else
                    ORDER_NAME(radix, WIDTH, e)(mine, spare, best[r].used);
                if (what == MODE) mine[0] = ORDER_NAME(longest, WIDTH, e)(mine, a->n);
            }
        }
        if (p.chosen && !ordered)
            ORDER_NAME(sort_chosen, WIDTH, e)(made, spare, p.levels ? v : NULL, rows, p.each);
        if ((what == SORT || what == TOPK) && rows == 1)
            ORDER_NAME(deliver_row, WIDTH, e)(a, row, made, (K *)(void *)spare, t, flip);
        else
            ORDER_NAME(deliver_all, WIDTH, e)(a, row, rows, made, p.each, t->item);
    }
}

#include "kernels/loops/order_few.h"
#include "kernels/loops/order_small.h"

static size_t ORDER_NAME(scratch, WIDTH, e)(const nomen__order_args *a, order_what what,
                                            const order_type *t) {
    const size_t planned = ORDER_NAME(scratch_planned, WIDTH, e)(a, what);
    if (!ORDER_NAME(is_few, WIDTH, e)(a, what, t)) return planned;
    nomen__order_args last = *a; /* behind whole batches there may be a few, which go one by one */
    last.rows = 1;
    const size_t few = ORDER_NAME(few, WIDTH, bytes)(a, t),
                 one = ORDER_NAME(few, WIDTH, bytes)(&last, t), more = few > one ? few : one;
    return more > planned ? more : planned;
}

static void ORDER_NAME(run, WIDTH, e)(const nomen__order_args *a, void *scratch, order_what what,
                                      const order_type *t) {
    if (!ORDER_NAME(is_few, WIDTH, e)(a, what, t)) {
        ORDER_NAME(run_planned, WIDTH, e)(a, scratch, what, t);
        return;
    }
    const uint64_t flip = flip_of(a, t);
    if (a->count == 1 && a->n <= FEW_LONGEST) {
        ORDER_NAME(few, WIDTH, firsts)(a, scratch, t, flip);
        return;
    }
    nomen__order_args rest = *a;
    ORDER_NAME(few, WIDTH, s) f = ORDER_NAME(few, WIDTH, plan)(a, scratch, t);
    for (int64_t row = 0, rows; row < a->rows; row += rows) {
        rest.rows = a->rows - row;
        if (f.beside && rest.rows < LANES / 2) f = ORDER_NAME(few, WIDTH, plan)(&rest, scratch, t);
        rows = rest.rows < f.rows ? rest.rows : f.rows;
        if (ORDER_NAME(few, WIDTH, batch)(&f, a, row, rows, t, flip)) continue;
        rest.rows = rows;
        rest.in = a->in + row * a->in_row;
        rest.values = moved(a->values, row * a->value_row);
        rest.indices = moved(a->indices, row * a->index_row);
        ORDER_NAME(run_planned, WIDTH, e)(&rest, scratch, what, t);
    }
}
