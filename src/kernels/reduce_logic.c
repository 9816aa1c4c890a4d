/* any and all, of every dtype.
 *
 * Idea: an element is true if a bit of it is set that is not the sign of a zero. So four unsigned
 * types and a mask serve all dtypes, and a block is one run of "or" or "and". A decided accumulator
 * skips the rest of its row.
 *
 * Limit: bytes read from a buffer of the same size. Share (bench/bench_kernels.c) on a shared
 * AVX-512 machine at 1 MiB: int32 60 % in columns; a decided row costs next to nothing. */
#define HEAVY
#include "kernels/loops/reduce.h"

#define ABS16   0x7fffu
#define ABS32   0x7fffffffu
#define ABS64   0x7fffffffffffffffu
#define ABS32X2 0x7fffffff7fffffffu

/* ---- any ------------------------------------------------------------------------------------- */
#define LANE_BYTES  256
#define TURNED_MOST UNORDERED_MOST(T)
#define OP          any
#define CORE        any
#define JOIN(a, b)  (C)((a) | (b))
#define TOTAL(a, b) (D)((a) | (b))
#define ID          0
#define DID         0
#define A_ZERO      0
#define DECIDED(a)  (*(a))
#define A           uint64_t
#define TAKE(a, x)  (*(a) |= (x))
#define MEET(a, b)  (*(a) |= *(b))

#define SFX        u8
#define T          uint8_t
#define F          uint8_t
#define C          uint8_t
#define D          uint8_t
#define LD(x)      (x)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        u16
#define T          uint16_t
#define F          uint16_t
#define C          uint16_t
#define D          uint16_t
#define LD(x)      (x)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        u32
#define T          uint32_t
#define F          uint32_t
#define C          uint32_t
#define D          uint32_t
#define LD(x)      (x)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        u64
#define T          uint64_t
#define F          uint64_t
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (x)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        h16
#define T          uint16_t
#define F          uint16_t
#define C          uint16_t
#define D          uint16_t
#define LD(x)      (uint16_t)((x) & ABS16)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        f32
#define T          uint32_t
#define F          uint32_t
#define C          uint32_t
#define D          uint32_t
#define LD(x)      (uint32_t)((x) & ABS32)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        f64
#define T          uint64_t
#define F          uint64_t
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (uint64_t)((x) & ABS64)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        c64
#define T          uint64_t
#define F          uint64_t
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (uint64_t)((x) & ABS32X2)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        c128
#define T          u128
#define F          u128
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (((x).re | (x).im) & ABS64)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

/* ---- all ------------------------------------------------------------------------------------- */
#undef OP
#undef CORE
#undef TOTAL
#undef ID
#undef DID
#undef A_ZERO
#undef DECIDED
#define OP   all
#define CORE all
#undef JOIN
#define JOIN(a, b)  (C)((a) & (b))
#define TOTAL(a, b) (D)((a) & (b))
#define ID          1
#define DID         1
#define A_ZERO      1
#define DECIDED(a)  (!*(a))
#undef TAKE
#undef MEET
#define TAKE(a, x) (*(a) &= (x))
#define MEET(a, b) (*(a) &= *(b))

#undef SFX
#define SFX        u8
#define T          uint8_t
#define F          uint8_t
#define C          uint8_t
#define D          uint8_t
#define LD(x)      (uint8_t)((x) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        u16
#define T          uint16_t
#define F          uint16_t
#define C          uint16_t
#define D          uint16_t
#define LD(x)      (uint16_t)((x) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        u32
#define T          uint32_t
#define F          uint32_t
#define C          uint32_t
#define D          uint32_t
#define LD(x)      (uint32_t)((x) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        u64
#define T          uint64_t
#define F          uint64_t
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (uint64_t)((x) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        h16
#define T          uint16_t
#define F          uint16_t
#define C          uint16_t
#define D          uint16_t
#define LD(x)      (uint16_t)(((x) & ABS16) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        f32
#define T          uint32_t
#define F          uint32_t
#define C          uint32_t
#define D          uint32_t
#define LD(x)      (uint32_t)(((x) & ABS32) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        f64
#define T          uint64_t
#define F          uint64_t
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (uint64_t)(((x) & ABS64) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        c64
#define T          uint64_t
#define F          uint64_t
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (uint64_t)(((x) & ABS32X2) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

#undef SFX
#define SFX        c128
#define T          u128
#define F          u128
#define C          uint64_t
#define D          uint64_t
#define LD(x)      (uint64_t)((((x).re | (x).im) & ABS64) != 0)
#define OUT        uint8_t
#define DONE(a, p) (uint8_t)(*(a) != 0)
#include "kernels/loops/reduce_fold.h"

const nomen__kernel NOMEN__TABLE(reduce_logic)[] = {
    REDUCER_ROW("any", NOMEN_BOOL, any, u8),
    REDUCER_ROW("any", NOMEN_U8, any, u8),
    REDUCER_ROW("any", NOMEN_I8, any, u8),
    REDUCER_ROW("any", NOMEN_I16, any, u16),
    REDUCER_ROW("any", NOMEN_I32, any, u32),
    REDUCER_ROW("any", NOMEN_I64, any, u64),
    REDUCER_ROW("any", NOMEN_F16, any, h16),
    REDUCER_ROW("any", NOMEN_BF16, any, h16),
    REDUCER_ROW("any", NOMEN_F32, any, f32),
    REDUCER_ROW("any", NOMEN_F64, any, f64),
    REDUCER_ROW("any", NOMEN_C64, any, c64),
    REDUCER_ROW("any", NOMEN_C128, any, c128),
    REDUCER_ROW("all", NOMEN_BOOL, all, u8),
    REDUCER_ROW("all", NOMEN_U8, all, u8),
    REDUCER_ROW("all", NOMEN_I8, all, u8),
    REDUCER_ROW("all", NOMEN_I16, all, u16),
    REDUCER_ROW("all", NOMEN_I32, all, u32),
    REDUCER_ROW("all", NOMEN_I64, all, u64),
    REDUCER_ROW("all", NOMEN_F16, all, h16),
    REDUCER_ROW("all", NOMEN_BF16, all, h16),
    REDUCER_ROW("all", NOMEN_F32, all, f32),
    REDUCER_ROW("all", NOMEN_F64, all, f64),
    REDUCER_ROW("all", NOMEN_C64, all, c64),
    REDUCER_ROW("all", NOMEN_C128, all, c128),
    {.name = NULL},
};
