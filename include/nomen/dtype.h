/* Element types. */
#ifndef NOMEN_DTYPE_H
#define NOMEN_DTYPE_H

#include "nomen/enums.gen.h"
#include "nomen/export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of one element; 0 for NOMEN_DTYPE_NONE and for values outside the enum.
 * Example:
 *     nomen_dtype_size(NOMEN_C64) == 8 */
NOMEN_API size_t nomen_dtype_size(nomen_dtype dtype);
/* "float32" and so on; "?" for values outside the enum.
 * Example:
 *     strcmp(nomen_dtype_name(NOMEN_BF16), "bfloat16") == 0 */
NOMEN_API const char *nomen_dtype_name(nomen_dtype dtype);
/* The dtype of that name ("float32", also "float", "double", "half", "long", ...), or
 * NOMEN_DTYPE_NONE.
 * Example:
 *     nomen_dtype_from_name("half") == NOMEN_F16 */
NOMEN_API nomen_dtype nomen_dtype_from_name(const char *name);
/* Is it one of these kinds? false for values outside the enum.
 * Example:
 *     nomen_dtype_is_floating(NOMEN_F16) && !nomen_dtype_is_floating(NOMEN_C64)
 *     nomen_dtype_is_complex(NOMEN_C64) && nomen_dtype_is_integral(NOMEN_U8)
 *     nomen_dtype_is_signed(NOMEN_I8) && !nomen_dtype_is_signed(NOMEN_U8) */
NOMEN_API bool nomen_dtype_is_floating(nomen_dtype dtype); /* float16, bfloat16, float32, float64 */
NOMEN_API bool nomen_dtype_is_complex(nomen_dtype dtype);
NOMEN_API bool nomen_dtype_is_integral(nomen_dtype dtype); /* integers, not bool */
NOMEN_API bool nomen_dtype_is_signed(nomen_dtype dtype);
/* The smallest dtype that holds values of both (PyTorch's promotion of two tensors with dims).
 * Example:
 *     nomen_promote(NOMEN_I64, NOMEN_F16) == NOMEN_F16 */
NOMEN_API nomen_dtype nomen_promote(nomen_dtype a, nomen_dtype b);
/* May a result of dtype `from` be written into a tensor of dtype `to`? No from a higher kind
 * (complex > floating > integer > bool) to a lower one.
 * Example:
 *     nomen_can_cast(NOMEN_F64, NOMEN_F32) && !nomen_can_cast(NOMEN_F32, NOMEN_I32) */
NOMEN_API bool nomen_can_cast(nomen_dtype from, nomen_dtype to);

#ifdef __cplusplus
}
#endif
#endif
