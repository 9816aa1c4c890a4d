/* What the reducers share: names of generated functions, block sizes, complex arithmetic, table
 * rows. How a reducer walks its input: reduce_walk.h. How it joins elements: reduce_fold.h and the
 * reduce_*.c files. */
#ifndef NOMEN_SRC_REDUCE_H
#define NOMEN_SRC_REDUCE_H

#include "kernels/loops/half.h"
#include "kernels/loops/loops.h"
#include "kernels/simd/quads.h"
#include "kernels/simd/turn.h"
#include "kernels/simd/words.h"

#include <stdbool.h>

/* Functions with vector loops that are called from several places: one copy each keeps compile time
 * and size down. */
#define APART __attribute__((noinline))

#define FN(part)           FN2(part, OP, SFX)
#define FN2(part, op, sfx) FN3(part, op, sfx)
#define FN3(part, op, sfx) part##_##op##_##sfx

/* Rows are taken in by blocks of ROW_BLOCK elements (errors grow within a block only), columns by
 * blocks of COL_BLOCK rows: 128 rows of 255 still fit a signed 16-bit lane. Strided columns are
 * gathered COL_ROWS rows at a time. The pipeline asks for lines ahead, if anybody does. */
enum {
    ROW_BLOCK = 1024,
    COL_BLOCK = NOMEN__FEW_ROWS,
    COL_ROWS = 8,
    SHORT_ROW = 16,
    LONG_ROW = 300
};
/* Bytes from an element to the next that are near, and elements beyond which a row of such is
 * better gathered by itself. */
enum { NEAR_STEP = 64, NEAR_MOST = 64 };
/* Elements of rows up to which rows with gaps are packed together. */
enum { PACKED_MOST = 512 };
/* Do rows of n elements that are `near` bytes apart, and `far` from row to row, lie on the same
 * steps, so that with what is between rows, no more than they have, all is one run? */
static inline bool is_one_run(int64_t near, int64_t n, int64_t far) {
    return far >= n * near && far <= 2 * n * near && far % near == 0;
}
/* Accumulators whose elements, so many bytes apart, are gathered at a time. Steps of 256 bytes and
 * multiples of them use few sets of a cache: as many as those hold, of eight ways. */
static inline int64_t gathered_together(int64_t step) {
    enum { NEARLY = 256, CACHE = 32768, LEAST = 16 };
    const int64_t power = step & -step;
    if (power < NEARLY) return NOMEN__ACC_BLOCK;
    return power < CACHE / LEAST ? CACHE / power : LEAST;
}
/* Accumulators from which on rows of more than SHORT_ROW elements are turned into columns: fewer
 * leave lanes empty for longer than to join the lanes of a row takes. */
enum { TURNED_LEAST = 24 };
/* Rows from which on fewer columns than a vector has lanes are taken as such. */
enum { NARROW_LEAST = 8 };
/* Elements of few columns from which on several rows are taken as a wide one; and rows of narrow
 * elements, of columns that fill a third of a vector at most, as one of FOLDED. */
enum { FOLDED_WIDE = 16 * NOMEN__ACC_BLOCK, FOLDED_ROWS = 400, FOLDED_COLUMNS = 5, FOLDED = 64 };

/* Lengths of rows up to which another way is better than one call for each, whose lanes stay empty
 * in part: as columns, where the order of elements does not show in a result, and whole numbers of
 * 8 bytes; as columns, where a position costs more than to turn them over; as columns, of extrema
 * that would not fill all lanes; from there on LONG_ROW, some at once, from ROWS_AT_ONCE on; and
 * half types as float32, those that are not fetched by themselves up to WIDENED_LONG, with gaps
 * between rows from WIDENED_LEAST on up to WIDENED_APART. */
#define UNORDERED_MOST(type) (sizeof(type) <= 2 ? 200 : sizeof(type) == 4 ? 127 : SHORT_ROW)
#define POSITIONS_MOST(type) (sizeof(type) == 8 ? 63 : 127)
enum { INT64_MOST = 8, EXTREMUM_MOST = 63, WIDENED_MOST = 63, WIDENED_LONG = 400 };
enum { WIDENED_LEAST = 8, WIDENED_APART = 255 };

