/* Include-template: rows of eight and more double without gaps, as many at a time as a vector has
 * lanes: what is left of each when its eights have been joined is turned over in registers, so that
 * the last joins, and the elements behind the eights, serve all of them. The order is that of
 * FN(fold_row). Before: as in reduce_fold.h, with TURNED, which is vf64. After: FN(rows_at_once).
 */

/* Eight lanes, or as many as FN(fold_row) has, of which one vector is left. */
static inline __attribute__((always_inline)) vf64 FN(row_left)(const T *x, int64_t n,
                                                               const int vectors) {
    enum { EIGHT = 8 / W64 };
    vf64 s[LANES / W64];
    int64_t j = 0;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) s[v] = VID(vf64);
    for (; j + vectors * W64 <= n; j += vectors * W64)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) s[v] = JOIN(s[v], OF_VECTOR(ld_f64(x + j + v * W64)));
    for (; j + 8 <= n; j += 8)
#pragma GCC unroll 2
        for (int v = 0; v < EIGHT; v++) s[v] = JOIN(s[v], OF_VECTOR(ld_f64(x + j + v * W64)));
#pragma GCC unroll 8
    for (int v = EIGHT; v < vectors; v++) s[v % EIGHT] = JOIN(s[v % EIGHT], s[v]);
    return EIGHT == 1 ? s[0] : JOIN(s[0], s[EIGHT - 1]);
}

/* Returns how many of the rows: what is left does not fill the lanes. */
static APART int64_t FN(rows_at_once)(A *acc, const nomen__reduce_step *s) {
    _Static_assert(W64 == 4 || W64 == 8, "eight lanes are one vector or two");
    const int64_t n = s->n_red;
    int64_t r = 0;
    for (; r + W64 <= s->n_acc; r += W64) {
        const T *row[W64];
        vf64 x[W64], odd = VID(vf64);
#pragma GCC unroll 8
        for (int i = 0; i < W64; i++) {
            row[i] = (const T *)(const void *)(s->in + (r + i) * s->acc_step);
            x[i] =
                n < LANES ? FN(row_left)(row[i], n, 8 / W64) : FN(row_left)(row[i], n, LANES / W64);
        }
        v_turn_f64(x);
#pragma GCC unroll 3
        for (int half = W64 / 2; half; half /= 2)
#pragma GCC unroll 4
            for (int i = 0; i < half; i++) x[i] = JOIN(x[i], x[i + half]);
        for (int64_t j = n & ~(int64_t)7; j < n; j += W64) {
            const int64_t k = n - j < W64 ? n - j : W64;
            vf64 rest[W64];
#pragma GCC unroll 8
            for (int i = 0; i < W64; i++) rest[i] = ld_f64_n(row[i] + j, k);
            v_turn_f64(rest);
#pragma GCC unroll 8
            for (int i = 0; i < W64; i++) {
                if (i == k) break;
                odd = JOIN(odd, OF_VECTOR(rest[i]));
            }
        }
        TAKE_LANES(acc + r, JOIN(x[0], odd));
    }
    return r;
}
