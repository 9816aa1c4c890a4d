/* What indexing is made of: places in a tensor, found and checked before anything is written, and
 * walks that take from them or put there. launch_index.c uses places.c, launch_mask.c and index.c
 * parts of it. */
#ifndef NOMEN_SRC_PLACES_H
#define NOMEN_SRC_PLACES_H

#include "op/launch.h"

/* How an index out of range is told, in the words that PyTorch has for the operation. */
typedef enum nomen__range_words {
    NOMEN__RANGE_INDEX,   /* IndexError: index .. is out of bounds for dimension .. with size .. */
    NOMEN__RANGE_RUNTIME, /* the same as RuntimeError */
    NOMEN__RANGE_COPY,    /* IndexError: index_copy_(): index .. */
    NOMEN__RANGE_SELF,    /* IndexError: index out of range in self */
    NOMEN__RANGE_FLAT,    /* IndexError: out of range: tried to access index .. */
} nomen__range_words;

/* A run of dims of the table [first, first + count) counted as one in row-major order. */
typedef struct nomen__place_rule {
    const nomen_tensor *table;
    int first, count;
    bool negative; /* -1 is the last one */
    nomen__range_words words;
    bool late; /* an index along a dim is looked at as it is used: nobody has what is written */
} nomen__place_rule;

/* An int64 tensor of the sizes of index, contiguous: for each index the distance from the first one
 * of the table, in elements, or in as many as *unit says then; the index itself, where it says just
 * that. NULL and an error if one is out of range. */
nomen_tensor *nomen__places(nomen_tensor *index, const nomen__place_rule *rule, int64_t *unit);
/* For gather and scatter, where the other coordinates are those of the index itself: the index,
 * contiguous and in int64, all of it checked, but for a late rule. nomen__place_run makes places of
 * it as it goes. */
nomen_tensor *nomen__index_along(nomen_tensor *index, const nomen__place_rule *rule);

/* Runs of so many places and more are walked as they lie: fewer are too little for a call. */
enum { NOMEN__PLACE_RUN = 16 };

/* Are slices that lie across so few, and of so many elements, that they are copied one by one? All
 * together take less time if lines of the cache hold many of their elements. */
enum { NOMEN__SLICE_LEAST = 4096 };
static inline bool nomen__are_few_slices(int64_t count, int64_t numel, int64_t item) {
    enum { FEW = 4, WIDE = 8 };
    return count <= FEW && numel >= count * NOMEN__SLICE_LEAST && item >= WIDE;
}

/* t with other sizes, broadcast, in a dtype: a header if that and strides allow it, else a copy.
 * The dims [first, first + count) can be walked with one step. With a rule they stand in the place
 * of those that it indexes, and what goes to one place lies as it does in the table. */
nomen_tensor *nomen__place_rows(nomen_tensor *t, nomen_dtype dtype, int ndim, const int64_t *size,
                                int first, int count, const nomen__place_rule *rule);
/* A copy of t, broadcast, in the order in which the model lies where that has as many dims. */
nomen_tensor *nomen__dense_like(nomen_tensor *t, nomen_dtype dtype, int ndim, const int64_t *size,
                                const nomen_tensor *model);
bool nomen__one_step(const nomen_tensor *t, int first, int count, int64_t *step);

/* Are the elements of a dim so near each other that a row of them is moved as it lies, although
 * there is something in between? */
static inline bool nomen__is_stepped_run(int64_t size, int64_t stride, int64_t item) {
    enum {
        FEWEST = 32,
        APART = 4,
        LEAST = 8 /* bytes: others are copied twice as fast as one by one */
    };
    return size >= FEWEST && stride > 1 && stride <= APART && item >= LEAST;
}

typedef enum nomen__place_kind {
    NOMEN__PLACE_TAKE,
    NOMEN__PLACE_PUT,
    NOMEN__PLACE_ADD,
    NOMEN__PLACE_MUL,
    NOMEN__PLACE_MAX,
    NOMEN__PLACE_MIN,
} nomen__place_kind;

/* Between the table and rows, whose dims are those of the table with [first, first + count)
 * replaced by index_ndim others, which are walked with one step. along: places is an index along
 * the dim of that rule, and rows may have any steps; NULL: they are distances, of `unit` elements
 * each, which is one where something is put. Fails only when it is interrupted, for want of memory
 * (nothing has been written then), or for indices that a late rule finds out of range. */
nomen_status nomen__place_run(nomen__place_kind kind, nomen_tensor *table, int first, int count,
                              const nomen_tensor *places, int64_t unit, nomen_tensor *rows,
                              int index_ndim, const nomen__place_rule *along);

/* ---- putting (launch_index.c) ---------------------------------------------------------------- */

/* self of the call (or a copy of it) with rows put into places; takes over places and rows. along
 * as for nomen__place_run. */
nomen_status nomen__put_rows(nomen__call *c, nomen__place_kind kind, nomen_tensor *places,
                             nomen_tensor *rows, int first, int count, int index_ndim,
                             const nomen__place_rule *along);
/* Of rows with (self, dim, index, source): scatter and its like. */
nomen_status nomen__put_scattered(nomen__call *c, nomen__place_kind kind, nomen_tensor *source);

/* ---- masks (launch_mask.c) ------------------------------------------------------------------- */

/* t as bools in row-major order without gaps, broadcast to these sizes. */
nomen_tensor *nomen__plain_mask(nomen_tensor *t, int ndim, const int64_t *size);
/* How many there are before each chunk of a plain mask, and in all (the last one). int64, 1-d. */
nomen_tensor *nomen__mask_counts(const nomen_tensor *mask);
/* Where they are, counted in row-major order. int64, 1-d. */
nomen_tensor *nomen__mask_positions(nomen_tensor *mask);

#endif
