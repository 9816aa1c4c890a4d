/* Include-template: max or min with the position of its first occurrence; NaN wins over every
 * number. Before: OP, CORE (the same), SFX, T, F, U (signed integer as wide as F), BETTER(a, b),
 * HOLDS(a, b) (a is b or better),
 * OUT, PUT(F) -> OUT, FLOATING (0 or 1), for half types FETCH and WIDEN; for numbers of 4 and 8
 * bytes TURN(x) of a square of TURNED, vectors of 32 bytes. After: FN(reducer); T, F, U, OUT, PUT,
 * FETCH, WIDEN, TURN and TURNED are undefined. */

/* Accumulators: all positions (negative: nothing seen yet, which is so of all or of none), and
 * behind them all values. */
#define A                  int64_t
#define VALUES(acc, n_acc) ((F *)(void *)((acc) + (n_acc)))

typedef struct FN(best) {
    F *value;
    int64_t *at;
} FN(best);
static inline FN(best) FN(spot)(A *acc, int64_t n_acc, int64_t i) {
    return (FN(best)){VALUES(acc, n_acc) + i, acc + i};
}
#define ACC_AT    FN(spot)
#define IS_NAN(x) (FLOATING && (x) != (x))

#include "kernels/loops/extremum.h"

/* One element against the best so far, whatever the order of positions. */
static inline void FN(offer)(FN(best) a, F x, int64_t at) {
    bool better = BETTER(x, *a.value) || (IS_NAN(x) && !IS_NAN(*a.value));
    bool same = x == *a.value || (IS_NAN(x) && IS_NAN(*a.value));
    if (*a.at < 0 || better || (same && at < *a.at)) *a.value = x, *a.at = at;
}

/* The first (from 0) or last (backwards) j with x[j] == best, or with x[j] NaN if best is. */
static inline int64_t FN(find)(const F *x, int64_t n, F best, bool last) {
    enum { W = VB / sizeof(F) };
    typedef F lanes __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));
    const bool nan = IS_NAN(best);
    if (last) {
        for (int64_t j = n - 1; j > 0; j--)
            if (x[j] == best || (nan && IS_NAN(x[j]))) return j;
        return 0;
    }
    int64_t j = 0;
#if FLOATING
    for (; nan && j + W <= n; j += W) {
        const lanes y = *(const lanes *)(x + j);
        if (v_any32((vi32)(y != y))) break;
    }
#endif
    for (; !nan && j + 4 * W <= n; j += 4 * W) {
        const lanes *four = (const lanes *)(x + j);
        if (v_any32((vi32)((four[0] == best) | (four[1] == best) | (four[2] == best) |
                           (four[3] == best))))
            break;
    }
    for (; !nan && j + W <= n; j += W)
        if (v_any32((vi32)(*(const lanes *)(x + j) == best))) break;
    for (; j < n - 1; j++)
        if (x[j] == best || (nan && IS_NAN(x[j]))) break;
    return j;
}

static APART void FN(row)(FN(best) acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    if (n < 8) {
        for (int64_t j = 0; j < n; j++) FN(offer)(acc, x[j], i0 + j * istep);
        return;
    }
    bool any;
    const F best = FN(search_row)(x, n, &any);
    bool better = BETTER(best, *acc.value) || (any && !IS_NAN(*acc.value));
    bool same = best == *acc.value || (any && IS_NAN(*acc.value));
    int64_t lowest = istep < 0 ? i0 + (n - 1) * istep : i0;
    if (*acc.at < 0 || better || (same && lowest < *acc.at)) {
        int64_t j = FN(find)(x, n, best, istep < 0);
        FN(offer)(acc, x[j],
                  i0 + j * istep); /* not `best`: of 0 and -0, the one that stands there */
    }
}

/* In each lane of vectors: whether `best` is no worse than one that comes later, or a NaN; what
 * comes of two by that. */
#if FLOATING
#define STAYS(best, later) (HOLDS(best, later) | ((best) != (best)))
#else
#define STAYS(best, later) HOLDS(best, later)
#endif
#define CHOSEN(stay, own, later)                                                                   \
    ((__typeof__(own))(((stay) & (__typeof__(stay))(own)) | (~(stay) & (__typeof__(stay))(later))))

/* Rows from p on, pitch bytes apart, against what is there from rows before them: an element that
 * is better takes its place, and so does the first NaN. */
