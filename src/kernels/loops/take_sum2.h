/* The accumulator of reduce_fold.h, and of scan_fold.h, that adds in a pair of doubles: A, A_ZERO,
 * TAKE and MEET, in the place of whatever they were; no include guard. */
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#define A          sum2
#define A_ZERO     ((sum2){0, 0})
#define TAKE(a, x) sum2_add(a, x)
#define MEET(a, b) (sum2_add(a, (b)->hi), (a)->lo += (b)->lo)
