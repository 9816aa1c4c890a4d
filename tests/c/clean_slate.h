/* Setup and teardown of test programs: no error is there from before, and a thread leaves nothing.
 * No checks here. */
#ifndef NOMEN_TEST_CLEAN_SLATE_H
#define NOMEN_TEST_CLEAN_SLATE_H

#include "nomen/scope.h"

static inline int fresh(void **s) {
    (void)s;
    nomen_clear_error();
    return 0;
}

static inline int end(void **s) {
    (void)s;
    nomen_thread_end();
    return 0;
}

#endif
