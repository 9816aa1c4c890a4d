/* Part of scan_best.h: elements of 8 and 16 bits share a key of 32 bits with their place, so that
 * the best so far, and of equals the last, is the greatest key so far; those of 32 bits (PAIRED)
 * have a place beside it. Eight elements of a line are joined in three steps, and behind what was
 * before in one; of lines side by side each has a lane. Places count from that of the best before,
 * and end after FN(key_places). Before: as in scan_best.h, and DOWN (1: the least is the best).
 *
 * Limit: the stores of places, up to eight times as many bytes as those of values. */

#define PAIRED (sizeof(F) == 4)

enum {
    FN(key_shift) = 32 - 8 * (int)sizeof(F),
    FN(key_places) = PAIRED ? INT32_MAX : (int)((1u << FN(key_shift)) - 1),
    FN(key_turn) = (int32_t)(((DOWN ? UINT32_MAX : 0) ^ ((F)-1 > 0 ? (uint32_t)INT32_MIN : 0)) &
                             (PAIRED ? 0 : ~(uint32_t)FN(key_places))),
    FN(key_worst) = PAIRED && DOWN ? INT32_MAX : INT32_MIN
};

typedef struct FN(eight) {
    keys8 key, place; /* place: if PAIRED */
} FN(eight);

static inline FN(eight) FN(eight_from)(const F *x) {
    const keys8 key = sizeof(F) == 1   ? keys8_from_1(x)
                      : sizeof(F) == 2 ? keys8_from_2(x)
                                       : keys8_from_4(x);
    return (FN(eight)){key ^ FN(key_turn), {0}};
}
static inline FN(eight) FN(eight_at)(FN(eight) x, keys8 place) {
    return (FN(eight)){PAIRED ? x.key : x.key | place, place};
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
static inline void FN(eight_to)(F *y, int64_t *at, FN(eight) x, int64_t first) {
    const keys8 value = x.key ^ FN(key_turn);
    if (sizeof(F) == 1)
        keys8_to_1(y, value);
    else if (sizeof(F) == 2)
        keys8_to_2(y, value);
    else
        keys8_to_4(y, value);
    keys8_places(at, PAIRED ? x.place : x.key & FN(key_places), first);
}

static inline int32_t FN(key_of)(F value, int64_t place) {
    const uint32_t key = ((uint32_t)value << FN(key_shift)) ^ (uint32_t)FN(key_turn);
    return (int32_t)(PAIRED ? key : key | (uint32_t)place);
}
static inline F FN(key_value)(int32_t key) { return (F)((key ^ FN(key_turn)) >> FN(key_shift)); }
static inline int64_t FN(key_place)(int32_t key, int32_t place) {
    return PAIRED ? place : key & FN(key_places);
}

/* n elements of one line, whole eights, the first of which is number i. */
static inline void FN(keys_line)(F *value, int64_t *place, const F *x, F *y, int64_t *at, int64_t n,
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

static void FN(run_key_line)(void *carry, const nomen__scan_args *a, int64_t r) {
    F *value = FN(values)(carry) + r;
    int64_t *place = FN(places)(carry, a->lines) + r;
    const F *x = (const F *)(const void *)(a->in + r * a->in_row);
    F *y = (F *)(void *)(a->out + r * a->out_row);
    int64_t *at = (int64_t *)(void *)(a->at + r * a->at_row);
    for (int64_t j = 0; j < a->n; j += SCAN_BLOCK) {
        const int64_t n = a->n - j < SCAN_BLOCK ? a->n - j : SCAN_BLOCK, i = a->index0 + j;
        const bool near = *place < 0 || i + n - *place <= FN(key_places);
        const int64_t whole = near ? n & ~(int64_t)7 : 0;
        FN(keys_line)(value, place, x + j, y + j, at + j, whole, i);
        if (whole == n) continue;
        FN(block)(carry, r, a->lines, x + j + whole, n - whole, y + j + whole, at + j + whole,
                  i + whole, 1);
    }
}

/* Lines side by side. The last eight overlap with those before; their elements are read before
 * those are written, which may be in the same place. */
static bool FN(run_key_levels)(void *carry, const nomen__scan_args *a) {
    int32_t keys[NOMEN__ACC_BLOCK], places[NOMEN__ACC_BLOCK];
    FN(eight) best[NOMEN__ACC_BLOCK / 8];
    F *value = FN(values)(carry);
    int64_t *place = FN(places)(carry, a->lines), first = a->index0;
    const int64_t lines = a->lines, last = lines - 8, end = (lines - 1) / 8;
    for (int64_t r = 0; r < lines; r++)
        first = place[r] >= 0 && place[r] < first ? place[r] : first;
    if (a->index0 + a->n - first > FN(key_places)) return false;
    for (int64_t r = 0; r < lines; r++) {
        places[r] = place[r] < 0 ? 0 : (int32_t)(place[r] - first);
        keys[r] = place[r] < 0 ? FN(key_worst) : FN(key_of)(value[r], places[r]);
    }
    for (int64_t c = 0; c <= end; c++) {
        memcpy(&best[c].key, keys + (c < end ? 8 * c : last), sizeof best[c].key);
        memcpy(&best[c].place, places + (c < end ? 8 * c : last), sizeof best[c].place);
    }
    for (int64_t j = 0; j < a->n; j++) {
        const F *x = (const F *)(const void *)(a->in + j * a->in_step);
        F *y = (F *)(void *)(a->out + j * a->out_step);
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
    const int64_t e = (int64_t)sizeof(F);
    if (!a->out || !a->at || a->index_step != 1) return false;
    if (a->lines >= 8 && a->in_row == e && a->out_row == e && a->at_row == 8)
        return FN(run_key_levels)(carry, a);
    if (a->n < 8 || a->in_step != e || a->out_step != e || a->at_step != 8) return false;
    for (int64_t r = 0; r < a->lines; r++) FN(run_key_line)(carry, a, r);
    return true;
}
#undef PAIRED
