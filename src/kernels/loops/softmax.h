/* Include-template: softmax and log_softmax of rows of one dtype, in three looks at a row: its
 * largest element, the sum of exponentials of the distances from it, the results. The second
 * exponential costs less than a trip to memory. Before: OP, SFX, LOG (1 for log_softmax), T
 * (stored), F (float or double), V (vector of F), W (its lanes), LD, LD_N, ST, ST_N (T from and to
 * V), V_EXP, F_OF(T), T_OF(F). After: FN(rows); everything but OP and LOG is undefined. */

#define KEEPS      (WHOLE && !LOG && n <= KEPT)
#define KEEPS_TILE (WHOLE && !LOG && n * rows <= KEPT)
#define WIDE       (WHOLE || LOG ? 0 : KEPT_WIDE)
#define WAITS      (WIDE && wide)
/* Bytes of what waits of a strip, as what is computed with. */
#define STRIP_ROOM (WHOLE ? STRIP_BYTES : STRIP_WAITS)
/* Do elements of a strip wait by themselves? */
#define APART_IF(near) (!(near) || !WHOLE)
/* A tile of what is computed with: half types leave that to the functions of float32. */
#define TILE_OF_F FN2(tile, OP, TILE_SFX)
/* An exponential for the sum, which may be the one that is kept. */
#define ADDED(x) (LOG ? V_PART(x) : V_EXP(x))

/* One vector of results from the elements, the largest one, and the sum (softmax: its inverse; log:
 * its logarithm). */
static inline V FN(result)(V x, V most, V sum) {
    return LOG ? x - most - sum : V_EXP(x - most) * sum;
}
static inline vf64 FN(closed)(vf64 sum) { return LOG ? v_log_f64(sum) : 1.0 / sum; }
/* The same of sums that are no more than an F each. */
static inline V FN(closed_near)(V sum) {
    return LOG ? SIMD_PICK(v_log, sum)(sum) : v_like(sum, 1) / sum;
}
static inline void FN(close)(F *closing, const double *sum, int64_t n) {
    int64_t i = 0;
    for (; i + W64 <= n; i += W64) NARROWED(closing + i, FN(closed)(ld_f64(sum + i)));
    if (i == n) return;
    const vf64 made = FN(closed)(ld_f64_n(sum + i, n - i));
    for (int l = 0; l < W64 && i + l < n; l++) closing[i + l] = (F)made[l];
}

#define E           T
#define LDV(p)      LD(p)
#define LDV_N(p, k) LD_N(p, k)
#include "kernels/loops/row_lanes.h"
#undef E
#undef LDV
#undef LDV_N

/* Rows of unit step are looked at three times. in may be out. First, after the largest element: the
 * sum of exponentials, which `wide` (NULL: there is none) or `out` keep. */
static inline double FN(sum)(T *out, F *wide, const T *in, int64_t n, F most) {
    const V zero = {0}, c = v_like(zero, most);
    V s = zero;
    double sum = 0;
    int64_t j = 0;
    for (; j + W <= n; j += W) {
        const V e = ADDED(LD(in + j) - c);
        if (KEEPS) ST(out + j, e);
        if (WAITS) memcpy(wide + j, &e, sizeof e);
        s += e;
        if (j % SUM_BLOCK == SUM_BLOCK - W) {
            sum += FN(total)(s);
            s = zero;
            if ((j + W) % NOMEN__LONG_ROW == 0 && nomen__kernel_stopped()) return sum;
        }
    }
    if (j < n) {
        const V e = ADDED(LD_N(in + j, n - j) - c);
        if (KEEPS) ST_N(out + j, e, n - j);
        if (WAITS) memcpy(wide + j, &e, sizeof e);
        s += FN(first)(e, n - j, zero);
    }
    return sum + FN(total)(s);
}

