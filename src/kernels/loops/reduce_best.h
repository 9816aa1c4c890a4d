/* Include-template: max or min with the position of its first occurrence; NaN wins over every
 * number. Before: OP, CORE (the same), SFX, T, F, U (signed integer as wide as F), BETTER(a, b),
 * HOLDS(a, b) (a is b or better),
 * OUT, PUT(F) -> OUT, FLOATING (0 or 1), for half types FETCH and WIDEN; for numbers of 4 and 8
 * bytes TURN(x) of a square of TURNED, vectors of up to 32 bytes; VEC and SMALL as in extremum.h.
 * After: FN(reducer); T, F, U, SMALL, OUT, PUT, FETCH, WIDEN, TURN and TURNED are undefined. */

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
/* Which elements of x, of 4 or 8 bytes, are no worse than those of y, of which none is a NaN; and
 * what comes of two vectors by that. From vectors of compared elements the compiler makes longer
 * ones. */
static inline __attribute__((always_inline)) __mmask16 best_stay(__m512i x, __m512i y,
                                                                 const int bytes,
                                                                 const bool floating,
                                                                 const bool greatest) {
    if (floating && bytes == 4)
        return greatest ? _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_GE_OQ)
                        : _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_LE_OQ);
    if (floating)
        return greatest ? _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_GE_OQ)
                        : _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_LE_OQ);
    if (bytes == 4) return greatest ? _mm512_cmpge_epi32_mask(x, y) : _mm512_cmple_epi32_mask(x, y);
    return greatest ? _mm512_cmpge_epi64_mask(x, y) : _mm512_cmple_epi64_mask(x, y);
}
static inline __attribute__((always_inline)) __m512i best_of(__mmask16 stay, __m512i own,
                                                             __m512i later, const int bytes) {
    return bytes == 4 ? _mm512_mask_blend_epi32(stay, later, own)
                      : _mm512_mask_blend_epi64((__mmask8)stay, later, own);
}
/* Is none of the elements a NaN? */
static inline __attribute__((always_inline)) bool best_numbers(__m512i x, const int bytes) {
    return bytes == 4 ? !_mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q)
                      : !_mm512_cmp_pd_mask((__m512d)x, (__m512d)x, _CMP_UNORD_Q);
}
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
 * comes of two by that. Where there are only `numbers` one comparison will do: whether there are is
 * seen by a sum of all, which a NaN makes one (and infinities may, too), and if not it is done once
 * more without that. */
/* Masks of short vectors are joined in lanes of 32 bits: of those of 64, joined conditions have no
 * instruction that chooses by them without SSE4.2, and gcc 12 would take one after the other. */
#if VB == 16
#define MASK(x) ((vi32)(x))
#else
#define MASK(x) (x)
#endif
#if FLOATING
#define STAYS(best, later, numbers)                                                                \
    ((numbers) ? MASK(HOLDS(best, later)) : (MASK(HOLDS(best, later)) | MASK((best) != (best))))
#define SAME_BEST(x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#if VB == 64
#define ONLY_NUMBERS(sum) best_numbers((__m512i)(sum), sizeof(F))
#else
#define ONLY_NUMBERS(sum) (!v_any32((vi32)((sum) != (sum))))
#endif
#else
#define STAYS(best, later, numbers) ((void)(numbers), HOLDS(best, later))
#define SAME_BEST(x, y)             ((x) == (y))
#define ONLY_NUMBERS(sum)           (sizeof(sum) > 0)
#endif
#define CHOSEN(stay, own, later)                                                                   \
    ((__typeof__(own))(((stay) & (__typeof__(stay))(own)) | (~(stay) & (__typeof__(stay))(later))))

typedef F FN(across) __attribute__((vector_size(VB)));
typedef U FN(where) __attribute__((vector_size(VB)));
/* Two vectors and their positions become one. */
static inline __attribute__((always_inline)) void
FN(meet)(FN(across) * own, FN(where) * at, FN(across) later, FN(where) place, const bool numbers) {
#if VB == 64
    if (numbers && sizeof(F) >= 4) {
        const __mmask16 stays =
            best_stay((__m512i)*own, (__m512i)later, sizeof(F), FLOATING, HOLDS(2, 1));
        *own = (FN(across))best_of(stays, (__m512i)*own, (__m512i)later, sizeof(F));
        *at = (FN(where))best_of(stays, (__m512i)*at, (__m512i)place, sizeof(F));
        return;
    }
#endif
    const FN(where) stay = (FN(where))STAYS(*own, later, numbers);
    *own = CHOSEN(stay, *own, later);
    *at = CHOSEN(stay, *at, place);
}

typedef struct FN(column) {
    FN(across) best, sum;
    FN(where) at;
} FN(column);

/* A vector of columns of `rows` rows from p on, pitch bytes apart, against what is there from rows
 * before them: an element that is better takes its place, and so does the first NaN. */
