/* The tape: what an operation leaves behind so that its gradient can be computed. Nodes are made in
 * tape.c, live and die in node.c, and are walked by backward.c. */
#ifndef NOMEN_SRC_TAPE_H
#define NOMEN_SRC_TAPE_H

#include "core/core.h"
#include "nomen/grad.h"
#include "op/op.h"

typedef struct nomen__autograd nomen__node;

typedef enum nomen__node_kind {
    NOMEN__LEAF,   /* made by the user; its gradient is kept */
    NOMEN__RESULT, /* made by an operation */
    NOMEN__SLICES, /* a tensor after an in-place operation on a view of it */
} nomen__node_kind;

/* Value at the time of the call, without a part in autograd and without names. */
typedef struct nomen__saved {
    nomen_tensor *tensor;
    uint32_t version;
} nomen__saved;

/* An argument that is no tensor and no dim. */
typedef union nomen__slot {
    nomen_number number;
    int64_t integer;
    bool flag;
    nomen_dtype dtype;
    char text[24];
} nomen__slot;

typedef struct nomen__hook {
    struct nomen__hook *next;
    uint64_t id;
    bool after; /* a post-accumulate hook */
    nomen_hook *before_fn;
    nomen_accumulate_hook *after_fn; /* both NULL: removed while hooks were running */
    void *payload;
    void (*free_payload)(void *payload);
} nomen__hook;

/* Where the elements of one tensor lie in the memory of another, in elements: strides may disagree.
 */
typedef struct nomen__geometry {
    int ndim, base_ndim;
    int64_t offset;
    const int64_t *size, *stride, *base_size, *base_stride;
} nomen__geometry;

/* A nomen__map that takes no more room than it needs. */
typedef struct nomen__small_map {
    int ndim, input_ndim;
    const int64_t *size, *step, *start, *source;
} nomen__small_map;

/* One block, counted. tensor->grad points to the node that made the tensor, or to its leaf node. */
struct nomen__autograd {
    _Atomic int32_t refs;
    uint8_t kind, ndim, dtype, device;
    bool wanted; /* leaf: requires_grad */
    bool retain; /* keep the gradient of this result */
    bool used;   /* the saved tensors are given up */
    bool in_place;
    bool named;
    bool second; /* made the second result of its operation */
    uint32_t nin, nsaved;
    uint32_t given; /* bit per argument, as in the call */
    uint32_t save;  /* bit per tensor argument, as in the row; only those that are here */
    uint32_t hooks_running;
    int dim;
    uint64_t mask;
    uint64_t seq; /* larger than that of every node it leads to; leaves have 0 */
    size_t bytes;
    const nomen__op *op;
    nomen_tensor *grad;
    nomen__hook *hooks;
    nomen__node *next;   /* among the dead */
    const void *root;    /* result that is a view: the base's node when this was made */
    nomen__node *inner;  /* slices: the operation on the view */
    nomen__node *view;   /* slices, until the commit: the view's new node */
    nomen__node **edge;  /* by tensor argument; NULL: no gradient goes there */
    nomen__saved *saved; /* in order of the bits of save, the result last */
    nomen__slot *slot;   /* by argument, those with a slot only */
    int64_t *offset;     /* of list operands: where each one starts along dim, and the end */
    nomen__small_map map;
    nomen__geometry geometry;
    int64_t *size;     /* of the tensor made */
    nomen_name *names; /* room for ndim */
};

/* ---- node.c ---------------------------------------------------------------------------------- */

/* How much of everything a node has. */
typedef struct nomen__node_plan {
    uint32_t nin, nsaved, nslots, noffsets, map_words, geometry_words;
    int ndim; /* room for the dims of what it makes */
} nomen__node_plan;

/* One reference; all zero but for the pointers into the block, which are set where there is room.
 * map_words and geometry_words are handed out through *words. */
nomen__node *nomen__node_new(nomen__node_kind kind, const nomen__op *op,
                             const nomen__node_plan *plan, int64_t **words);
static inline nomen__node *nomen__node_retain(nomen__node *n) {
    if (n) atomic_fetch_add_explicit(&n->refs, 1, memory_order_relaxed);
    return n;
}
void nomen__node_release(nomen__node *n);
/* After the edges are set. */
void nomen__node_number(nomen__node *n);
/* Sizes, dtype and names of what n makes (or is the leaf of). Names only if they fit the rank. */
void nomen__node_describe(nomen__node *n, const nomen_tensor *t);
void nomen__node_rename(nomen__node *n, const nomen_tensor *t);
void nomen__node_drop_saved(nomen__node *n);
/* The slot of argument i; NULL: not given or of a kind without one. */
const nomen__slot *nomen__node_slot(const nomen__node *n, int arg);
bool nomen__kind_has_slot(uint8_t kind);

/* The leaf node of t; makes one. NULL on failure. */
nomen__node *nomen__leaf_of(nomen_tensor *t);
static inline bool nomen__differentiable(uint8_t dtype) {
    const unsigned set = 1u << NOMEN_F16 | 1u << NOMEN_BF16 | 1u << NOMEN_F32 | 1u << NOMEN_F64 |
                         1u << NOMEN_C64 | 1u << NOMEN_C128;
    return set >> dtype & 1;
}
/* t->grad = n (takes the reference), and the flag. */
void nomen__attach(nomen_tensor *t, nomen__node *n);
/* A second header without names that is the same tensor to the tape. */
nomen_tensor *nomen__twin(const nomen_tensor *t);

/* ---- tape.c ---------------------------------------------------------------------------------- */

/* Brings the node of a view up to date with its base. Call before looking at t->grad. */
nomen_status nomen__grad_refresh(nomen_tensor *t);

/* ---- strided.c ------------------------------------------------------------------------------- */

uint32_t nomen__geometry_words(const nomen_tensor *view, const nomen_tensor *base);
void nomen__geometry_make(nomen__geometry *g, int64_t *words, const nomen_tensor *view,
                          const nomen_tensor *base);
extern const nomen__op nomen__op_slices, nomen__op_strided;
/* Copies a map into words. */
uint32_t nomen__small_map_words(const nomen__map *map);
void nomen__small_map_make(nomen__small_map *to, int64_t *words, const nomen__map *from);
/* The gradient of a view by map: g has the sizes of the view, the result those of the input. */
nomen_tensor *nomen__map_adjoint(nomen_tensor *g, const nomen__small_map *map,
                                 const int64_t *input_size);
/* Is the view all of the input, in some order? */
bool nomen__map_shows_all(const nomen__small_map *map, const int64_t *input_size);
/* The same gradient, added to one of the input that nobody else sees. */
nomen_status nomen__map_add(nomen_tensor *into, nomen_tensor *g, const nomen__small_map *map);

/* ---- backward.c ------------------------------------------------------------------------------ */

/* a += b, which have the same sizes and dtype. */
void nomen__add_into(nomen_tensor *a, nomen_tensor *b);

struct nomen__backward;
/* The gradient of n's input, given that of its result; in the current scope. NULL without *failed:
 * zero. */
nomen_tensor *nomen__node_gradient(nomen__node *n, nomen_tensor *g, int input, bool *failed);

/* ---- hooks.c --------------------------------------------------------------------------------- */

/* Runs those that see the gradient of n; *g (one reference, no names) may be replaced. */
nomen_status nomen__hooks_run(nomen__node *n, nomen_tensor **g);
nomen_status nomen__hooks_run_after(nomen__node *leaf);
void nomen__hooks_free(nomen__hook *hooks);

#endif
