/* Part of cast.c: the half types to wider floats and to integers by way of vectors of f32, with
 * vectors of 32 bytes or more; others go through a block of f32. */

#define V        vf32
#define W        W32
#define SPLAT(v) v_like(v, (v)[0])
#define EXPR(x)  (x)

static inline void st_wide(void *p, vf32 x) {
    st_f64(p, v_low_f64(x));
    st_f64((double *)p + W64, v_high_f64(x));
}
static inline void st_wide_n(void *p, vf32 x, int64_t k) {
    if (k <= W64) {
        st_f64_n(p, v_low_f64(x), k);
        return;
    }
    st_f64(p, v_low_f64(x));
    st_f64_n((double *)p + W64, v_high_f64(x), k - W64);
}

#define OT  double
#define DST f64
#define ST  st_wide
#define STN st_wide_n
#include "kernels/loops/casts_wide.h"

#define OT      int32_t
#define DST     i32
#define EXPR(x) v_cast_i32(x)
#define ST      st_i32
#define STN     st_i32_n
#include "kernels/loops/casts_wide.h"

#define OT      int16_t
#define DST     i16
#define EXPR(x) v_cast_i32(x)
#define ST      st_i16
#define STN     st_i16_n
#include "kernels/loops/casts_wide.h"

#define OT      int8_t
#define DST     i8
#define EXPR(x) v_cast_i32(x)
#define ST      st_i8
#define STN     st_i8_n
#include "kernels/loops/casts_wide.h"

#undef V
#undef W
#undef SPLAT

static void cast_f16_u8(char *const ptr[], const int64_t step[], int64_t n) {
    cast_f16_i8(ptr, step, n);
}
static void cast_bf16_u8(char *const ptr[], const int64_t step[], int64_t n) {
    cast_bf16_i8(ptr, step, n);
}
