/* Include-template: both extrema. Rows as they lie in memory are looked at once; all else by the
 * reducers of amax and amin, each of which looks at a rectangle while it is in cache. Accumulators
 * of all maxima stand before those of all minima. Before: OP, SFX, A, HALF if elements are not
 * stored as A; V, a vector of W of them, where the compiler does not make good vectors of a loop,
 * and NANS where one may be a NaN. After: FN(reducer); SFX, A, HALF, V, W and NANS are undefined.
 */

static void FN(init)(void *acc, int64_t n_acc) {
    FN2(init, amax, SFX)(acc, n_acc);
    FN2(init, amin, SFX)((A *)acc + n_acc, n_acc);
}

#ifndef HALF
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare" /* of integers none is a NaN */

enum { FN(lanes) = EXTREMUM_LANES(A) };

#ifdef V
/* Of n >= FN(lanes) elements. The last ones once more: no harm to an extremum. */
static APART void FN(row)(A *most, A *least, const A *x, int64_t n) {
    enum { LANES = FN(lanes), VECTORS = LANES / W };
    A last[2][W] __attribute__((aligned(64)));
    V s[VECTORS], t[VECTORS];
#ifdef NANS
    V nan[VECTORS];
#endif
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) {
        memcpy(&s[v], x + v * W, sizeof s[v]);
        t[v] = s[v];
#ifdef NANS
        nan[v] = v_nans(s[v], (V){0});
#endif
    }
    for (int64_t j = LANES; j < n; j += LANES) {
        if (j + LANES > n) j = n - LANES;
#pragma GCC unroll 8
        for (int v = 0; v < VECTORS; v++) {
            V y;
            memcpy(&y, x + j + v * W, sizeof y);
            s[v] = LOOP_NAME2(v_greater, SFX)(y, s[v]);
            t[v] = LOOP_NAME2(v_lesser, SFX)(y, t[v]);
#ifdef NANS
            nan[v] = v_nans(y, nan[v]);
#endif
        }
    }
#pragma GCC unroll 8
    for (int half = VECTORS / 2; half; half /= 2)
#pragma GCC unroll 8
        for (int v = 0; v < half; v++) {
            s[v] = LOOP_NAME2(v_greater, SFX)(s[v + half], s[v]);
            t[v] = LOOP_NAME2(v_lesser, SFX)(t[v + half], t[v]);
#ifdef NANS
            nan[v] = v_nans(nan[v + half], nan[v]);
#endif
        }
#ifdef NANS
    if (v_any32((vi32)(nan[0] != nan[0]))) {
        while (*x == *x) x++;
        *most = *most != *most ? *most : *x;
        *least = *least != *least ? *least : *x;
        return;
    }
#endif
    memcpy(last[0], &s[0], sizeof last[0]);
    memcpy(last[1], &t[0], sizeof last[1]);
    A above = last[0][0], below = last[1][0];
    for (int l = 0; l < W; l++) { /* all of them: a whole vector, which gcc takes by halves */
        above = last[0][l] > above ? last[0][l] : above;
        below = last[1][l] < below ? last[1][l] : below;
    }
    above = FN2(last_zero, amax, SFX)(x, n, above);
    below = FN2(last_zero, amin, SFX)(x, n, below);
    if (!(*most > above) && *most == *most) *most = above;
    if (!(*least < below) && *least == *least) *least = below;
}
#else
/* Of n >= FN(lanes) elements. */
static APART void FN(row)(A *most, A *least, const A *x, int64_t n) {
    enum { LANES = FN(lanes) };
    A s[LANES] __attribute__((aligned(64))), t[LANES] __attribute__((aligned(64)));
    for (int l = 0; l < LANES; l++) s[l] = t[l] = x[l];
    for (int64_t j = LANES; j < n; j += LANES) {
        if (j + LANES > n) j = n - LANES; /* the last ones once more: no harm to an extremum */
        for (int l = 0; l < LANES; l++) {
            const A y = x[j + l];
            s[l] = y > s[l] ? y : s[l];
            t[l] = y < t[l] ? y : t[l];
        }
    }
#pragma GCC unroll 8
    for (int w = LANES / 2; w; w /= 2)
        for (int l = 0; l < w; l++) {
            s[l] = s[l + w] > s[l] ? s[l + w] : s[l];
            t[l] = t[l + w] < t[l] ? t[l + w] : t[l];
        }
    *most = s[0] > *most ? s[0] : *most;
    *least = t[0] < *least ? t[0] : *least;
}
#endif

#pragma GCC diagnostic pop
#endif

/* Rows are taken whole, some at a time; of columns all, some rows at a time. */
static void FN(step)(void *acc, const nomen__reduce_step *s) {
#ifndef HALF
    if (s->red_step == (int64_t)sizeof(A) && s->n_red >= FN(lanes) && s->n_red > SHORT_ROW) {
        for (int64_t i = 0; i < s->n_acc; i++)
            FN(row)((A *)acc + i, (A *)acc + s->n_acc + i,
                    (const A *)(const void *)(s->in + i * s->acc_step), s->n_red);
        return;
    }
#endif
    int64_t along = s->red_step < 0 ? -s->red_step : s->red_step;
    int64_t across = s->acc_step < 0 ? -s->acc_step : s->acc_step;
    int64_t wide = across > along ? RANGE_PIECE / s->n_red + 1 : s->n_acc;
    for (int64_t i = 0; i < s->n_acc; i += wide) {
        nomen__reduce_step piece = *s;
        piece.n_acc = s->n_acc - i < wide ? s->n_acc - i : wide;
        int64_t most = RANGE_PIECE / piece.n_acc + 1;
        for (int64_t done = 0; done < s->n_red; done += piece.n_red) {
            piece.n_red = s->n_red - done < most ? s->n_red - done : most;
            piece.in = s->in + i * s->acc_step + done * s->red_step;
            piece.index0 = s->index0 + done * s->index_step;
            FN2(step, amax, SFX)((A *)acc + i, &piece);
            FN2(step, amin, SFX)((A *)acc + s->n_acc + i, &piece);
        }
    }
}

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    FN2(merge, amax, SFX)(acc, later, n_acc);
    FN2(merge, amin, SFX)((A *)acc + n_acc, (const A *)later + n_acc, n_acc);
}

/* The minimum is the first result. */
static void FN(finish)(char *const out[2], const int64_t out_step[2], const void *acc,
                       int64_t n_acc, const nomen__reduce_param *p) {
    char *const least[2] = {out[0], NULL}, *const most[2] = {out[1], NULL};
    const int64_t least_step[2] = {out_step[0], 0}, most_step[2] = {out_step[1], 0};
    FN2(finish, amax, SFX)(most, most_step, acc, n_acc, p);
    FN2(finish, amin, SFX)(least, least_step, (const A *)acc + n_acc, n_acc, p);
}

static const nomen__reducer FN(reducer) = {.acc_bytes = 16,
                                           .acc_most = NOMEN__ACC_BLOCK,
                                           .nonempty = true,
                                           .once = true,
                                           .in_parts = true,
                                           .of_one = NOMEN__ITSELF,
                                           .init = FN(init),
                                           .step = FN(step),
                                           .merge = FN(merge),
                                           .finish = FN(finish)};

#undef A
#undef SFX
#undef HALF
#undef V
#undef W
#undef NANS
