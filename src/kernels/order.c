/* Order statistics of whole rows: sort, topk, kthvalue, median, nanmedian, mode. Numbers become
 * unsigned keys of the same order, keys are sorted or selected, and values are fetched from the row
 * by the positions that come out, or made of the keys where a row is long. Among equals the first
 * position is taken, but mode takes the last, as PyTorch does.
 *
 * Limit: a key beside its position is moved once for each of its bytes that vary, about 1.3 ns a
 * time while all is in L2. A row of a million float64 on a shared Zen 5: 8 ns a number, in parts
 * that stay there; without them 25, most of it waiting for memory. */
#include "kernels/loops/loops.h"
#include "kernels/simd/pack.h"
#include "kernels/simd/quads.h"
#include "kernels/simd/turn.h"

#include <math.h>
#include <stdbool.h>

#define APART __attribute__((noinline))

/* Up to FEW elements are counted or inserted, up to SOME merged (runs of RUN); keys come in blocks
 * of BLOCK; rows that lie side by side are worked on together, up to BESIDE, within so much
 * scratch. */
enum { FEW = 32, SOME = 160, RUN = 32, BLOCK = 512, BESIDE = 16, BESIDE_BYTES = 1 << 25 };
/* Of so many sorted elements values come from the keys: to fetch them from the row takes longer. */
enum { KEYED = 4096 };
/* So long rows are sorted in parts by several threads, and so long ones of 64-bit keys by one:
 * parts take a table of all bins, which a network of fewer elements does without. */
enum { PARTED = 1 << 17, PARTED_ALONE = VB > 16 ? 1 << 19 : 1 << 17 };
/* Rows of up to so many keys with positions are sorted by a network; 0: none is. It compares
 * words of them, unless many of these are alike. */
enum { WIDE = VB > 16 ? 8192 : 0 };
/* Selection draws so many elements for a sample, or looks at so many bits at a time. */
enum { SAMPLE = 128, BUCKET_BITS = 11, BUCKETS = 1 << BUCKET_BITS };
/* Rows are worked on LANES or more at a time where there are at least half as many. */
enum { LANES = 8 };
/* So many vectors of short rows have their results found together. */
enum { BARE_PARTS = 8 };
/* Rows up to MOST are sorted a vector of rows at a time, where there are LEAST_ROWS; longer ones
 * take less time by themselves. */
#define MOST(key) (VB == 16 ? 32 : sizeof(key) == 4 ? 1024 : 2048)
/* Keys of 32 bits are sorted side by side without positions in rows from one to the other. */
enum { LEAST_BARE = 16, MOST_BARE = VB == 16 ? 32 : 8192 };
/* Rows side by side have at most so many keys that may be alike in a part of them. */
enum { TIED_MOST = 2048 };
/* Rows of so many are not looked at for the first few. */
enum { SHORTEST = 64 };
/* Without positions up to so many keys: for a rank, and for a mode, which cannot be had for less.
 */
#define MOST_RANKED(key)                                                                           \
    (VB == 16 ? 32 : VB == 64 ? 4096 / (int)sizeof(key) : sizeof(key) == 4 ? 384 : 256)
#define LEAST_ROWS(key)   ((VB < LANES * (int)sizeof(key) ? VB / (int)sizeof(key) : LANES) / 2)
#define MOST_COUNTED(key) (VB == 16 ? 256 : 16384 / (int)sizeof(key))

#define ORDER_NAME(what, width, part)  ORDER_NAME2(what, width, part)
#define ORDER_NAME2(what, width, part) what##width##_##part

/* What is known of a dtype: its bytes, is it floating, its keys (32: NULL if it is wider), the
 * numbers of bare keys, and those numbers of which a key does not say all. */
typedef void order_keys(void *keys, const char *in, int64_t step, int64_t n, uint64_t flip);
typedef void order_bare(char *to, int64_t to_step, const void *keys, int64_t keys_step, int64_t n,
                        uint64_t flip);