static inline __attribute__((always_inline)) void
FN(take_rows)(const char *p, int64_t pitch, const int rows, U row, F *v, U *pos, int64_t n) {
    enum { W = VB / sizeof(F) };
    typedef F lanes __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));
    typedef U marks __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));
    int64_t i = 0;
    for (; i + W <= n; i += W) {
        lanes y[4];
        marks at[4];
#pragma GCC unroll 4
        for (int k = 0; k < rows; k++) {
            y[k] = *(const lanes *)(const void *)(p + k * pitch + i * (int64_t)sizeof(F));
            at[k] = (marks){0} + (U)(row + k);
        }
        /* by pairs: what was there before waits for one comparison only */
#pragma GCC unroll 2
        for (int half = 1; half < rows; half *= 2)
#pragma GCC unroll 2
            for (int k = 0; k < rows; k += 2 * half) {
                const marks stay = (marks)STAYS(y[k], y[k + half]);
                y[k] = CHOSEN(stay, y[k], y[k + half]);
                at[k] = CHOSEN(stay, at[k], at[k + half]);
            }
        const lanes w = *(lanes *)(v + i);
        const marks stay = (marks)STAYS(w, y[0]), where = *(marks *)(pos + i);
        *(lanes *)(v + i) = CHOSEN(stay, w, y[0]);
        *(marks *)(pos + i) = CHOSEN(stay, where, at[0]);
    }
    for (; i < n; i++)
        for (int k = 0; k < rows; k++) {
            const F y = ((const F *)(const void *)(p + k * pitch))[i];
            if (HOLDS(v[i], y) || IS_NAN(v[i])) continue;
            v[i] = y;
            pos[i] = (U)(row + k);
        }
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    U pos[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    F *v = VALUES(acc, n_acc);
    const char *p = (const char *)in;
    const bool first = acc[0] < 0;
    int64_t latest = -1;
    for (int64_t i = 0; i < n_acc; i++) latest = acc[i] > latest ? acc[i] : latest;
    if (istep < 0 || latest >= i0) { /* elements of other rows than later ones */
        for (int64_t j = 0; j < rows; j++, p += pitch)
            for (int64_t i = 0; i < n_acc; i++)
                FN(offer)(FN(spot)(acc, n_acc, i), ((const F *)(const void *)p)[i], i0 + j * istep);
        return;
    }
    if (first) memcpy(v, in, sizeof *v * (size_t)n_acc);
    for (int64_t i = 0; i < n_acc; i++) pos[i] = first ? 0 : -1;
    /* The last vector apart, if it is one of those before in part: some lanes twice do no harm. */
    enum { W = VB / sizeof(F) };
    F last[W] __attribute__((aligned(64))) = {0};
    U last_pos[W] __attribute__((aligned(64))) = {0};
    const int64_t rest = n_acc > W ? n_acc % W : 0, from = rest ? n_acc - W : 0;
    if (rest) {
        memcpy(last, v + from, sizeof last);
        memcpy(last_pos, pos + from, sizeof last_pos);
    }
    for (int64_t j = first; j < rows; j += j + 4 <= rows ? 4 : 1) {
        const char *at = p + j * pitch, *at_last = at + from * (int64_t)sizeof(F);
        const bool four = j + 4 <= rows;
        if (four)
            FN(take_rows)(at, pitch, 4, (U)j, v, pos, n_acc - rest);
        else
            FN(take_rows)(at, pitch, 1, (U)j, v, pos, n_acc - rest);
        if (rest && four)
            FN(take_rows)(at_last, pitch, 4, (U)j, last, last_pos, W);
        else if (rest)
            FN(take_rows)(at_last, pitch, 1, (U)j, last, last_pos, W);
    }
    if (rest) { /* lanes that were taken twice came to the same */
        memcpy(v + from, last, sizeof last);
        memcpy(pos + from, last_pos, sizeof last_pos);
    }
    for (int64_t i = 0; i < n_acc; i++)
        acc[i] = pos[i] >= 0 ? i0 + (int64_t)pos[i] * istep : acc[i];
}

#if defined(TURN) && VB > 16
/* Short rows without gaps, of which nothing has been seen: as many as a vector of 32 bytes has
 * lanes, on every set, by squares of rows and elements that are turned over in registers. The last
 * rows and elements make whole squares with some that come once more: they change nothing. */
typedef F FN(lanes) __attribute__((vector_size(32)));
typedef U FN(marks) __attribute__((vector_size(32)));

