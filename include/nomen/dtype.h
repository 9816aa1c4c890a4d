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

/* Bytes of one element; 0 for NOMEN_DTYPE_NONE and for values outside the enum. */
NOMEN_API size_t nomen_dtype_size(nomen_dtype dtype);
/* "float32" and so on; "?" for values outside the enum. */
NOMEN_API const char *nomen_dtype_name(nomen_dtype dtype);
/* The dtype of that name ("float32", also "float", "double", "half", "long", ...), or
 * NOMEN_DTYPE_NONE. */
NOMEN_API nomen_dtype nomen_dtype_from_name(const char *name);
NOMEN_API bool nomen_dtype_is_floating(nomen_dtype dtype); /* float16, bfloat16, float32, float64 */
NOMEN_API bool nomen_dtype_is_complex(nomen_dtype dtype);
NOMEN_API bool nomen_dtype_is_integral(nomen_dtype dtype); /* integers, not bool */
NOMEN_API bool nomen_dtype_is_signed(nomen_dtype dtype);
/* The smallest dtype that holds values of both (PyTorch's promotion of two tensors with dims). */
NOMEN_API nomen_dtype nomen_promote(nomen_dtype a, nomen_dtype b);
/* May a result of dtype `from` be written into a tensor of dtype `to`? No from a higher kind
 * (complex > floating > integer > bool) to a lower one. */
NOMEN_API bool nomen_can_cast(nomen_dtype from, nomen_dtype to);

#ifdef __cplusplus
}
#endif
#endif
