/* What the launch_*.c files share, and those that say which kernel runs: operands in the dtype that
 * a kernel wants, results in the one that the caller wants. Only for them. */
#ifndef NOMEN_SRC_LAUNCH_H
#define NOMEN_SRC_LAUNCH_H

#include "op/op.h"

enum { NOMEN__GRAIN = 32768 }; /* elements worth a chunk of their own */

/* t itself with a reference more if its dtype is the wanted one, else a contiguous copy that is;
 * NULL and an error without memory. */
nomen_tensor *nomen__launch_input(nomen_tensor *t, nomen_dtype dtype);
/* out itself with a reference more, or a contiguous tensor of its sizes that nomen__launch_deliver
 * moves over; apart: it must not be out's memory. */
nomen_tensor *nomen__launch_output(nomen_tensor *out, nomen_dtype dtype, bool apart);
nomen_status nomen__launch_deliver(nomen_tensor *out, nomen_tensor *made)
    __attribute__((warn_unused_result));
/* That if s is NOMEN_OK, else lets go of made, which may be NULL, and gives back s. */
nomen_status nomen__launch_end(nomen_tensor *out, nomen_tensor *made, nomen_status s)
    __attribute__((warn_unused_result));

/* Is the one number in t the same in dtype d? */
bool nomen__exact_in(const nomen_tensor *t, nomen_dtype d);

#endif
