/* Matrix products of every dtype but bool. Batches, threads and the choice of an outside library
 * are the pipeline's.
 *
 * Idea: blocks of A and B are copied into panels that a micro-kernel reads in order, its tile of C
 * in registers. Half types are widened on the way into the panels and rounded once at the end;
 * bytes are computed in 16 bits, of which the low ones are right. Small products, products with a
 * vector and middle-sized ones read the operands where they lie; half types up to GEMM_MEDIUM are
 * widened whole and go the way of float32.
 *
 * Limit: the fused multiply-adds of one core. Share, as bench/bench_kernels.c prints it (its first
 * lines say how to build it), on a Zen 3 (AVX2): float32 90 % at 64, 92 % at 256, 93 % at 512,
 * float64 89, 90 and 90 %, float16 68, 89 and 90 %, complex64 68, 85 and 84 %; on a shared Zen 5
 * (AVX-512): float32 94, 95 and 93 %, float64 93, 87 and 83 %, float16 72, 90 and 91 %, complex64
 * 97 and 82 % at 64 and 256. At 16 what is around the tile leaves 58 % of float32. */
#include "kernels/loops/reduce.h"
#include "kernels/simd/turn_pairs.h"
#include "kernels/simd/two.h"
#include "kernels/simd/vmath_complex.h"
#include "kernels/simd/vmath_pairs.h"
#include "kernels/simd/words.h"

#define OP matmul

/* Up to GEMM_SMALL rows, columns and summands nothing is packed. Dot products are summed by blocks
 * of GEMM_DOT; products of columns with a vector work on strips of GEMM_STRIP rows. Up to
 * GEMM_NARROW columns (or rows) are products with so many vectors, on GEMM_CACHE bytes each. */
enum { GEMM_SMALL = 16, GEMM_DOT = 4096, GEMM_STRIP = 512, GEMM_NARROW = 6, GEMM_CACHE = 1 << 18 };
/* Parts of a product of so many rows and columns go the ways of the whole. */
enum { GEMM_SIDE = 2 * GEMM_SMALL };

/* Up to so many summands and below so many bytes of B (half of L2, of processors with vectors of
 * that length) nothing is packed either, where elements need no conversion (loops/gemm_direct.h).
 * Up to STORED_K summands it is the results that take the time. */
enum { DIRECT_K = 256, DIRECT_WIDE = 4, DIRECT_AHEAD = 24, PACK_ROWS = 8, STORED_K = 2 };
/* So many rows, and of complex numbers FEW, read B again and again: it has to be smaller then. So
 * it has where it is turned over before: panels are made of it in the same time. A that lies across
 * shares L1 with B badly, beyond so many rows and summands. With AVX-512 (Zen 4, Xeon) all but the
 * last makes no difference. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
enum {
    DIRECT_B = 1 << 19,
    DIRECT_B_MANY = DIRECT_B,
    DIRECT_B_COPY = DIRECT_B,
    DIRECT_B_COMPLEX = DIRECT_B
};
enum { DIRECT_A_K = 128 };
#else
enum {
    DIRECT_B = 1 << 18,
    DIRECT_B_MANY = 1 << 17,
    DIRECT_B_COPY = 1 << 16,
    DIRECT_B_COMPLEX = 1 << 15
};
enum { DIRECT_A_K = 96 };
#endif
enum { DIRECT_A_ROWS = 24, DIRECT_MANY = 48, DIRECT_FEW = 24 };
/* Up to so many rows and columns, or summands, half types are widened whole, the results of the
 * latter in pieces of so many bytes; of larger products of theirs, sums of so many rows wait for
 * the last summands. */
enum { GEMM_MEDIUM = 64, GEMM_THIN = 32, GEMM_NEAR = 1 << 15, GEMM_SUMS = 2048 };
/* Elements of B up to which it is copied for GEMM_MEDIUM rows and more. */
enum { GEMM_COPIED = 1024 };
/* Many products at once: bytes of their panels, which stay in L1, and rows and columns. */
enum { BATCH_BYTES = 1 << 15, BATCH_SIDE = 16 };

/* Tiles: as many rows as leave registers for a row of B and one element of A. */
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
enum { ROWS_REAL = 14, VECS_REAL = 2, ROWS_COMPLEX = 12 };
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_neon
enum { ROWS_REAL = 6, VECS_REAL = 4, ROWS_COMPLEX = 10 };
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
enum { ROWS_REAL = 6, VECS_REAL = 2, ROWS_COMPLEX = 6 };
#else
enum { ROWS_REAL = 4, VECS_REAL = 2, ROWS_COMPLEX = 4 };
#endif

