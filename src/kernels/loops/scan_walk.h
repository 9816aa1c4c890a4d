/* Include-template: how a scan walks its lines: one after the other in blocks, or all side by side,
 * element after element. Before: OP, SFX, T, F, FETCH and WIDEN as in fetch.h, D (result before it
 * is stored), NARROW(const D *, T *, n) or PUT(D) -> T, DIRECT if a D is a T bit by bit, POSITIONS
 * if there are positions, IN_LANES if there is a function that knows a better way for some, FOLDS
 * if the carry of a line must be the same whether results are written or not (out is NULL; their
 * steps say how they would lie), and FN(block)(carry, line, lines, const F *, n, D *, int64_t *at,
 * i0, istep): n elements of one line (SKIPS: it takes NULL for D * where only the carry is asked
 * for), FN(level)(carry, lines, const F *, D *, int64_t *at, i): one element of each line; perhaps
 * EIGHTS if there are FN(state) of eight lines, FN(eights_begin), FN(eights_end) and FN(eights)
 * (see FN(run_eights)), which writes positions only where there are some; BLOCK_INLINE, which is
 * FN(block) in line, or RUN_DENSE(carry, its lines, the first of those that are meant, args) for
 * lines of F into lines of D; both take NULL for the carry. RUN_BESIDE(carry, args) for lines side
 * by side of F into such lines of D, or RUN_STRIPS(carry, x, y, n, lines) for some of them, from x
 * into other memory, or FEW_CHAINS(carry, x, y, n, lines) for two to four of them of 8 bytes.
 * After: FN(run).
 */

#include "kernels/loops/fetch.h"

static inline void FN(put)(const D *y, char *out, int64_t step, int64_t n) {
    const bool whole = step == (int64_t)sizeof(T);
#ifdef NARROW
    T narrow[SCAN_BLOCK] __attribute__((aligned(64)));
    NARROW(y, whole ? (T *)(void *)out : narrow, n);
    for (int64_t i = 0; !whole && i < n; i++) *(T *)(void *)(out + i * step) = narrow[i];
#else
    T *to = (T *)(void *)out;
    if (whole)
        for (int64_t i = 0; i < n; i++) to[i] = PUT(y[i]);
    else
        for (int64_t i = 0; i < n; i++) *(T *)(void *)(out + i * step) = PUT(y[i]);
#endif
}

static inline void FN(deliver)(const nomen__scan_args *a, const D *y, const int64_t *at, char *out,
                               char *places, const int64_t step[2], int64_t n) {
    if (a->out) FN(put)(y, out, step[0], n);
#ifdef POSITIONS
    if (a->at && step[1] == (int64_t)sizeof *at)
        memcpy(places, at, (size_t)n * sizeof *at);
    else
        for (int64_t i = 0; a->at && i < n; i++) *(int64_t *)(void *)(places + i * step[1]) = at[i];
#else
    (void)at, (void)places;
#endif
}

/* Where n results go at first: to the output itself if it is an array of them. */
static inline D *FN(results)(const nomen__scan_args *a, char *out, D *y) {
#ifdef DIRECT
    if (a->out && a->out_step == (int64_t)sizeof(D)) return (D *)(void *)out;
#endif
    (void)a, (void)out;
    return y;
}

static APART void FN(run_lines)(void *carry, const nomen__scan_args *a) {
    F buf[SCAN_BLOCK] __attribute__((aligned(64)));
    D y[SCAN_BLOCK] __attribute__((aligned(64)));
    int64_t at[SCAN_BLOCK] __attribute__((aligned(64)));
    const int64_t step[2] = {a->out_step, a->at_step};
    for (int64_t r = 0; r < a->lines; r++)
        for (int64_t j = 0; j < a->n; j += SCAN_BLOCK) {
            int64_t n = a->n - j < SCAN_BLOCK ? a->n - j : SCAN_BLOCK;
            char *out = moved(a->out, r * a->out_row + j * a->out_step);
            char *places = moved(a->at, r * a->at_row + j * a->at_step);
            D *to = FN(results)(a, out, y);
            int64_t *found = a->at && a->at_step == 8 ? (int64_t *)(void *)places : at;
            const F *x = FN(fetch)(a->in + r * a->in_row + j * a->in_step, a->in_step, n, buf);
#ifdef SKIPS
            D *const wanted = a->out ? to : NULL;
#else
            D *const wanted = to;
#endif
            FN(block)(carry, r, a->lines, x, n, wanted, found, a->index0 + j * a->index_step,
                      a->index_step);
            nomen__scan_args left = *a; /* what is still to be delivered */
            if (to != y) left.out = NULL;
            if (found != at) left.at = NULL;
            FN(deliver)(&left, y, at, out, places, step, n);
        }
}

