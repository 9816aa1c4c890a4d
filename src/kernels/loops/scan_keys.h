/* Part of scan_best.h: elements of 8 and 16 bits share a key of 32 bits with their place, so that
 * the best so far, and of equals the last, is the greatest key so far; those of 32 bits (PAIRED)
 * have a place beside it. Half types are read as whole numbers, which makes zeros equal; their sign
 * stands below the place, and NaN is beyond all others. Eight elements of a line are joined in
 * three steps, and behind what was before in one; of lines side by side each has a lane. Places
 * count from that of the best before, and end after FN(key_places). Before: as in scan_best.h, and
 * DOWN (1: the least is the best); T is what is stored.
 *
 * Limit: the stores of places, up to eight times as many bytes as those of values. */

#define PAIRED (sizeof(T) == 4)

enum {
    FN(key_shift) = 32 - 8 * (int)sizeof(T),
    FN(key_low) = FLOATING, /* bits below a place */
    FN(key_mask) = PAIRED ? INT32_MAX : (int)((1u << FN(key_shift)) - 1),
    FN(key_places) = FN(key_mask) >> FN(key_low),
    /* elements of a line that fill a vector of keys well enough; levels of whole numbers of less
     * than 32 bits beside places of 64 take the longer */
    FN(key_fewest) = FLOATING ? 6
                     : PAIRED ? 5
                              : 3,
    FN(key_turn) = (int32_t)(((DOWN ? UINT32_MAX : 0) ^ ((T)-1 > 0 ? (uint32_t)INT32_MIN : 0)) &
                             (PAIRED ? 0 : ~(uint32_t)FN(key_mask))),
    FN(key_worst) = PAIRED && DOWN ? INT32_MAX : INT32_MIN
};

typedef struct FN(eight) {
    keys8 key, place; /* place: if PAIRED */
} FN(eight);

static inline FN(eight) FN(eight_from)(const T *x) {
#if FLOATING
    return (FN(eight)){keys8_from_half(x, INFINITE, DOWN), {0}};
#else
    const keys8 key = sizeof(T) == 1   ? keys8_from_1(x)
                      : sizeof(T) == 2 ? keys8_from_2(x)
                                       : keys8_from_4(x);
    return (FN(eight)){key ^ FN(key_turn), {0}};
#endif
}
static inline FN(eight) FN(eight_at)(FN(eight) x, keys8 place) {
    return (FN(eight)){PAIRED ? x.key : x.key | place << FN(key_low), place};
}
/* The better of two, of equals the later one. The least of 32 bits are no greatest of turned keys:
 * gcc turns all bits by an instruction that waits for what was in the register before. */
static inline FN(eight) FN(better)(FN(eight) early, FN(eight) late) {
    FN(eight) r = {{0}, {0}};
    if (PAIRED && DOWN) {
        r.key = keys8_lesser(early.key, late.key);
        r.place = keys8_pick(late.key, early.key, early.place, late.place);
    } else {
        r.key = keys8_greater(early.key, late.key);
        if (PAIRED) r.place = keys8_pick(early.key, late.key, early.place, late.place);
    }
    return r;
}
static inline FN(eight) FN(running)(FN(eight) x) {
    x = FN(better)((FN(eight)){keys8_one(x.key), keys8_one(x.place)}, x);
    x = FN(better)((FN(eight)){keys8_two(x.key), keys8_two(x.place)}, x);
    return FN(better)((FN(eight)){keys8_four(x.key), keys8_four(x.place)}, x);
}
static inline void FN(eight_to)(T *y, int64_t *at, FN(eight) x, int64_t first) {
#if FLOATING
    keys8_to_2(y, keys8_as_half(x.key));
#else
    const keys8 value = x.key ^ FN(key_turn);
    if (sizeof(T) == 1)
        keys8_to_1(y, value);
    else if (sizeof(T) == 2)
        keys8_to_2(y, value);
    else
        keys8_to_4(y, value);
#endif
    const keys8 place = (x.key & FN(key_mask)) >> FN(key_low);
    keys8_places(at, PAIRED ? x.place : place, first);
}

/* Of an element by itself. */
static inline F FN(key_out)(T x) {
#if FLOATING
    return FETCH(x);
#else
    return x;
#endif
}
static inline int32_t FN(key_of)(F value, int64_t place) {
#if FLOATING
    const T one[8] = {HALF(value)};
    return FN(eight_from)(one).key[0] | (int32_t)place << FN(key_low);
#else
    const uint32_t key = ((uint32_t)value << FN(key_shift)) ^ (uint32_t)FN(key_turn);
    return (int32_t)(PAIRED ? key : key | (uint32_t)place);
#endif
}
static inline F FN(key_value)(int32_t key) {
#if FLOATING
    return FETCH((T)((uint32_t)keys8_as_half(keys8_of(key))[0] >> 16));
#else
    return (F)((key ^ FN(key_turn)) >> FN(key_shift));
#endif
}
static inline int64_t FN(key_place)(int32_t key, int32_t place) {
    return PAIRED ? place : (key & FN(key_mask)) >> FN(key_low);
}

