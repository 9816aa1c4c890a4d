/* Part of order_run.h: the first few of rows (topk), LANES rows or more at a time. Each row is
 * looked at twice: its groups give a bound that so many numbers are not beyond, then the positions
 * of these are noted. What was found, a few more than are wanted, is sorted side by side. */

#if WIDTH == 32
/* Longer rows are looked at in this way only where that needs no copy. */
enum { FEW_LONGEST = 1 << 16 };
#endif

/* Rows of a batch; bounds are found for a vector of them, and so many vectors of what was found are
 * sorted at a time. */
enum {
    ORDER_NAME(few, WIDTH, parts) = WIDTH == 64 ? 2 : 1,
    ORDER_NAME(few, WIDTH, side) =
        (int)ORDER_NAME(level, WIDTH, lanes) * ORDER_NAME(few, WIDTH, parts),
    ORDER_NAME(few, WIDTH, rows) =
        ORDER_NAME(few, WIDTH, side) > LANES ? ORDER_NAME(few, WIDTH, side) : LANES
};

/* Where a batch is worked on: keys of the rows where these are not scanned as they lie, the keys of
 * the best of groups, the same as levels, and of each row the positions that were found, the
 * numbers there, their keys, elements, and these as levels. */
typedef struct ORDER_NAME(few, WIDTH, s) {
    int64_t rows, groups, most, room; /* room for what is found in a row */
    int64_t tile, tiled;              /* vectors of a tile, lanes of the tiles of a row; or 0 */
    ORDER_NAME(level, WIDTH, k) * levels;
    bool beside; /* a vector of rows at a time */
    E *made;
    K *keys, *tiles, *best, *numbers, *found, *chosen;
    uint32_t *places, *lanes;
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

/* The numbers of a row are looked at where they lie, not as keys in scratch. */
static inline bool ORDER_NAME(few, WIDTH, lies)(const nomen__order_args *a, const order_type *t) {
    return t->scan && a->in_step == t->item;
}

static bool ORDER_NAME(is_few, WIDTH, e)(const nomen__order_args *a, order_what what,
                                         const order_type *t) {
    enum { LARGEST = 256 };
    return what == TOPK && a->count >= 1 && a->count <= LARGEST && a->n > SHORTEST &&
           (a->n > MOST(K) || a->rows < LEAST_ROWS(K) || ORDER_NAME(few_are, WIDTH, k)(a)) &&
           (a->n <= FEW_LONGEST || ORDER_NAME(few, WIDTH, lies)(a, t)) && has_short_places(a) &&
           ORDER_NAME(few, WIDTH, groups)(a->count) <= a->n;
}

/* A few rows, and long ones, are worked on one by one. */
static inline bool ORDER_NAME(few, WIDTH, beside)(const nomen__order_args *a) {
    return a->rows >= LANES / 2 && a->n <= FEW_LONGEST;
}

/* Vectors of a tile of a row that is worked on by itself: the best of each lane are looked at for a
 * bound, and the numbers again only in those lanes that are not beyond it, as many as are wanted or
 * a few more. So the more are wanted the smaller tiles should be. 0: all are looked at twice. */
static int64_t ORDER_NAME(few, WIDTH, tile)(const nomen__order_args *a) {
    enum { W = ORDER_NAME(level, WIDTH, lanes), WORTH = 16 };
    int64_t tile = SCAN_VECTORS;
    if (ORDER_NAME(few, WIDTH, beside)(a) || a->n < WORTH * tile * W) return 0;
    while (tile * tile * W * a->count < a->n) tile *= 2;
    return a->n / tile >= ORDER_NAME(few, WIDTH, groups)(a->count) ? tile : 0;
}
static int64_t ORDER_NAME(few, WIDTH, tiled)(const nomen__order_args *a) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const int64_t tile = ORDER_NAME(few, WIDTH, tile)(a);
    return tile ? (a->n + tile * W - 1) / (tile * W) * W : 0;
}

