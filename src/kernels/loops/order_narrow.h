/* Part of order_lanes.h: rows of keys of 64 bits, side by side, by 32 bits of them. What the keys
 * of a row are above the least of them is cut behind so many bits, from the first one that any row
 * needs: so two vectors of rows become one, and its network takes half of the comparisons, each of
 * which takes half of the time. Keys that differ only in what was cut off are looked at afterwards.
 * Where that are many, nothing is done, and whole keys go by the network.
 *
 * Limit: about 6 cycles for each level of two vectors (AVX2), where the network of 100 levels takes
 * 20. */

/* Shorter rows are done in less time than they are cut. */
enum { NARROW_LEAST = 9 };

/* What was cut: how many bits, and bounds of each lane's keys from below, and of all from above. */
typedef struct narrow_cut {
    int lost;
    int64_t most;
    uint64_t low[2 * level64_lanes];
} narrow_cut;

/* The lower halves of all lanes of two vectors. */
static inline __attribute__((always_inline)) some32_k narrow_halves(some64_k a, some64_k b) {
    const some32_k x = (some32_k)a, y = (some32_k)b;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    enum { AT = 0 };
#else
    enum { AT = 1 };
#endif
#if VB == 64
    return __builtin_shufflevector(x, y, AT, AT + 2, AT + 4, AT + 6, AT + 8, AT + 10, AT + 12,
                                   AT + 14, AT + 16, AT + 18, AT + 20, AT + 22, AT + 24, AT + 26,
                                   AT + 28, AT + 30);
#elif VB == 32 /* in each 16 bytes, and these */
    const some64_k turned = (some64_k)__builtin_shufflevector(x, y, AT, AT + 2, AT + 8, AT + 10,
                                                              AT + 4, AT + 6, AT + 12, AT + 14);
    return (some32_k)__builtin_shufflevector(turned, turned, 0, 2, 1, 3);
#else
    return __builtin_shufflevector(x, y, AT, AT + 2, AT + 4, AT + 6);
#endif
}

/* The least and the greatest key of each lane of n levels. */
static inline __attribute__((always_inline)) void narrow_range(some64_k *least, some64_k *most,
                                                               const level64_k *v, int64_t n) {
    level64_k low = v[0], high = v[0];
    for (int64_t i = 1; i < n; i++) {
        low = v_lesser_i64(v[i], low);
        high = v_greater_i64(v[i], high);
    }
    *least = (some64_k)low;
    *most = (some64_k)high;
}

/* By their upper halves alone, which takes a quarter of the time: bounds of them. */
static inline __attribute__((always_inline)) void narrow_bounds(some64_k *least, some64_k *most,
                                                                const level64_k *v, int64_t n) {
    const uint64_t upper = (uint64_t)UINT32_MAX << 32;
    level32_k low = (level32_k)v[0], high = low;
    for (int64_t i = 1; i < n; i++) {
        low = v_lesser_i32((level32_k)v[i], low);
        high = v_greater_i32((level32_k)v[i], high);
    }
    *least = (some64_k)low & upper;
    *most = (some64_k)high | ~upper;
}

