/* Turning tiles over, by element size. When to do so is the iterator's affair. */
#include "op/tile.h"

#include <string.h>

typedef uint16_t __attribute__((may_alias)) item_2;
typedef uint32_t __attribute__((may_alias)) item_4;
typedef uint64_t __attribute__((may_alias)) item_8;
typedef struct item_16 {
    uint64_t half[2];
} __attribute__((may_alias)) item_16;

/* Elements are read along the far dim, which is the one without holes in memory. */
static void gather_1(char *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++) to[r * n + i] = from[r * far];
}

static void gather_2(item_2 *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_2 *)(const void *)(from + r * far);
}

static void gather_4(item_4 *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_4 *)(const void *)(from + r * far);
}

static void gather_8(item_8 *to, const char *from, int64_t near, int64_t far, int64_t n,
                     int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_8 *)(const void *)(from + r * far);
}

static void gather_16(item_16 *to, const char *from, int64_t near, int64_t far, int64_t n,
                      int64_t rows) {
    for (int64_t i = 0; i < n; i++, from += near)
        for (int64_t r = 0; r < rows; r++)
            to[r * n + i] = *(const item_16 *)(const void *)(from + r * far);
}

typedef uint32_t __attribute__((vector_size(16))) quad;

static inline quad load_quad(const char *p) {
    quad v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void store_quad(item_4 *p, quad v) { memcpy(p, &v, sizeof v); }

/* Four rows of four at a time: two rounds of pairing up. */
static void turn_4(item_4 *to, const char *from, int64_t near, int64_t n, int64_t rows) {
    for (int64_t i = 0; i < n; i += 4, from += 4 * near)
        for (int64_t r = 0; r < rows; r += 4) {
            const char *p = from + r * 4;
            quad a = load_quad(p), b = load_quad(p + near), c = load_quad(p + 2 * near),
                 d = load_quad(p + 3 * near);
            quad ac = __builtin_shufflevector(a, c, 0, 4, 1, 5);
            quad bd = __builtin_shufflevector(b, d, 0, 4, 1, 5);
            quad ac2 = __builtin_shufflevector(a, c, 2, 6, 3, 7);
            quad bd2 = __builtin_shufflevector(b, d, 2, 6, 3, 7);
            item_4 *o = to + r * n + i;
            store_quad(o, __builtin_shufflevector(ac, bd, 0, 4, 1, 5));
            store_quad(o + n, __builtin_shufflevector(ac, bd, 2, 6, 3, 7));
            store_quad(o + 2 * n, __builtin_shufflevector(ac2, bd2, 0, 4, 1, 5));
            store_quad(o + 3 * n, __builtin_shufflevector(ac2, bd2, 2, 6, 3, 7));
        }
}

void nomen__tile_gather(char *to, const char *from, int64_t near, int64_t far, int64_t n,
                        int64_t rows, int64_t item) {
    void *out = to; /* a buffer aligned for every element */
    switch (item) {
    case 1: gather_1(to, from, near, far, n, rows); break;
    case 2: gather_2(out, from, near, far, n, rows); break;
    case 4:
        if (far == 4 && n % 4 == 0 && rows % 4 == 0)
            turn_4(out, from, near, n, rows);
        else
            gather_4(out, from, near, far, n, rows);
        break;
    case 8: gather_8(out, from, near, far, n, rows); break;
    default: gather_16(out, from, near, far, n, rows); break;
    }
}