/* Bytes for levels of groups, and then of what was found. */
static inline size_t ORDER_NAME(few, WIDTH, levels)(int64_t groups, int64_t most) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const int64_t most_levels = (2 * ORDER_NAME(few, WIDTH, parts) - 1) * (groups + W);
    const size_t first = (size_t)most_levels * VB,
                 then = ORDER_NAME(lane_bytes, WIDTH, k)(ORDER_NAME(few, WIDTH, parts), most);
    return first > then ? first : then;
}

static size_t ORDER_NAME(few, WIDTH, bytes)(const nomen__order_args *a, const order_type *t) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const bool beside = ORDER_NAME(few, WIDTH, beside)(a);
    const int64_t rows = beside ? ORDER_NAME(few, WIDTH, rows) : 1,
                  groups = ORDER_NAME(few, WIDTH, groups)(a->count),
                  most = ORDER_NAME(few, WIDTH, most)(a->count), room = most + SCAN_MORE,
                  copied = ORDER_NAME(few, WIDTH, lies)(a, t) ? 0 : a->n * rows;
    const int64_t keys = groups * rows + W + 2 * groups + room * (2 * rows + 1) + copied +
                         ORDER_NAME(few, WIDTH, tiled)(a);
    return (beside ? ORDER_NAME(few, WIDTH, levels)(groups, most) : 2 * (size_t)room * sizeof(E)) +
           (size_t)keys * sizeof(K) + (size_t)(room * (rows + 1)) * sizeof(uint32_t);
}

static ORDER_NAME(few, WIDTH, s)
    ORDER_NAME(few, WIDTH, plan)(const nomen__order_args *a, void *scratch, const order_type *t) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    const bool beside = ORDER_NAME(few, WIDTH, beside)(a);
    const int64_t rows = beside ? ORDER_NAME(few, WIDTH, rows) : 1;
    ORDER_NAME(few, WIDTH, s) f;
    f.rows = rows;
    f.groups = ORDER_NAME(few, WIDTH, groups)(a->count);
    f.most = ORDER_NAME(few, WIDTH, most)(a->count);
    f.room = f.most + SCAN_MORE;
    f.tile = ORDER_NAME(few, WIDTH, tile)(a);
    f.tiled = ORDER_NAME(few, WIDTH, tiled)(a);
    f.levels = scratch;
    f.beside = beside;
    f.made = (E *)(void *)((char *)scratch +
                           (beside ? ORDER_NAME(few, WIDTH, levels)(f.groups, f.most) : 0));
    f.chosen = (K *)(void *)(f.made + (beside ? 0 : 2 * f.room)); /* and a spare */
    f.best = f.chosen + f.room * rows;
    f.numbers = f.best + f.groups * rows + W;
    f.found = f.numbers + f.room + f.groups; /* these two are spares for a bound, too */
    f.tiles = f.found + f.room * rows + f.groups;
    f.keys = f.tiles + f.tiled;
    f.places =
        (uint32_t *)(void *)(f.keys + (ORDER_NAME(few, WIDTH, lies)(a, t) ? 0 : a->n * rows));
    f.lanes = f.places + f.room * rows;
    return f;
}

/* Keys of what was found in one row, by its n positions, behind which there is room. By eights:
 * loops of some more turns, but always as many, end where the processor thinks they do. */
static void ORDER_NAME(few, WIDTH, load)(K *to, const ORDER_NAME(few, WIDTH, s) * f,
                                         const char *row, uint32_t *places, int64_t n,
                                         order_keys *load, uint64_t flip) {
    enum { SOME_AT_ONCE = 8 };
    const K sign = (K)1 << (WIDTH - 1);
    const int64_t all = (n + SOME_AT_ONCE - 1) / SOME_AT_ONCE * SOME_AT_ONCE;
    memset(places + n, 0, sizeof *places * SOME_AT_ONCE);
    for (int64_t j = 0; j < all; j++)
        memcpy(f->numbers + j, row + places[j] * sizeof(K), sizeof(K));
    if (load)
        load(to, (const char *)f->numbers, sizeof(K), all, flip);
    else
        for (int64_t j = 0; j < all; j++) to[j] = f->numbers[j] ^ sign;
}

