/* Include-template: a scan that joins elements by an associative operation (cumsum, cumprod). The
 * order of the operations is the same in every ISA. Before: OP, SFX, T, F, FETCH and WIDEN as in
 * fetch.h, D (of the results before they are stored, as in scan_walk.h; also NARROW or PUT and
 * DIRECT), LD(F) -> working type, JOIN of two and ID, the neutral one, A (carry), A_ZERO, TAKE(A *,
 * working type), GET(A base, A own) -> working type, MADE(working type) -> D if these differ, SUMS
 * or PRODUCTS if scan_eights.h has a function for it (COPIES: which wants D), CHAINS (may parts of
 * a line be joined by themselves?), MEET(A *, const A *) if so, LANES_RUN(args, owns, bases) if
 * lines of F into lines of D, eight and more of them, are joined several at a time (scan_lanes.h),
 * or EIGHTS, GET for vectors of A, if those can be joined (IN_RUNS: vectors of double, and A is
 * sum2; NUMBERS: up to four lines take less time as numbers),
 * or LINES_RUN(args, bytes of T, owns,
 * bases), which says whether it has joined lines of T (scan_pairs.h), LEVELS_RUN(args, owns,
 * bases) if they are side by side, and SEQUENTIAL for float: sums of one line are joined in blocks
 * of parts; OF_ONE as in reduce_finish.h. After: FN(scanner); T, F, D, FETCH, WIDEN, LD, MADE,
 * NARROW, PUT, DIRECT, LANES_RUN and SEQUENTIAL are undefined.
 *
 * The carry of a line is two numbers: what all parts before this one came to, and what this part
 * has so far. */

#ifndef MADE
#define MADE(x) (x)
#endif

static inline A *FN(bases)(void *carry) { return carry; }
static inline A *FN(owns)(void *carry, int64_t lines) { return (A *)carry + lines; }

static inline __attribute__((always_inline)) void FN(block_inline)(void *carry, int64_t line,
                                                                   int64_t lines, const F *x,
                                                                   int64_t n, D *y, int64_t *at,
                                                                   int64_t i0, int64_t istep) {
    (void)at, (void)i0, (void)istep;
    A base = A_ZERO, own = A_ZERO;
    int64_t j = 0;
    if (carry) {
        base = FN(bases)(carry)[line];
        own = FN(owns)(carry, lines)[line];
    }
#if defined(SEQUENTIAL) && defined(SUMS)
    D rest[SCAN_BLOCK] __attribute__((aligned(64)));
    for (; n - j >= LINE_BLOCK; j += LINE_BLOCK) {
        double before[LINE_PARTS];
        line_totals(x + j, before);
        for (int p = 0; p < LINE_PARTS; p++) {
            const double total = before[p];
            before[p] = GET(base, own);
            TAKE(&own, total);
        }
        if (y) line_block(x + j, y + j, before);
    }
    if (!y) y = rest; /* the carry alone is asked for */
#endif
#ifdef SUMS
    while (n - j >= 8) {
        const int64_t count = (n - j < SCAN_RUN ? n - j : SCAN_RUN) / 8 * 8;
        const __typeof__(GET(base, own)) before = GET(base, own);
#ifdef COPIES
        for (int64_t k = j; k < j + count; k++) y[k] = LD(x[k]);
        TAKE(&own, SUMS(y + j, y + j, count, before));
#else
        TAKE(&own, SUMS(x + j, y + j, count, before));
#endif
        j += count;
    }
#elif CHAINS
    /* Eight chains of additions are under way at once: each has to wait for itself only. */
    int64_t part = n / 8;
    if (part >= 8) {
        D s[8];
        for (int l = 0; l < 8; l++) s[l] = ID;
        for (int64_t k = 0; k < part; k++)
            for (int l = 0; l < 8; l++) y[l * part + k] = s[l] = JOIN(s[l], LD(x[l * part + k]));
        for (int l = 0; l < 8; l++) {
            const D before = GET(base, own);
            for (int64_t k = l * part; k < (l + 1) * part; k++) y[k] = JOIN(before, y[k]);
            TAKE(&own, s[l]);
        }
        j = 8 * part;
    }
#endif
#ifdef PRODUCTS
    j = n / 8 * 8;
    own = PRODUCTS(x, y, j, own);
#endif
    for (; j < n; j++) {
        TAKE(&own, LD(x[j]));
        y[j] = MADE(GET(base, own));
    }
    if (carry) FN(owns)(carry, lines)[line] = own;
}

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    FN(block_inline)(carry, line, lines, x, n, y, at, i0, istep);
}
#define BLOCK_INLINE FN(block_inline)

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    (void)at, (void)i;
    const A *base = FN(bases)(carry);
    A *own = FN(owns)(carry, lines);
    SIMD_IVDEP
    for (int64_t r = 0; r < lines; r++) {
        TAKE(&own[r], LD(x[r]));
        y[r] = MADE(GET(base[r], own[r]));
    }
}