static inline void FN(finish)(T *out, const F *wide, const T *in, int64_t n, F most, F last) {
    const V c = v_like((V){0}, most), closing = v_like((V){0}, last);
    int64_t j = 0;
    if (KEEPS) {
        for (; j + W <= n; j += W) ST(out + j, LD(out + j) * closing);
        if (j < n) ST_N(out + j, LD_N(out + j, n - j) * closing, n - j);
    } else if (WAITS) {
        V e;
        for (; j < n; j += W) {
            memcpy(&e, wide + j, sizeof e);
            if (j + W <= n)
                ST(out + j, e * closing);
            else
                ST_N(out + j, e * closing, n - j);
        }
    } else {
        while (j + W <= n && !(j && nomen__kernel_stopped())) {
            const int64_t end = n - j < NOMEN__LONG_ROW ? n : j + NOMEN__LONG_ROW;
            for (; j + W <= end; j += W) ST(out + j, FN(result)(LD(in + j), c, closing));
        }
        if (j < n && n - j < W) ST_N(out + j, FN(result)(LD_N(in + j, n - j), c, closing), n - j);
    }
}

/* A row of no more than a vector: what straight would make of it, without a way through memory. */
static inline void FN(vector)(T *out, const T *in, int64_t n) {
    const V zero = {0}, none = v_like(zero, -__builtin_inf()), x = LD_N(in, n);
    const V c = v_like(zero, FN(top)(v_greater(FN(first)(x, n, none), none)));
    const V e = ADDED(x - c);
    const double sum = FN(total)(FN(first)(e, n, zero));
    const F last = (F)(LOG ? FN(closed)(v_set_f64(sum))[0] : 1.0 / sum);
    ST_N(out, LOG ? FN(result)(x, c, v_like(zero, last)) : e * v_like(zero, last), n);
}
static APART void FN(vectors)(const nomen__rows_args *a) {
    for (int64_t r = 0; r < a->rows; r++)
        FN(vector)((T *)(void *)(a->out + r * a->out_row),
                   (const T *)(const void *)(a->in + r * a->in_row), a->n);
}

/* Some rows together: what one waits for (its largest element, its sum, a division) passes while
 * others are worked on. */
static APART void FN(straight)(const nomen__rows_args *a, int64_t row, int64_t rows) {
    enum { FEWER = TOGETHER_BYTES / sizeof(F), ROOM = WIDE > FEWER ? WIDE : FEWER };
    const int64_t n = a->n, each = (n + W - 1) / W * W;
    F near[WIDE ? ROOM + TOGETHER * W : 1] __attribute__((aligned(64)));
    F *const wide = n <= WIDE ? near : a->wide;
    F most[TOGETHER], closing[TOGETHER];
    double sum[TOGETHER] = {0}; /* or gcc thinks that there are no rows */
    T *out[TOGETHER];
    const T *in[TOGETHER];
    for (int64_t r = 0; r < rows; r++) {
        in[r] = (const T *)(const void *)(a->in + (row + r) * a->in_row);
        out[r] = (T *)(void *)(a->out + (row + r) * a->out_row);
        most[r] = FN(largest)(in[r], n);
    }
    for (int64_t r = 0; r < rows; r++)
        sum[r] = FN(sum)(out[r], WAITS ? wide + r * each : NULL, in[r], n, most[r]);
    FN(close)(closing, sum, rows);
    for (int64_t r = 0; r < rows; r++)
        FN(finish)(out[r], WAITS ? wide + r * each : NULL, in[r], n, most[r], closing[r]);
}

/* The first k lanes, or all of them (0). */
static inline __attribute__((always_inline)) V FN(get)(const char *p, int64_t k) {
    const void *at = p;
    return k ? LD_N(at, k) : LD(at);
}
static inline __attribute__((always_inline)) void FN(put)(char *p, V x, int64_t k) {
    void *at = p;
    if (k)
        ST_N(at, x, k);
    else
        ST(at, x);
}

