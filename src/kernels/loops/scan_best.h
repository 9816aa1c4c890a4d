/* Include-template: the largest or smallest element so far and where it stands; of equals the last,
 * and from the first NaN on the last NaN. Before: OP, SFX, T, F, FETCH, WIDEN as in fetch.h,
 * REACHES(a, b) (is a as good as b?), U (signed integer as wide as F), FLOATING, NARROW or PUT
 * and DIRECT as in scan_walk.h, IN_FOURS if numbers have 8 bytes, KEYS if integers of up to 32 bits
 * (scan_keys.h), DOWN as there. After: FN(scanner); all of them
 * but OP and REACHES are undefined. */

#define D F
#if DOWN
#define BEST_IF "cmovge"
#else
#define BEST_IF "cmovle"
#endif
#define IS_NAN(x)   (FLOATING && (x) != (x))
#define TAKES(x, v) (IS_NAN(x) | REACHES(x, v)) /* nothing reaches NaN but NaN */

/* at < 0: nothing seen yet. */
static inline F *FN(values)(void *carry) { return carry; }
static inline int64_t *FN(places)(void *carry, int64_t lines) {
    return (int64_t *)(void *)((char *)carry + lines * 8);
}

#if !FLOATING
/* What is as good as the best takes its place. gcc makes a branch of two choices; with a mask they
 * are four steps more. */
static inline void FN(take)(F one, int64_t here, F *best, int64_t *place) {
#ifdef __x86_64__
    if (sizeof(F) == 8) {
        __asm__("cmp %2, %0\n\t" BEST_IF " %2, %0\n\t" BEST_IF " %3, %1"
                : "+&r"(*best), "+&r"(*place)
                : "r"((int64_t)one), "r"(here)
                : "cc");
        return;
    }
#endif
    *place ^= (*place ^ here) & -(int64_t)REACHES(one, *best);
    *best = REACHES(one, *best) ? one : *best;
}
#endif

static APART void FN(block)(void *carry, int64_t line, int64_t lines, const F *x, int64_t n, D *y,
                            int64_t *at, int64_t i0, int64_t istep) {
    enum { AHEAD = 16, DENSE = 64 };
    if (n == 0) return;
    int64_t place = FN(places)(carry, lines)[line], j = 0;
    F best = place < 0 ? x[0] : FN(values)(carry)[line];
    if (place < 0) place = i0;
    while (j < n) {
        U hit = n - j < AHEAD;
        if (!hit) {
#pragma GCC unroll 1 /* else it is taken apart before it could become a vector */
            for (int k = 0; k < AHEAD; k++) hit |= (U)TAKES(x[j + k], best);
        }
        if (!hit) { /* the common case in a long line: nothing reaches the best so far */
#pragma GCC unroll 1
            for (int k = 0; k < AHEAD; k++) y[j + k] = best;
#pragma GCC unroll 1
            for (int k = 0; k < AHEAD; k++) at[j + k] = place;
            j += AHEAD;
            continue;
        }
#if FLOATING
        for (; j < n && !TAKES(x[j], best); j++) {
            y[j] = best;
            at[j] = place;
        }
        for (; j < n && TAKES(x[j], best); j++) {
            y[j] = best = x[j];
            at[j] = place = i0 + j * istep;
        }
#else /* many are equal, in no order that a branch could foresee; to choose takes two steps */
        int64_t here = i0 + j * istep;
        for (const int64_t end = n - j < DENSE ? n : j + DENSE; j < end; j++, here += istep) {
            const F one = x[j];
            FN(take)(one, here, &best, &place);
            y[j] = best;
            at[j] = place;
        }
#endif
    }
    FN(values)(carry)[line] = best;
    FN(places)(carry, lines)[line] = place;
}

