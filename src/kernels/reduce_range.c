/* The largest and the smallest element without positions, and both at once. With positions:
 * reduce_extremum.c. */
#include "kernels/loops/reduce.h"

#define OF_ONE NOMEN__ITSELF

#define OP           amax
#define CORE         amax
#define BETTER(a, b) ((a) > (b))
#define V_BETTER     v_greater
#define LEAST(word)  LEAST_##word
#define ENDLESS      -__builtin_inf()
#define LEAST_UINT8  0
#define LEAST_INT8   INT8_MIN
#define LEAST_INT16  INT16_MIN
#define LEAST_INT32  INT32_MIN
#define LEAST_INT64  INT64_MIN
#include "kernels/loops/reduce_most_types.h"
#undef OP
#undef CORE
#undef BETTER
#undef V_BETTER
#undef LEAST
#undef ENDLESS

#define OP           amin
#define CORE         amin
#define BETTER(a, b) ((a) < (b))
#define V_BETTER     v_lesser
#define LEAST(word)  word##_MAX
#define ENDLESS      __builtin_inf()
#include "kernels/loops/reduce_most_types.h"
#undef OP
#undef CORE

#define OP aminmax
#include "kernels/loops/reduce_range_types.h"

const nomen__kernel NOMEN__TABLE(reduce_range)[] = {
    REDUCER_ROW("amax", NOMEN_BOOL, amax, u8),
    REDUCER_ROW("amax", NOMEN_U8, amax, u8),
    REDUCER_ROW("amax", NOMEN_I8, amax, i8),
    REDUCER_ROW("amax", NOMEN_I16, amax, i16),
    REDUCER_ROW("amax", NOMEN_I32, amax, i32),
    REDUCER_ROW("amax", NOMEN_I64, amax, i64),
    REDUCER_FLOATS("amax", amax),
    REDUCER_ROW("amin", NOMEN_BOOL, amin, u8),
    REDUCER_ROW("amin", NOMEN_U8, amin, u8),
    REDUCER_ROW("amin", NOMEN_I8, amin, i8),
    REDUCER_ROW("amin", NOMEN_I16, amin, i16),
    REDUCER_ROW("amin", NOMEN_I32, amin, i32),
    REDUCER_ROW("amin", NOMEN_I64, amin, i64),
    REDUCER_FLOATS("amin", amin),
    REDUCER_ROW("aminmax", NOMEN_BOOL, aminmax, u8),
    REDUCER_ROW("aminmax", NOMEN_U8, aminmax, u8),
    REDUCER_ROW("aminmax", NOMEN_I8, aminmax, i8),
    REDUCER_ROW("aminmax", NOMEN_I16, aminmax, i16),
    REDUCER_ROW("aminmax", NOMEN_I32, aminmax, i32),
    REDUCER_ROW("aminmax", NOMEN_I64, aminmax, i64),
    REDUCER_FLOATS("aminmax", aminmax),
    {.name = NULL},
};
