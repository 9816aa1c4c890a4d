/* Products of few rows of columns of complex numbers, with no accumulators. Real and imaginary
 * parts are multiplied apart: side by side half of the steps of a product would only move them. The
 * order is that of lanes_of_cols, and the bits are those of c_mul_f64. */
#ifndef NOMEN_SRC_PROD_COLUMNS_H
#define NOMEN_SRC_PROD_COLUMNS_H

#include "kernels/loops/complex_wide.h"

/* Columns from number `at` on of rows j to j + rows; what came of those before, and comes of them,
 * is kept, a group of W64 in each. out: NULL if there are more rows. */
typedef struct parts_of {
    int64_t at, j, rows;
    vc64 *kept;
    char *out;
} parts_of;

/* Two groups fill the time in which products wait for each other. */
static inline __attribute__((always_inline)) void
parts_join(const nomen__reduce_step *step, const parts_of *o, const int groups, const int bytes) {
    enum { MOST = 2 };
    const vc64 one = {(vf64){0} + 1, {0}};
    const int64_t pitch = step->red_step, group = W64 * bytes;
    const char *p = step->in + o->j * pitch + o->at * bytes;
    vc64 s[MOST];
    int64_t j = 0;
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++) s[g] = o->j ? o->kept[g] : one;
    for (; j + 4 <= o->rows; j += 4, p += 4 * pitch)
#pragma GCC unroll 2
        for (int g = 0; g < groups; g++) {
            const char *x = p + g * group;
            const vc64 first = parts_times(parts_get(x, bytes), parts_get(x + pitch, bytes));
            const vc64 second =
                parts_times(parts_get(x + 2 * pitch, bytes), parts_get(x + 3 * pitch, bytes));
            s[g] = parts_times(s[g], parts_times(first, second));
        }
    for (; j < o->rows; j++, p += pitch)
#pragma GCC unroll 2
        for (int g = 0; g < groups; g++) s[g] = parts_times(s[g], parts_get(p + g * group, bytes));
#pragma GCC unroll 2
    for (int g = 0; g < groups; g++)
        if (!o->out)
            o->kept[g] = s[g];
        else /* as accumulators have it: infinite numbers times one change */
            parts_put(o->out + o->at * bytes + g * group, bytes, parts_times(one, s[g]));
}

/* Some rows at a time: memory is read in no more streams than are fetched ahead. */
static inline __attribute__((always_inline)) void
prod_columns(char *out, const nomen__reduce_step *s, const int bytes) {
    enum { ROWS = 8 };
    const int64_t n = s->n_acc;
    vc64 kept[NOMEN__ACC_WIDE / W64 + 1];
    for (int64_t j = 0; j < s->n_red; j += ROWS) {
        const int64_t left = s->n_red - j;
        parts_of o = {0, j, left < ROWS ? left : ROWS, kept, left > ROWS ? NULL : out};
        for (; o.at + 2 * W64 <= n; o.at += 2 * W64, o.kept += 2) parts_join(s, &o, 2, bytes);
        for (; o.at < n; o.at += W64, o.kept++) {
            /* The last columns go with some of those before, once more. */
            if (o.at + W64 > n) o.at = n - W64;
            parts_join(s, &o, 1, bytes);
        }
    }
}

#endif
