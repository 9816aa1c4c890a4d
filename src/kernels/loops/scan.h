/* What the scans share: the size of a block, stores, rows of tables. How a scan walks its lines:
 * scan_walk.h. How it joins elements: scan_fold.h and the scan_*.c files. */
#ifndef NOMEN_SRC_SCAN_H
#define NOMEN_SRC_SCAN_H

#include "kernels/loops/reduce.h"

enum { SCAN_BLOCK = 1024 };

/* Doubles to half types, rounded once. */
static inline void narrow_odd_f16(const double *y, uint16_t *to, int64_t n) {
    float f[SCAN_BLOCK] __attribute__((aligned(64)));
    odd_f32(y, f, n);
    narrow_f16(f, to, n);
}
static inline void narrow_odd_bf16(const double *y, uint16_t *to, int64_t n) {
    float f[SCAN_BLOCK] __attribute__((aligned(64)));
    odd_f32(y, f, n);
    narrow_bf16(f, to, n);
}

#define SCAN_ROW(text, enumerator, op, sfx)                                                        \
    {.name = text, .dtype = enumerator, .scanner = &scanner_##op##_##sfx}
#define SCAN_FLOATS(text, op)                                                                      \
    SCAN_ROW(text, NOMEN_F16, op, f16), SCAN_ROW(text, NOMEN_BF16, op, bf16),                      \
        SCAN_ROW(text, NOMEN_F32, op, f32), SCAN_ROW(text, NOMEN_F64, op, f64)

#endif
