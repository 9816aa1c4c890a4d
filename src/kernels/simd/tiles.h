/* The tile registers of AMX: eight of 16 rows of 64 bytes. Written as instructions, which both
 * compilers take without being told of a processor that has them; who uses them asks
 * nomen__kernel_tiles first. Tiles 0 to 3 hold sums (float32), 4 and 5 rows of A, 6 and 7 of B. */
#ifndef NOMEN_SRC_SIMD_TILES_H
#define NOMEN_SRC_SIMD_TILES_H

#include <stdint.h>

enum { TILE_ROWS = 16, TILE_BYTES = TILE_ROWS * 64 };

/* What LDTILECFG reads: each tile as large as it can be. */
typedef struct tile_config {
    uint8_t palette, first, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;

static inline void tiles_begin(void) {
    tile_config config __attribute__((aligned(64))) = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        config.row_bytes[i] = 64;
        config.rows[i] = TILE_ROWS;
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(config) : "memory");
}
/* The system need not keep them any more. */
static inline void tiles_end(void) { __asm__ volatile("tilerelease" : : : "memory"); }

#define TILE_ZERO(tile) __asm__ volatile("tilezero %%tmm" #tile : : : "memory")
/* Rows `step` bytes apart. */
#define TILE_LOAD(tile, from, step)                                                                \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile                                            \
                     :                                                                             \
                     : "r"(from), "r"((int64_t)(step))                                             \
                     : "memory")
#define TILE_STORE(tile, to, step)                                                                 \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)"                                        \
                     :                                                                             \
                     : "r"(to), "r"((int64_t)(step))                                               \
                     : "memory")
/* sums[i, j] += a[i, 2 p] b[p, 2 j] + a[i, 2 p + 1] b[p, 2 j + 1], of bfloat16; subnormal numbers
 * count as 0. */
#define TILE_ADD_BF16(sums, a, b)                                                                  \
    __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #sums : : : "memory")

#endif