/* n levels of two vectors of rows become levels of one, with a position of so many bits below. */
static APART void narrow_levels(level32_k *to, narrow_cut *cut, const level64_k *a,
                                const level64_k *b, int64_t n, int places) {
    enum { W = level64_lanes, CLOSE = 40 }; /* bits: keys that may be told from each other */
    some64_k low[2], high[2];
    uint64_t gap[2 * W], range = 1;
    int64_t most[2 * W];
    for (int exact = 0; exact < 2; exact++) {
        if (exact) {
            narrow_range(&low[0], &high[0], a, n);
            narrow_range(&low[1], &high[1], b, n);
        } else {
            narrow_bounds(&low[0], &high[0], a, n);
            narrow_bounds(&low[1], &high[1], b, n);
        }
        const some64_k gaps[2] = {high[0] - low[0], high[1] - low[1]};
        memcpy(gap, gaps, sizeof gap);
        range = 1;
        for (int r = 0; r < 2 * W; r++) range |= gap[r];
        if (range >> CLOSE) break;
    }
    memcpy(cut->low, low, sizeof cut->low);
    memcpy(most, high, sizeof most);
    cut->most = most[0];
    for (int r = 1; r < 2 * W; r++) cut->most = most[r] > cut->most ? most[r] : cut->most;
    const int bits = 64 - __builtin_clzll(range), room = 32 - places,
              lost = bits > room ? bits - room : 0;
    const uint32_t sign = UINT32_C(1) << 31;
    some32_k at = (some32_k){0} + sign;
    for (int64_t i = 0; i < n; i++, at += places > 0) {
        const some32_k own =
            narrow_halves(((some64_k)a[i] - low[0]) >> lost, ((some64_k)b[i] - low[1]) >> lost);
        to[i] = (level32_k)(own << places ^ at);
    }
    cut->lost = lost;
}

/* ---- one element of each row ----------------------------------------------------------------- */

/* Of the keys of a lane that are alike in what was left of them, in which `found` has rank k, the
 * position of the one that has it. false: there are too many. */
static APART bool narrow_tied(uint32_t *at, const int32_t *cut, const int64_t *keys, int64_t n,
                              int32_t found, int64_t k) {
    enum { CUTS = 2 * level64_lanes, KEYS = level64_lanes };
    int64_t tied[FEW];
    uint32_t places[FEW];
    int ties = 0;
    for (int64_t i = 0; i < n; i++) {
        k -= cut[i * CUTS] < found;
        if (cut[i * CUTS] != found) continue;
        if (ties == FEW) return false;
        places[ties] = (uint32_t)i;
        tied[ties++] = keys[i * KEYS];
    }
    for (int j = 0; j < ties; j++) {
        int less = 0, upto = 0;
        for (int i = 0; i < ties; i++) {
            less += tied[i] < tied[j];
            upto += tied[i] <= tied[j];
        }
        if (k < less || k >= upto) continue;
        *at = places[j];
        return true;
    }
    return false;
}

/* Where a key stands in each lane of n levels, the first position or the last one, and how often.
 * By itself: beside code that reads single lanes gcc leaves vectors in memory. */
static APART void narrow_places(uint32_t place[level32_lanes], int32_t times[level32_lanes],
                                const level32_k *v, int64_t n, level32_k key, bool last) {
    level32_k at = {0}, same = {0};
    if (last)
        at = bare_places32_k(v, n, key, true);
    else
        for (int64_t i = 0; i < n; i++) {
            const level32_k own = v[i] == key;
            at = v_greater_i32(at, own & (int32_t)(n - i));
            same -= own;
        }
    if (!last) at = (int32_t)n - at;
    memcpy(place, &at, sizeof at);
    memcpy(times, &same, sizeof same);
}

/* The positions of what a selection or a mode wants of the rows of two vectors. v: room for twice
 * as many levels. false: there is a NaN, or too many keys are alike. */
static bool bare_narrow(uint64_t at[2 * level64_lanes], level32_k *v, const level64_k *a,
                        const level64_k *b, const nomen__order_args *args, order_what what,
                        const order_type *t) {
    enum { W = 2 * level64_lanes };
    static const order_type plain = {.item = sizeof(uint32_t)};
    const int64_t n = args->n;
    narrow_cut cut;
    level32_k *const came = v + level_count32_k(n), found;
    uint32_t place[W];
    int32_t times[W], key[W];
    narrow_levels(came, &cut, a, b, n, 0);
    const int64_t nan = (int64_t)(UINT64_MAX >> (64 - 8 * t->item) ^ SIGN);
    if ((t->floating && cut.most == nan) || (cut.lost && what == MODE)) return false;
    memcpy(v, came, sizeof *v * (size_t)n);
    if (what == MODE) {
        bare_sort32_k(v, n, n);
        found = most_often32_k(v, n);
    } else {
        found = select_rank32_k(v, args, what, &plain);
    }
    narrow_places(place, times, came, n, found, what == MODE);
    memcpy(key, &found, sizeof key);
    for (int r = 0; cut.lost && r < W; r++) {
        const int64_t *const keys = (const int64_t *)(r < W / 2 ? a : b) + r % (W / 2);
        if (times[r] != 1 && !narrow_tied(&place[r], (const int32_t *)came + r, keys, n, key[r],
                                          rank32_k(args, what, 0)))
            return false;
    }
    for (int r = 0; r < W; r++) at[r] = place[r];
    return true;
}

