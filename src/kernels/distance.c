/* Distances of points: the norms of all differences of two lists of points.
 *
 * Idea: as many points of B as fill NV vectors are turned over into a panel, one coordinate of each
 * after the other; a tile of MR points of A runs along it, and its sums stay in registers. Where B
 * has so few points that a panel would be mostly zeros, vectors are of coordinates. float32
 * adds in float32, by blocks of coordinates that are joined in double; where a sum of squares or
 * powers has left the range in which they are exact enough, the element is computed again in
 * double.
 *
 * Limit: a subtraction and a fused multiply-add per coordinate and pair, and a root per pair. */
#include "kernels/loops/reduce.h"
#include "kernels/simd/turn.h"
#include "kernels/simd/vmath_more.h"

#include <float.h>
#include <math.h>

#define OP distance

/* Tiles, as far as registers go; coordinates of a block; bytes of panels that stay in cache. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512 || NOMEN__ISA_ID == NOMEN__ISA_ID_neon
enum { MR = 4, NV = 4 };
#else
enum { MR = 2, NV = 4 };
#endif
enum { COORDINATES = 512, GROUP_BYTES = 1 << 17 };
/* Bytes of the panels of a batch, which stay in L1, and points of either list. */
enum { BATCH_BYTES = 1 << 15, BATCH_POINTS = 16 };
/* Of gradients: points and coordinates of a panel, points that run along it together, and those
 * whose factors are made together. */
enum { OTHERS = 128, ALONG = 64, POINTS = 4, GROUP = 16 };

/* Powers with an exponent that float32 would have to round. */
static inline vf32 power_f32(vf32 x, vf64 y) {
    return v_narrow_f64(v_pow_short(v_low_f64(x), y), v_pow_short(v_high_f64(x), y));
}
static inline vf64 power_f64(vf64 x, vf64 y) { return v_pow_f64(x, y); }

/* The larger of two sizes by their bits, as integers: NaN is the largest. */
static inline vf32 most_f32(vf32 a, vf32 b) { return (vf32)v_greater_i32((vi32)a, (vi32)b); }
static inline vf64 most_f64(vf64 a, vf64 b) { return (vf64)v_greater_i64((vi64)a, (vi64)b); }

/* Sums of squares or powers that may have lost some of them, or left the range. */
static inline vi32 is_odd_f32(vf32 sum) {
    const vf32 least = v_set_f32(0x1p-100f), most = v_set_f32(FLT_MAX);
    return (sum < least) | (sum > most);
}

/* One element in double; p is neither 1 nor infinite nor 0. */
static double again_f32(const nomen__distance_args *a, int64_t i, int64_t j) {
    const char *x = a->a + i * a->a_row, *y = a->b + j * a->b_row;
    double sum = 0;
    const int64_t item = (int64_t)sizeof(float); /* the same points are asked for often */
    if (a->a_col == item && a->b_col == item && !memcmp(x, y, (size_t)(a->k * item))) return 0;
    for (int64_t c = 0; c < a->k; c++, x += a->a_col, y += a->b_col) {
        float fx, fy;
        memcpy(&fx, x, sizeof fx);
        memcpy(&fy, y, sizeof fy);
        double d = __builtin_fabs((double)(fx - fy));
        sum += a->p == 2 ? d * d : pow(d, a->p);
    }
    return a->p == 2 ? sqrt(sum) : pow(sum, 1 / a->p);
}

#define SFX   f32
#define C     float
#define V     vf32
#define W     W32
#define LD    ld_f32
#define LDN   ld_f32_n
#define ST    st_f32
#define STN   st_f32_n
#define TURN  v_turn_f32
#define AGAIN 1
#include "kernels/loops/distance.h"

#define SFX   f64
#define C     double
#define V     vf64
#define W     W64
#define LD    ld_f64
#define LDN   ld_f64_n
#define ST    st_f64
#define STN   st_f64_n
#define TURN  v_turn_f64
#define AGAIN 0
#include "kernels/loops/distance.h"

const nomen__kernel NOMEN__TABLE(distance)[] = {
    {.name = "distance", .dtype = NOMEN_F32, .distance = &kernel_distance_f32},
    {.name = "distance", .dtype = NOMEN_F64, .distance = &kernel_distance_f64},
    {.name = NULL},
};
