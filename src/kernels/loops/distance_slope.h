/* Include-template of distance.h: what the distances of m points and n others say of the first
 * ones, once the gradient g of each distance is known: the sum of the differences (p = 2), or of
 * their signs (p = 1), each by g over the distance (p = 1: by g), or of the signs of the largest
 * differences (p infinite), each by its share of g. Before: what distance.h has.
 * After: FN(slope), FN(slope_scratch).
 *
 * Idea: OTHERS points lie one after the other in a panel, their coordinates filled up to whole
 * vectors; the sums of some points and two vectors of coordinates stay in registers meanwhile. */

/* Coordinates filled up. */
static inline int64_t FN(filled)(int64_t k) { return (k + W - 1) / W * W; }

/* n numbers that lie side by side, filled up with zeros. */
static inline void FN(take_row)(C *to, const char *from, int64_t n) {
    int64_t at = 0;
    for (; at + W <= n; at += W) ST(to + at, LD(from + at * (int64_t)sizeof(C)));
    if (at < n) ST(to + at, LDN(from + at * (int64_t)sizeof(C), n - at));
}

/* And those that do not. */
static void FN(take_column)(C *to, const char *from, int64_t step, int64_t n) {
    for (int64_t j = 0; j < n; j++, from += step) to[j] = *(const C *)(const void *)from;
    for (int64_t j = n; j < FN(filled)(n); j++) to[j] = 0;
}

static void FN(take_points)(C *to, const char *from, int64_t points, int64_t k, int64_t row,
                            int64_t col) {
    for (int64_t i = 0; i < points; i++, to += FN(filled)(k), from += row)
        if (col == (int64_t)sizeof(C))
            FN(take_row)(to, from, k);
        else
            FN(take_column)(to, from, col, k);
}

/* n numbers of each of up to GROUP points: rows of OTHERS. */
static void FN(take_lines)(C *to, const char *from, int64_t points, int64_t row, int64_t col,
                           int64_t n) {
    const int64_t item = (int64_t)sizeof(C);
    if (row == item && points == GROUP && col != item) { /* neighbours together: few pages */
        for (int64_t j = 0; j < n; j++, from += col)
            for (int64_t i = 0; i < GROUP; i++)
                to[i * OTHERS + j] = ((const C *)(const void *)from)[i];
        for (int64_t i = 0; i < GROUP; i++)
            for (int64_t j = n; j < FN(filled)(n); j++) to[i * OTHERS + j] = 0;
        return;
    }
    for (int64_t i = 0; i < points; i++, to += OTHERS, from += row)
        if (col == item)
            FN(take_row)(to, from, n);
        else
            FN(take_column)(to, from, col, n);
}

/* The same of what there is once for each pair of one list, in the order of results (pairs): n
 * numbers of each of some points, which are i, i + 1, ... of the list, with the others from j on. A
 * point and itself: 0. */
static void FN(take_pairs)(C *to, const char *pairs, int64_t i, int64_t points, int64_t j,
                           int64_t n, int64_t all) {
    const C *from = (const C *)(const void *)pairs;
    for (const int64_t end = i + points; i < end; i++, to += OTHERS) {
        int64_t e = 0, at = j * (2 * all - j - 1) / 2 + i - j - 1;
        for (; e < n && j + e < i; e++, at += all - j - e - 1) to[e] = from[at];
        if (e < n && j + e == i) to[e++] = 0;
        if (e < n) /* later points lie side by side */
            FN(take_row)(to + e, (const char *)(from + i * (2 * all - i - 1) / 2 + j + e - i - 1),
                         n - e);
        for (e = n; e < FN(filled)(n); e++) to[e] = 0;
    }
}

static void FN(take_some)(C *to, const nomen__distance_args *a, const char *from, int64_t row,
                          int64_t col, int64_t i, int64_t points, int64_t j, int64_t n) {
    if (a->pairs)
        FN(take_pairs)(to, from, a->first + i, points, j, n, a->n);
    else
        FN(take_lines)(to, from + i * row + j * col, points, row, col, n);
}

static inline bool FN(any)(V x) {
    return sizeof(C) == sizeof(float) ? v_any32((vi32)(x != 0)) : v_any64((vi64)(x != 0));
}

/* How many differences are as large as the largest one. */
static inline C FN(ties)(const C *own, const C *other, int64_t width, C distance) {
    const V most = FN(splat)(distance);
    V many = {0};
    C t[W] __attribute__((aligned(64)));
    for (int64_t c = 0; c < width; c += W) {
        const V d = LD(own + c) - LD(other + c);
        many += v_sel(v_abs(d) == most, v_like(d, 1), (V){0});
    }
    ST(t, many);
#pragma GCC unroll 8
    for (int w = W / 2; w; w /= 2)
        for (int l = 0; l < w; l++) t[l] += t[l + w];
    return t[0];
}

