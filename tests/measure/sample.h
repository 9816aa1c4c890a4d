/* NOMEN_ONE_IN=63 takes one case in 63 of those that are compared with long double, and of other
 * long lists, and one round of several: for processors that are emulated, where 128 bits take their
 * time, for valgrind, and for sanitizers. */
#ifndef NOMEN_TEST_SAMPLE_H
#define NOMEN_TEST_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* An odd number: what goes in turns keeps its turn. */
static inline int one_in(void) {
    const char *text = getenv("NOMEN_ONE_IN");
    return text ? atoi(text) | 1 : 1;
}

/* Is the next case taken? The same ones in every run, in no step with the loops around them. */
static inline bool is_chosen(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % (uint32_t)one_in() == 0;
}

/* Does long double hold more digits than double? Under valgrind it does not, and what the C library
 * computes with it goes astray: it is compared with nothing there. */
static inline bool long_double_is_wide(void) {
    volatile long double one = 1;
    const volatile long double more = one + 0x1p-60L;
    return more != one;
}

#endif
