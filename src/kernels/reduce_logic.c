/* any and all, of every dtype.
 *
 * Idea: an element is true if a bit of it is set that is not the sign of a zero. So four unsigned
 * types and a mask serve all dtypes, and a block is one run of "or" or "and". A decided accumulator
 * skips the rest of its row.
 *
 * Limit: bytes read from a buffer of the same size. Share (bench/bench_kernels.c) on a shared
 * Zen 5 at 1 MiB: int32 75 % in columns; a decided row costs next to nothing. */
#define HEAVY
#define OF_ONE NOMEN__TRUTH
#include "kernels/loops/reduce.h"

/* ---- any ------------------------------------------------------------------------------------- */
#define LANE_BYTES  256
#define TURNED_MOST UNORDERED_MOST(T)
#define OP          any
#define CORE        any
#define JOIN(a, b)  (C)((a) | (b))
#define TOTAL(a, b) (D)((a) | (b))
#define ID          0
#define DID         0
#define A_ZERO      0
#define DECIDED(a)  (*(a))
#define A           uint64_t
#define TAKE(a, x)  (*(a) |= (x))
#define MEET(a, b)  (*(a) |= *(b))

#define TRUE(type, bits) (type)(bits)
#define LANE_8           uint8_t
#define LANE_16          uint16_t
#define LANE_32          uint32_t
#define LANE_64          uint64_t
#define TOTAL_OF(lane)   lane
#define TYPE             uint8_t
#define RESULT(a)        (uint8_t)(*(a) != 0)
#include "kernels/loops/fold_truth.h"

/* ---- all ------------------------------------------------------------------------------------- */
#undef OP
#undef CORE
#undef TOTAL
#undef ID
#undef DID
#undef A_ZERO
#undef DECIDED
#define OP   all
#define CORE all
#undef JOIN
#define JOIN(a, b)  (C)((a) & (b))
#define TOTAL(a, b) (D)((a) & (b))
#define ID          1
#define DID         1
#define A_ZERO      1
#define DECIDED(a)  (!*(a))
#undef TAKE
#undef MEET
#define TAKE(a, x) (*(a) &= (x))
#define MEET(a, b) (*(a) &= *(b))

#define TRUE(type, bits) (type)((bits) != 0)
#define LANE_8           uint8_t
#define LANE_16          uint16_t
#define LANE_32          uint32_t
#define LANE_64          uint64_t
#define TOTAL_OF(lane)   lane
#define TYPE             uint8_t
#define RESULT(a)        (uint8_t)(*(a) != 0)
#include "kernels/loops/fold_truth.h"

const nomen__kernel NOMEN__TABLE(reduce_logic)[] = {
    REDUCER_ROW("any", NOMEN_BOOL, any, u8),
    REDUCER_ROW("any", NOMEN_U8, any, u8),
    REDUCER_ROW("any", NOMEN_I8, any, u8),
    REDUCER_ROW("any", NOMEN_I16, any, u16),
    REDUCER_ROW("any", NOMEN_I32, any, u32),
    REDUCER_ROW("any", NOMEN_I64, any, u64),
    REDUCER_ROW("any", NOMEN_F16, any, h16),
    REDUCER_ROW("any", NOMEN_BF16, any, h16),
    REDUCER_ROW("any", NOMEN_F32, any, f32),
    REDUCER_ROW("any", NOMEN_F64, any, f64),
    REDUCER_ROW("any", NOMEN_C64, any, c64),
    REDUCER_ROW("any", NOMEN_C128, any, c128),
    REDUCER_ROW("all", NOMEN_BOOL, all, u8),
    REDUCER_ROW("all", NOMEN_U8, all, u8),
    REDUCER_ROW("all", NOMEN_I8, all, u8),
    REDUCER_ROW("all", NOMEN_I16, all, u16),
    REDUCER_ROW("all", NOMEN_I32, all, u32),
    REDUCER_ROW("all", NOMEN_I64, all, u64),
    REDUCER_ROW("all", NOMEN_F16, all, h16),
    REDUCER_ROW("all", NOMEN_BF16, all, h16),
    REDUCER_ROW("all", NOMEN_F32, all, f32),
    REDUCER_ROW("all", NOMEN_F64, all, f64),
    REDUCER_ROW("all", NOMEN_C64, all, c64),
    REDUCER_ROW("all", NOMEN_C128, all, c128),
    {.name = NULL},
};
