/* Turning tiles over: an operand whose near dim is not the output's, made to lie like the output.
 */
#ifndef NOMEN_SRC_TILE_H
#define NOMEN_SRC_TILE_H

#include <stdint.h>

/* to[r][i] = element at from + i * near + r * far, for r < rows, i < n; rows of `to` are n elements
 * of `item` bytes apart. Meant for far steps shorter than near ones. */
void nomen__tile_gather(char *to, const char *from, int64_t near, int64_t far, int64_t n,
                        int64_t rows, int64_t item);

/* Rows of so many bytes, which may be few. */
void nomen__copy_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t bytes);

#endif
