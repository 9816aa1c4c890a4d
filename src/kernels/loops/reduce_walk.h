/* Include-template: how a reducer's step walks its rectangle. It sees whole rows (one accumulator,
 * many elements) or whole columns (many accumulators, a few elements each), both of unit step;
 * strides and half types end here. Before: SFX, T (stored type), F (fetched type: T, or float for
 * half types), FETCH(from T to F; unset: T is F), A (accumulator), WIDE if FN(cols) takes up to
 * NOMEN__ACC_WIDE accumulators, DIRECT_ROWS if there is FN(row_direct) and DIRECT_COLS if there is
 * FN(cols_direct), which fetch what they need by themselves, DECIDED(A *) if no more elements can
 * change one, POSITIONS if the position of an element matters, TURNED_MOST (the longest rows that
 * are taken as columns; unset: SHORT_ROW), ROW_MOST (the longest row as it lies that FN(row) or
 * FN(row_direct) gets in one piece; unset: ROW_BLOCK), ACC_AT(acc, n_acc, i) if an accumulator is
 * not acc + i, SHORT_ROWS if there is FN(short_rows) as in reduce_short.h, STEP_TURNED(A *, step)
 * if there is a better way for short rows, and whether it was one, FOLD_APART(const char *, step,
 * n) -> D of APART_LEAST elements and more if a row with gaps need not be copied, and the functions
 * FN(row)(accumulator, const F *, n, i0, istep) and FN(cols)(A *, n_acc, const F *, pitch in bytes,
 * rows, i0, istep). After: FN(step), which uses FN(init) and FN(merge). */

#include "kernels/loops/fetch.h"

#ifndef ROW_MOST
#define ROW_MOST ROW_BLOCK
#endif

#ifndef ACC_AT
#define ACC_AT(acc, n_acc, i) ((acc) + (i))
#define ACC_WHOLE
#endif

#ifdef WIDE
enum { FN(most) = NOMEN__ACC_WIDE };
#else
enum { FN(most) = NOMEN__ACC_BLOCK };
#endif

#ifdef DIRECT_COLS
enum { FN(narrow) = true };
#else
enum { FN(narrow) = false };
#endif

static APART void FN(step_rows)(A *acc, const nomen__reduce_step *s) {
#ifdef DIRECT_ROWS
    if (s->red_step == (int64_t)sizeof(T)) {
        for (int64_t i = 0; i < s->n_acc; i++) {
            const T *in = (const T *)(const void *)(s->in + i * s->acc_step);
            for (int64_t j = 0; j < s->n_red; j += ROW_MOST)
                FN(row_direct)(acc + i, in + j, s->n_red - j < ROW_MOST ? s->n_red - j : ROW_MOST);
        }
        return;
    }
#elif !defined FETCH
    if (s->red_step == (int64_t)sizeof(T) && s->n_red > 0 && s->n_red <= ROW_MOST) {
        for (int64_t i = 0; i < s->n_acc; i++) { /* as they lie, each in one piece */
            const char *in = s->in + i * s->acc_step;
#ifdef DECIDED
            if (DECIDED(&acc[i])) continue;
#endif
            FN(row)
            (ACC_AT(acc, s->n_acc, i), (const F *)(const void *)in, s->n_red, s->index0,
             s->index_step);
        }
        return;
    }
#endif
    F buf[ROW_BLOCK] __attribute__((aligned(64)));
    for (int64_t i = 0; i < s->n_acc; i++) {
        const char *in = s->in + i * s->acc_step;
        for (int64_t j = 0; j < s->n_red; j += ROW_BLOCK) {
#ifdef DECIDED
            if (DECIDED(&acc[i])) break;
#endif
            int64_t n = s->n_red - j < ROW_BLOCK ? s->n_red - j : ROW_BLOCK;
#ifdef FOLD_APART
            if (s->red_step != (int64_t)sizeof(T) && n >= APART_LEAST) {
                TAKE(acc + i, FOLD_APART(in + j * s->red_step, s->red_step, n));
                continue;
            }
#endif
            const F *x = FN(fetch)(in + j * s->red_step, s->red_step, n, buf);
            FN(row)
            (ACC_AT(acc, s->n_acc, i), x, n, s->index0 + j * s->index_step, s->index_step);
        }
    }
}