/* n elements of one line, whole eights, the first of which is number i. */
static inline void FN(keys_line)(F *value, int64_t *place, const T *x, T *y, int64_t *at, int64_t n,
                                 int64_t i) {
    const int64_t first = *place < 0 ? i : *place;
    FN(eight) best = {keys8_of(*place < 0 ? FN(key_worst) : FN(key_of)(*value, 0)), {0}};
    keys8 here = (keys8){0, 1, 2, 3, 4, 5, 6, 7} + (int32_t)(i - first);
    for (int64_t j = 0; j < n; j += 8, here += 8) {
        const FN(eight) own = FN(running)(FN(eight_at)(FN(eight_from)(x + j), here));
        FN(eight_to)(y + j, at + j, FN(better)(best, own), first);
        best = FN(better)(best, (FN(eight)){keys8_last(own.key), keys8_last(own.place)});
    }
    *value = FN(key_value)(best.key[0]);
    *place = first + FN(key_place)(best.key[0], best.place[0]);
}

/* n elements of one line as all scans take them. */
static inline void FN(keys_rest)(F *value, int64_t *place, const T *x, T *y, int64_t *at, int64_t n,
                                 int64_t i) {
    int64_t carry[2] = {0, *place};
    memcpy(carry, value, sizeof *value);
#if FLOATING
    F wide[SCAN_BLOCK] __attribute__((aligned(64)));
    D best[SCAN_BLOCK] __attribute__((aligned(64)));
    wide[0] = 0; /* n > 0, which the compiler does not know */
    WIDEN(x, wide, n);
    FN(block)(carry, 0, 1, wide, n, best, at, i, 1);
    NARROW(best, y, n);
#else
    FN(block)(carry, 0, 1, x, n, y, at, i, 1);
#endif
    memcpy(value, carry, sizeof *value);
    *place = carry[1];
}

/* beyond: what is left of the last eight is taken with elements of the lines behind, and what is
 * made of those is written over when their turn comes. */
static inline void FN(run_key_line)(F *value, int64_t *place, const nomen__scan_args *a, int64_t r,
                                    bool beyond) {
    const T *x = (const T *)(const void *)(a->in + r * a->in_row);
    T *y = (T *)(void *)(a->out + r * a->out_row);
    int64_t *at = (int64_t *)(void *)(a->at + r * a->at_row);
    for (int64_t j = 0; j < a->n; j += SCAN_BLOCK) {
        const int64_t n = a->n - j < SCAN_BLOCK ? a->n - j : SCAN_BLOCK, i = a->index0 + j;
        const bool near = *place < 0 || i + n + 7 - *place <= FN(key_places);
        const int64_t own = near ? (beyond ? n + 7 : n) & ~(int64_t)7 : 0;
        if (own > 0) FN(keys_line)(value, place, x + j, y + j, at + j, own, i);
        if (own < n)
            FN(keys_rest)(value, place, x + j + own, y + j + own, at + j + own, n - own, i + own);
    }
}

/* Lines without gaps; carry: NULL where they begin here and nobody asks for it. */
static APART bool FN(run_key_lines)(void *carry, const nomen__scan_args *a) {
    const int64_t e = (int64_t)sizeof(T), row = a->n * e;
    const bool dense =
        a->in_row == row && a->out_row == row && a->at_row == a->n * 8 && a->in != a->out;
    if (!a->out || !a->at || a->index_step != 1) return false;
    if (a->in_step != e || a->out_step != e || a->at_step != 8) return false;
    if (a->n < 8 && (!dense || a->n < FN(key_fewest) || a->lines < 8)) return false;
    for (int64_t r = 0; r < a->lines; r++) {
        F value = carry ? FN(values)(carry)[r] : 0;
        int64_t place = carry ? FN(places)(carry, a->lines)[r] : -1;
        const bool beyond = dense && (a->lines - 1 - r) * a->n >= 7;
        FN(run_key_line)(&value, &place, a, r, beyond);
        if (!carry) continue;
        if (beyond) { /* as much as is its own */
            value = FN(key_out)(((const T *)(const void *)(a->out + r * row))[a->n - 1]);
            place = ((const int64_t *)(const void *)(a->at + r * a->at_row))[a->n - 1];
        }
        FN(values)(carry)[r] = value;
        FN(places)(carry, a->lines)[r] = place;
    }
    return true;
}

/* Lines side by side. Their keys; false: a place is too far away. */
static inline bool FN(keys_begin)(const void *carry, const nomen__scan_args *a, int32_t *keys,
                                  int32_t *places, int64_t *first) {
    const F *value = carry;
    const int64_t lines = a->lines;
    const int64_t *place = (const int64_t *)(const void *)((const char *)carry + lines * 8);
    *first = a->index0;
    for (int64_t r = 0; r < lines; r++)
        *first = place[r] >= 0 && place[r] < *first ? place[r] : *first;
    if (a->index0 + a->n - *first > FN(key_places)) return false;
    for (int64_t r = 0; r < lines; r++) {
        places[r] = place[r] < 0 ? 0 : (int32_t)(place[r] - *first);
        keys[r] = place[r] < 0 ? FN(key_worst) : FN(key_of)(value[r], places[r]);
    }
    return true;
}

