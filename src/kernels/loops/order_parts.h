/* Part of order_run.h: one long row, by one thread or by several. Its keys are spread over parts,
 * by the first of the bits that vary, and each part stays in cache while it is sorted. What several
 * threads do they do in phases, a piece each; a phase begins when the one before has ended. */

/* A key belongs to one of so many bins, a part is one bin or more; pieces of the row as launched.
 */
enum { BINS = 1 << 16, PARTS = 256, PART = 8192 };
enum { READ, COUNT, SPREAD, FINISH };
_Static_assert(FINISH + 1 == NOMEN__ORDER_PHASES, "as kernel.h says");

typedef struct order_piece {
    uint64_t varying;  /* bits in which its keys differ from the first */
    int64_t to[PARTS]; /* where its next key of a part goes */
} order_piece;

typedef struct order_parts {
    int64_t n;
    int pieces, count, shift; /* count of parts */
    uint64_t *keys, *spare;   /* in the order of the row, of the parts */
    uint32_t *places, *bins;  /* of the keys in spare; keys of a piece in each bin */
    uint8_t *of;              /* bin -> part */
    order_piece *piece;
    int64_t start[PARTS + 1]; /* of the parts in spare */
} order_parts;

/* Bytes behind the keys and as many spares. */
static size_t parts_bytes(int64_t n, int pieces) {
    return (size_t)pieces * (sizeof(order_piece) + sizeof(uint32_t) * BINS) + BINS +
           sizeof(uint32_t) * (size_t)n;
}

static void lay_out_parts(order_parts *p, int64_t n, int pieces, uint64_t *keys, uint64_t *spare) {
    p->n = n;
    p->pieces = pieces;
    p->keys = keys;
    p->spare = spare;
    p->piece = (order_piece *)(void *)(spare + n);
    p->bins = (uint32_t *)(void *)(p->piece + pieces);
    p->of = (uint8_t *)(p->bins + (int64_t)pieces * BINS);
    p->places = (uint32_t *)(void *)(p->of + BINS);
}

/* Where a piece begins in the row, and in the parts when they are shared out. */
static inline int64_t piece_start(const order_parts *p, int piece) {
    return p->n / p->pieces * piece + p->n % p->pieces * piece / p->pieces;
}

