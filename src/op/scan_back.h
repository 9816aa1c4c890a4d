/* Scans of lines that follow each other backwards in memory (reverse=True, the slopes of sums and
 * products): some of them at a time are turned round near the processor, and scanned as others are.
 */
#ifndef NOMEN_SRC_SCAN_BACK_H
#define NOMEN_SRC_SCAN_BACK_H

#include "kernels/kernel.h"

/* Elements between which a line may be cut. */
enum { NOMEN__SCAN_ROUND = 1024 };

/* So many elements, the largest of which have so many bytes, are turned round at a time. */
int64_t nomen__scan_back_room(int64_t item);

/* Lines whose elements, results and positions lie one before the other without gaps: their steps
 * are less than 0. carry: NULL if the lines begin here and nobody asks for it; otherwise lines
 * times NOMEN__SCAN_ROUND must be no more than there is room for. */
void nomen__scan_back(const nomen__scanner *scanner, void *carry, const nomen__scan_args *a);

#endif