static APART void FN(level)(void *carry, int64_t lines, const F *x, D *y, int64_t *at, int64_t i) {
    F *best = FN(values)(carry);
    int64_t *place = FN(places)(carry, lines);
    SIMD_IVDEP
    for (int64_t r = 0; r < lines; r++) {
        bool take = (place[r] < 0) | TAKES(x[r], best[r]);
        y[r] = best[r] = take ? x[r] : best[r];
        at[r] = place[r] = take ? i : place[r];
    }
}

#ifndef NOMEN_SRC_SCAN_BEST_H
#define NOMEN_SRC_SCAN_BEST_H
/* Lanes of 8 bytes of the vectors that eight lines side by side are: four, of which two to four
 * lines take one. */
enum { BEST_EIGHTS = W64 < 4 ? W64 : 4 };
/* Four lines in vectors of up to 32 bytes. Masks of short ones are joined in lanes of 32 bits: see
 * MASK in reduce_best.h. */
#if VB == 16
enum { BEST_LANES = 2 };
typedef vu64 best_square;
typedef vi32 best_mask;
static inline void best_turn_lines(vu64 x[2]) { v_turn_u64(x); }
#else
enum { BEST_LANES = 4 };
typedef turn_u64x4 best_square;
typedef int64_t best_mask __attribute__((vector_size(32)));
static inline void best_turn_lines(turn_u64x4 x[4]) { turn_4_u64(x); }
#endif
#endif

#ifdef IN_FOURS
/* Lines without gaps, in the input and where results go, of numbers as wide as a position: a line
 * in each lane. Squares of lines and elements are turned over in registers. */
typedef F FN(four) __attribute__((vector_size(sizeof(best_square))));
typedef int64_t FN(marks) __attribute__((vector_size(sizeof(best_square))));

/* BEST_LANES elements of as many lines. */
static inline __attribute__((always_inline)) void
FN(take_square)(const nomen__scan_args *a, const char *in, char *out, char *at, FN(four) * best,
                FN(marks) * place, FN(marks) here) {
    enum { W = BEST_LANES };
    best_square x[W], p[W];
#pragma GCC unroll 4
    for (int r = 0; r < W; r++) memcpy(&x[r], in + r * a->in_row, sizeof x[r]);
    best_turn_lines(x);
#pragma GCC unroll 4
    for (int k = 0; k < W; k++, here += a->index_step) {
        const FN(four) own = (FN(four))x[k];
        best_mask take = (best_mask)REACHES(own, *best);
#if FLOATING
        take |= (best_mask)(own != own);
#endif
        *best = (FN(four))(((best_mask)own & take) | ((best_mask)*best & ~take));
        *place = (FN(marks))(((best_mask)here & take) | ((best_mask)*place & ~take));
        x[k] = (best_square)*best;
        p[k] = (best_square)*place;
    }
    best_turn_lines(x);
    best_turn_lines(p);
#pragma GCC unroll 4
    for (int r = 0; r < W; r++) {
        memcpy(out + r * a->out_row, &x[r], sizeof x[r]);
        memcpy(at + r * a->at_row, &p[r], sizeof p[r]);
    }
}

/* Four lines, n elements of each, fours: what one square waits for another one fills. */
static APART void FN(fours)(F *values, int64_t *places, const nomen__scan_args *a, int64_t line,
                            int64_t n) {
    enum { W = BEST_LANES, SQUARES = 4 / BEST_LANES };
    const char *in = a->in + line * a->in_row;
    char *out = a->out + line * a->out_row, *at = a->at + line * a->at_row;
    F first[4];
    for (int r = 0; r < 4; r++) { /* the first element of all reaches itself */
        memcpy(&first[r], in + r * a->in_row, sizeof *first);
        if (places[r] >= 0) first[r] = values[r];
    }
    FN(four) best[SQUARES];
    FN(marks) place[SQUARES], here = (FN(marks)){0} + a->index0;
    memcpy(best, first, sizeof best);
    memcpy(place, places, sizeof place);
    for (int64_t j = 0; j < n; j += W, here += W * a->index_step)
#pragma GCC unroll 2
        for (int s = 0; s < SQUARES; s++) {
            const int64_t r = s * W;
            FN(take_square)
            (a, in + r * a->in_row + j * 8, out + r * a->out_row + j * 8,
             at + r * a->at_row + j * 8, &best[s], &place[s], here);
        }
    memcpy(values, best, sizeof best);
    memcpy(places, place, sizeof place);
}

