/* Elements of one size last to first; no include guard. Wants FN and T; from: the first one in
 * memory, which becomes the last. They may be several smaller ones, which lie anywhere. */
#include "kernels/loops/twice.h"

static void FN(char *out, const char *first, int64_t n) {
    enum { SIZE = sizeof(T), FEWEST = 16, MOST = 128 };
    typedef T loose __attribute__((aligned(1)));
    const loose *from = (const loose *)first;
    loose *to = (loose *)out;
    if (n >= FEWEST / SIZE && n <= MOST / SIZE) { /* the compiler's loop ends one by one */
        const int64_t last = n * SIZE - 16;
        for (int64_t at = 0; at < last; at += 16) reverse_16(out + at, first + last - at, SIZE);
        reverse_16(out + last, first, SIZE);
        return;
    }
    SIMD_IVDEP
    LOOP_TWICE
    for (int64_t i = 0; i < n; i++) to[i] = from[n - 1 - i];
}