/* Lanes of four vectors where there are 16 registers: what else is kept for each lane needs the
 * others. At most 64. Whole numbers of 8 bytes are no lanes where no instruction compares them. */
#define IN_ONES(type) (NOMEN__ISA_ID == NOMEN__ISA_ID_scalar && sizeof(type) == 8 && (type)0.5 == 0)
#define EXTREMUM_LANES(type)                                                                       \
    (IN_ONES(type)                                 ? 4                                             \
     : VB == 64 || 4 * VB > 64 * (int)sizeof(type) ? 64                                            \
                                                   : 4 * VB / (int)sizeof(type))

/* Turns n rows of four 4-byte elements, in_row bytes apart, into four rows of n, NOMEN__ACC_BLOCK
 * elements apart. */
static inline void turn_4(const char *in, int64_t in_row, int64_t n, void *out) {
    uint32_t *to = out;
    int64_t i = 0;
    for (; i + QUADS * 4 <= n; i += QUADS * 4, in += QUADS * 4 * in_row) {
        quads_u32 x[4];
        for (int k = 0; k < 4; k++) x[k] = quads_load(in + k * in_row, 4 * in_row);
        quads_turn(x);
        for (int k = 0; k < 4; k++) memcpy(to + k * NOMEN__ACC_BLOCK + i, &x[k], sizeof x[k]);
    }
    for (; i < n; i++, in += in_row)
        for (int k = 0; k < 4; k++) memcpy(to + k * NOMEN__ACC_BLOCK + i, in + 4 * k, 4);
}

/* The same of two 8-byte elements. */
static inline void turn_2(const char *in, int64_t in_row, int64_t n, void *out) {
    typedef uint64_t two __attribute__((vector_size(16)));
    uint64_t *to = out;
    int64_t i = 0;
    for (; i + 2 <= n; i += 2, in += 2 * in_row) {
        two a, b;
        memcpy(&a, in, sizeof a);
        memcpy(&b, in + in_row, sizeof b);
        const two first = __builtin_shufflevector(a, b, 0, 2),
                  second = __builtin_shufflevector(a, b, 1, 3);
        memcpy(to + i, &first, sizeof first);
        memcpy(to + NOMEN__ACC_BLOCK + i, &second, sizeof second);
    }
    for (; i < n; i++, in += in_row)
        for (int k = 0; k < 2; k++) memcpy(to + k * NOMEN__ACC_BLOCK + i, in + 8 * k, 8);
}

/* turn_4 of n rows of eight elements of 1 byte or of 2. */
static APART __attribute__((unused)) void turn_8_1(const char *in, int64_t in_row, int64_t n,
                                                   void *out) {
    uint8_t *to = out;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16, in += 16 * in_row) {
        lane_u8 x[8];
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) {
            uint64_t row[2];
            memcpy(&row[0], in + 2 * k * in_row, 8);
            memcpy(&row[1], in + (2 * k + 1) * in_row, 8);
            x[k] = (lane_u8)(lane_u64){row[0], row[1]};
        }
        cards_16(x, 8, 1);
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) memcpy(to + k * NOMEN__ACC_BLOCK + i, &x[k], sizeof x[k]);
    }
    for (; i < n; i++, in += in_row)
        for (int k = 0; k < 8; k++) to[k * NOMEN__ACC_BLOCK + i] = (uint8_t)in[k];
}
static APART __attribute__((unused)) void turn_8_2(const char *in, int64_t in_row, int64_t n,
                                                   void *out) {
    uint16_t *to = out;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8, in += 8 * in_row) {
        lane_u8 x[8];
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) memcpy(&x[k], in + k * in_row, sizeof x[k]);
        cards_16(x, 8, 2);
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) memcpy(to + k * NOMEN__ACC_BLOCK + i, &x[k], sizeof x[k]);
    }
    for (; i < n; i++, in += in_row)
        for (int k = 0; k < 8; k++) memcpy(to + k * NOMEN__ACC_BLOCK + i, in + 2 * k, 2);
}

