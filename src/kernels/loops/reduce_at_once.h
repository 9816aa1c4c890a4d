/* Include-template: extrema, sums or products of rows of a vector of elements and more, in any
 * order, as many rows at a time as a vector has lanes: each row becomes one vector, and these are
 * turned over in registers, so that what joins the lanes of a row is done for all of them. Before:
 * as in reduce_fold.h and extremum.h, BITS of an element (32 or 64), AT_ONCE (a vector of T) and
 * AT_ONCE_JOIN(a, b) of two; of sums and products
 * AT_ONCE_FIRST(const T *, n), the first n and what changes nothing. After:
 * FN(rows_at_once); the four are undefined. */

#define OF_BITS(name)        OF_BITS2(name, BITS)
#define OF_BITS2(name, bits) OF_BITS3(name, bits)
#define OF_BITS3(name, bits) name##bits

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare" /* of integers none is a NaN */

/* What a row comes to in each lane; whether there is a NaN. */
static inline __attribute__((always_inline)) AT_ONCE FN(row_at_once)(const T *x, int64_t n,
                                                                     OF_BITS(vi) * nan) {
    enum { W = OF_BITS(W) };
    AT_ONCE best, y, z;
    memcpy(&best, x, sizeof best);
    *nan |= (OF_BITS(vi))(best != best);
    int64_t j = W;
    for (; j + 2 * W <= n; j += 2 * W) { /* two, before they wait for what was there */
        memcpy(&y, x + j, sizeof y);
        memcpy(&z, x + j + W, sizeof z);
        *nan |= (OF_BITS(vi))(y != y) | (OF_BITS(vi))(z != z);
        best = AT_ONCE_JOIN(AT_ONCE_JOIN(y, z), best);
    }
    for (; j < n; j += W) {
#ifdef AT_ONCE_FIRST
        if (j > n - W) {
            best = AT_ONCE_JOIN(AT_ONCE_FIRST(x + j, n - j), best);
            break;
        }
#else
        if (j > n - W) j = n - W; /* some of them once more: no harm to an extremum */
#endif
        memcpy(&y, x + j, sizeof y);
        *nan |= (OF_BITS(vi))(y != y);
        best = AT_ONCE_JOIN(y, best);
    }
    return best;
}

/* So many rows, at most as many as there are lanes: the last one again in those that are left. */
static inline __attribute__((always_inline)) void
FN(some_at_once)(A *acc, const nomen__reduce_step *s, int64_t i, const int64_t rows) {
    enum { W = OF_BITS(W) };
    const char *in = s->in + i * s->acc_step;
    OF_BITS(vu) square[W];
    AT_ONCE x[W];
    T each[W];
    OF_BITS(vi) nan = {0};
#pragma GCC unroll 16
    for (int r = 0; r < W; r++)
        square[r] = (OF_BITS(vu))FN(row_at_once)(
            (const T *)(const void *)(in + (r < rows ? r : rows - 1) * s->acc_step), s->n_red,
            &nan);
    OF_BITS(v_turn_u)(square);
#pragma GCC unroll 16
    for (int r = 0; r < W; r++) x[r] = (AT_ONCE)square[r];
#pragma GCC unroll 4
    for (int half = W / 2; half; half /= 2)
#pragma GCC unroll 8
        for (int k = 0; k < half; k++) x[k] = AT_ONCE_JOIN(x[k], x[k + half]);
    memcpy(each, &x[0], sizeof each);
    /* A NaN wins, and of zeros it shows which one is taken: such rows go by themselves. */
    bool odd = OF_BITS(v_any)(nan);
    if ((T)0.5 != 0) odd |= OF_BITS(v_any)((OF_BITS(vi))(x[0] == 0));
    for (int r = 0; r < rows; r++) {
        if (odd)
            FN(row)(acc + i + r, (const T *)(const void *)(in + r * s->acc_step), s->n_red, 0, 0);
        else
            TAKE(acc + i + r, (C)each[r]);
    }
}
static APART void FN(few_at_once)(A *acc, const nomen__reduce_step *s, int64_t i) {
    FN(some_at_once)(acc, s, i, s->n_acc - i);
}

/* Returns how many of the rows: what is left is sooner done one by one. */
static APART int64_t FN(rows_at_once)(A *acc, const nomen__reduce_step *s) {
    enum { W = OF_BITS(W), WORTH = W / 4 };
    int64_t i = 0;
    for (; i + W <= s->n_acc; i += W) FN(some_at_once)(acc, s, i, W);
    if (s->n_acc - i <= WORTH) return i;
    FN(few_at_once)(acc, s, i);
    return s->n_acc;
}

#pragma GCC diagnostic pop
#undef OF_BITS
#undef OF_BITS2
#undef OF_BITS3
#undef BITS
#undef AT_ONCE
#undef AT_ONCE_JOIN
#undef AT_ONCE_FIRST
