/* Include-template: a reducer that joins elements by an associative operation (sum, prod, any,
 * all). The lanes are the same in every ISA, so all ISAs add in the same order and their results
 * agree bit for bit. Before: OP, CORE (the same), SFX, T (stored type), F (fetched type), C (lane
 * type), D (type of a block's result), LD(F) -> C, JOIN(C, C) -> C, TOTAL(D, C or D) -> D, ID and
 * DID (the neutral C and D), A (accumulator), A_ZERO, TAKE(A *, D), MEET(A *, const A *), OUT and
 * DONE as in reduce_finish.h, for half types also FETCH and WIDEN; BETTER as in
 * reduce_most_types.h, of extrema only, and SMALL of those of integers of 8 and 16 bits (V_BETTER
 * and SFX: the name of what simd/words.h has for them). Where JOIN joins vectors too, and the
 * compiler does not find the best way to widen, or to join: LV (a vector of C), VLOAD(const T *) ->
 * LV, and VJOIN(LV, LV) if that is not JOIN: then A is a C, and to TAKE is to JOIN. Where JOIN
 * joins vectors that can be turned over: TURNED and TAKE_LANES as in reduce_short.h; MEET_ALL(A *,
 * const A *, n) if there is a better way for n accumulators than MEET of each; LANES_TURNED
 * if longer rows of double are, too (reduce_rows.h; narrow vectors have few lanes);
 * OF_VECTOR(vector) then is LD of each of its lanes, if that is not what it holds, and stays.
 * VID(vector) if the neutral vector is not one of ID in each lane, which stays. ALONE(C) -> D if a
 * lane by itself is not TOTAL(DID, lane), which stays: vectors of lanes are taken as they are, and
 * how many that are differs from ISA to ISA. FOLD_ROW(const F *, n) -> D, if a row has a better
 * way, which stays; LANES_STAY or LANES_DONE as in reduce_columns.h; FOLD_DIRECT(const T *, n) ->
 * D, beside VLOAD, the same of 16 elements and more as they are stored; ROWS_FETCHED, beside VLOAD,
 * if the compiler does rows as well by itself. After: FN(reducer); T, F, C, D, LD, FETCH, WIDEN,
 * LV, VLOAD, MEET_ALL, FOLD_DIRECT, ROWS_FETCHED, SMALL, OUT and DONE are undefined, the rest is
 * left for a second finish. */

#ifndef VID
#define VID(v)       ((v){0} + ID)
#define VID_IS_OF_ID /* as in the next type */
#endif

#ifndef OF_VECTOR
#define OF_VECTOR(v)    (v)
#define OF_VECTOR_IS_IT /* as above */
#endif

#ifndef ALONE
#define ALONE(s)      TOTAL(DID, s)
#define ALONE_IS_MADE /* as above */
#endif

enum { FN(lanes) = LANE_BYTES / (int)sizeof(C) };
_Static_assert((FN(lanes) & (FN(lanes) - 1)) == 0, "lanes are joined in halves");
#define LANES (FN(lanes) > 64 ? 64 : FN(lanes) < 8 ? 8 : FN(lanes))

#ifdef BETTER
#include "kernels/loops/extremum.h"
#endif

/* The result of eight lanes, joined in halves: a call would want them in memory. */
static inline __attribute__((always_inline)) D FN(join_eight)(D *d) {
    for (int l = 0; l < 4; l++) d[l] = TOTAL(d[l], d[l + 4]);
    d[0] = TOTAL(d[0], d[2]);
    d[1] = TOTAL(d[1], d[3]);
    return TOTAL(d[0], d[1]);
}

/* What is left behind whole eights goes by itself: in lanes it would be stored one by one, and
 * those be loaded together, for which a processor waits until all has been written. */
static inline D FN(fold_odd)(const F *x, int64_t n) {
    D all = DID;
    for (int64_t j = 0; j < n; j++) all = TOTAL(all, LD(x[j]));
    return all;
}

