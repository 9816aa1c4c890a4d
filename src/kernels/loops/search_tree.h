/* Looks many values up in one sorted row; no include guard, included by search.c where vectors have
 * masks that can be counted. Wants T, V (a vector of W of them), PAD (what comes after everything
 * else), LESS_COUNT(v, x) and LEAST_COUNT(v, x) (how many of v are less than x, or not greater),
 * and ODD(x, right): a value for which padding would count, or nothing would. After: FN(tree).
 *
 * Idea: of each W elements the last one is a sample, of each W samples the last one again, until
 * one vector holds them. A comparison with a vector says to which of W + 1 parts a value belongs:
 * the row is divided by W in each step, not by two. */

#define TREE_STEPS 5

typedef struct LOOP_NAME2(FN, levels) {
    int64_t whole, top;         /* whole vectors of the row; levels of samples */
    uintptr_t last[2];          /* the row, and what has its tail at the same places: no branch */
    const T *level[TREE_STEPS]; /* from the first samples on */
    T tail[W];                  /* of the row, behind the whole ones */
    T sample[TREE_SAMPLES];
} LOOP_NAME2(FN, levels);

/* False: there are too many samples. */
static bool LOOP_NAME2(FN, plant)(LOOP_NAME2(FN, levels) * t, const T *row, int64_t length) {
    int64_t used = 0;
    t->whole = length / W;
    t->last[0] = (uintptr_t)row;
    t->last[1] = (uintptr_t)t->tail - (uintptr_t)(t->whole * W) * sizeof(T);
    t->top = 0;
    for (int64_t n = length % W, i = 0; i < W; i++) t->tail[i] = i < n ? row[length - n + i] : PAD;
    for (const T *below = row; length >= W; below = t->level[t->top++]) {
        const int64_t n = length / W, room = (n / W + 1) * W;
        if (t->top == TREE_STEPS || used + room > TREE_SAMPLES) return false;
        T *here = t->sample + used;
        for (int64_t i = 0; i < room; i++) here[i] = i < n ? below[i * W + W - 1] : PAD;
        t->level[t->top] = here;
        used += room;
        length = n;
    }
    return true;
}

static inline __attribute__((always_inline)) void
LOOP_NAME2(FN, climb)(const LOOP_NAME2(FN, levels) * t, char *const ptr[], const int64_t step[],
                      int64_t n, const int top, const bool right) {
    for (int64_t i = 0; i < n; i++) {
        const T x = *(const T *)(const void *)(ptr[1] + i * step[1]);
        char *const one[3] = {ptr[0] + i * step[0], ptr[1] + i * step[1], ptr[2]};
        if (__builtin_expect(ODD(x, right), 0)) {
            LOOP_NAME2(FN, group)(one, step, 0, 1, true, right);
            continue;
        }
        int64_t at = 0;
        for (int k = top; k >= 0; k--) {
            const uintptr_t from = k ? (uintptr_t)t->level[k - 1] : t->last[at >= t->whole];
            V v;
            memcpy(&v, (const void *)(from + (uintptr_t)(at * W) * sizeof(T)), sizeof v);
            at = at * W + (right ? LEAST_COUNT(v, x) : LESS_COUNT(v, x));
        }
        *(int64_t *)(void *)one[0] = at;
    }
}

/* As FN, of a row without gaps; false: nothing was done. */
static __attribute__((noinline)) bool LOOP_NAME2(FN, tree)(char *const ptr[], const int64_t step[],
                                                           int64_t n) {
    LOOP_NAME2(FN, levels) t;
    if (!LOOP_NAME2(FN, plant)(&t, (const T *)(const void *)ptr[2], step[3])) return false;
#define CLIMB(top)                                                                                 \
    case top:                                                                                      \
        step[4] ? LOOP_NAME2(FN, climb)(&t, ptr, step, n, top, true)                               \
                : LOOP_NAME2(FN, climb)(&t, ptr, step, n, top, false);                             \
        break
    switch (t.top) {
        CLIMB(0);
        CLIMB(1);
        CLIMB(2);
        CLIMB(3);
        CLIMB(4);
        CLIMB(5);
    }
#undef CLIMB
    return true;
}

#undef TREE_STEPS
