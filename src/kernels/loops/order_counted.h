/* Part of order.c: rows whose keys lie within 16 bits are sorted by counting. Of a few kinds of
 * keys each position goes where it belongs at once, and keys are written down in order as often as
 * they are there; of more positions go by the lower digit first, with the upper one.
 *
 * Limit: a number is read three times, 0.3 ns each, and goes to one of some hundred places once or
 * twice, 1.3 ns. */

enum { COUNTED_BITS = 8, COUNTED_KINDS = 1 << COUNTED_BITS, COUNTED_MOST = 1 << 24 };

/* Rows that are so long (and of elements that are so wide) that it takes less time. Those of up to
 * WIDE wider elements are sorted before it would be known how far their keys lie apart. */
static bool may_be_counted(const nomen__order_args *a, const order_type *t) {
    enum { LEAST = VB > 32 ? 512 : 256, LONGER = 4096 };
    const int64_t least = t->item == 1 ? LEAST : t->item == 2 ? LONGER : WIDE + LONGER;
    return a->n >= least && a->n <= COUNTED_MOST && (a->rows == 1 || !are_beside(a));
}

/* Keys as they come, in order, with their positions, and as two digits. */
static size_t counted_bytes(const nomen__order_args *a) {
    return (3 * sizeof(uint32_t) + sizeof(uint16_t)) * (size_t)a->n;
}

/* The keys of a row less the least of them; false: they lie too far apart, or it was stopped. */
static APART bool take_counted(uint32_t *keys, const nomen__order_args *a, const order_type *t,
                               uint64_t flip, uint32_t *low, uint32_t *range) {
    uint32_t least = UINT32_MAX, most = 0;
    for (int64_t i = 0, n; i < a->n; i += n) {
        n = a->n - i < BLOCK ? a->n - i : BLOCK;
        t->keys32(keys + i, a->in + i * a->in_step, a->in_step, n, flip);
        for (int64_t j = i; j < i + n; j++) {
            least = keys[j] < least ? keys[j] : least;
            most = keys[j] > most ? keys[j] : most;
        }
        if (most - least > UINT16_MAX) return false;
    }
    for (int64_t i = 0; i < a->n; i++) keys[i] -= least;
    *low = least;
    *range = most - least;
    return !nomen__kernel_stopped();
}