/* Up to a few vectors of rows of what was found, in order: its keys, of which rows are `room`
 * apart. */
static void ORDER_NAME(few, WIDTH, sort)(const ORDER_NAME(few, WIDTH, s) * f, int64_t row,
                                         const int64_t *found, int64_t rows, int64_t count) {
    enum { W = ORDER_NAME(level, WIDTH, lanes) };
    K *keys = f->found + row * f->room;
    const int64_t parts = (rows + W - 1) / W;
    int64_t levels = 0;
    for (int64_t r = 0; r < rows; r++) levels = found[r] > levels ? found[r] : levels;
    const ORDER_NAME(lanes, WIDTH, s) l = ORDER_NAME(lanes, WIDTH, k)(f->levels, parts, levels);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = found[r]; j < levels; j++) keys[r * f->room + j] = keys[r * f->room];
    for (int64_t r = rows; r < parts * W; r++)
        memset(keys + r * f->room, 0, sizeof *keys * (size_t)levels);
    for (int64_t p = 0; p < parts; p++) ORDER_NAME(bare_turned, WIDTH, k)
    (l.keys + p * l.room, keys + p * W * f->room, f->room, levels);
    const bool narrow = ORDER_NAME(sort_lanes, WIDTH, k)(&l, found, rows, count);
    for (int64_t r = 0; r < rows; r++) {
        K *const to = f->chosen + (row + r) * f->room;
        const uint32_t *places = f->places + (row + r) * f->room;
#if WIDTH == 64
        const uint32_t *halves = (const uint32_t *)(void *)l.rows + r * narrow_pitch(&l);
        for (int64_t j = 0; narrow && j < count; j++) to[j] = places[halves[j]];
#endif
        const K *words = l.rows + r * l.pitch;
        for (int64_t j = 0; !narrow && j < count; j++) to[j] = places[words[j]];
    }
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

/* The first of each row. */
static void ORDER_NAME(few, WIDTH, firsts)(const nomen__order_args *a, void *scratch,
                                           const order_type *t, uint64_t flip) {
    enum { ROWS = ORDER_NAME(few, WIDTH, rows) };
    order_keys *load = WIDTH == 32 ? t->keys32 : t->keys64;
    const bool lies = a->in_step == t->item, turned = a->in_row == t->item && !lies;
    const bool direct = t->scan && (lies || turned);
    const order_scan *scan = direct ? t->scan : &SCAN_OF_KEYS;
    K places[ROWS], *keys = scratch;
    for (int64_t row = 0, rows; row < a->rows; row += rows) {
        rows = a->rows - row < ROWS ? a->rows - row : ROWS;
        const char *in = direct && lies ? a->in + row * a->in_row : scratch;
        if (direct && turned) ORDER_NAME(few, WIDTH, turned)(keys, a, row, rows);
        for (int64_t r = 0; r < rows && !direct; r++)
            load(keys + r * a->n, a->in + (row + r) * a->in_row, a->in_step, a->n,
                 flip ^ (K)1 << (WIDTH - 1));
        scan->firsts(places, in, direct && lies ? a->in_row : a->n * (int64_t)sizeof(K), rows, a->n,
                     direct && a->descending);
        ORDER_NAME(deliver, WIDTH, e)(a, row, rows, places, sizeof(K), sizeof(K), t->item);
    }
}

