/* Kernels that write bool: comparisons, logical operations, isnan. Complex operands: complex.c. */
#include "kernels/loops/loops.h"

#define OP         eq
#define EXPR(x, y) ((x) == (y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         eq
#define EXPR(x, y) ((x) == (y))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         ne
#define EXPR(x, y) ((x) != (y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         ne
#define EXPR(x, y) ((x) != (y))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         lt
#define EXPR(x, y) ((x) < (y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         lt
#define EXPR(x, y) ((x) < (y))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         le
#define EXPR(x, y) ((x) <= (y))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP         le
#define EXPR(x, y) ((x) <= (y))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

/* x > y is y < x: the same loops with the operands swapped. */
static inline void swapped(nomen__loop *loop, char *const ptr[], const int64_t step[], int64_t n) {
    loop((char *const[]){ptr[0], ptr[2], ptr[1]}, (const int64_t[]){step[0], step[2], step[1]}, n);
}
#define SWAPPED(op, of, dtype)                                                                     \
    static void op##_##dtype(char *const ptr[], const int64_t step[], int64_t n) {                 \
        swapped(of##_##dtype, ptr, step, n);                                                       \
    }

#if W32 > 1
static inline void swapped_lines(nomen__lines *loop, char *const ptr[], const int64_t step[],
                                 int64_t n, const int64_t down[], int64_t lines) {
    loop((char *const[]){ptr[0], ptr[2], ptr[1]}, (const int64_t[]){step[0], step[2], step[1]}, n,
         (const int64_t[]){down[0], down[2], down[1]}, lines);
}
#define SWAPPED_LINES(op, of, dtype)                                                               \
    static void op##_##dtype##_lines(char *const ptr[], const int64_t step[], int64_t n,           \
                                     const int64_t down[], int64_t lines) {                        \
        swapped_lines(of##_##dtype##_lines, ptr, step, n, down, lines);                            \
    }

SWAPPED_LINES(gt, lt, f16)
SWAPPED_LINES(gt, lt, bf16)
SWAPPED_LINES(gt, lt, f32)
SWAPPED_LINES(gt, lt, f64)
SWAPPED_LINES(ge, le, f16)
SWAPPED_LINES(ge, le, bf16)
SWAPPED_LINES(ge, le, f32)
SWAPPED_LINES(ge, le, f64)
#endif
SWAPPED(gt, lt, b8)
SWAPPED(gt, lt, u8)
SWAPPED(gt, lt, i8)
SWAPPED(gt, lt, i16)
SWAPPED(gt, lt, i32)
SWAPPED(gt, lt, i64)
SWAPPED(gt, lt, f16)
SWAPPED(gt, lt, bf16)
SWAPPED(gt, lt, f32)
SWAPPED(gt, lt, f64)
SWAPPED(ge, le, b8)
SWAPPED(ge, le, u8)
SWAPPED(ge, le, i8)
SWAPPED(ge, le, i16)
SWAPPED(ge, le, i32)
SWAPPED(ge, le, i64)
SWAPPED(ge, le, f16)
SWAPPED(ge, le, bf16)
SWAPPED(ge, le, f32)
SWAPPED(ge, le, f64)

#define OP         logical_and
#define EXPR(x, y) (((x) != 0) & ((y) != 0))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         logical_and
#define EXPR(x, y) (((x) != 0) & ((y) != 0))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         logical_or
#define EXPR(x, y) (((x) != 0) | ((y) != 0))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         logical_or
#define EXPR(x, y) (((x) != 0) | ((y) != 0))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         logical_xor
#define EXPR(x, y) (((x) != 0) ^ ((y) != 0))
#define OUT_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         logical_xor
#define EXPR(x, y) (((x) != 0) ^ ((y) != 0))
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP      logical_not
#define EXPR(x) ((x) == 0)
#define OUT_BOOL
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/floats.h"

#define OP      logical_not
#define EXPR(x) ((x) == 0)
#define OUT_BOOL
#define AND_BOOL
#define LOOP "kernels/loops/unary.h"
#define BY_LINES
#include "kernels/loops/ints.h"

/* ---- results of the operands' own dtype -------------------------------------------------------
 * In place a comparison writes ones and zeros of the tensor's dtype: bools that are cast take half
 * as long again. Half types are cast, which takes no longer than the comparison. */
static inline void st_truth_f32(void *p, vi32 m) { st_f32(p, (vf32)(m & (vi32)v_set_f32(1))); }
static inline void st_truth_f64(void *p, vi64 m) { st_f64(p, (vf64)(m & (vi64)v_set_f64(1))); }
static inline void st_truth_f32_n(void *p, vi32 m, int64_t k) {
    st_f32_n(p, (vf32)(m & (vi32)v_set_f32(1)), k);
}
static inline void st_truth_f64_n(void *p, vi64 m, int64_t k) {
    st_f64_n(p, (vf64)(m & (vi64)v_set_f64(1)), k);
}

#define OP         eq_own
#define EXPR(x, y) ((x) == (y))
#define OUT_TRUTH
#define HALVES_APART
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         eq_own
#define EXPR(x, y) ((x) == (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         ne_own
#define EXPR(x, y) ((x) != (y))
#define OUT_TRUTH
#define HALVES_APART
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         ne_own
#define EXPR(x, y) ((x) != (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         lt_own
#define EXPR(x, y) ((x) < (y))
#define OUT_TRUTH
#define HALVES_APART
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         lt_own
#define EXPR(x, y) ((x) < (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

#define OP         le_own
#define EXPR(x, y) ((x) <= (y))
#define OUT_TRUTH
#define HALVES_APART
#define LOOP "kernels/loops/binary.h"
#include "kernels/loops/floats.h"

#define OP         le_own
#define EXPR(x, y) ((x) <= (y))
#define LOOP       "kernels/loops/binary.h"
#include "kernels/loops/ints.h"

SWAPPED(gt_own, lt_own, u8)
SWAPPED(gt_own, lt_own, i8)
SWAPPED(gt_own, lt_own, i16)
SWAPPED(gt_own, lt_own, i32)
SWAPPED(gt_own, lt_own, i64)
SWAPPED(gt_own, lt_own, f32)
SWAPPED(gt_own, lt_own, f64)
SWAPPED(ge_own, le_own, u8)
SWAPPED(ge_own, le_own, i8)
SWAPPED(ge_own, le_own, i16)
SWAPPED(ge_own, le_own, i32)
SWAPPED(ge_own, le_own, i64)
SWAPPED(ge_own, le_own, f32)
SWAPPED(ge_own, le_own, f64)

#define ROW_OWN(text, enumerator, function)                                                        \
    {.name = text, .dtype = enumerator, .to = enumerator, .loop = function}
#define ROWS_OWN(text, op)                                                                         \
    ROW_OWN(text, NOMEN_U8, op##_u8), ROW_OWN(text, NOMEN_I8, op##_i8),                            \
        ROW_OWN(text, NOMEN_I16, op##_i16), ROW_OWN(text, NOMEN_I32, op##_i32),                    \
        ROW_OWN(text, NOMEN_I64, op##_i64), ROW_OWN(text, NOMEN_F32, op##_f32),                    \
        ROW_OWN(text, NOMEN_F64, op##_f64)
#define ROWS_REAL(text, op)  ROW_BOOL(text, op), ROWS_INTS(text, op), ROWS_FLOATS(text, op)
#define ROWS_ORDER(text, op) ROW_BOOL(text, op), ROWS_INTS(text, op), ROWS_FLOATS_LINES(text, op)

const nomen__kernel NOMEN__TABLE(compare)[] = {
    ROWS_ORDER("eq", eq),
    ROWS_ORDER("ne", ne),
    ROWS_ORDER("lt", lt),
    ROWS_ORDER("le", le),
    ROWS_ORDER("gt", gt),
    ROWS_ORDER("ge", ge),
    ROWS_REAL("logical_and", logical_and),
    ROWS_REAL("logical_or", logical_or),
    ROWS_REAL("logical_xor", logical_xor),
    ROW_LINES("logical_not", NOMEN_BOOL, logical_not_b8),
    ROWS_INTS_LINES("logical_not", logical_not),
    ROWS_FLOATS_LINES("logical_not", logical_not),
    ROW_LINES("bitwise_not", NOMEN_BOOL, logical_not_b8), /* of integers: unary.c */
    ROWS_OWN("eq", eq_own),
    ROWS_OWN("ne", ne_own),
    ROWS_OWN("lt", lt_own),
    ROWS_OWN("le", le_own),
    ROWS_OWN("gt", gt_own),
    ROWS_OWN("ge", ge_own),
    {.name = NULL},
};