typedef void order_odd(char *to, int64_t to_step, const void *keys, int64_t n, uint64_t flip,
                       const char *in, int64_t in_step);
/* The keys of the best of so many groups of a row; the positions of all numbers that may not be
 * beyond a bound, until there are more than `most`: how many; the best of each lane in tiles of so
 * many vectors, as numbers, and the positions of those in some of these lanes that may not be
 * beyond a bound; and the position of the first one of each row, as wide as a number. */
typedef struct order_scan {
    void (*best)(void *to, const char *row, int64_t n, int64_t groups, bool descending);
    int64_t (*places)(uint32_t *to, const char *row, int64_t n, const void *bound, int64_t count,
                      int64_t most, bool descending);
    void (*tiles)(void *to, const char *row, int64_t n, int64_t tile, bool descending);
    int64_t (*members)(uint32_t *to, const char *row, int64_t n, int64_t tile, const uint32_t *of,
                       int64_t count, const void *bound, int64_t most, bool descending);
    void (*firsts)(void *places, const char *in, int64_t in_row, int64_t rows, int64_t n,
                   bool descending);
} order_scan;
typedef struct order_type {
    int item;
    bool floating;
    order_keys *keys32, *keys64;
    order_bare *bare32, *bare64;
    order_odd *odd32, *odd64;
    const order_scan *scan; /* of rows as they lie; NULL: of their keys */
} order_type;

/* What turns the order of keys round, where the greatest comes first. */
static inline uint64_t flip_of(const nomen__order_args *a, const order_type *t) {
    return a->descending ? UINT64_MAX >> (64 - 8 * t->item) : 0;
}

typedef enum order_what { SORT, TOPK, KTHVALUE, MEDIAN, NANMEDIAN, MODE } order_what;

typedef struct order_pair {
    uint64_t key;
    int64_t at;
} order_pair;

/* A position has 32 bits beside a key of 32. */
static inline bool has_short_places(const nomen__order_args *a) {
    return a->n <= UINT32_MAX && !a->wide;
}

/* Neighbours in memory are of different rows: a dim that is not the last. */
static inline bool are_beside(const nomen__order_args *a) {
    return a->in_row < a->in_step && a->in_row > -a->in_step;
}

/* Elements of fewer rows than a vector has lanes, as they come; the other lanes have the first row
 * once more. */
static inline __attribute__((always_inline)) void take_beside(char *to, const char *in,
                                                              const nomen__order_args *a,
                                                              int64_t rows, int64_t lanes,
                                                              const int item) {
    for (int64_t i = 0; i < a->n; i++, in += a->in_step, to += lanes * item) {
        for (int64_t r = 0; r < rows; r++) memcpy(to + r * item, in + r * a->in_row, (size_t)item);
        for (int64_t r = rows; r < lanes; r++) memcpy(to + r * item, in, (size_t)item);
    }
}
static APART void few_beside(char *to, const char *in, const nomen__order_args *a, int64_t rows,
                             int64_t lanes, int item) {
    if (item == 1)
        take_beside(to, in, a, rows, lanes, 1);
    else if (item == 2)
        take_beside(to, in, a, rows, lanes, 2);
    else if (item == 4)
        take_beside(to, in, a, rows, lanes, 4);
    else
        take_beside(to, in, a, rows, lanes, 8);
}

/* Results of a batch, n[0] times n[1] of them: bytes from one to the next in `to`, what is added to
 * a position in the input, and bytes from one position to the next. */
typedef struct order_grid {
    int64_t n[2], to[2], in[2], at[2];
    int64_t in_step; /* bytes from one element of a row to the next */
} order_grid;

static inline order_grid order_line(int64_t n, int64_t to_step, int64_t in_step, int64_t at_step) {
    return (order_grid){{1, n}, {0, to_step}, {0, 0}, {0, at_step}, in_step};
}

#define SIGN (UINT64_C(1) << 63)

/* A scan has so many vectors of groups in registers, and room for so many positions more than it
 * should find. */