#ifdef RUN_DENSE
/* Lines of n elements that lie one behind the other, and where they go; NULL: their carry alone is
 * wanted. */
static inline __attribute__((always_inline)) nomen__scan_args FN(dense)(const F *x, D *y, int64_t n,
                                                                        int64_t lines) {
    return (nomen__scan_args){.in = (const char *)x,
                              .out = (char *)y,
                              .n = n,
                              .lines = lines,
                              .in_row = n * (int64_t)sizeof(F),
                              .out_row = n * (int64_t)sizeof(D)};
}
#endif

#ifdef BLOCK_INLINE
/* Lines that lie one behind the other, in the input and where results go: some are fetched and
 * delivered together, which takes as long as one. */
static APART void FN(run_short)(void *carry, const nomen__scan_args *a) {
    F buf[SCAN_BLOCK] __attribute__((aligned(64)));
    D y[SCAN_BLOCK] __attribute__((aligned(64)));
    const int64_t n = a->n, together = SCAN_BLOCK / n;
    for (int64_t r = 0; r < a->lines; r += together) {
        const int64_t lines = a->lines - r < together ? a->lines - r : together;
        char *out = moved(a->out, r * a->out_row);
        D *to = FN(results)(a, out, y);
#ifdef FETCH
        const F *x = FN(fetch)(a->in + r * a->in_row, a->in_step, lines * n, buf);
#else
        const F *x = (const F *)(const void *)(a->in + r * a->in_row);
        if (a->in_row != n * a->in_step) {
            for (int64_t i = 0; i < lines; i++) {
                const F *line = (const F *)(const void *)(a->in + (r + i) * a->in_row);
                for (int64_t k = 0; k < n; k++) buf[i * n + k] = line[k];
            }
            x = buf;
        }
#endif
#ifdef RUN_DENSE
        const nomen__scan_args fetched = FN(dense)(x, a->out ? to : NULL, n, lines);
        RUN_DENSE(carry, a->lines, r, &fetched);
#else
        for (int64_t i = 0; i < lines; i++)
            BLOCK_INLINE(carry, r + i, a->lines, x + i * n, n, to + i * n, NULL, 0, 0);
#endif
        if (a->out && to == y) FN(put)(y, out, a->out_step, lines * n);
    }
}

#if defined(RUN_DENSE) && defined(FETCH)
#define EIGHT_LINES
/* Longer lines, eight at a time, a run of each after the other: that many fill the lanes, where a
 * block has room for less. */
enum { FN(piece) = SCAN_BLOCK / 8, FN(beyond) = SCAN_BLOCK / 8 + 24 };
_Static_assert(FN(piece) % SCAN_RUN == 0, "lines are cut where their runs end");
static APART void FN(run_long)(void *carry, const nomen__scan_args *a) {
    F buf[SCAN_BLOCK] __attribute__((aligned(64)));
    D y[SCAN_BLOCK] __attribute__((aligned(64)));
    const int64_t e = (int64_t)sizeof(T);
    for (int64_t r = 0; r < a->lines; r += 8) {
        const int64_t lines = a->lines - r < 8 ? a->lines - r : 8;
        const char *in = a->in + r * a->in_row;
        char *out = moved(a->out, r * a->out_row);
        for (int64_t j = 0; j < a->n; j += FN(piece)) {
            const int64_t n = a->n - j < FN(piece) ? a->n - j : FN(piece);
            for (int64_t i = 0; i < lines; i++)
                FN(fetch)(in + i * a->in_row + j * e, e, n, buf + i * n);
            const nomen__scan_args fetched = FN(dense)(buf, out ? y : NULL, n, lines);
            if (lines >= 4) RUN_DENSE(carry, a->lines, r, &fetched);
            for (int64_t i = 0; lines < 4 && i < lines; i++)
                FN(block)(carry, r + i, a->lines, buf + i * n, n, y + i * n, NULL, 0, 0);
            for (int64_t i = 0; out && i < lines; i++)
                FN(put)(y + i * n, out + i * a->out_row + j * e, e, n);
        }
    }
}

