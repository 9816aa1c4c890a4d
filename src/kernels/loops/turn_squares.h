/* Template: rows and columns change places, by vectors of BYTES. No include guard; turn.c includes
 * it once per width. Wants BYTES and VEC, the type of such vectors.
 *
 * Idea: a vector is BYTES / 16 lanes, and a lane one row of a square of 16 / size by 16 / size
 * elements. Vector k takes its lanes from the rows k, k + 16 / size and so on; when all squares are
 * turned over, each by rounds of pairing up, vector k is column k of all these rows. Of elements of
 * 4 bytes and more as many squares side by side as there are lanes are loaded at once, a cache line
 * of each row with the widest vectors: where rows are a power of two apart, no line is there again
 * a moment later. Where it is, single squares go first along the rows of `to`, so that each of
 * these is written in one stream: stores to many rows by turns take twice as long.
 *
 * Limit: the shuffles, log2(16 / size) for each vector; L2 for tiles that come from there. */

/* BYTES / size rows of `from`, `squares` squares of each. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(turn_band, BYTES)(char *to, int64_t to_row, const char *from, int64_t near,
                             int64_t squares, int64_t size) {
    const int64_t side = 16 / size;
    VEC x[4][16];
#pragma GCC unroll 16
    for (int k = 0; k < side; k++)
#pragma GCC unroll 4
        for (int s = 0; s < squares; s++)
            x[s][k] = LOOP_NAME2(lanes, BYTES)(from + k * near + 16 * s, side * near);
#pragma GCC unroll 4
    for (int s = 0; s < squares; s++) {
        LOOP_NAME2(cards, BYTES)(x[s], (int)side, size);
#pragma GCC unroll 16
        for (int k = 0; k < side; k++)
            memcpy(to + (s * side + k) * to_row, &x[s][k], sizeof x[s][k]);
    }
}

/* At least one square in both directions; the last ones of a row or a column move some elements
 * once more. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(turn_squares, BYTES)(char *to, int64_t to_row, const char *from, int64_t near, int64_t n,
                                int64_t rows, int64_t size) {
    const int64_t side = 16 / size, wide = BYTES / size;
    const int64_t squares = size < 4 ? 1 : BYTES / 16, several = squares * side;
    const int64_t some = lines_by_parts(n, near, rows * to_row, size);
    for (int64_t first = 0; some && first < n; first += some) {
        const int64_t end = first + some < n ? first + some : n;
        for (int64_t r = 0; r < rows; r += side) {
            r = r < rows - side ? r : rows - side;
            for (int64_t i = first; i < end; i += wide) {
                i = i < n - wide ? i : n - wide;
                LOOP_NAME2(turn_band, BYTES)(to + r * to_row + i * size, to_row,
                                             from + i * near + r * size, near, 1, size);
            }
        }
    }
    if (some) return;
    for (int64_t i = 0; i < n; i += wide) {
        i = i < n - wide ? i : n - wide;
        char *const out = to + i * size;
        const char *const in = from + i * near;
        int64_t r = 0;
        for (; r + several <= rows; r += several)
            LOOP_NAME2(turn_band, BYTES)(out + r * to_row, to_row, in + r * size, near, squares,
                                         size);
        for (; r < rows; r += side) {
            r = r < rows - side ? r : rows - side;
            LOOP_NAME2(turn_band, BYTES)(out + r * to_row, to_row, in + r * size, near, 1, size);
        }
    }
}

/* One vector of each result of weave (turn.c): elements of the lines of a list, one for each that
 * has room in it; n of whole squares. */
static inline __attribute__((always_inline)) void
LOOP_NAME2(weave, BYTES)(char *to, int64_t row, const char *const line[], int64_t n, int64_t size) {
    const int64_t side = 16 / size;
    for (int64_t i = 0; i < n; i += side, to += side * row) {
        VEC x[16];
#pragma GCC unroll 16
        for (int k = 0; k < side; k++) x[k] = LOOP_NAME2(lanes_of, BYTES)(line + k, side, i * size);
        LOOP_NAME2(cards, BYTES)(x, (int)side, size);
#pragma GCC unroll 16
        for (int k = 0; k < side; k++) memcpy(to + k * row, &x[k], sizeof x[k]);
    }
}

#undef BYTES
#undef VEC