static inline __attribute__((always_inline)) void FN(meet_rows)(const char *p, int64_t pitch,
                                                                const int rows, U row,
                                                                FN(column) * c,
                                                                const bool numbers) {
    FN(across) y[4];
    FN(where) at[4];
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++) {
        memcpy(&y[k], p + k * pitch, sizeof y[k]);
        V_OPAQUE(y[k]);
        at[k] = (FN(where)){0} + (U)(row + k);
    }
    if (FLOATING && numbers && rows > 1) c->sum += (y[0] + y[1]) + (y[2] + y[3]);
    if (FLOATING && numbers && rows == 1) c->sum += y[0];
    /* by pairs: what was there before waits for one comparison only */
#pragma GCC unroll 2
    for (int half = 1; half < rows; half *= 2)
#pragma GCC unroll 2
        for (int k = 0; k < rows; k += 2 * half)
            FN(meet)(&y[k], &at[k], y[k + half], at[k + half], numbers);
    FN(meet)(&c->best, &c->at, y[0], at[0], numbers);
}

/* Rows `first` to `end` of one vector of columns, or two, the second of which begins `apart`
 * columns behind the first: in registers, and the comparisons of one fill the waits of the other.
 */
static inline __attribute__((always_inline)) bool
FN(take_vectors)(const char *p, int64_t pitch, int64_t first, int64_t end, F *v, U *pos,
                 int64_t apart, const int vectors, const bool numbers) {
    FN(column) c[2];
#pragma GCC unroll 2
    for (int k = 0; k < vectors; k++) {
        memcpy(&c[k].best, v + k * apart, sizeof c[k].best);
        memcpy(&c[k].at, pos + k * apart, sizeof c[k].at);
        c[k].sum = c[k].best;
    }
    const int64_t beside = apart * (int64_t)sizeof(F);
    int64_t j = first;
    for (; j + 4 <= end; j += 4)
#pragma GCC unroll 2
        for (int k = 0; k < vectors; k++)
            FN(meet_rows)(p + j * pitch + k * beside, pitch, 4, (U)j, &c[k], numbers);
    for (; j < end; j++)
#pragma GCC unroll 2
        for (int k = 0; k < vectors; k++)
            FN(meet_rows)(p + j * pitch + k * beside, pitch, 1, (U)j, &c[k], numbers);
    FN(across) all = c[0].sum;
    if (FLOATING && vectors > 1) all += c[1].sum;
    if (numbers && !ONLY_NUMBERS(all)) return false;
#pragma GCC unroll 2
    for (int k = 0; k < vectors; k++) {
        memcpy(v + k * apart, &c[k].best, sizeof c[k].best);
        memcpy(pos + k * apart, &c[k].at, sizeof c[k].at);
    }
    return true;
}
static APART void FN(take_any)(const char *p, int64_t pitch, int64_t first, int64_t end, F *v,
                               U *pos) {
    FN(take_vectors)(p, pitch, first, end, v, pos, 0, 1, false);
}

/* All columns; of the last ones of less than a vector some are taken twice, which changes nothing.
 */
static inline void FN(take_columns)(const char *p, int64_t pitch, int64_t first, int64_t end, F *v,
                                    U *pos, int64_t n) {
    enum { W = VB / sizeof(F), E = sizeof(F) };
    int64_t i = 0;
    for (; i + W < n; i += 2 * W) {
        const int64_t apart = i + 2 * W <= n ? W : n - W - i;
        const char *x = p + i * E;
        if (FN(take_vectors)(x, pitch, first, end, v + i, pos + i, apart, 2, true)) continue;
        FN(take_any)(x, pitch, first, end, v + i, pos + i);
        FN(take_any)(x + apart * E, pitch, first, end, v + i + apart, pos + i + apart);
    }
    if (i >= n) return;
    i = n - W;
    if (!FN(take_vectors)(p + i * E, pitch, first, end, v + i, pos + i, 0, 1, true))
        FN(take_any)(p + i * E, pitch, first, end, v + i, pos + i);
}

/* Fewer columns than a vector has lanes: it goes on in the rows behind, as far as there are some.
 */