#ifdef LANES_RUN
/* Lines of F into lines of D, without gaps in either: those from line r on of those of a carry. */
static APART void FN(run_dense)(void *carry, int64_t lines, int64_t r, const nomen__scan_args *a) {
    nomen__scan_args sizes = *a; /* known to the compiler */
    sizes.in_step = (int64_t)sizeof(F);
    sizes.out_step = (int64_t)sizeof(D);
    if (carry)
        LANES_RUN(&sizes, FN(owns)(carry, lines) + r, FN(bases)(carry) + r);
    else
        LANES_RUN(&sizes, (A *)NULL, (const A *)NULL);
}

#ifdef LEVELS_RUN
/* Lines side by side of F into such lines of D; no carry: at most LEVELS elements of each. */
static APART void FN(run_beside)(void *carry, const nomen__scan_args *a) {
    nomen__scan_args sizes = *a;
    sizes.in_row = (int64_t)sizeof(F);
    sizes.out_row = (int64_t)sizeof(D);
    if (carry)
        LEVELS_RUN(&sizes, FN(owns)(carry, a->lines), FN(bases)(carry));
    else
        LEVELS_RUN(&sizes, (A *)NULL, (const A *)NULL);
}
#define RUN_BESIDE FN(run_beside)
#endif

/* False: the lines are few, or not without gaps. */
static APART bool FN(run_lanes)(void *carry, const nomen__scan_args *a) {
    if (a->lines < 8) return false;
#ifdef LEVELS_RUN
    if (sizeof(T) == sizeof(D) && a->in_row == sizeof(T) && a->out_row == sizeof(T)) {
        if (!carry && a->n > LEVELS) return false;
        FN(run_beside)(carry, a);
        return true;
    }
#endif
    /* where D is what is stored, F is too */
    if (sizeof(T) != sizeof(D) || a->in_step != sizeof(T) || a->out_step != sizeof(T) ||
        a->out_row == sizeof(T))
        return false;
    FN(run_dense)(carry, a->lines, 0, a);
    return true;
}
#define IN_LANES  FN(run_lanes)
#define RUN_DENSE FN(run_dense)
#endif

#ifdef LINES_RUN
/* False: the lines are few, or lie in another way. */
static APART bool FN(run_lanes)(void *carry, const nomen__scan_args *a) {
    const int bytes = (int)sizeof(T);
    if (!carry) return LINES_RUN(a, bytes, (A *)NULL, (const A *)NULL);
    return LINES_RUN(a, bytes, FN(owns)(carry, a->lines), FN(bases)(carry));
}
#define IN_LANES FN(run_lanes)
#endif

#if CHAINS && defined(EIGHTS) && (!defined(SUMS) || defined(NUMBERS))
/* Elements of some lines side by side, as they lie: none waits long for the one before, and what is
 * joined in parts is joined once more with what is before these. */
LANES_INLINE void FN(chains)(A *owns, const A *bases, const bool based, const F *x, D *y, int64_t n,
                             const int64_t lines) {
    A own[FEW_LINES];
    for (int64_t r = 0; r < lines; r++) own[r] = owns[r];
    for (int64_t j = 0; j < n; j++)
#pragma GCC unroll 4
        for (int64_t r = 0; r < lines; r++) {
            TAKE(&own[r], LD(x[j * lines + r]));
            if (y) y[j * lines + r] = based ? GET(bases[r], own[r]) : own[r];
        }
    for (int64_t r = 0; r < lines; r++) owns[r] = own[r];
}
static APART void FN(some_chains)(A *own, const A *base, bool based, const F *x, D *y, int64_t n,
                                  int64_t lines) {
    if (based && lines == 2)
        FN(chains)(own, base, true, x, y, n, 2);
    else if (based && lines == 3)
        FN(chains)(own, base, true, x, y, n, 3);
    else if (based)
        FN(chains)(own, base, true, x, y, n, 4);
    else if (lines == 2)
        FN(chains)(own, base, false, x, y, n, 2);
    else if (lines == 3)
        FN(chains)(own, base, false, x, y, n, 3);
    else
        FN(chains)(own, base, false, x, y, n, 4);
}
#endif

#ifdef EIGHTS
/* Eight lines side by side, or a few and what is behind them; elements are `lines` apart. */
enum { FN(parts) = 8 / EIGHTS_LANES };
typedef F FN(taken) __attribute__((vector_size(EIGHTS_LANES * sizeof(F))));
typedef D FN(made) __attribute__((vector_size(EIGHTS_LANES * sizeof(D))));
#ifdef IN_RUNS /* what is before this run, and what its elements came to */
typedef double FN(many) __attribute__((vector_size(EIGHTS_LANES * 8)));
typedef struct FN(state) {
    double own[8], base[8];
    sum2 owns[8], bases[8];
    int64_t since;
    bool paired; /* has there been a run, or anything before? */
} FN(state);

