/* Include-template: the largest or the smallest element of every real dtype, without positions;
 * bool is uint8. NaN wins. Before: OP, CORE (the same), BETTER(a, b), V_BETTER of vectors,
 * LEAST(word): the neutral element of a type, given as the first part of the names of its limits,
 * and ENDLESS: the same of floating types. */

#define NONEMPTY
#define LANE_BYTES 256
/* Rows of small integers fill their lanes, but where no instruction joins those they take longer
 * than columns do, and short ones anyway: those of up to a vector (AVX-512), or of 48. */
#define TURNED_MOST                                                                                \
    (sizeof(F) > 2    ? EXTREMUM_MOST                                                              \
     : VB == 64       ? VB / (int)sizeof(F)                                                        \
     : VB == 32       ? 48                                                                         \
     : sizeof(F) == 1 ? 200                                                                        \
                      : 128)
#define JOIN(a, b)  (C)(BETTER(a, b) ? (a) : ((a) != (a) ? (a) : (b)))
#define TOTAL(a, b) JOIN(a, b)
#define TAKE(a, x)  (*(a) = JOIN(*(a), x))
#define MEET(a, b)  (*(a) = JOIN(*(a), *(b)))
#define ID          LIMIT
#define DID         LIMIT
#define A_ZERO      LIMIT

/* JOIN of vectors in three steps: of two equal ones, or with a NaN, the better is the second. */
static inline vf32 FN2(join, OP, f32_vectors)(vf32 a, vf32 b) {
    return v_sel(a != a, a, LOOP_NAME2(V_BETTER, f32)(a, b));
}
static inline vf64 FN2(join, OP, f64_vectors)(vf64 a, vf64 b) {
    return v_sel(a != a, a, LOOP_NAME2(V_BETTER, f64)(a, b));
}

#define SFX u8
#define SMALL
#define T     uint8_t
#define F     uint8_t
#define C     uint8_t
#define D     uint8_t
#define A     uint8_t
#define LD(x) (x)
#define LIMIT LEAST(UINT8)
#define LANES_STAY
#define OUT        uint8_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#define SFX i8
#define SMALL
#define T     int8_t
#define F     int8_t
#define C     int8_t
#define D     int8_t
#define A     int8_t
#define LD(x) (x)
#define LIMIT LEAST(INT8)
#define LANES_STAY
#define OUT        int8_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#define SFX i16
#define SMALL
#define T     int16_t
#define F     int16_t
#define C     int16_t
#define D     int16_t
#define A     int16_t
#define LD(x) (x)
#define LIMIT LEAST(INT16)
#define LANES_STAY
#define OUT        int16_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#define SFX i32
#define T   int32_t
#if VB > 16
#define BITS         32
#define AT_ONCE      vi32
#define AT_ONCE_JOIN LOOP_NAME2(V_BETTER, i32)
#endif
#define F     int32_t
#define C     int32_t
#define D     int32_t
#define A     int32_t
#define LD(x) (x)
#define LIMIT LEAST(INT32)
#define LANES_STAY
#define OUT        int32_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#define SFX i64
#define T   int64_t
#if VB > 16
#define VEC          vi64
#define BITS         64
#define AT_ONCE      vi64
#define AT_ONCE_JOIN LOOP_NAME2(V_BETTER, i64)
#endif
#define F     int64_t
#define C     int64_t
#define D     int64_t
#define A     int64_t
#define LD(x) (x)
#define LIMIT LEAST(INT64)
#define LANES_STAY
#define OUT        int64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#define SFX               f16
#define T                 uint16_t
#define F                 float
#define VEC               vf32
#define C                 float
#define D                 float
#define A                 float
#define LD(x)             (x)
#define FETCH(x)          from_f16(x)
#define WIDEN             widen_f16
#define WIDE_STEP         FN2(step, OP, f32)
#define LV                vf32
#define VLOAD(x)          ld_f16(x)
#define VJOIN             FN2(join, OP, f32_vectors)
#define LIMIT             (float)ENDLESS
#define MADE              uint16_t
#define RESULTS(a, n, to) narrow_f16(a, to, n)
#define RESULTS_STAY
#define LANES_DONE narrow_f16
#define OUT        uint16_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef MADE
#undef RESULTS
#undef SFX
#undef A
#undef LIMIT

#define SFX               bf16
#define T                 uint16_t
#define F                 float
#define VEC               vf32
#define C                 float
#define D                 float
#define A                 float
#define LD(x)             (x)
#define FETCH(x)          from_bf16(x)
#define WIDEN             widen_bf16
#define WIDE_STEP         FN2(step, OP, f32)
#define LV                vf32
#define VLOAD(x)          ld_bf16(x)
#define VJOIN             FN2(join, OP, f32_vectors)
#define LIMIT             (float)ENDLESS
#define MADE              uint16_t
#define RESULTS(a, n, to) narrow_bf16(a, to, n)
#define RESULTS_STAY
#define LANES_DONE narrow_bf16
#define OUT        uint16_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef MADE
#undef RESULTS
#undef SFX
#undef A
#undef LIMIT

#define SFX f32
#define T   float
#if VB > 16
#define BITS         32
#define AT_ONCE      vf32
#define AT_ONCE_JOIN LOOP_NAME2(V_BETTER, f32)
#endif
#define F        float
#define VEC      vf32
#define C        float
#define D        float
#define A        float
#define LD(x)    (x)
#define LV       vf32
#define VLOAD(x) ld_f32(x)
#define VJOIN    FN2(join, OP, f32_vectors)
#define LIMIT    (float)ENDLESS
#define LANES_STAY
#define OUT        float
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#define SFX f64
#define T   double
#if VB > 16
#define BITS         64
#define AT_ONCE      vf64
#define AT_ONCE_JOIN LOOP_NAME2(V_BETTER, f64)
#endif
#define F        double
#define VEC      vf64
#define C        double
#define D        double
#define A        double
#define LD(x)    (x)
#define LV       vf64
#define VLOAD(x) ld_f64(x)
#define VJOIN    FN2(join, OP, f64_vectors)
#define LIMIT    (double)ENDLESS
#define LANES_STAY
#define OUT        double
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef A
#undef LIMIT

#undef NONEMPTY
#undef LANE_BYTES
#undef TURNED_MOST
#undef JOIN
#undef TOTAL
#undef TAKE
#undef MEET
#undef ID
#undef DID
#undef A_ZERO
