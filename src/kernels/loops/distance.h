/* Include-template: the distances of points of one dtype. Before: SFX, C (the type), V (a vector of
 * W of them), LD(p), LDN(p, n), ST(p, v), STN(p, v, n), TURN(x), AGAIN (1: sums out of range are
 * made again by again_f32). After: FN(kernel); all of them are undefined. */

#define NR (NV * W)

static inline V FN(splat)(C x) { return x - (V){0}; }

/* A panel of `width` points: all their first coordinates, all their second ones, ...; the others of
 * those that a tile reads are points of zeros. */
static APART void FN(turn)(C *to, const char *b, int64_t width, int64_t k, int64_t row,
                           int64_t col) {
    const int64_t whole = width <= W ? W : NR, item = (int64_t)sizeof(C);
    if (col == item) { /* in squares */
        for (int64_t j = 0; j < whole; j += W)
            for (int64_t c = 0; c < k; c += W) {
                const char *from = b + j * row + c * item;
                const int64_t points = width - j, n = k - c < W ? k - c : W;
                V x[W];
                for (int i = 0; i < W; i++)
                    x[i] = i >= points ? (V){0}
                           : n == W    ? LD(from + i * row)
                                       : LDN(from + i * row, n);
                TURN(x);
                for (int64_t i = 0; i < n; i++) ST(to + (c + i) * NR + j, x[i]);
            }
        return;
    }
    for (int64_t c = 0; c < k; c++, b += col, to += NR) {
        for (int64_t j = width; j < whole; j++) to[j] = 0;
        if (row == item)
            memcpy(to, b, (size_t)(width * item));
        else
            for (int64_t j = 0; j < width; j++) memcpy(&to[j], b + j * row, sizeof(C));
    }
}

#define KIND         1
#define TERM(acc, d) ((acc) + v_abs(d))
#define JOIN(a, b)   ((a) + (b))
#include "kernels/loops/distance_tile.h"

#define KIND         2
#define TERM(acc, d) v_fma(d, d, acc)
#define JOIN(a, b)   ((a) + (b))
#include "kernels/loops/distance_tile.h"

#define KIND         most
#define TERM(acc, d) SIMD_PICK(most, d)(acc, v_abs(d))
#define JOIN(a, b)   ((b) != (b) || (b) > (a) ? (b) : (a))
#define UNITE(a, b)  SIMD_PICK(most, a)(a, b)
#include "kernels/loops/distance_tile.h"

/* How many coordinates differ; NaN where one of them is. */
#define KIND         count
#define TERM(acc, d) ((acc) + v_sel((d) == 0, (d), v_sel((d) != (d), (d), v_like(d, 1))))
#define JOIN(a, b)   ((a) + (b))
#include "kernels/loops/distance_tile.h"

#define KIND         power
#define TERM(acc, d) ((acc) + SIMD_PICK(power, d)(v_abs(d), power))
#define JOIN(a, b)   ((a) + (b))
#include "kernels/loops/distance_tile.h"

#if AGAIN
/* The first n lanes. */
static inline vi32 FN(lanes)(int64_t n) {
    vi32 lane;
    for (int l = 0; l < W; l++) lane[l] = l;
    return lane < (int32_t)n;
}
#endif

/* Sums become distances. What was made again waits as a negative number, since no sum is one; of
 * points that are the same there are so many that roots of 0 are kept from the quick way. */
static inline V FN(rooted)(V s, double p, const vf64 root) {
    const V known = FN(splat)(0), sum = v_sel((s <= known), v_like(s, 1), s);
    const V d = p == 2 ? SIMD_PICK(v_sqrt_likely, s)(sum) : SIMD_PICK(power, s)(sum, root);
    return v_sel((s <= known), v_abs(s), d);
}