static inline void FN(eights_begin)(FN(state) * s, void *carry, int64_t lines) {
    for (int l = 0; l < 8; l++) s->own[l] = s->base[l] = 0;
    s->since = 0;
    s->paired = carry != NULL;
    for (int64_t r = 0; carry && r < lines; r++) {
        s->bases[r] = FN(bases)(carry)[r];
        s->owns[r] = FN(owns)(carry, lines)[r];
        s->base[r] = get_sum2(s->bases[r], s->owns[r]);
    }
}
static inline void FN(eights_run)(FN(state) * s, int64_t lines) {
    for (int64_t r = 0; !s->paired && r < lines; r++) s->owns[r] = s->bases[r] = (sum2){0, 0};
    s->paired = true;
    for (int64_t r = 0; s->since && r < lines; r++) {
        sum2_add(&s->owns[r], s->own[r]);
        s->base[r] = get_sum2(s->bases[r], s->owns[r]);
    }
    for (int l = 0; l < 8; l++) s->own[l] = 0;
    s->since = 0;
}
static inline void FN(eights_end)(FN(state) * s, void *carry, int64_t lines) {
    FN(eights_run)(s, lines);
    for (int64_t r = 0; r < lines; r++) FN(owns)(carry, lines)[r] = s->owns[r];
}
#else
typedef A FN(many) __attribute__((vector_size(EIGHTS_LANES * sizeof(A))));
typedef struct FN(state) {
    A own[8], base[8];
    bool based;
} FN(state);

static inline void FN(eights_begin)(FN(state) * s, void *carry, int64_t lines) {
    for (int l = 0; l < 8; l++) s->own[l] = s->base[l] = A_ZERO;
    s->based = false;
    for (int64_t r = 0; carry && r < lines; r++) {
        s->base[r] = FN(bases)(carry)[r];
        s->own[r] = FN(owns)(carry, lines)[r];
        s->based |= s->base[r] != A_ZERO;
    }
}
static inline void FN(eights_end)(FN(state) * s, void *carry, int64_t lines) {
    for (int64_t r = 0; r < lines; r++) FN(owns)(carry, lines)[r] = s->own[r];
}
#endif

/* n levels, elements of which are joined to `own`; based: something is before them (a product of
 * 64 bits takes as long as all else). Vectors are copied one by one: all at once would be copied in
 * parts. */
LANES_INLINE void FN(eights_part)(void *owns, const void *bases, const bool based, const F *x, D *y,
                                  int64_t n, int64_t lines, const int parts) {
    enum { LANES_EACH = EIGHTS_LANES, BYTES = sizeof(FN(many)) };
    FN(many) own[FN(parts)], base[FN(parts)];
#pragma GCC unroll 4
    for (int v = 0; v < parts; v++) {
        memcpy(&own[v], (const char *)owns + v * BYTES, BYTES);
        memcpy(&base[v], (const char *)bases + v * BYTES, BYTES);
    }
    for (int64_t j = 0; j < n; j++, x += lines, y += lines)
#pragma GCC unroll 4
        for (int v = 0; v < parts; v++) {
            FN(taken) one;
            memcpy(&one, x + v * LANES_EACH, sizeof one);
            own[v] = JOIN(own[v], __builtin_convertvector(one, FN(many)));
            const FN(many) all = based ? EIGHTS(base[v], own[v]) : own[v];
            const FN(made) both = __builtin_convertvector(all, FN(made));
            memcpy(y + v * LANES_EACH, &both, sizeof both);
        }
#pragma GCC unroll 4
    for (int v = 0; v < parts; v++) memcpy((char *)owns + v * BYTES, &own[v], BYTES);
}
LANES_INLINE void FN(eights_some)(void *owns, const void *bases, const bool based, const F *x, D *y,
                                  int64_t n, int64_t lines) {
    if (lines <= EIGHTS_LANES)
        FN(eights_part)(owns, bases, based, x, y, n, lines, 1);
    else
        FN(eights_part)(owns, bases, based, x, y, n, lines, FN(parts));
}
#if !defined(IN_RUNS) && !defined(LEVELS_RUN)
/* Levels of lines side by side, eight lines after the other, which stay in a register; the last
 * eight are some again of those before them, which no store into the input may have changed. */
