/* What C tests tell beside the calls that are counted by themselves (count_calls.c). */
#ifndef NOMEN_TESTS_COUNT_CALLS_H
#define NOMEN_TESTS_COUNT_CALLS_H

#include "nomen/dtype.h"

#include <stdbool.h>

/* The gradient of the row agreed with differences; second: that of its gradient too. file: where
 * the case stands. */
void nomen__count_gradient(const char *file, const char *row, nomen_dtype dtype, bool second);

#endif