static inline vu32 ld_u32(const uint32_t *p) { return (vu32)ld_f32(p); }
static inline void st_u32(uint32_t *p, vu32 x) { st_f32(p, (vf32)x); }
static inline vu64 ld_u64(const uint64_t *p) { return (vu64)ld_f64(p); }
static inline void st_u64(uint64_t *p, vu64 x) { st_f64(p, (vf64)x); }
static inline vu32 ld_u32_n(const uint32_t *p, int64_t k) { return (vu32)ld_f32_n(p, k); }
static inline void st_u32_n(uint32_t *p, vu32 x, int64_t k) { st_f32_n(p, (vf32)x, k); }
static inline vu64 ld_u64_n(const uint64_t *p, int64_t k) { return (vu64)ld_f64_n(p, k); }
static inline void st_u64_n(uint64_t *p, vu64 x, int64_t k) { st_f64_n(p, (vf64)x, k); }

#define MUL_ADD(a, b, c) ((a) * (b) + (c))

/* Whether what lies `step` bytes apart shares sets of the cache, as multiples of `sets` do. */
static inline bool share_sets(int64_t step, int64_t sets, int64_t near) {
    return (step + near) % sets < 2 * near;
}

/* How far ahead of tiles rows of B are asked for, in bytes, or 0: where they do not stay near. */
static inline int64_t direct_ahead(const nomen__gemm_args *g, int64_t item) {
    return g->k * g->n * item > GEMM_NEAR ? DIRECT_AHEAD * g->b_row : 0;
}

/* Rows of a tile are found by a pointer for each few of them, which the compiler is not to know for
 * multiples of one step: it would run out of registers. */
enum { ROWS_EACH = 4, ROWS_GROUPS = GEMM_SMALL / ROWS_EACH };
static inline __attribute__((always_inline)) void
point_at_rows(const char *row[ROWS_GROUPS], const char *a, int64_t step, const int groups) {
#pragma GCC unroll 4
    for (int i = 0; i < groups; i++) {
        row[i] = a + i * ROWS_EACH * step;
        __asm__("" : "+r"(row[i]));
    }
}

/* The same product with rows for columns: C' = B' A'. */
static APART nomen__gemm_args turned_product(const nomen__gemm_args *g) {
    return (nomen__gemm_args){g->n,     g->m,     g->k,     g->b,     g->a,     g->c,
                              g->b_col, g->b_row, g->a_col, g->a_row, g->c_col, g->c_row};
}

#define SFX     f32
#define T       float
#define C       float
#define V       vf32
#define C_OF(x) (x)
#define T_OF(x) (x)
#define FMA     v_fma_f32
#define ROUNDS  0
#define TURN    v_turn_f32
#define WHOLE   0
#include "kernels/loops/gemm_real.h"

#define SFX     f64
#define T       double
#define C       double
#define V       vf64
#define C_OF(x) (x)
#define T_OF(x) (x)
#define FMA     v_fma_f64
#define ROUNDS  0
#define TURN    v_turn_f64
#define WHOLE   0
#include "kernels/loops/gemm_real.h"

#define SFX     f16
#define T       uint16_t
#define C       float
#define V       vf32
#define C_OF(x) from_f16(x)
#define T_OF(x) to_f16(x)
#define FMA     v_fma_f32
#define ROUNDS  1
#define TURN    v_turn_f32
#define WHOLE   0
#include "kernels/loops/gemm_real.h"

#define STV(p, v)      st_sum_bf16(p, v)
#define STV_N(p, v, k) st_sum_bf16_n(p, v, k)
#define SFX            bf16
#define T              uint16_t
#define C              float
#define V              vf32
#define C_OF(x)        from_bf16(x)
#define T_OF(x)        to_bf16(x)
#define FMA            v_fma_f32
#define ROUNDS         1
#define TURN           v_turn_f32
#define WHOLE          0
#include "kernels/loops/gemm_real.h"

#define SFX     u8
#define T       uint8_t
#define C       uint16_t
#define V       vu16
#define C_OF(x) (uint16_t)(x)
#define T_OF(x) (uint8_t)(x)
#define FMA     MUL_ADD
#define ROUNDS  0
#define TURN    v_turn_u16
#define WHOLE   1
#include "kernels/loops/gemm_real.h"

