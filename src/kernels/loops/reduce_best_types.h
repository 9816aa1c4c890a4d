/* Include-template: reduce_best.h for every real dtype and bool. Before: OP, CORE (the same),
 * BETTER, V_BETTER and HOLDS, as reduce_best.h has them. */

#define SFX      u8
#define T        uint8_t
#define F        uint8_t
#define U        int8_t
#define FLOATING 0
#define OUT      uint8_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      i8
#define T        int8_t
#define F        int8_t
#define U        int8_t
#define FLOATING 0
#define OUT      int8_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      i16
#define T        int16_t
#define F        int16_t
#define U        int16_t
#define FLOATING 0
#define OUT      int16_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      i32
#define T        int32_t
#define F        int32_t
#define TURN     turn_8_u32
#define TURNED   turn_u32x8
#define U        int32_t
#define FLOATING 0
#define OUT      int32_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      i64
#define T        int64_t
#define F        int64_t
#define TURN     turn_4_u64
#define TURNED   turn_u64x4
#define U        int64_t
#define FLOATING 0
#define OUT      int64_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      f16
#define T        uint16_t
#define F        float
#define VEC      vf32
#define U        int32_t
#define FLOATING 1
#define OUT      uint16_t
#define PUT(x)   to_f16(x)
#define FETCH(x) from_f16(x)
#define WIDEN    widen_f16
#include "kernels/loops/reduce_best.h"

#define SFX      bf16
#define T        uint16_t
#define F        float
#define VEC      vf32
#define U        int32_t
#define FLOATING 1
#define OUT      uint16_t
#define PUT(x)   to_bf16(x)
#define FETCH(x) from_bf16(x)
#define WIDEN    widen_bf16
#include "kernels/loops/reduce_best.h"

#define SFX      f32
#define T        float
#define F        float
#define TURN     turn_8_u32
#define TURNED   turn_u32x8
#define VEC      vf32
#define U        int32_t
#define FLOATING 1
#define OUT      float
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      f64
#define T        double
#define F        double
#define TURN     turn_4_u64
#define TURNED   turn_u64x4
#define VEC      vf64
#define U        int64_t
#define FLOATING 1
#define OUT      double
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"
