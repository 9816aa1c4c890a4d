/* Includes LOOP for complex64 and complex128 as vectors of interleaved parts; no include guard.
 * Wants LOOP, OP and EXPR, where EXPR is on vf32 or vf64 that hold real parts in even lanes and
 * imaginary parts in odd ones; with APART on vc64 of complex64, and gives a vf32. Takes LOOP, OP,
 * EXPR, APART and BY_LINES away again. */

#ifndef APART
#define AS_IN_MEMORY
#endif
#define T  c64
#define OT c64
#define W  (W32 / 2)
#define FN LOOP_NAME2(OP, c64)
#ifdef APART
#define V         vc64
#define LD        vc_load_f32
#define LDN(p, k) vc_load_f32_n(p, k)
#define SPLAT(v)  vc_splat(v)
#else
#define V         vf32
#define LD(p)     v_once_f32(ld_f32(p))
#define LDN(p, k) ld_f32_n(p, 2 * (k))
#define LD1(p)    v_pair_at_f32(p)
#endif
#define ST           st_f32
#define STN(p, v, k) st_f32_n(p, v, 2 * (k))
#include LOOP

#undef T
#undef OT
#undef V
#undef W
#undef FN
#undef LD
#undef ST
#undef LDN
#undef LD1
#undef STN
#undef SPLAT
#undef AS_IN_MEMORY
#define AS_IN_MEMORY
#define T            c128
#define OT           c128
#define V            vf64
#define W            (W64 / 2)
#define FN           LOOP_NAME2(OP, c128)
#define LD(p)        v_once_f64(ld_f64(p))
#define ST           st_f64
#define LDN(p, k)    ld_f64_n(p, 2 * (k))
#define LD1(p)       v_pair_at_f64(p)
#define STN(p, v, k) st_f64_n(p, v, 2 * (k))
#include LOOP

#undef T
#undef OT
#undef V
#undef W
#undef FN
#undef LD
#undef ST
#undef LDN
#undef LD1
#undef STN
#undef SPLAT
#undef LOOP
#undef OP
#undef EXPR
#undef APART
#undef AS_IN_MEMORY
#undef BY_LINES