/* Fewer elements than lanes: those behind the eighth stay untouched. */
static inline D FN(fold_few)(const F *x, int64_t n) {
    C s[8] __attribute__((aligned(64)));
    D d[8];
    int64_t j = 0;
    if (n < 8) return FN(fold_odd)(x, n);
    for (int l = 0; l < 8; l++) s[l] = ID;
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    for (int l = 0; l < 8; l++) d[l] = ALONE(s[l]);
    return TOTAL(FN(join_eight)(d), FN(fold_odd)(x + j, n - j));
}

/* What is left behind whole rounds of lanes, and what all lanes come to. */
static inline D FN(fold_rest)(C *s, const F *x, int64_t n) {
    C few[8] __attribute__((aligned(64))); /* in a register, where s is in memory */
    D d[8];
    int64_t j = 0;
    for (int l = 0; l < 8; l++) few[l] = s[l];
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) few[l] = JOIN(few[l], LD(x[j + l]));
    /* In one step with the next eight: where ALONE(x) is x, the compiler would copy `few`, and
     * in halves of what is loaded from there. */
    for (int l = 0; l < 8; l++) {
        const D own = ALONE(few[l]);
        d[l] = LANES > 8 ? TOTAL(own, s[LANES > 8 ? 8 + l : 0]) : own;
    }
    for (int64_t k = 16; k < LANES; k += 8)
        for (int l = 0; l < 8; l++) d[l] = TOTAL(d[l], s[k + l]);
    return TOTAL(FN(join_eight)(d), FN(fold_odd)(x + j, n - j));
}

#ifdef FOLD_ROW
static inline D FN(fold_row)(const F *x, int64_t n) { return FOLD_ROW(x, n); }
#else
static inline D FN(fold_row)(const F *x, int64_t n) {
#ifdef BETTER
    bool any;
    if (n >= 8) return FN(search_row)(x, n, &any);
#endif
    if (n < LANES) return FN(fold_few)(x, n);
    C s[LANES] __attribute__((aligned(64)));
    int64_t j = 0;
    for (int l = 0; l < LANES; l++) s[l] = ID;
    for (; j + LANES <= n; j += LANES) {
        for (int l = 0; l < LANES; l++) s[l] = JOIN(s[l], LD(x[j + l]));
    }
    return FN(fold_rest)(s, x + j, n - j);
}
#endif

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    TAKE(acc, FN(fold_row)(x, n));
}

#ifdef SMALL
/* Few small integers side by side would not fill the vectors of a loop over them. The last ones
 * overlap with those before, which an extremum does not mind. */
typedef LOOP_NAME2(some, SFX) FN(some);

/* Up to 16 bytes; half as many go by way of a number, a vector would by way of memory. */
static inline FN(some) FN(load_some)(const void *p, const int bytes) {
    FN(some) x;
    uint64_t half;
    if (bytes >= (int)sizeof x) {
        memcpy(&x, p, sizeof x);
        return x;
    }
    memcpy(&half, p, sizeof half);
    return (FN(some))(lane_u64){half, 0};
}

/* `bytes` bytes of columns in registers, all rows. */
static inline __attribute__((always_inline)) void FN(cols_some)(A *acc, const F *in, int64_t pitch,
                                                                int64_t rows, const int bytes) {
    enum { SIZE = sizeof(FN(some)), EACH = SIZE / sizeof(F) };
    const size_t part = bytes < SIZE ? (size_t)bytes : SIZE;
    const char *p = (const char *)in;
    FN(some) s[2];
#pragma GCC unroll 2
    for (int v = 0; v * SIZE < bytes; v++) s[v] = FN(load_some)(acc + v * EACH, bytes);
    for (int64_t j = 0; j < rows; j++, p += pitch)
#pragma GCC unroll 2
        for (int v = 0; v * SIZE < bytes; v++)
            s[v] = LOOP_NAME2(V_BETTER, SFX)(s[v], FN(load_some)(p + v * SIZE, bytes));
#pragma GCC unroll 2
    for (int v = 0; v * SIZE < bytes; v++) memcpy(acc + v * EACH, &s[v], part);
}