enum { SCAN_VECTORS = 4, SCAN_MORE = 64 + PACK_BITS };

/* From byte k on, a vector of which the last k bytes are ones. */
static const int8_t scan_last[2 * VB] = {[VB... 2 * VB - 1] = -1};

#define SFX       f32
#define T         float
#define U         uint32_t
#define VEC       vf32
#define VEC_I     vi32
#define V_LESSER  v_lesser_f32
#define V_GREATER v_greater_f32
#define BITS_OF   pack_bits_32
#define LOWEST    -INFINITY
#define HIGHEST   INFINITY
#define FLOATS    1
#include "kernels/loops/order_scan.h"

#define SFX       i32
#define T         int32_t
#define U         uint32_t
#define VEC       vi32
#define VEC_I     vi32
#define V_LESSER  v_lesser_i32
#define V_GREATER v_greater_i32
#define BITS_OF   pack_bits_32
#define LOWEST    INT32_MIN
#define HIGHEST   INT32_MAX
#define FLOATS    0
#include "kernels/loops/order_scan.h"

#define SFX       f64
#define T         double
#define U         uint64_t
#define VEC       vf64
#define VEC_I     vi64
#define V_LESSER  v_lesser_f64
#define V_GREATER v_greater_f64
#define BITS_OF   pack_bits_64
#define LOWEST    -(double)INFINITY
#define HIGHEST   (double)INFINITY
#define FLOATS    1
#include "kernels/loops/order_scan.h"

#define SFX       i64
#define T         int64_t
#define U         uint64_t
#define VEC       vi64
#define VEC_I     vi64
#define V_LESSER  v_lesser_i64
#define V_GREATER v_greater_i64
#define BITS_OF   pack_bits_64
#define LOWEST    INT64_MIN
#define HIGHEST   INT64_MAX
#define FLOATS    0
#include "kernels/loops/order_scan.h"

/* Two vectors, the lesser of each lane to a. */
static inline __attribute__((always_inline)) void in_order_i32(vi32 *a, vi32 *b) {
    const vi32 least = v_lesser_i32(*a, *b);
    *b = v_greater_i32(*a, *b);
    *a = least;
}
static inline __attribute__((always_inline)) void in_order_i64(vi64 *a, vi64 *b) {
    const vi64 least = v_lesser_i64(*a, *b);
    *b = v_greater_i64(*a, *b);
    *a = least;
}

/* Of keys in the lanes of levels that of one lane, signed, at a level. */
static inline int64_t lane_key(const char *lane, int64_t level, const int bytes) {
    int64_t wide;
    int32_t narrow;
    if (bytes == sizeof wide)
        memcpy(&wide, lane + level * VB, sizeof wide);
    else
        memcpy(&narrow, lane + level * VB, sizeof narrow);
    return bytes == sizeof wide ? wide : narrow;
}

#define K     uint32_t
#define WIDTH 32
#include "kernels/loops/order_types.h"
#define E                   uint64_t
#define MAKE(key, i)        ((uint64_t)(key) << 32 | (uint64_t)(i))
#define KEY(e)              ((uint32_t)((e) >> 32))
#define AT(e)               ((int64_t)((e) & UINT32_MAX))
#define BEFORE(a, b)        ((a) < (b))
#define PACK_BETWEEN        pack_between_u32
#define PACK_PLACES         pack_places_u32
#define LEVEL_KEYS          vi32
#define KEYS_IN_ORDER(a, b) in_order_i32(&(a), &(b))
#define V_LESSER            v_lesser_i32
#define V_GREATER           v_greater_i32
#define V_TURN              v_turn_u32
#define SCAN_OF_KEYS        scan_looks_i32
#define TURN_SQUARE         turn_8_u32
#include "kernels/loops/order_engine.h"
#include "kernels/loops/order_bare.h"
#include "kernels/loops/order_across.h"
#include "kernels/loops/order_lanes.h"
#include "kernels/loops/order_run.h"
#undef K
#undef WIDTH
#undef PACK_BETWEEN
#undef PACK_PLACES
#undef LEVEL_KEYS
#undef KEYS_IN_ORDER
#undef V_LESSER
#undef V_GREATER
#undef V_TURN
#undef SCAN_OF_KEYS
#undef TURN_SQUARE
#undef E
#undef MAKE
#undef KEY
#undef AT
#undef BEFORE

