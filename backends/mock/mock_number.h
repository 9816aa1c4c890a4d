/* One element of any dtype: read, computed with, written. Integers and bool are in i, all others in
 * c, where a sum, difference, product, quotient or root rounds to what float32 would have given. */
#ifndef NOMEN_MOCK_NUMBER_H
#define NOMEN_MOCK_NUMBER_H

#include "mock.h"

#include <complex.h>
#include <string.h>

typedef struct mock_number {
    int64_t i;
    double _Complex c;
} mock_number;

/* CMPLX of C11, which not every compiler has. */
static inline double _Complex mock_pair(double re, double im) {
    double parts[2] = {re, im};
    double _Complex c;
    memcpy(&c, parts, sizeof c);
    return c;
}

static inline bool mock_whole(nomen_dtype d) { return d <= NOMEN_I64; }
static inline bool mock_complex(nomen_dtype d) { return d >= NOMEN_C64; }

mock_number mock_load(nomen_dtype dtype, const char *at);
void mock_store(nomen_dtype dtype, char *at, mock_number n);
/* As the dtype `to` would hold what is one of `from`. */
mock_number mock_convert(mock_number n, nomen_dtype from, nomen_dtype to);

#endif