static bool FN(is_long)(const nomen__scan_args *a) {
    const int64_t bytes = (int64_t)sizeof(T);
    return a->n > FN(beyond) && a->lines >= 8 && a->in_step == bytes && a->out_step == bytes;
}
#endif

static bool FN(is_short)(const nomen__scan_args *a) {
    const int64_t bytes = (int64_t)sizeof(T);
    if (a->n < 1 || a->n > SCAN_BLOCK / 2 || a->in_step != bytes || a->out_step != bytes)
        return false;
#ifdef FETCH
    if (a->in_row != a->n * bytes) return false;
#else
    if (a->in_row != a->n * bytes && (a->n > SHORT_ROW || a->n < SHORT_ROW / 2)) return false;
#endif
    return a->out_row == a->n * bytes;
}
#endif

#if defined(FOLDS) && !defined(FEW_CHAINS)
/* A few lines of elements of 8 bytes side by side, and nothing else between them: a piece of them
 * after the other is turned over on the way in, and out, which takes a load and a store of an
 * element together with its neighbours. */
static inline __attribute__((always_inline)) void FN(part_few)(const F *from, F *to, int64_t n,
                                                               const int64_t lines) {
    for (int64_t j = 0; j < n; j++)
#pragma GCC unroll 4
        for (int64_t r = 0; r < lines; r++) to[r * FEW_BLOCK + j] = from[j * lines + r];
}
static inline __attribute__((always_inline)) void FN(join_few)(const D *from, D *to, int64_t n,
                                                               const int64_t lines) {
    for (int64_t j = 0; j < n; j++)
#pragma GCC unroll 4
        for (int64_t r = 0; r < lines; r++) to[j * lines + r] = from[r * FEW_BLOCK + j];
}
static APART void FN(run_few)(void *carry, const nomen__scan_args *a) {
    F buf[FEW_LINES * FEW_BLOCK] __attribute__((aligned(64)));
    D y[FEW_LINES * FEW_BLOCK] __attribute__((aligned(64)));
    const int64_t lines = a->lines;
    for (int64_t j = 0; j < a->n; j += FEW_BLOCK) {
        const int64_t n = a->n - j < FEW_BLOCK ? a->n - j : FEW_BLOCK;
        const F *from = (const F *)(const void *)(a->in + j * a->in_step);
        D *to = (D *)(void *)moved(a->out, j * a->out_step);
        if (lines == 4)
            FN(part_few)(from, buf, n, 4);
        else if (lines == 3)
            FN(part_few)(from, buf, n, 3);
        else
            FN(part_few)(from, buf, n, 2);
        for (int64_t r = 0; r < lines; r++)
            FN(block)(carry, r, lines, buf + r * FEW_BLOCK, n, y + r * FEW_BLOCK, NULL, 0, 0);
        if (!to) continue;
        if (lines == 4)
            FN(join_few)(y, to, n, 4);
        else if (lines == 3)
            FN(join_few)(y, to, n, 3);
        else
            FN(join_few)(y, to, n, 2);
    }
}

#endif

#ifdef FOLDS
static bool FN(is_few)(const nomen__scan_args *a) {
    const int64_t step = a->lines * 8;
    return sizeof(T) == 8 && sizeof(F) == 8 && sizeof(D) == 8 && a->lines > 1 &&
           a->lines <= FEW_LINES && a->n > FEW_BLOCK && a->in_row == 8 && a->out_row == 8 &&
           a->in_step == step && a->out_step == step;
}
#endif

