/* What the launch_*.c files share, and those that say which kernel runs: operands in the dtype that
 * a kernel wants, results in the one that the caller wants. Only for them. */
#ifndef NOMEN_SRC_LAUNCH_H
#define NOMEN_SRC_LAUNCH_H

#include "op/op.h"

enum { NOMEN__GRAIN = 32768 }; /* elements worth a chunk of their own */
/* Of so many in all. least: of so few a chunk takes some microseconds, as long as it takes another
 * thread to begin and to say that it is done. */
static inline int64_t nomen__grain_of(int64_t elements, int64_t least) {
    enum { CHUNKS = 4 };
    if (elements <= 2 * least || elements >= CHUNKS * NOMEN__GRAIN) return NOMEN__GRAIN;
    return elements / CHUNKS > least ? elements / CHUNKS : least;
}

/* What a launch works on is mostly an operand or a result itself, which the call holds: references
 * are counted for the copies alone. */

nomen_tensor *nomen__launch_converted(nomen_tensor *t, nomen_dtype dtype);
/* t itself if its dtype is the wanted one, else a contiguous copy that is; NULL and an error
 * without memory. To nomen__launch_done in the end. */
static inline nomen_tensor *nomen__launch_input(nomen_tensor *t, nomen_dtype dtype) {
    return NOMEN_LIKELY(t->dtype == (uint8_t)dtype) ? t : nomen__launch_converted(t, dtype);
}
/* Lets go of what stood for t, which may be NULL or t itself. */
static inline void nomen__launch_done(const nomen_tensor *t, nomen_tensor *used) {
    if (NOMEN_UNLIKELY(used != t)) nomen__release(used);
}
/* Rows of in along a dim with gaps whose results in out have none are copied first, to where the
 * results go; but for those of so few elements that the kernel fetches them as well as a copy does.
 */
bool nomen__is_copied_first(const nomen_tensor *in, const nomen_tensor *out, int dim,
                            int64_t fetched);
/* out itself, or a contiguous tensor of its sizes that nomen__launch_end moves over; apart: it must
 * not be out's memory. */
static inline nomen_tensor *nomen__launch_output(nomen_tensor *out, nomen_dtype dtype, bool apart) {
    if (NOMEN_LIKELY(out->dtype == (uint8_t)dtype && !apart)) return out;
    return nomen__tensor_empty_on(out->device, dtype, out->ndim, out->size);
}
nomen_status nomen__launch_move(nomen_tensor *out, nomen_tensor *made, nomen_status s)
    __attribute__((warn_unused_result));
/* Moves made, which may be NULL or out itself, to out if s is NOMEN_OK; gives back what comes of
 * it, or s. */
static inline __attribute__((warn_unused_result)) nomen_status nomen__launch_end(nomen_tensor *out,
                                                                                 nomen_tensor *made,
                                                                                 nomen_status s) {
    return NOMEN_LIKELY(made == out) ? s : nomen__launch_move(out, made, s);
}

/* Have rows along that dim one element each? dim < 0: one row of all there is. */
static inline bool nomen__are_ones(const nomen_tensor *in, int dim) {
    return dim >= 0 && in->ndim > 0 && in->size[dim] == 1;
}
/* Of rows of one element, all in `in`, which has the dims of out[0] and out[1]; one of these may be
 * NULL. The second result is a position, or else what the first one is. */
nomen_status nomen__launch_ones(const nomen__call *c, nomen__of_one of_one, nomen_tensor *in,
                                nomen_tensor *const out[2], bool places);

/* A reduction over a dim of a few, of many small groups, by operations between slices
 * (reduce_slices.c): whether that is what has been done, and what came of it. Not worth it for
 * fewer elements. */
enum { NOMEN__SLICED = 256 };
bool nomen__reduce_slices(const nomen__call *c, nomen_tensor *const *out, nomen_status *status);

/* The set of dims that lines are along: that one, or where it is negative all of them. */
static inline uint64_t nomen__along(int dim) { return dim < 0 ? UINT64_MAX : UINT64_C(1) << dim; }
/* The dims of an input that repeat its lines along those in `along` (expand), `times` times or
 * more; 0: there are none, or too few elements to be worth it. */
uint64_t nomen__repeated_dims(const nomen_tensor *in, uint64_t along, int64_t times);
/* Where results are as many as elements, to copy them takes a good part of the time. */
enum { NOMEN__TWICE = 2, NOMEN__OFTEN = 4 };
static inline uint64_t nomen__repeats(const nomen_tensor *in, uint64_t along, int64_t times) {
    if (NOMEN_LIKELY(in->flags & (NOMEN__CONTIGUOUS | NOMEN__AWAY))) return 0;
    return nomen__repeated_dims(in, along, times);
}
/* Launches c on one of each of the lines that those dims repeat, and copies what comes of it to all
 * places. For launches in which a line's results depend on nothing but the line. */
nomen_status nomen__launch_once(nomen__call *c, uint64_t along, uint64_t repeated);

/* Is the one number in t the same in dtype d? */
bool nomen__exact_in(const nomen_tensor *t, nomen_dtype d);

#endif
