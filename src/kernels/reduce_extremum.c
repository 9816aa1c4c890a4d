/* max and min with positions. Without: reduce_range.c.
 *
 * Idea: a block of a row is first searched for its extremum alone, in lanes; only if that beats
 * what is known the block is searched once more for the position, which for data in no order
 * happens in few blocks. Columns carry value and row number in lanes of the same width. Equal
 * values keep the smallest position, whatever order steps come in.
 *
 * Limit: bytes read from a buffer of the same size. Share (bench/bench_kernels.c) on a shared
 * Zen 5 at 1 MiB: float32 about 80 % in a long row, 35 to 45 % in columns. */
#include "kernels/loops/reduce.h"

#define OP           max
#define CORE         max
#define BETTER(a, b) ((a) > (b))
#define V_BETTER     v_greater
#define HOLDS(a, b)  ((a) >= (b))
#include "kernels/loops/reduce_best_types.h"
#undef OP
#undef CORE
#undef BETTER
#undef V_BETTER
#undef HOLDS

#define OP           min
#define CORE         min
#define BETTER(a, b) ((a) < (b))
#define V_BETTER     v_lesser
#define HOLDS(a, b)  ((a) <= (b))
#include "kernels/loops/reduce_best_types.h"

const nomen__kernel NOMEN__TABLE(reduce_extremum)[] = {
    REDUCER_ROW("max", NOMEN_BOOL, max, u8),
    REDUCER_ROW("max", NOMEN_U8, max, u8),
    REDUCER_ROW("max", NOMEN_I8, max, i8),
    REDUCER_ROW("max", NOMEN_I16, max, i16),
    REDUCER_ROW("max", NOMEN_I32, max, i32),
    REDUCER_ROW("max", NOMEN_I64, max, i64),
    REDUCER_ROW("max", NOMEN_F16, max, f16),
    REDUCER_ROW("max", NOMEN_BF16, max, bf16),
    REDUCER_ROW("max", NOMEN_F32, max, f32),
    REDUCER_ROW("max", NOMEN_F64, max, f64),
    REDUCER_ROW("min", NOMEN_BOOL, min, u8),
    REDUCER_ROW("min", NOMEN_U8, min, u8),
    REDUCER_ROW("min", NOMEN_I8, min, i8),
    REDUCER_ROW("min", NOMEN_I16, min, i16),
    REDUCER_ROW("min", NOMEN_I32, min, i32),
    REDUCER_ROW("min", NOMEN_I64, min, i64),
    REDUCER_ROW("min", NOMEN_F16, min, f16),
    REDUCER_ROW("min", NOMEN_BF16, min, bf16),
    REDUCER_ROW("min", NOMEN_F32, min, f32),
    REDUCER_ROW("min", NOMEN_F64, min, f64),
    {.name = NULL},
};