static APART void FN(run_levels)(void *carry, const nomen__scan_args *a) {
    F buf[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    D y[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    int64_t at[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    const int64_t step[2] = {a->out_row, a->at_row};
    for (int64_t j = 0; j < a->n; j++) {
        const F *x = FN(fetch)(a->in + j * a->in_step, a->in_row, a->lines, buf);
        FN(level)(carry, a->lines, x, y, at, a->index0 + j * a->index_step);
        FN(deliver)(a, y, at, moved(a->out, j * a->out_step), moved(a->at, j * a->at_step), step,
                    a->lines);
    }
}

#ifdef FOLDS
/* Lines side by side, and elements of them without gaps: some levels are fetched and delivered
 * together. */
static APART void FN(run_block)(void *carry, const nomen__scan_args *a) {
    F buf[SCAN_BLOCK] __attribute__((aligned(64)));
    D y[SCAN_BLOCK] __attribute__((aligned(64)));
    const int64_t lines = a->lines, together = SCAN_BLOCK / lines;
    for (int64_t j = 0; j < a->n; j += together) {
        const int64_t n = a->n - j < together ? a->n - j : together;
        char *out = moved(a->out, j * a->out_step);
#ifdef DIRECT
        D *to = out ? (D *)(void *)out : y;
#else
        D *to = y;
#endif
        const F *x = FN(fetch)(a->in + j * a->in_step, a->in_row, n * lines, buf);
#ifdef RUN_BESIDE
        const nomen__scan_args fetched = {.in = (const char *)x,
                                          .out = a->out ? (char *)to : NULL,
                                          .n = n,
                                          .lines = lines,
                                          .in_step = lines * (int64_t)sizeof(F),
                                          .out_step = lines * (int64_t)sizeof(D)};
        RUN_BESIDE(carry, &fetched);
#else
#ifdef RUN_STRIPS
        const bool strips = lines <= STRIP_LINES && (const char *)x != (const char *)to;
        if (strips) RUN_STRIPS(carry, x, to, n, lines);
#else
        const bool strips = false;
#endif
        for (int64_t i = 0; !strips && i < n; i++)
            FN(level)(carry, lines, x + i * lines, to + i * lines, NULL, 0);
#endif
        if (a->out && to == y) FN(put)(y, out, a->out_row, n * lines);
    }
}

static bool FN(is_block)(const nomen__scan_args *a) {
    const int64_t bytes = (int64_t)sizeof(T), step = a->lines * bytes;
    return a->lines >= 8 && a->n > 1 && a->in_row == bytes && a->out_row == bytes &&
           a->in_step == step && a->out_step == step;
}
#endif

#ifdef EIGHTS
/* Groups of a few lines: a vector of eight goes on in what is behind these, which is made again
 * when its turn comes. What would go on behind the last group is made apart. */
static APART void FN(run_eights)(void *carry, const nomen__scan_args *a) {
    F buf[SCAN_BLOCK + 8] __attribute__((aligned(64)));
    D y[SCAN_BLOCK + 8] __attribute__((aligned(64)));
#ifdef POSITIONS
    int64_t at[SCAN_BLOCK + 8] __attribute__((aligned(64)));
#endif
    const int64_t lines = a->lines, levels = a->groups * a->n, most = SCAN_BLOCK / lines;
    const int64_t safe = levels - 7 / lines;
    int64_t left = a->n; /* of this group */
    FN(state) state;
    FN(eights_begin)(&state, carry, lines);
    for (int64_t j = 0, count; j < levels; j += count) {
        const bool last = j >= safe;
        count = (last ? levels : safe) - j;
        if (count > most) count = most;
        const int64_t n = count * lines;
        char *out = moved(a->out, j * a->out_step);
        const F *x = FN(fetch)(a->in + j * a->in_step, sizeof(T), n, buf);
        if (last && x != buf) {
            for (int64_t i = 0; i < n; i++) buf[i] = x[i];
            x = buf;
        }
        D *to = y;
#ifdef DIRECT
        if (out && !last && a->in != a->out) to = (D *)(void *)out;
#endif
#ifdef POSITIONS
        char *places = moved(a->at, j * a->at_step);
        int64_t *found = places && !last ? (int64_t *)(void *)places : at;
#endif
        for (int64_t k = 0, run; k < count; k += run) {
            run = count - k < left ? count - k : left;
#ifdef POSITIONS
            FN(eights)
            (&state, x + k * lines, to + k * lines, found + k * lines, run, lines,
             a->index0 + a->n - left);
#else
            FN(eights)(&state, x + k * lines, to + k * lines, run, lines);
#endif
            left -= run;
            if (left) break;
            if (carry && j + k + run == levels) FN(eights_end)(&state, carry, lines);
            FN(eights_begin)(&state, NULL, lines);
            left = a->n;
        }
        if (out && to == y) FN(put)(y, out, sizeof(T), n);
#ifdef POSITIONS
        for (int64_t i = 0; places && found == at && i < n; i++)
            ((int64_t *)(void *)places)[i] = at[i];
#endif
    }
}
#endif

#ifdef POSITIONS
/* Some lines side by side in blocks without gaps: eight at a time go down a piece of them,
 * and the last eight begin among those before, which become the same again. */
enum { FN(beside_lines) = 63 };
static APART void FN(run_beside)(void *carry, const nomen__scan_args *a) {
    F buf[SCAN_BLOCK] __attribute__((aligned(64)));
    D y[SCAN_BLOCK] __attribute__((aligned(64)));
    const int64_t lines = a->lines, most = SCAN_BLOCK / lines;
    FN(state) state[FN(beside_lines) / 8 + 1];
    for (int64_t r = 0; r < lines; r += 8)
        FN(eights_take)(&state[r / 8], carry, lines, r < lines - 8 ? r : lines - 8, 8);
    for (int64_t j = 0, n; j < a->n; j += n) {
        n = a->n - j < most ? a->n - j : most;
        char *out = a->out + j * a->out_step;
        int64_t *at = (int64_t *)(void *)(a->at + j * a->at_step);
        const F *x = FN(fetch)(a->in + j * a->in_step, sizeof(T), n * lines, buf);
        D *to = y;
#ifdef DIRECT
        if (a->in != a->out) to = (D *)(void *)out;
#endif
        for (int64_t r = 0; r < lines; r += 8) {
            const int64_t first = r < lines - 8 ? r : lines - 8;
            FN(eights)
            (&state[r / 8], x + first, to + first, at + first, n, lines, a->index0 + j);
        }
        if (to == y) FN(put)(y, out, sizeof(T), n * lines);
    }
    for (int64_t r = 0; r < lines; r += 8)
        FN(eights_give)(&state[r / 8], carry, lines, r < lines - 8 ? r : lines - 8, 8);
}

static bool FN(is_beside)(const nomen__scan_args *a) {
    const int64_t bytes = (int64_t)sizeof(T), step = a->lines * bytes;
    return a->out && a->at && a->lines >= 8 && a->lines <= FN(beside_lines) && a->in_row == bytes &&
           a->out_row == bytes && a->at_row == 8 && a->in_step == step && a->out_step == step &&
           a->at_step == 8 * a->lines && a->index_step == 1;
}
#endif

/* Elements of 4 bytes whose lines have no gaps, in the input or the output: turned over on the way
 * in or out, so that levels are dense. */
static APART void FN(run_turned)(void *carry, const nomen__scan_args *a) {
    T in[SHORT_ROW * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    T out[SHORT_ROW * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    F buf[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    D y[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
#ifdef POSITIONS
    int64_t at[SHORT_ROW * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
#endif
    const bool turns_in = a->in_step == 4, turns_out = a->out && a->out_step == 4;
    for (int64_t first = 0; first < a->n; first += SHORT_ROW) {
        const int64_t n = a->n - first < SHORT_ROW ? a->n - first : SHORT_ROW, fours = n / 4 * 4;
        const char *from = a->in + first * a->in_step;
        char *to = moved(a->out, first * a->out_step);
        for (int64_t r = 0; turns_in && r < a->lines; r += TURN_LINES)
            for (int64_t j = 0; j < fours; j += 4)
                turn_4(from + 4 * j + r * a->in_row, a->in_row, scan_few(a->lines - r),
                       in + j * NOMEN__ACC_BLOCK + r);
        for (int64_t j = 0; j < n; j++) {
            const bool turned_in = turns_in && j < fours, turned_out = turns_out && j < fours;
            const char *level =
                turned_in ? (const char *)(in + j * NOMEN__ACC_BLOCK) : from + j * a->in_step;
            char *made =
                turned_out ? (char *)(out + j * NOMEN__ACC_BLOCK) : moved(to, j * a->out_step);
            const F *x =
                FN(fetch)(level, turned_in ? (int64_t)sizeof(T) : a->in_row, a->lines, buf);
#ifdef POSITIONS
            FN(level)(carry, a->lines, x, y, at + j * NOMEN__ACC_BLOCK,
                      a->index0 + (first + j) * a->index_step);
#else
            FN(level)(carry, a->lines, x, y, NULL, 0);
#endif
            if (a->out) FN(put)(y, made, turned_out ? (int64_t)sizeof(T) : a->out_row, a->lines);
        }
        for (int64_t r = 0; turns_out && r < a->lines; r += TURN_LINES)
            for (int64_t j = 0; j < fours; j += 4)
                turn_4_back(out + j * NOMEN__ACC_BLOCK + r, scan_few(a->lines - r),
                            to + 4 * j + r * a->out_row, a->out_row);
#ifdef POSITIONS
        for (int64_t r = 0; a->at && r < a->lines; r += TURN_LINES)
            for (int64_t j = 0; j < n; j += 2)
                turn_2_back(at + j * NOMEN__ACC_BLOCK + r, scan_few(a->lines - r), n - j,
                            a->at + (first + j) * 8 + r * a->at_row, a->at_row);
#endif
    }
}

/* Do the steps of results count? */
#ifdef FOLDS
#define CERTAIN(a) ((void)(a), true)
#else
#define CERTAIN(a) ((a)->out != NULL)
#endif

/* Long lines without gaps on both sides are better run through one by one: later where positions
 * are found, too. */
#ifdef POSITIONS
#define LONGEST 48
#else
#define LONGEST SHORT_ROW
#endif
static bool FN(can_turn)(const nomen__scan_args *a) {
    if (sizeof(T) != 4 || !CERTAIN(a) || a->lines < 8) return false;
#ifdef POSITIONS
    if (a->at && a->at_step != 8) return false;
#endif
    if (a->in_step == 4 && a->out_step == 4)
        return a->n <= LONGEST && (a->n > SHORT_ROW || a->n % 4 == 0);
    return (a->in_step == 4 && a->out_row == 4) || (a->in_row == 4 && a->out_step == 4);
}
#undef LONGEST

static void FN(run)(void *carry, const nomen__scan_args *a) {
    /* Lines are walked the way that suits the stores, if there are any. */
    int64_t row = CERTAIN(a) ? a->out_row : a->in_row, step = CERTAIN(a) ? a->out_step : a->in_step;
    int64_t across = row < 0 ? -row : row, along = step < 0 ? -step : step;
#ifdef IN_LANES
    if (IN_LANES(carry, a)) return;
#endif
#ifdef EIGHTS
    if (a->groups) {
        FN(run_eights)(carry, a);
        return;
    }
#endif
#ifdef EIGHT_LINES
    if (FN(is_long)(a)) {
        FN(run_long)(carry, a);
        return;
    }
#endif
#ifdef BLOCK_INLINE
    if (FN(is_short)(a)) {
        FN(run_short)(carry, a);
        return;
    }
#endif
#ifdef FOLDS
    if (FN(is_few)(a)) {
#ifdef FEW_CHAINS
        FEW_CHAINS(carry, (const F *)(const void *)a->in, (D *)(void *)a->out, a->n, a->lines);
#else
        FN(run_few)(carry, a);
#endif
        return;
    }
    if (FN(is_block)(a)) {
        FN(run_block)(carry, a);
        return;
    }
#endif
#ifdef POSITIONS
    if (FN(is_beside)(a)) {
        FN(run_beside)(carry, a);
        return;
    }
#endif
    if (FN(can_turn)(a)) {
        FN(run_turned)(carry, a);
        return;
    }
    if (a->lines >= 8 && (across < along || a->n <= 16))
        FN(run_levels)(carry, a);
    else
        FN(run_lines)(carry, a);
}

#undef CERTAIN