/* From memory: the processor widens what it loads in one step, the halves of a vector in three. */
static inline vf64 widen_f32(const float *x) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    return (vf64)_mm512_cvtps_pd(_mm256_loadu_ps(x));
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
    return (vf64)_mm256_cvtps_pd(_mm_loadu_ps(x));
#else
    typedef float half __attribute__((vector_size(sizeof(vf64) / 2)));
    half v;
    memcpy(&v, x, sizeof v);
    return __builtin_convertvector(v, vf64);
#endif
}

#define WIDENED(p) _Generic((p), float *: widen_f32, double *: ld_f64)(p)

typedef struct u128 {
    uint64_t re, im;
} u128;

/* A sum of doubles and what rounding took from it. */
typedef struct sum2 {
    double hi, lo;
} sum2;

static inline void sum2_add(sum2 *s, double x) {
    double t = s->hi + x, back = t - s->hi;
    s->lo += (s->hi - (t - back)) + (x - back);
    s->hi = t;
}
/* The correction of an infinite sum is NaN and says nothing. */
static inline double sum2_get(const sum2 *s) {
    double t = s->hi + s->lo;
    return s->hi - s->hi == 0 ? t : s->hi;
}

/* As many of these as a vector has lanes. */
typedef struct sums2 {
    vf64 hi, lo;
} sums2;

static inline sums2 sums2_at(const sum2 *s) {
    const vf64 x = ld_f64(s), y = ld_f64(s + W64 / 2);
    return (sums2){V_EVEN_F64(x, y), V_ODD_F64(x, y)};
}
static inline void sums2_to(sum2 *to, sums2 s) {
    st_f64(to, V_MIX_LOW_F64(s.hi, s.lo));
    st_f64(to + W64 / 2, V_MIX_HIGH_F64(s.hi, s.lo));
}
static inline sums2 sums2_add(sums2 s, vf64 x) {
    const vf64 t = s.hi + x, back = t - s.hi;
    return (sums2){t, s.lo + ((s.hi - (t - back)) + (x - back))};
}
/* The same as sum2_get of n sums. */
static inline void sum2_results(const sum2 *s, int64_t n, double *to) {
    int64_t i = 0;
    for (; i + W64 <= n; i += W64) {
        const sums2 x = sums2_at(s + i);
        st_f64(to + i, v_sel_f64(x.hi - x.hi == 0, x.hi + x.lo, x.hi));
    }
    for (; i < n; i++) to[i] = sum2_get(s + i);
}

#define REDUCER_ROW(text, enumerator, op, sfx)                                                     \
    {.name = text, .dtype = enumerator, .reducer = &reducer_##op##_##sfx}
#define REDUCER_INTS(text, op)                                                                     \
    REDUCER_ROW(text, NOMEN_BOOL, op, b8), REDUCER_ROW(text, NOMEN_U8, op, u8),                    \
        REDUCER_ROW(text, NOMEN_I8, op, i8), REDUCER_ROW(text, NOMEN_I16, op, i16),                \
        REDUCER_ROW(text, NOMEN_I32, op, i32), REDUCER_ROW(text, NOMEN_I64, op, i64)
#define REDUCER_FLOATS(text, op)                                                                   \
    REDUCER_ROW(text, NOMEN_F16, op, f16), REDUCER_ROW(text, NOMEN_BF16, op, bf16),                \
        REDUCER_ROW(text, NOMEN_F32, op, f32), REDUCER_ROW(text, NOMEN_F64, op, f64)
#define REDUCER_COMPLEXES(text, op)                                                                \
    REDUCER_ROW(text, NOMEN_C64, op, c64), REDUCER_ROW(text, NOMEN_C128, op, c128)

#endif
