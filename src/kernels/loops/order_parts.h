/* Part of order_run.h: whole rows of keys of 64 bits, by their halves (order_halves.h), long ones
 * part by part. */

/* Parts of a long row, in order, from start[k] to start[k + 1]: each stays in cache while it is
 * sorted. To which one a key belongs the first of its bits that vary say. */
enum { BINS = 1 << 16, PARTS = 256, PART = 8192 };
typedef struct order_parts {
    int count, shift;
    uint8_t *of; /* bin -> part; BINS */
    int64_t start[PARTS + 1];
} order_parts;

/* bins: room for so many numbers. false: one part would have nearly all. */
static bool find_parts(order_parts *p, uint32_t *bins, const uint64_t *keys, int64_t n,
                       uint64_t varying) {
    const int64_t size =
        n / (PARTS / 2) > PART ? n / (PARTS / 2) : PART; /* of two some have more */
    p->shift = 48 - __builtin_clzll(varying);
    memset(bins, 0, sizeof *bins * BINS);
    for (int64_t i = 0; i < n; i++) bins[keys[i] >> p->shift & (BINS - 1)]++;
    int64_t all = 0, here = 0, most = 0;
    p->count = 1;
    p->start[0] = 0;
    for (int b = 0; b < BINS; b++) {
        if (here && here + bins[b] > size && p->count < PARTS) {
            p->start[p->count++] = all;
            here = 0;
        }
        p->of[b] = (uint8_t)(p->count - 1);
        here += bins[b];
        all += bins[b];
        most = here > most ? here : most;
    }
    p->start[p->count] = n;
    return most <= n / 2;
}

/* One long row, of whose keys more than the lower halves vary, part by part; two spares of as many
 * keys. false: nothing has been done, for a row that would have nearly all in one part. */
static bool sort_parts(const nomen__order_args *a, int64_t row, uint64_t *keys, uint64_t varying,
                       uint64_t *spare, const order_type *t, uint64_t flip) {
    order_parts p;
    uint32_t *places = (uint32_t *)(void *)(spare + a->n), *bins = places + a->n;
    const char *in = a->in + row * a->in_row;
    p.of = (uint8_t *)(bins + BINS);
    if (!find_parts(&p, bins, keys, a->n, varying)) return false;
    int64_t to[PARTS];
    memcpy(to, p.start, sizeof to);
    for (int64_t i = 0, end; i < a->n; i = end) {
        if (nomen__kernel_stopped()) return true;
        end = a->n - i < NOMEN__LONG_ROW ? a->n : i + NOMEN__LONG_ROW;
        for (int64_t j = i; j < end; j++) {
            const int64_t at = to[p.of[keys[j] >> p.shift & (BINS - 1)]]++;
            spare[at] = keys[j];
            places[at] = (uint32_t)j;
        }
    }
    for (int k = 0; k < p.count && !nomen__kernel_stopped(); k++) {
        const int64_t start = p.start[k], n = p.start[k + 1] - start;
        const uint64_t *own = spare + start;
        uint64_t *made = keys, *other = keys + n; /* these are in the parts */
        char *values = moved(a->values, row * a->value_row + start * a->value_step);
        char *indices = moved(a->indices, row * a->index_row + start * a->index_step);
        if (!n) continue;
        sort_halves(made, other, own, 1, n, bits_that_vary(own, 1, n),
                    n <= 4 * PART ? 24 : 32); /* most lie evenly here */
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = (int64_t)(made[i] & UINT32_MAX);
            other[i] = own[at];
            made[i] = places[start + at];
        }
        if (indices) places32_e(indices, a->index_step, made, 1, n);
        if (!values) continue;
        t->bare64(values, a->value_step, other, 1, n, flip);
        for (int nan = 0; t->floating && nan < 2; nan++) {
            int64_t count, first = odd_ones64_k(other, n, nan, t, flip, &count);
            values32_e(values + first * a->value_step, a->value_step, in, a->in_step, made + first,
                       1, 0, count, t->item);
        }
    }
    return true;
}

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
        if (narrow && !a->indices) { /* few digits, without positions */
            radix64_k(mine, spare, a->n);
            numbers64_e(a, row, 1, mine, t, flip);
            return;
        }
        if (!narrow && rows == 1 && a->n >= PARTED &&
            sort_parts(a, row, mine, varying, spare, t, flip))
            return;
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
