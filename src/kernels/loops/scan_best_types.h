/* Include-template: scan_best.h for every real dtype; bool is uint8. Before: OP, REACHES, DOWN as
 * in scan_keys.h. */

#define SFX u8
#define KEYS
#define T        uint8_t
#define F        uint8_t
#define U        int8_t
#define FLOATING 0
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"

#define SFX i8
#define KEYS
#define T        int8_t
#define F        int8_t
#define U        int8_t
#define FLOATING 0
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"

#define SFX i16
#define KEYS
#define T        int16_t
#define F        int16_t
#define U        int16_t
#define FLOATING 0
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"

#define SFX i32
#define KEYS
#define T        int32_t
#define F        int32_t
#define U        int32_t
#define FLOATING 0
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"

#define SFX i64
#define T   int64_t
#define F   int64_t
#if NOMEN__ISA_ID != NOMEN__ISA_ID_scalar /* which has no comparison of vectors of these */
#define IN_FOURS
#endif
#define U        int64_t
#define FLOATING 0
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"

#define SFX f16
#define KEYS
#define INFINITE 0x7c000000
#define HALF(x)  to_f16(x)
#define T        uint16_t
#define F        float
#define U        int32_t
#define FLOATING 1
#define FETCH(x) from_f16(x)
#define WIDEN    widen_f16
#define NARROW   narrow_f16
#include "kernels/loops/scan_best.h"

#define SFX bf16
#define KEYS
#define INFINITE 0x7f800000
#define HALF(x)  to_bf16(x)
#define T        uint16_t
#define F        float
#define U        int32_t
#define FLOATING 1
#define FETCH(x) from_bf16(x)
#define WIDEN    widen_bf16
#define NARROW   narrow_bf16
#include "kernels/loops/scan_best.h"

#define SFX      f32
#define T        float
#define F        float
#define U        int32_t
#define FLOATING 1
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"

#define SFX f64
#define T   double
#define F   double
#define IN_FOURS
#define U        int64_t
#define FLOATING 1
#define PUT(x)   (x)
#define DIRECT
#include "kernels/loops/scan_best.h"
