/* Includes reduce_fold.h for what is found out of elements by the bits that make them true, those
 * that are not the sign of a zero: unsigned types and a mask serve all dtypes. No include guard.
 * Before: what reduce_fold.h leaves alone; TRUE(type, bits), what is folded; LANE_8 .. LANE_64 (its
 * C) of elements of so many bits, TOTAL_OF(lane) (its D); TYPE and RESULT(A *): what is written.
 * FOLD_ROW may read BITS, those bits of T (of a complex128 of each part); BYTE_ROWS as in
 * fold_ints.h. Takes TRUE, LANE_*, TOTAL_OF, TYPE and RESULT away again. */

#define SIZE_BITS 0x7fffffffffffffffu

#define SFX   u8
#define T     uint8_t
#define F     uint8_t
#define C     LANE_8
#define D     TOTAL_OF(LANE_8)
#define BITS  UINT8_MAX
#define LD(x) TRUE(T, (x))
#ifdef BYTE_ROWS
#define FOLD_ROW(x, n) BYTES_ROW(x, n, BYTES_TRUE)
#pragma push_macro("TURNED_MOST")
#undef TURNED_MOST
#define TURNED_MOST VB
#endif
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS
#ifdef BYTE_ROWS
#undef FOLD_ROW
#undef BYTE_ROWS
#pragma pop_macro("TURNED_MOST")
#endif

#define SFX        u16
#define T          uint16_t
#define F          uint16_t
#define C          LANE_16
#define D          TOTAL_OF(LANE_16)
#define BITS       UINT16_MAX
#define LD(x)      TRUE(T, (x))
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        u32
#define T          uint32_t
#define F          uint32_t
#define C          LANE_32
#define D          TOTAL_OF(LANE_32)
#define BITS       UINT32_MAX
#define LD(x)      TRUE(T, (x))
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        u64
#define T          uint64_t
#define F          uint64_t
#define C          LANE_64
#define D          TOTAL_OF(LANE_64)
#define BITS       UINT64_MAX
#define LD(x)      TRUE(T, (x))
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        h16
#define T          uint16_t
#define F          uint16_t
#define C          LANE_16
#define D          TOTAL_OF(LANE_16)
#define BITS       0x7fffu
#define LD(x)      TRUE(T, (x) & BITS)
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        f32
#define T          uint32_t
#define F          uint32_t
#define C          LANE_32
#define D          TOTAL_OF(LANE_32)
#define BITS       0x7fffffffu
#define LD(x)      TRUE(T, (x) & BITS)
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        f64
#define T          uint64_t
#define F          uint64_t
#define C          LANE_64
#define D          TOTAL_OF(LANE_64)
#define BITS       SIZE_BITS
#define LD(x)      TRUE(T, (x) & BITS)
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        c64
#define T          uint64_t
#define F          uint64_t
#define C          LANE_64
#define D          TOTAL_OF(LANE_64)
#define BITS       0x7fffffff7fffffffu
#define LD(x)      TRUE(T, (x) & BITS)
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#define SFX        c128
#define T          u128
#define F          u128
#define C          LANE_64
#define D          TOTAL_OF(LANE_64)
#define BITS       SIZE_BITS
#define LD(x)      TRUE(uint64_t, (((x).re | (x).im) & BITS))
#define OUT        TYPE
#define LANES_DONE FN(done_alone)
#define DONE(a, p) RESULT(a)
#include "kernels/loops/reduce_fold.h"
#undef SFX
#undef BITS

#undef SIZE_BITS
#undef TRUE
#undef LANE_8
#undef LANE_16
#undef LANE_32
#undef LANE_64
#undef TOTAL_OF
#undef TYPE
#undef RESULT
