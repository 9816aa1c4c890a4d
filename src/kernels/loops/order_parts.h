/* Part of order_run.h: one long row, by one thread or by several. Its keys are spread over parts,
 * by the first of the bits that vary, and each part stays in cache while it is sorted. What several
 * threads do they do in phases, a piece each; a phase begins when the one before has ended. Where
 * only the first ones are wanted (topk), some keys of the row give a bound, beyond which most of
 * the others are left behind when the row is read. */

/* A key belongs to one of so many bins, of which the first cache holds as many as tell most keys of
 * shorter rows apart; a part is one bin or more; pieces of the row as launched. */
enum { BIN_BITS = 16, BINS = 1 << BIN_BITS, NEAR_BITS = 14, PARTS = 256, PART = 8192 };
enum { NEAR_KEYS = 1 << 21 };
enum { READ, COUNT, SPREAD, FINISH };
_Static_assert(FINISH + 1 == NOMEN__ORDER_PHASES, "as kernel.h says");

typedef struct order_piece {
    int64_t kept;      /* how many of its keys */
    uint64_t varying;  /* bits in which these differ from the first */
    int64_t to[PARTS]; /* where its next key of a part goes */
} order_piece;

typedef struct order_parts {
    int64_t n, kept, wanted; /* keys of the row, those of all pieces, the first of these */
    int pieces, count;       /* count of parts */
    int bits, shift;         /* of a key, which are its bin */
    uint64_t *keys, *spare;  /* in the order of the row, of the parts */
    uint64_t bound;          /* greater keys are not kept, if only some are wanted */
    uint32_t *from;          /* of the keys: their positions; NULL: all are kept */
    uint32_t *places, *bins; /* of the keys in spare; keys of a piece in each bin */
    uint8_t *of;             /* bin -> part */
    order_piece *piece;
    int64_t start[PARTS + 1]; /* of the parts in spare */
} order_parts;

/* Bytes behind the keys and as many spares. */
static size_t parts_bytes(int64_t n, int64_t wanted, int pieces) {
    return (size_t)pieces * (sizeof(order_piece) + sizeof(uint32_t) * BINS) + BINS +
           sizeof(uint32_t) * (size_t)(wanted < n ? 2 * n : n);
}

static void lay_out_parts(order_parts *p, int64_t n, int64_t wanted, int pieces, uint64_t *keys,
                          uint64_t *spare) {
    p->n = p->kept = n;
    p->wanted = wanted;
    p->pieces = pieces;
    p->keys = keys;
    p->spare = spare;
    p->piece = (order_piece *)(void *)(spare + n);
    p->bins = (uint32_t *)(void *)(p->piece + pieces);
    p->of = (uint8_t *)(p->bins + (int64_t)pieces * BINS);
    p->places = (uint32_t *)(void *)(p->of + BINS);
    p->from = wanted < n ? p->places + n : NULL;
}

/* Which bits of the keys that are kept, differing in those, are their bins. */
static void find_bins(order_parts *p, uint64_t varying) {
    const int all = 64 - __builtin_clzll(varying);
    p->bits = p->kept < NEAR_KEYS ? NEAR_BITS : BIN_BITS;
    p->shift = all > p->bits ? all - p->bits : 0;
}
static inline uint64_t bin_of(const order_parts *p, uint64_t key) {
    return key >> p->shift & ((UINT64_C(1) << p->bits) - 1);
}

/* Where a piece of n begins: of the row, or of what is kept when parts are shared out. */
static inline int64_t piece_start(const order_parts *p, int64_t n, int piece) {
    return n / p->pieces * piece + n % p->pieces * piece / p->pieces;
}

