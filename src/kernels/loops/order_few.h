/* Part of order_run.h: the first few of rows (topk), LANES rows or more at a time. Each row is
 * looked at twice: its groups give a bound that so many numbers are not beyond, then the positions
 * of these are noted. What was found, a few more than are wanted, is sorted side by side. */

/* Rows of a batch; bounds are found for a vector of them. */
enum {
    ORDER_NAME(few, WIDTH, rows) =
        (int)ORDER_NAME(level, WIDTH, lanes) > LANES ? ORDER_NAME(level, WIDTH, lanes) : LANES
};

/* Where a batch is worked on: keys of the rows where these are not scanned as they lie, the keys of
 * the best of groups, the same as levels, and of each row the positions that were found, the
 * numbers there, their keys, elements, and these as levels. */
typedef struct ORDER_NAME(few, WIDTH, s) {
    int64_t rows, groups, most, room; /* room for what is found in a row */
    ORDER_NAME(level, WIDTH, k) * levels;
    int64_t *v; /* NULL: one row after another */
    E *made;
    K *keys, *best, *numbers, *found;
    uint32_t *places;
} ORDER_NAME(few, WIDTH, s);

/* About twice as many groups as are wanted, most of which are the best of one then: so few more
 * than these are found, as a rule. */
static int64_t ORDER_NAME(few, WIDTH, groups)(int64_t count) {
    int64_t groups = ORDER_NAME(level, WIDTH, lanes) > 8 ? ORDER_NAME(level, WIDTH, lanes) : 8;
    while (groups < 2 * count) groups *= 2;
    return groups;
}
/* So many are sorted at most: where more are as good as the last one, it is done in other ways. */
static int64_t ORDER_NAME(few, WIDTH, most)(int64_t count) {
    return (2 * count + 16) & ~INT64_C(7);
}

static bool ORDER_NAME(is_few, WIDTH, e)(const nomen__order_args *a, order_what what) {
    enum { LONGEST = 1 << 16, LARGEST = 256 };
    return what == TOPK && a->count >= 1 && a->count <= LARGEST && a->n > MOST_TAKEN &&
           a->n <= LONGEST && has_short_places(a) &&
           ORDER_NAME(few, WIDTH, groups)(a->count) <= a->n;
}

/* A few rows are worked on one by one. */
static inline bool ORDER_NAME(few, WIDTH, beside)(int64_t rows) { return rows >= LANES / 2; }

static size_t ORDER_NAME(few, WIDTH, bytes)(const nomen__order_args *a) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const bool beside = ORDER_NAME(few, WIDTH, beside)(a->rows);
    const int64_t rows = beside ? ORDER_NAME(few, WIDTH, rows) : 2, /* one, and a spare */
        groups = ORDER_NAME(few, WIDTH, groups)(a->count),
                  most = ORDER_NAME(few, WIDTH, most)(a->count), room = most + SCAN_MORE;
    const int64_t keys = groups * rows + W + 2 * (room + groups) + a->n * rows;
    return (size_t)(beside ? (groups + W) * VB + most * LEVEL * (int64_t)sizeof(int64_t) : 0) +
           (size_t)keys * sizeof(K) + (size_t)(room * rows) * (sizeof(E) + sizeof(uint32_t));
}

static ORDER_NAME(few, WIDTH, s)
    ORDER_NAME(few, WIDTH, plan)(const nomen__order_args *a, void *scratch) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const bool beside = ORDER_NAME(few, WIDTH, beside)(a->rows);
    ORDER_NAME(few, WIDTH, s) f;
    f.rows = beside ? ORDER_NAME(few, WIDTH, rows) : 1;
    f.groups = ORDER_NAME(few, WIDTH, groups)(a->count);
    f.most = ORDER_NAME(few, WIDTH, most)(a->count);
    f.room = f.most + SCAN_MORE;
    f.levels = scratch;
    f.v = beside ? (int64_t *)(void *)(f.levels + f.groups + W) : NULL;
    f.made = beside ? (E *)(void *)(f.v + f.most * LEVEL) : scratch;
    f.best = (K *)(void *)(f.made + f.room * (beside ? f.rows : 2));
    f.numbers = f.best + f.groups * f.rows + W;
    f.found = f.numbers + f.room + f.groups; /* these two are spares for a bound, too */
    f.keys = f.found + f.room + f.groups;
    f.places = (uint32_t *)(void *)(f.keys + a->n * f.rows);
    return f;
}