/* The keys of the best of the groups of a row, or of its tiles, if it has some: these are made. */
static void ORDER_NAME(few, WIDTH, look)(K *best, const ORDER_NAME(few, WIDTH, s) * f,
                                         const char *row, int64_t n, const order_scan *scan,
                                         bool descending) {
    if (!f->tile) {
        scan->best(best, row, n, f->groups, descending);
        return;
    }
    const int64_t tile = f->tile * (int64_t)ORDER_NAME(level, WIDTH, lanes),
                  most = tile > NOMEN__LONG_ROW ? tile : NOMEN__LONG_ROW / tile * tile;
    for (int64_t i = 0; i < n && !(i && nomen__kernel_stopped()); i += most)
        scan->tiles(f->tiles + i / f->tile, row + i * (int64_t)sizeof(K),
                    n - i < most ? n - i : most, f->tile, descending);
    scan->best(best, (const char *)f->tiles, f->tiled, f->groups, descending);
}

/* The positions of what may not be beyond a bound in a row: how many; more than `most`: there are
 * too many. */
static int64_t ORDER_NAME(few, WIDTH, find)(uint32_t *places, const ORDER_NAME(few, WIDTH, s) * f,
                                            const char *row, const nomen__order_args *a,
                                            const K *bound, const order_scan *scan,
                                            bool descending) {
    if (!f->tile) return scan->places(places, row, a->n, bound, a->count, f->most, descending);
    const int64_t lanes = scan->places(f->lanes, (const char *)f->tiles, f->tiled, bound, a->count,
                                       f->most, descending);
    if (lanes > f->most) return lanes;
    return scan->members(places, row, a->n, f->tile, f->lanes, lanes, bound, f->most, descending);
}

/* A batch of rows. false: too many are as good as the last one, and nothing has been done. */
static bool ORDER_NAME(few, WIDTH, batch)(const ORDER_NAME(few, WIDTH, s) * f,
                                          const nomen__order_args *a, int64_t row, int64_t rows,
                                          const order_type *t, uint64_t flip) {
    enum { ROWS = ORDER_NAME(few, WIDTH, rows), SIDE = ORDER_NAME(few, WIDTH, side) };
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
        ORDER_NAME(few, WIDTH, look)(f->best + r * f->groups, f, in[r], a->n, scan, descending);
    }
    if (f->beside)
        ORDER_NAME(last_keys, WIDTH, k)(last, f->levels, f->best, rows, f->groups, a->count, true);
    else
        last[0] = ORDER_NAME(nth, WIDTH, k)(f->best, f->numbers, f->found, f->groups, a->count - 1,
                                            8 * t->item);
    for (int64_t r = 0; r < rows; r++) {
        K bound = last[r] ^ sign, *keys = f->found + r * f->room;
        uint32_t *places = f->places + r * f->room;
        if (direct) bare((char *)&bound, 0, &last[r], 0, 1, flip);
        found[r] = ORDER_NAME(few, WIDTH, find)(places, f, in[r], a, &bound, scan, descending);
        /* fewer only if somebody writes to the row meanwhile */
        if (found[r] < a->count || found[r] > f->most) return false;
        ORDER_NAME(few, WIDTH, load)
        (keys, f, in[r], places, found[r], direct ? load : NULL, flip);
        if (!f->beside) {
            for (int64_t j = 0; j < found[r]; j++) f->made[j] = MAKE(keys[j], (int64_t)places[j]);
            if (f->tile) /* found lane by lane, not one behind the other */
                ORDER_NAME(sort_any, WIDTH, e)(f->made, f->made + f->room, found[r]);
            else
                ORDER_NAME(sort, WIDTH, e)(f->made, f->made + f->room, found[r]);
            for (int64_t j = 0; j < a->count; j++) f->chosen[j] = (K)AT(f->made[j]);
        }
    }
    for (int64_t r = 0; r < rows && f->beside; r += SIDE) ORDER_NAME(few, WIDTH, sort)
    (f, r, found + r, rows - r < SIDE ? rows - r : SIDE, a->count);
    ORDER_NAME(deliver, WIDTH, e)(a, row, rows, f->chosen, f->room * (int64_t)sizeof *f->chosen,
                                  sizeof *f->chosen, t->item);
    return true;
}