enum { FN(few_most) = 128 / sizeof(F) };
static bool FN(cols_few)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows) {
    const int64_t e = (int64_t)sizeof(F), bytes = n_acc * e;
    if (bytes < 8 || n_acc >= FN(few_most)) return false;
    const int64_t lanes = (bytes >= 32 ? 32 : bytes >= 16 ? 16 : 8) / e;
    for (int64_t i = 0; i < n_acc; i += lanes) {
        if (i + lanes > n_acc) i = n_acc - lanes;
        if (lanes * e == 32)
            FN(cols_some)(acc + i, in + i, pitch, rows, 32);
        else if (lanes * e == 16)
            FN(cols_some)(acc + i, in + i, pitch, rows, 16);
        else
            FN(cols_some)(acc + i, in + i, pitch, rows, 8);
    }
    return true;
}
#endif

/* What columns come to, into their accumulators. */
static inline void FN(take_cols)(A *acc, const C *s, int64_t n_acc) {
    int64_t i = 0;
#ifdef TAKE_LANES
    enum { TOGETHER = sizeof(TURNED) / sizeof(C) };
    for (; i + TOGETHER <= n_acc; i += TOGETHER) {
        TURNED some;
        memcpy(&some, s + i, sizeof some);
        TAKE_LANES(acc + i, some);
    }
#elif defined VJOIN
    enum { TOGETHER = sizeof(LV) / sizeof(C) };
    for (; i + TOGETHER <= n_acc; i += TOGETHER) {
        LV own, some;
        memcpy(&own, acc + i, sizeof own);
        memcpy(&some, s + i, sizeof some);
        own = VJOIN(own, some);
        memcpy(acc + i, &own, sizeof own);
    }
#endif
    for (; i < n_acc; i++) {
        const D all = ALONE(s[i]);
        TAKE(acc + i, all);
    }
}

/* One to three rows, at once: what columns come to is loaded and stored once, and not before there
 * is something (`first`). */
static inline __attribute__((always_inline)) void
FN(cols_rest)(C *s, int64_t n_acc, const F *x0, int64_t pitch, int64_t rows, const bool first) {
    const F *const x1 = rows > 1 ? (const F *)(const void *)((const char *)x0 + pitch) : x0;
    const F *const x2 = rows > 2 ? (const F *)(const void *)((const char *)x1 + pitch) : x0;
    if (rows == 1)
        for (int64_t i = 0; i < n_acc; i++) s[i] = JOIN(first ? ID : s[i], LD(x0[i]));
    else if (rows == 2)
        for (int64_t i = 0; i < n_acc; i++) {
            const C one = JOIN(first ? ID : s[i], LD(x0[i]));
            s[i] = JOIN(one, LD(x1[i]));
        }
    else
        for (int64_t i = 0; i < n_acc; i++) {
            const C one = JOIN(first ? ID : s[i], LD(x0[i])), two = JOIN(one, LD(x1[i]));
            s[i] = JOIN(two, LD(x2[i]));
        }
}

/* What n columns of some rows come to; few: n is known. */
static inline __attribute__((always_inline)) void
FN(join_cols)(C *s, const F *in, int64_t pitch, int64_t rows, const int64_t n, const bool few) {
    const char *p = (const char *)in;
    int64_t j = 0;
    if (few || rows >= 4)
        for (int64_t i = 0; i < n; i++) s[i] = ID;
    /* Step by step: a JOIN that names its operands twice would repeat them. */
    for (; j + 4 <= rows; j += 4) {
        const F *x0 = (const F *)(const void *)(p + j * pitch);
        const F *x1 = (const F *)(const void *)(p + (j + 1) * pitch);
        const F *x2 = (const F *)(const void *)(p + (j + 2) * pitch);
        const F *x3 = (const F *)(const void *)(p + (j + 3) * pitch);
        for (int64_t i = 0; i < n; i++) {
            const C first = JOIN(LD(x0[i]), LD(x1[i])), second = JOIN(LD(x2[i]), LD(x3[i]));
            const C four = JOIN(first, second);
            s[i] = JOIN(s[i], four);
        }
    }
    if (few) { /* gcc 12 loses sums that it has in registers if these are not loops like that */
        for (; j < rows; j++) {
            const F *x0 = (const F *)(const void *)(p + j * pitch);
            for (int64_t i = 0; i < n; i++) s[i] = JOIN(s[i], LD(x0[i]));
        }
        return;
    }
    const F *const rest = (const F *)(const void *)(p + j * pitch);
    if (j < rows && j)
        FN(cols_rest)(s, n, rest, pitch, rows - j, false);
    else if (j < rows)
        FN(cols_rest)(s, n, rest, pitch, rows, true);
}