/* Groups of less than eight, as FN(run_eights) takes them. */
static inline FN(eight) FN(eights_of)(const int32_t *keys, const int32_t *places) {
    FN(eight) r;
    memcpy(&r.key, keys, sizeof r.key);
    memcpy(&r.place, places, sizeof r.place);
    return r;
}
static APART bool FN(run_key_few)(void *carry, const nomen__scan_args *a) {
    const int64_t lines = a->lines, safe = a->groups * a->n - 7 / lines;
    int32_t keys[8] = {0}, places[8] = {0};
    int64_t first;
    if (a->in == a->out || !FN(keys_begin)(carry, a, keys, places, &first)) return false;
    const FN(eight) none = {keys8_of(FN(key_worst)), {0}};
    FN(eight) best = FN(eights_of)(keys, places);
    const T *x = (const T *)(const void *)a->in;
    T *y = (T *)(void *)a->out;
    int64_t *at = (int64_t *)(void *)a->at;
    for (int64_t g = 0; g < a->groups; g++) {
        const int64_t left = safe - g * a->n;
        const int64_t n = left < 0 ? 0 : left < a->n ? left : a->n;
        int32_t here = (int32_t)(a->index0 - first);
        if (g > 0) best = none;
        for (int64_t j = 0; j < n; j++, here++, x += lines, y += lines, at += lines) {
            best = FN(better)(best, FN(eight_at)(FN(eight_from)(x), keys8_of(here)));
            FN(eight_to)(y, at, best, first);
        }
        if (n == a->n && g < a->groups - 1) continue;
        for (int64_t r = 0; r < lines; r++) {
            F value = n ? FN(key_value)(best.key[r]) : FN(values)(carry)[r];
            int64_t place =
                n ? first + FN(key_place)(best.key[r], best.place[r]) : FN(places)(carry, lines)[r];
            if (!n && g > 0) place = -1;
            for (int64_t j = n, k = r; j < a->n; j++, k += lines)
                FN(keys_rest)(&value, &place, x + k, y + k, at + k, 1, a->index0 + j);
            FN(values)(carry)[r] = value;
            FN(places)(carry, lines)[r] = place;
        }
        x += (a->n - n) * lines, y += (a->n - n) * lines, at += (a->n - n) * lines;
    }
    return true;
}

/* The last eight overlap with those before; their elements are read before
 * those are written, which may be in the same place. */
static APART bool FN(run_key_levels)(void *carry, const nomen__scan_args *a) {
    int32_t keys[NOMEN__ACC_BLOCK], places[NOMEN__ACC_BLOCK];
    FN(eight) best[NOMEN__ACC_BLOCK / 8];
    F *value = FN(values)(carry);
    int64_t *place = FN(places)(carry, a->lines), first;
    const int64_t lines = a->lines, last = lines - 8, end = (lines - 1) / 8;
    if (!FN(keys_begin)(carry, a, keys, places, &first)) return false;
    for (int64_t c = 0; c <= end; c++) {
        memcpy(&best[c].key, keys + (c < end ? 8 * c : last), sizeof best[c].key);
        memcpy(&best[c].place, places + (c < end ? 8 * c : last), sizeof best[c].place);
    }
    for (int64_t j = 0; j < a->n; j++) {
        const T *x = (const T *)(const void *)(a->in + j * a->in_step);
        T *y = (T *)(void *)(a->out + j * a->out_step);
        int64_t *at = (int64_t *)(void *)(a->at + j * a->at_step);
        const FN(eight) behind = FN(eight_from)(x + last);
        const keys8 here = keys8_of((int32_t)(a->index0 + j - first));
        for (int64_t c = 0; c < end; c++) {
            best[c] = FN(better)(best[c], FN(eight_at)(FN(eight_from)(x + 8 * c), here));
            FN(eight_to)(y + 8 * c, at + 8 * c, best[c], first);
        }
        best[end] = FN(better)(best[end], FN(eight_at)(behind, here));
        FN(eight_to)(y + last, at + last, best[end], first);
    }
    for (int64_t c = 0; c <= end; c++) {
        memcpy(keys + (c < end ? 8 * c : last), &best[c].key, sizeof best[c].key);
        memcpy(places + (c < end ? 8 * c : last), &best[c].place, sizeof best[c].place);
    }
    for (int64_t r = 0; a->n && r < lines; r++) {
        value[r] = FN(key_value)(keys[r]);
        place[r] = first + FN(key_place)(keys[r], places[r]);
    }
    return true;
}

static bool FN(run_keys)(void *carry, const nomen__scan_args *a) {
    const int64_t e = (int64_t)sizeof(T);
    if (!a->out || !a->at || a->index_step != 1) return false;
    if (a->groups) return FN(run_key_few)(carry, a);
    if (a->in_row == e && a->out_row == e && a->at_row == 8)
        return a->lines >= 8 && FN(run_key_levels)(carry, a);
    return FN(run_key_lines)(carry, a);
}
#undef PAIRED