static bool FN(run_fours)(void *carry, const nomen__scan_args *a) {
    const int64_t whole = a->n / 4 * 4, lines = a->lines / 4 * 4;
    if (!a->out || !a->at || !lines || !whole || a->in_step != 8 || a->out_step != 8 ||
        a->at_step != 8)
        return false;
    for (int64_t r = 0; r < lines; r += 4)
        FN(fours)(FN(values)(carry) + r, FN(places)(carry, a->lines) + r, a, r, whole);
    for (int64_t r = 0; r < a->lines; r++) { /* what is left of these, and of other lines all */
        const int64_t j = r < lines ? whole : 0;
        FN(block)
        (carry, r, a->lines, (const F *)(const void *)(a->in + r * a->in_row + j * 8), a->n - j,
         (D *)(void *)(a->out + r * a->out_row + j * 8),
         (int64_t *)(void *)(a->at + r * a->at_row + j * 8), a->index0 + j * a->index_step,
         a->index_step);
    }
    return true;
}
#define IN_LANES FN(run_fours)
#endif

#if defined(KEYS) && SIMD_KEYS
#include "kernels/loops/scan_keys.h"
#define IN_LANES FN(run_keys)
#endif

/* Eight lines side by side, or a few and what is behind them; elements are `lines` apart. They are
 * as many vectors as an ISA takes for eight positions: see scan_fold.h. */
enum { FN(parts) = 8 / BEST_EIGHTS };
typedef F FN(taken) __attribute__((vector_size(BEST_EIGHTS * sizeof(F))));
typedef U FN(takes) __attribute__((vector_size(BEST_EIGHTS * sizeof(F))));
typedef int64_t FN(where) __attribute__((vector_size(BEST_EIGHTS * 8)));
typedef struct FN(state) {
    F best[8];
    int64_t place[8];
    bool begun;
} FN(state);

