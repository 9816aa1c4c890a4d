/* Gradients: which tensors want them, how to compute them, what may look on. */
#ifndef NOMEN_GRAD_H
#define NOMEN_GRAD_H

#include "nomen/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors --------------------------------------------------------------------------------- */

/* Is the gradient of this tensor wanted, or does it depend on one whose gradient is wanted?
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_requires_grad(w) && nomen_requires_grad(nomen_neg(w)) */
NOMEN_API bool nomen_requires_grad(const nomen_tensor *t);
/* Floating point and complex leaves only.
 * Errors: NOMEN_ERROR_DTYPE for other dtypes, NOMEN_ERROR_GRAD for what is no leaf.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true) == NOMEN_OK */
NOMEN_API nomen_status nomen_set_requires_grad(nomen_tensor *t, bool requires_grad);
/* Not the result of an operation on tensors that require grad.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_is_leaf(w) && !nomen_is_leaf(nomen_neg(w)) */
NOMEN_API bool nomen_is_leaf(const nomen_tensor *t);
/* What backward left here, with the names of t; borrowed, lives until the next change of it; NULL:
 * nothing yet. To change it in place turn gradients off: one that is made of t holds t, which holds
 * it, until nomen_zero_grad.
 * Names: those of t.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_backward(nomen_sum(nomen_mul(w, w)));
 *     nomen_item(nomen_sum(nomen_gradient(w))) == 4 */
NOMEN_API nomen_tensor *nomen_gradient(const nomen_tensor *t);
/* Replaces it (NULL: none). Sizes, dtype and names (if it has any) must be those of t.
 * Errors: NOMEN_ERROR_SHAPE if sizes or dtype are others, NOMEN_ERROR_NAME if names are.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_set_gradient(w, nomen_ones("N", NOMEN_SIZES(2))) == NOMEN_OK */
NOMEN_API nomen_status nomen_set_gradient(nomen_tensor *t, nomen_tensor *gradient);
/* Forgets the gradient of t: the next backward starts afresh.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_backward(nomen_sum(w));
 *     nomen_zero_grad(w);
 *     nomen_gradient(w) == NULL */
NOMEN_API void nomen_zero_grad(nomen_tensor *t);
/* Keeps the gradient of a tensor that is no leaf as well, for nomen_gradient.
 * Errors: NOMEN_ERROR_GRAD for a tensor that requires no gradient.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_tensor *y = nomen_neg(w);
 *     nomen_retain_grad(y) == NOMEN_OK && nomen_retains_grad(y)
 *     nomen_backward(nomen_sum(y));
 *     nomen_item(nomen_sum(nomen_gradient(y))) == 2 */
NOMEN_API nomen_status nomen_retain_grad(nomen_tensor *t);
NOMEN_API bool nomen_retains_grad(const nomen_tensor *t);
/* A tensor on the same data, with the same names, that takes no part in gradients. Belongs to the
 * current scope.
 * Names: those of t.
 * Errors: no memory.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     !nomen_requires_grad(nomen_detach(w)) */
NOMEN_API nomen_tensor *nomen_detach(nomen_tensor *t);
/* Makes t itself a leaf that does not require grad. Views cannot be detached in place.
 * Errors: NOMEN_ERROR_GRAD for a view.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_tensor *y = nomen_neg(w);
 *     nomen_detach_(y) == NOMEN_OK && nomen_is_leaf(y) */
NOMEN_API nomen_status nomen_detach_(nomen_tensor *t);
/* "MulBackward0" for the result of mul, NULL for a leaf. buffer gets the text, cut to fit.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     char text[64];
 *     strcmp(nomen_grad_fn_name(nomen_mul(w, w), text, sizeof text), "MulBackward0") == 0 */
NOMEN_API const char *nomen_grad_fn_name(const nomen_tensor *t, char *buffer, size_t size);

/* ---- backward -------------------------------------------------------------------------------- */

struct nomen_backward_args {
    nomen_tensor *loss;
    nomen_tensor *gradient; /* of loss; may be left out if loss has one element */
    nomen_list inputs;      /* accumulate into these only; {0}: into all leaves */
    bool retain_graph;      /* keep what another backward through the same graph needs */
    bool create_graph;      /* the gradients can be differentiated again (keeps the graph too) */
};
/* nomen_backward(loss), nomen_backward(loss, .gradient = g, .retain_graph = true): adds d loss / d
 * x to the gradient of every leaf x that requires grad. If it fails, no gradient has changed.
 * Errors: NOMEN_ERROR_GRAD for a loss that requires no gradient, a graph that was walked before,
 * or a saved tensor that was changed since; NOMEN_ERROR_SHAPE and NOMEN_ERROR_NAME for a gradient
 * that does not fit; what a hook returns.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_backward(nomen_sum(nomen_mul(w, w)), .retain_graph = true) == NOMEN_OK
 *     nomen_item(nomen_sum(nomen_gradient(w))) == 4 */
NOMEN_API nomen_status nomen_backward_call(const struct nomen_backward_args *args);
#ifndef __cplusplus
#define nomen_backward(...)                                                                        \
    nomen_backward_call(&(const struct nomen_backward_args){.loss = __VA_ARGS__})
#endif

struct nomen_grad_args {
    nomen_list outputs, inputs;
    nomen_list grad_outputs; /* one for each output, NULL where there is one element; {0}: none */
    bool retain_graph, create_graph;
    bool allow_unused; /* NULL for inputs that no output depends on; otherwise they are an error */
};
/* nomen_grad(NOMEN_LIST(y), NOMEN_LIST(x, w)): the gradients of the inputs, in order, with their
 * names; changes no gradient of a leaf. The list is empty (count 0) if it fails.
 * Names: those of the inputs.
 * Errors: as of nomen_backward; an input that no output depends on.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     nomen_list g = nomen_grad(NOMEN_LIST(nomen_sum(w)), NOMEN_LIST(w));
 *     g.count == 1 && nomen_item(nomen_sum(g.at[0])) == 2 */
