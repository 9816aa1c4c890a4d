/* What users ask and say of single tensors: requires_grad, gradients, detach, gradients on and off.
 */
#include "autograd/tape.h"
#include "nomen/scope.h"

#include <string.h>

/* ---- questions ------------------------------------------------------------------------------- */

/* Views learn late what became of their base; asking is a good moment. A question does not fail:
 * who works with the tensor will hear of it. */
static const nomen__node *node_of(const nomen_tensor *t) {
    if (!t) return NULL;
    if (t->base && nomen__grad_enabled && nomen__grad_refresh((nomen_tensor *)(uintptr_t)t))
        nomen__error_drop();
    return t->flags & NOMEN__REQUIRES ? t->grad : NULL;
}

bool nomen_requires_grad(const nomen_tensor *t) { return node_of(t) != NULL; }

bool nomen_is_leaf(const nomen_tensor *t) {
    const nomen__node *n = node_of(t);
    return t && (!n || n->kind == NOMEN__LEAF);
}

bool nomen_retains_grad(const nomen_tensor *t) {
    const nomen__node *n = node_of(t);
    return n && n->retain;
}

nomen_tensor *nomen_gradient(const nomen_tensor *t) {
    nomen_tensor *g = t && t->grad ? t->grad->grad : NULL;
    if (!g || g->ndim != t->ndim) return g;
    /* t may have got other names since. */
    bool named = nomen__is_named(t);
    if (named ? !nomen__is_named(g) || memcmp(g->names, t->names, sizeof *g->names * g->ndim) != 0
              : nomen__is_named(g))
        nomen__set_names(g, named ? t->names : NULL);
    return g;
}

const char *nomen_grad_fn_name(const nomen_tensor *t, char *buffer, size_t size) {
    const nomen__node *n = node_of(t);
    if (!n || n->kind == NOMEN__LEAF || !size) return NULL;
    nomen__text text = {buffer, size, 0};
    buffer[0] = 0;
    if (n->kind == NOMEN__SLICES) {
        nomen__text_add(&text, "%s", n->op->name);
        return buffer;
    }
    bool start = true;
    for (const char *p = n->op->name; *p; p++) {
        char letter = *p;
        if (letter == '_') {
            start = true;
            continue;
        }
        if (start && letter >= 'a' && letter <= 'z') letter = (char)(letter - 'a' + 'A');
        start = false;
        nomen__text_add(&text, "%c", letter);
    }
    nomen__text_add(&text, "Backward0");
    return buffer;
}

/* ---- requests -------------------------------------------------------------------------------- */

nomen_status nomen_set_requires_grad(nomen_tensor *t, bool requires_grad) {
    if (!t) return nomen__fail(NOMEN_ERROR_TYPE, "nomen_set_requires_grad: the tensor is NULL");
    nomen_status s = nomen__grad_refresh(t);
    if (s) return s;
    if ((t->flags & NOMEN__REQUIRES) && t->grad->kind != NOMEN__LEAF) {
        if (requires_grad) return NOMEN_OK;
        return nomen__fail(
            NOMEN_ERROR_GRAD,
            "you can only change requires_grad flags of leaf variables. If you want to use a "
            "computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach().");
    }
    if (requires_grad && !nomen__differentiable(t->dtype))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "only Tensors of floating point and complex dtype can require gradients, not %s",
            nomen_dtype_name((nomen_dtype)t->dtype));
    if (!requires_grad && !t->grad) return NOMEN_OK;
    nomen__node *leaf = nomen__leaf_of(t);
    if (!leaf) return NOMEN_ERROR_MEMORY;
    leaf->wanted = requires_grad;
    t->flags = (uint8_t)(requires_grad ? t->flags | NOMEN__REQUIRES : t->flags & ~NOMEN__REQUIRES);
    return NOMEN_OK;
}