static APART void FN(take_few)(const char *p, int64_t pitch, int64_t first, int64_t rows, F *v,
                               U *pos, int64_t n) {
    enum { W = VB / sizeof(F) };
    F own[W] __attribute__((aligned(64))) = {0};
    U at[W] __attribute__((aligned(64))) = {0};
    const int64_t beyond = (W - n) * (int64_t)sizeof(F);
    const int64_t last = pitch > 0 ? (beyond - 1) / pitch + 1 : rows;
    int64_t j = rows - last > first ? rows - last : first;
    for (int64_t i = 0; i < n; i++) own[i] = v[i], at[i] = pos[i];
    if (j > first && !FN(take_vectors)(p, pitch, first, j, own, at, 0, 1, true))
        FN(take_any)(p, pitch, first, j, own, at);
    for (; j < rows; j++)
        for (int64_t i = 0; i < n; i++) {
            const F y = ((const F *)(const void *)(p + j * pitch))[i];
            const bool stays = HOLDS(own[i], y) | IS_NAN(own[i]); /* nobody can foresee it */
            own[i] = stays ? own[i] : y;
            at[i] = stays ? at[i] : (U)j;
        }
    for (int64_t i = 0; i < n; i++) v[i] = own[i], pos[i] = at[i];
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
    /* As many rows at a time as the nearest cache holds. */
    enum { W = VB / sizeof(F), NEAR = 1 << 15 };
    const int64_t some = NEAR / (n_acc * (int64_t)sizeof(F)) / 4 * 4;
    if (n_acc < W) FN(take_few)(p, pitch, first, rows, v, pos, n_acc);
    for (int64_t j = first; n_acc >= W && j < rows; j += some)
        FN(take_columns)(p, pitch, j, j + some < rows ? j + some : rows, v, pos, n_acc);
    for (int64_t i = 0; i < n_acc; i++)
        acc[i] = pos[i] >= 0 ? i0 + (int64_t)pos[i] * istep : acc[i];
}

#if defined(SMALL) && VB == 32 /* which are joined by one instruction */
#define TURNED_MOST (sizeof(T) == 1 ? 110 : 80)
#else
#define TURNED_MOST POSITIONS_MOST(T)
#endif

#ifdef TURN
/* Short rows without gaps, of which nothing has been seen: as many as a vector of up to 32 bytes
 * has lanes, by squares of rows and elements that are turned over in registers. The last rows and
 * elements make whole squares with some that come once more: they change nothing. */
enum { FN(square) = sizeof(TURNED) / sizeof(F) };
typedef F FN(lanes) __attribute__((vector_size(sizeof(TURNED))));
typedef U FN(marks) __attribute__((vector_size(sizeof(TURNED))));

static inline __attribute__((always_inline)) bool FN(turned_square)(A *acc, F *values,
                                                                    const char *in, int64_t row,
                                                                    int64_t n, int64_t i0,
                                                                    const bool numbers) {
    enum { W = FN(square) };
    FN(lanes) best = {0}, sum = {0};
    FN(marks) at = {0};
    for (int64_t j = 0; j < n; j += W) {
        const bool first = j == 0;
        TURNED x[W];
        FN(lanes) y[W], all = {0};
        FN(marks) p[W];
        j = j < n - W ? j : n - W;
#pragma GCC unroll 8
        for (int k = 0; k < W; k++)
            memcpy(&x[k], in + k * row + j * (int64_t)sizeof(F), sizeof x[k]);
        TURN(x);
#pragma GCC unroll 8
        for (int k = 0; k < W; k++) {
            y[k] = (FN(lanes))x[k];
            p[k] = (FN(marks)){0} + (U)k;
            if (FLOATING && numbers) all += y[k];
        }
        if (FLOATING && numbers) sum += all;
#pragma GCC unroll 3
        for (int half = 1; half < W; half *= 2)
#pragma GCC unroll 4
            for (int k = 0; k < W; k += 2 * half) {
                const FN(marks) stay = (FN(marks))STAYS(y[k], y[k + half], numbers);
                y[k] = CHOSEN(stay, y[k], y[k + half]);
                p[k] = CHOSEN(stay, p[k], p[k + half]);
            }
        p[0] += (U)j;
        const FN(marks) stay = first ? (FN(marks)){0} : (FN(marks))STAYS(best, y[0], numbers);
        best = CHOSEN(stay, best, y[0]);
        at = CHOSEN(stay, at, p[0]);
    }
#if VB < 64
    if (numbers && !ONLY_NUMBERS(sum)) return false;
#else
    (void)sum;
#endif
    memcpy(values, &best, sizeof best);
    for (int i = 0; i < W; i++) acc[i] = at[i] + i0;
    return true;
}
static APART void FN(turned_square_any)(A *acc, F *values, const char *in, int64_t row, int64_t n,
                                        int64_t i0) {
    FN(turned_square)(acc, values, in, row, n, i0, false);
}

static APART void FN(turned_rows)(A *acc, int64_t n_acc, const char *in, int64_t row, int64_t n,
                                  int64_t i0) {
    enum { W = FN(square) };
    F *const values = VALUES(acc, n_acc);
    for (int64_t r = 0; r < n_acc; r += W) {
        r = r < n_acc - W ? r : n_acc - W;
        if (VB == 64 || !FN(turned_square)(acc + r, values + r, in + r * row, row, n, i0, true))
            FN(turned_square_any)(acc + r, values + r, in + r * row, row, n, i0);
    }
}