/* What columns come to, in lanes, which may be results. One copy: gcc would make another for the
 * pitch of what was gathered. */
LOOP_APART FN(lanes_fetched)(C *restrict s, int64_t n_acc, const F *in, int64_t pitch,
                             int64_t rows) {
    enum { FULL = 32 }; /* small elements that a loop over columns takes at a time */
    const int64_t rest = sizeof(F) <= 2 && n_acc >= 8 ? n_acc % FULL : 0, whole = n_acc - rest;
    if (whole) FN(join_cols)(s, in, pitch, rows, whole, false);
    /* What is left would go one by one: the last ones begin before that. */
    const int64_t each = n_acc >= 16 ? 16 : 8;
    for (int64_t i = whole; i < n_acc; i += each) {
        C end[16] __attribute__((aligned(64)));
        const int64_t from = i + each <= n_acc ? i : n_acc - each;
        if (each == 16)
            FN(join_cols)(end, in + from, pitch, rows, 16, true);
        else
            FN(join_cols)(end, in + from, pitch, rows, 8, true);
        for (int64_t k = i - from; k < each; k++) s[from + k] = end[k];
    }
}

static APART void FN(cols)(A *acc, int64_t n_acc, const F *in, int64_t pitch, int64_t rows,
                           int64_t i0, int64_t istep) {
    (void)i0, (void)istep;
    C s[NOMEN__ACC_WIDE] __attribute__((aligned(64)));
#ifdef SMALL
    if (FN(cols_few)(acc, n_acc, in, pitch, rows)) return;
#endif
    FN(lanes_fetched)(s, n_acc, in, pitch, rows);
    FN(take_cols)(acc, s, n_acc);
}

#ifdef VLOAD
#if !defined(FOLD_ROW) && !defined(BETTER) && !defined(ROWS_FETCHED)
#define DIRECT_ROWS
#endif
#define DIRECT_COLS
#ifdef FETCH
#define ONE(x)            LD(FETCH(x))
#define FETCHED(x, n, to) (WIDEN(x, to, n), (const F *)(to))
#else
#define ONE(x)            LD(x)
#define FETCHED(x, n, to) ((void)(to), (const F *)(x))
#endif
enum { FN(width) = (int)(sizeof(LV) / sizeof(C)) };

#ifndef VJOIN
#define VJOIN JOIN
#endif

#if defined(DIRECT_ROWS) && !defined(FOLD_DIRECT)
/* The same lanes as those of fold_row over the whole rounds of n elements, in registers. By itself:
 * beside code that reads single lanes gcc leaves vectors in memory all along. */
static APART void FN(lanes_direct)(C *s, const T *x, int64_t n) {
    LV v[LANES / FN(width)];
#pragma GCC unroll 16
    for (int l = 0; l < LANES / FN(width); l++) v[l] = VID(LV);
    for (int64_t j = 0; j + LANES <= n; j += LANES) {
#pragma GCC unroll 16
        for (int l = 0; l < LANES / FN(width); l++)
            v[l] = VJOIN(v[l], VLOAD(x + j + l * FN(width)));
    }
#pragma GCC unroll 16
    for (int l = 0; l < LANES / FN(width); l++) memcpy(s + l * FN(width), &v[l], sizeof v[l]);
}

