/* What the kernel "rows_rotations" and its callers agree on. */
#ifndef NOMEN_SRC_ROTATED_H
#define NOMEN_SRC_ROTATED_H

enum { NOMEN__ROTATED = 256 }; /* bytes of a row that it rotates at a time */

#endif