/* For p infinite: as large differences share g. A distance that is NaN says nothing. */
static void FN(share)(C *factor, const C *distance, C *own, const C *panel,
                      const nomen__distance_args *a, int64_t i, int64_t points, int64_t n) {
    const int64_t width = FN(filled)(a->k);
    for (int64_t r = 0; r < points; r++, factor += OTHERS, distance += OTHERS) {
        FN(take_points)(own, a->a + (i + r) * a->a_row, 1, a->k, a->a_row, a->a_col);
        for (int64_t e = 0; e < n; e++) {
            const C ties = FN(ties)(own, panel + e * width, width, distance[e]);
            factor[e] = distance[e] == 0 ? 0 : factor[e] / (ties > 1 ? ties : 1);
        }
    }
}

/* The factors of some points with n others, and their distances where something wants them. Points
 * that meet say nothing. true: some distance is so small that g over it is infinite; such a factor
 * is 0. */
static bool FN(factors)(C *factor, C *distance, const nomen__distance_args *a, int64_t i,
                        int64_t points, int64_t j, int64_t n) {
    FN(take_some)(factor, a, a->g, a->g_row, a->g_col, i, points, j, n);
    /* points that are not there pull nothing */
    memset(factor + points * OTHERS, 0, (size_t)((-points & (POINTS - 1)) * OTHERS) * sizeof(C));
    if (a->p == 1) return false;
    FN(take_some)(distance, a, a->norm, a->norm_row, a->norm_col, i, points, j, n);
    if (a->p > DBL_MAX) {
        memset(distance + points * OTHERS, 0,
               (size_t)((-points & (POINTS - 1)) * OTHERS) * sizeof(C));
        return false;
    }
    const V most = FN(splat)((C)(sizeof(C) == 4 ? FLT_MAX : DBL_MAX));
    bool odd = false;
    for (int64_t at = 0; at < points * OTHERS; at += OTHERS)
        for (int64_t e = at; e < at + n; e += W) {
            const V g = LD(factor + e), d = LD(distance + e);
            V q = g / v_sel((d == 0), v_like(d, 1), d);
            /* as a number, since masks of one size are several types to compilers */
            const V over = v_sel((v_abs(q) > most) & (v_abs(g) <= most), v_like(q, 1), (V){0});
            if (__builtin_expect(FN(any)(over), 0)) {
                q = v_sel((over != 0), (V){0}, q);
                odd = true;
            }
            ST(factor + e, v_sel((d == 0), (V){0}, q));
        }
    return odd;
}

/* What a pair says of a coordinate, but for a factor. */
typedef enum FN(kind) { FN(difference), FN(its_sign), FN(largest_sign) } FN(kind);

static inline V FN(sign)(V t) { return v_sel((t == 0) | (t != t), t, v_copysign(v_like(t, 1), t)); }

/* The points and others at hand, coordinates c to k, and where the sums of each point go (NULL:
 * there is none). */
typedef struct FN(tile) {
    const C *own, *panel, *factor, *distance;
    int64_t width, n, k;
    C *out[POINTS];
    bool first; /* nothing is there to be added to */
} FN(tile);

/* nv vectors of coordinates from c on, of `points` points from i on. */
static inline __attribute__((always_inline)) void FN(pull)(const FN(tile) * t, int64_t c, int i0,
                                                           const FN(kind) kind, const int points,
                                                           const int nv) {
    const C *x = t->own + i0 * t->width + c, *y = t->panel + c, *factor = t->factor + i0 * OTHERS;
    const C *distance = t->distance + i0 * OTHERS;
    const int64_t width = t->width, n = t->n;
    V acc[POINTS][2], own[POINTS][2];
#pragma GCC unroll 4
    for (int i = 0; i < points; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) {
            acc[i][v] = (V){0};
            own[i][v] = LD(x + i * width + v * W);
        }
    for (int64_t j = 0; j < n; j++, y += width) {
        V other[2];
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) other[v] = LD(y + v * W);
#pragma GCC unroll 4
        for (int i = 0; i < points; i++) {
            const V by = FN(splat)(factor[i * OTHERS + j]);
#pragma GCC unroll 2
            for (int v = 0; v < nv; v++) {
                V d = own[i][v] - other[v];
                if (kind == FN(its_sign)) d = FN(sign)(d);
                if (kind == FN(largest_sign)) {
                    const V most = FN(splat)(distance[i * OTHERS + j]);
                    d = v_sel(v_abs(d) == most, v_copysign(v_like(d, 1), d), (V){0});
                }
                acc[i][v] = v_fma(by, d, acc[i][v]);
            }
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < points; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) {
            const int64_t left = t->k - c - v * W;
            if (!t->out[i0 + i]) continue;
            C *to = t->out[i0 + i] + c + v * W;
            if (left >= W)
                ST(to, t->first ? acc[i][v] : LD(to) + acc[i][v]);
            else
                STN(to, t->first ? acc[i][v] : LDN(to, left) + acc[i][v], left);
        }
}

