/* Tiles of operands that do not lie like the output, made to lie so: turned over if the near dim is
 * not the output's, short rows put close together, elements and rows repeated. */
#ifndef NOMEN_SRC_TILE_H
#define NOMEN_SRC_TILE_H

#include "kernels/kernel.h"

#include "nomen/names.h"

#include <stdint.h>
#include <string.h>

/* What moves elements of so many bytes as they are, by a kernel of this name; NULL: nothing does.
 */
nomen__loop *nomen__mover(const char *kernel, int64_t bytes);

/* Rows and columns change places: to[r][i] = element at from + i * near + r * item, where rows of
 * `to` are to_row bytes apart. */
void nomen__turn_tile(char *to, int64_t to_row, const char *from, int64_t near, int64_t n,
                      int64_t rows, int64_t item);

/* memcpy, except where the target lags the source (nomen__lags) and there is much of it. */
void nomen__copy_lagging(char *to, const char *from, int64_t bytes);
static inline void nomen__copy_block(char *to, const char *from, int64_t bytes) {
    enum { SHORT = 2048 };
    if (__builtin_expect(bytes > SHORT && nomen__lags(to, from), 0))
        nomen__copy_lagging(to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

/* Rows of so many bytes, which may be few, but not none. */
void nomen__copy_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t bytes);

/* `rows` rows of n elements, each the elements that end with the one at `last`, last to first;
 * bytes from row to row of both. */
void nomen__reverse_rows(char *to, int64_t to_row, const char *last, int64_t from_row, int64_t n,
                         int64_t rows, int64_t item);

/* `rows` rows of n elements, to_row bytes apart, each the element at from + r * far again and
 * again.
 */
void nomen__spread_rows(char *to, int64_t to_row, const char *from, int64_t far, int64_t n,
                        int64_t rows, int64_t item);

/* Rows of a few elements, from ptr[1] to ptr[0]: bytes from one to the next, and from row to row.
 */
void nomen__copy_few(char *const ptr[2], const int64_t near[2], const int64_t far[2], int64_t n,
                     int64_t rows, int64_t item);

/* A block of any dims, the nearest one of one side first: bytes from index to index of both. */
typedef struct nomen__block {
    int ndim;
    int64_t size[NOMEN_MAX_DIMS], to[NOMEN_MAX_DIMS], from[NOMEN_MAX_DIMS];
} nomen__block;
void nomen__move_block(char *to, const char *from, const nomen__block *b, int64_t item);

#endif
