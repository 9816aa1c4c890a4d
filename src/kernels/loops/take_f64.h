/* The accumulator of reduce_fold.h that adds in double: A, A_ZERO, TAKE and MEET, in the place of
 * whatever they were; no include guard. What loses bits even so: take_sum2.h. */
#undef A
#undef A_ZERO
#undef TAKE
#undef MEET
#define A          double
#define A_ZERO     0
#define TAKE(a, x) (*(a) += (x))
#define MEET(a, b) (*(a) += *(b))
