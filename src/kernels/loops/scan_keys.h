/* Part of scan_best.h: elements of 8 and 16 bits share a key of 32 bits with their place, so that
 * the best so far, and of equals the last, is the greatest key so far. Eight elements of a line are
 * joined in three steps, and behind what was before in one; of lines side by side each has a lane.
 * Places in keys count from that of the best before, and end after KEY_PLACES. Before: as in
 * scan_best.h, and DOWN (1: the least is the best).
 *
 * Limit: the stores of places, eight times as many bytes as those of values. */

enum {
    FN(key_shift) = 32 - 8 * (int)sizeof(F),
    FN(key_places) = (int)((1u << FN(key_shift)) - 1),
    FN(key_turn) = (int32_t)(((DOWN ? UINT32_MAX : 0) ^ ((F)-1 > 0 ? (uint32_t)INT32_MIN : 0)) &
                             ~(uint32_t)FN(key_places))
};

static inline keys8 FN(keys_from)(const F *x) {
    return (sizeof(F) == 1 ? keys8_from_1(x) : keys8_from_2(x)) ^ FN(key_turn);
}
static inline void FN(keys_to)(F *y, int64_t *at, keys8 key, int64_t first) {
    const keys8 x = key ^ FN(key_turn);
    if (sizeof(F) == 1)
        keys8_to_1(y, x);
    else
        keys8_to_2(y, x);
    keys8_places(at, key & FN(key_places), first);
}
static inline int32_t FN(key_of)(F value, int64_t place) {
    return (int32_t)(((uint32_t)value << FN(key_shift)) ^ (uint32_t)FN(key_turn)) | (int32_t)place;
}
static inline F FN(key_value)(int32_t key) { return (F)((key ^ FN(key_turn)) >> FN(key_shift)); }

/* n elements of one line, whole eights, the first of which is number i. */
static inline void FN(keys_line)(F *value, int64_t *place, const F *x, F *y, int64_t *at, int64_t n,
                                 int64_t i) {
    const int64_t first = *place < 0 ? i : *place;
    keys8 best = keys8_of(*place < 0 ? INT32_MIN : FN(key_of)(*value, 0));
    keys8 here = (keys8){0, 1, 2, 3, 4, 5, 6, 7} + (int32_t)(i - first);
    for (int64_t j = 0; j < n; j += 8, here += 8) {
        const keys8 key = keys8_running(FN(keys_from)(x + j) | here);
        FN(keys_to)(y + j, at + j, keys8_greater(key, best), first);
        best = keys8_greater(best, keys8_last(key));
    }
    *value = FN(key_value)(best[0]);
    *place = first + (best[0] & FN(key_places));
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
    int32_t keys[NOMEN__ACC_BLOCK];
    keys8 own, best[NOMEN__ACC_BLOCK / 8];
    F *value = FN(values)(carry);
    int64_t *place = FN(places)(carry, a->lines), first = a->index0;
    const int64_t lines = a->lines, chunks = (lines + 7) / 8, last = lines - 8;
    for (int64_t r = 0; r < lines; r++)
        first = place[r] >= 0 && place[r] < first ? place[r] : first;
    if (a->index0 + a->n - first > FN(key_places)) return false;
    for (int64_t r = 0; r < lines; r++)
        keys[r] = place[r] < 0 ? INT32_MIN : FN(key_of)(value[r], place[r] - first);
    for (int64_t c = 0; c < chunks; c++)
        memcpy(&best[c], keys + (c + 1 < chunks ? 8 * c : last), sizeof best[c]);
    for (int64_t j = 0; j < a->n; j++) {
        const F *x = (const F *)(const void *)(a->in + j * a->in_step);
        F *y = (F *)(void *)(a->out + j * a->out_step);
        int64_t *at = (int64_t *)(void *)(a->at + j * a->at_step);
        const keys8 end = FN(keys_from)(x + last),
                    here = keys8_of((int32_t)(a->index0 + j - first));
        for (int64_t c = 0; c + 1 < chunks; c++) {
            own = FN(keys_from)(x + 8 * c) | here;
            best[c] = keys8_greater(best[c], own);
            FN(keys_to)(y + 8 * c, at + 8 * c, best[c], first);
        }
        best[chunks - 1] = keys8_greater(best[chunks - 1], end | here);
        FN(keys_to)(y + last, at + last, best[chunks - 1], first);
    }
    for (int64_t c = 0; c < chunks; c++)
        memcpy(keys + (c + 1 < chunks ? 8 * c : last), &best[c], sizeof best[c]);
    for (int64_t r = 0; a->n && r < lines; r++) {
        value[r] = FN(key_value)(keys[r]);
        place[r] = first + (keys[r] & FN(key_places));
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
