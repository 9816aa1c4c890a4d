/* Elements of one size last to first; no include guard. Wants FN and T; from: the first one in
 * memory, which becomes the last. They may be several smaller ones, which lie anywhere. */
#include "kernels/loops/twice.h"

/* Rows of n, of so many bytes that the compiler's loop would end one by one: word by word, the last
 * of which reaches back. */
static inline bool LOOP_NAME2(FN, rows)(char *out, int64_t out_row, const char *first,
                                        int64_t first_row, int64_t rows, int64_t n) {
    enum { SIZE = sizeof(T), FEWEST = SIZE < 4 ? 4 : 8, HALF = 8, WORD = 16, MOST = 128 };
    if (n < FEWEST / SIZE || n > MOST / SIZE) return false;
    const int64_t bytes = n * SIZE, last = bytes - WORD;
    for (int64_t r = 0; r < rows; r++, out += out_row, first += first_row) {
        if (bytes >= WORD) {
            for (int64_t at = 0; at < last; at += WORD)
                reverse_16(out + at, first + last - at, SIZE);
            reverse_16(out + last, first, SIZE);
        } else if (bytes >= HALF) {
            reverse_8(out, first + bytes - HALF, SIZE);
            reverse_8(out + bytes - HALF, first, SIZE);
        } else {
            reverse_4(out, first + bytes - FEWEST, SIZE);
            reverse_4(out + bytes - FEWEST, first, SIZE);
        }
    }
    return true;
}

static void FN(char *out, const char *first, int64_t n) {
    typedef T loose __attribute__((aligned(1)));
    const loose *from = (const loose *)first;
    loose *to = (loose *)out;
    if (LOOP_NAME2(FN, rows)(out, 0, first, 0, 1, n)) return;
    SIMD_IVDEP
    LOOP_TWICE
    for (int64_t i = 0; i < n; i++) to[i] = from[n - 1 - i];
}

/* ptr: rows, and where the first of the others begins in memory; step: bytes from row to row of
 * both, how many there are. */
static void LOOP_NAME2(FN, all)(char *const ptr[], const int64_t step[], int64_t n) {
    if (LOOP_NAME2(FN, rows)(ptr[0], step[0], ptr[1], step[1], step[2], n)) return;
    for (int64_t r = 0; r < step[2]; r++) FN(ptr[0] + r * step[0], ptr[1] + r * step[1], n);
}
