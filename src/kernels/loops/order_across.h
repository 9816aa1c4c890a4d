/* Include-template: one sequence in levels, a run of it in each lane, sorted as a whole: a network
 * sorts the runs, and merges them with each other by the same steps; those between runs turn lanes,
 * all others are between levels. Before: what order_bare.h wants and makes. After: across_ with
 * WIDTH and sort behind. */

/* Lane l becomes that of number l ^ bits; and lanes of a whose number lacks `bits`, others of b. */
#define TURNED(l, bits)   ((l) ^ (bits))
#define JOINED(l, bits)   ((l) & (bits) ? ACROSS + (l) : (l))
#define TWO(of, l, bits)  of(l, bits), of((l) + 1, bits)
#define FOUR(of, l, bits) TWO(of, l, bits), TWO(of, (l) + 2, bits)
#define ACROSS            (VB * 8 / WIDTH)
#if VB * 8 / WIDTH == 16
#define LANES_BY(of, bits)                                                                         \
    FOUR(of, 0, bits), FOUR(of, 4, bits), FOUR(of, 8, bits), FOUR(of, 12, bits)
#elif VB * 8 / WIDTH == 8
#define LANES_BY(of, bits) FOUR(of, 0, bits), FOUR(of, 4, bits)
#elif VB * 8 / WIDTH == 4
#define LANES_BY(of, bits) FOUR(of, 0, bits)
#else
#define LANES_BY(of, bits) TWO(of, 0, bits)
#endif

/* bits: 1, 2, 4, 8, or one less than the double of these, as far as there are lanes. */
static inline __attribute__((always_inline)) ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(across_turned, WIDTH, k)(ORDER_NAME(level, WIDTH, k) x, const int bits) {
#if VB * 8 / WIDTH > 8
    if (bits == 15) return __builtin_shufflevector(x, x, LANES_BY(TURNED, 15));
    if (bits == 8) return __builtin_shufflevector(x, x, LANES_BY(TURNED, 8));
#endif
#if VB * 8 / WIDTH > 4
    if (bits == 7) return __builtin_shufflevector(x, x, LANES_BY(TURNED, 7));
    if (bits == 4) return __builtin_shufflevector(x, x, LANES_BY(TURNED, 4));
#endif
#if VB * 8 / WIDTH > 2
    if (bits == 3) return __builtin_shufflevector(x, x, LANES_BY(TURNED, 3));
    if (bits == 2) return __builtin_shufflevector(x, x, LANES_BY(TURNED, 2));
#endif
    (void)bits;
    return __builtin_shufflevector(x, x, LANES_BY(TURNED, 1));
}
static inline __attribute__((always_inline)) ORDER_NAME(level, WIDTH, k)
    ORDER_NAME(across_joined, WIDTH, k)(ORDER_NAME(level, WIDTH, k) a,
                                        ORDER_NAME(level, WIDTH, k) b, const int bits) {
#if VB * 8 / WIDTH > 8
    if (bits == 8) return __builtin_shufflevector(a, b, LANES_BY(JOINED, 8));
#endif
#if VB * 8 / WIDTH > 4
    if (bits == 4) return __builtin_shufflevector(a, b, LANES_BY(JOINED, 4));
#endif
#if VB * 8 / WIDTH > 2
    if (bits == 2) return __builtin_shufflevector(a, b, LANES_BY(JOINED, 2));
#endif
    (void)bits;
    return __builtin_shufflevector(a, b, LANES_BY(JOINED, 1));
}

/* Between runs, the first step of a merge: each element of the first half of `group` runs with the
 * one as far from the end of the second half. */
static inline __attribute__((always_inline)) void ORDER_NAME(across_mirror, WIDTH,
                                                             k)(ORDER_NAME(level, WIDTH, k) * v,
                                                                int64_t levels, const int group) {
    for (int64_t i = 0; i < levels / 2; i++) {
        const ORDER_NAME(level, WIDTH, k)
            x = v[i],
            y = ORDER_NAME(across_turned, WIDTH, k)(v[levels - 1 - i], group - 1),
            less = V_LESSER(x, y), more = V_GREATER(x, y);
        v[i] = ORDER_NAME(across_joined, WIDTH, k)(less, more, group / 2);
        v[levels - 1 - i] = ORDER_NAME(across_turned, WIDTH, k)(
            ORDER_NAME(across_joined, WIDTH, k)(more, less, group / 2), group - 1);
    }
}

/* A later step: each element with the one `apart` runs on. */
static inline __attribute__((always_inline)) void ORDER_NAME(across_apart, WIDTH,
                                                             k)(ORDER_NAME(level, WIDTH, k) * v,
                                                                int64_t levels, const int apart) {
    for (int64_t i = 0; i < levels; i++) {
        const ORDER_NAME(level, WIDTH, k) x = v[i],
                                          y = ORDER_NAME(across_turned, WIDTH, k)(x, apart);
        v[i] = ORDER_NAME(across_joined, WIDTH, k)(V_LESSER(x, y), V_GREATER(x, y), apart);
    }
}

/* Runs of so many levels, a power of two from 8 on. */
static APART void ORDER_NAME(across, WIDTH, sort)(ORDER_NAME(level, WIDTH, k) * v, int64_t levels) {
    ORDER_NAME(bare_network, WIDTH, k)(v, levels);
#pragma GCC unroll 4
    for (int group = 2; group <= ACROSS; group *= 2) {
        ORDER_NAME(across_mirror, WIDTH, k)(v, levels, group);
#pragma GCC unroll 3
        for (int apart = group / 4; apart; apart /= 2)
            ORDER_NAME(across_apart, WIDTH, k)(v, levels, apart);
        ORDER_NAME(settle_of_bare_network, WIDTH, k)(v, levels, levels / 2);
    }
}

#undef TURNED
#undef JOINED
#undef TWO
#undef FOUR
#undef ACROSS
#undef LANES_BY