#include "kernels/loops/order_counted.h"
#include "kernels/loops/order_halves.h"

#define K     uint64_t
#define WIDTH 64
#include "kernels/loops/order_types.h"
#define E                   order_pair
#define MAKE(key, i)        ((order_pair){key, i})
#define KEY(e)              ((e).key)
#define AT(e)               ((e).at)
#define BEFORE(a, b)        ((a).key < (b).key || ((a).key == (b).key && (a).at < (b).at))
#define PACK_BETWEEN        pack_between_u64
#define PACK_PLACES         pack_places_u64
#define LEVEL_KEYS          vi64
#define KEYS_IN_ORDER(a, b) in_order_i64(&(a), &(b))
#define V_LESSER            v_lesser_i64
#define V_GREATER           v_greater_i64
#define V_TURN              v_turn_u64
#define SCAN_OF_KEYS        scan_looks_i64
#define TURN_SQUARE         turn_4_u64
#include "kernels/loops/order_engine.h"
#include "kernels/loops/order_bare.h"
#include "kernels/loops/order_across.h"
#include "kernels/loops/order_lanes.h"
#include "kernels/loops/order_run.h"
#include "kernels/loops/order_wide.h"
#include "kernels/loops/order_words.h"
#include "kernels/loops/order_spread.h"

static bool is_narrow(const nomen__order_args *a, const order_type *t) {
    return t->keys32 && has_short_places(a);
}

static bool is_counted(const nomen__order *o, const nomen__order_args *a) {
    const order_type *t = o->type;
    return o->what == SORT && is_narrow(a, t) && may_be_counted(a, t);
}

/* Of rows that are one and the same, as those of an expanded tensor are, the first. */
static nomen__order_args differing(const nomen__order_args *a) {
    nomen__order_args one = *a;
    if (a->in_row == 0 && a->rows > 1) one.rows = 1;
    return one;
}

/* Count elements of the first row to all the others. */
static void repeat_row(char *to, int64_t row, int64_t step, int64_t rows, int64_t count, int item) {
    for (int64_t r = 1; to && r < rows; r++)
        if (step == item)
            memcpy(to + r * row, to, (size_t)(count * item));
        else
            for (int64_t j = 0; j < count; j++)
                memcpy(to + r * row + j * step, to + j * step, (size_t)item);
}

static size_t scratch_of(const nomen__order *o, const nomen__order_args *all) {
    const nomen__order_args one = differing(all), *a = &one;
    const size_t alone = is_narrow(a, o->type) ? scratch32_e(a, (order_what)o->what, o->type)
                                               : scratch64_e(a, (order_what)o->what, o->type);
    const size_t shared = a->pieces ? share_bytes(a) : is_counted(o, a) ? counted_bytes(a) : 0;
    return alone > shared ? alone : shared;
}

static void run_of(const nomen__order *o, const nomen__order_args *all, void *scratch) {
    const nomen__order_args one = differing(all), *a = &one;
    const order_type *t = o->type;
    if (is_counted(o, a))
        run_counted(a, scratch, t);
    else if (is_narrow(a, t))
        run32_e(a, scratch, (order_what)o->what, t);
    else
        run64_e(a, scratch, (order_what)o->what, t);
    if (all->rows == a->rows) return;
    repeat_row(a->values, a->value_row, a->value_step, all->rows, a->count, t->item);
    repeat_row(a->indices, a->index_row, a->index_step, all->rows, a->count, (int)sizeof(int64_t));
}