/* The same of a tile, whose row 0 is that of point i. */
static APART void FN(finish)(const nomen__distance_args *a, C *sum, int64_t i, int64_t rows,
                             int64_t j, int64_t width) {
    if (a->p == 0 || a->p == 1 || a->p > DBL_MAX) return;
    const vf64 root = v_set_f64(1 / a->p);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t first = 0; first < width; first += W) {
            C *at = sum + r * NR + first;
            V s = LD(at);
#if AGAIN
            vi32 odd = is_odd_f32(s);
            if (width - first < W) odd &= FN(lanes)(width - first); /* the others are of nobody */
            if (__builtin_expect(v_any(odd), 0)) {
                for (int64_t e = 0; e < W && first + e < width; e++) {
                    const int64_t row = i + r, col = j + first + e;
                    if (!odd[e]) continue;
                    if (!a->pairs || col > a->first + row) at[e] = -(C)again_f32(a, row, col);
                }
                s = LD(at);
            }
#endif
            ST(at, FN(rooted)(s, a->p, root));
        }
#if !AGAIN
    (void)i, (void)j;
#endif
}

static inline void FN(copy)(char *to, const C *from, int64_t n) {
    for (; n >= W; n -= W, from += W, to += W * sizeof(C)) ST(to, LD(from));
    if (n > 0) STN(to, LDN(from, n), n);
}

static void FN(put)(const nomen__distance_args *a, const C *sum, int64_t i, int64_t rows, int64_t j,
                    int64_t width) {
    for (int64_t r = 0; r < rows; r++, sum += NR) {
        int64_t from = 0, step = a->out_col, point = a->first + i + r;
        char *to = a->out + (i + r) * a->out_row + j * step;
        if (a->pairs) { /* before this point come those of all earlier ones with later ones */
            from = point + 1 - j;
            if (from < 0) from = 0;
            if (from >= width) continue;
            step = (int64_t)sizeof(C);
            to = a->out + (point * (2 * a->n - point - 1) / 2 + j - point - 1) * step;
        }
        if (step == (int64_t)sizeof(C) && width - from == NR)
            for (int64_t c = 0; c < NR; c += W) ST((C *)(void *)to + c, LD(sum + c));
        else if (step == (int64_t)sizeof(C))
            FN(copy)(to + from * step, sum + from, width - from);
        else
            for (int64_t c = from; c < width; c++) memcpy(to + c * step, &sum[c], sizeof(C));
    }
}

/* Panels that stay in cache together. */
static int64_t FN(group)(int64_t k) {
    int64_t panel = (k ? k : 1) * NR * (int64_t)sizeof(C);
    return panel < GROUP_BYTES ? GROUP_BYTES / panel : 1;
}

static size_t FN(scratch)(int64_t k) {
    return (size_t)FN(group)(k) * (size_t)(k ? k : 1) * NR * sizeof(C);
}

#include "kernels/loops/distance_slope.h"

/* Is it less work to run along the coordinates of each pair than down a panel, which is mostly
 * filled up where there are few others? So it is for all points, or bits would depend on how these
 * are cut. Powers take so long that loads count for nothing. */
static bool FN(runs_along)(const nomen__distance_args *a) {
    const bool dense = a->a_col == (int64_t)sizeof(C) && a->b_col == (int64_t)sizeof(C);
    const bool plain = a->p == 0 || a->p == 1 || a->p == 2 || a->p > DBL_MAX;
    const int64_t some = a->n <= W ? 1 : (a->n + NR - 1) / NR * NV;
    const int64_t panels = a->pairs && a->n > NR ? (a->n + NR) / 2 / W : some;
    const int64_t own = a->pairs ? a->n / 2 : a->n, each = (a->k + W - 1) / W * (plain ? 2 : 1);
    if (a->k < 2 * W || own * (each + (plain ? 8 : 1)) >= panels * a->k) return false;
    return dense || (a->n + 1) * FN(filled)(a->k) <= FN(group)(a->k) * a->k * NR;
}

