/* Rows of a matrix: the scalar product of two, neighbouring ones rotated one pair after another,
 * and one in mirrors from both sides (Golub, Kahan).
 *
 * Idea: plain loops for the compiler's vectoriser; products in lanes of the same number in every
 * set, so that all add in the same order.
 *
 * Limit: loads and stores of L1, one of each per element of a rotation. */
#include "kernels/loops/loops.h"
#include "kernels/simd/vmath_pairs.h"

enum { COMPLEX_LANES = 32, FEW = 8 };

#define T     float
#define SFX   f32
#define LANES 64
#include "kernels/loops/mirror.h"

#define T     double
#define SFX   f64
#define LANES COMPLEX_LANES
#include "kernels/loops/mirror.h"

#define LDN_F32(p, k)    ((k) < W32 ? ld_f32_n(p, k) : ld_f32(p))
#define STN_F32(p, x, k) ((k) < W32 ? st_f32_n(p, x, k) : st_f32(p, x))
#define LDN_F64(p, k)    ((k) < W64 ? ld_f64_n(p, k) : ld_f64(p))
#define STN_F64(p, x, k) ((k) < W64 ? st_f64_n(p, x, k) : st_f64(p, x))

#define T     float
#define SFX   c64
#define PART  f32
#define V     vf32
#define W     W32
#define LD    ld_f32
#define ST    st_f32
#define LDN   LDN_F32
#define STN   STN_F32
#define LANES 64
#include "kernels/loops/mirror_complex.h"

#define T     double
#define SFX   c128
#define PART  f64
#define V     vf64
#define W     W64
#define LD    ld_f64
#define ST    st_f64
#define LDN   LDN_F64
#define STN   STN_F64
#define LANES COMPLEX_LANES
#include "kernels/loops/mirror_complex.h"

#define T       float
#define SFX     f32
#define V       vf32
#define W       W32
#define LD      ld_f32
#define ST      st_f32
#define ONE     v_set_f32
#define ROTATED 64
#include "kernels/loops/rotations.h"

#define T       double
#define SFX     f64
#define V       vf64
#define W       W64
#define LD      ld_f64
#define ST      st_f64
#define ONE     v_set_f64
#define ROTATED 32
#include "kernels/loops/rotations.h"

const nomen__kernel NOMEN__TABLE(rotate)[] = {
    ROW("rows_product", NOMEN_F32, product_f32),
    ROW("rows_product", NOMEN_F64, product_f64),
    ROW("row_mirror", NOMEN_F32, mirror_f32),
    ROW("row_mirror", NOMEN_F64, mirror_f64),
    ROW("row_mirror", NOMEN_C64, mirror_c64),
    ROW("row_mirror", NOMEN_C128, mirror_c128),
    ROW("rows_rotations", NOMEN_F32, rotations_f32),
    ROW("rows_rotations", NOMEN_F64, rotations_f64),
    {.name = NULL},
};
