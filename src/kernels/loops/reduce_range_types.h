/* Include-template: reduce_range.h for every real dtype; bool is uint8. Before: OP. */

/* Elements of a rectangle that stay in cache between the two. */
enum { RANGE_PIECE = 4096 };

#define SFX u8
#define A   uint8_t
#include "kernels/loops/reduce_range.h"

#define SFX i8
#define A   int8_t
#include "kernels/loops/reduce_range.h"

#define SFX i16
#define A   int16_t
#include "kernels/loops/reduce_range.h"

#define SFX i32
#define A   int32_t
#define V   vi32
#define W   W32
#include "kernels/loops/reduce_range.h"

#define SFX i64
#define A   int64_t
#if VB > 16
#define V vi64
#define W W64
#endif
#include "kernels/loops/reduce_range.h"

#define SFX f16
#define A   float
#define HALF
#include "kernels/loops/reduce_range.h"

#define SFX bf16
#define A   float
#define HALF
#include "kernels/loops/reduce_range.h"

#define SFX f32
#define A   float
#define V   vf32
#define W   W32
#define NANS
#include "kernels/loops/reduce_range.h"

#define SFX f64
#define A   double
#define V   vf64
#define W   W64
#define NANS
#include "kernels/loops/reduce_range.h"
