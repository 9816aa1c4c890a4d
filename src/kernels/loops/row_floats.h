/* Includes LOOP for float16, bfloat16, float32 and float64; no include guard. For loops over whole
 * rows, which load and store parts of vectors and carry single elements too: LD_N, ST_N, F_OF,
 * T_OF. WHOLE says that memory holds what is computed with. LOOP takes all of these away again. */

#define SFX           f32
#define TILE_SFX      f32
#define T             float
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_f32(p)
#define LD_N(p, k)    ld_f32_n(p, k)
#define ST(p, v)      st_f32(p, v)
#define ST_N(p, v, k) st_f32_n(p, v, k)
#define V_EXP         v_exp_down_f32
#define V_PART        v_exp_part_f32
#define F_OF(x)       (x)
#define T_OF(x)       (x)
#define WHOLE         1
#include LOOP

#define SFX           f64
#define TILE_SFX      f64
#define T             double
#define F             double
#define V             vf64
#define W             W64
#define LD(p)         ld_f64(p)
#define LD_N(p, k)    ld_f64_n(p, k)
#define ST(p, v)      st_f64(p, v)
#define ST_N(p, v, k) st_f64_n(p, v, k)
#define V_EXP         v_exp_down_f64
#define V_PART        v_exp_part_f64
#define F_OF(x)       (x)
#define T_OF(x)       (x)
#define WHOLE         1
#include LOOP

#define SFX           f16
#define TILE_SFX      f32
#define T             uint16_t
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_f16(p)
#define LD_N(p, k)    ld_f16_n(p, k)
#define ST(p, v)      st_f16(p, v)
#define ST_N(p, v, k) st_f16_n(p, v, k)
#define V_EXP         v_exp_down_f32
#define V_PART        v_exp_part_f32
#define F_OF(x)       from_f16(x)
#define T_OF(x)       to_f16(x)
#define WHOLE         0
#include LOOP

#define SFX           bf16
#define TILE_SFX      f32
#define T             uint16_t
#define F             float
#define V             vf32
#define W             W32
#define LD(p)         ld_bf16(p)
#define LD_N(p, k)    ld_bf16_n(p, k)
#define ST(p, v)      st_bf16(p, v)
#define ST_N(p, v, k) st_bf16_n(p, v, k)
#define V_EXP         v_exp_down_f32
#define V_PART        v_exp_part_f32
#define F_OF(x)       from_bf16(x)
#define T_OF(x)       to_bf16(x)
#define WHOLE         0
#include LOOP