#if VB == 64
/* The same of twice as many rows: a vector is two rows, which are turned over by quarters. So a
 * lane sees every second group of elements of its row, and two of them are compared in the end. */
/* As many rows as a vector has lanes; acc and values are theirs. */
static inline __attribute__((always_inline)) bool FN(turned_group)(A *acc, F *values,
                                                                   const char *in, int64_t row,
                                                                   int64_t n, int64_t i0,
                                                                   const bool numbers) {
    enum { W = 64 / sizeof(F), QUARTER = W / 4, E = sizeof(F) };
    typedef int64_t eight __attribute__((vector_size(64)));
    FN(across) best[2] = {{0}, {0}}, sum = {0};
    FN(where) at[2] = {{0}, {0}}, odd;
    for (int i = 0; i < W; i++) odd[i] = (U)(i / QUARTER % 2 * QUARTER);
    for (int64_t j = 0; j < n; j += 2 * QUARTER) {
        const bool first = j == 0;
        j = j < n - 2 * QUARTER ? j : n - 2 * QUARTER;
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            const char *from = in + h * 2 * QUARTER * row + j * E;
            __m512i x[4] = {{0}, {0}, {0}, {0}};
            FN(across) y[4];
            FN(where) p[4];
#pragma GCC unroll 4
            for (int k = 0; k < QUARTER; k++)
                x[k] = best_rows(from + k * row, from + (QUARTER + k) * row);
            best_turn(x, E);
#pragma GCC unroll 4
            for (int k = 0; k < QUARTER; k++) {
                y[k] = (FN(across))x[k];
                p[k] = (FN(where)){0} + (U)k;
                if (FLOATING && numbers) sum += y[k];
            }
#pragma GCC unroll 2
            for (int half = 1; half < QUARTER; half *= 2)
#pragma GCC unroll 2
                for (int k = 0; k < QUARTER; k += 2 * half)
                    FN(meet)(&y[k], &p[k], y[k + half], p[k + half], numbers);
            p[0] += (U)j;
            if (first)
                best[h] = y[0], at[h] = p[0];
            else
                FN(meet)(&best[h], &at[h], y[0], p[0], numbers);
        }
    }
    if (numbers && !ONLY_NUMBERS(sum)) return false;
    at[0] += odd;
    at[1] += odd;
    const FN(across) x = (FN(across))BEST_QUARTERS(best[0], best[1], 0);
    const FN(across) y = (FN(across))BEST_QUARTERS(best[0], best[1], 1);
    const FN(where) p = (FN(where))BEST_QUARTERS(at[0], at[1], 0);
    const FN(where) q = (FN(where))BEST_QUARTERS(at[0], at[1], 1);
    const FN(where) same = (FN(where))SAME_BEST(x, y);
    const FN(where) stay = (FN(where))STAYS(x, y, numbers) & ~(same & (FN(where))(q < p));
    const FN(across) value = CHOSEN(stay, x, y);
    const FN(where) where = CHOSEN(stay, p, q);
    memcpy(values, &value, sizeof value);
#pragma GCC unroll 2
    for (int i = 0; i < W / 8; i++) {
        const eight place = (eight)best_eight((__m512i)where, E, i) + i0;
        memcpy(acc + i * 8, &place, sizeof place);
    }
    return true;
}
static APART void FN(turned_any)(A *acc, F *values, const char *in, int64_t row, int64_t n,
                                 int64_t i0) {
    FN(turned_group)(acc, values, in, row, n, i0, false);
}

static APART void FN(turned_wide)(A *acc, int64_t n_acc, const char *in, int64_t row, int64_t n,
                                  int64_t i0) {
    enum { W = 64 / sizeof(F) };
    F *const values = VALUES(acc, n_acc);
    for (int64_t r = 0; r < n_acc; r += W) {
        r = r < n_acc - W ? r : n_acc - W;
        if (!FN(turned_group)(acc + r, values + r, in + r * row, row, n, i0, true))
            FN(turned_any)(acc + r, values + r, in + r * row, row, n, i0);
    }
}
#endif

static bool FN(turned_step)(A *acc, const nomen__reduce_step *s) {
    enum { W = FN(square) };
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
                                           .places = true,
                                           .heavy = true,
                                           .of_one = NOMEN__ITSELF,
                                           .init = FN(init),
                                           .step = FN(step),
                                           .merge = FN(merge),
                                           .finish = FN(finish)};

#undef MASK
#undef STAYS
#undef SAME_BEST
#undef ONLY_NUMBERS
#undef CHOSEN
#undef A
#undef VALUES
#undef IS_NAN
#undef SFX
#undef T
#undef F
#undef U
#undef SMALL
#undef OUT
#undef PUT
#undef FLOATING
#undef FETCH
#undef WIDEN
