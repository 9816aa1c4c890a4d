/* How many elements are not zero, and the 0-norm, which is the same in another dtype.
 *
 * Idea: an element is not zero if a bit of it is set that is not the sign (reduce_logic.c); ones
 * are added in lanes that a block cannot overflow. */
#define HEAVY
#define OF_ONE NOMEN__TRUTH
#include "kernels/loops/reduce.h"
#include "kernels/loops/row_bytes.h"

#define LANE_BYTES  256
#define TURNED_MOST UNORDERED_MOST(T)
#define OP          count
#define CORE        count
#define JOIN(a, b)  (C)((a) + (b))
#define TOTAL(a, b) ((a) + (D)(b))
#define ID          0
#define DID         0
#define A           uint64_t
#define A_ZERO      0
#define TAKE(a, x)  (*(a) += (uint64_t)(x))
#define MEET(a, b)  (*(a) += *(b))

#define TRUE(type, bits) ((bits) != 0)
#define LANE_8           int16_t
#define LANE_16          int16_t
#define LANE_32          int32_t
#define LANE_64          int64_t
#define TOTAL_OF(lane)   int64_t
#define TYPE             uint64_t
#define RESULT(a)        (*(a))
#define BYTE_ROWS
#include "kernels/loops/fold_truth.h"

/* ---- the 0-norm ------------------------------------------------------------------------------ */
#undef OP
#define OP         norm_0_f16
#define SFX        h16
#define OUT        uint16_t
#define DONE(a, p) to_f16((float)*(a))
#include "kernels/loops/reduce_finish.h"
#undef OP
#undef SFX

#define OP         norm_0_bf16
#define SFX        h16
#define OUT        uint16_t
#define NARROWED   narrow_odd_bf16
#define DONE(a, p) (double)*(a)
#include "kernels/loops/reduce_finish.h"
#undef OP
#undef SFX

#define OP         norm_0
#define SFX        f32
#define OUT        float
#define DONE(a, p) (float)*(a)
#include "kernels/loops/reduce_finish.h"
#undef OP
#undef SFX

#define OP         norm_0
#define SFX        f64
#define OUT        double
#define DONE(a, p) (double)*(a)
#include "kernels/loops/reduce_finish.h"
#undef OP
#undef SFX

#define OP         norm_0
#define SFX        c64
#define OUT        float
#define DONE(a, p) (float)*(a)
#include "kernels/loops/reduce_finish.h"
#undef OP
#undef SFX

#define OP         norm_0
#define SFX        c128
#define OUT        double
#define DONE(a, p) (double)*(a)
#include "kernels/loops/reduce_finish.h"
#undef OP
#undef SFX

const nomen__kernel NOMEN__TABLE(reduce_count)[] = {
    REDUCER_ROW("count_nonzero", NOMEN_BOOL, count, u8),
    REDUCER_ROW("count_nonzero", NOMEN_U8, count, u8),
    REDUCER_ROW("count_nonzero", NOMEN_I8, count, u8),
    REDUCER_ROW("count_nonzero", NOMEN_I16, count, u16),
    REDUCER_ROW("count_nonzero", NOMEN_I32, count, u32),
    REDUCER_ROW("count_nonzero", NOMEN_I64, count, u64),
    REDUCER_ROW("count_nonzero", NOMEN_F16, count, h16),
    REDUCER_ROW("count_nonzero", NOMEN_BF16, count, h16),
    REDUCER_ROW("count_nonzero", NOMEN_F32, count, f32),
    REDUCER_ROW("count_nonzero", NOMEN_F64, count, f64),
    REDUCER_ROW("count_nonzero", NOMEN_C64, count, c64),
    REDUCER_ROW("count_nonzero", NOMEN_C128, count, c128),
    REDUCER_ROW("norm_0", NOMEN_F16, norm_0_f16, h16),
    REDUCER_ROW("norm_0", NOMEN_BF16, norm_0_bf16, h16),
    REDUCER_ROW("norm_0", NOMEN_F32, norm_0, f32),
    REDUCER_ROW("norm_0", NOMEN_F64, norm_0, f64),
    REDUCER_ROW("norm_0", NOMEN_C64, norm_0, c64),
    REDUCER_ROW("norm_0", NOMEN_C128, norm_0, c128),
    {.name = NULL},
};
