/* Part of order.c: one row of elements of 64 bits, a key above its position, sorted as a whole by a
 * network of comparisons. The row is cut into as many runs as a vector has lanes, one run in each:
 * level i holds element i of every run (order_across.h).
 *
 * Limit: a step takes a minimum and a maximum for two vectors, and n elements take log2(n) *
 * (log2(n) + 1) / 2 steps: 1.4 ns an element where there are 4,096 of them, by vectors of 64 bytes;
 * digits of 8 bits take 1.3 ns each. */

enum { WIDE_LANES = level64_lanes };

/* The next elements of a run of which `left` are left. */
static inline some64_k wide_load(const uint64_t *a, int64_t left) {
    some64_k x = ~(some64_k){0};
    if (left >= WIDE_LANES)
        memcpy(&x, a, sizeof x);
    else
        for (int64_t l = 0; l < left; l++) x[l] = a[l];
    return x ^ SIGN;
}
static inline void wide_store(uint64_t *a, int64_t left, some64_k x) {
    x ^= SIGN;
    if (left >= WIDE_LANES)
        memcpy(a, &x, sizeof x);
    else
        for (int64_t l = 0; l < left; l++) a[l] = x[l];
}

/* Elements of up to as many runs as there are lanes, `pitch` apart, as levels, or back. Behind the
 * last one of a run, of which there are counts[r], they are greater than all. */
static APART void wide_levels(level64_k *v, int64_t levels, uint64_t *a, int64_t pitch,
                              const int64_t counts[WIDE_LANES], bool back) {
    for (int64_t i = 0; i < levels; i += WIDE_LANES) {
        some64_k x[WIDE_LANES];
#pragma GCC unroll 8
        for (int r = 0; r < WIDE_LANES; r++)
            x[r] = back ? (some64_k)v[i + r] : wide_load(a + r * pitch + i, counts[r] - i);
        v_turn_u64(x);
#pragma GCC unroll 8
        for (int r = 0; r < WIDE_LANES; r++)
            if (back)
                wide_store(a + r * pitch + i, counts[r] - i, x[r]);
            else
                v[i + r] = (level64_k)x[r];
    }
}

/* One row of up to WIDE elements, in runs as long as a power of two; `to` may be a. */
static APART void sort_wide(uint64_t *to, uint64_t *a, int64_t n) {
    level64_k v[WIDE / WIDE_LANES];
    int64_t levels = 8, counts[WIDE_LANES];
    while (levels * WIDE_LANES < n) levels *= 2;
    for (int r = 0; r < WIDE_LANES; r++)
        counts[r] = n - r * levels < levels ? n - r * levels : levels;
    wide_levels(v, levels, a, levels, counts, false);
    across64_sort(v, levels);
    wide_levels(v, levels, to, levels, counts, true);
}

/* Rows of n elements, `pitch` apart, as many runs at a time as there are lanes. v: room for their
 * levels, whole vectors of them. */
static void sort_rows_wide(void *v, uint64_t *a, int64_t pitch, int64_t rows, int64_t n) {
    const int64_t levels = level_count64_k(n);
    for (int64_t row = 0; row < rows; row += WIDE_LANES) {
        int64_t counts[WIDE_LANES];
        for (int r = 0; r < WIDE_LANES; r++) counts[r] = row + r < rows ? n : 0;
        wide_levels(v, levels, a + row * pitch, pitch, counts, false);
        bare_sort64_k(v, n, n);
        wide_levels(v, levels, a + row * pitch, pitch, counts, true);
    }
}
