/* Include-template: reduce_best.h for every real dtype and bool. Before: OP, CORE (the same),
 * BETTER, V_BETTER and HOLDS, as reduce_best.h has them. */

#ifndef NOMEN_SRC_REDUCE_BEST_TYPES_H
#define NOMEN_SRC_REDUCE_BEST_TYPES_H
#if VB == 16
#define BEST_TURN_32   v_turn_u32
#define BEST_TURN_64   v_turn_u64
#define BEST_SQUARE_32 vu32
#define BEST_SQUARE_64 vu64
#else
#define BEST_TURN_32   turn_8_u32
#define BEST_TURN_64   turn_4_u64
#define BEST_SQUARE_32 turn_u32x8
#define BEST_SQUARE_64 turn_u64x4
#endif
#endif

#define SFX u8
#define SMALL
#define T        uint8_t
#define F        uint8_t
#define U        int8_t
#define FLOATING 0
#define OUT      uint8_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX i8
#define SMALL
#define T        int8_t
#define F        int8_t
#define U        int8_t
#define FLOATING 0
#define OUT      int8_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX i16
#define SMALL
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
#define TURN     BEST_TURN_32
#define TURNED   BEST_SQUARE_32
#define U        int32_t
#define FLOATING 0
#define OUT      int32_t
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX i64
#define T   int64_t
#define F   int64_t
#if VB > 16
#define VEC vi64
#endif
#if NOMEN__ISA_ID != NOMEN__ISA_ID_scalar /* which has no comparison of vectors of these */
#define TURN   BEST_TURN_64
#define TURNED BEST_SQUARE_64
#endif
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
#define TURN     BEST_TURN_32
#define TURNED   BEST_SQUARE_32
#define VEC      vf32
#define U        int32_t
#define FLOATING 1
#define OUT      float
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"

#define SFX      f64
#define T        double
#define F        double
#define TURN     BEST_TURN_64
#define TURNED   BEST_SQUARE_64
#define VEC      vf64
#define U        int64_t
#define FLOATING 1
#define OUT      double
#define PUT(x)   (x)
#include "kernels/loops/reduce_best.h"
