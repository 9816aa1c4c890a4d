/* What the scans share: the size of a block, stores, rows of tables. How a scan walks its lines:
 * scan_walk.h. How it joins elements: scan_fold.h and the scan_*.c files. */
#ifndef NOMEN_SRC_SCAN_H
#define NOMEN_SRC_SCAN_H

#include "kernels/loops/reduce.h"
#include "kernels/loops/scan_eights.h"
#include "kernels/loops/scan_lanes.h"
#include "kernels/simd/turn.h"

/* Elements that are looked at together, and that are added up before the carry hears of them. */
enum { SCAN_BLOCK = 1024, SCAN_RUN = 128 };
/* Of up to so many lines side by side so many elements are turned over at a time. */
enum { FEW_LINES = 4, FEW_BLOCK = 256 };
enum { STRIP_LINES = 64 }; /* of more the levels have few ends of vectors, and strips few levels */
/* Lanes of 8 bytes of the vectors that eight lines side by side are: more than a register has the
 * compiler keeps in memory, stores in parts and loads as a whole. */
enum { EIGHTS_LANES = W64 };
/* So many lines are turned over together, that their pages and cache lines stay at hand. */
enum { TURN_LINES = 32 };
static inline int64_t scan_few(int64_t lines) { return lines < TURN_LINES ? lines : TURN_LINES; }

/* The way back from turn_4: four rows of n, NOMEN__ACC_BLOCK elements apart, into n rows of four.
 */
static inline void turn_4_back(const void *in, int64_t n, char *out, int64_t out_row) {
    const uint32_t *from = in;
    int64_t i = 0;
    for (; i + QUADS * 4 <= n; i += QUADS * 4, out += QUADS * 4 * out_row) {
        quads_u32 x[4];
        for (int k = 0; k < 4; k++) memcpy(&x[k], from + k * NOMEN__ACC_BLOCK + i, sizeof x[k]);
        quads_turn(x);
        for (int k = 0; k < 4; k++) quads_store(out + k * out_row, 4 * out_row, x[k]);
    }
    for (; i < n; i++, out += out_row)
        for (int k = 0; k < 4; k++) memcpy(out + 4 * k, from + k * NOMEN__ACC_BLOCK + i, 4);
}

/* Two rows of n positions, NOMEN__ACC_BLOCK elements apart, or one, into n rows of two or one. */
static inline void turn_2_back(const int64_t *from, int64_t n, int64_t rows, char *out,
                               int64_t out_row) {
    if (rows < 2) {
        for (int64_t i = 0; i < n; i++) memcpy(out + i * out_row, from + i, 8);
        return;
    }
    for (int64_t i = 0; i < n; i++, out += out_row) {
        const int64_t both[2] = {from[i], from[NOMEN__ACC_BLOCK + i]};
        memcpy(out, both, sizeof both);
    }
}

#define SCAN_ROW(text, enumerator, op, sfx)                                                        \
    {.name = text, .dtype = enumerator, .scanner = &scanner_##op##_##sfx}
#define SCAN_INTEGERS(text, op)                                                                    \
    SCAN_ROW(text, NOMEN_U8, op, u8), SCAN_ROW(text, NOMEN_I8, op, i8),                            \
        SCAN_ROW(text, NOMEN_I16, op, i16), SCAN_ROW(text, NOMEN_I32, op, i32),                    \
        SCAN_ROW(text, NOMEN_I64, op, i64)
#define SCAN_FLOATS(text, op)                                                                      \
    SCAN_ROW(text, NOMEN_F16, op, f16), SCAN_ROW(text, NOMEN_BF16, op, bf16),                      \
        SCAN_ROW(text, NOMEN_F32, op, f32), SCAN_ROW(text, NOMEN_F64, op, f64)

#endif
