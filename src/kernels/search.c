/* Kernels that look values up in a sorted row. NaN is larger than every number, as it is for sort.
 */
#include "kernels/loops/half.h"
#include "kernels/loops/loops.h"

#define LESS(a, b) ((a) < (b))
#define LD(x)      ((x) != 0)
#define T          uint8_t
#define FN         search_b8
#include "kernels/loops/search.h"
#undef FN
#undef LD

#define LD(x) (x)
#define FN    search_u8
#include "kernels/loops/search.h"
#undef FN
#undef T

#define T  int8_t
#define FN search_i8
#include "kernels/loops/search.h"
#undef FN
#undef T

#define T  int16_t
#define FN search_i16
#include "kernels/loops/search.h"
#undef FN
#undef T

#define T  int32_t
#define FN search_i32
#include "kernels/loops/search.h"
#undef FN
#undef T

#define T  int64_t
#define FN search_i64
#include "kernels/loops/search.h"
#undef FN
#undef T
#undef LESS

#define LESS(a, b) ((int)((a) < (b)) | ((int)((b) != (b)) & (int)((a) == (a))))
#define T          float
#define FN         search_f32
#include "kernels/loops/search.h"
#undef FN
#undef T

#define T  double
#define FN search_f64
#include "kernels/loops/search.h"
#undef FN
#undef T
#undef LD

#define T     uint16_t
#define LD(x) from_f16(x)
#define FN    search_f16
#include "kernels/loops/search.h"
#undef FN
#undef LD

#define LD(x) from_bf16(x)
#define FN    search_bf16
#include "kernels/loops/search.h"

const nomen__kernel NOMEN__TABLE(search)[] = {
    ROW_BOOL("search", search),
    ROWS_INTS("search", search),
    ROWS_FLOATS("search", search),
    {.name = NULL},
};
