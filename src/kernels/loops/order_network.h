/* Include-template: a network of comparisons that sorts levels, each a vector with a row in each
 * lane, without a branch that depends on data. Before: NETWORK (the name of what is made), V (a
 * level, or a part of one) and IN_ORDER(a, b), which exchanges two where they are not. After:
 * void NETWORK(V *, int64_t n) of n levels (divisible by 8), and void first_of_<NETWORK>(V *,
 * int64_t n, int64_t block), after which the least ones, as many as a block has (a power of two
 * from 8 on), come first and are in order, and void runs_of_<NETWORK>(V *, int64_t n, int64_t
 * most), after which each `most` of them are in order; the three are undefined.
 *
 * Idea: a bitonic merge whose first step turns the second half over, so that the lesser of two is
 * always the one before: levels from n on would be larger than all, and their steps are left out.
 * Two steps are done while four levels are in registers, the last three while eight are: what
 * limits such a network is how often levels are stored. */

#define PART(what)        PART2(what, NETWORK)
#define PART2(what, name) PART3(what, name)
#define PART3(what, name) what##_of_##name

/* Eight levels, sorted or, if they are a bitonic sequence, merged. */
static inline __attribute__((always_inline)) void PART(eight)(V *v, const uint8_t (*pairs)[2],
                                                              int count) {
    V x[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) x[i] = v[i];
#pragma GCC unroll 19
    for (int k = 0; k < count; k++) IN_ORDER(x[pairs[k][0]], x[pairs[k][1]]);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) v[i] = x[i];
}

static inline void PART(two)(V *p, V *q) {
    V a = *p, b = *q;
    IN_ORDER(a, b);
    *p = a;
    *q = b;
}

/* Two steps of four levels, of which the first `known` are there: each of the first two with one of
 * the others (turned: in reverse), then neighbours. */
static inline __attribute__((always_inline)) void PART(four)(V *p0, V *p1, V *p2, V *p3,
                                                             bool turned, int known) {
    V a = *p0, b = *p1, c, d;
    if (known > 2) c = *p2;
    if (known > 3) d = *p3;
    if (turned && known > 2) IN_ORDER(b, c);
    if (turned && known > 3) IN_ORDER(a, d);
    if (!turned && known > 2) IN_ORDER(a, c);
    if (!turned && known > 3) IN_ORDER(b, d);
    IN_ORDER(a, b);
    if (known > 3) IN_ORDER(c, d);
    *p0 = a;
    *p1 = b;
    if (known > 2) *p2 = c;
    if (known > 3) *p3 = d;
}

/* The first two steps of a merge of 4 half levels, of which n are there: more than 2 half. */
static inline void PART(turn)(V *v, int64_t n, int64_t half) {
    const int64_t last = 4 * half - 1, two = n < 3 * half ? 3 * half - n : 0,
                  three = n < 4 * half ? (4 * half - n < half ? 4 * half - n : half) : 0;
    int64_t i = 0;
#define FOUR(known)                                                                                \
    PART(four)                                                                                     \
    (v + i, v + (i + half), v + (last - i - half), v + (last - i), true, known)
    for (; i < two; i++) FOUR(2);
    for (; i < three; i++) FOUR(3);
    for (; i < half; i++) FOUR(4);
#undef FOUR
}

/* Two later steps, of distances 2 half and half. */
static inline void PART(halve)(V *v, int64_t n, int64_t half) {
    const int64_t four = n > 3 * half ? n - 3 * half : 0, three = n > 2 * half ? n - 2 * half : 0;
    int64_t i = 0;
#define FOUR(known)                                                                                \
    PART(four)                                                                                     \
    (v + i, v + (i + half), v + (i + 2 * half), v + (i + 3 * half), false, known)
    for (; i < half && i < four; i++) FOUR(4);
    for (; i < half && i < three; i++) FOUR(3);
    for (; i < half && i + half < n; i++) FOUR(2);
#undef FOUR
}

/* The steps of distance `far` and of all lesser ones. */
static inline void PART(settle)(V *v, int64_t n, int64_t far) {
    static const uint8_t pairs[12][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 2}, {1, 3},
                                         {4, 6}, {5, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}};
    for (; far >= 16; far /= 4)
        for (int64_t i = 0; i < n; i += 2 * far) PART(halve)(v + i, n - i, far / 2);
    for (int64_t i = 0; far == 8 && i + 8 < n; i += 16)
        for (int k = 0; k < 8; k++) PART(two)(v + (i + k), v + (i + 8 + k));
    for (int64_t i = 0; i < n; i += 8) PART(eight)(v + i, pairs, 12);
}

/* Two sorted runs, the first of `sorted` levels, n together, into one. */
static inline void PART(merge)(V *v, int64_t n, int64_t sorted) {
    if (sorted == 8)
        for (int i = 0; i < 8; i++) PART(two)(v + i, v + (15 - i));
    else
        PART(turn)(v, n, sorted / 2);
    PART(settle)(v, n, sorted / 4);
}

/* Sorted runs of `most` levels, a power of two from 8 on; the last one may be shorter. */
static APART void PART(runs)(V *v, int64_t n, int64_t most) {
    static const uint8_t pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                         {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                         {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
    for (int64_t i = 0; i < n; i += 8) PART(eight)(v + i, pairs, 19);
    for (int64_t sorted = 8; sorted < n && sorted < most; sorted *= 2)
        for (int64_t i = 0; i + sorted < n; i += 2 * sorted)
            PART(merge)(v + i, n - i < 2 * sorted ? n - i : 2 * sorted, sorted);
}

static void NETWORK(V *v, int64_t n) { PART(runs)(v, n, n); }

/* Of two sorted blocks, each element of the one beside its counterpart from the end of the other,
 * the lesser ones are the first of both, and a bitonic sequence. */
static APART void PART(first)(V *v, int64_t n, int64_t block) {
    NETWORK(v, block);
    for (int64_t i = block; i < n; i += block) {
        const int64_t some = n - i < block ? n - i : block;
        NETWORK(v + i, some);
        for (int64_t k = 0; k < some; k++) {
            V own = v[block - 1 - k], other = v[i + k];
            IN_ORDER(own, other);
            v[block - 1 - k] = own;
        }
        PART(settle)(v, block, block / 2);
    }
}

#undef PART
#undef PART2
#undef PART3
#undef NETWORK
#undef V
#undef IN_ORDER