/* Elements of one row by the n positions that were found, behind which there is room. By eights:
 * loops of some more turns, but always as many, end where the processor thinks they do. */
static void ORDER_NAME(few, WIDTH, elements)(E *to, const ORDER_NAME(few, WIDTH, s) * f,
                                             const char *row, uint32_t *places, int64_t n,
                                             order_keys *load, uint64_t flip) {
    enum { SOME_AT_ONCE = 8 };
    const K sign = load ? 0 : (K)1 << (WIDTH - 1), *keys = load ? f->found : f->numbers;
    const int64_t all = (n + SOME_AT_ONCE - 1) / SOME_AT_ONCE * SOME_AT_ONCE;
    memset(places + n, 0, sizeof *places * SOME_AT_ONCE);
    for (int64_t j = 0; j < all; j++)
        memcpy(f->numbers + j, row + places[j] * sizeof(K), sizeof(K));
    if (load) load(f->found, (const char *)f->numbers, sizeof(K), all, flip);
    for (int64_t j = 0; j < all; j++) to[j] = MAKE(keys[j] ^ sign, (int64_t)places[j]);
}

/* LANES rows of elements, `room` apart, as so many levels, a multiple of four. */
static void ORDER_NAME(few, WIDTH, levels)(int64_t *v, const E *made, int64_t room,
                                           int64_t levels) {
#if WIDTH == 32
    enum { HALF = LANES / 2 };
    const half_u64 sign = (half_u64){0} + SIGN;
    for (int64_t j = 0; j < levels; j += HALF)
        for (int half = 0; half < 2; half++) {
            half_u64 x[HALF];
#pragma GCC unroll 4
            for (int r = 0; r < HALF; r++)
                memcpy(&x[r], made + ROW_OF_LANE(half * HALF + r) * room + j, sizeof x[r]);
            turn_4_u64(x);
#pragma GCC unroll 4
            for (int l = 0; l < HALF; l++) {
                x[l] ^= sign;
                memcpy(v + (j + l) * LEVEL + half * HALF, &x[l], sizeof x[l]);
            }
        }
#else
    for (int64_t j = 0; j < levels; j++)
        for (int r = 0; r < LANES; r++)
            PUT_LANE(v + j * LEVEL, r, KEY(made[r * room + j]), AT(made[r * room + j]));
#endif
}

/* The least of what was found in a row. */
static inline void ORDER_NAME(few, WIDTH, least)(E *made, int64_t found) {
    E least = made[0];
    for (int64_t j = 1; j < found; j++)
        if (KEY(made[j]) < KEY(least)) least = made[j];
    made[0] = least;
}

/* Up to LANES rows of what was found, in order. */
static void ORDER_NAME(few, WIDTH, sort)(const ORDER_NAME(few, WIDTH, s) * f, E *made,
                                         const int64_t *found, int64_t rows, int64_t count) {
    int64_t levels = 0;
    for (int64_t r = 0; r < rows; r++) levels = found[r] > levels ? found[r] : levels;
    levels = ORDER_NAME(level_count, WIDTH, k)(levels);
    for (int64_t r = 0; r < LANES; r++)
        for (int64_t j = r < rows ? found[r] : 0; j < levels; j++)
            made[r * f->room + j] = MAKE((K) ~(K)0, INT64_MAX);
    ORDER_NAME(few, WIDTH, levels)(f->v, made, f->room, levels);
    ORDER_NAME(network, WIDTH, e)(f->v, levels);
    ORDER_NAME(rows, WIDTH, e)(made, f->v, rows, f->room, count);
}