/* Rows of columns after which is looked whether more are needed. */
#ifdef DECIDED
enum { FN(first_rows) = 16 };
static inline bool FN(all_decided)(const A *acc, int64_t n) {
    int64_t open = 0;
    for (int64_t i = 0; i < n; i++) open += !DECIDED(&acc[i]);
    return open == 0;
}
#else
enum { FN(first_rows) = COL_BLOCK };
#endif

/* Rows whose elements lie on the same steps are gathered at once, with those between them. */
static inline bool FN(gathered_as_one)(const nomen__reduce_step *s) {
    const int64_t step = s->acc_step;
    return step > (int64_t)sizeof(T) && step <= NEAR_STEP &&
           is_one_run(step, s->n_acc, s->red_step) && s->red_step <= NOMEN__ACC_BLOCK / 2 * step;
}

static APART void FN(step_cols)(A *acc, const nomen__reduce_step *s) {
    F buf[COL_ROWS * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
#ifdef DIRECT_COLS
    if (s->acc_step == (int64_t)sizeof(T)) {
        for (int64_t j = 0; j < s->n_red; j += COL_BLOCK) {
            const int64_t left = s->n_red - j, rows = left < COL_BLOCK ? left : COL_BLOCK;
            FN(cols_direct)
            (acc, s->n_acc, s->in + j * s->red_step, s->red_step, rows,
             s->behind + (left - rows) * s->red_step);
        }
        return;
    }
#endif
#ifndef FETCH
    if (s->acc_step == (int64_t)sizeof(T)) {
        int64_t most = FN(first_rows);
        for (int64_t j = 0, rows; j < s->n_red; j += rows, most = COL_BLOCK) {
            rows = s->n_red - j < most ? s->n_red - j : most;
            FN(cols)(acc, s->n_acc, (const F *)(const void *)(s->in + j * s->red_step), s->red_step,
                     rows, s->index0 + j * s->index_step, s->index_step);
#ifdef DECIDED
            if (FN(all_decided)(acc, s->n_acc)) return;
#endif
        }
        return;
    }
#endif
#ifdef ACC_WHOLE
    const int64_t together = gathered_together(s->acc_step);
    if (s->n_acc > together) {
        nomen__reduce_step piece = *s;
        piece.n_acc = together;
        for (int64_t i = 0; i < s->n_acc; i += together) {
            if (piece.n_acc > s->n_acc - i) piece.n_acc = s->n_acc - i;
            FN(step_cols)(acc + i, &piece);
            piece.in += piece.n_acc * s->acc_step;
        }
        return;
    }
#endif
    int64_t apart = NOMEN__ACC_BLOCK;
    const bool as_one = FN(gathered_as_one)(s);
    if (as_one) apart = s->red_step / s->acc_step;
#ifdef POSITIONS /* nothing is rounded: rows of few elements lie closer, and more come at a time   \
                  */
    if (!as_one && s->red_step != (int64_t)sizeof(T)) apart = (s->n_acc + 15) / 16 * 16;
#endif
    const int64_t fit = COL_ROWS * NOMEN__ACC_BLOCK / apart,
                  most = fit < COL_BLOCK ? fit : COL_BLOCK;
    for (int64_t j = 0, rows; j < s->n_red; j += rows) {
        rows = s->n_red - j < most ? s->n_red - j : most;
        const char *in = s->in + j * s->red_step;
        int64_t r = 0;
        if (as_one) {
            (void)FN(fetch)(in, s->acc_step, (rows - 1) * apart + s->n_acc, buf);
            r = rows;
        }
#ifndef FETCH
        if (sizeof(T) == 1 && s->red_step == 1)
            for (; r + 8 <= rows; r += 8)
                turn_8_1(in + r, s->acc_step, s->n_acc, buf + r * NOMEN__ACC_BLOCK);
        if (sizeof(T) == 2 && s->red_step == 2)
            for (; r + 8 <= rows; r += 8)
                turn_8_2(in + 2 * r, s->acc_step, s->n_acc, buf + r * NOMEN__ACC_BLOCK);
        if (sizeof(T) == 4 && s->red_step == 4)
            for (; r + 4 <= rows; r += 4)
                turn_4(in + 4 * r, s->acc_step, s->n_acc, buf + r * NOMEN__ACC_BLOCK);
        if (sizeof(T) == 8 && s->red_step == 8)
            for (; r + 2 <= rows; r += 2)
                turn_2(in + 8 * r, s->acc_step, s->n_acc, buf + r * NOMEN__ACC_BLOCK);
#else
        if (rows == s->n_red && s->red_step == (int64_t)sizeof(T) &&
            s->acc_step == rows * (int64_t)sizeof(T)) { /* all of it is one run of elements */
            F wide[COL_ROWS * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
            WIDEN((const T *)(const void *)in, wide, s->n_acc * rows);
            for (; r + 4 <= rows; r += 4)
                turn_4((const char *)(wide + r), rows * (int64_t)sizeof(F), s->n_acc,
                       buf + r * NOMEN__ACC_BLOCK);
        }
#endif
        for (; r < rows; r++) {
            F *to = buf + r * apart;
            const F *x = FN(fetch)(in + r * s->red_step, s->acc_step, s->n_acc, to);
            if (x != to) memcpy(to, x, (size_t)s->n_acc * sizeof(F));
        }
        FN(cols)(acc, s->n_acc, buf, apart * (int64_t)sizeof(F), rows,
                 s->index0 + j * s->index_step, s->index_step);
#ifdef DECIDED
        if (FN(all_decided)(acc, s->n_acc)) return;
#endif
    }
}

#ifndef POSITIONS
static void FN(init)(void *acc, int64_t n_acc);
static void FN(merge)(void *acc, const void *later, int64_t n_acc);

/* Few accumulators beside each other, and no gaps between rows: are there enough of these? */
static inline bool FN(folds)(const nomen__reduce_step *s) {
    const int64_t n = s->n_acc, all = n * s->n_red, item = sizeof(T);
    if (n <= 1 || n > 16 || s->red_step != n * s->acc_step) return false;
    if (s->acc_step == item)
        return all >= FOLDED_WIDE || (FN(narrow) && item < 8 && n <= FOLDED_COLUMNS &&
                                      s->n_red >= (n <= 3 ? FOLDED_ROWS / 2 : FOLDED_ROWS));
#ifdef DECIDED
    return false;
#else
    return n >= 8 && all >= FOLDED_WIDE && s->acc_step > 0 && s->acc_step <= NEAR_STEP;
#endif
}

/* Several rows together are one row of more accumulators, halves of which are joined at the end. */
static void FN(step_folded)(A *acc, const nomen__reduce_step *s) {
    A wide[NOMEN__ACC_BLOCK];
    const int64_t all = s->n_acc * s->n_red, most = all >= FOLDED_WIDE ? NOMEN__ACC_BLOCK : FOLDED;
    int64_t times = most / s->n_acc, done = s->n_red / times * times;
    nomen__reduce_step folded = *s, rest = *s;
    folded.n_acc = s->n_acc * times;
    folded.n_red = s->n_red / times;
    folded.red_step = s->red_step * times;
    FN(init)(wide, folded.n_acc);
    FN(step_cols)(wide, &folded);
    for (int64_t n = times; n > 1; n -= n / 2)
        FN(merge)(wide, wide + (n - n / 2) * s->n_acc, n / 2 * s->n_acc);
    FN(merge)(acc, wide, s->n_acc);
    rest.in += done * s->red_step;
    rest.n_red -= done;
    if (rest.n_red > 0) FN(step_rows)(acc, &rest);
}
#endif

/* What is broadcast has no order in memory: the other dim is walked first. */
static inline int64_t FN(span)(int64_t step) { return step < 0 ? -step : step ? step : INT64_MAX; }

#ifdef WIDE_STEP
static void WIDE_STEP(void *acc, const nomen__reduce_step *s);

/* Rows that are widened some at a time: one that is not fetched by itself, and is taken as soon as
 * it is wide, waits for stores. Far from each other they take a call each, which sums do not gain
 * from. */
#ifdef DIRECT_ROWS
enum { FN(widened_most) = WIDENED_MOST };
#else
enum { FN(widened_most) = WIDENED_LONG };
#endif
#if defined DIRECT_ROWS && !defined BETTER
enum { FN(widened_far) = false };
#else
enum { FN(widened_far) = true };
#endif
static inline bool FN(widens)(const nomen__reduce_step *s) {
    const int64_t n = s->n_red, along = s->red_step, across = s->acc_step;
    if (s->n_acc <= 1 || n <= 1 || n > FN(widened_most) || along != (int64_t)sizeof(T))
        return false;
    if (across == n * along) return true;
    if (n < WIDENED_LEAST || n > WIDENED_APART || across < n * along) return false;
    return is_one_run(along, n, across) || (FN(widened_far) && n >= 2 * WIDENED_LEAST);
}

/* Short rows of half types: what float32 does. Rows that are near each other are widened with what
 * lies between them. */
static APART void FN(step_widened)(A *acc, const nomen__reduce_step *s) {
    F wide[COL_ROWS * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    enum { TOGETHER = 16 }; /* rows that the widest vectors take at once */
    const bool as_one = is_one_run(s->red_step, s->n_red, s->acc_step);
    const int64_t row = as_one ? s->acc_step / s->red_step : s->n_red;
    int64_t most = COL_ROWS * NOMEN__ACC_BLOCK / row;
    if (most > TOGETHER) most -= most % TOGETHER;
    for (int64_t i = 0; i < s->n_acc; i += most) {
        nomen__reduce_step some = *s;
        const char *const in = s->in + i * s->acc_step;
        some.in = (const char *)wide;
        some.n_acc = s->n_acc - i < most ? s->n_acc - i : most;
        some.acc_step = row * (int64_t)sizeof(F);
        some.red_step = sizeof(F);
        if (as_one)
            WIDEN((const T *)(const void *)in, wide, (some.n_acc - 1) * row + s->n_red);
        else
            for (int64_t r = 0; r < some.n_acc; r++)
                WIDEN((const T *)(const void *)(in + r * s->acc_step), wide + r * row, row);
        WIDE_STEP(acc + i, &some);
    }
}
#endif

#ifdef SHORT_ROWS
/* What is left by FN(short_rows) are columns. */
static void FN(step_squares)(A *acc, const nomen__reduce_step *s) {
    const int64_t done = FN(short_rows)(acc, s);
    if (done == s->n_acc) return;
    nomen__reduce_step left = *s;
    left.in += done * left.acc_step;
    left.n_acc -= done;
    FN(step_cols)(acc + done, &left);
}

/* Rows of more than COL_ROWS elements in parts, as columns join them; so many rows at a time that
 * they stay near. Of smaller elements more are turned over at a time than a vector has lanes. */
static APART void FN(step_short)(A *acc, const nomen__reduce_step *s) {
    enum { ROWS = 64 };
    if (sizeof(T) < 8 || s->n_red <= COL_ROWS || s->n_red == SHORT_ROW) {
        FN(step_squares)(acc, s);
        return;
    }
    nomen__reduce_step first = *s;
    for (int64_t i = 0; i < s->n_acc; i += ROWS, first.in += ROWS * s->acc_step) {
        first.n_acc = s->n_acc - i < ROWS ? s->n_acc - i : ROWS;
        first.n_red = COL_ROWS;
        nomen__reduce_step rest = first;
        rest.in += COL_ROWS * s->red_step;
        rest.n_red = s->n_red - COL_ROWS;
        FN(step_squares)(acc + i, &first);
        FN(step_squares)(acc + i, &rest);
    }
}
#endif

#if defined WIDE && !defined DECIDED
#define PACKED
static void FN(step)(void *acc, const nomen__reduce_step *s);

/* Are rows of elements a few places apart one run, and do they gain from being packed? Short ones
 * do by shuffles, very short ones do not. */
static inline bool FN(packs)(const nomen__reduce_step *s) {
    enum { LEAST = 8, SHUFFLED = 24 }; /* elements; bytes from one to the next */
    const int64_t n = s->n_red, along = s->red_step;
    if (s->n_acc < 8 || n < LEAST || n > PACKED_MOST) return false;
    if (along <= (int64_t)sizeof(T) || along > (n <= SHORT_ROW ? SHUFFLED : NEAR_STEP))
        return false;
    return is_one_run(along, n, s->acc_step);
}

/* They are packed, and taken as they lie then. */
static APART void FN(step_packed)(A *acc, const nomen__reduce_step *s) {
    enum { MOST = 16384 / sizeof(T) };
    T packed[MOST] __attribute__((aligned(64)));
    const int64_t row = s->acc_step / s->red_step;
    nomen__reduce_step some = *s;
    some.in = (const char *)packed;
    some.acc_step = row * (int64_t)sizeof(T);
    some.red_step = sizeof(T);
    for (int64_t i = 0; i < s->n_acc; i += some.n_acc) {
        some.n_acc = s->n_acc - i < MOST / row ? s->n_acc - i : MOST / row;
        loop_take(packed, s->in + i * s->acc_step, s->red_step, (some.n_acc - 1) * row + s->n_red,
                  sizeof(T));
        FN(step)(acc + i, &some);
    }
}
#endif

static void FN(step)(void *acc, const nomen__reduce_step *s) {
    int64_t across = FN(span)(s->acc_step), along = FN(span)(s->red_step);
    /* Short rows gain from being turned into columns; few accumulators leave the columns' vectors
     * empty. */
#ifndef TURNED_MOST
#define TURNED_MOST SHORT_ROW
#define SHORT_ROWS_ARE_TURNED
#endif
    const bool windows = across == along; /* that overlap: neighbours in rows are so in columns */
    const int64_t most = s->n_acc < TURNED_LEAST ? SHORT_ROW : TURNED_MOST;
    bool cols = s->n_acc >= 8 && (across < along || windows || s->n_red <= most);
    /* Elements a few places apart are gathered from many accumulators at a time, as no vector takes
     * those of one. */
    cols |=
        s->n_acc >= 8 && along > (int64_t)sizeof(T) && along <= NEAR_STEP && s->n_red < NEAR_MOST;
#ifdef DIRECT_COLS /* of few accumulators one vector goes on in the next row */
    cols |= s->n_acc > 1 && s->n_red >= NARROW_LEAST && s->acc_step == (int64_t)sizeof(T) &&
            s->red_step >= s->n_acc * (int64_t)sizeof(T);
#endif
#ifndef POSITIONS
    if (FN(folds)(s)) {
        FN(step_folded)(acc, s);
        return;
    }
#endif
#ifdef PACKED
    if (FN(packs)(s)) {
        FN(step_packed)(acc, s);
        return;
    }
#endif
#ifdef WIDE_STEP
    if (FN(widens)(s)) {
        FN(step_widened)(acc, s);
        return;
    }
#endif
#ifdef SHORT_ROWS
    if (cols && !windows && s->red_step == (int64_t)sizeof(T) && s->n_red <= SHORT_ROW) {
        FN(step_short)(acc, s);
        return;
    }
#endif
#ifdef ROWS_AT_ONCE
    if (s->red_step == (int64_t)sizeof(T) && s->n_red >= ROWS_AT_ONCE && s->n_red < LONG_ROW &&
        across > along) {
        nomen__reduce_step rest = *s;
        const int64_t done = FN(rows_at_once)(acc, s);
        rest.in += done * s->acc_step;
        rest.n_acc -= done;
        FN(step_rows)((A *)acc + done, &rest);
        return;
    }
#endif
#ifdef STEP_TURNED
    if (across > along && STEP_TURNED(acc, s)) return;
#endif
    if (cols)
        FN(step_cols)(acc, s);
    else
        FN(step_rows)(acc, s);
}

#undef WIDE_STEP
#undef ROW_MOST
#undef FOLD_APART
#undef APART_LEAST
#undef ACC_AT
#undef ACC_WHOLE
#undef PACKED
#ifdef SHORT_ROWS_ARE_TURNED
#undef SHORT_ROWS_ARE_TURNED
#undef TURNED_MOST
#endif
