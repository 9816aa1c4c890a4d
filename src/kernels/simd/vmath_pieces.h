/* Odd functions of float32 in pieces, each with a short polynomial of its own, where a vector can
 * be used as a table. Tables by vmath_coefficients.py: the points around which the pieces are
 * developed, the coefficients from the value up, what the slope lost. Included by vmath.h only. */
#ifndef NOMEN_SRC_VMATH_PIECES_H
#define NOMEN_SRC_VMATH_PIECES_H

/* Pieces have as many columns as a table of registers, and so many to each power of 2. */
#if SIMD_TABLES
enum { VMATH_COLUMNS = 32, VMATH_EACH_BITS = 2 };
#define VMATH_COLUMN v_entry32_f32
#elif SIMD_EIGHTS
enum { VMATH_COLUMNS = 8, VMATH_EACH_BITS = 1 };
#define VMATH_COLUMN v_entry8_f32
#endif

#if SIMD_TABLES || SIMD_EIGHTS
/* f(a) for 0 <= a <= top, one piece below 2^least and two or four to each power of 2 above; rows:
 * of the table. exact: the slope at 0 has more digits than a float. */
VMATH_QUICK vf32 v_pieces_f32(vf32 x, const float (*table)[VMATH_COLUMNS], int rows, float least,
                              float top, int exact) {
    const vf32 a = v_min_f32(v_abs_f32(x), top);
    const vu32 i = (vu32)v_max_f32(a, least * (1 - 0x1p-24f)) >> (23 - VMATH_EACH_BITS);
    const vf32 d = a - VMATH_COLUMN(table[0], i);
    vf32 p = VMATH_COLUMN(table[rows - 2], i);
    for (int k = rows - 3; k >= 3; k--) p = v_fma_f32(p, d, VMATH_COLUMN(table[k], i));
    p = exact ? d * v_fma_f32(p, d, VMATH_COLUMN(table[rows - 1], i)) : d * d * p;
    p = v_fma_f32(VMATH_COLUMN(table[2], i), d, p);
    return v_copysign_f32(p + VMATH_COLUMN(table[1], i), x);
}
#endif

#if SIMD_TABLES

/* As v_piece_f64 (vmath_tables.h). */
static inline vf32 v_piece_f32(vu32 i, vf32 d, const float (*table)[32], int rows) {
    vf32 p = v_entry32_f32(table[rows - 2], i);
    for (int k = rows - 3; k >= 2; k--) p = v_fma_f32(p, d, v_entry32_f32(table[k], i));
    return v_fma_f32(p, d, v_entry32_f32(table[rows - 1], i));
}

#endif
#endif