/* Which parts there are, and where each piece puts their keys. false: most keys are in one. */
static bool find_parts(order_parts *p) {
    const int64_t even = p->kept / (PARTS / 2); /* of two some have more */
    const int64_t size = even > PART ? even : PART;
    int64_t all = 0, here = 0, most = 0;
    int part = 0;
    for (int i = 0; i < p->pieces; i++) memset(p->piece[i].to, 0, sizeof p->piece[i].to);
    p->start[0] = 0;
    for (int b = 0; b < 1 << p->bits; b++) {
        int64_t keys = 0;
        for (int i = 0; i < p->pieces; i++) keys += p->bins[(int64_t)i * BINS + b];
        if (here && here + keys > size && part < PARTS - 1) {
            p->start[++part] = all;
            here = 0;
        }
        p->of[b] = (uint8_t)part;
        for (int i = 0; i < p->pieces; i++) p->piece[i].to[part] += p->bins[(int64_t)i * BINS + b];
        here += keys;
        all += keys;
        most = here > most ? here : most;
    }
    p->count = part + 1;
    p->start[p->count] = p->kept;
    for (int k = 0; k < p->count; k++) {
        int64_t at = p->start[k];
        for (int i = 0; i < p->pieces; i++) {
            const int64_t keys = p->piece[i].to[k];
            p->piece[i].to[k] = at;
            at += keys;
        }
    }
    return most <= p->n / 2 / p->pieces; /* `keys` has room for two such parts in each piece */
}

/* A key that, as a rule, some more than `wanted` of the row are not beyond, and not many more. */
static uint64_t parts_bound(const order_parts *p, const nomen__order_args *a, const order_type *t,
                            uint64_t flip) {
    enum { DRAWN = 4096, DEVIATIONS = 4 };
    uint64_t *const keys = p->spare, *const spare = keys + DRAWN;
    const double each = (double)DRAWN / (double)p->n;
    const double share = (double)p->wanted * each;
    const double rank =
        share + DEVIATIONS * sqrt(share * (1 - (double)p->wanted / (double)p->n)) + DEVIATIONS;
    if (rank >= DRAWN) return UINT64_MAX;
    t->keys64(keys, a->in, p->n / DRAWN * a->in_step, DRAWN, flip);
    return nth64_k(keys, spare, spare + DRAWN, DRAWN, (int64_t)rank, 8 * t->item);
}

/* Some keys of the row from `first` on that are not beyond the bound: how many. */
static int64_t keep_keys(uint64_t *keys, uint32_t *from, uint64_t bound, const nomen__order_args *a,
                         int64_t first, int64_t n, const order_type *t, uint64_t flip) {
    uint64_t own[BLOCK], at[BLOCK];
    uint32_t narrow[BLOCK], places[BLOCK];
    const char *in = a->in + first * a->in_step;
    int64_t kept;
    if (t->keys32) {
        t->keys32(narrow, in, a->in_step, n, flip);
        const uint32_t most = bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX;
        kept = pack_places_u32(places, narrow, n, most);
        for (int64_t j = 0; j < kept; j++) {
            keys[j] = narrow[places[j]];
            from[j] = (uint32_t)first + places[j];
        }
        return kept;
    }
    t->keys64(own, in, a->in_step, n, flip);
    kept = pack_places_u64(at, own, n, bound);
    for (int64_t j = 0; j < kept; j++) {
        keys[j] = own[at[j]];
        from[j] = (uint32_t)(first + (int64_t)at[j]);
    }
    return kept;
}

static void read_piece(const order_parts *p, int piece, const nomen__order_args *a,
                       const order_type *t, uint64_t flip) {
    const int64_t first = piece_start(p, p->n, piece), n = piece_start(p, p->n, piece + 1) - first;
    const int64_t most = p->from ? BLOCK : NOMEN__LONG_ROW;
    uint64_t *keys = p->keys + first;
    int64_t kept = 0, asked = 0;
    for (int64_t i = 0, some; i < n; i += some) {
        some = n - i < most ? n - i : most;
        if (p->from) {
            kept += keep_keys(keys + kept, p->from + first + kept, p->bound, a, first + i, some, t,
                              flip);
        } else {
            t->keys64(keys + i, a->in + (first + i) * a->in_step, a->in_step, some, flip);
            kept += some;
        }
        if (i - asked < NOMEN__LONG_ROW) continue;
        asked = i;
        if (nomen__kernel_stopped()) break;
    }
    p->piece[piece].kept = kept;
    p->piece[piece].varying = bits_that_vary(keys, 1, kept);
}

