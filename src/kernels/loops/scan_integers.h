/* Include-template: scan_fold.h for every integer dtype. All are joined in 64 bits and wrap, so the
 * narrow ones have the low bits of the wide result. Before: OP, ID, A_ZERO, JOIN, TAKE, MEET, GET,
 * CHAINS and SUMS as in scan_fold.h, for uint64_t. After: SFX and A are undefined. */

#define A uint64_t
#define COPIES

#define SFX    u8
#define T      uint8_t
#define F      uint8_t
#define D      uint64_t
#define LD(x)  (uint64_t)(x)
#define PUT(d) (uint8_t)(d)
#include "kernels/loops/scan_fold.h"

#undef SFX
#define SFX    i8
#define T      int8_t
#define F      int8_t
#define D      uint64_t
#define LD(x)  (uint64_t)(x)
#define PUT(d) (int8_t)(d)
#include "kernels/loops/scan_fold.h"

#undef SFX
#define SFX    i16
#define T      int16_t
#define F      int16_t
#define D      uint64_t
#define LD(x)  (uint64_t)(x)
#define PUT(d) (int16_t)(d)
#include "kernels/loops/scan_fold.h"

#undef SFX
#define SFX    i32
#define T      int32_t
#define F      int32_t
#define D      uint64_t
#define LD(x)  (uint64_t)(x)
#define PUT(d) (int32_t)(d)
#include "kernels/loops/scan_fold.h"

#undef SFX
#undef COPIES
#define SFX    i64
#define T      int64_t
#define F      int64_t
#define D      uint64_t
#define LD(x)  (uint64_t)(x)
#define PUT(d) (int64_t)(d)
#define DIRECT
#include "kernels/loops/scan_fold.h"

#undef SFX
#undef A