static APART void FN(pull_two)(const FN(tile) * t, int64_t c, int i, FN(kind) kind) {
    if (kind == FN(difference))
        FN(pull)(t, c, i, FN(difference), 2, 2);
    else if (kind == FN(its_sign))
        FN(pull)(t, c, i, FN(its_sign), 2, 2);
    else
        FN(pull)(t, c, i, FN(largest_sign), 2, 2);
}
static APART void FN(pull_one)(const FN(tile) * t, int64_t c, FN(kind) kind) {
    if (kind == FN(difference))
        FN(pull)(t, c, 0, FN(difference), POINTS, 1);
    else if (kind == FN(its_sign))
        FN(pull)(t, c, 0, FN(its_sign), POINTS, 1);
    else
        FN(pull)(t, c, 0, FN(largest_sign), POINTS, 1);
}

/* Pairs whose factor is infinite, one coordinate after the other. */
static APART void FN(pull_odd)(const nomen__distance_args *a, const FN(tile) * t, int64_t i,
                               int64_t j) {
    for (int64_t r = 0; r < POINTS && t->out[r]; r++)
        for (int64_t e = 0; e < t->n; e++) {
            C line[2 * W], g, d; /* the first of a line that is filled up */
            FN(take_some)(line, a, a->g, a->g_row, a->g_col, i + r, 1, j + e, 1);
            g = line[0];
            FN(take_some)(line, a, a->norm, a->norm_row, a->norm_col, i + r, 1, j + e, 1);
            d = line[0];
            if (d == 0 || __builtin_isfinite(g / d) || !__builtin_isfinite(g)) continue;
            const C *x = t->own + r * t->width, *y = t->panel + e * t->width;
            for (int64_t c = 0; c < t->k; c++) t->out[r][c] += (x[c] - y[c]) / d * g;
        }
}

/* The next points, and where their sums lie, come from far while these are at work. (A function
 * that does nothing but prefetch is left out unless it is part of another early on.) */
static inline __attribute__((always_inline)) void FN(ask_ahead)(const nomen__distance_args *a,
                                                                int64_t i) {
    const int64_t line = 64 / (int64_t)sizeof(C), end = i + POINTS < a->m ? i + POINTS : a->m;
    for (; i < end; i++)
        for (int64_t c = 0; c < a->k; c += line) {
            __builtin_prefetch(a->a + i * a->a_row + c * a->a_col);
            __builtin_prefetch(a->out + i * a->out_row + c * (int64_t)sizeof(C), 1);
        }
}

/* Up to POINTS points from i on, with the others of the panel. */
static void FN(slope_of)(const nomen__distance_args *a, FN(tile) * t, C *own, int64_t i,
                         int64_t points) {
    const FN(kind) kind = a->p == 1        ? FN(its_sign)
                          : a->p > DBL_MAX ? FN(largest_sign)
                                           : FN(difference);
    FN(take_points)(own, a->a + i * a->a_row, points, a->k, a->a_row, a->a_col);
    for (int64_t r = 0; r < POINTS; r++) {
        t->out[r] = r < points ? (C *)(void *)(a->out + (i + r) * a->out_row) : NULL;
        if (r >= points) memset(own + r * t->width, 0, (size_t)t->width * sizeof(C));
    }
    FN(ask_ahead)(a, i + POINTS);
    int64_t c = 0;
    for (; a->k - c > W; c += 2 * W) {
        FN(pull_two)(t, c, 0, kind);
        if (points > 2) FN(pull_two)(t, c, 2, kind);
    }
    if (c < a->k) FN(pull_one)(t, c, kind);
}

static void FN(slope_along)(const nomen__distance_args *a, C *panel) {
    const int64_t width = FN(filled)(a->k);
    C *own = panel + OTHERS * width, *factor = own + POINTS * width;
    C *const distance = factor + GROUP * OTHERS;
    FN(tile) t = {.own = own, .panel = panel, .width = width, .k = a->k};
    for (int64_t j = 0; j < a->n; j += OTHERS) {
        t.n = a->n - j < OTHERS ? a->n - j : OTHERS;
        t.first = j == 0;
        FN(take_points)(panel, a->b + j * a->b_row, t.n, a->k, a->b_row, a->b_col);
        for (int64_t first = 0; first < a->m; first += GROUP) {
            const int64_t group = a->m - first < GROUP ? a->m - first : GROUP;
            const bool odd = FN(factors)(factor, distance, a, first, group, j, t.n);
            if (a->p > DBL_MAX) FN(share)(factor, distance, own, panel, a, first, group, t.n);
            for (int64_t i = 0; i < group; i += POINTS) {
                t.factor = factor + i * OTHERS;
                t.distance = distance + i * OTHERS;
                FN(slope_of)(a, &t, own, first + i, group - i < POINTS ? group - i : POINTS);
                if (odd) FN(pull_odd)(a, &t, first + i, j);
            }
        }
    }
}