static APART void FN(turned_rows)(A *acc, int64_t n_acc, const char *in, int64_t row, int64_t n,
                                  int64_t i0) {
    enum { W = 32 / sizeof(F) };
    typedef U four __attribute__((vector_size(4 * sizeof(U))));
    typedef int64_t wide __attribute__((vector_size(32)));
    for (int64_t r = 0; r < n_acc; r += W) {
        r = r < n_acc - W ? r : n_acc - W;
        FN(lanes) best = {0};
        FN(marks) at = {0};
        for (int64_t j = 0; j < n; j += W) {
            const bool first = j == 0;
            TURNED x[W];
            FN(lanes) y[W];
            FN(marks) p[W];
            j = j < n - W ? j : n - W;
#pragma GCC unroll 8
            for (int k = 0; k < W; k++)
                memcpy(&x[k], in + (r + k) * row + j * (int64_t)sizeof(F), sizeof x[k]);
            TURN(x);
#pragma GCC unroll 8
            for (int k = 0; k < W; k++) {
                y[k] = (FN(lanes))x[k];
                p[k] = (FN(marks)){0} + (U)k;
            }
#pragma GCC unroll 3
            for (int half = 1; half < W; half *= 2)
#pragma GCC unroll 4
                for (int k = 0; k < W; k += 2 * half) {
                    const FN(marks) stay = (FN(marks))STAYS(y[k], y[k + half]);
                    y[k] = CHOSEN(stay, y[k], y[k + half]);
                    p[k] = CHOSEN(stay, p[k], p[k + half]);
                }
            p[0] += (U)j;
            const FN(marks) stay = first ? (FN(marks)){0} : (FN(marks))STAYS(best, y[0]);
            best = CHOSEN(stay, best, y[0]);
            at = CHOSEN(stay, at, p[0]);
        }
        memcpy(VALUES(acc, n_acc) + r, &best, sizeof best);
#pragma GCC unroll 2
        for (int i = 0; i < W / 4; i++) {
            four own;
            memcpy(&own, (const char *)&at + i * (int)sizeof own, sizeof own);
            const wide place = __builtin_convertvector(own, wide) + i0;
            memcpy(acc + r + i * 4, &place, sizeof place);
        }
    }
}

static bool FN(turned_step)(A *acc, const nomen__reduce_step *s) {
    enum { W = 32 / sizeof(F) };
    if (acc[0] >= 0 || s->n_acc < W || s->n_red < W || s->red_step != (int64_t)sizeof(F) ||
        s->index_step != 1)
        return false;
    FN(turned_rows)(acc, s->n_acc, s->in, s->acc_step, s->n_red, s->index0);
    return true;
}
#define STEP_TURNED FN(turned_step)
#endif

#define POSITIONS
#define TURNED_MOST (sizeof(T) == 8 ? 63 : 127) /* whose position costs more than the turn */
#include "kernels/loops/reduce_walk.h"
#undef TURNED_MOST
#undef POSITIONS
#undef STEP_TURNED
#undef TURN
#undef TURNED

static void FN(init)(void *acc, int64_t n_acc) {
    A *a = acc;
    for (int64_t i = 0; i < n_acc; i++) a[i] = -1;
    for (int64_t i = 0; i < n_acc; i++) VALUES(a, n_acc)[i] = 0;
}

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    const F *values = (const F *)(const void *)(b + n_acc);
    for (int64_t i = 0; i < n_acc; i++)
        if (b[i] >= 0) FN(offer)(FN(spot)(a, n_acc, i), values[i], b[i]);
}

static void FN(finish)(char *const out[2], const int64_t out_step[2], const void *acc,
                       int64_t n_acc, const nomen__reduce_param *p) {
    const A *a = acc;
    const F *values = (const F *)(const void *)(a + n_acc);
    (void)p;
    if (out[0] && out_step[0] == (int64_t)sizeof(OUT))
        for (int64_t i = 0; i < n_acc; i++) ((OUT *)(void *)out[0])[i] = PUT(values[i]);
    else if (out[0])
        for (int64_t i = 0; i < n_acc; i++)
            *(OUT *)(void *)(out[0] + i * out_step[0]) = PUT(values[i]);
    if (out[1] && out_step[1] == (int64_t)sizeof *a)
        memcpy(out[1], a, sizeof *a * (size_t)n_acc);
    else if (out[1])
        for (int64_t i = 0; i < n_acc; i++) *(int64_t *)(void *)(out[1] + i * out_step[1]) = a[i];
}

static const nomen__reducer FN(reducer) = {.acc_bytes = sizeof(A) + sizeof(int64_t),
                                           .acc_most = FN(most),
                                           .nonempty = true,
                                           .in_parts = true,
                                           .heavy = true,
                                           .init = FN(init),
                                           .step = FN(step),
                                           .merge = FN(merge),
                                           .finish = FN(finish)};

#undef STAYS
#undef CHOSEN
#undef A
#undef VALUES
#undef IS_NAN
#undef SFX
#undef T
#undef F
#undef U
#undef OUT
#undef PUT
#undef FLOATING
#undef FETCH
#undef WIDEN