/* Rows that lie side by side, one behind the other, as they are. */
static void ORDER_NAME(few, WIDTH, turned)(K *to, const nomen__order_args *a, int64_t row,
                                           int64_t rows) {
    enum { W = WIDTH == 32 ? 8 : 4 }; /* of a square */
    typedef K square_row __attribute__((vector_size(32)));
    const char *in = a->in + row * a->in_row;
    int64_t r = 0;
    for (; r + W <= rows; r += W) {
        const char *x = in + r * (int64_t)sizeof *to;
        int64_t i = 0;
        for (; i + W <= a->n; i += W) {
            square_row square[W];
#pragma GCC unroll 8
            for (int l = 0; l < W; l++)
                memcpy(&square[l], x + (i + l) * a->in_step, sizeof *square);
            TURN_SQUARE(square);
#pragma GCC unroll 8
            for (int l = 0; l < W; l++) memcpy(to + (r + l) * a->n + i, &square[l], sizeof *square);
        }
        for (; i < a->n; i++)
            for (int l = 0; l < W; l++)
                memcpy(to + (r + l) * a->n + i, x + i * a->in_step + l * (int)sizeof *to,
                       sizeof *to);
    }
    for (; r < rows; r++)
        for (int64_t i = 0; i < a->n; i++)
            memcpy(to + r * a->n + i, in + i * a->in_step + r * (int64_t)sizeof *to, sizeof *to);
}

/* A batch of rows. false: too many are as good as the last one, and nothing has been done. */
static bool ORDER_NAME(few, WIDTH, batch)(const ORDER_NAME(few, WIDTH, s) * f,
                                          const nomen__order_args *a, int64_t row, int64_t rows,
                                          const order_type *t, uint64_t flip) {
    enum { ROWS = ORDER_NAME(few, WIDTH, rows) };
    order_keys *load = WIDTH == 32 ? t->keys32 : t->keys64;
    order_bare *bare = WIDTH == 32 ? t->bare32 : t->bare64;
    const bool lies = a->in_step == t->item, turned = a->in_row == t->item && !lies;
    const bool direct = t->scan && (lies || turned), descending = direct && a->descending;
    const order_scan *scan = direct ? t->scan : &SCAN_OF_KEYS;
    const K sign = (K)1 << (WIDTH - 1);
    const char *in[ROWS];
    int64_t found[ROWS];
    K last[ROWS];
    if (direct && turned) ORDER_NAME(few, WIDTH, turned)(f->keys, a, row, rows);
    for (int64_t r = 0; r < rows; r++) {
        in[r] = direct && lies ? a->in + (row + r) * a->in_row : (const char *)(f->keys + r * a->n);
        if (!direct)
            load(f->keys + r * a->n, a->in + (row + r) * a->in_row, a->in_step, a->n, flip ^ sign);
        scan->best(f->best + r * f->groups, in[r], a->n, f->groups, descending);
    }
    if (f->v)
        ORDER_NAME(last_keys, WIDTH, k)(last, f->levels, f->best, rows, f->groups, a->count);
    else
        last[0] = ORDER_NAME(nth, WIDTH, k)(f->best, f->numbers, f->found, f->groups, a->count - 1,
                                            8 * t->item);
    for (int64_t r = 0; r < rows; r++) {
        K bound = last[r] ^ sign;
        uint32_t *places = f->places + r * f->room;
        if (direct) bare((char *)&bound, 0, &last[r], 0, 1, flip);
        found[r] = scan->places(places, in[r], a->n, &bound, a->count, f->most, descending);
        /* fewer only if somebody writes to the row meanwhile */
        if (found[r] < a->count || found[r] > f->most) return false;
        ORDER_NAME(few, WIDTH, elements)
        (f->made + r * f->room, f, in[r], places, found[r], direct ? load : NULL, flip);
        if (a->count == 1)
            ORDER_NAME(few, WIDTH, least)(f->made + r * f->room, found[r]);
        else if (!f->v)
            ORDER_NAME(sort, WIDTH, e)(f->made, f->made + f->room, found[r]);
    }
    for (int64_t r = 0; r < rows && f->v && a->count > 1; r += LANES) ORDER_NAME(few, WIDTH, sort)
    (f, f->made + r * f->room, found + r, rows - r < LANES ? rows - r : LANES, a->count);
    ORDER_NAME(deliver, WIDTH, e)(a, row, rows, f->made, f->room, t->item);
    return true;
}
