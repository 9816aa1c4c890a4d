/* A bidiagonal matrix becomes diagonal; what that takes is kept, a batch at a time, for whoever
 * wants the vectors that belong to the values. */
#ifndef NOMEN_SRC_BIDIAGONAL_H
#define NOMEN_SRC_BIDIAGONAL_H

#include <stdbool.h>
#include <stdint.h>

enum { NOMEN__SWEEPS = 16 }; /* at a time */

/* Rotations of neighbouring rows, one pair after another: from row `first` on, `count` of them, up
 * or down (step 1 or -1). As the kernel "rows_rotations" takes them: factors are c and s of each.
 */
typedef struct nomen__sweep {
    int64_t first, count, step;
    double *factors;
} nomen__sweep;

typedef struct nomen__bidiagonal {
    double *diagonal, *beside; /* beside[k] in row k + 1, beside diagonal[k] */
    double *factors;           /* room for NOMEN__SWEEPS * 2 * n */
    double least, epsilon;     /* what is nothing; beside 1 */
    int64_t last, rounds;      /* the rows behind `last` are done */
    int sweeps;
    nomen__sweep sweep[NOMEN__SWEEPS];
} nomen__bidiagonal;

/* Of n rows, at least one, of finite numbers; epsilon: the accuracy that is wanted. */
void nomen__bidiagonal_begin(nomen__bidiagonal *b, double *diagonal, double *beside,
                             double *factors, int64_t n, double epsilon);
/* The next rotations, of rows: applied to the matrix of left vectors, in rows, of a lower
 * bidiagonal matrix, they make it that of the diagonal one. False: there are none. */
bool nomen__bidiagonal_next(nomen__bidiagonal *b);

#endif
