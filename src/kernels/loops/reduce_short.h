/* Include-template: rows of few elements without gaps, a row in each lane: squares of rows and
 * elements are turned over in registers. The elements of a row are joined as FN(cols) joins them.
 * Before: as in reduce_fold.h, TURNED (a vector of C) and TAKE_LANES(A *, vectors that hold a C for
 * each lane of a TURNED); where C is no number of the vector's own, VID and also
 * TURNED_GET(const T *, n) -> TURNED of the first n, and TURN_SQUARE(TURNED *). After:
 * FN(short_rows); TURNED, TAKE_LANES, TURNED_GET and TURN_SQUARE are undefined. */
#ifndef NOMEN_SRC_REDUCE_SHORT_H
#define NOMEN_SRC_REDUCE_SHORT_H

#include "kernels/simd/turn.h"

static inline vf32 short_load_f32(const float *p, int64_t n) {
    return n < W32 ? ld_f32_n(p, n) : ld_f32(p);
}
static inline vf64 short_load_f64(const double *p, int64_t n) {
    return n < W64 ? ld_f64_n(p, n) : ld_f64(p);
}

#endif

#ifndef TURNED_GET
#define TURNED_GET(p, n)                                                                           \
    OF_VECTOR(_Generic((p), const float *: short_load_f32, const double *: short_load_f64)(p, n))
#define TURN_SQUARE(x) SIMD_PICK(v_turn, (x)[0])(x)
#endif

static inline __attribute__((always_inline)) void FN(short_group)(A *acc, const char *in,
                                                                  int64_t in_row, const int64_t n) {
    enum { LANES_EACH = sizeof(TURNED) / sizeof(C) };
    TURNED x[SHORT_ROW];
#pragma GCC unroll 4
    for (int64_t i = 0; i < n; i += LANES_EACH) {
#pragma GCC unroll 16
        for (int r = 0; r < LANES_EACH; r++)
            x[i + r] = TURNED_GET((const T *)(const void *)(in + r * in_row) + i, n - i);
        TURN_SQUARE(x + i);
    }
#pragma GCC unroll 2
    for (int64_t j = 0; j < n; j += COL_ROWS) {
        const TURNED *y = x + j;
        const int64_t rows = n - j < COL_ROWS ? n - j : COL_ROWS;
        TURNED s = VID(TURNED);
        int64_t k = 0;
#pragma GCC unroll 2
        for (; k + 4 <= rows; k += 4) {
            const TURNED first = JOIN(y[k], y[k + 1]), second = JOIN(y[k + 2], y[k + 3]);
            const TURNED four = JOIN(first, second);
            s = JOIN(s, four);
        }
#pragma GCC unroll 4
        for (; k < rows; k++) s = JOIN(s, y[k]);
        TAKE_LANES(acc, s);
    }
}

static inline __attribute__((always_inline)) int64_t FN(short_groups)(A *acc,
                                                                      const nomen__reduce_step *s,
                                                                      const int64_t n) {
    enum { LANES_EACH = sizeof(TURNED) / sizeof(C) };
    int64_t i = 0;
    for (; i + LANES_EACH <= s->n_acc; i += LANES_EACH)
        FN(short_group)(acc + i, s->in + i * s->acc_step, s->acc_step, n);
    return i;
}

/* How many of the rows: what is left does not fill the lanes. Lengths are known to the compiler. */
static APART int64_t FN(short_rows)(A *acc, const nomen__reduce_step *s) {
    switch (s->n_red) {
    case 1: return sizeof(T) < 8 ? 0 : FN(short_groups)(acc, s, 1);
    case 2: return sizeof(T) < 8 ? 0 : FN(short_groups)(acc, s, 2); /* a quarter of a square */
    case 3: return FN(short_groups)(acc, s, 3);
    case 4: return FN(short_groups)(acc, s, 4);
    case 5: return FN(short_groups)(acc, s, 5);
    case 6: return FN(short_groups)(acc, s, 6);
    case 7: return FN(short_groups)(acc, s, 7);
    case 8: return FN(short_groups)(acc, s, 8);
    case 16: return FN(short_groups)(acc, s, 16);
    default: return 0;
    }
}

#undef TURNED
#undef TAKE_LANES
#undef TURNED_GET
#undef TURN_SQUARE