static void count_piece(const order_parts *p, int piece) {
    const int64_t first = piece_start(p, p->n, piece), end = first + p->piece[piece].kept;
    uint32_t *bins = p->bins + (int64_t)piece * BINS;
    memset(bins, 0, sizeof *bins << p->bits);
    for (int64_t i = first; i < end; i++) bins[bin_of(p, p->keys[i])]++;
}

static void spread_piece(const order_parts *p, int piece) {
    const int64_t first = piece_start(p, p->n, piece), last = first + p->piece[piece].kept;
    int64_t *to = p->piece[piece].to;
    for (int64_t i = first, end; i < last; i = end) {
        if (nomen__kernel_stopped()) return;
        end = last - i < NOMEN__LONG_ROW ? last : i + NOMEN__LONG_ROW;
        for (int64_t j = i; j < end; j++) {
            const int64_t at = to[p->of[bin_of(p, p->keys[j])]]++;
            p->spare[at] = p->keys[j];
            p->places[at] = p->from ? p->from[j] : (uint32_t)j;
        }
    }
}

/* One part in order, with its values and positions, as far as they are wanted. work: room for twice
 * its keys. */
static void finish_part(const order_parts *p, int part, uint64_t *work, const nomen__order_args *a,
                        const order_type *t, uint64_t flip) {
    const int64_t start = p->start[part], n = p->start[part + 1] - start;
    const int64_t wanted = p->wanted - start < n ? p->wanted - start : n;
    const uint64_t *own = p->spare + start;
    uint64_t *made = work, *other = work + n;
    char *values = moved(a->values, start * a->value_step);
    char *indices = moved(a->indices, start * a->index_step);
    sort_halves(made, other, own, 1, n, bits_that_vary(own, 1, n),
                n <= 4 * PART ? 24 : 32); /* most lie evenly here */
    for (int64_t i = 0; i < wanted; i++) {
        const int64_t at = (int64_t)(made[i] & UINT32_MAX);
        other[i] = own[at];
        made[i] = p->places[start + at];
    }
    order_grid g = order_line(wanted, a->index_step, 0, sizeof *made);
    if (indices) places32_e(indices, place_of32_e(made), &g);
    if (!values) return;
    t->bare64(values, a->value_step, other, 1, wanted, flip);
    for (int nan = 0; t->floating && nan < 2; nan++) {
        int64_t count, first = odd_ones64_k(other, wanted, nan, t, flip, &count);
        g = order_line(count, a->value_step, a->in_step, sizeof *made);
        values32_e(values + first * a->value_step, a->in, place_of32_e(made + first), &g, t->item);
    }
}

/* The parts that begin where the piece would. */
static void finish_piece(const order_parts *p, int piece, const nomen__order_args *a,
                         const order_type *t, uint64_t flip) {
    const int64_t first = piece_start(p, p->wanted, piece),
                  end = piece_start(p, p->wanted, piece + 1);
    for (int k = 0; k < p->count && !nomen__kernel_stopped(); k++)
        if (p->start[k] >= first && p->start[k] < end && p->start[k + 1] > p->start[k])
            finish_part(p, k, p->keys + piece_start(p, p->n, piece), a, t, flip);
}

/* One row whose keys are there, of which more than the lower halves vary; two spares of as many
 * keys. a: of this row. false: nothing has been done. */
static bool sort_parts(const nomen__order_args *a, uint64_t *keys, uint64_t varying,
                       uint64_t *spare, const order_type *t, uint64_t flip) {
    order_parts p;
    lay_out_parts(&p, a->n, a->n, 1, keys, spare);
    p.piece->kept = a->n;
    find_bins(&p, varying);
    count_piece(&p, 0);
    if (!find_parts(&p)) return false;
    spread_piece(&p, 0);
    finish_piece(&p, 0, a, t, flip);
    return true;
}

