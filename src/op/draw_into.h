/* What draw.c and sample.c share: random numbers of some distribution into a tensor of any layout.
 * Only for them. */
#ifndef NOMEN_SRC_DRAW_INTO_H
#define NOMEN_SRC_DRAW_INTO_H

#include "core/draw.h"
#include "op/op.h"

/* Numbers of 8 bytes first: the struct is cleared by wide stores, and one that lay across two of
 * them would be waited for. */
typedef struct nomen__drawing {
    double a, b;    /* bounds; mean and std; p; the parameters of the others */
    int64_t base;   /* integers: the first */
    uint64_t range; /* integers: how many; 0: all of int64 */
    nomen_generator *g;
    const nomen_tensor *p; /* BERNOULLI_EACH: floating, with the sizes of the target */
    int kind;    /* one of the words below; from NOMEN__DRAW_OTHERS on a nomen__distribution */
    bool singly; /* NORMAL: as for memory that is not contiguous */
} nomen__drawing;

enum {
    NOMEN__DRAW_UNIFORM,
    NOMEN__DRAW_BETWEEN,
    NOMEN__DRAW_NORMAL,
    NOMEN__DRAW_INTEGERS,
    NOMEN__DRAW_ANY,
    NOMEN__DRAW_BERNOULLI,
    NOMEN__DRAW_BERNOULLI_EACH,
    NOMEN__DRAW_OTHERS
};

/* In the order of out's memory; in `dtype` first, if that is not out's. NOMEN_ERROR_MEMORY, and
 * nothing drawn or written, is the only error. */
nomen_status nomen__draw_into(nomen_tensor *out, nomen_dtype dtype, const nomen__drawing *d);
/* t with its dims from the outermost, dims[ndim - 1], to the innermost, dims[0]. */
nomen_tensor *nomen__in_order(const nomen_tensor *t, const int *dims);

/* The call's generator, NULL (the default one) without. */
nomen_generator *nomen__generator_given(const nomen__call *c);
/* A NUMBER argument as a real number. */
nomen_status nomen__real_given(const nomen__call *c, int i, double absent, double *value);
nomen_status nomen__check_std(double std);

#endif