static bool small(const nomen__order *o, const nomen__order_args *a) {
    const order_type *t = o->type;
    return is_narrow(a, t) ? small32_run(a, (order_what)o->what, t)
                           : small64_run(a, (order_what)o->what, t);
}

static bool sides(const nomen__order *o, const nomen__order_args *a) {
    const order_what what = (order_what)o->what;
    return is_narrow(a, o->type) ? plan32_e(a, what).bare_lanes : plan64_e(a, what).bare_lanes;
}

/* A few kinds of keys are counted by one thread in less time than several take to sort them. */
static bool shares(const nomen__order *o, const nomen__order_args *a) {
    return (o->what == SORT || o->what == TOPK) && a->count && a->rows == 1 && a->n >= PARTED &&
           has_short_places(a) && !(is_counted(o, a) && are_few_kinds(a, o->type));
}

static bool begin(const nomen__order *o, const nomen__order_args *a, void *scratch, int phase) {
    return share_begin(a, scratch, phase, o->type);
}

static void piece(const nomen__order *o, const nomen__order_args *a, void *scratch, int phase,
                  int index) {
    share_piece(a, scratch, phase, index, o->type);
}

#define TYPE_INTS(sfx, item, scan)                                                                 \
    static const order_type type_##sfx = {                                                         \
        item, false, keys32_##sfx, keys64_##sfx, bare32_##sfx, bare64_##sfx, NULL, NULL, scan}
#define TYPE_FLOATS(sfx, item, scan)                                                               \
    static const order_type type_##sfx = {item,         true,         keys32_##sfx,                \
                                          keys64_##sfx, bare32_##sfx, bare64_##sfx,                \
                                          odd32_##sfx,  odd64_##sfx,  scan}
TYPE_INTS(b8, 1, NULL);
TYPE_INTS(u8, 1, NULL);
TYPE_INTS(i8, 1, NULL);
TYPE_INTS(i16, 2, NULL);
TYPE_INTS(i32, 4, &scan_looks_i32);
TYPE_FLOATS(f16, 2, NULL);
TYPE_FLOATS(bf16, 2, NULL);
TYPE_FLOATS(f32, 4, &scan_looks_f32);
static const order_type type_i64 = {
    .item = 8, .keys64 = keys64_i64, .bare64 = bare64_i64, .scan = &scan_looks_i64};
static const order_type type_f64 = {.item = 8,
                                    .floating = true,
                                    .keys64 = keys64_f64,
                                    .bare64 = bare64_f64,
                                    .odd64 = odd64_f64,
                                    .scan = &scan_looks_f64};

#define ROW_ORDER(text, code, enumerator, sfx)                                                     \
    {                                                                                              \
        .name = text, .dtype = enumerator, .order = &(const nomen__order) {                        \
            code, &type_##sfx, scratch_of, run_of, small, sides, shares, begin, piece              \
        }                                                                                          \
    }
#define ROWS_ORDER(text, code)                                                                     \
    ROW_ORDER(text, code, NOMEN_BOOL, b8), ROW_ORDER(text, code, NOMEN_U8, u8),                    \
        ROW_ORDER(text, code, NOMEN_I8, i8), ROW_ORDER(text, code, NOMEN_I16, i16),                \
        ROW_ORDER(text, code, NOMEN_I32, i32), ROW_ORDER(text, code, NOMEN_I64, i64),              \
        ROW_ORDER(text, code, NOMEN_F16, f16), ROW_ORDER(text, code, NOMEN_BF16, bf16),            \
        ROW_ORDER(text, code, NOMEN_F32, f32), ROW_ORDER(text, code, NOMEN_F64, f64)

const nomen__kernel NOMEN__TABLE(order)[] = {
    ROWS_ORDER("sort", SORT),
    ROWS_ORDER("topk", TOPK),
    ROWS_ORDER("kthvalue", KTHVALUE),
    ROWS_ORDER("median", MEDIAN),
    ROWS_ORDER("nanmedian", NANMEDIAN),
    ROWS_ORDER("mode", MODE),
    {.name = NULL},
};