/* ---- a row that several threads share ---------------------------------------------------------
 */

static size_t share_bytes(const nomen__order_args *a) {
    return sizeof(order_parts) + 2 * sizeof(uint64_t) * (size_t)a->n +
           parts_bytes(a->n, a->count, a->pieces);
}

/* How many keys were kept, and in which bits they differ. */
static uint64_t count_kept(order_parts *p) {
    uint64_t varying = 0;
    const uint64_t *any = NULL;
    p->kept = 0;
    for (int i = 0; i < p->pieces; i++) {
        const uint64_t *first = p->keys + piece_start(p, p->n, i);
        if (!p->piece[i].kept) continue;
        if (!any) any = first;
        varying |= p->piece[i].varying | (*first ^ *any);
        p->kept += p->piece[i].kept;
    }
    return varying;
}

/* Before each phase, by one thread. false: `run` is to do all. */
static bool share_begin(const nomen__order_args *a, void *scratch, int phase, const order_type *t) {
    order_parts *p = scratch;
    uint64_t *keys = (uint64_t *)(void *)(p + 1), varying;
    switch (phase) {
    case READ:
        lay_out_parts(p, a->n, a->count, a->pieces, keys, keys + a->n);
        if (p->from) p->bound = parts_bound(p, a, t, flip_of(a, t));
        return true;
    case COUNT:
        varying = count_kept(p);
        if (!varying || p->kept < p->wanted) return false;
        find_bins(p, varying);
        return true;
    case SPREAD: return find_parts(p);
    default: return true;
    }
}

static void share_piece(const nomen__order_args *a, void *scratch, int phase, int piece,
                        const order_type *t) {
    const order_parts *p = scratch;
    switch (phase) {
    case READ: read_piece(p, piece, a, t, flip_of(a, t)); break;
    case COUNT: count_piece(p, piece); break;
    case SPREAD: spread_piece(p, piece); break;
    default: finish_piece(p, piece, a, t, flip_of(a, t));
    }
}

/* ---- rows that one thread sorts -------------------------------------------------------------- */

/* A batch of rows, one if there are no positions to keep. Two spares of as many keys as a row has.
 */
static void sort_by_halves(const nomen__order_args *a, int64_t row, int64_t rows, uint64_t *keys,
                           uint64_t *spare, const order_type *t, uint64_t flip) {
    nomen__order_args rest = *a;
    uint64_t *made = rows == 1 ? spare : keys, *other = spare + a->n;
    for (int64_t r = 0; r < rows; r++) {
        uint64_t *mine = keys + r * a->n;
        const uint64_t varying = bits_that_vary(mine, 1, a->n);
        const bool narrow = !(varying >> 32);
        if (narrow && !a->indices && rows == 1 && a->n > SOME) { /* few digits, without positions */
            radix64_k(mine, spare, a->n);
            numbers64_e(a, row, 1, mine, t, flip);
            return;
        }
        if (!narrow && rows == 1 && a->n >= PARTED_ALONE) {
            rest.in = a->in + row * a->in_row;
            rest.values = moved(a->values, row * a->value_row);
            rest.indices = moved(a->indices, row * a->index_row);
            if (sort_parts(&rest, mine, varying, spare, t, flip)) return;
            rest = *a;
        }
        sort_halves(spare, other, mine, 1, a->n, varying, bits_for(a->n));
        if (rows > 1) {
            memcpy(mine, spare, sizeof *mine * (size_t)a->n);
        } else if (narrow && a->values && a->n >= KEYED) {
            const uint64_t common = mine[0] & ~(uint64_t)UINT32_MAX;
            for (int64_t i = 0; i < a->n; i++) other[i] = common | spare[i] >> 32;
            numbers64_e(a, row, 1, other, t, flip);
            rest.values = NULL;
        }
    }
    deliver_all32_e(&rest, row, rows, made, a->n, t->item);
}
