/* Include-template: max or min with the position of its first occurrence; NaN wins over every
 * number. Before: OP, CORE (the same), SFX, T, F, U (signed integer as wide as F), BETTER(a, b),
 * HOLDS(a, b) (a is b or better),
 * OUT, PUT(F) -> OUT, FLOATING (0 or 1), for half types FETCH and WIDEN; for numbers of 4 and 8
 * bytes TURN(x) of a square of TURNED, vectors of 32 bytes. After: FN(reducer); T, F, U, OUT, PUT,
 * FETCH, WIDEN, TURN and TURNED are undefined. */

#ifndef NOMEN_SRC_REDUCE_BEST_H
#define NOMEN_SRC_REDUCE_BEST_H
#if VB == 64

/* Two rows as one vector, and as many of those as a quarter of one has elements: in each quarter of
 * vector k element k of each row. */
static inline __m512i best_rows(const char *lower, const char *upper) {
    const __m512i x = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)lower));
    return _mm512_inserti64x4(x, _mm256_loadu_si256((const void *)upper), 1);
}
static inline __attribute__((always_inline)) void best_turn(__m512i x[4], const int bytes) {
    const __m512i a = x[0], b = x[1], c = x[2], d = x[3];
    if (bytes == 8) {
        x[0] = _mm512_unpacklo_epi64(a, b);
        x[1] = _mm512_unpackhi_epi64(a, b);
        return;
    }
    const __m512i low = _mm512_unpacklo_epi32(a, b), high = _mm512_unpackhi_epi32(a, b);
    const __m512i other = _mm512_unpacklo_epi32(c, d), last = _mm512_unpackhi_epi32(c, d);
    x[0] = _mm512_unpacklo_epi64(low, other);
    x[1] = _mm512_unpackhi_epi64(low, other);
    x[2] = _mm512_unpacklo_epi64(high, last);
    x[3] = _mm512_unpackhi_epi64(high, last);
}
/* The first and the third quarter of both, or (1) the second and the fourth. */
#define BEST_QUARTERS(x, y, odd)                                                                   \
    _mm512_shuffle_i64x2((__m512i)(x), (__m512i)(y), (odd) ? 0xdd : 0x88)
/* Eight positions of a vector of them, as wide as those that are kept: the compiler would go by way
 * of memory. */
static inline __m512i best_eight(__m512i at, const int bytes, const int part) {
    if (bytes == 8) return at;
    return _mm512_cvtepi32_epi64(part ? _mm512_extracti64x4_epi64(at, 1)
                                      : _mm512_castsi512_si256(at));
}

#endif
#endif

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
#define SAME_BEST(x, y)    (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#else
#define STAYS(best, later) HOLDS(best, later)
#define SAME_BEST(x, y)    ((x) == (y))
#endif
#define CHOSEN(stay, own, later)                                                                   \
    ((__typeof__(own))(((stay) & (__typeof__(stay))(own)) | (~(stay) & (__typeof__(stay))(later))))

typedef F FN(across) __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));
typedef U FN(where) __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));

/* A vector of columns of `rows` rows from p on, pitch bytes apart, against what is there from rows
 * before them: an element that is better takes its place, and so does the first NaN. */
static inline __attribute__((always_inline)) void FN(meet_rows)(const char *p, int64_t pitch,
                                                                const int rows, U row,
                                                                FN(across) * v, FN(where) * pos) {
    FN(across) y[4];
    FN(where) at[4];
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++) {
        y[k] = *(const FN(across) *)(const void *)(p + k * pitch);
        at[k] = (FN(where)){0} + (U)(row + k);
    }
    /* by pairs: what was there before waits for one comparison only */
#pragma GCC unroll 2
    for (int half = 1; half < rows; half *= 2)
#pragma GCC unroll 2
        for (int k = 0; k < rows; k += 2 * half) {
            const FN(where) stay = (FN(where))STAYS(y[k], y[k + half]);
            y[k] = CHOSEN(stay, y[k], y[k + half]);
            at[k] = CHOSEN(stay, at[k], at[k + half]);
        }
    const FN(across) own = *v;
    const FN(where) place = *pos, stay = (FN(where))STAYS(own, y[0]);
    *v = CHOSEN(stay, own, y[0]);
    *pos = CHOSEN(stay, place, at[0]);
}

/* Rows `first` to `end` of a vector of columns, in registers. */
static inline void FN(take_column)(const char *p, int64_t pitch, int64_t first, int64_t end, F *v,
                                   U *pos) {
    FN(across) best = *(const FN(across) *)v;
    FN(where) at = *(const FN(where) *)pos;
    int64_t j = first;
    for (; j + 4 <= end; j += 4) FN(meet_rows)(p + j * pitch, pitch, 4, (U)j, &best, &at);
    for (; j < end; j++) FN(meet_rows)(p + j * pitch, pitch, 1, (U)j, &best, &at);
    *(FN(across) *)v = best;
    *(FN(where) *)pos = at;
}