NOMEN_API nomen_list nomen_grad_call(const struct nomen_grad_args *args);
#ifndef __cplusplus
#define nomen_grad(...) nomen_grad_call(&(const struct nomen_grad_args){.outputs = __VA_ARGS__})
#endif

/* ---- on and off ------------------------------------------------------------------------------ */

/* Are operations of this thread recorded? True at first.
 * Example:
 *     nomen_grad_enabled() */
NOMEN_API bool nomen_grad_enabled(void);
/* Returns what it was.
 * Example:
 *     bool before = nomen_set_grad_enabled(false);
 *     !nomen_grad_enabled() && nomen_set_grad_enabled(before) == false */
NOMEN_API bool nomen_set_grad_enabled(bool enabled);

typedef struct nomen_grad_mark {
    bool before, live;
} nomen_grad_mark;
/* What the blocks below are made of; a mark is closed once, further calls do nothing.
 * Example:
 *     nomen_grad_mark mark = nomen_grad_mode_open(false);
 *     !nomen_grad_enabled()
 *     nomen_grad_mode_close(&mark);
 *     nomen_grad_enabled()
 *     nomen_no_grad() nomen_zero_(nomen_ones("N", NOMEN_SIZES(2))); */
NOMEN_API nomen_grad_mark nomen_grad_mode_open(bool enabled);
NOMEN_API void nomen_grad_mode_close(nomen_grad_mark *mark); /* the mode is what it was */

/* nomen_no_grad() { ... }: nothing in the block is recorded, however it is left (break, return,
 * goto). nomen_enable_grad() { ... }: the other way round. */
#if defined(__GNUC__) && !defined(__cplusplus)
/* Named after the line, so that one block inside another does not hide its mark. */
#define NOMEN_GRAD_PASTE(line) nomen_grad_mode_##line
#define NOMEN_GRAD_MARK(line)  NOMEN_GRAD_PASTE(line)
#define NOMEN_GRAD_MODE(enabled)                                                                   \
    for (__attribute__((cleanup(nomen_grad_mode_close))) nomen_grad_mark NOMEN_GRAD_MARK(          \
             __LINE__) = nomen_grad_mode_open(enabled);                                            \
         NOMEN_GRAD_MARK(__LINE__).live; nomen_grad_mode_close(&NOMEN_GRAD_MARK(__LINE__)))
#define nomen_no_grad()     NOMEN_GRAD_MODE(false)
#define nomen_enable_grad() NOMEN_GRAD_MODE(true)
#endif

/* ---- hooks ----------------------------------------------------------------------------------- */

/* Sees the gradient of one tensor when it is complete, with that tensor's names (borrowed; results
 * made here die with the call, except a replacement). *replacement may be set to a tensor of the
 * same sizes that takes its place. Anything but NOMEN_OK ends the backward with that status (record
 * an error with nomen_raise, or let an operation record one). */
typedef nomen_status nomen_hook(void *payload, nomen_tensor *gradient, nomen_tensor **replacement);
/* Called after the gradient of a leaf was added up; gradient: the sum, as nomen_gradient gives it.
 */
typedef nomen_status nomen_accumulate_hook(void *payload, nomen_tensor *gradient);

/* Hooks run in the order in which they were registered; on an in-place change of t they stay with
 * the value that t had. free_payload (may be NULL) is called when the hook is removed or its tensor
 * is gone, and also when registering fails. Returns a handle, 0 on error.
 * Errors: NOMEN_ERROR_GRAD for a tensor that requires no gradient.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     uint64_t handle = nomen_register_hook(w, halve, NULL, NULL); // see nomen_hook
 *     nomen_backward(nomen_sum(w));
 *     handle != 0 && nomen_item(nomen_sum(nomen_gradient(w))) == 1 */
NOMEN_API uint64_t nomen_register_hook(nomen_tensor *t, nomen_hook *hook, void *payload,
                                       void (*free_payload)(void *payload));
/* Leaves that require grad only.
 * Errors: NOMEN_ERROR_GRAD for others.
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     uint64_t handle = nomen_register_post_accumulate_grad_hook(w, look_at, NULL, NULL);
 *     nomen_backward(nomen_sum(w)) == NOMEN_OK && handle != 0 */
NOMEN_API uint64_t nomen_register_post_accumulate_grad_hook(nomen_tensor *t,
                                                            nomen_accumulate_hook *hook,
                                                            void *payload,
                                                            void (*free_payload)(void *payload));
/* True if there was such a hook on t (also when t was changed in place since).
 * Example:
 *     nomen_tensor *w = nomen_ones("N", NOMEN_SIZES(2));
 *     nomen_set_requires_grad(w, true);
 *     uint64_t handle = nomen_register_hook(w, halve, NULL, NULL);
 *     nomen_remove_hook(w, handle) && !nomen_remove_hook(w, handle) */
NOMEN_API bool nomen_remove_hook(nomen_tensor *t, uint64_t handle);
/* Records an error of the caller's own for this thread, as hooks do when they fail; returns code.
 * Errors: the one that it records.
 * Example:
 *     nomen_raise(NOMEN_ERROR_VALUE, "no such thing") == NOMEN_ERROR_VALUE
 *     strcmp(nomen_last_error()->message, "no such thing") == 0 */
NOMEN_API nomen_status nomen_raise(nomen_status code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
