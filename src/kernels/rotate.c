/* Two rows of a matrix: their scalar product, and their rotation into each other (Jacobi), of real
 * and of complex numbers; neighbouring rows rotated one pair after another; and a row in mirrors
 * from both sides (Golub, Kahan).
 *
 * Idea: plain loops for the compiler's vectoriser; products in lanes of the same number in every
 * set, so that all add in the same order.
 *
 * Limit: loads and stores of L1, two of each per element of a rotation. */
#include "kernels/loops/loops.h"
#include "kernels/rotated.h"
#include "kernels/simd/vmath_pairs.h"

enum { COMPLEX_LANES = 32, FEW = 8 };
enum { ROTATED_BYTES = NOMEN__ROTATED };

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

#define T   float
#define SFX f32
#define V   vf32
#define W   W32
#define LD  ld_f32
#define ST  st_f32
#define ONE v_set_f32
#include "kernels/loops/rotations.h"

#define T   double
#define SFX f64
#define V   vf64
#define W   W64
#define LD  ld_f64
#define ST  st_f64
#define ONE v_set_f64
#include "kernels/loops/rotations.h"

/* conj(a) * b: the real parts are the product of twice as many reals, the imaginary ones are those
 * of neighbours. */
static void product_complex(char *const ptr[], const int64_t step[], int64_t n) {
    const double *a = (const double *)(const void *)ptr[1],
                 *b = (const double *)(const void *)ptr[2];
    double s[COMPLEX_LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    product_f64(ptr, step, 2 * n);
    for (int l = 0; l < COMPLEX_LANES; l++) s[l] = 0;
    for (; i + COMPLEX_LANES <= 2 * n; i += COMPLEX_LANES)
        for (int l = 0; l < COMPLEX_LANES; l++) s[l] += a[i + l] * b[i + (l ^ 1)];
    for (int l = 0; i + l < 2 * n; l++) s[l] += a[i + l] * b[i + (l ^ 1)];
    ((double *)(void *)ptr[0])[1] = join_f64(s, 2);
}

/* a becomes c a - s b, b becomes s a + c b; the third operand is c, s. */
static void rotate(char *const ptr[], const int64_t step[], int64_t n) {
    double *a = (double *)(void *)ptr[0], *b = (double *)(void *)ptr[1];
    const double *factors = (const double *)(const void *)ptr[2], c = factors[0], s = factors[1];
    (void)step;
    SIMD_IVDEP
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i], y = b[i], cx = c * x, sy = s * y, sx = s * x, cy = c * y;
        a[i] = cx - sy;
        b[i] = sx + cy;
    }
}

/* The same with conj(s) in the first; s is two numbers. */
static void rotate_complex(char *const ptr[], const int64_t step[], int64_t n) {
    double *a = (double *)(void *)ptr[0], *b = (double *)(void *)ptr[1];
    const double *factors = (const double *)(const void *)ptr[2], c = factors[0], re = factors[1],
                 im = factors[2];
    (void)step;
    SIMD_IVDEP
    for (int64_t i = 0; i < 2 * n; i += 2) {
        const double x = a[i], xi = a[i + 1], y = b[i], yi = b[i + 1];
        a[i] = c * x - (re * y + im * yi);
        a[i + 1] = c * xi - (re * yi - im * y);
        b[i] = re * x - im * xi + c * y;
        b[i + 1] = re * xi + im * x + c * yi;
    }
}

const nomen__kernel NOMEN__TABLE(rotate)[] = {
    ROW("rows_product", NOMEN_F32, product_f32),      ROW("rows_product", NOMEN_F64, product_f64),
    ROW("rows_product", NOMEN_C128, product_complex), ROW("row_mirror", NOMEN_F32, mirror_f32),
    ROW("row_mirror", NOMEN_F64, mirror_f64),         ROW("row_mirror", NOMEN_C64, mirror_c64),
    ROW("row_mirror", NOMEN_C128, mirror_c128),       ROW("rows_rotate", NOMEN_F64, rotate),
    ROW("rows_rotate", NOMEN_C128, rotate_complex),   ROW("rows_rotations", NOMEN_F32, rotations_f32),
    ROW("rows_rotations", NOMEN_F64, rotations_f64),  {.name = NULL},
};