nomen_status nomen_retain_grad(nomen_tensor *t) {
    if (!t) return nomen__fail(NOMEN_ERROR_TYPE, "nomen_retain_grad: the tensor is NULL");
    nomen_status s = nomen__grad_refresh(t);
    if (s) return s;
    if (!(t->flags & NOMEN__REQUIRES))
        return nomen__fail(NOMEN_ERROR_GRAD,
                           "can't retain_grad on Tensor that has requires_grad=False");
    if (t->grad->kind == NOMEN__LEAF) return NOMEN_OK;
    nomen__node_rename(t->grad, t);
    t->grad->retain = true;
    return NOMEN_OK;
}

nomen_status nomen_set_gradient(nomen_tensor *t, nomen_tensor *gradient) {
    if (!t) return nomen__fail(NOMEN_ERROR_TYPE, "nomen_set_gradient: the tensor is NULL");
    if (!gradient) {
        nomen_zero_grad(t);
        return NOMEN_OK;
    }
    if (gradient == t)
        return nomen__fail(NOMEN_ERROR_GRAD, "can't assign Variable as its own grad");
    if (gradient->ndim != t->ndim || gradient->dtype != t->dtype ||
        memcmp(gradient->size, t->size, sizeof *t->size * t->ndim) != 0) {
        NOMEN__TEXT(mine, 256);
        NOMEN__TEXT(want, 256);
        nomen__text_tensor(&mine, gradient, true);
        nomen__text_tensor(&want, t, true);
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "assigned grad has data of a different %s: %s does not fit %s",
                           gradient->dtype != t->dtype ? "type" : "size", mine.at, want.at);
    }
    if (gradient->device != t->device)
        return nomen__fail(NOMEN_ERROR_DEVICE,
                           "assigned grad has data located on a different device: %s, not %s",
                           nomen__device_name(gradient->device), nomen__device_name(t->device));
    nomen__namelist names;
    nomen_status s =
        nomen__is_named(gradient)
            ? nomen__unify(nomen__names_of(gradient), nomen__names_of(t), "broadcast", &names)
            : NOMEN_OK;
    if (s) return s;
    nomen__node *n = nomen__leaf_of(t);
    if (!n) return NOMEN_ERROR_MEMORY;
    nomen_tensor *old = n->grad;
    n->grad = nomen__retain(gradient);
    nomen__release(old);
    return NOMEN_OK;
}

void nomen_zero_grad(nomen_tensor *t) {
    if (!t || !t->grad) return;
    nomen_tensor *old = t->grad->grad;
    t->grad->grad = NULL;
    nomen__release(old);
}

nomen_tensor *nomen_detach(nomen_tensor *t) {
    if (t) return nomen__scoped(nomen__tensor_alias(t));
    if (!nomen__error_pending()) nomen__fail(NOMEN_ERROR_TYPE, "nomen_detach: the tensor is NULL");
    return NULL;
}

nomen_status nomen_detach_(nomen_tensor *t) {
    if (!t) return nomen__fail(NOMEN_ERROR_TYPE, "nomen_detach_: the tensor is NULL");
    if (t->base)
        return nomen__fail(NOMEN_ERROR_GRAD, "Can't detach views in-place. Use detach() instead.");
    if (t->grad && t->grad->kind == NOMEN__LEAF) return nomen_set_requires_grad(t, false);
    nomen__attach(t, NULL);
    return NOMEN_OK;
}

/* ---- on and off ------------------------------------------------------------------------------ */

bool nomen_grad_enabled(void) { return nomen__grad_enabled; }

bool nomen_set_grad_enabled(bool enabled) {
    bool before = nomen__grad_enabled;
    nomen__grad_enabled = enabled;
    return before;
}

nomen_grad_mark nomen_grad_mode_open(bool enabled) {
    return (nomen_grad_mark){nomen_set_grad_enabled(enabled), true};
}

void nomen_grad_mode_close(nomen_grad_mark *mark) {
    if (!mark || !mark->live) return;
    mark->live = false;
    nomen__grad_enabled = mark->before;
}