/* ---- p = infinity, many coordinates ----------------------------------------------------------
 * Of each pair the largest difference alone says something; as large ones share it. Whole points go
 * by, as nothing less tells how many these are. */

/* Others of a panel. */
static int64_t FN(most_others)(int64_t k) {
    enum { PANEL_BYTES = 1 << 14 };
    const int64_t fit = PANEL_BYTES / (FN(filled)(k) * (int64_t)sizeof(C) + 1);
    return fit < 1 ? 1 : fit < OTHERS ? fit : OTHERS;
}

/* Two points that are `distance` apart. Mostly one difference is the largest: where the others are,
 * if there are not many, is noted without a branch. */
static inline void FN(pull_most)(const C *own, const C *other, C *out, int64_t k, C g, C distance) {
    enum { KEPT = 64 };
    const V most = FN(splat)(distance);
    int64_t at[KEPT + W], count = 0, kept = 0;
    if (distance == 0 || distance != distance) return;
    for (int64_t c = 0; c < k; c += W) {
        const V d = LD(own + c) - LD(other + c);
        if (!FN(any)(v_sel(v_abs(d) == most, most, (V){0}))) continue;
        kept = count < KEPT ? count : KEPT;
        for (int64_t l = c; l < c + W; l++) {
            const C x = own[l] - other[l];
            at[kept] = l;
            const bool here = (x == distance) | (x == -distance);
            kept += here;
            count += here;
        }
    }
    if (count > 1) g /= (C)count;
    if (count <= KEPT) {
        for (int64_t e = 0; e < count; e++) out[at[e]] += own[at[e]] < other[at[e]] ? -g : g;
        return;
    }
    for (int64_t c = 0; c < k; c++) {
        const C x = own[c] - other[c];
        if (x == distance) out[c] += g;
        if (x == -distance) out[c] -= g;
    }
}

static void FN(slope_most)(const nomen__distance_args *a, C *own) {
    const int64_t width = FN(filled)(a->k), per = FN(most_others)(a->k);
    C *panel = own + width, *factor = panel + per * width, *distance = factor + GROUP * OTHERS;
    for (int64_t j = 0; j < a->n; j += per) {
        const int64_t n = a->n - j < per ? a->n - j : per;
        FN(take_points)(panel, a->b + j * a->b_row, n, a->k, a->b_row, a->b_col);
        for (int64_t at = 0; at < a->m; at += GROUP) {
            const int64_t group = a->m - at < GROUP ? a->m - at : GROUP;
            FN(take_some)(factor, a, a->g, a->g_row, a->g_col, at, group, j, n);
            FN(take_some)(distance, a, a->norm, a->norm_row, a->norm_col, at, group, j, n);
            for (int64_t i = 0; i < group; i++) {
                C *out = (C *)(void *)(a->out + (at + i) * a->out_row);
                FN(take_points)(own, a->a + (at + i) * a->a_row, 1, a->k, a->a_row, a->a_col);
                if (j == 0) memset(out, 0, (size_t)a->k * sizeof(C));
                for (int64_t e = 0; e < n; e++)
                    FN(pull_most)(own, panel + e * width, out, a->k, factor[i * OTHERS + e],
                                  distance[i * OTHERS + e]);
            }
        }
    }
}

/* Some coordinates at a time, so that a panel stays in the nearest cache. Rows of out are dense. */
static void FN(slope)(const nomen__distance_args *a, void *scratch) {
    if (a->p > DBL_MAX && a->k > ALONG) {
        FN(slope_most)(a, scratch);
        return;
    }
    for (int64_t c = 0; c < a->k; c += ALONG) {
        nomen__distance_args some = *a;
        some.k = a->k - c < ALONG ? a->k - c : ALONG;
        some.a += c * a->a_col;
        some.b += c * a->b_col;
        some.out += c * (int64_t)sizeof(C);
        FN(slope_along)(&some, scratch);
    }
}

static size_t FN(slope_scratch)(int64_t k) {
    const size_t most = (size_t)FN(filled)(k) * (size_t)(FN(most_others)(k) + 1);
    const size_t some = (size_t)FN(filled)(k < ALONG ? k : ALONG) * (OTHERS + POINTS);
    return ((most > some ? most : some) + 2 * GROUP * OTHERS + W) * sizeof(C);
}