/* A strip of rows side by side, few enough for registers: so many vectors, of the last one only
 * `rest` lanes if it is not 0. Near: of no more than NEAR elements, whose sums are an F each.
 * Apart: elements and exponentials wait in `kept`, so that what is read is read once and what is
 * written is written once, as others may work on the other part of a cache line; else where the
 * results go, but for parts of vectors: what a mask has stored is waited for. */
static inline __attribute__((always_inline)) void FN(strip)(char *out, const char *in, int64_t n,
                                                            int64_t in_step, int64_t out_step,
                                                            F *kept, const bool near,
                                                            const int vectors, int64_t rest) {
    enum { MOST = 2, BYTES = W * sizeof(T), WIDE_EACH = W / W64 };
    const bool apart = APART_IF(near) || rest;
    const int64_t lanes[MOST] = {vectors == 1 ? rest : 0, rest};
    V m[MOST], s[MOST];
    vf64 sum[MOST * WIDE_EACH];
    F closing[MOST * W] __attribute__((aligned(64)));
    for (int v = 0; v < vectors; v++) {
        m[v] = v_like((V){0}, -__builtin_inf());
        s[v] = (V){0};
    }
    for (int k = 0; k < vectors * WIDE_EACH; k++) sum[k] = (vf64){0};
    for (int64_t i = 0; i < n; i++)
        for (int v = 0; v < vectors; v++) {
            const V x = FN(get)(in + i * in_step + v * BYTES, lanes[v]);
            if (apart) memcpy(kept + (i * vectors + v) * W, &x, sizeof x);
            m[v] = v_greater(x, m[v]);
        }
    for (int64_t i = 0; i < n;) {
        const int64_t end = near || n - i < NEAR ? n : i + NEAR;
        for (int v = 0; v < vectors; v++) s[v] = (V){0};
        for (; i < end; i++)
            for (int v = 0; v < vectors; v++) {
                F *p = kept + (i * vectors + v) * W;
                V x;
                if (apart)
                    memcpy(&x, p, sizeof x);
                else
                    x = FN(get)(in + i * in_step + v * BYTES, lanes[v]);
                const V e = ADDED(x - m[v]);
                s[v] += e;
                if (apart && !LOG) memcpy(p, &e, sizeof e);
                if (!apart && !LOG) FN(put)(out + i * out_step + v * BYTES, e, lanes[v]);
            }
        if (near) continue;
        for (int v = 0; v < vectors; v++) memcpy(closing + v * W, &s[v], sizeof s[v]);
        for (int k = 0; k < vectors * WIDE_EACH; k++) sum[k] += WIDENED(closing + k * W64);
    }
    if (near) {
        for (int v = 0; v < vectors; v++) s[v] = FN(closed_near)(s[v]);
    } else {
        for (int k = 0; k < vectors * WIDE_EACH; k++)
            NARROWED(closing + k * W64, FN(closed)(sum[k]));
        for (int v = 0; v < vectors; v++) memcpy(&s[v], closing + v * W, sizeof s[v]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int v = 0; v < vectors; v++) {
            char *q = out + i * out_step + v * BYTES;
            V x;
            if (apart)
                memcpy(&x, kept + (i * vectors + v) * W, sizeof x);
            else
                x = FN(get)(LOG ? in + i * in_step + v * BYTES : q, lanes[v]);
            FN(put)(q, LOG ? x - m[v] - s[v] : x * s[v], lanes[v]);
        }
}

/* Fewer rows than a strip has, by themselves: whole vectors keep what they need in registers. */
static APART void FN(strip_rest)(char *out, const char *in, int64_t n, int64_t in_step,
                                 int64_t out_step, F *kept, int64_t rows, bool near) {
    if (rows > W)
        FN(strip)(out, in, n, in_step, out_step, kept, near, 2, rows - W);
    else
        FN(strip)(out, in, n, in_step, out_step, kept, near, 1, rows % W);
}

/* The last strip takes some rows again, if it may, rather than parts of vectors. */
static inline __attribute__((always_inline)) void FN(strips_of)(char *out, const char *in,
                                                                int64_t n, int64_t in_step,
                                                                int64_t out_step, int64_t rows,
                                                                const bool near) {
    F kept[STRIP_ROOM / sizeof(F)] __attribute__((aligned(64)));
    const int64_t bytes = (int64_t)sizeof(T);
    const bool again = in != out && rows >= 2 * W && rows % (2 * W) > W;
    int64_t r = 0;
    while (rows - r >= (again ? 1 : 2 * W)) {
        if (r > rows - 2 * W) r = rows - 2 * W;
        FN(strip)(out + r * bytes, in + r * bytes, n, in_step, out_step, kept, near, 2, 0);
        r += 2 * W;
    }
    if (r < rows && rows - r <= W && in != out && rows >= W) {
        r = rows - W;
        FN(strip)(out + r * bytes, in + r * bytes, n, in_step, out_step, kept, near, 1, 0);
        r += W;
    }
    if (r < rows)
        FN(strip_rest)(out + r * bytes, in + r * bytes, n, in_step, out_step, kept, rows - r, near);
}
static APART void FN(strips)(char *out, const char *in, int64_t n, int64_t in_step,
                             int64_t out_step, int64_t rows) {
    FN(strips_of)(out, in, n, in_step, out_step, rows, false);
}
static APART void FN(strips_near)(char *out, const char *in, int64_t n, int64_t in_step,
                                  int64_t out_step, int64_t rows) {
    FN(strips_of)(out, in, n, in_step, out_step, rows, true);
}

/* What rows of a tile have in common that are parts of `real` ones: all of them get it. */
static void FN(join_most)(F *most, int64_t rows, int64_t real) {
    for (int64_t first = real; first < rows; first += real)
        for (int64_t r = 0; r < real; r++)
            most[r] = most[first + r] > most[r] ? most[first + r] : most[r];
    for (int64_t r = real; r < rows; r++) most[r] = most[r - real];
}
static void FN(join_sums)(double *sum, int64_t rows, int64_t real) {
    for (int64_t first = real; first < rows; first += real)
        for (int64_t r = 0; r < real; r++) sum[r] += sum[first + r];
    for (int64_t r = real; r < rows; r++) sum[r] = sum[r - real];
}

/* Up to TILE rows side by side: element i of row r at in + i * in_step + r * sizeof(T). Of their
 * last elements there are only `last`. Rows r, r + real, r + 2 * real ... are parts of one. */
static APART void FN(wide)(char *out, const char *in, int64_t n, int64_t in_step, int64_t out_step,
                           int64_t rows, int64_t last, int64_t real) {
    F most[TILE] __attribute__((aligned(64)));
    F closing[TILE]
        __attribute__((aligned(64))); /* lanes of no row are zero too: others are slow */
    F part[TILE] __attribute__((aligned(64)));
    double sum[TILE];
    if (rows < 1) __builtin_unreachable(); /* said for gcc 13, which takes sum for unwritten */
    const int64_t bytes = (int64_t)sizeof(T), whole = (rows + W - 1) / W * W;
    for (int64_t r = 0; r < whole; r++) most[r] = (F)-__builtin_inf(), part[r] = 0;
    for (int64_t r = 0; r < rows; r++) sum[r] = 0;
    for (int64_t i = 0; i < n; i++) {
        const char *p = in + i * in_step;
        const int64_t here = i < n - 1 ? rows : last, full = here - here % W;
        for (int64_t r = 0; r < here; r += W) {
            V x = r < full ? LD(p + r * bytes) : LD_N(p + r * bytes, here - full), m;
            memcpy(&m, most + r, sizeof m);
            m = v_greater(r < full ? x : FN(first)(x, here - full, m), m);
            memcpy(most + r, &m, sizeof m);
        }
    }
    if (real < rows) FN(join_most)(most, rows, real);
    const bool keeps = KEEPS_TILE;
    for (int64_t i = 0; i < n; i++) {
        const char *p = in + i * in_step;
        char *q = out + i * out_step;
        const int64_t here = i < n - 1 ? rows : last, full = here - here % W;
        for (int64_t r = 0; r < here; r += W) {
            V x = r < full ? LD(p + r * bytes) : LD_N(p + r * bytes, here - full), m, s;
            memcpy(&m, most + r, sizeof m);
            memcpy(&s, part + r, sizeof s);
            const V e = ADDED(x - m);
            s += r < full ? e : FN(first)(e, here - full, (V){0});
            memcpy(part + r, &s, sizeof s);
            if (keeps && r < full) ST(q + r * bytes, e);
            if (keeps && r >= full) ST_N(q + r * bytes, e, here - full);
        }
        if (i % NEAR == NEAR - 1 || i == n - 1)
            for (int64_t r = 0; r < rows; r++) sum[r] += (double)part[r], part[r] = 0;
        if (i % LONG_TILE == LONG_TILE - 1 && nomen__kernel_stopped()) return;
    }
    if (real < rows) FN(join_sums)(sum, rows, real);
    for (int64_t r = 0; r < whole; r++) closing[r] = 0;
    FN(close)(closing, sum, rows);
    for (int64_t i = 0; i < n; i++) {
        const char *p = in + i * in_step;
        char *q = out + i * out_step;
        const int64_t here = i < n - 1 ? rows : last, full = here - here % W;
        for (int64_t r = 0; r < here; r += W) {
            V m, s;
            memcpy(&m, most + r, sizeof m);
            memcpy(&s, closing + r, sizeof s);
            if (keeps && r < full)
                ST(q + r * bytes, LD(q + r * bytes) * s);
            else if (keeps)
                ST_N(q + r * bytes, LD_N(q + r * bytes, here - full) * s, here - full);
            else if (r < full)
                ST(q + r * bytes, FN(result)(LD(p + r * bytes), m, s));
            else
                ST_N(q + r * bytes, FN(result)(LD_N(p + r * bytes, here - full), m, s),
                     here - full);
        }
        if (i % LONG_TILE == LONG_TILE - 1 && nomen__kernel_stopped()) return;
    }
}

/* Is that as many elements of two vectors of rows as wait nearby? */
static inline bool FN(is_strip)(int64_t n) { return n * 2 * W * (int64_t)sizeof(F) <= STRIP_ROOM; }

/* A tile, in strips if rows are short. */
static APART void FN(tile)(char *out, const char *in, int64_t n, int64_t in_step, int64_t out_step,
                           int64_t rows) {
    const bool small = n * rows * (int64_t)sizeof(T) <= STRIP_BYTES;
    const bool crowded = in_step % CROWDED == 0 || out_step % CROWDED == 0;
    if ((!small && crowded) || !FN(is_strip)(n))
        FN(wide)(out, in, n, in_step, out_step, rows, rows, rows);
    else if (n <= NEAR)
        FN(strips_near)(out, in, n, in_step, out_step, rows);
    else
        FN(strips)(out, in, n, in_step, out_step, rows);
}

/* Fewer rows than a vector has lanes, or few more, without gaps between their elements: lanes meet
 * the same rows again after some vectors, which are taken for one element of many rows: of how
 * many. Where these are too many, part of a vector stays. 0: they are not to be taken so. */
static inline int64_t FN(many_of)(const nomen__rows_args *a) {
    const int64_t bytes = (int64_t)sizeof(T), rows = a->rows, step = rows * bytes;
    if (rows > (FN(is_strip)(a->n) ? W - 1 : FEW_MOST) || a->in_step != step || a->out_step != step)
        return 0;
    /* What a tile costs however few elements it has, strips do not. */
    if (FN(is_strip)(a->n) && a->n * (W - 2 * rows) < FEW_WORTH * W) return 0;
    const int64_t common = rows & -rows, even = common < W ? rows / common * W : rows;
    const int64_t each = even <= TILE ? even : rows;
    const int64_t most = TILE / each, times = a->n * rows / (FEW_LEAST * each);
    const int64_t many = (times < most ? times : most) * each;
    return many > rows ? many : 0;
}
static APART void FN(few)(const nomen__rows_args *a, int64_t many) {
    const int64_t elements = a->n * a->rows, n = (elements + many - 1) / many;
    const int64_t step = many * (int64_t)sizeof(T);
    FN(wide)(a->out, a->in, n, step, step, many, elements - (n - 1) * many, a->rows);
}

/* A square of W rows, or fewer, and of W columns of them, or fewer, into a tile, and back. */
static inline void FN(turn_in)(F *tile, const char *in, int64_t in_row, int64_t rows,
                               int64_t columns) {
    V x[W];
#pragma GCC unroll 16
    for (int r = 0; r < W; r++)
        x[r] = r >= rows     ? (V){0}
               : columns < W ? LD_N(in + r * in_row, columns)
                             : LD(in + r * in_row);
    SIMD_PICK(v_turn, x[0])(x);
#pragma GCC unroll 16
    for (int i = 0; i < W; i++)
        if (i < columns) memcpy(tile + i * TURN, &x[i], sizeof x[i]);
}
static inline void FN(turn_out)(char *out, const F *tile, int64_t out_row, int64_t rows,
                                int64_t columns) {
    V x[W];
#pragma GCC unroll 16
    for (int i = 0; i < W; i++)
        if (i < columns)
            memcpy(&x[i], tile + i * TURN, sizeof x[i]);
        else
            x[i] = (V){0};
    SIMD_PICK(v_turn, x[0])(x);
#pragma GCC unroll 16
    for (int r = 0; r < W; r++)
        if (r >= rows)
            break;
        else if (columns < W)
            ST_N(out + r * out_row, x[r], columns);
        else
            ST(out + r * out_row, x[r]);
}

/* Short rows are turned over into a tile of F, and back: in squares, whose last ones have lanes of
 * no row, or, very few of them and those with gaps, element by element. */
static void FN(short_rows)(const nomen__rows_args *a) {
    enum { FEWEST = 4 };
    const int64_t bytes = (int64_t)sizeof(T), pitch = TURN * (int64_t)sizeof(F);
    const bool unit = a->in_step == bytes && a->out_step == bytes;
    F tile[TURN_MOST(F) * TURN] __attribute__((aligned(64)));
    for (int64_t r = 0; r < a->rows; r += TURN) {
        const int64_t k = a->rows - r < TURN ? a->rows - r : TURN;
        const bool squares = unit && k >= FEWEST;
        for (int64_t j = 0; j < k && squares; j += W)
            for (int64_t i = 0; i < a->n; i += W)
                FN(turn_in)(tile + i * TURN + j, a->in + (r + j) * a->in_row + i * bytes, a->in_row,
                            k - j, a->n - i);
        for (int64_t j = 0; j < k && !squares; j++)
            for (int64_t i = 0; i < a->n; i++)
                tile[i * TURN + j] =
                    F_OF(*(const T *)(const void *)(a->in + (r + j) * a->in_row + i * a->in_step));
        TILE_OF_F((char *)tile, (const char *)tile, a->n, pitch, pitch,
                  squares ? (k + W - 1) / W * W : k);
        for (int64_t j = 0; j < k && squares; j += W)
            for (int64_t i = 0; i < a->n; i += W)
                FN(turn_out)(a->out + (r + j) * a->out_row + i * bytes, tile + i * TURN + j,
                             a->out_row, k - j, a->n - i);
        for (int64_t j = 0; j < k && !squares; j++)
            for (int64_t i = 0; i < a->n; i++)
                *(T *)(void *)(a->out + (r + j) * a->out_row + i * a->out_step) =
                    T_OF(tile[i * TURN + j]);
    }
}

/* A long row of any step. */
static APART void FN(strided)(char *out, const char *in, int64_t n, int64_t in_step,
                              int64_t out_step) {
    F most = (F)-__builtin_inf();
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        F x = F_OF(*(const T *)(const void *)(in + i * in_step));
        most = x > most ? x : most;
    }
    V c = v_like((V){0}, most);
    V s = {0};
    for (int64_t i = 0; i < n; i += W) {
        V x = {0};
        for (int64_t l = 0; l < W && i + l < n; l++)
            x[l] = F_OF(*(const T *)(const void *)(in + (i + l) * in_step));
        V e = ADDED(x - c);
        for (int64_t l = 0; l < W && i + l < n; l++) s[l] += e[l];
        if (i % SUM_BLOCK == SUM_BLOCK - W || i + W >= n) {
            for (int l = 0; l < W; l++) sum += (double)s[l];
            s = (V){0};
            if ((i + W) % LONG_STRIDED == 0 && nomen__kernel_stopped()) return;
        }
    }
    F last;
    FN(close)(&last, &sum, 1);
    const V closing = v_like((V){0}, last);
    for (int64_t i = 0; i < n; i += W) {
        V x = {0};
        for (int64_t l = 0; l < W && i + l < n; l++)
            x[l] = F_OF(*(const T *)(const void *)(in + (i + l) * in_step));
        x = FN(result)(x, c, closing);
        for (int64_t l = 0; l < W && i + l < n; l++)
            *(T *)(void *)(out + (i + l) * out_step) = T_OF(x[l]);
        if ((i + W) % LONG_STRIDED == 0 && nomen__kernel_stopped()) return;
    }
}

