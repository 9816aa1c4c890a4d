/* Dim names: interned once, compared as integers. */
#ifndef NOMEN_NAMES_H
#define NOMEN_NAMES_H

#include "nomen/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An interned name; 0 is the unnamed dim. Ids are stable for the life of the process. */
typedef uint32_t nomen_name;

/* At most this many dims in any tensor. */
#define NOMEN_MAX_DIMS 64

/* The id of a name: ASCII letters, digits and _, not starting with a digit. "*" is the unnamed dim.
 * Returns false and sets NOMEN_ERROR_NAME if it is not a valid name (NOMEN_ERROR_MEMORY if there is
 * no memory).
 * Example:
 *     nomen_name n;
 *     nomen_name_intern("channel", 7, &n) && !nomen_name_intern("2x", 2, &n) */
NOMEN_API bool nomen_name_intern(const char *text, size_t length, nomen_name *result);
/* The text of an id, NULL for 0 and for unknown ids. Lives as long as the process.
 * Example:
 *     nomen_name n;
 *     nomen_name_intern("channel", 7, &n);
 *     strcmp(nomen_name_text(n), "channel") == 0 */
NOMEN_API const char *nomen_name_text(nomen_name name);

#ifdef __cplusplus
}
#endif
#endif