/* Have some keys of the row, far from each other, few kinds? */
static bool are_few_kinds(const nomen__order_args *a, const order_type *t) {
    enum { ASKED = 64 };
    uint32_t keys[ASKED], least = UINT32_MAX, most = 0;
    t->keys32(keys, a->in, a->n / ASKED * a->in_step, ASKED, 0);
    for (int i = 0; i < ASKED; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    return most - least < COUNTED_KINDS;
}

/* How many of n have each of the digits at `shift`. */
static void count_digits(uint32_t count[COUNTED_KINDS], const uint32_t *keys, int64_t n,
                         int shift) {
    uint32_t more[COUNTED_KINDS] = {0}; /* equal neighbours do not wait for each other */
    int64_t i = 0;
    memset(count, 0, sizeof *count * COUNTED_KINDS);
    for (; i + 2 <= n; i += 2) {
        count[keys[i] >> shift & (COUNTED_KINDS - 1)]++;
        more[keys[i + 1] >> shift & (COUNTED_KINDS - 1)]++;
    }
    if (i < n) count[keys[i] >> shift & (COUNTED_KINDS - 1)]++;
    for (int d = 0; d < COUNTED_KINDS; d++) count[d] += more[d];
}

/* Counts become where each digit begins. */
static void begin_digits(uint32_t at[COUNTED_KINDS]) {
    uint32_t first = 0;
    for (int d = 0; d < COUNTED_KINDS; d++) {
        const uint32_t here = at[d];
        at[d] = first;
        first += here;
    }
}

/* Keys of so many of each kind, from `low` on, in order. */
static void write_counted(uint32_t *to, const uint32_t count[COUNTED_KINDS], uint32_t low) {
    for (int d = 0; d < COUNTED_KINDS; d++)
        for (uint32_t i = 0; i < count[d]; i++) *to++ = low + (uint32_t)d;
}

/* Two halves of a row by turns, each with its own counters, which wait for themselves where keys
 * are the same again and again. */
static inline __attribute__((always_inline)) void
place_kinds(char *restrict indices, const int64_t step, const uint32_t *restrict keys, int64_t n,
            uint32_t *restrict at, uint32_t *restrict second) {
    const int64_t half = n / 2;
    for (int64_t i = 0; i < half; i++) {
        const int64_t j = half + i;
        memcpy(indices + at[keys[i]]++ * step, &i, sizeof i);
        memcpy(indices + second[keys[j]]++ * step, &j, sizeof j);
    }
    for (int64_t i = 2 * half; i < n; i++) memcpy(indices + second[keys[i]]++ * step, &i, sizeof i);
}

/* A few kinds of keys. */
static APART void sort_kinds(uint32_t *sorted, const uint32_t *keys, const nomen__order_args *a,
                             uint32_t low) {
    uint32_t count[COUNTED_KINDS], at[COUNTED_KINDS], second[COUNTED_KINDS];
    count_digits(second, keys, a->n / 2, 0);
    count_digits(count, keys + a->n / 2, a->n - a->n / 2, 0);
    for (int d = 0; d < COUNTED_KINDS; d++) count[d] += second[d];
    memcpy(at, count, sizeof at);
    begin_digits(at);
    for (int d = 0; d < COUNTED_KINDS; d++) second[d] += at[d];
    if (a->indices && a->index_step == sizeof(int64_t))
        place_kinds(a->indices, sizeof(int64_t), keys, a->n, at, second);
    else if (a->indices)
        place_kinds(a->indices, a->index_step, keys, a->n, at, second);
    if (a->values) write_counted(sorted, count, low);
}

/* Positions with their upper digits, which share the lower one, to where they belong, and keys. */
static inline __attribute__((always_inline)) void
place_counted(char *restrict indices, const int64_t step, uint16_t *restrict sorted,
              const uint32_t *restrict digits, int64_t n, uint32_t lower, uint32_t *restrict next) {
    for (int64_t i = 0; i < n; i++) {
        const int64_t place = digits[i] >> COUNTED_BITS;
        const uint32_t upper = digits[i] & (COUNTED_KINDS - 1), to = next[upper]++;
        sorted[to] = (uint16_t)(upper << COUNTED_BITS | lower);
        if (indices) memcpy(indices + to * step, &place, sizeof place);
    }
}

/* More of them, digit by digit; spare has room for as many. */
static APART void sort_many_kinds(uint32_t *sorted, uint32_t *restrict spare,
                                  const uint32_t *restrict keys, const nomen__order_args *a,
                                  uint32_t low) {
    const int64_t n = a->n, half = n / 2;
    uint32_t at[COUNTED_KINDS], second[COUNTED_KINDS], next[COUNTED_KINDS], begin = 0;
    uint16_t *const made = (uint16_t *)(void *)(spare + n);
    count_digits(second, keys, half, 0);
    count_digits(at, keys + half, n - half, 0);
    for (int d = 0; d < COUNTED_KINDS; d++) at[d] += second[d];
    begin_digits(at);
    for (int d = 0; d < COUNTED_KINDS; d++) second[d] += at[d];
    count_digits(next, keys, n, COUNTED_BITS);
    begin_digits(next);
    for (int64_t i = 0; i < half; i++) {
        const uint32_t one = keys[i], other = keys[half + i];
        spare[at[one & (COUNTED_KINDS - 1)]++] = (uint32_t)i << COUNTED_BITS | one >> COUNTED_BITS;
        spare[second[other & (COUNTED_KINDS - 1)]++] =
            (uint32_t)(half + i) << COUNTED_BITS | other >> COUNTED_BITS;
    }
    for (int64_t i = 2 * half; i < n; i++)
        spare[second[keys[i] & (COUNTED_KINDS - 1)]++] =
            (uint32_t)i << COUNTED_BITS | keys[i] >> COUNTED_BITS;
    for (int d = 0; d < COUNTED_KINDS; begin = second[d++]) /* where the digit ends */
        if (a->indices && a->index_step == sizeof(int64_t))
            place_counted(a->indices, sizeof(int64_t), made, spare + begin, second[d] - begin,
                          (uint32_t)d, next);
        else
            place_counted(a->indices, a->index_step, made, spare + begin, second[d] - begin,
                          (uint32_t)d, next);
    for (int64_t i = 0; a->values && i < n; i++) sorted[i] = low + made[i];
}

/* The numbers of sorted keys; those of which a key does not say all come from the row, by their
 * positions where these are there. */
static void deliver_counted(const uint32_t *keys, const nomen__order_args *a, const order_type *t,
                            uint64_t flip) {
    t->bare32(a->values, a->value_step, keys, 1, a->n, flip);
    if (!t->floating) return;
    if (!a->indices) {
        t->odd32(a->values, a->value_step, keys, a->n, flip, a->in, a->in_step);
        return;
    }
    const int last = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
    for (int nan = 0; nan < 2; nan++) {
        int64_t count, first = odd_ones32_k(keys, a->n, nan, t, flip, &count);
        const order_grid g = order_line(count, a->value_step, a->in_step, a->index_step);
        values32_e(a->values + first * a->value_step, a->in,
                   a->indices + first * a->index_step + last, &g, t->item);
    }
}

/* One row; false: it has to be sorted otherwise. */
static bool sort_counted(const nomen__order_args *a, void *scratch, const order_type *t) {
    uint32_t *keys = scratch, low, range;
    const uint64_t flip = flip_of(a, t);
    if (!take_counted(keys, a, t, flip, &low, &range)) return false;
    uint32_t *const sorted = keys + a->n;
    if (range < COUNTED_KINDS)
        sort_kinds(sorted, keys, a, low);
    else
        sort_many_kinds(sorted, sorted + a->n, keys, a, low);
    if (a->values) deliver_counted(sorted, a, t, flip);
    return true;
}

static void run_counted(const nomen__order_args *a, void *scratch, const order_type *t) {
    nomen__order_args one = *a;
    one.rows = 1;
    for (int64_t r = 0; r < a->rows; r++) {
        one.in = a->in + r * a->in_row;
        one.values = moved(a->values, r * a->value_row);
        one.indices = moved(a->indices, r * a->index_row);
        if (!sort_counted(&one, scratch, t)) run32_e(&one, scratch, SORT, t);
    }
}