#define SFX     u16
#define T       uint16_t
#define C       uint16_t
#define V       vu16
#define C_OF(x) (x)
#define T_OF(x) (uint16_t)(x)
#define FMA     MUL_ADD
#define ROUNDS  0
#define TURN    v_turn_u16
#define WHOLE   1
#include "kernels/loops/gemm_real.h"

#define SFX     u32
#define T       uint32_t
#define C       uint32_t
#define V       vu32
#define C_OF(x) (x)
#define T_OF(x) (x)
#define FMA     MUL_ADD
#define ROUNDS  0
#define TURN    v_turn_u32
#define WHOLE   1
#include "kernels/loops/gemm_real.h"

#define SFX     u64
#define T       uint64_t
#define C       uint64_t
#define V       vu64
#define C_OF(x) (x)
#define T_OF(x) (x)
#define FMA     MUL_ADD
#define ROUNDS  0
#define TURN    v_turn_u64
#define WHOLE   1
#include "kernels/loops/gemm_real.h"

#define SFX            c64
#define T              c64
#define C              float
#define PART           f32
#define V              vf32
#define W              W32
#define LDV(p)         ld_f32(p)
#define STV(p, v)      st_f32(p, v)
#define LDV_N(p, k)    ld_f32_n(p, k)
#define STV_N(p, v, k) st_f32_n(p, v, k)
#define RE_OF          v_parts_even
#define IM_OF          v_parts_odd
#define FIRST_OF       v_parts_first
#define LAST_OF        v_parts_last
#define EVEN_LANES     v_even_lanes_f32()
#define FMA            v_fma_f32
#define TURN           v_turn_c64
#define MR             ROWS_COMPLEX
#define KC             256
#define MC             (MR * 16)
#define NC             (NR * 64)
#include "kernels/loops/gemm_complex.h"

#define SFX            c128
#define T              c128
#define C              double
#define PART           f64
#define V              vf64
#define W              W64
#define LDV(p)         ld_f64(p)
#define STV(p, v)      st_f64(p, v)
#define LDV_N(p, k)    ld_f64_n(p, k)
#define STV_N(p, v, k) st_f64_n(p, v, k)
#define RE_OF          v_pairs_even
#define IM_OF          v_pairs_odd
#define FIRST_OF       v_pairs_even
#define LAST_OF        v_pairs_odd
#define EVEN_LANES     v_even_lanes_f64()
#define FMA            v_fma_f64
#define TURN           v_turn_c128
#define MR             ROWS_COMPLEX
#define KC             256
#define MC             (MR * (VB == 32 ? 8 : 16)) /* L2 of AVX2 may be 512 KB */
#define NC             (NR * 64)
#include "kernels/loops/gemm_complex.h"

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
#include "kernels/loops/gemm_tiles.h"
#define GEMM_BF16 gemm_by_tiles
#define GEMM_F16  gemm_or_parts_f16
#define GEMM_F32  gemm_or_parts_f32
#define GEMM_C64  gemm_or_parts_c64
#else
#define GEMM_BF16 gemm_matmul_bf16
#define GEMM_F16  gemm_matmul_f16
#define GEMM_F32  gemm_matmul_f32
#define GEMM_C64  gemm_matmul_c64
#endif

#define ROW_GEMM(enumerator, sfx)                                                                  \
    {.name = "matmul", .dtype = enumerator, .gemm = &gemm_matmul_##sfx}

const nomen__kernel NOMEN__TABLE(gemm)[] = {
    ROW_GEMM(NOMEN_U8, u8),
    ROW_GEMM(NOMEN_I8, u8),
    ROW_GEMM(NOMEN_I16, u16),
    ROW_GEMM(NOMEN_I32, u32),
    ROW_GEMM(NOMEN_I64, u64),
    ROW_GEMM(NOMEN_F64, f64),
    ROW_GEMM(NOMEN_C128, c128),
    {.name = "matmul", .dtype = NOMEN_F16, .gemm = &GEMM_F16},
    {.name = "matmul", .dtype = NOMEN_BF16, .gemm = &GEMM_BF16},
    {.name = "matmul", .dtype = NOMEN_F32, .gemm = &GEMM_F32},
    {.name = "matmul", .dtype = NOMEN_C64, .gemm = &GEMM_C64},
    {.name = NULL},
};