/* Which parts there are, and where each piece puts their keys. false: most keys are in one. */
static bool find_parts(order_parts *p) {
    const int64_t even = p->n / (PARTS / 2); /* of two some have more */
    const int64_t size = even > PART ? even : PART;
    int64_t all = 0, here = 0, most = 0;
    int part = 0;
    for (int i = 0; i < p->pieces; i++) memset(p->piece[i].to, 0, sizeof p->piece[i].to);
    p->start[0] = 0;
    for (int b = 0; b < BINS; b++) {
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
    p->start[p->count] = p->n;
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

static void read_piece(const order_parts *p, int piece, const nomen__order_args *a,
                       const order_type *t, uint64_t flip) {
    const int64_t first = piece_start(p, piece), n = piece_start(p, piece + 1) - first;
    uint64_t *keys = p->keys + first;
    for (int64_t i = 0, some; i < n; i += some) {
        some = n - i < NOMEN__LONG_ROW ? n - i : NOMEN__LONG_ROW;
        t->keys64(keys + i, a->in + (first + i) * a->in_step, a->in_step, some, flip);
        if (nomen__kernel_stopped()) return;
    }
    p->piece[piece].varying = bits_that_vary(keys, 1, n);
}

static void count_piece(const order_parts *p, int piece) {
    const int64_t end = piece_start(p, piece + 1);
    uint32_t *bins = p->bins + (int64_t)piece * BINS;
    memset(bins, 0, sizeof *bins * BINS);
    for (int64_t i = piece_start(p, piece); i < end; i++)
        bins[p->keys[i] >> p->shift & (BINS - 1)]++;
}

static void spread_piece(const order_parts *p, int piece) {
    const int64_t last = piece_start(p, piece + 1);
    int64_t *to = p->piece[piece].to;
    for (int64_t i = piece_start(p, piece), end; i < last; i = end) {
        if (nomen__kernel_stopped()) return;
        end = last - i < NOMEN__LONG_ROW ? last : i + NOMEN__LONG_ROW;
        for (int64_t j = i; j < end; j++) {
            const int64_t at = to[p->of[p->keys[j] >> p->shift & (BINS - 1)]]++;
            p->spare[at] = p->keys[j];
            p->places[at] = (uint32_t)j;
        }
    }
}

/* One part in order, with its values and positions. work: room for twice its keys. */
static void finish_part(const order_parts *p, int part, uint64_t *work, const nomen__order_args *a,
                        const order_type *t, uint64_t flip) {
    const int64_t start = p->start[part], n = p->start[part + 1] - start;
    const uint64_t *own = p->spare + start;
    uint64_t *made = work, *other = work + n;
    char *values = moved(a->values, start * a->value_step);
    char *indices = moved(a->indices, start * a->index_step);
    sort_halves(made, other, own, 1, n, bits_that_vary(own, 1, n),
                n <= 4 * PART ? 24 : 32); /* most lie evenly here */
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (int64_t)(made[i] & UINT32_MAX);
        other[i] = own[at];
        made[i] = p->places[start + at];
    }
    order_grid g = order_line(n, a->index_step, 0, sizeof *made);
    if (indices) places32_e(indices, place_of32_e(made), &g);
    if (!values) return;
    t->bare64(values, a->value_step, other, 1, n, flip);
    for (int nan = 0; t->floating && nan < 2; nan++) {
        int64_t count, first = odd_ones64_k(other, n, nan, t, flip, &count);
        g = order_line(count, a->value_step, a->in_step, sizeof *made);
        values32_e(values + first * a->value_step, a->in, place_of32_e(made + first), &g, t->item);
    }
}

/* The parts that begin where the piece would. */
static void finish_piece(const order_parts *p, int piece, const nomen__order_args *a,
                         const order_type *t, uint64_t flip) {
    const int64_t first = piece_start(p, piece), end = piece_start(p, piece + 1);
    for (int k = 0; k < p->count && !nomen__kernel_stopped(); k++)
        if (p->start[k] >= first && p->start[k] < end && p->start[k + 1] > p->start[k])
            finish_part(p, k, p->keys + first, a, t, flip);
}

/* One row whose keys are there, of which more than the lower halves vary; two spares of as many
 * keys. a: of this row. false: nothing has been done. */
static bool sort_parts(const nomen__order_args *a, uint64_t *keys, uint64_t varying,
                       uint64_t *spare, const order_type *t, uint64_t flip) {
    order_parts p;
    lay_out_parts(&p, a->n, 1, keys, spare);
    p.shift = 48 - __builtin_clzll(varying);
    count_piece(&p, 0);
    if (!find_parts(&p)) return false;
    spread_piece(&p, 0);
    finish_piece(&p, 0, a, t, flip);
    return true;
}

/* ---- a row that several threads share ---------------------------------------------------------
 */

static size_t share_bytes(const nomen__order_args *a) {
    return sizeof(order_parts) + 2 * sizeof(uint64_t) * (size_t)a->n + parts_bytes(a->n, a->pieces);
}

/* Before each phase, by one thread. false: `run` is to do all. */
static bool share_begin(const nomen__order_args *a, void *scratch, int phase) {
    order_parts *p = scratch;
    uint64_t *keys = (uint64_t *)(void *)(p + 1), varying = 0;
    switch (phase) {
    case READ: lay_out_parts(p, a->n, a->pieces, keys, keys + a->n); return true;
    case COUNT:
        for (int i = 0; i < p->pieces; i++)
            varying |= p->piece[i].varying | (keys[piece_start(p, i)] ^ keys[0]);
        if (!varying) return false;
        p->shift = varying >> 16 ? 48 - __builtin_clzll(varying) : 0;
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
