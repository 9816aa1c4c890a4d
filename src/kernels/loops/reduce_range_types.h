/* Include-template: reduce_range.h for every real dtype and bool. Before: OP. */

/* Elements of a rectangle that stay in cache between the two. */
enum { RANGE_PIECE = 4096 };

#define SFX u8
#include "kernels/loops/reduce_range.h"

#define SFX i8
#include "kernels/loops/reduce_range.h"

#define SFX i16
#include "kernels/loops/reduce_range.h"

#define SFX i32
#include "kernels/loops/reduce_range.h"

#define SFX i64
#include "kernels/loops/reduce_range.h"

#define SFX f16
#include "kernels/loops/reduce_range.h"

#define SFX bf16
#include "kernels/loops/reduce_range.h"

#define SFX f32
#include "kernels/loops/reduce_range.h"

#define SFX f64
#include "kernels/loops/reduce_range.h"