/* Of `lines` some, from the first on. */
static inline void FN(eights_take)(FN(state) * s, void *carry, int64_t lines, int64_t first,
                                   int64_t some) {
    s->begun = carry && FN(places)(carry, lines)[first] >= 0;
    for (int64_t r = 0; s->begun && r < some; r++) {
        s->best[r] = FN(values)(carry)[first + r];
        s->place[r] = FN(places)(carry, lines)[first + r];
    }
}
static inline void FN(eights_give)(const FN(state) * s, void *carry, int64_t lines, int64_t first,
                                   int64_t some) {
    for (int64_t r = 0; r < some; r++) {
        FN(values)(carry)[first + r] = s->best[r];
        FN(places)(carry, lines)[first + r] = s->place[r];
    }
}
static inline void FN(eights_begin)(FN(state) * s, void *carry, int64_t lines) {
    FN(eights_take)(s, carry, lines, 0, lines);
}
static inline void FN(eights_end)(FN(state) * s, void *carry, int64_t lines) {
    FN(eights_give)(s, carry, lines, 0, lines);
}
static inline __attribute__((always_inline)) void FN(eights_part)(FN(state) * s, const F *x, D *y,
                                                                  int64_t *at, int64_t n,
                                                                  int64_t lines, int64_t i,
                                                                  const int parts) {
    FN(taken) best[FN(parts)];
    FN(where) place[FN(parts)], here = (FN(where)){0} + i;
    const F *const before = s->begun ? s->best : x; /* the first element reaches itself */
#pragma GCC unroll 4
    for (int v = 0; v < parts; v++) {
        memcpy(&best[v], before + v * BEST_EIGHTS, sizeof best[v]);
        memcpy(&place[v], s->place + v * BEST_EIGHTS, sizeof place[v]);
    }
    s->begun = true;
    for (int64_t j = 0; j < n; j++, here += 1, x += lines, y += lines, at += lines)
#pragma GCC unroll 4
        for (int v = 0; v < parts; v++) {
            FN(taken) one;
            memcpy(&one, x + v * BEST_EIGHTS, sizeof one);
            FN(takes) take = (FN(takes))REACHES(one, best[v]);
#if FLOATING
            take |= (FN(takes))(one != one);
#endif
            const FN(where) far = __builtin_convertvector(take, FN(where));
            best[v] = (FN(taken))(((FN(takes))one & take) | ((FN(takes))best[v] & ~take));
            place[v] = (here & far) | (place[v] & ~far);
            memcpy(y + v * BEST_EIGHTS, &best[v], sizeof best[v]);
            memcpy(at + v * BEST_EIGHTS, &place[v], sizeof place[v]);
        }
#pragma GCC unroll 4
    for (int v = 0; v < parts; v++) {
        memcpy(s->best + v * BEST_EIGHTS, &best[v], sizeof best[v]);
        memcpy(s->place + v * BEST_EIGHTS, &place[v], sizeof place[v]);
    }
}
static inline void FN(eights)(FN(state) * s, const F *x, D *y, int64_t *at, int64_t n,
                              int64_t lines, int64_t i) {
    if (FN(parts) > 1 && lines <= BEST_EIGHTS)
        FN(eights_part)(s, x, y, at, n, lines, i, 1);
    else
        FN(eights_part)(s, x, y, at, n, lines, i, FN(parts));
}
#define EIGHTS
#define POSITIONS
#include "kernels/loops/scan_walk.h"
#undef POSITIONS
#undef EIGHTS
#undef IN_LANES
#undef IN_FOURS

static void FN(begin)(void *carry, int64_t lines) {
    for (int64_t r = 0; r < lines; r++) {
        FN(values)(carry)[r] = 0;
        FN(places)(carry, lines)[r] = -1;
    }
}

static void FN(join)(void *carry, const void *part, int64_t lines) {
    const F *value = part;
    const int64_t *place = (const int64_t *)(const void *)((const char *)part + lines * 8);
    for (int64_t r = 0; r < lines; r++) {
        F *best = &FN(values)(carry)[r];
        int64_t *at = &FN(places)(carry, lines)[r];
        if (place[r] < 0 || (*at >= 0 && !TAKES(value[r], *best))) continue;
        *best = value[r];
        *at = place[r];
    }
}

#if defined(KEYS) && SIMD_KEYS
static void FN(whole)(const nomen__scan_args *a) {
    int64_t carry[2 * NOMEN__ACC_BLOCK];
    if (!a->groups && FN(run_key_lines)(NULL, a)) return;
    FN(begin)(carry, a->lines);
    FN(run)(carry, a);
}
#endif

static const nomen__scanner FN(scanner) = {
    .carry_bytes = 16,
    .of_one = NOMEN__ITSELF,
    .begin = FN(begin),
    .run = FN(run),
    .join = FN(join),
#if defined(KEYS) && SIMD_KEYS && !FLOATING
    .few = 2,
#else /* two of eight lanes, or of four */
    .few = BEST_EIGHTS == 4 && sizeof(T) == 8 ? 2 : 3,
#endif
#if defined(KEYS) && SIMD_KEYS
    .whole = FN(whole),
#endif
};

#undef D
#undef BEST_IF
#undef IS_NAN
#undef TAKES
#undef SFX
#undef T
#undef F
#undef U
#undef FETCH
#undef WIDEN
#undef NARROW
#undef PUT
#undef DIRECT
#undef FLOATING
#undef KEYS
#undef HALF
#undef INFINITE
