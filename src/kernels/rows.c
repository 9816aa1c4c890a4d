/* Functions of whole rows: softmax and log_softmax. Sums of exponentials alone: reduce_logsumexp.c.
 */
#include "kernels/loops/reduce.h"
#include "kernels/simd/vmath.h"

#include <math.h>

/* TILE rows are worked on side by side; rows of at most SHORT elements are turned over, TURN at a
 * time; sums of more than SUM_BLOCK elements are carried on in double; rows of at most KEPT
 * elements are still in cache when scaled. */
enum { TILE = 256, SHORT = 16, TURN = 64, SUM_BLOCK = 1024, KEPT = 8192 };

#define OP  softmax
#define LOG 0

#define SFX           f16
#define T             uint16_t
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_f16(p)
#define LD_N(p, k)    ld_f16_n(p, k)
#define ST(p, v)      st_f16(p, v)
#define ST_N(p, v, k) st_f16_n(p, v, k)
#define V_EXP         v_exp_f32
#define F_OF(x)       from_f16(x)
#define T_OF(x)       to_f16(x)
#define WHOLE         0
#include "kernels/loops/softmax.h"

#define SFX           bf16
#define T             uint16_t
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_bf16(p)
#define LD_N(p, k)    ld_bf16_n(p, k)
#define ST(p, v)      st_bf16(p, v)
#define ST_N(p, v, k) st_bf16_n(p, v, k)
#define V_EXP         v_exp_f32
#define F_OF(x)       from_bf16(x)
#define T_OF(x)       to_bf16(x)
#define WHOLE         0
#include "kernels/loops/softmax.h"

#define SFX           f32
#define T             float
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_f32(p)
#define LD_N(p, k)    ld_f32_n(p, k)
#define ST(p, v)      st_f32(p, v)
#define ST_N(p, v, k) st_f32_n(p, v, k)
#define V_EXP         v_exp_f32
#define F_OF(x)       (x)
#define T_OF(x)       (x)
#define WHOLE         1
#include "kernels/loops/softmax.h"

#define SFX           f64
#define T             double
#define F             double
#define V             vf64
#define W             W64
#define LD(p)         ld_f64(p)
#define LD_N(p, k)    ld_f64_n(p, k)
#define ST(p, v)      st_f64(p, v)
#define ST_N(p, v, k) st_f64_n(p, v, k)
#define V_EXP         v_exp_f64
#define F_OF(x)       (x)
#define T_OF(x)       (x)
#define WHOLE         1
#include "kernels/loops/softmax.h"

#undef OP
#undef LOG
#define OP  log_softmax
#define LOG 1

#define SFX           f16
#define T             uint16_t
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_f16(p)
#define LD_N(p, k)    ld_f16_n(p, k)
#define ST(p, v)      st_f16(p, v)
#define ST_N(p, v, k) st_f16_n(p, v, k)
#define V_EXP         v_exp_f32
#define F_OF(x)       from_f16(x)
#define T_OF(x)       to_f16(x)
#define WHOLE         0
#include "kernels/loops/softmax.h"

#define SFX           bf16
#define T             uint16_t
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_bf16(p)
#define LD_N(p, k)    ld_bf16_n(p, k)
#define ST(p, v)      st_bf16(p, v)
#define ST_N(p, v, k) st_bf16_n(p, v, k)
#define V_EXP         v_exp_f32
#define F_OF(x)       from_bf16(x)
#define T_OF(x)       to_bf16(x)
#define WHOLE         0
#include "kernels/loops/softmax.h"

#define SFX           f32
#define T             float
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_f32(p)
#define LD_N(p, k)    ld_f32_n(p, k)
#define ST(p, v)      st_f32(p, v)
#define ST_N(p, v, k) st_f32_n(p, v, k)
#define V_EXP         v_exp_f32
#define F_OF(x)       (x)
#define T_OF(x)       (x)
#define WHOLE         1
#include "kernels/loops/softmax.h"

#define SFX           f64
#define T             double
#define F             double
#define V             vf64
#define W             W64
#define LD(p)         ld_f64(p)
#define LD_N(p, k)    ld_f64_n(p, k)
#define ST(p, v)      st_f64(p, v)
#define ST_N(p, v, k) st_f64_n(p, v, k)
#define V_EXP         v_exp_f64
#define F_OF(x)       (x)
#define T_OF(x)       (x)
#define WHOLE         1
#include "kernels/loops/softmax.h"

#define ROWS(text, enumerator, op, sfx)                                                            \
    {.name = text, .dtype = enumerator, .rows = rows_##op##_##sfx}

const nomen__kernel NOMEN__TABLE(rows)[] = {
    ROWS("softmax", NOMEN_F16, softmax, f16),
    ROWS("softmax", NOMEN_BF16, softmax, bf16),
    ROWS("softmax", NOMEN_F32, softmax, f32),
    ROWS("softmax", NOMEN_F64, softmax, f64),
    ROWS("log_softmax", NOMEN_F16, log_softmax, f16),
    ROWS("log_softmax", NOMEN_BF16, log_softmax, bf16),
    ROWS("log_softmax", NOMEN_F32, log_softmax, f32),
    ROWS("log_softmax", NOMEN_F64, log_softmax, f64),
    {.name = NULL},
};
