/* Who owns a tensor in C, and for how long. */
#ifndef NOMEN_SCOPE_H
#define NOMEN_SCOPE_H

#include "nomen/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results belong to the innermost open scope of the thread that made them and die with it; operands
 * are borrowed. Without an open scope they belong to the thread and die with nomen_free,
 * nomen_thread_end or the thread. */
typedef struct nomen_scope_mark {
    int64_t depth;
    int live;
} nomen_scope_mark;
/* Opens a scope, and closes it: what nomen_scope() below is made of.
 * Example:
 *     nomen_scope_mark mark = nomen_scope_open();
 *     nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_scope_close(&mark); // it is gone
 *     nomen_scope() nomen_ones("N", NOMEN_SIZES(2)); // so is this one */
NOMEN_API nomen_scope_mark nomen_scope_open(void);
NOMEN_API void nomen_scope_close(nomen_scope_mark *mark);

/* nomen_scope() { ... }: temporaries of the block die at its end, however it is left (break,
 * return, goto). */
#if defined(__GNUC__) && !defined(__cplusplus)
/* Named after the line, so that one block inside another does not hide its mark. */
#define NOMEN_SCOPE_PASTE(line) nomen_scope_##line
#define NOMEN_SCOPE_MARK(line)  NOMEN_SCOPE_PASTE(line)
#define nomen_scope()                                                                              \
    for (__attribute__((cleanup(nomen_scope_close))) nomen_scope_mark NOMEN_SCOPE_MARK(__LINE__) = \
             nomen_scope_open();                                                                   \
         NOMEN_SCOPE_MARK(__LINE__).live; nomen_scope_close(&NOMEN_SCOPE_MARK(__LINE__)))
#endif

/* Hands a tensor to the scope around the current one (or to the thread) and returns it.
 * Names: its own.
 * Example:
 *     nomen_tensor *x = NULL;
 *     nomen_scope() x = nomen_keep(nomen_ones("N", NOMEN_SIZES(2)));
 *     nomen_numel(x) == 2 */
NOMEN_API nomen_tensor *nomen_keep(nomen_tensor *t);
/* Frees a tensor now and sets the variable to NULL. NULL is fine. The data lives on while views use
 * it.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_free(&x);
 *     x == NULL */
NOMEN_API void nomen_free(nomen_tensor **t);
/* A reference of the caller's own, outside all scopes: for other threads and for long-lived
 * structures. Each retain wants one release.
 * Names: its own.
 * Example:
 *     nomen_tensor *x = NULL;
 *     nomen_scope() x = nomen_retain(nomen_ones("N", NOMEN_SIZES(2)));
 *     nomen_numel(x) == 2
 *     nomen_release(x); */
NOMEN_API nomen_tensor *nomen_retain(nomen_tensor *t);
NOMEN_API void nomen_release(nomen_tensor *t);
/* Gives back what this thread owns: tensors of its root scope, free lists. Called by itself at
 * thread exit.
 * Example:
 *     nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_thread_end(); // it is gone */
NOMEN_API void nomen_thread_end(void);

#ifdef __cplusplus
}
#endif
#endif