/* Fewer columns than a vector has lanes. */
static inline void FN(take_few)(const char *p, int64_t pitch, int64_t first, int64_t end, F *v,
                                U *pos, int64_t n) {
    for (int64_t j = first; j < end; j++)
        for (int64_t i = 0; i < n; i++) {
            const F y = ((const F *)(const void *)(p + j * pitch))[i];
            if (HOLDS(v[i], y) || IS_NAN(v[i])) continue;
            v[i] = y;
            pos[i] = (U)j;
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
    /* As many rows at a time as the nearest cache holds. The last vector of columns is one of those
     * before in part: to take these twice changes nothing. */
    enum { W = VB / sizeof(F), NEAR = 1 << 15 };
    const int64_t fit = pitch > 0 ? NEAR / pitch / 4 * 4 : 0, some = fit > 4 ? fit : 4;
    if (n_acc < W) FN(take_few)(p, pitch, first, rows, v, pos, n_acc);
    for (int64_t j = first; n_acc >= W && j < rows; j += some)
        for (int64_t i = 0; i < n_acc; i += W) {
            if (i > n_acc - W) i = n_acc - W;
            FN(take_column)(p + i * (int64_t)sizeof(F), pitch, j, j + some < rows ? j + some : rows,
                            v + i, pos + i);
        }
    for (int64_t i = 0; i < n_acc; i++)
        acc[i] = pos[i] >= 0 ? i0 + (int64_t)pos[i] * istep : acc[i];
}

#define TURNED_MOST POSITIONS_MOST(T)

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

#if VB == 64
/* The same of twice as many rows: a vector is two rows, which are turned over by quarters. So a
 * lane sees every second group of elements of its row, and two of them are compared in the end. */
typedef F FN(wide) __attribute__((vector_size(64)));
typedef U FN(places) __attribute__((vector_size(64)));

static APART void FN(turned_wide)(A *acc, int64_t n_acc, const char *in, int64_t row, int64_t n,
                                  int64_t i0) {
    enum { W = 64 / sizeof(F), QUARTER = W / 4, E = sizeof(F) };
    typedef int64_t eight __attribute__((vector_size(64)));
    FN(places) odd;
    for (int i = 0; i < W; i++) odd[i] = (U)(i / QUARTER % 2 * QUARTER);
    for (int64_t r = 0; r < n_acc; r += W) {
        r = r < n_acc - W ? r : n_acc - W;
        FN(wide) best[2] = {{0}, {0}};
        FN(places) at[2] = {{0}, {0}};
        for (int64_t j = 0; j < n; j += 2 * QUARTER) {
            const bool first = j == 0;
            j = j < n - 2 * QUARTER ? j : n - 2 * QUARTER;
#pragma GCC unroll 2
            for (int h = 0; h < 2; h++) {
                const char *from = in + (r + h * 2 * QUARTER) * row + j * E;
                __m512i x[4] = {{0}, {0}, {0}, {0}};
                FN(wide) y[4];
                FN(places) p[4];
#pragma GCC unroll 4
                for (int k = 0; k < QUARTER; k++)
                    x[k] = best_rows(from + k * row, from + (QUARTER + k) * row);
                best_turn(x, E);
#pragma GCC unroll 4
                for (int k = 0; k < QUARTER; k++) {
                    y[k] = (FN(wide))x[k];
                    p[k] = (FN(places)){0} + (U)k;
                }
#pragma GCC unroll 2
                for (int half = 1; half < QUARTER; half *= 2)
#pragma GCC unroll 2
                    for (int k = 0; k < QUARTER; k += 2 * half) {
                        const FN(places) stay = (FN(places))STAYS(y[k], y[k + half]);
                        y[k] = CHOSEN(stay, y[k], y[k + half]);
                        p[k] = CHOSEN(stay, p[k], p[k + half]);
                    }
                p[0] += (U)j;
                if (first) {
                    best[h] = y[0];
                    at[h] = p[0];
                    continue;
                }
                const FN(places) stay = (FN(places))STAYS(best[h], y[0]);
                best[h] = CHOSEN(stay, best[h], y[0]);
                at[h] = CHOSEN(stay, at[h], p[0]);
            }
        }
        at[0] += odd;
        at[1] += odd;
        const FN(wide) x = (FN(wide))BEST_QUARTERS(best[0], best[1], 0);
        const FN(wide) y = (FN(wide))BEST_QUARTERS(best[0], best[1], 1);
        const FN(places) p = (FN(places))BEST_QUARTERS(at[0], at[1], 0);
        const FN(places) q = (FN(places))BEST_QUARTERS(at[0], at[1], 1);
        const FN(places) same = (FN(places))SAME_BEST(x, y);
        const FN(places) stay = (FN(places))STAYS(x, y) & ~(same & (FN(places))(q < p));
        const FN(wide) value = CHOSEN(stay, x, y);
        const FN(places) where = CHOSEN(stay, p, q);
        memcpy(VALUES(acc, n_acc) + r, &value, sizeof value);
#pragma GCC unroll 2
        for (int i = 0; i < W / 8; i++) {
            const eight place = (eight)best_eight((__m512i)where, E, i) + i0;
            memcpy(acc + r + i * 8, &place, sizeof place);
        }
    }
}
#endif

static bool FN(turned_step)(A *acc, const nomen__reduce_step *s) {
    enum { W = 32 / sizeof(F) };
    if (acc[0] >= 0 || s->n_acc < W || s->n_red < W || s->red_step != (int64_t)sizeof(F) ||
        s->index_step != 1)
        return false;
#if VB == 64
    if (s->n_acc >= 2 * W && s->n_red <= 4 * TURNED_MOST) {
        FN(turned_wide)(acc, s->n_acc, s->in, s->acc_step, s->n_red, s->index0);
        return true;
    }
#endif
    if (s->n_red > TURNED_MOST) return false;
    FN(turned_rows)(acc, s->n_acc, s->in, s->acc_step, s->n_red, s->index0);
    return true;
}
#define STEP_TURNED FN(turned_step)
#endif

#define POSITIONS
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
#undef SAME_BEST
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
