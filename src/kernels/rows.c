/* Functions of whole rows: softmax and log_softmax, and their gradients. Sums of exponentials
 * alone: reduce_logsumexp.c.
 */
#include "kernels/loops/reduce.h"
#include "kernels/simd/turn.h"
#include "kernels/simd/vmath.h"

#include <math.h>

/* TILE rows are worked on side by side; rows of at most TURN_MOST elements are turned over, TURN at
 * a time; sums of more than SUM_BLOCK elements, side by side of more than NEAR, are carried
 * on in double; rows of at most KEPT elements are still in cache when scaled, of KEPT_ROOM wait in
 * float32 where results are narrower: of up to KEPT_WIDE on the stack. */
enum {
    TILE = 256,
    TILE_LEAST = 128,
    TILE_BYTES = 1 << 19,
    TURN = 64,
    SUM_BLOCK = 1024,
    NEAR = 64,
    KEPT = 1 << 21,
    KEPT_WIDE = 8192,
    KEPT_ROOM = 1 << 20
};
/* So many rows are worked on together if they take no more room; a tile that does is worked on in
 * strips. */
enum { TOGETHER = 4, TOGETHER_BYTES = 1 << 14, STRIP_BYTES = 1 << 14 };
/* Elements of narrower types wait in strips of as many bytes of what they are computed with. */
enum { STRIP_WAITS = 1 << 16 };
/* Rows side by side whose elements lie so far from each other, or a multiple of it, share few sets
 * of a cache: narrow strips of them drive each other out. */
enum { CROWDED = 2048 };
/* Rows without gaps between their elements are taken for parts of more if there are up to FEW_MOST
 * of them, and FEW_LEAST elements of these; where they could be a strip, if they have so many
 * elements times the share of its lanes that two of each would leave empty. */
enum { FEW_MOST = 127, FEW_LEAST = 8, FEW_WORTH = 25 };
/* A tile that is a strip. */
#define TURN_MOST(F) (STRIP_BYTES / (TURN * (int)sizeof(F)))
/* After so many elements of each row of a tile, or of a row with gaps, it is asked whether to go
 * on. */
enum { LONG_TILE = NOMEN__LONG_ROW / TILE, LONG_STRIDED = NOMEN__LONG_ROW / 4 };

/* As many numbers as a vector of doubles has lanes. */
static inline void narrow_f32(float *p, vf64 x) {
    const vf32h narrow = __builtin_convertvector(x, vf32h);
    memcpy(p, &narrow, sizeof narrow);
}
#define NARROWED(p, x) _Generic((p), float *: narrow_f32, double *: st_f64)(p, x)

#define LOOP "kernels/loops/softmax.h"

#define OP  softmax
#define LOG 0
#include "kernels/loops/row_floats.h"

#undef OP
#undef LOG
#define OP  log_softmax
#define LOG 1
#include "kernels/loops/row_floats.h"

/* Gradients: so many elements of rows side by side make a sum of sums; vectors of a strip of such
 * rows; rows of at most SHORT elements are joined together. */
enum { SIDE_BLOCK = 256, SIDES = 4, SHORT = 256 };

#undef LOOP
#define LOOP "kernels/loops/softmax_slope.h"

#undef OP
#undef LOG
#define OP  softmax_gradient
#define LOG 0
#include "kernels/loops/row_floats.h"

#undef OP
#undef LOG
#define OP  log_softmax_gradient
#define LOG 1
#include "kernels/loops/row_floats.h"

#define ROWS(text, enumerator, op, sfx)                                                            \
    {.name = text, .dtype = enumerator, .rows = rows_##op##_##sfx}
#define KEPT_TOO {KEPT_WIDE, KEPT_ROOM}
#define ROWS_KEPT(text, enumerator, op, sfx)                                                       \
    {.name = text, .dtype = enumerator, .rows = rows_##op##_##sfx, .rows_scratch = KEPT_TOO}

const nomen__kernel NOMEN__TABLE(rows)[] = {
    ROWS_KEPT("softmax", NOMEN_F16, softmax, f16),
    ROWS_KEPT("softmax", NOMEN_BF16, softmax, bf16),
    ROWS("softmax", NOMEN_F32, softmax, f32),
    ROWS("softmax", NOMEN_F64, softmax, f64),
    ROWS("log_softmax", NOMEN_F16, log_softmax, f16),
    ROWS("log_softmax", NOMEN_BF16, log_softmax, bf16),
    ROWS("log_softmax", NOMEN_F32, log_softmax, f32),
    ROWS("log_softmax", NOMEN_F64, log_softmax, f64),
    ROWS("softmax_gradient", NOMEN_F16, softmax_gradient, f16),
    ROWS("softmax_gradient", NOMEN_BF16, softmax_gradient, bf16),
    ROWS("softmax_gradient", NOMEN_F32, softmax_gradient, f32),
    ROWS("softmax_gradient", NOMEN_F64, softmax_gradient, f64),
    ROWS("log_softmax_gradient", NOMEN_F16, log_softmax_gradient, f16),
    ROWS("log_softmax_gradient", NOMEN_BF16, log_softmax_gradient, bf16),
    ROWS("log_softmax_gradient", NOMEN_F32, log_softmax_gradient, f32),
    ROWS("log_softmax_gradient", NOMEN_F64, log_softmax_gradient, f64),
    {.name = NULL},
};
