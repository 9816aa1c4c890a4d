/* The largest and the smallest element so far, with positions. Of everything: reduce_extremum.c. */
#include "kernels/loops/scan.h"
#include "kernels/simd/keys.h"

#define OP            cummax
#define REACHES(a, b) ((a) >= (b))
#define DOWN          0
#include "kernels/loops/scan_best_types.h"
#undef OP
#undef REACHES
#undef DOWN

#define OP            cummin
#define REACHES(a, b) ((a) <= (b))
#define DOWN          1
#include "kernels/loops/scan_best_types.h"

#define SCAN_INTS(text, op)                                                                        \
    SCAN_ROW(text, NOMEN_BOOL, op, u8), SCAN_ROW(text, NOMEN_U8, op, u8),                          \
        SCAN_ROW(text, NOMEN_I8, op, i8), SCAN_ROW(text, NOMEN_I16, op, i16),                      \
        SCAN_ROW(text, NOMEN_I32, op, i32), SCAN_ROW(text, NOMEN_I64, op, i64)

const nomen__kernel NOMEN__TABLE(scan_extremum)[] = {
    SCAN_INTS("cummax", cummax),
    SCAN_FLOATS("cummax", cummax),
    SCAN_INTS("cummin", cummin),
    SCAN_FLOATS("cummin", cummin),
    {.name = NULL},
};
