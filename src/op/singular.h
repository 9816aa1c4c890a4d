/* Between the two files that find bases in which rows are orthogonal. */
#ifndef NOMEN_SRC_SINGULAR_H
#define NOMEN_SRC_SINGULAR_H

#include "op/op.h"

/* By mirrors. in: contiguous, float32 or float64, of NOMEN__MIRRORED_ROWS rows at least and any
 * number of columns but 0; basis: of its dtype, as orthogonal_basis has it. */
nomen_status nomen__basis_by_mirrors(const nomen_tensor *in, nomen_tensor *basis)
    __attribute__((warn_unused_result));

#endif
