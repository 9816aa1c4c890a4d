/* Include-template: max or min with the position of its first occurrence; NaN wins over every
 * number. Before: OP, CORE (the same), SFX, T, F, U (signed integer as wide as F), BETTER(a, b),
 * HOLDS(a, b) (a is b or better),
 * OUT, PUT(F) -> OUT, FLOATING (0 or 1), for half types FETCH and WIDEN. After: FN(reducer); T, F,
 * U, OUT, PUT, FETCH, WIDEN are undefined. */

/* at < 0: nothing seen yet. */
typedef struct FN(best) {
    F value;
    int64_t at;
} FN(best);
#define A         FN(best)
#define IS_NAN(x) (FLOATING && (x) != (x))

#include "kernels/loops/extremum.h"

/* One element against the best so far, whatever the order of positions. */
static inline void FN(offer)(A *a, F x, int64_t at) {
    bool better = BETTER(x, a->value) || (IS_NAN(x) && !IS_NAN(a->value));
    bool same = x == a->value || (IS_NAN(x) && IS_NAN(a->value));
    if (a->at < 0 || better || (same && at < a->at)) *a = (A){x, at};
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

static APART void FN(row)(A *acc, const F *x, int64_t n, int64_t i0, int64_t istep) {
    if (n < 8) {
        for (int64_t j = 0; j < n; j++) FN(offer)(acc, x[j], i0 + j * istep);
        return;
    }
    bool any;
    const F best = FN(search_row)(x, n, &any);
    bool better = BETTER(best, acc->value) || (any && !IS_NAN(acc->value));
    bool same = best == acc->value || (any && IS_NAN(acc->value));
    int64_t lowest = istep < 0 ? i0 + (n - 1) * istep : i0;
    if (acc->at < 0 || better || (same && lowest < acc->at)) {
        int64_t j = FN(find)(x, n, best, istep < 0);
        FN(offer)(acc, x[j],
                  i0 + j * istep); /* not `best`: of 0 and -0, the one that stands there */
    }
}

/* Rows from p on, pitch bytes apart, against what is there from rows before them: an element that
 * is better takes its place, and so does the first NaN. */
static inline __attribute__((always_inline)) void
FN(take_rows)(const char *p, int64_t pitch, const int rows, U row, F *v, U *pos, int64_t n) {
    enum { W = VB / sizeof(F) };
    typedef F lanes __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));
    typedef U marks __attribute__((vector_size(VB), aligned(__alignof__(F)), may_alias));
    int64_t i = 0;
    for (; i + W <= n; i += W) {
        lanes w = *(lanes *)(v + i);
        marks at = *(marks *)(pos + i);
#pragma GCC unroll 4
        for (int k = 0; k < rows; k++) {
            const lanes y = *(const lanes *)(const void *)(p + k * pitch + i * (int64_t)sizeof(F));
            marks stay = (marks)HOLDS(w, y);
#if FLOATING
            stay |= (marks)(w != w);
#endif
            w = (lanes)((stay & (marks)w) | (~stay & (marks)y));
            at = (stay & at) | (~stay & (U)(row + k));
        }
        *(lanes *)(v + i) = w;
        *(marks *)(pos + i) = at;
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
    F v[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    U pos[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    const char *p = (const char *)in;
    bool ordered = istep >= 0;
    for (int64_t i = 0; i < n_acc; i++) {
        ordered &= acc[i].at < i0;
        v[i] = acc[i].at < 0 ? in[i] : acc[i].value;
        pos[i] = acc[i].at < 0 ? 0 : -1;
    }
    if (!ordered) {
        for (int64_t j = 0; j < rows; j++, p += pitch)
            for (int64_t i = 0; i < n_acc; i++)
                FN(offer)(&acc[i], ((const F *)(const void *)p)[i], i0 + j * istep);
        return;
    }
    int64_t j = 0;
    for (; j + 4 <= rows; j += 4) FN(take_rows)(p + j * pitch, pitch, 4, (U)j, v, pos, n_acc);
    for (; j < rows; j++) FN(take_rows)(p + j * pitch, pitch, 1, (U)j, v, pos, n_acc);
    for (int64_t i = 0; i < n_acc; i++)
        if (pos[i] >= 0) acc[i] = (A){v[i], i0 + (int64_t)pos[i] * istep};
}

#define POSITIONS
#define TURNED_ROW 63 /* whose position costs more than the turn */
#include "kernels/loops/reduce_walk.h"
#undef TURNED_ROW
#undef POSITIONS

static void FN(init)(void *acc, int64_t n_acc) {
    A *a = acc;
    for (int64_t i = 0; i < n_acc; i++) a[i] = (A){0, -1};
}

static void FN(merge)(void *acc, const void *later, int64_t n_acc) {
    A *a = acc;
    const A *b = later;
    for (int64_t i = 0; i < n_acc; i++)
        if (b[i].at >= 0) FN(offer)(&a[i], b[i].value, b[i].at);
}

static void FN(finish)(char *const out[2], const int64_t out_step[2], const void *acc,
                       int64_t n_acc, const nomen__reduce_param *p) {
    const A *a = acc;
    (void)p;
    for (int64_t i = 0; i < n_acc; i++) {
        if (out[0]) *(OUT *)(void *)(out[0] + i * out_step[0]) = PUT(a[i].value);
        if (out[1]) *(int64_t *)(void *)(out[1] + i * out_step[1]) = a[i].at;
    }
}

static const nomen__reducer FN(reducer) = {.acc_bytes = sizeof(A),
                                           .acc_most = FN(most),
                                           .nonempty = true,
                                           .init = FN(init),
                                           .step = FN(step),
                                           .merge = FN(merge),
                                           .finish = FN(finish)};

#undef A
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