static APART void FN(row_direct)(A *acc, const T *x, int64_t n) {
    C s[LANES] __attribute__((aligned(64)));
    F rest[LANES] __attribute__((aligned(64)));
    const int64_t whole = n & ~(int64_t)(LANES - 1);
    if (n < LANES) {
        TAKE(acc, FN(fold_few)(FETCHED(x, n, rest), n));
        return;
    }
    FN(lanes_direct)(s, x, n);
    TAKE(acc, FN(fold_rest)(s, FETCHED(x + whole, n - whole, rest), n - whole));
}
#elif defined DIRECT_ROWS
static APART void FN(row_direct)(A *acc, const T *x, int64_t n) {
    F few[LANES] __attribute__((aligned(64)));
    TAKE(acc, n < 16 ? FN(fold_few)(FETCHED(x, n, few), n) : FOLD_DIRECT(x, n));
}
#endif

/* A vector of columns of four rows. Step by step: a JOIN that names its operands twice would repeat
 * them. */
static inline __attribute__((always_inline)) LV FN(join_four)(const void *x0, const void *x1,
                                                              const void *x2, const void *x3) {
    const LV first = VJOIN(VLOAD((const T *)x0), VLOAD((const T *)x1));
    const LV second = VJOIN(VLOAD((const T *)x2), VLOAD((const T *)x3));
    return VJOIN(first, second);
}

/* Fewer columns than a vector has lanes: it goes on in what is behind a row, of which lanes come
 * that are nobody's. Rows at the end, with nothing behind them, are copied to where there is. */
static APART void FN(lanes_narrow)(C s[FN(width)], int64_t n_acc, const char *in, int64_t pitch,
                                   int64_t rows, int64_t behind) {
    T ends[2 * FN(width)][FN(width)];
    const int64_t beyond = (FN(width) - n_acc) * (int64_t)sizeof(T) - behind,
                  last = beyond > 0 ? (beyond - 1) / pitch + 1 : 0;
    const int64_t copied = last < rows ? last : rows, safe = rows - copied;
    for (int64_t j = 0; j < copied; j++)
        for (int64_t i = 0; i < FN(width); i++)
            ends[j][i] =
                ((const T *)(const void *)(in + (safe + j) * pitch))[i < n_acc ? i : n_acc - 1];
    LV all = VID(LV);
    const char *x = in;
    int64_t j = 0;
    for (; j + 4 <= safe; j += 4, x += 4 * pitch) {
        const LV four = FN(join_four)(x, x + pitch, x + 2 * pitch, x + 3 * pitch);
        all = VJOIN(all, four);
    }
    for (; j + 4 <= rows; j += 4, x += 4 * pitch) {
        const void *at[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++)
            at[k] = j + k < safe ? (const void *)(x + k * pitch) : ends[j + k - safe];
        const LV four = FN(join_four)(at[0], at[1], at[2], at[3]);
        all = VJOIN(all, four);
    }
    for (; j < rows; j++)
        all = VJOIN(all,
                    VLOAD(j < safe ? (const T *)(const void *)(in + j * pitch) : ends[j - safe]));
    memcpy(s, &all, sizeof all);
}

/* Columns of up to STRIPS vectors, the last of which may begin before the end of the one before it:
 * what they come to stays in registers. */
