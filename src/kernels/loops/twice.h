/* Before a loop that stores a vector in each round: two of them, which fill a line of 64 bytes. Zen
 * 3 writes two stores to a line at once, and such a loop takes 0.6 of the time in L1. clang does so
 * by itself; a vector of AVX-512 is a line. */
#ifndef NOMEN_SRC_LOOPS_TWICE_H
#define NOMEN_SRC_LOOPS_TWICE_H

#include "kernels/simd/simd.h"

#if VB == 32 && !defined(__clang__)
#define LOOP_TWICE _Pragma("GCC unroll 2")
#else
#define LOOP_TWICE
#endif

#endif
