/* Odd functions of float32 in pieces, each with a short polynomial of its own, where a vector can
 * be used as a table. Tables by vmath_coefficients.py: the points around which the pieces are
 * developed, the coefficients from the value up, what the slope lost. Included by vmath.h only. */
#ifndef NOMEN_SRC_VMATH_PIECES_H
#define NOMEN_SRC_VMATH_PIECES_H

#if SIMD_TABLES

/* f(a) for 0 <= a <= top, one piece below 2^least and four to each power of 2 above; rows: of the
 * table. exact: the slope at 0 has more digits than a float. */
VMATH_QUICK vf32 v_pieces_f32(vf32 x, const float (*table)[32], int rows, float least, float top,
                              int exact) {
    const vf32 a = v_min_f32(v_abs_f32(x), top);
    const vu32 i = (vu32)v_max_f32(a, least * (1 - 0x1p-24f)) >> 21;
    const vf32 d = a - v_entry32_f32(table[0], i);
    vf32 p = v_entry32_f32(table[rows - 2], i);
    for (int k = rows - 3; k >= 3; k--) p = v_fma_f32(p, d, v_entry32_f32(table[k], i));
    p = exact ? d * v_fma_f32(p, d, v_entry32_f32(table[rows - 1], i)) : d * d * p;
    p = v_fma_f32(v_entry32_f32(table[2], i), d, p);
    return v_copysign_f32(p + v_entry32_f32(table[1], i), x);
}

/* As v_piece_f64 (vmath_tables.h). */
static inline vf32 v_piece_f32(vu32 i, vf32 d, const float (*table)[32], int rows) {
    vf32 p = v_entry32_f32(table[rows - 2], i);
    for (int k = rows - 3; k >= 2; k--) p = v_fma_f32(p, d, v_entry32_f32(table[k], i));
    return v_fma_f32(p, d, v_entry32_f32(table[rows - 1], i));
}

#endif
#endif
