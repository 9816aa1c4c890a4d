/* Pointwise chains in one go: their values are computed together, block by block. */
#ifndef NOMEN_FUSE_H
#define NOMEN_FUSE_H

#include "nomen/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What nomen_fuse_begin tells nomen_fuse_end. */
typedef struct nomen_fuse_mark {
    nomen_scope_mark scope;
    int live;
} nomen_fuse_mark;
/* From here to nomen_fuse_end pointwise operations with large results check their operands as ever
 * but put the values off, in this thread. They are computed when something needs them: another
 * operation, nomen_data, nomen_item, a write to an operand, nomen_fuse_end; then a chain of them
 * runs in blocks that stay in the cache, and what nobody holds any more never gets memory. The
 * values are the same, bit by bit. The two calls are a scope as well: what was made between them,
 * and not kept, dies at the end without being computed. They may be nested; the outermost end
 * computes. Errors: nomen_fuse_end may find that there is no memory for the values; then they stay
 * put off. Memory that others write to (nomen_data, NumPy) must not change between the two calls.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(100000)), *y = NULL;
 *     nomen_fuse_mark mark = nomen_fuse_begin();
 *     y = nomen_keep(nomen_exp(nomen_mul(x, nomen_add(x, x))));
 *     nomen_fuse_end(&mark);
 *     nomen_numel(y) == 100000 */
NOMEN_API nomen_fuse_mark nomen_fuse_begin(void);
/* Ends what nomen_fuse_begin began: values that somebody holds are computed if it is the outermost
 * end, and the scope closes. A mark that is not live is fine.
 * Errors: see nomen_last_error; no memory for the values, which stay put off.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_fuse_mark mark = nomen_fuse_begin();
 *     nomen_tensor *y = nomen_keep(nomen_exp(x));
 *     nomen_fuse_end(&mark);
 *     nomen_numel(y) == 2 */
NOMEN_API void nomen_fuse_end(nomen_fuse_mark *mark);

/* nomen_fuse() { ... }: a block between the two calls, however it is left. */
#if defined(__GNUC__) && !defined(__cplusplus)
#define NOMEN_FUSE_PASTE(line) nomen_fuse_##line
#define NOMEN_FUSE_MARK(line)  NOMEN_FUSE_PASTE(line)
#define nomen_fuse()                                                                               \
    for (__attribute__((cleanup(nomen_fuse_end))) nomen_fuse_mark NOMEN_FUSE_MARK(__LINE__) =      \
             nomen_fuse_begin();                                                                   \
         NOMEN_FUSE_MARK(__LINE__).live; nomen_fuse_end(&NOMEN_FUSE_MARK(__LINE__)))
#endif

#ifdef __cplusplus
}
#endif
#endif