/* Of each row of two vectors a key that is not before the one of rank count - 1, nor far behind it.
 * v: room for three times the levels and a vector of rows each. */
static void last_narrow(uint64_t *last, level64_k *v, const uint64_t *keys, int64_t rows, int64_t n,
                        int64_t count) {
    enum { W = level64_lanes };
    level64_k *const b = v + n + W;
    level32_k *const words = (level32_k *)(b + n + W);
    narrow_cut cut;
    bare_turned64_k(v, keys, n, n);
    bare_turned64_k(b, keys + W * n, n, n);
    narrow_levels(words, &cut, v, b, n, 0);
    bare_sort32_k(words, n, count);
    for (int64_t r = 0; r < rows; r++) {
        const uint64_t least = cut.low[r] ^ SIGN,
                       above = (uint64_t)((uint32_t)words[count - 1][r] ^ UINT32_C(1) << 31);
        const uint64_t own = least + (above << cut.lost | ((UINT64_C(1) << cut.lost) - 1));
        last[r] = own < least ? UINT64_MAX : own;
    }
}

/* ---- rows in order --------------------------------------------------------------------------- */

/* Rows of narrow positions are so far apart. */
static inline int64_t narrow_pitch(const lanes64_s *l) {
    enum { W = level32_lanes };
    return (l->levels + W - 1) / W * W;
}

/* sort_lanes of two parts at a time: rows of positions of 32 bits. false: too many keys are alike,
 * and nothing has been done. */
static bool sort_narrow(const lanes64_s *l, const int64_t *counts, int64_t rows, int64_t wanted) {
    enum { W = level64_lanes };
    const int64_t pitch = narrow_pitch(l);
    uint16_t ties[TIED_MOST];
    const uint32_t mask = (uint32_t)l->mask, last = UINT32_MAX >> 1 & ~mask;
    for (int64_t row = 0; row < rows; row += 2 * W) {
        const int64_t part = row / W, some = rows - row < 2 * W ? rows - row : 2 * W;
        level32_k *const words = (level32_k *)(l->words + part * l->room);
        const level64_k *const a = l->keys + part * l->room, *const b = some > W ? a + l->room : a;
        uint32_t *const to = (uint32_t *)(void *)l->rows + row * pitch;
        narrow_cut cut;
        narrow_levels(words, &cut, a, b, l->levels, l->places);
        for (int64_t r = 0; counts && r < some; r++)
            for (int64_t i = counts[row + r]; i < l->levels; i++)
                words[i][r] = (int32_t)(last | (uint32_t)i);
        const bool asks = cut.lost && wanted < l->levels;
        bare_sort32_k(words, l->levels, wanted + asks);
        if (asks && any_alike32_k(words + wanted - 1, mask)) return false;
        const int64_t tied = cut.lost ? find_ties32_k(ties, words, wanted, mask) : 0;
        turn_lanes32_k(to, pitch, words, wanted, tied ? UINT32_MAX : mask, 0);
        for (int64_t r = 0; tied && r < some; r++) {
            const int64_t *const lane = (const int64_t *)(r < W ? a : b) + r % W;
            if (!untie32_k(to + r * pitch, wanted, ties, tied, (const char *)lane, sizeof *lane,
                           mask))
                return false;
        }
        for (int64_t j = 0; tied && j < some * pitch; j++) to[j] &= mask;
    }
    return true;
}
