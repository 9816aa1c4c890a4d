/* Errors: a code and a message per thread. The library never aborts, exits or prints. */
#ifndef NOMEN_ERROR_H
#define NOMEN_ERROR_H

#include "nomen/enums.gen.h"
#include "nomen/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nomen_error {
    nomen_status code;
    const char *op;       /* the operation that failed, "" if none */
    const char *message;  /* one line: the rule that was broken */
    const char *operands; /* what it was called with: "self=Tensor[N=32, C=64], other=Tensor[C=3]";
                             may be "" */
    const char *hint;     /* what would fix it, where the message does not say so: "did you mean
                             'channel'?"; may be "" */
} nomen_error;

/* The first error of this thread since the last look, or NULL. The strings live until the next
 * error of the thread. An operation on NULL returns NULL and keeps the first error, so a formula is
 * written straight and checked once. Looking marks the error as seen: the next failure replaces it.
 * Example:
 *     nomen_sum(nomen_ones("N", NOMEN_SIZES(2)), .dim = "time") == NULL
 *     const nomen_error *e = nomen_last_error();
 *     e->code == NOMEN_ERROR_NAME && strcmp(e->op, "sum") == 0
 *     nomen_last_error() == NULL // it was seen */
NOMEN_API const nomen_error *nomen_last_error(void);
/* "op: message (operands); hint: ..." of that error, or "" if there is none.
 * Example:
 *     nomen_sum(nomen_ones("N", NOMEN_SIZES(2)), .dim = "time");
 *     strstr(nomen_error_text(), "Name 'time' not found") != NULL */
NOMEN_API const char *nomen_error_text(void);
/* Forgets the error of this thread.
 * Example:
 *     nomen_sum(nomen_ones("N", NOMEN_SIZES(2)), .dim = "time");
 *     nomen_clear_error();
 *     nomen_last_error() == NULL */
NOMEN_API void nomen_clear_error(void);
/* "NOMEN_ERROR_SHAPE" and so on.
 * Example:
 *     strcmp(nomen_status_name(NOMEN_ERROR_NAME), "NOMEN_ERROR_NAME") == 0 */
NOMEN_API const char *nomen_status_name(nomen_status code);

#ifdef __cplusplus
}
#endif
#endif