LANES_INLINE void FN(strips)(A *own, const A *base, const bool based, const F *x, D *y, int64_t n,
                             int64_t lines) {
    const int64_t behind = lines - 8;
    A last[8];
    for (int l = 0; l < 8; l++) last[l] = own[behind + l];
    for (int64_t r = 0; r <= behind; r += 8)
        FN(eights_part)(own + r, base + r, based, x + r, y + r, n, lines, FN(parts));
    if (lines % 8 == 0) return;
    FN(eights_part)(last, base + behind, based, x + behind, y + behind, n, lines, FN(parts));
    for (int l = 0; l < 8; l++) own[behind + l] = last[l];
}
static APART void FN(run_strips)(void *carry, const F *x, D *y, int64_t n, int64_t lines) {
    A *const own = FN(owns)(carry, lines);
    const A *const base = FN(bases)(carry);
    bool based = false;
    for (int64_t r = 0; r < lines; r++) based |= base[r] != A_ZERO;
    if (based)
        FN(strips)(own, base, true, x, y, n, lines);
    else
        FN(strips)(own, base, false, x, y, n, lines);
}
#define RUN_STRIPS FN(run_strips)
#endif
static inline void FN(eights)(FN(state) * s, const F *x, D *y, int64_t n, int64_t lines) {
#ifdef IN_RUNS
    for (int64_t run; n; n -= run, x += run * lines, y += run * lines) {
        run = n < SUM2_RUN - s->since ? n : SUM2_RUN - s->since;
        FN(eights_some)(s->own, s->base, true, x, y, run, lines);
        s->since += run;
        if (s->since == SUM2_RUN) FN(eights_run)(s, lines);
    }
#else
#ifdef NUMBERS
    if (lines > 1 && lines <= FEW_LINES) {
        FN(some_chains)(s->own, s->base, s->based, x, y, n, lines);
        return;
    }
#endif
    if (s->based)
        FN(eights_some)(s->own, s->base, true, x, y, n, lines);
    else
        FN(eights_some)(s->own, s->base, false, x, y, n, lines);
#endif
}
#endif

#if CHAINS && defined(EIGHTS) && !defined(SUMS)
static APART void FN(few_chains)(void *carry, const F *x, D *y, int64_t n, int64_t lines) {
    A *const own = FN(owns)(carry, lines);
    const A *const base = FN(bases)(carry);
    bool based = false;
    for (int64_t r = 0; r < lines; r++) based |= base[r] != A_ZERO;
    FN(some_chains)(own, base, based, x, y, n, lines);
}
#define FEW_CHAINS FN(few_chains)
#endif

#if defined(SEQUENTIAL) && defined(SUMS)
#define SKIPS
#endif
#define FOLDS
#include "kernels/loops/scan_walk.h"

static void FN(begin)(void *carry, int64_t lines) {
    A *a = carry;
    for (int64_t r = 0; r < 2 * lines; r++) a[r] = A_ZERO;
}

/* A carry takes as long as some elements: short lines go without. */
static void FN(whole)(const nomen__scan_args *a) {
    A carry[2 * NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
#ifdef IN_LANES
    if (IN_LANES(NULL, a)) return;
#endif
#ifdef EIGHT_LINES
    const bool one_by_one = !FN(is_long)(a);
#else
    const bool one_by_one = true;
#endif
    if (one_by_one && FN(is_short)(a)) {
        FN(run_short)(NULL, a);
        return;
    }
    FN(begin)(carry, a->lines);
    FN(run)(carry, a);
}

#undef IN_LANES
#undef RUN_DENSE
#undef RUN_BESIDE
#undef RUN_STRIPS
#undef FEW_CHAINS
#undef LANES_RUN
#undef BLOCK_INLINE
#undef SKIPS
#undef FOLDS
#undef EIGHT_LINES

#if CHAINS
static void FN(join)(void *carry, const void *part, int64_t lines) {
    A *base = FN(bases)(carry), *own = FN(owns)(carry, lines);
    const A *other = (const A *)part + lines;
    for (int64_t r = 0; r < lines; r++) {
        MEET(&base[r], &other[r]);
        own[r] = A_ZERO;
    }
}
#endif

static const nomen__scanner FN(scanner) = {
    .carry_bytes = 2 * sizeof(A),
#ifdef OF_ONE
    .of_one = OF_ONE,
#endif
    .begin = FN(begin),
    .run = FN(run),
    .whole = FN(whole),
#if CHAINS
    .join = FN(join),
#endif
#ifdef LINES_RUN
    .turns = true,
#endif
#ifdef EIGHTS /* long lines of 8 bytes do better turned over, see FN(run_few) */
    .few = sizeof(T) == 8 ? FEW_LINES : 2,
#endif
};

#undef T
#undef F
#undef D
#undef LD
#undef MADE
#undef FETCH
#undef WIDEN
#undef NARROW
#undef PUT
#undef DIRECT
#undef SEQUENTIAL
#undef IN_RUNS