static void FN(rows)(const nomen__rows_args *a) {
    const int64_t bytes = (int64_t)sizeof(T);
    if (a->n <= 0) return;
    if (a->in_row == bytes && a->out_row == bytes && a->rows > 1 &&
        (a->rows >= W || a->in_step != bytes)) {
        const int64_t many = FN(many_of)(a);
        if (many) {
            FN(few)(a, many);
            return;
        }
        const int64_t fit = TILE_BYTES / (a->n * bytes) / TILE_LEAST * TILE_LEAST;
        const int64_t most = fit > TILE ? TILE : fit < TILE_LEAST ? TILE_LEAST : fit;
        for (int64_t r = 0; r < a->rows; r += most)
            FN(tile)(a->out + r * bytes, a->in + r * bytes, a->n, a->in_step, a->out_step,
                     a->rows - r < most ? a->rows - r : most);
    } else if (a->n <= TURN_MOST(F) && a->rows >= 8) {
        FN(short_rows)(a);
    } else {
        const bool unit = a->in_step == bytes && a->out_step == bytes;
        if (unit && a->n < W && (!LOG || a->rows == 1)) { /* logarithms of several sums are one */
            FN(vectors)(a);
            return;
        }
        const int64_t fit = TOGETHER_BYTES / (a->n * (int64_t)sizeof(F));
        const int64_t some = !unit || fit < 1 ? 1 : fit < TOGETHER ? fit : TOGETHER;
        for (int64_t r = 0; r < a->rows; r += some)
            if (unit)
                FN(straight)(a, r, a->rows - r < some ? a->rows - r : some);
            else
                FN(strided)(a->out + r * a->out_row, a->in + r * a->in_row, a->n, a->in_step,
                            a->out_step);
    }
}

#undef KEEPS
#undef KEEPS_TILE
#undef WIDE
#undef WAITS
#undef STRIP_ROOM
#undef APART_IF
#undef SFX
#undef T
#undef F
#undef V
#undef W
#undef LD
#undef LD_N
#undef ST
#undef ST_N
#undef V_EXP
#undef V_PART
#undef ADDED
#undef TILE_OF_F
#undef TILE_SFX
#undef F_OF
#undef T_OF
#undef WHOLE
