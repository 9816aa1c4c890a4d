/* Kernels that look values up in a sorted row. NaN is larger than every number, as it is for sort.
 */
#include "kernels/loops/half.h"
#include "kernels/loops/loops.h"
#include "kernels/simd/count.h"

#include <string.h>

enum { TREE_SAMPLES = 4096 };

#define LESS(a, b) ((a) < (b))
#define LD(x)      ((x) != 0)
#define T          uint8_t
#define FN         search_b8
#include "kernels/loops/search.h"
#undef LD

#define LD(x) (x)
#define T     uint8_t
#define FN    search_u8
#include "kernels/loops/search.h"

#define T  int8_t
#define FN search_i8
#include "kernels/loops/search.h"

#define T  int16_t
#define FN search_i16
#include "kernels/loops/search.h"

#define T                 int32_t
#define FN                search_i32
#define V                 vi32
#define W                 W32
#define PAD               INT32_MAX
#define ODD(x, right)     ((right) && (x) == INT32_MAX)
#define LESS_COUNT(v, x)  v_count_less_i32(v, x)
#define LEAST_COUNT(v, x) v_count_least_i32(v, x)
#include "kernels/loops/search.h"

#define T                 int64_t
#define FN                search_i64
#define V                 vi64
#define W                 W64
#define PAD               INT64_MAX
#define ODD(x, right)     ((right) && (x) == INT64_MAX)
#define LESS_COUNT(v, x)  v_count_less_i64(v, x)
#define LEAST_COUNT(v, x) v_count_least_i64(v, x)
#include "kernels/loops/search.h"
#undef LESS

#define LESS(a, b)        ((int)((a) < (b)) | ((int)((b) != (b)) & (int)((a) == (a))))
#define T                 float
#define FN                search_f32
#define V                 vf32
#define W                 W32
#define PAD               __builtin_nanf("")
#define ODD(x, right)     ((x) != (x))
#define LESS_COUNT(v, x)  v_count_less_f32(v, x)
#define LEAST_COUNT(v, x) v_count_least_f32(v, x)
#include "kernels/loops/search.h"

#define T                 double
#define FN                search_f64
#define V                 vf64
#define W                 W64
#define PAD               __builtin_nan("")
#define ODD(x, right)     ((x) != (x))
#define LESS_COUNT(v, x)  v_count_less_f64(v, x)
#define LEAST_COUNT(v, x) v_count_least_f64(v, x)
#include "kernels/loops/search.h"
#undef LD

#define T     uint16_t
#define LD(x) from_f16(x)
#define FN    search_f16
#include "kernels/loops/search.h"
#undef LD

#define LD(x) from_bf16(x)
#define T     uint16_t
#define FN    search_bf16
#include "kernels/loops/search.h"

const nomen__kernel NOMEN__TABLE(search)[] = {
    ROW_BOOL("search", search),
    ROWS_INTS("search", search),
    ROWS_FLOATS("search", search),
    {.name = NULL},
};