enum { FN(strips) = 4 };
static inline __attribute__((always_inline)) void FN(join_strips)(C *s, const char *in,
                                                                  int64_t pitch, int64_t rows,
                                                                  int64_t last, const int vectors) {
    LV own[FN(strips)];
    const char *x[FN(strips)];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        own[v] = VID(LV);
        x[v] = in + (v < vectors - 1 ? v * FN(width) : last) * (int64_t)sizeof(T);
    }
    int64_t j = 0;
    for (; j + 4 <= rows; j += 4)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++, x[v - 1] += 4 * pitch) {
            const LV four = FN(join_four)(x[v], x[v] + pitch, x[v] + 2 * pitch, x[v] + 3 * pitch);
            own[v] = VJOIN(own[v], four);
        }
    for (; j < rows; j++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++, x[v - 1] += pitch)
            own[v] = VJOIN(own[v], VLOAD((const T *)(const void *)x[v]));
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        memcpy(s + (v < vectors - 1 ? v * FN(width) : last), &own[v], sizeof own[v]);
}
static bool FN(in_strips)(C *s, int64_t n_acc, const char *in, int64_t pitch, int64_t rows) {
    const int64_t last = n_acc - FN(width);
    if (last < 0 || last > (FN(strips) - 1) * FN(width)) return false;
    switch ((last + FN(width) - 1) / FN(width)) {
    case 0: FN(join_strips)(s, in, pitch, rows, last, 1); return true;
    case 1: FN(join_strips)(s, in, pitch, rows, last, 2); return true;
    case 2: FN(join_strips)(s, in, pitch, rows, last, 3); return true;
    default: FN(join_strips)(s, in, pitch, rows, last, 4); return true;
    }
}

/* Of few rows, most lanes of small elements would be nobody's, which costs more than a sum at a
 * time, but less than an extremum at a time. */
static inline bool FN(are_narrow)(int64_t n_acc, int64_t pitch, int64_t rows) {
#ifdef BETTER
    enum { LEAST = 2 };
#else
    enum { LEAST = sizeof(T) < 8 ? 16 : 2 };
#endif
    return n_acc < FN(width) && pitch >= n_acc * (int64_t)sizeof(T) && rows >= LEAST;
}

/* The same of elements as they are stored. */
static APART void FN(lanes_of_cols)(C *s, int64_t n_acc, const char *in, int64_t pitch,
                                    int64_t rows) {
    if (FN(are_narrow)(n_acc, pitch, rows)) {
        C lanes[FN(width)];
        FN(lanes_narrow)(lanes, n_acc, in, pitch, rows, 0);
        for (int64_t i = 0; i < n_acc; i++) s[i] = lanes[i];
        return;
    }
    if (FN(in_strips)(s, n_acc, in, pitch, rows)) return;
    C ends[FN(width)];
    LV end = VID(LV), own;
    int64_t j = 0, vectors = n_acc / FN(width);
    /* The last columns are lanes of a vector that begins before them, added up by itself. */
    const int64_t rest = vectors ? n_acc % FN(width) : 0, from = n_acc - FN(width);
    const int64_t single = vectors ? n_acc : 0; /* those from here on go one by one */
    if (rows >= 4 || single < n_acc)
        for (int64_t i = 0; i < n_acc; i++) s[i] = ID;
    for (; j + 4 <= rows; j += 4) {
        const T *x0 = (const T *)(const void *)(in + j * pitch);
        const T *x1 = (const T *)(const void *)(in + (j + 1) * pitch);
        const T *x2 = (const T *)(const void *)(in + (j + 2) * pitch);
        const T *x3 = (const T *)(const void *)(in + (j + 3) * pitch);
        for (int64_t k = 0; k < vectors; k++) {
            const int64_t i = k * FN(width);
            const LV four = FN(join_four)(x0 + i, x1 + i, x2 + i, x3 + i);
            memcpy(&own, s + i, sizeof own);
            own = VJOIN(own, four);
            memcpy(s + i, &own, sizeof own);
        }
        if (rest) {
            const LV four = FN(join_four)(x0 + from, x1 + from, x2 + from, x3 + from);
            end = VJOIN(end, four);
        }
        for (int64_t i = single; i < n_acc; i++) {
            const C first = JOIN(ONE(x0[i]), ONE(x1[i])), second = JOIN(ONE(x2[i]), ONE(x3[i]));
            const C four = JOIN(first, second);
            s[i] = JOIN(s[i], four);
        }
    }
    for (int64_t k = 0; j < rows && k < vectors; k++) { /* one to three rows, at once */
        const char *x = in + j * pitch + k * FN(width) * (int64_t)sizeof(T);
        own = VID(LV);
        if (j) memcpy(&own, s + k * FN(width), sizeof own);
        own = VJOIN(own, VLOAD((const T *)(const void *)x));
        if (rows - j > 1) own = VJOIN(own, VLOAD((const T *)(const void *)(x + pitch)));
        if (rows - j > 2) own = VJOIN(own, VLOAD((const T *)(const void *)(x + 2 * pitch)));
        memcpy(s + k * FN(width), &own, sizeof own);
    }
    for (; j < rows; j++) {
        const T *x = (const T *)(const void *)(in + j * pitch);
        if (rest) end = VJOIN(end, VLOAD(x + from));
        for (int64_t i = single; i < n_acc; i++) s[i] = JOIN(s[i], ONE(x[i]));
    }
    memcpy(ends, &end, sizeof end);
    for (int64_t i = 0; i < rest; i++) s[n_acc - rest + i] = ends[FN(width) - rest + i];
}