static void FN(run_along)(const nomen__distance_args *a, C *scratch) {
    C (*along)(const C *, const C *, int64_t, double) = a->p == 2        ? FN(along_2)
                                                        : a->p == 1      ? FN(along_1)
                                                        : a->p == 0      ? FN(along_count)
                                                        : a->p > DBL_MAX ? FN(along_most)
                                                                         : FN(along_power);
    C sum[NR] __attribute__((aligned(64)));
    const int64_t item = (int64_t)sizeof(C), width = FN(filled)(a->k);
    const bool copied = a->b_col != item;
    if (copied) FN(take_points)(scratch + width, a->b, a->n, a->k, a->b_row, a->b_col);
    const char *const others = copied ? (const char *)(scratch + width) : a->b;
    const int64_t row = copied ? width * item : a->b_row;
    for (int64_t i = 0; i < a->m; i++) {
        const C *x = (const C *)(const void *)(a->a + i * a->a_row);
        if (a->a_col != item) {
            FN(take_points)(scratch, (const char *)x, 1, a->k, a->a_row, a->a_col);
            x = scratch;
        }
        for (int64_t j = a->pairs ? a->first + i + 1 : 0, n; j < a->n; j += n) {
            n = a->n - j < NR ? a->n - j : NR;
            for (int64_t e = 0; e < NR; e++)
                sum[e] = e >= n ? 1
                                : along(x, (const C *)(const void *)(others + (j + e) * row), a->k,
                                        a->p);
            FN(finish)(a, sum, i, 1, j, n);
            FN(put)(a, sum, i, 1, j, n);
        }
    }
}

#include "kernels/loops/distance_batches.h"

static void FN(run)(const nomen__distance_args *a, void *scratch) {
    void (*tile)(const nomen__distance_args *, const char *const *, const C *, C *, bool) =
        a->p == 2        ? FN(tile_2)
        : a->p == 1      ? FN(tile_1)
        : a->p == 0      ? FN(tile_count)
        : a->p > DBL_MAX ? FN(tile_most)
                         : FN(tile_power);
    if (FN(runs_along)(a)) {
        FN(run_along)(a, scratch);
        return;
    }
    C sum[MR * NR] __attribute__((aligned(64)));
    int64_t group = FN(group)(a->k) * NR, start = a->pairs ? a->first + 1 : 0;
    for (int64_t begin = start; begin < a->n; begin += group) {
        int64_t end = a->n - begin < group ? a->n : begin + group;
        C *panel = scratch;
        for (int64_t j = begin; j < end; j += NR, panel += a->k * NR)
            FN(turn)(panel, a->b + j * a->b_row, end - j < NR ? end - j : NR, a->k, a->b_row,
                     a->b_col);
        for (int64_t i = 0; i < a->m; i += MR) { /* a row of results is written from end to end */
            const char *row[MR];
            int64_t rows = a->m - i < MR ? a->m - i : MR;
            for (int64_t r = 0; r < MR; r++) row[r] = a->a + (r < rows ? i + r : i) * a->a_row;
            panel = scratch;
            for (int64_t j = begin; j < end; j += NR, panel += a->k * NR) {
                int64_t width = end - j < NR ? end - j : NR;
                if (a->pairs && a->first + i + 1 >= j + width) continue;
                tile(a, row, panel, sum, width <= W);
                FN(finish)(a, sum, i, rows, j, width);
                FN(put)(a, sum, i, rows, j, width);
            }
        }
    }
}

static const nomen__distance FN(kernel) = {.scratch = FN(scratch),
                                           .run = FN(run),
                                           .slope_scratch = FN(slope_scratch),
                                           .slope = FN(slope),
                                           .wants_batches = FN(wants_batches),
                                           .run_batches = FN(run_batches),
                                           .wants_slopes = FN(wants_slopes),
                                           .slope_batches = FN(slope_batches)};

#undef NR
#undef SFX
#undef C
#undef V
#undef W
#undef LD
#undef LDN
#undef ST
#undef STN
#undef TURN
#undef AGAIN
