/* Includes reduce_fold.h for bool and the integers, whose results wrap in 64 bits; no include
 * guard. Before: what reduce_fold.h leaves alone, BLOCK (its D), and LANE8, LANE16 and LANE32, the
 * lanes of the types of so many bits; if vectors of int64 are joined: JOIN64(a, b), and FIRST64(p,
 * k), the first k of one and what changes nothing; of bool also
 * BOOL_LANE and BOOL_JOIN, if what comes of 0 and 1 is 0 or 1, and cheaper; BYTE_ROWS if
 * rows of bytes are added up as row_bytes.h does. Takes these away again. */

/* int64 is turned over two by two, which takes longer than to join them */
#define TURNED_MOST (sizeof(T) == 8 ? INT64_MOST : UNORDERED_MOST(T))

#ifdef BYTE_ROWS
#pragma push_macro("TURNED_MOST")
#undef TURNED_MOST
#define TURNED_MOST VB
#endif

#define SFX b8
#define T   uint8_t
#define F   uint8_t
#ifdef BOOL_JOIN
#pragma push_macro("JOIN")
#undef JOIN
#define JOIN(a, b) BOOL_JOIN(a, b)
#define C          BOOL_LANE
#else
#define C LANE8
#endif
#define D     BLOCK
#define LD(x) (C)((x) != 0)
#ifdef BYTE_ROWS
#define FOLD_ROW(x, n) BYTES_ROW(x, n, BYTES_TRUE)
#endif
#define OUT        uint64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#ifdef BOOL_JOIN
#pragma pop_macro("JOIN")
#undef BOOL_JOIN
#undef BOOL_LANE
#endif

#define SFX   u8
#define T     uint8_t
#define F     uint8_t
#define C     LANE8
#define D     BLOCK
#define LD(x) (C)(x)
#ifdef BYTE_ROWS
#undef FOLD_ROW
#define FOLD_ROW(x, n) BYTES_ROW(x, n, BYTES_PLAIN)
#endif
#define OUT        uint64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX

#define SFX   i8
#define T     int8_t
#define F     int8_t
#define C     LANE8
#define D     BLOCK
#define LD(x) (C)(x)
#ifdef BYTE_ROWS
#undef FOLD_ROW
#define FOLD_ROW(x, n) BYTES_ROW(x, n, BYTES_SIGNED)
#endif
#define OUT        uint64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX
#ifdef BYTE_ROWS
#undef FOLD_ROW
#undef BYTE_ROWS
#pragma pop_macro("TURNED_MOST")
#endif

#define SFX        i16
#define T          int16_t
#define F          int16_t
#define C          LANE16
#define D          BLOCK
#define LD(x)      (C)(x)
#define OUT        uint64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX

#define SFX        i32
#define T          int32_t
#define F          int32_t
#define C          LANE32
#define D          BLOCK
#define LD(x)      (C)(x)
#define OUT        uint64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX

#define SFX i64
#ifdef FIRST64
#define BITS                64
#define AT_ONCE             vu64
#define AT_ONCE_JOIN(a, b)  JOIN64(a, b)
#define AT_ONCE_FIRST(p, k) FIRST64(p, k)
#define LV                  vu64
#define VLOAD(p)            (vu64) ld_f64(p)
#define VJOIN(a, b)         JOIN64(a, b)
#define ROWS_FETCHED
#endif
#define T     int64_t
#define F     int64_t
#define C     uint64_t
#define D     uint64_t
#define LD(x) (C)(x)
#define LANES_STAY
#define OUT        uint64_t
#define DONE(a, p) (*(a))
#include "kernels/loops/reduce_fold.h"
#undef SFX

#undef FIRST64
#undef JOIN64
#undef TURNED_MOST
#undef LANE8
#undef LANE16
#undef LANE32
#undef BLOCK