static APART void FN(cols_direct)(A *acc, int64_t n_acc, const char *in, int64_t pitch,
                                  int64_t rows, int64_t behind) {
    C s[NOMEN__ACC_WIDE] __attribute__((aligned(64)));
    if (FN(are_narrow)(n_acc, pitch, rows)) /* s has room for all lanes */
        FN(lanes_narrow)(s, n_acc, in, pitch, rows, behind);
    else
        FN(lanes_of_cols)(s, n_acc, in, pitch, rows);
    FN(take_cols)(acc, s, n_acc);
}

#undef ONE
#undef FETCHED
#endif

#if defined(BETTER) && defined(FETCH)
#define DIRECT_ROWS
static APART void FN(row_direct)(A *acc, const T *x, int64_t n) {
    F few[64] __attribute__((aligned(64)));
    if (n < 64) {
        WIDEN(x, few, n);
        TAKE(acc, FN(fold_row)(few, n));
        return;
    }
    TAKE(acc, FN(search_halves)(x, n));
}
#endif

#if defined(LANES_TURNED) && VB >= 32
#include "kernels/loops/reduce_rows.h"
#define ROWS_AT_ONCE 8
#endif
#undef LANES_TURNED

#ifdef TURNED
#define SHORT_ROWS
#include "kernels/loops/reduce_short.h"
#endif

#ifdef AT_ONCE
#define ROWS_AT_ONCE (VB / (int)sizeof(T))
#include "kernels/loops/reduce_at_once.h"
#endif

#define WIDE
#ifdef BETTER
#define ROW_MOST INT64_MAX /* there are no errors that grow */
#endif
#include "kernels/loops/reduce_walk.h"
#undef WIDE
#undef ROWS_AT_ONCE
#undef SHORT_ROWS
#undef DIRECT_ROWS
#undef DIRECT_COLS

static void FN(init)(void *acc, int64_t n_acc) {
    A *a = acc;
    for (int64_t i = 0; i < n_acc; i++) a[i] = A_ZERO;
}

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
#ifdef MEET_ALL
    MEET_ALL(a, b, n_acc);
#else
    for (int64_t i = 0; i < n_acc; i++) MEET(&a[i], &b[i]);
#endif
}

#if defined(LANES_STAY) || defined(LANES_DONE)
#include "kernels/loops/reduce_columns.h"
#endif

#include "kernels/loops/reduce_finish.h"
#ifdef VID_IS_OF_ID
#undef VID_IS_OF_ID
#undef VID
#endif
#ifdef OF_VECTOR_IS_IT
#undef OF_VECTOR_IS_IT
#undef OF_VECTOR
#endif
#ifdef ALONE_IS_MADE
#undef ALONE_IS_MADE
#undef ALONE
#endif
#undef LANES
#undef T
#undef F
#undef C
#undef D
#undef LD
#undef FETCH
#undef WIDEN
#undef LV
#undef VLOAD
#undef MEET_ALL
#undef VJOIN
#undef FOLD_DIRECT
#undef ROWS_FETCHED
#undef SMALL
